/* SPDX-License-Identifier: MIT */
/* IFD__WIDE before a static function with loops over vectors: it is compiled a second time with 256-bit vectors, and
 * the loader selects the one for the processor. Without fused operations (-ffp-contract=off) both compute the same
 * bits. Not with sanitizers, whose code may not run before the program does. */
#pragma once

#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) &&                     \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define IFD__WIDE __attribute__((target_clones("avx2", "default")))
#else
#define IFD__WIDE
#endif

/* IFD__SCALAR before a function that loads numbers which were just stored one by one: a load of two of them at once
 * would wait until both are in the cache. */
#if defined(__GNUC__) && !defined(__clang__)
#define IFD__SCALAR __attribute__((optimize("no-tree-vectorize", "no-tree-slp-vectorize")))
#else
#define IFD__SCALAR
#endif
