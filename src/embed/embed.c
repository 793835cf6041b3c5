/* SPDX-License-Identifier: MIT */
/* A simulation from arrays or from a case, until its run is made; run.c steps it. */
#include "embed/embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/report.h>

ifd_sim *ifd_sim_open(void)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_sim *s = arena ? ifd_arena_take(arena, sizeof *s) : NULL;
    ifd__answerer *specimen = s ? ifd_arena_array(arena, IFD__SIM_SPECIMENS, sizeof *specimen) : NULL;
    if (!specimen) {
        ifd_arena_close(arena);
        return NULL;
    }
    s->arena = arena;
    s->specimen = specimen;
    ifd_note_init(&s->note, arena);
    return s;
}

void ifd_sim_close(ifd_sim *s)
{
    if (!s)
        return;
    if (s->r)
        ifd_run_close(s->r);
    free(s->message);
    ifd_arena_close(s->arena);
}

ifd_status ifd__sim_latch(ifd_sim *s, ifd_status status)
{
    if (status != IFD_OK && s->failed == IFD_OK)
        s->failed = status;
    return status;
}

#define FAIL(s, code, ...) ifd__sim_latch((s), ifd_note_add(&(s)->note, (code), NULL, __VA_ARGS__))

const char *ifd_sim_message(ifd_sim *s)
{
    size_t length = 0;
    free(s->message);
    s->message = NULL;
    FILE *f = open_memstream(&s->message, &length);
    if (!f)
        return ifd_status_text(IFD_NO_MEMORY);
    if (s->failed != IFD_OK && !s->note.first)
        fprintf(f, "%s\n", ifd_status_text(s->failed));
    ifd_note_print(&s->note, f, false);
    return fclose(f) == 0 ? s->message : ifd_status_text(IFD_NO_MEMORY);
}

/* A simulation has either a case or arrays. Nothing can be added after the run is made. */
static bool may_read(ifd_sim *s)
{
    if (!s->b && !s->c && !s->r)
        return true;
    FAIL(s, IFD_CONFLICT, "this simulation already has a structure: open another simulation for the case");
    return false;
}

static ifd_builder *builder(ifd_sim *s)
{
    if (s->c || s->r) {
        FAIL(s, IFD_CONFLICT,
             s->r ? "the run has already been made: open another simulation to change it"
                  : "a case defines this structure; change it by overrides \"key=value\"");
        return NULL;
    }
    if (!s->b && !(s->b = ifd_builder_make(s->arena)))
        ifd__sim_latch(s, IFD_NO_MEMORY);
    return s->b;
}

/* Lists the specimens of a case, so that the caller can assign functions that compute their forces. */
static ifd_status adopt(ifd_sim *s)
{
    s->run = s->c->run;
    if (s->c->opensees)
        return FAIL(s, IFD_UNSUPPORTED, "another program computes the structure of this case: it cannot be run here");
    if (s->run.specimens > IFD__SIM_SPECIMENS)
        return FAIL(s, IFD_TOO_LARGE, "%d specimens; at most %d are possible", s->run.specimens, IFD__SIM_SPECIMENS);
    for (int k = 0; k < s->run.specimens; k++)
        ifd__answerer_init(&s->specimen[s->specimens++], s->run.specimen[k].name);
    return IFD_OK;
}

static ifd_status read_source(ifd_sim *s, const ifd_case_source *source)
{
    if (!may_read(s))
        return s->failed;
    ifd_case_source runs = *source;
    runs.code.load = true; /* a case that is read here is also run */
    ifd_status status = ifd_case_read_source(s->arena, &runs, &s->c, &s->note);
    return status == IFD_OK ? adopt(s) : ifd__sim_latch(s, status);
}

ifd_status ifd_sim_read(ifd_sim *s, const char *path, int count, const char *const *sets)
{
    return read_source(s, &(ifd_case_source){.path = path, .sets = count, .set = sets});
}

ifd_status ifd_sim_read_text(ifd_sim *s, const char *text, const char *path, int count, const char *const *sets)
{
    return read_source(s, &(ifd_case_source){.path = path, .text = text, .sets = count, .set = sets});
}

static bool find_kind(ifd_sim *s, const char *word, int last, ifd_dof_kind *out)
{
    for (int k = 0; k <= last; k++)
        if (strcmp(ifd_dof_kind_name((ifd_dof_kind)k), word) == 0) {
            *out = (ifd_dof_kind)k;
            return true;
        }
    FAIL(s, IFD_UNKNOWN_CHOICE, "unknown direction '%s', expected %s", word,
         last == IFD_DOF_Z ? "x, y or z" : "x, y, z, rx, ry, rz, angle or stretch");
    return false;
}

ifd_status ifd_sim_dof(ifd_sim *s, const char *name, const char *kind)
{
    ifd_dof_kind k;
    ifd_builder *b = builder(s);
    if (!b || !find_kind(s, kind, IFD_DOF_DEFORMATION, &k))
        return s->failed;
    if (strcmp(name, "ground") == 0 || !*name)
        return FAIL(s, IFD_UNKNOWN_NAME, "'%s' is not a valid name of a dof", name);
    if (ifd_builder_dof(b, name, k) < 0)
        return FAIL(s, IFD_DUPLICATE, "the dof '%s' already exists", name);
    return IFD_OK;
}

ifd_status ifd_sim_matrix(ifd_sim *s, ifd_matrix_kind which, int n, const double *a)
{
    ifd_builder *b = builder(s);
    if (!b)
        return s->failed;
    if (n != ifd_builder_dofs(b))
        return FAIL(s, IFD_SHAPE, "a matrix has the size %d x %d, expected %d x %d, one row per dof", n, n,
                    ifd_builder_dofs(b), ifd_builder_dofs(b));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a[(size_t)i * (size_t)n + (size_t)j] != 0.0)
                ifd_builder_add(b, which, i, j, a[(size_t)i * (size_t)n + (size_t)j]);
    return IFD_OK;
}

ifd_status ifd_sim_entries(ifd_sim *s, ifd_matrix_kind which, int count, const int *row, const int *column,
                           const double *value)
{
    ifd_builder *b = builder(s);
    if (!b)
        return s->failed;
    int n = ifd_builder_dofs(b);
    for (int k = 0; k < count; k++) {
        if (row[k] < 0 || row[k] >= n || column[k] < 0 || column[k] >= n)
            return FAIL(s, IFD_RANGE, "entry (%d, %d) is outside the %d dofs, counted from 0", row[k], column[k], n);
        ifd_builder_add(b, which, row[k], column[k], value[k]);
    }
    return IFD_OK;
}

static const ifd_signal *table(ifd_sim *s, int count, double dt, const double *value)
{
    const ifd_signal *signal = NULL;
    ifd_samples samples = {.count = count, .value = value, .dt = dt};
    ifd__sim_latch(s, ifd_signal_make_table(s->arena, &samples, IFD_INTERPOLATE_LINEAR, &signal, &s->note));
    return signal;
}

ifd_status ifd_sim_ground(ifd_sim *s, const char *direction, int count, double dt, const double *acceleration)
{
    ifd_dof_kind k;
    ifd_builder *b = builder(s);
    if (!b || !find_kind(s, direction, IFD_DOF_Z, &k))
        return s->failed;
    const ifd_signal *signal = table(s, count, dt, acceleration);
    if (signal)
        ifd_builder_ground(b, k, signal);
    return signal ? IFD_OK : s->failed;
}

/* Finds a dof of the builder; also the ground if ground is true. */
static bool find_dof(ifd_sim *s, const char *name, bool ground, int *ref)
{
    if (ifd_builder_find(s->b, name, ref) && (*ref >= 0 || ground))
        return true;
    FAIL(s, IFD_UNKNOWN_NAME, "there is no dof '%s'", name);
    return false;
}

ifd_status ifd_sim_force(ifd_sim *s, const char *dof, int count, double dt, const double *force)
{
    int ref;
    ifd_builder *b = builder(s);
    const ifd_signal *signal = b && find_dof(s, dof, false, &ref) ? table(s, count, dt, force) : NULL;
    if (signal)
        ifd_builder_force(b, ref, signal);
    return signal ? IFD_OK : s->failed;
}

ifd_status ifd_sim_initial(ifd_sim *s, const char *dof, double displacement, double velocity)
{
    int ref;
    ifd_builder *b = builder(s);
    if (!b || !find_dof(s, dof, false, &ref))
        return s->failed;
    if (!isfinite(displacement) || !isfinite(velocity))
        return FAIL(s, IFD_NOT_FINITE, "the initial state of '%s' is not finite", dof);
    ifd_builder_initial(b, ref, displacement, velocity);
    return IFD_OK;
}

ifd_status ifd_sim_method(ifd_sim *s, const char *method, double step, double end)
{
    const ifd_method *m = ifd_method_find(method);
    if (!builder(s))
        return s->failed;
    if (!m)
        return FAIL(s, IFD_UNKNOWN_CHOICE, "there is no method '%s' (interfield list methods)", method);
    if (!(step > 0.0) || !(end >= step) || !isfinite(end))
        return FAIL(s, IFD_RANGE, "step %g s and end %g s, expected 0 < step <= end", step, end);
    ifd_step_options_defaults(m, step, &s->run.step);
    s->run.end = end;
    return IFD_OK;
}

ifd_status ifd_sim_parameter(ifd_sim *s, const char *name, double number, const char *word)
{
    if (!builder(s))
        return s->failed;
    if (!s->run.step.method)
        return FAIL(s, IFD_MISSING_KEY, "the parameter '%s' is set before its method; set the method first", name);
    word = word ? ifd_arena_text(s->arena, word) : NULL;
    if (!ifd_step_options_set(&s->run.step, name, word ? ifd_word(word) : ifd_number(number)))
        return FAIL(s, IFD_UNKNOWN_KEY, "method %s has no parameter '%s'", s->run.step.method->name, name);
    return IFD_OK;
}

ifd_status ifd_sim_specimen(ifd_sim *s, const char *name, const char *from, const char *to, double stiffness,
                            double damping)
{
    int a, b;
    if (!builder(s) || !find_dof(s, from, true, &a) || !find_dof(s, to, true, &b))
        return s->failed;
    if (a == b)
        return FAIL(s, IFD_CONFLICT, "both ends of the specimen '%s' are the dof '%s'", name, from);
    if (!isfinite(stiffness) || !isfinite(damping))
        return FAIL(s, IFD_NOT_FINITE, "the estimate of the specimen '%s' is not finite", name);
    for (int k = 0; k < s->specimens; k++)
        if (strcmp(s->specimen[k].name, name) == 0)
            return FAIL(s, IFD_DUPLICATE, "the specimen '%s' already exists", name);
    if (s->specimens == IFD__SIM_SPECIMENS)
        return FAIL(s, IFD_TOO_LARGE, "there are more than %d specimens", IFD__SIM_SPECIMENS);
    ifd__answerer *e = &s->specimen[s->specimens];
    ifd__answerer_init(e, ifd_arena_text(s->arena, name));
    e->from = ifd_arena_text(s->arena, from);
    e->to = ifd_arena_text(s->arena, to);
    e->stiffness = stiffness;
    e->damping = damping;
    if (!e->name || !e->from || !e->to)
        return ifd__sim_latch(s, IFD_NO_MEMORY);
    s->specimens++;
    return IFD_OK;
}

ifd_status ifd_sim_answer(ifd_sim *s, const char *specimen, ifd_sim_force_of *force_of, void *self)
{
    if (s->r)
        return FAIL(s, IFD_CONFLICT, "the run has already been made: assign the function of a specimen before");
    for (int k = 0; k < s->specimens; k++)
        if (strcmp(s->specimen[k].name, specimen) == 0) {
            s->specimen[k].force_of = force_of;
            s->specimen[k].self = self;
            return IFD_OK;
        }
    return FAIL(s, IFD_UNKNOWN_NAME, "there is no specimen '%s'", specimen);
}

ifd_status ifd_sim_record(ifd_sim *s, int every, unsigned what)
{
    if (s->r || every < 0 || what > IFD_RECORD_EVERYTHING)
        return FAIL(s, IFD_RANGE, "recording must be set before the run is made, with an interval of 1 step or more");
    s->run.every = every > 0 ? every : s->run.every;
    s->run.what = what ? what : s->run.what;
    return IFD_OK;
}
