/* SPDX-License-Identifier: MIT */
/* Checks values of parameters against their rows: kind, range, words. */
#include <interfield/param.h>

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/si.h"

static const struct {
    const char *text, *units;
} dimensions[] = {
#define ROW(name, text, m, kg, s, units) {text, units},
    IFD_DIMENSION_LIST(ROW)
#undef ROW
};

const char *ifd_dimension_text(ifd_dimension dim)
{
    return (unsigned)dim < IFD_DIM_COUNT ? dimensions[dim].text : "an unknown dimension";
}

const char *ifd_dimension_units(ifd_dimension dim)
{
    return (unsigned)dim < IFD_DIM_COUNT ? dimensions[dim].units : "";
}

ifd_value ifd_number(double number)
{
    return (ifd_value){.number = number, .given = true};
}

ifd_value ifd_word(const char *word)
{
    return (ifd_value){.word = word, .given = true};
}

ifd_value ifd_flag(bool on)
{
    return (ifd_value){.number = on ? 1 : 0, .given = true};
}

ifd_value ifd_list(const double *data, int count)
{
    return (ifd_value){.rows = 1, .cols = count, .data = data, .given = true};
}

ifd_value ifd_matrix(const double *data, int rows, int cols)
{
    return (ifd_value){.rows = rows, .cols = cols, .data = data, .given = true};
}

int ifd_param_count(const ifd_param *params)
{
    int n = 0;
    while (params[n].name)
        n++;
    return n;
}

int ifd_param_find(const ifd_param *params, const char *name)
{
    for (int i = 0; params[i].name; i++)
        if (strcmp(params[i].name, name) == 0)
            return i;
    return -1;
}

void ifd_param_preset(const ifd_param *params, ifd_value *values)
{
    for (int i = 0; params[i].name; i++)
        values[i] = (ifd_value){.number = params[i].preset};
}

const ifd_value *ifd_param_get(const ifd_param *params, const ifd_value *values, const char *name)
{
    int i = ifd_param_find(params, name);
    assert(i >= 0 && "no such parameter");
    return &values[i];
}

void ifd_param_store(const ifd_param *params, const ifd_value *values, void *out)
{
    for (int i = 0; params[i].name; i++) {
        void *member = (char *)out + params[i].at;
        switch ((ifd_member)params[i].as) {
        case IFD_MEMBER_NONE:
            break;
        case IFD_MEMBER_DOUBLE:
            *(double *)member = values[i].number;
            break;
        case IFD_MEMBER_INT:
            *(int *)member = (int)values[i].number;
            break;
        case IFD_MEMBER_BOOL:
            *(bool *)member = values[i].number > 0.5;
            break;
        }
    }
}

static bool permitted(const ifd_param *p, double x)
{
    switch (p->range) {
    case IFD_RANGE_FREE:
        return true;
    case IFD_RANGE_POSITIVE:
        return x > 0;
    case IFD_RANGE_NOT_NEGATIVE:
        return x >= 0;
    case IFD_RANGE_WITHIN:
        return x >= p->min && x <= p->max;
    }
    return true;
}

static ifd_status check_number(const ifd_param *p, double x, const char *what, const ifd_place *place, ifd_note *note)
{
    if (!isfinite(x))
        return ifd_note_add(note, IFD_NOT_FINITE, place, "%s: '%s' is not a finite number", what, p->name);
    if (permitted(p, x))
        return IFD_OK;
    if (p->range == IFD_RANGE_WITHIN) {
        ifd_note_add(note, IFD_RANGE, place, "%s: '%s' is %g, expected %g to %g%s%.*s", what, p->name, x, p->min,
                     p->max, ifd__si_length(p->dim) ? " " : "", IFD__SI(p->dim));
        if (p->dim == IFD_DIM_NONE && p->max == 1 && x > 1 && x <= 100) /* a percentage without its sign */
            ifd_note_hint(note, "write %g %% as '%g %%' or %g", x, x, 0.01 * x);
        return IFD_RANGE;
    }
    return ifd_note_add(note, IFD_RANGE, place, "%s: '%s' is %g, expected a number %s", what, p->name, x,
                        p->range == IFD_RANGE_POSITIVE ? "above zero" : "not below zero");
}

/* Reports a word in place of a number; it would be read as zero. */
static ifd_status check_is_number(const ifd_param *p, const ifd_value *v, const char *what, ifd_note *note)
{
    if (!v->word)
        return IFD_OK;
    return ifd_note_add(note, IFD_NUMBER, &v->place, "%s: '%s' is '%.60s', expected %s (%s)", what, p->name, v->word,
                        p->shape == IFD_SHAPE_FLAG ? "a flag" : ifd_dimension_text(p->dim),
                        p->shape == IFD_SHAPE_FLAG ? "yes or no" : ifd_dimension_units(p->dim));
}

static ifd_status check_word(const ifd_param *p, ifd_value *v, const char *what, ifd_note *note)
{
    const char *word = v->word ? v->word : ""; /* a number in its place, from a damaged model */
    int index = v->given ? ifd_choice_find(p->words, word) : 0;
    if (index < 0)
        return ifd_choice_note(note, &v->place, what, p->name, p->words, word);
    v->number = index;
    return IFD_OK;
}

static ifd_status check_value(const ifd_param *p, ifd_value *v, const char *what, ifd_note *note)
{
    switch (p->shape) {
    case IFD_SHAPE_SCALAR:
        IFD_TRY(check_is_number(p, v, what, note));
        return v->given ? check_number(p, v->number, what, &v->place, note) : IFD_OK;
    case IFD_SHAPE_LIST:
    case IFD_SHAPE_MATRIX:
        IFD_TRY(check_is_number(p, v, what, note));
        for (int k = 0; k < v->rows * v->cols; k++)
            IFD_TRY(check_number(p, v->data[k], what, &v->place, note));
        return IFD_OK;
    case IFD_SHAPE_WORD:
        return check_word(p, v, what, note);
    case IFD_SHAPE_CHOICE:
        if (!v->given)
            return IFD_OK;
        if (!v->word)
            return check_number(p, v->number, what, &v->place, note);
        if (ifd_choice_find(p->words, v->word) < 0)
            return ifd_choice_note(note, &v->place, what, p->name, p->words, v->word);
        return IFD_OK;
    case IFD_SHAPE_FLAG:
        return check_is_number(p, v, what, note);
    case IFD_SHAPE_TEXT:
        return IFD_OK;
    }
    return IFD_OK;
}

ifd_status ifd_param_check(const ifd_param *params, ifd_value *values, const char *what, const ifd_place *place,
                           ifd_note *note)
{
    ifd_status first = IFD_OK;
    for (int i = 0; params[i].name; i++) {
        ifd_status s;
        if (params[i].required && !values[i].given)
            s = ifd_note_add(note, IFD_MISSING_KEY, place, "%s needs '%s' (%s)", what, params[i].name,
                             params[i].doc ? params[i].doc : ifd_dimension_text(params[i].dim));
        else
            s = check_value(&params[i], &values[i], what, note);
        if (first == IFD_OK)
            first = s;
    }
    return first;
}
