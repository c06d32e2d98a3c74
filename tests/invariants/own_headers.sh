#!/bin/sh
# What a source file gives stands in the header of its name, which it includes first: prints every .cc
# that does not begin so, and fails if there is one. Without such a header are only main.cc,
# large_pages.cc, whose functions are the language's, without_mpi.cc, which stands in for mpi_ranks.cc,
# and the verbs of converters/cli, each of which gives the one function that verbs.h declares for it.
# Usage: own_headers.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"
# What begins a file: the file and its first include, or its name alone.
begins() {
  set -- lib/nadi/*/*.cc sim_bridge/*/*.cc converters/*.cc converters/*/*.cc converters/*/*/*.cc
  ls "$@" 2>/dev/null | xargs -r grep -H -m 1 '^#include' || true  # a pattern may fit nothing
  ls "$@" 2>/dev/null | xargs -r grep -L '^#include' || true
}

found=$(
  begins | while IFS=: read -r file included; do
    header=nadi/${file#lib/nadi/}
    [ "$included" != "#include \"${header%.cc}.h\"" ] || continue
    verb=${file##*/}
    case $file in
      */main.cc | */large_pages.cc | */without_mpi.cc) continue ;;
      converters/cli/*)
        if grep -q "^RunVerb add_${verb%.cc}(Options options) {" "$file"; then continue; fi ;;
    esac
    echo "$file: ${included:-includes nothing}"
  done
)
[ -n "$found" ] || exit 0
echo "These do not begin with the header of their name, in which stands what they give:"
echo "$found"
exit 1
