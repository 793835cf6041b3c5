/* SPDX-License-Identifier: MIT */
/* A model divided into substructures by lists of dofs, and the joints between them. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "case/tie.h"
#include "couple/distributed.h"
#include "model/build/builder.h"
#include "model/build/cut.h"

const ifd__section ifd__section_cut = {
    "cut", "cut: division of a model into substructures", "cut",
    "A dof that belongs to several substructures is at a cut. Each of these substructures gets a copy of the dof, "
    "and a joint connects the copies. A member, spring or element belongs to the substructure that has all of its "
    "dofs. `mass-ratio` divides everything whose dofs are all at the cut: the mass of a floor, and the beams of a "
    "cut floor. A matrix of numbers is divided as if it were a network of springs. Models with modal damping and "
    "condensed models cannot be divided.",
    KEYS(FORM("parts", true, "{name: substructure (help cut-part) or only the value of its `holds`}", NULL,
              "the substructures"),
         WITHIN("mass-ratio", NONE, 0.001, 0.999, 0.5, NULL,
                "fraction of a cut floor (mass and beams) that the first substructure gets"))};

const ifd__section ifd__section_cut_part = {
    "cut-part", "cut-part: one substructure of a cut", "cut.parts.*",
    "The short form of this mapping is only the value of `holds`, a text or a list.",
    KEYS(FORM("holds", true, "'storeys 0 to 7', 'floor3', 's7c1', 'floor3 to floor7', 's*c1.x', or a list of these",
              NULL, "its dofs: storeys, a dof, a node, a range in the order of the dofs, or a pattern"),
         IFD__PART_KEYS)};

typedef struct cutting {
    ifd__reader *r;
    ifd__structure *st;
    ifd_builder *whole;
    uint64_t *in; /* per dof: bit p if substructure p contains it */
} cutting;

/* The storey of a dof by its name: s7c1.x and s7x1y1.rz of a grid, floor7.x of its rigid floors, floor7 of a shear
 * building; -1: none. */
static int storey_of(const char *name)
{
    int storey, at = 0;
    if (sscanf(name, "s%d%n", &storey, &at) == 1 && at > 0 && (name[at] == 'c' || name[at] == 'x'))
        return storey;
    at = 0;
    return sscanf(name, "floor%d%n", &storey, &at) == 1 && at > 0 && (name[at] == '\0' || name[at] == '.') ? storey
                                                                                                           : -1;
}

static bool numbered(const cutting *c)
{
    bool any = false;
    for (int i = 0; i < c->whole->dof.count; i++)
        any = any || storey_of(ifd_builder_dof_name(c->whole, i)) >= 0;
    return any;
}

static int hold_storeys(cutting *c, int part, int from, int to)
{
    int count = 0;
    for (int i = 0; i < c->whole->dof.count; i++) {
        int storey = storey_of(ifd_builder_dof_name(c->whole, i));
        if (storey >= 0 && storey >= from && storey <= to) {
            c->in[i] |= (uint64_t)1 << part;
            count++;
        }
    }
    return count;
}

/* A dof by its name, or all dofs of a node; a pattern matches any number. */
static bool fits(const char *dof, const char *name)
{
    size_t n = strlen(name);
    return strcmp(dof, name) == 0 || (strncmp(dof, name, n) == 0 && dof[n] == '.') || fnmatch(name, dof, 0) == 0;
}

static int hold_names(cutting *c, int part, const char *name)
{
    int count = 0;
    for (int i = 0; i < c->whole->dof.count; i++)
        if (fits(ifd_builder_dof_name(c->whole, i), name)) {
            c->in[i] |= (uint64_t)1 << part;
            count++;
        }
    return count;
}

/* From the first dof of one name to the last of the other. */
static int hold_range(cutting *c, int part, const char *from, const char *to)
{
    int first = -1, last = -1;
    for (int i = 0; i < c->whole->dof.count; i++) {
        const char *name = ifd_builder_dof_name(c->whole, i);
        first = first < 0 && fits(name, from) ? i : first;
        last = fits(name, to) ? i : last;
    }
    if (first < 0 || last < first)
        return 0;
    for (int i = first; i <= last; i++)
        c->in[i] |= (uint64_t)1 << part;
    return last - first + 1;
}

static void hold(cutting *c, int part, const ifd__node *node)
{
    ifd__reader *r = c->r;
    const char *text;
    int from, to, at = 0, count;
    if (ifd__yaml_text(node, &text, r->note) != IFD_OK)
        return;
    const char *range = strstr(text, " to ");
    if (sscanf(text, "storeys %d to %d%n", &from, &to, &at) == 2 && text[at] == '\0' && at > 0)
        count = hold_storeys(c, part, from, to);
    else if (sscanf(text, "storey %d%n", &from, &at) == 1 && text[at] == '\0' && at > 0)
        count = hold_storeys(c, part, from, from);
    else if (range) {
        const char *first = ifd_arena_text_n(r->arena, text, (size_t)(range - text));
        count = first ? hold_range(c, part, first, range + 4) : 0;
    } else
        count = hold_names(c, part, text);
    if (count == 0 && strncmp(text, "storey", 6) == 0 && c->whole->dof.count > 0 && !numbered(c))
        ifd_note_advise(r->note, IFD_UNKNOWN_NAME, &node->place,
                        ifd_arena_print(r->arena, "expected names, such as '%s' or '%s to %s'",
                                        ifd_builder_dof_name(c->whole, 0), ifd_builder_dof_name(c->whole, 0),
                                        ifd_builder_dof_name(c->whole, c->whole->dof.count - 1)),
                        "substructure '%s': '%s' selects no dof: the storeys have names, not numbers",
                        c->st->part[part].name, text);
    else if (count == 0)
        ifd_note_advise(r->note, IFD_UNKNOWN_NAME, &node->place,
                        "expected a dof, a node, 'first to last', 'storeys 0 to 7' or a pattern such as 's7*'",
                        "substructure '%s': '%s' selects no dof", c->st->part[part].name, text);
}

static void read_holds(cutting *c, int part, const ifd__node *node)
{
    if (!node)
        return;
    if (node->kind == IFD__SCALAR)
        hold(c, part, node);
    else if (ifd__yaml_expect(node, IFD__SEQUENCE, c->r->note) == IFD_OK)
        for (const ifd__node *i = node->first; i; i = i->next)
            hold(c, part, i);
}

static void read_part(cutting *c, const ifd__node *node, const ifd__node *method)
{
    ifd__reader *r = c->r;
    ifd__fields f;
    int index = c->st->parts++;
    ifd__substructure_read *part = &c->st->part[index];
    bool full = node->kind == IFD__MAPPING;
    const char *what = ifd_arena_print(r->arena, "substructure '%s'", node->key);
    *part = (ifd__substructure_read){.name = node->key, .node = node, .m = c->st->whole};
    part->m.b = NULL;
    part->m.follow = NULL;
    part->m.index = index;
    if (!what || !ifd__part_name(r, node))
        return;
    if (!full) { /* only its dofs */
        ifd__node *map = ifd__write_node(r, IFD__MAPPING, node->key, "", node), *holds = ifd__copy_node(r, node);
        if (!map || !holds)
            return;
        holds->key = "holds";
        ifd__put_node(map, holds);
        part->node = map;
    }
    ifd__fields_read(r, part->node, &ifd__section_cut_part, what, &f);
    ifd__read_part_options(r, c->st, &f, method, part);
    read_holds(c, index, ifd__part(&f, "holds"));
}

/* Connects successive substructures that contain the same dof. Slaves of ties follow their masters. */
static void join(cutting *c, const ifd_place *place)
{
    ifd__reader *r = c->r;
    for (int i = 0; i < c->whole->dof.count; i++) {
        const char *name = ifd_builder_dof_name(c->whole, i);
        if (ifd__is_slave(&c->st->whole, i))
            continue;
        for (int p = 0, last = -1; p < c->st->parts; p++) {
            if (!(c->in[i] >> p & 1))
                continue;
            if (last >= 0) {
                ifd_joint_term *t = ifd_arena_array(r->arena, 2, sizeof *t);
                const char *text = ifd_arena_print(r->arena, "%s.%s = %s.%s", c->st->part[last].name, name,
                                                   c->st->part[p].name, name);
                if (!t || !text)
                    return;
                t[0] = (ifd_joint_term){.part = last, .coefficient = 1.0};
                t[1] = (ifd_joint_term){.part = p, .coefficient = -1.0};
                ifd_builder_find(c->st->part[last].m.b, name, &t[0].dof);
                ifd_builder_find(c->st->part[p].m.b, name, &t[1].dof);
                ifd__add_joint(r, c->st, &(ifd_joint){.name = text, .terms = 2, .place = *place}, t);
            }
            last = p;
        }
    }
}

static bool has_terms(const ifd_builder *b, const ifd_storey_drift *d)
{
    bool all = true;
    for (int k = 0, ref; k < d->terms; k++)
        all = all && ifd_builder_find(b, d->term[k], &ref);
    return all;
}

/* A drift belongs to the first substructure with both its ends. */
static void place_drifts(ifd__reader *r, const ifd__structure *st)
{
    for (ifd_storey_drift *d = r->c->drift; d; d = d->next)
        for (int p = 0, ref; p < st->parts; p++) {
            const ifd__substructure_read *part = &st->part[p];
            if ((d->to && !ifd_builder_find(part->m.b, d->to, &ref)) ||
                (d->from && !ifd_builder_find(part->m.b, d->from, &ref)) || !has_terms(part->m.b, d))
                continue;
            d->from = d->from ? ifd_arena_print(r->arena, "%s.%s", part->name, d->from) : NULL;
            d->to = d->to ? ifd_arena_print(r->arena, "%s.%s", part->name, d->to) : NULL;
            for (int k = 0; k < d->terms; k++)
                d->term[k] = ifd_arena_print(r->arena, "%s.%s", part->name, d->term[k]);
            break;
        }
}

/* The substructures that other processes step. Rank 0 computes with their matrices if it records more than the motion
 * of dofs. */
static uint64_t of_others(const cutting *c)
{
    const ifd__reader *r = c->r;
    uint64_t out = 0;
    bool known = r->ranks > 1 && ifd__records_motion(r, c->st) && (r->rank > 0 || ifd__builder_heavy(c->whole));
    for (int p = 0; p < c->st->parts && known; p++)
        if (ifd__rank_of(p, c->st->parts, r->ranks) != r->rank)
            out |= (uint64_t)1 << p;
    return out;
}

static void cut(cutting *c, const ifd__node *node, double ratio)
{
    ifd__reader *r = c->r;
    ifd_builder *substructure[IFD__CUT_SUBSTRUCTURES];
    const ifd__cut how = {.substructures = c->st->parts, .in = c->in, .ratio = ratio, .outlined = of_others(c)};
    const ifd_finding *before = r->note->last;
    if (ifd__builder_cut(r->arena, c->whole, &how, substructure, r->note) == IFD_OK) {
        for (int p = 0; p < c->st->parts; p++)
            c->st->part[p].m.b = substructure[p];
        join(c, &node->place);
        place_drifts(r, c->st);
        ifd__builder_release(c->whole);
    }
    ifd__place_findings(r, before, &node->place);
}

void ifd__read_cut(ifd__reader *r, ifd__structure *st, const ifd__fields *top)
{
    const ifd__node *node = ifd__part(top, "cut");
    ifd__fields f;
    cutting c = {.r = r, .st = st, .whole = st->whole.b};
    int errors = r->note->errors;
    if (st->whole.frame && st->whole.frame->large) {
        ifd_note_add(
            r->note, IFD_UNSUPPORTED, &node->key_place,
            "a frame with 'geometry: large' cannot have 'cut': a cut divides matrices; expected substructures "
            "with joints");
        return;
    }
    ifd__fields_read(r, node, &ifd__section_cut, "cut", &f);
    const ifd__node *parts = node->kind == IFD__MAPPING ? ifd__part(&f, "parts") : NULL;
    if (!parts || ifd__yaml_expect(parts, IFD__MAPPING, r->note) != IFD_OK)
        return;
    if (parts->count < 2 || parts->count > IFD__CUT_SUBSTRUCTURES) {
        ifd_note_add(r->note, IFD_SHAPE, &parts->place, "the cut gives %d substructures, expected 2 to %d",
                     parts->count, (int)IFD__CUT_SUBSTRUCTURES);
        return;
    }
    if (IFD__TAKE(r->arena, IFD__ARRAY(c.in, c.whole->dof.count), IFD__ARRAY(st->part, parts->count)) != IFD_OK)
        return;
    for (const ifd__node *i = parts->first; i; i = i->next)
        read_part(&c, i, ifd__part(top, "method"));
    if (st->whole.sound && r->note->errors == errors)
        cut(&c, node, ifd__field(&f, "mass-ratio")->number);
    /* After an error every substructure has all names, so that later references can be read. */
    for (int p = 0; p < st->parts; p++)
        if (!st->part[p].m.b) {
            st->part[p].m.b = st->whole.b;
            st->part[p].m.sound = false;
        }
}
