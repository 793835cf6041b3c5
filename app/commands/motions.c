/* SPDX-License-Identifier: MIT */
/* interfield motions: intensity measures, spectra and processing of ground motions. */
#include "working.h"
#include "report/page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <interfield/motion.h>

enum { MOST_MOTIONS = 1000, MOST_PERIODS = 50 };

typedef struct request {
    ifd_motion_options read;
    double damping, step, scale, pga; /* step: s; 0: not requested */
    int baseline;                     /* degree; -1: none */
    ifd_motion_band filter;
    double sa_period, sa;       /* s, m/s2: scale to PSA; 0: not requested */
    ifd_target_spectrum target; /* count 0: none */
    ifd_spectrum_fit fit;
    ifd_spectrum_match match; /* most 0: scale only */
    int periods;
    double period[MOST_PERIODS];
    int generate, seed;
} request;

typedef struct motions {
    int count;
    ifd_motion motion[MOST_MOTIONS];
    ifd_motion_measures measured[MOST_MOTIONS];
    double factor[MOST_MOTIONS], misfit[MOST_MOTIONS], worst[MOST_MOTIONS];
    int steps[MOST_MOTIONS];
} motions;

static bool read_periods(app *a, request *r)
{
    const char *text = app_value(a, "--periods");
    for (const char *p = text; p && *p; p++) {
        char *end;
        double T = strtod(p, &end);
        if (end == p || (*end && *end != ',') || !(T >= 0) || !isfinite(T) || r->periods == MOST_PERIODS)
            return app_reject(a, "--periods: found '%s', expected up to %d periods in s, separated by commas", text,
                              MOST_PERIODS);
        r->period[r->periods++] = T;
        p = end;
        if (!*p)
            break;
    }
    return true;
}

/* "1.0 0.4 g": the option has two arguments, a period and an acceleration. */
static bool read_sa(app *a, request *r)
{
    const char *pair[MOST_OPTIONS];
    static const ifd_param row[] = {{.name = "period", .dim = IFD_DIM_TIME},
                                    {.name = "Sa", .dim = IFD_DIM_ACCELERATION}};
    ifd_value v[2];
    int count = app_values(a, "--sa", pair);
    if (count == 0)
        return true;
    for (int k = 0; k < 2; k++)
        if (ifd_param_read(&row[k], pair[count - 2 + k], "--sa", &v[k], &a->note) != IFD_OK)
            return app_fail(a, IFD_NUMBER) == EXIT_FINE;
    r->sa_period = v[0].number;
    r->sa = v[1].number;
    return (r->sa_period >= 0 && r->sa > 0) || app_reject(a, "--sa: expected a period and a positive acceleration");
}

static bool read_target(app *a, request *r)
{
    const char *file = app_value(a, "--target");
    if (!file)
        return true;
    if (ifd_target_spectrum_read(a->arena, file, NULL, &r->target, &a->note) != IFD_OK)
        return app_fail(a, IFD_RECORD) == EXIT_FINE;
    double first = r->target.period[0] > 0 ? r->target.period[0] : r->target.period[1];
    r->fit.damping = r->damping;
    return app_number(a, "--from", IFD_DIM_TIME, first, &r->fit.from) &&
           app_number(a, "--to", IFD_DIM_TIME, r->target.period[r->target.count - 1], &r->fit.to);
}

static bool read_match(app *a, request *r)
{
    if (!app_has(a, "--match")) {
        const char *only = app_has(a, "--tolerance") ? "--tolerance" : app_has(a, "--steps") ? "--steps" : NULL;
        return !only || app_reject(a, "%s needs --match", only);
    }
    if (r->target.count == 0)
        return app_reject(a, "--match needs a target spectrum: --target FILE");
    r->match = (ifd_spectrum_match){.damping = r->damping, .from = r->fit.from, .to = r->fit.to, .most = 30};
    if (!app_number(a, "--tolerance", IFD_DIM_NONE, 0.1, &r->match.tolerance) ||
        !app_integer(a, "--steps", 1, 1000, &r->match.most))
        return false;
    return (r->match.tolerance > 0 && r->match.tolerance < 1) ||
           app_reject(a, "--tolerance: found %g, expected a fraction between 0 and 1, e.g. 5%%", r->match.tolerance);
}

static bool read_request(app *a, request *r)
{
    *r = (request){.baseline = -1, .seed = 1, .filter.order = 4, .read.unit = app_value(a, "--unit")};
    bool fine = app_number(a, "--dt", IFD_DIM_TIME, 0, &r->read.dt) &&
                app_number(a, "--step", IFD_DIM_TIME, 0, &r->step) &&
                app_number(a, "--damping", IFD_DIM_NONE, 0.05, &r->damping) &&
                app_number(a, "--scale", IFD_DIM_NONE, 1, &r->scale) &&
                app_number(a, "--pga", IFD_DIM_ACCELERATION, 0, &r->pga) &&
                app_number(a, "--high-pass", IFD_DIM_FREQUENCY, 0, &r->filter.low) &&
                app_number(a, "--low-pass", IFD_DIM_FREQUENCY, 0, &r->filter.high);
    if (!fine || !app_integer(a, "--order", 1, 10, &r->filter.order) ||
        !app_integer(a, "--baseline", 0, 6, &r->baseline) ||
        !app_integer(a, "--generate", 1, MOST_MOTIONS, &r->generate) ||
        !app_integer(a, "--seed", 0, 1000000000, &r->seed) || !read_periods(a, r) || !read_sa(a, r) ||
        !read_target(a, r) || !read_match(a, r))
        return false;
    r->read.step = r->step;
    if ((r->pga > 0) + (r->sa > 0) + (r->target.count > 0) + app_has(a, "--scale") > 1)
        return app_reject(a, "use one of --scale, --pga, --sa and --target");
    if (!(r->damping >= 0 && r->damping < 1))
        return app_reject(a, "--damping: found %g, expected a ratio from 0 to below 1", r->damping);
    return true;
}

/* Kanai-Tajimi motions with consecutive seeds, sampled at --step or 5 ms. */
static ifd_status generate(app *a, const request *r, motions *m)
{
    const ifd_signal_kind *kind = ifd_signal_find("kanai-tajimi");
    const char *given[MOST_OPTIONS];
    int count = app_values(a, "--param", given);
    for (int k = 0; k < r->generate; k++) {
        ifd_value v[IFD_SIGNAL_PARAMS];
        const ifd_signal *s;
        ifd_param_preset(kind->params, v);
        for (int i = 0; i < count; i++) {
            const char *name, *value;
            IFD_TRY(app_assignment(a, "--param", given[i], &name, &value));
            int p = ifd_param_find(kind->params, name);
            if (p < 0)
                return ifd_note_add(&a->note, IFD_UNKNOWN_KEY, NULL, "kanai-tajimi has no parameter '%s'", name);
            ifd_param row = kind->params[p];
            row.dim = row.dim == IFD_DIM_ANY ? IFD_DIM_ACCELERATION : row.dim;
            IFD_TRY(ifd_param_read(&row, value, name, &v[p], &a->note));
        }
        v[ifd_param_find(kind->params, "seed")] = ifd_number(r->seed + k);
        IFD_TRY(ifd_signal_make(a->arena, kind, v, NULL, &s, &a->note));
        ifd_motion *out = &m->motion[m->count++];
        IFD_TRY(ifd_motion_sample(a->arena, s, ifd_signal_end(s), r->step > 0 ? r->step : 0.005, out));
        out->name = ifd_arena_print(a->arena, "kanai-tajimi-%d", r->seed + k);
    }
    return IFD_OK;
}

static ifd_status match(app *a, request *r, motions *m, int i)
{
    IFD_TRY(
        WORK(a, "matching the spectrum", ifd_motion_match(a->arena, &m->motion[i], &r->target, &r->match, &a->note)));
    m->factor[i] = r->match.factor;
    m->misfit[i] = r->match.rms;
    m->worst[i] = r->match.worst;
    m->steps[i] = r->match.steps;
    return IFD_OK;
}

/* In this order: baseline, filter, interval, scale or match. */
static ifd_status process(app *a, request *r, motions *m, int i)
{
    ifd_motion *x = &m->motion[i];
    double factor = r->scale, period = r->sa_period;
    if (r->baseline >= 0)
        IFD_TRY(ifd_motion_baseline(a->arena, x, r->baseline, &a->note));
    if (r->filter.low > 0 || r->filter.high > 0)
        IFD_TRY(ifd_motion_filter(a->arena, x, &r->filter, &a->note));
    if (r->step > 0 && x->dt != r->step)
        IFD_TRY(ifd_motion_resample(a->arena, x, r->step, &a->note));
    if (r->match.most > 0)
        return match(a, r, m, i);
    ifd_motion_measures v;
    ifd_motion_response sa;
    ifd_motion_intensity(x, &v);
    IFD_TRY(ifd_motion_spectrum(x, r->damping, 1, &period, &sa));
    if (r->pga > 0)
        factor = r->pga / v.pga;
    if (r->sa > 0)
        factor = r->sa / sa.psa;
    if (r->target.count > 0) {
        IFD_TRY(ifd_motion_fit(x, &r->target, &r->fit, &a->note));
        factor = r->fit.factor;
        m->misfit[i] = r->fit.misfit;
    }
    if (!isfinite(factor))
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "'%s' has no acceleration and cannot be scaled", x->name);
    m->factor[i] = factor;
    ifd_motion_scale(x, factor);
    return IFD_OK;
}

static ifd_status write_motions(app *a, const motions *m)
{
    const char *folder = app_value(a, "--out"), *format = app_value(a, "--format");
    if (!folder)
        return IFD_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ifd_note_add(&a->note, IFD_OUTPUT, NULL, "'%s' cannot be made: %s", folder, strerror(errno));
    for (int i = 0; i < m->count; i++) {
        const char *path = ifd_arena_print(a->arena, "%s/%s.%s", folder, m->motion[i].name,
                                           format && strcmp(format, "at2") == 0 ? "AT2" : "csv");
        IFD_TRY(path ? ifd_motion_write(&m->motion[i], path, &a->note) : IFD_NO_MEMORY);
        app_say(a, "written", "%s", path);
    }
    return IFD_OK;
}

static void print_table(const request *r, const motions *m)
{
    app_print("%-24s %8s %9s %9s %9s %9s %9s %9s %8s %8s %8s\n", "motion", "samples", "dt [s]", "PGA m/s2", "PGV m/s",
              "PGD m", "Arias m/s", "CAV m/s", "D5-75 s", "D5-95 s", "factor");
    const ifd_motion_measures *v = m->measured;
    for (int i = 0; i < m->count; i++)
        app_print("%-24s %8d %9.5g %9.6g %9.6g %9.6g %9.6g %9.6g %8.5g %8.5g %8.5g\n", m->motion[i].name,
                  m->motion[i].count, m->motion[i].dt, v[i].pga, v[i].pgv, v[i].pgd, v[i].arias, v[i].cav, v[i].d5_75,
                  v[i].d5_95, m->factor[i]);
    for (int i = 0; i < m->count; i++)
        if (fabs(v[i].end_v) > 0.05 * v[i].pgv)
            app_print("%-24s its velocity ends at %.3g m/s and its displacement at %.3g m: PGD contains the drift of "
                      "an uncorrected record (--baseline)\n",
                      m->motion[i].name, v[i].end_v, v[i].end_d);
    for (int i = 0; i < m->count && r->target.count > 0; i++) {
        app_print("%-24s rms of ln(PSA / target) %.4f from %g s to %g s", m->motion[i].name, m->misfit[i],
                  r->fit.from, r->fit.to);
        if (r->match.most > 0)
            app_print("; largest %.4f after %d steps", m->worst[i], m->steps[i]);
        app_print("\n");
    }
}

static ifd_status print_spectra(const request *r, const motions *m)
{
    if (r->periods == 0)
        return IFD_OK;
    app_print("\n%-24s %8s %12s %12s %12s %12s %12s   (damping ratio %g)\n", "motion", "T [s]", "Sd [m]",
              "PSA [m/s2]", "SA [m/s2]", "fine Sd", "fine SA", r->damping);
    for (int i = 0; i < m->count; i++) {
        ifd_motion_response s[MOST_PERIODS];
        IFD_TRY(ifd_motion_spectrum(&m->motion[i], r->damping, r->periods, r->period, s));
        for (int k = 0; k < r->periods; k++)
            app_print("%-24s %8.4g %12.9g %12.9g %12.9g %12.6g %12.6g\n", k ? "" : m->motion[i].name, s[k].period,
                      s[k].sd, s[k].psa, s[k].sa, s[k].fine_sd, s[k].fine_sa);
    }
    return IFD_OK;
}

static void put_spectrum(ifd_json *j, const request *r, const ifd_motion *m)
{
    ifd_motion_response s[MOST_PERIODS];
    if (r->periods == 0 || ifd_motion_spectrum(m, r->damping, r->periods, r->period, s) != IFD_OK)
        return;
    ifd_json_list(j, "spectrum");
    for (int k = 0; k < r->periods; k++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("period", s[k].period), IFD_JSON("sd", s[k].sd), IFD_JSON("psa", s[k].psa),
                        IFD_JSON("sa", s[k].sa), IFD_JSON("fine_sd", s[k].fine_sd),
                        IFD_JSON("fine_psa", s[k].fine_psa), IFD_JSON("fine_sa", s[k].fine_sa));
    ifd_json_end(j);
}

static int put_json(app *a, const request *r, const motions *m, int exit_status)
{
    ifd_json j = app_json(a);
    ifd_json_number(&j, "damping", r->damping);
    ifd_json_list(&j, "motions");
    for (int i = 0; i < m->count; i++) {
        const ifd_motion *x = &m->motion[i];
        const ifd_motion_measures v = m->measured[i];
        ifd_json_object(&j, NULL);
        IFD_JSON_PUT(&j, IFD_JSON("name", x->name), IFD_JSON("samples", x->count), IFD_JSON("dt", x->dt),
                     IFD_JSON("pga", v.pga), IFD_JSON("pgv", v.pgv), IFD_JSON("pgd", v.pgd),
                     IFD_JSON("arias", v.arias), IFD_JSON("cav", v.cav), IFD_JSON("d5_75", v.d5_75),
                     IFD_JSON("d5_95", v.d5_95), IFD_JSON("factor", m->factor[i]),
                     IFD_JSON("misfit", r->target.count > 0 ? m->misfit[i] : (double)NAN));
        if (r->match.most > 0)
            IFD_JSON_PUT(&j, IFD_JSON("worst", m->worst[i]), IFD_JSON("steps", m->steps[i]));
        put_spectrum(&j, r, x);
        ifd_json_end(&j);
    }
    ifd_json_end(&j);
    return app_put_json(a, &j, exit_status);
}

/* Whether every motion has reached the tolerance. */
static bool matched(app *a, const request *r, const motions *m)
{
    int missed = 0;
    for (int i = 0; i < m->count && r->match.most > 0; i++)
        missed += m->worst[i] > r->match.tolerance;
    if (missed)
        app_complain(a,
                     "%d of %d motions are not within %g of the target: use more steps, a larger tolerance, other "
                     "periods or another motion",
                     missed, m->count, r->match.tolerance);
    return missed == 0;
}

/* Pictures of ground motions: response spectra and histories. */

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
static double *median_of(app *a, const motions *m, const double *psa)
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
static bool spectra(app *a, const request *q, const motions *m, const double *period, double *psa, chart *c)
{
    chart_curve *more = ifd_arena_array(a->arena, (size_t)m->count, sizeof *more);
    ifd_motion_response *r = ifd_arena_array(a->arena, PERIODS, sizeof *r);
    if (!more || !r)
        return false;
    for (int i = 0; i < m->count; i++) {
        double *y = psa + i * PERIODS;
        if (ifd_motion_spectrum(&m->motion[i], q->damping, PERIODS, period, r) != IFD_OK)
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

/* False after an error message. */
static bool draw(app *a, const request *r, const motions *m, const char *file)
{
    chart c[1 + HISTORIES] = {{.title = ifd_arena_print(a->arena, "damping ratio %g", r->damping),
                               .x.label = "Period [s]",
                               .y.label = "Pseudo-acceleration [m/s2]",
                               .x.log = true}};
    double *period = numbers(a, PERIODS), *psa = numbers(a, (size_t)m->count * PERIODS);
    if (!period || !psa)
        return app_reject(a, "not enough memory");
    for (int k = 0; k < PERIODS; k++)
        period[k] = 0.02 * pow(5.0 / 0.02, k / (PERIODS - 1.0));
    if (!spectra(a, r, m, period, psa, &c[0]))
        return app_reject(a, "not enough memory");
    if (r->target.count > 0)
        c[0].curve[c[0].curves++] = (chart_curve){.name = "target",
                                                  .count = r->target.count,
                                                  .x = r->target.period,
                                                  .y = r->target.psa,
                                                  .rising = true,
                                                  .line = LINE_DASHED};
    int charts = 1;
    for (const ifd_motion *x = m->motion; x < m->motion + m->count && m->count <= HISTORIES; x++) {
        double *t = numbers(a, (size_t)x->count);
        for (int i = 0; t && i < x->count; i++)
            t[i] = i * x->dt;
        c[charts] = (chart){.title = x->name, .x.label = "Time [s]", .y.label = "Acceleration [m/s2]", .curves = 1};
        c[charts++].curve[0] = (chart_curve){.count = t ? x->count : 0, .x = t, .y = x->a, .rising = true};
    }
    if (!charts_save(a, "Response spectra", charts, c, file))
        return false;
    app_say(a, "picture", "%s", file);
    return true;
}

static int run_command(app *a)
{
    request r;
    motions *m = APP_ROOM(a, ifd_arena_take(a->arena, sizeof *m));
    const char *format = app_value(a, "--format");
    if (format && ifd_choice_find("csv|at2", format) < 0)
        return app_refuse(a, "--format: found '%s', expected csv or at2", format);
    if (!read_request(a, &r))
        return EXIT_BAD_INPUT;
    if (a->words == 0 && r.generate == 0)
        return app_refuse(a, "name a file of a motion, or use --generate");
    for (int i = 0; i < a->words; i++)
        APP_TRY(a, ifd_motion_read(a->arena, a->word[i], &r.read, &m->motion[m->count++], &a->note));
    APP_TRY(a, generate(a, &r, m));
    for (int i = 0; i < m->count; i++) {
        APP_TRY(a, process(a, &r, m, i));
        ifd_motion_intensity(&m->motion[i], &m->measured[i]);
    }
    APP_TRY(a, write_motions(a, m));
    const char *plot = app_value(a, "--plot");
    bool drawn = !plot || draw(a, &r, m, plot);
    int exit_status = matched(a, &r, m) && drawn ? EXIT_FINE : EXIT_RUN_FAILED;
    if (!drawn || a->quiet)
        return exit_status;
    if (a->json)
        return put_json(a, &r, m, exit_status);
    print_table(&r, m);
    APP_TRY(a, print_spectra(&r, m));
    return exit_status;
}

const command command_motions = {
    .name = "motions",
    .words = "[FILE ...]",
    .summary = "measure, scale, correct and convert ground motions",
    .details =
        "FILE is an AT2 or a CSV file of an acceleration, linear between its samples. The table shows peak "
        "values, Arias intensity, cumulative absolute velocity and significant durations. Response spectra "
        "are exact for linear samples; columns 'fine' are maxima between the samples too. Operations are "
        "applied in the order baseline, filter, interval, scale or match. --generate adds motions of the signal "
        "kanai-tajimi with consecutive seeds.",
    .options = {{"--unit", "UNIT", "unit of the values (default: as in the file; AT2: g; CSV: m/s2)"},
                {"--dt", "T", "interval of a file with one column"},
                {"--generate", "N", "add N generated motions"},
                {"--seed", "S", "seed of the first generated motion (default 1)"},
                {"--param", "NAME=VALUE", "parameter of the generated motions, e.g. peak=0.3g; may be repeated"},
                {"--baseline", "N", "subtract a polynomial of degree N (0 to 6) that fits the velocity"},
                {"--high-pass", "F", "remove frequencies below F; Butterworth, without phase shift"},
                {"--low-pass", "F", "remove frequencies above F"},
                {"--order", "N", "order of the filters in one pass (default 4)"},
                {"--step", "T", "new interval; interval of generated motions (default 5 ms)"},
                {"--scale", "X", "multiply by X"},
                {"--pga", "A", "scale to this peak acceleration, e.g. 0.3g"},
                {"--sa", "T A", "scale to this pseudo-acceleration at period T, e.g. 1s 0.4g"},
                {"--target", "FILE", "scale to a spectrum: CSV of period and acceleration; least squares of ln"},
                {"--match", NULL, "with --target: add wavelets until the spectrum follows the target"},
                {"--tolerance", "X", "of --match: largest |ln(PSA / target)| (default 0.1)"},
                {"--steps", "N", "of --match: most steps (default 30)"},
                {"--from", "T", "shortest period of --target (default: its first)"},
                {"--to", "T", "longest period of --target (default: its last)"},
                {"--damping", "Z", "damping ratio of the spectra (default 0.05)"},
                {"--periods", "T,T,...", "print the spectra at these periods, in s"},
                {"--out", "DIR", "write the resulting motions to this folder"},
                {"--format", "csv|at2", "format of the written motions (default csv)"},
                {"--plot", "FILE", "draw the spectra and up to four motions; .png, .svg or .pdf"}},
    .examples =
        "interfield motions elcentro.AT2 --periods 0.2,1,3\n"
        "interfield motions a.csv b.csv --high-pass 0.1Hz --sa 1s 0.4g --out scaled\n"
        "interfield motions a.csv --step 5ms --target spectrum.csv --match --from 0.1s --to 3s --out matched\n"
        "interfield motions --generate 44 --param peak=0.3g --plot spectra.png",
    .see = "run plot motions.md",
    .run = run_command,
    .failed = "a file could not be written or drawn, or --match has not reached its tolerance",
};
