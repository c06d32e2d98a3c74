#!/bin/sh
# Installs a build into a temporary folder, then builds and runs the examples against it as outside
# projects: by find_package, by find_package for the bridge alone, and by pkg-config.
# Usage: install_test.sh BUILD_FOLDER COMPILER
set -eu
build=$1
compiler=$2
tests=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix

run() {
  "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; echo "failed: $*"; exit 1; }
}

# build_example NAME OPTION...: configures and builds an example against the installed files.
build_example() {
  name=$1
  shift
  run cmake -S "$tests/examples/$name" -B "$folder/$name" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" "$@"
  run cmake --build "$folder/$name"
}

# convert PROGRAM: lets the library's example convert a trace pair.
convert() {
  run "$1" "$tests/data/ddp-2rank/host.0.json.gz" "$tests/data/ddp-2rank/device.0.json.gz" \
    "$folder/step"
  test -s "$folder/step.0.et"
  rm "$folder/step.0.et"
}

run cmake --install "$build" --prefix "$prefix"
if [ -x "$build/converters/nadi" ]; then run "$prefix/bin/nadi" --version; fi

echo "find_package(nadi)"
build_example library
convert "$folder/library/my_program"

echo "find_package(nadi COMPONENTS sim_bridge), with nothing but protobuf to be found"
build_example bridge -DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_LibArchive=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
run "$folder/bridge/use_bridge"

echo "pkg-config"
pc=$(find "$prefix" -name nadi.pc)
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs nadi)
# shellcheck disable=SC2086  # a list of flags
run "$compiler" "$tests/examples/library/main.cc" -o "$folder/by_pkg_config" $flags
convert "$folder/by_pkg_config"
