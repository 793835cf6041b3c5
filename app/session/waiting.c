/* SPDX-License-Identifier: MIT */
/* Prints the condition for which a test in idle waits. */
#include "waiting.h"

#include <stdio.h>
#include <string.h>

/* ns, before the first message and between two of them. */
static const uint64_t PATIENCE = 500000000, AGAIN = 10000000000;

/* "m", or "rad" for a rotation. */
static const char *unit_of(const progress *l, const char *name)
{
    int count, column;
    const ifd_column *channel = ifd_hybrid_columns(l->h, &count);
    column = ifd_column_find(channel, count, name, IFD_COLUMN_INTERFACE_MEASURED);
    return column < 0 ? "m" : channel[column].unit;
}

static void print_position(char *out, size_t size, const progress *l, const char *name)
{
    const char *unit = unit_of(l, name);
    const readable value = quantity(l->wait_value, unit);
    double limits[2];
    if (l->now_wait == IFD_WAIT_OUTSIDE) {
        ifd_hybrid_wait_limits(l->h, l->wait_channel, &limits[0], &limits[1]);
        snprintf(out, size,
                 "position of '%s' is %s, outside its stroke of %s to %s; no command is sent until it is inside "
                 "(the order return moves it there)",
                 name, value.text, quantity(limits[0], unit).text, quantity(limits[1], unit).text);
    } else {
        snprintf(out, size, "positions of '%s' are not steady: scatter %s; no command is sent until it rests", name,
                 value.text);
    }
}

static bool print_interlock(char *out, size_t size, const progress *l, const char *name)
{
    const ifd_channel_map *map = l->o->map;
    for (int i = 0; map && name && i < map->rows; i++)
        if (strcmp(map->row[i].name, name) == 0) {
            snprintf(out, size,
                     "channel '%s' is %.6g %s, outside its arm-range of %.6g to %.6g %s; no command is sent", name,
                     l->wait_value, map->row[i].unit, map->row[i].arm_low, map->row[i].arm_high, map->row[i].unit);
            return true;
        }
    return false;
}

void waiting_print(char *out, size_t size, const progress *l)
{
    const char *name = ifd_hybrid_channel_name(l->h, l->wait_channel), *why = ifd_hybrid_why(l->h);
    *out = '\0';
    if (l->now_state != IFD_MACHINE_IDLE || l->now_wait == IFD_WAIT_NONE || l->now_wait == IFD_WAIT_MEASURING)
        return;
    if (l->now_wait == IFD_WAIT_PERIOD && l->rig_period > 0.0)
        snprintf(out, size, "the rig ticks at %s, the case has %s; no command is sent",
                 quantity(l->rig_period, "s").text, quantity(ifd_hybrid_period(l->h), "s").text);
    else if (l->now_wait == IFD_WAIT_INTERLOCK && print_interlock(out, size, l, name))
        return;
    else if (l->now_wait == IFD_WAIT_ORDER)
        snprintf(out, size, "for the order arm; no command is sent");
    else if (name && (l->now_wait == IFD_WAIT_OUTSIDE || l->now_wait == IFD_WAIT_NOT_AT_REST))
        print_position(out, size, l, name);
    else
        snprintf(out, size, "%s%s%s%s%s%s; no command is sent", ifd_wait_text(l->now_wait), name ? " ('" : "",
                 name ? name : "", name ? "')" : "", why ? "; the rig reports: " : "", why ? why : "");
}

bool waiting_cold(waiting *w, const ifd_hybrid *h, uint64_t now, char *out, size_t size)
{
    const char *why = ifd_hybrid_why(h);
    if (now - w->when < AGAIN || now - w->since < PATIENCE)
        return false;
    w->when = now;
    snprintf(out, size, "until the rig is ready%s%s; no command is sent", why ? ": " : "", why ? why : "");
    return true;
}

bool waiting_due(waiting *w, const progress *l, const ifd_hybrid_options *o, uint64_t now, char *out, size_t size)
{
    if (l->now_state != IFD_MACHINE_IDLE) /* what it waits for is new after a reset or a return */
        w->said = IFD_WAIT_NONE;
    bool same = l->now_wait == w->said && (now - w->when < AGAIN || l->now_wait == IFD_WAIT_ORDER);
    if (l->now_state != IFD_MACHINE_IDLE || same ||
        (l->waited < 1e-9 * (double)PATIENCE && l->now_wait != IFD_WAIT_ORDER))
        return false;
    w->said = l->now_wait;
    w->when = now;
    if (l->now_wait == IFD_WAIT_ORDER) {
        snprintf(out, size, "at rest; stop released, pressure on. Type arm, or quit");
        return true;
    }
    waiting_print(out, size, l);
    size_t used = strlen(out);
    if (used > 0 && l->now_wait != IFD_WAIT_MASTER && !w->ordered)
        snprintf(out + used, size - used, " (%.0f s of %.0f s)", l->waited, o->arm_timeout);
    return used > 0;
}
