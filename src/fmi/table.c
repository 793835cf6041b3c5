/* SPDX-License-Identifier: MIT */
/* Lists the variables of an exported FMU. */
#include "fmi/table.h"

#include <ctype.h>
#include <string.h>

#include "base/arena.h"
#include "model/element.h"
#include "model/model.h"

enum { MOST_ELEMENTS = 50 }; /* with force outputs; a model with more elements has none */

typedef struct making {
    ifd_arena *arena;
    ifd__fmu_table *t;
    bool failed;
} making;

/* A name of a case as part of a structured variable name: letters, digits and underscores. */
static const char *part(making *k, const char *name)
{
    char *text = ifd_arena_text(k->arena, name);
    for (char *p = text; p && *p; p++)
        if (!isalnum((unsigned char)*p))
            *p = '_';
    k->failed = k->failed || !text;
    return text ? text : "";
}

/* Different names of a case may give the same variable name. */
static const char *unlike(making *k, const char *name)
{
    const char *tried = name;
    for (int number = 2; number < 1000; number++) {
        bool taken = false;
        for (int i = 0; i < k->t->count; i++)
            taken = taken || strcmp(k->t->row[i].name, tried) == 0;
        if (!taken)
            break;
        tried = ifd_arena_print(k->arena, "%s_%d", name, number);
        if (!tried)
            break;
    }
    k->failed = k->failed || !tried;
    return tried ? tried : name;
}

static void add(making *k, const ifd__fmu_variable *v)
{
    ifd__fmu_variable row = *v;
    k->failed = k->failed || !v->name;
    if (k->failed)
        return;
    row.name = unlike(k, v->name);
    k->t->row[k->t->count++] = row;
}

static bool turns(ifd_dof_kind kind)
{
    return kind >= IFD_DOF_RX && kind <= IFD_DOF_ANGLE;
}

static bool row_turns(const ifd_fmu_options *o, int row)
{
    int dof = o->row[row].to >= 0 ? o->row[row].to : o->row[row].from;
    return turns(o->model->dof_kind[dof]);
}

static const char *force_text(making *k, const ifd_fmu_options *o, int row)
{
    double devices = o->devices ? o->devices[row] : 1.0;
    const char *of =
        devices != 1.0 ? ifd_arena_print(k->arena, "; for one of %g devices, all of which act", devices) : "";
    const char *text =
        of ? ifd_arena_print(k->arena, "%s%s; held over the communication step", o->row[row].name, of) : NULL;
    k->failed = k->failed || !text;
    return text;
}

static void add_inputs(making *k, const ifd_fmu_options *o)
{
    static const char *const direction[] = {"x", "y", "z"};
    for (int i = 0; i < o->rows; i++)
        add(k, &(ifd__fmu_variable){.kind = IFD__FMU_FORCE,
                                    .index = i,
                                    .name = ifd_arena_print(k->arena, "f[%d]", i + 1),
                                    .unit = row_turns(o, i) ? "N.m" : "N",
                                    .text = force_text(k, o, i)});
    for (int d = 0; d < 3; d++) {
        bool driven = false;
        for (int i = 0; i < o->model->n && !o->model->inertial; i++)
            driven = driven || (o->model->ground[d].p && o->model->ground[d].p[i] != 0.0);
        if (!driven)
            continue;
        k->t->ground[k->t->grounds] = d;
        add(k, &(ifd__fmu_variable){.kind = IFD__FMU_GROUND,
                                    .index = k->t->grounds++,
                                    .name = ifd_arena_print(k->arena, "ground.%s", direction[d]),
                                    .unit = "m/s2",
                                    .text = "acceleration of the ground in addition to that of the case, at the "
                                            "end of the communication step; linear from the last one"});
    }
}

static void add_channel(making *k, ifd__fmu_channel channel, const ifd__fmu_variable *v)
{
    ifd__fmu_variable row = *v;
    row.kind = IFD__FMU_CHANNEL;
    row.index = k->t->channels;
    k->t->channel[k->t->channels++] = channel;
    add(k, &row);
}

static void add_motion(making *k, const ifd_fmu_options *o)
{
    static const struct {
        ifd__fmu_class kind;
        const char *name, *length, *angle;
    } motion[] = {{IFD__FMU_DISPLACEMENT, "d", "m", "rad"},
                  {IFD__FMU_VELOCITY, "v", "m/s", "rad/s"},
                  {IFD__FMU_ACCELERATION, "a", "m/s2", "rad/s2"}};
    for (int which = 0; which < 3; which++)
        for (int i = 0; i < o->rows; i++)
            add(k, &(ifd__fmu_variable){.kind = motion[which].kind,
                                        .index = i,
                                        .name = ifd_arena_print(k->arena, "%s[%d]", motion[which].name, i + 1),
                                        .unit = row_turns(o, i) ? motion[which].angle : motion[which].length,
                                        .text = o->row[i].name,
                                        .feels = which == 2});
    static const char *const group[] = {"displacement", "velocity", "acceleration"};
    for (int i = 0; i < o->dofs; i++)
        for (int which = 0; which < 3; which++) {
            bool angle = turns(o->model->dof_kind[o->dof[i]]);
            const char *name = part(k, o->model->dof_name[o->dof[i]]);
            add_channel(k, (ifd__fmu_channel){(ifd__fmu_channel_kind)which, o->dof[i]},
                        &(ifd__fmu_variable){.name = ifd_arena_print(k->arena, "%s.%s", group[which], name),
                                             .unit = angle ? motion[which].angle : motion[which].length,
                                             .text = o->model->dof_name[o->dof[i]],
                                             .feels = which == 2});
        }
}

/* Whether an element acts between two points, and its deformation is an angle. */
static bool element_turns(const ifd_model *m, int e)
{
    int c = m->q_of[e];
    return m->element[e].ops->attach == IFD_ATTACH_PAIR && m->b_start[c] < m->b_start[c + 1] &&
           turns(m->dof_kind[m->b_dof[m->b_start[c]]]);
}

/* Nonlinear elements between two points, which are not in the matrices. Their force follows from displacement,
 * velocity and memory: inputs affect it only through motion. */
static void add_elements(making *k, const ifd_fmu_options *o)
{
    const ifd_model *m = o->model;
    for (int e = 0; e < m->ne && m->ne <= MOST_ELEMENTS; e++) {
        int c = m->q_of[e];
        if (m->element[e].ops->attach != IFD_ATTACH_PAIR || m->b_start[c] == m->b_start[c + 1])
            continue;
        const char *name = part(k, m->element[e].name);
        bool angle = element_turns(m, e);
        add_channel(k, (ifd__fmu_channel){IFD__FMU_ELEMENT_Q, c},
                    &(ifd__fmu_variable){.name = ifd_arena_print(k->arena, "deformation.%s", name),
                                         .unit = angle ? "rad" : "m",
                                         .text = m->element[e].name});
        add_channel(k, (ifd__fmu_channel){IFD__FMU_ELEMENT_R, c},
                    &(ifd__fmu_variable){.name = ifd_arena_print(k->arena, "force.%s", name),
                                         .unit = angle ? "N.m" : "N",
                                         .text = m->element[e].name});
    }
}

/* Description of a parameter: FMI has closed ranges only, so the text states an open end. */
static const char *parameter_text(making *k, const ifd_param *p)
{
    if (p->range != IFD_RANGE_POSITIVE)
        return p->doc;
    const char *text = ifd_arena_print(k->arena, "%s; greater than 0", p->doc);
    k->failed = k->failed || !text;
    return text;
}

static void add_element(making *k, const ifd_model *m, int e)
{
    const ifd_param *params = m->element[e].ops->params;
    for (int p = 0; p < ifd_param_count(params); p++) {
        const ifd_param *param = &params[p];
        if (param->shape != IFD_SHAPE_SCALAR)
            continue;
        k->t->tunable[k->t->tunables] = (ifd__fmu_tunable){e, p};
        const char *element = part(k, m->element[e].name), *name = part(k, param->name);
        add(k, &(ifd__fmu_variable){
                   .kind = IFD__FMU_ELEMENT,
                   .index = k->t->tunables++,
                   .name = ifd_arena_print(k->arena, "element.%s.%s", element, name),
                   .unit = ifd__fmu_unit(element_turns(m, e) ? ifd__dimension_rotational(param->dim) : param->dim),
                   .start = m->values[e][p].number,
                   .range = param->range,
                   .min = param->min,
                   .max = param->max,
                   .text = parameter_text(k, param)});
    }
}

static void add_parameters(making *k, const ifd_fmu_options *o)
{
    const ifd_model *m = o->model;
    if (m->ground[0].signal || m->ground[1].signal || m->ground[2].signal)
        add(k, &(ifd__fmu_variable){.kind = IFD__FMU_SCALE,
                                    .name = "ground_scale",
                                    .unit = "1",
                                    .start = 1.0,
                                    .text = "factor of the ground motion of the case"});
    for (int e = 0; m->values && e < m->ne; e++)
        add_element(k, m, e);
    for (int i = 0; i < o->rows * o->rows; i++)
        add(k, &(ifd__fmu_variable){.kind = IFD__FMU_COMPLIANCE,
                                    .index = i,
                                    .name = ifd_arena_print(k->arena, "G[%d,%d]", i % o->rows + 1, i / o->rows + 1),
                                    .unit = row_turns(o, i % o->rows) || row_turns(o, i / o->rows) ? NULL : "m/N",
                                    .text = "displacement after one step by a unit force -f held during it"});
}

ifd_status ifd__fmu_table_make(ifd_arena *arena, const ifd_fmu_options *o, ifd__fmu_table *out)
{
    making k = {.arena = arena, .t = out};
    int parameters = 0;
    for (int e = 0; e < o->model->ne; e++)
        parameters += ifd_param_count(o->model->element[e].ops->params);
    size_t channels = 3 * (size_t)o->dofs + 2 * (size_t)o->model->ne;
    size_t most = 8 + 4 * (size_t)o->rows + (size_t)o->rows * (size_t)o->rows + channels + (size_t)parameters;
    *out = (ifd__fmu_table){0};
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(out->row, most), IFD__ARRAY(out->tunable, (size_t)parameters + 1),
                      IFD__ARRAY(out->channel, channels + 1)));
    add(&k, &(ifd__fmu_variable){.kind = IFD__FMU_TIME, .name = "time", .unit = "s"});
    add_inputs(&k, o);
    add_motion(&k, o);
    add_elements(&k, o);
    add_parameters(&k, o);
    return k.failed ? IFD_NO_MEMORY : IFD_OK;
}
