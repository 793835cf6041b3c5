/* SPDX-License-Identifier: MIT */
/* The columns of a test. A row of a table has a quantity and the source of its value: a member of a block of state,
 * or a function of the block.
 *
 *     static const ifd__column_row rows[] = {IFD__COLUMN(INTERFACE_TARGET, ifd__interface_state, target),
 *                                            {IFD_COLUMN_INTERFACE_TRACKING, 0, tracking}};
 *     IFD_TRY(ifd__columns_add(h, arena, &(ifd__column_set){.owner = name, .block = block, .row = rows, .rows = 2}));
 *
 * At the end of a tick one loop over all rows records them (hybrid.c); nothing depends on the order of the rows.
 * Columns without a source are written by the response of the structure when a step ends, and kept between. */
#pragma once

#include "hybrid/io.h"

/* Where the value of a column comes from: the member `index` of the block of its set, or a function of what the tick
 * knows, of the block and the index of the set; self: the constants of its unit, or the test. */
typedef struct ifd__column_source ifd__column_source;
typedef double (*ifd__column_value)(const ifd__column_source *source);
struct ifd__column_source {
    ifd__column_value value;
    const ifd__io *io;
    const void *self;
    const double *block;
    int index;
    bool steps;
};

typedef struct ifd__column_row {
    ifd_quantity quantity;
    int member;              /* of the block, as IFD__MEMBER_AT */
    ifd__column_value value; /* NULL: the member */
} ifd__column_row;

#define IFD__COLUMN(quantity, type, member)                                                                          \
    {                                                                                                                \
        IFD_COLUMN_##quantity, IFD__MEMBER_AT(type, member), NULL                                                    \
    }

/* All rows of a table. */
#define IFD__ROWS(table) .row = table, .rows = sizeof table / sizeof *table

typedef struct ifd__column_set {
    const char *owner;
    const void *block; /* in the state; or any numbers that a tick writes */
    int index;         /* for functions */
    bool rotates;      /* the units are those of a rotation */
    bool steps;        /* only at ends of complete steps: a substructure can be on a worker in between */
    const ifd__column_row *row;
    int rows;
} ifd__column_set;

/* Set-up: names and sources of all columns. */
ifd_status ifd__columns_make(ifd_hybrid *h, ifd_arena *arena);
/* Adds columns; without an arena they are only counted. */
ifd_status ifd__columns_add(ifd_hybrid *h, ifd_arena *arena, const ifd__column_set *set);
/* A unit adds columns; number of columns so far. */
typedef struct ifd__unit_columns {
    ifd_hybrid *test;
    ifd_arena *arena; /* NULL: they are only counted */
    const ifd__io *io;
    const void *data; /* of the unit: self */
} ifd__unit_columns;
/* The place of the next column. */
int ifd__columns_next(const ifd__unit_columns *to);
ifd_status ifd__columns_of_unit(const ifd__unit_columns *to, const ifd__column_set *set);
/* The same rows for each interface, whose blocks begin at `block` and follow each other by `apart` doubles; NULL:
 * none. */
ifd_status ifd__columns_of_interfaces(const ifd__unit_columns *to, const void *block, int apart,
                                      const ifd__column_row *row, int rows);
/* hybrid.c: of the test; the values of this tick. exchange.c: of the interfaces. */
ifd_status ifd__tick_columns(ifd_hybrid *h, ifd_arena *arena);
IFD_RT void ifd__columns_record(ifd_hybrid *h);
ifd_status ifd__exchange_columns(ifd_hybrid *h, ifd_arena *arena);
/* A displacement of the structure or, behind them, a number of a remote master. */
IFD_RT double ifd__columns_shown(const ifd_hybrid *h, int i);
