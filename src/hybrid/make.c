/* SPDX-License-Identifier: MIT */
/* Set-up of a hybrid test. */
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <interfield/virtual.h>

#include "rig/rehearse.h"
#include "rig/replay.h"
#include "rig/rig.h"
#include "hybrid/force_control.h"
#include "hybrid/checkpoint.h"
#include "hybrid/response.h"
#include "substructure/loading_protocol.h"
#include "hybrid/pace/master.h"
#include "hybrid/standstill.h"
#include "hybrid/units.h"
#include "hybrid/rig_ready.h"

/* The model on which an interface acts; NULL: no such substructure. */
static const ifd_model *acted_on(const ifd_hybrid_options *o, const ifd_interface_options *c)
{
    if (!o->couple)
        return c->part == 0 ? o->model : NULL;
    return c->part >= 0 && c->part < o->couple->parts ? o->couple->part[c->part].model : NULL;
}

/* Whether all dofs of an interface are in the model, and there is one. */
static bool acts(const ifd_interface_options *c, const ifd_model *m)
{
    bool in = c->from < m->n && c->to < m->n && (c->from >= 0 || c->to >= 0);
    for (int k = 0; c->row && k < c->row->count; k++)
        in = in && c->row->ref[k] < m->n;
    return in;
}

static ifd_status check_channel(const ifd_hybrid_options *o, int k, ifd_note *note)
{
    const ifd_interface_options *c = &o->interface[k];
    const ifd_limits *l = &c->limits;
    const ifd_model *m = acted_on(o, c);
    ifd_status status = IFD_OK;
    if (!m)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                            "interface '%s' acts on substructure %d, which does not exist", c->name, c->part);
    if (c->force)
        status = ifd__force_check(c, note);
    if (c->force && c->force->computed)
        status = ifd__push_check(o, c, note) == IFD_OK ? ifd__wall_check(o, m, c, note) : IFD_RANGE;
    else if (!c->force && !acts(c, m))
        status =
            ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "interface '%s' does not act on a dof of the model", c->name);
    char who[IFD__WHO];
    snprintf(who, sizeof who, "interface '%s'", c->name);
    ifd_status limits = ifd__limits_check(l, who, IFD__KEPT_INTERFACE, ifd__hybrid_real(o), note);
    status = limits != IFD_OK ? limits : status;
    if (!(c->force_factor > 0.0) || !isfinite(c->force_factor))
        status = ifd_note_add(note, IFD_RANGE, NULL,
                              "%s represents %g devices, expected a number above zero. Initialise the options with "
                              "ifd_interface_defaults()",
                              who, c->force_factor);
    bool moves = status == IFD_OK && !c->force;
    double start = moves ? IFD__ELONGATION(c, m->u0) : 0.0;
    if (moves && (start < l->low || start > l->high))
        status =
            ifd_note_add(note, IFD_RANGE, NULL, "interface '%s' starts at %g m, outside its stroke of %g to %g m",
                         c->name, start, l->low, l->high);
    return status;
}

/* Every tick has a fixed number of operations: a Jacobian may not be extended where its budget is exceeded. Nor may
 * the motion continue then: it may grow. */
static ifd_status check_step(const ifd_step_options *step, ifd_note *note)
{
    int i = step->method ? ifd_param_find(step->method->params, "tangent-beyond") : -1;
    if (i < 0 || !step->value[i].given || strcmp(step->value[i].word, "fault") == 0)
        return IFD_OK;
    bool exact = strcmp(step->value[i].word, "exact") == 0;
    return ifd_note_add(note, IFD_CONFLICT, &step->value[i].place,
                        "'tangent-beyond' is %s, expected fault in a test: %s", step->value[i].word,
                        exact ? "a tick has a fixed cost" : "the motion may grow");
}

static ifd_status check_steps(const ifd_hybrid_options *o, ifd_note *note)
{
    if (!o->couple)
        return check_step(&o->step, note);
    for (int p = 0; p < o->couple->parts; p++)
        IFD_TRY(check_step(&o->couple->part[p].step, note));
    return IFD_OK;
}

/* The governor must not shape a protocol: its motion is refused beforehand. */
static ifd_status check_motion(const ifd_hybrid_options *o, int k, ifd_note *note)
{
    ifd__demand d;
    const char *beyond = o->protocol && !o->observe ? ifd__protocol_beyond(o, k, &d) : NULL;
    if (!beyond)
        return IFD_OK;
    return ifd_note_advise(note, IFD_RANGE, NULL, "lower the protocol, or the limit is too low; preflight shows both",
                           "the protocol exceeds the limit of the %s of '%s': it needs %g to %g m, %g m/s, %g m/s2",
                           beyond, o->interface[k].name, d.low, d.high, d.velocity, d.acceleration);
}

static ifd_status check_drives(ifd_arena *arena, const ifd_hybrid_options *o, ifd_note *note)
{
    const char *who, *what;
    IFD_TRY(ifd__protocol_drives(arena, o, &who, &what, note));
    if (!who || o->observe)
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, NULL, "the protocol exceeds the limit of the %s of actuator '%s'", what,
                        who);
}

static ifd_status check_options(const ifd_hybrid_options *o, ifd_note *note)
{
    ifd_status status = IFD_OK;
    if (o->interfaces < 1 || o->interfaces > IFD_RIG_ACTUATORS)
        return ifd_note_add(note, IFD_RANGE, NULL, "a test has 1 to %d interfaces, not %d", IFD_RIG_ACTUATORS,
                            o->interfaces);
    IFD_TRY(ifd__hybrid_check_numbers(o, note));
    IFD_TRY(check_steps(o, note));
    if (ifd__pace_of(o)->check)
        IFD_TRY(ifd__pace_of(o)->check(o, note));
    if (!(o->end > 0.0) || !isfinite(o->end))
        status = ifd_note_add(note, IFD_RANGE, NULL, "the end of the test is %g s, expected a positive time", o->end);
    for (int k = 0; k < o->interfaces; k++) {
        ifd_status s = check_channel(o, k, note);
        s = s == IFD_OK ? check_motion(o, k, note) : s;
        status = s != IFD_OK ? s : status;
    }
    if (o->rig->abi != IFD_RIG_ABI)
        status = ifd_note_add(note, IFD_PLUGIN, NULL,
                              "rig '%s' was built for version %d of the rig interface; this program has %d",
                              o->rig->name, o->rig->abi, IFD_RIG_ABI);
    if (o->observe && ifd__hybrid_real(o))
        status = ifd_note_add(
            note, IFD_CONFLICT, NULL,
            "limits that are only observed are permitted with a virtual rig in this process, not with '%s'",
            o->rig->name);
    return status;
}

double ifd__estimate_of(const ifd_hybrid_options *o, const ifd_interface_options *c, double *damping)
{
    double factor = c->force_factor;
    *damping = 0.0;
    const ifd_step_options *step = o->couple ? &o->couple->part[c->part].step : &o->step;
    if (c->force)
        return c->force->stiffness;
    const ifd__ends ends = {c->from < IFD_GROUND ? IFD_GROUND : c->from, c->to, c->row};
    for (int e = 0; e < step->estimates; e++)
        if (ifd__ends_equal(IFD__ENDS(&step->estimate[e]), ends)) {
            *damping = step->estimate[e].damping / factor;
            return step->estimate[e].stiffness / factor;
        }
    return 0.0;
}

static ifd_status make_interface(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note)
{
    const ifd_interface_options *c = &h->opt.interface[k];
    ifd__test_interface *w = &h->interface[k];
    w->o = c;
    w->factor = c->force_factor;
    h->forces += c->force != NULL;
    w->stiffness = ifd__estimate_of(&h->opt, c, &w->damping);
    w->creep = fmin(h->opt.creep, h->opt.creep_fraction * c->limits.velocity);
    w->bounds = ifd__limits_bounds(&c->limits, h->period);
    IFD_TRY(ifd__floor_motion_make(h, arena, k, note));
    if (c->compensator)
        IFD_TRY(ifd_compensator_make(arena, c->compensator, c->compensator_values, h->period, &w->compensator, note));
    w->corrects = c->compensator && c->compensator->correct;
    int own = w->compensator ? w->compensator->size : 0;
    ifd__state_reserve(h, IFD__DOUBLES(ifd__interface_state) + own, &h->each[k]);
    ifd__push_make(h, k);
    return IFD_OK;
}

static ifd_status make_numerical(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__substructure *s,
                                 ifd_note *note)
{
    ifd__specimen_link link[IFD_RIG_ACTUATORS];
    for (int k = 0; k < opt->interfaces; k++)
        link[k] = (ifd__specimen_link){.part = opt->interface[k].part,
                                       .from = opt->interface[k].from,
                                       .to = opt->interface[k].to,
                                       .row = opt->interface[k].row};
    const ifd__substructure_options numerical = {
        .model = opt->model, .step = &opt->step, .couple = opt->couple, .links = opt->interfaces, .link = link};
    if (opt->remote)
        return ifd__substructure_remote(arena, opt, s, note);
    return opt->protocol ? ifd__substructure_protocol(arena, opt->protocol, opt->model, s)
                         : ifd__substructure_make(arena, &numerical, s, note);
}

/* The limits in ticks: from here on the only form. */
static void find_limits(ifd_hybrid *h)
{
    ifd_hybrid_options *o = &h->opt;
    o->late_limit = (int)fmin(ifd_rig_ticks(o->late_time, h->period, o->late_limit), INT_MAX);
    o->stale_limit = (int)fmin(ifd_rig_ticks(o->stale_time, h->period, o->stale_limit), INT_MAX);
    o->stuck_limit = (int)fmin(ifd_rig_ticks(o->stuck_time, h->period, o->stuck_limit), INT_MAX);
    o->arm_samples = (int)fmax(o->arm_samples, ceil(o->arm_time / h->period));
}

/* Half a tick, the time of the case, or what the rig permits. */
static ifd_status find_late_after(ifd_hybrid *h, ifd_note *note)
{
    double given = h->opt.late_after, most = h->rig.late_after > 0.0 ? h->rig.late_after : (double)INFINITY;
    h->late_after = given > 0.0 ? given : fmin(IFD_LATE_AFTER * h->period, most);
    if (given > most * (1.0 + 1e-9))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "late-after is %g s, expected at most %g s: rig '%s' takes commands at fixed instants",
                            given, most, h->opt.rig->name);
    return IFD_OK;
}

/* What units and links see of the test. */
static void find_facts(ifd_hybrid *h)
{
    h->facts = (ifd__facts){.opt = &h->opt,
                            .numerical = &h->numerical,
                            .period = h->period,
                            .stage_time = h->stage_time,
                            .stuck = {h->period, h->opt.force_stuck, h->opt.stuck_limit},
                            .interfaces = h->interfaces,
                            .actuators = h->actuators,
                            .drives = h->drives,
                            .interface = h->interface,
                            .drive = h->drive,
                            .awaits = h->pace->awaits,
                            .frozen = h->facts.frozen,
                            .real = h->facts.real};
}

void ifd__state_reserve(ifd_hybrid *h, int doubles, void *pointer)
{
    assert(h->blocks < IFD__BLOCKS);
    h->block[h->blocks++] = (ifd__block){.at = h->size, .pointer = pointer};
    h->size += doubles;
}

void ifd__hybrid_bind(ifd_hybrid *h)
{
    for (int i = 0; i < h->blocks; i++) {
        double *at = h->x + h->block[i].at;
        memcpy(h->block[i].pointer, &at, sizeof at);
    }
    if (!h->rigs.several)
        h->rigs.block = &h->test->rig;
    find_facts(h);
    h->faults.test = h;
    h->io.f = &h->facts;
    h->io.faults = &h->faults;
    h->io.test = h->test;
    h->io.measure = &h->measure;
    h->io.structure = h->x;
    h->io.balance = h->local ? &h->recorded->balance : NULL;
    for (int k = 0; k < h->interfaces; k++)
        h->io.interface[k] = h->each[k];
    for (int d = 0; d < h->drives; d++)
        h->io.drive[d] = (ifd__drive_view){.lost = h->pose[d], .actuator = ifd__actuator_of(h, &h->drive[d], 0)};
}

static ifd_status make_parts(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(ifd__rig_mass_take(arena, &h->opt, note));
    IFD_TRY(make_numerical(arena, &h->opt, &h->numerical, note));
    h->stage_time = h->numerical.step / h->numerical.exchanges;
    h->ramps = h->period = h->opt.lambda * h->stage_time / h->opt.ticks_per_stage;
    find_limits(h);
    if (h->pace->limit)
        h->pace->limit(h);
    h->steps = h->pace->elsewhere ? LONG_MAX : lround(h->opt.end / h->numerical.step);
    h->size = h->numerical.size;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->interface, h->interfaces)));
    for (int k = 0; k < h->interfaces; k++)
        IFD_TRY(make_interface(h, arena, k, note));
    IFD_TRY(ifd__drives_make(h, arena, note));
    IFD_TRY(ifd__rigs_make(h, note));
    find_facts(h);
    ifd__state_reserve(h, IFD__DOUBLES(ifd__test_state), &h->test);
    ifd__rigs_layout(h);
    IFD_TRY(ifd__units_make(h, arena, note));
    ifd__chain_make(h);
    h->rig = (ifd_rig){.ops = h->opt.rig,
                       .actuators = h->actuators,
                       .tick = h->period,
                       .data = h->opt.rig_setup,
                       .folder = h->opt.folder,
                       .purpose = h->opt.rehearse ? IFD_PURPOSE_READ : h->opt.purpose,
                       .beat = h->opt.beat,
                       .number = 1};
    for (int a = 0; a < h->actuators; a++) {
        ifd_limits l;
        ifd_hybrid_rig_limits(h, a, &l);
        h->rig.acceleration[a] = isfinite(l.acceleration) ? l.acceleration : 0.0;
    }
    if (h->opt.map)
        ifd__channel_map_rates(h->opt.map, h->rig.acceleration);
    if (h->pace->make)
        IFD_TRY(h->pace->make(h, arena, note));
    if (h->opt.rehearse)
        IFD_TRY(ifd_several_of(h->opt.rig, h->opt.rig_setup) ? ifd__several_rehearse(arena, &h->rig)
                                                             : ifd__rehearse(arena, h->opt.rehearse, &h->rig));
    if (h->opt.rig_leads && h->opt.rig != &ifd__replay_rig && !ifd__rig_paces(&h->rig))
        return ifd_note_add(note, IFD_CONFLICT, NULL, "rig '%s' has no clock for a test: expected 'pace: own'",
                            h->opt.rig->name);
    IFD_TRY(ifd__rig_open(&h->rig, h->opt.rig_values, arena, note));
    IFD_TRY(find_late_after(h, note));
    ifd__rigs_opened(h);
    h->hashed = h->size;
    IFD_TRY(ifd__response_of_test(h, arena, note));
    ifd__state_reserve(h, IFD__DOUBLES(ifd__orders), &h->orders);
    if (h->pace->layout)
        h->pace->layout(h);
    h->rig_at = h->size;
    h->size += h->rig.size;
    h->standstill = ifd__standstill_limit(h);
    h->catch_up = ifd__drives_longest(h);
    return IFD_OK;
}

/* The specimens move to the initial displacements. */
void ifd__hybrid_aim_at_start(ifd_hybrid *h, int k)
{
    ifd__interface_state *s = h->each[k];
    const ifd_interface_options *o = h->interface[k].o;
    const double *u = h->x + h->numerical.model[o->part].at, *v = u + h->numerical.model[o->part].m->n;
    s->from_u = s->to_u = IFD__ELONGATION(o, u);
    s->from_v = s->to_v = ifd__deformation(IFD__ENDS(o), v);
    s->from_a = s->to_a = 0.0;
}

void ifd__hybrid_restart(ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    h->numerical.ops->initial(&h->numerical, h->x);
    ifd__units_restart(h);
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        s->energy = 0.0;
        memset(&s->calm, 0, sizeof s->calm);
        memset(&s->out, 0, sizeof s->out);
        ifd__hybrid_aim_at_start(h, k);
    }
    ifd__checkpoint_aim(h);
    if (h->pace->restart)
        h->pace->restart(h);
    t->pace = t->cap = 1.0;
    t->overtime = t->solved = t->watch_action = t->stands = t->power_cut = 0.0;
    t->step = t->exchange = t->not_ready = 0.0;
    t->fault = IFD_TRIP_NONE;
    t->fault_owner = -1.0;
    ifd__why_keep(h, false);
}

ifd_status ifd_hybrid_make(ifd_arena *arena, const ifd_hybrid_options *opt, ifd_hybrid **out, ifd_note *note)
{
    IFD_TRY(check_options(opt, note));
    IFD_TRY(check_drives(arena, opt, note));
    ifd_hybrid *h;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h, 1)));
    h->opt = *opt;
    h->pace = ifd__pace_of(opt);
    h->facts.real = ifd__hybrid_real(opt) ||
                    (opt->rig == &ifd__replay_rig && opt->rig_setup && ((const ifd__replay *)opt->rig_setup)->real);
    h->interfaces = opt->interfaces;
    IFD_TRY(make_parts(h, arena, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->x, h->size)));
    ifd__hybrid_bind(h);
    ifd__units_place(h);
    IFD_TRY(ifd__columns_make(h, arena));
    IFD_TRY(ifd__checkpoint_make(h, arena));
    IFD_TRY(ifd__warm_make(h, arena));
    ifd__hybrid_restart(h);
    if (h->rig.ops->begin)
        h->rig.ops->begin(&h->rig, h->rig.size ? h->x + h->rig_at : NULL);
    *out = h;
    return IFD_OK;
}

void ifd_hybrid_close(ifd_hybrid *h)
{
    if (!h || h->closed)
        return;
    if (h->test->fault != (double)IFD_TRIP_NONE && !atomic_load_explicit(&h->why, memory_order_acquire))
        ifd__why_keep(h, true); /* it can arrive after the fault */
    h->closed = true;
    ifd__rig_close(&h->rig);                 /* first: it is informed also if a computation has no end */
    ifd__beat_at(h->rig.beat, IFD_AT_CLOSE); /* a worker can have no end */
    ifd__substructure_close(&h->numerical);
    ifd__beat_at(h->rig.beat, IFD_AT_NONE);
}

const ifd_column *ifd_hybrid_columns(const ifd_hybrid *h, int *count)
{
    *count = h->columns;
    return h->column;
}

int ifd_hybrid_sensed(const ifd_hybrid *h, int *aux)
{
    const ifd_channel_map *map = h->opt.map;
    *aux = 0;
    for (int i = 0; map && i < map->rows; i++)
        if (map->row[i].source == IFD_SOURCE_AUX && map->row[i].input >= *aux)
            *aux = map->row[i].input + 1;
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_interface_options *c = h->interface[k].o;
        int own = ifd__rig_accelerometer(c), input = own >= 0 ? own : ifd__push_input(&h->io, k);
        *aux = input >= *aux ? input + 1 : *aux;
    }
    return h->rig.actuators;
}

double ifd_hybrid_period(const ifd_hybrid *h)
{
    return h->period;
}

ifd_machine ifd_hybrid_state(const ifd_hybrid *h)
{
    return ifd__state_of(h);
}

ifd_trip_facts ifd_hybrid_trip(const ifd_hybrid *h)
{
    ifd__test_state *t = h->test;
    return (ifd_trip_facts){.trip = (ifd_trip)(int)t->fault,
                            .tick = (long)t->fault_tick,
                            .owner = (int)t->fault_owner,
                            .value = t->fault_value,
                            .limit = t->fault_limit};
}

ifd_tracking ifd_hybrid_tracking(const ifd_hybrid *h, int channel)
{
    const ifd__entry *e = ifd__units_find(h, &ifd__unit_indicator);
    const double *own = e->own;
    const ifd_indicated s = ifd_indicator_read(own + channel * ((const ifd_indicator *)e->data)->size);
    return (ifd_tracking){.delay = s.delay,
                          .amplitude = s.amplitude,
                          .rms = s.nrms,
                          .peak = s.peak,
                          .energy = h->each[channel]->energy,
                          .work = s.work};
}

long ifd_hybrid_count(const ifd_hybrid *h, ifd_trip trip)
{
    return (long)h->test->faults[trip];
}

double ifd_hybrid_stale_fraction(const ifd_hybrid *h)
{
    return h->orders->run_ticks > 0.0 ? h->orders->run_stale / h->orders->run_ticks : 0.0;
}

bool ifd_hybrid_complete(const ifd_hybrid *h)
{
    return h->pace->finished ? h->pace->finished(h) : ifd_hybrid_time(h) >= h->opt.end - 0.5 * h->numerical.step;
}

double *ifd_hybrid_save_area(ifd_hybrid *h, int *count)
{
    *count = h->size;
    return h->x;
}
