#!/bin/sh
# includes.sh finds what it is there to find: each forbidden include makes it fail, a good one not.
set -eu
check=$(dirname "$0")/includes.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# tree: the source tree that standard input lists, a file and what it includes on each line.
tree() {
  rm -rf "$folder/lib" "$folder/sim_bridge"
  while read -r file include; do
    mkdir -p "$folder/${file%/*}"
    echo "#include $include" >>"$folder/$file"
  done
}

bad='
lib/nadi/link/a.cc "nadi/read/kineto.h"
lib/nadi/graph/a.h "nadi/emit/chakra.h"
lib/nadi/link/a.h "nadi/linked_json/reader.h"
lib/nadi/emit/a.h <nadi/link/match.h>
lib/nadi/graph/a.cc "../link/match.h"
sim_bridge/feeder/a.h "nadi/model/host_trace.h"
sim_bridge/job/a.h "nadi/sim_bridge/replay/replay.h"
sim_bridge/astra_analytical/a.h "nadi/model/graph.h"
lib/nadi/chakra/a.h "nadi/input/byte_source.h"
lib/nadi/link/a.cc <simdjson.h>
lib/nadi/graph/a.cc "et_def.pb.h"
lib/nadi/model/graph.h "nadi/model/linked_trace.h"
'
good='
lib/nadi/emit/a.cc "nadi/graph/built_graph.h"
lib/nadi/chakra/a.h "nadi/model/graph.h"
sim_bridge/replay/a.h "nadi/model/graph.h"
sim_bridge/feeder/a.h "nadi/chakra/message_stream.h"
sim_bridge/goal/a.h "nadi/sim_bridge/job/job.h"
lib/nadi/link/a.cc "nadi/model/linked_trace.h"
lib/nadi/linked_json/a.cc "nadi/link/link.h"
'

echo "$good" | sed '/^$/d' | tree
sh "$check" "$folder"
echo "$bad" | sed '/^$/d' | tree
found=$(sh "$check" "$folder") && { echo "found nothing wrong"; exit 1; }
echo "$bad" | sed '/^$/d' | while read -r file include; do
  echo "$found" | grep -F "$file:" | grep -qF "#include $include" ||
    { echo "not found: $file includes $include"; exit 1; }
done
