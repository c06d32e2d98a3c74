#!/bin/sh
# Prints time and memory of `nadi events` beside those of `floor` on one device trace, for the sets
# default and complete and each format (files are synced to the disk, CSV to /dev/null is not). Both run in turns, as in run.sh.
#   sh tests/bench/events.sh [DEVICE]     default: ../shared/traces/trace-diff/control.json.gz
#   RUNS=5 BUILD=build-bench TMP=/var/tmp/nadi-bench
set -eu
cd "$(dirname "$0")/../.."
device=${1:-../shared/traces/trace-diff/control.json.gz}
runs=${RUNS:-5}
build=${BUILD:-build-bench}
tmp=${TMP:-$build/traces}
if [ ! -f "$device" ]; then
  echo "bench: no trace at $device; pass DEVICE" >&2
  exit 2
fi
if [ ! -d "$build" ]; then cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null; fi
cmake --build "$build" -t nadi_tool floor measure >/dev/null
mkdir -p "$tmp"

printf '%5s %12s %12s %9s %9s %7s %12s %10s %9s\n' \
  run events bytes floor_s events_s ratio peak_MB peak/bytes ns/event
for set in default complete; do
  for file in /dev/null "$tmp/events.csv" "$tmp/events.jsonl" "$tmp/events.sqlite"; do
    format=${file##*.}
    if [ "$file" = /dev/null ]; then format=csv; fi
    echo "$set, $format to $file:"
    "$build/tests/bench/measure" "$runs" "$runs" "$build/tests/bench/floor" "$device" -- \
      "$build/converters/nadi" -q events "$device" --args "$set" --format "$format" --output "$file"
    if [ "$file" != /dev/null ]; then rm -f "$file"; fi
  done
done
