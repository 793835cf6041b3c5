/* SPDX-License-Identifier: MIT */
/* Decides whether native code of a case may be loaded, and keeps its hash. */
#include "case/code.h"

#include <sodium.h>
#include <string.h>
#include <unistd.h>

#include "base/object.h"
#include "text/file.h"
#include "text/bundle.h"

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

static ifd__code_kept *find_kept(const ifd__bundle *bundle, const char *path)
{
    for (ifd__code_kept *k = bundle->code; k; k = k->next)
        if (strcmp(k->path, path) == 0)
            return k;
    return NULL;
}

/* Without code: the case lists the files that are not loaded. */
static void leave_out(ifd__reader *r, const char *path, const ifd_place *place, bool structure)
{
    ifd_case_unloaded *u = ifd_arena_take(r->arena, sizeof *u), **last = &r->c->unloaded;
    if (!ifd__in_memory(r, u))
        return;
    *u = (ifd_case_unloaded){.path = path, .place = *place};
    r->incomplete = r->incomplete || structure;
    for (; *last; last = &(*last)->next)
        if (strcmp((*last)->path, path) == 0)
            return;
    *last = u;
}

static const ifd__code_file nothing = {.fd = -1};

/* A local file: examined, and stored with its hash. The descriptor is -1 if it is refused. */
static int keep(ifd__reader *r, const char *path, const ifd_place *place)
{
    unsigned char hash[IFD__CODE_HASH];
    int fd;
    if (ifd__object_examine(path, &fd, r->note, place) != IFD_OK)
        return -1;
    if (!r->code->load)
        return fd;
    ifd__code_kept *k = find_kept(r->doc.bundle, path);
    bool good = ifd__code_hash(fd, hash);
    if (!good)
        ifd_note_add(r->note, IFD_PLUGIN, place, "'%s' cannot be read", path);
    else if (k && memcmp(k->hash, hash, sizeof hash) != 0) {
        good = false;
        ifd_note_advise(r->note, IFD_PLUGIN, place, "read the case again when the file is complete",
                        "'%s' changed while the case was read", path);
    } else if (!k && (k = ifd_arena_take(r->arena, sizeof *k))) {
        *k = (ifd__code_kept){.path = path, .next = r->doc.bundle->code};
        memcpy(k->hash, hash, sizeof hash);
        r->doc.bundle->code = k;
    }
    if (good)
        return fd;
    close(fd);
    return -1;
}

/* A permitted file, opened, if its hash equals that of the record. */
static int with_hash(ifd__reader *r, const char *file, const unsigned char *hash)
{
    unsigned char found[IFD__CODE_HASH];
    int fd;
    if (ifd__object_examine(file, &fd, r->note, NULL) != IFD_OK)
        return -1;
    if (ifd__code_hash(fd, found) && memcmp(found, hash, sizeof found) == 0)
        return fd;
    close(fd);
    return -1;
}

/* For a record: only a file that the user named, with the recorded hash. */
static ifd__code_file allowed(ifd__reader *r, const char *path, const ifd_place *place)
{
    const ifd__code_kept *k = find_kept(r->doc.bundle, path);
    int errors = r->note->errors;
    for (int i = 0; k && i < r->code->files; i++) {
        int fd = with_hash(r, r->code->file[i], k->hash);
        if (fd >= 0)
            return (ifd__code_file){.path = r->code->file[i], .fd = fd};
    }
    if (r->note->errors != errors || !r->code->files)
        return nothing;
    if (!k)
        ifd_note_advise(r->note, IFD_PLUGIN, place, "an earlier version wrote the record; run its case again",
                        "the record does not contain the hash of its native code '%s'", path);
    else
        ifd_note_advise(r->note, IFD_PLUGIN, place, "the hash differs: --allow-plugin needs the identical file",
                        "none of the allowed files is the native code '%s' of this record", path);
    return nothing;
}

ifd__code_file ifd__code_admit(ifd__reader *r, const char *path, const ifd_place *place, bool structure)
{
    if (!ifd__in_memory(r, path))
        return nothing;
    ifd__code_file file = nothing;
    int errors = r->note->errors;
    if (r->doc.bundle->closed) {
        file = r->code->load ? allowed(r, path, place) : nothing;
    } else {
        int fd = keep(r, path, place);
        if (fd >= 0 && r->code->load)
            file = (ifd__code_file){.path = path, .fd = fd};
        else if (fd >= 0)
            close(fd);
    }
    if (!file.path && r->note->errors == errors)
        leave_out(r, path, place, structure);
    return file;
}

static void close_archive(void *fd)
{
    close(*(int *)fd);
}

ifd__code_archive ifd__code_fmu(ifd__reader *r, const char *path, const ifd_place *place)
{
    const ifd__code_archive none = {.path = ""};
    if (path && !r->doc.bundle->closed && access(path, F_OK) != 0) {
        if (r->code->load)
            ifd_note_add(r->note, IFD_FILE, place, "FMU '%s' cannot be read: the file does not exist", path);
        else
            leave_out(r, path, place, false);
        return none;
    }
    ifd__code_file file = ifd__code_admit(r, path, place, false);
    int *fd = file.path ? ifd_arena_take(r->arena, sizeof *fd) : NULL;
    if (!file.path)
        return none;
    if (fd)
        *fd = file.fd;
    if (fd && ifd_arena_on_close(r->arena, close_archive, fd))
        return (ifd__code_archive){.path = file.path, .fd = fd};
    close(file.fd);
    ifd__in_memory(r, false);
    return none;
}

void ifd__code_value(ifd__reader *r, ifd_value *file)
{
    const ifd__code_archive a =
        ifd__code_fmu(r, ifd__file_relative(r->arena, &file->place, file->word), &file->place);
    double *fd = a.fd ? ifd_arena_take(r->arena, sizeof *fd) : NULL;
    if (ifd__in_memory(r, fd || !a.fd) && fd)
        *fd = *a.fd;
    file->word = a.path;
    file->data = fd;
}

ifd__code_file ifd__code_rig(ifd__reader *r, const char *path, const ifd_place *place)
{
    if (!r->doc.bundle->closed || !path)
        return ifd__code_admit(r, path, place, false);
    leave_out(r, path, place, false); /* the record contains the required properties of its rig */
    return nothing;
}

static ifd_status refuse_open(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    (void)rig;
    (void)values;
    (void)arena;
    return ifd_note_advise(note, IFD_PLUGIN, NULL, "read the case with ifd_case_read_source and .code.load",
                           "the rig of this case is a plug-in, which is not loaded");
}
static const ifd_param no_params[] = {{0}};
const ifd_rig_ops ifd__unloaded_rig = {.abi = IFD_RIG_ABI,
                                       .name = "plugin",
                                       .summary = "a plug-in that is not loaded",
                                       .params = no_params,
                                       .open = refuse_open};
