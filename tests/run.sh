#!/bin/sh
# Builds everything into build-tests/ and runs all tests; installs packages if some are missing. Prints
# what CPU time building and testing took.
# Format, tidy, sanitizers and fuzzers are in .ci/run.
set -eu
cd "$(dirname "$0")/.."
. converters/cpu_time.sh
jobs=$(nproc)

sh converters/install_packages.sh tool tests mpi
take_cpu_time
launcher=
if command -v ccache >/dev/null 2>&1; then launcher=-DCMAKE_CXX_COMPILER_LAUNCHER=ccache; fi

linker=
if command -v ld.lld >/dev/null 2>&1; then linker=-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld; fi

mpi=OFF
if command -v mpicxx >/dev/null 2>&1; then mpi=ON; fi

# Without -DNDEBUG: the tests run with assertions.
echo "Building the tests into build-tests/ (20 to 35 CPU minutes, the first time)"
# shellcheck disable=SC2086  # may be empty
cmake -S . -B build-tests -G Ninja $launcher $linker -DNADI_WERROR=ON -DNADI_WITH_MPI=$mpi \
  -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -g1" >/dev/null
sh converters/build.sh build-tests -j "$jobs"
say_cpu_time
ctest --test-dir build-tests --output-on-failure -j "$jobs"
say_cpu_time
