/* SPDX-License-Identifier: MIT */
/* The motions of characterisation. The sweep is a sum of harmonics with amplitudes 1/n, which is a flat spectrum of
 * velocity, and the phases of Schroeder (1970), which keep its peak low. Its first period is faded in. */
#include "substructure/loading_protocol.h"
#include "base/arena.h"

#include <math.h>
#include <string.h>

/* A loading protocol in place of a computed structure: forces have no effect, one exchange per tick. The state is
 * displacement and velocity of every specimen and its position at the start of the motions. */

/* The signals of a case at tick. */
static void signals_at(const ifd_protocol *p, double tick, double *x)
{
    for (int i = 0; i < p->interfaces; i++) {
        double y[3] = {0.0};
        if (p->signal[i])
            ifd_signal_eval(p->signal[i], p->tick * tick, y);
        x[i] = y[0];
        x[p->interfaces + i] = y[1];
    }
}

static void initial(const ifd__substructure *s, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)s->size);
    if (s->protocol->signal)
        signals_at(s->protocol, 0.0, x);
}

/* u contains the positions of the specimens, set by the test. */
static void begin(const ifd__substructure *s, double *x)
{
    int n = s->protocol->interfaces;
    if (!s->protocol->signal)
        memcpy(x + 2 * n, x, sizeof(double) * (size_t)n);
}

static void exchange(const ifd__substructure *s, int k, double *step, double *x)
{
    const ifd_protocol *p = s->protocol;
    int n = p->interfaces;
    (void)k;
    *step += 1.0;
    if (p->signal)
        signals_at(p, *step, x);
    for (int i = 0; i < n && !p->signal; i++) {
        ifd__protocol_at(p, i, *step, &x[i], &x[n + i]);
        x[i] += x[2 * n + i];
    }
}

static double target(const ifd__substructure *s, int k, double step, const double *x)
{
    size_t n = (size_t)s->protocol->interfaces;
    (void)k;
    memcpy(s->model[0].u, x, n * sizeof *x);
    memcpy(s->model[0].v, x + n, n * sizeof *x);
    return s->step * step;
}

static const ifd__substructure_ops prescribed = {
    .name = "protocol", .initial = initial, .begin = begin, .exchange = exchange, .target = target};

ifd_status ifd__substructure_protocol(ifd_arena *arena, const ifd_protocol *protocol, const ifd_model *model,
                                      ifd__substructure *s)
{
    IFD_TRY(ifd__numerical_models(arena, s, 1));
    s->ops = &prescribed;
    s->protocol = protocol;
    s->step = protocol->tick;
    s->exchanges = s->period = 1;
    s->size = 3 * protocol->interfaces;
    s->model[0] = (ifd__numerical_model){.m = model, .measured = true};
    return ifd__substructure_room(arena, s);
}

ifd_status ifd_protocol_prescribe(ifd_arena *arena, int specimens, const ifd_signal *const *signal, double step,
                                  ifd_protocol **out)
{
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(*out, 1)));
    **out = (ifd_protocol){.interfaces = specimens, .tick = step, .signal = signal};
    return IFD_OK;
}

bool ifd__protocol_demand(const ifd_protocol *p, int k, double end, ifd__demand *out)
{
    const ifd_signal *s = ifd_protocol_signal(p, k);
    *out = (ifd__demand){0};
    for (long i = 0; s && i <= lround(end / p->tick); i++) {
        double y[3];
        ifd_signal_eval(s, p->tick * (double)i, y);
        if (i == 0)
            *out = (ifd__demand){y[0], y[0], 0.0, fabs(y[1]) / p->tick};
        out->low = fmin(out->low, y[0]);
        out->high = fmax(out->high, y[0]);
        out->velocity = fmax(out->velocity, fabs(y[1]));
        out->acceleration = fmax(out->acceleration, fabs(y[2]));
    }
    return s != NULL;
}

const char *ifd__protocol_beyond(const ifd_hybrid_options *o, int k, ifd__demand *out)
{
    const ifd_limits *l = &o->interface[k].limits;
    const double rounded = 1.0 + 1e-9;
    if (o->interface[k].force || !ifd__protocol_demand(o->protocol, o->interface[k].to, o->end, out))
        return NULL;
    out->velocity /= o->lambda;
    out->acceleration /= o->lambda * o->lambda;
    return out->low < l->low || out->high > l->high        ? "stroke"
           : out->velocity > rounded * l->velocity         ? "velocity"
           : out->acceleration > rounded * l->acceleration ? "acceleration"
                                                           : NULL;
}

/* Extensions of the actuators of a drive at a step. */
static void reach_at(const ifd_hybrid_options *o, const ifd_driven *of, const ifd_drive *d, long step, double *s)
{
    double q[IFD_DRIVE_DOFS] = {0.0}, y[3];
    for (int i = 0; i < of->drive.dofs; i++) {
        const ifd_interface_options *c = &o->interface[of->interface[i]];
        const ifd_signal *signal = c->force ? NULL : ifd_protocol_signal(o->protocol, c->to);
        if (!signal)
            continue;
        ifd_signal_eval(signal, o->protocol->tick * (double)step, y);
        q[i] = y[0];
    }
    ifd_drive_reach(d, q, s);
}

/* By differences over the steps, as the governor of an actuator has them. */
static void judge_drive(const ifd_hybrid_options *o, const ifd_driven *of, const ifd_drive *d, const char **who,
                        const char **what)
{
    double now[IFD_DRIVE_ACTUATORS], last[IFD_DRIVE_ACTUATORS], older[IFD_DRIVE_ACTUATORS];
    const double tick = o->protocol->tick * o->lambda, rounded = 1.0 + 1e-6;
    reach_at(o, of, d, 0, last);
    memcpy(older, last, sizeof older);
    for (long i = 0; i <= lround(o->end / o->protocol->tick) && !*who; i++) {
        reach_at(o, of, d, i, now);
        for (int j = 0; j < of->drive.actuators && !*who; j++) {
            const ifd_limits *l = &of->limits[j];
            double v = fabs(now[j] - last[j]) / tick, a = fabs(now[j] - 2.0 * last[j] + older[j]) / (tick * tick);
            *what = now[j] < l->low || now[j] > l->high ? "stroke"
                    : v > rounded * l->velocity         ? "velocity"
                    : a > rounded * l->acceleration     ? "acceleration"
                                                        : NULL;
            *who = *what ? of->name[j] : NULL;
        }
        memcpy(older, last, sizeof older);
        memcpy(last, now, sizeof last);
    }
}

ifd_status ifd__protocol_drives(ifd_arena *arena, const ifd_hybrid_options *o, const char **who, const char **what,
                                ifd_note *note)
{
    *who = *what = NULL;
    for (int i = 0; o->protocol && o->protocol->signal && i < o->drives && !*who; i++) {
        ifd_drive *d;
        IFD_TRY(ifd_drive_make(arena, &o->drive[i].drive, &d, note));
        judge_drive(o, &o->drive[i], d, who, what);
    }
    return IFD_OK;
}

const ifd_signal *ifd_protocol_signal(const ifd_protocol *p, int specimen)
{
    return p->signal && specimen < p->interfaces ? p->signal[specimen] : NULL;
}

bool ifd_protocol_characterises(const ifd_protocol *p)
{
    return !p->signal;
}

static const double TWO_PI = 6.28318530717958647693;

/* Delay assumed for an actuator without known delay, to keep its tracking error within the limit (s). */
static const double ASSUMED_LAG = 0.05;

/* Ticks of the shortest slow cycle. */
static const double LEAST_CYCLE = 64.0;

/* 10 s^3 - 15 s^4 + 6 s^5 and its slope. */
static double smooth(double s, double *slope)
{
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    *slope = 30.0 * s * s * (1.0 - s) * (1.0 - s);
    return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

/* A sine that is faded in and out over half a period, with a whole period between. */
static void cycle_at(double amplitude, double tick, double T, double tick_s, double *u, double *v)
{
    double slope, share, rate, w = TWO_PI / T;
    if (tick < T) {
        share = smooth(tick / (0.5 * T), &slope);
        rate = slope / (0.5 * T);
    } else {
        share = 1.0 - smooth((tick - 1.5 * T) / (0.5 * T), &slope);
        rate = -slope / (0.5 * T);
    }
    *u = amplitude * share * sin(w * tick);
    *v = amplitude * (rate * sin(w * tick) + share * w * cos(w * tick)) / tick_s;
}

/* The cycle of which this tick is a part. */
static void cycles_at(const ifd_motions *at, double tick, double tick_s, double *u, double *v)
{
    bool small = tick < (double)at->cycle, slow = !small && tick < (double)at->fast;
    long from = small ? at->small : slow ? at->cycle : at->fast, to = small ? at->cycle : slow ? at->fast : at->step;
    cycle_at(small ? 0.25 * at->amplitude : at->amplitude, tick - (double)from, 0.5 * (double)(to - from), tick_s, u,
             v);
}

/* Faded in and out over a period each. */
static void burst_at(const ifd_motions *at, double tick, double tick_s, double *u, double *v)
{
    double T = (double)at->period, n = tick - (double)at->burst, left = (IFD__BURST_PERIODS + 2) * T - n, slope,
           share;
    double rise = fmin(n, left) / T, w = TWO_PI / T;
    share = smooth(rise, &slope);
    double rate = rise < 1.0 ? (n < left ? slope : -slope) / T : 0.0;
    *u = at->amplitude * share * sin(w * n);
    *v = at->amplitude * (rate * sin(w * n) + share * w * cos(w * n)) / tick_s;
}

static void sweep_at(const ifd__motion *m, double tick, double tick_s, double *u, double *v)
{
    long n = lround(tick) - m->at.sweep, P = m->at.period, left = m->at.end - P / 2 - m->at.sweep - n;
    long i = n % P;
    double slope, share = 1.0, rate = 0.0;
    if (n < P) {
        share = smooth((double)n / (double)P, &slope);
        rate = slope / ((double)P * tick_s);
    } else if (left < 0) { /* half a period to come to rest after the last one */
        share = 1.0 - smooth(-(double)left / (0.5 * (double)P), &slope);
        rate = -slope / (0.5 * (double)P * tick_s);
    }
    *u = share * m->u[i];
    *v = share * m->v[i] + rate * m->u[i];
}

void ifd__protocol_at(const ifd_protocol *p, int channel, double tick, double *u, double *v)
{
    const ifd__motion *m = &p->motion[channel];
    *u = *v = 0.0;
    if (tick < (double)m->at.small || tick >= (double)m->at.end)
        return;
    if (m->at.burst)
        burst_at(&m->at, tick, p->tick, u, v);
    else if (tick < (double)m->at.step)
        cycles_at(&m->at, tick, p->tick, u, v);
    else if (tick <
             (double)m->at.sweep) /* up for the first half, down for the second; the governor limits the edges */
        *u = tick - (double)m->at.step < m->half / p->tick ? m->at.step_size : 0.0;
    else
        sweep_at(m, tick, p->tick, u, v);
}

/* One period of the sweep with unit first amplitude; peaks of displacement, velocity, acceleration. */
static void make_sweep(ifd__motion *m, int harmonics, double tick_s, double peak[3])
{
    long P = m->at.period;
    double w = TWO_PI / ((double)P * tick_s), total = 0.0;
    for (int n = 1; n <= harmonics; n++)
        total += 1.0 / ((double)n * n);
    peak[0] = peak[1] = peak[2] = 0.0;
    for (long i = 0; i < P; i++) {
        double a = 0.0, phase = 0.0, share = 0.0;
        m->u[i] = m->v[i] = 0.0;
        for (int n = 1; n <= harmonics; n++) {
            double A = 1.0 / n, turn = TWO_PI * (double)((n * i) % P) / (double)P + phase;
            m->u[i] += A * cos(turn);
            m->v[i] -= A * n * w * sin(turn);
            a -= A * n * w * n * w * cos(turn);
            share += A * A / total; /* phase_n+1 = phase_n - 2 pi (sum of the relative powers of 1..n) */
            phase -= TWO_PI * share;
        }
        peak[0] = fmax(peak[0], fabs(m->u[i]));
        peak[1] = fmax(peak[1], fabs(m->v[i]));
        peak[2] = fmax(peak[2], fabs(a));
    }
}

/* The largest factor that keeps the given fraction of every limit. */
static double largest(const ifd_characterise_options *o, const ifd_limits *l, const double peak[3])
{
    double factor = o->stroke_fraction * 0.5 * (l->high - l->low) / peak[0];
    factor = fmin(factor, o->velocity_fraction * l->velocity / peak[1]);
    factor = fmin(factor, o->acceleration_fraction * l->acceleration / peak[2]);
    if (isfinite(l->tracking))
        factor = fmin(factor, 0.5 * l->tracking / (ASSUMED_LAG * peak[1]));
    return factor;
}

long ifd__burst_period(double frequency, double tick)
{
    return 4 * lround(fmax(8.0, 0.25 / (frequency * tick)));
}

/* A rest, and a burst if one is asked for. */
static void make_burst(ifd_protocol *p, const ifd_characterise_options *o, int k)
{
    ifd_motions *at = &p->motion[k].at;
    double h = p->tick, velocity = o->burst_velocity[k];
    long rest = lround(o->quiet / h);
    at->small = at->cycle = at->fast = at->step = at->sweep = at->end = at->quiet;
    if (!(velocity > 0.0))
        return;
    at->period = ifd__burst_period(o->burst_frequency[k], h);
    at->amplitude = velocity * (double)at->period * h / TWO_PI;
    at->burst = at->small = at->quiet + (rest > 0 ? rest : 1);
    at->end = at->burst + (IFD__BURST_PERIODS + 2) * at->period;
}

static ifd_status make_motion(ifd_protocol *p, ifd_arena *arena, const ifd_characterise_options *o,
                              const ifd_interface_options *channel, int k)
{
    ifd__motion *m = &p->motion[k];
    const ifd_limits *l = &channel->limits;
    double h = p->tick, peak[3];
    m->half = 0.5;
    m->at.quiet = k ? p->motion[k - 1].at.end : 0;
    if (channel->force) { /* its position follows from its force */
        m->at.small = m->at.cycle = m->at.fast = m->at.step = m->at.sweep = m->at.end = m->at.quiet;
        return IFD_OK;
    }
    if (o->burst_velocity) {
        make_burst(p, o, k);
        return IFD_OK;
    }
    long fast = 2 * lround(fmax(LEAST_CYCLE, o->cycle / h) / 8.0); /* period, even */
    m->at.small = m->at.quiet + lround(o->quiet / h);
    m->at.cycle = m->at.small + 4 * fast;
    m->at.fast = m->at.cycle + 8 * fast;
    m->at.step = m->at.fast + 2 * fast;
    m->at.sweep = m->at.step + lround(2.0 * m->half / h);
    m->at.period = lround(1.0 / (o->slowest * h));
    m->at.end = m->at.sweep + m->at.period * (o->periods + 1) + (m->at.period + 1) / 2;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(m->u, m->at.period), IFD__ARRAY(m->v, m->at.period)));
    make_sweep(m, p->harmonics, h, peak);
    double factor = largest(o, l, peak);
    for (long i = 0; i < m->at.period; i++) {
        m->u[i] *= factor;
        m->v[i] *= factor;
    }
    m->at.sweep_size = factor * peak[0];
    const double rate = TWO_PI / ((double)fast * h); /* of the fast cycle; fading adds less than a tenth and a half */
    m->at.amplitude = largest(o, l, (double[3]){1.0, 1.1 * rate, 1.5 * rate * rate});
    m->at.step_size = 0.5 * fmin(m->at.amplitude, l->tracking > 0.0 ? 0.5 * l->tracking : m->at.amplitude);
    return IFD_OK;
}

static ifd_status make_model(ifd_protocol *p, ifd_arena *arena, const ifd_interface_options *channel, ifd_note *note)
{
    ifd_builder *b = ifd_builder_make(arena);
    ifd_model *model = NULL;
    if (!b)
        return IFD_NO_MEMORY;
    for (int k = 0; k < p->interfaces; k++) {
        int dof = ifd_builder_dof(b, channel[k].name, channel[k].turns ? IFD_DOF_RZ : IFD_DOF_X);
        ifd_builder_add(b, IFD_MASS, dof, dof, 1.0);
    }
    IFD_TRY(ifd_model_make(arena, b, &model, note));
    p->model = model;
    return IFD_OK;
}

ifd_status ifd_protocol_make(ifd_arena *arena, const ifd_characterise_options *o, const ifd_protocol_rig *rig,
                             ifd_protocol **out, ifd_note *note)
{
    ifd_protocol *p;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, 1)));
    double fastest = fmin(o->fastest, 0.1 / rig->period);
    p->interfaces = rig->interfaces;
    p->tick = rig->period;
    p->harmonics = (int)fmin(floor(fastest / o->slowest * (1.0 + 1e-9)), IFD_CHARACTERISE_POINTS);
    if (p->harmonics < 4)
        return ifd_note_add(
            note, IFD_RANGE, NULL,
            "characterise: the sweep from %g to %g Hz has %d frequencies; expected 4 or more. The tick of %g s "
            "allows up to %g Hz",
            o->slowest, o->fastest, p->harmonics, p->tick, 0.1 / p->tick);
    if (o->burst_velocity && o->bursts != p->interfaces)
        return ifd_note_add(note, IFD_SHAPE, NULL,
                            "characterise: 'burst-velocity' and 'burst-frequency' have %d numbers, expected one per "
                            "specimen: %d",
                            o->bursts, p->interfaces);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p->motion, p->interfaces)));
    for (int k = 0; k < p->interfaces; k++)
        IFD_TRY(make_motion(p, arena, o, &rig->interface[k], k));
    p->ticks = p->motion[p->interfaces - 1].at.end;
    *out = p;
    return make_model(p, arena, rig->interface, note);
}

const ifd_model *ifd_protocol_model(const ifd_protocol *p)
{
    return p->model;
}

double ifd_protocol_duration(const ifd_protocol *p)
{
    return (double)p->ticks * p->tick;
}

ifd_motions ifd_protocol_motions(const ifd_protocol *p, int channel)
{
    return p->motion[channel].at;
}
