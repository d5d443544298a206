# What ./knock does when it cannot simply start the program: packages, building, testing.
# Everything that is said goes to stderr: stdout belongs to the script.

packages='gcc libc6-dev cmake ninja-build pkg-config liblua5.4-dev liblapacke-dev liblapack-dev
  libblas-dev libreadline-dev libexpat1-dev'
test_packages='texlive-latex-base valgrind lua5.4 git libsundials-dev libmujoco-dev libmujoco-samples dart-doc libhdf5-dev libfclib-dev parallel procps
  openmpi-bin slurm-wlm munge'

say() { echo "knock: $*" >&2; }
stop() { say "$*"; exit 4; }

# ---- packages --------------------------------------------------------------------------------

# prints those of the named Debian packages that are not installed
missing_packages() {
  have=$(dpkg-query -W -f '${Package}:${db:Status-Status} ' "$@" 2>/dev/null) || true
  for package; do
    case " $have" in *" $package:installed "*) ;; *) printf '%s ' "$package" ;; esac
  done
}

# libgfortran.a comes in a package named after the compiler's version
fortran_package() {
  gcc -dumpversion 2>/dev/null | sed 's/\..*//; s/.*/libgfortran-&-dev/'
}

# apt-get with the rights it needs
apt_as_root() {
  if [ "$(id -u)" = 0 ]; then
    DEBIAN_FRONTEND=noninteractive apt-get "$@"
  else
    sudo DEBIAN_FRONTEND=noninteractive apt-get "$@"
  fi
}

install_packages() {
  wanted=$*
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null || stop "ask root for: apt-get install $wanted"
  say "installing $wanted"
  log=$(mktemp)
  for attempt in as_is updated; do
    if [ "$attempt" = updated ]; then apt_as_root update >>"$log" 2>&1 || true; fi
    if apt_as_root install -y --no-install-recommends "$@" >>"$log" 2>&1 </dev/null; then
      rm -f "$log"
      return 0
    fi
  done
  tail -n 15 "$log" >&2
  stop "apt-get could not install: $wanted"
}

# installs what the named packages lack, and the compiler's own Fortran library
need_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    need_tools
    return
  fi
  command -v gnuplot >/dev/null || set -- "$@" gnuplot-nox
  lacking=$(missing_packages "$@")
  [ -z "$lacking" ] || install_packages $lacking
  lacking=$(missing_packages $(fortran_package))
  [ -z "$lacking" ] || install_packages $lacking
}

# not Debian: say once what is needed
need_tools() {
  for tool in cc cmake ninja pkg-config gnuplot; do
    command -v "$tool" >/dev/null || stop "'$tool' is missing: install a C compiler, cmake 3.25," \
      "ninja, pkg-config, Lua 5.4 and LAPACKE with their headers, and gnuplot; then call me again"
  done
}

# ---- Unity, the test framework: part of Debian's source package cjson ----------------------------

# the machine's own package sources, as sources of source packages, under $1
source_lists() {
  mkdir -p "$1/parts" "$1/lists/partial" "$1/cache/archives/partial"
  : >"$1/sources.list"
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$list" ] || sed -n 's/^[[:space:]]*deb\([[:space:]]\)/deb-src\1/p' "$list" \
      >>"$1/sources.list"
  done
  for list in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$1/parts/${list##*/}"
  done
}

# apt-get that leaves the system's own lists alone; $1 is the private folder
private_apt() {
  private=$1
  shift
  apt-get -o Dir::Etc::sourcelist="$private/sources.list" -o Dir::Etc::sourceparts="$private/parts" \
    -o Dir::State::lists="$private/lists" -o Dir::Cache="$private/cache" "$@"
}

# unpacks Unity below the user's cache, once; apt checks the signatures
fetch_unity() {
  unity=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/knock/unity
  [ ! -f "$unity/src/unity.c" ] && [ -z "${KNOCK_UNITY-}" ] || return 0
  command -v apt-get >/dev/null || return 0 # CMake looks for an installed one
  say "fetching Unity (from Debian's source package cjson)"
  work=$(mktemp -d)
  chmod 755 "$work"
  source_lists "$work"
  private_apt "$work" -q update >"$work/log" 2>&1 || true
  (cd "$work" && private_apt "$work" -q source --download-only cjson) >>"$work/log" 2>&1 || {
    tail -n 15 "$work/log" >&2
    stop "could not fetch the source package cjson, which has Unity in it"
  }
  mkdir -p "$unity.new"
  tar -xf "$work"/cjson_*.orig.tar.* -C "$unity.new" --strip-components=3 --wildcards '*/tests/unity/*'
  rm -rf "$unity" "$work"
  mv "$unity.new" "$unity"
}

# ---- building --------------------------------------------------------------------------------

# one builder at a time
lock() {
  mkdir -p "$1/build"
  exec 9>"$1/build/.lock"
  ! command -v flock >/dev/null || flock 9
}

unlock() { exec 9>&-; }

# runs a command quietly; on failure shows the end of what it said
quietly() {
  log=$1
  shift
  "$@" >>"$log" 2>&1 9>&- || {
    tail -n 40 "$log" >&2
    stop "building failed: the whole story is in $log"
  }
}

# the program alone; the time of the build is that of its beginning
knock_build() {
  lock "$1"
  cd_before=$(pwd)
  cd "$1"
  need_packages $packages
  [ -x build/knock ] || say "building (the first time takes a minute) ..."
  : >build/build.log
  : >build/.building
  [ -f build/build.ninja ] ||
    quietly build/build.log cmake --preset release -DKNOCK_TESTS=OFF
  quietly build/build.log ninja -C build knock
  mv build/.building build/.built
  cd "$cd_before"
  unlock
}

# ---- testing ---------------------------------------------------------------------------------

test_usage() {
  cat <<'EOT'
./knock test [--long] [what ctest takes]
  builds the release and the sanitizer build, and runs the tests of both
  --long       with the loops that take hours: every fault, every mutation
  -R lin       tests whose name has `lin` in it
  -L unit      tests of a label: unit, lua, cli, style, budget, bench, valgrind, slow, long
EOT
}

# Both builds, then one run of CTest over all: release with everything, asan without what is slow.
# `--long` adds the loops that take hours (every fault, every mutation). Other arguments go to ctest:
# ./knock test -R lin; ./knock test --long -L long
knock_test() {
  cd "$1"
  shift
  case ${1-} in -h | --help) test_usage; return ;; esac
  if [ "${1-}" = --long ]; then shift; else set -- -LE long "$@"; fi
  lock .
  mkdir -p build-asan build/suite
  need_packages $packages $test_packages
  fetch_unity
  say "building the release and the sanitizer build ..."
  : >build/build.log
  : >build-asan/build.log
  : >build/.building
  quietly build/build.log cmake --preset release -DKNOCK_TESTS=ON
  quietly build-asan/build.log cmake --preset asan -DKNOCK_TESTS=ON
  quietly build/build.log ninja -C build
  mv build/.building build/.built
  quietly build-asan/build.log ninja -C build-asan
  unlock
  echo 'subdirs(../tests ../../build-asan/tests)' >build/suite/CTestTestfile.cmake
  exec ctest --test-dir build/suite -j "$(getconf _NPROCESSORS_ONLN)" --output-on-failure "$@"
}
