/* SPDX-License-Identifier: MIT */
/* Members of a frame: lists of nodes and section, or mappings with further keys. */
#include "case/framing.h"

const ifd__section ifd__section_member = {
    "member", "member: one member of a frame", "model.frame.members",
    "The mapping form of an entry of `members`; `[b, c, beam, girder]` is the same as "
    "`{from: b, to: c, section: beam, name: girder}`.",
    KEYS(TEXT("from", true, NULL, "node of the first end"), TEXT("to", true, NULL, "node of the second end"),
         TEXT("section", true, NULL, "name of the section"),
         TEXT("name", false, "'from-to', of the nodes", "name of its recorded forces"))};

static void from_mapping(ifd__framing *k, const ifd__node *map, ifd_frame_member *out)
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

void ifd__read_members(ifd__framing *k, const ifd__node *list)
{
    int n = 0;
    if (ifd__yaml_expect(list, IFD__SEQUENCE, k->m->note) != IFD_OK)
        return;
    ifd_frame_member *member = ifd_arena_array(k->m->arena, (size_t)list->count, sizeof *member);
    for (const ifd__node *i = list->first; i && member; i = i->next, n++) {
        ifd_frame_member_defaults(&member[n]);
        member[n].material = k->material;
        if (i->kind == IFD__MAPPING)
            from_mapping(k, i, &member[n]);
        else if (i->kind == IFD__SEQUENCE && (i->count == 3 || i->count == 4))
            from_list(k, i, &member[n]);
        else
            ifd_note_add(k->m->note, IFD_SHAPE, &i->place,
                         "member %d is invalid: expected a list [node, node, section], [node, node, section, name], "
                         "or a mapping with 'from', 'to' and 'section'",
                         i->index + 1);
    }
    k->frame.members = n;
    k->frame.member = member;
}
