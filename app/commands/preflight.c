/* SPDX-License-Identifier: MIT */
/* interfield preflight: a verdict before a test. */
#include "session/certified.h"
#include "session/start.h"
#include "session/rig_of_case.h"
#include "session/supervised.h"
#include "outcome.h"

#include <math.h>

#include <interfield/characterised.h>

static const char *colour_of(const app *a, ifd_verdict v)
{
    if (!a->colour_out)
        return "";
    return v == IFD_VERDICT_GO ? "\033[32m" : v == IFD_VERDICT_CAUTION ? "\033[33m" : "\033[1;31m";
}

static void say_checks(const app *a, const ifd_preflight *p)
{
    for (int i = 0; i < p->checks && app_talks(a); i++) {
        const ifd_check *c = &p->check[i];
        const char *word = c->verdict == IFD_VERDICT_GO        ? "ok"
                           : c->verdict == IFD_VERDICT_CAUTION ? "CAUTION"
                                                               : "NO-GO";
        printf("%s%-8s%s ", colour_of(a, c->verdict), word, a->colour_out ? "\033[0m" : "");
        app_print("%-12s ", c->topic);
        app_cell(a, 22, "%s%s%s\n", c->found, c->advice ? ": " : "", c->advice ? c->advice : "");
    }
}

static bool take_result(app *a, const ifd_case *c, ifd_preflight_options *o)
{
    const char *folder = app_value(a, "--from");
    if (!folder)
        return true;
    const char *path = ifd_arena_print(a->arena, "%s/summary.json", folder);
    double *delay = ifd_arena_array(a->arena, (size_t)c->test->interfaces, sizeof *delay);
    double *amplitude = ifd_arena_array(a->arena, (size_t)c->test->interfaces, sizeof *amplitude);
    for (int k = 0; path && delay && amplitude && k < c->test->interfaces; k++)
        if (!ifd_summary_tracking(a->arena, path, c->test->interface[k].name, &delay[k], &amplitude[k]))
            return app_reject(a,
                              "'%s' contains no delay of '%s', or its checksum is wrong; expected the folder of a "
                              "finished test",
                              path, c->test->interface[k].name);
    o->seen_delay = delay;
    o->seen_amplitude = amplitude;
    return path && delay && amplitude;
}

/* A positive fraction, or per cent. */
static bool take_bound(app *a, ifd_preflight_options *o)
{
    const char *text = app_value(a, "--error-bound");
    double bound;
    if (!text)
        return true;
    if (!app_number(a, "--error-bound", IFD_DIM_NONE, 0.0, &bound))
        return false;
    if (!(bound > 0.0) || !(bound <= 1e6))
        return app_reject(a, "--error-bound: found '%s', expected a number above zero, such as 0.1 or 10%%", text);
    o->error_bound = bound;
    return true;
}

/* The worst of each figure of the rigs outside this program, which are measured one after the other. */
static bool echo_of_rigs(app *a, const ifd_case *c, ifd_beat *beat, double seconds, ifd_echo *worst)
{
    rig_of_case facts;
    if (rig_of_case_find(a, c, &facts) != IFD_OK)
        return false;
    const ifd_several *s = ifd_several_of(c->test->rig, c->test->rig_setup);
    const ifd_rig_part one = {.ops = c->test->rig, .values = c->test->rig_values, .actuators = facts.actuators};
    *worst = (ifd_echo){0};
    supervised_pace(facts.tick, false, 0);
    for (int r = 0; r < (s ? s->rigs : 1); r++) {
        const ifd_rig_part *p = s ? &s->rig[r] : &one;
        const ifd_rig rig = {.ops = p->ops,
                             .actuators = p->actuators,
                             .tick = facts.tick,
                             .folder = c->test->folder,
                             .beat = beat,
                             .number = r + 1};
        ifd_echo e;
        if (ifd_rig_is_virtual(p->ops))
            continue;
        if (ifd_rig_echo(&rig, p->values, seconds, &e, &a->note) != IFD_OK) {
            if (s)
                ifd_note_hint(&a->note, "this is rig '%s' of the case", p->name);
            return false;
        }
        if (s && app_talks(a))
            app_print("  %-12s answers %.4g ms old (p99 %.4g ms, oldest %.4g ms, %.2g %% lost)\n", p->name,
                      1e3 * e.median, 1e3 * e.p99, 1e3 * e.most, 100.0 * e.loss);
        *worst = (ifd_echo){.ticks = e.ticks,
                            .median = fmax(worst->median, e.median),
                            .p99 = fmax(worst->p99, e.p99),
                            .most = fmax(worst->most, e.most),
                            .loss = fmax(worst->loss, e.loss)};
    }
    return true;
}

/* Measures the network to a real rig. */
static bool take_echo(app *a, const ifd_case *c, ifd_preflight_options *o, ifd_echo *echo)
{
    double seconds;
    if (!app_has(a, "--echo"))
        return true;
    if (!app_number(a, "--echo", IFD_DIM_TIME, 0.0, &seconds))
        return false;
    if (!(seconds > 0.0) || !o->real)
        return app_reject(a, o->real ? "--echo: expected a time above zero, such as 10s"
                                     : "--echo: the rig of this case is part of this program, without a network");
    o->echo = echo;
    ifd_beat *beat;
    bool good =
        supervised_begin(a, (supervised_rig){c->test, NULL}, &beat) && echo_of_rigs(a, c, beat, seconds, echo);
    supervised_end();
    return good;
}

static int conclude(app *a, const ifd_case *c, const ifd_preflight *p)
{
    ifd_certificate certificate;
    const char *stem = certificate_stem(a, c);
    ifd_status status = stem ? ifd_certificate_write(a->arena, stem, c, p, &certificate, &a->note) : IFD_NO_MEMORY;
    if (status == IFD_OUTPUT)
        ifd_note_hint(&a->note, "choose another folder with --out DIR");
    if (app_talks(a)) {
        printf("%s%s%s", colour_of(a, p->verdict), ifd_verdict_name(p->verdict), a->colour_out ? "\033[0m" : "");
        if (status == IFD_OK)
            app_cell(a, (int)strlen(ifd_verdict_name(p->verdict)),
                     "    certificate %.8s stored: %s.certificate.txt, .json, .html", certificate.number, stem);
        putchar('\n');
    }
    APP_TRY(a, status);
    if (a->json)
        app_put_text(a, certificate.json);
    return outcome_exit(p->verdict == IFD_VERDICT_GO        ? OUTCOME_GO
                        : p->verdict == IFD_VERDICT_CAUTION ? OUTCOME_CAUTION
                                                            : OUTCOME_NO_GO);
}

static int run_command(app *a)
{
    if (!day_before(a))
        return EXIT_BAD_INPUT;
    ifd_case *c = APP_CASE(a, case_read_test(a, "interfield stability examines a case without a test"));
    ifd_preflight *p = ifd_arena_take(a->arena, sizeof *p);
    ifd_preflight_options o = ifd_preflight_of(c);
    o.free_running = app_has(a, "--as-fast-as-possible");
    ifd_remote_options master;
    if (c->opensees) {
        master = (ifd_remote_options){
            .dofs = c->opensees->dofs, .order = c->opensees->order, .paced = true, .trials = c->opensees->trials};
        o.master = &master;
    }
    if (!take_bound(a, &o))
        return EXIT_BAD_INPUT;
    if (o.real && o.free_running)
        return app_refuse(a, "a test on a real rig needs a clock; remove --as-fast-as-possible");
    ifd_echo echo;
    if (!take_result(a, c, &o))
        return EXIT_BAD_INPUT;
    if (!take_echo(a, c, &o, &echo))
        return a->note.errors ? app_fail(a, IFD_PEER) : EXIT_BAD_INPUT;
    ifd_check proof[IFD_PROOF_CHECKS];
    APP_TRY(a, ifd_proof_judge(a->arena, c, proof, &o.proofs, &a->note));
    o.proof = proof;
    bus_facts_end(a, c, &o);
    ifd_characterised found[IFD_RIG_ACTUATORS];
    o.characterised = ifd_characterised_read(a->arena, c, characterised_stem(a, c), found) ? found : NULL;
    APP_TRY(a, WORK(a, "margins, trial test and step times",
                    p ? ifd_preflight_run(a->arena, &o, p, &a->note) : IFD_NO_MEMORY));
    case_remark_resume(a, c);
    say_checks(a, p);
    return conclude(a, c, p);
}

const command command_preflight = {
    .name = "preflight",
    .words = "CASE",
    .summary = "check a test before it starts: GO, GO WITH CAUTION or NO-GO",
    .details = "Determines the stability margins, computes the test on the virtual rig (for a real rig: on its "
               "twin) and measures the duration of the steps. No actuator moves. The verdict and its reasons are "
               "stored as a certificate beside the case. `interfield test` requires the certificate if the rig is "
               "a real one.",
    .options = {{"--out", "DIR", "folder for the certificate (default: that of the case; of a shipped case: here)"},
                OPTION_SET,
                {"--scale", "S", "factor on motions, loads and initial state, as for `interfield test` (default 1)"},
                {"--from", "RESULT", "finished test whose measured delay and amplitude correct the twin"},
                {"--error-bound", "E",
                 "largest acceptable predicted rms error, e.g. 0.1 or 10% (default: that of the case)"},
                {"--echo", "T",
                 "measure the answers of a real rig for this time, such as 10s, without motion; reports whether real "
                 "time is possible, or which lambda"},
                {"--as-fast-as-possible", NULL,
                 "for a free-running test: lateness and duration of ticks are not judged"}},
    .examples = "interfield preflight bridge/hybrid\n"
                "interfield preflight my-case.yaml --scale 0.05 --from runs/my-case-003",
    .see = "test compensate characterise preflight.md",
    .run = run_command,
    .tables = true,
    .code = CODE_RUN,
    .outcomes = OUTCOME_BIT(HUNG) | OUTCOME_BIT(GO) | OUTCOME_BIT(NO_GO) | OUTCOME_BIT(CAUTION),
    .failed = "the certificate could not be written",
};
