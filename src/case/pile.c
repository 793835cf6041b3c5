/* SPDX-License-Identifier: MIT */
/* Soil around a member: springs at its nodes. */
#include "case/framing.h"

#include <math.h>
#include <string.h>

#include "case/element.h"
#include "model/element/soil.h"
#include "model/build/builder.h"
#include "model/build/frame.h"

const ifd__section ifd__section_soils = {
    "soils", "soils: soil around a pile", "model.frame.soils.*",
    "The program attaches elements `p-y` and `t-z` to the nodes of the pile below the surface, and `q-z` to its tip. "
    "The tributary lengths of the nodes are 3/8, 7/6, 23/24, 1, ..., 1, 23/24, 7/6, 3/8 of the length of a segment.",
    KEYS(
        WITHIN("surface", LENGTH, -1e4, 1e4, 0, NULL, "elevation of the surface, at which the pile must have a node"),
        NUMBER("diameter", LENGTH, 1e-3, 1e3, "diameter of the pile"),
        FORM("layers", true, "list of {to, sand or clay}", NULL,
             "layers from the surface downwards (help soil-layer)"),
        WITHIN("friction", PRESSURE, 0, 1e12, 0, "no t-z", "largest friction of the shaft"),
        WITHIN("tip", FORCE, 0, 1e15, 0, "no q-z", "largest force of the tip"),
        WITHIN("drag", NONE, 0, 1, 1, "no gap", "as in `p-y`"))};

const ifd__section ifd__section_soil_layer = {
    "soil-layer", "soil-layer: one layer of soil", "model.frame.soils.*.layers", "",
    KEYS(NUMBER("to", LENGTH, -1e4, 1e4, "elevation of the lower end of the layer"),
         FORM("sand", false, "{friction-angle, weight, modulus}", NULL, "the soil (help sand)"),
         FORM("clay", false, "{strength, weight, strain50, j}", NULL, "the soil (help clay)"))};

typedef struct layer {
    double to;
    ifd_value soil;
} layer;

/* A pile while it gets its springs. */
typedef struct piling {
    ifd__framing *k;
    const ifd__pile *of;
    double surface, diameter, friction, tip, drag, h;
    int layers, nodes, *node; /* from the surface down */
    layer *layer;
} piling;

static double elevation(const piling *p, int node)
{
    const ifd_frame_node *n = &p->k->frame.node[node];
    return p->k->frame.planar ? n->y : n->z;
}

static bool read_layers(piling *p, const ifd__node *list)
{
    ifd_note *note = p->k->m->note;
    int errors = note->errors;
    double last = p->surface;
    p->layer = ifd_arena_array(p->k->m->arena, list ? (size_t)list->count : 0, sizeof *p->layer);
    if (list && list->kind == IFD__SEQUENCE && list->count == 0)
        ifd_note_add(note, IFD_MISSING_KEY, &list->place, "'layers' is empty, expected at least one layer");
    for (const ifd__node *i = ifd__yaml_items(list, IFD__SEQUENCE, note); i && p->layer; i = i->next) {
        ifd__fields f;
        layer *l = &p->layer[p->layers++];
        ifd__fields_read(p->k->m->r, i, &ifd__section_soil_layer, "layer", &f);
        l->to = ifd__field(&f, "to")->number;
        (void)ifd__soil_numbers(p->k->m->r, i, "layer", &i->place, &l->soil);
        if (note->errors == errors && !(l->to < last))
            ifd_note_add(note, IFD_RANGE, &i->place,
                         "the layer ends at %g m; expected less than %g m, where it begins", l->to, last);
        last = l->to;
    }
    return note->errors == errors && p->layer;
}

/* Horizontal distance of two nodes. */
static double across(const piling *p, int a, int b)
{
    const ifd_frame_node *m = &p->k->frame.node[a], *n = &p->k->frame.node[b];
    return p->k->frame.planar ? fabs(n->x - m->x) : hypot(n->x - m->x, n->y - m->y);
}

/* Nodes of the pile at or below the surface, from there on. */
static bool find_nodes(piling *p)
{
    const ifd_frame *f = &p->k->frame;
    const ifd__pile *of = p->of;
    ifd_note *note = p->k->m->note;
    int first = f->member[of->first].from, last = f->member[of->first + of->segments - 1].to;
    bool down = elevation(p, first) > elevation(p, last);
    p->node = ifd_arena_array(p->k->m->arena, (size_t)of->segments + 1, sizeof *p->node);
    if (!p->node)
        return false;
    if (across(p, first, last) > 1e-6) {
        ifd_note_add(note, IFD_UNSUPPORTED, &of->soil.place,
                     "the pile is not vertical: its ends are %g m apart horizontally", across(p, first, last));
        return false;
    }
    for (int i = 0; i <= of->segments; i++) {
        int s = down ? i : of->segments - i, at = s < of->segments ? f->member[of->first + s].from : last;
        if (elevation(p, at) < p->surface + 1e-6)
            p->node[p->nodes++] = at;
    }
    if (p->nodes < 7) {
        ifd_note_add(note, IFD_RANGE, &of->soil.place,
                     "the pile has %d nodes at or below the surface of '%s', %g m; expected 7 or more ('segments')",
                     p->nodes, of->soil.word, p->surface);
        return false;
    }
    double top = elevation(p, p->node[0]), tip = elevation(p, p->node[p->nodes - 1]);
    p->h = (top - tip) / (p->nodes - 1);
    if (fabs(top - p->surface) > 1e-6)
        ifd_note_add(note, IFD_RANGE, &of->soil.place,
                     "no node of the pile is on the surface of '%s', %g m; the next one below it is at %g m",
                     of->soil.word, p->surface, top);
    else if (!(p->layer[p->layers - 1].to < tip + 1e-6))
        ifd_note_add(note, IFD_RANGE, &of->soil.place, "the layers of '%s' end at %g m, but the pile reaches %g m",
                     of->soil.word, p->layer[p->layers - 1].to, tip);
    else
        return true;
    return false;
}

/* Length that belongs to node i: end corrections of the trapezoidal rule. */
static double tributary(const piling *p, int i)
{
    static const double end[] = {3.0 / 8.0, 7.0 / 6.0, 23.0 / 24.0};
    int from = i < p->nodes - 1 - i ? i : p->nodes - 1 - i;
    return p->h * (from < 3 ? end[from] : 1.0);
}

static void set(const ifd_param *params, ifd_value *values, const char *name, double number)
{
    values[ifd_param_find(params, name)] = ifd_number(number);
}

/* An element of this kind between the ground and a direction of node i, with the preset values and those given. */
static void put(const piling *p, int i, int direction, const char *kind, ifd_value *values)
{
    static const double one[] = {1.0};
    const ifd_element_ops *ops = ifd_element_find(kind);
    const char *node = p->k->frame.node[p->node[i]].name, *suffix = ifd__frame_suffix[direction];
    const char *dof = ifd_arena_print(p->k->m->arena, "%s.%s", node, suffix),
               *name = ifd_arena_print(p->k->m->arena, "%s.%s-%s", node, kind, suffix);
    int ref;
    if (!dof || !name || !ifd_builder_find(p->k->m->b, dof, &ref) || ref < 0)
        return;
    const ifd_coordinate q = {1, &ref, one};
    ifd__keep_spring(p->k->m, ops, name, values);
    (void)ifd_builder_element(p->k->m->b, ops, name, &(ifd_coordinates){1, &q}, values, p->k->m->note);
    ifd__add_piece(p->k->m, &(ifd_case_piece){.name = name, .kind = kind, .to = dof});
}

static void put_springs(const piling *p, int i)
{
    enum { MOST = 16 };
    const ifd_param *across = ifd_element_find("p-y")->params, *along = ifd_element_find("t-z")->params,
                    *below = ifd_element_find("q-z")->params;
    int vertical = p->k->frame.planar ? 1 : 2, of = 0;
    double z = elevation(p, p->node[i]);
    ifd_value values[MOST];
    while (of < p->layers - 1 && z < p->layer[of].to - 1e-9)
        of++;
    bool sand = p->layer[of].soil.cols == IFD__SAND_NUMBERS, loose = sand && i == 0; /* no strength at the surface */
    for (int d = 0; d < vertical && !loose; d++) {
        ifd_param_preset(across, values);
        set(across, values, "depth", fmax(p->surface - z, 1e-9));
        set(across, values, "diameter", p->diameter);
        set(across, values, "length", tributary(p, i));
        set(across, values, "drag", p->drag);
        values[ifd_param_find(across, "soil")] = p->layer[of].soil;
        put(p, i, d, "p-y", values);
    }
    if (i > 0 && p->friction > 0.0) {
        ifd_param_preset(along, values);
        set(along, values, "diameter", p->diameter);
        set(along, values, "length", tributary(p, i));
        set(along, values, "friction", p->friction);
        set(along, values, "soil", sand);
        values[ifd_param_find(along, "soil")].word = sand ? "sand" : "clay";
        put(p, i, vertical, "t-z", values);
    }
    if (i == p->nodes - 1 && p->tip > 0.0) {
        ifd_param_preset(below, values);
        set(below, values, "diameter", p->diameter);
        set(below, values, "resistance", p->tip);
        put(p, i, vertical, "q-z", values);
    }
}

static void put_pile(ifd__framing *k, const ifd__node *soils, const ifd__pile *of)
{
    piling p = {.k = k, .of = of};
    ifd__fields f;
    int errors = k->m->note->errors;
    const ifd__node *soil = ifd__framing_named(k, soils, "soil", of->soil.word, &of->soil.place);
    if (!soil)
        return;
    ifd__fields_read(k->m->r, soil, &ifd__section_soils, "soil", &f);
    p.surface = ifd__field(&f, "surface")->number;
    p.diameter = ifd__field(&f, "diameter")->number;
    p.friction = ifd__field(&f, "friction")->number;
    p.tip = ifd__field(&f, "tip")->number;
    p.drag = ifd__field(&f, "drag")->number;
    if (!read_layers(&p, ifd__part(&f, "layers")) || k->m->note->errors > errors || !find_nodes(&p))
        return;
    for (int i = 0; i < p.nodes; i++)
        put_springs(&p, i);
}

bool ifd__add_piles(ifd__framing *k, const ifd__node *soils)
{
    int errors = k->m->note->errors;
    for (const ifd__pile *p = k->pile; p; p = p->next)
        put_pile(k, soils, p);
    return k->m->note->errors == errors;
}
