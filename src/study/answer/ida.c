/* SPDX-License-Identifier: MIT */
/* Incremental dynamic analysis: one chain of runs for each motion, by hunt and fill. */
#include <math.h>
#include <string.h>

#include "study/answer/answer.h"
#include "study/answer/curves.h"

enum { MOST_RUNS = 256, LEVELS = 41 };

const ifd__section ifd__study_section_ida = {
    "ida", "ida: incremental dynamic analysis", "analysis.ida",
    "The intensity of each motion grows until collapse (docs/guide/study-answers.md). A motion without collapse "
    "gives a lower bound of its collapse intensity. The values that `vary` gives to the searched variable are not "
    "used.",
    KEYS(TEXT("intensity", true, NULL, "name of the searched variable, which scales the motion"),
         TEXT("demand", true, NULL, "name of the kept scalar"), NUMBER("first", ANY, 1e-12, 1e12, "first intensity"),
         NUMBER("step", ANY, 1e-12, 1e12, "first increment; it doubles until collapse"),
         WITHIN("limit", ANY, 0, 1e12, 0, "none", "demand beyond which a run is a collapse"),
         WITHIN("slope", NONE, 0, 1, 0.2, NULL,
                "collapse if the slope of the curve is below this fraction of the elastic slope; 0: not used"),
         WITHIN("resolution", NONE, 1e-4, 1, 0.05, NULL,
                "largest relative gap between the last run without collapse and the first with it"),
         WITHIN("most", ANY, 0, 1e12, 0, "none", "largest intensity"),
         WITHIN("runs", NONE, 2, 256, 24, NULL, "largest number of runs of a motion"),
         WITHIN("fill", NONE, 0, 200, 4, NULL, "runs that halve the largest gaps below collapse"),
         WITHIN("period", TIME, 0, 100, 0, "the intensity is the value of the variable",
                "the intensity is the pseudo-acceleration of the ground at this period"),
         WITHIN("damping", NONE, 0, 0.99, 0.05, NULL, "damping ratio of this pseudo-acceleration"),
         WITHIN("confidence", NONE, 0.5, 0.999, 0.95, NULL, "level of the bands"),
         FORM("demands", false, "number, or list of numbers", "none",
              "demands whose intensities are fitted by a lognormal distribution"),
         TEXT("intensity-unit", false, "SI", "unit of the intensity in the output"),
         TEXT("demand-unit", false, "SI", "unit of the demand in the output"))};

typedef struct ida {
    ifd_study *study;
    ifd_study_plan plan;
    const ifd_study_plan *grid; /* of the file: one member for each motion */
    ifd__hunt hunt;
    int variable, scalar;
    double period, damping, level;
    double *unit; /* of each motion: intensity of value 1; 0: not computed yet */
    int demands;
    const double *demand;
    ifd__shown intensity, response;
} ida;

/* Intensity of the motion of a chain if the variable is 1. */
static double unit_intensity(const ida *k, long chain)
{
    double value[IFD_STUDY_VARIABLES];
    if (!(k->period > 0))
        return 1;
    if (k->unit[chain] == 0) {
        k->grid->next(k->grid->self, chain, 0, NULL, value);
        value[k->variable] = 1;
        k->unit[chain] = ifd__ground_response(k->study, value, k->period, k->damping);
    }
    return k->unit[chain];
}

static bool next_run(void *self, long chain, int step, const ifd_study_result *const *earlier, double *value)
{
    ida *k = self;
    ifd__hunt_point point[MOST_RUNS];
    double intensity, unit = unit_intensity(k, chain);
    for (int i = 0; i < step; i++)
        point[i] = (ifd__hunt_point){earlier[i]->value[k->variable] * unit, ifd__demand_of(earlier[i], k->scalar)};
    if (!(unit > 0) || (step > 0 && earlier[step - 1]->outcome == IFD_STUDY_REFUSED) ||
        !ifd__hunt_next(&k->hunt, step, point, &intensity))
        return false;
    k->grid->next(k->grid->self, chain, 0, NULL, value);
    value[k->variable] = intensity / unit;
    return true;
}

static void *ida_read(ifd__reader *r, ifd_study *s, const ifd__fields *f)
{
    ida *k = ifd_arena_take(r->arena, sizeof *k);
    int errors = r->note->errors;
    if (!ifd__in_memory(r, k))
        return NULL;
    double limit = ifd__field(f, "limit")->number, most = ifd__field(f, "most")->number;
    *k = (ida){.study = s, .grid = s->plan, .period = ifd__field(f, "period")->number};
    k->variable = ifd__find_variable(r, s, ifd__field(f, "intensity"));
    k->scalar = ifd__find_scalar(r, s, ifd__field(f, "demand"));
    k->damping = ifd__field(f, "damping")->number;
    k->level = ifd__field(f, "confidence")->number;
    k->hunt = (ifd__hunt){.first = ifd__field(f, "first")->number,
                          .step = ifd__field(f, "step")->number,
                          .limit = limit > 0 ? limit : (double)INFINITY,
                          .slope = ifd__field(f, "slope")->number,
                          .resolution = ifd__field(f, "resolution")->number,
                          .most = most > 0 ? most : (double)INFINITY,
                          .runs = ifd__field_whole(r, f, "runs", "ida: "),
                          .fill = ifd__field_whole(r, f, "fill", "ida: ")};
    k->demands = ifd__read_numbers(r, ifd__part(f, "demands"), &k->demand);
    const char *unit = k->scalar >= 0 ? s->scalar[k->scalar].unit : "";
    k->intensity = ifd__shown_as(r, ifd__field(f, "intensity")->word, ifd__field(f, "intensity-unit"), "");
    k->response = ifd__shown_as(r, ifd__field(f, "demand")->word, ifd__field(f, "demand-unit"), unit);
    if (r->note->errors != errors)
        return NULL;
    const ifd__variable *v = &s->variable[k->variable];
    if (v->items != 1 || !v->number)
        ifd_note_add(r->note, IFD_CONFLICT, &ifd__field(f, "intensity")->place,
                     "'%s' is searched: expected one number in its list", v->shown.name);
    k->unit = ifd_arena_array(r->arena, (size_t)k->grid->chains, sizeof *k->unit);
    if (r->note->errors != errors || !ifd__in_memory(r, k->unit))
        return NULL;
    k->plan =
        (ifd_study_plan){.self = k, .chains = k->grid->chains, .width = 1, .steps = k->hunt.runs, .next = next_run};
    s->plan = &k->plan;
    return k;
}

typedef struct curves {
    int count;
    ifd__ida_curve *curve;
    int collapsed;
    double largest;     /* finite demand */
    ifd__fragility fit; /* of the capacities; theta 0: none */
    double *capacity;
} curves;

/* The curve of every motion that has a run. */
static ifd_status collect(ifd__answer *a, const ida *k, curves *out)
{
    long chains = k->plan.chains;
    ifd__hunt_point *point;
    bool *above;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(point, (size_t)a->count + 1), IFD__ARRAY(above, chains),
                      IFD__ARRAY(out->curve, chains), IFD__ARRAY(out->capacity, chains)));
    for (long chain = 0; chain < chains; chain++) {
        int n = 0;
        for (long i = 0; i < a->count; i++) {
            double demand = ifd__demand_of(a->result[i], k->scalar);
            if (a->result[i]->number % chains == chain && !isnan(demand))
                point[n++] = (ifd__hunt_point){a->result[i]->value[k->variable] * unit_intensity(k, chain), demand};
        }
        if (n == 0)
            continue;
        ifd__capacity capacity = ifd__hunt_capacity(&k->hunt, n, point);
        int below = ifd__hunt_curve(&k->hunt, n, point);
        for (int i = 0; i < below; i++)
            out->largest = fmax(out->largest, point[i].demand);
        out->curve[out->count] = (ifd__ida_curve){below, point, capacity};
        above[out->count] = !capacity.collapsed;
        out->capacity[out->count++] = capacity.value;
        out->collapsed += capacity.collapsed;
        point += n;
    }
    ifd__lognormal f;
    if (ifd__lognormal_fit(out->count, out->capacity, above, &f) == IFD_OK) {
        out->fit = (ifd__fragility){.theta = f.median, .beta = f.dispersion, .likelihood = (double)NAN};
        memcpy(out->fit.cov, f.cov, sizeof f.cov);
    }
    return IFD_OK;
}

static void put_sentences(ifd__answer *a, const ida *k, const curves *c, const ifd__fragility_view *v)
{
    ifd_json_list(&a->json, "sentences");
    ifd_json_text(
        &a->json, NULL,
        ifd_arena_print(a->arena, "%d of %d motions collapse, in %ld runs.", c->collapsed, c->count, a->count));
    if (c->fit.theta > 0)
        ifd_json_text(&a->json, NULL,
                      ifd_arena_print(a->arena, "Collapse capacity (%s): %s%s.", k->intensity.name,
                                      ifd__fragility_text(a->arena, v),
                                      c->collapsed < c->count ? "; motions without collapse are lower bounds" : ""));
    ifd_json_end(&a->json);
}

/* The lognormal fit of the intensities at which each motion reaches a demand; motions that never do are bounds. */
static bool level_fit(ifd__answer *a, const curves *c, double demand, ifd__lognormal *out)
{
    double *x = ifd_arena_array(a->arena, (size_t)c->count, sizeof *x);
    bool *above = ifd_arena_array(a->arena, (size_t)c->count, sizeof *above);
    for (int i = 0; x && above && i < c->count; i++) {
        x[i] = ifd__ida_intensity(&c->curve[i], demand);
        above[i] = isinf(x[i]);
        x[i] = above[i] ? c->curve[i].capacity.value : x[i];
    }
    return x && above && ifd__lognormal_fit(c->count, x, above, out) == IFD_OK;
}

static void put_values(ifd__answer *a, const ida *k, const curves *c, const ifd__fragility_view *v)
{
    ifd_json *j = &a->json;
    ifd_json_object(j, "values");
    IFD_JSON_PUT(j, IFD_JSON("motions", c->count), IFD_JSON("collapsed", c->collapsed));
    if (c->fit.theta > 0)
        ifd__fragility_values(j, "capacity", v);
    ifd_json_list(j, "demands");
    for (int i = 0; i < k->demands; i++) {
        ifd__lognormal f;
        if (!level_fit(a, c, k->demand[i], &f))
            continue;
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("demand", k->demand[i]), IFD_JSON("median", f.median),
                        IFD_JSON("dispersion", f.dispersion));
    }
    ifd_json_end(j);
    ifd_json_list(j, "curves");
    for (int i = 0; i < c->count; i++) {
        const ifd__ida_curve *x = &c->curve[i];
        ifd_json_object(j, NULL);
        IFD_JSON_PUT(j, IFD_JSON("collapsed", x->capacity.collapsed), IFD_JSON("capacity", x->capacity.value),
                     IFD_JSON("low", x->capacity.low), IFD_JSON("high", x->capacity.high));
        ifd_json_list(j, "intensity");
        for (int p = 0; p < x->count; p++)
            ifd_json_number(j, NULL, x->point[p].intensity);
        ifd_json_end(j);
        ifd_json_list(j, "demand");
        for (int p = 0; p < x->count; p++)
            ifd_json_number(j, NULL, x->point[p].demand);
        ifd_json_end(j);
        ifd_json_end(j);
    }
    ifd_json_end(j);
    ifd_json_end(j);
}

/* 16, 50 and 84 % of demand at ten intensities. */
static ifd_status put_tables(ifd__answer *a, const ida *k, const curves *c)
{
    const char *column[] = {k->intensity.label, "16 %", "50 %", "84 %"};
    double *scratch = ifd_arena_array(a->arena, (size_t)c->count + 1, sizeof *scratch), most = 0;
    IFD__HAVE(scratch);
    for (int i = 0; i < c->count; i++)
        most = fmax(most, c->capacity[i]);
    ifd_json_list(&a->json, "tables");
    ifd__table_begin(&a->json, ifd_arena_print(a->arena, "%s at an intensity; empty: collapse", k->response.label), 4,
                     column);
    for (int i = 1; i <= 10 && c->count; i++) {
        double band[3], x = most * i / 10;
        ifd__ida_demand_band(c->count, c->curve, x, scratch, band);
        for (int p = 0; p < 3; p++)
            band[p] *= k->response.factor;
        ifd__table_row(&a->json, ifd_arena_print(a->arena, "%.4g", x * k->intensity.factor), 3, band);
    }
    ifd__table_end(&a->json);
    ifd_json_end(&a->json);
    return IFD_OK;
}

/* A curve from the origin, then horizontal at its capacity to the end of the axis. */
static void put_curve(ifd__answer *a, const ida *k, const ifd__ida_curve *c, double end)
{
    size_t room = (size_t)c->count + 3;
    double *x = ifd_arena_array(a->arena, room, sizeof *x), *y = ifd_arena_array(a->arena, room, sizeof *y);
    int n = 1;
    if (!x || !y)
        return;
    for (int i = 0; i < c->count; i++, n++) {
        x[n] = c->point[i].demand;
        y[n] = c->point[i].intensity;
    }
    if (c->capacity.collapsed) {
        x[n] = x[n - 1];
        y[n++] = c->capacity.value;
        x[n] = end;
        y[n++] = c->capacity.value;
    }
    ifd__drawing_curve(&a->json,
                       &(ifd__drawn){NULL, "thin", n, x, y, NULL, k->response.factor, k->intensity.factor, 0});
}

static ifd_status put_bands(ifd__answer *a, const ida *k, const curves *c, double end)
{
    static const char *const name[] = {"16 %", "50 %", "84 %"}, *const style[] = {"dashed", "line", "dashed"};
    double *d, *band, *scratch;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(d, LEVELS), IFD__ARRAY(band, 3 * LEVELS), IFD__ARRAY(scratch, c->count)));
    for (int i = 0; i < LEVELS; i++) {
        double q[3] = {0, 0, 0};
        d[i] = end * i / (LEVELS - 1.0);
        if (i > 0)
            ifd__ida_intensity_band(c->count, c->curve, d[i], scratch, q);
        for (int p = 0; p < 3; p++)
            band[p * LEVELS + i] = q[p];
    }
    for (int p = 0; p < 3; p++)
        ifd__drawing_curve(&a->json, &(ifd__drawn){name[p], style[p], LEVELS, d, band + p * LEVELS, NULL,
                                                   k->response.factor, k->intensity.factor, p == 1 ? 1 : 2});
    return IFD_OK;
}

static ifd_status put_charts(ifd__answer *a, const ida *k, const curves *c, ifd__fragility_view *v)
{
    double end = isfinite(k->hunt.limit) ? k->hunt.limit : 1.1 * c->largest;
    ifd_json_list(&a->json, "charts");
    ifd__drawing_begin(&a->json, &(ifd__drawing){"Incremental dynamic analysis", k->response.label,
                                                 k->intensity.label, .x_to = end * k->response.factor});
    for (int i = 0; i < c->count; i++)
        put_curve(a, k, &c->curve[i], end);
    IFD_TRY(put_bands(a, k, c, end));
    ifd__drawing_end(&a->json);
    double *x, *p;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(x, c->count), IFD__ARRAY(p, c->count)));
    for (int i = 0; i < c->count; i++)
        if (c->curve[i].capacity.collapsed)
            x[v->points++] = c->capacity[i];
    ifd__sort(v->points, x);
    for (int i = 0; i < v->points; i++)
        p[i] = (i + 0.5) / c->count;
    v->x = x;
    v->fraction = p;
    if (c->fit.theta > 0)
        IFD_TRY(ifd__fragility_chart(a, "Probability of collapse", v));
    ifd_json_end(&a->json);
    return IFD_OK;
}

static ifd_status ida_answer(ifd__answer *a, const void *asked)
{
    const ida *k = asked;
    curves c = {0};
    IFD_TRY(collect(a, k, &c));
    ifd__fragility_view v = {.fit = &c.fit, .level = k->level, .shown = k->intensity};
    put_sentences(a, k, &c, &v);
    put_values(a, k, &c, &v);
    IFD_TRY(put_tables(a, k, &c));
    return put_charts(a, k, &c, &v);
}

const ifd__analysis ifd__analysis_ida = {&ifd__study_section_ida, ida_read, ida_answer};
