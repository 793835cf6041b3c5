/* SPDX-License-Identifier: MIT */
/* A small FMI 3 co-simulation FMU for the tests of arrays and of single precision, written against the standard's
 * text alone: y = K u with a matrix K of two rows, in double precision, and s = 3 w in single. All outputs are set by
 * a step. It refuses to be read or set otherwise than as whole arrays. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { OK, ERROR = 3 };
enum { U = 1, Y, K, W, S };

typedef struct {
    double u[2], y[2], k[4];
    float w, s;
} model;

static const model presets = {.k = {10, 2, 3, 20}};

void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *where, bool visible, bool logging,
                                  bool events, bool early, const uint32_t *required, size_t n, void *environment,
                                  void *log, void *update)
{
    (void)name, (void)where, (void)visible, (void)logging, (void)early, (void)required, (void)n;
    (void)environment, (void)log, (void)update;
    model *m = !events && strcmp(token, "{vector}") == 0 ? malloc(sizeof *m) : NULL;
    if (m)
        *m = presets;
    return m;
}
const char *fmi3GetVersion(void)
{
    return "3.0";
}
void fmi3FreeInstance(model *m)
{
    free(m);
}
int fmi3EnterInitializationMode(model *m, bool a, double b, double start, bool c, double d)
{
    (void)m, (void)a, (void)b, (void)start, (void)c, (void)d;
    return OK;
}
static void answer(model *m)
{
    m->y[0] = m->k[0] * m->u[0] + m->k[1] * m->u[1];
    m->y[1] = m->k[2] * m->u[0] + m->k[3] * m->u[1];
    m->s = 3.0f * m->w;
}
int fmi3ExitInitializationMode(model *m)
{
    answer(m);
    return OK;
}
int fmi3Terminate(model *m)
{
    (void)m;
    return OK;
}
int fmi3Reset(model *m)
{
    *m = presets;
    return OK;
}
static double *at(model *m, uint32_t vr, size_t *n)
{
    *n = vr == K ? 4 : 2;
    return vr == U ? m->u : vr == Y ? m->y : vr == K ? m->k : NULL;
}
int fmi3GetFloat64(model *m, const uint32_t *vr, size_t n, double *v, size_t values)
{
    for (size_t i = 0; i < n; i++) {
        size_t size;
        const double *from = at(m, vr[i], &size);
        if (!from || size > values)
            return ERROR;
        memcpy(v, from, size * sizeof *v);
        v += size;
        values -= size;
    }
    return values == 0 ? OK : ERROR;
}
int fmi3SetFloat64(model *m, const uint32_t *vr, size_t n, const double *v, size_t values)
{
    for (size_t i = 0; i < n; i++) {
        size_t size;
        double *to = at(m, vr[i], &size);
        if (!to || vr[i] == Y || size > values)
            return ERROR;
        memcpy(to, v, size * sizeof *v);
        v += size;
        values -= size;
    }
    return values == 0 ? OK : ERROR;
}
int fmi3GetFloat32(model *m, const uint32_t *vr, size_t n, float *v, size_t values)
{
    for (size_t i = 0; i < n; i++)
        v[i] = vr[i] == W ? m->w : m->s;
    return n == values ? OK : ERROR;
}
int fmi3SetFloat32(model *m, const uint32_t *vr, size_t n, const float *v, size_t values)
{
    if (n != 1 || values != 1 || vr[0] != W)
        return ERROR;
    m->w = v[0];
    return OK;
}
int fmi3DoStep(model *m, double now, double h, bool flag, bool *event, bool *terminate, bool *early, double *last)
{
    (void)flag;
    *event = *early = false;
    *terminate = getenv("VECTOR_ENDS") && now > 0.05;
    *last = now + h;
    answer(m);
    return OK;
}
int fmi3GetFMUState(model *m, void **s)
{
    if (!*s)
        *s = malloc(sizeof *m);
    memcpy(*s, m, sizeof *m);
    return OK;
}
int fmi3SetFMUState(model *m, void *s)
{
    memcpy(m, s, sizeof *m);
    return OK;
}
int fmi3FreeFMUState(model *m, void **s)
{
    (void)m;
    free(*s);
    *s = NULL;
    return OK;
}
