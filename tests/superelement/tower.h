/* SPDX-License-Identifier: MIT */
/* A space frame of concrete, Rayleigh damped, with the six dofs of a node in its middle as the interface and three
 * directions of ground motion as inputs. Include check.h and fixture.h before. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include <interfield/structures.h>

#include "model/model.h"
#include "superelement/superelement.h"

enum { TOWER_INTERFACES = 6, TOWER_INPUTS = 3 };

typedef struct tower {
    ifd_model *m;
    int interface[TOWER_INTERFACES + 2];
    double *input;
    ifd__linear_structure of;
} tower;

static int tower_dof(const ifd_model *m, const char *node, const char *kind)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", node, kind);
    int i = ifd_model_find_dof(m, name);
    assert_true(i >= 0);
    return i;
}

__attribute__((unused)) static const ifd_signal *sine(double amplitude, double hertz)
{
    const ifd_signal *signal = NULL;
    const ifd_signal_kind *kind = ifd_signal_find("sine");
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "amplitude")] = ifd_number(amplitude);
    v[ifd_param_find(kind->params, "frequency")] = ifd_number(hertz);
    assert_int_equal(ifd_signal_make(arena, kind, v, NULL, &signal, &note), IFD_OK);
    return signal;
}

__attribute__((unused)) static int ref_of(const ifd_builder *b, const char *name)
{
    int ref;
    assert_true(ifd_builder_find(b, name, &ref));
    return ref;
}

static ifd_builder *tower_builder(ifd_arena *a, int bays, int storeys)
{
    ifd_grid grid;
    ifd_frame frame;
    ifd_grid_defaults(&grid);
    grid.planar = false;
    grid.bays_x = grid.bays_y = bays;
    grid.storeys = storeys;
    grid.column = ifd_section_rectangle(0.5, 0.5);
    grid.beam = ifd_section_rectangle(0.3, 0.6);
    ifd_builder *b = ifd_builder_make(a);
    assert_non_null(b);
    assert_int_equal(ifd_frame_grid(a, &grid, &frame, NULL), IFD_OK);
    assert_int_equal(ifd_builder_frame(b, &frame, NULL), IFD_OK);
    ifd_builder_rayleigh(b, 0.3, 6e-4);
    return b;
}

__attribute__((unused)) static void tower_make(ifd_arena *a, ifd_builder *b, const char *node, tower *t)
{
    static const char *const kinds[] = {"x", "y", "z", "rx", "ry", "rz"};
    assert_int_equal(ifd_model_make(a, b, &t->m, NULL), IFD_OK);
    size_t n = (size_t)t->m->n;
    t->input = ifd_arena_array(a, n * TOWER_INPUTS, sizeof(double));
    for (int i = 0; i < TOWER_INTERFACES; i++)
        t->interface[i] = tower_dof(t->m, node, kinds[i]);
    for (size_t d = 0; d < TOWER_INPUTS; d++)
        memcpy(t->input + d * n, t->m->ground[d].p, n * sizeof(double));
    t->of = (ifd__linear_structure){.M = &t->m->M,
                                    .C = &t->m->C,
                                    .K = &t->m->K,
                                    .ray_m = t->m->ray_m,
                                    .ray_k = t->m->ray_k,
                                    .interfaces = TOWER_INTERFACES,
                                    .interface = t->interface,
                                    .inputs = TOWER_INPUTS,
                                    .input = t->input};
}
