/* SPDX-License-Identifier: MIT */
/* interfield benchmark marths: criteria of one controller in full, of several controllers or plants in lines. */
#include "benchmark.h"

#include <math.h>
#include <string.h>

#include <interfield/marths.h>

#include "working.h"

/* Mean and largest over the plants; of signed delays the largest size. */
typedef struct tally {
    int stable;
    double mean[IFD_MARTHS_VALUES], most[IFD_MARTHS_VALUES];
} tally;

typedef struct job {
    ifd_marths_options opt;
    ifd_rths_setting setting[MOST_SETTINGS + 1];
    bool every_controller;
    int plants;
    const ifd_marths_plant *plant; /* NULL: the nominal plant */
    motions on;
    tally tally; /* of the present controller */
    bool unstable;
    ifd_json j;
} job;

static ifd_status get_controller(app *a, job *b)
{
    const char *name = app_value(a, "--controller"), *known = "all", *kind[64];
    int count = 0;
    b->every_controller = name && strcmp(name, "all") == 0;
    if (name && !b->every_controller)
        b->opt.controller = ifd_marths_controller_find(name);
    for (const ifd_marths_controller *c = ifd_marths_controllers; c->name; c++) {
        known = names_add(a->arena, known, c->name);
        if (c->compensator && (b->every_controller || c == b->opt.controller))
            kind[count++] = c->compensator;
    }
    if (!b->opt.controller) {
        ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "unknown controller '%s'", name);
        ifd_choice_hint(&a->note, known, name);
        return IFD_UNKNOWN_NAME;
    }
    IFD_TRY(settings_get(a, count, kind, b->setting));
    b->opt.setting = b->setting;
    if (b->setting[0].param && !b->every_controller && !b->opt.controller->compensator)
        return ifd_note_add(&a->note, IFD_CONFLICT, NULL, "controller '%s' has no settings: remove --set",
                            b->opt.controller->name);
    return IFD_OK;
}

static ifd_status get_noise(app *a, job *b)
{
    const char *noise = app_value(a, "--noise"), *words = "off|on|independent";
    int which = noise ? ifd_choice_find(words, noise) : 1;
    if (which < 0)
        return ifd_note_add(&a->note, IFD_UNKNOWN_CHOICE, NULL,
                            "--noise: found '%s', expected on, off or independent", noise);
    b->opt.noise = (ifd_marths_noise)which;
    return IFD_OK;
}

static ifd_status prepare(app *a, job *b)
{
    static const char *const others[] = {"--case", "--method"};
    for (int i = 0; i < 2; i++)
        if (app_value(a, others[i]))
            return ifd_note_add(&a->note, IFD_CONFLICT, NULL, "%s belongs to the benchmark rths: remove it",
                                others[i]);
    IFD_TRY(get_noise(a, b));
    IFD_TRY(get_controller(a, b));
    IFD_TRY(motions_get(a, &b->on));
    const char *file = app_value(a, "--plants");
    return file ? ifd_marths_plants_read(a->arena, file, &b->plant, &b->plants, &a->note) : IFD_OK;
}

static void put_values(ifd_json *j, const char *key, const char *const *name, int count, const double *value)
{
    ifd_json_object(j, key);
    for (int i = 0; i < count; i++)
        ifd_json_number(j, name[i], value[i]);
    ifd_json_end(j);
}

static void put_result(job *b, const motion *m, const ifd_marths_result *r, int plant)
{
    ifd_json *j = &b->j;
    ifd_json_object(j, NULL);
    ifd_json_text(j, "controller", b->opt.controller->name);
    ifd_json_text(j, "record", m->name);
    ifd_json_flag(j, "comparable", m->comparable);
    if (b->plant)
        ifd_json_integer(j, "plant", plant + 1);
    ifd_json_flag(j, "stable", r->stable);
    put_values(j, "floors", ifd_marths_criteria + IFD_MARTHS_J7, IFD_MARTHS_FLOORS, r->floor);
    ifd_json_numbers(j, "reference_peaks", 6, r->reference);
    ifd_json_numbers(j, "glued_peaks", 6, r->glued);
    ifd_json_integer(j, "samples", r->samples);
    if (r->stable) {
        put_values(j, "criteria", ifd_marths_criteria, IFD_MARTHS_VALUES, r->value);
        ifd_json_numbers(j, "peak_target", 2, r->peak_target);
        ifd_json_numbers(j, "peak_measured", 2, r->peak_measured);
        ifd_json_numbers(j, "peak_command", 2, r->peak_command);
        ifd_json_numbers(j, "peak_volts", 2, r->peak_volts);
        ifd_json_numbers(j, "coefficients", 8, r->coefficients[0]);
    } else
        ifd_json_number(j, "unstable_at", r->unstable_at);
    ifd_json_end(j);
}

static void print_numbers(const char *label, int count, const double *value)
{
    printf("  %-28s", label);
    for (int i = 0; i < count; i++)
        printf(" %9.4f", value[i]);
    putchar('\n');
}

/* Every criterion; the floors of J7 to J10 below them. */
static void print_full(const job *b, const ifd_marths_result *r)
{
    const double *J = r->value;
    printf("%-30s %9s %9s\n", b->opt.controller->name, "1", "2");
    print_numbers("J1 = J4, delay, ms", 2, J + IFD_MARTHS_J1);
    print_numbers("delay below a sample, ms", 2, J + IFD_MARTHS_LAG);
    print_numbers("J2 %", 2, J + IFD_MARTHS_J2);
    print_numbers("J3 %", 2, J + IFD_MARTHS_J3);
    printf("%-30s %9s %9s %9s %9s %9s %9s\n", "", "x", "theta", "x2", "theta2", "x3", "theta3");
    print_numbers("J5 %", 2, J + IFD_MARTHS_J5);
    print_numbers("J6 %", 2, J + IFD_MARTHS_J6);
    print_numbers("J7, J8 %", 6, J + IFD_MARTHS_J7);
    print_numbers("  floor: glued model", 6, r->floor);
    print_numbers("J9, J10 %", 6, J + IFD_MARTHS_J9);
    print_numbers("  floor: glued model", 6, r->floor + 6);
    print_numbers("J7c, J8c %", 6, J + IFD_MARTHS_J7C);
    print_numbers("J9c, J10c %", 6, J + IFD_MARTHS_J9C);
}

/* The criteria of a line. */
static const int column[] = {IFD_MARTHS_LAG, IFD_MARTHS_LAG + 1, IFD_MARTHS_J2,  IFD_MARTHS_J2 + 1,
                             IFD_MARTHS_J3,  IFD_MARTHS_J3 + 1,  IFD_MARTHS_J5,  IFD_MARTHS_J5 + 1,
                             IFD_MARTHS_J6,  IFD_MARTHS_J6 + 1,  IFD_MARTHS_J7C, IFD_MARTHS_J7C + 1,
                             IFD_MARTHS_J8C};
enum { COLUMNS = sizeof column / sizeof *column };

static void print_line(const char *name, const char *what, const double *value)
{
    printf("%-18s %-4s", name, what);
    for (int i = 0; i < COLUMNS; i++)
        printf(" %7.3f", value[column[i]]);
}

static bool in_full(const job *b)
{
    return !b->every_controller && !b->plant;
}

static void print_result(const job *b, const ifd_marths_result *r)
{
    if (!r->stable)
        printf("%-18s      unstable: 100 mm exceeded at %.2f s\n", b->opt.controller->name, r->unstable_at);
    else if (in_full(b))
        print_full(b, r);
    else {
        print_line(b->opt.controller->name, "", r->value);
        putchar('\n');
    }
}

static void count_in(tally *t, const ifd_marths_result *r)
{
    if (!r->stable)
        return;
    t->stable++;
    for (int i = 0; i < IFD_MARTHS_VALUES; i++) {
        t->mean[i] += (r->value[i] - t->mean[i]) / t->stable;
        t->most[i] = fabs(r->value[i]) > fabs(t->most[i]) ? r->value[i] : t->most[i];
    }
}

static void print_tally(const job *b, const tally *t)
{
    if (!t->stable) {
        printf("%-18s      unstable with each of the %d plants\n", b->opt.controller->name, b->plants);
        return;
    }
    print_line(b->opt.controller->name, "mean", t->mean);
    putchar('\n');
    print_line("", "max", t->most);
    if (t->stable < b->plants)
        printf("   %d of %d stable", t->stable, b->plants);
    putchar('\n');
}

static void report(const app *a, job *b, const motion *m, const ifd_marths_result *r, int plant)
{
    count_in(&b->tally, r);
    if (a->json)
        put_result(b, m, r, plant);
    else if (!b->plant && !a->quiet)
        print_result(b, r);
}

static ifd_status run_controller(app *a, job *b, const motion *m)
{
    b->tally = (tally){0};
    b->opt.ground = m->signal;
    b->opt.end = m->end;
    for (int p = 0; p < (b->plant ? b->plants : 1); p++) {
        ifd_marths_result r;
        working w;
        if (b->plant)
            b->opt.plant = b->plant[p];
        working_begin(&w, a, b->opt.controller->name);
        ifd_status status = ifd_marths_run(&b->opt, &r, &a->note);
        working_end(&w);
        IFD_TRY(status);
        b->unstable = b->unstable || !r.stable;
        report(a, b, m, &r, p);
    }
    if (b->plant && app_talks(a))
        print_tally(b, &b->tally);
    return IFD_OK;
}

static void print_head(const app *a, const job *b, const motion *m)
{
    static const char *const noise[] = {"off", "on, the same in both sensors", "on, independent"};
    if (!app_talks(a))
        return;
    app_print("%s%s, %.2f s, scale %g; noise %s; J7 to J10 have floors, J7c to J10c have none\n", m->name,
              m->comparable ? "" : " (not a motion of the benchmark)", m->end, b->opt.scale, noise[b->opt.noise]);
    if (in_full(b))
        return;
    printf("%-23s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s\n", "controller", "lag 1ms", "lag 2ms",
           "J2 1 %", "J2 2 %", "J3 1 %", "J3 2 %", "J5 x %", "J5 th %", "J6 x %", "J6 th %", "J7c x %", "J7c th",
           "J8c x2");
}

static ifd_status run_all(app *a, job *b)
{
    const ifd_marths_controller *one = b->opt.controller;
    for (int i = 0; i < b->on.count; i++) {
        print_head(a, b, &b->on.motion[i]);
        for (const ifd_marths_controller *c = ifd_marths_controllers; c->name; c++) {
            if (!b->every_controller && c != one)
                continue;
            b->opt.controller = c;
            IFD_TRY(run_controller(a, b, &b->on.motion[i]));
        }
    }
    return IFD_OK;
}

int run_marths(app *a)
{
    job b = {.plants = 0};
    int seed = 123;
    ifd_marths_options_defaults(&b.opt);
    if (!app_integer(a, "--seed", 0, 1 << 30, &seed))
        return EXIT_BAD_INPUT;
    b.opt.seed = (uint32_t)seed;
    ifd_status status = prepare(a, &b);
    b.j = app_json(a);
    ifd_json_text(&b.j, "benchmark", "marths");
    ifd_json_text(&b.j, "noise",
                  b.opt.noise == IFD_MARTHS_SILENT        ? "off"
                  : b.opt.noise == IFD_MARTHS_INDEPENDENT ? "independent"
                                                          : "shared");
    ifd_json_integer(&b.j, "seed", seed);
    ifd_json_list(&b.j, "rows");
    if (status == IFD_OK)
        status = run_all(a, &b);
    return benchmark_end(a, status, &b.j, b.unstable);
}
