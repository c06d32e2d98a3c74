#!/bin/sh
# A fact about the formats has a code (K8, H3), and the code has a row in a table of one page of
# schema/: prints every code that is used and has none, and every code that has two, and fails if
# there is one. Folders of tests/golden are named after codes, too.
# Usage: fact_codes.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"

defined=$(grep -hoE '^\| [CHKNPR][0-9]+ ' schema/*.md | tr -d '| ' | sort)
twice=$(echo "$defined" | uniq -d)

# lines: file:line:text of each line that may use a code.
lines() {
  for folder in lib converters sim_bridge schema tests; do
    [ ! -d "$folder" ] || grep -rnE '[CHKNPR][0-9]' "$folder" --include='*.h' --include='*.cc' \
      --include='*.sh' --include='*.py' --include='*.md' --include='why.txt' || true
  done
  # "tests/golden/k08-garbage-times" uses K8.
  [ ! -d tests/golden ] || find tests/golden -type d -name '[chknpr][0-9][0-9]-*' |
    sed -E 's|^(.*/(.)0?([0-9]+)-.*)$|\1:folder: \2\3|' | awk '{ print $1, toupper($2) }'
}

unknown=$(lines | awk -v defined="$(echo $defined)" '
  BEGIN {
    count = split(defined, codes, " ")
    for (i = 1; i <= count; i++) known[codes[i]] = 1
  }
  {
    text = $0
    while (match(text, /(^|[^A-Za-z0-9#])[CHKNPR][0-9][0-9]?([^A-Za-z0-9]|$)/)) {
      code = substr(text, RSTART, RLENGTH)
      gsub(/[^A-Z0-9]/, "", code)
      if (!(code in known)) print code ": " $0
      text = substr(text, RSTART + RLENGTH - 1)
    }
  }')
[ -n "$twice$unknown" ] || exit 0
if [ -n "$unknown" ]; then
  echo "No page of schema/ says what these codes mean:"
  echo "$unknown"
fi
[ -z "$twice" ] || echo "These codes have two rows in schema/:" $twice
exit 1
