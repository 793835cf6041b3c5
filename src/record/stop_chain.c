/* SPDX-License-Identifier: MIT */
/* Stores the proof of a stop chain and judges its age and settings. */
#include <interfield/stop_chain.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analysis/variant.h"
#include "base/hash.h"
#include "record/evidence.h"
#include "record/result.h"

static const char *const kinds[IFD_PROOF_KINDS] = {"stop", "kill"};
static const char *const words[] = {"skipped", "passed", "failed"};

/* What a file states about a proof. */
typedef struct stored {
    const char *date, *by;
    bool passed, simulated;
    const char *failure; /* of the first row that failed */
} stored;

/* The settings of the rig, and what its stop does to the power. */
static void mark_of(const ifd_case *c, const ifd_rig_part *rig, char out[IFD_MARK_SIZE])
{
    uint64_t h = ifd__rig_mark(IFD__HASH_START, rig);
    h = ifd__hash(h, &(const double){c->day.stop_keeps_power}, 1);
    snprintf(out, IFD_MARK_SIZE, "%016" PRIx64, h);
}

const char *ifd_proof_path(ifd_arena *arena, const ifd_case *c)
{
    const char *slash = strrchr(c->path, '/'), *dot = strrchr(c->path, '.');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - c->path) : strlen(c->path);
    return c->day.stop_chain ? c->day.stop_chain
                             : ifd_arena_print(arena, "%.*s.stop-chain.json", (int)length, c->path);
}

ifd_rig_part ifd_proof_rig(const ifd_case *c, int channels)
{
    return (ifd_rig_part){
        .ops = c->test->rig, .values = c->test->rig_values, .setup = c->test->rig_setup, .actuators = channels};
}

/* The hash of all that counts in a record: it does not fit after an edit. */
static void number_of(const ifd_json_node *record, char out[IFD_MARK_SIZE])
{
    static const char *const keys[] = {"check", "rig", "settings", "date", "operator"};
    uint64_t h = IFD__HASH_START;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        h = ifd__mark_text(h, ifd_json_text_at(record, keys[i], ""));
    const double flags[] = {ifd_json_number_at(record, "simulated", 1), ifd_json_number_at(record, "passed", 0)};
    snprintf(out, IFD_MARK_SIZE, "%016" PRIx64, ifd__hash(h, flags, 2));
}

static bool fits(const ifd_json_node *record, ifd_proof_kind kind, const char *mark)
{
    return strcmp(ifd_json_text_at(record, "check", ""), kinds[kind]) == 0 &&
           (!mark || strcmp(ifd_json_text_at(record, "settings", ""), mark) == 0);
}

static bool all_passed(const ifd_proof *p)
{
    for (int i = 0; i < p->rows; i++)
        if (p->row[i].verdict != IFD_RIG_PASSED)
            return false;
    return p->rows > 0;
}

static void put_proof(ifd_json *j, const ifd_rig_part *rig, const ifd_proof *p, const char *mark)
{
    char date[32], number[IFD_MARK_SIZE];
    ifd__time_of_day(date);
    const bool passed = all_passed(p);
    const ifd_json_node flags[] = {{.kind = IFD_JSON_FLAG, .key = "simulated", .number = p->simulated},
                                   {.kind = IFD_JSON_FLAG, .key = "passed", .number = passed}};
    const char *const keys[] = {"check", "rig", "settings", "date", "operator"};
    const char *const values[] = {kinds[p->kind], rig->ops->name, mark, date, p->by};
    ifd_json_node text[5], root = {.kind = IFD_JSON_OBJECT, .first = text}, last[2] = {flags[0], flags[1]};
    for (int i = 0; i < 5; i++)
        text[i] = (ifd_json_node){
            .kind = IFD_JSON_TEXT, .key = keys[i], .text = values[i], .next = i < 4 ? &text[i + 1] : &last[0]};
    last[0].next = &last[1];
    number_of(&root, number);
    ifd_json_object(j, NULL);
    for (const ifd_json_node *n = root.first; n; n = n->next)
        ifd__evidence_put(j, n);
    ifd_json_text(j, "number", number);
    ifd_json_list(j, "rows");
    for (int i = 0; i < p->rows; i++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("what", p->row[i].what), IFD_JSON("verdict", words[p->row[i].verdict]),
                        IFD_JSON("seen", p->row[i].text));
    ifd_json_end(j);
    ifd_json_end(j);
}

ifd_status ifd_proof_write(ifd_arena *arena, const ifd_case *c, const ifd_rig_part *rig, const ifd_proof *proof,
                           const char **path, ifd_note *note)
{
    char mark[IFD_MARK_SIZE];
    ifd_json j;
    int kept = 0;
    *path = ifd_proof_path(arena, c);
    IFD__HAVE(*path);
    mark_of(c, rig, mark);
    ifd_json_init(&j, arena);
    ifd_json_object(&j, NULL);
    ifd_json_integer(&j, "schema", 1);
    ifd_json_list(&j, "proofs");
    put_proof(&j, rig, proof, mark);
    for (const ifd_json_node *r = ifd__evidence_read(arena, *path, "proofs"); r && kept < IFD__EVIDENCE_KEPT;
         r = r->next)
        if (!fits(r, proof->kind, mark)) {
            ifd__evidence_put(&j, r);
            kept++;
        }
    ifd_json_end(&j);
    ifd_json_end(&j);
    return ifd__evidence_write(arena, *path, ifd_json_done(&j), note);
}

static const char *first_failure(const ifd_json_node *record)
{
    const ifd_json_node *row = ifd_json_at(record, "rows");
    for (row = row ? row->first : NULL; row; row = row->next)
        if (strcmp(ifd_json_text_at(row, "verdict", ""), "passed") != 0)
            return ifd_json_text_at(row, "seen", "");
    return "";
}

/* The proof of a kind with this mark. other: whether there is one of another mark. */
static bool find(const ifd_json_node *all, ifd_proof_kind kind, const char *mark, stored *out, bool *other)
{
    *other = false;
    for (const ifd_json_node *r = all; r; r = r->next) {
        char number[IFD_MARK_SIZE];
        number_of(r, number);
        if (!fits(r, kind, NULL) || strcmp(number, ifd_json_text_at(r, "number", "")) != 0)
            continue;
        if (fits(r, kind, mark)) {
            *out = (stored){.date = ifd_json_text_at(r, "date", ""),
                            .by = ifd_json_text_at(r, "operator", ""),
                            .passed = ifd_json_number_at(r, "passed", 0) != 0.0,
                            .simulated = ifd_json_number_at(r, "simulated", 1) != 0.0,
                            .failure = first_failure(r)};
            return true;
        }
        *other = true;
    }
    return false;
}

/* What is said of one rig. */
typedef struct judged {
    const char *topic, *found;
    bool good;
} judged;

static judged judge(ifd_arena *arena, const ifd_case *c, const ifd_json_node *all, ifd_proof_kind kind,
                    const char *mark)
{
    stored s;
    bool other;
    judged j = {kind == IFD_PROOF_STOP ? "stop chain" : "watchdog", NULL, false};
    if (!find(all, kind, mark, &s, &other) || s.simulated) {
        j.found = other ? "proven with other settings of the rig only" : "not proven";
        return j;
    }
    double days = ifd__days_since(s.date);
    const char *day = ifd__day_of(arena, s.date);
    if (!s.passed) {
        j.found = ifd_arena_print(arena, "FAILED %s by %s: %s", day ? day : "", s.by, s.failure);
        return j;
    }
    j.good = days >= -1.0 && days <= c->day.stop_chain_days;
    const int whole = days > 0.0 ? (int)days : 0;
    j.found = ifd_arena_print(arena,
                              whole == 0   ? "proven %s by %s, today"
                              : whole == 1 ? "proven %s by %s, yesterday"
                                           : "proven %s by %s, %d days ago",
                              day ? day : "", s.by, whole);
    return j;
}

static void add(ifd_check *check, int *count, const judged *j, ifd_verdict bad, const char *advice)
{
    if (*count == IFD_PROOF_CHECKS)
        return;
    check[(*count)++] =
        (ifd_check){j->topic, j->found ? j->found : "", j->good ? NULL : advice, j->good ? IFD_VERDICT_GO : bad};
}

/* A number among the settings of a rig; 0 without them. */
static double setting(const ifd_rig_part *rig, const char *name)
{
    return rig->values ? ifd__value_of(rig->ops->params, rig->values, name, 0.0) : 0.0;
}

/* What the operator types, of a case with several rigs too. */
static const char *command_for(ifd_arena *arena, const ifd_case *c, const ifd_rig_part *rig, const char *options)
{
    const char *line = ifd_arena_print(arena, "interfield rig-check %s %s%s%s --operator NAME", c->path, options,
                                       rig->name ? " --rig " : "", rig->name ? rig->name : "");
    return line ? line : "";
}

static void judge_rig(ifd_arena *arena, const ifd_case *c, const ifd_rig_part *rig, double tick, ifd_check *check,
                      int *count)
{
    char mark[IFD_MARK_SIZE];
    const char *path = ifd_proof_path(arena, c);
    const ifd_json_node *all = path ? ifd__evidence_read(arena, path, "proofs") : NULL;
    mark_of(c, rig, mark);
    judged stop = judge(arena, c, all, IFD_PROOF_STOP, mark), killed = judge(arena, c, all, IFD_PROOF_KILL, mark);
    const ifd_rig asked = {.ops = rig->ops, .actuators = rig->actuators, .tick = tick, .folder = c->test->folder};
    if (!stop.good && ifd_rig_simulated(&asked, rig->values))
        return;
    add(check, count, &stop, IFD_VERDICT_NO_GO, command_for(arena, c, rig, "--stop"));
    if (setting(rig, "heartbeat-line") < 0.0) /* a converter card has no watchdog of its own */
        killed =
            (judged){"watchdog", "the card has no heartbeat-line: nothing stops it if the program is killed", false};
    add(check, count, &killed, IFD_VERDICT_CAUTION, command_for(arena, c, rig, "--kill --move 5mm"));
}

/* Tick and actuators of the test follow from its method: it is made on its virtual rig. */
static ifd_status measure_test(ifd_arena *arena, const ifd_case *c, double *tick, int *channels, ifd_note *note)
{
    ifd_hybrid_options o = *c->test;
    ifd_hybrid *h = NULL;
    o.rig = &ifd_virtual_rig;
    o.rig_setup = c->laboratory;
    o.rig_values = NULL;
    if (c->opensees) {
        const ifd_remote_options master = {.dofs = c->opensees->dofs, .paced = true, .trials = c->opensees->trials};
        IFD_TRY(ifd_remote_make(arena, &master, &o.remote, note));
    }
    IFD_TRY(ifd_hybrid_make(arena, &o, &h, note));
    *tick = ifd_hybrid_period(h);
    *channels = ifd_hybrid_actuators(h);
    ifd_hybrid_close(h);
    return IFD_OK;
}

const ifd_channel_row *ifd_calibration_ended(const ifd_channel_map *map, int64_t now)
{
    for (int i = 0; map && i < map->rows; i++)
        if (map->row[i].expires > 0 && now >= map->row[i].expires)
            return &map->row[i];
    return NULL;
}

/* The first position or force without a date; "": all have one. */
static const char *undated(ifd_arena *arena, const ifd_channel_map *map)
{
    const char *text = NULL;
    for (int i = 0; map && i < map->rows; i++)
        if (map->row[i].meaning != IFD_MEANS_RECORD && map->row[i].expires == 0) {
            text = ifd_arena_print(arena, "channel '%s' has no date of calibration", map->row[i].name);
            return text ? text : "";
        }
    return map ? "" : "the case has no channels with dates of calibration";
}

static void judge_calibration(ifd_arena *arena, const ifd_case *c, ifd_check *check, int *count)
{
    const ifd_channel_map *map = c->test->map;
    const ifd_channel_row *ended = ifd_calibration_ended(map, (int64_t)time(NULL)), *next = NULL;
    const char *missing = undated(arena, map);
    judged j = {"calibration", missing, false};
    if (ended) {
        j.found = ifd_arena_print(arena, "that of channel '%s' ended on %s", ended->name, ended->valid_until);
        add(check, count, &j, IFD_VERDICT_NO_GO, "calibrate it, then state the new valid-until");
        return;
    }
    for (int i = 0; map && i < map->rows; i++)
        if (map->row[i].expires > 0 && (!next || map->row[i].expires < next->expires))
            next = &map->row[i];
    j.good = !*missing;
    if (j.good)
        j.found = next ? ifd_arena_print(arena, "valid until %s ('%s')", next->valid_until, next->name)
                       : "no position or force has a channel";
    j.good = j.good && next;
    add(check, count, &j, IFD_VERDICT_CAUTION,
        "state valid-until of each channel that measures a position or a force");
}

ifd_status ifd_proof_judge(ifd_arena *arena, const ifd_case *c, ifd_check check[IFD_PROOF_CHECKS], int *count,
                           ifd_note *note)
{
    const ifd_several *s = ifd_several_of(c->test->rig, c->test->rig_setup);
    double tick;
    int channels;
    *count = 0;
    if (ifd_rigs_are_virtual(c->test->rig, c->test->rig_setup))
        return IFD_OK;
    IFD_TRY(measure_test(arena, c, &tick, &channels, note));
    for (int r = 0; r < (s ? s->rigs : 1); r++) {
        const ifd_rig_part one = ifd_proof_rig(c, channels), *rig = s ? &s->rig[r] : &one;
        if (!ifd_rig_is_virtual(rig->ops) && !(setting(rig, "lockstep") > 0.0))
            judge_rig(arena, c, rig, tick, check, count);
    }
    if (*count > 0) /* a rig is real */
        judge_calibration(arena, c, check, count);
    return IFD_OK;
}
