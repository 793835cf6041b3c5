/* SPDX-License-Identifier: MIT */
/* Tornado: each random variable at a low and a high quantile, the others at their medians. */
#include <math.h>
#include <string.h>

#include "study/answer/design.h"

const ifd__section ifd__study_section_tornado = {
    "tornado", "tornado: one variable at a time", "analysis.tornado",
    "In one member, every random variable is at its median. For each variable, two more members have this variable "
    "at its quantiles `low` and `high`. The swing is the difference between the results of these two members. This "
    "analysis needs no `sample`.",
    KEYS(WITHIN("low", NONE, 1e-6, 0.5, 0.1, NULL, "probability of the low value of each variable"),
         WITHIN("high", NONE, 0.5, 0.999999, 0.9, NULL, "probability of the high value"))};

static void tornado_point(const ifd__design *d, long member, double *u)
{
    for (int i = 0; i < d->variables; i++)
        u[i] = 0.5;
    if (member > 0)
        u[(member - 1) / 2] = member % 2 ? d->low : d->high;
}

static void *tornado_read(ifd__reader *r, ifd_study *s, const ifd__fields *f)
{
    ifd__design *d = ifd_arena_take(r->arena, sizeof *d);
    if (!ifd__in_memory(r, d) || !ifd__design_read(r, s, &f->map->key_place, d))
        return NULL;
    d->low = ifd__field(f, "low")->number;
    d->high = ifd__field(f, "high")->number;
    d->point = tornado_point;
    ifd__design_plan(r, d, 2 * d->variables + 1, &f->map->key_place);
    return d;
}

static const char *compute(ifd__answer *a, const ifd__design *d, const char *scalar, const double *y, double *number)
{
    int largest = -1;
    double most = 0;
    for (int i = 0; i < d->variables; i++) {
        const double low = y[1 + 2 * i], high = y[2 + 2 * i], row[] = {low, y[0], high, high - low};
        memcpy(number + 4 * i, row, sizeof row);
        if (fabs(high - low) > most) {
            most = fabs(high - low);
            largest = i;
        }
    }
    return largest < 0
               ? NULL
               : ifd_arena_print(a->arena,
                                 "%s is %.4g with all variables at their medians; it is most sensitive to %s.",
                                 scalar, y[0], d->name[largest]);
}

static ifd_status tornado_answer(ifd__answer *a, const void *asked)
{
    static const char *const column[] = {"variable", "low", "median", "high", "swing"};
    static const ifd__sensitivity swings = {
        .columns = 4, .column = column, .series = 1, .from = 0, .to = {2}, .compute = compute};
    return ifd__design_answer(a, asked, &swings);
}

const ifd__analysis ifd__analysis_tornado = {&ifd__study_section_tornado, tornado_read, tornado_answer};
