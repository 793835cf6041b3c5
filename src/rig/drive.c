/* SPDX-License-Identifier: MIT */
/* The pose of a block from the extensions of its actuators, s(q) = s: Newton's method, q += (J^T J)^-1 J^T (s -
 * s(q)), which is Gauss-Newton for more actuators than dofs. From the pose of the previous tick it converges in one
 * or two steps; the fixed number below permits a distant start. */
#include "rig/drive.h"

#include <math.h>
#include <string.h>

#include "algebra/dense.h"

/* The rotation vector theta rotates a block by |theta| about its direction. With a = |theta| and K = [theta]x,
 *
 *     R = I + sin(a)/a K + (1 - cos a)/a^2 K^2                 (Rodrigues)
 *     T = I + (1 - cos a)/a^2 K + (a - sin a)/a^3 K^2          angular velocity in space = T theta'
 *
 * so that a point r = R p of the block moves with (T theta') x r, and an actuator along the unit vector e extends by
 * e . ((T theta') x r) = (T^T (r x e)) . theta'. Argyris, An excursion into large rotations (1982), derives both. */

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* M := I + f K + g K^2 with K^2 = theta theta^T - a^2 I. */
static void combine(const double theta[3], double f, double g, double M[9])
{
    const double x = theta[0], y = theta[1], z = theta[2], a2 = x * x + y * y + z * z;
    const double K[9] = {0.0, -z, y, z, 0.0, -x, -y, x, 0.0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[3 * i + j] = (i == j ? 1.0 - g * a2 : 0.0) + f * K[3 * i + j] + g * theta[i] * theta[j];
}

/* sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^3; below a = 0.1 by their series, because the formulas cancel. */
static void coefficients(const double theta[3], double c[3])
{
    double b = theta[0] * theta[0] + theta[1] * theta[1] + theta[2] * theta[2], a = sqrt(b);
    if (a < 0.1) {
        c[0] = 1.0 - b / 6.0 * (1.0 - b / 20.0 * (1.0 - b / 42.0 * (1.0 - b / 72.0)));
        c[1] = 0.5 * (1.0 - b / 12.0 * (1.0 - b / 30.0 * (1.0 - b / 56.0 * (1.0 - b / 90.0))));
        c[2] = (1.0 - b / 20.0 * (1.0 - b / 42.0 * (1.0 - b / 72.0 * (1.0 - b / 110.0)))) / 6.0;
        return;
    }
    double half = sin(0.5 * a);
    c[0] = sin(a) / a;
    c[1] = 2.0 * half * half / b;
    c[2] = (a - sin(a)) / (a * b);
}

void ifd__rotation_of(const double theta[3], double R[9])
{
    double c[3];
    coefficients(theta, c);
    combine(theta, c[0], c[1], R);
}

/* T with (angular velocity of R in space) = T theta', by rows. */
static void spin_of(const double theta[3], double T[9])
{
    double c[3];
    coefficients(theta, c);
    combine(theta, c[1], c[2], T);
}

double ifd__actuator_length(const double pose[6], const double place[3], const double arm[3], const double base[3],
                            double gradient[6])
{
    double R[9], T[9], r[3], e[3], turn[3], length = 0.0;
    ifd__rotation_of(pose + 3, R);
    for (int i = 0; i < 3; i++) {
        r[i] = R[3 * i] * arm[0] + R[3 * i + 1] * arm[1] + R[3 * i + 2] * arm[2];
        e[i] = place[i] + pose[i] + r[i] - base[i];
        length += e[i] * e[i];
    }
    length = sqrt(length);
    if (!gradient)
        return length;
    for (int i = 0; i < 3; i++)
        gradient[i] = e[i] = length > 0.0 ? e[i] / length : 0.0;
    cross(r, e, turn);
    spin_of(pose + 3, T);
    for (int j = 0; j < 3; j++)
        gradient[3 + j] = T[j] * turn[0] + T[3 + j] * turn[1] + T[6 + j] * turn[2];
    return length;
}

enum { STEPS = 6, DOFS = IFD_DRIVE_DOFS, ACTUATORS = IFD_DRIVE_ACTUATORS };

struct ifd_drive {
    int dofs, actuators;
    bool constant;
    double matrix[ACTUATORS * DOFS]; /* by rows */
    ifd_axis axis[DOFS];
    double base[ACTUATORS][3], arm[ACTUATORS][3], rest[ACTUATORS]; /* rest: length at q = 0 */
    double point[3];
    double size;        /* m, characteristic length: the longest actuator or arm */
    double scale[DOFS]; /* scale of a dof: 1 m, or the rotation that moves a point by its arm */
};

static const char *const axis_names[] = {
#define ROW(name, text) text,
    IFD_AXIS_LIST(ROW)
#undef ROW
};

const char *ifd_axis_words(void)
{
    return "x|y|z|rx|ry|rz";
}

static void pose_of(const ifd_drive *d, const double *q, double pose[6])
{
    memset(pose, 0, 6 * sizeof *pose);
    for (int i = 0; i < d->dofs; i++)
        pose[d->axis[i]] = q[i];
}

void ifd_drive_reach(const ifd_drive *d, const double *q, double *s)
{
    double pose[6];
    pose_of(d, q, pose);
    for (int j = 0; j < d->actuators; j++) {
        s[j] = d->constant ? ifd__dot(d->dofs, d->matrix + j * d->dofs, q)
                           : ifd__actuator_length(pose, d->point, d->arm[j], d->base[j], NULL) - d->rest[j];
    }
}

void ifd_drive_jacobian(const ifd_drive *d, const double *q, double *J)
{
    double pose[6], gradient[6];
    pose_of(d, q, pose);
    for (int j = 0; j < d->actuators; j++) {
        if (!d->constant)
            (void)ifd__actuator_length(pose, d->point, d->arm[j], d->base[j], gradient);
        for (int i = 0; i < d->dofs; i++)
            J[j * d->dofs + i] = d->constant ? d->matrix[j * d->dofs + i] : gradient[d->axis[i]];
    }
}

/* J^T J of a drive at q, factorised; columns are scaled to compare rotations and displacements. False: singular, or
 * nearly singular with a force amplification above 1000, which a block must not reach. */
static bool factor(const ifd_drive *d, const double *J, double *N, int *pivot)
{
    int n = d->dofs;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            double sum = 0.0;
            for (int j = 0; j < d->actuators; j++)
                sum += J[j * n + i] * d->scale[i] * J[j * n + k] * d->scale[k];
            N[k * n + i] = sum;
        }
    if (!ifd__lu_factor(n, N, pivot))
        return false;
    double most = 0.0, least = HUGE_VAL;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(N[i * n + i]));
        least = fmin(least, fabs(N[i * n + i]));
    }
    return least > 1e-6 * most;
}

/* x := (J^T J)^-1 b from the factors above. */
static void solve(const ifd_drive *d, const double *N, const int *pivot, double *b)
{
    for (int i = 0; i < d->dofs; i++)
        b[i] *= d->scale[i];
    ifd__lu_solve(d->dofs, N, pivot, 1, b);
    for (int i = 0; i < d->dofs; i++)
        b[i] *= d->scale[i];
}

/* One Newton step; returns the largest change in m, INFINITY if not finite, -1 if the drive is singular. */
static double newton(const ifd_drive *d, const double *s, double *q)
{
    double J[ACTUATORS * DOFS], N[DOFS * DOFS], now[ACTUATORS], step[DOFS] = {0.0}, most = 0.0;
    int pivot[DOFS];
    ifd_drive_reach(d, q, now);
    ifd_drive_jacobian(d, q, J);
    if (!factor(d, J, N, pivot))
        return -1.0;
    for (int j = 0; j < d->actuators; j++)
        for (int i = 0; i < d->dofs; i++)
            step[i] += J[j * d->dofs + i] * (s[j] - now[j]);
    solve(d, N, pivot, step);
    for (int i = 0; i < d->dofs; i++) {
        q[i] += step[i];
        most = isfinite(step[i]) ? fmax(most, fabs(step[i]) / d->scale[i]) : (double)INFINITY;
    }
    return most;
}

bool ifd_drive_pose(const ifd_drive *d, const double *s, double *q)
{
    double guess[DOFS], change = 0.0;
    memcpy(guess, q, sizeof *q * (size_t)d->dofs);
    for (int k = 0; k < STEPS && change >= 0.0; k++)
        change = newton(d, s, guess);
    if (!(change >= 0.0 && change <= 1e-9 * d->size))
        return false;
    memcpy(q, guess, sizeof *q * (size_t)d->dofs);
    return true;
}

void ifd_drive_force(const ifd_drive *d, const double *q, const double *f_s, double *f_q)
{
    double J[ACTUATORS * DOFS];
    ifd_drive_jacobian(d, q, J);
    for (int i = 0; i < d->dofs; i++) {
        f_q[i] = 0.0;
        for (int j = 0; j < d->actuators; j++)
            f_q[i] += J[j * d->dofs + i] * f_s[j];
    }
}

bool ifd_drive_share(const ifd_drive *d, const double *q, const double *f_q, double *f_s)
{
    double J[ACTUATORS * DOFS], N[DOFS * DOFS], z[DOFS];
    int pivot[DOFS];
    ifd_drive_jacobian(d, q, J);
    memcpy(z, f_q, sizeof *z * (size_t)d->dofs);
    if (!factor(d, J, N, pivot))
        return false;
    solve(d, N, pivot, z);
    for (int j = 0; j < d->actuators; j++)
        f_s[j] = ifd__dot(d->dofs, J + j * d->dofs, z);
    return true;
}

/* The second derivative of s along q' is a central difference over this time, s. */
static const double apart = 1e-4;

bool ifd__drive_rates(const ifd_drive *d, const double *q, const double *vs, const double *as, double *v, double *a)
{
    double J[ACTUATORS * DOFS], N[DOFS * DOFS], at[DOFS], s[3][ACTUATORS];
    int pivot[DOFS], n = d->dofs;
    ifd_drive_jacobian(d, q, J);
    if (!factor(d, J, N, pivot))
        return false;
    ifd_drive_force(d, q, vs, v); /* J^T vs */
    solve(d, N, pivot, v);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < n; k++)
            at[k] = q[k] + (i - 1) * apart * v[k];
        ifd_drive_reach(d, at, s[i]);
    }
    for (int j = 0; j < d->actuators; j++)
        s[0][j] = as[j] - (s[0][j] - 2.0 * s[1][j] + s[2][j]) / (apart * apart);
    ifd_drive_force(d, q, s[0], a);
    solve(d, N, pivot, a);
    return true;
}

static ifd_status check_counts(const ifd_drive_options *o, ifd_note *note)
{
    if (o->dofs < 1 || o->dofs > DOFS)
        return ifd_note_add(note, IFD_RANGE, NULL, "drive '%s' has %d dofs, expected 1 to %d", o->name, o->dofs,
                            DOFS);
    if (o->actuators < o->dofs || o->actuators > ACTUATORS)
        return ifd_note_add(note, IFD_RANGE, NULL, "drive '%s' has %d actuators for %d dofs, expected %d to %d",
                            o->name, o->actuators, o->dofs, o->dofs, ACTUATORS);
    return IFD_OK;
}

static ifd_status place(ifd_drive *d, const ifd_drive_options *o, ifd_note *note)
{
    const double nowhere[6] = {0.0};
    unsigned seen = 0;
    for (int i = 0; i < d->dofs; i++) {
        if (seen & 1u << o->axis[i])
            return ifd_note_add(note, IFD_DUPLICATE, NULL, "drive '%s' has two dofs along '%s'", o->name,
                                axis_names[o->axis[i]]);
        seen |= 1u << o->axis[i];
        d->axis[i] = o->axis[i];
    }
    memcpy(d->point, o->point, sizeof d->point);
    for (int j = 0; j < d->actuators; j++) {
        memcpy(d->base[j], o->base[j], sizeof d->base[j]);
        double reach = 0.0;
        for (int i = 0; i < 3; i++) {
            d->arm[j][i] = o->attachment[j][i] - o->point[i];
            reach += d->arm[j][i] * d->arm[j][i];
        }
        d->rest[j] = ifd__actuator_length(nowhere, d->point, d->arm[j], d->base[j], NULL);
        if (!(d->rest[j] > 0.0) || !isfinite(d->rest[j]))
            return ifd_note_add(note, IFD_RANGE, NULL, "actuator %d of drive '%s' has zero length", j + 1, o->name);
        d->size = fmax(d->size, fmax(d->rest[j], sqrt(reach)));
    }
    for (int i = 0; i < d->dofs; i++)
        d->scale[i] = d->axis[i] >= IFD_AXIS_RX ? 1.0 / d->size : 1.0;
    return IFD_OK;
}

static void take_matrix(ifd_drive *d, const ifd_drive_options *o)
{
    d->constant = true;
    d->size = 1.0;
    memcpy(d->matrix, o->matrix, sizeof *o->matrix * (size_t)(d->actuators * d->dofs));
    for (int i = 0; i < d->dofs; i++) {
        double most = 0.0;
        for (int j = 0; j < d->actuators; j++)
            most = fmax(most, fabs(d->matrix[j * d->dofs + i]));
        d->scale[i] = most > 0.0 ? 1.0 / most : 1.0;
    }
}

ifd_status ifd_drive_make(ifd_arena *arena, const ifd_drive_options *o, ifd_drive **out, ifd_note *note)
{
    IFD_TRY(check_counts(o, note));
    ifd_drive *d = ifd_arena_take(arena, sizeof *d);
    if (!d)
        return IFD_NO_MEMORY;
    d->dofs = o->dofs;
    d->actuators = o->actuators;
    if (o->matrix)
        take_matrix(d, o);
    else
        IFD_TRY(place(d, o, note));
    double J[ACTUATORS * DOFS], N[DOFS * DOFS];
    const double q[DOFS] = {0.0};
    int pivot[DOFS];
    ifd_drive_jacobian(d, q, J);
    if (!factor(d, J, N, pivot)) {
        ifd_note_add(note, IFD_SINGULAR, NULL, "the actuators of drive '%s' do not restrain all motions of its block",
                     o->name);
        ifd_note_hint(
            note,
            "actuators that are collinear or intersect in one point cannot restrain a block. Move an attachment");
        return IFD_SINGULAR;
    }
    *out = d;
    return IFD_OK;
}
