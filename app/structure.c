/* SPDX-License-Identifier: MIT */
/* Points and lines of the structure of a case. */
#include "structure.h"

#include <math.h>
#include <string.h>

static const double STOREY = 3.0, BAY = 4.0; /* of a building without dimensions, and between masses */

static const ifd_couple_options *couple_of(const ifd_case *c)
{
    return c->test && c->test->couple ? c->test->couple : c->run.couple;
}

static const ifd_model *model_of(const ifd_case *c, int part)
{
    const ifd_couple_options *couple = couple_of(c);
    return couple ? couple->part[part].model : c->test && c->test->model ? c->test->model : c->run.model;
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
    const ifd_couple_options *couple = couple_of(c);
    for (int p = 0; couple && name && p < couple->parts; p++)
        if (strcmp(couple->part[p].name, name) == 0)
            return p;
    return 0;
}

/* Memory for all spots and lines that a case can have. */
static bool make_room(structure *s)
{
    const ifd_case *c = s->c;
    const ifd_couple_options *couple = couple_of(c);
    size_t spots = 64, lines = 64, parts = couple ? (size_t)couple->parts : 1;
    for (const ifd_case_piece *p = c->piece; p; p = p->next) {
        spots += p->frame ? (size_t)p->frame->nodes : p->building ? 2 * (size_t)p->building->storeys + 2 : 2;
        lines += p->frame ? (size_t)p->frame->members : p->building ? 3 * (size_t)p->building->storeys : 1;
    }
    for (size_t p = 0; p < parts; p++) {
        const ifd_model *m = model_of(c, (int)p);
        spots += m ? (size_t)ifd_model_dofs(m) : 1;
    }
    spots += 2 * ((size_t)c->run.specimens + (c->test ? (size_t)c->test->interfaces : 0));
    lines += (size_t)c->run.specimens + (c->test ? (size_t)c->test->interfaces : 0);
    lines += couple ? (size_t)couple->joints : 0;
    s->spot = ifd_arena_array(s->arena, spots, sizeof *s->spot);
    s->line = ifd_arena_array(s->arena, lines, sizeof *s->line);
    return s->spot && s->line;
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
                            .named = f->nodes <= 40});
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
                            .member = &f->member[i]});
    s->space = s->space || !f->planar;
}

/* Two columns and a slab for each floor; x: of the left column. */
static void take_building(structure *s, const ifd_case_piece *p, double x)
{
    const ifd_building *b = p->building;
    int below[2];
    bool grounded = b->base == IFD_GROUND;
    for (int side = 0; side < 2; side++)
        below[side] = add_spot(s, &(spot){.kind = SPOT_FLOOR,
                                          .part = p->part,
                                          .name = "",
                                          .at = {x + side * BAY, 0, 0},
                                          .fixed = IFD_FIX_ALL,
                                          .moves = !grounded});
    for (int k = 0; k < b->storeys; k++) {
        int floor[2];
        const char *name = b->storey[k].name
                               ? b->storey[k].name
                               : ifd_arena_print(s->arena, "%s%d", b->prefix ? b->prefix : "floor", k + 1);
        for (int side = 0; side < 2; side++) {
            floor[side] = add_spot(s, &(spot){.kind = SPOT_FLOOR,
                                              .part = p->part,
                                              .name = name ? name : "",
                                              .at = {x + side * BAY, (k + 1) * STOREY, 0},
                                              .named = side == 1 && b->storeys <= 40});
            add_line(s, &(line){LINE_MEMBER, NULL, below[side], floor[side], 0, NULL});
            below[side] = floor[side];
        }
        add_line(s, &(line){LINE_SLAB, name, floor[0], floor[1], 0, NULL});
    }
}

/* Whether a dof is one of a node: "d6.y" of "d6". */
static bool is_of_node(const char *dof, const char *node)
{
    size_t n = strlen(node);
    return strncmp(dof, node, n) == 0 && dof[n] == '.' && !strchr(dof + n + 1, '.');
}

/* The spot of a dof; of a floor the right one. -1: none. */
static int find(const structure *s, const char *part, const char *dof)
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

/* A mass beside a spot, further out if that place is taken. */
static void place_beside(const structure *s, int at, int along, double out[3])
{
    double step[3] = {along == 0 ? 0.5 * BAY : 0.0, along == 0 ? 0.0 : 0.5 * STOREY, 0.0};
    bool taken = true;
    memcpy(out, s->spot[at].at, 3 * sizeof *out);
    for (int tries = 0; taken && tries < 20; tries++) {
        taken = false;
        for (int i = 0; i < 3; i++)
            out[i] += step[i];
        for (int k = 0; k < s->spots; k++)
            taken = taken || hypot(s->spot[k].at[0] - out[0], s->spot[k].at[1] - out[1]) < 0.2 * BAY;
    }
}

static int direction(const ifd_model *m, const char *dof)
{
    int at = m && dof ? ifd_model_find_dof(m, dof) : -1;
    ifd_dof_kind kind = at >= 0 ? ifd_model_dof_kind(m, at) : IFD_DOF_X;
    return kind <= IFD_DOF_Z ? (int)kind : 0;
}

/* An element or specimen between two dofs; NULL: the ground. */
static void take_link(structure *s, line l, const char *part, const char *from, const char *to)
{
    int a = find(s, part, from), b = find(s, part, to), p = part_index(s->c, part);
    const ifd_model *m = model_of(s->c, p);
    spot mass = {.kind = SPOT_MASS, .part = part, .named = true};
    if (!from && !to)
        return;
    l.along = direction(m, to ? to : from);
    if (a < 0 && b < 0) { /* no coordinates: in a row, one for each substructure */
        mass.at[1] = -(double)p * STOREY;
        for (int i = 0; i < s->spots; i++)
            mass.at[0] += s->spot[i].kind == SPOT_MASS && s->spot[i].at[1] == mass.at[1] ? 0.75 * BAY : 0.0;
        mass.name = from ? from : to;
        *(from ? &a : &b) = add_spot(s, &mass);
    }
    if (a < 0 && from) {
        mass.name = from;
        place_beside(s, b, l.along, mass.at);
        a = add_spot(s, &mass);
    }
    if (b < 0 && to) {
        mass.name = to;
        place_beside(s, a, l.along, mass.at);
        b = add_spot(s, &mass);
    }
    l.from = a >= 0 ? a : b;
    l.to = a >= 0 ? b : -1;
    if (l.from != l.to)
        add_line(s, &l);
}

static const char *dof_of(const ifd_model *m, int dof)
{
    return m && dof >= 0 && dof < ifd_model_dofs(m) ? ifd_model_dof_name(m, dof) : NULL;
}

static void take_specimen(structure *s, const char *name, int part, int from, int to)
{
    const ifd_couple_options *couple = couple_of(s->c);
    const ifd_model *m = model_of(s->c, part);
    take_link(s, (line){.shape = LINE_SPECIMEN, .name = name}, couple ? couple->part[part].name : NULL,
              dof_of(m, from), dof_of(m, to));
}

static bool floors(const structure *s, const char *part, const char *from, const char *to)
{
    int a = find(s, part, from), b = find(s, part, to);
    return (!from || (a >= 0 && s->spot[a].kind == SPOT_FLOOR)) && (!to || (b >= 0 && s->spot[b].kind == SPOT_FLOOR));
}

/* Springs and dashpots of storeys are in the columns already. */
static void take_elements(structure *s)
{
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next) {
        if (p->frame || p->building)
            continue;
        bool linear = p->kind && (strcmp(p->kind, "spring") == 0 || strcmp(p->kind, "dashpot") == 0);
        if (!linear || !floors(s, p->part, p->from, p->to))
            take_link(s, (line){.shape = LINE_ELEMENT, .name = p->name}, p->part, p->from, p->to);
    }
}

/* Dofs that nothing above has placed, in a row below. */
static void take_others(structure *s)
{
    const ifd_couple_options *couple = couple_of(s->c);
    double low = 0.0;
    bool any = s->spots > 0, loose = true;
    for (int i = 0; i < s->spots; i++) {
        low = fmin(low, s->spot[i].at[1]);
        loose = loose && s->spot[i].kind == SPOT_MASS;
    }
    for (int p = 0; p < (couple ? couple->parts : 1); p++) {
        const ifd_model *m = model_of(s->c, p);
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
        add_spot(s, &(spot){.kind = SPOT_MASS, .name = "structure of another program", .named = true});
}

static void take_joints(structure *s)
{
    const ifd_couple_options *couple = couple_of(s->c);
    for (int k = 0; couple && k < couple->joints; k++) {
        const ifd_joint *j = &couple->joint[k];
        int end[2] = {-1, -1};
        for (int i = 0; j->terms == 2 && i < 2; i++) {
            const ifd_joint_term *t = &j->term[i];
            end[i] = find(s, couple->part[t->part].name, dof_of(model_of(s->c, t->part), t->dof));
        }
        if (end[0] >= 0 && end[1] >= 0 && end[0] != end[1])
            add_line(s, &(line){.shape = LINE_JOINT, .from = end[0], .to = end[1]});
    }
}

bool structure_take(ifd_arena *arena, const ifd_case *c, structure *out)
{
    double x = 0.0;
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
            take_building(out, p, x);
            x += 2.0 * BAY;
            out->scaled = false;
        }
    const ifd_hybrid_options *t = c->test;
    for (int k = 0; t && k < t->interfaces; k++)
        take_specimen(out, t->interface[k].name, t->interface[k].part, t->interface[k].from, t->interface[k].to);
    for (int k = 0; !t && k < c->run.specimens; k++)
        take_specimen(out, c->run.specimen[k].name, c->run.specimen[k].part, c->run.specimen[k].from,
                      c->run.specimen[k].to);
    take_elements(out);
    take_others(out);
    take_joints(out);
    return true;
}
