/* SPDX-License-Identifier: MIT */
/* Coupled substructures: savings of subcycling and of a second thread, and cost of the joint.
 *
 * A 3-D frame of 7 x 7 bays and 13 storeys carries a mast of ten levels on its roof: 5,232 dofs. The 264 dofs of the
 * mast, 5 %, need a step of 1 ms, while 10 ms are sufficient for the rest. Ground motion excites the structure, and a
 * pulse of 10 ms acts on the mast. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <interfield/structures.h>

#include "couple/coupled.h"
#include "couple/worker.h"
#include "method/stepper.h"
#include "model/build/cut.h"
#include "model/model.h"

enum { ROUNDS = 5, LEVELS = 10, LEGS = 4, SS = 10, WATCHED = 3 * LEVELS * LEGS };

static const double COARSE = 10e-3, END = 0.5;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Processor time of this thread: for single-threaded runs, independent of other load on the machine. */
static double busy(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(ifd_status status, const ifd_note *note, const char *what)
{
    if (status == IFD_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, note && note->first ? note->first->text : ifd_status_text(status));
    exit(2);
}

static int node_named(const ifd_frame *f, const char *name)
{
    for (int i = 0; i < f->nodes; i++)
        if (strcmp(f->node[i].name, name) == 0)
            return i;
    exit(2);
}

/* Four legs of 3 m per level on the middle of the roof, connected at every level. */
static void add_mast(ifd_arena *arena, ifd_frame *f)
{
    static const char *const foot[LEGS] = {"s13x4y4", "s13x5y4", "s13x5y5", "s13x4y5"};
    ifd_frame_node *node = ifd_arena_array(arena, (size_t)f->nodes + LEVELS * LEGS, sizeof *node);
    ifd_frame_member *member = ifd_arena_array(arena, (size_t)f->members + 2 * LEVELS * LEGS, sizeof *member);
    memcpy(node, f->node, (size_t)f->nodes * sizeof *node);
    memcpy(member, f->member, (size_t)f->members * sizeof *member);
    int below[LEGS], here[LEGS];
    for (int leg = 0; leg < LEGS; leg++)
        below[leg] = node_named(f, foot[leg]);
    for (int level = 1; level <= LEVELS; level++) {
        for (int leg = 0; leg < LEGS; leg++) {
            const ifd_frame_node *under = &node[below[leg]];
            here[leg] = f->nodes;
            node[f->nodes++] =
                (ifd_frame_node){ifd_arena_print(arena, "m%dl%d", level, leg), under->x, under->y, under->z + 3.0};
        }
        for (int k = 0; k < 2 * LEGS; k++) {
            ifd_frame_member *m = &member[f->members++];
            ifd_frame_member_defaults(m);
            m->from = here[k % LEGS];
            m->to = k < LEGS ? below[k] : here[(k + 1) % LEGS];
        }
        memcpy(below, here, sizeof below);
    }
    f->node = node;
    f->member = member;
}

static const ifd_signal *signal_of(ifd_arena *arena, const char *kind, const char *key[2], const double value[2])
{
    const ifd_signal_kind *k = ifd_signal_find(kind);
    const ifd_signal *s = NULL;
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(k->params, v);
    for (int i = 0; i < 2; i++)
        v[ifd_param_find(k->params, key[i])] = ifd_number(value[i]);
    need(ifd_signal_make(arena, k, v, NULL, &s, NULL), NULL, "signal");
    return s;
}

static ifd_builder *building(ifd_arena *arena)
{
    ifd_grid grid;
    ifd_frame frame;
    ifd_builder *b = ifd_builder_make(arena);
    int top;
    ifd_grid_defaults(&grid);
    grid.planar = false;
    grid.bays_x = grid.bays_y = 7;
    grid.storeys = 13;
    grid.column = ifd_section_rectangle(0.5, 0.5);
    grid.beam = ifd_section_rectangle(0.3, 0.6);
    grid.beam_mass = 1000.0;
    need(ifd_frame_grid(arena, &grid, &frame, NULL), NULL, "grid");
    add_mast(arena, &frame);
    need(ifd_builder_frame(b, &frame, NULL), NULL, "frame");
    ifd_builder_rayleigh(b, 0.1, 5e-4);
    ifd_builder_ground(
        b, IFD_DOF_X,
        signal_of(arena, "sine", (const char *[]){"amplitude", "frequency"}, (const double[]){0.3, 1.0}));
    if (!ifd_builder_find(b, "m10l0.x", &top))
        exit(2);
    ifd_builder_force(
        b, top, signal_of(arena, "pulse", (const char *[]){"amplitude", "duration"}, (const double[]){1e6, 10e-3}));
    return b;
}

typedef struct scene {
    ifd_arena *arena;
    ifd_model *whole, *piece[2];
    ifd_part_options part[2];
    ifd_joint joint[6 * LEGS];
    ifd_joint_term term[6 * LEGS][2];
    ifd_couple_options couple;
} scene;

/* The mast contains its nodes and the four below it; the building all of its nodes. */
static void cut_mast(scene *s, ifd_builder *b)
{
    int dofs = ifd_builder_dofs(b), rows = 0;
    uint64_t *in = ifd_arena_array(s->arena, (size_t)dofs, sizeof *in);
    ifd_builder *out[2];
    ifd_note note;
    ifd_note_init(&note, s->arena);
    for (int i = 0; i < dofs; i++) {
        const char *n = ifd_builder_dof_name(b, i);
        bool foot = strncmp(n, "s13x4y4.", 8) == 0 || strncmp(n, "s13x5y4.", 8) == 0 ||
                    strncmp(n, "s13x5y5.", 8) == 0 || strncmp(n, "s13x4y5.", 8) == 0;
        in[i] = foot ? 3 : n[0] == 'm' ? 2 : 1;
    }
    need(ifd__builder_cut(s->arena, b, &(ifd__cut){.substructures = 2, .in = in, .ratio = 0.5}, out, &note), &note,
         "cut");
    for (int p = 0; p < 2; p++)
        need(ifd_model_make(s->arena, out[p], &s->piece[p], &note), &note, "part");
    for (int i = 0; i < dofs; i++) {
        const char *n = ifd_builder_dof_name(b, i);
        if (in[i] != 3)
            continue;
        for (int p = 0; p < 2; p++)
            s->term[rows][p] = (ifd_joint_term){p, ifd_model_find_dof(s->piece[p], n), p ? -1.0 : 1.0};
        s->joint[rows] = (ifd_joint){.name = n, .terms = 2, .term = s->term[rows]};
        rows++;
    }
    s->couple = (ifd_couple_options){.parts = 2, .part = s->part, .joints = rows, .joint = s->joint};
}

static ifd_step_options method(const char *name, const char *gamma)
{
    ifd_step_options opt;
    const ifd_method *m = ifd_method_find(name);
    ifd_step_options_defaults(m, 1e-3, &opt);
    if (gamma)
        opt.value[ifd_param_find(m->params, "gamma")] = ifd_word(gamma);
    else
        opt.value[ifd_param_find(m->params, "rho")] = ifd_number(0.8);
    return opt;
}

/* Displacements of the mast at the coarse instants, one row each. */
typedef struct track {
    double seconds; /* per simulated second: processor time, or (for threads) wall-clock time of the fastest 10 ms */
    int rows;
    double *u;
} track;

static track new_track(scene *s)
{
    track t = {.rows = (int)lround(END / COARSE)};
    t.u = ifd_arena_array(s->arena, (size_t)t.rows * WATCHED, sizeof *t.u);
    return t;
}

static void watch(const ifd_model *m, const double *u, double *out)
{
    static const char axis[] = "xyz";
    for (int k = 0; k < WATCHED; k++) {
        char name[32];
        snprintf(name, sizeof name, "m%dl%d.%c", 1 + k / (3 * LEGS), k / 3 % LEGS, axis[k % 3]);
        out[k] = u[ifd_model_find_dof(m, name)];
    }
}

static track run_whole(scene *s, ifd_step_options opt, double h)
{
    track t = new_track(s);
    ifd_stepper *stepper;
    opt.h = h;
    need(ifd_stepper_make(s->arena, &opt, s->whole, &stepper, NULL), NULL, "stepper");
    double *x = ifd_arena_array(s->arena, (size_t)ifd_stepper_size(stepper), sizeof *x);
    ifd_stepper_start(stepper, 0.0, NULL, x);
    int per = (int)lround(COARSE / h);
    for (int row = 0; row < t.rows; row++) {
        double begun = busy();
        for (int k = 0; k < per; k++)
            for (int i = 0; i < ifd_stepper_stages(stepper); i++)
                ifd_stepper_stage(stepper, i, h * (row * per + k), NULL, x);
        t.seconds += (busy() - begun) / END;
        watch(s->whole, x, t.u + (size_t)row * WATCHED);
    }
    return t;
}

/* h: between synchronisations. */
static track run_parts(scene *s, const char *coupling, ifd_step_options opt, double h, int ss,
                       ifd_constraint_drift drift, int threads)
{
    track t = new_track(s);
    bool wall = threads > 0; /* 0: one thread, processor time */
    ifd__coupled *c;
    ifd_note note;
    ifd_note_init(&note, s->arena);
    s->part[0] = (ifd_part_options){.name = "building", .model = s->piece[0], .step = opt, .coarse = true};
    s->part[1] = (ifd_part_options){.name = "mast", .model = s->piece[1], .step = opt, .subcycles = ss};
    s->couple.coupling = ifd_coupling_find(coupling);
    s->couple.h = h;
    s->couple.drift = drift;
    s->couple.threads = threads > 1 ? threads : 1;
    need(ifd__coupled_make(s->arena, &s->couple, &c, &note), &note, coupling);
    double *x = ifd_arena_array(s->arena, (size_t)c->size, sizeof *x);
    ifd__coupled_initial(c, x);
    ifd__coupled_start(c, 0.0, x);
    int per = (int)lround(COARSE / h);
    for (int row = 0; row < t.rows; row++) {
        double begun = wall ? now() : busy();
        for (int k = 0; k < per; k++)
            for (int tick = 0; tick < c->ticks; tick++)
                ifd__coupled_tick(c, tick, h * (row * per + k), x);
        double took = (wall ? now() : busy()) - begun;
        if (!wall)
            t.seconds += took / END;
        else if (row > 0) /* the first one includes the start of `parallel` */
            t.seconds = row == 1 ? took / COARSE : fmin(t.seconds, took / COARSE);
        watch(s->piece[1], x + c->member[1].at, t.u + (size_t)row * WATCHED);
    }
    ifd__coupled_close(c);
    return t;
}

static double error_of(const track *t, const track *exact)
{
    double most = 0.0, size = 0.0;
    for (int i = 0; i < t->rows * WATCHED; i++) {
        most = fmax(most, fabs(t->u[i] - exact->u[i]));
        size = fmax(size, fabs(exact->u[i]));
    }
    return most / size;
}

/* The single model with the step of equal error: its cost grows as 1/h, its error as h^2. */
static void compare(const char *name, const track *whole, const track *parts, const track *exact)
{
    double ew = error_of(whole, exact), ep = error_of(parts, exact);
    double even = whole->seconds * sqrt(ew / ep);
    printf("| %-38s | %8.3f | %9.2e | %8.3f | %9.2e | %5.2f | %5.2f |\n", name, whole->seconds, ew, parts->seconds,
           ep, whole->seconds / parts->seconds, even / parts->seconds);
}

static track best_parts(scene *s, const char *coupling, ifd_step_options opt, double h, int ss,
                        ifd_constraint_drift drift, int threads)
{
    track best = run_parts(s, coupling, opt, h, ss, drift, threads);
    for (int round = 1; round < ROUNDS; round++) {
        track t = run_parts(s, coupling, opt, h, ss, drift, threads);
        best.seconds = fmin(best.seconds, t.seconds);
    }
    return best;
}

static track best_whole(scene *s, ifd_step_options opt, double h)
{
    track best = run_whole(s, opt, h);
    for (int round = 1; round < ROUNDS; round++)
        best.seconds = fmin(best.seconds, run_whole(s, opt, h).seconds);
    return best;
}

static void bench_subcycling(scene *s)
{
    ifd_step_options mg = method("mg-alpha", NULL), plus = method("lsrt2", "plus"), minus = method("lsrt2", "minus");
    track exact = run_whole(s, mg, COARSE / 40), rough = run_whole(s, mg, COARSE);
    track whole_mg = best_whole(s, mg, COARSE / SS), whole_plus = best_whole(s, plus, COARSE / SS);
    track whole_minus = best_whole(s, minus, COARSE / SS), t;
    printf(
        "\nWhole with 1 ms against parts with 10 ms / 1 ms. Processor time per simulated second, error in the mast "
        "beside its largest displacement (reference:\nMG-alpha with 0.25 ms), ratio of times, and ratio at equal "
        "error.\n\n");
    printf("| %-38s | whole, s | error     | parts, s | error     | ratio | equal |\n|---|---|---|---|---|---|---|\n",
           "parts");
    t = best_parts(s, "pg-alpha", mg, COARSE, SS, IFD_DRIFT_NONE, 0);
    compare("PG-alpha; whole MG-alpha", &whole_mg, &t, &exact);
    t = best_parts(s, "staggered", plus, COARSE, SS, IFD_DRIFT_NONE, 0);
    compare("staggered, plus; whole LSRT2", &whole_plus, &t, &exact);
    t = best_parts(s, "staggered", minus, COARSE, SS, IFD_DRIFT_NONE, 0);
    compare("staggered, minus; whole LSRT2", &whole_minus, &t, &exact);
    t = best_parts(s, "staggered", plus, COARSE / 5, 2, IFD_DRIFT_PROJECT, 0);
    compare("staggered, plus, project, 2 ms / 1 ms", &whole_plus, &t, &exact);
    t = best_parts(s, "staggered", plus, COARSE, SS, IFD_DRIFT_PROJECT, 0);
    compare("staggered, plus, project", &whole_plus, &t, &exact);
    printf("\nThe whole with 10 ms: error in the mast %.2e.\n", error_of(&rough, &exact));
}

static void bench_threads(scene *s)
{
    static const struct {
        const char *coupling, *method, *gamma;
        double h;
    } row[] = {{"parallel", "lsrt2", "plus", 2.5e-3}, {"pg-alpha", "mg-alpha", NULL, 10e-3}};
    printf("\nOne thread against two, wall clock per simulated second in the quickest 10 ms.\n\n"
           "| coupling | ss | one, s | two, s | speed-up |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int ss = 10; ss <= 40; ss *= 2) {
            track t[2];
            for (int threads = 1; threads <= 2; threads++)
                t[threads - 1] = best_parts(s, row[i].coupling, method(row[i].method, row[i].gamma), row[i].h, ss,
                                            IFD_DRIFT_NONE, threads);
            bool same = memcmp(t[0].u, t[1].u, (size_t)t[0].rows * WATCHED * sizeof(double)) == 0;
            printf("| %s | %d | %.3f | %.3f | %.2f%s |\n", row[i].coupling, ss, t[0].seconds, t[1].seconds,
                   t[0].seconds / t[1].seconds, same ? "" : " (results differ!)");
        }
}

static void nothing(void *argument)
{
    (void)argument;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void bench_barrier(ifd_arena *arena)
{
    enum { TIMES = 4001 };
    ifd__worker *w;
    static double each[TIMES];
    need(ifd__worker_open(arena, 0, nothing, NULL, &w), NULL, "worker");
    for (int i = 0; i < TIMES; i++) {
        double begun = now();
        ifd__worker_begin(w);
        ifd__worker_wait(w, 1.0);
        each[i] = now() - begun;
    }
    ifd__worker_close(w);
    qsort(each, TIMES, sizeof *each, by_size);
    printf("\nHanding an empty job to the worker and collecting it: %.0f ns at best, %.0f ns in the median.\n",
           1e9 * each[0], 1e9 * each[TIMES / 2]);
}

/* Two chains of 240 masses with `rows` common dofs. */
static void bench_rows(ifd_arena *outer)
{
    (void)outer;
    static const int count[] = {1, 2, 5, 10, 20, 50, 100, 200};
    printf(
        "\nInterface problem: two chains of 240 masses joined by so many rows; seeing both parts and solving for the "
        "multipliers.\n\n| rows | see, ns | solve, ns |\n|---|---|---|\n");
    for (size_t i = 0; i < sizeof count / sizeof *count; i++) {
        ifd_arena *arena = ifd_arena_open();
        scene *s = ifd_arena_take(arena, sizeof *s);
        ifd_joint *joint = ifd_arena_array(arena, 200, sizeof *joint);
        ifd_joint_term *term = ifd_arena_array(arena, 400, sizeof *term);
        s->arena = arena;
        for (int p = 0; p < 2; p++) {
            ifd_builder *b = ifd_builder_make(arena);
            for (int k = 0; k < 240; k++) {
                int x = ifd_builder_dof(b, ifd_arena_print(arena, "x%d", k), IFD_DOF_X);
                ifd_builder_add(b, IFD_MASS, x, x, 1.0 + k % 3);
                ifd_builder_spring(b, IFD_STIFFNESS, x - 1, x, 1000.0);
                ifd_builder_initial(b, x, 0.01 * k, 0.0);
            }
            need(ifd_model_make(arena, b, &s->piece[p], NULL), NULL, "chain");
            s->part[p] =
                (ifd_part_options){.name = p ? "B" : "A", .model = s->piece[p], .step = method("lsrt2", "plus")};
        }
        for (int r = 0; r < count[i]; r++) {
            term[2 * r] = (ifd_joint_term){0, r, 1.0};
            term[2 * r + 1] = (ifd_joint_term){1, r, -1.0};
            joint[r] = (ifd_joint){.name = "row", .terms = 2, .term = term + 2 * r};
        }
        s->couple = (ifd_couple_options){.coupling = ifd_coupling_find("staggered"),
                                         .h = 1e-3,
                                         .parts = 2,
                                         .part = s->part,
                                         .joints = count[i],
                                         .joint = joint};
        ifd__coupled *c;
        need(ifd__coupled_make(arena, &s->couple, &c, NULL), NULL, "chains");
        double *x = ifd_arena_array(arena, (size_t)c->size, sizeof *x), best[2] = {1e9, 1e9};
        ifd__coupled_initial(c, x);
        ifd__coupled_start(c, 0.0, x);
        for (int round = 0; round < 9; round++) {
            enum { TIMES = 500 };
            double t[3] = {now()};
            for (int k = 0; k < TIMES; k++)
                for (int p = 0; p < 2; p++)
                    ifd__interface_see(&c->I, p, x + c->member[p].at, &c->sight[p]);
            t[1] = now();
            for (int k = 0; k < TIMES; k++)
                ifd__interface_solve(&c->I, 0.0, c->seen, c->seen, c->theta, x + c->lambda);
            t[2] = now();
            for (int j = 0; j < 2; j++)
                best[j] = fmin(best[j], (t[j + 1] - t[j]) / TIMES);
        }
        printf("| %d | %.0f | %.0f |\n", count[i], 1e9 * best[0], 1e9 * best[1]);
        ifd_arena_close(arena);
    }
}

int main(void)
{
    ifd_arena *arena = ifd_arena_open();
    scene *s = ifd_arena_take(arena, sizeof *s);
    s->arena = arena;
    ifd_builder *b = building(arena);
    cut_mast(s, b);
    need(ifd_model_make(arena, b, &s->whole, NULL), NULL, "whole");
    printf("Frame of %d dofs, cut into %d and %d, %d joint rows.\n", ifd_model_dofs(s->whole),
           ifd_model_dofs(s->piece[0]), ifd_model_dofs(s->piece[1]), s->couple.joints);
    bench_subcycling(s);
    bench_threads(s);
    bench_barrier(arena);
    bench_rows(arena);
    ifd_arena_close(arena);
    return 0;
}
