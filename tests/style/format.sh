#!/bin/sh
# Every C file as .clang-format has it. Other versions of clang-format break lines elsewhere, so
# only the one that the tree is kept with is asked.  format.sh <clang-format> [--fix]
version=$("$1" --version | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" != 14 ]; then
  echo "skipped: clang-format 14 is wanted, this is $version"
  exit 77
fi
cd "$(dirname "$0")/../.." || exit 1
if [ "${2-}" = --fix ]; then
  find src tests -name '*.[ch]' -exec "$1" -i {} +
else
  find src tests -name '*.[ch]' -exec "$1" --dry-run -Werror {} +
fi
