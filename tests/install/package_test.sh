#!/bin/sh
# Packs a build as Debian packages, which lintian finds no error in and which hold what `cmake --install`
# copies; then installs each into a folder where there is nothing but what it depends on, and uses it
# there. Exit 77 = skipped, with the reason.
# Usage: package_test.sh BUILD_FOLDER
set -eu
build=$1
tests=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "failed: $*"; exit 1; }
run() {
  "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "$*"; }
}

for program in dpkg-shlibdeps file lintian python3 unshare; do
  command -v $program >/dev/null ||
    skip "no $program; sh converters/install_packages.sh tests package checks installs it"
done
as_root=
[ "$(id -u)" -eq 0 ] || as_root=--map-root-user
unshare $as_root --mount chroot / true 2>/dev/null || skip "no folder can be made the root here"

# in_root COMMAND...: with $root as /.
in_root() {
  # shellcheck disable=SC2016  # for the inner shell
  run unshare $as_root --mount sh -euc 'mount --rbind /dev "$1/dev"; exec chroot "$@"' in_root "$root" "$@"
}

# clean_root PACKAGE WORD...: becomes $root, with what the words name, and the package installed.
clean_root() {
  root=$folder/root.$1
  deb=$(echo "$folder/packages/$1"_*.deb)
  shift
  run python3 -B "$tests/install/clean_root.py" "$root" "$deb" "$@"
  run unshare $as_root dpkg --root="$root" --install "$deb"
  cp -r "$tests/data/ddp-2rank" "$tests/examples/library" "$root/tmp/"
}

echo "packages, in the eyes of lintian"
run cpack --config "$build/CPackConfig.cmake" -B "$folder/packages"
run lintian --allow-root --fail-on error "$folder/packages/"*.deb

echo "the files that cmake --install copies"
run cmake --install "$build" --prefix "$folder/prefix"
(cd "$folder/prefix" && find . ! -type d) |
  sed -E 's|(/man1/.*)|\1.gz|; s|/zsh/site-functions/|/zsh/vendor-completions/|; s|/python3\.[0-9]+/|/python3/|' |
  sort >"$folder/installed"
for deb in "$folder/packages/"*.deb; do dpkg-deb --fsys-tarfile "$deb" | tar --list; done |
  sed -n -E '/\/$/d; /\/share\/doc\//d; s|^\./usr||p' | sed 's|^|.|' | sort >"$folder/packed"
diff -u "$folder/installed" "$folder/packed"

echo "nadi, where nothing is but what it depends on"
clean_root nadi
in_root nadi convert --host /tmp/ddp-2rank/host.0.json.gz --device /tmp/ddp-2rank/device.0.json.gz \
  --output /tmp/step
run "$folder/prefix/bin/nadi" convert --host "$tests/data/ddp-2rank/host.0.json.gz" \
  --device "$tests/data/ddp-2rank/device.0.json.gz" --output "$folder/step"
cmp "$folder/step.0.et" "$root/tmp/step.0.et"
in_root chakra_jsonizer --input_filename /tmp/step.0.et --output_filename /tmp/step.json
test -s "$root/tmp/step.json"
zcat "$root/usr/share/man/man1/nadi-convert.1.gz" | grep -q 'nadi convert'

echo "libnadi-dev, where nothing is but what it depends on, a compiler and CMake"
clean_root libnadi-dev g++ cmake ninja-build dash
in_root cmake -S /tmp/library -B /tmp/build -G Ninja
in_root cmake --build /tmp/build
in_root /tmp/build/my_program /tmp/ddp-2rank/host.0.json.gz /tmp/ddp-2rank/device.0.json.gz /tmp/step
test -s "$root/tmp/step.0.et"

[ -e "$(echo "$folder"/packages/python3-nadi_*.deb)" ] || exit 0
echo "python3-nadi, where nothing is but what it depends on"
clean_root python3-nadi dash
# Where Debian keeps these libraries; links to them are made when it installs them.
libraries=$(echo /usr/lib/*/blas):$(echo /usr/lib/*/lapack)
in_root sh -c "LD_LIBRARY_PATH=$libraries python3 -c 'import nadi; assert nadi.open(\"/tmp/ddp-2rank\").ranks == [0, 1]'"
