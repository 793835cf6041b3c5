/* SPDX-License-Identifier: MIT */
/* Whether a checkpoint belongs to a case, by a hash of all sources of the case: its files, the files that they name,
 * and the overrides. The hash excludes `test: {allow-resume: ..., hold-relaxation: ...}`, which only permits an
 * order and changes no number: a test on hold must be able to resume when its operator permits it. It also excludes
 * `test.thresholds`, the numbers of a certificate, and those of a characterisation, which are made anew for the rest
 * of a test. */
#include "record/result.h"

#include <string.h>

#include "base/hash.h"
#include "text/bundle.h"

static const char *const keys[] = {"allow-resume", "hold-relaxation", "thresholds", "characterised-stiffness",
                                   "characterised-loss"};
enum { KEYS = sizeof keys / sizeof *keys };
static const char OF_TEST[] = "test.";

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

/* The end of "allow-resume: yes" or "hold-relaxation: 2.5 %" at p, or p if no such key begins there. */
static const char *behind_key(const char *key, const char *p, const char *end)
{
    size_t length = strlen(key);
    const char *q = p + length;
    if ((size_t)(end - p) <= length || memcmp(p, key, length) != 0)
        return p;
    for (; q < end && *q == ' '; q++) {
    }
    if (q == end || *q != ':')
        return p;
    for (q++; q < end && *q == ' '; q++) {
    }
    while (q < end && (is_word(*q) || *q == '.' || *q == '+'))
        q++;
    const char *sign = q;
    for (; sign < end && *sign == ' '; sign++) {
    }
    return sign < end && *sign == '%' ? sign + 1 : q;
}

static const char *behind(const char *begin, const char *p, const char *end)
{
    const char *q = p;
    for (int k = 0; k < KEYS && q == p && (p == begin || !is_word(p[-1])); k++)
        q = behind_key(keys[k], p, end);
    return q;
}

static bool sets_key(const char *set)
{
    bool found = false;
    for (int k = 0; k < KEYS && strncmp(set, OF_TEST, sizeof OF_TEST - 1) == 0; k++) {
        const char *word = set + sizeof OF_TEST - 1;
        size_t length = strlen(keys[k]);
        found = found || (strncmp(word, keys[k], length) == 0 && word[length] == '=');
    }
    return found;
}

/* The key is removed with its separator: the one before it or, at the head of a list in braces, the one after it. */
static size_t without_key(const char *text, size_t length, char *out)
{
    const char *end = text + length;
    char *to = out;
    for (const char *p = text; p < end;) {
        const char *q = behind(text, p, end);
        if (q == p) {
            *to++ = *p++;
            continue;
        }
        while (to > out && (to[-1] == ' ' || to[-1] == ',' || to[-1] == '\n'))
            to--;
        while (to > out && to[-1] == '{' && q < end && (*q == ' ' || *q == ','))
            q++;
        p = q;
    }
    return (size_t)(to - out);
}

static bool copy(ifd_arena *arena, const ifd__bundle *from, ifd__bundle *to)
{
    const char **set = ifd_arena_array(arena, (size_t)from->sets + 1, sizeof *set);
    ifd__source_file **next = &to->first;
    *to = (ifd__bundle){.code = from->code, .set = set};
    for (int i = 0; set && i < from->sets; i++)
        if (!sets_key(from->set[i]))
            set[to->sets++] = from->set[i];
    for (const ifd__source_file *b = from->first; b && set; b = b->next) {
        ifd__source_file *mine = ifd_arena_take(arena, sizeof *mine);
        char *text = b->file.text ? ifd_arena_take(arena, b->file.length + 1) : NULL;
        if (!mine || (b->file.text && !text))
            return false;
        *mine = *b;
        mine->next = NULL;
        if (text) {
            mine->file.length = without_key(b->file.text, b->file.length, text);
            mine->file.text = text;
        }
        *next = mine;
        next = &mine->next;
    }
    return set != NULL;
}

uint64_t ifd__checkpoint_case(ifd_arena *arena, const ifd_case *c)
{
    ifd__bundle neutral;
    size_t length = 0;
    const char *bundle = copy(arena, c->bundle, &neutral) ? ifd__bundle_make(arena, &neutral, &length) : NULL;
    return bundle ? ifd__hash_bytes(IFD__HASH_START, bundle, length) : 0;
}
