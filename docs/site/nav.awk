# SPDX-License-Identifier: MIT
# Reads docs/index.md and prints the navigation as "group" lines and "path TAB title" lines: headings of the second
# level, and the first link of each item below them.
/^## / { print "= " substr($0, 4) }
/^- \[/ {
    title = substr($0, 4, index($0, "](") - 4)
    rest = substr($0, index($0, "](") + 2)
    target = "docs/" substr(rest, 1, index(rest, ")") - 1)
    while (match(target, /[^\/]+\/\.\.\//)) # a/../b is b
        target = substr(target, 1, RSTART - 1) substr(target, RSTART + RLENGTH)
    print target "\t" title
}
