/* SPDX-License-Identifier: MIT */
/* The live page of a test or characterisation, and the message with its address. */
#include "page.h"
#include "structure.h"

void page_say(const app *a, const page *p)
{
    if (app_talks(a))
        app_say(a, "live", "%s", page_address(p));
    else
        fprintf(stderr, "live     %s\n", page_address(p));
}

static const char *about_print(ifd_arena *arena, const ifd_case *c, const ifd_hybrid *h, bool clocked)
{
    return ifd_arena_print(arena, "%s · %s · step %s · rig %s, tick %s%s", case_model(c).text, case_method(c).text,
                           quantity(c->run.step.h, "s").text, c->test->rig->name,
                           quantity(ifd_hybrid_period(h), "s").text,
                           clocked ? "" : " · free-running, without a clock");
}

ifd_status page_of_test(app *a, const ifd_hybrid *h, const ifd_case *c, int port, control *orders, page **out)
{
    ifd_arena *arena = a->books;
    if (!app_has(a, "--live"))
        return IFD_OK;
    const page_options o = {.host = app_value(a, "--live-host"), .port = port, .control = orders};
    frame_plan *plan = ifd_arena_take(arena, sizeof *plan);
    if (!plan)
        return IFD_NO_MEMORY;
    const char *const *checks;
    *plan =
        (frame_plan){.test = h,
                     .title = c->title,
                     .about = about_print(arena, c, h, !app_has(a, "--as-fast-as-possible")),
                     .lambda = c->test->lambda,
                     .no_resume = ifd_hybrid_may_resume(c->test) ? NULL : ifd_answer_text(IFD_ANSWER_RATE_DEPENDENT),
                     .limited = true,
                     .real = !ifd_hybrid_simulated(h),
                     .automatic = ifd_hybrid_automatic(h),
                     .clocked = !app_has(a, "--as-fast-as-possible"),
                     .end = c->test->end,
                     .period = ifd_hybrid_period(h),
                     .arm_timeout = c->test->arm_timeout,
                     .arm_spread = c->test->arm_spread,
                     .hold_relaxation = c->test->hold_relaxation,
                     .checks = clearance_lines(control_clearance(orders), &checks),
                     .spacing = 5e-3,
                     .specimens = c->test->interfaces};
    plan->check = checks;
    plan->picture = picture_text(arena, c, &plan->picture_length);
    for (int k = 0; k < plan->specimens; k++)
        plan->specimen[k] =
            (frame_specimen){.name = c->test->interface[k].name, .limits = c->test->interface[k].limits};
    int count;
    const ifd_column *column = ifd_hybrid_columns(h, &count);
    if (!frame_plan_find(plan, column, count))
        return IFD_INTERNAL;
    IFD_TRY(page_open(arena, &o, plan, out, &a->note));
    page_say(a, *out);
    return IFD_OK;
}
