/* SPDX-License-Identifier: MIT */
/* Storing and restoring the block of an instance, in memory or as bytes. */
#include "instance.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static size_t state_size(const fmu *f)
{
    return sizeof *f->block * (size_t)f->size;
}

bool fmu_state_load(fmu *f, const void *block)
{
    const fmu_head *saved = block;
    if (!block)
        return fmu_refuse(f, FMU_NO_STATE);
    double mode = saved->mode;
    if (!(mode >= FMU_MADE && mode <= FMU_BROKEN))
        return fmu_refuse(f, FMU_STATE_WRONG);
    memcpy(f->block, block, state_size(f));
    f->stale = f->elements_stale = true;
    bool other = memcmp(f->built, fmu_parameters(f), sizeof *f->built * (size_t)f->parameters) != 0;
    unsigned was = fmu_arithmetic();
    bool good = mode <= FMU_INITIAL || !other || fmu_build(f);
    _mm_setcsr(was);
    if (good)
        return true;
    fmu_head_of(f)->mode = FMU_BROKEN;
    return false;
}

/* Version, hash of the token, count, hash of the block; then the block, least significant byte first. */
enum { SERIAL_VERSION = 2, SERIAL_HEAD = 32 };

static void put_word(unsigned char *to, uint64_t word)
{
    for (int k = 0; k < 8; k++)
        to[k] = (unsigned char)(word >> 8 * k);
}

static uint64_t get_word(const unsigned char *from)
{
    uint64_t word = 0;
    for (int k = 0; k < 8; k++)
        word |= (uint64_t)from[k] << 8 * k;
    return word;
}

size_t fmu_serial_size(const fmu *f)
{
    return SERIAL_HEAD + state_size(f);
}

bool fmu_serialise(fmu *f, const void *block, unsigned char *bytes, size_t size)
{
    const double *x = block;
    if (!block || size < fmu_serial_size(f))
        return fmu_refuse(f, FMU_NO_STATE);
    put_word(bytes, SERIAL_VERSION);
    put_word(bytes + 8, f->image.identity);
    put_word(bytes + 16, (uint64_t)f->size);
    for (int i = 0; i < f->size; i++) {
        uint64_t word;
        memcpy(&word, &x[i], sizeof word);
        put_word(bytes + SERIAL_HEAD + 8 * (size_t)i, word);
    }
    put_word(bytes + 24, ifd__hash_bytes(IFD__HASH_START, bytes + SERIAL_HEAD, 8 * (size_t)f->size));
    return true;
}

static bool from_bytes(fmu *f, const unsigned char *bytes, size_t size, void *block)
{
    double *x = block;
    if (size < fmu_serial_size(f) || get_word(bytes) != SERIAL_VERSION || get_word(bytes + 8) != f->image.identity ||
        get_word(bytes + 16) != (uint64_t)f->size)
        return fmu_refuse(f, FMU_STATE_OTHER);
    if (get_word(bytes + 24) != ifd__hash_bytes(IFD__HASH_START, bytes + SERIAL_HEAD, 8 * (size_t)f->size))
        return fmu_refuse(f, FMU_STATE_DAMAGED);
    for (int i = 0; i < f->size; i++) {
        uint64_t word = get_word(bytes + SERIAL_HEAD + 8 * (size_t)i);
        memcpy(&x[i], &word, sizeof word);
    }
    return true;
}

bool fmu_state_get(fmu *f, void **state)
{
    if (!*state)
        *state = malloc(state_size(f));
    if (!*state)
        return fmu_refuse(f, FMU_MEMORY);
    memcpy(*state, f->block, state_size(f));
    return true;
}

void fmu_state_free(void **state)
{
    if (state) {
        free(*state);
        *state = NULL;
    }
}

bool fmu_state_take(fmu *f, const unsigned char *bytes, size_t size, void **state)
{
    void *block = *state ? *state : malloc(state_size(f));
    bool good = block && from_bytes(f, bytes, size, block);
    if (good)
        *state = block;
    else if (block != *state)
        free(block);
    return good;
}
