/* SPDX-License-Identifier: MIT */
/* Cases from texts, and entries of the matrices of their models; with the arena and the note of fixture.h. */
#pragma once

#include <interfield/case.h>
#include <interfield/report.h>

#include "check.h"
#include "fixture.h"
#include "record/files.h"
#include "model/model.h"

/* The case of a text with at most one override; its findings are printed when it cannot be read. */
__attribute__((unused)) static const ifd_case *read_set(const char *text, const char *set)
{
    ifd_case *c = NULL;
    ifd_case_source source = {.path = files_write("case.yaml", text), .sets = set ? 1 : 0, .set = &set};
    source.code.load = true;
    ifd_status s = ifd_case_read_source(arena, &source, &c, &note);
    if (s != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_int_equal(s, IFD_OK);
    return c;
}

__attribute__((unused)) static const ifd_case *read(const char *text)
{
    return read_set(text, NULL);
}

__attribute__((unused)) static double entry(const ifd_sparse *A, int i, int j)
{
    return i >= j || !A->symmetric ? ifd__sparse_get(A, i, j) : ifd__sparse_get(A, j, i);
}
