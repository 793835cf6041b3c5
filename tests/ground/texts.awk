# SPDX-License-Identifier: MIT
# The texts of C files that a person reads, as FILE:LINE:TEXT: string literals with a blank in them, and all comments; with
# -v comments=1 only comments. Of scripts of the live page (.js) the comments after //.
FNR == 1 { comment = 0 }
FILENAME ~ /\.js$/ {
    if (match($0, /\/\/ .*/)) print FILENAME ":" FNR ":" substr($0, RSTART + 2)
    next
}
{
    rest = $0
    if (rest ~ /^#include|SPDX-License/) next
    while (rest != "") {
        if (comment) {
            end = index(rest, "*/")
            text = end ? substr(rest, 1, end - 1) : rest
            if (text ~ /[a-z]/) print FILENAME ":" FNR ":" text
            if (!end) next
            comment = 0
            rest = substr(rest, end + 2)
        } else if (match(rest, /"([^"\\]|\\.)*"|'([^'\\]|\\.)'|\/\*/)) {
            found = substr(rest, RSTART, RLENGTH)
            rest = substr(rest, RSTART + RLENGTH)
            if (found == "/*") comment = 1
            else if (!comments && found ~ /^".* .*"$/) print FILENAME ":" FNR ":" found
        } else next
    }
}
