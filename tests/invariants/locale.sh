#!/bin/sh
# Numbers are read and written alike whatever the locale of the program that links nadi: prints every
# use of a function that asks the locale, and fails if there is one. Usage: locale.sh [SOURCE_FOLDER]
set -eu
cd "${1:-$(dirname "$0")/../..}"

asks='\<(v?s?n?printf|s?scanf|ato[fil]+|strto(f|d|ld|l|ll|ul|ull)|sto(f|d|ld|i|l|ll|ul|ull)|setprecision)\('
found=
for folder in lib sim_bridge converters; do
  [ -d "$folder" ] || continue
  found=$found$(grep -rnE "$asks" "$folder" --include='*.h' --include='*.cc' --exclude-dir=examples || true)
done
[ -n "$found" ] || exit 0
echo "These ask the locale; use fmt, std::to_chars or std::from_chars:"
echo "$found"
exit 1
