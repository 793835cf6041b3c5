/* SPDX-License-Identifier: MIT */
/* interfield characterise: small motions of each specimen with state machine and limits of a test, and their
 * evaluation. */
#include "outcome.h"
#include "session/certified.h"
#include "session/conduct.h"
#include "report/characterisation.h"
#include "session/signals.h"
#include "session/supervised.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <interfield/characterised.h>

typedef struct study {
    app *a;
    ifd_arena *arena;    /* of the rig and its ticks, sealed by them */
    ifd_case *c, *moved; /* moved: with the motions instead of the structure */
    const ifd_hybrid_options *o;
    double period;
    ifd_hybrid *h;
    ifd_executor_options clock;
    ifd_executor *e;
    ifd_recorder *recorder;
    progress view;
    events log;
    clearance *cleared;
    long ticks, most; /* recorded in the state run */
    double *command[IFD_RIG_ACTUATORS], *position[IFD_RIG_ACTUATORS], *force[IFD_RIG_ACTUATORS];
    int column[IFD_RIG_ACTUATORS]; /* of the command in a record */
    start_rules rules;
    conduct conduct;
    bool placed;  /* its position was judged */
    bool useless; /* it has been stopped for this reason */
    ifd_characterised found[IFD_RIG_ACTUATORS];
    ifd_burst burst[IFD_RIG_ACTUATORS];
} study;

static ifd_status make_room(study *s)
{
    int columns;
    const ifd_column *column = ifd_hybrid_columns(s->h, &columns);
    s->most = lround(s->o->end / s->period) + 2;
    for (int k = 0; k < s->o->interfaces; k++) {
        s->command[k] = ifd_arena_array(s->a->books, (size_t)s->most, sizeof(double));
        s->position[k] = ifd_arena_array(s->a->books, (size_t)s->most, sizeof(double));
        s->force[k] = ifd_arena_array(s->a->books, (size_t)s->most, sizeof(double));
        s->column[k] = ifd_column_find(column, columns, s->o->interface[k].name, IFD_COLUMN_INTERFACE_COMMAND);
        if (!s->command[k] || !s->position[k] || !s->force[k] || s->column[k] < 0)
            return IFD_NO_MEMORY;
    }
    return IFD_OK;
}

static void keep(study *s, const ifd_tick_record *r)
{
    if (s->view.now_state != IFD_MACHINE_RUN || s->ticks == s->most)
        return;
    for (int k = 0; k < s->o->interfaces; k++) {
        s->command[k][s->ticks] = r->values[s->column[k]];
        s->position[k][s->ticks] = r->values[s->view.measured[k]];
        s->force[k][s->ticks] = r->values[s->view.force[k]];
    }
    s->ticks++;
}

/* Before the first motion: the specimen that is too near an end of its stroke for it, or NULL. */
static const char *too_near(study *s, const ifd_tick_record *r)
{
    for (int k = 0; k < s->o->interfaces; k++) {
        const ifd_limits *l = &s->o->interface[k].limits;
        const ifd_motions m = ifd_protocol_motions(s->o->protocol, k);
        double x = r->values[s->view.measured[k]], end = fmin(l->high - x, x - l->low),
               most = fmax(m.amplitude, m.sweep_size);
        if (most > end)
            return ifd_arena_print(s->a->books, "%s: the end of the stroke is %s away, the motions need %s",
                                   s->o->interface[k].name,
                                   characterisation_motion(s->o->interface[k].turns, end).text,
                                   characterisation_motion(s->o->interface[k].turns, most).text);
    }
    return NULL;
}

/* Once, before a motion: the position is known in ready. */
static void judge_place(study *s, const ifd_tick_record *r)
{
    const char *near = s->placed || s->view.now_state != IFD_MACHINE_READY ? NULL : too_near(s, r);
    s->placed = s->placed || s->view.now_state == IFD_MACHINE_READY;
    if (!near || s->conduct.stopped_in)
        return;
    s->useless = true;
    conduct_stop(&s->conduct, near);
}

/* A motion with a hold, or without a record, is not usable. */
static void judge(study *s)
{
    bool held = s->view.now_state == IFD_MACHINE_HOLD;
    if (s->useless || s->conduct.stopped_in || !(held || ifd_recorder_progress(s->recorder) != IFD_OK))
        return;
    s->useless = true;
    conduct_stop(&s->conduct, held ? "a motion with a hold is not usable" : "the record cannot be written");
}

/* As in a test. */
static void heed_engine(study *s)
{
    char text[400];
    if (supervised_news(text, sizeof text))
        events_say(&s->log, "engine %s", text);
    if (supervised_hurries())
        ifd_executor_leave(s->e);
    if (!supervised_ends())
        return;
    events_say(&s->log, "end: hung; interfield recover makes the result");
    (void)ifd_recorder_abandon(s->recorder, &s->a->note);
    (void)supervised_summary(s->a->books);
    events_close(&s->log);
    supervised_wait_for_end();
}

static void watch(study *s)
{
    ifd_tick_record r;
    for (bool last = false; !last;) {
        last = ifd_executor_finished(s->e);
        supervised_alive();
        heed_engine(s);
        while (ifd_executor_next(s->e, &r)) {
            progress_add(&s->view, &r);
            conduct_hear(&s->conduct, &r);
            events_record(&s->log, &r, &s->view);
            conduct_add(&s->conduct, &r);
            keep(s, &r);
            judge_place(s, &r);
            ifd_recorder_add(s->recorder, &r);
        }
        conduct_poll(&s->conduct, clock_now());
        judge(s);
        if (!last)
            nanosleep(&(struct timespec){.tv_nsec = s->clock.period > 0 ? 2000000 : 100000}, NULL);
    }
}

static bool prepare_conduct(study *s)
{
    s->conduct = (conduct){.a = s->a,
                           .h = s->h,
                           .o = s->o,
                           .rules = &s->rules,
                           .shown = &s->view,
                           .log = &s->log,
                           .waits = {.since = clock_now(), .ordered = !s->rules.automatic},
                           .control = control_make(s->a->books, app_value(s->a, "--operator"), s->cleared)};
    return s->conduct.control != NULL;
}

static const char *end_log(void *log, const ifd_result *result)
{
    events_late(log);
    events_say(log, "end: %s", ifd_result_outcome(result));
    return events_chain(log);
}

static ifd_status move(study *s, const char *folder)
{
    app *a = s->a;
    ifd_ticked ticked = ifd_hybrid_ticked(s->h);
    ifd_note_init(&a->note, s->a->books);
    const ifd_recorder_options o = {folder, s->moved, s->h, {.lossless = s->clock.period == 0}};
    IFD_TRY(ifd_recorder_open(s->a->books, &o, &s->recorder, &a->note));
    if (!events_open(&s->log, folder))
        return ifd_note_add(&a->note, IFD_OUTPUT, NULL, "'%s/events.log' cannot be written, or already exists",
                            folder);
    supervised_record(&s->log, folder);
    supervised_pace(test_watched_period(s->o, s->clock.period), ifd_hybrid_simulated(s->h),
                    test_lockstep_timeout(s->o));
    events_say(&s->log, "characterisation of %s%s%s", s->c->path, app_has(a, "--operator") ? ", operator " : "",
               app_has(a, "--operator") ? app_value(a, "--operator") : "");
    const clearance_rules people = {.day = &s->c->day, .map = s->o->map, .real = s->rules.real};
    if (!(s->cleared = clearance_make(a->books, &people)))
        return IFD_NO_MEMORY;
    s->rules.checks = s->rules.real && s->c->day.checks > 0;
    start_log(&s->rules, s->cleared, &s->log);
    progress_init(&s->view, s->h, s->o);
    signals_catch(SA_RESTART);
    uint64_t began = clock_now();
    if (!prepare_conduct(s))
        return IFD_NO_MEMORY;
    IFD_TRY(ifd_executor_open(s->arena, &s->clock, &ticked, &s->e, &a->note));
    supervised_session(s->e, s->recorder);
    if (conduct_open(&s->conduct, s->e))
        watch(s);
    conduct_close(&s->conduct);
    ifd_executor_report r;
    ifd_executor_close(s->e, &r);
    const ifd_timing timing = {.wall = 1e-9 * (double)(clock_now() - began),
                               .ticks = r.ticks,
                               .interrupted = signals_count > 0 || signals_hung_up,
                               .end_events = end_log,
                               .events = &s->log};
    ifd_status status = ifd_recorder_close(s->recorder, &r, &timing, &a->note);
    signals_release(); /* only computation follows */
    events_close(&s->log);
    if (r.skipped)
        app_say(a, "note", "%ld tick%s missed: the measured motion scatters more", r.skipped, plural(r.skipped));
    return status;
}

/* FILE, or FILE with the name of the specimen before its extension. */
static const char *fragment_path(study *s, int k, const char *folder)
{
    const char *file = app_value(s->a, "-o"), *name = s->o->interface[k].name;
    if (!file)
        return ifd_arena_print(s->a->books, "%s/%s.yaml", folder, name);
    if (s->o->interfaces == 1)
        return file;
    const char *dot = strrchr(file, '.'), *slash = strrchr(file, '/');
    size_t stem = dot && (!slash || dot > slash) ? (size_t)(dot - file) : strlen(file);
    return ifd_arena_print(s->a->books, "%.*s-%s%s", (int)stem, file, name, file + stem);
}

/* Checked before motion: an existing fragment is not overwritten. */
static bool fragments_free(study *s)
{
    for (int k = 0; k < s->o->interfaces && app_has(s->a, "-o"); k++) {
        const char *path = fragment_path(s, k, "");
        if (!path || access(path, F_OK) != 0)
            continue;
        return app_reject(
            s->a, "'%s' exists; an earlier characterisation is not overwritten. Choose another file with -o", path);
    }
    return true;
}

/* Preflight adds the delays of a connection by itself, with and without a twin. */
static ifd_motion_record record_of(study *s, int k)
{
    ifd_case plain = *s->c;
    plain.twin_delay = 0.0;
    const ifd_preflight_options o = ifd_preflight_of(&plain);
    return (ifd_motion_record){.ticks = s->ticks,
                               .period = s->period,
                               .command = s->command[k],
                               .position = s->position[k],
                               .force = s->force[k],
                               .ramps = s->c->laboratory->ramps,
                               .transport = o.delay + o.ticks * s->period};
}

/* For preflight. Without a specimen the older findings about it stay, without a burst the older velocity. */
static void take_found(study *s, int k, const ifd_characterisation *f, double expected)
{
    const ifd_burst *b = &s->burst[k];
    const ifd_characterised old = s->found[k];
    s->found[k] = (ifd_characterised){.delay = f->delay,
                                      .stiffness = f->free ? old.stiffness : f->stiffness,
                                      .stiffness_error = f->free ? old.stiffness_error : f->stiffness_error,
                                      .misfit = f->twin.misfit,
                                      .force_lag = f->free         ? old.force_lag
                                                   : f->force_late ? f->force_lag
                                                                   : 0.0,
                                      .loss = f->free ? old.loss : f->friction,
                                      .verified = b->share >= IFD_BURST_SHARE ? b->velocity
                                                  : b->share > 0.0            ? 0.0
                                                                              : old.verified,
                                      .reached = ifd_burst_saturates(b) ? b->reached
                                                 : b->share > 0.0       ? 0.0
                                                                        : old.reached,
                                      .needed = b->needed,
                                      .refused = characterisation_refused(s->a->books, f, expected)};
}

/* A fragment is written unless the sensors show something else than they should. */
static ifd_status tell_one(study *s, int k, ifd_characterisation *f, const char *folder, ifd_json *j)
{
    app *a = s->a;
    const char *path = fragment_path(s, k, folder), *name = s->o->interface[k].name;
    bool turns = s->o->interface[k].turns;
    double expected = f->free ? 0.0 : ifd_characterise_expected(s->c->test, s->c->laboratory, k);
    bool sound = ifd_characterise_doubt(f, expected) == IFD_SENSOR_DOUBT_NONE;
    take_found(s, k, f, expected);
    if (!path)
        return IFD_NO_MEMORY;
    if (sound)
        IFD_TRY(ifd_fragment_write(path, s->moved, k, f, s->period, &a->note));
    const ifd_motion_record r = record_of(s, k);
    characterisation_say(a, name, turns, f, expected, r.transport);
    burst_say(a, turns, &s->burst[k]);
    characterisation_draw(a, a->books, name, f, folder);
    if (sound)
        app_say(a, "fragment", "%s", path);
    ifd_json_object(j, name);
    characterisation_json(j, turns, f);
    burst_json(j, &s->burst[k]);
    IFD_JSON_PUT(j, IFD_JSON("refused", s->found[k].refused), IFD_JSON("fragment", sound ? path : NULL));
    ifd_json_end(j);
    return IFD_OK;
}

/* What the record of the motions shows, for each interface. */
static ifd_status evaluate(study *s, ifd_characterisation **out)
{
    ifd_characterisation *f = ifd_arena_array(s->a->books, (size_t)s->o->interfaces, sizeof *f);
    if (!f)
        return IFD_NO_MEMORY;
    for (int k = 0; k < s->o->interfaces; k++) {
        const ifd_motion_record r = record_of(s, k);
        IFD_TRY(ifd_characterise(s->a->books, s->o->protocol, k, &r, &f[k], &s->a->note));
        if (!app_has(s->a, "--free"))
            continue;
        f[k].free = true;
        f[k].force_late = f[k].yields = f[k].damping_seen = f[k].loose = false;
        f[k].friction = f[k].play = f[k].clearance = 0.0;
    }
    *out = f;
    return IFD_OK;
}

static ifd_status tell(study *s, ifd_characterisation *f, const char *folder, ifd_json *j)
{
    ifd_motion_record record[IFD_RIG_ACTUATORS];
    double mass[IFD_RIG_ACTUATORS];
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("folder", folder), IFD_JSON("period", s->period));
    for (int k = 0; k < s->o->interfaces; k++) {
        record[k] = record_of(s, k);
        mass[k] = f[k].mass;
        IFD_TRY(tell_one(s, k, &f[k], folder, j));
    }
    if (s->o->interfaces > 1 && !app_has(s->a, "--free")) { /* for all interfaces together */
        ifd_stiffness_matrix m;
        IFD_TRY(ifd_characterise_stiffness(s->a->books, s->o->protocol, record, mass, &m));
        matrix_say(s->a, s->o->interface, &m);
        matrix_json(j, &m);
    }
    ifd_json_end(j);
    return IFD_OK;
}

/* For the report, in the folder of the record. */
static bool keep_found(study *s, const char *folder, ifd_json *j)
{
    const char *path = ifd_arena_print(s->a->books, "%s/characterisation.json", folder), *text = ifd_json_done(j);
    FILE *file = path && text ? fopen(path, "w") : NULL;
    if (file)
        fprintf(file, "%s\n", text);
    return file_written(s->a, file, path);
}

/* Largest motions, lengths and angles separately. */
static void say_moves(study *s)
{
    wording most[2] = {{""}, {""}};
    for (int turns = 0; turns < 2; turns++) {
        double size = 0.0;
        for (int k = 0; k < s->o->interfaces; k++) {
            ifd_motions m = ifd_protocol_motions(s->o->protocol, k);
            if (s->o->interface[k].turns == (turns == 1))
                size = fmax(size, fmax(m.amplitude, m.sweep_size));
        }
        if (size > 0.0)
            most[turns] = characterisation_motion(turns, size);
    }
    app_say(s->a, "motion", "%d specimen%s on rig '%s' for %.0f s, at most %s%s%s; the limits of the test apply",
            s->o->interfaces, plural(s->o->interfaces), s->o->rig->name, s->o->end, most[0].text,
            *most[0].text && *most[1].text ? " and " : "", most[1].text);
}

/* The rig is opened and waits for its start; moved is the case with the motions. */
static int open_rig(study *s)
{
    app *a = s->a;
    s->o = s->moved->test;
    if (!test_clock_fits(a, s->o)) /* without a clock a rig in real time would move many times too fast */
        return EXIT_BAD_INPUT;
    if (!supervised_begin(a, (supervised_rig){s->o, NULL}, &s->moved->test->beat))
        return EXIT_BAD_INPUT;
    APP_TRY(a, ifd_hybrid_make(s->arena, s->o, &s->h, &a->note));
    s->period = ifd_hybrid_period(s->h);
    APP_TRY(a, make_room(s));
    ifd_executor_defaults(&s->clock);
    s->clock.period = app_has(a, "--as-fast-as-possible") ? 0 : s->period;
    s->clock.ring = 1 << 14;
    if (!app_integer(a, "--core", -1, 4095, &s->clock.core) ||
        !app_integer(a, "--priority", 0, 99, &s->clock.priority))
        return EXIT_BAD_INPUT;
    return start_choose(a, s->o, s->h, &s->rules) ? EXIT_FINE : EXIT_BAD_INPUT;
}

static void close_rig(study *s)
{
    ifd_hybrid_close(s->h);
    s->h = NULL;
    supervised_end();
}

static bool completed(study *s)
{
    return outcome_complete(outcome_of(ifd_result_outcome(ifd_recorder_result(s->recorder))));
}

/* The bursts, on the rig that was characterised: a new test with its own record, armed and run again. */
static ifd_status move_bursts(study *s, study *t, const char *folder)
{
    app *a = s->a;
    ifd_case *c;
    const char *beside = ifd_arena_print(a->books, "%s/velocity", folder);
    IFD_TRY(beside ? ifd_characterised_burst(t->arena, s->c, s->burst, &c) : IFD_NO_MEMORY);
    IFD_TRY(ifd_case_characterise(t->arena, c, &t->moved, &a->note));
    bool moved = open_rig(t) == EXIT_FINE;
    bool asked = moved && !t->rules.automatic;
    if (asked && ears_forget())
        app_say(a, "orders", "what was typed before this line is forgotten");
    if (moved)
        app_say(a, "motion", "bursts at the velocities of the test, %.1f s%s", t->o->end,
                asked ? ": arm and run again, or quit" : "");
    moved = moved && move(t, beside) == IFD_OK && completed(t);
    for (int k = 0; k < s->o->interfaces; k++) {
        const ifd_motion_record r = record_of(t, k);
        if (moved)
            ifd_burst_judge(t->o->protocol, k, &r, &s->burst[k]);
        else if (s->burst[k].velocity > 0.0) {
            s->burst[k].undone = "the burst was not completed";
            s->burst[k].remedy = "Characterise again";
        }
    }
    return IFD_OK;
}

static ifd_status try_bursts(study *s, const char *folder)
{
    study *t = ifd_arena_take(s->a->books, sizeof *t);
    ifd_arena *arena = ifd_arena_open();
    if (t)
        *t = (study){.a = s->a, .arena = arena, .c = s->c};
    ifd_status status = t && arena ? move_bursts(s, t, folder) : IFD_NO_MEMORY;
    if (t)
        close_rig(t);
    ifd_arena_close(arena);
    return status;
}

/* Whether the actuators reach the velocities of the test. Those of a drive have models of their own. */
static ifd_status try_velocity(study *s, ifd_characterisation *f, const char *folder)
{
    app *a = s->a;
    bool sound = !s->c->opensees && s->o->drives == 0, any = false;
    close_rig(s);
    for (int k = 0; k < s->o->interfaces; k++) {
        double expected = f[k].free ? 0.0 : ifd_characterise_expected(s->c->test, s->c->laboratory, k);
        sound = sound && (s->o->interface[k].force || !characterisation_refused(a->books, &f[k], expected));
    }
    if (!sound)
        return IFD_OK;
    ifd_case plain = *s->c;
    plain.twin_delay = 0.0;
    ifd_preflight_options o = ifd_preflight_of(&plain);
    o.delay += o.ticks * s->period;
    IFD_TRY(ifd_burst_plan(&o, &s->c->day.characterise, f, app_has(a, "--free"), s->burst, &a->note));
    for (int k = 0; k < s->o->interfaces; k++)
        any = any || s->burst[k].velocity > 0.0;
    if (any)
        IFD_TRY(try_bursts(s, folder));
    for (int k = 0; k < s->o->interfaces; k++)
        f[k].twin.velocity = ifd_burst_saturates(&s->burst[k]) ? s->burst[k].reached : 0.0;
    return IFD_OK;
}

static int conclude(study *s, const char *folder)
{
    app *a = s->a;
    ifd_json j;
    ifd_characterisation *f;
    ifd_trip_facts t = ifd_hybrid_trip(s->h);
    const char *ending = ifd_result_outcome(ifd_recorder_result(s->recorder)), *why = t.trip ? ifd_trip_text(t.trip)
                                                                                      : s->useless ? s->conduct.reason
                                                                                                   : NULL;
    if (!completed(s))
        return app_give_up(a, "not characterised: the motions were not completed (%s%s%s); the record is in %s",
                           ending, why ? ": " : "", why ? why : "", folder);
    cautions_say(a, ifd_recorder_result(s->recorder));
    APP_TRY(a, evaluate(s, &f));
    if (!ifd_characterised_read(a->books, s->c, characterised_stem(a, s->c), s->found))
        memset(s->found, 0, sizeof s->found);
    APP_TRY(a, try_velocity(s, f, folder));
    ifd_json_init(&j, a->books);
    APP_TRY(a, tell(s, f, folder, &j));
    APP_TRY(a, ifd_characterised_write(a->books, s->c, characterised_stem(a, s->c), app_value(a, "--operator"),
                                       s->found, &a->note));
    if (!keep_found(s, folder, &j))
        return EXIT_RUN_FAILED;
    int exit_status = EXIT_FINE;
    for (int k = 0; k < s->o->interfaces; k++)
        if (s->found[k].refused)
            exit_status = app_give_up(a, "%s: %s", s->o->interface[k].name, s->found[k].refused);
    return a->json ? app_put_json(a, &j, exit_status) : exit_status;
}

static int characterise(study *s)
{
    app *a = s->a;
    s->c = APP_CASE(a, case_read_test(a, ""));
    if (s->c->day.characterise.burst_velocity)
        return app_refuse(a,
                          "'burst-velocity' is for the second record of a characterisation: remove it from the case");
    APP_TRY(a, ifd_case_characterise(s->arena, s->c, &s->moved, &a->note));
    int refused = open_rig(s);
    if (refused)
        return refused;
    if (!fragments_free(s))
        return EXIT_BAD_INPUT;
    const char *folder;
    APP_TRY(a, folder_choose(a, &folder));
    start_say_rig(a, &s->rules, s->o, s->h);
    say_moves(s);
    APP_TRY(a, move(s, folder));
    return conclude(s, folder);
}

static int run_command(app *a)
{
    study *s = APP_ROOM(a, ifd_arena_take(a->arena, sizeof *s));
    s->a = a;
    s->arena = a->arena;
    int exit_status = characterise(s);
    close_rig(s);
    ifd_note_init(&a->note, a->arena);
    return exit_status;
}

const command command_characterise = {
    .name = "characterise",
    .words = "CASE",
    .summary = "identify stiffness, delay, plant and noise with small motions",
    .details =
        "Each specimen in turn rests, then follows three cycles, a step and a periodic sweep. The limits "
        "of the test apply, and the amplitudes are fractions of them (interfield help characterise). A burst "
        "follows, with the peak velocity that the test will have on the rig just found. States and orders are those "
        "of a test: a real rig waits for arm and run, before each. The result is a fragment of a case file with "
        "estimate, compensation and twin.",
    .options =
        {{"-o", "FILE",
          "the fragment (default: in the result folder); several specimens: one file each, with the name added"},
         {"--out", "DIR", "folder for the record (default: runs/<case>-NNN with the next free number)"},
         OPTION_SET,
         {"--free", NULL,
          "no specimen is attached: the burst may use half the stroke, and only the twin of the actuator is written"},
         {"--as-fast-as-possible", NULL, "free-running: for a virtual rig or a rig in lockstep"},
         OPTIONS_OF_START,
         {"--operator", "NAME", "name of the operator, required on a real rig"},
         {"--exit-on-trip", NULL, "end after a trip, also where orders are awaited"},
         {"--core", "N", "run the tick on this processor core (default: any)"},
         {"--priority", "P", "real-time priority of the tick thread, 1 to 99; 0: ordinary scheduling (default 80)"}},
    .examples = "interfield characterise bridge/hybrid --as-fast-as-possible -o bearing.yaml",
    .see = "compensate preflight characterisation.md",
    .run = run_command,
    .code = CODE_RUN,
    .outcomes = OUTCOME_BIT(TRIPPED) | OUTCOME_BIT(ABORTED) | OUTCOME_BIT(HUNG),
    .failed = "no quantity could be identified, or a file could not be written",
};
