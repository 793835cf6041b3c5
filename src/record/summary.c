/* SPDX-License-Identifier: MIT */
/* summary.json: the most important results in one object (docs/reference/results.md). */
#include "record/cycles.h"
#include "record/result.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <interfield/certificate.h>
#include <interfield/doctor.h>
#include <interfield/json.h>
#include <interfield/opensees.h>
#include <interfield/version.h>

#include "text/file.h"

/* The part of a summary about the program that computed the structure: its messages, its end, and refused clients. */

static const char *ending(uint32_t word)
{
    static const char *const text[] = {[IFD_REMOTE_END] = "ended",
                                       [IFD_REMOTE_LOST] = "lost",
                                       [IFD_REMOTE_WRONG] = "wrong target",
                                       [IFD_REMOTE_MISMATCH] = "mismatch",
                                       [IFD_REMOTE_EARLY] = "ended early"};
    return word < sizeof text / sizeof *text && text[word] ? text[word] : "still there";
}

static void put_messages(ifd_json *j, const ifd_opensees_report *r)
{
    ifd_json_object(j, "messages");
    for (int i = 0; i < IFD_OPENSEES_CODES; i++) {
        char code[12];
        snprintf(code, sizeof code, "%d", i == IFD_OPENSEES_CODES - 1 ? 99 : i);
        if (r->count[i])
            ifd_json_integer(j, code, (long)r->count[i]);
    }
    ifd_json_end(j);
}

static void put_reasons(ifd_json *j, const ifd_opensees_report *r)
{
    ifd_json_integer(j, "refused", (long)r->refused);
    ifd_json_list(j, "refusals");
    for (int i = 0; i < r->reasons; i++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("reason", r->reason[i]), IFD_JSON("times", (long)r->times[i]));
    ifd_json_end(j);
}

static void summary_master(ifd_json *j, const ifd_opensees_report *r)
{
    if (!r)
        return;
    ifd_json_object(j, "master");
    IFD_JSON_PUT(j, IFD_JSON("program", "opensees"), IFD_JSON("ending", ending(r->word)),
                 IFD_JSON("reason", r->why[0] ? r->why : NULL), IFD_JSON("time", r->time),
                 IFD_JSON("steps", (long)r->steps), IFD_JSON("targets", (long)r->targets));
    put_messages(j, r);
    put_reasons(j, r);
    IFD_JSON_PUT(j, IFD_JSON("strays", (long)r->strays), IFD_JSON("answer_mean", r->answer_mean),
                 IFD_JSON("answer_max", r->answer_max));
    ifd_json_end(j);
}

/* The checksum of summary.json: its last member, over all bytes before it,
 *
 *     ,
 *       "checksum": "crc32 01234567"
 *     }
 *
 * so that a changed number or word is detected and any reader of JSON can still read it. */

#define MARK ",\n  \"checksum\": \"crc32 "
#define TAIL "\"\n}"
enum { DIGITS = 8, SEALED = sizeof MARK - 1 + DIGITS + sizeof TAIL - 1 };

static const char *summary_sealed(ifd_arena *arena, const char *text)
{
    size_t n = strlen(text);
    if (n < 2 || strcmp(text + n - 2, "\n}") != 0)
        return NULL;
    unsigned crc = (unsigned)crc32_z(0, (const unsigned char *)text, n - 2);
    return ifd_arena_print(arena, "%.*s" MARK "%08x" TAIL, (int)n - 2, text, crc);
}

/* Trailing blanks do not count, because editors add them. */
static ifd__seal seal_of(const char *text, size_t length)
{
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    if (length < SEALED || memcmp(text + length - SEALED, MARK, sizeof MARK - 1) != 0)
        return IFD__SEAL_NONE;
    char wanted[DIGITS + sizeof TAIL];
    snprintf(wanted, sizeof wanted, "%08x" TAIL, (unsigned)crc32_z(0, (const unsigned char *)text, length - SEALED));
    return memcmp(text + length - (sizeof wanted - 1), wanted, sizeof wanted - 1) == 0 ? IFD__SEAL_HOLDS
                                                                                       : IFD__SEAL_BROKEN;
}

ifd_status ifd_summary_read(ifd_arena *arena, const char *path, bool *sealed, ifd_json_node **out, ifd_note *note)
{
    ifd__file file;
    *sealed = false;
    IFD_TRY(ifd__file_read(arena, path, NULL, &file, note));
    ifd__seal seal = seal_of(file.text, file.length);
    *sealed = seal == IFD__SEAL_HOLDS;
    if (seal == IFD__SEAL_BROKEN)
        return ifd_note_add(note, IFD_DAMAGED, NULL,
                            "'%s' is damaged or was changed: its checksum is wrong (interfield recover writes the "
                            "summary of a test again)",
                            path);
    return ifd_json_read(arena, path, file.text, file.length, out, note);
}

static void put_step(ifd_json *j, const ifd_result *res, const ifd_step_options *step)
{
    const ifd_method *method = step->method;
    IFD_JSON_PUT(j, IFD_JSON("name", method->name), IFD_JSON("order", method->order));
    ifd_json_object(j, "parameters");
    for (int i = 0; method->params && method->params[i].name; i++) {
        const char *word = ifd__param_word(res->arena, &method->params[i], &step->value[i]);
        if (word)
            ifd_json_text(j, method->params[i].name, word);
        else
            ifd_json_number(j, method->params[i].name, step->value[i].number);
    }
    ifd_json_end(j);
}

static void put_coupling(ifd_json *j, const ifd_result *res, const ifd_couple_options *couple)
{
    IFD_JSON_PUT(j, IFD_JSON("name", couple->coupling->name), IFD_JSON("order", couple->coupling->order));
    ifd_json_list(j, "parts");
    for (int p = 0; p < couple->parts; p++) {
        const ifd_part_options *part = &couple->part[p];
        ifd_json_object(j, NULL);
        IFD_JSON_PUT(j, IFD_JSON("part", part->name), IFD_JSON("subcycles", part->subcycles ? part->subcycles : 1));
        put_step(j, res, &part->step);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

static void put_method(ifd_json *j, const ifd_result *res)
{
    const ifd_run_options *run = &res->c->run;
    if (!run->couple && !run->step.method)
        return; /* the case could not be read again */
    ifd_json_object(j, "method");
    if (run->external || run->protocol)
        ifd_json_text(j, "name", run->external ? "fmu" : "protocol");
    else if (run->couple)
        put_coupling(j, res, run->couple);
    else
        put_step(j, res, &run->step);
    if (run->external)
        ifd_json_text(j, "caution", res->run ? ifd_run_caution(res->run) : NULL);
    ifd_json_number(j, "step", run->step.h);
    ifd_json_end(j);
}

static void put_model(ifd_json *j, const ifd_run_options *run)
{
    int parts = run->couple ? run->couple->parts : 1, dofs = 0, elements = 0, states = 0;
    bool linear = true;
    for (int p = 0; p < parts; p++) {
        const ifd_model *m = run->couple ? run->couple->part[p].model : run->model;
        if (!m || run->protocol)
            return;
        dofs += ifd_model_dofs(m);
        elements += ifd_model_elements(m);
        states += ifd_model_states(m);
        linear = linear && ifd_model_linear(m);
    }
    IFD_JSON_OBJECT(j, "model", IFD_JSON("dofs", dofs), IFD_JSON("elements", elements), IFD_JSON("states", states),
                    IFD_JSON("linear", linear));
}

/* What proves a reduced model, with the hash of the full matrices. */
static void put_superelements(ifd_json *j, const ifd_run_options *run)
{
    int parts = run->couple ? run->couple->parts : 1, count = 0;
    for (int p = 0; p < parts; p++) {
        const ifd_model *m = run->couple ? run->couple->part[p].model : run->model;
        const ifd_reduced *r = m ? ifd_model_reduced(m) : NULL;
        char hash[20];
        if (!r)
            continue;
        if (!count++)
            ifd_json_list(j, "superelements");
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)r->hash);
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("name", run->couple ? run->couple->part[p].name : "model"),
                        IFD_JSON("full_dofs", r->full), IFD_JSON("dofs", r->order),
                        IFD_JSON("interface_dofs", r->interfaces), IFD_JSON("frequency", r->frequency),
                        IFD_JSON("bound", r->bound), IFD_JSON("bound_frequency", r->at), IFD_JSON("shift", r->shift),
                        IFD_JSON("matrices_hash", hash));
    }
    if (count)
        ifd_json_end(j);
}

static void put_gaps(ifd_json *j, const ifd_result *res)
{
    if (!res->c->run.couple && !res->c->run.external)
        return;
    double gap[3];
    ifd_run_gaps(res->run, gap);
    IFD_JSON_OBJECT(j, "joint_gap", IFD_JSON("displacement", gap[0]), IFD_JSON("velocity", gap[1]),
                    IFD_JSON("acceleration", gap[2]));
}

static void put_fault(ifd_json *j, const ifd_result *res)
{
    ifd__mishap m = ifd__result_mishap(res);
    if (!m.name) {
        ifd_json_text(j, "fault", NULL);
        return;
    }
    ifd_json_object(j, "fault");
    IFD_JSON_PUT(j, IFD_JSON("name", m.name), IFD_JSON("text", m.text));
    ifd_json_integer(j, res->facts ? "tick" : "step", m.step);
    ifd_json_number(j, "time", m.time);
    if (res->facts)
        ifd_json_number(j, "wall_time", m.wall);
    ifd_json_text(j, res->facts ? "owner" : "dof", m.where);
    ifd_json_number(j, "value", m.value);
    if (res->facts)
        ifd_json_number(j, "limit", m.limit);
    if (m.why)
        ifd_json_text(j, "why", m.why);
    ifd_json_end(j);
}

static void put_peak(ifd_json *j, const ifd_result *res, const char *key, const ifd_peak *p, const char *unit)
{
    ifd_json_object(j, key);
    IFD_JSON_PUT(j, IFD_JSON("value", p->value), IFD_JSON("time", p->time));
    if (res->facts)
        ifd_json_number(j, "wall_time", p->wall_time);
    IFD_JSON_PUT(j, IFD_JSON("final", p->last), IFD_JSON("unit", unit));
    ifd_json_end(j);
}

/* Energies, states and lateness are listed elsewhere. */
static bool has_peak(const ifd_column *channel)
{
    ifd_quantity q = channel->quantity;
    bool clock_or_test = q <= IFD_COLUMN_TEST_WAITING_VALUE;
    bool indicated = q >= IFD_COLUMN_INDICATED_DELAY && q <= IFD_COLUMN_INDICATED_RMS;
    bool identified = (q >= IFD_COLUMN_IDENTIFIED && q <= IFD_COLUMN_LOOP_LEVEL) ||
                      (q >= IFD_COLUMN_LOOP_FEI_DELAY && q <= IFD_COLUMN_LOOP_GROWTH) ||
                      (q >= IFD_COLUMN_LOOP_LEAD && q <= IFD_COLUMN_LOOP_DAMPING_WORK);
    return !clock_or_test && !indicated && !identified && q != IFD_COLUMN_HOLD_RELAXATION &&
           (q < IFD_COLUMN_ENERGY_INPUT || q > IFD_COLUMN_ENERGY_NUMERICAL);
}

/* Identified parameters at the end of the record. */
static void put_identified(ifd_json *j, const ifd_result *res)
{
    static const char *const key[] = {"identified", "standard_deviation", "in_use"};
    bool any = false;
    for (int i = 0; i + 2 < res->columns; i++) {
        if (res->column[i].quantity != IFD_COLUMN_IDENTIFIED)
            continue;
        if (!any)
            ifd_json_object(j, "identified");
        any = true;
        ifd_json_object(j, res->column[i].owner);
        for (int k = 0; k < 3; k++)
            ifd_json_number(j, key[k], res->peak[i + k].last);
        ifd_json_end(j);
    }
    if (any)
        ifd_json_end(j);
}

static void put_peaks(ifd_json *j, const ifd_result *res)
{
    ifd_json_object(j, "peaks");
    for (int i = 0; i < res->columns; i++)
        if (has_peak(&res->column[i]))
            put_peak(j, res, res->column[i].name, &res->peak[i], res->column[i].unit);
    ifd_json_end(j);
}

/* Paths of columns in result.h5, for readers without attributes (Octave). */
static void put_columns(ifd_json *j, const ifd_result *res)
{
    ifd_json_list(j, "columns");
    for (int i = 0; i < res->columns; i++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("name", res->column[i].name), IFD_JSON("unit", res->column[i].unit),
                        IFD_JSON("group", res->column[i].group), IFD_JSON("path", res->path[i]));
    ifd_json_end(j);
}

static void put_residual(ifd_json *j, const ifd_result *res)
{
    ifd_json_object(j, "residual_displacement");
    for (int i = 0; i < res->columns; i++)
        if (res->column[i].quantity == IFD_COLUMN_DISPLACEMENT)
            ifd_json_number(j, res->column[i].owner, res->peak[i].last);
    ifd_json_end(j);
}

/* Whether a deformation is a drift that is not written yet; linear dashpots are none. */
static bool is_further_drift(const ifd_result *res, const char *owner)
{
    for (int i = 0; i < res->drifts; i++)
        if (strcmp(res->drift[i].name, owner) == 0)
            return false;
    for (const ifd_storey_drift *d = res->c->drift; d; d = d->next)
        if (!d->storey && strcmp(d->name, owner) == 0)
            return false;
    return true;
}

/* Peak deformation between two points: storeys, linear springs, and elements with one coordinate. */
static void put_drift(ifd_json *j, const ifd_result *res)
{
    ifd_json_object(j, "drift");
    for (int i = 0; i < res->drifts; i++)
        put_peak(j, res, res->drift[i].name, &res->drift[i].peak, res->drift[i].unit);
    for (int i = 0; i < res->columns; i++) {
        const ifd_column *c = &res->column[i];
        if (c->quantity == IFD_COLUMN_ELEMENT_DEFORMATION && c->number == 0 && is_further_drift(res, c->owner))
            put_peak(j, res, c->owner, &res->peak[i], c->unit);
    }
    ifd_json_end(j);
}

bool ifd__result_energy(const ifd_result *res, ifd_energy *out)
{
    bool known = res->facts ? res->facts->balanced : !res->c->run.external && !res->c->run.protocol;
    if (known)
        *out = res->facts ? res->facts->energy : ifd_run_energy(res->run);
    return known;
}

static void put_energy(ifd_json *j, const ifd_result *res)
{
    ifd_energy e;
    if (!ifd__result_energy(res, &e))
        return;
    ifd_json_object(j, "energy");
    IFD_JSON_PUT(j, IFD_JSON("start", e.start), IFD_JSON("input", e.input), IFD_JSON("kinetic", e.kinetic),
                 IFD_JSON("stored", e.stored), IFD_JSON("dissipated", e.dissipated),
                 IFD_JSON("specimens", e.specimens));
    if (res->c->run.couple)
        ifd_json_number(j, "joints", e.joints);
    IFD_JSON_PUT(j, IFD_JSON("numerical", e.numerical), IFD_JSON("scale", e.scale),
                 IFD_JSON("relative_error", e.scale > 0 ? fabs(e.numerical) / e.scale : 0));
    ifd_json_end(j);
}

/* What `interfield doctor` finds on the machine of a test, without measurements. */
static void put_doctor(ifd_json *j, ifd_arena *arena)
{
    ifd_doctor_options o;
    ifd_doctor *d;
    ifd_doctor_defaults(&o);
    o.brief = true;
    if (ifd_doctor_examine(arena, &o, &d, NULL) != IFD_OK)
        return;
    IFD_JSON_PUT(j, IFD_JSON("kernel", d->kernel), IFD_JSON("preempt_rt", d->preempt_rt),
                 IFD_JSON("verdict", ifd_doctor_verdict(d)), IFD_JSON("core", d->core));
    ifd_json_list(j, "checks");
    for (int i = 0; i < d->rows; i++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("what", d->row[i].what),
                        IFD_JSON("state", ifd_doctor_state_name(d->row[i].state)),
                        IFD_JSON("found", d->row[i].found));
    ifd_json_end(j);
}

static void put_host(ifd_json *j, const ifd_result *res)
{
    ifd__host host;
    ifd__host_ask(&host);
    ifd_json_object(j, "host");
    IFD_JSON_PUT(j, IFD_JSON("cpu", host.cpu), IFD_JSON("system", host.system), IFD_JSON("cores", host.cores),
                 IFD_JSON("kernels", host.kernels), IFD_JSON("blas", host.blas));
    if (res->test)
        put_doctor(j, res->arena);
    ifd_json_end(j);
}

static void put_notes(ifd_json *j, const ifd_case *c)
{
    ifd_json_list(j, "setup_notes");
    for (int i = 0; i < c->setup_notes; i++)
        ifd_json_text(j, NULL, c->setup_note[i]);
    ifd_json_end(j);
}

static void put_hung(ifd_json *j, const ifd_hung_facts *h)
{
    if (!h)
        return;
    IFD_JSON_OBJECT(j, "hung", IFD_JSON("tick", (long)h->tick), IFD_JSON("place", h->place), IFD_JSON("rig", h->rig),
                    IFD_JSON("seconds", h->seconds));
}

ifd_status ifd__summary_make(ifd_result *res, const ifd_timing *timing)
{
    ifd_json j;
    ifd_json_init(&j, res->arena);
    ifd_json_object(&j, NULL);
    IFD_JSON_PUT(&j, IFD_JSON("schema", IFD_RESULT_SCHEMA), IFD_JSON("interfield", ifd_version()),
                 IFD_JSON("title", res->c->title), IFD_JSON("case", res->c->path), IFD_JSON("started", res->started),
                 IFD_JSON("outcome", ifd__result_outcome(res, timing)));
    const char *why = ifd__result_reason(res, timing);
    ifd_json_text(&j, "outcome_reason", *why ? why : NULL);
    ifd_json_list(&j, "cautions");
    for (int k = 0; k < res->cautions; k++)
        ifd_json_text(&j, NULL, res->caution[k]);
    ifd_json_end(&j);
    IFD_JSON_PUT(&j, IFD_JSON("time", ifd__result_time(res)), IFD_JSON("end", res->c->run.end),
                 IFD_JSON("steps", ifd__result_steps(res)), IFD_JSON("rows", res->rows));
    put_fault(&j, res);
    put_model(&j, &res->c->run);
    put_superelements(&j, &res->c->run);
    put_method(&j, res);
    put_peaks(&j, res);
    put_identified(&j, res);
    put_residual(&j, res);
    put_drift(&j, res);
    if (res->facts) {
        ifd__test_summary(&j, res);
    } else {
        put_gaps(&j, res);
    }
    put_energy(&j, res);
    if (res->cycles)
        ifd__cycles_summary(&j, res->cycles);
    summary_master(&j, timing->master);
    IFD_JSON_OBJECT(&j, "timing", IFD_JSON("setup", timing->setup), IFD_JSON("wall", timing->wall),
                    IFD_JSON("ticks", timing->ticks), IFD_JSON("tick_p50", timing->step_p50),
                    IFD_JSON("tick_p99", timing->step_p99), IFD_JSON("tick_p999", timing->step_p999),
                    IFD_JSON("tick_max", timing->step_max));
    put_hung(&j, timing->hung);
    put_host(&j, res);
    put_notes(&j, res->c);
    put_columns(&j, res);
    ifd_json_text(&j, "folder", res->folder);
    ifd_json_list(&j, "files");
    ifd_json_text(&j, NULL, "result.h5");
    ifd_json_text(&j, NULL, "summary.json");
    if (res->c->csv)
        ifd_json_text(&j, NULL, "result.csv");
    if (res->cycles)
        ifd_json_text(&j, NULL, "cycles.csv");
    if (res->test)
        ifd_json_text(&j, NULL, "events.log");
    if (res->facts && res->facts->journal)
        ifd_json_text(&j, NULL, IFD_JOURNAL_FILE);
    ifd_json_end(&j);
    ifd_json_end(&j);
    const char *text = ifd_json_done(&j);
    res->summary = text ? summary_sealed(res->arena, text) : NULL;
    return res->summary ? IFD_OK : IFD_NO_MEMORY;
}
