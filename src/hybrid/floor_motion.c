/* SPDX-License-Identifier: MIT */
/* Specimens with mass that are connected only to the structure.
 *
 * The displacement u of the structure is relative to the ground. The acceleration of a mass is u'' + g'', where g''
 * is that of the ground. A rig on a fixed floor reproduces it if its actuator moves by u + g, like a shaking table
 * with the motion of the storey. The measured force is then the force on the structure,
 *
 *     M u'' + R(u, u') + f(u + g) = -M iota g'',
 *
 * because f depends only on differences of displacements and on accelerations, which ifd__model_rigid_motion checks.
 * g and g' at the exchanges are integrated at set-up: from rest at 0, with eight subintervals of three Gauss points
 * in each interval.
 *
 * For a specimen at a moving support of the model, the support motion is subtracted in the same way. */
#include <math.h>
#include <string.h>

#include "hybrid/pace/scaled.h"

static void integrate(const ifd_signal *s, double T, int count, double *g)
{
    enum { PIECES = 8 };
    double motion[2] = {0.0, 0.0};
    for (int i = 0; i < count; i++) {
        memcpy(g + 2 * i, motion, sizeof motion);
        ifd__ground_integrate(s, i * T, T, PIECES, motion);
    }
}

/* Memory for the motion added to interface k: a hold at the end comes to rest only after its brake, at the end of a
 * step. */
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
    bool known = true;
    double f;
    for (int k = 0; k < ifd__ends_count(IFD__ENDS(c)); k++)
        known = known && IFD_SUPPORT(0) - ifd__end(IFD__ENDS(c), k, &f) < m->nsupport;
    if (h->pace->elsewhere || h->opt.protocol || h->opt.preload || !known)
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "interface '%s' is connected to a support. This requires a structure computed by this program "
            "without preload",
            c->name);
    double *g = room_for(h, arena, w), y[3];
    for (int k = 0; k < ifd__ends_count(IFD__ENDS(c)); k++) {
        int support = IFD_SUPPORT(0) - ifd__end(IFD__ENDS(c), k, &f);
        for (int i = 0; i < w->grounds && support >= 0; i++) {
            ifd_signal_eval(m->support[support], i * h->stage_time, y);
            g[2 * i] += f * y[0];
            g[2 * i + 1] += f * y[1];
        }
    }
    return g ? IFD_OK : IFD_NO_MEMORY;
}

ifd_status ifd__floor_motion_make(ifd_hybrid *h, ifd_arena *arena, int k, ifd_note *note)
{
    ifd__test_interface *w = &h->interface[k];
    const ifd_interface_options *c = w->o;
    double f;
    for (int i = 0; i < ifd__ends_count(IFD__ENDS(c)); i++)
        if (ifd__end(IFD__ENDS(c), i, &f) < IFD_GROUND)
            return tie(h, arena, w, note);
    if (!c->floor_motion)
        return IFD_OK;
    bool between = c->from >= 0 || c->to < 0 || c->row;
    ifd_dof_kind kind = between ? IFD_DOF_RX : h->numerical.model[c->part].m->dof_kind[c->to];
    const ifd_signal *s = kind <= IFD_DOF_Z ? h->numerical.model[c->part].m->ground[kind].signal : NULL;
    if (between || (s && (h->pace->elsewhere || h->opt.protocol)))
        return ifd_note_add(
            note, IFD_UNSUPPORTED, NULL,
            "interface '%s' moves with the ground. This requires a specimen between the ground and a dof of "
            "a structure computed by this program",
            c->name);
    if (!s)
        return IFD_OK;
    double *g = room_for(h, arena, w);
    if (!g)
        return IFD_NO_MEMORY;
    integrate(s, h->stage_time, w->grounds, g);
    return IFD_OK;
}

/* After the last value the ground is at rest. */
void ifd__floor_motion_now(const ifd_hybrid *h, int k, double *u, double *v)
{
    const ifd__test_interface *w = &h->interface[k];
    double at = h->test->step * h->numerical.exchanges + h->test->exchange + (h->numerical.lead_in ? 1 : 0);
    int last = w->grounds - 1, i = at < last ? (int)at : last;
    *u += w->ground[2 * i];
    *v += i < last ? w->ground[2 * i + 1] : 0.0;
}
