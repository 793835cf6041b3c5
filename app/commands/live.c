/* SPDX-License-Identifier: MIT */
/* interfield live: the live page of a finished test. Its rows become the frames of the live page; the browser
 * receives all of them and plays them at any speed. */
#include "report/ran.h"
#include "structure.h"
#include "live/page.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/journal.h>

static double cell(const ifd_table *t, int at, long row)
{
    return at < 0 ? 0 : t->value[at][row];
}

/* Adds simulated time as a column, as in a tick. */
static ifd_status add_time(ifd_arena *arena, ifd_table *t)
{
    size_t columns = (size_t)t->columns + 1;
    ifd_column *column = ifd_arena_array(arena, columns, sizeof *column);
    double **value = ifd_arena_array(arena, columns, sizeof *value);
    double *time = ifd_arena_array(arena, (size_t)t->rows, sizeof *time);
    if (!column || !value || (!time && t->rows))
        return IFD_NO_MEMORY;
    memcpy(column, t->column, (columns - 1) * sizeof *column);
    memcpy(value, t->value, (columns - 1) * sizeof *value);
    memcpy(time, t->time, (size_t)t->rows * sizeof *time);
    value[columns - 1] = time;
    IFD_TRY(ifd_column_make(arena, "", IFD_COLUMN_TEST_TIME, 0, false, &column[columns - 1]));
    t->column = column;
    t->value = value;
    t->columns = (int)columns;
    return IFD_OK;
}

/* Without a clock no tick is late. */
static bool had_clock(const ifd_table *t)
{
    int late = ifd_column_find(t->column, t->columns, "", IFD_COLUMN_CLOCK_LATE);
    bool some = late < 0;
    for (long i = 0; i < t->rows && !some; i++)
        some = t->value[late][i] != 0;
    return some;
}

/* If rows are every n-th tick, the period is that of the rows. */
static bool plan_make(ifd_arena *arena, const ifd_table *t, frame_plan *plan)
{
    enum { MOST_SAMPLES = 20000 };
    if (t->rows < 2 || !t->wall_time)
        return false;
    double lasts = t->wall_time[t->rows - 1] - t->wall_time[0];
    *plan = (frame_plan){.title = t->title,
                         .about = ifd_arena_print(arena, "replay · %s · %s%s", t->method, t->outcome,
                                                  had_clock(t) ? "" : " · free-running, without a clock"),
                         .replay = true,
                         .clocked = true,
                         .period = lasts / (double)(t->rows - 1),
                         .spacing = fmax(5e-3, lasts / MOST_SAMPLES)};
    for (long i = 1; i < t->rows; i++) /* the shortest interval, as instants can be skipped */
        plan->period = fmin(plan->period, t->wall_time[i] - t->wall_time[i - 1]);
    for (int i = 0; i < t->columns && plan->specimens < IFD_RIG_ACTUATORS;
         i++) /* every owner of one is an interface */
        if (t->column[i].quantity == IFD_COLUMN_INTERFACE_DEFORMATION)
            plan->specimen[plan->specimens++] = (frame_specimen){.name = t->column[i].owner};
    if (plan->period <= 0 || !frame_plan_find(plan, t->column, t->columns))
        return false;
    for (long i = 0; i < t->rows; i++)
        plan->end = fmax(plan->end, cell(t, plan->at.time, i));
    return true;
}

/* The journal of the result contains the case with the limits. Without it the page has no limits. */
static void take_limits(app *a, frame_plan *plan)
{
    ifd_case *c = NULL;
    ifd_journal_reader *r;
    const char *path = ifd_arena_print(a->arena, "%s/%s", a->word[0], IFD_JOURNAL_FILE);
    if (!path || ifd_journal_read(a->arena, path, &r, QUIET(a)) != IFD_OK)
        return;
    const ifd_journal_facts *head = ifd_journal_head(r);
    if (ifd_case_read_bundle(a->arena, head->bundle, head->bundle_length, &c, QUIET(a)) != IFD_OK || !c->test)
        return;
    int found = 0;
    for (int k = 0; k < plan->specimens; k++)
        for (int i = 0; i < c->test->interfaces; i++)
            if (strcmp(plan->specimen[k].name, c->test->interface[i].name) == 0) {
                plan->specimen[k].limits = c->test->interface[i].limits;
                found++;
            }
    plan->limited = found == plan->specimens;
    plan->end = c->test->end;
    plan->hold_relaxation = c->test->hold_relaxation;
    plan->late_after = c->test->late_after;
    plan->picture = picture_text(a->arena, c, &plan->picture_length);
}

/* From summary.json: the date of the test, and value and limit of the fault that ended it. */
static void take_facts(app *a, frame_plan *plan)
{
    const ifd_json_node *s = summary_read(a, a->word[0]), *f = ifd_json_at(s, "fault");
    const char *started = ifd_json_text_at(s, "started", ""), *name = ifd_json_text_at(f, "name", "");
    plan->started =
        strlen(started) < 19 ? "an unknown date" : ifd_arena_print(a->arena, "%.10s %.8s UTC", started, started + 11);
    for (int k = 1; k < IFD_TRIP_COUNT; k++)
        plan->fault = strcmp(ifd_trip_name((ifd_trip)k), name) == 0 ? k : plan->fault;
    char why[FRAME_WHY];
    frame_fault_print(plan,
                      &(frame_fault){.name = name,
                                     .owner = ifd_json_text_at(f, "owner", ""),
                                     .text = ifd_json_text_at(f, "text", ""),
                                     .value = ifd_json_number_at(f, "value", NAN),
                                     .limit = ifd_json_number_at(f, "limit", 0)},
                      why, sizeof why);
    plan->why = f ? ifd_arena_text(a->arena, why) : NULL;
}

static void add_rows(page *p, const ifd_table *t, const frame_plan *plan, double *row)
{
    int late = ifd_column_find(t->column, t->columns, "", IFD_COLUMN_CLOCK_LATE);
    int duration = ifd_column_find(t->column, t->columns, "", IFD_COLUMN_CLOCK_DURATION);
    int order = ifd_column_find(t->column, t->columns, "", IFD_COLUMN_CLOCK_ORDER);
    long before = -1;
    for (long i = 0; i < t->rows; i++) {
        long instant = lround((t->wall_time[i] - t->wall_time[0]) / plan->period);
        for (int k = 0; k < t->columns; k++)
            row[k] = t->value[k][i];
        ifd_tick_record r = {.tick = (uint64_t)i + 1,
                             .late = cell(t, late, i),
                             .duration = cell(t, duration, i),
                             .skipped = (uint64_t)(instant - before - 1),
                             .order = (ifd_order)(int)cell(t, order, i),
                             .values = row};
        before = instant;
        page_add(p, &r);
        page_pulse(p, (uint64_t)(1e9 * (t->wall_time[i] - t->wall_time[0])));
    }
}

static int serve(app *a, const ifd_table *t, const frame_plan *plan, const page_options *o)
{
    sigset_t ends;
    int number;
    page *p = NULL;
    double *row = ifd_arena_array(a->arena, (size_t)t->columns, sizeof *row);
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* before the threads of the page, which would receive them */
    APP_TRY(a, row ? page_open(a->arena, o, plan, &p, &a->note) : IFD_NO_MEMORY);
    add_rows(p, t, plan, row);
    page_end(p, t->outcome, a->word[0]);
    page_say(a, p);
    if (a->json) { /* at once, so that the reader knows the address of the page */
        ifd_json j = app_json(a);
        IFD_JSON_PUT(&j, IFD_JSON("result", a->word[0]), IFD_JSON("outcome", t->outcome),
                     IFD_JSON("page", page_address(p)));
        app_put_json(a, &j, EXIT_FINE);
        fflush(stdout);
    }
    sigwait(&ends, &number);
    page_close(p);
    return EXIT_FINE;
}

static int run_command(app *a)
{
    page_options o = {.host = app_value(a, "--host"), .port = -1};
    if (a->words > 1) {
        char *end;
        long port = strtol(a->word[1], &end, 10);
        if (end == a->word[1] || *end || port < 0 || port > 65535)
            return app_refuse(a, "PORT: found '%s', expected a whole number from 0 to 65535", a->word[1]);
        o.port = (int)port;
    }
    ifd_table t;
    APP_TRY(a, missing_read(a, a->word[0], &t));
    APP_TRY(a, add_time(a->arena, &t));
    frame_plan *plan = APP_ROOM(a, ifd_arena_take(a->arena, sizeof *plan));
    if (!plan_make(a->arena, &t, plan))
        return app_refuse(a, "'%s' is not the result of a hybrid test; interfield plot draws any result", a->word[0]);
    take_limits(a, plan);
    take_facts(a, plan);
    double samples = (t.wall_time[t.rows - 1] - t.wall_time[0]) / plan->spacing + 2;
    o.samples = (uint64_t)samples;
    o.keep = /* of a number, its comma and its brackets */
        (size_t)(samples * (14.0 * (5 + SEEN_COUNT * plan->specimens) + 100.0 + 80.0 * plan->specimens)) + 1000000;
    return serve(a, &t, plan, &o);
}

const command command_live = {
    .name = "live",
    .words = "RESULT [PORT]",
    .summary = "show the result of a test in a browser, as it was shown live",
    .details = "RESULT is the folder of a test. `interfield test --live` shows a test while it runs. Ctrl-C ends "
               "the server.",
    .options = {{"--host", "ADDRESS", "network address of the page (default 127.0.0.1: this computer only)"}},
    .examples = "interfield live runs/bridge-hybrid-001",
    .see = "report plot live.md",
    .run = run_command,
};
