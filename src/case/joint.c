/* SPDX-License-Identifier: MIT */
/* Joints: equations between dofs of substructures, "tower.x = -1 * top.x + 0.5 m * top.rz". */
#include <string.h>

#include "case/sum.h"
#include "base/arena.h"

const ifd__section ifd__section_joints = {
    "joints", "joints: connections of substructures", "joints",
    "Each joint is an equation between dofs `substructure.dof`: one dof on each side, or sums with coefficients for "
    "signs, levers and rigid links. A coefficient with a unit of length multiplies a rotation. In a frame, "
    "`substructure.node` on both sides joins all common dofs of the two nodes. Joints must be independent. A dof in "
    "a joint needs mass.",
    NO_KEYS};

void ifd__add_joint(ifd__reader *r, ifd__structure *st, const ifd_joint *joint, ifd_joint_term *term)
{
    ifd_couple_options *c = &st->couple;
    int n = c->joints;
    if ((n & (n - 1)) == 0) { /* the capacity is a power of two */
        ifd_joint *more = ifd_arena_array(r->arena, n ? 2 * (size_t)n : 1, sizeof *more);
        if (!ifd__in_memory(r, more))
            return;
        if (n)
            memcpy(more, st->joint, (size_t)n * sizeof *more);
        c->joint = st->joint = more;
    }
    const char *user = ifd_arena_print(r->arena, "joint '%s' uses", joint->name);
    for (int k = 0; k < joint->terms; k++)
        ifd__refer(&st->part[term[k].part].m, &term[k].dof, IFD__REFER_JOINT, user, &joint->place);
    st->joint[n] = *joint;
    st->joint[n].term = term;
    c->joints++;
}

static const char *part_names(ifd_arena *arena, const ifd__structure *st)
{
    const char **name = ifd_arena_array(arena, (size_t)st->parts, sizeof *name);
    for (int p = 0; p < st->parts && name; p++)
        name[p] = st->part[p].name;
    return name ? ifd__join(arena, st->parts, name) : "";
}

/* The substructure at the start of a name; -1: none. */
static int part_of(const ifd__structure *st, const char *name, const char **dof)
{
    const char *dot = strchr(name, '.');
    for (int p = 0; p < st->parts && dot; p++)
        if (strlen(st->part[p].name) == (size_t)(dot - name) &&
            strncmp(name, st->part[p].name, (size_t)(dot - name)) == 0) {
            *dof = dot + 1;
            return p;
        }
    return -1;
}

static ifd_status unknown_part(const ifd__structure *st, const ifd__node *node, const char *name, const char *what)
{
    const char *dot = strchr(name, '.');
    if (!dot)
        return ifd_note_add(st->whole.note, IFD_SYNTAX, &node->place, "found '%s' in %s, expected 'part.dof'", name,
                            what);
    const char *part = ifd_arena_text_n(st->whole.arena, name, (size_t)(dot - name));
    ifd_note_add(st->whole.note, IFD_UNKNOWN_NAME, &node->place, "no substructure has the name '%s'",
                 part ? part : name);
    ifd_choice_hint(st->whole.note, part_names(st->whole.arena, st), part ? part : name);
    return IFD_UNKNOWN_NAME;
}

ifd_status ifd__find_part_dof(const ifd__structure *st, const ifd__node *node, const char *name, const char *what,
                              int *part, int *dof)
{
    const char *own;
    int ref = -1, p = part_of(st, name, &own);
    if (p < 0)
        return unknown_part(st, node, name, what);
    if (!ifd_builder_find(st->part[p].m.b, own, &ref)) {
        if (ifd__unknown_name(&st->part[p].m, own)) {
            ifd_note_add(st->whole.note, IFD_UNKNOWN_NAME, &node->place, "substructure '%s' has no dof '%s'",
                         st->part[p].name, own);
            ifd_choice_hint(st->whole.note, ifd__names_in_parts(st->whole.arena, st), name);
        }
        return IFD_UNKNOWN_NAME;
    }
    if (ref < 0)
        return ifd_note_add(st->whole.note, IFD_UNKNOWN_NAME, &node->place, "'%s' is %s, expected a dof", name,
                            ref == IFD_GROUND ? "the ground" : "a support");
    *part = p;
    *dof = ref;
    return ifd__refuse_condensed(&st->part[p].m, ref, &node->place, what) ? IFD_CONFLICT : IFD_OK;
}

/* part.dof */
static ifd_status find_term(const ifd__sum *s, const char *name, ifd_joint_term *out, bool *turns)
{
    const ifd__structure *st = s->of;
    IFD_TRY(ifd__find_part_dof(st, s->node, name, "the joint", &out->part, &out->dof));
    *turns = ifd__rotation(ifd__ref_kind(st->part[out->part].m.b, out->dof));
    return IFD_OK;
}

static ifd_status keep(const ifd__sum *e, const char *name)
{
    ifd__reader *r = e->r;
    ifd__structure *st = e->of;
    bool two = false;
    for (int k = 1; k < e->terms; k++)
        two = two || e->term[k].part != e->term[0].part;
    if (!two)
        return ifd_note_add(r->note, IFD_CONFLICT, &e->node->place,
                            "joint '%s' connects substructure '%s' with itself: expected dofs of two substructures",
                            name, st->part[e->term[0].part].name);
    ifd_joint_term *term;
    IFD_TRY(IFD__TAKE(r->arena, IFD__ARRAY(term, e->terms)));
    memcpy(term, e->term, (size_t)e->terms * sizeof *term);
    ifd__add_joint(r, st, &(ifd_joint){.name = name, .terms = e->terms, .place = e->node->place}, term);
    return IFD_OK;
}

/* "lower.s7c1 = upper.s7c1": every direction of both nodes. False: the names are not nodes. */
static bool join_nodes(ifd__sum *e, const char *left, const char *right)
{
    static const char *const axis[] = {"x", "y", "z", "rx", "ry", "rz"};
    ifd__reader *r = e->r;
    const ifd__structure *st = e->of;
    const char *a, *b;
    int p = part_of(st, left, &a), q = part_of(st, right, &b), found = 0, ref;
    for (int k = 0; k < 6 && p >= 0 && q >= 0; k++) {
        const char *from = ifd_arena_print(r->arena, "%s.%s", a, axis[k]);
        const char *to = ifd_arena_print(r->arena, "%s.%s", b, axis[k]);
        if (!from || !to || !ifd_builder_find(st->part[p].m.b, from, &ref) ||
            !ifd_builder_find(st->part[q].m.b, to, &ref))
            continue;
        const char *row = ifd_arena_print(r->arena, "%s.%s = %s.%s", left, axis[k], right, axis[k]);
        const char *equals = row ? strchr(row, '=') : NULL;
        found++;
        e->terms = 0;
        if (equals && ifd__read_sum(e, row, equals, 1.0) == IFD_OK &&
            ifd__read_sum(e, equals + 1, row + strlen(row), -1.0) == IFD_OK)
            keep(e, row);
    }
    return found > 0;
}

static void read_joint(ifd__reader *r, ifd__structure *st, const ifd__node *node)
{
    ifd__sum e = {.r = r, .node = node, .what = "a joint", .of = st, .find = find_term};
    const char *text;
    if (ifd__yaml_text(node, &text, r->note) != IFD_OK)
        return;
    const char *equals = strchr(text, '='), *end = text + strlen(text);
    if (!equals || strchr(equals + 1, '=')) {
        ifd_note_add(r->note, IFD_SYNTAX, &node->place,
                     "found '%s', expected a joint such as 'tower.floor5 = top.base'", text);
        return;
    }
    const char *left = ifd__trimmed(r->arena, text, equals), *right = ifd__trimmed(r->arena, equals + 1, end);
    if (!left || !right || join_nodes(&e, left, right))
        return;
    if (ifd__read_sum(&e, text, equals, 1.0) == IFD_OK && ifd__read_sum(&e, equals + 1, end, -1.0) == IFD_OK)
        keep(&e, text);
}

void ifd__read_joints(ifd__reader *r, ifd__structure *st, const ifd__node *list)
{
    if (!list || !st->parts || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    for (const ifd__node *i = list->first; i; i = i->next)
        read_joint(r, st, i);
}
