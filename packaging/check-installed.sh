#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the packages of this folder in a bare Debian system, uses each of them as its users do, and purges them again.
# tools/deb-check runs it as root in a system that is thrown away. Exit status 1, and a line, at the first thing that is wrong.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
cd "$work"

fail() {
    echo "check-installed: $*" >&2
    exit 1
}
step() { echo "== $*"; }
# shows WORDS COMMAND...: the command succeeds and prints these words
shows() {
    words=$1
    shift
    "$@" >printed 2>&1 || fail "'$*' ended with status $?: $(tail -n 5 printed)"
    grep -q -e "$words" printed || fail "'$*' did not print '$words': $(head -n 5 printed)"
}
# Files of this system with the name of the project, without this folder, the logs of apt and dpkg, and pages that man-db formatted.
traces() {
    find / -xdev \( -path "$here" -o -path "$work" -o -path /var/log -o -path /var/cache/apt -o -path /var/cache/man -o -path /proc \) -prune -o \
        -iname '*interfield*' -print
}

step 'bare system'
[ -z "$(traces)" ] || fail "the system is not bare: $(traces)"
version=$(dpkg-deb -f "$here"/interfield_*.deb Version)

step 'installation with what the packages depend on'
apt-get -q -y install "$here"/*.deb
packages=$(for file in "$here"/*.deb; do dpkg-deb -f "$file" Package; done) # with those of debug symbols
for package in interfield libinterfield0.1 libinterfield-dev python3-interfield; do
    echo "$packages" | grep -q -x $package || fail "there is no package $package"
done
for package in $packages; do
    [ "$(dpkg-query -W -f '${db:Status-Status} ${Version}' $package)" = "installed $version" ] || fail "$package is not installed"
done
dpkg -L $packages | grep -v -F -x /. | sort -u >listed

step 'program'
shows "$version" interfield --version
shows 'tutorial' interfield docs
shows 'hybrid' interfield docs tutorial
interfield run shear-pendulum/forced --out run
[ -s run/result.h5 ] && [ -s run/summary.json ] || fail 'interfield run wrote no result'
interfield test bridge/hybrid --set time.end=2s --out test
shows 'identical' interfield replay test
interfield report test
grep -q '<html' test/report.html || fail 'interfield report wrote no page'
interfield preflight bridge/hybrid --out . || [ $? = 3 ] || fail 'interfield preflight failed' # 3: a busy machine is a caution
[ -s hybrid.certificate.html ] || fail 'interfield preflight wrote no certificate'
interfield plot run || fail 'interfield plot needs gnuplot, which the package recommends'
interfield-reproduce --help >/dev/null 2>&1 || interfield reproduce --help >/dev/null

step 'exported FMU'
interfield export-fmu bridge/hybrid --out bridge.fmu
[ -s bridge.fmu ] || fail 'interfield export-fmu wrote nothing'

step 'manual pages and completion'
apt-get -q -y --no-install-recommends install man-db bash-completion zsh >/dev/null
shows 'interfield  *- ' env MANPAGER=cat man interfield
shows 'interfield-test  *- ' env MANPAGER=cat man interfield-test
shows 'interfield' bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader interfield || [ $? = 124 ]; complete -p interfield'
shows '_interfield' zsh -f -c 'autoload -U compinit && compinit -u -D && echo $_comps[interfield]'

step 'Python'
shows "^$version /usr/lib/python3/dist-packages/" python3 -c 'import interfield; print(interfield.__version__, interfield.__file__)'
shows 'completed' python3 -c 'import interfield; print(interfield.read("test").attributes["outcome"])'

step 'C library'
apt-get -q -y --no-install-recommends install gcc libc6-dev pkgconf cmake make >/dev/null
cat >own.c <<'END'
#include <interfield/version.h>
#include <stdio.h>
int main(void)
{
    puts(ifd_version());
    return 0;
}
END
gcc -Wall -Werror own.c $(pkg-config --cflags --libs interfield) -o own
shows "^$version" ./own
gcc -Wall -Werror /usr/share/interfield/examples/embed.c $(pkg-config --cflags --libs interfield) -lm -o embed
./embed >/dev/null || fail 'examples/embed.c ended with an error'
apt-get -q -y --no-install-recommends install gfortran >/dev/null # openblas.pc of Debian 13 names -lgfortran for static linking
gcc -Wall -Werror own.c -static-libgcc $(pkg-config --cflags interfield) -Wl,-Bstatic -linterfield -Wl,-Bdynamic \
    $(pkg-config --static --libs interfield | sed 's/-linterfield//') -o own-static
shows "^$version" ./own-static

step 'unit of systemd'
apt-get -q -y --no-install-recommends install systemd >/dev/null
systemd-analyze verify --man=no /usr/share/interfield/examples/interfield-rig.service >printed 2>&1 || fail "systemd-analyze: $(cat printed)"
[ ! -s printed ] || fail "systemd-analyze: $(cat printed)"

step 'purge'
apt-get -q -y purge $packages
for package in $packages; do
    ! dpkg-query -W $package >/dev/null 2>&1 || fail "dpkg still lists $package"
done
[ -z "$(traces)" ] || fail "left behind: $(traces)"
while read -r path; do
    [ ! -e "$path" ] || dpkg -S "$path" >/dev/null 2>&1 || fail "left behind, and of no package: $path"
done <listed
cd /
rm -r "$work"
echo 'check-installed: everything passed'
