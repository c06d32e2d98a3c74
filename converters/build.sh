#!/bin/sh
# Builds a configured folder. On a terminal the build tool shows its progress; elsewhere there is a
# line per 10 %, and what compilers say.
# Usage: build.sh FOLDER [OPTION OF cmake --build]...
set -eu
if [ -t 1 ]; then exec cmake --build "$@"; fi

# share LINE: sets percent where the line is a step of Ninja ("[12/345] …") or Make ("[ 12%] …").
share() {
  case $1 in "["*"] "*) ;; *) return 1 ;; esac
  step=${1#"["}
  step=${step%%"]"*}
  case $step in
    */*) done=${step%%/*} all=${step#*/} ;;
    *%) done=${step%"%"} all=100 ;;
    *) return 1 ;;
  esac
  done=${done##* }
  case $done$all in *[!0-9]*) return 1 ;; esac
  [ -n "$done" ] && [ "${all:-0}" -gt 0 ] || return 1
  percent=$((100 * done / all))
}

start=$(date +%s)
{
  code=0
  cmake --build "$@" 2>&1 || code=$?
  echo "build.sh: exit $code"
} | {
  shown=0
  while IFS= read -r line; do
    case $line in
      "build.sh: exit "*) exit "${line##* }" ;;
      *"Re-running CMake"*) shown=0 && continue ;;
    esac
    if ! share "$line"; then
      printf '%s\n' "$line"
    elif [ "$percent" -ge $((shown + 10)) ]; then
      shown=$((percent / 10 * 10))
      echo "  $shown % built after $(($(date +%s) - start)) s"
    fi
  done
  exit 1  # the build was ended
}
