/* SPDX-License-Identifier: MIT */
/* The server of a rig: its thread, its clock and its states. */
#include <interfield/rig_server.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "link/server.h"
#include "rig/limits.h"
#include "base/os_linux.h"
#include "rig/rig.h"

enum { STACK = 2 * 1024 * 1024 };
/* ns: repetition of a measurement in lockstep without a command; duration of the brake of a closing server. */
static const int64_t resend = 20000000, last_wait = 5000000000;
enum { LAST_WORDS = 16 };                        /* ticks in which a test receives the reason */
static const int64_t longest_warm = 60000000000; /* ns */
/* s: a shorter tick is below a wake-up; a longer one is not useful. */
static const double SHORTEST_TICK = 1e-5, LONGEST_TICK = 10.0;
/* Ticks: a shorter watchdog would stop a rig after one lost datagram. s: a longer one does not protect. */
static const double LEAST_WATCHDOG = 3.0, LONGEST_WATCHDOG = 60.0;

const char *ifd_rig_stop_text(ifd_rig_stop stop)
{
    static const char *const texts[] = {
#define ROW(name, text) text,
        IFD_RIG_STOP_LIST(ROW)
#undef ROW
    };
    return (unsigned)stop < sizeof texts / sizeof *texts ? texts[stop] : "unknown";
}

void ifd_rig_server_defaults(ifd_rig_server_options *o)
{
    *o = (ifd_rig_server_options){
        .tick = 1e-3, .watchdog = 0.1, .host = "127.0.0.1", .priority = 85, .core = -1, .lock_memory = true};
}

/* The phase of the ticks is known before the first: half way between those of a test on this machine. */
int64_t ifd__server_on_grid(const ifd_rig_server *s, int64_t after)
{
    const int64_t half = s->period / 2;
    return ((after - half) / s->period + 1) * s->period + half;
}

/* The first command of a session shifts the grid of ticks by half a tick relative to the commands, so that jitter of
 * neither side moves a command to another tick; not if the rig has a clock of that phase (SYNC0). Before that,
 * arrivals are awaited. */
static void wait_for_tick(ifd_rig_server *s)
{
    while (!s->aligned && ifd__clock_now() < s->due) {
        s->stream.port->ops->wait(s->stream.port, s->due);
        ifd__server_hear(s);
        if (s->lockstep)
            return;
    }
    ifd__clock_sleep(s->due);
}

static void account(ifd_rig_server *s, int64_t now)
{
    if ((double)(now - s->due) > IFD_LATE_AFTER * (double)s->period)
        s->report.late_ticks++;
    s->due += s->period;
    if (s->due <= now) {
        int64_t passed = (now - s->due) / s->period + 1;
        s->report.skipped += (uint64_t)passed;
        s->due += passed * s->period;
    }
}

static void clocked(ifd_rig_server *s)
{
    wait_for_tick(s);
    if (s->lockstep)
        return;
    account(s, ifd__clock_now());
    ifd__server_hear(s);
    bool fresh = ifd__server_sense(s);
    ifd__server_watch(s);
    if (fresh)
        ifd__server_tell(s);
    ifd__server_move(s);
    s->report.ticks++;
}

/* One tick per command; the last measurement is repeated, as it can be lost. */
static void lockstep(ifd_rig_server *s)
{
    s->stream.port->ops->wait(s->stream.port, ifd__clock_now() + resend);
    ifd__server_hear(s);
    if (!s->lockstep)
        return;
    if (s->news) {
        ifd__server_move(s);
        (void)ifd__server_sense(s);
        s->report.ticks++;
    }
    ifd__server_watch(s);
    ifd__server_tell(s);
}

/* One cycle with or without a clock: waits, receives, measures, sends, moves. */
static void make_turn(ifd_rig_server *s)
{
    ifd__beat_mark(s->rig.beat, IFD_AT_WAIT, 0, 1);
    if (s->lockstep)
        lockstep(s);
    else
        clocked(s);
    ifd__beat_at(s->rig.beat, IFD_AT_PUBLISH);
    s->report.link = s->stream.count;
    memcpy(s->report.position, s->measure.position, sizeof s->report.position);
    memcpy(s->report.force, s->measure.force, sizeof s->report.force);
    ifd__sequence_lock_write(&s->published, &s->report, sizeof s->report);
}

static void *serve(void *server)
{
    ifd_rig_server *s = server;
    ifd__denormals_flush();
    (void)ifd__thread_pin(s->o.core);
    ifd__thread_touch_stack();
    s->report.locked = s->o.lock_memory && ifd__memory_lock();
    s->report.fifo = ifd__thread_schedule(s->o.priority);
    ifd__beat_thread(s->rig.beat);
    s->due = ifd__server_on_grid(s, ifd__clock_now() + s->period);
    while (!atomic_load_explicit(&s->leave, memory_order_relaxed))
        make_turn(s);
    int64_t end = ifd__clock_now() + last_wait;
    ifd__server_stop(s, IFD_RIG_STOP_ENDED);
    s->due = ifd__server_on_grid(s, ifd__clock_now());
    for (int k = 0; ifd__clock_now() < end; k++) {
        if (ifd__server_at_rest(s) && (k >= LAST_WORDS || s->report.state != IFD_RIG_SERVER_STOPPED))
            break;
        make_turn(s);
    }
    ifd__beat_at(s->rig.beat, IFD_AT_NONE);
    return NULL;
}

static ifd_status check_limits(const ifd_rig_server_options *o, ifd_note *note)
{
    ifd_status status = IFD_OK;
    for (int k = 0; k < o->actuators; k++) {
        char who[32];
        snprintf(who, sizeof who, "actuator %d", k + 1);
        ifd_status one = ifd__limits_check(&o->limits[k], who, IFD__KEPT_SERVER, false, note);
        status = one != IFD_OK ? one : status;
    }
    return status;
}

static ifd_status check(const ifd_rig_server_options *o, ifd_note *note)
{
    if (o->actuators < 1 || o->actuators > IFD_RIG_ACTUATORS)
        return ifd_note_add(note, IFD_RANGE, NULL, "a rig has 1 to %d actuators, not %d", IFD_RIG_ACTUATORS,
                            o->actuators);
    if (!(o->tick >= SHORTEST_TICK && o->tick <= LONGEST_TICK))
        return ifd_note_add(note, IFD_RANGE, NULL, "the tick is %g s, expected 10 us to 10 s", o->tick);
    if (!(o->watchdog >= LEAST_WATCHDOG * o->tick && o->watchdog <= LONGEST_WATCHDOG))
        return ifd_note_add(note, IFD_RANGE, NULL, "the watchdog is %g s, expected 3 ticks to 60 s", o->watchdog);
    return check_limits(o, note);
}

/* Until the rig is ready. */
static ifd_status warm(ifd_rig_server *s, ifd_note *note)
{
    int64_t due = s->rig.grid = ifd__server_on_grid(s, ifd__clock_now()), end = due + longest_warm;
    int ready = 0, errors = note ? note->errors : 0;
    while ((ready = ifd__rig_warm(&s->rig, note)) == 0 && ifd__clock_now() < end)
        ifd__clock_sleep(due += s->period);
    const char *why = ready > 0 ? NULL : ifd__rig_why(&s->rig);
    if (ready > 0 || (note && note->errors > errors))
        return ready > 0 ? IFD_OK : IFD_PEER;
    return ifd_note_add(note, IFD_PEER, NULL, "rig '%s' does not become ready%s%s", s->o.rig->name, why ? ": " : "",
                        why ? why : "");
}

static ifd_status open_rig(ifd_rig_server *s, ifd_arena *arena, ifd_note *note)
{
    s->rig = (ifd_rig){.ops = s->o.rig,
                       .actuators = s->o.actuators,
                       .tick = s->o.tick,
                       .data = s->o.setup,
                       .folder = s->o.folder,
                       .purpose = IFD_PURPOSE_MOVE,
                       .beat = s->o.beat,
                       .number = 1};
    for (int k = 0; k < s->o.actuators; k++)
        s->rig.acceleration[k] = isfinite(s->o.limits[k].acceleration) ? s->o.limits[k].acceleration : 0.0;
    IFD_TRY(ifd__rig_open(&s->rig, s->o.values, arena, note));
    s->rig_open = true;
    if (s->rig.size > 0)
        IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->x, s->rig.size)));
    if (s->rig.ops->begin)
        s->rig.ops->begin(&s->rig, s->x);
    IFD_TRY(warm(s, note));
    ifd_status status = ifd__server_find(s, note);
    ifd__beat_at(s->rig.beat, IFD_AT_NONE); /* until the thread of the ticks */
    return status;
}

static void close_all(ifd_rig_server *s)
{
    ifd__port_close(s->stream.port);
    if (s->rig_open)
        ifd__rig_close(&s->rig);
    s->rig_open = false;
}

static void close_at_last(void *server)
{
    ifd_rig_server_close(server);
}

/* Whether only this machine can reach the server. */
static bool local(const ifd_rig_server_options *o)
{
    return o->shm || !o->host || strncmp(o->host, "127.", 4) == 0 || strcmp(o->host, "localhost") == 0;
}

/* Any sender of datagrams could move the rig. */
static ifd_status check_door(const ifd_rig_server_options *o, ifd_note *note)
{
    if (local(o) || o->key || o->insecure)
        return IFD_OK;
    return ifd_note_advise(
        note, IFD_CONFLICT, NULL,
        "create a key with `interfield key FILE`, then use --key FILE here and key: FILE in the case of the test "
        "(docs/guide/security.md). --insecure serves without a key",
        "the rig server at %s has no key, so that anyone in the network could move the rig", o->host);
}

static ifd_status begin(ifd_rig_server *s, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(check_door(&s->o, note));
    IFD_TRY(open_rig(s, arena, note));
    s->asks = !local(&s->o) && !ifd__rig_simulated(&s->rig);
    if (s->o.shm)
        IFD_TRY(ifd__shm_serve(arena, s->o.shm, &s->stream.port, note));
    else
        IFD_TRY(ifd__udp_serve(arena, s->o.host, s->o.port, &s->port_number, &s->stream.port, note));
    if (!s->o.shm && s->o.key)
        IFD_TRY(ifd__port_seal(s->stream.port, s->o.key, true, arena, note));
    if (!ifd_arena_on_close(arena, close_at_last, s))
        return IFD_NO_MEMORY;
    ifd__sequence_lock_write(&s->published, &s->report, sizeof s->report);
    (void)ifd_arena_seal(arena);
    if (ifd__thread_start(&s->thread, serve, s) != 0)
        return IFD_NO_MEMORY; /* no note: the arena is sealed */
    s->open = true;
    return IFD_OK;
}

ifd_status ifd_rig_server_open(ifd_arena *arena, const ifd_rig_server_options *o, ifd_rig_server **out,
                               ifd_note *note)
{
    IFD_TRY(check(o, note));
    ifd_rig_server *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    s->o = *o;
    s->period = (int64_t)(1e9 * o->tick + 0.5);
    s->watchdog = (int64_t)(1e9 * o->watchdog);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->follower.command, IFD__FOLLOWED)));
    s->follower.actuators = o->actuators;
    s->follower.tick = o->tick;
    ifd__server_limits(s);
    ifd_status status = begin(s, arena, note);
    if (status != IFD_OK) {
        close_all(s);
        return status;
    }
    *out = s;
    return IFD_OK;
}

bool ifd_rig_server_asks(const ifd_rig_server *s, const ifd_rig_server_report *r)
{
    return s->asks && (!r || ((r->state == IFD_RIG_SERVER_SERVES || r->state == IFD_RIG_SERVER_WAITING) &&
                              atomic_load(&s->allowed) != r->clients));
}

void ifd_rig_server_allow(ifd_rig_server *s, const ifd_rig_server_report *r)
{
    atomic_store(&s->allowed, r->clients);
}

bool ifd_rig_server_simulated(const ifd_rig_server *s)
{
    return ifd__rig_simulated(&s->rig);
}

int ifd_rig_server_port(const ifd_rig_server *s)
{
    return s->port_number;
}

void ifd_rig_server_report_now(const ifd_rig_server *s, ifd_rig_server_report *out)
{
    uint64_t seen;
    for (seen = 0; !ifd__sequence_lock_read(&s->published, &seen, out, sizeof *out);) {
    }
}

void ifd_rig_server_close(ifd_rig_server *s)
{
    if (!s->open)
        return;
    s->open = false;
    atomic_store(&s->leave, true);
    (void)pthread_join(s->thread, NULL);
    close_all(s);
}
