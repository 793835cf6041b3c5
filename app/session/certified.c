/* SPDX-License-Identifier: MIT */
/* Finds, checks and stores the certificate of a case. */
#include "certified.h"
#include "supervised.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/characterised.h>

/* Whether the case is a file of an installation, or of the source tree. */
static bool is_shipped(const ifd_case *c)
{
    for (const char *const *folder = case_folders(); *folder; folder++) {
        size_t length = strlen(*folder);
        if (**folder == '/' && strncmp(c->path, *folder, length) == 0 && c->path[length] == '/')
            return true;
    }
    return false;
}

/* folder: NULL: that of the case. */
static const char *stem_in(ifd_arena *arena, const ifd_case *c, const char *folder)
{
    const char *slash = strrchr(c->path, '/'), *dot = strrchr(c->path, '.');
    size_t length = dot && (!slash || dot > slash) ? (size_t)(dot - c->path) : strlen(c->path);
    if (!folder)
        return ifd_arena_text_n(arena, c->path, length);
    const char *name = slash ? slash + 1 : c->path;
    mkdir(folder, 0777); /* after a failure, writing into it reports the reason */
    return ifd_arena_print(arena, "%s/%.*s", folder, (int)(length - (size_t)(name - c->path)), name);
}

const char *certificate_stem(app *a, const ifd_case *c)
{
    const char *folder = a->command == &command_preflight ? app_value(a, "--out") : NULL;
    if (!folder && a->command == &command_preflight && is_shipped(c))
        folder = ".";
    return stem_in(a->arena, c, folder);
}

const char *characterised_stem(app *a, const ifd_case *c)
{
    return stem_in(a->books, c, is_shipped(c) ? "." : NULL);
}

/* Reports an invalid certificate: an error if it is required, otherwise a remark. */
static bool refuse(app *a, bool needed, const char *path, const char *reason)
{
    if (!needed) {
        const ifd_finding *before = a->note.remark_last;
        ifd_note_remark(&a->note, NULL, "the certificate '%s' is not valid: %s", path, reason);
        app_remarks_after(a, before);
        return true;
    }
    return app_reject(
        a,
        "the certificate '%s' is not valid: %s\n  a test that moves a real rig needs it: interfield preflight %s (or "
        "--without-preflight, "
        "which is recorded)",
        path, reason, a->word[0]);
}

/* In the folder of the case, or here for a shipped case. Its marks determine its validity. */
static const char *certificate_found(app *a, const char *stem)
{
    const char *beside = ifd_arena_print(a->arena, "%s.certificate.json", stem), *slash = strrchr(stem, '/');
    const char *here = slash ? ifd_arena_print(a->arena, "%s.certificate.json", slash + 1) : NULL;
    return beside && here && access(beside, R_OK) != 0 && access(here, R_OK) == 0 ? here : beside;
}

/* Numbers of the certificate that the monitor of the test uses; prints them. */
static void take_thresholds(app *a, ifd_case *c, const ifd_certificate *certificate)
{
    const ifd_monitor_options *m = c->test->monitor;
    ifd_thresholds found;
    if (!m || (m->stated.delay_margin && m->stated.frequency))
        return;
    if (ifd_certificate_thresholds(a->books, certificate, c, &found))
        app_say(a, "monitor", "delay margin %.3g ms, growth at %.3g Hz, of certificate %.8s",
                1e3 * found.delay_margin, found.frequency, certificate->number);
    else
        app_say(a, "monitor", "without a certificate%s%s%s is not judged; interfield preflight makes one",
                m->stated.delay_margin ? "" : " the delay",
                m->stated.delay_margin || m->stated.frequency ? "" : " or", m->stated.frequency ? "" : " growth");
}

static bool find(app *a, ifd_case *c, ifd_certificate *out)
{
    bool needed = !ifd_rigs_are_virtual(c->test->rig, c->test->rig_setup) && !c->day.rehearsal;
    const char *stem = certificate_stem(a, c), *path = app_value(a, "--certificate");
    memset(out, 0, sizeof *out);
    c->preflight.skipped = app_has(a, "--without-preflight");
    if (c->preflight.skipped || !stem)
        return stem != NULL;
    bool named = path != NULL;
    path = named ? path : certificate_found(a, stem);
    if (!path || access(path, R_OK) != 0)
        return needed || named ? refuse(a, true, path, "the file does not exist") : true;
    if (ifd_certificate_read(a->arena, path, out, NULL) != IFD_OK) {
        out->json = NULL;
        return refuse(a, needed, path, "the file is damaged or was edited");
    }
    const char *reason = ifd_certificate_stale(a->arena, out, c);
    if (reason) {
        out->json = NULL;
        return refuse(a, needed, path, reason);
    }
    if (out->verdict == IFD_VERDICT_NO_GO && !refuse(a, needed, path, "its verdict is NO-GO"))
        return false;
    c->preflight.certificate = out->number;
    c->preflight.verdict = ifd_verdict_name(out->verdict);
    app_say(a, "preflight", "%s, certificate %.8s", c->preflight.verdict, out->number);
    return true;
}

bool certified(app *a, ifd_case *c, ifd_hybrid_options *o, ifd_certificate *out)
{
    if (!find(a, c, out))
        return false;
    take_thresholds(a, c, out);
    const char *stem = characterised_stem(a, c);
    bool known = !c->day.rehearsal && stem && ifd_characterised_use(a->books, stem, c);
    for (int k = 0; known && k < c->test->interfaces; k++)
        if (c->test->characterised[k] != 0.0)
            app_say(a, "measured", "stiffness of %s: ramp-in compares it with that of the characterisation",
                    c->test->interface[k].name);
    o->monitor = c->test->monitor;
    o->characterised = c->test->characterised;
    o->characterised_loss = c->test->characterised_loss;
    return true;
}

void certified_log(app *a, ifd_case *c, const ifd_certificate *certificate, events *log)
{
    ifd_json_node *node = NULL;
    if (c->preflight.skipped)
        events_say(log, "preflight omitted (--without-preflight)");
    if (!certificate->json)
        return;
    events_say(log, "preflight %s, certificate %s", c->preflight.verdict, certificate->number);
    if (certificate->verdict == IFD_VERDICT_GO ||
        ifd_json_read(a->arena, "certificate", certificate->json, strlen(certificate->json), &node, NULL) != IFD_OK)
        return;
    const ifd_json_node *checks = ifd_json_at(node, "checks");
    for (const ifd_json_node *row = checks ? checks->first : NULL; row; row = row->next) {
        const char *verdict = ifd_json_text_at(row, "verdict", "");
        if (strcmp(verdict, ifd_verdict_name(IFD_VERDICT_GO)) == 0)
            continue;
        const char *topic = ifd_json_text_at(row, "topic", ""), *found = ifd_json_text_at(row, "found", "");
        const char *note = ifd_arena_print(a->books, "caution from preflight, %s: %s", topic, found);
        app_say(a, "caution", "%s: %s", topic, found);
        if (note)
            (void)case_add_note(a, c, note); /* the certificate in the result has it as well */
        events_say(log, "preflight %s, %s: %s", verdict, topic, found);
    }
}

bool certified_store(app *a, const ifd_certificate *certificate, const char *folder)
{
    if (!certificate->json)
        return true;
    char path[4096];
    snprintf(path, sizeof path, "%s/certificate.json", folder);
    FILE *file = fopen(path, "w");
    if (file)
        fputs(certificate->json, file);
    return file_written(a, file, path);
}

/* Leads a person through rig-check --stop and --kill, and stores the proof. */

static const char *const words[] = {"skipped", "passed", "FAILED"};

static void ask(void *self, const char *text)
{
    app_say(self, "stop", "%s", text);
    fflush(stdout);
}

/* A row that is not reached is part of the stored proof only. */
static void tell(void *self, const ifd_rig_check_row *row)
{
    if (row->verdict != IFD_RIG_SKIPPED)
        app_say(self, words[row->verdict], "%s", row->text);
    fflush(stdout);
}

static void tell_named(void *self, const ifd_rig_check_row *row)
{
    app_say(self, words[row->verdict], "%s: %s", row->what, row->text);
}

static int put(app *a, const ifd_proof *p, int failed)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("operator", p->by), IFD_JSON("simulated", p->simulated), IFD_JSON("failed", failed));
    ifd_json_list(&j, "checks");
    for (int i = 0; i < p->rows; i++)
        IFD_JSON_OBJECT(
            &j, NULL, IFD_JSON("what", p->row[i].what),
            IFD_JSON("verdict", p->row[i].verdict == IFD_RIG_FAILED ? "failed" : words[p->row[i].verdict]),
            IFD_JSON("seen", p->row[i].text));
    return app_put_json(a, &j, failed ? EXIT_RUN_FAILED : EXIT_FINE);
}

int proof_make(app *a, const proof_target *t, ifd_proof_kind kind)
{
    ifd_rig_check_row row[(int)IFD_STOP_CHECKS + (int)IFD_KILL_CHECKS];
    ifd_stop_check_options s;
    ifd_proof proof = {.kind = kind,
                       .by = app_value(a, "--operator"),
                       .simulated = t->simulated,
                       .rows = kind == IFD_PROOF_STOP ? IFD_STOP_CHECKS : IFD_KILL_CHECKS,
                       .row = row};
    const char *path;
    int failed = 0;
    ifd_stop_check_defaults(&s);
    s.within = t->within;
    s.keeps_power = t->c->day.stop_keeps_power;
    s.lag = t->lag > 0.0 ? t->lag : s.lag;
    s.self = a;
    s.ask = ask;
    s.tell = kind == IFD_PROOF_STOP ? tell : tell_named;
    ifd_rig_check_options o = *t->o;
    if (!supervised_begin(a, (supervised_rig){NULL, o.rig->name}, &o.beat))
        return EXIT_BAD_INPUT;
    supervised_pace(o.tick, t->simulated, 0);
    ifd_status status =
        (kind == IFD_PROOF_STOP ? ifd_stop_check : ifd_kill_check)(a->arena, &o, &s, row, &failed, &a->note);
    supervised_end();
    APP_TRY(a, status);
    APP_TRY(a, ifd_proof_write(a->arena, t->c, t->rig, &proof, &path, &a->note));
    if (a->json)
        return put(a, &proof, failed);
    app_say(a, failed ? "FAILED" : "proven", "%s%s; stored: %s",
            kind == IFD_PROOF_STOP ? "the stop chain" : "the stop after a kill",
            t->simulated ? ", of a rig that declares itself simulated" : "", path);
    return failed ? EXIT_RUN_FAILED : EXIT_FINE;
}

void proof_log(app *a, const ifd_case *c, events *log)
{
    const char *path = ifd_proof_path(a->books, c);
    ifd_json_node *root = NULL;
    bool read = path && access(path, R_OK) == 0 &&
                ifd_json_read_file(a->books, path, &root, &(ifd_note){.arena = a->books}) == IFD_OK;
    const ifd_json_node *list = read ? ifd_json_at(root, "proofs") : NULL;
    if (!list || !list->first)
        events_say(log, "evidence: none of the stop chain (%s)", path ? path : "");
    for (const ifd_json_node *p = list ? list->first : NULL; p; p = p->next)
        events_say(log, "evidence: rig-check --%s of rig %s, %s on %s by %s, settings %s, number %s, in %s",
                   ifd_json_text_at(p, "check", ""), ifd_json_text_at(p, "rig", ""),
                   ifd_json_number_at(p, "passed", 0) != 0.0 ? "passed" : "FAILED", ifd_json_text_at(p, "date", ""),
                   ifd_json_text_at(p, "operator", ""), ifd_json_text_at(p, "settings", ""),
                   ifd_json_text_at(p, "number", ""), path);
}
