#!/bin/sh
# SPDX-License-Identifier: MIT
# ctest: never with sanitizers
# Manual pages, completion and the command docs: every command and every option, in forms that man, bash and zsh accept.
set -u
. "$IFD_SOURCE_DIR/tests/app/program.sh"
names=$(sed -n 's/^COMMAND(\(.*\))/\1/p' "$IFD_SOURCE_DIR/app/commands.def" | tr _ -)

# Every option that help lists is on the manual page, and troff has nothing to warn of.
for name in $names; do
    "$IFD_PROGRAM" help --man "$name" >page.1 2>err || fail "no manual page of $name"
    MANWIDTH=200 LC_ALL=C.UTF-8 man --warnings -l page.1 >page 2>warned </dev/null || fail "man cannot read the page of $name"
    [ ! -s warned ] || fail "man warns of the page of $name: $(cat warned)"
    "$IFD_PROGRAM" help "$name" >out
    for option in $(sed -n 's/^    \(--[a-z-]*\) .*/\1/p' out); do
        grep -q -e "^ *$option" page || fail "the manual page of $name lacks $option"
    done
done
try 0 help --man test
says "^The case file also has a key 'test':"
try 0 help --man run
! grep -q 'CASE FILE' out || fail 'no key of the case file is called run'
try 0 help --man
for name in $names; do
    grep -q "interfield.-$(echo "$name" | sed 's/-/./g') (1)" out || fail "interfield(1) does not name $name"
done
try 2 help --man rum
complains "did you mean 'run'"
try 2 help --completion fish
complains 'bash or zsh'

# Bash: what a TAB would offer.
try 0 help --completion bash
cp out completion.bash
mkdir bin
ln -s "$IFD_PROGRAM" bin/interfield
mkdir result
: >mine.yaml
complete_words() { # WORDS...: the last one is being typed
    PATH=$PWD/bin:$PATH bash -c '. ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _interfield 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' \
        bash "$@" >out 2>err
}
offers() { grep -q -x -e "$1" out || fail "completion lacks $1"; }
complete_words interfield pre
offers preflight
[ "$(wc -l <out)" = 1 ] || fail 'completion offers more than preflight'
complete_words interfield run --o
offers --out
complete_words interfield run bri
offers bridge/hybrid
complete_words interfield run min
offers mine.yaml
complete_words interfield plot res
offers result
complete_words interfield plot result --format p
offers png
complete_words interfield spectrum lsr
offers lsrt2
complete_words interfield list comp
offers compensators
complete_words interfield serve ope
offers opensees

# Zsh accepts it, and the function knows every command.
try 0 help --completion zsh
cp out _interfield
if command -v zsh >/dev/null; then
    zsh -f -c 'fpath=($PWD $fpath); autoload -Uz compinit && compinit -u -D && autoload +X _interfield && print ${_comps[interfield]}' >out 2>err
    says '^_interfield$'
    [ ! -s err ] || fail 'zsh complains'
fi
for name in $names; do
    grep -q -e "^        ($name)$" _interfield || fail "the completion of zsh lacks $name"
done

try 0 docs
says '^    tutorial  *[A-Z]'
try 0 docs tutorial
cmp -s out "$IFD_SOURCE_DIR/docs/start/tutorial.md" || fail 'docs prints another text than the page'
try 0 docs tutorial.md --json
./json_ok <out >err 2>&1 || fail 'docs --json is no JSON'
try 2 docs tutoral
complains "did you mean 'tutorial'"
try 2 docs ../README
[ "$failures" = 0 ]
