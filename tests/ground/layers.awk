# SPDX-License-Identifier: MIT
# Reads tests/ground/layers.txt, then C files named src/LAYER/... and app/FOLDER/..., or what nm -A says of objects in
# objects.dir/src/LAYER/..., and prints every include line and every call that leads to a layer below or beside. Exit status 1
# when there was one.
function broken(why) {
    printf "%s: %s\n", place, why
    bad = 1
}
function knows(one, other) { return one == other || level[other] < level[one] }
FILENAME ~ /layers\.txt$/ {
    if ($1 == "library" || $1 == "programs" || $1 == "lines")
        part = $1
    else if (part != "lines" && !/^#/)
        for (i = 1; i <= NF; i++) {
            level[$i] = FNR
            of[$i] = part
        }
    next
}
/objects\.dir\/src\// {
    split($1, side, "objects\\.dir/src/")
    split(side[2], path, "/")
    if ($2 == "U") {
        wants[++n] = $3
        where[n] = side[2]
        who[n] = path[1]
    } else if ($2 ~ /^[TDRB]$/)
        home[$3] = path[1]
    next
}
FNR == 1 {
    split(FILENAME, path, "/")
    program = path[1] != "src"
    layer = path[1] == "reproduce" || (program && path[3] == "") ? path[1] : path[2]
    place = FILENAME
    if (of[layer] != (program ? "programs" : "library"))
        broken("no layer is called '" layer "'")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    depth = split(quoted[2], part_of, "/")
    other = depth > 1 ? part_of[1] : layer
    place = FILENAME ":" FNR ": " $0
    if (program && of[other] != "programs")
        broken("a program may include only <interfield/...> and its own headers")
    else if (!program && of[other] != "library")
        broken("not a layer of the library")
    else if (!knows(layer, other))
        broken("'" layer "' may not know '" other "'")
}
END {
    for (i = 1; i <= n; i++)
        if (wants[i] in home && !knows(who[i], home[wants[i]])) {
            place = where[i]
            broken("'" who[i] "' may not call " wants[i] " of '" home[wants[i]] "'")
        }
    exit bad
}
