/* SPDX-License-Identifier: MIT */
/* interfield spectrum: spectral radius, damping and frequency error of a method. */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/analysis.h>

enum { MOST_OMEGA = 1000 };

static const ifd_method *method_find(app *a, const char *name)
{
    const ifd_method *method = ifd_method_find(name);
    if (method)
        return method;
    ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "unknown method '%s'", name);
    ifd_choice_hint(&a->note, names_add_list(a->arena, "", "methods"), name);
    return NULL;
}

static ifd_status set_param(app *a, ifd_step_options *opt, const char *name, const char *text)
{
    const ifd_param *row = opt->method->params;
    int i = row ? ifd_param_find(row, name) : -1;
    if (i >= 0) {
        ifd_value value;
        IFD_TRY(ifd_param_read(&row[i], text, name, &value, &a->note));
        return ifd_step_options_set(opt, name, value) ? IFD_OK : IFD_UNKNOWN_KEY;
    }
    const char *known = "";
    for (const ifd_param *p = opt->method->params; p && p->name; p++)
        known = names_add(a->arena, known, p->name);
    ifd_note_add(&a->note, IFD_UNKNOWN_KEY, NULL, "the method '%s' has no parameter '%s'", opt->method->name, name);
    if (*known)
        ifd_choice_hint(&a->note, known, name);
    else
        ifd_note_hint(&a->note, "it has no parameters");
    return IFD_UNKNOWN_KEY;
}

static ifd_status set_params(app *a, ifd_step_options *opt)
{
    const char *gamma = app_value(a, "--gamma"), *rho = app_value(a, "--rho"), *given[MOST_OPTIONS];
    if (gamma)
        IFD_TRY(set_param(a, opt, "gamma", gamma));
    if (rho)
        IFD_TRY(set_param(a, opt, "rho", rho));
    int count = app_values(a, "--param", given);
    for (int i = 0; i < count; i++) {
        const char *name, *value;
        IFD_TRY(app_assignment(a, "--param", given[i], &name, &value));
        IFD_TRY(set_param(a, opt, name, value));
    }
    const ifd_param *params = opt->method->params;
    return params ? ifd_param_check(params, opt->value, opt->method->name, NULL, &a->note) : IFD_OK;
}

static ifd_status omegas(app *a, double *omega, int *count)
{
    static const double usual[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100};
    const char *text = app_value(a, "--omega");
    if (!text) {
        memcpy(omega, usual, sizeof usual);
        *count = (int)(sizeof usual / sizeof *usual);
        return IFD_OK;
    }
    int n = 0;
    for (const char *p = text; n < MOST_OMEGA; p++) {
        char *end;
        omega[n] = strtod(p, &end);
        if (end == p || (*end && *end != ',') || !isfinite(omega[n]) || omega[n] <= 0)
            return ifd_note_add(&a->note, IFD_NUMBER, NULL,
                                "--omega: found '%s', expected positive numbers separated by commas", text);
        n++;
        p = end;
        if (!*p)
            break;
    }
    *count = n;
    return IFD_OK;
}

static int put_spectrum(app *a, const ifd_step_options *opt, double zeta, int count, const ifd_spectrum_row *row)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("method", opt->method->name), IFD_JSON("damping", zeta));
    ifd_json_list(&j, "rows");
    for (int i = 0; i < count; i++) {
        const ifd_spectrum_row *r = &row[i];
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("omega", r->omega), IFD_JSON("radius", r->radius),
                        IFD_JSON("real", r->real), IFD_JSON("imag", r->imag), IFD_JSON("oscillates", r->oscillates),
                        IFD_JSON("damping", r->oscillates ? r->damping : (double)NAN),
                        IFD_JSON("frequency_error", r->oscillates ? r->frequency_error : (double)NAN),
                        IFD_JSON("spurious", r->spurious));
    }
    return app_put_json(a, &j, EXIT_FINE);
}

static void print_rows(const app *a, int count, const ifd_spectrum_row *row)
{
    printf("     Omega   spectral radius    damping ratio   frequency error      spurious\n");
    for (int i = 0; i < count; i++) {
        const ifd_spectrum_row *r = &row[i];
        bool unstable = r->radius > 1 + 1e-6;
        printf("%10.6g   %s%15.12f%s", r->omega, unstable && a->colour_out ? "\033[31m" : "", r->radius,
               unstable && a->colour_out ? "\033[0m" : "");
        if (r->oscillates)
            printf("  %15.6e   %15.6e", r->damping, r->frequency_error);
        else
            printf("  %15s   %15s", "-", "-");
        printf("   %11.3e%s\n", r->spurious, unstable ? "  unstable" : "");
    }
}

static ifd_status compute(app *a, ifd_step_options *opt, double zeta, int *count, ifd_spectrum_row **rows)
{
    const ifd_method *method = method_find(a, a->word[0]);
    if (!method)
        return IFD_UNKNOWN_NAME;
    ifd_step_options_defaults(method, 1.0, opt);
    IFD_TRY(set_params(a, opt));
    double *omega = ifd_arena_array(a->arena, MOST_OMEGA, sizeof *omega);
    *rows = ifd_arena_array(a->arena, MOST_OMEGA, sizeof **rows);
    if (!omega || !*rows)
        return IFD_NO_MEMORY;
    IFD_TRY(omegas(a, omega, count));
    if (zeta < 0 || zeta >= 1)
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "--damping: found %g, expected a ratio from 0 to below 1",
                            zeta);
    return ifd_spectrum(opt, zeta, *count, omega, *rows, &a->note);
}

static int run_command(app *a)
{
    double zeta;
    if (!app_number(a, "--damping", IFD_DIM_NONE, 0.0, &zeta))
        return EXIT_BAD_INPUT;
    ifd_step_options opt;
    ifd_spectrum_row *rows;
    int count = 0;
    APP_TRY(a, compute(a, &opt, zeta, &count, &rows));
    if (a->json)
        return put_spectrum(a, &opt, zeta, count, rows);
    if (a->quiet)
        return EXIT_FINE;
    printf("%s, damping ratio %g\n", method_text(&opt).text, zeta);
    print_rows(a, count, rows);
    return EXIT_FINE;
}

const command command_spectrum = {
    .name = "spectrum",
    .words = "METHOD",
    .summary = "print spectral radius, damping and frequency error of a method",
    .details = "The values are determined by steps of a single oscillator with the code that a run uses. Omega is "
               "the angular frequency times the step; damping ratio is the algorithmic damping ratio; frequency "
               "error is relative; spurious is the largest root that belongs to no mode.",
    .options = {{"--gamma", "G", "parameter gamma of the method: a number or a word"},
                {"--rho", "R", "parameter rho of the method"},
                {"--param", "NAME=VALUE", "any parameter of the method; may be repeated"},
                {"--omega", "W,W,...", "values of Omega (default: 0.01 to 100)"},
                {"--damping", "Z", "damping ratio of the oscillator (default 0)"}},
    .examples = "interfield spectrum lsrt2 --gamma plus\n"
                "interfield spectrum newmark --omega 0.1,1,10",
    .see = "stability converge methods.md",
    .run = run_command,
};
