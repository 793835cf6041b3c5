# SPDX-License-Identifier: MIT
# Each layer uses only those above it in layers.txt: by its include lines, and by the functions that it calls, which public
# headers hide. First proves, on a small tree, that a break is found.
set -eu
ground=$IFD_SOURCE_DIR/tests/ground
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

layers() { awk -f "$ground/layers.awk" "$ground/layers.txt" "$@"; }
check() { (cd "$1" && layers $(find src app reproduce -name '*.[ch]' | sort)); }

# expect pass|fail <layer> <include line>
expect() {
    rm -rf "$work/src" "$work/app" "$work/reproduce"
    case $2 in
    app | app/* | reproduce) folder=$work/$2 ;;
    *) folder=$work/src/$2 ;;
    esac
    mkdir -p "$folder" "$work/app" "$work/reproduce" "$work/src/base"
    echo "$3" >"$folder/x.c"
    echo '#include <stdio.h>' >"$work/src/base/y.c"
    if check "$work" >"$work/out"; then got=pass; else got=fail; fi
    if [ "$got" != "$1" ]; then
        echo "the layer check should $1 for '$3' in $2 and did not"
        exit 1
    fi
}

expect pass model '#include "base/arena.h"'
expect pass model/element '#include "model/model.h"'
expect pass model '#include "model/element/wave.h"'
expect pass run '#include "couple/schedule.h"'
expect pass rig '#include "rig/virtual/actuator.h"'
expect pass base '#include <interfield/arena.h>'
expect pass app '#include <interfield/arena.h>'
expect pass app '#include "terminal.h"'
expect fail base '#include "algebra/sparse.h"'
expect fail base '#include "model/model.h"'
expect fail model/element '#include "method/stepper.h"'
expect fail couple '#include "rig/governor.h"'
expect fail rig '#include "couple/schedule.h"'
expect fail run '  #  include "hybrid/hybrid.h"'
expect fail link '#include "case/reader.h"'
expect fail record '#include "../app/main.h"'
expect fail app '#include "base/column.h"'
expect fail app '#include "../src/algebra/sparse.h"'
expect pass app/commands '#include "session/orders.h"'
expect pass app/report '#include "figure.h"'
expect pass reproduce '#include "app/app.h"'
expect fail app '#include "session/orders.h"'
expect fail app/session '#include "live/page.h"'
expect fail app/live '#include "report/figure.h"'
expect fail app/report '#include "commands/run.h"'
expect fail app/session '#include "base/column.h"'
expect fail app/util '#include <stdio.h>'
expect fail reproduce '#include "session/orders.h"'
expect fail reproduce '#include "hybrid/hybrid.h"'
expect fail util '#include <stdio.h>'

# expect_calls pass|fail <layer that defines> <layer that calls>
expect_calls() {
    printf 'objects.dir/src/%s/a.c.o:0000000000000000 T ifd__f\nobjects.dir/src/%s/b.c.o:                 U ifd__f\n' \
        "$2" "$3" >"$work/symbols"
    if layers "$work/symbols" >"$work/out"; then got=pass; else got=fail; fi
    if [ "$got" != "$1" ]; then
        echo "the layer check should $1 for a call of '$2' in '$3' and did not"
        exit 1
    fi
}

expect_calls pass base model/element
expect_calls fail model/element base
expect_calls fail rig couple

check "$IFD_SOURCE_DIR"
find "$IFD_SOURCE_DIR/src" -name '*.c' | while read -r file; do
    echo "$IFD_BUILD_DIR/CMakeFiles/objects.dir${file#"$IFD_SOURCE_DIR"}.o"
done | xargs nm -A >"$work/symbols"
if ! grep -q ' T ' "$work/symbols"; then
    echo "no function was found in the objects of $IFD_BUILD_DIR"
    exit 1
fi
layers "$work/symbols"
echo "the layers use only layers above them"

# budget pass|fail <budget of src/base>, on a tree with three lines there
budget() {
    mkdir -p "$work/small/tools" "$work/small/tests/ground" "$work/small/src/base"
    (cd "$work/small" && mkdir -p app include fmu drivers mpi python reproduce)
    cp "$IFD_SOURCE_DIR/tools/lines" "$work/small/tools"
    printf 'lines\n%s\n' "$2" >"$work/small/tests/ground/layers.txt"
    printf '\n\n\n' >"$work/small/src/base/a.c"
    if "$work/small/tools/lines" >"$work/out"; then got=pass; else got=fail; fi
    if [ "$got" != "$1" ]; then
        echo "the check of the budgets should $1 for '$2' and did not"
        exit 1
    fi
}
budget pass 'src/base 3'
budget fail 'src/base 2'
budget fail 'src/base 10'
budget fail 'src/run 3'
"$IFD_SOURCE_DIR/tools/lines"
