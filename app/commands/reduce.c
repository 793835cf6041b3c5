/* SPDX-License-Identifier: MIT */
/* interfield reduce: superelements of a case, compared with the full models. */
#include "working.h"

#include <math.h>
#include <string.h>

enum { MOST_REDUCED = 32 };

/* Both forms of the case, step by step. */
typedef struct check {
    long steps;
    int columns;          /* displacements in both */
    double difference;    /* the largest, of the peak of its column */
    const char *column;   /* where; NULL: nothing moves */
    double full, reduced; /* s, the fastest step */
} check;

static double now(void)
{
    return 1e-9 * (double)clock_now();
}

/* The same case with `reduce: none` in every reduced model. */
static ifd_case *read_full(app *a, const ifd_case *c)
{
    const char *set[MOST_REDUCED];
    int count = 0;
    for (int p = 0; p < case_parts(c) && count < MOST_REDUCED; p++)
        if (ifd_model_reduced(case_part(c, p))) {
            const char *text = c->run.couple ? ifd_arena_print(a->arena, "substructures.%s.model.reduce=none",
                                                               c->run.couple->part[p].name)
                                             : "model.reduce=none";
            if (text)
                set[count++] = text;
        }
    return case_read_named(a, a->word[0], count, set);
}

static ifd_status open_run(app *a, const ifd_case *c, ifd_run **out)
{
    ifd_run_options run = c->run;
    run.what = IFD_RECORD_DISPLACEMENT;
    run.every = 1;
    return ifd_run_make(a->arena, &run, out, &a->note);
}

/* One step, which has several ticks when a specimen is measured inside it; false at the end or after a fault. */
static bool step(ifd_run *r, double *fastest)
{
    double begin = now();
    bool going;
    do
        going = ifd_run_tick(r) == IFD_RUN_GOING;
    while (going && !ifd_run_fresh(r));
    *fastest = fmin(*fastest, now() - begin);
    return going;
}

/* Pairs of columns with equal names; returns their number. */
static int pair_columns(ifd_run *full, ifd_run *small, int *of_full, int *of_small)
{
    int n, m, count = 0;
    const ifd_column *a = ifd_run_columns(full, &n), *b = ifd_run_columns(small, &m);
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            if (strcmp(a[i].name, b[j].name) == 0) {
                of_full[count] = i;
                of_small[count++] = j;
                break;
            }
    return count;
}

/* Steps both runs; ends early when the full one has taken `patience` seconds. */
static ifd_status compare(app *a, ifd_run *full, ifd_run *small, double patience, check *out)
{
    int columns;
    long most = out->steps;
    const ifd_column *column = ifd_run_columns(small, &columns);
    size_t n = (size_t)columns;
    int *i_full = ifd_arena_array(a->arena, n, sizeof(int)), *i_small = ifd_arena_array(a->arena, n, sizeof(int));
    double *peak = ifd_arena_array(a->arena, n, sizeof(double)), *off = ifd_arena_array(a->arena, n, sizeof(double));
    if (!i_full || !i_small || !peak || !off)
        return IFD_NO_MEMORY;
    out->columns = pair_columns(full, small, i_full, i_small);
    double begin = now();
    for (out->steps = 0; out->steps < most && now() - begin < patience; out->steps++) {
        if (!step(full, &out->full) || !step(small, &out->reduced))
            break;
        for (int k = 0; k < out->columns; k++) {
            double u = ifd_run_values(full)[i_full[k]];
            peak[k] = fmax(peak[k], fabs(u));
            off[k] = fmax(off[k], fabs(u - ifd_run_values(small)[i_small[k]]));
        }
    }
    for (int k = 0; k < out->columns; k++)
        if (peak[k] > 0.0 && (!out->column || off[k] / peak[k] > out->difference)) {
            out->difference = off[k] / peak[k];
            out->column = column[i_small[k]].name;
        }
    return IFD_OK;
}

static ifd_status check_in_time(app *a, const ifd_case *c, double patience, check *out)
{
    ifd_run *full = NULL, *small = NULL;
    const ifd_case *whole = read_full(a, c);
    if (!whole)
        return IFD_INTERNAL;
    ifd_status status = open_run(a, whole, &full);
    if (status == IFD_OK)
        status = open_run(a, c, &small);
    if (status == IFD_OK)
        status = compare(a, full, small, patience, out);
    if (small)
        ifd_run_close(small);
    if (full)
        ifd_run_close(full);
    return status;
}

/* The reduced model that --part names, or the only one; -1 after a message. */
static int chosen(app *a, const ifd_case *c)
{
    const char *part = app_value(a, "--part");
    int found = -1, count = 0;
    for (int p = 0; p < case_parts(c); p++)
        if (ifd_model_reduced(case_part(c, p)) && (!part || strcmp(part, case_part_name(c, p)) == 0)) {
            found = p;
            count++;
        }
    if (count == 1)
        return found;
    if (part)
        app_complain(a, "the case has no reduced substructure '%s'", part);
    else
        app_complain(a, "the case has %d reduced substructures; select one with --part NAME", count);
    return -1;
}

/* With --out and --opensees: writes the files; false after a message. */
static bool write_files(app *a, const ifd_superelement *s, const ifd_superelement_check *found)
{
    const char *out = app_value(a, "--out"), *script = app_value(a, "--opensees");
    if ((!out || ifd_superelement_write(s, found, out, &a->note) == IFD_OK) &&
        (!script || ifd_superelement_opensees(s, found, script, &a->note) == IFD_OK))
        return true;
    app_fail(a, IFD_FILE);
    return false;
}

static bool store(app *a, const ifd_case *c, const check *k)
{
    if (!app_value(a, "--out") && !app_value(a, "--opensees"))
        return true;
    int part = chosen(a, c);
    if (part < 0)
        return false;
    const ifd_superelement_check found = {
        .steps = k->steps, .step = k->steps ? c->run.step.h : 0.0, .difference = k->difference};
    return write_files(a, ifd_model_superelement(case_part(c, part)), k->steps ? &found : NULL);
}

/* The bytes of a file that begins as a stored superelement; NULL: it does not. */
static const char *stored_bytes(app *a, const char *path, size_t *length)
{
    static const char begin[] = "interfield superelement ";
    char first[sizeof begin - 1], *bytes = NULL;
    FILE *f = fopen(path, "rb");
    if (f && fread(first, 1, sizeof first, f) == sizeof first && memcmp(first, begin, sizeof first) == 0 &&
        fseek(f, 0, SEEK_END) == 0) {
        long end = ftell(f);
        rewind(f);
        *length = end > 0 ? (size_t)end : 0;
        bytes = ifd_arena_take(a->arena, *length + 1);
        if (bytes && fread(bytes, 1, *length, f) != *length)
            *length = 0;
    }
    if (f)
        fclose(f);
    return bytes;
}

/* A stored superelement in the place of the case. */
static int export_stored(app *a, const char *bytes, size_t length)
{
    ifd_superelement *s = NULL;
    const char *script = app_value(a, "--opensees");
    if (!script || app_value(a, "--out") || app_value(a, "--part") || app_has(a, "--set"))
        return app_refuse(a, "'%s' is a stored superelement; for it only --opensees FILE is possible", a->word[0]);
    APP_TRY(
        a, ifd_superelement_read(a->arena, &(ifd_superelement_bytes){a->word[0], bytes, length, NULL}, &s, &a->note));
    if (!write_files(a, s, NULL))
        return EXIT_BAD_INPUT;
    return app_put_made(a, "opensees", "opensees", script, EXIT_FINE);
}

static int put(app *a, const ifd_case *c, const check *k, int exit_status)
{
    ifd_json j = app_json(a);
    ifd_json_text(&j, "case", c->path);
    if (app_value(a, "--out"))
        ifd_json_text(&j, "file", app_value(a, "--out"));
    if (app_value(a, "--opensees"))
        ifd_json_text(&j, "opensees", app_value(a, "--opensees"));
    ifd_json_list(&j, "models");
    for (int p = 0; p < case_parts(c); p++) {
        const ifd_reduced *r = ifd_model_reduced(case_part(c, p));
        if (!r)
            continue;
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("name", case_part_name(c, p)), IFD_JSON("full_dofs", r->full),
                        IFD_JSON("dofs", r->order), IFD_JSON("interface_dofs", r->interfaces),
                        IFD_JSON("frequency", r->frequency), IFD_JSON("tolerance", r->tolerance),
                        IFD_JSON("bound", r->bound), IFD_JSON("bound_frequency", r->at), IFD_JSON("shift", r->shift));
    }
    ifd_json_end(&j);
    if (k)
        IFD_JSON_OBJECT(&j, "check", IFD_JSON("steps", (double)k->steps), IFD_JSON("columns", k->columns),
                        IFD_JSON("difference", k->difference), IFD_JSON("column", k->column ? k->column : ""),
                        IFD_JSON("full_step", k->full), IFD_JSON("reduced_step", k->reduced));
    return app_put_json(a, &j, exit_status);
}

static void print(const ifd_case *c)
{
    app_print("%-16s %9s %9s %9s  %9s %9s  %s\n", "model", "full dofs", "dofs", "interface", "to Hz", "tolerance",
              "error bound");
    for (int p = 0; p < case_parts(c); p++) {
        const ifd_reduced *r = ifd_model_reduced(case_part(c, p));
        if (r)
            app_print("%-16s %9d %9d %9d  %9g %9g  %.2g at %.4g Hz%s\n", case_part_name(c, p), r->full, r->order,
                      r->interfaces, r->frequency, r->tolerance, r->bound, r->at,
                      r->bound > 1.0 ? ": above the peak, nothing is proven" : "");
    }
}

static int run_command(app *a)
{
    enum { PATIENCE = 60 };
    int steps = 500;
    double tolerance = 0.0;
    bool alone = false;
    if (!app_integer(a, "--steps", 0, 10000000, &steps))
        return EXIT_BAD_INPUT;
    size_t length = 0;
    const char *stored = stored_bytes(a, a->word[0], &length);
    if (stored)
        return export_stored(a, stored, length);
    const ifd_case *c = APP_CASE(a, case_read(a));
    for (int p = 0; p < case_parts(c); p++) {
        const ifd_reduced *r = case_part(c, p) ? ifd_model_reduced(case_part(c, p)) : NULL;
        tolerance = r ? fmax(tolerance, r->tolerance) : tolerance;
        alone = alone || (r && r->alone);
    }
    if (tolerance == 0.0)
        return app_refuse(a, "the case has no reduced model; add 'reduce: {frequency: 50 Hz}' to its model");
    if (alone && steps) {
        app_say(a, "time", "no comparison: the case has a superelement without its full model");
        steps = 0;
    }
    check k = {.steps = steps, .full = HUGE_VAL, .reduced = HUGE_VAL};
    if (steps) {
        ifd_status status = WORK(a, "full and reduced model, step by step", check_in_time(a, c, PATIENCE, &k));
        if (status != IFD_OK)
            return a->refused ? a->refused : app_fail(a, status);
    }
    int exit_status = k.difference <= tolerance ? EXIT_FINE : EXIT_RUN_FAILED;
    if (!steps)
        k.steps = 0;
    if (!store(a, c, &k))
        return EXIT_BAD_INPUT;
    if (a->json)
        return put(a, c, steps ? &k : NULL, exit_status);
    if (app_talks(a)) {
        print(c);
        if (steps && !k.column)
            app_say(a, "time", "nothing moves in the first %ld steps", k.steps);
        else if (steps)
            app_say(a, "time", "%ld steps of %s: largest difference %.2g of the peak, at %s", k.steps,
                    quantity(c->run.step.h, "s").text, k.difference, k.column);
        if (steps)
            app_say(a, "step", "full model %s, reduced model %s", quantity(k.full, "s").text,
                    quantity(k.reduced, "s").text);
        if (app_value(a, "--out"))
            app_say(a, "file", "%s", app_value(a, "--out"));
        if (app_value(a, "--opensees"))
            app_say(a, "opensees", "%s", app_value(a, "--opensees"));
    }
    return exit_status;
}

const command command_reduce = {
    .name = "reduce",
    .words = "CASE",
    .summary = "reduce the models of a case and compare them with the full models",
    .details =
        "Prints the dofs of the full and of the reduced models, and the error bound over the range of "
        "frequencies. Then both forms of the case are computed with the loads of the case, and the largest "
        "difference of a displacement is printed. This comparison ends after one minute. The file of --out has the "
        "superelement with the hash of the full matrices, the error bound and the largest difference. The script of "
        "--opensees has the same superelement as nodes and elements of OpenSees. CASE may be a stored superelement "
        "then.",
    .options = {{"--steps", "N", "steps of the comparison; 0: no comparison (default 500)"},
                {"--out", "FILE",
                 "store the superelement (HDF5); a case uses it with reduce: {file: FILE} or superelement: FILE"},
                {"--opensees", "FILE",
                 "write the superelement as a Tcl script, to which a model of OpenSees attaches its own elements"},
                {"--part", "NAME", "substructure to store, if several are reduced"},
                OPTION_SET},
    .examples = "interfield reduce frame-10/frame --set 'model.rayleigh={ratio: 3 %, frequencies: [1 Hz, 20 Hz]}' "
                "--set 'model.reduce={frequency: 30 Hz}'\n"
                "interfield reduce frame-10/frame --set 'model.reduce={frequency: 30 Hz}' --out tower.h5\n"
                "interfield reduce tower.h5 --opensees tower.tcl",
    .see = "check modes superelement.md",
    .run = run_command,
    .code = CODE_RUN,
    .computes = true,
    .failed = "a displacement differs by more than the tolerance",
};
