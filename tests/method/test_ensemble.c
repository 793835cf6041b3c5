/* SPDX-License-Identifier: MIT */
/* LSRT2 in lanes: against the stepper with a frozen Jacobian, and the same bits of a variant in any lane, in any
 * company, with every variant of the kernels and after a restored state. With specimens every stage has a measured
 * force, and lanes may be at different stages and steps. */
#include "method/fixtures.h"

#include "method/ensemble.h"

enum { L = IFD__LANES, STEPS = 400 };
static const double h = 2e-3;
static ifd_arena *arena;
static ifd_note note;

static int begin(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    ifd_note_init(&note, arena);
    return arena ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    ifd_arena_close(arena);
    return 0;
}

/* Variant k of a chain: other motion, other strength of its elements. elements: 0 none, 1 hysteretic, 2 all kinds. */
static ifd_model *variant(int n, int elements, int k)
{
    ifd_builder *b = chain_builder(arena, n, 1.0, 0.0, 6000.0);
    for (int i = 0; i < n; i++)
        ifd_builder_initial(b, i, 0.0, 0.0);
    ifd_builder_rayleigh(b, 0.3, 6e-4);
    ifd_builder_spring(b, IFD_DAMPING, 0, n - 1, 2.0);
    double scale = 1.0 + 0.3 * k;
    for (int i = 0; elements && i < n / 3; i++) {
        add_pair(b, "bouc-wen", i, i + 1, "stiffness", 2000.0, "alpha", 0.1, "beta", 150.0 * scale, "gamma", 100.0,
                 NULL);
        add_pair(b, "bilinear", i + 1, i + 2, "stiffness", 900.0, "ratio", 0.1, "yield", 0.002 * scale, NULL);
    }
    if (elements > 1) {
        static const double pairs[] = {400, 0.001, 250, 0.003};
        add_pair(b, "bouc-wen", 0, 2, "stiffness", 900.0, "beta", 9e4 * scale, "gamma", 3e4, "n", 2.0, NULL);
        add_pair(b, "bouc-wen", 1, 3, "stiffness", 900.0, "beta", 9e3, "gamma", 3e3, "n", 1.5 + 0.1 * k, NULL);
        add_pair(b, "cubic-spring", IFD_GROUND, 0, "stiffness", 50.0, "epsilon", 3000.0 * scale, NULL);
        add_sliders(b, IFD_GROUND, 1, 2, pairs, 30);
        ifd_builder_force(b, 1, signal_of(arena, "cosine", "amplitude", 10.0 * scale, "frequency", 0.9, NULL));
    }
    ifd_builder_ground(b, IFD_DOF_X,
                       signal_of(arena, "sine", "amplitude", 4.0 * scale, "frequency", 1.2 + 0.2 * k, NULL));
    return made(arena, b);
}

/* Specimens at dof 0 and between dofs 1 and 3, with estimates. */
static const ifd_estimate estimates[] = {{IFD_GROUND, 0, 3000.0, 4.0, NULL}, {1, 3, 500.0, 0.0, NULL}};

static ifd_stepper *specimen_stepper(const ifd_model *m, const char *jacobian, int specimens)
{
    ifd_step_options opt;
    ifd_stepper *s;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), h, &opt);
    ifd_step_options_set(&opt, "jacobian", ifd_word(jacobian));
    opt.estimates = specimens;
    opt.estimate = estimates;
    assert_ok(ifd_stepper_make(arena, &opt, m, &s, &note), &note);
    return s;
}

static ifd_stepper *lsrt2(const ifd_model *m, const char *jacobian)
{
    return specimen_stepper(m, jacobian, 0);
}

static double *initial(const ifd_stepper *s)
{
    double *x = ifd_arena_array(arena, (size_t)ifd_stepper_size(s), sizeof *x);
    ifd_stepper_initial(s, x);
    ifd_stepper_start(s, 0.0, NULL, x);
    return x;
}

/* Steps from `from` on of members in their lanes. */
static void run(const ifd_stepper *const *member, const ifd__lane_kernels *kernels, int from, int steps, double **x)
{
    ifd__ensemble *e;
    assert_ok(ifd__ensemble_make(arena, member, kernels, &e, &note), &note);
    for (int k = from; k < from + steps; k++) {
        ifd__lane_task lane[L];
        for (int l = 0; l < L; l++)
            lane[l] = (ifd__lane_task){x[l], NULL, h * k};
        ifd__ensemble_stages(e, 0, 2, lane);
    }
}

static const struct {
    int n, elements;
} models[] = {{40, 0}, {90, 0}, {12, 1}, {90, 1}, {30, 2}, {90, 2}};

TEST_WITH(a_variant_agrees_with_its_stepper, begin, end)
{
    for (size_t c = 0; c < COUNT(models); c++) {
        const ifd_stepper *s[L];
        double *x[L];
        for (int l = 0; l < L; l++) {
            s[l] = lsrt2(variant(models[c].n, models[c].elements, l), "frozen");
            x[l] = initial(s[l]);
            assert_null(ifd__ensemble_refuses(s[l]));
            assert_true(ifd__ensemble_joins(s[0], s[l]));
        }
        run(s, ifd__lanes_best(), 0, STEPS, x);
        for (int l = 0; l < L; l++) {
            double *y = initial(s[l]), peak = 0.0;
            for (int k = 0; k < STEPS; k++)
                for (int i = 0; i < 2; i++)
                    ifd_stepper_stage(s[l], i, h * k, NULL, y);
            int used = 2 * models[c].n + ifd_model_states(ifd_stepper_model(s[l]));
            for (int i = 0; i < used; i++)
                peak = fmax(peak, fabs(y[i]));
            for (int i = 0; i < used; i++)
                assert_near(x[l][i], y[i], 1e-11 * peak, "model %zu, lane %d, number %d", c, l, i);
        }
    }
}

/* Linear: the difference is round-off and does not grow beyond it. */
TEST_WITH(ten_thousand_linear_steps_agree, begin, end)
{
    enum { MANY = BRIEF ? 1000 : 10000, N = 90 };
    const ifd_stepper *s[L] = {[2] = lsrt2(variant(N, 0, 3), "frozen")};
    double *x[L] = {[2] = initial(s[2])}, *y = initial(s[2]), peak = 0.0;
    run(s, ifd__lanes_best(), 0, MANY, x);
    for (int k = 0; k < MANY; k++)
        for (int i = 0; i < 2; i++) {
            ifd_stepper_stage(s[2], i, h * k, NULL, y);
            peak = fmax(peak, fabs(y[N - 1]));
        }
    for (int i = 0; i < N; i++)
        assert_near(x[2][i], y[i], 1e-11 * peak, "dof %d", i);
}

TEST_WITH(a_variant_has_the_same_bits_in_any_lane_and_company, begin, end)
{
    for (size_t c = 0; c < COUNT(models); c++) {
        const ifd_stepper *s[L];
        double *x[L];
        for (int l = 0; l < L; l++) {
            s[l] = lsrt2(variant(models[c].n, models[c].elements, l), "frozen");
            x[l] = initial(s[l]);
        }
        run(s, ifd__lanes_best(), 0, STEPS, x);
        size_t used = (size_t)(2 * models[c].n + ifd_model_states(ifd_stepper_model(s[0])));
        for (int l = 0; l < L; l += 3) {
            const ifd_stepper *alone[L] = {0}, *among[L];
            double *y[L] = {0}, *z[L];
            alone[(l + 2) % L] = s[l];
            y[(l + 2) % L] = initial(s[l]);
            run(alone, ifd__lanes_pick("plain"), 0, STEPS, y);
            assert_memory_equal(x[l], y[(l + 2) % L], used * sizeof *x[l]);
            for (int k = 0; k < L; k++) { /* beside not-a-number */
                among[k] = s[(k + l) % L];
                z[k] = initial(among[k]);
                for (size_t i = 0; k && i < used; i++)
                    z[k][i] = i % 2 ? (double)NAN : (double)INFINITY;
            }
            run(among, ifd__lanes_best(), 0, STEPS, z);
            assert_memory_equal(x[l], z[0], used * sizeof *x[l]);
        }
    }
}

TEST_WITH(every_instruction_set_gives_the_same_bits, begin, end)
{
    static const char *const names[] = {"plain", "avx2", "avx512"};
    for (size_t c = 0; c < COUNT(models); c++) {
        double *first[L] = {0};
        for (size_t v = 0; v < COUNT(names); v++) {
            const ifd_stepper *s[L];
            double *x[L];
            if (!ifd__lanes_pick(names[v]))
                continue;
            for (int l = 0; l < L; l++) {
                s[l] = lsrt2(variant(models[c].n, models[c].elements, l), "frozen");
                x[l] = initial(s[l]);
            }
            run(s, ifd__lanes_pick(names[v]), 0, STEPS / 2, x);
            for (int l = 0; l < L; l++) {
                first[l] = first[l] ? first[l] : x[l];
                assert_memory_equal(first[l], x[l], (size_t)ifd_stepper_size(s[l]) * sizeof *x[l]);
            }
        }
    }
}

TEST_WITH(a_saved_state_continues_with_the_same_bits, begin, end)
{
    const ifd_stepper *s[L] = {0};
    double *x[L] = {0}, *y[L] = {0};
    for (int l = 0; l < 5; l++) {
        s[l] = lsrt2(variant(90, 2, l), "frozen");
        x[l] = initial(s[l]);
        y[l] = initial(s[l]);
    }
    run(s, ifd__lanes_best(), 0, STEPS, x);
    run(s, ifd__lanes_best(), 0, STEPS / 4, y);
    run(s, ifd__lanes_best(), STEPS / 4, STEPS - STEPS / 4, y);
    for (int l = 0; l < 5; l++)
        assert_memory_equal(x[l], y[l], (size_t)ifd_stepper_size(s[l]) * sizeof *x[l]);
}

/* A variant with two specimens whose stiffness differs from their estimates, by its own rig. */
typedef struct tested {
    const ifd_stepper *s;
    double *x, *load, *u, *v, stiffness;
    int stages; /* computed so far */
} tested;

static tested tested_variant(int n, int elements, int k)
{
    tested t = {.s = specimen_stepper(variant(n, elements, k), "frozen", 2), .stiffness = 2000.0 + 150.0 * k};
    t.x = initial(t.s);
    t.load = ifd_arena_array(arena, (size_t)n, sizeof(double));
    t.u = ifd_arena_array(arena, (size_t)n, sizeof(double));
    t.v = ifd_arena_array(arena, (size_t)n, sizeof(double));
    return t;
}

/* The forces at the motion at which the next stage needs them. */
static double measure(tested *t)
{
    double start = h * (t->stages / 2);
    ifd_stepper_aim(t->s, t->stages % 2, start, t->x, t->u, t->v);
    double f = t->stiffness * t->u[0] + 3.0 * t->v[0], g = 0.2 * t->stiffness * (t->u[3] - t->u[1]);
    t->load[0] = -f;
    t->load[3] = -g;
    t->load[1] = g;
    return start;
}

/* The next stage of the marked variants, which are all at the first or all at the second one. */
static void next_stage(ifd__ensemble *e, tested *t, unsigned marked)
{
    ifd__lane_task lane[L] = {{NULL, NULL, 0.0}};
    int stage = -1;
    for (int l = 0; l < L; l++)
        if (marked >> l & 1) {
            stage = t[l].stages % 2;
            lane[l] = (ifd__lane_task){t[l].x, t[l].load, measure(&t[l])};
        }
    ifd__ensemble_stages(e, stage, 1, lane);
    for (int l = 0; l < L; l++)
        t[l].stages += (int)(marked >> l & 1);
}

static ifd__ensemble *ensemble_of(const tested *t, unsigned lanes)
{
    const ifd_stepper *member[L] = {NULL};
    ifd__ensemble *e;
    for (int l = 0; l < L; l++)
        member[l] = lanes >> l & 1 ? t[l].s : NULL;
    assert_ok(ifd__ensemble_make(arena, member, ifd__lanes_best(), &e, &note), &note);
    return e;
}

TEST_WITH(a_tested_variant_agrees_with_its_stepper, begin, end)
{
    for (size_t c = 0; c < COUNT(models); c++) {
        tested t[L];
        int n = models[c].n;
        for (int l = 0; l < L; l++) {
            t[l] = tested_variant(n, models[c].elements, l);
            assert_null(ifd__ensemble_refuses(t[l].s));
            assert_true(ifd__ensemble_joins(t[0].s, t[l].s));
        }
        ifd__ensemble *e = ensemble_of(t, 0xff);
        for (int k = 0; k < 2 * STEPS; k++)
            next_stage(e, t, 0xff);
        for (int l = 0; l < L; l += 3) {
            tested one = tested_variant(n, models[c].elements, l);
            double peak = 0.0;
            for (; one.stages < 2 * STEPS; one.stages++) {
                double start = measure(&one);
                ifd_stepper_stage(one.s, one.stages % 2, start, one.load, one.x);
            }
            int used = 2 * n + ifd_model_states(ifd_stepper_model(one.s));
            for (int i = 0; i < used; i++)
                peak = fmax(peak, fabs(one.x[i]));
            for (int i = 0; i < used; i++)
                assert_near(t[l].x[i], one.x[i], 1e-11 * peak, "model %zu, lane %d, number %d", c, l, i);
        }
    }
}

/* Every lane computes STEPS steps, but in its own pace, and its state is replaced by a copy from time to time. */
TEST_WITH(lanes_at_other_stages_and_steps_have_the_same_bits, begin, end)
{
    tested t[L], alone[L];
    for (int l = 0; l < L; l++) {
        t[l] = tested_variant(90, 2, l);
        alone[l] = tested_variant(90, 2, l);
        t[l].stiffness = alone[l].stiffness = l == 6 ? (double)NAN : t[l].stiffness;
        ifd__ensemble *e = ensemble_of(alone, 1u << l);
        while (alone[l].stages < 2 * STEPS)
            next_stage(e, alone, 1u << l);
    }
    ifd__ensemble *e = ensemble_of(t, 0xff);
    unsigned random = 12345, left = 0xff;
    for (int round = 0; left; round++) {
        for (int stage = 0; stage < 2; stage++) {
            unsigned marked = 0;
            for (int l = 0; l < L; l++)
                if (left >> l & 1 && t[l].stages % 2 == stage && (random = random * 1103515245u + 12345u) >> 30)
                    marked |= 1u << l;
            if (marked)
                next_stage(e, t, marked);
        }
        for (int l = 0; l < L; l++)
            left &= t[l].stages < 2 * STEPS ? ~0u : ~(1u << l);
        if (round % 50 == 49)
            e = ensemble_of(t, 0xff); /* a checkpoint, also within a step: the states are all there is */
        if (round < 200 && round % 20 > 15 && t[2].stages > 10 && t[2].stages % 2 == 0) { /* a test starts again */
            double *x = initial(t[2].s);
            memcpy(t[2].x, x, (size_t)ifd_stepper_size(t[2].s) * sizeof *x);
            t[2].stages = 0;
        }
    }
    for (int l = 0; l < L; l++)
        assert_memory_equal(t[l].x, alone[l].x, (size_t)ifd_stepper_size(t[l].s) * sizeof(double));
    assert_true(isnan(t[6].x[0]));
}

TEST_WITH(what_cannot_be_shared_is_refused, begin, end)
{
    const ifd_stepper *s = lsrt2(variant(90, 1, 0), "frozen");
    assert_string_equal(ifd__ensemble_refuses(lsrt2(variant(90, 1, 0), "exact")),
                        "the Jacobian changes: use 'jacobian: frozen'");
    assert_null(ifd__ensemble_refuses(lsrt2(variant(90, 0, 0), "exact")));
    assert_non_null(ifd__ensemble_refuses(lsrt2(made(arena, everything_builder(arena, 6)), "frozen")));
    assert_non_null(ifd__ensemble_refuses(lsrt2(made(arena, followers_builder(arena, 6)), "frozen")));
    assert_false(ifd__ensemble_joins(s, lsrt2(variant(91, 1, 0), "frozen")));
    assert_false(ifd__ensemble_joins(s, lsrt2(variant(90, 2, 0), "frozen")));
    assert_false(ifd__ensemble_joins(s, specimen_stepper(variant(90, 1, 0), "frozen", 1)));
    assert_true(ifd__ensemble_joins(specimen_stepper(variant(90, 1, 3), "frozen", 2),
                                    specimen_stepper(variant(90, 1, 0), "frozen", 2)));
    ifd_builder *b = chain_builder(arena, 90, 1.0, 0.0, 6001.0);
    assert_false(ifd__ensemble_joins(lsrt2(variant(90, 0, 0), "frozen"), lsrt2(made(arena, b), "frozen")));
}

TESTS()
