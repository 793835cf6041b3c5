# SPDX-License-Identifier: MIT
# ctest: begins 5 of the first
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

set -- "$IFD_BUILD_DIR"/tests/link.*
[ $# -gt 10 ] || { echo "only $# tests of the link were found"; exit 1; }
# Most of their time is waiting: four at a time.
printf '%s\n' "$@" | xargs -P 4 -I PROGRAM sh -c '
    name=$(basename PROGRAM)
    setpriv --reuid=65534 --regid=65534 --clear-groups env TMPDIR="$0/files" HOME="$0/files" "$1" PROGRAM >"$0/$name" 2>&1 || touch "$0/$name.failed"
' "$work" "$IFD_BUILD_DIR/tests/contain"
failed=
for mark in "$work"/*.failed; do
    [ ! -e "$mark" ] || { cat "${mark%.failed}" && failed="$failed $(basename "${mark%.failed}")"; }
done
[ -z "$failed" ] || { echo "as a user without rights failed:$failed"; exit 1; }
echo "$# tests of the link pass as a user without rights"
