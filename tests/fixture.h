/* SPDX-License-Identifier: MIT */
/* TEST_IN_ARENA(sentence): an arena and a note of its own for the test. */
#pragma once

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
