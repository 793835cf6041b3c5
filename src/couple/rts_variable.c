/* SPDX-License-Identifier: MIT */
/* Variable step of coupling `rts`.
 *
 * A step h of the coupling is solved in blocks of q steps. A block lasts h / 2^k. Its forces are the polynomial
 * through the last known ones, which are at any instants (Sajeeb, Roy, Manohar 2007, eqs 27 and 28 with steps h_i).
 * The paper leaves the choice of h_i open. Here the error of the extrapolation decides: the difference between the
 * force with which a block was solved and the reaction at its end.
 *
 *   error > tolerance                   the block is repeated from its start with k + 1
 *   error < tolerance / 2^(degree + 2)  the next block has k - 1 if it then ends on the grid of its own length:
 *                                       the error of a block twice as long is 2^(degree + 1) as large
 *
 * A step that is repeated needs more computations than others, and a specimen cannot repeat it: this is for
 * computed substructures only. */
#include "couple/rts.h"

#include <math.h>
#include <string.h>

/* Row "variable step" in x. */
enum { HALVED, BLOCKS, REJECTED, EXCEEDED, MOST, CONTROLS };

ifd_status ifd__rts_variable_check(const ifd__rts *r, const ifd_couple_options *opt, ifd_note *note)
{
    const ifd_rts_options *o = &r->opt;
    if (o->variable == 0.0)
        return IFD_OK;
    if (!(o->variable > 0.0) || o->halvings < 1 || o->halvings > IFD_RTS_HALVINGS)
        return ifd_note_add(
            note, IFD_RANGE, &opt->place,
            "a variable step has a tolerance of %g and %d halvings; expected a positive tolerance and "
            "1 to %d halvings",
            o->variable, o->halvings, IFD_RTS_HALVINGS);
    if (!r->e->extrapolator->shortest || r->e->degree > IFD_RTS_VARIABLE_DEGREE) {
        ifd_note_add(note, IFD_UNSUPPORTED, &opt->place,
                     "a variable step extrapolates by lagrange with a degree of 0 to %d; this coupling uses %s with "
                     "degree %d",
                     IFD_RTS_VARIABLE_DEGREE, r->e->extrapolator->name, r->e->degree);
        ifd_note_hint(note, "use 'extrapolator: {lagrange: {degree: 3}}', or remove 'variable'");
        return IFD_UNSUPPORTED;
    }
    if (o->exchange == IFD_RTS_FORCE) {
        ifd_note_add(note, IFD_UNSUPPORTED, &opt->place,
                     "'exchange: force' interpolates over equal steps, but the step is variable");
        ifd_note_hint(note, "use 'exchange: motion', or remove 'variable'");
        return IFD_UNSUPPORTED;
    }
    if (r->measured)
        return ifd_note_add(note, IFD_UNSUPPORTED, &opt->place,
                            "the step is variable, but a specimen cannot repeat a step: remove 'variable'");
    return IFD_OK;
}

ifd_status ifd__rts_variable_make(ifd__coupled *c, ifd_arena *arena)
{
    ifd__rts *r = c->data;
    size_t nodes = (size_t)r->e->degree + 1;
    r->times = ifd__coupled_row(c, "times of forces", r->opt.extrapolate.past, IFD_STATE_HISTORY);
    r->largest = ifd__coupled_row(c, "largest forces", r->links, IFD_STATE_HISTORY);
    r->control = ifd__coupled_row(c, "variable step", CONTROLS, IFD_STATE_INTEGER);
    return IFD__TAKE(arena, IFD__ARRAY(r->known, nodes * (size_t)r->links), IFD__ARRAY(r->instant, nodes));
}

/* Largest difference between the forces of a block and the reactions at one of its instants, relative to the
 * tolerated one. */
static IFD_RT double miss(ifd__rts *r, double *x)
{
    double worst = 0.0;
    for (int l = 0; l < r->links; l++) {
        double *largest = &x[r->largest + l], by = fabs(r->answer[l] - r->G[l]);
        *largest = fmax(*largest, fabs(r->answer[l]));
        if (by == 0.0)
            continue;
        double ratio = by / (r->opt.variable * *largest);
        worst = isfinite(ratio) ? fmax(worst, ratio) : HUGE_VAL;
    }
    return worst;
}

/* One block from t, halved k times. */
static IFD_RT bool block(ifd__coupled *c, int k, double t, double *x, double *error)
{
    ifd__rts *r = c->data;
    int nodes = r->e->degree + 1, old = r->opt.extrapolate.past - nodes, step = IFD__RTS_SHORT + k;
    double h = r->length[step];
    bool ok = true;
    memcpy(r->known, x + r->forces + old * r->links, sizeof *x * (size_t)(nodes * r->links));
    memcpy(r->instant, x + r->times + old, sizeof *x * (size_t)nodes);
    const ifd__rts_force f = {.nodes = nodes, .value = r->known, .time = r->instant};
    *error = 0.0;
    for (int i = 0; i < r->opt.extrapolate.ahead; i++) {
        ok = ifd__rts_advance(c, step, t + i * h, &f, x, r->answer) && ok;
        ifd__rts_force_at(r, &f, t + (i + 1) * h, r->G);
        *error = fmax(*error, miss(r, x));
        ifd__rts_remember(c, t + (i + 1) * h, r->answer, x);
    }
    return ok;
}

bool ifd__rts_variable(ifd__coupled *c, double t, double *x)
{
    ifd__rts *r = c->data;
    const int whole = 1 << r->opt.halvings; /* a step, in units of the shortest block */
    const double grows = ldexp(1.0, -(r->e->degree + 2));
    double *count = x + r->control, error;
    size_t state = sizeof *x * (size_t)r->state;
    bool ok = true;
    for (int at = 0; at < whole;) {
        int k = (int)count[HALVED], units = whole >> k;
        memcpy(r->saved, x, state);
        bool good = block(c, k, t + c->h * at / whole, x, &error);
        if (!(error <= 1.0) && k < r->opt.halvings) {
            memcpy(x, r->saved, state);
            count[HALVED] = k + 1;
            count[REJECTED] += 1.0;
            continue;
        }
        ok = good && ok;
        at += units;
        count[BLOCKS] += 1.0;
        count[EXCEEDED] += error <= 1.0 ? 0.0 : 1.0;
        count[MOST] = fmax(count[MOST], k);
        if (k > 0 && error < grows && at % (2 * units) == 0)
            count[HALVED] = k - 1;
    }
    return ok;
}

void ifd__rts_variable_facts(const ifd__coupled *c, const double *x, ifd_rts_facts *out)
{
    const ifd__rts *r = c->data;
    if (!r->times)
        return;
    const double *count = x + r->control;
    out->blocks = (long)count[BLOCKS];
    out->rejected = (long)count[REJECTED];
    out->exceeded = (long)count[EXCEEDED];
    out->shortest = r->length[IFD__RTS_SHORT + (int)count[MOST]];
}
