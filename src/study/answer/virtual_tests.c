/* SPDX-License-Identifier: MIT */
/* Preflight by many virtual tests: probability of a trip and of a small error, and the variables they depend on. */
#include <math.h>
#include <string.h>

#include "study/answer/design.h"

enum { SHOWN = 2000 };

const ifd__section ifd__study_section_virtual_tests = {
    "virtual-tests", "virtual-tests: Monte Carlo preflight", "analysis.virtual-tests",
    "Members are virtual tests (`compute: test`) with random variables. The answer contains the probability of a "
    "trip, and the probability that the error is below `bound`, with intervals of Clopper and Pearson. A test that "
    "tripped or failed counts as an error above `bound`. The program also estimates how much of the variance of the "
    "error each variable explains alone, from the same members in groups of equal size.",
    KEYS(TEXT("error", true, NULL, "name of the kept scalar that is the error of a test"),
         WITHIN("bound", NONE, 1e-9, 1e9, 0.05, NULL, "largest permitted error"),
         WITHIN("confidence", NONE, 0.5, 0.999, 0.95, NULL, "level of the intervals"))};

typedef struct virtual_tests {
    int error;
    double bound, level;
} virtual_tests;

static void *tests_read(ifd__reader *r, ifd_study *s, const ifd__fields *f)
{
    virtual_tests *k = ifd_arena_take(r->arena, sizeof *k);
    if (!ifd__in_memory(r, k))
        return NULL;
    *k = (virtual_tests){ifd__find_scalar(r, s, ifd__field(f, "error")), ifd__field(f, "bound")->number,
                         ifd__field(f, "confidence")->number};
    return k->error >= 0 ? k : NULL;
}

typedef struct counts {
    long tests, tripped, failed, below; /* refused and crashed members are no tests */
    int count;                          /* completed */
    double *error;
    const ifd_study_result **of;
    int variables;
    const char *name[IFD_STUDY_VARIABLES];
    double explained[IFD_STUDY_VARIABLES], correlation[IFD_STUDY_VARIABLES];
    int most; /* the variable that explains most; -1: unknown */
} counts;

static ifd_status count_tests(ifd__answer *a, const virtual_tests *k, counts *c)
{
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(c->error, (size_t)a->count + 1), IFD__ARRAY(c->of, (size_t)a->count + 1)));
    for (long i = 0; i < a->count; i++) {
        const ifd_study_result *r = a->result[i];
        c->tripped += r->outcome == IFD_STUDY_TRIPPED;
        c->failed += r->outcome == IFD_STUDY_FAILED;
        if (r->outcome != IFD_STUDY_COMPLETED || !isfinite(r->scalar[k->error]))
            continue;
        c->below += r->scalar[k->error] < k->bound;
        c->of[c->count] = r;
        c->error[c->count++] = r->scalar[k->error];
    }
    c->tests = c->count + c->tripped + c->failed;
    return IFD_OK;
}

/* Groups of about the square root of the number of tests, at most 50. */
static ifd_status sensitivities(ifd__answer *a, counts *c)
{
    double *x;
    int bins = (int)fmin(50, floor(sqrt(c->count)));
    c->most = -1;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(x, (size_t)c->count + 1)));
    for (int v = 0; v < a->study->variables; v++) {
        int n = c->variables;
        for (int i = 0; i < c->count; i++)
            x[i] = c->of[i]->value[v];
        if (a->study->variable[v].dimension < 0 ||
            ifd__explained_variance(a->arena, c->count, x, c->error, bins, &c->explained[n]) != IFD_OK ||
            ifd__rank_correlation(a->arena, c->count, x, c->error, &c->correlation[n]) != IFD_OK)
            continue;
        c->name[n] = a->study->variable[v].shown.name;
        c->most = c->most < 0 || c->explained[n] > c->explained[c->most] ? n : c->most;
        c->variables++;
    }
    return IFD_OK;
}

typedef struct probability {
    double value, low, high;
} probability;

static probability probability_of(long k, long n, double level)
{
    probability p = {n > 0 ? (double)k / (double)n : (double)NAN, 0, 1};
    if (n > 0)
        ifd__binomial_interval(k, n, level, &p.low, &p.high);
    return p;
}

static void put_probability(ifd_json *j, const char *key, long count, probability p)
{
    ifd_json_object(j, key);
    IFD_JSON_PUT(j, IFD_JSON("tests", count), IFD_JSON("probability", p.value));
    ifd_json_numbers(j, "interval", 2, (double[]){p.low, p.high});
    ifd_json_end(j);
}

static void put_text(ifd__answer *a, const virtual_tests *k, const counts *c)
{
    ifd_json *j = &a->json;
    probability trip = probability_of(c->tripped, c->tests, k->level),
                below = probability_of(c->below, c->tests, k->level);
    ifd_json_list(j, "sentences");
    ifd_json_text(j, NULL,
                  ifd_arena_print(a->arena, "Probability of a trip %.3g %% (%g %% interval %.2g to %.2g %%).",
                                  100 * trip.value, 100 * k->level, 100 * trip.low, 100 * trip.high));
    ifd_json_text(j, NULL,
                  ifd_arena_print(
                      a->arena, "Error below %g %% in %.4g %% of %ld virtual tests (%g %% interval %.4g to %.4g %%).",
                      100 * k->bound, 100 * below.value, c->tests, 100 * k->level, 100 * below.low,
                      100 * below.high));
    if (c->most >= 0)
        ifd_json_text(j, NULL,
                      ifd_arena_print(a->arena,
                                      "The error is most sensitive to %s, which explains %.0f %% of its variance.",
                                      c->name[c->most], 100 * fmax(0, c->explained[c->most])));
    if (c->failed > 0)
        ifd_json_text(j, NULL, ifd_arena_print(a->arena, "%ld tests ended early without a trip.", c->failed));
    ifd_json_end(j);
    ifd_json_object(j, "values");
    ifd_json_integer(j, "tests", c->tests);
    put_probability(j, "trip", c->tripped, trip);
    put_probability(j, "error_below", c->below, below);
    ifd_json_number(j, "bound", k->bound);
    ifd_json_list(j, "sensitivity");
    for (int i = 0; i < c->variables; i++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("variable", c->name[i]), IFD_JSON("explained", c->explained[i]),
                        IFD_JSON("rank_correlation", c->correlation[i]));
    ifd_json_end(j);
    ifd_json_end(j);
}

/* The faults of tripped tests, each with its number. */
static void put_faults(ifd__answer *a)
{
    static const char *const column[] = {"reason of the end", "tests"};
    ifd__table_begin(&a->json, "Tests that ended early", 2, column);
    for (long i = 0; i < a->count; i++) {
        const char *reason = a->result[i]->reason;
        double count = 0;
        bool seen = a->result[i]->outcome == IFD_STUDY_COMPLETED;
        for (long k = 0; k < a->count && !seen; k++) {
            bool same = a->result[k]->outcome == a->result[i]->outcome && strcmp(a->result[k]->reason, reason) == 0;
            seen = same && k < i;
            count += same;
        }
        if (!seen)
            ifd__table_row(&a->json, reason, 1, &count);
    }
    ifd__table_end(&a->json);
}

static ifd_status put_charts(ifd__answer *a, const virtual_tests *k, const counts *c)
{
    long shown = c->count < SHOWN ? c->count : SHOWN;
    double *e, *x, *p;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(e, (size_t)c->count + 1), IFD__ARRAY(x, SHOWN), IFD__ARRAY(p, SHOWN)));
    for (int i = 0; i < c->count; i++)
        e[i] = c->error[i];
    ifd__sort(c->count, e);
    for (long i = 0; i < shown; i++) {
        p[i] = (shown > 1 ? (double)i / (double)(shown - 1) : 1) * (double)c->count / (double)c->tests;
        x[i] = ifd__quantile(c->count, e, shown > 1 ? (double)i / (double)(shown - 1) : 0);
    }
    const char *label = ifd_arena_print(a->arena, "%s [%%]", a->study->scalar[k->error].name);
    ifd_json_list(&a->json, "charts");
    ifd__drawing_begin(&a->json,
                       &(ifd__drawing){"Error of virtual tests", label, "Fraction of tests below", .y_to = 1});
    ifd__drawing_curve(&a->json, &(ifd__drawn){"tests", "line", shown, x, p, NULL, 100, 1, 1});
    ifd__drawing_curve(&a->json, &(ifd__drawn){"bound", "dashed", 2, (double[]){k->bound, k->bound}, (double[]){0, 1},
                                               NULL, 100, 1, 2});
    ifd__drawing_end(&a->json);
    if (c->variables)
        ifd__bars_put(a, &(ifd__bars){.title = "Variance of the error that a variable explains alone",
                                      .x_label = "fraction",
                                      .variables = c->variables,
                                      .name = c->name,
                                      .order = c->explained,
                                      .series = 1,
                                      .to = {c->explained}});
    ifd_json_end(&a->json);
    return IFD_OK;
}

static ifd_status tests_answer(ifd__answer *a, const void *asked)
{
    const virtual_tests *k = asked;
    counts c = {0};
    static const char *const column[] = {"variable", "explained variance", "rank correlation"};
    IFD_TRY(count_tests(a, k, &c));
    IFD_TRY(sensitivities(a, &c));
    put_text(a, k, &c);
    ifd_json_list(&a->json, "tables");
    ifd__table_begin(&a->json, "Sensitivity of the error", 3, column);
    for (int i = 0; i < c.variables; i++)
        ifd__table_row(&a->json, c.name[i], 2, (double[]){c.explained[i], c.correlation[i]});
    ifd__table_end(&a->json);
    put_faults(a);
    ifd_json_end(&a->json);
    return put_charts(a, k, &c);
}

const ifd__analysis ifd__analysis_virtual_tests = {&ifd__study_section_virtual_tests, tests_read, tests_answer};
