/* SPDX-License-Identifier: MIT */
/* sources: src/link/wire.c
 * runs: 80000
 *
 * Messages of rigs. Every input is refused, or it is a message that is reproduced byte by byte. Built
 * and run by tools/fuzz, and part of tests/link/test_wire.c, which uses a fixed random sequence. Magic, version
 * and checksum are never guessed: an input is also tried after correct ones. */
#include <stdlib.h>
#include <string.h>

#include "link/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode(const uint8_t *data, size_t size)
{
    ifd__message m;
    uint8_t again[IFD__WIRE_SIZE];
    (void)ifd__wire_version(data, size);
    if (ifd__wire_decode(data, size, &m) != IFD__WIRE_IS_OK)
        return;
    ifd__wire_encode(&m, again);
    if (size != IFD__WIRE_SIZE || memcmp(again, data, size) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MAGIC = 6, CHECKSUM = IFD__WIRE_SIZE - 4 };
    const uint8_t head[MAGIC] = {'I', 'F', 'R', 'G', IFD__WIRE_VERSION, 0};
    uint8_t good[IFD__WIRE_SIZE] = {0};
    decode(data, size);
    memcpy(good, head, sizeof head);
    memcpy(good + MAGIC, data, size < CHECKSUM - MAGIC ? size : CHECKSUM - MAGIC);
    uint32_t sum = ifd__crc32(good, CHECKSUM);
    for (int i = 0; i < 4; i++)
        good[CHECKSUM + i] = (uint8_t)(sum >> (8 * i));
    decode(good, sizeof good);
    return 0;
}
