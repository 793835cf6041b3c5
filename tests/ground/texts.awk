# SPDX-License-Identifier: MIT
# The texts of C files that a person reads, as FILE:LINE:TEXT: string literals with a blank in them, and all comments.
FNR == 1 { comment = 0 }
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
            else if (found ~ /^".* .*"$/) print FILENAME ":" FNR ":" found
        } else next
    }
}
