#!/bin/sh
# Prints time and peak memory of `nadi convert --traces` on archives of many ranks, made of one pair
# with ranks and processes rewritten (archive_ranks.py).
#   sh tests/bench/archive.sh     RANKS=1000 TINY_RANKS=20000 LARGE_RANKS=64 JOB_RANKS=1024
#                                 BUILD=build-bench
# The large pair is ../shared/traces/resnet-2gpu; its part is left out where that is missing.
set -eu
cd "$(dirname "$0")/../.."
ranks=${RANKS:-1000} tiny_ranks=${TINY_RANKS:-20000} large_ranks=${LARGE_RANKS:-64}
job_ranks=${JOB_RANKS:-1024}
build=${BUILD:-build-bench}
tmp=${TMP:-$build/archive}
large=../shared/traces/resnet-2gpu
small=tests/data/ddp-2rank

cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$build" -t nadi_tool repeat_trace >/dev/null
nadi=$build/converters/nadi
mkdir -p "$tmp"
trap 'rm -rf "$tmp"' EXIT

# run NAME OPTION...: seconds, CPU seconds and the peak of one run, which leaves nothing.
run() {
  name=$1
  shift
  /usr/bin/python3 - "$name" "$nadi" convert --quiet --output "$tmp/out/x" "$@" <<'PYTHON'
import resource, subprocess, sys, time
begin = time.time()
code = subprocess.call(sys.argv[2:])
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"{sys.argv[1]:44} {time.time() - begin:8.2f} s {used.ru_utime + used.ru_stime:8.2f} CPU s "
      f"{used.ru_maxrss / 1024:7.0f} MB  exit {code}")
PYTHON
  rm -rf "$tmp/out"
}

# singles HOST DEVICE: what 20 conversions of the pair, one after the other, take each.
singles() {
  begin=$(date +%s%N)
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    "$nadi" convert --quiet --host "$1" --device "$2" --output "$tmp/single"
  done
  echo "one conversion alone: $((($(date +%s%N) - begin) / 20000)) us"
}

"$build/tests/bench/repeat_trace" --host $small/host.0.json.gz --device $small/device.0.json.gz \
  --times 4 --out-prefix "$tmp/r"
echo "$ranks ranks of a 0.3 MB pair in one tar.zst, all hosts before all devices"
python3 tests/bench/archive_ranks.py "$tmp/r.host.json.gz" "$tmp/r.device.json.gz" "$ranks" - |
  zstd -q -f -o "$tmp/t.tar.zst"
singles "$tmp/r.host.json.gz" "$tmp/r.device.json.gz"
run "--memory 150M --jobs 2" --traces "$tmp/t.tar.zst" --memory 150M --jobs 2
run "--jobs 1" --traces "$tmp/t.tar.zst" --jobs 1
run "--memory 40M --jobs 2 (traces wait on disk)" --traces "$tmp/t.tar.zst" --memory 40M --jobs 2

echo "$tiny_ranks ranks of a 70 KB pair in one tar.zst"
python3 tests/bench/archive_ranks.py $small/host.0.json.gz $small/device.0.json.gz "$tiny_ranks" - |
  zstd -q -f -o "$tmp/t.tar.zst"
singles $small/host.0.json.gz $small/device.0.json.gz
run "--jobs 2" --traces "$tmp/t.tar.zst" --jobs 2

echo "$job_ranks ranks of 5,000 nodes as one job for ASTRA-sim"
"$build/tests/bench/repeat_trace" --host $small/host.0.json.gz --device $small/device.0.json.gz \
  --times 50 --out-prefix "$tmp/r"
python3 tests/bench/archive_ranks.py "$tmp/r.host.json.gz" "$tmp/r.device.json.gz" "$job_ranks" - |
  zstd -q -f -o "$tmp/t.tar.zst"
run "--target astra-sim" --traces "$tmp/t.tar.zst" --target astra-sim
run "--target astra-sim --memory 400M" --traces "$tmp/t.tar.zst" --target astra-sim --memory 400M
run "--report" --traces "$tmp/t.tar.zst" --report "$tmp/report.json"

echo "8 ranks of 5,000 nodes as a job of $job_ranks"
python3 tests/bench/archive_ranks.py "$tmp/r.host.json.gz" "$tmp/r.device.json.gz" 8 "$tmp/eight"
run "--target astra-sim --world $job_ranks" --traces "$tmp/eight" --target astra-sim \
  --world "$job_ranks"
run "--target chakra --world $job_ranks" --traces "$tmp/eight" --world "$job_ranks"
run "--world 8,64,256" --traces "$tmp/eight" --target astra-sim --world 8,64,256

if [ -d $large ]; then
  echo "$large_ranks ranks of resnet-2gpu's pair, 21.6 MB, in a folder"
  python3 tests/bench/archive_ranks.py $large/host.json.gz $large/device.json.gz "$large_ranks" \
    "$tmp/folder"
  for jobs in 1 2 1 2; do run "--jobs $jobs" --traces "$tmp/folder" --jobs "$jobs"; done
  run "one rank" --host "$tmp/folder/host.0.json.gz" --device "$tmp/folder/device.0.json.gz"
fi
