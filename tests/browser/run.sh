#!/bin/sh
# Usage: run.sh NADI FOLDER. Screenshots go to FOLDER. Exit code 77: skipped.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "skipped: $1 is missing; sh converters/install_packages.sh tests installs it"
  exit 77
}

command -v chromium >/dev/null 2>&1 || skip chromium
command -v chromedriver >/dev/null 2>&1 || skip chromium-driver
for python in python3 /usr/bin/python3; do  # the first may be another than Debian's
  if "$python" -c 'import selenium' 2>/dev/null; then
    NADI_TOOL=$1 NADI_SCREENSHOTS=$2 exec "$python" -B "$here/pages_test.py"
  fi
done
skip python3-selenium
