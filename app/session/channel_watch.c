/* SPDX-License-Identifier: MIT */
/* Ticks a test in idle and collects the channels of its rig. */
#include "channel_watch.h"
#include "supervised.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

/* Without `channels` in the case, the numbers of the rig are shown. */
static const ifd_channel_map *plain_map(channel_watch *l, int actuators)
{
    ifd_channel_row *row = ifd_arena_array(l->a->arena, 2 * (size_t)actuators, sizeof *row);
    ifd_channel_map *map = ifd_arena_take(l->a->arena, sizeof *map);
    if (!row || !map)
        return NULL;
    for (int i = 0; i < 2 * actuators; i++) {
        const char *name = ifd_hybrid_owner_name(l->h, l->o.interfaces + i / 2);
        ifd_channel_row_defaults(&row[i]);
        row[i].name = ifd_arena_print(l->a->arena, "%s %s", name, i % 2 ? "force" : "position");
        row[i].unit = i % 2 ? "N" : "m";
        row[i].source = i % 2 ? IFD_SOURCE_FORCE : IFD_SOURCE_POSITION;
        row[i].meaning = i % 2 ? IFD_MEANS_FORCE : IFD_MEANS_POSITION;
        row[i].input = row[i].actuator = i / 2;
        row[i].loop = true;
    }
    *map = (ifd_channel_map){.rows = 2 * actuators, .row = row};
    return map;
}

static ifd_status make_test(channel_watch *l)
{
    app *a = l->a;
    l->o.automatic = false;
    l->o.purpose = IFD_PURPOSE_READ;
    ifd_status status = ifd_hybrid_make(a->arena, &l->o, &l->h, &a->note);
    if (status != IFD_OK || l->o.map)
        return status;
    l->o.map = plain_map(l, ifd_hybrid_actuators(l->h));
    ifd_hybrid_close(l->h);
    l->h = NULL;
    return l->o.map ? ifd_hybrid_make(a->arena, &l->o, &l->h, &a->note) : IFD_NO_MEMORY;
}

static int find_column(const channel_watch *l)
{
    int count;
    const ifd_column *channel = ifd_hybrid_columns(l->h, &count);
    for (int i = 0; i < count; i++)
        if (channel[i].quantity == IFD_COLUMN_CHANNEL_RAW)
            return i;
    return 0;
}

void channel_watch_clear(channel_watch *l)
{
    for (int i = 0; i < l->o.map->rows; i++)
        l->now[i] = (channel_reading){.raw = NAN};
}

double channel_watch_deviation(const channel_reading *s)
{
    return s->count > 1 ? sqrt(s->square / (double)(s->count - 1)) : 0;
}

static void take(channel_watch *l)
{
    ifd_tick_record r;
    while (ifd_executor_next(l->e, &r)) {
        if (!r.trace || !r.trace->fresh)
            continue;
        l->heard = true;
        l->ticks++;
        l->inputs = r.trace->measure.inputs;
        for (int i = 0; i < l->map->rows; i++) { /* Welford's running mean */
            channel_reading *s = &l->now[i];
            double value = r.values[l->first + 2 * i + 1], off = value - s->mean;
            s->raw = r.values[l->first + 2 * i];
            s->count++;
            s->mean += off / (double)s->count;
            s->square += off * (value - s->mean);
        }
    }
}

/* A mean over a few ticks is not reliable: if the machine stalls, the measurement takes longer. */
void channel_watch_collect(channel_watch *l, double seconds, const volatile sig_atomic_t *leave)
{
    const uint64_t more = 5000000000u; /* ns */
    uint64_t end = clock_now() + (uint64_t)(1e9 * seconds);
    long enough = l->ticks + (long)(0.5 * seconds / ifd_hybrid_period(l->h));
    while (!(leave && *leave) && (clock_now() < end || (!leave && l->ticks < enough && clock_now() < end + more))) {
        take(l);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    take(l);
}

static bool open_watch(channel_watch *l, app *a, int *exit_status)
{
    ifd_executor_options clock;
    l->a = a;
    l->clock = ifd_arena_open();
    l->c = l->clock ? case_read_test(a, "") : NULL;
    if (!l->c) {
        *exit_status = l->clock ? a->refused : app_fail(a, IFD_NO_MEMORY);
        return false;
    }
    l->o = *l->c->test;
    if (!supervised_begin(a, (supervised_rig){&l->o, NULL}, &l->o.beat)) {
        *exit_status = EXIT_BAD_INPUT;
        return false;
    }
    ifd_status status = make_test(l);
    if (status == IFD_OK) {
        ifd_executor_defaults(&clock);
        clock.period = ifd_hybrid_period(l->h);
        clock.ring = 4096;
        ifd_ticked ticked = ifd_hybrid_ticked(l->h);
        l->map = l->o.map;
        l->first = find_column(l);
        channel_watch_clear(l);
        supervised_pace(clock.period, ifd_hybrid_simulated(l->h), 0);
        status = ifd_executor_open(l->clock, &clock, &ticked, &l->e, &a->note);
    }
    if (status != IFD_OK)
        *exit_status = app_fail(a, status);
    return status == IFD_OK;
}

int channel_watch_run(app *a, size_t size, int (*use)(void *watch))
{
    channel_watch *l = calloc(1, size);
    int exit_status = EXIT_RUN_FAILED;
    if (!l)
        return app_fail(a, IFD_NO_MEMORY);
    if (open_watch(l, a, &exit_status))
        exit_status = use(l);
    ifd_arena_close(l->clock); /* a test in idle ends between two ticks */
    ifd_hybrid_close(l->h);
    supervised_end();
    free(l);
    return exit_status;
}
