/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <interfield/version.h>

static void the_version_text_agrees_with_its_three_numbers(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", IFD_VERSION_MAJOR, IFD_VERSION_MINOR, IFD_VERSION_PATCH);
    assert_string_equal(ifd_version(), text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_text_agrees_with_its_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
