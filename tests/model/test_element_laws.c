/* SPDX-License-Identifier: MIT */
/* Properties of the laws of elements: memory, symmetry, work of closed cycles, dissipation, independence of axes. */
#include "check.h"
#include "fixture.h"

#include "element_samples.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

#define NUM(which, x)                                                                                                \
    {                                                                                                                \
        .name = (which), .number = (x)                                                                               \
    }

static ifd_element made(const sample *s)
{
    ifd_element e;
    assert_int_equal(sample_make(s, arena, &e, NULL), IFD_OK);
    return e;
}

/* An element under a motion along one line, with its states and the work done on it. */
typedef struct bench {
    ifd_element e;
    double way[SAMPLE_MAX]; /* direction of the line */
    double t, x, v, s[SAMPLE_STATES], r[SAMPLE_MAX], work;
} bench;

static void place(const bench *b, double x, double v, double *q, double *qd)
{
    for (int i = 0; i < b->e.nq; i++) {
        q[i] = b->way[i] * x;
        qd[i] = b->way[i] * v;
    }
}

static double force(bench *b, double x, double v)
{
    double q[SAMPLE_MAX] = {0}, qd[SAMPLE_MAX] = {0}, along = 0;
    place(b, x, v, q, qd);
    const ifd_element_in in = {.t = b->t, .q = q, .qd = qd, .qdd = qd, .s = b->s};
    memset(b->r, 0, sizeof b->r);
    b->e.ops->eval(&b->e, &in, &(ifd_element_out){.r = b->r});
    for (int i = 0; i < b->e.nq; i++)
        along += b->r[i] * b->way[i];
    return along;
}

/* Rates by the midpoint rule, unless the element advances itself; memory by acceptance. */
static void move(bench *b, double x, double dt)
{
    double q[SAMPLE_MAX] = {0}, qd[SAMPLE_MAX] = {0}, g[SAMPLE_STATES], v = (x - b->x) / dt, s[SAMPLE_STATES];
    double before = force(b, b->x, v);
    double dq = x - b->x, q1[SAMPLE_MAX] = {0};
    bool own = b->e.ops->accept || b->e.ops->advance || b->e.ops->follow;
    place(b, b->x, v, q, qd);
    place(b, x, v, q1, qd);
    if (b->e.ops->advance)
        b->e.ops->advance(&b->e, &dq, b->s, NULL);
    else if (b->e.ops->follow)
        b->e.ops->follow(&b->e, &(ifd_element_move){.from = 0, .to = dt, .q0 = q, .v0 = qd, .q1 = q1, .v1 = qd},
                         b->s);
    for (int half = 0; half < 2 && !own && b->e.ns; half++) {
        place(b, half ? 0.5 * (b->x + x) : b->x, v, q, qd);
        const double *from = half ? s : b->s;
        memset(g, 0, sizeof g);
        b->e.ops->eval(&b->e, &(ifd_element_in){.t = b->t, .q = q, .qd = qd, .qdd = qd, .s = from},
                       &(ifd_element_out){.g = g});
        for (int i = 0; i < b->e.ns; i++)
            (half ? b->s : s)[i] = b->s[i] + (half ? dt : 0.5 * dt) * g[i];
    }
    if (b->e.ops->settle)
        b->e.ops->settle(&b->e, b->s, NULL, NULL);
    double after = force(b, x, v);
    place(b, x, v, q, qd);
    if (b->e.ops->accept)
        b->e.ops->accept(&b->e, &(ifd_element_in){.q = q, .qd = qd, .qdd = qd, .s = b->s}, b->s);
    b->work += 0.5 * (before + after) * (x - b->x);
    b->x = x;
}

static void cycle(bench *b, double amplitude, double speed)
{
    enum { STEPS = 2000 };
    for (int i = 1; i <= STEPS; i++)
        move(b, amplitude * sin(2 * pi * i / STEPS), 2 * pi * amplitude / speed / STEPS);
}

static bench bench_of(const sample *s)
{
    bench b = {.e = made(s), .way = {1}};
    if (b.e.s0)
        memcpy(b.s, b.e.s0, sizeof *b.s * (size_t)b.e.ns);
    if (b.e.nq > 1 && b.e.ns) {
        b.way[0] = 0.8;
        b.way[1] = b.e.nq == 3 ? 0.0 : 0.6;
    }
    return b;
}

static bool passive(const ifd_element *e, const sample *s)
{
    return e->ops->attach == IFD_ATTACH_PAIR && !(e->ops->flags & IFD_ELEMENT_LINEAR) && e->nq <= 3 &&
           strcmp(s->element, "mass") != 0;
}

/* Steady cycles of three sizes. */
TEST(closed_cycles_never_give_energy)
{
    for (int k = 0; k < sample_count; k++) {
        bench b = bench_of(&samples[k]);
        for (double size = 0.3; passive(&b.e, &samples[k]) && size < 2; size *= 2) {
            cycle(&b, size * samples[k].q, samples[k].v);
            double before = b.work, scale = fabs(force(&b, size * samples[k].q, 0)) * size * samples[k].q;
            cycle(&b, size * samples[k].q, samples[k].v);
            if (!(b.work - before > -1e-6 * scale - 1e-12))
                fail_msg("%s (sample %d): a cycle of %g gives %g J", b.e.name, k, size * samples[k].q,
                         before - b.work);
        }
    }
}

/* Samples with different values for both directions. */
static bool lopsided(const sample *s)
{
    static const char *const key[] = {
        "yield-force-negative", "final-force-compression", "side", "a1", "gap", "law", "watched"};
    for (const setting *i = s->set; i->name; i++)
        for (size_t n = 0; n < COUNT(key); n++)
            if (strcmp(i->name, key[n]) == 0)
                return true;
    return false;
}

TEST(an_opposite_motion_has_the_opposite_force)
{
    for (int k = 0; k < sample_count; k++) {
        bench up = bench_of(&samples[k]), down = bench_of(&samples[k]);
        for (int i = 0; passive(&up.e, &samples[k]) && !lopsided(&samples[k]) && i < 40; i++) {
            double x = samples[k].q * sin(0.7 * i) * (0.3 + 0.02 * i), dt = 0.1 * samples[k].q / samples[k].v;
            move(&up, x, dt);
            move(&down, -x, dt);
            double a = force(&up, x, samples[k].v), b = force(&down, -x, -samples[k].v);
            assert_near(a, -b, 1e-12 * (fabs(a) + 1), "%s (sample %d)", up.e.name, k);
        }
    }
}

/* Trials have no effect, repeated acceptance has none, and a monotone move may be divided. */
TEST(only_accepted_moves_are_remembered_however_divided)
{
    for (int k = 0; k < sample_count; k++) {
        bench once = bench_of(&samples[k]), often = bench_of(&samples[k]);
        for (int i = 0; once.e.ops->accept && once.e.nq == 1 && i < 300; i++) {
            double x = samples[k].q * random_unit() * (0.2 + 0.005 * i), from = often.x, s[SAMPLE_STATES];
            (void)force(&often, samples[k].q * random_unit(), 0);
            for (int part = 1; part <= 7; part++)
                move(&often, part == 7 ? x : from + part * (x - from) / 7, 0.1);
            move(&once, x, 0.1);
            memcpy(s, often.s, sizeof s);
            move(&often, x, 0.1);
            assert_memory_equal(s, often.s, sizeof s);
            double a = force(&once, x, 0), b = force(&often, x, 0);
            assert_near(a, b, 1e-9 * (fabs(a) + 1), "%s (sample %d), move %d", once.e.name, k, i);
        }
    }
}

static bool must_dissipate(const char *name)
{
    static const char *const list[] = {"bingham", "maxwell", "lead-rubber", "brb"};
    for (size_t i = 0; i < COUNT(list); i++)
        if (strcmp(list[i], name) == 0)
            return true;
    return false;
}

TEST(dissipated_power_is_never_negative)
{
    int checked = 0;
    for (int k = 0; k < sample_count; k++) {
        ifd_element e = made(&samples[k]);
        for (int i = 0; must_dissipate(e.name) && i < 500; i++, checked++) {
            point p;
            double stored, dissipated;
            point_random(&samples[k], &e, &p);
            if (e.ns && strcmp(e.name, "bingham") == 0)
                p.s[0] = fabs(p.s[0]);
            const ifd_element_in in = point_in(&p);
            e.ops->energy(&e, &in, &stored, &dissipated);
            if (!(dissipated >= 0))
                fail_msg("%s dissipates %g W", e.name, dissipated);
        }
    }
    assert_true(checked > 2000);
}

/* Motion and force turned by 37 degrees. */
static double turned_difference(const sample *s)
{
    bench a = {.e = made(s), .way = {1, 0}}, b = {.e = made(s)};
    double c = cos(37 * pi / 180), d = sin(37 * pi / 180), worst = 0;
    for (int i = 1; i <= 2000; i++) {
        double t = 1e-3 * i, dx = 0.1 * (sin(pi * t) - sin(pi * (t - 1e-3))),
               dy = 0.06 * (sin(2 * pi * t) - sin(2 * pi * (t - 1e-3)));
        static double qa[2], qb[2];
        const double va[2] = {dx * 1e3, dy * 1e3}, vb[2] = {c * va[0] - d * va[1], d * va[0] + c * va[1]};
        if (i == 1)
            qa[0] = qa[1] = qb[0] = qb[1] = 0;
        double ga[2] = {0}, gb[2] = {0}, ra[2] = {0}, rb[2] = {0};
        a.e.ops->eval(&a.e, &(ifd_element_in){.q = qa, .qd = va, .qdd = va, .s = a.s},
                      &(ifd_element_out){.g = ga, .r = ra});
        b.e.ops->eval(&b.e, &(ifd_element_in){.q = qb, .qd = vb, .qdd = vb, .s = b.s},
                      &(ifd_element_out){.g = gb, .r = rb});
        for (int j = 0; j < 2; j++) {
            a.s[j] += 1e-3 * ga[j];
            b.s[j] += 1e-3 * gb[j];
            qa[j] += 1e-3 * va[j];
            qb[j] += 1e-3 * vb[j];
        }
        worst = fmax(worst, fabs(c * ra[0] - d * ra[1] - rb[0]) + fabs(d * ra[0] + c * ra[1] - rb[1]));
    }
    return worst;
}

TEST(bearings_in_two_directions_do_not_depend_on_the_axes)
{
    const sample
        iso = {"lead-rubber", 2, 1, 1, 1, {NUM("yield-force", 120e3), NUM("yield-displacement", 8e-3), NUM("n", 3)}},
        park = {"lead-rubber",
                2,
                1,
                1,
                1,
                {NUM("yield-force", 120e3), NUM("yield-displacement", 8e-3), {.name = "form", .word = "park-wen"}}},
        slider = {"friction-pendulum",
                  2,
                  1,
                  1,
                  1,
                  {NUM("load", 1e6), NUM("radius", 2), NUM("friction", 0.12), NUM("friction-slow", 0.04)}};
    assert_near(turned_difference(&iso), 0, 1e-8, "isotropic");
    assert_near(turned_difference(&slider), 0, 1e-8, "friction");
    assert_true(turned_difference(&park) > 100);
}

/* The closed form along a straight move against small steps of the rates; and uplift. */
TEST(the_friction_pendulum_follows_its_rates_and_keeps_z_in_uplift)
{
    static const double lifted[] = {0, 1e6, 1, 1e6, 1.001, -1e5};
    const sample s = {"friction-pendulum",
                      2,
                      1,
                      1,
                      1,
                      {{.name = "schedule", .data = lifted, .rows = 3, .cols = 2},
                       NUM("radius", 2),
                       NUM("friction", 0.1),
                       NUM("yield-displacement", 2e-3)}};
    ifd_element e = made(&s);
    double z[2] = {-0.3, 0.7}, slow[2] = {-0.3, 0.7}, r[2] = {0};
    const double q0[2] = {0.01, 0.02}, q1[2] = {0.012, 0.0195}, v[2] = {0.2, -0.05};
    e.ops->follow(&e, &(ifd_element_move){.from = 0, .to = 0.01, .q0 = q0, .v0 = v, .q1 = q1, .v1 = v}, z);
    for (int i = 0; i < 100000; i++) {
        double g[2] = {0}, middle[2] = {0};
        e.ops->eval(&e, &(ifd_element_in){.q = q0, .qd = v, .qdd = v, .s = slow}, &(ifd_element_out){.g = g});
        for (int j = 0; j < 2; j++)
            middle[j] = slow[j] + 0.5e-7 * g[j];
        g[0] = g[1] = 0;
        e.ops->eval(&e, &(ifd_element_in){.q = q0, .qd = v, .qdd = v, .s = middle}, &(ifd_element_out){.g = g});
        for (int j = 0; j < 2; j++)
            slow[j] += 1e-7 * g[j];
    }
    assert_near(z[0], slow[0], 1e-9, "Z along x");
    assert_near(z[1], slow[1], 1e-9, "Z along y");
    e.ops->follow(&e, &(ifd_element_move){.from = 2, .to = 2.01, .q0 = q0, .v0 = v, .q1 = q1, .v1 = v}, z);
    assert_near(z[0], slow[0], 1e-9, "Z in uplift");
    e.ops->eval(&e, &(ifd_element_in){.t = 2, .q = q0, .qd = v, .qdd = v, .s = z}, &(ifd_element_out){.r = r});
    assert_near(fabs(r[0]) + fabs(r[1]), 0, 0, "force in uplift");
}

/* r . v = rate of the stored energy + dissipated power, pressed and lifted, with a load that changes. */
TEST(the_energy_of_a_friction_pendulum_with_a_changing_load_balances)
{
    static const double falling[] = {0, 1e6, 1, 4e5};
    const sample s = {"friction-pendulum",
                      3,
                      1,
                      1,
                      1,
                      {{.name = "schedule", .data = falling, .rows = 2, .cols = 2},
                       NUM("radius", 2),
                       NUM("friction", 0.1),
                       NUM("vertical-stiffness", 1e8)}};
    ifd_element e = made(&s);
    const double v[3] = {0.2, -0.05, 0.3}, z[2] = {0.4, -0.6}, step = 1e-5;
    for (int lifted = 0; lifted < 2; lifted++) {
        double r[3] = {0}, stored[2], dissipated = 0, ignored, power = 0, g[2] = {0}, q[3], zs[2];
        const double at[3] = {0.03, -0.02, lifted ? 0.02 : 0.003};
        ifd_element_in in = {.t = 0.5, .q = at, .qd = v, .qdd = v, .s = z};
        e.ops->eval(&e, &in, &(ifd_element_out){.r = r, .g = g});
        e.ops->energy(&e, &in, &ignored, &dissipated);
        for (int side = 0; side < 2; side++) {
            double by = side ? step : -step;
            for (int i = 0; i < 3; i++)
                q[i] = at[i] + by * v[i];
            for (int i = 0; i < 2; i++)
                zs[i] = z[i] + by * g[i];
            in = (ifd_element_in){.t = 0.5 + by, .q = q, .qd = v, .qdd = v, .s = zs};
            e.ops->energy(&e, &in, &stored[side], &ignored);
        }
        for (int i = 0; i < 3; i++)
            power += r[i] * v[i];
        assert_near((stored[1] - stored[0]) / (2 * step) + dissipated, power, 1e-3, "lifted %d", lifted);
    }
}

/* Rainflow counting: the example of ASTM E1049 after a first move from 0 to -2. Ranges there: half a cycle of 3, one
 * and a half of 4, half a cycle of 6, one of 8 and half a cycle of 9. Each move has five parts, each of them
 * twice. */
TEST(a_brace_counts_its_fatigue_as_the_standard_does)
{
    static const double turns[] = {0, -2, 1, -3, 5, -1, 3, -4, 4, -2},
                        count[][2] = {{0.5, 2}, {0.5, 3}, {1.5, 4}, {0.5, 6}, {1, 8}, {0.5, 9}};
    const ifd_element_ops *ops = ifd_element_find("brb");
    ifd_element e = {.ops = ops, .name = "brace", .nq = 1};
    ifd_value v[32];
    double s[64] = {0}, expected = 0;
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "stiffness")] = ifd_number(1e8);
    v[ifd_param_find(ops->params, "yield-force")] = ifd_number(1e5);
    v[ifd_param_find(ops->params, "fatigue-range")] = ifd_number(0.02);
    v[ifd_param_find(ops->params, "fatigue-exponent")] = ifd_number(1.7);
    assert_int_equal(ops->make(&e, v, arena, NULL), IFD_OK);
    assert_true(e.ns <= 64 && e.ns > 4);
    for (size_t i = 1; i < COUNT(turns); i++)
        for (int part = 1; part <= 5; part++) {
            s[0] = 1e-3 * (turns[i - 1] + (turns[i] - turns[i - 1]) * part / 5);
            for (int again = 0; again < 2; again++)
                e.ops->settle(&e, s, NULL, NULL);
        }
    for (size_t i = 0; i < COUNT(count); i++)
        expected += count[i][0] * pow(1e-3 * count[i][1] / 0.02, 1.7);
    assert_near_rel(s[3], expected, 1e-12, "Miner's sum");
    /* Growing cycles fill the stack: no range is lost. */
    memset(s, 0, sizeof s);
    expected = 0;
    for (int i = 1; i <= 100; i++) {
        s[0] = (i % 2 ? 1 : -1) * 1e-5 * i;
        expected += 0.5 * pow(1e-5 * (2 * i - 1) / 0.02, 1.7);
        e.ops->settle(&e, s, NULL, NULL);
    }
    assert_near_rel(s[3], expected, 1e-12, "growing cycles");
}

/* Backbones and energies of one cycle in closed form. */
TEST(concave_bearings_have_the_published_backbone)
{
    static const double radii[] = {1, 2}, mu[] = {0.03, 0.08}, outer[] = {1.5, 0.3}, mu3[] = {0.02, 0.06, 0.1};
    const sample two = {"double-pendulum-bearing",
                        1,
                        1,
                        1,
                        1,
                        {{.name = "radii", .data = radii, .rows = 1, .cols = 2},
                         {.name = "friction", .data = mu, .rows = 1, .cols = 2},
                         NUM("load", 1e6),
                         NUM("stiffness", 3e7)}},
                 three = {"triple-pendulum-bearing",
                          1,
                          1,
                          1,
                          1,
                          {{.name = "radii", .data = outer, .rows = 1, .cols = 2},
                           {.name = "friction", .data = mu3, .rows = 1, .cols = 3},
                           NUM("load", 1e6),
                           NUM("stiffness", 3e7)}};
    const struct {
        const sample *of;
        double amplitude, force, energy;
    } row[] = {{&two, 0.03, 59000, 3364},
               {&two, 0.1, 96333.3333, 18148},
               {&three, 0.1, 101111.111, 16050.3704},
               {&three, 0.2, 134444.444, 43161.4815}};
    for (size_t i = 0; i < COUNT(row); i++) {
        ifd_element e = made(row[i].of);
        double s[3] = {0}, r = 0, before = 0, q = row[i].amplitude, work = 0, x = 0;
        enum { STEPS = 20000 };
        for (int k = 1; k <= 5 * STEPS / 4; k++) { /* to +A, then one full cycle */
            double to = q * (k <= STEPS / 4       ? 4.0 * k / STEPS
                             : k <= 3 * STEPS / 4 ? 2.0 - 4.0 * k / STEPS
                                                  : 4.0 * k / STEPS - 4.0),
                   dq = to - x;
            e.ops->advance(&e, &dq, s, NULL);
            before = r;
            r = 0;
            e.ops->eval(&e, &(ifd_element_in){.q = &to, .qd = &dq, .qdd = &dq, .s = s}, &(ifd_element_out){.r = &r});
            work += k > STEPS / 4 ? 0.5 * (before + r) * dq : 0;
            x = to;
        }
        assert_near_rel(r, row[i].force, 5e-9, "force of row %zu", i);
        assert_near_rel(work, row[i].energy, 1e-6, "energy of row %zu", i);
    }
}

/* lambda c w^a A^(1+a), lambda = 2^(2+a) Gamma(1+a/2)^2/Gamma(2+a). */
TEST(a_power_dashpot_dissipates_the_energy_of_its_closed_form)
{
    static const double a[] = {0.15, 0.3, 0.7, 1}, energy[] = {11215.8919, 7889.14073, 3128.60508, 1579.1367};
    for (size_t i = 0; i < COUNT(a); i++) {
        const sample s = {
            "power-dashpot", 1, 1, 1, 1, {NUM("coefficient", 2e5), NUM("exponent", a[i]), NUM("smoothing", 1e-6)}};
        ifd_element e = made(&s);
        double work = 0, w = 2 * pi;
        enum { STEPS = 200000 };
        for (int k = 0; k < STEPS; k++) {
            double t = (k + 0.5) / STEPS, q = 0.02 * sin(w * t), v = 0.02 * w * cos(w * t), r = 0;
            e.ops->eval(&e, &(ifd_element_in){.q = &q, .qd = &v, .qdd = &v}, &(ifd_element_out){.r = &r});
            work += r * v / STEPS;
        }
        assert_near_rel(work, energy[i], 1e-4, "exponent %g", a[i]);
    }
}

/* A one-sided cycle of the flag beyond its knee dissipates b fa (A - da). */
TEST(a_flag_dissipates_its_area)
{
    const sample s = {
        "self-centring",
        1,
        1,
        1,
        1,
        {NUM("stiffness", 2e7), NUM("stiffness-after", 1e6), NUM("activation-force", 1e5), NUM("dissipation", 0.8)}};
    bench b = {.e = made(&s), .way = {1}};
    for (int i = 1; i <= 60000; i++)
        move(&b, 0.03 * (i <= 30000 ? i / 30000.0 : 2 - i / 30000.0), 1e-3);
    assert_near_rel(b.work, 0.8 * 1e5 * (0.03 - 0.005), 1e-6, "energy");
    assert_near(force(&b, 0, 0), 0, 1e-6, "force at zero");
}

/* Unloaded to exactly r = 0 the turning point of that side is forgotten, as it is without a stop there. k0 = 1024,
 * dy = 0.25, all forces up to the last exact. */
TEST(a_stop_without_force_changes_no_hinge)
{
    const sample s = {"hinge", 1, 1, 1, 1, {NUM("stiffness", 1024), NUM("yield-force", 256), NUM("hardening", 0)}};
    const double way[2][5] = {{1, 0.75, 0.5, 0.7, 0.75}, {1, 0.6, 0.5, 0.7, 0.75}};
    for (int k = 0; k < 2; k++) {
        bench b = bench_of(&s);
        for (int i = 0; i < 5; i++)
            move(&b, way[k][i], 1.0);
        /* -64 at 0.5 on the line to (-0.25, -256); zero at 0.5625; there on the line to (1, 256). */
        assert_near(force(&b, 0.75, 1), 256 * 0.1875 / 0.4375, 1e-10, "way %d", k);
    }
}

TESTS_WITH(open_arena, close_arena)
