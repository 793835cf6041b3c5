/* SPDX-License-Identifier: MIT */
/* interfield compensate: a table of all compensators on the rig of a case, and the line for the case file. */
#include "outcome.h"
#include "session/certified.h"

#include <math.h>

#include <interfield/compensate.h>
#include <interfield/characterised.h>

typedef struct choosing {
    app *a;
    const ifd_case *c;
    ifd_compensate *s;
    int rows, best;
    ifd_compensation *row;
} choosing;

/* "3.55 ms", "> 200 ms" if no unstable delay is found. */
static readable margin(const ifd_reach *r)
{
    readable q = quantity(r->value, "s"), out;
    snprintf(out.text, sizeof out.text, "%s%.30s", r->found ? "" : "> ", q.text);
    return out;
}

/* "-" for a number that is not known. */
static readable number(const char *format, double x)
{
    readable out = {"-"};
    if (!isnan(x))
        snprintf(out.text, sizeof out.text, format, x);
    return out;
}

static readable percent(double x)
{
    return number(fabs(x) < 9.995 ? "%.3g %%" : "%.0f %%", 100.0 * x);
}

/* NULL: none, or nobody may use it. */
static const char *line_of(const choosing *t, const ifd_compensation *r, int k)
{
    bool fit = r->usable && r->stable && r->values[k];
    return fit ? ifd_fragment_compensation(t->a->arena, r->kind, r->values[k]) : NULL;
}

static void print_row(const choosing *t, int i)
{
    const ifd_compensation *r = &t->row[i];
    const char *unit = unit_of_turn("m/s2", r->turns[r->hardest] && !r->hardest_actuator),
               *note = r->why ? r->why : "";
    bool known = r->acceleration > 0.0 && isfinite(r->acceleration);
    app_print("%c %-18s%8s %7s %7s %10s %8s %8s %6s\n", i == t->best ? '*' : ' ', r->kind->name,
              r->usable ? margin(&r->delay).text : "-", percent(r->usable ? r->error_rms : (double)NAN).text,
              percent(r->usable ? r->error_peak : (double)NAN).text,
              r->usable && known ? quantity(r->acceleration, unit).text : "-",
              percent(r->usable && known ? r->acceleration / r->limit : (double)NAN).text,
              number("%.3g", r->usable ? 1e9 * r->noise_force : (double)NAN).text,
              number("%.3g", r->usable ? r->noise_position : (double)NAN).text);
    if (!r->usable || *note || r->own) {
        app_print("%4s", "");
        app_cell(t->a, 4, "%s%s%s\n", r->usable ? "" : "cannot be used: ", note,
                 r->own ? (*note ? "; settings of the case" : "settings of the case") : "");
    }
}

static void print_lines(const choosing *t)
{
    const ifd_hybrid_options *test = t->c->test;
    for (int k = 0; k < test->interfaces; k++) {
        bool any = false;
        for (int i = 0; i < t->rows; i++) {
            const char *line = line_of(t, &t->row[i], k);
            if (line && !any)
                app_print("\nspecimen '%s', line for the case file:\n", test->interface[k].name);
            any = any || line;
            if (line)
                app_print("%c   %s\n", i == t->best ? '*' : ' ', line); /* to be copied: not broken */
        }
    }
}

static const char *reason(const choosing *t)
{
    int sound = 0, near = -1;
    for (int i = 0; i < t->rows; i++) {
        const ifd_compensation *r = &t->row[i];
        sound += r->usable && !r->careful;
        if (r->usable && !isnan(r->error_rms) && (near < 0 || r->error_rms < t->row[near].error_rms))
            near = i;
    }
    if (t->best < 0 && near < 0)
        return "no compensator can be used";
    if (t->best < 0)
        return ifd_arena_print(t->a->arena,
                               "no compensator is within margins and limits; %s has the smallest rms error, but: %s",
                               t->row[near].kind->name, t->row[near].why);
    return ifd_arena_print(t->a->arena, "%s stable, with sufficient delay margin and within all limits (%d of %d)",
                           sound > 1 ? "smallest rms error of those that are" : "the only compensator that is", sound,
                           t->rows);
}

/* "'side' of drive 'block'", or "'brace'" without a drive. */
static const char *full_name(const choosing *t, const ifd_compensate_actuator *u)
{
    const char *name = u->drive ? ifd_arena_print(t->a->arena, "'%s' of drive '%s'", u->name, u->drive)
                                : ifd_arena_print(t->a->arena, "'%s'", u->name);
    return name ? name : u->name;
}

static void print_actuators(const choosing *t)
{
    const ifd_compensate_actuator *u;
    int count = ifd_compensate_actuators(t->s, &u);
    for (int a = 0; a < count; a++, u++)
        if (u->known)
            app_say(t->a, "actuator", "%s: delay %s, static gain %.4g%s", full_name(t, u),
                    quantity(u->a[1] / u->a[0], "s").text, 1.0 / u->a[0],
                    u->drive && u->used ? ", used for the settings" : "");
        else
            app_say(t->a, "actuator", "%s: response unknown", full_name(t, u));
}

static void print_table(const choosing *t)
{
    const ifd_compensation *r = &t->row[t->best >= 0 ? t->best : 0];
    bool turned = r->turns[r->noisiest] && !r->noisiest_actuator; /* usually all rows have one unit */
    print_actuators(t);
    app_print("\n  %-18s%8s %7s %7s %10s %8s %8s %6s\n", "compensator", "delay", "error", "error", "peak acc.",
              "of its", "noise", "noise");
    app_print("  %-18s%8s %7s %7s %10s %8s %8s %6s\n", "", "margin", "rms", "peak", "of command", "limit",
              turned ? "nrad/N m" : "um/kN", "posit.");
    for (int i = 0; i < t->rows; i++)
        print_row(t, i);
    print_lines(t);
    app_print("\nbest: ");
    app_cell(t->a, 6, "%s%s%s\n", t->best >= 0 ? t->row[t->best].kind->name : "", t->best >= 0 ? ", " : "",
             reason(t));
}

static void put_reach(ifd_json *j, const char *key, const ifd_reach *r)
{
    IFD_JSON_OBJECT(j, key, IFD_JSON("value", r->value), IFD_JSON("found", r->found));
}

static void put_row(const choosing *t, ifd_json *j, const ifd_compensation *r)
{
    const ifd_hybrid_options *test = t->c->test;
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("compensator", r->kind->name), IFD_JSON("usable", r->usable),
                 IFD_JSON("attention", r->careful), IFD_JSON("why", r->why), IFD_JSON("settings_of_case", r->own),
                 IFD_JSON("stable", r->stable));
    put_reach(j, "delay_margin", &r->delay);
    put_reach(j, "delay_margin_initial", &r->delay_initial);
    put_reach(j, "delay_margin_secant", &r->delay_secant);
    IFD_JSON_PUT(
        j, IFD_JSON("error_rms", r->error_rms), IFD_JSON("error_peak", r->error_peak),
        IFD_JSON("tracking", r->tracking), IFD_JSON("acceleration", r->acceleration),
        IFD_JSON("acceleration_limit", r->limit),
        IFD_JSON("acceleration_of", r->hardest_actuator ? r->hardest_actuator : test->interface[r->hardest].name),
        IFD_JSON("governed", r->governed), IFD_JSON("noise_gain_force", r->noise_force),
        IFD_JSON("noise_gain_of", r->noisiest_actuator ? r->noisiest_actuator : test->interface[r->noisiest].name),
        IFD_JSON("noise_gain_position", r->noise_position));
    ifd_json_object(j, "line");
    for (int k = 0; k < test->interfaces; k++)
        ifd_json_text(j, test->interface[k].name, line_of(t, r, k));
    ifd_json_end(j);
    ifd_json_end(j);
}

static void put_actuators(const choosing *t, ifd_json *j)
{
    const ifd_compensate_actuator *u;
    int count = ifd_compensate_actuators(t->s, &u);
    ifd_json_list(j, "actuators");
    for (int a = 0; a < count; a++, u++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("name", u->name), IFD_JSON("drive", u->drive), IFD_JSON("known", u->known),
                        IFD_JSON("used", u->used), IFD_JSON("delay", u->known ? u->a[1] / u->a[0] : (double)NAN),
                        IFD_JSON("static_gain", u->known ? 1.0 / u->a[0] : (double)NAN));
    ifd_json_end(j);
}

static int put_table(const choosing *t, int exit_status)
{
    ifd_json j = app_json(t->a);
    IFD_JSON_PUT(&j, IFD_JSON("best", t->best >= 0 ? t->row[t->best].kind->name : NULL),
                 IFD_JSON("reason", reason(t)));
    put_actuators(t, &j);
    ifd_json_list(&j, "compensators");
    for (int i = 0; i < t->rows; i++)
        put_row(t, &j, &t->row[i]);
    ifd_json_end(&j);
    return app_put_json(t->a, &j, exit_status);
}

/* Those that need a delay only. */
static bool is_plain(const ifd_compensator_kind *kind)
{
    static const char *const name[] = {"polynomial", "taylor", "inverse-1", "inverse-2"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (strcmp(name[i], kind->name) == 0)
            return true;
    return false;
}

/* One by one, with a progress line: all, or those that need a delay only. */
static ifd_status examine(choosing *t, const ifd_preflight_options *o, double look_ahead, bool plain)
{
    app *a = t->a;
    const ifd_compensator_kind **tried = ifd_arena_array(a->arena, (size_t)ifd_compensator_count, sizeof *tried);
    t->row = ifd_arena_array(a->arena, (size_t)ifd_compensator_count, sizeof *t->row);
    if (!t->row || !tried)
        return IFD_NO_MEMORY;
    for (int i = 0; i < ifd_compensator_count; i++)
        if (!plain || is_plain(ifd_compensators[i]))
            tried[t->rows++] = ifd_compensators[i];
    ifd_status status = WORK(a, "the ideal run", ifd_compensate_make(a->arena, o, look_ahead, &t->s, &a->note));
    for (int i = 0; status == IFD_OK && i < t->rows; i++) {
        const ifd_compensator_kind *kind = tried[i];
        const char *what =
            ifd_arena_print(a->arena, "%s, %d of %d: margin, trial tests, noise", kind->name, i + 1, t->rows);
        status = WORK(a, what ? what : kind->name, ifd_compensate_row(t->s, kind, &t->row[i], &a->note));
    }
    t->best = status == IFD_OK ? ifd_compensate_best(t->row, t->rows) : -1;
    return status;
}

/* The case with a pure delay for every actuator: of the virtual rig, or of the twin of a real one; NAN: as it is. The
 * test is slower by the factor, with the same tick. */
static ifd_case *read_varied(app *a, double delay, int factor)
{
    enum { SLOWER = 2 };
    const char *set[IFD_RIG_ACTUATORS + SLOWER];
    int sets = 0;
    const ifd_note before = a->note; /* what the first reading remarks, the second one remarks again */
    ifd_case *c = case_read_test(a, "");
    if (!c)
        return NULL;
    const ifd_hybrid_options *o = c->test;
    if (factor > 1) {
        set[sets++] = ifd_arena_print(a->arena, "test.lambda=%.9g", factor * o->lambda);
        set[sets++] = ifd_arena_print(a->arena, "test.ticks-per-stage=%d", factor * o->ticks_per_stage);
    }
    a->note = before;
    if (isnan(delay))
        return sets ? case_read_named(a, a->word[0], sets, set) : c;
    if (o->drives || o->interfaces != c->run.specimens) {
        a->refused = app_refuse(
            a, "--delay is for specimens with one actuator each: set the actuators of '%s' by --set", c->path);
        return NULL;
    }
    const bool real = !ifd_rig_is_virtual(o->rig);
    for (int k = 0; k < o->interfaces; k++)
        set[sets++] = ifd_arena_print(a->arena, "specimen.%d.%s{delay: {delay: %.9g s}}%s", k,
                                      real ? "twin={actuator: " : "actuator=", delay, real ? "}" : "");
    if (factor == 1)
        app_say(a, "rig", "a pure delay of %s in %s actuator, instead of %s", quantity(delay, "s").text,
                o->interfaces > 1 ? "every" : "the", real ? "the twin of the case" : "that of the case");
    return case_read_named(a, a->word[0], sets, set);
}

/* The first slower test in which one of the plain compensators is within margins and limits. */
static void say_slower(choosing *t, double look_ahead, double delay)
{
    app *a = t->a;
    if (t->c->test->rate_dependent) {
        app_say(a, "slower", "not possible: the force of a specimen depends on velocity (rate-dependent)");
        return;
    }
    for (int factor = 2; factor <= 8; factor *= 2) {
        choosing s = {.a = a, .c = read_varied(a, delay, factor)};
        const ifd_preflight_options o = s.c ? ifd_preflight_of(s.c) : (ifd_preflight_options){0};
        if (!s.c || examine(&s, &o, look_ahead, true) != IFD_OK)
            break;
        if (s.best < 0)
            continue;
        app_say(a, "slower", "%s, error %s rms, with test: {lambda: %.9g, ticks-per-stage: %d}, which keeps the tick",
                s.row[s.best].kind->name, percent(s.row[s.best].error_rms).text, s.c->test->lambda,
                s.c->test->ticks_per_stage);
        print_lines(&s);
        return;
    }
    app_say(
        a, "slower",
        "polynomial, taylor and inverse-1, -2 are not within margins and limits at 2, 4, 8 times the lambda either");
}

static int run_command(app *a)
{
    double look_ahead, delay;
    if (!app_number(a, "--delay", IFD_DIM_TIME, (double)NAN, &delay))
        return EXIT_BAD_INPUT;
    if (app_has(a, "--delay") && !(delay >= 0.0 && delay <= 1.0))
        return app_refuse(a, "--delay: found '%s', expected a time from 0 s to 1 s, such as 18ms",
                          app_value(a, "--delay"));
    if (!app_number(a, "--look-ahead", IFD_DIM_TIME, (double)NAN, &look_ahead))
        return EXIT_BAD_INPUT;
    if (fabs(look_ahead) > 10.0 || (isnan(look_ahead) && app_has(a, "--look-ahead")))
        return app_refuse(a, "--look-ahead: found '%s', expected a time from -10 s to 10 s, such as 1.5ms",
                          app_value(a, "--look-ahead"));
    choosing t = {.a = a, .c = APP_CASE(a, read_varied(a, delay, 1))};
    const ifd_preflight_options o = ifd_preflight_of(t.c);
    if (o.undescribed)
        return app_refuse(
            a,
            "'%s' has neither 'twin' nor 'actuator': nothing is known of the rig, and an ideal one would "
            "be judged\n  interfield characterise %s measures it and writes its twin",
            o.undescribed, a->word[0]);
    APP_TRY(a, examine(&t, &o, look_ahead, false));
    int exit_status = outcome_exit(t.best >= 0 ? OUTCOME_COMPLETED : OUTCOME_FAILED);
    if (a->json)
        return put_table(&t, exit_status);
    app_remarks(a);
    if (app_talks(a))
        print_table(&t);
    if (app_talks(a) && t.best < 0)
        say_slower(&t, look_ahead, delay);
    return exit_status;
}

const command command_compensate = {
    .name = "compensate",
    .words = "CASE",
    .summary = "compare all compensators on the rig of a case",
    .details =
        "Each compensator is set up from the response of the actuators (for a real rig: of its twin), "
        "checked for stability and tried in a computed test, as in preflight. No actuator moves. The table "
        "lists delay margin, errors, peak acceleration and noise gain, followed by the line for the case "
        "file. The best compensator, marked *, has the smallest rms error against the ideal run among "
        "those that are stable with sufficient delay margin, within all limits and within the error bound of "
        "preflight. If there is none, polynomial, taylor, inverse-1 and inverse-2 are tried in tests that are 2, 4 "
        "and 8 times slower. Noise gain is the rms of the command per rms of white noise in the measured force and "
        "in the measured position, in the closed loop. A compensator that the case already uses keeps its settings.",
    .options =
        {{"--look-ahead", "T",
          "look-ahead of compensators without settings in the case, e.g. 1.5ms (default: the lag of the load cell)"},
         {"--delay", "T",
          "assume a pure delay, such as a measured one of 18ms, instead of the actuator or twin of the case"},
         OPTION_SET},
    .examples = "interfield compensate bridge/hybrid\n"
                "interfield compensate bridge/hybrid --delay 18ms",
    .see = "characterise preflight delay.md compensation.md",
    .run = run_command,
    .tables = true,
    .code = CODE_RUN,
    .computes = true,
    .failed = "no compensator is within margins and limits",
};
