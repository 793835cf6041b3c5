# SPDX-License-Identifier: MIT
# The binary interface is the one that was written down: symbols, structs, enumerations, prototypes.
set -eu
if [ "$(uname -m)" != x86_64 ] || ! command -v gcc >/dev/null; then
    echo 'skipped: sizes were written down for gcc on x86-64'
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
frozen=$IFD_SOURCE_DIR/tests/ground/abi.txt
"$IFD_SOURCE_DIR/tools/abi" "$IFD_BUILD_DIR/libinterfield.so" >"$work/now"
[ "$(grep -c '^symbol ' "$work/now")" -gt 300 ] || { echo 'hardly any symbol was found: tools/abi is broken'; exit 1; }
# Every exported function has its prototype in a public header, and the other way round.
sed -n 's/^symbol \([a-z0-9_]*\) .*/\1/p' "$work/now" | sort >"$work/exported"
sed -n 's/^prototype [^(]*\b\(ifd_[a-z0-9_]*\)\(\[\]\|(.*\)*$/\1/p' "$work/now" | sort >"$work/declared"
diff "$work/exported" "$work/declared" || { echo '< exported, but in no public header;  > declared, but not exported'; exit 1; }
if diff "$frozen" "$work/now" >"$work/diff"; then
    echo "$(wc -l <"$frozen") facts of the binary interface are as written down"
    exit 0
fi
head -n 80 "$work/diff"
if ! grep -q '^<' "$work/diff"; then
    echo 'The binary interface has grown; programs built before go on. When that was meant: make abi, and commit'
    echo 'tests/ground/abi.txt.'
elif grep -q '^< soname' "$work/diff"; then
    echo 'The soname is another one: make abi, and commit tests/ground/abi.txt.'
else
    echo 'Lines with < are gone or changed: programs built against the last release would break. Bring them back; or, when'
    echo 'the minor number in include/interfield/version.h, and with it the soname, is another one than that of the last'
    echo 'release: make abi, and commit tests/ground/abi.txt.'
fi
exit 1
