/* SPDX-License-Identifier: MIT */
/* The units of a test: those that its case asks for, in the order of units.def. */
#include "check.h"
#include "fixture.h"

#include <string.h>

#include <interfield/case.h>

static const char *const order[] = {
#define UNIT(name) #name,
#define PART(name) #name,
#include "hybrid/units.def"
#undef UNIT
#undef PART
};

static const ifd_part *explain(const char *file, const char *set, int *count)
{
    ifd_case *c = NULL;
    const ifd_part *parts = NULL;
    const char *path = ifd_arena_print(arena, IFD_SOURCE_DIR "/cases/%s.yaml", file);
    assert_int_equal(ifd_case_read(arena, path, set ? 1 : 0, &set, &c, &note), IFD_OK);
    assert_int_equal(ifd_hybrid_explain(arena, c->test, &parts, count, &note), IFD_OK);
    return parts;
}

/* The place of a name in units.def, where it has underscores. */
static int place_of(const char *name)
{
    for (int i = 0; i < (int)COUNT(order); i++) {
        bool same = strlen(order[i]) == strlen(name);
        for (size_t k = 0; same && name[k]; k++)
            same = order[i][k] == (name[k] == ' ' ? '_' : name[k]);
        if (same)
            return i;
    }
    return -1;
}

static bool has(const ifd_part *parts, int count, ifd_part_kind kind, const char *name)
{
    for (int i = 0; i < count; i++)
        if (parts[i].kind == kind && strcmp(parts[i].name, name) == 0)
            return true;
    return false;
}

TEST_IN_ARENA(units_are_in_the_order_of_their_list)
{
    static const char *const files[] = {"split-mass-rig/rig", "bridge/hybrid", "effective-force/rig", "rts-rig/rig"};
    for (size_t f = 0; f < COUNT(files); f++) {
        int count, last = -1;
        const ifd_part *parts = explain(files[f], NULL, &count);
        assert_int_equal(parts[0].kind, IFD_PART_PACE);
        assert_string_equal(parts[0].name, "scaled");
        for (int i = 1; i < count && parts[i].kind == IFD_PART_UNIT; i++) {
            assert_true(place_of(parts[i].name) > last);
            last = place_of(parts[i].name);
        }
        assert_true(last >= place_of("limits"));
    }
}

TEST_IN_ARENA(a_unit_is_in_the_list_if_the_case_asks_for_it)
{
    int count;
    const ifd_part *parts = explain("split-mass-rig/rig", NULL, &count);
    assert_false(has(parts, count, IFD_PART_UNIT, "hold force"));
    assert_false(has(parts, count, IFD_PART_UNIT, "monitor"));
    parts = explain("split-mass-rig/rig", "test.hold-relaxation=10 %", &count);
    assert_true(has(parts, count, IFD_PART_UNIT, "hold force"));
    for (int i = 0; i < count; i++)
        if (strcmp(parts[i].name, "hold force") == 0) {
            assert_int_equal(parts[i].columns, 1);
            assert_string_equal(parts[i].column[0].name, "spring hold relaxation");
        }
}

/* Every column of the structure is one of the unit that records it. */
TEST_IN_ARENA(the_response_has_the_columns_of_the_structure)
{
    int count;
    const ifd_part *parts = explain("split-mass-rig/rig", NULL, &count);
    bool found = false;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < parts[i].columns; k++)
            if (parts[i].column[k].quantity == IFD_COLUMN_DISPLACEMENT) {
                assert_string_equal(parts[i].name, "response");
                found = true;
            }
    assert_true(found);
}

TEST_IN_ARENA(a_force_has_the_links_that_the_case_asks_for)
{
    int count;
    const ifd_part *parts = explain("effective-force/rig", NULL, &count);
    assert_true(has(parts, count, IFD_PART_LINK, "effective force"));
    assert_false(has(parts, count, IFD_PART_LINK, "walls"));
    parts = explain("rts-building/walls", NULL, &count);
    assert_true(has(parts, count, IFD_PART_LINK, "walls"));
    assert_false(has(parts, count, IFD_PART_LINK, "effective force"));
    parts = explain("split-mass-rig/rig", NULL, &count);
    for (int i = 0; i < count; i++)
        assert_true(parts[i].kind != IFD_PART_LINK);
}

TESTS()
