/* SPDX-License-Identifier: MIT */
/* Panels and their kernels: all arithmetic of a sparse solution or product on the tick path.
 *
 * A panel is a group J of adjacent columns with one list R of rows below them. It stores two blocks: a square S
 * (J x J) and a rectangle N (R x J). Four sweeps use them:
 *
 *     forward    x_R += N x_J,  z_J = S x_J      panels in rising order
 *     backward   z_J += N^T z_R                  panels in falling order
 *     product    y_R += a N x_J,  y_J += a (S x_J + N^T x_R)
 *     columns    y_J += a N^T x_R
 *
 * With N = -L_RJ L_JJ^-1 and S = (L_JJ L_JJ^T)^-1, forward then backward give z = (L L^T)^-1 x. With the blocks of a
 * symmetric matrix, product multiplies by it; so does columns, with complete columns in N. No sweep contains a
 * triangular solution, so there is no chain of dependent divisions. The factor of an unsymmetric matrix (factor_lu.c)
 * has a second rectangle for the backward sweep.
 *
 * Layout: rows are stored in pieces, runs of at most `lanes` consecutive rows. The full pieces of a panel come first,
 * then the shorter ones. A piece is one vector of x, so no row list is gathered or scattered. A block of width w is
 * divided into ceil(w / strip) strips of nearly equal width c. A strip stores its pieces in order, each by columns,
 * and starts at a multiple of `lanes`. Every sweep thus reads each number once, in the order of storage. A vector
 * load may read beyond the end of a block; the arrays are long enough for that. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <interfield/arena.h>

enum { IFD__MOST_LANES = 8, IFD__WIDEST = 64 };

typedef struct ifd__panel {
    int first, width;     /* columns first .. first + width - 1; at most IFD__WIDEST */
    int rows;             /* rows below */
    int strips, narrow;   /* number of strips; width of the narrow ones */
    int wide;             /* number of strips that are one column wider; they come first */
    int piece, pieces;    /* row list: first piece, number of pieces */
    int full;             /* number of pieces of length `lanes`; they come first */
    size_t square, below; /* offsets of its blocks */
    size_t size;          /* size of the strips of `below` */
} ifd__panel;

enum { IFD__PARTS = 8 };

/* Parts of a large factor are ranges of panels with no rows in common except those from column `above` on. */
typedef struct ifd__panels {
    int n, count;
    int parts, above;         /* IFD__PARTS, or 0: not divided */
    int part[IFD__PARTS + 1]; /* first panel of each part, then of those above */
    int lanes, strip;         /* of the kernels for which the panels are packed */
    int before;               /* rows before the first piece; 0, except for a view of some rows */
    ifd__panel *panel;
    uint32_t *piece;        /* start << 4 | length */
    double *square, *below; /* all S blocks, all N blocks; NULL if they are in single precision: */
    double *upper;          /* N of the backward sweep if it is not that of the forward sweep; otherwise NULL */
    float *square_single, *below_single;
} ifd__panels;

enum { IFD__TILE = 8, IFD__TILES = 3 }; /* rows and columns of a tile; most tiles of one call */

/* Factor of a product of tiles: tiles t < count of 8 rows (or one of fewer) and k columns, column c of tile t at
 * A + t stride + c ld, and k columns of 8 numbers at B. */
typedef struct ifd__tiles {
    int count, rows, k;
    const double *A, *B;
    ptrdiff_t ld, stride;
} ifd__tiles;

/* A small matrix by its diagonals, for products. Rows form groups of `rows` adjacent ones, two vectors; a group has a
 * band of so many numbers for each of its diagonals that is not zero there. */
enum { IFD__BANDS_ROWS = 1024, IFD__BANDS_REACH = 192 };
typedef struct ifd__bands {
    int n, rows, reach; /* reach: largest distance of an entry from the main diagonal */
    int *start;         /* groups + 1: first band of each group */
    int *at;            /* column of its first number plus reach, for each band */
    double *value;      /* rows numbers for each band */
} ifd__bands;

/* One variant of the kernels. "avx512" uses its masks and its 32 registers on 256-bit vectors, because rows form
 * short runs; only `outer` has vectors of 512 bits. */
typedef struct ifd__kernels {
    const char *name;
    int lanes, strip;                                            /* numbers in a vector, columns held in registers */
    void (*forward)(const ifd__panels *P, double *x, double *z); /* z: n + IFD__MOST_LANES */
    void (*backward)(const ifd__panels *P, double *z);
    void (*product)(const ifd__panels *P, double alpha, const double *x, double *y);
    void (*columns)(const ifd__panels *P, double alpha, const double *x, double *y);
    void (*bands)(const ifd__bands *B, double alpha, const double *x, double *y); /* y += alpha B x */
    /* Permutation: to = the runs of x in order. A run is a range of indices, start << 4 | length. */
    void (*pick)(int runs, const uint32_t *run, const double *x, double *to);
    /* C += alpha A B, column-major with leading dimensions */
    void (*gemm)(const int mnk[3], double alpha, const double *A, int lda, const double *B, int ldb, double *C,
                 int ldc);
    void (*gemv)(int m, int n, double alpha, const double *A, int lda, const double *x, double *y);
    double (*dot)(int n, const double *x, const double *y);
    /* y += alpha A^T x, A m x n */
    void (*gemvt)(int m, int n, double alpha, const double *A, int lda, const double *x, double *y);
    /* C = A B^T by tiles of 8 x 8, column-major; with add, C += A B^T. Each number is one sum in the order of k,
     * whatever the number of tiles and rows of a call. */
    void (*outer)(const ifd__tiles *T, bool add, double *C);
    /* forward and backward for 8 right-hand sides, whose numbers are together for each row; aligned to 64 bytes */
    void (*forward_block)(const ifd__panels *P, double *x, double *z);
    void (*backward_block)(const ifd__panels *P, double *z);
    /* forward and backward with the numbers of the panels in single precision, all else in double precision */
    void (*forward_single)(const ifd__panels *P, double *x, double *z);
    void (*backward_single)(const ifd__panels *P, double *z);
} ifd__kernels;

/* One variant, in a file that has all functions under these names. */
#define IFD__KERNELS(name_, lanes_, strip_)                                                                          \
    .name = (name_), .lanes = (lanes_), .strip = (strip_), .forward = forward, .backward = backward,                 \
    .product = product, .columns = columns, .bands = bands, .pick = pick, .gemm = gemm, .gemv = gemv, .dot = dot,    \
    .gemvt = gemvt, .outer = outer, .forward_block = forward_block, .backward_block = backward_block,                \
    .forward_single = forward_single, .backward_single = backward_single

/* The panels of the backward sweep. */
IFD_RT static inline ifd__panels ifd__panels_back(const ifd__panels *P)
{
    ifd__panels back = *P;
    back.below = P->upper ? P->upper : P->below;
    return back;
}

/* The sweeps for the precision of the panels. */
IFD_RT static inline void ifd__sweep_forward(const ifd__kernels *k, const ifd__panels *P, double *x, double *z)
{
    (P->below_single ? k->forward_single : k->forward)(P, x, z);
}
IFD_RT static inline void ifd__sweep_backward(const ifd__kernels *k, const ifd__panels *P, double *z)
{
    const ifd__panels back = ifd__panels_back(P);
    (P->below_single ? k->backward_single : k->backward)(&back, z);
}

/* The fastest variant that this processor supports. Has no state; reads the feature word of the processor (few
 * cycles). */
IFD_RT const ifd__kernels *ifd__kernels_best(void);

/* The variant of that name; NULL if it is unknown or this processor does not support it. "plain" always exists. */
const ifd__kernels *ifd__kernels_pick(const char *name);

/* The plain sweeps support any lanes; the others only panels packed with their lanes. */
extern const ifd__kernels ifd__kernels_plain;
#if defined(__x86_64__)
extern const ifd__kernels ifd__kernels_avx2, ifd__kernels_avx512;
#endif

/* Part k, or, for k = parts, the panels above. */
IFD_RT static inline ifd__panels ifd__panels_part(const ifd__panels *P, int k)
{
    ifd__panels part = *P;
    int end = k < P->parts ? P->part[k + 1] : P->count;
    part.panel += P->part[k];
    part.count = end - P->part[k];
    part.parts = 0;
    return part;
}

/* Views for the sweeps: part[0] of part[1] parts of one panel, about equal in numbers. They contain each number once,
 * and no sum is divided, so the parts give the bits of the whole panel in any order. rows: for the forward sweep; its
 * part 0 has the square too. columns: for the backward sweep. J receives the panel of the view. */
void ifd__view_rows(const ifd__panels *P, int panel, const int part[2], ifd__panel *J, ifd__panels *view);
void ifd__view_columns(const ifd__panels *P, int panel, const int part[2], ifd__panel *J, ifd__panels *view);

/* Size of a block of rows x width, up to the start of the next one. */
size_t ifd__block_size(int rows, int width, const ifd__panels *P);

/* Sets width and the values that follow from it. */
void ifd__panel_cut(ifd__panel *panel, int width, int strip);

/* Pieces of a sorted row list. If pieces is NULL the function only counts; otherwise at[k] becomes the place of piece
 * k in the list. Sets rows, pieces, full and size of the panel after ifd__panel_cut. */
void ifd__rows_pack(ifd__panel *panel, int count, const int *rows, int lanes, uint32_t *pieces, int *at);

/* The runs of a permutation, for pick: several vectors long at most. Counts only if run is NULL. */
int ifd__runs_pack(int n, const int *perm, int lanes, uint32_t *run);

/* Packs column-major blocks into the layout above: the square, and sign times the rows below in the order of at. */
void ifd__square_pack(const ifd__panel *panel, int lanes, const double *from, size_t ld, double *to);
void ifd__below_pack(const ifd__panels *P, const ifd__panel *panel, const int *at, double sign, const double *from,
                     size_t ld);
