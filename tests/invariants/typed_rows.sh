#!/bin/sh
# A row of a table is numbered by the type of that table's rows (base/index.h), so that it cannot be
# used on another table: prints every raw integer in the folders below that is named as a row, and
# fails if there is one. Usage: typed_rows.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"
folders='lib/nadi/chakra lib/nadi/diff lib/nadi/events lib/nadi/graph lib/nadi/link lib/nadi/linked_json'
row='(row|op|call|lane|thread|sync|flow|event|record|node|edge|unit)'
of_row='(wait|stream|action|source|target|work|place)'
# The graph and what fills it number vertices, which Boost.Graph does with integers.
vertices='^lib/nadi/graph/(built_graph\.h|fill_columns\.(h|cc)|number_nodes\.cc):'
found=$(grep -rnE --include='*.h' --include='*.cc' \
  "(uint32_t>?&? ([a-z_]+_)?($row|$of_row)s?_?|size_t $row)\b" $folders |
  grep -vE "$vertices" || true)
[ -n "$found" ] || exit 0
echo "These are rows of a table, or positions by another name; give them their type or their name:"
echo "$found"
exit 1
