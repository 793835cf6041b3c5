/* SPDX-License-Identifier: MIT */
/* Cloud analysis: a regression of ln demand over ln intensity, and the fragilities that follow from it. */
#include <math.h>

#include "study/answer/answer.h"

enum { MOST_LIMITS = 8 };

const ifd__section ifd__study_section_cloud = {
    "cloud", "cloud: regression over motions and fragility", "analysis.cloud",
    "The members are the points of a regression, ln demand = a + b ln intensity (docs/guide/study-answers.md). The "
    "residuals have the standard deviation s, with n - 2 degrees of freedom. The band of a fragility comes from the "
    "covariance of a, b and s. Members that failed or tripped have no finite demand: they are counted, but are not "
    "part of the regression.",
    KEYS(TEXT("intensity", true, NULL, "name of a variable or of a kept scalar"),
         TEXT("demand", true, NULL, "name of the kept scalar"),
         FORM("limits", true, "number, or list of up to 8", NULL, "demands; each has a fragility"),
         WITHIN("period", TIME, 0, 100, 0, "the intensity is the named value",
                "the intensity is the pseudo-acceleration of the ground at this period"),
         WITHIN("damping", NONE, 0, 0.99, 0.05, NULL, "damping ratio of this pseudo-acceleration"),
         WITHIN("confidence", NONE, 0.5, 0.999, 0.95, NULL, "level of the bands"),
         TEXT("intensity-unit", false, "SI", "unit of the intensity in the output"),
         TEXT("demand-unit", false, "SI", "unit of the demand in the output"))};

typedef struct cloud {
    int variable, scalar, demand; /* variable -1: the intensity is a scalar */
    int limits;
    const double *limit;
    double period, damping, level;
    ifd__shown intensity, response;
} cloud;

static bool is_scalar(const ifd_study *s, const char *name, int *index)
{
    for (*index = 0; *index < s->scalars; (*index)++)
        if (ifd_choice_find(name, s->scalar[*index].name) == 0)
            return true;
    return false;
}

static void *cloud_read(ifd__reader *r, ifd_study *s, const ifd__fields *f)
{
    cloud *k = ifd_arena_take(r->arena, sizeof *k);
    int errors = r->note->errors;
    if (!ifd__in_memory(r, k))
        return NULL;
    const ifd_value *name = ifd__field(f, "intensity");
    *k = (cloud){
        .variable = -1, .period = ifd__field(f, "period")->number, .damping = ifd__field(f, "damping")->number};
    if (!is_scalar(s, name->word, &k->scalar))
        k->variable = ifd__find_variable(r, s, name);
    k->demand = ifd__find_scalar(r, s, ifd__field(f, "demand"));
    k->limits = ifd__read_numbers(r, ifd__part(f, "limits"), &k->limit);
    k->level = ifd__field(f, "confidence")->number;
    const char *unit = k->demand >= 0 ? s->scalar[k->demand].unit : "";
    k->intensity = ifd__shown_as(r, name->word, ifd__field(f, "intensity-unit"), "");
    k->response = ifd__shown_as(r, ifd__field(f, "demand")->word, ifd__field(f, "demand-unit"), unit);
    if (r->note->errors == errors && k->variable >= 0 && s->variable[k->variable].items &&
        !s->variable[k->variable].number)
        ifd_note_add(r->note, IFD_CONFLICT, &name->place, "'%s' has no numbers", name->word);
    if (k->limits > MOST_LIMITS)
        ifd_note_add(r->note, IFD_SHAPE, &ifd__part(f, "limits")->place, "%d limits, expected at most %d", k->limits,
                     MOST_LIMITS);
    return r->note->errors == errors ? k : NULL;
}

typedef struct points {
    int count, collapsed;
    double *x, *d, *lx, *ld; /* intensity, demand, and their logarithms */
    ifd__line line;
    bool fitted;
} points;

static double intensity_of(ifd__answer *a, const cloud *k, const ifd_study_result *r)
{
    if (k->period > 0)
        return ifd__ground_response(a->study, r->value, k->period, k->damping);
    return k->variable >= 0 ? r->value[k->variable] : r->scalar[k->scalar];
}

static ifd_status collect(ifd__answer *a, const cloud *k, points *p)
{
    double **list[] = {&p->x, &p->d, &p->lx, &p->ld};
    for (int i = 0; i < 4; i++)
        IFD__HAVE(*list[i] = ifd_arena_array(a->arena, (size_t)a->count + 1, sizeof(double)));
    for (long i = 0; i < a->count; i++) {
        double x = intensity_of(a, k, a->result[i]), d = ifd__demand_of(a->result[i], k->demand);
        p->collapsed += isinf(d);
        if (!(x > 0) || !(d > 0) || !isfinite(x) || !isfinite(d))
            continue;
        p->x[p->count] = x;
        p->d[p->count] = d;
        p->lx[p->count] = log(x);
        p->ld[p->count++] = log(d);
    }
    p->fitted = ifd__line_fit(p->count, p->lx, p->ld, &p->line) == IFD_OK && p->line.b > 0;
    return IFD_OK;
}

/* ln theta = (ln d - a) / b, ln beta = ln s - ln b; s is independent of a and b, with variance s^2 / (2 (n - 2)). */
static ifd__fragility fragility_of(const points *p, double limit)
{
    const ifd__line *l = &p->line;
    double y = (log(limit) - l->a) / l->b, ab = l->correlation * l->a_error * l->b_error;
    ifd__fragility f = {.theta = exp(y), .beta = l->deviation / l->b, .likelihood = (double)NAN};
    f.cov[0] = (l->a_error * l->a_error + 2 * y * ab + y * y * l->b_error * l->b_error) / (l->b * l->b);
    f.cov[1] = (ab + y * l->b_error * l->b_error) / (l->b * l->b);
    f.cov[2] = 0.5 / (p->count - 2) + l->b_error * l->b_error / (l->b * l->b);
    return f;
}

static void put_text(ifd__answer *a, const cloud *k, const points *p, const ifd__fragility_view *v)
{
    ifd_json *j = &a->json;
    ifd_json_list(j, "sentences");
    if (p->fitted)
        ifd_json_text(
            j, NULL,
            ifd_arena_print(a->arena,
                            "%d members: demand proportional to intensity^%.3g, deviation of ln demand %.3g, R2 "
                            "%.3f; %d members without finite demand.",
                            p->count, p->line.b, p->line.deviation, p->line.r2, p->collapsed));
    else
        ifd_json_text(j, NULL,
                      "A regression is not possible: fewer than three members, or no increase of the demand.");
    for (int i = 0; p->fitted && i < k->limits; i++)
        ifd_json_text(j, NULL,
                      ifd_arena_print(a->arena, "Fragility of %s above %.4g%s: %s.", k->response.name,
                                      k->limit[i] * k->response.factor, k->response.unit,
                                      ifd__fragility_text(a->arena, &v[i])));
    ifd_json_end(j);
    ifd_json_object(j, "values");
    IFD_JSON_PUT(j, IFD_JSON("members", p->count), IFD_JSON("collapsed", p->collapsed));
    if (p->fitted)
        IFD_JSON_PUT(j, IFD_JSON("a", p->line.a), IFD_JSON("b", p->line.b), IFD_JSON("deviation", p->line.deviation),
                     IFD_JSON("r2", p->line.r2));
    ifd_json_list(j, "limits");
    for (int i = 0; p->fitted && i < k->limits; i++) {
        ifd_json_object(j, NULL);
        ifd_json_number(j, "limit", k->limit[i]);
        ifd__fragility_values(j, "fragility", &v[i]);
        ifd_json_end(j);
    }
    ifd_json_end(j);
    ifd_json_end(j);
    ifd_json_list(j, "tables");
    ifd_json_end(j);
}

static ifd_status cloud_answer(ifd__answer *a, const void *asked)
{
    const cloud *k = asked;
    points p = {0};
    ifd__fragility f[MOST_LIMITS];
    ifd__fragility_view v[MOST_LIMITS];
    IFD_TRY(collect(a, k, &p));
    for (int i = 0; p.fitted && i < k->limits; i++) {
        f[i] = fragility_of(&p, k->limit[i]);
        v[i] = (ifd__fragility_view){.fit = &f[i], .level = k->level, .shown = k->intensity};
    }
    put_text(a, k, &p, v);
    double fx = k->intensity.factor, fy = k->response.factor, x[2] = {INFINITY, 0}, y[2];
    for (int i = 0; i < p.count; i++) {
        x[0] = fmin(x[0], p.x[i]);
        x[1] = fmax(x[1], p.x[i]);
    }
    for (int i = 0; i < 2; i++)
        y[i] = p.fitted ? exp(p.line.a + p.line.b * log(x[i])) : (double)NAN;
    ifd_json_list(&a->json, "charts");
    ifd__drawing_begin(&a->json, &(ifd__drawing){.title = "Cloud",
                                                 .x_label = k->intensity.label,
                                                 .y_label = k->response.label,
                                                 .log_x = true,
                                                 .log_y = true});
    ifd__drawing_curve(&a->json, &(ifd__drawn){"members", "points", p.count, p.x, p.d, NULL, fx, fy, 6});
    ifd__drawing_curve(&a->json, &(ifd__drawn){"regression", "line", 2, x, y, NULL, fx, fy, 1});
    ifd__drawing_end(&a->json);
    for (int i = 0; p.fitted && i < k->limits; i++)
        IFD_TRY(ifd__fragility_chart(a,
                                     ifd_arena_print(a->arena, "Probability that %s exceeds %.4g%s", k->response.name,
                                                     k->limit[i] * fy, k->response.unit),
                                     &v[i]));
    ifd_json_end(&a->json);
    return IFD_OK;
}

const ifd__analysis ifd__analysis_cloud = {&ifd__study_section_cloud, cloud_read, cloud_answer};
