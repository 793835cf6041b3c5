/* SPDX-License-Identifier: MIT */
/* Reads the settings of a table row by its parameter list. */
#include "text/yaml.h"

#include <ctype.h>

/* A text that does not look like a number is read as a word. */
static ifd_status read_number_or_word(const ifd__node *node, const ifd_param *p, ifd_dimension dim, ifd_value *v,
                                      ifd_note *note)
{
    int index;
    bool letters = node->kind == IFD__SCALAR && isalpha((unsigned char)node->text[0]);
    return letters ? ifd__yaml_word(node, p->words, &index, note)
                   : ifd__yaml_number_of(node, dim, p, &v->number, note);
}

static ifd_status read_value(ifd_arena *arena, const ifd__node *node, const ifd_param *p, ifd_dimension any,
                             ifd_value *v, ifd_note *note)
{
    ifd_dimension dim = p->dim == IFD_DIM_ANY ? any : p->dim;
    bool flag = false;
    int index = 0;
    switch (p->shape) {
    case IFD_SHAPE_SCALAR:
        return ifd__yaml_number_of(node, dim, p, &v->number, note);
    case IFD_SHAPE_LIST:
        v->rows = 1;
        return ifd__yaml_list(arena, node, dim, &v->data, &v->cols, note);
    case IFD_SHAPE_MATRIX:
        return ifd__yaml_matrix(arena, node, dim, v, note);
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
    ifd_status status = read_value(arena, node, &ask->params[i], ask->any, &v, note);
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
