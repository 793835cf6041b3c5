/* SPDX-License-Identifier: MIT */
/* The change of force over the travel: stiffness.h. */
#include "hybrid/limits/stiffness.h"

#include <math.h>

#include "hybrid/limits/fault_text.h"
#include "hybrid/observe.h"
#include "hybrid/ramp_out/ramp_out.h"

enum { NOT_JUDGED, SIGN_JUDGED, JUDGED };

static const double losses = 3.0;
static const double deviations = 10.0;                                               /* of a change that is judged */
static const double sign_fraction = 0.01, size_fraction = 0.05, loop_fraction = 0.1; /* of the force limit */
static const double least = 1.0 / 3.0, most = 3.0; /* of r, with a characterised stiffness */
/* A loop tolerates a stiffness that is wrong by a factor of 2. A gain of 0.3 of a load cell, with a specimen a third
 * stiffer than its estimate (cases/column-mixed), is 0.4. */
static const double least_controlled = 0.42, most_controlled = 2.4, least_in_loop = 0.2;

static double mean(const double *value)
{
    double sum = 0.0;
    for (int i = 0; i < IFD__MEAN; i++)
        sum += value[i];
    return sum / IFD__MEAN;
}

/* Whether its stiffness was measured. A controlled force has that of its loop. */
static bool characterised(const ifd_hybrid *h, int k)
{
    return h->opt.characterised && h->opt.characterised[k] != 0.0 && !h->interface[k].o->force;
}

/* N/m, of a characterisation or of the estimate. */
static double stiffness(const ifd_hybrid *h, int k)
{
    return characterised(h, k) ? h->opt.characterised[k] : h->interface[k].stiffness;
}

static double loss(const ifd_hybrid *h, int k)
{
    return characterised(h, k) && h->opt.characterised_loss ? h->opt.characterised_loss[k] : 0.0;
}

/* Whether its force depends on its own motion only. */
bool ifd__stiffness_asked(const ifd_hybrid *h, int k)
{
    const ifd__test_interface *w = &h->interface[k];
    if (h->opt.force_stuck == IFD_STUCK_OFF || !(fabs(stiffness(h, k)) > 0.0) || w->o->loose)
        return false;
    if (w->o->force)
        return !w->o->force->computed;
    return w->actuator >= 0 && !w->o->carried && !w->o->floor_motion;
}

/* N: the smallest change of the force that is judged. */
static double due(const ifd_hybrid *h, int k, double share)
{
    double noise =
        fmax(ifd__observed_force_noise(&h->io, k), fabs(stiffness(h, k)) * ifd__observed_position_noise(&h->io, k));
    return fmax(fmax(deviations * noise, losses * loss(h, k)), share * h->interface[k].o->limits.force);
}

/* A change of force beyond r times the expected one: its deviation from that, and the permitted deviation. */
static ifd_action off(ifd_hybrid *h, int k, const double change[3], ifd_action action, ifd_action worst)
{
    double value[2] = {change[0] - change[1], fabs((1.0 - change[2]) * change[1])};
    worst = ifd__fault_act(&h->faults, IFD_TRIP_STIFFNESS, action, k, value, worst);
    double known = characterised(h, k) ? stiffness(h, k) : 0.0;
    ifd__fault_text_stiffness(h, k, change[0] / change[1] * known, known);
    return worst;
}

static ifd_action size(ifd_hybrid *h, int k, double expected, double change, ifd_action worst)
{
    double r = change / expected;
    bool controlled = h->interface[k].o->force != NULL;
    double low = controlled ? least_controlled : least, high = controlled ? most_controlled : most;
    h->each[k]->response.judged = JUDGED;
    if (r >= low && r <= high)
        return worst;
    ifd_action action = controlled ? IFD_ACTION_TRIP : characterised(h, k) ? IFD_ACTION_RAMP_OUT : IFD_ACTION_NOTE;
    return off(h, k, (const double[]){change, expected, r < low ? low : high}, action, worst);
}

/* In run the force that acts besides that of the stiffness, of damping and mass, N. */
static double besides(const ifd_hybrid *h, int k)
{
    const ifd__test_interface *w = &h->interface[k];
    double motion[2];
    ifd__observed_motion(&h->io, k, motion);
    return w->damping * motion[0] + (w->o->taken_out ? 0.0 : w->o->mass) * motion[1];
}

static ifd_action judge(ifd_hybrid *h, int k, bool runs, ifd_action worst)
{
    ifd__responding *s = &h->each[k]->response;
    bool controlled = h->interface[k].o->force != NULL;
    double expected = stiffness(h, k) * (mean(s->x) - s->x0);
    double change = mean(s->f) - s->f0 - (runs ? besides(h, k) : 0.0);
    if (!controlled && s->judged == NOT_JUDGED && fabs(expected) > due(h, k, sign_fraction)) {
        s->judged = runs ? JUDGED : SIGN_JUDGED;
        if (change * expected < 0.0)
            return off(h, k, (const double[]){change, expected, 0.0}, IFD_ACTION_TRIP, worst);
    }
    bool large = !runs && fabs(expected) > due(h, k, size_fraction);
    return large ? size(h, k, expected, change, worst) : worst;
}

/* A prescribed force in its loop. The reference is the last instant at which the force had changed as it must. */
static ifd_action in_loop(ifd_hybrid *h, int k, ifd_action worst)
{
    ifd__responding *s = &h->each[k]->response;
    double x = mean(s->x), f = mean(s->f), large = due(h, k, loop_fraction);
    double expected = h->interface[k].stiffness * (x - s->loop_x), change = f - s->loop_f, r = change / expected;
    bool astray = fabs(expected) > large && r < least_in_loop;
    if (astray || (r > 0.0 && fabs(change) >= least_in_loop * large)) {
        s->loop_x = x;
        s->loop_f = f;
    }
    if (!astray)
        return worst;
    return off(h, k, (const double[]){change, expected, least_in_loop}, IFD_ACTION_TRIP, worst);
}

static void remember(ifd__responding *s, double x, double f)
{
    int i = (int)s->next;
    s->x[i] = x;
    s->f[i] = f;
    s->next = (double)((i + 1) % IFD__MEAN);
    s->known = fmin(s->known + 1.0, IFD__MEAN);
}

ifd_action ifd__stiffness_guard(ifd_hybrid *h, int k, ifd_action worst)
{
    ifd__responding *s = &h->each[k]->response;
    ifd_machine state = ifd__state_of(h);
    bool in = state == IFD_MACHINE_RAMP_IN, runs = state == IFD_MACHINE_RUN;
    bool controlled = h->interface[k].o->force != NULL;
    if (ifd__rigs_stale(h, k) > 0.0)
        return worst;
    if (s->known >= IFD__MEAN && (double)state != s->state) { /* the reference is what was before */
        bool begins = in || (runs && s->judged == NOT_JUDGED);
        s->x0 = begins ? mean(s->x) : s->x0;
        s->f0 = begins ? mean(s->f) : s->f0;
        s->judged = in ? NOT_JUDGED : runs && s->judged == SIGN_JUDGED ? JUDGED : s->judged;
        s->loop_x = in ? s->x0 : s->loop_x;
        s->loop_f = in ? s->f0 : s->loop_f;
    }
    s->state = (double)state;
    remember(s, h->each[k]->measured_x, h->each[k]->measured_f);
    if (s->known < IFD__MEAN)
        return worst;
    if (s->judged < JUDGED && (in || (runs && !controlled)))
        worst = judge(h, k, runs, worst);
    bool kept = state == IFD_MACHINE_HOLD || (state == IFD_MACHINE_RAMP_OUT && ifd__out(h, k)->time == 0.0);
    return controlled && (in || runs || kept) ? in_loop(h, k, worst) : worst;
}
