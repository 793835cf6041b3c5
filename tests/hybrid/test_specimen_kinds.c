/* SPDX-License-Identifier: MIT */
/* ctest: not with sanitizers, unless every test is asked for */
/* Every kind of element as a specimen: on the virtual rig, with an ideal actuator, the structure moves as with the
 * same element in its model. With ground motion. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/element.h>

#include "hybrid/hybrid_error.h"

/* Texts of each kind, and the permitted error relative to the single model. The reaction of an element with mass is
 * half a tick late; the error is of the order of (mass / structure) omega tick. */
typedef struct written {
    const char *kind, *text;
    double bound;
} written;

static const written list[] = {
    {"spring", "{between: [ground, x1], stiffness: 20 kN/m}", 1e-3},
    {"dashpot", "{between: [ground, x1], damping: 200 N s/m}", 2e-3},
    {"mass", "{at: x1, mass: 2 kg}", 1e-2},
    {"cubic-spring", "{between: [ground, x1], stiffness: 10 kN/m, epsilon: 1000}", 1e-3},
    {"power-dashpot", "{between: [ground, x1], coefficient: 100, exponent: 0.7, smoothing: 0.01}", 2e-3},
    {"gap", "{between: [ground, x1], stiffness: 30 kN/m, gap: 1 mm}", 5e-3},
    {"bilinear", "{between: [ground, x1], stiffness: 40 kN/m, ratio: 0.1, yield: 1 mm}", 5e-3},
    {"steel", "{between: [ground, x1], stiffness: 40 kN/m, yield-force: 40 N, hardening: 0.1}", 5e-3},
    {"sliders", "{between: [x1, x2], sliders: [[20 kN/m, 1 mm]], spring: 2 kN/m}", 5e-3},
    {"bouc-wen", "{between: [ground, x1], stiffness: 20 kN/m, beta: 300, gamma: 200}", 2e-3},
    {"pendulum", "{at: x1, mass: 2 kg, length: 0.3 m, damping: 0.1}", 1e-2},
    {"spring-pendulum", "{at: x1, mass: 2 kg, length: 0.3 m, stiffness: 2 kN/m}", 1e-2},
    {"double-pendulum", "{at: x1, mass: 1 kg, length: 0.3 m, mass2: 1 kg, length2: 0.2 m}", 1e-2},
    {"block", "{read: [velocity x1], apply: [x1], A: [[-50]], B: [[50]], C: [[-100]]}", 2e-3},
    {"pid", "{read: [displacement x1], apply: [x1], kp: 5000, kd: 50, filter: 5 ms}", 2e-3},
    {"low-pass", "{read: [velocity x1], apply: [x1], gain: -100, cutoff: 20 Hz}", 2e-3},
    {"high-pass", "{read: [displacement x1], apply: [x1], gain: -5000, cutoff: 2 Hz}", 2e-3},
    {"washout", "{read: [displacement x1], apply: [x1], gain: -5000, time: 0.1 s}", 2e-3},
    {"lead-lag", "{read: [displacement x1], apply: [x1], gain: -5000, lead: 0.02, lag: 0.01}", 2e-3},
    {"mr-damper", "{between: [ground, x1], x0: 0, voltage: 0.2}", 2e-2},
    {"maxwell", "{between: [ground, x1], branches: [[40 kN/m, 400, 1]], stiffness: 5 kN/m}", 2e-3},
    {"lead-rubber", "{between: [ground, x1], yield-force: 40 N, yield-displacement: 1 mm}", 2e-3},
    {"friction-pendulum", "{between: [ground, x1], load: 400 N, radius: 1 m, friction: 0.1, friction-slow: 0.05}",
     2e-3},
    {"leaning-column", "{between: [ground, x1], load: 20 kN, height: 3 m}", 2e-3},
    {"p-delta-member",
     "{at: [ground, ground, ground, ground, x1, ground], length: 1 m, axial-force: -20 kN, axial-stiffness: 40 kN/m}",
     2e-3},
    {"fibre-beam",
     "{at: [ground, ground, ground, ground, x1, ground], length: 1 m, width: 20 mm, depth: 30 mm, layers: 4, "
     "young: 40 GPa, yield-stress: 5 MPa}",
     5e-3},
    {"hinge", "{between: [ground, x1], stiffness: 40 kN/m, yield-force: 40 N, unloading: 0.4}", 5e-3},
    {"pivot", "{between: [ground, x1], stiffness: 40 kN/m, yield-force: 40 N, beta: 0.4}", 5e-3},
    {"self-centring", "{between: [ground, x1], stiffness: 40 kN/m, stiffness-after: 4 kN/m, activation-force: 40 N}",
     5e-3},
    {"bouc-wen-degrading",
     "{between: [ground, x1], stiffness: 20 kN/m, beta: 300, gamma: 200, yield-force: 40 N, "
     "yield-displacement: 2 mm, strength-degradation: 0.05, pinching: 0.5, psi0: 1 mm}",
     2e-3},
    {"brb", "{between: [ground, x1], stiffness: 40 kN/m, hardening: 2 kN/m, yield-force: 40 N, final-force: 60 N}",
     2e-3},
    {"bingham", "{between: [ground, x1], friction-force: 20 N, damping: 100 N s/m, smoothing: 10 mm/s}", 2e-3},
    {"mr-tanh", "{between: [ground, x1], amplitude: 40 N, slope: 40, width: 0.3, damping: 50 N s/m, smoothing: 1 mm}",
     2e-3},
    {"double-pendulum-bearing",
     "{between: [ground, x1], radii: [0.1, 0.2], friction: [0.03, 0.08], load: 500, stiffness: 40 kN/m}", 5e-3},
    {"triple-pendulum-bearing",
     "{between: [ground, x1], radii: [0.3, 0.06], friction: [0.02, 0.06, 0.1], load: 500, stiffness: 40 kN/m}", 5e-3},
    {"multilinear", "{between: [ground, x1], points: [[1 mm, 40 N], [4 mm, 80 N]], rule: masing}", 5e-3},
    {"multilinear", "{between: [ground, x1], points: [[-2 mm, -40 N], [1 mm, 40 N], [4 mm, 80 N]], rule: elastic}",
     5e-3},
    {"multilinear", "{between: [ground, x1], points: [[1 mm, 40 N], [4 mm, 80 N]], rule: uplift, side: below}", 5e-3},
    {"multilinear", "{between: [ground, x1], points: [[1 mm, 40 N], [4 mm, 80 N]], rule: gapping}", 5e-3},
    {"p-y",
     "{between: [ground, x1], depth: 1 m, diameter: 50 mm, length: 3 mm, drag: 0.3, damping: 50 N s/m, "
     "sand: {friction-angle: 35 deg, weight: 10 kN/m3, modulus: 22 MN/m3}}",
     5e-3},
    {"p-y",
     "{between: [ground, x1], depth: 1 m, diameter: 50 mm, length: 10 mm, rows: 4, "
     "clay: {strength: 40 kPa, weight: 8 kN/m3, strain50: 0.01}}",
     5e-3},
    {"t-z", "{between: [ground, x1], diameter: 50 mm, length: 20 mm, friction: 40 kPa, soil: clay}", 5e-3},
    {"t-z", "{between: [ground, x1], diameter: 50 mm, length: 20 mm, friction: 40 kPa, soil: sand}", 5e-3},
    {"q-z", "{between: [ground, x1], diameter: 50 mm, resistance: 80 N}", 5e-3},
};

static const char *const swaying = "time: {step: 1 ms, end: 1 s}\n"
                                   "ground: {signal: {sine: {amplitude: 2 m/s2, frequency: 3 Hz}}}\n"
                                   "model:\n"
                                   "  dofs: [x1, x2]\n"
                                   "  mass: [100 kg, 80 kg]\n"
                                   "  damping: [[60, -20], [-20, 20]]\n"
                                   "  stiffness: [[80000, -40000], [-40000, 40000]]\n";
static const char *head; /* of both files */
static const char *const tail =
    "    limits: {stroke: 300 mm, velocity: 20 m/s, acceleration: 1e5 m/s2}\n"
    "test: {rig: {virtual: {commands: linear}}, ticks-per-stage: 4, rate-dependent: yes, leave: start}\n";

static char folder[64], rig[128], whole[128];

static void put(const char *path, const char *between, const char *after)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s%s%s", head, between, after);
    assert_int_equal(fclose(file), 0);
}

/* The largest error of a dof of the structure. */
static double error_of(const char *what)
{
    hybrid_outcome o = {0};
    const hybrid_run r = {.path = rig, .truth = whole};
    double most = 0.0;
    if (!hybrid_error(&r, &o))
        fail_msg("%s cannot be tested", what);
    assert_int_equal(o.trip, IFD_TRIP_NONE);
    assert_int_equal(o.dofs, 2);
    for (int i = 0; i < o.dofs; i++)
        most = fmax(most, o.error[i]);
    return most;
}

static void compare(const char *what, const char *model, const char *specimen, double bound)
{
    char text[800];
    snprintf(text, sizeof text, "  elements:\n%s", model);
    put(whole, text, "");
    snprintf(text, sizeof text, "specimen:\n%s", specimen);
    put(rig, text, tail);
    hybrid_error_end(); /* the same path had another reference */
    double error = error_of(what);
    print_message("%-16s %.2g\n", what, error);
    if (!(error <= bound))
        fail_msg("%s: error %.3g, bound %.3g", what, error, bound);
}

TEST(every_kind_of_element_can_be_a_specimen)
{
    for (int k = 0; k < ifd_element_count; k++) {
        bool listed = false;
        for (size_t i = 0; i < COUNT(list); i++)
            listed = listed || strcmp(list[i].kind, ifd_elements[k]->name) == 0;
        if (!listed)
            fail_msg("how '%s' is written as a specimen is not in the list", ifd_elements[k]->name);
    }
    for (const written *w = list; w < list + COUNT(list); w++) {
        char model[400], specimen[400];
        snprintf(model, sizeof model, "    - {name: s, %s: %s}\n", w->kind, w->text);
        snprintf(specimen, sizeof specimen, "  - name: s\n    %s: %s\n", w->kind, w->text);
        compare(w->kind, model, specimen, w->bound);
    }
}

TEST(elements_in_parallel_are_one_specimen)
{
    compare("parallel",
            "    - {spring: {between: [ground, x1], stiffness: 20 kN/m}}\n"
            "    - {mr-damper: {between: [ground, x1], x0: 0}}\n",
            "  - name: s\n"
            "    parallel:\n"
            "      - {spring: {between: [ground, x1], stiffness: 20 kN/m}}\n"
            "      - {mr-damper: {between: [ground, x1], x0: 0}}\n",
            2e-2);
}

/* A model without mass is attached to the laboratory floor: its actuators impose the motion relative to the
 * ground. */
TEST(a_model_without_mass_may_be_tied_to_the_ground_that_shakes)
{
    compare("tied",
            "    - {maxwell: {between: [ground, x1], branches: [[40 kN/m, 400]]}}\n"
            "    - {cubic-spring: {between: [ground, x1], stiffness: 5 kN/m, epsilon: 1000}}\n",
            "  - name: s\n"
            "    model:\n"
            "      supports: {floor1: {follows: x1}}\n"
            "      elements:\n"
            "        - {maxwell: {between: [ground, floor1], branches: [[40 kN/m, 400]]}}\n"
            "        - {cubic-spring: {between: [ground, floor1], stiffness: 5 kN/m, epsilon: 1000}}\n",
            2e-3);
}

/* Bearings in two directions have an actuator for each. */
TEST(an_element_with_two_coordinates_is_a_specimen_with_two_actuators)
{
    static const char *const law[] = {
        "lead-rubber: {between: [[ground, x1], [ground, x2]], yield-force: 40 N, yield-displacement: 1 mm}",
        "friction-pendulum: {between: [[ground, x1], [x1, x2]], load: 400 N, radius: 1 m, friction: 0.1}"};
    for (size_t i = 0; i < COUNT(law); i++) {
        char model[400], specimen[600];
        snprintf(model, sizeof model, "    - {name: s, %s}\n", law[i]);
        snprintf(specimen, sizeof specimen,
                 "  - name: s\n    %s\n    limits: {stroke: 300 mm, velocity: 20 m/s, acceleration: 1e5 m/s2}\n"
                 "  - name: s2\n    of: s\n",
                 law[i]);
        compare("two directions", model, specimen, 2e-3);
    }
}

/* The same force law as a maxwell element of the model. */
TEST(elements_in_series_are_one_specimen)
{
    compare("series", "    - {maxwell: {between: [ground, x1], branches: [[40 kN/m, 400]]}}\n",
            "  - name: s\n"
            "    series:\n"
            "      between: [ground, x1]\n"
            "      of: [{spring: {stiffness: 40 kN/m}}, {dashpot: {damping: 400 N s/m}}]\n",
            2e-3);
    compare("springs", "    - {spring: {between: [x1, x2], stiffness: 12 kN/m}}\n",
            "  - name: s\n"
            "    series:\n"
            "      between: [x1, x2]\n"
            "      of:\n"
            "        - {spring: {stiffness: 20 kN/m}}\n"
            "        - {spring: {stiffness: 60 kN/m}}\n"
            "        - {spring: {stiffness: 60 kN/m}}\n",
            1e-3);
    /* k in series with a bilinear spring: elastic k k1/(k + k1), hardening k a k1/(k + a k1), the same yield force */
    compare(
        "brace",
        "    - {bilinear: {between: [ground, x1], stiffness: 20 kN/m, ratio: 0.18181818181818182, yield: 2 mm}}\n",
        "  - name: s\n"
        "    series:\n"
        "      between: [ground, x1]\n"
        "      of: [{spring: {stiffness: 40 kN/m}}, {bilinear: {stiffness: 40 kN/m, ratio: 0.1, yield: 1 mm}}]\n",
        5e-3);
}

/* The ground as a moving support: the actuator imposes the motion relative to it. */
TEST(a_specimen_may_be_tied_to_a_support_that_moves)
{
    /* starts without velocity, as an actuator cannot jump to one */
    const char *moved = "  supports:\n"
                        "    table:\n"
                        "      displacement:\n"
                        "        - {sine: {amplitude: 4 mm, frequency: 3 Hz}}\n"
                        "        - {sine: {amplitude: -12 mm, frequency: 1 Hz}}\n";
    const char *law = "mr-damper: {between: [table, x1], x0: 0, voltage: 0.2}";
    char text[600];
    snprintf(text, sizeof text, "%s  elements: [{%s}, {spring: {between: [table, x1], stiffness: 20 kN/m}}]\n", moved,
             law);
    put(whole, text, "");
    snprintf(text, sizeof text,
             "%s  elements: [{spring: {between: [table, x1], stiffness: 20 kN/m}}]\nspecimen:\n  - name: s\n    %s\n",
             moved, law);
    put(rig, text, tail);
    hybrid_error_end();
    double error = error_of("support");
    print_message("%-16s %.2g\n", "support", error);
    assert_true(error <= 1e-3);
}

/* Massless joints between a support with an actuator and the rest: static between springs, first-order at a dashpot.
 * Their contribution to the reaction of the support counts. */
TEST(a_model_may_have_joints_without_mass_on_its_supports)
{
    compare("static joint", "    - {spring: {between: [ground, x1], stiffness: 12 kN/m}}\n",
            "  - name: s\n"
            "    model:\n"
            "      supports: {floor1: {follows: x1}}\n"
            "      dofs: [j]\n"
            "      mass: [0]\n"
            "      elements:\n"
            "        - {spring: {between: [floor1, j], stiffness: 30 kN/m}}\n"
            "        - {spring: {between: [ground, j], stiffness: 20 kN/m}}\n",
            1e-3);
    compare("viscous joint", "    - {maxwell: {between: [ground, x1], branches: [[40 kN/m, 400]]}}\n",
            "  - name: s\n"
            "    model:\n"
            "      supports: {floor1: {follows: x1}}\n"
            "      dofs: [j]\n"
            "      mass: [0]\n"
            "      elements:\n"
            "        - {spring: {between: [floor1, j], stiffness: 40 kN/m}}\n"
            "        - {dashpot: {between: [ground, j], damping: 400 N s/m}}\n",
            2e-3);
}

/* A mass at such a joint moves with the ground: nothing connects it to the floor. */
TEST(a_mass_behind_a_joint_without_mass_rides)
{
    head = "time: {step: 1 ms, end: 1 s}\n"
           "ground: {signal: {sine: {amplitude: 2 m/s2, frequency: 3 Hz}}}\n"
           "model:\n"
           "  dofs: [x1, x2, k]\n"
           "  mass: [100 kg, 80 kg, 5 kg]\n"
           "  damping: [[60, -20, 0], [-20, 20, 0], [0, 0, 0]]\n"
           "  stiffness: [[80000, -40000, 0], [-40000, 40000, 0], [0, 0, 0]]\n";
    put(whole, "  elements: [{maxwell: {between: [x1, k], stiffness: 12 kN/m, branches: [[40 kN/m, 400]]}}]\n", "");
    head = swaying;
    put(rig,
        "specimen:\n"
        "  - name: s\n"
        "    model:\n"
        "      supports: {floor1: {follows: x1}}\n"
        "      dofs: [j, i, k]\n"
        "      mass: [0, 0, 5 kg]\n"
        "      elements:\n"
        "        - {spring: {between: [floor1, j], stiffness: 30 kN/m}}\n"
        "        - {spring: {between: [j, k], stiffness: 20 kN/m}}\n"
        "        - {spring: {between: [floor1, i], stiffness: 40 kN/m}}\n"
        "        - {dashpot: {between: [i, k], damping: 400 N s/m}}\n",
        tail);
    hybrid_error_end();
    double error = error_of("hanging mass");
    print_message("%-16s %.2g\n", "hanging mass", error);
    assert_true(error <= 1e-2);
}

/* A voltage over time is a function of simulated time, which starts after ramp-in; from rows and from a file, alone
 * and with another element. */
TEST(a_damper_follows_its_voltage_in_simulated_time)
{
    const char *rows = "mr-damper: {between: [ground, x1], x0: 0, schedule: [[0, 0], [0.3, 0.5], [0.7, 0.1]]}";
    const char *from_file = "mr-damper: {between: [ground, x1], x0: 0, schedule: voltage.csv}";
    const char *spring = "{spring: {between: [ground, x1], stiffness: 20 kN/m}}";
    char model[300], specimen[300], path[128];
    snprintf(path, sizeof path, "%s/voltage.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "time,voltage\n");
    for (int i = 0; i <= 1000; i++)
        fprintf(file, "%.3f,%g\n", 1e-3 * i, i < 300 ? 0.0 : i < 700 ? 0.5 : 0.1);
    assert_int_equal(fclose(file), 0);
    snprintf(model, sizeof model, "    - {%s}\n", rows);
    snprintf(specimen, sizeof specimen, "  - name: s\n    %s\n", rows);
    compare("schedule", model, specimen, 2e-2);
    snprintf(specimen, sizeof specimen, "  - name: s\n    %s\n", from_file);
    compare("schedule, file", model, specimen, 2e-2);
    snprintf(model, sizeof model, "    - {%s}\n    - %s\n", rows, spring);
    snprintf(specimen, sizeof specimen, "  - name: s\n    parallel:\n      - {%s}\n      - %s\n", from_file, spring);
    compare("schedule, beside", model, specimen, 2e-2);
    unlink(path);
}

/* The same numbers are moments and angles. */
TEST(a_series_may_turn)
{
    head = "time: {step: 1 ms, end: 1 s}\n"
           "loads: [{at: x1, force: {sine: {amplitude: 300 N m, frequency: 3 Hz}}}]\n"
           "model:\n"
           "  dofs: [x1, x2]\n"
           "  kinds: {x1: rz, x2: rz}\n"
           "  mass: [100 kg m2, 80 kg m2]\n"
           "  stiffness: [[80000, -40000], [-40000, 40000]]\n";
    put(whole, "  elements: [{maxwell: {between: [ground, x1], branches: [[40e3, 400]]}}]\n", "");
    put(rig,
        "specimen:\n"
        "  - name: s\n"
        "    series:\n"
        "      between: [ground, x1]\n"
        "      of: [{spring: {stiffness: 40 kN m/rad}}, {dashpot: {damping: 400 N m s/rad}}]\n"
        "    limits: {stroke: 0.3 rad, velocity: 20 rad/s, acceleration: 1e5 rad/s2}\n",
        "test: {rig: {virtual: {commands: linear}}, ticks-per-stage: 4, rate-dependent: yes, leave: start}\n");
    head = swaying;
    hybrid_error_end();
    double error = error_of("turning series");
    print_message("%-16s %.2g\n", "turning series", error);
    assert_true(error <= 2e-3);
}

static int begin(void **state)
{
    (void)state;
    head = swaying;
    snprintf(folder, sizeof folder, "/tmp/interfield-kinds-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(rig, sizeof rig, "%s/rig.yaml", folder);
    snprintf(whole, sizeof whole, "%s/whole.yaml", folder);
    return 0;
}

static int end(void **state)
{
    (void)state;
    hybrid_error_end();
    unlink(rig);
    unlink(whole);
    return rmdir(folder);
}

TESTS_WITH(begin, end)
