/* SPDX-License-Identifier: MIT */
/* The whole from its pieces equals the structure that was never cut. */
#include "method/fixtures.h"

#include <interfield/analysis.h>
#include <interfield/structures.h>

#include "model/model.h"

typedef struct tie {
    ifd_joint joint;
    ifd_joint_term term[4];
} tie;

/* dof i of part a moves with dof j of part b. */
static void tie_pair(tie *t, int a, int i, int b, int j)
{
    t->term[0] = (ifd_joint_term){a, i, 1};
    t->term[1] = (ifd_joint_term){b, j, -1};
    t->joint = (ifd_joint){.name = "joint", .terms = 2, .term = t->term};
}

static ifd_assembly assembled(ifd_arena *arena, int parts, const ifd_model *const *model, int rows, const tie *t,
                              bool project)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    ifd_part_options part[4] = {{0}};
    ifd_joint joint[8];
    ifd_note note;
    ifd_assembly out;
    ifd_note_init(&note, arena);
    for (int p = 0; p < parts; p++)
        part[p] = (ifd_part_options){.name = names[p], .model = model[p]};
    for (int j = 0; j < rows; j++) {
        joint[j] = t[j].joint;
        joint[j].term = t[j].term;
    }
    ifd_couple_options opt = {
        .parts = parts, .part = part, .joints = rows, .joint = joint, .project_start = project, .h = 1};
    assert_ok(ifd_couple_assemble(arena, &opt, &out, &note), &note);
    return out;
}

/* Entries of whole at dofs at[i], at[j] equal those of exact at i, j. */
static void check_matrix(const char *what, const ifd_sparse *whole, const ifd_sparse *exact, const int *at)
{
    double most = 0;
    for (int k = 0; k < exact->p[exact->n]; k++)
        most = fmax(most, fabs(exact->x[k]));
    for (int j = 0; j < exact->n; j++)
        for (int i = j; i < exact->n; i++) {
            int r = at[i] > at[j] ? at[i] : at[j], c = at[i] > at[j] ? at[j] : at[i];
            assert_near(ifd__sparse_get(whole, r, c), ifd__sparse_get(exact, i, j), 1e-14 * most, "%s (%d, %d)", what,
                        i, j);
        }
}

static void check_frequencies(ifd_arena *arena, const ifd_model *whole, const ifd_model *exact)
{
    ifd_modes a, b;
    assert_int_equal(ifd_model_modes(whole, IFD_DOF_X, whole->n, arena, &a, NULL), IFD_OK);
    assert_int_equal(ifd_model_modes(exact, IFD_DOF_X, exact->n, arena, &b, NULL), IFD_OK);
    assert_int_equal(a.count, b.count);
    for (int i = 0; i < a.count; i++)
        assert_near_rel(a.frequency[i], b.frequency[i], 1e-12, "mode %d", i + 1);
    assert_near_rel(a.total_mass, b.total_mass, 1e-14, "total mass");
}

/* Floors first..last of a chain of springs; the floor at each cut has the given share of its mass. */
static ifd_builder *floors(ifd_arena *arena, int first, int last, double bottom, double top)
{
    ifd_builder *b = ifd_builder_make(arena);
    for (int i = first; i <= last; i++) {
        char name[16];
        snprintf(name, sizeof name, "x%d", i);
        int x = ifd_builder_dof(b, name, IFD_DOF_X);
        double share = (i == first ? bottom : 1) * (i == last ? top : 1);
        ifd_builder_add(b, IFD_MASS, x, x, share * (1 + 0.2 * i));
        if (i > first || first == 0) {
            ifd_builder_spring(b, IFD_STIFFNESS, i ? x - 1 : IFD_GROUND, x, 100.0 + 7 * i);
            ifd_builder_spring(b, IFD_DAMPING, i ? x - 1 : IFD_GROUND, x, 0.3 + 0.01 * i);
        }
        ifd_builder_initial(b, x, 0.01 * i, 0.1 * i);
    }
    return b;
}

TEST_IN_ARENA(a_chain_cut_in_two_is_the_chain)
{
    ifd_model *exact = made(*state, floors(*state, 0, 5, 1, 1));
    const ifd_model *piece[] = {made(*state, floors(*state, 0, 3, 1, 0.3)),
                                made(*state, floors(*state, 3, 5, 0.7, 1))};
    tie t;
    tie_pair(&t, 0, 3, 1, 0);
    ifd_assembly a = assembled(*state, 2, piece, 1, &t, false);
    const int at[] = {0, 1, 2, 3, 4, 5};
    assert_int_equal(a.model->n, 6);
    assert_int_equal(a.dofs, 7);
    assert_string_equal(a.model->dof_name[3], "a.x3");
    assert_string_equal(a.model->dof_name[4], "b.x4");
    check_matrix("M", &a.model->M, &exact->M, at);
    check_matrix("C", &a.model->C, &exact->C, at);
    check_matrix("K", &a.model->K, &exact->K, at);
    check_frequencies(*state, a.model, exact);
    double u[7];
    ifd_assembly_expand(&a, a.model->u0, u);
    for (int i = 0; i < 7; i++)
        assert_near(u[i], 0.01 * (i < 4 ? i : i - 1), 1e-16, "start of dof %d", i);
}

TEST_IN_ARENA(the_order_of_cuts_and_of_joints_does_not_matter)
{
    ifd_model *exact = made(*state, floors(*state, 0, 6, 1, 1));
    const ifd_model *piece[] = {made(*state, floors(*state, 4, 6, 0.5, 1)),
                                made(*state, floors(*state, 0, 2, 1, 0.9)),
                                made(*state, floors(*state, 2, 4, 0.1, 0.5))};
    tie t[2];
    tie_pair(&t[0], 2, 2, 0, 0);
    tie_pair(&t[1], 1, 2, 2, 0);
    t[1].term[0].coefficient = -4; /* rows may be scaled and turned */
    t[1].term[1].coefficient = 4;
    ifd_assembly a = assembled(*state, 3, piece, 2, t, false);
    int at[7];
    for (int i = 0; i < 7; i++)
        for (int p = 0; p < 3; p++) {
            char name[16];
            snprintf(name, sizeof name, "%c.x%d", 'a' + p, i);
            int dof = ifd_model_find_dof(a.model, name);
            at[i] = dof >= 0 ? dof : p ? at[i] : -1;
        }
    check_matrix("M", &a.model->M, &exact->M, at);
    check_matrix("K", &a.model->K, &exact->K, at);
    check_frequencies(*state, a.model, exact);
}

/* Four bars of a star, each its own part, meet at one mass. */
TEST_IN_ARENA(four_parts_meet_at_one_joint)
{
    const ifd_model *piece[4];
    double mass = 0, k = 0;
    for (int p = 0; p < 4; p++) {
        piece[p] = oscillator(*state, 1 + p, 0, 10 * (p + 2), 0.5, -0.2);
        mass += 1 + p;
        k += 10 * (p + 2);
    }
    tie t[3];
    for (int j = 0; j < 3; j++)
        tie_pair(&t[j], j, 0, j + 1, 0);
    ifd_assembly a = assembled(*state, 4, piece, 3, t, false);
    assert_int_equal(a.model->n, 1);
    assert_near_rel(a.model->M.x[0], mass, 1e-15, "mass");
    assert_near_rel(a.model->K.x[0], k, 1e-15, "stiffness");
    assert_near(a.model->u0[0], 0.5, 1e-16, "start");
}

TEST_IN_ARENA(joints_that_repeat_others_are_left_out)
{
    const ifd_model *piece[3];
    for (int p = 0; p < 3; p++)
        piece[p] = oscillator(*state, 1, 0, 1, 0, 0);
    tie t[3];
    tie_pair(&t[0], 0, 0, 1, 0);
    tie_pair(&t[1], 1, 0, 2, 0);
    tie_pair(&t[2], 0, 0, 2, 0);
    ifd_assembly a = assembled(*state, 3, piece, 3, t, false);
    assert_int_equal(a.model->n, 1);
    assert_near(a.model->M.x[0], 3, 1e-15, "mass");
}

TEST_IN_ARENA(pieces_without_joints_stand_side_by_side)
{
    const ifd_model *piece[] = {oscillator(*state, 1, 0, 4, 0, 0), oscillator(*state, 2, 0, 3, 0, 0)};
    ifd_assembly a = assembled(*state, 2, piece, 0, NULL, false);
    assert_int_equal(a.model->n, 2);
    assert_near(ifd__sparse_get(&a.model->K, 1, 0), 0, 0, "no link");
}

/* A mass on a rigid arm of 2 m: u_b = x + 2 rz. By hand, M = [m + mb, 2 mb; 2 mb, J + 4 mb]. */
TEST_IN_ARENA(a_rigid_arm_carries_its_mass_along)
{
    ifd_builder *b = ifd_builder_make(*state);
    int x = ifd_builder_dof(b, "x", IFD_DOF_X), rz = ifd_builder_dof(b, "rz", IFD_DOF_RZ);
    ifd_builder_add(b, IFD_MASS, x, x, 3);
    ifd_builder_add(b, IFD_MASS, rz, rz, 0.5);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, x, 50);
    ifd_builder_spring(b, IFD_STIFFNESS, IFD_GROUND, rz, 20);
    const ifd_model *piece[] = {made(*state, b), oscillator(*state, 1.5, 0.1, 8, 0, 0)};
    tie t = {.term = {{0, 0, 1}, {0, 1, 2}, {1, 0, -1}}};
    t.joint = (ifd_joint){.name = "arm", .terms = 3, .term = t.term};
    ifd_assembly a = assembled(*state, 2, piece, 1, &t, false);
    assert_int_equal(a.model->n, 2);
    ifd_modes modes;
    assert_int_equal(ifd_model_modes(a.model, IFD_DOF_X, 2, *state, &modes, NULL), IFD_OK);
    double M[3] = {4.5, 3, 6.5}, K[3] = {58, 16, 52};
    double p = M[0] * M[2] - M[1] * M[1], q = M[0] * K[2] + M[2] * K[0] - 2 * M[1] * K[1],
           r = K[0] * K[2] - K[1] * K[1];
    for (int i = 0; i < 2; i++) {
        double lambda = (q + (i ? 1 : -1) * sqrt(q * q - 4 * p * r)) / (2 * p);
        assert_near_rel(modes.frequency[i], sqrt(lambda) / (2 * acos(-1)), 1e-12, "mode %d", i + 1);
    }
}

/* State of `reference` at t = 1. */
static double *reference_state(ifd_arena *arena, const ifd_model *m)
{
    ifd_step_options opt = options("reference", 0.05, (pair[]){{"tolerance", 1e-11, NULL}, {0}});
    return run_to(arena, &opt, m, 1);
}

/* Part of a nonlinear structure: the pieces to include, 1 the lower, 2 the upper. */
static ifd_model *nonlinear(ifd_arena *arena, int which, const ifd_signal *quake, const ifd_signal *push,
                            const ifd_signal *base)
{
    ifd_builder *b = ifd_builder_make(arena);
    int x0 = which & 1 ? ifd_builder_dof(b, "x0", IFD_DOF_X) : 0, x1 = ifd_builder_dof(b, "x1", IFD_DOF_X);
    int theta = which & 2 ? ifd_builder_dof(b, "theta", IFD_DOF_ANGLE) : 0;
    int support = which & 1 ? ifd_builder_support(b, "base", base) : 0;
    ifd_builder_ground(b, IFD_DOF_X, quake);
    if (which & 1) {
        ifd_builder_add(b, IFD_MASS, x0, x0, 2);
        ifd_builder_add(b, IFD_MASS, x1, x1, 0.4);
        ifd_builder_spring(b, IFD_STIFFNESS, support, x0, 90);
        ifd_builder_spring(b, IFD_DAMPING, support, x0, 0.5);
        add_pair(b, "bouc-wen", x0, x1, "stiffness", 60.0, "alpha", 0.2, "beta", 3.0, "gamma", 2.0, NULL);
        ifd_builder_force(b, x1, push);
        ifd_builder_initial(b, x0, 0.01, 0);
    }
    if (which & 2) {
        ifd_builder_add(b, IFD_MASS, x1, x1, 0.7);
        add_element(b, "pendulum", 2, (int[]){x1, theta}, "mass", 0.3, "length", 0.5, NULL);
        add_pair(b, "cubic-spring", IFD_GROUND, x1, "stiffness", 20.0, "epsilon", 1.0, NULL);
        ifd_builder_initial(b, theta, 0.3, -0.2);
    }
    ifd_builder_initial(b, x1, 0.02, 0.1);
    return made(arena, b);
}

TEST_IN_ARENA(elements_loads_supports_and_the_ground_come_along)
{
    const ifd_signal *quake = signal_of(*state, "sine", "amplitude", 1.5, "frequency", 1.3, NULL);
    const ifd_signal *push = signal_of(*state, "cosine", "amplitude", 2.0, "frequency", 0.6, NULL);
    const ifd_signal *base = signal_of(*state, "sine", "amplitude", 0.01, "frequency", 2.0, NULL);
    ifd_model *exact = nonlinear(*state, 3, quake, push, base);
    const ifd_model *piece[] = {nonlinear(*state, 1, quake, push, base), nonlinear(*state, 2, quake, push, base)};
    tie t;
    tie_pair(&t, 0, 1, 1, 0);
    ifd_assembly a = assembled(*state, 2, piece, 1, &t, false);
    assert_int_equal(a.model->n, 3);
    assert_int_equal(a.model->ne, 3);
    assert_string_equal(a.model->element[1].name, "b.pendulum");
    const double *whole = reference_state(*state, a.model), *one = reference_state(*state, exact);
    for (int i = 0; i < 2 * 3 + exact->ns; i++)
        assert_near(whole[i], one[i], 2e-9, "state %d", i);
}

/* A lower building with Rayleigh damping of its own. */
static ifd_builder *damped(ifd_arena *arena, int first, int last, double alpha, double beta)
{
    ifd_builder *b = floors(arena, first, last, first ? 0.5 : 1, first ? 1 : 0.5);
    ifd_builder_rayleigh(b, alpha, beta);
    return b;
}

TEST_IN_ARENA(each_part_keeps_its_rayleigh_damping)
{
    const double a[] = {0.1, 0.4}, b[] = {0.002, 0.001};
    const ifd_model *piece[] = {made(*state, damped(*state, 0, 2, a[0], b[0])),
                                made(*state, damped(*state, 2, 3, a[1], b[1]))};
    tie t;
    tie_pair(&t, 0, 2, 1, 0);
    ifd_assembly whole = assembled(*state, 2, piece, 1, &t, false);
    double C = 0.0; /* at the joint's dof */
    for (int p = 0; p < 2; p++) {
        int i = p ? 0 : 2;
        C += ifd__sparse_get(&piece[p]->C, i, i) + a[p] * ifd__sparse_get(&piece[p]->M, i, i) +
             b[p] * ifd__sparse_get(&piece[p]->K, i, i);
    }
    assert_near_rel(ifd__sparse_get(&whole.model->C, 2, 2), C, 1e-14, "damping at the joint");
    assert_near(whole.model->ray_k, 0, 0, "folded in");
}

TEST_IN_ARENA(a_start_that_disagrees_is_projected_in_the_sense_of_mass)
{
    const ifd_model *piece[] = {oscillator(*state, 1, 0, 4, 0.3, 1), oscillator(*state, 3, 0, 4, 0.1, 0)};
    tie t;
    tie_pair(&t, 0, 0, 1, 0);
    ifd_assembly a = assembled(*state, 2, piece, 1, &t, true);
    assert_near(a.model->u0[0], (0.3 + 3 * 0.1) / 4, 1e-16, "displacement");
    assert_near(a.model->v0[0], 0.25, 1e-16, "velocity keeps the momentum");
}

/* Every column and beam of a planar frame, cut between two storeys: the beam at the cut belongs to the lower
 * piece. */
static ifd_model *frame_piece(ifd_arena *arena, int from, int to)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_frame_node node[16];
    ifd_frame_member member[32];
    ifd_frame_support support[2];
    char name[16][8];
    int nodes = 0, members = 0, supports = 0;
    ifd_material material = {.E = 30e9, .nu = 0.2, .density = 2500};
    for (int s = from; s <= to; s++)
        for (int c = 0; c < 2; c++) {
            snprintf(name[nodes], sizeof name[0], "s%dc%d", s, c);
            node[nodes] = (ifd_frame_node){name[nodes], 6.0 * c, 3.0 * s, 0};
            if (s == 0)
                support[supports++] = (ifd_frame_support){nodes, IFD_FIX_ALL};
            if (s > from)
                member[members++] = (ifd_frame_member){
                    .from = nodes - 2, .to = nodes, .section = ifd_section_rectangle(0.5, 0.5), .material = material};
            if (c == 1 && s > 0 && (s > from || from == 0))
                member[members++] = (ifd_frame_member){.from = nodes - 1,
                                                       .to = nodes,
                                                       .section = ifd_section_rectangle(0.3, 0.6),
                                                       .material = material,
                                                       .added_mass = 2000};
            nodes++;
        }
    ifd_frame frame = {.planar = true,
                       .nodes = nodes,
                       .node = node,
                       .members = members,
                       .member = member,
                       .supports = supports,
                       .support = support};
    ifd_note note;
    ifd_note_init(&note, arena);
    assert_ok(ifd_builder_frame(b, &frame, &note), &note);
    return made(arena, b);
}

TEST_IN_ARENA(a_frame_cut_between_storeys_is_the_frame)
{
    ifd_model *exact = frame_piece(*state, 0, 4);
    const ifd_model *piece[] = {frame_piece(*state, 0, 2), frame_piece(*state, 2, 4)};
    tie t[6];
    int rows = 0;
    for (int i = 0; i < piece[0]->n; i++) {
        int j = ifd_model_find_dof(piece[1], piece[0]->dof_name[i]);
        if (j >= 0)
            tie_pair(&t[rows++], 0, i, 1, j);
    }
    assert_int_equal(rows, 6);
    ifd_assembly a = assembled(*state, 2, piece, rows, t, false);
    assert_int_equal(a.model->n, exact->n);
    check_frequencies(*state, a.model, exact);
}

TEST_IN_ARENA(a_joint_on_a_dof_that_is_not_there_is_refused)
{
    ifd_part_options part = {.name = "a", .model = oscillator(*state, 1, 0, 1, 0, 0)};
    ifd_joint_term term = {0, 7, 1};
    ifd_joint joint = {.name = "j", .terms = 1, .term = &term};
    ifd_couple_options opt = {.parts = 1, .part = &part, .joints = 1, .joint = &joint, .h = 1};
    ifd_assembly out;
    assert_int_equal(ifd_couple_assemble(*state, &opt, &out, NULL), IFD_UNKNOWN_NAME);
}

TESTS()
