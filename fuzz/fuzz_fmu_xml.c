/* SPDX-License-Identifier: MIT */
/* sources: src/fmi/read.c src/fmi/arrays.c src/base/arena.c src/base/status.c src/base/param.c
 * src/base/choice.c
 * libraries: -lexpat
 * runs: 200000
 *
 * Every description of an FMU is read or refused with a sentence, and
 * every resulting name is a text. */
#include <assert.h>
#include <string.h>

#include "fmi/archive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_fmu_facts facts;
    ifd_note_init(&note, arena);
    ifd_status status = ifd__fmu_read(arena, "fuzz.xml", (const char *)data, size, &facts, &note);
    assert((status == IFD_OK) == (note.errors == 0));
    size_t letters = strlen(facts.name) + strlen(facts.identifier) + strlen(facts.token);
    for (int i = 0; i < facts.variables; i++)
        letters += strlen(facts.variable[i].name) + strlen(facts.variable[i].unit);
    assert(letters <= 8 * size + 64);
    if (status == IFD_OK)
        assert(*facts.identifier && !strchr(facts.identifier, '/'));
    ifd_arena_close(arena);
    return 0;
}
