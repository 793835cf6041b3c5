/* SPDX-License-Identifier: MIT */
/* OpenSees and OpenFresco: a structure that OpenSees computes, with specimens on our rig.
 *
 * A stock OpenSees script names its specimens with `element genericClient`; each such element opens a connection of
 * its own to this server, sends displacements and asks for forces. The server hands them to a remote (remote.h). The
 * same loop serves OpenFresco's experimental elements, its GenericTCP control, and the Matlab, Abaqus, Ansys and
 * LS-DYNA clients that speak the same messages (docs/opensees.md).
 *
 *     ifd_opensees *s;
 *     IFD_TRY(ifd_opensees_open(arena, &options, &s, note));       // listens; a thread of its own, never real-time
 *     do ifd_opensees_report_now(s, &report); while (!report.ready);     // every element has said where it starts
 *     ... run the test ...
 *     ifd_opensees_close(s);
 *
 * OpenSees never notices a server that is gone, and spins; so a test that was stopped keeps its connections and
 * answers with forces that are no numbers until the clients have left. */
#ifndef INTERFIELD_OPENSEES_H
#define INTERFIELD_OPENSEES_H

#include <interfield/exchange.h>
#include <interfield/remote.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFD_OPENSEES_ELEMENTS = 16, IFD_OPENSEES_CODES = 17, IFD_OPENSEES_TEXT = 400, IFD_OPENSEES_REASONS = 16 };

/* One connection. Matrices by rows, in SI units; NULL for zero. */
typedef struct ifd_opensees_element {
    int dofs;
    const int *dof;                           /* of the remote, in the order of the element's -node and -dof */
    const double *stiffness, *damping, *mass; /* answers to requests 12 and 13, 14, 15 */
} ifd_opensees_element;

typedef struct ifd_opensees_options {
    const char *host; /* address to listen at */
    int port;         /* 0: one that is free */
    bool udp;
    int elements;
    const ifd_opensees_element *element; /* in the order in which they connect */
    int dofs;                            /* of the remote */
    const bool *rotation;                /* of each of them */
    double length, force;                /* the script's units, in m and N */
    int order;                           /* of the predictor */
    double patience;                     /* s without a message before a client counts as lost */
    double stall;                        /* s that a message may take to arrive */
    double step;                         /* s, of the case; the script's must be equal. 0: not compared */
    double end;                          /* s: a script that ends before is not complete. 0: whenever it ends */
    int trials;                          /* displacements in a step, spread over it evenly; 0 and 1: one */
    bool rate_dependent; /* the specimens: several trials in a step are refused unless `trials` says so */
} ifd_opensees_options;

/* 127.0.0.1, port 8090, TCP, SI units, order 3, 300 s, 5 s. */
IFD_API void ifd_opensees_defaults(ifd_opensees_options *o);

typedef struct ifd_opensees_report {
    bool ready;                         /* every element has connected and said where it starts */
    int connected;                      /* clients that are there now */
    bool ended, lost, over;             /* all said good-bye; the test ended otherwise; it no longer answers */
    uint32_t word;                      /* how it ended, an ifd_remote_kind; TARGET: it has not */
    uint64_t count[IFD_OPENSEES_CODES]; /* messages by action code, 99 in the last place */
    uint64_t targets, steps, lines;     /* lines: of init files */
    uint64_t refused, strays;           /* clients turned away, datagrams of nobody */
    double answer_mean, answer_max;     /* s from a request that had to be measured to its answer */
    char last[IFD_OPENSEES_TEXT];       /* the last refusal or loss */
    char why[IFD_OPENSEES_TEXT];        /* why the test ended, when it did not end well: the first cause */
    int reasons;                        /* of refusals: different ones, */
    char reason[IFD_OPENSEES_REASONS][IFD_OPENSEES_TEXT];
    uint64_t times[IFD_OPENSEES_REASONS]; /* and how often each was given */
    double time;                          /* s that have passed in the script */
    int dismissed;                        /* refused clients that are still there; they get NaN */
} ifd_opensees_report;

typedef struct ifd_opensees ifd_opensees;

/* Binds the port and serves it on a thread of its own; remote hands the targets to the test. */
IFD_API ifd_status ifd_opensees_open(ifd_arena *arena, const ifd_opensees_options *o, ifd_remote *remote,
                                     ifd_opensees **out, ifd_note *note);
IFD_API int ifd_opensees_port(const ifd_opensees *s);
IFD_API void ifd_opensees_report_now(ifd_opensees *s, ifd_opensees_report *out);
/* From now on every force is NaN, whatever the remote says: there will be no test. */
IFD_API void ifd_opensees_give_up(ifd_opensees *s);
IFD_API void ifd_opensees_close(ifd_opensees *s);

#ifdef __cplusplus
}
#endif
#endif
