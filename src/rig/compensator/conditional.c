/* SPDX-License-Identifier: MIT */
/* Conditional adaptive time series (cats):
 *
 *     u = a0 x + a1 x' + a2 x'',   a by least squares of u_f on (x_mf, x_mf', x_mf'') over the last `window`
 *
 * u, x_m and x pass the same Butterworth filter, exact for inputs that are held over a tick. A candidate replaces the
 * coefficients, by a bounded change, only if the motion is large enough, the tracking error is not already small, the
 * normal equations are well conditioned, and every coefficient is within its bounds. Otherwise noise would move them.
 *
 * Sums of products are kept for blocks of `every` ticks, in a ring; the window is a whole number of blocks. Rounding
 * does not accumulate, and the work of a tick is bounded by the number of blocks.
 *
 * Chae, Kazemibidokhti, Ricles (2013), Earthquake Engng Struct. Dyn. 42; Palacio-Betancur, Gutierrez Soto (2019),
 * Mech. Syst. Signal Process. 134. */
#include "rig/compensator/compensator.h"

#include <math.h>
#include <string.h>

#include "rig/compensator/butterworth.h"

/* N: upper triangle of the normal matrix by columns. A block of sums: N, right side, squared tracking error. */
enum { COUNT = 3, N = 0, RIGHT = 6, ERROR = 9, SUMS = 10 };
enum { BLOCKS_MOST = 1024 };
/* Counters: position in the block, block, full blocks; candidates accepted, and refused by each condition in order.
 * */
enum { TICK, BLOCK, FULL, ACCEPTED, SMALL, TRACKING, ILL, BEYOND, COUNTERS };

typedef struct conditional {
    ifd__butterworth filter;
    int every, blocks;
    double level, tolerance, condition;
    double start[COUNT], least[COUNT], most[COUNT], rate[COUNT];
    double scale[COUNT]; /* of the filter state i: x^(i) / 50^i */
    int u, xm, x;        /* offsets: filters */
    int a, count, ring;
} conditional;

static const ifd_param params[] = {
    IFD__COEFFICIENT_PARAMS("bare|benchmark"),
    IFD_OPTION("filter", FREQUENCY, 1e-3, 1e6, 20, "cut-off of the filter of u, x_m and the target"),
    IFD_OPTION("window", TIME, 1e-4, 1e3, 1, "time of the samples for least squares"),
    IFD_OPTION("every", NONE, 1, 1e6, 16, "ticks between two updates; the window is a multiple"),
    IFD_OPTION("level", LENGTH, 0, 1, 1e-4, "rms of the filtered motion below which the coefficients do not change"),
    IFD_OPTION("tolerance", NONE, 0, 1, 0.01,
               "relative rms tracking error below which the coefficients do not "
               "change"),
    IFD_OPTION("condition", NONE, 1, 1e15, 1e4, "largest condition number of the least-squares equations"),
    IFD_LIST("least", ANY, -1e12, 1e12, "smallest coefficients; default [0.7, 0, 0]"),
    IFD_LIST("most", ANY, -1e12, 1e12, "largest coefficients; default [1.3, 0.05, 0.002]"),
    IFD_LIST("rate", ANY, 0, 1e12, "largest changes in one update; default [0.05, 1e-3, 1e-5]"),
    IFD__COMPENSATOR_PARAMS,
    {0},
};

static ifd_status three(const ifd_compensator *c, const ifd_value *values, const char *name, const double *preset,
                        double *out, ifd_note *note)
{
    const ifd_value *given = ifd_param_get(c->kind->params, values, name);
    if (given->given && given->cols != COUNT)
        return ifd_note_add(note, IFD_SHAPE, &given->place,
                            "compensation '%s': '%s' has %d numbers, expected %d, for x, x' and x''", c->kind->name,
                            name, given->cols, (int)COUNT);
    memcpy(out, given->given ? given->data : preset, sizeof *out * COUNT);
    return IFD_OK;
}

static ifd_status bounds(const ifd_compensator *c, const ifd_value *values, conditional *d, ifd_note *note)
{
    IFD_TRY(ifd__compensator_plant(c, values, COUNT, d->start, note));
    IFD_TRY(three(c, values, "least", (const double[]){0.7, 0.0, 0.0}, d->least, note));
    IFD_TRY(three(c, values, "most", (const double[]){1.3, 0.05, 2e-3}, d->most, note));
    IFD_TRY(three(c, values, "rate", (const double[]){0.05, 1e-3, 1e-5}, d->rate, note));
    for (int i = 0; i < COUNT; i++)
        if (!(d->least[i] <= d->start[i] && d->start[i] <= d->most[i]))
            return ifd_note_add(note, IFD_RANGE, &ifd_param_get(params, values, "coefficients")->place,
                                "compensation '%s': initial coefficient a%d is %g, expected %g to %g (least, most)",
                                c->kind->name, i, d->start[i], d->least[i], d->most[i]);
    return IFD_OK;
}

static ifd_status refuse(const ifd_compensator *c, const ifd_value *values, ifd_note *note)
{
    conditional d;
    return bounds(c, values, &d, note);
}

static ifd_status make(ifd_compensator *c, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    conditional *d;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(d, 1)));
    IFD_TRY(bounds(c, values, d, note));
    IFD_TRY(ifd__butterworth_make(arena, ifd__compensator_number(c, values, "filter"), c->h, &d->filter));
    d->every = (int)ifd__compensator_number(c, values, "every");
    double blocks = round(ifd__compensator_number(c, values, "window") / (c->h * d->every));
    if (!(blocks >= 1.0 && blocks <= BLOCKS_MOST))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "compensation '%s': the window has %g times 'every' ticks, expected 1 to %d times",
                            c->kind->name, blocks, (int)BLOCKS_MOST);
    d->blocks = (int)blocks;
    d->level = ifd__compensator_number(c, values, "level");
    d->tolerance = ifd__compensator_number(c, values, "tolerance");
    d->condition = ifd__compensator_number(c, values, "condition");
    for (int i = 0; i < COUNT; i++)
        d->scale[i] = i ? d->scale[i - 1] * d->filter.w / 50.0 : 1.0;
    d->u = ifd__compensator_states(c, "filters", 3 * IFD__BUTTERWORTH_SIZE, IFD_STATE_REAL);
    d->xm = d->u + IFD__BUTTERWORTH_SIZE;
    d->x = d->xm + IFD__BUTTERWORTH_SIZE;
    d->a = ifd__compensator_states(c, "coefficients", COUNT, IFD_STATE_INTEGER);
    d->count = ifd__compensator_states(c, "counts", COUNTERS, IFD_STATE_INTEGER);
    d->ring = ifd__compensator_states(c, "sums", SUMS * d->blocks, IFD_STATE_INTEGER);
    c->data = d;
    return IFD_OK;
}

static void coefficients(const ifd_compensator *c, const double *s, double out[4])
{
    const conditional *d = c->data;
    memcpy(out, s + d->a, sizeof *out * COUNT);
    out[3] = 0.0;
}

/* Eigenvalues of a symmetric matrix of order three: centre + 2 radius cos(phase + 2 pi k/3) (Smith, 1961). */
static double eigenvalue_ratio(const double *n)
{
    double off = n[1] * n[1] + n[3] * n[3] + n[4] * n[4], centre = (n[0] + n[2] + n[5]) / 3.0;
    double a = n[0] - centre, b = n[2] - centre, e = n[5] - centre;
    double radius = sqrt((a * a + b * b + e * e + 2.0 * off) / 6.0);
    double det = a * (b * e - n[4] * n[4]) - n[1] * (n[1] * e - n[4] * n[3]) + n[3] * (n[1] * n[4] - b * n[3]);
    double cosine = radius > 0.0 ? det / (2.0 * radius * radius * radius) : 1.0;
    double phase = acos(fmin(fmax(cosine, -1.0), 1.0)) / 3.0;
    double largest = centre + 2.0 * radius * cos(phase);
    double smallest = centre + 2.0 * radius * cos(phase + 2.09439510239319549231);
    return smallest > 0.0 ? largest / smallest : HUGE_VAL;
}

/* r := the solution of the normal equations n r = r, by Cholesky's factorisation. */
static bool solve(const double *n, double *r)
{
    double l00 = sqrt(n[0]), l10 = n[1] / l00, l20 = n[3] / l00;
    double l11 = sqrt(n[2] - l10 * l10), l21 = (n[4] - l20 * l10) / l11;
    double l22 = sqrt(n[5] - l20 * l20 - l21 * l21);
    if (!(l00 > 0.0 && l11 > 0.0 && l22 > 0.0))
        return false;
    r[0] /= l00;
    r[1] = (r[1] - l10 * r[0]) / l11;
    r[2] = (r[2] - l20 * r[0] - l21 * r[1]) / (l22 * l22);
    r[1] = (r[1] - l21 * r[2]) / l11;
    r[0] = (r[0] - l10 * r[1] - l20 * r[2]) / l00;
    return true;
}

/* The outcome of a candidate from the sums of the window; a changes if it is accepted. */
static int judge(const conditional *d, const double *sum, double *a)
{
    double samples = (double)d->every * d->blocks, candidate[COUNT], power = 1.0;
    memcpy(candidate, sum + RIGHT, sizeof candidate);
    if (!(sqrt(sum[N] / samples) >= d->level))
        return SMALL;
    if (!(sqrt(sum[ERROR]) >= d->tolerance * sqrt(sum[N])))
        return TRACKING;
    if (!(eigenvalue_ratio(sum) <= d->condition) || !solve(sum, candidate))
        return ILL;
    for (int i = 0; i < COUNT; i++, power /= 50.0) {
        candidate[i] *= power;
        if (!(candidate[i] >= d->least[i] && candidate[i] <= d->most[i]))
            return BEYOND;
    }
    for (int i = 0; i < COUNT; i++)
        a[i] += fmin(fmax(candidate[i] - a[i], -d->rate[i]), d->rate[i]);
    return ACCEPTED;
}

/* The sample of the filters at the start of a tick; after a complete block, a candidate. */
static void sample(const conditional *d, double *s)
{
    double *count = s + d->count, *block = s + d->ring + SUMS * (int)count[BLOCK];
    double r[COUNT], total[SUMS] = {0.0}, error = s[d->xm] - s[d->x];
    if (count[TICK] == 0.0)
        memset(block, 0, sizeof *block * SUMS);
    for (int i = 0; i < COUNT; i++)
        r[i] = s[d->xm + i] * d->scale[i];
    for (int j = 0, at = 0; j < COUNT; j++) {
        for (int i = 0; i <= j; i++)
            block[at++] += r[i] * r[j];
        block[RIGHT + j] += r[j] * s[d->u];
    }
    block[ERROR] += error * error;
    if (++count[TICK] < d->every)
        return;
    count[TICK] = 0.0;
    count[BLOCK] = count[BLOCK] + 1.0 < d->blocks ? count[BLOCK] + 1.0 : 0.0;
    count[FULL] = fmin(count[FULL] + 1.0, d->blocks);
    if (count[FULL] < d->blocks)
        return;
    for (int b = 0; b < d->blocks; b++)
        for (int i = 0; i < SUMS; i++)
            total[i] += s[d->ring + SUMS * b + i];
    count[judge(d, total, s + d->a)] += 1.0;
}

static void begin(const ifd_compensator *c, double x, double *s)
{
    const conditional *d = c->data;
    memcpy(s + d->a, d->start, sizeof d->start);
    ifd__butterworth_begin(d->start[0] * x, s + d->u);
    ifd__butterworth_begin(x, s + d->xm);
    ifd__butterworth_begin(x, s + d->x);
    sample(d, s);
}

static double step(const ifd_compensator *c, const ifd_compensator_in *in, const double target[4], double *s)
{
    (void)in;
    return ifd__compensator_inverse(c, COUNT, target, s);
}

static void hold(const ifd__butterworth *b, double input, double *s)
{
    ifd__discretisation_step(&b->hold, &input, &input, s);
}

static void learn(const ifd_compensator *c, const ifd_compensator_in *in, double u, double *s)
{
    const conditional *d = c->data;
    hold(&d->filter, ifd__now_u(in, u), s + d->u);
    hold(&d->filter, in->xm, s + d->xm);
    hold(&d->filter, ifd__now_x(in), s + d->x);
    if (ifd__learns(in, ifd__butterworth_memory(&d->filter, c->h)))
        sample(d, s);
}

const ifd_compensator_kind ifd__compensator_cats = {
    .name = "cats",
    .summary = "a second-order inverse of the actuator computes the command. The inverse is identified over a time "
               "window and updated only under the conditions below (conditional adaptive time series)",
    .equation =
        "u = a0 x + a1 x' + a2 x'', a by least squares of u against x_m, x_m', x_m'' when the motion is large "
        "and tracking is not yet good",
    .params = params,
    .refuse = refuse,
    .make = make,
    .begin = begin,
    .step = step,
    .learn = learn,
    .adapts = true,
    .coefficients = coefficients,
};
