/* SPDX-License-Identifier: MIT */
/* Makes, sets and frees the model of an instance of an exported FMU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "instance.h"
#include "model/signal/wave.h"

/* Storing and restoring the block of an instance, in memory or as bytes. */

static size_t state_size(const fmu *f)
{
    return sizeof *f->block * (size_t)f->size;
}

bool fmu_state_load(fmu *f, const void *block)
{
    const fmu_head *saved = block;
    if (!block)
        return fmu_refuse(f, FMU_NO_STATE);
    double mode = saved->mode;
    if (!(mode >= FMU_MADE && mode <= FMU_BROKEN))
        return fmu_refuse(f, FMU_STATE_WRONG);
    memcpy(f->block, block, state_size(f));
    f->stale = f->elements_stale = true;
    bool other = memcmp(f->built, fmu_parameters(f), sizeof *f->built * (size_t)f->parameters) != 0;
    unsigned was = fmu_arithmetic();
    bool good = mode <= FMU_INITIAL || !other || fmu_build(f);
    _mm_setcsr(was);
    if (good)
        return true;
    fmu_head_of(f)->mode = FMU_BROKEN;
    return false;
}

/* Version, hash of the token, count, hash of the block; then the block, least significant byte first. */
enum { SERIAL_VERSION = 2, SERIAL_HEAD = 32 };

static void put_word(unsigned char *to, uint64_t word)
{
    for (int k = 0; k < 8; k++)
        to[k] = (unsigned char)(word >> 8 * k);
}

static uint64_t get_word(const unsigned char *from)
{
    uint64_t word = 0;
    for (int k = 0; k < 8; k++)
        word |= (uint64_t)from[k] << 8 * k;
    return word;
}

size_t fmu_serial_size(const fmu *f)
{
    return SERIAL_HEAD + state_size(f);
}

bool fmu_serialise(fmu *f, const void *block, unsigned char *bytes, size_t size)
{
    const double *x = block;
    if (!block || size < fmu_serial_size(f))
        return fmu_refuse(f, FMU_NO_STATE);
    put_word(bytes, SERIAL_VERSION);
    put_word(bytes + 8, f->image.identity);
    put_word(bytes + 16, (uint64_t)f->size);
    for (int i = 0; i < f->size; i++) {
        uint64_t word;
        memcpy(&word, &x[i], sizeof word);
        put_word(bytes + SERIAL_HEAD + 8 * (size_t)i, word);
    }
    put_word(bytes + 24, ifd__hash_bytes(IFD__HASH_START, bytes + SERIAL_HEAD, 8 * (size_t)f->size));
    return true;
}

static bool from_bytes(fmu *f, const unsigned char *bytes, size_t size, void *block)
{
    double *x = block;
    if (size < fmu_serial_size(f) || get_word(bytes) != SERIAL_VERSION || get_word(bytes + 8) != f->image.identity ||
        get_word(bytes + 16) != (uint64_t)f->size)
        return fmu_refuse(f, FMU_STATE_OTHER);
    if (get_word(bytes + 24) != ifd__hash_bytes(IFD__HASH_START, bytes + SERIAL_HEAD, 8 * (size_t)f->size))
        return fmu_refuse(f, FMU_STATE_DAMAGED);
    for (int i = 0; i < f->size; i++) {
        uint64_t word = get_word(bytes + SERIAL_HEAD + 8 * (size_t)i);
        memcpy(&x[i], &word, sizeof word);
    }
    return true;
}

bool fmu_state_get(fmu *f, void **state)
{
    if (!*state)
        *state = malloc(state_size(f));
    if (!*state)
        return fmu_refuse(f, FMU_MEMORY);
    memcpy(*state, f->block, state_size(f));
    return true;
}

void fmu_state_free(void **state)
{
    if (state) {
        free(*state);
        *state = NULL;
    }
}

bool fmu_state_take(fmu *f, const unsigned char *bytes, size_t size, void **state)
{
    void *block = *state ? *state : malloc(state_size(f));
    bool good = block && from_bytes(f, bytes, size, block);
    if (good)
        *state = block;
    else if (block != *state)
        free(block);
    return good;
}

const char *fmu_refusal_text(fmu_refusal which)
{
    static const char *const text[] = {
#define FMU_REFUSAL_TEXT(name, sentence) sentence,
        FMU_REFUSALS(FMU_REFUSAL_TEXT)
#undef FMU_REFUSAL_TEXT
    };
    return text[which];
}

bool fmu_refuse(fmu *f, fmu_refusal which)
{
    f->why = fmu_refusal_text(which);
    return false;
}

static void change_values(void *who, int element, const ifd_element_ops *ops, ifd_value *values)
{
    const fmu *f = who;
    (void)ops;
    for (int k = 0; f->block && k < f->image.tunables; k++)
        if (f->image.tunable[k].element == element)
            values[f->image.tunable[k].parameter].number = fmu_parameters(f)[1 + k];
}

/* The ground motion of the case times a factor. The signals belong to this instance only. */
static void scale_ground(ifd_model *m, double factor)
{
    for (int d = 0; d < 3; d++)
        for (int i = 0; m->ground[d].signal && i < m->ground[d].signal->count && factor != 1.0; i++)
            ((ifd__wave *)(uintptr_t)m->ground[d].signal->wave)[i].factor *= factor;
}

static bool scratch_make(fmu *f, const ifd_model *m)
{
    const size_t n = (size_t)m->n, nq = (size_t)m->nq;
    double **part[] = {&f->load, &f->a, &f->g, &f->w, &f->du, &f->q, &f->r};
    const size_t count[] = {n, n, (size_t)m->ns, ifd__model_work(m), n, nq, nq};
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        if (!(*part[k] = ifd_arena_array(f->arena, count[k] + 1, sizeof(double))))
            return false;
    f->jump = ifd_arena_array(f->arena, (size_t)f->image.rows + 1, sizeof *f->jump);
    f->force = ifd_arena_array(f->arena, (size_t)f->image.rows + 1, sizeof *f->force);
    f->G = ifd_arena_array(f->arena, (size_t)f->image.rows * (size_t)f->image.rows + 1, sizeof *f->G);
    f->other = ifd_arena_array(f->arena, (size_t)f->size, sizeof *f->other);
    return f->G && f->other && f->jump && f->force;
}

bool fmu_build(fmu *f)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_model *m = NULL;
    ifd_stepper *s = NULL;
    ifd_step_options opt;
    if (!arena)
        return fmu_refuse(f, FMU_MEMORY);
    bool good = fmu_image_model(&f->image, arena, change_values, f, &m, &opt);
    if (good && f->block)
        scale_ground(m, fmu_parameters(f)[0]);
    good = good && ifd_stepper_make(arena, &opt, m, &s, NULL) == IFD_OK &&
           ifd__tangent_make(arena, m, &(ifd__tangent_options){.cm = 1.0}, &f->mass, NULL) == IFD_OK;
    if (!good) {
        ifd_arena_close(arena);
        return fmu_refuse(f, FMU_MODEL);
    }
    ifd_arena_close(f->arena);
    f->arena = arena;
    f->s = s;
    if (f->block)
        memcpy(f->built, fmu_parameters(f), sizeof *f->built * (size_t)f->parameters);
    f->size = IFD__DOUBLES(fmu_head) + f->inputs + f->parameters + ifd_stepper_size(s) +
              f->image.rows * f->image.rows + 2 * f->image.rows + f->image.grounds + 2 * m->n + m->ns;
    if (!f->block)
        f->block = calloc((size_t)f->size, sizeof *f->block);
    return (f->block && scratch_make(f, m)) || fmu_refuse(f, FMU_MEMORY);
}

static void presets(fmu *f)
{
    memset(f->block, 0, sizeof *f->block * (size_t)f->size);
    for (int i = 0; i < f->image.variables; i++) {
        const fmu_variable *v = &f->image.variable[i];
        if (v->kind == IFD__FMU_SCALE)
            fmu_parameters(f)[0] = v->start;
        if (v->kind == IFD__FMU_ELEMENT)
            fmu_parameters(f)[1 + v->index] = v->start;
    }
    ifd_stepper_initial(f->s, fmu_state(f));
    f->stale = f->elements_stale = true;
}

static fmu *make(const char *resources, const char *token, const char **why)
{
    fmu *f = calloc(1, sizeof *f);
    *why = fmu_refusal_text(FMU_MEMORY);
    if (!f)
        return NULL;
    if (fmu_image_open(&f->image, resources, token, why)) {
        f->inputs = f->image.rows + f->image.grounds;
        f->parameters = 1 + f->image.tunables;
        f->built = calloc((size_t)f->parameters, sizeof *f->built);
        if (f->built && fmu_build(f)) {
            presets(f);
            memcpy(f->built, fmu_parameters(f), sizeof *f->built * (size_t)f->parameters);
            return f;
        }
        *why = f->built ? f->why : fmu_refusal_text(FMU_MEMORY);
    }
    fmu_free(f);
    return NULL;
}

fmu *fmu_make(const char *resources, const char *token, const char **why)
{
    unsigned was = fmu_arithmetic();
    fmu *f = make(resources, token, why);
    _mm_setcsr(was);
    return f;
}

void fmu_free(fmu *f)
{
    if (!f)
        return;
    ifd_arena_close(f->arena);
    fmu_image_close(&f->image);
    free(f->built);
    free(f->block);
    free(f);
}

fmu_mode fmu_mode_of(const fmu *f)
{
    return (fmu_mode)(int)fmu_head_of(f)->mode;
}

const char *fmu_why(const fmu *f)
{
    return f->why ? f->why : "";
}

static void set_mode(fmu *f, fmu_mode mode)
{
    fmu_head_of(f)->mode = (double)mode;
}

double fmu_time(const fmu *f)
{
    return fmu_head_of(f)->base + ifd_stepper_step(f->s) * (fmu_head_of(f)->steps + fmu_head_of(f)->part);
}

bool fmu_setup(fmu *f, double start)
{
    if (fmu_mode_of(f) > FMU_INITIAL || !isfinite(start))
        return fmu_refuse(f, FMU_START_TIME);
    fmu_head_of(f)->base = start;
    return true;
}

bool fmu_enter(fmu *f)
{
    if (fmu_mode_of(f) != FMU_MADE)
        return fmu_refuse(f, FMU_ENTER_OUT_OF_ORDER);
    set_mode(f, FMU_INITIAL);
    return true;
}

/* Column j: a unit force held for the first step. */
static void find_compliance(fmu *f)
{
    int m = f->image.rows;
    size_t bytes = sizeof *f->block * (size_t)f->size;
    memcpy(f->other, f->block, bytes);
    f->from = f->to = 0.0; /* the ground is zero and constant */
    for (int j = -1; j < m; j++) {
        memcpy(f->block, f->other, bytes);
        memset(fmu_inputs(f), 0, sizeof(double) * (size_t)f->inputs);
        if (j >= 0)
            fmu_inputs(f)[j] = -1.0; /* acts in the direction of the deformation */
        fmu_hold(f, fmu_inputs(f));
        fmu_one_step(f, fmu_inputs(f));
        for (int i = 0; i < m; i++) {
            double d = fmu_deformation(f, i, fmu_state(f));
            if (j < 0)
                f->du[i] = d; /* there are no more rows than dofs */
            else
                f->G[i + j * m] = d - f->du[i];
        }
    }
    memcpy(f->block, f->other, bytes);
    memcpy(fmu_compliance(f), f->G, sizeof *f->G * (size_t)m * (size_t)m);
}

bool fmu_exit(fmu *f)
{
    if (fmu_mode_of(f) != FMU_INITIAL)
        return fmu_refuse(f, FMU_EXIT_OUT_OF_ORDER);
    unsigned was = fmu_arithmetic();
    bool good = fmu_build(f);
    if (good) {
        ifd_stepper_initial(f->s, fmu_state(f));
        ifd_stepper_start(f->s, fmu_time(f), fmu_loads(f), fmu_state(f));
        memcpy(fmu_held(f), fmu_inputs(f), sizeof(double) * (size_t)f->image.rows);
        memcpy(fmu_ground(f), fmu_inputs(f) + f->image.rows, sizeof(double) * (size_t)f->image.grounds);
        find_compliance(f);
    }
    _mm_setcsr(was);
    set_mode(f, good ? FMU_STEPPING : FMU_BROKEN);
    f->stale = f->elements_stale = true;
    return good;
}

bool fmu_terminate(fmu *f)
{
    if (fmu_mode_of(f) != FMU_STEPPING)
        return fmu_refuse(f, FMU_TERMINATE_OUT_OF_ORDER);
    set_mode(f, FMU_TERMINATED);
    return true;
}

bool fmu_reset(fmu *f)
{
    unsigned was = fmu_arithmetic();
    presets(f);
    bool good = fmu_build(f);
    presets(f);
    _mm_setcsr(was);
    return good;
}
