#!/bin/sh
# Builds a configured folder. On a terminal the build tool shows its progress; elsewhere there is a
# line per 10 %, and what compilers say.
# Usage: build.sh FOLDER [OPTION OF cmake --build]...
set -eu
folder=$1
shift
if [ -t 1 ]; then exec cmake --build "$folder" "$@"; fi

failed=$folder/.build-failed
rm -f "$failed"
start=$(date +%s)
{ cmake --build "$folder" "$@" 2>&1 || touch "$failed"; } | {
  shown=0
  while IFS= read -r line; do
    case $line in
      "["*/*"] "*) # Ninja: [12/345] Building …
        steps=${line#"["}
        steps=${steps%%"]"*}
        percent=$((100 * ${steps%/*} / ${steps#*/})) ;;
      "["*%"] "*) # Make: [ 12%] Building …
        percent=${line#"["}
        percent=$((${percent%%%*})) ;;
      *)
        printf '%s\n' "$line"
        continue ;;
    esac
    [ "$percent" -ge $((shown + 10)) ] || continue
    shown=$((percent / 10 * 10))
    echo "  $shown % built after $(($(date +%s) - start)) s"
  done
}
if [ -e "$failed" ]; then
  rm -f "$failed"
  exit 1
fi
