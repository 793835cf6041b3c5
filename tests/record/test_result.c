/* SPDX-License-Identifier: MIT */
/* A small hysteretic building is run and its result read back: by ifd_table_read, by plain HDF5 calls, as CSV, as
 * JSON. */
#include "check.h"
#include "scratch.h"

#include <hdf5.h>
#include <libfyaml.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <interfield/result.h>
#include <interfield/version.h>

#include "record/result.h"

enum { STEPS = 36000, MOST = 32 }; /* more than two chunks of 16384 rows */

typedef struct bench {
    ifd_arena *arena, *books;
    ifd_note note;
    ifd_case c;
    ifd_run *run;
    char folder[SCRATCH_PATH];
    double *kept[MOST + 1]; /* time, then every channel */
    long rows;
    long late; /* number of the row after which the last writing seems long ago; 0: none */
} bench;

static const char case_text[] = "title: Two storeys \xc2\xb7 test\ntime: {step: 1 ms}\n";

static const ifd_model *make_model(bench *b)
{
    ifd_builder *builder = ifd_builder_make(b->arena);
    int x1 = ifd_builder_dof(builder, "x1", IFD_DOF_X), x2 = ifd_builder_dof(builder, "x2", IFD_DOF_X);
    ifd_builder_add(builder, IFD_MASS, x1, x1, 2.0);
    ifd_builder_add(builder, IFD_MASS, x2, x2, 1.0);
    ifd_builder_spring(builder, IFD_STIFFNESS, x1, x2, 300.0);
    const ifd_element_ops *ops = ifd_element_find("bouc-wen");
    ifd_value values[16];
    ifd_param_preset(ops->params, values);
    values[ifd_param_find(ops->params, "stiffness")] = ifd_number(400.0);
    values[ifd_param_find(ops->params, "beta")] = ifd_number(50.0);
    values[ifd_param_find(ops->params, "gamma")] = ifd_number(30.0);
    const ifd_coordinate q = {1, &(const int){x1}, &(const double){1.0}};
    assert_int_equal(ifd_builder_element(builder, ops, "storey1", &(ifd_coordinates){1, &q}, values, &b->note),
                     IFD_OK);
    ifd_builder_initial(builder, x2, 0.01, 0.0);
    ifd_builder_initial(builder, x1, 0.0, 0.3);
    ifd_model *model;
    assert_int_equal(ifd_model_make(b->arena, builder, &model, &b->note), IFD_OK);
    return model;
}

static int begin(void **state)
{
    bench *b = calloc(1, sizeof *b);
    b->arena = ifd_arena_open();
    b->books = ifd_arena_open();
    ifd_note_init(&b->note, b->books);
    if (!scratch_make(b->folder))
        return -1;
    b->c = (ifd_case){.path = "a/b/two.yaml", .title = "Two storeys", .text = case_text};
    b->c.run.model = make_model(b);
    b->c.run.end = STEPS * 1e-3;
    ifd_step_options_defaults(ifd_method_find("lsrt2"), 1e-3, &b->c.run.step);
    *state = b;
    return 0;
}

static int end(void **state)
{
    bench *b = *state;
    scratch_remove(b->folder);
    for (int i = 0; i <= MOST; i++)
        free(b->kept[i]);
    ifd_arena_close(b->arena);
    ifd_arena_close(b->books);
    free(b);
    return 0;
}

static void keep(bench *b, const double *values, int channels)
{
    for (int i = 0; i <= channels; i++) {
        if (!b->kept[i])
            b->kept[i] = calloc(STEPS + 1, sizeof(double));
        b->kept[i][b->rows] = i ? values[i - 1] : ifd_run_time(b->run);
    }
    b->rows++;
}

static const ifd_timing timing = {.wall = 1.5,
                                  .setup = 0.25,
                                  .step_p50 = 1e-6,
                                  .step_p99 = 2e-6,
                                  .step_p999 = 3e-6,
                                  .step_max = 4e-6,
                                  .ticks = STEPS};

/* Runs at most steps steps and closes the result. */
static ifd_status run(bench *b, long steps, ifd_result **out)
{
    ifd_result *res;
    int channels;
    assert_int_equal(ifd_run_make(b->arena, &b->c.run, &b->run, &b->note), IFD_OK);
    ifd_run_columns(b->run, &channels);
    assert_in_range(channels, 1, MOST);
    IFD_TRY(ifd_result_open(b->books, b->folder, &b->c, b->run, &res, &b->note));
    *out = res;
    ifd_status status = IFD_OK;
    ifd_run_state going = IFD_RUN_GOING;
    do {
        if (ifd_run_fresh(b->run)) {
            keep(b, ifd_run_values(b->run), channels);
            status = ifd_result_append(res, ifd_run_values(b->run));
        }
        if (b->late && b->rows == b->late)
            res->flushed = 0;
        if (b->late && b->rows == b->late + 16)
            assert_in_range(res->used, 0, 15);
    } while (status == IFD_OK && going == IFD_RUN_GOING && ifd_run_step(b->run) < steps &&
             ((going = ifd_run_tick(b->run)), true));
    ifd_timing t = timing;
    t.interrupted = going == IFD_RUN_GOING;
    ifd_status closing = ifd_result_close(res, &t, &b->note);
    return closing == IFD_OK ? status : closing;
}

static const char *path_in(bench *b, const char *file)
{
    return ifd_arena_print(b->books, "%s/%s", b->folder, file);
}

static void compare_rows(bench *b)
{
    ifd_result *res;
    assert_int_equal(run(b, STEPS, &res), IFD_OK);
    assert_int_equal(b->rows, STEPS + 1);
    ifd_table t;
    assert_int_equal(ifd_table_read(b->books, b->folder, &t, &b->note), IFD_OK);
    int channels;
    const ifd_column *channel = ifd_run_columns(b->run, &channels);
    assert_int_equal(t.columns, channels);
    assert_int_equal(t.rows, b->rows);
    assert_memory_equal(t.time, b->kept[0], (size_t)b->rows * sizeof(double));
    for (int i = 0; i < channels; i++) {
        assert_string_equal(t.column[i].name, channel[i].name);
        assert_string_equal(t.column[i].unit, channel[i].unit);
        assert_string_equal(t.column[i].group, channel[i].group);
        assert_memory_equal(t.value[i], b->kept[i + 1], (size_t)b->rows * sizeof(double));
    }
    assert_string_equal(t.title, "Two storeys");
    assert_string_equal(t.method, "lsrt2");
    assert_string_equal(t.outcome, "completed");
}

TEST_WITH(every_value_comes_back_bit_for_bit, begin, end)
{
    compare_rows(*state);
}

/* Then chunks are written in parts. */
TEST_WITH(rows_that_arrive_slowly_are_written_early, begin, end)
{
    bench *b = *state;
    b->late = 5000;
    compare_rows(b);
}

static void read_plainly(hid_t file, const char *path, double *out, long rows)
{
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        fail_msg("no dataset %s", path);
    hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), rows);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(set);
}

TEST_WITH(channels_stand_where_the_documentation_says, begin, end)
{
    bench *b = *state;
    ifd_result *res;
    assert_int_equal(run(b, STEPS, &res), IFD_OK);
    static const struct {
        const char *path, *name;
    } rows[] = {{"/displacement/x1", "x1 displacement"},
                {"/velocity/x2", "x2 velocity"},
                {"/acceleration/x1", "x1 acceleration"},
                {"/element/storey1/force", "storey1 force"},
                {"/element/storey1/deformation", "storey1 deformation"},
                {"/energy/dissipated", "energy dissipated"}};
    hid_t file = H5Fopen(path_in(b, "result.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    int channels;
    const ifd_column *channel = ifd_run_columns(b->run, &channels);
    double *values = calloc((size_t)b->rows, sizeof *values);
    for (size_t k = 0; k < COUNT(rows); k++) {
        int index = -1;
        for (int i = 0; i < channels; i++)
            if (strcmp(channel[i].name, rows[k].name) == 0)
                index = i;
        assert_true(index >= 0);
        read_plainly(file, rows[k].path, values, b->rows);
        assert_memory_equal(values, b->kept[index + 1], (size_t)b->rows * sizeof *values);
    }
    free(values);
    H5Fclose(file);
}

static void text_attribute(hid_t file, const char *name, const char *expected)
{
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    char *text = NULL;
    assert_true(H5Aread(attribute, type, &text) >= 0);
    assert_string_equal(text, expected);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void number_attribute(hid_t file, const char *name, double expected)
{
    double value = 0;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, &value) >= 0);
    assert_near(value, expected, 0, "%s", name);
    H5Aclose(attribute);
}

TEST_WITH(facts_are_attributes_of_the_root, begin, end)
{
    bench *b = *state;
    ifd_result *res;
    assert_int_equal(run(b, STEPS, &res), IFD_OK);
    hid_t file = H5Fopen(path_in(b, "result.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    number_attribute(file, "schema", IFD_RESULT_SCHEMA);
    text_attribute(file, "interfield", ifd_version());
    text_attribute(file, "title", "Two storeys");
    text_attribute(file, "case_file", "two.yaml");
    text_attribute(file, "method", "lsrt2");
    text_attribute(file, "method_jacobian", "exact");
    number_attribute(file, "method_gamma", b->c.run.step.value[0].number);
    number_attribute(file, "step", 1e-3);
    text_attribute(file, "outcome", "completed");
    text_attribute(file, "fault", ifd_fault_name(IFD_FAULT_NONE));
    number_attribute(file, "wall_seconds", timing.wall);
    number_attribute(file, "setup_seconds", timing.setup);
    number_attribute(file, "tick_p999", timing.step_p999);
    number_attribute(file, "ticks", (double)timing.ticks);
    assert_true(H5Aexists(file, "host_cpu") > 0 && H5Aexists(file, "kernels") > 0);
    char text[sizeof case_text] = "";
    hid_t set = H5Dopen2(file, "/case", H5P_DEFAULT), type = H5Dget_type(set);
    assert_int_equal(H5Tget_size(type), strlen(case_text));
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    assert_string_equal(text, case_text);
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(file);
}

TEST_WITH(csv_reads_back_to_the_same_numbers, begin, end)
{
    bench *b = *state;
    b->c.csv = true;
    ifd_result *res;
    assert_int_equal(run(b, 500, &res), IFD_OK);
    FILE *file = fopen(path_in(b, "result.csv"), "r");
    assert_non_null(file);
    char line[4096];
    assert_non_null(fgets(line, sizeof line, file));
    assert_memory_equal(line, "time [s],x1 displacement [m],x2 displacement [m],", 49);
    int channels;
    ifd_run_columns(b->run, &channels);
    long rows = 0;
    for (; fgets(line, sizeof line, file); rows++) {
        char *at = line;
        for (int i = 0; i <= channels; i++) {
            double value = strtod(at, &at);
            assert_memory_equal(&value, &b->kept[i][rows], sizeof value);
            at += *at == ',';
        }
        assert_string_equal(at, "\n");
    }
    assert_int_equal(rows, 501);
    fclose(file);
}

static double number_at(struct fy_document *document, const char *path)
{
    char text[64] = "";
    char format[160];
    snprintf(format, sizeof format, "%s %%63s", path);
    if (fy_document_scanf(document, format, text) != 1)
        fail_msg("summary.json lacks %s", path);
    return strtod(text, NULL);
}

TEST_WITH(summary_holds_peaks_and_energies, begin, end)
{
    bench *b = *state;
    ifd_storey_drift absent = {.name = "attic", .storey = true, .from = "x2", .to = "x3"};
    ifd_storey_drift storey2 = {.next = &absent, .name = "storey2", .storey = true, .from = "x1", .to = "x2"};
    b->c.drift = &storey2;
    ifd_result *res;
    assert_int_equal(run(b, STEPS, &res), IFD_OK);
    struct fy_document *document = fy_document_build_from_file(NULL, path_in(b, "summary.json"));
    assert_non_null(document);
    int channels;
    const ifd_column *channel = ifd_run_columns(b->run, &channels);
    for (int i = 0; i < channels; i++) {
        const double *kept = b->kept[i + 1];
        long at = 0;
        for (long r = 0; r < b->rows; r++)
            at = fabs(kept[r]) > fabs(kept[at]) ? r : at;
        if (strcmp(channel[i].group, "energy") == 0)
            continue;
        const char *value = ifd_arena_print(b->books, "/peaks/\"%s\"/value", channel[i].name);
        const char *time = ifd_arena_print(b->books, "/peaks/\"%s\"/time", channel[i].name);
        assert_near(number_at(document, value), fabs(kept[at]), 0, "peak of %s", channel[i].name);
        assert_near(number_at(document, time), b->kept[0][at], 0, "time of the peak of %s", channel[i].name);
    }
    assert_near(number_at(document, "/residual_displacement/x2"), b->kept[2][b->rows - 1], 0, "residual");
    ifd_energy e = ifd_run_energy(b->run);
    assert_near(number_at(document, "/energy/dissipated"), e.dissipated, 0, "dissipated");
    assert_near(number_at(document, "/energy/relative_error"), fabs(e.numerical) / e.scale, 0, "error");
    double drift = 0;
    for (long r = 0; r < b->rows; r++)
        drift = fmax(drift, fabs(b->kept[2][r] - b->kept[1][r]));
    assert_near(number_at(document, "/drift/storey2/value"), drift, 0, "drift of storey 2");
    assert_near(number_at(document, "/drift/storey1/value"), number_at(document, "/peaks/\"x1 displacement\"/value"),
                0, "drift of storey 1");
    assert_near(number_at(document, "/rows"), STEPS + 1, 0, "rows");
    assert_near(number_at(document, "/timing/tick_max"), timing.step_max, 0, "longest tick");
    assert_null(fy_node_by_path(fy_document_root(document), "/drift/attic", (size_t)-1, FYNWF_DONT_FOLLOW));
    fy_document_destroy(document);
    assert_non_null(strstr(ifd_result_summary(res), "\"outcome\": \"completed\""));
}

TEST_WITH(an_interrupted_run_keeps_its_rows_and_says_so, begin, end)
{
    bench *b = *state;
    ifd_result *res;
    assert_int_equal(run(b, 5000, &res), IFD_OK);
    ifd_table t;
    assert_int_equal(ifd_table_read(b->books, b->folder, &t, &b->note), IFD_OK);
    assert_int_equal(t.rows, 5001);
    assert_string_equal(t.outcome, "aborted");
    assert_memory_equal(t.value[0], b->kept[1], 5001 * sizeof(double));
    assert_non_null(strstr(ifd_result_summary(res), "\"outcome\": \"aborted\""));
}

TEST_WITH(a_diverged_run_keeps_what_was_before_and_names_time_and_dof, begin, end)
{
    bench *b = *state;
    ifd_step_options_defaults(ifd_method_find("central-difference"), 0.5, &b->c.run.step);
    b->c.run.end = 0.5 * 1000;
    ifd_result *res;
    assert_int_equal(run(b, STEPS, &res), IFD_OK);
    ifd_fault_facts fault = ifd_run_fault(b->run);
    assert_int_equal(fault.fault, IFD_FAULT_DIVERGED);
    ifd_table t;
    assert_int_equal(ifd_table_read(b->books, b->folder, &t, &b->note), IFD_OK);
    assert_string_equal(t.outcome, "failed");
    assert_true(t.rows >= 2 && t.rows == b->rows);
    assert_true(t.time[t.rows - 1] <= fault.time);
    hid_t file = H5Fopen(path_in(b, "result.h5"), H5F_ACC_RDONLY, H5P_DEFAULT);
    number_attribute(file, "fault_time", fault.time);
    text_attribute(file, "fault_dof", ifd_model_dof_name(b->c.run.model, fault.dof));
    H5Fclose(file);
}

TEST_WITH(a_folder_that_holds_a_result_is_refused, begin, end)
{
    bench *b = *state;
    ifd_result *res;
    assert_int_equal(run(b, 10, &res), IFD_OK);
    assert_int_equal(run(b, 10, &res), IFD_CONFLICT);
    ifd_table t;
    assert_int_equal(ifd_table_read(b->books, b->folder, &t, &b->note), IFD_OK);
    assert_int_equal(t.rows, 11);
}

TEST_WITH(folders_above_are_made_and_a_place_that_cannot_be_is_an_error, begin, end)
{
    bench *b = *state;
    ifd_result *res;
    assert_int_equal(ifd_run_make(b->arena, &b->c.run, &b->run, &b->note), IFD_OK);
    const char *deep = ifd_arena_print(b->books, "%s/a/b", b->folder);
    assert_int_equal(ifd_result_open(b->books, deep, &b->c, b->run, &res, &b->note), IFD_OK);
    assert_int_equal(ifd_result_close(res, &timing, &b->note), IFD_OK);
    const char *bad = ifd_arena_print(b->books, "%s/a/b/result.h5/c", b->folder);
    assert_int_equal(ifd_result_open(b->books, bad, &b->c, b->run, &res, &b->note), IFD_OUTPUT);
    assert_non_null(strstr(b->note.last->text, "Not a directory"));
    unlink(path_in(b, "a/b/result.h5"));
    unlink(path_in(b, "a/b/summary.json"));
    rmdir(deep);
    rmdir(path_in(b, "a"));
}

/* A limit on the size of files simulates a full disk: room for one chunk of every channel, not for two. */
TEST_WITH(a_full_disk_is_an_error_and_leaves_a_readable_file, begin, end)
{
    bench *b = *state;
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = 3600000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    ifd_result *res;
    ifd_status status = run(b, STEPS, &res);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(status, IFD_OUTPUT);
    assert_non_null(strstr(b->note.last->text, "File too large"));
    ifd_table t;
    assert_int_equal(ifd_table_read(b->books, b->folder, &t, &b->note), IFD_OK);
    assert_int_equal(t.rows, 16384);
    assert_memory_equal(t.value[3], b->kept[4], 16384 * sizeof(double));
}

TEST_WITH(what_is_not_a_result_is_refused, begin, end)
{
    bench *b = *state;
    ifd_table t;
    assert_int_equal(ifd_table_read(b->books, b->folder, &t, &b->note), IFD_FILE);
    FILE *file = fopen(path_in(b, "result.h5"), "w");
    fputs("not HDF5 at all\n", file);
    fclose(file);
    assert_int_equal(ifd_table_read(b->books, b->folder, &t, &b->note), IFD_FILE);
}

TESTS()
