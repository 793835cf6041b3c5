/* SPDX-License-Identifier: MIT */
/* A specimen along a chord: target, command, limits and faults in its elongation, observed on the commands that the
 * rig receives. The row of the brace is (0.8, 0.6) over c.x and c.y. */
#include "hybrid/case_stand.h"

#include <math.h>

#define BRACED(time, specimen, rest)                                                                                 \
    "time: {step: 2 ms, end: " time "}\n"                                                                            \
    "method: {lsrt2: {jacobian: exact}}\n"                                                                           \
    "model:\n"                                                                                                       \
    "  frame:\n"                                                                                                     \
    "    material: {young: 210 GPa}\n"                                                                               \
    "    sections: {column: {area: 64.3 cm2, iz: 3692 cm4}, beam: {area: 53.8 cm2, iz: 8356 cm4}}\n"                 \
    "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"                                      \
    "    members: [[a, b, column], [d, c, column], [b, c, beam]]\n"                                                  \
    "    supports: {a: fixed, d: fixed}\n"                                                                           \
    "  masses: {b: 25 t, c: 25 t}\n"                                                                                 \
    "  rayleigh: {mass: 0.2, stiffness: 0.2 ms}\n"                                                                   \
    "ground: {signal: {sine: {amplitude: 3 m/s2, frequency: 1.5 Hz}}}\n"                                             \
    "specimen:\n" specimen                                                                                           \
    "    limits: {stroke: 15.625 mm, velocity: 0.25 m/s, acceleration: 16 m/s2, force: 250 kN, tracking: 3 mm}\n" rest
#define WEIGHED(specimen, test)                                                                                      \
    "time: {step: 2 ms, end: 1 s}\n"                                                                                 \
    "method: {lsrt2: {jacobian: exact}}\n"                                                                           \
    "model:\n"                                                                                                       \
    "  frame:\n"                                                                                                     \
    "    material: {young: 210 GPa}\n"                                                                               \
    "    sections: {column: {area: 64.3 cm2, iz: 3692 cm4}, beam: {area: 53.8 cm2, iz: 8356 cm4}}\n"                 \
    "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"                                      \
    "    members: [[a, b, column], [d, c, column], {from: b, to: c, section: beam, load: 20 kN/m}]\n"                \
    "    supports: {a: fixed, d: fixed}\n"                                                                           \
    "  masses: {b: 25 t, c: 25 t}\n"                                                                                 \
    "  rayleigh: {mass: 0.2, stiffness: 0.2 ms}\n"                                                                   \
    "ground: {signal: {sine: {amplitude: 3 m/s2, frequency: 1.5 Hz}}}\n"                                             \
    "specimen:\n"                                                                                                    \
    "  - name: brace\n"                                                                                              \
    "    " specimen "\n"                                                                                             \
    "    estimate: {stiffness: 60 MN/m}\n"                                                                           \
    "    limits: {stroke: 15.625 mm, velocity: 0.25 m/s, acceleration: 16 m/s2, force: 250 kN, tracking: 3 mm}\n"    \
    "test: {rig: virtual, leave: stay, ramp-in: 0.2 s, settle: 0.05 s, brake: 0.05 s, allow-resume: yes" test "}\n"
#define BRB                                                                                                          \
    "  - name: brace\n"                                                                                              \
    "    brb: {between: [a, c], stiffness: 60 MN/m, hardening: 1.2 MN/m, yield-force: 150 kN, final-force: 190 kN, " \
    "yield-force-compression: 160 kN, final-force-compression: 210 kN, hardening-travel: 50 mm}\n"                   \
    "    estimate: {stiffness: 60 MN/m}\n"
#define TEST_OF                                                                                                      \
    "test: {rig: virtual, leave: stay, ramp-in: 0.2 s, settle: 0.05 s, brake: 0.05 s, allow-resume: yes}\n"

static const double period = 1e-3, stroke = 0.015625, velocity = 0.25, acceleration = 16.0;

/* The rig: what it adds to measurements, and what it receives. */
static struct {
    double shift, push, first, last, step, far, fastest, hardest;
    bool silent;
    long commands, moved;
} rig;
static const quantity own[] = {QUANTITY(rig, shift), QUANTITY(rig, push),    QUANTITY(rig, silent),
                               QUANTITY(rig, first), QUANTITY(rig, last),    QUANTITY(rig, far),
                               QUANTITY(rig, moved), QUANTITY(rig, hardest), {.name = NULL}};
static stand s;

static bool sense(ifd_rig *r, ifd_measure *out, double *x)
{
    bool fresh = ifd_virtual_rig.sense(r, out, x);
    out->position[0] += rig.shift;
    out->force[0] += rig.push;
    return fresh && !rig.silent;
}

static void command(ifd_rig *r, const ifd_command *c, double *x)
{
    if (c->commanded) {
        double step = rig.commands ? c->position[0] - rig.last : 0.0;
        rig.first = rig.commands ? rig.first : c->position[0];
        rig.far = fmax(rig.far, fabs(c->position[0]));
        rig.fastest = fmax(rig.fastest, fabs(step) / period);
        rig.hardest = fmax(rig.hardest, fabs(step - rig.step) / (period * period));
        rig.moved += step != 0.0;
        rig.last = c->position[0];
        rig.step = step;
        rig.commands++;
    }
    ifd_virtual_rig.command(r, c, x);
}

static player *braced(const char *set)
{
    memset(&rig, 0, sizeof rig);
    memset(&s, 0, sizeof s);
    s.own = own;
    return stand_case(&s, BRACED("1 s", BRB, TEST_OF), set, sense, command);
}

/* A command may miss a difference by the rounding of its double. */
static void kept(void)
{
    const double rounding = 1e-9;
    assert_true(rig.commands > 0);
    assert_true(rig.far <= stroke);
    assert_true(rig.fastest <= velocity * (1.0 + rounding));
    assert_true(rig.hardest <= acceleration * (1.0 + 1e-6));
    unmake(&s);
}

/* Limits of position and force act on elongation and tension, at both ends. */
static const scenario faults[] = {
    {"an operator trip leaves the actuator where it is", NULL,
     "until run; 240; trip; here := last; moved := 0; is tripped; 300; last = here; moved = 0"},
    {"a stop holds and then unloads or stays", NULL,
     "until run; 240; stop; until the end; fault NONE; passed ready ramp-in run hold ramp-out stopped"},
    {"a hold brings the elongation to rest and a resume continues", NULL,
     "until run; 240; hold; until rests = 1; here := last; 100; last = here +- 1e-12; resume: NONE; until the end; "
     "fault NONE; result DONE"},
    {"a lost measurement trips", NULL, "until run; 240; silent := 1; 60; fault LOST; here := last; 100; last = here"},
    {"an elongation beyond the stroke trips", NULL,
     "until run; 100; shift := 0.04; 2; fault POSITION; fault.limit = 0.015625"},
    {"a shortening beyond the stroke trips", NULL,
     "until run; 100; shift := -0.04; 2; fault POSITION; fault.limit = -0.015625"},
    {"a tension beyond the limit trips", NULL,
     "until run; 100; push := 500000; 2; fault FORCE; fault.limit = 250000"},
    {"a compression beyond the limit trips", NULL,
     "until run; 100; push := -500000; 2; fault FORCE; fault.limit = 250000"},
    {"an actuator off its target trips", NULL, "until run; 100; shift := 0.0035; 3; fault TRACKING"},
};
SCENARIOS(faults, braced, kept)

/* The target of every exchange is 0.8 c.x + 0.6 c.y of the structure, and the load on it is minus the measured force
 * times the row: with an ideal rig and no lag the motion is that of a run. */
TEST(a_test_with_an_ideal_rig_moves_like_the_run)
{
    static const char text[] = BRACED("4 s", BRB, TEST_OF);
    memset(&rig, 0, sizeof rig);
    play(stand_case(&s, text, NULL, NULL, command), "until run");
    ifd_run *r;
    int count, cx = -1, cy = -1;
    assert_int_equal(ifd_run_make(s.arena, &s.c->run, &r, &s.note), IFD_OK);
    const ifd_column *column = ifd_run_columns(r, &count);
    for (int i = 0; i < count; i++)
        if (column[i].quantity == IFD_COLUMN_DISPLACEMENT) {
            cx = strcmp(column[i].owner, "c.x") == 0 ? i : cx;
            cy = strcmp(column[i].owner, "c.y") == 0 ? i : cy;
        }
    double least = 0.0;
    while (ifd_hybrid_state(s.h) == IFD_MACHINE_RUN) {
        play(&s.p, "1");
        least = fmin(least, test_column(s.h, "brace target"));
    }
    play(&s.p, "until the end; fault NONE; result DONE");
    while (ifd_run_tick(r) == IFD_RUN_GOING)
        continue;
    const double *end = ifd_run_values(r);
    double x = test_column(s.h, "c.x displacement"), y = test_column(s.h, "c.y displacement");
    assert_near(x, end[cx], 1e-15, "c.x at the end");
    assert_near(y, end[cy], 1e-15, "c.y at the end");
    assert_near_rel(x, 0.0016464, 2e-4, "c.x of an independent program");
    assert_near_rel(least, -0.00783654124, 2e-3, "largest shortening of the reference solution");
    ifd_run_close(r);
    unmake(&s);
}

#define SPRING_FROM(origin) "spring: {between: [a, c], stiffness: 60 MN/m, origin: " origin "}"

static player *loaded(const char *set)
{
    memset(&rig, 0, sizeof rig);
    memset(&s, 0, sizeof s);
    s.own = own;
    return stand_case(&s, WEIGHED(SPRING_FROM("loaded"), ""), set, sense, command);
}

/* Without a preload and from zero: a limit of position is one of q - q0, where |q0| is 0.0000635 m. */
static const scenario erected[] = {
    {"a brace erected under the loads starts at zero", NULL,
     "until run; first = 0; last = 0; until the end; fault NONE"},
    {"its stroke counts from there", NULL,
     "until run; 100; shift := 0.04; 2; fault POSITION; fault.limit = 0.015625"},
    {"and at the other end", NULL, "until run; 100; shift := -0.04; 2; fault POSITION; fault.limit = -0.015625"},
    {"a hold and a resume", NULL,
     "until run; 240; hold; until rests = 1; here := last; 100; last = here +- 1e-12; resume: NONE; until the end; "
     "fault NONE; result DONE"},
};
SCENARIOS(erected, loaded, kept)

/* c.x at the end of a run. */
static double end_of_run(const ifd_case *c, ifd_arena *arena, ifd_note *note)
{
    ifd_run *r;
    int count, cx = -1;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, note), IFD_OK);
    const ifd_column *column = ifd_run_columns(r, &count);
    for (int i = 0; i < count; i++)
        if (column[i].quantity == IFD_COLUMN_DISPLACEMENT && strcmp(column[i].owner, "c.x") == 0)
            cx = i;
    while (ifd_run_tick(r) == IFD_RUN_GOING)
        continue;
    double end = ifd_run_values(r)[cx];
    ifd_run_close(r);
    return end;
}

TEST(a_brace_erected_under_the_loads_moves_like_its_run)
{
    memset(&rig, 0, sizeof rig);
    player *p = stand_case(&s, WEIGHED(SPRING_FROM("loaded"), ""), NULL, NULL, command);
    double run = end_of_run(s.c, s.arena, &s.note), q0 = s.c->chord->start;
    assert_near_rel(q0, -0.06349832e-3, 1e-7, "elongation in the gravity state");
    play(p, "until run; first = 0");
    assert_near_rel(0.8 * test_column(s.h, "c.x displacement") + 0.6 * test_column(s.h, "c.y displacement"), q0, 1e-3,
                    "elongation of the structure at the start");
    play(p, "until the end; fault NONE; result DONE");
    assert_near(test_column(s.h, "c.x displacement"), run, 1e-15, "c.x at the end");
    unmake(&s);
}

/* The brace that carries the loads: a preload brings it to the elongation of the gravity state of an independent
 * program, -468.942159 N/60 MN/m, before the run. */
TEST(a_brace_under_the_loads_starts_at_its_elongation)
{
    memset(&rig, 0, sizeof rig);
    player *p =
        stand_case(&s, WEIGHED(SPRING_FROM("unloaded") "\n    force-offset: keep", ", preload: {tolerance: 1e-9 m}"),
                   NULL, NULL, command);
    play(p, "until run");
    assert_near_rel(test_column(s.h, "brace target"), -468.942159 / 60e6, 2e-4, "target at the start");
    play(p, "until the end; fault NONE; result DONE");
    unmake(&s);
}

TESTS()
