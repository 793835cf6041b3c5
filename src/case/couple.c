/* SPDX-License-Identifier: MIT */
/* Coupled substructures: their models and the coupling. */
#include <interfield/analysis.h>

#include <math.h>
#include <string.h>

#include "couple/distributed.h"
#include "case/reader.h"
#include "model/build/builder.h"
#include "model/build/cut.h"

const ifd__section ifd__section_substructures = {
    "substructures", "substructures: one substructure", "substructures.*",
    "The ground motion of the case acts on all substructures. `time.step` is the interval between two "
    "synchronisations. The step of the coarse substructures is `time.step` with `staggered` and `pg-alpha`, and four "
    "times `time.step` with `parallel`. A substructure without joints moves independently. Columns are named "
    "`substructure.dof`.",
    KEYS(
        FORM("model", false, "mapping (help model)", NULL, "model of the substructure"), IFD__PART_KEYS,
        TEXT("fmu", false, "none; the substructure is a model",
             "file of an FMU with force inputs and displacement outputs"),
        TEXT("parameters", false, "those in the FMU",
             "values for parameters of the FMU, 'k = 20, c = 1.5', in its own units"),
        FLAG("isolated", 0, "no", "coupling fmu: runs in a separate process without network access"),
        FLAG(
            "memory", 0, "no",
            "for an FMU that averages the previous and the new joint force, as Newmark's method does: the sent force "
            "compensates this; accelerations of the FMU then alternate"),
        CHOICE("ground", "case|own", "own if the FMU has a parameter ground_scale, otherwise case",
               "ground motion of an FMU: that of the case, through its inputs ground.x, .y, .z, or its own"),
        FORM("loads", false, "list (help loads)", "none", "forces on its dofs"),
        FORM("initial", false, "mapping (help initial)", "at rest", "its initial displacements and velocities"))};

const ifd__section ifd__section_coupling = {
    "coupling", "coupling: coupling of the substructures", "coupling",
    "docs/reference/stability.md helps to choose method, subcycles and step; `interfield stability` computes the "
    "stability of a case. `{opensees-adapter: {port: N}}` couples one model with OpenSees, without substructures "
    "(help opensees-adapter).",
    KEYS(
        CHOICE(
            "drift", "none|feedback|project", "none",
            "control of the gap at joints with equal accelerations: feedback, or projection at every synchronisation "
            "(lsrt2 with gamma plus only)"),
        WITHIN("drift-factor", NONE, 1e-9, 1e3, 0, "0.1; 0.02 with gamma minus",
               "feedback factor c: fraction of the gap that one step of the coarse substructure removes"),
        WITHIN(
            "threads", NONE, 1, 64, 1, NULL,
            "parallel: 2 computes the coarse substructures on a separate thread; pg-alpha: up to 8 threads share the "
            "substructures. Results do not depend on this number"),
        WORD("start", "refuse|project",
             "if initial states differ at a joint: an error, or a projection to the nearest compatible state"))};

/* For older cases: a rule with an error that does not vanish with the step. */
static void hint_baumgarte(ifd__reader *r, const ifd__node *settings)
{
    const ifd__node *drift = settings ? ifd__yaml_get(settings, "drift") : NULL;
    bool word = drift && drift->kind == IFD__SCALAR && strcmp(drift->text, "baumgarte") == 0;
    if (word || (settings && ifd__yaml_get(settings, "baumgarte")))
        ifd_note_hint(
            r->note,
            "'baumgarte' was removed, because its error did not vanish with the step: use 'drift: feedback' and, if "
            "needed, 'drift-factor: c'");
}

static void read_settings(ifd__reader *r, ifd__structure *st, const ifd__node *settings, const char *name)
{
    ifd__fields f;
    ifd__fields_read(r, settings, &ifd__section_coupling, ifd_arena_print(r->arena, "coupling '%s'", name), &f);
    hint_baumgarte(r, settings);
    const ifd_value *drift = ifd__field(&f, "drift"), *threads = ifd__field(&f, "threads");
    ifd_couple_options *c = &st->couple;
    c->drift =
        drift->given ? (ifd_constraint_drift)(IFD_DRIFT_NONE + ifd__field_word(&f, "drift")) : IFD_DRIFT_DEFAULT;
    c->drift_factor = ifd__field(&f, "drift-factor")->number;
    if (ifd__field(&f, "drift-factor")->given && c->drift != IFD_DRIFT_FEEDBACK)
        ifd_note_add(r->note, IFD_CONFLICT, &ifd__field(&f, "drift-factor")->place,
                     "'drift-factor' requires 'drift: feedback'");
    bool several = ifd_choice_find("parallel|pg-alpha", name) >= 0;
    int most = several ? ifd__coupling_threads(ifd_coupling_find(name)) : 1;
    if (threads->number != floor(threads->number) || threads->number > most) {
        ifd_note_add(r->note, IFD_RANGE, &threads->place, "'threads' is %g, expected %s", threads->number,
                     most > 2   ? "a whole number from 1 to 8"
                     : most > 1 ? "1 or 2"
                                : "1");
        ifd_note_hint(r->note,
                      most > 2   ? "each thread computes whole substructures"
                      : most > 1 ? "the coarse substructures run on one separate thread at most"
                                 : "coupling '%s' runs on one thread; parallel can use two, pg-alpha eight",
                      name);
    } else
        c->threads = (int)threads->number;
    c->project_start = ifd__field_word(&f, "start") == 1;
}

void ifd__read_coupling(ifd__reader *r, ifd__structure *st, const ifd__node *node)
{
    const char *name = "staggered";
    const ifd__node *settings = NULL;
    st->couple.h = r->step;
    st->couple.place = node ? node->place : r->doc.root->place;
    st->couple.coupling = ifd_coupling_find(name);
    if (node && ifd__yaml_choice(node, &name, &st->couple.place, &settings, r->note) != IFD_OK)
        return;
    if (strcmp(name, "fmu") == 0) {
        ifd__read_fmu_coupling(r, st, settings);
        return;
    }
    const ifd_coupling *coupling = ifd_coupling_find(name);
    if (!coupling) {
        const char *const known[] = {ifd__names_of(r->arena, "couplings"), "fmu", "opensees-adapter"};
        ifd__unknown_choice(r, "coupling", name, &st->couple.place, ifd__join(r->arena, 3, known));
        return;
    }
    st->couple.coupling = coupling;
    if (strcmp(name, "rts") == 0)
        ifd__read_rts(r, st, settings);
    else
        read_settings(r, st, settings, name);
}

/* The step of a substructure must divide that of the case. */
int ifd__read_subcycles(ifd__reader *r, const ifd__fields *f, const char *name)
{
    const ifd_value *ss = ifd__field(f, "subcycles"), *step = ifd__field(f, "step");
    if (ss->given && step->given) {
        ifd_note_add(r->note, IFD_CONFLICT, &step->place,
                     "substructure '%s' has both 'subcycles' and 'step': expected one of them", name);
        return 1;
    }
    double count = step->given && r->step > 0 ? r->step / step->number : ss->number;
    if (step->given && (count < 0.5 || fabs(count - round(count)) > 1e-6 * count)) {
        ifd_note_add(
            r->note, IFD_RANGE, &step->place,
            "substructure '%s': the step of %g s does not divide the interval of %g s between synchronisations", name,
            step->number, r->step);
        return 1;
    }
    if (!step->given && (count != floor(count) || count > 1e6)) {
        ifd_note_add(r->note, IFD_RANGE, &ss->place,
                     "substructure '%s' has %g subcycles, expected a whole number up to 1e6", name, count);
        return 1;
    }
    return (int)lround(count);
}

void ifd__read_part_options(ifd__reader *r, const ifd__structure *st, const ifd__fields *f, const ifd__node *method,
                            ifd__substructure_read *part)
{
    const ifd__node *own = ifd__part(f, "method");
    const char *allowed = st->couple.coupling->methods;
    const char *first = ifd_arena_text_n(r->arena, allowed, strcspn(allowed, "|"));
    const char *fallback = ifd_choice_find(allowed, "lsrt2") >= 0 ? "lsrt2" : first;
    ifd_part_options *o = &part->options;
    *o = (ifd_part_options){.name = part->name, .place = part->node->key_place};
    if (own)
        ifd__read_method(r, own, NULL, &o->step);
    else if (method)
        o->step = r->c->run.step;
    else if (fallback)
        ifd_step_options_defaults(ifd_method_find(fallback), r->step, &o->step);
    o->subcycles = ifd__read_subcycles(r, f, part->name);
    o->coarse = ifd__field(f, "coarse")->number > 0;
    if (o->coarse && o->subcycles > 1)
        ifd_note_add(r->note, IFD_CONFLICT, &part->node->key_place,
                     "substructure '%s' is coarse and has %d subcycles: expected only one of these", part->name,
                     o->subcycles);
}

bool ifd__part_name(ifd__reader *r, const ifd__node *node)
{
    if (node->key[0] && !strpbrk(node->key, " .,*+=|[]{}"))
        return true;
    ifd_note_add(r->note, IFD_SYNTAX, &node->key_place,
                 "'%s' is not a valid name of a substructure: expected one word without dots", node->key);
    return false;
}

/* Adds the name of the substructure to the names of its drifts. */
static void qualify_drifts(ifd__reader *r, const char *part, ifd_storey_drift *d)
{
    for (; d; d = d->next) {
        d->name = ifd_arena_print(r->arena, "%s.%s", part, d->name);
        d->from = d->from ? ifd_arena_print(r->arena, "%s.%s", part, d->from) : NULL;
        d->to = d->to ? ifd_arena_print(r->arena, "%s.%s", part, d->to) : NULL;
        for (int k = 0; k < d->terms; k++)
            d->term[k] = ifd_arena_print(r->arena, "%s.%s", part, d->term[k]);
    }
}

void ifd__read_part_model(ifd__reader *r, const ifd__fields *f, ifd__substructure_read *part)
{
    ifd_storey_drift **drifts = &r->c->drift;
    part->m.node = ifd__part(f, "model");
    ifd__read_moving(&part->m, ifd__part(f, "loads"), ifd__part(f, "initial"));
    qualify_drifts(r, part->name, part->m.drift);
    for (ifd_case_chord *c = r->c->chord; c && !c->part; c = c->next)
        c->part = part->name;
    for (ifd_case_spring *s = r->c->spring; s; s = s->next)
        s->part = s->part ? s->part : part->name;
    while (*drifts)
        drifts = &(*drifts)->next;
    *drifts = part->m.drift;
    ifd_case_piece **pieces = &r->c->piece;
    while (*pieces)
        pieces = &(*pieces)->next;
    *pieces = part->m.piece;
    for (ifd_case_piece *p = *pieces; p; p = p->next)
        p->part = part->name;
}

static void read_part(ifd__reader *r, const ifd__structure *st, const ifd__node *method, ifd__substructure_read *part)
{
    ifd__fields f;
    const char *what = ifd_arena_print(r->arena, "substructure '%s'", part->name);
    if (!ifd__model_begin(r, st->ground, NULL, st->parts - 1, &part->m) || !what || !ifd__part_name(r, part->node))
        return;
    ifd__fields_read(r, part->node, &ifd__section_substructures, what, &f);
    if (part->node->kind != IFD__MAPPING)
        return;
    ifd__read_part_options(r, st, &f, method, part);
    if (ifd__field(&f, "fmu")->given)
        ifd_note_add(r->note, IFD_CONFLICT, &ifd__field(&f, "fmu")->place, "%s is an FMU: expected 'coupling: fmu'",
                     what);
    else if (!ifd__part(&f, "model"))
        ifd_note_add(r->note, IFD_MISSING_KEY, &part->node->place, "%s has no 'model'", what);
    else
        ifd__read_part_model(r, &f, part);
}

static void refuse_beside(ifd__reader *r, const ifd__node *node)
{
    ifd_note_add(r->note, IFD_CONFLICT, &node->key_place, "found '%s' beside 'substructures'", node->key);
    ifd_note_hint(r->note, strcmp(node->key, "model") == 0 ? "'cut' divides a 'model' that is given as a whole"
                           : strcmp(node->key, "cut") == 0 ? "'cut' requires a 'model' that is given as a whole"
                                                           : "move it into the substructure on which it acts");
}

void ifd__read_substructures(ifd__reader *r, ifd__structure *st, const ifd__fields *top)
{
    const ifd__node *map = ifd__part(top, "substructures");
    for (const ifd__node *k = top->map->first; k; k = k->next)
        if (ifd_choice_find("model|cut|loads|initial", k->key) >= 0)
            refuse_beside(r, k);
    if (ifd__yaml_expect(map, IFD__MAPPING, r->note) != IFD_OK)
        return;
    if (map->count == 0)
        ifd_note_add(r->note, IFD_SHAPE, &map->place, "'substructures' is empty, expected at least one substructure");
    st->part = ifd_arena_array(r->arena, (size_t)map->count, sizeof *st->part);
    for (const ifd__node *i = map->first; i && st->part; i = i->next) {
        ifd__substructure_read *part = &st->part[st->parts++];
        *part = (ifd__substructure_read){.name = i->key, .node = i};
        read_part(r, st, ifd__part(top, "method"), part);
    }
}

static bool of_part(const char *name, const char *part)
{
    size_t n = strlen(part);
    return strncmp(name, part, n) == 0 && name[n] == '.';
}

bool ifd__find_in_parts(const ifd__structure *st, const char *name, int *part, int *dof)
{
    for (int p = *part; p < st->parts; p++) {
        const ifd__substructure_read *at = &st->part[p];
        const char *own = of_part(name, at->name) ? name + strlen(at->name) + 1 : NULL;
        bool found = (own && ifd_builder_find(at->m.b, own, dof) && *dof >= 0) ||
                     (ifd_builder_find(at->m.b, name, dof) && *dof >= 0);
        if (found) {
            *part = p;
            return true;
        }
    }
    return false;
}

const char *ifd__names_in_parts(ifd_arena *arena, const ifd__structure *st)
{
    enum { MOST = 4000 };
    const char **name = ifd_arena_array(arena, MOST, sizeof *name);
    int n = 0;
    for (int p = 0; p < st->parts && name; p++)
        for (int i = 0; i < ifd_builder_dofs(st->part[p].m.b) && n < MOST; i++)
            name[n++] = ifd_arena_print(arena, "%s.%s", st->part[p].name, ifd_builder_dof_name(st->part[p].m.b, i));
    return name ? ifd__join(arena, n, name) : "";
}

static void choose_coarse(ifd__structure *st)
{
    bool chosen = false;
    for (int p = 0; p < st->parts; p++)
        chosen = chosen || st->part[p].options.coarse;
    if (st->parts && !chosen && st->part[0].options.subcycles <= 1)
        st->part[0].options.coarse = true;
}

/* For modes, statics and the reference; a run does not need it. */
static void assemble(ifd__reader *r, ifd__structure *st)
{
    ifd_note quiet;
    ifd_assembly whole = {0};
    ifd_note_init(&quiet, r->arena);
    if (ifd_couple_assemble(r->arena, &st->couple, &whole, &quiet) == IFD_OK)
        r->c->run.model = whole.model;
    else
        ifd_note_remark(
            r->note, &st->couple.place,
            "the substructures could not be assembled into one model (%s): modes, statics and reference solution "
            "are not available",
            quiet.first ? quiet.first->text : "out of memory");
}

/* Estimates of the specimens at each substructure. */
static bool share_estimates(ifd__reader *r, int p, ifd_step_options *step)
{
    int n = 0;
    ifd_estimate *e = ifd_arena_array(r->arena, (size_t)r->c->run.specimens, sizeof *e);
    for (int k = 0; k < r->c->run.specimens && e; k++)
        if (r->c->run.specimen[k].name && r->c->run.specimen[k].part == p)
            e[n++] = r->c->run.step.estimate[k];
    step->estimates = n;
    step->estimate = e;
    return e != NULL;
}

/* Of substructures that other processes step, this one needs the dofs. (A cut did this already.) */
static void outline_others(ifd__reader *r, ifd__structure *st)
{
    bool known = r->ranks > 1 && ifd__records_motion(r, st);
    for (int p = 0; p < st->parts && known && r->rank == 0; p++)
        known = st->part[p].m.b && ifd__builder_heavy(st->part[p].m.b);
    for (int p = 0; p < st->parts && known; p++)
        if (ifd__rank_of(p, st->parts, r->ranks) != r->rank && st->part[p].m.b)
            (void)ifd__builder_outline(st->part[p].m.b);
}

void ifd__make_parts(ifd__reader *r, ifd__structure *st)
{
    ifd_part_options *part = ifd_arena_array(r->arena, (size_t)st->parts, sizeof *part);
    ifd_couple_options *couple = ifd_arena_take(r->arena, sizeof *couple);
    bool good = part && couple;
    choose_coarse(st);
    outline_others(r, st);
    for (int p = 0; p < st->parts; p++) {
        ifd__model_read *m = &st->part[p].m;
        good = ifd__make_model(m) && ifd__permit_large_step(m, &st->part[p].options.step) && good;
        st->part[p].options.model = m->model;
        if (m->b && m->b != st->whole.b)
            ifd__builder_release(m->b);
    }
    if (!good || !ifd__resolve(r, st))
        return;
    for (int p = 0; p < st->parts; p++) {
        part[p] = st->part[p].options;
        good = share_estimates(r, p, &part[p].step) && good;
    }
    if (!good || !st->right)
        return;
    r->c->run.step.estimates = 0; /* they belong to the substructures */
    st->couple.parts = st->parts;
    st->couple.part = part;
    *couple = st->couple;
    r->c->run.couple = couple;
    if (ifd__start_gravity(r, st) && r->ranks <= 1)
        assemble(r, st);
}
