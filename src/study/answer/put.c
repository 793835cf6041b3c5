/* SPDX-License-Identifier: MIT */
/* Tables, charts and fragilities in answer.json. */
#include "study/answer/answer.h"

#include <math.h>
#include <string.h>

enum { POINTS = 101 };

void ifd__drawing_begin(ifd_json *j, const ifd__drawing *d)
{
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("title", d->title), IFD_JSON("x_label", d->x_label), IFD_JSON("y_label", d->y_label),
                 IFD_JSON("log_x", d->log_x), IFD_JSON("log_y", d->log_y), IFD_JSON("x_to", d->x_to),
                 IFD_JSON("y_to", d->y_to));
    ifd_json_list(j, "rows");
    for (int i = 0; i < d->rows; i++)
        ifd_json_text(j, NULL, d->row[i]);
    ifd_json_end(j);
    ifd_json_list(j, "curves");
}

static void put_numbers(ifd_json *j, const char *key, const ifd__drawn *c, const double *value, double factor)
{
    ifd_json_list(j, key);
    for (long i = 0; value && i < c->count; i++)
        if (isfinite(c->x[i]) && isfinite(c->y[i]) && (!c->end || isfinite(c->end[i])))
            ifd_json_number(j, NULL, value[i] * (factor != 0 ? factor : 1));
    ifd_json_end(j);
}

void ifd__drawing_curve(ifd_json *j, const ifd__drawn *c)
{
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("name", c->name), IFD_JSON("style", c->style), IFD_JSON("colour", c->colour));
    put_numbers(j, "x", c, c->x, c->x_factor);
    put_numbers(j, "y", c, c->y, c->y_factor);
    if (c->end)
        put_numbers(j, "end", c, c->end, strcmp(c->style, "bars") == 0 ? c->x_factor : c->y_factor);
    ifd_json_end(j);
}

void ifd__drawing_end(ifd_json *j)
{
    ifd_json_end(j);
    ifd_json_end(j);
}

void ifd__table_begin(ifd_json *j, const char *title, int columns, const char *const *column)
{
    ifd_json_object(j, NULL);
    ifd_json_text(j, "title", title);
    ifd_json_list(j, "columns");
    for (int i = 0; i < columns; i++)
        ifd_json_text(j, NULL, column[i]);
    ifd_json_end(j);
    ifd_json_list(j, "rows");
}

void ifd__table_row(ifd_json *j, const char *name, int count, const double *value)
{
    ifd_json_list(j, NULL);
    ifd_json_text(j, NULL, name);
    for (int i = 0; i < count; i++)
        ifd_json_number(j, NULL, value[i]);
    ifd_json_end(j);
}

void ifd__table_end(ifd_json *j)
{
    ifd_json_end(j);
    ifd_json_end(j);
}

/* Half of the interval of ln theta or ln beta. */
static double reach(const ifd__fragility_view *v, int which)
{
    return ifd__normal_quantile(0.5 + 0.5 * v->level) * sqrt(v->fit->cov[which]);
}

void ifd__fragility_values(ifd_json *j, const char *key, const ifd__fragility_view *v)
{
    const ifd__fragility *f = v->fit;
    double theta = exp(reach(v, 0)), beta = exp(reach(v, 2));
    ifd_json_object(j, key);
    IFD_JSON_PUT(j, IFD_JSON("theta", f->theta), IFD_JSON("beta", f->beta));
    ifd_json_numbers(j, "theta_interval", 2, (double[]){f->theta / theta, f->theta * theta});
    ifd_json_numbers(j, "beta_interval", 2, (double[]){f->beta / beta, f->beta * beta});
    IFD_JSON_PUT(j, IFD_JSON("level", v->level), IFD_JSON("log_likelihood", f->likelihood));
    ifd_json_numbers(j, "covariance", 3, f->cov);
    if (v->bootstrap)
        IFD_JSON_PUT(j, IFD_JSON("replicates", v->bootstrap->count),
                     IFD_JSON("replicates_without_maximum", v->bootstrap->failed));
    ifd_json_end(j);
}

const char *ifd__fragility_text(ifd_arena *arena, const ifd__fragility_view *v)
{
    double theta = v->fit->theta * v->shown.factor, e = exp(reach(v, 0));
    return ifd_arena_print(arena, "median %.3g%s (%g %% interval %.3g to %.3g), dispersion %.3g", theta,
                           v->shown.unit, 100 * v->level, theta / e, theta * e, v->fit->beta);
}

/* From 0 to where nearly all exceed. */
ifd_status ifd__fragility_chart(ifd__answer *a, const char *title, const ifd__fragility_view *v)
{
    double *x, *p, *low, *high, *scratch;
    IFD_TRY(IFD__TAKE(a->arena, IFD__ARRAY(x, POINTS), IFD__ARRAY(p, POINTS), IFD__ARRAY(low, POINTS),
                      IFD__ARRAY(high, POINTS), IFD__ARRAY(scratch, v->bootstrap ? (size_t)v->bootstrap->count : 0)));
    double most = v->fit->theta * exp(2.5 * v->fit->beta);
    for (int i = 0; i < v->points; i++)
        most = fmax(most, v->x[i]);
    for (int i = 0; i < POINTS; i++) {
        double band[2];
        x[i] = most * (i + 0.01) / (POINTS - 1.0);
        p[i] = ifd__fragility_probability(v->fit, x[i]);
        if (v->bootstrap)
            ifd__fragilities_band(v->bootstrap, x[i], v->level, scratch, band);
        else
            ifd__fragility_band(v->fit, x[i], v->level, &band[0], &band[1]);
        low[i] = band[0];
        high[i] = band[1];
    }
    const char *name =
        ifd_arena_print(a->arena, "%g %% confidence%s", 100 * v->level, v->bootstrap ? ", bootstrap" : "");
    double f = v->shown.factor;
    ifd__drawing_begin(&a->json, &(ifd__drawing){title, v->shown.label, "Probability", .y_to = 1});
    ifd__drawing_curve(&a->json, &(ifd__drawn){name, "band", POINTS, x, low, high, f, 1, 1});
    ifd__drawing_curve(&a->json, &(ifd__drawn){"lognormal distribution", "line", POINTS, x, p, NULL, f, 1, 1});
    if (v->points)
        ifd__drawing_curve(&a->json,
                           &(ifd__drawn){"observed", "points", v->points, v->x, v->fraction, NULL, f, 1, 2});
    ifd__drawing_end(&a->json);
    return IFD_OK;
}
