/* SPDX-License-Identifier: MIT */
/* Coupling rts: its settings, and the supports that follow dofs of other substructures. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "case/rig/mounted.h"
#include "case/reader.h"
#include "text/bundle.h"
#include "text/units.h"
#include "model/build/builder.h"

const ifd__section ifd__section_rts = {
    "rts", "rts: substructures coupled by extrapolated forces", "coupling.rts",
    "This coupling needs no joints. A support of a substructure follows a dof of an earlier substructure. The "
    "extrapolated reaction of the support acts on this dof. A substructure may follow and lead several others. "
    "docs/reference/extrapolation.md describes the limit of added mass.",
    KEYS(
        WITHIN("past", NONE, 1, 64, 0, "10; degree + 1 with lagrange",
               "p, number of past forces for the extrapolation"),
        WITHIN("ahead", NONE, 1, 32, 1, NULL,
               "q, number of steps that are extrapolated and solved without new forces"),
        FORM("extrapolator", false, "name, or {name: {parameters}} (help extrapolator)", "lagrange",
             "method of extrapolation"),
        WORD(
            "exchange", "motion|force|effective",
            "what a follower receives during a step: the smooth motion of the leader, the force of the leader, or an "
            "effective force on a linear follower at rest. With force or effective the specimens of a test need "
            "`force-command`"),
        FORM("start", false, "mapping (help rts-start)", "those that the extrapolator needs",
             "iterative start; in a test the specimens rehearse it"),
        FORM("variable", false, "mapping (help rts-variable)", "uniform steps",
             "step length controlled by the error of the extrapolation; not in a test"),
        FORM("durations", false, "mapping (help rts-durations)", "unknown",
             "durations within a step, which are compared with the step"))};

const ifd__section ifd__section_rts_start = {
    "rts-start", "rts-start: iterative start", "coupling.rts.start",
    "In a test, the program rehearses the first steps with the specimens before the start: first under assumed "
    "forces, then under the measured forces, until their relative change is below `tolerance`. After each rehearsal "
    "the specimens return to the start (docs/reference/extrapolation.md).",
    KEYS(WITHIN("steps", NONE, 0, 1e6, 0, "past - 1", "steps that are iterated; at least past - 1"),
         WITHIN("grid", NONE, 1, 8, 4, NULL, "sub-intervals of each of these steps; not in a test"),
         WITHIN("iterations", NONE, 1, 1000, 50, "50; in a test 10",
                "maximum number of iterations of each step; in a test, of rehearsals"),
         WITHIN("tolerance", NONE, 1e-15, 1, 1e-11, "1e-11; in a test 0.01",
                "relative change of the forces at which the iteration ends. In a test it must exceed the noise"))};

const ifd__section ifd__section_rts_variable = {
    "rts-variable", "rts-variable: variable step", "coupling.rts.variable",
    "The variable step requires computed substructures, the extrapolator `lagrange` of degree 0 to 7, and `exchange` "
    "motion or effective. If the error of a block exceeds the tolerance, the program repeats this block with half of "
    "its length (docs/reference/extrapolation.md).",
    KEYS(WITHIN("tolerance", NONE, 1e-10, 1, 1e-3, NULL,
                "permitted error of an extrapolated force, relative to the largest force so far"),
         WITHIN("halvings", NONE, 1, IFD_RTS_HALVINGS, 6, NULL, "how often a block of q steps may be halved"))};

const ifd__section ifd__section_rts_durations = {
    "rts-durations", "rts-durations: time budget of a step", "coupling.rts.durations",
    "The step must be at least as long as the sum of the three durations.",
    KEYS(WITHIN("compute", TIME, 0, 1e3, 0, NULL, "time to solve the leaders"),
         WITHIN("actuate", TIME, 0, 1e3, 0, NULL, "time to move the specimen"),
         WITHIN("measure", TIME, 0, 1e3, 0, NULL, "time to read and send the forces"))};

const ifd__section ifd__section_extrapolator = {
    "extrapolator", "extrapolator: extrapolation of forces", "coupling.rts.extrapolator",
    "`interfield extrapolator NAME` prints the matrix, noise gain and limit of added mass of this extrapolator. A "
    "`dilation` without a unit is a number of steps; with a unit it is a time.",
    NO_KEYS};

/* A support that follows a dof, during reading. */
typedef struct ifd__follow {
    struct ifd__follow *next;
    int part;                    /* its substructure; -1 for a single model */
    const ifd__node *support;    /* its mapping */
    const ifd__node *to, *ghost; /* "part.dof"; NULL: none */
} ifd__follow;

/* Replaces a dilation with a unit of time by the number of steps. */
static const ifd__node *dilation_in_steps(ifd__reader *r, const ifd__node *settings)
{
    const ifd__node *given = ifd__yaml_get(settings, "dilation");
    double seconds = 0.0;
    if (!given || given->kind != IFD__SCALAR)
        return settings;
    const char *at = given->text, *end = at + strlen(at);
    if (ifd__number_read(&at, end, &seconds) && at == end)
        return settings;
    ifd_status status = ifd__yaml_number(given, IFD_DIM_TIME, IFD_RANGE_POSITIVE, &seconds, r->note);
    double steps = status == IFD_OK && r->step > 0 ? seconds / r->step : 16.0;
    ifd__node *map = ifd__copy_node(r, settings);
    if (!map)
        return settings;
    map->first = map->last = NULL;
    map->count = 0;
    for (const ifd__node *i = settings->first; i; i = i->next) {
        ifd__node *copy = ifd__copy_node(r, i);
        const char *text = i == given ? ifd_arena_print(r->arena, "%.17g", steps) : i->text;
        if (!copy || !text)
            return settings;
        copy->text = text;
        ifd__put_node(map, copy);
    }
    return map;
}

/* False after an error. */
static bool read_extrapolator(ifd__reader *r, const ifd__node *node, ifd_place *place, ifd_extrapolate_options *out)
{
    const char *name = "lagrange";
    const ifd__node *settings = NULL;
    if (node && ifd__yaml_choice(node, &name, place, &settings, r->note) != IFD_OK)
        return false;
    const ifd_extrapolator *e = ifd_extrapolator_find(name);
    if (!e)
        return ifd__unknown_choice(r, "extrapolator", name, place, ifd__names_of(r->arena, "extrapolators"));
    ifd_extrapolate_options_defaults(e, 1, 1, out);
    const ifd__node *map = dilation_in_steps(r, settings);
    const ifd__settings ask = {.map = map, .params = e->params, .any = IFD_DIM_NONE, .place = *place};
    return !settings || ifd__row_settings(r, "extrapolator", name, ask, out->value);
}

/* Default number of past values of an extrapolator. */
static int usual_past(const ifd_extrapolate_options *e)
{
    int degree = ifd_param_find(e->extrapolator->params, "degree");
    if (e->extrapolator->shortest)
        return (int)fmin(fmax(floor(e->value[degree].number), 0), IFD_EXTRAPOLATE_PAST - 1) + 1;
    return degree < 0 ? 1 : 10;
}

static void read_start(ifd__reader *r, const ifd__node *node, bool tested, ifd_rts_options *rts)
{
    ifd__fields f;
    int least = rts->extrapolate.past - 1;
    ifd__fields_read(r, node, &ifd__section_rts_start, "start", &f);
    rts->start_steps = ifd__field_whole(r, &f, "steps", "");
    rts->start_grid = ifd__field_whole(r, &f, "grid", "");
    rts->iterations = ifd__field_whole(r, &f, "iterations", "");
    rts->tolerance = ifd__field(&f, "tolerance")->number;
    rts->rehearsed = node && tested;
    if (rts->rehearsed && !ifd__field(&f, "iterations")->given)
        rts->iterations = 10;
    if (rts->rehearsed && !ifd__field(&f, "tolerance")->given)
        rts->tolerance = 0.01;
    if (rts->rehearsed && ifd__field(&f, "grid")->given)
        ifd_note_add(r->note, IFD_UNSUPPORTED, &ifd__field(&f, "grid")->place,
                     "'grid' is not available in a test: the force of a specimen is measured once per step");
    const ifd_value *steps = ifd__field(&f, "steps");
    if (steps->given && rts->start_steps < least)
        ifd_note_add(r->note, IFD_RANGE, &steps->place,
                     "a start of %d steps gives %d forces, but the extrapolation uses %d: expected at least %d steps",
                     rts->start_steps, rts->start_steps + 1, least + 1, least);
}

static void read_variable(ifd__reader *r, const ifd__node *node, ifd_rts_options *rts)
{
    ifd__fields f;
    if (!node)
        return;
    ifd__fields_read(r, node, &ifd__section_rts_variable, "variable", &f);
    rts->variable = ifd__field(&f, "tolerance")->number;
    rts->halvings = ifd__field_whole(r, &f, "halvings", "");
    if (ifd__yaml_get(r->doc.root, "test"))
        ifd_note_advise(r->note, IFD_UNSUPPORTED, &node->key_place,
                        "remove 'variable', and choose the shortest step that the machine computes in time",
                        "'variable' is not available in a test: a specimen cannot repeat a step");
}

/* Made once for its errors, so that they refer to the place of the extrapolator. */
static void try_extrapolator(ifd__reader *r, const ifd_place *place, const ifd_extrapolate_options *opt)
{
    const ifd_finding *before = r->note->last;
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_extrapolation *e;
    if (!scratch || ifd_extrapolation_make(scratch, opt, &e, r->note) == IFD_NO_MEMORY)
        ifd_note_add(r->note, IFD_NO_MEMORY, place, "out of memory");

    ifd__place_findings(r, before, place);
}

void ifd__read_rts(ifd__reader *r, ifd__structure *st, const ifd__node *settings)
{
    ifd__fields f, d;
    ifd_rts_options *rts = ifd_arena_take(r->arena, sizeof *rts);
    int errors = r->note->errors;
    if (!rts)
        return;
    ifd_rts_options_defaults(rts);
    st->rts = rts;
    ifd__fields_read(r, settings, &ifd__section_rts, "coupling 'rts'", &f);
    const ifd__node *extrapolator = ifd__part(&f, "extrapolator");
    ifd_place place = extrapolator ? extrapolator->place : st->couple.place;
    bool good = read_extrapolator(r, extrapolator, &place, &rts->extrapolate);
    rts->extrapolate.past = ifd__field(&f, "past")->given ? ifd__field_whole(r, &f, "past", "")
                            : good                        ? usual_past(&rts->extrapolate)
                                                          : 1;
    rts->extrapolate.ahead = ifd__field_whole(r, &f, "ahead", "");
    rts->exchange = (ifd_rts_exchange)ifd__field_word(&f, "exchange");
    read_start(r, ifd__part(&f, "start"), ifd__yaml_get(r->doc.root, "test") != NULL, rts);
    read_variable(r, ifd__part(&f, "variable"), rts);
    ifd__fields_read(r, ifd__part(&f, "durations"), &ifd__section_rts_durations, "durations", &d);
    rts->duration[0] = ifd__field(&d, "compute")->number;
    rts->duration[1] = ifd__field(&d, "actuate")->number;
    rts->duration[2] = ifd__field(&d, "measure")->number;
    if (r->note->errors == errors)
        try_extrapolator(r, &place, &rts->extrapolate);
}

/* A support of a specimen, moved by an actuator. */
static void read_driven(ifd__model_read *in, const ifd__node *support, const ifd__node *follows,
                        const ifd__node *ghost)
{
    ifd__mount *m = in->mount;
    if (ghost)
        ifd_note_add(in->note, IFD_CONFLICT, &ghost->key_place,
                     "'ghost-mass' is not available in a specimen: use 'mass-on-rig'");
    if (m->drives == IFD_RIG_ACTUATORS) {
        ifd_note_add(in->note, IFD_TOO_LARGE, &follows->place, "a rig has at most %d actuators", IFD_RIG_ACTUATORS);
        return;
    }
    m->support[m->drives] = support;
    m->to[m->drives] = follows;
    m->number[m->drives++] = in->b->support.count; /* added next */
}

void ifd__read_follows(ifd__model_read *m, const ifd__node *support, const ifd__node *follows, const ifd__node *ghost)
{
    if (m->mount) {
        read_driven(m, support, follows, ghost);
        return;
    }
    ifd__follow *f = ifd_arena_take(m->arena, sizeof *f);
    if (!ifd__in_memory(m->r, f))
        return;
    *f = (ifd__follow){.next = m->follow, .part = m->index, .support = support, .to = follows, .ghost = ghost};
    m->follow = f;
}

void ifd__refuse_follows(ifd__reader *r, const ifd__model_read *m, const char *part)
{
    for (const ifd__follow *f = m->follow; f; f = f->next)
        ifd_note_advise(r->note, IFD_CONFLICT, &f->to->key_place,
                        "join the dofs by 'joints', or use 'coupling: rts' if all substructures are models",
                        "support '%s' of substructure '%s' follows a dof, which coupling 'fmu' does not support",
                        f->support->key, part);
}

/* Whether supports may follow dofs. */
static bool may_follow(ifd__reader *r, const ifd__structure *st, const ifd__follow *f)
{
    if (st->rts && f->part >= 0)
        return true;
    if (f->part < 0) {
        ifd_note_advise(r->note, IFD_CONFLICT, &f->to->key_place, "'follows' is for supports of 'substructures'",
                        "support '%s' follows a dof: expected a support of a substructure", f->support->key);
        return false;
    }
    ifd_note_advise(r->note, IFD_CONFLICT, &f->to->key_place, "use 'coupling: rts', or join the dofs by 'joints'",
                    "support '%s' of substructure '%s' follows a dof, which coupling '%s' does not support",
                    f->support->key, st->part[f->part].name, st->couple.coupling->name);
    return false;
}

static void read_link(ifd__reader *r, const ifd__structure *st, const ifd__follow *f, ifd_rts_link *link)
{
    const char *text, *name = st->part[f->part].name;
    int ref = IFD_GROUND;
    *link = (ifd_rts_link){.follower = f->part, .place = f->to->place};
    link->name = ifd_arena_print(r->arena, "%s.%s", name, f->support->key);
    ifd_builder_find(st->part[f->part].m.b, f->support->key, &ref);
    link->support = IFD_SUPPORT(0) - ref;
    if (ifd__yaml_text(f->to, &text, r->note) != IFD_OK ||
        ifd__find_part_dof(st, f->to, text, "'follows'", &link->leader, &link->dof) != IFD_OK)
        return;
    if (link->leader == f->part)
        ifd_note_add(r->note, IFD_CONFLICT, &f->to->place,
                     "substructure '%s' follows itself: expected a dof of another substructure", name);
    else if (link->leader > f->part)
        ifd_note_advise(r->note, IFD_CONFLICT, &f->to->place, "list each substructure after those that it follows",
                        "substructure '%s' follows '%s', which is listed after it", name,
                        st->part[link->leader].name);
    if (f->ghost) {
        bool turns = ifd__rotation(ifd__ref_kind(st->part[link->leader].m.b, link->dof));
        ifd__yaml_number(f->ghost, turns ? IFD_DIM_ROTATIONAL_INERTIA : IFD_DIM_MASS, IFD_RANGE_NOT_NEGATIVE,
                         &link->ghost, r->note);
    }
}

static void refuse_others(ifd__reader *r, const ifd__structure *st, const ifd__fields *top, int follows)
{
    const ifd__node *joints = ifd__part(top, "joints"), *cut = ifd__part(top, "cut"),
                    *specimen = ifd__part(top, "specimen");
    if (cut)
        ifd_note_add(r->note, IFD_CONFLICT, &cut->key_place,
                     "'cut' creates joints, but coupling 'rts' has none: expected 'substructures'");
    else if (joints)
        ifd_note_add(r->note, IFD_CONFLICT, &joints->key_place, "coupling 'rts' has no joints");
    else if (!follows && !specimen)
        ifd_note_add(r->note, IFD_MISSING_KEY, &st->couple.place,
                     "coupling 'rts' needs a specimen, or a support that follows a dof of another substructure");
    if (joints || cut || (!follows && !specimen))
        ifd_note_hint(r->note, "for example 'supports: {base: {follows: tower.x}}' (interfield help rts)");
}

/* A test moves its specimens on one smooth path, unless they are loaded by forces. Cases in old records are read as
 * before. */
static void refuse_in_test(ifd__reader *r, const ifd__fields *top, const ifd_rts_options *read)
{
    const ifd__node *coupling = ifd__part(top, "coupling"), *rts;
    if (!ifd__part(top, "test") || !coupling || coupling->kind != IFD__MAPPING || r->doc.bundle->closed)
        return;
    rts = ifd__yaml_get(coupling, "rts");
    if (!rts || rts->kind != IFD__MAPPING)
        return;
    const ifd__node *exchange = ifd__yaml_get(rts, "exchange"), *specimen = ifd__part(top, "specimen");
    if (!exchange || read->exchange == IFD_RTS_MOTION)
        return;
    bool force = read->exchange == IFD_RTS_FORCE;
    for (const ifd__node *i = specimen && specimen->kind == IFD__SEQUENCE ? specimen->first : NULL; i; i = i->next) {
        const ifd__node *push = i->kind == IFD__MAPPING ? ifd__yaml_get(i, "force-command") : NULL;
        if (push && push->kind == IFD__MAPPING &&
            (ifd__yaml_get(push, "wall") || (force && ifd__yaml_get(push, "connection"))))
            continue;
        ifd_note_advise(r->note, IFD_UNSUPPORTED, &exchange->place,
                        "add it (help force-command), or remove 'exchange' (motion)",
                        "'exchange: %s' in a test loads all specimens by a force, but specimen %d has no "
                        "'force-command' with %s",
                        exchange->text, i->index + 1, force ? "'connection' or 'wall'" : "'wall'");
    }
}

/* Those of substructure p - 1; 0: of a single model. */
static const ifd__follow *follows_of(const ifd__structure *st, int p)
{
    return p ? st->part[p - 1].m.follow : st->whole.follow;
}

void ifd__read_links(ifd__reader *r, ifd__structure *st, const ifd__fields *top)
{
    int count = 0;
    for (int p = 0; p <= st->parts; p++)
        for (const ifd__follow *f = follows_of(st, p); f; f = f->next)
            count++;
    if (st->rts) {
        refuse_others(r, st, top, count);
        refuse_in_test(r, top, st->rts);
    }
    ifd_rts_link *link = ifd_arena_array(r->arena, (size_t)count, sizeof *link);
    if (!link)
        return;
    int n = count;
    for (int p = st->parts; p >= 0; p--) /* in reverse order */
        for (const ifd__follow *f = follows_of(st, p); f; f = f->next)
            if (may_follow(r, st, f))
                read_link(r, st, f, &link[--n]);
    if (st->rts && n == 0) {
        for (int l = 0; l < count; l++)
            ifd__refer(&st->part[link[l].leader].m, &link[l].dof, IFD__REFER_PLAIN,
                       ifd_arena_print(r->arena, "'%s' follows", link[l].name), &link[l].place);
        st->rts->links = count;
        st->rts->link = link;
        st->couple.rts = st->rts;
    }
}
