/* SPDX-License-Identifier: MIT */
/* Catches signals and turns them into orders. */
#include "signals.h"
#include "app.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

volatile sig_atomic_t signals_count, signals_last, signals_hung_up, signals_trips;

static const int64_t APART = 500000000; /* ns between two signals that are two */
static _Atomic(ifd_executor *) listens;
static _Atomic int64_t first; /* ns; 0: none */

static void heed(int number)
{
    int kept = errno;
    ifd_executor *e = atomic_load(&listens);
    if (number == SIGHUP) {
        signals_hung_up = 1;
        if (e)
            ifd_executor_order(e, IFD_ORDER_STOP, IFD_SOURCE_AUTOMATIC);
    } else {
        int64_t none = 0, at = (int64_t)clock_now();
        bool second = !atomic_compare_exchange_strong(&first, &none, at) && at - none >= APART;
        signals_last = number;
        signals_trips = signals_trips + second;
        signals_count = signals_count + 1;
        if (e)
            ifd_executor_order(e, second ? IFD_ORDER_TRIP : IFD_ORDER_STOP, IFD_SOURCE_SIGNAL);
    }
    errno = kept;
}

void signals_catch(int flags)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = heed, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        bool kept_off = ends[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
        if (!kept_off)
            sigaction(ends[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void signals_order(ifd_executor *e)
{
    bool waits = e && (signals_count || signals_hung_up);
    atomic_store(&listens, e);
    if (waits) /* before the test */
        ifd_executor_order(e, IFD_ORDER_STOP, signals_count ? IFD_SOURCE_SIGNAL : IFD_SOURCE_AUTOMATIC);
}

void signals_release(void)
{
    static const int ends[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        signal(ends[i], SIG_DFL);
}
