/* SPDX-License-Identifier: MIT */
/* interfield docs: the installed pages of the documentation, or those of the source tree. */
#include "app.h"
#include "manual/pages.h"
#include "manual/search.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXCERPT = 60 }; /* bytes of a line that a search prints */

typedef struct list {
    app *a;
    ifd_json *j;
    const char *group, *names;
} list;

static void list_page(void *data, const char *group, const char *name, const char *path)
{
    list *l = data;
    const char *title = page_title(l->a->arena, path);
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
    if (!pages_walk(folder, list_page, &(list){.a = a, .j = &j}))
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
    (void)pages_walk(folder, add_name, &l);
    return l.names;
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
    char path[PATH_MAX];
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

static void put_places(app *a, const search_page *p, int words, const char *const *word)
{
    app_print("%s  %s\n", p->name, p->title);
    for (int k = 0; k < p->places; k++) {
        const char *text = search_excerpt(a->arena, p->place[k].text, words, word, EXCERPT);
        app_print("    %s\n", p->place[k].heading);
        if (!p->place[k].is_heading && text)
            app_print("        %d  %s\n", p->place[k].line, text);
    }
}

static int put_found(app *a, const search_result *r, int words, const char *const *word)
{
    ifd_json j = app_json(a);
    ifd_json_list(&j, "places");
    for (int i = 0; i < r->pages; i++) {
        const search_page *p = &r->page[i];
        for (int k = 0; k < p->places; k++)
            IFD_JSON_OBJECT(&j, NULL, IFD_JSON("page", p->name), IFD_JSON("folder", p->group),
                            IFD_JSON("title", p->title), IFD_JSON("heading", p->place[k].heading),
                            IFD_JSON("line", p->place[k].line), IFD_JSON("text", p->place[k].text),
                            IFD_JSON("all", p->all));
        if (app_talks(a))
            put_places(a, p, words, word);
    }
    ifd_json_end(&j);
    ifd_json_integer(&j, "pages", r->found);
    if (a->json)
        return app_put_json(a, &j, EXIT_FINE);
    app_say(a, "pages", "%d of %d · print a page: interfield docs PAGE", r->pages, r->found);
    return EXIT_FINE;
}

/* The value of --search and the words after it, each by itself: "lead rubber" are two. */
static int search_all(app *a, const char *folder)
{
    const char *word[MOST_WORDS], *all = app_value(a, "--search");
    int words = 0;
    for (int i = 0; i < a->words && all; i++)
        all = ifd_arena_print(a->arena, "%s %s", all, a->word[i]);
    for (const char *p = all ? all + strspn(all, " ") : ""; *p && words < MOST_WORDS; p += strspn(p, " ")) {
        size_t length = strcspn(p, " ");
        word[words] = ifd_arena_text_n(a->arena, p, length);
        words += word[words] != NULL;
        p += length;
    }
    if (!words)
        return app_refuse(a, "--search needs words");
    search_result *found = ifd_arena_array(a->arena, 1, sizeof *found);
    if (!found || !search_pages(a->arena, folder, words, word, found))
        return app_give_up(a, "%s cannot be searched: %s", folder, strerror(errno ? errno : ENOMEM));
    if (!found->found)
        return app_give_up(a, "no page has '%s'; fewer or shorter words find more", all);
    return put_found(a, found, words, word);
}

static int run_command(app *a)
{
    const char *folder = pages_folder(), *name = a->words ? a->word[0] : "index";
    if (!folder)
        return app_give_up(a, "the documentation is not installed: %s has no index.md", IFD_DOCS_DIR);
    if (app_has(a, "--search"))
        return search_all(a, folder);
    if (a->words > 1)
        return app_refuse(a, "'docs': unexpected argument '%s' (interfield docs --search WORDS)", a->word[1]);
    bool opens = app_has(a, "--open");
    if (!a->words && !opens)
        return list_pages(a, folder);
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".md") == 0)
        name = ifd_arena_text_n(a->arena, name, length - 3);
    const char *page = page_find(a->arena, folder, name);
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
    .words = "[PAGE] ...",
    .summary = "list, search, print or open the pages of the documentation",
    .details = "Without PAGE: lists all pages by folder, with their titles. With PAGE: prints its text (Markdown). "
               "With --search: pages and lines, best first; words of the field that mean the same (interfield help "
               "WORD) find each other.",
    .options = {{"--search", "WORDS", "search the pages"},
                {"--open", NULL, "open the page in the web browser (xdg-open)"}},
    .examples = "interfield docs\n"
                "interfield docs tutorial\n"
                "interfield docs --search lead rubber",
    .see = "help list",
    .run = run_command,
    .failed = "the documentation is not installed, no page has a word, or the browser could not be opened",
};
