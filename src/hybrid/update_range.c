/* SPDX-License-Identifier: MIT */
/* Ranges that updates of the parameters of copies cannot leave. */
#include <math.h>
#include <string.h>

#include "hybrid/update.h"

int ifd__update_element(const ifd_model *m, const char *name)
{
    for (int e = 0; e < m->ne; e++)
        if (strcmp(m->element[e].name, name) == 0)
            return e;
    return -1;
}

void ifd__update_range(const ifd__law *law, const double *p0, double range, double *low, double *high)
{
    for (int i = 0; i < law->params; i++) {
        low[i] = fmin(1.0, fmax(1.0 / range, law->least[i] / p0[i]));
        high[i] = fmax(1.0, fmin(range, law->most[i] / p0[i]));
    }
}

/* The stiffness at rest is monotone in every parameter. */
double ifd__update_corner(const ifd_model *m, const ifd_identify_options *o, bool stiffest, double *deviation)
{
    int e = m && o->copies > 0 ? ifd__update_element(m, o->copy[0]) : -1;
    const ifd__law *law = e < 0 ? NULL : ifd__law_of(m->element[e].ops);
    double p0[IFD__LAW_NUMBERS], low[IFD__LAW_PARAMS], high[IFD__LAW_PARAMS], found = (double)NAN;
    if (!law || m->element[e].ops != law->updated)
        return (double)NAN;
    ifd__law_start(&m->element[e], p0);
    ifd__update_range(law, p0, o->range, low, high);
    double start = ifd__law_stiffness(law, p0);
    for (int corner = 0; corner < 1 << law->params; corner++) {
        double p[IFD__LAW_NUMBERS], stiffness;
        memcpy(p, p0, sizeof p);
        for (int i = 0; i < law->params; i++)
            p[i] *= corner >> i & 1 ? high[i] : low[i];
        stiffness = ifd__law_stiffness(law, p) / start;
        if (found == found && (stiffest ? stiffness <= found : stiffness >= found))
            continue;
        found = stiffness;
        for (int i = 0; i < law->params; i++)
            deviation[i] = (corner >> i & 1 ? high[i] : low[i]) - 1.0;
    }
    return found;
}
