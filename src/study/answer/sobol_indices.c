/* SPDX-License-Identifier: MIT */
/* Sobol indices: members in groups of A, B and AB_i. */
#include <math.h>
#include <string.h>

#include "study/answer/design.h"

const ifd__section ifd__study_section_sobol = {
    "sobol", "sobol: variance-based sensitivity", "analysis.sobol",
    "Every sample of `sample` gives two independent points A and B. For each random variable, it also gives the "
    "point A with the value of this variable at B. The number of members is samples times (variables + 2). "
    "Confidence intervals come from a bootstrap over the samples. The method of `sample` is monte-carlo or sobol; A "
    "and B are the two halves of a point in twice the number of dimensions.",
    KEYS(WITHIN("bootstrap", NONE, 10, 100000, 1000, NULL, "replicates for the intervals"),
         WITHIN("confidence", NONE, 0.5, 0.999, 0.95, NULL, "level of the intervals"))};

static double coordinate(const ifd__design *d, long sample, int dimension)
{
    const ifd__sample *s = &d->study->sample;
    if (s->method == IFD__SOBOL)
        return ifd__sobol_unit((uint64_t)sample, dimension, s->scramble ? &s->seed : NULL);
    return ifd__counter_unit(s->seed, IFD__FOR_SAMPLES, (uint64_t)sample, (uint32_t)dimension);
}

/* Member 0 of a group: A; 1: B; 2 + i: A with variable i of B. */
static void sobol_point(const ifd__design *d, long member, double *u)
{
    int n = d->variables, which = (int)(member % (n + 2));
    for (int i = 0; i < n; i++)
        u[i] = coordinate(d, member / (n + 2), which == 1 || which == 2 + i ? n + i : i);
}

static void *sobol_read(ifd__reader *r, ifd_study *s, const ifd__fields *f)
{
    ifd__design *d = ifd_arena_take(r->arena, sizeof *d);
    if (!ifd__in_memory(r, d) || !ifd__design_read(r, s, &f->map->key_place, d))
        return NULL;
    d->replicates = ifd__field_whole(r, f, "bootstrap", "sobol: ");
    d->confidence = ifd__field(f, "confidence")->number;
    d->base = s->sample.members;
    d->point = sobol_point;
    if (s->sample.method == IFD__LATIN_HYPERCUBE)
        ifd_note_add(
            r->note, IFD_CONFLICT, &f->map->key_place,
            "Sobol indices need two independent samples: expected 'method: sobol' or 'monte-carlo' in 'sample'");
    if (s->sample.method == IFD__SOBOL && 2 * d->variables > IFD__SOBOL_DIMENSIONS)
        ifd_note_add(r->note, IFD_TOO_LARGE, &f->map->key_place, "at most %d variables with the Sobol sequence",
                     IFD__SOBOL_DIMENSIONS / 2);
    ifd__design_plan(r, d, (double)d->base * (d->variables + 2), &f->map->key_place);
    return d;
}

/* Indices over the samples of which all members completed; returns their number, 0: none can be computed. */
static long indices_of(ifd__answer *a, const ifd__design *d, const double *y, ifd__index *out)
{
    long group = d->variables + 2, whole = 0;
    size_t base = (size_t)d->base;
    double *fa = ifd_arena_array(a->arena, base, sizeof *fa), *fb = ifd_arena_array(a->arena, base, sizeof *fb);
    double *ab = ifd_arena_array(a->arena, base * (size_t)d->variables, sizeof *ab);
    long *row = ifd_arena_array(a->arena, base, sizeof *row);
    if (!fa || !fb || !ab || !row)
        return 0;
    for (long k = 0; k < d->base; k++) {
        bool complete = true;
        for (long i = 0; i < group; i++)
            complete = complete && isfinite(y[k * group + i]);
        if (complete)
            row[whole++] = k;
    }
    for (long k = 0; k < whole; k++) {
        const double *g = y + row[k] * group;
        fa[k] = g[0];
        fb[k] = g[1];
        for (int i = 0; i < d->variables; i++)
            ab[i * whole + k] = g[2 + i];
    }
    ifd__sobol s = {d->variables, (int)whole, fa, fb, ab};
    ifd__sobol_bootstrap b = {d->replicates, d->study->sample.seed, d->confidence};
    return ifd__sobol_intervals(a->arena, &s, &b, out) == IFD_OK ? whole : 0;
}

static const char *compute(ifd__answer *a, const ifd__design *d, const char *scalar, const double *y, double *number)
{
    ifd__index x[IFD_STUDY_VARIABLES] = {{0}};
    long whole = indices_of(a, d, y, x);
    int largest = 0;
    for (int i = 0; i < d->variables; i++) {
        const double row[] = {x[i].first, x[i].first_band[0], x[i].first_band[1],
                              x[i].total, x[i].total_band[0], x[i].total_band[1]};
        memcpy(number + 6 * i, row, sizeof row);
        largest = x[i].total > x[largest].total ? i : largest;
    }
    return whole ? ifd_arena_print(a->arena, "%s, %ld of %ld samples: largest total index %.3f of %s.", scalar, whole,
                                   d->base, x[largest].total, d->name[largest])
                 : ifd_arena_print(a->arena, "%s: no variance, no indices.", scalar);
}

static ifd_status sobol_answer(ifd__answer *a, const void *asked)
{
    static const char *const column[] = {"variable", "first order", "from", "to", "total", "from", "to"};
    static const ifd__sensitivity indices = {.columns = 6,
                                             .column = column,
                                             .x_label = "Sobol index",
                                             .series = 2,
                                             .from = -1,
                                             .to = {3, 0},
                                             .legend = {"total", "first order"},
                                             .compute = compute};
    return ifd__design_answer(a, asked, &indices);
}

const ifd__analysis ifd__analysis_sobol = {&ifd__study_section_sobol, sobol_read, sobol_answer};
