#!/bin/sh
# own_headers.sh finds what it is there to find: a file without its header makes it fail, one with it not.
set -eu
check=$(dirname "$0")/own_headers.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# with FILE INCLUDE: a source tree of one file with one include; gives what the check says of it.
with() {
  rm -rf "$folder/lib" "$folder/sim_bridge" "$folder/converters"
  mkdir -p "$folder/$(dirname "$1")"
  echo "$2" >"$folder/$1"
  sh "$check" "$folder" >/dev/null
}

must_fail() {
  if with "$1" "$2"; then echo "not found: $1 begins with $2"; exit 1; fi
}

must_fail lib/nadi/graph/delays.cc '#include "nadi/graph/stages.h"'
must_fail lib/nadi/graph/delays.cc '#include <vector>'
must_fail converters/cli/graph.cc 'RunVerb add_convert(Options options) {'
must_fail sim_bridge/job/job.cc 'int main() {}'
must_fail converters/archive/mpi/mpi_ranks.cc '#include <mpi.h>'
with lib/nadi/graph/delays.cc '#include "nadi/graph/delays.h"'
with sim_bridge/job/job.cc '#include "nadi/sim_bridge/job/job.h"'
with lib/nadi/graph/delays.h '#include <vector>'
with converters/cli/graph.cc 'RunVerb add_graph(Options options) {'
with converters/cli/main.cc 'int main() {}'
