# SPDX-License-Identifier: MIT
# ctest: not with sanitizers, unless every test is asked for
# result.h5 keeps its layout (docs/reference/results.md): every path, attribute and type that was written down is still there.
# Octave reads it.
#
#     IFD_WRITE_LAYOUT=1 sh tests/app/test_layout.sh      writes down the layout of now
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "$*"; exit 1; }
cases=$IFD_SOURCE_DIR/cases
frozen=$IFD_SOURCE_DIR/tests/app/layout.txt

"$IFD_PROGRAM" run "$cases/shear-pendulum/forced.yaml" --quiet --csv --set 'time.end=0.1 s' --out "$folder/run"
"$IFD_PROGRAM" run "$cases/oscillator/specimen.yaml" --quiet --csv --set 'time.end=0.1 s' --out "$folder/specimen"
"$IFD_PROGRAM" run "$cases/split-mass/staggered.yaml" --quiet --csv --set 'time.end=0.1 s' --out "$folder/parts"
"$IFD_PROGRAM" test "$cases/two-dof-rig/rig.yaml" --quiet --csv --as-fast-as-possible --set 'time.end=0.05 s' \
    --out "$folder/test" || [ $? = 1 ]
"$IFD_PROGRAM" test "$cases/column-mixed/column.yaml" --quiet --csv --as-fast-as-possible --without-preflight --set 'time.end=0.05 s' \
    --set 'test.ramp-in=0.2 s' --out "$folder/drives" || [ $? = 1 ]
"$IFD_PROGRAM" test "$IFD_SOURCE_DIR/tests/faults/raw.yaml" --quiet --csv --as-fast-as-possible --without-preflight \
    --set 'time.end=0.05 s' --out "$folder/channels" || [ $? = 1 ]
for kind in run specimen parts test drives channels; do
    h5dump -H "$folder/$kind/result.h5" | awk -f "$IFD_SOURCE_DIR/tests/app/layout.awk" | sed "s/^/$kind /"
done | sed -E '/^(drives|channels) /{\: /(actuator|channel)/:!d;}' >"$folder/now" # what else they have, test has too
schema=$(sed -n 's/.*IFD_RESULT_SCHEMA = \([0-9]*\).*/\1/p' "$IFD_SOURCE_DIR/include/interfield/result.h")
{ echo "schema $schema"; cat "$folder/now"; } | LC_ALL=C sort >"$folder/layout"
if [ "${IFD_WRITE_LAYOUT-}" ]; then
    cp "$folder/layout" "$frozen"
fi
[ "$(wc -l <"$folder/layout")" -gt 100 ] || fail 'hardly anything was found in the files'
if ! LC_ALL=C comm -23 "$frozen" "$folder/layout" >"$folder/gone" 2>/dev/null || [ -s "$folder/gone" ]; then
    cat "$folder/gone"
    echo 'These lines of the layout are gone or changed: readers of others would break. Bring them back; or raise'
    echo 'IFD_RESULT_SCHEMA in include/interfield/result.h, tell the readers (python/interfield/results.py,'
    echo 'matlab/interfield_read.m, docs/reference/results.md), and run IFD_WRITE_LAYOUT=1 sh tests/app/test_layout.sh'
    exit 1
fi
LC_ALL=C comm -13 "$frozen" "$folder/layout" >"$folder/new" || true
[ ! -s "$folder/new" ] || { echo 'new in the layout, and not yet written down:'; cat "$folder/new"; }
h5dump -a /schema "$folder/run/result.h5" | grep -q "(0): $schema\$" || fail 'the attribute schema is not the one of the header'

# And the page names them all: an attribute, or the last part of a path in the row of its group. Names that a case gives stand
# there as <dof>, <name> or ...
awk 'NR == FNR { page = page $0 "\n"; if (match($0, /^\| `\/[a-z-]*/)) rows[++n] = $0; next }
    $2 ~ /^\/@/ { name = substr($2, 3); sub(/^part_[^_]*/, "part_<name>", name)
                  sub(/method_(factor|gamma|jacobian|rho|order|tangent-[a-z]*)$/, "method_<parameter>", name)
                  if (!index(page, "`" name "`")) { print $2; lacks = 1 } next }
    $2 ~ /^\// { split($2, at, "/"); last = $2; sub(/.*\//, "", last); sub(/_[0-9]+$/, "", last); found = 0
                 tail = last; sub(/.*_/, "_", tail)
                 for (i = 1; i <= n; i++)
                     if (index(rows[i], "`/" at[2]) && (rows[i] ~ ("/" at[2] "/(<dof>|[.][.][.])") || index(rows[i], last "`") ||
                                                        index(rows[i], "/" at[2] "/<name>" tail "`")))
                         found = 1
                 if (!found) { print $2; lacks = 1 } }
    END { exit lacks }' "$IFD_SOURCE_DIR/docs/reference/results.md" "$folder/layout" || fail 'docs/reference/results.md does not name these'

if command -v octave-cli >/dev/null; then
    # Names that are no identifiers; then two names that Octave makes one identifier of.
    cat >"$folder/names.yaml" <<'YAML'
title: names
time: {step: 1 ms, end: 20 ms}
method: lsrt2
model:
  dofs: [1x, end, a-b, für]
  mass: [1 kg, 1 kg, 1 kg, 1 kg]
  elements:
    - {name: 2nd-spring, spring: {between: [1x, end], stiffness: 400 N/m}}
    - {name: for, spring: {between: [a-b, für], stiffness: 400 N/m}}
initial: {displacement: {1x: 1 mm, a-b: 2 mm}}
YAML
    sed 's/1x/a_b/g' "$folder/names.yaml" >"$folder/alike.yaml"
    for kind in names alike; do
        "$IFD_PROGRAM" run "$folder/$kind.yaml" --quiet --csv --out "$folder/$kind"
    done
    mkdir "$folder/killed"
    cp "$folder/run/result.h5" "$folder/killed" # a record that has not been recovered has no summary.json
    cat >"$folder/check.m" <<'M'
for kind = {'run', 'specimen', 'parts', 'test', 'drives', 'channels', 'names'}
    where = fullfile(getenv('FOLDER'), kind{1});
    r = interfield_read(where);
    csv = dlmread(fullfile(where, 'result.csv'), ',', 1, 0);
    assert(isequal(csv, [r.time, r.data]), 'other numbers than in result.csv');
    head = strsplit(fgetl(fopen(fullfile(where, 'result.csv'))), ',');
    for k = 1:numel(r.names)
        assert(strcmp(head{k + 1}, sprintf('%s [%s]', r.names{k}, r.units{k})), head{k + 1});
    end
    assert(strncmp(r.case, 'title:', 6), 'no case');
    assert(ischar(r.summary.outcome), 'no outcome');
end
refused = {'nowhere', 'interfield recover'; 'killed', 'interfield recover'; 'alike', 'interfield export'};
for k = 1:size(refused, 1)
    try
        interfield_read(fullfile(getenv('FOLDER'), refused{k, 1}));
        error('other', '%s was read', refused{k, 1});
    catch e
        assert(strcmp(e.identifier, 'interfield:read') && ~isempty(strfind(e.message, refused{k, 2})), e.message);
    end
end
disp('Octave reads what result.csv says');
M
    FOLDER=$folder timeout 300 octave-cli --quiet --path "$IFD_SOURCE_DIR/matlab" "$folder/check.m" >"$folder/said" 2>&1 || true
    grep -q 'Octave reads' "$folder/said" || fail "$(cat "$folder/said")"
    grep 'Octave reads' "$folder/said"
else
    echo 'Octave is not installed: its reader was not tried'
fi
echo "$(wc -l <"$frozen") lines of the layout of result.h5 are as written down"
