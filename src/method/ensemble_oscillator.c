/* SPDX-License-Identifier: MIT */
/* Ensembles of models with one dof: many steps by one kernel, whose state stays in registers. */
#include <string.h>

#include "algebra/solver_parts.h"
#include "method/ensemble_inside.h"
#include "method/tables.h"

enum { L = IFD__LANES };

static const ifd__rosenbrock_table *const table = &ifd__lsrt2_table;

/* The one direction of the ground motion; -1: none, or several. */
static int direction_of(const ifd__ensemble *e)
{
    int found = -1, count = 0;
    for (int d = 0; d < 3; d++)
        if (e->p[d]) {
            found = d;
            count++;
        }
    return count == 1 ? found : -1;
}

static bool law_of(const ifd__lane_element *e, ifd__oscillator_law *out)
{
    *out = e->law == LAW_SLIDER ? IFD__OSCILLATOR_SLIDER
           : e->power == 1.0    ? IFD__OSCILLATOR_BOUC_WEN_1
                                : IFD__OSCILLATOR_BOUC_WEN_2;
    return e->law == LAW_SLIDER || (e->law == LAW_BOUC_WEN && (e->power == 1.0 || e->power == 2.0));
}

static bool element_of(const ifd__ensemble *e, ifd__lane_oscillator *o)
{
    if (e->elements.count == 0)
        return true;
    const ifd__lane_element *el = &e->elements.element[0];
    const ifd__block *b = el->block;
    if (e->elements.count != 1 || b->nq != 1 || b->ns != 1 || e->B.start[1] != 1 || !law_of(el, &o->law))
        return false;
    o->B = e->B.value[0];
    o->Ke = b->K[0];
    o->N = el->inverse[0];
    o->rq = b->r_q[0];
    o->rv = b->r_v[0];
    o->rs = b->r_s[0];
    o->gq = b->g_q[0];
    o->gv = b->g_v[0];
    o->gs = b->g_s[0];
    o->Xq = b->X[0];
    o->Xv = b->X[1];
    return true;
}

/* False: the ensemble has another form. */
static bool oscillator_of(const ifd__ensemble *e, ifd__lane_oscillator *o)
{
    int d = direction_of(e);
    const ifd_solver *s = e->solver.solver;
    memset(o, 0, sizeof *o); /* compared as bytes */
    if (e->n != 1 || d < 0 || e->loaded || e->A.n || s->there.run || s->facts.kind != IFD__SOLVER_DIAGONAL ||
        e->K.start[1] != 1 || (e->damped && e->D.start[1] != 1) || !element_of(e, o))
        return false;
    o->step = e->step;
    o->damped = e->damped;
    o->alpha = table->alpha21;
    o->a = table->gamma21 * e->step.c;
    o->b2 = table->b2;
    o->K = e->K.value[0];
    o->D = e->damped ? e->D.value[0] : 0.0;
    o->p = e->p[d][0];
    o->inverse = s->a[0];
    return true;
}

int ifd__ensemble_oscillates(ifd__ensemble *const *e, int count)
{
    ifd__lane_oscillator first, other;
    if (!oscillator_of(e[0], &first) ||
        (count > 1 && (!oscillator_of(e[1], &other) || memcmp(&first, &other, sizeof first) != 0)))
        return -1;
    return direction_of(e[0]);
}

bool ifd__ensemble_oscillate(ifd__ensemble *const *e, int count, int steps, const ifd__lane_piece *piece)
{
    static const double none[5 * L];
    ifd__lane_oscillator o;
    ifd__lane_motion m[2] = {{0}};
    double x[2][4][L];
    (void)oscillator_of(e[0], &o);
    for (int k = 0; k < count; k++) {
        const double *from[3] = {e[k]->u, e[k]->v, e[k]->ns ? e[k]->elements.s : none};
        for (int i = 0; i < 3; i++)
            memcpy(x[k][i], from[i], sizeof x[k][i]);
        m[k] = (ifd__lane_motion){.u = x[k][0],
                                  .v = x[k][1],
                                  .z = x[k][2],
                                  .sum = x[k][3],
                                  .parameter = e[k]->ns ? e[k]->elements.element[0].parameter : none,
                                  .ground = piece[k].ground,
                                  .out = piece[k].out};
    }
    e[0]->kernels->oscillate(&o, steps, count, m);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < L; l++)
            if (piece[k].used[l] && !(x[k][3][l] <= piece[k].most))
                return false;
    for (int k = 0; k < count; k++) {
        memcpy(e[k]->u, x[k][0], sizeof x[k][0]);
        memcpy(e[k]->v, x[k][1], sizeof x[k][1]);
        if (e[k]->ns)
            memcpy(e[k]->elements.s, x[k][2], sizeof x[k][2]);
    }
    return true;
}
