/* SPDX-License-Identifier: MIT */
/* Prints a state of a test and the orders that are possible in it. */
#include "state_said.h"
#include "events.h"

#include <string.h>

#include <interfield/hybrid.h>

/* The second line of a message begins below the first. */
#define NEXT_LINE "\n         "

static void append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s", text);
}

void places_print(const progress *l, bool apart, char *out, size_t size)
{
    char one[300];
    *out = '\0';
    for (int k = 0; k < l->o->interfaces; k++) {
        bool turns = l->o->interface[k].turns;
        const char *unit = turns ? "rad" : "m";
        snprintf(one, sizeof one, "%s%s %s, %s", k ? "; " : "", l->o->interface[k].name, quantity(l->x[k], unit).text,
                 quantity(l->f[k], turns ? "N m" : "N").text);
        append(out, size, one);
        if (!apart)
            continue;
        snprintf(one, sizeof one, " (command - position %s)", quantity(l->command[k] - l->x[k], unit).text);
        append(out, size, one);
    }
}

static void print_tripped(const progress *l, char *out, size_t size)
{
    char place[300], text[300];
    const char *why = ifd_hybrid_why(l->h);
    fault_place(l->h, ifd_hybrid_faulty(l->h), place, sizeof place);
    ifd_hybrid_fault_print(l->h, l->now_fault, text, sizeof text);
    snprintf(out, size, "%s: %s%s%s%s%s%s", ifd_trip_name(l->now_fault), text, *place ? " (" : "",
             *place ? place + 2 : "", *place ? ")" : "", why ? "; the rig reports: " : "", why ? why : "");
}

static const char *next_of_ready(const start_rules *start)
{
    if (!start->second)
        return start->checks ? NEXT_LINE "Answer the checklist, then type run to move; or stop"
                             : NEXT_LINE "Type run to move, or stop";
    return start->checks ? NEXT_LINE "Answer the checklist, then type run; a second person confirms; or stop"
                         : NEXT_LINE "Type run, then a second person types confirm NAME; or stop";
}

bool state_print(const progress *l, const start_rules *start, bool asked, char *out, size_t size)
{
    bool faulty = l->now_fault != IFD_TRIP_NONE && l->now_state != IFD_MACHINE_RUN;
    *out = '\0';
    switch (l->now_state) {
    case IFD_MACHINE_READY:
        if (start->automatic)
            break;
        snprintf(out, size, "held: ");
        places_print(l, true, out + strlen(out), size - strlen(out));
        append(out, size, next_of_ready(start));
        break;
    case IFD_MACHINE_HOLD:
        if (faulty)
            fault_print(l, out, size);
        else
            snprintf(out, size, "simulated time is stopped");
        if (asked)
            append(out, size,
                   !ifd_hybrid_may_resume(l->o)    ? NEXT_LINE "Type stop, park or trip"
                   : l->now_fault == IFD_TRIP_LATE ? NEXT_LINE "Type resume, stop or trip"
                                                   : NEXT_LINE "Type resume, stop, park or trip");
        break;
    case IFD_MACHINE_TRIPPED:
        print_tripped(l, out, size);
        if (asked && start->waits)
            append(out, size, NEXT_LINE "Nothing starts by itself: reset, arm and run are new orders");
        break;
    default:
        if (faulty)
            fault_print(l, out, size);
        break;
    }
    return *out != '\0';
}
