/* SPDX-License-Identifier: MIT */
/* The inside of the server for OpenSees: server.c (thread, clock), sockets.c, peer.c
 * (what the messages mean). */
#ifndef IFD_OPENSEES_SERVER_H
#define IFD_OPENSEES_SERVER_H

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

/* One client. Its element is known once its header has come. */
typedef struct ifd__os_peer {
    bool used;
    int fd;
    uint64_t serial; /* by the order of arrival */
    struct sockaddr_in from;
    int element; /* -1: none yet */
    ifd__osw_reader in;
    uint8_t *out;
    size_t out_size, out_at; /* a reply that is being sent */
    size_t chunk;            /* bytes in a datagram of this client */
    ifd__osw_request trial;  /* the last one */
    bool told;               /* a trial since the last target */
    bool begun;              /* a first trial */
    bool held;               /* and another one, which waits until the others have sent theirs */
    ifd__osw_request next;
    bool counted;        /* among the clients that are there */
    bool dismissed;      /* refused: stays until it leaves, and gets NaN */
    int asked;           /* the code of a request that waits for a measurement, else 0 */
    uint64_t asked_turn; /* of the loop, when it came */
    int64_t asked_at,
        since; /* ns, of the request or the trial that waits; when the message that is arriving began, 0: none is */
} ifd__os_peer;

/* The step of the script that is under way (steps.c). */
typedef struct ifd__os_step {
    bool matrices;             /* the client asks for matrices at all */
    bool damping, mass, asked; /* what it asked for in this step: 14; 15; 10, 12 or 13 */
    bool timed, tried, moving; /* has a time; has tried a displacement; with a velocity or acceleration */
    bool resting;              /* its first trial came as those of a static analysis do */
    bool dynamic;              /* time passed in the step before */
    int rounds;                /* displacements that were tried */
    uint64_t gap;              /* steps without a trial since the last one that had any */
    double first, before;      /* s, of the script: the first trial of this step, and of the one before */
    uint64_t passed, said;     /* time steps that have passed, and that the test was told of */
} ifd__os_step;

struct ifd_opensees {
    ifd_opensees_options o;
    ifd_remote *remote;
    int listener, wake, port; /* descriptors; the port that was bound */
    pthread_t thread;
    bool open, running;
    atomic_bool leave, given_up;
    ifd__os_peer peer[IFD__OS_PEERS];
    int owner[IFD_OPENSEES_ELEMENTS]; /* the peer of each element */
    ifd__os_step step;
    ifd_remote_target target;
    ifd_remote_answer measured;
    bool pending, fresh;  /* the target waits for room in the ring; it has not been sent yet at all */
    uint32_t last_word;   /* a kind of word to be said; TARGET: none */
    double word_value[2]; /* that belong to it */
    bool word_said, ever_committed, silent; /* silent: for longer than patience */
    bool doubtful;                          /* over UDP: nobody can tell whether the clients are still there */
    int64_t heard, probed, answers;         /* ns; probed: when the ports of clients were last looked at */
    double waited;
    uint64_t admitted, turn; /* turn: of the loop, counted when all clients were heard */
    uint8_t *datagram;
    pthread_mutex_t lock; /* of the report */
    ifd_opensees_report report;
};

/* What came from a peer: a whole message, or the end. All of these may end the peer. */
void ifd__os_message(ifd_opensees *s, ifd__os_peer *p, ifd__osw_event event, ifd__osw_bad why);
void ifd__os_lost(ifd_opensees *s, ifd__os_peer *p, const char *why);
/* Turns a client away that has no element, or that is of no use. */
void ifd__os_refuse(ifd_opensees *s, ifd__os_peer *p, const char *format, ...) IFD_PRINTF(3, 4);
/* Answers that have been measured meanwhile; targets and words that found no room before. */
void ifd__os_catch_up(ifd_opensees *s);
bool ifd__os_over(const ifd_opensees *s);
/* The last word to the test, with what it has and what was expected (of some kinds), and why. */
void ifd__os_say(ifd_opensees *s, ifd_remote_kind kind, const double value[2], const char *why);
/* Refused, but answered until it leaves; and what such a client sends. */
void ifd__os_dismiss(ifd_opensees *s, ifd__os_peer *p, const char *format, ...) IFD_PRINTF(3, 4);
void ifd__os_dismissed_message(ifd_opensees *s, ifd__os_peer *p, ifd__osw_event event);
void ifd__os_reply(ifd_opensees *s, ifd__os_peer *p); /* what stands in its out */
/* The script does not fit the case: the test ends, with the reason. */
void ifd__os_mismatch(ifd_opensees *s, double value, double expected, const char *format, ...) IFD_PRINTF(4, 5);

/* Steps: what a client asks for, tries and commits; target: `step` of the target that is made of its trial. */
void ifd__os_step_asks(ifd_opensees *s, const ifd__os_peer *p, ifd__osw_code code);
void ifd__os_step_trial(ifd_opensees *s, const ifd__os_peer *p, const ifd__osw_request *r);
void ifd__os_step_commit(ifd_opensees *s, const ifd__os_peer *p);
void ifd__os_step_over(ifd_opensees *s);
uint32_t ifd__os_step_target(ifd_opensees *s);
double ifd__os_step_time(const ifd_opensees *s); /* s that have passed in the script */
/* Whether the others were heard since this client asked: what a script sent before may wait in their sockets. */
bool ifd__os_all_heard(const ifd_opensees *s, const ifd__os_peer *p);

void ifd__os_set(int fd, int level, int name, int value); /* an option of a socket */
/* Sockets. Reading goes no further than a message that has to wait. */
void ifd__os_accept(ifd_opensees *s);
void ifd__os_read_client(ifd_opensees *s, ifd__os_peer *p);
void ifd__os_read_datagrams(ifd_opensees *s);
/* The client that came next after the one with this number; -1 when there is none. */
int ifd__os_younger(const ifd_opensees *s, uint64_t than);
void ifd__os_send(ifd_opensees *s, ifd__os_peer *p);
void ifd__os_hang_up(ifd_opensees *s, ifd__os_peer *p);
/* Over UDP: whether the client's port is open. Of one on another machine nobody knows. */
typedef enum ifd__os_sign { IFD__OS_ALIVE, IFD__OS_GONE, IFD__OS_UNKNOWN } ifd__os_sign;
ifd__os_sign ifd__os_port(const ifd__os_peer *p);

#endif
