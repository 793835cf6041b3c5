/* SPDX-License-Identifier: MIT */
#include "hybrid/wall.h"

#include <math.h>
#include <string.h>

#include "hybrid/pace/scaled.h"
#include "model/model.h"

static const ifd__state_member members[] = {IFD__STATE_MEMBERS(IFD__WALLED)};
const ifd__state_list ifd__walled_members = {members, sizeof members / sizeof *members};

static IFD_RT const ifd_force_command *law(const ifd_hybrid *h, int k)
{
    return h->interface[k].o->force->computed;
}

/* The dof of the structure at wall i. */
static IFD_RT int dof_of(const ifd_interface_options *c, int i)
{
    return i + 1 < c->force->computed->walls ? c->from : c->to;
}

/* Sum of the stiffness. */
static IFD_RT double stiffness(const ifd_force_command *f)
{
    return f->wall[0].stiffness + f->wall[1].stiffness;
}

/* Part of wall i in the mean displacement. */
static IFD_RT double weight(const ifd_force_command *f, int i)
{
    return f->walls == 2 ? f->wall[i].stiffness / stiffness(f) : 1.0;
}

static ifd_status check_inputs(const ifd_interface_options *c, ifd_note *note)
{
    const ifd_force_command *f = c->force->computed;
    for (int i = 0; i < f->walls; i++)
        if (f->wall[i].input < 0 || f->wall[i].input >= IFD_RIG_AUX || f->wall[i].input == f->position ||
            (i && f->wall[i].input == f->wall[0].input))
            return ifd_note_add(
                note, IFD_RANGE, NULL,
                "interface '%s': the force of wall %d is auxiliary input %d, expected 0 to %d, and not "
                "that of the position or of another wall",
                c->name, i + 1, f->wall[i].input, IFD_RIG_AUX - 1);
    if (!(f->balance > 0.0))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "interface '%s': the limit 'balance' is %g N, expected a number above zero", c->name,
                            f->balance);
    return IFD_OK;
}

/* Known where the form needs it; damping proportional to it. */
static ifd_status check_stiffness(const ifd_interface_options *c, ifd_note *note)
{
    const ifd_force_command *f = c->force->computed;
    const ifd_wall *w = f->wall;
    bool needed = f->walls == 2 || !f->effective;
    for (int i = 0; i < f->walls && needed; i++)
        if (!(w[i].stiffness > 0.0) || !isfinite(w[i].stiffness) || !(w[i].damping >= 0.0) || !isfinite(w[i].damping))
            return ifd_note_add(note, IFD_RANGE, NULL,
                                "interface '%s': %s needs the stiffness of the specimen at every wall, above 0, and "
                                "its damping, not below 0; found %g N/m and %g N s/m at wall %d",
                                c->name, f->effective ? "a specimen between two walls" : "this form of the force",
                                w[i].stiffness, w[i].damping, i + 1);
    double a = w[0].damping * w[1].stiffness, b = w[1].damping * w[0].stiffness;
    if (f->walls == 2 && fabs(a - b) > 1e-3 * fmax(a, b))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "interface '%s': between two walls the damping must be proportional to the stiffness; "
                            "found %g s and %g s of damping per stiffness",
                            c->name, w[0].damping / w[0].stiffness, w[1].damping / w[1].stiffness);
    return IFD_OK;
}

static ifd_status check_dofs(const ifd_model *m, const ifd_interface_options *c, ifd_note *note)
{
    for (int i = 0; i < c->force->computed->walls; i++) {
        int dof = dof_of(c, i);
        if (dof < 0 || dof >= m->n)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "interface '%s' does not act on a dof of the model",
                                c->name);
        if (m->u0[dof] != 0.0 || m->v0[dof] != 0.0)
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "interface '%s': the specimen is on a wall and starts at rest; expected an initial "
                                "displacement and velocity of its dof of 0, found %g and %g",
                                c->name, m->u0[dof], m->v0[dof]);
    }
    return IFD_OK;
}

ifd_status ifd__wall_check(const ifd_hybrid_options *o, const ifd_model *m, const ifd_interface_options *c,
                           ifd_note *note)
{
    const ifd_force_command *f = c->force->computed;
    if (f->walls == 0)
        return IFD_OK;
    if (f->walls < 0 || f->walls > IFD_WALLS)
        return ifd_note_add(note, IFD_RANGE, NULL, "interface '%s' has %d walls, expected 1 or %d", c->name, f->walls,
                            IFD_WALLS);
    if (!o->couple || !o->couple->rts) /* velocities within a step of other methods are of lower order */
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "interface '%s': a specimen on a wall needs coupling rts, whose exchanges are ends of "
                            "steps",
                            c->name);
    IFD_TRY(check_inputs(c, note));
    if (!(f->mass > 0.0) || f->stiffness > 0.0 || f->damping > 0.0)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "interface '%s': on a wall the mass of the specimen is needed, and no connection",
                            c->name);
    IFD_TRY(check_stiffness(c, note));
    return check_dofs(m, c, note);
}

void ifd__wall_make(ifd_hybrid *h, int k)
{
    if (law(h, k)->walls == 0)
        return;
    h->interface[k].walled_at = h->size;
    h->size += IFD__DOUBLES(ifd__walled);
}

int ifd__wall_input(const ifd_hybrid *h, int k)
{
    int last = -1;
    for (int i = 0; ifd__on_wall(h, k) && i < law(h, k)->walls; i++)
        last = law(h, k)->wall[i].input > last ? law(h, k)->wall[i].input : last;
    return last;
}

bool ifd__wall_known(const ifd_hybrid *h, int k)
{
    bool known = true;
    for (int i = 0; ifd__on_wall(h, k) && i < law(h, k)->walls; i++) {
        int input = law(h, k)->wall[i].input;
        known = known && h->measure.aux > (uint32_t)input && isfinite(h->measure.auxiliary[input]);
    }
    return known;
}

void ifd__wall_sense(ifd_hybrid *h, int k)
{
    if (!ifd__on_wall(h, k))
        return;
    ifd__walled_of(h, k)->since += 1.0;
    if (!ifd__wall_known(h, k))
        return;
    for (int i = 0; i < law(h, k)->walls; i++)
        ifd__walled_of(h, k)->force[i] = h->measure.auxiliary[law(h, k)->wall[i].input];
}

static IFD_RT double acting(const ifd_hybrid *h, int k)
{
    const ifd__walled *w = ifd__walled_of(h, k);
    return ifd__interface_of(h, k)->measured_f + w->force[0] + w->force[1];
}

/* 0 with one wall. */
static IFD_RT double apart(const ifd_hybrid *h, int k)
{
    const ifd__walled *w = ifd__walled_of(h, k);
    return ifd__between_walls(h, k) ? w->force[1] * weight(law(h, k), 0) - w->force[0] * weight(law(h, k), 1) : 0.0;
}

static IFD_RT void lag(double share, double x, double *y)
{
    for (int i = 0; i < IFD__WALL_LAGS; i++) {
        y[i] += share * (x - y[i]);
        x = y[i];
    }
}

/* Mean values under the hat function of the last three instants. */
static IFD_RT double unbalanced(const ifd__walled *w, double mass, double period, double x, double f)
{
    double all = w->between + w->since;
    double bend = (x - w->x[0]) / w->since - (w->x[0] - w->x[1]) / w->between;
    double mean = 2.0 * w->acting[0] + (w->since * f + w->between * w->acting[1]) / all;
    return mean / 3.0 - mass * 2.0 * bend / (all * period * period);
}

void ifd__wall_compare(ifd_hybrid *h, int k, double x)
{
    if (!ifd__on_wall(h, k))
        return;
    ifd__walled *w = ifd__walled_of(h, k);
    double f = acting(h, k);
    if (w->samples >= 2.0)
        lag(h->interface[k].lag, unbalanced(w, law(h, k)->mass, h->period, x, f), w->sum);
    lag(h->interface[k].lag, apart(h, k), w->apart);
    w->samples += 1.0;
    w->between = w->since;
    w->since = 0.0;
    w->x[1] = w->x[0];
    w->acting[1] = w->acting[0];
    w->x[0] = x;
    w->acting[0] = f;
}

void ifd__wall_begin(ifd_hybrid *h, int k)
{
    if (!ifd__on_wall(h, k))
        return;
    ifd__walled *w = ifd__walled_of(h, k);
    double force[IFD_WALLS];
    memcpy(force, w->force, sizeof force);
    memset(w, 0, sizeof *w);
    memcpy(w->force, force, sizeof force);
}

void ifd__wall_path(ifd_hybrid *h, int k, const double *u, const double *v)
{
    if (!ifd__on_wall(h, k))
        return;
    ifd__walled *w = ifd__walled_of(h, k);
    ifd__interface_state *c = ifd__interface_of(h, k);
    c->to_u = c->to_v = 0.0;
    for (int i = 0; i < law(h, k)->walls; i++) {
        int dof = dof_of(h->interface[k].o, i);
        w->u[i] = u[dof];
        w->v[i] = v[dof];
        c->to_u += weight(law(h, k), i) * u[dof];
        c->to_v += weight(law(h, k), i) * v[dof];
    }
    w->work.to = w->u[0];
    memmove(w->mean + 1, w->mean, sizeof *w->mean * (IFD__WALL_PATHS - 1));
    w->mean[0] = (c->to_v - c->from_v) / h->stage_time;
    for (int i = 1; i < IFD__WALL_PATHS && w->paths == 0.0; i++)
        w->mean[i] = w->mean[0];
    w->paths = 1.0;
}

double ifd__wall_motion(const ifd_hybrid *h, int k, double ahead)
{
    const double *m = ifd__walled_of(h, k)->mean;
    double s = ifd__test_of(h)->phase / h->opt.ticks_per_stage - 0.5 + ahead / h->stage_time;
    double bend = 0.5 * (m[0] - 2.0 * m[1] + m[2]), slope = m[0] - m[1] + bend;
    return m[0] - bend / 12.0 + s * (slope + s * bend);
}

/* The path ends at most one step ahead: it is continued with the parabola, by the formula of Nystroem. */
double ifd__wall_pull(const ifd_hybrid *h, int k, double ahead, double scale)
{
    const ifd_force_command *f = law(h, k);
    double y[3], t = scale * ahead, damping = f->wall[0].damping + f->wall[1].damping;
    ifd__time_path(h, k, y);
    double u = y[0] + t * (y[1] + 0.5 * t * ifd__wall_motion(h, k, t / 3.0));
    double v = y[1] + t * ifd__wall_motion(h, k, t / 2.0);
    return f->effective ? 0.0 : stiffness(f) * u + damping * scale * v;
}

double ifd__wall_force(const ifd_hybrid *h, int k, int i)
{
    const ifd_force_command *f = law(h, k);
    const ifd__walled *w = ifd__walled_of(h, k);
    double u = w->u[i], v = w->v[i];
    for (int j = 0; j < f->walls && f->effective; j++) {
        u -= weight(f, j) * w->u[j];
        v -= weight(f, j) * w->v[j];
    }
    bool alone = f->effective && f->walls == 1; /* its stiffness need not be known */
    return w->force[i] + (alone ? 0.0 : f->wall[i].stiffness * u + f->wall[i].damping * v);
}

double ifd__wall_first(const ifd_hybrid *h, int k, double share)
{
    if (!ifd__between_walls(h, k))
        return 0.0;
    double old = ifd__walled_of(h, k)->first, now = ifd__wall_force(h, k, 0);
    return share == 1.0 ? now : old + share * (now - old);
}

void ifd__wall_keep(ifd_hybrid *h, int k, double share)
{
    if (ifd__between_walls(h, k))
        ifd__walled_of(h, k)->first = ifd__wall_first(h, k, share);
}

void ifd__wall_load(const ifd_hybrid *h, int k, double f, double first, double *load)
{
    const ifd_interface_options *o = h->interface[k].o;
    bool two = ifd__between_walls(h, k);
    ifd__add_restoring_force(two ? IFD_GROUND : o->from, o->to, f, load);
    if (two)
        ifd__add_restoring_force(IFD_GROUND, o->from, first, load);
}

/* The noise of the first difference of positions has no predecessor that cancels it: the filters forget it first. */
static const double forgets = 12.0; /* time constants of a lag */

ifd_action ifd__wall_guard(ifd_hybrid *h, int k, ifd_action worst)
{
    double most = h->interface[k].o->limits.force;
    if (!ifd__on_wall(h, k))
        return worst;
    const ifd__walled *w = ifd__walled_of(h, k);
    for (int i = 0; i < law(h, k)->walls; i++)
        if (fabs(w->force[i]) > most)
            worst = ifd__fault_note(&h->faults, IFD_TRIP_FORCE, k, w->force[i], most, worst);
    ifd_machine state = ifd__state_of(h);
    bool settled = w->samples * h->interface[k].lag > forgets;
    if (state < IFD_MACHINE_RAMP_IN || state > IFD_MACHINE_RAMP_OUT || !settled)
        return worst;
    most = law(h, k)->balance;
    const double off[2] = {w->sum[IFD__WALL_LAGS - 1], w->apart[IFD__WALL_LAGS - 1]};
    for (int i = 0; i < 2; i++)
        if (fabs(off[i]) > most)
            worst = ifd__fault_note(&h->faults, IFD_TRIP_BALANCE, k, off[i], most, worst);
    return worst;
}
