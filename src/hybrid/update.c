/* SPDX-License-Identifier: MIT */
#include "hybrid/update.h"
#include "hybrid/columns.h"

#include <math.h>
#include <string.h>

#include "hybrid/response.h"
#include "hybrid/simulated_time.h"
#include "hybrid/unit.h"

/* Mean of squared normalised innovations, 1 if law and noise are right, over this simulated time (s); the largest
 * consistent one; and for how long before copies are updated. A small mean is consistent: the stated noise is then
 * too large, and so are the standard deviations. */
static const double memory = 0.25, most_square = 2.0, settling = 0.5;
/* A force beyond this number of standard deviations is not used: white noise exceeds it once in 5e8 ticks. */
static const double outlier = 6.0;
/* Covariances that were not positive definite before the identification ends. */
static const double most_resets = 3.0;
/* Variance of z at the start, and added in every tick beside that of the position noise. */
static const double start_z = 1e-4, least_z = 1e-9;
/* Standard deviations of the position below which z does not follow without learning: a hysteretic law would relax
 * by noise alone, and no force corrects it. Differences of noise exceed it once in 6e7 ticks. */
static const double still = 8.0;
/* Stiffness of the copies at rest, relative to the start, from which on it is noted. */
static const double stiff = 1.05;

static const char *const texts[] = {
#define ROW(name, text) text,
    IFD_UPDATE_LIST(ROW)
#undef ROW
};

const char *ifd_update_text(ifd_update update)
{
    return (unsigned)update < IFD_UPDATE_COUNT ? texts[update] : "";
}

void ifd_identify_defaults(ifd_identify_options *o)
{
    *o = (ifd_identify_options){.uncertainty = 0.3,
                                .drift = 0.002,
                                .range = 2.0,
                                .interval = 0.05,
                                .confidence = 0.1,
                                .rate = 0.005,
                                .update = true};
}

static IFD_RT ifd__updating *state_of(const ifd_hybrid *h, int i)
{
    return (ifd__updating *)(h->x + h->updates[i].at);
}

static IFD_RT double *copy_states(const ifd_hybrid *h, int i, int k)
{
    const ifd__numerical_model *b = &h->numerical.model[0];
    return h->x + b->at + 2 * b->m->n + b->m->s_of[h->updates[i].element[k]];
}

/* s of simulated time in a tick. */
static IFD_RT double tick_time(const ifd_hybrid *h)
{
    return h->period / h->opt.lambda * ifd__time_rate(h);
}

static ifd_status check_numbers(const ifd_identify_options *o, const char *name, ifd_note *note)
{
    const struct {
        const char *name;
        double value;
    } rows[] = {{"force_noise", o->force_noise}, {"position_noise", o->position_noise},
                {"uncertainty", o->uncertainty}, {"drift", o->drift},
                {"range", o->range - 1.0},       {"interval", o->interval},
                {"confidence", o->confidence},   {"rate", o->rate}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!(rows[i].value > 0.0) || !isfinite(rows[i].value))
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "identification of '%s': %s is out of range. Initialise with "
                                "ifd_identify_defaults() and set the noise",
                                name, rows[i].name);
    return IFD_OK;
}

/* Whether element e already is a copy: one of the first k of u, or one of an earlier specimen. */
static bool taken(const ifd_hybrid *h, const ifd__updates *u, const int *element, int k, int e)
{
    bool found = false;
    for (int i = 0; i < k; i++)
        found = found || element[i] == e;
    for (const ifd__updates *o = h->updates; o < u; o++)
        for (int i = 0; i < o->o->copies; i++)
            found = found || o->element[i] == e;
    return found;
}

/* The copies in the model, with equal parameters. */
static ifd_status find_copies(const ifd_hybrid *h, ifd_arena *arena, ifd__updates *u, ifd_note *note)
{
    const ifd_model *m = h->numerical.model[0].m;
    const char *who = h->opt.interface[u->o->interface].name;
    int *element;
    double p[IFD__LAW_NUMBERS];
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(element, (size_t)u->o->copies)));
    for (int k = 0; k < u->o->copies; k++) {
        const char *name = u->o->copy[k];
        int e = element[k] = ifd__update_element(m, name);
        const ifd__law *law = e < 0 ? NULL : ifd__law_of(m->element[e].ops);
        if (!law || m->element[e].ops != law->updated)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                                "copy '%s' of specimen '%s' is not an element of the model that can be updated: "
                                "expected %s",
                                name, who, ifd__law_kinds());
        if (taken(h, u, element, k, e))
            return ifd_note_add(note, IFD_DUPLICATE, NULL,
                                "element '%s' is a copy twice, expected once and of one specimen", name);
        ifd__law_start(&m->element[e], p);
        if (k == 0) {
            u->filter.law = law;
            memcpy(u->filter.p0, p, sizeof p);
        } else if (law != u->filter.law || memcmp(p, u->filter.p0, sizeof p) != 0)
            return ifd_note_add(note, IFD_CONFLICT, NULL,
                                "copies '%s' and '%s' of specimen '%s' have different parameters: expected equal "
                                "ones, as they represent the same device",
                                u->o->copy[0], name, who);
    }
    u->element = element;
    return IFD_OK;
}

static void set_filter(const ifd_hybrid *h, ifd__updates *u)
{
    const ifd_identify_options *o = u->o;
    ifd__identifier *c = &u->filter;
    const ifd__law *law = c->law;
    double length = law->shape(c->p0).y, noise = o->position_noise / length;
    c->constrained = true;
    c->scale = ifd__law_stiffness(law, c->p0) * length;
    c->noise = (o->force_noise / c->scale) * (o->force_noise / c->scale);
    c->outlier = outlier;
    c->start[0] = start_z;
    c->drift[0] = noise * noise + least_z;
    for (int i = 0; i < law->params; i++) {
        c->start[1 + i] = o->uncertainty * o->uncertainty;
        c->drift[1 + i] = o->drift * o->drift * h->period / h->opt.lambda;
    }
    ifd__update_range(law, c->p0, o->range, c->low, c->high);
}

static ifd_status make_one(ifd_hybrid *h, ifd_arena *arena, int i, ifd_note *note)
{
    ifd__updates *u = &h->updates[i];
    const ifd_identify_options *o = u->o = &h->opt.identify[i];
    if (o->interface < 0 || o->interface >= h->interfaces || o->copies < 1)
        return ifd_note_add(note, IFD_RANGE, NULL, "identification %d: expected an interface of the test and a copy",
                            i + 1);
    const ifd_interface_options *c = &h->opt.interface[o->interface];
    if (c->force || c->floor_motion || c->carried)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "specimen '%s' cannot be identified: expected one in displacement control without mass",
                            c->name);
    for (int j = 0; j < i; j++)
        if (h->opt.identify[j].interface == o->interface)
            return ifd_note_add(note, IFD_DUPLICATE, NULL, "specimen '%s' is identified twice, expected once",
                                c->name);
    IFD_TRY(check_numbers(o, c->name, note));
    IFD_TRY(find_copies(h, arena, u, note));
    set_filter(h, u);
    u->at = h->size;
    h->size += IFD__DOUBLES(ifd__updating);
    return IFD_OK;
}

ifd_status ifd__update_make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    if (!h->numerical.stepper)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "a specimen is identified for copies in one model that this program computes, not for "
                            "substructures or another program");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(h->updates, h->opt.identified),
                      IFD__ARRAY(h->update_q, (size_t)h->numerical.model[0].m->nq),
                      IFD__ARRAY(h->update_v, (size_t)h->numerical.model[0].m->nq)));
    for (int i = 0; i < h->opt.identified; i++)
        IFD_TRY(make_one(h, arena, i, note));
    return IFD_OK;
}

void ifd__update_restart(ifd_hybrid *h)
{
    for (int i = 0; i < h->opt.identified; i++) {
        ifd__updating *s = state_of(h, i);
        memset(s, 0, sizeof *s);
        ifd__identify_begin(&h->updates[i].filter, &s->estimate);
        s->squares = 1.0;
        s->off = (double)!h->updates[i].o->update;
        s->gate = s->off > 0.0 ? IFD_UPDATE_OFF : IFD_UPDATE_NOT_RUNNING;
    }
}

/* The force of one device. */
static IFD_RT double force_of(const ifd_hybrid *h, int k)
{
    const ifd__interface_state *s = ifd__interface_of(h, k);
    return s->measured_f - s->force_offset - ifd__rig_mass_force(h, k);
}

static IFD_RT void learn(ifd_hybrid *h, int i, double q, double dq)
{
    ifd__updating *s = state_of(h, i);
    ifd__identify_out out =
        ifd__identify_step(&h->updates[i].filter, q, dq, force_of(h, h->updates[i].o->interface), &s->estimate);
    bool used = out.result == IFD__IDENTIFY_TAKEN || out.result == IFD__IDENTIFY_OUTLIER;
    double dt = tick_time(h), size = fmin(fabs(out.normalised), outlier);
    s->normalised = out.normalised;
    s->resets += out.result == IFD__IDENTIFY_RESET ? 1.0 : 0.0;
    if (used)
        s->squares += fmin(1.0, dt / memory) * (size * size - s->squares);
    bool consistent = used && s->squares <= most_square;
    s->settled = consistent ? s->settled + dt : 0.0;
}

/* z follows without learning. */
static IFD_RT void follow(ifd_hybrid *h, int i, double dq)
{
    ifd__updating *s = state_of(h, i);
    ifd__identify_follow(&h->updates[i].filter, dq, &s->estimate);
    s->settled = s->normalised = 0.0;
    s->squares = 1.0;
}

static IFD_RT bool certain(const ifd__updates *u, const ifd__updating *s)
{
    int n = 1 + u->filter.law->params;
    bool all = true;
    for (int i = 1; i < n; i++)
        all = all && sqrt(s->estimate.P[i * n + i]) <= u->o->confidence * s->estimate.x[i];
    return all;
}

/* With every point of the filter within the range. Bounds of the law itself may be reached, as
 * n = 1. */
static IFD_RT bool inside(const ifd__updates *u, const ifd__updating *s)
{
    int n = 1 + u->filter.law->params;
    double range = u->o->range;
    bool all = true;
    for (int i = 1; i < n; i++) {
        double x = s->estimate.x[i], deviation = sqrt(n * s->estimate.P[i * n + i]);
        all = all && x - deviation > 1.0 / range && x + deviation < range;
    }
    return all;
}

/* Whether the copies may be updated now, or why not. */
static IFD_RT ifd_update judge(const ifd_hybrid *h, int i, bool measured)
{
    const ifd__updates *u = &h->updates[i];
    const ifd__updating *s = state_of(h, i);
    if (s->resets >= most_resets)
        return IFD_UPDATE_STOPPED;
    if (s->off > 0.0)
        return IFD_UPDATE_OFF;
    if (ifd__state_of(h) != IFD_MACHINE_RUN)
        return IFD_UPDATE_NOT_RUNNING;
    if (!measured)
        return IFD_UPDATE_NO_MEASUREMENT;
    if (s->squares > most_square)
        return IFD_UPDATE_INCONSISTENT;
    if (s->settled < settling)
        return IFD_UPDATE_WAITS;
    if (!certain(u, s))
        return IFD_UPDATE_UNCERTAIN;
    return inside(u, s) ? IFD_UPDATE_ON : IFD_UPDATE_AT_BOUND;
}

/* A doubt closes the gate at once; it opens at the end of an interval. */
static IFD_RT void decide(ifd_hybrid *h, int i, bool measured)
{
    const ifd__updates *u = &h->updates[i];
    ifd__updating *s = state_of(h, i);
    ifd_update now = judge(h, i, measured), before = (ifd_update)(int)s->gate;
    s->since += tick_time(h);
    bool due = s->since >= u->o->interval;
    if (due)
        s->since = 0.0;
    if (now == IFD_UPDATE_ON && before != IFD_UPDATE_ON && !due)
        return;
    s->gate = now;
    if (now >= IFD_UPDATE_INCONSISTENT && now != before)
        ifd__fault_note(&h->faults, IFD_TRIP_UPDATES, u->o->interface, (double)now, s->squares, IFD_ACTION_NOTE);
}

static IFD_RT void tick_one(ifd_hybrid *h, int i, bool fresh)
{
    ifd__updating *s = state_of(h, i);
    const ifd__interface_state *c = ifd__interface_of(h, h->updates[i].o->interface);
    ifd_machine state = ifd__state_of(h);
    bool moves = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD;
    bool measured = fresh && isfinite(c->measured_x) && isfinite(c->measured_f);
    double dq = s->known > 0.0 ? c->measured_x - s->q : 0.0;
    bool learns = state == IFD_MACHINE_RUN && s->resets < most_resets;
    bool rests = !learns && moves && s->known > 0.0 && fabs(dq) <= still * h->updates[i].o->position_noise;
    if (measured && learns)
        learn(h, i, c->measured_x, dq);
    else if (measured && moves)
        follow(h, i, rests ? 0.0 : dq);
    else if (state == IFD_MACHINE_RUN)
        s->settled = 0.0;
    if (measured && !rests) {
        s->q = c->measured_x;
        s->known = 1.0;
    }
    decide(h, i, measured);
}

void ifd__update_tick(ifd_hybrid *h, bool fresh)
{
    for (int i = 0; i < h->opt.identified && !h->facts.frozen && !h->replayed; i++)
        tick_one(h, i, ifd__rigs_fresh(h, h->updates[i].o->interface, fresh));
}

/* Stored energy of copy k, with the coordinates in update_q. */
static IFD_RT double stored(const ifd_hybrid *h, int i, int k)
{
    const ifd_model *m = h->numerical.model[0].m;
    int e = h->updates[i].element[k];
    const double *q = h->update_q + m->q_of[e], *v = h->update_v + m->q_of[e];
    const ifd_element_in in = {.q = q, .qd = v, .qdd = v, .s = copy_states(h, i, k)};
    double energy = 0.0, power = 0.0;
    m->element[e].ops->energy(&m->element[e], &in, &energy, &power);
    return energy;
}

static IFD_RT double copy_force(const ifd_hybrid *h, int i, int k)
{
    const ifd_model *m = h->numerical.model[0].m;
    int e = h->updates[i].element[k];
    const double *q = h->update_q + m->q_of[e], *v = h->update_v + m->q_of[e];
    const ifd_element_in in = {.q = q, .qd = v, .qdd = v, .s = copy_states(h, i, k)};
    double r = 0.0;
    m->element[e].ops->eval(&m->element[e], &in, &(ifd_element_out){.r = &r});
    return r;
}

/* Towards the estimate, by at most `rate` of the present value; or the recorded value. Deviations are differences of
 * values in use, so that a recorded value gives the same bits. */
static IFD_RT void move(const ifd_hybrid *h, int i, const ifd__updating *s, double *deviation)
{
    const ifd__updates *u = &h->updates[i];
    for (int j = 0; j < u->filter.law->params; j++) {
        double most = u->o->rate * (1.0 + deviation[j]), change = s->estimate.x[1 + j] - 1.0 - deviation[j];
        double used = 1.0 + (deviation[j] + fmax(-most, fmin(most, change)));
        if (h->replayed)
            used = h->replayed[u->used[j]];
        deviation[j] = used - 1.0;
    }
}

/* The margins of preflight and the matrices of many methods are those of the start. */
static IFD_RT void note_stiffer(ifd_hybrid *h, int i)
{
    const ifd__updates *u = &h->updates[i];
    ifd__updating *s = state_of(h, i);
    const double *deviation = copy_states(h, i, 0) + 1;
    double p[IFD__LAW_NUMBERS];
    memcpy(p, u->filter.p0, sizeof p);
    for (int j = 0; j < u->filter.law->params; j++)
        p[j] *= 1.0 + deviation[j];
    double ratio = ifd__law_stiffness(u->filter.law, p) / ifd__law_stiffness(u->filter.law, u->filter.p0);
    if (ratio > stiff && s->stiffer == 0.0)
        ifd__fault_note(&h->faults, IFD_TRIP_STIFFER, u->o->interface, ratio, stiff, IFD_ACTION_NOTE);
    s->stiffer = (double)(ratio > stiff);
}

static IFD_RT void update_one(ifd_hybrid *h, int i)
{
    const ifd__updates *u = &h->updates[i];
    ifd__updating *s = state_of(h, i);
    for (int k = 0; k < u->o->copies; k++) {
        double energy = stored(h, i, k), force = copy_force(h, i, k);
        move(h, i, s, copy_states(h, i, k) + 1);
        double jump = stored(h, i, k) - energy;
        s->energy_jumps += jump;
        s->force_jumps += fabs(copy_force(h, i, k) - force);
        if (h->local)
            ifd__response_state_of(h)->balance.updates += jump;
    }
    note_stiffer(h, i);
}

static IFD_RT bool updates_now(const ifd_hybrid *h, int i)
{
    return h->replayed || state_of(h, i)->gate == IFD_UPDATE_ON;
}

void ifd__update_copies(ifd_hybrid *h)
{
    const ifd__numerical_model *b = h->numerical.model;
    bool any = false;
    for (int i = 0; i < h->opt.identified && !h->facts.frozen; i++)
        any = any || updates_now(h, i);
    if (!any || ifd__test_of(h)->exchange != 0.0)
        return;
    const double *x = h->x + b->at;
    ifd__model_coordinates(b->m, h->numerical.step * ifd__test_of(h)->step, x, x + b->m->n, h->update_q, h->update_v);
    for (int i = 0; i < h->opt.identified; i++)
        if (updates_now(h, i))
            update_one(h, i);
}

void ifd__update_order(ifd_hybrid *h, ifd_order order)
{
    for (int i = 0; i < h->opt.identified; i++) {
        ifd__updating *s = state_of(h, i);
        if (order == IFD_ORDER_UPDATE_OFF || order == IFD_ORDER_UPDATE_ON)
            s->off = (double)(order == IFD_ORDER_UPDATE_OFF);
        if (order == IFD_ORDER_UPDATE_OFF && s->gate != IFD_UPDATE_STOPPED)
            s->gate = IFD_UPDATE_OFF;
    }
}

static double deviation(const ifd__column_source *source)
{
    return sqrt(*source->block);
}

static double in_use(const ifd__column_source *source)
{
    return 1.0 + *source->block;
}

static double energy_of_all(const ifd__column_source *source)
{
    const ifd_hybrid *h = source->self;
    double jumps = 0.0;
    for (int i = 0; i < h->opt.identified; i++)
        jumps += state_of(h, i)->energy_jumps;
    return jumps;
}

static const ifd__column_row of_parameter[] = {{IFD_COLUMN_IDENTIFIED, 0, NULL},
                                               {IFD_COLUMN_IDENTIFIED_DEVIATION, 0, deviation},
                                               {IFD_COLUMN_IDENTIFIED_IN_USE, 0, in_use}},
                             of_specimen[] = {IFD__COLUMN(IDENTIFIED_INNOVATION, ifd__updating, normalised),
                                              IFD__COLUMN(IDENTIFIED_UPDATES, ifd__updating, gate),
                                              IFD__COLUMN(IDENTIFIED_FORCE_JUMPS, ifd__updating, force_jumps)},
                             of_all[] = {{IFD_COLUMN_ENERGY_UPDATES, 0, energy_of_all}};

/* Parameter j of specimen i: the estimate, its standard deviation, the value in use. */
static ifd_status parameter_columns(ifd_hybrid *h, ifd_arena *arena, int i, int j)
{
    ifd__updates *u = &h->updates[i];
    const ifd__updating *s = state_of(h, i);
    int n = 1 + u->filter.law->params;
    const char *name = h->opt.interface[u->o->interface].name;
    const char *owner = arena ? ifd_arena_print(arena, "%s.%s", name, u->filter.law->name[j]) : "";
    const double *const block[] = {&s->estimate.x[1 + j], &s->estimate.P[(1 + j) * n + 1 + j],
                                   copy_states(h, i, 0) + 1 + j};
    if (!owner)
        return IFD_NO_MEMORY;
    for (int k = 0; k < 3; k++) {
        u->used[j] = h->columns;
        IFD_TRY(ifd__columns_add(
            h, arena, &(ifd__column_set){.owner = owner, .block = block[k], .row = &of_parameter[k], .rows = 1}));
    }
    return IFD_OK;
}

static ifd_status columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int i = 0; i < h->opt.identified; i++) {
        for (int j = 0; j < h->updates[i].filter.law->params; j++)
            IFD_TRY(parameter_columns(h, arena, i, j));
        const ifd__column_set set = {.owner = h->opt.interface[h->updates[i].o->interface].name,
                                     .block = state_of(h, i),
                                     .row = of_specimen,
                                     .rows = sizeof of_specimen / sizeof *of_specimen};
        IFD_TRY(ifd__columns_add(h, arena, &set));
    }
    return ifd__columns_add(h, arena, &(ifd__column_set){.owner = "", .row = of_all, .rows = 1});
}

static bool asked(const ifd_hybrid *h)
{
    return h->opt.identified > 0;
}

const ifd__unit ifd__unit_identify = {.name = "identify",
                                      .about = "parameters of specimens, and updates of their copies",
                                      .h.asked = asked,
                                      .h.make = ifd__update_make,
                                      .h.columns = columns,
                                      .h.restart = ifd__update_restart,
                                      .h.observe = ifd__update_tick,
                                      .h.step = ifd__update_copies,
                                      .h.order = ifd__update_order};
