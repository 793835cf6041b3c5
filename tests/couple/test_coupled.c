/* SPDX-License-Identifier: MIT */
/* What couplings share: refusals, the start, faults, memory that runs out. */
#include "couple/rich.h"

#include <interfield/run.h>

static cut *two(ifd_arena *arena, const char *coupling, const char *method)
{
    ifd_step_options step = options(method, 0.01, NULL);
    return split_mass(arena, coupling, 0.5, 1.0, 0.01, 2, &step);
}

static void assert_refused(cut *c, ifd_status expected, const char *word)
{
    const char *text;
    ifd_status status = cut_refusal(c, &text);
    if (status != expected || !strstr(text, word))
        print_error("%s: '%s', expected %s with '%s'\n", ifd_status_name(status), text, ifd_status_name(expected),
                    word);
    assert_int_equal(status, expected);
    assert_non_null(strstr(text, word));
}

TEST_IN_ARENA(odd_subcycles_are_refused_where_half_steps_must_meet)
{
    cut *c = two(*state, "staggered", "lsrt2");
    c->part[1].subcycles = 3;
    assert_refused(c, IFD_RANGE, "'B' has 3 subcycles");
    c->part[1].subcycles = -2;
    assert_refused(c, IFD_RANGE, "-2");
    const char *text,
        *any[][2] = {{"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"}, {"ph", "newmark"}, {"gc", "newmark"}};
    for (size_t i = 0; i < COUNT(any); i++) {
        c = two(*state, any[i][0], any[i][1]);
        c->part[1].subcycles = 3;
        assert_int_equal(cut_refusal(c, &text), IFD_OK);
    }
}

TEST_IN_ARENA(subcycles_without_a_common_multiple_are_refused)
{
    cut *c = two(*state, "staggered", "lsrt2");
    cut_part(c, "C", oscillator(*state, 1.0, 0.0, 1.0, 1.0, 1.0), options("lsrt2", 0.01, NULL), 99998);
    c->part[1].subcycles = 9998;
    assert_refused(c, IFD_TOO_LARGE, "common multiple");
}

TEST_IN_ARENA(methods_that_do_not_fit_are_refused)
{
    assert_refused(two(*state, "staggered", "mg-alpha"), IFD_UNSUPPORTED, "mg-alpha");
    assert_refused(two(*state, "pg-alpha", "lsrt2"), IFD_UNSUPPORTED, "lsrt2");
    assert_refused(two(*state, "ph", "lsrt2"), IFD_UNSUPPORTED, "newmark");
    cut *c = two(*state, "parallel", "lsrt2");
    c->part[0].step = options("lsrt1", 0.01, NULL);
    assert_refused(c, IFD_UNSUPPORTED, "lsrt2");
}

TEST_IN_ARENA(a_parallel_coupling_needs_both_sides)
{
    cut *c = two(*state, "parallel", "lsrt2");
    c->part[0].coarse = false;
    assert_refused(c, IFD_CONFLICT, "coarse");
    c->part[0].coarse = c->part[1].coarse = true;
    assert_refused(c, IFD_CONFLICT, "coarse");
}

TEST_IN_ARENA(joints_that_point_nowhere_are_refused)
{
    cut *c = two(*state, "staggered", "lsrt2");
    c->term[0][1].part = 5;
    assert_refused(c, IFD_UNKNOWN_NAME, "substructure 5");
    c->term[0][1] = (ifd_joint_term){1, 4, -1.0};
    assert_refused(c, IFD_UNKNOWN_NAME, "'B'");
    c->term[0][1] = (ifd_joint_term){1, -1, -1.0};
    assert_refused(c, IFD_UNKNOWN_NAME, "mass");
    c->term[0][1] = (ifd_joint_term){1, 0, HUGE_VAL};
    assert_refused(c, IFD_NOT_FINITE, "'middle'");
    c->term[0][0].coefficient = c->term[0][1].coefficient = 0.0;
    assert_refused(c, IFD_RANGE, "joins nothing");
}

TEST_IN_ARENA(a_joint_said_twice_is_refused_in_every_coupling)
{
    const char *all[][2] = {{"staggered", "lsrt2"},  {"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"},
                            {"midpoint", "newmark"}, {"gc", "newmark"},     {"ph", "newmark"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        cut *c = two(*state, all[i][0], all[i][1]);
        cut_joint(c, "again", 1, 0, 0, 0);
        assert_refused(c, IFD_SINGULAR, "'again'");
        assert_refused(c, IFD_SINGULAR, "'middle'");
    }
}

TEST_IN_ARENA(steps_must_be_positive_numbers)
{
    const double bad[] = {0.0, -0.01, HUGE_VAL, NAN};
    for (size_t i = 0; i < COUNT(bad); i++) {
        cut *c = two(*state, "staggered", "lsrt2");
        c->opt.h = bad[i];
        assert_refused(c, IFD_RANGE, "step");
    }
}

TEST_IN_ARENA(a_part_joined_to_nothing_is_said)
{
    cut *c = two(*state, "staggered", "lsrt2");
    cut_part(c, "island", oscillator(*state, 1.0, 0.0, 1.0, 1.0, 1.0), options("lsrt2", 0.01, NULL), 2);
    ifd__coupled *made_one;
    ifd_note note;
    ifd_note_init(&note, *state);
    assert_int_equal(ifd__coupled_make(*state, &c->opt, &made_one, &note), IFD_OK);
    assert_non_null(note.remark_first);
    assert_non_null(strstr(note.remark_first->text, "island"));
    assert_ptr_equal(note.remark_first, note.remark_last);
}

/* Parts that start apart: refused, or moved to the nearest state in the sense of the mass, momentum kept. */
TEST_IN_ARENA(an_open_start_is_refused_or_projected)
{
    const char *all[][2] = {{"staggered", "lsrt2"},  {"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"},
                            {"midpoint", "newmark"}, {"gc", "newmark"},     {"ph", "newmark"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        ifd_step_options step = options(all[i][1], 0.01, NULL);
        cut *c = cut_make(*state, all[i][0], 0.01);
        cut_part(c, "A", oscillator(*state, 3.0, 0.0, 1.0, 0.5, -1.0), step, 1);
        cut_part(c, "B", oscillator(*state, 1.0, 0.0, 2.0, 0.1, 1.0), step, 2);
        c->part[0].coarse = true;
        cut_joint(c, "middle", 0, 0, 1, 0);
        assert_refused(c, IFD_CONFLICT, "'middle' has a gap of 0.4 m");
        c->opt.project_start = true;
        running r = cut_start(c);
        for (int p = 0; p < 2; p++) {
            assert_near(cut_state(&r, p)[0], (3.0 * 0.5 + 0.1) / 4.0, 1e-15, "%s: displacement", all[i][0]);
            assert_near(cut_state(&r, p)[1], (-3.0 + 1.0) / 4.0, 1e-15, "%s: velocity", all[i][0]);
        }
        double gap[4];
        ifd__coupled_gap(r.c, 0.0, r.x, gap);
        assert_near(gap[2], 0.0, 1e-14, "%s: accelerations meet at the start", all[i][0]);
    }
}

/* A pendulum makes the mass depend on the state; the joint is still closed. */
TEST_IN_ARENA(a_start_with_a_pendulum_is_projected)
{
    running r = cut_start(rich_cut(*state, "staggered", "lsrt2", 1));
    double gap[4];
    ifd__coupled_gap(r.c, 0.0, r.x, gap);
    assert_near(gap[0], 0.0, 1e-16, "displacements");
    assert_near(gap[1], 0.0, 1e-15, "velocities");
    assert_near(gap[2], 0.0, 1e-12, "accelerations");
}

/* Takes of memory that fail one after the other: always a clean refusal, and no thread is left behind. */
TEST_IN_ARENA(memory_that_runs_out_is_a_refusal)
{
    const char *all[][2] = {{"staggered", "lsrt2"},  {"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"},
                            {"midpoint", "newmark"}, {"gc", "newmark"},     {"ph", "newmark"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        ifd_arena *source = ifd_arena_open();
        cut *c = two(source, all[i][0], all[i][1]);
        c->opt.threads = 2;
        ifd_status status = IFD_NO_MEMORY;
        for (long n = 1; status != IFD_OK; n++) {
            ifd_arena *arena = ifd_arena_open();
            ifd__coupled *out = NULL;
            ifd_arena_fail_at(arena, n);
            status = ifd__coupled_make(arena, &c->opt, &out, NULL);
            ifd_arena_fail_at(arena, 0);
            assert_true(status == IFD_OK || status == IFD_NO_MEMORY);
            assert_true(n < 1000);
            ifd_arena_close(arena);
        }
        ifd_arena_close(source);
    }
}

TEST_IN_ARENA(every_row_of_the_table_is_complete)
{
    for (int i = 0; i < ifd_coupling_count; i++) {
        const ifd_coupling *c = ifd_couplings[i];
        assert_ptr_equal(ifd_coupling_find(c->name), c);
        assert_true(c->title && c->citation && c->summary && c->methods && c->order >= 1);
        assert_true(c->make && c->begin && c->tick);
    }
    assert_null(ifd_coupling_find("none"));
}

/* A run with parts through the front door: the recorded gap and the balance of energy. */
TEST_IN_ARENA(a_run_of_parts_records_gaps_and_energy)
{
    const char *all[][2] = {
        {"staggered", "lsrt2"}, {"parallel", "lsrt2"}, {"pg-alpha", "mg-alpha"}, {"ph", "newmark"}};
    for (size_t i = 0; i < COUNT(all); i++) {
        cut *c = two(*state, all[i][0], all[i][1]);
        c->opt.threads = 2;
        ifd_run *r;
        ifd_note note;
        ifd_note_init(&note, *state);
        assert_ok(ifd_run_make(*state, &(ifd_run_options){.couple = &c->opt, .end = 2.0}, &r, &note), &note);
        while (ifd_run_tick(r) == IFD_RUN_GOING) {
        }
        double gap[3];
        ifd_run_gaps(r, gap);
        assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_NONE);
        assert_near(gap[0], 0.0, 1e-3, "%s: displacement", all[i][0]);
        ifd_energy e = ifd_run_energy(r);
        assert_near(e.kinetic + e.stored, 1.0, 1e-3, "%s: energy", all[i][0]);
        assert_near(e.numerical / e.scale, 0.0, 1e-3, "%s: balance", all[i][0]);
        ifd_run_close(r);
    }
}

TESTS()
