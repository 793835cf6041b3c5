/* SPDX-License-Identifier: MIT */
/* library: all
 *
 * Results. HDF5 reads a result.h5 in a child process, and this process reads what the child writes. Most inputs
 * change the bytes of such a message, which is made here: what comes of it is refused with a reason, or is a table
 * whose parts agree. The others change a result.h5 that is made once, and go through both sides; what HDF5 does with
 * it stays in its child. Built and run by tools/fuzz. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/result_read.c" /* its inside, both sides */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 3, CHANNELS = 2, MOST = 1 << 16, FILES_OF_256 = 8 /* so many of 256 inputs are files */ };

static void demand(int holds)
{
    if (!holds)
        abort();
}

static int memory_of(const void *bytes, size_t length, char path[64])
{
    int memory = memfd_create("fuzz", MFD_CLOEXEC);
    demand(memory >= 0 && write(memory, bytes, length) == (ssize_t)length && lseek(memory, 0, SEEK_SET) == 0);
    snprintf(path, 64, "/proc/self/fd/%d", memory);
    return memory;
}

/* The message of a good child; its length. */
static size_t message(unsigned char *out)
{
    const int64_t first[SENT_FIRST] = {0}, number[SENT] = {1, ROWS, CHANNELS, 0};
    const double column[ROWS] = {0.0, 0.5, -1684.0};
    char path[64];
    int memory = memory_of("", 0, path);
    ifd__child_pipe to = {memory};
    ifd__child_put(&to, first, sizeof first);
    for (int i = 0; i < 7; i++)
        ifd__child_put_text(&to, i ? "a text" : "");
    ifd__child_put(&to, number, sizeof number);
    ifd__child_put(&to, column, sizeof column);
    for (int i = 0; i < CHANNELS; i++) {
        for (int k = 0; k < 3; k++)
            ifd__child_put_text(&to, "name");
        ifd__child_put(&to, column, sizeof column);
    }
    off_t length = lseek(memory, 0, SEEK_CUR);
    demand(length > 0 && length < MOST && pread(memory, out, (size_t)length, 0) == length);
    close(memory);
    return (size_t)length;
}

/* A small file that HDF5 reads as a result; its length. */
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
    demand(t->rows >= 0 && t->channels >= 0 && t->missing >= 0 && t->title && t->method && t->outcome &&
           t->case_text);
    for (int i = 0; i < t->channels; i++) {
        demand(t->channel[i].name && t->channel[i].unit && t->channel[i].group);
        for (long k = 0; k < t->rows; k++)
            sum += t->column[i][k] > 0 && t->time[k] >= 0;
    }
    demand(sum >= 0);
}

static void change(unsigned char *bytes, size_t length, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i + 3 <= size; i += 3)
        bytes[((size_t)data[i] << 8 | data[i + 1]) % length] = data[i + 2];
}

static void hear(ifd_arena *arena, const uint8_t *data, size_t size)
{
    static unsigned char bytes[MOST];
    char path[64];
    ifd_table t = {0};
    size_t length = message(bytes);
    change(bytes, length, data, size);
    length = data[0] & 1 ? length : (size_t)data[1] * length / 255;
    ifd__child c = {.fd = memory_of(bytes, length, path)};
    reading r = {.arena = arena, .table = &t, .path = path};
    if (listen(&r, &c) && !r.trouble)
        agree(&t);
    close(c.fd);
}

static void read_file_of(ifd_arena *arena, const uint8_t *data, size_t size)
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
    int memory = memory_of(bytes, length, path);
    if (ifd_table_read(arena, path, &t, &note) == IFD_OK)
        agree(&t);
    else
        demand(note.errors > 0 && note.first->text[0]);
    close(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    ifd_arena *arena = ifd_arena_open();
    demand(arena != NULL);
    if (data[0] < FILES_OF_256)
        read_file_of(arena, data + 1, size - 1);
    else
        hear(arena, data, size);
    ifd_arena_close(arena);
    return 0;
}
