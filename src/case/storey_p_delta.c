/* SPDX-License-Identifier: MIT */
/* `gravity` and `height` of a shear building: the P-Delta effect of each storey, -P/h parallel to its stiffness. */
#include "case/reader.h"

#include <interfield/structures.h>

#include <stdio.h>

#include "model/gravity.h"

/* The number of storey i: from its entry in `storeys`, from a list, or one for all. */
static bool read_number(ifd__model_read *m, const ifd__node *body, const char *key, int i, double *out)
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

static bool wrong_count(ifd__model_read *m, const ifd__node *node, int storeys)
{
    if (!node || node->kind != IFD__SEQUENCE || node->count == storeys)
        return false;
    ifd_note_add(m->note, IFD_SHAPE, &node->place, "'%s' has %d numbers, expected %d, one per storey", node->key,
                 node->count, storeys);
    return true;
}

/* theta = P/(k h): the ratio of the additional to the first storey drift is theta/(1 - theta). */
static bool judge(ifd__model_read *m, const ifd__node *body, int i, double theta)
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

bool ifd__read_storey_gravity(ifd__model_read *m, const ifd__node *body, const ifd_building *b)
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
        bool heavy = read_number(m, body, "gravity", i, &P) && P > 0.0, high = read_number(m, body, "height", i, &h);
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
        ok = (k == 0.0 || judge(m, body, i, P / (k * h))) && ok;
        ifd_builder_spring(m->b, IFD_STIFFNESS, below, floor, -P / h);
        ifd__builder_gravity(m->b, below, below, -P / h);
        ifd__builder_gravity(m->b, floor, floor, -P / h);
        ifd__builder_gravity(m->b, below, floor, P / h);
        ifd__builder_gravity(m->b, floor, below, P / h);
    }
    return ok;
}
