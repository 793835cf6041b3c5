/* SPDX-License-Identifier: MIT */
/* PG-alpha: MG-alpha in every substructure, velocity continuity at the coarse instants.
 *
 *     free:  every substructure takes its ss steps under the multipliers Lam_n of the last synchronisation
 *     link:  its response to a ramp of joint forces, j/ss at substep j, with the matrices of the free steps
 *     join:  H = sum_p G_p v_link,p,   dLam = -H^-1 sum_p G_p v_free,p,   Lam_{n+1} = Lam_n + dLam,
 *            state = free + link dLam
 *
 * The link advances together with the free steps, so only the current matrix D is stored. For a linear substructure D
 * is constant and the links are computed once at set-up. Substructures are independent of each other until the join:
 * each thread takes those that it received at set-up. (The paper prints G Y' = 0. As acceleration continuity this is
 * unstable with subcycles; velocity continuity is stable.)
 *
 * A measured substructure has one tick per substep. Its force belongs to Y*, the prediction at the end of the
 * previous tick, so a tick completes a substep and predicts the next one. Substructures without measurement take all
 * their substeps in tick 0, or during all ticks of the cycle on a worker. The link uses the estimated stiffness of
 * the specimen.
 *
 * Abbiati, Lanese, Pavese, Bursi (2019), Coupled Problems VIII. */
#include <string.h>

#include "algebra/dense.h"
#include "base/arena.h"
#include "couple/distributed.h"
#include "couple/coupled.h"
#include "couple/worker.h"
#include "method/stepper.h"

typedef struct substructure {
    ifd_stepper *stepper;
    int at, ss;
    int thread; /* 0: that of the tick, k: worker k - 1 */
    bool linear;
    int owns, *own;       /* joint rows of this substructure */
    double *link;         /* owns columns of link_size; NULL for a linear substructure with one step, which has */
    double *rate;         /* n x owns: their rates of velocity, otherwise NULL */
    double *H;            /* owns x owns: their velocities at the joint rows; at set-up only if all are linear */
    double *load, *force; /* n */
} substructure;

typedef struct away {
    struct pg_alpha *g;
    int thread;
} away;

typedef struct pg_alpha {
    int parts;
    substructure *substructure;
    bool linear;             /* every substructure is linear: H is constant and factored at set-up */
    double *LU, *gap, *mine; /* rows x rows; rows; gap of the rows of one substructure */
    int *pivot;
    away away[IFD__THREADS]; /* argument of each job */
    ifd__coupled *c;
    double t, *x; /* running cycle, for the workers */
} pg_alpha;

/* force := j/ss of unit multiplier `row` on substructure p. */
static void unit_force(ifd__coupled *c, int p, int row, double share, double *force)
{
    const ifd__lists *G = &c->I.part[p].G;
    memset(force, 0, sizeof(double) * (size_t)c->member[p].model->n);
    for (int k = G->start[row]; k < G->start[row + 1]; k++)
        force[G->dof[k]] = share * G->value[k];
}

static void links(ifd__coupled *c, int p, int j)
{
    pg_alpha *g = c->data;
    substructure *l = &g->substructure[p];
    size_t size = (size_t)ifd__mg_link_size(l->stepper);
    if (j == 1)
        memset(l->link, 0, sizeof(double) * size * (size_t)l->owns);
    for (int k = 0; k < l->owns; k++) {
        unit_force(c, p, l->own[k], (double)j / l->ss, l->force);
        ifd__mg_link_step(l->stepper, l->force, l->link + (size_t)k * size);
    }
}

static void end_step(const substructure *l, double t, double *x)
{
    ifd__mg_settle(l->stepper, x + l->at);
    ifd__stepper_accept(l->stepper, t, x + l->at);
}

/* All free substeps of a substructure, together with its links. */
static void free_steps(ifd__coupled *c, int p, double t, double *x)
{
    pg_alpha *g = c->data;
    substructure *l = &g->substructure[p];
    double h = ifd_stepper_step(l->stepper);
    ifd__interface_load(&c->I, p, x + c->lambda, l->load);
    for (int j = 1; j <= l->ss; j++) {
        if (j > 1) /* the last substep ends at the join, when its link is known */
            end_step(l, t + (j - 1) * h, x);
        ifd__mg_predict(l->stepper, x + l->at);
        ifd__mg_finish(l->stepper, t + (j - 1) * h, l->load, x + l->at);
        if (!l->linear)
            links(c, p, j);
    }
}

static void job(void *argument)
{
    const away *a = argument;
    const pg_alpha *g = a->g;
    for (int p = 0; p < g->parts; p++)
        if (g->substructure[p].thread == a->thread)
            free_steps(g->c, p, g->t, g->x);
}

/* H of the current links, factored. */
static bool factor(ifd__coupled *c)
{
    pg_alpha *g = c->data;
    size_t rows = (size_t)c->I.rows;
    memset(g->LU, 0, sizeof(double) * rows * rows);
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &g->substructure[p];
        const double *v = l->link ? l->link + c->member[p].model->n : NULL;
        size_t size = (size_t)ifd__mg_link_size(l->stepper);
        for (int k = 0; k < l->owns; k++)
            if (l->link)
                ifd__interface_gap(&c->I, p, v + (size_t)k * size, g->LU + (size_t)l->own[k] * rows);
            else
                for (int i = 0; i < l->owns; i++)
                    g->LU[(size_t)l->own[i] + (size_t)l->own[k] * rows] += l->H[i + (ptrdiff_t)k * l->owns];
    }
    return rows == 0 || ifd__lu_factor(c->I.rows, g->LU, g->pivot);
}

/* y of substructure p += link dLam, dLam = -gap. */
static void add_links(ifd__coupled *c, int p, double *y)
{
    pg_alpha *g = c->data;
    const substructure *l = &g->substructure[p];
    int n = c->member[p].model->n;
    size_t size = (size_t)ifd__mg_link_size(l->stepper);
    if (!l->rate) {
        for (int k = 0; k < l->owns; k++)
            ifd__mg_link_add(l->stepper, -g->gap[l->own[k]], l->link + (size_t)k * size, y);
        return;
    }
    for (int k = 0; k < l->owns; k++)
        g->mine[k] = g->gap[l->own[k]];
    memset(l->force, 0, sizeof(double) * (size_t)n);
    ifd__mul_add(n, l->owns, -1.0, l->rate, g->mine, l->force);
    ifd__mg_link_add_rate(l->stepper, l->force, y);
}

/* H of links in several processes. */
static bool factor_distributed(ifd__coupled *c)
{
    pg_alpha *g = c->data;
    const ifd__exchange e = {.columns = -1};
    size_t rows = (size_t)c->I.rows;
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &g->substructure[p];
        double *block = ifd__distributed_block(c, &e, p);
        if (!ifd__coupled_mine(c, p))
            continue;
        if (!l->link)
            memcpy(block, l->H, sizeof(double) * (size_t)l->owns * (size_t)l->owns);
        for (int k = 0; k < l->owns && l->link; k++)
            ifd__distributed_rows(c, p,
                                  l->link + (size_t)k * (size_t)ifd__mg_link_size(l->stepper) + c->member[p].model->n,
                                  block + (ptrdiff_t)k * l->owns, g->mine);
    }
    bool ok = ifd__distributed_share(c, &e);
    memset(g->LU, 0, sizeof(double) * rows * rows);
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &g->substructure[p];
        const double *block = ifd__distributed_block(c, &e, p);
        for (int k = 0; k < l->owns; k++)
            ifd__distributed_add(c, p, block + (ptrdiff_t)k * l->owns, g->LU + (size_t)l->own[k] * rows);
    }
    return ok && (rows == 0 || ifd__lu_factor(c->I.rows, g->LU, g->pivot));
}

static bool factor_links(ifd__coupled *c)
{
    return c->distributed ? factor_distributed(c) : factor(c);
}

/* gap := sum of G_p times displacement (derivative 0) or velocity (1), and faults of the other processes. */
static void share_gap(ifd__coupled *c, int derivative, double *x, double *gap)
{
    pg_alpha *g = c->data;
    const ifd__exchange e = {.extra = 1, .columns = 1};
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &g->substructure[p];
        double *block = ifd__distributed_block(c, &e, p);
        if (!ifd__coupled_mine(c, p))
            continue;
        block[0] = (double)ifd_stepper_fault(l->stepper, x + l->at);
        ifd__distributed_rows(c, p, x + l->at + derivative * c->member[p].model->n, block + 1, g->mine);
    }
    if (!ifd__distributed_share(c, &e))
        ifd__raise(&x[c->fault], IFD_STEP_LATE);
    memset(gap, 0, sizeof(double) * (size_t)c->I.rows);
    for (int p = 0; p < c->parts; p++) {
        const double *block = ifd__distributed_block(c, &e, p);
        ifd__distributed_add(c, p, block + 1, gap);
        ifd__raise(&x[c->fault], (ifd_step_fault)(int)block[0]);
    }
}

static void project(ifd__coupled *c, double *x)
{
    if (!c->distributed) {
        ifd__coupled_project(c, 0, x);
        return;
    }
    share_gap(c, 0, x, c->wgap);
    ifd__coupled_correct(c, NULL, 0, c->wgap, x);
}

static void join(ifd__coupled *c, double t, double *x)
{
    pg_alpha *g = c->data;
    int rows = c->I.rows;
    if (!g->linear && !factor_links(c))
        ifd__raise(&x[c->fault], IFD_STEP_SINGULAR);
    memset(g->gap, 0, sizeof(double) * (size_t)rows);
    if (c->distributed)
        share_gap(c, 1, x, g->gap);
    for (int p = 0; p < c->parts && !c->distributed; p++)
        ifd__interface_gap(&c->I, p, x + g->substructure[p].at + c->member[p].model->n, g->gap);
    ifd__lu_solve(rows, g->LU, g->pivot, 1, g->gap);
    for (int row = 0; row < rows; row++)
        x[c->lambda + row] -= g->gap[row];
    for (int p = 0; p < c->parts; p++) {
        const substructure *l = &g->substructure[p];
        if (!ifd__coupled_mine(c, p))
            continue;
        add_links(c, p, x + l->at);
        end_step(l, t, x);
        ifd__raise(&x[c->fault], ifd_stepper_fault(l->stepper, x + l->at));
    }
    if (c->drift == IFD_DRIFT_PROJECT)
        project(c, x); /* velocities are already equal */
    if (c->distributed)
        ifd__distributed_gather(c, x);
    if (c->distributed && c->distributed->to->whole)
        (void)ifd__coupled_balance(c, t, x);
}

/* Substep j = 1..ss of a measured substructure, from its prediction. */
static void measured_substep(ifd__coupled *c, int p, int j, double t, double *x)
{
    pg_alpha *g = c->data;
    substructure *l = &g->substructure[p];
    ifd__interface_load(&c->I, p, x + c->lambda, l->load);
    double h = ifd_stepper_step(l->stepper);
    ifd__mg_finish(l->stepper, t + (j - 1) * h, l->load, x + l->at);
    if (!l->linear)
        links(c, p, j);
    if (j < l->ss)
        end_step(l, t + j * h, x);
}

static void predict(ifd__coupled *c, double *x)
{
    pg_alpha *g = c->data;
    for (int p = 0; p < c->parts; p++)
        if (c->member[p].measured)
            ifd__mg_predict(g->substructure[p].stepper, x + g->substructure[p].at);
}

static void tick(ifd__coupled *c, int k, double t, double *x)
{
    pg_alpha *g = c->data;
    bool last = k == c->ticks - 1;
    if (k == 0) {
        g->t = t;
        g->x = x;
        ifd__coupled_jobs_begin(c);
    }
    for (int p = 0; p < c->parts; p++)
        if (c->member[p].measured)
            measured_substep(c, p, k + 1, t, x);
        else if (k == 0 && !g->substructure[p].thread && ifd__coupled_mine(c, p))
            free_steps(c, p, t, x);
    if (last && !ifd__coupled_jobs_wait(c)) {
        ifd__raise(&x[c->fault], IFD_STEP_LATE); /* substructures on a worker must not be accessed now */
        return;
    }
    if (last)
        join(c, t + c->h, x);
    predict(c, x);
}

static void aim(ifd__coupled *c, int k, const double *x, int p, double *u, double *v)
{
    const pg_alpha *g = c->data;
    ifd_stepper_aim(g->substructure[p].stepper, 1, 0.0, x + g->substructure[p].at, u, v);
}

static void begin(ifd__coupled *c, double t, double *x)
{
    pg_alpha *g = c->data;
    ifd__coupled_multipliers(c, t, x);
    for (int p = 0; p < c->parts; p++) {
        substructure *l = &g->substructure[p];
        if (!ifd__coupled_mine(c, p))
            continue;
        ifd__interface_load(&c->I, p, x + c->lambda, l->load);
        ifd_stepper_start(l->stepper, t, l->load, x + l->at);
    }
    predict(c, x);
}

static bool find_own(const ifd__coupled *c, ifd_arena *arena, int p, substructure *l)
{
    const int *start = c->I.part[p].G.start;
    const ifd__distributed *d = c->distributed;
    if (d) {
        l->own = d->own[p];
        l->owns = d->own_rows[p];
        return true;
    }
    l->own = ifd_arena_array(arena, (size_t)c->I.rows, sizeof *l->own);
    for (int row = 0; row < c->I.rows && l->own; row++)
        if (start[row + 1] > start[row])
            l->own[l->owns++] = row;
    return l->own != NULL;
}

/* Of constant links of one step the join needs the rates, and H. They are made one by one. */
static ifd_status make_rates(ifd__coupled *c, ifd_arena *arena, ifd_arena *scratch, int p, substructure *l)
{
    const pg_alpha *g = c->data;
    size_t n = (size_t)c->member[p].model->n, size = (size_t)ifd__mg_link_size(l->stepper), owns = (size_t)l->owns;
    double *link, *gap;
    IFD_TRY(IFD__TAKE(scratch, IFD__ARRAY(link, size), IFD__ARRAY(gap, c->I.rows)));
    IFD_TRY(IFD__TAKE(g->linear ? scratch : arena, IFD__ARRAY(l->H, owns * owns + 1)));
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->rate, n * owns + 1)));
    for (int k = 0; k < l->owns; k++) {
        memset(link, 0, sizeof *link * size);
        unit_force(c, p, l->own[k], 1.0, l->force);
        ifd__mg_link_step(l->stepper, l->force, link);
        memcpy(l->rate + (size_t)k * n, link + size / 3 + n, n * sizeof *l->rate);
        memset(gap, 0, sizeof *gap * (size_t)c->I.rows);
        ifd__interface_gap(&c->I, p, link + n, gap);
        for (int i = 0; i < l->owns; i++)
            l->H[i + (ptrdiff_t)k * l->owns] = gap[l->own[i]];
    }
    return IFD_OK;
}

/* scratch: until H is factored. */
static ifd_status make_substructure(ifd__coupled *c, ifd_arena *arena, ifd_arena *scratch,
                                    const ifd_couple_options *opt, int p, ifd_note *note)
{
    pg_alpha *g = c->data;
    substructure *l = &g->substructure[p];
    size_t n = (size_t)opt->part[p].model->n;
    l->ss = opt->part[p].subcycles ? opt->part[p].subcycles : 1;
    c->member[p].h = opt->h / l->ss;
    l->linear = opt->part[p].model->ne == 0;
    if (!find_own(c, arena, p, l))
        return IFD_NO_MEMORY;
    if (!ifd__coupled_mine(c, p)) {
        l->at = c->member[p].at = ifd__coupled_row(c, "y", 2 * (int)n + opt->part[p].model->ns, IFD_STATE_REAL);
        return IFD_OK;
    }
    IFD_TRY(ifd__coupled_stepper(arena, opt, p, c->member[p].h, &l->stepper, note));
    l->at = c->member[p].at = ifd__coupled_stepper_rows(c, l->stepper);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->load, n + 1), IFD__ARRAY(l->force, n + 1)));
    if (l->linear && l->ss == 1)
        return make_rates(c, arena, scratch, p, l);
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(l->link, (size_t)ifd__mg_link_size(l->stepper) * (size_t)l->owns)));
    for (int j = 1; j <= l->ss && l->linear; j++)
        links(c, p, j);
    return IFD_OK;
}

/* Measured substructures determine the ticks of a cycle. */
static ifd_status make_ticks(ifd__coupled *c, const ifd_couple_options *opt, ifd_note *note)
{
    const pg_alpha *g = c->data;
    c->ticks = 1;
    for (int p = 0, first = -1; p < opt->parts; p++) {
        if (!opt->part[p].measured)
            continue;
        if (first >= 0 && g->substructure[p].ss != c->ticks)
            return ifd_note_add(
                note, IFD_CONFLICT, &opt->part[p].place,
                "substructures '%s' and '%s' have specimens and %d and %d subcycles; expected the same number",
                opt->part[first].name, opt->part[p].name, c->ticks, g->substructure[p].ss);
        first = p;
        c->ticks = g->substructure[p].ss;
        c->lead_in = true;
    }
    return IFD_OK;
}

static double cost(const ifd__coupled *c, int p)
{
    const pg_alpha *g = c->data;
    return (double)g->substructure[p].ss * (double)c->member[p].model->n;
}

/* The free substructure with the largest cost that has no thread yet; -1: none. */
static int next_free(const ifd__coupled *c)
{
    const pg_alpha *g = c->data;
    int best = -1;
    for (int p = 0; p < c->parts; p++)
        if (g->substructure[p].thread < 0 && (best < 0 || cost(c, p) > cost(c, best)))
            best = p;
    return best;
}

/* Gives each substructure a thread: the largest first, to the thread with the least work. Measured ones stay on the
 * thread of the rig. Returns the number of threads. */
static int distribute(ifd__coupled *c, int threads)
{
    pg_alpha *g = c->data;
    double work[IFD__THREADS] = {0};
    int most = c->measured ? 1 : 0;
    for (int p = 0; p < c->parts; p++) {
        g->substructure[p].thread = c->member[p].measured ? 0 : -1;
        most += !c->member[p].measured;
        work[0] += c->member[p].measured ? cost(c, p) : 0.0;
    }
    threads = threads < most ? threads : most;
    for (int p; (p = next_free(c)) >= 0;) {
        int least = threads - 1;
        for (int k = least; k >= 0; k--)
            least = work[k] < work[least] ? k : least;
        g->substructure[p].thread = least;
        work[least] += cost(c, p);
    }
    return threads;
}

static ifd_status make_workers(ifd__coupled *c, ifd_arena *arena, int threads)
{
    pg_alpha *g = c->data;
    threads = distribute(c, threads);
    for (int k = 1; k < threads; k++) {
        g->away[k] = (away){.g = g, .thread = k};
        IFD_TRY(ifd__coupled_worker(c, arena, job, &g->away[k]));
    }
    return IFD_OK;
}

static ifd_status make(ifd__coupled *c, ifd_arena *arena, const ifd_couple_options *opt, ifd_note *note)
{
    pg_alpha *g;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(g, 1)));
    c->data = g;
    g->c = c;
    g->parts = opt->parts;
    IFD_TRY(ifd__coupled_interface(c, arena, opt, 0.0, note));
    size_t rows = (size_t)c->I.rows;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(g->substructure, opt->parts), IFD__ARRAY(g->LU, rows * rows),
                      IFD__ARRAY(g->gap, rows + 1), IFD__ARRAY(g->mine, rows + 1), IFD__ARRAY(g->pivot, rows)));
    g->linear = true;
    for (int p = 0; p < opt->parts; p++)
        g->linear = g->linear && opt->part[p].model->ne == 0;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    for (int p = 0; p < opt->parts; p++)
        IFD_TRY(make_substructure(c, arena, scratch, opt, p, note));
    if (g->linear && !factor_links(c))
        return ifd_note_add(note, IFD_SINGULAR, &opt->place, "the equations of the joints are singular");
    c->multipliers_are_state = true;
    IFD_TRY(make_ticks(c, opt, note));
    return opt->threads > 1 && !opt->ranks ? make_workers(c, arena, opt->threads) : IFD_OK;
}

const ifd_coupling ifd__coupling_pg_alpha = {
    .name = "pg-alpha",
    .title = "partitioned generalized-alpha coupling in state space",
    .citation = "Abbiati, Lanese, Pavese, Bursi (2019)",
    .summary = "The velocities at a joint are equal at the end of every coarse step.",
    .order = 2,
    .methods = "mg-alpha",
    .make = make,
    .begin = begin,
    .tick = tick,
    .aim = aim,
};
