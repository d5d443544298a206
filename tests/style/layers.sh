#!/bin/sh
# layers.sh <compiler> <include paths of the laws, by ;>: the compiler keeps laws from including a model
set -eu
flags=$(printf -- '-I%s ' $(printf '%s' "$2" | tr ';' ' '))
compiles() {
  printf '#include "%s"\n' "$1" | "$CC" -fsyntax-only $flags -x c - 2>/dev/null
}
CC=$1
compiles impact/law.h || { echo "laws cannot include their own waist: $flags"; exit 1; }
for header in model/model.h impact/assemble.h sim/sim.h bind/bind.h; do
  if compiles "$header"; then echo "a law can include $header"; exit 1; fi
done
