#!/bin/sh
# The checks of .clang-tidy over all of src/: about two minutes of one core, so it runs with
# ./knock test --long. Other versions warn of other things: only the one that the tree is kept with is asked.
#   tidy.sh <clang-tidy> <build folder> [file...]
tidy=$1 build=$2
shift 2
version=$("$tidy" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" != 14 ]; then
  echo "skipped: clang-tidy 14 is wanted, this is $version"
  exit 77
fi
cd "$(dirname "$0")/../.." || exit 1
[ $# -gt 0 ] || set -- $(find src -name '*.c')
printf '%s\n' "$@" | xargs -P 2 -n 8 "$tidy" --quiet --warnings-as-errors='*' -p "$build" 2>/dev/null
