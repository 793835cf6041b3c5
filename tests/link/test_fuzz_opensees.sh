#!/bin/sh
# SPDX-License-Identifier: MIT
# Three seconds of random clients (make fuzz runs for longer). Once is enough: with the build that clang makes.
case $CC in *clang*) ;; *) echo "skipped: runs with clang"; exit 0 ;; esac
work=$(mktemp -d "${TMPDIR:-/tmp}/interfield-fuzz-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
"$IFD_SOURCE_DIR/tools/fuzz" opensees 3 "$work" >"$work/log" 2>&1
status=$?
[ $status = 77 ] && { cat "$work/log"; exit 0; }
[ $status = 0 ] || tail -40 "$work/log"
exit $status
