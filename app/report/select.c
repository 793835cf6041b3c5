/* SPDX-License-Identifier: MIT */
/* Selection of columns by name, and the corresponding column of another result. */
#include "figure.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* "roof displacement" and "upper.roof displacement": a dof of an undivided structure, and of one substructure. */
static bool is_same(const ifd_column *a, const ifd_column *b)
{
    const char *dot = strchr(b->name, '.');
    return dot && a->quantity == b->quantity && strcmp(dot + 1, a->name) == 0;
}

/* A column that is unique but for the name of its substructure; -1: none. */
static int match_part(const ifd_column *c, const ifd_table *other)
{
    int at = -1, count = 0;
    for (int i = 0; i < other->columns; i++)
        if (is_same(c, &other->column[i]) || is_same(&other->column[i], c)) {
            at = i;
            count++;
        }
    return count == 1 ? at : -1;
}

int column_match(const ifd_column *c, const ifd_table *other)
{
    int at = -1;
    for (int i = 0; i < other->columns; i++)
        if (strcmp(c->name, other->column[i].name) == 0 && (at < 0 || c->quantity == other->column[i].quantity))
            at = i;
    return at >= 0 ? at : match_part(c, other);
}

enum { LISTED = 40 }; /* columns listed in an error message; `plot --list` shows all */

/* The names of all results, "a|b|c", without repetition; NULL: out of memory. */
static const char *all_names(ifd_arena *arena, const overlay *o, int *count)
{
    size_t length = 1;
    for (int k = 0; k < o->results; k++)
        for (int i = 0; i < o->t[k].columns; i++)
            length += strlen(o->t[k].column[i].name) + 1;
    char *text = ifd_arena_array(arena, length, 1), *end = text;
    *count = 0;
    for (int k = 0; k < o->results && text; k++)
        for (int i = 0; i < o->t[k].columns; i++) {
            const char *name = o->t[k].column[i].name;
            if (k == 0 || column_match(&o->t[k].column[i], &o->t[0]) < 0)
                end += sprintf(end, "%s%s", (*count)++ ? "|" : "", name);
        }
    return text;
}

/* Whether a name has every word of another one, in any order and as its part: "displacement roof", "roof_disp". One
 * or two letters alone are in too many names. */
static bool has_words(const char *name, const char *words)
{
    static const char between[] = " _-,*";
    size_t longest = 0;
    for (const char *w = words + strspn(words, between); *w; w += strspn(w, between)) {
        size_t n = strcspn(w, between);
        const char *at = name;
        while (*at && strncasecmp(at, w, n) != 0)
            at++;
        if (!*at)
            return false;
        w += n;
        longest = n > longest ? n : longest;
    }
    return longest >= 3;
}

/* The first name with the same words; otherwise the one most similar by its letters. */
static bool nearest_name(const overlay *o, const char *known, const char *name, char *near, int size)
{
    for (int k = 0; k < o->results; k++)
        for (int i = 0; i < o->t[k].columns; i++)
            if (has_words(o->t[k].column[i].name, name) && (int)strlen(o->t[k].column[i].name) < size) {
                snprintf(near, (size_t)size, "%s", o->t[k].column[i].name);
                return true;
            }
    return ifd_choice_nearest(known, name, near, size);
}

static bool refuse_name(app *a, const overlay *o, const char *name)
{
    char near[200];
    bool similar;
    int count = 0;
    const char *known = all_names(a->arena, o, &count);
    ifd_note_add(&a->note, IFD_UNKNOWN_NAME, NULL, "%s no column '%s'",
                 o->results > 1 ? "the results have" : "the result has", name);
    similar = known && nearest_name(o, known, name, near, sizeof near);
    if (known && count <= LISTED)
        ifd_choice_hint(&a->note, known, similar ? near : name);
    else if (similar)
        ifd_note_hint(&a->note, "did you mean '%s'? interfield plot %s --list shows all %d columns", near, a->word[0],
                      count);
    else
        ifd_note_hint(&a->note, "interfield plot %s --list shows all %d columns", a->word[0], count);
    return false;
}

/* The first result with a column of this name, and the column; false: none. */
static bool find_name(const overlay *o, const char *name, curve *out)
{
    for (int k = 0; k < o->results; k++) {
        int i = table_find(&o->t[k], name);
        if (i < 0)
            continue;
        *out = (curve){.x = -1, .y = i, .of = k};
        return true;
    }
    return false;
}

/* The panel for another column: one per column with several results, otherwise one per unit. */
static panel *panel_for(const overlay *o, const curve *c, figure *f)
{
    const char *unit = o->t[c->of].column[c->y].unit;
    for (int k = 0; k < f->panels && o->results == 1; k++) {
        panel *p = &f->panel[k];
        const ifd_column *first = &o->t[p->curve[0].of].column[p->curve[0].y];
        if (p->curve[0].x < 0 && p->curves < MOST_CURVES && strcmp(first->unit, unit) == 0)
            return p;
    }
    return f->panels < MOST_PANELS ? &f->panel[f->panels++] : NULL;
}

static bool add_column(app *a, const overlay *o, const curve *c, figure *f)
{
    for (int k = 0; k < f->panels; k++)
        for (int i = 0; i < f->panel[k].curves; i++)
            if (f->panel[k].curve[i].x < 0 && f->panel[k].curve[i].y == c->y && f->panel[k].curve[i].of == c->of)
                return true; /* named twice */
    panel *p = panel_for(o, c, f);
    if (p)
        p->curve[p->curves++] = *c;
    else
        ifd_note_add(&a->note, IFD_RANGE, NULL,
                     "too many columns: a picture has at most %d panels, each with %d curves of one unit%s",
                     MOST_PANELS, MOST_CURVES,
                     o->results > 1 ? "; with several results each column has a panel" : "");
    return p != NULL;
}

/* Action for each column of a list of names. */
typedef struct naming {
    app *a;
    const overlay *o;
    bool (*take)(struct naming *n, const curve *c);
    figure *f;
    bool *chosen; /* columns of the first result */
    bool pattern; /* one of many matches of a pattern */
} naming;

/* A name with * matches several columns. */
static bool take_pattern(naming *n, const char *pattern)
{
    bool any = false;
    n->pattern = true;
    for (int k = 0; k < n->o->results; k++)
        for (int i = 0; i < n->o->t[k].columns; i++) {
            curve c;
            const char *name = n->o->t[k].column[i].name;
            if (fnmatch(pattern, name, 0) != 0 || !find_name(n->o, name, &c))
                continue;
            any = true;
            if (!n->take(n, &c))
                return false;
        }
    n->pattern = false;
    return any || refuse_name(n->a, n->o, pattern);
}

/* The length of the first name of a list: up to a comma, unless a column name contains it. */
static size_t name_length(const overlay *o, const char *names)
{
    size_t length = strcspn(names, ",");
    for (int k = 0; k < o->results; k++)
        for (int i = 0; i < o->t[k].columns; i++) {
            size_t n = strlen(o->t[k].column[i].name);
            if (n > length && strncmp(names, o->t[k].column[i].name, n) == 0 && (names[n] == ',' || !names[n]))
                length = n;
        }
    return length;
}

static bool take_names(naming *n, const char *names)
{
    if (!names[strspn(names, " ,")])
        return refuse_name(n->a, n->o, names);
    for (const char *p = names + strspn(names, " ,"); *p;) {
        curve c;
        size_t length = name_length(n->o, p), end = length;
        while (end && p[end - 1] == ' ')
            end--;
        const char *name = ifd_arena_text_n(n->a->arena, p, end);
        if (!name || !(find_name(n->o, name, &c) ? n->take(n, &c)
                       : strchr(name, '*')       ? take_pattern(n, name)
                                                 : refuse_name(n->a, n->o, name)))
            return false;
        p += length;
        p += strspn(p, " ,");
    }
    return true;
}

static bool take_curve(naming *n, const curve *c)
{
    return add_column(n->a, n->o, c, n->f);
}

bool figure_name(app *a, const overlay *o, const char *names, figure *out)
{
    naming n = {.a = a, .o = o, .take = take_curve, .f = out};
    return take_names(&n, names);
}

/* A column of another result selects that of the first result. */
static bool take_choice(naming *n, const curve *c)
{
    const ifd_column *column = &n->o->t[c->of].column[c->y];
    int i = c->of == 0 ? c->y : column_match(column, &n->o->t[0]);
    if (i >= 0)
        n->chosen[i] = true;
    else if (!n->pattern)
        ifd_note_add(&n->a->note, IFD_UNKNOWN_NAME, NULL, "the reference '%s' has no column that corresponds to '%s'",
                     n->o->name[0], column->name);
    return i >= 0 || n->pattern;
}

const bool *columns_named(app *a, const overlay *o, const char *names)
{
    bool *chosen = ifd_arena_array(a->arena, (size_t)o->t[0].columns + 1, sizeof *chosen);
    naming n = {.a = a, .o = o, .take = take_choice, .chosen = chosen};
    for (int i = 0; i < o->t[0].columns && chosen && !names; i++)
        chosen[i] = true;
    return chosen && (!names || take_names(&n, names)) ? chosen : NULL;
}

bool figure_name_xy(app *a, const overlay *o, const char *x, const char *y, figure *out)
{
    curve across = {.x = -1, .y = -1}, up;
    bool time = strcmp(x, "time") == 0;
    if (!find_name(o, y, &up))
        return refuse_name(a, o, y);
    if (!time && !find_name(o, x, &across))
        return refuse_name(a, o, x);
    if (!time && across.of != up.of)
        across.y = column_match(&o->t[across.of].column[across.y], &o->t[up.of]);
    if (!time && across.y < 0)
        return app_reject(a, "no result contains both '%s' and '%s'", x, y);
    if (out->panels == MOST_PANELS)
        return app_reject(a, "a picture has at most %d panels", MOST_PANELS);
    panel *p = &out->panel[out->panels++];
    p->curve[p->curves++] = (curve){.x = across.y, .y = up.y, .of = up.of};
    return true;
}

/* The corresponding curve of another result. */
static bool companion(const overlay *o, const curve *c, int k, curve *out)
{
    const ifd_table *t = &o->t[c->of];
    *out = (curve){.x = c->x, .y = column_match(&t->column[c->y], &o->t[k]), .of = k};
    if (c->x >= 0)
        out->x = column_match(&t->column[c->x], &o->t[k]);
    return out->y >= 0 && (c->x < 0 || out->x >= 0);
}

void figure_overlay(app *a, const overlay *o, bool named, figure *f)
{
    int kept = 0;
    for (int i = 0; i < f->panels; i++) {
        panel *p = &f->panel[i];
        curve first = p->curve[0], other;
        for (int k = 0; k < o->results && o->results > 1; k++) {
            if (k == first.of)
                continue;
            if (companion(o, &first, k, &other))
                p->curve[p->curves++] = other;
            else if (named)
                app_complain(a, "'%s' has no column '%s'; it is not drawn for this result", a->word[k],
                             o->t[first.of].column[first.y].name);
        }
        if (!named && o->results > 1 && p->curves == 1)
            continue; /* nothing to compare */
        panel_name(a->arena, o, p);
        f->panel[kept++] = *p;
    }
    f->panels = kept;
}
