/* SPDX-License-Identifier: MIT */
/* What the numbers of an entry say about the paper. Nothing else does. */
#include "reproduce.h"

#include <stdio.h>

bool check_holds(const check *c)
{
    if (isnan(c->found) || (isnan(c->low) && isnan(c->high)))
        return false;                                     /* a claim without a bound claims nothing */
    return !(c->found < c->low) && !(c->found > c->high); /* a bound that is NaN compares false */
}

tally tally_of(const outcome *o)
{
    tally t = {0};
    bool printed = false, other = false;
    for (int i = 0; i < o->checks; i++) {
        const check *c = &o->check[i];
        if (c->role == CHECK_PRINTED) {
            t.claims++;
            t.printed += printed = check_holds(c);
            other = false;
        } else if (c->role == CHECK_OTHERWISE && t.claims && !printed && !other && check_holds(c)) {
            other = true;
            t.otherwise++;
        }
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
                                       [NOT_MADE] = "could not be made"};
    return text[v];
}

void bound_print(char *out, int size, const check *c)
{
    if (isnan(c->low) && isnan(c->high))
        snprintf(out, (size_t)size, "(no bound)");
    else if (isnan(c->low))
        snprintf(out, (size_t)size, "at most %.7g", c->high);
    else if (isnan(c->high))
        snprintf(out, (size_t)size, "at least %.7g", c->low);
    else if (c->low < c->high)
        snprintf(out, (size_t)size, "%.7g to %.7g", c->low, c->high);
    else
        snprintf(out, (size_t)size, "%.6g", c->low);
}
