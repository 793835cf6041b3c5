/* SPDX-License-Identifier: MIT */
/* Reads the settings of a table row by its parameter list. */
#include "text/yaml.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/si.h"
#include "model/element.h"

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
            ifd_status s = ifd__yaml_unit(c, dim, note);
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
        v->rows = 1;
        return ifd__yaml_list(arena, node, dim, &v->data, &v->cols, note);
    case IFD_SHAPE_MATRIX:
        IFD_TRY(ifd__yaml_rows(arena, node, dim, p->preset != 0.0 ? p->preset : (double)NAN, v, note));
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
        return ifd__yaml_unknown(node, known_keys(arena, ask), ask->what, note);
    ifd_value v = {.place = node->place, .given = true};
    ifd_status status = read_value(arena, ask, node, &ask->params[i], &v, note);
    values[i] = status == IFD_OK ? v : harmless(&ask->params[i]);
    return status;
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
    s = ifd_param_check(ask->params, values, ask->what, map ? &map->place : &ask->place, note);
    return status == IFD_OK ? s : status;
}
