/* SPDX-License-Identifier: MIT */
/* Defaults and checks of the options of a test. */
#include <math.h>

#include <interfield/several.h>

#include "rig/replay.h"
#include "rig/limits.h"

void ifd_hybrid_defaults(ifd_hybrid_options *o)
{
    *o = (ifd_hybrid_options){.lambda = 1.0,
                              .ticks_per_stage = 1,
                              .ramp_in = 2.0,
                              .settle = 0.2,
                              .brake = 0.2,
                              .creep = (double)INFINITY,
                              .creep_fraction = IFD__CREEP_FRACTION,
                              .late_limit = 3,
                              .late_time = 5e-3,
                              .stale_limit = IFD__STALE_TICKS,
                              .stale_time = IFD__STALE_TIME,
                              .stale_fraction = IFD__STALE_FRACTION,
                              .stuck_limit = 20,
                              .stuck_time = 0.2,
                              .arm_timeout = IFD__ARM_TIMEOUT,
                              .arm_samples = IFD__ARM_SAMPLES,
                              .arm_time = IFD__ARM_TIME,
                              .arm_spread = IFD__ARM_SPREAD,
                              .preload_fraction = 1e-6,
                              .preload_iterations = 20,
                              .until = (double)INFINITY,
                              .checkpoint_every = (double)INFINITY,
                              .purpose = IFD_PURPOSE_MOVE};
}

void ifd_interface_defaults(ifd_interface_options *c)
{
    *c = (ifd_interface_options){.from = IFD_GROUND,
                                 .to = IFD_GROUND,
                                 .force_factor = 1.0,
                                 .capacity = {(double)INFINITY, (double)INFINITY},
                                 .lag = IFD__UNKNOWN_LAG};
    ifd_limits_defaults(&c->limits);
}

bool ifd__hybrid_real(const ifd_hybrid_options *o)
{
    return !ifd_rigs_are_virtual(o->rig, o->rig_setup) && o->rig != &ifd__replay_rig;
}

ifd_status ifd__hybrid_check_numbers(const ifd_hybrid_options *o, ifd_note *note)
{
    const struct {
        const char *name, *unit;
        double value;
        bool endless; /* may be INFINITY */
    } rows[] = {{"lambda", "", o->lambda, false},
                {"ticks_per_stage", "", o->ticks_per_stage, false},
                {"ramp_in", " s", o->ramp_in, false},
                {"settle", " s", o->settle, false},
                {"brake", " s", o->brake, false},
                {"creep", " m/s", o->creep, true},
                {"creep_fraction", "", o->creep_fraction, false},
                {"late_limit", " ticks", o->late_limit, false},
                {"stale_limit", " ticks", o->stale_limit, false},
                {"stale_fraction", "", o->stale_fraction, false},
                {"stuck_limit", " ticks", o->stuck_limit, false},
                {"arm_timeout", " s", o->arm_timeout, true},
                {"arm_samples", "", o->arm_samples, false},
                {"arm_spread", "", o->arm_spread, false},
                {"preload_tolerance or preload_fraction", "", o->preload_tolerance + o->preload_fraction, false},
                {"preload_iterations", "", o->preload_iterations, false},
                {"until", " s", o->until, true},
                {"checkpoint_every", " s", o->checkpoint_every, true}};
    ifd_status status = IFD_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(rows[i].value > 0.0) || (!rows[i].endless && !isfinite(rows[i].value)))
            status = ifd_note_add(note, IFD_RANGE, NULL,
                                  "options of a test: %s is %g%s, expected a number above zero. Initialise with "
                                  "ifd_hybrid_defaults()",
                                  rows[i].name, rows[i].value, rows[i].unit);
    const struct {
        const char *name;
        double value;
    } times[] = {{"arm_time", o->arm_time},
                 {"late_after", o->late_after},
                 {"late_time", o->late_time},
                 {"stale_time", o->stale_time},
                 {"stuck_time", o->stuck_time}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!(times[i].value >= 0.0) || !isfinite(times[i].value))
            status = ifd_note_add(note, IFD_RANGE, NULL, "options of a test: %s is %g s, expected 0 or more",
                                  times[i].name, times[i].value);
    return status;
}
