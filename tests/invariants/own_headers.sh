#!/bin/sh
# What a source file gives stands in the header of its name, which it includes first: prints every .cc
# that does not begin so, and fails if there is one. Without such a header are only main.cc,
# large_pages.cc, whose functions are the language's, without_mpi.cc, which stands in for mpi_ranks.cc,
# and the verbs of converters/cli, each of which gives the one function that verbs.h declares for it.
# Usage: own_headers.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"
found=$(
  for file in lib/nadi/*/*.cc sim_bridge/*/*.cc converters/*.cc converters/*/*.cc converters/*/*/*.cc; do
    [ -f "$file" ] || continue  # a pattern that fits nothing
    case $file in
      */main.cc | */large_pages.cc | */without_mpi.cc) continue ;;
      converters/cli/*)
        if grep -q "^RunVerb add_$(basename "$file" .cc)(Options options) {" "$file"; then continue; fi ;;
    esac
    header=nadi/${file#lib/nadi/}
    included=$(grep -m 1 '^#include' "$file" || true)
    [ "$included" = "#include \"${header%.cc}.h\"" ] || echo "$file: ${included:-includes nothing}"
  done
)
[ -n "$found" ] || exit 0
echo "These do not begin with the header of their name, in which stands what they give:"
echo "$found"
exit 1
