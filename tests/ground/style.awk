# SPDX-License-Identifier: MIT
# Reads C files and prints where one is longer or wider than CONTRIBUTING.md permits, has a function that is, or does not
# begin with its licence. Exit status 1 when there was one. To be run with LC_ALL=C: bytes that continue a character are
# left out by hand, because not every awk knows them.
function broken(line, why) {
    printf "%s:%d: %s\n", FILENAME, line, why
    bad = 1
}
FNR == 1 {
    start = 0
    if ($0 != "/* SPDX-License-Identifier: MIT */")
        broken(1, "does not begin with the SPDX line")
}
FNR == 2 && FILENAME ~ /^(src|app|modules|drivers|fmu|mpi|reproduce)\/.*\.c$/ && $0 !~ /^\/\* / {
    broken(2, "does not say in a comment what the file holds")
}
FNR == 801 { broken(801, "more than 800 lines: split by idea") }
{
    text = $0
    gsub(/[\200-\277]/, "", text)
    if (length(text) > 118)
        broken(FNR, length(text) " columns, permitted are 118")
}
/\t/ { broken(FNR, "a tab") }
/[ \t]$/ { broken(FNR, "blanks at the end of the line") }
/TODO|FIXME/ { broken(FNR, "finish it, or say in the documentation what is missing") }
$0 == "{" { start = FNR }
$0 == "}" {
    if (start && FNR - start - 1 > 80)
        broken(start, "a function of " FNR - start - 1 " lines, permitted are 80")
    start = 0
}
END { exit bad }
