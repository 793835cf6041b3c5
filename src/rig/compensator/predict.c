/* SPDX-License-Identifier: MIT */
/* Compensators that predict the target: none, polynomial, taylor, and the upper bound with its corrected force. */
#include "rig/compensator/compensator.h"

#include <math.h>

#include "rig/virtual/delay_line.h"

static const ifd_param none_params[] = {IFD__COMPENSATOR_PARAMS, {0}};

const ifd_compensator_kind ifd__compensator_none = {
    .name = "none",
    .summary = "the command is the target itself",
    .equation = "u = x",
    .params = none_params,
    .step = ifd__compensator_ahead,
};

/* Lagrange polynomial through order + 1 past targets, evaluated ahead of the newest (Horiuchi et al., 1999). */
enum { MOST_ORDER = 4 };

typedef struct polynomial {
    int order, length, line;
    double weight[MOST_ORDER + 1];
    ifd__tap tap[MOST_ORDER + 1];
} polynomial;

static const ifd_param polynomial_params[] = {
    IFD_NEEDED("delay", TIME, 1e-6, 10, "tau, delay of the actuator"),
    IFD_OPTION("order", NONE, 1, MOST_ORDER, 3, "n, order of the polynomial"),
    IFD_WORD("spacing", "delay|sample", "interval of the targets of the polynomial: tau or one tick"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status whole_order(const ifd_compensator *c, const ifd_value *values, ifd_note *note)
{
    const ifd_value *v = ifd_param_get(c->kind->params, values, "order");
    if (v->number == floor(v->number))
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, &v->place, "compensation '%s': 'order' is %g, expected a whole number",
                        c->kind->name, v->number);
}

static ifd_status polynomial_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(whole_order(c, values, note));
    polynomial *p;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, 1)));
    double delay = ifd__compensator_number(c, values, "delay");
    double spacing = ifd__compensator_number(c, values, "spacing") == 0 ? ifd__line_age(delay, c->h) : 1.0;
    p->order = (int)ifd__compensator_number(c, values, "order");
    if (p->order * spacing > IFD__LINE_MOST)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "compensation 'polynomial': %d delays of %g s exceed the maximum of %d ticks", p->order,
                            delay, (int)IFD__LINE_MOST);
    p->length = ifd__line_length(p->order * spacing);
    ifd__lagrange(p->order + 1, 0, -((delay + c->look_ahead) / (spacing * c->h)), p->weight);
    for (int i = 0; i <= p->order; i++)
        p->tap[i] = ifd__line_tap(p->length, i * spacing, 3);
    p->line = ifd__compensator_states(c, "targets", p->length, IFD_STATE_HISTORY);
    c->data = p;
    return IFD_OK;
}

static void polynomial_begin(const ifd_compensator *c, double x, double *s)
{
    const polynomial *p = c->data;
    ifd__line_fill(s + p->line, p->length, x);
}

static double polynomial_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4],
                              double *s)
{
    const polynomial *p = c->data;
    (void)target;
    ifd__line_push(s + p->line, p->length, in->x);
    double u = 0.0;
    for (int i = 0; i <= p->order; i++)
        u += p->weight[i] * ifd__line_read(s + p->line, &p->tap[i]);
    return u;
}

const ifd_compensator_kind ifd__compensator_polynomial = {
    .name = "polynomial",
    .summary = "the command is the target, extrapolated by a polynomial over the delay (Horiuchi)",
    .equation = "u = P(t + tau), P through x(t), x(t - tau), ..., x(t - n tau)",
    .params = polynomial_params,
    .fixed = true,
    .make = polynomial_make,
    .begin = polynomial_begin,
    .step = polynomial_step,
};

/* Taylor series with derivatives from the solver (Lamarche et al., 2009). */
typedef struct series {
    int order;
    double ahead; /* s */
} series;

static const ifd_param taylor_params[] = {
    IFD_NEEDED("delay", TIME, 0, 10, "tau, delay of the actuator"),
    IFD_OPTION("order", NONE, 1, 3, 2, "order of the last term"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status taylor_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    IFD_TRY(whole_order(c, values, note));
    series *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    d->order = (int)ifd__compensator_number(c, values, "order");
    d->ahead = ifd__compensator_number(c, values, "delay") + c->look_ahead;
    c->data = d;
    return IFD_OK;
}

static double taylor_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const series *d = c->data;
    (void)in, (void)s;
    double u = target[0], term = 1.0;
    for (int i = 1; i <= d->order; i++) {
        term *= d->ahead / i;
        u += term * target[i];
    }
    return u;
}

const ifd_compensator_kind ifd__compensator_taylor = {
    .name = "taylor",
    .summary = "the command is a Taylor series of the target, with derivatives from the time integration "
               "(Lamarche)",
    .equation = "u = x + tau x' + tau^2/2 x'' [+ tau^3/6 x''']",
    .params = taylor_params,
    .fixed = true,
    .make = taylor_make,
    .step = taylor_step,
};

/* Overcompensates by an upper bound of the delay and uses the force at the instant at which the specimen was at the
 * present target (Wu, Wang, Bursi, 2013): the delay need not be known. */
typedef struct upper {
    double ahead; /* s */
    int length, xm, fm;
} upper;

static const ifd_param upper_params[] = {
    IFD_NEEDED("bound", TIME, 1e-6, 10, "tau_u, upper bound of the delay"),
    IFD_OPTION("window", TIME, 0, 100, 0, "time in which the force is searched; 0: twice the bound"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status upper_make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    upper *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    double bound = ifd__compensator_number(c, values, "bound"), window = ifd__compensator_number(c, values, "window");
    double ticks = ceil((window > 0 ? window : 2 * bound) / c->h);
    if (ticks > IFD__LINE_MOST)
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "compensation 'upper-bound': the window is %g ticks, expected at most %d", ticks,
                            (int)IFD__LINE_MOST);
    d->ahead = bound + c->look_ahead;
    d->length = (int)ticks + 2;
    d->xm = ifd__compensator_states(c, "displacements", d->length, IFD_STATE_HISTORY);
    d->fm = ifd__compensator_states(c, "forces", d->length, IFD_STATE_HISTORY);
    c->data = d;
    return IFD_OK;
}

static void upper_begin(const ifd_compensator *c, double x, double *s)
{
    const upper *d = c->data;
    ifd__line_fill(s + d->xm, d->length, x);
}

/* The latest crossing of x in the record, linear between samples; without a crossing, the sample nearest to x. The
 * complete record is always searched, for a constant duration. */
static double force_at(const upper *d, double x, const double *xm, const double *fm)
{
    double crossed = 0.0, nearest = fm[d->length - 1], distance = HUGE_VAL;
    bool found = false;
    for (int i = d->length - 2; i >= 0; i--) {
        double newer = xm[i] - x, older = xm[i + 1] - x;
        if (newer * older <= 0 && newer != older) {
            crossed = fm[i] + (fm[i + 1] - fm[i]) * newer / (newer - older);
            found = true;
        }
        if (fabs(newer) <= distance) {
            distance = fabs(newer);
            nearest = fm[i];
        }
    }
    return found ? crossed : nearest;
}

static double upper_correct(const ifd_compensator *c, const ifd_compensator_in *in, double *s)
{
    const upper *d = c->data;
    ifd__line_push(s + d->xm, d->length, in->xm);
    ifd__line_push(s + d->fm, d->length, in->fm);
    return in->frozen ? in->fm : force_at(d, in->x, s + d->xm, s + d->fm);
}

static double upper_step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    const upper *d = c->data;
    (void)in, (void)s;
    return ifd__target_ahead(target, d->ahead);
}

const ifd_compensator_kind ifd__compensator_upper_bound = {
    .name = "upper-bound",
    .summary = "the compensator predicts the target over an upper bound of the delay, and uses the force that "
               "was measured when the specimen passed the target (Wu, Wang, Bursi)",
    .equation = "u = x(t + tau_u);  f = f_m at the latest instant with x_m = x(t)",
    .params = upper_params,
    .make = upper_make,
    .begin = upper_begin,
    .step = upper_step,
    .correct = upper_correct,
};
