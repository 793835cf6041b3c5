/* SPDX-License-Identifier: MIT */
/* The driver: CiA-402 drives and input terminals for EtherCAT (docs/guide/ethercat.md). The rig on the line: power,
 * set points, measurements, stop. */
#include "rig.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FRAMES_BEFORE_OP = 20, REQUEST_EVERY = 50 };

/* Copies `text`, with the device, the axis and the code in place of %s, %d and
 * %x. No library function prints on the tick path. */
IFD_RT static void compose(bus_rig *r, bus_stop reason, int axis, unsigned code)
{
    static const char *const texts[] = {
#define TEXT(name, text) text,
        BUS_STOP_LIST(TEXT)
#undef TEXT
    };
    const char *device = r->file.line.device ? r->file.line.device[r->axis[axis].device].name : "";
    char *out = r->text, *end = r->text + sizeof r->text - 5;
    for (const char *p = texts[reason]; *p && out < end; p++) {
        if (*p != '%') {
            *out++ = *p;
            continue;
        }
        p++;
        if (*p == 's')
            for (const char *d = device; *d && out < end; d++)
                *out++ = *d;
        else if (*p == 'd') {
            if (axis >= 9)
                *out++ = '1';
            *out++ = (char)('0' + (axis + 1) % 10);
        } else
            for (int k = 12; k >= 0; k -= 4)
                *out++ = "0123456789abcdef"[code >> k & 15];
    }
    *out = '\0';
}

/* The first reason stays. */
static void stop(bus_rig *r, bus_stop reason, int axis, unsigned code)
{
    if (r->stop)
        return;
    r->stop = reason;
    compose(r, reason, axis, code);
    atomic_store_explicit(&r->why, r->text, memory_order_release);
}

static uint16_t status_of(const bus_rig *r, const rig_axis *a)
{
    return (uint16_t)ec_get(&r->bus, a->status);
}

static double here(const bus_rig *r, const rig_axis *a)
{
    return (double)ec_get(&r->bus, a->actual) / a->counts;
}

static bool mode_right(const bus_rig *r, const rig_axis *a)
{
    return ec_get(&r->bus, a->mode_in) == a->mode;
}

/* The next control word of an axis, with its set point. */
static uint16_t control_of(bus_rig *r, rig_axis *a)
{
    uint16_t status = status_of(r, a);
    if (r->closing || r->stop)
        cia402_coast(&a->logic, CIA402_GRACE + 1);
    if (r->reads) {
        a->logic.set = here(r, a);
        return 0;
    }
    if (r->closing || r->stop)
        return (r->closing ? cia402_end : cia402_stop)(&a->logic, status);
    if (r->enabled)
        return cia402_run(status);
    if (r->operational && r->request)
        return cia402_up(&a->logic, status, here(r, a));
    uint16_t down = cia402_down(&a->logic, status, here(r, a));
    if (!r->operational)
        return 0;
    return !r->ready && cia402_state_of(status) == CIA402_FAULT ? cia402_reset(&a->logic) : down;
}

/* Whether the drive may be enabled: without a request for power it is at least ready to switch on. */
static bool supplied(const bus_rig *r, const rig_axis *a)
{
    cia402_state state = cia402_state_of(status_of(r, a));
    return state == CIA402_READY || state == CIA402_SWITCHED_ON || state == CIA402_ENABLED;
}

static bool under_power(const bus_rig *r)
{
    bool any = false;
    for (int k = 0; k < r->axes && !r->reads; k++) {
        const rig_axis *a = &r->axis[k];
        cia402_state state = cia402_state_of(status_of(r, a));
        any = any || supplied(r, a) || state == CIA402_QUICK_STOP;
    }
    return any;
}

/* One frame: control words, set points of all axes, digital outputs. */
static void cycle(bus_rig *r)
{
    /* Digital outputs as commanded. At the end, and when commands are missing, the requests for power stay until no
     * drive needs it for its brake. */
    const uint32_t requests = IFD_OUTPUT_ENABLE | IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH;
    if (r->closing || r->stop == BUS_STOP_QUIET)
        r->outputs &= under_power(r) ? requests : 0;
    for (int k = 0; k < BUS_OUTPUT_COUNT; k++)
        if (r->output[k].bits > 0)
            ec_put(&r->bus, &r->output[k], r->reads ? 0 : r->outputs >> k & 1);
    for (int k = 0; k < r->axes; k++) {
        rig_axis *a = &r->axis[k];
        ec_put(&r->bus, a->control, control_of(r, a));
        ec_put(&r->bus, a->target, llround(fmax(-a->most, fmin(a->most, a->logic.set * a->counts))));
        if (a->speed) { /* for the feed-forward of the drive, increments/s; 0 without power */
            double most = ldexp(1.0, a->speed->bits - 1) - 1.0, v = r->enabled ? a->logic.velocity * a->counts : 0.0;
            ec_put(&r->bus, a->speed, llround(fmax(-most, fmin(most, v))));
        }
        if (a->mode_out)
            ec_put(&r->bus, a->mode_out, r->reads ? 0 : a->mode);
    }
    bool ask =
        !r->reads && !r->operational && !r->stop && r->whole >= FRAMES_BEFORE_OP && r->whole % REQUEST_EVERY < 2;
    r->bus.request = ask ? EC_OP : 0;
    r->unsent = !ec_send(&r->bus);
    r->awaiting = true;
}

/* A fault of a drive, or one that is not enabled any more. Faults are never reset here. */
static void judge_axis(bus_rig *r, int k)
{
    const rig_axis *a = &r->axis[k];
    uint16_t status = status_of(r, a);
    cia402_state state = cia402_state_of(status);
    unsigned error = a->error ? (unsigned)ec_get(&r->bus, a->error) & 0xffff : 0;
    if (state == CIA402_FAULT || state == CIA402_REACTION)
        stop(r, a->error ? BUS_STOP_FAULT : BUS_STOP_FAULT_UNKNOWN, k, error);
    else if (r->enabled && state != CIA402_ENABLED)
        stop(r, BUS_STOP_DISABLED, k, status);
    else if (r->enabled && !mode_right(r, a))
        stop(r, BUS_STOP_MODE, k, (unsigned)ec_get(&r->bus, a->mode_in) & 0xff);
}

static bool axis_enabled(const bus_rig *r, const rig_axis *a)
{
    return cia402_state_of(status_of(r, a)) == CIA402_ENABLED && mode_right(r, a);
}

static bool each_axis(const bus_rig *r, bool (*is)(const bus_rig *r, const rig_axis *a))
{
    bool all = r->operational;
    for (int k = 0; k < r->axes; k++)
        all = all && is(r, &r->axis[k]);
    return all;
}

/* ns from the frame to the next SYNC0. */
static double ahead_of(const bus_rig *r)
{
    int64_t period = llround(1e9 * r->tick), ahead = (r->bus.sync - r->bus.clock) % period;
    return (double)(ahead < 0 ? ahead + period : ahead);
}

static bool beside(const bus_rig *r, double ahead)
{
    return ahead < 0.2e9 * r->tick || ahead > 0.8e9 * r->tick;
}

double bus_rig_late_after(const bus_rig *r)
{
    const double least = 1e-6; /* s, as 0 is no bound */
    return r->file.clock == BUS_CLOCK_NONE ? 0.0 : fmax(r->file.line.shift - 0.2 * r->tick, least);
}

/* During the test: frames outside are counted, and in a row for the time without an answer they stop the rig. */
static void judge_phase(bus_rig *r)
{
    if (!r->ready || r->reads || r->bus.reference < 0)
        return;
    bool off = beside(r, ahead_of(r));
    r->side += off;
    r->beside = off ? r->beside + 1 : 0;
    if (r->beside >= r->silent_for)
        stop(r, BUS_STOP_SIDE, 0, 0);
}

/* Status bit 11: the drive itself limits the motion. No stop: the test compares position and command. */
static bool limited(const bus_rig *r, const rig_axis *a)
{
    return status_of(r, a) & 0x800;
}

static void judge(bus_rig *r, ec_answer answer)
{
    const int expected = r->reads ? EC_SAFEOP : EC_OP;
    if (!r->awaiting)
        return; /* no frame was sent since */
    r->awaiting = false;
    if (answer != EC_NONE) {
        if (r->ready && r->bus.states != expected)
            stop(r, BUS_STOP_STATE, 0, (unsigned)r->bus.status_code);
        r->operational = answer == EC_WHOLE && r->bus.states == expected;
    }
    if (answer == EC_WHOLE) {
        bool any = false;
        for (int k = 0; k < r->axes && r->ready && !r->reads; k++) {
            judge_axis(r, k);
            any = any || (r->enabled && limited(r, &r->axis[k]));
        }
        r->limited += any;
        judge_phase(r);
        r->enabled = r->request && (r->enabled || each_axis(r, axis_enabled));
        r->whole++;
    }
    r->missing += answer == EC_NONE;
    r->bad = answer == EC_WHOLE ? 0 : r->bad + 1;
    if (r->ready && r->bad >= r->silent_for)
        stop(r,
             answer != EC_NONE ? BUS_STOP_COUNTER
             : r->unsent       ? BUS_STOP_NOT_SENT
                               : BUS_STOP_MISSING,
             0, (unsigned)r->bus.counter);
}

/* An input in its unit. */
static double reading(const bus_rig *r, const bus_signal *s, const ec_entry *e)
{
    int64_t v = ec_get(&r->bus, e);
    if (!s->without_sign || v >= 0)
        return (double)v / s->counts;
    return (double)((uint64_t)v & ~UINT64_C(0) >> (64 - e->bits)) / s->counts;
}

static bool power_on(const bus_rig *r)
{
    return !r->power_input || ec_get(&r->bus, r->power_input) & 1;
}

static void measure(const bus_rig *r, ifd_measure *out)
{
    const ec_counts *n = &r->bus.counts;
    bool released = ec_get(&r->bus, r->stop_input) & 1;
    bool power = power_on(r) && (r->reads || each_axis(r, supplied)), off = !r->reads && !r->enabled;
    *out = (ifd_measure){.tick = r->heard,
                         .time = 1e-9 * (double)(r->bus.clock - r->clock_zero),
                         .inputs = (released ? IFD_INPUT_NO_STOP : 0u) | (power ? IFD_INPUT_HYDRAULICS : 0u) |
                                   (r->stop ? IFD_INPUT_RIG_STOPPED : 0u) | (off ? IFD_INPUT_UNPOWERED : 0u),
                         .actuators = (uint32_t)r->axes,
                         .aux = (uint32_t)(BUS_AUX_FIXED + r->file.auxes),
                         .clock = r->file.clock == BUS_CLOCK_BUS ? IFD_CLOCK_OWN : IFD_CLOCK_MONOTONIC,
                         .taken = r->bus.clock};
    for (int k = 0; k < r->axes; k++) {
        out->position[k] = here(r, &r->axis[k]);
        out->force[k] = reading(r, &r->file.force[k], r->axis[k].force);
    }
    out->auxiliary[0] = r->bus.counter;
    out->auxiliary[1] = (double)r->missing;
    out->auxiliary[2] = r->bus.states;
    for (int k = 0; k < r->file.auxes; k++) {
        const bus_signal *s = &r->file.aux[k];
        out->auxiliary[BUS_AUX_FIXED + k] = s->kind == BUS_AUX_LATE    ? (double)n->late
                                            : s->kind == BUS_AUX_NEVER ? (double)n->never
                                            : s->kind == BUS_AUX_SIDE  ? (double)r->side
                                            : s->kind == BUS_AUX_LIMIT ? (double)r->limited
                                                                       : reading(r, s, r->aux[k]);
    }
}

/* The reason for which the rig is not ready, or has no power. */
static const char *waits_for(const bus_rig *r)
{
    static const char *const text[] = {
#define TEXT(name, state, mask, value, up, down, run, stop) "a drive has no power: " state,
        CIA402_STATE_LIST(TEXT)
#undef TEXT
    };
    if (r->bad > 0)
        return "answers from the bus are missing or not whole";
    if (!r->ready && r->operational && r->offs > 0)
        return r->off[r->offs % 2];
    if (!r->operational)
        return r->reads ? "the devices are not in the state SAFE-OP" : "the devices have not reached the state OP";
    for (int k = 0; k < r->axes && !r->reads; k++) {
        const rig_axis *a = &r->axis[k];
        cia402_state state = cia402_state_of(status_of(r, a));
        if (r->request ? state != CIA402_ENABLED : !supplied(r, a))
            return text[state];
        if (r->request && !mode_right(r, a))
            return "a drive does not accept its mode of operation (0x6061)";
        if (r->request && limited(r, a))
            return "a drive limits its motion by itself (status word, bit 11)";
    }
    return NULL;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    bus_rig *r = rig->data;
    (void)x;
    ec_answer answer = ec_receive(&r->bus);
    judge(r, answer);
    if (!r->commanded) { /* since the last call: the bus is cycled, the axes come to rest */
        r->quiet++;
        if (r->heard > 0 && (double)r->quiet * r->tick > r->watchdog)
            stop(r, BUS_STOP_QUIET, 0, 0);
        for (int k = 0; k < r->axes && r->enabled && !r->stop; k++)
            cia402_coast(&r->axis[k].logic, r->quiet);
        cycle(r);
    }
    r->commanded = false;
    if (answer == EC_WHOLE && (r->ready || r->stop)) {
        measure(r, out);
        for (int k = 0; k < r->axes && !r->stop && !power_on(r); k++) { /* so that nothing jumps with its return */
            cia402_axis *a = &r->axis[k].logic;
            a->set = here(r, &r->axis[k]);
            a->velocity = 0.0;
            a->first = true;
        }
        if (!r->stop && !r->reads)
            atomic_store_explicit(&r->why, waits_for(r), memory_order_release);
        return true;
    }
    if (r->stop)
        out->inputs |= IFD_INPUT_RIG_STOPPED;
    return false;
}

static void follow(bus_rig *r, const ifd_command *c)
{
    static const bus_stop reason[] = {
        [CIA402_TOO_FAR] = BUS_STOP_JUMP, [CIA402_NOT_FINITE] = BUS_STOP_COMMAND, [CIA402_OUTSIDE] = BUS_STOP_STROKE};
    for (int k = 0; k < r->axes; k++) {
        rig_axis *a = &r->axis[k];
        bool fits = fabs(c->position[k] * a->counts) <= a->most; /* false for NaN */
        cia402_verdict v = fits ? cia402_command(&a->logic, c->position[k]) : CIA402_NOT_FINITE;
        if (v != CIA402_FOLLOWS)
            stop(r, reason[v], k, 0);
    }
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    bus_rig *r = rig->data;
    (void)x;
    r->commanded = true;
    r->quiet = 0;
    r->heard = c->tick;
    r->request = !r->reads && c->outputs & IFD_OUTPUT_ENABLE;
    r->outputs = c->outputs;
    r->enabled = r->enabled && r->request;
    if (r->enabled && !r->stop && c->commanded)
        follow(r, c);
    else if (r->enabled && !r->stop)
        for (int k = 0; k < r->axes; k++)
            cia402_coast(&r->axis[k].logic, CIA402_GRACE + 1);
    cycle(r);
}

/* Distance of the frame from a whole tick of the bus, ns, in half a tick either
 * way. */
static double phase(const bus_rig *r, int64_t tick)
{
    int64_t off = r->bus.clock % tick;
    return (double)(off > tick / 2 ? off - tick : off);
}

/* As wait of exchange.h: sleeps until a whole tick of the clock of the bus. */
static int64_t wait_for_sample(ifd_rig *rig, int64_t latest)
{
    bus_rig *r = rig->data;
    int64_t tick = (int64_t)(1e9 * r->tick + 0.5), correction = 0;
    if (r->due == 0)
        r->due = r->bus.sent_at;
    if (r->bad == 0) {
        double off = phase(r, tick);
        r->drift += off;
        correction = llround(off / 16.0 + r->drift / 1024.0);
    }
    r->due += tick - correction;
    if (latest - r->due >= tick) /* ticks were skipped: their samples have passed */
        r->due += (latest - r->due) / tick * tick;
    bool dead = r->bad >= r->silent_for || r->due > latest;
    int64_t until = dead ? latest : r->due;
    const struct timespec t = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
    if (dead) { /* the ticks keep their phase, which SYNC0 depends on; the filter begins again */
        r->due -= r->due > latest ? tick : 0;
        r->drift = 0.0;
    }
    return dead ? -1 : until;
}

/* A drive with a fault is reset before the test, at most three times. */
static bool faulty(const bus_rig *r)
{
    bool any = false;
    for (int k = 0; k < r->axes && !r->reads; k++)
        any = any || cia402_state_of(status_of(r, &r->axis[k])) == CIA402_FAULT;
    return any;
}

static int smaller(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the last frames 5 and 95 % must be inside. */
static void measure_phase(bus_rig *r)
{
    if (r->reads || r->bus.reference < 0)
        r->phased = true;
    if (r->phased || !r->operational || r->bad > 0)
        return;
    r->ahead[r->aheads++] = ahead_of(r);
    if (r->aheads < BUS_PHASES)
        return;
    r->aheads = 0;
    qsort(r->ahead, BUS_PHASES, sizeof *r->ahead, smaller);
    double low = r->ahead[BUS_PHASES / 20], high = r->ahead[BUS_PHASES - 1 - BUS_PHASES / 20], us = 1e6 * r->tick;
    r->phased = !beside(r, low) && !beside(r, high);
    if (!r->phased)
        snprintf(r->off[++r->offs % 2], sizeof r->off[0],
                 "frames arrive %.0f us before SYNC0, expected %.0f to %.0f us", 1e-3 * (beside(r, low) ? low : high),
                 0.2 * us, 0.8 * us);
}

/* SYNC0 to its phase on the grid of the ticks, once. */
static bool place_sync(bus_rig *r, int64_t grid, ifd_note *note)
{
    int64_t period = llround(1e9 * r->tick);
    if (r->placed || r->bus.reference < 0)
        return true;
    r->placed = true;
    if (r->file.clock != BUS_CLOCK_TICK || grid % period == 0 ||
        ec_sync(&r->bus, grid + llround(1e9 * r->file.line.shift)))
        return true;
    ifd_note_add(note, IFD_PEER, NULL, "EtherCAT: %s", r->bus.error);
    return false;
}

/* One cycle before the test. 1: all devices exchange process data; -1: never, with an error. */
static int warm(ifd_rig *rig, ifd_note *note)
{
    bus_rig *r = rig->data;
    if (!place_sync(r, rig->grid, note))
        return -1;
    const double grace = 0.5; /* s, of a drive for "ready to switch on"; without power it is not reached */
    judge(r, ec_receive(&r->bus));
    r->settled = r->operational && r->whole >= FRAMES_BEFORE_OP && !faulty(r) ? r->settled + 1 : 0;
    measure_phase(r);
    bool supply = r->reads || each_axis(r, supplied) || (double)r->settled * r->tick > grace;
    r->ready = r->ready || (r->settled > 0 && supply && r->phased);
    cycle(r);
    r->commanded = true; /* the first tick sends its own frame, with its command */
    if (r->ready && r->clock_zero == 0)
        r->clock_zero = r->bus.clock;
    if (!r->stop)
        atomic_store_explicit(&r->why, r->ready ? NULL : waits_for(r), memory_order_release);
    for (int k = 0; k < r->axes; k++) {
        const rig_axis *a = &r->axis[k];
        uint32_t code = 0;
        if (!a->logic.refused)
            continue;
        ec_sdo_read(&r->bus, a->device, (uint16_t)(0x603f + r->file.axis[k].offset), 0, &code);
        ifd_note_add(note, IFD_PEER, NULL,
                     "axis %d, device '%s': fault 0x%04x (object 0x603F) remains "
                     "after %d resets",
                     k + 1, r->file.line.device[a->device].name, (unsigned)code, CIA402_RESETS);
        return -1;
    }
    return r->ready && !r->stop && r->bad == 0;
}

/* Until no drive has power: then the devices go to INIT, which ends the watchdog's supply too. */
static void close_rig(ifd_rig *rig)
{
    bus_rig *r = rig->data;
    const struct timespec t = {.tv_sec = (time_t)r->tick, .tv_nsec = (long)(1e9 * fmod(r->tick, 1.0))};
    double longest = 0.0; /* s, brake; then a second for the drives */
    r->closing = true;
    stop(r, BUS_STOP_CLOSED, 0, 0);
    for (int k = 0; k < r->axes; k++) {
        const cia402_axis *a = &r->axis[k].logic;
        longest = fmax(longest, (a->s.brake > 0.0 ? fabs(a->velocity) / a->s.brake : 0.0) + a->s.brake_time);
    }
    for (long ticks = lround((1.0 + longest) / r->tick); ticks > 0 && under_power(r); ticks--) {
        cycle(r);
        nanosleep(&t, NULL);
        judge(r, ec_receive(&r->bus));
    }
    cycle(r); /* without requests */
    ec_close(&r->bus);
}

/* Objects of the process image for axes and inputs. */
static ifd_status lacks(const bus_rig *r, int k, const char *objects, ifd_note *note)
{
    const bus_axis *a = &r->file.axis[k];
    ifd_note_add(note, IFD_PEER, &a->place, "axis %d: the process data of device '%s' do not contain %s", k + 1,
                 r->file.line.device[a->device].name, objects);
    ifd_note_hint(note, "give its PDOs in 'outputs' and 'inputs' of the device");
    return IFD_PEER;
}

static const ec_entry *find(const bus_rig *r, int k, int index, bool input)
{
    const bus_axis *a = &r->file.axis[k];
    return ec_find(&r->bus, a->device, (uint16_t)(index + a->offset), 0, input);
}

static ifd_status bind_axis(bus_rig *r, int k, ifd_note *note)
{
    const bus_axis *f = &r->file.axis[k];
    rig_axis *a = &r->axis[k];
    bool torque = f->mode == CIA402_TORQUE;
    *a = (rig_axis){.device = f->device, .mode = f->mode, .counts = f->counts};
    a->control = find(r, k, 0x6040, false);
    a->status = find(r, k, 0x6041, true);
    a->mode_out = find(r, k, 0x6060, false);
    a->mode_in = find(r, k, 0x6061, true);
    a->error = find(r, k, 0x603f, true);
    a->target = find(r, k, torque ? 0x6071 : 0x607a, false);
    a->actual = find(r, k, torque ? 0x6077 : 0x6064, true);
    a->speed = torque ? NULL : find(r, k, 0x60b1, false);
    if (!a->control || !a->status || !a->mode_in || !a->target || !a->actual)
        return lacks(r, k,
                     torque ? "0x6040 and 0x6071 (outputs), 0x6041, 0x6061 and 0x6077 (inputs)"
                            : "0x6040 and 0x607A (outputs), 0x6041, 0x6061 and 0x6064 (inputs)",
                     note);
    if (a->control->bits != 16 || a->status->bits != 16 || a->mode_in->bits != 8 || a->target->bits < 8 ||
        a->target->bits > 32 || a->actual->bits < 8 || a->actual->bits > 32)
        return lacks(r, k,
                     "objects of the expected size: 16 bits for control and status, 8 for the mode, 8 to 32 for "
                     "target and measured value",
                     note);
    if (a->speed && (a->speed->bits < 8 || a->speed->bits > 32))
        return lacks(r, k, "0x60B1 with 8 to 32 bits", note);
    a->most = ldexp(1.0, a->target->bits - 1) - 1.0;
    const cia402_settings s = {.tick = r->tick,
                               .grain = 1.0 / f->counts,
                               .jump = f->jump,
                               .low = f->low,
                               .high = f->high,
                               .brake = r->acceleration[k],
                               .brake_time = f->brake_time,
                               .quick_stop = f->quick_stop};
    cia402_start(&a->logic, &s);
    return IFD_OK;
}

static ifd_status bind_signal(const bus_rig *r, const bus_signal *s, const ec_entry **out, ifd_note *note)
{
    *out = s->given && s->kind == BUS_AUX_OBJECT ? ec_find(&r->bus, s->device, s->index, s->sub, true) : NULL;
    if (*out && ((*out)->bits < 1 || (*out)->bits > 64))
        return ifd_note_add(note, IFD_PEER, &s->place, "object 0x%04x:%d has %d bits, expected 1 to 64", s->index,
                            s->sub, (int)(*out)->bits);
    if (*out || !s->given || s->kind != BUS_AUX_OBJECT)
        return IFD_OK;
    return ifd_note_add(note, IFD_PEER, &s->place,
                        "object 0x%04x:%d is not an input in the process data of device '%s'", s->index, s->sub,
                        r->file.line.device[s->device].name);
}

static ifd_status bind_output(bus_rig *r, int k, ifd_note *note)
{
    const bus_signal *s = &r->file.output[k];
    const ec_entry *e = s->given ? ec_find(&r->bus, s->device, s->index, s->sub, false) : NULL;
    if (!s->given)
        return IFD_OK;
    if (!e || s->bit >= e->bits)
        return ifd_note_add(note, IFD_PEER, &s->place,
                            "bit %d of object 0x%04x:%d is not an output in the process data of device '%s'", s->bit,
                            s->index, s->sub, r->file.line.device[s->device].name);
    for (int a = 0; a < r->axes; a++)
        if (e == r->axis[a].control || e == r->axis[a].target || e == r->axis[a].mode_out || e == r->axis[a].speed)
            return ifd_note_add(note, IFD_CONFLICT, &s->place, "object 0x%04x:%d belongs to axis %d", s->index,
                                s->sub, a + 1);
    r->output[k] = *e;
    r->output[k].bit += s->bit;
    r->output[k].bits = 1;
    return IFD_OK;
}

static ifd_status bind_all(bus_rig *r, ifd_note *note)
{
    for (int k = 0; k < r->axes; k++) {
        IFD_TRY(bind_axis(r, k, note));
        IFD_TRY(bind_signal(r, &r->file.force[k], &r->axis[k].force, note));
    }
    for (int k = 0; k < r->file.auxes; k++)
        IFD_TRY(bind_signal(r, &r->file.aux[k], &r->aux[k], note));
    for (int k = 0; k < BUS_OUTPUT_COUNT; k++)
        IFD_TRY(bind_output(r, k, note));
    IFD_TRY(bind_signal(r, &r->file.stop, &r->stop_input, note));
    return bind_signal(r, &r->file.power, &r->power_input, note);
}

ifd_status bus_rig_open(bus_rig *r, int actuators, double tick, ifd_note *note)
{
    r->axes = actuators;
    r->tick = tick;
    r->watchdog = r->file.line.watchdog;
    if (r->file.axes != actuators || r->file.forces != actuators)
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "the bus file has %d axes and %d forces, the test has "
                            "%d actuators: one axis and one force "
                            "for each",
                            r->file.axes, r->file.forces, actuators);
    if (r->watchdog < 3.0 * tick)
        return ifd_note_add(note, IFD_CONFLICT, NULL, "a watchdog of %g s is shorter than three ticks of %g s",
                            r->watchdog, tick);
    ifd_status status = IFD_OK;
    if (!ec_open(&r->bus, &r->file.line))
        status = ifd_note_add(note, IFD_PEER, NULL, "EtherCAT: %s", r->bus.error);
    if (status == IFD_OK)
        status = bind_all(r, note);
    if (status != IFD_OK)
        ec_close(&r->bus);
    return status;
}

enum { INTERFACE, BUS, WATCHDOG, SILENT_FOR };

static const ifd_param params[] = {
    IFD_TEXT("interface", "network interface of the bus, as eth1; nothing else may use it", .required = true),
    IFD_TEXT("bus", "file that describes devices, axes, forces and inputs", .required = true, .file = true),
    IFD_OPTION("watchdog", TIME, 1e-4, 6.5535, 0.1,
               "time without a frame after which the devices stop, and without a "
               "command "
               "after which the rig stops; it cannot be switched off"),
    IFD_OPTION("silent-for", TIME, 1e-5, 60, 5e-3,
               "time without a whole answer after which the rig stops; if not given, at "
               "least 3 ticks"),
    {0}};

static ifd_status open_rig(ifd_rig *rig, const ifd_value *v, ifd_arena *arena, ifd_note *note)
{
    bus_rig *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    IFD_TRY(bus_file_read(arena, v[BUS].word, rig->tick, &r->file, note));
    r->file.line.interface = v[INTERFACE].word;
    r->file.line.socket = -1;
    r->file.line.watchdog = v[WATCHDOG].number;
    r->silent_for = (int)ifd_rig_ticks(v[SILENT_FOR].number, rig->tick, v[SILENT_FOR].given ? 1 : 3);
    r->reads = rig->purpose == IFD_PURPOSE_READ;
    memcpy(r->acceleration, rig->acceleration, sizeof r->acceleration);
    IFD_TRY(bus_rig_open(r, rig->actuators, rig->tick, note));
    for (int k = 0; k < rig->actuators; k++)
        rig->free_at_end |= r->file.axis[k].brake ? 0 : 1u << k;
    rig->late_after = bus_rig_late_after(r);
    for (int k = 0; k < BUS_OUTPUT_COUNT; k++)
        rig->outputs |= r->file.output[k].given ? 1u << k & (IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH) : 0u;
    rig->data = r;
    rig->size = 0;
    return IFD_OK;
}

static const char *why(const ifd_rig *rig)
{
    bus_rig *r = rig->data;
    return atomic_load_explicit(&r->why, memory_order_acquire);
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI,
    .name = "ethercat",
    .summary = "CiA-402 drives and input terminals for EtherCAT",
    .params = params,
    .open = open_rig,
    .sense = sense,
    .command = command,
    .close = close_rig,
    .wait = wait_for_sample,
    .warm = warm,
    .why = why,
};
