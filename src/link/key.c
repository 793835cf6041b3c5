/* SPDX-License-Identifier: MIT */
/* Key files: 64 hexadecimal digits and a line end, readable only by the owner. */
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/link.h>

#include "link/auth.h"
#include "link/port.h"

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
