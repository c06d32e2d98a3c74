#!/bin/sh
# Stages meet only in lib/nadi/model and formats stay at the edges: prints every include that breaks
# this, and fails if there is one. What folders of lib/nadi include is read from the table in
# lib/README.md. Usage: includes.sh [SOURCE_FOLDER]
set -eu
readme=$(cd "$(dirname "$0")/../.." && pwd)/lib/README.md
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

# table: each folder of the table in lib/README.md with what it includes, as may_include takes it.
table() {
  sed -nE 's/^\| `([a-z_]+)` \|[^|]*\|([^|]*)\|[^|]*\|$/\1 \2 `\1`/p' "$readme" | while read -r stage parts; do
    echo "$stage $(printf '%s' "$parts" | tr -d '`,' | sed -E 's#([a-z_]+)( |$)#\1/\2#g; s#\.h/#\\.h#g; s# +#|#g')"
  done
}

found=$(
  table | while read -r stage parts; do may_include "lib/nadi/$stage" "$parts"; done
  may_include lib/nadi/model/graph.h 'base/'
  may_include sim_bridge 'base/|chakra/|model/(graph|last_sources)\.h|schema/|sim_bridge/'
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
