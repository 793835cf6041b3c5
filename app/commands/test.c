/* SPDX-License-Identifier: MIT */
/* interfield test: a case with specimens on a rig, in real time. The tick has a separate thread; this one records,
 * displays and passes orders on. */
#include "session/certified.h"
#include "session/sandbox.h"
#include "session/checkpoint_writer.h"
#include "session/conduct.h"
#include "outcome.h"
#include "live/page.h"
#include "session/serving.h"
#include "session/signals.h"
#include "session/supervised.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct session {
    app *a;
    ifd_case *c;
    ifd_hybrid_options o;
    ifd_hybrid *h;
    ifd_executor_options clock;
    ifd_executor *e;
    ifd_recorder *recorder;
    ifd_certificate certificate;
    progress shown;
    events log;
    conduct conduct;
    checkpoint_writer *checkpoints;
    serving *master; /* NULL: this program computes the structure */
    page *page;      /* NULL: not requested */
    int port;        /* of the page */
    uint64_t began;  /* ns */
    status_line line;
    double setup;
    bool unwritable;      /* the record */
    double planned, kept; /* ticks: planned without a clock, 0: not bounded; recorded in motion */
    int ended_by_bound;   /* 1: stopped, 2: tripped */
    ifd_start_facts start;
    start_rules rules;
    clearance *cleared;
} session;

/* Without a clock a motion without end would fill the disk in minutes: a stop at eight times the planned ticks, and a
 * trip at nine, so that the record has at most ten. The plan has the slowest ramps across the limits, in one of which
 * a trip brakes, and half a minute. The length of a script of OpenSees is not known. */
static void plan(session *s)
{
    const ifd_hybrid_options *o = &s->o;
    double ramps = 30.0; /* s */
    for (int k = 0; k < o->interfaces; k++) {
        const ifd_interface_options *i = &o->interface[k];
        double slowest = fmin(o->creep, o->creep_fraction * i->limits.velocity);
        double range = i->limits.high - i->limits.low, gentle = sqrt(6.0 * range / i->limits.acceleration);
        double way = i->force ? 2.0 * i->limits.force / i->force->rate : range / slowest + gentle;
        ramps += isfinite(way) ? 2.0 * way : 0.0;
    }
    if (s->clock.period > 0 || s->master)
        return;
    s->planned = (ramps + o->ramp_in + o->settle + o->lambda * s->c->run.end) / ifd_hybrid_period(s->h);
    while (s->clock.ring > 16 && s->clock.ring > 0.2 * s->planned) /* an order can be two rings late */
        s->clock.ring /= 2;
}

static void heed_bound(session *s)
{
    if (s->planned == 0.0 || s->ended_by_bound == 2 || s->kept < (8.0 + s->ended_by_bound) * s->planned)
        return;
    if (s->ended_by_bound++ == 0)
        conduct_stop(&s->conduct,
                     "the record has eight times the planned ticks, and a test without a clock ends there");
    else
        control_order_itself(s->conduct.control, IFD_ORDER_TRIP, "the record has nine times the planned ticks");
}

/* First of all: what follows can wait for a lock that the hung thread has. */
static void heed_engine(session *s)
{
    char text[400];
    if (supervised_news(text, sizeof text)) {
        events_say(&s->log, "engine %s", text);
        page_engine(s->page, text, supervised_stopped());
    }
    if (supervised_ends()) { /* the engine does not return: the program ends without it, at the latest in a second */
        events_say(&s->log, "end: hung; interfield recover makes the result");
        (void)ifd_recorder_abandon(s->recorder, &s->a->note);
        (void)supervised_summary(s->a->books);
        events_close(&s->log);
        page_end(s->page, outcome_word(OUTCOME_HUNG), "");
        supervised_wait_for_end();
    }
    if (supervised_hurries())
        ifd_executor_leave(s->e);
}

static void show_add(session *s, const ifd_tick_record *record)
{
    ifd_executor_report now = {0};
    if (s->o.rig_leads && s->shown.rig_period == 0.0) /* until it is known; before the messages that contain it */
        ifd_executor_progress(s->e, &now);
    s->shown.rig_period += now.rig_period;
    if (record->tick == 1) /* only now a served rig has said what it is */
        supervised_pace(test_watched_period(&s->o, s->clock.period), ifd_hybrid_simulated(s->h),
                        test_lockstep_timeout(&s->o));
    progress_add(&s->shown, record);
}

static void add(session *s, const ifd_tick_record *record)
{
    ifd_machine now = s->shown.now_state;
    ifd_recorder_add(s->recorder, record);
    s->kept += now == IFD_MACHINE_RAMP_IN || now == IFD_MACHINE_RUN || now == IFD_MACHINE_RAMP_OUT;
    show_add(s, record);
    conduct_hear(&s->conduct, record);
    events_record(&s->log, record, &s->shown);
    conduct_add(&s->conduct, record);
    page_add(s->page, record);
    checkpoint_writer_add(s->checkpoints, record);
}

/* Nothing here may wait: this thread empties the ring buffer of the executor. */
static void poll_all(session *s, uint64_t now)
{
    heed_bound(s);
    if (!s->unwritable && ifd_recorder_progress(s->recorder) != IFD_OK) { /* a test without a record is not usable */
        s->unwritable = true;
        conduct_stop(&s->conduct, "the record cannot be written");
    }
    if (!supervised_stopped() && status_line_due(&s->line, now)) /* nothing that has stopped looks alive */
        progress_show(&s->shown, s->e, &s->line);
    if (checkpoint_writer_refused(s->checkpoints))
        conduct_asks(&s->conduct);
    conduct_poll(&s->conduct, now);
    page_pulse(s->page, now);
    checkpoint_writer_poll(s->checkpoints);
}

static void watch(session *s)
{
    ifd_tick_record r;
    for (bool last = false; !last;) {
        last = ifd_executor_finished(s->e);
        supervised_alive();
        for (int n = 0; n < s->clock.ring && ifd_executor_next(s->e, &r); n++) /* a free-running test fills it anew */
            add(s, &r);
        uint64_t now = clock_now();
        heed_engine(s);
        poll_all(s, now);
        serving_poll(s->master);
        if (!last)
            nanosleep(&(struct timespec){.tv_nsec = s->clock.period > 0 ? 2000000 : 100000}, NULL);
    }
    status_line_end(&s->line);
    checkpoint_writer_finish(s->checkpoints);
}

typedef struct ending {
    session *s;
    const test_said *said;
    const ifd_executor_report *r;
    char text[300];
} ending;

/* The last line of the log, when the outcome is known; its hash is part of the result. */
static const char *end_log(void *self, const ifd_result *result)
{
    ending *e = self;
    const ifd_executor_report *r = e->r;
    test_outcome_print(e->said, result, e->text, sizeof e->text);
    events_late(&e->s->log);
    events_say(&e->s->log, "end: %s, %ld ticks, %ld late, %ld ticks skipped, %lu records dropped", e->text, r->ticks,
               r->late_ticks, r->skipped, (unsigned long)ifd_recorder_end(e->s->recorder)->dropped);
    return events_chain(&e->s->log);
}

static int finish(session *s, const char *folder)
{
    app *a = s->a;
    ifd_executor_report r;
    ifd_executor_close(s->e, &r);
    ifd_hybrid_close(s->h); /* informs the rig now: the following steps can take longer than its watchdog */
    ifd_hung_facts hung;
    const test_said said = {a, s->c, s->h, &s->o, &s->rules, s->conduct.itself, s->conduct.unanswered};
    ending end = {.s = s, .said = &said, .r = &r};
    const ifd_timing timing = {.wall = 1e-9 * (double)(clock_now() - s->began),
                               .setup = s->setup,
                               .step_p50 = r.duration_p50,
                               .step_p99 = r.duration_p99,
                               .step_p999 = r.duration_p999,
                               .step_max = r.duration_max,
                               .ticks = r.ticks,
                               .interrupted = signals_count > 0 || signals_hung_up || s->conduct.abandoned,
                               .aborted_in = s->conduct.stopped_in,
                               .start = &s->start,
                               .hung = supervised_longest(&hung),
                               .end_events = end_log,
                               .events = &end,
                               .master = serving_report(s->master, s->conduct.stopped_in - 1)};
    ifd_status status = ifd_recorder_close(s->recorder, &r, &timing, &a->note);
    const ifd_result *result = ifd_recorder_result(s->recorder);
    uint64_t missing = ifd_recorder_end(s->recorder)->dropped;
    events_close(&s->log);
    page_end(s->page, end.text, folder);
    if (app_talks(a))
        test_ending_say(&said, &r, &timing, result, folder);
    test_trip_say(&said);
    if (test_cold_say(&said, &r))
        return outcome_exit(OUTCOME_FAILED);
    if (missing)
        app_complain(a, "the record is incomplete: %lu of %ld ticks are missing", (unsigned long)missing, r.ticks);
    if (a->json && ifd_result_summary(result))
        app_put_text(a, ifd_result_summary(result));
    APP_TRY(a, status);
    cautions_say(a, result);
    return outcome_exit(outcome_of(ifd_result_outcome(result)));
}

static bool looks_on(void *shown)
{
    return page_attended(shown);
}

static bool prepare_conduct(session *s)
{
    s->conduct.a = s->a;
    s->conduct.h = s->h;
    s->conduct.o = &s->o;
    s->conduct.rules = &s->rules;
    s->conduct.shown = &s->shown;
    s->conduct.log = &s->log;
    s->conduct.line = &s->line;
    s->conduct.waits.ordered = !s->rules.automatic;
    s->conduct.control = control_make(s->a->books, app_value(s->a, "--operator"), s->cleared);
    return s->conduct.control != NULL;
}

static int run_test(session *s, const char *folder)
{
    app *a = s->a;
    ifd_ticked ticked = ifd_hybrid_ticked(s->h);
    ifd_note_init(&a->note, s->a->books);
    const ifd_recorder_options o = {folder, s->c, s->h, {.lossless = s->clock.period == 0}};
    APP_TRY(a, ifd_recorder_open(s->a->books, &o, &s->recorder, &a->note));
    if (!events_open(&s->log, folder))
        return app_give_up(a, "'%s/events.log' cannot be written, or already exists", folder);
    supervised_record(&s->log, folder);
    supervised_pace(test_watched_period(&s->o, s->clock.period), ifd_hybrid_simulated(s->h),
                    test_lockstep_timeout(&s->o));
    day_say(a, s->c, &s->log);
    const clearance_rules people = {.day = &s->c->day, .map = s->o.map, .real = s->rules.real, .scaled = true};
    if (!(s->cleared = clearance_make(a->books, &people)))
        return app_fail(a, IFD_NO_MEMORY);
    s->rules.checks = s->rules.real && s->c->day.checks > 0;
    s->rules.second = clearance_second(s->cleared);
    start_log(&s->rules, s->cleared, &s->log);
    if (s->rules.real)
        proof_log(a, s->c, &s->log);
    certified_log(a, s->c, &s->certificate, &s->log);
    if (!certified_store(a, &s->certificate, folder))
        return EXIT_RUN_FAILED;
    progress_init(&s->shown, s->h, &s->o);
    APP_TRY(a, checkpoint_writer_open(s->checkpoints, folder, &s->log, &s->shown));
    if (!prepare_conduct(s))
        return app_fail(a, IFD_NO_MEMORY);
    APP_TRY(a, page_of_test(a, s->h, s->c, s->port, s->conduct.control, &s->page));
    s->conduct.page = s->page;
    s->conduct.looks_on = looks_on;
    signals_catch(SA_RESTART);
    s->line = status_line_begin(a);
    s->setup = 1e-9 * (double)(clock_now() - s->began);
    if (!start_at_choose(a, s->c, &s->clock, &s->start))
        return EXIT_BAD_INPUT;
    start_at_say(a, &s->start, &s->log);
    s->began = s->conduct.waits.since = clock_now();
    plan(s);
    APP_TRY(a, ifd_executor_open(a->arena, &s->clock, &ticked, &s->e, &a->note));
    checkpoint_writer_attach(s->checkpoints, s->e);
    supervised_session(s->e, s->recorder);
    if (!conduct_open(&s->conduct, s->e)) { /* nobody could give an order */
        ifd_executor_order(s->e, IFD_ORDER_STOP, IFD_SOURCE_AUTOMATIC);
        ifd_executor_close(s->e, NULL);
        return EXIT_RUN_FAILED;
    }
    char granted[300];
    ifd_executor_report r;
    ifd_executor_progress(s->e, &r);
    granted_print(granted, sizeof granted, &s->clock, &r);
    app_say(a, "priority", "%s", granted);
    events_say(&s->log, "granted: %s", granted);
    watch(s);
    conduct_close(&s->conduct);
    return finish(s, folder);
}

static int test_case(session *s)
{
    app *a = s->a;
    int exit_status = 0;
    ifd_status status = IFD_OK;
    s->began = clock_now();
    s->conduct.attached = app_has(a, "--attached");
    s->conduct.starter = getppid();
    if (!day_before(a))
        return EXIT_BAD_INPUT;
    ifd_case *c = APP_CASE(a, case_read_test(a, "interfield run computes a case without a test"));
    s->c = c;
    s->o = *c->test;
    s->o.wait_tripped = test_waits(a, c);
    if (!day_after(a, c, &s->o))
        return EXIT_BAD_INPUT;
    if (!certified(a, c, &s->o, &s->certificate))
        return EXIT_BAD_INPUT;
    c->csv = c->csv || app_has(a, "--csv");
    if (app_value(a, "--continue") && strcmp(s->o.rig->name, "openfresco") == 0)
        return app_refuse(
            a, "an OpenFresco server moves to zero when it is opened; a displaced specimen would move there "
               "suddenly. "
               "--continue is therefore refused");
    if (!test_clock_fits(a, &s->o) || !start_at_fits(a, c))
        return EXIT_BAD_INPUT;
    if (!serving_begin(a, c, &s->o, &s->master, &exit_status))
        return exit_status;
    const char *folder = NULL;
    if (app_value(a, "--out")) /* checked before any wait */
        APP_TRY(a, folder_choose(a, &folder));
    s->checkpoints = checkpoint_writer_make(a, c, &s->o);
    if (!s->checkpoints)
        return EXIT_BAD_INPUT;
    if (!supervised_begin(a, (supervised_rig){&s->o, NULL}, &s->o.beat))
        return EXIT_BAD_INPUT;
    const ifd_finding *before = a->note.remark_last;
    status = WORK_SET_UP(a, c, ifd_hybrid_make(a->arena, &s->o, &s->h, &a->note));
    app_remarks_after(a, before);
    if (status == IFD_OK)
        status = checkpoint_writer_continue(s->checkpoints, s->h);
    APP_TRY(a, status);
    if (!start_choose(a, &s->o, s->h, &s->rules))
        return EXIT_BAD_INPUT;
    if (!test_clock_choose(a, ifd_hybrid_period(s->h), &s->clock, &s->port) ||
        (s->clock.period > 0 && !fmus_fit(a, c, &s->o, s->clock.period)))
        return EXIT_BAD_INPUT;
    if (s->master) /* from here on a client can receive the end of the test */
        signals_catch(SA_RESTART);
    if (!serving_wait(s->master, s->rules.automatic, &exit_status))
        return exit_status;
    if (!folder)
        APP_TRY(a, folder_choose(a, &folder));
    test_plan_say(&(test_said){a, c, s->h, &s->o, &s->rules, NULL, false});
    APP_TRY(a, case_keep_notes(a, c));
    return run_test(s, folder);
}

static int run_command(app *a)
{
    session *s = APP_ROOM(a, ifd_arena_take(a->arena, sizeof *s));
    s->a = a;
    int exit_status = test_case(s);
    conduct_close(&s->conduct);
    serving_end(s->master, signals_last == SIGTERM || signals_hung_up || (signals_count && !s->e));
    if (s->master && s->h && app_talks(a)) /* the fault is above what the end of the script printed */
        test_trip_say(&(test_said){a, s->c, s->h, &s->o, &s->rules, NULL, false});
    page_close(s->page);
    ifd_hybrid_close(s->h);
    supervised_end();
    ifd_note_init(&a->note, a->arena);
    return exit_status;
}

const command command_test = {
    .name = "test",
    .words = "CASE",
    .summary = "run a hybrid test: specimens on the rig, the rest computed",
    .details =
        "The test runs in real time. At the start it prints the scheduling and memory rights that the system "
        "granted (docs/guide/realtime.md). A word typed on the terminal is an order; the program prints which ones "
        "the "
        "present state permits (docs/reference/states.md). stop and Ctrl-C hold the test and ramp out; a second one "
        "trips it. A real rig waits for arm and run. After a trip the test holds the position until reset or "
        "quit. The result folder receives result.h5 (every tick), summary.json, result.journal and "
        "events.log. A test that moves a real rig requires a preflight certificate.",
    .options =
        {OPTION_OUT,
         OPTION_SET,
         {"--as-fast-as-possible", NULL,
          "free-running on a virtual rig: without a clock; the computed values are the same"},
         OPTIONS_OF_TESTS,
         OPTIONS_OF_START,
         {"--scale", "S",
          "factor on motions, loads and initial state, e.g. 0.05 for an elastic shakedown; not on preload"},
         {"--certificate", "FILE", "preflight certificate (default: the one beside the case or in this folder)"},
         {"--without-preflight", NULL, "start without a certificate; this is recorded"},
         {"--until", "T",
          "park at this simulated time, in s: hold, save a checkpoint and end; the specimen stays loaded"},
         {"--continue", "RESULT",
          "continue from the checkpoint in the result folder of an earlier part of this test"},
         {"--accept-change", NULL,
          "with --continue: arm also if a specimen has another position or force than at the checkpoint; this is "
          "recorded"},
         {"--attached", NULL, "stop when standard input ends or the program that started the test has ended"},
         {"--rehearse", NULL, "full rehearsal with the actuators held; the simulated rig supplies the response"},
         {"--rig", "NAME", "rehearsal with only this one of several rigs connected (default: all)"}},
    .examples = "interfield test bridge/hybrid --as-fast-as-possible\n"
                "interfield test my-case.yaml --core 1 --live --operator 'A. Smith'",
    .see = "preflight report replay live test-day.md realtime.md",
    .run = run_command,
    .code = CODE_RUN,
    .outcomes = OUTCOMES_OF_TESTS,
    .failed = "a fault ended the test by ramp-out, the rig could not be reached, or the record could not be written",
};
