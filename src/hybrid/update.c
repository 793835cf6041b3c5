/* SPDX-License-Identifier: MIT */
/* The identified specimens of a test, and the updates of their copies in the model. */
#include "hybrid/update.h"

#include <math.h>
#include <string.h>

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

/* Constants of the unit: the specimens; coordinates of the model, scratch memory. */
typedef struct identified {
    const ifd_model *m;
    int at; /* offset of its state */
    ifd__updates *updates;
    double *q, *v;
} identified;

/* Offset of the states of copy k in those of the structure. */
static IFD_RT int copy_at(const identified *d, const ifd__updates *u, int k)
{
    return d->at + 2 * d->m->n + d->m->s_of[u->element[k]];
}

/* s of simulated time in a tick. */
static IFD_RT double tick_time(const ifd__io *io)
{
    return io->f->period / io->f->opt->lambda * ifd__io_rate(io);
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
static bool taken(const identified *d, const ifd__updates *u, const int *element, int k, int e)
{
    bool found = false;
    for (int i = 0; i < k; i++)
        found = found || element[i] == e;
    for (const ifd__updates *o = d->updates; o < u; o++)
        for (int i = 0; i < o->o->copies; i++)
            found = found || o->element[i] == e;
    return found;
}

/* The copies in the model, with equal parameters. */
static ifd_status find_copies(const identified *d, ifd_arena *arena, ifd__updates *u, const char *who, ifd_note *note)
{
    const ifd_model *m = d->m;
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
        if (taken(d, u, element, k, e))
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

static void set_filter(const ifd__facts *f, ifd__updates *u)
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
        c->drift[1 + i] = o->drift * o->drift * f->period / f->opt->lambda;
    }
    ifd__update_range(law, c->p0, o->range, c->low, c->high);
}

static ifd_status make_one(const ifd__facts *f, ifd_arena *arena, const identified *d, int i, ifd_note *note)
{
    ifd__updates *u = &d->updates[i];
    const ifd_identify_options *o = u->o = &f->opt->identify[i];
    if (o->interface < 0 || o->interface >= f->interfaces || o->copies < 1)
        return ifd_note_add(note, IFD_RANGE, NULL, "identification %d: expected an interface of the test and a copy",
                            i + 1);
    const ifd_interface_options *c = &f->opt->interface[o->interface];
    if (c->force || c->floor_motion || c->carried)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "specimen '%s' cannot be identified: expected one in displacement control without mass",
                            c->name);
    for (int j = 0; j < i; j++)
        if (f->opt->identify[j].interface == o->interface)
            return ifd_note_add(note, IFD_DUPLICATE, NULL, "specimen '%s' is identified twice, expected once",
                                c->name);
    IFD_TRY(check_numbers(o, c->name, note));
    IFD_TRY(find_copies(d, arena, u, c->name, note));
    set_filter(f, u);
    return IFD_OK;
}

static ifd_status make(const ifd__facts *f, ifd_arena *arena, const void **data, ifd_note *note)
{
    identified *d;
    const ifd__numerical_model *b = f->numerical->model;
    if (!f->numerical->stepper)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "a specimen is identified for copies in one model that this program computes, not for "
                            "substructures or another program");
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    d->m = b->m;
    d->at = b->at;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d->updates, f->opt->identified), IFD__ARRAY(d->q, (size_t)b->m->nq),
                      IFD__ARRAY(d->v, (size_t)b->m->nq)));
    for (int i = 0; i < f->opt->identified; i++)
        IFD_TRY(make_one(f, arena, d, i, note));
    *data = d;
    return IFD_OK;
}

static int doubles(const ifd__facts *f, const void *data)
{
    (void)data;
    return f->opt->identified * IFD__DOUBLES(ifd__updating);
}

static IFD_RT void restart(const ifd__io *io, const void *data, void *own)
{
    const identified *d = data;
    for (int i = 0; i < io->f->opt->identified; i++) {
        ifd__updating *s = (ifd__updating *)own + i;
        memset(s, 0, sizeof *s);
        ifd__identify_begin(&d->updates[i].filter, &s->estimate);
        s->squares = 1.0;
        s->off = (double)!d->updates[i].o->update;
        s->gate = s->off > 0.0 ? IFD_UPDATE_OFF : IFD_UPDATE_NOT_RUNNING;
    }
}

/* The force of one device. */
static IFD_RT double force_of(const ifd__io *io, int k)
{
    return io->interface[k]->measured_f - io->interface[k]->force_offset - ifd__io_mass_force(io, k);
}

static IFD_RT void learn(const ifd__io *io, const ifd__updates *u, ifd__updating *s, double q, double dq)
{
    ifd__identify_out out = ifd__identify_step(&u->filter, q, dq, force_of(io, u->o->interface), &s->estimate);
    bool used = out.result == IFD__IDENTIFY_TAKEN || out.result == IFD__IDENTIFY_OUTLIER;
    double dt = tick_time(io), size = fmin(fabs(out.normalised), outlier);
    s->normalised = out.normalised;
    s->resets += out.result == IFD__IDENTIFY_RESET ? 1.0 : 0.0;
    if (used)
        s->squares += fmin(1.0, dt / memory) * (size * size - s->squares);
    bool consistent = used && s->squares <= most_square;
    s->settled = consistent ? s->settled + dt : 0.0;
}

/* z follows without learning. */
static IFD_RT void follow(const ifd__updates *u, ifd__updating *s, double dq)
{
    ifd__identify_follow(&u->filter, dq, &s->estimate);
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
static IFD_RT ifd_update judge(const ifd__io *io, const ifd__updates *u, const ifd__updating *s, bool measured)
{
    if (s->resets >= most_resets)
        return IFD_UPDATE_STOPPED;
    if (s->off > 0.0)
        return IFD_UPDATE_OFF;
    if (ifd__io_state(io) != IFD_MACHINE_RUN)
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
static IFD_RT void decide(const ifd__io *io, const ifd__updates *u, ifd__updating *s, bool measured)
{
    ifd_update now = judge(io, u, s, measured), before = (ifd_update)(int)s->gate;
    s->since += tick_time(io);
    bool due = s->since >= u->o->interval;
    if (due)
        s->since = 0.0;
    if (now == IFD_UPDATE_ON && before != IFD_UPDATE_ON && !due)
        return;
    s->gate = now;
    if (now >= IFD_UPDATE_INCONSISTENT && now != before)
        ifd__fault_note(io->faults, IFD_TRIP_UPDATES, u->o->interface, (double)now, s->squares, IFD_ACTION_NOTE);
}

static IFD_RT void tick_one(const ifd__io *io, const ifd__updates *u, ifd__updating *s)
{
    const ifd__interface_state *c = io->interface[u->o->interface];
    ifd_machine state = ifd__io_state(io);
    bool moves = state == IFD_MACHINE_RAMP_IN || state == IFD_MACHINE_RUN || state == IFD_MACHINE_HOLD;
    bool measured = io->renewed[u->o->interface] && isfinite(c->measured_x) && isfinite(c->measured_f);
    double dq = s->known > 0.0 ? c->measured_x - s->q : 0.0;
    bool learns = state == IFD_MACHINE_RUN && s->resets < most_resets;
    bool rests = !learns && moves && s->known > 0.0 && fabs(dq) <= still * u->o->position_noise;
    if (measured && learns)
        learn(io, u, s, c->measured_x, dq);
    else if (measured && moves)
        follow(u, s, rests ? 0.0 : dq);
    else if (state == IFD_MACHINE_RUN)
        s->settled = 0.0;
    if (measured && !rests) {
        s->q = c->measured_x;
        s->known = 1.0;
    }
    decide(io, u, s, measured);
}

static IFD_RT void observe(const ifd__io *io, const void *data, void *own)
{
    const identified *d = data;
    for (int i = 0; i < io->f->opt->identified && !io->f->frozen && !io->replayed; i++)
        tick_one(io, &d->updates[i], (ifd__updating *)own + i);
}

/* Stored energy of an element with these states, with the coordinates in d; its force. */
static IFD_RT double stored(const identified *d, int e, const double *states, double *force)
{
    const ifd_element *element = &d->m->element[e];
    const double *q = d->q + d->m->q_of[e], *v = d->v + d->m->q_of[e];
    const ifd_element_in in = {.q = q, .qd = v, .qdd = v, .s = states};
    double energy = 0.0, power = 0.0;
    *force = 0.0;
    element->ops->energy(element, &in, &energy, &power);
    element->ops->eval(element, &in, &(ifd_element_out){.r = force});
    return energy;
}

/* Towards the estimate, by at most `rate` of the present value; or the recorded value. Deviations are differences of
 * values in use, so that a recorded value gives the same bits. */
static IFD_RT void move(const ifd__io *io, const ifd__updates *u, const ifd__updating *s, double *deviation)
{
    for (int j = 0; j < u->filter.law->params; j++) {
        double most = u->o->rate * (1.0 + deviation[j]), change = s->estimate.x[1 + j] - 1.0 - deviation[j];
        double used = 1.0 + (deviation[j] + fmax(-most, fmin(most, change)));
        if (io->replayed)
            used = io->replayed[u->used[j]];
        deviation[j] = used - 1.0;
    }
}

/* The margins of preflight and the matrices of many methods are those of the start. */
static IFD_RT void note_stiffer(const ifd__io *io, const ifd__updates *u, ifd__updating *s, const double *deviation)
{
    double p[IFD__LAW_NUMBERS];
    memcpy(p, u->filter.p0, sizeof p);
    for (int j = 0; j < u->filter.law->params; j++)
        p[j] *= 1.0 + deviation[j];
    double ratio = ifd__law_stiffness(u->filter.law, p) / ifd__law_stiffness(u->filter.law, u->filter.p0);
    if (ratio > stiff && s->stiffer == 0.0)
        ifd__fault_note(io->faults, IFD_TRIP_STIFFER, u->o->interface, ratio, stiff, IFD_ACTION_NOTE);
    s->stiffer = (double)(ratio > stiff);
}

/* s: the specimen; x: the state of the structure. */
static IFD_RT void update_one(const ifd__io *io, const identified *d, int i, ifd__updating *s,
                              const ifd__structure *structure)
{
    const ifd__updates *u = &d->updates[i];
    for (int k = 0; k < u->o->copies; k++) {
        double *states = structure->x + copy_at(d, u, k), force, moved;
        double energy = stored(d, u->element[k], states, &force);
        move(io, u, s, states + 1);
        double jump = stored(d, u->element[k], states, &moved) - energy;
        s->energy_jumps += jump;
        s->force_jumps += fabs(moved - force);
        if (structure->updates)
            *structure->updates += jump;
    }
    note_stiffer(io, u, s, structure->x + copy_at(d, u, 0) + 1);
}

static IFD_RT bool updates_now(const ifd__io *io, const ifd__updating *s)
{
    return io->replayed || s->gate == IFD_UPDATE_ON;
}

static IFD_RT void step(const ifd__io *io, const void *data, void *own, const ifd__structure *structure)
{
    const identified *d = data;
    ifd__updating *s = own;
    bool any = false;
    for (int i = 0; i < io->f->opt->identified && !io->f->frozen; i++)
        any = any || updates_now(io, &s[i]);
    if (!any || io->test->exchange != 0.0)
        return;
    const double *x = structure->x + d->at;
    ifd__model_coordinates(d->m, io->f->numerical->step * io->test->step, x, x + d->m->n, d->q, d->v);
    for (int i = 0; i < io->f->opt->identified; i++)
        if (updates_now(io, &s[i]))
            update_one(io, d, i, &s[i], structure);
}

static IFD_RT void order(const ifd__io *io, const void *data, void *own, ifd_order given)
{
    ifd__updating *s = own;
    (void)data;
    for (int i = 0; i < io->f->opt->identified; i++) {
        if (given == IFD_ORDER_UPDATE_OFF || given == IFD_ORDER_UPDATE_ON)
            s[i].off = (double)(given == IFD_ORDER_UPDATE_OFF);
        if (given == IFD_ORDER_UPDATE_OFF && s[i].gate != IFD_UPDATE_STOPPED)
            s[i].gate = IFD_UPDATE_OFF;
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
    const ifd__updating *s = (const ifd__updating *)source->block;
    double jumps = 0.0;
    for (int i = 0; i < source->io->f->opt->identified; i++)
        jumps += s[i].energy_jumps;
    return jumps;
}

static const ifd__column_row of_parameter[] = {{IFD_COLUMN_IDENTIFIED, 0, NULL},
                                               {IFD_COLUMN_IDENTIFIED_DEVIATION, 0, deviation},
                                               {IFD_COLUMN_IDENTIFIED_IN_USE, 0, in_use}},
                             of_specimen[] = {IFD__COLUMN(IDENTIFIED_INNOVATION, ifd__updating, normalised),
                                              IFD__COLUMN(IDENTIFIED_UPDATES, ifd__updating, gate),
                                              IFD__COLUMN(IDENTIFIED_FORCE_JUMPS, ifd__updating, force_jumps)},
                             of_all[] = {{IFD_COLUMN_ENERGY_UPDATES, 0, energy_of_all}};

/* Parameter j of a specimen: the estimate, its standard deviation, the value in use. */
static ifd_status parameter_columns(const ifd__unit_columns *to, const identified *d, int i, int j,
                                    const ifd__updating *s)
{
    ifd__updates *u = &d->updates[i];
    int n = 1 + u->filter.law->params;
    const char *name = to->io->f->interface[u->o->interface].o->name;
    const char *owner = to->arena ? ifd_arena_print(to->arena, "%s.%s", name, u->filter.law->name[j]) : "";
    const double *const block[] = {&s->estimate.x[1 + j], &s->estimate.P[(1 + j) * n + 1 + j],
                                   to->io->structure + copy_at(d, u, 0) + 1 + j};
    if (!owner)
        return IFD_NO_MEMORY;
    for (int k = 0; k < 3; k++) {
        u->used[j] = ifd__columns_next(to);
        IFD_TRY(ifd__columns_of_unit(
            to, &(ifd__column_set){.owner = owner, .block = block[k], .row = &of_parameter[k], .rows = 1}));
    }
    return IFD_OK;
}

static ifd_status columns(const ifd__unit_columns *to, const ifd__facts *f, const void *data, void *own)
{
    const identified *d = data;
    const ifd__updating *s = own;
    for (int i = 0; i < f->opt->identified; i++) {
        for (int j = 0; j < d->updates[i].filter.law->params; j++)
            IFD_TRY(parameter_columns(to, d, i, j, &s[i]));
        const ifd__column_set set = {
            .owner = f->interface[d->updates[i].o->interface].o->name, .block = &s[i], IFD__ROWS(of_specimen)};
        IFD_TRY(ifd__columns_of_unit(to, &set));
    }
    return ifd__columns_of_unit(to, &(ifd__column_set){.owner = "", .block = s, .row = of_all, .rows = 1});
}

static bool asked(const ifd__facts *f)
{
    return f->opt->identified > 0;
}

const ifd__unit ifd__unit_identify = {.name = "identify",
                                      .about = "parameters of specimens, and updates of their copies",
                                      .asked = asked,
                                      .make = make,
                                      .doubles = doubles,
                                      .columns = columns,
                                      .restart = restart,
                                      .observe = observe,
                                      .step = step,
                                      .order = order};

/* Ranges that updates of the parameters of copies cannot leave. */

int ifd__update_element(const ifd_model *m, const char *name)
{
    for (int e = 0; e < m->ne; e++)
        if (strcmp(m->element[e].name, name) == 0)
            return e;
    return -1;
}

void ifd__update_range(const ifd__law *law, const double *p0, double range, double *low, double *high)
{
    for (int i = 0; i < law->params; i++) {
        low[i] = fmin(1.0, fmax(1.0 / range, law->least[i] / p0[i]));
        high[i] = fmax(1.0, fmin(range, law->most[i] / p0[i]));
    }
}

/* The stiffness at rest is monotone in every parameter. */
double ifd__update_corner(const ifd_model *m, const ifd_identify_options *o, bool stiffest, double *deviation)
{
    int e = m && o->copies > 0 ? ifd__update_element(m, o->copy[0]) : -1;
    const ifd__law *law = e < 0 ? NULL : ifd__law_of(m->element[e].ops);
    double p0[IFD__LAW_NUMBERS], low[IFD__LAW_PARAMS], high[IFD__LAW_PARAMS], found = (double)NAN;
    if (!law || m->element[e].ops != law->updated)
        return (double)NAN;
    ifd__law_start(&m->element[e], p0);
    ifd__update_range(law, p0, o->range, low, high);
    double start = ifd__law_stiffness(law, p0);
    for (int corner = 0; corner < 1 << law->params; corner++) {
        double p[IFD__LAW_NUMBERS], stiffness;
        memcpy(p, p0, sizeof p);
        for (int i = 0; i < law->params; i++)
            p[i] *= corner >> i & 1 ? high[i] : low[i];
        stiffness = ifd__law_stiffness(law, p) / start;
        if (found == found && (stiffest ? stiffness <= found : stiffness >= found))
            continue;
        found = stiffness;
        for (int i = 0; i < law->params; i++)
            deviation[i] = (corner >> i & 1 ? high[i] : low[i]) - 1.0;
    }
    return found;
}
