/* SPDX-License-Identifier: MIT */
/* Computes members in this process: the document of the base case is copied, the settings are applied, and the run
 * or test is stepped to its end. */
#include "study/member.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/os_linux.h"
#include "hybrid/hybrid.h"
#include "run/run.h"

static void leave(void *self)
{
    ifd_study_runner *r = self;
    free(r->bytes);
    r->bytes = NULL;
    ifd__setups_close(r->setups);
}

ifd_status ifd_study_runner_open(ifd_arena *arena, const ifd_study *s, ifd_study_runner **out)
{
    ifd_study_runner *r = ifd_arena_take(arena, sizeof *r);
    IFD__HAVE(r && ifd_arena_on_close(arena, leave, r));
    r->study = s; /* the files of its bundle grow */
    r->groups = s->groups;
    if (s->ensemble && !s->test && !(r->setups = ifd__setups_make(arena, s)))
        return IFD_NO_MEMORY;
    *out = r;
    return IFD_OK;
}

ifd_status ifd__member_read(ifd_arena *arena, const ifd_study *s, int sets, const char *const *set, ifd_case **out,
                            ifd_note *note)
{
    ifd__bundle *own;
    s->bundle->reading++;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(own, 1)));
    *own = *s->bundle;
    own->unloaded = s->unloaded;
    own->sets = sets;
    own->set = set;
    ifd_status status = ifd__case_read_again(arena, &s->doc, own, s->base, out, note);
    s->bundle->first = own->first; /* files that were read remain for the next member */
    s->bundle->last = own->last;
    s->bundle->count = own->count;
    return status;
}

ifd_status ifd__member_case(ifd_arena *arena, const ifd_study *s, const double *value, ifd_case **out, ifd_note *note)
{
    int sets;
    const char *const *set = ifd_study_settings(arena, s, value, &sets);
    return set ? ifd__member_read(arena, s, sets, set, out, note) : IFD_NO_MEMORY;
}

/* The order in which files were first read depends on the members before, so that their hashes are summed. */
uint64_t ifd__member_files(const ifd_study *s)
{
    uint64_t files = 0;
    for (const ifd__source_file *f = s->bundle->first; f; f = f->next)
        if (f->used == s->bundle->reading || f == s->bundle->first)
            files += ifd__hash_bytes(IFD__HASH_START, &f->hash, sizeof f->hash);
    return files;
}

/* A file of a variable counts by its content and its name in the study, not by its path. */
uint64_t ifd__member_hash(ifd_arena *arena, const ifd_study *s, const double *value, uint64_t files)
{
    uint64_t h = IFD__HASH_START;
    for (int i = 0; i < s->sets; i++)
        h = ifd__hash_bytes(h, s->set[i], strlen(s->set[i]) + 1);
    for (int i = 0; i < s->variables; i++)
        for (int k = 0; k < s->variable[i].keys; k++) {
            ifd__variable v = s->variable[i];
            v.file = NULL;
            const char *setting = ifd__variable_setting(arena, &v, k, value[i]);
            h = ifd__hash_bytes(h, setting ? setting : "", setting ? strlen(setting) + 1 : 0);
        }
    return ifd__hash_bytes(h, &files, sizeof files);
}

static void say(ifd__computing *m, ifd_study_outcome outcome, const char *reason)
{
    m->out.outcome = outcome;
    snprintf(m->reason, sizeof m->reason, "%s", reason ? reason : "");
}

/* The first caution of a completed member. */
static void doubt(ifd__computing *m, const ifd__doubts *d)
{
    char text[IFD_STUDY_REASON + 1];
    for (int k = 0; k < IFD__CAUTION_COUNT && !*m->reason; k++)
        if (ifd__caution_print(d, (ifd__caution)k, text, sizeof text))
            say(m, IFD_STUDY_COMPLETED, text);
}

static void refuse(ifd__computing *m, ifd_status status)
{
    const ifd_finding *f = m->note.first;
    char text[IFD_STUDY_REASON + 1];
    if (f && f->place.file && strcmp(f->place.file, "--set") != 0)
        snprintf(text, sizeof text, "line %d: %s", f->place.line, f->text);
    else
        snprintf(text, sizeof text, "%s", f ? f->text : ifd_status_text(status));
    say(m, IFD_STUDY_REFUSED, text);
}

/* Members record what the kept columns need. */
static unsigned groups_of(const ifd_study_runner *r)
{
    return r->groups ? r->groups : (unsigned)IFD_RECORD_EVERYTHING;
}

/* False: a kept column has another group than those of the first member. The next attempt records everything. */
static bool found_all(ifd__computing *m)
{
    ifd_study_runner *r = m->runner;
    bool all = !ifd__watch_misses(&m->watch) || groups_of(r) == (unsigned)IFD_RECORD_EVERYTHING;
    if (!r->groups)
        r->groups = ifd__watch_groups(&m->watch);
    else if (!all)
        r->groups = 0;
    return all;
}

ifd_status ifd__computing_make_run(ifd__computing *m, ifd_run **run)
{
    int columns;
    for (;;) {
        m->c->run.what = groups_of(m->runner);
        IFD_TRY(ifd_run_make(m->arena, &m->c->run, run, &m->note));
        const ifd_column *column = ifd_run_columns(*run, &columns);
        IFD_TRY(ifd__watch_make(m->arena, m->runner->study, column, columns, m->c->run.end, &m->watch));
        if (found_all(m))
            return IFD_OK;
        ifd_run_close(*run);
        *run = NULL;
    }
}

void ifd__computing_finish_run(ifd__computing *m, ifd_run *run)
{
    ifd_fault_facts f = ifd_run_fault(run);
    m->out.reached = ifd_run_time(run);
    if (f.fault == IFD_FAULT_NONE || f.fault == IFD_FAULT_ITERATIONS) {
        ifd__doubts d = {0};
        ifd__run_doubts(run, &d);
        doubt(m, &d);
        return;
    }
    char text[IFD_STUDY_REASON + 1];
    snprintf(text, sizeof text, "%s at %.6g s%s%s%s", f.why ? f.why : ifd_fault_text(f.fault), f.time,
             f.dof_name ? ", dof '" : "", f.dof_name ? f.dof_name : "", f.dof_name ? "'" : "");
    say(m, IFD_STUDY_FAILED, text);
}

bool ifd__computing_row(ifd__computing *m, const ifd_run *run)
{
    return !ifd_run_fresh(run) || ifd__watch_row(&m->watch, ifd_run_time(run), ifd_run_values(run));
}

static ifd_status compute_run(ifd__computing *m)
{
    ifd_run *run = NULL;
    ifd_status status = ifd__computing_make_run(m, &run);
    bool room = true;
    if (status == IFD_OK) {
        ifd_run_state state = IFD_RUN_GOING;
        room = ifd__computing_row(m, run);
        while (state == IFD_RUN_GOING && room) {
            state = ifd_run_tick(run);
            room = ifd__computing_row(m, run);
        }
        ifd__computing_finish_run(m, run);
    }
    if (run)
        ifd_run_close(run);
    return room ? status : IFD_NO_MEMORY;
}

void ifd__computing_finish_test(ifd__computing *m, ifd_hybrid *h)
{
    ifd_trip_facts trip = ifd_hybrid_trip(h);
    m->out.reached = ifd_hybrid_time(h);
    if (ifd_hybrid_state(h) == IFD_MACHINE_TRIPPED)
        say(m, IFD_STUDY_TRIPPED, ifd_trip_text(trip.trip));
    else if (!ifd_hybrid_complete(h))
        say(m, IFD_STUDY_FAILED,
            trip.trip != IFD_TRIP_NONE ? ifd_trip_text(trip.trip) : "the test ended before the end of its motion");
    else {
        ifd__doubts d = {0};
        ifd__hybrid_doubts(h, &d);
        doubt(m, &d);
    }
}

/* Every n-th tick of a test is a row. */
static long rows_every(const ifd__computing *m)
{
    return m->c->run.every > 1 ? m->c->run.every : 1;
}

bool ifd__computing_test_row(ifd__computing *m, ifd_hybrid *h)
{
    ifd_ticked t = ifd_hybrid_ticked(h);
    return m->ticks++ % rows_every(m) != 0 || ifd__watch_row(&m->watch, ifd_hybrid_time(h), t.values(t.self));
}

/* Without a clock, as an executor does it. Nobody resumes a hold. */
static bool tick_through(ifd__computing *m, ifd_hybrid *h)
{
    ifd_ticked t = ifd_hybrid_ticked(h);
    bool room = true;
    ifd_run_state state = IFD_RUN_GOING;
    while (state == IFD_RUN_GOING && room) {
        ifd_tick_in in = {.order = t.wish ? t.wish(t.self) : IFD_ORDER_NONE};
        state = t.tick(t.self, &in);
        room = ifd__computing_test_row(m, h);
        if (ifd_hybrid_state(h) == IFD_MACHINE_HOLD)
            break;
    }
    return room;
}

/* The ideal run, if a scalar is an error. */
static ifd_status make_ideal(ifd__computing *m, const ifd_column *column, int columns)
{
    const ifd_study *s = m->runner->study;
    bool any = false, *needed = ifd_arena_array(m->arena, (size_t)columns, sizeof *needed);
    IFD__HAVE(needed);
    for (int k = 0; k < s->scalars; k++)
        for (int i = m->watch.first[k]; i < m->watch.first[k + 1] && ifd__reduces_ideal(s->reduction[k]); i++)
            any = needed[m->watch.source[i]] = true;
    if (!any)
        return IFD_OK;
    m->watch.ideal = &m->ideal;
    return ifd__ideal_run_make(m->arena, m->c, &(ifd__ideal_run_ask){columns, column, needed}, &m->ideal, &m->note);
}

ifd_status ifd__member_test(const ifd_case *c, ifd_note *note)
{
    if (!c->test)
        return ifd_note_add(note, IFD_MISSING_KEY, NULL, "'compute: test' needs the section 'test' in the case");
    if (!ifd_rigs_are_virtual(c->test->rig, c->test->rig_setup))
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL, "rig '%s' is not virtual: a study moves no real rig",
                            c->test->rig->name);
    return IFD_OK;
}

ifd_status ifd__computing_make_test(ifd__computing *m, ifd_hybrid **test)
{
    IFD_TRY(ifd__member_test(m->c, &m->note));
    ifd_hybrid_options o = *m->c->test;
    const ifd_column *column;
    int columns;
    ifd__denormals_flush(); /* as an executor: the bits are those of a test */
    o.automatic = true;
    o.wait_tripped = false;
    for (bool all = false; !all;) {
        o.what = groups_of(m->runner);
        IFD_TRY(ifd_hybrid_make(m->arena, &o, test, &m->note));
        column = ifd_hybrid_columns(*test, &columns);
        IFD_TRY(ifd__watch_make(m->arena, m->runner->study, column, columns, m->c->run.end, &m->watch));
        if ((all = found_all(m)))
            continue;
        ifd_hybrid_close(*test);
        *test = NULL;
    }
    ifd__hybrid_untraced(*test);
    m->watch.interval = ifd_hybrid_period(*test) * (double)rows_every(m);
    return make_ideal(m, column, columns);
}

static ifd_status compute_test(ifd__computing *m)
{
    ifd_hybrid *h = NULL;
    ifd_status status = ifd__computing_make_test(m, &h);
    if (m->ideal.run && status == IFD_OK) {
        ifd__ideal_run_compute(&m->ideal);
        status = ifd__ideal_run_end(&m->ideal, &m->note);
    }
    if (status == IFD_OK && !tick_through(m, h))
        status = IFD_NO_MEMORY;
    if (h) {
        ifd__computing_finish_test(m, h);
        ifd_hybrid_close(h);
    }
    return status;
}

ifd_status ifd__computing_read(ifd__computing *m)
{
    const ifd_study *s = m->runner->study;
    ifd_status status = ifd__member_case(m->arena, s, m->out.value, &m->c, &m->note);
    m->out.hash = ifd__member_hash(m->arena, s, m->out.value, ifd__member_files(s));
    if (status == IFD_OK && m->c->opensees)
        status = ifd_note_add(&m->note, IFD_UNSUPPORTED, NULL, "OpenSees computes the structure of this case");
    return status;
}

/* The bytes of a result; NULL: out of memory. */
static const void *pack(ifd_study_runner *r, const ifd_study_result *out, const double *series, size_t *length)
{
    const ifd__result_head head = {.rows = out->rows, .reason = (int32_t)strlen(out->reason)};
    *length = ifd__result_bytes(r->study, &head);
    if (*length > r->room) {
        char *more = realloc(r->bytes, *length);
        if (!more)
            return NULL;
        r->bytes = more;
        r->room = *length;
    }
    ifd__result_pack(r->study, out, series, r->bytes);
    return r->bytes;
}

bool ifd__computing_begin(ifd__computing *m, ifd_study_runner *r, ifd_arena *arena, long number, const double *value)
{
    *m = (ifd__computing){.runner = r, .arena = arena, .began = ifd__clock_now()};
    ifd_note_init(&m->note, arena);
    m->scalar = ifd_arena_array(arena, (size_t)r->study->scalars, sizeof *m->scalar);
    for (int k = 0; k < r->study->scalars && m->scalar; k++)
        m->scalar[k] = (double)NAN;
    m->out = (ifd_study_result){.number = number, .value = value, .scalar = m->scalar, .reason = m->reason};
    return m->scalar != NULL;
}

const void *ifd__computing_end(ifd__computing *m, ifd_status status, size_t *length)
{
    if (status != IFD_OK)
        refuse(m, status);
    else
        ifd__watch_reduce(&m->watch, m->scalar);
    if (m->ideal.run)
        ifd_run_close(m->ideal.run);
    m->out.rows = m->watch.kept;
    m->out.duration = 1e-9 * (double)(ifd__clock_now() - m->began);
    const void *bytes = pack(m->runner, &m->out, m->watch.series, length);
    ifd__watch_end(&m->watch);
    return bytes;
}

typedef struct kept_bytes {
    const void *bytes;
    size_t length;
} kept_bytes;

static void keep_bytes(void *self, const void *bytes, size_t length)
{
    *(kept_bytes *)self = (kept_bytes){bytes, length};
}

const void *ifd_study_compute(ifd_study_runner *r, long number, const double *value, size_t *length)
{
    kept_bytes kept = {NULL, 0};
    ifd__computing m;
    ifd_arena *arena IFD__CLOSED = r->study->ensemble ? NULL : ifd_arena_open();
    if (r->study->ensemble)
        ifd__study_compute_block(r, 1, &number, &value, keep_bytes, &kept);
    else if (arena && ifd__computing_begin(&m, r, arena, number, value)) {
        ifd_status status = ifd__computing_read(&m);
        if (status == IFD_OK)
            status = r->study->test ? compute_test(&m) : compute_run(&m);
        kept.bytes = ifd__computing_end(&m, status, &kept.length);
    }
    *length = kept.length;
    return kept.bytes;
}

const void *ifd_study_crashed(ifd_study_runner *r, long number, const double *value, const char *reason,
                              size_t *length)
{
    ifd__computing m;
    ifd_arena *arena IFD__CLOSED = ifd_arena_open();
    if (!arena || !ifd__computing_begin(&m, r, arena, number, value))
        return NULL;
    say(&m, IFD_STUDY_CRASHED, reason);
    return pack(r, &m.out, NULL, length);
}
