/* SPDX-License-Identifier: MIT */
/* Resolves a case argument to a file: a path, or the name of a shipped case, "shear-pendulum/free" or, for a folder
 * with one case, "oscillator". */
#include "working.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/analysis.h>
#include <interfield/catalogue.h>

#ifndef IFD_CASES_DIR
#define IFD_CASES_DIR "/usr/local/share/interfield/cases"
#endif

const char *const *case_folders(void)
{
    /* The source tree is last, for a program in its build folder. */
    static const char *const folders[] = {"cases", IFD_CASES_DIR,
#ifdef IFD_SOURCE_CASES_DIR
                                          IFD_SOURCE_CASES_DIR,
#endif
                                          NULL};
    return folders;
}

static bool ends_in_yaml(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && dot > name && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

/* All shipped names, joined by '|', for suggestions. */
static const char *known_names(app *a)
{
    const char *names = "";
    for (const char *const *folder = case_folders(); *folder; folder++) {
        int count = 0;
        const ifd_catalogue_row *row = ifd_catalogue_cases(a->arena, *folder, &count);
        for (int i = 0; row && i < count; i++)
            names = names_add(a->arena, names, row[i].name);
        if (row && count)
            break;
    }
    return names;
}

static const char *shipped(app *a, const char *name)
{
    for (const char *const *folder = case_folders(); *folder; folder++)
        for (int k = 0; k < 2; k++) {
            const char *path = k == 0 ? ifd_arena_print(a->arena, "%s/%s.yaml", *folder, name)
                                      : ifd_arena_print(a->arena, "%s/%s/case.yaml", *folder, name);
            if (path && access(path, R_OK) == 0)
                return path;
        }
    return NULL;
}

/* Suggests paths of cases and results that are similar to a wrong one. */

enum { MOST_NAMED = 8 };

static bool is_case(const char *name)
{
    return name[0] != '.' && ends_in_yaml(name) && !strstr(name, ".model.") && !strstr(name, ".study.");
}

/* The case files of a folder, "a.yaml|b.yaml", the first few in alphabetical order; "": none. */
static const char *cases_in(app *a, const char *folder, int *count)
{
    struct dirent **entry;
    int n = scandir(folder, &entry, NULL, alphasort);
    const char *names = "";
    *count = 0;
    for (int i = 0; i < n; i++) {
        if (is_case(entry[i]->d_name) && ++*count <= MOST_NAMED)
            names = names_add(a->arena, names, entry[i]->d_name);
        free(entry[i]);
    }
    if (n >= 0)
        free(entry);
    return names;
}

static const char *listed(app *a, const char *names)
{
    char *text = ifd_arena_text(a->arena, names);
    for (char *p = text; p && *p; p++)
        *p = *p == '|' ? ' ' : *p;
    return text ? text : names;
}

static void hint_cases(app *a, const char *folder, const char *wanted)
{
    char near[128];
    int count;
    const char *names = cases_in(a, folder, &count);
    if (wanted && *names && ifd_choice_nearest(names, wanted, near, sizeof near))
        ifd_note_hint(&a->note, "did you mean '%s'?", near);
    else if (count)
        ifd_note_hint(&a->note, "case files in that folder: %s%s", listed(a, names),
                      count > MOST_NAMED ? " ..." : "");
    else
        ifd_note_hint(&a->note, "that folder contains no case file; shipped cases: interfield list cases");
}

/* Whether `name` can be a case file; otherwise an error that lists the case files of the folder. */
static bool suggest_case(app *a, const char *name)
{
    struct stat facts;
    if (stat(name, &facts) == 0) {
        if (!S_ISDIR(facts.st_mode))
            return true;
        ifd_note_add(&a->note, IFD_FILE, NULL, "'%s' is a folder, expected a case file", name);
        hint_cases(a, name, NULL);
        return false;
    }
    if (errno != ENOENT)
        return true; /* the reader reports errors */
    const char *slash = strrchr(name, '/');
    const char *folder = slash ? ifd_arena_text_n(a->arena, name, (size_t)(slash - name) + (slash == name)) : ".";
    ifd_note_add(&a->note, IFD_FILE, NULL, "the file '%s' does not exist", name);
    if (folder)
        hint_cases(a, folder, slash ? slash + 1 : name);
    return false;
}

const char *case_find(app *a, const char *name)
{
    if (ends_in_yaml(name))
        return suggest_case(a, name) ? name : NULL;
    struct stat facts;
    bool exists = stat(name, &facts) == 0;
    if (exists && !S_ISDIR(facts.st_mode))
        return name; /* the reader reports errors */
    const char *path = shipped(a, name);
    if (path || exists)
        return path || !suggest_case(a, name) ? path : NULL;
    char near[128];
    ifd_note_add(&a->note, IFD_FILE, NULL, "'%s' is neither a case file nor a shipped case", name);
    if (ifd_choice_nearest(known_names(a), name, near, sizeof near))
        ifd_note_hint(&a->note, "did you mean '%s'? (interfield list cases)", near);
    else
        ifd_note_hint(&a->note, "interfield list cases");
    return NULL;
}

static ifd_case *refused(app *a, int exit_status)
{
    a->refused = exit_status;
    return NULL;
}

ifd_case *case_read(app *a)
{
    return case_read_named(a, a->word[0], 0, NULL);
}

ifd_case *case_read_named(app *a, const char *name, int count, const char *const *more)
{
    const char *path = case_find(a, name);
    if (!path)
        return refused(a, app_fail(a, IFD_FILE));
    const char *sets[MOST_OPTIONS];
    ifd_case_source source = {.path = path, .sets = app_values(a, "--set", sets), .set = sets};
    for (int i = 0; i < count && source.sets < MOST_OPTIONS; i++)
        sets[source.sets++] = more[i];
    if (app_value(a, "--key") && !a->command->own_key && source.sets < MOST_OPTIONS) {
        char *full = realpath(app_value(a, "--key"), NULL);
        sets[source.sets++] = ifd_arena_print(a->arena, "test.rig.udp.key=%s", full ? full : app_value(a, "--key"));
        free(full);
    }
    source.code.load = a->command->code == CODE_RUN || app_has(a, "--load");
    if (a->together && a->apart) {
        source.rank = a->together->ranks.rank;
        source.ranks = a->together->ranks.ranks;
    }
    ifd_case *c = NULL;
    ifd_status status = WORK(a, "reading the case", ifd_case_read_source(a->arena, &source, &c, &a->note));
    if (status != IFD_OK && status != IFD_UNLOADED)
        return refused(a, app_fail(a, status));
    if ((status == IFD_UNLOADED || c->unloaded) && !a->command->partial)
        return refused(a, app_refuse(a,
                                     "this case names native code, '%s': 'interfield %s' loads it only with --load "
                                     "(docs/guide/security.md)",
                                     c->unloaded->path, a->command->name));
    if (c->opensees && a->command->computes)
        return refused(a,
                       app_refuse(a,
                                  "OpenSees computes the structure of this case, which 'interfield %s' cannot use; "
                                  "try interfield serve opensees %s --as-fast-as-possible",
                                  a->command->name, name));
    if (c->run.protocol && a->command->computes && strcmp(a->command->name, "run") != 0)
        return refused(a, app_refuse(a,
                                     "this case prescribes the motion of its specimens, but 'interfield %s' needs a "
                                     "structure: 'model' or 'substructures' instead of 'protocol'",
                                     a->command->name));
    if (c->run.external && !a->command->fmu_parts)
        return refused(a, app_refuse(a,
                                     "this case contains %s: 'interfield run' can compute them, but 'interfield %s' "
                                     "needs their models",
                                     c->run.external->summary, a->command->name));
    app_remarks(a);
    return c;
}

ifd_status case_run(app *a, const ifd_case *c, ifd_run **run)
{
    const ifd_finding *before = a->note.remark_last;
    ifd_status status = WORK_SET_UP(a, c, ifd_run_make(a->arena, &c->run, run, &a->note));
    ifd_case_quote(c, &a->note);
    app_remarks_after(a, before);
    return status;
}

int case_parts(const ifd_case *c)
{
    return c->run.couple ? c->run.couple->parts : 1;
}

const ifd_model *case_part(const ifd_case *c, int part)
{
    return c->run.couple ? c->run.couple->part[part].model : c->run.model;
}

const char *case_part_name(const ifd_case *c, int part)
{
    return c->run.couple ? c->run.couple->part[part].name : "model";
}

wording case_model(const ifd_case *c)
{
    int parts = case_parts(c), dofs = 0, elements = 0, states = 0;
    for (int p = 0; p < parts && !c->run.external; p++) {
        dofs += ifd_model_dofs(case_part(c, p));
        states += ifd_model_first_order(case_part(c, p));
        elements += ifd_model_elements(case_part(c, p)) - ifd_model_first_order(case_part(c, p));
    }
    if (c->run.external)
        return phrase("%s", c->run.external->summary);
    if (c->run.protocol)
        return phrase("loading protocol of %d specimen%s", c->run.specimens, plural(c->run.specimens));
    return phrase("%s%d dof%s, %s%d element%s", parts > 1 ? phrase("%d substructures, ", parts).text : "", dofs,
                  plural(dofs), states ? phrase("%d first-order, ", states).text : "", elements, plural(elements));
}

void case_say_title(const app *a, const ifd_case *c)
{
    if (c->title && *c->title)
        app_say(a, "case", "%s", c->title);
}

wording case_method(const ifd_case *c)
{
    if (c->opensees || c->run.external)
        return phrase("%s", c->opensees ? "computed by OpenSees" : "fmu");
    if (c->run.protocol)
        return phrase("prescribed");
    if (!c->run.couple)
        return method_text(&c->run.step);
    wording out = phrase("%s with", c->run.couple->coupling->name);
    for (int p = 0; p < c->run.couple->parts; p++) {
        const ifd_part_options *part = &c->run.couple->part[p];
        text_add(out.text, sizeof out.text, "%s %s%s", p ? "," : "", part->step.method->name,
                 part->subcycles > 1 ? phrase(" / %d", part->subcycles).text : "");
    }
    return out;
}

const ifd_model *case_whole(app *a, ifd_case *c)
{
    ifd_assembly whole;
    if (!c->run.model && c->run.couple && ifd_couple_assemble(a->arena, c->run.couple, &whole, &a->note) == IFD_OK)
        c->run.model = whole.model;
    return c->run.model;
}

ifd_case *case_read_test(app *a, const char *instead)
{
    ifd_case *c = case_read(a);
    const char *more = instead[0] ? "; " : "";
    if (!c || c->test)
        return c;
    return refused(
        a,
        app_refuse(a, "%s: %s%s%s", c->path,
                   c->run.specimens
                       ? "the section 'test', which names the rig, is missing. Add the line 'test: {rig: virtual}' "
                         "(interfield help test)"
                       : "the sections 'specimen' and 'test' are missing; no part of this case is tested on a rig "
                         "(interfield help specimen)",
                   more, instead));
}

void case_remark_resume(app *a, const ifd_case *c)
{
    const ifd_finding *before = a->note.remark_last;
    if (c->test && !ifd_hybrid_may_resume(c->test))
        ifd_note_remark(&a->note, NULL, "this test cannot resume after a hold: %s",
                        ifd_answer_text(IFD_ANSWER_RATE_DEPENDENT));
    app_remarks_after(a, before);
}

ifd_status case_keep_notes(app *a, ifd_case *c)
{
    c->setup_notes = 0;
    for (const ifd_finding *f = a->note.remark_first; f; f = f->next)
        IFD_TRY(case_add_note(a, c, f->text));
    return IFD_OK;
}

ifd_status case_add_note(app *a, ifd_case *c, const char *text)
{
    size_t count = (size_t)c->setup_notes;
    const char **more = ifd_arena_array(a->books, count + 1, sizeof *more);
    const char *copy = ifd_arena_text(a->books, text);
    if (!more || !copy)
        return IFD_NO_MEMORY;
    if (count)
        memcpy(more, c->setup_note, count * sizeof *more);
    more[c->setup_notes++] = copy;
    c->setup_note = more;
    return IFD_OK;
}

/* The newest folder in runs/ with a result; NULL: none. */
static const char *newest(app *a)
{
    DIR *runs = opendir("runs");
    const char *best = NULL;
    struct timespec when = {0};
    for (struct dirent *e; runs && (e = readdir(runs));) {
        struct stat facts;
        const char *path = ifd_arena_print(a->arena, "runs/%s/result.h5", e->d_name);
        if (e->d_name[0] == '.' || !path || stat(path, &facts) != 0)
            continue;
        if (best && (facts.st_mtim.tv_sec < when.tv_sec ||
                     (facts.st_mtim.tv_sec == when.tv_sec && facts.st_mtim.tv_nsec < when.tv_nsec)))
            continue;
        best = ifd_arena_print(a->arena, "runs/%s", e->d_name);
        when = facts.st_mtim;
    }
    if (runs)
        closedir(runs);
    return best;
}

/* The folder of a study that a name without its end means; NULL: none. */
static const char *study_folder(app *a, const char *word)
{
    const char *path = ifd_arena_print(a->arena, "%s.study", word);
    if (path && access(path, R_OK) != 0)
        path = ifd_arena_print(a->arena, "runs/%s.study", word);
    return path && access(path, R_OK) == 0 ? path : NULL;
}

void suggest_result(app *a)
{
    const ifd_finding *last = a->note.first;
    while (last && last->next)
        last = last->next;
    if (!last || last->hint || last->code != IFD_FILE || !a->command || strncmp(a->command->words, "RESULT", 6) != 0)
        return;
    const char *word = a->words ? a->word[0] : "", *there;
    if (is_case(word))
        ifd_note_hint(&a->note, "this is a case; interfield run %s computes its result", word);
    else if ((there = study_folder(a, word)))
        ifd_note_hint(&a->note, "did you mean the study %s?", there);
    else if ((there = newest(a)))
        ifd_note_hint(&a->note, "RESULT is the folder of a run or a test; the newest one here is %s", there);
    else
        ifd_note_hint(&a->note, "RESULT is the folder of a run or a test; interfield run CASE creates one");
}
