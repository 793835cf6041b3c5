/* SPDX-License-Identifier: MIT */
/* interfield characterise: small motions of each specimen, led by the machine and the limits of a test, and what
 * they tell. */
#include "app.h"
#include "events.h"
#include "figure.h"
#include "folder.h"
#include "ticks.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <interfield/fragment.h>
#include <interfield/result.h>

const option characterise_options[] = {
    {"-o", "FILE",
     "the fragment; with several specimens their names are put before its ending; without it in the folder"},
    {"--out", "DIR", "the folder of the record; without it runs/<case>-NNN with the next free number"},
    {"--set", "KEY=VALUE", "overrides a key of the case file; may be repeated"},
    {"--as-fast-as-possible", NULL, "no clock: for a virtual rig, or one in lockstep"},
    {"--core", "N", "keeps the tick on one core (any)"},
    {"--priority", "P", "of the tick's thread, 1 to 99; 0 for an ordinary one (80)"},
    {NULL, NULL, NULL},
};

static volatile sig_atomic_t interrupts;

static void interrupted(int number)
{
    (void)number;
    interrupts = interrupts + 1;
}

typedef struct study {
    app *a;
    ifd_arena *books; /* not sealed while the rig moves */
    ifd_case *c;
    ifd_case shown; /* as the result is told: the motions instead of the structure */
    ifd_hybrid_options o;
    ifd_channel_options channel[IFD_RIG_CHANNELS];
    double period;
    ifd_program *program;
    ifd_hybrid *h;
    ifd_executor_options clock;
    ifd_executor *e;
    ifd_result *res;
    live view;
    events log;
    long ticks, most; /* recorded in the state run */
    double *command[IFD_RIG_CHANNELS], *position[IFD_RIG_CHANNELS], *force[IFD_RIG_CHANNELS];
    int column[IFD_RIG_CHANNELS]; /* of the command in a record */
} study;

/* The tick of the test follows from its method: found on the virtual rig, as nothing else needs one here. */
static ifd_status find_tick(study *s)
{
    ifd_hybrid_options o = *s->c->test;
    ifd_hybrid *h = NULL;
    o.rig = &ifd_virtual_rig;
    o.rig_setup = s->c->laboratory;
    o.rig_values = NULL;
    ifd_status status = ifd_hybrid_make(s->a->arena, &o, &h, &s->a->note);
    if (status == IFD_OK)
        s->period = ifd_hybrid_period(h);
    ifd_hybrid_close(h);
    return status;
}

static ifd_status make_test(study *s)
{
    app *a = s->a;
    s->o = *s->c->test;
    for (int k = 0; k < s->o.channels; k++) {
        s->channel[k] = s->o.channel[k];
        s->channel[k].part = 0;
        s->channel[k].from = IFD_GROUND;
        s->channel[k].to = k;
        s->channel[k].compensator = NULL;
        s->channel[k].mass = 0;     /* nothing is computed that could leave it to the rig */
        s->channel[k].force = NULL; /* moved like the others: its stiffness is what the loop wants to know */
    }
    IFD_TRY(find_tick(s));
    IFD_TRY(ifd_program_make(a->arena, &s->c->day.characterise, s->o.channels, s->channel, s->period, &s->program,
                             &a->note));
    s->o.channel = s->channel;
    if (strcmp(s->o.rig->name, "virtual") == 0) { /* a rig in this process waits for a late tick */
        s->o.overrun = IFD_OVERRUN_EXTRAPOLATE;
        s->o.late_limit = INT_MAX;
    }
    s->o.model = ifd_program_model(s->program);
    s->o.couple = NULL;
    s->o.program = s->program;
    s->o.end = ifd_program_duration(s->program);
    s->o.lambda = 1;
    s->o.ticks_per_stage = 1;
    s->o.preload = false;
    s->o.leave = IFD_LEAVE_START;
    s->o.automatic = true;
    s->shown = *s->c;
    s->shown.title = ifd_arena_print(a->arena, "Characterisation: %s", s->c->title);
    s->shown.run.couple = NULL;
    s->shown.run.model = s->o.model;
    s->shown.run.step.h = s->period;
    s->shown.run.end = s->o.end;
    s->shown.run.every = 1;
    return ifd_hybrid_make(a->arena, &s->o, &s->h, &a->note);
}

static int column_of(const study *s, int channel, const char *what)
{
    char name[256];
    int count;
    const ifd_channel *column = ifd_hybrid_channels(s->h, &count);
    snprintf(name, sizeof name, "%s %s", s->channel[channel].name, what);
    for (int i = 0; i < count; i++)
        if (strcmp(column[i].name, name) == 0)
            return i;
    return -1;
}

static ifd_status make_room(study *s)
{
    s->most = lround(s->o.end / s->period) + 2;
    for (int k = 0; k < s->o.channels; k++) {
        s->command[k] = ifd_arena_array(s->books, (size_t)s->most, sizeof(double));
        s->position[k] = ifd_arena_array(s->books, (size_t)s->most, sizeof(double));
        s->force[k] = ifd_arena_array(s->books, (size_t)s->most, sizeof(double));
        s->column[k] = column_of(s, k, "command");
        if (!s->command[k] || !s->position[k] || !s->force[k] || s->column[k] < 0)
            return IFD_NO_MEMORY;
    }
    return IFD_OK;
}

static void keep(study *s, const ifd_tick_record *r)
{
    if (s->view.now_state != IFD_MACHINE_RUN || s->ticks == s->most)
        return;
    for (int k = 0; k < s->o.channels; k++) {
        s->command[k][s->ticks] = r->values[s->column[k]];
        s->position[k][s->ticks] = r->values[s->view.measured[k]];
        s->force[k][s->ticks] = r->values[s->view.force[k]];
    }
    s->ticks++;
}

static ifd_status watch(study *s)
{
    ifd_status status = IFD_OK;
    ifd_tick_record r;
    int heeded = 0;
    uint64_t said = 0; /* ns */
    for (bool last = false; !last;) {
        last = ifd_executor_finished(s->e);
        while (ifd_executor_next(s->e, &r)) {
            live_add(&s->view, &r);
            events_record(&s->log, &r, &s->view);
            keep(s, &r);
            if (status == IFD_OK)
                status = ifd_result_append_record(s->res, &r);
        }
        if (s->view.now_state == IFD_MACHINE_HOLD && interrupts == heeded && clock_now() - said > 100000000) {
            said = clock_now(); /* a motion that was held is of no use: it is led out, and said below why */
            ifd_executor_say(s->e, IFD_ORDER_RAMP_OUT);
        }
        if (interrupts > heeded) {
            heeded = interrupts;
            ifd_order order =
                heeded > 1 || s->view.now_state == IFD_MACHINE_IDLE ? IFD_ORDER_TRIP : IFD_ORDER_RAMP_OUT;
            ifd_executor_say(s->e, order);
            events_order(&s->log, order, "a signal");
        }
        if (!last)
            nanosleep(&(struct timespec){.tv_nsec = s->clock.period > 0 ? 2000000 : 100000}, NULL);
    }
    return status;
}

static ifd_status move(study *s, const char *folder)
{
    app *a = s->a;
    ifd_ticked ticked = ifd_hybrid_ticked(s->h);
    ifd_note_init(&a->note, s->books);
    IFD_TRY(ifd_result_open_test(s->books, folder, &s->shown, s->h, &s->res, &a->note));
    if (!events_open(&s->log, folder, s->clock.period))
        return ifd_note_add(&a->note, IFD_OUTPUT, NULL, "'%s/events.log' cannot be written", folder);
    events_say(&s->log, "characterisation of %s", s->c->path);
    live_init(&s->view, s->h, &s->o);
    struct sigaction action = {.sa_handler = interrupted, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    uint64_t began = clock_now();
    IFD_TRY(ifd_executor_open(a->arena, &s->clock, &ticked, &s->e, &a->note));
    ifd_status status = watch(s);
    ifd_executor_report r;
    ifd_executor_close(s->e, &r);
    const ifd_timing timing = {
        .wall = 1e-9 * (double)(clock_now() - began), .ticks = r.ticks, .interrupted = interrupts > 0};
    ifd_status closing = ifd_result_close_test(s->res, &r, &timing, &a->note);
    events_say(&s->log, "end: %s", ifd_result_outcome(s->res));
    events_close(&s->log);
    if (r.skipped)
        app_say(a, "late",
                "%ld instants had no tick: what a rig with its own clock did meanwhile is a scatter of the sweep",
                r.skipped);
    return status == IFD_OK ? closing : status;
}

static void say_found(app *a, const char *name, const ifd_found *f)
{
    char k[40], x[40], n[40], tau[40], error[40];
    quantity_print(tau, sizeof tau, f->delay, "s");
    quantity_print(error, sizeof error, f->delay_error, "s");
    quantity_print(x, sizeof x, f->position_noise, "m");
    quantity_print(n, sizeof n, f->force_noise, "N");
    snprintf(k, sizeof k, "%.5g N/m", f->stiffness);
    app_say(a, name, "stiffness %s (+- %.2g %%) · delay %s (+- %s) · gain %.4f", k,
            100 * f->stiffness_error / fabs(f->stiffness), tau, error, f->gain);
    app_say(
        a, "",
        "noise %s, %s · step overshoot %.1f %%, settled after %.1f ms · misfit of orders 1, 2, 3: %.1g, %.1g, %.1g",
        x, n, 100 * f->overshoot, 1e3 * f->settling, f->misfit[0], f->misfit[1], f->misfit[2]);
}

/* FILE, or FILE with the name of the specimen before its ending. */
static const char *fragment_path(study *s, int k, const char *folder)
{
    const char *file = app_value(s->a, "-o"), *name = s->channel[k].name;
    if (!file)
        return ifd_arena_print(s->books, "%s/%s.yaml", folder, name);
    if (s->o.channels == 1)
        return file;
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - file) : strlen(file);
    return ifd_arena_print(s->books, "%.*s-%s%s", (int)stem, file, name, file + stem);
}

/* A specimen that yields within the cycle, or forces that drown in noise. */
static void doubt(app *a, const ifd_found *f)
{
    if (f->stiffness_error > 0.05 * fabs(f->stiffness))
        app_say(a, "CAUTION",
                "the stiffness is doubtful: the force does not go with the position over this cycle (a specimen that "
                "yields: lower stroke-share; noise: raise it)");
}

/* Asked before anything moves: an earlier fragment is not written over. */
static bool fragments_free(study *s)
{
    for (int k = 0; k < s->o.channels && app_has(s->a, "-o"); k++) {
        const char *path = fragment_path(s, k, "");
        if (!path || access(path, F_OK) != 0)
            continue;
        app_complain(s->a, "'%s' exists already: an earlier characterisation is not written over; name another file",
                     path);
        return false;
    }
    return true;
}

/* Gain and lag over frequency. */
static void draw(study *s, int k, const ifd_found *f, const char *folder)
{
    static const ifd_channel channel[] = {{"frequency", "Hz", "plant"}, {"gain", "", "plant"}, {"lag", "s", "plant"}};
    double *column[] = {(double *)f->frequency, (double *)f->gain_at, (double *)f->lag_at};
    const ifd_table t = {.title = s->channel[k].name,
                         .rows = f->points,
                         .channels = 3,
                         .time = f->frequency,
                         .channel = channel,
                         .column = column};
    double low = f->gain_at[0], high = low;
    for (int i = 1; i < f->points; i++) {
        low = fmin(low, f->gain_at[i]);
        high = fmax(high, f->gain_at[i]);
    }
    if (high - low < 1e-9)
        return; /* a rig without any lag has nothing to show */
    figure picture = {.title = ifd_arena_print(s->books, "%s: measured over commanded position", s->channel[k].name),
                      .panels = 2,
                      .panel = {{.x_label = "frequency (Hz)",
                                 .y_label = "gain",
                                 .x_factor = 1,
                                 .y_factor = 1,
                                 .curves = 1,
                                 .curve = {{0, 1, "gain"}}},
                                {.x_label = "frequency (Hz)",
                                 .y_label = "lag over frequency (ms)",
                                 .x_factor = 1,
                                 .y_factor = 1e3,
                                 .curves = 1,
                                 .curve = {{0, 2, "lag"}}}}};
    canvas c = {.terminal = "pngcairo", .file = ifd_arena_print(s->books, "%s/%s.png", folder, s->channel[k].name)};
    if (picture.title && c.file && figure_draw(&picture, &t, &c) == 0)
        app_say(s->a, "picture", "%s", c.file);
}

static void put_found(ifd_json *j, const ifd_found *f)
{
    ifd_json_number(j, "stiffness", f->stiffness);
    ifd_json_number(j, "stiffness_error", f->stiffness_error);
    ifd_json_number(j, "damping", f->damping);
    ifd_json_number(j, "mass", f->mass);
    ifd_json_number(j, "delay", f->delay);
    ifd_json_number(j, "delay_error", f->delay_error);
    ifd_json_number(j, "gain", f->gain);
    ifd_json_numbers(j, "inverse_1", 2, f->first);
    ifd_json_numbers(j, "inverse_2", 3, f->second);
    ifd_json_numbers(j, "inverse_3", 4, f->third);
    ifd_json_numbers(j, "misfit", 3, f->misfit);
    ifd_json_number(j, "position_noise", f->position_noise);
    ifd_json_number(j, "force_noise", f->force_noise);
    ifd_json_number(j, "position_offset", f->position_offset);
    ifd_json_number(j, "force_offset", f->force_offset);
    ifd_json_number(j, "overshoot", f->overshoot);
    ifd_json_number(j, "settling", f->settling);
    ifd_json_number(j, "coherence", f->coherence);
}

static ifd_status tell(study *s, const char *folder, ifd_json *j)
{
    app *a = s->a;
    ifd_found *f = ifd_arena_take(s->books, sizeof *f);
    if (!f)
        return IFD_NO_MEMORY;
    ifd_json_object(j, NULL);
    ifd_json_text(j, "folder", folder);
    ifd_json_number(j, "period", s->period);
    for (int k = 0; k < s->o.channels; k++) {
        if (s->channel[k].force)
            continue;
        const ifd_motion_record record = {.ticks = s->ticks,
                                          .period = s->period,
                                          .command = s->command[k],
                                          .position = s->position[k],
                                          .force = s->force[k]};
        IFD_TRY(ifd_characterise(s->books, s->program, k, &record, f, &a->note));
        const char *path = fragment_path(s, k, folder);
        if (!path)
            return IFD_NO_MEMORY;
        IFD_TRY(ifd_fragment_write(path, s->c, k, f, s->period, &a->note));
        say_found(a, s->channel[k].name, f);
        doubt(a, f);
        draw(s, k, f, folder);
        app_say(a, "fragment", "%s", path);
        ifd_json_object(j, s->channel[k].name);
        put_found(j, f);
        ifd_json_text(j, "fragment", path);
        ifd_json_end(j);
    }
    ifd_json_end(j);
    return IFD_OK;
}

/* For the report, which stands beside the record. */
static bool keep_found(study *s, const char *folder, ifd_json *j)
{
    const char *path = ifd_arena_print(s->books, "%s/characterisation.json", folder), *text = ifd_json_done(j);
    FILE *file = path && text ? fopen(path, "w") : NULL;
    bool good = file && fprintf(file, "%s\n", text) > 0;
    good = file && fclose(file) == 0 && good;
    if (!good)
        app_complain(s->a, "'%s/characterisation.json' cannot be written", folder);
    return good;
}

static int conclude(study *s, const char *folder)
{
    app *a = s->a;
    ifd_json j;
    ifd_trip_facts f = ifd_hybrid_trip(s->h);
    if (strcmp(ifd_result_outcome(s->res), "done") != 0) {
        app_complain(a, "not characterised, the motions did not come to their end (%s%s%s); the record is in %s",
                     ifd_result_outcome(s->res), f.trip ? ": " : "", f.trip ? ifd_trip_text(f.trip) : "", folder);
        return EXIT_RUN_FAILED;
    }
    ifd_json_init(&j, s->books);
    ifd_status status = tell(s, folder, &j);
    if (status != IFD_OK)
        return app_fail(a, status);
    if (!keep_found(s, folder, &j))
        return EXIT_RUN_FAILED;
    return a->json ? app_put_json(a, &j, EXIT_FINE) : EXIT_FINE;
}

static int characterise(study *s)
{
    app *a = s->a;
    int exit_status = 0;
    s->c = case_read(a, &exit_status);
    if (!s->c)
        return exit_status;
    if (!s->c->test) {
        app_complain(a, "no specimen of this case stands on a rig");
        return EXIT_BAD_INPUT;
    }
    ifd_status status = make_test(s);
    if (status == IFD_OK)
        status = make_room(s);
    if (status != IFD_OK)
        return app_fail(a, status);
    ifd_executor_defaults(&s->clock);
    s->clock.period = app_has(a, "--as-fast-as-possible") ? 0 : s->period;
    s->clock.ring = 1 << 14;
    if (!app_integer(a, "--core", -1, 4095, &s->clock.core) ||
        !app_integer(a, "--priority", 0, 99, &s->clock.priority))
        return EXIT_BAD_INPUT;
    if (!fragments_free(s))
        return EXIT_BAD_INPUT;
    const char *folder = folder_choose(a, &status);
    if (!folder)
        return app_fail(a, status);
    app_say(a, "moves", "%d specimen%s on rig '%s' for %.0f s, %.3g mm at most, under the limits of the test",
            s->o.channels, s->o.channels == 1 ? "" : "s", s->o.rig->name, s->o.end,
            1e3 * fmax(ifd_program_motions(s->program, 0).amplitude, ifd_program_motions(s->program, 0).sweep_size));
    status = move(s, folder);
    return status == IFD_OK ? conclude(s, folder) : app_fail(a, status);
}

int command_characterise(app *a)
{
    study *s = ifd_arena_take(a->arena, sizeof *s);
    ifd_arena *books = ifd_arena_open();
    if (!s || !books) {
        ifd_arena_close(books);
        return app_fail(a, IFD_NO_MEMORY);
    }
    s->a = a;
    s->books = books;
    int exit_status = characterise(s);
    ifd_hybrid_close(s->h);
    ifd_note_init(&a->note, a->arena);
    ifd_arena_close(books);
    return exit_status;
}
