/* SPDX-License-Identifier: MIT */
/* Exported FMUs, loaded as any other program would load them: their steps against the engine's own,
 * roll-back, derivatives, refusals. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/case.h>
#include <interfield/fmi.h>
#include <interfield/fmu.h>
#include <interfield/report.h>

#include "exported.h"

/* Steps an FMU that nothing pushes beside a run of the same case, and compares all dofs to the bit. The step is that
 * of a master that subtracts rounded times. */
static void same_bits_with(const char *also, const char *name, const char *method, int version, int steps)
{
    char override[100];
    const char *set_list[] = {override, also};
    snprintf(override, sizeof override, "method=%s", method);
    ifd_case *c = exported_case(name, also ? 2 : 1, set_list);
    ifd_run *r;
    if (ifd_run_make(exported_arena, &c->run, &r, &exported_note) != IFD_OK)
        ifd_note_print(&exported_note, stderr, false);
    assert_int_equal(exported_note.errors, 0);
    peer p;
    exported_open(c, version, 0, NULL, &p);
    peer_initialise(&p, 0.0);
    int n = ifd_model_dofs(c->run.model), dofs = n < 50 ? n : 50, size;
    uint32_t first = exported_channel(c->run.model, 0);
    double h = c->run.step.h, now = 0;
    const double *x = ifd_run_save_area(r, &size);
    for (int k = 0; k < steps; k++) {
        double next = h * (k + 1);
        assert_int_equal(peer_step(&p, now, next - now), FMI_OK);
        now = next;
        while (ifd_run_step(r) < k + 1)
            ifd_run_tick(r);
        for (int i = 0; i < dofs; i++) {
            double u = peer_get(&p, first + 3 * (uint32_t)i), v = peer_get(&p, first + 3 * (uint32_t)i + 1);
            if (u != x[i] || v != x[n + i])
                fail_msg("%s, %s, FMI %d, step %d, dof %d: %.17g %.17g, run %.17g %.17g", name, method, version,
                         k + 1, i, u, v, x[i], x[n + i]);
        }
    }
    assert_true(fabs(x[0]) > 0.0);
    peer_close(&p);
    ifd_run_close(r);
}

static void same_bits(const char *name, const char *method, int version, int steps)
{
    same_bits_with(NULL, name, method, version, steps);
}

TEST_WITH(an_exported_model_steps_with_the_bits_of_a_run, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    same_bits("frame-10/frame", "lsrt2", 2, 300);
    same_bits("frame-10/frame", "mg-alpha", 3, 300);
    same_bits("bearing/ground", "lsrt2", 3, 2000);
    same_bits("shear-pendulum/bouc-wen-one", "mg-alpha", 2, 1000);
    same_bits("hardening-springs/ground", "newmark", 2, 1000);
    same_bits("oscillator/harmonic", "chang", 3, 500);
    same_bits("steel-frame/frame", "kr-alpha", 2, 1500);
    same_bits("steel-frame/frame", "lsrt2", 3, 1500);
}

/* Members with fibres of every law, under their loads; hinges and springs at their ends change the flexibility. */
TEST_WITH(an_exported_frame_of_fibre_members_steps_with_the_bits_of_a_run, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    same_bits("rc-frame/frame", "lsrt2", 2, 400);
    same_bits_with("model.frame.materials.cover={multilinear: {points: [[0.0005, 1e7], [0.002, 2e7]]}}",
                   "rc-frame/frame", "lsrt2", 3, 400);
    same_bits_with("model.frame.materials.core={elastic: {young: 25 GPa}}", "rc-frame/frame", "lsrt2", 3, 200);
}

#define BRACED                                                                                                       \
    "model={frame: {material: {young: 210 GPa}, sections: {s: {area: 64.3 cm2, iz: 3692 cm4}}, nodes: {a: [0, 0], "  \
    "b: [0, 3], c: [4, 3], d: [4, 0]}, members: [[a, b, s], [d, c, s], {from: b, to: c, section: s, load: 20 "       \
    "kN/m}], supports: {a: fixed, d: fixed}}, masses: {b: 25 t, c: 25 t}, elements: [{name: brace, brb: {between: "  \
    "[a, c], stiffness: 60 MN/m, yield-force: 150 kN, %s}}]}"

/* A brace between two nodes, also one that counts from the gravity state; and as specimen, whose output is 0.8 c.x +
 * 0.6 c.y and whose force acts against it: 1/m of its acceleration for 25 t. */
TEST_WITH(an_exported_brace_acts_along_its_chord, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    same_bits("braced-frame/frame", "lsrt2", 2, 800);
    char braced[700];
    snprintf(braced, sizeof braced, BRACED, "origin: loaded");
    same_bits_with(braced, "braced-frame/frame", "lsrt2", 3, 800);
    ifd_case *c = exported_case("braced-frame/rig", 0, NULL);
    const ifd_specimen *s = &c->run.specimen[0];
    const ifd_fmu_row row = {s->name, s->from, s->to, s->row};
    uint32_t at[2] = {0};
    double step = c->run.step.h;
    peer p, free;
    for (int pushed = 0; pushed < 2; pushed++) {
        peer *of = pushed ? &p : &free;
        exported_open(c, 2, 1, &row, of);
        for (int i = 0; i < 2; i++)
            at[i] = exported_channel(c->run.model, ifd_model_find_dof(c->run.model, i ? "c.y" : "c.x"));
        assert_int_equal(peer_set(of, exported_reference("f[1]"), pushed ? 1e4 : 0.0), FMI_OK);
        peer_initialise(of, 0.0);
        for (int k = 0; k < 200; k++)
            assert_int_equal(peer_step(of, step * k, step), FMI_OK);
        double d = peer_get(of, exported_reference("d[1]"));
        assert_near(d, 0.8 * peer_get(of, at[0]) + 0.6 * peer_get(of, at[1]), 1e-15, "elongation");
        assert_true(fabs(d) > 1e-4);
    }
    double slope = peer_get(&p, exported_reference("a[1]"));
    assert_int_equal(peer_set(&p, exported_reference("f[1]"), 2e4), FMI_OK);
    assert_near_rel(peer_get(&p, exported_reference("a[1]")) - slope, -1e4 / 25e3, 1e-9, "acceleration per force");
    peer_close(&p);
    peer_close(&free);
}

static int channel_named(const ifd_run *r, const char *name)
{
    int channels;
    const ifd_column *channel = ifd_run_columns(r, &channels);
    for (int i = 0; i < channels; i++)
        if (strcmp(channel[i].name, name) == 0)
            return i;
    fail_msg("no channel '%s'", name);
    return -1;
}

/* Accelerations beside a run. Returns the largest difference relative to the largest acceleration of the dof. */
static double worst_acceleration(const char *name, const char *method, int version)
{
    enum { STEPS = 500, MOST = 10 };
    ifd_case *c = exported_case(name, 1, &method);
    const int n = ifd_model_dofs(c->run.model);
    double off[MOST] = {0.0}, most[MOST] = {0.0}, worst = 0.0;
    int at[MOST];
    char column[100];
    peer p;
    ifd_run *r;
    c->run.what |= IFD_RECORD_ACCELERATION;
    exported_open(c, version, 0, NULL, &p);
    peer_initialise(&p, 0.0);
    assert_true(n <= MOST);
    assert_int_equal(ifd_run_make(exported_arena, &c->run, &r, &exported_note), IFD_OK);
    for (int dof = 0; dof < n; dof++) {
        snprintf(column, sizeof column, "%s acceleration", ifd_model_dof_name(c->run.model, dof));
        at[dof] = channel_named(r, column);
    }
    for (int k = 0; k < STEPS; k++) {
        assert_int_equal(peer_step(&p, c->run.step.h * k, c->run.step.h), FMI_OK);
        while (ifd_run_step(r) < k + 1)
            ifd_run_tick(r);
        for (int dof = 0; dof < n; dof++) {
            double a = ifd_run_values(r)[at[dof]];
            off[dof] = fmax(off[dof], fabs(peer_get(&p, exported_channel(c->run.model, dof) + 2) - a));
            most[dof] = fmax(most[dof], fabs(a));
        }
    }
    for (int dof = 0; dof < n; dof++)
        worst = fmax(worst, off[dof] > 0.0 ? off[dof] / most[dof] : 0.0);
    assert_true(most[0] > 0.0);
    peer_close(&p);
    ifd_run_close(r);
    return worst;
}

/* docs/guide/fmi.md. The mass of storeys is diagonal: to the bit. That of a frame is not: a run that records few dofs
 * multiplies by rows of its inverse, the FMU solves. Sums of three terms differ by their rounding. */
TEST_WITH(accelerations_of_p_delta_cases_are_those_of_a_run, exported_begin, exported_end)
{
    static const char *const methods[] = {"method=lsrt2", "method=newmark", "method=mg-alpha"};
    (void)state;
    for (int i = 0; exported_runtime() && i < 3; i++)
        for (int version = 2; version <= 3; version++) {
            assert_near(worst_acceleration("p-delta/storeys", methods[i], version), 0.0, 0.0, "%s", methods[i]);
            assert_near(worst_acceleration("p-delta/columns", methods[i], version), 0.0, 0.0, "%s", methods[i]);
            assert_near(worst_acceleration("p-delta/member", methods[i], version), 0.0, 1e-14, "%s", methods[i]);
            assert_near(worst_acceleration("p-delta/current", methods[i], version), 0.0, 1e-14, "%s", methods[i]);
        }
}

TEST_WITH(stretch_and_force_of_an_element_are_those_of_a_run, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("shear-pendulum/bouc-wen-one", 0, NULL);
    peer p;
    ifd_run *r;
    exported_open(c, 3, 0, NULL, &p);
    peer_initialise(&p, 0.0);
    assert_int_equal(ifd_run_make(exported_arena, &c->run, &r, &exported_note), IFD_OK);
    const uint32_t q = exported_reference("deformation.storey1"), f = exported_reference("force.storey1");
    const int at[] = {channel_named(r, "storey1 deformation"), channel_named(r, "storey1 force")};
    double most = 0.0;
    for (int k = 0; k < 1000; k++) {
        assert_int_equal(peer_step(&p, c->run.step.h * k, c->run.step.h), FMI_OK);
        while (ifd_run_step(r) < k + 1)
            ifd_run_tick(r);
        assert_true(ifd_run_fresh(r));
        assert_true(peer_get(&p, q) == ifd_run_values(r)[at[0]] && peer_get(&p, f) == ifd_run_values(r)[at[1]]);
        most = fmax(most, fabs(peer_get(&p, f)));
    }
    assert_true(most > 1.0);
    peer_close(&p);
    ifd_run_close(r);
}

/* The oscillator of the case (2 kg, 1.2 N s/m, 80 N/m) with a spring of 30 N/m outside: a free step, back, and a step
 * corrected with G give what average acceleration gives for both together, worked out here. A force is held over the
 * step: the one that the method takes for both together is the mean of the spring's. */
TEST_WITH(a_corrected_step_equals_the_monolithic_one, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    const double m = 2.0, c = 1.2, k = 80.0, ks = 30.0, K = k + ks;
    for (int version = 2; version <= 3; version++) {
        const char *set_list[] = {"method=newmark"};
        ifd_case *read = exported_case("oscillator/free", 1, set_list);
        const ifd_fmu_row row = {"spring", IFD_GROUND, 0, NULL};
        peer p;
        exported_open(read, version, 1, &row, &p);
        uint32_t f = exported_reference("f[1]"), d = exported_reference("d[1]");
        double h = read->run.step.h, u = 0.01, v = 0.1, a = (-c * v - K * u) / m, force = ks * u, worst = 0.0;
        void *saved = NULL;
        assert_int_equal(peer_set(&p, f, force), FMI_OK);
        peer_initialise(&p, 0.0);
        double G = peer_get(&p, exported_reference("G[1,1]"));
        assert_near_rel(G, 0.5 * h * h / (m + 0.5 * h * c + 0.25 * h * h * k), 1e-11, "compliance");
        assert_near_rel(peer_get(&p, exported_reference("a[1]")), a, 1e-13, "initial acceleration");
        for (int i = 0; i < 2000; i++) {
            assert_int_equal(p.get_state(p.instance, &saved), FMI_OK);
            assert_int_equal(peer_step(&p, h * i, h), FMI_OK);
            double free_end = peer_get(&p, d), end = (free_end + G * (force - 0.5 * ks * u)) / (1.0 + 0.5 * G * ks);
            assert_int_equal(p.set_state(p.instance, saved), FMI_OK);
            force = 0.5 * ks * (u + end);
            assert_int_equal(peer_set(&p, f, force), FMI_OK);
            assert_int_equal(peer_step(&p, h * i, h), FMI_OK);
            double next =
                (-c * (v + 0.5 * h * a) - K * (u + h * v + 0.25 * h * h * a)) / (m + 0.5 * h * c + 0.25 * h * h * K);
            u += h * v + 0.25 * h * h * (a + next);
            v += 0.5 * h * (a + next);
            a = next;
            worst = fmax(worst, fabs(peer_get(&p, d) - u));
        }
        assert_near(worst / 0.02, 0.0, 1e-12, "FMI %d", version);
        p.free_state(p.instance, (void *)&saved);
        peer_close(&p);
    }
}

static void goes_back_exactly(const char *name, const char *dof, double force)
{
    ifd_case *c = exported_case(name, 0, NULL);
    for (int version = 2; version <= 3; version++) {
        peer p;
        const ifd_fmu_row row = {dof, IFD_GROUND, 0, NULL};
        exported_open(c, version, 1, &row, &p);
        peer_initialise(&p, 0.0);
        fmi_state_size *size_of;
        fmi_serialize *put;
        fmi_deserialize *take;
        *(void **)&size_of = peer_symbol(&p, version == 2 ? "SerializedFMUstateSize" : "SerializedFMUStateSize");
        *(void **)&put = peer_symbol(&p, version == 2 ? "SerializeFMUstate" : "SerializeFMUState");
        *(void **)&take = peer_symbol(&p, version == 2 ? "DeSerializeFMUstate" : "DeserializeFMUState");
        uint32_t d = exported_reference("d[1]"), v = exported_reference("v[1]"), f = exported_reference("f[1]");
        double h = c->run.step.h;
        void *saved = NULL, *other = NULL;
        unsigned char bytes[65536];
        size_t size;
        for (int k = 0; k < 500; k++) {
            peer_set(&p, f, force * sin(0.1 * k));
            assert_int_equal(p.get_state(p.instance, &saved), FMI_OK);
            assert_int_equal(peer_step(&p, h * k, h), FMI_OK);
            double u1 = peer_get(&p, d), v1 = peer_get(&p, v);
            assert_int_equal(size_of(p.instance, saved, &size), FMI_OK);
            assert_true(size <= sizeof bytes);
            assert_int_equal(put(p.instance, saved, bytes, size), FMI_OK);
            assert_int_equal(take(p.instance, bytes, size, &other), FMI_OK);
            assert_int_equal(p.set_state(p.instance, k % 2 ? saved : other), FMI_OK);
            assert_int_equal(peer_step(&p, h * k, h), FMI_OK);
            assert_true(peer_get(&p, d) == u1 && peer_get(&p, v) == v1);
        }
        bytes[8] ^= 1; /* of another model */
        assert_int_equal(take(p.instance, bytes, size, &other), FMI_ERROR);
        p.free_state(p.instance, (void *)&saved);
        p.free_state(p.instance, (void *)&other);
        assert_null(saved);
        peer_close(&p);
    }
}

/* Also with memory of reversals, of which one falls into some of the steps. */
TEST_WITH(going_back_is_exact_and_so_are_kept_states, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    goes_back_exactly("shear-pendulum/bouc-wen-one", "top", 100.0);
    goes_back_exactly("steel-frame/frame", "x1", 2e4);
}

/* Into an instance that was never initialised and has other parameters. */
TEST_WITH(a_kept_state_brings_its_parameters_and_compliance_along, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("frame-10/frame", 0, NULL);
    peer p, q;
    void *saved = NULL;
    exported_open(c, 3, 1, &(ifd_fmu_row){"roof", IFD_GROUND, 117, NULL}, &p);
    q = p;
    q.instance = peer_instantiate(&q, q.token);
    assert_int_equal(peer_set(&p, exported_reference("ground_scale"), 2.0), FMI_OK);
    peer_initialise(&p, 0.0);
    for (int k = 0; k < 100; k++) {
        peer_step(&p, c->run.step.h * k, c->run.step.h);
        if (k == 50)
            assert_true(p.get_state(p.instance, &saved) == FMI_OK && q.set_state(q.instance, saved) == FMI_OK);
        if (k > 50)
            assert_int_equal(peer_step(&q, c->run.step.h * k, c->run.step.h), FMI_OK);
    }
    assert_true(peer_get(&p, exported_reference("G[1,1]")) > 0.0);
    assert_near(peer_get(&q, exported_reference("G[1,1]")), peer_get(&p, exported_reference("G[1,1]")), 0.0,
                "compliance");
    assert_near(peer_get(&q, exported_reference("d[1]")), peer_get(&p, exported_reference("d[1]")), 0.0,
                "displacement");
    p.free_state(p.instance, (void *)&saved);
    void (*drop)(void *);
    *(void **)&drop = peer_symbol(&q, "FreeInstance");
    drop(q.instance);
    peer_close(&p);
}

TEST_WITH(derivatives_and_compliance_agree_with_differences, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("frame-10/frame", 0, NULL);
    const ifd_fmu_row row[] = {{"roof", IFD_GROUND, 117, NULL}, {"middle", 57, 60, NULL}};
    for (int version = 2; version <= 3; version++) {
        peer p;
        exported_open(c, version, 2, row, &p);
        peer_initialise(&p, 0.0);
        uint32_t f[] = {exported_reference("f[1]"), exported_reference("f[2]")},
                 d[] = {exported_reference("d[1]"), exported_reference("d[2]")};
        uint32_t a[] = {exported_reference("a[1]"), exported_reference("a[2]")};
        double h = c->run.step.h, base[2], seed[] = {2.0, -3.0}, slope[4];
        uint32_t asked[] = {a[0], a[1], d[0], d[1]};
        void *saved = NULL;
        assert_int_equal(p.get_state(p.instance, &saved), FMI_OK);
        peer_step(&p, 0, h);
        for (int i = 0; i < 2; i++)
            base[i] = peer_get(&p, d[i]);
        for (int j = 0; j < 2; j++) {
            p.set_state(p.instance, saved);
            peer_set(&p, f[j], -1.0);
            peer_step(&p, 0, h);
            for (int i = 0; i < 2; i++) {
                char name[20];
                snprintf(name, sizeof name, "G[%d,%d]", i + 1, j + 1);
                double G = peer_get(&p, exported_reference(name));
                assert_near_rel(peer_get(&p, d[i]) - base[i], G, 1e-10, "%s", name);
            }
        }
        p.set_state(p.instance, saved);
        double a0[] = {peer_get(&p, a[0]), peer_get(&p, a[1])};
        if (version == 2) {
            fmi2_derivative *slope_of;
            *(void **)&slope_of = peer_symbol(&p, "GetDirectionalDerivative");
            assert_int_equal(slope_of(p.instance, asked, 4, f, 2, seed, slope), FMI_OK);
        } else {
            fmi3_derivative *slope_of;
            *(void **)&slope_of = peer_symbol(&p, "GetDirectionalDerivative");
            assert_int_equal(slope_of(p.instance, asked, 4, f, 2, seed, 2, slope, 4), FMI_OK);
        }
        peer_set(&p, f[0], seed[0]);
        peer_set(&p, f[1], seed[1]);
        for (int i = 0; i < 2; i++) {
            assert_near_rel(peer_get(&p, a[i]) - a0[i], slope[i], 1e-9, "acceleration %d", i + 1);
            assert_true(slope[2 + i] == 0.0);
        }
        p.free_state(p.instance, (void *)&saved);
        peer_close(&p);
    }
}

TEST_WITH(what_is_not_right_is_refused_with_a_sentence, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("bearing/ground", 0, NULL);
    peer p;
    exported_open(c, 2, 0, NULL, &p);
    double h = c->run.step.h;
    assert_null(peer_instantiate(&p, "{another}"));
    assert_non_null(strstr(peer_message(), "token"));
    assert_int_equal(peer_step(&p, 0, h), FMI_ERROR); /* before initialisation */
    peer_initialise(&p, 0.0);
    assert_int_equal(peer_step(&p, 0, -h), FMI_ERROR);
    assert_int_equal(peer_step(&p, 5 * h, h), FMI_ERROR);
    assert_non_null(strstr(peer_message(), "not the end of the last step"));
    uint32_t none = 60000;
    double value;
    assert_int_equal(p.get2(p.instance, &none, 1, &value), FMI_ERROR);
    assert_int_equal(peer_set(&p, exported_reference("ground.x"), (double)NAN), FMI_ERROR);
    assert_int_equal(peer_set(&p, exported_channel(c->run.model, 0), 1.0), FMI_ERROR);
    assert_int_equal(peer_set(&p, exported_reference("ground_scale"), 2.0), FMI_ERROR); /* too late */
    assert_int_equal(peer_step(&p, 0, h), FMI_OK);
    /* An image cut or changed anywhere is refused or gives a model, but never more than that. */
    char path[500];
    snprintf(path, sizeof path, "%s/model.bin", p.resources);
    FILE *in = fopen(path, "rb");
    static unsigned char image[1 << 20];
    size_t size = fread(image, 1, sizeof image, in);
    fclose(in);
    for (size_t k = 0; k < 60; k++) {
        unsigned char was = image[size * k / 60];
        FILE *out = fopen(path, "wb");
        image[size * k / 60] ^= 0x81;
        assert_int_equal(fwrite(image, 1, k % 2 ? size : size * k / 60, out), k % 2 ? size : size * k / 60);
        fclose(out);
        image[size * k / 60] = was;
        void *made = peer_instantiate(&p, p.token);
        void (*release)(void *);
        *(void **)&release = peer_symbol(&p, "FreeInstance");
        release(made);
        if (k % 2 == 0)
            assert_null(made);
    }
    peer_close(&p);
}

TEST_WITH(parameters_and_the_end_of_a_run_are_heeded, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    ifd_case *c = exported_case("frame-10/frame", 0, NULL);
    peer p;
    exported_open(c, 3, 0, NULL, &p);
    uint32_t top = exported_channel(c->run.model, 40);
    assert_int_equal(peer_set(&p, exported_reference("ground_scale"), 2.0), FMI_OK);
    peer_initialise(&p, 0.0);
    double h = c->run.step.h;
    for (int k = 0; k < 200; k++)
        peer_step(&p, h * k, h);
    double doubled = peer_get(&p, top);
    peer_close(&p);
    exported_open(c, 3, 0, NULL, &p);
    peer_initialise(&p, 0.0);
    for (int k = 0; k < 200; k++)
        peer_step(&p, h * k, h);
    assert_near_rel(doubled, 2.0 * peer_get(&p, top), 1e-12, "linear in its ground motion");
    /* A master that cuts its last step: half a step, and the time is where it was asked to be. */
    assert_int_equal(peer_step(&p, 200 * h, 0.5 * h), FMI_OK);
    assert_near(peer_get(&p, 0), 200.5 * h, 1e-12, "time");
    assert_int_equal(peer_step(&p, 200.5 * h, 3 * h), FMI_OK); /* several at once, on the new grid */
    assert_near(peer_get(&p, 0), 203.5 * h, 1e-12, "time");
    peer_close(&p);
}

/* What the exporter made, opened and stepped by the importer. */
TEST_WITH(the_importer_gets_the_bits_of_a_run, exported_begin, exported_end)
{
    if (!exported_runtime())
        return;
    for (int version = 2; version <= 3; version++) {
        char path[300];
        ifd_case *c = exported_case("shear-pendulum/bouc-wen-one", 0, NULL);
        peer p;
        ifd_fmu *f;
        ifd_run *r;
        int size;
        exported_open(c, version, 0, NULL, &p);
        peer_close(&p);
        snprintf(path, sizeof path, "%s/it.fmu", exported_folder);
        if (ifd_fmu_open_as(exported_arena, path, NULL, &f, &exported_note) != IFD_OK ||
            ifd_fmu_begin(f, 0.0, &exported_note) != IFD_OK)
            ifd_note_print(&exported_note, stderr, false);
        assert_int_equal(exported_note.errors, 0);
        assert_int_equal(ifd_run_make(exported_arena, &c->run, &r, &exported_note), IFD_OK);
        const double *x = ifd_run_save_area(r, &size);
        int n = ifd_model_dofs(c->run.model), first = -1;
        for (int i = 0; i < ifd_fmu_facts_of(f)->variables && first < 0; i++)
            first = strncmp(ifd_fmu_facts_of(f)->variable[i].name, "displacement.", 13) == 0 ? i : -1;
        for (int k = 0; k < 1000; k++) {
            assert_true(ifd_fmu_step(f, c->run.step.h * k, c->run.step.h));
            while (ifd_run_step(r) < k + 1)
                ifd_run_tick(r);
            for (int i = 0; i < n; i++) {
                const int variable[] = {first + 3 * i, first + 3 * i + 1};
                double value[2];
                assert_true(ifd_fmu_get(f, 2, variable, value));
                assert_true(value[0] == x[i] && value[1] == x[n + i]);
            }
        }
        assert_true(fabs(x[0]) > 0.0);
        ifd_run_close(r);
    }
}

TESTS()
