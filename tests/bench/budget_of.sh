#!/bin/sh
# budget_of.sh MOST FUNCTION COMMAND...: the instructions that COMMAND takes inside FUNCTION, by callgrind, are at most MOST
most=$1 function=$2
shift 2
said=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="$function" "$@" 2>&1 >/dev/null)
count=$(printf '%s\n' "$said" | sed -n 's/.*Collected : *\([0-9]*\).*/\1/p')
[ -n "$count" ] || { printf '%s\n' "$said"; exit 1; }
echo "$function: $count instructions, at most $most"
[ "$count" -gt 0 ] && [ "$count" -le "$most" ]
