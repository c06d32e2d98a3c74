#!/bin/sh
# Every parametrised test has a name of its own, and prints its parameter as text: not a number and
# the bytes of its memory.
# Usage: test_names.sh TEST_PROGRAM...
set -eu
found=$(for program in "$@"; do
  "$program" --gtest_list_tests | grep -E "^  .*(/[0-9]+ |-byte object)" | sed "s|^|$(basename "$program"):|" || true
done)
[ -n "$found" ] || exit 0
echo "These tests need a name generator (INSTANTIATE_TEST_SUITE_P) and a PrintTo for the parameter's type:"
printf '%s\n' "$found" | cut -c 1-160
exit 1
