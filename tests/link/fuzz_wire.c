/* SPDX-License-Identifier: MIT */
/* Whatever comes in: it is refused, or it is a message that is written back byte for byte. Linked into the tests of
 * this folder, which feed it a fixed random sequence; for a long hunt
 *
 *     clang -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Isrc tests/link/fuzz_wire.c src/link/wire.c
 */
#include <stdlib.h>
#include <string.h>

#include "link/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ifd__message m;
    uint8_t again[IFD__WIRE_SIZE];
    (void)ifd__wire_version(data, size);
    if (ifd__wire_decode(data, size, &m) != IFD__WIRE_IS_OK)
        return 0;
    ifd__wire_encode(&m, again);
    if (size != IFD__WIRE_SIZE || memcmp(again, data, size) != 0)
        abort();
    return 0;
}
