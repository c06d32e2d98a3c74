#!/bin/sh
# Submits array.sbatch, and finish.sbatch to run when all its tasks have ended.
#   TRACES=… OUTPUT=… SHARDS=16 OPTIONS=… sh submit.sh [OPTIONS OF sbatch]...
set -eu
here=$(cd "$(dirname "$0")" && pwd)
shards=${SHARDS:-16}
array=$(sbatch --parsable --export=ALL --array="0-$((shards - 1))" "$@" "$here/array.sbatch")
sbatch --export=ALL --dependency="afterany:${array%%;*}" "$@" "$here/finish.sbatch"
