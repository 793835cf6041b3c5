/* SPDX-License-Identifier: MIT */
/* A clock that is ahead by the seconds of IFD_LATER. For LD_PRELOAD; compiled by tests/link/test_stop_chain.sh. */
#include <stdlib.h>
#include <time.h>

time_t time(time_t *out)
{
    const char *later = getenv("IFD_LATER");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += later ? atol(later) : 0;
    if (out)
        *out = now.tv_sec;
    return now.tv_sec;
}
