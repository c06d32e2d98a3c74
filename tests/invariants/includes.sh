#!/bin/sh
# Stages meet only in lib/nadi/model and formats stay at the edges: prints every include that breaks
# this, and fails if there is one. What folders include is read from the tables in lib/README.md and
# sim_bridge/README.md. Usage: includes.sh [SOURCE_FOLDER]
set -eu
repository=$(cd "$(dirname "$0")/../.." && pwd)
cd "${1:-$(dirname "$0")/../..}"

# includes FOLDER PATTERN: file:line:include of each include in the folder that matches.
includes() {
  [ -e "$1" ] || return 0
  grep -rnHE "^ *# *include *[<\"]$2" "$1" --include='*.h' --include='*.cc' || true
}

# may_include FOLDER PARTS: what the folder includes of nadi beside these parts (a/|b/|c.h).
may_include() {
  includes "$1" '(nadi/|\.\./)' | grep -vE "[<\"]nadi/($2)" || true
}

# as_parts: folders and headers as may_include takes them.
as_parts() {
  tr -d '`,' | sed -E 's#([a-z_]+)( |$)#\1/\2#g; s#\.h/#\\.h#g; s# +#|#g'
}

# stages: each folder of the table in lib/README.md with what it includes.
stages() {
  sed -nE 's/^\| `([a-z_]+)` \|[^|]*\|([^|]*)\|[^|]*\|$/\1 \2 `\1`/p' "$repository/lib/README.md"
}

# rooms: each folder of the table in sim_bridge/README.md with those it uses.
rooms() {
  sed -nE 's/^\| \[([a-z_]+)\][^|]*\|[^|]*\|([^|]*)\|[^|]*\|$/\1 \2 `\1`/p' "$repository/sim_bridge/README.md"
}

found=$(
  stages | while read -r stage parts; do may_include "lib/nadi/$stage" "$(echo "$parts" | as_parts)"; done
  may_include lib/nadi/model/graph.h 'base/'
  may_include sim_bridge 'base/|chakra/|model/(graph|last_sources)\.h|schema/|sim_bridge/'
  includes sim_bridge/astra_analytical 'nadi/(chakra|model)/'
  rooms | while read -r room uses; do
    includes "sim_bridge/$room" 'nadi/sim_bridge/' | grep -vE "nadi/sim_bridge/($(echo "$uses" | as_parts))" || true
  done
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
