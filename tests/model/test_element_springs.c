/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"
#include "model/element.h"

static double force(const sample *s, double q, double v)
{
    ifd_element e;
    assert_int_equal(sample_make(s, arena, &e, NULL), IFD_OK);
    point p = {.q = {q}, .v = {v}};
    return answer_at(&e, &p).r[0];
}

TEST(linear_elements_follow_their_laws)
{
    const sample spring = {"spring", 1, 1, 1, 1, {{.name = "stiffness", .number = 2000}}};
    const sample dashpot = {"dashpot", 1, 1, 1, 1, {{.name = "damping", .number = 30}}};
    const sample mass = {"mass", 1, 1, 1, 1, {{.name = "mass", .number = 7}}};
    assert_near(force(&spring, 0.5, 9), 1000, 0, "");
    assert_near(force(&dashpot, 9, 0.5), 15, 0, "");
    assert_near(force(&mass, 9, 9), 0, 0, "");
    ifd_element e;
    assert_int_equal(sample_make(&mass, arena, &e, NULL), IFD_OK);
    point p = {.q = {1}};
    assert_near(answer_at(&e, &p).m[0], 7, 0, "");
}

TEST(the_cubic_spring_is_k_times_q_plus_eps_q_cubed)
{
    const sample s = {
        "cubic-spring", 1, 1, 1, 1, {{.name = "stiffness", .number = 200}, {.name = "epsilon", .number = 1000}}};
    assert_near(force(&s, 0.1, 0), 200 * (0.1 + 1000 * 0.001), 1e-12, "");
    assert_near(force(&s, -0.1, 0), -200 * (0.1 + 1000 * 0.001), 1e-12, "");
}

TEST(the_power_dashpot_is_c_v_to_the_a_and_odd)
{
    const double exponent[] = {1, 1.5, 2, 3};
    for (size_t i = 0; i < COUNT(exponent); i++) {
        const sample s = {"power-dashpot",
                          1,
                          1,
                          1,
                          1,
                          {{.name = "coefficient", .number = 50}, {.name = "exponent", .number = exponent[i]}}};
        assert_near_rel(force(&s, 0, 0.3), 50 * pow(0.3, exponent[i]), 1e-14, "a = %g", exponent[i]);
        assert_near_rel(force(&s, 0, -0.3), -50 * pow(0.3, exponent[i]), 1e-14, "a = %g", exponent[i]);
        assert_near(force(&s, 0, 0), 0, 0, "a = %g", exponent[i]);
    }
}

/* (v^2 + v0^2)^((a-1)/2) v = v^a (1 + (v0/v)^2)^((a-1)/2): the relative difference is (a-1)/2 (v0/v)^2. */
TEST(below_exponent_one_the_power_dashpot_is_smoothed_near_rest_only)
{
    const double a = 0.4, v0 = 1e-3;
    const sample s = {
        "power-dashpot", 1, 1, 1, 1, {{.name = "coefficient", .number = 50}, {.name = "exponent", .number = 0.4}}};
    for (double v = 0.03; v < 2; v *= 3) {
        double loss = (a - 1) / 2 * (v0 / v) * (v0 / v);
        assert_near_rel(force(&s, 0, v), 50 * pow(v, a) * (1 + loss), pow(v0 / v, 4), "v = %g", v);
    }
    ifd_element e;
    assert_int_equal(sample_make(&s, arena, &e, NULL), IFD_OK);
    point rest = {0};
    assert_near_rel(answer_at(&e, &rest).r_v[0], 50 * pow(v0, a - 1), 1e-14, "");
}

TEST(a_gap_pushes_back_on_the_side_it_was_told)
{
    const char *side[] = {"above", "below", "both"};
    const double above[] = {2, 0, 2}, below[] = {0, -2, -2};
    for (size_t i = 0; i < COUNT(side); i++) {
        const setting k = {.name = "stiffness", .number = 100}, gap = {.name = "gap", .number = 0.01};
        const sample s = {"gap", 1, 1, 1, 1, {k, gap, {.name = "side", .word = side[i]}}};
        assert_near(force(&s, 0.03, 0), above[i], 1e-14, "%s", side[i]);
        assert_near(force(&s, -0.03, 0), below[i], 1e-14, "%s", side[i]);
        assert_near(force(&s, 0.0099, 0), 0, 0, "%s", side[i]);
        assert_near(force(&s, -0.0099, 0), 0, 0, "%s", side[i]);
    }
}

TEST(parameters_out_of_range_are_refused)
{
    const struct {
        sample s;
        ifd_status expected;
    } bad[] = {
        {{"spring", 1, 1, 1, 1, {{0}}}, IFD_MISSING_KEY},
        {{"spring", 1, 1, 1, 1, {{.name = "stiffness", .number = (double)NAN}}}, IFD_NOT_FINITE},
        {{"dashpot", 1, 1, 1, 1, {{.name = "damping", .number = -1}}}, IFD_RANGE},
        {{"mass", 1, 1, 1, 1, {{.name = "mass", .number = -1}}}, IFD_RANGE},
        {{"gap", 1, 1, 1, 1, {{.name = "stiffness", .number = 1}, {.name = "side", .word = "left"}}},
         IFD_UNKNOWN_CHOICE},
        {{"power-dashpot", 1, 1, 1, 1, {{.name = "coefficient", .number = 1}, {.name = "exponent", .number = 0}}},
         IFD_RANGE},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        ifd_note_init(&note, arena);
        ifd_element e;
        assert_int_equal(sample_make(&bad[i].s, arena, &e, &note), bad[i].expected);
        assert_int_equal(note.errors, 1);
    }
}

TEST(dimensions_of_a_pair_turn_into_those_of_a_rotation)
{
    assert_int_equal(ifd__dimension_rotational(IFD_DIM_STIFFNESS), IFD_DIM_ROTATIONAL_STIFFNESS);
    assert_int_equal(ifd__dimension_rotational(IFD_DIM_DAMPING), IFD_DIM_ROTATIONAL_DAMPING);
    assert_int_equal(ifd__dimension_rotational(IFD_DIM_MASS), IFD_DIM_ROTATIONAL_INERTIA);
    assert_int_equal(ifd__dimension_rotational(IFD_DIM_LENGTH), IFD_DIM_ANGLE);
    assert_int_equal(ifd__dimension_rotational(IFD_DIM_VELOCITY), IFD_DIM_ANGULAR_RATE);
    assert_int_equal(ifd__dimension_rotational(IFD_DIM_ACCELERATION), IFD_DIM_ANGULAR_ACCELERATION);
    assert_int_equal(ifd__dimension_rotational(IFD_DIM_FORCE), IFD_DIM_MOMENT);
    assert_int_equal(ifd__dimension_rotational(IFD_DIM_NONE), IFD_DIM_NONE);
}

TESTS_WITH(open_arena, close_arena)
