/* SPDX-License-Identifier: MIT */
/* P-Delta of storeys, leaning columns and frames, against values of an independent computation. */
#include "case/texts.h"

#include <interfield/model.h>

#include <string.h>

#include "algebra/dense.h"
#include "model/gravity.h"

#define TIME "time: {step: 1 ms, end: 1 s}\n"

static double omega(const ifd_model *m, int i)
{
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(m, IFD_DOF_X, i + 1, arena, &modes, &note), IFD_OK);
    return 2 * 3.14159265358979323846 * modes.frequency[i];
}

/* u := K^-1 f of a small model. */
static void deform(const ifd_model *m, double *u)
{
    double K[64 * 64];
    int pivot[64];
    assert_true(m->n <= 64);
    for (int i = 0; i < m->n; i++)
        for (int j = 0; j < m->n; j++)
            K[i + j * m->n] = entry(&m->K, i, j);
    assert_true(ifd__lu_factor(m->n, K, pivot));
    ifd__lu_solve(m->n, K, pivot, 1, u);
}

/* The message of a case that cannot be read. */
static const char *refusal(const char *text, ifd_status code)
{
    ifd_case *c = NULL;
    const ifd_case_source source = {.path = files_write("case.yaml", text)};
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), code);
    const char *said = note.first->text;
    ifd_note_init(&note, arena);
    return said;
}

TEST_IN_ARENA(storeys_have_the_frequencies_of_the_catalogue)
{
    static const char plain[] = TIME "model:\n"
                                     "  shear-building:\n"
                                     "    mass: [20 t, 20 t]\n"
                                     "    stiffness: [20 MN/m, 15 MN/m]\n";
    static const char *const heavy[] = {
        "    gravity: [1177200 N, 588600 N]\n"
        "    height: [3.5 m, 3 m]\n",
        "  elements:\n"
        "    - {leaning-column: {between: [ground, floor1], load: 1177200 N, height: 3.5 m}}\n"
        "    - {leaning-column: {between: [floor1, floor2], load: 588600 N, height: 3 m}}\n"};
    const ifd_model *m = read(plain)->run.model;
    double u[2] = {0, 1e5};
    assert_near_rel(omega(m, 0), 18.6711591, 1e-8, "omega 1");
    assert_near_rel(omega(m, 1), 46.3830553, 1e-8, "omega 2");
    deform(m, u);
    assert_near_rel(u[1], 0.0116666667, 5e-9, "u2");
    for (int i = 0; i < 2; i++) {
        m = read(ifd_arena_print(arena, "%s%s", plain, heavy[i]))->run.model;
        assert_near_rel(omega(m, 0), 18.526168, 5e-9, "omega 1 with P-Delta");
        assert_near_rel(omega(m, 1), 46.0471927, 5e-9, "omega 2 with P-Delta");
        u[0] = 0;
        u[1] = 1e5;
        deform(m, u);
        assert_near_rel(u[0], 0.00508552398, 5e-9, "u1 with P-Delta");
        assert_near_rel(u[1], 0.0118405463, 5e-9, "u2 with P-Delta");
    }
}

TEST_IN_ARENA(an_unstable_storey_is_refused_with_its_critical_factor)
{
    const char *said = refusal(TIME "model: {shear-building: {storeys: [{mass: 1 t, stiffness: 2e6}, "
                                    "{mass: 1 t, stiffness: 1e6, gravity: 4 MN, height: 3 m}]}}\n",
                               IFD_NOT_POSITIVE);
    assert_non_null(strstr(said, "storey 2 is unstable under gravity: its critical load factor k h/P is 0.75"));
    const ifd_case *c = read(TIME "model: {shear-building: {mass: [1 t], stiffness: 1e6, gravity: 600 kN, "
                                  "height: 3 m}}\n");
    assert_non_null(c);
    assert_non_null(note.remark_last);
    assert_non_null(strstr(note.remark_last->text, "theta = P/(k h) is 0.2"));
}

/* A cantilever along y: EI = 1e7 N m2, L = 4 m, 1000 kg/m, almost without elongation. */
static const char *cantilever(int elements, double P)
{
    const char *nodes = "", *members = "";
    for (int i = 0; i <= elements; i++) {
        nodes = ifd_arena_print(arena, "%s%sn%d: [0 m, %.12g m]", nodes, i ? ", " : "", i, 4.0 * i / elements);
        if (i)
            members = ifd_arena_print(arena, "%s%s[n%d, n%d, post]", members, i > 1 ? ", " : "", i - 1, i);
    }
    return ifd_arena_print(arena,
                           TIME "model:\n"
                                "  frame:\n"
                                "    material: {young: 1e10 Pa, density: 1000 kg/m3}\n"
                                "    sections: {post: {area: 1 m2, iz: 1e-3 m4}}\n"
                                "    nodes: {%s}\n"
                                "    members: [%s]\n"
                                "    supports: {n0: fixed}\n"
                                "    geometry: p-delta\n"
                                "    gravity: 0 m/s2\n"
                                "    gravity-loads: {n%d: %.12g N}\n",
                           nodes, members, elements, P);
}

TEST_IN_ARENA(a_cantilever_buckles_at_the_load_of_the_catalogue)
{
    static const int count[] = {1, 2, 8};
    static const double critical[] = {2.4859617, 2.46866476, 2.46740618},
                        first[] = {2.53574492, 2.53514327, 2.53456355};
    double unit = 1e7 / 16, rate = sqrt(1e7 / (1000 * 256.0)); /* EI/L^2, sqrt(EI/(m L^4)) */
    for (size_t i = 0; i < COUNT(count); i++) {
        const char *said = refusal(cantilever(count[i], 10 * unit), IFD_NOT_POSITIVE);
        const char *at = strstr(said, "critical factor of the load is ");
        double factor = 0;
        assert_non_null(at);
        assert_int_equal(sscanf(at, "critical factor of the load is %lf", &factor), 1);
        assert_near(10 * factor, critical[i], 2e-6, "buckling load of %d elements", count[i]);
        const ifd_model *m = read(cantilever(count[i], 1.2337 * unit))->run.model;
        assert_near_rel(omega(m, 0) / rate, first[i], 2e-8, "frequency of %d elements", count[i]);
    }
}

/* Weight by the mass of the members: the mean of the compression of the lowest of n elements is (1 - 1/(2n)) of the
 * weight; a frame in space has the same matrix in both planes. */
TEST_IN_ARENA(the_weight_of_members_and_space_count)
{
    const char *text = TIME "model:\n"
                            "  frame:\n"
                            "    dimension: 3\n"
                            "    material: {young: 1e10 Pa, density: 1000 kg/m3}\n"
                            "    sections: {post: {area: 1 m2, iz: 1e-3 m4, iy: 1e-3 m4, j: 1e-3 m4}}\n"
                            "    nodes: {a: [0 m, 0 m, 0 m], b: [0 m, 0 m, 4 m]}\n"
                            "    members: [[a, b, post]]\n"
                            "    supports: {a: fixed}\n"
                            "    geometry: p-delta\n"
                            "    gravity: 10 m/s2\n";
    const ifd_model *m = read(text)->run.model;
    double N = -0.5 * 1000 * 4 * 10, EI = 1e7, L = 4;
    assert_near_rel(entry(&m->K, 0, 0), 12 * EI / (L * L * L) + 36 * N / (30 * L), 1e-9, "x");
    assert_near_rel(entry(&m->K, 1, 1), 12 * EI / (L * L * L) + 36 * N / (30 * L), 1e-9, "y");
    assert_near_rel(fabs(entry(&m->K, 0, 4)), fabs(6 * EI / (L * L) + 3 * N / 30), 1e-9, "x and ry");
    assert_near_rel(fabs(entry(&m->K, 1, 3)), fabs(6 * EI / (L * L) + 3 * N / 30), 1e-9, "y and rx");
}

/* Supports that move together move the frame as a rigid body: K 1 = Ks, with the geometric stiffness in both. */
TEST_IN_ARENA(a_frame_on_moved_supports_is_carried_without_force)
{
    const char *text = TIME "model:\n"
                            "  frame:\n"
                            "    material: {young: 30 GPa, density: 2500 kg/m3}\n"
                            "    sections: {c: {width: 0.3 m, depth: 0.3 m}}\n"
                            "    nodes: {a: [0, 0], d: [6 m, 0], b: [0, 3 m], e: [6 m, 3 m]}\n"
                            "    members: [[a, b, c], [d, e, c], [b, e, c]]\n"
                            "    supports: {a: {hold: fixed, x: table}, d: {hold: fixed, x: table}}\n"
                            "    geometry: %s\n"
                            "%s"
                            "  supports: {table: {displacement: 1 mm}}\n";
    double first = 0, N = -1.5e6;
    for (int heavy = 0; heavy < 2; heavy++) {
        const char *loads = heavy ? "    gravity: 0 m/s2\n    gravity-loads: {b: 1500 kN, e: 1500 kN}\n" : "";
        const ifd_model *m = read(ifd_arena_print(arena, text, heavy ? "p-delta" : "linear", loads))->run.model;
        double sum[64] = {0};
        assert_int_equal(m->nsupport, 1);
        for (int j = 0; j < m->n; j++)
            for (int i = 0; i < m->n; i++)
                if (strcmp(m->dof_name[j] + 1, ".x") == 0)
                    sum[i] += entry(&m->K, i, j);
        for (int i = 0; i < m->n; i++)
            assert_near(sum[i], m->Ks[i], 1e-6 * fabs(entry(&m->K, i, i)) * 1e-6, "row %d, heavy %d", i, heavy);
        int at = 0;
        while (strcmp(m->dof_name[at], "b.x") != 0)
            at++;
        if (!heavy)
            first = m->Ks[at];
        else
            assert_near_rel(m->Ks[at] - first, 36 * N / (30 * 3), 1e-6, "change by gravity");
    }
}

/* Stiffness of the forces at u: central differences, exact for forces of second degree. */
static double slope(const ifd_model *m, double *u, int i, int j)
{
    double F[2][64], v[64] = {0}, g[1], *w = ifd_arena_array(arena, ifd__model_work(m), sizeof *w), d = 1e-3,
                     at = u[j];
    for (int k = 0; k < 2; k++) {
        u[j] = at + (k ? d : -d);
        ifd__model_balance(m, &(ifd__point){.u = u, .v = v, .s = g}, F[k], g, w);
    }
    u[j] = at;
    return (F[0][i] - F[1][i]) / (2 * d);
}

/* Compressed by a displacement, a frame with the present axial force has the stiffness of one under gravity, in the
 * directions across. */
TEST_IN_ARENA(the_present_axial_force_acts_as_that_of_gravity)
{
    static const char text[] = TIME "model:\n"
                                    "  frame:\n"
                                    "    dimension: %d\n"
                                    "    material: {young: 1e10 Pa, density: 1000 kg/m3}\n"
                                    "    sections: {post: {area: 1 m2, iz: 1e-3 m4, iy: 2e-3 m4, j: 1e-3 m4}}\n"
                                    "    nodes: %s\n"
                                    "    members: [[a, b, post], [b, c, post]]\n"
                                    "    supports: {a: fixed}\n"
                                    "    geometry: p-delta\n"
                                    "    gravity: 0 m/s2\n"
                                    "    %s\n";
    const double N = -1.2337 * 1e7 / 16;
    for (int dim = 2; dim <= 3; dim++) {
        const char *nodes = dim == 2 ? "{a: [0 m, 0 m], b: [0 m, 2 m], c: [0 m, 4 m]}"
                                     : "{a: [0 m, 0 m, 0 m], b: [0 m, 0 m, 2 m], c: [0 m, 0 m, 4 m]}";
        const char *heavy = ifd_arena_print(arena, "gravity-loads: {c: %.12g N}", -N);
        const ifd_model *rest = read(ifd_arena_print(arena, text, dim, nodes, heavy))->run.model,
                        *m = read(ifd_arena_print(arena, text, dim, nodes, "axial: current"))->run.model;
        double u[64] = {0};
        int down = dim - 1, per = dim == 2 ? 3 : 6;
        assert_int_equal(m->ne, dim == 2 ? 2 : 4);
        for (int k = 0; k < 2; k++)
            u[k * per + down] = N * 2 * (k + 1) / 1e10;
        for (int i = 0; i < m->n; i++)
            for (int j = 0; j < m->n; j++)
                if (i % per != down && j % per != down)
                    assert_near(slope(m, u, i, j), entry(&rest->K, i, j), 1e-2, "%s, %s", m->dof_name[i],
                                m->dof_name[j]);
    }
}

/* A frame whose rotations have no mass: the work of gravity includes condensed dofs. At rest under a force at the
 * head, elastic energy - work of gravity = half the work of the force. */
TEST_IN_ARENA(the_work_of_gravity_includes_condensed_dofs)
{
    const ifd_model *m = read(TIME "model:\n"
                                   "  frame:\n"
                                   "    mass: lumped\n"
                                   "    material: {young: 1e10 Pa, density: 1000 kg/m3}\n"
                                   "    sections: {post: {area: 1 m2, iz: 1e-3 m4}}\n"
                                   "    nodes: {a: [0 m, 0 m], b: [0 m, 4 m]}\n"
                                   "    members: [[a, b, post]]\n"
                                   "    supports: {a: fixed}\n"
                                   "    geometry: p-delta\n"
                                   "    gravity: 0 m/s2\n"
                                   "    gravity-loads: {b: 771062.5 N}\n")
                             ->run.model;
    const double EI = 1e7, L = 4, P = 771062.5, f = 1000;
    /* both dofs of the head: K + Kg with the rotation */
    double a = 12 * EI / (L * L * L) - 36 * P / (30 * L), b = 6 * EI / (L * L) - 3 * P / 30,
           c = 4 * EI / L - 4 * L * P / 30, x = f / (a - b * b / c), turn = -b / c * x;
    double work = 0.5 * P / (30 * L) * (36 * x * x + 2 * 3 * L * x * turn + 4 * L * L * turn * turn), u[8] = {0};
    assert_int_equal(m->ngone, 1);
    u[ifd_model_find_dof(m, "b.x")] = x;
    assert_near_rel(ifd__gravity_work(m, 0, u, NULL), work, 1e-9, "work of gravity");
}

TESTS_WITH(files_open, files_close)
