#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/design.md and its picture of a tick have the units of a test in the order of src/hybrid/units.def, and the links of a force in the order of src/hybrid/chain.c, each
# with the sentence that the program prints.
set -eu
cd "$IFD_SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^UNIT(\(.*\))$/\1/p' src/hybrid/units.def >"$work/units"
for unit in $(cat "$work/units"); do
    cat src/hybrid/*.c src/hybrid/*/*.c | tr -s ' \n' ' ' | grep -o "ifd__unit_$unit = { *\.name = \"[^\"]*\", \.about = \"[^\"]*\"" |
        sed "s/.*about = \"\(.*\)\"/| \`$unit\` | \1 |/"
done >"$work/order"
sed -n '/^| unit | content |/,/^$/p' docs/design.md | sed 1,2d | sed '/^$/d' >"$work/page"
[ "$(wc -l <"$work/units")" -gt 10 ] || { echo 'hardly any unit was found'; exit 1; }
diff "$work/order" "$work/page" || { echo 'the units of docs/design.md differ from those of src/hybrid/units.def'; exit 1; }
sed -n '/links\[IFD__LINKS\]/,/};/p' src/hybrid/chain.c | tr -s ' \n' ' ' | grep -o '{"[^"]*", "[^"]*"' | sed 's/{"\(.*\)", "\(.*\)"/| \1 | \2 |/' >"$work/links"
sed -n '/^| link | content |/,/^$/p' docs/design.md | sed 1,2d | sed '/^$/d' >"$work/page"
diff "$work/links" "$work/page" || { echo 'the links of docs/design.md differ from those of src/hybrid/chain.c'; exit 1; }
sed -n 's/.*class="s units">\(.*\)<.*/\1/p' docs/images/tick.svg | sed 's/^units: //' | tr '\n' ' ' | sed 's/, */\n/g; s/ *$/\n/' | tr ' ' _ >"$work/picture"
diff "$work/units" "$work/picture" || { echo 'the units of docs/images/tick.svg differ from those of src/hybrid/units.def'; exit 1; }
echo "$(wc -l <"$work/units") units and $(wc -l <"$work/links") links"
