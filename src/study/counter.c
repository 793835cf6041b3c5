/* SPDX-License-Identifier: MIT */
/* Random numbers as a function of key and counter (Philox). */
#include "study/sampling.h"

void ifd__philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
    for (int round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k[1],
                            (uint32_t)a};
        for (int i = 0; i < 4; i++)
            c[i] = next[i];
        k[0] += UINT32_C(0x9E3779B9);
        k[1] += UINT32_C(0xBB67AE85);
    }
    for (int i = 0; i < 4; i++)
        out[i] = c[i];
}

uint64_t ifd__counter_bits(uint64_t seed, ifd__purpose purpose, uint64_t member, uint32_t variable)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)member, (uint32_t)(member >> 32), variable, (uint32_t)purpose};
    uint32_t out[4];
    ifd__philox(counter, key, out);
    return (uint64_t)out[1] << 32 | out[0];
}

double ifd__counter_unit(uint64_t seed, ifd__purpose purpose, uint64_t member, uint32_t variable)
{
    return ((double)(ifd__counter_bits(seed, purpose, member, variable) >> 11) + 0.5) * 0x1p-53;
}
