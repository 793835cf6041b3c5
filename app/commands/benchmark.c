/* SPDX-License-Identifier: MIT */
/* interfield benchmark: the community benchmarks with one and with several actuators. */
#include "benchmark.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Mean and largest over the plants. */
typedef struct tally {
    int stable, trips; /* trips: number of plants with which a real rig would trip */
    double mean[IFD_RTHS_CRITERIA], most[IFD_RTHS_CRITERIA];
} tally;

typedef struct job {
    ifd_rths_options opt;
    ifd_rths_setting setting[MOST_SETTINGS + 1];
    bool every_controller;
    int first, last; /* buildings */
    int plants;
    motions on;
    const ifd_rths_plant *plant; /* NULL: the nominal plant */
    tally tally;                 /* of the present controller */
    bool unstable;
    ifd_json j;
} job;

static ifd_status get_controller(app *a, job *b)
{
    const char *name = app_value(a, "--controller");
    b->every_controller = name && strcmp(name, "all") == 0;
    if (b->every_controller)
        return IFD_OK;
    b->opt.controller = ifd_rths_controller_find(name ? name : "adaptive-model");
    if (b->opt.controller)
        return IFD_OK;
    const char *known = "all";
    for (const ifd_rths_controller *c = ifd_rths_controllers; c->name; c++)
        known = names_add(a->arena, known, c->name);
    ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "unknown controller '%s'", name);
    ifd_choice_hint(&a->note, known, name);
    return IFD_UNKNOWN_NAME;
}

/* The compensators of the controllers; a controller without the parameter reports the error when it is made. */
static ifd_status get_settings(app *a, job *b)
{
    const char *kind[64];
    int count = 0;
    for (const ifd_rths_controller *c = ifd_rths_controllers; c->name; c++)
        if (c->compensator && (b->every_controller || c == b->opt.controller))
            kind[count++] = c->compensator;
    b->opt.setting = b->setting;
    return settings_get(a, count, kind, b->setting);
}

static ifd_status get_switches(app *a, job *b)
{
    const char *which = app_value(a, "--case"), *noise = app_value(a, "--noise");
    bool all = !which || strcmp(which, "all") == 0;
    b->first = 1;
    b->last = IFD_RTHS_BUILDINGS;
    if (!all) {
        if (strlen(which) != 1 || *which < '1' || *which > '0' + (int)IFD_RTHS_BUILDINGS)
            return ifd_note_add(&a->note, IFD_RANGE, NULL, "--case: found '%s', expected 1 to 4 or all", which);
        b->first = b->last = *which - '0';
    }
    if (noise && strcmp(noise, "on") != 0 && strcmp(noise, "off") != 0)
        return ifd_note_add(&a->note, IFD_UNKNOWN_CHOICE, NULL, "--noise: found '%s', expected on or off", noise);
    b->opt.noise = !noise || strcmp(noise, "on") == 0;
    b->opt.method = app_value(a, "--method");
    return IFD_OK;
}

static ifd_status prepare(app *a, job *b)
{
    IFD_TRY(get_switches(a, b));
    IFD_TRY(get_controller(a, b));
    IFD_TRY(get_settings(a, b));
    IFD_TRY(motions_get(a, &b->on));
    const char *file = app_value(a, "--plants");
    return file ? ifd_rths_plants_read(a->arena, file, &b->plant, &b->plants, &a->note) : IFD_OK;
}

/* Limits are observed and saturations off; a real rig would trip. */
static bool would_trip(const ifd_rths_result *r)
{
    return !r->stable || r->over_force || r->over_stroke || r->over_velocity;
}

static void put_result(job *b, const motion *m, const ifd_rths_result *r, int plant)
{
    ifd_json *j = &b->j;
    ifd_json_object(j, NULL);
    ifd_json_text(j, "controller", b->opt.controller->name);
    ifd_json_text(j, "record", m->name);
    ifd_json_flag(j, "comparable", m->comparable);
    ifd_json_integer(j, "case", b->opt.building);
    if (b->plant)
        ifd_json_integer(j, "plant", plant + 1);
    ifd_json_flag(j, "stable", r->stable);
    if (r->stable)
        ifd_json_numbers(j, "J", IFD_RTHS_CRITERIA, r->J);
    else
        ifd_json_number(j, "unstable_at", r->unstable_at);
    ifd_json_number(j, "delay", r->delay);
    ifd_json_number(j, "amplitude", r->amplitude);
    ifd_json_number(j, "peak_displacement", r->peak_x);
    ifd_json_number(j, "peak_velocity", r->peak_v);
    ifd_json_number(j, "peak_force", r->peak_f);
    ifd_json_flag(j, "would_trip", would_trip(r));
    ifd_json_flag(j, "over_force", r->over_force);
    ifd_json_flag(j, "over_stroke", r->over_stroke);
    ifd_json_flag(j, "over_velocity", r->over_velocity);
    ifd_json_numbers(j, "reference_peaks", 3, r->reference);
    ifd_json_numbers(j, "coefficients", 4, r->coefficients);
    ifd_json_integer(j, "samples", r->samples);
    ifd_json_end(j);
}

static void print_criteria(const double *J)
{
    printf(" %5.1f", J[0]);
    for (int i = 1; i < IFD_RTHS_CRITERIA; i++)
        printf(" %7.2f", J[i]);
}

static void print_result(const job *b, const ifd_rths_result *r)
{
    printf("%-18s %d   ", b->opt.controller->name, b->opt.building);
    if (!r->stable) {
        printf("   unstable: 100 mm exceeded at %.2f s; a limit would trip earlier\n", r->unstable_at);
        return;
    }
    print_criteria(r->J);
    printf("  %8.4f %8.5f %8.5f %8.1f%s%s%s%s\n", 1e3 * r->delay, r->amplitude, 1e3 * r->peak_x, r->peak_f,
           would_trip(r) ? "  would trip:" : "", r->over_force ? " force" : "", r->over_stroke ? " stroke" : "",
           r->over_velocity ? " velocity" : "");
}

static void count_in(tally *t, const ifd_rths_result *r)
{
    t->trips += would_trip(r);
    if (!r->stable)
        return;
    t->stable++;
    for (int i = 0; i < IFD_RTHS_CRITERIA; i++) {
        t->mean[i] += (r->J[i] - t->mean[i]) / t->stable;
        t->most[i] = fmax(t->most[i], r->J[i]);
    }
}

static void print_tally(const job *b, const tally *t)
{
    if (!t->stable) {
        printf("%-18s %d      unstable with each of the %d plants; a limit would trip earlier\n",
               b->opt.controller->name, b->opt.building, b->plants);
        return;
    }
    printf("%-18s %d mean", b->opt.controller->name, b->opt.building);
    print_criteria(t->mean);
    printf("\n%-18s   max ", "");
    print_criteria(t->most);
    if (t->stable < b->plants)
        printf("   %d of %d stable", t->stable, b->plants);
    if (t->trips)
        printf("   would trip: %d of %d", t->trips, b->plants);
    putchar('\n');
}

static void report(const app *a, job *b, const motion *m, const ifd_rths_result *r, int plant)
{
    count_in(&b->tally, r);
    if (a->json)
        put_result(b, m, r, plant);
    else if (!b->plant && !a->quiet)
        print_result(b, r);
}

static ifd_status run_building(app *a, job *b, const motion *m)
{
    b->tally = (tally){0};
    int runs = b->plant ? b->plants : 1;
    for (int p = 0; p < runs; p++) {
        ifd_rths_result r;
        if (b->plant)
            b->opt.plant = b->plant[p];
        IFD_TRY(ifd_rths_run(&b->opt, &r, &a->note));
        b->unstable = b->unstable || !r.stable;
        report(a, b, m, &r, p);
    }
    if (b->plant && app_talks(a))
        print_tally(b, &b->tally);
    return IFD_OK;
}

static ifd_status run_controller(app *a, job *b, const motion *m)
{
    b->opt.ground = m->signal;
    b->opt.end = m->end;
    for (b->opt.building = b->first; b->opt.building <= b->last; b->opt.building++)
        IFD_TRY(run_building(a, b, m));
    return IFD_OK;
}

static void print_head(const app *a, const job *b, const motion *m)
{
    if (!app_talks(a))
        return;
    app_print("%s%s, %.2f s, scale %g; noise %s; limits observed, saturation off (8.9 kN, 7 mm, 300 mm/s)\n", m->name,
              m->comparable ? "" : " (not comparable with published criteria)", m->end, b->opt.scale,
              b->opt.noise ? "on" : "off");
    printf("controller      case  J1 ms    J2 %%    J3 %%    J4 %%    J5 %%    J6 %%    J7 %%    J8 %%    J9 %%%s\n",
           b->plant ? "" : "  delay ms amplit. peak mm  force N");
}

static ifd_status run_all(app *a, job *b)
{
    const ifd_rths_controller *one = b->opt.controller;
    for (int i = 0; i < b->on.count; i++) {
        print_head(a, b, &b->on.motion[i]);
        for (const ifd_rths_controller *c = ifd_rths_controllers; c->name; c++) {
            if (!b->every_controller && c != one)
                continue;
            b->opt.controller = c;
            IFD_TRY(run_controller(a, b, &b->on.motion[i]));
        }
    }
    return IFD_OK;
}

static int run_rths(app *a)
{
    job b = {.plants = 0};
    int seed = 1;
    ifd_rths_options_defaults(&b.opt);
    if (!app_integer(a, "--seed", 0, 1 << 30, &seed))
        return EXIT_BAD_INPUT;
    b.opt.seed = (uint64_t)seed;
    ifd_status status = prepare(a, &b);
    b.j = app_json(a);
    ifd_json_text(&b.j, "benchmark", "rths");
    ifd_json_flag(&b.j, "noise", b.opt.noise);
    ifd_json_integer(&b.j, "seed", seed);
    ifd_json_list(&b.j, "rows");
    if (status == IFD_OK)
        status = run_all(a, &b);
    return benchmark_end(a, status, &b.j, b.unstable);
}

static int run_command(app *a)
{
    if (strcmp(a->word[0], "rths") == 0)
        return run_rths(a);
    if (strcmp(a->word[0], "marths") == 0)
        return run_marths(a);
    ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "unknown benchmark '%s'; expected rths or marths", a->word[0]);
    ifd_choice_hint(&a->note, "rths|marths", a->word[0]);
    APP_TRY(a, IFD_UNKNOWN_NAME);
    return EXIT_BAD_INPUT;
}

const command command_benchmark = {
    .name = "benchmark",
    .words = "rths|marths",
    .summary = "compute a community benchmark of hybrid simulation",
    .details =
        "rths is a three-storey frame. Its first storey is tested with a virtual servo-hydraulic "
        "actuator at 4096 Hz. J1 is the delay of the actuator, J2 and J3 are its tracking errors, J4 to J9 "
        "are errors of the test against the exact response. marths is a frame of three storeys and three bays. "
        "One bay of its first storey is moved by two coupled actuators at 1024 Hz. J1 to J3 and J5, J6 are "
        "errors of the actuators and of the tested node. J7 to J10 are errors against the reference, which have "
        "floors: the hybrid model of this benchmark differs from its reference. J7c to J10c are errors against "
        "the glued model and can become zero.",
    .options =
        {{"--controller", "NAME",
          "compensator with its settings; all: each of them (default: adaptive-model; marths: decoupling)"},
         {"--case", "1..4|all", "rths: building (default: all)"},
         {"--record", "FILE", "ground motion, unscaled: CSV or AT2; may be repeated"},
         {"--records", "DIR", "folder with the three ground motions of the benchmark"},
         {"--noise", "on|off|independent",
          "noise of the sensors (default: on); of marths it is the same in both, or independent"},
         {"--plants", "FILE",
          "perturbed plants, one per line: k_e, beta1, beta2, a3; of marths: a number and nine draws (default: "
          "the nominal plant)"},
         {"--seed", "N", "seed of the noise (default 1; marths: 123)"},
         {"--method", "NAME",
          "rths: time-integration method (default: exact for a force with zero-order hold, as in the "
          "benchmark)"},
         {"--set", "NAME=VALUE", "parameter of the compensator; may be repeated"}},
    .examples = "interfield benchmark rths --controller all --case 1\n"
                "interfield benchmark marths --controller all --noise off",
    .see = "compensate reproduce compensation.md marths.md",
    .run = run_command,
    .failed = "a run was unstable",
};
