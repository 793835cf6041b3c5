/* SPDX-License-Identifier: MIT */
/* interfield modes: natural frequencies, shapes, participation and roots. */
#include "structure.h"
#include "working.h"

#include <interfield/analysis.h>

#include <math.h>

static int put_modes(app *a, const ifd_case *c, const ifd_modes *m, const ifd_state_roots *r)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("case", c->path), IFD_JSON("total_mass", m->total_mass));
    JSON_TEXTS(&j, "dofs", m->n, ifd_model_dof_name(c->run.model, k));
    ifd_json_list(&j, "modes");
    for (int k = 0; k < m->count; k++) {
        ifd_json_object(&j, NULL);
        IFD_JSON_PUT(&j, IFD_JSON("frequency", m->frequency[k]), IFD_JSON("participation", m->participation[k]),
                     IFD_JSON("effective_mass", m->effective_mass[k]));
        ifd_json_numbers(&j, "shape", m->n, m->shape + (size_t)k * (size_t)m->n);
        ifd_json_end(&j);
    }
    ifd_json_end(&j);
    ifd_json_list(&j, "roots");
    for (int k = 0; k < r->count; k++)
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("kind", r->imag[k] == 0 ? "relaxation" : "oscillation"),
                        IFD_JSON("real", r->real[k]), IFD_JSON("imag", r->imag[k]));
    return app_put_json(a, &j, EXIT_FINE);
}

/* Round-off beside the largest factor is printed as zero. */
static void print_table(const ifd_modes *m)
{
    double sum = 0, largest = 0;
    for (int k = 0; k < m->count; k++)
        largest = fmax(largest, fabs(m->participation[k]));
    printf("mode  frequency       period    participation   effective mass\n");
    for (int k = 0; k < m->count; k++) {
        double f = m->frequency[k], mass = m->effective_mass[k];
        double share = m->total_mass > 0 ? 100 * mass / m->total_mass : 0;
        sum += share;
        printf("%4d  %-12.9g Hz  %8.4g s  %13.6g   %6.2f %%, sum %6.2f %%\n", k + 1, f, f > 0 ? 1 / f : HUGE_VAL,
               fabs(m->participation[k]) > 1e-12 * largest ? m->participation[k] : 0.0, share, sum);
    }
}

/* With first-order dofs the undamped modes above are those with relaxed dofs; these are the modes with them. */
static void print_roots(const ifd_state_roots *r, int count)
{
    const double pi = 3.14159265358979323846;
    printf("\nroots of the structure with its first-order dofs (in the modes above these dofs are relaxed)\n");
    for (int k = 0; k < r->count && k < count; k++) {
        double speed = hypot(r->real[k], r->imag[k]);
        if (r->imag[k] == 0)
            printf("relaxation    %-13.9g 1/s  time constant %.4g s\n", -r->real[k],
                   r->real[k] < 0 ? -1 / r->real[k] : HUGE_VAL);
        else
            printf("oscillation   %-13.9g Hz   damping ratio %.4f %%\n", r->imag[k] / (2 * pi),
                   -100 * r->real[k] / speed);
    }
    if (r->count > count)
        printf("and %d more (--count)\n", r->count - count);
}

/* Shapes normalised to the largest entry, modes in columns. */
static void print_shapes(const ifd_case *c, const ifd_modes *m)
{
    enum { ACROSS = 8 };
    for (int first = 0; first < m->count; first += ACROSS) {
        int last = first + ACROSS < m->count ? first + ACROSS : m->count;
        printf("\n%-16s", "shape of mode");
        for (int k = first; k < last; k++)
            printf("%10d", k + 1);
        putchar('\n');
        for (int i = 0; i < m->n; i++) {
            app_print("%-16s", ifd_model_dof_name(c->run.model, i));
            for (int k = first; k < last; k++) {
                const double *shape = m->shape + (size_t)k * (size_t)m->n;
                double largest = 0;
                for (int r = 0; r < m->n; r++)
                    largest = fabs(shape[r]) > fabs(largest) ? shape[r] : largest;
                printf("%10.4f", largest != 0 ? shape[i] / largest + 0.0 : 0.0);
            }
            putchar('\n');
        }
    }
}

/* A mode of the whole structure. */
typedef struct mode_shape {
    const ifd_model *m;
    const double *u;
} mode_shape;

static bool in_mode(const void *data, const char *part, const char *dof, double *out)
{
    const mode_shape *of = data;
    char name[300];
    snprintf(name, sizeof name, "%s%s%s", part ? part : "", part ? "." : "", dof);
    return ifd_model_displacement(of->m, name, of->u, out) || ifd_model_displacement(of->m, dof, of->u, out);
}

/* The first modes beside each other, in one picture. */
static int draw_modes(app *a, const ifd_case *c, const ifd_modes *m)
{
    enum { ACROSS = 3, MOST = 12, WIDE = 360, TALL = 300 };
    const char *file = folder_name(a, c->path), *dot = strrchr(file, '.');
    const char *path = ifd_arena_print(a->arena, "%.*s-modes.svg", dot ? (int)(dot - file) : (int)strlen(file), file);
    structure s;
    int count = m->count < MOST ? m->count : MOST;
    if (!path || !structure_take(a->arena, c, &s))
        return app_fail(a, IFD_NO_MEMORY);
    FILE *out = fopen(path, "w");
    if (out)
        picture_begin(out, WIDE * (count < ACROSS ? count : ACROSS), TALL * ((count + ACROSS - 1) / ACROSS),
                      *c->title ? c->title : c->path, true);
    for (int k = 0; out && k < count; k++) {
        const mode_shape one = {c->run.model, m->shape + (size_t)k * (size_t)m->n};
        displaced d = {.value = in_mode, .data = &one};
        d.caption = ifd_arena_print(a->arena, "mode %d, %.4g Hz", k + 1, m->frequency[k]);
        d.factor = displaced_factor(&s, &d);
        picture_put(out, &s,
                    &(picture_view){.x = WIDE * (k % ACROSS),
                                    .y = TALL * (k / ACROSS),
                                    .width = WIDE,
                                    .height = TALL,
                                    .shape = &d,
                                    .bare = true});
    }
    if (out)
        picture_end(out);
    return file_written(a, out, path) ? app_put_made(a, "picture", "picture", path, EXIT_FINE) : EXIT_RUN_FAILED;
}

static int run_command(app *a)
{
    enum { SMALL = 24 };
    int count = 10;
    if (!app_integer(a, "--count", 1, 10000000, &count))
        return EXIT_BAD_INPUT;
    ifd_case *c = APP_CASE(a, case_read(a));
    const ifd_model *model = APP_NEED(case_whole(a, c), app_fail(a, IFD_UNSUPPORTED));
    int n = ifd_model_dofs(model);
    ifd_modes m;
    APP_TRY(a, WORK(a, "modes", ifd_model_modes(model, c->direction, count < n ? count : n, a->arena, &m, &a->note)));
    if (app_has(a, "--draw"))
        return draw_modes(a, c, &m);
    ifd_state_roots roots = {0};
    if (ifd_model_first_order(model))
        APP_TRY(a, ifd_model_roots(a->arena, model, &roots, &a->note));
    if (a->json)
        return put_modes(a, c, &m, &roots);
    if (a->quiet)
        return EXIT_FINE;
    print_table(&m);
    if (roots.count)
        print_roots(&roots, 2 * count);
    if (m.n <= SMALL || app_has(a, "--shapes"))
        print_shapes(c, &m);
    return EXIT_FINE;
}

const command command_modes = {
    .name = "modes",
    .words = "CASE",
    .summary = "compute natural frequencies, mode shapes and participation",
    .details = "Uses the tangent stiffness of the initial state. Effective masses refer to ground motion in the "
               "direction of the case.",
    .options = {{"--count", "N", "number of modes (default 10)"},
                {"--shapes", NULL, "print the mode shapes for models of any size"},
                {"--draw", NULL, "write the shapes as a picture, CASE-modes.svg, instead of the table"},
                OPTION_SET},
    .examples = "interfield modes bridge/hybrid --count 3\n"
                "interfield modes frame-10/frame --count 6 --draw",
    .see = "stability matrices draw structure.md",
    .run = run_command,
    .code = CODE_RUN,
    .computes = true,
};
