/* SPDX-License-Identifier: MIT */
/* Preflight of a test whose copies of a specimen may be updated: the loop at the corners of the ranges of their
 * parameters, against preflights of cases with those parameters and without updates. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/preflight.h>
#include <interfield/report.h>

#include "qualify/preflight.h"

#define CASE IFD_SOURCE_DIR "/tests/qualify/copies.yaml"

/* Stability and margins alone: no dry runs. */
static ifd_preflight loop_of(int sets, const char *const *set)
{
    ifd_case *c = NULL;
    ifd_preflight p;
    ifd_status status = ifd_case_read(arena, CASE, sets, set, &c, &note);
    for (const ifd_finding *f = note.first; f && status != IFD_OK; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    const ifd_preflight_options o = {.test = c->test, .twin = c->laboratory, .error_bound = 0.1};
    memset(&p, 0, sizeof p);
    p.gain = 1;
    p.period = 1e-3;
    p.interfaces = 1;
    p.interface[0] = (ifd_preflight_interface){.name = "spring", .linear = true, .stiffness = 1e5, .secant = 1e5};
    assert_int_equal(ifd__preflight_loop(&o, &p, &note), IFD_OK);
    return p;
}

/* The Jacobian of lsrt2 follows the copies: a corner is the case with that stiffness. */
TEST_IN_ARENA(corners_have_the_margins_of_their_parameters)
{
    static const char *const softer[] = {"identify.update=no", "model.elements.0.spring.stiffness=5e4 N/m"};
    static const char *const stiffer[] = {"identify.update=no", "model.elements.0.spring.stiffness=2e5 N/m"};
    ifd_preflight p = loop_of(0, NULL), a = loop_of(2, softer), b = loop_of(2, stiffer);
    assert_int_equal(p.corners, 2);
    assert_true(p.corners_stable);
    assert_near(p.corner_softest, 0.5, 1e-12, "softest");
    assert_near(p.corner_stiffest, 2, 1e-12, "stiffest");
    assert_true(a.initial.delay.found && b.initial.delay.found);
    assert_true(a.initial.delay.value != b.initial.delay.value);
    assert_near_rel(p.corners_delay.value, fmin(a.initial.delay.value, b.initial.delay.value), 1e-9, "delay margin");
    assert_int_equal(a.corners, 0); /* without updates there is nothing to examine */
}

/* An explicit method is stable up to h = 2/w: 141 ms with the stiffness of the start, 115 ms with twice that of the
 * copy, 140 ms with 1.05 times that. At 130 ms only a corner is unstable. */
TEST_IN_ARENA(an_unstable_corner_is_found)
{
    static const char *const fine[] = {"method=central-difference", "time.step=130 ms", "model.damping=[2e3]",
                                       "specimen.0.actuator={ideal: {}}"};
    static const char *const narrow[] = {"method=central-difference", "time.step=130 ms", "model.damping=[2e3]",
                                         "specimen.0.actuator={ideal: {}}", "identify.range=1.05"};
    ifd_preflight wide = loop_of(4, fine), close = loop_of(5, narrow);
    assert_true(wide.initial.stable);
    assert_false(wide.corners_stable);
    assert_true(wide.corners_radius > 1.1);
    assert_true(close.corners_stable);
}

/* Matrices of chang are those of the start, also at a corner: there its margin is not that of a case that starts
 * with the parameters of the corner. */
TEST_IN_ARENA(matrices_of_the_start_remain_at_a_corner)
{
    static const char *const start[] = {"method=chang", "time.step=40 ms"};
    static const char *const stiffer[] = {"method=chang", "time.step=40 ms", "identify.update=no",
                                          "model.elements.0.spring.stiffness=2e5 N/m"};
    static const char *const softer[] = {"method=chang", "time.step=40 ms", "identify.update=no",
                                         "model.elements.0.spring.stiffness=5e4 N/m"};
    ifd_preflight p = loop_of(2, start), a = loop_of(4, stiffer), b = loop_of(4, softer);
    assert_int_equal(p.corners, 2);
    double least = fmin(a.initial.delay.value, b.initial.delay.value);
    assert_true(p.corners_stable && fabs(p.corners_delay.value / least - 1) > 1e-3);
}

TEST_IN_ARENA(the_check_states_the_worst_corner)
{
    ifd_case *c = NULL;
    ifd_preflight p;
    ifd_preflight_options o;
    assert_int_equal(ifd_case_read(arena, CASE, 0, NULL, &c, &note), IFD_OK);
    ifd_preflight_defaults(&o);
    o.test = c->test;
    o.twin = c->laboratory;
    assert_int_equal(ifd_preflight_run(arena, &o, &p, &note), IFD_OK);
    const ifd_check *found = NULL;
    for (int i = 0; i < p.checks; i++)
        if (strcmp(p.check[i].topic, "copies") == 0)
            found = &p.check[i];
    assert_non_null(found);
    assert_non_null(strstr(found->found, "stable with copies from 0.5 to 2 times"));
    for (int real = 0; real < 2; real++) {
        p.corners_stable = false;
        p.checks = 0;
        o.real = real;
        ifd__preflight_judge(arena, &o, &p);
        for (int i = 0; i < p.checks; i++)
            if (strcmp(p.check[i].topic, "copies") == 0)
                found = &p.check[i];
        assert_int_equal(found->verdict, real ? IFD_VERDICT_NO_GO : IFD_VERDICT_CAUTION);
        assert_non_null(strstr(found->found, "NOT STABLE"));
    }
}

TESTS()
