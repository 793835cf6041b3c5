/* SPDX-License-Identifier: MIT */
#include "emulator.h"

#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static unsigned word(const uint8_t *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

int64_t emulator_now(const emulator *e)
{
    struct timespec t;
    if (e->stepped)
        return e->now;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

emulator *emulator_open(int fd, double tick, bool stepped)
{
    emulator *e = calloc(1, sizeof *e);
    e->log = calloc(2 * EMU_LOG, sizeof *e->log);
    e->log_second = e->log + EMU_LOG;
    e->fd = fd;
    e->tick = tick;
    e->stepped = stepped;
    e->now = 5000000000;
    e->stiffness = 0.02;
    for (int a = 0; a < EMU_AXES; a++)
        e->drive[a] = (emu_axis){.lag = 5e-3, .mode_shown = -1};
    pthread_mutex_init(&e->lock, NULL);
    for (int i = 0; i < EMU_DEVICES; i++) {
        emu_device_make(&e->device[i], i == 0);
        e->device[i].skew = 123456789 * (i + 1);
        e->device[i].hop = 700 * i;
    }
    return e;
}

/* One datagram passes all devices of the line. */
static void datagram(emulator *e, uint8_t *d)
{
    int size = (int)(word(d + 6) & 0x7ff), command = d[0], at = (int)word(d + 4), counter = 0;
    uint8_t *data = d + 10, old[1500];
    int reached = e->cut ? e->cut : EMU_DEVICES;
    for (int i = 0; i < reached; i++) {
        emu_device *v = &e->device[i];
        unsigned position = word(d + 2);
        bool named = word(v->reg + 0x10) == position;
        memcpy(old, data, (size_t)size);
        if (command == 12)
            counter += emu_logical(e, i, (uint32_t)word(d + 2) | (uint32_t)at << 16, data, size);
        else if ((command == 1 && position == 0) || (command == 4 && named) || (command == 14 && named))
            counter += emu_read(e, i, at, data, size);
        else if ((command == 2 && position == 0) || (command == 5 && named) || command == 8 || command == 14)
            counter += emu_write(e, i, at, data, size);
        else if (command == 7) {
            counter += emu_read(e, i, at, data, size);
            for (int k = 0; k < size; k++)
                data[k] |= old[k];
        }
        if (command == 1 || command == 2 || command == 7 || command == 8) {
            d[2] = (uint8_t)(position + 1);
            d[3] = (uint8_t)((position + 1) >> 8);
        }
    }
    counter += (int)word(d + 10 + size);
    d[10 + size] = (uint8_t)counter;
    d[11 + size] = (uint8_t)(counter >> 8);
}

static bool is_cyclic(const uint8_t *b, long n)
{
    for (long at = 16; at + 12 <= n; at += 12 + (long)(word(b + at + 6) & 0x7ff)) {
        if (b[at] == 12)
            return true;
        if (!(b[at + 7] & 0x80))
            break;
    }
    return false;
}

static void process(emulator *e, uint8_t *b, long n)
{
    for (long at = 16; at + 12 <= n; at += 12 + (long)(word(b + at + 6) & 0x7ff)) {
        bool more = b[at + 7] & 0x80;
        datagram(e, b + at);
        if (!more)
            break;
    }
    b[6] |= 2;
}

static void release(emulator *e, const uint8_t *b, long n)
{
    if (send(e->fd, b, (size_t)n, MSG_NOSIGNAL) < 0)
        return;
    if (e->doubled)
        (void)!send(e->fd, b, (size_t)n, MSG_NOSIGNAL);
}

/* The answer to a cyclic frame may be late; others are answered at once. */
static void answer(emulator *e, const uint8_t *b, long n, bool cyclic)
{
    if (e->dead)
        return;
    if (!cyclic || (e->late == 0 && e->released == e->queued)) {
        release(e, b, n);
        return;
    }
    memcpy(e->queue[e->queued % EMU_QUEUE].b, b, (size_t)n);
    e->queue[e->queued++ % EMU_QUEUE].n = n;
    while (e->queued - e->released > e->late) {
        release(e, e->queue[e->released % EMU_QUEUE].b, e->queue[e->released % EMU_QUEUE].n);
        e->released++;
    }
}

/* s since the drive last moved. */
static double elapsed(emulator *e)
{
    int64_t now = emulator_now(e);
    double seconds = e->stepped ? e->tick : 1e-9 * (double)(now - e->moved);
    e->moved = now;
    return fmin(seconds, 0.05);
}

static void frame(emulator *e, uint8_t *b, long n)
{
    bool cyclic = is_cyclic(b, n);
    if (e->stepped)
        e->now += cyclic ? (int64_t)(1e9 * e->tick) : 1000;
    e->frames++;
    emu_watch(e);
    if (!e->dead)
        process(e, b, n);
    if (cyclic) {
        e->cyclic++;
        emu_drive_cycle(e, elapsed(e), !e->dead);
        emu_input_cycle(e);
    }
    answer(e, b, n, cyclic);
}

static void *serve(void *emulator_)
{
    emulator *e = emulator_;
    uint8_t b[1600];
    for (bool quit = false; !quit;) {
        struct pollfd p = {.fd = e->fd, .events = POLLIN};
        int ready = poll(&p, 1, 5);
        long n = ready > 0 ? (long)recv(e->fd, b, sizeof b, MSG_DONTWAIT) : 0;
        emulator_lock(e);
        if (n >= 28 && word(b + 12) == 0xa488)
            frame(e, b, n);
        else if (!e->stepped && ready == 0) { /* 5 ms without a frame */
            emu_watch(e);
            emu_drive_cycle(e, elapsed(e), false);
        }
        quit = e->quit;
        emulator_unlock(e);
        if (n == 0 && ready > 0)
            break; /* the other end is closed */
    }
    return NULL;
}

/* Devices answer at once, whatever the load of the machine: where permitted, before every program. */
void emulator_start(emulator *e)
{
    const struct sched_param first = {.sched_priority = 90};
    e->running = pthread_create(&e->thread, NULL, serve, e) == 0;
    if (e->running && !e->stepped)
        (void)pthread_setschedparam(e->thread, SCHED_FIFO, &first);
}

void emulator_lock(emulator *e)
{
    pthread_mutex_lock(&e->lock);
}

void emulator_unlock(emulator *e)
{
    pthread_mutex_unlock(&e->lock);
}

void emulator_pass(emulator *e, double seconds)
{
    emulator_lock(e);
    for (double left = seconds; left > 0; left -= e->tick) {
        e->now += (int64_t)(1e9 * e->tick);
        emu_watch(e);
        emu_drive_cycle(e, e->tick, false);
    }
    emulator_unlock(e);
}

void emulator_close(emulator *e)
{
    emulator_lock(e);
    e->quit = true;
    emulator_unlock(e);
    if (e->running)
        pthread_join(e->thread, NULL);
    close(e->fd);
    free(e->log);
    free(e);
}
