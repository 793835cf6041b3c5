/* SPDX-License-Identifier: MIT */
/* interfield energy: where the energy of a result went, and how much of it is error:
 *
 *     numerical = start + input + joints - kinetic - stored - dissipated - specimens,
 *
 * what the method itself made or took; start is kinetic and stored at the start. A test that records energies has the
 * same balance, the work on its specimens by measured forces. It also has for each specimen the work of the measured
 * force over measured minus target motion (tracking), an error to be compared with all the work done on that specimen
 * either way. */
#include "report/figure.h"
#include "report/ran.h"

#include <math.h>
#include <string.h>

enum { MOST_ENERGIES = 16 + 3 * IFD_RIG_ACTUATORS };

typedef struct energy {
    const char *name, *label;  /* in JSON; in the table */
    ifd_quantity quantity;     /* IFD_COLUMN_OUTPUT: of no column */
    double end, largest, time; /* J, J, s; largest and time NAN where no column tells them */
    double scale;              /* J, of an error: what it is compared with; NAN of other energies */
    const double *column;      /* or NULL */
} energy;

typedef struct balance {
    app *a;
    ifd_table t;
    const ifd_json_node *summary; /* NULL when it cannot be read */
    int count;
    energy row[MOST_ENERGIES];
} balance;

static energy *add(balance *b, const char *name, ifd_quantity quantity, const double *column, double end)
{
    if (b->count == MOST_ENERGIES)
        return &b->row[b->count - 1];
    energy *e = &b->row[b->count++];
    const char *kept = ifd_arena_text(b->a->arena, name);
    *e = (energy){.name = kept ? kept : "",
                  .label = kept ? kept : "",
                  .quantity = quantity,
                  .end = end,
                  .largest = NAN,
                  .time = NAN,
                  .scale = NAN,
                  .column = column};
    for (long i = 0; column && i < b->t.rows; i++)
        if (!(fabs(column[i]) <= fabs(e->largest))) {
            e->largest = column[i];
            e->time = b->t.time[i];
        }
    if (column && isnan(end))
        e->end = column[b->t.rows - 1];
    return e;
}

static bool is_held(ifd_quantity quantity)
{
    return quantity == IFD_COLUMN_ENERGY_KINETIC || quantity == IFD_COLUMN_ENERGY_STORED;
}

/* The largest of input, kinetic + stored and dissipated, as the run itself follows it; of recorded rows only. */
static double scale_of(const balance *b)
{
    double scale = 0;
    for (long i = 0; i < b->t.rows; i++) {
        double held = 0;
        for (int k = 0; k < b->count; k++) {
            const energy *e = &b->row[k];
            if (e->column && is_held(e->quantity))
                held += fabs(e->column[i]);
            else if (e->quantity == IFD_COLUMN_ENERGY_INPUT || e->quantity == IFD_COLUMN_ENERGY_DISSIPATED)
                scale = fmax(scale, fabs(e->column[i]));
        }
        scale = fmax(scale, held);
    }
    return scale;
}

/* The columns of the balance, or where they were not recorded the numbers of the summary. */
static void add_balance(balance *b)
{
    double start = 0, told = ifd_json_number_at(b->summary, "energy/start", NAN);
    for (int i = 0; i < b->t.columns; i++)
        if (column_is_energy(&b->t.column[i])) {
            ifd_quantity quantity = b->t.column[i].quantity;
            const char *name = column_short(&b->t.column[i]);
            const char *path = ifd_arena_print(b->a->arena, "energy/%s", name);
            add(b, name, quantity, b->t.value[i], path ? ifd_json_number_at(b->summary, path, NAN) : (double)NAN);
            start += is_held(quantity) ? b->t.value[i][0] : 0;
        }
    if (b->count)
        add(b, "start", IFD_COLUMN_OUTPUT, NULL, isnan(told) ? start : told);
    const ifd_json_node *held = ifd_json_at(b->summary, "energy");
    for (const ifd_json_node *n = held && !b->count ? held->first : NULL; n; n = n->next)
        if (strcmp(n->key, "scale") != 0 && strcmp(n->key, "relative_error") != 0)
            add(b, n->key, strcmp(n->key, "numerical") == 0 ? IFD_COLUMN_ENERGY_NUMERICAL : IFD_COLUMN_OUTPUT, NULL,
                n->number);
    for (int k = 0; k < b->count; k++)
        if (b->row[k].quantity == IFD_COLUMN_ENERGY_NUMERICAL) {
            double scale = ifd_json_number_at(b->summary, "energy/scale", NAN);
            b->row[k].scale = isnan(scale) ? scale_of(b) : scale;
        }
}

/* The work done on a specimen so far, of every row. */
static const double *work_of(balance *b, const char *owner)
{
    int motion = ifd_column_find(b->t.column, b->t.columns, owner, IFD_COLUMN_INTERFACE_DEFORMATION);
    int force = ifd_column_find(b->t.column, b->t.columns, owner, IFD_COLUMN_INTERFACE_FORCE);
    double *work = motion >= 0 && force >= 0 ? ifd_arena_array(b->a->arena, (size_t)b->t.rows, sizeof *work) : NULL;
    const double *x = work ? b->t.value[motion] : NULL, *f = work ? b->t.value[force] : NULL;
    for (long i = 1; work && i < b->t.rows; i++)
        work[i] = work[i - 1] + 0.5 * (f[i] + f[i - 1]) * (x[i] - x[i - 1]);
    return work;
}

static void add_test(balance *b)
{
    for (int i = 0; i < b->t.columns; i++) {
        const char *owner = b->t.column[i].owner;
        if (b->t.column[i].quantity != IFD_COLUMN_INTERFACE_ENERGY)
            continue;
        double scale = ifd_json_number_at(b->summary, phrase("rig/%s/work", owner).text, NAN);
        double tracking = ifd_json_number_at(b->summary, phrase("rig/%s/tracking_energy", owner).text, NAN);
        const double *work = work_of(b, owner);
        if (work)
            add(b, phrase("%s absorbed", owner).text, IFD_COLUMN_OUTPUT, work, (double)NAN);
        const char *total = ifd_arena_print(b->a->arena, "%s total work", owner);
        if (!isnan(scale))
            add(b, phrase("%s either way", owner).text, IFD_COLUMN_OUTPUT, NULL, scale)->label = total ? total : "";
        add(b, phrase("%s tracking", owner).text, IFD_COLUMN_INTERFACE_ENERGY, b->t.value[i], tracking)->scale =
            scale;
    }
}

static void say_rows(const balance *b)
{
    app_print("  %-28s %12s   %s\n", "energy", "at the end", "largest");
    for (int k = 0; k < b->count; k++) {
        const energy *e = &b->row[k];
        const readable end = quantity(e->end, "J");
        if (isnan(e->largest))
            app_print("  %-28s %12s\n", e->label, end.text);
        else
            app_print("  %-28s %12s   %s at %s\n", e->label, end.text, quantity(e->largest, "J").text,
                      quantity(e->time, "s").text);
    }
    for (int k = 0; k < b->count; k++) {
        const energy *e = &b->row[k];
        if (e->scale > 0)
            app_say(b->a, "error", "%s %.3g %% of %s", e->name, 100 * fabs(e->end) / e->scale,
                    quantity(e->scale, "J").text);
    }
}

static int put_rows(const balance *b, int exit_status)
{
    ifd_json j = app_json(b->a);
    IFD_JSON_PUT(&j, IFD_JSON("result", b->a->word[0]), IFD_JSON("of", b->t.test ? "test" : "run"),
                 IFD_JSON("outcome", b->t.outcome), IFD_JSON("time", b->t.time[b->t.rows - 1]),
                 IFD_JSON("unit", "J"));
    ifd_json_list(&j, "energies");
    for (int k = 0; k < b->count; k++) {
        const energy *e = &b->row[k];
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("name", e->name), IFD_JSON("end", e->end), IFD_JSON("largest", e->largest),
                        IFD_JSON("time", e->time), IFD_JSON("scale", e->scale),
                        IFD_JSON("relative_error", e->scale > 0 ? fabs(e->end) / e->scale : (double)NAN));
    }
    return app_put_json(b->a, &j, exit_status);
}

/* The energies above, below them what is error: it is small beside them. */
static bool draw(balance *b, const char *file)
{
    static const char *const title[] = {"Energy", "Error"};
    double *column[MOST_ENERGIES];
    ifd_table t = b->t;
    figure f = {.title = *t.title ? t.title : b->a->word[0]};
    for (int error = 0; error < 2; error++) {
        panel *p = &f.panel[f.panels];
        for (int k = 0; k < b->count && p->curves < MOST_CURVES; k++) {
            const energy *e = &b->row[k];
            bool wrong = !isnan(e->scale) || e->quantity == IFD_COLUMN_INTERFACE_ENERGY;
            if (!e->column || wrong != (error == 1))
                continue;
            column[k] = ifd_arena_array(b->a->arena, (size_t)t.rows, sizeof **column);
            if (!column[k])
                return false;
            memcpy(column[k], e->column, (size_t)t.rows * sizeof **column);
            p->curve[p->curves++] = (curve){.x = -1, .y = k, .name = e->name};
        }
        t.value = column;
        if (p->curves)
            panel_settle(b->a->arena, &t, title[error], "J", p);
        f.panels += p->curves > 0;
    }
    if (f.panels)
        return figure_save(b->a, &f, &t, file);
    return app_reject(
        b->a,
        "'%s' is not drawn: the result contains only the energies at its end (record them with record: [energy])",
        file);
}

static int run_command(app *a)
{
    balance *b = APP_ROOM(a, ifd_arena_take(a->arena, sizeof *b));
    b->a = a;
    APP_TRY(a, missing_read_as_run(a, a->word[0], &b->t));
    b->summary = summary_read(a, a->word[0]);
    add_balance(b);
    if (b->t.test)
        add_test(b);
    if (!b->count)
        return app_refuse(
            a,
            "'%s' contains no energies, neither in its columns nor in summary.json; FMUs and programs that "
            "compute the structure do not supply energies",
            a->word[0]);
    if (app_talks(a))
        say_rows(b);
    bool drawn = !app_value(a, "--out") || draw(b, app_value(a, "--out"));
    int exit_status = missing_say(a, a->word[0], &b->t);
    exit_status = drawn ? exit_status : EXIT_RUN_FAILED;
    return a->json ? put_rows(b, exit_status) : exit_status;
}

const command command_energy = {
    .name = "energy",
    .words = "RESULT",
    .summary = "print the energy balance of a result and its error",
    .details = "Input, kinetic, stored (strain and potential) and dissipated energy, work on specimens and at "
               "joints, energy added or removed by the method (numerical), and kinetic and stored energy at the "
               "start; of a test if it records energies. A test also has for each specimen: absorbed energy, the "
               "sum of the magnitudes of the work done on it, and the energy that tracking errors add to the "
               "structure.",
    .options = {{"--out", "FILE", "draw the energies over time: a .png or .svg file"}},
    .examples = "interfield energy runs/shear-pendulum-free-001",
    .see = "report report.md",
    .run = run_command,
};
