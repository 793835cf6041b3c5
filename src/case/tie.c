/* SPDX-License-Identifier: MIT */
/* The list `ties`: equations between dofs, rigid floors and rigid links. A node i of a rigid body follows its master,
 *
 *     u_i = u_m + theta_m x r,   theta_i = theta_m,   r = x_i - x_m */
#include "case/tie.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "case/sum.h"
#include "model/build/builder.h"
#include "model/build/frame.h"
#include "model/build/system.h"
#include "text/units.h"

const ifd__section ifd__section_ties = {
    "ties", "ties: constraints between dofs", "model.ties",
    "A tie is an equation or a rigid body. An equation is `slave = sum of masters`, such as `d.y = 0.57735 * d.x`, "
    "without a constant. A coefficient that multiplies a rotation may have a unit of length. The program eliminates "
    "the slave, but its name stays valid for elements, masses, loads, specimens and records. A master may be a slave "
    "of another tie (docs/guide/ties.md).",
    KEYS(FORM("rigid", true, "mapping (help rigid)", NULL, "rigid floor or rigid link, instead of an equation"))};

const ifd__section ifd__section_rigid = {
    "rigid", "rigid: rigid floor or rigid link", "model.ties.rigid",
    "The nodes move with the master as one rigid body.",
    KEYS(TEXT("name", false, "none", "new node that becomes the master, with the dofs of `in`; alternative: master"),
         TEXT("master", false, "none", "a node of the frame that the others follow"),
         FORM("nodes", true, "list of nodes of the frame", NULL, "the nodes that follow"),
         FORM("in", false, "all, floor, or a list of x, y, z, rx, ry, rz", "all",
              "tied directions; floor: x, y and rz in space, x in the plane"),
         LIST("at", LENGTH, false, "centre of mass of `nodes`; without masses, the mean of their coordinates",
              "coordinates of a new master"),
         WITHIN("mass", MASS, 0, 1e12, 0, NULL, "added at the master in its tied translations"),
         WITHIN("inertia", ROTATIONAL_INERTIA, 0, 1e15, 0, NULL, "added at the master in its tied rotations"))};

enum { DIRECTIONS = 6, AXES = 3 };
static const char WORDS[] = "x|y|z|rx|ry|rz";

static int find_node(const ifd__model_read *m, const char *name)
{
    for (int i = 0; m->frame && i < m->frame->nodes; i++)
        if (strcmp(m->frame->node[i].name, name) == 0)
            return i;
    return -1;
}

static unsigned all_directions(const ifd_frame *f)
{
    return f->planar ? IFD_FIX_X | IFD_FIX_Y | IFD_FIX_RZ : IFD_FIX_ALL;
}

unsigned ifd__floor_directions(const ifd_frame *f)
{
    return f->planar ? IFD_FIX_X : IFD_FIX_X | IFD_FIX_Y | IFD_FIX_RZ;
}

static int find_dof(const ifd__model_read *m, const char *node, int direction)
{
    int ref;
    const char *name = ifd_arena_print(m->arena, "%s.%s", node, ifd__frame_suffix[direction]);
    return name && ifd_builder_find(m->b, name, &ref) && ref >= 0 ? ref : -1;
}

/* A rotation that no member holds has no dof (ifd_frame_loosen). */
static bool is_loose(const ifd_frame *f, int node, int direction)
{
    bool loose = false, fixed = false;
    for (int i = 0; i < f->supports; i++)
        if (f->support[i].node == node && f->support[i].fixed >> direction & 1)
            *(f->support[i].fixed & IFD_FIX_LOOSE ? &loose : &fixed) = true;
    return loose && !fixed;
}

/* Why a direction of a node has no dof; NULL: it has one. */
static const char *holder(const ifd__model_read *m, int node, int direction)
{
    const ifd_frame *f = m->frame;
    for (int i = 0; i < f->motions; i++)
        if (f->motion[i].node == node && (int)f->motion[i].direction == direction)
            return ifd_arena_print(m->arena, "moved by the support '%s'",
                                   ifd__builder_name(m->b, f->motion[i].support));
    return is_loose(f, node, direction) ? "held by no member" : ifd__frame_held(f, node, direction) ? "fixed" : NULL;
}

void ifd__add_rigid(ifd__model_read *m, const ifd__rigid *rigid)
{
    ifd__rigid *own = ifd_arena_take(m->arena, sizeof *own), **end = &m->rigid;
    if (!ifd__in_memory(m->r, own))
        return;
    *own = *rigid;
    own->next = NULL;
    own->title = ifd_arena_print(m->arena, "rigid %s", own->name);
    while (*end)
        end = &(*end)->next;
    *end = own;
    for (int d = 0; d < DIRECTIONS && own->own; d++) {
        const char *name = ifd_arena_print(m->arena, "%s.%s", own->name, ifd__frame_suffix[d]);
        if (own->in >> d & 1 && name && ifd__new_dof(m, name, (ifd_dof_kind)d, &own->place) < 0)
            return;
    }
}

/* `in`; 0 after an error. */
static unsigned read_directions(const ifd__model_read *m, const ifd__node *node, bool *level)
{
    unsigned all = all_directions(m->frame), in = 0;
    int word = 0;
    if (!node)
        return all;
    if (node->kind == IFD__SCALAR && (word = ifd_choice_find("all|floor", node->text)) >= 0) {
        *level = word == 1;
        return word ? ifd__floor_directions(m->frame) : all;
    }
    if (node->kind != IFD__SEQUENCE) {
        ifd_note_add(m->note, IFD_SHAPE, &node->place,
                     "'in' is invalid: expected all, floor, or a list of directions");
        return 0;
    }
    for (const ifd__node *i = node->first; i; i = i->next) {
        if (ifd__yaml_word(i, WORDS, &word, m->note) != IFD_OK)
            return 0;
        if (!(all >> word & 1)) {
            ifd_note_add(m->note, IFD_CONFLICT, &i->place, "a node of a frame in the plane has no direction %s",
                         ifd__frame_suffix[word]);
            return 0;
        }
        in |= 1u << word;
    }
    if (!in)
        ifd_note_add(m->note, IFD_SHAPE, &node->place, "'in' is empty, expected at least one direction");
    return in;
}

/* A node by its name; -1 after an error. */
static int named_node(const ifd__model_read *m, const char *name, const ifd_place *place)
{
    int node = find_node(m, name);
    if (node >= 0)
        return node;
    const char **known = ifd_arena_array(m->arena, (size_t)m->frame->nodes, sizeof *known);
    for (int i = 0; known && i < m->frame->nodes; i++)
        known[i] = m->frame->node[i].name;
    ifd_note_add(m->note, IFD_UNKNOWN_NAME, place, "no node of the frame has the name '%s'", name);
    if (known)
        ifd_choice_hint(m->note, ifd__join(m->arena, m->frame->nodes, known), name);
    return -1;
}

/* A supported direction cannot be tied; a rotation that no member holds need not be. */
static bool is_free(const ifd__model_read *m, const ifd__rigid *rigid, int node, const ifd_place *place)
{
    bool master = !rigid->own && strcmp(m->frame->node[node].name, rigid->name) == 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        const char *by = rigid->in >> d & 1 ? holder(m, node, d) : NULL;
        if (!by || (!master && is_loose(m->frame, node, d)))
            continue;
        ifd_note_add(m->note, IFD_CONFLICT, place, "%s ties node '%s' along %s, where it is %s", rigid->title,
                     m->frame->node[node].name, ifd__frame_suffix[d], by);
        ifd_note_hint(m->note, "leave this direction out of 'in', or let the node move along it");
        return false;
    }
    return true;
}

static bool read_nodes(const ifd__model_read *m, const ifd__node *list, ifd__rigid *out)
{
    const char *const *name;
    bool ok = true;
    if (!list || ifd__yaml_names(m->arena, list, &name, &out->count, m->note) != IFD_OK)
        return false;
    if (out->count == 0)
        ifd_note_add(m->note, IFD_SHAPE, &list->place, "'nodes' is empty, expected at least one node");
    out->node = ifd_arena_array(m->arena, (size_t)out->count, sizeof *out->node);
    for (int i = 0; i < out->count && out->node; i++) {
        const ifd_place *place = list->kind == IFD__SEQUENCE ? &ifd__yaml_item(list, i)->place : &list->place;
        out->node[i] = named_node(m, name[i], place);
        ok = ok && out->node[i] >= 0;
        if (out->node[i] >= 0 && !out->own && out->name && strcmp(name[i], out->name) == 0) {
            ifd_note_add(m->note, IFD_CONFLICT, place, "node '%s' is the master: expected nodes that follow it",
                         name[i]);
            ok = false;
        }
    }
    return ok && out->node && out->count;
}

static bool read_at(const ifd__model_read *m, const ifd_value *at, ifd__rigid *out)
{
    int size = m->frame->planar ? 2 : AXES, count = at->rows * at->cols;
    out->placed = at->given;
    if (!at->given)
        return true;
    for (int d = 0; d < count && d < AXES; d++)
        out->at[d] = at->data[d];
    if (count != size)
        ifd_note_add(m->note, IFD_SHAPE, &at->place, "'at' has %d coordinates, expected %d", count, size);
    else if (!out->own)
        ifd_note_add(m->note, IFD_CONFLICT, &at->place,
                     "'at' is the place of a new master: expected 'name', not 'master', beside it");
    return count == size && out->own;
}

static bool read_rigid(const ifd__model_read *m, const ifd__node *node, ifd__rigid *out)
{
    ifd__fields f;
    int errors = m->note->errors;
    ifd__fields_read(m->r, node, &ifd__section_rigid, "rigid", &f);
    const ifd_value *name = ifd__field(&f, "name"), *master = ifd__field(&f, "master");
    if (m->note->errors != errors || node->kind != IFD__MAPPING)
        return false;
    if (!m->frame || name->given == master->given) {
        if (!m->nameless)
            ifd_note_add(m->note, m->frame && name->given ? IFD_CONFLICT : IFD_MISSING_KEY, &node->place,
                         !m->frame ? "a rigid tie needs nodes, and the model has no frame: expected an equation"
                                   : "a rigid tie needs 'name' for a new master, or 'master': expected one of them");
        return false;
    }
    *out = (ifd__rigid){.own = name->given, .name = name->given ? name->word : master->word, .place = node->place};
    out->title = ifd_arena_print(m->arena, "rigid %s", out->name);
    out->mass = ifd__field(&f, "mass")->number;
    out->inertia = ifd__field(&f, "inertia")->number;
    out->in = read_directions(m, ifd__part(&f, "in"), &out->level);
    bool ok = read_nodes(m, ifd__part(&f, "nodes"), out);
    ok = read_at(m, ifd__field(&f, "at"), out) && ok && out->in && out->title;
    int node_of_master = out->own ? -1 : named_node(m, out->name, &master->place);
    return ok && (out->own || (node_of_master >= 0 && is_free(m, out, node_of_master, &master->place)));
}

void ifd__read_masters(ifd__model_read *m, const ifd__node *list)
{
    bool nameless = false;
    for (const ifd__node *i = ifd__yaml_items(list, IFD__SEQUENCE, m->note); i; i = i->next) {
        ifd__fields f;
        ifd__rigid rigid;
        if (i->kind != IFD__MAPPING)
            continue;
        ifd__fields_read(m->r, i, &ifd__section_ties, "tie", &f);
        const ifd__node *node = ifd__part(&f, "rigid");
        if (node && read_rigid(m, node, &rigid))
            ifd__add_rigid(m, &rigid);
        else
            nameless = true;
    }
    m->nameless = m->nameless || nameless;
}

/* Equations. */

static ifd_status find_term(const ifd__sum *s, const char *name, ifd_joint_term *out, bool *turns)
{
    const ifd__model_read *m = s->of;
    const char *dot = strrchr(name, '.');
    const char *stem = dot ? ifd_arena_text_n(m->arena, name, (size_t)(dot - name)) : NULL;
    int ref, direction = dot ? ifd_choice_find(WORDS, dot + 1) : -1, node = stem ? find_node(m, stem) : -1;
    const char *by = node >= 0 && direction >= 0 ? holder(m, node, direction) : NULL;
    double number;
    const char *at = name;
    out->part = 0;
    if (ifd_builder_find(m->b, name, &ref) && ref < 0)
        return ifd_note_add(m->note, IFD_CONFLICT, &s->node->place, "tie '%s' has '%s', which is %s: expected dofs",
                            s->node->text, name, ref == IFD_GROUND ? "the ground" : "a support");
    if (by)
        return ifd_note_add(m->note, IFD_CONFLICT, &s->node->place,
                            "tie '%s' has '%s', which is %s: expected free dofs", s->node->text, name, by);
    if (!ifd_builder_find(m->b, name, &ref) && ifd__number_read(&at, name + strlen(name), &number))
        return ifd_note_add(m->note, IFD_SYNTAX, &s->node->place,
                            "tie '%s' has the constant '%s': expected dofs only", s->node->text, name);
    if (!ifd__find_ref(m, name, &s->node->place, 0, &out->dof))
        return IFD_UNKNOWN_NAME;
    *turns = ifd__rotation(ifd__ref_kind(m->b, out->dof));
    return IFD_OK;
}

/* For drawings; it keeps the arrays. */
static void keep_tie(ifd__model_read *m, const char *title, const ifd_case_tie *tie)
{
    ifd_case_tie *kept = ifd_arena_take(m->arena, sizeof *kept);
    if (!ifd__in_memory(m->r, kept))
        return;
    *kept = *tie;
    ifd__add_piece(m, &(ifd_case_piece){.name = title, .tie = kept});
}

static void read_equation(ifd__model_read *m, const ifd__node *node)
{
    ifd__sum left = {.r = m->r, .node = node, .what = "a tie", .of = m, .find = find_term}, right = left;
    int dof[IFD__SUM_TERMS];
    double *coefficient = ifd_arena_array(m->arena, IFD__SUM_TERMS, sizeof *coefficient);
    const char *text, **name = ifd_arena_array(m->arena, IFD__SUM_TERMS, sizeof *name);
    if (ifd__yaml_text(node, &text, m->note) != IFD_OK || !ifd__in_memory(m->r, name && coefficient))
        return;
    const char *equals = strchr(text, '='), *end = text + strlen(text);
    if (!equals || strchr(equals + 1, '=')) {
        ifd_note_add(m->note, IFD_SYNTAX, &node->place, "found '%s', expected a tie such as 'd.y = 0.5 * d.x'", text);
        return;
    }
    if (ifd__read_sum(&left, text, equals, 1.0) != IFD_OK || ifd__read_sum(&right, equals + 1, end, 1.0) != IFD_OK)
        return;
    if (left.terms != 1 || left.term[0].coefficient != 1.0) {
        ifd_note_add(m->note, IFD_SYNTAX, &node->place,
                     "found '%s', expected the slave alone on the left side of a tie: one dof without a coefficient",
                     text);
        return;
    }
    for (int i = 0; i < right.terms; i++) {
        dof[i] = right.term[i].dof;
        name[i] = ifd_builder_dof_name(m->b, dof[i]);
        coefficient[i] = right.term[i].coefficient;
    }
    const int slave = left.term[0].dof;
    ifd_builder_tie(m->b, &(ifd_tie){text, slave, {right.terms, dof, coefficient}, node->place});
    keep_tie(m, text,
             &(ifd_case_tie){.slave = ifd_builder_dof_name(m->b, slave),
                             .count = right.terms,
                             .name = name,
                             .coefficient = coefficient});
}

/* Rigid bodies. */

static void coordinates(const ifd__model_read *m, int node, double x[AXES])
{
    const ifd_frame_node *at = &m->frame->node[node];
    x[0] = at->x;
    x[1] = at->y;
    x[2] = m->frame->planar ? 0.0 : at->z;
}

/* The mass that moves with each dof along its direction: the row sums of the mass, which are those of lumped mass. */
static double *row_masses(const ifd__model_read *m)
{
    double *mass = ifd_arena_array(m->arena, (size_t)m->b->dof.count, sizeof *mass);
    const ifd__list *list = &m->b->entry[IFD_MASS];
    for (int k = 0; mass && k < list->count; k++) {
        const ifd__entry *e = &IFD__AT(*list, ifd__entry, k);
        if (e->j >= 0 && ifd__ref_kind(m->b, e->i) == ifd__ref_kind(m->b, e->j))
            mass[e->i] += e->value;
    }
    return mass;
}

static double mass_of(const ifd__model_read *m, const ifd__rigid *rigid, int node, const double *mass)
{
    for (int d = 0; d < AXES; d++) {
        int dof = rigid->in >> d & 1 ? find_dof(m, m->frame->node[node].name, d) : -1;
        if (dof >= 0)
            return mass[dof];
    }
    return 0.0;
}

/* The centre of the mass of the nodes, or of their coordinates if they have none. */
static void find_centre(const ifd__model_read *m, const ifd__rigid *rigid, const double *mass, double centre[AXES])
{
    double sum = 0.0, moment[AXES] = {0.0}, middle[AXES] = {0.0}, x[AXES];
    for (int i = 0; i < rigid->count; i++) {
        double own = mass_of(m, rigid, rigid->node[i], mass);
        coordinates(m, rigid->node[i], x);
        sum += own;
        for (int d = 0; d < AXES; d++) {
            moment[d] += own * x[d];
            middle[d] += x[d] / rigid->count;
        }
    }
    for (int d = 0; d < AXES; d++)
        centre[d] = sum > 0.0 ? moment[d] / sum : middle[d];
}

/* Adds theta x r along a translation: the rotations e and f beside d, of those that move the nodes. */
static int put_levers(const ifd__model_read *m, const ifd__rigid *rigid, int d, const double r[AXES], int *dof,
                      double *lever)
{
    int count = 0;
    for (int k = 1; k < AXES; k++) {
        int axis = (d + k) % AXES, arm = (d + AXES - k) % AXES;
        bool turns = !rigid->level || (axis == 2 && !m->frame->planar);
        int master = turns ? find_dof(m, rigid->name, AXES + axis) : -1;
        if (master < 0 || r[arm] == 0.0)
            continue;
        dof[count] = master;
        lever[count++] = k == 1 ? r[arm] : -r[arm];
    }
    return count;
}

/* The equations of one node. A direction of which the node has no dof, as a rotation that no member holds, is left
 * out. */
static void tie_node(const ifd__model_read *m, const ifd__rigid *rigid, int node, const double r[AXES])
{
    for (int d = 0; d < DIRECTIONS; d++) {
        int slave = rigid->in >> d & 1 ? find_dof(m, m->frame->node[node].name, d) : -1;
        int dof[AXES] = {find_dof(m, rigid->name, d)}, count = 1;
        double coefficient[AXES] = {1.0};
        if (slave < 0)
            continue;
        if (d < AXES)
            count += put_levers(m, rigid, d, r, dof + 1, coefficient + 1);
        const ifd_tie tie = {rigid->title, slave, {count, dof, coefficient}, rigid->place};
        ifd_builder_tie(m->b, &tie);
    }
}

/* Mass and inertia at the master. A new one without inertia would turn without resistance: the builder refuses it
 * with the inertia of its mass at the nodes. */
static void add_masses(const ifd__model_read *m, const ifd__rigid *rigid, const double centre[AXES])
{
    for (int d = 0; d < DIRECTIONS; d++) {
        int dof = rigid->in >> d & 1 ? find_dof(m, rigid->name, d) : -1;
        double sum = 0.0, x[AXES];
        if (dof < 0)
            continue;
        ifd_builder_add(m->b, IFD_MASS, dof, dof, d < AXES ? rigid->mass : rigid->inertia);
        for (int i = 0; i < rigid->count && d >= AXES; i++) {
            coordinates(m, rigid->node[i], x);
            for (int k = 0; k < AXES; k++)
                sum += k == d - AXES ? 0.0 : (x[k] - centre[k]) * (x[k] - centre[k]) * rigid->mass / rigid->count;
        }
        const char *why =
            sum > 0.0 ? ifd_arena_print(m->arena,
                                        "its mass of %.9g kg, divided among its %d nodes, would give a sum of "
                                        "m r^2 of %.9g kg m2",
                                        rigid->mass, rigid->count, sum)
                      : "its nodes have no mass";
        if (rigid->own && d >= AXES)
            ifd__builder_hub(m->b, &(ifd__hub){.dof = dof, .why = why, .place = rigid->place});
    }
}

static void tie_rigid(ifd__model_read *m, ifd__rigid *rigid, const double *mass)
{
    double centre[AXES], x[AXES];
    const char **name = ifd_arena_array(m->arena, (size_t)rigid->count, sizeof *name);
    bool ok = ifd__in_memory(m->r, name);
    if (rigid->placed)
        memcpy(centre, rigid->at, sizeof centre);
    else if (rigid->own)
        find_centre(m, rigid, mass, centre);
    else
        coordinates(m, find_node(m, rigid->name), centre);
    for (int i = 0; i < rigid->count; i++)
        ok = is_free(m, rigid, rigid->node[i], &rigid->place) && ok;
    for (int i = 0; i < rigid->count && ok; i++) {
        coordinates(m, rigid->node[i], x);
        name[i] = m->frame->node[rigid->node[i]].name;
        tie_node(m, rigid, rigid->node[i], (double[AXES]){x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]});
    }
    add_masses(m, rigid, centre);
    if (ok)
        keep_tie(m, rigid->title,
                 &(ifd_case_tie){.rigid = true,
                                 .own = rigid->own,
                                 .slave = rigid->name,
                                 .at = {centre[0], centre[1], centre[2]},
                                 .count = rigid->count,
                                 .name = name});
}

void ifd__read_ties(ifd__model_read *m, const ifd__node *list)
{
    const double *mass = m->rigid ? row_masses(m) : NULL;
    for (ifd__rigid *rigid = mass ? m->rigid : NULL; rigid; rigid = rigid->next)
        tie_rigid(m, rigid, mass);
    for (const ifd__node *i = list && list->kind == IFD__SEQUENCE ? list->first : NULL; i; i = i->next)
        if (i->kind != IFD__MAPPING)
            read_equation(m, i);
}

bool ifd__is_slave(const ifd__model_read *m, int ref)
{
    return ref >= 0 && IFD__AT(m->b->dof, ifd__dof, ref).tied;
}

bool ifd__refuse_slave(const ifd__model_read *m, int ref, const ifd_place *place, const char *user)
{
    for (int i = 0; ifd__is_slave(m, ref) && i < m->b->tie.count; i++) {
        const ifd_tie *tie = &IFD__AT(m->b->tie, ifd_tie, i);
        if (tie->slave != ref)
            continue;
        bool here = place->file && tie->place.file && strcmp(place->file, tie->place.file) == 0;
        ifd_note_add(m->note, IFD_CONFLICT, place, "%s '%s', which is the slave of tie '%s' in %s%s%d", user,
                     ifd_builder_dof_name(m->b, ref), tie->name, here ? "line " : tie->place.file, here ? "" : ":",
                     tie->place.line);
        ifd_note_hint(m->note, "use its masters");
        return true;
    }
    return false;
}

static double coefficient_of(const ifd__rows *T, const ifd_coordinate *q, int master, double *size)
{
    double sum = 0.0;
    for (int k = 0; k < q->count; k++)
        for (int l = q->ref[k] < 0 ? 0 : T->start[q->ref[k]]; q->ref[k] >= 0 && l < T->start[q->ref[k] + 1]; l++)
            if (T->column[l] == master) {
                sum += q->coefficient[k] * T->value[l];
                *size += fabs(q->coefficient[k] * T->value[l]);
            }
    return sum;
}

bool ifd__ties_permit(ifd__model_read *m, const ifd_coordinate *q, const char *what, const ifd_place *place)
{
    bool slave = false, moves = false;
    int *master;
    for (int k = 0; k < q->count; k++) {
        slave = slave || ifd__is_slave(m, q->ref[k]);
        moves = moves || (q->ref[k] < IFD_GROUND && IFD_SUPPORT(q->ref[k]) < m->b->support.count);
    }
    if (!slave || moves)
        return true;
    ifd__rows *T = m->tied ? m->tied : ifd_arena_take(m->arena, sizeof *T);
    if (!T || (!m->tied && ifd__tied_rows(m->arena, m->b, T, &master) != IFD_OK))
        return true; /* wrong ties are reported when the model is made */
    m->tied = T;
    for (int k = 0; k < q->count; k++)
        for (int l = q->ref[k] < 0 ? 0 : T->start[q->ref[k]]; q->ref[k] >= 0 && l < T->start[q->ref[k] + 1]; l++) {
            double size = 0.0, sum = coefficient_of(T, q, T->column[l], &size);
            if (fabs(sum) > 1e-12 * size)
                return true;
        }
    ifd_note_add(m->note, IFD_CONFLICT, place, "%s cannot deform: ties connect its ends", what);
    return false;
}
