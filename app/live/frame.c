/* SPDX-License-Identifier: MIT */
/* The description of a test and the frames of the live page, as server-sent events. */
#include "frame.h"

#include <math.h>
#include <string.h>

bool frame_plan_find(frame_plan *plan, const ifd_column *column, int count)
{
    plan->at = test_columns_find(column, count);
    plan->column = column;
    plan->columns = count;
    bool found = plan->at.time >= 0 && plan->at.state >= 0 && plan->specimens > 0;
    for (int k = 0; k < plan->specimens; k++) {
        frame_specimen *c = &plan->specimen[k];
        for (int i = 0; i < SEEN_COUNT; i++)
            c->column[i] = ifd_column_find(column, count, c->name, (ifd_quantity)(IFD_COLUMN_INTERFACE_TARGET + i));
        c->energy = ifd_column_find(column, count, c->name, IFD_COLUMN_INTERFACE_ENERGY);
        c->relaxation = ifd_column_find(column, count, c->name, IFD_COLUMN_HOLD_RELAXATION);
        c->delay = ifd_column_find(column, count, c->name, IFD_COLUMN_INDICATED_DELAY);
        c->amplitude = ifd_column_find(column, count, c->name, IFD_COLUMN_INDICATED_AMPLITUDE);
        found = found && c->column[SEEN_MEASURED] >= 0;
        c->turns = found && strcmp(column[c->column[SEEN_MEASURED]].unit, "rad") == 0;
    }
    return found;
}

bool frame_begin(frame *f, ifd_arena *arena, const frame_plan *plan)
{
    *f = (frame){.plan = plan, .spacing = plan->spacing, .now_state = -1};
    f->value = ifd_arena_array(arena, (size_t)FRAME_SAMPLES * (size_t)plan->columns, sizeof *f->value);
    return f->value != NULL;
}

static void against(frame *f, int k, int bar, double amount, double limit)
{
    double share = limit != 0 ? amount / limit : 0; /* an end of the stroke can be at 0 */
    f->share[k][bar] = fmax(f->share[k][bar], share);
    f->peak[k][bar] = fmax(f->peak[k][bar], share);
}

/* Commands have no noise, so differences are their velocity and acceleration, as in the governor. */
static void add_motion(frame *f, int k, double x)
{
    frame_past *p = &f->past[k];
    const ifd_limits *l = &f->plan->specimen[k].limits;
    double velocity = (x - p->command) / f->plan->period;
    if (p->known >= 1)
        against(f, k, BAR_VELOCITY, fabs(velocity), l->velocity);
    if (p->known >= 2)
        against(f, k, BAR_ACCELERATION, fabs(velocity - p->velocity) / f->plan->period, l->acceleration);
    p->command = x;
    p->velocity = velocity;
    p->known += p->known < 2;
}

/* An unchanged force is not new: its rate is relative to the last change. */
static void add_force(frame *f, int k, uint64_t tick, double force)
{
    frame_past *p = &f->past[k];
    const ifd_limits *l = &f->plan->specimen[k].limits;
    against(f, k, BAR_FORCE, fabs(force), l->force);
    if (force == p->force)
        return;
    if (p->force_tick)
        against(f, k, BAR_FORCE_RATE, fabs(force - p->force) / ((double)(tick - p->force_tick) * f->plan->period),
                l->force_rate);
    p->force = force;
    p->force_tick = tick;
}

static void add_specimen(frame *f, int k, const ifd_tick_record *r)
{
    const frame_specimen *c = &f->plan->specimen[k];
    double x = record_value(r, c->column[SEEN_MEASURED]), tracking = record_value(r, c->column[SEEN_TRACKING]);
    bool commanded = record_value(r, f->plan->at.commanded) > 0;
    if (r->dropped || r->thinned || !commanded)
        f->past[k].known = 0;
    against(f, k, BAR_STROKE, x, x > 0 ? c->limits.high : c->limits.low);
    if (commanded)
        add_motion(f, k, record_value(r, c->column[SEEN_COMMAND]));
    add_force(f, k, r->tick, record_value(r, c->column[SEEN_FORCE]));
    against(f, k, BAR_TRACKING, fabs(tracking), c->limits.tracking);
    against(f, k, BAR_ENERGY, fabs(record_value(r, c->energy)), c->limits.energy);
    f->now_delay[k] = record_value(r, c->delay);
    f->now_amplitude[k] = record_value(r, c->amplitude);
    if (!(fabs(tracking) <= fabs(f->worst_tracking[k])))
        f->worst_tracking[k] = tracking;
}

static double larger(double a, double b)
{
    return fabs(a) > fabs(b) ? a : b;
}

static float *value_at(const frame *f, int sample)
{
    return f->value + (size_t)sample * (size_t)f->plan->columns;
}

/* Removes every second sample; its peaks are merged into the next one. */
static void thin(frame *f)
{
    for (int i = 0; i < FRAME_SAMPLES / 2; i++) {
        int kept = 2 * i + 1;
        f->wall[i] = f->wall[kept];
        f->time[i] = f->time[kept];
        memcpy(value_at(f, i), value_at(f, kept), (size_t)f->plan->columns * sizeof *f->value);
        f->late[i] = larger(f->late[2 * i], f->late[kept]);
        f->duration[i] = larger(f->duration[2 * i], f->duration[kept]);
        for (int k = 0; k < f->plan->specimens; k++)
            for (int v = 0; v < SEEN_COUNT; v++) {
                double *y = f->seen[k][v];
                y[i] = v == SEEN_TRACKING ? larger(y[2 * i], y[kept]) : y[kept];
            }
    }
    f->samples = FRAME_SAMPLES / 2;
    f->spacing *= 2;
}

static void take_sample(frame *f, const ifd_tick_record *r)
{
    if (f->samples == FRAME_SAMPLES)
        thin(f);
    int i = f->samples++;
    f->wall[i] = f->now_wall;
    f->time[i] = f->now_time;
    for (int k = 0; k < f->plan->columns; k++)
        value_at(f, i)[k] = (float)r->values[k];
    f->late[i] = f->worst_late;
    f->duration[i] = f->worst_duration;
    for (int k = 0; k < f->plan->specimens; k++) {
        for (int v = 0; v < SEEN_COUNT; v++)
            f->seen[k][v][i] = record_value(r, f->plan->specimen[k].column[v]);
        f->seen[k][SEEN_TRACKING][i] = f->worst_tracking[k];
        f->worst_tracking[k] = 0;
    }
    f->worst_late = f->worst_duration = 0;
    /* On a grid, without a burst after a pause. */
    f->next = f->next + f->spacing > f->now_wall ? f->next + f->spacing : f->now_wall + f->spacing;
}

static void add_event(frame *f, frame_event event)
{
    if (f->events < FRAME_EVENTS)
        f->event[f->events++] = event;
}

/* Lateness as in the executor. */
static void add_clock(frame *f, const ifd_tick_record *r)
{
    double period = f->plan->period, after = f->plan->late_after > 0 ? f->plan->late_after : IFD_LATE_AFTER * period;
    bool late = r->trace ? r->trace->gate & IFD_GATE_LATE : r->late > after; /* a stored result has no trace */
    f->late_ticks += f->plan->clocked && late;
    f->late_max = fmax(f->late_max, r->late);
    f->duration_max = fmax(f->duration_max, r->duration);
    f->worst_late = fmax(f->worst_late, r->late);
    f->worst_duration = fmax(f->worst_duration, r->duration);
    f->skipped += r->skipped;
    f->dropped += r->dropped;
    f->tick = r->tick;
    f->now_wall = (double)(r->tick - 1 + f->skipped) * period;
}

/* The order of this tick, and the answer to it or to one that waited. */
static void add_orders(frame *f, const ifd_tick_record *r)
{
    const ifd_tick_trace *t = r->trace;
    ifd_order answered = t && t->answer != IFD_ANSWER_NONE ? (ifd_order)t->answer_order : IFD_ORDER_NONE;
    if (r->order != IFD_ORDER_NONE && r->order != answered)
        add_event(f, (frame_event){.wall = f->now_wall, .state = -1, .order = (int)r->order});
    if (answered != IFD_ORDER_NONE)
        add_event(f, (frame_event){.wall = f->now_wall,
                                   .state = -1,
                                   .order = (int)answered,
                                   .answer = (int)t->answer,
                                   .value = t->answer_value,
                                   .limit = t->answer_limit});
}

void frame_fault_print(const frame_plan *plan, const frame_fault *fault, char *out, size_t size)
{
    bool turns = false;
    for (int k = 0; k < plan->specimens; k++)
        turns = turns || (plan->specimen[k].turns && strcmp(plan->specimen[k].name, fault->owner) == 0);
    const char *unit = unit_of_turn(trip_unit(fault->name), turns), *gap = *unit ? " " : "";
    snprintf(out, size, "%s%s%s", fault->owner, *fault->owner ? ": " : "", fault->text);
    if (fault->limit != 0)
        text_add(out, size, " (%.4g%s%s, limit %.4g%s%s)", fault->value, gap, unit, fault->limit, gap, unit);
}

/* The sentence of this fault as text of JSON, where it differs from that of its kind. LATE and LOST have their
 * numbers in their text. */
static void find_why(frame *f, int fault, const ifd_tick_trace *t)
{
    char text[FRAME_WHY] = "";
    const frame_plan *p = f->plan;
    bool numbers = t && fault != IFD_TRIP_LATE && fault != IFD_TRIP_LOST;
    const char *owner =
        numbers && t->fault_owner >= 0 && t->fault_owner < p->specimens ? p->specimen[t->fault_owner].name : "";
    f->why[0] = '\0';
    if (fault && p->test) {
        ifd_hybrid_fault_print(p->test, (ifd_trip)fault, text, sizeof text);
        frame_fault_print(p,
                          &(frame_fault){.name = ifd_trip_name((ifd_trip)fault),
                                         .owner = owner,
                                         .text = text,
                                         .value = numbers ? t->fault_value : 0,
                                         .limit = numbers ? t->fault_limit : 0},
                          f->why, sizeof f->why);
    } else if (fault && p->why && fault == p->fault)
        snprintf(f->why, sizeof f->why, "%s", p->why);
    if (strcmp(f->why, ifd_trip_text((ifd_trip)fault)) == 0)
        f->why[0] = '\0';
    for (char *c = f->why; *c; c++)
        if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
            *c = ' ';
}

static void add_state(frame *f, int state, int fault)
{
    frame_event e = {.wall = f->now_wall, .state = state, .fault = fault};
    memcpy(e.why, f->why, sizeof e.why);
    add_event(f, e);
}

void frame_add(frame *f, const ifd_tick_record *r)
{
    add_clock(f, r);
    f->now_time = record_value(r, f->plan->at.time);
    f->now_rate = record_value(r, f->plan->at.rate);
    f->now_age = f->plan->at.age >= 0 ? record_value(r, f->plan->at.age) : -1;
    int state = (int)record_value(r, f->plan->at.state), fault = (int)record_value(r, f->plan->at.fault);
    add_orders(f, r);
    if (fault != f->now_fault)
        find_why(f, fault, r->trace);
    if (state != f->now_state || fault != f->now_fault)
        add_state(f, state, fault);
    if (state != f->now_state)
        f->idle_since = f->now_wall;
    f->now_state = state;
    f->now_fault = fault;
    f->waited = f->now_wall - f->idle_since;
    f->wait_value = record_value(r, f->plan->at.waiting_value);
    f->now_wait = (int)record_value(r, f->plan->at.waiting);
    f->wait_owner = (int)record_value(r, f->plan->at.waiting_owner);
    double force[IFD_RIG_ACTUATORS];
    for (int k = 0; k < f->plan->specimens; k++) {
        add_specimen(f, k, r);
        force[k] = record_value(r, f->plan->specimen[k].column[SEEN_FORCE]);
    }
    rest_add(&f->rest, (ifd_machine)state, f->now_rate, f->plan->specimens, force);
    for (int k = 0; k < f->plan->specimens; k++)
        if (f->plan->specimen[k].relaxation >= 0)
            rest_judged(&f->rest, k, record_value(r, f->plan->specimen[k].relaxation));
    if (f->now_wall >= f->next - 0.5 * f->plan->period)
        take_sample(f, r);
}

void frame_finish(frame *f)
{
    if (f->now_state != IFD_MACHINE_RAMP_OUT)
        return;
    f->now_state = IFD_MACHINE_STOPPED;
    add_state(f, f->now_state, f->now_fault);
}
