/* SPDX-License-Identifier: MIT */
/* Points of the random variables for sensitivity analyses. */
#include "study/answer/design.h"

#include <math.h>

static bool next_member(void *self, long chain, int step, const ifd_study_result *const *earlier, double *value)
{
    const ifd__design *d = self;
    const ifd_study *s = d->study;
    double u[IFD_STUDY_VARIABLES];
    (void)earlier;
    if (step > 0)
        return false;
    d->point(d, chain, u);
    for (int i = 0; i < s->variables; i++)
        value[i] = s->variable[i].dimension < 0 ? ifd__variable_item(&s->variable[i], 0) : 0;
    for (int i = 0; i < d->variables; i++)
        value[d->variable[i]] = ifd__variable_draw(&s->variable[d->variable[i]], u[i]);
    return true;
}

bool ifd__design_read(ifd__reader *r, ifd_study *s, const ifd_place *place, ifd__design *d)
{
    int errors = r->note->errors;
    d->study = s;
    for (int i = 0; i < s->variables; i++) {
        const ifd__variable *v = &s->variable[i];
        if (v->dimension < 0 && v->items > 1)
            ifd_note_add(r->note, IFD_CONFLICT, &v->place,
                         "variable '%s' has %d values; a sensitivity needs distributions, or a list of one value",
                         v->shown.name, v->items);
        if (v->dimension < 0)
            continue;
        d->variable[d->variables] = i;
        d->name[d->variables++] = v->shown.name;
    }
    if (d->variables == 0 && r->note->errors == errors)
        ifd_note_add(r->note, IFD_CONFLICT, place, "a sensitivity needs random variables in 'vary'");
    if (s->sample.correlation)
        ifd_note_add(r->note, IFD_CONFLICT, place,
                     "a sensitivity needs independent variables, without 'correlation'");
    return r->note->errors == errors;
}

void ifd__design_plan(ifd__reader *r, ifd__design *d, double members, const ifd_place *place)
{
    if (members > (double)IFD__STUDY_MEMBERS) {
        ifd_note_add(r->note, IFD_TOO_LARGE, place, "the analysis has more than %ld members", IFD__STUDY_MEMBERS);
        return;
    }
    d->plan = (ifd_study_plan){.self = d, .chains = (long)members, .width = 1, .steps = 1, .next = next_member};
    d->study->plan = &d->plan;
}

const double *ifd__design_scalar(const ifd__answer *a, const ifd__design *d, int scalar)
{
    double *y = ifd_arena_array(a->arena, (size_t)d->plan.chains, sizeof *y);
    for (long i = 0; y && i < d->plan.chains; i++)
        y[i] = (double)NAN;
    for (long i = 0; y && i < a->count; i++)
        if (a->result[i]->outcome == IFD_STUDY_COMPLETED)
            y[a->result[i]->number] = a->result[i]->scalar[scalar];
    return y;
}

void ifd__bars_put(ifd__answer *a, const ifd__bars *b)
{
    int order[IFD_STUDY_VARIABLES];
    const char *row[IFD_STUDY_VARIABLES];
    double from[IFD_STUDY_VARIABLES], to[IFD_STUDY_VARIABLES], height[IFD_STUDY_VARIABLES];
    for (int i = 0; i < b->variables; i++) { /* ascending: heights grow upwards */
        int k = i;
        for (; k > 0 && b->order[order[k - 1]] > b->order[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    for (int i = 0; i < b->variables; i++)
        row[i] = b->name[order[i]];
    ifd__drawing_begin(&a->json, &(ifd__drawing){b->title, b->x_label, "", .rows = b->variables, .row = row});
    for (int s = 0; s < b->series; s++) {
        for (int i = 0; i < b->variables; i++) {
            from[i] = b->from[s] ? b->from[s][order[i]] : 0;
            to[i] = b->to[s][order[i]];
            height[i] = i;
        }
        ifd__drawing_curve(&a->json,
                           &(ifd__drawn){b->legend[s], "bars", b->variables, from, height, to, 1, 1, s + 1});
    }
    ifd__drawing_end(&a->json);
}

static void put_chart(ifd__answer *a, const ifd__design *d, const ifd__sensitivity *s, const char *scalar,
                      const double *number)
{
    double from[IFD_STUDY_VARIABLES], to[2][IFD_STUDY_VARIABLES], order[IFD_STUDY_VARIABLES];
    for (int i = 0; i < d->variables; i++) {
        const double *row = number + i * s->columns;
        from[i] = s->from < 0 ? 0 : row[s->from];
        to[0][i] = row[s->to[0]];
        to[1][i] = row[s->to[1]];
        double length = fabs(to[0][i] - from[i]);
        order[i] = s->from < 0 ? to[0][i] : isnan(length) ? 0 : length;
    }
    ifd__bars_put(a, &(ifd__bars){.title = scalar,
                                  .x_label = s->x_label ? s->x_label : scalar,
                                  .variables = d->variables,
                                  .name = d->name,
                                  .order = order,
                                  .series = s->series,
                                  .legend = {s->legend[0], s->legend[1]},
                                  .from = {from, from},
                                  .to = {to[0], to[1]}});
}

ifd_status ifd__design_answer(ifd__answer *a, const ifd__design *d, const ifd__sensitivity *s)
{
    const ifd_study_kept *scalar = a->study->scalar;
    int scalars = a->study->scalars, width = d->variables * s->columns;
    double *number;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(number, scalars * width)));
    ifd_json_list(&a->json, "sentences");
    for (int k = 0; k < scalars; k++) {
        const double *y = ifd__design_scalar(a, d, k);
        const char *text = y ? s->compute(a, d, scalar[k].name, y, number + k * width) : NULL;
        IFD__HAVE(y);
        if (text)
            ifd_json_text(&a->json, NULL, text);
    }
    ifd_json_end(&a->json);
    ifd_json_list(&a->json, "tables");
    for (int k = 0; k < scalars; k++) {
        ifd__table_begin(&a->json, scalar[k].name, 1 + s->columns, s->column);
        for (int i = 0; i < d->variables; i++)
            ifd__table_row(&a->json, d->name[i], s->columns, number + k * width + i * s->columns);
        ifd__table_end(&a->json);
    }
    ifd_json_end(&a->json);
    ifd_json_list(&a->json, "charts");
    for (int k = 0; k < scalars; k++)
        put_chart(a, d, s, scalar[k].name, number + k * width);
    ifd_json_end(&a->json);
    return IFD_OK;
}
