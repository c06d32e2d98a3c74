#!/bin/sh
# Compares what two builds write, byte for byte: of every sample, golden case, program of tests/vm and
# trace of ../shared/traces all graphs, linked JSON, tables, pages, reports, job files, and what is said.
# For changes that are to change nothing. Fails where anything differs; both outputs of such a case stay
# in WORK, in folders before and after.
#   sh tests/invariants/same_outputs.sh COMMIT [CASE]...     COMMIT: the one to compare with
#   WORK=build-same JOBS=2 BEFORE=build/converters/nadi NOW=build      BEFORE: that commit's tool, if it is
#   built; NOW: a folder where the present one is built
# A CASE is a pattern, as 'golden-c0*'.
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || { sed -n 's/^# \{0,1\}//p' "$0" | head -9 >&2; exit 2; }
root=$PWD
commit=$1
shift
work=${WORK:-build-same}
mkdir -p "$work"
work=$(cd "$work" && pwd)
jobs=${JOBS:-$(nproc)}

# build SOURCE FOLDER TARGET...
build() {
  source=$1 folder=$2
  shift 2
  [ -f "$folder/CMakeCache.txt" ] ||
    cmake -S "$source" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
  sh "$source/converters/build.sh" "$folder" -t "$@"
}

if [ -z "${BEFORE:-}" ]; then
  mkdir -p "$work/source"
  git archive "$commit" | tar -x -C "$work/source"
  build "$work/source" "$work/build-before" nadi_tool
fi
mkdir -p "${NOW:=$work/build-after}"
now=$(cd "$NOW" && pwd)
build "$root" "$now" nadi_tool vm_write
BEFORE=${BEFORE:-$work/build-before/converters/nadi}
AFTER=$now/converters/nadi

# case_of NAME HOST DEVICE [OPTIONS]: a pair of traces to convert; HOST - = none. Numbered by rank where a
# case has several.
rm -rf "$work/inputs" "$work/cases"
mkdir -p "$work/inputs" "$work/cases"
case_of() {
  mkdir -p "$work/inputs/$1"
  rank=$(ls "$work/inputs/$1" | grep -c '^device' || true)
  packed=''
  case $3 in *.gz) packed=.gz ;; esac
  ln -s "$3" "$work/inputs/$1/device.$rank.json$packed"
  packed=''
  case $2 in *.gz) packed=.gz ;; esac
  [ "$2" = - ] || ln -s "$2" "$work/inputs/$1/host.$rank.json$packed"
  printf '%s\n' "${4:-}" >"$work/inputs/$1/options"
}

host_of() {
  host=$(printf '%s' "$1" | sed 's/device\([^/]*\)$/host\1/')
  if [ "$host" != "$1" ] && [ -f "$host" ]; then printf '%s' "$host"; else printf -- -; fi
}

for device in "$root"/tests/data/*/device.*.json.gz; do
  case_of "sample-$(basename "$(dirname "$device")")" "$(host_of "$device")" "$device"
done
for device in "$root"/tests/golden/*/device.json; do
  folder=$(dirname "$device")
  options=''
  [ ! -f "$folder/options" ] || options=$(cat "$folder/options")
  case_of "golden-$(basename "$folder")" "$(host_of "$device")" "$device" "$options"
done
for device in "$root"/../shared/traces/*/device*.json.gz "$root"/../shared/traces/trace-diff/*.json.gz; do
  [ -f "$device" ] || continue
  case_of "trace-$(basename "$(dirname "$device")")" "$(host_of "$device")" "$(realpath "$device")"
done
# A case without traces names a program of the virtual machine, or what is generated.
for program in $("$now/tests/vm/vm_write" 2>&1 | sed -n 's/^  \([a-z]\)/\1/p'); do
  case $program in
    *:SEED) for seed in 1 2 3; do mkdir -p "$work/inputs/vm-${program%SEED}$seed"; done ;;
    *) mkdir -p "$work/inputs/vm-$program" ;;
  esac
done
mkdir -p "$work/inputs/generate"

# Reads what both sides are to agree in, of one file.
cat >"$work/reduced.sh" <<'REDUCED'
case $1 in
  *.html) sed -n 's/.*<script type="application\/json" id="data">//p' "$1" ;;
  *.err | *.out) sed -E 's/ in [0-9.]+ s$/ in some time/' "$1" ;;
  *.manifest.jsonl) sed -E 's#/(before|after)/#/side/#g; s#"(modified_ns|seconds)":[0-9.e-]+#"\1":0#g' "$1" ;;
  *) cat "$1" ;;
esac
REDUCED

# one_side NADI VM_WRITE INPUTS: all outputs of a case, in the current folder.
cat >"$work/one_side.sh" <<'SIDE'
nadi=$1 vm_write=$2 inputs=$3
# say NAME COMMAND...: what a verb says, and how it ends.
say() {
  log=$1
  shift
  { "$nadi" "$@" >"$log.out" 2>"$log.err" && echo 0 || echo "exit $?"; } >>"$log.err"
}
if [ "$inputs" = generate ]; then
  for kind in data-parallel tensor-parallel pipeline expert-parallel mlcommons; do
    mkdir "$kind"
    say "$kind" generate "$kind" --npus 8 --layers 4 --output "$kind/"
  done
  printf 'DATA\n1\nl0 -1 500 ALLREDUCE 1024 700 NONE 0 600 ALLREDUCE 4096 10\n' >layers.txt
  say text text --input layers.txt --output text --npus 4 --passes 2
  exit 0
fi
case $inputs in vm-*) "$vm_write" "${inputs#vm-}" vm ;; *) cp -s "$PWD/../../../inputs/$inputs"/*.json* . ;; esac
[ ! -f vm.device.0.json ] || for file in vm.*; do mv "$file" "${file#vm.}"; done
options=''
[ ! -f "../../../inputs/$inputs/options" ] || options=$(cat "../../../inputs/$inputs/options")
for device in device.*; do
  rank=$(echo "$device" | cut -d. -f2)
  pair="--device $device"
  for host in host."$rank".*; do [ ! -f "$host" ] || pair="$pair --host $host"; done
  say "doctor$rank" doctor $pair
  say "convert$rank" convert $pair $options --rank "$rank" --output plain --report plain."$rank".report.json --html plain."$rank".html
  say "all$rank" convert $pair --rank "$rank" --delays all --output all
  say "op$rank" convert $pair --rank "$rank" --min-part op --output op
  say "link$rank" link $pair --rank "$rank" --output linked."$rank".json
  say "linked$rank" convert --linked linked."$rank".json --delays all --output linked
  say "events$rank" events "$device" --all-args --output events."$rank".csv
  say "sqlite$rank" events "$device" --output events."$rank".sqlite
  say "diff$rank" diff device.0.json* "$device" --iterations all --by call-path --output diff."$rank".json --html diff."$rank".html
  for graph in plain."$rank".et all."$rank".et linked."$rank".et; do
    [ -f "$graph" ] || continue
    say "$graph.check" check "$graph"
    say "$graph.summary" show --summary "$graph"
    say "$graph.show" show "$graph"
    say "$graph.replay" replay "$graph" --scale kernels=0.5 --report "$graph.replay.json" --output "$graph.timeline.json" --html "$graph.html"
  done
done
say astra-sim convert --traces . --missing drop --target astra-sim --output astra
say goal convert --traces . --missing drop --target goal --output goal
say replay replay all.*.et
rm -f device.* host.*
SIDE

cat >"$work/one_case.sh" <<'CASE'
work=$1 name=$2
mkdir -p "$work/cases/$name/before" "$work/cases/$name/after"
cd "$work/cases/$name"
(cd before && sh "$work/one_side.sh" "$BEFORE" "$VM_WRITE" "$name")
(cd after && sh "$work/one_side.sh" "$AFTER" "$VM_WRITE" "$name")
same=yes
for file in $( (cd before && find . -type f; cd ../after && find . -type f) | sort -u); do
  for side in before after; do
    [ -f "$side/$file" ] && sh "$work/reduced.sh" "$side/$file" >"$side.reduced" || echo missing >"$side.reduced"
  done
  cmp -s before.reduced after.reduced && rm -f "before/$file" "after/$file" && continue
  same=no
  echo "differs: $work/cases/$name/{before,after}/$file"
done
rm -f before.reduced after.reduced
[ $same = no ] || rm -rf "$work/cases/$name"
CASE

export BEFORE AFTER VM_WRITE="$now/tests/vm/vm_write"
wanted=${*:-*}
(cd "$work/inputs" && ls -d $wanted) | xargs -P "$jobs" -n 1 sh "$work/one_case.sh" "$work" | tee "$work/differences"
echo "$(cd "$work/inputs" && ls -d $wanted | wc -l) cases, $(grep -c . "$work/differences" || true) outputs differ"
[ ! -s "$work/differences" ]
