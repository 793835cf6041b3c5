/* SPDX-License-Identifier: MIT */
/* Writes the archive of an exported FMU. */
#include <interfield/fmi.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <zip.h>

#include <interfield/version.h>

#include "algebra/factors.h"
#include "base/arena.h"
#include "base/hash.h"
#include "fmi/table.h"
#include "method/stepper.h"
#include "method/tangent.h"
#include "model/dof_pair.h"
#include "model/serialise.h"

/* Methods that need no library at run time. */
static bool portable(const ifd_method *method)
{
#define METHOD(x)                                                                                                    \
    if (method == &ifd__method_##x)                                                                                  \
        return true;
#define LIBRARY_METHOD(x)
#include "method/methods.def"
    return false;
}

static bool is_identifier(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", digits[] = "0123456789";
    size_t n = text ? strlen(text) : 0;
    for (size_t i = 0; i < n; i++)
        if (!strchr(letters, text[i]) && (i == 0 || !strchr(digits, text[i])))
            return false;
    return n > 0 && n <= 64;
}

static ifd_status check(const ifd_fmu_options *o, ifd_note *note)
{
    if (o->version != 2 && o->version != 3)
        return ifd_note_add(note, IFD_RANGE, NULL, "FMI %d is not supported, only 2 and 3", o->version);
    if (!is_identifier(o->identifier))
        return ifd_note_add(note, IFD_RANGE, NULL, "'%s' is not a C identifier of at most 64 characters",
                            o->identifier ? o->identifier : "");
    if (!portable(o->step.method))
        return ifd_note_advise(
            note, IFD_UNSUPPORTED, NULL,
            "these methods can be exported: lsrt1, lsrt2, mg-alpha, newmark, hht, generalized-alpha, "
            "central-difference, chang",
            "method %s cannot be exported: it needs libraries at run time", o->step.method->name);
    return o->rows > o->model->n ? ifd_note_add(note, IFD_CONFLICT, NULL, "there are %d interface rows on %d dofs",
                                                o->rows, o->model->n)
                                 : IFD_OK;
}

/* Number of terms with a dof; these terms. */
static void put_ends(ifd__ends e, ifd__bytes *out)
{
    int terms = 0;
    double c;
    for (int i = 0; i < ifd__ends_count(e); i++)
        terms += ifd__end(e, i, &c) >= 0;
    ifd__put_int(out, e.row ? terms : 0);
    for (int i = 0; i < ifd__ends_count(e); i++) {
        int dof = ifd__end(e, i, &c);
        if (e.row && dof < 0)
            continue;
        ifd__put_int(out, dof < IFD_GROUND ? IFD_GROUND : dof);
        if (e.row)
            ifd__put_double(out, c);
    }
}

static void put_method(const ifd_step_options *step, ifd__bytes *out)
{
    ifd__put_text(out, step->method->name);
    ifd__put_values(out, step->method->params, step->value);
    ifd__put_double(out, step->h);
    ifd__put_int(out, step->estimates);
    for (int k = 0; k < step->estimates; k++) {
        put_ends(IFD__ENDS(&step->estimate[k]), out);
        ifd__put_double(out, step->estimate[k].stiffness);
        ifd__put_double(out, step->estimate[k].damping);
    }
}

/* The model is made from its serialised bytes in an arena that records factorisations: exactly those that the
 * runtime needs. */
static ifd_status put_body(ifd_arena *scratch, const ifd_fmu_options *o, ifd__bytes *out, ifd_note *note)
{
    ifd__bytes frozen = {.arena = scratch};
    ifd_model *m;
    ifd_stepper *s;
    ifd__tangent *mass;
    IFD_TRY(ifd__model_serialise(o->model, &frozen, note));
    ifd__factors *factors = ifd__factors_make(scratch);
    if (!factors)
        return IFD_NO_MEMORY;
    ifd__taking in = {.arena = scratch, .at = frozen.data, .end = frozen.data + frozen.length};
    IFD_TRY(ifd__model_deserialise(scratch, &in, NULL, NULL, &m, note));
    IFD_TRY(ifd_stepper_make(scratch, &o->step, m, &s, note));
    IFD_TRY(ifd__tangent_make(scratch, m, &(ifd__tangent_options){.cm = 1.0}, &mass, note));
    ifd__factors_put(factors, out);
    ifd__put(out, frozen.data, frozen.length);
    put_method(&o->step, out);
    return out->failed ? IFD_NO_MEMORY : IFD_OK;
}

static void put_interface(const ifd_fmu_options *o, const ifd__fmu_table *t, ifd__bytes *out)
{
    ifd__put_int(out, o->model->n);
    ifd__put_int(out, o->model->nq);
    ifd__put_int(out, o->rows);
    for (int k = 0; k < o->rows; k++) {
        put_ends(IFD__ENDS(&o->row[k]), out);
        ifd__put_double(out, o->devices ? o->devices[k] : 1.0);
    }
    ifd__put_int(out, t->grounds);
    ifd__put_ints(out, (size_t)t->grounds, t->ground);
    ifd__put_int(out, t->channels);
    for (int k = 0; k < t->channels; k++) {
        ifd__put_int(out, t->channel[k].kind);
        ifd__put_int(out, t->channel[k].at);
    }
    ifd__put_int(out, t->tunables);
    for (int k = 0; k < t->tunables; k++) {
        ifd__put_int(out, t->tunable[k].element);
        ifd__put_int(out, t->tunable[k].parameter);
    }
    ifd__put_int(out, t->count);
    for (int k = 0; k < t->count; k++) {
        ifd__put_int(out, t->row[k].kind);
        ifd__put_int(out, t->row[k].index);
        ifd__put_double(out, t->row[k].start);
        ifd__put_int(out, t->row[k].range);
        ifd__put_double(out, t->row[k].min);
        ifd__put_double(out, t->row[k].max);
    }
}

/* A hash of all data that determine the meaning of variables. */
static const char *token_of(ifd_arena *arena, const ifd_fmu_options *o, const ifd__fmu_table *t,
                            const ifd__bytes *body)
{
    uint64_t a = ifd__hash_bytes(IFD__HASH_START, body->data, body->length),
             b = ifd__hash_bytes(~a, IFD_VERSION, sizeof IFD_VERSION);
    for (int k = 0; k < t->count; k++)
        b = ifd__hash_bytes(b, t->row[k].name, strlen(t->row[k].name));
    b = ifd__hash_bytes(b, o->identifier, strlen(o->identifier));
    return ifd_arena_print(arena, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(a >> 32), (unsigned)(a >> 16 & 0xffff),
                           (unsigned)(a & 0xffff), (unsigned)(b >> 48), (unsigned long long)(b & 0xffffffffffffULL));
}

/* A stored entry with the earliest date of the format, so that equal content gives equal bytes. */
static bool add_entry(zip_t *z, const char *name, zip_source_t *source)
{
    enum { DAY = 0x21 /* 1 January 1980 */ };
    zip_int64_t i = source ? zip_file_add(z, name, source, ZIP_FL_ENC_UTF_8) : -1;
    if (i < 0)
        zip_source_free(source);
    return i >= 0 && zip_set_file_compression(z, (zip_uint64_t)i, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(z, (zip_uint64_t)i, 0, DAY, 0) == 0 &&
           zip_file_set_external_attributes(z, (zip_uint64_t)i, 0, ZIP_OPSYS_DOS, 0) == 0;
}

/* Never replaces an existing file. */
static ifd_status create(const char *path, ifd_note *note)
{
    FILE *out = fopen(path, "wbx");
    if (out && fclose(out) == 0)
        return IFD_OK;
    return ifd_note_add(note, errno == EEXIST ? IFD_CONFLICT : IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path,
                        strerror(errno));
}

ifd_status ifd_fmu_export(ifd_arena *arena, const ifd_fmu_options *o, const char *path, ifd_note *note)
{
    IFD_TRY(check(o, note));
    ifd_arena *scratch IFD__CLOSED = ifd_arena_open();
    ifd__fmu_table table;
    ifd__bytes body = {.arena = arena}, image = {.arena = arena};
    IFD_TRY(ifd__fmu_table_make(arena, o, &table));
    IFD_TRY(put_body(scratch, o, &body, note));
    if (!o->runtime || access(o->runtime, R_OK) != 0)
        return ifd_note_add(note, IFD_FILE, NULL, "the runtime '%s' of exported models cannot be read",
                            o->runtime ? o->runtime : "");
    const char *token = token_of(arena, o, &table, &body);
    const char *binary =
        ifd_arena_print(arena, "binaries/%s/%s.so", o->version == 2 ? "linux64" : "x86_64-linux", o->identifier);
    if (!token || !binary)
        return IFD_NO_MEMORY;
    ifd__put(&image, IFD__FMU_MARK, sizeof IFD__FMU_MARK - 1);
    ifd__put_int(&image, IFD__FMU_SCHEMA);
    ifd__put_text(&image, token);
    put_interface(o, &table, &image);
    ifd__put(&image, body.data, body.length);
    const char *xml = ifd__fmu_describe(arena, o, &table, token);
    if (image.failed || !xml)
        return IFD_NO_MEMORY;
    IFD_TRY(create(path, note));
    zip_t *z = zip_open(path, ZIP_TRUNCATE, NULL);
    if (z && add_entry(z, "modelDescription.xml", zip_source_buffer(z, xml, strlen(xml), 0)) &&
        add_entry(z, binary, zip_source_file(z, o->runtime, 0, -1)) &&
        add_entry(z, "resources/model.bin", zip_source_buffer(z, image.data, image.length, 0)) && zip_close(z) == 0)
        return IFD_OK;
    if (z)
        zip_discard(z);
    remove(path);
    return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' could not be written completely", path);
}
