/* SPDX-License-Identifier: MIT */
#include "checkpoint_writer.h"

#include <pthread.h>
#include <stdatomic.h>

#include <interfield/checkpoint.h>

struct checkpoint_writer {
    app *a;
    ifd_case *c;
    const char *from; /* --continue */
    bool may_resume;  /* what was kept on hold */
    ifd_hybrid *h;
    ifd_executor *e;
    const char *folder;
    events *log;
    const progress *shown;
    bool going_on; /* the hold it was kept in is to be resumed */
    double kept;   /* s, simulated, of the checkpoint on the disk; negative: there is none */
    uint64_t said; /* ns, when an order was last given */
    pthread_t writer;
    bool writing;
    _Atomic bool written;
    ifd_snapshot letter;
    ifd_arena *arena; /* of the writer, as long as it writes */
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
    if (app_has(a, "--until") && !app_number(a, "--until", IFD_DIM_TIME, 0, &o->until))
        return NULL;
    if (app_has(a, "--until") && !(o->until > 0)) {
        app_complain(a, "--until wants a time above zero, found '%s'", app_value(a, "--until"));
        return NULL;
    }
    if (app_has(a, "--until") && !k->may_resume) {
        app_complain(a, "--until keeps the test on hold, and nobody could continue it: %s",
                     ifd_answer_text(IFD_ANSWER_RATE_DEPENDENT));
        return NULL;
    }
    return k;
}

ifd_status checkpoint_writer_continue(checkpoint_writer *k, ifd_hybrid *h)
{
    ifd_snapshot *s;
    k->h = h;
    if (!k->from)
        return IFD_OK;
    IFD_TRY(ifd_checkpoint_read(k->a->arena, k->from, k->c, &s, &k->a->note));
    if (s->state == IFD_MACHINE_HOLD && !k->may_resume)
        return ifd_note_add(&k->a->note, IFD_CONFLICT, NULL, "the state in '%s' was kept on hold: %s", k->from,
                            ifd_answer_text(IFD_ANSWER_RATE_DEPENDENT));
    IFD_TRY(ifd_hybrid_continue(h, s, &k->a->note));
    k->c->day.continues = k->from;
    k->going_on = s->state == IFD_MACHINE_HOLD;
    app_say(k->a, "continues", "%s at %.6g s, kept in state %s", k->from, s->time, ifd_machine_name(s->state));
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

/* A disk may stall for seconds: a thread of its own waits for it. */
static void *write_letter(void *self)
{
    checkpoint_writer *k = self;
    k->status = ifd_checkpoint_write(k->arena, k->folder, k->c, &k->letter, &k->note);
    atomic_store_explicit(&k->written, true, memory_order_release);
    return NULL;
}

/* A test of many days whose state is not kept is one crash from its beginning: said at once, not only logged. */
static void not_kept(checkpoint_writer *k, const char *why)
{
    events_say(k->log, "no checkpoint of tick %lu: %s", (unsigned long)k->letter.tick, why);
    app_say(k->a, "CAUTION", "no checkpoint of %.6g s: %s", k->letter.time, why);
    ifd_arena_close(k->arena);
    ifd_hybrid_give_back(k->h);
}

static void begin_writing(checkpoint_writer *k)
{
    k->arena = ifd_arena_open();
    if (!k->arena) {
        not_kept(k, "memory ran out");
        return;
    }
    ifd_note_init(&k->note, k->arena);
    atomic_store(&k->written, false);
    k->writing = pthread_create(&k->writer, NULL, write_letter, k) == 0;
    if (!k->writing)
        not_kept(k, "the thread that writes it could not be made");
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
    events_say(k->log, "checkpoint of tick %lu, %.6g s, state %s", (unsigned long)k->letter.tick, k->letter.time,
               ifd_machine_name(k->letter.state));
    ifd_arena_close(k->arena);
    ifd_hybrid_give_back(k->h);
}

static void order(checkpoint_writer *k, uint64_t now, ifd_order what, const char *source)
{
    const uint64_t again = 100000000; /* ns */
    if (now - k->said < again)
        return;
    k->said = now;
    ifd_executor_say(k->e, what);
    events_order(k->log, what, source);
}

static void lead(checkpoint_writer *k, uint64_t now)
{
    ifd_machine state = k->shown->now_state;
    if (k->going_on && state == IFD_MACHINE_HOLD)
        order(k, now, IFD_ORDER_RESUME, "--continue");
    if (k->going_on && state == IFD_MACHINE_RUN)
        k->going_on = false;
}

static void poll_writer(void *self, uint64_t now)
{
    checkpoint_writer *k = self;
    if (k->writing && atomic_load_explicit(&k->written, memory_order_acquire))
        end_writing(k);
    if (!k->writing && ifd_hybrid_snapshot(k->h, &k->letter))
        begin_writing(k);
    lead(k, now);
}

static void finish(void *self)
{
    checkpoint_writer *k = self;
    if (k->writing)
        end_writing(k);
    if (ifd_hybrid_snapshot(k->h, &k->letter)) {
        begin_writing(k);
        if (k->writing)
            end_writing(k);
    }
    if (k->kept >= 0 && ifd_hybrid_paused(k->h))
        app_say(k->a, "kept", "the state at %.6g s; goes on with --continue %s", k->kept, k->folder);
}

listener checkpoint_writer_listener(checkpoint_writer *k)
{
    return (listener){.self = k, .poll = poll_writer, .finish = finish};
}
