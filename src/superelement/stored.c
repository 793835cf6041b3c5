/* SPDX-License-Identifier: MIT */
/* What identifies a stored superelement and finds its columns. */
#include "superelement/stored.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

/* The file of a superelement: HDF5, with matrices as datasets and facts as attributes of the root, readable by other
 * programs. A line before the HDF5 part has the hash of that part: HDF5 itself does not survive every damage. */

enum { HEAD = 512, FORMAT = 1, LARGEST_ORDER = 100000, LARGEST_COLUMNS = 100000 };

/* HDF5 takes a file from memory only if there is none of its name. */
static const char NOWHERE[] = "/dev/null/superelement";
static const char LINE[] = "interfield superelement %016llx\n";

typedef struct quiet {
    H5E_auto2_t function;
    void *data;
} quiet;

static quiet quiet_begin(void)
{
    quiet q;
    H5Eget_auto2(H5E_DEFAULT, &q.function, &q.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return q;
}

static void quiet_end(const quiet *q)
{
    H5Eset_auto2(H5E_DEFAULT, q->function, q->data);
}

/* One side of the file: the same list of datasets and attributes is written and read. */
typedef struct content {
    hid_t file;
    ifd_arena *arena; /* reading: of texts */
    bool reading, good;
} content;

static void number(content *c, const char *name, hid_t type, void *value)
{
    if (!c->good)
        return;
    hid_t space = c->reading ? -1 : H5Screate(H5S_SCALAR);
    hid_t at = c->reading ? H5Aopen(c->file, name, H5P_DEFAULT)
                          : H5Acreate2(c->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    c->good = at >= 0 && (c->reading ? H5Aread(at, type, value) : H5Awrite(at, type, value)) >= 0;
    if (at >= 0)
        H5Aclose(at);
    if (space >= 0)
        H5Sclose(space);
}

static void real(content *c, const char *name, double *value)
{
    number(c, name, H5T_NATIVE_DOUBLE, value);
}

static void whole(content *c, const char *name, int *value)
{
    number(c, name, H5T_NATIVE_INT, value);
}

/* rows x columns numbers; HDF5 stores the last index first. */
static void array(content *c, const char *name, hid_t type, const int size[2], void *value)
{
    const hsize_t dims[] = {(hsize_t)size[1], (hsize_t)size[0]};
    if (!c->good || !dims[0] || !dims[1])
        return;
    hid_t space = H5Screate_simple(2, dims, NULL);
    hid_t set = c->reading ? H5Dopen2(c->file, name, H5P_DEFAULT)
                           : H5Dcreate2(c->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0 && c->reading) {
        hid_t found = H5Dget_space(set);
        c->good = H5Sextent_equal(found, space) > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
        H5Sclose(found);
    } else
        c->good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0;
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
}

/* Labels as texts of one length. */
static void labels(content *c, ifd_superelement *s)
{
    int columns = ifd__stored_columns(s), longest = 1;
    if (!c->reading)
        for (int i = 0; i < columns; i++)
            longest = (int)strlen(s->label[i]) > longest ? (int)strlen(s->label[i]) : longest;
    whole(c, "label_length", &longest);
    if (!c->good || longest < 1 || longest > 4096) {
        c->good = false;
        return;
    }
    size_t width = (size_t)longest + 1;
    char *text = ifd_arena_take(c->arena, width * (size_t)columns + 1);
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, width);
    c->good = text != NULL;
    for (int i = 0; text && i < columns && !c->reading; i++)
        snprintf(text + (size_t)i * width, width, "%s", s->label[i]);
    array(c, "labels", type, (const int[]){columns, 1}, text);
    H5Tclose(type);
    for (int i = 0; c->good && i < columns && c->reading; i++) {
        text[(size_t)(i + 1) * width - 1] = '\0';
        s->label[i] = text + (size_t)i * width;
    }
}

static void sizes(content *c, ifd_superelement *s)
{
    int format = FORMAT;
    ifd__physical *f = &s->element.form;
    whole(c, "format", &format);
    whole(c, "dofs", &f->order);
    whole(c, "interface_dofs", &f->interfaces);
    whole(c, "inputs", &s->inputs);
    whole(c, "watched", &s->watched);
    c->good = c->good && format == FORMAT && f->order >= 1 && f->order <= LARGEST_ORDER && f->interfaces >= 0 &&
              f->interfaces <= f->order && s->inputs >= 0 && s->inputs <= LARGEST_COLUMNS && s->watched >= 0 &&
              s->watched <= LARGEST_COLUMNS;
}

static void facts(content *c, ifd_superelement *s)
{
    ifd__certificate *bound = &s->element.certificate;
    int complete = s->element.complete;
    whole(c, "full_dofs", &s->full);
    real(c, "frequency", &s->frequency);
    real(c, "tolerance", &s->tolerance);
    real(c, "shift", &s->element.shift);
    real(c, "bound", &bound->bound);
    real(c, "bound_frequency", &bound->frequency);
    whole(c, "bound_row", &bound->row);
    whole(c, "bound_column", &bound->column);
    real(c, "modes_below", &bound->below);
    whole(c, "complete", &complete);
    real(c, "rayleigh_mass", &s->ray_m);
    real(c, "rayleigh_stiffness", &s->ray_k);
    number(c, "matrices_hash", H5T_NATIVE_UINT64, &s->matrices);
    s->element.complete = complete;
}

static void arrays(content *c, ifd_superelement *s)
{
    ifd__physical *f = &s->element.form;
    int r = f->order, p = f->interfaces, columns = ifd__stored_columns(s);
    array(c, "mass", H5T_NATIVE_DOUBLE, (const int[]){p, p}, f->mass);
    array(c, "stiffness", H5T_NATIVE_DOUBLE, (const int[]){p, p}, f->stiffness);
    array(c, "damping", H5T_NATIVE_DOUBLE, (const int[]){p, p}, s->damping);
    array(c, "coupling", H5T_NATIVE_DOUBLE, (const int[]){p, r - p}, f->coupling);
    array(c, "lambda", H5T_NATIVE_DOUBLE, (const int[]){r - p, 1}, f->lambda);
    array(c, "columns", H5T_NATIVE_DOUBLE, (const int[]){r, columns}, f->P);
    array(c, "ground_mass", H5T_NATIVE_DOUBLE, (const int[]){3, 1}, s->mass);
    array(c, "kinds", H5T_NATIVE_INT, (const int[]){columns, 1}, s->kind);
    array(c, "hashes", H5T_NATIVE_UINT64, (const int[]){columns, 1}, s->hash);
    labels(c, s);
}

static void time_check(content *c, const ifd_superelement_check *check)
{
    ifd_superelement_check copy = check ? *check : (ifd_superelement_check){0};
    int steps = (int)copy.steps;
    whole(c, "check_steps", &steps);
    real(c, "check_step", &copy.step);
    real(c, "check_difference", &copy.difference);
}

static void print_head(const unsigned char *rest, size_t length, char head[HEAD])
{
    memset(head, 0, HEAD);
    snprintf(head, HEAD, LINE, (unsigned long long)ifd__hash_bytes(IFD__HASH_START, rest, length));
}

/* Writes the line before the HDF5 part. */
static bool seal(ifd_arena *arena, const char *path)
{
    char head[HEAD];
    FILE *f = fopen(path, "r+b");
    long end = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    size_t length = end > HEAD ? (size_t)(end - HEAD) : 0;
    unsigned char *rest = length ? ifd_arena_take(arena, length) : NULL;
    bool good = rest && fseek(f, HEAD, SEEK_SET) == 0 && fread(rest, 1, length, f) == length;
    if (good) {
        print_head(rest, length, head);
        good = fseek(f, 0, SEEK_SET) == 0 && fwrite(head, 1, HEAD, f) == HEAD;
    }
    if (f)
        good = fclose(f) == 0 && good;
    return good;
}

static bool sealed(const ifd_superelement_bytes *from)
{
    char head[HEAD];
    if (from->length <= HEAD)
        return false;
    print_head((const unsigned char *)from->bytes + HEAD, from->length - HEAD, head);
    return memcmp(head, from->bytes, HEAD) == 0;
}

ifd_status ifd_superelement_write(const ifd_superelement *s, const ifd_superelement_check *check, const char *path,
                                  ifd_note *note)
{
    ifd_superelement copy = *s;
    quiet q = quiet_begin();
    ifd_arena *scratch = ifd_arena_open();
    hid_t create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(create, HEAD);
    content c = {.arena = scratch, .file = H5Fcreate(path, H5F_ACC_EXCL, create, H5P_DEFAULT)};
    c.good = scratch && c.file >= 0;
    sizes(&c, &copy);
    facts(&c, &copy);
    arrays(&c, &copy);
    time_check(&c, check);
    if (c.file >= 0)
        c.good = H5Fclose(c.file) >= 0 && c.good && seal(scratch, path);
    H5Pclose(create);
    ifd_arena_close(scratch);
    quiet_end(&q);
    if (c.good)
        return IFD_OK;
    return ifd_note_advise(note, IFD_FILE, NULL, "an existing file is not overwritten",
                           "the superelement could not be written to '%s'", path);
}

/* Arrays of a superelement whose sizes are set: element.form.order and .interfaces, inputs, watched. */
static ifd_status stored_take(ifd_arena *arena, ifd_superelement *s)
{
    ifd__physical *f = &s->element.form;
    size_t r = (size_t)f->order, p = (size_t)f->interfaces, q = r - p, columns = (size_t)ifd__stored_columns(s);
    return IFD__TAKE(arena, IFD__ARRAY(f->mass, p * p), IFD__ARRAY(f->stiffness, p * p),
                     IFD__ARRAY(f->coupling, p * q), IFD__ARRAY(f->lambda, q), IFD__ARRAY(f->P, r * columns),
                     IFD__ARRAY(s->damping, p * p), IFD__ARRAY(s->label, columns), IFD__ARRAY(s->kind, columns),
                     IFD__ARRAY(s->hash, columns));
}

static bool read_content(content *c, ifd_superelement *s)
{
    sizes(c, s);
    facts(c, s);
    c->good = c->good && stored_take(c->arena, s) == IFD_OK;
    arrays(c, s);
    return c->good;
}

static ifd_status unreadable(const ifd_superelement_bytes *from, ifd_note *note)
{
    bool any = from->length >= 22 && memcmp(from->bytes, LINE, 22) == 0;
    return ifd_note_advise(note, IFD_FILE, from->place, "interfield reduce CASE --out FILE makes it", "'%s' is %s",
                           from->name, any ? "the damaged file of a superelement" : "not the file of a superelement");
}

ifd_status ifd_superelement_read(ifd_arena *arena, const ifd_superelement_bytes *from, ifd_superelement **out,
                                 ifd_note *note)
{
    ifd_superelement *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    *out = s;
    if (!sealed(from))
        return unreadable(from, note);
    quiet q = quiet_begin();
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, (size_t)1 << 16, 0);
    bool taken = H5Pset_file_image(access, (void *)(uintptr_t)from->bytes, from->length) >= 0;
    content c = {.arena = arena, .reading = true};
    c.file = taken ? H5Fopen(NOWHERE, H5F_ACC_RDONLY, access) : -1;
    c.good = c.file >= 0;
    bool read = read_content(&c, s);
    if (c.file >= 0)
        H5Fclose(c.file);
    H5Pclose(access);
    quiet_end(&q);
    return read ? IFD_OK : unreadable(from, note);
}

int ifd__stored_columns(const ifd_superelement *s)
{
    return s->element.form.interfaces + s->inputs + s->watched;
}

int ifd__stored_find(const ifd_superelement *s, const char *label)
{
    for (int c = 0; c < ifd__stored_columns(s); c++)
        if (strcmp(s->label[c], label) == 0)
            return c;
    return -1;
}

const char *ifd__stored_dof(const ifd_superelement *s, int column)
{
    return strncmp(s->label[column], "dof ", 4) == 0 ? s->label[column] + 4 : NULL;
}

int ifd__stored_modal(const ifd_superelement *s)
{
    int count = 0, columns = ifd__stored_columns(s);
    while (count < s->watched &&
           strncmp(s->label[columns - 1 - count], IFD__MODAL_LABEL, strlen(IFD__MODAL_LABEL)) == 0)
        count++;
    return count;
}

static uint64_t matrix_hash(uint64_t h, const ifd_sparse *A)
{
    h = ifd__hash_bytes(h, A->p, sizeof *A->p * (size_t)(A->n + 1));
    h = ifd__hash_bytes(h, A->i, sizeof *A->i * (size_t)A->p[A->n]);
    return ifd__hash(h, A->x, (size_t)A->p[A->n]);
}

uint64_t ifd__structure_hash(const ifd__linear_structure *of)
{
    const double rayleigh[] = {of->ray_m, of->ray_k};
    uint64_t h = matrix_hash(IFD__HASH_START, of->M);
    return ifd__hash(matrix_hash(matrix_hash(h, of->C), of->K), rayleigh, 2);
}

uint64_t ifd__column_hash(const ifd__linear_structure *of, int c)
{
    size_t n = (size_t)of->K->n;
    if (c < of->interfaces)
        return ifd__hash_bytes(IFD__HASH_START, &of->interface[c], sizeof *of->interface);
    c -= of->interfaces;
    const double *column = c < of->inputs ? of->input + (size_t)c * n : of->row + (size_t)(c - of->inputs) * n;
    return ifd__hash(IFD__HASH_START, column, n);
}
