/* SPDX-License-Identifier: MIT */
/* The content of a node as numbers, words and lists. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/si.h"
#include "model/element.h"
#include "text/units.h"
#include "text/yaml.h"

typedef struct label {
    char text[112];
} label;

/* Name of a value in messages: 'step', or item 3 of 'heights'. */
static label label_of(const ifd__node *node)
{
    label l;
    const ifd__node *list = node->parent;
    if (node->key)
        snprintf(l.text, sizeof l.text, "'%.60s'", node->key);
    else if (list && list->parent && !list->key)
        snprintf(l.text, sizeof l.text, "item %d of row %d of '%.60s'", node->index + 1, list->index + 1,
                 list->parent->key ? list->parent->key : "the list");
    else if (list)
        snprintf(l.text, sizeof l.text, "item %d of '%.60s'", node->index + 1, list->key ? list->key : "the list");
    else
        snprintf(l.text, sizeof l.text, "the file");
    return l;
}

bool ifd__yaml_empty(const ifd__node *node)
{
    return !node || (node->kind == IFD__SCALAR && !node->quoted &&
                     (!node->text[0] || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0));
}

const ifd__node *ifd__yaml_get(const ifd__node *map, const char *key)
{
    if (!map || map->kind != IFD__MAPPING)
        return NULL;
    for (const ifd__node *c = map->first; c; c = c->next)
        if (strcmp(c->key, key) == 0)
            return c;
    return NULL;
}

const ifd__node *ifd__yaml_need(const ifd__node *map, const char *key, ifd_note *note)
{
    const ifd__node *node = ifd__yaml_get(map, key);
    if (!node && map && map->kind == IFD__MAPPING)
        ifd_note_add(note, IFD_MISSING_KEY, &map->place, "%s needs the key '%s'", label_of(map).text, key);
    return node;
}

const ifd__node *ifd__yaml_item(const ifd__node *sequence, int index)
{
    const ifd__node *c = sequence ? sequence->first : NULL;
    while (c && index-- > 0)
        c = c->next;
    return c;
}

static ifd_status wrong_shape(const ifd__node *node, const char *expected, ifd_note *note)
{
    static const char *const text[] = {"a value", "a list", "a mapping"};
    if (node->kind == IFD__SCALAR && !ifd__yaml_empty(node))
        return ifd_note_add(note, IFD_SHAPE, &node->place, "%s: found '%.60s', expected %s", label_of(node).text,
                            node->text, expected);
    return ifd_note_add(note, IFD_SHAPE, &node->place, "%s: found %s, expected %s", label_of(node).text,
                        ifd__yaml_empty(node) ? "nothing" : text[node->kind], expected);
}

ifd_status ifd__yaml_expect(const ifd__node *node, ifd__node_kind kind, ifd_note *note)
{
    static const char *const expected[] = {"a value", "a list [...]", "a mapping {key: value}"};
    return !node || node->kind == kind ? IFD_OK : wrong_shape(node, expected[kind], note);
}

const ifd__node *ifd__yaml_items(const ifd__node *node, ifd__node_kind kind, ifd_note *note)
{
    return node && ifd__yaml_expect(node, kind, note) == IFD_OK ? node->first : NULL;
}

void ifd__yaml_about(const ifd__node *node, ifd_note *note)
{
    if (note && note->last)
        note->last->subject = node->key;
}

/* Reports the key of a node as unknown. */
static ifd_status yaml_unknown(const ifd__node *node, const char *known, const char *what, ifd_note *note)
{
    ifd_note_add(note, IFD_UNKNOWN_KEY, &node->key_place, "unknown key '%.60s' in %s", node->key, what);
    ifd__yaml_about(node, note);
    const char *colon = strchr(node->key, ':');
    if (colon && colon[1])
        ifd_note_hint(note, "a blank is missing after ':'");
    else if (isdigit((unsigned char)*node->key) && ifd__yaml_empty(node) && node != node->parent->first)
        ifd_note_hint(note, "numbers have a decimal point, not a comma");
    else
        ifd_choice_hint(note, known, node->key);
    return IFD_UNKNOWN_KEY;
}

ifd_status ifd__yaml_keys(const ifd__node *map, const char *known, const char *what, ifd_note *note)
{
    ifd_status status = ifd__yaml_expect(map, IFD__MAPPING, note);
    if (!map || status != IFD_OK)
        return status;
    for (const ifd__node *c = map->first; c; c = c->next)
        if (ifd_choice_find(known, c->key) < 0)
            status = yaml_unknown(c, known, what, note);
    return status;
}

/* Permitted magnitudes of numbers other than zero, in SI units: wider than those of any structure, and so narrow
 * that no product or quotient of a few of them leaves the range of a double. */
static const struct {
    double least, most;
} magnitude[IFD_DIM_COUNT] = {
    [IFD_DIM_NONE] = {1e-15, 1e15},
    [IFD_DIM_LENGTH] = {1e-15, 1e7},
    [IFD_DIM_TIME] = {1e-12, 1e9},
    [IFD_DIM_MASS] = {1e-12, 1e15},
    [IFD_DIM_FORCE] = {1e-12, 1e18},
    [IFD_DIM_STIFFNESS] = {1e-12, 1e21},
    [IFD_DIM_DAMPING] = {1e-12, 1e21},
    [IFD_DIM_ACCELERATION] = {1e-12, 1e9},
    [IFD_DIM_VELOCITY] = {1e-12, 1e9},
    [IFD_DIM_FREQUENCY] = {1e-9, 1e9},
    [IFD_DIM_ANGLE] = {1e-15, 1e9},
    [IFD_DIM_ANGULAR_RATE] = {1e-12, 1e9},
    [IFD_DIM_ANGULAR_ACCELERATION] = {1e-12, 1e12},
    [IFD_DIM_PRESSURE] = {1e-9, 1e18},
    [IFD_DIM_DENSITY] = {1e-9, 1e9},
    [IFD_DIM_AREA] = {1e-18, 1e12},
    [IFD_DIM_INERTIA] = {1e-24, 1e15},
    [IFD_DIM_ROTATIONAL_INERTIA] = {1e-15, 1e18},
    [IFD_DIM_ROTATIONAL_STIFFNESS] = {1e-15, 1e21},
    [IFD_DIM_ROTATIONAL_DAMPING] = {1e-15, 1e21},
    [IFD_DIM_MASS_PER_LENGTH] = {1e-12, 1e12},
    [IFD_DIM_MOMENT] = {1e-15, 1e18},
    [IFD_DIM_ENERGY] = {1e-18, 1e21},
    [IFD_DIM_SPECTRAL_ACCELERATION] = {1e-15, 1e15},
    [IFD_DIM_ANY] = {1e-30, 1e30},
    [IFD_DIM_FORCE_PER_LENGTH] = {1e-12, 1e21},
};

void ifd__yaml_magnitude(ifd_dimension dim, double *least, double *most)
{
    *least = magnitude[dim].least;
    *most = magnitude[dim].most;
}

static ifd_status check_magnitude(const ifd__node *node, ifd_dimension dim, const char *what, double x,
                                  ifd_note *note)
{
    double size = x < 0 ? -x : x;
    if (size == 0 || (size >= magnitude[dim].least && size <= magnitude[dim].most))
        return IFD_OK;
    return ifd_note_add(note, IFD_RANGE, &node->place, "%s is %s, expected 0 or a magnitude from %g to %g%s%.*s",
                        what, node->text, magnitude[dim].least, magnitude[dim].most, ifd__si_length(dim) ? " " : "",
                        IFD__SI(dim));
}

static ifd_status read_quantity(const ifd__node *node, ifd_dimension dim, double *out, ifd_note *note)
{
    if (node->kind != IFD__SCALAR || ifd__yaml_empty(node))
        return wrong_shape(node, ifd_dimension_text(dim), note);
    return ifd__quantity_read(node->text, dim, label_of(node).text, &node->place, out, note);
}

ifd_status ifd__yaml_number_of(const ifd__node *node, ifd_dimension dim, const ifd_param *p, double *out,
                               ifd_note *note)
{
    IFD_TRY(read_quantity(node, dim, out, note));
    if (p->range == IFD_RANGE_WITHIN && (*out < p->min || *out > p->max))
        return IFD_OK;
    return check_magnitude(node, dim, label_of(node).text, *out, note);
}

ifd_status ifd__yaml_number(const ifd__node *node, ifd_dimension dim, ifd_range range, double *out, ifd_note *note)
{
    double x;
    if (!node)
        return IFD_OK;
    label l = label_of(node);
    IFD_TRY(read_quantity(node, dim, &x, note));
    if (range == IFD_RANGE_POSITIVE && !(x > 0))
        return ifd_note_add(note, IFD_RANGE, &node->place, "%s is %s, expected more than zero", l.text, node->text);
    if (range == IFD_RANGE_NOT_NEGATIVE && !(x >= 0))
        return ifd_note_add(note, IFD_RANGE, &node->place, "%s is %s, expected zero or more", l.text, node->text);
    IFD_TRY(check_magnitude(node, dim, l.text, x, note));
    *out = x;
    return IFD_OK;
}

ifd_status ifd__yaml_integer(const ifd__node *node, long min, long max, long *out, ifd_note *note)
{
    double x = 0;
    if (!node)
        return IFD_OK;
    IFD_TRY(ifd__yaml_number(node, IFD_DIM_NONE, IFD_RANGE_FREE, &x, note));
    if (x != floor(x))
        return ifd_note_add(note, IFD_NUMBER, &node->place, "%s is %s, expected a whole number", label_of(node).text,
                            node->text);
    if (x < (double)min || x > (double)max)
        return ifd_note_add(note, IFD_RANGE, &node->place, "%s is %s, expected %ld to %ld", label_of(node).text,
                            node->text, min, max);
    *out = (long)x;
    return IFD_OK;
}

ifd_status ifd__yaml_flag(const ifd__node *node, bool *out, ifd_note *note)
{
    static const char *const word[] = {"no", "yes", "false", "true", "off", "on"};
    if (!node)
        return IFD_OK;
    for (int i = 0; node->kind == IFD__SCALAR && i < 6; i++)
        if (strcasecmp(node->text, word[i]) == 0) {
            *out = i % 2 == 1;
            return IFD_OK;
        }
    return wrong_shape(node, "yes or no", note);
}

ifd_status ifd__yaml_text(const ifd__node *node, const char **out, ifd_note *note)
{
    if (!node)
        return IFD_OK;
    if (node->kind != IFD__SCALAR || ifd__yaml_empty(node))
        return wrong_shape(node, "a text", note);
    *out = node->text;
    return IFD_OK;
}

ifd_status ifd__yaml_word(const ifd__node *node, const char *choices, int *out, ifd_note *note)
{
    const char *word = NULL;
    if (!node)
        return IFD_OK;
    IFD_TRY(ifd__yaml_text(node, &word, note));
    int index = ifd_choice_find(choices, word);
    if (index < 0) {
        ifd_note_add(note, IFD_UNKNOWN_CHOICE, &node->place, "unknown %s '%.60s'", node->key ? node->key : "choice",
                     word);
        ifd_choice_hint(note, choices, word);
        return IFD_UNKNOWN_CHOICE;
    }
    *out = index;
    return IFD_OK;
}

static ifd_status no_memory(const ifd__node *node, ifd_note *note)
{
    return ifd_note_add(note, IFD_NO_MEMORY, &node->place, "no memory for %s", label_of(node).text);
}

/* Computed samples contain rounding, 1e-17 beside 1: what is smaller than this counts as that. 0: nothing does. */
static double rounding_of(const ifd__node *samples, ifd_dimension dim)
{
    double x = 0.0;
    for (const ifd__node *c = samples->first; c; c = c->next)
        if (read_quantity(c, dim, &x, NULL) == IFD_OK && fabs(x) >= magnitude[dim].least)
            return magnitude[dim].least;
    return 0.0;
}

/* Reads the numbers of a list into out; reports all that are invalid. */
static ifd_status fill(const ifd__node *list, ifd_dimension dim, double rounding, double *out, ifd_note *note)
{
    ifd_status status = IFD_OK;
    for (const ifd__node *c = list->first; c; c = c->next, out++) {
        if (rounding > 0.0 && read_quantity(c, dim, out, NULL) == IFD_OK && fabs(*out) < rounding)
            continue;
        ifd_status s = ifd__yaml_number(c, dim, IFD_RANGE_FREE, out, note);
        status = status == IFD_OK ? s : status;
    }
    return status;
}

/* Number of items of a value that is a single item or a list; -1: neither. */
static int items_of(const ifd__node *node)
{
    bool one = node->kind == IFD__SCALAR && !ifd__yaml_empty(node);
    return one ? 1 : node->kind == IFD__SEQUENCE ? node->count : -1;
}

/* A list of numbers as a row; samples: values of any dimension, which are read as they are. */
static ifd_status read_list(ifd_arena *arena, const ifd__node *node, ifd_dimension dim, bool samples, ifd_value *v,
                            ifd_note *note)
{
    int items = items_of(node);
    if (items < 0)
        return wrong_shape(node, "a list of numbers", note);
    double *x = ifd_arena_array(arena, (size_t)items, sizeof *x);
    if (!x)
        return no_memory(node, note);
    IFD_TRY(node->kind == IFD__SCALAR ? ifd__yaml_number(node, dim, IFD_RANGE_FREE, x, note)
                                      : fill(node, dim, samples ? rounding_of(node, dim) : 0.0, x, note));
    v->data = x;
    v->rows = 1;
    v->cols = items;
    return IFD_OK;
}

ifd_status ifd__yaml_list(ifd_arena *arena, const ifd__node *node, ifd_dimension dim, const double **out, int *count,
                          ifd_note *note)
{
    ifd_value v = {0};
    if (!node)
        return IFD_OK;
    IFD_TRY(read_list(arena, node, dim, false, &v, note));
    *out = v.data;
    *count = v.cols;
    return IFD_OK;
}

/* A row without its last number is completed with `missing`; NAN: it is refused. */
static ifd_status yaml_rows(ifd_arena *arena, const ifd__node *node, ifd_dimension dim, double missing,
                            ifd_value *out, ifd_note *note)
{
    if (!node)
        return IFD_OK;
    if (node->kind != IFD__SEQUENCE || node->count == 0)
        return wrong_shape(node, "a list of rows [[...], [...]]", note);
    bool fills = !isnan(missing);
    int width = node->first->count;
    for (const ifd__node *row = node->first; row && fills; row = row->next)
        width = row->count > width ? row->count : width;
    ifd_status status = IFD_OK;
    for (const ifd__node *row = node->first; row; row = row->next) {
        if (row->kind != IFD__SEQUENCE || row->count == 0)
            return wrong_shape(row, "a row [...] of numbers", note);
        if (row->count > width || row->count < width - fills)
            status = ifd_note_add(note, IFD_SHAPE, &row->place, "%s has %d numbers, expected %d as in the %s row",
                                  label_of(row).text, row->count, width, fills ? "longest" : "first");
    }
    IFD_TRY(status);
    double *x = ifd_arena_array(arena, (size_t)node->count * (size_t)width, sizeof *x);
    if (!x)
        return no_memory(node, note);
    for (const ifd__node *row = node->first; row; row = row->next) {
        double *numbers = x + (size_t)row->index * (size_t)width;
        numbers[width - 1] = missing;
        ifd_status s = fill(row, dim, 0.0, numbers, note);
        status = status == IFD_OK ? s : status;
    }
    out->data = x;
    out->rows = node->count;
    out->cols = width;
    return status;
}

ifd_status ifd__yaml_matrix(ifd_arena *arena, const ifd__node *node, ifd_dimension dim, ifd_value *out,
                            ifd_note *note)
{
    return yaml_rows(arena, node, dim, (double)NAN, out, note);
}

ifd_status ifd__yaml_names(ifd_arena *arena, const ifd__node *node, const char *const **out, int *count,
                           ifd_note *note)
{
    if (!node)
        return IFD_OK;
    int items = items_of(node);
    if (items < 0)
        return wrong_shape(node, "a list of names", note);
    const char **name = ifd_arena_array(arena, (size_t)items, sizeof *name);
    ifd_status status = IFD_OK;
    if (!name)
        return no_memory(node, note);
    if (node->kind == IFD__SCALAR)
        name[0] = node->text;
    for (const ifd__node *c = node->first; c; c = c->next) {
        ifd_status s = ifd__yaml_text(c, &name[c->index], note);
        status = status == IFD_OK ? s : status;
    }
    *out = name;
    *count = items;
    return status;
}

ifd_status ifd__yaml_choice(const ifd__node *node, const char **name, ifd_place *place, const ifd__node **settings,
                            ifd_note *note)
{
    if (!node)
        return IFD_OK;
    *settings = NULL;
    *place = node->place;
    if (node->kind == IFD__SCALAR)
        return ifd__yaml_text(node, name, note);
    if (node->kind != IFD__MAPPING || node->count != 1)
        return wrong_shape(node, "a name, or {name: {setting: value}}", note);
    *name = node->first->key;
    *place = node->first->key_place;
    if (ifd__yaml_empty(node->first))
        return IFD_OK;
    *settings = node->first;
    return ifd__yaml_expect(node->first, IFD__MAPPING, note);
}

/* Reads the settings of a table row by its parameter list. */

/* A text that does not look like a number is read as a word. */
static ifd_status read_number_or_word(const ifd__node *node, const ifd_param *p, ifd_dimension dim, ifd_value *v,
                                      ifd_note *note)
{
    int index;
    bool letters = node->kind == IFD__SCALAR && isalpha((unsigned char)node->text[0]);
    return letters ? ifd__yaml_word(node, p->words, &index, note)
                   : ifd__yaml_number_of(node, dim, p, &v->number, note);
}

/* The dimension of one unit of "s|N|1". */
static ifd_dimension dimension_of(const char *unit, size_t length)
{
    for (int dim = 0; dim < IFD_DIM_ANY; dim++)
        if (length > 0 && (size_t)ifd__si_length((ifd_dimension)dim) == length &&
            strncmp(ifd_dimension_units((ifd_dimension)dim), unit, length) == 0)
            return (ifd_dimension)dim;
    return length == 1 && unit[0] == '1' ? IFD_DIM_NONE : IFD_DIM_ANY;
}

/* Every column has a unit of its own. The numbers are known: a unit that fits means the same in any dimension. */
static ifd_status check_columns(const ifd__node *rows, const char *units, bool rotational, ifd_note *note)
{
    ifd_status status = IFD_OK;
    for (const ifd__node *row = rows->first; row; row = row->next) {
        const char *unit = units;
        for (const ifd__node *c = row->first; c && *unit; c = c->next) {
            size_t length = strcspn(unit, "|");
            ifd_dimension dim = dimension_of(unit, length);
            if (rotational)
                dim = ifd__dimension_rotational(dim);
            double x; /* only its unit counts */
            ifd_status s = read_quantity(c, dim, &x, note);
            status = status == IFD_OK ? s : status;
            unit += length + (unit[length] == '|');
        }
    }
    return status;
}

static ifd_status read_value(ifd_arena *arena, const ifd__settings *ask, const ifd__node *node, const ifd_param *p,
                             ifd_value *v, ifd_note *note)
{
    ifd_dimension dim = p->dim == IFD_DIM_ANY ? ask->any : p->dim;
    bool flag = false;
    int index = 0;
    switch (p->shape) {
    case IFD_SHAPE_SCALAR:
        return ifd__yaml_number_of(node, dim, p, &v->number, note);
    case IFD_SHAPE_LIST:
        return read_list(arena, node, dim, p->dim == IFD_DIM_ANY, v, note);
    case IFD_SHAPE_MATRIX:
        IFD_TRY(yaml_rows(arena, node, dim, p->preset != 0.0 ? p->preset : (double)NAN, v, note));
        return p->words ? check_columns(node, p->words, ask->rotational, note) : IFD_OK;
    case IFD_SHAPE_WORD:
        IFD_TRY(ifd__yaml_word(node, p->words, &index, note));
        v->word = node->text;
        return IFD_OK;
    case IFD_SHAPE_CHOICE:
        if (node->kind == IFD__SCALAR && ifd_choice_find(p->words, node->text) >= 0)
            v->word = node->text;
        return v->word ? IFD_OK : read_number_or_word(node, p, dim, v, note);
    case IFD_SHAPE_FLAG:
        IFD_TRY(ifd__yaml_flag(node, &flag, note));
        v->number = flag;
        return IFD_OK;
    case IFD_SHAPE_TEXT:
        return ifd__yaml_text(node, &v->word, note);
    }
    return IFD_INTERNAL;
}

/* A value that could not be read has been reported. The replacement passes the checks, so that it is not reported
 * again. */
static ifd_value harmless(const ifd_param *p)
{
    ifd_value v = {.given = p->shape != IFD_SHAPE_WORD, .word = p->shape == IFD_SHAPE_TEXT ? "" : NULL};
    v.number = p->range == IFD_RANGE_FREE ? 0 : p->range == IFD_RANGE_WITHIN ? p->min : 1;
    return v;
}

/* "stiffness|damping|between|at" */
static const char *known_keys(ifd_arena *arena, const ifd__settings *ask)
{
    const char *known = "";
    for (const ifd_param *p = ask->params; p->name && known; p++)
        known = ifd_arena_print(arena, "%s%s%s", known, known[0] ? "|" : "", p->name);
    if (known && ask->also)
        known = ifd_arena_print(arena, "%s%s%s", known, known[0] ? "|" : "", ask->also);
    return known ? known : "";
}

static ifd_status read_key(ifd_arena *arena, const ifd__settings *ask, const ifd__node *node, ifd_value *values,
                           ifd_note *note)
{
    int i = ifd_param_find(ask->params, node->key);
    if (i < 0 && ask->also && ifd_choice_find(ask->also, node->key) >= 0)
        return IFD_OK;
    if (i < 0)
        return yaml_unknown(node, known_keys(arena, ask), ask->what, note);
    ifd_value v = {.place = node->place, .given = true};
    ifd_status status = read_value(arena, ask, node, &ask->params[i], &v, note);
    values[i] = status == IFD_OK ? v : harmless(&ask->params[i]);
    return status;
}

/* Whether a value is a number other than 0, and whether it has a unit. */
static bool is_quantity(const ifd__settings *ask, const ifd__node *node, bool *unit)
{
    int i = ifd_param_find(ask->params, node->key);
    const ifd_param *p = i < 0 ? NULL : &ask->params[i];
    char *end = NULL;
    if (!p || p->shape != IFD_SHAPE_SCALAR || p->dim == IFD_DIM_NONE || p->dim == IFD_DIM_ANY ||
        node->kind != IFD__SCALAR || !node->text)
        return false;
    double x = strtod(node->text, &end);
    *unit = *end != '\0';
    return end != node->text && x != 0.0;
}

/* A number without a unit is in SI units. Beside numbers with units it may be a slip: `stroke: 60` for 60 mm. */
static void remark_bare(const ifd__settings *ask, ifd_note *note)
{
    bool some = false, unit;
    for (const ifd__node *c = ask->map->first; c; c = c->next)
        some = some || (is_quantity(ask, c, &unit) && unit);
    for (const ifd__node *c = ask->map->first; c && some; c = c->next) {
        if (!is_quantity(ask, c, &unit) || unit)
            continue;
        ifd_dimension dim = ask->params[ifd_param_find(ask->params, c->key)].dim;
        ifd_note_remark(note, &c->place, "'%s: %s' has no unit and is in %.*s; other keys beside it have units",
                        c->key, c->text, IFD__SI(dim));
    }
}

ifd_status ifd__yaml_params(ifd_arena *arena, const ifd__settings *ask, ifd_value *values, ifd_note *note)
{
    ifd_status status = ifd__yaml_expect(ask->map, IFD__MAPPING, note), s;
    const ifd__node *map = status == IFD_OK ? ask->map : NULL;
    ifd_param_preset(ask->params, values);
    if (status != IFD_OK)
        return status;
    for (const ifd__node *c = map ? map->first : NULL; c; c = c->next) {
        s = read_key(arena, ask, c, values, note);
        status = status == IFD_OK ? s : status;
    }
    if (map)
        remark_bare(ask, note);
    s = ifd_param_check(ask->params, values, ask->what, map ? &map->place : &ask->place, note);
    return status == IFD_OK ? s : status;
}
