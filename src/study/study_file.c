/* SPDX-License-Identifier: MIT */
/* The study file at its top level. */
#include "study/study.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "text/file.h"
#include "text/yaml.h"

/* `keep` and `histories`: what a member leaves in the result. */

#define IFD__REDUCTION_WORD(name, word, text) word,
const char *const ifd__reduction_words[IFD__REDUCTION_COUNT] = {IFD__REDUCTIONS(IFD__REDUCTION_WORD)};

bool ifd__reduces_ideal(ifd__reduction how)
{
    return how == IFD__REDUCE_ERROR || how == IFD__REDUCE_ERROR_NRMS || how == IFD__REDUCE_ERROR_PEAK;
}

bool ifd__reduces_tracking(ifd__reduction how)
{
    return how == IFD__REDUCE_TRACKING_DELAY || how == IFD__REDUCE_TRACKING_NRMS || how == IFD__REDUCE_TRACKING_PEAK;
}

#define KEEP_KEY(name, word, text) TEXT(word, false, "not kept", text),
const ifd__section ifd__study_section_keep = {
    "keep", "keep: scalars of the result", "keep.*",
    "Each scalar has a column of its name in the result, and one reduction with the name of a recorded column "
    "(docs/reference/results.md), such as `x displacement` or `energy dissipated`. The name of the recorded column "
    "may be a pattern with `*`. The scalar is then the largest value of all matching columns (for `minimum` the "
    "smallest, for `final` and `residual` the one with the largest magnitude). Peaks are taken over the recorded "
    "rows, as in summary.json. The result always contains outcome, reason and simulated time of every member. A "
    "scalar that a member does not have is NaN.",
    (const ifd__key[]){IFD__REDUCTIONS(KEEP_KEY){.form = NULL}}};

static void read_scalar(ifd__reader *r, ifd_study *s, const ifd__node *node)
{
    ifd__fields f;
    int errors = r->note->errors, found = -1;
    ifd__fields_read(r, node, &ifd__study_section_keep, "keep", &f);
    for (int k = 0; k < IFD__REDUCTION_COUNT && r->note->errors == errors; k++) {
        const ifd_value *v = ifd__field(&f, ifd__reduction_words[k]);
        if (!v->given)
            continue;
        if (found >= 0)
            ifd_note_add(r->note, IFD_CONFLICT, &v->place, "'%s' has two reductions, %s and %s: expected one",
                         node->key, ifd__reduction_words[found], ifd__reduction_words[k]);
        found = k;
        s->scalar[s->scalars] = (ifd_study_kept){node->key, ifd__reduction_words[k], v->word, ""};
        s->reduction[s->scalars] = (ifd__reduction)k;
        s->place[s->scalars] = v->place;
    }
    if (found >= 0 && !s->test &&
        (ifd__reduces_ideal((ifd__reduction)found) || ifd__reduces_tracking((ifd__reduction)found)))
        ifd_note_add(r->note, IFD_CONFLICT, &s->place[s->scalars], "'%s' compares a test: it needs 'compute: test'",
                     ifd__reduction_words[found]);
    if (found < 0 && r->note->errors == errors)
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->place, "'%s' needs a reduction, e.g. {peak: x displacement}",
                     node->key);
    s->scalars += found >= 0;
}

static void keep_read(ifd__reader *r, ifd_study *s, const ifd__node *keep, const ifd__node *histories)
{
    const char *const *name = NULL;
    int count = 0;
    if (keep && ifd__yaml_expect(keep, IFD__MAPPING, r->note) == IFD_OK) {
        if (keep->count == 0 || keep->count > IFD__STUDY_KEPT)
            ifd_note_add(r->note, IFD_SHAPE, &keep->place, "'keep' has %d scalars, expected 1 to %d", keep->count,
                         IFD__STUDY_KEPT);
        s->scalar = ifd_arena_array(r->arena, (size_t)keep->count, sizeof *s->scalar);
        s->reduction = ifd_arena_array(r->arena, (size_t)keep->count, sizeof *s->reduction);
        s->place = ifd_arena_array(r->arena, (size_t)keep->count, sizeof *s->place);
        for (const ifd__node *i = keep->first; i && ifd__in_memory(r, s->scalar && s->reduction && s->place);
             i = i->next)
            read_scalar(r, s, i);
    }
    if (!histories || ifd__yaml_names(r->arena, histories, &name, &count, r->note) != IFD_OK)
        return;
    if (count == 0 || count > IFD__STUDY_KEPT)
        ifd_note_add(r->note, IFD_SHAPE, &histories->place, "'histories' has %d columns, expected 1 to %d", count,
                     IFD__STUDY_KEPT);
    s->history = ifd_arena_array(r->arena, (size_t)count, sizeof *s->history);
    for (int i = 0; i < count && ifd__in_memory(r, s->history); i++)
        s->history[s->histories++] = (ifd_study_kept){name[i], NULL, name[i], ""};
}

const ifd__section ifd__study_section_study = {
    "study", "study: the whole file", "",
    "A study is one YAML file: a base case, what varies, and what is kept. Its syntax is that of a case file "
    "(docs/reference/case.md).",
    KEYS(TEXT("title", false, "name of the file", "title of the study"),
         TEXT("case", true, NULL, "base case: a file, relative to the study file"),
         FORM("set", false, "{key: value}", "none", "settings of all members, as with `--set`"),
         {.param = {.name = "compute",
                    .shape = IFD_SHAPE_WORD,
                    .words = "run|test",
                    .doc = "a member is a run, or a test on its virtual rig without a clock"}},
         {.param = {.name = "ensemble",
                    .shape = IFD_SHAPE_FLAG,
                    .doc = "members with equal matrices are stepped together, in groups of eight "
                           "(docs/guide/studies.md)"}},
         FORM("vary", true, "{name: variable} (help vary)", NULL, "what differs between the members"),
         FORM("sample", false, "mapping (help sample)", "required with random variables",
              "how random variables are drawn"),
         FORM("correlation", false, "list (help correlation)", "independent", "correlation of random variables"),
         FORM("keep", true, "{name: {reduction: column}} (help keep)", NULL, "scalars of each member in the result"),
         FORM("analysis", false, "mapping of one analysis (help analysis)", "a summary of the scalars",
              "the question that the study answers"),
         FORM("histories", false, "list of columns, or patterns such as `* displacement`", "none",
              "columns that are stored over time"),
         WITHIN("history-every", NONE, 1, 1e9, 1, NULL, "rows between two stored values of a history"))};

const ifd__section ifd__study_section_sample = {
    "sample", "sample: draws of random variables", "sample",
    "Every random number depends only on seed, sample and variable. If you change the number of members, the members "
    "of a Monte Carlo or Sobol sample do not change; those of a Latin hypercube do. The Sobol sequence uses the "
    "direction numbers of Joe and Kuo, for at most 128 random variables. Its first point is next to the origin of "
    "the unit cube.",
    KEYS({.param = {.name = "method", .shape = IFD_SHAPE_WORD, .words = IFD__SAMPLINGS, .doc = "sampling method"}},
         NUMBER("members", NONE, 1, 1e9, "number of samples; each is combined with every point of the grid"),
         WITHIN("seed", NONE, 0, 9e15, 1, NULL, "seed of the random numbers"),
         {.param = {.name = "scramble",
                    .shape = IFD_SHAPE_FLAG,
                    .doc = "random scrambling (Owen) of the Sobol sequence"},
          .preset = "no"})};

const ifd__section ifd__study_section_correlation = {
    "correlation", "correlation: dependent random variables", "correlation",
    "The coefficient is the correlation of the normal scores (Gaussian copula). For normal variables this is their "
    "correlation, and for lognormal variables the correlation of their logarithms. In a Latin hypercube, the rank "
    "method of Iman and Conover gives exactly this correlation of the scores.",
    KEYS(FORM("between", true, "two names", NULL, "two random variables"),
         NUMBER("value", NONE, -0.999999, 0.999999, "correlation coefficient of their normal scores"))};

/* Settings of all members as texts. */
static void read_sets(ifd__reader *r, ifd_study *s, const ifd__node *node)
{
    if (!node || ifd__yaml_expect(node, IFD__MAPPING, r->note) != IFD_OK)
        return;
    const char **set = ifd_arena_array(r->arena, (size_t)node->count, sizeof *set);
    if (!ifd__in_memory(r, set))
        return;
    for (const ifd__node *i = node->first; i; i = i->next) {
        const char *value = ifd__flow_text(r->arena, i);
        set[s->sets] = value ? ifd_arena_print(r->arena, "%s=%s", i->key, value) : NULL;
        if (!ifd__in_memory(r, set[s->sets]))
            return;
        int errors = r->note->errors;
        const ifd_finding *before = r->note->last;
        ifd__yaml_set(&s->doc, set[s->sets++], r->note);
        for (ifd_finding *f = before ? before->next : r->note->first; f && r->note->errors > errors; f = f->next)
            f->place = i->key_place;
    }
    s->set = set;
}

/* The base case as a document. */
static ifd_status read_base(ifd__reader *r, ifd_study *s, const ifd_value *name)
{
    s->base = ifd__file_relative(r->arena, &name->place, name->word);
    s->bundle = ifd_arena_take(r->arena, sizeof *s->bundle);
    IFD__HAVE(s->base && s->bundle);
    s->bundle->keeper = r->arena;
    ifd__file probe;
    IFD_TRY(ifd__bundle_read(s->bundle, r->arena, s->base, &name->place, &probe, r->note));
    return ifd__yaml_read_from(s->bundle, r->arena, s->base, &s->doc, r->note);
}

static void read_numbers_of_base(ifd__reader *r, const ifd_study *s, ifd__variable *v)
{
    if (v->applied == IFD__AS_VALUE || !s->doc.root)
        return;
    v->base = ifd_arena_array(r->arena, (size_t)v->keys, sizeof *v->base);
    for (int k = 0; k < v->keys && ifd__in_memory(r, v->base); k++)
        if (!ifd__base_read(r->arena, ifd__at_path(s->doc.root, v->key[k]), &v->base[k]))
            ifd_note_add(r->note, IFD_NUMBER, &v->place,
                         "variable '%s' acts on the number at '%s', and the base case has none there", v->shown.name,
                         v->key[k]);
}

/* Every path must exist in the base case, up to its last step: tried on a copy. */
static void try_keys(ifd__reader *r, const ifd_study *s, const ifd__variable *v)
{
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd_note own;
    ifd__yaml doc = s->doc;
    doc.arena = scratch;
    doc.pool = NULL;
    doc.root = scratch && s->doc.root ? ifd__node_copy(&doc, s->doc.root, 0) : NULL;
    ifd_note_init(&own, scratch);
    for (int k = 0; k < v->keys && doc.root; k++) {
        double value = v->items ? ifd__variable_item(v, 0) : 1.0;
        const char *setting =
            v->applied != IFD__AS_VALUE && !v->base ? NULL : ifd__variable_setting(scratch, v, k, value);
        if (setting)
            ifd__yaml_set(&doc, setting, &own);
    }
    for (const ifd_finding *f = own.first; f; f = f->next) {
        ifd_note_add(r->note, f->code, &v->place, "variable '%s': %s", v->shown.name,
                     strncmp(f->text, "--set: ", 7) == 0 ? f->text + 7 : f->text);
        if (f->hint)
            ifd_note_hint(r->note, "%s", f->hint);
    }
}

static void read_variables(ifd__reader *r, ifd_study *s, const ifd__node *node)
{
    if (!node || ifd__yaml_expect(node, IFD__MAPPING, r->note) != IFD_OK)
        return;
    if (node->count == 0 || node->count > IFD_STUDY_VARIABLES) {
        ifd_note_add(r->note, IFD_SHAPE, &node->place, "'vary' has %d variables, expected 1 to %d", node->count,
                     IFD_STUDY_VARIABLES);
        return;
    }
    if (!ifd__in_memory(r, IFD__TAKE(r->arena, IFD__ARRAY(s->variable, node->count),
                                     IFD__ARRAY(s->shown, node->count)) == IFD_OK))
        return;
    for (const ifd__node *i = node->first; i; i = i->next) {
        int errors = r->note->errors;
        ifd__variable *v = &s->variable[s->variables];
        ifd__variable_read(r, i, v);
        if (r->note->errors == errors)
            read_numbers_of_base(r, s, v);
        if (r->note->errors == errors)
            try_keys(r, s, v);
        s->shown[s->variables] = v->shown;
        if (v->number)
            s->shown[s->variables].choices = 0;
        s->variables++;
    }
}

static int random_index(ifd__reader *r, const ifd_study *s, const ifd__node *node)
{
    int i = ifd__variable_named(s, node->text);
    if (i >= 0 && s->variable[i].dimension < 0)
        ifd_note_add(r->note, IFD_CONFLICT, &node->place, "'%s' is not random", node->text);
    if (i >= 0)
        return s->variable[i].dimension;
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, &node->place, "there is no variable '%s'", node->text);
    return -1;
}

static void read_correlation(ifd__reader *r, ifd_study *s, const ifd__node *node)
{
    int D = s->sample.dimensions;
    double *c = node ? ifd_arena_array(r->arena, (size_t)D * (size_t)D, sizeof *c) : NULL;
    if (!node || ifd__yaml_expect(node, IFD__SEQUENCE, r->note) != IFD_OK || !ifd__in_memory(r, c))
        return;
    for (int d = 0; d < D; d++)
        c[d * D + d] = 1.0;
    for (const ifd__node *i = node->first; i; i = i->next) {
        ifd__fields f;
        int errors = r->note->errors;
        ifd__fields_read(r, i, &ifd__study_section_correlation, "correlation", &f);
        const ifd__node *pair = i->kind == IFD__MAPPING ? ifd__part(&f, "between") : NULL;
        if (!pair || r->note->errors != errors)
            continue;
        if (pair->kind != IFD__SEQUENCE || pair->count != 2 || pair->first->kind || pair->first->next->kind) {
            ifd_note_add(r->note, IFD_SHAPE, &pair->place, "'between' must be a list of two names");
            continue;
        }
        int a = random_index(r, s, pair->first), b = random_index(r, s, pair->first->next);
        if (a >= 0 && a == b)
            ifd_note_add(r->note, IFD_CONFLICT, &pair->place, "'between' names the same variable twice");
        if (a >= 0 && b >= 0 && a != b)
            c[a * D + b] = c[b * D + a] = ifd__field(&f, "value")->number;
    }
    s->sample.correlation = D ? c : NULL;
}

static void read_sample(ifd__reader *r, ifd_study *s, const ifd__node *node, const ifd__node *vary)
{
    ifd__fields f;
    const ifd__node *analysis = ifd__yaml_get(r->doc.root, "analysis");
    bool unsampled = analysis && ifd__yaml_get(analysis, "tornado");
    if (!node && s->sample.dimensions && !unsampled)
        ifd_note_add(r->note, IFD_MISSING_KEY, &vary->place,
                     "random variables need 'sample', e.g. sample: {method: latin-hypercube, members: 100, seed: 1}");
    if (node && !s->sample.dimensions && s->variables)
        ifd_note_add(r->note, IFD_CONFLICT, &node->key_place, "'sample' needs a random variable in 'vary'");
    s->sample.members = 1;
    if (!node)
        return;
    int errors = r->note->errors;
    ifd__fields_read(r, node, &ifd__study_section_sample, "sample", &f);
    if (r->note->errors != errors)
        return;
    s->sample.method = (ifd__sampling)ifd__field_word(&f, "method");
    s->sample.members = ifd__field_whole(r, &f, "members", "sample: ");
    double seed = ifd__field(&f, "seed")->number;
    if (seed != floor(seed))
        ifd_note_add(r->note, IFD_RANGE, &ifd__field(&f, "seed")->place, "'seed' is %g, expected a whole number",
                     seed);
    s->sample.seed = (uint64_t)seed;
    s->sample.scramble = ifd__field(&f, "scramble")->number > 0;
}

static void read_all(ifd__reader *r, ifd_study *s)
{
    ifd__fields f;
    ifd__fields_read(r, r->doc.root, &ifd__study_section_study, "the study", &f);
    if (r->doc.root->kind != IFD__MAPPING)
        return;
    const ifd_value *title = ifd__field(&f, "title"), *base = ifd__field(&f, "case");
    const char *slash = strrchr(s->path, '/');
    s->title = title->given && title->word ? title->word : slash ? slash + 1 : s->path;
    s->test = ifd__field_word(&f, "compute") == 1;
    s->ensemble = ifd__field(&f, "ensemble")->number > 0;
    s->every = ifd__field_whole(r, &f, "history-every", "");
    if (base->given && base->word && read_base(r, s, base) != IFD_OK)
        return;
    read_sets(r, s, ifd__part(&f, "set"));
    const ifd__node *vary = ifd__part(&f, "vary");
    int errors = r->note->errors;
    read_variables(r, s, vary);
    for (int i = 0; i < s->variables; i++)
        if (s->variable[i].distribution || s->variable[i].drawn)
            s->variable[i].dimension = s->sample.dimensions++;
    if (r->note->errors == errors) /* otherwise a variable that could not be read may be the random one */
        read_sample(r, s, ifd__part(&f, "sample"), vary);
    read_correlation(r, s, ifd__part(&f, "correlation"));
    keep_read(r, s, ifd__part(&f, "keep"), ifd__part(&f, "histories"));
    if (r->note->errors == errors && s->variables)
        ifd__plan_make(r, s, vary);
    if (r->note->errors == 0 && s->plan)
        ifd__values_check(r, s);
    if (r->note->errors == 0 && s->plan)
        ifd__probe(r, s, ifd__part(&f, "histories"));
    if (r->note->errors == 0 && s->plan)
        ifd__analysis_read(r, s, ifd__part(&f, "analysis"));
}

/* The text of the file with its overrides, and the files of the base case; not their places. */
static uint64_t hash_of(const ifd_study *s, const ifd__bundle *own)
{
    uint64_t h = IFD__HASH_START;
    for (const ifd__source_file *f = own->first; f; f = f->next)
        h = ifd__hash_bytes(h, f->file.text, f->file.length);
    for (int i = 0; i < own->sets; i++)
        h = ifd__hash_bytes(h, own->set[i], strlen(own->set[i]) + 1);
    for (const ifd__source_file *f = s->bundle->first; f; f = f->next)
        h = ifd__hash_bytes(h, f->file.text, f->file.length);
    return h;
}

static ifd_status read_study(ifd_arena *arena, const char *path, const char *const *sets, bool unloaded,
                             ifd_study **out, ifd_note *note)
{
    ifd_study *s;
    ifd__bundle *own;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1), IFD__ARRAY(own, 1)));
    *out = s;
    s->arena = arena;
    s->unloaded = unloaded;
    ifd__reader r = {.arena = arena, .note = note, .doc.bundle = own};
    s->path = ifd_arena_text(arena, path);
    IFD_TRY(ifd__yaml_read_from(own, arena, path, &r.doc, note));
    own->set = sets;
    for (; sets && sets[own->sets]; own->sets++)
        ifd__yaml_set(&r.doc, sets[own->sets], note);
    read_all(&r, s);
    ifd__yaml_source_lines(&r.doc, note);
    if (s->doc.root)
        ifd__yaml_source_lines(&s->doc, note);
    if (note->errors)
        return note->first ? note->first->code : IFD_NO_MEMORY;
    s->text = own->first->file.text;
    s->hash = hash_of(s, own);
    return IFD_OK;
}

ifd_status ifd_study_read(ifd_arena *arena, const char *path, const char *const *sets, ifd_study **out,
                          ifd_note *note)
{
    return read_study(arena, path, sets, false, out, note);
}

ifd_status ifd_study_read_unloaded(ifd_arena *arena, const char *path, const char *const *sets, ifd_study **out,
                                   ifd_note *note)
{
    return read_study(arena, path, sets, true, out, note);
}
