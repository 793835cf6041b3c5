/* SPDX-License-Identifier: MIT */
/* Options of one execution of a test: operator, notes, scale, rehearsal. */
#include "day.h"

#include "rig_of_case.h"

#include <string.h>

bool day_before(app *a)
{
    double scale;
    if (!app_number(a, "--scale", IFD_DIM_NONE, 1, &scale))
        return false;
    if (!app_has(a, "--scale"))
        return true;
    const char *set = ifd_arena_print(a->arena, "test.scale=%s", app_value(a, "--scale"));
    if (!(scale > 0))
        return app_reject(a, "--scale: found '%s', expected a number above zero", app_value(a, "--scale"));
    if (!set || a->options == MOST_OPTIONS)
        return false;
    a->option[a->options] = "--set";
    a->value[a->options++] = set;
    return true;
}

/* Notes of the case, then those of the command line, a line each. */
static const char *all_notes(app *a, const char *notes)
{
    const char *given[MOST_OPTIONS];
    int count = app_values(a, "--note", given);
    for (int i = 0; i < count && notes; i++)
        notes = ifd_arena_print(a->arena, "%s%s%s", notes, *notes ? "\n" : "", given[i]);
    return notes ? notes : "";
}

/* Only one of several rigs takes part in a rehearsal; the others are replaced by their twins. */
static bool rehearse_one(app *a, const ifd_case *c, ifd_hybrid_options *o)
{
    const ifd_several *all = ifd_several_of(o->rig, o->rig_setup);
    const ifd_rig_part *one = NULL;
    if (!app_has(a, "--rig"))
        return true;
    if (!c->day.rehearsal)
        return app_reject(a, "--rig names the rig of a rehearsal: --rehearse is missing");
    if (!rig_of_case_named(a, c, &one))
        return false;
    ifd_several *set = ifd_arena_take(a->arena, sizeof *set);
    ifd_rig_part *part = ifd_arena_array(a->arena, (size_t)all->rigs, sizeof *part);
    if (!set || !part)
        return app_fail(a, IFD_NO_MEMORY) == EXIT_FINE;
    for (int r = 0; r < all->rigs; r++) {
        part[r] = all->rig[r];
        if (&all->rig[r] == one)
            continue;
        part[r].ops = &ifd_virtual_rig;
        part[r].values = NULL;
        part[r].setup = part[r].twin;
        part[r].leads = false;
    }
    *set = (ifd_several){.rigs = all->rigs, .rig = part};
    o->rig_setup = set;
    return true;
}

bool day_after(app *a, ifd_case *c, ifd_hybrid_options *o)
{
    if (app_has(a, "--operator"))
        c->day.by = app_value(a, "--operator");
    c->day.notes = all_notes(a, c->day.notes ? c->day.notes : "");
    c->day.rehearsal = app_has(a, "--rehearse");
    if (c->day.rehearsal)
        o->rehearse = c->laboratory;
    return rehearse_one(a, c, o);
}

static bool given(const char *text)
{
    return text && *text;
}

void day_say(app *a, const ifd_case *c, events *log)
{
    const ifd_day *d = &c->day;
    events_say(log, "case %s%s%s", c->path, given(d->by) ? ", operator " : "", given(d->by) ? d->by : "");
    if (given(d->specimen))
        events_say(log, "specimen %s", d->specimen);
    for (const char *p = d->notes; given(p); p += strcspn(p, "\n"), p += *p == '\n')
        events_say(log, "note: %.*s", (int)strcspn(p, "\n"), p);
    if (d->scale != 1) {
        app_say(a, "scale", "%g on motions, loads and initial state", d->scale);
        events_say(log, "scale %g", d->scale);
    }
    if (d->rehearsal) {
        app_say(a, "REHEARSAL", "actuators held; the simulated rig supplies the response");
        events_say(log, "REHEARSAL: actuators held; the simulated rig supplies the response");
    }
    if (d->continues)
        events_say(log, "continues from %s", d->continues);
}
