#!/bin/sh
# budget.sh <knock> <valgrind>: instructions of some loops per turn, against their budgets (what they took
# when the budget was set, plus a tenth). Exit code 1 when one is over. Counts are those of Debian 12's Lua.
set -eu
knock=$1 valgrind=$2 here=$(dirname "$0") failed=0

# instructions of the loop $1 with $2 turns, child processes included
count() {
  "$valgrind" --tool=callgrind --trace-children=yes --callgrind-out-file=/dev/null "$knock" "$here/budget.lua" "$1" "$2" 2>&1 |
    awk '/Collected :/ { sum += $NF } END { printf "%d", sum }'
}

while read -r name budget; do
  few=$(count "$name" 1000) many=$(count "$name" 6000)
  each=$(((many - few) / 5000))
  printf '%-10s %6d instructions, budget %6d\n' "$name" "$each" "$budget"
  [ "$each" -le "$budget" ] || failed=1
done <<EOF
prepare 2760
impact 4120
with 8010
law_with 7590
lane 9060
csv 6020
bounce 3560
events 3850
walk 12260
hdf5 630
EOF
exit $failed
