/* SPDX-License-Identifier: MIT */
/* Rows of a result that a report draws. On hold the clock of a test advances and its simulated time does not: these
 * rows are omitted, and the others are drawn over simulated time. */
#include "report.h"
#include "figure.h"

#include <string.h>

static bool was_held(const report *r, int state)
{
    for (long i = r->first; i < r->first + r->rows; i++)
        if (r->t.value[state][i] != IFD_MACHINE_RUN)
            return true;
    return false;
}

bool report_choose(report *r)
{
    r->test = r->t.test;
    r->when = table_ran(r->a->arena, &r->t, r->c, &r->first, &r->rows);
    int state = report_find(r, "", IFD_COLUMN_TEST_STATE);
    if (!r->when || state < 0 || !was_held(r, state))
        return r->when != NULL;
    r->ran = ifd_arena_array(r->a->arena, (size_t)r->t.columns, sizeof *r->ran);
    r->kept = ifd_arena_array(r->a->arena, (size_t)r->rows + 1, sizeof *r->kept);
    if (!r->ran || !r->kept)
        return false;
    long n = 0;
    for (long i = 0; i < r->rows; i++) {
        if (n && r->when[i] <= r->when[n - 1])
            continue;
        r->kept[n] = r->first + i;
        r->when[n++] = r->when[i];
    }
    r->first = 0;
    r->rows = n;
    r->held = true;
    return true;
}

const double *report_column(const report *r, int channel)
{
    if (!r->kept)
        return r->t.value[channel] + r->first;
    if (!r->ran[channel]) {
        double *v = ifd_arena_array(r->a->arena, (size_t)r->rows + (size_t)r->first + 1, sizeof *v);
        if (!v)
            return r->t.value[channel];
        for (long i = 0; i < r->rows + r->first; i++)
            v[i] = r->t.value[channel][r->kept[i]];
        r->ran[channel] = v;
    }
    return r->ran[channel] + r->first;
}
