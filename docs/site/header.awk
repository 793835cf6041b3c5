# SPDX-License-Identifier: MIT
# Reads a public header and prints Markdown.
#     mode=page   the opening comment, then each declaration with the comment above it
#     mode=line   a row of a table: the header and the first sentence of its opening comment
#     mode=names  an item for every name that it declares
# Comments are prose; their lines with four blanks or more in front are formulas and code, as in Markdown.

function escaped(s)
{
    if (s ~ /^    /)
        return s
    gsub(/[\\`*_<\[\]|#]/, "\\\\&", s)
    return s
}
# The names that a piece of code declares, separated by blanks.
function declared(code,    names, word, line, n, i)
{
    names = ""
    n = split(code, line, "\n")
    for (i = 1; i <= n; i++) {
        word = ""
        if (match(line[i], /^#define IFD_[A-Z0-9_]+/))
            word = substr(line[i], 9, RLENGTH - 8)
        else if (line[i] ~ /^(IFD_API|typedef|struct|enum|static inline|extern|\} ifd_)/ && line[i] !~ /^enum \{/) {
            if (match(line[i], /ifd_[a-z0-9_]+\(/))
                word = substr(line[i], RSTART, RLENGTH - 1)
            else if (match(line[i], /^typedef .*\(\*ifd_[a-z0-9_]+\)/)) {
                word = substr(line[i], RSTART, RLENGTH - 1)
                sub(/.*\(\*/, "", word)
            } else if (line[i] ~ /^IFD_API .*[;\[]/ && match(line[i], /ifd_[a-z0-9_]+(\[\])?;/)) {
                word = substr(line[i], RSTART, RLENGTH - 1)
                sub(/\[\]/, "", word)
            } else if (line[i] !~ /^IFD_API/ && match(line[i], /ifd_[a-z0-9_]+/))
                word = substr(line[i], RSTART, RLENGTH)
        }
        if (word != "" && index(" " names " ", " " word " ") == 0)
            names = names (names == "" ? "" : " ") word
    }
    return names
}
function finish(    names, title, word, n, i)
{
    names = declared(code)
    if (code ~ /[^ \n]/ && (names != "" || code ~ /^ *enum /)) {
        n = split(names, word, " ")
        if (mode == "page") {
            title = ""
            for (i = 1; i <= n; i++)
                title = title (i > 1 ? ", " : "") "`" word[i] "`"
            printf "## %s\n\n%s\n```c\n%s```\n\n", title == "" ? "Constants" : title, comment, code
        } else if (mode == "names") {
            title = tolower(names)
            gsub(/ /, "-", title)
            for (i = 1; i <= n; i++)
                if (!(word[i] in told)) {
                    print "- [`" word[i] "`](" file "#" title ")"
                    told[word[i]] = 1
                }
        }
    }
    code = comment = ""
}
FNR == 1 {
    file = FILENAME
    sub(/.*\//, "", file)
    next
}
FNR == 2 || opening { # the opening comment
    opening = 1
    line = $0
    last = sub(/ *\*\/ *$/, "", line)
    sub(/^\/\* ?|^ \* ?|^ \*$/, "", line)
    prose = prose escaped(line) "\n"
    if (first == "" || !whole) {
        first = first (first == "" ? "" : " ") line
        whole = line ~ /[.:]( |$)/ && first ~ /\./ || line == ""
    }
    if (last) {
        opening = 0
        if (mode == "page")
            printf "# interfield/%s\n\n%s\n", file, prose
        else if (mode == "line") {
            sub(/\. .*/, ".", first)
            gsub(/\|/, "\\|", first)
            printf "| [%s](%s) | %s |\n", file, file, escaped(first)
        }
    }
    next
}
/^#(ifndef|endif|include|ifdef|else|if)/ || /^#define INTERFIELD_/ || /^IFD_(BEGIN|END)_DECLS$/ || (/^}$/ && depth == 0) { next }
depth == 0 && /^\/\*/ { # a comment of what follows
    finish()
    commenting = 1
}
commenting {
    line = $0
    last = sub(/ *\*\/ *$/, "", line)
    sub(/^\/\* ?|^ \* ?|^ \*$/, "", line)
    comment = comment escaped(line) "\n"
    if (last)
        commenting = 0
    next
}
depth == 0 && /^$/ { finish(); next }
{
    code = code $0 "\n"
    line = $0
    gsub(/\/\*.*\*\//, "", line)
    depth += gsub(/\{/, "", line) - gsub(/\}/, "", line)
}
END { finish() }
