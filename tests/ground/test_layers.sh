# SPDX-License-Identifier: MIT
# The rooms may include only rooms above them. First proves, on a small tree, that a break is found.
set -eu
awk_file=$IFD_SOURCE_DIR/tests/ground/layers.awk
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { (cd "$1" && find src app -name '*.[ch]' | sort | xargs awk -f "$awk_file"); }

# expect pass|fail <room> <include line>
expect() {
    rm -rf "$work/src" "$work/app"
    mkdir -p "$work/src/$2" "$work/app" "$work/src/base"
    if [ "$2" = app ]; then file=$work/app/x.c; else file=$work/src/$2/x.c; fi
    echo "$3" >"$file"
    echo '#include <stdio.h>' >"$work/src/base/y.c"
    [ "$2" != app ] || rmdir "$work/src/app"
    if check "$work" >"$work/out"; then got=pass; else got=fail; fi
    if [ "$got" != "$1" ]; then
        echo "the layer check should $1 for '$3' in $2 and did not"
        exit 1
    fi
}

expect pass model '#include "base/arena.h"'
expect pass run '#include "couple/part.h"'
expect pass io '#include "link/udp.h"'
expect pass rig '#include "rig/actuator.h"'
expect pass base '#include <interfield/arena.h>'
expect pass app '#include <interfield/arena.h>'
expect pass app '#include "terminal.h"'
expect fail base '#include "model/frame.h"'
expect fail model '#include "method/newmark.h"'
expect fail couple '#include "rig/actuator.h"'
expect fail rig '#include "couple/part.h"'
expect fail run '  #  include "io/case.h"'
expect fail link '#include "io/case.h"'
expect fail io '#include "../app/main.h"'
expect fail app '#include "base/sparse.h"'
expect fail app '#include "../src/base/sparse.h"'
expect fail util '#include <stdio.h>'

check "$IFD_SOURCE_DIR"
echo "the rooms know only rooms above them"
