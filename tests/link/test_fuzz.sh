#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: begins 25 of the first
# A second each of random clients, descriptions, archives, messages, matrices and JSON (make fuzz runs for longer, and those that need the whole
# library). Once is enough: with the build that clang makes.
case $CC in *clang*) ;; *) echo "skipped: runs with clang"; exit 0 ;; esac
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-fuzz-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/corpus_fmu_xml" "$work/corpus_fmu_zip"
export TMPDIR="$work"
"$IFD_PROGRAM" export-fmu "$IFD_SOURCE_DIR/cases/oscillator/specimen.yaml" -o "$work/seed.fmu" --quiet 2>/dev/null &&
    python3 -c "import zipfile; open('$work/corpus_fmu_xml/seed', 'wb').write(zipfile.ZipFile('$work/seed.fmu').read('modelDescription.xml'))"
python3 -c "import zipfile; z = zipfile.ZipFile('$work/corpus_fmu_zip/seed', 'w', 8); z.writestr('modelDescription.xml', 'x' * 40); z.writestr('a/b', 'y')"
for name in opensees fmu_xml fmu_zip wire mtx json; do
    "$IFD_SOURCE_DIR/tools/fuzz" $name 1 "$work" >"$work/log" 2>&1
    status=$?
    [ $status = 77 ] && { cat "$work/log"; exit 0; }
    [ $status = 0 ] || { tail -40 "$work/log"; exit $status; }
done
