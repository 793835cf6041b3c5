/* SPDX-License-Identifier: MIT */
/* What leaves a test with elastic time: the compensated command, the recorded age, and commands while a substructure
 * is late. */
#include "hybrid/elastic/site.h"

#include "hybrid/pace/scaled.h"

enum { LAMBDA = 40 };

/* u = x + a1 x' + a2 x'' at whole ticks of full rate, in wall-clock time at full rate; linear between them, whatever
 * the rate. */
TEST(a_compensated_command_is_a_function_of_progress)
{
    static const int late[] = {5, 700};
    const ifd_compensator_kind *kind = ifd_compensator_find("inverse-2");
    double a[3] = {1.0, 0.02, 3e-4};
    for (size_t i = 0; i < COUNT(late); i++) {
        scene c;
        ifd_value values[IFD_COMPENSATOR_PARAMS];
        prepare(&c, LAMBDA, late[i]);
        ifd_param_preset(kind->params, values);
        values[ifd_param_find(kind->params, "coefficients")] = ifd_list(a, 3);
        c.s.channel.compensator = kind;
        c.s.channel.compensator_values = values;
        stand_make(&c.s);
        ifd__elastic_interface *k = ifd__elastic_interface_of(c.s.h, 0);
        play(&c.s.p, "until ramp-in");
        k->lead = k->next_lead = 1.0;
        play(&c.s.p, "until run");
        assert_true(k->lead == 0.0 && k->next_lead == 0.0);
        const ifd__test_state *t = ifd__test_of(c.s.h);
        double lead = 0.0, next = 0.0, last = -1.0;
        int between = 0;
        for (int n = 0; n < 4000; n++) {
            one(&c);
            double end = ceil(t->phase), y[3], x[3];
            if (t->phase == t->last_phase)
                continue;
            ifd__time_path_at(&c.s.h->io, 0, t->phase, x);
            ifd__time_path_at(&c.s.h->io, 0, end, y);
            if (end != last || t->phase < t->last_phase || ceil(t->last_phase) != end) {
                lead = next;
                next = a[1] * y[1] / LAMBDA + a[2] * y[2] / (LAMBDA * LAMBDA);
            }
            last = end;
            between += end != t->phase;
            if (n > 100)
                assert_near(ifd__interface_of(c.s.h, 0)->requested, x[0] + next + (t->phase - end) * (next - lead),
                            1e-12, "%d ticks late, tick %d", late[i], n);
        }
        assert_true(late[i] < 100 || between > 2000);
        ifd_arena_close(c.s.arena);
    }
}

/* The recorded age of every tick, and the sums of the run. */
TEST(age_and_slowdown_are_those_of_the_run)
{
    scene c;
    prepare(&c, LAMBDA, 30);
    stand_make(&c.s);
    int columns, runs = 0;
    const ifd_column *column = ifd_hybrid_columns(c.s.h, &columns);
    int at = ifd_column_find(column, columns, "", IFD_COLUMN_TEST_AGE);
    assert_true(at >= 0);
    double simulated = 0.0;
    for (long n = 0; n < 200000 && ifd_hybrid_state(c.s.h) != IFD_MACHINE_STOPPED; n++) {
        bool run = ifd_hybrid_state(c.s.h) == IFD_MACHINE_RUN;
        one(&c);
        if (!run || ifd_hybrid_state(c.s.h) != IFD_MACHINE_RUN)
            continue;
        assert_near(c.s.t.values(c.s.t.self)[at], 31e-3, 1e-9, "age");
        runs++;
        simulated += rate(&c) * tick;
    }
    ifd_slowdown slow;
    assert_true(ifd_hybrid_slowdown(c.s.h, &slow));
    assert_near(slow.run, runs * tick, 1e-6, "run");
    assert_near(slow.at_full_rate, simulated, 1e-6, "at full rate");
    assert_near(slow.oldest, 31e-3, 1e-9, "oldest");
    ifd_arena_close(c.s.arena);
}

/* A late substructure stops simulated time at its stage, for as many ticks as are tolerated: what leaves the program
 * brakes and continues within the limit of acceleration, and the test ends as any other. */
TEST(a_late_substructure_keeps_the_limit_of_acceleration)
{
    scene c;
    prepare(&c, LAMBDA, 5);
    c.s.opt.overrun = IFD_OVERRUN_EXTRAPOLATE;
    c.s.opt.late_limit = 20;
    c.s.opt.late_time = 0.0;
    c.s.channel.limits.acceleration = 0.2;
    c.s.channel.limits.tracking = 0.02;
    stand_make(&c.s);
    double p[3] = {0.0, 0.0, 0.0}, most = 0.0, fastest = 0.0;
    bool late = false;
    for (long n = 0; n < 400000 && ifd_hybrid_state(c.s.h) != IFD_MACHINE_STOPPED; n++) {
        late = ifd_hybrid_time(c.s.h) >= 0.26 && ifd_hybrid_count(c.s.h, IFD_TRIP_LATE_JOB) < 20;
        (void)c.s.t.tick(c.s.t.self, &(ifd_tick_in){.job_late = late});
        p[0] = p[1];
        p[1] = p[2];
        p[2] = c.s.h->command.position[0];
        most = fmax(most, fabs(p[2] - 2.0 * p[1] + p[0]) / (tick * tick));
        fastest = fmax(fastest, fabs(p[2] - p[1]) / tick);
    }
    play(&c.s.p, "count.LATE_JOB = 20; is stopped");
    assert_near(ifd_hybrid_time(c.s.h), 2.0, 1e-9, "end");
    assert_true(most <= 0.2 * (1.0 + 1e-6));
    assert_true(fastest / tick > 5.0 * most); /* it did not stop within a tick */
    ifd_arena_close(c.s.arena);
}

TESTS()
