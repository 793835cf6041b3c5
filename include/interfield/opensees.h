/* SPDX-License-Identifier: MIT */
/* OpenSees and OpenFresco: a structure computed by OpenSees, with specimens on the rig of this program.
 *
 * A standard OpenSees script defines its specimens with `element genericClient`. Each such element opens a connection
 * to this server, sends displacements and requests forces. The server passes them to a remote (remote.h). The same
 * loop serves the experimental elements of OpenFresco, its GenericTCP control, and the Matlab, Abaqus, Ansys and
 * LS-DYNA clients with the same messages (docs/guide/opensees.md).
 *
 *     ifd_opensees *s;
 *     IFD_TRY(ifd_opensees_open(arena, &options, &s, note));       // listens on a thread without real-time priority
 *     do ifd_opensees_report_now(s, &report); while (!report.ready);     // until every element has sent its start
 *     ... run the test ...
 *     ifd_opensees_close(s);
 *
 * OpenSees does not detect a closed connection and then loops forever. A stopped test therefore keeps its connections
 * and answers with NaN forces until the clients have disconnected. */
#ifndef INTERFIELD_OPENSEES_H
#define INTERFIELD_OPENSEES_H

#include <interfield/exchange.h>
#include <interfield/remote.h>

IFD_BEGIN_DECLS

enum { IFD_OPENSEES_ELEMENTS = 16, IFD_OPENSEES_CODES = 17, IFD_OPENSEES_TEXT = 400, IFD_OPENSEES_REASONS = 16 };

/* One connection. Matrices by rows, in SI units; NULL: zero. */
typedef struct ifd_opensees_element {
    int dofs;
    const int *dof;                           /* of the remote, in the order of -node and -dof of the element */
    const double *stiffness, *damping, *mass; /* answers to requests 12 and 13, 14, 15 */
} ifd_opensees_element;

typedef struct ifd_opensees_options {
    const char *host; /* local address */
    int port;         /* 0: any free port */
    bool udp;
    int elements;
    const ifd_opensees_element *element; /* in the order of connection */
    int dofs;                            /* of the remote */
    const bool *rotation;                /* of each of them */
    double length, force;                /* units of the script, in m and N */
    int order;                           /* of the predictor */
    double patience;                     /* s without a message after which a client is lost */
    double stall;                        /* s for the arrival of one message */
    double step;                         /* s, of the case; the script must have the same. 0: not compared */
    double end;                          /* s: a script that ends before is not complete. 0: any end */
    int trials;                          /* displacements per step, evenly spaced; 0 and 1: one */
    bool rate_dependent; /* of the specimens: several trials per step are refused unless `trials` permits them */
} ifd_opensees_options;

/* 127.0.0.1, port 8090, TCP, SI units, order 3, 300 s, 5 s. */
IFD_API void ifd_opensees_defaults(ifd_opensees_options *o);

typedef struct ifd_opensees_report {
    bool ready;                         /* every element has connected and sent its start */
    int connected;                      /* clients now connected */
    bool ended, lost, over;             /* all have ended properly; the test ended otherwise; no more answers */
    uint32_t word;                      /* how it ended, an ifd_remote_kind; TARGET: not ended */
    uint64_t count[IFD_OPENSEES_CODES]; /* messages by action code, 99 at the last index */
    uint64_t targets, steps, lines;     /* lines: of init files */
    uint64_t refused, strays;           /* refused clients; datagrams without a client */
    double answer_mean, answer_max;     /* s from a request that needs a measurement to its answer */
    char last[IFD_OPENSEES_TEXT];       /* the last refusal or loss */
    char why[IFD_OPENSEES_TEXT];        /* first cause of an abnormal end */
    int reasons;                        /* number of different reasons of refusals, */
    char reason[IFD_OPENSEES_REASONS][IFD_OPENSEES_TEXT];
    uint64_t times[IFD_OPENSEES_REASONS]; /* and the count of each */
    double time;                          /* s, time in the script */
    int dismissed;                        /* refused clients still connected; they receive NaN */
} ifd_opensees_report;

typedef struct ifd_opensees ifd_opensees;

/* Binds the port and serves it on a separate thread; remote passes the targets to the test. */
IFD_API ifd_status ifd_opensees_open(ifd_arena *arena, const ifd_opensees_options *o, ifd_remote *remote,
                                     ifd_opensees **out, ifd_note *note);
IFD_API int ifd_opensees_port(const ifd_opensees *s);
IFD_API void ifd_opensees_report_now(ifd_opensees *s, ifd_opensees_report *out);
/* From now on every force is NaN, independently of the remote: there will be no test. */
IFD_API void ifd_opensees_give_up(ifd_opensees *s);
IFD_API void ifd_opensees_close(ifd_opensees *s);

IFD_END_DECLS
#endif
