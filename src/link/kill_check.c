/* SPDX-License-Identifier: MIT */
/* Proof of the stop after a kill: a child process moves the rig and is killed at its largest velocity. The parent
 * opens the rig again, for reading, after the time of its watchdog, and compares:
 *
 *     travel <= v (watchdog + lag) + v^2 / (2 A) + scatter
 *
 * The scatter contains two ticks of travel: the last position that the child has seen is that old. */
#include "link/rig_trial.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os_linux.h"
#include "rig/rig.h"

enum { READY_TICKS = 50 };
static const double after = 0.5; /* s: beyond the watchdog, and of the observation */

enum { STARTS, FAST, REFUSED };

/* Shared with the child, which writes it in every tick. */
typedef struct seen {
    _Atomic int phase;
    double position[IFD_RIG_CHANNELS], velocity; /* m, of the newest measurement; m/s, of the command */
    char text[160];                              /* why the child does not move */
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
    double from[IFD_RIG_CHANNELS], creeps = 0.0, travel = 0.0, least = INFINITY, v = fabs(last->velocity);
    memcpy(from, t->m.position, sizeof from);
    t->due = ifd__clock_now();
    for (long k = lround(after / o->tick); k > 0; k--) {
        (void)ifd__trial_tick(t, IFD_MACHINE_IDLE, 0.0, 0.0, 0.0);
        for (int i = 0; i < o->channels; i++)
            creeps = fmax(creeps, fabs(t->m.position[i] - from[i]));
    }
    for (int i = 0; i < o->channels; i++) {
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

static void prove(ifd__trial *t, const ifd_stop_check_options *s, const seen *last, ifd_arena *arena, ifd_note *note)
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
        prove(&t, s, last, arena, note);
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
