/* SPDX-License-Identifier: MIT */
/* Members of frames: their forms, releases, shear, segments and loads. */
#include "case/texts.h"

#include <string.h>

#include "model/build/frame.h"

#define TIME "time: {step: 1 ms, end: 1 s}\n"

static const ifd_frame *frame_of(const ifd_case *c)
{
    const ifd_case_piece *piece = c->piece;
    while (piece && !piece->frame)
        piece = piece->next;
    assert_non_null(piece);
    return piece->frame;
}

/* A portal of which the beam is given. */
static const char *portal(const char *beam)
{
    return ifd_arena_print(arena,
                           TIME
                           "model:\n"
                           "  frame:\n"
                           "    material: {young: 210 GPa, density: 7850 kg/m3}\n"
                           "    sections: {post: {width: 0.2 m, depth: 0.2 m}, beam: {width: 0.2 m, depth: 0.4 m}}\n"
                           "    nodes: {a: [0 m, 0 m], b: [0 m, 3 m], c: [4 m, 3 m], d: [4 m, 0 m]}\n"
                           "    members: [[a, b, post], %s, [d, c, post]]\n"
                           "    supports: {a: fixed, d: pinned}\n",
                           beam);
}

TEST_IN_ARENA(a_mapping_is_the_member_of_the_list)
{
    const ifd_case *list = read(portal("[b, c, beam, girder]"));
    const ifd_model *one = list->run.model;
    const ifd_case *map = read(portal("{from: b, to: c, section: beam, name: girder}"));
    assert_int_equal(one->n, map->run.model->n);
    for (int j = 0; j < one->n; j++)
        for (int i = 0; i < one->n; i++) {
            assert_true(entry(&one->K, i, j) == entry(&map->run.model->K, i, j));
            assert_true(entry(&one->M, i, j) == entry(&map->run.model->M, i, j));
        }
    assert_string_equal(ifd__frame_member_name(arena, frame_of(map), 1), "girder");
    map = read(portal("{from: b, to: c, section: beam}"));
    assert_string_equal(ifd__frame_member_name(arena, frame_of(map), 1), "b-c");
}

TESTS_WITH(files_open, files_close)
