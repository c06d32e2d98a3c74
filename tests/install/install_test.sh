#!/bin/sh
# Installs a build into a temporary folder, after an unfinished one was refused; looks how large it
# is; then builds and runs the examples against it as outside projects: by find_package, by
# find_package for the bridge alone, and by pkg-config, the bridge and the recorder alone, too.
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
  source=$tests/examples/$1
  name=$(basename "$1")
  shift
  run cmake -S "$source" -B "$folder/$name" -DCMAKE_PREFIX_PATH="$prefix" \
    -DCMAKE_CXX_COMPILER="$compiler" "$@"
  run cmake --build "$folder/$name"
}

# convert PROGRAM: lets the library's example convert a trace pair.
convert_keeping_graph() {
  run "$1" "$tests/data/ddp-2rank/host.0.json.gz" "$tests/data/ddp-2rank/device.0.json.gz" \
    "$folder/step"
  test -s "$folder/step.0.et"
}
convert() {
  convert_keeping_graph "$1"
  rm "$folder/step.0.et"
}

echo "an unfinished build, of which nothing may be copied"
unfinished=$folder/unfinished
run cmake -S "$tests/.." -B "$unfinished" -DCMAKE_CXX_COMPILER="$compiler" -DNADI_BUILD_TESTS=OFF
if cmake --install "$unfinished" --prefix "$prefix" >"$folder/refusal" 2>&1; then
  echo "failed: an unfinished build was installed"
  exit 1
fi
run grep -q "Nothing of nadi was installed.*libnadi" "$folder/refusal"
[ ! -e "$prefix" ] || { echo "failed: an unfinished build was copied in part"; exit 1; }

run cmake --install "$build" --prefix "$prefix"
if [ -x "$build/converters/nadi" ]; then run "$prefix/bin/nadi" --version; fi

echo "find_package(nadi)"
build_example library
convert "$folder/library/my_program"

# A user's build has no debug information.
if [ -n "$(find "$prefix" -name nadi-nadi-release.cmake)" ]; then
  largest() {  # FILE MEGABYTES
    size=$(stat -c %s "$1")
    echo "$(basename "$1"): $size bytes"
    [ "$size" -le $(($2 * 1000000)) ] || { echo "failed: more than $2 MB"; exit 1; }
  }
  if [ -x "$prefix/bin/nadi" ]; then largest "$prefix/bin/nadi" 15; fi
  largest "$folder/library/my_program" 10
fi

echo "find_package(nadi COMPONENTS sim_bridge), with nothing but protobuf to be found"
build_example bridge -DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_LibArchive=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON
run "$folder/bridge/use_bridge"

echo "find_package(nadi COMPONENTS record), with nothing to be found but threads"
build_example training -DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_LibArchive=ON -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_Protobuf=ON
run "$folder/training/training_loop" "$folder/toy"
test -s "$folder/toy.host.json"

echo "the example simulator, and clients of other feeders' interfaces by include paths alone, C++17"
convert_keeping_graph "$folder/library/my_program"
build_example ../../sim_bridge/examples/simulator
run "$folder/simulator/simulator" "$folder/step.0.et"
library=$(dirname "$(find "$prefix" -name 'libnadi_sim_bridge.*' | head -1)")
for client in feeder_v3_client group_matching_client mlcommons_client; do
  run "$compiler" -std=c++17 -I "$prefix/include/nadi/sim_bridge/feeder/compat" \
    -I "$prefix/include" -I "$prefix/include/nadi/schema" "$tests/examples/compat/$client.cc" \
    -o "$folder/$client" -L "$library" -lnadi_sim_bridge -lnadi_schema -lprotobuf -lz -lpthread
  LD_LIBRARY_PATH=$library run "$folder/$client" "$folder/step.0.et"
done

echo "find_package(nadi COMPONENTS sim_bridge) as the feeder's page shows it for ASTRA-sim"
mkdir "$folder/astra"
{
  echo 'cmake_minimum_required(VERSION 3.15)'
  echo 'set(CMAKE_CXX_STANDARD 17)'
  echo 'project(AstraSim)'
  echo "add_library(AstraSim STATIC \"$tests/examples/compat/feeder_v3_client.cc\")"
  sed -n '/^```cmake$/,/^```$/p' "$tests/../sim_bridge/feeder/README.md" | grep -v '```'
  echo "add_executable(client \"$tests/examples/compat/feeder_v3_client.cc\")"
  echo 'target_link_libraries(client PRIVATE AstraSim)'
} >"$folder/astra/CMakeLists.txt"
run cmake -S "$folder/astra" -B "$folder/astra/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$compiler"
run cmake --build "$folder/astra/build"
run "$folder/astra/build/client" "$folder/step.0.et"
rm "$folder/step.0.et"

echo "pkg-config"
pc=$(find "$prefix" -name nadi.pc)
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs nadi)
# shellcheck disable=SC2086  # a list of flags
run "$compiler" "$tests/examples/library/main.cc" -o "$folder/by_pkg_config" $flags
convert "$folder/by_pkg_config"

echo "pkg-config, the bridge alone"
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs nadi-sim_bridge)
# shellcheck disable=SC2086  # a list of flags
run "$compiler" "$tests/examples/bridge/use_bridge.cc" -o "$folder/bridge_by_pkg_config" $flags
run "$folder/bridge_by_pkg_config"

echo "pkg-config, the recorder alone from C"
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs nadi-record)
# shellcheck disable=SC2086  # a list of flags
run cc -std=c99 -Wall -Wextra -pedantic "$tests/examples/training/record_in_c.c" \
  -o "$folder/record_in_c" $flags
run "$folder/record_in_c" "$folder/c"
test -s "$folder/c.device.json"
