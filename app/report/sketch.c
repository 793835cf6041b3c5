/* SPDX-License-Identifier: MIT */
/* Positions of the nodes and members of a frame on the page, and of attached components. */
#include "sketch.h"

#include <math.h>
#include <string.h>

enum { REACH = 46 /* px, from a node to the ground or a mass beside it */, ASIDE = 16 };

/* A run can compute more than a test, as it includes specimens with a separate model. */
static const ifd_couple_options *couple_of(const ifd_case *c)
{
    return c->test ? c->test->couple : c->run.couple;
}

const ifd_model *sketch_model(const ifd_case *c, int part)
{
    const ifd_couple_options *couple = couple_of(c);
    return couple ? couple->part[part].model : c->test ? c->test->model : c->run.model;
}

static const char *name_of_part(const ifd_case *c, int part)
{
    return couple_of(c) && part >= 0 ? couple_of(c)->part[part].name : NULL;
}

/* "d6" of the dof "d6.y". */
static bool sketch_is_of_node(const char *dof, const char *node)
{
    size_t n = strlen(node);
    return strncmp(dof, node, n) == 0 && dof[n] == '.' && !strchr(dof + n + 1, '.');
}

static int sketch_add(sketch *s, const sketch_spot *spot)
{
    if (s->spots == s->room)
        return -1;
    s->spot[s->spots] = *spot;
    return s->spots++;
}

static int find_own(const sketch *s, const char *part, const char *dof)
{
    for (int i = 0; i < s->spots; i++) {
        const sketch_spot *p = &s->spot[i];
        if (p->part && part && strcmp(p->part, part) != 0)
            continue;
        if (strcmp(p->name, dof) == 0 || (!p->floor && !p->square && sketch_is_of_node(dof, p->name)))
            return i;
    }
    return -1;
}

/* A dof of another substructure that a joint of two terms connects to this one. */
static int find_joined(const sketch *s, int part, const char *dof)
{
    const ifd_couple_options *couple = couple_of(s->c);
    for (int k = 0; couple && k < couple->joints; k++) {
        const ifd_joint *j = &couple->joint[k];
        for (int i = 0; j->terms == 2 && i < 2; i++) {
            const ifd_joint_term *a = &j->term[i], *b = &j->term[1 - i];
            if (a->part == part && strcmp(ifd_model_dof_name(sketch_model(s->c, part), a->dof), dof) == 0)
                return find_own(s, name_of_part(s->c, b->part),
                                ifd_model_dof_name(sketch_model(s->c, b->part), b->dof));
        }
    }
    return -1;
}

/* The spot of a dof of a substructure, also through a joint; -1: none. */
static int sketch_find(const sketch *s, int part, const char *dof)
{
    int own = dof ? find_own(s, name_of_part(s->c, part), dof) : -1;
    return own >= 0 || !dof || part < 0 ? own : find_joined(s, part, dof);
}

static bool is_held(const ifd_frame *f, int node)
{
    unsigned all = f->planar ? IFD_FIX_X | IFD_FIX_Y : IFD_FIX_X | IFD_FIX_Y | IFD_FIX_Z;
    for (int k = 0; k < f->supports; k++)
        if (f->support[k].node == node)
            return (f->support[k].fixed & all) == all;
    return false;
}

static int part_of(const sketch *s, const char *name)
{
    int part = -1;
    for (int k = 0; name && k < s->parts; k++)
        part = strcmp(name_of_part(s->c, k), name) == 0 ? k : part;
    return part;
}

static bool take_frame(sketch *s, const ifd_case_piece *p)
{
    const ifd_frame *f = p->frame;
    int first = s->spots, part = part_of(s, p->part);
    for (int i = 0; i < f->nodes; i++) {
        const ifd_frame_node *n = &f->node[i];
        sketch_spot spot = {.part = p->part, .name = n->name, .support = is_held(f, i)};
        spot.in = part >= 0 && part < 31 ? 1u << part : 0; /* a condensed node has no dof */
        spot.x = f->planar ? n->x : n->x + 0.42 * n->y;    /* in space: seen slightly from the side and from above */
        spot.y = f->planar ? n->y : n->z + 0.28 * n->y;
        if (!spot.name || sketch_add(s, &spot) < 0)
            return false;
    }
    for (int i = 0; i < f->members; i++)
        s->member[s->members++] = (sketch_member){first + f->member[i].from, first + f->member[i].to, 0};
    s->planar = f->planar;
    return true;
}

/* Substructures that contain a node: those with a dof of it. */
static void mark_parts(sketch *s)
{
    for (int p = 0; p < s->parts && p < 31; p++) {
        const ifd_model *m = sketch_model(s->c, p);
        int last = 0; /* dofs of a node are consecutive */
        for (int k = 0; k < ifd_model_dofs(m); k++) {
            const char *dof = ifd_model_dof_name(m, k);
            int at = last < s->spots && sketch_is_of_node(dof, s->spot[last].name)
                         ? last
                         : find_own(s, name_of_part(s->c, p), dof);
            if (at >= 0)
                s->spot[last = at].in |= 1u << p;
        }
    }
}

static int tone_of(unsigned in)
{
    int tone = SKETCH_SHARED;
    if (in == 0 || (in & (in - 1)))
        return SKETCH_SHARED;
    while (in) {
        in >>= 1;
        tone++;
    }
    return tone;
}

/* From metres to page coordinates, y downwards. */
static bool scale(sketch *s)
{
    double low[2] = {HUGE_VAL, HUGE_VAL}, high[2] = {-HUGE_VAL, -HUGE_VAL};
    for (int i = 0; i < s->spots; i++) {
        low[0] = fmin(low[0], s->spot[i].x);
        high[0] = fmax(high[0], s->spot[i].x);
        low[1] = fmin(low[1], s->spot[i].y);
        high[1] = fmax(high[1], s->spot[i].y);
    }
    double w = high[0] - low[0], h = high[1] - low[1], room = SKETCH_WIDTH - 2 * SKETCH_MARGIN;
    double k = fmin(w > 0 ? room / w : HUGE_VAL, h > 0 ? SKETCH_HEIGHT / h : HUGE_VAL);
    if (!isfinite(k))
        return false;
    s->left = 0.5 * (SKETCH_WIDTH - k * w);
    s->right = s->left + k * w;
    s->low = 20;
    s->high = s->low + k * h;
    for (int i = 0; i < s->spots; i++) {
        s->spot[i].x = s->left + k * (s->spot[i].x - low[0]);
        s->spot[i].y = s->low + k * (high[1] - s->spot[i].y);
    }
    return true;
}

/* Marks that end in the same point are placed side by side. */
static int marks_at(const sketch *s, double x, double y)
{
    int n = 0;
    for (int k = 0; k < s->marks; k++)
        n += (fabs(s->mark[k].x1 - x) < 1 && fabs(s->mark[k].y1 - y) < 1) ||
             (fabs(s->mark[k].x2 - x) < 1 && fabs(s->mark[k].y2 - y) < 1);
    return n;
}

/* End point of a component between a node and the ground or a mass next to the structure. */
static void reach(const sketch *s, int at, ifd_dof_kind kind, double out[2])
{
    const sketch_spot *p = &s->spot[at];
    bool sideways =
        s->building || kind == IFD_DOF_X || kind == IFD_DOF_DEFORMATION || (!s->planar && kind == IFD_DOF_Y);
    double away = p->x < 0.5 * (s->left + s->right) - 1 || s->building ? -1 : 1;
    double half = s->building ? 0.5 * (s->right - s->left) : 0;
    int n = marks_at(s, p->x, p->y);
    out[0] = sideways ? p->x + away * (half + REACH) : p->x + ASIDE * n;
    out[1] = sideways ? p->y + ASIDE * n : p->y + REACH;
}

typedef struct ends {
    const char *name, *from, *to; /* dofs; NULL: the ground */
    int part;
    ifd_dof_kind kind;
    bool specimen;
} ends;

static void put_mark(sketch *s, const ends *e, const sketch_mark *m)
{
    if (s->marks == SKETCH_MARKS)
        return;
    s->mark[s->marks] = *m;
    s->mark[s->marks].name = e->name;
    s->mark[s->marks++].specimen = e->specimen;
    s->placed += e->specimen;
}

/* Between two floors, or the ground and the first: a brace. */
static bool put_brace(sketch *s, const ends *e, int a, int b)
{
    const sketch_spot *low = a >= 0 ? &s->spot[a] : NULL, *up = &s->spot[b];
    if (!s->building || (low && !low->floor) || !up->floor)
        return false;
    double storey = s->spots ? fabs(s->spot[0].y - s->high) : 0, base = low ? low->y : s->high;
    if (fabs(base - up->y) > 1.5 * storey)
        return false;
    int n = 0;
    for (int k = 0; k < s->marks; k++)
        n += s->mark[k].brace && fabs(s->mark[k].y2 - up->y) < 1;
    double in = 12.0 + 12.0 * (n / 2); /* pairs of braces lean to either side */
    bool right = n % 2;
    put_mark(s, e,
             &(sketch_mark){.x1 = right ? s->right - in : s->left + in,
                            .y1 = base,
                            .x2 = right ? s->left + in : s->right - in,
                            .y2 = up->y,
                            .brace = true});
    return true;
}

/* Where a component meets a spot: a floor at its nearest end, seen from x. */
static double meet(const sketch *s, int spot, double x)
{
    const sketch_spot *p = &s->spot[spot];
    return p->floor && x < s->left ? s->left : p->floor && x > s->right ? s->right : p->x;
}

/* Elements between the same two points share a symbol and its label. */
static bool join_mark(sketch *s, const ends *e, const sketch_mark *m)
{
    for (int k = 0; k < s->marks && !e->specimen; k++) {
        sketch_mark *o = &s->mark[k];
        bool same = hypot(o->x1 - m->x1, o->y1 - m->y1) < 1 && hypot(o->x2 - m->x2, o->y2 - m->y2) < 1;
        bool turned = hypot(o->x1 - m->x2, o->y1 - m->y2) < 1 && hypot(o->x2 - m->x1, o->y2 - m->y1) < 1;
        const char *both =
            !o->specimen && (same || turned) ? ifd_arena_print(s->arena, "%s, %s", e->name, o->name) : NULL;
        if (both) {
            o->name = both;
            return true;
        }
    }
    return false;
}

static void put_between(sketch *s, const ends *e, int a, int b)
{
    int low = s->spot[a].y > s->spot[b].y ? a : b;
    const sketch_mark m = {
        .x1 = meet(s, a, s->spot[b].x), .y1 = s->spot[a].y, .x2 = meet(s, b, s->spot[a].x), .y2 = s->spot[b].y};
    if (a != b && !put_brace(s, e, low, low == a ? b : a) && !join_mark(s, e, &m))
        put_mark(s, e, &m);
}

static void put_link(sketch *s, const ends *e)
{
    int a = sketch_find(s, e->part, e->from), b = sketch_find(s, e->part, e->to);
    const char *other = a < 0 ? e->from : e->to;
    if (a >= 0 && b >= 0) {
        put_between(s, e, a, b);
        return;
    }
    int known = a >= 0 ? a : b;
    if (known < 0 || (!other && put_brace(s, e, -1, known)))
        return;
    double end[2];
    reach(s, known, e->kind, end);
    double shift = end[1] - s->spot[known].y;
    bool sideways = fabs(end[0] - s->spot[known].x) > fabs(shift);
    put_mark(s, e,
             &(sketch_mark){.x1 = sideways ? meet(s, known, end[0]) : end[0],
                            .y1 = sideways ? end[1] : s->spot[known].y,
                            .x2 = end[0],
                            .y2 = end[1],
                            .ground = !other});
    if (other)
        sketch_add(s,
                   &(sketch_spot){
                       .part = name_of_part(s->c, e->part), .name = other, .x = end[0], .y = end[1], .square = true});
}

static const char *dof_of(const ifd_model *m, int dof)
{
    return dof >= 0 && dof < ifd_model_dofs(m) ? ifd_model_dof_name(m, dof) : NULL;
}

const ifd_case_chord *sketch_chord(const ifd_case *c, const char *name)
{
    const ifd_case_chord *k = c->chord;
    while (k && strcmp(k->name, name) != 0)
        k = k->next;
    return k;
}

const ifd_specimen *sketch_specimen(const ifd_case *c, const char *name)
{
    for (int k = 0; k < c->run.specimens; k++)
        if (strcmp(c->run.specimen[k].name, name) == 0)
            return &c->run.specimen[k];
    return NULL;
}

/* A component with mass on a floor or at a node. */
static void put_carried(sketch *s, const ends *e)
{
    int at = sketch_find(s, e->part, e->to ? e->to : e->from);
    if (at < 0)
        return;
    double x = s->building ? s->right + REACH : s->spot[at].x,
           y = s->building ? s->spot[at].y : s->spot[at].y - REACH;
    put_mark(
        s, e,
        &(sketch_mark){.x1 = s->building ? s->right : x, .y1 = s->spot[at].y, .x2 = x, .y2 = y, .carried = true});
}

static void take_specimen(sketch *s, const char *name, int part, int from, int to)
{
    const ifd_model *m = sketch_model(s->c, part);
    ends e = {name, dof_of(m, from), dof_of(m, to), part, IFD_DOF_X, true};
    const ifd_case_chord *chord = sketch_chord(s->c, name);
    if (chord) { /* a node by its first dof, which it may not have */
        e.from = chord->from ? ifd_arena_print(s->arena, "%s.x", chord->from) : NULL;
        e.to = chord->to ? ifd_arena_print(s->arena, "%s.x", chord->to) : NULL;
    }
    if (e.to || e.from)
        e.kind = ifd_model_dof_kind(m, to >= 0 ? to : from);
    if (sketch_specimen(s->c, name))
        put_link(s, &e);
    else
        put_carried(s, &e);
}

/* The columns of a building and their damping are already drawn. */
static bool is_storey(const sketch *s, const ends *e, const char *kind)
{
    int a = sketch_find(s, e->part, e->from), b = sketch_find(s, e->part, e->to);
    bool linear = strcmp(kind, "spring") == 0 || strcmp(kind, "dashpot") == 0;
    return s->building && linear && (!e->from || (a >= 0 && s->spot[a].floor)) &&
           (!e->to || (b >= 0 && s->spot[b].floor));
}

/* Elements after the specimens, so that a common mass is next to the specimen. */
static void take_elements(sketch *s)
{
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next) {
        if (p->frame || p->building)
            continue;
        int part = part_of(s, p->part);
        const ifd_model *m = sketch_model(s->c, part < 0 ? 0 : part);
        int dof = ifd_model_find_dof(m, p->to ? p->to : p->from ? p->from : "");
        ends e = {p->name, p->from, p->to, part, dof >= 0 ? ifd_model_dof_kind(m, dof) : IFD_DOF_X, false};
        if (!is_storey(s, &e, p->kind))
            put_link(s, &e);
    }
}

static bool take_frames(sketch *s)
{
    int nodes = 0, members = 0, frames = 0;
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next)
        if (p->frame) {
            nodes += p->frame->nodes;
            members += p->frame->members;
            frames++;
        }
    s->room = nodes + 2 * SKETCH_MARKS;
    s->spot = ifd_arena_array(s->arena, (size_t)s->room, sizeof *s->spot);
    s->member = ifd_arena_array(s->arena, (size_t)members + SKETCH_MARKS, sizeof *s->member);
    if (!frames || members > SKETCH_MEMBERS || !s->spot || !s->member)
        return false;
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next)
        if (p->frame && !take_frame(s, p))
            return false;
    return scale(s);
}

/* Buildings as stacked floors: shear buildings, and dofs connected in a chain by elements and specimens. */

enum { FLOORS = 200, SLAB = 130 /* px */, STOREY = 56 };

static bool put_floors(sketch *s, const char *const *name, int floors, const char *part)
{
    double storey = (double)SKETCH_HEIGHT / floors < STOREY ? (double)SKETCH_HEIGHT / floors : STOREY;
    s->room = floors + 2 * SKETCH_MARKS;
    s->spot = ifd_arena_array(s->arena, (size_t)s->room, sizeof *s->spot);
    s->member = ifd_arena_array(s->arena, (size_t)floors, sizeof *s->member);
    if (!s->spot || !s->member)
        return false;
    s->building = s->planar = true;
    s->left = 0.5 * (SKETCH_WIDTH - SLAB);
    s->right = s->left + SLAB;
    s->low = 24;
    s->high = s->low + storey * floors;
    for (int i = 0; i < floors; i++) {
        sketch_add(s, &(sketch_spot){.part = part,
                                     .name = name[i],
                                     .x = 0.5 * (s->left + s->right),
                                     .y = s->high - storey * (i + 1),
                                     .floor = true});
        s->member[s->members++] = (sketch_member){i ? i - 1 : 0, i, 0};
    }
    return true;
}

static bool take_building(sketch *s, const ifd_case_piece *p)
{
    const ifd_building *b = p->building;
    const char *name[FLOORS];
    for (int i = 0; i < b->storeys && i < FLOORS; i++) {
        const char *prefix = b->prefix ? b->prefix : "floor", *given = b->storey[i].name;
        name[i] = given ? given : ifd_arena_print(s->arena, "%s%d", prefix, i + 1);
        if (!name[i])
            return false;
    }
    return b->storeys > 0 && b->storeys <= FLOORS && put_floors(s, name, b->storeys, p->part);
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool among(const char *const *name, int count, const char *one)
{
    for (int i = 0; i < count; i++)
        if (same(name[i], one))
            return true;
    return false;
}

/* The only dof above `below` (NULL: the ground) that is not yet a floor; *several: there are more. */
static const char *next_above(const sketch *s, const char *below, const char *const *floor, int floors, bool *several)
{
    const ifd_model *m = sketch_model(s->c, 0);
    const char *found = NULL;
    int pieces = 0;
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next)
        pieces++;
    const ifd_case_piece *p = s->c->piece;
    for (int k = 0; k < pieces + s->c->run.specimens; k++) {
        const ifd_specimen *sp = k < pieces ? NULL : &s->c->run.specimen[k - pieces];
        const char *from = sp ? dof_of(m, sp->from) : p->from;
        const char *to = sp ? dof_of(m, sp->to) : p->to;
        p = sp ? p : p->next;
        const char *other = same(from, below) ? to : same(to, below) ? from : NULL;
        if (!other || among(floor, floors, other))
            continue;
        *several = *several || (found && !same(found, other));
        found = other;
    }
    return found;
}

/* Number of translational dofs if all have one direction; 0: two directions. */
static int count_floors(const ifd_model *m)
{
    int count = 0;
    ifd_dof_kind direction = IFD_DOF_X;
    for (int k = 0; k < ifd_model_dofs(m); k++) {
        ifd_dof_kind kind = ifd_model_dof_kind(m, k);
        if (kind > IFD_DOF_Z)
            continue;
        if (count++ && kind != direction)
            return 0;
        direction = kind;
    }
    return count;
}

/* Dofs in one direction, each connected to the one below it; pendulums and other angles are attached to them. */
static bool take_chain(sketch *s)
{
    const char *floor[FLOORS], *below = NULL;
    int n = s->parts ? 0 : count_floors(sketch_model(s->c, 0)), floors = 0;
    bool several = false;
    if (n < 2 || n > FLOORS)
        return false;
    while (floors < n && (below = next_above(s, below, floor, floors, &several)) && !several)
        floor[floors++] = below;
    return floors == n && put_floors(s, floor, floors, NULL);
}

/* Floors of shear buildings, or of dofs that are connected in a chain by their elements. */
static bool sketch_storeys(sketch *s)
{
    const ifd_case_piece *only = NULL;
    for (const ifd_case_piece *p = s->c->piece; p; p = p->next) {
        if (!p->building)
            continue;
        if (only)
            return false; /* their arrangement is unknown */
        only = p;
    }
    if (only && only->part && s->parts > 1)
        return false; /* as is the connection of the other substructures to it */
    return only ? take_building(s, only) : take_chain(s);
}

bool sketch_take(ifd_arena *arena, const ifd_case *c, sketch *out)
{
    memset(out, 0, sizeof *out);
    out->arena = arena;
    out->c = c;
    if (c->run.external || c->opensees || (c->run.couple && c->run.couple->rts) || !sketch_model(c, 0))
        return false; /* the direction of links matters: scheme.c */
    out->parts = couple_of(c) ? couple_of(c)->parts : 0;
    if (!take_frames(out)) {
        out->spots = out->members = 0;
        if (!sketch_storeys(out))
            return false;
    }
    mark_parts(out);
    for (int i = 0; i < out->members; i++) {
        unsigned a = out->spot[out->member[i].from].in, b = out->spot[out->member[i].to].in;
        out->member[i].tone = tone_of(a == 0 ? b : b == 0 ? a : a & b); /* a fixed node has no dof */
    }
    const ifd_hybrid_options *t = c->test;
    for (int k = 0; t && k < t->interfaces; k++)
        take_specimen(out, t->interface[k].name, t->interface[k].part, t->interface[k].from, t->interface[k].to);
    for (int k = 0; !t && k < c->run.specimens; k++) {
        const ifd_specimen *sp = &c->run.specimen[k];
        take_specimen(out, sp->name, sp->part, sp->from, sp->to);
    }
    take_elements(out);
    return out->placed > 0 || (c->run.specimens == 0 && !c->test);
}
