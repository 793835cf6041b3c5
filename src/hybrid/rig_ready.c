/* SPDX-License-Identifier: MIT */
/* The rig before the first tick, and the reason of its stop. */
#include "hybrid/rig_ready.h"

#include "base/os_linux.h"
#include "rig/rig.h"

static void close_arena(void *own)
{
    ifd_arena_close(own);
}

ifd_status ifd__warm_make(ifd_hybrid *h, ifd_arena *arena)
{
    ifd_arena *own = ifd_arena_open();
    if (!own || !ifd_arena_on_close(arena, close_arena, own)) {
        ifd_arena_close(own);
        return IFD_NO_MEMORY;
    }
    ifd_note_init(&h->cold, own);
    return IFD_OK;
}

static int give_up(ifd_hybrid *h)
{
    const ifd_several *all = ifd_several_of(h->rig.ops, h->opt.rig_setup);
    int r = all ? ifd__several_cold(&h->rig) : 0;
    const char *name = all ? all->rig[r].name : h->opt.rig->name, *why = ifd__rig_why(ifd_hybrid_rig(h, r));
    if (h->cold.errors == 0)
        ifd_note_add(&h->cold, IFD_PEER, NULL, "rig '%s' does not become ready%s%s", name, why ? ": " : "",
                     why ? why : "");
    return -1;
}

void ifd__warm_grid(void *test, int64_t instant)
{
    ifd_hybrid *h = test;
    h->rig.grid = instant;
}

/* On the grid of the ticks: what a rig measures of it is valid for the test. */
int ifd__warm_step(void *test)
{
    ifd_hybrid *h = test;
    int64_t now = ifd__clock_now(), tick = (int64_t)(1e9 * h->period);
    if (h->warmed == 0)
        h->warmed = now;
    int ready = ifd__rig_warm(&h->rig, &h->cold);
    if (ready > 0)
        return 1;
    if (ready < 0 || 1e-9 * (double)(now - h->warmed) > h->opt.arm_timeout)
        return give_up(h);
    int64_t off = (now - h->rig.grid) % tick;
    h->warm_due = now + tick - (off < 0 ? off + tick : off);
    ifd__clock_sleep(h->warm_due);
    return 0;
}

void ifd_hybrid_conduct(ifd_hybrid *h, bool automatic, bool wait_tripped)
{
    h->opt.automatic = automatic;
    h->opt.wait_tripped = wait_tripped;
}

bool ifd_hybrid_automatic(const ifd_hybrid *h)
{
    return h->opt.automatic;
}

int64_t ifd__warm_wait(void *test, int64_t latest)
{
    return ifd__rig_wait(&((ifd_hybrid *)test)->rig, latest);
}

const ifd_note *ifd_hybrid_cold(const ifd_hybrid *h)
{
    return h->cold.errors ? &h->cold : NULL;
}

/* The rig of the latched fault. Of several rigs none is asked about a fault that is not of a rig. */
static IFD_RT const char *why_of(const ifd_hybrid *h)
{
    int who = (int)h->test->fault_owner;
    if (h->rig.ops != &ifd_several_rig)
        return ifd__rig_why(&h->rig);
    if (who < 0)
        return NULL;
    const ifd_rig *rig = ifd__several_rig(&h->rig, ifd__rigs_of(h, who));
    return rig ? ifd__rig_why(rig) : NULL;
}

void ifd__why_keep(ifd_hybrid *h, bool fault)
{
    const char *why = fault && h->rig.ops ? why_of(h) : NULL;
    atomic_store_explicit(&h->why, why, memory_order_release);
    atomic_store_explicit(&h->faulty, fault ? 1 + (int)h->test->fault_owner : 0, memory_order_release);
}

int ifd_hybrid_faulty(const ifd_hybrid *h)
{
    return atomic_load_explicit(&h->faulty, memory_order_acquire) - 1;
}

const char *ifd_hybrid_why(const ifd_hybrid *h)
{
    const char *kept = atomic_load_explicit(&h->why, memory_order_acquire);
    return kept || h->closed ? kept : ifd__rig_why(&h->rig);
}
