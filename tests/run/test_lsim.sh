#!/bin/sh
# SPDX-License-Identifier: MIT
# The frame of ten storeys against an exact integration in Octave, where that is installed.
set -eu
if ! command -v octave-cli >/dev/null || [ -z "${IFD_PROGRAM:-}" ]; then
    echo "skipped: needs octave-cli and the program"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# check METHOD LIMIT: the largest difference of the top's displacement, as a part of its peak, is below LIMIT
check() {
    "$IFD_PROGRAM" run "$IFD_SOURCE_DIR/cases/frame-10/frame.yaml" --quiet --set "method=$1" --set "time.step=1 ms" \
        --set "output={csv: yes}" --out "$folder/$1"
    said=$(octave-cli --quiet "$IFD_SOURCE_DIR/cases/frame-10/lsim_frame.m" "$folder/$1/result.csv" 2>/dev/null)
    echo "$1: $said"
    echo "$said" | awk -v limit="$2" '{ part = $(NF - 3); sub(/\(/, "", part); exit !(part != "" && part + 0 < limit) }'
}

check reference 1e-4
check lsrt2 1e-2
