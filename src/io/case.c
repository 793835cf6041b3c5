/* SPDX-License-Identifier: MIT */
/* The case file from the top: time, method, what to record; then the model is made. */
#include <interfield/case.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"

static const double MOST_STEPS = 1e9;

static void read_time(ifd__reader *r, const ifd__node *node)
{
    ifd__fields f;
    if (!node)
        return;
    int before = r->note->errors;
    ifd__fields_read(r, node, "time", NULL, "time", &f);
    const ifd_value *step = ifd__field(&f, "step"), *end = ifd__field(&f, "end"),
                    *every = ifd__field(&f, "record-every");
    if (r->note->errors != before)
        return;
    if (end->number < step->number)
        ifd_note_add(r->note, IFD_RANGE, &end->place, "'end' is %g s, expected a time after the first step of %g s",
                     end->number, step->number);
    else if (end->number / step->number > MOST_STEPS)
        ifd_note_add(r->note, IFD_TOO_LARGE, &step->place, "the run would have %.3g steps; at most %.0e are possible",
                     end->number / step->number, MOST_STEPS);
    if (every->number != floor(every->number) || every->number > 1e9)
        ifd_note_add(r->note, IFD_RANGE, &every->place, "'record-every' is %g, expected a whole number",
                     every->number);
    else
        r->c->run.every = (int)every->number;
    r->step = step->number;
    r->c->run.end = end->number;
}

static const char *method_names(ifd__reader *r)
{
    const char *name[64];
    int n = 0;
    for (; n < ifd_method_count && n < 64; n++)
        name[n] = ifd_methods[n]->name;
    return ifd__join(r->arena, n, name);
}

static void read_method(ifd__reader *r, const ifd__node *node)
{
    const char *name = "lsrt2";
    const ifd__node *settings = NULL;
    ifd_place place = {0};
    if (node && ifd__yaml_choice(node, &name, &place, &settings, r->note) != IFD_OK)
        return;
    const ifd_method *method = ifd_method_find(name);
    if (!method) {
        ifd_note_add(r->note, IFD_UNKNOWN_CHOICE, &place, "unknown method '%s'", name);
        ifd_choice_hint(r->note, method_names(r), name);
        return;
    }
    ifd_step_options *opt = &r->c->run.step;
    ifd_step_options_defaults(method, r->step, opt);
    const char *what = ifd_arena_print(r->arena, "method '%s'", name);
    ifd__settings ask = {
        .map = settings, .params = method->params, .any = IFD_DIM_NONE, .what = what ? what : name, .place = place};
    if (settings)
        ifd__yaml_params(r->arena, &ask, opt->value, r->note);
}

static const char RECORDS[] = "all|displacement|velocity|acceleration|elements|energy|ground";

/* Dofs by their index in the builder; the model's are put in place when it is made. */
static void read_record(ifd__reader *r, const ifd__node *node)
{
    static const unsigned flag[] = {IFD_RECORD_EVERYTHING,   IFD_RECORD_DISPLACEMENT, IFD_RECORD_VELOCITY,
                                    IFD_RECORD_ACCELERATION, IFD_RECORD_ELEMENTS,     IFD_RECORD_ENERGY,
                                    IFD_RECORD_GROUND};
    const unsigned motion = IFD_RECORD_DISPLACEMENT | IFD_RECORD_VELOCITY | IFD_RECORD_ACCELERATION;
    const char *const *name = NULL;
    int count = 0, dofs = 0;
    if (!node || ifd__yaml_names(r->arena, node, &name, &count, r->note) != IFD_OK)
        return;
    int *dof = ifd_arena_array(r->arena, (size_t)count, sizeof *dof);
    for (int i = 0; i < count && dof; i++) {
        const ifd__node *at = node->kind == IFD__SEQUENCE ? ifd__yaml_item(node, i) : node;
        int which = ifd_choice_find(RECORDS, name[i]), ref;
        if (which >= 0)
            r->c->run.what |= flag[which];
        else if (ifd_builder_find(r->b, name[i], &ref) && ref >= 0) {
            ifd__refuse_condensed(r, ref, &at->place, "'record'");
            dof[dofs++] = ref;
        } else {
            ifd_note_add(r->note, IFD_UNKNOWN_NAME, &at->place,
                         "'%s' cannot be recorded: it is no dof and no group of channels", name[i]);
            ifd_choice_hint(r->note, RECORDS, name[i]);
        }
    }
    if (dofs && !(r->c->run.what & motion))
        r->c->run.what |= motion;
    r->c->run.dofs = dofs;
    r->c->run.dof = dof;
}

static void read_output(ifd__reader *r, const ifd__node *node)
{
    ifd__fields f;
    ifd__fields_read(r, node, "output", NULL, "output", &f);
    r->c->csv = ifd__field(&f, "csv")->number > 0;
}

static void read_everything(ifd__reader *r)
{
    ifd__fields f;
    ifd__fields_read(r, r->doc.root, "case", NULL, "the case", &f);
    if (r->doc.root->kind != IFD__MAPPING)
        return;
    r->model = ifd__part(&f, "model");
    const ifd_value *title = ifd__field(&f, "title");
    r->c->title = title->given && title->word ? title->word : r->c->path;
    read_time(r, ifd__part(&f, "time"));
    read_method(r, ifd__part(&f, "method"));
    ifd__read_model(r, r->model);
    ifd__read_ground(r, ifd__part(&f, "ground"));
    ifd__read_loads(r, ifd__part(&f, "loads"));
    ifd__read_initial(r, ifd__part(&f, "initial"));
    ifd__read_specimens(r, ifd__part(&f, "specimen"));
    read_record(r, ifd__part(&f, "record"));
    read_output(r, ifd__part(&f, "output"));
}

/* The key of the model that a finding without a place speaks of. */
static ifd_place place_of(const ifd__reader *r, const ifd_finding *f)
{
    static const char *const key[] = {"mass", "damping", "stiffness", "modal-damping", "condense"};
    for (size_t i = 0; i < sizeof key / sizeof *key; i++) {
        const ifd__node *node = strstr(f->text, key[i]) ? ifd__yaml_get(r->model, key[i]) : NULL;
        if (node)
            return node->key_place;
    }
    return r->model->place;
}

static ifd_status make_model(ifd__reader *r)
{
    ifd_model *m = NULL;
    const ifd_finding *before = r->note->last;
    ifd_status status = ifd_model_make(r->arena, r->b, &m, r->note);
    for (ifd_finding *f = before ? before->next : r->note->first; f; f = f->next)
        if (!f->place.file)
            f->place = place_of(r, f);
    r->c->run.model = m;
    if (status != IFD_OK && r->note->errors == 0)
        ifd_note_add(r->note, status, &r->model->place, "the model could not be made: %s", ifd_status_text(status));
    return status;
}

/* An index of the model for one of the builder. */
static int model_dof(const ifd__reader *r, int dof)
{
    return dof < 0 ? dof : ifd_model_find_dof(r->c->run.model, ifd_builder_dof_name(r->b, dof));
}

/* Dofs that were condensed because they have no mass can be found out only now. */
static bool massless(ifd__reader *r, const char *key, int dof)
{
    if (dof == IFD_GROUND || model_dof(r, dof) >= 0)
        return false;
    const ifd__node *node = ifd__yaml_get(r->doc.root, key);
    ifd_note_add(r->note, IFD_MASSLESS, node ? &node->place : NULL,
                 "'%s' uses dof '%s', which has no mass and was condensed", key, ifd_builder_dof_name(r->b, dof));
    return true;
}

static void number_dofs(ifd__reader *r)
{
    ifd_run_options *run = &r->c->run;
    int *dof = ifd_arena_array(r->arena, (size_t)run->dofs, sizeof *dof);
    ifd_specimen *s = ifd_arena_array(r->arena, (size_t)run->specimens, sizeof *s);
    ifd_estimate *e = ifd_arena_array(r->arena, (size_t)run->specimens, sizeof *e);
    if (!dof || !s || !e) {
        ifd_note_add(r->note, IFD_NO_MEMORY, NULL, "memory is out");
        return;
    }
    for (int i = 0; i < run->dofs; i++)
        if (!massless(r, "record", run->dof[i]))
            dof[i] = model_dof(r, run->dof[i]);
    for (int i = 0; i < run->specimens; i++) {
        s[i] = run->specimen[i];
        e[i] = run->step.estimate[i];
        if (massless(r, "specimen", s[i].from) || massless(r, "specimen", s[i].to))
            continue;
        e[i].from = s[i].from = model_dof(r, s[i].from);
        e[i].to = s[i].to = model_dof(r, s[i].to);
    }
    run->dof = dof;
    run->specimen = s;
    run->step.estimate = e;
}

/* The file as it was read, and the overrides behind it. */
static const char *whole_text(ifd__reader *r, int count, const char *const *sets)
{
    const ifd__source *main = r->doc.sources;
    while (main && main->next)
        main = main->next;
    const char *text = main ? ifd_arena_text_n(r->arena, main->text, main->length) : "";
    for (int i = 0; i < count && text; i++)
        text = ifd_arena_print(r->arena, "%s# --set %s\n", text, sets[i]);
    return text;
}

static ifd_status first_code(const ifd_note *note)
{
    return note->errors == 0 ? IFD_OK : note->first ? note->first->code : IFD_NO_MEMORY;
}

static ifd_status read_case(ifd__reader *r, const char *path, int count, const char *const *sets)
{
    r->c->path = ifd_arena_text(r->arena, path);
    r->b = ifd_builder_make(r->arena);
    if (!r->c->path || !r->b)
        return IFD_NO_MEMORY;
    IFD_TRY(ifd__yaml_read(r->arena, path, &r->doc, r->note));
    for (int i = 0; i < count; i++)
        ifd__yaml_set(&r->doc, sets[i], r->note);
    r->c->text = whole_text(r, count, sets);
    if (!r->c->text)
        return IFD_NO_MEMORY;
    read_everything(r);
    if (r->note->errors == 0 && make_model(r) == IFD_OK)
        number_dofs(r);
    ifd__yaml_source_lines(&r->doc, r->note);
    return first_code(r->note);
}

ifd_status ifd_case_read(ifd_arena *arena, const char *path, int count, const char *const *sets, ifd_case **out,
                         ifd_note *note)
{
    ifd_note own;
    ifd__reader r = {.arena = arena, .note = note, .c = ifd_arena_take(arena, sizeof(ifd_case))};
    if (!note) {
        ifd_note_init(&own, arena);
        r.note = &own;
    }
    if (!r.c)
        return IFD_NO_MEMORY;
    ifd_status status = read_case(&r, path, count, sets);
    if (status == IFD_OK)
        *out = r.c;
    return status;
}
