#!/bin/sh
# converters/build.sh, away from a terminal: a line per 10 %, what compilers say, and failure. A
# program named cmake stands in for the build.
set -eu
build=$(cd "$(dirname "$0")/../.." && pwd)/converters/build.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/cmake" <<'END'
#!/bin/sh
cat "$2/says"
exit "$(cat "$2/exit")"
END
chmod +x "$folder/cmake"
PATH=$folder:$PATH

# expect EXIT LINE...: what the build of $folder ends with and prints.
expect() {
  code=$1
  shift
  printf '%s\n' "$@" >"$folder/expected"
  got=0
  sh "$build" "$folder" >"$folder/printed" || got=$?
  sed 's/ after [0-9]* s$//' "$folder/printed" | diff -u "$folder/expected" -
  [ "$got" -eq "$code" ] || { echo "failed: exit code $got instead of $code"; exit 1; }
}

echo 0 >"$folder/exit"
printf '%s\n' '[1/30] Building a.cc.o' '[3/30] Building [b/c] d' '[4/30] x' 'd.cc:1: warning: e' \
  '[17/30] y' '[30/30] Linking z' >"$folder/says"
expect 0 '  10 % built' 'd.cc:1: warning: e' '  50 % built' '  100 % built'

printf '%s\n' '[  9%] Building a.cc.o' '[ 12%] Building b' '[100%] Built target c' >"$folder/says"
expect 0 '  10 % built' '  100 % built'

# What only looks like a step is a message.
printf '%s\n' '[libprotobuf WARNING google/protobuf/compiler/parser.cc:648] No syntax' \
  '[info] see a/b [x] y' '[1/0] z' '[0/1] Re-running CMake...' '[1/1] Linking z' >"$folder/says"
expect 0 '[libprotobuf WARNING google/protobuf/compiler/parser.cc:648] No syntax' \
  '[info] see a/b [x] y' '[1/0] z' '  100 % built'

echo 1 >"$folder/exit"
printf '%s\n' 'FAILED: b.o' 'b.cc:3: error: no' >"$folder/says"
expect 1 'FAILED: b.o' 'b.cc:3: error: no'
