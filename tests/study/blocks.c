/* SPDX-License-Identifier: MIT */
#include "blocks.h"

#include "check.h"

#include <string.h>

#include "files.h"
#include "study/member.h"
#include "study/study.h"

void open_study(results *r, const char *text)
{
    ifd_note note;
    put_file("study.yaml", text);
    *r = (results){.arena = ifd_arena_open()};
    ifd_note_init(&note, r->arena);
    ifd_status status = ifd_study_read(r->arena, in("study.yaml"), NULL, &r->study, &note);
    if (status != IFD_OK)
        print_error("%s\n", note.first ? note.first->text : "");
    assert_int_equal(status, IFD_OK);
    assert_int_equal(ifd_study_runner_open(r->arena, r->study, &r->runner), IFD_OK);
}

void open_results(results *r, const char *text)
{
    open_study(r, text);
    assert_int_equal(ifd_study_members(r->study), MEMBERS);
}

void put_result(void *self, const void *bytes, size_t length)
{
    results *r = self;
    ifd__result_head head;
    assert_non_null(bytes);
    memcpy(&head, bytes, sizeof head);
    head.duration = 0.0;
    char *copy = ifd_arena_array(r->arena, length, 1);
    memcpy(copy, bytes, length);
    memcpy(copy, &head, sizeof head);
    r->bytes[head.number] = copy;
    r->length[head.number] = length;
}

void compute_blocks(results *r, int size, unsigned seed)
{
    static double value[MEMBERS][IFD_STUDY_VARIABLES];
    long number[MEMBERS];
    const double *values[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        int j = (int)((seed = seed * 1103515245u + 12345u) >> 16) % (i + 1);
        number[i] = number[j];
        number[j] = i;
    }
    for (int i = 0; i < MEMBERS; i++) {
        values[i] = value[i];
        assert_true(ifd_study_values(r->study, number[i], value[i]));
    }
    for (int i = 0; i < MEMBERS; i += size)
        ifd__study_compute_block(r->runner, MEMBERS - i < size ? MEMBERS - i : size, number + i, values + i,
                                 put_result, r);
}

ifd_study_result result_of(results *r, int k)
{
    ifd_study_result out;
    const char *series;
    assert_true(ifd__result_unpack(r->arena, r->study, r->bytes[k], r->length[k], &out, &series));
    return out;
}

void assert_same_member(const results *a, const results *b, int k)
{
    if (a->length[k] != b->length[k] || memcmp(a->bytes[k], b->bytes[k], a->length[k]) != 0)
        print_error("member %d differs\n", k);
    assert_int_equal(a->length[k], b->length[k]);
    assert_memory_equal(a->bytes[k], b->bytes[k], a->length[k]);
}
