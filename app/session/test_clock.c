/* SPDX-License-Identifier: MIT */
/* Chooses the clock of a test: none, this machine, or its rig. */
#include "test_clock.h"

#include <math.h>
#include <unistd.h>

#include <interfield/link.h>

/* Two seconds of records for a reader that is delayed by its terminal or the machine; the recorder has a separate
 * queue. */
static int test_ring(double period)
{
    int size = 1024;
    while (size < 1 << 16 && size * period < 2)
        size *= 2;
    return size;
}

/* A rig with a clock, which a free-running test would drive as fast as possible. */
static bool rig_has_clock(const ifd_rig_ops *rig, const ifd_value *values)
{
    if (ifd_rig_is_virtual(rig))
        return false;
    int i = ifd_param_find(rig->params, "lockstep");
    return i < 0 || values[i].number == 0;
}

/* Of several rigs the first with a clock, or the first in lockstep; NULL: none. */
static const ifd_rig_part *one_of(const ifd_several *s, bool clock)
{
    for (int r = 0; s && r < s->rigs; r++)
        if (!ifd_rig_is_virtual(s->rig[r].ops) && rig_has_clock(s->rig[r].ops, s->rig[r].values) == clock)
            return &s->rig[r];
    return NULL;
}

bool test_clock_of_rig(const ifd_hybrid_options *o)
{
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    return s ? one_of(s, true) != NULL : rig_has_clock(o->rig, o->rig_values);
}

/* In lockstep with another program a tick waits without limit. */
bool test_clock_fits(app *a, const ifd_hybrid_options *o)
{
    bool fast = app_has(a, "--as-fast-as-possible"),
         other = o->rig == &ifd_opensees_adapter_rig || o->rig == &ifd_openfresco_rig;
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    const ifd_rig_part *part = one_of(s, fast);
    if (fast && test_clock_of_rig(o))
        app_complain(a, "rig '%s' has its own clock; --as-fast-as-possible needs a virtual rig or a rig in lockstep",
                     part ? part->name : o->rig->name);
    else if (part)
        app_complain(
            a, "rig '%s' in lockstep would make the other rigs wait; for a test in real time use 'lockstep: no'",
            part->name);
    else if (!fast && other && !test_clock_of_rig(o))
        app_complain(a,
                     "rig '%s' in lockstep needs --as-fast-as-possible; for a test in real time use 'lockstep: no'",
                     o->rig->name);
    else
        return true;
    return false;
}

static double timeout_of(const ifd_rig_ops *rig, const ifd_value *values)
{
    int i = values ? ifd_param_find(rig->params, "timeout") : -1;
    return i >= 0 ? values[i].number : 0;
}

double test_watched_period(const ifd_hybrid_options *o, double period)
{
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    bool waits = s ? one_of(s, false) != NULL : !ifd_rig_is_virtual(o->rig) && !test_clock_of_rig(o);
    return waits ? 0.0 : period;
}

double test_lockstep_timeout(const ifd_hybrid_options *o)
{
    const ifd_several *s = ifd_several_of(o->rig, o->rig_setup);
    double most = timeout_of(o->rig, o->rig_values);
    for (int r = 0; s && r < s->rigs; r++)
        most = fmax(most, timeout_of(s->rig[r].ops, s->rig[r].values));
    return most;
}

bool test_clock_choose(app *a, double period, ifd_executor_options *clock, int *port)
{
    ifd_executor_defaults(clock);
    *port = -1;
    clock->period = app_has(a, "--as-fast-as-possible") ? 0 : period;
    clock->ring = test_ring(period);
    clock->deadline = app_has(a, "--deadline");
    return app_integer(a, "--core", -1, 4095, &clock->core) &&
           app_integer(a, "--priority", 0, 99, &clock->priority) && app_integer(a, "--live", 0, 65535, port);
}

bool test_waits(const app *a, const ifd_case *c)
{
    return (isatty(STDIN_FILENO) || app_has(a, "--live")) && !app_has(a, "--exit-on-trip") &&
           !app_has(a, "--as-fast-as-possible") && !c->opensees;
}
