/* SPDX-License-Identifier: MIT */
/* Rig: a microcontroller on a serial line. In each tick the driver sends a command, which the microcontroller answers
 * with a measurement; the next tick takes it without waiting. docs/guide/serial.md defines the frames,
 * examples/serial_rig.ino is a firmware.
 *
 * The microcontroller has the watchdog: without commands it brings its actuators to rest by itself. */
#include "frame.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The serial line, or a pseudo-terminal, that never waits. */
static const struct {
    int baud;
    speed_t speed;
} speeds[] = {{9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},
              {115200, B115200},   {230400, B230400},   {460800, B460800},   {500000, B500000},
              {921600, B921600},   {1000000, B1000000}, {1500000, B1500000}, {2000000, B2000000},
              {2500000, B2500000}, {3000000, B3000000}, {4000000, B4000000}};

static bool speed_of(int baud, speed_t *out)
{
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (speeds[i].baud == baud) {
            *out = speeds[i].speed;
            return true;
        }
    return false;
}

/* 8 data bits, no parity, one stop bit, no flow control, no conversion, for this process alone. Discards bytes that
 * are waiting. */
static ifd_status line_open(const char *path, int baud, int *file, ifd_note *note)
{
    struct termios mode;
    speed_t speed;
    if (!speed_of(baud, &speed))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "baud: found %d, expected a usual rate from 9600 to 4000000, such as 115200 or 1000000",
                            baud);
    *file = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (*file < 0)
        return ifd_note_add(note, IFD_PEER, NULL, "%s: %s", path, strerror(errno));
    if (tcgetattr(*file, &mode) != 0) {
        close(*file);
        return ifd_note_add(note, IFD_PEER, NULL, "%s is not a serial line", path);
    }
    cfmakeraw(&mode);
    mode.c_cflag |= CLOCAL | CREAD;
    mode.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 0;
    (void)cfsetispeed(&mode, speed);
    (void)cfsetospeed(&mode, speed);
    if (tcsetattr(*file, TCSANOW, &mode) != 0 || ioctl(*file, TIOCEXCL) != 0) {
        close(*file);
        return ifd_note_add(note, IFD_PEER, NULL, "%s: the line cannot be set to %d baud: %s", path, baud,
                            strerror(errno));
    }
    struct serial_struct facts; /* drivers that support it pass on received bytes at once, not after some ms */
    if (ioctl(*file, TIOCGSERIAL, &facts) == 0) {
        facts.flags = (int)((unsigned)facts.flags | ASYNC_LOW_LATENCY);
        (void)ioctl(*file, TIOCSSERIAL, &facts);
    }
    (void)tcflush(*file, TCIOFLUSH);
    return IFD_OK;
}

enum { DEVICE, BAUD, AUX, POSITION_RANGE, FORCE_RANGE, AUX_RANGE, WATCHDOG, SILENT_FOR, PRESSURE };

static const ifd_param params[] = {
    IFD_TEXT("device", "the serial line, such as /dev/ttyACM0", .required = true),
    IFD_OPTION("baud", NONE, 9600, 4e6, 115200, "bits per second; without effect on USB"),
    IFD_OPTION("aux", NONE, 0, IFD_RIG_AUX, 0, "number of auxiliary inputs in a measurement"),
    IFD_LIST("position-range", NONE, -1e12, 1e12,
             "[low, high] of a position, raw; at or beyond them a converter is saturated (default: no limit)"),
    IFD_LIST("force-range", NONE, -1e12, 1e12, "the same for forces"),
    IFD_LIST("aux-range", NONE, -1e12, 1e12, "the same for auxiliary inputs"),
    IFD_OPTION("watchdog", TIME, 2e-3, 10, 0.1, "time without commands after which the microcontroller stops"),
    IFD_OPTION("silent-for", TIME, 1e-5, 60, 5e-3,
               "time without a measurement after which the rig stops; if not given, at least 3 ticks"),
    IFD_FLAG(
        "pressure",
        "the microcontroller switches pressure by the flags 32 (low) and 64 (high); arm then needs these orders"),
    {0}};

enum { SENT = 256 }; /* commands whose answers are recognised */

typedef struct range {
    double low, high;
} range;

typedef struct serial_rig {
    int file, actuators, aux;
    range position, force, auxiliary;
    double silent_for; /* ticks */
    uint16_t watchdog;
    frame_parser parser;
    uint32_t sequence;                   /* of the newest command */
    uint64_t tick_of[SENT], heard, tick; /* tick: of the newest command of the test */
    bool commanded;                      /* since the last measurement was asked for */
    bool met;                            /* a measurement was taken */
    uint32_t last, time;                 /* sequence and time of the newest measurement */
    uint8_t boot;
    int64_t elapsed;  /* us on the clock of the microcontroller, without its overflows */
    int silent, deaf; /* ticks without a measurement, commands that the line did not take */
    long bad_before;
    bool repeats;        /* an old measurement arrived since the last new one */
    bool stopped, reads; /* reads: nothing may receive power */
    _Atomic(const char *) reason;
} serial_rig;

static ifd_status range_of(const ifd_value *v, const char *name, range *out, ifd_note *note)
{
    *out = (range){-HUGE_VAL, HUGE_VAL};
    if (!v->given)
        return IFD_OK;
    if (v->cols != 2 || !(v->data[0] < v->data[1]))
        return ifd_note_add(note, IFD_SHAPE, NULL, "'%s': expected two increasing numbers [low, high]", name);
    *out = (range){v->data[0], v->data[1]};
    return IFD_OK;
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *v, ifd_arena *arena, ifd_note *note)
{
    serial_rig *r = ifd_arena_take(arena, sizeof *r);
    if (!r)
        return IFD_NO_MEMORY;
    IFD_TRY(range_of(&v[POSITION_RANGE], "position-range", &r->position, note));
    IFD_TRY(range_of(&v[FORCE_RANGE], "force-range", &r->force, note));
    IFD_TRY(range_of(&v[AUX_RANGE], "aux-range", &r->auxiliary, note));
    int bytes = frame_command_size(rig->actuators) + frame_measure_size(rig->actuators, (int)v[AUX].number);
    double needed = 10.0 * bytes / v[BAUD].number; /* ten bits for each byte; command and answer share a tick */
    if (needed > 0.8 * rig->tick)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "command and answer take %.3g ms at %g baud; expected at most 0.8 of the tick, %.3g ms",
                            1e3 * needed, v[BAUD].number, 0.8e3 * rig->tick);
    r->reads = rig->purpose == IFD_PURPOSE_READ;
    r->actuators = rig->actuators;
    r->aux = (int)v[AUX].number;
    r->silent_for = ifd_rig_ticks(v[SILENT_FOR].number, rig->tick, v[SILENT_FOR].given ? 2 : 3);
    r->watchdog = (uint16_t)(1e3 * v[WATCHDOG].number + 0.5);
    r->reason = "no measurement of the microcontroller arrived yet";
    IFD_TRY(line_open(v[DEVICE].word, (int)v[BAUD].number, &r->file, note));
    rig->data = r;
    rig->outputs = v[PRESSURE].number > 0.0 ? IFD_OUTPUT_LOW | IFD_OUTPUT_HIGH : 0;
    return IFD_OK;
}

static void stop(serial_rig *r, const char *reason)
{
    if (!r->stopped)
        r->reason = reason;
    r->stopped = true;
}

/* False: the line did not take all bytes; the microcontroller then sees a wrong checksum. */
static bool send_frame(serial_rig *r, frame_command *c, uint64_t tick)
{
    uint8_t bytes[FRAME_COMMAND_MOST];
    c->actuators = r->actuators;
    c->sequence = ++r->sequence;
    c->watchdog = r->watchdog;
    r->tick_of[r->sequence % SENT] = tick;
    int size = frame_put(c, bytes);
    return write(r->file, bytes, (size_t)size) == size;
}

/* Without a command of the test a measurement is asked for, so that the rig is seen before and after a test. */
static void inquire(serial_rig *r)
{
    frame_command c = {.flags = FRAME_INQUIRY};
    if (!r->commanded)
        (void)send_frame(r, &c, r->tick);
    r->commanded = false;
}

/* One read, of bytes that are there: the read of an empty line waits for the thread of the kernel that passes on
 * bytes, which has no priority. The buffer holds several measurements. */
static void fill(serial_rig *r)
{
    frame_parser *p = &r->parser;
    int there = 0, room = frame_room(p);
    bool known = ioctl(r->file, FIONREAD, &there) == 0; /* bytes that can be read at once */
    ssize_t got =
        known && there > 0 && room > 0 ? read(r->file, p->byte + p->count, (size_t)(there < room ? there : room)) : 0;
    p->count += got > 0 ? (int)got : 0;
}

/* Whether a measurement is a new one of the same microcontroller, since the same start. */
static bool accept(serial_rig *r, const frame_measure *m)
{
    if (m->actuators != r->actuators || m->aux != r->aux) {
        stop(r, "the microcontroller has another number of actuators or auxiliary inputs");
        return false;
    }
    if (r->met && m->boot != r->boot) {
        stop(r, "the microcontroller has restarted");
        return false;
    }
    bool old = r->met && (int32_t)(m->sequence - r->last) <= 0;
    r->repeats = r->repeats || old;
    return !old;
}

/* The newest measurement of those that arrived; false: none. */
static bool newest(serial_rig *r, frame_measure *out)
{
    frame_measure m;
    bool found = false;
    fill(r);
    while (frame_next(&r->parser, &m))
        if (accept(r, &m)) {
            r->elapsed += r->met ? (int64_t)(uint32_t)(m.time - r->time) : 0;
            r->time = m.time;
            r->last = m.sequence;
            r->boot = m.boot;
            r->met = found = true;
            *out = m;
            uint32_t behind = r->sequence - m.answered;
            if (behind < SENT && m.answered != 0)
                r->heard = r->tick_of[m.answered % SENT];
        }
    return found;
}

static int warm(ifd_rig *rig, ifd_note *note)
{
    serial_rig *r = rig->data;
    frame_measure m;
    bool answers = newest(r, &m) && m.answered != 0 && r->sequence - m.answered < SENT;
    if (r->stopped) {
        (void)ifd_note_add(note, IFD_CONFLICT, NULL, "%s; expected %d and %d", (const char *)r->reason, r->actuators,
                           r->aux);
        return -1;
    }
    if (answers) {
        r->reason = NULL;
        return 1;
    }
    inquire(r);
    return 0;
}

static const char *why_of(uint8_t why)
{
    static const char *const reasons[FRAME_WHY_COUNT] = {
        "the microcontroller stopped by itself",
        "the watchdog of the microcontroller stopped it: no commands arrived",
        "a limit of the microcontroller stopped it",
        "the microcontroller refused a command far from its position",
        "the stop input of the microcontroller stopped it: it ignores commands until a restart",
        "the microcontroller lost its power while it moved: it ignores commands until a restart"};
    return reasons[why < FRAME_WHY_COUNT ? why : FRAME_WHY_NONE];
}

/* A value, or NAN beyond its range; the reason then names the kind of input. */
static double valid(serial_rig *r, double value, const range *within, const char *reason)
{
    if (value > within->low && value < within->high)
        return value;
    if (!r->stopped)
        r->reason = reason;
    return (double)NAN;
}

static bool missed(serial_rig *r, ifd_measure *out)
{
    const char *reason = r->parser.bad > r->bad_before ? "measurements arrive with wrong checksums"
                         : r->repeats                  ? "the microcontroller repeats old measurements"
                                                       : "the microcontroller is silent";
    if (++r->silent > 1 && !r->stopped) /* one tick without a measurement is usual */
        r->reason = reason;
    if (r->silent >= r->silent_for)
        stop(r, reason);
    out->inputs |= r->stopped ? IFD_INPUT_RIG_STOPPED : 0u;
    return false;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    serial_rig *r = rig->data;
    const unsigned ready = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS;
    frame_measure m;
    (void)x;
    bool found = newest(r, &m);
    inquire(r);
    if (!found)
        return missed(r, out);
    r->silent = 0;
    r->repeats = false;
    r->bad_before = r->parser.bad;
    if (!r->stopped)
        r->reason = NULL;
    /* The stop input and missing power are faults of their own, with more detail. */
    if (m.flags & IFD_INPUT_RIG_STOPPED && (m.flags & ready) == ready)
        stop(r, why_of(m.why));
    *out = (ifd_measure){.tick = r->heard,
                         .time = 1e-6 * (double)r->elapsed,
                         .inputs = (m.flags & (ready | IFD_INPUT_START)) | (r->stopped ? IFD_INPUT_RIG_STOPPED : 0u),
                         .actuators = (uint32_t)r->actuators,
                         .aux = (uint32_t)r->aux,
                         .clock = IFD_CLOCK_OWN,
                         .taken = 1000 * r->elapsed};
    for (int k = 0; k < r->actuators; k++) {
        out->position[k] = valid(r, (double)m.position[k], &r->position, "a position is outside its range");
        out->force[k] = valid(r, (double)m.force[k], &r->force, "a force is outside its range");
    }
    for (int k = 0; k < r->aux; k++)
        out->auxiliary[k] =
            valid(r, (double)m.auxiliary[k], &r->auxiliary, "an auxiliary input is outside its range");
    return true;
}

static uint8_t flags_of(const ifd_command *c)
{
    static const struct {
        uint32_t output;
        uint8_t flag;
    } flags[] = {{IFD_OUTPUT_TRIGGER, FRAME_TRIGGER}, {IFD_OUTPUT_RUNNING, FRAME_RUNNING},
                 {IFD_OUTPUT_ENABLE, FRAME_ENABLE},   {IFD_OUTPUT_LOW, FRAME_LOW},
                 {IFD_OUTPUT_HIGH, FRAME_HIGH},       {IFD_OUTPUT_BEAT, FRAME_BEAT}};
    unsigned all = c->commanded ? FRAME_COMMANDED : 0u;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        all |= c->outputs & flags[i].output ? flags[i].flag : 0u;
    return (uint8_t)all;
}

/* A rig that is only read is asked for measurements and receives nothing else. */
static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    serial_rig *r = rig->data;
    (void)x;
    frame_command f = {.state = (uint8_t)c->state, .flags = FRAME_INQUIRY};
    if (r->stopped) /* the watchdog of the microcontroller acts */
        return;
    if (!r->reads)
        f.flags = flags_of(c);
    for (int k = 0; k < r->actuators && f.flags & FRAME_COMMANDED; k++)
        f.position[k] = (float)c->position[k];
    r->tick = c->tick;
    r->commanded = true;
    r->deaf = send_frame(r, &f, c->tick) ? 0 : r->deaf + 1;
    if (r->deaf >= r->silent_for)
        stop(r, "the serial line takes no commands");
}

static void close_rig(ifd_rig *rig)
{
    serial_rig *r = rig->data;
    if (r)
        close(r->file);
}

static const char *why(const ifd_rig *rig)
{
    const serial_rig *r = rig->data;
    return r ? r->reason : NULL;
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI,
    .name = "serial",
    .summary = "a microcontroller on a serial line, with checked binary frames",
    .params = params,
    .open = open_rig,
    .sense = sense,
    .command = command,
    .close = close_rig,
    .warm = warm,
    .why = why,
};
