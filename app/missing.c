/* SPDX-License-Identifier: MIT */
#include "missing.h"

int missing_say(app *a, const char *path, const ifd_table *t)
{
    char count[40];
    if (t->missing == 0)
        return EXIT_FINE;
    count_print(count, sizeof count, t->missing);
    app_complain(a, "the record of '%s' is incomplete: %s tick%s made, but cannot be read", path, count,
                 t->missing == 1 ? " was" : "s were");
    return EXIT_RUN_FAILED;
}
