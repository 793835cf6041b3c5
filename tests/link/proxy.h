/* SPDX-License-Identifier: MIT */
/* A bad network: passes datagrams between a client and a server of this machine, and loses, doubles, overtakes or
 * damages some, both ways, in a fixed random sequence. A process of its own. */
#ifndef TESTS_LINK_PROXY_H
#define TESTS_LINK_PROXY_H

#include <sys/types.h>

typedef struct proxy {
    pid_t pid;
    int port; /* to talk to instead of the server's */
} proxy;

/* percent: of each kind of trouble. */
void proxy_open(proxy *p, int server, int percent);
void proxy_close(proxy *p);

#endif
