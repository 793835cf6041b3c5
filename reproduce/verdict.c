/* SPDX-License-Identifier: MIT */
/* The verdict on a figure, from its numbers alone. */
#include "reproduce.h"

#include <stdio.h>
#include <string.h>

#define AGREEMENT 0.05
#define SPECTRAL (1 + 1e-6)

static const struct {
    const char *name, *text;
    double low, high;
} rules[RULES] = {
    [YES] = {"yes", "the statement is true", 1, 1},
    [STABLE] = {"stable",
                "a spectral radius, or ratio of the energy after a step to that before it, of at most 1 + 1e-6", NONE,
                SPECTRAL},
    [UNSTABLE] = {"unstable", "a spectral radius above 1 + 1e-6", SPECTRAL, NONE},
    [AGREES] = {"agrees",
                "a difference, or a deviation from zero, of at most 5 % of the peak or of the root mean square", NONE,
                AGREEMENT},
    [LESS] = {"less", "a ratio of at most 1", NONE, 1},
    [MORE] = {"more", "a ratio of at least 1", 1, NONE},
    [ORDER] = {"order", "at least the order of convergence minus 0.1", 0, 0},
    [NUMBER] = {"number", "a number of the paper, within half a unit of its last digit or 5 %, whichever is larger",
                0, 0},
    [PRINTED] = {"printed", "a bound given in the paper", 0, 0},
    [READING] = {"reading", "a bound chosen here as an interpretation of the statement", 0, 0},
};

const char *rule_name(rule r)
{
    return r < RULES ? rules[r].name : NULL;
}

const char *rule_text(rule r)
{
    return r < RULES ? rules[r].text : NULL;
}

void bounds_of(const sentence *r, double *low, double *high)
{
    bool own = r->rule == PRINTED || r->rule == READING;
    *low = own ? r->low : rules[r->rule].low;
    *high = own ? r->high : rules[r->rule].high;
    if (r->rule == ORDER) {
        *low = r->low - 0.1;
        *high = NONE;
    }
    if (r->rule == NUMBER) {
        double slack = larger(r->high, AGREEMENT * fabs(r->low));
        *low = r->low - slack;
        *high = r->low + slack;
    }
}

bool holds(const sentence *r, double value)
{
    double low, high;
    bounds_of(r, &low, &high);
    if (isnan(value) || (isnan(low) && isnan(high)))
        return false;                         /* a claim without a bound cannot hold */
    return !(value < low) && !(value > high); /* a bound that is NaN compares false */
}

/* The list of figures holds this one as a word. */
bool sentence_of(const sentence *r, const char *figure)
{
    size_t n = strlen(figure);
    for (const char *p = r->figures; (p = strstr(p, figure)); p += n)
        if ((p == r->figures || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return true;
    return false;
}

void outcome_init(outcome *o, const char *figure)
{
    for (const sentence *r = sentences; r->figures && o->claims < MOST_CLAIMS; r++)
        if (sentence_of(r, figure))
            o->claim[o->claims++] = (claim){.row = r, .found = (double)NAN};
}

/* The trial that satisfies a claim which does not hold with the settings of the paper; NULL: none. */
static const trial *answer_of(const outcome *o, int c)
{
    for (int i = 0; i < o->trials; i++)
        if (o->trial[i].claim == c && holds(o->claim[c].row, o->trial[i].found))
            return &o->trial[i];
    return NULL;
}

tally tally_of(const outcome *o)
{
    tally t = {.claims = o->claims};
    for (int i = 0; i < o->claims; i++) {
        bool printed = holds(o->claim[i].row, o->claim[i].found);
        t.printed += printed;
        t.otherwise += !printed && answer_of(o, i);
    }
    return t;
}

verdict verdict_of(const outcome *o)
{
    tally t = tally_of(o);
    if (o->state != OUTCOME_DONE || t.claims == 0)
        return NOT_MADE;
    if (t.printed + t.otherwise < t.claims)
        return NOT_REPRODUCED;
    return t.otherwise || o->changes ? REPRODUCED_OTHERWISE : REPRODUCED;
}

const char *verdict_text(verdict v)
{
    static const char *const text[] = {[REPRODUCED] = "reproduced",
                                       [REPRODUCED_OTHERWISE] = "reproduced with a different setting",
                                       [NOT_REPRODUCED] = "not reproduced",
                                       [NOT_MADE] = "could not be computed"};
    return text[v];
}

static void append(char *out, size_t size, const char *text, int *parts)
{
    size_t n = strlen(out);
    if (n < size)
        snprintf(out + n, size - n, "%s%s", (*parts)++ ? "; " : ": ", text);
}

void verdict_print(char *out, size_t size, const outcome *o)
{
    int parts = 0;
    verdict v = verdict_of(o);
    snprintf(out, size, "%s", verdict_text(v));
    for (int i = 0; i < o->claims && v == NOT_REPRODUCED; i++)
        if (!holds(o->claim[i].row, o->claim[i].found) && !answer_of(o, i))
            append(out, size, o->claim[i].row->key, &parts);
    for (int i = 0; i < o->claims && v == REPRODUCED_OTHERWISE; i++) {
        const trial *t = holds(o->claim[i].row, o->claim[i].found) ? NULL : answer_of(o, i);
        if (t && !strstr(out, t->setting)) /* one setting may satisfy several claims */
            append(out, size, t->setting, &parts);
    }
    for (int i = 0; i < o->changes && v == REPRODUCED_OTHERWISE; i++)
        append(out, size, o->change[i], &parts);
}

void bound_print(char *out, int size, const sentence *r)
{
    double low, high;
    bounds_of(r, &low, &high);
    if (isnan(low) && isnan(high))
        snprintf(out, (size_t)size, "(no bound)");
    else if (isnan(low))
        snprintf(out, (size_t)size, "at most %.7g", high);
    else if (isnan(high))
        snprintf(out, (size_t)size, "at least %.7g", low);
    else if (low < high)
        snprintf(out, (size_t)size, "%.7g to %.7g", low, high);
    else
        snprintf(out, (size_t)size, "%.6g", low);
}

void deviation_print(char *out, int size, const sentence *r, double value)
{
    double low, high;
    bounds_of(r, &low, &high);
    double bound = value < low ? low : high; /* the bound that is not kept */
    if (!isfinite(value))
        snprintf(out, (size_t)size, "not finite");
    else if (r->rule == NUMBER && r->low != 0)
        snprintf(out, (size_t)size, "%+.2g %%", 100 * (value - r->low) / fabs(r->low));
    else if (r->rule == NUMBER || r->rule == ORDER)
        snprintf(out, (size_t)size, "%+.2g", value - r->low);
    else if (holds(r, value))
        snprintf(out, (size_t)size, "none");
    else if (r->rule == YES)
        snprintf(out, (size_t)size, "not true");
    else if (bound != 0)
        snprintf(out, (size_t)size, "%+.2g %%", 100 * (value - bound) / fabs(bound));
    else
        snprintf(out, (size_t)size, "%+.2g", value);
}

bool printed_print(char *out, int size, const sentence *r)
{
    bool printed = r->rule == NUMBER || r->rule == PRINTED || r->rule == ORDER;
    if (r->rule == PRINTED)
        bound_print(out, size, r);
    else if (printed)
        snprintf(out, (size_t)size, r->rule == ORDER ? "order %g" : "%g", r->low);
    return printed;
}

double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

double smaller(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

double odder(double a, double b)
{
    return isnan(a) || fabs(log(fabs(a))) > fabs(log(fabs(b))) ? a : b;
}
