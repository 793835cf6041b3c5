/* SPDX-License-Identifier: MIT */
/* Rayleigh and modal damping of a model. */
#include "base/arena.h"
#include "case/reader.h"

#include <math.h>

#include "model/build/builder.h"
#include "model/element/large_member.h"

const ifd__section ifd__section_rayleigh = {
    "rayleigh", "rayleigh: Rayleigh damping", "model.rayleigh",
    "The damping matrix is a M + b K. Give the coefficients a (`mass`) and b (`stiffness`), or one damping ratio for "
    "two frequencies or two modes. The term a M acts on the motion relative to the ground. K includes the geometric "
    "stiffness of P-Delta, and does not change when elements yield.",
    KEYS(WITHIN("mass", ANY, 0, 1e6, 0, NULL, "a, in 1/s"), WITHIN("stiffness", TIME, 0, 1e4, 0, NULL, "b, in s"),
         WITHIN("ratio", NONE, 1e-9, 1, 0, "none", "damping ratio; alternative: mass and stiffness"),
         FORM("frequencies", false, "[first, second]", NULL, "the two frequencies, in Hz"),
         FORM("modes", false, "[first, second]", NULL, "the two modes of the undamped model, counted from 1"),
         WORD("elements", "excluded|initial",
              "whether K contains the initial stiffness of nonlinear elements such as bouc-wen"))};

/* Angular frequencies of two modes of the present model, without damping. */
static bool mode_frequencies(ifd__model_read *m, const ifd__node *node, double w[2])
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_model *made;
    ifd_modes modes;
    ifd_note quiet;
    long which[2] = {0, 0};
    for (int i = 0; i < 2; i++)
        if (!scratch || ifd__yaml_integer(ifd__yaml_item(node, i), 1, 100000, &which[i], m->note) != IFD_OK)
            return false;
    long last = which[0] > which[1] ? which[0] : which[1];
    ifd_note_init(&quiet, scratch); /* errors are reported when the model is made */
    if (ifd_model_make(scratch, m->b, &made, &quiet) != IFD_OK)
        return false;
    if (last > ifd_model_dofs(made)) {
        ifd_note_add(m->note, IFD_RANGE, &node->place, "mode %ld is requested, but the model has %d", last,
                     ifd_model_dofs(made));
        return false;
    }
    if (ifd_model_modes(made, IFD_DOF_X, (int)last, scratch, &modes, m->note) != IFD_OK)
        return false;
    for (int i = 0; i < 2; i++)
        w[i] = 2 * M_PI * modes.frequency[which[i] - 1];
    return true;
}

/* a / (2 w) + b w / 2 = ratio at both frequencies. */
static void rayleigh_by_ratio(ifd__model_read *m, const ifd__fields *f, const ifd_value *ratio)
{
    const ifd__node *hertz = ifd__part(f, "frequencies"), *modes = ifd__part(f, "modes"),
                    *list = hertz ? hertz : modes;
    double w[2] = {0, 0};
    if (!hertz == !modes) {
        ifd_note_add(m->note, hertz ? IFD_CONFLICT : IFD_MISSING_KEY, hertz ? &modes->key_place : &ratio->place,
                     "rayleigh: 'ratio' needs %s'frequencies' or 'modes'", hertz ? "either " : "");
        return;
    }
    if (list->kind != IFD__SEQUENCE || list->count != 2) {
        ifd_note_add(m->note, IFD_SHAPE, &list->place, "rayleigh: '%s' is not a list of two", list->key);
        return;
    }
    bool ok = true;
    for (int i = 0; i < 2 && hertz; i++) {
        ok = ifd__yaml_number(ifd__yaml_item(list, i), IFD_DIM_FREQUENCY, IFD_RANGE_POSITIVE, &w[i], m->note) ==
                 IFD_OK &&
             ok;
        w[i] *= 2 * M_PI;
    }
    if (modes)
        ok = m->note->errors == m->errors && mode_frequencies(m, list, w);
    if (!ok)
        return;
    if (!(w[0] > 0) || !(w[1] > 0) || w[0] == w[1]) {
        ifd_note_add(m->note, IFD_RANGE, &list->place,
                     "rayleigh: the two frequencies are %g and %g Hz, expected different ones above zero",
                     w[0] / (2 * M_PI), w[1] / (2 * M_PI));
        if (modes && (w[0] == 0.0 || w[1] == 0.0))
            ifd_note_hint(m->note, "a mode of 0 Hz is a motion without stiffness%s",
                          m->frame && !ifd__yaml_get(ifd__yaml_get(m->node, "frame"), "supports")
                              ? ": the frame has no 'supports'"
                              : "");
        return;
    }
    ifd_builder_rayleigh(m->b, 2 * ratio->number * w[0] * w[1] / (w[0] + w[1]), 2 * ratio->number / (w[0] + w[1]));
}

/* The first element whose stiffness is not in b K, as that of elastic members that turn is; NULL: there is none. */
static const char *undamped_element(const ifd_builder *b)
{
    for (int e = 0; e < b->element.count; e++) {
        const ifd_element *element = &IFD__AT(b->element, ifd__attached, e).element;
        const ifd__large_member *large = ifd__large_member_of(element);
        if (!large || large->fibres)
            return element->name;
    }
    return NULL;
}

static void read_rayleigh(ifd__model_read *m, const ifd__node *node)
{
    ifd__fields f;
    if (!node)
        return;
    ifd__fields_read(m->r, node, &ifd__section_rayleigh, "rayleigh", &f);
    const ifd_value *a = ifd__field(&f, "mass"), *b = ifd__field(&f, "stiffness"), *ratio = ifd__field(&f, "ratio");
    if (node->kind != IFD__MAPPING)
        return;
    m->b->ray_elements = ifd__field_word(&f, "elements") == 1;
    const char *without = ratio->given && !m->b->ray_elements ? undamped_element(m->b) : NULL;
    if (without)
        ifd_note_remark(m->note, &ratio->place,
                        "rayleigh: b K does not contain the stiffness of elements such as '%s'; modes that they hold "
                        "have less damping than 'ratio'. 'elements: initial' adds it",
                        without);
    if (ratio->given && (a->given || b->given))
        ifd_note_add(m->note, IFD_CONFLICT, &ratio->place,
                     "rayleigh has 'ratio' and also 'mass' or 'stiffness': expected one or the other");
    else if (ratio->given)
        rayleigh_by_ratio(m, &f, ratio);
    else if (a->given || b->given)
        ifd_builder_rayleigh(m->b, a->number, b->number);
    else
        ifd_note_add(m->note, IFD_MISSING_KEY, &node->place, "rayleigh needs 'mass' and 'stiffness', or 'ratio'");
}

static void read_modal(ifd__model_read *m, const ifd__fields *model)
{
    const ifd__node *node = ifd__part(model, "modal-damping");
    const ifd_value *count = ifd__field(model, "modal-count");
    const double *zeta = NULL;
    int n = 0;
    if (!node && count->given)
        ifd_note_add(m->note, IFD_MISSING_KEY, &count->place, "'modal-count' without 'modal-damping'");
    if (!node || ifd__yaml_list(m->arena, node, IFD_DIM_NONE, &zeta, &n, m->note) != IFD_OK)
        return;
    for (int i = 0; i < n; i++)
        if (zeta[i] < 0 || zeta[i] > 1) {
            ifd_note_add(m->note, IFD_RANGE, &node->place, "'modal-damping' contains %g, expected ratios from 0 to 1",
                         zeta[i]);
            if (zeta[i] > 1)
                ifd_note_hint(m->note, "write %g %% as '%g %%' or %g", zeta[i], zeta[i], 0.01 * zeta[i]);
            return;
        }
    if (n == 0)
        ifd_note_add(m->note, IFD_SHAPE, &node->place, "'modal-damping' is empty, expected a ratio");
    else
        ifd_builder_modal(m->b, n, zeta, true);
    ifd_builder_modal_count(m->b, ifd__field_whole(m->r, model, "modal-count", "model: "));
}

void ifd__read_damping(ifd__model_read *m, const ifd__fields *model)
{
    read_rayleigh(m, ifd__part(model, "rayleigh"));
    read_modal(m, model);
}
