/* SPDX-License-Identifier: MIT */
#include "hybrid/wall.h"

#include <math.h>
#include <string.h>

#include "model/model.h"

static const ifd__state_member members[] = {IFD__STATE_MEMBERS(IFD__WALLED)};
const ifd__state_list ifd__walled_members = {members, sizeof members / sizeof *members};

static int input_of(const ifd_hybrid *h, int k)
{
    return h->interface[k].o->force->computed->wall;
}

ifd_status ifd__wall_check(const ifd_hybrid_options *o, const ifd_model *m, const ifd_interface_options *c,
                           ifd_note *note)
{
    const ifd_force_command *f = c->force->computed;
    if (!f->effective)
        return IFD_OK;
    if (!o->couple || !o->couple->rts) /* velocities within a step of other methods are of lower order */
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "interface '%s': an effective force needs coupling rts, whose exchanges are ends of "
                            "steps",
                            c->name);
    if (f->wall < 0 || f->wall >= IFD_RIG_AUX || f->wall == f->position)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "interface '%s': the force of the wall is auxiliary input %d, expected 0 to %d, and not "
                            "that of the position",
                            c->name, f->wall, IFD_RIG_AUX - 1);
    if (!(f->mass > 0.0) || f->stiffness > 0.0 || f->damping > 0.0)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "interface '%s': an effective force needs the mass of the specimen, and no connection",
                            c->name);
    if (c->to >= m->n)
        return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "interface '%s' does not act on a dof of the model",
                            c->name);
    if (m->u0[c->to] != 0.0 || m->v0[c->to] != 0.0)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "interface '%s': the specimen is on a wall and starts at rest; expected an initial "
                            "displacement and velocity of its dof of 0, found %g and %g",
                            c->name, m->u0[c->to], m->v0[c->to]);
    return IFD_OK;
}

void ifd__wall_make(ifd_hybrid *h, int k)
{
    if (!h->interface[k].o->force->computed->effective)
        return;
    h->interface[k].walled_at = h->size;
    h->size += IFD__DOUBLES(ifd__walled);
}

bool ifd__wall_known(const ifd_hybrid *h, int k)
{
    return !ifd__on_wall(h, k) ||
           (h->measure.aux > (uint32_t)input_of(h, k) && isfinite(h->measure.auxiliary[input_of(h, k)]));
}

void ifd__wall_sense(ifd_hybrid *h, int k)
{
    if (ifd__on_wall(h, k) && ifd__wall_known(h, k))
        ifd__walled_of(h, k)->force = h->measure.auxiliary[input_of(h, k)];
}

void ifd__wall_begin(ifd_hybrid *h, int k)
{
    if (!ifd__on_wall(h, k))
        return;
    ifd__walled *w = ifd__walled_of(h, k);
    w->paths = 0.0;
    memset(w->mean, 0, sizeof w->mean);
}

void ifd__wall_path(ifd_hybrid *h, int k)
{
    if (!ifd__on_wall(h, k))
        return;
    ifd__walled *w = ifd__walled_of(h, k);
    const ifd__interface_state *c = ifd__interface_of(h, k);
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

ifd_action ifd__wall_guard(ifd_hybrid *h, int k, ifd_action worst)
{
    double most = h->interface[k].o->limits.force;
    if (ifd__on_wall(h, k) && fabs(ifd__walled_of(h, k)->force) > most)
        worst = ifd__guard_note(h, IFD_TRIP_FORCE, k, ifd__walled_of(h, k)->force, most, worst);
    return worst;
}
