#!/bin/sh
# Runs the shards of shards.yaml in Kubernetes and, when all have ended, whether or not some failed,
# finish.yaml, which joins what they have converted and says what is missing. Succeeds where both do.
# Jobs of an earlier run are deleted first; the shards go on where they were.
#   sh apply.sh [OPTIONS OF kubectl]...
set -eu
here=$(cd "$(dirname "$0")" && pwd)

# run FILE OPTION...: applies it and waits until its job has completed or failed, and fails with it.
# `kubectl wait` would wait for one of the two.
run() {
  file=$here/$1
  shift
  kubectl "$@" delete --ignore-not-found --cascade=foreground -f "$file" >&2 || exit
  job=$(kubectl "$@" apply -f "$file" -o name) || exit
  while :; do
    conditions=$(kubectl "$@" get "$job" \
      -o 'jsonpath={.status.conditions[?(@.status=="True")].type}') || exit
    case " $conditions " in
      *" Complete "*) return 0 ;;
      *" Failed "*) echo "$job failed. See: kubectl describe $job; kubectl logs $job" >&2; return 1 ;;
    esac
    sleep 10
  done
}

code=0
run shards.yaml "$@" || code=$?
run finish.yaml "$@" || code=$?
exit "$code"
