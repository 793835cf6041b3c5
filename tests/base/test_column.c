/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "base/column.h"
#include <string.h>

/* What is printed is read back: owner, quantity and number of every row of the table. */
TEST(every_name_is_read_as_it_was_printed)
{
    static const char *const owners[] = {"", "bearing", "tower.floor1", "a force", "measured", "x 2"};
    ifd_arena *arena = ifd_arena_open();
    for (int q = 0; q < IFD_COLUMN_OUTPUT; q++) {
        bool found = false;
        for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
            ifd_column made, read;
            assert_int_equal(ifd_column_make(arena, owners[i], (ifd_quantity)q, 0, false, &made), IFD_OK);
            assert_int_equal(ifd_column_read(arena, made.name, made.unit, made.group, &read), IFD_OK);
            if (read.quantity != (ifd_quantity)q)
                continue; /* of the whole, with an owner; or the other way round */
            assert_string_equal(read.owner, owners[i]);
            assert_int_equal(read.number, 0);
            found = true;
        }
        assert_true(found);
    }
    ifd_arena_close(arena);
}

TEST(one_of_several_has_a_number)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_column c;
    assert_int_equal(ifd_column_make(arena, "beam", IFD_COLUMN_ELEMENT_FORCE, 2, true, &c), IFD_OK);
    assert_string_equal(c.name, "beam force 2");
    assert_string_equal(c.unit, "N m");
    assert_string_equal(ifd__column_path(arena, &c), "/element/beam/force_2");
    assert_int_equal(ifd_column_read(arena, "beam force 2", "N m", "element", &c), IFD_OK);
    assert_string_equal(c.owner, "beam");
    assert_int_equal(c.number, 2);
    assert_int_equal(c.quantity, IFD_COLUMN_ELEMENT_FORCE);
    ifd_arena_close(arena);
}

/* The same words mean another quantity in another group; an unknown name is an output that is its own owner. */
TEST(groups_tell_quantities_apart)
{
    static const struct {
        const char *name, *group, *owner, *path;
        ifd_quantity quantity;
    } row[] = {
        {"command", "clock", "", "/clock/command", IFD_COLUMN_CLOCK_COMMAND},
        {"jack command", "specimen", "jack", "/specimen/jack/command", IFD_COLUMN_INTERFACE_COMMAND},
        {"jack command", "actuator", "jack", "/actuator/jack/command", IFD_COLUMN_ACTUATOR_COMMAND},
        {"jack wall force", "specimen", "jack", "/specimen/jack/wall_force", IFD_COLUMN_WALL_FORCE},
        {"jack force", "specimen", "jack", "/specimen/jack/force", IFD_COLUMN_INTERFACE_FORCE},
        {"gap displacement", "joint", "", "/joint/gap_displacement", IFD_COLUMN_GAP_DISPLACEMENT},
        {"top multiplier", "joint", "top", "/joint/top_multiplier", IFD_COLUMN_JOINT_MULTIPLIER},
        {"a/b displacement", "displacement", "a/b", "/displacement/a_b", IFD_COLUMN_DISPLACEMENT},
        {"energy input", "energy", "", "/energy/input", IFD_COLUMN_ENERGY_INPUT},
        {"ground acceleration x", "ground", "", "/ground/acceleration_x", IFD_COLUMN_GROUND_X},
        {"simulated time", "test", "", "/test/simulated_time", IFD_COLUMN_TEST_TIME},
        {"part.speed", "output", "part.speed", "/output/part.speed", IFD_COLUMN_OUTPUT},
        {"displacement", "displacement", "displacement", "/displacement/displacement", IFD_COLUMN_OUTPUT},
    };
    ifd_arena *arena = ifd_arena_open();
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        ifd_column c;
        assert_int_equal(ifd_column_read(arena, row[i].name, "m", row[i].group, &c), IFD_OK);
        assert_int_equal(c.quantity, row[i].quantity);
        assert_string_equal(c.owner, row[i].owner);
        assert_string_equal(ifd__column_path(arena, &c), row[i].path);
    }
    ifd_arena_close(arena);
}

TEST(a_column_is_found_by_owner_and_quantity)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_column c[3];
    ifd_column_make(arena, "", IFD_COLUMN_TEST_TIME, 0, false, &c[0]);
    ifd_column_make(arena, "west", IFD_COLUMN_INTERFACE_FORCE, 0, false, &c[1]);
    ifd_column_make(arena, "east", IFD_COLUMN_INTERFACE_FORCE, 0, false, &c[2]);
    assert_int_equal(ifd_column_find(c, 3, "", IFD_COLUMN_TEST_TIME), 0);
    assert_int_equal(ifd_column_find(c, 3, "east", IFD_COLUMN_INTERFACE_FORCE), 2);
    assert_int_equal(ifd_column_find(c, 3, "east", IFD_COLUMN_INTERFACE_COMMAND), -1);
    assert_int_equal(ifd_column_find(c, 3, "", IFD_COLUMN_INTERFACE_FORCE), -1);
    ifd_arena_close(arena);
}

TESTS()
