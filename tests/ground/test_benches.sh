# SPDX-License-Identifier: MIT
# Every program of bench/ compiles against the internal headers of today: make test builds none of them.
set -eu
cd "$IFD_SOURCE_DIR"
flags='-std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Iinclude -Isrc -Ibench -Itests'
status=0
for source in bench/*.c bench/rivals/*.c; do
    # shellcheck disable=SC2086
    if ! "${CC:-gcc}" $flags "$source"; then
        echo "$source does not compile: adapt it to the functions that it calls"
        status=1
    fi
done
[ $status = 0 ] && echo "$(ls bench/*.c bench/rivals/*.c | wc -l) programs of bench/ compile"
exit $status
