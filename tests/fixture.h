/* SPDX-License-Identifier: MIT */
/* An arena and a note of its own for every test:
 * cmocka_unit_test_setup_teardown(sentence, open_arena, close_arena). */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include <interfield/arena.h>
#include <interfield/status.h>

static ifd_arena *arena;
static ifd_note note __attribute__((unused));

__attribute__((unused)) static int open_arena(void **state)
{
    (void)state;
    arena = ifd_arena_open();
    ifd_note_init(&note, arena);
    return arena ? 0 : -1;
}

__attribute__((unused)) static int close_arena(void **state)
{
    (void)state;
    ifd_arena_close(arena);
    return 0;
}

#endif
