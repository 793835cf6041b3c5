/* SPDX-License-Identifier: MIT */
/* What the benchmarks have in common: their runs, their compensators and the formulas of their criteria. */
#include "qualify/benchmark.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"
#include "statistics/statistics.h"

const ifd_benchmark_controller *ifd_benchmark_controller_find(const ifd_benchmark *b, const char *name)
{
    for (const ifd_benchmark_controller *c = b->controllers; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

void ifd_benchmark_defaults(const ifd_benchmark *of, ifd_benchmark_options *opt)
{
    *opt = (ifd_benchmark_options){.of = of,
                                   .scale = 0.4,
                                   .noise = IFD_BENCHMARK_NOISE,
                                   .seed = of->seed,
                                   .controller = ifd_benchmark_controller_find(of, of->controller),
                                   .building = 1};
    if (of == &ifd_rths)
        opt->plant = (ifd_benchmark_plant){{1.19e6, 425, 9.9976e4, 3.3}};
}

ifd_status ifd__benchmark_set(const ifd_param *params, const ifd_benchmark_setting *setting, ifd_value *v,
                              ifd_note *note)
{
    for (; setting && setting->param; setting++) {
        int i = ifd_param_find(params, setting->param);
        if (i < 0)
            return ifd_note_add(note, IFD_UNKNOWN_KEY, NULL, "the controller has no parameter '%s'", setting->param);
        v[i] = setting->word ? ifd_word(setting->word) : ifd_number(setting->number);
    }
    return IFD_OK;
}

ifd_status ifd__benchmark_compensator(const ifd_benchmark_options *opt, ifd_arena *arena, ifd_value *v,
                                      ifd_compensator **out, double **state, ifd_note *note)
{
    const ifd_compensator_kind *kind = ifd_compensator_find(opt->controller->compensator);
    IFD_TRY(ifd__benchmark_set(kind->params, opt->controller->setting, v, note));
    IFD_TRY(ifd__benchmark_set(kind->params, opt->setting, v, note));
    IFD_TRY(ifd_compensator_make(arena, kind, v, 1.0 / opt->of->rate, out, note));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(*state, (*out)->size)));
    ifd_compensator_begin(*out, 0.0, *state);
    return IFD_OK;
}

int ifd__marths_lag(int count, const double *a, const double *m, double *fraction)
{
    enum { REACH = IFD_MARTHS_RATE / 4 };
    double c[2 * REACH + 3], most = -1.0;
    int best = 0;
    for (int j = -REACH - 1; j <= REACH + 1; j++) {
        int from = j < 0 ? -j : 0, to = j > 0 ? count - j : count;
        c[j + REACH + 1] = to > from ? fabs(ifd__dot(to - from, a + from, m + from + j)) : 0.0;
    }
    for (int i = 0; i <= 2 * REACH; i++) { /* 0, 1, -1, 2, -2, ...: the smallest of equals */
        int j = i % 2 ? (i + 1) / 2 : -i / 2;
        if (c[j + REACH + 1] > most) {
            most = c[j + REACH + 1];
            best = j;
        }
    }
    const double *at = &c[best + REACH + 1];
    double bend = at[-1] - 2.0 * at[0] + at[1];
    *fraction = best + (bend < 0.0 ? 0.5 * (at[-1] - at[1]) / bend : 0.0);
    return best;
}

/* Rates are powers of two: milliseconds of a sample are exact. */
void ifd__benchmark_judge(const ifd__benchmark_log *log, int rows, const ifd__criterion *row, double *out)
{
    for (const ifd__criterion *c = row; c < row + rows; c++) {
        for (int i = 0; i < c->count; i++) {
            const double *x = log->s[c->x + i], *y = log->s[c->y + i];
            if (c->kind == IFD__CRITERION_LAG)
                out[i] = 1e3 / IFD_RTHS_RATE * ifd__series_lag(log->count, x, y);
            else if (c->kind == IFD__CRITERION_LAGS) {
                out[i] = 1e3 / IFD_MARTHS_RATE * ifd__marths_lag(log->count, y, x, &out[c->count + i]);
                out[c->count + i] *= 1e3 / IFD_MARTHS_RATE;
            } else
                out[i] =
                    100.0 * (c->kind == IFD__CRITERION_RMS ? ifd__series_nrms : ifd__series_peak)(log->count, x, y);
        }
        out += c->kind == IFD__CRITERION_LAGS ? 2 * c->count : c->count;
    }
}

double ifd__benchmark_peak(const ifd__benchmark_log *log, int signal, int *sample)
{
    const double *x = log->s[signal];
    int best = 0;
    for (int k = 0; k < log->count; k++)
        best = fabs(x[k]) > fabs(x[best]) ? k : best;
    if (sample)
        *sample = best;
    return x[best];
}

/* The record on the grid of the benchmark: k / rate up to its last sample. */
static ifd_status make_log(const ifd_benchmark_options *opt, ifd_arena *arena, ifd__benchmark_log *log)
{
    int signals = opt->of == &ifd_rths ? IFD__RTHS_SIGNALS : IFD__MARTHS_SIGNALS;
    size_t n = (size_t)floor(opt->of->rate * opt->end) + 1;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(log->ground, n * (size_t)(1 + signals))));
    log->count = (int)n;
    for (int i = 0; i < signals; i++)
        log->s[i] = log->ground + n * (size_t)(1 + i);
    for (int k = 0; k < log->count; k++) {
        double out[3];
        ifd_signal_eval(opt->ground, k * (1.0 / opt->of->rate), out);
        log->ground[k] = opt->scale * out[0];
    }
    return IFD_OK;
}

ifd_status ifd__benchmark_run(const ifd_benchmark_options *opt, ifd_arena *arena, ifd__benchmark_log *log,
                              ifd_benchmark_result *out, ifd_note *note)
{
    if (opt->building < 1 || opt->building > IFD_RTHS_BUILDINGS)
        return ifd_note_add(note, IFD_RANGE, NULL, "the buildings of the benchmark are 1 to %d, found %d",
                            (int)IFD_RTHS_BUILDINGS, opt->building);
    if (!(opt->end > 0) || opt->end > 600)
        return ifd_note_add(note, IFD_RANGE, NULL, "the record has %g s, expected 0 to 600", opt->end);
    *out = (ifd_benchmark_result){.stable = true};
    IFD_TRY(make_log(opt, arena, log));
    out->samples = log->count;
    return (opt->of == &ifd_rths ? ifd__rths_run : ifd__marths_run)(opt, arena, log, out, note);
}

ifd_status ifd_benchmark_run(const ifd_benchmark_options *opt, ifd_benchmark_result *out, ifd_note *note)
{
    ifd__benchmark_log log;
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    return arena ? ifd__benchmark_run(opt, arena, &log, out, note) : IFD_NO_MEMORY;
}
