/* SPDX-License-Identifier: MIT */
/* Finds the pages of the documentation. */
#include "manual/pages.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 400 };

const char *pages_folder(void)
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

const char *page_title(ifd_arena *arena, const char *path)
{
    char line[LINE];
    const char *title = "";
    FILE *page = fopen(path, "r");
    while (page && title && !*title && fgets(line, sizeof line, page))
        if (strncmp(line, "# ", 2) == 0)
            title = ifd_arena_text_n(arena, line + 2, strcspn(line + 2, "\n"));
    if (page)
        fclose(page);
    return title;
}

bool pages_walk(const char *folder, each_page *each, void *data)
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

const char *page_find(ifd_arena *arena, const char *folder, const char *name)
{
    if (!name || strchr(name, '/'))
        return NULL;
    if (strcmp(name, "index") == 0)
        return name;
    for (const char *const *group = groups; *group; group++) {
        const char *path = ifd_arena_print(arena, "%s/%s/%s.md", folder, *group, name);
        if (path && access(path, R_OK) == 0)
            return ifd_arena_print(arena, "%s/%s", *group, name);
    }
    return NULL;
}
