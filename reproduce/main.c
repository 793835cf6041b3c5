/* SPDX-License-Identifier: MIT */
/* interfield-reproduce, started by `interfield reproduce`: selects figures, computes each in its own process, several
 * at a time, and prints the results. */
#include "reproduce.h"
#include "working.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ENTRIES = 128, MOST_JOBS = 64 };

typedef struct session {
    app *a;
    int count;
    const entry *list[MOST_ENTRIES];
    outcome *out; /* shared with the processes */
    pid_t child[MOST_ENTRIES];
    uint64_t began[MOST_ENTRIES];
    const char *folder;
    int done;
} session;

static bool add_entry(session *s, const char *word)
{
    bool all = strcmp(word, "all") == 0, found = false;
    size_t length = strlen(word);
    for (const entry *e = entries; e->id && s->count < MOST_ENTRIES; e++) {
        bool of_paper = length == 3 && strncmp(e->id, word, 3) == 0, twice = false;
        if (!all && !of_paper && strcmp(e->id, word) != 0)
            continue;
        for (int i = 0; i < s->count; i++)
            twice = twice || s->list[i] == e;
        if (!twice)
            s->list[s->count++] = e;
        found = true;
    }
    if (!found) {
        ifd_note_add(&s->a->note, IFD_UNKNOWN_NAME, NULL, "there is no figure '%s'", word);
        const char *ids = "";
        for (const entry *e = entries; e->id; e++)
            ids = names_add(s->a->arena, ids, e->id);
        ifd_choice_hint(&s->a->note, ids, word);
    }
    return found;
}

static int list_entries(app *a)
{
    ifd_json j = app_json(a);
    ifd_json_list(&j, "figures");
    for (const entry *e = entries; e->id; e++) {
        if (!a->json) {
            printf("%-11s %s\n", e->id, e->title);
            continue;
        }
        ifd_json_object(&j, NULL);
        IFD_JSON_PUT(&j, IFD_JSON("id", e->id), IFD_JSON("title", e->title),
                     IFD_JSON("paper", paper_of(e)->citation));
        ifd_json_list(&j, "sentences");
        for (const sentence *r = sentences; r->figures; r++)
            if (sentence_of(r, e->id))
                ifd_json_text(&j, NULL, r->said);
        ifd_json_end(&j);
        ifd_json_end(&j);
    }
    return a->json ? app_put_json(a, &j, EXIT_FINE) : EXIT_FINE;
}

static bool make_folder(const char *path)
{
    char part[1024];
    for (const char *p = path + 1;; p++)
        if (*p == '/' || !*p) {
            snprintf(part, sizeof part, "%.*s", (int)(p - path), path);
            if (mkdir(part, 0777) != 0 && errno != EEXIST)
                return false;
            if (!*p)
                return true;
        }
}

static void write_outcome(scene *s)
{
    ifd_json j = app_json(s->a);
    outcome_put(&j, s->entry, s->out);
    ifd_json_end(&j);
    const char *text = ifd_json_done(&j);
    FILE *f = text ? fopen(scene_print(s, "%s/check.json", s->folder), "w") : NULL;
    if (f)
        fprintf(f, "%s\n", text);
    if (!file_close(f))
        scene_try(s, ifd_note_add(&s->a->note, IFD_OUTPUT, NULL, "check.json could not be written"));
}

/* In the process of its own. */
static void make_entry(session *all, int k)
{
    app own = *all->a;
    scene s = {.entry = all->list[k], .began = clock_now(), .a = &own, .out = &all->out[k]};
    own.arena = ifd_arena_open();
    ifd_note_init(&own.note, own.arena);
    scene_try(&s, own.arena ? IFD_OK : IFD_NO_MEMORY);
    s.records = app_value(&own, "--records");
    s.folder = scene_print(&s, "%s/%s", all->folder, s.entry->id);
    if (!make_folder(s.folder))
        scene_try(&s, ifd_note_add(&own.note, IFD_OUTPUT, NULL, "the folder '%s' cannot be created: %s", s.folder,
                                   strerror(errno)));
    outcome_init(s.out, s.entry->id);
    s.entry->make(&s);
    scene_try(&s, own.note.first ? own.note.first->code : IFD_OK);
    sheets_write(&s);
    plots_draw(&s);
    s.out->state = OUTCOME_DONE;
    write_outcome(&s);
    s.out->seconds = 1e-9 * (double)(clock_now() - s.began);
    ifd_arena_close(own.arena);
}

static bool begin_entry(session *s, int k)
{
    fflush(stdout);
    fflush(stderr);
    s->began[k] = clock_now();
    pid_t parent = getpid();
    s->child[k] = fork();
    if (s->child[k] == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* the figure ends with the command */
        if (getppid() != parent)
            _exit(EXIT_RUN_FAILED);
        make_entry(s, k);
        _exit(EXIT_FINE);
    }
    return s->child[k] > 0;
}

static void say_entry(session *s, int k)
{
    const outcome *o = &s->out[k];
    tally t = tally_of(o);
    if (o->state != OUTCOME_DONE)
        app_complain(s->a, "%s could not be computed: %s", s->list[k]->id, o->error);
    else if (app_talks(s->a))
        printf("[%2d/%d]  %-10s  %-36s %d of %d claims hold with the settings of the paper, %d with a different "
               "setting   %.1f s\n",
               s->done, s->count, s->list[k]->id, verdict_text(verdict_of(o)), t.printed, t.claims, t.otherwise,
               o->seconds);
    fflush(stdout);
}

/* Waits for one process; the entry that ended. */
static int end_entry(session *s)
{
    int status = 0;
    pid_t ended = -1;
    working w;
    char what[80];
    snprintf(what, sizeof what, "%d of %d figures", s->done, s->count);
    working_begin(&w, s->a, what);
    while ((ended = waitpid(-1, &status, 0)) < 0 && errno == EINTR)
        continue;
    working_end(&w);
    for (int k = 0; k < s->count; k++)
        if (s->child[k] == ended) {
            outcome *o = &s->out[k];
            if (o->state == OUTCOME_WAITING) {
                o->state = OUTCOME_FAILED;
                snprintf(o->error, sizeof o->error, "its process ended prematurely (%s %d)",
                         WIFSIGNALED(status) ? "signal" : "exit status",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
            }
            s->done++;
            say_entry(s, k);
            return k;
        }
    return -1;
}

static bool go(session *s, int jobs)
{
    int next = 0, running = 0;
    while (next < s->count || running) {
        if (next < s->count && running < jobs) {
            if (!begin_entry(s, next++))
                return false;
            running++;
        } else if (end_entry(s) >= 0)
            running--;
        else
            return false;
    }
    return true;
}

static int count_of(const session *s, verdict v)
{
    int n = 0;
    for (int k = 0; k < s->count; k++)
        n += verdict_of(&s->out[k]) == v;
    return n;
}

static int put_outcomes(const session *s, int exit_status)
{
    ifd_json j = app_json(s->a);
    IFD_JSON_PUT(&j, IFD_JSON("reproduced", count_of(s, REPRODUCED)),
                 IFD_JSON("reproduced_with_a_different_setting", count_of(s, REPRODUCED_OTHERWISE)),
                 IFD_JSON("not_reproduced", count_of(s, NOT_REPRODUCED)),
                 IFD_JSON("not_made", count_of(s, NOT_MADE)));
    ifd_json_list(&j, "figures");
    for (int k = 0; k < s->count; k++) {
        ifd_json_object(&j, NULL);
        outcome_put(&j, s->list[k], &s->out[k]);
        ifd_json_end(&j);
    }
    return app_put_json(s->a, &j, exit_status);
}

static void say_details(const session *s)
{
    char bound[80];
    const outcome *o = &s->out[0];
    for (int i = 0; i < o->claims; i++) {
        const sentence *r = o->claim[i].row;
        bound_print(bound, sizeof bound, r);
        app_say(s->a, "paper", "\"%s\" (%s)", r->said, r->where);
        app_say(s->a, "found", "%s: %s: %.6g, required %s%s", r->key, r->what, o->claim[i].found, bound,
                holds(r, o->claim[i].found) ? "" : "   FAILS");
        for (int k = 0; k < o->trials; k++)
            if (o->trial[k].claim == i)
                app_say(s->a, "tried", "%s: %.6g%s", o->trial[k].setting, o->trial[k].found,
                        holds(r, o->trial[k].found) ? "" : "   FAILS");
    }
    for (int i = 0; i < o->changes; i++)
        app_say(s->a, "changed", "%s", o->change[i]);
    for (int i = 0; i < o->choices; i++)
        app_say(s->a, "chosen", "%s", o->choice[i]);
    for (int i = 0; i < o->remarks; i++)
        app_say(s->a, "note", "%s", o->remark[i]);
}

static int report(session *s)
{
    app *a = s->a;
    int exit_status = count_of(s, NOT_MADE) ? EXIT_RUN_FAILED : EXIT_FINE;
    const char *board = app_value(a, "--scoreboard");
    if (board)
        APP_TRY(a, board_write(a, board, s->count, s->list, s->out, s->folder));
    if (a->json)
        return put_outcomes(s, exit_status);
    if (s->count == 1 && s->out[0].state == OUTCOME_DONE)
        say_details(s);
    app_say(a, "done", "%d reproduced, %d with a different setting, %d not reproduced, %d not computed",
            count_of(s, REPRODUCED), count_of(s, REPRODUCED_OTHERWISE), count_of(s, NOT_REPRODUCED),
            count_of(s, NOT_MADE));
    app_say(a, "files", "%s/<figure>/  figure.svg  figure.png  figure.gp  check.json  *.csv%s%s", s->folder,
            board ? "   " : "", board ? board : "");
    return exit_status;
}

static int run_command(app *a)
{
    int jobs = 2;
    session *s = APP_ROOM(a, ifd_arena_take(a->arena, sizeof *s));
    if (app_has(a, "--list"))
        return list_entries(a);
    if (!app_integer(a, "--jobs", 1, MOST_JOBS, &jobs))
        return EXIT_BAD_INPUT;
    s->a = a;
    s->folder = app_value(a, "--out") ? app_value(a, "--out") : "runs/reproduce";
    bool good = a->words || add_entry(s, "all");
    for (int i = 0; i < a->words; i++)
        good = add_entry(s, a->word[i]) && good;
    if (!good)
        return app_fail(a, IFD_UNKNOWN_NAME);
    const char *records = app_value(a, "--records");
    struct stat facts;
    if (records && (stat(records, &facts) != 0 || !S_ISDIR(facts.st_mode)))
        return app_refuse(a, "--records needs a folder with ground motions (AT2 or CSV); '%s' is not a folder",
                          records);
    size_t size = (size_t)s->count * sizeof *s->out;
    s->out = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s->out == MAP_FAILED)
        return app_fail(a, IFD_NO_MEMORY);
    int exit_status = EXIT_RUN_FAILED;
    if (go(s, jobs))
        exit_status = report(s);
    else
        app_complain(a, "no process could be started: %s", strerror(errno));
    munmap(s->out, size);
    return exit_status;
}

/* The command of `interfield`, executed in this program. */
static int dispatch(app *a, int argc, char **argv)
{
    command own = command_reproduce;
    own.run = run_command;
    a->command = &own;
    int exit_status = app_execute(a, argc - 1, argv + 1);
    a->command = &command_reproduce;
    return exit_status;
}

int main(int argc, char **argv)
{
    return app_main(argc, argv, dispatch);
}
