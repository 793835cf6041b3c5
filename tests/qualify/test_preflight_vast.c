/* SPDX-License-Identifier: MIT */
/* Preflight of a loop with too many numbers for a search of its margins, which tries the limits of caution instead:
 * against the searched margins of the same loop without the oscillators that nothing connects with the specimen. */
#include "check.h"

#include <string.h>

#include <interfield/case.h>
#include <interfield/preflight.h>
#include <interfield/report.h>

#include "qualify/preflight.h"
#include "scratch.h"

enum { OTHERS = 1000, DASHPOTS = 210 };

static void write_model(FILE *f, int others, double damping)
{
    fprintf(f, "title: A mass with a brace on a rig, and other masses\n"
               "time: {step: 10 ms, end: 0.1 s}\n"
               "method: lsrt2\n"
               "model:\n"
               "  dofs: [a");
    for (int i = 0; i < others; i++)
        fprintf(f, ", b%d", i);
    fprintf(f, "]\n  mass: [1 t");
    for (int i = 0; i < others; i++)
        fprintf(f, ", 1 t");
    fprintf(f, "]\n  stiffness: [100 kN/m");
    for (int i = 0; i < others; i++)
        fprintf(f, ", %.6g kN/m", pow(20.0 + 15.0 * i / OTHERS, 2.0));
    fprintf(f, "]\n  rayleigh: {mass: %g, stiffness: 2 ms}\n%s", damping, others ? "  elements:\n" : "");
    for (int i = 0; i < others && i < DASHPOTS; i++)
        fprintf(f, "    - {name: e%d, dashpot: {at: b%d, damping: 500 N s/m}}\n", i, i);
}

static ifd_preflight examine(ifd_arena *arena, int others, double damping)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 16];
    ifd_note note;
    ifd_case *c = NULL;
    ifd_preflight_options o;
    ifd_preflight p;
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    write_model(f, others, damping);
    fprintf(f, "specimen:\n"
               "  - name: brace\n"
               "    spring: {between: [ground, a], stiffness: 300 kN/m}\n"
               "    actuator: {delay: {delay: 4 ms}}\n"
               "    limits: {stroke: 1 m, velocity: 100 m/s, acceleration: 1e5 m/s2, force: 100 MN}\n"
               "test: {leave: start}\n"
               "record: [a]\n");
    fclose(f);
    ifd_note_init(&note, arena);
    if (ifd_case_read(arena, path, 0, NULL, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_non_null(c);
    assert_int_equal(scratch_remove(folder), 0);
    ifd_preflight_defaults(&o);
    o.test = c->test;
    o.twin = c->laboratory;
    assert_int_equal(ifd_preflight_run(arena, &o, &p, NULL), IFD_OK);
    assert_true(p.examined);
    assert_false(p.undecided);
    return p;
}

/* The largest of 1, 1/2, 1/4 and 0 times the limit that is below the margin. */
static double tried(double margin, double limit)
{
    for (double share = 1.0; share >= 0.25; share *= 0.5)
        if (share * limit < margin)
            return share;
    return 0.0;
}

TEST(a_vast_loop_tries_the_limits_of_caution)
{
    /* Margins of the delay above the limit; from a half to the whole; from a quarter to a half; below. With the
     * second, a softer specimen has another share of the limits than a stiffer one. */
    static const double damping[] = {4.0, 1.95, 1.6, 1.2};
    (void)state;
    for (size_t i = 0; i < COUNT(damping); i++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_preflight small = examine(arena, 0, damping[i]), vast = examine(arena, OTHERS, damping[i]);
        assert_false(ifd__preflight_vast(&small));
        assert_true(ifd__preflight_vast(&vast));
        assert_true(small.initial.stable && vast.initial.stable);
        assert_near_rel(vast.initial.radius, small.initial.radius, 1e-8, "radius with damping %g", damping[i]);
        assert_near_rel(vast.initial.frequency, small.initial.frequency, 1e-6, "frequency");
        assert_near_rel(vast.together_delay, small.together_delay, 1e-12, "limit of caution");
        double alone = tried(small.initial.delay.value, small.together_delay);
        double together = tried(small.initial.together.value, 1.0);
        print_message("damping %g: delay %g of %g, together %g\n", damping[i], small.initial.delay.value,
                      small.together_delay, small.initial.together.value);
        assert_near(vast.initial.delay.value, alone * vast.together_delay, 1e-12, "delay, damping %g", damping[i]);
        assert_int_equal(vast.initial.delay.found, alone < 1.0);
        assert_near(vast.initial.together.value, together, 1e-12, "together, damping %g", damping[i]);
        assert_int_equal(vast.initial.together.found, together < 1.0);
        ifd_arena_close(arena);
    }
}

TESTS()
