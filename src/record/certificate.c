/* SPDX-License-Identifier: MIT */
/* Hashes of a certificate; reading and comparison. */
#include "record/evidence.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stddef.h>
#include <string.h>

#include <interfield/json.h>

#include "analysis/variant.h"
#include "base/hash.h"
#include "text/file.h"
#include "record/result.h"
#include "text/bundle.h"

const char *const ifd__mark_names[IFD_MARK_COUNT] = {
#define ROW(name, word, text) word,
    IFD_MARK_LIST(ROW)
#undef ROW
};

static const char *const reasons[IFD_MARK_COUNT] = {
#define ROW(name, word, text) text,
    IFD_MARK_LIST(ROW)
#undef ROW
};

static uint64_t add_text(uint64_t h, const char *text)
{
    return text ? ifd__hash_bytes(h, text, strlen(text) + 1) : ifd__hash_bytes(h, "", 1);
}

static void print(uint64_t h, char out[IFD_MARK_SIZE])
{
    snprintf(out, IFD_MARK_SIZE, "%016" PRIx64, h);
}

/* By the content of the files, independent of their location. */
static uint64_t mark_case(const ifd_case *c)
{
    uint64_t h = IFD__HASH_START;
    for (const ifd__source_file *b = c->bundle->first; b; b = b->next)
        h = ifd__hash_bytes(h, &b->hash, sizeof b->hash);
    for (int i = 0; i < c->bundle->sets; i++)
        h = add_text(h, c->bundle->set[i]);
    return h;
}

/* The program, the library if it is another file, the file with the functions of a rig, and the plug-ins and FMUs of
 * the case. */
static ifd_status mark_program(const ifd_case *c, uint64_t *h, ifd_note *note)
{
    Dl_info library, rig;
    static const char own[] = "/proc/self/exe";
    if (!ifd__file_hash(own, h))
        return ifd_note_add(note, IFD_FILE, NULL, "cannot read '%s', which the certificate must cover", own);
    if (!dladdr(ifd__mark_names, &library) || !library.dli_fname)
        return IFD_OK;
    (void)ifd__file_hash(library.dli_fname, h);
    const ifd_several *several = ifd_several_of(c->test->rig, c->test->rig_setup);
    for (int r = 0; r < (several ? several->rigs : 1); r++)
        if (dladdr(several ? several->rig[r].ops : c->test->rig, &rig) && rig.dli_fname &&
            strcmp(rig.dli_fname, library.dli_fname) != 0)
            (void)ifd__file_hash(rig.dli_fname, h);
    for (const ifd__code_kept *k = c->bundle->code; k; k = k->next)
        *h = ifd__hash_bytes(*h, k->hash, sizeof k->hash);
    return IFD_OK;
}

static uint64_t add_map(uint64_t h, const ifd_channel_map *map)
{
    for (int i = 0; map && i < map->rows; i++) {
        const ifd_channel_row *r = &map->row[i];
        const double numbers[] = {(double)r->source,
                                  r->input,
                                  (double)r->meaning,
                                  r->actuator,
                                  r->sensitivity,
                                  r->offset,
                                  r->zero,
                                  r->sign,
                                  r->si,
                                  r->low,
                                  r->high,
                                  r->loop};
        h = add_text(add_text(h, r->name), r->unit);
        h = ifd__hash(h, numbers, sizeof numbers / sizeof *numbers);
    }
    return h;
}

static uint64_t add_limits(uint64_t h, const ifd_limits *l)
{
    const double numbers[] = {
        l->low,        l->high,     l->velocity, l->acceleration,      l->force,
        l->force_rate, l->tracking, l->energy,   l->measured_velocity, l->measured_acceleration};
    _Static_assert(sizeof numbers == offsetof(ifd_limits, warn), "every limit is hashed");
    h = ifd__hash(h, numbers, sizeof numbers / sizeof *numbers);
    for (int i = 0; i < IFD_LIMITED; i++) {
        const double level[] = {l->warn[i], l->warn_holds[i], (double)l->action[i]};
        h = ifd__hash(h, level, 3);
    }
    return h;
}

static uint64_t add_channel(uint64_t h, const ifd_interface_options *c)
{
    const double numbers[] = {c->part, c->from, c->to, c->force_factor};
    h = ifd__hash(add_text(h, c->name), numbers, sizeof numbers / sizeof *numbers);
    for (int k = 0; c->row && k < c->row->count; k++) {
        const double term[] = {c->row->ref[k], c->row->coefficient[k]};
        h = ifd__hash(h, term, 2);
    }
    h = add_limits(h, &c->limits);
    if (!c->force)
        return h;
    const double loop[] = {c->force->stiffness, c->force->bandwidth, c->force->rate, c->force->tolerance,
                           c->force->error};
    return ifd__hash(h, loop, sizeof loop / sizeof *loop);
}

/* Its geometry and the limits of each of its actuators, which apply in addition to those of the interfaces. */
static uint64_t add_drive(uint64_t h, const ifd_driven *d)
{
    const ifd_drive_options *o = &d->drive;
    h = ifd__hash(h, o->point, 3);
    for (int i = 0; i < o->dofs; i++) {
        const double dof[] = {d->interface[i], o->axis ? (double)o->axis[i] : -1};
        h = ifd__hash(h, dof, 2);
    }
    if (o->matrix)
        h = ifd__hash(h, o->matrix, (size_t)o->actuators * (size_t)o->dofs);
    for (int i = 0; i < o->actuators; i++) {
        h = add_limits(add_text(h, d->name[i]), &d->limits[i]);
        if (!o->matrix)
            h = ifd__hash(ifd__hash(h, o->base[i], 3), o->attachment[i], 3);
    }
    if (!d->sharing)
        return h;
    const double sharing[] = {d->sharing->stiffness, d->sharing->bandwidth, d->sharing->limit};
    return ifd__hash(h, sharing, 3);
}

static uint64_t add_rig(uint64_t h, const ifd_rig_ops *rig, const ifd_value *values)
{
    h = add_text(h, rig->name);
    for (int i = 0; rig->params && values && rig->params[i].name; i++) {
        h = ifd__hash(h, &values[i].number, 1);
        h = add_text(h, values[i].word);
    }
    return h;
}

static uint64_t add_rigs(uint64_t h, const ifd_several *s)
{
    for (int r = 0; s && r < s->rigs; r++) {
        const ifd_rig_part *p = &s->rig[r];
        const double numbers[] = {p->stale_time, p->equalise, p->leads, p->actuators};
        h = ifd__hash(add_rig(add_text(h, p->name), p->ops, p->values), numbers, sizeof numbers / sizeof *numbers);
        for (int j = 0; j < p->actuators; j++)
            h = ifd__hash(h, &(const double){p->actuator[j]}, 1);
    }
    return h;
}

static uint64_t mark_channels(const ifd_hybrid_options *o)
{
    uint64_t h = add_rig(IFD__HASH_START, o->rig, o->rig_values);
    h = add_rigs(h, ifd_several_of(o->rig, o->rig_setup));
    for (int k = 0; k < o->interfaces; k++)
        h = add_channel(h, &o->interface[k]);
    for (int k = 0; k < o->drives; k++)
        h = add_drive(h, &o->drive[k]);
    return add_map(h, o->map);
}

/* machine-id distinguishes machines of one kind; only its hash is stored. */
static uint64_t mark_machine(void)
{
    ifd__host host;
    ifd__host_ask(&host);
    const double cores = host.cores;
    uint64_t h = add_text(add_text(add_text(IFD__HASH_START, host.cpu), host.system), host.kernels);
    h = ifd__hash(h, &cores, 1);
    (void)ifd__file_hash("/etc/machine-id", &h);
    return h;
}

ifd_status ifd_certificate_marks(ifd_arena *arena, const ifd_case *c, char mark[IFD_MARK_COUNT][IFD_MARK_SIZE],
                                 ifd_note *note)
{
    (void)arena; /* no memory is needed */
    uint64_t program = IFD__HASH_START;
    IFD_TRY(mark_program(c, &program, note));
    print(mark_case(c), mark[IFD_MARK_CASE]);
    print(program, mark[IFD_MARK_PROGRAM]);
    print(mark_channels(c->test), mark[IFD_MARK_CHANNELS]);
    print(mark_machine(), mark[IFD_MARK_MACHINE]);
    return IFD_OK;
}

void ifd__certificate_number(const ifd_certificate *c, char number[IFD_MARK_SIZE])
{
    uint64_t h = add_text(IFD__HASH_START, ifd_verdict_name(c->verdict));
    h = add_text(h, c->made);
    for (int i = 0; i < IFD_MARK_COUNT; i++)
        h = add_text(h, c->mark[i]);
    print(h, number);
}

/* Not ifd_json_at: the name of an interface may contain a slash. */
static const ifd_json_node *member(const ifd_json_node *of, const char *key)
{
    const ifd_json_node *node = of && of->kind == IFD_JSON_OBJECT ? of->first : NULL;
    while (node && strcmp(node->key, key) != 0)
        node = node->next;
    return node;
}

static bool copy(const ifd_json_node *map, const char *key, char *out, size_t size)
{
    const ifd_json_node *node = member(map, key);
    if (!node || node->kind != IFD_JSON_TEXT || strlen(node->text) >= size)
        return false;
    memcpy(out, node->text, strlen(node->text) + 1);
    return true;
}

static bool take(const ifd_json_node *root, ifd_certificate *out)
{
    char verdict[32] = "", number[IFD_MARK_SIZE];
    const ifd_json_node *marks = member(root, "holds_for");
    bool whole = copy(root, "certificate", out->number, sizeof out->number) &&
                 copy(root, "made", out->made, sizeof out->made) && copy(root, "verdict", verdict, sizeof verdict);
    for (int i = 0; i < IFD_MARK_COUNT; i++)
        whole = whole && copy(marks, ifd__mark_names[i], out->mark[i], sizeof out->mark[i]);
    out->verdict = IFD_VERDICT_COUNT;
    for (int i = 0; i < IFD_VERDICT_COUNT; i++)
        if (strcmp(verdict, ifd_verdict_name((ifd_verdict)i)) == 0)
            out->verdict = (ifd_verdict)i;
    ifd__certificate_number(out, number);
    return whole && strcmp(number, out->number) == 0;
}

enum { SCHEMA = 1 };

ifd_status ifd_certificate_read(ifd_arena *arena, const char *path, ifd_certificate *out, ifd_note *note)
{
    ifd__file file;
    ifd_json_node *root = NULL;
    ifd_note unsaid;
    ifd_note_init(&unsaid, arena);
    memset(out, 0, sizeof *out);
    IFD_TRY(ifd__file_read(arena, path, NULL, &file, note));
    ifd_status status = ifd_json_read(arena, path, file.text, file.length, &root, &unsaid);
    double schema = status == IFD_OK ? ifd_json_number_at(root, "schema", SCHEMA) : SCHEMA;
    if (schema != SCHEMA)
        return ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                            "'%s' was written by another version of interfield (schema %g; this version reads schema "
                            "%d)",
                            path, schema, SCHEMA);
    if (status != IFD_OK || !take(root, out))
        return status == IFD_NO_MEMORY ? status
                                       : ifd_note_add(note, IFD_SYNTAX, NULL, "'%s' is damaged or was edited", path);
    out->json = file.text;
    return IFD_OK;
}

const char *ifd_certificate_stale(ifd_arena *arena, const ifd_certificate *certificate, const ifd_case *c)
{
    char mark[IFD_MARK_COUNT][IFD_MARK_SIZE];
    if (ifd_certificate_marks(arena, c, mark, NULL) != IFD_OK)
        return "the program cannot be read";
    for (int i = 0; i < IFD_MARK_COUNT; i++)
        if (strcmp(mark[i], certificate->mark[i]) != 0)
            return reasons[i];
    return NULL;
}

static bool number_at(const ifd_json_node *map, const char *key, double *out)
{
    const ifd_json_node *node = member(map, key);
    if (!node || node->kind != IFD_JSON_NUMBER)
        return false;
    *out = node->number;
    return true;
}

/* Smallest delay margin: with the initial and the secant stiffness, where these are stable, and at the corners of
 * updated parameters. */
static double least_margin(const ifd_json_node *loop)
{
    const ifd_json_node *const of[] = {loop, member(loop, "secant"), member(loop, "copies")};
    double least = (double)INFINITY, value;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (number_at(member(of[i], "extra_delay"), "value", &value))
            least = fmin(least, value);
    return least;
}

/* "[0.0002, 0.0001]", the predicted delays of the interfaces; NULL: one is missing. */
static const char *predicted_delays(ifd_arena *arena, const ifd_json_node *root, const ifd_hybrid_options *o,
                                    double *delay)
{
    const char *list = "";
    for (int k = 0; k < o->interfaces && list; k++) {
        if (!number_at(member(member(root, "predicted"), o->interface[k].name), "delay", &delay[k]) ||
            !isfinite(delay[k]))
            return NULL;
        list = ifd_arena_print(arena, "%s%s%.17g s", list, k ? ", " : "", delay[k]);
    }
    return list;
}

bool ifd__add_set(ifd_arena *arena, ifd_case *c, const char *text)
{
    ifd__bundle *bundle = ifd_arena_take(arena, sizeof *bundle);
    const char **set = ifd_arena_array(arena, (size_t)c->bundle->sets + 1, sizeof *set);
    if (!bundle || !set || !text)
        return false;
    *bundle = *c->bundle;
    for (int i = 0; i < bundle->sets; i++)
        set[i] = c->bundle->set[i];
    set[bundle->sets++] = text;
    bundle->set = set;
    c->bundle = bundle;
    const char *whole = ifd_arena_print(arena, "%s# --set %s\n", c->text, text);
    c->text = whole ? whole : c->text;
    return true;
}

bool ifd_certificate_thresholds(ifd_arena *arena, const ifd_certificate *certificate, ifd_case *c,
                                ifd_thresholds *out)
{
    ifd_json_node *root = NULL;
    ifd_monitor_options *m = ifd_arena_take(arena, sizeof *m);
    double *delay = ifd_arena_array(arena, (size_t)(c->test ? c->test->interfaces : 0) + 1, sizeof *delay);
    *out = (ifd_thresholds){0};
    if (!m || !delay || !certificate->json || !c->test || !c->test->monitor ||
        ifd_json_read(arena, "certificate", certificate->json, strlen(certificate->json), &root, NULL) != IFD_OK)
        return false;
    const ifd_json_node *loop = member(root, "loop");
    const char *delays = predicted_delays(arena, root, c->test, delay);
    double margin = least_margin(loop), frequency = 0.0;
    (void)number_at(loop, "frequency", &frequency);
    if (!delays || !isfinite(margin) || !(margin > 0.0) || !isfinite(frequency))
        return false;
    const char *set =
        ifd_arena_print(arena, "test.thresholds={delay-margin: %.17g s, frequency: %.17g Hz, delays: [%s]}", margin,
                        frequency, delays);
    if (!ifd__add_set(arena, c, set))
        return false;
    *m = *c->test->monitor;
    *out = (ifd_thresholds){margin, frequency};
    if (!m->stated.delay_margin)
        m->delay_margin = margin;
    if (!m->stated.frequency)
        m->frequency = frequency;
    if (!m->stated.delay)
        m->expected_delays = delay;
    c->test->monitor = m;
    return true;
}

bool ifd_summary_tracking(ifd_arena *arena, const char *path, const char *channel, double *delay, double *amplitude)
{
    ifd_json_node *root = NULL;
    ifd_note unsaid;
    bool sealed;
    ifd_note_init(&unsaid, arena);
    if (ifd_summary_read(arena, path, &sealed, &root, &unsaid) != IFD_OK)
        return false;
    const ifd_json_node *of = member(member(root, "rig"), channel);
    return number_at(of, "delay", delay) && number_at(of, "amplitude", amplitude);
}

/* A measurement over udp or shm answers a command one tick later than one in process, unless the rig waits for it. */
static int ticks_on_the_way(const ifd_rig_ops *rig, const ifd_value *values)
{
    int i = ifd_param_find(rig->params, "lockstep");
    return i >= 0 && values && values[i].number == 0 ? 1 : 0;
}

/* All rigs are as late as the latest of several. */
static void delay_rigs(const ifd_several *s, ifd_preflight_options *out)
{
    for (int r = 0; r < s->rigs; r++) {
        int ticks = ticks_on_the_way(s->rig[r].ops, s->rig[r].values);
        out->ticks = ticks > out->ticks ? ticks : out->ticks;
        out->delay = fmax(out->delay, s->rig[r].equalise);
    }
}

/* The rig that contains an actuator; NULL: one rig has all. */
static const ifd_rig_part *part_with(const ifd_several *s, int actuator)
{
    for (int r = 0; s && r < s->rigs; r++)
        for (int i = 0; i < s->rig[r].actuators; i++)
            if (s->rig[r].actuator[i] == actuator)
                return &s->rig[r];
    return NULL;
}

/* The name of an interface or actuator outside this program of which the case contains no model; NULL: none. */
static const char *undescribed(const ifd_case *c, const ifd_several *several)
{
    const ifd_hybrid_options *o = c->test;
    for (int k = 0; k < o->interfaces && !c->twin; k++) {
        const ifd__movers m = ifd__movers_of(o, k);
        for (int i = 0; i < m.count; i++) {
            const ifd_rig_part *part = part_with(several, m.first + i);
            if (!c->laboratory->actuator[m.first + i].actuator && !(part && ifd_rig_is_virtual(part->ops)))
                return m.drive >= 0 ? o->drive[m.drive].name[i] : o->interface[k].name;
        }
    }
    return NULL;
}

ifd_preflight_options ifd_preflight_of(const ifd_case *c)
{
    const ifd_several *several = ifd_several_of(c->test->rig, c->test->rig_setup);
    bool real = !ifd_rigs_are_virtual(c->test->rig, c->test->rig_setup);
    ifd_preflight_options o = {.test = c->test,
                               .twin = real && c->twin ? c->twin : c->laboratory,
                               .real = real,
                               .stated = c->twin != NULL,
                               .undescribed = real ? undescribed(c, several) : NULL,
                               .delay = real ? c->twin_delay : 0.0,
                               .ticks = real ? ticks_on_the_way(c->test->rig, c->test->rig_values) : 0,
                               .record_every = c->run.every,
                               .error_bound = c->error_bound};
    if (several)
        delay_rigs(several, &o);
    return o;
}
