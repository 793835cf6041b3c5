/* SPDX-License-Identifier: MIT */
#include "io/code.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "base/object.h"
#include "io/shelf.h"

bool ifd__code_hash(int fd, unsigned char out[IFD__CODE_HASH])
{
    crypto_generichash_state state;
    unsigned char block[65536];
    ssize_t n;
    if (sodium_init() < 0 || lseek(fd, 0, SEEK_SET) != 0)
        return false;
    crypto_generichash_init(&state, NULL, 0, IFD__CODE_HASH);
    while ((n = read(fd, block, sizeof block)) > 0)
        crypto_generichash_update(&state, block, (unsigned long long)n);
    crypto_generichash_final(&state, out, IFD__CODE_HASH);
    return n == 0;
}

static ifd__code_kept *find_kept(const ifd__shelf *shelf, const char *path)
{
    for (ifd__code_kept *k = shelf->code; k; k = k->next)
        if (strcmp(k->path, path) == 0)
            return k;
    return NULL;
}

static void no_memory(ifd__reader *r)
{
    ifd_note_add(r->note, IFD_NO_MEMORY, NULL, "memory is out");
}

/* Without code: the case says what was left out. */
static void leave_out(ifd__reader *r, const char *path, const ifd_place *place, bool structure)
{
    ifd_case_unloaded *u = ifd_arena_take(r->arena, sizeof *u), **last = &r->c->unloaded;
    if (!u) {
        no_memory(r);
        return;
    }
    *u = (ifd_case_unloaded){.path = path, .place = *place};
    r->incomplete = r->incomplete || structure;
    for (; *last; last = &(*last)->next)
        if (strcmp((*last)->path, path) == 0)
            return;
    *last = u;
}

/* Of a file on this disk: examined, and kept by its hash. */
static bool keep(ifd__reader *r, const char *path, const ifd_place *place)
{
    int fd;
    if (ifd__object_examine(path, &fd, r->note, place) != IFD_OK)
        return false;
    ifd__code_kept *k = !r->code->load || find_kept(r->shelf, path) ? NULL : ifd_arena_take(r->arena, sizeof *k);
    bool good = true;
    if (k) {
        k->path = path;
        good = ifd__code_hash(fd, k->hash);
        k->next = r->shelf->code;
        r->shelf->code = k;
    }
    close(fd);
    if (!good)
        ifd_note_add(r->note, IFD_PLUGIN, place, "'%s' cannot be read", path);
    return good;
}

static bool has_hash(ifd__reader *r, const char *file, const unsigned char *hash)
{
    unsigned char found[IFD__CODE_HASH];
    int fd;
    if (ifd__object_examine(file, &fd, r->note, NULL) != IFD_OK)
        return false;
    bool same = ifd__code_hash(fd, found) && memcmp(found, hash, sizeof found) == 0;
    close(fd);
    return same;
}

/* Of a record: only a file that the user named, and only the very one that was recorded. */
static const char *allowed(ifd__reader *r, const char *path, const ifd_place *place)
{
    const ifd__code_kept *k = find_kept(r->shelf, path);
    int errors = r->note->errors;
    for (int i = 0; k && i < r->code->files; i++)
        if (has_hash(r, r->code->file[i], k->hash))
            return r->code->file[i];
    if (r->note->errors != errors || !r->code->files)
        return NULL;
    if (!k) {
        ifd_note_add(r->note, IFD_PLUGIN, place, "the record does not hold the hash of its native code '%s'", path);
        ifd_note_hint(r->note, "it was made by an earlier version; run its case again instead");
    } else {
        ifd_note_add(r->note, IFD_PLUGIN, place, "no allowed file is the native code '%s' of this record", path);
        ifd_note_hint(r->note, "its hash differs: --allow-plugin needs the very file that was loaded then");
    }
    return NULL;
}

const char *ifd__code_admit(ifd__reader *r, const char *path, const ifd_place *place, bool structure)
{
    if (!path) {
        no_memory(r);
        return NULL;
    }
    const char *file = NULL;
    int errors = r->note->errors;
    if (r->shelf->closed)
        file = r->code->load ? allowed(r, path, place) : NULL;
    else if (keep(r, path, place) && r->code->load)
        file = path;
    if (!file && r->note->errors == errors)
        leave_out(r, path, place, structure);
    return file;
}

const char *ifd__code_fmu(ifd__reader *r, const char *path, const ifd_place *place)
{
    if (path && r->code->load && !r->shelf->closed && access(path, F_OK) != 0)
        return path; /* who opens it says so */
    if (path && !r->code->load && access(path, F_OK) != 0)
        leave_out(r, path, place, false);
    else
        path = ifd__code_admit(r, path, place, false);
    return path && r->code->load ? path : "";
}

bool ifd__code_rig(ifd__reader *r, const char **path, const ifd_place *place)
{
    if (r->shelf->closed && *path)
        leave_out(r, *path, place, false); /* what a record needs of its rig is in it */
    else
        *path = ifd__code_admit(r, *path, place, false);
    return !r->shelf->closed && *path;
}

static ifd_status refuse_open(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)rig;
    (void)values;
    (void)arena;
    ifd_note_add(note, IFD_PLUGIN, NULL, "the rig of this case is a plug-in, which was not loaded");
    ifd_note_hint(note, "read the case with ifd_case_read_source and .code.load");
    return IFD_PLUGIN;
}
static const ifd_param no_params[] = {{0}};
const ifd_rig_ops ifd__unloaded_rig = {.abi = IFD_RIG_ABI,
                                       .name = "plugin",
                                       .summary = "a plug-in that was not loaded",
                                       .params = no_params,
                                       .open = refuse_open};
