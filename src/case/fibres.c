/* SPDX-License-Identifier: MIT */
/* Materials of a frame and sections of fibres. */
#include "case/framing.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "model/fibre/element.h"

const ifd__section ifd__section_materials = {
    "materials", "materials: one named material of a frame", "model.frame.materials.*",
    "Each entry has one of these laws, and may have a density. Fibres may use every law; a section without "
    "fibres needs `elastic`.",
    KEYS(FORM("elastic", false, "{young}", NULL, "linear material (help material-elastic)"),
         FORM("steel", false, "{young, yield-stress, ...}", NULL,
              "Giuffre, Menegotto and Pinto, as the element steel (help material-steel)"),
         FORM("concrete", false, "{strength, strain, ...}", NULL, "Kent, Scott and Park (help material-concrete)"),
         FORM("multilinear", false, "{points, rule, ...}", NULL,
              "straight segments, as the element multilinear (help material-multilinear)"),
         WITHIN("density", DENSITY, 0, 1e7, 0, NULL, "mass density, for the mass of members"))};

const ifd__section ifd__section_material_elastic = {"material-elastic", "material-elastic: linear material",
                                                    "model.frame.materials.*.elastic", "",
                                                    KEYS(NUMBER("young", PRESSURE, 1e-3, 1e15, "Young's modulus E"))};

const ifd__section ifd__section_material_steel = {
    "material-steel", "material-steel: yielding material", "model.frame.materials.*.steel",
    "This is the law of the element `steel` (docs/reference/hysteresis.md), between stress and strain.",
    KEYS(NUMBER("young", PRESSURE, 1e-3, 1e15, "Young's modulus E"),
         NUMBER("yield-stress", PRESSURE, 1e-6, 1e15, "fy, yield stress"),
         WITHIN("hardening", NONE, 1e-6, 0.5, 0.01, NULL, "b, ratio of the modulus after yielding to E"),
         WITHIN("r0", NONE, 10, 20, 20, NULL, "R0, sharpness of the first yielding"),
         WITHIN("c1", NONE, 0, 0.99, 0.925, NULL, "c1, effect of plastic strain on R"),
         WITHIN("c2", NONE, 1e-3, 10, 0.15, NULL, "c2, plastic strain of this effect, divided by the yield strain"),
         WITHIN("a1", NONE, 0, 10, 0, NULL, "isotropic hardening in compression"),
         WITHIN("a2", NONE, 1e-3, 1e3, 1, NULL, "a2, strain range of a1, divided by the yield strain"),
         WITHIN("a3", NONE, 0, 10, 0, NULL, "isotropic hardening in tension"),
         WITHIN("a4", NONE, 1e-3, 1e3, 1, NULL, "a4, strain range of a3, divided by the yield strain"))};

const ifd__section ifd__section_material_concrete = {
    "material-concrete", "material-concrete: law of concrete", "model.frame.materials.*.concrete",
    "The envelope is that of Kent, Scott and Park, and unloading follows Karsan and Jirsa (docs/guide/sections.md). "
    "For these keys, compression is positive.",
    KEYS(NUMBER("strength", PRESSURE, 1e3, 1e12, "f, compressive strength of the unconfined concrete"),
         WITHIN("strain", NONE, 1e-5, 0.5, 0, "0.002, times the gain of confinement", "strain at the strength"),
         WITHIN("residual", PRESSURE, 0, 1e12, 0, "0.2 of the strength", "stress after crushing"),
         WITHIN("ultimate", NONE, 1e-5, 1, 0, "after Scott, Park and Priestley",
                "strain at which the residual stress is reached"),
         WITHIN("tension", PRESSURE, 0, 1e12, 0, NULL, "strength in tension"),
         WITHIN("tension-ultimate", NONE, 0, 1, 0, "required with tension", "strain at which this strength is lost"),
         FORM("confinement", false, "{ratio, yield, core, spacing}", "none", "transverse steel (help confinement)"))};

const ifd__section ifd__section_confinement = {
    "confinement", "confinement: transverse steel of concrete", "model.frame.materials.*.concrete.confinement",
    "Confinement multiplies the strength by 1 + ratio yield / strength (Scott, Park and Priestley 1982).",
    KEYS(NUMBER("ratio", NONE, 1e-6, 0.5, "volume of the transverse steel divided by the volume of the core"),
         NUMBER("yield", PRESSURE, 1e3, 1e12, "yield stress of the transverse steel"),
         NUMBER("core", LENGTH, 1e-3, 1e3, "width of the core"),
         NUMBER("spacing", LENGTH, 1e-3, 1e3, "distance of the hoops"))};

const ifd__section ifd__section_material_multilinear = {
    "material-multilinear", "material-multilinear: straight segments", "model.frame.materials.*.multilinear",
    "This is the law of the element `multilinear`, between stress and strain.",
    KEYS({.param = IFD_MATRIX("points", ANY, -1e18, 1e18, "at most 16 points [strain, stress], as for the element",
                              .required = true, .words = "1|Pa")},
         WORD("rule", IFD__MULTILINEAR_RULES, "as in the element"), WORD("side", "above|below", "as in the element"),
         WITHIN("drag", NONE, 0, 1, 0.3, NULL, "as in the element"))};

#define AT LIST("at", LENGTH, false, "[0 m, 0 m]", "[y, z] of the centre; y is the direction of the depth")

const ifd__section ifd__section_fibres = {
    "fibres", "fibres: one part of a section", "model.frame.sections.*.fibres",
    "The areas of all parts are added: a bar does not remove the concrete at its place. A section has at most "
    "400 fibres. Its elastic and steel fibres alone must resist axial force and bending.",
    KEYS(FORM("rectangle", false, "{material, width, depth, layers, at}", NULL, "(help fibre-rectangle)"),
         FORM("ring", false, "{material, outer, inner, rings, sectors, at}", NULL, "(help fibre-ring)"),
         FORM("bars", false, "{material, area, at or line or circle}", NULL, "(help fibre-bars)"))};

const ifd__section ifd__section_fibre_rectangle = {
    "fibre-rectangle", "fibre-rectangle: rectangle of fibres", "model.frame.sections.*.fibres.rectangle", "",
    KEYS(TEXT("material", true, NULL, "name of the material"),
         NUMBER("width", LENGTH, 1e-6, 1e3, "dimension along z"),
         NUMBER("depth", LENGTH, 1e-6, 1e3, "dimension along y"),
         LIST("layers", NONE, true, NULL, "number of fibres along y, in space [along y, along z]"), AT)};

const ifd__section ifd__section_fibre_ring = {
    "fibre-ring", "fibre-ring: circle or ring of fibres", "model.frame.sections.*.fibres.ring", "",
    KEYS(TEXT("material", true, NULL, "name of the material"), NUMBER("outer", LENGTH, 1e-6, 1e3, "outer radius"),
         WITHIN("inner", LENGTH, 0, 1e3, 0, NULL, "inner radius"),
         NUMBER("rings", NONE, 1, 400, "number of fibres along the radius"),
         NUMBER("sectors", NONE, 3, 400, "number of fibres around the circle"), AT)};

const ifd__section ifd__section_fibre_bars = {
    "fibre-bars", "fibre-bars: bars of one area", "model.frame.sections.*.fibres.bars", "",
    KEYS(TEXT("material", true, NULL, "name of the material"), NUMBER("area", AREA, 1e-12, 1e6, "area of each bar"),
         FORM("at", false, "list of [y, z]", NULL, "positions"),
         FORM("line", false, "{from: [y, z], to: [y, z], count}", NULL, "bars at equal distances (help fibre-line)"),
         FORM("circle", false, "{radius, count}", NULL, "bars around the axis (help fibre-circle)"))};

const ifd__section ifd__section_fibre_line = {
    "fibre-line", "fibre-line: bars at equal distances", "model.frame.sections.*.fibres.bars.line", "",
    KEYS(LIST("from", LENGTH, true, NULL, "[y, z] of the first bar"),
         LIST("to", LENGTH, true, NULL, "[y, z] of the last bar"), NUMBER("count", NONE, 2, 400, "number of bars"))};

const ifd__section ifd__section_fibre_circle = {
    "fibre-circle", "fibre-circle: bars around the axis", "model.frame.sections.*.fibres.bars.circle", "",
    KEYS(NUMBER("radius", LENGTH, 1e-6, 1e3, "distance of the bars from the axis; the first bar is on the y axis"),
         NUMBER("count", NONE, 3, 400, "number of bars"))};

typedef struct reading {
    ifd__framing *k;
    int count, law;
    ifd__fibre fibre[IFD__SECTION_FIBRES];
} reading;

static void refuse(ifd__framing *k, const ifd_place *place, const char *material, const char *what)
{
    ifd_note_add(k->m->note, IFD_RANGE, place, "material '%s': %s", material, what);
}

static void read_steel(ifd__framing *k, const ifd__node *map, ifd__fibre_law *out)
{
    static const char *const shape[] = {"hardening", "r0", "c1", "c2", "a1", "a2", "a3", "a4"};
    ifd__steel *s = &out->steel;
    double *const at[] = {&s->b, &s->R0, &s->c1, &s->c2, &s->a[0][0], &s->a[0][1], &s->a[1][0], &s->a[1][1]};
    ifd__fields f;
    ifd__fields_read(k->m->r, map, &ifd__section_material_steel, "steel", &f);
    out->young = s->k = ifd__field(&f, "young")->number;
    s->yield = ifd__field(&f, "yield-stress")->number;
    s->q_y = s->yield / s->k;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        *at[i] = ifd__field(&f, shape[i])->number;
}

static void check_concrete(ifd__framing *k, const ifd__node *map, const char *name, const ifd__concrete *c)
{
    const double E = 2.0 * c->f / c->ec;
    const char *what = NULL;
    if (!(c->fu < c->f))
        what = ifd_arena_print(k->m->arena, "the residual stress is %g Pa; expected less than the strength, %g Pa",
                               c->fu, c->f);
    else if (!(c->eu > c->ec))
        what = ifd_arena_print(k->m->arena, "'ultimate' is %g; expected more than the strain at the strength, %g",
                               c->eu, c->ec);
    else if (c->ft > 0.0 && !(c->et > c->ft / E))
        what = ifd_arena_print(k->m->arena, "'tension-ultimate' is %g; expected more than the strain of cracking, %g",
                               c->et, c->ft / E);
    if (what)
        refuse(k, &map->place, name, what);
}

static void read_concrete(ifd__framing *k, const ifd__node *map, const char *name, ifd__fibre_law *out)
{
    ifd__fields f;
    ifd__confinement by = {.ratio = 0.0};
    ifd__concrete *c = &out->concrete;
    int errors = k->m->note->errors;
    ifd__fields_read(k->m->r, map, &ifd__section_material_concrete, "concrete", &f);
    const ifd__node *hoops = ifd__part(&f, "confinement");
    c->f = ifd__field(&f, "strength")->number;
    if (hoops) {
        ifd__fields of;
        ifd__fields_read(k->m->r, hoops, &ifd__section_confinement, "confinement", &of);
        by = (ifd__confinement){ifd__field(&of, "ratio")->number, ifd__field(&of, "yield")->number,
                                ifd__field(&of, "core")->number, ifd__field(&of, "spacing")->number};
    }
    if (k->m->note->errors > errors)
        return;
    ifd__concrete_confine(&by, c);
    const char *const name_of[] = {"strain", "residual", "ultimate", "tension", "tension-ultimate"};
    double *const at[] = {&c->ec, &c->fu, &c->eu, &c->ft, &c->et};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++)
        if (ifd__field(&f, name_of[i])->given)
            *at[i] = ifd__field(&f, name_of[i])->number;
    out->young = 2.0 * c->f / c->ec;
    check_concrete(k, map, name, c);
}

static void read_multilinear(ifd__framing *k, const ifd__node *map, const char *name, ifd__fibre_law *out)
{
    ifd__fields f;
    ifd__multilinear *m = &out->multilinear;
    ifd__fields_read(k->m->r, map, &ifd__section_material_multilinear, "multilinear", &f);
    const ifd_value *points = ifd__field(&f, "points");
    m->rule = ifd__field_word(&f, "rule");
    m->below = ifd__field_word(&f, "side");
    m->drag = ifd__field(&f, "drag")->number;
    const char *what = ifd_arena_print(k->m->arena, "material '%s'", name);
    if (points->given && what)
        (void)ifd__multilinear_make(points, what, m, k->m->note);
    out->young = m->k0;
}

static void read_law(ifd__framing *k, const ifd__node *material, ifd__fibre_law *out)
{
    static const char *const kinds[] = {"elastic", "steel", "concrete", "multilinear"};
    ifd__fields f, of;
    const ifd__node *law = NULL;
    int laws = 0;
    ifd__fields_read(k->m->r, material, &ifd__section_materials, "materials", &f);
    out->density = ifd__field(&f, "density")->number;
    for (int i = IFD__FIBRE_ELASTIC; i <= IFD__FIBRE_MULTILINEAR; i++) {
        const ifd__node *its = ifd__part(&f, kinds[i]);
        laws += its != NULL;
        law = its ? its : law;
        out->kind = its ? (ifd__fibre_kind)i : out->kind;
    }
    if (laws != 1) {
        ifd_note_add(k->m->note, laws ? IFD_CONFLICT : IFD_MISSING_KEY, &material->place,
                     "material '%s' has %d laws; expected one of elastic, steel, concrete and multilinear",
                     material->key, laws);
    } else if (out->kind == IFD__FIBRE_ELASTIC) {
        ifd__fields_read(k->m->r, law, &ifd__section_material_elastic, "elastic", &of);
        out->young = ifd__field(&of, "young")->number;
    } else if (out->kind == IFD__FIBRE_STEEL)
        read_steel(k, law, out);
    else if (out->kind == IFD__FIBRE_CONCRETE)
        read_concrete(k, law, material->key, out);
    else
        read_multilinear(k, law, material->key, out);
}

void ifd__read_materials(ifd__framing *k, const ifd__node *map)
{
    int n = 0;
    if (!map || ifd__yaml_expect(map, IFD__MAPPING, k->m->note) != IFD_OK)
        return;
    k->materials = map;
    k->law = ifd_arena_array(k->m->arena, (size_t)map->count, sizeof *k->law);
    for (const ifd__node *i = map->first; i && k->law; i = i->next)
        read_law(k, i, &k->law[n++]);
}

int ifd__framing_law(ifd__framing *k, const ifd_value *name)
{
    int n = ifd__framing_index(k, k->materials, "material", name);
    return k->law ? n : -1;
}

static void put(reading *d, const ifd_place *place, double y, double z, double area)
{
    if (d->count == IFD__SECTION_FIBRES)
        ifd_note_add(d->k->m->note, IFD_TOO_LARGE, place, "the section has more than %d fibres", IFD__SECTION_FIBRES);
    if (d->count < IFD__SECTION_FIBRES)
        d->fibre[d->count] = (ifd__fibre){.y = y, .z = z, .area = area, .law = d->law};
    d->count++;
}

/* [y, z]; zero where it is absent or refused. */
static void point_of(ifd__framing *k, const ifd_value *list, double out[2])
{
    out[0] = out[1] = 0.0;
    if (!list->data)
        return;
    if (list->given && list->cols == 2)
        memcpy(out, list->data, 2 * sizeof *out);
    else if (list->given)
        ifd_note_add(k->m->note, IFD_SHAPE, &list->place, "found %d numbers, expected a point [y, z]", list->cols);
}

static void read_rectangle(reading *d, const ifd__node *map)
{
    ifd__fields f;
    double at[2];
    ifd__fields_read(d->k->m->r, map, &ifd__section_fibre_rectangle, "rectangle", &f);
    const ifd_value *layers = ifd__field(&f, "layers");
    double width = ifd__field(&f, "width")->number, depth = ifd__field(&f, "depth")->number;
    d->law = ifd__framing_law(d->k, ifd__field(&f, "material"));
    point_of(d->k, ifd__field(&f, "at"), at);
    if (!layers->given || !layers->data) /* refused */
        return;
    double ny = layers->data[0], nz = layers->cols > 1 ? layers->data[1] : 1.0;
    if (layers->cols > 2 || !(ny >= 1.0 && nz >= 1.0) || ny * nz > IFD__SECTION_FIBRES || ny != floor(ny) ||
        nz != floor(nz) || (nz > 1.0 && d->k->frame.planar)) {
        ifd_note_add(d->k->m->note, IFD_RANGE, &layers->place,
                     "'layers' is invalid: expected a whole number, in space one or two, for at most %d fibres",
                     IFD__SECTION_FIBRES);
        return;
    }
    for (int i = 0; i < (int)ny; i++)
        for (int j = 0; j < (int)nz; j++)
            put(d, &map->place, at[0] + depth * ((i + 0.5) / ny - 0.5), at[1] + width * ((j + 0.5) / nz - 0.5),
                width * depth / (ny * nz));
}

static void read_ring(reading *d, const ifd__node *map)
{
    ifd__fields f;
    double at[2];
    int errors = d->k->m->note->errors;
    ifd__fields_read(d->k->m->r, map, &ifd__section_fibre_ring, "ring", &f);
    double outer = ifd__field(&f, "outer")->number, inner = ifd__field(&f, "inner")->number;
    int rings = ifd__field_whole(d->k->m->r, &f, "rings", "ring: "),
        sectors = ifd__field_whole(d->k->m->r, &f, "sectors", "ring: ");
    d->law = ifd__framing_law(d->k, ifd__field(&f, "material"));
    point_of(d->k, ifd__field(&f, "at"), at);
    if (d->k->m->note->errors > errors)
        return;
    if (!(inner < outer)) {
        ifd_note_add(d->k->m->note, IFD_RANGE, &map->place, "ring: 'inner' is %g m; expected less than 'outer', %g m",
                     inner, outer);
        return;
    }
    const double a = 3.14159265358979323846 / sectors;
    for (int i = 0; i < rings; i++) {
        double r = inner + (outer - inner) * i / rings, R = inner + (outer - inner) * (i + 1) / rings;
        double far = 2.0 / 3.0 * sin(a) / a * (R * R * R - r * r * r) / (R * R - r * r);
        for (int j = 0; j < sectors; j++)
            put(d, &map->place, at[0] + far * cos((2 * j + 1) * a), at[1] + far * sin((2 * j + 1) * a),
                a * (R * R - r * r));
    }
}

static void read_line(reading *d, const ifd__node *map, double area)
{
    ifd__fields f;
    double from[2], to[2];
    ifd__fields_read(d->k->m->r, map, &ifd__section_fibre_line, "line", &f);
    int n = ifd__field_whole(d->k->m->r, &f, "count", "line: ");
    point_of(d->k, ifd__field(&f, "from"), from);
    point_of(d->k, ifd__field(&f, "to"), to);
    for (int i = 0; i < n && n > 1; i++)
        put(d, &map->place, from[0] + (to[0] - from[0]) * i / (n - 1), from[1] + (to[1] - from[1]) * i / (n - 1),
            area);
}

static void read_circle(reading *d, const ifd__node *map, double area)
{
    ifd__fields f;
    ifd__fields_read(d->k->m->r, map, &ifd__section_fibre_circle, "circle", &f);
    int n = ifd__field_whole(d->k->m->r, &f, "count", "circle: ");
    double radius = ifd__field(&f, "radius")->number;
    for (int i = 0; i < n; i++) {
        double turn = 2.0 * 3.14159265358979323846 * i / n;
        put(d, &map->place, radius * cos(turn), radius * sin(turn), area);
    }
}

static void read_bars(reading *d, const ifd__node *map)
{
    ifd__fields f;
    ifd__fields_read(d->k->m->r, map, &ifd__section_fibre_bars, "bars", &f);
    const ifd__node *at = ifd__part(&f, "at"), *line = ifd__part(&f, "line"), *circle = ifd__part(&f, "circle");
    double area = ifd__field(&f, "area")->number;
    d->law = ifd__framing_law(d->k, ifd__field(&f, "material"));
    if (!at + !line + !circle != 2)
        ifd_note_add(d->k->m->note, IFD_SHAPE, &map->place, "bars: expected one of 'at', 'line' and 'circle'");
    if (line)
        read_line(d, line, area);
    if (circle)
        read_circle(d, circle, area);
    for (const ifd__node *i = ifd__yaml_items(at, IFD__SEQUENCE, d->k->m->note); i; i = i->next) {
        ifd_value point = {.place = i->place, .given = true};
        double yz[2];
        if (ifd__yaml_list(d->k->m->arena, i, IFD_DIM_LENGTH, &point.data, &point.cols, d->k->m->note) != IFD_OK)
            continue;
        point_of(d->k, &point, yz);
        put(d, &i->place, yz[0], yz[1], area);
    }
}

static void read_part(reading *d, const ifd__node *part)
{
    ifd__fields f;
    ifd__fields_read(d->k->m->r, part, &ifd__section_fibres, "fibres", &f);
    const ifd__node *rectangle = ifd__part(&f, "rectangle"), *ring = ifd__part(&f, "ring"),
                    *bars = ifd__part(&f, "bars");
    if (!rectangle + !ring + !bars != 2) {
        ifd_note_add(d->k->m->note, IFD_SHAPE, &part->place, "expected one of 'rectangle', 'ring' and 'bars'");
        return;
    }
    if (rectangle)
        read_rectangle(d, rectangle);
    if (ring)
        read_ring(d, ring);
    if (bars)
        read_bars(d, bars);
}

/* The elastic section with the stiffness of the fibres at rest, and a material of their mass. */
static void describe(const reading *d, const ifd__fields *f, const ifd__fibre_section *c, ifd_section *out,
                     ifd_material *as)
{
    const ifd_value *mass = ifd__field(f, "line-mass");
    double line = 0.0;
    out->A = 0.0;
    for (int i = 0; i < d->count; i++) {
        out->A += d->fibre[i].area;
        line += d->fibre[i].area * d->k->law[d->fibre[i].law].density;
    }
    as->E = c->rest[0] / out->A;
    as->density = (mass->given ? mass->number : line) / out->A;
    out->Iz = c->rest[2] / as->E;
    out->Iy = c->rest[5] / as->E;
}

void ifd__read_fibres(ifd__framing *k, const ifd__node *section, const ifd__fields *f, ifd_section *out)
{
    const ifd__node *parts = ifd__part(f, "fibres");
    int errors = k->m->note->errors;
    ifd_material *as = ifd_arena_take(k->m->arena, sizeof *as);
    ifd_fibres *fibres = ifd_arena_take(k->m->arena, sizeof *fibres);
    reading *d = ifd_arena_take(k->m->arena, sizeof *d);
    if (!ifd__in_memory(k->m->r, as && fibres && d))
        return;
    d->k = k;
    for (const ifd__node *i = ifd__yaml_items(parts, IFD__SEQUENCE, k->m->note); i; i = i->next)
        read_part(d, i);
    *fibres = (ifd_fibres){.section = {.size = k->frame.planar ? 2 : 3,
                                       .fibres = d->count,
                                       .laws = k->materials ? k->materials->count : 0,
                                       .fibre = d->fibre,
                                       .law = k->law},
                           .points = ifd__field_whole(k->m->r, f, "points", "section: "),
                           .passes = ifd__field_whole(k->m->r, f, "passes", "section: "),
                           .limit = ifd__field(f, "limit")->number};
    if (k->m->note->errors > errors)
        return;
    ifd_status made = ifd__fibre_section_make(k->m->arena, &fibres->section);
    if (made == IFD_NOT_POSITIVE)
        ifd_note_add(
            k->m->note, IFD_RANGE, &parts->place,
            "section '%s' has %d fibres, of which those of elastic and steel materials do not resist axial force "
            "and bending%s; expected bars or layers at a distance from each other",
            section->key, d->count, k->frame.planar ? "" : " about both axes");
    if (!ifd__in_memory(k->m->r, made != IFD_NO_MEMORY) || made != IFD_OK)
        return;
    *as = k->material;
    as->G = ifd__framing_shear(k, f);
    describe(d, f, &fibres->section, out, as);
    out->fibres = fibres;
    out->material = as;
}
