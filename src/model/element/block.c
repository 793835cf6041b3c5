/* SPDX-License-Identifier: MIT */
/* First-order blocks: controllers, filters and other linear systems that read coordinates of the structure and apply
 * forces to it. All rows of this file have one form,
 *
 *     z' = A z + B y + z0',   f = C z + D y + f0,
 *
 * y_j is the displacement or velocity of input coordinate j and f_i the force applied TO the structure at output
 * coordinate i, so that r = -f there and r = 0 at inputs. All is linear: the tangents are A, B, C, D themselves, and
 * the methods integrate block and structure as one system. */
#include <string.h>

#include "model/element/control.h"
#include "base/arena.h"

/* Matrices by columns. */
typedef struct block {
    int ns, nin, nout;
    const double *A, *B, *C, *D;
    const double *g0, *f0; /* constant terms of z' and f */
    const bool *velocity;  /* nin: true if the input is a velocity */
} block;

/* The case reader fills these two from `read:`; the parameters of the block come before them. */
#define PORT_PARAMS                                                                                                  \
    {.name = "reads", .preset = 1, IFD_WITHIN(0, 64), .doc = "set from `read:`: number of inputs"},                  \
    {                                                                                                                \
        .name = "kinds", .shape = IFD_SHAPE_LIST, IFD_WITHIN(0, 1),                                                  \
        .doc = "set from `read:`: for each input, 0 is a displacement, 1 is a velocity"                              \
    }

static IFD_RT double read_port(const block *d, const ifd_element_in *in, int j)
{
    return d->velocity[j] ? in->qd[j] : in->q[j];
}

/* f_i */
static IFD_RT double applied(const block *d, const ifd_element_in *in, int i)
{
    double f = d->f0[i];
    for (int j = 0; j < d->ns; j++)
        f += d->C[i + j * d->nout] * in->s[j];
    for (int j = 0; j < d->nin; j++)
        f += d->D[i + j * d->nout] * read_port(d, in, j);
    return f;
}

static IFD_RT void block_values(const block *d, const ifd_element_in *in, const ifd_element_out *out)
{
    for (int i = 0; out->g && i < d->ns; i++) {
        double sum = d->g0[i];
        for (int j = 0; j < d->ns; j++)
            sum += d->A[i + j * d->ns] * in->s[j];
        for (int j = 0; j < d->nin; j++)
            sum += d->B[i + j * d->ns] * read_port(d, in, j);
        out->g[i] = sum;
    }
    for (int i = 0; out->r && i < d->nout; i++)
        out->r[d->nin + i] = -applied(d, in, i);
}

static IFD_RT void block_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    const block *d = e->data;
    block_values(d, in, out);
    for (int j = 0; j < d->nin; j++) {
        double *r_y = d->velocity[j] ? out->r_v : out->r_q;
        double *g_y = d->velocity[j] ? out->g_v : out->g_q;
        for (int i = 0; r_y && i < d->nout; i++)
            r_y[d->nin + i + j * e->nq] = -d->D[i + j * d->nout];
        for (int i = 0; g_y && i < d->ns; i++)
            g_y[i + j * d->ns] = d->B[i + j * d->ns];
    }
    for (int j = 0; out->r_s && j < d->ns; j++)
        for (int i = 0; i < d->nout; i++)
            out->r_s[d->nin + i + j * e->nq] = -d->C[i + j * d->nout];
    for (int i = 0; out->g_s && i < d->ns * d->ns; i++)
        out->g_s[i] = d->A[i];
}

/* A block stores no mechanical energy: all its work counts as dissipated, negative if it adds energy. */
static IFD_RT void block_energy(const ifd_element *e, const ifd_element_in *in, double *stored, double *dissipated)
{
    const block *d = e->data;
    *stored = 0;
    *dissipated = 0;
    for (int i = 0; i < d->nout; i++)
        *dissipated -= applied(d, in, i) * in->qd[d->nin + i];
}

int ifd__control_pack(const ifd_element *e, double out[IFD__CONTROL_NUMBERS])
{
    const block *d = e->data;
    int n = d->ns, m = d->nin;
    if (d->nout != 1 || m > IFD__CONTROL_INPUTS || n > IFD__CONTROL_STATES)
        return 0;
    double *at = out;
    *at++ = m;
    *at++ = n;
    for (int j = 0; j < m; j++)
        *at++ = d->velocity[j];
    const struct {
        const double *from;
        int count;
    } part[] = {{d->A, n * n}, {d->B, n * m}, {d->C, n}, {d->D, m}, {d->g0, n}, {d->f0, 1}};
    for (size_t i = 0; i < sizeof part / sizeof *part; at += part[i].count, i++)
        if (part[i].count)
            memcpy(at, part[i].from, sizeof *at * (size_t)part[i].count);
    return (int)(at - out);
}

/* Ports: number and kinds of inputs against the coordinates of the element. */
static ifd_status ports_make(const ifd_element *e, const ifd_param *params, const ifd_value *values, block *d,
                             ifd_arena *arena, ifd_note *note)
{
    const ifd_value *reads = ifd_param_get(params, values, "reads"), *kinds = ifd_param_get(params, values, "kinds");
    d->nin = (int)reads->number;
    d->nout = e->nq - d->nin;
    if (d->nin < 1 || d->nin > e->nq || d->nout < 1)
        return ifd_note_add(note, IFD_SHAPE, &reads->place,
                            "element '%s' reads %d of its %d coordinates; expected at least one input and one output",
                            e->name, d->nin, e->nq);
    if (kinds->given && kinds->cols != d->nin)
        return ifd_note_add(note, IFD_SHAPE, &kinds->place,
                            "element '%s': 'kinds' has %d numbers; expected %d, one per input", e->name, kinds->cols,
                            d->nin);
    bool *velocity;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(velocity, d->nin)));
    for (int j = 0; kinds->given && j < d->nin; j++)
        velocity[j] = kinds->data[j] > 0.5;
    d->velocity = velocity;
    return IFD_OK;
}

/* A zeroed matrix, or the value (by rows) by columns; NULL without memory. */
static double *matrix_make(ifd_arena *arena, int rows, int cols, const ifd_value *value)
{
    double *m = ifd_arena_array(arena, (size_t)rows * (size_t)cols, sizeof *m);
    if (!m || !value || !value->given)
        return m;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            m[i + j * rows] = value->data[i * cols + j];
    return m;
}

static const ifd_param block_params[] = {
    IFD_MATRIX("A", ANY, -1e12, 1e12, "matrix from states to their rates; a pure gain has no A, B, C"),
    IFD_MATRIX("B", ANY, -1e21, 1e21, "matrix from inputs to rates of the states"),
    IFD_MATRIX("C", ANY, -1e21, 1e21, "matrix from states to applied forces"),
    IFD_MATRIX("D", ANY, -1e21, 1e21, "matrix from inputs to applied forces; default 0"),
    IFD_LIST("initial", ANY, -1e15, 1e15, "initial states; default 0"),
    PORT_PARAMS,
    {0}};

static ifd_status check_shapes(const ifd_element *e, const block *d, const ifd_value *v, ifd_note *note)
{
    const ifd_value *A = &v[0], *B = &v[1], *C = &v[2], *D = &v[3];
    if (A->given != B->given || A->given != C->given)
        return ifd_note_add(note, IFD_MISSING_KEY,
                            A->given   ? &A->place
                            : B->given ? &B->place
                                       : &C->place,
                            "element '%s' has %s'A', %s'B', %s'C'; expected all three or none", e->name,
                            A->given ? "" : "no ", B->given ? "" : "no ", C->given ? "" : "no ");
    if (!A->given && !D->given)
        return ifd_note_add(note, IFD_MISSING_KEY, &A->place, "element '%s' needs 'A', 'B' and 'C', or 'D'", e->name);
    const struct {
        int rows, cols;
        const char *why;
    } want[] = {{A->rows, A->rows, "one row and one column per state"},
                {d->ns, d->nin, "a row per state, a column per input"},
                {d->nout, d->ns, "a row per output, a column per state"},
                {d->nout, d->nin, "a row per output, a column per input"},
                {1, d->ns, "one number per state"}};
    ifd_status status = IFD_OK;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) /* the first parameters; all errors are reported */
        if (v[i].given && (v[i].rows != want[i].rows || v[i].cols != want[i].cols))
            status = ifd_note_add(
                note, IFD_SHAPE, &v[i].place, "element '%s': '%s' is %d x %d; expected %d x %d (%s)", e->name,
                block_params[i].name, v[i].rows, v[i].cols, want[i].rows, want[i].cols, want[i].why);
    return status;
}

static ifd_status block_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    block d = {.ns = values[0].given ? values[0].rows : 0};
    IFD_TRY(ports_make(e, block_params, values, &d, arena, note));
    IFD_TRY(check_shapes(e, &d, values, note));
    d.A = matrix_make(arena, d.ns, d.ns, &values[0]);
    d.B = matrix_make(arena, d.ns, d.nin, &values[1]);
    d.C = matrix_make(arena, d.nout, d.ns, &values[2]);
    d.D = matrix_make(arena, d.nout, d.nin, &values[3]);
    d.g0 = matrix_make(arena, d.ns, 1, NULL);
    d.f0 = matrix_make(arena, d.nout, 1, NULL);
    double *initial = matrix_make(arena, 1, d.ns, &values[4]);
    if (!d.A || !d.B || !d.C || !d.D || !d.g0 || !d.f0 || !initial)
        return IFD_NO_MEMORY;
    e->ns = d.ns;
    e->s0 = initial;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

#define PORTS .abi = IFD_ELEMENT_ABI, .attach = IFD_ATTACH_PORTS, .eval = block_eval, .energy = block_energy

const ifd_element_ops ifd__element_block = {
    PORTS,
    .name = "block",
    .summary = "a linear first-order system that reads dofs and applies forces",
    .equation = "z' = A z + B y, f = C z + D y, f applied to the structure",
    .params = block_params,
    .make = block_make,
};

/* Data of the single-port rows below: at most two states. */
typedef struct single {
    int ns;
    double A[4], B[2], C[2], D; /* A by columns */
    double g0[2], f0;
} single;

static ifd_status single_make(ifd_element *e, const ifd_param *params, const ifd_value *values, const single *from,
                              ifd_arena *arena, ifd_note *note)
{
    block d = {.ns = from->ns};
    IFD_TRY(ports_make(e, params, values, &d, arena, note));
    if (d.nin != 1 || d.nout != 1)
        return ifd_note_add(note, IFD_SHAPE, &ifd_param_get(params, values, "reads")->place,
                            "element '%s' has %d inputs and %d outputs; expected one of each", e->name, d.nin,
                            d.nout);
    single *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    *s = *from;
    d.A = s->A;
    d.B = s->B;
    d.C = s->C;
    d.D = &s->D;
    d.g0 = s->g0;
    d.f0 = &s->f0;
    e->ns = d.ns;
    return ifd__element_keep(e, arena, &d, sizeof d);
}

static const ifd_param pid_params[] = {
    IFD_OPTION("kp", ANY, -1e21, 1e21, 0, "force per error"),
    IFD_OPTION("ki", ANY, -1e21, 1e21, 0, "force per integral of the error"),
    IFD_OPTION("kd", ANY, -1e21, 1e21, 0, "force per rate of the error"),
    IFD_OPTION("filter", TIME, 1e-9, 1e4, 1e-3, "T, time constant of the rate filter"),
    IFD_OPTION("target", ANY, -1e9, 1e9, 0, "y0, setpoint"),
    PORT_PARAMS,
    {0}};

/* States: integral of the error y0 - y, and y filtered, w' = (y - w)/T; the rate of y is approximated by (y -
 * w)/T. */
static ifd_status pid_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = pid_params;
    double kp = ifd__element_number(p, values, "kp"), ki = ifd__element_number(p, values, "ki");
    double kd = ifd__element_number(p, values, "kd"), T = ifd__element_number(p, values, "filter");
    double target = ifd__element_number(p, values, "target");
    single s = {.ns = 2,
                .A = {0, 0, 0, -1 / T},
                .B = {-1, 1 / T},
                .C = {ki, kd / T},
                .D = -kp - kd / T,
                .g0 = {target, 0},
                .f0 = kp * target};
    return single_make(e, p, values, &s, arena, note);
}

const ifd_element_ops ifd__element_pid = {
    PORTS,
    .name = "pid",
    .summary = "a PID controller that keeps its input at a setpoint",
    .equation = "f = kp (y0 - y) + ki int (y0 - y) dt - kd (y - w)/T, w' = (y - w)/T",
    .params = pid_params,
    .make = pid_make,
};

static const double pi = 3.14159265358979323846;

static const ifd_param pass_params[] = {
    IFD_NEEDED("gain", ANY, -1e21, 1e21, "G, force per filtered input"),
    IFD_NEEDED("cutoff", FREQUENCY, 1e-6, 1e6, "w/(2 pi), cut-off frequency"),
    IFD_OPTION("order", NONE, 1, 2, 1, "order of the filter"),
    IFD_OPTION("damping-ratio", NONE, 1e-6, 1e3, 0.70710678118654752440, "zeta, for order 2"),
    PORT_PARAMS,
    {0}};

/* States of both filters: the low-passed y and, at order 2, its rate; the high pass is the remainder of y. */
static ifd_status pass_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = pass_params;
    bool high = e->ops == &ifd__element_high_pass;
    double gain = ifd__element_number(p, values, "gain"), zeta = ifd__element_number(p, values, "damping-ratio");
    double w = 2 * pi * ifd__element_number(p, values, "cutoff"), order = ifd__element_number(p, values, "order");
    if (order > 1 && order < 2)
        return ifd_note_add(note, IFD_RANGE, &ifd_param_get(p, values, "order")->place,
                            "element '%s': 'order' is %g; expected 1 or 2", e->name, order);
    single s = {.ns = 1, .A = {-w}, .B = {w}, .C = {high ? -gain : gain}, .D = high ? gain : 0};
    if (order > 1)
        s = (single){.ns = 2,
                     .A = {0, -w * w, 1, -2 * zeta * w},
                     .B = {0, w * w},
                     .C = {high ? -gain : gain, high ? -2 * zeta * gain / w : 0},
                     .D = high ? gain : 0};
    return single_make(e, p, values, &s, arena, note);
}

const ifd_element_ops ifd__element_low_pass = {
    PORTS,
    .name = "low-pass",
    .summary = "a force that follows its input through a low-pass filter",
    .equation = "f = G w/(s + w) y, or G w^2/(s^2 + 2 zeta w s + w^2) y",
    .params = pass_params,
    .make = pass_make,
};

const ifd_element_ops ifd__element_high_pass = {
    PORTS,
    .name = "high-pass",
    .summary = "a force that follows its input through a high-pass filter",
    .equation = "f = G s/(s + w) y, or G s^2/(s^2 + 2 zeta w s + w^2) y",
    .params = pass_params,
    .make = pass_make,
};

static const ifd_param washout_params[] = {IFD_NEEDED("gain", ANY, -1e21, 1e21, "G, force per filtered input"),
                                           IFD_NEEDED("time", TIME, 1e-9, 1e6, "T"),
                                           PORT_PARAMS,
                                           {0}};

static ifd_status washout_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = washout_params;
    double gain = ifd__element_number(p, values, "gain"), T = ifd__element_number(p, values, "time");
    single s = {.ns = 1, .A = {-1 / T}, .B = {1 / T}, .C = {-gain}, .D = gain};
    return single_make(e, p, values, &s, arena, note);
}

const ifd_element_ops ifd__element_washout = {
    PORTS,
    .name = "washout",
    .summary = "a first-order high-pass filter with a given time constant",
    .equation = "f = G T s/(1 + T s) y",
    .params = washout_params,
    .make = washout_make,
};

static const ifd_param lead_lag_params[] = {IFD_NEEDED("gain", ANY, -1e21, 1e21, "G, force per filtered input"),
                                            IFD_NEEDED("lead", TIME, 0, 1e6, "T1"),
                                            IFD_NEEDED("lag", TIME, 1e-9, 1e6, "T2"),
                                            PORT_PARAMS,
                                            {0}};

static ifd_status lead_lag_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    const ifd_param *p = lead_lag_params;
    double gain = ifd__element_number(p, values, "gain");
    double lead = ifd__element_number(p, values, "lead"), lag = ifd__element_number(p, values, "lag");
    single s = {.ns = 1, .A = {-1 / lag}, .B = {1 / lag}, .C = {gain * (1 - lead / lag)}, .D = gain * lead / lag};
    return single_make(e, p, values, &s, arena, note);
}

const ifd_element_ops ifd__element_lead_lag = {
    PORTS,
    .name = "lead-lag",
    .summary = "a lead-lag filter: a force whose phase leads or lags that of its input",
    .equation = "f = G (1 + T1 s)/(1 + T2 s) y",
    .params = lead_lag_params,
    .make = lead_lag_make,
};
