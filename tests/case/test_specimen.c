/* SPDX-License-Identifier: MIT */
/* Specimens of coupled substructures, as in the shipped cases. */
#include "check.h"

#include <interfield/case.h>
#include <interfield/report.h>

static ifd_case *read_shipped(ifd_arena *arena, const char *name)
{
    ifd_note note;
    ifd_case *c = NULL;
    ifd_note_init(&note, arena);
    const char *path = ifd_arena_print(arena, "%s/cases/%s.yaml", IFD_SOURCE_DIR, name);
    if (ifd_case_read(arena, path, 0, NULL, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    assert_non_null(c->test);
    assert_non_null(c->test->couple);
    return c;
}

static const char *dof_of(const ifd_case *c, const ifd_interface_options *o, int dof)
{
    return ifd_model_dof_name(c->test->couple->part[o->part].model, dof);
}

TEST(a_specimen_between_dofs_of_a_part_acts_there)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = read_shipped(arena, "bridge/pg-alpha-hybrid");
    const ifd_interface_options *o = c->test->interface;
    const ifd_step_options *step = &c->test->couple->part[1].step;
    assert_int_equal(c->test->interfaces, 1);
    assert_int_equal(o->part, 1);
    assert_string_equal(dof_of(c, o, o->from), "base");
    assert_string_equal(dof_of(c, o, o->to), "top");
    assert_near(o->force_factor, 2.0, 0.0, "devices");
    assert_int_equal(step->estimates, 1);
    assert_int_equal(step->estimate[0].from, o->from);
    assert_int_equal(step->estimate[0].to, o->to);
    assert_near(step->estimate[0].stiffness, 3.3e6, 0.0, "estimate");
    assert_int_equal(c->test->couple->part[0].step.estimates, 0);
    ifd_arena_close(arena);
}

TEST(a_specimen_between_the_ground_and_a_part_acts_there)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = read_shipped(arena, "two-dof/hybrid");
    const char *const to[] = {"x", "theta"};
    assert_int_equal(c->test->interfaces, 2);
    assert_int_equal(c->test->couple->part[1].step.estimates, 2);
    for (int k = 0; k < 2; k++) {
        const ifd_interface_options *o = &c->test->interface[k];
        assert_int_equal(o->part, 1);
        assert_int_equal(o->from, IFD_GROUND);
        assert_string_equal(dof_of(c, o, o->to), to[k]);
    }
    ifd_arena_close(arena);
}

/* `run` has no rig: its specimens are ideal. */
TEST(a_run_takes_specimens_in_parts)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_case *c = read_shipped(arena, "two-dof/hybrid");
    ifd_run *r = NULL;
    ifd_note note;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    while (ifd_run_tick(r) == IFD_RUN_GOING) {
    }
    assert_int_equal(ifd_run_fault(r).fault, IFD_FAULT_NONE);
    assert_int_equal(ifd_run_step(r), ifd_run_steps(r));
    ifd_run_close(r);
    ifd_arena_close(arena);
}

TESTS()
