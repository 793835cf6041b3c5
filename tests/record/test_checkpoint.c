/* SPDX-License-Identifier: MIT */
/* Checkpoints on the disk: whole or refused, and only for the case and the program they belong to. */
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/checkpoint.h>

#include "base/hash.h"

typedef struct scene {
    ifd_arena *arena;
    ifd_note note;
    char folder[256], file[300];
    ifd_case *c;
    ifd_snapshot s;
    double x[40], values[7];
} scene;

static ifd_case *read_case(scene *s, const char *set)
{
    ifd_case *c = NULL;
    assert_int_equal(
        ifd_case_read(s->arena, IFD_SOURCE_DIR "/cases/split-mass-rig/rig.yaml", set ? 1 : 0, &set, &c, &s->note),
        IFD_OK);
    return c;
}

static scene *scene_make(void)
{
    ifd_arena *arena = ifd_arena_open();
    scene *s = ifd_arena_take(arena, sizeof *s);
    s->arena = arena;
    ifd_note_init(&s->note, arena);
    snprintf(s->folder, sizeof s->folder, "%s/interfield-checkpoint-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->file, sizeof s->file, "%s/%s", s->folder, IFD_CHECKPOINT_FILE);
    s->c = read_case(s, NULL);
    for (int i = 0; i < 40; i++)
        s->x[i] = 1.0 / (i + 3);
    for (int i = 0; i < 7; i++)
        s->values[i] = -1.0 * i;
    s->s = (ifd_snapshot){.tick = 4711,
                          .time = 1.25,
                          .state = IFD_MACHINE_HOLD,
                          .interfaces = 1,
                          .count = 40,
                          .rig_at = 20,
                          .rig_size = 8,
                          .x = s->x,
                          .measure = {.tick = 4710, .position = {0.5}},
                          .columns = 7,
                          .values = s->values};
    assert_int_equal(ifd_checkpoint_write(arena, s->folder, s->c, &s->s, &s->note), IFD_OK);
    return s;
}

static void scene_close(scene *s)
{
    char start[300];
    snprintf(start, sizeof start, "%s/%s", s->folder, IFD_CHECKPOINT_START);
    unlink(s->file);
    unlink(start);
    assert_int_equal(rmdir(s->folder), 0); /* nothing else is left behind */
    ifd_arena_close(s->arena);
}

static size_t load(const char *path, char *bytes, size_t most)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    size_t n = fread(bytes, 1, most, in);
    fclose(in);
    return n;
}

static void store(const char *path, const char *bytes, size_t n)
{
    FILE *out = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    fclose(out);
}

TEST(what_is_written_is_read_back)
{
    scene *s = scene_make();
    ifd_snapshot *back = NULL;
    assert_int_equal(ifd_checkpoint_read(s->arena, s->folder, s->c, &back, &s->note), IFD_OK);
    assert_int_equal(back->tick, 4711);
    assert_int_equal(back->state, IFD_MACHINE_HOLD);
    assert_int_equal(back->rig_at, 20);
    assert_int_equal(back->rig_size, 8);
    assert_memory_equal(back->x, s->x, sizeof s->x);
    assert_memory_equal(back->values, s->values, sizeof s->values);
    assert_memory_equal(&back->measure, &s->s.measure, sizeof back->measure);
    assert_near(back->time, 1.25, 0.0, "time");
    assert_int_equal(ifd_checkpoint_keep(s->arena, s->folder, s->folder, &s->note), IFD_OK);
    scene_close(s);
}

TEST(a_newer_one_takes_the_place_of_the_old)
{
    scene *s = scene_make();
    ifd_snapshot *back = NULL;
    s->s.tick = 5000;
    assert_int_equal(ifd_checkpoint_write(s->arena, s->folder, s->c, &s->s, &s->note), IFD_OK);
    assert_int_equal(ifd_checkpoint_read(s->arena, s->folder, s->c, &back, &s->note), IFD_OK);
    assert_int_equal(back->tick, 5000);
    scene_close(s);
}

TEST(damage_anywhere_and_any_cut_is_noticed)
{
    enum { MOST = 8192 };
    scene *s = scene_make();
    char good[MOST], bad[MOST];
    size_t n = load(s->file, good, MOST);
    assert_true(n > 500 && n < MOST);
    srand(1);
    for (int i = 0; i < 300; i++) {
        ifd_snapshot *back = NULL;
        size_t at = (size_t)rand() % n, left = i % 3 ? n : at;
        memcpy(bad, good, n);
        bad[at] = (char)(bad[at] ^ (1 << rand() % 8));
        store(s->file, bad, left);
        assert_int_equal(ifd_checkpoint_read(s->arena, s->folder, s->c, &back, &s->note), IFD_FILE);
        assert_null(back);
    }
    scene_close(s);
}

TEST(another_case_is_refused_by_name)
{
    scene *s = scene_make();
    ifd_snapshot *back = NULL;
    ifd_case *other = read_case(s, "time.end=11s");
    assert_int_equal(ifd_checkpoint_read(s->arena, s->folder, other, &back, &s->note), IFD_CONFLICT);
    assert_non_null(strstr(s->note.last->text, "belongs to another case"));
    scene_close(s);
}

/* The hash of the program follows magic, schema and hash of the case. */
TEST(another_build_is_refused_by_name)
{
    enum { MOST = 8192 };
    scene *s = scene_make();
    ifd_snapshot *back = NULL;
    char bytes[MOST];
    size_t n = load(s->file, bytes, MOST);
    uint64_t program, sum;
    memcpy(&program, bytes + 24, sizeof program);
    assert_true(program != 0);
    program ^= 1;
    memcpy(bytes + 24, &program, sizeof program);
    sum = ifd__hash_bytes(IFD__HASH_START, bytes, n - sizeof sum);
    memcpy(bytes + n - sizeof sum, &sum, sizeof sum);
    store(s->file, bytes, n);
    assert_int_equal(ifd_checkpoint_read(s->arena, s->folder, s->c, &back, &s->note), IFD_CONFLICT);
    assert_non_null(strstr(s->note.last->text, "another build"));
    scene_close(s);
}

TEST(a_rehearsal_and_a_test_do_not_mix)
{
    scene *s = scene_make();
    ifd_snapshot *back = NULL;
    s->c->day.rehearsal = true;
    assert_int_equal(ifd_checkpoint_read(s->arena, s->folder, s->c, &back, &s->note), IFD_CONFLICT);
    assert_non_null(strstr(s->note.last->text, "rehearsal"));
    scene_close(s);
}

TEST(a_folder_without_one_is_told)
{
    scene *s = scene_make();
    ifd_snapshot *back = NULL;
    unlink(s->file);
    assert_int_equal(ifd_checkpoint_read(s->arena, s->folder, s->c, &back, &s->note), IFD_FILE);
    assert_non_null(strstr(s->note.last->text, "contains no checkpoint"));
    scene_close(s);
}

TESTS()
