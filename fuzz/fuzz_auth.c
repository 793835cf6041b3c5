/* SPDX-License-Identifier: MIT */
/* library: all
 * runs: 60000
 *
 * Authenticated datagrams of a rig server and a test. Input without the key is refused, and the present session does
 * not change. Input with the correct code, as from an owner of the key, is accepted or not; its content is then read
 * as a message. Built and run by tools/fuzz, and part of tests/link/test_auth.c, which uses a fixed random
 * sequence. */
#include <stdlib.h>
#include <string.h>

#include "link/auth.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t fuzz_key[IFD__AUTH_KEY] = {7, 7, 7}, fuzz_other[IFD__AUTH_KEY] = {7, 7, 8};

static void fuzz_must(bool holds)
{
    if (!holds)
        abort();
}

/* Without the key: only the count of forgeries may change. */
static void fuzz_stranger(ifd__auth *s, const uint8_t *data, size_t size)
{
    ifd__auth before = *s;
    fuzz_must(!ifd__auth_check(s, data, size));
    fuzz_must(s->forged == before.forged + 1);
    fuzz_must(memcmp(s->session, before.session, sizeof s->session) == 0);
    fuzz_must(memcmp(s->open, before.open, sizeof s->open) == 0);
    fuzz_must(s->bound == before.bound && !s->greets && !s->belongs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifd__auth server, client, stranger;
    uint8_t bytes[IFD__AUTH_SIZE] = {0};
    ifd__message m;
    fuzz_must(ifd__auth_begin(&server, fuzz_key, true) && ifd__auth_begin(&client, fuzz_key, false) &&
              ifd__auth_begin(&stranger, fuzz_other, false));
    fuzz_stranger(&server, data, size);
    fuzz_stranger(&client, data, size);
    memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
    ifd__auth_put(&stranger, bytes, true);
    fuzz_stranger(&server, bytes, sizeof bytes);
    ifd__auth_put(&client, bytes, true); /* the correct code: a first greeting with any content */
    fuzz_must(ifd__auth_check(&server, bytes, sizeof bytes) && !server.greets && !server.belongs);
    (void)ifd__wire_decode(bytes, IFD__WIRE_SIZE, &m);
    ifd__auth_put(&server, bytes, false);
    fuzz_must(ifd__auth_check(&client, bytes, sizeof bytes));
    size_t at = size ? data[0] * 256u + data[size - 1] : 0;
    bytes[at % sizeof bytes] ^= 1;
    fuzz_stranger(&client, bytes, sizeof bytes);
    return 0;
}
