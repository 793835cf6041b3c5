/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "listed.h"
#include "yaml_text.h"

const ifd__node *listed(ifd_arena *arena, const char *folder, const char *name, ifd_note *note)
{
    char path[512], *text = NULL;
    size_t size = 0;
    ifd__yaml doc;
    snprintf(path, sizeof path, "%s/cases/%s/%s", IFD_SOURCE_DIR, folder, name);
    FILE *in = fopen(path, "r");
    if (!in)
        return NULL;
    assert_true(getdelim(&text, &size, '\0', in) > 0);
    fclose(in);
    /* JSON is YAML; a list is no case file, so it is put into a mapping. */
    const char *map = ifd_arena_print(arena, "{\"list\": %s}\n", text);
    free(text);
    ifd_status status = yaml_text(arena, path, map, strlen(map), &doc, note);
    if (status != IFD_OK)
        ifd_note_print(note, stderr, false);
    assert_int_equal(status, IFD_OK);
    return ifd__yaml_get(doc.root, "list");
}
