/* SPDX-License-Identifier: MIT */
/* A case as a test with ticks called by the program, on the virtual rig; the given functions modify measurements and
 * commands. */
#pragma once

#include <string.h>

#include <interfield/case.h>
#include <interfield/virtual.h>

#include "check.h"
#include "hybrid/scenario.h"

typedef struct stand {
    ifd_arena *arena;
    ifd_note note;
    ifd_case *c;
    ifd_hybrid *h;
    ifd_ticked t;
    player p;
    const quantity *own; /* of the rig, for scripts */
    const ifd_column *channel;
    int columns;
} stand;

typedef bool stand_sense(ifd_rig *, ifd_measure *, double *);
typedef void stand_command(ifd_rig *, const ifd_command *, double *);

static ifd_status stand_begin(stand *s)
{
    ifd_status status = ifd_hybrid_make(s->arena, s->c->test, &s->h, &s->note);
    if (status != IFD_OK)
        return status;
    s->t = ifd_hybrid_ticked(s->h);
    s->channel = ifd_hybrid_columns(s->h, &s->columns);
    player_begin(&s->p, s->h, s->own);
    return IFD_OK;
}

/* NULL: measurements and commands as they are. */
__attribute__((unused)) static ifd_status stand_try(stand *s, const ifd_case_source *source, stand_sense *sense,
                                                    stand_command *command)
{
    static ifd_rig_ops ops;
    s->arena = ifd_arena_open();
    ifd_note_init(&s->note, s->arena);
    ifd_status status = ifd_case_read_source(s->arena, source, &s->c, &s->note);
    if (status != IFD_OK)
        return status;
    ops = ifd_virtual_rig;
    ops.sense = sense ? sense : ops.sense;
    ops.command = command ? command : ops.command;
    s->c->test->rig = &ops;
    return stand_begin(s);
}

/* Again, with changed options. */
__attribute__((unused)) static void stand_again(stand *s)
{
    ifd_hybrid_close(s->h);
    assert_int_equal(stand_begin(s), IFD_OK);
}

__attribute__((unused)) static void stand_open(stand *s, const ifd_case_source *source, stand_sense *sense,
                                               stand_command *command)
{
    memset(s, 0, sizeof *s);
    ifd_status status = stand_try(s, source, sense, command);
    for (const ifd_finding *f = s->note.first; f; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
}

/* The same for a file, or a text of several lines, with overrides divided by semicolons. */
__attribute__((unused)) static player *stand_case(stand *s, const char *of, const char *set, stand_sense *sense,
                                                  stand_command *command)
{
    enum { SETS = 8 };
    char text[1024];
    const char *sets[SETS];
    int count = 0;
    snprintf(text, sizeof text, "%s", set ? set : "");
    for (char *next = strtok(text, ";"); next; next = strtok(NULL, ";")) {
        assert_true(count < SETS);
        sets[count] = next + strspn(next, " ");
        count += *sets[count] != '\0';
    }
    bool lines = strchr(of, '\n') != NULL;
    const ifd_case_source source = {
        .path = lines ? "case.yaml" : of, .text = lines ? of : NULL, .sets = count, .set = sets};
    ifd_status status = stand_try(s, &source, sense, command);
    for (const ifd_finding *f = s->note.first; f && status != IFD_OK; f = f->next)
        print_error("%s\n", f->text);
    assert_int_equal(status, IFD_OK);
    return &s->p;
}

/* s, simulated; without bound once the run was interrupted. */
__attribute__((unused)) static double reached(const ifd_hybrid *h)
{
    ifd_machine state = ifd_hybrid_state(h);
    bool over = state == IFD_MACHINE_HOLD || state == IFD_MACHINE_TRIPPED || state == IFD_MACHINE_RAMP_OUT;
    return over ? (double)INFINITY : ifd_hybrid_time(h);
}

__attribute__((unused)) static void unmake(stand *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

__attribute__((unused)) static double column(const stand *s, const char *name)
{
    for (int i = 0; i < s->columns; i++)
        if (strcmp(s->channel[i].name, name) == 0)
            return s->t.values(s->t.self)[i];
    fail_msg("no column '%s'", name);
    return 0.0;
}
