/* SPDX-License-Identifier: MIT */
/* A case as a bundle: read again without its files it is the same case. */
#include "check.h"

#include <string.h>
#include <unistd.h>

#include <interfield/case.h>

#include "record/files.h"
#include "text/bundle.h"

static ifd_arena *arena;
static ifd_note note;

static int open_arena(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    ifd_note_init(&note, arena);
    return 0;
}

static int close_arena(void **state)
{
    (void)state;
    ifd_arena_close(arena);
    return 0;
}

/* Its own file, an include, a motion and a matrix. */
static ifd_case *read_files(void)
{
    const char *sets[] = {"time.end=0.5s", "initial.displacement.x=3 mm"};
    ifd_case *c = NULL;
    files_write("motion.csv", "time [s],acceleration [m/s2]\n0,0\n0.1,1.25\n0.2,-0.5\n0.3,0\n");
    files_write("K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 900\n2 1 -400\n2 2 400\n");
    files_write("model.yaml", "dofs: [x, y]\nmass: [1, 2]\nstiffness: K.mtx\n");
    const char *path = files_write("case.yaml", "title: From files\n"
                                                "time: {step: 10 ms, end: 2 s}\n"
                                                "ground: {record: motion.csv}\n"
                                                "model: {include: model.yaml}\n"
                                                "initial: {displacement: {x: 1 mm}}\n");
    assert_int_equal(ifd_case_read(arena, path, 2, sets, &c, &note), IFD_OK);
    return c;
}

static void remove_files(void)
{
    static const char *const names[] = {"motion.csv", "K.mtx", "model.yaml", "case.yaml"};
    for (size_t i = 0; i < COUNT(names); i++)
        unlink(files_path(names[i]));
}

/* The displacements at the end. */
static void step_to_the_end(const ifd_case *c, double out[2])
{
    ifd_run *run;
    int channels;
    assert_int_equal(ifd_run_make(arena, &c->run, &run, &note), IFD_OK);
    while (ifd_run_tick(run) == IFD_RUN_GOING) {
    }
    const ifd_column *channel = ifd_run_columns(run, &channels);
    for (int i = 0, n = 0; i < channels && n < 2; i++)
        if (strcmp(channel[i].group, "displacement") == 0)
            out[n++] = ifd_run_values(run)[i];
}

TEST_IN_ARENA(a_case_needs_its_files_no_longer)
{
    size_t length;
    double before[2], after[2];
    ifd_case *c = read_files(), *again = NULL;
    const char *bundle = ifd_case_bundle(arena, c, &length);
    assert_non_null(bundle);
    step_to_the_end(c, before);
    remove_files();
    assert_int_equal(ifd_case_read_bundle(arena, bundle, length, &again, &note), IFD_OK);
    assert_string_equal(again->title, "From files");
    assert_string_equal(again->text, c->text);
    step_to_the_end(again, after);
    assert_true(before[0] != 0 && before[1] != 0);
    assert_memory_equal(before, after, sizeof before);
    size_t length_again;
    assert_memory_equal(ifd_case_bundle(arena, again, &length_again), bundle, length);
    assert_int_equal(length_again, length);
}

TEST_IN_ARENA(a_bundle_that_is_cut_anywhere_is_refused_or_smaller)
{
    size_t length;
    const char *bundle = ifd_case_bundle(arena, read_files(), &length);
    int whole = 0;
    remove_files();
    for (size_t n = 0; n < length; n++) {
        ifd_arena *own = ifd_arena_open();
        ifd__bundle shelf;
        ifd_note heard;
        ifd_note_init(&heard, own);
        char *cut = ifd_arena_text_n(own, bundle, n);
        if (ifd__bundle_open(own, cut, n, &shelf, &heard) == IFD_OK) {
            assert_true(shelf.count >= 1 && shelf.count < 4);
            whole++;
        }
        ifd_arena_close(own);
    }
    assert_int_equal(whole, 3); /* behind the first, the second and the third file */
}

TEST_IN_ARENA(a_large_file_stays_where_it_is_and_must_not_change)
{
    ifd__bundle shelf = {0}, again;
    ifd__file file;
    size_t large = (16u << 20) + 1, length;
    char *text = ifd_arena_take(arena, large);
    memset(text, 'a', large);
    const char *path = ifd_arena_text(arena, files_write_n("large", text, large));
    assert_int_equal(ifd__bundle_read(&shelf, arena, path, NULL, &file, &note), IFD_OK);
    const char *bundle = ifd__bundle_make(arena, &shelf, &length);
    assert_true(length < 1000);
    assert_int_equal(ifd__bundle_open(arena, bundle, length, &again, &note), IFD_OK);
    assert_int_equal(ifd__bundle_read(&again, arena, path, NULL, &file, &note), IFD_OK);
    text[7] = 'b';
    files_write_n("large", text, large);
    assert_int_equal(ifd__bundle_open(arena, bundle, length, &again, &note), IFD_OK);
    assert_int_equal(ifd__bundle_read(&again, arena, path, NULL, &file, &note), IFD_FILE);
    assert_non_null(strstr(note.last->text, "has changed since"));
}

TESTS_WITH(files_open, files_close)
