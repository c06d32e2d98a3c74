#!/bin/sh
# Usage: run.sh NADI FOLDER [TRACES CLASS...]: the pages of the sample, or those of the real traces in
# TRACES by these classes of tests. Screenshots go to FOLDER. Exit code 77: skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export NADI_TOOL="$1" NADI_SCREENSHOTS="$2" NADI_REAL_TRACES="${3:-}"
shift $(($# < 3 ? 2 : 3))

skip() {
  echo "skipped: $1"
  exit 77
}
skip_package() { skip "$1 is missing; sh converters/install_packages.sh tests installs it"; }

[ -z "$NADI_REAL_TRACES" ] || [ -d "$NADI_REAL_TRACES" ] || skip "no real traces beside this repository"
command -v chromium >/dev/null 2>&1 || skip_package chromium
command -v chromedriver >/dev/null 2>&1 || skip_package chromium-driver
for python in python3 /usr/bin/python3; do  # the first may be another than Debian's
  if "$python" -c 'import selenium' 2>/dev/null; then
    exec "$python" -B "$here/pages_test.py" "$@"
  fi
done
skip_package python3-selenium
