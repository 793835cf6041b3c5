/* SPDX-License-Identifier: MIT */
/* Conduct of a test or a characterisation by its watching thread: what the terminal prints about states, orders and
 * their answers, and the orders that the program gives by itself. */
#pragma once

#include "control.h"
#include "ears.h"
#include "events.h"
#include "start.h"
#include "test_said.h"

#include <sys/types.h>

typedef struct conduct {
    app *a;
    const ifd_hybrid *h;
    const ifd_hybrid_options *o;
    const start_rules *rules;
    const progress *shown;
    events *log;
    status_line *line;
    control *control;
    void *page;                   /* a live page, where somebody can take control; NULL: none */
    bool (*looks_on)(void *page); /* whether somebody looks at it, or did a moment ago */
    bool attached;                /* to the starting program, which must remain */
    pid_t starter;
    /* of this module */
    ifd_executor *e;
    ears *ears;
    waiting waits;
    ifd_machine told; /* last printed state */
    int asked;        /* line of the checklist that the terminal was asked last; -1: none */
    bool begun;
    int signals, trips; /* printed ones */
    bool hung_up;       /* printed */
    const char *due;    /* reason of an automatic stop that waits until a return has ended; NULL: none */
    uint64_t quit;      /* ns, of the last order quit that the program gave */
    bool unanswered;    /* it waited for an operator, and there was none */
    uint64_t alone;     /* ns, since then it waits for arm, and nobody can give an order; 0: not */
    bool abandoned;     /* the starting program has ended */
    int stopped_in;     /* 1 + the state in which the stop that ends the test was received; 0: none */
    const char *reason; /* of the last automatic stop; NULL: none */
    const char *itself; /* of the stop that ends the test, if it is automatic; NULL: a person or a signal */
    bool leaves;        /* after its hold the test ends, so that nothing is asked */
    ifd_machine before; /* state before the newest record */
    bool button;        /* of the start, in the newest record */
} conduct;

/* After the members above are set and the test is open. False after an error message. */
bool conduct_open(conduct *c, ifd_executor *e);
/* A record, before it is added to the log, which then has its order first; and after it was added. */
void conduct_hear(conduct *c, const ifd_tick_record *r);
void conduct_add(conduct *c, const ifd_tick_record *r);
void conduct_poll(conduct *c, uint64_t now);
/* An automatic stop, once. */
void conduct_stop(conduct *c, const char *why);
/* A test on hold waits for an answer: a fault, or a refused --continue. Without an operator it stops. */
void conduct_asks(conduct *c);
void conduct_close(conduct *c);
