#!/bin/sh
# Runs every fuzzer of a build for a few seconds, seeded with the sample traces; the corpus stays in
# the build folder and grows. Fails, with the input beside it, where one crashes, hangs or eats memory.
# Usage: run.sh BUILD_FOLDER [SECONDS_EACH]
set -eu
build=$(cd "$1" && pwd)
seconds=${2:-10}
tests=$(cd "$(dirname "$0")/.." && pwd)

# The first byte of an input is the size of the pieces it arrives in, not text.
seed() {
  for trace in "$tests"/data/*/"$1".*.json.gz; do
    name=$(basename "$(dirname "$trace")").$(basename "$trace" .json.gz)
    { printf '\377'; gzip -dc "$trace"; } >"$2/$name"
  done
}

seed_linked() {
  for folder in "$tests"/data/*/; do
    [ -f "$folder/host.0.json.gz" ] || continue
    linked=$1/$(basename "$folder").json
    "$build/converters/nadi" link --quiet --host "$folder/host.0.json.gz" \
      --device "$folder/device.0.json.gz" --output "$linked.part" || continue
    { printf '\377'; cat "$linked.part"; } >"$linked"
    rm -f "$linked.part"
  done
}

# Graphs have no such first byte.
seed_graphs() {
  for folder in "$tests"/data/*/; do
    [ -f "$folder/device.0.json.gz" ] || continue
    "$build/converters/nadi" convert --quiet --device "$folder/device.0.json.gz" \
      --output "$1/$(basename "$folder")"
  done
}

ran=0
for fuzzer in "$build"/tests/fuzz/fuzz_*; do
  [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
  name=$(basename "$fuzzer")
  corpus=$build/tests/fuzz/corpus_$name
  mkdir -p "$corpus"
  case $name in
    fuzz_host_trace) seed host "$corpus" ;;
    fuzz_device_trace | fuzz_events) seed device "$corpus" ;;
    fuzz_linked_json) seed_linked "$corpus" ;;
    fuzz_graph) seed_graphs "$corpus" ;;
  esac
  echo "$name for $seconds s"
  "$fuzzer" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
    -dict="$tests/fuzz/reader.dict" -artifact_prefix="$build/tests/fuzz/$name-" "$corpus" \
    >"$corpus.log" 2>&1 || { tail -n 40 "$corpus.log"; exit 1; }
  tail -n 1 "$corpus.log"
  ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || { echo "no fuzzers in $build: configure with -DNADI_BUILD_FUZZERS=ON"; exit 1; }
