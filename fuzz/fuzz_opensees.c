/* SPDX-License-Identifier: MIT */
/* sources: src/opensees/peer.c src/opensees/wire.c src/link/wire.c
 *          src/hybrid/pace/remote.c src/base/os_linux.c src/base/ring.c src/base/arena.c src/base/status.c
 * runs: 60000
 *
 * Every input of clients, in any pieces, is refused or answered by the server for OpenSees. It passes no target to
 * the rig that is not a finite number, counts targets upwards, and writes only complete messages. Built and run
 * by tools/fuzz.
 *
 * The input is a list of pieces: a byte with the client (bits 0 and 1), whether it is a datagram (bit 2) and whether
 * the rig answers before it (bit 3); a byte with the length; the bytes. Bit 4 puts a good header in front, bit 5
 * makes one number of each byte, so that complete sequences of messages are reached. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opensees/server.h"
#include "hybrid/pace/master.h"

enum { CLIENTS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Replacement of the sockets of the server. */
void ifd__os_send(ifd_opensees *s, ifd__os_peer *p)
{
    assert(p->used && p->out_size == 8 * (size_t)p->in.sizes.n && p->out_size <= IFD__OSW_ROOM);
    (void)s;
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < p->out_size; i++)
        sum = (uint8_t)(sum + p->out[i]);
    p->out_at = p->out_size;
}

void ifd__os_hang_up(ifd_opensees *s, ifd__os_peer *p)
{
    s->report.connected -= p->counted;
    p->used = p->counted = p->held = false;
    p->asked = 0;
}

typedef struct world {
    ifd_opensees *s;
    uint64_t last;
    bool ended;
} world;

static void admit(world *w, int i)
{
    ifd__os_peer *p = &w->s->peer[i];
    uint8_t *in = p->in.bytes, *out = p->out;
    *p = (ifd__os_peer){.used = true, .serial = ++w->s->admitted, .element = -1, .out = out};
    ifd__osw_reader_begin(&p->in, in);
}

/* Made once: the state that differs between inputs is reset. */
static world make(void)
{
    static uint8_t rooms[2 * CLIENTS][IFD__OSW_ROOM];
    static ifd_opensees server;
    static ifd_remote *remote;
    static ifd_arena *arena;
    ifd_remote_target t;
    ifd_remote_answer a;
    static const int first[] = {0, 2}, second[] = {1};
    static const double k[] = {3.0, 1.0, 0.0, 2.0};
    static const ifd_opensees_element elements[] = {{.dofs = 2, .dof = first, .stiffness = k},
                                                    {.dofs = 1, .dof = second}};
    world w = {.s = &server};
    if (!arena) {
        arena = ifd_arena_open();
        if (ifd_remote_make(arena, &(ifd_remote_options){.dofs = 3, .paced = true}, &remote, NULL) != IFD_OK)
            abort();
    }
    while (ifd__remote_take(remote, false, &t)) {
    }
    while (ifd_remote_hear(remote, &a)) {
    }
    memset(&server, 0, sizeof server);
    w.s->remote = remote;
    w.s->o = (ifd_opensees_options){.elements = 2, .element = elements, .dofs = 3, .length = 0.5, .force = 2.0};
    w.s->owner[0] = w.s->owner[1] = IFD__OS_NOBODY;
    pthread_mutex_init(&w.s->lock, NULL);
    for (int i = 0; i < CLIENTS; i++) {
        w.s->peer[i].in.bytes = rooms[2 * i];
        w.s->peer[i].out = rooms[2 * i + 1];
        admit(&w, i);
    }
    return w;
}

/* The rig: takes a target and answers. */
static void play_rig(world *w)
{
    ifd_remote_target t;
    while (ifd__remote_take(w->s->remote, false, &t)) {
        assert(t.number > w->last && !w->ended);
        w->last = t.number;
        w->ended = t.kind != IFD_REMOTE_TARGET;
        for (int i = 0; i < 3; i++)
            assert(isfinite(t.u[i]));
        ifd__remote_answer(w->s->remote, &(ifd_remote_answer){.number = t.number, .f = {1.0, 2.0, 3.0}});
    }
}

static void feed(world *w, ifd__os_peer *p, const uint8_t *bytes, size_t length, bool datagram)
{
    ifd__osw_bad why = IFD__OSW_BAD_FINE;
    if (datagram) {
        ifd__osw_event event = ifd__osw_reader_datagram(&p->in, bytes, length, &why);
        if (event != IFD__OSW_NOTHING)
            ifd__os_message(w->s, p, event, why);
        return;
    }
    for (size_t at = 0; at < length && p->used && !p->asked && !p->held;) {
        size_t room = ifd__osw_reader_room(&p->in), take = length - at < room ? length - at : room;
        assert(room > 0 && p->in.have + room <= IFD__OSW_ROOM);
        memcpy(p->in.bytes + p->in.have, bytes + at, take);
        at += take;
        ifd__osw_event event = ifd__osw_reader_took(&p->in, take, &why);
        if (event != IFD__OSW_NOTHING)
            ifd__os_message(w->s, p, event, why);
        ifd__os_catch_up(w->s);
    }
}

static void greet(world *w, ifd__os_peer *p, int dofs)
{
    uint8_t header[IFD__OSW_HEADER];
    ifd__osw_sizes sizes = {.ctrl = {dofs, 0, 0, 0, 1}, .daq = {dofs, 0, 0, dofs, 1}, .n = dofs == 2 ? 6 : 4};
    ifd__osw_header_write(&sizes, header);
    feed(w, p, header, sizeof header, false);
}

/* The codes, other numbers between -1.28 and 1.25, and values that are not finite. */
static void speak(world *w, ifd__os_peer *p, const uint8_t *bytes, size_t length, bool datagram)
{
    uint8_t message[8 * 256];
    for (size_t i = 0; i < length; i++) {
        double x = i % (size_t)p->in.sizes.n == 0 ? bytes[i] : 0.01 * (bytes[i] - 128.0);
        x = bytes[i] == 255 ? (double)NAN : bytes[i] == 254 ? (double)INFINITY : x;
        ifd__osw_doubles_write(&x, 1, message + 8 * i);
    }
    feed(w, p, message, 8 * length, datagram);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    world w = make();
    for (size_t at = 0; at + 2 <= size;) {
        uint8_t what = data[at];
        size_t length = data[at + 1], left = size - at - 2;
        int who = what & 3;
        at += 2;
        length = length < left ? length : left;
        if (what & 8)
            play_rig(&w);
        if (who < CLIENTS && !w.s->peer[who].used)
            admit(&w, who);
        if (who < CLIENTS && what & 16 && !w.s->peer[who].in.greeted && w.s->peer[who].in.have == 0)
            greet(&w, &w.s->peer[who], w.s->owner[0] == IFD__OS_NOBODY ? 2 : 1);
        w.s->turn++;
        if (who < CLIENTS && w.s->peer[who].used)
            (what & 32 && w.s->peer[who].in.greeted ? speak : feed)(&w, &w.s->peer[who], data + at, length, what & 4);
        ifd__os_catch_up(w.s);
        at += length;
    }
    play_rig(&w);
    pthread_mutex_destroy(&w.s->lock);
    return 0;
}
