/* SPDX-License-Identifier: MIT */
/* Nonlinear models with CVODE. The integration stops and restarts at every corner of the loads and every event of an
 * element, because a multistep method must not use values from before a kink.
 *
 * Elements that stick and slip (with a settle function) have rates g = G v with a G that is constant between events.
 * G is fixed until the next root, so no internal step contains a jump. At a root, states that are about to exceed
 * their limit are set to it. G is then evaluated shortly afterwards, when the velocity that just passed zero has its
 * new sign.
 *
 * Materials that remember reversals are accepted at their events and in the results: between two reversals their
 * force does not depend on the number of acceptances. Rounding must not reverse them. A reversal therefore counts
 * when the velocity exceeds a band around zero, of the size of its tolerated error, on the other side; until then
 * the motion is the one in the direction before. The state is then that of one monotone move, which ends the
 * square of the band away from the turning point. At other instants (corners, events of other elements) an element
 * with one coordinate is not accepted. */
#include "method/reference.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/installed.h"
#include "base/object.h"
#include "method/integrator.h"
#include "method/tangent.h"
#include "model/element.h"

/* MATRICES: full ones of the stiff solver. EVALUATIONS: most in one step, and PER_NUMBER more for each number of the
 * state, from which a Jacobian is made. Measured: below 2,000 in shaken structures. */
enum { MATRICES = 3, FEW = 60, EVALUATIONS = 2000000, PER_NUMBER = 10000 };

struct ifd__cvode {
    const ifd_model *m;
    double h, tolerance;
    int size, roots;
    const ifd__integrator *by;
    void *one; /* integrator */
    double *y; /* its state */
    ifd__tangent *mass;
    double *G; /* fixed g_v, blocks ns_e x nq_e at G_of[e] */
    int *G_of;
    double *q, *qd, *g;    /* nq, nq, ns */
    double *rate, *last;   /* size: y'; previous state */
    double *scale, *floor; /* size: largest |y_i| so far, and largest of its kind */
    double *w;             /* scratch of the model */
    const double *load;
    double band;  /* m/s: velocities within it have no sign */
    double *root; /* roots: their values */
    int *side;    /* roots: of materials that remember reversals, the sign before the next event; 0: not known */
    int left;     /* evaluations until the end of the step */
    bool accepts; /* an element remembers reversals */
    bool going;   /* the integrator continues from last */
    double t;     /* time reached, for the caller */
    double until; /* the next corner: nothing beyond it acts before it is reached */
};

/* A restart at kinks of continuous rates pays in a small model only. In a large model fast small motions cross them
 * continuously, and the step control resolves them. */
static bool watched(const ifd__cvode *r, const ifd_element *e)
{
    return e->nroot > 0 && (ifd__element_stops(e) || e->ops->accept || r->size <= FEW || !e->ns);
}

/* The instant before a corner represents the corner itself, where a load or a voltage may have jumped already. The
 * distance is that within which a sample of a signal counts as reached. */
static double before_corner(const ifd__cvode *r, double t)
{
    return fmin(t, r->until - 2e-12 * (1.0 + fabs(r->until)));
}

/* y' with fixed rates. */
static void balance(ifd__cvode *r, double t, const double *y, double *yd)
{
    const ifd_model *m = r->m;
    int n = m->n;
    const ifd__point at = {.t = t, .u = y, .v = y + n, .s = y + 2 * n};
    double *a = yd + n, *g = a + n;
    memcpy(yd, at.v, sizeof(double) * (size_t)n);
    ifd__model_balance(m, &at, a, g, r->w);
    for (int i = 0; r->load && i < n; i++)
        a[i] += r->load[i];
    ifd__tangent_update(r->mass, &at);
    ifd__tangent_solve(r->mass, a);
    ifd__model_coordinates(m, t, at.u, at.v, r->q, r->qd);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        for (int i = 0; ifd__element_stops(el) && i < el->ns; i++) {
            double sum = 0.0;
            for (int j = 0; j < el->nq; j++)
                sum += r->G[r->G_of[e] + i + j * el->ns] * r->qd[m->q_of[e] + j];
            g[m->s_of[e] + i] = sum;
        }
    }
}

static bool right_side(void *data, double t, const double *y, double *yd)
{
    ifd__cvode *r = data;
    balance(r, before_corner(r, t), y, yd);
    return r->left-- > 0;
}

/* Element e at (t, y), whose coordinates are in r->q. */
static ifd_element_in input_of(const ifd__cvode *r, int e, double t, const double *y)
{
    const double *qd = r->qd + r->m->q_of[e];
    return (ifd_element_in){
        .t = t, .q = r->q + r->m->q_of[e], .qd = qd, .qdd = qd, .s = y + 2 * r->m->n + r->m->s_of[e]};
}

static void root_functions(void *data, double t, const double *y, double *root)
{
    ifd__cvode *r = data;
    const ifd_model *m = r->m;
    const int *side = r->side;
    ifd__model_coordinates(m, t, y, y + m->n, r->q, r->qd);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        if (!watched(r, el))
            continue;
        const ifd_element_in in = input_of(r, e, t, y);
        el->ops->events(el, &in, root);
        for (int i = 0; el->ops->accept && i < el->nroot; i++)
            root[i] = r->band + (side[i] ? side[i] * root[i] : -fabs(root[i]));
        root += el->nroot;
        side += el->nroot;
    }
}

/* The sides of the events of element e, new from its state. An event at the edge of the band is found up to rounding:
 * without the tenth its side could stay unknown, and the next reversal would not count. */
static void take_sides(ifd__cvode *r, int e, const ifd_element_in *in, int *side)
{
    const ifd_element *el = &r->m->element[e];
    el->ops->events(el, in, r->root);
    for (int i = 0; i < el->nroot; i++)
        if (fabs(r->root[i]) > 0.9 * r->band)
            side[i] = r->root[i] > 0.0 ? 1 : -1;
}

/* At a restart: accepts the elements whose motion ends here. An event counts within a tenth of the band: events that
 * are closer are one. An element with several coordinates, whose parts reverse at other instants than itself, is
 * accepted at every restart. */
static void pass_events(ifd__cvode *r, double t, double *y)
{
    const ifd_model *m = r->m;
    int *side = r->side;
    ifd__model_coordinates(m, t, y, y + m->n, r->q, r->qd);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        const ifd_element_in in = input_of(r, e, t, y);
        bool ends = el->nq > 1 || !el->nroot;
        if (!el->ops->accept) {
            side += watched(r, el) ? el->nroot : 0;
            continue;
        }
        if (el->nroot)
            el->ops->events(el, &in, r->root);
        for (int i = 0; i < el->nroot; i++)
            if (side[i] && side[i] * r->root[i] < -0.9 * r->band) {
                side[i] = -side[i];
                ends = true;
            }
        if (ends)
            el->ops->accept(el, &in, y + 2 * m->n + m->s_of[e]);
        if (el->nroot)
            take_sides(r, e, &in, side);
        side += el->nroot;
    }
}

/* Sets states that are about to exceed their limits to them, then fixes the rates just after t. */
static void settle(ifd__cvode *r, double t, double *y)
{
    const ifd_model *m = r->m;
    double moment = 1e-10 * r->h, *s = y + 2 * m->n, *g = r->rate + 2 * m->n, *ahead = r->last;
    balance(r, t, y, r->rate);
    for (int i = 0; i < m->ns; i++)
        r->g[i] = s[i] + moment * g[i];
    double *past = r->last + 2 * m->n;
    memcpy(past, r->g, sizeof(double) * (size_t)m->ns);
    ifd__model_settle(m, past, NULL, NULL);
    for (int i = 0; i < m->ns; i++)
        if (past[i] < r->g[i] || past[i] > r->g[i])
            s[i] = past[i];
    for (int i = 0; i < m->n; i++) {
        ahead[i] = y[i];
        ahead[m->n + i] = y[m->n + i] + moment * r->rate[m->n + i];
    }
    ifd__model_coordinates(m, t + moment, ahead, ahead + m->n, r->q, r->qd);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        if (!ifd__element_stops(el))
            continue;
        double *G = r->G + r->G_of[e];
        memset(G, 0, sizeof(double) * (size_t)(el->ns * el->nq));
        const ifd_element_in in = input_of(r, e, t, y);
        el->ops->eval(el, &in, &(ifd_element_out){.g_v = G});
    }
}

/* Absolute tolerances follow the largest displacement, velocity and state so far; lower bounds keep the tolerance
 * above round-off at a start from rest. */
static void tolerances(ifd__cvode *r)
{
    const ifd_model *m = r->m;
    double u = 1e-5, v = 1e-4;
    for (int i = 0; i < r->size; i++)
        r->scale[i] = fmax(r->scale[i], fabs(r->y[i]));
    for (int i = 0; i < m->n; i++) {
        u = fmax(u, r->scale[i]);
        v = fmax(v, r->scale[m->n + i]);
    }
    for (int i = 0; i < r->size; i++)
        r->floor[i] = i < m->n ? u : i < 2 * m->n ? v : fmax(r->scale[i], 1e-6);
    r->band = 10.0 * r->tolerance * v;
}

static void weights(void *data, const double *y, double *w)
{
    const ifd__cvode *r = data;
    for (int i = 0; i < r->size; i++)
        w[i] = 1.0 / (r->tolerance * (fabs(y[i]) + r->floor[i]));
}

static void accept(ifd__cvode *r, double t, double *y)
{
    int n = r->m->n;
    if (r->accepts)
        ifd__model_accept(r->m, t, y, y + n, y + 2 * n, r->q); /* qd follows q */
}

static bool restart(ifd__cvode *r, double t)
{
    if (r->accepts)
        pass_events(r, t, r->y);
    settle(r, t, r->y);
    tolerances(r);
    return r->by->restart(r->one, t);
}

static void close_cvode(void *what)
{
    ifd__cvode *r = what;
    if (r->one)
        r->by->close(r->one);
}

/* True if the step is long for the fastest motion: then a method for stiff systems costs less. */
static bool stiff(const ifd_model *m, double h)
{
    double most = 0.0;
    for (int j = 0; j < m->n; j++)
        most = fmax(most, fabs(ifd__sparse_get(&m->K, j, j)) / fabs(ifd__sparse_get(&m->M, j, j)));
    return sqrt(most) * h > 20.0;
}

static ifd_status find_module(ifd__cvode *r, ifd_note *note)
{
    char file[PATH_MAX];
    const void *found;
    if (!ifd__installed_file(IFD__INTEGRATOR_FILE, file, sizeof file))
        return ifd_note_advise(note, IFD_PLUGIN, NULL,
                               "it is expected as interfield/" IFD__INTEGRATOR_FILE
                               " beside the library; a program with the "
                               "static library needs it in a folder "
                               "interfield beside the program",
                               "the reference solution of a nonlinear model needs the module " IFD__INTEGRATOR_FILE
                               ", which is not installed");
    const ifd__export what = {IFD__INTEGRATOR_SYMBOL, "ifd__integrator"};
    int fd;
    IFD_TRY(ifd__object_examine(file, &fd, note, NULL));
    IFD_TRY(ifd__object_load(fd, file, what, &found, note, NULL));
    r->by = found;
    if (r->by->version == IFD__INTEGRATOR_VERSION)
        return IFD_OK;
    return ifd_note_advise(
        note, IFD_PLUGIN, NULL, "it belongs to another release: install library and module of the same release",
        "the module %s has version %d; expected %d", file, r->by->version, IFD__INTEGRATOR_VERSION);
}

static bool open_cvode(ifd__cvode *r)
{
    r->one = r->by->open(&(ifd__equations){.size = r->size,
                                           .roots = r->roots,
                                           .stiff = stiff(r->m, r->h),
                                           .data = r,
                                           .rate = right_side,
                                           .weights = weights,
                                           .root = root_functions});
    r->y = r->one ? r->by->state(r->one) : NULL;
    return r->y;
}

static ifd_status take_vectors(ifd__cvode *r, ifd_arena *arena)
{
    const ifd_model *m = r->m;
    int most = 1;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->G_of, (size_t)m->ne + 1)));
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *el = &m->element[e];
        r->G_of[e + 1] = r->G_of[e] + el->ns * el->nq;
        r->roots += watched(r, el) ? el->nroot : 0;
        most = el->nroot > most ? el->nroot : most;
    }
    size_t nq = (size_t)m->nq, ns = (size_t)m->ns, size = (size_t)r->size;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->side, (size_t)r->roots + 1)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->root, most), IFD__ARRAY(r->G, r->G_of[m->ne]), IFD__ARRAY(r->q, 2 * nq),
                      IFD__ARRAY(r->g, ns), IFD__ARRAY(r->rate, size), IFD__ARRAY(r->last, size),
                      IFD__ARRAY(r->scale, size), IFD__ARRAY(r->floor, size), IFD__ARRAY(r->w, ifd__model_work(m))));
    r->qd = r->q + nq;
    return IFD_OK;
}

ifd_status ifd__cvode_make(ifd_arena *arena, const ifd_model *m, double h, double tolerance, ifd__cvode **out,
                           ifd_note *note)
{
    ifd__cvode *r;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r, 1)));
    r->m = m;
    r->h = h;
    r->tolerance = tolerance;
    r->accepts = ifd__model_accepts(m);
    r->size = 2 * m->n + m->ns;
    IFD_TRY(
        ifd__memory_check(MATRICES * 8.0 * r->size * r->size, "the reference solution of a nonlinear model", note));
    IFD_TRY(ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &r->mass, note));
    IFD_TRY(take_vectors(r, arena));
    IFD_TRY(find_module(r, note));
    if (!ifd_arena_on_close(arena, close_cvode, r) || !open_cvode(r))
        return IFD_NO_MEMORY;
    *out = r;
    return IFD_OK;
}

/* Integrates to end, across corners and events. */
static bool integrate(ifd__cvode *r, double end)
{
    double t = r->t;
    while (end - t > 1e-12 * (fabs(end) + r->h)) {
        double corner = r->until = ifd__next_corner(r->m, t);
        double stop = r->load && corner > end ? end : corner;
        ifd__integrated so_far = r->by->run(r->one, stop, end, &t);
        if (so_far == IFD__GAVE_UP)
            return false;
        if (so_far == IFD__ARRIVED)
            break;
        if (!restart(r, t))
            return false;
    }
    return true;
}

ifd_step_fault ifd__cvode_step(ifd__cvode *r, double t, const double *load, double *y)
{
    size_t bytes = sizeof(double) * (size_t)r->size;
    double near = 1e-12 * (fabs(t) + r->h);
    bool same = r->going && !load && !r->load && fabs(t - r->t) <= near && memcmp(y, r->last, bytes) == 0;
    r->load = load;
    r->left = EVALUATIONS + PER_NUMBER * r->size;
    if (!same) {
        memcpy(r->y, y, bytes);
        r->t = t;
        memset(r->side, 0, sizeof *r->side * (size_t)r->roots);
        tolerances(r);
        r->going = restart(r, t);
    } else if (r->until <= t + near) {
        r->going = restart(r, t); /* the last step ended at a corner */
    } else {
        tolerances(r);
    }
    r->going = r->going && integrate(r, t + r->h);
    memcpy(y, r->y, bytes);
    if (r->m->ns)
        ifd__model_settle(r->m, y + 2 * r->m->n, NULL, NULL);
    r->t = t + r->h;
    accept(r, r->t, y);
    memcpy(r->last, y, bytes);
    return r->going ? IFD_STEP_OK : r->left < 0 ? IFD_STEP_WORK : IFD_STEP_SOLVER;
}
