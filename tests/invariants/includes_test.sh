#!/bin/sh
# includes.sh finds what it is there to find: each forbidden include makes it fail, a good one not.
set -eu
check=$(dirname "$0")/includes.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# with FILE INCLUDE: a source tree of one file with one include; gives what the check says of it.
with() {
  rm -rf "$folder/lib" "$folder/sim_bridge"
  mkdir -p "$folder/$(dirname "$1")"
  echo "#include $2" >"$folder/$1"
  sh "$check" "$folder" >/dev/null
}

must_fail() {
  if with "$1" "$2"; then echo "not found: $1 includes $2"; exit 1; fi
}

must_fail lib/nadi/link/a.cc '"nadi/read/kineto.h"'
must_fail lib/nadi/graph/a.h '"nadi/emit/chakra.h"'
must_fail lib/nadi/link/a.h '"nadi/linked_json/reader.h"'
must_fail lib/nadi/emit/a.h '<nadi/link/match.h>'
must_fail lib/nadi/graph/a.cc '"../link/match.h"'
must_fail sim_bridge/feeder/a.h '"nadi/model/host_trace.h"'
must_fail sim_bridge/job/a.h '"nadi/sim_bridge/replay/replay.h"'
must_fail sim_bridge/astra_analytical/a.h '"nadi/model/graph.h"'
must_fail lib/nadi/chakra/a.h '"nadi/input/byte_source.h"'
must_fail lib/nadi/link/a.cc '<simdjson.h>'
must_fail lib/nadi/graph/a.cc '"et_def.pb.h"'
must_fail lib/nadi/model/graph.h '"nadi/model/linked_trace.h"'
with lib/nadi/emit/a.cc '"nadi/graph/built_graph.h"'
with lib/nadi/chakra/a.h '"nadi/model/graph.h"'
with sim_bridge/replay/a.h '"nadi/model/graph.h"'
with sim_bridge/feeder/a.h '"nadi/chakra/message_stream.h"'
with sim_bridge/goal/a.h '"nadi/sim_bridge/job/job.h"'
with lib/nadi/link/a.cc '"nadi/model/linked_trace.h"'
with lib/nadi/linked_json/a.cc '"nadi/link/link.h"'
