/* SPDX-License-Identifier: MIT */
/* `master`: another program computes the structure. Its dofs are those of the specimens. */
#include <interfield/link.h>
#include <interfield/opensees.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "case/reader.h"
#include "model/build/builder.h"

const ifd__section ifd__section_opensees = {
    "opensees", "opensees: OpenSees computes the structure", "master.opensees",
    "`interfield serve opensees CASE` waits for the OpenSees script. The genericClient elements of the script "
    "connect to the program and prescribe the motion of the specimens (docs/guide/opensees.md). `time.step` is the "
    "time step of the script.",
    KEYS(FORM("elements", true, "list of elements (help opensees-element), or of lists of dofs", NULL,
              "genericClient elements of the script, in the order of their commands"),
         FORM("kinds", false, "{name: kind}; x, y, z, rx, ry, rz, angle, stretch", "x", "direction of a dof"),
         WITHIN("port", NONE, 0, 65535, 8090, NULL, "port to which the script connects; 0: any free port"),
         TEXT("host", false, "127.0.0.1", "address on which the program listens"),
         WORD("transport", "tcp|udp", "udp only for loopback and dedicated links: a lost message stops the test"),
         WITHIN("order", NONE, 0, 3, 3, NULL,
                "order of the polynomial that extrapolates the motion until the next target. 0: the specimens rest "
                "at every target, for iterative schemes"),
         WITHIN("length", LENGTH, 1e-9, 1e6, 1, NULL, "unit of length of the script, such as `1 in` or `1 mm`"),
         WITHIN("force", FORCE, 1e-9, 1e12, 1, NULL,
                "unit of force of the script, such as `1 kN`, or `4.4482216 kN` for a kip"),
         WITHIN("patience", TIME, 1e-3, 1e7, 300, NULL,
                "from the first step on: time without a message after which the script counts as lost"),
         WITHIN("trials", NONE, 1, IFD_REMOTE_TRIALS, 1, NULL,
                "trial displacements of the script in each step, at equal intervals: for integrators "
                "...HSFixedNumIter with `test FixedNumIter N`"),
         WITHIN("stall", TIME, 1e-3, 1e7, 5, NULL, "maximum duration of the arrival of a message"))};

const ifd__section ifd__section_opensees_element = {
    "opensees-element", "opensees-element: one genericClient element", "master.opensees.elements", "",
    KEYS(FORM("dofs", true, "list of names", NULL, "in the order of -node, and of -dof within each node"),
         FORM("stiffness", false, "list (the diagonal) or list of rows", "from the estimates of the specimens",
              "stiffness that the script receives on request; only implicit schemes use it"),
         FORM("damping", false, "as stiffness", "zero",
              "damping that the script adds to the structure; the measured force already contains that of the "
              "specimen"),
         FORM("mass", false, "as stiffness", "zero", "mass that the script adds to the structure"))};

enum { TICKS = 10, FEWEST_TICKS = 4 };

/* Data of an element before its model is made. */
typedef struct element_read {
    int first, count; /* dofs of the builder */
    const double *stiffness, *damping, *mass;
} element_read;

struct ifd__master_read {
    ifd_opensees_options *o;
    int elements;
    element_read element[IFD_OPENSEES_ELEMENTS];
};

static void refuse_beside(ifd__reader *r, const ifd__fields *top)
{
    static const char own[] = "model|substructures|cut|joints|coupling|loads|initial|ground|method";
    for (const ifd__node *k = top->map->first; k; k = k->next)
        if (ifd_choice_find(own, k->key) >= 0)
            ifd_note_add(r->note, IFD_CONFLICT, &k->key_place,
                         "found '%s' beside 'master': the other program computes the structure and its loads",
                         k->key);
    static const char *const needed[] = {"specimen", "test"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!ifd__part(top, needed[i]))
            ifd_note_add(r->note, IFD_MISSING_KEY, &ifd__part(top, "master")->key_place, "'master' needs '%s'",
                         needed[i]);
}

/* The mass of a dof is only formal, as a model requires one. */
static void read_dofs(ifd__model_read *m, const ifd__node *list, const ifd__node *kinds, element_read *e)
{
    e->first = m->b->dof.count;
    for (const ifd__node *d = list->first; d; d = d->next) {
        const char *name;
        if (ifd__yaml_text(d, &name, m->note) != IFD_OK)
            continue;
        const ifd__node *given = ifd__yaml_get(kinds, name);
        int kind = given ? ifd__read_word(m->r, given, "x|y|z|rx|ry|rz|angle|stretch", "kind") : 0;
        int dof = ifd__new_dof(m, name, (ifd_dof_kind)(kind < 0 ? 0 : kind), &d->place);
        if (dof >= 0)
            ifd_builder_add(m->b, IFD_MASS, dof, dof, 1.0);
    }
    e->count = m->b->dof.count - e->first;
    if (list->count == 0)
        ifd_note_add(m->note, IFD_SHAPE, &list->place, "an element has no dofs: expected at least one");
}

/* Rows of the matrix of an element; NULL: not given. */
static const double *read_matrix(ifd__reader *r, const ifd__node *item, int n, const char *key)
{
    const ifd__node *node = ifd__yaml_get(item, key);
    ifd_value given = {.cols = n};
    double *out = ifd_arena_array(r->arena, (size_t)(n * n), sizeof *out);
    if (!node || !out)
        return NULL;
    bool diagonal = node->kind != IFD__SEQUENCE || !node->first || node->first->kind != IFD__SEQUENCE;
    if (diagonal ? ifd__yaml_list(r->arena, node, IFD_DIM_ANY, &given.data, &given.rows, r->note) != IFD_OK
                 : ifd__yaml_matrix(r->arena, node, IFD_DIM_ANY, &given, r->note) != IFD_OK)
        return NULL;
    if (given.rows != n || given.cols != n) {
        ifd_note_add(r->note, IFD_SHAPE, &node->place, "'%s' has the size of %d dof%s, expected %d", key, given.rows,
                     given.rows == 1 ? "" : "s", n);
        return NULL;
    }
    for (int i = 0; i < n * n; i++)
        out[i] = diagonal ? (i / n == i % n ? given.data[i / n] : 0.0) : given.data[i];
    return out;
}

static void read_element(ifd__model_read *m, const ifd__node *item, const ifd__node *kinds, element_read *e)
{
    const ifd__node *dofs = item;
    if (item->kind == IFD__MAPPING) {
        ifd__fields f;
        const char *what = ifd_arena_print(m->arena, "element %d", item->index + 1);
        ifd__fields_read(m->r, item, &ifd__section_opensees_element, what, &f);
        dofs = ifd__part(&f, "dofs");
    }
    if (!dofs || ifd__yaml_expect(dofs, IFD__SEQUENCE, m->note) != IFD_OK)
        return;
    read_dofs(m, dofs, kinds, e);
    e->stiffness = read_matrix(m->r, item, e->count, "stiffness");
    e->damping = read_matrix(m->r, item, e->count, "damping");
    e->mass = read_matrix(m->r, item, e->count, "mass");
}

static void read_elements(ifd__reader *r, ifd__structure *st, const ifd__node *list, const ifd__node *kinds)
{
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    if (list->count < 1 || list->count > IFD_OPENSEES_ELEMENTS) {
        ifd_note_add(r->note, IFD_RANGE, &list->place, "%d elements, expected 1 to %d", list->count,
                     IFD_OPENSEES_ELEMENTS);
        return;
    }
    for (const ifd__node *i = list->first; i; i = i->next)
        read_element(&st->whole, i, kinds, &st->master->element[st->master->elements++]);
    if (st->whole.b->dof.count > IFD_REMOTE_DOFS)
        ifd_note_add(r->note, IFD_TOO_LARGE, &list->place, "%d dofs, a master has at most %d", st->whole.b->dof.count,
                     IFD_REMOTE_DOFS);
    for (const ifd__node *k = kinds ? kinds->first : NULL; k; k = k->next) {
        int ref;
        ifd__find_ref(&st->whole, k->key, &k->key_place, 0, &ref);
    }
}

static void read_opensees(ifd__reader *r, ifd__structure *st, const ifd__node *settings, ifd_opensees_options *o)
{
    ifd__fields f;
    ifd__fields_read(r, settings, &ifd__section_opensees, "master 'opensees'", &f);
    ifd_opensees_defaults(o);
    const ifd_value *port = ifd__field(&f, "port"), *order = ifd__field(&f, "order"), *host = ifd__field(&f, "host");
    const ifd_value *trials = ifd__field(&f, "trials"), *whole[] = {port, order, trials};
    int *into[] = {&o->port, &o->order, &o->trials};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        double number = whole[i]->number;
        if (number != floor(number))
            ifd_note_add(r->note, IFD_RANGE, &whole[i]->place, "'port', 'order' or 'trials' is not a whole number");
        else if (fabs(number) <= INT_MAX) /* values beyond its range are already refused */
            *into[i] = (int)number;
    }
    o->udp = ifd__field_word(&f, "transport") == 1;
    o->length = ifd__field(&f, "length")->number;
    o->force = ifd__field(&f, "force")->number;
    o->patience = ifd__field(&f, "patience")->number;
    o->stall = ifd__field(&f, "stall")->number;
    if (host->given && host->word)
        o->host = host->word;
    read_elements(r, st, ifd__part(&f, "elements"), ifd__part(&f, "kinds"));
}

void ifd__read_master(ifd__reader *r, ifd__structure *st, const ifd__fields *top)
{
    const ifd__node *node = ifd__part(top, "master"), *settings = NULL;
    const char *name = NULL;
    ifd_place place = {0};
    refuse_beside(r, top);
    if (!ifd__model_begin(r, st->ground, node, -1, &st->whole))
        return;
    st->master = ifd_arena_take(r->arena, sizeof *st->master);
    ifd_opensees_options *o = ifd_arena_take(r->arena, sizeof *o);
    if (!st->master || !o || ifd__yaml_choice(node, &name, &place, &settings, r->note) != IFD_OK)
        return;
    if (strcmp(name, "opensees") != 0) {
        ifd__unknown_choice(r, "master", name, &place, "opensees");
        return;
    }
    if (!settings) {
        ifd_note_add(r->note, IFD_MISSING_KEY, &place, "master 'opensees' needs 'elements'");
        return;
    }
    st->master->o = o;
    int errors = r->note->errors;
    read_opensees(r, st, settings, o);
    st->whole.sound = r->note->errors == errors;
}

/* Estimates of the specimens between the dofs of this element. */
static const double *estimated(ifd__reader *r, const ifd_opensees_element *e)
{
    double *k = ifd_arena_array(r->arena, (size_t)(e->dofs * e->dofs), sizeof *k);
    const ifd_step_options *step = &r->c->run.step;
    for (int s = 0; s < step->estimates && k; s++)
        for (int i = 0; i < e->dofs; i++)
            for (int j = 0; j < e->dofs; j++) {
                const ifd_estimate *at = &step->estimate[s];
                double a = (at->to == e->dof[i]) - (at->from == e->dof[i]),
                       b = (at->to == e->dof[j]) - (at->from == e->dof[j]);
                k[i * e->dofs + j] += a * at->stiffness * b;
            }
    return k;
}

/* An incomplete stiffness is not used: every specimen at a dof of the element needs an estimate. */
static bool all_estimated(const ifd__reader *r, const ifd_opensees_element *e)
{
    const ifd_step_options *step = &r->c->run.step;
    const ifd_hybrid_options *test = r->c->test;
    bool any = false;
    for (int k = 0; k < test->interfaces; k++) {
        const ifd_interface_options *c = &test->interface[k];
        bool here = false, known = false;
        for (int i = 0; i < e->dofs; i++)
            here = here || c->from == e->dof[i] || c->to == e->dof[i];
        for (int s = 0; s < step->estimates; s++)
            known = known || (step->estimate[s].from == c->from && step->estimate[s].to == c->to &&
                              (step->estimate[s].stiffness != 0.0 || step->estimate[s].damping != 0.0));
        if (here && !c->force && !known)
            return false;
        any = any || (here && known);
    }
    return any;
}

static void make_element(ifd__reader *r, const element_read *from, ifd_opensees_element *e)
{
    int *dof = ifd_arena_array(r->arena, (size_t)from->count, sizeof *dof);
    for (int i = 0; i < from->count && dof; i++)
        dof[i] = from->first + i;
    *e = (ifd_opensees_element){
        .dofs = from->count, .dof = dof, .stiffness = from->stiffness, .damping = from->damping, .mass = from->mass};
    if (dof && !e->stiffness && all_estimated(r, e))
        e->stiffness = estimated(r, e);
}

/* As in the case. By default a virtual specimen depends on its elements. A real one is taken to depend on it: every
 * trial moves it. */
static bool rate_dependent(ifd__reader *r)
{
    const ifd_hybrid_options *o = r->c->test;
    bool stated = ifd__yaml_get(ifd__yaml_get(r->doc.root, "test"), "rate-dependent");
    return o->rate_dependent || (!stated && !ifd_rigs_are_virtual(o->rig, o->rig_setup));
}

/* Prediction, correction and braking need several ticks in a step. */
static void read_ticks(ifd__reader *r)
{
    const ifd__node *ticks = ifd__yaml_get(ifd__yaml_get(r->doc.root, "test"), "ticks-per-stage");
    if (!ticks)
        r->c->test->ticks_per_stage = TICKS;
    else if (r->c->test->ticks_per_stage < FEWEST_TICKS)
        ifd_note_add(r->note, IFD_RANGE, &ticks->place, "'ticks-per-stage' is %d, expected at least %d with a master",
                     r->c->test->ticks_per_stage, FEWEST_TICKS);
}

/* The dofs of the model are those of its builder, because each has a mass. */
void ifd__read_master_test(ifd__reader *r, const ifd__structure *st)
{
    if (!st->master || !r->c->test)
        return;
    read_ticks(r);
    ifd_opensees_options *o = st->master->o;
    int n = st->whole.b->dof.count;
    ifd_opensees_element *e = ifd_arena_array(r->arena, (size_t)st->master->elements, sizeof *e);
    bool *rotation = ifd_arena_array(r->arena, (size_t)n, sizeof *rotation);
    if (!o || !e || !rotation)
        return;
    for (int i = 0; i < st->master->elements; i++)
        make_element(r, &st->master->element[i], &e[i]);
    for (int i = 0; i < n; i++)
        rotation[i] = ifd__rotation(ifd__ref_kind(st->whole.b, i));
    o->elements = st->master->elements;
    o->element = e;
    o->dofs = n;
    o->rotation = rotation;
    o->step = r->c->run.step.h;
    o->end = r->c->run.end;
    o->rate_dependent = rate_dependent(r);
    r->c->opensees = o;
}

/* `coupling: {opensees-adapter: {port: N}}`: this program computes the structure, and OpenSees computes the
 * substructure of its adapter element. Each dof of the element is a specimen. Equivalent to the rig of that name, in
 * lockstep by default. */

static const char NAME[] = "opensees-adapter";

bool ifd__is_adapter(const ifd__node *node)
{
    if (!node)
        return false;
    if (node->kind == IFD__MAPPING)
        return node->count == 1 && strcmp(node->first->key, NAME) == 0;
    return node->kind == IFD__SCALAR && node->text && strcmp(node->text, NAME) == 0;
}

bool ifd__read_adapter(ifd__reader *r, const ifd__fields *top)
{
    const ifd__node *node = ifd__part(top, "coupling");
    if (!ifd__is_adapter(node))
        return false;
    static const char *const parts[] = {"substructures", "cut"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (ifd__part(top, parts[i])) {
            ifd_note_add(r->note, IFD_CONFLICT, &node->key_place,
                         "coupling '%s' couples one 'model' with OpenSees: '%s' needs another coupling", NAME,
                         parts[i]);
            ifd_note_hint(r->note, "define it below 'test' as 'rig: {opensees-adapter: {port: N, lockstep: yes}}'");
            return true;
        }
    if (!ifd__part(top, "specimen"))
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->key_place,
                     "coupling '%s' needs one 'specimen' for each dof of the adapter element", NAME);
    return true;
}

const ifd__node *ifd__adapter(const ifd__reader *r)
{
    const ifd__node *root = r->doc.root, *node = ifd__yaml_get(root, "coupling");
    bool other = ifd__yaml_get(root, "master") || ifd__yaml_get(root, "substructures") || ifd__yaml_get(root, "cut");
    return ifd__is_adapter(node) && !other && ifd__yaml_get(root, "specimen") ? node : NULL;
}

const ifd__node *ifd__adapter_rig(ifd__reader *r, const ifd__node *rig)
{
    const ifd__node *adapter = ifd__adapter(r);
    if (adapter && rig)
        ifd_note_add(r->note, IFD_CONFLICT, &rig->key_place,
                     "found 'rig' beside coupling '%s', which is a rig itself: expected one of them", NAME);
    return adapter ? adapter : rig;
}

void ifd__adapter_lockstep(const ifd__reader *r, const ifd_rig_ops *rig, ifd_value *values)
{
    if (!ifd__adapter(r) || rig != &ifd_opensees_adapter_rig)
        return;
    ifd_value *lockstep = &values[ifd_param_find(rig->params, "lockstep")];
    if (!lockstep->given)
        lockstep->number = 1.0;
}
