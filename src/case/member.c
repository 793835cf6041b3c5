/* SPDX-License-Identifier: MIT */
/* Members of a frame: lists of nodes and section, or mappings with further keys. */
#include "case/framing.h"

#include <string.h>

#include "base/arena.h"
#include "model/build/frame.h"

const ifd__section ifd__section_member = {
    "member", "member: one member of a frame", "model.frame.members",
    "An entry of `members` is a list or a mapping. `[b, c, beam, girder]` is the same as `{from: b, to: c, "
    "section: beam, name: girder}`.",
    KEYS(TEXT("from", true, NULL, "node of the first end"), TEXT("to", true, NULL, "node of the second end"),
         TEXT("section", true, NULL, "name of the section"),
         TEXT("name", false, "'from-to', of the nodes", "name of its recorded forces"),
         FORM("release", false, "start, end, both, or {start: stiffness, end.ry: stiffness}", "rigid connections",
              "ends whose rotations about the local axes (rz, in space also ry) are free or restrained by a spring; "
              "`end.rz` is one rotation, `end.rx` the twist"),
         FORM("load", false, "force per length, downwards, or components [wx, wy] or [wx, wy, wz]", "none",
              "constant load of the member in the gravity state"),
         TEXT("soil", false, "none", "name of the soil around this pile, which needs 6 segments or more"),
         WITHIN("segments", NONE, 1, 1000, 1, NULL,
                "number of equal parts; parts and the nodes between them are named NAME.1, NAME.2, ..."))};

static const char release_form[] =
    "expected 'start', 'end', 'both', or stiffnesses such as {start: 0, end: 15 MN m/rad}";

/* "end", "start.ry": the end, and the rotations as bits of IFD_FIX_...; false: neither. */
static bool released_end(const ifd__framing *k, const char *key, int *end, unsigned *turns)
{
    const char *dot = strchr(key, '.');
    size_t length = dot ? (size_t)(dot - key) : strlen(key);
    bool start = length == 5 && strncmp(key, "start", 5) == 0, last = length == 3 && strncmp(key, "end", 3) == 0;
    int which = dot ? ifd_choice_find("rx|ry|rz", dot + 1) : -1;
    *end = start ? 0 : 1;
    *turns = dot && which >= 0 ? (unsigned)IFD_FIX_RX << which
             : k->frame.planar ? IFD_FIX_RZ
                               : IFD_FIX_RY | IFD_FIX_RZ;
    return (start || last) && (!dot || (which >= 0 && (!k->frame.planar || which == 2)));
}

static void release(ifd_frame_member *m, int end, unsigned turns, double spring)
{
    m->released[end] |= turns;
    for (int i = 0; i < 3; i++)
        if (turns & (unsigned)IFD_FIX_RX << i)
            m->spring[end][i] = spring;
}

static void read_release(ifd__framing *k, const ifd__node *node, ifd_frame_member *out)
{
    unsigned turns = k->frame.planar ? IFD_FIX_RZ : IFD_FIX_RY | IFD_FIX_RZ;
    int word = node && node->kind == IFD__SCALAR ? ifd_choice_find("start|end|both", node->text) : -1, end;
    for (int i = 0; i < 2 && word >= 0; i++)
        if (word == i || word == 2)
            release(out, i, turns, 0.0);
    if (!node || word >= 0)
        return;
    if (node->kind != IFD__MAPPING)
        ifd_note_add(k->m->note, IFD_SHAPE, &node->place, "this release is unknown: %s", release_form);
    for (const ifd__node *i = node->kind == IFD__MAPPING ? node->first : NULL; i; i = i->next) {
        double spring = 0.0;
        if (!released_end(k, i->key, &end, &turns))
            ifd_note_add(k->m->note, IFD_UNKNOWN_KEY, &i->key_place, "'%s' is no end that can be released%s: %s",
                         i->key, k->frame.planar ? " in a plane frame" : "", release_form);
        else if (ifd__yaml_number(i, IFD_DIM_ROTATIONAL_STIFFNESS, IFD_RANGE_NOT_NEGATIVE, &spring, k->m->note) ==
                 IFD_OK)
            release(out, end, turns, spring);
    }
    if (out->released[0] & out->released[1] & IFD_FIX_RX)
        ifd_note_add(k->m->note, IFD_CONFLICT, &node->place,
                     "rx is released at both ends: the member could turn about its axis; release one end");
}

static void read_load(ifd__framing *k, const ifd__node *node, ifd_frame_member *out)
{
    const double *w = NULL;
    int count = 0, size = k->frame.planar ? 2 : 3;
    if (!node || ifd__yaml_list(k->m->arena, node, IFD_DIM_FORCE_PER_LENGTH, &w, &count, k->m->note) != IFD_OK)
        return;
    if (node->kind != IFD__SEQUENCE)
        out->load[size - 1] = -w[0];
    else if (count != size)
        ifd_note_add(k->m->note, IFD_SHAPE, &node->place, "'load' has %d components, expected %d, or one number",
                     count, size);
    for (int i = 0; node->kind == IFD__SEQUENCE && count == size && i < size; i++)
        out->load[i] = w[i];
}

static void from_mapping(ifd__framing *k, const ifd__node *map, ifd_frame_member *out, int *segments)
{
    ifd__fields f;
    ifd__fields_read(k->m->r, map, &ifd__section_member, "member", &f);
    const ifd_value *from = ifd__field(&f, "from"), *to = ifd__field(&f, "to"), *of = ifd__field(&f, "section");
    if (from->word)
        out->from = ifd__framing_node(k, from->word, &from->place);
    if (to->word)
        out->to = ifd__framing_node(k, to->word, &to->place);
    if (of->word)
        out->section = ifd__framing_section(k, of);
    out->name = ifd__field(&f, "name")->word;
    read_release(k, ifd__part(&f, "release"), out);
    read_load(k, ifd__part(&f, "load"), out);
    *segments = ifd__field_whole(k->m->r, &f, "segments", "member: ");
    const ifd_value *soil = ifd__field(&f, "soil");
    ifd__pile *pile = soil->given ? ifd_arena_take(k->m->arena, sizeof *pile) : NULL;
    if (pile) {
        *pile = (ifd__pile){k->pile, k->frame.members, *segments, *soil};
        k->pile = pile;
    }
}

static void from_list(ifd__framing *k, const ifd__node *list, ifd_frame_member *out)
{
    const ifd__node *to = list->first->next, *of = to->next;
    const ifd_value section = {.word = of->text, .place = of->place};
    const char *name;
    if (ifd__yaml_text(list->first, &name, k->m->note) == IFD_OK)
        out->from = ifd__framing_node(k, name, &list->first->place);
    if (ifd__yaml_text(to, &name, k->m->note) == IFD_OK)
        out->to = ifd__framing_node(k, name, &to->place);
    out->section = ifd__framing_section(k, &section);
    if (of->next)
        (void)ifd__yaml_text(of->next, &out->name, k->m->note);
}

/* The member as `count` members between new nodes on its line; releases remain at its ends. */
static void divide(ifd__framing *k, ifd_frame_node *node, ifd_frame_member *member, int count)
{
    const ifd_frame_member whole = *member;
    const char *name = ifd__frame_member_name(k->m->arena, &k->frame, k->frame.members);
    const ifd_frame_node *a = &node[whole.from], *b = &node[whole.to];
    for (int i = 1; i < count && name; i++) {
        double x = (double)i / count;
        node[k->frame.nodes++] =
            (ifd_frame_node){ifd_arena_print(k->m->arena, "%s.%d", name, i), a->x + x * (b->x - a->x),
                             a->y + x * (b->y - a->y), a->z + x * (b->z - a->z)};
    }
    for (int i = 0; i < count; i++) {
        member[i] = whole;
        member[i].name = ifd_arena_print(k->m->arena, "%s.%d", name ? name : "", i + 1);
        member[i].from = i ? k->frame.nodes - count + i : whole.from;
        member[i].to = i < count - 1 ? k->frame.nodes - count + i + 1 : whole.to;
        if (i > 0)
            member[i].released[0] = 0;
        if (i < count - 1)
            member[i].released[1] = 0;
    }
}

/* Members and nodes that the list makes at most. */
static int count_segments(const ifd__node *list)
{
    long sum = 0, count;
    for (const ifd__node *i = list->first; i; i = i->next) {
        const ifd__node *n = ifd__yaml_get(i, "segments");
        sum += n && ifd__yaml_integer(n, 1, 1000, &count, NULL) == IFD_OK ? count : 1;
    }
    return (int)sum;
}

void ifd__read_members(ifd__framing *k, const ifd__node *list)
{
    if (ifd__yaml_expect(list, IFD__SEQUENCE, k->m->note) != IFD_OK)
        return;
    size_t most = (size_t)count_segments(list);
    ifd_frame_member *member;
    ifd_frame_node *node;
    if (IFD__TAKE(k->m->arena, IFD__ARRAY(member, most), IFD__ARRAY(node, (size_t)k->frame.nodes + most)) != IFD_OK) {
        (void)ifd__in_memory(k->m->r, false);
        return;
    }
    if (k->frame.nodes)
        memcpy(node, k->frame.node, (size_t)k->frame.nodes * sizeof *node);
    k->frame.node = node;
    k->frame.member = member;
    for (const ifd__node *i = list->first; i; i = i->next) {
        ifd_frame_member *next = &member[k->frame.members];
        int segments = 1;
        ifd_frame_member_defaults(next);
        next->material = k->material;
        if (i->kind == IFD__MAPPING)
            from_mapping(k, i, next, &segments);
        else if (i->kind == IFD__SEQUENCE && (i->count == 3 || i->count == 4))
            from_list(k, i, next);
        else
            ifd_note_add(k->m->note, IFD_SHAPE, &i->place,
                         "member %d is invalid: expected a list [node, node, section], [node, node, section, name], "
                         "or a mapping with 'from', 'to' and 'section'",
                         i->index + 1);
        bool divided = segments > 1 && k->m->note->errors == k->errors;
        if (divided)
            divide(k, node, next, segments);
        k->frame.members += divided ? segments : 1;
    }
}
