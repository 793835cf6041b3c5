/* SPDX-License-Identifier: MIT */
/* Native code that a case names: the file whose hash is recorded is the file that is loaded, although another takes
 * its name in between. */
#include "check.h"

#include <dlfcn.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <interfield/case.h>

#include "foreign_fmu.h"
#include "case/code.h"
#include "record/files.h"
#include "text/bundle.h"

static const char text[] = "time: {step: 1 ms, end: 0.01 s}\n"
                           "model:\n"
                           "  dofs: [x]\n"
                           "  mass: [1 kg]\n"
                           "  elements:\n"
                           "    - {plugin: ./mine.so, element: {at: x, stiffness: 3, reference: 1}}\n";

static char mine[512], other[512];
static int finished, swap_at; /* hashes; after which of them the other file takes the name */

/* In the place of libsodium's, between the hash of a file and its loading. */
int crypto_generichash_final(crypto_generichash_state *state, unsigned char *out, const size_t size)
{
    int (*real)(crypto_generichash_state *, unsigned char *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "crypto_generichash_final");
    int status = real(state, out, size);
    if (++finished == swap_at)
        assert_int_equal(rename(other, mine), 0);
    return status;
}

static void copy(const char *from, const char *to)
{
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_true(in && out);
    for (int c; (c = fgetc(in)) != EOF;)
        fputc(c, out);
    fclose(in);
    fclose(out);
    assert_int_equal(chmod(to, 0755), 0);
}

static void hash_of(const char *path, unsigned char out[IFD__CODE_HASH])
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_true(ifd__code_hash(fileno(file), out));
    fclose(file);
}

/* The file that takes the place has no element in it. */
TEST(the_file_that_was_hashed_is_the_file_that_is_loaded)
{
    unsigned char hash[IFD__CODE_HASH];
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    snprintf(mine, sizeof mine, "%s", files_path("mine.so"));
    snprintf(other, sizeof other, "%s", files_path("other.so"));
    copy(IFD_PLUGIN_DIR "/plugin_user_element.so", mine);
    copy(IFD_PLUGIN_DIR "/plugin_rig_example.so", other);
    hash_of(mine, hash);
    ifd_case_source source = {.path = files_write("case.yaml", text), .code = {.load = true}};
    ifd_note_init(&note, arena);
    finished = swap_at = 0;
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_OK);
    swap_at = finished; /* the last one before it is loaded */
    finished = 0;
    ifd_status status = ifd_case_read_source(arena, &source, &c, &note);
    if (status != IFD_OK)
        print_error("%s\n", note.first ? note.first->text : "no reason");
    assert_int_equal(status, IFD_OK);
    assert_true(swap_at > 0 && finished == swap_at);
    assert_non_null(c->bundle->code);
    assert_memory_equal(c->bundle->code->hash, hash, sizeof hash);
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note),
                     IFD_PLUGIN); /* the name now refers to the other file */
    ifd_arena_close(arena);
}

/* Named twice, it must be the same both times. */
TEST(a_file_that_changes_between_two_uses_is_refused)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    char twice[600];
    snprintf(twice, sizeof twice, "%s    - {plugin: ./mine.so, element: {at: x, stiffness: 4, reference: 1}}\n",
             text);
    copy(IFD_PLUGIN_DIR "/plugin_user_element.so", mine);
    copy(IFD_PLUGIN_DIR "/plugin_rig_example.so", other);
    ifd_case_source source = {.path = files_write("twice.yaml", twice), .code = {.load = true}};
    ifd_note_init(&note, arena);
    finished = 0;
    swap_at = 1;
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_PLUGIN);
    assert_non_null(strstr(note.first->text, "changed while the case was read"));
    copy(IFD_PLUGIN_DIR "/plugin_user_element.so", mine);
    ifd_note_init(&note, arena);
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_OK);
    ifd_arena_close(arena);
}

/* An FMU is unpacked when the run is made: the hashed archive, although its name refers to another file by
 * then, and for every run. */
static void check_archive(const char *name, const char *words)
{
    char made[600], folder[512];
    unsigned char hash[IFD__CODE_HASH];
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c = NULL;
    ifd_run *run;
    snprintf(mine, sizeof mine, "%s", files_path("spring.fmu"));
    snprintf(other, sizeof other, "%s", files_write("other.fmu", "no archive"));
    snprintf(folder, sizeof folder, "%.*s", (int)(strlen(mine) - strlen("/spring.fmu")), mine);
    assert_int_equal(foreign_fmu(folder, FOREIGN_FINE, made, sizeof made), 0);
    copy(made, mine);
    hash_of(mine, hash);
    ifd_case_source source = {.path = files_write(name, words), .code = {.load = true}};
    ifd_note_init(&note, arena);
    swap_at = 0;
    assert_int_equal(ifd_case_read_source(arena, &source, &c, &note), IFD_OK);
    assert_memory_equal(c->bundle->code->hash, hash, sizeof hash);
    ifd_status before = ifd_run_make(arena, &c->run, &run, &note);
    assert_int_equal(rename(other, mine), 0);
    assert_int_not_equal(before, IFD_FILE);
    assert_int_equal(ifd_run_make(arena, &c->run, &run, &note), before);
    assert_int_equal(ifd_run_make(arena, &c->run, &run, &note), before);
    ifd_arena_close(arena);
}

/* The second is unpacked and found to move the wrong way, before the swap as after it. */
TEST(the_archive_that_was_hashed_is_the_archive_that_is_unpacked)
{
    check_archive("fmu.yaml", "time: {step: 10 ms, end: 0.2 s}\n"
                              "model: {dofs: [x], mass: 2 kg, stiffness: 50 N/m}\n"
                              "specimen:\n"
                              "  - {name: s, fmu: {between: [ground, x], file: spring.fmu, input: u, velocity: w,"
                              " output: \"y\"}}\n");
    check_archive("joined.yaml", "time: {step: 10 ms, end: 0.2 s}\n"
                                 "coupling: fmu\n"
                                 "substructures:\n"
                                 "  a: {fmu: spring.fmu}\n"
                                 "  b: {model: {dofs: [x], mass: 2 kg, stiffness: 50 N/m}}\n"
                                 "joints: ['b.x = a.y/u']\n");
}

TESTS_WITH(files_open, files_close)
