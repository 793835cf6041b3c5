/* SPDX-License-Identifier: MIT */
/* What identifies a stored superelement and finds its columns. */
#include "superelement/stored.h"

#include <string.h>

#include "base/hash.h"

int ifd__stored_columns(const ifd_superelement *s)
{
    return s->element.form.interfaces + s->inputs + s->watched;
}

int ifd__stored_find(const ifd_superelement *s, const char *label)
{
    for (int c = 0; c < ifd__stored_columns(s); c++)
        if (strcmp(s->label[c], label) == 0)
            return c;
    return -1;
}

const char *ifd__stored_dof(const ifd_superelement *s, int column)
{
    return strncmp(s->label[column], "dof ", 4) == 0 ? s->label[column] + 4 : NULL;
}

int ifd__stored_modal(const ifd_superelement *s)
{
    int count = 0, columns = ifd__stored_columns(s);
    while (count < s->watched &&
           strncmp(s->label[columns - 1 - count], IFD__MODAL_LABEL, strlen(IFD__MODAL_LABEL)) == 0)
        count++;
    return count;
}

static uint64_t matrix_hash(uint64_t h, const ifd_sparse *A)
{
    h = ifd__hash_bytes(h, A->p, sizeof *A->p * (size_t)(A->n + 1));
    h = ifd__hash_bytes(h, A->i, sizeof *A->i * (size_t)A->p[A->n]);
    return ifd__hash(h, A->x, (size_t)A->p[A->n]);
}

uint64_t ifd__structure_hash(const ifd__linear_structure *of)
{
    const double rayleigh[] = {of->ray_m, of->ray_k};
    uint64_t h = matrix_hash(IFD__HASH_START, of->M);
    return ifd__hash(matrix_hash(matrix_hash(h, of->C), of->K), rayleigh, 2);
}

uint64_t ifd__column_hash(const ifd__linear_structure *of, int c)
{
    size_t n = (size_t)of->K->n;
    if (c < of->interfaces)
        return ifd__hash_bytes(IFD__HASH_START, &of->interface[c], sizeof *of->interface);
    c -= of->interfaces;
    const double *column = c < of->inputs ? of->input + (size_t)c * n : of->row + (size_t)(c - of->inputs) * n;
    return ifd__hash(IFD__HASH_START, column, n);
}

ifd_status ifd__stored_take(ifd_arena *arena, ifd_superelement *s)
{
    ifd__physical *f = &s->element.form;
    size_t r = (size_t)f->order, p = (size_t)f->interfaces, q = r - p, columns = (size_t)ifd__stored_columns(s);
    return IFD__TAKE(arena, IFD__ARRAY(f->mass, p * p), IFD__ARRAY(f->stiffness, p * p),
                     IFD__ARRAY(f->coupling, p * q), IFD__ARRAY(f->lambda, q), IFD__ARRAY(f->P, r * columns),
                     IFD__ARRAY(s->damping, p * p), IFD__ARRAY(s->label, columns), IFD__ARRAY(s->kind, columns),
                     IFD__ARRAY(s->hash, columns));
}
