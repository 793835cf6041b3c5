/* SPDX-License-Identifier: MIT */
#include "study/ideal_run.h"

#include <math.h>

#include "base/arena.h"

/* The same quantity of the same owner; a specimen that the test measures is computed by the run. */
static int match(const ifd_column *of, const ifd_column *column, int columns)
{
    ifd_quantity quantity = of->quantity == IFD_COLUMN_INTERFACE_MEASURED ? IFD_COLUMN_SPECIMEN_DEFORMATION
                            : of->quantity == IFD_COLUMN_INTERFACE_FORCE  ? IFD_COLUMN_SPECIMEN_FORCE
                                                                          : of->quantity;
    return ifd_column_find(column, columns, of->owner, quantity);
}

static ifd_status step_all(ifd_run *run, const int *pick, long room, ifd__ideal_run *out)
{
    ifd_run_state state = IFD_RUN_GOING;
    for (bool first = true; state == IFD_RUN_GOING && out->rows < room; first = false) {
        state = first ? IFD_RUN_GOING : ifd_run_tick(run);
        const double *v = ifd_run_values(run);
        for (int k = 0; ifd_run_fresh(run) && k < out->columns; k++)
            out->value[out->rows * out->columns + k] = v[pick[k]];
        out->rows += ifd_run_fresh(run);
    }
    ifd_fault fault = ifd_run_fault(run).fault;
    return fault == IFD_FAULT_NONE || fault == IFD_FAULT_ITERATIONS ? IFD_OK : IFD_DIVERGED;
}

ifd_status ifd__ideal_run_make(ifd_arena *arena, const ifd_case *c, const ifd__ideal_run_ask *ask,
                               ifd__ideal_run *out, ifd_note *note)
{
    ifd_run_options o = c->run;
    ifd_run *run = NULL;
    int columns, *pick = NULL;
    o.every = 1;
    o.what = IFD_RECORD_EVERYTHING;
    IFD_TRY(ifd_run_make(arena, &o, &run, note));
    const ifd_column *column = ifd_run_columns(run, &columns);
    long room = ifd_run_steps(run) + 2;
    *out = (ifd__ideal_run){.step = o.step.h};
    ifd_status status = IFD__TAKE(arena, IFD__ARRAY(out->of, ask->columns), IFD__ARRAY(pick, ask->columns));
    for (int i = 0; i < ask->columns && status == IFD_OK; i++) {
        int at = ask->needed[i] ? match(&ask->column[i], column, columns) : -1;
        out->of[i] = at < 0 ? -1 : out->columns;
        if (at >= 0)
            pick[out->columns++] = at;
    }
    if (status == IFD_OK)
        status = IFD__TAKE(arena, IFD__ARRAY(out->value, room * out->columns));
    if (status == IFD_OK)
        status = step_all(run, pick, room, out);
    ifd_run_close(run);
    return status;
}

double ifd__ideal_run_at(const ifd__ideal_run *i, int column, double time)
{
    double position = time / i->step;
    long k = (long)floor(position + 1e-9);
    if (i->of[column] < 0 || k < 0 || k > i->rows - 1)
        return (double)NAN;
    const double *v = i->value + k * i->columns + i->of[column];
    double weight = position - (double)k;
    return weight > 1e-9 && k + 1 < i->rows ? v[0] + weight * (v[i->columns] - v[0]) : v[0];
}
