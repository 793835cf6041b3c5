#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/develop/design.md and its picture of a tick have the units of a test in the order of src/hybrid/units.def, and the links of a force in the order of src/hybrid/chain/chain.c, each
# with the sentence that the program prints.
set -eu
cd "$IFD_SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed -n 's/^[UP][NA][IR]T(\(.*\))$/\1/p' src/hybrid/units.def >"$work/units"
for unit in $(cat "$work/units"); do
    cat src/hybrid/*.c src/hybrid/*/*.c | tr -s ' \n' ' ' | grep -o "ifd__\(unit\|part\)_$unit = { *\.name = \"[^\"]*\", \.about = \"[^\"]*\"" |
        sed "s/.*about = \"\(.*\)\"/| \`$unit\` | \1 |/"
done >"$work/order"
sed -n '/^| unit | content |/,/^$/p' docs/develop/design.md | sed 1,2d | sed '/^$/d' >"$work/page"
[ "$(wc -l <"$work/units")" -gt 10 ] || { echo 'hardly any unit was found'; exit 1; }
diff "$work/order" "$work/page" || { echo 'the units of docs/develop/design.md differ from those of src/hybrid/units.def'; exit 1; }
for link in $(sed -n '/links\[IFD__LINKS\]/,/};/p' src/hybrid/chain/chain.c | grep -o '&[a-z_]*' | tr -d '&'); do
    cat src/hybrid/chain/*.c | tr -s ' \n' ' ' | grep -o "\b$link = { *\.name = \"[^\"]*\", \.about = \"[^\"]*\"" |
        sed 's/.*name = "\(.*\)", \.about = "\(.*\)"/| \1 | \2 |/'
done >"$work/links"
[ "$(wc -l <"$work/links")" -gt 5 ] || { echo 'hardly any link was found'; exit 1; }
sed -n '/^| link | content |/,/^$/p' docs/develop/design.md | sed 1,2d | sed '/^$/d' >"$work/page"
diff "$work/links" "$work/page" || { echo 'the links of docs/develop/design.md differ from those of src/hybrid/chain/chain.c'; exit 1; }
sed -n 's/.*class="s units">\(.*\)<.*/\1/p' docs/images/tick.svg | sed 's/^units: //' | tr '\n' ' ' | sed 's/, */\n/g; s/ *$/\n/' | tr ' ' _ >"$work/picture"
diff "$work/units" "$work/picture" || { echo 'the units of docs/images/tick.svg differ from those of src/hybrid/units.def'; exit 1; }
# A unit does not see the test, and no other unit: the struct is opaque to it.
for unit in $(sed -n 's/^UNIT(\(.*\))$/\1/p' src/hybrid/units.def); do
    file=$(grep -l "^const ifd__unit ifd__unit_$unit " src/hybrid/*.c src/hybrid/*/*.c)
    if printf '#include "%s"\nint size = sizeof(struct ifd_hybrid);\n' "$PWD/$file" | cc -std=c11 -fsyntax-only -D_GNU_SOURCE -Iinclude -Isrc -xc - 2>"$work/log"; then
        echo "$file sees struct ifd_hybrid, expected ifd__io only (src/hybrid/io.h)"
        exit 1
    fi
    grep -q 'incomplete type' "$work/log" || { cat "$work/log"; echo "$file does not compile"; exit 1; }
done
echo "$(wc -l <"$work/units") units and $(wc -l <"$work/links") links"
