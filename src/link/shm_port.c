/* SPDX-License-Identifier: MIT */
/* Shared memory: one place in each direction with the newest message. No side waits for the other, so a process that
 * ends while writing blocks nobody.
 *
 * Locks on two bytes of the file, taken at set-up, ensure one server and one client per name; the kernel releases
 * them when a process ends. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "link/sequence_lock.h"
#include "link/port.h"
#include "base/os_linux.h"

/* ns. A reader polls every NAP while messages arrive, which takes a third of a core. After a SILENCE of many ticks
 * there is no test, and the first message can be delayed by an IDLE_NAP. */
enum { NAP = 20000, SILENCE = 100000000, IDLE_NAP = 500000 };
enum { SERVER_BYTE = 0, CLIENT_BYTE = 1 };
static const mode_t only_mine = S_IRUSR | S_IWUSR;
_Static_assert(IFD__WIRE_SIZE % 8 == 0 && IFD__WIRE_SIZE <= 8 * IFD__NEWEST_WORDS,
               "a message is whole words, and fits");

typedef struct region {
    ifd__sequence_lock to_server, to_client;
} region;

typedef struct shm_port {
    ifd__port base;
    region *shared;
    ifd__sequence_lock *in, *out;
    uint64_t seen; /* sequence number of the last message read */
    int64_t heard; /* ns, time at which it was read */
    int file;
    bool owns; /* the server removes the name at its end */
    char name[96];
} shm_port;

static bool send_bytes(ifd__port *base, const uint8_t bytes[IFD__WIRE_SIZE], ifd__to to)
{
    (void)to;
    ifd__sequence_lock_write(((shm_port *)base)->out, bytes, IFD__WIRE_SIZE);
    return true;
}

static size_t receive_bytes(ifd__port *base, uint8_t bytes[IFD__WIRE_SIZE])
{
    shm_port *p = (shm_port *)base;
    if (!ifd__sequence_lock_read(p->in, &p->seen, bytes, IFD__WIRE_SIZE))
        return 0;
    p->heard = ifd__clock_now();
    return IFD__WIRE_SIZE;
}

/* Polls, as nothing wakes a reader. */
static void wait_bytes(ifd__port *base, int64_t until)
{
    shm_port *p = (shm_port *)base;
    for (int64_t now = ifd__clock_now(); now < until; now = ifd__clock_now()) {
        uint64_t turn = atomic_load_explicit(&p->in->turn, memory_order_relaxed);
        if (turn != p->seen && !(turn & 1u))
            return;
        int64_t next = now + (now - p->heard < SILENCE ? NAP : IDLE_NAP);
        ifd__clock_sleep(next < until ? next : until);
    }
}

static void adopt(ifd__port *base)
{
    (void)base;
}

static void close_shared(ifd__port *base)
{
    shm_port *p = (shm_port *)base;
    if (p->owns)
        (void)shm_unlink(p->name);
    if (p->shared)
        (void)munmap(p->shared, sizeof *p->shared);
    if (p->file >= 0)
        (void)close(p->file); /* and releases its lock */
}

static const ifd__port_ops shm_ops = {
    .send = send_bytes, .receive = receive_bytes, .wait = wait_bytes, .adopt = adopt, .close = close_shared};

static ifd_status make(ifd_arena *arena, const char *name, shm_port **out, ifd_note *note)
{
    size_t length = strlen(name);
    if (length < 1 || length > 64 || strchr(name, '/'))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "shared memory '%s': expected a name of 1 to 64 characters without '/'", name);
    shm_port *p;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(p, 1)));
    p->base.ops = &shm_ops;
    p->file = -1;
    snprintf(p->name, sizeof p->name, "/interfield-%s", name);
    *out = p;
    return ifd__port_keep(&p->base, arena);
}

/* A lock of the open file description: it is released when the last copy of the descriptor is closed. */
static bool lock_byte(int file, off_t byte)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

static bool byte_locked(int file, off_t byte)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static bool map(shm_port *p)
{
    struct stat facts;
    if (fstat(p->file, &facts) != 0 || facts.st_size != (off_t)sizeof(region))
        return false; /* access beyond the file would end the process */
    if ((facts.st_uid != geteuid() && facts.st_uid != 0) || facts.st_mode & (S_IRWXG | S_IRWXO))
        return false; /* owned by or open to other users, who could move the rig */
    void *at = mmap(NULL, sizeof(region), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, p->file, 0);
    if (at == MAP_FAILED)
        return false;
    p->shared = at;
    (void)mlock(at, sizeof(region));
    return true;
}

static ifd_status refuse(shm_port *p, ifd_note *note, const char *why)
{
    ifd_note_add(note, IFD_PEER, NULL, "shared memory '%s' %s", p->name + 1, why);
    ifd__port_close(&p->base);
    return IFD_PEER;
}

/* Removes the remains of an ended server. */
ifd_status ifd__shm_serve(ifd_arena *arena, const char *name, ifd__port **out, ifd_note *note)
{
    shm_port *p;
    IFD_TRY(make(arena, name, &p, note));
    int old = shm_open(p->name, O_RDWR, only_mine);
    bool served = old >= 0 && byte_locked(old, SERVER_BYTE);
    if (old >= 0)
        (void)close(old);
    if (served)
        return refuse(p, note, "already has a server in another program");
    (void)shm_unlink(p->name);
    p->file = shm_open(p->name, O_RDWR | O_CREAT | O_EXCL, only_mine);
    if (p->file < 0)
        return refuse(p, note, strerror(errno));
    p->owns = true;
    if (!lock_byte(p->file, SERVER_BYTE) || ftruncate(p->file, sizeof(region)) != 0 || !map(p))
        return refuse(p, note, "cannot be created");
    p->in = &p->shared->to_server;
    p->out = &p->shared->to_client;
    *out = &p->base;
    return IFD_OK;
}

ifd_status ifd__shm_connect(ifd_arena *arena, const char *name, ifd__port **out, ifd_note *note)
{
    shm_port *p;
    IFD_TRY(make(arena, name, &p, note));
    p->file = shm_open(p->name, O_RDWR, only_mine);
    if (p->file < 0)
        return refuse(p, note, errno == ENOENT ? "does not exist: start the rig server first" : strerror(errno));
    if (!byte_locked(p->file, SERVER_BYTE))
        return refuse(p, note, "has no server: the rig server has ended");
    if (!lock_byte(p->file, CLIENT_BYTE))
        return refuse(p, note, "already has another client");
    if (!map(p))
        return refuse(p, note, "belongs to another version of the program");
    p->in = &p->shared->to_client;
    p->out = &p->shared->to_server;
    p->seen = atomic_load(&p->in->turn);
    p->base.name = ifd_arena_print(arena, "shared memory '%s'", name);
    *out = &p->base;
    return IFD_OK;
}
