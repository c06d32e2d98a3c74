#!/bin/sh
# Runs every fuzzer of a build for a few seconds, seeded with the kept corpus, the golden folders and
# the sample traces; what it finds stays in the build folder and grows. Fails, with the input beside
# it, where one crashes, hangs or eats memory.
# Usage: run.sh BUILD_FOLDER [SECONDS_EACH] [keep]
#   keep: minimises what was found into the kept corpus, tests/fuzz/corpus, 200 KB a fuzzer
# NADI_FUZZERS, if set, names the fuzzers to run.
set -eu
build=$(cd "$1" && pwd)
seconds=${2:-10}
keep=${3:-}
fuzz=$(cd "$(dirname "$0")" && pwd)
tests=$(dirname "$fuzz")
seeds=$build/tests/fuzz/seeds
tool=$build/converters/nadi

# Lays all traces side by side: CASE.device.json, CASE.host.json.
lay_traces() {
  for packed in "$tests"/data/*/*.json.gz; do
    name=$(basename "$packed" .json.gz)
    gzip -dc "$packed" >"$seeds/$(basename "$(dirname "$packed")").${name#*.}.${name%%.*}.json"
  done
  for trace in "$tests"/golden/*/device.json "$tests"/golden/*/host.json; do
    cp "$trace" "$seeds/$(basename "$(dirname "$trace")").$(basename "$trace")"
  done
}

host_of() { echo "${1%.device.json}.host.json"; }

# The first byte of a reader's input is the size of the pieces it arrives in.
seed_reader() {
  for file in "$seeds"/*."$1".json; do
    { printf '\377'; cat "$file"; } >"$2/$(basename "$file")"
  done
}

seed_perfetto() {
  for text in "$tests"/golden/*/device.pftrace.txt; do
    { printf '\377'; protoc -I "$tests/../schema" --encode=perfetto.protos.Trace \
      perfetto_trace.proto <"$text"; } >"$1/$(basename "$(dirname "$text")")"
  done
}

# Device trace, byte 0, host trace: see input_files.h.
seed_pair() {
  for file in "$seeds"/*.device.json; do
    host=$(host_of "$file")
    { printf '\0'; cat "$file"; if [ -f "$host" ]; then printf '\0' && cat "$host"; fi; } \
      >"$1/$(basename "$file")"
  done
}

# Two ranks that ran the same; the first byte takes either target without the other ranks.
seed_job() {
  for file in "$seeds"/*.device.json; do
    for choice in 2 3; do
      { printf "\\$choice"; cat "$file"; printf '\0'; sed 's/\("rank" *: *\)0/\11/' "$file"; } \
        >"$1/$(basename "$file").$choice"
    done
  done
}

# made_of FILE OUTPUT VERB OPTION...: what the tool makes of a device trace and its host trace.
made_of() {
  device=$1 host=$(host_of "$1") output=$2
  shift 2
  if [ -f "$host" ]; then set -- "$@" --host "$host"; fi
  "$tool" "$@" --quiet --device "$device" --output "$output" 2>/dev/null
}

seed_linked() {
  for file in "$seeds"/*.device.json; do
    linked=${file%.device.json}.linked
    [ -f "$linked" ] || made_of "$file" "$linked" link || continue
    { printf "$1"; cat "$linked"; } >"$2/$(basename "$linked")"
  done
}

# Tiny archives of a few traces, plain and packed; the first byte is the size of their pieces.
seed_archives() {
  folder=$seeds/archived
  mkdir -p "$folder/a"
  printf '{"traceEvents": []}' >"$folder/a/1.json"
  gzip -c "$folder/a/1.json" >"$folder/2.json.gz"
  ln -sf a/1.json "$folder/link"
  tar -C "$folder" -cf "$seeds/a.tar" a 2.json.gz link
  tar --format=posix -C "$folder" -cf "$seeds/pax.tar" a 2.json.gz
  for packer in gzip zstd xz bzip2 lz4; do
    if command -v "$packer" >/dev/null; then "$packer" -qc <"$seeds/a.tar" >"$seeds/$packer.tar"; fi
  done
  if command -v zip >/dev/null; then
    (cd "$folder" && zip -qr - a 2.json.gz | cat >"$seeds/a.zip.tar")
    (cd "$folder" && zip -qre -P secret - a | cat >"$seeds/b.zip.tar")
  fi
  for archive in "$seeds"/*.tar "$folder/2.json.gz"; do
    { printf '\377'; cat "$archive"; } >"$1/$(basename "$archive")"
  done
}

# Graphs have no such first byte.
seed_graphs() {
  for file in "$seeds"/*.device.json; do
    graph=${file%.device.json}.graph
    [ -f "$graph".*.et ] || made_of "$file" "$graph" convert || continue
    cp "$graph".*.et "$1"
  done
}

# keep_smallest FROM TO: the smallest inputs, 200 KB of them: a quick test of what was found.
keep_smallest() {
  rm -rf "$2" && mkdir -p "$2"
  total=0
  for input in $(ls -Sr "$1"); do
    total=$((total + $(wc -c <"$1/$input")))
    if [ "$total" -gt 200000 ]; then break; fi
    cp "$1/$input" "$2"
  done
}

# Five times as many executions: no look for leaks at each start, a small quarantine, no disk.
export ASAN_OPTIONS="detect_leaks=0:malloc_context_size=2:quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi

mkdir -p "$seeds"
lay_traces
ran=0
for fuzzer in "$build"/tests/fuzz/fuzz_*; do
  [ -f "$fuzzer" ] && [ -x "$fuzzer" ] || continue
  name=$(basename "$fuzzer")
  case " ${NADI_FUZZERS:-$name} " in *" $name "*) ;; *) continue ;; esac
  grown=$build/tests/fuzz/corpus_$name kept=$fuzz/corpus/$name from=$seeds/for_$name
  mkdir -p "$grown" "$kept" "$from"
  case $name in
    fuzz_host_trace) seed_reader host "$from" ;;
    fuzz_device_trace | fuzz_events) seed_reader device "$from" ;;
    fuzz_perfetto) seed_perfetto "$from" ;;
    fuzz_linked_json) seed_linked '\377' "$from" ;;
    fuzz_graph) seed_graphs "$from" ;;
    fuzz_convert) seed_pair "$from" && seed_linked '\0' "$from" ;;
    fuzz_link) seed_pair "$from" ;;
    fuzz_job) seed_job "$from" ;;
    fuzz_archive) seed_archives "$from" ;;
  esac
  limits="-timeout=20 -rss_limit_mb=2048 -max_len=65536"
  echo "$name for $seconds s"
  "$fuzzer" $limits -max_total_time="$seconds" -entropic=0 -detect_leaks=0 -print_final_stats=1 \
    -dict="$fuzz/reader.dict" -artifact_prefix="$build/tests/fuzz/$name-" "$grown" "$kept" "$from" \
    >"$grown.log" 2>&1 || { tail -n 40 "$grown.log"; exit 1; }
  grep 'DONE\|number_of_executed_units' "$grown.log"
  if [ "$keep" = keep ]; then
    rm -rf "$grown.least" && mkdir -p "$grown.least"
    "$fuzzer" $limits -set_cover_merge=1 "$grown.least" "$grown" "$kept" "$from" \
      >"$grown.merge.log" 2>&1
    keep_smallest "$grown.least" "$kept"
    du -sh "$kept"
  fi
  ran=$((ran + 1))
done
[ "$ran" -gt 0 ] || { echo "no fuzzers in $build: configure with -DNADI_BUILD_FUZZERS=ON"; exit 1; }
