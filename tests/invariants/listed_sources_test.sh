#!/bin/sh
# listed_sources.sh finds what it is there to find: a file that is in no list makes it fail, also where
# another folder has one of its name.
set -eu
check=$(dirname "$0")/listed_sources.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/lib/nadi/link" "$folder/lib/nadi/graph" "$folder/lib/nadi/record" \
  "$folder/sim_bridge/job" "$folder/converters" \
  "$folder/tests/unit/link"
cat >"$folder/lib/CMakeLists.txt" <<'LISTS'
add_stage(link SOURCES
  lost_rows.cc waits.cc)
add_stage(graph LIBRARIES Boost::headers SOURCES build.cc)
add_sources(nadi_record nadi/record
  op.cc)
LISTS
echo 'add_library(nadi_sim_bridge job/job.cc)' >"$folder/sim_bridge/CMakeLists.txt"
echo 'add_unit_test(link SOURCES waits_test.cc)' >"$folder/tests/CMakeLists.txt"
touch "$folder/lib/nadi/link/lost_rows.cc" "$folder/lib/nadi/link/waits.cc" \
  "$folder/lib/nadi/graph/build.cc" "$folder/lib/nadi/record/op.cc" "$folder/sim_bridge/job/job.cc" "$folder/tests/unit/link/waits_test.cc"

must_fail() {
  touch "$folder/$1"
  if sh "$check" "$folder" >/dev/null; then echo "not found: $1"; exit 1; fi
  rm "$folder/$1"
}

must_fail lib/nadi/graph/lost_rows.cc
must_fail lib/nadi/graph/delays.cc
must_fail lib/nadi/record/device.cc
must_fail sim_bridge/job/prepare.cc
must_fail tests/unit/link/lanes_test.cc
must_fail converters/convert.cc
sh "$check" "$folder"
