#!/bin/sh
# A name means one type in the whole program, else the linker takes either (the one-definition rule):
# prints the types of a namespace, outside unnamed ones, that two files define, and fails if there is
# one. The two feeders of MLCommons' are two programs' interfaces and may be alike.
# Usage: one_definition.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"

twice=$(find lib sim_bridge converters \( -name '*.h' -o -name '*.cc' \) ! -path '*/compat/*' ! -path '*/examples/*' |
  sort | xargs awk '
    FNR == 1 { unnamed = 0; space = "" }
    /^namespace [a-z_:]+ \{/ { space = $2 }
    /^namespace \{/ { unnamed = 1 }
    /^}  \/\/ namespace$/ { unnamed = 0 }
    !unnamed && /^(struct|class|enum|enum class|union) [A-Z][A-Za-z0-9]*[^;]*\{/ {
      name = $2 == "class" ? $3 : $2
      key = space "::" name
      if (key in file) print key ": " file[key] " and " FILENAME
      file[key] = FILENAME
    }')
[ -n "$twice" ] || exit 0
echo "These types are defined twice:"
echo "$twice"
exit 1
