/* SPDX-License-Identifier: MIT */
/* Signals and their use: ground, supports, loads. */
#include "case/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/si.h"
#include "model/element.h"
#include "model/model.h"
#include "model/signal/wave.h"
#include "text/file.h"
#include "text/motion_file.h"

const ifd__section ifd__section_ground = {
    "ground", "ground: ground motion", "ground",
    "The motion is given by one of the keys `motion`, `record` and `signal`. Displacements, velocities and "
    "accelerations of the result are relative to the ground. For several directions, write a list with one such "
    "mapping per direction.",
    KEYS(FORM("motion", false, "name of a signal (help signal), with its parameters beside it", NULL,
              "a function of time or a generated earthquake"),
         FORM("record", false,
              "file: PEER AT2, or CSV with one or two columns; parameters of the signal 'record' beside it", NULL,
              "recorded acceleration"),
         FORM("signal", false, "{name: {parameters}}, or a list of them, which is added (help signal)", NULL,
              "a signal, or a sum of signals"),
         WORD("direction", "x|y|z", "direction of the motion, which acts on dofs of this kind"))};

const ifd__section ifd__section_signal = {
    "signal", "signal: time functions", "",
    "A signal is written `{name: {parameters}}`. A list of signals is their sum, and a number is a constant "
    "signal. The amplitude has the unit of the quantity that the signal prescribes.",
    NO_KEYS};

const ifd__section ifd__section_support = {
    "support", "support: one support", "model.supports.*",
    "The program also uses the velocity and acceleration of the signal `displacement`. Between samples, a `table` is "
    "interpolated linearly, so that its accelerations are impulses, and a `record` is interpolated by a spline; the "
    "key `interpolation` replaces these defaults. After its last sample, a signal keeps its last value.",
    KEYS(
        FORM("displacement", false, "signal (help signal)", NULL,
             "prescribed displacement in m; alternative: follows"),
        FORM("follows", false, "dof `substructure.dof`", NULL,
             "coupling rts: dof of an earlier substructure that this support follows, and on which its reaction acts "
             "(help rts)"),
        FORM("ghost-mass", false, "mass (kg), or rotational inertia (kg m2) if an angle is followed", "0",
             "mass added to the leader; its inertia is subtracted from the returned force. It raises the limit of "
             "added mass"))};

const ifd__section ifd__section_loads = {
    "loads", "loads: forces on dofs", "loads", "",
    KEYS(TEXT("at", true, NULL, "dof on which the force acts"),
         FORM("force", true, "signal (help signal)", NULL, "force in N, or moment in N m on a rotation"))};

static const ifd_signal_kind *find_kind(ifd__reader *r, const char *name, const ifd_place *place)
{
    const ifd_signal_kind *kind = ifd_signal_find(name);
    if (!kind)
        ifd__unknown_choice(r, "signal", name, place, ifd__names_of(r->arena, "signals"));
    return kind;
}

/* A signal being read: location of its parameters, and context. */
typedef struct asking {
    double acceleration; /* of cycles, if they have none; 0: they need one */
    const ifd_signal_kind *kind;
    const ifd__node *map;  /* of its parameters; NULL: none given */
    const ifd__node *file; /* of a record with a file that is not in map */
    const char *also;      /* keys of map that are not parameters */
    ifd_dimension any;
    bool smooth;
    ifd_place place;
} asking;

/* Displacements stay where their samples end. The few samples of a table are joined by straight lines, as they are
 * drawn: a spline leaves them. Those of a record are dense, and the derivatives of the displacement are needed too.
 * A controlled force is smooth. */
static void choose_interpolation(const asking *a, ifd_value *values)
{
    int i = ifd_param_find(a->kind->params, "interpolation");
    bool displacement = a->any == IFD_DIM_LENGTH;
    if (!a->smooth || i < 0)
        return;
    if (!values[i].given)
        values[i] = ifd_word(displacement && a->kind->make ? "held" : "spline");
    else if (displacement && values[i].word && strcmp(values[i].word, "linear") == 0)
        values[i].word = "held";
}

/* A file without a unit is taken in SI units, which a record in g is not. Where it is scaled to a peak, all units are
 * equal. */
static void remark_unit(ifd__reader *r, const ifd_value *file, const ifd__record *rec, ifd_dimension dim)
{
    char step[40] = "times in the file";
    if (rec->samples.dt > 0)
        snprintf(step, sizeof step, "step %g s", rec->samples.dt);
    if (!*rec->unit && dim != IFD_DIM_ANY && dim != IFD_DIM_NONE)
        ifd_note_remark(r->note, &file->place,
                        "'%s' states no unit and is taken in %.*s: %d samples, %s, peak %.4g; 'unit' states another",
                        file->word, IFD__SI(dim), rec->samples.count, step, rec->peak);
}

static const ifd_signal *make_record(ifd__reader *r, const asking *a, const ifd_value *values)
{
    const ifd_param *p = a->kind->params;
    const ifd_value *scale = ifd_param_get(p, values, "scale"), *peak = ifd_param_get(p, values, "peak");
    const ifd_value *dt = ifd_param_get(p, values, "dt"), *how = ifd_param_get(p, values, "interpolation");
    const ifd_value *file = ifd_param_get(p, values, "file"), *unit = ifd_param_get(p, values, "unit");
    double delay = ifd_param_get(p, values, "start")->number, factor = scale->number;
    ifd_interpolation as = how->given && how->word && strcmp(how->word, "spline") == 0 ? IFD_INTERPOLATE_SPLINE
                           : how->given && how->word && strcmp(how->word, "held") == 0 ? IFD_INTERPOLATE_HELD
                                                                                       : IFD_INTERPOLATE_LINEAR;
    const ifd_signal *signal = NULL;
    ifd__record rec;
    if (scale->given && peak->given) {
        ifd_note_add(r->note, IFD_CONFLICT, &peak->place,
                     "record '%s' has both 'scale' and 'peak': expected one of them", file->word);
        return NULL;
    }
    ifd__record_options opt = {.place = file->place,
                               .unit = unit->given ? unit->word : NULL,
                               .unit_place = unit->place,
                               .dt = dt->given ? dt->number : 0,
                               .dt_place = dt->place,
                               .dim = a->any,
                               .bundle = r->doc.bundle};
    const char *path = ifd__file_relative(r->arena, &file->place, file->word);
    if (!path || ifd__record_read(r->arena, path, &opt, &rec, r->note) != IFD_OK)
        return NULL;
    if (!peak->given)
        remark_unit(r, file, &rec, a->any);
    if (ifd_signal_make_table(r->arena, &rec.samples, as, &signal, r->note) != IFD_OK)
        return NULL;
    if (peak->given && rec.peak > 0)
        factor = peak->number / rec.peak;
    if ((factor != 1 || delay > 0) && ifd_signal_make_sum(r->arena, 1, &signal, &factor, &delay, &signal) != IFD_OK)
        return NULL;
    return signal;
}

/* Rates of the driven quantity are velocities of a displacement or rotation; others have any unit. */
static const ifd_param *with_rates(ifd__reader *r, const asking *a)
{
    static const ifd_param none[] = {{0}};
    int count = ifd_param_count(a->kind->params);
    ifd_param *own = ifd_arena_array(r->arena, (size_t)count + 1, sizeof *own);
    if (!ifd__in_memory(r, own))
        return none;
    for (int i = 0; i < count; i++) {
        ifd_dimension dim = a->kind->params[i].dim;
        bool rate = dim == IFD_DIM_VELOCITY || dim == IFD_DIM_ACCELERATION;
        own[i] = a->kind->params[i];
        own[i].dim = dim == IFD_DIM_ANY                  ? a->any
                     : !rate || a->any == IFD_DIM_LENGTH ? dim
                     : a->any == IFD_DIM_ANGLE           ? ifd__dimension_rotational(dim)
                                                         : IFD_DIM_ANY;
    }
    return own;
}

static const ifd_signal *make_signal(ifd__reader *r, const asking *a)
{
    bool cycles = a->kind == &ifd__signal_cycles;
    int errors = r->note->errors;
    const ifd__node *map = cycles ? ifd__expand_presets(r, a->map, a->any) : a->map;
    if (r->note->errors != errors)
        return NULL;
    ifd_value values[IFD_SIGNAL_PARAMS];
    const ifd_signal *signal = NULL;
    bool outside = a->file != NULL; /* the file is the first parameter of a record */
    const char *what = ifd_arena_print(r->arena, "signal '%s'", a->kind->name);
    ifd__settings ask = {.map = map,
                         .params = cycles ? with_rates(r, a) : a->kind->params + outside,
                         .any = cycles ? IFD_DIM_ANY : a->any,
                         .also = a->also,
                         .what = what ? what : "signal",
                         .place = a->place};
    ifd_param_preset(a->kind->params, values);
    bool ok = ifd__yaml_params(r->arena, &ask, values + outside, r->note) == IFD_OK;
    if (outside) {
        const char *path = NULL;
        ok = ifd__yaml_text(a->file, &path, r->note) == IFD_OK && ok;
        values[0] = ifd_word(path);
        values[0].place = a->file->place;
    }
    choose_interpolation(a, values);
    int limit = cycles ? ifd_param_find(a->kind->params, "acceleration") : -1;
    bool sine = cycles && ifd_param_get(a->kind->params, values, "shape")->number > 0;
    if (cycles && !values[limit].given && a->acceleration > 0.0 && !sine)
        values[limit] = ifd_number(a->acceleration);
    if (!ok)
        return NULL;
    if (!a->kind->make)
        return make_record(r, a, values);
    return ifd_signal_make(r->arena, a->kind, values, &a->place, &signal, r->note) == IFD_OK ? signal : NULL;
}

/* A step to the value at the start, without change before. */
static const ifd_signal *make_constant(ifd__reader *r, const ifd__node *node, ifd_dimension any)
{
    const ifd_signal_kind *kind = ifd_signal_find("step");
    ifd_value values[IFD_SIGNAL_PARAMS];
    const ifd_signal *signal = NULL;
    double number = 0;
    if (ifd__yaml_number(node, any, IFD_RANGE_FREE, &number, r->note) != IFD_OK)
        return NULL;
    ifd_param_preset(kind->params, values);
    values[ifd_param_find(kind->params, "amplitude")] = ifd_number(number);
    return ifd_signal_make(r->arena, kind, values, &node->place, &signal, r->note) == IFD_OK ? signal : NULL;
}

static const ifd_signal *read_one(ifd__reader *r, const ifd__node *node, asking a)
{
    const char *name;
    if (node->kind == IFD__SCALAR && !isalpha((unsigned char)node->text[0]))
        return make_constant(r, node, a.any);
    if (ifd__yaml_choice(node, &name, &a.place, &a.map, r->note) != IFD_OK)
        return NULL;
    a.kind = find_kind(r, name, &a.place);
    return a.kind ? make_signal(r, &a) : NULL;
}

static const ifd_signal *read_signal(ifd__reader *r, const ifd__node *node, asking a)
{
    if (node->kind != IFD__SEQUENCE)
        return read_one(r, node, a);
    const ifd_signal **term = ifd_arena_array(r->arena, (size_t)node->count, sizeof *term), *sum = NULL;
    int n = 0;
    bool ok = term != NULL;
    if (node->count == 0)
        ifd_note_add(r->note, IFD_SHAPE, &node->place, "found an empty list, expected at least one signal");
    for (const ifd__node *i = node->first; i && term; i = i->next) {
        term[n] = read_one(r, i, a);
        ok = term[n++] && ok;
    }
    if (!ok || n == 0 || ifd_signal_make_sum(r->arena, n, term, NULL, NULL, &sum) != IFD_OK)
        return NULL;
    return sum;
}

const ifd_signal *ifd__read_signal(ifd__reader *r, const ifd__node *node, ifd_dimension any, bool smooth)
{
    return read_signal(r, node, (asking){.any = any, .smooth = smooth});
}

const ifd_signal *ifd__read_motion(ifd__reader *r, const ifd__node *node, ifd_dimension any, double acceleration)
{
    return read_signal(r, node, (asking){.any = any, .smooth = true, .acceleration = acceleration});
}

/* A slope discontinuity inside a step reduces accuracy; the run continues. */
static void remark_interval(ifd__reader *r, const ifd_signal *s, const ifd_place *place)
{
    double interval = ifd_signal_interval(s), ratio = r->step > 0 ? interval / r->step : 0;
    if (interval > 0 && r->step > 0 && (ratio < 0.5 || fabs(ratio - round(ratio)) > 1e-6 * ratio))
        ifd_note_remark(
            r->note, place,
            "the step of %g s does not divide the interval of %g s of the record: samples fall inside steps", r->step,
            interval);
}

/* The given key of motion, record and signal; NULL after an error. */
static const ifd__node *ground_source(ifd__reader *r, const ifd__node *map)
{
    const char *const key[] = {"motion", "record", "signal"};
    const ifd__node *found = NULL;
    for (int i = 0; i < 3; i++) {
        const ifd__node *k = ifd__yaml_get(map, key[i]);
        if (k && found) {
            ifd_note_add(r->note, IFD_CONFLICT, &k->key_place, "ground has both '%s' and '%s': expected one of them",
                         found->key, k->key);
            return NULL;
        }
        found = k ? k : found;
    }
    if (!found)
        ifd_note_add(r->note, IFD_MISSING_KEY, &map->place, "ground needs one of 'motion', 'record' and 'signal'");
    return found;
}

static const ifd_signal *ground_signal(ifd__reader *r, const ifd__node *map, const ifd__node *source)
{
    asking a = {.any = IFD_DIM_ACCELERATION, .map = map, .place = source->place};
    if (strcmp(source->key, "signal") == 0) {
        ifd__yaml_keys(map, "signal|direction", "ground", r->note);
        return ifd__read_signal(r, source, IFD_DIM_ACCELERATION, false);
    }
    if (strcmp(source->key, "record") == 0) {
        a.kind = ifd_signal_find("record");
        a.file = source;
        a.also = "record|direction";
        return make_signal(r, &a);
    }
    const char *name;
    if (ifd__yaml_text(source, &name, r->note) != IFD_OK)
        return NULL;
    a.kind = find_kind(r, name, &source->place);
    a.also = "motion|direction";
    return a.kind ? make_signal(r, &a) : NULL;
}

static void read_one_ground(ifd__reader *r, ifd__structure *st, const ifd__node *map, bool *taken)
{
    int direction = 0;
    if (ifd__yaml_expect(map, IFD__MAPPING, r->note) != IFD_OK)
        return;
    const ifd__node *where = ifd__yaml_get(map, "direction"), *source = ground_source(r, map);
    if (where && ifd__yaml_word(where, "x|y|z", &direction, r->note) != IFD_OK)
        direction = 0;
    if (taken[direction])
        ifd_note_add(r->note, IFD_DUPLICATE, where ? &where->place : &map->place, "two ground motions along %c",
                     "xyz"[direction]);
    taken[direction] = true;
    const ifd_signal *s = source ? ground_signal(r, map, source) : NULL;
    if (!s)
        return;
    remark_interval(r, s, &source->place);
    st->ground[direction] = ifd__scaled(r, s);
}

void ifd__read_ground(ifd__reader *r, ifd__structure *st, const ifd__node *node)
{
    bool taken[3] = {false};
    if (!node)
        return;
    if (node->kind != IFD__SEQUENCE)
        read_one_ground(r, st, node, taken);
    else
        for (const ifd__node *i = node->first; i; i = i->next)
            read_one_ground(r, st, i, taken);
    r->c->direction = IFD_DOF_X;
    for (int d = 2; d >= 0; d--)
        if (taken[d])
            r->c->direction = (ifd_dof_kind)d;
}

/* The motion of a support; a support that follows a dof has none. */
static const ifd_signal *support_signal(ifd__model_read *m, const ifd__node *node, const ifd__fields *f)
{
    const ifd__node *u = ifd__part(f, "displacement"), *follows = ifd__part(f, "follows"),
                    *ghost = ifd__part(f, "ghost-mass");
    const ifd_signal *still = NULL;
    if (!u && !follows)
        ifd_note_add(m->note, IFD_MISSING_KEY, &node->place, "support '%s' needs 'displacement' or 'follows'",
                     node->key);
    if (u && follows)
        ifd_note_add(m->note, IFD_CONFLICT, &follows->key_place,
                     "support '%s' has both 'displacement' and 'follows': expected one of them", node->key);
    if (ghost && !follows)
        ifd_note_add(m->note, IFD_CONFLICT, &ghost->key_place,
                     "'ghost-mass' belongs to a support that follows a dof");
    if (follows && ifd_signal_make_sum(m->arena, 0, NULL, NULL, NULL, &still) == IFD_OK)
        ifd__read_follows(m, node, follows, ghost);
    return u ? ifd__read_signal(m->r, u, IFD_DIM_LENGTH, true) : still;
}

/* A spline that leaves its samples by more than 1 % of their range is hardly what was meant. */
static void remark_overshoot(ifd__model_read *m, const ifd__node *node, const ifd_signal *s)
{
    for (int i = 0; s && i < s->count; i++) {
        double t, range, over = ifd__wave_overshoot(&s->wave[i], &t, &range);
        if (over > 0.01 * range)
            ifd_note_remark(m->note, &node->place,
                            "support '%s': the spline leaves the range of neighbouring samples by %.3g mm at %.4g s; "
                            "'interpolation: linear' follows straight lines",
                            node->key, 1e3 * over, t);
    }
}

void ifd__read_supports(ifd__model_read *m, const ifd__node *node)
{
    for (const ifd__node *i = ifd__yaml_items(node, IFD__MAPPING, m->note); i; i = i->next) {
        int ref;
        ifd__fields f;
        ifd__fields_read(m->r, i, &ifd__section_support, "support", &f);
        const ifd_signal *s = i->kind == IFD__MAPPING ? support_signal(m, i, &f) : NULL;
        remark_overshoot(m, i, s);
        if (ifd_builder_find(m->b, i->key, &ref))
            ifd_note_add(m->note, IFD_DUPLICATE, &i->key_place, "the name '%s' is already used by %s", i->key,
                         ref == IFD_GROUND ? "the ground" : "a dof");
        else /* without a signal after an error: its name remains known */
            ifd_builder_support(m->b, i->key, ifd__scaled(m->r, s));
    }
}

/* A mass between dof and support, or a pendulum there. */
static bool feels_acceleration(const ifd_model *m, int support)
{
    for (int i = 0; i < m->n; i++)
        if (m->Ms[i + support * m->n] != 0)
            return true;
    for (int e = 0; e < m->ne; e++)
        for (int c = 0; m->element[e].ops->flags & IFD_ELEMENT_INERTIAL && c < m->element[e].nq; c++)
            for (int k = m->bs_start[m->q_of[e] + c]; k < m->bs_start[m->q_of[e] + c + 1]; k++)
                if (m->bs_support[k] == support)
                    return true;
    return false;
}

void ifd__remark_impulses(const ifd__model_read *m)
{
    for (int k = 0; m->model->support_name && k < m->model->nsupport; k++) {
        bool polygon = false;
        for (int i = 0; i < m->model->support[k]->count; i++)
            polygon = polygon || ifd__wave_polygon(&m->model->support[k]->wave[i]);
        if (polygon && feels_acceleration(m->model, k))
            ifd_note_remark(m->note, &m->node->place,
                            "support '%s' moves on a polygon and a mass is coupled to it: its accelerations are "
                            "impulses at the samples, which no method applies; use 'interpolation: spline'",
                            m->model->support_name[k]);
    }
}

void ifd__read_loads(ifd__model_read *m, const ifd__node *node)
{
    for (const ifd__node *i = ifd__yaml_items(node, IFD__SEQUENCE, m->note); i; i = i->next) {
        int dof = 0;
        ifd__fields f;
        ifd__fields_read(m->r, i, &ifd__section_loads, "load", &f);
        const ifd__node *at = ifd__yaml_get(i, "at"),
                        *force = i->kind == IFD__MAPPING ? ifd__part(&f, "force") : NULL;
        bool found = at && ifd__read_ref(m, at, 0, &dof);
        bool rotates = found && ifd__rotation(ifd__ref_kind(m->b, dof));
        const ifd_signal *s =
            force ? ifd__read_signal(m->r, force, rotates ? IFD_DIM_MOMENT : IFD_DIM_FORCE, false) : NULL;
        if (s && found) {
            remark_interval(m->r, s, &force->place);
            ifd_builder_force(m->b, dof, ifd__scaled(m->r, s));
            ifd__add_piece(m, &(ifd_case_piece){.kind = "load", .to = ifd_builder_dof_name(m->b, dof)});
        }
    }
}
