/* SPDX-License-Identifier: MIT */
/* Preload in a test: after ramp-in the specimens settle and their forces are averaged. Either the equilibrium is
 * found, or ramp-in continues to a corrected one. */
#include "hybrid/part.h"

#include <math.h>
#include <string.h>

#include "substructure/preload.h"

static ifd_status make(ifd_hybrid *h, ifd_arena *arena, ifd_note *note)
{
    if (h->pace->elsewhere || h->opt.protocol)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "preload needs a structure computed by this program");
    ifd__ends *end;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(end, h->interfaces)));
    IFD_TRY(ifd__place_make(arena, &h->opt, &h->numerical, &h->place, note));
    for (int k = 0; k < h->interfaces; k++) {
        const ifd_interface_options *o = h->interface[k].o;
        const ifd__ends none = {IFD_GROUND, IFD_GROUND, NULL};
        int missing;
        IFD_TRY(ifd__place_ends(arena, h->place, o->part, o->force ? none : IFD__ENDS(o), &end[k], &missing));
        if (missing >= 0)
            return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                "preload: interface '%s' acts on a dof that depends on other dofs by its joints",
                                o->name);
    }
    const ifd__preload of = {.m = h->place->m, .interfaces = h->interfaces, .end = end};
    IFD_TRY(ifd__preload_make(arena, &of, &h->place->step, &h->preload, note));
    for (int k = 0; k < h->interfaces; k++) {
        double d = ifd__preload_deformation(h->preload, k, h->preload->u);
        const ifd__bounds *b = &h->interface[k].bounds;
        if (d < b->low || d > b->high)
            return ifd_note_add(
                note, IFD_RANGE, NULL,
                "preload: the static position of interface '%s' is %g m, outside its stroke of %g to %g m",
                h->interface[k].o->name, d, b->low, b->high);
    }
    return IFD_OK;
}

static IFD_RT void restart(ifd_hybrid *h)
{
    memcpy(h->place->u, h->preload->u, (size_t)h->preload->m->n * sizeof *h->x);
    ifd__place_put(h->place, &h->numerical, h->x);
    h->test->preload = h->test->preload_ticks = 0.0;
    for (int k = 0; k < h->interfaces; k++)
        h->each[k]->force_offset = 0.0;
}

/* The first half of the rest is for the settling of the actuator. */
void ifd__preload_watch(ifd_hybrid *h)
{
    double *ticks = &h->test->preload_ticks;
    bool rests = h->test->settled >= 0.5 * h->opt.settle;
    *ticks = rests ? *ticks + 1.0 : 0.0;
    for (int k = 0; k < h->interfaces; k++) {
        double f = h->each[k]->measured_f, *sum = &h->each[k]->force_sum;
        sum[0] = rests ? sum[0] + f : 0.0;
        sum[1] = rests ? sum[1] + f * f : 0.0;
    }
}

/* Mean of the measured force and its standard error. */
static double mean_force(const ifd_hybrid *h, int k, double *error)
{
    double n = fmax(1.0, h->test->preload_ticks);
    const double *sum = &h->each[k]->force_sum;
    double mean = sum[0] / n, variance = fmax(0.0, sum[1] / n - mean * mean);
    *error = n > 1.0 ? sqrt(variance / (n - 1.0)) : 0.0;
    return mean;
}

static const double DEVIATIONS = 3.0; /* standard errors: one in 370 corrections exceeds this by noise alone */

/* Permitted correction of interface k: tolerance of the case, and effect of the noise of all forces. */
static double tolerance(const ifd_hybrid *h, int k, const double *error)
{
    const ifd__bounds *b = &h->interface[k].bounds;
    double t = fmax(h->opt.preload_tolerance, h->opt.preload_fraction * (b->high - b->low));
    for (int j = 0; j < h->interfaces; j++)
        t += DEVIATIONS * fabs(h->preload->flexibility[k + j * h->interfaces]) * error[j];
    return t;
}

static void accept(ifd_hybrid *h, const double *mean)
{
    ifd__place_states(&h->numerical, h->preload->e.rest.s, h->x);
    for (int k = 0; k < h->interfaces; k++)
        if (h->interface[k].o->tare)
            h->each[k]->force_offset = mean[k];
}

/* Continues to the corrected equilibrium; false: outside a stroke. */
static bool go_on(ifd_hybrid *h)
{
    const ifd__preload *p = h->preload;
    double *u = h->place->u;
    bool inside = true;
    for (int i = 0; i < p->m->n; i++)
        u[i] += p->du[i];
    ifd__place_put(h->place, &h->numerical, h->x);
    for (int k = 0; k < h->interfaces; k++) {
        ifd__interface_state *s = h->each[k];
        double d = ifd__preload_deformation(p, k, u);
        s->from_u = s->to_u;
        s->to_u = d;
        inside = inside && d >= h->interface[k].bounds.low && d <= h->interface[k].bounds.high;
    }
    h->test->state_time = h->test->settled = 0.0;
    h->test->preload += 1.0;
    return inside;
}

bool ifd__preload_arrived(ifd_hybrid *h, ifd_action *action)
{
    ifd__test_state *t = h->test;
    double force[IFD_RIG_ACTUATORS], mean[IFD_RIG_ACTUATORS], error[IFD_RIG_ACTUATORS];
    if ((ifd_machine)(int)t->state != IFD_MACHINE_RAMP_IN)
        return true;
    for (int k = 0; k < h->interfaces; k++) {
        mean[k] = mean_force(h, k, &error[k]);
        force[k] = h->interface[k].o->tare ? 0.0 : h->interface[k].factor * mean[k];
        error[k] *= h->interface[k].o->tare ? 0.0 : h->interface[k].factor;
    }
    ifd__place_get(h->place, h->x);
    ifd__preload_correct(h->preload, h->place->u, force);
    double worst = 0.0;
    int who = 0;
    for (int k = 0; k < h->interfaces; k++) {
        double share = fabs(ifd__preload_deformation(h->preload, k, h->preload->du)) / tolerance(h, k, error);
        who = share > worst ? k : who;
        worst = fmax(worst, share);
    }
    if (worst <= 1.0) {
        accept(h, mean);
        return true;
    }
    double before = t->preload_last, n = t->preload;
    bool converges = n == 0.0 || worst < before;
    t->preload_last = worst;
    double off = ifd__preload_deformation(h->preload, who, h->preload->du);
    if (!converges || n >= h->opt.preload_iterations || !go_on(h))
        *action = ifd__fault_note(&h->faults, IFD_TRIP_PRELOAD, who, off, tolerance(h, who, error), *action);
    return false;
}

static bool asked(const ifd_hybrid *h)
{
    return h->opt.preload;
}

const ifd__part ifd__part_preload = {.name = "preload",
                                     .about = "equilibrium with the measured forces before the run",
                                     .asked = asked,
                                     .make = make,
                                     .restart = restart};
