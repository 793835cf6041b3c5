/* SPDX-License-Identifier: MIT */
/* Columns of a test: names and values come from the same row of a table. */
#include "check.h"

#include <string.h>

#include "hybrid/columns.h"
#include "hybrid/hybrid.h"

typedef struct block {
    double a, b, c;
} block;

static double twice_b(const ifd__column_source *source)
{
    return 2.0 * ((const block *)source->block)->b + source->index;
}

static const ifd__column_row rows[] = {IFD__COLUMN(INTERFACE_TARGET, block, a),
                                       {IFD_COLUMN_INTERFACE_FORCE, 0, twice_b},
                                       IFD__COLUMN(INTERFACE_ENERGY, block, c)};

enum { MOST = 16 };

typedef struct table {
    ifd_hybrid h;
    ifd_column column[MOST];
    ifd__column_source source[MOST];
    double values[MOST];
} table;

static void record(ifd_arena *arena, table *t, const ifd__column_row *row, int count)
{
    static const block blocks[] = {{1.0, 2.0, 3.0}, {5.0, 6.0, 7.0}};
    static const char *const name[] = {"first", "second"};
    memset(t, 0, sizeof *t);
    t->h.local = true;
    t->h.column = t->column;
    t->h.column_source = t->source;
    t->h.values = t->values;
    for (int k = 0; k < 2; k++) {
        const ifd__column_set set = {.owner = name[k], .block = &blocks[k], .index = k, .row = row, .rows = count};
        assert_int_equal(ifd__columns_add(&t->h, arena, &set), IFD_OK);
    }
    ifd__response_state s = {.taken = 1.0};
    t->h.x = (double *)&s;
    ifd__columns_record(&t->h);
}

/* A row at each place of the table: every other column has the same name and value. */
TEST(a_row_in_the_middle_changes_no_other_column)
{
    enum { ROWS = sizeof rows / sizeof *rows };
    ifd_arena *arena = ifd_arena_open();
    table before, after;
    record(arena, &before, rows, ROWS);
    assert_near(before.values[0], 1.0, 0.0, "a member");
    assert_near(before.values[4], 13.0, 0.0, "a function of the block and the index");
    for (int place = 0; place <= ROWS; place++) {
        ifd__column_row more[ROWS + 1];
        memcpy(more, rows, (size_t)place * sizeof *rows);
        more[place] = (ifd__column_row)IFD__COLUMN(INTERFACE_COMMAND, block, b);
        memcpy(more + place + 1, rows + place, (size_t)(ROWS - place) * sizeof *rows);
        record(arena, &after, more, ROWS + 1);
        assert_int_equal(after.h.columns, 2 * (ROWS + 1));
        for (int i = 0; i < before.h.columns; i++) {
            const ifd_column *c = &before.column[i];
            int k = ifd_column_find(after.column, after.h.columns, c->owner, c->quantity);
            assert_true(k >= 0);
            assert_string_equal(after.column[k].name, c->name);
            assert_near(after.values[k], before.values[i], 0.0, "%s", c->name);
        }
        int own = ifd_column_find(after.column, after.h.columns, "second", IFD_COLUMN_INTERFACE_COMMAND);
        assert_near(after.values[own], 6.0, 0.0, "the new column");
    }
    ifd_arena_close(arena);
}

/* What a step writes stays until the next one. */
TEST(a_column_without_a_source_is_kept)
{
    ifd_arena *arena = ifd_arena_open();
    table t;
    record(arena, &t, rows, 1);
    t.source[0] = (ifd__column_source){0};
    t.values[0] = 4711.0;
    ifd__response_state s = {.taken = 1.0};
    t.h.x = (double *)&s;
    ifd__columns_record(&t.h);
    assert_near(t.values[0], 4711.0, 0.0, "kept");
    assert_near(t.values[1], 5.0, 0.0, "recorded");
    ifd_arena_close(arena);
}

TESTS()
