/* SPDX-License-Identifier: MIT */
/* The table of cautions: what limits the worth of a result. */
#include "substructure/caution.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "couple/rts.h"

/* Useful methods create a few per cent of the largest energy in the balance. */
static const double much = 0.1;

static bool late(const ifd__doubts *d, char *out, size_t size)
{
    snprintf(out, size, "%.0f ticks were late; test: {missed-deadlines: %.0f} permits fewer", d->late,
             d->late_permitted);
    return d->late > d->late_permitted;
}

static bool stale(const ifd__doubts *d, char *out, size_t size)
{
    snprintf(out, size,
             "%.1f %% of the ticks of the run had no new measurement; test: {stale-share: %.3g %%} permits fewer",
             100.0 * d->stale, 100.0 * d->stale_permitted);
    return d->stale > d->stale_permitted;
}

static bool fast(const ifd__doubts *d, char *out, size_t size)
{
    snprintf(
        out, size,
        "%.0f targets of the script took longer than their step, so that no limit of velocity or acceleration was "
        "exceeded (MASTER_FAST): the specimens are rate-dependent, and their velocities were too small",
        d->fast);
    return d->fast > 0.0;
}

static bool empty(const ifd__doubts *d, char *out, size_t size)
{
    snprintf(out, size,
             "a specimen had no stiffness from %.4g s on (NO_FORCE): a dead load cell, or a specimen that broke",
             d->empty_from);
    return d->empty;
}

static bool unconverged(const ifd__doubts *d, char *out, size_t size)
{
    char at[40] = "";
    if (isfinite(d->unconverged_at))
        snprintf(at, sizeof at, ", first at %.6g s", d->unconverged_at);
    snprintf(out, size,
             "the iterations of a step did not converge%s: the equations are not satisfied there; try half the step",
             at);
    return d->unconverged;
}

static bool inner(const ifd__doubts *d, char *out, size_t size)
{
    snprintf(out, size, "the error exceeds its tolerance at the shortest inner step in %ld steps", d->inner);
    return d->inner > 0;
}

static bool budget(const ifd__doubts *d, char *out, size_t size)
{
    snprintf(out, size,
             "elements stiffened beyond the stability budget of the bounded Jacobian in some steps "
             "(tangent-beyond): compare with 'jacobian: refactor'");
    return d->budget;
}

static bool made(const ifd__doubts *d, char *out, size_t size)
{
    snprintf(out, size,
             "the time-integration method%s created %.0f %% of the energy, more than one tenth: the motion may grow "
             "without a load; compare with a run at half the step",
             d->measured ? ", with the forces that it received in time," : "", 100.0 * d->made);
    return d->made > much;
}

static bool (*const rows[IFD__CAUTION_COUNT])(const ifd__doubts *d, char *out, size_t size) = {
#define ROW(name, judge) judge,
    IFD__CAUTION_LIST(ROW)
#undef ROW
};

bool ifd__caution_print(const ifd__doubts *d, ifd__caution k, char *out, size_t size)
{
    return rows[k](d, out, size);
}

/* Steps of `tangent-beyond: warn` or `exact` in which the budget of a bounded Jacobian was exceeded. */
static bool beyond_budget(const ifd__substructure *s, const double *x)
{
    const char end[] = "tangent.beyond";
    for (int k = 0; k < s->rows; k++) {
        const ifd_state_row *row = &s->row[k];
        size_t length = strlen(row->name);
        if (length >= sizeof end - 1 && strcmp(row->name + length - (sizeof end - 1), end) == 0 &&
            x[row->offset] > 0.0)
            return true;
    }
    return false;
}

void ifd__substructure_doubts(const ifd__substructure *s, const double *x, ifd__doubts *d)
{
    ifd_rts_facts rts = {0};
    d->unconverged_at = (double)NAN;
    d->unconverged = ifd__substructure_fault(s, x) == IFD_FAULT_ITERATIONS;
    d->budget = beyond_budget(s, x);
    if (s->coupled && s->coupled->pulls)
        ifd__rts_facts(s->coupled, x, &rts);
    d->inner = rts.exceeded;
}

double ifd__energy_made(const ifd_energy *e)
{
    return e->scale > 0.0 && e->numerical < 0.0 ? -e->numerical / e->scale : 0.0;
}
