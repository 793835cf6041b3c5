# SPDX-License-Identifier: MIT
# Every command that a page shows is either run (ground.pages runs blocks marked "sh run") or marked with the reason why not, as in
#     ```sh example=needs-root
# What is not run is at least possible: commands, options, shipped cases, help topics and make targets that pages name exist.
set -eu
cd "$IFD_SOURCE_DIR"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Why a command is not run by the test.
reasons='needs-root needs-network needs-hardware needs-another-program needs-test-programs takes-minutes installs-software
    runs-until-stopped written-by-reader run-by-another-test synopsis'

pages() { echo README.md CONTRIBUTING.md docs/*.md docs/*/*.md cases/*/README.md; }

marks() { # <page>: lines that show a command without a mark, or with an unknown reason
    awk -f tests/ground/commands.awk "$1"
    sed -n 's/^ *```[a-z]* example=\([a-z-]*\).*/\1/p' "$1" | sort -u | while read -r reason; do
        case " $(echo $reasons) " in
        *" $reason "*) ;;
        *) echo "$1: example=$reason: this reason is not in the list of tests/ground/test_commands.sh" ;;
        esac
    done
    sed -n 's/^ *```[a-z]* example=run-by-another-test test=\([a-z]*\)\.\([a-z_]*\) *$/\1 \2/p' "$1" | sort -u |
        while read -r folder name; do
            ls tests/"$folder"/test_"$name".[a-z]* >/dev/null 2>&1 || echo "$1: there is no test $folder.$name"
        done
}

option() { # <command> <option>: does its help know it?
    [ -f "$work/help-$1" ] || "$IFD_PROGRAM" help "$1" >"$work/help-$1" 2>/dev/null || : >"$work/help-$1"
    grep -qwe "$2" "$work/help-$1"
}

possible() { # <the words of a command>: does what it names exist? Says what does not.
    if [ "$1" = make ]; then
        grep -qE "^($2|[a-z -]+ $2)( [a-z -]+)?:" Makefile || echo "the Makefile has no target '$2'"
        return
    fi
    name=$2
    case $name in
    help)
        case ${3-} in '' | '<'* | [A-Z]*) return ;; esac
        "$IFD_PROGRAM" help "$3" >"$work/topic" 2>&1 || head -n 1 "$work/topic"
        return
        ;;
    [!a-z]*) return ;;
    esac
    option "$name" interfield || { echo "there is no command '$name'"; return; }
    if head -n 1 "$work/help-$name" | grep -q CASE; then
        case ${3-} in
        *[!a-z0-9/-]* | /* | */*/* | runs/*) ;;
        */*) [ -f "cases/$3.yaml" ] || echo "there is no shipped case '$3'" ;;
        esac
    fi
    shift 2
    for word; do
        word=${word#[}
        case $word in
        '#') break ;;
        --[a-z]*)
            word=${word%%[!a-z-]*}
            option "$name" "$word" || echo "'$name' has no option '$word'"
            ;;
        esac
    done
}

all_possible() { # <page>...: every command that is shown and not run
    awk -v commands=1 -f tests/ground/commands.awk "$@" | sort -t: -k3 -u >"$work/shown"
    set -f
    while IFS= read -r line; do
        where=${line%%: *}
        # shellcheck disable=SC2086
        possible ${line#*: } >"$work/said"
        sed "s|^|$where: |" "$work/said"
    done <"$work/shown"
    set +f
}

# Both checks can fail.
try() { # <passes|fails> <check>: of the page on stdin
    cat >"$work/page.md"
    $2 "$work/page.md" >"$work/out"
    if [ -s "$work/out" ]; then got=fails; else got=passes; fi
    [ $got = "$1" ] || { echo "$2 $got, and should not, with this page:"; cat "$work/page.md" "$work/out"; exit 1; }
}
printf 'Say this:\n\n    interfield run x.yaml\n' | try fails marks
printf '    u = K^-1 f\n\n    make no difference\n' | try fails marks
printf '    k1 = W^-1 h f\n\nText with `interfield run x.yaml`.\n' | try passes marks
printf '```\nmake demo\n```\n' | try fails marks
printf '```sh\nls\n```\n' | try fails marks
printf '```sh run\ninterfield run x.yaml\n```\n' | try passes marks
printf '```sh example=needs-root\nsudo make install\n```\n' | try passes marks
printf '```sh example=because\nsudo make install\n```\n' | try fails marks
printf '```sh example=run-by-another-test test=app.rig\nls\n```\n' | try passes marks
printf '```sh example=run-by-another-test\nls\n```\n' | try fails marks
printf '```sh example=run-by-another-test test=app.no_such_test\nls\n```\n' | try fails marks
printf '```sh runs\nls\n```\n' | try fails marks
printf '```yaml\ntitle: x\n```\n' | try passes marks
printf '`interfield stability CASE --critical` and `make test`, `interfield help rts`, `interfield run bridge/hybrid`\n' |
    try passes all_possible
for line in 'interfield stability CASE --criticla' 'interfield stabilty CASE' 'make tests' 'interfield help rst' 'interfield run bridge/hybird'; do
    printf '`%s`\n' "$line" | try fails all_possible
    printf '```sh example=takes-minutes\n%s\n```\n' "$line" | try fails all_possible
done

status=0
for page in $(pages); do
    marks "$page" >"$work/out"
    [ -s "$work/out" ] || continue
    cat "$work/out"
    echo '    mark the block "sh run" (ground.pages runs it) or "sh example=REASON" (test_commands.sh lists the reasons)'
    status=1
done
# shellcheck disable=SC2046
all_possible $(pages) >"$work/impossible"
if [ -s "$work/impossible" ]; then
    cat "$work/impossible"
    status=1
fi
echo "$(wc -l <"$work/shown") different commands are shown without being run"
exit $status
