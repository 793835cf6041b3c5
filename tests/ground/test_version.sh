# SPDX-License-Identifier: MIT
# Version and date of version.h: the changelog begins with them, program and manual pages print them. Its entry is short, and
# describes the version, not the way there.
set -eu
cd "$IFD_SOURCE_DIR"
fail() { echo "$*"; exit 1; }
of_header() { sed -n "s/^#define $1 \"\([^\"]*\)\".*/\1/p" include/interfield/version.h; }
version=$(of_header IFD_VERSION)
released=$(of_header IFD_RELEASED)
numbers=$(sed -n 's/^#define IFD_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' include/interfield/version.h | paste -sd.)
[ "$numbers" = "$version" ] || fail "version.h has the numbers $numbers, but the text $version"
date -d "$released" >/dev/null || fail "version.h: '$released' is no date"

newest=$(grep -m1 '^## ' CHANGELOG.md)
[ "$newest" = "## $version ($released)" ] || fail "CHANGELOG.md begins with '$newest', expected '## $version ($released)' as in version.h"
for line in $(awk '/^## / {if (n > 80) print start; start = NR; n = 0} {n++} END {if (n > 80) print start}' CHANGELOG.md); do
    fail "CHANGELOG.md:$line: the entry has more than 80 lines"
done
if grep -nE '\b(Before,|no longer|used to|instead of the old)' CHANGELOG.md; then
    fail "CHANGELOG.md: these lines compare with states that nobody received"
fi

[ "$("$IFD_PROGRAM" --version)" = "interfield $version" ] || fail "interfield --version prints '$("$IFD_PROGRAM" --version)'"
"$IFD_PROGRAM" help --man check 2>/dev/null | head -n 1 | grep -qF "\"$released\"" || fail "the manual page of check has another date"
