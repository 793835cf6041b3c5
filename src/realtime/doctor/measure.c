/* SPDX-License-Identifier: MIT */
/* Measurement: lateness of wake-ups, and gaps in the time of a thread that reads the clock without pause. Both on the
 * idle machine, and beside a load that copies memory and writes to the disk. */
#include "realtime/doctor/doctor.h"

#include "base/os_linux.h"
#include "realtime/histogram.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A tick without work. */
typedef struct idle {
    long left;
} idle;

static ifd_run_state idle_tick(void *self, const ifd_tick_in *in)
{
    idle *i = self;
    (void)in;
    return --i->left > 0 ? IFD_RUN_GOING : IFD_RUN_DONE;
}

static const double *idle_values(const void *self)
{
    (void)self;
    static const double nothing = 0.0;
    return &nothing;
}

ifd_status ifd__wake_measure(const ifd__wake *w, ifd_executor_report *report, ifd_note *note)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_executor *e;
    ifd_executor_options o;
    long ticks = (long)fmax(w->duration / w->period, 20.0);
    idle i = {.left = ticks};
    const ifd_ticked ticked = {.self = &i, .tick = idle_tick, .values = idle_values, .count = 1};
    if (!arena)
        return IFD_NO_MEMORY;
    ifd_executor_defaults(&o);
    o.period = fmin(fmax(w->period, 1e-5), 0.05);
    o.core = w->core;
    ifd_status status = ifd_executor_open(arena, &o, &ticked, &e, note);
    while (status == IFD_OK && w->poll && !ifd_executor_finished(e)) {
        ifd_executor_progress(e, report);
        w->poll(w->self, (double)report->ticks / (double)ticks);
        ifd__clock_sleep(ifd__clock_now() + 50000000);
    }
    if (status == IFD_OK)
        ifd_executor_close(e, report);
    ifd_arena_close(arena);
    return status;
}

/* Reads the clock for 0.9 s of every second, so that throttling does not act. */
typedef struct spin {
    int core;
    double duration; /* s */
    double spun;     /* s of it without pause */
    ifd_histogram *gaps;
    _Atomic double done; /* fraction, below 1 until the thread ends */
} spin;

static void *spin_serve(void *self)
{
    enum { GAP = 5000, SPAN = 900000000, PAUSE = 100000000 }; /* ns */
    spin *s = self;
    ifd__thread_pin(s->core);
    ifd__thread_schedule(80);
    int64_t began = ifd__clock_now(), end = began + (int64_t)(1e9 * s->duration), now = began;
    while (now < end) {
        int64_t start = now, until = start + SPAN < end ? start + SPAN : end;
        for (int64_t before = now; now < until; before = now) {
            now = ifd__clock_now();
            if (now - before > GAP)
                ifd_histogram_add(s->gaps, (uint64_t)(now - before));
        }
        s->spun += 1e-9 * (double)(now - start);
        atomic_store(&s->done, fmin((double)(now - began) / (double)(end - began), 0.999));
        ifd__clock_sleep(now + PAUSE);
        now = ifd__clock_now();
    }
    atomic_store(&s->done, 1.0); /* the last pause may pass the end: the fraction alone never reaches 1 */
    return NULL;
}

/* Two threads of ordinary priority. */
typedef struct load {
    const char *folder;
    atomic_bool over;
    pthread_t thread[2];
    int threads;
} load;

static void *copy_memory(void *self)
{
    enum { BYTES = 16 << 20 };
    load *l = self;
    char *from = malloc(2 * (size_t)BYTES);
    for (int k = 0; from && !atomic_load(&l->over); k++) {
        memset(from, k, BYTES);
        memcpy(from + BYTES, from, BYTES);
    }
    free(from);
    return NULL;
}

static void *write_disk(void *self)
{
    static const char block[1 << 20];
    load *l = self;
    int file = open(l->folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    for (int k = 0; file >= 0 && !atomic_load(&l->over); k++) {
        if (pwrite(file, block, sizeof block, (off_t)(k % 16) * (off_t)sizeof block) < 0 || fdatasync(file) != 0)
            break;
    }
    if (file >= 0)
        close(file);
    return NULL;
}

static void load_begin(load *l)
{
    void *(*const work[])(void *) = {copy_memory, write_disk};
    for (int k = 0; k < 2; k++)
        l->threads += pthread_create(&l->thread[l->threads], NULL, work[k], l) == 0;
}

static void load_end(load *l)
{
    atomic_store(&l->over, true);
    for (int k = 0; k < l->threads; k++)
        pthread_join(l->thread[k], NULL);
}

/* Progress over the four parts. */
typedef struct course {
    const ifd_doctor_options *o;
    const char *part;
    double before, weight;
} course;

static void course_poll(void *self, double fraction)
{
    const course *c = self;
    if (c->o->progress)
        c->o->progress(c->o->self, c->part, c->before + c->weight * fraction);
}

/* The column of a core in a line that starts with a label, "LOC:" or "cpu3"; the sum of all numbered lines of
 * /proc/interrupts for label NULL. Negative: unreadable. */
static double column_of(const char *path, const char *label, int column)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    double sum = -1.0;
    while (file && getline(&line, &room, file) > 0) {
        char *p = line + strspn(line, " "), *end;
        size_t length = strcspn(p, " ");
        bool expected = label ? strlen(label) == length && strncmp(p, label, length) == 0 : *p >= '0' && *p <= '9';
        double value = 0.0;
        p += length;
        for (int k = 0; expected && k <= column; k++) {
            value = strtod(p, &end);
            if (end == p)
                expected = false;
            p = end;
        }
        if (expected)
            sum = fmax(sum, 0.0) + value;
    }
    free(line);
    if (file)
        fclose(file);
    return sum;
}

/* Column of a core in /proc/interrupts: cores that are off have none. */
static double interrupts_of(const char *label, int core)
{
    int column = -1;
    for (int k = 0; k <= core; k++) {
        char path[80];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/online", k);
        FILE *file = fopen(path, "r");
        column += !file || fgetc(file) != '0'; /* the first core has no such file */
        if (file)
            fclose(file);
    }
    return column_of("/proc/interrupts", label, column);
}

static double steal_of(int core)
{
    char label[24];
    snprintf(label, sizeof label, "cpu%d", core);
    double ticks = column_of("/proc/stat", label, 7);
    return ticks < 0.0 ? -1.0 : ticks / (double)sysconf(_SC_CLK_TCK);
}

typedef struct part {
    ifd_executor_report wake;
    ifd_histogram gaps;
    spin s;
    double timer, irq; /* interrupts per s while the thread reads the clock */
} part;

static void measure_gaps(part *p, int core, course *c)
{
    pthread_t thread;
    p->s = (spin){.core = core, .duration = c->o->measure / 6.0, .gaps = &p->gaps};
    double timer = interrupts_of("LOC:", core), irq = interrupts_of(NULL, core);
    if (ifd__thread_start(&thread, spin_serve, &p->s) != 0)
        return;
    while (atomic_load(&p->s.done) < 1.0) {
        course_poll(c, atomic_load(&p->s.done));
        ifd__clock_sleep(ifd__clock_now() + 50000000);
    }
    pthread_join(thread, NULL);
    double seconds = fmax(p->s.duration, 1e-3);
    p->timer = (interrupts_of("LOC:", core) - timer) / seconds;
    p->irq = (interrupts_of(NULL, core) - irq) / seconds;
}

static int print_part(const part *p, const char *name, bool spun, char *text, size_t size)
{
    int used = snprintf(text, size, "wake-%s-count=%ld wake-%s-p50=%.9g wake-%s-p999=%.9g wake-%s-max=%.9g ", name,
                        p->wake.ticks, name, p->wake.late_p50, name, p->wake.late_p999, name, p->wake.late_max);
    if (!spun)
        return used;
    return used + snprintf(text + used, size - (size_t)used,
                           "gap-%s-count=%lu gap-%s-p50=%.9g gap-%s-p999=%.9g gap-%s-max=%.9g ", name,
                           (unsigned long)atomic_load(&p->gaps.all), name,
                           1e-9 * (double)ifd_histogram_quantile(&p->gaps, 0.5), name,
                           1e-9 * (double)ifd_histogram_quantile(&p->gaps, 0.999), name,
                           1e-9 * (double)atomic_load(&p->gaps.longest));
}

ifd_status ifd__doctor_measure(const ifd_doctor_options *o, int core, char *text, size_t size, ifd_note *note)
{
    static const char *const names[] = {"alone", "loaded"};
    static const char *const said[] = {"wake-ups, idle machine", "gaps, idle machine", "wake-ups beside a load",
                                       "gaps beside a load"};
    part *p = calloc(2, sizeof *p);
    load l = {.folder = o->folder ? o->folder : "."};
    bool several =
        sysconf(_SC_NPROCESSORS_ONLN) > 1; /* a thread that never sleeps on the only core stops everything */
    double stolen = steal_of(core);
    ifd_status status = p ? IFD_OK : IFD_NO_MEMORY;
    for (int k = 0; k < 2 && status == IFD_OK; k++) {
        course c = {o, said[2 * k], 0.5 * k, 0.5 * 6.0 / 7.0};
        if (k == 1)
            load_begin(&l);
        status = ifd__wake_measure(&(ifd__wake){o->tick, o->measure, core, course_poll, &c}, &p[k].wake, note);
        c = (course){o, said[2 * k + 1], 0.5 * k + 0.5 * 6.0 / 7.0, 0.5 / 7.0};
        if (status == IFD_OK && several)
            measure_gaps(&p[k], core, &c);
    }
    load_end(&l);
    int used = 0;
    for (int k = 0; k < 2 && status == IFD_OK; k++)
        used += print_part(&p[k], names[k], several, text + used, size - (size_t)used);
    if (status == IFD_OK && stolen >= 0.0)
        used += snprintf(text + used, size - (size_t)used, "steal=%.9g ", fmax(steal_of(core) - stolen, 0.0));
    if (status == IFD_OK && several)
        snprintf(text + used, size - (size_t)used, "timer=%.3g irq=%.3g", p[0].timer, p[0].irq);
    free(p);
    return status;
}
