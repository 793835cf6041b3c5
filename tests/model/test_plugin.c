/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fixture.h"

#include "base/object.h"
#include "model/plugin.h"

#include <string.h>
#include <unistd.h>

static ifd_status plugin_open(const char *path, const ifd_element_ops **out, ifd_note *n, const ifd_place *place)
{
    int fd;
    IFD_TRY(ifd__object_examine(path, &fd, n, place));
    return ifd__plugin_load(fd, path, out, n, place);
}

TEST(a_users_element_is_loaded_made_and_evaluated)
{
    const ifd_element_ops *ops = NULL;
    assert_int_equal(plugin_open(IFD_PLUGIN_DIR "/plugin_user_element.so", &ops, NULL, NULL), IFD_OK);
    assert_string_equal(ops->name, "softening-spring");
    ifd_value values[2];
    ifd_param_preset(ops->params, values);
    values[0] = ifd_number(1000);
    values[1] = ifd_number(0.1);
    assert_int_equal(ifd_param_check(ops->params, values, "element", NULL, NULL), IFD_OK);
    ifd_element e = {.ops = ops, .name = "mine", .nq = 1};
    assert_int_equal(ops->make(&e, values, arena, NULL), IFD_OK);
    for (double q = -0.3; q < 0.35; q += 0.1) {
        double v = 0, r = 0, r_q = 0, h = 1e-6, near[2] = {q - h, q + h}, side[2] = {0, 0};
        ifd_element_in in = {.q = &q, .qd = &v};
        ifd_element_out out = {.r = &r, .r_q = &r_q};
        ops->eval(&e, &in, &out);
        assert_near(r, 1000 * q / (1 + fabs(q) / 0.1), 1e-12, "q = %g", q);
        for (int i = 0; i < 2; i++) {
            ifd_element_in in2 = {.q = &near[i], .qd = &v};
            ifd_element_out out2 = {.r = &side[i]};
            ops->eval(&e, &in2, &out2);
        }
        assert_near(r_q, (side[1] - side[0]) / (2 * h), 2e-2, "tangent at q = %g", q);
    }
}

TEST(a_name_without_a_slash_is_a_file_of_the_working_folder)
{
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(IFD_PLUGIN_DIR), 0);
    const ifd_element_ops *ops = NULL;
    ifd_status status = plugin_open("plugin_user_element.so", &ops, NULL, NULL);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(status, IFD_OK);
}

TEST(objects_that_are_no_element_are_refused_with_what_to_do)
{
    const char *bad[][3] = {
        {IFD_PLUGIN_DIR "/nowhere.so", "cannot be loaded", "cc -shared"},
        {IFD_PLUGIN_DIR "/plugin_empty.so", "does not export 'ifd_user_element'", "not hidden"},
        {IFD_PLUGIN_DIR "/plugin_old_abi.so", "compiled for element interface", "compile it with"},
        {IFD_PLUGIN_DIR "/plugin_without_eval.so", "has no eval function", "eval"},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        ifd_note_init(&note, arena);
        const ifd_element_ops *ops = NULL;
        ifd_place place = {.file = "case.yaml", .line = 3, .column = 5, .width = 2};
        assert_int_equal(plugin_open(bad[i][0], &ops, &note, &place), IFD_PLUGIN);
        assert_null(ops);
        assert_int_equal(note.errors, 1);
        assert_int_equal(note.first->place.line, 3);
        assert_non_null(strstr(note.first->text, bad[i][1]));
        assert_non_null(strstr(note.first->hint, bad[i][2]));
    }
}

TESTS_WITH(open_arena, close_arena)
