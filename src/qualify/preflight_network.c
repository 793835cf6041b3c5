/* SPDX-License-Identifier: MIT */
/* What preflight reports about the network between a test and its rig: whether simulated time runs at full rate, the
 * lambda at which it does, and whether real time is possible. */
#include <math.h>
#include <string.h>

#include <interfield/several.h>

#include "qualify/judging.h"
#include "qualify/preflight.h"
#include "rig/follower.h"

static const char at_its_rate[] = "a specimen that depends on velocity cannot wait for a network: use a shorter one";
static const double used = 0.95; /* of the delay, as in hybrid/pace/elastic.c */
static const double radians = 3.0;
static const double part = 0.5; /* of the delay margin that a network may use */

/* s of wall-clock time: answers of this age are used at full rate. */
static double full_rate(const ifd_hybrid_options *t, double brake)
{
    return used * t->elastic->delay * t->lambda - 2.0 * brake / radians;
}

static double lambda_for(double age, double delay, double brake)
{
    return (age + ifd__follower_lag(brake) + 2.0 * brake / radians) / (used * delay);
}

/* s, simulated: delay at which the loop becomes unstable, or the largest examined. */
static double margin(const ifd__judging *j, bool *found)
{
    const ifd_preflight *p = j->out;
    const ifd_margins *m = p->initial.stable ? &p->initial : &p->secant;
    double assumed = 0.0;
    for (int k = 0; k < p->interfaces; k++)
        assumed = fmax(assumed, p->interface[k].assumed);
    *found = m->delay.found;
    return m->stable ? (p->delay + assumed + m->delay.value) / j->o->test->lambda : 0.0;
}

static const char *measured(ifd__judging *j, const ifd_echo *e)
{
    return ifd__judge_print(j, "answers %s old (p99 %s, oldest %s, %.2g %% lost)",
                            ifd__judge_quantity(j, e->median, "s"), ifd__judge_quantity(j, e->p99, "s"),
                            ifd__judge_quantity(j, e->most, "s"), 100.0 * e->loss);
}

static void judge_elastic(ifd__judging *j)
{
    const ifd_hybrid_options *t = j->o->test;
    const ifd_echo *e = j->o->echo;
    double brake = t->elastic->brake, most = full_rate(t, brake);
    double age = e ? e->p99 + ifd__follower_lag(brake) : 0.0;
    double lambda = lambda_for(e ? e->p99 : 0.0, t->elastic->delay, brake);
    const char *text = e ? ifd__judge_print(j, "%s, ", measured(j, e)) : "";
    if (most >= age)
        ifd__judge_add(j, "network", IFD_VERDICT_GO, NULL, "%sfull rate up to %s; the test takes %s", text,
                       ifd__judge_quantity(j, most, "s"), ifd__judge_quantity(j, t->lambda * t->end, "s"));
    else
        ifd__judge_add(j, "network", IFD_VERDICT_CAUTION,
                       t->rate_dependent
                           ? at_its_rate
                           : ifd__judge_print(j, "use lambda: %.3g; the test then takes %s at full rate",
                                              ceil(lambda), ifd__judge_quantity(j, ceil(lambda) * t->end, "s")),
                       "%ssimulated time is slower than lambda: full rate only up to %s", text,
                       most > 0.0 ? ifd__judge_quantity(j, most, "s") : "0 s");
}

/* A test with a constant rate: real time, or a proposal. */
static void judge_rigid(ifd__judging *j)
{
    const ifd_hybrid_options *t = j->o->test;
    const ifd_echo *e = j->o->echo;
    ifd_elastic preset;
    bool found;
    double delay = part * margin(j, &found);
    ifd_elastic_defaults(&preset);
    double lambda = fmax(1.0, ceil(lambda_for(e->p99, delay, preset.brake)));
    if (!(delay > 0.0))
        return;
    if (e->most <= delay * t->lambda)
        ifd__judge_add(j, "network", IFD_VERDICT_GO, NULL,
                       "%s, below half of the delay margin: lambda %.4g is possible. Compensate the median too",
                       measured(j, e), t->lambda);
    else
        ifd__judge_add(j, "network", IFD_VERDICT_CAUTION,
                       t->rate_dependent
                           ? at_its_rate
                           : ifd__judge_print(j, "use elastic: {delay: %s} and lambda: %.3g; the test then takes %s",
                                              ifd__judge_quantity(j, delay, "s"), lambda,
                                              ifd__judge_quantity(j, lambda * t->end, "s")),
                       "%s, beyond half of the delay margin, %s%s", measured(j, e), found ? "" : "at least ",
                       ifd__judge_quantity(j, delay * t->lambda, "s"));
}

/* A rig server behind a network has a key. In lockstep it is waited for: its network costs time only. */
static bool unmeasured(const ifd__judging *j)
{
    const ifd_hybrid_options *t = j->o->test;
    const ifd_several *s = ifd_several_of(t->rig, t->rig_setup);
    bool any = false;
    for (int r = 0; r < (s ? s->rigs : 1); r++) {
        const ifd_rig_ops *ops = s ? s->rig[r].ops : t->rig;
        const ifd_value *values = s ? s->rig[r].values : t->rig_values;
        int key = ifd_param_find(ops->params, "key"), lockstep = ifd_param_find(ops->params, "lockstep");
        any = any || (key >= 0 && lockstep >= 0 && !(values[lockstep].number > 0.0));
    }
    return any && !j->o->echo;
}

void ifd__preflight_network(ifd__judging *j)
{
    if (unmeasured(j))
        ifd__judge_add(j, "network", IFD_VERDICT_CAUTION,
                       "measure it with preflight --echo 10s on the day of the test",
                       "not measured: late and lost measurements are not known");
    if (j->o->test->elastic)
        judge_elastic(j);
    else if (j->o->echo && j->out->examined)
        judge_rigid(j);
}
