/* SPDX-License-Identifier: MIT */
/* Tornado: each random variable at a low and a high quantile, the others at their medians. */
#include <math.h>

#include "study/answer/design.h"

static const ifd__key tornado_keys[] = {
    WITHIN("low", NONE, 1e-6, 0.5, 0.1, NULL, "probability of the low value of each variable"),
    WITHIN("high", NONE, 0.5, 0.999999, 0.9, NULL, "probability of the high value"), END};
const ifd__section ifd__study_section_tornado = {
    "tornado", "tornado: one variable at a time", "analysis.tornado",
    "One member has all random variables at their medians; two members for each variable have "
    "it at its quantiles `low` and "
    "`high`. The swing is the difference of both results. It needs no `sample`.",
    tornado_keys};

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

typedef struct swing {
    double low[IFD_STUDY_VARIABLES], high[IFD_STUDY_VARIABLES], size[IFD_STUDY_VARIABLES];
    int largest; /* -1: none */
} swing;

static void swing_of(const ifd__design *d, const double *y, swing *s)
{
    s->largest = -1;
    for (int i = 0; i < d->variables; i++) {
        s->low[i] = y[1 + 2 * i];
        s->high[i] = y[2 + 2 * i];
        s->size[i] = isnan(s->high[i] - s->low[i]) ? 0 : fabs(s->high[i] - s->low[i]);
        if (s->size[i] > 0 && (s->largest < 0 || s->size[i] > s->size[s->largest]))
            s->largest = i;
    }
}

static ifd_status tornado_answer(ifd__answer *a, const void *asked)
{
    static const char *const column[] = {"variable", "low", "median", "high", "swing"};
    const ifd__design *d = asked;
    const ifd_study *study = a->study;
    swing *s;
    const double **y;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(s, study->scalars), IFD__ARRAY(y, study->scalars)));
    ifd_json_list(&a->json, "sentences");
    for (int k = 0; k < study->scalars; k++) {
        if (!(y[k] = ifd__design_scalar(a, d, k)))
            return IFD_NO_MEMORY;
        swing_of(d, y[k], &s[k]);
        if (s[k].largest >= 0)
            ifd_json_text(&a->json, NULL,
                          ifd_arena_print(
                              a->arena, "%s is %.4g with all variables at their medians; it is most sensitive to %s.",
                              study->scalar[k].name, y[k][0], d->name[s[k].largest]));
    }
    ifd_json_end(&a->json);
    ifd_json_list(&a->json, "tables");
    for (int k = 0; k < study->scalars; k++) {
        ifd__table_begin(&a->json, study->scalar[k].name, 5, column);
        for (int i = 0; i < d->variables; i++)
            ifd__table_row(&a->json, d->name[i], 4,
                           (double[]){s[k].low[i], y[k][0], s[k].high[i], s[k].high[i] - s[k].low[i]});
        ifd__table_end(&a->json);
    }
    ifd_json_end(&a->json);
    ifd_json_list(&a->json, "charts");
    for (int k = 0; k < study->scalars; k++)
        ifd__bars_put(a, &(ifd__bars){.title = study->scalar[k].name,
                                      .x_label = study->scalar[k].name,
                                      .variables = d->variables,
                                      .name = d->name,
                                      .order = s[k].size,
                                      .series = 1,
                                      .from = {s[k].low},
                                      .to = {s[k].high}});
    ifd_json_end(&a->json);
    return IFD_OK;
}

const ifd__analysis ifd__analysis_tornado = {&ifd__study_section_tornado, tornado_read, tornado_answer};
