/* SPDX-License-Identifier: MIT */
/* Two levels of a limit: {warn: 45 kN, trip: 60 kN, action: trip, warn-action: note}. */
#include <math.h>
#include <string.h>

#include "case/rig/channels.h"
#include "model/element.h"

static const char *const keys[IFD_LIMITED] = {[IFD_LIMITED_STROKE] = "stroke",
                                              [IFD_LIMITED_VELOCITY] = "measured-velocity",
                                              [IFD_LIMITED_ACCELERATION] = "measured-acceleration",
                                              [IFD_LIMITED_FORCE] = "force",
                                              [IFD_LIMITED_FORCE_RATE] = "force-rate",
                                              [IFD_LIMITED_TRACKING] = "tracking",
                                              [IFD_LIMITED_ENERGY] = "energy"};

static int limited(const char *key)
{
    for (int i = 0; i < IFD_LIMITED; i++)
        if (key && strcmp(keys[i], key) == 0)
            return i;
    return -1;
}

/* Nothing weaker than a trip, except for the energy of tracking. */
static void read_action(ifd__reader *r, const ifd__node *node, int which, ifd_limits *out)
{
    static const char *const words[] = {"hold", "ramp-out", "trip", "power-off"};
    int from = which == IFD_LIMITED_ENERGY ? 0 : 2, to = which == IFD_LIMITED_ENERGY ? 3 : 4;
    const char *word = NULL;
    if (!node || ifd__yaml_text(node, &word, r->note) != IFD_OK)
        return;
    for (int i = from; i < to; i++)
        if (strcmp(words[i], word) == 0) {
            out->action[which] = (ifd_limit_action)(IFD_LIMIT_HOLD + i);
            return;
        }
    ifd_note_add(r->note, IFD_UNKNOWN_CHOICE, &node->place, "limits: 'action' of '%s' is '%s', expected %s",
                 keys[which], word, from == 0 ? "hold, ramp-out or trip" : "trip or power-off");
}

static void read_warn_action(ifd__reader *r, const ifd__node *node, int which, ifd_limits *out)
{
    const char *word = NULL;
    if (!node || ifd__yaml_text(node, &word, r->note) != IFD_OK)
        return;
    out->warn_holds[which] = strcmp(word, "hold") == 0;
    if (!out->warn_holds[which] && strcmp(word, "note") != 0)
        ifd_note_add(r->note, IFD_UNKNOWN_CHOICE, &node->place,
                     "limits: 'warn-action' of '%s' is '%s', expected note or hold", keys[which], word);
    if (!ifd__yaml_get(node->parent, "warn"))
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->place, "limits: '%s' has a 'warn-action' and no 'warn'",
                     keys[which]);
}

const ifd__node *ifd__read_levels(ifd__reader *r, const ifd__node *limits, ifd_limits *out)
{
    ifd__node *map = ifd_arena_take(r->arena, sizeof *map), **end;
    if (!map || limits->kind != IFD__MAPPING)
        return limits;
    *map = *limits;
    end = &map->first;
    for (const ifd__node *item = limits->first; item; item = item->next) {
        int which = item->kind == IFD__MAPPING ? limited(item->key) : -1;
        ifd__node *copy = ifd_arena_take(r->arena, sizeof *copy);
        if (!copy)
            return limits;
        *copy = *item;
        if (which >= 0 && ifd__yaml_keys(item, "warn|trip|action|warn-action", item->key, r->note) == IFD_OK) {
            const ifd__node *trip = ifd__yaml_need(item, "trip", r->note), *warn = ifd__yaml_get(item, "warn");
            const ifd__node *value = trip ? trip : warn; /* without its key `trip` it has one error, not three */
            read_action(r, ifd__yaml_get(item, "action"), which, out);
            read_warn_action(r, ifd__yaml_get(item, "warn-action"), which, out);
            if (value) {
                *copy = *value;
                copy->key = item->key;
                copy->key_place = item->key_place;
                copy->parent = map;
            }
        }
        copy->next = NULL;
        *end = map->last = copy;
        end = &copy->next;
    }
    return map;
}

/* The first level, in the unit of the limit, below it. */
void ifd__read_warnings(ifd__reader *r, const ifd__node *limits, const ifd__section *section, bool turns,
                        ifd_limits *out)
{
    const double most[IFD_LIMITED] = {fmin(out->high, -out->low),
                                      out->measured_velocity,
                                      out->measured_acceleration,
                                      out->force,
                                      out->force_rate,
                                      out->tracking,
                                      out->energy};
    for (const ifd__node *item = limits->first; item && limits->kind == IFD__MAPPING; item = item->next) {
        int which = item->kind == IFD__MAPPING ? limited(item->key) : -1;
        const ifd__node *warn = which >= 0 ? ifd__yaml_get(item, "warn") : NULL;
        if (!warn || !ifd__yaml_get(item, "trip"))
            continue;
        const ifd__key *key = ifd__key_find(section->keys, item->key);
        ifd_dimension dim = turns ? ifd__dimension_rotational(key->param.dim) : key->param.dim;
        if (ifd__yaml_number(warn, dim, IFD_RANGE_POSITIVE, &out->warn[which], r->note) == IFD_OK &&
            !(out->warn[which] < most[which]))
            ifd_note_add(r->note, IFD_RANGE, &warn->place, "limits: 'warn' of '%s' is %g, expected less than %g",
                         item->key, out->warn[which], most[which]);
    }
}
