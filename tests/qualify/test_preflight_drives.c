/* SPDX-License-Identifier: MIT */
/* Preflight lists and judges the limits of the actuators of a drive. The second actuator moves twice as far as the
 * dof: its demand follows from that of the dof, which has lines of its own. Every line counts for the verdict. */
#include "check.h"

#include <math.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/preflight.h>

#include "qualify/preflight.h"

static const char lever[] =
    "time: {step: 2 ms, end: 0.2 s}\n"
    "model: {dofs: [x], mass: [8 t], damping: [4000]}\n"
    "initial: {displacement: {x: 20 mm}}\n"
    "specimen:\n"
    "  - {name: sway, spring: {at: x, stiffness: 3 MN/m},\n"
    "     limits: {stroke: 1 m, velocity: 10 m/s, acceleration: 1e3 m/s2, force: 1 MN, tracking: 1 m}}\n"
    "drives:\n"
    "  - name: lever\n"
    "    dofs: [sway]\n"
    "    matrix: [[1], [-2]]\n"
    "    actuators:\n"
    "      - {name: near, limits: &most {stroke: 1 m, velocity: 10 m/s, acceleration: 1e3 m/s2, force: 1 MN, "
    "tracking: 1 m}}\n"
    "      - {name: far, limits: *most}\n"
    "test: {leave: stay, ramp-in: 0.5 s}\n";

static const ifd_case *read_lever(ifd_arena *arena, ifd_preflight_options *o)
{
    ifd_case *c = NULL;
    ifd_note note;
    const ifd_case_source source = {.path = "lever.yaml", .text = lever};
    ifd_note_init(&note, arena);
    if (ifd_case_read_source(arena, &source, &c, &note) != IFD_OK)
        fail_msg("%s", note.first->text);
    ifd_preflight_defaults(o);
    o->test = c->test;
    o->twin = c->laboratory;
    o->free_running = true;
    return c;
}

/* The check of this topic and actuator; NULL: none. */
static const ifd_check *line_of(const ifd_preflight *p, const char *topic, const char *name)
{
    for (int i = 0; i < p->checks; i++)
        if (strcmp(p->check[i].topic, topic) == 0 && strncmp(p->check[i].found, name, strlen(name)) == 0)
            return &p->check[i];
    return NULL;
}

TEST(the_demand_on_actuators_is_that_of_their_dofs)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_preflight *p = ifd_arena_take(arena, sizeof *p);
    ifd_preflight_options o;
    (void)read_lever(arena, &o);
    assert_int_equal(ifd_preflight_run(arena, &o, p, NULL), IFD_OK);
    const ifd_preflight_interface *dof = &p->interface[0], *near = &p->actuator[0], *far = &p->actuator[1];
    assert_true(dof->high > 0.019 && dof->velocity > 0.1 && dof->acceleration > 1.0 && dof->force > 5e4);
    assert_string_equal(near->name, "near");
    assert_string_equal(far->name, "far");
    assert_near(near->high, dof->high, 1e-12, "stroke");
    assert_near(far->low, -2.0 * dof->high, 1e-12, "stroke");
    assert_near(far->high, -2.0 * dof->low, 1e-12, "stroke");
    assert_near(near->velocity, dof->velocity, 1e-9, "velocity");
    assert_near(far->velocity, 2.0 * dof->velocity, 1e-9, "velocity");
    assert_near(far->acceleration, 2.0 * dof->acceleration, 1e-6, "acceleration");
    assert_near(near->force + 2.0 * far->force, dof->force, 1e-6 * dof->force, "virtual work");
    assert_near(near->force_rate + 2.0 * far->force_rate, dof->force_rate, 1e-6 * dof->force_rate, "virtual work");
    assert_near(far->tracking, 2.0 * dof->tracking, 1e-12, "tracking");
    assert_null(p->actuator[2].name);
    static const char *const topics[] = {"stroke", "velocity", "acceleration", "force", "tracking"};
    for (size_t i = 0; i < COUNT(topics); i++) {
        assert_non_null(line_of(p, topics[i], "near "));
        assert_int_equal(line_of(p, topics[i], "far ")->verdict, IFD_VERDICT_GO);
    }
    assert_null(line_of(p, "energy", "far "));
    ifd_arena_close(arena);
}

/* At both sides of a limit and of 0.9 of it, in a dry run that did not finish. The limits of the near actuator are
 * not reached. */
TEST(limits_of_actuators_are_judged)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_preflight *p = ifd_arena_take(arena, sizeof *p), *q = ifd_arena_take(arena, sizeof *q);
    ifd_preflight_options o;
    ifd_hybrid_options test = *read_lever(arena, &o)->test;
    ifd_driven drive = test.drive[0];
    const ifd_limits *wide = drive.limits;
    assert_int_equal(ifd_preflight_run(arena, &o, p, NULL), IFD_OK);
    const ifd_preflight_interface *far = &p->actuator[1];
    ifd_limits limits[2];
    const struct {
        const char *topic;
        double demand, *limit;
    } rows[] = {{"stroke", -far->low, &limits[1].high},
                {"velocity", far->velocity, &limits[1].velocity},
                {"acceleration", far->acceleration, &limits[1].acceleration},
                {"force", far->force, &limits[1].force},
                {"tracking", p->actuator[1].tracking = 1e-3, &limits[1].tracking}};
    static const struct {
        double share;
        ifd_verdict verdict;
    } sides[] = {{0.899, IFD_VERDICT_GO}, {0.901, IFD_VERDICT_CAUTION}, {1.001, IFD_VERDICT_NO_GO}};
    test.drive = &drive;
    drive.limits = limits;
    o.test = &test;
    p->finished = false;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t n = 0; n < COUNT(sides); n++) {
            memcpy(limits, wide, sizeof limits);
            *rows[i].limit = rows[i].demand / sides[n].share;
            if (i == 0)
                limits[1].low = -*rows[i].limit;
            *q = *p;
            q->checks = 0;
            q->verdict = IFD_VERDICT_GO;
            ifd__preflight_judge(arena, &o, q);
            const ifd_check *line = line_of(q, rows[i].topic, "far ");
            if (line->verdict != sides[n].verdict)
                fail_msg("%g of %s: %s is %d", sides[n].share, line->topic, line->found, (int)line->verdict);
            assert_true(q->verdict >= line->verdict);
            assert_int_equal(line_of(q, rows[i].topic, "near ")->verdict, IFD_VERDICT_GO);
        }
    ifd_arena_close(arena);
}

/* Sixteen interfaces and sixteen actuators have room. What has none still counts. */
TEST(a_check_without_room_counts)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_preflight *p = ifd_arena_take(arena, sizeof *p);
    ifd__judging j = {.arena = arena, .out = p};
    assert_true(IFD_PREFLIGHT_CHECKS >= 7 * 2 * IFD_RIG_ACTUATORS + 24);
    for (int i = 0; i < IFD_PREFLIGHT_CHECKS; i++)
        ifd__judge_add(&j, "stroke", IFD_VERDICT_GO, NULL, "%d", i);
    ifd__judge_add(&j, "force", IFD_VERDICT_NO_GO, "", "one too many");
    assert_int_equal(p->checks, IFD_PREFLIGHT_CHECKS);
    assert_int_equal(p->verdict, IFD_VERDICT_NO_GO);
    ifd_arena_close(arena);
}

TESTS()
