/* SPDX-License-Identifier: MIT */
/* A document of its own for every test, parsed from a text:
 * cmocka_unit_test_setup_teardown(sentence, each, close_arena). */
#pragma once

#include <string.h>

#include "check.h"
#include "fixture.h"
#include "yaml_text.h"

static ifd__yaml doc;

static int each(void **state)
{
    int status = open_arena(state);
    doc = (ifd__yaml){.arena = arena};
    return status;
}

/* The root of a text that can be parsed; the note is empty then. */
static const ifd__node *parse(const char *text)
{
    ifd_note_init(&note, arena);
    ifd_status s = yaml_text(arena, "a.yaml", text, strlen(text), &doc, &note);
    if (s != IFD_OK)
        fail_msg("%s: %s", ifd_status_name(s), note.first->text);
    return doc.root;
}
