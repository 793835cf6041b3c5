/* SPDX-License-Identifier: MIT */
/* Opens the sockets of the live page and makes its token. */
#include "page_inside.h"

#include <errno.h>
#include <netdb.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

bool page_token(char out[TOKEN + 1])
{
    unsigned char random[TOKEN / 2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(out + 2 * i, 3, "%02x", random[i]);
    return true;
}

static int listen_at(const struct addrinfo *at)
{
    int on = 1, s = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (s < 0)
        return -1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(s, at->ai_addr, at->ai_addrlen) == 0 && listen(s, SOMAXCONN) == 0)
        return s;
    int error = errno;
    close(s);
    errno = error;
    return -1;
}

static int listen_on(const struct addrinfo *list)
{
    int s = -1;
    for (const struct addrinfo *at = list; at && s < 0; at = at->ai_next)
        s = listen_at(at);
    return s;
}

int page_listen(const page_options *o, ifd_note *note)
{
    const char *host = o->host ? o->host : "127.0.0.1";
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *list;
    char port[16];
    snprintf(port, sizeof port, "%d", o->port < 0 ? PAGE_PORT : o->port);
    int error = getaddrinfo(host, port, &hints, &list);
    if (error) {
        ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "the live page cannot be served at '%s': %s", host,
                     gai_strerror(error));
        return -1;
    }
    int s = listen_on(list);
    if (s < 0 && errno == EADDRINUSE && o->port < 0) {
        freeaddrinfo(list);
        if (getaddrinfo(host, "0", &hints, &list))
            return -1;
        s = listen_on(list);
    }
    if (s < 0) {
        int why = errno;
        ifd_note_add(note, IFD_CONFLICT, NULL, "the live page cannot be served at %s port %s: %s", host, port,
                     strerror(why));
        ifd_note_hint(note,
                      why == EADDRNOTAVAIL
                          ? "no network interface of this computer has that address; 'ip addr' lists the addresses"
                          : "choose another port; 0 selects any free port");
    }
    freeaddrinfo(list);
    return s;
}
