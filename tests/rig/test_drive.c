/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "rig/drive.h"

#include <complex.h>
#include <string.h>

#include "rig/drive.h"

static const double degree = 0.017453292519943295769;

/* A block of 2 m x 1 m, pushed from the left and supported by two actuators from below; moved about a point near its
 * middle. It can rotate by 60 degrees and shift by 0.2 m without a singular pose. */
static const double base[3][3] = {{-4.0, 0.1, 0.0}, {-1.5, -3.0, 0.0}, {1.7, -2.9, 0.0}};
static const double attachment[3][3] = {{-0.2, 0.1, 0.0}, {-1.0, 0.3, 0.0}, {1.0, 0.3, 0.0}};
static const ifd_axis planar[3] = {IFD_AXIS_X, IFD_AXIS_Y, IFD_AXIS_RZ};

static ifd_drive *block(ifd_arena *arena)
{
    ifd_drive *d = NULL;
    const ifd_drive_options o = {.name = "block",
                                 .dofs = 3,
                                 .actuators = 3,
                                 .axis = planar,
                                 .base = base,
                                 .attachment = attachment,
                                 .point = {0.1, 0.05, 0.0}};
    assert_int_equal(ifd_drive_make(arena, &o, &d, NULL), IFD_OK);
    return d;
}

static double complex number(double real, double imaginary)
{
    const double parts[2] = {real, imaginary}; /* memory layout in C; not every compiler has CMPLX */
    double complex z;
    memcpy(&z, parts, sizeof z);
    return z;
}

/* The same by complex numbers: a point z of the block moves to c + d + e^(i phi) (z - c). */
static double extension(int j, const double q[3])
{
    double complex c = number(0.1, 0.05), z = number(attachment[j][0], attachment[j][1]);
    double complex b = number(base[j][0], base[j][1]);
    return cabs(c + number(q[0], q[1]) + cexp(number(0.0, q[2])) * (z - c) - b) - cabs(z - b);
}

TEST(extensions_are_those_of_plane_geometry_up_to_60_degrees)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_drive *d = block(arena);
    for (int turn = -60; turn <= 60; turn += 5) {
        const double q[3] = {0.3 * sin(turn), -0.2 * cos(2.0 * turn), turn * degree};
        double s[3];
        ifd_drive_reach(d, q, s);
        for (int j = 0; j < 3; j++)
            assert_near(s[j], extension(j, q), 1e-14, "");
    }
    ifd_arena_close(arena);
}

/* An actuator with its base at the distance a from the centre of rotation, attached at the distance b: the law of
 * cosines. */
TEST(a_turning_block_follows_the_law_of_cosines)
{
    const double a = 2.0, b = 0.7, from = 75.0 * degree;
    const double foot[3] = {a, 0.0, 0.0}, arm[3] = {b * cos(from), b * sin(from), 0.0}, centre[3] = {0.0, 0.0, 0.0};
    for (int turn = -60; turn <= 60; turn += 10) {
        const double pose[6] = {0.0, 0.0, 0.0, 0.0, 0.0, turn * degree};
        double closed = sqrt(a * a + b * b - 2.0 * a * b * cos(from + turn * degree)), gradient[6];
        double slope = a * b * sin(from + turn * degree) / closed;
        assert_near(ifd__actuator_length(pose, centre, arm, foot, gradient), closed, 1e-14, "");
        assert_near(gradient[IFD_AXIS_RZ], slope, 1e-14, "");
    }
}

/* The pose is found from its extensions, from the pose of the previous tick and from far away. */
TEST(a_pose_is_found_from_its_extensions)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_drive *d = block(arena);
    double warm[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k <= 600; k++) {
        double phi = 60.0 * degree * sin(0.02 * k);
        const double q[3] = {0.2 * sin(0.03 * k), 0.1 * sin(0.05 * k), phi};
        double s[3];
        for (int j = 0; j < 3; j++)
            s[j] = extension(j, q);
        assert_true(ifd_drive_pose(d, s, warm));
        for (int i = 0; i < 3; i++)
            assert_near(warm[i], q[i], 1e-12, "");
    }
    const double far[3] = {0.2, -0.1, 30.0 * degree};
    double s[3], cold[3] = {0.0, 0.0, 0.0};
    ifd_drive_reach(d, far, s);
    assert_true(ifd_drive_pose(d, s, cold));
    for (int i = 0; i < 3; i++)
        assert_near(cold[i], far[i], 1e-12, "");
    ifd_arena_close(arena);
}

TEST(what_belongs_to_no_pose_is_said_and_changes_nothing)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_drive *d = block(arena);
    const double impossible[3] = {0.0, 2.5, -1.9}, nothing[3] = {(double)NAN, 0.0, 0.0};
    double q[3] = {0.01, 0.02, 0.03};
    assert_false(ifd_drive_pose(d, impossible, q));
    assert_false(ifd_drive_pose(d, nothing, q));
    assert_true(q[0] == 0.01 && q[1] == 0.02 && q[2] == 0.03);
    ifd_arena_close(arena);
}

/* A hexapod: six actuators with the usual pairs of joints. */
static ifd_drive *hexapod(ifd_arena *arena)
{
    static const ifd_axis axes[6] = {IFD_AXIS_X, IFD_AXIS_Y, IFD_AXIS_Z, IFD_AXIS_RX, IFD_AXIS_RY, IFD_AXIS_RZ};
    double feet[6][3], joints[6][3];
    for (int j = 0; j < 6; j++) {
        double below = (60.0 * j + (j % 2 ? 25.0 : -25.0) + 30.0) * degree,
               above = (120.0 * (j / 2) + (j % 2 ? 70.0 : -10.0)) * degree;
        const double foot[3] = {2.0 * cos(below), 2.0 * sin(below), -2.0};
        const double joint[3] = {1.2 * cos(above), 1.2 * sin(above), 0.1};
        memcpy(feet[j], foot, sizeof foot);
        memcpy(joints[j], joint, sizeof joint);
    }
    ifd_drive *d = NULL;
    const ifd_drive_options o = {.name = "hexapod",
                                 .dofs = 6,
                                 .actuators = 6,
                                 .axis = axes,
                                 .base = (const double(*)[3])feet,
                                 .attachment = (const double(*)[3])joints};
    assert_int_equal(ifd_drive_make(arena, &o, &d, NULL), IFD_OK);
    return d;
}

/* Rotation by a quaternion, which has only the half angle in common with Rodrigues' formula. */
static void turned(const double theta[3], const double p[3], double out[3])
{
    double a = sqrt(theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2]);
    double w = cos(0.5 * a), f = a > 0.0 ? sin(0.5 * a) / a : 0.5;
    double x = f * theta[0], y = f * theta[1], z = f * theta[2];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * p[0] + R[3 * i + 1] * p[1] + R[3 * i + 2] * p[2];
}

TEST(rotations_in_space_are_those_of_quaternions)
{
    const double sizes[] = {0.0, 1e-9, 1e-4, 0.0999, 0.1001, 0.5, 1.2, 3.0};
    for (size_t k = 0; k < COUNT(sizes); k++) {
        const double theta[3] = {0.6 * sizes[k], -0.48 * sizes[k], 0.64 * sizes[k]}, p[3] = {0.3, -0.7, 1.1};
        double R[9], expected[3];
        ifd__rotation_of(theta, R);
        turned(theta, p, expected);
        for (int i = 0; i < 3; i++)
            assert_near(R[3 * i] * p[0] + R[3 * i + 1] * p[1] + R[3 * i + 2] * p[2], expected[i], 4e-16 * 4, "");
    }
}

/* Derivatives compared with central differences of sixth order, for each of n actuators and n dofs. */
static void compare_jacobian(const ifd_drive *d, int n, const double *q)
{
    const double h = 1e-2;
    static const double weight[3] = {0.75, -0.15, 1.0 / 60.0};
    double J[72], up[12], down[12], z[6];
    ifd_drive_jacobian(d, q, J);
    for (int i = 0; i < n; i++) {
        double slope[12] = {0.0};
        for (int k = 1; k <= 3; k++) {
            memcpy(z, q, sizeof *z * (size_t)n);
            z[i] = q[i] + k * h;
            ifd_drive_reach(d, z, up);
            z[i] = q[i] - k * h;
            ifd_drive_reach(d, z, down);
            for (int j = 0; j < n; j++)
                slope[j] += weight[k - 1] * (up[j] - down[j]) / h;
        }
        for (int j = 0; j < n; j++)
            assert_near(J[j * n + i], slope[j], 2e-11, "");
    }
}

TEST(jacobians_are_the_derivatives_of_extensions)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_drive *plane = block(arena), *space = hexapod(arena);
    const double planes[][3] = {{0, 0, 0}, {0.2, -0.1, 1.0}, {-0.3, 0.2, -0.9}};
    const double spaces[][6] = {
        {0, 0, 0, 0, 0, 0}, {0.1, -0.2, 0.15, 0.3, -0.2, 0.5}, {-0.2, 0.1, 0.3, -0.4, 0.6, 0.2}};
    for (int k = 0; k < 3; k++) {
        compare_jacobian(plane, 3, planes[k]);
        compare_jacobian(space, 6, spaces[k]);
    }
    ifd_arena_close(arena);
}

TEST(a_hexapod_finds_its_pose_and_shares_its_force)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_drive *d = hexapod(arena);
    const double q[6] = {0.12, -0.2, 0.1, 0.3, -0.2, 0.4}, f[6] = {1e4, -2e4, 5e4, 300.0, -700.0, 900.0};
    double s[6], back[6] = {0.0}, share[6], again[6];
    ifd_drive_reach(d, q, s);
    assert_true(ifd_drive_pose(d, s, back));
    assert_true(ifd_drive_share(d, q, f, share));
    ifd_drive_force(d, q, share, again);
    for (int i = 0; i < 6; i++) {
        assert_near(back[i], q[i], 1e-12, "");
        assert_near(again[i], f[i], 1e-12 * 5e4, "");
    }
    ifd_arena_close(arena);
}

/* Two actuators on one dof, and a lever: s = A q, least squares back. */
TEST(a_matrix_is_a_drive_too)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_drive *d = NULL;
    const double A[6] = {1.0, 0.5, 1.0, -0.5, 0.0, 2.0}, q[2] = {0.03, -0.01};
    const ifd_drive_options o = {.name = "pair", .dofs = 2, .actuators = 3, .matrix = A};
    assert_int_equal(ifd_drive_make(arena, &o, &d, NULL), IFD_OK);
    double s[3], back[2] = {0.0, 0.0}, f[2];
    ifd_drive_reach(d, q, s);
    assert_near(s[0], 0.025, 1e-17, "");
    assert_near(s[1], 0.035, 1e-17, "");
    assert_near(s[2], -0.02, 1e-17, "");
    assert_true(ifd_drive_pose(d, s, back));
    assert_near(back[0], q[0], 1e-16, "");
    assert_near(back[1], q[1], 1e-16, "");
    ifd_drive_force(d, q, (const double[]){100.0, 20.0, -5.0}, f);
    assert_near(f[0], 120.0, 1e-13, "");
    assert_near(f[1], 30.0, 1e-13, "");
    ifd_arena_close(arena);
}

/* One actuator from (-3, -4): s = sqrt((3 + q)^2 + 16) - 5. q' and q'' follow from (5 + s)^2 = (3 + q)^2 + 16. */
TEST(velocities_and_accelerations_of_an_inclined_actuator)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_drive *d = NULL;
    const double from[1][3] = {{-3.0, -4.0, 0.0}}, to[1][3] = {{0.0}};
    const ifd_axis axis[] = {IFD_AXIS_X};
    const ifd_drive_options o = {
        .name = "inclined", .dofs = 1, .actuators = 1, .axis = axis, .base = from, .attachment = to};
    assert_int_equal(ifd_drive_make(arena, &o, &d, NULL), IFD_OK);
    for (double q = -0.5; q <= 0.5; q += 0.25) {
        double s = sqrt((3.0 + q) * (3.0 + q) + 16.0) - 5.0, vs = 0.7, as = -3.0, v, a;
        assert_true(ifd__drive_rates(d, &q, &vs, &as, &v, &a));
        double due = (5.0 + s) * vs / (3.0 + q);
        assert_near(v, due, 1e-13, "velocity");
        assert_near(a, (vs * vs + (5.0 + s) * as - due * due) / (3.0 + q), 1e-6, "acceleration");
    }
    ifd_arena_close(arena);
}

/* All six dofs move as q_i = b_i sin(w_i t + i). Extensions of it, differentiated over 1 ms with four neighbours. */
TEST(velocities_and_accelerations_of_a_hexapod)
{
    ifd_arena *arena = ifd_arena_open();
    const ifd_drive *d = hexapod(arena);
    const double b[6] = {0.1, 0.08, 0.05, 0.2, 0.15, 0.1}, w[6] = {3.0, 5.0, 4.0, 2.0, 6.0, 3.5}, h = 1e-3;
    for (double t = 0.0; t < 2.0; t += 0.31) {
        double s[5][6], q[6], vs[6], as[6], v[6], a[6];
        for (int k = 0; k < 5; k++) {
            for (int i = 0; i < 6; i++)
                q[i] = b[i] * sin(w[i] * (t + (k - 2) * h) + i);
            ifd_drive_reach(d, q, s[k]);
        }
        for (int j = 0; j < 6; j++) {
            vs[j] = (s[0][j] - 8.0 * s[1][j] + 8.0 * s[3][j] - s[4][j]) / (12.0 * h);
            as[j] = (-s[0][j] + 16.0 * s[1][j] - 30.0 * s[2][j] + 16.0 * s[3][j] - s[4][j]) / (12.0 * h * h);
        }
        for (int i = 0; i < 6; i++)
            q[i] = b[i] * sin(w[i] * t + i);
        assert_true(ifd__drive_rates(d, q, vs, as, v, a));
        for (int i = 0; i < 6; i++) {
            assert_near(v[i], b[i] * w[i] * cos(w[i] * t + i), 1e-8, "velocity of dof %d", i);
            assert_near(a[i], -w[i] * w[i] * q[i], 1e-6, "acceleration of dof %d", i);
        }
    }
    ifd_arena_close(arena);
}

TEST(a_drive_that_cannot_hold_its_block_is_refused)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_drive *d = NULL;
    ifd_note note;
    ifd_note_init(&note, arena);
    const double to_one_point[3][3] = {{0.1, 0.05, 0.0}, {0.1, 0.05, 0.0}, {0.1, 0.05, 0.0}};
    ifd_drive_options o = {.name = "loose",
                           .dofs = 3,
                           .actuators = 3,
                           .axis = planar,
                           .base = base,
                           .attachment = to_one_point,
                           .point = {0.1, 0.05, 0.0}};
    assert_int_equal(ifd_drive_make(arena, &o, &d, &note), IFD_SINGULAR);
    o.actuators = 2;
    assert_int_equal(ifd_drive_make(arena, &o, &d, &note), IFD_RANGE);
    ifd_arena_close(arena);
}

TESTS()
