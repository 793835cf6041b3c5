/* SPDX-License-Identifier: MIT */
/* The rotation vector theta rotates a block by |theta| about its direction. With a = |theta| and K = [theta]x,
 *
 *     R = I + sin(a)/a K + (1 - cos a)/a^2 K^2                 (Rodrigues)
 *     T = I + (1 - cos a)/a^2 K + (a - sin a)/a^3 K^2          angular velocity in space = T theta'
 *
 * so that a point r = R p of the block moves with (T theta') x r, and an actuator along the unit vector e extends by
 * e . ((T theta') x r) = (T^T (r x e)) . theta'. Argyris, An excursion into large rotations (1982), derives both. */
#include "rig/geometry.h"

#include <math.h>

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
