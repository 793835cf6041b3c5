/* SPDX-License-Identifier: MIT */
#include "hybrid/force_command.h"
#include "hybrid/columns.h"

#include <math.h>
#include <string.h>

#include "hybrid/limits/spring.h"
#include "hybrid/quintic.h"
#include "hybrid/pace/scaled.h"
#include "hybrid/wall.h"
#include "model/model.h"

static const ifd__state_member members[] = {IFD__STATE_MEMBERS(IFD__PUSHED)};
const ifd__state_list ifd__pushed_members = {members, sizeof members / sizeof *members};

static const double two_pi = 6.28318530717958647693;
static const double swing_memory =
    1.0;                              /* s, of the mean position of the specimen and of the largest distance to it */
static const double stop_ticks = 4.0; /* in which the commanded force stops changing when its release begins */

static const ifd_force_command *law(const ifd_hybrid *h, int k)
{
    return h->interface[k].o->force->computed;
}

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
    const ifd_model *m = h->numerical.model[c->part].m;
    int kind = (int)m->dof_kind[c->to];
    w->shakes = kind <= (int)IFD_DOF_Z ? m->ground[kind].signal : NULL;
    double q = exp(-two_pi * c->force->computed->follow * h->period), p = 1.0 - q;
    w->lag = p;
    w->track[0] = 1.0 - q * q * q;
    w->track[1] = 1.5 * p * p * (1.0 + q) / h->period;
    w->track[2] = p * p * p / (h->period * h->period);
    w->pushed_at = h->size;
    h->size += IFD__DOUBLES(ifd__pushed);
    ifd__spring_make(h, k);
    ifd__wall_make(h, k);
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

int ifd__push_input(const ifd_hybrid *h, int k)
{
    if (!ifd__pushes(h, k))
        return -1;
    return ifd__wall_input(h, k) > law(h, k)->position ? ifd__wall_input(h, k) : law(h, k)->position;
}

bool ifd__push_known(const ifd_hybrid *h, int k)
{
    if (!ifd__pushes(h, k))
        return true;
    int input = law(h, k)->position;
    bool seen = h->measure.aux > (uint32_t)input && isfinite(h->measure.auxiliary[input]);
    return seen && ifd__wall_known(h, k);
}

void ifd__push_sense(ifd_hybrid *h)
{
    for (int k = 0; k < h->interfaces; k++) {
        if (!ifd__pushes(h, k))
            continue;
        ifd__pushed *s = ifd__pushed_of(h, k);
        s->own = s->next_own;
        s->aim = ifd__interface_of(h, k)->force_target;
        ifd__wall_sense(h, k);
        if (!ifd__push_known(h, k))
            continue;
        s->x = h->measure.auxiliary[law(h, k)->position];
        if (ifd__rigs_fresh(h, k, h->trace.fresh)) { /* otherwise the estimate continues */
            track(h->interface[k].track, s->x, &s->specimen);
            ifd__wall_compare(h, k, s->x);
        }
        advance(&s->specimen, h->period);
        double share = h->period / (h->period + swing_memory);
        s->mean += (s->specimen.x - s->mean) * share;
        s->swing = fmax(fabs(s->specimen.x - s->mean), s->swing * (1.0 - share));
    }
}

bool ifd__push_swings(const ifd_hybrid *h, int k)
{
    const ifd_force_control *f = h->interface[k].o->force;
    return ifd__pushes(h, k) && f->stiffness * ifd__pushed_of(h, k)->swing > f->tolerance;
}

void ifd__push_begin(ifd_hybrid *h, int k)
{
    if (!ifd__pushes(h, k))
        return;
    ifd__pushed *s = ifd__pushed_of(h, k);
    double x = s->x;
    memset(s, 0, sizeof *s);
    s->x = s->specimen.x = s->led_x = s->mean = x;
    s->dof.x = ifd__interface_of(h, k)->to_u;
    ifd__spring_begin(h, k);
    ifd__wall_begin(h, k);
}

/* m/s2 of wall-clock time along the dof; it decreases with the rate of simulated time. */
static IFD_RT double shaken(const ifd_hybrid *h, int k, double ahead, double scale)
{
    double y[3] = {0.0};
    if (!h->interface[k].shakes)
        return 0.0;
    ifd_signal_eval(h->interface[k].shakes, ifd__interface_of(h, k)->force_time + scale * ahead, y);
    return scale * scale * y[0];
}

/* N: the effective force of the ground motion, on a wall also that of the motion of the dof, if it is used. */
static IFD_RT double inertia(const ifd_hybrid *h, int k, double ahead, double scale)
{
    double a = shaken(h, k, ahead, scale);
    if (ifd__on_wall(h, k) && law(h, k)->effective)
        a += scale * scale * ifd__wall_motion(h, k, scale * ahead);
    return -law(h, k)->mass * a;
}

/* N, of the displacements of the dofs; on a wall the specimen has its own. */
static IFD_RT double connection(const ifd_hybrid *h, int k, double ahead, double scale)
{
    const ifd_force_command *f = law(h, k);
    ifd__tracked u = ifd__pushed_of(h, k)->dof, x = ifd__pushed_of(h, k)->specimen;
    if (ifd__on_wall(h, k))
        return ifd__wall_pull(h, k, ahead, scale);
    advance(&u, ahead);
    advance(&x, ahead);
    return f->stiffness * (u.x - x.x) + f->damping * (u.v - x.v);
}

/* The dof rests, the specimen may swing: without the lead the delay would excite it. */
double ifd__push_rest(const ifd_hybrid *h, int k, double share)
{
    const ifd_force_command *f = law(h, k);
    ifd__pushed *s = ifd__pushed_of(h, k);
    double most = h->interface[k].o->force->rate * f->delay;
    s->lead = 0.0;
    if (ifd__on_wall(h, k))
        return f->stiffness * (ifd__interface_of(h, k)->to_u - s->specimen.x);
    s->dof = (ifd__tracked){.x = ifd__interface_of(h, k)->to_u};
    double now = connection(h, k, 0.0, 0.0);
    s->lead = fmax(-most, fmin(share * (connection(h, k, f->delay, 0.0) - now), most));
    return now;
}

double ifd__push_reference(ifd_hybrid *h, int k, double scale)
{
    const ifd_force_command *f = law(h, k);
    ifd__pushed *s = ifd__pushed_of(h, k);
    double y[3], most = h->interface[k].o->force->rate * f->delay;
    ifd__time_path(h, k, y);
    advance(&s->dof, h->period);
    track(h->interface[k].track, y[0], &s->dof);
    double now = connection(h, k, 0.0, scale), later = connection(h, k, f->delay, scale);
    s->next_own = inertia(h, k, 0.0, scale);
    later += inertia(h, k, f->delay, scale);
    now += s->next_own;
    s->lead = fmax(-most, fmin(later - now, most));
    return now;
}

double ifd__push_led(const ifd_hybrid *h, int k)
{
    if (!ifd__pushes(h, k))
        return 0.0;
    const ifd__interface_state *s = ifd__interface_of(h, k);
    double aim = s->force_target, most = h->interface[k].o->limits.force;
    double stops = aim + ifd__pushed_of(h, k)->led_f + stop_ticks * s->force_step;
    return fmax(-most, fmin(stops, most)) - aim;
}

double ifd__push_lag(ifd_hybrid *h, int k, double force)
{
    if (!ifd__pushes(h, k))
        return force;
    ifd__pushed *s = ifd__pushed_of(h, k);
    double aim = ifd__interface_of(h, k)->force_target, most = h->interface[k].o->force->rate * h->period;
    double sent = aim + s->led_f;
    sent += (force - sent) / (1.0 + stop_ticks);
    double change = (sent - aim) * h->period / (h->period + law(h, k)->delay);
    aim += fmax(-most, fmin(change, most));
    s->lead = sent - aim;
    return aim;
}

double ifd__push_follow(ifd_hybrid *h, int k, double stiffness)
{
    ifd__pushed *s = ifd__pushed_of(h, k);
    double ahead = law(h, k)->delay;
    if (ifd__state_of(h) == IFD_MACHINE_RAMP_OUT) /* the delay then damps the specimen, and noise is not amplified */
        ahead *= 1.0 - ifd__smoothstep(ifd__test_of(h)->state_time / h->opt.ramp_in);
    ifd__tracked x = s->specimen;
    advance(&x, ahead);
    double step = x.x - s->led_x + (s->lead - s->led_f) / stiffness;
    s->led_x = x.x;
    s->led_f = s->lead;
    return isfinite(step) ? step : 0.0;
}

double ifd__push_apart(const ifd_hybrid *h, int k)
{
    if (ifd__on_wall(h, k))
        return ifd__interface_of(h, k)->measured_f - ifd__wall_force(h, k, law(h, k)->walls - 1);
    return ifd__pushes(h, k) ? ifd__pushed_of(h, k)->own : 0.0;
}

static const ifd__column_row commanded[] = {IFD__COLUMN(COMMANDED_FORCE, ifd__pushed, aim),
                                            IFD__COLUMN(SPECIMEN_POSITION, ifd__pushed, x)},
                             walls[IFD_WALLS] = {IFD__COLUMN(WALL_FORCE, ifd__walled, force[0]),
                                                 IFD__COLUMN(WALL_FORCE_2, ifd__walled, force[1])};

ifd_status ifd__push_columns(ifd_hybrid *h, ifd_arena *arena)
{
    for (int k = 0; k < h->interfaces; k++) {
        if (!ifd__pushes(h, k))
            continue;
        ifd__column_set set = {
            .owner = h->interface[k].o->name, .block = ifd__pushed_of(h, k), .row = commanded, .rows = 2};
        IFD_TRY(ifd__columns_add(h, arena, &set));
        set.block = ifd__walled_of(h, k);
        set.row = walls;
        set.rows = ifd__on_wall(h, k) ? law(h, k)->walls : 0;
        IFD_TRY(ifd__columns_add(h, arena, &set));
    }
    return IFD_OK;
}
