/* SPDX-License-Identifier: MIT */
/* Links of a force that the computed part commands: the effective force, and reaction walls. Walls first. */
#include "hybrid/chain/effective_force.h"

#include <math.h>
#include <string.h>

#include "hybrid/columns.h"
#include "hybrid/limits/spring.h"
#include "hybrid/pace/scaled.h"
#include "rig/quintic.h"

static const ifd__state_member pushed[] = {IFD__STATE_MEMBERS(IFD__PUSHED)};
static const ifd__state_member walled_members[] = {IFD__STATE_MEMBERS(IFD__WALLED)};
const ifd__state_list ifd__pushed_members = {pushed, sizeof pushed / sizeof *pushed};
const ifd__state_list ifd__walled_members = {walled_members, sizeof walled_members / sizeof *walled_members};

static IFD_RT bool pushes(const ifd__io *io, int k)
{
    return ifd__pushes(&io->f->interface[k]);
}

static IFD_RT bool on_wall(const ifd__io *io, int k)
{
    return ifd__on_wall(&io->f->interface[k]);
}

static IFD_RT const ifd_force_command *law(const ifd__io *io, int k)
{
    return io->f->interface[k].o->force->computed;
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

/* Last auxiliary input of its walls. */
static IFD_RT int wall_input(const ifd__io *io, int k)
{
    int last = -1;
    for (int i = 0; on_wall(io, k) && i < law(io, k)->walls; i++)
        last = law(io, k)->wall[i].input > last ? law(io, k)->wall[i].input : last;
    return last;
}

/* Whether their forces are measured. */
static IFD_RT bool wall_known(const ifd__io *io, int k)
{
    bool known = true;
    for (int i = 0; on_wall(io, k) && i < law(io, k)->walls; i++) {
        int input = law(io, k)->wall[i].input;
        known = known && io->measure->aux > (uint32_t)input && isfinite(io->measure->auxiliary[input]);
    }
    return known;
}

static IFD_RT void wall_sense(const ifd__io *io, int k)
{
    if (!on_wall(io, k))
        return;
    io->walled[k]->since += 1.0;
    if (!wall_known(io, k))
        return;
    for (int i = 0; i < law(io, k)->walls; i++)
        io->walled[k]->force[i] = io->measure->auxiliary[law(io, k)->wall[i].input];
}

static IFD_RT double acting(const ifd__io *io, int k)
{
    return io->interface[k]->measured_f + io->walled[k]->force[0] + io->walled[k]->force[1];
}

/* 0 with one wall. */
static IFD_RT double apart(const ifd__io *io, int k)
{
    const ifd__walled *w = io->walled[k];
    return ifd__between_walls(io, k) ? w->force[1] * weight(law(io, k), 0) - w->force[0] * weight(law(io, k), 1)
                                     : 0.0;
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

/* With a new measurement of the position x: compares the cells. */
static IFD_RT void wall_compare(const ifd__io *io, int k, double x)
{
    if (!on_wall(io, k))
        return;
    ifd__walled *w = io->walled[k];
    double f = acting(io, k);
    if (w->samples >= 2.0)
        lag(io->f->interface[k].lag, unbalanced(w, law(io, k)->mass, io->f->period, x, f), w->sum);
    lag(io->f->interface[k].lag, apart(io, k), w->apart);
    w->samples += 1.0;
    w->between = w->since;
    w->since = 0.0;
    w->x[1] = w->x[0];
    w->acting[1] = w->acting[0];
    w->x[0] = x;
    w->acting[0] = f;
}

static IFD_RT void wall_begin(const ifd__io *io, int k)
{
    if (!on_wall(io, k))
        return;
    ifd__walled *w = io->walled[k];
    double force[IFD_WALLS];
    memcpy(force, w->force, sizeof force);
    memset(w, 0, sizeof *w);
    memcpy(w->force, force, sizeof force);
}

void ifd__wall_path(const ifd__io *io, int k, const double *u, const double *v, ifd__interface_state *c)
{
    ifd__walled *w = io->walled[k];
    c->to_u = c->to_v = 0.0;
    for (int i = 0; i < law(io, k)->walls; i++) {
        int dof = dof_of(io->f->interface[k].o, i);
        w->u[i] = u[dof];
        w->v[i] = v[dof];
        c->to_u += weight(law(io, k), i) * u[dof];
        c->to_v += weight(law(io, k), i) * v[dof];
    }
    w->work.to = w->u[0];
    memmove(w->mean + 1, w->mean, sizeof *w->mean * (IFD__WALL_PATHS - 1));
    w->mean[0] = (c->to_v - c->from_v) / io->f->stage_time;
    for (int i = 1; i < IFD__WALL_PATHS && w->paths == 0.0; i++)
        w->mean[i] = w->mean[0];
    w->paths = 1.0;
}

double ifd__wall_motion(const ifd__io *io, int k, double ahead)
{
    const double *m = io->walled[k]->mean;
    double s = io->test->phase / io->f->opt->ticks_per_stage - 0.5 + ahead / io->f->stage_time;
    double bend = 0.5 * (m[0] - 2.0 * m[1] + m[2]), slope = m[0] - m[1] + bend;
    return m[0] - bend / 12.0 + s * (slope + s * bend);
}

/* The path ends at most one step ahead: it is continued with the parabola, by the formula of Nystroem. */
static IFD_RT double wall_pull(const ifd__io *io, int k, double ahead, double scale)
{
    const ifd_force_command *f = law(io, k);
    double y[3], t = scale * ahead, damping = f->wall[0].damping + f->wall[1].damping;
    ifd__time_path(io, k, y);
    double u = y[0] + t * (y[1] + 0.5 * t * ifd__wall_motion(io, k, t / 3.0));
    double v = y[1] + t * ifd__wall_motion(io, k, t / 2.0);
    return f->effective ? 0.0 : stiffness(f) * u + damping * scale * v;
}

/* Force on the structure at wall i. */
static IFD_RT double wall_force(const ifd__io *io, int k, int i)
{
    const ifd_force_command *f = law(io, k);
    const ifd__walled *w = io->walled[k];
    double u = w->u[i], v = w->v[i];
    for (int j = 0; j < f->walls && f->effective; j++) {
        u -= weight(f, j) * w->u[j];
        v -= weight(f, j) * w->v[j];
    }
    bool alone = f->effective && f->walls == 1; /* its stiffness need not be known */
    return w->force[i] + (alone ? 0.0 : f->wall[i].stiffness * u + f->wall[i].damping * v);
}

double ifd__wall_first(const ifd__io *io, int k, double share)
{
    double old = io->walled[k]->first, now = wall_force(io, k, 0);
    return share == 1.0 ? now : old + share * (now - old);
}

void ifd__wall_keep(const ifd__io *io, int k, double share)
{
    io->walled[k]->first = ifd__wall_first(io, k, share);
}

void ifd__wall_load(const ifd__io *io, int k, double f, double first, double *load)
{
    const ifd_interface_options *o = io->f->interface[k].o;
    bool two = ifd__between_walls(io, k);
    ifd__add_restoring_force((ifd__ends){two ? IFD_GROUND : o->from, o->to, NULL}, f, load);
    if (two)
        ifd__add_restoring_force((ifd__ends){IFD_GROUND, o->from, NULL}, first, load);
}

/* The noise of the first difference of positions has no predecessor that cancels it: the filters forget it first. */
static const double forgets = 12.0; /* time constants of a lag */

ifd_action ifd__wall_guard(const ifd__io *io, int k, ifd_action worst)
{
    double most = io->f->interface[k].o->limits.force;
    const ifd__walled *w = io->walled[k];
    for (int i = 0; i < law(io, k)->walls; i++)
        if (fabs(w->force[i]) > most)
            worst = ifd__fault_note(io->faults, IFD_TRIP_FORCE, k, w->force[i], most, worst);
    ifd_machine state = ifd__io_state(io);
    bool settled = w->samples * io->f->interface[k].lag > forgets;
    if (state < IFD_MACHINE_RAMP_IN || state > IFD_MACHINE_RAMP_OUT || !settled)
        return worst;
    most = law(io, k)->balance;
    const double off[2] = {w->sum[IFD__WALL_LAGS - 1], w->apart[IFD__WALL_LAGS - 1]};
    for (int i = 0; i < 2; i++)
        if (fabs(off[i]) > most)
            worst = ifd__fault_note(io->faults, IFD_TRIP_BALANCE, k, off[i], most, worst);
    return worst;
}

static const double two_pi = 6.28318530717958647693;
/* s, of the mean position of the specimen and of the largest distance to it */
static const double swing_memory = 1.0;
static const double stop_ticks = 4.0; /* in which the commanded force stops changing when its release begins */

static bool weighs(double x)
{
    return x >= 0.0 && isfinite(x);
}

static ifd_status check_numbers(const ifd_interface_options *c, ifd_note *note)
{
    const ifd_force_command *f = c->force->computed;
    bool good = weighs(f->stiffness) && weighs(f->damping) && weighs(f->mass) && weighs(f->delay) &&
                f->follow > 0.0 && isfinite(f->follow);
    if (!good)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "interface '%s': stiffness, damping, mass and delay of its force must be finite and not "
                            "negative, and the bandwidth of the estimate above 0",
                            c->name);
    if (f->position < 0 || f->position >= IFD_RIG_AUX)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "interface '%s': the position of the specimen is auxiliary input %d, expected 0 to %d",
                            c->name, f->position, IFD_RIG_AUX - 1);
    if (!isfinite(c->force->error) || !isfinite(c->limits.force))
        return ifd_note_add(note, IFD_MISSING_KEY, NULL,
                            "interface '%s': a force that the computed part commands needs the limits 'error' and "
                            "'force'",
                            c->name);
    if (c->compensator)
        return ifd_note_add(note, IFD_CONFLICT, NULL,
                            "interface '%s' is commanded in force and has a compensator: expected the delay of its "
                            "force",
                            c->name);
    return IFD_OK;
}

ifd_status ifd__push_check(const ifd_hybrid_options *o, const ifd_interface_options *c, ifd_note *note)
{
    if (o->remote || o->protocol || o->preload || o->lambda != 1.0)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "interface '%s' is commanded in force. This requires a structure that this program "
                            "computes in real time (lambda 1), without preload",
                            c->name);
    IFD_TRY(check_numbers(c, note));
    if (c->to < 0)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL,
                            "interface '%s' is commanded in force, but no dof of the model acts on it", c->name);
    return IFD_OK;
}

void ifd__push_make(ifd_hybrid *h, int k)
{
    ifd__test_interface *w = &h->interface[k];
    const ifd_interface_options *c = w->o;
    if (!c->force || !c->force->computed)
        return;
    int kind = (int)h->numerical.model[c->part].m->dof_kind[c->to];
    w->shakes = kind <= (int)IFD_DOF_Z ? h->numerical.model[c->part].m->ground[kind].signal : NULL;
    double q = exp(-two_pi * c->force->computed->follow * h->period), p = 1.0 - q;
    w->lag = p;
    w->track[0] = 1.0 - q * q * q;
    w->track[1] = 1.5 * p * p * (1.0 + q) / h->period;
    w->track[2] = p * p * p / (h->period * h->period);
    ifd__state_reserve(h, IFD__DOUBLES(ifd__pushed), &h->io.pushed[k]);
    ifd__spring_make(h, k);
    if (c->force->computed->walls > 0)
        ifd__state_reserve(h, IFD__DOUBLES(ifd__walled), &h->io.walled[k]);
}

/* Corrects the estimate by its difference to the sample. */
static IFD_RT void track(const double gain[3], double sample, ifd__tracked *m)
{
    double off = sample - m->x;
    if (!isfinite(off))
        return;
    m->x += gain[0] * off;
    m->v += gain[1] * off;
    m->a += gain[2] * off;
}

static IFD_RT void advance(ifd__tracked *m, double dt)
{
    m->x += dt * (m->v + 0.5 * dt * m->a);
    m->v += dt * m->a;
}

int ifd__push_input(const ifd__io *io, int k)
{
    if (!pushes(io, k))
        return -1;
    return wall_input(io, k) > law(io, k)->position ? wall_input(io, k) : law(io, k)->position;
}

bool ifd__push_known(const ifd__io *io, int k)
{
    if (!pushes(io, k))
        return true;
    int input = law(io, k)->position;
    bool seen = io->measure->aux > (uint32_t)input && isfinite(io->measure->auxiliary[input]);
    return seen && wall_known(io, k);
}

void ifd__push_sense(const ifd__io *io, int k)
{
    ifd__pushed *s = io->pushed[k];
    s->own = s->next_own;
    s->aim = io->interface[k]->force_target;
    wall_sense(io, k);
    if (!ifd__push_known(io, k))
        return;
    s->x = io->measure->auxiliary[law(io, k)->position];
    if (io->renewed[k]) { /* otherwise the estimate continues */
        track(io->f->interface[k].track, s->x, &s->specimen);
        wall_compare(io, k, s->x);
    }
    advance(&s->specimen, io->f->period);
    double share = io->f->period / (io->f->period + swing_memory);
    s->mean += (s->specimen.x - s->mean) * share;
    s->swing = fmax(fabs(s->specimen.x - s->mean), s->swing * (1.0 - share));
}

bool ifd__push_swings(const ifd__io *io, int k)
{
    const ifd_force_control *f = io->f->interface[k].o->force;
    return pushes(io, k) && f->stiffness * io->pushed[k]->swing > f->tolerance;
}

void ifd__push_begin(const ifd__io *io, int k)
{
    ifd__pushed *s = io->pushed[k];
    double x = s->x;
    memset(s, 0, sizeof *s);
    s->x = s->specimen.x = s->led_x = s->mean = x;
    s->dof.x = io->interface[k]->to_u;
    wall_begin(io, k);
}

/* m/s2 of wall-clock time along the dof; it decreases with the rate of simulated time. */
static IFD_RT double shaken(const ifd__io *io, int k, double ahead, double scale)
{
    double y[3] = {0.0};
    if (!io->f->interface[k].shakes)
        return 0.0;
    ifd_signal_eval(io->f->interface[k].shakes, io->interface[k]->force_time + scale * ahead, y);
    return scale * scale * y[0];
}

/* N: the effective force of the ground motion, on a wall also that of the motion of the dof, if it is used. */
static IFD_RT double inertia(const ifd__io *io, int k, double ahead, double scale)
{
    double a = shaken(io, k, ahead, scale);
    if (on_wall(io, k) && law(io, k)->effective)
        a += scale * scale * ifd__wall_motion(io, k, scale * ahead);
    return -law(io, k)->mass * a;
}

/* N, of the displacements of the dofs; on a wall the specimen has its own. */
static IFD_RT double connection(const ifd__io *io, int k, double ahead, double scale)
{
    const ifd_force_command *f = law(io, k);
    ifd__tracked u = io->pushed[k]->dof, x = io->pushed[k]->specimen;
    if (on_wall(io, k))
        return wall_pull(io, k, ahead, scale);
    advance(&u, ahead);
    advance(&x, ahead);
    return f->stiffness * (u.x - x.x) + f->damping * (u.v - x.v);
}

/* The dof rests, the specimen may swing: without the lead the delay would excite it. */
double ifd__push_rest(const ifd__io *io, int k, double share)
{
    const ifd_force_command *f = law(io, k);
    ifd__pushed *s = io->pushed[k];
    double most = io->f->interface[k].o->force->rate * f->delay;
    s->lead = 0.0;
    if (on_wall(io, k)) /* which rests at zero, without a connection */
        return 0.0;
    s->dof = (ifd__tracked){.x = io->interface[k]->to_u};
    double now = connection(io, k, 0.0, 0.0);
    s->lead = fmax(-most, fmin(share * (connection(io, k, f->delay, 0.0) - now), most));
    return now;
}

double ifd__push_reference(const ifd__io *io, int k, double scale)
{
    const ifd_force_command *f = law(io, k);
    ifd__pushed *s = io->pushed[k];
    double y[3], most = io->f->interface[k].o->force->rate * f->delay;
    ifd__time_path(io, k, y);
    advance(&s->dof, io->f->period);
    track(io->f->interface[k].track, y[0], &s->dof);
    double now = connection(io, k, 0.0, scale), later = connection(io, k, f->delay, scale);
    s->next_own = inertia(io, k, 0.0, scale);
    later += inertia(io, k, f->delay, scale);
    now += s->next_own;
    s->lead = fmax(-most, fmin(later - now, most));
    return now;
}

double ifd__push_led(const ifd__io *io, int k)
{
    if (!pushes(io, k))
        return 0.0;
    double aim = io->interface[k]->force_target, most = io->f->interface[k].o->limits.force;
    double stops = aim + io->pushed[k]->led_f + stop_ticks * io->interface[k]->force_step;
    return fmax(-most, fmin(stops, most)) - aim;
}

double ifd__push_lag(const ifd__io *io, int k, double force)
{
    if (!pushes(io, k))
        return force;
    double aim = io->interface[k]->force_target, most = io->f->interface[k].o->force->rate * io->f->period;
    double sent = aim + io->pushed[k]->led_f;
    sent += (force - sent) / (1.0 + stop_ticks);
    double change = (sent - aim) * io->f->period / (io->f->period + law(io, k)->delay);
    aim += fmax(-most, fmin(change, most));
    io->pushed[k]->lead = sent - aim;
    return aim;
}

double ifd__push_follow(const ifd__io *io, int k, double stiffness)
{
    ifd__pushed *s = io->pushed[k];
    double ahead = law(io, k)->delay;
    if (ifd__io_state(io) == IFD_MACHINE_RAMP_OUT) /* the delay then damps the specimen, and noise is not amplified */
        ahead *= 1.0 - ifd__smoothstep(io->test->state_time / io->f->opt->ramp_in);
    ifd__tracked x = s->specimen;
    advance(&x, ahead);
    double step = x.x - s->led_x + (s->lead - s->led_f) / stiffness;
    s->led_x = x.x;
    s->led_f = s->lead;
    return isfinite(step) ? step : 0.0;
}

static bool pushes_alone(const ifd__facts *f, int k)
{
    return ifd__pushes(&f->interface[k]) && !ifd__on_wall(&f->interface[k]);
}

static IFD_RT double effective(const ifd__io *io, int k, double f)
{
    return f - io->pushed[k]->own;
}

const ifd__link ifd__link_effective_force = {
    .name = "effective force",
    .about = "less the part of the commanded force that does not act on the structure",
    .asked = pushes_alone,
    .sense = ifd__push_sense,
    .force = effective};

static bool walled(const ifd__facts *f, int k)
{
    return ifd__on_wall(&f->interface[k]);
}

static IFD_RT double of_walls(const ifd__io *io, int k, double f)
{
    return f - (io->interface[k]->measured_f - wall_force(io, k, law(io, k)->walls - 1));
}

const ifd__link ifd__link_walls = {.name = "walls",
                                   .about = "the force of the reaction walls instead of that of the actuator",
                                   .asked = walled,
                                   .sense = ifd__push_sense,
                                   .force = of_walls};

static const ifd__column_row commanded[] = {IFD__COLUMN(COMMANDED_FORCE, ifd__pushed, aim),
                                            IFD__COLUMN(SPECIMEN_POSITION, ifd__pushed, x)},
                             walls[IFD_WALLS] = {IFD__COLUMN(WALL_FORCE, ifd__walled, force[0]),
                                                 IFD__COLUMN(WALL_FORCE_2, ifd__walled, force[1])};

ifd_status ifd__push_columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int k = 0; k < h->interfaces; k++) {
        if (!ifd__pushes(&h->interface[k]))
            continue;
        ifd__column_set set = {
            .owner = h->interface[k].o->name, .block = h->io.pushed[k], .row = commanded, .rows = 2};
        IFD_TRY(ifd__columns_add(h, arena, &set));
        set.block = h->io.walled[k];
        set.row = walls;
        set.rows = ifd__on_wall(&h->interface[k]) ? h->interface[k].o->force->computed->walls : 0;
        IFD_TRY(ifd__columns_add(h, arena, &set));
    }
    return IFD_OK;
}
