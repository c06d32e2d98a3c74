#!/bin/sh
# Installs a build into a temporary folder, then builds and runs the outside projects against it:
# by find_package, by find_package for the bridge alone, and by pkg-config.
# Usage: install_test.sh BUILD_FOLDER COMPILER
set -eu
build=$1
compiler=$2
outside=$(cd "$(dirname "$0")" && pwd)/outside
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix

run() {
  "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; echo "failed: $*"; exit 1; }
}

run cmake --install "$build" --prefix "$prefix"
if [ -x "$build/converters/nadi" ]; then run "$prefix/bin/nadi" --version; fi

# build FOLDER OPTION...: configures and builds a project of outside/ against the installed files.
build_outside() {
  source=$1
  shift
  run cmake -S "$outside/$source" -B "$folder/$source" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" "$@"
  run cmake --build "$folder/$source"
}

echo "find_package(nadi)"
build_outside library
"$folder/library/use_library"

echo "find_package(nadi COMPONENTS sim_bridge), with nothing but protobuf to be found"
build_outside bridge -DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_LibArchive=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
"$folder/bridge/use_bridge"

echo "pkg-config"
pc=$(find "$prefix" -name nadi.pc)
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs nadi)
# shellcheck disable=SC2086  # a list of flags
run "$compiler" "$outside/library/use_library.cc" -o "$folder/use_library" $flags
"$folder/use_library"
