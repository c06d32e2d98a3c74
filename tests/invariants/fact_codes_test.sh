#!/bin/sh
# fact_codes.sh finds what it is there to find: each code without a row, or with two, makes it fail.
set -eu
check=$(dirname "$0")/fact_codes.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
k=K h=H  # so that no unknown code stands in this file

# with FILE LINE: a source tree of one line beside two pages with a fact each; gives what the check
# says of it.
with() {
  rm -rf "$folder/lib" "$folder/tests" "$folder/schema"
  mkdir -p "$folder/schema" "$folder/$(dirname "$1")"
  echo "| ${k}8 | Some times are garbage. |" >"$folder/schema/kineto.md"
  echo "| ${h}10 The windows differ. | Both are cut. |" >"$folder/schema/host-trace.md"
  echo "$2" >>"$folder/$1"
  sh "$check" "$folder" >/dev/null
}

must_fail() {
  if with "$1" "$2"; then echo "not found: $2 in $1"; exit 1; fi
}

must_fail lib/nadi/link/a.h "/// Such times are garbage (${k}99)."
must_fail lib/nadi/link/a.cc "const bool is_unset = start == 0;  // ${k}80"
must_fail lib/README.md "| Times (${k}8, ${h}1) | none |"
must_fail tests/unit/link/a_test.cc "TEST(Times, ${k}8_${k}9_AreGarbage) {"
must_fail tests/golden/k09-garbage/why.txt 'Garbage is left out.'
must_fail schema/host-trace.md "| ${k}8 | Times are garbage. |"
must_fail schema/chakra.md "Times are garbage (${h}8)."
with lib/nadi/link/a.h "/// Such times are garbage (${k}8)."
with tests/unit/link/a_test.cc "TEST(Windows, ${h}10_AreCut) {"
with tests/golden/h10-windows/why.txt 'Windows are cut.'
with lib/README.md "An ${h}100 has 80 GB, and 0x${k}9 is no number; a[\"BK9A\"]."
