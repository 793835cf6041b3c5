/* SPDX-License-Identifier: MIT */
/* Lists of records beside a case, with the mark of the settings of a rig. */
#include "record/evidence.h"

#include <dlfcn.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "record/result.h"
#include "text/file.h"

uint64_t ifd__mark_text(uint64_t h, const char *text)
{
    return text ? ifd__hash_bytes(h, text, strlen(text) + 1) : ifd__hash_bytes(h, "", 1);
}

/* Files count by their content: a case in another folder may use the same proof. */
static uint64_t add_value(uint64_t h, const ifd_param *p, const ifd_value *v)
{
    h = ifd__hash(ifd__mark_text(h, p->name), &v->number, 1);
    if (v->data && (p->shape == IFD_SHAPE_LIST || p->shape == IFD_SHAPE_MATRIX))
        h = ifd__hash(h, v->data, (size_t)v->rows * (size_t)v->cols);
    return p->file && v->word && ifd__file_hash(v->word, &h) ? h : ifd__mark_text(h, v->word);
}

uint64_t ifd__rig_mark(uint64_t h, const ifd_rig_part *rig)
{
    static const char here[] = "";
    Dl_info own, code;
    h = ifd__mark_text(h, rig->ops->name);
    for (int i = 0; rig->values && rig->ops->params && rig->ops->params[i].name; i++)
        h = add_value(h, &rig->ops->params[i], &rig->values[i]);
    if (dladdr(here, &own) && dladdr(rig->ops, &code) && own.dli_fname && code.dli_fname &&
        strcmp(own.dli_fname, code.dli_fname) != 0)
        (void)ifd__file_hash(code.dli_fname, &h);
    return h;
}

void ifd__evidence_put(ifd_json *j, const ifd_json_node *n)
{
    switch (n->kind) {
    case IFD_JSON_OBJECT:
    case IFD_JSON_LIST:
        (n->kind == IFD_JSON_OBJECT ? ifd_json_object : ifd_json_list)(j, n->key);
        for (const ifd_json_node *k = n->first; k; k = k->next)
            ifd__evidence_put(j, k);
        ifd_json_end(j);
        break;
    case IFD_JSON_TEXT:
        ifd_json_text(j, n->key, n->text);
        break;
    case IFD_JSON_NUMBER:
        ifd_json_number(j, n->key, n->number);
        break;
    case IFD_JSON_FLAG:
        ifd_json_flag(j, n->key, n->number != 0.0);
        break;
    default:
        ifd_json_text(j, n->key, NULL);
    }
}

const ifd_json_node *ifd__evidence_read(ifd_arena *arena, const char *path, const char *name)
{
    ifd_json_node *root = NULL;
    ifd_note unsaid;
    ifd_note_init(&unsaid, arena);
    if (access(path, R_OK) != 0 || ifd_json_read_file(arena, path, &root, &unsaid) != IFD_OK)
        return NULL;
    const ifd_json_node *list = ifd_json_at(root, name);
    return list && list->kind == IFD_JSON_LIST ? list->first : NULL;
}

ifd_status ifd__evidence_write(ifd_arena *arena, const char *path, const char *text, ifd_note *note)
{
    const char *line = text ? ifd_arena_print(arena, "%s\n", text) : NULL;
    return line ? ifd__file_replace(arena, path, line, strlen(line), note) : IFD_NO_MEMORY;
}

double ifd__days_since(const char *date)
{
    struct tm utc = {0};
    const char *rest = strptime(date, "%Y-%m-%dT%H:%M:%S", &utc);
    return rest ? difftime(time(NULL), timegm(&utc)) / 86400.0 : -1.0;
}

const char *ifd__day_of(ifd_arena *arena, const char *date)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    struct tm utc = {0};
    return strptime(date, "%Y-%m-%dT%H:%M:%S", &utc)
               ? ifd_arena_print(arena, "%d %s", utc.tm_mday, months[utc.tm_mon])
               : "";
}
