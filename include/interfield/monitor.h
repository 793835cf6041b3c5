/* SPDX-License-Identifier: MIT */
/* Options of the monitor of stability of a hybrid test (docs/guide/monitor.md).
 *
 *     ifd_monitor_options o;
 *     ifd_monitor_defaults(&o);
 *     o.delay_margin = 2e-3;
 *     options.monitor = &o; // of an ifd_hybrid_options (hybrid.h) */
#ifndef INTERFIELD_MONITOR_H
#define INTERFIELD_MONITOR_H

#include <stdbool.h>

#include <interfield/status.h>

IFD_BEGIN_DECLS

/* Stability watched during the test (docs/guide/monitor.md): actions at the levels caution, act and hold. */
typedef enum ifd_monitor_action {
    IFD_MONITOR_NOTE,
    IFD_MONITOR_SLOW, /* half of the rate of simulated time until the next resume */
    IFD_MONITOR_HOLD,
    IFD_MONITOR_TRIP,
    IFD_MONITOR_NONE,   /* of passivity */
    IFD_MONITOR_RETUNE, /* more lead of the compensators: 1 ms at once, again after a second */
    IFD_MONITOR_DAMP    /* a damping force in the loop while a specimen seems to deliver energy */
} ifd_monitor_action;

typedef struct ifd_monitor_options {
    ifd_monitor_action caution, act, hold;
    double window;         /* s, simulated, of the ratio of energies (1) */
    double persist;        /* s that a level must last (0.1) */
    double level;          /* rms of the target below which nothing is judged, as a fraction of the stroke (0.01) */
    double delay_margin;   /* s, of preflight; INFINITY: the delay is not judged */
    double expected_delay; /* s, of the measured position behind the target, that the margin assumes (0) */
    /* Action when a specimen seems to deliver more than a tenth of the largest energy that it has stored (none). */
    ifd_monitor_action passivity;
    double frequency;              /* Hz, of the oscillation whose growth is watched (0: none) */
    const double *expected_delays; /* of each interface instead of expected_delay; NULL: none */
    /* What the caller has decided; everything else a certificate may decide (ifd_certificate_thresholds). */
    struct {
        bool delay_margin, delay, frequency;
    } stated;
    double most_lead;    /* s, of `retune` in all (0.005) */
    double most_damping; /* N s/m, of `damp`; it has no default */
    double damp_energy;  /* largest work of the damping, as a fraction of the work done at the specimen (0.05) */
} ifd_monitor_options;

/* note, note, hold, and the values in parentheses. */
IFD_API void ifd_monitor_defaults(ifd_monitor_options *o);

IFD_END_DECLS
#endif
