/* SPDX-License-Identifier: MIT */
/* Elementary effects of Morris. */
#include <math.h>
#include <string.h>

#include "study/answer/design.h"

const ifd__section ifd__study_section_morris = {
    "morris", "morris: elementary effects", "analysis.morris",
    "Every sample of `sample` is a trajectory: it has one member more than there are random variables, and two "
    "consecutive members differ in one variable. Levels are equally spaced in probability from `low` to `high`. An "
    "elementary effect is the change of the result divided by the change of probability, where the range from `low` "
    "to `high` counts as 1.",
    KEYS(WITHIN("levels", NONE, 2, 100, 4, NULL, "levels of each variable; an even number"),
         WITHIN("low", NONE, 1e-6, 0.499, 0.01, NULL, "probability of the lowest level"),
         WITHIN("high", NONE, 0.501, 0.999999, 0.99, NULL, "probability of the highest level"))};

static void trajectory_of(const ifd__design *d, long trajectory, double *x)
{
    int order[IFD_STUDY_VARIABLES];
    ifd__morris_design of = {d->variables, d->levels, d->study->sample.seed};
    ifd__morris_trajectory(&of, (int)trajectory, order, x);
}

static void morris_point(const ifd__design *d, long member, double *u)
{
    double x[IFD_STUDY_VARIABLES * (IFD_STUDY_VARIABLES + 1)];
    int n = d->variables;
    trajectory_of(d, member / (n + 1), x);
    for (int i = 0; i < n; i++)
        u[i] = d->low + (d->high - d->low) * x[(member % (n + 1)) * n + i];
}

static void *morris_read(ifd__reader *r, ifd_study *s, const ifd__fields *f)
{
    ifd__design *d = ifd_arena_take(r->arena, sizeof *d);
    if (!ifd__in_memory(r, d) || !ifd__design_read(r, s, &f->map->key_place, d))
        return NULL;
    d->levels = ifd__field_whole(r, f, "levels", "morris: ");
    d->low = ifd__field(f, "low")->number;
    d->high = ifd__field(f, "high")->number;
    d->base = s->sample.members;
    d->point = morris_point;
    if (d->levels % 2)
        ifd_note_add(r->note, IFD_RANGE, &ifd__field(f, "levels")->place, "'levels' is %d, expected an even number",
                     d->levels);
    ifd__design_plan(r, d, (double)d->base * (d->variables + 1), &f->map->key_place);
    return d;
}

/* Effects over the trajectories of which all members completed; returns their number. */
static int effects_of(ifd__answer *a, const ifd__design *d, const double *y, ifd__effect *out)
{
    size_t n = (size_t)d->variables, points = n + 1;
    double *x = ifd_arena_array(a->arena, (size_t)d->base * points * n, sizeof *x);
    double *f = ifd_arena_array(a->arena, (size_t)d->base * points, sizeof *f);
    int whole = 0;
    for (long t = 0; x && f && t < d->base; t++) {
        bool complete = true;
        for (size_t p = 0; p < points; p++)
            complete = complete && isfinite(y[(size_t)t * points + p]);
        if (!complete)
            continue;
        trajectory_of(d, t, x + (size_t)whole * points * n);
        memcpy(f + (size_t)whole * points, y + (size_t)t * points, points * sizeof *f);
        whole++;
    }
    return whole > 0 && ifd__morris_effects(d->variables, whole, x, f, out) == IFD_OK ? whole : 0;
}

static const char *compute(ifd__answer *a, const ifd__design *d, const char *scalar, const double *y, double *number)
{
    ifd__effect e[IFD_STUDY_VARIABLES] = {{0}};
    int whole = effects_of(a, d, y, e), largest = 0;
    for (int i = 0; i < d->variables; i++) {
        memcpy(number + 3 * i, (const double[]){e[i].absolute, e[i].mean, e[i].deviation}, 3 * sizeof *number);
        largest = e[i].absolute > e[largest].absolute ? i : largest;
    }
    return ifd_arena_print(a->arena, "%s, %d of %ld trajectories: largest mean absolute effect of %s.", scalar, whole,
                           d->base, d->name[largest]);
}

static ifd_status morris_answer(ifd__answer *a, const void *asked)
{
    static const char *const column[] = {"variable", "mean of absolute effects", "mean", "deviation"};
    static const ifd__sensitivity effects = {.columns = 3,
                                             .column = column,
                                             .x_label = "mean of absolute elementary effects",
                                             .series = 1,
                                             .from = -1,
                                             .compute = compute};
    return ifd__design_answer(a, asked, &effects);
}

const ifd__analysis ifd__analysis_morris = {&ifd__study_section_morris, morris_read, morris_answer};
