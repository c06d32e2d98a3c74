#!/bin/sh
# Prints time and memory of `nadi convert` beside those of `floor` (read, decompress, walk every event
# once, no model) for a trace pair repeated 1, 8 and 64 times. Both run in turns, RUNS times, since the
# machines are shared: seconds are medians, the ratio is the median of the ratios of the turns, the peak
# is the largest.
#   sh tests/bench/run.sh [HOST DEVICE]     default: ../shared/traces/resnet-2gpu
#   RUNS=5 TIMES="1 8 64" BUILD=build-bench TMP=/var/tmp/nadi-bench
set -eu
cd "$(dirname "$0")/../.."
host=${1:-../shared/traces/resnet-2gpu/host.json.gz}
device=${2:-../shared/traces/resnet-2gpu/device.json.gz}
runs=${RUNS:-5}
times=${TIMES:-1 8 64}
build=${BUILD:-build-bench}
tmp=${TMP:-$build/traces}
if [ ! -f "$host" ] || [ ! -f "$device" ]; then
  echo "bench: no trace pair at $host; pass HOST and DEVICE" >&2
  exit 2
fi

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" -t nadi_tool floor repeat_trace measure >/dev/null
mkdir -p "$tmp"

printf '%5s %12s %12s %9s %9s %7s %12s %10s %9s\n' \
  times events bytes floor_s convert_s ratio peak_MB peak/bytes ns/event
for n in $times; do
  "$build/tests/bench/repeat_trace" --host "$host" --device "$device" --times "$n" --out-prefix "$tmp/t$n"
  OUTPUT=$tmp/out.et "$build/tests/bench/measure" "$runs" "$n" \
    "$build/tests/bench/floor" "$tmp/t$n.host.json.gz" "$tmp/t$n.device.json.gz" -- \
    "$build/converters/nadi" -q convert --host "$tmp/t$n.host.json.gz" \
    --device "$tmp/t$n.device.json.gz" --output-file "$tmp/out.et"
  rm -f "$tmp/t$n".* "$tmp/out.et"
done
