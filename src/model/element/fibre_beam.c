/* SPDX-License-Identifier: MIT */
/* Plane frame member with fibre sections of steel: force-based (fibre/member.h), or displacement-based.
 *
 * Coordinates: x, y and rotation of the first end, then of the second. Basic deformations v = (elongation, rotations
 * of both ends against the chord), basic forces p = (N, Mi, Mj).
 *
 * Displacement-based: d = B v with cubic shape functions, three Gauss points; p = L sum w B^T s, exact tangent.
 *
 * States: those of a force-based member; a displacement-based one leaves v_r, v and f as they are. Stored energy:
 * that of the elastic member under p. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/fibre/member.h"

enum { BASIC = 3, ENDS = 6, LAYERS = 64, GAUSS = 3 };

typedef struct beam {
    ifd__fibre_member member;
    ifd__steel steel;
    bool displacement;
    int layers;
    double c, s; /* cosine and sine of its direction */
} beam;

/* Abscissae and weights on [0, 1]: (1 -+ sqrt(3/5))/2. */
static const double gauss[GAUSS] = {0.11270166537925831148, 0.5, 0.88729833462074168852},
                    gauss_weight[GAUSS] = {5.0 / 18, 4.0 / 9, 5.0 / 18};

static const ifd_param params[] = {
    IFD_NEEDED("length", LENGTH, 1e-3, 1e4, "L, length", IFD_AT(beam, member.L)),
    IFD_OPTION("angle", ANGLE, -10, 10, 0, "direction from the first to the second end, from the x axis"),
    IFD_NEEDED("width", LENGTH, 1e-6, 1e3, "width of the section"),
    IFD_NEEDED("depth", LENGTH, 1e-6, 1e3, "depth of the section, in the plane"),
    IFD_OPTION("layers", NONE, 2, LAYERS, 10, "number of fibre layers", IFD_AT(beam, layers)),
    IFD_NEEDED("young", PRESSURE, 1e-3, 1e15, "E, Young's modulus", IFD_AT(beam, steel.k)),
    IFD_NEEDED("yield-stress", PRESSURE, 1e-6, 1e15, "fy, yield stress", IFD_AT(beam, steel.yield)),
    IFD__STEEL_SHAPE(1e-6, beam, steel),
    IFD_WORD("formulation", "force|displacement",
             "force-based (one element per member) or displacement-based (several)", IFD_AT(beam, displacement)),
    IFD_OPTION("shear-area", AREA, 0, 1e6, 0, "As, shear area of a force-based element; 0: no shear deformation"),
    IFD_OPTION("shear-modulus", PRESSURE, 0, 1e15, 0, "G, with shear-area; 0: E/2.6"),
    IFD_OPTION("passes", NONE, 1, 8, 2, "m, iterations of a force-based element per evaluation",
               IFD_AT(beam, member.passes)),
    IFD_OPTION("limit", NONE, 1e-12, 1, 1e-3,
               "largest error of these iterations after a step (rad, or relative to the length); a larger one puts a "
               "test on hold",
               IFD_AT(beam, member.limit)),
    {0}};

/* Deformations of a section are rows of the cubic shape functions: eps = v_1/L, kappa = b . v. */
static IFD_RT void displacement_based(const ifd__fibre_member *m, const double *s, const double *v, double *keep,
                                      double *p, double *K)
{
    memset(p, 0, BASIC * sizeof *p);
    memset(K, 0, BASIC * BASIC * sizeof *K);
    for (int i = 0; i < GAUSS; i++) {
        const double row[2][BASIC] = {{1.0 / m->L, 0.0, 0.0},
                                      {0.0, (6.0 * gauss[i] - 4.0) / m->L, (6.0 * gauss[i] - 2.0) / m->L}};
        const double d[2] = {row[0][0] * v[0], row[1][1] * v[1] + row[1][2] * v[2]}, weight = gauss_weight[i] * m->L;
        double force[2], k[IFD__SECTION_ENTRIES], *own = keep ? keep + ifd__fibre_point(m, i) : NULL;
        const int fibres = ifd__fibre_point(m, i + 1) - m->section->states;
        ifd__fibre_section_move(m->section, s + fibres, d, keep ? keep + fibres : NULL, force, k);
        if (own)
            memcpy(own, d, sizeof d);
        for (int a = 0; a < BASIC; a++) {
            double ka[2] = {k[0] * row[0][a] + k[1] * row[1][a], k[1] * row[0][a] + k[2] * row[1][a]};
            p[a] += weight * (row[0][a] * force[0] + row[1][a] * force[1]);
            for (int b = 0; b < BASIC; b++)
                K[a + b * BASIC] += weight * (ka[0] * row[0][b] + ka[1] * row[1][b]);
        }
    }
    if (keep)
        memcpy(keep, p, BASIC * sizeof *p);
}

static IFD_RT void respond(const beam *d, const double *s, const double *v, double *keep, double *p, double *K)
{
    if (d->displacement)
        displacement_based(&d->member, s, v, keep, p, K);
    else
        ifd__fibre_member_respond(&d->member, s, v, keep, p, K);
}

/* T: basic deformations over the coordinates. */
static IFD_RT void make_rows(const beam *d, double T[BASIC][ENDS])
{
    const double along[ENDS] = {-d->c, -d->s, 0.0, d->c, d->s, 0.0};
    const double chord[ENDS] = {d->s / d->member.L,  -d->c / d->member.L, 0.0,
                                -d->s / d->member.L, d->c / d->member.L,  0.0};
    for (int j = 0; j < ENDS; j++) {
        T[0][j] = along[j];
        T[1][j] = (j == 2) - chord[j];
        T[2][j] = (j == 5) - chord[j];
    }
}

static IFD_RT void basic(double T[BASIC][ENDS], const double *q, double v[BASIC])
{
    for (int i = 0; i < BASIC; i++) {
        v[i] = 0.0;
        for (int j = 0; j < ENDS; j++)
            v[i] += T[i][j] * q[j];
    }
}

static IFD_RT void eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const beam *d = e->data;
    double T[BASIC][ENDS], v[BASIC], p[BASIC], K[BASIC * BASIC];
    if (!out->r && !out->r_q)
        return;
    make_rows(d, T);
    basic(T, in->q, v);
    respond(d, in->s, v, NULL, p, K);
    for (int i = 0; i < ENDS; i++) {
        for (int a = 0; out->r && a < BASIC; a++)
            out->r[i] += T[a][i] * p[a];
        for (int j = 0; out->r_q && j < ENDS; j++)
            for (int a = 0; a < BASIC; a++)
                for (int b = 0; b < BASIC; b++)
                    out->r_q[i + j * ENDS] += T[a][i] * K[a + b * BASIC] * T[b][j];
    }
}

static IFD_RT void accept(const ifd_element *e, const ifd_element_in *in, double *s)
{
    const beam *d = e->data;
    double T[BASIC][ENDS], v[BASIC], p[BASIC], K[BASIC * BASIC];
    make_rows(d, T);
    basic(T, in->q, v);
    respond(d, in->s, v, s, p, K);
}

static IFD_RT void energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const beam *d = e->data;
    double T[BASIC][ENDS], v[BASIC], rate[BASIC], p[BASIC], K[BASIC * BASIC];
    make_rows(d, T);
    basic(T, in->q, v);
    basic(T, in->qd, rate);
    respond(d, in->s, v, NULL, p, K);
    ifd__fibre_member_energy(&d->member, p, K, rate, stored, dissipated);
}

/* What the passes left over. */
static IFD_RT double residual(const ifd_element *e, const double *s)
{
    const beam *d = e->data;
    return d->displacement ? 0.0 : ifd__fibre_member_residual(&d->member, s);
}

/* A reversal of any basic deformation. */
static void events(const ifd_element *e, const ifd_element_in *in, double *root)
{
    double T[BASIC][ENDS];
    make_rows(e->data, T);
    basic(T, in->qd, root);
}

static ifd_status make_section(const ifd_element *e, const ifd_value *values, beam *d, ifd_arena *arena)
{
    double depth = ifd__element_number(params, values, "depth");
    ifd__fibre fibre[LAYERS];
    ifd__fibre_section *section;
    const ifd__fibre_law law = {.kind = IFD__FIBRE_STEEL, .young = d->steel.k, .steel = d->steel};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(section, 1)));
    for (int j = 0; j < d->layers; j++)
        fibre[j] = (ifd__fibre){.y = depth * ((j + 0.5) / d->layers - 0.5),
                                .area = ifd__element_number(params, values, "width") * depth / d->layers};
    *section = (ifd__fibre_section){.size = 2, .fibres = d->layers, .laws = 1, .fibre = fibre, .law = &law};
    d->member.section = section;
    return ifd__fibre_section_make(arena, section);
}

static ifd_status read_shear(const ifd_element *e, const ifd_value *values, beam *d, ifd_note *note)
{
    const ifd_value *area = ifd_param_get(params, values, "shear-area"),
                    *modulus = ifd_param_get(params, values, "shear-modulus");
    double G = modulus->given ? modulus->number : d->steel.k / 2.6;
    if (!(area->number > 0.0))
        return IFD_OK;
    if (d->displacement || !(G > 0.0))
        return ifd_note_add(
            note, IFD_CONFLICT, &area->place,
            "element '%s' has 'shear-area' and %s; expected 'formulation: force' and a 'shear-modulus' "
            "above zero",
            e->name, d->displacement ? "'formulation: displacement'" : "no shear modulus");
    d->member.shear[0] = 1.0 / (G * area->number * d->member.L);
    return IFD_OK;
}

static ifd_status make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    double angle = ifd__element_number(params, values, "angle"), *s0;
    beam d = {.c = cos(angle), .s = sin(angle)};
    ifd_param_store(params, values, &d);
    d.steel.q_y = d.steel.yield / d.steel.k;
    d.member.points = d.displacement ? GAUSS : 5;
    if (e->nq != ENDS)
        return ifd_note_add(note, IFD_SHAPE, NULL,
                            "element '%s' has %d coordinates; expected 'at: [x, y, rotation of the first end, x, y, "
                            "rotation of the second end]'",
                            e->name, e->nq);
    IFD_TRY(read_shear(e, values, &d, note));
    IFD_TRY(make_section(e, values, &d, arena));
    e->ns = ifd__fibre_member_states(&d.member);
    e->nroot = BASIC;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s0, e->ns)));
    ifd__fibre_member_start(&d.member, s0);
    e->s0 = s0;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

const ifd_element_ops ifd__element_fibre_beam = {
    IFD__ELEMENT_OWN,
    .name = "fibre-beam",
    .summary = "a plane frame member of steel with fibre sections",
    .equation = "p = F^-1 (v - v_r) in a fixed number of passes; F = L sum w b^T f b; sections: (N, M) = sum A f (1, "
                "-y), e = eps0 - y kappa",
    .accept = accept,
    .residual = residual,
    .events = events,
    .flags = IFD_ELEMENT_SEVERAL | IFD_ELEMENT_ITERATE | IFD_ELEMENT_FIBRES,
};
