#!/bin/sh
# Installs the Debian packages of the groups given, if any is missing, and says so:
#   tool     compiler, CMake and the libraries the library and the tool need
#   tests    what the tests need besides
#   package  what `cmake --build build -t package` needs besides
#   mpi      what -DNADI_WITH_MPI=ON needs besides
#   checks   what .ci/run needs besides: format, tidy, fuzzers, a look at the packages
set -eu

packages_of() {
  case $1 in
    tool) echo "g++ cmake ninja-build libarchive-dev libboost-dev libcli11-dev libfmt-dev" \
               "libjs-chart.js libjs-jquery libjs-jquery-datatables libprotobuf-dev" \
               "libsimdjson-dev libspdlog-dev libsqlite3-dev libxxhash-dev libyaml-cpp-dev nlohmann-json3-dev" \
               "protobuf-compiler" ;;
    tests) echo "libgtest-dev libbenchmark-dev graphviz pkg-config python3 zstd chromium" \
                "chromium-driver python3-selenium openmpi-bin slurmctld slurmd slurm-client munge" \
                "pybind11-dev python3-dev python3-numpy python3-pandas" ;;
    package) echo "dpkg-dev file git" ;;
    mpi) echo "libopenmpi-dev" ;;
    checks) echo "clang clang-format clang-tidy libclang-rt-dev lintian" ;;
    *) echo "install_packages.sh: no group '$1'. Use tool, tests, package, mpi or checks" >&2; return 2 ;;
  esac
}

is_installed() {
  dpkg-query --show --showformat='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

if ! command -v apt-get >/dev/null 2>&1; then
  echo "No apt-get here. The build needs what these Debian packages hold:" >&2
  for group in "$@"; do packages_of "$group" >&2; done
  exit 0  # CMake says what is missing
fi

missing=
for group in "$@"; do
  for package in $(packages_of "$group"); do
    is_installed "$package" || missing="$missing $package"
  done
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "Packages are missing and there is no sudo. As root, run: apt-get install$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
echo "Installing Debian packages:$missing"
$as_root apt-get -qq -o Acquire::Retries=3 update
# shellcheck disable=SC2086  # a list of words
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get -qq -y -o Acquire::Retries=3 install --no-install-recommends $missing >/dev/null
