/* SPDX-License-Identifier: MIT */
/* Numeric checks for the tests, and the includes that cmocka asks for. Include this before anything else.
 *
 *     assert_near(order, 2.0, 0.05, "ss = %d", ss);         // |actual - expected| <= tol
 *     assert_near_rel(f, 12.1927, 1e-8, "mode %d", i);      // |actual - expected| <= tol |expected|
 *
 * A failure prints both values, their difference and the tolerance. A NaN is never near anything.
 *
 * A test is a function whose name is a sentence. A file ends with TESTS(), which runs them in the order of lines:
 *
 *     TEST(lsrt2_converges_at_second_order)
 *     {
 *         ...
 *     }
 *
 *     TESTS() */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

/* With functions of cmocka before and after the test, or NULL. */
#define TEST_WITH(name, set_up, tear_down)                                                                           \
    static void name(void **state);                                                                                  \
    __attribute__((constructor)) static void add_##name(void)                                                        \
    {                                                                                                                \
        test_add((struct CMUnitTest){#name, name, set_up, tear_down, NULL}, __LINE__);                               \
    }                                                                                                                \
    static void name(void **state __attribute__((unused)))
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_IN_ARENA(name) TEST_WITH(name, open_arena, close_arena) /* fixture.h */

/* With functions before the first and after the last test, or NULL. */
#define TESTS_WITH(set_up, tear_down)                                                                                \
    int main(void)                                                                                                   \
    {                                                                                                                \
        return _cmocka_run_group_tests("tests", test_rows, (size_t)test_count, set_up, tear_down);                   \
    }
#define TESTS() TESTS_WITH(NULL, NULL)

static struct CMUnitTest test_rows[128] __attribute__((unused));
static int test_lines[COUNT(test_rows)], test_count __attribute__((unused));

__attribute__((unused)) static void test_add(struct CMUnitTest row, int line)
{
    int at = test_count++;
    if (test_count > (int)COUNT(test_rows))
        abort();
    for (; at > 0 && test_lines[at - 1] > line; at--) {
        test_rows[at] = test_rows[at - 1];
        test_lines[at] = test_lines[at - 1];
    }
    test_rows[at] = row;
    test_lines[at] = line;
}
