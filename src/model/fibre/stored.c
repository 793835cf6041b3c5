/* SPDX-License-Identifier: MIT */
/* Fibre members as bytes: numbers of the member, fibres and laws of its section. */
#include "model/fibre/stored.h"

#include <string.h>

enum { STEEL = sizeof(ifd__steel) / sizeof(double), CONCRETE = sizeof(ifd__concrete) / sizeof(double) };
enum { POINTS = IFD__MULTILINEAR_POINTS, MOST_LAWS = IFD__SECTION_FIBRES };

static void put_law(const ifd__fibre_law *l, ifd__bytes *out)
{
    const ifd__multilinear *m = &l->multilinear;
    const int whole[] = {(int)l->kind, m->rule, m->points, m->below};
    const double number[] = {l->young, m->drag, m->k0};
    ifd__put_ints(out, sizeof whole / sizeof *whole, whole);
    ifd__put_doubles(out, sizeof number / sizeof *number, number);
    ifd__put_doubles(out, STEEL, &l->steel.k);
    ifd__put_doubles(out, CONCRETE, &l->concrete.f);
    ifd__put_doubles(out, POINTS + 1, m->q);
    ifd__put_doubles(out, POINTS + 1, m->r);
    ifd__put_doubles(out, POINTS, m->slider);
}

void ifd__fibre_member_put(const ifd__fibre_member *m, ifd__bytes *out)
{
    const ifd__fibre_section *c = m->section;
    const int whole[] = {c->size, c->fibres, c->laws, m->points, m->passes};
    const double number[] = {m->L, m->limit, m->shear[0], m->shear[1], m->load[0], m->load[1], m->load[2]};
    ifd__put_ints(out, sizeof whole / sizeof *whole, whole);
    ifd__put_doubles(out, sizeof number / sizeof *number, number);
    ifd__put_doubles(out, IFD__BASIC, m->joint);
    for (int i = 0; i < IFD__BASIC; i++)
        ifd__put_int(out, m->hinge[i]);
    for (int i = 0; i < c->fibres; i++) {
        ifd__put_doubles(out, 3, (const double[3]){c->fibre[i].y, c->fibre[i].z, c->fibre[i].area});
        ifd__put_int(out, c->fibre[i].law);
    }
    for (int i = 0; i < c->laws; i++)
        put_law(&c->law[i], out);
}

/* Exactly count numbers into an array; missing ones are bad. */
static void take_doubles(ifd__taking *in, size_t count, double *to)
{
    const double *x = ifd__take_doubles(in, count);
    in->bad = in->bad || !x;
    if (!in->bad)
        memcpy(to, x, count * sizeof *to);
}

static void take_law(ifd__taking *in, ifd__fibre_law *l)
{
    ifd__multilinear *m = &l->multilinear;
    const int *whole = ifd__take_ints(in, 4, 0, POINTS);
    double number[3] = {0.0};
    in->bad = in->bad || !whole || whole[0] > IFD__FIBRE_MULTILINEAR || whole[1] > IFD__MULTILINEAR_GAPPING;
    if (in->bad)
        return;
    l->kind = (ifd__fibre_kind)whole[0];
    m->rule = whole[1];
    m->points = whole[2];
    m->below = whole[3];
    take_doubles(in, 3, number);
    l->young = number[0];
    m->drag = number[1];
    m->k0 = number[2];
    take_doubles(in, STEEL, &l->steel.k);
    take_doubles(in, CONCRETE, &l->concrete.f);
    take_doubles(in, POINTS + 1, m->q);
    take_doubles(in, POINTS + 1, m->r);
    take_doubles(in, POINTS, m->slider);
}

static void take_section(ifd__taking *in, ifd__fibre_section *c)
{
    ifd__fibre *fibre = ifd_arena_array(in->arena, (size_t)c->fibres, sizeof *fibre);
    ifd__fibre_law *law = ifd_arena_array(in->arena, (size_t)c->laws, sizeof *law);
    in->bad = in->bad || !fibre || !law;
    for (int i = 0; i < c->fibres && !in->bad; i++) {
        double number[3] = {0.0};
        take_doubles(in, 3, number);
        fibre[i] = (ifd__fibre){number[0], number[1], number[2], (int)ifd__take_int(in, 0, c->laws - 1)};
    }
    for (int i = 0; i < c->laws && !in->bad; i++)
        take_law(in, &law[i]);
    c->fibre = fibre;
    c->law = law;
    in->bad = in->bad || ifd__fibre_section_make(in->arena, c) != IFD_OK;
}

const ifd_element_ops *ifd__fibre_member_take(ifd__taking *in)
{
    const int *whole = ifd__take_ints(in, 5, 1, MOST_LAWS);
    ifd__fibre_section *section = ifd_arena_take(in->arena, sizeof *section);
    double number[7] = {0.0};
    in->bad = in->bad || !whole || !section || whole[0] < 2 || whole[0] > IFD__SECTION_FORCES || whole[3] < 3 ||
              whole[3] > IFD__FIBRE_POINTS;
    if (in->bad)
        return NULL;
    *section = (ifd__fibre_section){.size = whole[0], .fibres = whole[1], .laws = whole[2]};
    ifd__fibre_member m = {.section = section, .points = whole[3], .passes = whole[4]};
    take_doubles(in, 7, number);
    m.L = number[0];
    m.limit = number[1];
    memcpy(m.shear, number + 2, sizeof m.shear);
    memcpy(m.load, number + 4, sizeof m.load);
    take_doubles(in, IFD__BASIC, m.joint);
    for (int i = 0; i < IFD__BASIC; i++)
        m.hinge[i] = ifd__take_int(in, 0, 1) != 0;
    take_section(in, section);
    return in->bad ? NULL : ifd__fibre_member_ops(in->arena, &m);
}
