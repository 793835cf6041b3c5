/* SPDX-License-Identifier: MIT */
/* interfield join: FMUs as substructures of one structure. */
#include "app.h"
#include "outcome.h"

#include <errno.h>
#include <string.h>

#include <interfield/fmu.h>

enum { MOST_JOINTS = 16 };

/* "B.d[2]": FMU 1, output d[2], input f[2], velocity v[2]; "B.y/u/w" names them, "B.y/-u" an input that acts along
 * the output. */
static bool read_end(app *a, ifd_fmu **fmu, int fmus, const char *text, size_t length, ifd_fmu_end *e)
{
    char name[200], force[200], rate[200];
    int which = text[0] - 'A';
    if (length < 3 || length >= sizeof name || text[1] != '.' || which < 0 || which >= fmus)
        return app_reject(a, "--joint: found '%.*s', expected 'A.d[1]', with A for the first FMU", (int)length, text);
    snprintf(name, sizeof name, "%.*s", (int)length - 2, text + 2);
    const char *row = name + strcspn(name, "[");
    char *slash = strchr(name, '/'), *second = slash ? strchr(slash + 1, '/') : NULL;
    *e = (ifd_fmu_end){.fmu = which, .pushes = slash && slash[1] == '-'};
    if (second)
        *second = '\0';
    if (slash)
        *slash = '\0';
    snprintf(force, sizeof force, "%s%s", slash ? "" : "f", slash ? slash + 1 + e->pushes : row);
    snprintf(rate, sizeof rate, "%s%s", second ? "" : "v", second ? second + 1 : row);
    e->displacement = ifd_fmu_find_as(fmu[which], name, IFD_FMU_OUTPUT);
    e->force = ifd_fmu_find_as(fmu[which], force, IFD_FMU_INPUT);
    e->velocity =
        second || (name[0] == 'd' && row == name + 1) ? ifd_fmu_find_as(fmu[which], rate, IFD_FMU_OUTPUT) : -1;
    if (e->displacement >= 0 && e->force >= 0)
        return true;
    const char *lacks = e->displacement < 0 ? name : force;
    return app_reject(
        a, "--joint: the FMU %c has no %s '%s' with a single real value%s; interfield fmu %s lists its variables",
        text[0], e->displacement < 0 ? "output" : "input", lacks,
        ifd_fmu_array_why(ifd_fmu_facts_of(fmu[which]), lacks, strlen(lacks)), a->word[which]);
}

static bool read_joints(app *a, ifd_fmu **fmu, ifd_fmu_joint *joint, int *count)
{
    const char *text[MOST_OPTIONS];
    *count = app_values(a, "--joint", text);
    if (*count < 1 || *count > MOST_JOINTS)
        return app_reject(a, "join needs --joint A.d[1]=B.d[1], at most %d times", MOST_JOINTS);
    for (int k = 0; k < *count; k++) {
        const char *equals = strchr(text[k], '=');
        if (!equals)
            return app_reject(a, "--joint: found '%s', expected A.d[1]=B.d[1]", text[k]);
        joint[k].name = text[k];
        if (!read_end(a, fmu, a->words, text[k], (size_t)(equals - text[k]), &joint[k].end[0]) ||
            !read_end(a, fmu, a->words, equals + 1, strlen(equals + 1), &joint[k].end[1]))
            return false;
    }
    return true;
}

static bool put_row(FILE *out, const ifd_fmu_joined *j, const ifd_fmu_join_options *o)
{
    fprintf(out, "%.17g", ifd_fmu_joined_time(j));
    for (int k = 0; k < o->joints; k++) {
        const ifd_fmu_end *e = &o->joint[k].end[0];
        double d;
        if (!ifd_fmu_get(o->fmu[e->fmu], 1, &e->displacement, &d))
            return false;
        fprintf(out, ",%.17g,%.17g", d, ifd_fmu_joined_forces(j)[k]);
    }
    return fputc('\n', out) != EOF;
}

static FILE *open_csv(app *a, const ifd_fmu_join_options *o)
{
    const char *path = app_value(a, "--out");
    FILE *out = path ? fopen(path, "wx") : NULL;
    if (path && !out && errno == EEXIST)
        app_complain(a, "'%s' exists; no file is overwritten", path);
    else if (path && !out)
        app_complain(a, "'%s' cannot be written: %s", path, strerror(errno));
    if (out) {
        fputs("time [s]", out);
        for (int k = 0; k < o->joints; k++)
            fprintf(out, ",\"%s displacement [m]\",\"%s force, mean of the last step [N]\"", o->joint[k].name,
                    o->joint[k].name);
        fputc('\n', out);
    }
    return out;
}

static int run_joined(app *a, ifd_fmu_join_options *o, double end)
{
    ifd_fmu_joined *j;
    const ifd_finding *before = a->note.remark_last;
    ifd_status status = ifd_fmu_join(a->arena, o, &j, &a->note);
    app_remarks_after(a, before);
    APP_TRY(a, status);
    FILE *out = open_csv(a, o);
    if (app_value(a, "--out") && !out)
        return EXIT_RUN_FAILED;
    bool good = !out || put_row(out, j, o);
    while (good && ifd_fmu_joined_time(j) < end * (1 - 1e-12))
        good = ifd_fmu_joined_step(j) && (!out || put_row(out, j, o));
    if (out && fclose(out) != 0)
        good = false;
    if (!good)
        app_complain(a, "at %.6g s: %s", ifd_fmu_joined_time(j), ifd_fmu_joined_why(j));
    if (a->json) {
        ifd_json json = app_json(a);
        IFD_JSON_PUT(&json, IFD_JSON("time", ifd_fmu_joined_time(j)),
                     IFD_JSON("outcome", outcome_word(good ? OUTCOME_COMPLETED : OUTCOME_FAILED)),
                     IFD_JSON("outcome_reason", good ? NULL : ifd_fmu_joined_why(j)),
                     IFD_JSON("gap", ifd_fmu_joined_gap(j)), IFD_JSON("softness", ifd_fmu_joined_softness(j)),
                     IFD_JSON("caution", ifd_fmu_joined_caution(j)));
        ifd_json_numbers(&json, "forces", o->joints, ifd_fmu_joined_forces(j));
        return app_put_json(a, &json, good ? EXIT_FINE : EXIT_RUN_FAILED);
    }
    app_say(a, outcome_word(good ? OUTCOME_COMPLETED : OUTCOME_FAILED),
            "%.6g s · step %.6g s · %d joint%s, softness %.3g · largest gap %.3g m", ifd_fmu_joined_time(j), o->h,
            o->joints, plural(o->joints), ifd_fmu_joined_softness(j), ifd_fmu_joined_gap(j));
    return good ? EXIT_FINE : EXIT_RUN_FAILED;
}

/* The rule of the joints, and the FMUs with memory. */
static bool read_rule(app *a, ifd_fmu_rule *rule, bool *remembers)
{
    const char *passivity = app_value(a, "--passivity"), *memory[MOST_OPTIONS];
    int memories = app_values(a, "--memory", memory);
    ifd_fmu_rule_defaults(rule);
    rule->corrections = 3;
    rule->predict = app_has(a, "--predict");
    rule->anyway = passivity && strcmp(passivity, "remark") == 0;
    if (!app_integer(a, "--corrections", 1, 20, &rule->corrections) ||
        !app_number(a, "--softness", IFD_DIM_NONE, -1, &rule->softness))
        return false;
    if (app_has(a, "--softness") && !(rule->softness >= 0 && rule->softness <= 1))
        return app_reject(a, "--softness: found %g, expected a number from 0 to 1", rule->softness);
    if (passivity && !rule->anyway && strcmp(passivity, "refuse") != 0)
        return app_reject(a, "--passivity: found '%s', expected refuse or remark", passivity);
    for (int k = 0; k < memories; k++) {
        int which = memory[k][0] - 'A';
        if (which < 0 || which >= a->words || memory[k][1])
            return app_reject(a, "--memory: found '%s', expected A for the first FMU, B for the second", memory[k]);
        remembers[which] = true;
    }
    return true;
}

/* A second instance of FMUs without restoring of states, if they are predicted. */
static ifd_status open_fmu(app *a, int i, double h, bool predict, ifd_fmu **fmu, ifd_fmu **trial)
{
    ifd_fmu_open_options how = {.isolated = app_has(a, "--isolated")};
    IFD_TRY(ifd_fmu_open_as(a->arena, a->word[i], &how, &fmu[i], &a->note));
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(fmu[i]);
    IFD_TRY(ifd_fmu_join_check(fmu[i], a->word[i], NULL, h > 0 ? h : facts->step, predict, &a->note));
    trial[i] = NULL;
    how.isolated = how.isolated || facts->once;
    return predict && !facts->rolls_back ? ifd_fmu_open_as(a->arena, a->word[i], &how, &trial[i], &a->note) : IFD_OK;
}

static int run_command(app *a)
{
    ifd_fmu *fmu[MOST_WORDS], *trial[MOST_WORDS];
    ifd_fmu_joint joint[MOST_JOINTS];
    bool remembers[MOST_WORDS] = {0};
    double h, end;
    ifd_fmu_join_options o = {.fmus = a->words, .fmu = fmu, .trial = trial, .joint = joint, .remembers = remembers};
    if (!app_number(a, "--step", IFD_DIM_TIME, 0, &h) || !app_number(a, "--end", IFD_DIM_TIME, 1, &end) ||
        !read_rule(a, &o.rule, remembers))
        return EXIT_BAD_INPUT;
    for (int i = 0; i < a->words; i++) {
        APP_TRY(a, open_fmu(a, i, h, o.rule.predict, fmu, trial));
    }
    if (!read_joints(a, fmu, joint, &o.joints))
        return EXIT_BAD_INPUT;
    o.h = h > 0 ? h : ifd_fmu_facts_of(fmu[0])->step;
    return run_joined(a, &o, end);
}

const command command_join = {
    .name = "join",
    .words = "FMU FMU ...",
    .summary = "compute several FMUs as coupled substructures",
    .details = "Each FMU receives forces and returns displacements, and can restore a saved state. Every step is "
               "computed, then repeated with the joint forces that close the gaps. At the start each FMU is "
               "examined; those that would add energy are named. FMUs of export-fmu have pairs d[i] and f[i]. For "
               "other FMUs name both variables: A.y/u, or A.y/-u if a positive input acts in the direction of the "
               "output, and with a velocity A.y/u/w.",
    .options = {{"--joint", "A.d[1]=B.d[1]",
                 "two displacements that are equal; A is the first FMU, B the second; may be repeated"},
                {"--step", "H", "step, in s (default: that of the default experiment of the first FMU)"},
                {"--end", "T", "end of the run, in s (default 1)"},
                {"--corrections", "N", "largest number of corrections of a step; linear FMUs need one (default 3)"},
                {"--softness", "E", "softness of the joints, 0 (exact) to 1; see help coupling-fmu (default 0.01)"},
                {"--passivity", "refuse|remark",
                 "reaction to FMUs from which joint forces can draw work (default: refuse)"},
                {"--memory", "A",
                 "FMU that uses the mean of the last and the new force; its step is the exchange step"},
                {"--predict", NULL, "predict FMUs that cannot restore a state; stability is then not guaranteed"},
                {"--out", "FILE", "CSV file with time, joined displacements and joint forces"},
                {"--isolated", NULL, "run every FMU in a child process without network"}},
    .examples = "interfield join frame.fmu damper.fmu --joint 'A.d[1]=B.d[1]' --end 10 --out joined.csv",
    .see = "fmu export-fmu fmi-join.md",
    .run = run_command,
    .code = CODE_RUN,
    .failed = "the joined run diverged, an FMU failed, or the file could not be written",
};
