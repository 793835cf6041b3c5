/* SPDX-License-Identifier: MIT */
/* Functions of the C library in the versions of glibc 2.31, so that an exported FMU also loads there. The linker
 * redirects every call to these (--wrap, cmake/fmu.cmake). Newer versions differ only in their use of errno; the
 * numbers are equal. */
#define HIDDEN __attribute__((visibility("hidden")))

__asm__(".symver old_hypot, hypot@GLIBC_2.2.5");
extern double old_hypot(double x, double y);

HIDDEN double __wrap_hypot(double x, double y);
HIDDEN double __wrap_hypot(double x, double y)
{
    return old_hypot(x, y);
}
