# SPDX-License-Identifier: MIT
# Prints the lines of Markdown pages that show a command without telling the test what to do with it, as "FILE:LINE: why: text":
#   - a fenced block of sh, python, octave or of no language whose info string has no mark, and that holds a command;
#   - an indented line that begins with a command;
#   - a mark that blocks.awk does not know.
# With -v commands=1 it prints instead, as "FILE:LINE: text", every command of the program (interfield ...) and every make target that is
# shown but not run: in blocks marked example=REASON and in `code` inside sentences. A command that ends with a backslash goes on in
# the next line.
function command(line) {
    sub(/^[ \t]*(\$ )?/, "", line)
    return line ~ /^(interfield(-reproduce)?|make|sudo|apt|apt-get|cmake|ctest|pip|pip3|python3|octave|git|gcc|cc|cp|mv|cd|export|mkdir|systemctl|systemd-run|chrt|taskset|sysctl|cyclictest|dpkg|man|echo|cat|tools\/[a-z-]+|build\/[a-z/]+|\.\/[a-z_-]+)( |$)/
}
function complain(why) {
    if (!commands)
        print FILENAME ":" FNR ": " why ": " $0
}
function show(text) {
    if (commands && text ~ /^(interfield [a-z]|make [a-z])/)
        print FILENAME ":" FNR ": " text
}
FNR == 1 { inside = 0; mark = ""; before = "" }
/^ *```/ {
    if (inside) {
        inside = 0
    } else {
        inside = 1
        language = $1
        sub(/^```/, "", language)
        mark = $2
        if ($3 != "" && $2 $3 !~ /^runstatus=[0-9]+$/ && $2 " " $3 !~ /^example=run-by-another-test test=[a-z]+\.[a-z_]+$/)
            complain("unknown mark")
        if (mark !~ /^$|^run$|^shows$|^file=[^ ]+$|^example=[a-z-]+$/)
            complain("unknown mark")
        if (mark == "example=run-by-another-test" && $3 == "")
            complain("the test that runs it is not named (test=FOLDER.NAME)")
        if (mark == "" && language ~ /^(sh|bash|python|octave|matlab|console)$/)
            complain("a block of commands without a mark")
    }
    next
}
inside {
    if (mark == "" && language == "" && command($0))
        complain("a command in a block without a mark")
    if (mark ~ /^example=/) {
        line = before $0
        before = ""
        if (sub(/\\$/, "", line)) {
            before = line
        } else {
            sub(/^[ \t]+/, "", line)
            show(line)
        }
    }
    next
}
/^    / && command($0) { complain("a command in an indented line") }
{
    n = split($0, piece, "`")
    for (i = 2; i <= n; i += 2)
        show(piece[i])
}
