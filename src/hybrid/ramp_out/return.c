/* SPDX-License-Identifier: MIT */
/* Return from outside the stroke on order: at creep speed, along 10 s^3 - 15 s^4 + 6 s^5, with zero velocity and
 * acceleration at both ends.
 *
 * The dofs of a drive move together on a straight path: to a position inside their strokes, and from there towards
 * the reference position of the drive, q = 0, until every actuator is inside its stroke. A path on which an actuator
 * moves farther out, or leaves its stroke, is refused. */
#include <math.h>

#include "hybrid/pressure.h"
#include "rig/quintic.h"

/* Distance of the end of the path from the limit, as a fraction of the stroke: a sensor with a scatter of 0.001 of
 * the stroke then shows a position inside. */
static const double inside = 0.01;
/* Fraction of the acceleration limit in use, and peaks of the derivatives of the path. */
static const double gentle = 0.1, peak_velocity = 1.875, peak_acceleration = 5.7735026918962576;
/* Points of a path at which the actuators of a drive are checked, and number of ends tried. For a stroke that is
 * small relative to the lengths of the actuators, 1/30 of it deviates from a straight line by less than 0.001. */
enum { POINTS = 32 };
/* Fraction of the stroke, rounding of a kinematic transformation: tolerated apparent outward motion. */
static const double ROUND_OFF = IFD__MET_ROUNDING;

void ifd__return_limits(const ifd_hybrid *h, int who, ifd_limits *l)
{
    const double scatter = h->opt.arm_spread * (l->high - l->low);
    double start = who < h->interfaces ? h->each[who]->start : h->finding[who - h->interfaces].at;
    const ifd__bounds stroke = {.low = l->low, .high = l->high},
                      wide = ifd__return_bounds(ifd__state_of(h), &stroke, start);
    l->low = wide.low < l->low ? wide.low - scatter : l->low;
    l->high = wide.high > l->high ? wide.high + scatter : l->high;
}

/* End of a path from `start`. */
static IFD_RT double nearest(const ifd__bounds *b, double start)
{
    double margin = inside * (b->high - b->low);
    return start < b->low ? b->low + margin : start > b->high ? b->high - margin : start;
}

/* s, duration of a path within creep speed and acceleration. */
static IFD_RT double time_of(double travel, double creep, double acceleration)
{
    return fmax(peak_velocity * travel / creep, sqrt(peak_acceleration * travel / (gentle * acceleration)));
}

/* A drive on its return: found positions of its actuators and dofs, deviations of the actuators from the pose (with
 * more actuators than dofs), and end positions of its dofs. */
typedef struct way_back {
    double s[IFD_DRIVE_ACTUATORS], off[IFD_DRIVE_ACTUATORS], from[IFD_DRIVE_DOFS], to[IFD_DRIVE_DOFS];
} way_back;

/* Extensions at the fraction x of the path from `from` to `to`. */
static IFD_RT void extensions(const ifd__driven *d, const way_back *w, double x, double *s)
{
    double q[IFD_DRIVE_DOFS];
    for (int i = 0; i < d->o->drive.dofs; i++)
        q[i] = w->from[i] + x * (w->to[i] - w->from[i]);
    ifd_drive_reach(d->drive, q, s);
    for (int j = 0; j < d->o->drive.actuators; j++)
        s[j] += w->off[j];
}

/* Whether every actuator ends inside its stroke, and by the margin if it was found outside. */
static IFD_RT bool ends_inside(const ifd__driven *d, const way_back *w)
{
    double s[IFD_DRIVE_ACTUATORS];
    bool all = true;
    extensions(d, w, 1.0, s);
    for (int j = 0; j < d->o->drive.actuators; j++) {
        const ifd__bounds *b = &d->bounds[j];
        bool outside = w->s[j] < b->low || w->s[j] > b->high;
        double margin = (outside ? inside : 0.0) * (b->high - b->low);
        all = all && s[j] >= b->low + margin && s[j] <= b->high - margin;
    }
    return all;
}

static IFD_RT bool find_end(const ifd_hybrid *h, const ifd__driven *d, way_back *w)
{
    bool found = false;
    for (int n = 0; n <= POINTS && !found; n++) {
        for (int i = 0; i < d->o->drive.dofs; i++) {
            const ifd__bounds *b = &h->interface[d->o->interface[i]].bounds;
            double near = nearest(b, w->from[i]), reference = nearest(b, 0.0);
            w->to[i] = near + (double)n / POINTS * (reference - near);
        }
        found = ends_inside(d, w);
    }
    return found;
}

/* Whether no actuator moves farther outside; duration of the slowest actuator. */
static IFD_RT bool only_inward(const ifd__driven *d, const way_back *w, double *time)
{
    double before[IFD_DRIVE_ACTUATORS], s[IFD_DRIVE_ACTUATORS];
    bool inward = true;
    for (int j = 0; j < d->o->drive.actuators; j++)
        before[j] = w->s[j];
    for (int n = 1; n <= POINTS; n++) {
        extensions(d, w, (double)n / POINTS, s);
        for (int j = 0; j < d->o->drive.actuators; j++) {
            const ifd__bounds *b = &d->bounds[j];
            double slack = ROUND_OFF * (b->high - b->low), travel = POINTS * fabs(s[j] - before[j]);
            inward = inward && s[j] >= fmin(b->low, before[j]) - slack && s[j] <= fmax(b->high, before[j]) + slack;
            *time = fmax(*time, time_of(travel, IFD__CREEP_FRACTION * d->o->limits[j].velocity, b->acceleration));
            before[j] = s[j];
        }
    }
    return inward;
}

static IFD_RT bool plan_drive(const ifd_hybrid *h, const ifd__driven *d, way_back *w, double *time)
{
    double reach[IFD_DRIVE_ACTUATORS];
    if (!ifd__find_pose(h, d, w->s, w->from))
        return false;
    ifd_drive_reach(d->drive, w->from, reach);
    for (int j = 0; j < d->o->drive.actuators; j++)
        w->off[j] = w->s[j] - reach[j];
    return find_end(h, d, w) && only_inward(d, w, time);
}

bool ifd__return_free(const ifd_hybrid *h)
{
    bool may = true;
    double time = 0.0;
    for (int d = 0; d < h->drives && may; d++) {
        way_back w;
        may = plan_drive(h, &h->drive[d], &w, &time);
    }
    return may;
}

void ifd__return_begin(ifd_hybrid *h)
{
    double longest = h->period;
    for (int k = 0; k < h->interfaces; k++)
        h->each[k]->to_u = nearest(&h->interface[k].bounds, h->each[k]->start);
    for (int d = 0; d < h->drives; d++) {
        way_back w;
        (void)plan_drive(h, &h->drive[d], &w, &longest); /* as when the order was accepted, in this tick */
        for (int i = 0; i < h->drive[d].o->drive.dofs; i++)
            h->each[h->drive[d].o->interface[i]]->to_u = w.to[i];
    }
    for (int k = 0; k < h->interfaces; k++) {
        double travel = fabs(h->each[k]->to_u - h->each[k]->start);
        longest = fmax(longest, time_of(travel, h->interface[k].creep, h->interface[k].bounds.acceleration));
    }
    h->test->return_time = longest;
}

double ifd__return_target(const ifd_hybrid *h, int k, double s, double *step)
{
    double start = h->each[k]->start, travel = h->each[k]->to_u - start;
    double time = h->test->return_time;
    double along = ifd__rest_to_rest(0.0, 1.0, s / time);
    *step = travel * (along - ifd__rest_to_rest(0.0, 1.0, (s - h->period) / time));
    return start + travel * along;
}

bool ifd__find_may_return(const ifd_hybrid *h)
{
    return h->test->found > 0.0 && (int)h->test->wait == IFD_WAIT_OUTSIDE && h->test->rig.stale == 0.0 &&
           ifd__find_heard(h) && ifd__rigs_refuse(h) < 0 && ifd__pressure_wait(h) == IFD_WAIT_NONE;
}
