# SPDX-License-Identifier: MIT
# Reads C files and prints functions defined with more than six arguments, but for those named in `allowed`, of which every one
# must be met. Exit status 1 when there was one. A definition begins in the first column, and so does its brace, alone.
BEGIN {
    count = split(allowed, name, " ")
    for (i = 1; i <= count; i++)
        named[name[i]] = 1
}
function arguments(text,    i, c, depth, n) {
    n = 1
    for (i = index(text, "("); i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        n += c == "," && depth == 1
    }
    return n
}
$0 == "{" && head ~ /\)$/ && arguments(head) > 6 {
    called = substr(head, 1, index(head, "(") - 1)
    sub(/.*[ *]/, "", called)
    if (called in named) {
        met[called] = 1
    } else {
        printf "%s:%d: %s has %d arguments, permitted are 6\n", FILENAME, FNR, called, arguments(head)
        bad = 1
    }
}
{ gsub(/\/\*[^*]*\*\//, "") }
/^[A-Za-z_].*\(/ { head = $0; next }
/^ / && head != "" { head = head $0; next }
{ head = "" }
END {
    for (i = 1; i <= count; i++)
        if (!(name[i] in met)) {
            printf "%s has no more than six arguments, or is gone: it is named for nothing\n", name[i]
            bad = 1
        }
    exit bad
}
