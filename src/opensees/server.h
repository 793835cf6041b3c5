/* SPDX-License-Identifier: MIT */
/* Internal data of the server for OpenSees: server.c (thread, clock, sockets), peer.c (meaning of messages). */
#pragma once

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>

#include <interfield/opensees.h>

#include "opensees/wire.h"

enum {
    IFD__OS_PEERS = IFD_OPENSEES_ELEMENTS + 8,
    IFD__OS_DATAGRAM_ROOM = 65536,
    IFD__OS_NOBODY = -1,
    IFD__OS_LEFT = -2
};

/* One client. Its header identifies its element. */
typedef struct ifd__os_peer {
    bool used;
    int fd;
    uint64_t serial; /* order of arrival */
    struct sockaddr_in from;
    int element; /* -1: none yet */
    ifd__osw_reader in;
    uint8_t *out;
    size_t out_size, out_at; /* a reply that is being sent */
    size_t chunk;            /* bytes in a datagram of this client */
    ifd__osw_request trial;  /* the last one */
    bool told;               /* a trial has arrived since the last target */
    bool begun;              /* a first trial has arrived */
    bool held;               /* another trial has arrived and waits for those of the other clients */
    ifd__osw_request next;
    bool counted;        /* counted as present */
    bool dismissed;      /* refused: remains until it leaves and receives NaN */
    int asked;           /* code of a request that waits for a measurement; 0: none */
    uint64_t asked_turn; /* turn of the loop in which the request arrived */
    int64_t asked_at,
        since; /* ns: arrival of the waiting request or trial; start of an incomplete message, 0: none */
} ifd__os_peer;

/* The current step of the script. */
typedef struct ifd__os_step {
    bool matrices;             /* the client requests matrices */
    bool damping, mass, asked; /* requests in this step: 14; 15; 10, 12 or 13 */
    bool timed, tried, moving; /* has a time; has tried a displacement; with a velocity or acceleration */
    bool resting;              /* its first trial arrived as in a static analysis */
    bool dynamic;              /* time advanced in the step before */
    int rounds;                /* displacements that were tried */
    uint64_t gap;              /* steps without a trial since the last step with one */
    double first, before;      /* s, time of the script: first trial of this step, and of the one before */
    uint64_t passed, said;     /* time steps that have passed; those reported to the test */
} ifd__os_step;

struct ifd_opensees {
    ifd_opensees_options o;
    ifd_remote *remote;
    int listener, wake, port; /* descriptors; the bound port */
    pthread_t thread;
    bool open, running;
    atomic_bool leave, given_up;
    ifd__os_peer peer[IFD__OS_PEERS];
    int owner[IFD_OPENSEES_ELEMENTS]; /* the peer of each element */
    ifd__os_step step;
    ifd_remote_target target;
    ifd_remote_answer measured;
    bool pending, fresh;                    /* the target waits for room in the ring; it has not been sent yet */
    uint32_t last_word;                     /* kind of message to the test; TARGET: none */
    double word_value[2];                   /* values of that message */
    bool word_said, ever_committed, silent; /* silent: for longer than patience */
    bool doubtful;                          /* UDP: unknown whether the clients are still present */
    int64_t heard, probed, answers;         /* ns; probed: last check of the ports of clients */
    double waited;
    uint64_t admitted, turn; /* turn: of the loop, counted when all clients have been read */
    uint8_t *datagram;
    ifd_opensees_report report; /* of the thread */
    pthread_mutex_t lock;       /* of its copy for others */
    ifd_opensees_report published;
};

/* Handles a whole message of a peer, or its end. Each of these functions may end the peer. */
void ifd__os_message(ifd_opensees *s, ifd__os_peer *p, ifd__osw_event event, ifd__osw_bad why);
void ifd__os_lost(ifd_opensees *s, ifd__os_peer *p, const char *why);
/* Refuses a client without an element, or one that cannot be served. */
void ifd__os_refuse(ifd_opensees *s, ifd__os_peer *p, const char *format, ...) IFD_PRINTF(3, 4);
/* Sends answers that are now measured, and targets and messages that had no room before. */
void ifd__os_catch_up(ifd_opensees *s);
bool ifd__os_over(const ifd_opensees *s);
void ifd__os_publish(ifd_opensees *s);
/* The last message to the test: for some kinds the actual and expected value, and the reason. */
void ifd__os_say(ifd_opensees *s, ifd_remote_kind kind, const double value[2], const char *why);

/* Whether all other clients have been read since this client's request: earlier messages of the script may wait in
 * their sockets. */
bool ifd__os_all_heard(const ifd_opensees *s, const ifd__os_peer *p);

void ifd__os_send(ifd_opensees *s, ifd__os_peer *p);
void ifd__os_hang_up(ifd_opensees *s, ifd__os_peer *p);
/* UDP: whether the port of a client is open; unknown for a client on another machine. */
typedef enum ifd__os_sign { IFD__OS_ALIVE, IFD__OS_GONE, IFD__OS_UNKNOWN } ifd__os_sign;
