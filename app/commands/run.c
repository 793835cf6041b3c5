/* SPDX-License-Identifier: MIT */
/* interfield run: reads the case, runs it to its end, records every row and prints the results. */
#include "outcome.h"
#include "working.h"

#include <math.h>
#include <string.h>

#include <interfield/histogram.h>
#include <interfield/link.h>
#include <interfield/result.h>

typedef struct session {
    app *a;
    const ifd_case *c;
    ifd_run *run;
    ifd_result *res;
    ifd_histogram *times; /* of a tick */
    ifd_timing timing;
    uint64_t began;
    status_line line;
    int failed; /* rank of the process that failed, -1: none */
} session;

/* All processes continue, or none. */
static ifd_run_state agree(session *s, ifd_run_state state)
{
    enum { STOP = IFD_RUN_FAULT + 1 };
    const together *t = s->a->together;
    if (!t)
        return state;
    int who, worst = t->agree(t->ranks.self, app_stop_asked ? STOP : (int)state, &who);
    if (worst == STOP) {
        app_stop_asked = 1;
        return IFD_RUN_GOING;
    }
    if (worst == IFD_RUN_FAULT && state != IFD_RUN_FAULT)
        s->failed = who;
    return (ifd_run_state)worst;
}

/* The substructures of the case, distributed. Rank 0 needs whole states for quantities other than the motion of
 * named dofs; the others record nothing. */
static int distribute(app *a, ifd_case *c)
{
    const unsigned motion = IFD_RECORD_DISPLACEMENT | IFD_RECORD_VELOCITY | IFD_RECORD_GROUND;
    together *t = a->together;
    int dofs = 0;
    for (int p = 0; c->run.couple && p < c->run.couple->parts; p++)
        dofs += ifd_model_dofs(c->run.couple->part[p].model);
    ifd_couple_options *couple = ifd_arena_take(a->arena, sizeof *couple);
    if (!c->run.couple || c->run.couple->parts < t->ranks.ranks)
        return app_refuse(a, "the case has %d substructures for %d processes; cut the structure into more parts",
                          c->run.couple ? c->run.couple->parts : 1, t->ranks.ranks);
    if (!couple)
        return app_fail(a, IFD_NO_MEMORY);
    *couple = *c->run.couple;
    t->ranks.whole = !c->run.what || (c->run.what & ~motion) != 0 || c->run.dofs == 0;
    for (int i = 0; i < c->run.dofs; i++) /* condensed dofs follow from the whole state */
        t->ranks.whole = t->ranks.whole || c->run.dof[i] >= dofs;
    t->ranks.dofs = c->run.dofs;
    t->ranks.dof = c->run.dof;
    couple->threads = 1;
    couple->ranks = &t->ranks;
    c->run.couple = couple;
    if (t->ranks.rank != 0) {
        c->run.what = IFD_RECORD_GROUND;
        c->run.drift = NULL;
        c->run.frame = NULL;
    }
    return EXIT_FINE;
}

static ifd_status go(session *s)
{
    ifd_status status = s->res && ifd_run_fresh(s->run) ? ifd_result_append(s->res, ifd_run_values(s->run)) : IFD_OK;
    ifd_run_state state = IFD_RUN_GOING;
    while (status == IFD_OK && state == IFD_RUN_GOING && !app_stop_asked) {
        uint64_t before = clock_now();
        state = agree(s, ifd_run_tick(s->run));
        uint64_t after = clock_now();
        ifd_histogram_add(s->times, after - before);
        s->timing.ticks++;
        if (s->res && ifd_run_fresh(s->run))
            status = ifd_result_append(s->res, ifd_run_values(s->run));
        if (!status_line_due(&s->line, after))
            continue;
        double t = ifd_run_time(s->run), end = s->c->run.end, share = end > 0 ? t / end : 1;
        double spent = 1e-9 * (double)(after - s->began), left = share > 0 ? spent * (1 - share) / share : 0;
        status_line_put(&s->line, "[%s]  %.4g / %.4g s   left %s", status_line_bar(share, 36).text, t, end,
                        quantity(left < 1 ? ceil(left) : floor(left + 0.5), "s").text);
    }
    s->timing.interrupted = (app_stop_asked && state == IFD_RUN_GOING) || s->failed >= 0;
    status_line_end(&s->line);
    return status;
}

static double quantile(const session *s, double fraction)
{
    return 1e-9 * (double)ifd_histogram_quantile(s->times, fraction);
}

/* Storeys, springs and dashpots in the matrices: displacements show their effect. */
static bool in_matrices(const session *s, const char *owner)
{
    for (const ifd_storey_drift *d = s->c->drift; d; d = d->next)
        if (d->folded && strcmp(d->name, owner) == 0)
            return true;
    return false;
}

/* Displacements, and deformations of elements with one coordinate, without repetitions of equal peaks and without
 * round-off beside the largest one, which is chosen first. */
static bool worth_saying(const session *s, const ifd_column *channel, int i, const int *chosen, int count)
{
    const ifd_peak *peak = ifd_result_peaks(s->res);
    bool wanted = channel[i].quantity == IFD_COLUMN_DISPLACEMENT ||
                  (channel[i].quantity == IFD_COLUMN_ELEMENT_DEFORMATION && channel[i].number == 0 &&
                   !in_matrices(s, channel[i].owner));
    for (int k = 0; k < count && wanted; k++)
        wanted = peak[chosen[k]].value != peak[i].value || peak[chosen[k]].time != peak[i].time;
    return wanted && peak[i].value > (count ? 1e-12 * peak[chosen[0]].value : 0.0);
}

static void say_peaks(const session *s)
{
    enum { MOST = 4 };
    int channels, chosen[MOST], n = 0;
    const ifd_column *channel = ifd_run_columns(s->run, &channels);
    const ifd_peak *peak = ifd_result_peaks(s->res);
    char line[600] = "";
    for (int best = 0; n < MOST && best >= 0; n += best >= 0) {
        best = -1;
        for (int i = 0; i < channels; i++)
            if (worth_saying(s, channel, i, chosen, n) && (best < 0 || peak[i].value > peak[best].value))
                best = i;
        if (best >= 0)
            chosen[n] = best;
    }
    for (int k = 0; k < n; k++) {
        const ifd_column *ch = &channel[chosen[k]];
        text_add(line, sizeof line, "%s%s %s at %.4g s", k ? " · " : "",
                 ch->quantity == IFD_COLUMN_DISPLACEMENT ? ch->owner : ch->name,
                 quantity(peak[chosen[k]].value, ch->unit).text, peak[chosen[k]].time);
    }
    if (n)
        app_say(s->a, "peaks", "%s", line);
}

/* The largest displacement; rotations do not count. */
static double largest_motion(const session *s)
{
    int channels;
    const ifd_column *channel = ifd_run_columns(s->run, &channels);
    const ifd_peak *peak = ifd_result_peaks(s->res);
    double most = 0.0;
    for (int i = 0; i < channels; i++)
        if (channel[i].quantity == IFD_COLUMN_DISPLACEMENT && strcmp(channel[i].unit, "m") == 0)
            most = fmax(most, peak[i].value);
    return most;
}

/* A gap at the joints of coupled substructures beside their motion. */
static void say_gap(const session *s, double gap)
{
    const double much = 0.01;
    const double motion = largest_motion(s);
    const ifd_couple_options *couple = s->c->run.couple;
    if (!couple || !(motion > 0.0) || !(gap > much * motion))
        return;
    app_say(s->a, "note",
            "the joint gap is %.2g %% of the largest displacement: the substructures come apart. Use another "
            "coupling, such as pg-alpha, a shorter step, or another cut (docs/guide/coupling.md)",
            100.0 * gap / motion);
}

static void say_checks(const session *s)
{
    ifd_energy e = ifd_run_energy(s->run);
    double gap[3];
    bool joints = s->c->run.external || (s->c->run.couple && s->c->run.couple->joints);
    if (joints)
        ifd_run_gaps(s->run, gap);
    if (s->a->together && !s->a->together->ranks.whole)
        app_say(s->a, "checks", "energies and joint gaps were not computed; record energy or joints for them");
    else if (s->c->run.external)
        app_say(s->a, "checks", "joint gap %s", quantity(gap[0], "m").text);
    else if (s->c->run.protocol)
        app_say(s->a, "checks", "the specimens absorb %s", quantity(e.specimens, "J").text);
    else
        app_say(s->a, "checks", "energy balance %.3g %% (input %s, dissipated %s)%s",
                e.scale > 0 ? 100 * fabs(e.numerical) / e.scale : 0.0, quantity(e.input, "J").text,
                quantity(e.dissipated, "J").text,
                joints ? phrase(" · joint gap %s", quantity(gap[0], "m").text).text : "");
    if (joints)
        say_gap(s, gap[0]);
    if (ifd_run_caution(s->run))
        app_say(s->a, "note", "%s", ifd_run_caution(s->run));
}

/* Start of coupling rts, and its cautions. */
static void say_links(const session *s)
{
    ifd_rts_facts f;
    const double *d = s->c->run.couple ? s->c->run.couple->rts ? s->c->run.couple->rts->duration : NULL : NULL;
    if (!d || !ifd_run_rts(s->run, &f))
        return;
    const wording limit =
        isfinite(f.added_mass_limit) ? phrase("limit %.3g", f.added_mass_limit) : phrase("no limit");
    const wording spare =
        phrase(" · time reserve %.3g ms per step, %.3g ms of the bridged time", 1e3 * f.spare, 1e3 * f.spare_ahead);
    app_say(s->a, "links", "start: %d steps, %ld iterations, at most %d per step · added mass %.3g, %s%s",
            f.start_steps, f.iterations, f.most_iterations, f.added_mass, limit.text,
            d[0] + d[1] + d[2] > 0 ? spare.text : "");
    if (f.blocks)
        app_say(s->a, "steps", "%ld blocks, %ld more rejected, shortest step %s · tolerance exceeded in %ld blocks",
                f.blocks, f.rejected, quantity(f.shortest, "s").text, f.exceeded);
}

/* Several elements per member, with one solution per step: docs/reference/fibre-beam.md. */
static bool fibres_diverge(const session *s, const ifd_method *method)
{
    const ifd_model *m = s->c->run.model;
    bool once = method && ifd_param_find(method->params, "iterations") < 0 && !method->offline;
    for (int e = 0; once && m && e < ifd_model_elements(m); e++)
        if (ifd_model_element(m, e)->ops->flags & IFD_ELEMENT_ITERATE)
            return true;
    return false;
}

static void say_fault(const session *s)
{
    ifd_fault_facts f = ifd_run_fault(s->run);
    if (f.fault == IFD_FAULT_NONE || f.fault == IFD_FAULT_ITERATIONS)
        return;
    const char *dof = f.dof_name;
    const ifd_method *method = s->c->run.couple ? NULL : s->c->run.step.method;
    bool diverged = f.fault == IFD_FAULT_DIVERGED, own = diverged && f.why; /* its message is more specific */
    app_complain(s->a, "%s at %.9g s (step %ld)%s%s%s: %s%s%s", diverged ? "the run diverged" : "the run failed",
                 f.time, f.step, dof ? ", dof '" : "", dof ? dof : "", dof ? "'" : "",
                 own ? "" : ifd_fault_text(f.fault), f.why && !own ? ": " : "", f.why ? f.why : "");
    if (diverged && method && method->explicit_step)
        fprintf(stderr, "    %s is stable only for small steps: try half the step, or the method lsrt2\n",
                method->name);
    else if (diverged && fibres_diverge(s, method))
        fprintf(
            stderr,
            "    %s solves each step once, which fails where fibres reverse: use hht, generalized-alpha or bathe, "
            "one element per member with 'formulation: force', or steps 10 to 100 times smaller\n",
            method->name);
}

static void say_ending(const session *s, const char *folder)
{
    const ifd_timing *t = &s->timing;
    app_say(s->a, outcome_word(outcome_of(ifd_result_outcome(s->res))),
            "%s%.6g s in %s · tick median %s, p99.9 %s, maximum %s", s->c->unstable ? "an unstable structure: " : "",
            ifd_run_time(s->run), quantity(t->wall, "s").text, quantity(t->step_p50, "s").text,
            quantity(t->step_p999, "s").text, quantity(t->step_max, "s").text);
    say_peaks(s);
    say_checks(s);
    say_links(s);
    app_say(s->a, "files", "%s/  result.h5  summary.json%s", folder, s->c->csv ? "  result.csv" : "");
}

static int finish(session *s, ifd_status status, const char *folder)
{
    app *a = s->a;
    s->timing.wall = 1e-9 * (double)(clock_now() - s->began);
    s->timing.step_p50 = quantile(s, 0.5);
    s->timing.step_p99 = quantile(s, 0.99);
    s->timing.step_p999 = quantile(s, 0.999);
    s->timing.step_max = quantile(s, 1);
    ifd_status closing = ifd_result_close(s->res, &s->timing, &a->note);
    status = closing == IFD_OK ? status : closing;
    if (app_talks(a))
        say_ending(s, folder);
    say_fault(s);
    if (s->failed >= 0)
        app_complain(a, "process %d failed at %.6g s of %.6g s: its substructure diverged or could not be solved",
                     s->failed, ifd_run_time(s->run), s->c->run.end);
    else if (s->timing.interrupted)
        app_complain(a, "aborted at %.6g s of %.6g s; the rows computed so far are in %s", ifd_run_time(s->run),
                     s->c->run.end, folder);
    if (a->json && ifd_result_summary(s->res))
        app_put_text(a, ifd_result_summary(s->res));
    APP_TRY(a, status);
    cautions_say(a, s->res);
    return outcome_exit(s->failed >= 0 ? OUTCOME_FAILED : outcome_of(ifd_result_outcome(s->res)));
}

static const char *first_error(const app *a)
{
    const ifd_finding *f = a->note.first;
    const char *text = f && f->place.file
                           ? ifd_arena_print(a->arena, "%s, line %d: %s", f->place.file, f->place.line, f->text)
                       : f ? f->text
                           : a->complaint;
    return text ? text : "out of memory";
}

/* The case for the substructures of this process. Errors in those of another process are known there only: rank 0
 * prints its message. */
static ifd_case *read_apart(app *a)
{
    const together *t = a->together;
    a->apart = t != NULL;
    ifd_case *c = case_read(a);
    if (!t)
        return c;
    int who;
    const char **all = t->tell(t->ranks.self, a->arena, c ? "" : first_error(a));
    if (!t->agree(t->ranks.self, c == NULL, &who))
        return c;
    if (c) {
        app_complain(a, "process %d: %s", who, all ? all[who] : "out of memory");
        a->refused = EXIT_BAD_INPUT;
    }
    return NULL;
}

static int run_case(session *s)
{
    app *a = s->a;
    uint64_t start = clock_now();
    ifd_case *c = APP_CASE(a, read_apart(a));
    s->c = c;
    c->csv = c->csv || app_has(a, "--csv");
    const char *folder;
    if (a->together && distribute(a, c) != EXIT_FINE)
        return EXIT_BAD_INPUT;
    APP_TRY(a, case_run(a, c, &s->run));
    if (a->together && a->together->ranks.rank != 0) {
        ifd_status status = go(s);
        return status == IFD_OK ? EXIT_FINE : app_fail(a, status);
    }
    APP_TRY(a, folder_choose(a, &folder));
    case_say_title(a, c);
    app_say(a, "model", "%s · %s · step %s, %s steps", case_model(c).text, case_method(c).text,
            quantity(c->run.step.h, "s").text, thousands(ifd_run_steps(s->run)).text);
    if (c->test && c->test->rig == &ifd_opensees_adapter_rig)
        app_say(a, "specimen",
                "computed by interfield as described in the case; OpenSees supplies it only in 'interfield test'");
    APP_TRY(a, case_keep_notes(a, c));
    app_catch_interrupts();
    ifd_note_init(&a->note, s->a->books);
    APP_TRY(a, ifd_result_open(s->a->books, folder, c, s->run, &s->res, &a->note));
    ifd_arena_seal(a->arena);
    s->timing.setup = 1e-9 * (double)(clock_now() - start);
    s->line = status_line_begin(a);
    s->began = clock_now();
    return finish(s, go(s), folder);
}

static int run_command(app *a)
{
    session *s = APP_ROOM(a, ifd_arena_take(a->arena, sizeof *s));
    s->a = a;
    s->failed = -1;
    s->times = ifd_histogram_make(a->books);
    int exit_status = s->times ? run_case(s) : app_fail(a, IFD_NO_MEMORY);
    if (s->run)
        ifd_run_close(s->run);
    ifd_note_init(&a->note, a->arena);
    return exit_status;
}

const command command_run = {
    .name = "run",
    .words = "CASE",
    .summary = "compute a case and store its result",
    .details = "CASE is a file or the name of a shipped case (interfield list cases). The result folder receives "
               "result.h5 (every recorded column over time), summary.json (peaks, energies, timing) and, on "
               "request, result.csv. Ctrl-C stops the run; the rows computed so far are stored.",
    .options = {OPTION_OUT,
                OPTION_SET,
                {"--csv", NULL, "also write result.csv"},
                {"--force", NULL, "replace an existing result in the folder of --out"}},
    .examples = "interfield run shear-pendulum/free\n"
                "interfield run bridge/pg-alpha --set time.step=2ms --csv",
    .see = "check plot report test results.md",
    .run = run_command,
    .code = CODE_RUN,
    .computes = true,
    .fmu_parts = true,
    .outcomes = OUTCOME_BIT(ABORTED) | OUTCOME_BIT(CAUTIOUS),
    .failed = "the run diverged, or the equations could not be solved",
};
