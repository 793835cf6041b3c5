/* SPDX-License-Identifier: MIT */
/* Checks a rig against the requirements, one after the other. */
#include "link/rig_trial.h"

#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <interfield/link.h>

#include "base/os_linux.h"
#include "rig/rig.h"
#include "rig/quintic.h"

/* Ticks of a rig without a test. */

ifd_status ifd__trial_open(ifd__trial *t, const ifd_rig_check_options *o, ifd_purpose purpose, ifd_arena *arena,
                           ifd_note *note)
{
    t->o = o;
    t->rig = (ifd_rig){.ops = o->rig,
                       .actuators = o->actuators,
                       .tick = o->tick,
                       .data = o->setup,
                       .folder = o->folder,
                       .purpose = purpose};
    memcpy(t->rig.acceleration, o->acceleration, sizeof t->rig.acceleration);
    if (o->map)
        ifd__channel_map_rates(o->map, t->rig.acceleration);
    t->rig.beat = o->beat;
    t->rig.number = 1;
    IFD_TRY(ifd__rig_open(&t->rig, o->values, arena, note));
    if (t->rig.size > 0 && !(t->x = ifd_arena_array(arena, (size_t)t->rig.size, sizeof *t->x))) {
        ifd__trial_close(t);
        return IFD_NO_MEMORY;
    }
    if (o->rig->begin)
        o->rig->begin(&t->rig, t->x);
    return IFD_OK;
}

void ifd__trial_close(ifd__trial *t)
{
    ifd__rig_close(&t->rig);
}

int ifd__trial_warm(ifd__trial *t, double *took, ifd_note *note)
{
    int64_t start = ifd__clock_now(), tick = (int64_t)(1e9 * t->o->tick), due = start / tick * tick;
    int ready = 0;
    while ((ready = ifd__rig_warm(&t->rig, note)) == 0 && 1e-9 * (double)(ifd__clock_now() - start) < t->o->ready)
        ifd__clock_sleep(due += tick);
    *took = 1e-9 * (double)(ifd__clock_now() - start);
    return ready;
}

void ifd__trial_wait(ifd__trial *t)
{
    int64_t tick = (int64_t)(1e9 * t->o->tick), due = (t->due / tick + 1) * tick, ready = ifd__clock_now();
    due = due > ready ? due : ready; /* calls longer than a tick are assessed separately */
    ifd__beat_mark(t->rig.beat, IFD_AT_WAIT, 0, 1);
    ifd__clock_sleep(due);
    int64_t now = ifd__clock_now();
    double behind = 1e-9 * (double)(now - due);
    t->waits++;
    t->due = due;
    if (behind > IFD_LATE_AFTER * t->o->tick) {
        t->late++;
        t->lateness = fmax(t->lateness, behind);
        t->lateness_now = fmax(t->lateness_now, behind);
        t->due = now;
    }
}

/* Number of preemptions of this thread. */
static long preemptions(void)
{
    struct rusage use;
    return getrusage(RUSAGE_THREAD, &use) == 0 ? use.ru_nivcsw : 0;
}

/* Duration of a call; a call with a preemption is not representative. */
static void count_call(ifd__trial *t, double took, long preempted, double *slowest)
{
    if (preempted) {
        t->preempted++;
        return;
    }
    *slowest = fmax(*slowest, took);
    t->sum += took;
    t->calls++;
}

bool ifd__trial_sense(ifd__trial *t)
{
    long taken_away = preemptions();
    int64_t before = ifd__clock_now();
    bool fresh = ifd__rig_sense(&t->rig, &t->raw, t->x);
    double took = 1e-9 * (double)(ifd__clock_now() - before);
    count_call(t, took, preemptions() - taken_away, &t->slowest_sense);
    t->ticks++;
    t->m.inputs = t->raw.inputs; /* it can stop without a measurement */
    if (!fresh)
        return false;
    ifd_measure m = t->raw;
    if (t->o->map)
        ifd_channel_map_sense(t->o->map, &t->raw, &m, NULL);
    t->news++;
    t->old_news += t->news > 1 && m.time <= t->m.time;
    t->untrue += m.tick > t->c.tick || (t->news > 1 && m.tick < t->m.tick);
    t->m = m;
    return true;
}

void ifd__trial_command(ifd__trial *t, ifd_machine state, double offset, double velocity)
{
    t->c.tick++;
    t->c.heartbeat++;
    t->c.time += t->o->tick;
    t->c.state = (uint32_t)state;
    t->c.commanded = state != IFD_MACHINE_IDLE;
    t->c.outputs = (t->enabled ? IFD_OUTPUT_ENABLE : 0u) | (t->c.tick & 1u ? IFD_OUTPUT_BEAT : 0u);
    t->c.actuators = (uint32_t)t->o->actuators;
    for (int k = 0; k < t->o->actuators; k++) {
        t->c.position[k] = t->home[k] + offset;
        t->c.velocity[k] = velocity;
    }
    ifd_command raw = t->c;
    if (t->o->map)
        ifd_channel_map_command(t->o->map, &t->c, &raw);
    long taken_away = preemptions();
    int64_t before = ifd__clock_now();
    ifd__rig_command(&t->rig, &raw, t->x);
    double took = 1e-9 * (double)(ifd__clock_now() - before);
    count_call(t, took, preemptions() - taken_away, &t->slowest_command);
}

/* In each tick, for a second: a driver counts the ticks without a measurement. */
bool ifd__trial_hear(ifd__trial *t)
{
    t->due = ifd__clock_now();
    for (double seconds = 0.0; !ifd__trial_sense(t); seconds += t->o->tick) {
        if (seconds >= 1.0)
            return false;
        ifd__trial_wait(t);
    }
    return true;
}

/* The largest distance of a position from home + offset. */
static double farthest(const ifd__trial *t, double offset)
{
    double most = 0.0;
    for (int k = 0; k < t->o->actuators; k++)
        most = fmax(most, fabs(t->m.position[k] - t->home[k] - offset));
    return most;
}

double ifd__trial_tick(ifd__trial *t, ifd_machine state, double from, double offset, double velocity)
{
    ifd__trial_wait(t);
    double off = ifd__trial_sense(t) ? farthest(t, from) : 0.0;
    ifd__trial_command(t, state, offset, velocity);
    return off;
}

void ifd__trial_request_power(ifd__trial *t)
{
    const double longest = 5.0, allows = 60.0; /* s, of the drives and of the operator of a rig server */
    t->due = ifd__clock_now();
    for (int64_t end = t->due + (int64_t)(1e9 * allows); /* a request would be without effect before */
         t->m.inputs & IFD_INPUT_NOT_ALLOWED && ifd__clock_now() < end;)
        (void)ifd__trial_tick(t, IFD_MACHINE_IDLE, 0.0, 0.0, 0.0);
    t->enabled = true;
    for (int64_t end = ifd__clock_now() + (int64_t)(1e9 * longest);
         t->m.inputs & IFD_INPUT_UNPOWERED && ifd__clock_now() < end;)
        (void)ifd__trial_tick(t, IFD_MACHINE_IDLE, 0.0, 0.0, 0.0);
}

bool ifd__trial_free(const ifd__trial *t)
{
    return (t->m.inputs & ~(uint32_t)(IFD_INPUT_START | IFD_INPUT_UNPOWERED)) ==
           (IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS);
}

double ifd__trial_ramp(double s, double *slope)
{
    *slope = 30.0 * s * s * (1.0 - s) * (1.0 - s);
    return ifd__rest_to_rest(0.0, 1.0, s);
}

void ifd__trial_judge(ifd__trial *t, int which, ifd_rig_verdict v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->row[which].verdict = v;
    vsnprintf(t->row[which].text, sizeof t->row[which].text, format, args);
    va_end(args);
}

enum { LISTEN_TICKS = 300, AGREE_TICKS = 50 };

void ifd_rig_check_defaults(ifd_rig_check_options *o)
{
    *o = (ifd_rig_check_options){.actuators = 1, .tick = 1e-3, .duration = 1.0, .watchdog = 1.0, .ready = 60.0};
}

static ifd_rig_verdict passed(bool good)
{
    return good ? IFD_RIG_PASSED : IFD_RIG_FAILED;
}

/* Without permission to move nothing is commanded and nothing receives power. */
static ifd_machine still(const ifd__trial *t)
{
    return t->o->move > 0.0 ? IFD_MACHINE_READY : IFD_MACHINE_IDLE;
}

static bool all_finite(const ifd__trial *t)
{
    bool good = isfinite(t->m.time);
    for (int k = 0; k < t->o->actuators; k++)
        good = good && isfinite(t->m.position[k]) && isfinite(t->m.force[k]);
    for (uint32_t k = 0; k < t->m.aux && k < IFD_RIG_AUX; k++)
        good = good && isfinite(t->m.auxiliary[k]);
    return good;
}

/* Digital inputs and measurements are judged afterwards. */
static bool warms(ifd__trial *t, ifd_note *note)
{
    double took;
    int ready = ifd__trial_warm(t, &took, note);
    const char *why = ifd__rig_why(&t->rig);
    if (!ifd__rig_warms(&t->rig))
        ifd__trial_judge(t, IFD_RIG_CHECK_WARMS, IFD_RIG_PASSED, "it has nothing to prepare");
    else if (ready > 0)
        ifd__trial_judge(t, IFD_RIG_CHECK_WARMS, IFD_RIG_PASSED, "after %.3g s", took);
    else
        ifd__trial_judge(t, IFD_RIG_CHECK_WARMS, IFD_RIG_FAILED, "%s after %.3g s%s%s",
                         ready < 0 ? "it gives up" : "not ready", took, why ? ": " : "", why ? why : "");
    return ready > 0;
}

/* Missing power and a pressed stop are information for a rig that is only read. */
static bool inputs(ifd__trial *t)
{
    if (t->o->move > 0.0)
        ifd__trial_request_power(t);
    bool free_to_move = ifd__trial_free(t);
    bool reads = t->o->move == 0.0 && !(t->m.inputs & IFD_INPUT_RIG_STOPPED);
    ifd__trial_judge(t, IFD_RIG_CHECK_INPUTS, free_to_move || !reads ? passed(free_to_move) : IFD_RIG_SKIPPED,
                     "inputs 0x%x, expected 0x3%s%s", t->m.inputs, free_to_move || !reads ? "" : " for motion",
                     t->m.inputs & IFD_INPUT_NOT_ALLOWED ? "; its operator has not typed allow" : "");
    return free_to_move || reads;
}

static bool speaks(ifd__trial *t)
{
    bool fresh = ifd__trial_hear(t);
    bool good = fresh && all_finite(t) && t->m.actuators == (uint32_t)t->o->actuators && t->m.aux <= IFD_RIG_AUX;
    ifd__trial_judge(t, IFD_RIG_CHECK_SPEAKS, passed(good), "%s",
                     good                                          ? "measurements arrive"
                     : !fresh                                      ? "no measurement arrived"
                     : t->m.actuators != (uint32_t)t->o->actuators ? "it measures a different number of actuators"
                     : t->m.aux > IFD_RIG_AUX                      ? "it has too many auxiliary inputs"
                                                                   : "a number is not finite");
    return good && inputs(t);
}

/* m, permitted apparent motion of a rig at rest: a tenth of its travel, or the scatter of good sensors. */
static double scatter(const ifd__trial *t)
{
    return t->o->move > 0.0 ? 0.1 * t->o->move : 1e-4;
}

/* Compares the first measurement with later ones, without commands. A test uses several samples for its first
 * command, but a rig should not need this. */
static void agrees(ifd__trial *t)
{
    double first[IFD_RIG_ACTUATORS], off = 0.0;
    memcpy(first, t->m.position, sizeof first);
    memset(t->home, 0, sizeof t->home); /* as before the first command of a test */
    t->due = ifd__clock_now();
    for (int k = 0; k < AGREE_TICKS; k++) {
        ifd__trial_wait(t);
        ifd__trial_command(t, IFD_MACHINE_IDLE, 0.0, 0.0);
        (void)ifd__trial_sense(t);
    }
    for (int k = 0; k < t->o->actuators; k++)
        off = fmax(off, fabs(first[k] - t->m.position[k]));
    memcpy(t->home, t->m.position, sizeof t->home);
    ifd__trial_judge(t, IFD_RIG_CHECK_AGREES, passed(off <= scatter(t)), "%.3g m, at most %.3g", off, scatter(t));
}

/* Positions in a command with `commanded` 0 must not be used; they differ here to detect this. */
static void ignores(ifd__trial *t)
{
    double most = 0.0, offset = 0.5 * t->o->move;
    for (int k = 0; k < LISTEN_TICKS; k++)
        most = fmax(most, ifd__trial_tick(t, IFD_MACHINE_IDLE, 0.0, offset, 0.0));
    bool keeps = most <= scatter(t);
    ifd__trial_judge(t, IFD_RIG_CHECK_IGNORES, passed(keeps), "%.3g m, at most %.3g%s", most, scatter(t),
                     keeps ? "" : ": the rig moves although `commanded` is 0");
}

/* Constant command. */
static void stands(ifd__trial *t)
{
    double most = 0.0, allowed = scatter(t);
    t->ticks = t->news = t->old_news = 0;
    t->slowest_sense = t->slowest_command = t->sum = 0.0;
    t->calls = 0;
    t->due = ifd__clock_now();
    for (int k = 0; k < LISTEN_TICKS; k++) {
        ifd__trial_wait(t);
        if (ifd__trial_sense(t))
            most = fmax(most, farthest(t, 0.0));
        if (k > 50 && t->c.tick > t->m.tick)
            t->behind = fmax(t->behind, (double)(t->c.tick - t->m.tick));
        ifd__trial_command(t, still(t), 0.0, 0.0);
    }
    double share = (double)t->news / LISTEN_TICKS;
    ifd__trial_judge(t, IFD_RIG_CHECK_NEWS, passed(!t->old_news), "%ld of %ld measurements were not newer",
                     t->old_news, t->news);
    ifd__trial_judge(t, IFD_RIG_CHECK_PUNCTUAL, passed(share > 0.8), "%.1f %% of ticks, at least 80 %%",
                     100.0 * share);
    ifd__trial_judge(t, IFD_RIG_CHECK_HEARS, passed(t->behind <= 10.0 && t->untrue == 0),
                     "%.3g ticks behind, at most 10; %ld acknowledged ticks were never sent or decreased", t->behind,
                     t->untrue);
    ifd__trial_judge(t, IFD_RIG_CHECK_STANDS, passed(most <= allowed), "%.3g m, at most %.3g", most, allowed);
    double mean = t->calls ? t->sum / (double)t->calls * 2.0 : 0.0, allowed_mean = 0.1 * t->o->tick;
    ifd__trial_judge(t, IFD_RIG_CHECK_QUICK, passed(mean <= allowed_mean),
                     "%.1f us of a tick, at most %.1f; slowest sense %.1f, command %.1f us", 1e6 * mean,
                     1e6 * allowed_mean, 1e6 * t->slowest_sense, 1e6 * t->slowest_command);
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
static size_t taken(void)
{
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

/* On a thread without earlier allocations: the first allocation creates a thread cache, which remains allocated.
 * Whether this is measurable is checked at the end. */
static void *frugal(void *trial_)
{
    ifd__trial *t = trial_;
    size_t before = taken();
    ifd__beat_at(t->rig.beat, IFD_AT_NONE);
    ifd__clock_sleep(ifd__clock_now() + 50000000);
    size_t quiet = taken(), after;
    for (int k = 0; k < 50; k++)
        (void)ifd__trial_tick(t, still(t), 0.0, 0.0, 0.0);
    after = taken();
    void *volatile probe = malloc(24);
    free(probe);
    if (before != quiet || taken() == after)
        ifd__trial_judge(t, IFD_RIG_CHECK_FRUGAL, IFD_RIG_SKIPPED, "not measurable: %s",
                         before != quiet ? "other threads of the rig allocate memory"
                                         : "the allocator does not report it");
    else
        ifd__trial_judge(t, IFD_RIG_CHECK_FRUGAL, passed(after == quiet), "%zu bytes%s", after - quiet,
                         t->o->rig == &ifd_udp_rig || t->o->rig == &ifd_shm_rig ? " by this side of the link" : "");
    return NULL;
}
#else
static void *frugal(void *trial_)
{
    ifd__trial_judge(trial_, IFD_RIG_CHECK_FRUGAL, IFD_RIG_SKIPPED, "not measurable with this C library");
    return NULL;
}
#endif

static void try_memory(ifd__trial *t)
{
    pthread_t thread;
    t->due = ifd__clock_now();
    if (pthread_create(&thread, NULL, frugal, t) == 0)
        (void)pthread_join(thread, NULL);
}

/* How many of AGREE_TICKS sleeps, of a tick each, this machine ends half a tick late or later. */
static int late_sleeps(int64_t tick)
{
    int late = 0;
    for (int k = 0; k < AGREE_TICKS; k++) {
        int64_t due = ifd__clock_now() + tick;
        ifd__clock_sleep(due);
        late += ifd__clock_now() - due > tick / 2;
    }
    return late;
}

/* The clock of the rig: a deadline that has passed, then a tick for each sample. A machine that ends its own sleeps
 * late, too, cannot judge the rig. */
static void waits(ifd__trial *t)
{
    int64_t tick = (int64_t)(1e9 * t->o->tick);
    int came = 0, beyond = 0; /* a busy machine wakes some of them late */
    if (!ifd__rig_paces(&t->rig)) {
        ifd__trial_judge(t, IFD_RIG_CHECK_WAITS, IFD_RIG_SKIPPED, "it has no clock for `pace: rig`");
        return;
    }
    for (int k = 0; k < AGREE_TICKS; k++) {
        int64_t before = ifd__clock_now(), latest = k ? before + 2 * tick : before;
        came += ifd__rig_wait(&t->rig, latest) >= 0 && k > 0;
        beyond += ifd__clock_now() - latest > tick / 2;
        (void)ifd__trial_sense(t);
        ifd__trial_command(t, still(t), 0.0, 0.0);
    }
    bool good = beyond < AGREE_TICKS / 2 && came > AGREE_TICKS / 2;
    int own = beyond < AGREE_TICKS / 2 ? 0 : late_sleeps(tick);
    if (came > AGREE_TICKS / 2 && own && beyond - own < AGREE_TICKS / 4) {
        ifd__trial_judge(t, IFD_RIG_CHECK_WAITS, IFD_RIG_SKIPPED,
                         "this machine ends %d of %d sleeps late, too: repeat on an idle machine", own, AGREE_TICKS);
        return;
    }
    if (!good && 2 * t->late > t->waits) {
        ifd__trial_judge(t, IFD_RIG_CHECK_WAITS, IFD_RIG_SKIPPED,
                         "%ld of %ld ticks of this program were late: repeat on an idle machine", t->late, t->waits);
        return;
    }
    ifd__trial_judge(t, IFD_RIG_CHECK_WAITS, passed(good), "%d of %d samples came; %d waits beyond the deadline",
                     came, AGREE_TICKS - 1, beyond);
}

/* Smooth motion from one offset to another; returns the largest distance between command and measurement. */
static double travel(ifd__trial *t, double from, double to, double share)
{
    long n = lround(share * t->o->duration / t->o->tick);
    double most = 0.0, slope, offset = from;
    for (long k = 1; k <= n; k++) {
        double before = offset;
        offset = from + (to - from) * ifd__trial_ramp((double)k / (double)n * share, &slope);
        most = fmax(most, ifd__trial_tick(t, IFD_MACHINE_RUN, before, offset, (to - from) * slope / t->o->duration));
    }
    return most;
}

static void rest(ifd__trial *t, double offset, double seconds)
{
    for (long k = lround(seconds / t->o->tick); k > 0; k--)
        (void)ifd__trial_tick(t, IFD_MACHINE_RUN, 0.0, offset, 0.0);
}

/* During lateness of this program the actuator rests: that part of the distance, at the largest velocity of the ramp,
 * 1.875 times the mean, is not due to the rig. */
static double own_distance(const ifd__trial *t)
{
    return 1.875 * t->o->move / t->o->duration * t->lateness_now;
}

static void follows(ifd__trial *t)
{
    t->due = ifd__clock_now();
    t->lateness_now = 0.0;
    double off = travel(t, 0.0, t->o->move, 1.0);
    rest(t, t->o->move, 0.3);
    double left = farthest(t, t->o->move);
    off = fmax(off, travel(t, t->o->move, 0.0, 1.0));
    rest(t, 0.0, 0.3);
    left = fmax(left, farthest(t, 0.0));
    double own = own_distance(t);
    bool good = off <= 0.25 * t->o->move + own && left <= 0.05 * t->o->move;
    ifd__trial_judge(t, IFD_RIG_CHECK_FOLLOWS, passed(good),
                     "deviation %.3g m during the motion, at most %.3g; %.3g m at the end, at most %.3g", off,
                     0.25 * t->o->move + own, left, 0.05 * t->o->move);
}

/* Only reads; returns the travel of the positions meanwhile. */
static double listen(ifd__trial *t, double seconds)
{
    double from[IFD_RIG_ACTUATORS], most = 0.0;
    memcpy(from, t->m.position, sizeof from);
    for (long k = lround(seconds / t->o->tick); k > 0; k--) {
        ifd__trial_wait(t);
        (void)ifd__trial_sense(t);
        for (int i = 0; i < t->o->actuators; i++)
            most = fmax(most, fabs(t->m.position[i] - from[i]));
    }
    return most;
}

/* Commands stop half way. */
static void watches(ifd__trial *t)
{
    if (t->rig.size > 0) {
        ifd__trial_judge(t, IFD_RIG_CHECK_WATCHES, IFD_RIG_SKIPPED,
                         "a simulation in this process moves only with commands");
        ifd__trial_judge(t, IFD_RIG_CHECK_REPORTS, IFD_RIG_SKIPPED, "as above");
        return;
    }
    t->due = ifd__clock_now();
    (void)travel(t, 0.0, t->o->move, 0.5);
    (void)listen(t, t->o->watchdog);
    double creeps = listen(t, 0.2), away = farthest(t, 0.0);
    bool good = creeps <= 0.02 * t->o->move && away <= 1.5 * t->o->move;
    ifd__trial_judge(t, IFD_RIG_CHECK_WATCHES, passed(good),
                     "after %.3g s it moves %.3g m in 0.2 s, at most %.3g; %.3g m from its first position",
                     t->o->watchdog, creeps, 0.02 * t->o->move, away);
    bool says = t->m.inputs & IFD_INPUT_RIG_STOPPED;
    double before = t->m.position[0], at = t->m.position[0] - t->home[0];
    for (int k = 0; k < 100; k++)
        (void)ifd__trial_tick(t, IFD_MACHINE_RUN, 0.0, at - 0.1 * t->o->move * ((double)k / 100.0), 0.0);
    double moved = fabs(t->m.position[0] - before);
    bool deaf = moved <= 0.02 * t->o->move;
    ifd__trial_judge(t, IFD_RIG_CHECK_REPORTS, passed(says && deaf), "%s; %s",
                     says ? "reports the stop" : "does not set IFD_INPUT_RIG_STOPPED",
                     deaf ? "ignores commands" : "accepts commands again");
}

static void all_skipped(ifd__trial *t)
{
    static const char *const what[] = {
#define ROW(name, text) text,
        IFD_RIG_CHECK_LIST(ROW)
#undef ROW
    };
    for (int i = 0; i < IFD_RIG_CHECKS; i++) {
        t->row[i] = (ifd_rig_check_row){.what = what[i]};
        snprintf(t->row[i].text, sizeof t->row[i].text, "not checked");
    }
}

static void try_all(ifd__trial *t, ifd_note *note)
{
    if (!warms(t, note) || !speaks(t))
        return;
    agrees(t);
    stands(t);
    try_memory(t);
    waits(t);
    if (t->o->move > 0.0) {
        ignores(t);
        follows(t);
        watches(t);
        return;
    }
    for (int i = IFD_RIG_CHECK_FOLLOWS; i <= IFD_RIG_CHECK_REPORTS; i++)
        ifd__trial_judge(t, i, IFD_RIG_SKIPPED, "no motion permitted");
    ifd__trial_judge(t, IFD_RIG_CHECK_IGNORES, IFD_RIG_SKIPPED, "requires --move, as a faulty rig would move");
}

ifd_status ifd_rig_check(ifd_arena *arena, const ifd_rig_check_options *o, ifd_rig_check_row row[IFD_RIG_CHECKS],
                         int *failed, ifd_note *note)
{
    if (o->actuators < 1 || o->actuators > IFD_RIG_ACTUATORS || !(o->tick >= 1e-5 && o->tick <= 1.0) ||
        !(o->move >= 0.0 && o->duration > 0.0 && o->watchdog > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "expected 1 to %d actuators, a tick of 10 us to 1 s, and times above 0",
                            IFD_RIG_ACTUATORS);
    ifd__trial t = {.o = o, .row = row};
    all_skipped(&t);
    ifd_purpose purpose = o->move > 0.0 ? IFD_PURPOSE_MOVE : IFD_PURPOSE_READ;
    ifd_status status = ifd__trial_open(&t, o, purpose, arena, note);
    const char *text = status != IFD_OK && note && note->last ? note->last->text : ifd_status_text(status);
    ifd__trial_judge(&t, IFD_RIG_CHECK_OPENS, passed(status == IFD_OK), "%s", text);
    if (status == IFD_OK) {
        try_all(&t, note);
        ifd__trial_close(&t);
        ifd__trial_judge(&t, IFD_RIG_CHECK_CLOSES, IFD_RIG_PASSED, "%s",
                         o->rig->close ? "closed" : "nothing to close");
    }
    ifd__trial_judge(&t, IFD_RIG_CHECK_OWN, t.waits && !t.late ? IFD_RIG_PASSED : IFD_RIG_SKIPPED,
                     "%ld of %ld late, by at most %.3g ms; %ld preempted calls", t.late, t.waits, 1e3 * t.lateness,
                     t.preempted);
    *failed = 0;
    for (int i = 0; i < IFD_RIG_CHECKS; i++)
        *failed += row[i].verdict == IFD_RIG_FAILED;
    return IFD_OK;
}
