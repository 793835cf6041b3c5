/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "faults/page.h"

#include <stdbool.h>
#include <string.h>

int page_lacks(const char *line)
{
    char read[1000];
    FILE *f = fopen(IFD_SOURCE_DIR "/docs/reference/faults.md", "r");
    assert_non_null(f);
    bool found = false;
    while (!found && fgets(read, sizeof read, f))
        found = strncmp(read, line, strlen(line)) == 0;
    fclose(f);
    if (!found)
        print_error("docs/reference/faults.md lacks\n%s\n", line);
    return !found;
}
