/* SPDX-License-Identifier: MIT */
/* A case as a test with ticks called by the program, on the virtual rig; the given functions modify measurements and
 * commands. */
#pragma once

#include <string.h>

#include <interfield/case.h>
#include <interfield/virtual.h>

#include "check.h"

typedef struct stand {
    ifd_arena *arena;
    ifd_case *c;
    ifd_hybrid *h;
    ifd_ticked t;
    const ifd_column *channel;
    int columns;
} stand;

static void stand_open(stand *s, const ifd_case_source *source, bool (*sense)(ifd_rig *, ifd_measure *, double *),
                       void (*command)(ifd_rig *, const ifd_command *, double *))
{
    static ifd_rig_ops ops;
    ifd_note note;
    memset(s, 0, sizeof *s);
    s->arena = ifd_arena_open();
    ifd_note_init(&note, s->arena);
    ifd_status status = ifd_case_read_source(s->arena, source, &s->c, &note);
    if (status == IFD_OK) {
        ops = ifd_virtual_rig;
        ops.sense = sense;
        ops.command = command;
        s->c->test->rig = &ops;
        status = ifd_hybrid_make(s->arena, s->c->test, &s->h, &note);
    }
    for (const ifd_finding *f = note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
    s->channel = ifd_hybrid_columns(s->h, &s->columns);
}

static void unmake(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

static double column(const stand *s, const char *name)
{
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->channel[i].name, name) == 0)
            return s->t.values(s->t.self)[i];
    fail_msg("no column '%s'", name);
    return 0.0;
}
