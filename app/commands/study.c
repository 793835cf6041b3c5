/* SPDX-License-Identifier: MIT */
/* interfield study: many variants of a case on all cores, with one result. */
#include "outcome.h"
#include "working.h"
#include "report/study_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/study_carrier.h>
#include <interfield/version.h>

typedef struct session {
    app *a;
    ifd_study *study;
    ifd_study_store *store;
    const char *folder;
    long before; /* members that were finished before */
    uint64_t began, shown;
    long tenths; /* of the members, as last printed without a bar */
    status_line line;
} session;

/* "2 h 05 min", "3 min 20 s", "12 s" */
static readable duration(double seconds)
{
    readable r;
    long s = (long)ceil(seconds);
    if (s >= 3600)
        snprintf(r.text, sizeof r.text, "%ld h %02ld min", s / 3600, s / 60 % 60);
    else if (s >= 60)
        snprintf(r.text, sizeof r.text, "%ld min %02ld s", s / 60, s % 60);
    else
        snprintf(r.text, sizeof r.text, "%ld s", s);
    return r;
}

static void show(session *s, uint64_t now)
{
    long done = ifd_study_count(s->store), all = ifd_study_expected(s->store);
    double share = all > 0 ? (double)done / (double)all : 1, spent = 1e-9 * (double)(now - s->began);
    long own = done - s->before;
    status_line_put(&s->line, "[%s]  %ld of %ld members%s%s", status_line_bar(share, 36).text, done, all,
                    own > 0 ? "   left " : "",
                    own > 0 ? duration(spent * (double)(all - done) / (double)own).text : "");
}

/* Under mpirun, without a terminal: a line for every tenth, and for every minute. */
static void tell_progress(session *s, uint64_t now)
{
    const uint64_t between = UINT64_C(60000000000); /* ns */
    long done = ifd_study_count(s->store), all = ifd_study_expected(s->store), own = done - s->before;
    if (own <= 0 || all <= 0 || done >= all || (10 * done / all == s->tenths && now - s->shown < between))
        return;
    app_say(s->a, "progress", "%ld of %ld members, left %s", done, all,
            duration(1e-9 * (double)(now - s->began) * (double)(all - done) / (double)own).text);
    s->tenths = 10 * done / all;
    s->shown = now;
}

static bool watch(void *self, const ifd_study_store *store)
{
    session *s = self;
    uint64_t now = clock_now();
    (void)store;
    if (s->a->together && !s->line.terminal)
        tell_progress(s, now);
    else if (status_line_due(&s->line, now))
        show(s, now);
    return app_stop_asked != 0;
}

/* "3/10" */
static bool read_shard(app *a, ifd_study_shard *out)
{
    const char *text = app_value(a, "--shard");
    char *end = NULL;
    *out = (ifd_study_shard){1, 1};
    if (!text)
        return true;
    long index = strtol(text, &end, 10), count = *end == '/' ? strtol(end + 1, &end, 10) : 0;
    if (*end || index < 1 || count < 1 || index > count || count > 1000000)
        return app_reject(a, "--shard %s: expected i/N with 1 <= i <= N, e.g. --shard 3/10", text);
    *out = (ifd_study_shard){(int)index, (int)count};
    return true;
}

/* runs/NAME, with the shard: the same command finds it again. */
static const char *choose_folder(app *a, const ifd_study_shard *shard)
{
    const char *given = app_value(a, "--out"), *word = a->word[0], *slash = strrchr(word, '/');
    const char *name = slash ? slash + 1 : word, *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    if (given)
        return given;
    return shard->count > 1
               ? ifd_arena_print(a->arena, "runs/%.*s-shard-%d-of-%d", length, name, shard->index, shard->count)
               : ifd_arena_print(a->arena, "runs/%.*s", length, name);
}

static const char *outcomes_text(app *a, const long ended[IFD_STUDY_OUTCOME_COUNT])
{
    const char *text = "";
    for (int i = 0; i < IFD_STUDY_OUTCOME_COUNT && text; i++)
        if (ended[i] || i == 0)
            text = ifd_arena_print(a->books, "%s%s%ld %s", text, *text ? ", " : "", ended[i],
                                   ifd_study_outcome_name((ifd_study_outcome)i));
    return text ? text : "";
}

/* Completed members with a caution; that with the smallest number in `of`: they end in any order. */
static long with_caution(const ifd_study_store *store, const ifd_study_result **of)
{
    long count = 0;
    for (long i = 0; i < ifd_study_count(store); i++) {
        const ifd_study_result *r = ifd_study_at(store, i);
        bool any = r->outcome == IFD_STUDY_COMPLETED && *r->reason;
        *of = any && (!*of || r->number < (*of)->number) ? r : *of;
        count += any;
    }
    return count;
}

static void put_outcomes(ifd_json *j, const long ended[IFD_STUDY_OUTCOME_COUNT])
{
    ifd_json_object(j, "outcomes");
    for (int i = 0; i < IFD_STUDY_OUTCOME_COUNT; i++)
        ifd_json_integer(j, ifd_study_outcome_name((ifd_study_outcome)i), ended[i]);
    ifd_json_end(j);
}

/* The first member that did not complete, as an example. */
static void say_failure(const session *s)
{
    for (long i = 0; i < ifd_study_count(s->store); i++) {
        const ifd_study_result *r = ifd_study_at(s->store, i);
        if (r->outcome == IFD_STUDY_COMPLETED)
            continue;
        app_say(s->a, ifd_study_outcome_name(r->outcome), "for example member %ld: %s", r->number, r->reason);
        return;
    }
}

/* Without a single result the study has failed. */
static int exit_of(session *s, const long ended[IFD_STUDY_OUTCOME_COUNT], bool stopped)
{
    long none = ended[IFD_STUDY_REFUSED] + ended[IFD_STUDY_CRASHED];
    if (stopped)
        return outcome_exit(OUTCOME_ABORTED);
    if (none == 0 || none < ifd_study_count(s->store))
        return outcome_exit(OUTCOME_COMPLETED);
    app_complain(s->a, "no member could be computed; correct the study and begin again with --force");
    return EXIT_RUN_FAILED;
}

static int conclude(session *s, bool stopped)
{
    app *a = s->a;
    long ended[IFD_STUDY_OUTCOME_COUNT] = {0}, done = ifd_study_count(s->store), all = ifd_study_expected(s->store);
    double wall = 1e-9 * (double)(clock_now() - s->began);
    for (long i = 0; i < ifd_study_count(s->store); i++)
        ended[ifd_study_at(s->store, i)->outcome]++;
    app_say(a, "members", "%s%s%s; %s", thousands(done).text, stopped ? " of " : "",
            stopped ? thousands(all).text : "", outcomes_text(a, ended));
    app_say(a, "time", "%s for %s members", quantity(wall, "s").text, thousands(done - s->before).text);
    say_failure(s);
    const ifd_study_result *r = NULL;
    long cautions = with_caution(s->store, &r);
    if (cautions) /* also with --quiet: these members are counted as completed */
        app_complain(a, "%ld of the completed members have a caution (column 'caution'), for example member %ld: %s",
                     cautions, r->number, r->reason);
    app_say(a, "files", "%s/  study.h5  study.csv  answer.json  study.journal", s->folder);
    const ifd_json_node *answer = app_talks(a) ? study_answer_find(a, s->folder) : NULL;
    if (answer)
        study_answer_print(answer);
    if (a->json) {
        ifd_json j = app_json(a);
        IFD_JSON_PUT(&j, IFD_JSON("folder", s->folder), IFD_JSON("members", all), IFD_JSON("finished", done),
                     IFD_JSON("computed", done - s->before), IFD_JSON("wall", wall));
        put_outcomes(&j, ended);
        ifd_json_integer(&j, "with_caution", cautions);
        return app_put_json(a, &j, exit_of(s, ended, stopped));
    }
    return exit_of(s, ended, stopped);
}

static int read_study(app *a, const char *path, ifd_study **out)
{
    for (const char *const *in = case_folders(); *in && access(path, R_OK) != 0;
         in++) { /* a file, or a shipped study */
        const char *shipped = ifd_arena_print(a->arena, "%s/%s.study.yaml", *in, path);
        path = shipped && access(shipped, R_OK) == 0 ? shipped : path;
    }
    const char *sets[MOST_OPTIONS + 1] = {NULL};
    sets[app_values(a, "--set", sets)] = NULL;
    ifd_status status = ifd_study_read(a->arena, path, sets, out, &a->note);
    if (status != IFD_OK)
        return app_fail(a, status);
    app_remarks(a);
    return EXIT_FINE;
}

/* All processes have read the same study, or none continues. */
static int join(app *a, ifd_study *s, int exit_status)
{
    const together *t = a->together;
    bool good = exit_status == EXIT_FINE;
    int who, before = good ? (int)strlen(ifd_version()) + 18 : 0;
    const char *why = a->note.first ? a->note.first->text : "cannot read the study";
    const char *mine = good ? ifd_arena_print(a->arena, "%016lx %s %s", (unsigned long)ifd_study_hash(s),
                                              ifd_version(), ifd_study_kernels(s))
                            : why;
    const char **all = t->tell(t->ranks.self, a->arena, mine ? mine : "");
    for (int r = 1; all && good && r < t->ranks.ranks && exit_status == EXIT_FINE; r++)
        if (strlen(all[r]) < 17 || strspn(all[r], "0123456789abcdef") != 16)
            exit_status = app_refuse(a, "process %d: %s", r, all[r]);
        else if (strncmp(all[r], mine, (size_t)before) != 0)
            exit_status = app_refuse(a,
                                     "process %d reads another study than process 0, or is another version; all "
                                     "machines need the same files",
                                     r);
        else if (ifd_study_kernels_add(s, all[r] + before) != IFD_OK)
            exit_status = app_fail(a, IFD_NO_MEMORY);
    if (good && all && strchr(ifd_study_kernels(s), ' '))
        ifd_note_remark(&a->note, NULL,
                        "processors of several kinds compute (%s); last bits may differ between members",
                        ifd_study_kernels(s));
    return t->agree(t->ranks.self, exit_status, &who);
}

static int open_study(session *s, const ifd_study_shard *shard)
{
    app *a = s->a;
    s->folder = APP_ROOM(a, choose_folder(a, shard));
    static const char *const files[] = {"study.journal", "study.h5", "study.csv", "answer.json", NULL};
    if (app_has(a, "--force"))
        folder_clear(a, s->folder, files);
    APP_TRY(a, ifd_study_store_open(a->books, s->study, s->folder, shard, &s->store, &a->note));
    s->before = ifd_study_count(s->store);
    app_remarks(a);
    app_say(a, "study", "%s", ifd_study_title(s->study));
    if (ifd_study_expected(s->store) > 0)
        app_say(a, "members", "%s%s", thousands(ifd_study_expected(s->store)).text,
                shard->count > 1 ? " in this shard" : "");
    if (s->before)
        app_say(a, "continues", "%s members are finished", thousands(s->before).text);
    return EXIT_FINE;
}

/* Computes and writes the result files. */
static int compute(session *s, const ifd_study_options *o)
{
    app *a = s->a;
    const together *t = a->together;
    ifd_status status =
        t ? t->deal(t->ranks.self, s->store, s->study, o, &a->note) : ifd_study_run(s->store, o, &a->note);
    status_line_end(&s->line);
    if (status != IFD_INTERRUPTED)
        APP_TRY(a, status);
    if (status == IFD_INTERRUPTED)
        app_complain(a, "aborted; the same command continues the study in %s", s->folder);
    APP_TRY(a, ifd_study_store_finish(s->store, &a->note));
    APP_TRY(a, ifd_study_store_answer(s->store, NULL, &a->note));
    return conclude(s, status == IFD_INTERRUPTED);
}

static int run_study(app *a)
{
    session s = {.a = a, .line = status_line_begin(a)};
    together *t = a->together;
    bool leads = !t || t->ranks.rank == 0;
    ifd_study_shard shard;
    int jobs = 0, who;
    if (!read_shard(a, &shard) || !app_integer(a, "--jobs", 1, 4096, &jobs))
        return EXIT_BAD_INPUT;
    int exit_status = read_study(a, a->word[0], &s.study);
    if (t)
        exit_status = join(a, s.study, exit_status);
    if (exit_status == EXIT_FINE && leads)
        exit_status = open_study(&s, &shard);
    if (t)
        exit_status = t->agree(t->ranks.self, exit_status, &who);
    if (exit_status != EXIT_FINE)
        return exit_status;
    const ifd_study_options o = {.jobs = jobs, .unpin = app_has(a, "--unpinned"), .self = &s, .watch = watch};
    if (!leads) {
        APP_TRY(a, t->serve(t->ranks.self, s.study, &o, &a->note));
        return EXIT_FINE;
    }
    app_catch_interrupts();
    s.began = s.shown = clock_now();
    return compute(&s, &o);
}

static int show_status(app *a)
{
    ifd_study_state s;
    APP_TRY(a, ifd_study_status(a->arena, a->word[1], &s, &a->note));
    app_say(a, "study", "%s (%s, version %s)", s.title, s.path, s.version);
    if (s.shard.count > 1)
        app_say(a, "shard", "%d of %d", s.shard.index, s.shard.count);
    app_say(a, "members", "%s of %s finished: %s", thousands(s.finished).text, thousands(s.expected).text,
            outcomes_text(a, s.outcome));
    if (s.finished && s.duration > 0)
        app_say(a, "time", "%s per member; %s of one core remain",
                quantity(s.duration / (double)s.finished, "s").text,
                duration(s.duration / (double)s.finished * (double)(s.expected - s.finished)).text);
    if (!a->json)
        return EXIT_FINE;
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("title", s.title), IFD_JSON("study", s.path), IFD_JSON("version", s.version),
                 IFD_JSON("shard", s.shard.index), IFD_JSON("shards", s.shard.count), IFD_JSON("members", s.expected),
                 IFD_JSON("finished", s.finished), IFD_JSON("core_seconds", s.duration));
    put_outcomes(&j, s.outcome);
    return app_put_json(a, &j, EXIT_FINE);
}

/* Members and answer of merged shards, if the study file is here. */
static void answer_merged(app *a, const char *into)
{
    ifd_study_state state;
    ifd_study *study;
    ifd_study_store *store;
    ifd_note own = {.arena = a->arena};
    const char *sets[MOST_OPTIONS + 1] = {NULL};
    sets[app_values(a, "--set", sets)] = NULL;
    bool good = ifd_study_status(a->arena, into, &state, &own) == IFD_OK;
    const char *path = good ? state.path : "STUDY";
    good = good && ifd_study_read_unloaded(a->arena, path, sets, &study, &own) == IFD_OK &&
           ifd_study_store_open(a->books, study, into, NULL, &store, &own) == IFD_OK;
    if (good && ifd_study_store_answer(store, NULL, &own) == IFD_OK)
        app_say(a, "members", "%s of %s", thousands(ifd_study_count(store)).text,
                thousands(ifd_study_expected(store)).text);
    else
        app_say(a, "answer", "none, because %s: interfield study %s --out %s",
                own.first && own.first->code == IFD_UNLOADED
                    ? "the case has native code, which 'study merge' does not load"
                    : "the study file of the shards is not here",
                path, into);
}

static int merge(app *a)
{
    const char *into = app_value(a, "--out");
    if (!into)
        return app_refuse(a, "'study merge' needs a folder for the result: --out DIR");
    APP_TRY(a, ifd_study_merge(a->arena, a->words - 1, a->word + 1, into, &a->note));
    answer_merged(a, into);
    return app_put_made(a, "folder", "files", into, EXIT_FINE);
}

static int write_member(app *a)
{
    ifd_study *study;
    char *end;
    double value[IFD_STUDY_VARIABLES];
    long number = strtol(a->word[2], &end, 10);
    int exit_status = read_study(a, a->word[1], &study);
    if (exit_status != EXIT_FINE)
        return exit_status;
    if (*end || !ifd_study_values(study, number, value))
        return app_refuse(a, "there is no member '%s'; members are numbered from 0 to %ld", a->word[2],
                          ifd_study_members(study) - 1);
    const char *path = app_value(a, "--out");
    path = path ? path : ifd_arena_print(a->arena, "member-%ld.yaml", number);
    const char *text = APP_ROOM(a, path ? ifd_study_case(a->arena, study, number, value, path) : NULL);
    FILE *to = fopen(path, "we");
    if (to)
        fputs(text, to);
    return file_written(a, to, path) ? app_put_made(a, "case", "case", path, EXIT_FINE) : EXIT_RUN_FAILED;
}

static int run_command(app *a)
{
    const char *word = a->word[0];
    bool other = strcmp(word, "status") == 0 || strcmp(word, "merge") == 0 || strcmp(word, "write") == 0;
    if (a->together && other)
        return app_refuse(a, "'study %s' is a command of one process: interfield study %s", word, word);
    if (strcmp(word, "status") == 0)
        return a->words == 2 ? show_status(a) : app_refuse(a, "expected: interfield study status DIR");
    if (strcmp(word, "merge") == 0)
        return a->words >= 2 ? merge(a) : app_refuse(a, "expected: interfield study merge DIR... --out DIR");
    if (strcmp(word, "write") == 0)
        return a->words == 3 ? write_member(a) : app_refuse(a, "expected: interfield study write STUDY N");
    return a->words == 1 ? run_study(a) : app_refuse(a, "expected one study file, found '%s' after it", a->word[1]);
}

const command command_study = {
    .name = "study",
    .words = "STUDY [WORD] ...",
    .summary = "compute many variants of a case on all cores",
    .details = "STUDY is a study file or the name of a shipped study: a base case, what varies and what is kept "
               "(docs/guide/studies.md). The folder "
               "receives study.h5 and study.csv with one row per member, and study.journal, from which the same "
               "command continues after any interruption without repeating a member. A member that fails does not "
               "stop the study. 'study status DIR' prints the progress, 'study merge DIR... --out DIR' joins shards, "
               "'study write STUDY N' writes member N as an ordinary case.",
    .options = {{"--out", "DIR", "folder of the study (default: runs/<study>); of 'write' the case file"},
                {"--set", "KEY=VALUE", "set a key of the study file to another value; may be repeated"},
                {"--jobs", "N", "processes (default: one per core); of interfield-mpi for each rank (default: 1)"},
                {"--shard", "I/N",
                 "compute part I of N, e.g. a task of a batch queue; 'study merge' joins the parts"},
                {"--unpinned", NULL, "do not bind processes to cores"},
                {"--force", NULL, "begin again: remove the study in the folder"}},
    .examples = "interfield study oscillator/resonance\n"
                "interfield study strength.yaml --jobs 4\n"
                "interfield study strength.yaml --shard 3/10 --out part-3\n"
                "interfield study merge part-* --out all\n"
                "interfield study write strength.yaml 17",
    .see = "run test compare studies.md study-file.md study-answers.md",
    .run = run_command,
    .code = CODE_RUN,
    .outcomes = OUTCOME_BIT(ABORTED),
    .failed = "a result could not be written, or no member could be computed",
};
