/* SPDX-License-Identifier: MIT */
/* A bad network: passes datagrams between a client and a server of this machine, and loses, duplicates, reorders or
 * damages some in both directions, in a fixed random sequence. A separate process. */
#pragma once

#include <sys/types.h>

typedef struct proxy {
    pid_t pid;
    int port; /* used instead of that of the server */
} proxy;

/* percent: of each kind of fault. */
void proxy_open(proxy *p, int server, int percent);
void proxy_close(proxy *p);
