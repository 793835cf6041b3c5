/* SPDX-License-Identifier: MIT */
/* Writes checkpoints beside a test, and compares the rig with them for --continue. */
#include "checkpoint_writer.h"

#include <pthread.h>
#include <stdatomic.h>

#include <interfield/checkpoint.h>

struct checkpoint_writer {
    app *a;
    ifd_case *c;
    const char *from; /* --continue */
    bool may_resume;  /* from a checkpoint on hold */
    ifd_hybrid *h;
    ifd_executor *e;
    const char *folder;
    events *log;
    const progress *shown;
    bool going_on;                       /* the hold of the checkpoint is to be resumed */
    bool asked;                          /* the order is given and not yet answered */
    bool refused;                        /* the answer */
    int silent;                          /* orders in ticks without a measurement */
    bool compared;                       /* stored and found state are printed */
    bool restored;                       /* the state of the rig: there is nothing to compare */
    double stored[IFD_RIG_ACTUATORS][2]; /* m and N of each interface */
    bool ordered;                        /* by the order checkpoint, whose effect is printed */
    double kept;                         /* s, simulated, of the checkpoint on the disk; negative: none */
    pthread_t writer;
    bool writing;
    _Atomic bool written;
    ifd_snapshot letter;
    ifd_arena *arena; /* of the writer, while it writes */
    ifd_note note;
    ifd_status status;
};

checkpoint_writer *checkpoint_writer_make(app *a, ifd_case *c, ifd_hybrid_options *o)
{
    checkpoint_writer *k = ifd_arena_take(a->arena, sizeof *k);
    if (!k) {
        app_fail(a, IFD_NO_MEMORY);
        return NULL;
    }
    k->a = a;
    k->kept = -1;
    k->c = c;
    k->from = app_value(a, "--continue");
    k->may_resume = ifd_hybrid_may_resume(o);
    o->accept_change = app_has(a, "--accept-change");
    if (o->accept_change && !k->from) {
        app_complain(a, "--accept-change belongs to --continue");
        return NULL;
    }
    if (app_has(a, "--until") && !app_number(a, "--until", IFD_DIM_TIME, 0, &o->until))
        return NULL;
    if (app_has(a, "--until") && !(o->until > 0)) {
        app_complain(a, "--until: found '%s', expected a time above zero", app_value(a, "--until"));
        return NULL;
    }
    if (app_has(a, "--until") && !k->may_resume) {
        app_complain(a, "--until ends the test on hold, but this test cannot continue: %s",
                     ifd_answer_text(IFD_ANSWER_RATE_DEPENDENT));
        return NULL;
    }
    return k;
}

ifd_status checkpoint_writer_continue(checkpoint_writer *k, ifd_hybrid *h)
{
    ifd_snapshot *s;
    k->h = h;
    if (app_has(k->a, "--until") && ifd_hybrid_frees(h))
        return ifd_note_add(&k->a->note, IFD_CONFLICT, NULL, "--until leaves the specimen loaded: %s",
                            ifd_answer_text(IFD_ANSWER_PARK_FREES));
    if (!k->from)
        return IFD_OK;
    IFD_TRY(ifd_checkpoint_read(k->a->arena, k->from, k->c, &s, &k->a->note));
    if (s->state == IFD_MACHINE_HOLD && !k->may_resume)
        return ifd_note_add(&k->a->note, IFD_CONFLICT, NULL, "the checkpoint in '%s' was saved on hold: %s", k->from,
                            ifd_answer_text(IFD_ANSWER_RATE_DEPENDENT));
    IFD_TRY(ifd_hybrid_continue(h, s, &k->a->note));
    double permitted[2];
    for (int i = 0; i < k->c->test->interfaces; i++)
        (void)ifd_hybrid_stored(h, i, k->stored[i], permitted);
    k->c->day.continues = k->from;
    k->going_on = s->state == IFD_MACHINE_HOLD;
    k->restored = s->rig_size > 0;
    app_say(k->a, "continues", "%s at %.6g s, saved in state %s", k->from, s->time, ifd_machine_name(s->state));
    return IFD_OK;
}

ifd_status checkpoint_writer_open(checkpoint_writer *k, const char *folder, events *log, const progress *shown)
{
    k->folder = folder;
    k->log = log;
    k->shown = shown;
    log->wisher = app_has(k->a, "--until") ? "--until" : NULL;
    return k->from ? ifd_checkpoint_keep(k->a->arena, k->from, folder, &k->a->note) : IFD_OK;
}

void checkpoint_writer_attach(checkpoint_writer *k, ifd_executor *e)
{
    k->e = e;
}

/* A disk can stall for seconds: a separate thread waits for it. */
static void *write_letter(void *self)
{
    checkpoint_writer *k = self;
    k->status = ifd_checkpoint_write(k->arena, k->folder, k->c, &k->letter, &k->note);
    atomic_store_explicit(&k->written, true, memory_order_release);
    return NULL;
}

/* A long test without checkpoints would have to restart after a crash: printed immediately, in addition to the
 * log. */
static void not_kept(checkpoint_writer *k, const char *why)
{
    events_say(k->log, "no checkpoint of tick %lu: %s", (unsigned long)k->letter.tick, why);
    app_say(k->a, "CAUTION", "no checkpoint at %.6g s: %s", k->letter.time, why);
    ifd_arena_close(k->arena);
    ifd_hybrid_give_back(k->h);
}

static void begin_writing(checkpoint_writer *k)
{
    k->arena = ifd_arena_open();
    if (!k->arena) {
        not_kept(k, "out of memory");
        return;
    }
    ifd_note_init(&k->note, k->arena);
    atomic_store(&k->written, false);
    k->writing = pthread_create(&k->writer, NULL, write_letter, k) == 0;
    if (!k->writing)
        not_kept(k, "its thread could not be started");
}

static void end_writing(checkpoint_writer *k)
{
    pthread_join(k->writer, NULL);
    k->writing = false;
    if (k->status != IFD_OK) {
        not_kept(k, k->note.first ? k->note.first->text : ifd_status_text(k->status));
        return;
    }
    k->kept = k->letter.time;
    if (k->ordered)
        app_say(k->a, "saved", "checkpoint at %.6g s", k->kept);
    k->ordered = false;
    events_say(k->log, "checkpoint of tick %lu, %.6g s, state %s", (unsigned long)k->letter.tick, k->letter.time,
               ifd_machine_name(k->letter.state));
    ifd_arena_close(k->arena);
    ifd_hybrid_give_back(k->h);
}

/* Orders of --continue that may meet a tick without a measurement. They are at least one poll apart: after this
 * number the rig is silent for longer than single datagrams, and the operator decides. */
enum { SILENT_ORDERS = 20 };

/* Before arm, as soon as the positions are known. */
static void compare(checkpoint_writer *k)
{
    const progress *l = k->shown;
    bool known = l->now_state == IFD_MACHINE_READY || l->now_wait == IFD_WAIT_ORDER ||
                 l->now_wait == IFD_WAIT_CHANGED_POSITION || l->now_wait == IFD_WAIT_CHANGED_FORCE;
    if (!k->from || k->compared || !known)
        return;
    k->compared = true;
    for (int i = 0; i < l->o->interfaces; i++) {
        bool turns = l->o->interface[i].turns;
        const char *unit = turns ? "rad" : "m", *load = turns ? "N m" : "N", *name = l->o->interface[i].name;
        const wording found =
            k->restored ? phrase("the rig in this process returns to it")
                        : phrase("found %s, %s", quantity(l->x[i], unit).text, quantity(l->f[i], load).text);
        const wording said = phrase("%s: stored %s, %s; %s", name, quantity(k->stored[i][0], unit).text,
                                    quantity(k->stored[i][1], load).text, found.text);
        app_say(k->a, "continue", "%s", said.text);
        events_say(k->log, "continue: %s", said.text);
    }
    if (l->o->accept_change)
        events_say(k->log, "--accept-change: a specimen that has changed is accepted");
}

/* The answer to the order. Another order instead is from the operator, who is then in control. After a checkpoint the
 * order can be lost and is repeated. */
void checkpoint_writer_add(checkpoint_writer *k, const ifd_tick_record *r)
{
    compare(k);
    bool holds = k->shown->now_state == IFD_MACHINE_HOLD;
    k->refused = k->refused && holds;
    k->ordered = k->ordered || r->order == IFD_ORDER_CHECKPOINT;
    if (!k->going_on || !k->asked)
        return;
    if (r->order == IFD_ORDER_CHECKPOINT || r->dropped)
        k->asked = false;
    else if (r->order != IFD_ORDER_NONE)
        k->going_on = false;
    k->going_on = k->going_on && k->shown->now_state != IFD_MACHINE_RUN;
    k->refused =
        r->order == IFD_ORDER_RESUME && r->trace && ifd_answer_refuses((ifd_answer)r->trace->answer) && holds;
    if (!k->refused)
        return;
    if (r->trace->answer == IFD_ANSWER_FORCE_NOT_FRESH && ++k->silent < SILENT_ORDERS) {
        k->asked = k->refused = false; /* a tick without a measurement: the next can have one */
        k->going_on = true;
        return;
    }
    app_say(k->a, "continue",
            "refused: the test stays on hold. Type stop, or park, or resume when the cause is removed; "
            "after park, use --continue with another `--set test.hold-relaxation=...`");
    events_say(k->log, "--continue is refused: the test stays on hold");
}

bool checkpoint_writer_refused(const checkpoint_writer *k)
{
    return k->refused;
}

void checkpoint_writer_poll(checkpoint_writer *k)
{
    if (k->writing && atomic_load_explicit(&k->written, memory_order_acquire))
        end_writing(k);
    if (!k->writing && ifd_hybrid_snapshot(k->h, &k->letter))
        begin_writing(k);
    if (!k->going_on || k->asked || k->shown->now_state != IFD_MACHINE_HOLD)
        return;
    k->asked = true; /* one order; after a refusal the operator decides */
    ifd_executor_order(k->e, IFD_ORDER_RESUME, IFD_SOURCE_AUTOMATIC);
    events_given(k->log, IFD_ORDER_RESUME, "order resume, automatic: --continue");
}

void checkpoint_writer_finish(checkpoint_writer *k)
{
    if (k->writing)
        end_writing(k);
    if (ifd_hybrid_snapshot(k->h, &k->letter)) {
        begin_writing(k);
        if (k->writing)
            end_writing(k);
    }
    if (k->kept >= 0 && ifd_hybrid_paused(k->h))
        app_say(k->a, "saved", "checkpoint at %.6g s; continue with --continue %s", k->kept, k->folder);
}
