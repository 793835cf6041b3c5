/* SPDX-License-Identifier: MIT */
/* What loads, checks and record add to the bare step of a run: the planar frame of 120 dofs, 3 bays x 10 storeys, and
 * a frame in space of 4,992 dofs, both with consistent mass and ground motion, LSRT2.
 *
 * step      the stages of the method alone, with the ground motion
 * tick      the same as a run: checks, energy balance, values of the columns
 * recorded  the same, and every row written to result.h5
 *
 * All rows of a frame are measured in turns, the best of many short rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/method.h>
#include <interfield/result.h>

#include "measure.h"
#include "scratch.h"

static char folder[SCRATCH_PATH];

static const char frame_text[] =
    "title: frame\n"
    "time: {step: 2 ms, end: 1e6 s}\n"
    "method: lsrt2\n"
    "ground: {motion: kanai-tajimi, peak: 1 g}\n"
    "model:\n"
    "  frame:\n"
    "    dimension: %d\n"
    "    material: {young: 30 GPa, density: 2548 kg/m3}\n"
    "    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"
    "    grid: {%s, columns: column, beams: beam}\n"
    "record: [%s]\n";

typedef struct row {
    const char *name, *record;
    bool kept; /* rows are written */
    ifd_arena *arena;
    ifd_run *run;
    ifd_result *result;
    double best;
} row;

typedef struct frame {
    const char *name, *grid, *dofs;
    int dimension;
    int steps, rounds;
} frame;

static const frame frames[] = {
    {"planar, 120 dofs", "bays: 3 x 6 m, storeys: 10 x 3 m", "s10c1.x, s5c1.x, s1c1.x", 2, 1000, 100},
    {"in space, 4,992 dofs", "bays: 7 x 6 m, bays-y: 7 x 6 m, storeys: 13 x 3 m", "s13x1y1.x, s6x1y1.x, s1x1y1.x", 3,
     8, 60}};

static int fail(const char *what)
{
    fprintf(stderr, "bench_run: %s\n", what);
    exit(1);
}

static const ifd_case *read_case(const frame *f, row *r, int number)
{
    char path[SCRATCH_PATH + 40], list[200];
    ifd_case *c;
    ifd_note note;
    ifd_note_init(&note, r->arena);
    snprintf(path, sizeof path, "%s/%d.yaml", folder, number);
    snprintf(list, sizeof list, "%s, %s", r->record, f->dofs);
    FILE *out = fopen(path, "w");
    if (!out || fprintf(out, frame_text, f->dimension, f->grid, list) < 0 || fclose(out) != 0)
        fail("a case could not be written");
    if (ifd_case_read(r->arena, path, 0, NULL, &c, &note) != IFD_OK)
        fail(note.first ? note.first->text : "no memory");
    return c;
}

static void make(const frame *f, row *r, int number)
{
    char path[SCRATCH_PATH + 40];
    ifd_note note;
    r->arena = ifd_arena_open();
    ifd_note_init(&note, r->arena);
    r->best = 1e30;
    const ifd_case *c = read_case(f, r, number);
    snprintf(path, sizeof path, "%s/%s-%d", folder, "out", number);
    if (ifd_run_make(r->arena, &c->run, &r->run, &note) != IFD_OK ||
        (r->kept && ifd_result_open(r->arena, path, c, r->run, &r->result, &note) != IFD_OK))
        fail(note.first ? note.first->text : "no memory");
}

static void measure(row *r, int steps)
{
    double t0 = now();
    for (int k = 0; k < steps; k++) {
        if (ifd_run_tick(r->run) != IFD_RUN_GOING)
            fail("the run ended");
        if (r->kept && ifd_result_append(r->result, ifd_run_values(r->run)) != IFD_OK)
            fail("a row could not be written");
    }
    double each = (now() - t0) / steps;
    r->best = each < r->best ? each : r->best;
}

typedef struct bare {
    ifd_arena *arena;
    ifd_stepper *s;
    double *x, best;
    long done;
} bare;

static void make_bare(const frame *f, bare *b)
{
    row r = {.record = "displacement", .arena = b->arena = ifd_arena_open()};
    const ifd_case *c = read_case(f, &r, 99);
    if (ifd_stepper_make(b->arena, &c->run.step, c->run.model, &b->s, NULL) != IFD_OK)
        fail("no stepper");
    b->x = ifd_arena_array(b->arena, (size_t)ifd_stepper_size(b->s), sizeof *b->x);
    ifd_stepper_initial(b->s, b->x);
    ifd_stepper_start(b->s, 0.0, NULL, b->x);
    b->best = 1e30;
}

static void measure_bare(bare *b, int steps)
{
    double t0 = now();
    for (int k = 0; k < steps; k++, b->done++)
        for (int i = 0; i < 2; i++)
            ifd_stepper_stage(b->s, i, 2e-3 * (double)b->done, NULL, b->x);
    double each = (now() - t0) / steps;
    b->best = each < b->best ? each : b->best;
}

static void table(const frame *f, int first)
{
    row rows[] = {{.name = "tick, 3 displacements and velocities", .record = "displacement, velocity"},
                  {.name = "the same with energies", .record = "displacement, velocity, energy"},
                  {.name = "the same, recorded", .record = "displacement, velocity, energy", .kept = true},
                  {.name = "tick, 3 accelerations", .record = "acceleration"},
                  {.name = "the same, recorded", .record = "acceleration", .kept = true}};
    enum { ROWS = sizeof rows / sizeof *rows };
    bare b = {0};
    make_bare(f, &b);
    for (int k = 0; k < ROWS; k++)
        make(f, &rows[k], first + k);
    for (int round = 0; round < f->rounds; round++) {
        measure_bare(&b, f->steps);
        for (int k = 0; k < ROWS; k++)
            measure(&rows[k], f->steps);
    }
    printf("\n%s\n%-40s %9s %s\n%-40s %9.2f\n", f->name, "", "us/step", "of the bare step", "bare step",
           1e6 * b.best);
    for (int k = 0; k < ROWS; k++) {
        printf("%-40s %9.2f %.2f\n", rows[k].name, 1e6 * rows[k].best, rows[k].best / b.best);
        if (rows[k].result)
            (void)ifd_result_close(rows[k].result, &(ifd_timing){0}, NULL);
        ifd_run_close(rows[k].run);
        ifd_arena_close(rows[k].arena);
    }
    ifd_arena_close(b.arena);
}

int main(void)
{
    if (!scratch_make(folder))
        fail("no folder to work in");
    for (size_t k = 0; k < sizeof frames / sizeof *frames; k++)
        table(&frames[k], (int)(10 * k));
    scratch_remove(folder);
    return 0;
}
