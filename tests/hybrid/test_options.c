/* SPDX-License-Identifier: MIT */
/* Refused options of a test: a limit of 0, and a struct without defaults. */
#include "hybrid_stand.h"

#include <math.h>
#include <stddef.h>

#include "hybrid/hybrid.h"
#include "rig/limits.h"

/* Whether a finding of the note contains all three texts. */
static bool says(const ifd_note *note, const char *a, const char *b, const char *c)
{
    for (const ifd_finding *f = note->first; f; f = f->next)
        if (strstr(f->text, a) && strstr(f->text, b) && strstr(f->text, c))
            return true;
    return false;
}

static ifd_status refused(stand *s, ifd_note *note)
{
    ifd_note_init(note, s->arena);
    return ifd_hybrid_make(s->arena, &s->opt, &s->h, note);
}

TEST(a_struct_left_at_zero_is_refused_by_the_name_of_its_defaults)
{
    stand s;
    ifd_note note;
    stand_prepare(&s, 1e5, 1e5);
    ifd_hybrid_options good = s.opt;
    s.opt = (ifd_hybrid_options){.model = good.model,
                                 .step = good.step,
                                 .end = 1.0,
                                 .interfaces = 1,
                                 .interface = &s.channel,
                                 .rig = good.rig,
                                 .rig_setup = good.rig_setup};
    assert_int_equal(refused(&s, &note), IFD_RANGE);
    assert_true(says(&note, "ramp_in is 0 s", "above zero", "ifd_hybrid_defaults()"));
    s.opt = good;
    s.channel.limits = (ifd_limits){.low = -0.05, .high = 0.05, .velocity = 1.0, .acceleration = 100.0};
    assert_int_equal(refused(&s, &note), IFD_RANGE);
    assert_true(says(&note, "interface 'spring'", "'force' is 0 N", "ifd_limits_defaults()"));
    assert_int_equal(note.errors, 6);
    ifd_arena_close(s.arena);
}

/* Every number of the options: 0, negative, and NaN. */
TEST(no_number_of_the_options_may_be_zero)
{
    static const struct {
        const char *name;
        size_t at;
        bool whole, endless;
    } rows[] = {{"lambda", offsetof(ifd_hybrid_options, lambda), false, false},
                {"ticks_per_stage", offsetof(ifd_hybrid_options, ticks_per_stage), true, false},
                {"ramp_in", offsetof(ifd_hybrid_options, ramp_in), false, false},
                {"settle", offsetof(ifd_hybrid_options, settle), false, false},
                {"brake", offsetof(ifd_hybrid_options, brake), false, false},
                {"creep", offsetof(ifd_hybrid_options, creep), false, true},
                {"creep_fraction", offsetof(ifd_hybrid_options, creep_fraction), false, false},
                {"late_limit", offsetof(ifd_hybrid_options, late_limit), true, false},
                {"stale_limit", offsetof(ifd_hybrid_options, stale_limit), true, false},
                {"stale_fraction", offsetof(ifd_hybrid_options, stale_fraction), false, false},
                {"stuck_limit", offsetof(ifd_hybrid_options, stuck_limit), true, false},
                {"arm_timeout", offsetof(ifd_hybrid_options, arm_timeout), false, true},
                {"arm_samples", offsetof(ifd_hybrid_options, arm_samples), true, false},
                {"arm_spread", offsetof(ifd_hybrid_options, arm_spread), false, false},
                {"preload_fraction", offsetof(ifd_hybrid_options, preload_fraction), false, false},
                {"preload_iterations", offsetof(ifd_hybrid_options, preload_iterations), true, false},
                {"until", offsetof(ifd_hybrid_options, until), false, true},
                {"checkpoint_every", offsetof(ifd_hybrid_options, checkpoint_every), false, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int which = 0; which < 3; which++) {
            const double values[] = {0.0, -1.0, (double)INFINITY};
            const int counts[] = {0, -1, 0};
            stand s;
            ifd_note note;
            stand_prepare(&s, 1e5, 1e5);
            if (rows[i].whole)
                memcpy((char *)&s.opt + rows[i].at, &counts[which], sizeof(int));
            else
                memcpy((char *)&s.opt + rows[i].at, &values[which], sizeof(double));
            ifd_status status = refused(&s, &note);
            if (which == 2 && rows[i].endless)
                assert_int_equal(status, IFD_OK);
            else {
                assert_int_equal(status, IFD_RANGE);
                assert_true(says(&note, rows[i].name, "expected a number above zero", "ifd_hybrid_defaults()"));
            }
            ifd_arena_close(s.arena);
        }
}

/* These may be zero, but neither negative nor infinite. */
TEST(a_time_that_may_be_zero_is_no_less)
{
    static const struct {
        const char *name;
        size_t at;
    } rows[] = {{"arm_time", offsetof(ifd_hybrid_options, arm_time)},
                {"late_after", offsetof(ifd_hybrid_options, late_after)},
                {"late_time", offsetof(ifd_hybrid_options, late_time)},
                {"stale_time", offsetof(ifd_hybrid_options, stale_time)},
                {"stuck_time", offsetof(ifd_hybrid_options, stuck_time)}};
    const double values[] = {0.0, -1e-9, (double)INFINITY, (double)NAN};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int which = 0; which < 4; which++) {
            stand s;
            ifd_note note;
            stand_prepare(&s, 1e5, 1e5);
            memcpy((char *)&s.opt + rows[i].at, &values[which], sizeof(double));
            assert_int_equal(refused(&s, &note), which == 0 ? IFD_OK : IFD_RANGE);
            if (which > 0)
                assert_true(says(&note, rows[i].name, "expected 0 or more", "options of a test"));
            ifd_arena_close(s.arena);
        }
}

static double bound; /* s, of the rig */

static ifd_status open_bounded(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    rig->late_after = bound;
    return ifd_virtual_rig.open(rig, values, arena, note);
}

/* Half a tick, the time of the case, or what the rig permits; more than that is refused. */
TEST(a_rig_bounds_the_lateness_of_a_tick)
{
    static const struct {
        double given, bound, found; /* ticks; found 0: refused */
    } rows[] = {{0.0, 0.0, 0.5}, {0.0, 0.3, 0.3}, {0.0, 0.6, 0.5}, {0.2, 0.0, 0.2},
                {0.8, 0.0, 0.8}, {0.2, 0.3, 0.2}, {0.3, 0.3, 0.3}, {0.31, 0.3, 0.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stand s;
        ifd_note note;
        ifd_rig_ops bounded = ifd_virtual_rig;
        bounded.open = open_bounded;
        stand_prepare(&s, 1e5, 1e5);
        stand_make(&s);
        const double tick = ifd_hybrid_period(s.h);
        ifd_arena_close(s.arena);
        stand_prepare(&s, 1e5, 1e5);
        bound = rows[i].bound * tick;
        s.opt.rig = &bounded;
        s.opt.late_after = rows[i].given * tick;
        ifd_status status = refused(&s, &note);
        assert_int_equal(status, rows[i].found > 0.0 ? IFD_OK : IFD_RANGE);
        if (status == IFD_OK)
            assert_near_rel(s.h->late_after, rows[i].found * tick, 1e-12, "row %d", (int)i);
        else
            assert_true(says(&note, "late-after", "expected at most", "takes commands at fixed instants"));
        ifd_arena_close(s.arena);
    }
}

/* The defaults in docs/reference/case.md. */
TEST(the_defaults_are_those_that_are_documented)
{
    ifd_hybrid_options o;
    ifd_interface_options c;
    ifd_hybrid_defaults(&o);
    ifd_interface_defaults(&c);
    const double none = (double)INFINITY;
    const struct {
        const char *name;
        double value, expected;
    } rows[] = {{"lambda", o.lambda, 1.0},
                {"ticks-per-stage", o.ticks_per_stage, 1.0},
                {"ramp-in", o.ramp_in, 2.0},
                {"settle", o.settle, 0.2},
                {"brake", o.brake, 0.2},
                {"creep", o.creep, none},
                {"a tenth of the velocity limit", o.creep_fraction, 0.1},
                {"late-after: half a tick", o.late_after, 0.0},
                {"late-for", o.late_time, 5e-3},
                {"and 3 ticks at least", o.late_limit, 3.0},
                {"stale-for", o.stale_time, 0.01},
                {"and 10 ticks at least", o.stale_limit, 10.0},
                {"stale-share", o.stale_fraction, 0.05},
                {"frozen-for", o.stuck_time, 0.2},
                {"and 20 ticks at least", o.stuck_limit, 20.0},
                {"arm-timeout", o.arm_timeout, 60.0},
                {"arm-samples", o.arm_samples, 10.0},
                {"those of 0.1 s at least", o.arm_time, 0.1},
                {"arm-spread", o.arm_spread, 0.005},
                {"preload: share", o.preload_fraction, 1e-6},
                {"preload: iterations", o.preload_iterations, 20.0},
                {"until", o.until, none},
                {"checkpoint-every", o.checkpoint_every, none},
                {"force-factor", c.force_factor, 1.0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value != rows[i].expected)
            fail_msg("%s is %.17g, documented is %g", rows[i].name, rows[i].value, rows[i].expected);
    assert_true(c.from == IFD_GROUND && c.to == IFD_GROUND);
}

static const struct {
    const char *key;
    size_t at;
    bool required; /* for a rig that is not virtual */
} limits[] = {{"force", offsetof(ifd_limits, force), true},
              {"force-rate", offsetof(ifd_limits, force_rate), false},
              {"tracking", offsetof(ifd_limits, tracking), true},
              {"energy", offsetof(ifd_limits, energy), false},
              {"measured-velocity", offsetof(ifd_limits, measured_velocity), false},
              {"measured-acceleration", offsetof(ifd_limits, measured_acceleration), false}};

TEST(a_limit_of_zero_is_refused_and_none_is_not)
{
    const double bad[] = {0.0, -1.0, (double)NAN};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
            stand s;
            ifd_note note;
            stand_prepare(&s, 1e5, 1e5);
            assert_int_equal(refused(&s, &note), IFD_OK);
            ifd_hybrid_close(s.h);
            memcpy((char *)&s.channel.limits + limits[i].at, &bad[b], sizeof bad[b]);
            assert_int_equal(refused(&s, &note), IFD_RANGE);
            assert_int_equal(note.errors, 1);
            assert_true(says(&note, "interface 'spring'", limits[i].key, "above zero"));
            ifd_arena_close(s.arena);
        }
}

/* The virtual rig with another name counts as a real rig. */
TEST(a_real_rig_needs_limits_of_force_and_tracking)
{
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        stand s;
        ifd_note note;
        const double none = (double)INFINITY, some = 1.0;
        stand_prepare(&s, 1e5, 1e5);
        ifd_rig_ops real = ifd_virtual_rig;
        real.name = "controller";
        s.opt.rig = &real;
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
            memcpy((char *)&s.channel.limits + limits[k].at, i == k ? &none : &some, sizeof some);
        assert_int_equal(refused(&s, &note), limits[i].required ? IFD_MISSING_KEY : IFD_OK);
        if (limits[i].required)
            assert_true(says(&note, "interface 'spring'", limits[i].key, "not virtual"));
        else
            ifd_hybrid_close(s.h);
        ifd_arena_close(s.arena);
    }
}

/* A limit that is not checked is refused, so that nobody relies on it. */
TEST(a_limit_that_nobody_watches_is_refused)
{
    static const struct {
        const char *who;
        unsigned kept;
        const char *watched;
    } rows[] = {{"interface", IFD__KEPT_INTERFACE,
                 "force force-rate tracking energy measured-velocity measured-acceleration"},
                {"actuator", IFD__KEPT_ACTUATOR, "force, force-rate, tracking"},
                {"server", IFD__KEPT_SERVER, "force, tracking"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            stand s;
            ifd_note note;
            const double some = 1.0;
            stand_prepare(&s, 1e5, 1e5);
            ifd_note_init(&note, s.arena);
            ifd_limits l = s.channel.limits;
            memcpy((char *)&l + limits[i].at, &some, sizeof some);
            bool watched = strstr(rows[r].watched, limits[i].key) != NULL;
            ifd_status status = ifd__limits_check(&l, rows[r].who, rows[r].kept, false, &note);
            assert_int_equal(status, watched ? IFD_OK : IFD_UNSUPPORTED);
            assert_int_equal(note.errors, !watched);
            if (!watched)
                assert_true(says(&note, rows[r].who, limits[i].key, "not checked"));
            ifd_arena_close(s.arena);
        }
}

TEST(a_command_without_bounds_is_refused)
{
    const double inf = (double)INFINITY;
    const struct {
        double low, high, velocity, acceleration;
        const char *what;
    } rows[] = {{0.05, 0.05, 1.0, 1.0, "a stroke limit"},         {0.05, -0.05, 1.0, 1.0, "a stroke limit"},
                {-inf, 0.05, 1.0, 1.0, "a stroke limit"},         {-0.05, inf, 1.0, 1.0, "a stroke limit"},
                {(double)NAN, 0.05, 1.0, 1.0, "a stroke limit"},  {-0.05, 0.05, 0.0, 1.0, "a velocity limit"},
                {-0.05, 0.05, -1.0, 1.0, "a velocity limit"},     {-0.05, 0.05, inf, 1.0, "a velocity limit"},
                {-0.05, 0.05, 1.0, 0.0, "an acceleration limit"}, {-0.05, 0.05, 1.0, -1.0, "an acceleration limit"},
                {-0.05, 0.05, 1.0, inf, "an acceleration limit"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        stand s;
        ifd_note note;
        stand_prepare(&s, 1e5, 1e5);
        s.channel.limits.low = rows[i].low;
        s.channel.limits.high = rows[i].high;
        s.channel.limits.velocity = rows[i].velocity;
        s.channel.limits.acceleration = rows[i].acceleration;
        assert_int_equal(refused(&s, &note), IFD_RANGE);
        assert_int_equal(note.errors, 1);
        assert_true(says(&note, "interface 'spring'", "needs", rows[i].what));
        ifd_arena_close(s.arena);
    }
    ifd_limits none;
    ifd_limits_defaults(&none);
    assert_true(none.low == -inf && none.high == inf && none.velocity == inf && none.acceleration == inf);
}

TEST(a_channel_stands_for_a_number_of_devices)
{
    stand s;
    ifd_note note;
    stand_prepare(&s, 1e5, 1e5);
    s.channel.force_factor = 0.0;
    assert_int_equal(refused(&s, &note), IFD_RANGE);
    assert_true(says(&note, "interface 'spring'", "0 devices", "ifd_interface_defaults()"));
    ifd_arena_close(s.arena);
}

/* A tick has a fixed number of operations. */
TEST(a_jacobian_without_fixed_cost_is_refused)
{
    const char *words[] = {"fault", "exact", "warn"};
    for (int i = 0; i < 3; i++) {
        stand s;
        ifd_note note;
        stand_prepare(&s, 1e5, 1e5);
        ifd_step_options_defaults(ifd_method_find("lsrt2"), s.opt.step.h, &s.opt.step);
        assert_true(ifd_step_options_set(&s.opt.step, "jacobian", ifd_word("bounded")));
        assert_true(ifd_step_options_set(&s.opt.step, "tangent-beyond", ifd_word(words[i])));
        assert_int_equal(refused(&s, &note), i ? IFD_CONFLICT : IFD_OK);
        if (i == 2)
            assert_true(says(&note, "'tangent-beyond' is warn", "expected fault in a test", "may grow"));
        if (i == 1)
            assert_true(says(&note, "'tangent-beyond' is exact", "expected fault in a test", "fixed cost"));
        ifd_arena_close(s.arena);
    }
}

TESTS()
