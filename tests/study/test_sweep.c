/* SPDX-License-Identifier: MIT */
/* Members of which only motions are kept are computed without energies: in every bit what they are with energies. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>
#include <interfield/study.h>

#include "blocks.h"
#include "files.h"
#include "run/ensemble.h"

static const char storeys[] =
    "title: storeys\n"
    "time: {step: 5 ms, end: 2 s}\n"
    "method: {lsrt2: {jacobian: frozen}}\n"
    "ground: {record: motion.csv}\n"
    "model:\n"
    "  dofs: [x, y, z]\n"
    "  mass: [1 kg, 1 kg, 0.8 kg]\n"
    "  stiffness: [[300, -150, 0], [-150, 300, -150], [0, -150, 150]]\n"
    "  damping: [[0.8, 0, 0], [0, 0.8, 0], [0, 0, 0.8]]\n"
    "  elements:\n"
    "    - {name: column, bilinear: {between: [ground, x], stiffness: 60 N/m, yield: 20 mm, ratio: 0.05}}\n"
    "    - {name: brace, bouc-wen: {between: [x, y], stiffness: 90 N/m, beta: 60, gamma: 30}}\n";

#define STUDY(scalar)                                                                                                \
    "title: scales and ends\n"                                                                                       \
    "case: storeys.yaml\n"                                                                                           \
    "ensemble: true\n"                                                                                               \
    "vary:\n"                                                                                                        \
    "  scale: {key: ground.scale, list: [0.5e-6, 1e-6, 2e-6, 1e9]}\n"                                                \
    "  end: {key: time.end, list: [1.3 s, 2 s]}\n"                                                                   \
    "  yield: {key: model.elements.0.bilinear.yield, list: [10 mm, 20 mm]}\n"                                        \
    "keep:\n"                                                                                                        \
    "  peak: {peak: x displacement}\n"                                                                               \
    "  when: {time-of-peak: z displacement}\n"                                                                       \
    "  left: {residual: \"* displacement\"}\n"                                                                       \
    "  last: {final: y velocity}\n" scalar "histories: [z displacement, x velocity]\n"                               \
    "history-every: 7\n"

static int with_storeys(void **state);

TEST_WITH(members_without_energies_have_the_bits_of_those_with_energies, with_storeys, folder_close)
{
    results with, without;
    int failed = 0;
    open_results(&with, STUDY("  lost: {final: energy dissipated}\n"));
    compute_blocks(&with, 8, 3);
    open_results(&without, STUDY(""));
    compute_blocks(&without, 8, 5);
    for (int k = 0; k < MEMBERS; k++) {
        ifd_study_result a = result_of(&with, k), b = result_of(&without, k);
        assert_int_equal(a.outcome, b.outcome);
        assert_string_equal(a.reason, b.reason);
        assert_near(a.reached, b.reached, 0, "member %d", k);
        assert_int_equal(a.rows, b.rows);
        assert_memory_equal(a.scalar, b.scalar, 4 * sizeof *a.scalar);
        failed += b.outcome == IFD_STUDY_FAILED;
    }
    assert_int_equal(failed, 4);
    for (int k = 0; k < MEMBERS; k++) { /* histories are the last bytes of a result */
        ifd_study_result b = result_of(&without, k);
        size_t series = (size_t)b.rows * 3 * sizeof(double);
        assert_true(b.rows > 0 && with.length[k] > series);
        assert_memory_equal(with.bytes[k] + with.length[k] - series, without.bytes[k] + without.length[k] - series,
                            series);
    }
    ifd_arena_close(with.arena);
    ifd_arena_close(without.arena);
}

/* Whether a run of the case with a setting may do without energies, if it keeps the column of this name. */
static bool sweeps(const char *set, const char *name)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c;
    ifd_run *run;
    int columns, found = -1;
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_case_read(arena, in("storeys.yaml"), set != NULL, &set, &c, &note), IFD_OK);
    assert_int_equal(ifd_run_make(arena, &c->run, &run, &note), IFD_OK);
    const ifd_column *column = ifd_run_columns(run, &columns);
    for (int i = 0; i < columns; i++)
        if (strcmp(column[i].name, name) == 0)
            found = i;
    assert_true(found >= 0);
    bool yes = ifd__run_sweeps(run, 1, &found);
    ifd_run_close(run);
    ifd_arena_close(arena);
    return yes;
}

TEST_WITH(energies_are_computed_where_they_are_kept_or_may_be_created, with_storeys, folder_close)
{
    assert_true(sweeps(NULL, "z displacement"));
    assert_true(sweeps(NULL, "x velocity"));
    assert_false(sweeps(NULL, "energy dissipated"));
    assert_false(sweeps(NULL, "x acceleration"));
    assert_false(sweeps(NULL, "column force"));
    assert_false(sweeps("model.elements.1.bouc-wen.gamma=90", "z displacement"));
    assert_true(sweeps("model.elements.1.bouc-wen.gamma=-60", "z displacement"));
    assert_false(sweeps("model.elements.1={name: stop, gap: {between: [y, z], stiffness: 50 N/m, gap: 30 mm}}",
                        "z displacement"));
}

static int with_storeys(void **state)
{
    int status = folder_open(state);
    char motion[4000] = "";
    unsigned seed = 1;
    for (int i = 0; i < 90; i++)
        snprintf(motion + strlen(motion), sizeof motion - strlen(motion), "%g,%g\n", 0.02 * i,
                 (double)((seed = seed * 1103515245u + 12345u) >> 16) * 122 - 4e6);
    put_file("motion.csv", motion);
    put_file("storeys.yaml", storeys);
    return status;
}

TESTS()
