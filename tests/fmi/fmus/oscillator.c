/* SPDX-License-Identifier: MIT */
/* A small FMI 2 co-simulation FMU for the tests of joints, written against the standard's text alone: a mass on a
 * spring with a dashpot, m x'' + c x' + k x + hard x^3 = F, by the trapezoidal rule in steps of its own. MEMORY: the
 * acceleration of the last step is kept as it was, so that the first step after a change of F applies the mean of the
 * old and the new force, as many tools do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef MEMORY
#define MEMORY 0
#endif
#ifndef STEPS_OF
#define STEPS_OF 1e-3
#endif
#ifndef DISPLACED
#define DISPLACED 0.0
#endif
enum { OK, ERROR = 3 };
enum { F, X, V, M, C, K, HARD, X0, V0, STEP, VALUES };

typedef struct {
    double value[VALUES], a;
} model;

static const double presets[VALUES] = {[M] = 1.0, [K] = 100.0, [X0] = DISPLACED, [STEP] = STEPS_OF};

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *where, const void *callbacks,
                      int visible, int logging)
{
    (void)name, (void)where, (void)callbacks, (void)visible, (void)logging;
    model *m = type == 1 && strcmp(guid, "{oscillator}") == 0 ? calloc(1, sizeof *m) : NULL;
    if (m)
        memcpy(m->value, presets, sizeof presets);
    return m;
}
const char *fmi2GetVersion(void)
{
    return "2.0";
}
void fmi2FreeInstance(model *m)
{
    free(m);
}
int fmi2SetupExperiment(model *m, int a, double b, double start, int c, double d)
{
    (void)m, (void)a, (void)b, (void)start, (void)c, (void)d;
    return OK;
}
int fmi2EnterInitializationMode(model *m)
{
    (void)m;
    return OK;
}
static double acceleration(const double *y)
{
    return (y[F] - y[C] * y[V] - y[K] * y[X] - y[HARD] * y[X] * y[X] * y[X]) / y[M];
}
int fmi2ExitInitializationMode(model *m)
{
    m->value[X] = m->value[X0];
    m->value[V] = m->value[V0];
    m->a = acceleration(m->value);
    return OK;
}
int fmi2Terminate(model *m)
{
    (void)m;
    return OK;
}
int fmi2Reset(model *m)
{
    memset(m, 0, sizeof *m);
    memcpy(m->value, presets, sizeof presets);
    return OK;
}
int fmi2GetReal(model *m, const unsigned *vr, size_t n, double *v)
{
    for (size_t i = 0; i < n; i++)
        v[i] = vr[i] < VALUES ? m->value[vr[i]] : NAN;
    return OK;
}
int fmi2SetReal(model *m, const unsigned *vr, size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++)
        if (vr[i] >= VALUES || vr[i] == X || vr[i] == V)
            return ERROR;
        else
            m->value[vr[i]] = v[i];
    return OK;
}
int fmi2DoStep(model *m, double now, double h, int flag)
{
    double *y = m->value, d = y[STEP];
    (void)now, (void)flag;
    if (!MEMORY)
        m->a = acceleration(y);
    for (long n = lround(h / d); n > 0; n--) {
        double x = y[X], v = y[V], a = m->a;
        for (int i = 0; i < 30; i++) { /* a1 by Newton's iteration */
            y[X] = x + d * v + 0.25 * d * d * (a + m->a);
            y[V] = v + 0.5 * d * (a + m->a);
            double slope = y[M] + 0.5 * d * y[C] + 0.25 * d * d * (y[K] + 3 * y[HARD] * y[X] * y[X]);
            m->a += y[M] * (acceleration(y) - m->a) / slope;
        }
    }
    return isfinite(y[X]) ? OK : ERROR;
}
int fmi2GetFMUstate(model *m, void **s)
{
    if (!*s)
        *s = malloc(sizeof *m);
    memcpy(*s, m, sizeof *m);
    return OK;
}
int fmi2SetFMUstate(model *m, void *s)
{
    memcpy(m, s, sizeof *m);
    return OK;
}
int fmi2FreeFMUstate(model *m, void **s)
{
    (void)m;
    free(*s);
    *s = NULL;
    return OK;
}
