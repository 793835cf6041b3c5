# SPDX-License-Identifier: MIT
# ctest: begins 6 of the first
# Does what the pages say, page by page (IFD_PAGES='docs/guide/delay.md README.md' chooses some), each in an empty folder, and compares
# what is printed with what they show. What would be in real time is made without a clock: the numbers are the same, and a busy
# machine does not matter; a plug-in has a clock of its own and keeps it.
set -eu
unset COLUMNS # pages show what is printed at 80 columns
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/bin"
# What keeps real time is not disturbed by other programs where that is granted.
urgent=
! chrt -f 10 true 2>/dev/null || urgent='chrt -f 10'
cat >"$work/bin/interfield" <<SH
#!/bin/sh
first=
case \$1 in
test | characterise) if grep -qs plugin: "\$2"; then first='$urgent'; else set -- "\$@" --as-fast-as-possible; fi ;;
rig-check) first='$urgent' ;;
rig | live) exec timeout 300 "$IFD_PROGRAM" "\$@" </dev/null ;; # a page may end it by the number of its process
esac
\$first timeout 300 "$IFD_PROGRAM" "\$@" </dev/null
got=\$?
[ \$1,\$got = preflight,3 ] || exit \$got # a page that shows a caution goes on with it
SH
cat >"$work/bin/python3" <<'SH'
#!/bin/sh
exec /usr/bin/python3 "$@"
SH
chmod +x "$work/bin/interfield" "$work/bin/python3"
export PATH="$work/bin:$PATH" INTERFIELD="$IFD_SOURCE_DIR"

# Every line of $1 must be a line of $2; runs of blanks count as one, ... stands for anything.
shown() {
    awk 'function plain(s) { gsub(/[ \t]+/, " ", s); sub(/^ /, "", s); sub(/ $/, "", s); return s }
         function fits(want, got,    n, piece, i, at, exact) {
             exact = want !~ /\.\.\./
             if (exact)
                 return want == got
             n = split(want, piece, / *\.\.\. */)
             for (i = 1; i <= n; i++) {
                 at = index(got, piece[i])
                 if (!at || (i == 1 && at != 1))
                     return 0
                 got = substr(got, at + length(piece[i]))
             }
             return piece[n] == "" || got == ""
         }
         NR == FNR { print_[++n] = plain($0); next }
         { want = plain($0); ok = want == ""
           for (i = 1; i <= n && !ok; i++) ok = fits(want, print_[i])
           if (!ok) { print "not printed: " $0; bad = 1 } }
         END { exit bad }' "$2" "$1"
}

python_here=yes
/usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null || python_here=
needs() { # <interpreter>: is it here, with what the page uses?
    case $1 in
    python) [ "$python_here" ] ;;
    octave) command -v octave >/dev/null ;;
    sh) : ;;
    *) return 1 ;;
    esac
}

page() { # <page, as seen from the top of the tree>
    page=$1
    name=$(echo "${1%.md}" | tr / -)
    mkdir "$work/$name" "$work/$name/blocks" "$work/$name/here"
    awk -v into="$work/$name/blocks" -f "$IFD_SOURCE_DIR/tests/ground/blocks.awk" "$IFD_SOURCE_DIR/$1"
    cd "$work/$name/here"
    : >../printed
    runs=0
    left_out=
    while read -r what word block expected; do
        case $what in
        file) cp "../blocks/$block" "$word" ;;
        run)
            tool=$word
            ! grep -q '^octave-cli ' "../blocks/$block" || tool=octave
            if ! needs "$tool"; then
                echo "$page: block $block needs $tool, which is not here: left out"
                left_out=yes
                continue
            fi
            left_out=
            case $word in sh) set -- sh -eu ;; python) set -- /usr/bin/python3 ;; octave) set -- octave --no-gui --quiet ;; esac
            got=0
            "$@" "../blocks/$block" >../printed 2>&1 </dev/null || got=$?
            if [ $got != "$expected" ]; then
                echo "$page: this ended with status $got, not $expected:"
                cat "../blocks/$block" ../printed
                exit 1
            fi
            runs=$((runs + 1))
            ;;
        shows)
            if [ -z "$left_out" ] && ! shown "../blocks/$block" ../printed; then
                echo "$page shows that, but this was printed:"
                cat ../printed
                exit 1
            fi
            ;;
        example) : ;; # ground.commands checks that it is possible
        *)
            echo "$page: nobody knows blocks marked '$what'"
            exit 1
            ;;
        esac
    done <../blocks/steps
    [ $runs -gt 0 ] || { echo "$page has no command that is run"; exit 1; }
    echo "$page: $runs blocks of commands do what the page says"
}

# The comparison can fail.
printf 'peak 12.5 mm at 3 s\nthe end\n' >"$work/printed"
for want in 'peak 12.5   mm at 3 s' 'peak ... at 3 s' 'the ...'; do
    echo "$want" >"$work/want"
    shown "$work/want" "$work/printed" || { echo "'$want' should be found"; exit 1; }
done
for want in 'peak 12.4 mm at 3 s' 'peak ... at 4 s' 'end'; do
    echo "$want" >"$work/want"
    ! shown "$work/want" "$work/printed" >/dev/null || { echo "'$want' should not be found"; exit 1; }
done

pages=${IFD_PAGES:-$(cd "$IFD_SOURCE_DIR" && grep -lE '^ *```[a-z]+ run' README.md CONTRIBUTING.md docs/*.md docs/*/*.md cases/*/README.md)}
for file in $pages; do
    # A plug-in's hardware is a thread of its own, which a busy machine keeps from its core: one calm attempt of five.
    tries=1
    ! grep -q rig-check "$IFD_SOURCE_DIR/$file" || tries=5
    status=1
    while [ $status != 0 ]; do
        rm -rf "${work:?}/$(echo "${file%.md}" | tr / -)"
        set +e
        (set -e; page "$file")
        status=$?
        set -e
        tries=$((tries - 1))
        [ $status = 0 ] || [ $tries -gt 0 ] || exit 1
    done
done
