/* SPDX-License-Identifier: MIT */
/* Frames: material, sections, and either a grid or nodes and members. */
#include "case/framing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/fibre/law.h"

const ifd__section ifd__section_frame = {
    "frame", "frame: beams and columns", "model.frame",
    "Members are rigid in shear unless their section has a shear area. Dofs are named node.x, node.y, node.rz (in "
    "space also .z, .rx, .ry).",
    KEYS(
        WITHIN("dimension", NONE, 2, 3, 2, NULL,
               "2: plane x-y (y up) with dofs x, y, rz; 3: space (z up) with six dofs"),
        WORD("mass", "consistent|lumped", "mass matrix of the members"),
        FORM("material", false, "{young, poisson or shear, density}", "required, unless each section names one",
             "material of sections that name none (help material)"),
        FORM("soils", false, "{name: soil} (help soils)", "none", "soil around members with the key `soil`"),
        FORM("materials", false, "{name: law} (help materials)", "none", "materials of fibres and sections"),
        FORM("sections", true, "{name: section} (help section)", NULL, "cross sections"),
        FORM("grid", false, "mapping (help grid)", NULL, "regular building frame, instead of nodes and members"),
        FORM("nodes", false, "{name: [x, y]} or {name: [x, y, z]}", NULL, "coordinates of the nodes"),
        FORM("members", false, "list of [node, node, section], [node, node, section, name] or mappings (help member)",
             NULL, "members, named 'node-node' unless a name is given"),
        FORM("supports", false, "{node: fixed | pinned | [x, y, ...] | {hold, x, y, z}} (help frame-support)",
             "for a grid: fixed base", "fixed displacements of nodes"),
        WORD("geometry", "linear|p-delta|large",
             "p-delta adds the geometric stiffness of the axial forces under gravity; large: members turn with their "
             "nodes (docs/reference/chords.md)"),
        CHOICE("gravity-state", "none|loads|weight", "loads if a member has a load, otherwise none",
               "constant loads under which the structure starts in equilibrium. loads: those of members and "
               "`gravity-loads`; weight: also the weight of members and `masses`"),
        WITHIN("gravity", ACCELERATION, 0, 1e3, 9.81, NULL,
               "acceleration of gravity, for p-delta and `gravity-state: weight`"),
        WORD("axial", "constant|current",
             "with p-delta. constant: axial forces are those under gravity; current: they follow the motion, and "
             "rotations need mass, as with `mass: consistent`"),
        FORM("gravity-loads", false, "{node: force}", "none",
             "further downward loads on nodes, for p-delta and the gravity state"))};

const ifd__section ifd__section_frame_support = {
    "frame-support", "frame-support: one moving node of a frame", "model.frame.supports.*", "",
    KEYS(FORM("hold", false, "fixed, pinned, or a list of x, y, z, rx, ry, rz", "fixed",
              "fixed displacements and rotations"),
         FORM("x", false, "name of a support of the model", "the ground", "support that moves the node along x"),
         FORM("y", false, "as x", "the ground", "support that moves the node along y"),
         FORM("z", false, "as x", "the ground", "support that moves the node along z"))};

const ifd__section ifd__section_material = {
    "material", "material: material of a frame", "model.frame.material", "",
    KEYS(NUMBER("young", PRESSURE, 1e-3, 1e15, "Young's modulus E"),
         WITHIN("poisson", NONE, 0, 0.5, 0.2, NULL, "Poisson's ratio, for the shear modulus"),
         WITHIN("shear", PRESSURE, 1e-3, 1e15, 0, "E / (2 (1 + poisson))", "shear modulus G"),
         WITHIN("density", DENSITY, 0, 1e7, 0, NULL, "mass density"))};

const ifd__section ifd__section_section = {
    "section", "section: one cross section of a frame", "model.frame.sections.*",
    "A section is a rectangle with `width` and `depth`, or is given by its properties or by fibres "
    "(docs/guide/sections.md).",
    KEYS(WITHIN("width", LENGTH, 1e-6, 1e3, 0, "none", "width of a rectangle, perpendicular to the plane of bending"),
         WITHIN("depth", LENGTH, 1e-6, 1e3, 0, "none", "depth of a rectangle, in the plane of bending"),
         WITHIN("area", AREA, 1e-12, 1e6, 0, "width depth", "area"),
         WITHIN("iz", INERTIA, 1e-24, 1e9, 0, "width depth^3 / 12", "second moment of area for bending in the plane"),
         WITHIN("iy", INERTIA, 1e-24, 1e9, 0, "depth width^3 / 12",
                "second moment of area for bending out of the plane (in space)"),
         WITHIN("j", INERTIA, 1e-24, 1e9, 0, "that of the rectangle", "torsion constant (in space)"),
         WITHIN("shear-area", AREA, 0, 1e6, 0, "rigid in shear",
                "shear area for bending in the plane, such as 5/6 of the area of a rectangle"),
         WITHIN("shear-area-z", AREA, 0, 1e6, 0, "rigid in shear",
                "shear area for bending out of the plane (in space)"),
         TEXT("material", false, "`material` of the frame",
              "name of an elastic material, for a section without fibres"),
         WITHIN("shear-modulus", PRESSURE, 1e-3, 1e15, 0, "that of the frame's `material`",
                "shear modulus of a section with a named material or with fibres"),
         FORM("fibres", false, "list of {rectangle}, {ring} and {bars} (help fibres)", "none",
              "fibres of a section whose members may yield"),
         WITHIN("line-mass", MASS_PER_LENGTH, 0, 1e9, 0, "area times density of the materials",
                "with fibres: mass per length"),
         WITHIN("points", NONE, 3, 10, 5, NULL, "with fibres: Gauss-Lobatto points of a member"),
         WITHIN("passes", NONE, 1, 8, 2, NULL, "with fibres: iterations of a member per evaluation"),
         WITHIN("limit", NONE, 1e-12, 1, 1e-3, NULL,
                "with fibres: largest error of these iterations after a step (rad, or relative to the length); a "
                "larger one puts a test on hold"))};

const ifd__section ifd__section_grid = {
    "grid", "grid: regular building frame", "model.frame.grid",
    "The names of nodes are `s<storey>c<column>` in the plane (s0c1 is the base of the first column) and "
    "`s<storey>x<i>y<j>` in space.",
    KEYS(FORM("bays", true, "list of lengths; '3 x 6 m' means three of 6 m", NULL, "widths of the bays along x"),
         FORM("bays-y", false, "as bays", NULL, "widths of the bays along y; required in space"),
         FORM("storeys", true, "as bays", NULL, "heights of the storeys, from the bottom"),
         TEXT("columns", true, NULL, "name of the section"), TEXT("beams", true, NULL, "name of the section"),
         WITHIN("beam-mass", MASS_PER_LENGTH, 0, 1e9, 0, NULL, "additional mass of every beam, such as a slab"),
         WITHIN("beam-load", FORCE_PER_LENGTH, -1e12, 1e12, 0, "none",
                "downward load of every beam in the gravity state"),
         WORD("base", "fixed|pinned", "supports of the columns"),
         WORD("floors", "flexible|rigid",
              "rigid: the nodes of each storey follow `floor1`, `floor2`, ... (help rigid)"),
         LIST("floor-mass", MASS, false, "0",
              "added mass of each rigid floor, from the bottom, or one number for all"),
         LIST("floor-inertia", ROTATIONAL_INERTIA, false, "0",
              "added inertia of each rigid floor about the vertical axis (in space)"),
         LIST("floor-eccentricity", LENGTH, false, "0, 0",
              "[x, y] of `floor1`, ... relative to the centre of the nodes (in space)"))};

enum { MOST_BAYS = 100000 }; /* in one direction */

static bool good(const ifd__framing *k)
{
    return k->complete && k->m->note->errors == k->errors;
}

static void read_material(ifd__framing *k, const ifd__node *node)
{
    ifd__fields f;
    ifd__fields_read(k->m->r, node, &ifd__section_material, "material", &f);
    k->material = (ifd_material){ifd__field(&f, "young")->number, ifd__field(&f, "shear")->number,
                                 ifd__field(&f, "poisson")->number, ifd__field(&f, "density")->number};
    k->has_material = node != NULL;
}

double ifd__framing_shear(const ifd__framing *k, const ifd__fields *section)
{
    const ifd_value *own = ifd__field(section, "shear-modulus");
    const ifd_material *m = &k->material;
    if (own->given || !k->has_material)
        return own->number;
    return m->G > 0.0 ? m->G : m->E / (2.0 * (1.0 + m->nu));
}

/* `material` of a section without fibres. */
static void name_material(ifd__framing *k, const ifd__node *section, const ifd__fields *f, ifd_section *s)
{
    const ifd_value *name = ifd__field(f, "material");
    int law = name->given ? ifd__framing_law(k, name) : -1;
    ifd_material *m = law >= 0 ? ifd_arena_take(k->m->arena, sizeof *m) : NULL;
    if (!name->given && !k->has_material)
        ifd_note_add(
            k->m->note, IFD_MISSING_KEY, &section->place,
            "section '%s' names no material, and the frame has none: expected 'material' of the frame or of the "
            "section",
            section->key);
    if (!m)
        return;
    if (k->law[law].kind != IFD__FIBRE_ELASTIC)
        ifd_note_add(k->m->note, IFD_CONFLICT, &name->place,
                     "section '%s' has no fibres, and '%s' is not an elastic material: expected an elastic one, or "
                     "'fibres'",
                     section->key, name->word);
    *m = (ifd_material){.E = k->law[law].young, .G = ifd__framing_shear(k, f), .density = k->law[law].density};
    s->material = m;
}

static void need_shear(ifd__framing *k, const ifd__node *section, const ifd_section *s)
{
    if (s->material && !(s->material->G > 0.0) && (!k->frame.planar || s->Asy > 0.0))
        ifd_note_add(k->m->note, IFD_MISSING_KEY, &section->place,
                     "section '%s' has no shear modulus: expected 'shear-modulus', or 'material' of the frame",
                     section->key);
}

/* Given values have priority over those of the rectangle. */
static ifd_section section_from(ifd__framing *k, const ifd__node *node)
{
    ifd__fields f;
    int before = k->m->note->errors;
    ifd__fields_read(k->m->r, node, &ifd__section_section, "section", &f);
    const ifd_value *w = ifd__field(&f, "width"), *d = ifd__field(&f, "depth"), *a = ifd__field(&f, "area");
    const ifd_value *iz = ifd__field(&f, "iz"), *iy = ifd__field(&f, "iy"), *j = ifd__field(&f, "j");
    bool rectangle = w->given && d->given,
         enough = a->given && iz->given && (k->frame.planar || (iy->given && j->given));
    ifd_section s = {0};
    if (rectangle)
        s = ifd_section_rectangle(w->number, d->number);
    s.A = a->given ? a->number : s.A;
    s.Iz = iz->given ? iz->number : s.Iz;
    s.Iy = iy->given ? iy->number : s.Iy;
    s.J = j->given ? j->number : s.J;
    if (ifd__part(&f, "fibres")) {
        s = (ifd_section){.J = j->number};
        ifd__read_fibres(k, node, &f, &s);
        if (!k->frame.planar && !j->given)
            ifd_note_add(k->m->note, IFD_MISSING_KEY, &node->place,
                         "section '%s' has fibres and no torsion constant: expected 'j'", node->key);
        rectangle = true;
    } else
        name_material(k, node, &f, &s);
    s.Asy = ifd__field(&f, "shear-area")->number;
    s.Asz = ifd__field(&f, "shear-area-z")->number;
    need_shear(k, node, &s);
    if (!rectangle && !enough && k->m->note->errors == before)
        ifd_note_add(k->m->note, IFD_MISSING_KEY, &node->place, "section '%s' needs 'width' and 'depth', or %s",
                     node->key, k->frame.planar ? "'area' and 'iz'" : "'area', 'iz', 'iy' and 'j'");
    return s;
}

static const char *keys_of(ifd_arena *arena, const ifd__node *map)
{
    const char **name = ifd_arena_array(arena, (size_t)map->count, sizeof *name);
    int n = 0;
    for (const ifd__node *i = map->first; i && name; i = i->next)
        name[n++] = i->key;
    return name ? ifd__join(arena, n, name) : "";
}

const ifd__node *ifd__framing_named(ifd__framing *k, const ifd__node *map, const char *noun, const char *name,
                                    const ifd_place *place)
{
    const ifd__node *found = ifd__yaml_get(map, name);
    if (found)
        return found;
    ifd_note_add(k->m->note, IFD_UNKNOWN_NAME, place, "no %s has the name '%s'", noun, name);
    if (map)
        ifd_choice_hint(k->m->note, keys_of(k->m->arena, map), name);
    return NULL;
}

static void read_sections(ifd__framing *k)
{
    int n = 0;
    if (!k->sections)
        return;
    k->section = ifd_arena_array(k->m->arena, (size_t)k->sections->count, sizeof *k->section);
    for (const ifd__node *i = k->sections->first; i && k->section; i = i->next)
        k->section[n++] = section_from(k, i);
}

int ifd__framing_index(ifd__framing *k, const ifd__node *map, const char *noun, const ifd_value *name)
{
    const ifd__node *node = name->word ? ifd__framing_named(k, map, noun, name->word, &name->place) : NULL;
    int n = 0;
    for (const ifd__node *i = node ? map->first : NULL; i != node; i = i->next)
        n++;
    return node ? n : -1;
}

ifd_section ifd__framing_section(ifd__framing *k, const ifd_value *name)
{
    int n = ifd__framing_index(k, k->sections, "section", name);
    return n >= 0 && k->section ? k->section[n] : (ifd_section){0};
}

/* "3 x 6 m": three of 6 m; appends to at, which holds cumulative sums. False after an error. */
static bool read_length(ifd__framing *k, const ifd__node *node, double *at, int *n)
{
    double length = 0;
    long times = 1;
    ifd__node plain = *node;
    const char *x = node->kind == IFD__SCALAR ? strstr(node->text, " x ") : NULL;
    if (x) {
        char *end;
        times = strtol(node->text, &end, 10);
        if (end != x || times < 1) {
            ifd_note_add(k->m->note, IFD_NUMBER, &node->place, "found '%s', expected for example '3 x 6 m'",
                         node->text);
            return false;
        }
        plain.text = x + 3;
    }
    if (ifd__yaml_number(&plain, IFD_DIM_LENGTH, IFD_RANGE_POSITIVE, &length, k->m->note) != IFD_OK)
        return false;
    if (times > MOST_BAYS - *n) {
        ifd_note_add(k->m->note, IFD_TOO_LARGE, &node->place, "more than %d bays or storeys in one direction",
                     MOST_BAYS);
        return false;
    }
    for (long i = 0; i < times; i++, ++*n)
        at[*n + 1] = at[*n] + length;
    return true;
}

static int read_lengths(ifd__framing *k, const ifd__node *node, double *at)
{
    int n = 0, errors = k->m->note->errors;
    if (!node)
        return 0;
    if (node->kind != IFD__SEQUENCE)
        (void)read_length(k, node, at, &n);
    else
        for (const ifd__node *i = node->first; i; i = i->next)
            (void)read_length(k, i, at, &n);
    if (n == 0 && k->m->note->errors == errors)
        ifd_note_add(k->m->note, IFD_SHAPE, &node->place, "'%s' is empty, expected at least one length", node->key);
    return n;
}

/* The grid is made with bays and storeys of 1 m; then its nodes are moved to their positions. */
static void place_nodes(ifd__framing *k, const double *x, const double *y, const double *z)
{
    size_t bytes = (size_t)k->frame.nodes * sizeof *k->frame.node;
    ifd_frame_node *node = ifd_arena_take(k->m->arena, bytes);
    if (!ifd__in_memory(k->m->r, node))
        return;
    memcpy(node, k->frame.node, bytes);
    for (int i = 0; i < k->frame.nodes; i++) {
        node[i].x = x[lround(node[i].x)];
        node[i].y = k->frame.planar ? z[lround(node[i].y)] : y[lround(node[i].y)];
        node[i].z = k->frame.planar ? 0 : z[lround(node[i].z)];
    }
    k->frame.node = node;
}

/* Members of sections with a material of their own. */
static void use_materials(ifd__framing *k)
{
    size_t bytes = (size_t)k->frame.members * sizeof *k->frame.member;
    ifd_frame_member *member = ifd_arena_take(k->m->arena, bytes);
    if (!ifd__in_memory(k->m->r, member || !bytes))
        return;
    for (int i = 0; i < k->frame.members; i++) {
        member[i] = k->frame.member[i];
        if (member[i].section.material)
            member[i].material = *member[i].section.material;
    }
    k->frame.member = member;
}

static unsigned pinned(const ifd__framing *k)
{
    return k->frame.planar ? IFD_FIX_X | IFD_FIX_Y : IFD_FIX_X | IFD_FIX_Y | IFD_FIX_Z;
}

static void read_grid(ifd__framing *k)
{
    double *x, *y, *z;
    ifd__fields f;
    ifd_grid grid;
    if (IFD__TAKE(k->m->arena, IFD__ARRAY(x, MOST_BAYS + 1), IFD__ARRAY(y, MOST_BAYS + 1),
                  IFD__ARRAY(z, MOST_BAYS + 1)) != IFD_OK) {
        ifd_note_add(k->m->note, IFD_NO_MEMORY, &k->grid->place, "no memory for the grid");
        return;
    }
    bool planar = k->frame.planar, lumped = k->frame.lumped, large = k->frame.large;
    ifd__fields_read(k->m->r, k->grid, &ifd__section_grid, "grid", &f);
    ifd_grid_defaults(&grid);
    grid.planar = planar;
    grid.lumped = lumped;
    grid.bay_x = grid.bay_y = grid.storey = 1;
    grid.bays_x = read_lengths(k, ifd__part(&f, "bays"), x);
    grid.storeys = read_lengths(k, ifd__part(&f, "storeys"), z);
    const ifd__node *across = ifd__part(&f, "bays-y");
    if (!planar && !across)
        ifd_note_add(k->m->note, IFD_MISSING_KEY, &k->grid->place, "grid needs 'bays-y' in a frame of dimension 3");
    if (planar && across)
        ifd_note_add(k->m->note, IFD_CONFLICT, &across->key_place,
                     "grid has 'bays-y', but the frame is planar (dimension: 2)");
    if (!planar)
        grid.bays_y = read_lengths(k, across, y);
    grid.column = ifd__framing_section(k, ifd__field(&f, "columns"));
    grid.beam = ifd__framing_section(k, ifd__field(&f, "beams"));
    grid.beam_mass = ifd__field(&f, "beam-mass")->number;
    grid.beam_load = ifd__field(&f, "beam-load")->number;
    grid.material = k->material;
    grid.base = ifd__field_word(&f, "base") == 1 ? pinned(k) : IFD_FIX_ALL;
    k->complete = good(k) && ifd_frame_grid(k->m->arena, &grid, &k->frame, k->m->note) == IFD_OK;
    if (!k->complete)
        return;
    k->frame.planar = planar;
    k->frame.lumped = lumped;
    k->frame.large = large;
    place_nodes(k, x, y, z);
    k->floors = ifd__read_floors(k->m, &f, &k->frame);
}

static void read_nodes(ifd__framing *k)
{
    int n = 0, size = k->frame.planar ? 2 : 3;
    ifd_frame_node *node = ifd_arena_array(k->m->arena, (size_t)k->nodes->count, sizeof *node);
    for (const ifd__node *i = k->nodes->first; i && node; i = i->next, n++) {
        const double *at = NULL;
        int count = 0;
        if (ifd__yaml_list(k->m->arena, i, IFD_DIM_LENGTH, &at, &count, k->m->note) != IFD_OK)
            continue;
        if (count == size)
            node[n] = (ifd_frame_node){i->key, at[0], at[1], size == 3 ? at[2] : 0};
        else
            ifd_note_add(k->m->note, IFD_SHAPE, &i->place, "node '%s' has %d coordinates, expected %d", i->key, count,
                         size);
    }
    k->frame.nodes = n;
    k->frame.node = node;
}

int ifd__framing_node(ifd__framing *k, const char *name, const ifd_place *place)
{
    for (int i = 0; k->frame.node && i < k->frame.nodes; i++)
        if (k->frame.node[i].name && strcmp(k->frame.node[i].name, name) == 0)
            return i;
    ifd__framing_named(k, k->nodes, "node", name, place);
    return 0;
}

static unsigned held(ifd__framing *k, const ifd__node *node)
{
    static const char WORDS[] = "x|y|z|rx|ry|rz";
    unsigned fixed = 0;
    int word = 0;
    if (node->kind == IFD__SCALAR) {
        word = ifd__read_word(k->m->r, node, "fixed|pinned", "support");
        return word == 0 ? IFD_FIX_ALL : pinned(k);
    }
    bool list = ifd__yaml_expect(node, IFD__SEQUENCE, k->m->note) == IFD_OK;
    for (const ifd__node *i = list ? node->first : NULL; i; i = i->next)
        if (ifd__yaml_word(i, WORDS, &word, k->m->note) == IFD_OK)
            fixed |= 1u << word;
    return fixed;
}

/* `{hold: ..., x: table}`: fixed directions, and the supports that move them. */
static unsigned moved(ifd__framing *k, const ifd__node *map, int node, ifd_frame_motion *motion, int *count)
{
    static const char *const axis[3] = {"x", "y", "z"};
    ifd__fields f;
    ifd__fields_read(k->m->r, map, &ifd__section_frame_support, "support", &f);
    const ifd__node *hold = ifd__part(&f, "hold");
    unsigned fixed = hold ? held(k, hold) : IFD_FIX_ALL;
    for (int i = 0; i < 3; i++) {
        const ifd__node *by = ifd__part(&f, axis[i]);
        int ref = IFD_GROUND;
        if (!by || !ifd__read_ref(k->m, by, IFD__REF_ANY, &ref) || ref == IFD_GROUND)
            continue;
        if (ref >= 0 || !(fixed & (1u << i))) {
            ifd_note_add(k->m->note, IFD_CONFLICT, &by->place, "node '%s' cannot follow '%s' along %s: %s", map->key,
                         by->text, axis[i],
                         ref >= 0 ? "this is a dof, expected a support" : "this displacement is not fixed");
            continue;
        }
        motion[(*count)++] = (ifd_frame_motion){node, (ifd_dof_kind)i, ref};
    }
    return fixed;
}

/* A grid has the supports of its base; given ones replace or extend them. */
static void read_supports(ifd__framing *k, const ifd__node *map)
{
    int n = k->frame.supports, motions = 0;
    if (!map || ifd__yaml_expect(map, IFD__MAPPING, k->m->note) != IFD_OK)
        return;
    ifd_frame_support *s = ifd_arena_array(k->m->arena, (size_t)(n + map->count), sizeof *s);
    ifd_frame_motion *motion = ifd_arena_array(k->m->arena, 3 * (size_t)map->count, sizeof *motion);
    if (s && n)
        memcpy(s, k->frame.support, (size_t)n * sizeof *s);
    for (const ifd__node *i = map->first; i && s && motion; i = i->next) {
        int node = ifd__framing_node(k, i->key, &i->key_place), at = 0;
        while (at < n && s[at].node != node)
            at++;
        n = at == n ? n + 1 : n;
        bool map_given = i->kind == IFD__MAPPING;
        s[at] = (ifd_frame_support){node, map_given ? moved(k, i, node, motion, &motions) : held(k, i)};
    }
    k->frame.supports = n;
    k->frame.support = s;
    k->frame.motions = motions;
    k->frame.motion = motion;
}

static void read_parts(ifd__framing *k, const ifd__fields *f, const ifd__node *place)
{
    const ifd__node *members = ifd__part(f, "members");
    if (!k->grid == !k->nodes || (k->grid && members)) {
        ifd_note_add(k->m->note, k->grid ? IFD_CONFLICT : IFD_MISSING_KEY, &place->place,
                     k->grid ? "the frame has a grid and also nodes or members: expected one or the other"
                             : "the frame needs 'grid', or 'nodes' and 'members'");
        return;
    }
    if (k->grid) {
        read_grid(k);
    } else if (ifd__yaml_expect(k->nodes, IFD__MAPPING, k->m->note) == IFD_OK && members) {
        read_nodes(k);
        ifd__read_members(k, members);
    } else if (!members)
        ifd_note_add(k->m->note, IFD_MISSING_KEY, &place->place, "the frame has 'nodes' but no 'members'");
}

bool ifd__read_frame(ifd__model_read *m, const ifd__node *node)
{
    ifd__framing k = {.m = m, .node = node};
    ifd__fields_read(m->r, node, &ifd__section_frame, "frame", &k.f);
    if (node->kind != IFD__MAPPING)
        return false;
    ifd_frame_defaults(&k.frame);
    const ifd_value *dimension = ifd__field(&k.f, "dimension");
    k.frame.planar = dimension->number < 2.5;
    k.frame.lumped = ifd__field_word(&k.f, "mass") == 1;
    k.frame.large = ifd__field_word(&k.f, "geometry") == IFD__GEOMETRY_LARGE;
    if (dimension->given && dimension->number > 2 && dimension->number < 3)
        ifd_note_add(m->note, IFD_RANGE, &dimension->place, "frame: 'dimension' is %g, expected 2 or 3",
                     dimension->number);
    if (dimension->given && dimension->number != 2 && dimension->number != 3)
        return false; /* others are refused by its range */
    k.errors = m->note->errors;
    k.sections = ifd__part(&k.f, "sections");
    if (k.sections && ifd__yaml_expect(k.sections, IFD__MAPPING, m->note) != IFD_OK)
        return false;
    ifd__read_materials(&k, ifd__part(&k.f, "materials"));
    read_material(&k, ifd__part(&k.f, "material"));
    read_sections(&k);
    k.complete = true;
    k.grid = ifd__part(&k.f, "grid");
    k.nodes = ifd__part(&k.f, "nodes");
    read_parts(&k, &k.f, node);
    use_materials(&k);
    if (good(&k) || k.nodes)
        read_supports(&k, ifd__part(&k.f, "supports"));
    const ifd_finding *before = m->note->last;
    bool made = ifd__permit_large_frame(&k) && good(&k) && ifd__framing_state(&k) &&
                ifd_frame_loosen(m->arena, &k.frame, m->note) == IFD_OK &&
                ifd_builder_frame(m->b, &k.frame, m->note) == IFD_OK && ifd__add_piles(&k, ifd__part(&k.f, "soils"));
    k.dofs = ifd_builder_dofs(m->b);
    if (made && k.state == IFD__GRAVITY_WEIGHT)
        k.added = ifd_arena_array(m->arena, (size_t)k.dofs, sizeof *k.added);
    m->framing = made ? ifd__arena_copy(m->arena, &k, 1, sizeof k) : NULL;
    if (m->framing) {
        m->frame = &m->framing->frame;
        k.weight = ifd_arena_array(m->arena, (size_t)k.frame.nodes, sizeof *k.weight);
        m->framing->weight = k.weight;
        ifd__add_piece(m, &(ifd_case_piece){.frame = m->frame, .weight = k.weight});
        ifd__add_floors(m, k.floors);
    }
    ifd__place_findings(m->r, before, &node->place);
    return made;
}
