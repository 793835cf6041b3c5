/* SPDX-License-Identifier: MIT */
/* A rig that hangs in one of its functions: in `place`, at tick `at`, for `time` (0: without end), by `how`.
 * Loaded before the program (LD_PRELOAD) it also replaces malloc, so that it can hang with the lock of the heap. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <interfield/exchange.h>

static pthread_mutex_t heap = PTHREAD_MUTEX_INITIALIZER;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void __libc_free(void *old);

#define LOCKED(type, call)                                                                                           \
    pthread_mutex_lock(&heap);                                                                                       \
    type out = call;                                                                                                 \
    pthread_mutex_unlock(&heap);                                                                                     \
    return out

IFD_API void *malloc(size_t size)
{
    LOCKED(void *, __libc_malloc(size));
}

IFD_API void *calloc(size_t count, size_t size)
{
    LOCKED(void *, __libc_calloc(count, size));
}

IFD_API void *realloc(void *old, size_t size)
{
    LOCKED(void *, __libc_realloc(old, size));
}

IFD_API void free(void *old)
{
    pthread_mutex_lock(&heap);
    __libc_free(old);
    pthread_mutex_unlock(&heap);
}

enum { PLACE, HOW, AT, TIME, REAL };
enum { PAUSE, SPIN, STDOUT, HEAP, EXIT };

static const ifd_param params[] = {
    {.name = "place", .shape = IFD_SHAPE_TEXT, .required = true, .doc = "function"},
    {.name = "how", .shape = IFD_SHAPE_WORD, .words = "pause|spin|stdout|heap|exit", .doc = "kind"},
    {.name = "at", .preset = 120, IFD_WITHIN(1, 1e9), .doc = "tick"},
    {.name = "time", .dim = IFD_DIM_TIME, .preset = 0, IFD_WITHIN(0, 1e6), .doc = "duration"},
    {.name = "real", .shape = IFD_SHAPE_WORD, .words = "yes|no", .doc = "not simulated"},
    {.name = "lockstep", .shape = IFD_SHAPE_WORD, .words = "no|yes", .doc = "without a clock"},
    {0}};

typedef struct hang {
    const char *place;
    int how;
    long at, senses, waits;
    double time, position;
    uint64_t heard;
    bool real, done;
} hang;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void perhaps(hang *h, const char *place, bool due)
{
    if (h->done || !due || strcmp(h->place, place) != 0)
        return;
    h->done = true;
    (void)!write(STDERR_FILENO, "hangs\n", 6);
    if (h->how == EXIT)
        exit(0);
    if (h->how == STDOUT)
        flockfile(stdout);
    if (h->how == HEAP)
        pthread_mutex_lock(&heap);
    double end = h->time > 0 ? now() + h->time : 1e300;
    while (now() < end)
        if (h->how != SPIN)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static ifd_status open_rig(ifd_rig *rig, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    hang *h = ifd_arena_take(arena, sizeof *h);
    (void)note;
    if (!h)
        return IFD_NO_MEMORY;
    *h = (hang){.place = values[PLACE].word,
                .how = (int)values[HOW].number,
                .at = (long)values[AT].number,
                .time = values[TIME].number,
                .real = values[REAL].number == 0};
    rig->data = h;
    perhaps(h, "open", true);
    return IFD_OK;
}

static int warm(ifd_rig *rig, ifd_note *note)
{
    (void)note;
    perhaps(rig->data, "warm", true);
    return 1;
}

static bool sense(ifd_rig *rig, ifd_measure *out, double *x)
{
    hang *h = rig->data;
    (void)x;
    h->senses++;
    perhaps(h, "sense", h->senses == h->at);
    *out = (ifd_measure){.tick = h->heard,
                         .time = (double)h->senses,
                         .inputs = IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS,
                         .actuators = 1,
                         .position = {h->position},
                         .force = {2e5 * h->position}};
    return true;
}

static void command(ifd_rig *rig, const ifd_command *c, double *x)
{
    hang *h = rig->data;
    (void)x;
    perhaps(h, "command", c->tick == (uint64_t)h->at);
    h->heard = c->tick;
    if (c->commanded)
        h->position = c->position[0];
}

static int64_t wait_for_sample(ifd_rig *rig, int64_t latest)
{
    hang *h = rig->data;
    perhaps(h, "wait", ++h->waits == h->at);
    (void)latest;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return (int64_t)(1e9 * now());
}

static void close_rig(ifd_rig *rig)
{
    perhaps(rig->data, "close", true);
}

static bool simulated(const ifd_rig *rig)
{
    return !((const hang *)rig->data)->real;
}

IFD_API const ifd_rig_ops ifd_user_rig = {.abi = IFD_RIG_ABI,
                                          .name = "lab",
                                          .params = params,
                                          .open = open_rig,
                                          .sense = sense,
                                          .command = command,
                                          .close = close_rig,
                                          .wait = wait_for_sample,
                                          .warm = warm,
                                          .simulated = simulated};
