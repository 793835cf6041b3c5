/* SPDX-License-Identifier: MIT */
/* Facts of a test, collected record by record: for a record without the test that made it. */
#include "record/result.h"

#include <math.h>
#include <string.h>

void ifd__facts_find(ifd_result *res, const ifd_column *column, int columns)
{
    ifd__test_facts *f = res->facts;
    f->trip.channel = -1;
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
    for (int i = 0; i < columns && f->channels < IFD_RIG_CHANNELS; i++) {
        const char *owner = column[i].owner;
        if (column[i].quantity != IFD_COLUMN_INTERFACE_TARGET)
            continue;
        int k = f->channels++;
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

static void add_trip(ifd__test_facts *f, const ifd_tick_record *r, ifd_trip trip)
{
    if (trip != f->trip.trip) {
        f->trip = (ifd_trip_facts){.trip = trip, .tick = (long)r->tick, .channel = -1};
        f->trip_time = f->time;
        f->trip_wall = f->wall;
    }
    if (r->trace && trip != IFD_TRIP_NONE) {
        f->trip.channel = r->trace->fault_channel;
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
    for (int k = 0; k < f->channels; k++) {
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
    for (int k = 0; k < f->channels; k++) {
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
    for (int k = 0; k < f->channels; k++) {
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

void ifd__facts_ask(ifd__test_facts *f, const ifd_hybrid *test)
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
    for (int k = 0; k < f->channels; k++)
        ifd_hybrid_peaks(test, k, f->peak[k]);
    f->balanced = ifd_hybrid_energy(test, &f->energy);
}
