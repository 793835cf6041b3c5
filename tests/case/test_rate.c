/* SPDX-License-Identifier: MIT */
/* Whether a test is that of a rate-dependent specimen, by its elements. */
#include "check.h"

#include <interfield/case.h>
#include <interfield/report.h>

#define LIMITS "limits: {stroke: 50 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 100 kN}"
#define FIBRES                                                                                                       \
    "length: 2 m, angle: 90 deg, width: 0.2 m, depth: 0.4 m, layers: 4, young: 200 GPa, yield-stress: 350 MPa, "     \
    "hardening: 0.02"
#define COLUMN                                                                                                       \
    "  - name: s\n"                                                                                                  \
    "    model:\n"                                                                                                   \
    "      supports: {base: {follows: x}, side: {follows: y}, turn: {follows: r}}\n"                                 \
    "      elements: [{fibre-beam: {at: [ground, ground, ground, base, side, turn], " FIBRES "}}]\n"                 \
    "    " LIMITS "\n"                                                                                               \
    "  - {name: side, of: s, " LIMITS "}\n"                                                                          \
    "  - {name: turn, of: s, limits: {stroke: 50 mrad, velocity: 1, acceleration: 20, force: 1 MN m}}\n"

static ifd_case *read_case(ifd_arena *arena, const char *specimen, const char *test)
{
    ifd_note note;
    ifd_case *c = NULL;
    ifd_note_init(&note, arena);
    const char *text = ifd_arena_print(arena,
                                       "time: {step: 2 ms, end: 1 s}\n"
                                       "model: {dofs: [x, y, r], kinds: {y: y, r: rz}, mass: [1 t, 1 t, 1], "
                                       "stiffness: [1e6, 1e6, 1e6]}\n"
                                       "specimen:\n%stest: {rig: virtual%s}\n",
                                       specimen, test);
    const ifd_case_source source = {.path = "/nowhere/rate.yaml", .text = text};
    if (ifd_case_read_source(arena, &source, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    assert_non_null(c->test);
    return c;
}

TEST(a_specimen_depends_on_the_rate_as_its_elements_do)
{
    static const struct {
        const char *specimen, *test;
        bool from, depends;
    } row[] = {
        {"  - {name: s, spring: {at: x, stiffness: 1e5}, " LIMITS "}\n", "", false, false},
        {"  - {name: s, bilinear: {at: x, stiffness: 1e5, yield: 5 mm, ratio: 0.1}, " LIMITS "}\n", "", false, false},
        {"  - {name: s, bouc-wen: {at: x, stiffness: 1e5, beta: 100, gamma: 100}, " LIMITS "}\n", "", false, false},
        {"  - {name: s, dashpot: {at: x, damping: 1e4}, " LIMITS "}\n", "", true, true},
        {"  - {name: s, maxwell: {at: x, branches: [[1e5, 1e4]]}, " LIMITS "}\n", "", true, true},
        {"  - {name: s, maxwell: {at: x, branches: [[1e5, 1e4]]}, " LIMITS "}\n", ", rate-dependent: no", true,
         false},
        {"  - {name: s, spring: {at: x, stiffness: 1e5}, " LIMITS "}\n", ", rate-dependent: yes", false, true},
        {"  - {name: s, friction-pendulum: {at: x, load: 1e5, radius: 2, friction: 0.05, "
         "yield-displacement: 1 mm}, " LIMITS "}\n",
         "", false, false},
        {"  - {name: s, friction-pendulum: {at: x, load: 1e5, radius: 2, friction: 0.05, friction-slow: 0.03, "
         "yield-displacement: 1 mm}, " LIMITS "}\n",
         "", true, true},
        {COLUMN, "", false, false},
        {"  - name: s\n    model: {dofs: [m], mass: 10 kg, supports: {base: {follows: x}}, elements: [{spring: "
         "{between: [base, m], stiffness: 1e5}}]}\n    " LIMITS "\n",
         "", true, true},
    };
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_arena *arena = ifd_arena_open();
        const ifd_hybrid_options *o = read_case(arena, row[i].specimen, row[i].test)->test;
        if ((o->rate_from != NULL) != row[i].from || o->rate_dependent != row[i].depends)
            fail_msg("row %zu: found %d, %d", i, o->rate_from != NULL, o->rate_dependent);
        if (o->rate_from)
            assert_string_equal(o->rate_from, "s");
        ifd_arena_close(arena);
    }
}

TESTS()
