/* SPDX-License-Identifier: MIT */
/* Complete LSRT2 steps: cost of a frame per step, its growth with size, the cost of hysteretic elements, the gain by
 * a factor in single precision, the largest frames whose step takes 1 ms and 20 ms, and the step of superelements.
 * `bench_step sizes`, `jacobians`, `factor`, `capacity` and `reduced` measure one of these only; a number after the
 * last two selects one of their rows.
 *
 * The bytes of a step are two solves of two sweeps over the true nonzeros of L, 8 bytes each. */
#include <interfield/method.h>
#include <interfield/structures.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/solver.h"
#include "measure.h"
#include "method/stepper.h"
#include "model/model.h"

enum { ROUNDS = 60 }; /* many short rounds: on a shared machine the best one is undisturbed */

typedef struct size {
    const char *name;
    bool planar;
    int bays_x, bays_y, storeys, hysteretic;
    int order; /* of a superelement with the six dofs of one node as interface; 0: the full model */
} size;

static const size sizes[] = {{"planar, 3 bays, 10 storeys", true, 3, 0, 10, 0, 0},
                             {"3-D, 4 x 4 bays, 10 storeys", false, 4, 4, 10, 0, 0},
                             {"3-D, 7 x 7 bays, 13 storeys", false, 7, 7, 13, 0, 0},
                             {"the same, 100 hysteretic", false, 7, 7, 13, 100, 0},
                             {"3-D, 12 x 12 bays, 20 storeys", false, 12, 12, 20, 0, 0}};

/* A Bouc-Wen spring between two dofs. */
static void add_brace(ifd_builder *b, int number, const int ref[2])
{
    const ifd_element_ops *ops = ifd_element_find("bouc-wen");
    ifd_value v[16];
    char label[32];
    ifd_param_preset(ops->params, v);
    v[ifd_param_find(ops->params, "stiffness")] = ifd_number(2e7);
    v[ifd_param_find(ops->params, "beta")] = ifd_number(500.0);
    v[ifd_param_find(ops->params, "gamma")] = ifd_number(500.0);
    const double coefficient[] = {-1.0, 1.0};
    int fixed = ref[0] == IFD_GROUND;
    const ifd_coordinate q = {.count = 2 - fixed, .ref = ref + fixed, .coefficient = coefficient + fixed};
    snprintf(label, sizeof label, "brace%d", number);
    if (ifd_builder_element(b, ops, label, &(ifd_coordinates){1, &q}, v, NULL) != IFD_OK)
        exit(2);
}

/* Between dofs x of adjacent storeys, evenly distributed. */
static void add_braces(ifd_builder *b, const size *s)
{
    int columns = (s->bays_x + 1) * (s->bays_y + 1), all = columns * (s->storeys - 1);
    for (int k = 0; k < s->hysteretic; k++) {
        int at = (int)((long)k * all / s->hysteretic), c = at % columns, z = 1 + at / columns, ref[2];
        char name[64];
        for (int e = 0; e < 2; e++) {
            snprintf(name, sizeof name, "s%dx%dy%d.x", z + e, 1 + c % (s->bays_x + 1), 1 + c / (s->bays_x + 1));
            if (!ifd_builder_find(b, name, &ref[e]))
                exit(2);
        }
        add_brace(b, k, ref);
    }
}

/* The frame becomes a superelement. Its Bouc-Wen springs, from the ground, are outside it. */
static void reduce(ifd_builder *b, const size *s)
{
    static const char *const kinds[] = {"x", "y", "z", "rx", "ry", "rz"};
    enum { INTERFACES = sizeof kinds / sizeof *kinds };
    int interface[INTERFACES];
    ifd_reduction how;
    ifd_reduction_defaults(&how);
    for (int i = 0; i < INTERFACES; i++) {
        char name[64];
        snprintf(name, sizeof name, "s%dx%dy%d.%s", s->storeys / 2, s->bays_x / 2, s->bays_y / 2, kinds[i]);
        if (!ifd_builder_find(b, name, &interface[i]))
            exit(2);
    }
    for (int i = 0; i < s->hysteretic && i < 3; i++)
        add_brace(b, i, (const int[]){IFD_GROUND, interface[i]});
    ifd_builder_rayleigh(b, 0.3, 6e-4);
    how.order = s->order;
    how.interfaces = INTERFACES;
    how.interface = interface;
    ifd_builder_reduce(b, &how);
}

static ifd_model *frame_model(ifd_arena *arena, const size *s)
{
    ifd_grid grid;
    ifd_grid_defaults(&grid);
    grid.planar = s->planar;
    grid.bays_x = s->bays_x;
    grid.bays_y = s->bays_y;
    grid.storeys = s->storeys;
    grid.column = ifd_section_rectangle(0.5, 0.5);
    grid.beam = ifd_section_rectangle(0.3, 0.6);
    ifd_frame frame;
    ifd_builder *b = ifd_builder_make(arena);
    ifd_model *m = NULL;
    if (ifd_frame_grid(arena, &grid, &frame, NULL) != IFD_OK || ifd_builder_frame(b, &frame, NULL) != IFD_OK)
        exit(2);
    if (s->order)
        reduce(b, s);
    else if (s->hysteretic)
        add_braces(b, s);
    if (!s->order)
        ifd_builder_initial(b, 0, 1e-3, 0.1);
    if (ifd_model_make(arena, b, &m, NULL) != IFD_OK)
        exit(2);
    return m;
}

/* Time of a step, mean of `steps`. */
static double time_round(const ifd_stepper *s, double *x, int steps)
{
    double start = now();
    for (int k = 0; k < steps; k++)
        for (int i = 0; i < ifd_stepper_stages(s); i++)
            ifd_stepper_stage(s, i, 1e-3 * k, NULL, x);
    return (now() - start) / steps;
}

/* Best time of a step over several rounds. */
static double time_steps(const ifd_stepper *s, double *x, int steps)
{
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++)
        best = fmin(best, time_round(s, x, steps));
    return best;
}

/* Read bandwidth over `count` doubles, best of several. */
static double bandwidth(long count)
{
    size_t room = ((size_t)count + 31) & ~(size_t)31;
    double *a = aligned_alloc(64, room * sizeof *a), best = 0.0, total = 0.0;
    int repeats = (int)(500000 / count) + 1;
    if (!a)
        exit(2);
    for (size_t i = 0; i < room; i++)
        a[i] = 1.0;
    for (int round = 0; round < ROUNDS; round++) {
        double t0 = now();
        for (int r = 0; r < repeats; r++)
            total += sum(room, a);
        double rate = 8.0 * (double)room * repeats / (now() - t0);
        best = rate > best ? rate : best;
    }
    free(a);
    if (total != (double)ROUNDS * repeats * (double)room) /* also prevents the compiler from removing the sums */
        exit(2);
    return best;
}

static long factor_nonzeros(const ifd_model *m, double h)
{
    /* The matrix of the step, M + c C + c^2 K, factorised again only for counting. */
    ifd_arena *arena = ifd_arena_open();
    double c = 0.29289321881345247560 * h;
    ifd_sparse S;
    ifd_solver *solver;
    if (ifd__sparse_add(arena, 1.0, &m->M, c * c, &m->K, &S) != IFD_OK ||
        ifd__solver_make(arena, &S, IFD__SOLVER_AUTO, &solver, NULL) != IFD_OK)
        exit(2);
    long n = ifd__solver_facts_of(solver).nonzeros;
    ifd_arena_close(arena);
    return n;
}

static void sizes_table(void)
{
    printf("LSRT2, h = 1 ms\n%-30s %7s %10s %9s %9s %8s %7s %7s %8s\n", "frame", "dofs", "nnz(L)", "set-up ms",
           "us/step", "GB/s", "% read", "slope", "memory MB");
    double last_time = 0.0, linear = 0.0;
    int last_n = 0;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        ifd_arena *arena = ifd_arena_open();
        ifd_model *m = frame_model(arena, &sizes[k]);
        ifd_step_options opt;
        ifd_step_options_defaults(ifd_method_find("lsrt2"), 1e-3, &opt);
        ifd_stepper *s;
        double t0 = now();
        if (ifd_stepper_make(arena, &opt, m, &s, NULL) != IFD_OK)
            exit(2);
        double setup = now() - t0;
        double *x = ifd_arena_array(arena, (size_t)ifd_stepper_size(s), sizeof *x);
        ifd_stepper_initial(s, x);
        ifd_stepper_start(s, 0.0, NULL, x);
        int n = ifd_model_dofs(m), steps = n < 500 ? 1000 : n < 3000 ? 40 : n < 10000 ? 8 : 2;
        double each = time_steps(s, x, steps);
        long nnz = factor_nonzeros(m, 1e-3);
        double rate = 4.0 * 8.0 * (double)nnz / each;
        printf("%-30s %7d %10ld %9.1f %9.2f %8.1f %6.0f%%", sizes[k].name, n, nnz, 1e3 * setup, 1e6 * each,
               1e-9 * rate, 100.0 * rate / bandwidth(nnz));
        if (sizes[k].hysteretic)
            printf(" %7s %8.1f   %.2f x the linear step\n", "", 1e-6 * (double)ifd_arena_used(arena), each / linear);
        else if (last_n)
            printf(" %7.2f %8.1f\n", log(each / last_time) / log((double)n / last_n),
                   1e-6 * (double)ifd_arena_used(arena));
        else
            printf(" %7s %8.1f\n", "", 1e-6 * (double)ifd_arena_used(arena));
        if (!sizes[k].hysteretic) {
            last_time = linear = each;
            last_n = n;
        }
        ifd_arena_close(arena);
    }
}

typedef struct stepped {
    ifd_stepper *stepper;
    double *x, best; /* state; s, best time of a step so far */
    int steps;       /* in a round */
} stepped;

/* The frame with this Jacobian and the factor in this precision. */
static stepped stepped_frame(ifd_arena *arena, const size *s, const char *jacobian, const char *factor)
{
    stepped out = {.best = 1e30};
    ifd_model *m = frame_model(arena, s);
    ifd_step_options opt;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 1e-3, &opt);
    ifd_step_options_set(&opt, "jacobian", ifd_word(jacobian));
    ifd_step_options_set(&opt, "factor", ifd_word(factor));
    if (ifd_stepper_make(arena, &opt, m, &out.stepper, NULL) != IFD_OK)
        exit(2);
    out.x = ifd_arena_array(arena, (size_t)ifd_stepper_size(out.stepper), sizeof *out.x);
    ifd_stepper_initial(out.stepper, out.x);
    ifd_stepper_start(out.stepper, 0.0, NULL, out.x);
    bool slow = s->hysteretic && (strcmp(jacobian, "exact") == 0 || strcmp(jacobian, "refactor") == 0);
    out.steps = slow || ifd_model_dofs(m) > 15000 ? 2 : 8;
    return out;
}

/* Braces that the last step updated. */
static int updated(const stepped *b)
{
    int rows, active = 0;
    const ifd_state_row *row = ifd_stepper_states(b->stepper, &rows);
    for (int k = 0; k < rows; k++)
        for (int e = 0; strcmp(row[k].name, "tangent.active") == 0 && e < row[k].count; e++)
            active += b->x[row[k].offset + e] != 0.0;
    return active;
}

enum { WARM = 60 };                            /* steps until most braces have yielded */
static const double SPEED = 6.0, YIELD = 1e-3; /* m/s of the roof; m: 1 / (beta + gamma) of a brace */

/* Every storey moves along x in proportion to its height, until braces yield. */
static void push(stepped *b, const size *s)
{
    const ifd_model *m = b->stepper->model;
    for (int i = 0; i < m->n; i++)
        if (m->dof_kind[i] == IFD_DOF_X)
            b->x[m->n + i] = SPEED * atoi(m->dof_name[i] + 1) / s->storeys;
    time_round(b->stepper, b->x, WARM);
}

/* Braces deformed by more than the yield displacement. */
static int yielded(const stepped *b)
{
    const ifd_model *m = b->stepper->model;
    int count = 0;
    for (int q = 0; q < m->nq; q++) {
        double sum = 0.0;
        for (int k = m->b_start[q]; k < m->b_start[q + 1]; k++)
            sum += m->b_value[k] * b->x[m->b_dof[k]];
        count += fabs(sum) > YIELD;
    }
    return count;
}

/* Each row alternates with the linear step, so that other work of the machine disturbs both. False: few braces
 * yield, and the times are not those of a moving structure. */
static bool jacobian_table(void)
{
    bool good = true;
    static const struct {
        int braces;
        const char *jacobian;
    } rows[] = {{500, "exact"},    {500, "frozen"},    {500, "bounded"},  {500, "refactor"},  {1000, "frozen"},
                {1000, "bounded"}, {1000, "refactor"}, {2000, "bounded"}, {2000, "refactor"}, {0, "exact"}};
    printf("\nBouc-Wen braces in 3-D, 7 x 7 bays, 13 storeys, LSRT2, h = 1 ms\n%8s %-10s %9s %9s %8s %8s %s\n",
           "braces", "jacobian", "us/step", "linear us", "updated", "yielded", "of the linear step");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ifd_arena *arena = ifd_arena_open();
        size s = {.bays_x = 7, .bays_y = 7, .storeys = 13};
        stepped both[2] = {stepped_frame(arena, &s, "exact", "double")};
        s.hysteretic = rows[k].braces;
        both[1] = stepped_frame(arena, &s, rows[k].jacobian, "double");
        for (int i = 0; i < 2; i++)
            push(&both[i], &s);
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < 2; i++)
                both[i].best = fmin(both[i].best, time_round(both[i].stepper, both[i].x, both[i].steps));
        int moved = yielded(&both[1]);
        printf("%8d %-10s %9.1f %9.1f %8d %8d %.2f\n", rows[k].braces, rows[k].jacobian, 1e6 * both[1].best,
               1e6 * both[0].best, updated(&both[1]), moved, both[1].best / both[0].best);
        good = good && 2 * moved >= rows[k].braces;
        ifd_arena_close(arena);
    }
    if (!good)
        puts("few braces yield");
    return good;
}

/* Largest difference of u relative to its largest value. */
static double difference(int n, const double *x, const double *y)
{
    double most = 0.0, largest = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        largest = fmax(largest, fabs(x[i]));
    }
    return most / largest;
}

/* Both precisions alternate, with the same steps. */
static void factor_table(void)
{
    static const size rows[] = {{.bays_x = 7, .bays_y = 7, .storeys = 13},
                                {.bays_x = 7, .bays_y = 7, .storeys = 13, .hysteretic = 100},
                                {.bays_x = 10, .bays_y = 10, .storeys = 14},
                                {.bays_x = 12, .bays_y = 12, .storeys = 20},
                                {.bays_x = 16, .bays_y = 16, .storeys = 23}};
    printf("\nFactor in double and in single precision, LSRT2, h = 1 ms\n%7s %7s %10s %10s %6s %11s\n", "dofs",
           "braces", "double us", "single us", "ratio", "difference");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        ifd_arena *arena = ifd_arena_open();
        stepped both[] = {stepped_frame(arena, &rows[k], "frozen", "double"),
                          stepped_frame(arena, &rows[k], "frozen", "single")};
        for (int round = 0; round < ROUNDS; round++)
            for (int i = 0; i < 2; i++)
                both[i].best = fmin(both[i].best, time_round(both[i].stepper, both[i].x, both[i].steps));
        int n = ifd_model_dofs(ifd_stepper_model(both[0].stepper));
        if (ifd_stepper_fault(both[1].stepper, both[1].x) != IFD_STEP_OK)
            exit(2);
        printf("%7d %7d %10.1f %10.1f %6.2f %11.1e\n", n, rows[k].hysteretic, 1e6 * both[0].best, 1e6 * both[1].best,
               both[0].best / both[1].best, difference(n, both[0].x, both[1].x));
        ifd_arena_close(arena);
    }
}

/* A method and its settings, and the sizes between which the capacity is interpolated. */
static const struct {
    const char *method, *jacobian, *factor;
    int braces; /* of 100 dofs; reduced: 3 springs on the interface */
    int order;  /* of a superelement; 0: full */
} capacities[] = {
    {"lsrt1", "exact", "double", 0, 0},  {"lsrt2", "exact", "double", 0, 0},   {"lsrt2", "exact", "single", 0, 0},
    {"newmark", NULL, NULL, 0, 0},       {"mg-alpha", NULL, NULL, 0, 0},       {"lsrt2", "frozen", "double", 2, 0},
    {"lsrt2", "frozen", "single", 2, 0}, {"lsrt2", "bounded", "double", 2, 0}, {"newmark", NULL, NULL, 2, 0},
    {"mg-alpha", NULL, NULL, 2, 0},      {"lsrt2", "exact", "double", 0, 405}, {"lsrt2", "exact", "double", 2, 405},
    {"mg-alpha", NULL, NULL, 0, 405},    {"mg-alpha", NULL, NULL, 2, 405}};

enum { ROWS = sizeof capacities / sizeof *capacities, FULL_ROWS = ROWS - 4 };

static double time_capacity(int row, size s)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_step_options opt;
    ifd_stepper *stepper;
    int dofs = 6 * (s.bays_x + 1) * (s.bays_y + 1) * s.storeys;
    s.hysteretic = capacities[row].braces * dofs / 100;
    s.order = capacities[row].order;
    ifd_model *m = frame_model(arena, &s);
    ifd_step_options_defaults(ifd_method_find(capacities[row].method), 1e-3, &opt);
    if (capacities[row].jacobian) {
        ifd_step_options_set(&opt, "jacobian", ifd_word(capacities[row].jacobian));
        ifd_step_options_set(&opt, "factor", ifd_word(capacities[row].factor));
    }
    if (ifd_stepper_make(arena, &opt, m, &stepper, NULL) != IFD_OK)
        exit(2);
    double *x = ifd_arena_array(arena, (size_t)ifd_stepper_size(stepper), sizeof *x), best = 1e30;
    ifd_stepper_initial(stepper, x);
    ifd_stepper_start(stepper, 0.0, NULL, x);
    for (int round = 0; round < 12; round++)
        best = fmin(best, time_round(stepper, x, s.order ? 500 : dofs < 10000 ? 4 : 1));
    ifd_arena_close(arena);
    return best;
}

/* Dofs whose step takes `budget`, on the line between two sizes in logarithms; 0: not between the sizes. */
static double dofs_at(double budget, int sizes_, const double *dofs, const double *time)
{
    for (int k = 1; k < sizes_; k++)
        if (time[k - 1] <= budget && budget < time[k])
            return dofs[k - 1] * pow(dofs[k] / dofs[k - 1], log(budget / time[k - 1]) / log(time[k] / time[k - 1]));
    return 0.0;
}

/* Largest frames in space whose step takes 1 ms and 20 ms on one core; reduced: the step of their superelements,
 * which does not depend on the frame. only: row of the list; -1: all. */
static void capacity_table(bool reduced, int only)
{
    static const size frames[] = {{.bays_x = 7, .bays_y = 7, .storeys = 13},
                                  {.bays_x = 10, .bays_y = 10, .storeys = 14},
                                  {.bays_x = 12, .bays_y = 12, .storeys = 20},
                                  {.bays_x = 16, .bays_y = 16, .storeys = 23},
                                  {.bays_x = 20, .bays_y = 20, .storeys = 25}};
    enum { FRAMES = sizeof frames / sizeof *frames, REDUCED_FRAMES = 3 };
    const int count = reduced ? REDUCED_FRAMES : FRAMES;
    printf("\nCapacity of one core, frames in space\n%-9s %-7s %-7s %7s %5s", "method", "jac.", "factor", "braces",
           "order");
    for (int k = 0; k < count; k++)
        printf(" %7d us", 6 * (frames[k].bays_x + 1) * (frames[k].bays_y + 1) * frames[k].storeys);
    printf(" %6s %9s %9s\n", "slope", "at 1 ms", "at 20 ms");
    for (int row = reduced ? FULL_ROWS : 0; row < (reduced ? ROWS : FULL_ROWS); row++) {
        double dofs[FRAMES], time[FRAMES];
        const char *jacobian = capacities[row].jacobian, *factor = capacities[row].factor;
        if (only >= 0 && row != only)
            continue;
        printf("%-9s %-7s %-7s %5d %% %5d", capacities[row].method, jacobian ? jacobian : "", factor ? factor : "",
               capacities[row].braces, capacities[row].order);
        for (int k = 0; k < count; k++) {
            dofs[k] = 6 * (frames[k].bays_x + 1) * (frames[k].bays_y + 1) * frames[k].storeys;
            time[k] = time_capacity(row, frames[k]);
            printf(" %10.*f", reduced ? 1 : 0, 1e6 * time[k]);
            fflush(stdout);
        }
        printf(" %6.2f %9.0f %9.0f\n", log(time[count - 1] / time[0]) / log(dofs[count - 1] / dofs[0]),
               dofs_at(1e-3, count, dofs, time), dofs_at(20e-3, count, dofs, time));
    }
}

int main(int count, char **word)
{
    const char *only = count > 1 ? word[1] : "";
    if (!*only || strcmp(only, "sizes") == 0)
        sizes_table();
    bool good = (*only && strcmp(only, "jacobians") != 0) || jacobian_table();
    if (!*only || strcmp(only, "factor") == 0)
        factor_table();
    int row = count > 2 ? atoi(word[2]) : -1;
    if (!*only || strcmp(only, "capacity") == 0)
        capacity_table(false, row);
    if (!*only || strcmp(only, "reduced") == 0)
        capacity_table(true, row);
    return good ? 0 : 1;
}
