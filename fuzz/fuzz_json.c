/* SPDX-License-Identifier: MIT */
/* sources: src/text/json.c src/text/file.c src/text/units.c src/base/arena.c src/base/status.c src/base/choice.c
 *          src/base/param.c
 * runs: 160000
 *
 * seeds: json in cases tests/cases-bad
 *
 * JSON of summary.json and certificates. Every input is refused with a reason, or it is a tree with all nodes
 * readable. Built and run by tools/fuzz. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/json.h>
#include <interfield/status.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifd_arena *arena = ifd_arena_open();
    char *text = malloc(size ? size : 1); /* no terminating zero: the length counts */
    ifd_note note;
    ifd_json_node *node = NULL;
    demand(arena && text);
    memcpy(text, data, size);
    ifd_note_init(&note, arena);
    if (ifd_json_read(arena, "fuzz.json", text, size, &node, &note) == IFD_OK) {
        demand(node != NULL);
        (void)ifd_json_at(node, "clock/granted/fifo");
        (void)ifd_json_number_at(node, "record/dropped", 0);
    } else {
        demand(note.errors > 0 && note.first->text[0]);
    }
    free(text);
    ifd_arena_close(arena);
    return 0;
}
