# SPDX-License-Identifier: MIT
# Reads C files named <room>/<file> and prints every include that breaks the order of the rooms:
#     base < model < method < couple | rig < run < link < io,
# and of the programs, which know public headers only:
#     app < session < live | report < commands (folders of app), and app < reproduce.
# Exit status 1 when there was one.
BEGIN {
    split("base:1 model:2 method:3 couple:4 rig:4 run:5 link:6 io:7", pairs, " ")
    for (i in pairs) {
        split(pairs[i], pair, ":")
        level[pair[1]] = pair[2]
    }
    split("app:1 session:2 live:3 report:3 commands:4 reproduce:2", pairs, " ")
    for (i in pairs) {
        split(pairs[i], pair, ":")
        floor[pair[1]] = pair[2]
    }
}
function broken(why) {
    printf "%s:%d: %s: %s\n", FILENAME, FNR, $0, why
    bad = 1
}
FNR == 1 {
    n = split(FILENAME, path, "/")
    room = path[n - 1]
    program = room == "app" || room == "reproduce" || path[n - 2] == "app"
    if (!(program ? room in floor : room in level))
        broken("no room is called '" room "'")
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    split($0, quoted, "\"")
    depth = split(quoted[2], part, "/")
    other = depth > 1 ? part[1] : room
    if (program) {
        if (depth > 2 || !(other in floor))
            broken("a program may include only <interfield/...> and its own headers")
        else if (other != room && floor[other] >= floor[room])
            broken("'" room "' may not know '" other "'")
    } else if (!(other in level))
        broken("not a room of the library")
    else if (depth > 2)
        broken("rooms have no rooms inside")
    else if (other != room && level[other] >= level[room])
        broken("'" room "' may not know '" other "'")
}
END { exit bad }
