#!/bin/sh
# The README's programs and project file are those of tests/examples/library and
# sim_bridge/examples/simulator, which are built and run.
set -eu
cd "$(dirname "$0")/../.."

# shown LANGUAGE: the first code block of that language in the README.
shown() {
  awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ && inside { exit } inside' README.md
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
shown cpp >"$folder/main.cc"
shown cmake >"$folder/CMakeLists.txt"
diff -u "$folder/main.cc" tests/examples/library/main.cc
diff -u "$folder/CMakeLists.txt" tests/examples/library/CMakeLists.txt
shown c++ >"$folder/simulator.cc"
diff -u "$folder/simulator.cc" sim_bridge/examples/simulator/simulator.cc
