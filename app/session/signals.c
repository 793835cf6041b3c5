/* SPDX-License-Identifier: MIT */
#include "signals.h"

#include <stdbool.h>
#include <stddef.h>

volatile sig_atomic_t signals_count, signals_terminated;

static void count(int number)
{
    signals_terminated = signals_terminated || number == SIGTERM;
    signals_count = signals_count + 1;
}

void signals_catch(int flags)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = count, .sa_flags = flags}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        bool kept_off = ends[i] == SIGHUP && sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler == SIG_IGN;
        if (!kept_off)
            sigaction(ends[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

void signals_release(void)
{
    static const int ends[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        signal(ends[i], SIG_DFL);
}
