#!/bin/sh
# Prints time and memory of `nadi diff` beside those of `gzip -dc` of the two files (the floor here:
# column floor_s). Both run in turns, as in run.sh.
#   sh tests/bench/diff.sh [CONTROL TEST]     default: ../shared/traces/trace-diff
#   RUNS=9 BUILD=build-bench TMP=/var/tmp/nadi-bench
set -eu
cd "$(dirname "$0")/../.."
control=${1:-../shared/traces/trace-diff/control.json.gz}
test=${2:-../shared/traces/trace-diff/test.json.gz}
runs=${RUNS:-9}
build=${BUILD:-build-bench}
tmp=${TMP:-$build/traces}
if [ ! -f "$control" ] || [ ! -f "$test" ]; then
  echo "bench: no trace pair at $control; pass CONTROL and TEST" >&2
  exit 2
fi
if [ ! -d "$build" ]; then cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null; fi
cmake --build "$build" -t nadi_tool measure >/dev/null
mkdir -p "$tmp"

echo "format floor_s diff_s ratio peak_MB"
for format in csv json; do
  "$build/tests/bench/measure" "$runs" "$format" \
    sh -c "gzip -dc '$control' '$test' >/dev/null" -- \
    "$build/converters/nadi" -q diff --control "$control" --test "$test" --output "$tmp/diff.$format" |
    awk '{ print $1, $4, $5, $6, $7 }'  # of gzip no events and bytes are known
  rm -f "$tmp/diff.$format"
done
