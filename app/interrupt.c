/* SPDX-License-Identifier: MIT */
/* What the first interrupt sets. */
#include "interrupt.h"

#include <stddef.h>

volatile sig_atomic_t app_stop_asked;

static void ask_stop(int number)
{
    (void)number;
    app_stop_asked = 1;
}

void app_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = ask_stop, .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    signal(SIGXFSZ, SIG_IGN); /* a file at its size limit is an error like a full disk */
}
