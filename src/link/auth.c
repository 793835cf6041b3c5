/* SPDX-License-Identifier: MIT */
/* Makes and checks the seal of a datagram; key files. */
#include "link/auth.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/link.h>

#include "link/port.h"

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

/* Key files: 64 hexadecimal digits and a line end, readable only by the owner. */
enum { DIGITS = 2 * IFD__AUTH_KEY };

static const char *bad_owner(const struct stat *facts)
{
    if (!S_ISREG(facts->st_mode))
        return "it is not a regular file";
    if (facts->st_uid != geteuid() && facts->st_uid != 0)
        return "it belongs to another user";
    return facts->st_mode & (S_IRWXG | S_IRWXO) ? "other users can read or write it" : NULL;
}

ifd_status ifd__key_read(const char *path, uint8_t key[IFD__AUTH_KEY], ifd_note *note)
{
    char text[DIGITS + 2] = "";
    struct stat facts;
    size_t length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        ifd_note_add(note, IFD_FILE, NULL, "the key file '%s' cannot be opened: %s", path, strerror(errno));
        ifd_note_hint(
            note, "create it with `interfield key %s` and copy it to the other machine by a secure connection", path);
        return IFD_FILE;
    }
    const char *why = fstat(fd, &facts) == 0 ? bad_owner(&facts) : "it cannot be examined";
    ssize_t n = why ? 0 : read(fd, text, sizeof text);
    close(fd);
    if (why) {
        ifd_note_add(note, IFD_FILE, NULL, "the key file '%s' is refused: %s", path, why);
        ifd_note_hint(note, "as its owner, run chmod 600 %s", path);
        return IFD_FILE;
    }
    bool good = (n == DIGITS || (n == DIGITS + 1 && text[DIGITS] == '\n')) &&
                sodium_hex2bin(key, IFD__AUTH_KEY, text, DIGITS, NULL, &length, NULL) == 0 && length == IFD__AUTH_KEY;
    sodium_memzero(text, sizeof text);
    return good ? IFD_OK
                : ifd_note_add(note, IFD_FILE, NULL, "'%s' is not a key file, expected %d hexadecimal digits", path,
                               DIGITS);
}

ifd_status ifd__port_seal(ifd__port *port, const char *file, bool server, ifd_arena *arena, ifd_note *note)
{
    uint8_t key[IFD__AUTH_KEY];
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(port->seal, 1)));
    IFD_TRY(ifd__key_read(file, key, note));
    return ifd__auth_begin(port->seal, key, server)
               ? IFD_OK
               : ifd_note_add(note, IFD_INTERNAL, NULL, "the system supplies no random numbers");
}

ifd_status ifd_key_make(const char *path, ifd_note *note)
{
    uint8_t key[IFD__AUTH_KEY];
    char text[DIGITS + 1];
    if (sodium_init() < 0)
        return ifd_note_add(note, IFD_INTERNAL, NULL, "the system supplies no random numbers for a key");
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "the key file '%s' cannot be created: %s", path, strerror(errno));
    randombytes_buf(key, sizeof key);
    sodium_bin2hex(text, sizeof text, key, sizeof key);
    text[DIGITS] = '\n';
    bool good = write(fd, text, sizeof text) == (ssize_t)sizeof text && fsync(fd) == 0;
    good = close(fd) == 0 && good;
    sodium_memzero(key, sizeof key);
    sodium_memzero(text, sizeof text);
    return good ? IFD_OK : ifd_note_add(note, IFD_OUTPUT, NULL, "the key file '%s' cannot be written", path);
}
