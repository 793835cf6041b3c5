/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "disk.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "record/ticks.h"

enum { NODES = 256, FILES = 1024, EVENTS = 1 << 16, BLOCK = 4096, SECTOR = 512 };

typedef enum kind { WRITE, GROW, SHRINK, ENTRY, MOVE, SYNC } kind;

typedef struct event {
    kind kind;
    int node;       /* the file, or the folder */
    int other;      /* ENTRY: the named node */
    bool folder;    /* ENTRY: that is a folder */
    long done;      /* the event with or before which it returned, 0: never */
    int64_t time;   /* ns */
    uint64_t at, n; /* bytes; GROW, SHRINK: the length afterwards is n */
    unsigned char *bytes;
    char name[64], old[64]; /* ENTRY: name; MOVE: from old to name */
} event;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char root[256];
static bool watching;
static int64_t wait_most;
static uint64_t wait_random;
static event *log_of;
static long count;
static int nodes; /* 0 is the root */
static struct {
    char path[256];
} node[NODES];
static int node_of_file[FILES]; /* node + 1 */

int __real_open(const char *path, int flags, ...);
int __real_close(int file);
ssize_t __real_write(int file, const void *p, size_t n);
ssize_t __real_pwrite(int file, const void *p, size_t n, off_t at);
int __real_fallocate(int file, int mode, off_t at, off_t n);
int __real_ftruncate(int file, off_t n);
int __real_rename(const char *from, const char *to);
int __real_mkdir(const char *path, mode_t mode);
int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int file);
ssize_t __wrap_write(int file, const void *p, size_t n);
ssize_t __wrap_pwrite(int file, const void *p, size_t n, off_t at);
int __wrap_fallocate(int file, int mode, off_t at, off_t n);
int __wrap_ftruncate(int file, off_t n);
int __wrap_rename(const char *from, const char *to);
int __wrap_mkdir(const char *path, mode_t mode);
int __wrap_fsync(int file);
int __wrap_fdatasync(int file);

void disk_watch(const char *path, int64_t wait)
{
    log_of = log_of ? log_of : calloc(EVENTS, sizeof *log_of);
    snprintf(root, sizeof root, "%s", path);
    snprintf(node[0].path, sizeof node[0].path, "%s", path);
    nodes = 1;
    count = 0;
    wait_most = wait;
    wait_random = 1;
    watching = true;
}

void disk_ignore(void)
{
    watching = false;
    for (long i = 0; i < count; i++)
        free(log_of[i].bytes);
    free(log_of);
    log_of = NULL;
}

long disk_events(void)
{
    return count;
}

int64_t disk_time(long k)
{
    return log_of[k - 1].time;
}

/* The recorded node of a path, -1: none. */
static int find(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    for (int i = nodes - 1; watching && i >= 0; i--)
        if (strlen(node[i].path) == length && strncmp(node[i].path, path, length) == 0)
            return i;
    return -1;
}

/* The folder of a path; its last component in *name. */
static int parent(const char *path, const char **name)
{
    char folder[256];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path || (size_t)(slash - path) >= sizeof folder)
        return -1;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    *name = slash + 1;
    return find(folder);
}

static event *add(kind what, int of)
{
    assert_true(count < EVENTS);
    event *e = &log_of[count++];
    *e = (event){.kind = what, .node = of, .time = clock_read()};
    return e;
}

static int enter(const char *path, bool folder)
{
    const char *name;
    int in = parent(path, &name);
    if (in < 0)
        return -1;
    assert_true(nodes < NODES && strlen(name) < sizeof log_of->name);
    event *e = add(ENTRY, in);
    e->other = nodes;
    e->folder = folder;
    strcpy(e->name, name);
    snprintf(node[nodes].path, sizeof node[nodes].path, "%s", path);
    return nodes++;
}

static int node_of(int file)
{
    return watching && file >= 0 && file < FILES ? node_of_file[file] - 1 : -1;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0;
    va_end(more);
    int file = __real_open(path, flags, mode);
    if (file < 0 || file >= FILES)
        return file;
    pthread_mutex_lock(&lock);
    int k = find(path);
    if (k < 0 && (flags & O_CREAT) && watching)
        k = enter(path, false);
    else if (k >= 0 && (flags & O_TRUNC))
        add(SHRINK, k)->done = count + 1;
    node_of_file[file] = k + 1;
    pthread_mutex_unlock(&lock);
    return file;
}

int __wrap_close(int file)
{
    if (file >= 0 && file < FILES) {
        pthread_mutex_lock(&lock);
        node_of_file[file] = 0;
        pthread_mutex_unlock(&lock);
    }
    return __real_close(file);
}

/* Before the system call, as a power failure can find it half done. p NULL: only the length becomes at + n. Returns
 * the event. */
static long begin(kind what, int file, const void *p, uint64_t at, uint64_t n)
{
    long begun = 0;
    pthread_mutex_lock(&lock);
    int k = node_of(file);
    if (k >= 0) {
        event *e = add(what, k);
        e->at = p ? at : 0;
        e->n = p ? n : at + n;
        e->bytes = p ? memcpy(malloc(n), p, n) : NULL;
        begun = count;
    }
    pthread_mutex_unlock(&lock);
    return begun;
}

static void end(long begun)
{
    if (!begun)
        return;
    pthread_mutex_lock(&lock);
    log_of[begun - 1].done = count;
    pthread_mutex_unlock(&lock);
}

ssize_t __wrap_pwrite(int file, const void *p, size_t n, off_t at)
{
    long begun = begin(WRITE, file, p, (uint64_t)at, n);
    ssize_t done = __real_pwrite(file, p, n, at);
    end(begun);
    return done;
}

ssize_t __wrap_write(int file, const void *p, size_t n)
{
    off_t at = lseek(file, 0, SEEK_CUR);
    long begun = at >= 0 ? begin(WRITE, file, p, (uint64_t)at, n) : 0;
    ssize_t done = __real_write(file, p, n);
    end(begun);
    return done;
}

int __wrap_fallocate(int file, int mode, off_t at, off_t n)
{
    long begun = mode == 0 ? begin(GROW, file, NULL, (uint64_t)at, (uint64_t)n) : 0;
    int failed = __real_fallocate(file, mode, at, n);
    end(begun);
    return failed;
}

int __wrap_ftruncate(int file, off_t n)
{
    long begun = begin(SHRINK, file, NULL, 0, (uint64_t)n);
    int failed = __real_ftruncate(file, n);
    end(begun);
    return failed;
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    int failed = __real_mkdir(path, mode);
    pthread_mutex_lock(&lock);
    if (!failed && watching)
        (void)enter(path, true);
    pthread_mutex_unlock(&lock);
    return failed;
}

int __wrap_rename(const char *from, const char *to)
{
    const char *old, *name;
    pthread_mutex_lock(&lock);
    int in = parent(from, &old), k = find(from), there = find(to);
    if (in >= 0 && k >= 0 && parent(to, &name) == in) {
        event *e = add(MOVE, in);
        strcpy(e->old, old);
        strcpy(e->name, name);
        if (there >= 0)
            node[there].path[0] = '\0';
        snprintf(node[k].path, sizeof node[k].path, "%s", to);
    }
    pthread_mutex_unlock(&lock);
    return __real_rename(from, to);
}

/* No system call: this model replaces it. */
static int sync_node(int file, int64_t takes)
{
    pthread_mutex_lock(&lock);
    int k = node_of(file);
    long begun = k >= 0 ? (add(SYNC, k), count) : 0;
    if (takes > 0)
        takes = (int64_t)(ticks_random(&wait_random) % (uint64_t)takes);
    pthread_mutex_unlock(&lock);
    if (k < 0)
        return 0;
    if (takes > 0)
        clock_wait(clock_read() + takes);
    pthread_mutex_lock(&lock);
    add(SYNC, -1); /* a separate event: a failure can come before or after */
    log_of[begun - 1].done = count;
    pthread_mutex_unlock(&lock);
    return 0;
}

int __wrap_fsync(int file)
{
    return sync_node(file, 0);
}

int __wrap_fdatasync(int file)
{
    return sync_node(file, wait_most);
}

static bool of_data(const event *e, int k)
{
    return e->node == k && (e->kind == WRITE || e->kind == GROW || e->kind == SHRINK);
}

/* Events before this one are safe in node k if the power fails after event `cut`. */
static long safe_until(int k, long cut)
{
    long safe = 0;
    for (long i = 0; i < cut; i++)
        if (log_of[i].kind == SYNC && log_of[i].node == k && log_of[i].done && log_of[i].done <= cut)
            safe = i;
    for (long i = 0; i < safe; i++) /* a write that had not returned when the sync began is not covered */
        if (of_data(&log_of[i], k) && (!log_of[i].done || log_of[i].done > safe))
            return i;
    return safe;
}

typedef struct image {
    unsigned char *bytes;
    uint64_t length, room;
} image;

static void reach(image *m, uint64_t end)
{
    if (end > m->room) {
        m->bytes = realloc(m->bytes, end);
        memset(m->bytes + m->room, 0, end - m->room);
        m->room = end;
    }
}

static void apply(image *m, const event *e)
{
    if (e->kind == WRITE) {
        reach(m, e->at + e->n);
        memcpy(m->bytes + e->at, e->bytes, e->n);
        m->length = e->at + e->n > m->length ? e->at + e->n : m->length;
    } else if (e->kind == GROW) {
        reach(m, e->n);
        m->length = e->n > m->length ? e->n : m->length;
    } else if (e->kind == SHRINK) {
        if (e->n < m->length)
            memset(m->bytes + e->n, 0, m->length - e->n);
        m->length = e->n;
    }
}

/* Sets a sector of m from its version at one event to that at another. */
static void take_sector(image *m, int k, long from, long until, uint64_t s)
{
    uint64_t low = s * SECTOR, high = low + SECTOR;
    for (long i = from; i < until; i++) {
        const event *e = &log_of[i];
        if (!of_data(e, k) || e->kind != WRITE || e->at >= high || e->at + e->n <= low)
            continue;
        uint64_t a = e->at > low ? e->at : low, b = e->at + e->n < high ? e->at + e->n : high;
        reach(m, high);
        memcpy(m->bytes + a, e->bytes + (a - e->at), b - a);
    }
}

typedef struct chance {
    uint64_t *random;
    const unsigned char *stale;
    size_t stale_bytes;
} chance;

static uint64_t pick(const chance *c, uint64_t most)
{
    return ticks_random(c->random) % most;
}

static void litter(image *m, uint64_t s, const chance *c)
{
    const unsigned char *p = m->bytes + s * SECTOR;
    if (p[0] != 0 || memcmp(p, p + 1, SECTOR - 1) != 0 || c->stale_bytes < SECTOR)
        return;
    uint64_t sectors = c->stale_bytes / SECTOR; /* with equal probability at the same place as in the earlier file */
    uint64_t from = pick(c, 2) && s < sectors ? s : pick(c, sectors);
    memcpy(m->bytes + s * SECTOR, c->stale + SECTOR * from, SECTOR);
}

/* Remainder of a block that was written between two events. */
static void take_block(image *m, int k, long safe, long cut, uint64_t block, const chance *c)
{
    enum { OLD, NEW, BETWEEN, TORN, LITTER, WAYS };
    const uint64_t per = BLOCK / SECTOR;
    uint64_t way = pick(c, WAYS), span = (uint64_t)(cut - safe) + 1;
    long version = way == OLD ? safe : way == NEW ? cut : safe + (long)pick(c, span);
    reach(m, (block + 1) * BLOCK);
    for (uint64_t s = block * per; s < (block + 1) * per; s++) {
        if (way == LITTER && pick(c, 2)) {
            litter(m, s, c);
            continue;
        }
        take_sector(m, k, safe, way >= TORN ? safe + (long)pick(c, span) : version, s);
    }
}

static void make_file(int k, long cut, const char *path, const chance *c)
{
    image m = {0};
    long safe = safe_until(k, cut);
    for (long i = 0; i < safe; i++)
        if (of_data(&log_of[i], k))
            apply(&m, &log_of[i]);
    uint64_t length = m.length, blocks = 0, touched[4096];
    for (long i = safe; i < cut; i++) {
        const event *e = &log_of[i];
        if (!of_data(e, k))
            continue;
        uint64_t end = e->kind == WRITE ? e->at + e->n : e->n;
        if (pick(c, 2))
            length = e->kind == SHRINK ? end : end > length ? end : length;
        for (uint64_t b = e->at / BLOCK; e->kind == WRITE && b <= (end - 1) / BLOCK; b++)
            if (blocks == 0 || touched[blocks - 1] < b) { /* writes are in order, and overlap in one block */
                assert_true(blocks < COUNT(touched));
                touched[blocks++] = b;
            }
    }
    for (uint64_t i = 0; i < blocks; i++)
        take_block(&m, k, safe, cut, touched[i], c);
    int file = __real_open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    uint64_t held = m.room < length ? m.room : length;
    while (held > 0 && m.bytes[held - 1] == 0)
        held--;
    assert_true(file >= 0 && (held == 0 || __real_write(file, m.bytes, held) == (ssize_t)held));
    assert_int_equal(__real_ftruncate(file, (off_t)length), 0);
    __real_close(file);
    free(m.bytes);
}

static void make_folder(int k, long cut, const char *path, const chance *c);

static void make_entries(int k, long until, long cut, const char *path, const chance *c)
{
    struct {
        const char *name;
        int node;
        bool folder;
    } entry[64];
    int entries = 0;
    for (long i = 0; i < until; i++) {
        const event *e = &log_of[i];
        if (e->node != k || (e->kind != ENTRY && e->kind != MOVE))
            continue;
        int from = 0, at = 0;
        while (e->kind == MOVE && from < entries - 1 && strcmp(entry[from].name, e->old) != 0)
            from++;
        while (at < entries && strcmp(entry[at].name, e->name) != 0)
            at++;
        assert_true(at < (int)COUNT(entry));
        entry[at].name = e->name;
        entry[at].node = e->kind == ENTRY ? e->other : entry[from].node;
        entry[at].folder = e->kind == ENTRY ? e->folder : entry[from].folder;
        entries += at == entries;
        if (e->kind == MOVE)
            entry[from] = entry[--entries];
    }
    for (int i = 0; i < entries; i++) {
        char next[600];
        snprintf(next, sizeof next, "%.400s/%s", path, entry[i].name);
        if (entry[i].folder)
            make_folder(entry[i].node, cut, next, c);
        else
            make_file(entry[i].node, cut, next, c);
    }
}

static void make_folder(int k, long cut, const char *path, const chance *c)
{
    long safe = safe_until(k, cut);
    assert_int_equal(__real_mkdir(path, 0777), 0);
    make_entries(k, safe + (long)pick(c, (uint64_t)(cut - safe) + 1), cut, path, c);
}

void disk_cut(long cut, const char *to, uint64_t *random, const unsigned char *stale, size_t stale_bytes)
{
    const chance c = {random, stale, stale_bytes};
    make_folder(0, cut, to, &c);
}
