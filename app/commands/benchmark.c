/* SPDX-License-Identifier: MIT */
/* interfield benchmark: the community benchmarks with one and with several actuators. The options and outputs of a
 * benchmark are a form; everything else is the same. */

#include <math.h>
#include <string.h>

#include <interfield/benchmark.h>

#include "working.h"

enum { MOST_RECORDS = 16, MOST_SETTINGS = 16 };

typedef struct motion {
    const char *name;
    const ifd_signal *signal;
    double end; /* s */
    bool comparable;
} motion;

/* Mean and largest over the plants; of signed delays the largest size. */
typedef struct tally {
    int stable, trips; /* trips: number of plants with which a real rig would trip */
    double mean[IFD_MARTHS_VALUES], most[IFD_MARTHS_VALUES];
} tally;

struct form;

typedef struct job {
    const struct form *form;
    ifd_benchmark_options opt;
    ifd_benchmark_setting setting[MOST_SETTINGS + 1];
    bool every_controller;
    int first, last; /* buildings */
    int plants, motions;
    motion motion[MOST_RECORDS];
    const ifd_benchmark_plant *plant; /* NULL: the nominal plant */
    tally tally;                      /* of the present controller */
    bool unstable;
    ifd_json j;
} job;

typedef struct form {
    const ifd_benchmark *of;
    const char *controller; /* preset */
    int buildings;
    const char *noises, *expected;  /* words of --noise, and in its message */
    const char *noise[3], *json[3]; /* their texts; json NULL: a flag */
    const char *foreign, *head;     /* a motion of others; the end of the line of a motion */
    const char *unstable;           /* the end of a line about instability */
    void (*put)(ifd_json *j, const ifd_benchmark_result *r);
    void (*columns)(const job *b);
    void (*criteria)(const double *value);
    void (*print)(const job *b, const ifd_benchmark_result *r); /* of a stable run */
} form;

static bool is_rths(const job *b)
{
    return b->form->of == &ifd_rths;
}

/* The motions of the benchmarks; the criteria can be compared with published ones only for these. */
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

static ifd_status read_motion(app *a, job *b, const char *path)
{
    if (b->motions == MOST_RECORDS)
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "too many ground motions; at most %d are possible",
                            (int)MOST_RECORDS);
    motion *m = &b->motion[b->motions++];
    const char *slash = strrchr(path, '/');
    m->name = slash ? slash + 1 : path;
    IFD_TRY(ifd_benchmark_record_read(a->arena, path, &m->signal, &m->end, &a->note));
    long samples = (long)floor(IFD_RTHS_RATE * m->end) + 1;
    double peak = ifd_signal_peak(m->signal, m->end, 1.0 / IFD_RTHS_RATE);
    for (int i = 0; i < PUBLISHED; i++)
        if (samples == published[i].samples && fabs(peak - published[i].peak) < 1e-5 * peak) {
            m->name = published[i].name;
            m->comparable = true;
        }
    return IFD_OK;
}

/* Those of --record and --records; without them a generated one. */
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
    if (b->motions)
        return IFD_OK;
    const ifd_signal_kind *kind = ifd_signal_find("kanai-tajimi");
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, v);
    motion *m = &b->motion[b->motions++];
    *m = (motion){.name = "generated (kanai-tajimi, 0.3 g)", .end = 25.0};
    return ifd_signal_make(a->arena, kind, v, NULL, &m->signal, &a->note);
}

/* A number with its unit, or a word, by the first compensator with this parameter. A controller without the parameter
 * reports the error when it is made. */
static ifd_status get_setting(app *a, const job *b, const char *name, const char *text, ifd_benchmark_setting *out)
{
    *out = (ifd_benchmark_setting){name, 0.0, text};
    for (const ifd_benchmark_controller *c = b->form->of->controllers; c->name; c++) {
        bool used = c->compensator && (b->every_controller || c == b->opt.controller);
        const ifd_param *params = used ? ifd_compensator_find(c->compensator)->params : NULL;
        int i = used ? ifd_param_find(params, name) : -1;
        if (i < 0)
            continue;
        ifd_value v;
        IFD_TRY(ifd_param_read(&params[i], text, name, &v, &a->note));
        *out = (ifd_benchmark_setting){name, v.number, v.word};
        return IFD_OK;
    }
    return IFD_OK;
}

static ifd_status get_settings(app *a, job *b)
{
    const char *given[MOST_OPTIONS];
    int count = app_values(a, "--set", given);
    b->opt.setting = b->setting;
    if (count > MOST_SETTINGS)
        return ifd_note_add(&a->note, IFD_RANGE, NULL, "too many settings; at most %d are possible",
                            (int)MOST_SETTINGS);
    for (int i = 0; i < count; i++) {
        const char *name, *value;
        IFD_TRY(app_assignment(a, "--set", given[i], &name, &value));
        IFD_TRY(get_setting(a, b, name, value, &b->setting[i]));
    }
    if (count && !is_rths(b) && !b->every_controller && !b->opt.controller->compensator)
        return ifd_note_add(&a->note, IFD_CONFLICT, NULL, "controller '%s' has no settings: remove --set",
                            b->opt.controller->name);
    return IFD_OK;
}

static ifd_status get_controller(app *a, job *b)
{
    const char *name = app_value(a, "--controller"), *known = "all";
    b->every_controller = name && strcmp(name, "all") == 0;
    if (b->every_controller)
        return IFD_OK;
    b->opt.controller = ifd_benchmark_controller_find(b->form->of, name ? name : b->form->controller);
    if (b->opt.controller)
        return IFD_OK;
    for (const ifd_benchmark_controller *c = b->form->of->controllers; c->name; c++)
        known = names_add(a->arena, known, c->name);
    ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "unknown controller '%s'", name);
    ifd_choice_hint(&a->note, known, name);
    return IFD_UNKNOWN_NAME;
}

static ifd_status get_switches(app *a, job *b)
{
    const char *which = app_value(a, "--case"), *noise = app_value(a, "--noise");
    if (!is_rths(b) && (which || app_value(a, "--method")))
        return ifd_note_add(&a->note, IFD_CONFLICT, NULL, "%s belongs to the benchmark rths: remove it",
                            which ? "--case" : "--method");
    b->first = 1;
    b->last = b->form->buildings;
    if (which && strcmp(which, "all") != 0) {
        if (strlen(which) != 1 || *which < '1' || *which > '0' + (int)IFD_RTHS_BUILDINGS)
            return ifd_note_add(&a->note, IFD_RANGE, NULL, "--case: found '%s', expected 1 to 4 or all", which);
        b->first = b->last = *which - '0';
    }
    int word = noise ? ifd_choice_find(b->form->noises, noise) : (int)IFD_BENCHMARK_NOISE;
    if (word < 0)
        return ifd_note_add(&a->note, IFD_UNKNOWN_CHOICE, NULL, "--noise: found '%s', expected %s", noise,
                            b->form->expected);
    b->opt.noise = (ifd_benchmark_noise)word;
    b->opt.method = app_value(a, "--method");
    return IFD_OK;
}

/* Limits are observed and saturations off; a real rig would trip. */
static bool would_trip(const ifd_benchmark_result *r)
{
    return !r->stable || r->over_force || r->over_stroke || r->over_velocity;
}

static void put_rths(ifd_json *j, const ifd_benchmark_result *r)
{
    if (r->stable)
        ifd_json_numbers(j, "J", IFD_RTHS_CRITERIA, r->value);
    else
        ifd_json_number(j, "unstable_at", r->unstable_at);
    IFD_JSON_PUT(j, IFD_JSON("delay", r->delay), IFD_JSON("amplitude", r->amplitude),
                 IFD_JSON("peak_displacement", r->peak_x), IFD_JSON("peak_velocity", r->peak_v),
                 IFD_JSON("peak_force", r->peak_f), IFD_JSON("would_trip", would_trip(r)),
                 IFD_JSON("over_force", r->over_force), IFD_JSON("over_stroke", r->over_stroke),
                 IFD_JSON("over_velocity", r->over_velocity));
    ifd_json_numbers(j, "reference_peaks", 3, r->reference);
    ifd_json_numbers(j, "coefficients", 4, r->coefficients[0]);
    ifd_json_integer(j, "samples", r->samples);
}

static void print_rths_columns(const job *b)
{
    printf("controller      case  J1 ms    J2 %%    J3 %%    J4 %%    J5 %%    J6 %%    J7 %%    J8 %%    J9 %%%s\n",
           b->plant ? "" : "  delay ms amplit. peak mm  force N");
}

static void print_rths_criteria(const double *J)
{
    printf(" %5.1f", J[0]);
    for (int i = 1; i < IFD_RTHS_CRITERIA; i++)
        printf(" %7.2f", J[i]);
}

static void print_label(const job *b, bool named)
{
    printf("%-18s", named ? b->opt.controller->name : "");
    if (is_rths(b))
        printf(named ? " %d" : "  ", b->opt.building);
}

static void print_rths(const job *b, const ifd_benchmark_result *r)
{
    print_label(b, true);
    printf("   ");
    print_rths_criteria(r->value);
    printf("  %8.4f %8.5f %8.5f %8.1f%s%s%s%s\n", 1e3 * r->delay, r->amplitude, 1e3 * r->peak_x, r->peak_f,
           would_trip(r) ? "  would trip:" : "", r->over_force ? " force" : "", r->over_stroke ? " stroke" : "",
           r->over_velocity ? " velocity" : "");
}

static void put_values(ifd_json *j, const char *key, const char *const *name, int count, const double *value)
{
    ifd_json_object(j, key);
    for (int i = 0; i < count; i++)
        ifd_json_number(j, name[i], value[i]);
    ifd_json_end(j);
}

static void put_marths(ifd_json *j, const ifd_benchmark_result *r)
{
    put_values(j, "floors", ifd_marths.criteria + IFD_MARTHS_J7, IFD_MARTHS_FLOORS, r->floor);
    ifd_json_numbers(j, "reference_peaks", 6, r->reference);
    ifd_json_numbers(j, "glued_peaks", 6, r->glued);
    ifd_json_integer(j, "samples", r->samples);
    if (!r->stable) {
        ifd_json_number(j, "unstable_at", r->unstable_at);
        return;
    }
    put_values(j, "criteria", ifd_marths.criteria, IFD_MARTHS_VALUES, r->value);
    ifd_json_numbers(j, "peak_target", 2, r->peak_target);
    ifd_json_numbers(j, "peak_measured", 2, r->peak_measured);
    ifd_json_numbers(j, "peak_command", 2, r->peak_command);
    ifd_json_numbers(j, "peak_volts", 2, r->peak_volts);
    ifd_json_numbers(j, "coefficients", 8, r->coefficients[0]);
}

/* One controller with one plant: every criterion instead of a line. */
static bool in_full(const job *b)
{
    return !b->every_controller && !b->plant;
}

/* The criteria of a line of marths. */
static const struct {
    const char *name;
    int value;
} columns[] = {{"lag 1ms", IFD_MARTHS_LAG},    {"lag 2ms", IFD_MARTHS_LAG + 1}, {"J2 1 %", IFD_MARTHS_J2},
               {"J2 2 %", IFD_MARTHS_J2 + 1},  {"J3 1 %", IFD_MARTHS_J3},       {"J3 2 %", IFD_MARTHS_J3 + 1},
               {"J5 x %", IFD_MARTHS_J5},      {"J5 th %", IFD_MARTHS_J5 + 1},  {"J6 x %", IFD_MARTHS_J6},
               {"J6 th %", IFD_MARTHS_J6 + 1}, {"J7c x %", IFD_MARTHS_J7C},     {"J7c th", IFD_MARTHS_J7C + 1},
               {"J8c x2", IFD_MARTHS_J8C}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void print_marths_columns(const job *b)
{
    if (in_full(b))
        return;
    printf("%-23s", "controller");
    for (int i = 0; i < COLUMNS; i++)
        printf(" %7s", columns[i].name);
    putchar('\n');
}

static void print_marths_criteria(const double *value)
{
    for (int i = 0; i < COLUMNS; i++)
        printf(" %7.3f", value[columns[i].value]);
}

/* Every criterion; the floors of J7 to J10 below them. */
static void print_full(const job *b, const ifd_benchmark_result *r)
{
    const double *J = r->value;
    const struct {
        const char *label;
        int count;
        const double *value;
    } rows[] = {{"J1 = J4, delay, ms", 2, J + IFD_MARTHS_J1},
                {"delay below a sample, ms", 2, J + IFD_MARTHS_LAG},
                {"J2 %", 2, J + IFD_MARTHS_J2},
                {"J3 %", 2, J + IFD_MARTHS_J3},
                {"J5 %", 2, J + IFD_MARTHS_J5},
                {"J6 %", 2, J + IFD_MARTHS_J6},
                {"J7, J8 %", 6, J + IFD_MARTHS_J7},
                {"  floor: glued model", 6, r->floor},
                {"J9, J10 %", 6, J + IFD_MARTHS_J9},
                {"  floor: glued model", 6, r->floor + 6},
                {"J7c, J8c %", 6, J + IFD_MARTHS_J7C},
                {"J9c, J10c %", 6, J + IFD_MARTHS_J9C}};
    printf("%-30s %9s %9s\n", b->opt.controller->name, "1", "2");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].value == J + IFD_MARTHS_J5)
            printf("%-30s %9s %9s %9s %9s %9s %9s\n", "", "x", "theta", "x2", "theta2", "x3", "theta3");
        printf("  %-28s", rows[k].label);
        for (int i = 0; i < rows[k].count; i++)
            printf(" %9.4f", rows[k].value[i]);
        putchar('\n');
    }
}

static void print_marths(const job *b, const ifd_benchmark_result *r)
{
    if (in_full(b)) {
        print_full(b, r);
        return;
    }
    print_label(b, true);
    printf("     ");
    print_marths_criteria(r->value);
    putchar('\n');
}

static const form forms[] = {
    {.of = &ifd_rths,
     .controller = "adaptive-model",
     .buildings = IFD_RTHS_BUILDINGS,
     .noises = "off|on",
     .expected = "on or off",
     .noise = {"off", "on"},
     .foreign = " (not comparable with published criteria)",
     .head = "limits observed, saturation off (8.9 kN, 7 mm, 300 mm/s)",
     .unstable = "; a limit would trip earlier",
     .put = put_rths,
     .columns = print_rths_columns,
     .criteria = print_rths_criteria,
     .print = print_rths},
    {.of = &ifd_marths,
     .controller = "decoupling",
     .buildings = 1,
     .noises = "off|on|independent",
     .expected = "on, off or independent",
     .noise = {"off", "on, the same in both sensors", "on, independent"},
     .json = {"off", "shared", "independent"},
     .foreign = " (not a motion of the benchmark)",
     .head = "J7 to J10 have floors, J7c to J10c have none",
     .unstable = "",
     .put = put_marths,
     .columns = print_marths_columns,
     .criteria = print_marths_criteria,
     .print = print_marths},
};

static void put_result(job *b, const motion *m, const ifd_benchmark_result *r, int plant)
{
    ifd_json *j = &b->j;
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("controller", b->opt.controller->name), IFD_JSON("record", m->name),
                 IFD_JSON("comparable", m->comparable));
    if (is_rths(b))
        ifd_json_integer(j, "case", b->opt.building);
    if (b->plant)
        ifd_json_integer(j, "plant", plant + 1);
    ifd_json_flag(j, "stable", r->stable);
    b->form->put(j, r);
    ifd_json_end(j);
}

static void count_in(tally *t, const ifd_benchmark_result *r)
{
    t->trips += would_trip(r);
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
    print_label(b, true);
    if (!t->stable) {
        printf("      unstable with each of the %d plants%s\n", b->plants, b->form->unstable);
        return;
    }
    printf(" mean");
    b->form->criteria(t->mean);
    putchar('\n');
    print_label(b, false);
    printf(" max ");
    b->form->criteria(t->most);
    if (t->stable < b->plants)
        printf("   %d of %d stable", t->stable, b->plants);
    if (t->trips && is_rths(b))
        printf("   would trip: %d of %d", t->trips, b->plants);
    putchar('\n');
}

/* One controller and building, with every plant. */
static ifd_status run_plants(app *a, job *b, const motion *m)
{
    b->tally = (tally){0};
    for (int p = 0; p < (b->plant ? b->plants : 1); p++) {
        ifd_benchmark_result r;
        working w;
        if (b->plant)
            b->opt.plant = b->plant[p];
        working_begin(&w, a, b->opt.controller->name);
        ifd_status status = ifd_benchmark_run(&b->opt, &r, &a->note);
        working_end(&w);
        IFD_TRY(status);
        b->unstable = b->unstable || !r.stable;
        count_in(&b->tally, &r);
        if (a->json)
            put_result(b, m, &r, p);
        else if (!b->plant && !a->quiet && r.stable)
            b->form->print(b, &r);
        else if (!b->plant && !a->quiet) {
            print_label(b, true);
            printf("      unstable: 100 mm exceeded at %.2f s%s\n", r.unstable_at, b->form->unstable);
        }
    }
    if (b->plant && app_talks(a))
        print_tally(b, &b->tally);
    return IFD_OK;
}

static ifd_status run_all(app *a, job *b)
{
    const ifd_benchmark_controller *one = b->opt.controller;
    for (const motion *m = b->motion; m < b->motion + b->motions; m++) {
        if (app_talks(a)) {
            app_print("%s%s, %.2f s, scale %g; noise %s; %s\n", m->name, m->comparable ? "" : b->form->foreign,
                      m->end, b->opt.scale, b->form->noise[b->opt.noise], b->form->head);
            b->form->columns(b);
        }
        b->opt.ground = m->signal;
        b->opt.end = m->end;
        for (const ifd_benchmark_controller *c = b->form->of->controllers; c->name; c++) {
            if (!b->every_controller && c != one)
                continue;
            b->opt.controller = c;
            for (b->opt.building = b->first; b->opt.building <= b->last; b->opt.building++)
                IFD_TRY(run_plants(a, b, m));
        }
    }
    return IFD_OK;
}

static int run_benchmark(app *a, const form *f)
{
    job b = {.form = f};
    int seed = (int)f->of->seed;
    ifd_benchmark_defaults(f->of, &b.opt);
    if (!app_integer(a, "--seed", 0, 1 << 30, &seed))
        return EXIT_BAD_INPUT;
    b.opt.seed = (uint32_t)seed;
    APP_TRY(a, get_switches(a, &b));
    APP_TRY(a, get_controller(a, &b));
    APP_TRY(a, get_settings(a, &b));
    APP_TRY(a, get_motions(a, &b));
    const char *plants = app_value(a, "--plants");
    if (plants)
        APP_TRY(a, ifd_benchmark_plants_read(a->arena, plants, f->of, &b.plant, &b.plants, &a->note));
    b.j = app_json(a);
    ifd_json_text(&b.j, "benchmark", f->of->name);
    if (f->json[0])
        ifd_json_text(&b.j, "noise", f->json[b.opt.noise]);
    else
        ifd_json_flag(&b.j, "noise", b.opt.noise);
    ifd_json_integer(&b.j, "seed", seed);
    ifd_json_list(&b.j, "rows");
    APP_TRY(a, run_all(a, &b));
    int exit_status = b.unstable ? EXIT_RUN_FAILED : EXIT_FINE;
    return a->json ? app_put_json(a, &b.j, exit_status) : exit_status;
}

static int run_command(app *a)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(a->word[0], forms[i].of->name) == 0)
            return run_benchmark(a, &forms[i]);
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
