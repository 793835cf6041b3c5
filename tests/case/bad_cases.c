/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "case/bad_cases.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static void read_head(bad_case *c)
{
    FILE *in = fopen(c->path, "r");
    char line[400];
    assert_non_null(in);
    while (fgets(line, sizeof line, in) && line[0] == '#') {
        line[strcspn(line, "\r\n")] = '\0';
        expectation *e = &c->expect[c->expects];
        int at = 0;
        if (sscanf(line, "# expect: %31s %d %n", e->code, &e->line, &at) == 2 && at > 0) {
            snprintf(e->part, sizeof e->part, "%.190s", line + at);
            c->expects++;
        } else if (strncmp(line, "# set: ", 7) == 0)
            snprintf(c->set[c->sets++], sizeof c->set[0], "%.190s", line + 7);
        assert_true(c->expects < MOST_LINES && c->sets < MOST_LINES);
    }
    fclose(in);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const bad_case *)a)->path, ((const bad_case *)b)->path);
}

bad_case *bad_cases(int *count)
{
    static bad_case c[MOST_FILES];
    if (c[0].path[0]) {
        while (*count < MOST_FILES && c[*count].path[0])
            ++*count;
        return c;
    }
    DIR *dir = opendir(BAD_CASES);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        const char *end = strrchr(e->d_name, '.');
        if (e->d_name[0] == '_' || e->d_name[0] == '.' || !end || strcmp(end, ".yaml") != 0)
            continue;
        assert_true(*count < MOST_FILES - 1);
        snprintf(c[*count].path, sizeof c[*count].path, "%s/%s", BAD_CASES, e->d_name);
        read_head(&c[*count]);
        ++*count;
    }
    closedir(dir);
    qsort(c, (size_t)*count, sizeof *c, by_path);
    return c;
}

/* Paths are said as they were given to the reader; a file announces them as seen from its folder. */
static void cut_folder(const char *text, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    for (char *at; (at = strstr(out, BAD_CASES "/"));)
        memmove(at, at + strlen(BAD_CASES "/"), strlen(at + strlen(BAD_CASES "/")) + 1);
}

bool bad_case_agrees(const expectation *e, const ifd_finding *f)
{
    char text[2000];
    cut_folder(f->text, text, sizeof text);
    return strcmp(ifd_status_name(f->code), e->code) == 0 && f->place.line == e->line &&
           (strstr(text, e->part) || (f->hint && strstr(f->hint, e->part)));
}
