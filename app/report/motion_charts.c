/* SPDX-License-Identifier: MIT */
/* Pictures of ground motions: response spectra and histories. */
#include "motion_charts.h"
#include "chart.h"

#include <math.h>
#include <stdlib.h>

enum { PERIODS = 120, NAMED = 4, HISTORIES = 4 };

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double *numbers(app *a, size_t count)
{
    return ifd_arena_array(a->arena, count, sizeof(double));
}

/* The median over the motions at every period. */
static double *median_of(app *a, const motion_charts *m, const double *psa)
{
    double *median = numbers(a, PERIODS), *row = numbers(a, (size_t)m->count);
    for (int k = 0; median && row && k < PERIODS; k++) {
        for (int i = 0; i < m->count; i++)
            row[i] = psa[i * PERIODS + k];
        qsort(row, (size_t)m->count, sizeof *row, by_value);
        median[k] = 0.5 * (row[(m->count - 1) / 2] + row[m->count / 2]);
    }
    return median;
}

/* Few motions have a colour and a name each; of many the median is emphasised. */
static bool spectra(app *a, const motion_charts *m, const double *period, double *psa, chart *c)
{
    chart_curve *more = ifd_arena_array(a->arena, (size_t)m->count, sizeof *more);
    ifd_motion_response *r = ifd_arena_array(a->arena, PERIODS, sizeof *r);
    if (!more || !r)
        return false;
    for (int i = 0; i < m->count; i++) {
        double *y = psa + i * PERIODS;
        if (ifd_motion_spectrum(&m->motion[i], m->damping, PERIODS, period, r) != IFD_OK)
            return false;
        for (int k = 0; k < PERIODS; k++)
            y[k] = r[k].psa;
        more[i] = (chart_curve){.name = m->motion[i].name, .count = PERIODS, .x = period, .y = y, .rising = true};
        more[i].style = m->count > NAMED ? CHART_THIN : CHART_LINE;
        if (m->count <= NAMED)
            c->curve[c->curves++] = more[i];
    }
    if (m->count > NAMED) {
        c->more = more;
        c->many = m->count;
        c->curve[c->curves++] =
            (chart_curve){.name = "median", .count = PERIODS, .x = period, .y = median_of(a, m, psa), .rising = true};
    }
    return true;
}

static void add_history(app *a, const ifd_motion *m, chart *c)
{
    double *t = numbers(a, (size_t)m->count);
    for (int i = 0; t && i < m->count; i++)
        t[i] = i * m->dt;
    *c = (chart){.title = m->name, .x_label = "Time [s]", .y_label = "Acceleration [m/s2]", .curves = 1};
    c->curve[0] = (chart_curve){.count = t ? m->count : 0, .x = t, .y = m->a, .rising = true};
}

bool motion_charts_save(app *a, const motion_charts *m, const char *file)
{
    chart c[1 + HISTORIES] = {{.title = ifd_arena_print(a->arena, "damping ratio %g", m->damping),
                               .x_label = "Period [s]",
                               .y_label = "Pseudo-acceleration [m/s2]",
                               .log_x = true}};
    double *period = numbers(a, PERIODS), *psa = numbers(a, (size_t)m->count * PERIODS);
    if (!period || !psa)
        return app_reject(a, "not enough memory");
    for (int k = 0; k < PERIODS; k++)
        period[k] = 0.02 * pow(5.0 / 0.02, k / (PERIODS - 1.0));
    if (!spectra(a, m, period, psa, &c[0]))
        return app_reject(a, "not enough memory");
    if (m->target)
        c[0].curve[c[0].curves++] = (chart_curve){.name = "target",
                                                  .count = m->target->count,
                                                  .x = m->target->period,
                                                  .y = m->target->psa,
                                                  .rising = true,
                                                  .line = LINE_DASHED};
    int charts = 1;
    for (int i = 0; i < m->count && m->count <= HISTORIES; i++)
        add_history(a, &m->motion[i], &c[charts++]);
    return charts_save(a, "Response spectra", charts, c, file);
}
