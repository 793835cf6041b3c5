/* SPDX-License-Identifier: MIT */
/* A loop that keeps a force trusts its load cell. The dry run is repeated with each such cell stuck, from its
 * first reading or from a part of the target on, clipped at half of the target and with a gain of 0.3; the
 * largest true force until all is at rest is judged by the capacity of the specimen. */
#include <math.h>
#include <string.h>

#include "hybrid/hybrid.h"
#include "qualify/judging.h"
#include "qualify/preflight.h"

enum { WAYS = 3 };
static const char *const way[WAYS] = {"stuck", "clipped at half the force", "with gain 0.3"};
/* Parts of the target at which a cell sticks. Close to the target its error stays below every limit of it, and
 * only the travel of the actuator shows that the force must have changed. */
static const double sticks_at[] = {0.0, 0.25, 0.5, 0.75, 0.9, 0.98};
enum { STICKS = sizeof sticks_at / sizeof *sticks_at };
static const double longest_hold = 2.0; /* s: nobody resumes it */

/* The largest true force of a test with a wrong cell; false: it could not be made. */
static bool try_cell(const ifd_preflight_options *o, const ifd_preflight *p, ifd__bad_cell *cell)
{
    ifd_arena *scratch = ifd_arena_open();
    const ifd__variant v = {.delay = p->delay, .gain = p->gain, .cell = cell};
    ifd_hybrid_options options;
    ifd_hybrid *h = NULL;
    bool made = scratch && ifd__variant_make(scratch, o->test, o->twin, &v, &options) == IFD_OK;
    if (made) {
        options.what = IFD_RECORD_GROUND;
        options.wait_tripped = false;
        made = ifd_hybrid_make(scratch, &options, &h, NULL) == IFD_OK;
    }
    if (made) {
        double held = 0.0;
        ifd_ticked t = ifd_hybrid_ticked(h);
        ifd__hybrid_untraced(h);
        while (t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING && held < longest_hold)
            held = ifd_hybrid_state(h) == IFD_MACHINE_HOLD ? held + h->period : 0.0;
    }
    ifd_hybrid_close(h);
    ifd_arena_close(scratch);
    return made;
}

/* Over the actuators that the interface moves. */
static double true_force(const ifd_preflight_options *o, const ifd_preflight *p, int k, int which)
{
    const ifd__movers m = ifd__movers_of(o->test, k);
    const ifd_force_control *force = o->test->interface[k].force;
    /* A computed force has no prescribed one: the largest of the dry run. */
    double most = 0.0,
           target = force->target ? ifd_signal_peak(force->target, o->test->end, 0.01) : p->interface[k].force;
    for (int i = 0; i < m.count; i++)
        for (int j = 0; j < (which == 0 ? STICKS : 1); j++) {
            ifd__bad_cell cell = {.channel = m.first + i,
                                  .gain = which == 2 ? 0.3 : 1.0,
                                  .most = which == 1 ? 0.5 * target : (double)INFINITY,
                                  .sticks = which == 0 ? sticks_at[j] * target : (double)INFINITY};
            bool counts = m.drive < 0 || fabs(m.weight[i]) > 0.5; /* the others push sideways */
            if (counts && try_cell(o, p, &cell))
                most = fmax(most, cell.actual);
        }
    return most;
}

static void judge(ifd__judging *j, int k)
{
    const ifd_interface_options *c = &j->o->test->interface[k];
    const char *text = "";
    double most = 0.0;
    for (int i = 0; i < WAYS; i++) {
        double found = true_force(j->o, j->out, k, i);
        text = ifd__judge_print(j, "%s%s%s %s", text, *text ? ", " : "", ifd__judge_quantity(j, found, "N"), way[i]);
        most = fmax(most, found);
    }
    bool stated = isfinite(c->capacity.force);
    ifd__judge_add(j, "load cell",
                   most > c->capacity.force ? IFD_VERDICT_NO_GO
                   : !stated && j->o->real  ? IFD_VERDICT_CAUTION
                                            : IFD_VERDICT_GO,
                   stated ? "beyond the capacity of the specimen: lower 'error' and 'stroke' of this actuator"
                          : "state what the specimen tolerates (interfield help capacity)",
                   "true force of %s with its cell wrong: %s", c->name, text);
}

void ifd__preflight_cells(ifd__judging *j)
{
    for (int k = 0; k < j->o->test->interfaces; k++)
        if (j->o->test->interface[k].force)
            judge(j, k);
}
