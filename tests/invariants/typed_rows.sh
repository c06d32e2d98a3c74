#!/bin/sh
# A row of a table is numbered by the type of that table's rows (base/index.h), so that it cannot be
# used on another table: prints every raw integer in the folders below that is named as a row, and in
# link and graph every std::uint32_t that is not named as a count, a distance or a constant. Fails if
# there is one. Usage: typed_rows.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"
folders='lib/nadi/chakra lib/nadi/diff lib/nadi/events lib/nadi/graph lib/nadi/link lib/nadi/linked_json'
row='(row|op|call|lane|thread|sync|flow|event|record|node|edge|unit)'
of_row='(wait|stream|action|source|target|work|place)'

# Where all rows, positions and numbers of names are typed: what may be raw, by how it is named.
typed_folders='lib/nadi/graph lib/nadi/link'
counted='(count|distance|differences|recorded|possible|earlier|later|all|launched|waited_for|given_)'
constant='k[A-Z][A-Za-z]*'
of_counts='[A-Za-z]*(Counts|Distances)'
raw_but_named="uint32_t(>+&? |>\(| )($counted|$constant)\b|using $of_counts =|numeric_limits<std::uint32_t>"

found=$(
  grep -rnE --include='*.h' --include='*.cc' \
    "(uint32_t>?&? ([a-z_]+_)?($row|$of_row)s?_?|size_t $row)\b" $folders || true
  grep -rnE --include='*.h' --include='*.cc' 'uint32_t' $typed_folders |
    grep -vE "$raw_but_named" || true
)
[ -n "$found" ] || exit 0
echo "These are rows of a table, or positions by another name; give them their type or their name:"
echo "$found" | sort -u
exit 1
