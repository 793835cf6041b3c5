/* SPDX-License-Identifier: MIT */
/* Reads quantities with units. */
#include "text/units.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct unit_row {
    const char *name;
    const char *prefixes; /* letters of the permitted SI prefixes */
    ifd__unit unit;
} unit_row;

/* Exact names have priority over prefix and name: min is a minute, not a milli-inch. */
static const unit_row units[] = {
    {"m", "kcmun", {1, 1, 0, 0, 0, 0}},
    {"in", "", {0.0254, 1, 0, 0, 0, 0}},
    {"ft", "", {0.3048, 1, 0, 0, 0, 0}},
    {"kg", "", {1, 0, 1, 0, 0, 0}},
    {"t", "", {1000, 0, 1, 0, 0, 0}},
    {"Mg", "", {1000, 0, 1, 0, 0, 0}},
    {"lb", "", {0.45359237, 0, 1, 0, 0, 0}},
    {"s", "mun", {1, 0, 0, 1, 0, 0}},
    {"min", "", {60, 0, 0, 1, 0, 0}},
    {"h", "", {3600, 0, 0, 1, 0, 0}},
    {"Hz", "kMm", {1, 0, 0, -1, 0, 1}},
    {"rad", "m", {1, 0, 0, 0, 1, 0}},
    {"deg", "", {PI / 180, 0, 0, 0, 1, 0}},
    {"rev", "", {2 * PI, 0, 0, 0, 1, 0}},
    {"rpm", "", {2 * PI / 60, 0, 0, -1, 1, 0}},
    {"%", "", {0.01, 0, 0, 0, 0, 0}},
    {"g", "", {9.80665, 1, 0, -2, 0, 0}},
    {"Gal", "", {0.01, 1, 0, -2, 0, 0}},
    {"gal", "", {0.01, 1, 0, -2, 0, 0}},
    {"N", "kMGm", {1, 1, 1, -2, 0, 0}},
    {"Nm", "kMm", {1, 2, 1, -2, 0, 0}},
    {"Ns", "kM", {1, 1, 1, -1, 0, 0}},
    {"lbf", "", {4.4482216152605, 1, 1, -2, 0, 0}},
    {"kip", "", {4448.2216152605, 1, 1, -2, 0, 0}},
    {"Pa", "kMG", {1, -1, 1, -2, 0, 0}},
    {"bar", "m", {1e5, -1, 1, -2, 0, 0}},
    {"psi", "", {6894.757293168361, -1, 1, -2, 0, 0}},
    {"ksi", "", {6894757.293168361, -1, 1, -2, 0, 0}},
    {"J", "kM", {1, 2, 1, -2, 0, 0}},
    {"W", "kM", {1, 2, 1, -3, 0, 0}},
};

static const char spelled[] =
    "m|cm|mm|km|in|ft|kg|t|s|ms|us|Hz|kHz|rad|deg|rpm|%|g|N|kN|MN|Pa|kPa|MPa|GPa|J|kJ|N m|kN m|"
    "N/m|kN/m|MN/m|N/mm|kN/mm|N s/m|kN s/m|m/s|m/s2|cm/s2|mm/s|in/s2|rad/s|kg/m3|t/m3|kg m2|m2|m4|lbf|kip";

static double prefix_factor(char letter)
{
    static const double factor[128] = {
        ['n'] = 1e-9, ['u'] = 1e-6, ['m'] = 1e-3, ['c'] = 1e-2, ['k'] = 1e3, ['M'] = 1e6, ['G'] = 1e9};
    return factor[letter & 127];
}

static bool unit_find(const char *name, size_t length, ifd__unit *out)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && strncmp(units[i].name, name, length) == 0) {
            *out = units[i].unit;
            return true;
        }
    for (size_t i = 0; length > 1 && i < sizeof units / sizeof *units; i++)
        if (strchr(units[i].prefixes, name[0]) && strlen(units[i].name) == length - 1 &&
            strncmp(units[i].name, name + 1, length - 1) == 0) {
            *out = units[i].unit;
            out->factor *= prefix_factor(name[0]);
            return true;
        }
    return false;
}

static void multiply(ifd__unit *a, const ifd__unit *b, int power)
{
    double f = 1;
    for (int i = 0; i < abs(power); i++)
        f *= b->factor;
    a->factor = power < 0 ? a->factor / f : a->factor * f;
    a->m += power * b->m;
    a->kg += power * b->kg;
    a->s += power * b->s;
    a->rad += power * b->rad;
    a->cycle += power * b->cycle;
}

/* Replaces pasted characters by ASCII: superscripts, middle dot, micro, degree. False if the text does not fit. */
static bool plain(const char *text, char *out, size_t size)
{
    static const char *const pair[][2] = {{"²", "2"}, {"³", "3"}, {"⁴", "4"}, {"⁻", "^-"}, {"¹", "1"},
                                          {"·", " "}, {"µ", "u"}, {"μ", "u"}, {"°", "deg"}};
    size_t n = 0;
    while (*text) {
        const char *put = NULL;
        for (size_t i = 0; i < sizeof pair / sizeof *pair && !put; i++)
            if (strncmp(text, pair[i][0], strlen(pair[i][0])) == 0) {
                put = pair[i][1];
                text += strlen(pair[i][0]);
            }
        char one[2] = {put ? '\0' : *text, '\0'};
        if (!put)
            text++;
        const char *from = put ? put : one;
        if (n + strlen(from) + 1 > size)
            return false;
        memcpy(out + n, from, strlen(from));
        n += strlen(from);
    }
    out[n] = '\0';
    return true;
}

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '*')
        (*at)++;
}

/* An exponent after a unit: 2, ^2, ^-1, -1; 1 without one. */
static bool read_power(const char **at, int *power)
{
    const char *p = *at;
    bool marked = *p == '^', negative;
    p += marked;
    negative = *p == '-';
    p += negative;
    if (!isdigit((unsigned char)*p)) {
        *power = 1;
        return !marked && !negative;
    }
    *power = *p++ - '0';
    if (isdigit((unsigned char)*p))
        return false;
    *power = negative ? -*power : *power;
    *at = p;
    return true;
}

static bool read_product(const char **at, ifd__unit *out, int depth);

/* One unit with its exponent, or an expression in brackets. */
static bool read_factor(const char **at, ifd__unit *out, int *power, int depth)
{
    if (**at == '(') {
        (*at)++;
        if (depth >= 2 || !read_product(at, out, depth + 1) || **at != ')')
            return false;
        (*at)++;
        return read_power(at, power);
    }
    size_t length = 0;
    while (isalpha((unsigned char)(*at)[length]) || (*at)[length] == '%')
        length++;
    if (**at == '1' && length == 0) { /* as in 1/s */
        (*at)++;
        *out = (ifd__unit){.factor = 1};
        *power = 1;
        return true;
    }
    if (length == 0 || !unit_find(*at, length, out))
        return false;
    *at += length;
    return read_power(at, power);
}

static bool read_product(const char **at, ifd__unit *out, int depth)
{
    *out = (ifd__unit){.factor = 1};
    bool divide = false;
    for (skip_blanks(at); **at && **at != ')'; skip_blanks(at)) {
        ifd__unit one;
        int power;
        if (!read_factor(at, &one, &power, depth))
            return false;
        multiply(out, &one, divide ? -power : power);
        skip_blanks(at);
        divide = **at == '/';
        *at += divide;
        skip_blanks(at);
        if (divide && (!**at || **at == ')'))
            return false;
    }
    return true;
}

bool ifd__unit_parse(const char *text, ifd__unit *out, char *bad)
{
    char buffer[64];
    const char *at = buffer;
    bad[0] = '\0';
    if (!plain(text, buffer, sizeof buffer)) {
        snprintf(bad, 32, "%.31s", text);
        return false;
    }
    if (read_product(&at, out, 0) && *at == '\0')
        return true;
    size_t length = strcspn(at, " /*()");
    snprintf(bad, 32, "%.*s", length ? (int)length : 31, at);
    return false;
}

static const ifd__unit dimensions[] = {
#define ROW(name, text, m, kg, s, units) {1, m, kg, s, 0, 0},
    IFD_DIMENSION_LIST(ROW)
#undef ROW
};

bool ifd__unit_fits(const ifd__unit *u, ifd_dimension dim, double *factor)
{
    *factor = u->factor;
    if (dim == IFD_DIM_ANY)
        return true;
    const ifd__unit *d = &dimensions[dim];
    if (u->m != d->m || u->kg != d->kg || u->s != d->s)
        return false;
    if (dim == IFD_DIM_FREQUENCY && u->rad == 1)
        *factor /= 2 * PI;
    if (dim == IFD_DIM_ANGULAR_RATE && u->cycle == 1)
        *factor *= 2 * PI;
    return true;
}

/* A number of at most 15 digits times a power of ten up to 22: both are exact, so that one operation gives the double
 * nearest to the text (Clinger 1990), much faster than strtod. False: another one. */
static bool short_number(const char *text, double *out)
{
    static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool minus = *text == '-';
    int64_t whole = 0;
    int digits = 0, decimals = 0, exponent = 0;
    bool dot = false;
    for (text += minus || *text == '+'; *text && *text != 'e'; text++) {
        bool digit = isdigit((unsigned char)*text);
        dot = dot || !digit;
        digits += digit && (whole || *text != '0');
        decimals += digit && dot;
        if (digits > 15 || decimals > 60)
            return false;
        whole = digit ? 10 * whole + (*text - '0') : whole;
    }
    if (*text)
        exponent = atoi(text + 1);
    exponent -= decimals;
    if (exponent < -22 || exponent > 22)
        return false;
    double size = exponent < 0 ? (double)whole / power[-exponent] : (double)whole * power[exponent];
    *out = minus ? -size : size;
    return true;
}

bool ifd__number_read(const char **at, const char *limit, double *out)
{
    char buffer[64];
    size_t n = 0, digits = 0;
    const char *p = *at;
    bool dot = false;
    char *point = NULL;
    if (p < limit && (*p == '+' || *p == '-'))
        buffer[n++] = *p++;
    for (; p < limit && n < sizeof buffer - 8 && (isdigit((unsigned char)*p) || (*p == '.' && !dot)); p++) {
        dot = dot || *p == '.';
        point = *p == '.' ? &buffer[n] : point;
        digits += *p != '.';
        buffer[n++] = *p;
    }
    if (digits == 0)
        return false;
    const char *e = p;
    if (e < limit && strchr("eEdD", *e) && *e) {
        size_t m = n;
        buffer[m++] = 'e';
        e++;
        if (e < limit && (*e == '+' || *e == '-'))
            buffer[m++] = *e++;
        for (size_t k = m; e < limit && isdigit((unsigned char)*e) && n < k + 5 && m < sizeof buffer - 1; e++) {
            buffer[m++] = *e;
            n = m;
            p = e + 1;
        }
    }
    buffer[n] = '\0';
    *at = p;
    if (short_number(buffer, out))
        return true;
    if (point)
        *point = localeconv()->decimal_point[0];
    *out = strtod(buffer, NULL);
    return true;
}

/* Division by 1000 gives the double nearest to the decimal number (3 ms = 0.003); multiplication by 0.001 may not. */
static double scaled(double number, double factor)
{
    double inverse = round(1 / factor);
    if (factor < 1 && fabs(inverse * factor - 1) < 1e-15)
        return number / inverse;
    return number * factor;
}

bool ifd__number_not_finite(const char *first, const char *last)
{
    first += first < last && (*first == '+' || *first == '-');
    first += first < last && *first == '.';
    return last - first >= 3 && (strncasecmp(first, "nan", 3) == 0 || strncasecmp(first, "inf", 3) == 0);
}

static const char *name_of(const ifd__unit *u)
{
    for (int d = 0; d < IFD_DIM_ANY; d++)
        if (u->m == dimensions[d].m && u->kg == dimensions[d].kg && u->s == dimensions[d].s)
            return ifd_dimension_text((ifd_dimension)d);
    return "a quantity";
}

static ifd_status wrong_unit(const char *unit, const char *bad, ifd_dimension dim, const char *what,
                             const ifd_place *place, ifd_note *note)
{
    char near[32];
    ifd_note_add(note, IFD_UNIT, place, "%s: unknown unit '%s', expected %s (%s)", what, bad, ifd_dimension_text(dim),
                 ifd_dimension_units(dim));
    if (ifd_choice_nearest(spelled, unit, near, sizeof near) || ifd_choice_nearest(spelled, bad, near, sizeof near))
        ifd_note_hint(note, "did you mean '%s'?", near);
    return IFD_UNIT;
}

static ifd_status wrong_dimension(const ifd__unit *u, const char *unit, ifd_dimension dim, const char *what,
                                  const ifd_place *place, ifd_note *note)
{
    ifd_note_add(note, IFD_UNIT, place, "%s: found %s (%s), expected %s (%s)", what, name_of(u), unit,
                 ifd_dimension_text(dim), ifd_dimension_units(dim));
    if (strcmp(unit, "g") == 0)
        ifd_note_hint(note, "'g' is the acceleration of gravity, 9.80665 m/s2; masses are in kg or t");
    return IFD_UNIT;
}

ifd_status ifd__quantity_read(const char *text, ifd_dimension dim, const char *what, const ifd_place *place,
                              double *out, ifd_note *note)
{
    const char *at = text + strspn(text, " \t"), *limit = at + strlen(at);
    char bad[32];
    ifd__unit u;
    double number, factor;
    if (ifd__number_not_finite(at, limit))
        return ifd_note_add(note, IFD_NOT_FINITE, place, "%s: '%s' is not a finite number", what, text);
    if (!ifd__number_read(&at, limit, &number))
        return ifd_note_add(note, IFD_NUMBER, place, "%s: found '%.60s', expected %s%s%s%s", what, text,
                            ifd_dimension_text(dim), dim ? " (" : "", dim ? ifd_dimension_units(dim) : "",
                            dim ? ")" : "");
    if (at[0] == ',' && isdigit((unsigned char)at[1]))
        return ifd_note_add(note, IFD_NUMBER, place, "%s: found '%.60s', expected a decimal point, not a comma", what,
                            text);
    at += strspn(at, " \t");
    if (!ifd__unit_parse(at, &u, bad))
        return wrong_unit(at, bad, dim, what, place, note);
    if (*at == '\0')
        factor = 1; /* a number without unit is in SI units */
    else if (!ifd__unit_fits(&u, dim, &factor))
        return wrong_dimension(&u, at, dim, what, place, note);
    *out = scaled(number, factor);
    if (!isfinite(*out))
        return ifd_note_add(note, IFD_NOT_FINITE, place, "%s: '%.60s' is too large for a number", what, text);
    return IFD_OK;
}

ifd_status ifd_quantity_read(const char *text, ifd_dimension dim, const char *what, double *out, ifd_note *note)
{
    return ifd__quantity_read(text, dim, what, NULL, out, note);
}

static ifd_status read_flag(const char *text, const char *what, ifd_value *out, ifd_note *note)
{
    int i = ifd_choice_find("no|yes|false|true|off|on", text);
    if (i >= 0) {
        *out = ifd_flag(i % 2);
        return IFD_OK;
    }
    return ifd_note_add(note, IFD_UNKNOWN_CHOICE, NULL, "%s: found '%.60s', expected yes or no", what, text);
}

ifd_status ifd_param_read(const ifd_param *p, const char *text, const char *what, ifd_value *out, ifd_note *note)
{
    double number;
    switch (p->shape) {
    case IFD_SHAPE_SCALAR:
        IFD_TRY(ifd_quantity_read(text, p->dim, what, &number, note));
        *out = ifd_number(number);
        return IFD_OK;
    case IFD_SHAPE_CHOICE:
        if (ifd_choice_find(p->words, text) < 0 && strpbrk(text, "0123456789")) {
            IFD_TRY(ifd_quantity_read(text, p->dim, what, &number, note));
            *out = ifd_number(number);
            return IFD_OK;
        }
        *out = ifd_word(text); /* the parameter check lists the permitted words */
        return IFD_OK;
    case IFD_SHAPE_FLAG:
        return read_flag(text, what, out, note);
    case IFD_SHAPE_LIST:
    case IFD_SHAPE_MATRIX:
        return ifd_note_add(note, IFD_SHAPE, NULL, "%s: '%s' is a list; lists are possible in a case file only", what,
                            p->name);
    case IFD_SHAPE_WORD:
    case IFD_SHAPE_TEXT:
        break;
    }
    *out = ifd_word(text);
    return IFD_OK;
}
