# SPDX-License-Identifier: MIT
# Every public header compiles alone, and with all the others, as C11 and as C++, without our own warnings.
set -eu
status=0
cd "$IFD_SOURCE_DIR/include"
flags='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -fsyntax-only -I.'
alone() { # <header> <compiler> <language> <standard>
    # shellcheck disable=SC2086
    if ! echo "#include <$1>" | "$2" -x "$3" -std="$4" $flags -; then
        echo "$1 does not compile alone with $2 as $4"
        status=1
    fi
}
for header in interfield/*.h; do
    alone "$header" "${CC:-gcc}" c c11
    alone "$header" "${CXX:-g++}" c++ c++11
    # An internal include would compile here and fail once installed.
    if grep -n '#[ \t]*include[ \t]*"' "$header"; then
        echo "$header includes a file by quotes: public headers include <...> only"
        status=1
    fi
done
# Together too: no name may mean two things.
for header in interfield/*.h; do echo "#include <$header>"; done >"${TMPDIR:-/tmp}/all-$$.c"
# shellcheck disable=SC2086
if ! "${CC:-gcc}" -std=c11 $flags -x c "${TMPDIR:-/tmp}/all-$$.c"; then
    echo 'the headers do not compile together'
    status=1
fi
rm -f "${TMPDIR:-/tmp}/all-$$.c"
[ $status = 0 ] && echo "$(ls interfield/*.h | wc -l) headers compile alone in C and C++, and together"
exit $status
