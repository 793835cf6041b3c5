/* SPDX-License-Identifier: MIT */
/* Noise gains of a loop.
 *
 * One cycle of the loop is z := A z + B w with commands u = C z + D w: z its state, w the noise of every sensor at
 * every tick of the cycle, u all commands of the cycle. White noise of RMS one gives
 *
 *     P = A P A' + B B',     E u u' = C P C' + D D',
 *
 * and P is the sum of A^i B B' A'^i. Doubling, P := P + A P A', A := A A, computes it: each turn covers as many
 * cycles as all turns before, so a decay over a million cycles takes twenty turns. The remainder is about the square
 * of the last contribution. A, B, C and D are probed in the same way as for roots. */
#include "analysis/loop_inside.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "hybrid/hybrid.h"

#include <cblas.h> /* last: it defines I */

/* 2^30 cycles are days of a test: a longer response counts as not decaying. */
enum { MOST_TURNS = 30 };
/* Relative contribution of the last turn to the square of a gain. */
static const double settled = 1e-9;
/* Above this number of state variables, matrix products take longer than stepping the responses. */
enum { MANY = 300 };

typedef struct noise {
    const ifd__probed_loop *p;
    int n, outs, ins; /* state variables; commands of a cycle; sensors of one kind, times the ticks of a cycle */
    double *u[2];     /* commands of a cycle, after a disturbance of either sign */
    double *A, *B, *C, *D;
    double *P, *W;
} noise;

/* Command of an actuator of the rig: of a drive, or of its interface. */
static double command_of(const ifd_hybrid *h, int a)
{
    const ifd__owner o = ifd__owner_of(h, h->interfaces + a);
    return o.drive ? ifd__actuator_of(h, o.drive, o.j)->command : ifd__interface_of(h, o.interface)->command;
}

/* A cycle with `size` added to *of in tick `phase`; returns the commands. */
static bool cycle(const ifd__probed_loop *p, double *of, double size, int phase, double *u)
{
    ifd_hybrid *h = p->h;
    ifd_ticked t = ifd_hybrid_ticked(h);
    bool good = true;
    for (int i = 0; i < p->ticks && good; i++) {
        *of = i == phase ? size : 0.0;
        good = t.tick(t.self, &(ifd_tick_in){0}) == IFD_RUN_GOING;
        for (int a = 0; a < h->actuators; a++)
            *u++ = command_of(h, a);
    }
    *of = 0.0;
    return good && ifd_hybrid_state(h) == IFD_MACHINE_RUN;
}

/* Effect of a change at *of on the state (a column of A or B) and on the commands (of C or D), by central
 * differences. phase: the tick in which it acts; -1: a state variable, changed at the start. */
static bool probe(const noise *s, double *of, double size, int phase, double *state, double *command)
{
    const ifd__probe *q = &s->p->probe;
    double *x = s->p->h->x, unused = 0.0;
    bool good = true;
    for (int side = 0; side < 2 && good; side++) {
        double sign = side ? -1.0 : 1.0;
        memcpy(x, s->p->rest, sizeof *x * (size_t)q->size);
        if (phase < 0)
            *of += sign * size;
        good = cycle(s->p, phase < 0 ? &unused : of, sign * size, phase, s->u[side]);
        for (int i = 0; i < s->n; i++)
            state[i] = side ? (state[i] - x[q->state[i]]) / (2.0 * size) : x[q->state[i]];
    }
    for (int i = 0; i < s->outs; i++)
        command[i] = (s->u[0][i] - s->u[1][i]) / (2.0 * size);
    return good;
}

static bool probe_states(const noise *s)
{
    const ifd__probe *q = &s->p->probe;
    for (int j = 0; j < s->n; j++)
        if (!probe(s, &s->p->h->x[q->state[j]], q->amplitude * (q->unit ? q->unit[j] : 1.0), -1,
                   s->A + (size_t)j * (size_t)s->n, s->C + (size_t)j * (size_t)s->outs))
            return false;
    return true;
}

static bool probe_sensors(const noise *s, double *of, double size)
{
    double *B = s->B, *D = s->D;
    for (int a = 0; a < s->p->h->rig.channels; a++)
        for (int phase = 0; phase < s->p->ticks; phase++, B += s->n, D += s->outs)
            if (!probe(s, &of[a], size, phase, B, D))
                return false;
    return true;
}

static void multiply(const noise *s, const double *X, const double *Y, CBLAS_TRANSPOSE of_y, double *Z)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, of_y, s->n, s->n, s->n, 1.0, X, s->n, Y, s->n, 0.0, Z, s->n);
}

/* The diagonal of C P C': squares of commands, per actuator as a mean over the ticks of a cycle. */
static void squares(const noise *s, const double *P, double *out)
{
    int K = s->p->h->actuators;
    memset(out, 0, sizeof *out * (size_t)K);
    for (int i = 0; i < s->outs; i++) {
        double sum = 0.0;
        for (int j = 0; j < s->n; j++)
            sum += s->C[i + j * s->outs] * cblas_ddot(s->n, P + (size_t)j * (size_t)s->n, 1, s->C + i, s->outs);
        out[i % K] += sum / s->p->ticks;
    }
}

/* Turns until the square of no command grows. W contains A P A', the contribution of a turn. */
static bool sum_up(const noise *s, double *A, double *square)
{
    size_t bytes = sizeof *s->P * (size_t)s->n * (size_t)s->n;
    double *V = s->W + (size_t)s->n * (size_t)s->n;
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, s->n, s->n, s->ins, 1.0, s->B, s->n, s->B, s->n, 0.0, s->P,
                s->n);
    memcpy(A, s->A, bytes);
    squares(s, s->P, square);
    for (int turn = 0; turn < MOST_TURNS; turn++) {
        double more[IFD_RIG_CHANNELS];
        bool grows = false;
        multiply(s, A, s->P, CblasNoTrans, V);
        multiply(s, V, A, CblasTrans, s->W);
        squares(s, s->W, more);
        for (int k = 0; k < s->p->h->actuators; k++) {
            square[k] += more[k];
            grows = grows || !(fabs(more[k]) <= settled * fabs(square[k])); /* not-a-number ends the loop too */
        }
        if (!grows)
            return true;
        cblas_daxpy(s->n * s->n, 1.0, s->W, 1, s->P, 1);
        multiply(s, A, A, CblasNoTrans, V);
        memcpy(A, V, bytes);
    }
    return false;
}

/* An impulse that changes no state variable by more than its unit state: 1 N may be large for a pendulum. */
static double small_impulse(const noise *s, double tried)
{
    const ifd__probe *q = &s->p->probe;
    double most = 0.0;
    for (int i = 0; i < s->n * s->ins; i++)
        most = fmax(most, fabs(s->B[i]) / (q->unit ? q->unit[i % s->n] : 1.0));
    return most > 0.0 ? exp2(floor(log2(q->amplitude / most))) : tried;
}

/* Gain of one kind of sensor. power: storage for a power of A. */
static void by_covariance(const noise *s, double *of, double size, double *power, double *gain)
{
    double square[IFD_RIG_CHANNELS];
    int K = s->p->h->actuators;
    bool found = probe_sensors(s, of, size);
    if (found && s->p->probe.central)
        found = probe_sensors(s, of, small_impulse(s, size));
    found = found && sum_up(s, power, square);
    for (int i = 0; i < s->ins && found; i++)
        for (int j = 0; j < s->outs; j++) {
            double d = s->D[j + i * s->outs];
            square[j % K] += d * d / s->p->ticks;
        }
    for (int k = 0; k < K; k++)
        gain[k] = found && isfinite(square[k]) ? sqrt(fmax(square[k], 0.0)) : (double)NAN;
}

static ifd_status covariances(const ifd__probed_loop *p, ifd__disturbance *now, ifd__noise_gains *out)
{
    noise s = {.p = p, .n = p->probe.n, .outs = p->ticks * p->h->actuators, .ins = p->ticks * p->h->rig.channels};
    size_t n = (size_t)s.n, outs = (size_t)s.outs, ins = (size_t)s.ins;
    double *power;
    IFD_TRY(IFD__TAKE(p->scratch, IFD__ARRAY(s.u[0], outs), IFD__ARRAY(s.u[1], outs), IFD__ARRAY(s.A, n * n + 1),
                      IFD__ARRAY(s.B, n * ins + 1), IFD__ARRAY(s.C, n * outs + 1), IFD__ARRAY(s.D, outs * ins),
                      IFD__ARRAY(s.P, n * n + 1), IFD__ARRAY(s.W, 2 * n * n + 1), IFD__ARRAY(power, n * n + 1)));
    if (!probe_states(&s))
        return IFD_DIVERGED;
    by_covariance(&s, now->force, 1.0, power, out->force);
    by_covariance(&s, now->position, IFD__LOOP_SMALL, power, out->position);
    return IFD_OK;
}

/* A response is stepped in blocks of ticks until the expected remainder is below `dead` of the total. The expectation
 * assumes that the energies decrease as those of the last two blocks. */
enum { BLOCK = 1000, MOST_BLOCKS = 600 };
static const double dead = 1e-6;

/* Adds the squares of the deviations of all commands from rest over some ticks; their sum. False if a tick failed. */
static bool add_squares(ifd_hybrid *h, const double *command, int ticks, double *sum, double *all)
{
    ifd_ticked t = ifd_hybrid_ticked(h);
    *all = 0.0;
    for (int i = 0; i < ticks; i++) {
        if (t.tick(t.self, &(ifd_tick_in){0}) != IFD_RUN_GOING)
            return false;
        for (int a = 0; a < h->actuators; a++) {
            double u = command_of(h, a) - command[a];
            sum[a] += u * u;
            *all += u * u;
        }
    }
    return ifd_hybrid_state(h) == IFD_MACHINE_RUN && isfinite(*all);
}

/* One impulse in the measurement *of, in tick `phase` of a cycle. */
static bool respond(const ifd__probed_loop *p, double *of, double size, int phase, double *sum)
{
    ifd_hybrid *h = p->h;
    double command[IFD_RIG_CHANNELS], ignored[IFD_RIG_CHANNELS] = {0.0}, block, last = 0.0, total;
    memcpy(h->x, p->rest, sizeof *p->rest * (size_t)h->size);
    for (int a = 0; a < h->actuators; a++)
        command[a] = command_of(h, a);
    bool good = add_squares(h, command, phase, ignored, &block);
    *of = size;
    good = good && add_squares(h, command, 1, sum, &total);
    *of = 0.0;
    for (int i = 0; good && i < MOST_BLOCKS; i++, last = block) {
        good = add_squares(h, command, BLOCK, sum, &block);
        total += block;
        if (good && (block == 0.0 || (block < last && block * block <= dead * total * (last - block))))
            return true;
    }
    return false;
}

static void by_responses(const ifd__probed_loop *p, double *of, double size, double *gain)
{
    double sum[IFD_RIG_CHANNELS] = {0.0};
    bool found = true;
    for (int a = 0; a < p->h->rig.channels && found; a++)
        for (int phase = 0; phase < p->ticks && found; phase++)
            found = respond(p, &of[a], size, phase, sum);
    for (int k = 0; k < p->h->actuators; k++)
        gain[k] = found ? sqrt(sum[k] / p->ticks) / size : (double)NAN;
}

double ifd__noise_worst(const double *gain, int count, int *at)
{
    *at = 0;
    for (int a = 1; a < count && !isnan(gain[*at]); a++)
        if (!(gain[a] <= gain[*at]))
            *at = a;
    return gain[*at];
}

ifd_status ifd__loop_noise(const ifd__loop *l, const ifd__variant *v, ifd__noise_way way, ifd__noise_gains *out,
                           ifd_note *note)
{
    ifd__disturbance now = {{0.0}, {0.0}};
    ifd__variant disturbed = *v;
    ifd__probed_loop p = {.scratch = ifd_arena_open()};
    disturbed.disturbance = &now;
    memset(out, 0, sizeof *out);
    ifd_status status = p.scratch ? ifd__probed_loop_make(&p, l, &disturbed, note) : IFD_NO_MEMORY;
    if (status == IFD_OK && (way == IFD__NOISE_COVARIANCE || (way == IFD__NOISE_QUICKER && p.probe.n <= MANY)))
        status = covariances(&p, &now, out);
    else if (status == IFD_OK) {
        by_responses(&p, now.force, 1.0, out->force);
        by_responses(&p, now.position, IFD__LOOP_SMALL, out->position);
    }
    ifd_hybrid_close(p.h);
    ifd_arena_close(p.scratch);
    return status;
}
