/* SPDX-License-Identifier: MIT */
/* First-order blocks: inputs, and location of their force. */
#include "case/element.h"

#include <string.h>

#include "model/element/control.h"

enum { MOST_PORTS = 64 };

/* Input or output of a block: one dof, the difference of two, or the elongation of a chord. */
typedef struct port {
    ifd__chord chord;
    int ref[2];
    int count;
    bool velocity;
    double sign[2];
} port;

/* The port of a chord, which acts on no condensed dof. */
static bool along(const ifd__model_read *m, const ifd__entry_of *e, port *p, const ifd_place *place)
{
    if (!p->chord.row.count) {
        p->count = 2;
        p->ref[0] = p->chord.to;
        p->ref[1] = p->chord.from;
    }
    for (int k = 0; k < p->chord.row.count; k++)
        ifd__entry_kept(m, e, p->chord.row.ref[k], place);
    return true;
}

/* "[displacement|velocity] to [- from]" */
static bool read_port(const ifd__model_read *m, const ifd__entry_of *e, const ifd__node *node, port *p)
{
    const char *text;
    char *word[5], *rest = NULL;
    int n = 0, at = 0;
    *p = (port){.count = 1, .sign = {1, -1}};
    if (ifd__yaml_text(node, &text, m->note) != IFD_OK)
        return false;
    char *copy = ifd_arena_text(m->arena, text);
    for (char *w = copy ? strtok_r(copy, " ", &rest) : NULL; w && n < 5; w = strtok_r(NULL, " ", &rest))
        word[n++] = w;
    if (n > 1 && strcmp(word[1], "-") != 0) {
        int kind = ifd_choice_find("displacement|velocity", word[0]);
        if (kind < 0) {
            ifd_note_add(m->note, IFD_UNKNOWN_CHOICE, &node->place,
                         "a block cannot read '%s': expected 'displacement' or 'velocity' and a dof", word[0]);
            ifd_choice_hint(m->note, "displacement|velocity", word[0]);
            return false;
        }
        p->velocity = kind == 1;
        at = 1;
    }
    if (n - at != 1 && !(n - at == 3 && strcmp(word[at + 1], "-") == 0)) {
        ifd_note_add(m->note, IFD_SHAPE, &node->place,
                     "found '%s', expected for example 'velocity x2' or 'displacement x2 - x1'", text);
        return false;
    }
    if (n - at == 3 && (ifd__is_node(m, word[at]) || ifd__is_node(m, word[at + 2])))
        return ifd__node_chord(m, e->what, (const char *const[2]){word[at + 2], word[at]}, &node->place, &p->chord) &&
               along(m, e, p, &node->place);
    bool ok = ifd__find_ref(m, word[at], &node->place, IFD__REF_ANY, &p->ref[0]);
    if (n - at == 3) {
        p->count = 2;
        ok = ifd__find_ref(m, word[at + 2], &node->place, IFD__REF_ANY, &p->ref[1]) && ok;
    }
    return ok;
}

/* A dof, or [from, to]. */
static bool apply_port(const ifd__model_read *m, const ifd__entry_of *e, const ifd__node *node, port *p)
{
    *p = (port){.count = 1, .sign = {1, -1}};
    if (node->kind == IFD__SCALAR)
        return ifd__read_ref(m, node, IFD__REF_SUPPORT, &p->ref[0]);
    if (node->kind != IFD__SEQUENCE || node->count != 2) {
        ifd_note_add(m->note, IFD_SHAPE, &node->place,
                     "an entry of 'apply' is invalid: expected a dof or a pair [from, to]");
        return false;
    }
    if (ifd__is_chord(m, node))
        return ifd__read_chord(m, e->what, node, &p->chord) && along(m, e, p, &node->place);
    p->count = 2;
    bool ok = ifd__read_ref(m, node->first, IFD__REF_ANY, &p->ref[1]);
    return ifd__read_ref(m, node->last, IFD__REF_ANY, &p->ref[0]) && ok;
}

/* The ports of one list; returns their number, -1 after an error. */
static int read_ports(ifd__model_read *m, const ifd__entry_of *e, const char *key, port *ports, int room)
{
    const ifd__node *list = ifd__yaml_get(e->body, key);
    bool reading = strcmp(key, "read") == 0, ok = true;
    int n = 0;
    if (!list) {
        ifd_note_add(m->note, IFD_MISSING_KEY, &e->place, "%s needs '%s' (%s)", e->what, key,
                     reading ? "the quantities that it reads" : "the dofs on which its force acts");
        return -1;
    }
    if (ifd__yaml_expect(list, IFD__SEQUENCE, m->note) != IFD_OK)
        return -1;
    for (const ifd__node *i = list->first; i; i = i->next) {
        if (n == room) {
            ifd_note_add(m->note, IFD_TOO_LARGE, &i->place, "%s has more than %d entries in '%s'", e->what, room,
                         key);
            return -1;
        }
        port *p = &ports[n++];
        bool good = reading ? read_port(m, e, i, p) : apply_port(m, e, i, p);
        for (int k = 0; good && !p->chord.row.count && k < p->count; k++)
            ifd__entry_kept(m, e, p->ref[k], &i->place);
        ok = ok && good;
    }
    return ok ? n : -1;
}

static ifd_coordinate coordinate_of(const port *p)
{
    return p->chord.row.count ? p->chord.row : (ifd_coordinate){p->count, p->ref, p->sign};
}

/* The parameters `reads` and `kinds`. kinds: room for them. */
static void set_ports(const ifd__entry_of *e, const port *ports, int reads, double *kinds, ifd_value *values)
{
    int at_reads = ifd_param_find(e->ops->params, "reads"), at_kinds = ifd_param_find(e->ops->params, "kinds");
    for (int i = 0; i < reads; i++)
        kinds[i] = ports[i].velocity ? 1 : 0;
    if (at_reads >= 0)
        values[at_reads] = ifd_number(reads);
    if (at_kinds >= 0)
        values[at_kinds] = ifd_list(kinds, reads);
    if (at_reads >= 0)
        values[at_reads].place = e->place;
}

/* The law of `control: {KIND: {read, parameters}}`. */
static bool take_law(const ifd__model_read *m, const ifd__entry_of *e, ifd__entry_of *law)
{
    const ifd__node *control = ifd__yaml_get(e->body, "control"), *kind = control->first;
    if (ifd__yaml_expect(control, IFD__MAPPING, m->note) != IFD_OK)
        return false;
    const ifd_element_ops *ops = kind ? ifd_element_find(kind->key) : NULL;
    if (control->count != 1 || !ops || ops->attach != IFD_ATTACH_PORTS) {
        ifd_note_advise(
            m->note, IFD_UNKNOWN_CHOICE, &control->place, "known: block, pid, low-pass, high-pass, washout, lead-lag",
            "%s: 'control' is invalid: expected one law, for example {pid: {read: [velocity x1], kp: 10}}", e->what);
        return false;
    }
    *law = (ifd__entry_of){.ops = ops, .name = e->name, .body = kind, .place = kind->key_place};
    law->what = ifd_arena_print(m->arena, "'control' of %s", e->what);
    return law->what && ifd__yaml_expect(kind, IFD__MAPPING, m->note) == IFD_OK;
}

int ifd__read_control(ifd__model_read *m, const ifd__entry_of *e, ifd_coordinate *q, ifd_value *value)
{
    ifd__entry_of law;
    ifd_value values[IFD__ELEMENT_PARAMS];
    port *ports = ifd_arena_array(m->arena, IFD__CONTROL_INPUTS, sizeof *ports);
    double *packed = ifd_arena_array(m->arena, IFD__CONTROL_NUMBERS, sizeof *packed), kinds[IFD__CONTROL_INPUTS];
    if (!ports || !packed || !take_law(m, e, &law))
        return -1;
    int reads = read_ports(m, &law, "read", ports, IFD__CONTROL_INPUTS);
    if (!ifd__entry_params(m->r, &law, "read", false, values) || reads < 0)
        return -1;
    set_ports(&law, ports, reads, kinds, values);
    ifd_element made = {.ops = law.ops, .name = e->name, .nq = reads + 1};
    if (law.ops->make(&made, values, m->arena, m->note) != IFD_OK)
        return -1;
    int numbers = ifd__control_pack(&made, packed);
    if (!numbers) {
        ifd_note_add(m->note, IFD_TOO_LARGE, &law.place, "%s has more than %d states; expected at most %d", law.what,
                     (int)IFD__CONTROL_STATES, (int)IFD__CONTROL_STATES);
        return -1;
    }
    *value = ifd_list(packed, numbers);
    value->place = law.place;
    for (int i = 0; i < reads; i++)
        q[i] = coordinate_of(&ports[i]);
    return reads;
}

void ifd__read_block(ifd__model_read *m, const ifd__entry_of *e)
{
    port ports[2 * MOST_PORTS];
    ifd_coordinate q[2 * MOST_PORTS];
    ifd_value values[IFD__ELEMENT_PARAMS];
    double *kinds = ifd_arena_array(m->arena, MOST_PORTS, sizeof *kinds);
    int reads = read_ports(m, e, "read", ports, MOST_PORTS);
    int applies = read_ports(m, e, "apply", ports + (reads > 0 ? reads : 0), MOST_PORTS);
    if (!ifd__entry_params(m->r, e, "read|apply", false, values) || reads < 0 || applies < 0 || !kinds)
        return;
    for (int i = 0; i < reads + applies; i++)
        q[i] = coordinate_of(&ports[i]);
    set_ports(e, ports, reads, kinds, values);
    ifd_builder_element(m->b, e->ops, e->name, &(ifd_coordinates){reads + applies, q}, values, m->note);
}
