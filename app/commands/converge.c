/* SPDX-License-Identifier: MIT */
/* interfield converge: the order of accuracy of a method, judged against two independent references. */
#include "outcome.h"
#include "working.h"

#include <math.h>

#include <interfield/analysis.h>

static const char *scheme_of(const ifd_case *c)
{
    return c->run.couple ? c->run.couple->coupling->name : c->run.step.method->name;
}

/* Expected order of the configured combination: the order of a coupling is at most that of any method. *lowest: the
 * method that limits it; NULL: the coupling or the only method. */
static int order_of(const ifd_case *c, const char **lowest)
{
    const ifd_couple_options *couple = c->run.couple;
    *lowest = NULL;
    if (!couple)
        return c->run.step.method->order;
    int order = couple->coupling->order;
    for (int p = 0; p < couple->parts; p++) {
        const ifd_method *m = couple->part[p].step.method;
        if (m && m->order > 0 && m->order < order) {
            order = m->order;
            *lowest = m->name;
        }
    }
    return order;
}

/* Coupled substructures have multipliers in addition to u, v, s. */
static void put_levels(ifd_json *j, int levels, const ifd_converge_row *row, int kinds)
{
    ifd_json_list(j, "levels");
    for (int k = 0; k < levels; k++) {
        const ifd_converge_row *r = &row[k];
        ifd_json_object(j, NULL);
        ifd_json_number(j, "step", r->h);
        ifd_json_numbers(j, "error", kinds, (const double[]){r->error_u, r->error_v, r->error_s, r->error_l});
        ifd_json_numbers(j, "order", kinds, (const double[]){r->order_u, r->order_v, r->order_s, r->order_l});
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

static int put_converge(app *a, const ifd_case *c, const ifd_convergence *v)
{
    static const char *const words[] = {"fine", "remark", "caution"};
    int kinds = v->parts ? 4 : 3;
    const char *lowest;
    ifd_order_verdict verdict = ifd_convergence_judge(v, order_of(c, &lowest));
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("case", c->path), IFD_JSON("method", scheme_of(c)),
                 IFD_JSON("order", order_of(c, &lowest)));
    put_levels(&j, v->levels, v->row, kinds);
    ifd_json_numbers(&j, "fitted_order", kinds, (const double[]){v->order_u, v->order_v, v->order_s, v->order_l});
    if (v->parts)
        ifd_json_list(&j, "parts");
    for (int p = 0; p < v->parts; p++) {
        const ifd_converge_part *part = &v->part[p];
        ifd_json_object(&j, NULL);
        ifd_json_text(&j, "name", part->name);
        put_levels(&j, v->levels, part->row, kinds);
        ifd_json_numbers(&j, "fitted_order", kinds,
                         (const double[]){part->order_u, part->order_v, part->order_s, part->order_l});
        ifd_json_end(&j);
    }
    if (v->parts)
        ifd_json_end(&j);
    ifd_json_numbers(&j, "reference_tolerance", 2, v->tolerance);
    ifd_json_numbers(&j, "reference_agreement", 3, (const double[]){v->agreement_u, v->agreement_v, v->agreement_s});
    if (v->opinion_h > 0) {
        ifd_json_number(&j, "opinion_step", v->opinion_h);
        ifd_json_numbers(&j, "opinion_difference", 3, (const double[]){v->opinion_u, v->opinion_v, v->opinion_s});
        ifd_json_number(&j, "opinion_change", v->change_u);
    }
    ifd_json_flag(&j, "reference_confirmed", v->confirmed);
    ifd_json_numbers(&j, "levels_used", 3, (const double[]){v->used_u, v->used_v, v->used_s});
    IFD_JSON_PUT(&j, IFD_JSON("kinks", v->kinks), IFD_JSON("verdict", words[verdict]));
    return app_put_json(a, &j, verdict == IFD_ORDER_CAUTION ? outcome_exit(OUTCOME_CAUTIOUS) : EXIT_FINE);
}

static void print_pair(bool first, double error, double order)
{
    if (first)
        printf("   %10.3e        ", error);
    else
        printf("   %10.3e  %6.3f", error, order);
}

static void print_rows(int levels, const ifd_converge_row *row, bool states, bool multipliers)
{
    printf("step           displacement  order   velocity      order%s%s\n", states ? "   states        order" : "",
           multipliers ? "   multipliers   order" : "");
    for (int k = 0; k < levels; k++) {
        const ifd_converge_row *r = &row[k];
        printf("%-12.6g s", r->h);
        print_pair(k == 0, r->error_u, r->order_u);
        print_pair(k == 0, r->error_v, r->order_v);
        if (states)
            print_pair(k == 0, r->error_s, r->order_s);
        if (multipliers)
            print_pair(k == 0, r->error_l, r->order_l);
        putchar('\n');
    }
}

static void say_orders(const app *a, const ifd_case *c, const ifd_convergence *v, bool states)
{
    char more[64] = "";
    const char *lowest;
    int expected = order_of(c, &lowest);
    if (states)
        text_add(more, sizeof more, ", %.3f in states", v->order_s);
    if (v->parts && c->run.couple->joints)
        text_add(more, sizeof more, ", %.3f in multipliers", v->order_l);
    if (!v->confirmed || v->used_u < 2)
        app_say(a, "order", "not determined");
    else
        app_say(a, "order", "%.3f in displacement, %.3f in velocity%s (fitted); expected for %s%s%s: order %d",
                v->order_u, v->order_v, more, scheme_of(c), lowest ? " with " : "", lowest ? lowest : "", expected);
    if (v->used_u < v->levels && v->opinion_h > 0)
        app_say(a, "levels",
                "%d of %d used: the errors of the others are within ten times the difference of both solutions below",
                v->used_u, v->levels);
}

static void say_checks(const app *a, const ifd_convergence *v)
{
    if (v->tolerance[0] == 0) {
        app_say(a, "checks", "the reference solution is exact (linear model)");
        return;
    }
    app_say(a, "checks",
            "two reference solutions (tolerances %.1g and %.1g) agree within %.1e in displacement, %.1e in velocity",
            v->tolerance[0], v->tolerance[1], v->agreement_u, v->agreement_v);
    if (v->opinion_h > 0)
        app_say(
            a, "",
            "a solution of another kind (newmark, step %s, extrapolated) differs by %.1e in displacement, %.1e in "
            "velocity",
            quantity(v->opinion_h, "s").text, v->opinion_u, v->opinion_v);
}

/* The caution or the remark; the exit status. */
static int say_verdict(const app *a, const ifd_case *c, const ifd_convergence *v)
{
    const char *lowest;
    int expected = order_of(c, &lowest);
    ifd_order_verdict verdict = ifd_convergence_judge(v, expected);
    const char *word = verdict == IFD_ORDER_CAUTION ? "caution" : "remark";
    if (!v->confirmed && v->opinion_h > 0)
        app_say(a, word,
                "the reference solution is not confirmed: newmark with the step %s differs from it by %.2g of the "
                "largest displacement, but changes by %.2g only with half the step. Do not use these errors",
                quantity(v->opinion_h, "s").text, v->gap_u, v->change_u);
    else if (!v->confirmed)
        app_say(a, word,
                "the reference solution is not confirmed: newmark, the second opinion, fails with this model");
    else if (verdict != IFD_ORDER_FINE)
        app_say(a, word, "the observed order is below order %d%s%s", expected,
                v->kinks ? ", as kinks of elements or corners of loads inside a step may cause" : "",
                v->row[0].error_u > 0.1 ? "; the largest steps are coarse: begin with a smaller one" : "");
    return verdict == IFD_ORDER_CAUTION ? outcome_exit(OUTCOME_CAUTIOUS) : EXIT_FINE;
}

typedef struct watching {
    status_line line;
    uint64_t began; /* ns, the present run */
    int run;
} watching;

static void show_run(void *self, int run, int runs, double share)
{
    watching *w = self;
    uint64_t now = clock_now();
    w->began = run == w->run ? w->began : now;
    w->run = run;
    if (!status_line_due(&w->line, now))
        return;
    double spent = 1e-9 * (double)(now - w->began), left = share > 0 ? spent * (1 - share) / share : 0;
    status_line_put(&w->line, "[%s]  run %d of %d%s   left in this run %s", status_line_bar(share, 24).text, run,
                    runs, run == 1 ? " (reference solution)" : "", quantity(ceil(left), "s").text);
}

static int run_command(app *a)
{
    int levels = 5;
    if (!app_integer(a, "--levels", 2, 12, &levels))
        return EXIT_BAD_INPUT;
    ifd_case *c = APP_CASE(a, case_read(a));
    ifd_convergence v;
    watching w = {.line = status_line_begin(a)};
    const ifd_converge_watch watch = {show_run, &w};
    ifd_status status = ifd_converge_watched(a->arena, &c->run, levels, &watch, &v, &a->note);
    status_line_end(&w.line);
    APP_TRY(a, status);
    if (a->json)
        return put_converge(a, c, &v);
    bool caution = ifd_convergence_judge(&v, order_of(c, &(const char *){NULL})) == IFD_ORDER_CAUTION;
    if (a->quiet)
        return caution ? outcome_exit(OUTCOME_CAUTIOUS) : EXIT_FINE;
    bool states = v.row[0].error_s > 0;
    bool joined = v.parts && c->run.couple->joints > 0; /* the last part are the joints */
    for (int p = 0; p < v.parts - (v.parts && !joined); p++) {
        app_print("%s%s\n", p ? "\n" : "", v.part[p].name);
        print_rows(v.levels, v.part[p].row, v.part[p].row[0].error_s > 0, p == v.parts - 1);
    }
    if (!v.parts)
        print_rows(v.levels, v.row, states, false);
    putchar('\n');
    say_orders(a, c, &v, states);
    say_checks(a, &v);
    return say_verdict(a, c, &v);
}

const command command_converge = {
    .name = "converge",
    .words = "CASE",
    .summary = "determine the order of accuracy of the method of a case",
    .details =
        "Computes the case with its step, with half the step and so on. Each run is compared with the "
        "reference solution at the times of the coarsest run. The reference of a nonlinear model must be "
        "confirmed by a solution of another kind, Newmark's method with a quarter of the smallest step. Levels "
        "whose errors are within ten times the difference of both are not used for the order. An order that is "
        "0.5 below that of the method is a caution; with kinks of elements or loads an order below 1.5 is a "
        "remark, below 0.8 a caution.",
    .options = {{"--levels", "N", "number of step sizes; each is half of the previous one (default 5)"}, OPTION_SET},
    .examples = "interfield converge oscillator/free --levels 4",
    .see = "spectrum stability methods.md",
    .run = run_command,
    .code = CODE_RUN,
    .outcomes = OUTCOME_BIT(CAUTIOUS),
    .computes = true,
};
