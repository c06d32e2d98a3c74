#!/bin/sh
# Stages meet only in lib/nadi/model and formats stay at the edges: prints every include that breaks
# this, and fails if there is one. Usage: includes.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"

# includes FOLDER PATTERN: file:line:include of each include in the folder that matches.
includes() {
  [ -e "$1" ] || return 0
  grep -rnE "^ *# *include *[<\"]$2" "$1" --include='*.h' --include='*.cc' || true
}

# may_include FOLDER PARTS: what the folder includes of nadi beside these parts (a/|b/|c.h).
may_include() {
  includes "$1" '(nadi/|\.\./)' | grep -vE "[<\"]nadi/($2)" || true
}

found=$(
  may_include lib/nadi/base 'base/'
  may_include lib/nadi/chakra 'base/|chakra/|model/graph\.h'
  may_include lib/nadi/model/graph.h 'base/'
  may_include lib/nadi/input 'base/|input/'
  may_include lib/nadi/model 'base/|model/'
  may_include lib/nadi/read 'base/|input/|model/|read/'
  may_include lib/nadi/events 'base/|input/|model/|read/|events/'
  may_include lib/nadi/diff 'base/|input/|model/|read/|events/|diff/'
  may_include lib/nadi/record 'base/|model/|record/'
  may_include lib/nadi/link 'base/|model/|link/'
  may_include lib/nadi/graph 'base/|model/|graph/'
  may_include lib/nadi/emit 'base/|chakra/|input/|model/|graph/|emit/'
  may_include lib/nadi/linked_json 'base/|input/|model/|read/|link/|graph/|emit/|linked_json/'
  may_include sim_bridge 'base/|chakra/|model/graph\.h|schema/|sim_bridge/'
  may_include sim_bridge/astra_analytical 'base/|schema/|sim_bridge/astra_analytical/'
  for stage in base chakra input model events diff link graph emit; do includes lib/nadi/$stage 'simdjson'; done
  for stage in base input model events diff link graph linked_json; do
    includes lib/nadi/$stage '(.*\.pb\.h|google/protobuf)'
  done
  includes lib/nadi/read 'et_def\.pb\.h'
)
[ -n "$found" ] || exit 0
echo "These includes cross the stages (see the comment of tests/invariants/includes.sh):"
echo "$found"
exit 1
