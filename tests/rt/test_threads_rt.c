/* SPDX-License-Identifier: MIT */
/* time: {threads: N} of a case: the threads exist, they and the tick allocate nothing, and every recorded number is
 * that of one thread, bit by bit. */
#include "check.h"

#include <dirent.h>
#include <string.h>

#include <interfield/case.h>

#include "algebra/team.h"
#include "alloc_count.h"

enum { COLUMNS = 64, STEPS = 60 };

/* A frame in space of 5,184 dofs; the second case corrects each solution for its braces between two halves. */
#define FRAME                                                                                                        \
    "time: {step: 1 ms, end: 60 ms}\n"                                                                               \
    "ground: {signal: {sine: {amplitude: 0.3 g, frequency: 20 Hz}}}\n"                                               \
    "record: [energy, s12x1y1.x, s12x1y1.y, s12x7y7.x, s7x3y4.x, s7x3y4.rz, s1x9y8.x]\n"                             \
    "model:\n"                                                                                                       \
    "  frame:\n"                                                                                                     \
    "    dimension: 3\n"                                                                                             \
    "    material: {young: 30 GPa, density: 2500 kg/m3}\n"                                                           \
    "    sections: {column: {width: 0.5 m, depth: 0.5 m}, beam: {width: 0.3 m, depth: 0.6 m}}\n"                     \
    "    grid: {bays: 8 x 6 m, bays-y: 7 x 6 m, storeys: 12 x 3 m, columns: column, beams: beam}\n"
static const char *const cases[] = {
    FRAME "method: lsrt2\n",
    FRAME "  elements:\n"
          "    - {name: brace 1, steel: {at: s1x1y1.x, stiffness: 90 MN/m, yield-force: 5 kN, hardening: 0.02}}\n"
          "    - {name: brace 2, steel: {at: s1x5y5.x, stiffness: 90 MN/m, yield-force: 5 kN, hardening: 0.02}}\n"
          "method: {lsrt2: {jacobian: bounded}}\n"};

static int threads_of_this_process(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (const struct dirent *e; (e = readdir(tasks));)
        count += e->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* Runs a case to its end; returns the number of values and the number of its threads in *threads. */
static size_t run(const char *text, const char *set, double *values, int *threads)
{
    ifd_case *c;
    ifd_run *r;
    ifd_note note;
    ifd_arena *arena = ifd_arena_open();
    ifd_note_init(&note, arena);
    const ifd_case_source source = {.path = "frame.yaml", .text = text, .sets = 1, .set = &set};
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_OK);
    int before = threads_of_this_process(), columns;
    assert_int_equal(ifd_run_make(arena, &c->run, &r, &note), IFD_OK);
    *threads = threads_of_this_process() - before;
    ifd_run_columns(r, &columns);
    assert_in_range(columns, 7, COLUMNS);
    ifd_arena_seal(arena);
    size_t count = 0;
    long elsewhere = alloc_elsewhere();
    ifd_run_state state;
    alloc_arm();
    do {
        state = ifd_run_tick(r);
        if (ifd_run_fresh(r) && count < COLUMNS * STEPS) {
            memcpy(values + count, ifd_run_values(r), (size_t)columns * sizeof *values);
            count += (size_t)columns;
        }
    } while (state == IFD_RUN_GOING);
    assert_int_equal(alloc_disarm(), 0);
    assert_int_equal(alloc_elsewhere() - elsewhere, 0);
    assert_int_equal(state, IFD_RUN_DONE);
    assert_int_equal(count, (size_t)columns * STEPS);
    ifd_run_close(r);
    ifd_arena_close(arena);
    return count;
}

TEST(shared_solutions_take_no_memory_and_keep_every_bit)
{
    static double one[COLUMNS * (STEPS + 1)], two[COLUMNS * (STEPS + 1)];
    for (size_t k = 0; k < COUNT(cases); k++) {
        int threads;
        size_t count = run(cases[k], "time.threads=1", one, &threads);
        assert_int_equal(threads, 0);
        assert_int_equal(run(cases[k], "time.threads=2", two, &threads), count);
        if (ifd__team_cores() > 1)
            assert_in_range(threads, 1, 4); /* one for each factor that the method solves with */
        assert_memory_equal(one, two, count * sizeof *one);
        assert_true(one[count - 1] != 0.0);
    }
}

TESTS()
