# SPDX-License-Identifier: MIT
# Lengths, widths and licence lines of all C files, arguments of their functions; lengths of pages; words that are no longer used.
# First proves, on small files, that each of them is found. Then whether every file, function and listed row of the mutants is still there.
set -eu
awk_file=$IFD_SOURCE_DIR/tests/ground/style.awk
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { LC_ALL=C awk -f "$awk_file" "$@"; }

# expect pass|fail <what>: of the file that was written
expect() {
    if check "$work/x.c" >"$work/out"; then got=pass; else got=fail; fi
    if [ "$got" != "$1" ]; then
        echo "the check of style should $1 for $2 and did not"
        exit 1
    fi
}
begin() { echo '/* SPDX-License-Identifier: MIT */' >"$work/x.c"; }
lines() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "    x++;" }' >>"$work/x.c"; }
wide() { awk -v n="$1" -v c="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", c; print "" }' >>"$work/x.c"; }

begin && lines 799 && expect pass 'a file of 800 lines'
begin && lines 800 && expect fail 'a file of 801 lines'
begin && wide 118 x && expect pass 'a line of 118 columns'
begin && wide 118 'ä' && expect pass 'a line of 118 characters of two bytes'
begin && wide 119 x && expect fail 'a line of 119 columns'
begin && echo '{' >>"$work/x.c" && lines 80 && echo '}' >>"$work/x.c" && expect pass 'a function of 80 lines'
begin && echo '{' >>"$work/x.c" && lines 81 && echo '}' >>"$work/x.c" && expect fail 'a function of 81 lines'
begin && printf '\tint x;\n' >>"$work/x.c" && expect fail 'a tab'
begin && printf 'int x; \n' >>"$work/x.c" && expect fail 'a blank at the end'
begin && printf '/* TO''DO */\n' >>"$work/x.c" && expect fail 'something unfinished'
echo 'int x;' >"$work/x.c" && expect fail 'a file without licence'

cd "$IFD_SOURCE_DIR"
for folder in include src modules drivers app reproduce fmu mpi tests bench examples fuzz; do
    find "$folder" -name '*.[ch]'
done | sort >"$work/files"
[ "$(wc -l <"$work/files")" -gt 500 ]
LC_ALL=C xargs awk -f "$awk_file" <"$work/files"
echo "$(wc -l <"$work/files") files keep to their lengths"

# Arguments. Prescribed by others: FMI, cblas and METIS (fmu/plain_algebra.c stands in for them), libmicrohttpd, expat. The
# algebra's own take sizes and plain arrays as BLAS does: one of them, and the kernels, which are left out.
seven='fmi2Instantiate fmi2GetDirectionalDerivative fmi3InstantiateCoSimulation fmi3InstantiateModelExchange
 fmi3InstantiateScheduledExecution fmi3GetDirectionalDerivative fmi3DoStep cblas_dgemm cblas_dtrsm METIS_NodeND page_answer entity
 ifd__matmul_add'
arguments() { awk -v allowed="$1" -f "$IFD_SOURCE_DIR/tests/ground/arguments.awk" "$2"; }
defines() { printf 'static int *f(int a, long (*b)(int, int), int c,\n              int d, int e, %s)\n{\n}\n' "$1" >"$work/x.c"; }
defines 'int g' && arguments '' "$work/x.c" || { echo 'six arguments should pass'; exit 1; }
if arguments f "$work/x.c" >"$work/out"; then echo 'a function named for nothing should be found'; exit 1; fi
defines 'int g, int h'
if arguments '' "$work/x.c" >"$work/out"; then echo 'seven arguments should be found'; exit 1; fi
arguments f "$work/x.c" || { echo 'a named function should pass'; exit 1; }
grep -E '^(src|modules|drivers|app|reproduce|fmu|mpi)/' "$work/files" | grep -v '^src/algebra/kernels' |
    xargs awk -v allowed="$(echo $seven)" -f tests/ground/arguments.awk

# A fact about a row of a table is in the row: no code compares its name.
names() { grep -rnE 'strcmp\([^;"]*->name, *"' "$1" --include='*.[ch]'; }
mkdir "$work/names"
echo 'if (strcmp(m->name, other->name) == 0)' >"$work/names/x.c"
if names "$work/names"; then echo 'a comparison of two names should pass'; exit 1; fi
echo 'if (strcmp(part->step.method->name, "newmark") == 0)' >>"$work/names/x.c"
names "$work/names" >"$work/out" || { echo 'a comparison with the name of a row should be found'; exit 1; }
if names src; then echo 'a row is recognised by its name: give its table a column for the fact'; exit 1; fi

# The files that a fuzzer compiles (tools/fuzz) are where it says.
gone() {
    sed -n '/sources:/,/^ \*$/p' "$@" | tr ' ' '\n' | grep '^src/' | while read -r file; do [ -f "$file" ] || echo "$file"; done
}
printf '/* sources: src/base/arena.c\n *          src/base/moved.c\n *\n' >"$work/x.c"
[ "$(gone "$work/x.c")" = src/base/moved.c ] || { echo 'a source of a fuzzer that is not there should be found'; exit 1; }
[ -z "$(gone fuzz/*.c)" ] || { echo "sources of fuzzers that are not there: $(gone fuzz/*.c)"; exit 1; }

# Pages that are not yet in plain technical English (scope "plain" of tools/retired.txt). The list only gets shorter.
not_plain=''
plain_pages() {
    words=" $(echo $not_plain) "
    for page in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md docs/*/*.md cases/*/README.md examples/README.md packaging/debian/control; do
        name=${page##*/}
        case $words in *" ${name%.md} "*) ;; *) [ ! -f "$page" ] || echo "$page" ;; esac
    done
}

# Folders with messages, help, labels and comments that are not yet in plain technical English. The list only gets shorter.
not_plain_sources=''
plain_texts() {
    for folder in include app modules drivers reproduce fmu mpi bench examples src/*; do
        case " $(echo $not_plain_sources) " in *" $folder "*) ;; *)
            [ ! -d "$folder" ] || find "$folder" -name '*.[ch]' -o -name '*.def' -o -name '*.js' ;;
        esac
    done | xargs -r awk -f "$IFD_SOURCE_DIR/tests/ground/texts.awk"
    # Strings of tests may be data, such as names of earlier versions.
    [ ! -d tests ] || find tests fuzz -name '*.[ch]' | xargs -r awk -v comments=1 -f "$IFD_SOURCE_DIR/tests/ground/texts.awk"
}

# Pages have at most 250 lines, but for those that the program writes (case, reproduction).
for page in README.md docs/*.md docs/*/*.md; do
    case $page in docs/evidence/reproduction* | docs/reference/case.md | docs/reference/case-*) continue ;; esac
    [ "$(wc -l <"$page")" -le 250 ] || { echo "$page has more than 250 lines: divide it"; exit 1; }
done

# Sentences of pages have at most 35 words.
too_long() { # <folders of docs>
    tools/sentences --over 35 "$@" >"$work/long" || :
    [ ! -s "$work/long" ] || { cat "$work/long"; return 1; }
}
words() { awk -v n="$1" 'BEGIN { printf "A"; for (i = 1; i < n; i++) printf " word"; print "." }'; }
mkdir "$work/page"
{ words 35; words 35; echo; echo "**Words.** $(words 34)"; echo; echo "    $(words 50)"; echo; echo "| $(words 50) |"; } >"$work/page/x.md"
too_long "$work/page" || { echo 'sentences of 35 words, formulas and tables should pass'; exit 1; }
echo "- $(words 36)" >>"$work/page/x.md"
if too_long "$work/page" >"$work/out"; then echo 'a sentence of 36 words should be found'; exit 1; fi
too_long start guide reference evidence develop || { echo 'these sentences have more than 35 words: divide them'; exit 1; }

# Names that were given up: tools/retired.txt.
retired() { # of the tree in $1
    (
        cd "$1"
        bad=0
        plain_pages >"$work/plain"
        plain_texts >"$work/texts"
        while IFS="$(printf '\t')" read -r scope pattern instead; do
            case $scope in
            identifier) grep -rnE "$pattern" src app include reproduce fmu --include='*.[ch]' ;;
            file) find src app include reproduce -type f | grep -E "$pattern" ;;
            message) grep -rnoE '"([^"\\]|\\.)*"' src app --include='*.[ch]' --include='*.def' | grep -E "$pattern" ;;
            docs) grep -rnE "$pattern" . --include='*.md' --exclude-dir=build --exclude-dir=.git ;;
            plain) { xargs -r grep -HniE "$pattern" <"$work/plain" || :; grep -iE "^[^:]*:[0-9]*:.*($pattern)" "$work/texts" || :; } | grep . ;;
            *) false ;;
            esac >"$work/found" || continue
            sed "s|^|retired, use $instead: |" "$work/found"
            bad=1
        done <"$IFD_SOURCE_DIR/tools/retired.txt"
        return $bad
    )
}
mkdir -p "$work/tree/src/base" "$work/tree/app" "$work/tree/include" "$work/tree/reproduce" "$work/tree/fmu"
retired "$work/tree" >"$work/out" || { echo 'an empty tree should have no retired word'; exit 1; }
echo 'int ifd__newest_hold(void);' >"$work/tree/src/base/x.h"
if retired "$work/tree" >"$work/out"; then echo 'a retired name should be found'; exit 1; fi
mv "$work/tree/src/base/x.h" "$work/tree/src/base/util.h" && : >"$work/tree/src/base/util.h"
if retired "$work/tree" >"$work/out"; then echo 'a retired file name should be found'; exit 1; fi
rm "$work/tree/src/base/util.h"
echo 'puts("the test is led on");' >"$work/tree/app/x.c"
if retired "$work/tree" >"$work/out"; then echo 'a retired word of a message should be found'; exit 1; fi
rm "$work/tree/app/x.c"
echo 'Files are put on a shelf.' >"$work/tree/x.md"
if retired "$work/tree" >"$work/out"; then echo 'a retired word of a page should be found'; exit 1; fi
rm "$work/tree/x.md"
mkdir "$work/tree/docs"
echo 'A run is compared with the truth.' >"$work/tree/docs/x.md"
if retired "$work/tree" >"$work/out"; then echo 'a phrase that is not plain English should be found'; exit 1; fi
echo '## What to do' >"$work/tree/docs/x.md"
if retired "$work/tree" >"$work/out"; then echo 'a heading that is a question should be found'; exit 1; fi
rm "$work/tree/docs/x.md"
mkdir "$work/tree/src/plain"
echo 'puts("the rig feels nothing"); int felt;' >"$work/tree/src/plain/x.c"
if retired "$work/tree" >"$work/out"; then echo 'a message that is not plain English should be found'; exit 1; fi
echo 'f("wanted"); int says;' >"$work/tree/src/plain/x.c"
retired "$work/tree" >"$work/out" || { echo 'a single word and a name should pass'; exit 1; }
echo 'f(x); /* a comment that says so */' >"$work/tree/src/plain/x.c"
if retired "$work/tree" >"$work/out"; then echo 'a comment that is not plain English should be found'; exit 1; fi
rm "$work/tree/src/plain/x.c"
mkdir "$work/tree/tests" "$work/tree/fuzz"
echo 'f("the force that is felt"); /* legacy data */' >"$work/tree/tests/x.c"
retired "$work/tree" >"$work/out" || { echo 'a string of a test should pass'; exit 1; }
echo 'f(x); /* the force that is felt */' >"$work/tree/tests/x.c"
if retired "$work/tree" >"$work/out"; then echo 'a comment of a test that is not plain English should be found'; exit 1; fi
rm "$work/tree/tests/x.c"
echo 'f(x); // where the text stands' >"$work/tree/app/x.js"
if retired "$work/tree" >"$work/out"; then echo 'a comment of a script that is not plain English should be found'; exit 1; fi
rm "$work/tree/app/x.js"
retired "$work/tree" >"$work/out" || { echo 'a plain tree should pass'; cat "$work/out"; exit 1; }
retired "$IFD_SOURCE_DIR"
tools/mutate none --list >"$work/mutants"
tail -n 1 "$work/mutants"
