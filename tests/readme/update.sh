#!/bin/sh
# Writes the tables of READMEs that differ from what is printed, of a built folder (default: build-tests),
# and says which sentences and commands differ. Takes minutes; real traces are those of ../shared/traces.
# Usage: update.sh [FOLDER]
set -eu
cd "$(dirname "$0")/../.."
build=${1:-build-tests}
export NADI_UPDATE_README=1
for program in test_replay_truth test_jobs test_changed_jobs test_grown_jobs test_real_traces test_sample_data; do
  "$build/tests/invariants/$program" --gtest_brief=1 \
    --gtest_filter='RealReplay.*:*/RealReplay.*:*/WhatIf.*:GoalReplay.*:FittedJobs.*:ReplayedJobs.*:*Jobs.*Take*:RealInference.*:SampleData.*' ||
    true  # what it could not write it has said
done
ctest --test-dir "$build" --output-on-failure -C tables -R '^readme\.'
git status --short -- '*.md'
