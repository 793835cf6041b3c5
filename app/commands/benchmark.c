/* SPDX-License-Identifier: MIT */
#include "app.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/benchmark.h>

enum { MOST_RECORDS = 16, MOST_SETTINGS = 16 };

typedef struct motion {
    const char *name;
    const ifd_signal *signal;
    double end; /* s */
    bool comparable;
} motion;

typedef struct job {
    ifd_rths_options opt;
    ifd_rths_setting setting[MOST_SETTINGS + 1];
    bool every_controller;
    int first, last; /* buildings */
    int motions, plants;
    motion motion[MOST_RECORDS];
    const ifd_rths_plant *plant; /* NULL: the nominal plant */
    bool unstable;
    ifd_json j;
} job;

/* The motions of the benchmark; the criteria can be compared with published ones only for these. */
static const struct {
    const char *name, *file;
    long samples;
    double peak; /* m/s2 */
} published[] = {
    {"El Centro", "elcentro_1940_ns.csv", 168674, 3.134930},
    {"Kobe", "kobe_1995.csv", 208651, 6.329845},
    {"Morgan Hill", "morgan_hill_1984.csv", 163718, 2.389171},
};
enum { PUBLISHED = sizeof published / sizeof *published };

static void recognise(motion *m)
{
    long samples = (long)floor(IFD_RTHS_RATE * m->end) + 1;
    double peak = ifd_signal_peak(m->signal, m->end, 1.0 / IFD_RTHS_RATE);
    for (int i = 0; i < PUBLISHED; i++)
        if (samples == published[i].samples && fabs(peak - published[i].peak) < 1e-5 * peak) {
            m->name = published[i].name;
            m->comparable = true;
        }
}

static ifd_status read_motion(app *a, job *b, const char *path)
{
    if (b->motions == MOST_RECORDS)
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "too many ground motions; at most %d are possible",
                            (int)MOST_RECORDS);
    motion *m = &b->motion[b->motions++];
    const char *slash = strrchr(path, '/');
    m->name = slash ? slash + 1 : path;
    IFD_TRY(ifd_rths_record_read(a->arena, path, &m->signal, &m->end, &a->note));
    recognise(m);
    return IFD_OK;
}

static ifd_status generate_motion(app *a, job *b)
{
    const ifd_signal_kind *kind = ifd_signal_find("kanai-tajimi");
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, v);
    motion *m = &b->motion[b->motions++];
    m->name = "generated (kanai-tajimi, 0.3 g)";
    m->end = 25.0;
    return ifd_signal_make(a->arena, kind, v, NULL, &m->signal, &a->note);
}

static ifd_status get_motions(app *a, job *b)
{
    const char *folder = app_value(a, "--records"), *given[MOST_OPTIONS];
    int count = app_values(a, "--record", given);
    for (int i = 0; i < count; i++)
        IFD_TRY(read_motion(a, b, given[i]));
    for (int i = 0; folder && i < PUBLISHED; i++) {
        const char *path = ifd_arena_print(a->arena, "%s/%s", folder, published[i].file);
        if (!path)
            return IFD_NO_MEMORY;
        IFD_TRY(read_motion(a, b, path));
    }
    return b->motions ? IFD_OK : generate_motion(a, b);
}

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

/* A number with its unit, or a word, by the first controller with this parameter. A controller without it reports the
 * error when it is made. */
static ifd_status get_setting(app *a, const job *b, const char *name, const char *text, ifd_rths_setting *out)
{
    for (const ifd_rths_controller *c = ifd_rths_controllers; c->name; c++) {
        const ifd_compensator_kind *kind = c->compensator ? ifd_compensator_find(c->compensator) : NULL;
        int i = kind && (b->every_controller || c == b->opt.controller) ? ifd_param_find(kind->params, name) : -1;
        if (i < 0)
            continue;
        ifd_value v;
        IFD_TRY(ifd_param_read(&kind->params[i], text, name, &v, &a->note));
        *out = (ifd_rths_setting){name, v.number, v.word};
        return IFD_OK;
    }
    *out = (ifd_rths_setting){name, 0.0, text};
    return IFD_OK;
}

static ifd_status get_settings(app *a, job *b)
{
    const char *given[MOST_OPTIONS];
    int count = app_values(a, "--set", given);
    if (count > MOST_SETTINGS)
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "too many settings; at most %d are possible",
                            (int)MOST_SETTINGS);
    for (int i = 0; i < count; i++) {
        const char *name, *value;
        IFD_TRY(app_assignment(a, "--set", given[i], &name, &value));
        IFD_TRY(get_setting(a, b, name, value, &b->setting[i]));
    }
    b->opt.setting = b->setting;
    return IFD_OK;
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
    if (strcmp(a->word[0], "rths") != 0)
        return ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "unknown benchmark '%s'; expected rths", a->word[0]);
    IFD_TRY(get_switches(a, b));
    IFD_TRY(get_controller(a, b));
    IFD_TRY(get_settings(a, b));
    IFD_TRY(get_motions(a, b));
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

/* Mean and largest over the plants. */
typedef struct tally {
    int stable, trips; /* trips: number of plants with which a real rig would trip */
    double mean[IFD_RTHS_CRITERIA], most[IFD_RTHS_CRITERIA];
} tally;

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

static ifd_status run_building(app *a, job *b, const motion *m)
{
    tally t = {0};
    int runs = b->plant ? b->plants : 1;
    for (int p = 0; p < runs; p++) {
        ifd_rths_result r;
        if (b->plant)
            b->opt.plant = b->plant[p];
        IFD_TRY(ifd_rths_run(&b->opt, &r, &a->note));
        b->unstable = b->unstable || !r.stable;
        count_in(&t, &r);
        if (a->json)
            put_result(b, m, &r, p);
        else if (!b->plant && !a->quiet)
            print_result(b, &r);
    }
    if (b->plant && app_talks(a))
        print_tally(b, &t);
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
    for (int i = 0; i < b->motions; i++) {
        print_head(a, b, &b->motion[i]);
        for (const ifd_rths_controller *c = ifd_rths_controllers; c->name; c++) {
            if (!b->every_controller && c != one)
                continue;
            b->opt.controller = c;
            IFD_TRY(run_controller(a, b, &b->motion[i]));
        }
    }
    return IFD_OK;
}

static int run_command(app *a)
{
    job b = {.motions = 0};
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
    APP_TRY(a, status);
    int exit_status = b.unstable ? EXIT_RUN_FAILED : EXIT_FINE;
    return a->json ? app_put_json(a, &b.j, exit_status) : exit_status;
}

const command command_benchmark = {
    .name = "benchmark",
    .words = "rths",
    .summary = "compute the RTHS benchmark problem: criteria J1 to J9",
    .details = "The benchmark is a three-storey frame. Its first storey is tested with a virtual servo-hydraulic "
               "actuator at 4096 Hz. J1 is the delay of the actuator, J2 and J3 are its tracking errors, J4 to J9 "
               "are errors of the test against the exact response.",
    .options = {{"--controller", "NAME",
                 "compensator with its settings; all: each of them (default: adaptive-model)"},
                {"--case", "1..4|all", "building (default: all)"},
                {"--record", "FILE", "ground motion, unscaled: CSV or AT2; may be repeated"},
                {"--records", "DIR", "folder with the three ground motions of the benchmark"},
                {"--noise", "on|off", "noise of the sensors (default: on)"},
                {"--plants", "FILE",
                 "perturbed plants, one per line: k_e, beta1, beta2, a3 (default: the nominal plant)"},
                {"--seed", "N", "seed of the noise (default 1)"},
                {"--method", "NAME",
                 "time-integration method (default: exact for a force with zero-order hold, as in the benchmark)"},
                {"--set", "NAME=VALUE", "parameter of the compensator; may be repeated"}},
    .examples = "interfield benchmark rths --controller all --case 1",
    .see = "compensate reproduce compensation.md",
    .run = run_command,
    .failed = "a run was unstable",
};
