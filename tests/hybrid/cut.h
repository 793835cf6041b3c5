/* SPDX-License-Identifier: MIT */
/* Coupled substructures, for the tests of analyses. */
#pragma once

#include "method/fixtures.h"

#include <interfield/analysis.h>

enum { CUT_PARTS = 4, CUT_ROWS = 8 };

typedef struct cut {
    ifd_part_options part[CUT_PARTS];
    ifd_joint joint[CUT_ROWS];
    ifd_joint_term term[CUT_ROWS][4];
    ifd_couple_options couple;
    ifd_run_options run;
} cut;

/* Substructure p: a model with a method. */
UNUSED static void cut_part(cut *c, const ifd_model *m, const char *method, const pair *set, int subcycles)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    int p = c->couple.parts++;
    c->part[p] = (ifd_part_options){
        .name = names[p], .model = m, .step = options(method, 1, set), .subcycles = subcycles, .coarse = p == 0};
}

/* Dof i of substructure a moves with dof j of substructure b. */
UNUSED static void cut_tie(cut *c, int a, int i, int b, int j)
{
    static const char *const names[] = {"j1", "j2", "j3", "j4", "j5", "j6", "j7", "j8"};
    int r = c->couple.joints++;
    c->term[r][0] = (ifd_joint_term){a, i, 1};
    c->term[r][1] = (ifd_joint_term){b, j, -1};
    c->joint[r] = (ifd_joint){.name = names[r], .terms = 2, .term = c->term[r]};
}

/* Completes the options; the cut must not move in memory. */
UNUSED static const ifd_run_options *cut_run(cut *c, const char *coupling, double h, double end)
{
    c->couple.coupling = ifd_coupling_find(coupling);
    assert_non_null(c->couple.coupling);
    c->couple.h = h;
    c->couple.threads = 1;
    c->couple.part = c->part;
    c->couple.joint = c->joint;
    c->run.couple = &c->couple;
    c->run.end = end;
    c->run.step.h = h;
    return &c->run;
}

/* The single-dof test problem: m_A + m_B = 1, k_A + k_B = 1, b1 = m_A / m_B = k_B / k_A; initial d and v. */
UNUSED static void cut_single_dof(cut *c, ifd_arena *arena, double b1, const char *method, const pair *set, int ss)
{
    memset(c, 0, sizeof *c);
    double small = 1 / (1 + b1), large = b1 / (1 + b1);
    cut_part(c, oscillator(arena, large, 0, small, 1, 1), method, set, 1);
    cut_part(c, oscillator(arena, small, 0, large, 1, 1), method, set, ss);
    cut_tie(c, 0, 0, 1, 0);
}

UNUSED static ifd_stability stability(ifd_arena *arena, const ifd_run_options *opt)
{
    ifd_note note;
    ifd_note_init(&note, arena);
    ifd_stability s;
    assert_ok(ifd_stability_find(arena, opt, &s, &note), &note);
    return s;
}
