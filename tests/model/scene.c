/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <string.h>

int scene_open(void **state)
{
    static scene s;
    s.arena = ifd_arena_open();
    scene_restart(&s);
    *state = &s;
    return 0;
}

int scene_close(void **state)
{
    ifd_arena_close(((scene *)*state)->arena);
    return 0;
}

void scene_restart(scene *s)
{
    s->builder = ifd_builder_make(s->arena);
    ifd_note_init(&s->note, s->arena);
}

void scene_good(const scene *s, ifd_status status)
{
    if (status != IFD_OK)
        print_error("%s: %s\n", ifd_status_name(status), s->note.last ? s->note.last->text : "");
    assert_int_equal(status, IFD_OK);
}

ifd_model *scene_model(scene *s)
{
    ifd_model *m = NULL;
    scene_good(s, ifd_model_make(s->arena, s->builder, &m, &s->note));
    return m;
}

void scene_refused(scene *s, ifd_status code, const char *words)
{
    ifd_model *m = NULL;
    ifd_status status = ifd_model_make(s->arena, s->builder, &m, &s->note);
    if (status != code || !s->note.first || !strstr(s->note.first->text, words))
        print_error("%s: %s\n", ifd_status_name(status), s->note.first ? s->note.first->text : "no note");
    assert_int_equal(status, code);
    assert_non_null(s->note.first);
    assert_non_null(strstr(s->note.first->text, words));
    assert_null(m);
}

const char *scene_remark(const scene *s, const char *words)
{
    for (const ifd_finding *f = s->note.remark_first; f; f = f->next)
        if (strstr(f->text, words))
            return f->text;
    return NULL;
}

const ifd_signal *scene_constant(scene *s, double value)
{
    const ifd_signal *signal = NULL;
    double y[2] = {value, value};
    ifd_samples samples = {.count = 2, .value = y, .dt = 1e6};
    scene_good(s, ifd_signal_make_table(s->arena, &samples, IFD_INTERPOLATE_LINEAR, &signal, &s->note));
    return signal;
}

const ifd_signal *scene_sine(scene *s, double amplitude, double hertz)
{
    const ifd_signal *signal = NULL;
    const ifd_signal_kind *kind = ifd_signal_find("sine");
    ifd_value v[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, v);
    v[ifd_param_find(kind->params, "amplitude")] = ifd_number(amplitude);
    v[ifd_param_find(kind->params, "frequency")] = ifd_number(hertz);
    scene_good(s, ifd_signal_make(s->arena, kind, v, NULL, &signal, &s->note));
    return signal;
}

ifd_status scene_element(scene *s, const char *type, const char *name, int nq, const int *dof, ...)
{
    static const double sign[2] = {-1.0, 1.0};
    const ifd_element_ops *ops = ifd_element_find(type);
    ifd_value v[32];
    ifd_coordinate q[8];
    assert_non_null(ops);
    ifd_param_preset(ops->params, v);
    va_list args;
    va_start(args, dof);
    for (const char *key = va_arg(args, const char *); key; key = va_arg(args, const char *)) {
        assert_true(ifd_param_find(ops->params, key) >= 0);
        v[ifd_param_find(ops->params, key)] = ifd_number(va_arg(args, double));
    }
    va_end(args);
    scene_good(s, ifd_param_check(ops->params, v, name, NULL, &s->note));
    for (int i = 0; i < nq; i++) {
        int first = dof[2 * i] == IFD_GROUND; /* a coordinate relative to the ground is loaded by its acceleration */
        q[i] = (ifd_coordinate){.count = 2 - first, .ref = dof + 2 * i + first, .coefficient = sign + first};
    }
    return ifd_builder_element(s->builder, ops, name, &(ifd_coordinates){nq, q}, v, &s->note);
}

double scene_random(void)
{
    static uint64_t x = 88172645463325252u; /* xorshift */
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (double)(x >> 11) / (double)(1ull << 52) - 1.0;
}
