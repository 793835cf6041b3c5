/* SPDX-License-Identifier: MIT */
/* publish: the record of a finished step, and the energy balance, which is kept for every run.
 *
 * Work of loads and damping is the trapezoidal rule over steps of P . v and of the dissipated power; kinetic and stored energy
 * are exact at each instant. What is left, input - (kinetic + stored - start) - dissipated - specimens, is what the method (and
 * the quadrature, of second order in the step) made or took. */
#include <math.h>
#include <string.h>

#include "run/run.h"

static const char *const energy_names[] = {"energy input",      "energy kinetic",   "energy stored",
                                           "energy dissipated", "energy specimens", "energy numerical"};
enum { ENERGIES = 6 };

static bool rotates(ifd_dof_kind kind)
{
    return kind != IFD_DOF_X && kind != IFD_DOF_Y && kind != IFD_DOF_Z && kind != IFD_DOF_STRETCH;
}

static void column(ifd_run *r, const char *name, const char *unit, const char *group, ifd__column c)
{
    r->channel[r->channels] = (ifd_channel){.name = name, .unit = unit, .group = group};
    r->column[r->channels++] = c;
}

typedef struct motion {
    ifd__source source;
    unsigned what;
    const char *group, *length_unit, *angle_unit;
} motion;

static const motion motions[] = {
    {FROM_DISPLACEMENT, IFD_RECORD_DISPLACEMENT, "displacement", "m", "rad"},
    {FROM_VELOCITY, IFD_RECORD_VELOCITY, "velocity", "m/s", "rad/s"},
    {FROM_ACCELERATION, IFD_RECORD_ACCELERATION, "acceleration", "m/s2", "rad/s2"},
    {FROM_TOTAL_ACCELERATION, IFD_RECORD_ACCELERATION, "total-acceleration", "m/s2", "rad/s2"},
};

static const ifd_signal *ground_of(const ifd_model *m, ifd_dof_kind kind)
{
    return kind <= IFD_DOF_Z ? m->ground[kind].signal : NULL;
}

static ifd_status motion_columns(ifd_run *r, ifd_arena *arena, const motion *what, const ifd_run_options *opt)
{
    const ifd_model *m = r->m;
    int count = opt->dofs ? opt->dofs : m->n;
    for (int k = 0; k < count; k++) {
        int dof = opt->dofs ? opt->dof[k] : k;
        if (what->source == FROM_TOTAL_ACCELERATION && !ground_of(m, m->dof_kind[dof]))
            continue;
        const char *name = ifd_arena_print(arena, "%s %s", m->dof_name[dof], what->group);
        if (!name)
            return IFD_NO_MEMORY;
        column(r, name, rotates(m->dof_kind[dof]) ? what->angle_unit : what->length_unit, what->group,
               (ifd__column){.source = what->source, .index = dof});
    }
    return IFD_OK;
}

static ifd_status element_columns(ifd_run *r, ifd_arena *arena)
{
    const ifd_model *m = r->m;
    static const struct {
        ifd__source source;
        const char *word, *unit;
    } of[] = {{FROM_DEFORMATION, "deformation", "m"}, {FROM_FORCE, "force", "N"}, {FROM_STATE, "state", ""}};
    for (int e = 0; e < m->ne; e++)
        for (int k = 0; k < 3; k++) {
            const int *start = of[k].source == FROM_STATE ? m->s_of : m->q_of;
            int count = start[e + 1] - start[e];
            for (int i = 0; i < count; i++) {
                const char *name = count == 1
                                       ? ifd_arena_print(arena, "%s %s", m->element[e].name, of[k].word)
                                       : ifd_arena_print(arena, "%s %s %d", m->element[e].name, of[k].word, i + 1);
                if (!name)
                    return IFD_NO_MEMORY;
                column(r, name, of[k].unit, "element", (ifd__column){.source = of[k].source, .index = start[e] + i});
            }
        }
    return IFD_OK;
}

static ifd_status specimen_columns(ifd_run *r, ifd_arena *arena)
{
    static const struct {
        int row;
        const char *word, *unit;
    } of[] = {{IFD__IDEAL_Q, "stretch", "m"}, {IFD__IDEAL_F, "measured force", "N"}};
    for (int k = 0; k < r->specimens; k++)
        for (int i = 0; i < 2; i++) {
            const char *name = ifd_arena_print(arena, "%s %s", r->specimen[k].name, of[i].word);
            if (!name)
                return IFD_NO_MEMORY;
            column(r, name, of[i].unit, "specimen",
                   (ifd__column){.source = FROM_SPECIMEN, .index = r->rig_at[k] + of[i].row});
        }
    return IFD_OK;
}

static ifd_status columns(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt)
{
    for (size_t k = 0; k < sizeof motions / sizeof *motions; k++)
        if (r->what & motions[k].what)
            IFD_TRY(motion_columns(r, arena, &motions[k], opt));
    if (r->what & IFD_RECORD_ELEMENTS)
        IFD_TRY(element_columns(r, arena));
    IFD_TRY(specimen_columns(r, arena));
    static const char *const ground[] = {"ground acceleration x", "ground acceleration y", "ground acceleration z"};
    for (int d = 0; d < 3 && r->what & IFD_RECORD_GROUND; d++)
        if (r->m->ground[d].signal)
            column(r, ground[d], "m/s2", "ground", (ifd__column){.source = FROM_GROUND, .index = d});
    for (int k = 0; k < ENERGIES && r->what & IFD_RECORD_ENERGY; k++)
        if (k != 4 || r->specimens)
            column(r, energy_names[k], "J", "energy", (ifd__column){.source = FROM_ENERGY, .index = k});
    return IFD_OK;
}

static unsigned wanted(const ifd_run_options *opt)
{
    enum { LARGE = 50 };
    if (opt->what != IFD_RECORD_AUTO)
        return opt->what;
    if (opt->model->n <= LARGE)
        return IFD_RECORD_EVERYTHING;
    return IFD_RECORD_DISPLACEMENT | IFD_RECORD_ENERGY | IFD_RECORD_GROUND | IFD_RECORD_ELEMENTS;
}

ifd_status ifd__publish_make(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    const ifd_model *m = r->m;
    size_t n = (size_t)m->n, nq = (size_t)m->nq, ns = (size_t)m->ns;
    size_t dofs = opt->dofs ? (size_t)opt->dofs : n;
    size_t most = 4 * dofs + 2 * nq + ns + 2 * (size_t)r->specimens + 3 + ENERGIES;
    r->what = wanted(opt);
    r->channel = ifd_arena_array(arena, most, sizeof *r->channel);
    r->column = ifd_arena_array(arena, most, sizeof *r->column);
    r->values = ifd_arena_array(arena, most, sizeof *r->values);
    double *pool = ifd_arena_array(arena, n + 4 * nq + ns + ifd__model_work(m), sizeof *pool);
    if (!r->channel || !r->column || !r->values || !pool)
        return IFD_NO_MEMORY;
    r->a = pool;
    r->q = r->a + n;
    r->qd = r->q + nq;
    r->r = r->qd + nq;
    r->qg = r->r + nq;
    r->g = r->qg + nq;
    r->w = r->g + ns;
    IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &r->mass, note));
    return columns(r, arena, opt);
}

void ifd__publish_energy(ifd_run *r, double t, bool first)
{
    const ifd_model *m = r->m;
    double *x = r->x + r->own, h = ifd_stepper_step(r->stepper);
    ifd__energy e;
    ifd__model_energy(m, t, r->x, r->x + m->n, r->x + 2 * m->n, &e, r->w);
    if (first) {
        x[RUN_ENERGY_START] = e.kinetic + e.stored;
    } else {
        x[RUN_INPUT] += 0.5 * h * (x[RUN_INPUT_POWER] + e.input);
        x[RUN_DISSIPATED] += 0.5 * h * (x[RUN_DISSIPATED_POWER] + e.dissipated);
    }
    x[RUN_INPUT_POWER] = e.input;
    x[RUN_DISSIPATED_POWER] = e.dissipated;
    x[RUN_KINETIC] = e.kinetic;
    x[RUN_STORED] = e.stored;
    const double sizes[] = {fabs(x[RUN_INPUT]), e.kinetic + fabs(e.stored), fabs(x[RUN_DISSIPATED])};
    for (int i = 0; i < 3; i++)
        x[RUN_SCALE] = sizes[i] > x[RUN_SCALE] ? sizes[i] : x[RUN_SCALE];
}

ifd_energy ifd_run_energy(const ifd_run *r)
{
    const double *x = r->x + r->own;
    ifd_energy e = {.input = x[RUN_INPUT],
                    .kinetic = x[RUN_KINETIC],
                    .stored = x[RUN_STORED],
                    .dissipated = x[RUN_DISSIPATED],
                    .specimens = x[RUN_SPECIMENS],
                    .scale = x[RUN_SCALE]};
    e.numerical = e.input - (e.kinetic + e.stored - x[RUN_ENERGY_START]) - e.dissipated - e.specimens;
    return e;
}

/* a := M(u)^-1 (P - R + measured), the accelerations. */
static void accelerations(ifd_run *r, double t)
{
    const ifd_model *m = r->m;
    const double *u = r->x, *v = r->x + m->n, *s = r->x + 2 * m->n;
    ifd__model_balance(m, t, u, v, s, r->a, r->g, r->w);
    for (int k = 0; k < r->specimens; k++) {
        double f = r->x[r->rig_at[k] + IFD__IDEAL_F];
        if (r->specimen[k].to >= 0)
            r->a[r->specimen[k].to] -= f;
        if (r->specimen[k].from >= 0)
            r->a[r->specimen[k].from] += f;
    }
    ifd__tangent_update(r->mass, &(ifd__point){.t = t, .u = u, .v = v, .s = s});
    ifd__tangent_solve(r->mass, r->a);
}

static double ground(const ifd_model *m, int direction, double t)
{
    double y[3] = {0.0, 0.0, 0.0};
    if (m->ground[direction].signal)
        ifd_signal_eval(m->ground[direction].signal, t, y);
    return y[0];
}

static double energy_value(const ifd_run *r, int k)
{
    ifd_energy e = ifd_run_energy(r);
    const double value[ENERGIES] = {e.input, e.kinetic, e.stored, e.dissipated, e.specimens, e.numerical};
    return value[k];
}

static double value_of(const ifd_run *r, const ifd__column *c, double t)
{
    const ifd_model *m = r->m;
    switch (c->source) {
    case FROM_DISPLACEMENT:
        return r->x[c->index];
    case FROM_VELOCITY:
        return r->x[m->n + c->index];
    case FROM_ACCELERATION:
        return r->a[c->index];
    case FROM_TOTAL_ACCELERATION:
        return r->a[c->index] + ground(m, (int)m->dof_kind[c->index], t);
    case FROM_DEFORMATION:
        return r->q[c->index];
    case FROM_FORCE:
        return r->r[c->index];
    case FROM_STATE:
        return r->x[2 * m->n + c->index];
    case FROM_ENERGY:
        return energy_value(r, c->index);
    case FROM_GROUND:
        return ground(m, c->index, t);
    case FROM_SPECIMEN:
        return r->x[c->index];
    }
    return 0.0;
}

void ifd__publish_values(ifd_run *r, double t)
{
    const ifd_model *m = r->m;
    if (r->what & IFD_RECORD_ACCELERATION)
        accelerations(r, t);
    if (r->what & IFD_RECORD_ELEMENTS && m->ne) {
        ifd__model_coordinates(m, t, r->x, r->x + m->n, r->q, r->qd);
        ifd__model_forces(m, t, r->q, r->qd, r->x + 2 * m->n, r->r, r->g);
    }
    for (int k = 0; k < r->channels; k++)
        r->values[k] = value_of(r, &r->column[k], t);
}
