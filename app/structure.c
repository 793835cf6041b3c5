/* SPDX-License-Identifier: MIT */
/* Points and lines of the structure of a case. */
#include "structure.h"

#include <math.h>
#include <string.h>

static const double STOREY = 3.0, BAY = 4.0; /* of a building without dimensions, and between masses */

/* A run can compute more than a test, as it includes specimens with a separate model. */
const ifd_couple_options *structure_couple(const ifd_case *c)
{
    return c->test ? c->test->couple : c->run.couple;
}

const ifd_model *structure_model(const ifd_case *c, int part)
{
    const ifd_couple_options *couple = structure_couple(c);
    return couple ? couple->part[part].model : c->test ? c->test->model : c->run.model;
}

const ifd_case_chord *structure_chord(const ifd_case *c, const char *part, const char *name)
{
    for (const ifd_case_chord *k = c->chord; k && name; k = k->next)
        if (strcmp(k->name, name) == 0 && (!k->part || !part || strcmp(k->part, part) == 0))
            return k;
    return NULL;
}

static int add_spot(structure *s, const spot *p)
{
    s->spot[s->spots] = *p;
    return s->spots++;
}

static void add_line(structure *s, const line *l)
{
    s->line[s->lines++] = *l;
}

static int part_index(const ifd_case *c, const char *name)
{
    const ifd_couple_options *couple = structure_couple(c);
    for (int p = 0; couple && name && p < couple->parts; p++)
        if (strcmp(couple->part[p].name, name) == 0)
            return p;
    return 0;
}

static const char *part_name(const ifd_case *c, int part)
{
    return structure_couple(c) && part >= 0 ? structure_couple(c)->part[part].name : NULL;
}

/* Memory for all that a case can have. */
static bool make_room(structure *s)
{
    const ifd_case *c = s->c;
    const ifd_couple_options *couple = structure_couple(c);
    size_t spots = 64, lines = 64, parts = couple ? (size_t)couple->parts : 1, pieces = 0;
    for (const ifd_case_piece *p = c->piece; p; p = p->next, pieces++) {
        spots += p->frame ? (size_t)p->frame->nodes : p->building ? 2 * (size_t)p->building->storeys + 2 : 2;
        lines += p->frame      ? (size_t)p->frame->members
                 : p->building ? 3 * (size_t)p->building->storeys
                 : p->tie      ? (size_t)p->tie->count
                               : 1;
    }
    for (const ifd_case_chord *k = c->chord; k; k = k->next)
        spots += 2;
    for (size_t p = 0; p < parts; p++) {
        const ifd_model *m = structure_model(c, (int)p);
        spots += m ? 2 * (size_t)ifd_model_dofs(m) + 2 : 1;
        lines += m ? 3 * (size_t)ifd_model_dofs(m) : 0;
    }
    spots += 2 * ((size_t)c->run.specimens + (c->test ? (size_t)c->test->interfaces : 0));
    lines += (size_t)c->run.specimens + (c->test ? (size_t)c->test->interfaces : 0);
    lines += couple ? (size_t)couple->joints : 0;
    s->spot = ifd_arena_array(s->arena, spots, sizeof *s->spot);
    s->line = ifd_arena_array(s->arena, lines, sizeof *s->line);
    s->body = ifd_arena_array(s->arena, pieces, sizeof *s->body);
    s->mark = ifd_arena_array(s->arena, pieces, sizeof *s->mark);
    return s->spot && s->line && s->body && s->mark;
}

/* Nodes inside a member with segments, as "shaft.3" of "shaft", have no names in a picture. */
static void name_nodes(structure *s, int first)
{
    enum { MOST = 40 };
    int count = 0;
    for (int i = first; i < s->spots; i++) {
        const char *dot = strrchr(s->spot[i].name, '.');
        s->spot[i].named = !dot || strspn(dot + 1, "0123456789") != strlen(dot + 1);
        count += s->spot[i].named;
    }
    for (int i = first; i < s->spots && count > MOST; i++)
        s->spot[i].named = false;
}

static void take_frame(structure *s, const ifd_case_piece *p)
{
    const ifd_frame *f = p->frame;
    int first = s->spots;
    for (int i = 0; i < f->nodes; i++)
        add_spot(s, &(spot){.kind = SPOT_NODE,
                            .part = p->part,
                            .name = f->node[i].name,
                            .at = {f->node[i].x, f->node[i].y, f->planar ? 0.0 : f->node[i].z},
                            .down = p->weight ? p->weight[i] : 0.0});
    name_nodes(s, first);
    for (int i = 0; i < f->supports; i++)
        if (!(f->support[i].fixed & IFD_FIX_LOOSE))
            s->spot[first + f->support[i].node].fixed |= f->support[i].fixed & (f->planar ? 35u : 63u);
    for (int i = 0; i < f->motions; i++)
        s->spot[first + f->motion[i].node].moves = true;
    for (int i = 0; i < f->members; i++)
        add_line(s, &(line){.shape = LINE_MEMBER,
                            .name = f->member[i].name,
                            .from = first + f->member[i].from,
                            .to = first + f->member[i].to,
                            .member = &f->member[i],
                            .tone = TONE_NONE});
    s->space = s->space || !f->planar;
}

/* Two columns and a slab for each floor; x: of the left column. */
static void take_floors(structure *s, const char *const *name, int floors, const char *part, double x, bool grounded)
{
    int below[2];
    for (int side = 0; side < 2; side++)
        below[side] = add_spot(s, &(spot){.kind = SPOT_FLOOR,
                                          .part = part,
                                          .name = "",
                                          .at = {x + side * BAY, 0, 0},
                                          .fixed = IFD_FIX_ALL,
                                          .moves = !grounded});
    for (int k = 0; k < floors; k++) {
        int floor[2];
        for (int side = 0; side < 2; side++) {
            floor[side] = add_spot(s, &(spot){.kind = SPOT_FLOOR,
                                              .part = part,
                                              .name = name[k],
                                              .at = {x + side * BAY, (k + 1) * STOREY, 0},
                                              .named = side == 1 && floors <= 40});
            add_line(s, &(line){LINE_MEMBER, NULL, below[side], floor[side], 0, NULL, TONE_NONE});
            below[side] = floor[side];
        }
        add_line(s, &(line){LINE_SLAB, name[k], floor[0], floor[1], 0, NULL, TONE_NONE});
    }
}

static bool take_building(structure *s, const ifd_case_piece *p, double x)
{
    const ifd_building *b = p->building;
    const char **name = ifd_arena_array(s->arena, (size_t)b->storeys, sizeof *name);
    bool ok = name != NULL;
    for (int k = 0; k < b->storeys && ok; k++) {
        name[k] = b->storey[k].name ? b->storey[k].name
                                    : ifd_arena_print(s->arena, "%s%d", b->prefix ? b->prefix : "floor", k + 1);
        ok = name[k] != NULL;
    }
    if (ok)
        take_floors(s, name, b->storeys, p->part, x, b->base == IFD_GROUND);
    return ok;
}

/* Whether a dof is one of a node: "d6.y" of "d6". */
static bool is_of_node(const char *dof, const char *node)
{
    size_t n = strlen(node);
    return strncmp(dof, node, n) == 0 && dof[n] == '.' && !strchr(dof + n + 1, '.');
}

static int find_own(const structure *s, const char *part, const char *dof)
{
    int found = -1;
    for (int i = 0; dof && i < s->spots; i++) {
        const spot *p = &s->spot[i];
        if (p->part && part && strcmp(p->part, part) != 0)
            continue;
        if (p->kind == SPOT_NODE ? is_of_node(dof, p->name) : strcmp(p->name, dof) == 0)
            found = i;
    }
    return found;
}

static const char *dof_of(const ifd_model *m, int dof)
{
    return m && dof >= 0 && dof < ifd_model_dofs(m) ? ifd_model_dof_name(m, dof) : NULL;
}

/* The spot of a dof, or the node or floor to which a joint of two terms connects it; of a floor the right one. -1:
 * none. */
static int find(const structure *s, const char *part, const char *dof)
{
    const ifd_couple_options *couple = structure_couple(s->c);
    int found = find_own(s, part, dof), own = part_index(s->c, part);
    for (int k = 0; couple && part && dof && found < 0 && k < couple->joints; k++) {
        const ifd_joint_term *t = couple->joint[k].term;
        for (int i = 0; couple->joint[k].terms == 2 && i < 2; i++) {
            const char *name = dof_of(couple->part[t[i].part].model, t[i].dof);
            const char *other = dof_of(couple->part[t[1 - i].part].model, t[1 - i].dof);
            if (t[i].part == own && name && strcmp(name, dof) == 0)
                found = find_own(s, part_name(s->c, t[1 - i].part), other);
        }
        found = found >= 0 && s->spot[found].kind == SPOT_MASS ? -1 : found;
    }
    return found;
}

/* A mass beside a spot, further out if that place is taken. */
static void place_beside(const structure *s, int at, int along, double out[3])
{
    double size = 0.0, low[3], high[3];
    for (int k = 0; k < s->spots; k++)
        for (int i = 0; i < 3; i++) {
            low[i] = k ? fmin(low[i], s->spot[k].at[i]) : s->spot[k].at[i];
            high[i] = k ? fmax(high[i], s->spot[k].at[i]) : s->spot[k].at[i];
            size = fmax(size, high[i] - low[i]);
        }
    double away = s->scaled ? 0.12 * size : 0.5 * (along == 0 ? BAY : STOREY);
    bool taken = true, down = along != 0 && s->scaled;
    const double step[3] = {along == 0 ? away : 0.0,
                            along == 0 || s->space ? 0.0
                            : down                 ? -away
                                                   : away,
                            along != 0 && s->space ? -away : 0.0};
    memcpy(out, s->spot[at].at, 3 * sizeof *out);
    for (int tries = 0; taken && tries < 20; tries++) {
        taken = false;
        for (int i = 0; i < 3; i++)
            out[i] += step[i];
        for (int k = 0; k < s->spots; k++)
            taken = taken || hypot(hypot(s->spot[k].at[0] - out[0], s->spot[k].at[1] - out[1]),
                                   s->spot[k].at[2] - out[2]) < 0.4 * away;
    }
}

/* The direction of a dof, 0 to 5. */
static int direction(const structure *s, const char *part, const char *dof)
{
    static const char *const suffix[] = {"x", "y", "z", "rx", "ry", "rz"};
    const ifd_model *m = structure_model(s->c, part_index(s->c, part));
    const char *dot = strrchr(dof, '.');
    int at = find(s, part, dof), own = m ? ifd_model_find_dof(m, dof) : -1;
    for (int d = 0; at >= 0 && s->spot[at].kind == SPOT_NODE && dot && d < 6; d++)
        if (strcmp(dot + 1, suffix[d]) == 0)
            return d;
    ifd_dof_kind kind = own >= 0 ? ifd_model_dof_kind(m, own) : IFD_DOF_X;
    return kind <= IFD_DOF_RZ ? (int)kind : 0;
}

/* Between floors, or the ground and the lowest one: a diagonal of the bay. */
static void lean(const structure *s, line *l, int a, int b)
{
    const spot *p = &s->spot[a], *q = b >= 0 ? &s->spot[b] : NULL;
    if (p->kind != SPOT_FLOOR || (q && q->kind != SPOT_FLOOR) || (!q && a >= 2 && !s->spot[a - 2].fixed))
        return;
    int upper = !q || p->at[1] > q->at[1] ? a : b, lower = !q ? a - 2 : upper == a ? b : a;
    l->from = lower - 1;
    l->to = upper;
}

/* A spot for a dof without coordinates: beside another one, or in a row, one for each substructure. */
static int add_mass(structure *s, const char *part, const char *dof, int beside, int along)
{
    spot mass = {.kind = SPOT_MASS, .part = part, .name = dof, .named = true};
    if (beside >= 0)
        place_beside(s, beside, along, mass.at);
    else {
        mass.at[1] = -(double)part_index(s->c, part) * STOREY;
        for (int i = 0; i < s->spots; i++)
            mass.at[0] += s->spot[i].kind == SPOT_MASS && s->spot[i].at[1] == mass.at[1] ? 0.75 * BAY : 0.0;
    }
    return add_spot(s, &mass);
}

/* A component between two dofs; NULL: the ground. */
static void take_link(structure *s, line l, const char *part, const char *from, const char *to)
{
    int a = find(s, part, from), b = find(s, part, to);
    if (!from && !to)
        return;
    l.along = direction(s, part, to ? to : from) % 3;
    if (a < 0 && b < 0)
        *(from ? &a : &b) = add_mass(s, part, from ? from : to, -1, 0);
    if (a < 0 && from)
        a = add_mass(s, part, from, b, l.along);
    if (b < 0 && to)
        b = add_mass(s, part, to, a, l.along);
    l.from = a >= 0 ? a : b;
    l.to = a >= 0 ? b : -1;
    if (l.shape == LINE_ELEMENT || l.shape == LINE_SPECIMEN)
        lean(s, &l, l.from, l.to);
    if (l.from != l.to)
        add_line(s, &l);
}

/* A component along a chord; false: it has none. */
static bool take_chord(structure *s, line l, const char *part)
{
    const ifd_case_chord *k = structure_chord(s->c, part, l.name);
    int end[2];
    for (int i = 0; k && i < 2; i++) {
        const char *node = i ? k->to : k->from, *dof = node ? ifd_arena_print(s->arena, "%s.x", node) : NULL;
        spot point = {.kind = SPOT_POINT, .part = part, .name = "", .fixed = IFD_FIX_ALL};
        memcpy(point.at, k->at[i], sizeof point.at);
        end[i] = dof ? find(s, part, dof) : add_spot(s, &point);
    }
    if (!k || end[0] < 0 || end[1] < 0)
        return false;
    l.from = end[0];
    l.to = end[1];
    add_line(s, &l);
    return true;
}

/* Whether a specimen is an element of the structure, not a separate model. */
static bool is_element(const ifd_case *c, const char *name)
{
    for (int k = 0; k < c->run.specimens; k++)
        if (strcmp(c->run.specimen[k].name, name) == 0)
            return true;
    return false;
}

static void take_specimen(structure *s, const char *name, int part, int from, int to)
{
    const ifd_model *m = structure_model(s->c, part);
    const char *own = part_name(s->c, part), *ends[2] = {dof_of(m, from), dof_of(m, to)};
    bool carried = !is_element(s->c, name) && (!ends[0] || !ends[1]);
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next)
        if (p->kind && strcmp(p->kind, "specimen") == 0 && strcmp(p->name, name) == 0) { /* at slaves of ties */
            ends[0] = p->from;
            ends[1] = p->to;
        }
    line l = {.shape = LINE_SPECIMEN, .name = name};
    if (take_chord(s, l, own))
        return;
    l.shape = carried ? LINE_CARRIED : LINE_SPECIMEN;
    take_link(s, l, own, carried && !ends[1] ? NULL : ends[0], carried && !ends[1] ? ends[0] : ends[1]);
}

static bool floors(const structure *s, const char *part, const char *from, const char *to)
{
    int a = find(s, part, from), b = find(s, part, to);
    return (!from || (a >= 0 && s->spot[a].kind == SPOT_FLOOR)) && (!to || (b >= 0 && s->spot[b].kind == SPOT_FLOOR));
}

/* Springs and dashpots of storeys are in the columns already. */
static void take_element(structure *s, const ifd_case_piece *p)
{
    bool linear = ifd_choice_find("spring|dashpot", p->kind) >= 0,
         soil = ifd_choice_find("p-y|t-z|q-z", p->kind) >= 0;
    const line l = {.shape = soil ? LINE_SOIL : LINE_ELEMENT, .name = p->name};
    if (!take_chord(s, l, p->part) && !(linear && floors(s, p->part, p->from, p->to)))
        take_link(s, l, p->part, p->from, p->to);
}

static void add_mark(structure *s, const mark *m)
{
    s->mark[s->marks++] = *m;
}

static void take_force(structure *s, const ifd_case_piece *p)
{
    mark m = {.kind = MARK_FORCE, .name = p->to, .at = find(s, p->part, p->to)};
    int d = direction(s, p->part, p->to);
    if (m.at < 0)
        m.at = add_mass(s, p->part, p->to, -1, 0);
    m.kind = d < 3 ? MARK_FORCE : MARK_MOMENT;
    m.along[d % 3] = 1.0;
    add_mark(s, &m);
}

/* An equation between displacements of one node is a roller on a slope. */
static void take_equation(structure *s, const ifd_case_piece *p)
{
    const ifd_case_tie *t = p->tie;
    int at = find(s, p->part, t->slave), d = direction(s, p->part, t->slave);
    mark slope = {.kind = MARK_SLOPE, .name = p->name, .at = at};
    bool one = at >= 0 && s->spot[at].kind == SPOT_NODE && d < 3 && t->count == 1;
    for (int i = 0; i < t->count && at >= 0; i++) {
        int other = find(s, p->part, t->name[i]), e = direction(s, p->part, t->name[i]);
        one = one && other == at && e < 3;
        slope.along[d] = t->coefficient[i];
        slope.along[e % 3] = 1.0;
        if (other >= 0 && other != at)
            add_line(s, &(line){.shape = LINE_TIE, .name = p->name, .from = at, .to = other});
    }
    if (one)
        add_mark(s, &slope);
}

/* First the masters that are new nodes, then what acts on them. */
static void take_bodies(structure *s)
{
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next) {
        const ifd_case_tie *t = p->tie;
        if (!t || !t->rigid)
            continue;
        body b = {.name = p->name, .spot = ifd_arena_array(s->arena, (size_t)t->count + 1, sizeof *b.spot)};
        spot master = {.kind = SPOT_NODE, .part = p->part, .name = t->slave, .master = true, .named = true};
        memcpy(master.at, t->at, sizeof master.at);
        for (int i = 0; b.spot && i <= t->count; i++) {
            const char *node = i < t->count ? t->name[i] : t->slave;
            const char *dof = ifd_arena_print(s->arena, "%s.x", node);
            int at = i == t->count && t->own ? add_spot(s, &master) : find_own(s, p->part, dof);
            if (at >= 0)
                b.spot[b.count++] = at;
        }
        s->body[s->bodies++] = b;
    }
}

static void take_pieces(structure *s)
{
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next) {
        if (p->tie && !p->tie->rigid)
            take_equation(s, p);
        else if (p->kind && strcmp(p->kind, "load") == 0)
            take_force(s, p);
        else if (p->kind && strcmp(p->kind, "specimen") != 0)
            take_element(s, p);
    }
}

/* Dofs that nothing above has placed, in a row below. */
static void take_others(structure *s)
{
    const ifd_couple_options *couple = structure_couple(s->c);
    double low = 0.0;
    bool any = s->spots > 0, loose = true;
    for (int i = 0; i < s->spots; i++) {
        low = fmin(low, s->spot[i].at[1]);
        loose = loose && s->spot[i].kind == SPOT_MASS;
    }
    for (int p = 0; p < (couple ? couple->parts : 1); p++) {
        const ifd_model *m = structure_model(s->c, p);
        const char *part = couple ? couple->part[p].name : NULL;
        double x = 0.0, y = low - (any ? 0.75 * STOREY : 0.0);
        bool some = false;
        for (int i = 0; loose && i < s->spots; i++) { /* after those of its row */
            y = -(double)p * STOREY;
            x = s->spot[i].at[1] == y ? fmax(x, s->spot[i].at[0] + 0.75 * BAY) : x;
        }
        for (int i = 0; m && i < ifd_model_dofs(m); i++) {
            const char *dof = ifd_model_dof_name(m, i);
            if (find(s, part, dof) >= 0 || strncmp(dof, "mode", 4) == 0)
                continue;
            some = any = true;
            add_spot(s, &(spot){.kind = SPOT_MASS, .part = part, .name = dof, .at = {x, y, 0}, .named = true});
            x += 0.75 * BAY;
        }
        low = some ? y : low;
        if (!m && part) {
            low -= any ? 0.75 * STOREY : 0.0;
            any = true;
            add_spot(s, &(spot){.kind = SPOT_MASS, .part = part, .name = part, .at = {0, low, 0}, .named = true});
        }
    }
    if (!any)
        add_spot(s, &(spot){.kind = SPOT_MASS,
                            .name = s->c->unloaded ? "structure of code that is not loaded"
                                                   : "structure of another program",
                            .named = true});
}

static void take_joints(structure *s)
{
    const ifd_couple_options *couple = structure_couple(s->c);
    for (int k = 0; couple && k < couple->joints; k++) {
        const ifd_joint *j = &couple->joint[k];
        int end[2] = {-1, -1};
        for (int i = 0; j->terms == 2 && i < 2; i++) {
            const ifd_joint_term *t = &j->term[i];
            end[i] = find(s, couple->part[t->part].name, dof_of(structure_model(s->c, t->part), t->dof));
        }
        if (end[0] >= 0 && end[1] >= 0 && end[0] != end[1])
            add_line(s, &(line){.shape = LINE_JOINT, .from = end[0], .to = end[1]});
    }
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The only dof above `below` (NULL: the ground) that is not yet a floor; *several: there are more. */
static const char *next_above(const structure *s, const char *below, const char *const *floor, int n, bool *several)
{
    const ifd_model *m = structure_model(s->c, 0);
    const ifd_case_piece *p = s->c->piece;
    const char *found = NULL;
    for (int k = 0; p || k < s->c->run.specimens; p = p ? p->next : NULL) {
        const ifd_specimen *sp = p ? NULL : &s->c->run.specimen[k++];
        const char *from = sp ? dof_of(m, sp->from) : p->from, *to = sp ? dof_of(m, sp->to) : p->to;
        const char *other = same(from, below) ? to : same(to, below) ? from : NULL;
        bool taken = p && p->kind && strcmp(p->kind, "load") == 0;
        for (int i = 0; i < n; i++)
            taken = taken || same(floor[i], other);
        if (!other || taken)
            continue;
        *several = *several || (found && !same(found, other));
        found = other;
    }
    return found;
}

/* Dofs in one direction, each connected to the one below it, are floors; others, as angles, belong to them. */
static bool take_chain(structure *s)
{
    const ifd_model *m = structure_model(s->c, 0);
    const char *below = NULL,
               **floor = m ? ifd_arena_array(s->arena, (size_t)ifd_model_dofs(m), sizeof *floor) : NULL;
    int n = 0, count = 0, along = IFD_DOF_X;
    bool several = !floor || structure_couple(s->c);
    for (int k = 0; !several && k < ifd_model_dofs(m); k++) {
        int kind = (int)ifd_model_dof_kind(m, k);
        if (kind > IFD_DOF_Z)
            continue;
        several = count++ && kind != along;
        along = kind;
    }
    while (!several && n < count && (below = next_above(s, below, floor, n, &several)) && !several)
        floor[n++] = below;
    if (several || count < 2 || n < count)
        return false;
    take_floors(s, floor, n, NULL, 0.0, true);
    return true;
}

/* The substructures of nodes, and of members: those with a dof of them. */
static void mark_parts(structure *s)
{
    const ifd_couple_options *couple = structure_couple(s->c);
    for (int p = 0; couple && p < couple->parts && p < 32; p++)
        for (int k = 0; couple->part[p].model && k < ifd_model_dofs(couple->part[p].model); k++) {
            int at = find_own(s, couple->part[p].name, ifd_model_dof_name(couple->part[p].model, k));
            if (at >= 0) {
                s->spot[at].in |= 1u << p;
                if (s->spot[at].kind == SPOT_FLOOR)
                    s->spot[at - 1].in |= 1u << p;
            }
        }
    for (line *l = s->line; couple && l < s->line + s->lines; l++) {
        unsigned a = s->spot[l->from].in, b = l->to >= 0 ? s->spot[l->to].in : 0;
        unsigned in = a == 0 ? b : b == 0 ? a : a & b; /* a fixed node has no dof */
        l->tone = in == 0 || in & (in - 1) ? TONE_SHARED : 0;
        for (; l->tone >= 0 && in > 1; in /= 2)
            l->tone++;
    }
}

bool structure_take(ifd_arena *arena, const ifd_case *c, structure *out)
{
    double x = 0.0;
    bool ok = true;
    *out = (structure){.arena = arena, .c = c};
    if (!make_room(out))
        return false;
    for (const ifd_case_piece *p = c->piece; p; p = p->next)
        if (p->frame)
            take_frame(out, p);
    out->scaled = out->spots > 0;
    for (int i = 0; i < out->spots; i++)
        x = fmax(x, out->spot[i].at[0] + BAY);
    for (const ifd_case_piece *p = c->piece; p; p = p->next)
        if (p->building) {
            ok = take_building(out, p, x) && ok;
            x += 2.0 * BAY;
            out->scaled = false;
        }
    out->built = out->spots > 0 || take_chain(out);
    take_bodies(out);
    const ifd_hybrid_options *t = c->test;
    for (int k = 0; t && k < t->interfaces; k++)
        take_specimen(out, t->interface[k].name, t->interface[k].part, t->interface[k].from, t->interface[k].to);
    for (int k = 0; !t && k < c->run.specimens; k++)
        take_specimen(out, c->run.specimen[k].name, c->run.specimen[k].part, c->run.specimen[k].from,
                      c->run.specimen[k].to);
    take_pieces(out);
    take_others(out);
    take_joints(out);
    mark_parts(out);
    return ok;
}
