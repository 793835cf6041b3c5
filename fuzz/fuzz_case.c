/* SPDX-License-Identifier: MIT */
/* library: all
 * seeds: yaml in cases tests/cases-bad
 * runs: 6000
 *
 * Case files. Every input is refused with a reason, or it is a case that can be read from its bundle.
 * Built and run by tools/fuzz. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/case.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml loses 512 bytes for a quoted text of many pieces (fy_atom_format_text). */
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

static void demand(int holds)
{
    if (!holds)
        abort();
}

static void read_again(ifd_arena *arena, const ifd_case *c)
{
    size_t length = 0;
    ifd_note note;
    ifd_case *again = NULL;
    const char *bundle = ifd_case_bundle(arena, c, &length);
    ifd_note_init(&note, arena);
    demand(bundle && ifd_case_read_bundle(arena, bundle, length, &again, &note) == IFD_OK);
    demand(strcmp(again->title, c->title) == 0 && again->run.end == c->run.end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifd_arena *arena = ifd_arena_open();
    char *text = malloc(size + 1);
    ifd_note note;
    ifd_case *c = NULL;
    demand(arena && text);
    memcpy(text, data, size);
    text[size] = '\0';
    ifd_note_init(&note, arena);
    const ifd_case_source source = {.path = "/nowhere/fuzz.yaml", .text = text};
    if (ifd_case_read_source(arena, &source, &c, &note) == IFD_OK)
        read_again(arena, c);
    else
        demand(note.errors > 0 && note.first->text[0]);
    free(text);
    ifd_arena_close(arena);
    return 0;
}
