/* SPDX-License-Identifier: MIT */
#include "rig/bench.h"

#include <stdio.h>
#include <string.h>

/* "[1, 0.012, 4e-5]" */
static ifd_value list_of(ifd_arena *arena, const char *text)
{
    double *list = ifd_arena_array(arena, 4, sizeof *list);
    int count = sscanf(text, "[%lf, %lf, %lf, %lf]", &list[0], &list[1], &list[2], &list[3]);
    assert_true(count >= 3);
    return ifd_list(list, count);
}

static void set(ifd_arena *arena, const ifd_param *params, ifd_value *v, const setting *s)
{
    ifd_param_preset(params, v);
    for (; s && s->name; s++) {
        int i = ifd_param_find(params, s->name);
        if (i < 0)
            print_error("no parameter '%s'\n", s->name);
        assert_true(i >= 0);
        v[i] = !s->word ? ifd_number(s->number) : *s->word == '[' ? list_of(arena, s->word) : ifd_word(s->word);
    }
}

static double *state_of(ifd_arena *arena, int size)
{
    double *s = ifd_arena_array(arena, (size_t)size, sizeof *s);
    assert_non_null(s);
    return s;
}

static void say(const ifd_note *note)
{
    if (note->first)
        print_error("%s\n", note->first->text);
}

actuator actuator_of(ifd_arena *arena, const char *kind, const setting *settings, double h)
{
    const ifd_actuator_kind *k = ifd_actuator_find(kind);
    assert_non_null(k);
    ifd_value v[IFD_RIG_PARAMS];
    ifd_note note;
    ifd_note_init(&note, arena);
    set(arena, k->params, v, settings);
    actuator out;
    ifd_status status = ifd_actuator_make(arena, k, v, h, &out.a, &note);
    say(&note);
    assert_int_equal(status, IFD_OK);
    out.s = state_of(arena, out.a->size);
    ifd_actuator_begin(out.a, 0.0, out.s);
    return out;
}

sensor sensor_of(ifd_arena *arena, const setting *settings, double h)
{
    ifd_value v[IFD_RIG_PARAMS];
    set(arena, ifd_sensor_params, v, settings);
    sensor out;
    assert_int_equal(ifd_sensor_make(arena, v, h, &out.c, NULL), IFD_OK);
    out.s = state_of(arena, out.c->size);
    ifd_sensor_begin(out.c, 0.0, out.s);
    return out;
}

compensator compensator_of(ifd_arena *arena, const char *kind, const setting *settings, double h)
{
    const ifd_compensator_kind *k = ifd_compensator_find(kind);
    assert_non_null(k);
    ifd_value v[IFD_COMPENSATOR_PARAMS];
    ifd_note note;
    ifd_note_init(&note, arena);
    set(arena, k->params, v, settings);
    compensator out;
    ifd_status status = ifd_compensator_make(arena, k, v, h, &out.c, &note);
    say(&note);
    assert_int_equal(status, IFD_OK);
    out.s = state_of(arena, out.c->size);
    ifd_compensator_begin(out.c, 0.0, out.s);
    return out;
}

ifd_status actuator_refusal(ifd_arena *arena, const char *kind, const setting *settings, double h)
{
    const ifd_actuator_kind *k = ifd_actuator_find(kind);
    ifd_value v[IFD_RIG_PARAMS];
    ifd_actuator *a;
    set(arena, k->params, v, settings);
    return ifd_actuator_make(arena, k, v, h, &a, NULL);
}

ifd_status compensator_refusal(ifd_arena *arena, const char *kind, const setting *settings, double h)
{
    const ifd_compensator_kind *k = ifd_compensator_find(kind);
    ifd_value v[IFD_COMPENSATOR_PARAMS];
    ifd_compensator *c;
    set(arena, k->params, v, settings);
    return ifd_compensator_make(arena, k, v, h, &c, NULL);
}

const setting *some_settings(const char *kind)
{
    static const struct {
        const char *kind;
        setting settings[3];
    } some[] = {
        {"delay", {{"delay", 0.0034, NULL}}},
        {"first-order", {{"time-constant", 0.01, NULL}}},
        {"second-order", {{"frequency", 20, NULL}}},
        {"polynomial", {{"delay", 0.0123, NULL}}},
        {"taylor", {{"delay", 0.0123, NULL}}},
        {"inverse-1", {{"delay", 0.0123, NULL}}},
        {"upper-bound", {{"bound", 0.02, NULL}}},
        {"frequency-adaptive", {{"delay", 0.0123, NULL}}},
        {"tracking-adaptive", {{"delay", 0.0093, NULL}, {"amplitude", 0.02, NULL}}},
        {"tadc", {{"delay", 0.01, NULL}}},
        {"energy-damping", {{"stiffness", 1e5, NULL}, {"most", 2e4, NULL}}},
    };
    for (size_t i = 0; i < COUNT(some); i++)
        if (strcmp(some[i].kind, kind) == 0)
            return some[i].settings;
    return NULL;
}

void check_states(int size, int rows, const ifd_state_row *row, const char *name)
{
    int end = 0;
    for (int i = 0; i < rows; i++) {
        if (row[i].offset != end)
            print_error("%s: row '%s' starts at %d, expected %d\n", name, row[i].name, row[i].offset, end);
        assert_int_equal(row[i].offset, end);
        end += row[i].count;
    }
    assert_int_equal(end, size);
}
