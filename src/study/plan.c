/* SPDX-License-Identifier: MIT */
/* The plan of a study file: member number = sample x points of the grid + point. A member is a function of its number
 * only. */
#include <string.h>

#include "study/study.h"

static bool on_grid(const ifd__variable *v)
{
    return v->items && !v->drawn;
}

/* Values of sample `at / points` and point `at % points`; of the grid the first variable changes slowest. */
static void values_of(const ifd_study *s, long at, double *value)
{
    double u[IFD_STUDY_VARIABLES];
    long point = at % s->points, index[IFD_STUDY_VARIABLES] = {0};
    if (s->sample.dimensions)
        ifd__sample_point(&s->sample, at / s->points, u);
    for (int i = s->variables - 1; i >= 0; i--) {
        const ifd__variable *v = &s->variable[i];
        if (!on_grid(v) || v->with >= 0)
            continue;
        index[i] = point % v->items;
        point /= v->items;
    }
    for (int i = 0; i < s->variables; i++) {
        const ifd__variable *v = &s->variable[i];
        value[i] = v->dimension >= 0 ? ifd__variable_draw(v, u[v->dimension])
                                     : ifd__variable_item(v, index[v->with >= 0 ? v->with : i]);
    }
}

static bool next(void *self, long chain, int step, const ifd_study_result *const *earlier, double *value)
{
    (void)earlier;
    if (step == 0)
        values_of(self, chain, value);
    return step == 0;
}

int ifd__variable_named(const ifd_study *s, const char *name)
{
    for (int i = 0; i < s->variables; i++)
        if (strcmp(s->variable[i].shown.name, name) == 0)
            return i;
    return -1;
}

static void pair_lists(ifd__reader *r, ifd_study *s, const ifd__node *vary)
{
    int i = 0;
    for (const ifd__node *n = vary->first; n; n = n->next, i++) {
        const ifd__node *with = ifd__yaml_get(n, "with");
        if (!with)
            continue;
        ifd__variable *v = &s->variable[i];
        int other = ifd__variable_named(s, with->text);
        if (other < 0 || other == i)
            ifd_note_add(r->note, IFD_UNKNOWN_NAME, &with->place, "there is no other variable '%s'", with->text);
        else if (!on_grid(v) || !on_grid(&s->variable[other]) || ifd__yaml_get(ifd__yaml_item(vary, other), "with"))
            ifd_note_add(r->note, IFD_CONFLICT, &with->place,
                         "'with' needs two lists, ranges or sets of files, and '%s' without 'with'", with->text);
        else if (v->items != s->variable[other].items)
            ifd_note_add(r->note, IFD_SHAPE, &with->place,
                         "'%s' has %d values and '%s' has %d: expected equal numbers", n->key, v->items, with->text,
                         s->variable[other].items);
        else
            v->with = other;
    }
}

static ifd_status make_sample(ifd__reader *r, ifd_study *s, const ifd__node *vary)
{
    if (s->sample.method == IFD__SOBOL && s->sample.dimensions > IFD__SOBOL_DIMENSIONS)
        return ifd_note_add(r->note, IFD_TOO_LARGE, &vary->place, "a Sobol sequence has at most %d random variables",
                            IFD__SOBOL_DIMENSIONS);
    ifd_status status = s->sample.dimensions ? ifd__sample_make(r->arena, &s->sample) : IFD_OK;
    const ifd__node *node = ifd__yaml_get(r->doc.root, status == IFD_RANGE ? "sample" : "correlation");
    const ifd_place *place = node ? &node->place : &vary->place;
    if (status == IFD_NOT_POSITIVE)
        return ifd_note_add(r->note, status, place,
                            "these correlations are impossible: their matrix is not positive definite");
    if (status == IFD_RANGE)
        return ifd_note_add(r->note, status, place,
                            "a correlated Latin hypercube of %d random variables needs more than %ld members",
                            s->sample.dimensions, s->sample.members);
    return status == IFD_OK ? status : ifd_note_add(r->note, status, NULL, "out of memory");
}

ifd_status ifd__plan_make(ifd__reader *r, ifd_study *s, const ifd__node *vary)
{
    pair_lists(r, s, vary);
    s->points = 1;
    for (int i = 0; i < s->variables; i++)
        if (on_grid(&s->variable[i]) && s->variable[i].with < 0 && s->points <= IFD__STUDY_MEMBERS)
            s->points *= s->variable[i].items;
    if (s->points > IFD__STUDY_MEMBERS || s->points * s->sample.members > IFD__STUDY_MEMBERS)
        return ifd_note_add(r->note, IFD_TOO_LARGE, &vary->place, "the study has more than %ld members",
                            IFD__STUDY_MEMBERS);
    IFD_TRY(make_sample(r, s, vary));
    s->own =
        (ifd_study_plan){.self = s, .chains = s->points * s->sample.members, .width = 1, .steps = 1, .next = next};
    s->plan = &s->own;
    return IFD_OK;
}

const char *ifd_study_title(const ifd_study *s)
{
    return s->title;
}

const char *ifd_study_base(const ifd_study *s)
{
    return s->base;
}

const ifd_study_variable *ifd_study_variables(const ifd_study *s, int *count)
{
    *count = s->variables;
    return s->shown;
}

long ifd_study_members(const ifd_study *s)
{
    return s->plan->chains * s->plan->width * s->plan->steps;
}

bool ifd_study_values(const ifd_study *s, long number, double *value)
{
    if (s->plan->steps != 1 || s->plan->width != 1 || number < 0 || number >= s->plan->chains)
        return false;
    return s->plan->next(s->plan->self, number, 0, NULL, value);
}

const char *const *ifd_study_settings(ifd_arena *arena, const ifd_study *s, const double *value, int *count)
{
    int n = s->sets;
    for (int i = 0; i < s->variables; i++)
        n += s->variable[i].keys;
    const char **set = ifd_arena_array(arena, (size_t)n, sizeof *set);
    if (!set)
        return NULL;
    *count = 0;
    for (int i = 0; i < s->sets; i++)
        set[(*count)++] = s->set[i];
    for (int i = 0; i < s->variables; i++)
        for (int k = 0; k < s->variable[i].keys; k++, (*count)++) {
            set[*count] = ifd__variable_setting(arena, &s->variable[i], k, value[i]);
            if (!set[*count])
                return NULL;
        }
    return set;
}
