/* SPDX-License-Identifier: MIT */
/* Panels and the kernels that sweep over them: all the arithmetic a sparse solve or product does on the tick path.
 *
 * A panel is a group J of adjacent columns with one list R of rows below them. It stores two blocks: a symmetric square S
 * (J x J) and a rectangle N (R x J). Three sweeps use them:
 *
 *     forward    x_R += N x_J                    panels in rising order
 *     backward   x_J  = S x_J + N^T x_R          panels in falling order
 *     product    y_R += a N x_J,  y_J += a (S x_J + N^T x_R)
 *
 * With N = -L_RJ L_JJ^-1 and S = (L_JJ L_JJ^T)^-1, forward then backward apply (L L^T)^-1; with the blocks of a symmetric
 * matrix, product multiplies by it. Neither sweep holds a triangular solve, so there is no chain of dependent divisions.
 *
 * Layout: a block of width w is cut into ceil(w / 8) strips of nearly equal width c; a strip holds rows by groups of
 * `lanes`, each group column by column, the last group with the rows that are left. A strip starts at a multiple of
 * `lanes`. So every sweep reads each number once, in the order it is stored. Row lists are pieces: runs of at most `lanes`
 * consecutive rows, packed as start << 4 | length. */
#ifndef IFD_BASE_KERNELS_H
#define IFD_BASE_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <interfield/arena.h>

enum { IFD__STRIP = 8, IFD__MOST_LANES = 8 };

typedef struct ifd__panel {
    int first, width;   /* columns first .. first + width - 1 */
    int rows;           /* rows below */
    int strips, narrow; /* number of strips, width of the narrow ones ... */
    int wide;           /* ... and how many, at the front, are one wider */
    int piece, pieces;  /* of the row list */
    size_t square, below;
} ifd__panel;

typedef struct ifd__panels {
    int n, count, lanes;
    int most_rows, most_width;
    ifd__panel *panel;
    uint32_t *piece;
    double *square, *below; /* all S blocks, all N blocks */
} ifd__panels;

/* One variant of the kernels. Scratch w: ifd__panels_work doubles, 64-byte aligned. */
typedef struct ifd__kernels {
    const char *name;
    int lanes;
    void (*forward)(const ifd__panels *P, double *x, double *w);
    void (*backward)(const ifd__panels *P, double *x, double *w);
    void (*product)(const ifd__panels *P, double alpha, const double *x, double *y, double *w);
    /* C += alpha A B, column-major with leading dimensions */
    void (*gemm)(const int mnk[3], double alpha, const double *A, int lda, const double *B, int ldb, double *C,
                 int ldc);
    void (*gemv)(int m, int n, double alpha, const double *A, int lda, const double *x, double *y);
    void (*gemv_t)(int m, int n, double alpha, const double *A, int lda, const double *x, double *y);
    double (*dot)(int n, const double *x, const double *y);
} ifd__kernels;

/* The fastest variant this processor runs. Keeps no state: asks the processor's feature word, a few cycles. */
IFD_RT const ifd__kernels *ifd__kernels_best(void);

/* The variant of that name, NULL when it is unknown or this processor does not run it. "plain" always exists. */
const ifd__kernels *ifd__kernels_pick(const char *name);

/* The plain sweeps serve any lanes; the others only panels packed with their own. */
extern const ifd__kernels ifd__kernels_plain;
#if defined(__x86_64__)
extern const ifd__kernels ifd__kernels_avx2, ifd__kernels_avx512;
#endif

/* Numbers a block of rows x width takes, and the doubles of scratch the sweeps need. */
size_t ifd__block_size(int rows, int width, int lanes);
size_t ifd__panels_work(const ifd__panels *P);

/* Fills strips, narrow, wide from width. */
void ifd__panel_cut(ifd__panel *panel);

/* Packs a column-major block times sign into the layout above. */
void ifd__block_pack(const ifd__panel *panel, int rows, int lanes, double sign, const double *from, size_t ld,
                     double *to);

/* Pieces that a sorted row list takes; writes them when pieces is not NULL. */
int ifd__rows_pack(int count, const int *rows, int lanes, uint32_t *pieces);

#endif
