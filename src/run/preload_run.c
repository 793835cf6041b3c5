/* SPDX-License-Identifier: MIT */
/* Brings the structure of a run to its preloaded equilibrium. */
#include "run/preload_run.h"

#include <math.h>
#include <string.h>

#include "substructure/preload.h"

enum { CORRECTIONS = 500, STEPS = 200 };

/* Many steps of 1 s each, so that forces that depend on velocity vanish. */
static void bring(ifd_run *r, int k, double d)
{
    double *x = r->x + r->rig_at[k];
    ifd__ideal_begin(&r->rig[k], -STEPS, 0.0, 0.0, x);
    for (int i = 1; i <= STEPS; i++)
        ifd__ideal_command(&r->rig[k], i - STEPS, d * i / STEPS, 0.0, x);
}

static ifd_status make(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd__preload **out, ifd_note *note)
{
    int *end = ifd_arena_array(arena, 2 * (size_t)r->specimens, sizeof *end);
    if (!end)
        return IFD_NO_MEMORY;
    for (int k = 0; k < r->specimens; k++) {
        end[k] = r->specimen[k].from;
        end[r->specimens + k] = r->specimen[k].to;
    }
    const ifd__preload of = {.m = opt->model, .channels = r->specimens, .from = end, .to = end + r->specimens};
    return ifd__preload_make(arena, &of, &opt->step, out, note);
}

ifd_status ifd__preload_run(ifd_run *r, ifd_arena *arena, const ifd_run_options *opt, ifd_note *note)
{
    ifd__preload *p;
    double *f = ifd_arena_array(arena, (size_t)r->specimens, sizeof *f), *u = r->x;
    if (!f)
        return IFD_NO_MEMORY;
    IFD_TRY(make(r, arena, opt, &p, note));
    const ifd_model *m = p->m;
    memcpy(u, p->u, (size_t)m->n * sizeof *u);
    for (int i = 0; i < CORRECTIONS; i++) {
        double change = 0.0, size = 0.0;
        for (int k = 0; k < r->specimens; k++) {
            bring(r, k, ifd__preload_deformation(p, k, u));
            f[k] = (r->specimen[k].factor > 0.0 ? r->specimen[k].factor : 1.0) * ifd__run_specimen(r, k)->f;
        }
        ifd__preload_correct(p, u, f);
        for (int j = 0; j < m->n; j++) {
            u[j] += p->du[j];
            change = fmax(change, fabs(p->du[j]));
            size = fmax(size, fabs(u[j]));
        }
        if (change <= 1e-13 * size) {
            if (m->ns)
                memcpy(u + 2 * m->n, p->e.rest.s, (size_t)m->ns * sizeof *u);
            return IFD_OK;
        }
    }
    ifd_note_add(note, IFD_DIVERGED, NULL,
                 "preload: no static equilibrium of the structure with its specimens was found");
    ifd_note_hint(note, "estimate the stiffness of each specimen by more than half of its actual stiffness: "
                        "then the iteration converges");
    return IFD_DIVERGED;
}
