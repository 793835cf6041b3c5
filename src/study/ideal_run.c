/* SPDX-License-Identifier: MIT */
/* Computes the ideal run of the tests of a study once. */
#include "study/member.h"

#include <math.h>

void ifd__ideal_run_row(ifd__ideal_run *i)
{
    const double *v = ifd_run_values(i->run);
    if (!ifd_run_fresh(i->run) || i->rows >= i->room)
        return;
    for (int k = 0; k < i->columns; k++)
        i->value[i->rows * i->columns + k] = v[i->pick[k]];
    i->rows++;
}

void ifd__ideal_run_compute(ifd__ideal_run *i)
{
    ifd__ideal_run_row(i);
    for (ifd_run_state state = IFD_RUN_GOING; state == IFD_RUN_GOING;) {
        state = ifd_run_tick(i->run);
        ifd__ideal_run_row(i);
    }
}

ifd_status ifd__ideal_run_end(ifd__ideal_run *i, ifd_note *note)
{
    ifd_fault fault = ifd_run_fault(i->run).fault;
    ifd_run_close(i->run);
    i->run = NULL;
    return fault == IFD_FAULT_NONE || fault == IFD_FAULT_ITERATIONS
               ? IFD_OK
               : ifd_note_add(note, IFD_DIVERGED, NULL, "the run with an ideal rig failed");
}

ifd_status ifd__ideal_run_make(ifd_arena *arena, const ifd_case *c, const ifd__ideal_run_ask *ask,
                               ifd__ideal_run *out, ifd_note *note)
{
    ifd_run_options o = c->run;
    int columns;
    o.every = 1;
    o.what = IFD_RECORD_GROUND;
    for (int i = 0; i < ask->columns; i++)
        o.what |= ask->needed[i] ? ifd__watch_group(ask->column[i].quantity) : 0u;
    *out = (ifd__ideal_run){.step = o.step.h};
    IFD_TRY(ifd_run_make(arena, &o, &out->run, note));
    const ifd_column *column = ifd_run_columns(out->run, &columns);
    out->room = ifd_run_steps(out->run) + 2;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->of, ask->columns), IFD__ARRAY(out->pick, ask->columns)));
    for (int i = 0; i < ask->columns; i++) {
        int at =
            ask->needed[i] ? ifd_column_find(column, columns, ask->column[i].owner, ask->column[i].quantity) : -1;
        out->of[i] = at < 0 ? -1 : out->columns;
        if (at >= 0)
            out->pick[out->columns++] = at;
    }
    return IFD__TAKE(arena, IFD__ARRAY(out->value, out->room * out->columns));
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
