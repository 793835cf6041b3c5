/* SPDX-License-Identifier: MIT */
/* Writes mass, damping and stiffness of a model as Matrix Market files. */
#include <interfield/matrices.h>

#include <math.h>

#include "algebra/sparse.h"
#include "base/memory.h"
#include "record/export/export.h"
#include "text/mtx.h"
#include "model/model.h"
#include "model/equilibrium/at_rest.h"

enum { LARGE = 4000 }; /* dofs above which the folder has modal damping in two parts */

static const char *const kind_name[] = {"x", "y", "z", "rx", "ry", "rz", "angle", "stretch"};

const char *ifd_dof_kind_name(ifd_dof_kind kind)
{
    return kind_name[kind];
}

static int entries(const ifd_sparse *A)
{
    int count = 0;
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++)
            count += A->x[k] == 0.0 ? 0 : A->symmetric && A->i[k] != j ? 2 : 1;
    return count;
}

static ifd_status triplets(ifd_arena *arena, const ifd_sparse *A, ifd_triplets *out)
{
    size_t count = (size_t)entries(A);
    int *row = ifd_arena_array(arena, count, sizeof *row), *column = ifd_arena_array(arena, count, sizeof *column),
        n = 0;
    double *value = ifd_arena_array(arena, count, sizeof *value);
    IFD__HAVE(row && column && value);
    for (int j = 0; j < A->n; j++)
        for (int k = A->p[j]; k < A->p[j + 1]; k++) {
            int i = A->i[k];
            if (A->x[k] == 0.0)
                continue;
            row[n] = i;
            column[n] = j;
            value[n++] = A->x[k];
            if (A->symmetric && i != j) {
                row[n] = j;
                column[n] = i;
                value[n++] = A->x[k];
            }
        }
    *out = (ifd_triplets){
        .n = A->n, .count = n, .symmetric = A->symmetric, .row = row, .column = column, .value = value};
    return IFD_OK;
}

/* M without the base that makes the mass of inertial elements definite (model/model.h), and with their mass at
 * rest. */
static ifd_status mass_at_rest(ifd_arena *arena, const ifd_model *m, ifd_sparse *out)
{
    size_t n = (size_t)m->n;
    ifd__triplets t = {.arena = arena};
    double *M;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(M, n * n)));
    ifd__rest_mass(m, M);
    for (int k = 0; k < m->n * m->n; k++)
        ifd__triplet(&t, k % m->n, k / m->n, M[k]);
    return ifd__sparse_make(arena, m->n, &t, true, out);
}

static ifd_status stiffness_at_rest(ifd_arena *arena, const ifd_model *m, ifd_sparse *out, ifd_note *note)
{
    ifd__rest rest;
    if (!m->K.symmetric)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "the stiffness is not symmetric, so its tangent at rest cannot be computed; omit it");
    IFD_TRY(ifd__rest_make(arena, m, &rest));
    ifd__rest_eval(&rest, 0.0);
    return ifd__rest_stiffness(arena, &rest, NULL, out);
}

/* Modal damping makes all entries. */
static ifd_status fill(ifd_arena *arena, const ifd_sparse *A, ifd_sparse *out, ifd_note *note)
{
    ifd__triplets t = {.arena = arena};
    const double each = 48.0; /* bytes of an entry: as a triplet, in the matrix and in what is returned */
    if (ifd__memory_check(each * A->n * A->n, "a damping matrix without zeros, which modal damping makes,", note) !=
        IFD_OK) {
        ifd_note_hint(note, "'interfield matrices' writes it in two parts; or reduce the model (reduce: {frequency: "
                            "50 Hz}), or use rayleigh damping");
        return IFD_NO_MEMORY;
    }
    for (int j = 0; j < A->n; j++)
        for (int i = j; i < A->n; i++)
            ifd__triplet(&t, i, j, ifd__sparse_get(A, i, j));
    return ifd__sparse_make(arena, A->n, &t, true, out);
}

static ifd_status damping(ifd_arena *arena, const ifd_model *m, ifd_sparse *out)
{
    ifd_sparse first;
    IFD_TRY(ifd__sparse_add(arena, 1.0, &m->C, m->ray_m, &m->M, &first));
    return ifd__sparse_add(arena, 1.0, &first, m->ray_k, &m->K, out);
}

ifd_status ifd_model_matrix(ifd_arena *arena, const ifd_model *m, ifd_matrix_kind which, bool tangent,
                            ifd_triplets *out, ifd_note *note)
{
    ifd_sparse A = which == IFD_MASS ? m->M : m->K;
    if (which == IFD_MASS && m->inertial)
        IFD_TRY(mass_at_rest(arena, m, &A));
    else if (which == IFD_DAMPING) {
        ifd_sparse sum;
        IFD_TRY(damping(arena, m, &sum));
        A = sum;
        IFD_TRY(sum.rank ? fill(arena, &sum, &A, note) : IFD_OK);
    } else if (which == IFD_STIFFNESS && tangent && m->ne > 0)
        IFD_TRY(stiffness_at_rest(arena, m, &A, note));
    return triplets(arena, &A, out);
}

typedef struct writing {
    ifd_arena *arena;
    const ifd_model *m;
    const char *folder;
    bool tangent;
    ifd_note *note;
} writing;

static ifd_status write_mtx(const writing *w, const char *name, const ifd__mtx *a, const char *comment)
{
    const char *path;
    FILE *file;
    IFD_TRY(ifd__export_create(w->arena, w->folder, name, &file, &path, w->note));
    return ifd__export_finish(file, ifd__mtx_write(file, a, comment), path, w->note);
}

static ifd__mtx as_mtx(const ifd_triplets *t)
{
    return (ifd__mtx){.rows = t->n,
                      .cols = t->n,
                      .count = t->count,
                      .row = t->row,
                      .col = t->column,
                      .value = t->value,
                      .symmetric = t->symmetric};
}

static ifd_status write_matrix(const writing *w, ifd_matrix_kind which)
{
    static const char *const file_name[] = {"M.mtx", "C.mtx", "K.mtx"};
    static const char *const comment[] = {"mass, kg (kg m2 for rotations)", "damping, N s/m (N m s/rad)",
                                          "stiffness, N/m (N m/rad)"};
    ifd_triplets t;
    IFD_TRY(ifd_model_matrix(w->arena, w->m, which, w->tangent, &t, w->note));
    const ifd__mtx a = as_mtx(&t);
    return write_mtx(w, file_name[which], &a, comment[which]);
}

/* Z of C = C-sparse + Z Z^T, by columns. */
static ifd_status write_low_rank(const writing *w, const ifd_sparse *C)
{
    size_t n = (size_t)C->n, count = n * (size_t)C->rank;
    int *row, *column;
    double *value;
    IFD_TRY(IFD__TAKE(w->arena, IFD__ARRAY(row, count), IFD__ARRAY(column, count), IFD__ARRAY(value, count)));
    for (size_t k = 0; k < count; k++) {
        row[k] = (int)(k % n);
        column[k] = (int)(k / n);
        value[k] = sqrt(C->weight) * C->Z[k];
    }
    const ifd__mtx a = {
        .rows = C->n, .cols = C->rank, .count = (int)count, .row = row, .col = column, .value = value};
    return write_mtx(w, "C-modal.mtx", &a, "modal damping: Z, the damping matrix is C-sparse + Z Z^T");
}

/* The damping matrix of a large model with modal damping, in two parts; no file has the name of the whole. */
static ifd_status write_parts(const writing *w, const ifd_sparse *C)
{
    ifd_sparse sparse = *C;
    ifd_triplets t;
    sparse.rank = 0;
    IFD_TRY(triplets(w->arena, &sparse, &t));
    const ifd__mtx a = as_mtx(&t);
    IFD_TRY(write_mtx(w, "C-sparse.mtx", &a, "a part of the damping, N s/m (N m s/rad); C-modal.mtx has the other"));
    ifd_note_remark(w->note, NULL,
                    "the damping matrix has no zeros: it is C-sparse.mtx + Z Z^T with Z of C-modal.mtx; there is no "
                    "C.mtx and no model.yaml");
    return write_low_rank(w, C);
}

static bool turns(ifd_dof_kind kind)
{
    return kind >= IFD_DOF_RX && kind <= IFD_DOF_ANGLE;
}

/* Names are in quotes, because they may contain blanks, dots or commas. */
static void put_dofs(const writing *w, FILE *file)
{
    fputs("index,name,kind,unit\n", file);
    for (int i = 0; i < w->m->n; i++)
        fprintf(file, "%d,\"%s\",%s,%s\n", i + 1, w->m->dof_name[i], kind_name[w->m->dof_kind[i]],
                turns(w->m->dof_kind[i]) ? "rad" : "m");
}

typedef enum removed { CONDENSED, TIED, FIRST_ORDER } removed;

static removed removed_as(const ifd_model *m, int i)
{
    return ifd__model_gone_moves(m, i) ? FIRST_ORDER : m->gone_tied[i] ? TIED : CONDENSED;
}

/* "3 dofs (a, b, c)": those that were removed for this reason. */
static const char *name_gone(const writing *w, removed how)
{
    enum { NAMES = 10 };
    const ifd_model *m = w->m;
    const char *names = "";
    int count = 0;
    for (int i = 0; i < m->ngone && names; i++) {
        if (removed_as(m, i) != how)
            continue;
        if (count < NAMES)
            names = ifd_arena_print(w->arena, "%s%s%s", names, count ? ", " : "", m->gone[i]);
        count++;
    }
    return count && names ? ifd_arena_print(w->arena, "%d dof%s (%s%s)", count, count == 1 ? "" : "s", names,
                                            count > NAMES ? ", ..." : "")
                          : NULL;
}

/* Reports the dofs that the matrices do not contain; the file lists them as well. */
static void say_gone(const writing *w, FILE *file)
{
    const char *still = name_gone(w, CONDENSED), *tied = name_gone(w, TIED), *moving = name_gone(w, FIRST_ORDER);
    const char *text = NULL;
    if (tied) {
        text = ifd_arena_print(w->arena, "ties: %s follow their masters and are not rows of M, C and K", tied);
        ifd_note_remark(w->note, NULL, "%s", text ? text : "");
        fprintf(file, "# %s\n", text ? text : "");
    }
    if (still) {
        text = ifd_arena_print(w->arena, "condensed: %s follow statically and are not rows of M, C and K", still);
        ifd_note_remark(w->note, NULL, "%s", text ? text : "");
        fprintf(file, "# %s\n", text ? text : "");
    }
    if (moving) {
        text = ifd_arena_print(
            w->arena, "first-order: %s are states that M, C and K do not contain; K is the stiffness %s", moving,
            w->tangent ? "at rest, with their dashpots relaxed" : "in fast motion, with their dashpots locked");
        ifd_note_remark(w->note, NULL, "%s", text ? text : "");
        fprintf(file, "# %s\n", text ? text : "");
    }
}

static void put_model(const writing *w, FILE *file)
{
    const ifd_model *m = w->m;
    int elements = m->ne - ifd_model_first_order(m);
    fputs("# model: {include: FOLDER/model.yaml}\n", file);
    say_gone(w, file);
    if (elements > 0)
        fprintf(file, "# %d elements are not linear and %s\n", elements,
                w->tangent ? "are in K with their stiffness at rest" : "are not in these matrices");
    if (m->nsupport > 0)
        fprintf(file, "# %d supports move; their columns are not in these matrices\n", m->nsupport);
    fputs("dofs: [", file);
    for (int i = 0; i < m->n; i++)
        fprintf(file, "%s\"%s\"", i ? ", " : "", m->dof_name[i]);
    fputs("]\nkinds: {", file);
    for (int i = 0; i < m->n; i++)
        fprintf(file, "%s\"%s\": %s", i ? ", " : "", m->dof_name[i], kind_name[m->dof_kind[i]]);
    fputs("}\nmass: M.mtx\ndamping: C.mtx\nstiffness: K.mtx\n", file);
}

static ifd_status write_text(const writing *w, const char *name, void (*put)(const writing *w, FILE *file))
{
    const char *path;
    FILE *file;
    IFD_TRY(ifd__export_create(w->arena, w->folder, name, &file, &path, w->note));
    put(w, file);
    return ifd__export_finish(file, true, path, w->note);
}

ifd_status ifd_matrices_write(ifd_arena *arena, const ifd_model *m, const char *folder, bool tangent, ifd_note *note)
{
    const writing w = {.arena = arena, .m = m, .folder = folder, .tangent = tangent, .note = note};
    ifd_sparse C;
    IFD_TRY(damping(arena, m, &C));
    bool apart = C.rank && C.n > LARGE;
    IFD_TRY(ifd__export_folder(folder, note));
    IFD_TRY(write_matrix(&w, IFD_MASS));
    IFD_TRY(apart ? write_parts(&w, &C) : write_matrix(&w, IFD_DAMPING));
    IFD_TRY(write_matrix(&w, IFD_STIFFNESS));
    IFD_TRY(write_text(&w, "dofs.csv", put_dofs));
    return apart ? IFD_OK : write_text(&w, "model.yaml", put_model);
}
