/* SPDX-License-Identifier: MIT */
/* Decides who starts the motion of a rig, and prints it. */
#include "start.h"

#include "test_clock.h"

bool start_named(app *a, bool real)
{
    const char *name = app_value(a, "--operator");
    if (!real || (name && *name))
        return true;
    return app_reject(a,
                      "a real rig needs the name of its operator: --operator NAME (the key 'operator' of a case is "
                      "not enough)");
}

bool start_choose(app *a, const ifd_hybrid_options *o, ifd_hybrid *h, start_rules *out)
{
    bool by_itself = o->rehearse || !test_clock_of_rig(o);
    *out = (start_rules){.real = !ifd_hybrid_simulated(h), .option = app_has(a, "--start")};
    if (out->option && out->real)
        return app_reject(a, "--start is for simulated rigs; this rig moves by orders of a person");
    if (out->option && app_has(a, "--orders"))
        return app_reject(a, "--start and --orders exclude each other");
    out->automatic = !out->real && (out->option || (by_itself && !app_has(a, "--orders")));
    out->waits = o->wait_tripped || (!out->automatic && !app_has(a, "--exit-on-trip"));
    ifd_hybrid_conduct(h, out->automatic, out->waits);
    return start_named(a, out->real);
}

const char *start_text(const app *a, const start_rules *s)
{
    if (s->real)
        return "real rig: it moves by orders only";
    if (s->option)
        return "simulated rig: started by --start";
    if (s->automatic)
        return "starts by itself (a real rig waits for arm and run)";
    return app_has(a, "--orders") ? "simulated rig: it waits for arm and run (--orders)"
                                  : "simulated rig: it waits for arm and run, or use --start";
}

void start_say_rig(const app *a, const start_rules *s, const ifd_hybrid_options *o, const ifd_hybrid *h)
{
    int actuators = ifd_hybrid_actuators(h);
    const char *how = start_text(a, s);
    bool first = s->automatic && !s->option;
    app_say(a, "rig", "%s%s%s · %d channel%s%s · tick %s%s%s", o->rig->name, first ? " · " : "", first ? how : "",
            actuators, actuators == 1 ? "" : "s", o->drives ? ", with drives" : "",
            quantity(ifd_hybrid_period(h), "s").text, first ? "" : " · ", first ? "" : how);
}

void start_log(const start_rules *s, const clearance *cleared, events *log)
{
    if (s->option)
        events_say(log, "--start: arm and run are given once by the program");
    char text[200];
    clearance_print(cleared, text, sizeof text);
    events_say(log, "%s", text);
}
