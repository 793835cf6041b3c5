/* SPDX-License-Identifier: MIT */
/* The case file at its top level: time, method, recorded quantities; then the model is made. */
#include <interfield/case.h>

#include <string.h>

#include "algebra/team.h"
#include "base/arena.h"
#include "case/rig/channels.h"
#include "case/reader.h"
#include "text/bundle.h"
#include "text/yaml.h"

const ifd__section ifd__section_case = {
    "case", "case: the whole file", "",
    "A case is one YAML file. Numbers may have a unit (`1 ms`, `0.2 g`, `30 GPa`, `5 t`); without a unit they are in "
    "SI units (m, kg, s, N, rad). `include: file.yaml` in a mapping adds the keys of that file; keys of the mapping "
    "itself take precedence. Relative file names refer to the folder of the file that contains them. An unknown key "
    "is an error.",
    KEYS(TEXT("title", false, "name of the file", "title of the case, for reports and plots"),
         FORM("set", false, "{path: value}", "none",
              "replaces values of this case and of its included files; paths are as in `--set`, e.g. "
              "`model.damping`"),
         FORM("time", true, "mapping (help time)", NULL, "time step and duration"),
         FORM("method", false, "name, or {name: {parameters}} (help method)", "lsrt2", "integration method"),
         FORM("ground", false, "mapping, or a list of them (help ground)", "none",
              "acceleration of the ground; displacements are then relative to the ground"),
         FORM("model", false, "mapping (help model)", NULL, "structure in one model; alternative: substructures"),
         FORM("substructures", false, "{name: substructure} (help substructures)", NULL,
              "structure in several substructures, each with its own model, method and step"),
         FORM("cut", false, "mapping (help cut)", "the model is not divided",
              "division of the model into substructures"),
         FORM("joints", false, "list (help joints)", "none; `cut` adds its own",
              "equal displacements of dofs of different substructures"),
         FORM("coupling", false, "name, or {name: {settings}} (help coupling)", "staggered",
              "coupling method of the substructures"),
         FORM("loads", false, "list (help loads)", "none", "forces on dofs"),
         FORM("initial", false, "mapping (help initial)", "at rest", "initial displacements and velocities"),
         FORM("specimen", false, "list (help specimen)", "none",
              "physical substructures: their force is measured instead of computed"),
         FORM("protocol", false, "list (help protocol)", "none; a structure moves the specimens",
              "prescribed displacements of the specimens instead of a structure"),
         FORM("test", false, "mapping (help test)", "none; only `interfield run` is possible",
              "rig, time scale, states and tolerances of a hybrid test"),
         FORM("master", false, "{opensees: {...}} (help opensees)", "none; this program computes the structure",
              "program that computes the structure instead of this one, for `interfield serve`"),
         FORM("force-control", false, "list (help force-control)", "none",
              "actuators with prescribed force, such as gravity loads"),
         FORM("drives", false, "list (help drives)", "one actuator per specimen",
              "groups of actuators that together move specimens"),
         FORM("channels", false, "{name: channel} (help channels)", "the rig uses m and N",
              "I/O channels of the hardware: calibration, range, tare"),
         FORM("identify", false, "mapping, or a list of them (help identify)", "none",
              "identification of specimens during the test, and updates of their copies in the model"),
         FORM("record", false, "'all', or a list (help record)",
              "all up to 50 dofs; above, no velocities and accelerations", "recorded quantities"),
         FORM("output", false, "mapping (help output)", "result.h5 and summary.json", "further result files"),
         FORM("publication", false, "mapping (help publication)", "none",
              "authors, licence and keywords for a data repository"))};

const ifd__section ifd__section_time = {
    "time", "time: step and duration", "time",
    "In a structure with substructures, `step` is the interval between two synchronisations (help substructures).",
    KEYS(NUMBER("step", TIME, 1e-7, 1e3, "time step of the method"),
         WITHIN("end", TIME, 1e-6, 1e7, 0, "required; with `protocol` the end of its longest signal",
                "end of the run, which starts at 0; rounded to whole steps"),
         WITHIN("record-every", NONE, 1, 1e9, 1, NULL, "steps (in a test: ticks) from one recorded row to the next"),
         WITHIN("threads", NONE, 1, 64, 1, NULL,
                "threads that share each solution of a large model (from about 3,000 dofs of a frame in space), at "
                "most one for each core; results do not depend on this number"))};

const ifd__section ifd__section_method = {
    "method", "method: integration method", "method",
    "`lsrt2` suits most runs and tests; docs/reference/methods.md compares the methods.", NO_KEYS};

static const double MOST_STEPS = 1e9;

/* More threads than cores would wait for each other. */
static void read_threads(ifd__reader *r, const ifd__fields *f)
{
    int asked = ifd__field_whole(r, f, "threads", ""), cores = ifd__team_cores();
    ifd__arena_keeps(r->arena)->sharing = asked < cores ? asked : cores;
    if (asked > cores)
        ifd_note_remark(r->note, &ifd__field(f, "threads")->place,
                        "'threads' is %d; %d are used, one for each core that the program may use", asked, cores);
}

static void read_time(ifd__reader *r, const ifd__node *node)
{
    ifd__fields f;
    if (!node)
        return;
    int before = r->note->errors;
    ifd__fields_read(r, node, &ifd__section_time, "time", &f);
    const ifd_value *step = ifd__field(&f, "step"), *end = ifd__field(&f, "end");
    if (!end->given && node->kind == IFD__MAPPING && !ifd__yaml_get(r->doc.root, "protocol"))
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->place,
                     "time needs 'end' (end of the run, which starts at 0; rounded to whole steps)");
    if (r->note->errors != before)
        return;
    if (end->given && end->number < step->number)
        ifd_note_add(r->note, IFD_RANGE, &end->place, "'end' is %g s, expected a time after the first step of %g s",
                     end->number, step->number);
    else if (end->number / step->number > MOST_STEPS)
        ifd_note_add(r->note, IFD_TOO_LARGE, &step->place, "the run has %.3g steps, at most %.0e are possible",
                     end->number / step->number, MOST_STEPS);
    r->c->run.every = ifd__field_whole(r, &f, "record-every", "");
    read_threads(r, &f);
    r->step = step->number;
    r->c->run.end = end->number;
}

bool ifd__read_method(ifd__reader *r, const ifd__node *node, const char *fallback, ifd_step_options *opt)
{
    const char *name = fallback;
    const ifd__node *settings = NULL;
    ifd_place place = {0};
    if (node && ifd__yaml_choice(node, &name, &place, &settings, r->note) != IFD_OK)
        return false;
    const ifd_method *method = ifd_method_find(name);
    if (!method)
        return ifd__unknown_choice(r, "method", name, &place, ifd__names_of(r->arena, "methods"));
    ifd_step_options_defaults(method, r->step, opt);
    const ifd__settings ask = {.map = settings, .params = method->params, .any = IFD_DIM_NONE, .place = place};
    return !settings || ifd__row_settings(r, "method", name, ask, opt->value);
}

static bool ready_parts(const ifd__structure *st)
{
    for (int p = 0; p < st->parts; p++)
        if (!st->part[p].m.b)
            return false;
    return true;
}

/* The structure: one model, a divided model, or substructures with separate models. */
static void read_structure(ifd__reader *r, ifd__structure *st, const ifd__fields *top)
{
    if (ifd__part(top, "master")) {
        ifd__read_master(r, st, top);
        return;
    }
    const ifd__node *protocol = ifd__part(top, "protocol");
    if (protocol) {
        ifd__model_begin(r, st->ground, ifd__protocol_model(r, protocol), -1, &st->whole);
        ifd__read_moving(&st->whole, NULL, NULL);
        return;
    }
    bool given = ifd__part(top, "substructures") != NULL, cut = ifd__part(top, "cut") != NULL;
    const char *const only[] = {"joints", "coupling"};
    ifd__read_ground(r, st, ifd__part(top, "ground"));
    if (!ifd__model_begin(r, st->ground, ifd__part(top, "model"), -1, &st->whole))
        return;
    int errors = r->note->errors;
    bool adapter = ifd__read_adapter(r, top);
    if (given || cut)
        ifd__read_coupling(r, st, adapter ? NULL : ifd__part(top, "coupling"));
    for (int i = 0; i < (adapter ? 1 : 2) && !given && !cut; i++)
        if (ifd__part(top, only[i]))
            ifd_note_add(r->note, IFD_CONFLICT, &ifd__part(top, only[i])->key_place,
                         "'%s' requires substructures: expected 'substructures' or 'cut'", only[i]);
    if (st->fmus) {
        ifd__read_fmu_parts(r, st, top);
        return;
    }
    if (given)
        ifd__read_substructures(r, st, top);
    else {
        if (!st->whole.node)
            ifd_note_add(r->note, IFD_MISSING_KEY, &r->doc.root->place,
                         "the case has no structure: expected 'model', 'substructures' or 'protocol'");
        ifd__read_moving(&st->whole, ifd__part(top, "loads"), ifd__part(top, "initial"));
        r->c->drift = st->whole.drift;
        r->c->piece = st->whole.piece;
    }
    if (cut && !given)
        ifd__read_cut(r, st, top);
    if (ready_parts(st)) {
        ifd__read_joints(r, st, ifd__part(top, "joints"));
        ifd__read_links(r, st, top);
    }
    st->right = (!given && !cut) || r->note->errors == errors;
}

static void read_everything(ifd__reader *r, ifd__structure *st, ifd__lab *lab)
{
    ifd__fields f;
    ifd__fields_read(r, r->doc.root, &ifd__section_case, "the case", &f);
    if (r->doc.root->kind != IFD__MAPPING)
        return;
    const ifd_value *title = ifd__field(&f, "title");
    const ifd__node *specimens = ifd__part(&f, "specimen"), *protocol = ifd__part(&f, "protocol");
    if (protocol)
        specimens = ifd__protocol_specimens(r, specimens);
    r->c->title = title->given && title->word ? title->word : r->c->path;
    int errors = r->note->errors;
    read_time(r, ifd__part(&f, "time"));
    ifd__read_method(r, ifd__part(&f, "method"), "lsrt2", &r->c->run.step);
    bool stepped = r->note->errors == errors && r->step > 0.0;
    ifd__read_scale(r, &f);
    read_structure(r, st, &f);
    if (ready_parts(st) && !st->fmus) {
        errors = r->note->errors;
        ifd__read_specimens(r, st, lab, specimens);
        st->right = st->right && stepped;
        lab->right = r->note->errors == errors;
        ifd__read_test(r, st, lab, ifd__part(&f, "test"), specimens);
        ifd__read_hardware(r, &f);
        ifd__read_identify(r, st, ifd__part(&f, "identify"));
        ifd__read_loads_of(r);
        ifd__read_master_test(r, st);
        if (protocol)
            ifd__read_protocol(r, st, protocol);
        else
            ifd__read_record(r, st, ifd__part(&f, "record"));
    }
    ifd__read_output(r, ifd__part(&f, "output"));
    ifd__read_publication(r, ifd__part(&f, "publication"));
}

/* The text of the file, followed by the overrides. */
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

static bool stands_before(const ifd_finding *a, const ifd_finding *b)
{
    return a->place.file && b->place.file && strcmp(a->place.file, b->place.file) == 0 &&
           a->place.line < b->place.line;
}

/* Sorts the findings after `before` (NULL: all) by line within each file. */
static void sort_findings(ifd_note *note, ifd_finding *before)
{
    ifd_finding **first = before ? &before->next : &note->first, *rest = *first;
    *first = NULL;
    while (rest) {
        ifd_finding *f = rest, **at = first;
        rest = rest->next;
        while (*at && !stands_before(f, *at))
            at = &(*at)->next;
        f->next = *at;
        *at = f;
        note->last = f->next ? note->last : f;
    }
}

static ifd_status first_code(const ifd_note *note)
{
    return note->errors == 0 ? IFD_OK : note->first ? note->first->code : IFD_NO_MEMORY;
}

/* From the document, which is read unless it is given. */
static ifd_status read_case(ifd__reader *r, const char *path, int count, const char *const *sets)
{
    ifd__structure structure = {0};
    ifd__lab lab = {0};
    r->c->path = ifd_arena_text(r->arena, path);
    IFD__HAVE(r->c->path);
    ifd_finding *before = r->note->last;
    if (!r->doc.root)
        IFD_TRY(ifd__yaml_read_from(r->doc.bundle, r->arena, path, &r->doc, r->note));
    const ifd__node *set = ifd__yaml_items(ifd__yaml_get(r->doc.root, "set"), IFD__MAPPING, r->note);
    for (; set; set = set->next) /* values of an included case are replaced */
        ifd__yaml_set_node(&r->doc, set, r->note);
    for (int i = 0; i < count; i++)
        ifd__yaml_set(&r->doc, sets[i], r->note);
    r->c->text = whole_text(r, count, sets);
    IFD__HAVE(r->c->text);
    read_everything(r, &structure, &lab);
    r->c->run.drift = r->c->drift;
    ifd__record_frames(r);
    if (!r->incomplete)
        ifd__make_structure(r, &structure, &lab);
    sort_findings(r->note, before);
    ifd__yaml_source_lines(&r->doc, r->note);
    return r->note->errors == 0 && r->incomplete ? IFD_UNLOADED : first_code(r->note);
}

/* Remarks of reading are stored with the case for its result. */
static ifd_status keep_notes(ifd_arena *arena, ifd_case *c, const ifd_finding *first)
{
    int count = 0;
    for (const ifd_finding *f = first; f; f = f->next)
        count++;
    const char **text;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(text, count)));
    for (const ifd_finding *f = first; f; f = f->next)
        text[c->setup_notes++] = ifd_arena_text(arena, f->text);
    c->setup_note = text;
    return IFD_OK;
}

static ifd_status read_with(ifd__reader *r, const char *path, ifd_case **out)
{
    ifd_arena *arena = r->arena;
    ifd__bundle *bundle = r->doc.bundle;
    ifd_note own;
    if (!r->note) {
        ifd_note_init(&own, arena);
        r->note = &own;
    }
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(r->c, 1)));
    r->c->bundle = bundle;
    const ifd_finding *before = r->note->remark_last;
    ifd_status status = read_case(r, path, bundle->sets, bundle->set);
    bool good = status == IFD_OK || status == IFD_UNLOADED;
    ifd__yaml *doc = good ? ifd_arena_take(arena, sizeof *doc) : NULL;
    if (!doc)
        return good ? IFD_NO_MEMORY : status;
    *doc = r->doc;
    r->c->doc = doc;
    *out = r->c;
    ifd_status kept = keep_notes(arena, r->c, before ? before->next : r->note->remark_first);
    return kept == IFD_OK ? status : kept;
}

/* source: path, code and rank. */
static ifd_status read_bundle(ifd_arena *arena, const ifd_case_source *source, ifd__bundle *bundle, ifd_case **out,
                              ifd_note *note)
{
    ifd__reader r = {.arena = arena,
                     .note = note,
                     .doc.bundle = bundle,
                     .code = &source->code,
                     .rank = source->rank,
                     .ranks = source->ranks};
    return read_with(&r, source->path, out);
}

ifd_status ifd__case_read_again(ifd_arena *arena, const ifd__yaml *doc, ifd__bundle *bundle, const char *path,
                                ifd_case **out, ifd_note *note)
{
    static const ifd_case_code all = {.load = true}, none = {.load = false};
    ifd__reader r = {.arena = arena, .note = note, .doc = *doc, .code = bundle->unloaded ? &none : &all};
    r.doc.arena = arena;
    r.doc.pool = NULL;
    r.doc.nodes = 0;
    r.doc.bundle = bundle;
    r.doc.root = ifd__node_copy(&r.doc, doc->root, 0);
    return r.doc.root ? read_with(&r, path, out) : IFD_NO_MEMORY;
}

/* A bundle with only the overrides; NULL: out of memory. */
static ifd__bundle *empty_bundle(ifd_arena *arena, int count, const char *const *sets)
{
    ifd__bundle *bundle;
    const char **set;
    if (IFD__TAKE(arena, IFD__ARRAY(bundle, 1), IFD__ARRAY(set, count)) != IFD_OK)
        return NULL;
    for (int i = 0; i < count; i++) {
        set[i] = ifd_arena_text(arena, sets[i]);
        if (!set[i])
            return NULL;
    }
    bundle->sets = count;
    bundle->set = set;
    return bundle;
}

ifd_status ifd_case_read_source(ifd_arena *arena, const ifd_case_source *source, ifd_case **out, ifd_note *note)
{
    ifd__bundle *bundle = empty_bundle(arena, source->sets, source->set);
    if (!bundle || (source->text && !ifd__bundle_put(bundle, arena, source->path, source->text)))
        return IFD_NO_MEMORY;
    return read_bundle(arena, source, bundle, out, note);
}

ifd_status ifd_case_read(ifd_arena *arena, const char *path, int count, const char *const *sets, ifd_case **out,
                         ifd_note *note)
{
    return ifd_case_read_source(arena, &(ifd_case_source){.path = path, .sets = count, .set = sets}, out, note);
}

const char *ifd_case_bundle(ifd_arena *arena, const ifd_case *c, size_t *length)
{
    return ifd__bundle_make(arena, c->bundle, length);
}

ifd_status ifd_case_read_bundle(ifd_arena *arena, const char *bundle, size_t length, ifd_case **out, ifd_note *note)
{
    return ifd_case_read_bundle_as(arena, bundle, length, NULL, out, note);
}

ifd_status ifd_case_read_bundle_as(ifd_arena *arena, const char *packed, size_t length, const ifd_case_code *code,
                                   ifd_case **out, ifd_note *note)
{
    ifd__bundle *bundle;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(bundle, 1)));
    IFD_TRY(ifd__bundle_open(arena, packed, length, bundle, note));
    ifd_case_source source = {.path = bundle->first->file.path};
    if (code)
        source.code = *code;
    return read_bundle(arena, &source, bundle, out, note);
}

void ifd_case_quote(const ifd_case *c, ifd_note *note)
{
    ifd__yaml_source_lines(c->doc, note);
}
