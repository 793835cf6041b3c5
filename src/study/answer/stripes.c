/* SPDX-License-Identifier: MIT */
/* Multiple stripes: the same intensities for many motions; a fragility for each limit of the demand. */
#include <math.h>

#include "study/answer/answer.h"

enum { MOST_STRIPES = 200, MOST_LIMITS = 8 };

const ifd__section ifd__study_section_stripes = {
    "stripes", "stripes: multiple-stripe analysis and fragility", "analysis.stripes",
    "The variable that `intensity` names has a list of values, the stripes. Every combination of the other variables "
    "counts as a motion. A member that failed or tripped counts as above every limit. The band of a fragility comes "
    "from the inverse of the observed information, or from a bootstrap over motions.",
    KEYS(TEXT("intensity", true, NULL, "name of the variable whose values are the stripes"),
         TEXT("demand", true, NULL, "name of the kept scalar"),
         FORM("limits", true, "number, or list of up to 8", NULL, "demands; each has a fragility"),
         WITHIN("confidence", NONE, 0.5, 0.999, 0.95, NULL, "level of the bands"),
         WITHIN("bootstrap", NONE, 0, 100000, 0, "bands from the observed information",
                "number of bootstrap replicates, whose quantiles are the bands"),
         WITHIN("seed", NONE, 0, 9e15, 1, NULL, "seed of the bootstrap"),
         TEXT("intensity-unit", false, "SI", "unit of the intensity in the output"),
         TEXT("demand-unit", false, "SI", "unit of the demand in the output"))};

typedef struct stripes {
    int variable, scalar, limits, replicates;
    const double *limit;
    double level;
    uint64_t seed;
    ifd__shown intensity, demand;
} stripes;

static void *stripes_read(ifd__reader *r, ifd_study *s, const ifd__fields *f)
{
    stripes *k = ifd_arena_take(r->arena, sizeof *k);
    int errors = r->note->errors;
    if (!ifd__in_memory(r, k))
        return NULL;
    k->variable = ifd__find_variable(r, s, ifd__field(f, "intensity"));
    k->scalar = ifd__find_scalar(r, s, ifd__field(f, "demand"));
    k->limits = ifd__read_numbers(r, ifd__part(f, "limits"), &k->limit);
    k->level = ifd__field(f, "confidence")->number;
    k->replicates = ifd__field_whole(r, f, "bootstrap", "stripes: ");
    k->seed = (uint64_t)ifd__field(f, "seed")->number;
    const char *unit = k->scalar >= 0 ? s->scalar[k->scalar].unit : "";
    k->intensity = ifd__shown_as(r, ifd__field(f, "intensity")->word, ifd__field(f, "intensity-unit"), "");
    k->demand = ifd__shown_as(r, ifd__field(f, "demand")->word, ifd__field(f, "demand-unit"), unit);
    if (r->note->errors != errors)
        return NULL;
    const ifd__variable *v = &s->variable[k->variable];
    if (v->items < 2 || v->items > MOST_STRIPES || !v->number || v->drawn)
        ifd_note_add(r->note, IFD_CONFLICT, &ifd__field(f, "intensity")->place,
                     "'%s' needs a list or range of 2 to %d numbers", v->shown.name, MOST_STRIPES);
    if (k->limits > MOST_LIMITS)
        ifd_note_add(r->note, IFD_SHAPE, &ifd__part(f, "limits")->place, "%d limits, expected at most %d", k->limits,
                     MOST_LIMITS);
    return r->note->errors == errors ? k : NULL;
}

/* Demands by stripe and motion; motions of a stripe are in the order of their numbers. */
typedef struct grid {
    int count, motions; /* stripes; motions of each, if all have the same */
    double x[MOST_STRIPES];
    int n[MOST_STRIPES];
    double *demand; /* count x room */
    int room;
    bool whole; /* every stripe has every motion */
} grid;

static ifd_status collect(ifd__answer *a, const stripes *k, grid *g)
{
    const ifd__variable *v = &a->study->variable[k->variable];
    g->count = v->items;
    g->room = (int)(a->study->plan->chains / v->items);
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(g->demand, (size_t)v->items * (size_t)g->room + 1)));
    g->whole = true;
    for (int i = 0; i < g->count; i++) {
        g->x[i] = v->number[i];
        for (long m = 0; m < a->count; m++) {
            double d = ifd__demand_of(a->result[m], k->scalar);
            if (a->result[m]->value[k->variable] == v->number[i] && !isnan(d))
                g->demand[i * g->room + g->n[i]++] = d;
        }
        g->whole = g->whole && g->n[i] == g->n[0];
    }
    g->motions = g->n[0];
    return IFD_OK;
}

typedef struct fitted {
    bool found;
    int k[MOST_STRIPES];
    double fraction[MOST_STRIPES];
    ifd__fragility fit;
    ifd__fragilities replicates;
    ifd__fragility_view view;
} fitted;

static ifd_status fit(ifd__answer *a, const stripes *k, const grid *g, double limit, fitted *out)
{
    unsigned char *exceeds = ifd_arena_array(a->arena, (size_t)g->count * (size_t)g->motions + 1, 1);
    IFD__HAVE(exceeds);
    for (int i = 0; i < g->count; i++) {
        for (int m = 0; m < g->n[i]; m++) {
            bool above = g->demand[i * g->room + m] > limit;
            out->k[i] += above;
            if (g->whole)
                exceeds[i * g->motions + m] = above;
        }
        out->fraction[i] = g->n[i] ? (double)out->k[i] / g->n[i] : (double)NAN;
    }
    ifd__stripes s = {.count = g->count, .x = g->x, .n = g->n, .k = out->k};
    out->found = ifd__fragility_fit(&s, &out->fit) == IFD_OK;
    out->view = (ifd__fragility_view){
        &out->fit, k->level, NULL, k->intensity, .points = g->count, .x = g->x, .fraction = out->fraction};
    if (!out->found || k->replicates == 0)
        return IFD_OK;
    ifd__bootstrap b = {g->motions, g->whole ? exceeds : NULL, k->replicates, k->seed};
    out->view.bootstrap = &out->replicates;
    return ifd__fragility_bootstrap(a->arena, &s, &b, &out->replicates);
}

static void put_sentences(ifd__answer *a, const stripes *k, const grid *g, const fitted *f)
{
    ifd_json_list(&a->json, "sentences");
    for (int i = 0; i < k->limits; i++) {
        double limit = k->limit[i] * k->demand.factor;
        const char *text =
            f[i].found ? ifd_arena_print(a->arena, "Fragility of %s above %.4g%s: %s.", k->demand.name, limit,
                                         k->demand.unit, ifd__fragility_text(a->arena, &f[i].view))
                       : ifd_arena_print(a->arena,
                                         "Fragility of %s above %.4g%s: the likelihood has no maximum, because the "
                                         "stripes do not overlap; add intensities or motions.",
                                         k->demand.name, limit, k->demand.unit);
        ifd_json_text(&a->json, NULL, text);
    }
    if (!g->whole)
        ifd_json_text(&a->json, NULL, "Some motions are missing in some stripes.");
    ifd_json_end(&a->json);
}

static void put_values(ifd__answer *a, const stripes *k, const grid *g, const fitted *f)
{
    ifd_json *j = &a->json;
    ifd_json_object(j, "values");
    ifd_json_numbers(j, "intensity", g->count, g->x);
    ifd_json_list(j, "limits");
    for (int i = 0; i < k->limits; i++) {
        ifd_json_object(j, NULL);
        ifd_json_number(j, "limit", k->limit[i]);
        ifd_json_list(j, "exceed");
        for (int s = 0; s < g->count; s++)
            ifd_json_integer(j, NULL, f[i].k[s]);
        ifd_json_end(j);
        ifd_json_list(j, "motions");
        for (int s = 0; s < g->count; s++)
            ifd_json_integer(j, NULL, g->n[s]);
        ifd_json_end(j);
        if (f[i].found)
            ifd__fragility_values(j, "fragility", &f[i].view);
        ifd_json_end(j);
    }
    ifd_json_end(j);
    ifd_json_end(j);
}

/* 16, 50 and 84 % of the demand in each stripe; a table, and lines of the chart. */
static ifd_status put_bands(ifd__answer *a, const stripes *k, const grid *g, double *band)
{
    const char *column[] = {k->intensity.label, "motions", "16 %", "50 %", "84 %"};
    double *sorted;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(sorted, (size_t)g->room + 1)));
    ifd_json_list(&a->json, "tables");
    ifd__table_begin(&a->json, ifd_arena_print(a->arena, "%s in each stripe; empty: collapse", k->demand.label), 5,
                     column);
    for (int i = 0; i < g->count; i++) {
        double q[4] = {g->n[i], (double)NAN, (double)NAN, (double)NAN};
        for (int m = 0; m < g->n[i]; m++)
            sorted[m] = g->demand[i * g->room + m];
        ifd__sort(g->n[i], sorted);
        for (int p = 0; p < 3 && g->n[i]; p++) {
            band[p * MOST_STRIPES + i] = ifd__quantile(g->n[i], sorted, p == 0 ? 0.16 : p == 1 ? 0.5 : 0.84);
            q[1 + p] = band[p * MOST_STRIPES + i] * k->demand.factor;
        }
        ifd__table_row(&a->json, ifd_arena_print(a->arena, "%.4g", g->x[i] * k->intensity.factor), 4, q);
    }
    ifd__table_end(&a->json);
    ifd_json_end(&a->json);
    return IFD_OK;
}

static ifd_status put_charts(ifd__answer *a, const stripes *k, const grid *g, const double *band, fitted *f)
{
    static const char *const name[] = {"16 %", "50 %", "84 %"}, *const style[] = {"dashed", "line", "dashed"};
    double fx = k->intensity.factor, fy = k->demand.factor;
    double *x;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(x, (size_t)g->room + 1)));
    ifd_json_list(&a->json, "charts");
    ifd__drawing_begin(
        &a->json, &(ifd__drawing){.title = "Stripes", .x_label = k->intensity.label, .y_label = k->demand.label});
    for (int i = 0; i < g->count; i++) {
        for (int m = 0; m < g->n[i]; m++)
            x[m] = g->x[i];
        ifd__drawing_curve(&a->json,
                           &(ifd__drawn){NULL, "points", g->n[i], x, g->demand + i * g->room, NULL, fx, fy, 6});
    }
    for (int p = 0; p < 3; p++)
        ifd__drawing_curve(&a->json, &(ifd__drawn){name[p], style[p], g->count, g->x, band + p * MOST_STRIPES, NULL,
                                                   fx, fy, p == 1 ? 1 : 2});
    ifd__drawing_end(&a->json);
    for (int i = 0; i < k->limits; i++)
        if (f[i].found)
            IFD_TRY(ifd__fragility_chart(a,
                                         ifd_arena_print(a->arena, "Probability that %s exceeds %.4g%s",
                                                         k->demand.name, k->limit[i] * fy, k->demand.unit),
                                         &f[i].view));
    ifd_json_end(&a->json);
    return IFD_OK;
}

static ifd_status stripes_answer(ifd__answer *a, const void *asked)
{
    const stripes *k = asked;
    grid *g;
    fitted *f;
    double *band;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(g, 1), IFD__ARRAY(f, MOST_LIMITS), IFD__ARRAY(band, 3 * MOST_STRIPES)));
    IFD_TRY(collect(a, k, g));
    for (int i = 0; i < k->limits; i++)
        IFD_TRY(fit(a, k, g, k->limit[i], &f[i]));
    put_sentences(a, k, g, f);
    put_values(a, k, g, f);
    IFD_TRY(put_bands(a, k, g, band));
    return put_charts(a, k, g, band, f);
}

const ifd__analysis ifd__analysis_stripes = {&ifd__study_section_stripes, stripes_read, stripes_answer};
