/* SPDX-License-Identifier: MIT */
/* The status line of work that reports nothing itself: on a terminal or in a log it appears while the work lasts, and
 * after the work nothing is written. What working.c needs of the program is replaced; a look at the clock takes ten
 * seconds. */
#include "terminal.c"
#include "working.c"

#include <assert.h>
#include <stdatomic.h>
#include <string.h>

static atomic_int looks;

bool app_talks(const app *a)
{
    return a != NULL;
}
uint64_t clock_now(void)
{
    return UINT64_C(10000000000) * (uint64_t)(1 + atomic_fetch_add(&looks, 1));
}
wording case_model(const ifd_case *c)
{
    (void)c;
    return (wording){"12 dofs"};
}
char *ifd_arena_print(ifd_arena *arena, const char *format, ...)
{
    static char text[] = "set-up: 12 dofs";
    (void)arena;
    (void)format;
    return text;
}

int main(int count, char **word)
{
    static app loud;
    working w;
    working_begin(&w, NULL, "silence");
    assert(!w.shown);
    working_end(&w);
    if (count > 1 && strcmp(word[1], "set-up") == 0)
        working_set_up(&w, &loud, NULL);
    else
        working_begin(&w, &loud, "long work");
    assert(w.shown);
    for (int begun = atomic_load(&looks); atomic_load(&looks) == begun;)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    working_end(&w);
    fputs("end\n", stderr);
    return 0;
}
