#!/bin/sh
# budget_of.sh MOST FUNCTION COMMAND...: COMMAND succeeds, and takes at most MOST instructions inside FUNCTION, by callgrind
most=$1 function=$2
shift 2
said=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$function" "$@" 2>&1 >/dev/null) || { printf '%s\n' "$said"; exit 1; }
count=$(printf '%s\n' "$said" | sed -n 's/.*Collected : *\([0-9]*\).*/\1/p')
[ -n "$count" ] || { printf '%s\n' "$said"; exit 1; }
echo "$function: $count instructions, at most $most"
[ "$count" -gt 0 ] && [ "$count" -le "$most" ]
