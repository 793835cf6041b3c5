# SPDX-License-Identifier: MIT
# Reads the pages of a site twice (named twice on the command line) and prints every local link whose page or section
# is not there. Exit status 1 when there was one. Names of files that are no pages come with -v files="a b c".
function resolve(target,    where)
{
    where = FILENAME
    sub(/[^\/]*$/, "", where)
    target = where target
    gsub(/\/\.\//, "/", target)
    while (match(target, /[^\/]+\/\.\.\//))
        target = substr(target, 1, RSTART - 1) substr(target, RSTART + RLENGTH)
    return target
}
function check(target,    mark, page)
{
    if (target ~ /^[a-z]+:/)
        return
    links++
    mark = ""
    if (match(target, /#/)) {
        mark = substr(target, RSTART + 1)
        target = substr(target, 1, RSTART - 1)
    }
    page = target == "" ? FILENAME : resolve(target)
    if (!(page in there))
        printf "%s: '%s' leads nowhere\n", FILENAME, page
    else if (mark != "" && !((page "#" mark) in there))
        printf "%s: '%s' has no section '%s'\n", FILENAME, page, mark
    else
        return
    bad = 1
}
BEGIN {
    for (n = split(files, name, " "); n > 0; n--)
        there[name[n]] = 1
}
FNR == 1 { pass = (FILENAME in there) ? 2 : 1; there[FILENAME] = 1 }
{
    line = $0
    while (match(line, pass == 1 ? " id=\"[^\"]*\"" : " (href|src)=\"[^\"]*\"")) {
        word = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        sub(/^[^"]*"/, "", word); sub(/"$/, "", word)
        if (pass == 1)
            there[FILENAME "#" word] = 1
        else
            check(word)
    }
}
END {
    if (!bad)
        print links " links lead somewhere"
    exit bad
}
