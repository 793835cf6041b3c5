/* SPDX-License-Identifier: MIT */
/* Shear buildings: storeys one by one, or by lists. */
#include "case/reader.h"

#include <stdio.h>

#include "model/build/builder.h"
#include "model/gravity.h"

const ifd__section ifd__section_shear_building = {
    "shear-building", "shear-building: storeys in series", "model.shear-building", "",
    KEYS(FORM("storeys", false, "list of {mass, stiffness, damping, name}, from the bottom", NULL,
              "the storeys one by one; alternative: the lists below"),
         FORM("mass", false, "list of masses, or one mass for all", NULL, "masses of the floors, from the bottom"),
         FORM("stiffness", false, "list of stiffnesses, or one for all", NULL,
              "stiffnesses of the storeys, from the bottom"),
         FORM("damping", false, "list of damping coefficients, or one for all", "none",
              "damping coefficients of the storeys"),
         WORD("direction", "x|y|z", "direction of the floor displacements"),
         FORM("base", false, "name of a support", "ground", "support below the first storey"),
         FORM("names", false, "list of names", "floor1, floor2, ...", "names of the floors, which are dofs"),
         FORM("gravity", false, "list of forces, or one for all", "none",
              "P, weight above each storey, with leaning columns, for the P-Delta effect -P/h"),
         FORM("height", false, "list of lengths, or one for all", "required with gravity",
              "h, height of each storey"))};

const ifd__section ifd__section_storey = {
    "storey", "storey: one storey of a shear building", "model.shear-building.storeys", "",
    KEYS(NUMBER("mass", MASS, 1e-9, 1e12, "mass of the floor"),
         NUMBER("stiffness", STIFFNESS, 0, 1e18,
                "stiffness of the storey below the floor; 0 if an element replaces it"),
         WITHIN("damping", DAMPING, 0, 1e18, 0, NULL, "damping of the storey below the floor"),
         TEXT("name", false, "floor1, floor2, ...", "name of the floor"),
         WITHIN("gravity", FORCE, 0, 1e15, 0, NULL, "P, weight above the storey, for its P-Delta effect"),
         WITHIN("height", LENGTH, 1e-3, 1e6, 0, "required with gravity", "h, height of the storey"))};

static bool read_storeys(ifd__model_read *m, const ifd__node *list, ifd_storey *s)
{
    int before = m->note->errors;
    for (const ifd__node *i = list->first; i; i = i->next) {
        ifd__fields f;
        ifd__fields_read(m->r, i, &ifd__section_storey, ifd_arena_print(m->arena, "storey %d", i->index + 1), &f);
        s[i->index] = (ifd_storey){ifd__field(&f, "name")->word, ifd__field(&f, "mass")->number,
                                   ifd__field(&f, "stiffness")->number, ifd__field(&f, "damping")->number};
    }
    return m->note->errors == before;
}

static bool wrong_count(ifd__model_read *m, const ifd__node *node, int storeys)
{
    if (!node || node->kind != IFD__SEQUENCE || node->count == storeys)
        return false;
    ifd_note_add(m->note, IFD_SHAPE, &node->place, "'%s' has %d numbers, expected %d, one per storey", node->key,
                 node->count, storeys);
    return true;
}

/* The list, or its one number for all; NULL after an error. */
static const double *per_storey(ifd__model_read *m, const ifd__node *node, ifd_dimension dim, ifd_range range, int n)
{
    const double *given = NULL;
    int count = 0;
    double *all = ifd_arena_array(m->arena, (size_t)n, sizeof *all);
    if (!node)
        return all;
    if (!all || ifd__yaml_list(m->arena, node, dim, &given, &count, m->note) != IFD_OK)
        return NULL;
    if (wrong_count(m, node, n))
        return NULL;
    for (int i = 0; i < n; i++) {
        const ifd__node *at = node->kind == IFD__SEQUENCE ? ifd__yaml_item(node, i) : node;
        all[i] = given[node->kind == IFD__SEQUENCE ? i : 0];
        if (all[i] < 0 || (all[i] == 0 && range == IFD_RANGE_POSITIVE)) {
            ifd_note_add(m->note, range == IFD_RANGE_POSITIVE ? IFD_NOT_POSITIVE : IFD_RANGE, &at->place,
                         "the %s of storey %d is %g, expected a number %s", node->key, i + 1, all[i],
                         range == IFD_RANGE_POSITIVE ? "above zero" : "not below zero");
            return NULL;
        }
    }
    return all;
}

static int count_storeys(const ifd__fields *f)
{
    const char *const key[] = {"mass", "stiffness", "names", "damping"};
    for (int i = 0; i < 4; i++) {
        const ifd__node *node = ifd__part(f, key[i]);
        if (node && node->kind == IFD__SEQUENCE)
            return node->count;
    }
    return 1;
}

static ifd_storey *storeys_by_lists(ifd__model_read *m, const ifd__fields *f, int n)
{
    ifd_storey *s = ifd_arena_array(m->arena, (size_t)n, sizeof *s);
    const ifd__node *names = ifd__part(f, "names");
    const double *mass = per_storey(m, ifd__part(f, "mass"), IFD_DIM_MASS, IFD_RANGE_POSITIVE, n);
    const double *k = per_storey(m, ifd__part(f, "stiffness"), IFD_DIM_STIFFNESS, IFD_RANGE_NOT_NEGATIVE, n);
    const double *c = per_storey(m, ifd__part(f, "damping"), IFD_DIM_DAMPING, IFD_RANGE_NOT_NEGATIVE, n);
    const char *const *name = NULL;
    int count = 0;
    if (names && ifd__yaml_names(m->arena, names, &name, &count, m->note) != IFD_OK)
        return NULL;
    if (names && count != n) {
        ifd_note_add(m->note, IFD_SHAPE, &names->place, "'names' has %d names, expected %d, one per storey", count,
                     n);
        return NULL;
    }
    for (int i = 0; s && mass && k && c && i < n; i++)
        s[i] = (ifd_storey){name ? name[i] : NULL, mass[i], k[i], c[i]};
    return mass && k && c ? s : NULL;
}

static bool build(ifd__model_read *m, const ifd_building *building)
{
    int *dof = ifd_arena_array(m->arena, (size_t)building->storeys, sizeof *dof);
    if (!dof || ifd_builder_building(m->b, building, dof, m->note) != IFD_OK)
        return false;
    for (int i = 0; i < building->storeys; i++) {
        const char *name = ifd_arena_print(m->arena, "storey%d", i + 1);
        if (name)
            ifd__add_storey_drift(m,
                                  &(ifd_storey_drift){.name = name,
                                                      .storey = true,
                                                      .folded = true,
                                                      .stiffness = building->storey[i].stiffness,
                                                      .damping = building->storey[i].damping},
                                  i ? dof[i - 1] : building->base, dof[i]);
    }
    ifd_building *kept = ifd_arena_take(m->arena, sizeof *kept);
    if (!kept)
        return false;
    *kept = *building;
    ifd__add_piece(m, &(ifd_case_piece){.building = kept});
    return true;
}

/* The number of storey i: from its entry in `storeys`, from a list, or one for all. */
static bool storey_number(ifd__model_read *m, const ifd__node *body, const char *key, int i, double *out)
{
    const ifd__node *list = ifd__yaml_get(body, "storeys"),
                    *node = ifd__yaml_get(list ? ifd__yaml_item(list, i) : body, key);
    ifd_dimension dim = key[0] == 'g' ? IFD_DIM_FORCE : IFD_DIM_LENGTH;
    if (node && node->kind == IFD__SEQUENCE)
        node = ifd__yaml_item(node, i);
    *out = 0.0;
    return node && ifd__yaml_number(node, dim, key[0] == 'g' ? IFD_RANGE_NOT_NEGATIVE : IFD_RANGE_POSITIVE, out,
                                    m->note) == IFD_OK;
}

/* theta = P/(k h): the ratio of the additional to the first storey drift is theta/(1 - theta). */
static bool judge_gravity(ifd__model_read *m, const ifd__node *body, int i, double theta)
{
    const double large = 0.1;
    if (theta >= 1.0)
        ifd_note_add(
            m->note, IFD_NOT_POSITIVE, &body->place,
            "storey %d is unstable under gravity: its critical load factor k h/P is %.6g, expected more than 1",
            i + 1, 1.0 / theta);
    else if (theta > large)
        ifd_note_remark(m->note, &body->place,
                        "storey %d: the P-Delta ratio theta = P/(k h) is %.3g; above %g gravity amplifies the storey "
                        "drift by more than 11 %%",
                        i + 1, theta, large);
    return theta < 1.0;
}

/* `gravity` and `height`: the P-Delta effect of each storey, -P/h parallel to its stiffness. */
static bool read_gravity(ifd__model_read *m, const ifd__node *body, const ifd_building *b)
{
    int below = b->base, floor = IFD_GROUND;
    bool ok = true;
    if (wrong_count(m, ifd__yaml_get(body, "gravity"), b->storeys) ||
        wrong_count(m, ifd__yaml_get(body, "height"), b->storeys))
        return false;
    for (int i = 0; i < b->storeys; i++, below = floor) {
        double P, h;
        char numbered[32];
        int errors = m->note->errors;
        snprintf(numbered, sizeof numbered, "floor%d", i + 1);
        bool heavy = storey_number(m, body, "gravity", i, &P) && P > 0.0,
             high = storey_number(m, body, "height", i, &h);
        if (!ifd_builder_find(m->b, b->storey[i].name ? b->storey[i].name : numbered, &floor) || !heavy) {
            ok = ok && m->note->errors == errors;
            continue;
        }
        if (!high) {
            if (m->note->errors == errors)
                ifd_note_add(m->note, IFD_MISSING_KEY, &body->place, "storey %d has 'gravity' without 'height'",
                             i + 1);
            return false;
        }
        double k = b->storey[i].stiffness;
        ok = (k == 0.0 || judge_gravity(m, body, i, P / (k * h))) && ok;
        ifd_builder_spring(m->b, IFD_STIFFNESS, below, floor, -P / h);
        ifd__builder_gravity(m->b, below, below, -P / h);
        ifd__builder_gravity(m->b, floor, floor, -P / h);
        ifd__builder_gravity(m->b, below, floor, P / h);
        ifd__builder_gravity(m->b, floor, below, P / h);
    }
    return ok;
}

bool ifd__read_building(ifd__model_read *m, const ifd__node *node)
{
    ifd__fields f;
    ifd_building building;
    ifd__fields_read(m->r, node, &ifd__section_shear_building, "shear-building", &f);
    if (node->kind != IFD__MAPPING)
        return false;
    const ifd__node *list = ifd__part(&f, "storeys"), *mass = ifd__part(&f, "mass"),
                    *stiffness = ifd__part(&f, "stiffness");
    ifd_building_defaults(&building);
    ifd_storey *s = NULL;
    if (list && (mass || stiffness)) {
        ifd_note_add(m->note, IFD_CONFLICT, &list->key_place,
                     "shear-building has 'storeys' and also lists: expected one or the other");
        return false;
    }
    if (list && ifd__yaml_expect(list, IFD__SEQUENCE, m->note) == IFD_OK) {
        building.storeys = list->count;
        s = ifd_arena_array(m->arena, (size_t)list->count, sizeof *s);
        s = s && read_storeys(m, list, s) ? s : NULL;
    } else if (!list && (!mass || !stiffness)) {
        ifd_note_add(m->note, IFD_MISSING_KEY, &node->place,
                     "shear-building needs 'storeys', or 'mass' and 'stiffness'");
    } else if (!list) {
        building.storeys = count_storeys(&f);
        s = storeys_by_lists(m, &f, building.storeys);
    }
    const ifd__node *base = ifd__part(&f, "base");
    building.direction = (ifd_dof_kind)ifd__field_word(&f, "direction");
    if (base && !ifd__read_ref(m, base, IFD__REF_ANY, &building.base))
        return false;
    building.storey = s;
    if (s && building.storeys == 0)
        ifd_note_add(m->note, IFD_SHAPE, &list->place, "'storeys' is empty, expected at least one storey");
    const ifd_finding *before = m->note->last;
    bool built = s && building.storeys && build(m, &building) && read_gravity(m, node, &building);
    ifd__place_findings(m->r, before, &node->place);
    return built;
}
