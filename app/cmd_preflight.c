/* SPDX-License-Identifier: MIT */
/* interfield preflight: a verdict before the pump starts. */
#include "app.h"

#include <string.h>

#include <interfield/preflight.h>

const option preflight_options[] = {
    {"--set", "KEY=VALUE", "overrides a key of the case file; may be repeated"},
    {NULL, NULL, NULL},
};

static void say_checks(const app *a, const ifd_preflight *p)
{
    for (int i = 0; i < p->checks && app_talks(a); i++) {
        const ifd_check *c = &p->check[i];
        printf("  %-12s %-66s %s%s%s\n", c->topic, c->found,
               c->verdict == IFD_VERDICT_GO        ? "ok"
               : c->verdict == IFD_VERDICT_CAUTION ? "CAUTION: "
                                                   : "NO-GO: ",
               c->advice ? c->advice : "", "");
    }
}

int command_preflight(app *a)
{
    int exit_status = 0;
    ifd_case *c = case_read(a, &exit_status);
    if (!c)
        return exit_status;
    if (!c->test) {
        app_complain(
            a, "no specimen of this case stands on a rig: nothing to look at before a test (interfield stability)");
        return EXIT_BAD_INPUT;
    }
    ifd_preflight *p = ifd_arena_take(a->arena, sizeof *p);
    const ifd_preflight_options o = {.test = c->test,
                                     .twin = c->laboratory,
                                     .real = strcmp(c->test->rig->name, "virtual") != 0,
                                     .record_every = c->run.every};
    ifd_status status = p ? ifd_preflight_run(a->arena, &o, p, &a->note) : IFD_NO_MEMORY;
    if (status != IFD_OK)
        return app_fail(a, status);
    say_checks(a, p);
    if (app_talks(a))
        printf("%s\n", ifd_verdict_name(p->verdict));
    return p->verdict == IFD_VERDICT_NO_GO ? EXIT_RUN_FAILED : EXIT_FINE;
}
