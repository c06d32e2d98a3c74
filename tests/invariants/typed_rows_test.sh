#!/bin/sh
# typed_rows.sh finds what it is there to find: each raw row makes it fail, a count does not.
set -eu
check=$(dirname "$0")/typed_rows.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/lib/nadi/link"

# with LINE: a source tree of one line; gives what the check says of it.
with() {
  echo "$1" >"$folder/lib/nadi/link/a.cc"
  sh "$check" "$folder" >/dev/null
}

must_fail() {
  if with "$1"; then echo "not found: $1"; exit 1; fi
}

must_fail 'void see(std::uint32_t row);'
must_fail 'const std::uint32_t last_call = 0;'
must_fail 'for (std::size_t op = 0; op < ops.size(); ++op) {}'
must_fail 'std::vector<std::uint32_t> open_waits_;'
must_fail 'const std::vector<std::uint32_t>& rows = all;'
must_fail 'std::uint32_t place;'
with 'std::uint32_t recorded = 0;  // in so many launches'
with 'std::uint32_t position;'
with 'DeviceRowIndex row;'
