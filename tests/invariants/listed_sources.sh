#!/bin/sh
# Every source file is built: prints those that no CMakeLists.txt lists, and fails if there is one. The
# examples name theirs by program. Usage: listed_sources.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"

# listed FILE: the paths of the sources that this CMakeLists.txt lists. Those of a stage, of
# add_sources and of a unit test stand there without their folder.
listed() {
  awk -v folder="$(dirname "$1")/" '
    match($0, /add_stage\([a-z_]+/) { inside = "nadi/" substr($0, RSTART + 10, RLENGTH - 10) "/" }
    match($0, /add_sources\([a-z_]+ [a-z_\/]+/) {
      inside = substr($0, RSTART, RLENGTH) "/"
      sub(/.* /, "", inside)
    }
    match($0, /add_unit_test\([a-z_]+/) { inside = "unit/" substr($0, RSTART + 14, RLENGTH - 14) "/" }
    {
      count = split($0, words, /[ ()]+/)
      for (i = 1; i <= count; ++i)
        if (words[i] ~ /\.cc$/ && !sub(/^\$\{PROJECT_SOURCE_DIR\}\//, "", words[i]))
          print folder inside words[i]
        else if (words[i] ~ /\.cc$/)
          print words[i]
    }
    /\)/ { inside = "" }' "$1"
}

lists=$(find lib sim_bridge converters tests -name CMakeLists.txt | while read -r list; do listed "$list"; done)
found=$(find lib sim_bridge converters tests -name '*.cc' | grep -v '^tests/examples/' | grep -vxF -e "$lists" || true)
[ -n "$found" ] || exit 0
echo "No CMakeLists.txt lists these:"
echo "$found" | sort
exit 1
