/* SPDX-License-Identifier: MIT */
#include "app.h"

#include <interfield/analysis.h>

static int put_converge(app *a, const ifd_case *c, const ifd_convergence *v)
{
    ifd_json j;
    ifd_json_init(&j, a->arena);
    ifd_json_object(&j, NULL);
    ifd_json_text(&j, "case", c->path);
    ifd_json_text(&j, "method", c->run.step.method->name);
    ifd_json_integer(&j, "order", c->run.step.method->order);
    ifd_json_list(&j, "levels");
    for (int k = 0; k < v->levels; k++) {
        const ifd_converge_row *r = &v->row[k];
        ifd_json_object(&j, NULL);
        ifd_json_number(&j, "step", r->h);
        ifd_json_numbers(&j, "error", 3, (const double[]){r->error_u, r->error_v, r->error_s});
        ifd_json_numbers(&j, "order", 3, (const double[]){r->order_u, r->order_v, r->order_s});
        ifd_json_end(&j);
    }
    ifd_json_end(&j);
    ifd_json_numbers(&j, "fitted_order", 3, (const double[]){v->order_u, v->order_v, v->order_s});
    ifd_json_numbers(&j, "reference_tolerance", 2, v->tolerance);
    ifd_json_numbers(&j, "reference_agreement", 3, (const double[]){v->agreement_u, v->agreement_v, v->agreement_s});
    ifd_json_end(&j);
    return app_put_json(a, &j, EXIT_FINE);
}

static void print_pair(bool first, double error, double order)
{
    if (first)
        printf("   %10.3e        ", error);
    else
        printf("   %10.3e  %6.3f", error, order);
}

static void print_rows(const ifd_convergence *v, bool states)
{
    printf("step           displacement  order   velocity      order%s\n", states ? "   states        order" : "");
    for (int k = 0; k < v->levels; k++) {
        const ifd_converge_row *r = &v->row[k];
        printf("%-12.6g s", r->h);
        print_pair(k == 0, r->error_u, r->order_u);
        print_pair(k == 0, r->error_v, r->order_v);
        if (states)
            print_pair(k == 0, r->error_s, r->order_s);
        putchar('\n');
    }
}

int command_converge(app *a)
{
    int levels = 5, exit_status = 0;
    if (!app_integer(a, "--levels", 2, 12, &levels))
        return EXIT_BAD_INPUT;
    ifd_case *c = case_read(a, &exit_status);
    if (!c)
        return exit_status;
    if (!case_whole(a, c))
        return app_fail(a, IFD_UNSUPPORTED);
    ifd_convergence v;
    ifd_status status = ifd_converge(a->arena, &c->run, levels, &v, &a->note);
    if (status != IFD_OK)
        return app_fail(a, status);
    if (a->json)
        return put_converge(a, c, &v);
    if (a->quiet)
        return EXIT_FINE;
    bool states = ifd_model_states(c->run.model) > 0;
    print_rows(&v, states);
    putchar('\n');
    if (states)
        app_say(a, "order", "%.3f in displacement, %.3f in velocity, %.3f in states (fitted); %s is of order %d",
                v.order_u, v.order_v, v.order_s, c->run.step.method->name, c->run.step.method->order);
    else
        app_say(a, "order", "%.3f in displacement, %.3f in velocity (fitted); %s is of order %d", v.order_u,
                v.order_v, c->run.step.method->name, c->run.step.method->order);
    if (v.tolerance[0] > 0)
        app_say(a, "checks",
                "two references, tolerances %.1g and %.1g, agree to %.1e in displacement, %.1e in velocity",
                v.tolerance[0], v.tolerance[1], v.agreement_u, v.agreement_v);
    else
        app_say(a, "checks", "the reference is exact (linear model)");
    return EXIT_FINE;
}
