/* SPDX-License-Identifier: MIT */
/* Coupling fmu: substructures that are FMUs or models exported as FMUs, and their joints. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include <interfield/fmu.h>

#include "case/code.h"
#include "text/file.h"
#include "case/reader.h"
#include "model/build/builder.h"

const ifd__section ifd__section_coupling_fmu = {
    "coupling-fmu", "coupling-fmu: substructures that are FMUs", "coupling.fmu",
    "Every substructure is a model of the case, or an FMU that can return to a saved state. Joint forces are "
    "constant over an exchange step (`time.step`). Within this step, an FMU takes its own shorter steps, and a model "
    "takes steps of its own length `step`. `interfield run` supports this coupling; tests, and analyses that return "
    "to earlier states, do not. docs/guide/fmi-join.md explains joints, ground motion and the check at the start.",
    KEYS(WITHIN("corrections", NONE, 1, 20, 3, NULL,
                "maximum number of corrections of a step; linear substructures need one"),
         WITHIN(
             "softness", NONE, 0, 1, 0.01, "0.01; 0.5 if a substructure is predicted",
             "compliance of a joint, as a fraction of that of its two ends in a step; it damps alternating motion of "
             "the joint. 0: exact joints"),
         WORD("passivity", "refuse|remark",
              "if joint forces can extract energy from a substructure (it is not passive): an error or a remark"),
         WORD("no-rollback", "refuse|predict",
              "if an FMU cannot return to a saved state: an error, or one predicted step, without a guarantee of "
              "stability"))};

typedef struct ifd__fmus_read {
    ifd_fmu_structure s;
    ifd_fmu_part *part;
    ifd__substructure_read *substructure; /* of the substructures that are models */
    ifd_fmu_tie *tie;
} ifd__fmus_read;

void ifd__read_fmu_coupling(ifd__reader *r, ifd__structure *st, const ifd__node *settings)
{
    enum { MOST = 20 };
    ifd__fields f;
    ifd__fields_read(r, settings, &ifd__section_coupling_fmu, "coupling 'fmu'", &f);
    const ifd_value *corrections = ifd__field(&f, "corrections"), *softness = ifd__field(&f, "softness");
    ifd__fmus_read *m = st->fmus = ifd_arena_take(r->arena, sizeof *m);
    if (!ifd__in_memory(r, m))
        return;
    if (corrections->number != floor(corrections->number) || corrections->number > MOST)
        ifd_note_add(r->note, IFD_RANGE, &corrections->place, "'corrections' is %g, expected a whole number up to %d",
                     corrections->number, MOST);
    else
        m->s.rule.corrections = (int)corrections->number;
    m->s.rule.softness = softness->given ? softness->number : -1.0;
    m->s.rule.anyway = ifd__field_word(&f, "passivity") == 1;
    m->s.rule.predict = ifd__field_word(&f, "no-rollback") == 1;
    m->s.h = r->step;
}

/* A model as substructure. The correction is exact for average acceleration. */
static void read_model(ifd__reader *r, ifd__fmus_read *m, const ifd__fields *f, const ifd__node *method, int index)
{
    ifd__substructure_read *substructure = &m->substructure[index];
    ifd_fmu_part *part = &m->part[index];
    const ifd__node *own = ifd__part(f, "method");
    if (!ifd__model_begin(r, m->s.ground, NULL, -1, &substructure->m))
        return;
    if (own || !method)
        ifd__read_method(r, own, "newmark", &part->step);
    else
        part->step = r->c->run.step;
    part->step.h = r->step / ifd__read_subcycles(r, f, part->name);
    ifd__read_part_model(r, f, substructure);
    ifd__refuse_follows(r, &substructure->m, part->name);
}

/* Without the key, an FMU with a ground motion keeps it. */
static void read_part_ground(ifd__reader *r, const ifd__fmus_read *m, const ifd__fields *f, const char *what,
                             ifd_fmu_part *part)
{
    const ifd_value *ground = ifd__field(f, "ground");
    if (!ground->given)
        return;
    part->ground = ifd__field_word(f, "ground") == 0 ? IFD_FMU_GROUND_CASE : IFD_FMU_GROUND_OWN;
    if (!ifd__field(f, "fmu")->given)
        ifd_note_add(r->note, IFD_CONFLICT, &ground->place,
                     "%s is a model, on which the ground of the case acts: 'ground' is for an FMU", what);
    else if (part->ground == IFD_FMU_GROUND_CASE && !m->s.ground[0] && !m->s.ground[1] && !m->s.ground[2])
        ifd_note_add(r->note, IFD_CONFLICT, &ground->place,
                     "%s uses the ground motion of the case, but the case has none: expected 'ground' in the case",
                     what);
}

static void read_file(ifd__reader *r, const ifd_value *file, ifd_fmu_part *part)
{
    part->file = ifd__file_relative(r->arena, &file->place, file->word);
    const ifd__code_archive admitted = ifd__code_fmu(r, part->file, &file->place);
    part->unloaded = !admitted.fd;
    part->open = admitted.fd;
    if (!part->unloaded)
        part->file = admitted.path;
}

static void read_part(ifd__reader *r, ifd__fmus_read *m, const ifd__node *method, const ifd__node *node)
{
    static const char *const of_model[] = {"loads", "initial", "method"}, *const steps[] = {"subcycles", "step"},
                             *const of_fmu[] = {"parameters", "memory"};
    int index = m->s.parts++;
    const char *what = ifd_arena_print(r->arena, "substructure '%s'", node->key);
    ifd__fields f;
    if (!what || !ifd__part_name(r, node))
        return;
    ifd__fields_read(r, node, &ifd__section_substructures, what, &f);
    if (node->kind != IFD__MAPPING)
        return;
    const ifd_value *file = ifd__field(&f, "fmu");
    const ifd__node *model = ifd__part(&f, "model");
    ifd_fmu_part *part = &m->part[index];
    *part = (ifd_fmu_part){.name = node->key, .place = node->key_place};
    part->isolated = ifd__field(&f, "isolated")->number > 0;
    part->remembers = ifd__field(&f, "memory")->number > 0;
    part->parameters = ifd__field(&f, "parameters")->word;
    read_part_ground(r, m, &f, what, part);
    m->substructure[index] = (ifd__substructure_read){.name = node->key, .node = node};
    if (ifd__field(&f, "coarse")->given)
        ifd_note_add(r->note, IFD_CONFLICT, &ifd__field(&f, "coarse")->place,
                     "%s has 'coarse': coupling fmu has no coarse substructures", what);
    for (int i = 0; i < 2 && file->given; i++)
        if (ifd__field(&f, steps[i])->given)
            ifd_note_add(r->note, IFD_CONFLICT, &ifd__field(&f, steps[i])->place,
                         "%s is an FMU with internal steps: '%s' is for a model", what, steps[i]);
    for (int i = 0; i < 3 && file->given; i++)
        if (ifd__part(&f, of_model[i]))
            ifd_note_add(r->note, IFD_CONFLICT, &ifd__part(&f, of_model[i])->key_place,
                         "%s is an FMU, which contains its own '%s'", what, of_model[i]);
    for (int i = 0; i < 2; i++)
        if (ifd__field(&f, of_fmu[i])->given && !file->given)
            ifd_note_add(r->note, IFD_CONFLICT, &ifd__field(&f, of_fmu[i])->place,
                         "%s is a model: '%s' is for an FMU", what, of_fmu[i]);
    if (file->given == (model != NULL))
        ifd_note_add(r->note, model ? IFD_CONFLICT : IFD_MISSING_KEY, &node->place, "%s %s: expected one of them",
                     what, model ? "has 'model' and 'fmu'" : "has neither 'model' nor 'fmu'");
    else if (model)
        read_model(r, m, &f, method, index);
    else
        read_file(r, file, part);
}

/* One end, "part.rest"; the rest is resolved when the FMU is open. */
static bool read_end(ifd__reader *r, const ifd__fmus_read *m, const char *from, const char *end, ifd_fmu_tie *tie,
                     int side)
{
    while (from < end && isspace((unsigned char)*from))
        from++;
    while (end > from && isspace((unsigned char)end[-1]))
        end--;
    const char *dot = memchr(from, '.', (size_t)(end - from));
    for (int p = 0; p < m->s.parts && dot; p++) {
        const char *name = m->part[p].name;
        if (name && strlen(name) == (size_t)(dot - from) && strncmp(name, from, (size_t)(dot - from)) == 0) {
            int ref;
            tie->part[side] = p;
            tie->end[side] = ifd_arena_text_n(r->arena, dot + 1, (size_t)(end - dot - 1));
            if (!tie->end[side])
                return false;
            const ifd_builder *b = m->substructure[p].m.b;
            if (!b || (ifd_builder_find(b, tie->end[side], &ref) && ref >= 0))
                return true;
            ifd_note_add(r->note, IFD_UNKNOWN_NAME, &tie->place, "substructure '%s' has no dof '%s'", name,
                         tie->end[side]);
            return false;
        }
    }
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &tie->place,
                 "found '%.*s' in the joint, expected 'part.dof' of a model or 'part.d[1]' of an FMU",
                 (int)(end - from), from);
    return false;
}

static void read_tie(ifd__reader *r, ifd__fmus_read *m, const ifd__node *node)
{
    const char *text;
    if (ifd__yaml_text(node, &text, r->note) != IFD_OK)
        return;
    const char *equals = strchr(text, '=');
    ifd_fmu_tie *tie = &m->tie[m->s.ties];
    *tie = (ifd_fmu_tie){.name = text, .place = node->place};
    if (!equals || strchr(equals + 1, '='))
        ifd_note_add(r->note, IFD_SYNTAX, &node->place, "found '%s', expected a joint such as 'frame.x = mast.d[1]'",
                     text);
    else if (read_end(r, m, text, equals, tie, 0) && read_end(r, m, equals + 1, text + strlen(text), tie, 1)) {
        if (tie->part[0] == tie->part[1])
            ifd_note_add(r->note, IFD_CONFLICT, &node->place, "joint '%s' connects substructure '%s' with itself",
                         text, m->part[tie->part[0]].name);
        m->s.ties++;
    }
}

void ifd__read_fmu_parts(ifd__reader *r, const ifd__structure *st, const ifd__fields *top)
{
    static const char alone[] = "'interfield run' has no specimens with this coupling",
                      all[] = "all outputs are recorded", whole[] = "expected 'substructures'",
                      inside[] = "move it into the substructure on which it acts";
    static const struct {
        const char *key, *why;
    } refused[] = {{"specimen", alone}, {"test", alone},   {"record", all},    {"cut", whole},
                   {"model", whole},    {"loads", inside}, {"initial", inside}};
    const ifd__node *map = ifd__part(top, "substructures"), *joints = ifd__part(top, "joints");
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (ifd__part(top, refused[i].key))
            ifd_note_add(r->note, IFD_CONFLICT, &ifd__part(top, refused[i].key)->key_place,
                         "found '%s' beside 'coupling: fmu': %s", refused[i].key, refused[i].why);
    if (!map || ifd__yaml_expect(map, IFD__MAPPING, r->note) != IFD_OK ||
        (joints && ifd__yaml_expect(joints, IFD__SEQUENCE, r->note) != IFD_OK))
        return;
    if (map->count < 2 || !joints || joints->count == 0) {
        ifd_note_add(r->note, IFD_SHAPE, &map->place,
                     "coupling fmu needs at least two substructures and 'joints' between them");
        return;
    }
    ifd__fmus_read *m = st->fmus;
    memcpy(m->s.ground, st->ground, sizeof m->s.ground);
    m->part = ifd_arena_array(r->arena, (size_t)map->count, sizeof *m->part);
    m->substructure = ifd_arena_array(r->arena, (size_t)map->count, sizeof *m->substructure);
    m->tie = ifd_arena_array(r->arena, (size_t)joints->count, sizeof *m->tie);
    if (!ifd__in_memory(r, m->part && m->substructure && m->tie))
        return;
    for (const ifd__node *i = map->first; i; i = i->next)
        read_part(r, m, ifd__part(top, "method"), i);
    for (const ifd__node *i = joints->first; i; i = i->next)
        read_tie(r, m, i);
}

void ifd__make_fmu_parts(ifd__reader *r, const ifd__structure *st)
{
    ifd__fmus_read *m = st->fmus;
    ifd_external_options *outside = ifd_arena_take(r->arena, sizeof *outside);
    const char *summary = ifd_arena_print(r->arena, "%d substructures, FMUs", m->s.parts);
    bool good = true;
    if (!ifd__in_memory(r, outside && summary))
        return;
    for (int p = 0; p < m->s.parts; p++)
        if (m->substructure[p].m.b) {
            good = ifd__make_model(&m->substructure[p].m) && good;
            m->part[p].model = m->substructure[p].m.model;
        }
    if (!good)
        return;
    m->s.part = m->part;
    m->s.tie = m->tie;
    *outside = (ifd_external_options){.summary = summary, .spec = &m->s, .open = ifd_fmu_structure_open};
    r->c->run.external = outside;
}

void ifd__fmu_ticks(ifd__reader *r, const ifd_param *params, ifd_value *values)
{
    ifd_value *late = &values[ifd_param_find(params, "late")];
    if (r->test.late == 0)
        return;
    if (!late->given)
        late->number = r->test.late;
    if (late->number != floor(late->number))
        ifd_note_add(r->note, IFD_RANGE, &late->place, "fmu: 'late' is %g, expected a whole number of ticks",
                     late->number);
}
