/* SPDX-License-Identifier: MIT */
/* Leads a person through rig-check --stop and --kill, and stores the proof. */
#include "proof.h"
#include "supervised.h"

#include <stdlib.h>
#include <unistd.h>

#include <interfield/json.h>

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
    ifd_note unsaid;
    ifd_note_init(&unsaid, a->books);
    bool read = path && access(path, R_OK) == 0 && ifd_json_read_file(a->books, path, &root, &unsaid) == IFD_OK;
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
