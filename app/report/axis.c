/* SPDX-License-Identifier: MIT */
/* Names of curves and axes in a figure, and line styles. */
#include "figure.h"

#include <ctype.h>
#include <string.h>

/* Characters of a label before its unit: vertical in the lowest panel of histories, and on both axes of a loop. */
enum { HISTORY_NAME = 28, LOOP_NAME = 44 };

/* Words for the columns of a panel that have only the unit in common. */
static const char *unit_words(const char *unit)
{
    static const char *const words[][2] = {{"m", "displacement"},    {"rad", "rotation"},
                                           {"m/s", "velocity"},      {"rad/s", "angular velocity"},
                                           {"m/s2", "acceleration"}, {"rad/s2", "angular acceleration"},
                                           {"N", "force"},           {"N m", "moment"},
                                           {"J", "energy"},          {"s", "duration"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(unit, words[i][0]) == 0)
            return words[i][1];
    return NULL;
}

/* The name without owner and number: "storey1 force 2" is a force. */
static const char *own_words(ifd_arena *arena, const ifd_column *c)
{
    size_t n = strlen(c->owner), end = strlen(c->name);
    const char *from = n && strncmp(c->name, c->owner, n) == 0 && c->name[n] == ' ' ? c->name + n + 1 : c->name;
    end = strlen(from);
    while (c->number && end && isdigit((unsigned char)from[end - 1]))
        end--;
    while (end && from[end - 1] == ' ')
        end--;
    char *text = ifd_arena_text_n(arena, from, end);
    for (char *p = text; p && *p; p++)
        *p = *p == '-' ? ' ' : *p;
    return text ? text : c->name;
}

/* The quantity of a column without its owner: "displacement", "storey drift", "moment". */
static const char *column_words(ifd_arena *arena, const ifd_column *c)
{
    const char *words = c->quantity == IFD_COLUMN_OUTPUT ? c->name : own_words(arena, c), *more = NULL;
    bool turns = strncmp(c->unit, "rad", 3) == 0 || strcmp(c->unit, "N m") == 0;
    switch (c->quantity) {
    case IFD_COLUMN_INTERFACE_TARGET:
    case IFD_COLUMN_INTERFACE_COMMAND:
    case IFD_COLUMN_ACTUATOR_COMMAND:
        more = ifd_arena_print(arena, "%s %s", words, unit_words(c->unit));
        return more ? more : words;
    case IFD_COLUMN_DISPLACEMENT:
    case IFD_COLUMN_VELOCITY:
    case IFD_COLUMN_ACCELERATION:
    case IFD_COLUMN_INTERFACE_FORCE:
    case IFD_COLUMN_ELEMENT_FORCE:
        return turns ? unit_words(c->unit) : words;
    default:
        return words;
    }
}

/* Printed form of "m/s2". */
static const char *unit_printed(ifd_arena *arena, const char *unit)
{
    size_t n = strlen(unit);
    const char *text =
        n > 2 && strcmp(unit + n - 2, "s2") == 0 ? ifd_arena_print(arena, "%.*s\xc2\xb2", (int)(n - 1), unit) : unit;
    return text ? text : unit;
}

static bool continues(const char *p) /* a continuation byte of UTF-8 */
{
    return ((unsigned char)*p & 0xc0) == 0x80;
}

/* A text of at most this number of characters: the middle of a longer one is omitted, as its end is the most
 * specific. */
static const char *shortened(ifd_arena *arena, const char *text, int most)
{
    int length = 0, at = 0, head = most / 2 - 1;
    const char *first = text, *last = text;
    for (const char *p = text; *p; p++)
        length += !continues(p);
    if (length <= most)
        return text;
    for (const char *p = text; *p; p++) {
        if (continues(p))
            continue;
        first = at == head ? p : first;
        last = at == length - (most - head - 1) ? p : last;
        at++;
    }
    const char *shorter = ifd_arena_print(arena, "%.*s\xe2\x80\xa6%s", (int)(first - text), text, last);
    return shorter ? shorter : text;
}

/* "Displacement [mm]" from words and a unit suitable for values of this size; given names are unchanged. */
static const char *axis_label(ifd_arena *arena, const char *words, const char *unit, double size, double *factor)
{
    return label_print(arena, words, unit_printed(arena, unit_shown(unit, size, factor)));
}

typedef struct sameness {
    bool quantity, owner, column;
} sameness;

static const ifd_column *column_of(const overlay *o, const curve *c)
{
    return &o->t[c->of].column[c->y];
}

static sameness compare_curves(const overlay *o, const panel *p)
{
    const ifd_column *first = column_of(o, &p->curve[0]);
    sameness s = {first->quantity != IFD_COLUMN_OUTPUT, true, true};
    for (int k = 1; k < p->curves; k++) {
        const ifd_column *c = column_of(o, &p->curve[k]);
        s.quantity = s.quantity && c->quantity == first->quantity;
        s.owner = s.owner && strcmp(c->owner, first->owner) == 0;
        s.column = s.column && strcmp(c->name, first->name) == 0;
    }
    return s;
}

/* The shortest text that distinguishes a curve from the others of its panel. */
static const char *curve_name(ifd_arena *arena, const overlay *o, const panel *p, const curve *c, sameness same)
{
    const ifd_column *y = column_of(o, c);
    const char *text = y->name;
    if (same.quantity && *y->owner)
        text = y->number ? ifd_arena_print(arena, "%s %d", y->owner, y->number) : y->owner;
    else if (same.owner && p->curves > 1)
        text = *y->owner ? own_words(arena, y) : column_short(y);
    if (o->results > 1)
        text = same.column ? o->name[c->of] : ifd_arena_print(arena, "%s: %s", o->name[c->of], text ? text : "");
    return text ? text : y->name;
}

static line_kind column_line(const ifd_column *c)
{
    if (c->quantity == IFD_COLUMN_INTERFACE_TARGET)
        return LINE_DASHED;
    return c->quantity == IFD_COLUMN_INTERFACE_COMMAND || c->quantity == IFD_COLUMN_ACTUATOR_COMMAND ? LINE_DOTTED
                                                                                                     : LINE_SOLID;
}

/* The measured motion of a target in the same panel; -1: none. */
static int measured_of(const overlay *o, const panel *p, int target)
{
    const ifd_column *c = column_of(o, &p->curve[target]);
    for (int k = 0; k < p->curves; k++)
        if (column_of(o, &p->curve[k])->quantity == IFD_COLUMN_INTERFACE_DEFORMATION &&
            p->curve[k].of == p->curve[target].of && strcmp(column_of(o, &p->curve[k])->owner, c->owner) == 0)
            return k;
    return -1;
}

/* Lower curves are wide and upper ones narrow, so that both are visible where they coincide: several results, and
 * targets, which are last, dashed in a dark shade of the colour of the measured motion. */
static void settle_lines(const overlay *o, panel *p)
{
    curve ordered[MOST_CURVES];
    int n = 0, colour = 0;
    for (int dashed = 0; dashed < 2; dashed++)
        for (int k = 0; k < p->curves; k++) {
            p->curve[k].line = p->curve[k].x < 0 ? column_line(column_of(o, &p->curve[k])) : LINE_SOLID;
            if ((p->curve[k].line == LINE_DASHED) == (dashed == 1))
                ordered[n++] = p->curve[k];
        }
    memcpy(p->curve, ordered, (size_t)n * sizeof *ordered);
    for (int k = 0; k < n; k++) {
        int leader = p->curve[k].line == LINE_DASHED ? measured_of(o, p, k) : -1;
        p->curve[k].colour = leader >= 0 ? p->curve[leader].colour : ++colour;
        p->curve[k].width = o->results > 1 && p->curve[k].of == 0 ? 2.6 : o->results > 1 ? 1.1 : 0;
        if (leader >= 0)
            p->curve[leader].width = 2.2;
    }
}

static double largest_of(const overlay *o, const panel *p, bool across)
{
    double size = 0;
    for (int k = 0; k < p->curves; k++) {
        const curve *c = &p->curve[k];
        double each = table_largest(&o->t[c->of], across ? c->x : c->y);
        size = each > size ? each : size;
    }
    return size;
}

static const char *with_capital(ifd_arena *arena, const char *words)
{
    char *text = ifd_arena_text(arena, words);
    if (text)
        *text = (char)toupper((unsigned char)*text);
    return text ? text : words;
}

/* A loop: its axes have the names of the columns, with their owners if these differ. */
static void name_loop(ifd_arena *arena, const overlay *o, panel *p)
{
    const curve *c = &p->curve[0];
    const ifd_column *x = &o->t[c->of].column[c->x], *y = column_of(o, c);
    bool same = strcmp(x->owner, y->owner) == 0 && *x->owner && o->results == 1;
    p->x.label =
        axis_label(arena, same ? with_capital(arena, column_words(arena, x)) : shortened(arena, x->name, LOOP_NAME),
                   x->unit, largest_of(o, p, true), &p->x.factor);
    p->y.label =
        axis_label(arena, same ? with_capital(arena, column_words(arena, y)) : shortened(arena, y->name, LOOP_NAME),
                   y->unit, largest_of(o, p, false), &p->y.factor);
    for (int k = 0; k < p->curves; k++)
        p->curve[k].name = o->results > 1 ? o->name[p->curve[k].of] : same ? y->owner : "";
}

/* Words of the vertical axis, with the owner if the legend does not contain it. */
static const char *panel_words(ifd_arena *arena, const overlay *o, const panel *p, sameness same)
{
    const ifd_column *first = column_of(o, &p->curve[0]);
    const char *words = p->what, *of_unit = unit_words(first->unit);
    if (same.column && (o->results > 1 || !*first->owner))
        return *first->owner ? first->name : with_capital(arena, first->name);
    if (same.owner && *first->owner && of_unit && (o->results > 1 || (p->curves > 1 && !same.quantity))) {
        const char *whose = ifd_arena_print(arena, "%s %s", first->owner, of_unit);
        return whose ? whose : of_unit;
    }
    if (!words)
        words = same.quantity ? column_words(arena, first) : of_unit ? of_unit : first->group;
    return with_capital(arena, words);
}

void panel_name(ifd_arena *arena, const overlay *o, panel *p)
{
    settle_lines(o, p);
    if (p->curve[0].x >= 0) {
        name_loop(arena, o, p);
        return;
    }
    const ifd_column *first = column_of(o, &p->curve[0]);
    sameness same = compare_curves(o, p);
    p->x.label = o->time;
    p->x.factor = 1;
    p->y.label = axis_label(arena, shortened(arena, panel_words(arena, o, p, same), HISTORY_NAME), first->unit,
                            largest_of(o, p, false), &p->y.factor);
    bool alone = same.column && o->results == 1 && !*first->owner; /* the axis label is sufficient */
    for (int k = 0; k < p->curves; k++)
        p->curve[k].name = alone ? "" : curve_name(arena, o, p, &p->curve[k], same);
}
