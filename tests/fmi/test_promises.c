/* SPDX-License-Identifier: MIT */
/* Guarantees of an exported FMU to its master: counted time, arithmetic of its own, parameters that take
 * effect, any number of instances, an answer to calls in any order. */
#include "check.h"

#include <math.h>
#include <xmmintrin.h>

#include "exported.h"

enum {
    CONTROL = 0xffc0 /* flags apart */,
    CALLER = 0x1f80 - 0x80 - 0x200 - 0x400 + 0x8040 + 0x6000
}; /* traps, flushed denormals, towards zero */

static void drop(const peer *p, void *instance)
{
    void (*release)(void *);
    *(void **)&release = peer_symbol(p, "FreeInstance");
    release(instance);
}

static peer another(const peer *p)
{
    peer q = *p;
    q.instance = peer_instantiate(&q, q.token);
    assert_non_null(q.instance);
    return q;
}

static fmi_status mode(const peer *p, const char *name)
{
    fmi2_mode *call;
    *(void **)&call = peer_symbol(p, name);
    return call(p->instance);
}

/* Ten million steps, a million at a time: what a sum of 1 ms would have lost by then is in the last line. */
TEST_WITH(time_is_counted_and_not_summed, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    const char *set_list[] = {"method=newmark"};
    ifd_case *c = exported_case("oscillator/harmonic", 1, set_list);
    peer p;
    exported_open(c, 2, 0, NULL, &p);
    peer_initialise(&p, 0.0);
    const long many = 1000000;
    double h = c->run.step.h, sum = 0.0;
    for (long k = 0; k < 10; k++)
        assert_int_equal(peer_step(&p, h * (double)(k * many), h * (double)many), FMI_OK);
    assert_true(peer_get(&p, 0) == h * (double)(10 * many));
    assert_int_equal(peer_step(&p, h * (double)(10 * many), h), FMI_OK);
    assert_true(peer_get(&p, 0) == h * (double)(10 * many + 1));
    for (long k = 0; k < 10 * many; k++)
        sum += h;
    assert_true(fabs(sum - h * (double)(10 * many)) > 1e-8);
    peer_close(&p);
}

/* Every call under arithmetic that would change its bits or end the process; the caller finds it as it was. */
TEST_WITH(arithmetic_of_the_caller_is_neither_used_nor_changed, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("shear-pendulum/bouc-wen-one", 0, NULL);
    for (int version = 2; version <= 3; version++) {
        peer p;
        exported_open(c, version, 1, &(ifd_fmu_row){"top", IFD_GROUND, 1, NULL}, &p);
        uint32_t f = exported_reference("f[1]"),
                 out[] = {exported_reference("d[1]"), exported_reference("a[1]"), exported_reference("G[1,1]")};
        const unsigned calm = _mm_getcsr();
        void *saved = NULL;
        _mm_setcsr(CALLER);
        peer q = another(&p);
        peer_initialise(&q, 0.0);
        _mm_setcsr(calm);
        peer_initialise(&p, 0.0);
        for (int k = 0; k < 300; k++) {
            double now = c->run.step.h * k, value[2][3], push = 3.0 * sin(0.1 * k);
            for (int odd = 0; odd < 2; odd++) {
                peer *one = odd ? &q : &p;
                _mm_setcsr(odd ? CALLER : calm);
                peer_set(one, f, push);
                if (odd)
                    one->get_state(one->instance, &saved);
                peer_step(one, now, c->run.step.h);
                if (odd) {
                    one->set_state(one->instance, saved);
                    peer_step(one, now, c->run.step.h);
                }
                for (int i = 0; i < 3; i++)
                    value[odd][i] = peer_get(one, out[i]);
                unsigned after = _mm_getcsr();
                _mm_setcsr(calm);
                assert_int_equal(after & CONTROL, (odd ? CALLER : calm) & CONTROL);
            }
            assert_memory_equal(value[0], value[1], sizeof value[0]);
        }
        q.free_state(q.instance, (void *)&saved);
        drop(&q, q.instance);
        peer_close(&p);
    }
}

/* The FMU of one case with parameters set against that of a case that was written so. */
TEST_WITH(parameters_mean_what_they_mean_in_the_case, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    static const struct {
        const char *name, *override;
        double value;
    } row[] = {{"element.storey1.stiffness", "model.elements.0.bouc-wen.stiffness=6000 N/m", 6000.0},
               {"element.storey1.alpha", "model.elements.0.bouc-wen.alpha=0.9", 0.9},
               {"element.storey1.beta", "model.elements.0.bouc-wen.beta=900", 900.0},
               {"element.storey1.gamma", "model.elements.0.bouc-wen.gamma=700", 700.0},
               {"element.pendulum.mass", "model.elements.2.pendulum.mass=0.3 kg", 0.3},
               {"element.pendulum.length", "model.elements.2.pendulum.length=0.3 m", 0.3},
               {"ground_scale", "ground={motion: kanai-tajimi, peak: 0.5 g}", 0.5}};
    for (size_t r = 0; r < COUNT(row); r++) {
        peer one, two;
        exported_open(exported_case("shear-pendulum/bouc-wen-one", 0, NULL), 2, 0, NULL, &one);
        ifd_case *c = exported_case("shear-pendulum/bouc-wen-one", 1, &row[r].override);
        uint32_t d = exported_channel(c->run.model, 1), parameter = exported_reference(row[r].name);
        double plain, changed, wanted, h = c->run.step.h;
        peer_initialise(&one, 0.0);
        for (int k = 0; k < 800; k++)
            peer_step(&one, h * k, h);
        plain = peer_get(&one, d);
        assert_int_equal(mode(&one, "Reset"), FMI_OK);
        assert_int_equal(peer_set(&one, parameter, row[r].value), FMI_OK);
        peer_initialise(&one, 0.0);
        for (int k = 0; k < 800; k++)
            peer_step(&one, h * k, h);
        changed = peer_get(&one, d);
        peer_close(&one);
        exported_open(c, 2, 0, NULL, &two);
        peer_initialise(&two, 0.0);
        for (int k = 0; k < 800; k++)
            peer_step(&two, h * k, h);
        wanted = peer_get(&two, d);
        peer_close(&two);
        assert_near_rel(changed, wanted, 1e-11, "%s", row[r].name);
        if (fabs(plain - wanted) < 1e-3 * fabs(wanted))
            fail_msg("%s changed nothing: %g, %g", row[r].name, plain, wanted);
    }
}

TEST_WITH(instances_do_not_know_of_each_other, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("bearing/ground", 0, NULL);
    peer p[4];
    double h = c->run.step.h, alone = 0.0;
    exported_open(c, 3, 0, NULL, &p[0]);
    uint32_t d = exported_channel(c->run.model, 0), scale = exported_reference("ground_scale");
    for (int i = 1; i < 4; i++)
        p[i] = another(&p[0]);
    for (int i = 0; i < 4; i++) {
        peer_set(&p[i], scale, i == 3 ? 1.0 : 0.3 * i);
        peer_initialise(&p[i], 0.0);
    }
    for (int k = 0; k < 400; k++) /* all but the last in turns */
        for (int i = 0; i < 3; i++)
            assert_int_equal(peer_step(&p[i], h * k, h), FMI_OK);
    assert_true(peer_get(&p[0], d) == 0.0 && peer_get(&p[1], d) != peer_get(&p[2], d));
    for (int i = 1; i < 3; i++) { /* alone, after another one was freed */
        double seen = peer_get(&p[i], d);
        drop(&p[i], p[i].instance);
        assert_int_equal(mode(&p[3], "Reset"), FMI_OK);
        peer_set(&p[3], scale, 0.3 * i);
        peer_initialise(&p[3], 0.0);
        for (int k = 0; k < 400; k++)
            peer_step(&p[3], h * k, h);
        alone = peer_get(&p[3], d);
        assert_true(alone == seen);
    }
    drop(&p[3], p[3].instance);
    peer_close(&p[0]);
}

/* 2 kg, an interface at its dof: a = -f/m - (acceleration of the ground), whatever the rest. */
TEST_WITH(derivatives_are_those_of_the_equation_of_motion, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("oscillator/free", 0, NULL);
    peer p;
    exported_open(c, 2, 1, &(ifd_fmu_row){"x", IFD_GROUND, 0, NULL}, &p);
    peer_initialise(&p, 0.0);
    const uint32_t known[] = {exported_reference("f[1]"), exported_reference("ground.x")},
                   unknown[] = {exported_reference("a[1]"), exported_reference("acceleration.x"),
                                exported_reference("v[1]")};
    const double seed[] = {3.0, 5.0};
    double slope[3], rate;
    fmi2_derivative *slope_of;
    fmi_status (*rates)(void *, const uint32_t *, size_t, const int *, double *);
    *(void **)&slope_of = peer_symbol(&p, "GetDirectionalDerivative");
    *(void **)&rates = peer_symbol(&p, "GetRealOutputDerivatives");
    assert_int_equal(slope_of(p.instance, unknown, 3, known, 2, seed, slope), FMI_OK);
    assert_near_rel(slope[0], -3.0 / 2.0 - 5.0, 1e-15, "interface");
    assert_near_rel(slope[1], -3.0 / 2.0 - 5.0, 1e-15, "channel");
    assert_true(slope[2] == 0.0);
    assert_int_equal(slope_of(p.instance, unknown, 1, unknown, 1, seed, slope), FMI_ERROR); /* not by an output */
    static const char *const name[2][3] = {{"d[1]", "v[1]", "a[1]"},
                                           {"displacement.x", "velocity.x", "acceleration.x"}};
    for (int which = 0; which < 2; which++)
        for (int from = 0; from < 3; from++)
            for (int order = 1; order <= 3; order++) {
                uint32_t vr = exported_reference(name[which][from]);
                bool known_one = from + order < 3;
                assert_int_equal(rates(p.instance, &vr, 1, &order, &rate), known_one ? FMI_OK : FMI_ERROR);
                if (known_one)
                    assert_true(rate == peer_get(&p, exported_reference(name[which][from + order])));
            }
    peer_close(&p);
}

/* One call of a master that has lost its head. */
static fmi_status something(peer *p, unsigned what, uint32_t vr, void **saved)
{
    double value = 0.0;
    bool two = p->version == 2;
    switch (what % 12) {
    case 0:
        if (two) {
            fmi2_setup *setup;
            *(void **)&setup = peer_symbol(p, "SetupExperiment");
            return setup(p->instance, 0, 0, 0, 0, 0);
        }
        return mode(p, "EnterEventMode");
    case 1: {
        fmi3_enter *enter;
        if (two)
            return mode(p, "EnterInitializationMode");
        *(void **)&enter = peer_symbol(p, "EnterInitializationMode");
        return enter(p->instance, false, 0, 0, false, 0);
    }
    case 2:
        return mode(p, "ExitInitializationMode");
    case 3:
        return mode(p, "Terminate");
    case 4:
        return mode(p, "Reset");
    case 5:
        return p->get_state(p->instance, saved);
    case 6:
        return p->set_state(p->instance, *saved);
    case 7:
        return p->free_state(p->instance, (void *)saved);
    case 8:
        return two ? p->get2(p->instance, &vr, 1, &value) : p->get3(p->instance, &vr, 1, &value, 1);
    case 9:
        return peer_set(p, vr, 0.01 * (double)(what % 7));
    default:
        return peer_step(p, 1e-3 * (double)(what / 12 % 4), 1e-3);
    }
}

TEST_WITH(calls_in_any_order_are_answered, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("oscillator/free", 0, NULL);
    for (int version = 2; version <= 3; version++) {
        peer p;
        void *saved = NULL;
        unsigned random = 1;
        int fine = 0, refused = 0;
        exported_open(c, version, 1, &(ifd_fmu_row){"x", IFD_GROUND, 0, NULL}, &p);
        uint32_t d = exported_reference("d[1]");
        for (int k = 0; k < 6000; k++) {
            random = 1664525u * random + 1013904223u;
            fmi_status status = something(&p, random >> 8, (random >> 3) % 12, &saved);
            assert_true(status == FMI_OK || status == FMI_ERROR);
            fine += status == FMI_OK;
            refused += status == FMI_ERROR;
        }
        assert_true(fine > 500 && refused > 500);
        p.free_state(p.instance, (void *)&saved);
        assert_int_equal(mode(&p, "Reset"), FMI_OK); /* and after all that it is as new */
        peer q = another(&p);
        peer_initialise(&p, 0.0);
        peer_initialise(&q, 0.0);
        for (int k = 0; k < 100; k++)
            assert_true(peer_step(&p, 1e-3 * k, 1e-3) == FMI_OK && peer_step(&q, 1e-3 * k, 1e-3) == FMI_OK);
        assert_true(peer_get(&p, d) == peer_get(&q, d) && peer_get(&p, d) != 0.0);
        assert_int_equal(mode(&q, "Terminate"), FMI_OK);
        assert_int_equal(mode(&q, "Terminate"), FMI_ERROR);
        assert_int_equal(peer_step(&q, 0.1, 1e-3), FMI_ERROR);
        drop(&q, q.instance);
        peer_close(&p);
    }
}

TESTS()
