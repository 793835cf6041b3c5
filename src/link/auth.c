/* SPDX-License-Identifier: MIT */
/* Makes and checks the seal of a datagram. */
#include "link/auth.h"

#include <sodium.h>
#include <string.h>
#include <sys/random.h>

static bool fresh(uint8_t out[IFD__AUTH_CHALLENGE])
{
    return getrandom(out, IFD__AUTH_CHALLENGE, GRND_NONBLOCK) == IFD__AUTH_CHALLENGE;
}

bool ifd__auth_begin(ifd__auth *s, const uint8_t key[IFD__AUTH_KEY], bool server)
{
    memset(s, 0, sizeof *s);
    memcpy(s->key, key, IFD__AUTH_KEY);
    s->server = server;
    return sodium_init() >= 0 && fresh(s->open) && fresh(server ? s->session : s->open);
}

static void code(const ifd__auth *s, bool of_server, const uint8_t *bytes, uint8_t out[IFD__AUTH_CODE])
{
    crypto_generichash_state state;
    const uint8_t direction = of_server ? 'S' : 'C';
    (void)crypto_generichash_init(&state, s->key, IFD__AUTH_KEY, IFD__AUTH_CODE);
    (void)crypto_generichash_update(&state, &direction, 1);
    (void)crypto_generichash_update(&state, bytes, IFD__WIRE_SIZE + IFD__AUTH_CHALLENGE);
    (void)crypto_generichash_final(&state, out, IFD__AUTH_CODE);
}

void ifd__auth_put(const ifd__auth *s, uint8_t bytes[IFD__AUTH_SIZE], bool to_session)
{
    const uint8_t *challenge = s->server && !to_session ? s->open : s->session;
    memcpy(bytes + IFD__WIRE_SIZE, challenge, IFD__AUTH_CHALLENGE);
    code(s, s->server, bytes, bytes + IFD__WIRE_SIZE + IFD__AUTH_CHALLENGE);
}

bool ifd__auth_check(ifd__auth *s, const uint8_t *bytes, size_t length)
{
    uint8_t right[IFD__AUTH_CODE];
    const uint8_t *challenge = bytes + IFD__WIRE_SIZE;
    s->greets = s->belongs = false;
    bool good = length == IFD__AUTH_SIZE;
    if (good) {
        code(s, !s->server, bytes, right);
        good = sodium_memcmp(right, challenge + IFD__AUTH_CHALLENGE, IFD__AUTH_CODE) == 0;
    }
    bool same = good && sodium_memcmp(challenge, s->session, IFD__AUTH_CHALLENGE) == 0;
    if (!s->server && s->bound)
        good = same;
    if (!good) {
        s->forged++;
        return false;
    }
    s->belongs = s->server && s->bound && same;
    s->greets = s->server && sodium_memcmp(challenge, s->open, IFD__AUTH_CHALLENGE) == 0;
    if (!s->server && !s->bound)
        memcpy(s->open, challenge, IFD__AUTH_CHALLENGE); /* received, if it answers this session */
    return true;
}

void ifd__auth_bind(ifd__auth *s)
{
    memcpy(s->session, s->open, IFD__AUTH_CHALLENGE);
    s->bound = true;
    if (s->server && !fresh(s->open)) /* without random numbers no client is accepted, which is safe */
        for (int i = 0; i < IFD__AUTH_CHALLENGE; i++)
            s->open[i] ^= s->key[i];
}
