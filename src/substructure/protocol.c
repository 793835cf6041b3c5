/* SPDX-License-Identifier: MIT */
/* A loading protocol in place of a computed structure: forces have no effect, one exchange per tick. The state is
 * displacement and velocity of every specimen and its position at the start of the motions. */
#include "substructure/loading_protocol.h"

#include <string.h>

static void initial(const ifd__substructure *s, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)s->size);
}

/* u contains the positions of the specimens, set by the test. */
static void begin(const ifd__substructure *s, double *x)
{
    int n = s->protocol->interfaces;
    memcpy(x + 2 * n, x, sizeof(double) * (size_t)n);
}

static void exchange(const ifd__substructure *s, int k, double *step, double *x)
{
    const ifd_protocol *p = s->protocol;
    int n = p->interfaces;
    (void)k;
    *step += 1.0;
    for (int i = 0; i < n; i++) {
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

ifd_status ifd__substructure_protocol(ifd_arena *arena, const ifd_hybrid_options *opt, ifd__substructure *s)
{
    IFD_TRY(ifd__numerical_models(arena, s, 1));
    s->ops = &prescribed;
    s->protocol = opt->protocol;
    s->step = opt->protocol->tick;
    s->exchanges = s->period = 1;
    s->size = 3 * opt->protocol->interfaces;
    s->model[0] = (ifd__numerical_model){.m = opt->protocol->model, .measured = true};
    return ifd__substructure_room(arena, s);
}
