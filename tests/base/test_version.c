/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <interfield/version.h>

TEST(the_version_text_agrees_with_its_three_numbers)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", IFD_VERSION_MAJOR, IFD_VERSION_MINOR, IFD_VERSION_PATCH);
    assert_string_equal(ifd_version(), text);
}

TESTS()
