# SPDX-License-Identifier: MIT
# The other tests of this folder as a user without rights: ports, keys and shared memory must not need root. A user without rights has run
# them already. Sees IFD_SOURCE_DIR, IFD_BUILD_DIR, IFD_PROGRAM, CC.
set -u
skip() {
    echo "skipped: $*"
    exit 77
}
[ "$(id -u)" = 0 ] || skip 'this user is not root: the other tests have shown it'
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
chmod 711 "$TMPDIR" "$work" 2>/dev/null
mkdir -m 777 "$work/files"
nobody() { setpriv --reuid=65534 --regid=65534 --clear-groups env TMPDIR="$work/files" HOME="$work/files" "$@"; }
nobody test -x "$IFD_BUILD_DIR/tests/contain" -a -r "$IFD_SOURCE_DIR/README.md" || skip 'a user without rights cannot read this tree'

failed=
count=0
for program in "$IFD_BUILD_DIR"/tests/link.*; do
    count=$((count + 1))
    nobody "$IFD_BUILD_DIR/tests/contain" "$program" >"$work/out" 2>&1 || { failed="$failed ${program##*/}" && cat "$work/out"; }
done
[ "$count" -gt 10 ] || { echo "only $count tests of the link were found"; exit 1; }
[ -z "$failed" ] || { echo "as a user without rights failed:$failed"; exit 1; }
echo "$count tests of the link pass as a user without rights"
