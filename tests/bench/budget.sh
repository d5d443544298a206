#!/bin/sh
# budget.sh <knock> <valgrind>: instructions of some loops per turn (name, turns, budget), against their budgets (what they took
# when the budget was set, plus a tenth). Exit code 1 when one is over. Counts are those of Debian 12's Lua.
set -eu
knock=$1 valgrind=$2 here=$(dirname "$0") failed=0

# instructions of the loop $1 with $2 turns, child processes included
count() {
  said=$("$valgrind" --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null "$knock" "$here/budget.lua" "$1" "$2" 2>&1) ||
    { printf '%s\n' "$said" >&2; exit 1; }
  printf '%s\n' "$said" | awk '/Collected :/ { sum += $NF } END { printf "%d", sum }'
}

while read -r name turns budget; do
  few=$(count "$name" "$turns") || exit 1
  many=$(count "$name" $((6 * turns))) || exit 1
  each=$(((many - few) / (5 * turns)))
  printf '%-10s %9d instructions, budget %9d\n' "$name" "$each" "$budget"
  [ "$each" -le "$budget" ] || failed=1
done <<EOF
prepare 1000 2760
impact 1000 4120
with 1000 8010
law_with 1000 7590
lane 1000 9060
csv 1000 6020
bounce 1000 3910
events 1000 4170
walk 1000 12260
hdf5 1000 630
steps 2 11220000
monodromy 2 44500000
cycle 1 146700000
branch 1 102900000
basin 1 24900000
boxes 1 384000000
EOF
exit $failed
