/* SPDX-License-Identifier: MIT */
/* Parts of the result of a hybrid test that the result of a run does not have: the columns of the clock, the fault,
 * limits and timing. */
#include "record/cycles.h"
#include "record/result.h"

#include <math.h>
#include <string.h>

#include <interfield/link.h>

#include "model/model.h"

/* Facts of a test, collected record by record: for a record without the test that made it. */

void ifd__facts_find(ifd_result *res, const ifd_column *column, int columns)
{
    ifd__test_facts *f = res->facts;
    f->trip.owner = -1;
    f->aborted_in = f->stop_in = -1;
    res->at.time = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_TIME);
    res->at.state = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_STATE);
    res->at.rate = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_RATE);
    res->at.age = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_AGE);
    f->trigger_rose = f->trigger_fell = (double)NAN;
    res->at.commanded = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_COMMANDED);
    res->at.fault = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_FAULT);
    for (ifd_quantity q = IFD_COLUMN_ENERGY_INPUT; q <= IFD_COLUMN_ENERGY_NUMERICAL; q++)
        res->at.energy[q - IFD_COLUMN_ENERGY_INPUT] = ifd_column_find(column, columns, "", q);
    f->balanced = res->at.energy[0] >= 0;
    for (int i = 0; i < columns && f->interfaces < IFD_RIG_ACTUATORS; i++) {
        const char *owner = column[i].owner;
        if (column[i].quantity != IFD_COLUMN_INTERFACE_TARGET)
            continue;
        int k = f->interfaces++;
        f->name[k] = owner;
        res->at.command[k] = ifd_column_find(column, columns, owner, IFD_COLUMN_INTERFACE_COMMAND);
        res->at.force[k] = ifd_column_find(column, columns, owner, IFD_COLUMN_INTERFACE_FORCE);
        res->at.relaxation[k] = ifd_column_find(column, columns, owner, IFD_COLUMN_HOLD_RELAXATION);
        res->at.tracking[k] = ifd_column_find(column, columns, owner, IFD_COLUMN_INTERFACE_TRACKING);
    }
}

static double value(const ifd_tick_record *r, int column)
{
    return column < 0 ? 0 : r->values[column];
}

/* The facts of a trip that is latched, before the next state. A new ramp-in begins another test. */
static void keep_trip(ifd__test_facts *f, ifd_machine next)
{
    if (f->state == IFD_MACHINE_TRIPPED && next != IFD_MACHINE_TRIPPED)
        f->tripped = f->trip;
    if (next == IFD_MACHINE_RAMP_IN || next == IFD_MACHINE_RUN || next == IFD_MACHINE_TRIPPED)
        f->tripped = (ifd_trip_facts){.owner = -1};
}

/* The trip in the facts: the latched one, or the one that a reset has cleared. */
static const ifd_trip_facts *trip_of(const ifd__test_facts *f)
{
    return f->trip.trip == IFD_TRIP_NONE ? &f->tripped : &f->trip;
}

static void add_trip(ifd__test_facts *f, const ifd_tick_record *r, ifd_trip trip)
{
    if (trip != f->trip.trip) {
        f->trip = (ifd_trip_facts){.trip = trip, .tick = (long)r->tick, .owner = -1};
        f->trip_time = trip == IFD_TRIP_NONE ? f->trip_time : f->time;
        f->trip_wall = trip == IFD_TRIP_NONE ? f->trip_wall : f->wall;
    }
    if (r->trace && trip != IFD_TRIP_NONE) {
        f->trip.owner = r->trace->fault_owner;
        f->trip.value = r->trace->fault_value;
        f->trip.limit = r->trace->fault_limit;
    }
    if (r->trace && (r->trace->faults >> IFD_TRIP_NO_FORCE & 1) && !f->empty) {
        double cycle = trip == IFD_TRIP_NO_FORCE ? r->trace->fault_value : 0.0; /* s of wall-clock time */
        f->empty = true;
        f->empty_from = fmax(0.0, f->time - cycle / f->lambda);
    }
    for (int k = 0; r->trace && k < IFD_TRIP_COUNT; k++)
        f->seen[k] += (long)(r->trace->faults >> k & 1);
}

/* Whether a fault of this tick can ramp out: late ticks do with `overrun: stop`. */
static bool forced_out(const ifd_tick_record *r)
{
    bool any = false;
    for (int k = 0; r->trace && k < IFD_TRIP_COUNT; k++)
        any = any || ((r->trace->faults >> k & 1) && ifd_trip_action((ifd_trip)k) >= IFD_ACTION_HOLD);
    return any;
}

/* An order ended a state that would have continued. A stop that was given in run ends the hold later. */
static void add_abort(ifd__test_facts *f, ifd_machine next, const ifd_tick_record *r)
{
    ifd_machine before = f->state;
    bool refused = r->trace && ifd_answer_refuses((ifd_answer)r->trace->answer);
    if (r->order == IFD_ORDER_STOP && !refused && f->stop_in < 0)
        f->stop_in = (int)before;
    bool leaves = next != before && (next == IFD_MACHINE_RAMP_OUT || next == IFD_MACHINE_STOPPED);
    bool quits = (r->order == IFD_ORDER_QUIT || r->order == IFD_ORDER_STOP) && (next == IFD_MACHINE_IDLE || leaves);
    bool ordered =
        r->order == IFD_ORDER_RAMP_OUT || r->order == IFD_ORDER_HOLD || r->order == IFD_ORDER_UNLOAD ||
        (before == IFD_MACHINE_HOLD && next == IFD_MACHINE_RAMP_OUT && r->order == IFD_ORDER_NONE && !forced_out(r));
    if (quits || (leaves && ordered))
        f->aborted_in = f->stop_in >= 0 ? f->stop_in : (int)before;
    if (next == IFD_MACHINE_RUN && before == IFD_MACHINE_HOLD)
        f->stop_in = -1;
}

/* The command of a tick contains the trigger in the states run and hold. After a reset the edges of the last run
 * count: its rise, and its fall after it has occurred. */
static void add_trigger(ifd__test_facts *f, bool before)
{
    bool now = f->state == IFD_MACHINE_RUN || f->state == IFD_MACHINE_HOLD;
    if (now && !before) {
        f->trigger_rose = f->wall;
        f->trigger_fell = (double)NAN;
    }
    if (before && !now)
        f->trigger_fell = f->wall;
}

/* As a resume judges it, if the case bounds it. Otherwise the change of the measured force, divided as there. */
static double relaxation(const ifd_result *res, const ifd_tick_record *r, int k)
{
    const double least = 0.1; /* of the largest force */
    const ifd__test_facts *f = res->facts;
    const ifd__hold_facts *h = &f->hold[f->holds - 1];
    return res->at.relaxation[k] >= 0
               ? value(r, res->at.relaxation[k])
               : fabs(h->now[k] - h->began[k]) / fmax(fabs(h->began[k]), least * f->peak[k][1]);
}

/* Simulated time is constant. */
static void add_hold(ifd_result *res, const ifd_tick_record *r)
{
    ifd__test_facts *f = res->facts;
    bool rests = f->state == IFD_MACHINE_HOLD && res->at.rate >= 0 && value(r, res->at.rate) == 0.0;
    bool begins = rests && !f->resting;
    if (f->resting && !rests && f->holds <= IFD__HOLDS)
        f->hold[f->holds - 1].next = (int)f->state;
    f->resting = rests;
    f->holds += begins;
    if (!rests || f->holds > IFD__HOLDS)
        return;
    ifd__hold_facts *h = &f->hold[f->holds - 1];
    if (begins)
        *h = (ifd__hold_facts){.time = f->time, .wall = f->wall, .next = -1};
    h->duration = f->wall - h->wall;
    h->refused += r->order == IFD_ORDER_RESUME && r->trace && ifd_answer_refuses((ifd_answer)r->trace->answer);
    for (int k = 0; k < f->interfaces; k++) {
        h->now[k] = value(r, res->at.force[k]);
        h->began[k] = begins ? h->now[k] : h->began[k];
        h->relaxation[k] = relaxation(res, r, k);
    }
}

static void add_command(ifd__command_facts *c, double command, double period)
{
    double step = command - c->last;
    if (c->known >= 1)
        c->velocity = fmax(c->velocity, fabs(step) / period);
    if (c->known >= 2)
        c->acceleration = fmax(c->acceleration, fabs(step - c->step) / (period * period));
    c->last = command;
    c->step = step;
    c->known += c->known < 2;
}

/* Only ticks in a row that command. */
static void add_commands(ifd_result *res, const ifd_tick_record *r)
{
    ifd__test_facts *f = res->facts;
    bool commanded = value(r, res->at.commanded) > 0.0;
    for (int k = 0; k < f->interfaces; k++) {
        if (r->dropped || r->thinned || !commanded)
            f->command[k].known = 0;
        if (commanded && res->at.command[k] >= 0)
            add_command(&f->command[k], value(r, res->at.command[k]), f->period);
    }
}

static double energy(const ifd_result *res, const ifd_tick_record *r, ifd_quantity q)
{
    return value(r, res->at.energy[q - IFD_COLUMN_ENERGY_INPUT]);
}

/* As in the test. The columns do not change where no step is completed; before a run they are 0. */
static void add_energy(ifd_result *res, const ifd_tick_record *r)
{
    ifd__test_facts *f = res->facts;
    bool before = f->state == IFD_MACHINE_IDLE || f->state == IFD_MACHINE_RAMP_IN;
    ifd_energy *e = &f->energy;
    if (!f->balanced)
        return;
    double scale = before ? 0.0 : e->scale;
    *e = (ifd_energy){.input = energy(res, r, IFD_COLUMN_ENERGY_INPUT),
                      .kinetic = energy(res, r, IFD_COLUMN_ENERGY_KINETIC),
                      .stored = energy(res, r, IFD_COLUMN_ENERGY_STORED),
                      .dissipated = energy(res, r, IFD_COLUMN_ENERGY_DISSIPATED),
                      .specimens = energy(res, r, IFD_COLUMN_ENERGY_SPECIMENS),
                      .joints = energy(res, r, IFD_COLUMN_ENERGY_JOINTS),
                      .numerical = energy(res, r, IFD_COLUMN_ENERGY_NUMERICAL)};
    e->scale = fmax(fmax(scale, fabs(e->input)), fmax(e->kinetic + fabs(e->stored), fabs(e->dissipated)));
    e->start = e->kinetic + e->stored + e->dissipated + e->specimens + e->numerical - e->input - e->joints;
}

static void add_slowdown(ifd_result *res, const ifd_tick_record *r)
{
    ifd__test_facts *f = res->facts;
    if (res->at.rate < 0)
        return;
    if (r->trace && r->trace->answer == IFD_ANSWER_NONE)
        ifd_slowdown_order(&f->slowdown, r->order);
    if (f->state == IFD_MACHINE_RUN)
        ifd_slowdown_add(&f->slowdown, value(r, res->at.rate), res->at.age >= 0 ? value(r, res->at.age) : 0.0,
                         f->period);
}

void ifd__facts_add(ifd_result *res, const ifd_tick_record *r, double wall)
{
    ifd__test_facts *f = res->facts;
    bool triggered = f->state == IFD_MACHINE_RUN || f->state == IFD_MACHINE_HOLD;
    f->wall = wall;
    bool held = f->state == IFD_MACHINE_HOLD;
    add_abort(f, (ifd_machine)(int)value(r, res->at.state), r);
    keep_trip(f, (ifd_machine)(int)value(r, res->at.state));
    f->time = value(r, res->at.time);
    f->state = (ifd_machine)(int)value(r, res->at.state);
    add_trigger(f, triggered);
    add_hold(res, r);
    add_slowdown(res, r);
    add_commands(res, r);
    add_energy(res, r);
    if (f->state == IFD_MACHINE_RUN && r->trace) {
        f->run_ticks += 1.0;
        f->run_stale += (double)(r->trace->faults >> IFD_TRIP_STALE & 1);
    }
    f->paused = f->state == IFD_MACHINE_STOPPED && (f->paused || held);
    add_trip(f, r, (ifd_trip)(int)value(r, res->at.fault));
    bool moves = f->state == IFD_MACHINE_RUN || f->state == IFD_MACHINE_HOLD;
    for (int k = 0; k < f->interfaces; k++) {
        double *peak = f->peak[k];
        if (moves)
            peak[0] = fmax(peak[0], fabs(value(r, res->at.tracking[k])));
        peak[1] = fmax(peak[1], fabs(value(r, res->at.force[k])));
        peak[2] = fmax(peak[2], fabs(value(r, res->at.command[k])));
    }
}

double ifd__stale_fraction(const ifd_result *res)
{
    const ifd__test_facts *f = res->facts;
    if (res->test)
        return ifd_hybrid_stale_fraction(res->test);
    return f->run_ticks > 0.0 ? f->run_stale / f->run_ticks : 0.0;
}

/* Replaces the collected facts by those of the test. */
static void facts_ask(ifd__test_facts *f, const ifd_hybrid *test)
{
    f->state = ifd_hybrid_state(test);
    f->paused = ifd_hybrid_paused(test);
    f->time = ifd_hybrid_time(test);
    ifd_trip_facts trip = ifd_hybrid_trip(test);
    if (trip.trip != f->trip.trip) { /* it occurred after the last record */
        f->trip_time = f->time;
        f->trip_wall = f->wall;
    }
    f->trip = trip;
    for (int k = 0; k < IFD_TRIP_COUNT; k++)
        f->seen[k] = ifd_hybrid_count(test, (ifd_trip)k);
    for (int k = 0; k < f->interfaces; k++)
        ifd_hybrid_peaks(test, k, f->peak[k]);
    f->balanced = ifd_hybrid_energy(test, &f->energy);
}

enum {
    FIRST_STAGE = IFD_COLUMN_CLOCK_SENSE - IFD_COLUMN_WALL_TIME, /* stages of the tick, if the case requests them */
    CLOCK = IFD_COLUMN_CLOCK_COMMAND - IFD_COLUMN_WALL_TIME + 1
};
_Static_assert(CLOCK == (int)FIRST_STAGE + (int)IFD_STAGES, "a column for each stage");

static int clock_count(const ifd_result *res)
{
    return res->c->stages ? CLOCK : FIRST_STAGE;
}

static bool is_dof(const ifd_case *c, int index, const char *owner)
{
    const ifd_couple_options *couple = c->run.couple;
    bool gone = index >= IFD__RECORD_GONE;
    index -= gone ? IFD__RECORD_GONE : 0;
    for (int p = 0, first = 0; p < (couple ? couple->parts : 1); p++) {
        const ifd_model *m = couple ? couple->part[p].model : c->run.model;
        int n = gone ? m->ngone : m->n;
        if (index < first + n) {
            const char *dof = gone ? m->gone[index - first] : m->dof_name[index - first];
            const char *part = couple ? couple->part[p].name : "";
            size_t before = couple ? strlen(part) + 1 : 0;
            return strncmp(owner, part, strlen(part)) == 0 && strlen(owner) >= before &&
                   strcmp(owner + before, dof) == 0;
        }
        first += n;
    }
    return false;
}

/* The columns of 'record' in the case; without it, all columns of the test. The motion of the rig is always
 * recorded. */
static bool wanted(const ifd_case *c, const ifd_column *channel)
{
    const ifd_run_options *run = &c->run;
    if (channel->quantity == IFD_COLUMN_TEST_TIME)
        return false; /* it is the time of the rows */
    if (channel->quantity == IFD_COLUMN_JOINT_MULTIPLIER)
        return !run->what || run->what & IFD_RECORD_JOINTS;
    if (channel->quantity != IFD_COLUMN_DISPLACEMENT || (!run->what && !run->dofs))
        return true;
    if (!run->dofs)
        return run->what & IFD_RECORD_DISPLACEMENT;
    for (int i = 0; i < run->dofs; i++)
        if (is_dof(c, run->dof[i], channel->owner))
            return true;
    return false;
}

static ifd_status channels_make(ifd_result *res, const ifd_column *column, int columns)
{
    ifd_column *all;
    IFD_TRY(IFD__TAKE(res->arena, IFD__ARRAY(all, (size_t)(CLOCK + columns)),
                      IFD__ARRAY(res->row, (size_t)(CLOCK + columns)), IFD__ARRAY(res->pick, columns)));
    for (int i = 0; i < CLOCK; i++)
        IFD_TRY(ifd_column_make(res->arena, "", (ifd_quantity)(IFD_COLUMN_WALL_TIME + i), 0, false, &all[i]));
    int clock = res->columns = clock_count(res);
    for (int i = 0; i < columns; i++)
        if (wanted(res->c, &column[i])) {
            res->pick[res->columns - clock] = i;
            all[res->columns++] = column[i];
        }
    res->column = all;
    ifd__facts_find(res, column, columns);
    return IFD_OK;
}

/* from: the run or test of this result. */
static ifd_status open_ticks(const ifd_result *from, const char *folder, const ifd_journal_facts *head,
                             ifd_result **out, ifd_note *note)
{
    ifd_result *res;
    ifd__test_facts *facts;
    IFD_TRY(IFD__TAKE(from->arena, IFD__ARRAY(res, 1), IFD__ARRAY(facts, 1)));
    *res = *from;
    res->facts = facts;
    facts->period = head->period;
    facts->lambda = from->c->test ? from->c->test->lambda : 1.0;
    snprintf(res->started, sizeof res->started, "%s", head->started);
    IFD_TRY(channels_make(res, head->column, head->columns));
    IFD_TRY(ifd__cycles_open(res->arena, res->c, head->column, head->columns, &res->cycles));
    IFD_TRY(ifd__result_begin(res, folder, note));
    *out = res;
    return IFD_OK;
}

ifd_status ifd_result_open_test(ifd_arena *arena, const char *folder, const ifd_case *c, const ifd_hybrid *test,
                                ifd_result **out, ifd_note *note)
{
    ifd_journal_facts head = {.started = "", .period = ifd_hybrid_period(test)};
    head.column = ifd_hybrid_columns(test, &head.columns);
    return open_ticks(&(ifd_result){.arena = arena, .c = c, .test = test}, folder, &head, out, note);
}

ifd_status ifd__result_open_ticks(ifd_arena *arena, const char *folder, const ifd_case *c,
                                  const ifd_journal_facts *head, ifd_result **out, ifd_note *note)
{
    return open_ticks(&(ifd_result){.arena = arena, .c = c}, folder, head, out, note);
}

ifd_status ifd_result_append_record(ifd_result *res, const ifd_tick_record *record)
{
    uint64_t every = res->c->run.every > 1 ? (uint64_t)res->c->run.every : 1;
    res->skipped += record->skipped;
    ifd__facts_add(res, record, (double)(record->tick - 1 + res->skipped) * res->facts->period);
    ifd_machine state = res->facts->state;
    if (res->cycles)
        ifd__cycles_add(res->cycles, res->facts->time, state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD,
                        state == IFD_MACHINE_IDLE || state == IFD_MACHINE_READY, record->values);
    if ((record->tick - 1) % every)
        return IFD_OK;
    res->row[0] = res->facts->wall;
    res->row[1] = record->late;
    res->row[2] = record->duration;
    res->row[3] = (double)record->order;
    int clock = clock_count(res);
    for (int i = FIRST_STAGE; i < clock; i++)
        res->row[i] = record->trace ? 1e-9 * record->trace->stage_ns[i - FIRST_STAGE] : 0;
    for (int i = clock; i < res->columns; i++)
        res->row[i] = record->values[res->pick[i - clock]];
    return ifd__result_keep(res, res->facts->time, res->row);
}

ifd_status ifd_result_close_test(ifd_result *res, const ifd_executor_report *report, const ifd_timing *timing,
                                 ifd_note *note)
{
    res->report = report;
    res->start = timing->start;
    if (res->test)
        facts_ask(res->facts, res->test);
    if (timing->interrupted && timing->aborted_in > 0)
        res->facts->aborted_in = timing->aborted_in - 1;
    ifd_status status = ifd_result_close(res, timing, note);
    res->report = NULL;
    res->start = NULL;
    return status;
}

const char *ifd_result_aborted_in(const ifd_result *res)
{
    const ifd__test_facts *f = res->facts;
    return f && f->aborted_in >= 0 ? ifd_machine_name((ifd_machine)f->aborted_in) : NULL;
}

ifd__mishap ifd__test_mishap(const ifd_result *res)
{
    const ifd__test_facts *f = res->facts;
    const ifd_trip_facts *trip = trip_of(f);
    if (trip->trip == IFD_TRIP_NONE || trip->trip == IFD_TRIP_END_WHEN)
        return (ifd__mishap){0};
    int k = trip->owner;
    return (ifd__mishap){.name = ifd_trip_name(trip->trip),
                         .text = ifd_trip_text(trip->trip),
                         .where = res->test                     ? ifd_hybrid_owner_name(res->test, k)
                                  : k >= 0 && k < f->interfaces ? f->name[k]
                                                                : NULL,
                         .step = trip->tick,
                         .time = f->trip_time,
                         .wall = f->trip_wall,
                         .value = trip->value,
                         .limit = trip->limit,
                         .why = res->test ? ifd_hybrid_why(res->test) : NULL};
}

static void put_granted(ifd_json *j, const ifd_executor_report *r)
{
    IFD_JSON_OBJECT(j, "granted", IFD_JSON("fifo", r->fifo), IFD_JSON("deadline", r->deadline),
                    IFD_JSON("locked", r->locked), IFD_JSON("pinned", r->pinned), IFD_JSON("isolated", r->isolated),
                    IFD_JSON("awake", r->awake));
}

/* Wall-clock time 0 on other clocks; unknown values are null. */
static void put_start(ifd_json *j, const ifd_executor_report *r, const ifd_start_facts *s, double rose)
{
    char utc[64];
    ifd_json_text(j, "start_utc", ifd__utc_text(r->start_utc, utc) ? utc : NULL);
    if (r->start_utc)
        IFD_JSON_PUT(j, IFD_JSON("start_tai_offset", (long)((r->start_tai - r->start_utc + 500000000) / 1000000000)),
                     IFD_JSON("start_monotonic", 1e-9 * (double)r->start_monotonic));
    if (r->start_utc && isfinite(rose))
        ifd_json_integer(j, "started_tai_ns", (long)(r->start_tai + (int64_t)(1e9 * rose)));
    if (r->rig_period > 0.0)
        IFD_JSON_PUT(j, IFD_JSON("rig_period", r->rig_period), IFD_JSON("without_sample", r->in_vain));
    if (!s || !s->at)
        return;
    IFD_JSON_PUT(j, IFD_JSON("start_at", ifd__utc_text(s->at, utc) ? utc : NULL),
                 IFD_JSON("start_error", ifd__start_error(r, s, rose)), IFD_JSON("clock_source", s->source),
                 IFD_JSON("clock_error", s->clock_error));
}

double ifd__start_error(const ifd_executor_report *r, const ifd_start_facts *s, double rose)
{
    return rose + 1e-9 * (double)(r->start_utc - s->at);
}

static void put_holds(ifd_json *j, const ifd_result *res)
{
    const ifd__test_facts *f = res->facts;
    double bound = res->c->test ? res->c->test->hold_relaxation : 0.0;
    if (!f->holds)
        return;
    ifd_json_list(j, "holds");
    for (int i = 0; i < f->holds && i < IFD__HOLDS; i++) {
        const ifd__hold_facts *h = &f->hold[i];
        ifd_json_object(j, NULL);
        IFD_JSON_PUT(j, IFD_JSON("time", h->time), IFD_JSON("wall_time", h->wall), IFD_JSON("duration", h->duration),
                     IFD_JSON("bound", bound > 0.0 ? bound : (double)NAN), IFD_JSON("refused", h->refused),
                     IFD_JSON("next", h->next < 0 ? NULL : ifd_machine_name((ifd_machine)h->next)));
        ifd_json_object(j, "force");
        for (int k = 0; k < f->interfaces; k++)
            IFD_JSON_OBJECT(j, f->name[k], IFD_JSON("began", h->began[k]), IFD_JSON("ended", h->now[k]),
                            IFD_JSON("relaxation", h->relaxation[k]));
        ifd_json_end(j);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

static void put_elastic(ifd_json *j, const ifd_result *res)
{
    const ifd_slowdown *s = &res->facts->slowdown;
    if (res->at.age < 0)
        return;
    IFD_JSON_OBJECT(j, "elastic", IFD_JSON("longer", s->at_full_rate > 0.0 ? s->run / s->at_full_rate : (double)NAN),
                    IFD_JSON("below_0_9", s->run > 0.0 ? s->below / s->run : (double)NAN),
                    IFD_JSON("at_rest", s->run > 0.0 ? s->rest / s->run : (double)NAN), IFD_JSON("rests", s->rests),
                    IFD_JSON("longest_rest", s->longest), IFD_JSON("oldest_answer", s->oldest));
}

static void put_scale(ifd_json *j, const ifd_result *res)
{
    const ifd_slowdown *s = &res->facts->slowdown;
    if (s->orders == 0)
        return;
    IFD_JSON_OBJECT(j, "time_scale", IFD_JSON("orders", s->orders), IFD_JSON("slowest", 1.0 / (1.0 + s->slowest)),
                    IFD_JSON("last", 1.0 / (1.0 + s->slower)),
                    IFD_JSON("longer", s->at_full_rate > 0.0 ? s->run / s->at_full_rate : (double)NAN));
}

static void put_clock(ifd_json *j, const ifd_result *res)
{
    const ifd_executor_report *r = res->report;
    ifd_json_object(j, "clock");
    ifd_json_number(j, "period", res->facts->period);
    if (res->test) /* a journal does not contain it */
        ifd_json_flag(j, "free_running", !r->clock);
    put_start(j, r, res->start, res->facts->trigger_rose);
    if (res->facts->journal && !res->facts->journal->has_ending)
        ifd_json_text(j, "granted", NULL); /* it is in the end of a journal, which is missing here */
    else
        put_granted(j, r);
    IFD_JSON_PUT(
        j, IFD_JSON("late_ticks", r->late_ticks), IFD_JSON("skipped", r->skipped), IFD_JSON("dropped", r->dropped),
        IFD_JSON("page_faults", r->faults), IFD_JSON("preempted", r->preempted), IFD_JSON("late_p50", r->late_p50),
        IFD_JSON("late_p99", r->late_p99), IFD_JSON("late_p999", r->late_p999), IFD_JSON("late_max", r->late_max));
    ifd_json_end(j);
}

/* Every fault that occurred, also those that only gave a warning. */
static void put_seen(ifd_json *j, const ifd_result *res)
{
    ifd_json_object(j, "seen");
    for (int k = IFD_TRIP_NONE + 1; k < IFD_TRIP_COUNT; k++) {
        if (res->facts->seen[k])
            ifd_json_integer(j, ifd_trip_name((ifd_trip)k), res->facts->seen[k]);
    }
    ifd_json_end(j);
}

/* Only the test itself has the measures of tracking. */
static void put_tracking(ifd_json *j, const ifd_hybrid *test, int channel)
{
    if (!test)
        return;
    ifd_tracking t = ifd_hybrid_tracking(test, channel);
    IFD_JSON_PUT(j, IFD_JSON("delay", t.delay), IFD_JSON("amplitude", t.amplitude), IFD_JSON("tracking_rms", t.rms),
                 IFD_JSON("tracking_peak", t.peak), IFD_JSON("tracking_energy", t.energy), IFD_JSON("work", t.work));
}

static void put_rig(ifd_json *j, const ifd_result *res)
{
    ifd_json_object(j, "rig");
    for (int k = 0; k < res->facts->interfaces; k++) {
        const double *peak = res->facts->peak[k];
        ifd_json_object(j, res->facts->name[k]);
        IFD_JSON_PUT(j, IFD_JSON("tracking", peak[0]), IFD_JSON("force", peak[1]), IFD_JSON("command", peak[2]),
                     IFD_JSON("velocity", res->facts->command[k].velocity),
                     IFD_JSON("acceleration", res->facts->command[k].acceleration));
        put_tracking(j, res->test, k);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}
static void put_text(ifd_json *j, const char *key, const char *text)
{
    ifd_json_text(j, key, text && *text ? text : NULL);
}

static void put_day(ifd_json *j, const ifd_day *d)
{
    put_text(j, "operator", d->by);
    put_text(j, "specimen_id", d->specimen);
    put_text(j, "notes", d->notes);
    IFD_JSON_PUT(j, IFD_JSON("scale", d->scale), IFD_JSON("rehearsal", d->rehearsal));
    put_text(j, "continues", d->continues);
}

/* Messages of the rigs that are reached by them, in the order of the rigs. */
static void put_links(ifd_json *j, const ifd_result *res)
{
    const ifd_hybrid_options *o = res->c->test;
    const ifd_several *all = o ? ifd_several_of(o->rig, o->rig_setup) : NULL;
    const ifd_rig *rig;
    ifd_json_list(j, "links");
    for (int r = 0; res->test && (rig = ifd_hybrid_rig(res->test, r)); r++) {
        const ifd_link_counts n = ifd_link_counted(rig);
        uint64_t refused = 0;
        if (!ifd_link_refused(rig, 0, &refused))
            continue;
        ifd_json_object(j, NULL);
        IFD_JSON_PUT(j, IFD_JSON("rig", all ? all->rig[r].name : rig->ops->name), IFD_JSON("sent", (long)n.sent),
                     IFD_JSON("heard", (long)n.heard), IFD_JSON("lost", (long)n.lost),
                     IFD_JSON("doubled", (long)n.doubled), IFD_JSON("overtaken", (long)n.overtaken));
        ifd_json_object(j, "refused");
        const char *reason;
        for (int i = 0; (reason = ifd_link_refused(rig, i, &refused)); i++)
            if (refused)
                ifd_json_number(j, reason, (double)refused);
        ifd_json_end(j);
        char text[200];
        ifd_json_text(j, "first_refused", ifd_link_refusal_print(rig, text, sizeof text) ? text : NULL);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

/* The end of the record: the number of missing records. */
static void put_journal(ifd_json *j, const ifd_journal_end *e)
{
    static const char *const word[] = {"open", "closed", "cut", "damaged", "incomplete"};
    if (!e)
        return;
    IFD_JSON_OBJECT(j, "record", IFD_JSON("state", word[e->state]), IFD_JSON("made", (long)e->ticks),
                    IFD_JSON("ticks", (long)e->records), IFD_JSON("thinned", (long)e->thinned),
                    IFD_JSON("dropped", (long)e->dropped), IFD_JSON("unreadable", (long)e->bad));
}

/* Calibration of every channel: a tare is part of the result. */
static void put_channels(ifd_json *j, const ifd_channel_map *map)
{
    ifd_json_object(j, "channels");
    for (int i = 0; i < map->rows; i++) {
        const ifd_channel_row *row = &map->row[i];
        IFD_JSON_OBJECT(j, row->name, IFD_JSON("unit", row->unit),
                        IFD_JSON("sensitivity", row->sign * row->sensitivity), IFD_JSON("offset", row->offset),
                        IFD_JSON("zero", row->zero), IFD_JSON("tared", row->tared),
                        IFD_JSON("calibrated", row->calibrated), IFD_JSON("valid_until", row->valid_until));
    }
    ifd_json_end(j);
}

void ifd__test_summary(ifd_json *j, const ifd_result *res)
{
    const ifd_case_preflight *p = &res->c->preflight;
    put_day(j, &res->c->day);
    IFD_JSON_OBJECT(j, "preflight", IFD_JSON("certificate", p->certificate), IFD_JSON("verdict", p->verdict),
                    IFD_JSON("skipped", p->skipped));
    IFD_JSON_PUT(j, IFD_JSON("state", ifd_machine_name(res->facts->state)),
                 IFD_JSON("aborted_in", ifd_result_aborted_in(res)));
    put_rig(j, res);
    if (res->c->test && res->c->test->map)
        put_channels(j, res->c->test->map);
    put_seen(j, res);
    put_clock(j, res);
    ifd_json_number(j, "stale_fraction", ifd__stale_fraction(res));
    IFD_JSON_OBJECT(j, "trigger", IFD_JSON("rose", res->facts->trigger_rose),
                    IFD_JSON("fell", res->facts->trigger_fell)); /* in wall-clock time, as in the rows */
    put_holds(j, res);
    put_elastic(j, res);
    put_scale(j, res);
    put_links(j, res);
    put_journal(j, res->facts->journal);
    put_text(j, "events_chain", res->events_chain);
}
