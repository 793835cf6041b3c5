/* SPDX-License-Identifier: MIT */
/* Proof of the stop chain: what a person does at the rig, and what its inputs then read. */
#include "link/rig_trial.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/os_linux.h"
#include "rig/rig.h"

enum { STOP = IFD_INPUT_NO_STOP, POWER = IFD_INPUT_HYDRAULICS, BOTH = STOP | POWER };
static const double power_most = 5.0, alone = 2.0; /* s: until power is off after a stop; after a release */

typedef struct proof {
    ifd__trial t;
    const ifd_stop_check_options *s;
    bool dead; /* no measurement arrives */
} proof;

void ifd_stop_check_defaults(ifd_stop_check_options *s)
{
    *s = (ifd_stop_check_options){.within = 60.0, .lag = 0.05};
}

bool ifd_rig_simulated(const ifd_rig *rig, const ifd_value *values)
{
    ifd_rig r = *rig;
    r.purpose = IFD_PURPOSE_READ;
    ifd_arena *arena = r.ops->simulated ? ifd_arena_open() : NULL;
    if (!arena)
        return false;
    bool opened = ifd__rig_open(&r, values, arena, NULL) == IFD_OK, simulated = opened && ifd__rig_simulated(&r);
    if (opened)
        ifd__rig_close(&r);
    ifd_arena_close(arena);
    return simulated;
}

__attribute__((format(printf, 2, 3))) static void ask(const proof *p, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    int used = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(text + used, sizeof text - (size_t)used, " (%.3g s)", p->s->within);
    if (p->s->ask)
        p->s->ask(p->s->self, text);
}

/* One tick of a rig that is read; false: it has been silent for a second. */
static bool listen(proof *p, double *silent)
{
    ifd__trial_wait(&p->t);
    *silent = ifd__trial_sense(&p->t) ? 0.0 : *silent + p->t.o->tick;
    ifd__trial_command(&p->t, IFD_MACHINE_IDLE, 0.0, 0.0);
    p->dead = *silent > 1.0;
    return !p->dead;
}

/* Waits until the inputs of `mask` have the value `expected`; s, or -1: not within `most`. */
static double until(proof *p, uint32_t mask, uint32_t expected, double most)
{
    int64_t start = ifd__clock_now();
    double silent = 0.0, took = 0.0;
    p->t.due = start;
    while (listen(p, &silent) && took <= most) {
        took = 1e-9 * (double)(ifd__clock_now() - start);
        if ((p->t.m.inputs & mask) == expected)
            return took;
    }
    return -1.0;
}

static bool decide(proof *p, int which, bool good, const char *text)
{
    ifd__trial_judge(&p->t, which, good ? IFD_RIG_PASSED : IFD_RIG_FAILED, "%s",
                     p->dead ? "the rig does not measure any more" : text);
    if (p->s->tell)
        p->s->tell(p->s->self, &p->t.row[which]);
    return good;
}

static bool fails(proof *p, int which, const char *text)
{
    return decide(p, which, false, text);
}

static bool begins(proof *p)
{
    if (until(p, BOTH, BOTH, 0.2) < 0.0) {
        ask(p, "release the emergency stop and switch power or pressure on now");
        if (until(p, BOTH, BOTH, p->s->within) < 0.0)
            return fails(p, IFD_STOP_CHECK_BEGIN,
                         p->t.m.inputs & STOP ? "power or pressure reads off" : "the stop reads pressed");
    }
    return decide(p, IFD_STOP_CHECK_BEGIN, true, "released and on");
}

static bool presses(proof *p)
{
    char text[160];
    ask(p, "press the emergency stop now");
    double pressed = until(p, STOP, 0, p->s->within);
    if (pressed < 0.0)
        return fails(p, IFD_STOP_CHECK_PRESS, "the stop input has not changed: it is not connected");
    double off = p->s->keeps_power ? 0.0 : until(p, POWER, 0, power_most);
    if (off < 0.0)
        return fails(
            p, IFD_STOP_CHECK_PRESS,
            "stop pressed, but power or pressure stays on: the stop must cut it (or test: {stop-keeps-power: yes})");
    if (p->s->keeps_power)
        snprintf(text, sizeof text, "stop pressed after %.1f s; power stays on (stop-keeps-power)", pressed);
    else
        snprintf(text, sizeof text, "stop pressed after %.1f s; power off %.2f s later", pressed, off);
    return decide(p, IFD_STOP_CHECK_PRESS, true, text);
}

static bool releases(proof *p)
{
    ask(p, "release the emergency stop now");
    if (until(p, STOP, STOP, p->s->within) < 0.0)
        return fails(p, IFD_STOP_CHECK_RELEASE, "the stop input still reads pressed");
    if (p->s->keeps_power)
        return decide(p, IFD_STOP_CHECK_RELEASE, true, "released; power was never cut (stop-keeps-power)");
    if (until(p, BOTH | IFD_INPUT_RIG_STOPPED, BOTH, alone) >= 0.0)
        return fails(p, IFD_STOP_CHECK_RELEASE,
                     "released, and power is back by itself: it must need an action of its own");
    return decide(p, IFD_STOP_CHECK_RELEASE, !p->dead, "released; not ready by itself");
}

/* The next step needs both inputs again. */
static bool restored(proof *p, int which, const char *what)
{
    if (until(p, BOTH, BOTH, 0.2) >= 0.0)
        return true;
    ask(p, "%s", what);
    return until(p, BOTH, BOTH, p->s->within) >= 0.0 ||
           fails(p, which, p->t.m.inputs & STOP ? "power or pressure stays off" : "the stop still reads pressed");
}

typedef struct step {
    int row;
    uint32_t input;
    const char *first, *what, *good, *bad;
} step;

static const step wires[] = {
    {IFD_STOP_CHECK_WIRE, STOP, "switch power or pressure on again now", "unplug the wire of the stop input now",
     "the open wire reads \"pressed\"", "the open wire reads \"released\": wire it normally closed"},
    {IFD_STOP_CHECK_PRESSURE, POWER, "plug the wire in again, and switch power or pressure on now",
     "switch power or pressure off now", "reads \"off\"",
     "the input of power or pressure has not changed: it is not connected"},
    {IFD_STOP_CHECK_PRESSURE_WIRE, POWER, "switch power or pressure on again now",
     "unplug the wire of the power or pressure input now", "the open wire reads \"off\"",
     "the open wire reads \"on\": wire it normally closed"}};

static void prove(proof *p)
{
    bool good = begins(p) && presses(p) && releases(p);
    for (size_t i = 0; i < sizeof wires / sizeof *wires && good; i++) {
        const step *w = &wires[i];
        if (!restored(p, w->row, w->first))
            return;
        ask(p, "%s", w->what);
        bool read = until(p, w->input, 0, p->s->within) >= 0.0;
        good = decide(p, w->row, read, read ? w->good : w->bad);
    }
}

ifd_status ifd_stop_check(ifd_arena *arena, const ifd_rig_check_options *o, const ifd_stop_check_options *s,
                          ifd_rig_check_row row[IFD_STOP_CHECKS], int *failed, ifd_note *note)
{
    static const char *const what[] = {
#define ROW(name, text) text,
        IFD_STOP_CHECK_LIST(ROW)
#undef ROW
    };
    proof p = {.t = {.row = row}, .s = s};
    double took;
    for (int i = 0; i < IFD_STOP_CHECKS; i++)
        row[i] = (ifd_rig_check_row){.what = what[i], .text = "not checked"};
    IFD_TRY(ifd__trial_open(&p.t, o, IFD_PURPOSE_READ, arena, note));
    if (ifd__trial_warm(&p.t, &took, note) <= 0 || !ifd__trial_hear(&p.t)) {
        const char *why = ifd__rig_why(&p.t.rig);
        ifd__trial_judge(&p.t, IFD_STOP_CHECK_BEGIN, IFD_RIG_FAILED, "the rig is not ready%s%s", why ? ": " : "",
                         why ? why : "");
        if (s->tell)
            s->tell(s->self, &row[IFD_STOP_CHECK_BEGIN]);
    } else
        prove(&p);
    ifd__trial_close(&p.t);
    *failed = 0;
    for (int i = 0; i < IFD_STOP_CHECKS; i++)
        *failed += row[i].verdict == IFD_RIG_FAILED;
    return IFD_OK;
}
