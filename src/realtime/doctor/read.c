/* SPDX-License-Identifier: MIT */
/* Files of the machine, or of a folder that replaces it. */
#include "realtime/doctor/doctor.h"

#include "base/os_linux.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 512, SMALL = 4096, LARGE = 1 << 20 };

static void path_print(const ifd__patient *d, char out[PATH], const char *format, va_list args)
{
    int used = snprintf(out, PATH, "%s", d->o->root ? d->o->root : "");
    if (used >= 0 && used < PATH)
        vsnprintf(out + used, (size_t)(PATH - used), format, args);
}

static size_t fill(int file, char *text, size_t room)
{
    size_t used = 0;
    for (ssize_t got = 1; got > 0 && used<room; used += got> 0 ? (size_t)got : 0)
        got = read(file, text + used, room - used);
    return used;
}

static const char *keep(ifd__patient *d, const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\0'))
        length--;
    const char *kept = ifd_arena_text_n(d->arena, text, length);
    d->no_memory = d->no_memory || !kept;
    return kept;
}

const char *ifd__patient_read(ifd__patient *d, const char *format, ...)
{
    char path[PATH], small[SMALL];
    va_list args;
    va_start(args, format);
    path_print(d, path, format, args);
    va_end(args);
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return NULL;
    ssize_t first = read(file, small, sizeof small);
    const char *text = NULL;
    if (first >= 0 && first < (ssize_t)sizeof small && fill(file, small + first, 1) == 0) {
        text = keep(d, small, (size_t)first);
    } else if (first > 0) { /* tables of large machines, such as /proc/interrupts */
        char *large = malloc(LARGE);
        if (large) {
            memcpy(large, small, (size_t)first);
            text = keep(d, large, (size_t)first + fill(file, large + first, LARGE - (size_t)first));
        }
        d->no_memory = d->no_memory || !large;
        free(large);
    }
    close(file);
    return text;
}

const char *ifd__patient_folder(ifd__patient *d, const char *format, ...)
{
    char path[PATH];
    va_list args;
    va_start(args, format);
    path_print(d, path, format, args);
    va_end(args);
    DIR *folder = opendir(path);
    if (!folder)
        return NULL;
    char *text = malloc(LARGE);
    size_t used = 0;
    for (const struct dirent *e; text && (e = readdir(folder)) && used + sizeof e->d_name + 2 < LARGE;)
        if (e->d_name[0] != '.')
            used += (size_t)sprintf(text + used, "%s\n", e->d_name);
    closedir(folder);
    const char *names = text ? keep(d, text, used) : NULL;
    d->no_memory = d->no_memory || !text;
    free(text);
    return names;
}

const char *ifd__patient_probe(ifd__patient *d, const char *name)
{
    char text[SMALL];
    if (d->o->root)
        return ifd__patient_read(d, "/probe/%s", name);
    return ifd__probe_ask(d->o, name, text, sizeof text) ? keep(d, text, strlen(text)) : NULL;
}

const char *ifd__patient_word(ifd__patient *d, const char *words, const char *name)
{
    size_t length = strlen(name);
    for (const char *w = words; w && *w; w += strspn(w, " \n")) {
        size_t end = strcspn(w, " \n");
        if (strncmp(w, name, length) == 0 && w[length] == '=')
            return keep(d, w + length + 1, end - length - 1);
        w += end;
    }
    return NULL;
}

double ifd__patient_number(ifd__patient *d, const char *words, const char *name, double otherwise)
{
    const char *value = ifd__patient_word(d, words, name);
    char *end;
    double number = value ? strtod(value, &end) : otherwise;
    return value && end == value ? otherwise : number;
}

const char *ifd__patient_print(ifd__patient *d, const char *format, ...)
{
    char text[SMALL];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *kept = keep(d, text, strlen(text));
    return kept ? kept : "";
}

bool ifd__patient_listed(const char *list, int core)
{
    while (list && *list && !isdigit((unsigned char)*list)) {
        list += strcspn(list, ",");
        list += *list == ',';
    }
    return list && core >= 0 && ifd__core_listed(list, core);
}

/* "1 systemd\n77 irqbalance\n...", read once. */
static const char *processes(ifd__patient *d)
{
    const char *names = d->processes ? NULL : ifd__patient_folder(d, "/proc");
    char *text = names ? malloc(LARGE) : NULL;
    size_t used = 0;
    for (const char *n = names; text && *n && used + 64 < LARGE; n += strcspn(n, "\n"), n += *n == '\n') {
        int number = isdigit((unsigned char)*n) ? atoi(n) : 0;
        const char *comm = number > 0 ? ifd__patient_read(d, "/proc/%d/comm", number) : NULL;
        if (comm)
            used += (size_t)sprintf(text + used, "%d %.40s\n", number, comm);
    }
    if (text)
        d->processes = keep(d, text, used);
    free(text);
    return d->processes ? d->processes : "";
}

bool ifd__patient_runs(ifd__patient *d, const char *name, bool *known, int *id)
{
    const char *p = processes(d);
    *known = strncmp(p, "1 ", 2) == 0 || strstr(p, "\n1 "); /* otherwise foreign processes are hidden */
    for (; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        char *comm;
        *id = (int)strtol(p, &comm, 10);
        if (strncmp(comm + 1, name, strlen(name)) == 0)
            return true;
    }
    return false;
}

int ifd__patient_cores(const ifd__patient *d)
{
    int count = 0;
    for (int core = 0; d->online && core < 4096; core++)
        count += ifd__core_listed(d->online, core);
    return count;
}

const char *ifd__patient_others(ifd__patient *d)
{
    char text[1024] = "";
    for (int core = 0, used = 0; d->online && core < 4096 && used < 1000; core++)
        if (core != d->core && ifd__core_listed(d->online, core))
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%d", used ? "," : "", core);
    return ifd__patient_print(d, "%s", *text ? text : "0");
}

const char *ifd__patient_join(ifd__patient *d, const char *text, const char *between, const char *more)
{
    return more ? ifd__patient_print(d, "%s%s%s", text, *text ? between : "", more) : text;
}

void ifd__row(ifd__patient *d, ifd_doctor_state state, const char *advice, const char *format, ...)
{
    char text[SMALL];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    d->row = (ifd_doctor_row){.what = d->row.what,
                              .expected = d->row.expected,
                              .state = state,
                              .advice = state == IFD_DOCTOR_FINE ? NULL : advice,
                              .found = ifd__patient_print(d, "%s", text)};
}

void ifd__row_unread(ifd__patient *d, const char *advice, const char *path)
{
    ifd__row(d, IFD_DOCTOR_UNKNOWN, advice ? advice : ifd__patient_print(d, "cat %s", path), "%s cannot be read",
             path);
}

void ifd__row_boot(ifd__patient *d, const char *word, const char *found)
{
    ifd__row(d, IFD_DOCTOR_CHANGE, ifd__patient_print(d, "kernel command line: %s", word), "%s", found);
    d->out->boot = ifd__patient_print(d, "%s%s%s", d->out->boot, *d->out->boot ? " " : "", word);
}
