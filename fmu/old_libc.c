/* SPDX-License-Identifier: MIT */
/* Functions of the C library under the versions that glibc 2.31 has, so that an exported FMU loads there too. The
 * linker leads every call of them here (--wrap, cmake/fmu.cmake). Their newer versions differ in what they do with
 * errno; the numbers are the same. */
#define HIDDEN __attribute__((visibility("hidden")))

__asm__(".symver old_hypot, hypot@GLIBC_2.2.5");
extern double old_hypot(double x, double y);

HIDDEN double __wrap_hypot(double x, double y);
HIDDEN double __wrap_hypot(double x, double y)
{
    return old_hypot(x, y);
}
