#!/bin/sh
# The programs and the project file that READMEs show are those of tests/examples/library and
# sim_bridge/examples/simulator, which are built and run.
set -eu
cd "$(dirname "$0")/../.."

# shown LANGUAGE README: the first code block of that language there.
shown() {
  awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ && inside { exit } inside' "$2"
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
shown cpp lib/README.md >"$folder/main.cc"
shown cmake lib/README.md >"$folder/CMakeLists.txt"
diff -u "$folder/main.cc" tests/examples/library/main.cc
diff -u "$folder/CMakeLists.txt" tests/examples/library/CMakeLists.txt
shown c++ sim_bridge/README.md >"$folder/simulator.cc"
diff -u "$folder/simulator.cc" sim_bridge/examples/simulator/simulator.cc
