/* SPDX-License-Identifier: MIT */
/* Soil of a spring of a pile. */
#include "case/element.h"

#include "model/build/builder.h"
#include "model/element/multilinear.h"
#include "model/element/soil.h"

const ifd__section ifd__section_sand = {
    "sand", "sand: sand around a pile", "model.elements.*.sand", "",
    KEYS(NUMBER("friction-angle", ANGLE, 0.1, 1.0, "angle of internal friction"),
         NUMBER("weight", ANY, 1e-3, 1e6, "effective weight, N/m3"),
         NUMBER("modulus", ANY, 1e-3, 1e12, "k, initial modulus of the subgrade reaction, N/m3"))};

const ifd__section ifd__section_clay = {
    "clay", "clay: soft clay around a pile", "model.elements.*.clay", "",
    KEYS(NUMBER("strength", PRESSURE, 1e-3, 1e9, "c, undrained shear strength"),
         NUMBER("weight", ANY, 1e-3, 1e6, "effective weight, N/m3"),
         NUMBER("strain50", NONE, 1e-6, 1, "strain at half of the strength"),
         WITHIN("j", NONE, 0, 10, 0.5, NULL, "J, of the strength near the surface"))};

const ifd__section ifd__section_far_field = {
    "far-field", "far-field: soil beyond a spring", "model.elements.*.far-field",
    "The far field is a spring and a dashpot in parallel. The far field is in series with the law of `p-y`, `t-z` or "
    "`q-z`, through the massless dof NAME.near. The force of radiation damping therefore cannot exceed the strength "
    "of the soil.",
    KEYS(NUMBER("stiffness", STIFFNESS, 1e-6, 1e18, "of the spring"),
         WITHIN("damping", DAMPING, 0, 1e18, 0, NULL, "of the dashpot"))};

bool ifd__soil_element(const ifd_element_ops *ops)
{
    int soil = ifd_param_find(ops->params, "soil");
    return soil >= 0 && ifd__param_hidden(&ops->params[soil]);
}

bool ifd__soil_numbers(ifd__reader *r, const ifd__node *body, const char *what, const ifd_place *place,
                       ifd_value *out)
{
    static const char *const keys[2][4] = {{"friction-angle", "weight", "modulus"},
                                           {"strength", "weight", "strain50", "j"}};
    const ifd__node *of[2] = {ifd__yaml_get(body, "sand"), ifd__yaml_get(body, "clay")};
    int which = of[1] != NULL, count = which ? IFD__CLAY_NUMBERS : IFD__SAND_NUMBERS, errors = r->note->errors;
    if (!of[0] == !of[1])
        ifd_note_add(r->note, of[0] ? IFD_CONFLICT : IFD_MISSING_KEY, of[0] ? &of[1]->key_place : place,
                     "%s: expected one of 'sand' and 'clay'", what);
    if (r->note->errors > errors)
        return false;
    ifd__fields f;
    double *number = ifd_arena_array(r->arena, IFD__CLAY_NUMBERS, sizeof *number);
    ifd__fields_read(r, of[which], which ? &ifd__section_clay : &ifd__section_sand, of[which]->key, &f);
    for (int i = 0; i < count && number; i++)
        number[i] = ifd__field(&f, keys[which][i])->number;
    *out = ifd_list(number, count);
    return ifd__in_memory(r, number) && r->note->errors == errors;
}

bool ifd__soil_spring(const ifd_element_ops *ops)
{
    return ifd_choice_find("p-y|t-z|q-z", ops->name) >= 0;
}

void ifd__keep_spring(const ifd__model_read *m, const ifd_element_ops *ops, const char *name, const ifd_value *values)
{
    ifd_element trial = {.ops = ops, .name = name, .nq = 1};
    ifd_case_spring **end = &m->r->c->spring, *kept = ifd_arena_take(m->arena, sizeof *kept);
    if (!ifd__in_memory(m->r, kept) || !ifd__soil_spring(ops) || ops->eval != ifd__multilinear_eval ||
        ops->make(&trial, values, m->arena, NULL) != IFD_OK)
        return; /* the model reports the error */
    const ifd__multilinear *law = &((const ifd__multilinear_spring *)trial.data)->law;
    *kept = (ifd_case_spring){NULL, m->part, name, ops->name, law->points, law->q + 1, law->r + 1};
    while (*end)
        end = &(*end)->next;
    *end = kept;
}

const ifd__node *ifd__far_field(const ifd__entry_of *e)
{
    return ifd__soil_spring(e->ops) ? ifd__yaml_get(e->body, "far-field") : NULL;
}

static const char *near_name(const ifd__model_read *m, const ifd__entry_of *e)
{
    return ifd_arena_print(m->arena, "%s.near", e->name);
}

void ifd__far_field_dof(ifd__model_read *m, const ifd__entry_of *e)
{
    const ifd__node *far = ifd__far_field(e), *between = ifd__yaml_get(e->body, "between"),
                    *to = between ? between->last : ifd__yaml_get(e->body, "at");
    int ref = IFD_GROUND;
    const char *name = far ? near_name(m, e) : NULL;
    bool known = to && to->kind == IFD__SCALAR && ifd_builder_find(m->b, to->text, &ref) && ref >= 0;
    if (name)
        ifd__new_dof(m, name, known ? ifd__ref_kind(m->b, ref) : IFD_DOF_X, &far->key_place);
}

bool ifd__read_far_field(ifd__model_read *m, const ifd__entry_of *e, int *from)
{
    const ifd__node *far = ifd__far_field(e);
    const char *name = near_name(m, e);
    int errors = m->note->errors, near;
    ifd__fields f;
    ifd__fields_read(m->r, far, &ifd__section_far_field, "far-field", &f);
    if (m->note->errors > errors || !name || !ifd_builder_find(m->b, name, &near))
        return false;
    ifd__entry_kept(m, e, near, &far->key_place);
    ifd_builder_spring(m->b, IFD_STIFFNESS, *from, near, ifd__field(&f, "stiffness")->number);
    ifd_builder_spring(m->b, IFD_DAMPING, *from, near, ifd__field(&f, "damping")->number);
    *from = near;
    return true;
}
