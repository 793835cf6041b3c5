/* SPDX-License-Identifier: MIT */
/* Numeric checks for the tests, and the includes that cmocka asks for. Include this before anything else.
 *
 *     assert_near(order, 2.0, 0.05, "ss = %d", ss);         // |actual - expected| <= tol
 *     assert_near_rel(f, 12.1927, 1e-8, "mode %d", i);      // |actual - expected| <= tol |expected|
 *
 * A failure prints both values, their difference and the tolerance. A NaN is never near anything. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* 1 with sanitizers, where a test may leave out what takes no other way through the code. */
#ifdef IFD_BRIEF
enum { BRIEF = 1 };
#else
enum { BRIEF = 0 };
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A macro, so that the failure carries the line of the test, and a NaN in any operand fails. The last arguments are a
 * printf format and its values; the format must be there ("" will do). */
#define assert_near(actual, expected, tol, ...)                                                                      \
    check_near((actual), (expected), (tol), __FILE__, __LINE__, __VA_ARGS__)
#define assert_near_rel(actual, expected, tol, ...)                                                                  \
    check_near((actual), (expected), (tol)*fabs(expected), __FILE__, __LINE__, __VA_ARGS__)

__attribute__((format(printf, 6, 7), unused)) static void
check_near(double actual, double expected, double tol, const char *file, int line, const char *format, ...)
{
    if (fabs(actual - expected) <= tol)
        return;
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    print_error("%s\n    actual     %.17g\n    expected   %.17g\n    difference %.3e, tolerance %.3e\n", what, actual,
                expected, actual - expected, tol);
    _fail(file, line);
}

#endif
