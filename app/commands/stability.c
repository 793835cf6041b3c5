/* SPDX-License-Identifier: MIT */
/* interfield stability: roots of a case, sweeps and the critical step. */
#include "working.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/analysis.h>

enum { MOST_VALUES = 10000, MODES_SHOWN = 12 };

typedef struct sweep {
    const char *what;
    int count;
    double *value;
} sweep;

/* The value up to the next ':' or ','; dt with or without a unit of time. */
static bool number_at(app *a, const char *what, const char **text, double *out)
{
    size_t length = strcspn(*text, ":,");
    const char *one = ifd_arena_text_n(a->arena, *text, length);
    ifd_dimension dim = strcmp(what, "dt") == 0 ? IFD_DIM_TIME : IFD_DIM_NONE;
    *text += length;
    return one && ifd_quantity_read(one, dim, "--sweep", out, &a->note) == IFD_OK;
}

/* Distinct whole numbers; steps and frequencies with equal ratios, parameters of methods with equal differences. */
static bool spread(sweep *s, double from, double to, int n)
{
    bool whole = strcmp(s->what, "ss") == 0,
         factor = whole || strcmp(s->what, "dt") == 0 || strcmp(s->what, "omega") == 0;
    if (factor && (from <= 0 || to <= 0))
        return false;
    for (int k = 0; k < n; k++) {
        double share = n > 1 ? k / (n - 1.0) : 0,
               x = factor ? from * pow(to / from, share) : from + share * (to - from);
        x = whole ? rint(x) : k == n - 1 && n > 1 ? to : x;
        if (s->count == 0 || !whole || x != s->value[s->count - 1])
            s->value[s->count++] = x;
    }
    return true;
}

/* FROM:TO:N, or values with commas. */
static bool range_of(app *a, sweep *s, const char *text)
{
    double from, to;
    const char *p = text;
    if (!number_at(a, s->what, &p, &from))
        return false;
    if (*p == ':') {
        p++;
        if (!number_at(a, s->what, &p, &to) || *p != ':')
            return false;
        char *end;
        errno = 0;
        long n = strtol(p + 1, &end, 10);
        return end != p + 1 && !*end && !errno && n >= 1 && n <= MOST_VALUES && spread(s, from, to, (int)n);
    }
    for (s->value[s->count++] = from; *p == ',' && s->count < MOST_VALUES; s->count++) {
        p++;
        if (!number_at(a, s->what, &p, &s->value[s->count]))
            return false;
    }
    return !*p;
}

static ifd_status read_sweep(app *a, const char *text, sweep *s)
{
    const char *equals = strchr(text, '=');
    *s = (sweep){.what = equals ? ifd_arena_text_n(a->arena, text, (size_t)(equals - text)) : text};
    s->value = ifd_arena_array(a->arena, MOST_VALUES, sizeof *s->value);
    if (!s->what || !s->value)
        return IFD_NO_MEMORY;
    if (equals && range_of(a, s, equals + 1))
        return IFD_OK;
    return ifd_note_add(&a->note, IFD_SYNTAX, NULL,
                        "--sweep: expected WHAT=FROM:TO:N (N from 1 to %d) or WHAT=VALUE,VALUE,..., such as "
                        "dt=0.5ms:20ms:20, found '%s'",
                        MOST_VALUES, text);
}

static const char *coupling_of(const ifd_case *c)
{
    return c->run.couple ? c->run.couple->coupling->name : c->run.step.method->name;
}

static void put_modes(ifd_json *j, const ifd_stability *v)
{
    ifd_json_list(j, "modes");
    for (int k = 0; k < v->modes; k++) {
        const ifd_stability_mode *m = &v->mode[k];
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("frequency", m->frequency), IFD_JSON("omega", m->omega),
                        IFD_JSON("exact_damping", m->exact_damping), IFD_JSON("resolved", m->resolved),
                        IFD_JSON("real", m->resolved ? m->real : (double)NAN),
                        IFD_JSON("imag", m->resolved ? m->imag : (double)NAN),
                        IFD_JSON("damping", m->resolved ? m->damping : (double)NAN),
                        IFD_JSON("frequency_error", m->resolved ? m->frequency_error : (double)NAN));
    }
    ifd_json_end(j);
}

static void put_critical(ifd_json *j, const ifd_critical_step *v)
{
    ifd_json_object(j, "critical");
    IFD_JSON_PUT(j, IFD_JSON("found", v->found), IFD_JSON("step", v->step), IFD_JSON("omega", v->omega),
                 IFD_JSON("radius", v->radius), IFD_JSON("window_ends", v->closes),
                 IFD_JSON("searched_from", v->smallest), IFD_JSON("searched_to", v->largest),
                 IFD_JSON("resolution", v->resolution), IFD_JSON("search", v->uniform ? "uniform" : "adaptive"),
                 IFD_JSON("probes", v->evaluations), IFD_JSON("intervals_not_cleared", v->open),
                 IFD_JSON("states", v->states), IFD_JSON("full_model_at_1.15_only", v->coarse),
                 IFD_JSON("reduced_to", v->reduced), IFD_JSON("arnoldi_probes", v->arnoldi),
                 IFD_JSON("arnoldi_not_converged", v->unsure + v->dense), IFD_JSON("not_decided", v->unsure));
    ifd_json_object(j, "current");
    IFD_JSON_PUT(j, IFD_JSON("step", v->current), IFD_JSON("radius", v->current_radius));
    if (v->current_stable && v->unsure)
        ifd_json_number(j, "stable", (double)NAN); /* null: not decided */
    else
        ifd_json_flag(j, "stable", v->current_stable);
    IFD_JSON_PUT(j, IFD_JSON("stable_from", v->below), IFD_JSON("stable_to", v->above),
                 IFD_JSON("instability_below", v->below_found), IFD_JSON("instability_above", v->above_found));
    ifd_json_end(j);
    ifd_json_end(j);
}

static int put_stability(app *a, const ifd_case *c, const ifd_stability *v, const ifd_critical_step *critical)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("case", c->path), IFD_JSON("scheme", coupling_of(c)), IFD_JSON("step", v->step),
                 IFD_JSON("coarse_step", v->coarse), IFD_JSON("omega", v->omega), IFD_JSON("radius", v->radius),
                 IFD_JSON("stable", v->stable), IFD_JSON("states", v->states), IFD_JSON("ones", v->ones),
                 IFD_JSON("rigid", v->rigid), IFD_JSON("zeros", v->zeros), IFD_JSON("defective", v->defective),
                 IFD_JSON("spurious", v->spurious), IFD_JSON("linearised", v->linearised),
                 IFD_JSON("bounded_jacobian", v->bounded), IFD_JSON("reduced_from", v->reduced),
                 IFD_JSON("reduced_bound", v->reduced_bound), IFD_JSON("reduced_range", v->reduced_range));
    put_modes(&j, v);
    ifd_json_numbers(&j, "relaxations", v->relaxations, v->relaxation);
    ifd_json_list(&j, "roots");
    for (int k = 0; k < v->states; k++)
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("real", v->root[k].real), IFD_JSON("imag", v->root[k].imag),
                        IFD_JSON("mode", v->root[k].mode + 1));
    ifd_json_end(&j);
    if (critical)
        put_critical(&j, critical);
    return app_put_json(a, &j, v->stable ? EXIT_FINE : EXIT_RUN_FAILED);
}

static void print_modes(const ifd_stability *v)
{
    int shown = v->modes < MODES_SHOWN ? v->modes : MODES_SHOWN;
    if (!shown)
        return;
    printf("\nmode  frequency          Omega     damping   numerical      frequency error\n");
    for (int k = 0; k < shown; k++) {
        const ifd_stability_mode *m = &v->mode[k];
        double damping = fabs(m->exact_damping) < 1e-9 ? 0 : m->exact_damping; /* not -0.000 */
        printf("%4d  %-12.8g Hz  %8.4g  %8.3f %%", k + 1, m->frequency, m->omega, 100 * damping);
        if (m->resolved)
            printf("  %+10.3e %%  %+10.3e %%\n", 100 * (m->damping - m->exact_damping), 100 * m->frequency_error);
        else
            printf("  not resolved by the step\n");
    }
    if (shown < v->modes)
        printf("      and %d more (--json has them all)\n", v->modes - shown);
    putchar('\n');
}

static void print_stability(app *a, const ifd_case *c, const ifd_stability *v)
{
    app_say(a, "scheme", "%s, step %s, coarse step %s, Omega of the lowest mode %.4g", coupling_of(c),
            quantity(v->step, "s").text, quantity(v->coarse, "s").text, v->omega);
    bool some = v->defective < 0 && v->modes == 0;
    app_say(a, v->stable ? "stable" : "UNSTABLE", "spectral radius %.9f; %s %d%s", v->radius,
            some ? "from" : "amplification matrix of order", v->states,
            some ? " of the largest roots, by Arnoldi's method from two random states" : "");
    if (!v->stable && v->radius > 1 && isfinite(v->radius))
        app_say(a, "growth", "%.3g per step; factor e in %.3g s", v->radius - 1, v->step / log(v->radius));
    if (!some)
        app_say(a, "roots", "%d equal to one (%d of them of the structure), %d zero; largest spurious root %.6f",
                v->ones, v->rigid, v->zeros, v->spurious);
    if (v->defective > 0)
        app_say(
            a, "drift",
            "%d root%s on the unit circle %s too few eigenvectors: with a radius of one a drift still grows with a "
            "power of time, as of a free body or of a joint (docs/reference/drift.md)",
            v->defective, plural(v->defective), v->defective == 1 ? "has" : "have");
    if (v->linearised)
        app_say(a, "note",
                "nonlinear elements are linearised at the initial state; the result applies to small motions");
    if (v->bounded)
        app_say(a, "caution",
                "the result is that of the exact Jacobian; with 'jacobian: bounded' elements may be stiffer in the "
                "method than here");
    if (v->reduced && isfinite(v->reduced_bound))
        app_say(a, "note", "%d dofs reduced by superelements; error at most %.2g of the peak up to %.4g Hz",
                v->reduced, v->reduced_bound, v->reduced_range);
    else if (v->reduced)
        app_say(a, "note", "%d dofs reduced to joints, elements and lowest modes", v->reduced);
    for (int k = 0; k < v->relaxations && k < MODES_SHOWN; k++) /* real roots: decay without oscillation */
        app_say(a, "relaxation", "rate %.9g 1/s, step times rate %.4g", v->relaxation[k], v->relaxation[k] * v->step);
    if (v->relaxations > MODES_SHOWN)
        app_say(a, "relaxation", "%d more (--json has them all)", v->relaxations - MODES_SHOWN);
    print_modes(v);
}

static void print_around(app *a, const ifd_critical_step *v)
{
    const readable step = quantity(v->current, "s");
    if (v->current_stable)
        app_say(a, "range", "step of the case %s: %s from %.6g s (%s) to %.6g s (%s)", step.text,
                v->unsure ? "not decided, no growth found" : "stable", v->below,
                v->below_found ? "unstable below" : "end of the search", v->above,
                v->above_found ? "unstable above" : "end of the search");
    else
        app_say(a, "range", "step of the case %s: unstable, radius %.10g", step.text, v->current_radius);
}

static void print_critical(app *a, const ifd_critical_step *v)
{
    const readable from = quantity(v->smallest, "s"), to = quantity(v->largest, "s");
    char window[60] = "unstable up to the end of the search";
    if (v->closes > 0)
        snprintf(window, sizeof window, "stable again from %.6g s", v->closes);
    if (!v->found)
        app_say(a, "critical", "%s between %s and %s (Omega of the lowest mode %.4g)",
                v->unsure ? "not decided; a random state never grew by more than 0.25 % per step," : "no instability",
                from.text, to.text, v->omega);
    else if (v->step == 0)
        app_say(a, "critical", "first unstable step %s, the smallest of the search: radius %.10g", from.text,
                v->radius);
    else
        app_say(a, "critical", "first unstable step %.9g s (Omega of the lowest mode %.6g); radius up to %.6f, %s",
                v->step, v->omega, v->radius, window);
    print_around(a, v);
    app_say(a, "searched",
            "%s to %s, %s; windows narrower than %.3g %% of the step, or with a radius below 1.000001, are not "
            "excluded; %d probes",
            from.text, to.text, v->uniform ? "uniform scan" : "adaptive search", 100 * (v->resolution - 1),
            v->evaluations);
    if (v->coarse)
        app_say(a, "searched", "full model with %d state variables only in steps of factor 1.15; %s", v->states,
                v->arnoldi ? "largest roots by Arnoldi's method" : "all roots");
    if (v->unsure)
        app_say(a, "searched",
                "at %d of %d steps Arnoldi's method did not converge; 2000 time steps of a random state showed no "
                "growth there, which does not exclude slow growth, such as a radius below 1.0025. %d roots "
                "of magnitude %.9g to %.9g could not be separated: residual %.2g",
                v->unsure, v->arnoldi, v->unsure_roots, v->unsure_from, v->unsure_to, v->unsure_doubt);
    if (v->dense)
        app_say(a, "searched", "at %d of %d steps Arnoldi's method did not converge; all roots were computed there",
                v->dense, v->arnoldi);
    if (v->reduced)
        app_say(a, "searched",
                "adaptive search on a model reduced to %d variables: joints, elements, modes up to %.4g Hz",
                v->reduced, v->kept);
}

static bool write_rows(app *a, const char *path, const sweep *s, const ifd_stability_row *row)
{
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "value of %s,step,omega,radius,stable,ones,zeros,spurious,damping,frequency_error\n", s->what);
        for (int k = 0; k < s->count; k++)
            fprintf(f, "%.17g,%.17g,%.17g,%.17g,%d,%d,%d,%.17g,%.17g,%.17g\n", row[k].value, row[k].step,
                    row[k].omega, row[k].radius, row[k].stable, row[k].ones, row[k].zeros, row[k].spurious,
                    row[k].damping, row[k].frequency_error);
    }
    return file_written(a, f, path);
}

static bool write_roots(app *a, const char *path, const ifd_stability *v)
{
    FILE *f = fopen(path, "w");
    if (f) {
        fprintf(f, "real,imag,modulus,mode\n");
        for (int k = 0; k < v->states; k++)
            fprintf(f, "%.17g,%.17g,%.17g,%d\n", v->root[k].real, v->root[k].imag,
                    hypot(v->root[k].real, v->root[k].imag), v->root[k].mode + 1);
    }
    return file_written(a, f, path);
}

static int put_rows(app *a, const ifd_case *c, const sweep *s, const ifd_stability_row *row)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("case", c->path), IFD_JSON("scheme", coupling_of(c)), IFD_JSON("sweep", s->what));
    ifd_json_list(&j, "rows");
    for (int k = 0; k < s->count; k++)
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("value", row[k].value), IFD_JSON("step", row[k].step),
                        IFD_JSON("omega", row[k].omega), IFD_JSON("radius", row[k].radius),
                        IFD_JSON("stable", row[k].stable), IFD_JSON("ones", row[k].ones),
                        IFD_JSON("zeros", row[k].zeros), IFD_JSON("spurious", row[k].spurious),
                        IFD_JSON("damping", row[k].damping), IFD_JSON("frequency_error", row[k].frequency_error));
    return app_put_json(a, &j, EXIT_FINE);
}

static void print_rows(const app *a, const sweep *s, const ifd_stability_row *row)
{
    printf("%12s         step        Omega   spectral radius        damping   frequency error\n", s->what);
    for (int k = 0; k < s->count; k++) {
        const ifd_stability_row *r = &row[k];
        bool red = !r->stable && a->colour_out;
        printf("%12.6g  %9.4g s   %10.5g   %s%15.9f%s", r->value, r->step, r->omega, red ? "\033[31m" : "", r->radius,
               red ? "\033[0m" : "");
        if (isnan(r->damping))
            printf("  %13s   %15s", "-", "-");
        else
            printf("  %13.4e   %15.4e", r->damping, r->frequency_error);
        printf("%s\n", r->stable ? "" : "  unstable");
    }
}

static int command_sweep(app *a, const ifd_case *c, const char *text)
{
    sweep s;
    ifd_status status = read_sweep(a, text, &s);
    ifd_stability_row *row = status == IFD_OK ? ifd_arena_array(a->arena, (size_t)s.count, sizeof *row) : NULL;
    working w;
    working_begin(&w, a, "roots in the range");
    if (status == IFD_OK)
        status = row ? ifd_stability_sweep(&c->run, s.what, s.count, s.value, row, &a->note) : IFD_NO_MEMORY;
    working_end(&w);
    APP_TRY(a, status);
    const char *csv = app_value(a, "--csv");
    if (csv && !write_rows(a, csv, &s, row))
        return EXIT_RUN_FAILED;
    if (a->json)
        return put_rows(a, c, &s, row);
    if (!a->quiet)
        print_rows(a, &s, row);
    return EXIT_FINE;
}

static int run_command(app *a)
{
    const char *text = app_value(a, "--sweep"), *csv = app_value(a, "--csv");
    ifd_critical_options scan = {0};
    bool fine = app_value(a, "--resolution") != NULL, wanted = fine || app_has(a, "--critical");
    if (!app_number(a, "--resolution", IFD_DIM_NONE, 0, &scan.resolution))
        return EXIT_BAD_INPUT;
    if (fine && !(scan.resolution >= 1.0001 && scan.resolution <= 2))
        return app_refuse(a, "--resolution: found %g, expected a factor from 1.0001 to 2, such as 1.003",
                          scan.resolution);
    ifd_case *c = APP_CASE(a, case_read(a));
    if (text)
        return command_sweep(a, c, text);
    ifd_stability v;
    ifd_critical_step critical;
    working w;
    working_begin(&w, a, wanted ? "roots, then the critical step" : "roots");
    ifd_status status = ifd_stability_find(a->arena, &c->run, &v, &a->note);
    if (status == IFD_OK && wanted)
        status = ifd_stability_critical(a->arena, &c->run, &scan, &critical, &a->note);
    working_end(&w);
    APP_TRY(a, status);
    if (csv && !write_roots(a, csv, &v))
        return EXIT_RUN_FAILED;
    if (a->json)
        return put_stability(a, c, &v, wanted ? &critical : NULL);
    app_remarks(a);
    if (app_talks(a)) {
        print_stability(a, c, &v);
        if (wanted)
            print_critical(a, &critical);
    }
    return v.stable ? EXIT_FINE : EXIT_RUN_FAILED;
}

const command command_stability = {
    .name = "stability",
    .words = "CASE",
    .summary = "determine the stability of a case and the errors of its modes",
    .details = "The amplification matrix of the run, with or without coupled substructures, is determined by "
               "steps from unit states without loads. Motion grows if its spectral radius exceeds one. Omega is "
               "the lowest natural frequency (rad/s) times the largest step of a substructure. Nonlinear elements "
               "are linearised at the initial state.",
    .options = {{"--sweep", "WHAT=FROM:TO:N",
                 "table over dt, omega, ss (subcycles) or a parameter of the method; or WHAT=VALUE,VALUE,..."},
                {"--critical", NULL,
                 "also find the first unstable step and the range of stable steps around that of the case"},
                {"--resolution", "FACTOR",
                 "uniform scan with this factor, e.g. 1.003, instead of the adaptive search"},
                {"--csv", "FILE", "write the table or the roots to this file"},
                OPTION_SET},
    .examples = "interfield stability bridge/pg-alpha --critical\n"
                "interfield stability cut-frame-10/pg-alpha --sweep dt=0.5ms:20ms:20",
    .see = "spectrum preflight stability.md critical-step.md",
    .run = run_command,
    .code = CODE_RUN,
    .computes = true,
    .failed = "the case is unstable",
};
