/* SPDX-License-Identifier: MIT */
/* interfield docs: the installed pages of the documentation, or those of the source tree. */
#include "app.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef IFD_DOCS_DIR
#define IFD_DOCS_DIR "/usr/local/share/interfield/docs"
#endif

enum { LINE = 400 };

static const char *docs_folder(void)
{
    static const char *const folders[] = {IFD_DOCS_DIR,
#ifdef IFD_SOURCE_DOCS_DIR
                                          IFD_SOURCE_DOCS_DIR,
#endif
                                          NULL};
    for (const char *const *folder = folders; *folder; folder++) {
        char index[LINE];
        snprintf(index, sizeof index, "%s/index.md", *folder);
        if (access(index, R_OK) == 0)
            return *folder;
    }
    return NULL;
}

/* The folders of the pages, in the order of their list. */
static const char *const groups[] = {"start", "guide", "reference", "evidence", "develop", NULL};

static int is_page(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 3 && n < 60 && strcmp(entry->d_name + n - 3, ".md") == 0;
}

/* The first heading. */
static void title_of(const char *path, char title[LINE])
{
    char line[LINE];
    FILE *page = fopen(path, "r");
    *title = '\0';
    while (page && !*title && fgets(line, sizeof line, page))
        if (strncmp(line, "# ", 2) == 0)
            snprintf(title, LINE, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
    if (page)
        fclose(page);
}

typedef void each_page(void *data, const char *group, const char *name, const char *path);

/* Calls `each` for every page; false: a folder cannot be read (errno). */
static bool walk_pages(const char *folder, each_page *each, void *data)
{
    for (const char *const *group = groups; *group; group++) {
        char path[2 * LINE];
        struct dirent **entry = NULL;
        snprintf(path, sizeof path, "%s/%s", folder, *group);
        int count = scandir(path, &entry, is_page, alphasort);
        for (int i = 0; i < count; i++) {
            snprintf(path, sizeof path, "%s/%s/%s", folder, *group, entry[i]->d_name);
            entry[i]->d_name[strlen(entry[i]->d_name) - 3] = '\0';
            each(data, *group, entry[i]->d_name, path);
            free(entry[i]);
        }
        free(entry);
        if (count < 0)
            return false;
    }
    return true;
}

typedef struct list {
    app *a;
    ifd_json *j;
    const char *group, *names;
} list;

static void list_page(void *data, const char *group, const char *name, const char *path)
{
    list *l = data;
    char title[LINE];
    title_of(path, title);
    if (l->a->json) {
        IFD_JSON_OBJECT(l->j, NULL, IFD_JSON("name", name), IFD_JSON("folder", group), IFD_JSON("title", title));
        return;
    }
    if (l->a->quiet)
        return;
    if (group != l->group)
        app_print("%s%s\n", l->group ? "\n" : "", group);
    l->group = group;
    app_print("    %-22s %s\n", name, title);
}

static int list_pages(app *a, const char *folder)
{
    ifd_json j = app_json(a);
    if (a->json) {
        ifd_json_text(&j, "folder", folder);
        ifd_json_list(&j, "pages");
    }
    if (!walk_pages(folder, list_page, &(list){.a = a, .j = &j}))
        return app_give_up(a, "%s cannot be listed: %s", folder, strerror(errno));
    if (a->json)
        return app_put_json(a, &j, EXIT_FINE);
    app_say(a, "folder", "%s · print a page: interfield docs PAGE", folder);
    return EXIT_FINE;
}

static void add_name(void *data, const char *group, const char *name, const char *path)
{
    (void)group, (void)path;
    list *l = data;
    l->names = names_add(l->a->arena, l->names, name);
}

/* "a|b|c", for suggestions. */
static const char *page_names(app *a, const char *folder)
{
    list l = {.a = a, .names = ""};
    (void)walk_pages(folder, add_name, &l);
    return l.names;
}

/* "guide/drives" of "drives"; NULL: no such page. */
static const char *find_page(app *a, const char *folder, const char *name)
{
    if (!name || strchr(name, '/'))
        return NULL;
    if (strcmp(name, "index") == 0)
        return name;
    for (const char *const *group = groups; *group; group++) {
        const char *path = ifd_arena_print(a->arena, "%s/%s/%s.md", folder, *group, name);
        if (path && access(path, R_OK) == 0)
            return ifd_arena_print(a->arena, "%s/%s", *group, name);
    }
    return NULL;
}

static int print_page(app *a, const char *name, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *page = fopen(path, "r");
    if (!page || getdelim(&text, &size, '\0', page) < 0) {
        int cause = errno;
        if (page)
            fclose(page);
        free(text);
        return app_give_up(a, "%s cannot be read: %s", path, strerror(cause));
    }
    fclose(page);
    int exit_status = app_put_help(a, name, text);
    free(text);
    return exit_status;
}

/* Opens the page on the desktop, as HTML if the site is installed. */
static int open_page(app *a, const char *folder, const char *name)
{
    char path[LINE];
    snprintf(path, sizeof path, "%s/html/docs/%s.md.html", folder, name);
    if (access(path, R_OK) != 0)
        snprintf(path, sizeof path, "%s/%s.md", folder, name);
    pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return app_give_up(a, "xdg-open could not open %s; print the page with `interfield docs %s`", path, name);
    return app_put_made(a, "file", "opened", path, EXIT_FINE);
}

static int run_command(app *a)
{
    const char *folder = docs_folder(), *name = a->words ? a->word[0] : "index";
    if (!folder)
        return app_give_up(a, "the documentation is not installed: %s has no index.md", IFD_DOCS_DIR);
    bool opens = app_has(a, "--open");
    if (!a->words && !opens)
        return list_pages(a, folder);
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".md") == 0)
        name = ifd_arena_text_n(a->arena, name, length - 3);
    const char *page = find_page(a, folder, name);
    if (!page)
        return app_refuse_unknown(a, "unknown page", a->words ? a->word[0] : "index", page_names(a, folder),
                                  "interfield docs");
    if (opens)
        return open_page(a, folder, page);
    const char *path = ifd_arena_print(a->arena, "%s/%s.md", folder, page);
    return path ? print_page(a, name, path) : app_give_up(a, "there is not enough memory for the page");
}

const command command_docs = {
    .name = "docs",
    .words = "[PAGE]",
    .summary = "list, print or open the pages of the documentation",
    .details = "Without PAGE: lists all pages by folder, with their titles. With PAGE: prints its text (Markdown).",
    .options = {{"--open", NULL, "open the page in the web browser (xdg-open)"}},
    .examples = "interfield docs\n"
                "interfield docs tutorial",
    .see = "help list",
    .run = run_command,
    .failed = "the documentation is not installed, or the browser could not be opened",
};
