/* SPDX-License-Identifier: MIT */
/* Map of completion of the split-mass test: Chang's method, LSRT2 with either gamma, over step, lag of the actuator,
 * stiffness of the specimen and gain of the load cell, without compensation and limits.
 *
 *     bench_rig_map [cases/split-mass-rig/rig.yaml]
 *
 * Ticks of 0.1 ms: the load cell is read at the end of a tick with a held command, which reduces the damping by m w^2
 * dt / 2 (mass m on the rig, actuator of the angular rate w). A run completes if its last two seconds are below three
 * times the amplitude of the undivided structure. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/report.h>

enum { METHODS = 3, STEPS = 3, LAGS = 6, SPECIMENS = 4, GAINS = 3 };

static const char letter[] = "CMP";
static const char *const method[METHODS] = {"chang", "{lsrt2: {gamma: minus}}", "{lsrt2: {gamma: plus}}"};
static const int stages[METHODS] = {1, 2, 2};
static const double step[STEPS] = {2, 5, 10};                      /* ms */
static const double lag[LAGS] = {4, 7, 10, 13, 16, 20};            /* ms */
static const double specimen[SPECIMENS] = {300, 1000, 2000, 2458}; /* N/m */
static const double gain[GAINS] = {0.9, 1.0, 1.1};

typedef struct point {
    int method;
    double step, lag, stiffness, gain;
} point;

static double amplitude(double stiffness)
{
    const double m = 7.2, c = 20, k = 100 + stiffness, w = 6 * 3.14159265358979324, load = 10;
    return load / hypot(k - m * w * w, c * w);
}

static ifd_case *read_point(ifd_arena *arena, const char *path, const point *p, ifd_note *note)
{
    const double tick = 0.1; /* ms */
    char text[7][200];
    const char *set[9] = {[7] = "specimen.0.compensation=none", [8] = "specimen.0.position-sensor={}"};
    ifd_case *c = NULL;
    snprintf(text[0], sizeof text[0], "method=%s", method[p->method]);
    snprintf(text[1], sizeof text[1], "time.step=%g ms", p->step);
    snprintf(text[2], sizeof text[2], "test={ticks-per-stage: %g, limits: observe}",
             p->step / stages[p->method] / tick);
    snprintf(text[3], sizeof text[3], "specimen.0.spring.stiffness=%g", p->stiffness);
    snprintf(text[4], sizeof text[4],
             "specimen.0.actuator={second-order: {frequency: %.9g, damping-ratio: 0.7, mass: 1.8}}",
             1400 / (2 * 3.14159265358979324 * p->lag));
    snprintf(text[5], sizeof text[5], "specimen.0.force-sensor={gain: %g}", p->gain);
    snprintf(text[6], sizeof text[6], "specimen.0.limits={stroke: 1000, velocity: 1e4, acceleration: 1e6}");
    for (int i = 0; i < 7; i++)
        set[i] = text[i];
    return ifd_case_read(arena, path, 9, set, &c, note) == IFD_OK ? c : NULL;
}

/* A record without this column is an error here. */
static int column_of(int columns, const ifd_column *column, const char *name)
{
    for (int i = 0; i < columns; i++)
        if (strcmp(column[i].name, name) == 0)
            return i;
    fprintf(stderr, "no column '%s'\n", name);
    exit(1);
}

/* Whether the test completes; prints an error for a case that cannot be made. */
static bool completes(const char *path, const point *p)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_hybrid *h = NULL;
    double peak = HUGE_VAL;
    ifd_note_init(&note, arena);
    ifd_case *c = read_point(arena, path, p, &note);
    if (c && ifd_hybrid_make(arena, c->test, &h, &note) == IFD_OK) {
        ifd_ticked t = ifd_hybrid_ticked(h);
        int columns = 0;
        const ifd_column *column = ifd_hybrid_columns(h, &columns);
        int time = column_of(columns, column, "simulated time"), wanted = column_of(columns, column, "spring target");
        double most = 3 * amplitude(p->stiffness), end = c->run.end;
        peak = 0;
        for (ifd_run_state s = IFD_RUN_GOING; s == IFD_RUN_GOING && peak < 100 * most;) {
            s = t.tick(t.self, &(ifd_tick_in){.order = IFD_ORDER_NONE});
            const double *v = t.values(t.self);
            if (v[time] > end - 2 || fabs(v[wanted]) > 100 * most)
                peak = fmax(peak, fabs(v[wanted]));
        }
        peak = ifd_hybrid_trip(h).trip == IFD_TRIP_NONE ? peak / most : HUGE_VAL;
        ifd_hybrid_close(h);
    } else
        ifd_note_print(&note, stderr, false);
    ifd_arena_close(arena);
    return peak < 1;
}

static int count[1 << METHODS];

static void cell(const char *path, double h, double stiffness, double g, double tau)
{
    char text[METHODS + 1] = "";
    int all = 0;
    for (int m = 0; m < METHODS; m++) {
        bool ok = completes(path, &(point){m, h, tau, stiffness, g});
        text[m] = ok ? letter[m] : '-';
        all |= ok << m;
    }
    count[all]++;
    printf("  %s", text);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "cases/split-mass-rig/rig.yaml";
    printf("C: Chang completes, M: LSRT2 gamma minus, P: LSRT2 gamma plus\n\n%-26s", "step  specimen  load cell");
    for (int i = 0; i < LAGS; i++)
        printf("%3g ms", lag[i]);
    for (int a = 0; a < STEPS; a++)
        for (int b = 0; b < SPECIMENS; b++)
            for (int g = 0; g < GAINS; g++) {
                printf("\n%2g ms %5g N/m  %4.0f %%  ", step[a], specimen[b], 100 * gain[g]);
                for (int i = 0; i < LAGS; i++)
                    cell(path, step[a], specimen[b], gain[g], lag[i]);
                fflush(stdout);
            }
    printf("\n\n%-20s %s\n", "completed by", "points");
    for (int i = 0; i < 1 << METHODS; i++)
        if (count[i])
            printf("%c%c%c %20d\n", i & 1 ? 'C' : '-', i & 2 ? 'M' : '-', i & 4 ? 'P' : '-', count[i]);
    return 0;
}
