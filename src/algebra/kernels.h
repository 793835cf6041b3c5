/* SPDX-License-Identifier: MIT */
/* Panels and the kernels that sweep over them: all the arithmetic a sparse solve or product does on the tick path.
 *
 * A panel is a group J of adjacent columns with one list R of rows below them. It stores two blocks: a symmetric
 * square S (J x J) and a rectangle N (R x J). Four sweeps use them:
 *
 *     forward    x_R += N x_J,  z_J = S x_J      panels in rising order
 *     backward   z_J += N^T z_R                  panels in falling order
 *     product    y_R += a N x_J,  y_J += a (S x_J + N^T x_R)
 *     columns    y_J += a N^T x_R
 *
 * With N = -L_RJ L_JJ^-1 and S = (L_JJ L_JJ^T)^-1, forward then backward give z = (L L^T)^-1 x; with the blocks of a
 * symmetric matrix, product multiplies by it; columns does too, from its whole columns in N. No sweep holds a
 * triangular solve, so there is no chain of dependent divisions.
 *
 * Layout: rows are taken by pieces, runs of at most `lanes` consecutive rows; a panel's full pieces come first, the
 * shorter ones after them, and no row list is gathered or scattered: a piece is one vector of x. A block of width w
 * is cut into ceil(w / strip) strips of nearly equal width c; a strip holds its pieces one after the other, each
 * column by column, and starts at a multiple of `lanes`. So every sweep reads each number once, in the order it is
 * stored. A vector load may reach past the end of a block; the arrays end with room for that. */
#ifndef IFD_ALGEBRA_KERNELS_H
#define IFD_ALGEBRA_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <interfield/arena.h>

enum { IFD__MOST_LANES = 8, IFD__WIDEST = 64 };

typedef struct ifd__panel {
    int first, width;     /* columns first .. first + width - 1; at most IFD__WIDEST */
    int rows;             /* rows below */
    int strips, narrow;   /* number of strips, width of the narrow ones ... */
    int wide;             /* ... and how many, at the front, are one wider */
    int piece, pieces;    /* of the row list: where it starts, how many ... */
    int full;             /* ... and how many, at the front, are `lanes` long */
    size_t square, below; /* where its blocks start, */
    size_t size;          /* and what the strips of `below` take */
} ifd__panel;

typedef struct ifd__panels {
    int n, count;
    int lanes, strip; /* of the kernels it is packed for */
    ifd__panel *panel;
    uint32_t *piece;        /* start << 4 | length */
    double *square, *below; /* all S blocks, all N blocks */
} ifd__panels;

/* One variant of the kernels. "avx512" uses its masks and its 32 registers on 256-bit vectors: rows come in runs of
 * few. */
typedef struct ifd__kernels {
    const char *name;
    int lanes, strip; /* numbers in a vector, columns that registers hold */
    void (*forward)(const ifd__panels *P, double *x, double *z); /* z: n + IFD__MOST_LANES */
    void (*backward)(const ifd__panels *P, double *z);
    void (*product)(const ifd__panels *P, double alpha, const double *x, double *y);
    void (*columns)(const ifd__panels *P, double alpha, const double *x, double *y);
    /* Permutation: to = the runs of x, one after the other. A run is consecutive places, start << 4 | length. */
    void (*pick)(int runs, const uint32_t *run, const double *x, double *to);
    /* C += alpha A B, column-major with leading dimensions */
    void (*gemm)(const int mnk[3], double alpha, const double *A, int lda, const double *B, int ldb, double *C,
                 int ldc);
    void (*gemv)(int m, int n, double alpha, const double *A, int lda, const double *x, double *y);
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

/* Numbers a block of rows x width takes, up to the start of the next one. */
size_t ifd__block_size(int rows, int width, const ifd__panels *P);

/* Sets width and what follows from it. */
void ifd__panel_cut(ifd__panel *panel, int width, int strip);

/* The pieces of a sorted row list. Either pieces is NULL and this only counts, or it gets the pieces and at[k] the
 * place of piece k in the list. Sets rows, pieces, full and size of the panel, which was cut before. */
void ifd__rows_pack(ifd__panel *panel, int count, const int *rows, int lanes, uint32_t *pieces, int *at);

/* The runs of a permutation, for pick; only counts when run is NULL. */
int ifd__runs_pack(int n, const int *perm, int lanes, uint32_t *run);

/* Packs column-major blocks into the layout above: the square, and sign times the rows below in the order of at. */
void ifd__square_pack(const ifd__panel *panel, int lanes, const double *from, size_t ld, double *to);
void ifd__below_pack(const ifd__panels *P, const ifd__panel *panel, const int *at, double sign, const double *from,
                     size_t ld);

#endif
