/* SPDX-License-Identifier: MIT */
/* Each member of an object is on a separate line; the numbers and words of a list are on one line. */
#include <assert.h>
#include <interfield/json.h>
#include <interfield/status.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/file.h"
#include "base/arena.h"

/* Reads JSON. */

typedef struct reader {
    ifd_arena *arena;
    const char *name, *text, *at, *end;
    const char *wrong; /* the expected text at the position of the error */
    bool out;          /* out of memory */
} reader;

static bool refuse(reader *r, const char *expected)
{
    if (!r->wrong)
        r->wrong = expected;
    return false;
}

static void skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        r->at++;
}

static bool take(reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool read_word(reader *r, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return false;
    r->at += n;
    return true;
}

static int hex4(const char *p)
{
    char digits[5] = {0};
    memcpy(digits, p, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? (int)strtol(digits, NULL, 16) : -1;
}

static char *put_code(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    const uint32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(lead[more] | c >> 6 * more);
    for (int k = more - 1; k >= 0; k--)
        *out++ = (char)(0x80 | (c >> 6 * k & 0x3f));
    return out;
}

/* \uXXXX, also as a pair; p is past the u. */
static const char *read_code(reader *r, const char *p, char **out)
{
    int high = r->end - p >= 4 ? hex4(p) : -1;
    if (high < 0)
        return NULL;
    p += 4;
    uint32_t code = (uint32_t)high;
    if (high >= 0xd800 && high < 0xdc00 && r->end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
        int low = hex4(p + 2);
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
            p += 6;
        }
    }
    *out = put_code(*out, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    return p;
}

static const char *read_escape(reader *r, const char *p, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char *known = *p ? strchr(from, *p) : NULL;
    if (*p == 'u')
        return read_code(r, p + 1, out);
    if (!known)
        return NULL;
    *(*out)++ = to[known - from];
    return p + 1;
}

static const char *read_text(reader *r)
{
    if (!take(r, '"')) {
        refuse(r, "a text in quotes");
        return NULL;
    }
    const char *close = r->at;
    while (close < r->end && *close != '"')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    char *text = close < r->end ? ifd_arena_take(r->arena, (size_t)(close - r->at) + 1) : NULL, *out = text;
    if (!text) {
        r->out = close < r->end;
        refuse(r, "the end of a text");
        return NULL;
    }
    for (const char *p = r->at; p < close;) {
        if ((unsigned char)*p < ' ' || (*p == '\\' && !(p = read_escape(r, p + 1, &out)))) {
            refuse(r, "a text without control characters, with known escapes");
            return NULL;
        }
        if (p < close && *p != '\\' && (unsigned char)*p >= ' ')
            *out++ = *p++;
    }
    *out = '\0';
    r->at = close + 1;
    return text;
}

static bool read_number(reader *r, ifd_json_node *node)
{
    char copy[64];
    size_t n = 0;
    while (r->at + n < r->end && n < sizeof copy - 1 && strchr("+-.0123456789eE", r->at[n]) && r->at[n])
        n++;
    memcpy(copy, r->at, n);
    copy[n] = '\0';
    char *end;
    node->kind = IFD_JSON_NUMBER;
    node->number = strtod(copy, &end);
    if (n == 0 || *end)
        return refuse(r, "a value: {...}, [...], \"text\", a number, true, false or null");
    r->at += n;
    return true;
}

static bool read_value(reader *r, ifd_json_node *node, int depth);

/* Reads the content of a list or of an object. */
static bool read_items(reader *r, ifd_json_node *node, int depth)
{
    bool object = node->kind == IFD_JSON_OBJECT;
    char closer = object ? '}' : ']';
    ifd_json_node **link = &node->first;
    if (depth == IFD_JSON_DEPTH)
        return refuse(r, "fewer nested levels");
    if (take(r, closer))
        return true;
    do {
        ifd_json_node *item = ifd_arena_take(r->arena, sizeof *item);
        if (!item) {
            r->out = true;
            return refuse(r, "memory");
        }
        *item = (ifd_json_node){0};
        if (object && (!(item->key = read_text(r)) || !take(r, ':')))
            return refuse(r, "a key in quotes and a colon");
        if (!read_value(r, item, depth + 1))
            return false;
        *link = item;
        link = &item->next;
    } while (take(r, ','));
    return take(r, closer) || refuse(r, object ? "',' or '}'" : "',' or ']'");
}

static bool read_value(reader *r, ifd_json_node *node, int depth)
{
    skip_space(r);
    char c = r->at < r->end ? *r->at : '\0';
    if (c == '{' || c == '[') {
        node->kind = c == '{' ? IFD_JSON_OBJECT : IFD_JSON_LIST;
        r->at++;
        return read_items(r, node, depth);
    }
    if (c == '"') {
        node->kind = IFD_JSON_TEXT;
        return (node->text = read_text(r)) != NULL;
    }
    node->kind = IFD_JSON_FLAG;
    if (read_word(r, "true")) {
        node->number = 1.0;
        return true;
    }
    if (read_word(r, "false"))
        return true;
    node->kind = IFD_JSON_NULL;
    return read_word(r, "null") || read_number(r, node);
}

ifd_status ifd_json_read(ifd_arena *arena, const char *name, const char *text, size_t length, ifd_json_node **out,
                         ifd_note *note)
{
    reader r = {.arena = arena, .name = name, .text = text, .at = text, .end = text + length};
    ifd_json_node *root;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(root, 1)));
    *root = (ifd_json_node){0};
    if (read_value(&r, root, 0)) {
        skip_space(&r);
        if (r.at < r.end)
            refuse(&r, "the end of the file");
    }
    *out = root;
    if (r.out)
        return IFD_NO_MEMORY;
    if (!r.wrong)
        return IFD_OK;
    int line = 1;
    for (const char *p = text; p < r.at; p++)
        line += *p == '\n';
    return ifd_note_add(note, IFD_FILE, &(ifd_place){.file = name, .line = line}, "expected %s", r.wrong);
}

ifd_status ifd_json_read_file(ifd_arena *arena, const char *path, ifd_json_node **out, ifd_note *note)
{
    ifd__file file;
    IFD_TRY(ifd__file_read(arena, path, NULL, &file, note));
    return ifd_json_read(arena, path, file.text, file.length, out, note);
}

const ifd_json_node *ifd_json_at(const ifd_json_node *node, const char *path)
{
    while (node && *path) {
        size_t n = strcspn(path, "/");
        const ifd_json_node *child = node->kind == IFD_JSON_OBJECT ? node->first : NULL;
        while (child && (strncmp(child->key, path, n) != 0 || child->key[n]))
            child = child->next;
        node = child;
        path += n + (path[n] == '/');
    }
    return node;
}

double ifd_json_number_at(const ifd_json_node *node, const char *path, double otherwise)
{
    const ifd_json_node *found = ifd_json_at(node, path);
    return found && (found->kind == IFD_JSON_NUMBER || found->kind == IFD_JSON_FLAG) ? found->number : otherwise;
}

const char *ifd_json_text_at(const ifd_json_node *node, const char *path, const char *otherwise)
{
    const ifd_json_node *found = ifd_json_at(node, path);
    return found && found->kind == IFD_JSON_TEXT ? found->text : otherwise;
}

void ifd_json_init(ifd_json *j, ifd_arena *arena)
{
    memset(j, 0, sizeof *j);
    j->arena = arena;
}

static void put_n(ifd_json *j, const char *text, size_t length)
{
    if (j->failed)
        return;
    if (j->length + length + 1 > j->size) {
        size_t size = 2 * (j->length + length) + 1024;
        char *larger = ifd_arena_take(j->arena, size);
        if (!larger) {
            j->failed = true;
            return;
        }
        if (j->length)
            memcpy(larger, j->text, j->length);
        j->text = larger;
        j->size = size;
    }
    memcpy(j->text + j->length, text, length);
    j->length += length;
    j->text[j->length] = '\0';
}

static void put(ifd_json *j, const char *text)
{
    put_n(j, text, strlen(text));
}

static void indent(ifd_json *j)
{
    put(j, "\n");
    for (int i = 0; i < j->depth; i++)
        put(j, "  ");
}

static void quote(ifd_json *j, const char *text)
{
    static const char escaped[] = "\"\"\\\\\nn\rr\tt\bb\ff"; /* pairs: character, letter after the backslash */
    put(j, "\"");
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        size_t n = ifd__utf8_size(p);
        const char *pair = NULL;
        for (const char *e = escaped; *e; e += 2)
            if ((unsigned char)*e == *p)
                pair = e;
        char buffer[8];
        if (pair) {
            put_n(j, (const char[]){'\\', pair[1]}, 2);
        } else if (*p < 0x20 || *p == 0x7f) {
            snprintf(buffer, sizeof buffer, "\\u%04x", (unsigned)*p);
            put(j, buffer);
        } else if (n == 0) {
            put(j, "\xef\xbf\xbd"); /* U+FFFD */
        } else {
            put_n(j, (const char *)p, n);
        }
        p += n ? n : 1;
    }
    put(j, "\"");
}

/* Writes the text before a value: comma, line end, key. */
static void lead(ifd_json *j, const char *key, bool container)
{
    if (j->depth == 0) {
        assert(!key && "the top value has no key");
        return;
    }
    int level = j->depth - 1;
    bool in_list = j->closer[level] == ']';
    assert((key == NULL) == in_list && "members of an object have keys, those of a list have none");
    if (j->count[level]++)
        put(j, ",");
    if (!in_list || container)
        indent(j);
    else if (j->count[level] > 1)
        put(j, " ");
    if (key) {
        quote(j, key);
        put(j, ": ");
    }
}

static void open_level(ifd_json *j, const char *key, const char *opener, char closer)
{
    lead(j, key, true);
    put(j, opener);
    assert(j->depth < IFD_JSON_DEPTH);
    j->closer[j->depth] = closer;
    j->count[j->depth] = 0;
    j->depth++;
    j->inside = false;
}

void ifd_json_object(ifd_json *j, const char *key)
{
    open_level(j, key, "{", '}');
}

void ifd_json_list(ifd_json *j, const char *key)
{
    open_level(j, key, "[", ']');
}

void ifd_json_end(ifd_json *j)
{
    assert(j->depth > 0);
    j->depth--;
    char closer = j->closer[j->depth];
    if (j->count[j->depth] && (closer == '}' || j->inside))
        indent(j);
    put_n(j, &closer, 1);
    j->inside = true; /* for the outer level, which now contains a container */
}

void ifd_json_number(ifd_json *j, const char *key, double value)
{
    lead(j, key, false);
    if (!isfinite(value)) {
        put(j, "null");
        return;
    }
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    char *comma = strchr(text, ','); /* the decimal sign of some locales */
    if (comma)
        *comma = '.';
    put(j, text);
}

void ifd_json_integer(ifd_json *j, const char *key, long value)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    lead(j, key, false);
    put(j, text);
}

void ifd_json_text(ifd_json *j, const char *key, const char *value)
{
    lead(j, key, false);
    if (value)
        quote(j, value);
    else
        put(j, "null");
}

void ifd_json_flag(ifd_json *j, const char *key, bool value)
{
    lead(j, key, false);
    put(j, value ? "true" : "false");
}

void ifd_json_numbers(ifd_json *j, const char *key, int count, const double *value)
{
    ifd_json_list(j, key);
    for (int i = 0; i < count; i++)
        ifd_json_number(j, NULL, value[i]);
    ifd_json_end(j);
}

ifd_json_member ifd_json_of_number(const char *key, double value)
{
    return (ifd_json_member){.key = key, .number = value};
}

ifd_json_member ifd_json_of_integer(const char *key, long value)
{
    return (ifd_json_member){.key = key, .whole = value, .as = IFD_JSON_AS_WHOLE};
}

ifd_json_member ifd_json_of_text(const char *key, const char *value)
{
    return (ifd_json_member){.key = key, .text = value, .as = IFD_JSON_AS_TEXT};
}

ifd_json_member ifd_json_of_flag(const char *key, bool value)
{
    return (ifd_json_member){.key = key, .whole = value, .as = IFD_JSON_AS_FLAG};
}

void ifd_json_put(ifd_json *j, const ifd_json_member *m)
{
    for (; m->key; m++)
        if (m->as == IFD_JSON_AS_NUMBER)
            ifd_json_number(j, m->key, m->number);
        else if (m->as == IFD_JSON_AS_WHOLE)
            ifd_json_integer(j, m->key, m->whole);
        else if (m->as == IFD_JSON_AS_TEXT)
            ifd_json_text(j, m->key, m->text);
        else
            ifd_json_flag(j, m->key, m->whole != 0);
}

void ifd_json_put_object(ifd_json *j, const char *key, const ifd_json_member *m)
{
    ifd_json_object(j, key);
    ifd_json_put(j, m);
    ifd_json_end(j);
}

const char *ifd_json_done(ifd_json *j)
{
    assert(j->failed || j->depth == 0);
    return j->failed ? NULL : j->text;
}
