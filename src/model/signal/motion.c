/* SPDX-License-Identifier: MIT */
/* Generated motions: sums of cosines of random phase (Shinozuka and Deodatis, 1991),
 *
 *     y(s) = sum_k sqrt(2 G(f_k) df) cos(2 pi f_k s + phi_k),   f_k = (k + 1/2) df
 *
 * where G is the one-sided density per Hz, so that the variance is the integral of G over f. */
#include "base/random.h"
#include "model/signal/wave.h"

#include <math.h>

static const double two_pi = 6.28318530717958647693;

enum { LANES = 2, BLOCK = 64, MOST_TERMS = 8192 };

typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

/* LANES terms: amplitude times cosine (p) and sine (q) of the phase, and these times the angular rate and its
 * square. */
typedef struct terms {
    lanes p, q, pw, qw, pww, qww;
} terms;

typedef struct cosines {
    int count;      /* number of groups of LANES; the last one is filled with zero amplitudes */
    double spacing; /* rad/s */
    const terms *term;
} cosines;

/* sum A cos(w s + phi) = sum p cos(w s) - q sin(w s), and its derivatives. The angles are equally spaced, so their
 * cosines follow from one rotation; it restarts every BLOCK groups, which limits the round-off to a few units in the
 * last place. LANES rotations run in parallel, because each depends on its previous result. */
typedef struct rotation {
    double angle, turn_c, turn_n, step_c, step_n;
    lanes c, n; /* cosines and sines of a group */
} rotation;

static inline rotation rotation_at(const cosines *d, double s)
{
    double angle = d->spacing * s;
    return (rotation){angle, cos(angle), sin(angle), cos(LANES * angle), sin(LANES * angle), {0}, {0}};
}

static inline void begin_group(rotation *r, int k)
{
    if (k % BLOCK != 0)
        return;
    r->c[0] = cos((LANES * k + 0.5) * r->angle);
    r->n[0] = sin((LANES * k + 0.5) * r->angle);
    for (int j = 1; j < LANES; j++) {
        r->c[j] = r->c[j - 1] * r->turn_c - r->n[j - 1] * r->turn_n;
        r->n[j] = r->n[j - 1] * r->turn_c + r->c[j - 1] * r->turn_n;
    }
}

static inline void end_group(rotation *r)
{
    lanes next = r->c * r->step_c - r->n * r->step_n;
    r->n = r->n * r->step_c + r->c * r->step_n;
    r->c = next;
}

static void cosines_eval(const void *data, double s, double out[3])
{
    const cosines *d = data;
    rotation r = rotation_at(d, s);
    lanes y0 = {0}, y1 = {0}, y2 = {0};
    for (int k = 0; k < d->count; k++) {
        const terms *t = &d->term[k];
        begin_group(&r, k);
        y0 += t->p * r.c - t->q * r.n;
        y1 -= t->pw * r.n + t->qw * r.c;
        y2 -= t->pww * r.c - t->qww * r.n;
        end_group(&r);
    }
    out[0] = y0[0] + y0[1];
    out[1] = y1[0] + y1[1];
    out[2] = y2[0] + y2[1];
}

/* The values, in the same bits, at two times: neither rotation waits for the other. */
static void cosines_pair(const cosines *d, const double s[2], double out[2])
{
    rotation a = rotation_at(d, s[0]), b = rotation_at(d, s[1]);
    lanes ya = {0}, yb = {0};
    for (int k = 0; k < d->count; k++) {
        const terms *t = &d->term[k];
        begin_group(&a, k);
        begin_group(&b, k);
        ya += t->p * a.c - t->q * a.n;
        yb += t->p * b.c - t->q * b.n;
        end_group(&a);
        end_group(&b);
    }
    out[0] = ya[0] + ya[1];
    out[1] = yb[0] + yb[1];
}

enum { TIMES = 4 };

#ifdef __x86_64__
#define WIDE __attribute__((target("avx2")))

typedef double wide __attribute__((vector_size(2 * LANES * sizeof(double))));

/* Two rotations beside each other, and their sums. */
typedef struct rotations {
    wide c, n, step_c, step_n, y;
} rotations;

WIDE static inline void begin_groups(rotations *w, rotation r[2], int k)
{
    begin_group(&r[0], k);
    begin_group(&r[1], k);
    w->c = (wide){r[0].c[0], r[0].c[1], r[1].c[0], r[1].c[1]};
    w->n = (wide){r[0].n[0], r[0].n[1], r[1].n[0], r[1].n[1]};
    w->step_c = (wide){r[0].step_c, r[0].step_c, r[1].step_c, r[1].step_c};
    w->step_n = (wide){r[0].step_n, r[0].step_n, r[1].step_n, r[1].step_n};
}

WIDE static inline void add_groups(rotations *w, const terms *t)
{
    const wide p = {t->p[0], t->p[1], t->p[0], t->p[1]}, q = {t->q[0], t->q[1], t->q[0], t->q[1]};
    wide next = w->c * w->step_c - w->n * w->step_n;
    w->y += p * w->c - q * w->n;
    w->n = w->n * w->step_c + w->c * w->step_n;
    w->c = next;
}

/* The same operations on every number, so the same bits, on vectors of twice the length. */
WIDE static void cosines_wide(const cosines *d, const double s[TIMES], double out[TIMES])
{
    rotation r[TIMES];
    rotations a = {.y = {0}}, b = {.y = {0}};
    for (int i = 0; i < TIMES; i++)
        r[i] = rotation_at(d, s[i]);
    for (int first = 0; first < d->count; first += BLOCK) {
        int end = d->count < first + BLOCK ? d->count : first + BLOCK;
        begin_groups(&a, r, first);
        begin_groups(&b, r + 2, first);
        for (int k = first; k < end; k++) {
            add_groups(&a, &d->term[k]);
            add_groups(&b, &d->term[k]);
        }
    }
    for (int i = 0; i < 2; i++) {
        out[i] = a.y[LANES * i] + a.y[LANES * i + 1];
        out[2 + i] = b.y[LANES * i] + b.y[LANES * i + 1];
    }
}
#endif

static void cosines_values(const cosines *d, const double s[TIMES], double out[TIMES])
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        cosines_wide(d, s, out);
        return;
    }
#endif
    for (int i = 0; i < TIMES; i += 2)
        cosines_pair(d, s + i, out + i);
}

/* Cosines of amplitude sqrt(2 G df) at random phases. */
static cosines *cosines_make(ifd_arena *arena, int count, double max_frequency, double seed,
                             double (*density)(const void *, double), const void *data)
{
    int groups = (count + LANES - 1) / LANES;
    cosines *d = ifd_arena_take(arena, sizeof *d);
    terms *term = ifd_arena_array(arena, (size_t)groups, sizeof *term);
    if (!d || !term)
        return NULL;
    double df = max_frequency / count;
    ifd__random r;
    ifd__random_seed(&r, (uint64_t)seed);
    for (int k = 0; k < count; k++) {
        terms *t = &term[k / LANES];
        int j = k % LANES;
        double f = (k + 0.5) * df, amplitude = sqrt(2 * density(data, f) * df), phase = two_pi * ifd__random_unit(&r);
        double w = two_pi * f;
        t->p[j] = amplitude * cos(phase);
        t->q[j] = amplitude * sin(phase);
        t->pw[j] = t->p[j] * w;
        t->qw[j] = t->q[j] * w;
        t->pww[j] = t->pw[j] * w;
        t->qww[j] = t->qw[j] * w;
    }
    *d = (cosines){groups, two_pi * df, term};
    return d;
}

static double constant_density(const void *data, double f)
{
    (void)f;
    return *(const double *)data;
}

static ifd_status whole(const ifd__signal_ask *ask, const char *name)
{
    const ifd_value *v = ifd_param_get(ask->kind->params, ask->values, name);
    if (v->number == floor(v->number))
        return IFD_OK;
    return ifd_note_add(ask->note, IFD_RANGE, &v->place, "signal '%s': '%s' is %g; expected an integer",
                        ask->kind->name, name, v->number);
}

/* sigma^2 = G f_max. The paper writes G0 = 2 pi sigma^2 / omega_max, which is the same density per Hz. */
static ifd_status noise_make(const ifd__signal_ask *ask, ifd__wave *wave)
{
    bool by_sigma = ifd__ask_given(ask, "sigma");
    if (by_sigma == ifd__ask_given(ask, "psd"))
        return ifd_note_add(ask->note, by_sigma ? IFD_CONFLICT : IFD_MISSING_KEY, ask->place,
                            "signal 'noise' needs either 'sigma' or 'psd'");
    IFD_TRY(whole(ask, "terms"));
    IFD_TRY(whole(ask, "seed"));
    double highest = ifd__ask_number(ask, "max-frequency"), sigma = ifd__ask_number(ask, "sigma");
    double density = by_sigma ? sigma * sigma / highest : ifd__ask_number(ask, "psd");
    wave->data = cosines_make(ask->arena, (int)ifd__ask_number(ask, "terms"), highest, ifd__ask_number(ask, "seed"),
                              constant_density, &density);
    if (!wave->data)
        return ifd__ask_no_memory(ask);
    wave->eval = cosines_eval;
    wave->start = ifd__ask_number(ask, "start");
    return IFD_OK;
}

typedef struct soil {
    double ground, ground_damping, filter, filter_damping; /* Hz, ratios */
} soil;

/* Kanai (1957) and Tajimi (1960), with the high-pass of Clough and Penzien (1975). */
static double soil_density(const void *data, double f)
{
    const soil *g = data;
    double r = f / g->ground, r2 = r * r, a = 4 * g->ground_damping * g->ground_damping * r2;
    double q = f / g->filter, q2 = q * q, b = 4 * g->filter_damping * g->filter_damping * q2;
    return (1 + a) / ((1 - r2) * (1 - r2) + a) * (q2 * q2) / ((1 - q2) * (1 - q2) + b);
}

typedef struct envelope {
    double duration, rise, decay; /* s */
} envelope;

/* Rise and decay as a squared sine, with a continuous slope. */
static double strength(const envelope *e, double t)
{
    double left = e->duration - t, x = 1;
    if (t < e->rise)
        x = sin(0.25 * two_pi * t / e->rise);
    else if (left < e->decay)
        x = sin(0.25 * two_pi * left / e->decay);
    return x * x;
}

/* Subtracts the envelope times a linear function from the acceleration, so that velocity and displacement of the
 * ground end at zero. */
static void come_to_rest(const envelope *e, int count, double dt, double *a)
{
    double m[3] = {0}, v = 0, u = 0;
    for (int i = 0; i < count; i++) {
        double left = dt * (count - 1 - i), w = strength(e, dt * i);
        v += a[i];
        u += a[i] * left;
        m[0] += w;
        m[1] += w * left;
        m[2] += w * left * left;
    }
    double det = m[0] * m[2] - m[1] * m[1], c0 = (v * m[2] - u * m[1]) / det, c1 = (u * m[0] - v * m[1]) / det;
    for (int i = 0; i < count; i++)
        a[i] -= strength(e, dt * i) * (c0 + c1 * dt * (count - 1 - i));
}

/* Two motions of equal density: share of other in the sum gives the correlation. other: NULL for none. */
typedef struct component {
    const cosines *own, *other;
    double correlation;
} component;

static void sample(const component *c, const envelope *e, int count, double dt, double *a)
{
    double rest = sqrt(1 - c->correlation * c->correlation);
    for (int i = 0; i < count; i += TIMES) {
        double s[TIMES], own[TIMES], other[TIMES];
        for (int j = 0; j < TIMES; j++)
            s[j] = dt * (i + j);
        cosines_values(c->own, s, own);
        if (c->other)
            cosines_values(c->other, s, other);
        for (int j = 0; j < TIMES && i + j < count; j++) {
            a[i + j] = c->other ? rest * own[j] + c->correlation * other[j] : own[j];
            a[i + j] *= strength(e, dt * (i + j));
        }
    }
    a[0] = a[count - 1] = 0; /* the envelope is zero there except for round-off */
    come_to_rest(e, count, dt, a);
}

static void scale_to_peak(int count, double *a, double peak)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(a[i]));
    for (int i = 0; i < count; i++)
        a[i] *= peak / largest;
}

/* Sampled once at set-up: a spline has a constant cost per tick and is smooth enough for methods of second order. */
static ifd_status kanai_tajimi_make(const ifd__signal_ask *ask, ifd__wave *wave)
{
    IFD_TRY(whole(ask, "seed"));
    IFD_TRY(whole(ask, "correlated-with"));
    bool correlated = ifd__ask_given(ask, "correlated-with");
    if (correlated != ifd__ask_given(ask, "correlation"))
        return ifd_note_add(ask->note, IFD_MISSING_KEY, ask->place,
                            "signal 'kanai-tajimi' has only one of 'correlation' and 'correlated-with'; expected "
                            "both or neither");
    if (correlated && ifd__ask_number(ask, "correlated-with") == ifd__ask_number(ask, "seed"))
        return ifd_note_add(ask->note, IFD_CONFLICT, ask->place,
                            "signal 'kanai-tajimi': 'seed' and 'correlated-with' are both %g; expected different "
                            "seeds",
                            ifd__ask_number(ask, "seed"));
    envelope e = {ifd__ask_number(ask, "duration"), ifd__ask_number(ask, "rise"), ifd__ask_number(ask, "decay")};
    if (e.rise + e.decay > e.duration)
        return ifd_note_add(ask->note, IFD_CONFLICT, ask->place,
                            "signal 'kanai-tajimi': rise %g s and decay %g s exceed its duration of %g s", e.rise,
                            e.decay, e.duration);
    soil g = {ifd__ask_number(ask, "ground-frequency"), ifd__ask_number(ask, "ground-damping"),
              ifd__ask_number(ask, "filter-frequency"), ifd__ask_number(ask, "filter-damping")};
    double highest = ifd__ask_number(ask, "max-frequency"), wanted = ceil(1.25 * highest * e.duration);
    int count = (int)ceil(8 * highest * e.duration) + 1;
    double dt = e.duration / (count - 1), *a = ifd_arena_array(ask->arena, (size_t)count, sizeof *a);
    int number = (int)fmin(wanted, MOST_TERMS);
    component c = {.correlation = ifd__ask_number(ask, "correlation")};
    c.own = cosines_make(ask->arena, number, highest, ifd__ask_number(ask, "seed"), soil_density, &g);
    if (correlated)
        c.other =
            cosines_make(ask->arena, number, highest, ifd__ask_number(ask, "correlated-with"), soil_density, &g);
    if (!a || !c.own || (correlated && !c.other))
        return ifd__ask_no_memory(ask);
    sample(&c, &e, count, dt, a);
    scale_to_peak(count, a, ifd__ask_number(ask, "peak"));
    ifd_samples s = {count, a, NULL, ifd__ask_number(ask, "start"), dt};
    return ifd__wave_table(ask->arena, &s, IFD_INTERPOLATE_SPLINE, wave, ask->note);
}

static const ifd_param noise_params[] = {
    IFD_OPTION("sigma", ANY, 1e-12, 1e12, 0, "standard deviation; alternative: psd"),
    IFD_OPTION("psd", SPECTRAL_ACCELERATION, 1e-15, 1e12, 0,
               "one-sided power spectral density per Hz; alternative: sigma"),
    IFD_NEEDED("max-frequency", FREQUENCY, 1e-6, 1e6, "upper frequency of the constant density"),
    IFD_OPTION("terms", NONE, 1, 20000, 1000, "number of cosines; the noise repeats after 2 terms / max-frequency"),
    IFD__SIGNAL_SEED,
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_noise = {
    "noise", "band-limited white noise, computed as a sum of cosines with random phases", noise_params, noise_make};

static const ifd_param kanai_tajimi_params[] = {
    IFD_OPTION("peak", ANY, 1e-12, 1e12, 2.941995, "peak acceleration of the samples; default 0.3 g"),
    IFD_OPTION("duration", TIME, 1, 300, 20, "duration, after which the signal is zero"),
    IFD_OPTION("rise", TIME, 1e-3, 1e3, 2, "duration of the rise"),
    IFD_OPTION("decay", TIME, 1e-3, 1e3, 10, "duration of the decay at the end"),
    IFD_OPTION("ground-frequency", FREQUENCY, 1e-3, 1e3, 2.5, "resonance frequency of the soil"),
    IFD_OPTION("ground-damping", NONE, 1e-3, 10, 0.6, "damping ratio of the soil"),
    IFD_OPTION("filter-frequency", FREQUENCY, 1e-3, 1e3, 0.25, "frequency of the Clough-Penzien high-pass filter"),
    IFD_OPTION("filter-damping", NONE, 1e-3, 10, 0.6, "damping ratio of the high-pass filter"),
    IFD_OPTION("max-frequency", FREQUENCY, 5, 100, 25, "highest frequency, whose period has eight samples"),
    IFD__SIGNAL_SEED,
    IFD_OPTION("correlation", NONE, -1, 1, 0,
               "coefficient of correlation with another component of the same motion; requires correlated-with"),
    IFD_OPTION("correlated-with", NONE, 0, 1e15, 0, "seed of that component; its other parameters must be equal"),
    IFD__SIGNAL_START,
    {0},
};

const ifd_signal_kind ifd__signal_kanai_tajimi = {
    "kanai-tajimi",
    "a generated earthquake with the spectrum of Kanai-Tajimi and Clough-Penzien; the motion has an envelope and "
    "ends at rest",
    kanai_tajimi_params, kanai_tajimi_make};
