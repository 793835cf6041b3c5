# SPDX-License-Identifier: MIT
# The rooms may include only rooms above them. First proves, on a small tree, that a break is found.
set -eu
awk_file=$IFD_SOURCE_DIR/tests/ground/layers.awk
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { (cd "$1" && find src app reproduce -name '*.[ch]' | sort | xargs awk -f "$awk_file"); }

# expect pass|fail <room> <include line>
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
expect pass run '#include "couple/schedule.h"'
expect pass io '#include "link/udp.h"'
expect pass rig '#include "rig/actuator.h"'
expect pass base '#include <interfield/arena.h>'
expect pass app '#include <interfield/arena.h>'
expect pass app '#include "terminal.h"'
expect fail base '#include "model/frame.h"'
expect fail model '#include "method/newmark.h"'
expect fail couple '#include "rig/actuator.h"'
expect fail rig '#include "couple/schedule.h"'
expect fail run '  #  include "io/case.h"'
expect fail link '#include "io/case.h"'
expect fail io '#include "../app/main.h"'
expect fail app '#include "base/sparse.h"'
expect fail app '#include "../src/base/sparse.h"'
expect pass app/commands '#include "session/orders.h"'
expect pass app/report '#include "figure.h"'
expect pass reproduce '#include "app/app.h"'
expect fail app '#include "session/orders.h"'
expect fail app/session '#include "live/page.h"'
expect fail app/live '#include "report/figure.h"'
expect fail app/report '#include "commands/run.h"'
expect fail app/session '#include "base/sparse.h"'
expect fail app/util '#include <stdio.h>'
expect fail reproduce '#include "session/orders.h"'
expect fail reproduce '#include "run/hybrid.h"'
expect fail util '#include <stdio.h>'

check "$IFD_SOURCE_DIR"
echo "the rooms know only rooms above them"
