/* SPDX-License-Identifier: MIT */
/* library: all
 * runs: 3000
 *
 * Results. HDF5 reads a result.h5 in a child process, and this process reads the output of the child. Most inputs
 * change the bytes of such a message, which is made here: it is refused with a reason, or is a consistent table. The
 * others change a result.h5 that is made once, and use both processes; failures of HDF5 are confined to the child.
 * Built and run by tools/fuzz. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/result_read.c" /* its inside, both sides */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 3, CHANNELS = 2, MOST = 1 << 16, FILES_OF_256 = 4 /* so many of 256 inputs are files */ };

static void demand(int holds)
{
    if (!holds)
        abort();
}

static int memory_of(const void *bytes, size_t length)
{
    int memory = memfd_create("fuzz", MFD_CLOEXEC);
    demand(memory >= 0 && write(memory, bytes, length) == (ssize_t)length && lseek(memory, 0, SEEK_SET) == 0);
    return memory;
}

/* The message of a correct child with a table; returns its length. */
static size_t message(unsigned char *out)
{
    double column[ROWS] = {0.0, 0.5, 1684.0}, *values[CHANNELS] = {column, column};
    ifd_column channel[CHANNELS] = {{.name = "simulated time", .unit = "s", .group = "test"},
                                    {.name = "spring target", .unit = "m", .group = "rig"}};
    ifd_table t = {.title = "a title",
                   .method = "lsrt2",
                   .outcome = "incomplete",
                   .kernels = "scalar",
                   .cpu = "",
                   .case_text = "title: a case",
                   .reason = "",
                   .test = true,
                   .rows = ROWS,
                   .columns = CHANNELS,
                   .time = column,
                   .column = channel,
                   .value = values};
    reading r = {.table = &t};
    int memory = memory_of("", 0);
    ifd__child_pipe to = {memory};
    send_table(&r, &to);
    off_t length = lseek(memory, 0, SEEK_CUR);
    demand(length > 0 && length < MOST && pread(memory, out, (size_t)length, 0) == length);
    close(memory);
    return (size_t)length;
}

/* A small file that HDF5 reads as a result; returns its length. */
static size_t result(unsigned char *out)
{
    char path[64];
    const double values[ROWS] = {1, 2, 3};
    hsize_t rows = ROWS;
    snprintf(path, sizeof path, "seed-%ld.h5", (long)getpid());
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate_simple(1, &rows, NULL);
    static const char *const names[] = {"time", "x", "y"};
    for (int i = 0; i < 3; i++) {
        long index = i - 1;
        hid_t set = H5Dcreate2(file, names[i], H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        hid_t one = H5Screate(H5S_SCALAR);
        hid_t at = H5Acreate2(set, "index", H5T_NATIVE_LONG, one, H5P_DEFAULT, H5P_DEFAULT);
        demand(set >= 0 && at >= 0 && H5Awrite(at, H5T_NATIVE_LONG, &index) >= 0);
        demand(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        H5Aclose(at);
        H5Sclose(one);
        H5Dclose(set);
    }
    long schema = IFD_RESULT_SCHEMA;
    hid_t one = H5Screate(H5S_SCALAR);
    hid_t at = H5Acreate2(file, "schema", H5T_NATIVE_LONG, one, H5P_DEFAULT, H5P_DEFAULT);
    demand(at >= 0 && H5Awrite(at, H5T_NATIVE_LONG, &schema) >= 0);
    H5Aclose(at);
    H5Sclose(one);
    H5Sclose(space);
    demand(file >= 0 && H5Fclose(file) >= 0);
    FILE *made = fopen(path, "rb");
    demand(made != NULL);
    size_t length = fread(out, 1, MOST, made);
    demand(length > 0 && length < MOST);
    fclose(made);
    unlink(path);
    return length;
}

static void agree(const ifd_table *t)
{
    double sum = 0;
    demand(t->rows >= 0 && t->columns >= 0 && t->missing >= 0 && t->title && t->method && t->outcome && t->reason &&
           t->case_text);
    for (int i = 0; i < t->columns; i++) {
        demand(t->column[i].name && t->column[i].unit && t->column[i].group);
        for (long k = 0; k < t->rows; k++)
            sum += t->value[i][k] > 0 && t->time[k] >= 0;
    }
    demand(sum >= 0);
}

static void change(unsigned char *bytes, size_t length, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i += 3)
        bytes[((size_t)data[i] << 8 | data[i + 1]) % length] = data[i + 2];
}

static bool read_message(ifd_arena *arena, const uint8_t *data, size_t size)
{
    static unsigned char bytes[MOST];
    ifd_table t = {0};
    size_t length = message(bytes);
    change(bytes, length, data, size);
    length = data[0] & 1 ? length : (size_t)data[1] * length / 255;
    ifd__child c = {.fd = memory_of(bytes, length)};
    reading r = {.arena = arena, .table = &t};
    bool good = get_table(&r, &c, MOST);
    if (good)
        agree(&t);
    close(c.fd);
    return good;
}

static bool read_file_of(ifd_arena *arena, const uint8_t *data, size_t size)
{
    static unsigned char whole[MOST], bytes[MOST];
    static size_t length;
    char path[64];
    ifd_table t;
    ifd_note note;
    ifd_note_init(&note, arena);
    length = length ? length : result(whole);
    memcpy(bytes, whole, length);
    change(bytes, length, data, size);
    snprintf(path, sizeof path, "input-%ld.h5", (long)getpid()); /* HDF5 needs a path */
    FILE *made = fopen(path, "wb");
    demand(made && fwrite(bytes, 1, length, made) == length && fclose(made) == 0);
    bool good = ifd_table_read(arena, path, &t, &note) == IFD_OK;
    if (good)
        agree(&t);
    else
        demand(note.errors > 0 && note.first->text[0]);
    unlink(path);
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    ifd_arena *arena = ifd_arena_open();
    demand(arena != NULL);
    static const uint8_t whole[] = {1}, whole_now[] = {3}; /* without changes */
    static bool tried;
    if (!tried) /* the unchanged inputs are valid */
        demand(read_message(arena, whole, 1) && read_message(arena, whole_now, 1) && read_file_of(arena, whole, 1));
    tried = true;
    if (data[0] < FILES_OF_256)
        read_file_of(arena, data + 1, size - 1);
    else
        read_message(arena, data, size);
    ifd_arena_close(arena);
    return 0;
}
