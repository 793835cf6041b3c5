/* SPDX-License-Identifier: MIT */
/* Duration of the responses of members with fibres on this machine. Set-up only. */
#include <interfield/model.h>

#include <string.h>

#include "base/arena.h"
#include "base/os_linux.h"
#include "model/fibre/element.h"
#include "model/model.h"

enum { MEASURED = 5000000, BATCH = 16 }; /* ns */

/* Response of one member to small motions (s), the shortest mean of a batch; 0: no memory. */
static double response_time(const ifd__fibre_member *f, const double *s)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    double *now = scratch ? ifd__arena_copy(scratch, s, ifd__fibre_member_states(f), sizeof *now) : NULL;
    double v[IFD__BASIC], p[IFD__BASIC], K[IFD__BASIC * IFD__BASIC];
    int64_t begin = ifd__clock_now(), least = INT64_MAX, from;
    while (now && (from = ifd__clock_now()) - begin < MEASURED) {
        for (int i = 0; i < BATCH; i++) {
            for (int d = 0; d < ifd__fibre_basic(f); d++)
                v[d] = now[2 * ifd__fibre_basic(f) + d] + (i % 2 ? 1e-6 : -1e-6);
            ifd__fibre_member_respond(f, now, v, NULL, p, K);
        }
        int64_t passed = ifd__clock_now() - from;
        least = passed < least ? passed : least;
    }
    return now ? 1e-9 * (double)least / BATCH : 0.0;
}

bool ifd_model_fibre_cost(const ifd_model *m, ifd_fibre_cost *out)
{
    *out = (ifd_fibre_cost){.members = 0};
    const ifd__fibre_member *last = NULL;
    double each = 0.0;
    for (int e = 0; e < m->ne; e++) {
        const ifd__fibre_member *f = ifd__fibre_member_of(&m->element[e]);
        if (!f)
            continue;
        bool measured = last && last->section == f->section && last->points == f->points && last->passes == f->passes;
        each = measured ? each : response_time(f, m->s0 + m->s_of[e]);
        last = f;
        out->members++;
        out->coordinates += ifd__fibre_basic(f);
        out->evaluations += 2.0 * f->passes * f->points * f->section->fibres;
        out->duration += 2.0 * each;
    }
    return out->members > 0;
}
