/* SPDX-License-Identifier: MIT */
/* Finds a method and makes its stepper. */
#include "method/stepper.h"
#include "base/arena.h"
#include "method/tangent.h"
#include "model/element.h"
#include "model/element/large_member.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The table of methods and their constants. */

const ifd_method *const ifd_methods[] = {
#define METHOD(x) &ifd__method_##x,
#include "method/methods.def"
};

const int ifd_method_count = (int)(sizeof ifd_methods / sizeof *ifd_methods);

/* Bursi, Gonzalez-Buelga, Vulcan, Wagg (2008), eq. (10) ff. */
const ifd__rosenbrock_table ifd__lsrt2_table = {.alpha21 = 0.5, .gamma21 = -1.0, .b1 = 0.0, .b2 = 1.0};

const ifd_method *ifd_method_find(const char *name)
{
    for (int i = 0; i < ifd_method_count; i++)
        if (strcmp(ifd_methods[i]->name, name) == 0)
            return ifd_methods[i];
    return NULL;
}

void ifd_step_options_defaults(const ifd_method *method, double h, ifd_step_options *opt)
{
    memset(opt, 0, sizeof *opt);
    opt->method = method;
    opt->h = h;
    assert(ifd_param_count(method->params) <= IFD_METHOD_PARAMS);
    ifd_param_preset(method->params, opt->value);
}

bool ifd_step_options_set(ifd_step_options *opt, const char *name, ifd_value value)
{
    int i = ifd_param_find(opt->method->params, name);
    if (i < 0)
        return false;
    opt->value[i] = value;
    return true;
}

const ifd_value *ifd__step_value(const ifd_step_options *opt, const char *name)
{
    return ifd_param_get(opt->method->params, opt->value, name);
}

bool ifd__step_bounded(const ifd_step_options *opt)
{
    int i = opt->method ? ifd_param_find(opt->method->params, "jacobian") : -1;
    if (i < 0 || !opt->value[i].given)
        return false;
    return opt->value[i].word ? strcmp(opt->value[i].word, "bounded") == 0
                              : (int)opt->value[i].number == IFD__JACOBIAN_BOUNDED;
}

void ifd__step_freeze(ifd_step_options *opt)
{
    int i = opt->method ? ifd_param_find(opt->method->params, "jacobian") : -1;
    if (i >= 0)
        opt->value[i] = ifd_word("frozen");
}

static int count_large(const ifd_model *m)
{
    int count = 0;
    for (int e = 0; e < m->ne; e++)
        count += ifd__large_member_of(&m->element[e]) != NULL;
    return count;
}

const char *ifd__large_refused(const ifd_step_options *opt, const ifd_model *m, ifd_arena *arena)
{
    enum { MOST = 64 };
    static const char need[] = "large displacements of a frame need";
    int i = ifd_param_find(opt->method->params, "jacobian");
    const ifd_value *v = i >= 0 ? &opt->value[i] : NULL;
    int word = v && v->given ? (int)v->number : IFD__JACOBIAN_EXACT;
    if (!count_large(m) || (!v && !opt->method->initial) || word == IFD__JACOBIAN_REFACTOR)
        return NULL;
    if (!v)
        return ifd_arena_print(arena, "%s lsrt1 or lsrt2, because method '%s' uses the stiffness of the start", need,
                               opt->method->name);
    if (word != IFD__JACOBIAN_EXACT)
        return ifd_arena_print(arena, "%s 'jacobian: exact' or 'refactor', because the stiffness changes; found '%s'",
                               need, word == IFD__JACOBIAN_FROZEN ? "frozen" : "bounded");
    return m->n <= MOST ? NULL
                        : ifd_arena_print(arena, "%s 'jacobian: refactor' above %d dofs; found 'exact' with %d dofs",
                                          need, MOST, m->n);
}

int ifd__stepper_row(ifd_stepper *s, const char *name, int count, ifd_state_kind kind)
{
    assert(s->rows < IFD_METHOD_STATES);
    int offset = s->size;
    s->row[s->rows++] = (ifd_state_row){.name = name, .offset = offset, .count = count, .kind = kind};
    s->size += count;
    return offset;
}

ifd_status ifd_stepper_make(ifd_arena *arena, const ifd_step_options *opt, const ifd_model *model, ifd_stepper **out,
                            ifd_note *note)
{
    ifd_step_options checked = *opt;
    if (!(opt->h > 0.0) || !isfinite(opt->h))
        return ifd_note_add(note, IFD_RANGE, NULL, "step is %g s; expected a positive number", opt->h);
    IFD_TRY(ifd_param_check(opt->method->params, checked.value, opt->method->name, NULL, note));
    for (int i = 0; i < opt->estimates; i++) {
        const ifd_estimate *e = &opt->estimate[i];
        bool known = e->from >= IFD_GROUND && e->to >= IFD_GROUND && e->from < model->n && e->to < model->n;
        for (int j = 0; e->row && j < e->row->count; j++)
            known = known && e->row->ref[j] < model->n;
        if (!known)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, NULL, "estimate %d refers to a dof that does not exist",
                                i + 1);
    }
    for (int i = 0; model->massless && !opt->method->constraints && i < model->n; i++)
        if (model->massless[i])
            return ifd_note_advise(note, IFD_MASSLESS, NULL, "give this dof mass, or use lsrt1 or lsrt2",
                                   "method '%s' needs mass at dof '%s', on which a nonlinear element acts",
                                   opt->method->name, model->dof_name[i]);
    ifd_stepper *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    s->method = opt->method;
    s->model = model;
    s->h = opt->h;
    ifd__stepper_row(s, "u", model->n, IFD_STATE_REAL);
    ifd__stepper_row(s, "v", model->n, IFD_STATE_REAL);
    ifd__stepper_row(s, "s", model->ns, IFD_STATE_REAL);
    if (ifd__model_accepts(model) &&
        !(s->accepted = ifd_arena_array(arena, 2 * (size_t)model->nq, sizeof *s->accepted)))
        return IFD_NO_MEMORY;
    for (int e = 0; e < model->ne && !s->turning; e++)
        if ((ifd__element_turns(&model->element[e]) || ifd__large_member_of(&model->element[e])) &&
            !(s->turning = ifd_arena_array(arena, 2 * (size_t)model->nq, sizeof *s->turning)))
            return IFD_NO_MEMORY;
    const char *refused = ifd__large_refused(&checked, model, arena);
    if (refused)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "%s", refused);
    if (count_large(model))
        s->angles = ifd__stepper_row(s, "angles", count_large(model), IFD_STATE_INTEGER);
    IFD_TRY(s->method->make(s, arena, &checked, note));
    s->fault = ifd__stepper_row(s, "fault", 1, IFD_STATE_INTEGER);
    *out = s;
    return IFD_OK;
}

int ifd_stepper_size(const ifd_stepper *s)
{
    return s->size;
}

const ifd_state_row *ifd_stepper_states(const ifd_stepper *s, int *count)
{
    *count = s->rows;
    return s->row;
}

int ifd_stepper_stages(const ifd_stepper *s)
{
    return s->method->stages;
}

double ifd_stepper_step(const ifd_stepper *s)
{
    return s->h;
}

const ifd_model *ifd_stepper_model(const ifd_stepper *s)
{
    return s->model;
}

void ifd_stepper_initial(const ifd_stepper *s, double *x)
{
    memset(x, 0, sizeof(double) * (size_t)s->size);
    ifd__model_initial(s->model, x);
}

/* Latches a fault where a large chord or member has nearly no length, and thus no direction, and where a member has
 * turned so far in a step that its angle may be another one. */
static IFD_RT void check_turning(const ifd_stepper *s, double t, bool starts, double *x)
{
    static const double shortest = 0.05, quarter = 1.57079632679489661923;
    const ifd_model *m = s->model;
    double *angle = x + s->angles;
    ifd__model_coordinates(m, t, ifd__x_u(s, x), ifd__x_v(s, x), s->turning, s->turning + m->nq);
    for (int e = 0; e < m->ne; e++) {
        const ifd_element *element = &m->element[e];
        const double *q = s->turning + m->q_of[e];
        if (ifd__element_turns(element) && ifd__element_short(element, q))
            ifd__latch(s, x, IFD_STEP_LENGTH);
        if (!ifd__large_member_of(element))
            continue;
        double now = ifd__large_member_angle(element, q);
        if (ifd__large_member_length(element, q) < shortest)
            ifd__latch(s, x, IFD_STEP_LENGTH);
        else if (!starts && fabs(now - *angle) >= quarter)
            ifd__latch(s, x, IFD_STEP_ROTATION);
        *angle++ = now;
    }
}

void ifd_stepper_start(const ifd_stepper *s, double t, const double *load, double *x)
{
    x[s->fault] = 0.0;
    ifd__stepper_accept(s, t, x);
    if (s->turning)
        check_turning(s, t, true, x);
    s->method->start(s, t, load, x);
}

void ifd_stepper_stage(const ifd_stepper *s, int i, double t, const double *load, double *x)
{
    s->method->stage(s, i, t, load, x);
    if (i == s->method->stages - 1)
        ifd__stepper_accept(s, t + s->h, x);
    if (s->turning && i == s->method->stages - 1)
        check_turning(s, t + s->h, false, x);
}

void ifd_stepper_aim(const ifd_stepper *s, int i, double t, const double *x, double *u, double *v)
{
    s->method->aim(s, i, t, x, u, v);
}

bool ifd_stepper_inside(const ifd_stepper *s, double theta, const double *x, double *u, double *v)
{
    if (!s->method->inside)
        return false;
    s->method->inside(s, theta, x, u, v);
    return true;
}

void ifd_stepper_jump(const ifd_stepper *s, double t, const double *change, double *x)
{
    if (s->method->jump)
        s->method->jump(s, t, change, x);
}

ifd_step_fault ifd_stepper_fault(const ifd_stepper *s, const double *x)
{
    return (ifd_step_fault)(int)x[s->fault];
}
