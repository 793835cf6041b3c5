/* SPDX-License-Identifier: MIT */
/* Specimens that are carried: they have mass of their own and stand on nothing but the structure.
 *
 * The structure's displacement u is relative to the ground. What a mass feels is u'' + g'', g'' being the
 * ground's acceleration, and a rig on a floor that stands still makes it feel that when its actuator goes to
 * u + g: as a shaking table under a damper goes where the storey goes. The force that comes back is then the
 * one that the structure feels,
 *
 *     M u'' + R(u, u') + f(u + g) = -M iota g'',
 *
 * because f depends on differences of displacements and on accelerations only, which ifd__model_rigid_motion sees to.
 * g and g' at the instants at which forces are asked for are integrated when the test is made: from rest at 0, each
 * interval in eight pieces of three Gauss points.
 *
 * A specimen that is tied to a support of the model, which moves, is moved relative to it: its motion is taken off in
 * the same way. */
#include <math.h>
#include <string.h>

#include "hybrid/simulated_time.h"

static void integrate(const ifd_signal *s, double T, int count, double *g)
{
    enum { PIECES = 8 };
    double motion[2] = {0.0, 0.0};
    for (int i = 0; i < count; i++) {
        memcpy(g + 2 * i, motion, sizeof motion);
        ifd__ground_integrate(s, i * T, T, PIECES, motion);
    }
}

/* Room for what is added to the motion of interface k: a hold at the end comes to rest only after its brake, and at
 * the end of a step. */
static double *room_for(ifd_hybrid *h, ifd_arena *arena, ifd__test_interface *w)
{
    double braking = 0.5 * IFD__LONGEST_BRAKE * h->opt.brake / (h->period * h->opt.ticks_per_stage);
    long count = (h->steps + 2) * h->numerical.exchanges + (long)ceil(braking) + 4;
    double *g = ifd_arena_array(arena, 2 * (size_t)count, sizeof *g);
    w->ground = g;
    w->grounds = g ? (int)count : 0;
    return g;
}

static ifd_status tie(ifd_hybrid *h, ifd_arena *arena, ifd__test_interface *w, ifd_note *note)
{
    const ifd_interface_options *c = w->o;
    const ifd_model *m = h->numerical.model[c->part].m;
    int support = IFD_SUPPORT(0) - c->from;
    if (h->opt.remote || h->opt.protocol || h->opt.preload || support >= m->nsupport)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "channel '%s' is tied to a support: expected one of a structure that is computed here, and "
            "no preload",
            c->name);
    double *g = room_for(h, arena, w), y[3];
    for (int i = 0; i < w->grounds; i++) {
        ifd_signal_eval(m->support[support], i * h->stage_time, y);
        g[2 * i] = -y[0];
        g[2 * i + 1] = -y[1];
    }
    return g ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd__floor_motion_make(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note)
{
    ifd__test_interface *w = &h->interface[k];
    const ifd_interface_options *c = w->o;
    if (c->from < IFD_GROUND)
        return tie(h, arena, w, note);
    if (!c->floor_motion)
        return IFD_OK;
    bool between = c->from >= 0 || c->to < 0;
    const ifd_model *m = h->numerical.model[c->part].m;
    ifd_dof_kind kind = between ? IFD_DOF_RX : m->dof_kind[c->to];
    const ifd_signal *s = kind <= IFD_DOF_Z ? m->ground[kind].signal : NULL;
    if (between || (s && (h->opt.remote || h->opt.protocol)))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "channel '%s' is carried by the ground: expected one between the ground and a dof of a "
                            "structure that is computed here",
                            c->name);
    if (!s)
        return IFD_OK;
    double *g = room_for(h, arena, w);
    if (!g)
        return IFD_NO_MEMORY;
    integrate(s, h->stage_time, w->grounds, g);
    return IFD_OK;
}

/* Behind all of them the ground rests. */
void ifd__floor_motion_now(const ifd_hybrid *h, int k, double *u, double *v)
{
    ifd__test_state *t = ifd__test_of(h);
    const ifd__test_interface *w = &h->interface[k];
    if (!w->ground)
        return;
    double at = t->step * h->numerical.exchanges + t->exchange + (h->numerical.lead_in ? 1 : 0);
    int last = w->grounds - 1, i = at < last ? (int)at : last;
    *u += w->ground[2 * i];
    *v += i < last ? w->ground[2 * i + 1] : 0.0;
}
