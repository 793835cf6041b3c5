/* SPDX-License-Identifier: MIT */
/* Reads a result and warns about missing ticks or a missing checksum. */
#include "missing.h"
#include "figure.h"
#include "working.h"

ifd_status missing_read(app *a, const char *path, ifd_table *out)
{
    const ifd_finding *before = a->note.remark_last;
    working w;
    working_begin(&w, a, "reading the result");
    ifd_status status = ifd_table_read(a->arena, path, out, &a->note);
    working_end(&w);
    for (const ifd_finding *f = before ? before->next : a->note.remark_first; status == IFD_OK && f; f = f->next)
        app_complain(a, "%s", f->text);
    return status;
}

ifd_status missing_read_as_run(app *a, const char *path, ifd_table *out)
{
    ifd_note quiet;
    ifd_case *c = NULL;
    IFD_TRY(missing_read(a, path, out));
    ifd_note_init(&quiet, a->arena);
    if (out->test && ifd_result_case(a->arena, path, &c, &quiet) != IFD_OK)
        c = NULL;
    if (out->test)
        IFD_TRY(table_as_run(a->arena, c, out));
    return out->rows > 0 ? IFD_OK : ifd_note_add(&a->note, IFD_FILE, NULL, "'%s' contains no rows", path);
}

int missing_say(app *a, const char *path, const ifd_table *t)
{
    if (t->missing == 0)
        return EXIT_FINE;
    return app_give_up(a, "the record of '%s' is incomplete: %s tick%s missing", path, thousands(t->missing).text,
                       t->missing == 1 ? " is" : "s are");
}
