/* SPDX-License-Identifier: MIT */
/* Proof of the stop chain: what a person does at the rig, and what its inputs then read; proof of a kill. */
#include "link/rig_trial.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Proof of the stop after a kill: a child process moves the rig and is killed at its largest velocity. The parent
 * opens the rig again, for reading, after the time of its watchdog, and compares:
 *
 *     travel <= v (watchdog + lag) + v^2 / (2 A) + scatter
 *
 * The scatter contains two ticks of travel: the last position that the child has seen is that old. */
enum { READY_TICKS = 50 };
static const double after = 0.5; /* s: beyond the watchdog, and of the observation */

enum { STARTS, FAST, REFUSED };

/* Shared with the child, which writes it in every tick. */
typedef struct seen {
    _Atomic int phase;
    double position[IFD_RIG_ACTUATORS], velocity; /* m, of the newest measurement; m/s, of the command */
    char text[160];                               /* why the child does not move */
} seen;

static void refuse(seen *s, const char *text)
{
    snprintf(s->text, sizeof s->text, "%s", text);
    atomic_store(&s->phase, REFUSED);
}

/* Moves until it is killed. It never returns to the program. */
static void move(const ifd_rig_check_options *o, seen *s)
{
    ifd_note note;
    double took, slope;
    ifd_arena *arena = ifd_arena_open();
    ifd__trial t = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* nothing moves on without the program that observes it */
    ifd_note_init(&note, arena);
    if (!arena || ifd__trial_open(&t, o, IFD_PURPOSE_MOVE, arena, &note) != IFD_OK ||
        ifd__trial_warm(&t, &took, &note) <= 0 || !ifd__trial_hear(&t)) {
        refuse(s, arena && note.last ? note.last->text : "the rig does not become ready");
        return;
    }
    t.due = ifd__clock_now();
    for (int k = 0; k < READY_TICKS; k++)
        (void)ifd__trial_tick(&t, IFD_MACHINE_IDLE, 0.0, 0.0, 0.0);
    memcpy(t.home, t.m.position, sizeof t.home);
    ifd__trial_request_power(&t);
    for (int k = 0; k < READY_TICKS; k++)
        (void)ifd__trial_tick(&t, IFD_MACHINE_READY, 0.0, 0.0, 0.0);
    if (!ifd__trial_free(&t)) {
        refuse(s, "emergency stop, power or a stop of the rig prevents a motion");
        return;
    }
    for (long k = 1, n = lround(o->duration / o->tick); k <= n; k++) {
        double at = o->move * ifd__trial_ramp((double)k / (double)n, &slope);
        s->velocity = o->move * slope / o->duration;
        (void)ifd__trial_tick(&t, IFD_MACHINE_RUN, 0.0, at, s->velocity);
        memcpy(s->position, t.m.position, sizeof s->position);
        if (2 * k >= n)
            atomic_store(&s->phase, FAST);
    }
    for (;;) /* the parent did not come in time */
        (void)ifd__trial_tick(&t, IFD_MACHINE_RUN, 0.0, o->move, 0.0);
}

/* The process that moves, until it is killed; false: it did not move. */
static bool kill_in_motion(const ifd_rig_check_options *o, seen *s)
{
    pid_t child = fork();
    if (child == 0) {
        move(o, s);
        _exit(1);
    }
    while (child > 0 && atomic_load(&s->phase) == STARTS && waitpid(child, NULL, WNOHANG) == 0)
        ifd__clock_sleep(ifd__clock_now() + 100000);
    if (child > 0) {
        (void)kill(child, SIGKILL);
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            continue;
    }
    return atomic_load(&s->phase) == FAST;
}

/* Opens the rig again and judges what it has done alone. */
static void observe(ifd__trial *t, const ifd_stop_check_options *s, const seen *last, double scatter)
{
    const ifd_rig_check_options *o = t->o;
    double from[IFD_RIG_ACTUATORS], creeps = 0.0, travel = 0.0, least = INFINITY, v = fabs(last->velocity);
    memcpy(from, t->m.position, sizeof from);
    t->due = ifd__clock_now();
    for (long k = lround(after / o->tick); k > 0; k--) {
        (void)ifd__trial_tick(t, IFD_MACHINE_IDLE, 0.0, 0.0, 0.0);
        for (int i = 0; i < o->actuators; i++)
            creeps = fmax(creeps, fabs(t->m.position[i] - from[i]));
    }
    for (int i = 0; i < o->actuators; i++) {
        travel = fmax(travel, fabs(t->m.position[i] - last->position[i]));
        least = o->acceleration[i] > 0.0 ? fmin(least, o->acceleration[i]) : least;
    }
    double most = v * (o->watchdog + s->lag) + v * v / (2.0 * least) + scatter + 2.0 * v * o->tick;
    ifd__trial_judge(t, IFD_KILL_CHECK_RESTS, creeps <= scatter ? IFD_RIG_PASSED : IFD_RIG_FAILED,
                     "%.3g m in %.3g s, at most %.3g", creeps, after, scatter);
    ifd__trial_judge(t, IFD_KILL_CHECK_TRAVEL, travel <= most ? IFD_RIG_PASSED : IFD_RIG_FAILED,
                     "%.3g m, at most %.3g (watchdog %.3g s)", travel, most, o->watchdog);
    bool stopped = t->m.inputs & IFD_INPUT_RIG_STOPPED,
         off = !(t->m.inputs & IFD_INPUT_HYDRAULICS) || t->m.inputs & IFD_INPUT_UNPOWERED;
    ifd__trial_judge(t, IFD_KILL_CHECK_REPORTS, stopped || off ? IFD_RIG_PASSED : IFD_RIG_FAILED, "%s",
                     stopped ? "the rig reports that it has stopped"
                     : off   ? "power is off"
                             : "inputs 0x3: nothing has stopped it, or it does not report it");
}

static void prove_kill(ifd__trial *t, const ifd_stop_check_options *s, const seen *last, ifd_arena *arena,
                       ifd_note *note)
{
    double took, scatter = fmax(0.02 * t->o->move, 1e-5);
    const double peak = 1.875 * t->o->move / t->o->duration;
    bool fast = fabs(last->velocity) >= 0.5 * peak;
    ifd__trial_judge(t, IFD_KILL_CHECK_MOVES, fast ? IFD_RIG_PASSED : IFD_RIG_FAILED, "at %.3g m/s%s", last->velocity,
                     fast ? "" : ": this machine was too late; repeat the check");
    if (!fast)
        return;
    ifd__clock_sleep(ifd__clock_now() + (int64_t)(1e9 * (t->o->watchdog + after)));
    if (ifd__trial_open(t, t->o, IFD_PURPOSE_READ, arena, note) != IFD_OK) {
        ifd__trial_judge(t, IFD_KILL_CHECK_RESTS, IFD_RIG_FAILED, "it cannot be opened again");
        return;
    }
    if (ifd__trial_warm(t, &took, note) > 0 && ifd__trial_hear(t))
        observe(t, s, last, scatter);
    else
        ifd__trial_judge(t, IFD_KILL_CHECK_RESTS, IFD_RIG_FAILED, "it does not measure any more");
    ifd__trial_close(t);
}

ifd_status ifd_kill_check(ifd_arena *arena, const ifd_rig_check_options *o, const ifd_stop_check_options *s,
                          ifd_rig_check_row row[IFD_KILL_CHECKS], int *failed, ifd_note *note)
{
    static const char *const what[] = {
#define ROW(name, text) text,
        IFD_KILL_CHECK_LIST(ROW)
#undef ROW
    };
    if (!(o->move > 0.0 && o->duration > 0.0 && o->watchdog > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL, "the check of a kill needs a motion and times above 0");
    seen *last = mmap(NULL, sizeof *last, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (last == MAP_FAILED)
        return IFD_NO_MEMORY;
    ifd__trial t = {.o = o, .row = row};
    for (int i = 0; i < IFD_KILL_CHECKS; i++)
        row[i] = (ifd_rig_check_row){.what = what[i], .text = "not checked"};
    if (kill_in_motion(o, last))
        prove_kill(&t, s, last, arena, note);
    else
        ifd__trial_judge(&t, IFD_KILL_CHECK_MOVES, IFD_RIG_FAILED, "%s",
                         *last->text ? last->text : "its process ended before the motion");
    (void)munmap(last, sizeof *last);
    *failed = 0;
    for (int i = 0; i < IFD_KILL_CHECKS; i++) {
        *failed += row[i].verdict == IFD_RIG_FAILED;
        if (s->tell)
            s->tell(s->self, &row[i]);
    }
    return IFD_OK;
}
