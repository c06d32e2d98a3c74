#!/bin/sh
# typed_rows.sh finds what it is there to find: each raw row makes it fail, a count does not.
set -eu
check=$(dirname "$0")/typed_rows.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for stage in chakra diff events graph link linked_json; do mkdir -p "$folder/lib/nadi/$stage"; done

# with LINE [FILE]: a source tree of one line; gives what the check says of it.
with() {
  rm -f "$folder"/lib/nadi/*/*.cc
  echo "$1" >"$folder/lib/nadi/${2:-link/a.cc}"
  sh "$check" "$folder" >/dev/null
}

must_fail() {
  if with "$@"; then echo "not found: $1"; exit 1; fi
}

must_fail 'void see(std::uint32_t row);'
must_fail 'const std::uint32_t last_call = 0;'
must_fail 'for (std::size_t op = 0; op < ops.size(); ++op) {}'
must_fail 'std::vector<std::uint32_t> open_waits_;'
must_fail 'const std::vector<std::uint32_t>& rows = all;'
must_fail 'std::uint32_t place;'
must_fail 'void see(std::size_t row);' diff/a.cc
must_fail 'for (std::uint32_t node = 0; node < nodes.size(); ++node) {}' graph/a.cc
must_fail 'for (std::size_t op = 0; op < vertex_of_op.size(); ++op) {}' graph/number_nodes.cc
# In link and graph whatever its name, but for counts.
must_fail 'std::uint32_t position;'
must_fail 'std::vector<std::uint32_t> name;'
must_fail 'using Names = std::span<const std::uint32_t>;'
must_fail 'const auto begin = static_cast<std::uint32_t>(names.size());'
must_fail 'std::uint32_t host, profiler;'
must_fail 'for (std::uint32_t i = 0; i < gaps.size(); ++i) {}' graph/a.cc
must_fail 'const std::vector<std::uint32_t>& gaps;' graph/a.cc
must_fail 'std::map<Place, std::vector<std::uint32_t>> gaps_at_;' graph/a.cc
must_fail 'ByRow<Node, std::uint32_t> rank_;' graph/a.cc
with 'std::uint32_t recorded = 0;  // in so many launches'
with 'constexpr std::uint32_t kMostTied = 16;'
with 'ByRow<RuntimeCalls, std::uint32_t> count(calls.size(), 0);' graph/a.cc
with 'using NameCounts = std::map<NameNumber, std::uint32_t>;'
with 'std::uint32_t position;' events/a.cc
with 'DeviceRowIndex row;'
with 'for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {}' graph/a.cc
