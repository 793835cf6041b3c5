/* SPDX-License-Identifier: MIT */
/* A driver without hardware: every actuator reaches its command in one tick and moves a linear spring. For trials of
 * a case and of `pace: rig`; it shows the parts of a driver of interface 4.
 *
 * Its clock is a timer with the error `clock-error`. Its watchdog acts as that of a controller: after a stop the rig
 * ignores commands and reports why. */
#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include <interfield/exchange.h>

enum { STIFFNESS, CLOCK_ERROR, WATCHDOG };

static const ifd_param params[] = {
    IFD_OPTION("stiffness", STIFFNESS, 1e-3, 1e15, 1e6, "stiffness of every specimen"),
    IFD_OPTION("clock-error", NONE, -0.5, 0.5, 0,
               "relative error of the period of its clock, for tests with `pace: rig`"),
    IFD_OPTION("watchdog", TIME, 1e-3, 60, 0.1, "time without a command after which it stops"),
    {0}};

typedef struct trial {
    double stiffness;
    int64_t period, watchdog, due, heard_at; /* ns */
    double position[IFD_RIG_ACTUATORS];
    uint64_t heard;
    bool stopped;
    _Atomic(const char *) why;
} trial;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t ns)
{
    const struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
    }
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    trial *r = ifd_arena_take(arena, sizeof *r);
    (void)note;
    if (!r)
        return IFD_NO_MEMORY;
    r->stiffness = values[STIFFNESS].number;
    r->period = (int64_t)(1e9 * rig->tick * (1.0 + values[CLOCK_ERROR].number) + 0.5);
    r->watchdog = (int64_t)(1e9 * values[WATCHDOG].number);
    rig->data = r;
    rig->size = 0;
    return IFD_OK;
}

/* A controller of hardware is enabled here; the watchdog runs from now on. */
static int warm(ifd_rig *rig, ifd_note *note)
{
    trial *r = rig->data;
    (void)note;
    r->heard_at = r->due = now_ns();
    return 1;
}

static int64_t wait_for_sample(ifd_rig *rig, int64_t latest)
{
    trial *r = rig->data;
    r->due += r->period;
    if (latest - r->due >= r->period) /* ticks were skipped: their samples have passed */
        r->due += (latest - r->due) / r->period * r->period;
    sleep_until(r->due < latest ? r->due : latest);
    return r->due <= latest ? r->due : -1;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    trial *r = rig->data;
    int64_t now = now_ns();
    (void)x;
    if (r->heard && !r->stopped && now - r->heard_at > r->watchdog) {
        r->stopped = true;
        atomic_store(&r->why, "no command arrived within its watchdog time");
    }
    *out = (ifd_measure){.tick = r->heard,
                         .time = 1e-9 * (double)now,
                         .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS,
                         .actuators = (uint32_t)rig->actuators,
                         .clock = IFD_CLOCK_MONOTONIC,
                         .taken = now};
    if (r->stopped)
        out->inputs |= IFD_INPUT_RIG_STOPPED;
    for (int k = 0; k < rig->actuators; k++) {
        out->position[k] = r->position[k];
        out->force[k] = r->stiffness * r->position[k];
    }
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    trial *r = rig->data;
    (void)x;
    r->heard = c->tick;
    r->heard_at = now_ns();
    for (int k = 0; k < rig->actuators && c->commanded && !r->stopped; k++)
        r->position[k] = c->position[k];
}

static const char *why(const ifd_rig *rig)
{
    return atomic_load(&((trial *)rig->data)->why);
}

static bool simulated(const ifd_rig *rig)
{
    (void)rig;
    return true;
}

IFD_API const ifd_rig_ops ifd_user_rig = {
    .abi = IFD_RIG_ABI,
    .name = "trial",
    .summary = "ideal actuators and springs without hardware, with a clock of its own, for trials",
    .params = params,
    .open = open_rig,
    .sense = sense,
    .command = command,
    .wait = wait_for_sample,
    .warm = warm,
    .why = why,
    .simulated = simulated,
};
