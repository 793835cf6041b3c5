/* SPDX-License-Identifier: MIT */
/* The chain of hashes of events.log, and its check. */
#include <interfield/events_chain.h>

#include <string.h>
#include <unistd.h>

#include <sodium.h>

#include <interfield/certificate.h>

#include "record/result.h"
#include "text/file.h"

enum { DIGITS = 16 };

void ifd_events_chain_print(const ifd_events_chain *c, char out[IFD_CHAIN_TEXT + 1])
{
    sodium_bin2hex(out, IFD_CHAIN_TEXT + 1, c->hash, sizeof c->hash);
}

void ifd_events_chain_add(ifd_events_chain *c, const char *line, size_t length, char mark[IFD_CHAIN_MARK + 1])
{
    crypto_hash_sha256_state state;
    char all[IFD_CHAIN_TEXT + 1];
    crypto_hash_sha256_init(&state);
    crypto_hash_sha256_update(&state, c->hash, sizeof c->hash);
    crypto_hash_sha256_update(&state, (const unsigned char *)line, length);
    crypto_hash_sha256_final(&state, c->hash);
    ifd_events_chain_print(c, all);
    memcpy(mark, "  #", 3);
    memcpy(mark + 3, all, DIGITS);
    mark[IFD_CHAIN_MARK] = '\0';
}

/* The recorded hash of the last line: of summary.json, and of result.h5. "": none. */
typedef struct recorded {
    ifd_arena *arena;
    const char *summary, *result;
} recorded;

static const char *read_chain(void *self, hid_t file, ifd__hdf5_found *found)
{
    recorded *r = self;
    (void)found;
    r->result = ifd__hdf5_text(r->arena, file, "events_chain");
    return NULL;
}

static void send_chain(void *self, ifd__child_pipe *to)
{
    ifd__child_put_text(to, ((const recorded *)self)->result);
}

static bool get_chain(void *self, ifd__child *from, uint64_t bytes)
{
    recorded *r = self;
    (void)bytes;
    r->result = ifd__child_get_text(from, r->arena, 2 * IFD_CHAIN_TEXT);
    return r->result != NULL;
}

/* A file that is damaged or incomplete is reported by those who read its numbers. */
static void find_recorded(recorded *r, const char *summary, const char *result)
{
    static const ifd__hdf5_reader reader = {read_chain, send_chain, get_chain, 1};
    ifd__hdf5_found found;
    ifd_json_node *tree = NULL;
    ifd_note quiet;
    bool sealed;
    ifd_note_init(&quiet, r->arena);
    r->summary = r->result = "";
    if (ifd_summary_read(r->arena, summary, &sealed, &tree, &quiet) == IFD_OK)
        r->summary = ifd_json_text_at(tree, "events_chain", "");
    if (access(result, F_OK) != 0 || ifd__hdf5_unfinished(result))
        return;
    if (!ifd__hdf5_read(r->arena, result, &reader, r, &found))
        r->result = "";
}

/* A log without any hash cannot be verified. */
static bool is_bare(const ifd__file *file)
{
    const char *end = file->text + file->length;
    for (const char *p = file->text, *stop; p < end && (stop = memchr(p, '\n', (size_t)(end - p))); p = stop + 1)
        if (stop - p >= IFD_CHAIN_MARK && memcmp(stop - IFD_CHAIN_MARK, "  #", 3) == 0)
            return false;
    return memchr(file->text, '\n', file->length) != NULL;
}

/* The lines one after the other; `at`: the line that has the recorded hash, 0: none. */
static ifd_status check_lines(ifd_arena *arena, const ifd__file *file, const char *whole, ifd_events_checked *out,
                              long *at)
{
    const char *p = file->text, *end = p + file->length;
    char mark[IFD_CHAIN_MARK + 1], found[IFD_CHAIN_TEXT + 1];
    *at = 0;
    for (const char *stop; p < end && (stop = memchr(p, '\n', (size_t)(end - p))); p = stop + 1) {
        size_t length = (size_t)(stop - p), text = length > IFD_CHAIN_MARK ? length - IFD_CHAIN_MARK : 0;
        ifd_events_chain next = out->chain;
        ifd_events_chain_add(&next, p, text, mark);
        if (length < IFD_CHAIN_MARK || memcmp(stop - IFD_CHAIN_MARK, mark, IFD_CHAIN_MARK) != 0) {
            out->wrong = ifd_arena_print(arena, "events.log: line %ld was changed", out->lines + 1);
            return out->wrong ? IFD_OK : IFD_NO_MEMORY;
        }
        out->chain = next;
        out->lines++;
        ifd_events_chain_print(&next, found);
        if (strcmp(found, whole) == 0)
            *at = out->lines;
    }
    out->cut = p < end;
    return IFD_OK;
}

static ifd_status check_end(ifd_arena *arena, const recorded *r, long at, ifd_events_checked *out)
{
    const char *whole = *r->summary ? r->summary : r->result;
    if (*r->summary && *r->result && strcmp(r->summary, r->result) != 0)
        out->wrong = "events.log: summary.json and result.h5 contain different values of events_chain";
    else if (*whole && at == 0)
        out->wrong = ifd_arena_print(
            arena, "events.log: lines after line %ld were removed, or summary.json was changed", out->lines);
    else if (*whole && at < out->lines)
        out->wrong = ifd_arena_print(arena, "events.log: line %ld was added after the end of the test", at + 1);
    else
        out->ended = *whole;
    return IFD_OK;
}

ifd_status ifd_events_check(ifd_arena *arena, const char *path, ifd_events_checked *out)
{
    const char *result = ifd__file_inside(arena, path, "result.h5");
    const ifd_place place = {.file = result};
    const char *log = result ? ifd__file_relative(arena, &place, "events.log") : NULL,
               *summary = log ? ifd__file_relative(arena, &place, "summary.json") : NULL;
    *out = (ifd_events_checked){.lines = 0};
    IFD__HAVE(summary && (result = ifd__file_relative(arena, &place, "result.h5")));
    recorded r = {.arena = arena};
    ifd__file file;
    long at;
    ifd_note quiet;
    ifd_note_init(&quiet, arena);
    find_recorded(&r, summary, result);
    bool there = access(log, F_OK) == 0;
    out->found = there || *r.summary || *r.result;
    if (!out->found)
        return IFD_OK;
    if (!there || ifd__file_read(arena, log, NULL, &file, &quiet) != IFD_OK) {
        out->wrong = there ? "events.log cannot be read" : "events.log is missing";
        return IFD_OK;
    }
    out->bare = !*r.summary && !*r.result && is_bare(&file);
    if (out->bare)
        return IFD_OK;
    IFD_TRY(check_lines(arena, &file, *r.summary ? r.summary : r.result, out, &at));
    return out->wrong ? IFD_OK : check_end(arena, &r, at, out);
}
