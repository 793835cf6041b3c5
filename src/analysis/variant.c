/* SPDX-License-Identifier: MIT */
/* Changes one property of a test on its virtual rig: delay, stiffness, mass, step. */
#include "analysis/variant.h"
#include "model/dof_pair.h"
#include "model/linearised.h"
#include "analysis/probe.h"
#include "model/build/derive.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include <interfield/hybrid.h>
#include <interfield/virtual.h>

/* Mass of a specimen that moves with its interface, as part of the structure. */

typedef struct moving_mass {
    const ifd_interface_options *interface;
    double m, c, k;
} moving_mass;

/* Mass that the actuator of interface k moves and that is not in the model; `mass` of the interface is the part that
 * the model contains. */
static double mass_moved(const ifd_hybrid_options *test, const ifd_laboratory *l, int k)
{
    const ifd_virtual_actuator *bench = &l->actuator[k];
    if (!bench->actuator || test->drives > 0 || k >= test->interfaces)
        return 0.0;
    double all = ifd__value_of(bench->actuator->params, bench->actuator_values, "mass", 0.0);
    return fmax(all - test->interface[k].mass, 0.0);
}

static moving_mass moved_by(const ifd_hybrid_options *o, const ifd_laboratory *l, int k)
{
    const ifd_virtual_actuator *bench = &l->actuator[k];
    const ifd_interface_options *channel = &o->interface[k];
    double devices = channel->force_factor;
    if (!bench->actuator)
        return (moving_mass){.interface = channel};
    const ifd_param *p = bench->actuator->params;
    const ifd_value *v = bench->actuator_values;
    return (moving_mass){channel, devices * mass_moved(o, l, k), devices * ifd__value_of(p, v, "damping", 0.0),
                         devices * ifd__value_of(p, v, "stiffness", 0.0)};
}

/* One dof per interface: its deformation. */
static ifd_status make_addition(ifd_arena *arena, int count, const moving_mass *list, ifd_model **out)
{
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = 0; b && i < count; i++) {
        int dof = ifd_builder_dof(b, ifd_arena_print(arena, "carried%d", i), IFD_DOF_DEFORMATION);
        ifd_builder_add(b, IFD_MASS, dof, dof, list[i].m);
        ifd_builder_add(b, IFD_DAMPING, dof, dof, list[i].c);
        ifd_builder_add(b, IFD_STIFFNESS, dof, dof, list[i].k);
    }
    return b ? ifd_model_make(arena, b, out, NULL) : IFD_NO_MEMORY;
}

static void put(ifd__rows *T, int column, double value)
{
    int at = T->start[T->count + 1]++;
    T->column[at] = column;
    T->value[at] = value;
}

static bool make_rows(ifd_arena *arena, int n, int count, const moving_mass *list, ifd__rows *T)
{
    size_t entries = (size_t)n;
    for (int i = 0; i < count; i++)
        entries += (size_t)ifd__ends_count(IFD__ENDS(list[i].interface));
    if (IFD__TAKE(arena, IFD__ARRAY(T->start, (size_t)(n + count) + 1), IFD__ARRAY(T->column, entries),
                  IFD__ARRAY(T->value, entries)) != IFD_OK)
        return false;
    for (int i = 0; i < n + count; i++, T->count++) {
        T->start[i + 1] = T->start[i];
        if (i < n) {
            put(T, i, 1.0);
            continue;
        }
        const ifd__ends ends = IFD__ENDS(list[i - n].interface);
        for (int k = 0; k < ifd__ends_count(ends); k++) {
            double c;
            int dof = ifd__end(ends, k, &c);
            if (dof >= 0)
                put(T, dof, c);
        }
    }
    return true;
}

static ifd_status add_to(ifd_arena *arena, const ifd_model *m, int count, const moving_mass *list,
                         const ifd_model **out)
{
    ifd_model *addition, *sum;
    IFD_TRY(make_addition(arena, count, list, &addition));
    const ifd_model **piece = ifd_arena_array(arena, 2, sizeof *piece);
    ifd__derivation how = {.substructures = 2,
                           .substructure = piece,
                           .n = m->n,
                           .dof_name = (const char *const *)m->dof_name,
                           .dof_kind = m->dof_kind,
                           .u0 = m->u0,
                           .v0 = m->v0};
    IFD__HAVE(piece && make_rows(arena, m->n, count, list, &how.T));
    piece[0] = m;
    piece[1] = addition;
    IFD_TRY(ifd__model_derive(arena, &how, &sum, NULL));
    *out = sum;
    return IFD_OK;
}

/* Moving masses on substructure p; returns their number. Without mass nothing is added: the rig also measures damping
 * and stiffness. */
static int list_of(const ifd_hybrid_options *o, const ifd_laboratory *l, int p, moving_mass *list)
{
    int count = 0;
    for (int k = 0; k < o->interfaces && k < l->actuators && o->drives == 0; k++) {
        moving_mass c = moved_by(o, l, k);
        if (o->interface[k].part == p && c.m > 0.0 && (c.interface->from >= 0 || c.interface->to >= 0))
            list[count++] = c;
    }
    return count;
}

/* Adds such mass, with its damping and stiffness, to the models of a test: the structure of one model contains it,
 * and a perfect rig need not measure inertia. Changes model, or couple, of out. */
static ifd_status carry(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *laboratory,
                        ifd_hybrid_options *out)
{
    moving_mass list[IFD_RIG_ACTUATORS];
    int parts = out->couple ? out->couple->parts : 1;
    ifd_part_options *part = out->couple ? ifd_arena_array(arena, (size_t)parts, sizeof *part) : NULL;
    ifd_couple_options *couple = out->couple ? ifd_arena_take(arena, sizeof *couple) : NULL;
    if (out->couple && (!part || !couple))
        return IFD_NO_MEMORY;
    for (int p = 0; p < parts; p++) {
        int count = list_of(test, laboratory, p, list);
        if (part)
            part[p] = out->couple->part[p];
        const ifd_model **model = part ? &part[p].model : &out->model;
        if (count)
            IFD_TRY(add_to(arena, *model, count, list, model));
    }
    if (couple) {
        *couple = *out->couple;
        couple->part = part;
        out->couple = couple;
    }
    return IFD_OK;
}

static double factor(double f)
{
    return f > 0.0 ? f : 1.0;
}

bool ifd__specimen_linear(const ifd_virtual_actuator *c)
{
    return !c->specimen || (c->specimen->flags & IFD_ELEMENT_LINEAR) != 0;
}

int ifd__drive_of(const ifd_hybrid_options *test, int k, int *dof)
{
    for (int d = 0; d < test->drives; d++)
        for (*dof = 0; *dof < test->drive[d].drive.dofs; ++*dof)
            if (test->drive[d].interface[*dof] == k)
                return d;
    return -1;
}

int ifd__seats_of(const ifd_hybrid_options *test, int *first)
{
    int n = 0, dof, seat[IFD_RIG_ACTUATORS];
    memset(seat, -1, sizeof seat);
    for (int k = 0; k < test->interfaces; k++) {
        int d = ifd__drive_of(test, k, &dof);
        first[k] = d >= 0 && seat[d] >= 0 ? seat[d] : n;
        if (d < 0)
            n++;
        else if (seat[d] < 0) {
            seat[d] = n;
            n += test->drive[d].drive.actuators;
        }
    }
    return n;
}

/* Channel of the laboratory for an interface of a test: the first of its drive, if a drive moves it. */
static int seat_of(const ifd_hybrid_options *test, int k)
{
    int first[IFD_RIG_ACTUATORS];
    ifd__seats_of(test, first);
    return first[k];
}

/* The pose is the least-squares solution of s = J q: its dof i is w . s, with w the smallest f_s of J^T f_s = e_i. */
static void weigh_actuators(const ifd_drive_options *o, int dof, ifd__movers *m)
{
    const double least = 1e-9; /* of the largest: smaller entries of J are rounding */
    double q[IFD_DRIVE_DOFS] = {0.0}, e[IFD_DRIVE_DOFS] = {0.0}, J[IFD_DRIVE_ACTUATORS * IFD_DRIVE_DOFS], most = 0.0;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_drive *drive = NULL;
    bool made = scratch && ifd_drive_make(scratch, o, &drive, NULL) == IFD_OK;
    e[dof] = 1.0;
    if (made) {
        ifd_drive_jacobian(drive, q, J);
        ifd_drive_share(drive, q, e, m->weight);
    }
    for (int j = 0; made && j < o->actuators; j++)
        most = fmax(most, fabs(J[j * o->dofs + dof]));
    for (int j = 0; j < o->actuators; j++)
        m->moves[j] = !made || fabs(J[j * o->dofs + dof]) > least * most;
}

ifd__movers ifd__movers_of(const ifd_hybrid_options *test, int k)
{
    int dof = 0, d = ifd__drive_of(test, k, &dof);
    ifd__movers m = {.drive = d, .first = seat_of(test, k), .count = 1, .moves = {true}, .weight = {1.0}};
    if (d >= 0) {
        m.count = test->drive[d].drive.actuators;
        weigh_actuators(&test->drive[d].drive, dof, &m);
    }
    return m;
}

ifd_virtual_actuator ifd__bench_of(const ifd_hybrid_options *test, const ifd_laboratory *l, int k)
{
    int dof = 0, d = ifd__drive_of(test, k, &dof);
    ifd_virtual_actuator c = l->actuator[seat_of(test, k)];
    if (d >= 0) {
        c.specimen = l->block[d].specimen[dof];
        c.specimen_values = l->block[d].specimen_values[dof];
    }
    return c;
}

double ifd__value_of(const ifd_param *params, const ifd_value *values, const char *name, double fallback)
{
    int i = ifd_param_find(params, name);
    return i >= 0 && values ? values[i].number : i >= 0 ? params[i].preset : fallback;
}

static ifd_value *copy_values(ifd_arena *arena, const ifd_param *params, const ifd_value *values)
{
    size_t count = (size_t)ifd_param_count(params);
    ifd_value *v = ifd_arena_array(arena, count + 1, sizeof *v);
    if (v && values)
        memcpy(v, values, count * sizeof *v);
    else if (v)
        ifd_param_preset(params, v);
    return v;
}

void ifd__value_set(const ifd_param *params, ifd_value *values, const char *name, ifd_value value)
{
    int i = ifd_param_find(params, name);
    if (i >= 0)
        values[i] = value;
}

/* The actuator, or an ideal one. An ideal actuator moves no mass: the model contains it. */
static bool vary_actuator(ifd_arena *arena, const ifd_virtual_actuator *from, const ifd__variant *v, bool moved,
                          ifd_virtual_actuator *to)
{
    static const char *const carried[] = {"mass", "damping", "stiffness"};
    const double times[] = {v->perfect ? 0.0 : factor(v->mass), 1.0, factor(v->stiffness)};
    const ifd_actuator_kind *ideal = ifd_actuator_find("ideal"), *kind = from->actuator ? from->actuator : ideal;
    to->actuator = v->perfect ? ideal : kind;
    to->actuator_values = copy_values(arena, to->actuator->params, v->perfect ? NULL : from->actuator_values);
    for (int i = 0; i < 3 && to->actuator_values && !(v->perfect && moved); i++)
        ifd__value_set(to->actuator->params, to->actuator_values, carried[i],
                       ifd_number(times[i] * ifd__value_of(kind->params, from->actuator_values, carried[i], 0.0)));
    return to->actuator_values != NULL;
}

/* Replacement of a specimen that is not linear: a spring or a dashpot. */
static bool put_secant(ifd_arena *arena, double spring, double dashpot, double times, ifd_virtual_actuator *to)
{
    bool viscous = spring == 0.0 && dashpot > 0.0;
    to->specimen = ifd_element_find(viscous ? "dashpot" : "spring");
    ifd_value *values = copy_values(arena, to->specimen->params, NULL);
    if (values)
        ifd__value_set(to->specimen->params, values, viscous ? "damping" : "stiffness",
                       ifd_number(times * (viscous ? dashpot : spring)));
    to->specimen_values = values;
    return values != NULL;
}

static bool vary_specimen(ifd_arena *arena, const ifd_virtual_actuator *from, const ifd__variant *v, int k,
                          ifd_virtual_actuator *to)
{
    double times = factor(v->stiffness);
    if (v->linear || v->spring)
        to->pressed_by = 0; /* linear at its load; the force of the other actuator is zero in a probe */
    if (v->spring && !ifd__specimen_linear(from) && !isnan(v->spring[k]))
        return put_secant(arena, v->spring[k], v->dashpot ? v->dashpot[k] : 0.0, times, to);
    if (!to->specimen)
        return true;
    if (v->linear && ifd__linearisable(from->specimen)) {
        to->specimen = ifd__linearised_specimen(arena, from->specimen, from->start, times);
        return to->specimen != NULL;
    }
    if (times == 1.0)
        return true;
    ifd_value *values = copy_values(arena, to->specimen->params, from->specimen_values);
    if (!values)
        return false;
    double stiffness = ifd__value_of(to->specimen->params, from->specimen_values, "stiffness", 0.0);
    ifd__value_set(to->specimen->params, values, "stiffness", ifd_number(times * stiffness));
    to->specimen_values = values;
    return true;
}

bool ifd__specimen_tangent(const ifd_virtual_actuator *c, double *stiffness, double *damping)
{
    ifd_arena *scratch IFD__CLOSED = c->specimen && ifd__linearisable(c->specimen) ? ifd_arena_open() : NULL;
    const ifd_element_ops *ops = scratch ? ifd__linearised_specimen(scratch, c->specimen, c->start, 1.0) : NULL;
    ifd_element e = {.ops = ops, .name = "specimen", .nq = 1};
    *stiffness = *damping = 0.0;
    bool made = ops && ops->make(&e, c->specimen_values, scratch, NULL) == IFD_OK;
    double q = c->start, zero = 0.0, *s = made ? ifd_arena_array(scratch, (size_t)e.ns + 1, sizeof *s) : NULL;
    if (s)
        ops->eval(&e, &(ifd_element_in){.q = &q, .qd = &zero, .qdd = &zero, .s = e.s0 ? e.s0 : s},
                  &(ifd_element_out){.r_q = stiffness, .r_v = damping});
    return s != NULL;
}

/* States that change while the specimen is at rest relax; the others change by motion only. In a fast motion the
 * states follow the velocity alone. */
ifd__softening ifd__specimen_softening(const ifd_virtual_actuator *c, double *fast)
{
    ifd_arena *scratch IFD__CLOSED = c->specimen && ifd__linearisable(c->specimen) ? ifd_arena_open() : NULL;
    ifd_element e = {.ops = c->specimen, .name = "specimen", .nq = 1};
    *fast = 0.0;
    if (!scratch || e.ops->make(&e, c->specimen_values, scratch, NULL) != IFD_OK || e.ns == 0)
        return IFD__SOFTENS;
    double q = c->start, zero = 0.0, *s, *g, *r_s, *g_v;
    size_t n = (size_t)e.ns;
    if (IFD__TAKE(scratch, IFD__ARRAY(s, n), IFD__ARRAY(g, n), IFD__ARRAY(r_s, n), IFD__ARRAY(g_v, n)) != IFD_OK)
        return IFD__SOFTENS;
    for (size_t i = 0; i < n; i++)
        s[i] = (e.s0 ? e.s0[i] : 0.0) + 1e-3;
    e.ops->eval(&e, &(ifd_element_in){.q = &q, .qd = &zero, .qdd = &zero, .s = s},
                &(ifd_element_out){.g = g, .r_q = fast, .r_s = r_s, .g_v = g_v});
    bool relaxes = false;
    for (size_t i = 0; i < n; i++) {
        relaxes = relaxes || g[i] != 0.0;
        *fast += r_s[i] * g_v[i];
    }
    return relaxes ? IFD__RELAXES : IFD__YIELDS;
}

static ifd_value *vary_sensor(ifd_arena *arena, const ifd_value *from, const ifd__variant *v)
{
    static const char *const loud[] = {"noise", "resolution", "dropout", "drift", "bias"};
    if (!from || v->perfect)
        return NULL;
    ifd_value *to = copy_values(arena, ifd_sensor_params, from);
    for (size_t i = 0; to && v->quiet && i < sizeof loud / sizeof *loud; i++)
        ifd__value_set(ifd_sensor_params, to, loud[i], ifd_number(0.0));
    return to;
}

/* A model on the rig becomes stiffer, and heavier by the same factor, through its reactions. */
static bool vary_models(ifd_arena *arena, const ifd_laboratory *from, const ifd__variant *v, ifd_laboratory *to)
{
    ifd_virtual_model *model = ifd_arena_array(arena, (size_t)from->models, sizeof *model);
    for (int i = 0; model && i < from->models; i++) {
        model[i] = from->model[i];
        model[i].scale = (model[i].scale > 0.0 ? model[i].scale : 1.0) * factor(v->stiffness);
        ifd_model *tangent = v->linear ? ifd_arena_take(arena, sizeof *tangent) : NULL;
        if (!v->linear)
            continue;
        if (!tangent)
            return false;
        *tangent = *model[i].model;
        if (ifd__linearise_elements(arena, tangent) != IFD_OK)
            return false;
        model[i].model = tangent;
    }
    to->model = model;
    return model != NULL;
}

/* Specimens on blocks belong to the interfaces that their drives move. */
static bool vary_blocks(ifd_arena *arena, const ifd_hybrid_options *test, const ifd__variant *v, ifd_laboratory *to)
{
    ifd_virtual_block *block = ifd_arena_array(arena, (size_t)to->blocks + 1, sizeof *block);
    for (int d = 0; block && d < to->blocks; d++) {
        block[d] = to->block[d];
        for (int i = 0; i < block[d].drive->dofs; i++) {
            ifd_virtual_actuator c = {.specimen = block[d].specimen[i],
                                      .specimen_values = block[d].specimen_values[i]};
            const ifd_virtual_actuator from = c;
            int k = d < test->drives ? test->drive[d].interface[i] : 0;
            if (!vary_specimen(arena, &from, v, k, &c))
                return false;
            block[d].specimen[i] = c.specimen;
            block[d].specimen_values[i] = c.specimen_values;
        }
    }
    to->block = block;
    return block != NULL;
}

static ifd_laboratory *vary_laboratory(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *from,
                                       const ifd__variant *v)
{
    ifd_laboratory *to;
    ifd_virtual_actuator *channel;
    if (IFD__TAKE(arena, IFD__ARRAY(to, 1), IFD__ARRAY(channel, from->actuators)) != IFD_OK)
        return NULL;
    *to = *from;
    to->actuator = channel;
    to->linear = v->linear;
    to->map = NULL; /* as in the test: m and N */
    int channel_of[IFD_RIG_ACTUATORS] = {0};
    for (int k = 0; k < test->interfaces; k++)
        channel_of[seat_of(test, k)] = k;
    for (int k = 0; k < from->actuators; k++) {
        const ifd_virtual_actuator *c = &from->actuator[k];
        channel[k] = *c;
        if (!vary_actuator(arena, c, v, mass_moved(test, from, k) > 0.0, &channel[k]) ||
            !vary_specimen(arena, c, v, channel_of[k], &channel[k]))
            return NULL;
        channel[k].position_sensor = vary_sensor(arena, c->position_sensor, v);
        channel[k].force_sensor = vary_sensor(arena, c->force_sensor, v);
        channel[k].accelerometer = c->accelerometer && v->perfect ? copy_values(arena, ifd_sensor_params, NULL)
                                                                  : vary_sensor(arena, c->accelerometer, v);
        channel[k].specimen_sensor = vary_sensor(arena, c->specimen_sensor, v);
        for (int i = 0; i < IFD_WALLS; i++)
            channel[k].wall_sensor[i] = vary_sensor(arena, c->wall_sensor[i], v);
    }
    return vary_models(arena, from, v, to) && vary_blocks(arena, test, v, to) ? to : NULL;
}

/* Limits far beyond any rig, but finite. */
static ifd_limits no_limits(void)
{
    ifd_limits l;
    ifd_limits_defaults(&l);
    l.low = -1e9;
    l.high = 1e9;
    l.velocity = 1e12;
    l.acceleration = 1e18;
    l.force = 1e30;
    return l;
}

/* A controlled force: without a limit of its error in an unlimited test. One that the computed part commands: without
 * delay on a perfect rig, and at any rate in an unlimited test. */
static const ifd_force_control *vary_force(ifd_arena *arena, const ifd_force_control *from, const ifd__variant *v)
{
    const double boundless = 1e30;
    ifd_force_control *f;
    ifd_force_command *c;
    if (IFD__TAKE(arena, IFD__ARRAY(f, 1), IFD__ARRAY(c, 1)) != IFD_OK)
        return NULL;
    *f = *from;
    if (v->unlimited)
        f->error = boundless;
    if (!from->computed)
        return f;
    *c = *from->computed;
    f->computed = c;
    c->delay = v->perfect ? 0.0 : c->delay;
    if (v->unlimited)
        f->rate = c->balance = boundless;
    return f;
}

static ifd_interface_options *vary_channels(ifd_arena *arena, const ifd_hybrid_options *test, const ifd__variant *v)
{
    ifd_interface_options *channel = ifd_arena_array(arena, (size_t)test->interfaces, sizeof *channel);
    for (int k = 0; channel && k < test->interfaces; k++) {
        channel[k] = test->interface[k];
        if (v->still)
            channel[k].origin = NULL; /* u counts from there */
        if (v->perfect) {             /* the model contains all mass, and all of it is computed */
            channel[k].mass = 0.0;
            channel[k].taken_out = false;
            channel[k].compensator = NULL;
        } else if (channel[k].compensator)
            channel[k].compensator_values =
                copy_values(arena, channel[k].compensator->params, test->interface[k].compensator_values);
        if (v->unlimited)
            channel[k].limits = no_limits();
        if (channel[k].force && !(channel[k].force = vary_force(arena, channel[k].force, v)))
            return NULL;
    }
    return channel;
}

/* Actuators of drives have separate limits. */
static ifd_driven *free_drives(ifd_arena *arena, const ifd_hybrid_options *test)
{
    ifd_driven *drive = ifd_arena_array(arena, (size_t)test->drives + 1, sizeof *drive);
    for (int d = 0; drive && d < test->drives; d++) {
        ifd_limits *limits = ifd_arena_array(arena, IFD_DRIVE_ACTUATORS, sizeof *limits);
        for (int i = 0; limits && i < IFD_DRIVE_ACTUATORS; i++)
            limits[i] = no_limits();
        drive[d] = test->drive[d];
        drive[d].limits = limits;
        if (!limits)
            return NULL;
    }
    return drive;
}

/* Models, and the step between exchanges. */
static ifd_status vary_structure(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *laboratory,
                                 const ifd__variant *v, ifd_hybrid_options *out)
{
    if (v->perfect)
        IFD_TRY(carry(arena, test, laboratory, out));
    ifd_run_options run = {.model = out->model, .couple = out->couple, .step = out->step, .preload = out->preload},
                    rest;
    if (v->still) {
        IFD_TRY(ifd__probe_options(arena, &run, &rest));
        out->model = rest.model;
        out->couple = rest.couple;
        if (!rest.couple && !v->deviation)
            ifd__probe_freeze(rest.model, &out->step);
        out->monitor = NULL;
        out->identified = out->measured_loads = 0; /* tangents at rest have no parameters */
    }
    out->step.h *= factor(v->step);
    if (!out->couple)
        return IFD_OK;
    ifd_couple_options *couple;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(couple, 1)));
    *couple = *out->couple;
    couple->h *= factor(v->step);
    couple->threads = 1;
    out->couple = couple;
    return IFD_OK;
}

ifd_status ifd__variant_make(ifd_arena *arena, const ifd_hybrid_options *test, const ifd_laboratory *laboratory,
                             const ifd__variant *v, ifd_hybrid_options *out)
{
    ifd__late *late = ifd_arena_take(arena, sizeof *late);
    *out = *test;
    out->lambda = v->real_time ? 1.0 : test->lambda;
    out->interface = vary_channels(arena, test, v);
    ifd_laboratory *varied = vary_laboratory(arena, test, laboratory, v);
    IFD__HAVE(late && out->interface && varied);
    *late = (ifd__late){
        .laboratory = varied, .delay = v->delay, .gain = v->gain, .disturbance = v->disturbance, .cell = v->cell};
    out->rig = &ifd__late_rig;
    out->rig_values = NULL;
    out->rig_setup = late;
    out->map = NULL; /* the laboratory uses m and N */
    out->rehearse = NULL;
    out->automatic = true;
    out->drive = v->unlimited ? free_drives(arena, test) : test->drive;
    if (!out->drive && test->drives)
        return IFD_NO_MEMORY;
    out->observe = v->unlimited || (test->protocol && test->observe);
    if (v->unlimited)
        out->stale_limit = out->stuck_limit = INT_MAX;
    if (v->unlimited && test->interfaces) {
        out->creep = fmin(out->creep, out->creep_fraction * test->interface[0].limits.velocity);
        out->creep_fraction = 1.0;
    }
    if (v->still) {
        out->ramp_in = out->settle = 1e-9;
        out->end = 1e9 * (out->couple ? out->couple->h : out->step.h);
    }
    return vary_structure(arena, test, laboratory, v, out);
}
