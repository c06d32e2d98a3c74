#!/bin/bash
# Converts one archive alone, with mpirun, with a Slurm of one node and by the files for Kubernetes, and
# compares all files byte for byte. Exit 77 = skipped, with the reason: the packages are missing, or Slurm
# cannot run here.
#   cluster_test.sh NADI SOURCE_FOLDER mpi|slurm|kubernetes
set -euo pipefail
nadi=$1 source=$2 engine=$3
ranks=200

skip() { echo "skipped: $*"; exit 77; }

tmp=$(mktemp -d)
daemons=()  # process ids

# within SECONDS COMMAND...: tries it until it succeeds.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    if [ $SECONDS -ge $end ]; then return 1; fi
    sleep 0.1
  done
}

is_gone() { ! kill -0 "$1" 2>/dev/null; }

# Daemons write their state as they end, and files are removed only then.
stop_daemons() {
  local pid
  for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${daemons[@]}"; do
    within 30 is_gone "$pid" || kill -9 "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
  daemons=()
}

cleanup() {
  stop_daemons
  within 10 rm -rf "$tmp" 2>/dev/null || echo "left behind: $tmp"
}
trap cleanup EXIT

# of_manifest FILE: its lines without times, and without the folder.
of_manifest() {
  sed -E 's/"seconds":[0-9.e+-]+/"seconds":0/; s/"modified_ns":[0-9]+/"modified_ns":0/g; s#[^"]*/((x|rank)\.[0-9]+\.et)#\1#g' "$1"
}

# compare FOLDER REFERENCE: all files, with what one process made.
compare() {
  local manifest
  diff -rq --exclude='*.manifest.jsonl' "$2" "$1"
  (cd "$2" && find . -name '*.manifest.jsonl') | while read -r manifest; do
    diff <(of_manifest "$2/$manifest") <(of_manifest "$1/$manifest")
  done
}

# make_traces OPTION...: and the reference.
make_traces() {
  python3 "$source/tests/bench/archive_ranks.py" "$source/tests/data/ddp-2rank/host.0.json.gz" \
    "$source/tests/data/ddp-2rank/device.0.json.gz" $ranks "$tmp/t.tar"
  "$nadi" convert --quiet --traces "$tmp/t.tar" --output "$tmp/alone/x" "$@"
}

test_mpi() {
  command -v mpirun >/dev/null || skip "no mpirun (Debian: openmpi-bin)"
  ldd "$nadi" | grep libmpi >/dev/null || skip "nadi is built without MPI (-DNADI_WITH_MPI=ON)"
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  make_traces
  mpirun --oversubscribe -n 4 "$nadi" convert --quiet --traces "$tmp/t.tar" --output "$tmp/mpi/x"
  compare "$tmp/mpi" "$tmp/alone"
  # A process dies: the run ends, and the same command goes on.
  within 120 kill_process_of_mpi || { echo "each run ended before one of its processes was killed"; exit 1; }
  within 60 has_no_process || { echo "processes of a run that ended go on"; exit 1; }
  mpirun --oversubscribe -n 4 "$nadi" convert --quiet --traces "$tmp/t.tar" --output "$tmp/killed/x"
  compare "$tmp/killed" "$tmp/alone"
}

has_no_process() { ! pgrep -f -- "--output $tmp/killed/x" >/dev/null; }
has_converted() { [ -s "$tmp/killed/x.manifest.jsonl" ] || is_gone "$1"; }

# Fails where the run had ended before.
kill_process_of_mpi() {
  local run
  rm -rf "$tmp/killed"
  mpirun --oversubscribe -n 4 "$nadi" convert --quiet --traces "$tmp/t.tar" \
    --output "$tmp/killed/x" >"$tmp/mpirun.log" 2>&1 &
  run=$!
  within 60 has_converted $run || { echo "nothing is converted within 60 s"; exit 1; }
  pkill -9 -n -f -- "^$nadi convert .*--output $tmp/killed/x" || true
  ! wait $run
}

# start_daemon NAME COMMAND...: in the foreground of its own process.
start_daemon() {
  local name=$1
  shift
  "$@" >"$tmp/$name.log" 2>&1 &
  daemons+=($!)
}

is_answered_by_munge() { munge --no-input --socket="$tmp/munge/socket" >/dev/null 2>&1; }
is_idle() { sinfo --noheader -o %t 2>/dev/null | grep -q idle; }

# Fails where a daemon ends at once: another program may have its port.
is_up() {
  local end=$((SECONDS + 60)) pid
  until is_idle; do
    for pid in "${daemons[@]}"; do if is_gone "$pid"; then return 1; fi; done
    if [ $SECONDS -ge $end ]; then return 1; fi
    sleep 0.2
  done
}

start_slurm() {
  [ "$(id -u)" -eq 0 ] || skip "Slurm's daemons want to be root"
  local program
  for program in munged slurmctld slurmd sbatch; do
    command -v $program >/dev/null || skip "no $program (Debian: slurmctld slurmd slurm-client munge)"
  done
  for _ in 1 2 3; do
    start_daemons $((20000 + RANDOM % 12000))  # below the ports that systems give to clients
    if is_up; then return; fi
    tail -n 5 "$tmp"/*.log "$tmp"/*.out || true
    stop_daemons
  done
  skip "Slurm does not come up here"
}

# start_daemons PORT: of this and the next port.
start_daemons() {
  local host port=$1
  host=$(hostname -s)
  rm -rf "$tmp/state" "$tmp/spool" "$tmp/munge"
  mkdir -p "$tmp/state" "$tmp/spool" "$tmp/munge"
  chmod 755 "$tmp"
  chmod 700 "$tmp/munge"
  head -c 1024 /dev/urandom >"$tmp/munge/key"
  chmod 600 "$tmp/munge/key"
  cat >"$tmp/slurm.conf" <<CONF
ClusterName=nadi
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$tmp/munge/socket
CredType=cred/munge
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.own.pid
SlurmdPidFile=$tmp/slurmd.own.pid
SlurmctldLogFile=$tmp/slurmctld.out
SlurmdLogFile=$tmp/slurmd.out
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_min_interval=100000
MpiDefault=none
ReturnToService=2
SlurmdTimeout=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE OverSubscribe=NO
CONF
  export SLURM_CONF=$tmp/slurm.conf
  start_daemon munged munged --foreground --force --key-file="$tmp/munge/key" \
    --socket="$tmp/munge/socket" --pid-file="$tmp/munge/pid" --log-file="$tmp/munge/log" \
    --seed-file="$tmp/munge/seed"
  within 30 is_answered_by_munge || true
  start_daemon slurmctld slurmctld -D
  start_daemon slurmd slurmd -D
}

# Not where nobody answers.
is_queue_empty() {
  local jobs
  jobs=$(squeue --noheader 2>/dev/null) && [ -z "$jobs" ]
}

test_slurm() {
  start_slurm
  make_traces --target astra-sim
  TRACES=$tmp/t.tar OUTPUT=$tmp/slurm/x SHARDS=4 OPTIONS="--target astra-sim" NADI=$nadi \
    sh "$source/converters/archive/cluster/submit.sh" --cpus-per-task=1 --mem=0 \
    --output="$tmp/job-%j.out" --chdir="$tmp"
  within 240 is_queue_empty || { squeue; echo "jobs wait or run after 240 s"; }
  cat "$tmp"/job-*.out
  rm -f "$tmp/slurm/x.report.json"
  compare "$tmp/slurm" "$tmp/alone"
}

# write_kubectl: a program that stands in for kubectl and a cluster. `apply -f FILE` runs the shards, one
# after the other, and tries them again as podFailurePolicy says; OUTPUT.log has their exit codes.
write_kubectl() {
  mkdir -p "$tmp/bin"
  printf '#!/bin/sh\n' >"$tmp/bin/sleep"
  cat >"$tmp/bin/kubectl" <<'KUBECTL'
#!/bin/bash
set -eu
from() { sed -nE "s/^ *(- )?$1: *([^ ]+).*/\2/p" "$file"; }
action_on() {  # EXIT_CODE
  awk -v code="$1" '
    /action:/ { action = $3 }
    /onExitCodes:/ { gsub(/.*\[|\].*|,/, " "); if (index(" " $0 " ", " " code " ")) { print action; exit } }' "$file"
}
case $1 in
  apply)
    file=$3
    name=$(from name | head -n 1)
    shards=$(from completions)
    end=Complete
    mapfile -t arguments < <(sed -nE "s#^ *- (--[^ ]*).*#\1#p" "$file" |
      sed "s#/data/traces/job1.tar.zst#$TRACES#; s#/data/graphs/job1#$OUTPUT#")
    for ((JOB_COMPLETION_INDEX = 0; JOB_COMPLETION_INDEX < ${shards:-1}; ++JOB_COMPLETION_INDEX)); do
      export JOB_COMPLETION_INDEX
      for ((tries = 0; tries < 5; ++tries)); do
        code=0
        "$NADI" convert --quiet "${arguments[@]}" >&2 || code=$?
        echo "$name $JOB_COMPLETION_INDEX $code" >>"$OUTPUT.log"
        if [ $code -eq 0 ]; then continue 2; fi
        case $(action_on $code) in
          FailIndex) break ;;
          FailJob) end=Failed && break 2 ;;
        esac
      done
      end=Failed
    done
    echo $end >"$OUTPUT.$name.end"
    echo "job.batch/$name" ;;
  delete) ;;
  get)  # which has ended when it is asked for the second time
    name=${2#job.batch/}
    if [ -e "$OUTPUT.$name.asked" ]; then cat "$OUTPUT.$name.end"; fi
    touch "$OUTPUT.$name.asked" ;;
  *) exit 2 ;;
esac
KUBECTL
  chmod +x "$tmp/bin/kubectl" "$tmp/bin/sleep"
}

# apply TRACES FOLDER: by the files as they are, but for what is read and written.
apply() {
  PATH=$tmp/bin:$PATH TRACES=$1 OUTPUT=$2/x NADI=$nadi sh "$source/converters/archive/cluster/apply.sh"
}

test_kubernetes() {
  local shard device
  write_kubectl
  make_traces
  mkdir "$tmp/kubernetes" "$tmp/broken" "$tmp/traces"
  apply "$tmp/t.tar" "$tmp/kubernetes"
  rm "$tmp"/kubernetes/x.{log,report.json,nadi*}
  compare "$tmp/kubernetes" "$tmp/alone"
  # A rank is broken: its shard is not tried again, the others go on, and so does what waits for them.
  tar -xf "$tmp/t.tar" -C "$tmp/traces"
  device=$(<"$tmp/traces/device.17.json")
  printf %s "${device%%\"tid\"*}" >"$tmp/traces/device.17.json"  # before its first row
  if apply "$tmp/traces" "$tmp/broken"; then
    echo "a rank is broken, and apply.sh succeeds"
    exit 1
  fi
  for ((shard = 0; shard < 16; ++shard)); do
    echo "nadi $shard $((shard == 1 ? 10 : 0))"
  done >"$tmp/expected"
  echo "nadi-finish 0 10" >>"$tmp/expected"
  diff "$tmp/expected" "$tmp/broken/x.log"
  [ "$(find "$tmp/broken" -name 'x.*.et' | wc -l)" -eq $((ranks - 1)) ]
}

test_"$engine"
echo "the same files as of one process"
