/* SPDX-License-Identifier: MIT */
/* Parts that follow others, from the file to the run. */
#include "check.h"

#include <string.h>

#include <interfield/analysis.h>

#include "case/texts.h"

#define TIME "time: {step: 10 ms, end: 1 s}\n"
#define PARTS                                                                                                        \
    "substructures:\n"                                                                                               \
    "  frame: {model: {dofs: [x1, x2], mass: [3, 2], stiffness: [[500, -200], [-200, 200]]},\n"                      \
    "          initial: {velocity: {x2: 0.1}}}\n"                                                                    \
    "  between:\n"                                                                                                   \
    "    model:\n"                                                                                                   \
    "      dofs: [y]\n"                                                                                              \
    "      mass: 0.5\n"                                                                                              \
    "      supports: {low: {follows: frame.x1, ghost-mass: 0.02 kg}, high: {follows: frame.x2}}\n"                   \
    "      elements: [{spring: {between: [low, y], stiffness: 30}}, {spring: {between: [high, y], stiffness: "       \
    "20}}]\n"

static const ifd_rts_options *rts_of(const char *settings)
{
    const ifd_case *c = read(ifd_arena_print(arena, TIME PARTS "coupling: %s\n", settings));
    assert_string_equal(c->run.couple->coupling->name, "rts");
    assert_non_null(c->run.couple->rts);
    return c->run.couple->rts;
}

static double value_of(const ifd_extrapolate_options *e, const char *name)
{
    return ifd_param_get(e->extrapolator->params, e->value, name)->number;
}

TEST_IN_ARENA(supports_that_follow_become_links)
{
    const ifd_rts_options *rts = rts_of("rts");
    assert_int_equal(rts->links, 2);
    assert_string_equal(rts->link[0].name, "between.low");
    assert_string_equal(rts->link[1].name, "between.high");
    for (int l = 0; l < 2; l++) {
        assert_int_equal(rts->link[l].leader, 0);
        assert_int_equal(rts->link[l].dof, l);
        assert_int_equal(rts->link[l].follower, 1);
        assert_int_equal(rts->link[l].support, l);
        assert_near(rts->link[l].ghost, l ? 0 : 0.02, 1e-15, "ghost %d", l);
        assert_int_equal(rts->link[l].place.line, 9);
    }
}

TEST_IN_ARENA(without_settings_the_cubic_through_four_forces_is_taken)
{
    const ifd_rts_options *rts = rts_of("rts");
    assert_string_equal(rts->extrapolate.extrapolator->name, "lagrange");
    assert_int_equal(rts->extrapolate.past, 4);
    assert_int_equal(rts->extrapolate.ahead, 1);
    assert_near(value_of(&rts->extrapolate, "degree"), 3, 0, "degree");
    assert_int_equal(rts->exchange, IFD_RTS_MOTION);
    const ifd_case *c = read(TIME PARTS "coupling: rts\n");
    assert_string_equal(c->run.couple->part[0].step.method->name, "exponential");
}

TEST_IN_ARENA(every_setting_arrives)
{
    const ifd_rts_options *rts =
        rts_of("{rts: {past: 12, ahead: 3, exchange: effective, extrapolator: {reproducing-kernel: "
               "{degree: 5, dilation: 0.2 s}}, start: {steps: 20, grid: 6, iterations: 7, "
               "tolerance: 1e-6}, durations: {compute: 1 ms, actuate: 5 ms, measure: 2 ms}}}");
    assert_int_equal(rts->extrapolate.past, 12);
    assert_int_equal(rts->extrapolate.ahead, 3);
    assert_int_equal(rts->exchange, IFD_RTS_EFFECTIVE);
    assert_near(value_of(&rts->extrapolate, "degree"), 5, 0, "degree");
    assert_near(value_of(&rts->extrapolate, "dilation"), 20, 1e-12, "0.2 s in steps of 10 ms");
    assert_int_equal(rts->start_steps, 20);
    assert_int_equal(rts->start_grid, 6);
    assert_int_equal(rts->iterations, 7);
    assert_near(rts->tolerance, 1e-6, 0, "tolerance");
    assert_near(rts->duration[0], 0.001, 1e-15, "compute");
    assert_near(rts->duration[1], 0.005, 1e-15, "actuate");
    assert_near(rts->duration[2], 0.002, 1e-15, "measure");
}

TEST_IN_ARENA(a_dilation_without_unit_is_in_steps)
{
    const ifd_rts_options *rts = rts_of("{rts: {extrapolator: {reproducing-kernel: {dilation: 7}}}}");
    assert_near(value_of(&rts->extrapolate, "dilation"), 7, 0, "dilation");
    assert_near(value_of(&rts->extrapolate, "degree"), 4, 0, "degree");
    assert_int_equal(rts->extrapolate.past, 10);
}

TEST_IN_ARENA(the_past_of_lagrange_is_what_its_degree_needs)
{
    assert_int_equal(rts_of("{rts: {extrapolator: {lagrange: {degree: 5}}}}")->extrapolate.past, 6);
    assert_int_equal(rts_of("{rts: {extrapolator: hold}}")->extrapolate.past, 1);
}

/* Dofs of the whole are those of the parts, part after part. */
TEST_IN_ARENA(the_whole_is_there_for_modes_and_reference)
{
    const ifd_model *m = read(TIME PARTS "coupling: rts\n")->run.model;
    assert_non_null(m);
    assert_int_equal(m->n, 3);
    static const double K[3][3] = {{530, -200, -30}, {-200, 220, -20}, {-30, -20, 50}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            assert_near(ifd__sparse_get(&m->K, i, j), K[i][j], 1e-12, "K (%d, %d)", i, j);
    assert_near(ifd__sparse_get(&m->M, 0, 0), 3, 1e-12, "the ghost is not part of it");
}

TEST_IN_ARENA(a_mass_on_a_support_is_felt_by_what_it_follows)
{
    const ifd_case *c =
        read(TIME "substructures:\n"
                  "  a: {model: {dofs: [x], mass: 2, stiffness: 100}}\n"
                  "  b: {model: {dofs: [y], mass: 1, supports: {base: {follows: a.x}}, masses: {base: 0.1}, "
                  "elements: [{spring: {between: [base, y], stiffness: 30}}]}}\n"
                  "coupling: rts\n");
    assert_near(ifd__sparse_get(&c->run.model->M, 0, 0), 2.1, 1e-12, "in the whole");
    ifd_run *r;
    ifd_rts_facts facts;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    assert_true(ifd_run_rts(r, &facts));
    assert_near(facts.added_mass, 0.05, 1e-12, "mu");
    assert_near(facts.added_mass_limit, 1.0 / 15, 1e-6, "its limit");
    ifd_run_close(r);
}

/* The upper angle of the follower's own pendulum is moved by the leader. */
TEST_IN_ARENA(an_angle_of_a_pendulum_may_be_followed)
{
    const ifd_case *c = read(TIME "substructures:\n"
                                  "  upper: {model: {elements: [{pendulum: {mass: 1, length: 1, angle: th1}}]}}\n"
                                  "  lower:\n"
                                  "    model:\n"
                                  "      supports: {th1: {follows: upper.th1, ghost-mass: 0.1 kg m2}}\n"
                                  "      elements: [{double-pendulum: {mass: 1e-12, length: 1, mass2: 1, length2: 1, "
                                  "angle: th1, angle2: th2}}]\n"
                                  "coupling: rts\n");
    assert_int_equal(c->run.couple->part[1].model->n, 1);
    assert_string_equal(c->run.couple->part[1].model->dof_name[0], "th2");
    assert_near(c->run.couple->rts->link[0].ghost, 0.1, 1e-15, "ghost");
    assert_int_equal(c->run.model->n, 2);
}

TEST_IN_ARENA(a_case_runs_to_its_end_and_records_the_link_forces)
{
    const ifd_case *c = read(TIME PARTS "coupling: rts\nrecord: [joints, y]\n");
    ifd_run *r;
    int count, found = 0;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    const ifd_column *channel = ifd_run_columns(r, &count);
    for (int i = 0; i < count; i++)
        found +=
            strcmp(channel[i].name, "between.low force") == 0 || strcmp(channel[i].name, "between.high force") == 0;
    assert_int_equal(found, 2);
    while (ifd_run_tick(r) == IFD_RUN_GOING)
        ;
    assert_near(ifd_run_time(r), 1, 1e-9, "end");
    assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_NONE);
    ifd_run_close(r);
}

TEST_IN_ARENA(a_case_that_follows_converges_at_fourth_order)
{
    const ifd_case *c = read(TIME PARTS "coupling: rts\n");
    ifd_convergence v;
    ifd_stability s;
    assert_int_equal(ifd_converge(arena, &c->run, 3, &v, &note), IFD_OK);
    assert_near(v.row[2].order_u, 4, 0.05, "displacement");
    assert_int_equal(ifd_stability_find(arena, &c->run, &s, &note), IFD_OK);
    /* Nothing damps: the extrapolation makes the modes grow by 2.1e-9 per step, with the sixth power of the step. */
    assert_false(s.stable);
    assert_true(s.radius < 1 + 1e-8);
}

TESTS_WITH(files_open, files_close)
