/* SPDX-License-Identifier: MIT */
/* Dofs and matrices, given directly or in files: Matrix Market, CSV. */
#include "case/reader.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "text/file.h"
#include "text/mtx.h"
#include "text/bundle.h"
#include "model/build/builder.h"

static const char *const matrix_name[3] = {"mass", "damping", "stiffness"};

/* The dimension of entry (i, j); mixed entries have no common name. */
static ifd_dimension entry_dimension(const ifd__model_read *m, ifd_matrix_kind which, int i, int j)
{
    static const ifd_dimension plain[3] = {IFD_DIM_MASS, IFD_DIM_DAMPING, IFD_DIM_STIFFNESS};
    static const ifd_dimension turned[3] = {IFD_DIM_ROTATIONAL_INERTIA, IFD_DIM_ROTATIONAL_DAMPING,
                                            IFD_DIM_ROTATIONAL_STIFFNESS};
    bool a = ifd__rotation(ifd__ref_kind(m->b, i)), b = ifd__rotation(ifd__ref_kind(m->b, j));
    return a != b ? IFD_DIM_ANY : a ? turned[which] : plain[which];
}

static bool read_entry(ifd__model_read *m, const ifd__node *node, ifd_matrix_kind which, int i, int j, double *out)
{
    if (ifd__yaml_number(node, entry_dimension(m, which, i, j), IFD_RANGE_FREE, out, m->note) != IFD_OK)
        return false;
    if (which == IFD_MASS && i == j && *out < 0) {
        ifd_note_add(m->note, IFD_NOT_POSITIVE, &node->place,
                     "the mass of '%s' is %g, expected a number not below zero", ifd_builder_dof_name(m->b, i), *out);
        return false;
    }
    return true;
}

static void read_diagonal(ifd__model_read *m, const ifd__node *node, ifd_matrix_kind which, int n)
{
    int i = 0;
    if (node->count != n) {
        ifd_note_add(m->note, IFD_SHAPE, &node->place, "'%s' has %d numbers, expected %d, one per dof", node->key,
                     node->count, n);
        return;
    }
    for (const ifd__node *k = node->first; k; k = k->next, i++) {
        double value = 0;
        if (read_entry(m, k, which, i, i, &value))
            ifd_builder_add(m->b, which, i, i, value);
    }
}

/* An unsymmetric mass is refused at its entry; damping and stiffness can be unsymmetric within the limits of the
 * model. */
static void check_symmetric(ifd__model_read *m, const ifd__node *node, int n, const double *a)
{
    double largest = 0;
    for (int k = 0; k < n * n; k++)
        largest = fmax(largest, fabs(a[k]));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (fabs(a[i * n + j] - a[j * n + i]) > 1e-12 * largest) {
                const ifd__node *at = ifd__yaml_item(ifd__yaml_item(node, i), j);
                ifd_note_add(
                    m->note, IFD_NOT_SYMMETRIC, &at->place,
                    "the mass between '%s' and '%s' is %g, but %g in the opposite direction: expected a symmetric "
                    "matrix",
                    ifd_builder_dof_name(m->b, i), ifd_builder_dof_name(m->b, j), a[i * n + j], a[j * n + i]);
                return;
            }
}

static void read_rows(ifd__model_read *m, const ifd__node *node, ifd_matrix_kind which, int n)
{
    double *a = ifd_arena_array(m->arena, (size_t)n * (size_t)n, sizeof *a);
    bool ok = a != NULL;
    int i = 0;
    if (node->count != n) {
        ifd_note_add(m->note, IFD_SHAPE, &node->place, "'%s' has %d rows, expected %d, one per dof", node->key,
                     node->count, n);
        return;
    }
    for (const ifd__node *row = node->first; row && a; row = row->next, i++) {
        int j = 0;
        if (row->kind != IFD__SEQUENCE || row->count != n) {
            ifd_note_add(m->note, IFD_SHAPE, &row->place, "row %d of '%s' has %d numbers, expected %d", i + 1,
                         node->key, row->count, n);
            ok = false;
            continue;
        }
        for (const ifd__node *k = row->first; k; k = k->next, j++)
            ok = read_entry(m, k, which, i, j, &a[i * n + j]) && ok;
    }
    if (!ok)
        return;
    if (which == IFD_MASS)
        check_symmetric(m, node, n, a);
    for (int k = 0; k < n * n; k++)
        ifd_builder_add(m->b, which, k / n, k % n, a[k]);
}

static bool is_number(const ifd__node *node)
{
    const char *t = node->text;
    return isdigit((unsigned char)*t) || ((*t == '+' || *t == '-' || *t == '.') && isdigit((unsigned char)t[1]));
}

static bool is_file(const ifd__node *node)
{
    return node && node->kind == IFD__SCALAR && (node->quoted || !is_number(node)) && !ifd__yaml_empty(node);
}

static bool read_file(ifd__model_read *m, const ifd__node *node, ifd__mtx *out, ifd_note *note)
{
    const char *path = ifd__file_relative(m->arena, &node->place, node->text);
    ifd__file file;
    if (!path || ifd__bundle_read(m->r->doc.bundle, m->arena, path, &node->place, &file, note) != IFD_OK)
        return false;
    ifd__file_kind kind = ifd__file_kind_of(&file);
    const char *ending = strrchr(node->text, '.');
    bool words = kind == IFD__KIND_TEXT || kind == IFD__KIND_WORDS;
    if (kind == IFD__KIND_NUMBERS || (words && ending && strcasecmp(ending, ".csv") == 0))
        return ifd__matrix_csv_parse(m->arena, &file, out, note) == IFD_OK;
    if (kind != IFD__KIND_MATRIX) {
        ifd_note_add(note, IFD_MATRIX, &node->place, "'%s' is %s, expected a Matrix Market file or a CSV file",
                     node->text, ifd__file_kind_text(kind));
        ifd_note_hint(note, "the first line of a Matrix Market file begins with %%%%MatrixMarket");
        return false;
    }
    return ifd__mtx_parse(m->arena, &file, out, note) == IFD_OK;
}

/* A matrix printed with 6 digits can be another structure, as stiffnesses cancel in the slow modes. Numbers written
 * by hand have fewer digits, exact decimals at least 15. */
static void remark_digits(ifd__model_read *m, const ifd__node *node, const ifd__mtx *a)
{
    enum { BY_HAND = 4, KEPT = 10 };
    if (a->rows > 2 && a->digits > BY_HAND && a->digits < KEPT)
        ifd_note_remark(
            m->note, &node->place,
            "no number of '%s' has more than %d digits: the rounding may change slow modes; write a computed matrix "
            "with 16 digits",
            node->text, a->digits);
}

static void read_market(ifd__model_read *m, const ifd__node *node, ifd_matrix_kind which, int n)
{
    ifd__mtx a;
    if (!read_file(m, node, &a, m->note))
        return;
    if (a.rows != n || a.cols != n) {
        ifd_note_add(m->note, IFD_SHAPE, &node->place, "'%s' is %d x %d, expected %d x %d, one row per dof",
                     node->text, a.rows, a.cols, n, n);
        return;
    }
    if (which == IFD_MASS && !a.symmetric) {
        ifd_note_add(m->note, IFD_NOT_SYMMETRIC, &node->place,
                     "the mass matrix in '%s' is not symmetric: entry (%d, %d) has no equal entry (%d, %d)",
                     node->text, a.odd_row + 1, a.odd_col + 1, a.odd_col + 1, a.odd_row + 1);
        return;
    }
    remark_digits(m, node, &a);
    for (int k = 0; k < a.count; k++)
        ifd_builder_add(m->b, which, a.row[k], a.col[k], a.value[k]);
}

static void read_matrix(ifd__model_read *m, const ifd__node *node, ifd_matrix_kind which, int n)
{
    if (!node)
        return;
    if (n == 0) {
        ifd_note_add(m->note, IFD_MISSING_KEY, &node->place,
                     "'%s' is a matrix of the dofs: expected 'dofs' beside it", node->key);
        return;
    }
    if (is_file(node))
        read_market(m, node, which, n);
    else if (node->kind == IFD__SCALAR) {
        double value = 0;
        if (n != 1)
            ifd_note_add(m->note, IFD_SHAPE, &node->place, "'%s' is one number, expected %d, one per dof", node->key,
                         n);
        else if (read_entry(m, node, which, 0, 0, &value))
            ifd_builder_add(m->b, which, 0, 0, value);
    } else if (node->kind == IFD__SEQUENCE && node->first && node->first->kind == IFD__SEQUENCE)
        read_rows(m, node, which, n);
    else if (ifd__yaml_expect(node, IFD__SEQUENCE, m->note) == IFD_OK)
        read_diagonal(m, node, which, n);
}

/* The number of dofs of a matrix, if not given elsewhere. */
static int size_of(ifd__model_read *m, const ifd__node *node)
{
    ifd__mtx a;
    if (is_file(node))
        return read_file(m, node, &a, m->note) ? a.rows : 0;
    return node->kind == IFD__SEQUENCE ? node->count : 1;
}

static void numbered_dofs(ifd__model_read *m, const ifd__node *node, long n)
{
    char name[32];
    for (long i = 1; i <= n; i++) {
        snprintf(name, sizeof name, "x%ld", i);
        ifd__new_dof(m, name, IFD_DOF_X, &node->place);
    }
}

static const char KINDS[] = "x|y|z|rx|ry|rz|angle|stretch";

static ifd_dof_kind kind_of(ifd__model_read *m, const ifd__node *kinds, const char *name)
{
    const ifd__node *given = ifd__yaml_get(kinds, name);
    int kind = given ? ifd__read_word(m->r, given, KINDS, "kind") : 0;
    return (ifd_dof_kind)(kind < 0 ? 0 : kind);
}

static void check_kinds(ifd__model_read *m, const ifd__node *kinds)
{
    for (const ifd__node *k = ifd__yaml_items(kinds, IFD__MAPPING, m->note); k; k = k->next) {
        int ref;
        ifd__find_ref(m, k->key, &k->key_place, 0, &ref);
    }
}

void ifd__read_matrices(ifd__model_read *m, const ifd__fields *model)
{
    const ifd__node *dofs = ifd__part(model, "dofs"), *kinds = ifd__part(model, "kinds"),
                    *mass = ifd__part(model, "mass");
    long count = 0;
    int before = m->note->errors;
    if (dofs && dofs->kind == IFD__SEQUENCE)
        for (const ifd__node *d = dofs->first; d; d = d->next) {
            const char *name;
            if (ifd__yaml_text(d, &name, m->note) == IFD_OK)
                ifd__new_dof(m, name, kind_of(m, kinds, name), &d->place);
            else
                m->nameless = true;
        }
    else if (dofs && ifd__yaml_integer(dofs, 1, 1000000, &count, m->note) == IFD_OK)
        numbered_dofs(m, dofs, count);
    else if (!dofs && mass)
        numbered_dofs(m, mass, size_of(m, mass));
    m->nameless = m->nameless || ((dofs || mass) && m->b->dof.count == 0);
    int n = m->b->dof.count;
    check_kinds(m, kinds);
    if (m->note->errors != before)
        return; /* unknown size */
    for (int k = 0; k < 3; k++)
        read_matrix(m, ifd__part(model, matrix_name[k]), (ifd_matrix_kind)k, n);
}
