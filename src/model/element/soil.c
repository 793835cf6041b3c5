/* SPDX-License-Identifier: MIT */
/* Soil springs of a pile as multilinear laws: p-y across, t-z along the shaft, q-z at the tip. Forces per length are
 * multiplied by the tributary length.
 *
 * p-y in sand (API): P = A pu, pu = min((C1 z + C2 D) w z, C3 D w z), A = max(3 - 0.8 z/D, 0.9), 0.9 under cyclic
 * load; p = P tanh(k z y/P). In clay (Matlock): pu = min(3 c + w z + J c z/D, 9 c) D, y50 = 2.5 e50 D,
 * p = 0.5 pu (y/y50)^(1/3).
 *
 * API RP 2GEO (2011); Matlock (1970), OTC 1204. */
#include "model/element/soil.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/element/multilinear.h"

enum { POINTS = IFD__MULTILINEAR_POINTS };

typedef struct soil {
    ifd__multilinear_spring spring;
    double depth, diameter, length; /* m */
    double friction, resistance;    /* Pa, N */
    int rows, sand;
    bool cyclic;
} soil;

#define LENGTH_PARAM IFD_OPTION("length", LENGTH, 1e-6, 1e4, 1, "tributary length of the pile", IFD_AT(soil, length))
#define DAMPING_PARAM                                                                                                \
    IFD_OPTION("damping", DAMPING, 0, 1e18, 0, "damping of a parallel dashpot", IFD_AT(soil, spring.damping))
#define DIAMETER_PARAM IFD_NEEDED("diameter", LENGTH, 1e-3, 1e3, "D, diameter of the pile", IFD_AT(soil, diameter))

static const ifd_param p_y_params[] = {
    IFD_NEEDED("depth", LENGTH, 1e-9, 1e4, "z, depth below the surface", IFD_AT(soil, depth)),
    DIAMETER_PARAM,
    LENGTH_PARAM,
    IFD_FLAG("cyclic", "sand: cyclic loading (A = 0.9 at every depth)", IFD_AT(soil, cyclic)),
    IFD_OPTION("drag", NONE, 0, 1, 1, "fraction of the force without a gap; 1: no gap",
               IFD_AT(soil, spring.law.drag)),
    IFD_OPTION("rows", NONE, 2, POINTS, 10, "points of the curve", IFD_AT(soil, rows)),
    DAMPING_PARAM,
    IFD_LIST("soil", ANY, 0, 1e18, "set from `sand` or `clay`"),
    {0}};

static const ifd_param t_z_params[] = {
    DIAMETER_PARAM,
    LENGTH_PARAM,
    IFD_NEEDED("friction", PRESSURE, 0, 1e12, "largest friction of the shaft", IFD_AT(soil, friction)),
    IFD_WORD("soil", "clay|sand", "shape of the curve; sand is elastic up to 2.5 mm", IFD_AT(soil, sand)),
    DAMPING_PARAM,
    {0}};

static const ifd_param q_z_params[] = {
    DIAMETER_PARAM,
    IFD_NEEDED("resistance", FORCE, 1e-6, 1e15, "Q, largest force of the tip", IFD_AT(soil, resistance)),
    IFD_WORD("side", "below|above", "below: the soil acts for q < 0", IFD_AT(soil, sand)),
    DAMPING_PARAM,
    {0}};

void ifd__soil_sand(double angle, double C[3])
{
    double beta = 0.78539816339744830962 + angle / 2.0, alpha = angle / 2.0, K0 = 0.4, f = tan(angle);
    double t = tan(beta), d = tan(beta - angle), Ka = tan(0.78539816339744830962 - angle / 2.0);
    Ka *= Ka;
    C[0] = K0 * f * sin(beta) / (d * cos(alpha)) + t * t * tan(alpha) / d + K0 * t * (f * sin(beta) - tan(alpha));
    C[1] = t / d - Ka;
    C[2] = Ka * (pow(t, 8.0) - 1.0) + K0 * f * pow(t, 4.0);
}

/* Rows [y, p] per length; of: friction angle, weight, modulus. */
static void sand_points(const soil *d, const double *of, double *row)
{
    double C[3], z = d->depth, D = d->diameter, w = of[1];
    ifd__soil_sand(of[0], C);
    double A = d->cyclic ? 0.9 : fmax(3.0 - 0.8 * z / D, 0.9);
    double P = A * fmin((C[0] * z + C[1] * D) * w * z, C[2] * D * w * z);
    for (int i = 1; i <= d->rows; i++) {
        double x = 1.0 - (1.0 - (double)i / d->rows) * (1.0 - (double)i / d->rows);
        row[2 * i - 2] = (i < d->rows ? atanh(x) : 3.8) * P / (of[2] * z);
        row[2 * i - 1] = x * P;
    }
}

/* of: strength, weight, strain at half of it, J. */
static void clay_points(const soil *d, const double *of, double *row)
{
    double c = of[0], z = d->depth, D = d->diameter, y50 = 2.5 * of[2] * D;
    double pu = fmin(3.0 * c + of[1] * z + of[3] * c * z / D, 9.0 * c) * D;
    for (int i = 0; i < d->rows; i++) {
        double y = 0.1 * pow(80.0, (double)i / (d->rows - 1));
        row[2 * i] = y * y50;
        row[2 * i + 1] = 0.5 * pu * cbrt(y);
    }
}

static ifd_status keep(ifd_element *e, soil *d, int rows, const double *row, ifd_arena *arena, ifd_note *note)
{
    double scaled[2 * POINTS];
    for (int i = 0; i < 2 * rows; i++)
        scaled[i] = row[i] * (i % 2 ? d->length : 1.0);
    ifd_value points = ifd_matrix(scaled, rows, 2);
    return ifd__multilinear_keep(e, &points, &d->spring, sizeof *d, arena, note);
}

static ifd_status p_y_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    soil d = {.depth = 0.0};
    double row[2 * POINTS];
    ifd_param_store(p_y_params, values, &d);
    const ifd_value *of = ifd_param_get(p_y_params, values, "soil");
    if (!of->given || of->cols < IFD__SAND_NUMBERS)
        return ifd_note_add(note, IFD_MISSING_KEY, NULL, "element '%s' names no soil: expected 'sand' or 'clay'",
                            e->name);
    if (of->cols == IFD__SAND_NUMBERS)
        sand_points(&d, of->data, row);
    else
        clay_points(&d, of->data, row);
    d.spring.law.rule = d.spring.law.drag < 1.0 ? IFD__MULTILINEAR_GAPPING : IFD__MULTILINEAR_MASING;
    return keep(e, &d, d.rows, row, arena, note);
}

static ifd_status t_z_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    static const double clay[] = {0.0016, 0.3, 0.0031, 0.5, 0.0057, 0.75, 0.008, 0.9, 0.01, 1};
    soil d = {.depth = 0.0};
    double row[10] = {0.0025, 0.0};
    ifd_param_store(t_z_params, values, &d);
    double most = d.friction * 3.14159265358979323846 * d.diameter;
    for (int i = 0; i < 10 && !d.sand; i++)
        row[i] = clay[i] * (i % 2 ? most : d.diameter);
    if (d.sand)
        row[1] = most;
    return keep(e, &d, d.sand ? 1 : 5, row, arena, note);
}

static ifd_status q_z_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    static const double api[] = {0.002, 0.25, 0.013, 0.5, 0.042, 0.75, 0.073, 0.9, 0.1, 1};
    soil d = {.length = 1.0};
    double row[10];
    ifd_param_store(q_z_params, values, &d);
    for (int i = 0; i < 10; i++)
        row[i] = api[i] * (i % 2 ? d.resistance : d.diameter);
    d.spring.law.rule = IFD__MULTILINEAR_UPLIFT;
    d.spring.law.below = !d.sand;
    return keep(e, &d, 5, row, arena, note);
}

const ifd_element_ops ifd__element_p_y = {
    IFD__MULTILINEAR_ROW,
    .name = "p-y",
    .summary = "the lateral resistance of sand (API) or clay (Matlock) around a pile",
    .equation = "sand: p = P tanh(k z y/P); clay: p = 0.5 pu (y/y50)^(1/3), at most pu; multilinear, times length",
    .params = p_y_params,
    .make = p_y_make,
};

const ifd_element_ops ifd__element_t_z = {
    IFD__MULTILINEAR_ROW,
    .name = "t-z",
    .summary = "the friction of the soil along the shaft of a pile (API)",
    .equation = "t = pi D friction times a curve of z/D; multilinear with rule masing, times length",
    .params = t_z_params,
    .make = t_z_make,
};

const ifd_element_ops ifd__element_q_z = {
    IFD__MULTILINEAR_ROW,
    .name = "q-z",
    .summary = "the resistance of the soil below the tip of a pile (API), without tension",
    .equation = "q = Q times a curve of z/D; multilinear with rule uplift",
    .params = q_z_params,
    .make = q_z_make,
};
