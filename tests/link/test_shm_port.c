/* SPDX-License-Identifier: MIT */
/* Shared memory without a second process: whom it belongs to, what remains of it, and how long a reader waits. The
 * clock and the owner of a file are those of this test. */
#include "check.h"

#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "link/port.h"

enum { ME = 1000, OTHER = 1001 };
static char name[40], file[60];
static uid_t owner;
static int64_t now, naps[64]; /* ns; where the sleeper wakes */
static int count;
static bool no_room; /* nothing more can be mapped */

uid_t geteuid(void)
{
    return ME;
}

int fstat(int fd, struct stat *out)
{
    int status = fstatat(fd, "", out, AT_EMPTY_PATH);
    out->st_uid = owner;
    return status;
}

void *mmap(void *wish, size_t length, int prot, int flags, int fd, off_t offset)
{
    if (!no_room)
        return (void *)syscall(SYS_mmap, wish, length, prot, flags, fd, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    *out = (struct timespec){.tv_sec = now / 1000000000, .tv_nsec = now % 1000000000};
    return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
    (void)clock, (void)flags, (void)left;
    now = until->tv_sec * 1000000000 + until->tv_nsec;
    naps[count++ % (int)COUNT(naps)] = now;
    return 0;
}

static int open_all(void **state)
{
    snprintf(name, sizeof name, "port-%d", (int)getpid());
    snprintf(file, sizeof file, "/interfield-%s", name);
    owner = ME;
    now = 1;
    count = 0;
    return open_arena(state);
}

static int close_all(void **state)
{
    shm_unlink(file);
    return close_arena(state);
}
#define TEST_OF_PORT(sentence) TEST_WITH(sentence, open_all, close_all)

static ifd__port *serve(void)
{
    ifd__port *p = NULL;
    assert_int_equal(ifd__shm_serve(arena, name, &p, &note), IFD_OK);
    return p;
}

static ifd__port *connect_to(void)
{
    ifd__port *p = NULL;
    assert_int_equal(ifd__shm_connect(arena, name, &p, &note), IFD_OK);
    return p;
}

static void refused(ifd_status status, const char *why)
{
    assert_int_equal(status, IFD_PEER);
    char expected[200];
    snprintf(expected, sizeof expected, "shared memory '%s' %s", file + 1, why);
    assert_string_equal(note.last->text, expected);
}

static void not_connected(const char *why)
{
    ifd__port *p;
    refused(ifd__shm_connect(arena, name, &p, &note), why);
}

static bool lock_byte(int fd, off_t byte)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static int made_by_another(off_t bytes)
{
    int fd = shm_open(file, O_RDWR | O_CREAT, S_IRUSR | S_IWUSR);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, bytes), 0);
    return fd;
}

static off_t size_of(int fd)
{
    struct stat facts;
    assert_int_equal(fstatat(fd, "", &facts, AT_EMPTY_PATH), 0);
    return facts.st_size;
}

static const char other_version[] = "belongs to another version of the program";

TEST_OF_PORT(memory_of_or_open_to_another_user_is_refused)
{
    (void)serve();
    int fd = shm_open(file, O_RDWR, 0);
    static const struct {
        uid_t owner;
        mode_t mode;
        bool good;
    } row[] = {{ME, 0600, true},  {0, 0600, true},   {OTHER, 0600, false}, {ME, 0640, false},   {ME, 0620, false},
               {ME, 0604, false}, {ME, 0602, false}, {0, 0660, false},     {OTHER, 0666, false}};
    for (size_t i = 0; i < COUNT(row); i++) {
        owner = row[i].owner;
        assert_int_equal(fchmod(fd, row[i].mode), 0);
        if (row[i].good)
            ifd__port_close(connect_to());
        else
            not_connected(other_version);
    }
    close(fd);
}

TEST_OF_PORT(memory_of_another_size_is_refused)
{
    (void)serve();
    int fd = shm_open(file, O_RDWR, 0);
    off_t size = size_of(fd);
    for (int off = -8; off <= 8; off += 8) {
        assert_int_equal(ftruncate(fd, size + off), 0);
        if (off)
            not_connected(other_version);
        else
            ifd__port_close(connect_to());
    }
    close(fd);
}

/* The bytes of the locks are part of the format: other programs hold them too. */
TEST_OF_PORT(the_first_byte_is_that_of_the_server_and_the_second_that_of_the_client)
{
    int fd = made_by_another(64);
    ifd__port *p;
    not_connected("has no server: the rig server has ended");
    assert_true(lock_byte(fd, 1));
    not_connected("has no server: the rig server has ended");
    assert_true(lock_byte(fd, 0));
    refused(ifd__shm_serve(arena, name, &p, &note), "already has a server in another program");
    not_connected("already has another client");
    close(fd);
    (void)serve();
    fd = shm_open(file, O_RDWR, 0);
    assert_false(lock_byte(fd, 0));
    assert_true(lock_byte(fd, 1));
    not_connected("already has another client");
    close(fd);
    ifd__port_close(connect_to());
    fd = shm_open(file, O_RDWR, 0);
    (void)connect_to();
    assert_false(lock_byte(fd, 1));
    assert_true(lock_byte(fd, 2));
    close(fd);
}

TEST_OF_PORT(names_have_one_to_64_characters)
{
    ifd__port *p;
    char longest[66];
    memset(longest, 'n', sizeof longest);
    longest[65] = '\0';
    assert_int_equal(ifd__shm_serve(arena, longest, &p, &note), IFD_RANGE);
    longest[64] = '\0';
    assert_int_equal(ifd__shm_serve(arena, longest, &p, &note), IFD_OK);
    char path[100];
    snprintf(path, sizeof path, "/interfield-%s", longest);
    assert_int_equal(shm_unlink(path), 0);
    ifd__port_close(p);
    assert_int_equal(ifd__shm_serve(arena, "", &p, &note), IFD_RANGE);
    assert_int_equal(ifd__shm_serve(arena, "a/b", &p, &note), IFD_RANGE);
    char short_one[2] = {'0', '\0'};
    assert_int_equal(ifd__shm_connect(arena, short_one, &p, &note), IFD_PEER);
}

/* Descriptor 0 is a valid one: it is locked, used and closed like any other. */
TEST_OF_PORT(every_descriptor_is_closed_at_the_end)
{
    int kept = dup(0);
    close(0);
    ifd__port *p = serve();
    assert_true(fcntl(0, F_GETFD) >= 0);
    ifd__port_close(p);
    assert_int_equal(fcntl(0, F_GETFD), -1);
    int fd = shm_open(file, O_RDWR, 0);
    assert_int_equal(fd, -1); /* its name as well */
    not_connected("does not exist: start the rig server first");
    int held = open("/dev/null", O_RDONLY);
    assert_int_equal(held, 0);
    int left = made_by_another(64);
    assert_true(lock_byte(left, 0));
    close(0);
    refused(ifd__shm_serve(arena, name, &p, &note), "already has a server in another program");
    assert_int_equal(fcntl(0, F_GETFD), -1);
    assert_true(fcntl(1, F_GETFD) >= 0); /* and no other */
    close(left);                         /* the remains of an ended server */
    held = open("/dev/null", O_RDONLY);
    p = serve();
    close(held);
    ifd__port *client = connect_to();
    assert_true(fcntl(0, F_GETFD) >= 0);
    ifd__port_close(client);
    assert_int_equal(fcntl(0, F_GETFD), -1);
    fd = shm_open(file, O_RDWR, 0);
    assert_int_equal(fd, 0); /* a client leaves the name */
    close(fd);
    ifd__port_close(p);
    left = made_by_another(64);
    assert_int_equal(left, 0);
    close(left);
    ifd__port_close(serve()); /* closes what remained, and its own */
    assert_int_equal(fcntl(0, F_GETFD), -1);
    assert_int_equal(dup2(kept, 0), 0);
    close(kept);
}

/* Mapped memory of this program. */
static long mappings(void)
{
    long lines = 0;
    char line[4096];
    FILE *f = fopen("/proc/self/maps", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f))
        lines += strstr(line, file) != NULL;
    fclose(f);
    return lines;
}

TEST_OF_PORT(memory_is_unmapped_at_the_end)
{
    ifd__port *p = serve(), *client = connect_to();
    assert_int_equal(mappings(), 2);
    ifd__port_close(client);
    assert_int_equal(mappings(), 1);
    ifd__port_close(p);
    assert_int_equal(mappings(), 0);
}

TEST_OF_PORT(a_file_that_may_not_have_its_size_is_said)
{
    struct rlimit before, limit;
    ifd__port *p;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    ifd_status status = ifd__shm_serve(arena, name, &p, &note);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    refused(status, "cannot be created");
    assert_int_equal(shm_open(file, O_RDWR, 0), -1);
}

TEST_OF_PORT(descriptors_that_are_used_up_are_said)
{
    struct rlimit before, limit;
    ifd__port *p;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit = before;
    limit.rlim_cur = 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ifd_status status = ifd__shm_serve(arena, name, &p, &note);
    ifd_note serving = note;
    ifd_status other = ifd__shm_connect(arena, name, &p, &note);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    refused(other, strerror(EMFILE));
    note = serving;
    refused(status, strerror(EMFILE));
}

TEST_OF_PORT(memory_that_cannot_be_mapped_is_refused)
{
    ifd__port *p;
    no_room = true;
    ifd_status status = ifd__shm_serve(arena, name, &p, &note);
    no_room = false;
    refused(status, "cannot be created");
    (void)serve();
    no_room = true;
    status = ifd__shm_connect(arena, name, &p, &note);
    no_room = false;
    refused(status, other_version);
}

TEST_OF_PORT(the_newest_message_arrives_once)
{
    ifd__port *p = serve(), *client = connect_to();
    uint8_t sent[IFD__WIRE_SIZE], got[IFD__WIRE_SIZE] = {0};
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (uint8_t)(7 * i + 3);
    assert_int_equal(p->ops->receive(p, got), 0);
    assert_true(client->ops->send(client, sent, IFD__TO_PEER));
    assert_int_equal(client->ops->receive(client, got), 0); /* the other direction */
    assert_int_equal(p->ops->receive(p, got), sizeof got);
    assert_memory_equal(got, sent, sizeof got);
    assert_int_equal(p->ops->receive(p, got), 0);
    sent[9] = 0;
    assert_true(p->ops->send(p, sent, IFD__TO_SENDER));
    assert_int_equal(client->ops->receive(client, got), sizeof got);
    assert_memory_equal(got, sent, sizeof got);
    assert_true(p->ops->send(p, sent, IFD__TO_SENDER)); /* before a client connects: not for it */
    ifd__port_close(client);
    client = connect_to();
    assert_int_equal(client->ops->receive(client, got), 0);
}

/* Every 20 us while messages arrive, every 500 us from 100 ms after the last one; at most until the instant. */
TEST_OF_PORT(a_reader_sleeps_as_long_as_the_silence_allows)
{
    ifd__port *p = serve(), *client = connect_to();
    uint8_t bytes[IFD__WIRE_SIZE] = {0};
    const int64_t ms = 1000000;
    now = 1000 * ms;
    client->ops->send(client, bytes, IFD__TO_PEER);
    p->ops->wait(p, now + ms);
    assert_int_equal(count, 0); /* there is one */
    assert_int_equal(p->ops->receive(p, bytes), sizeof bytes);
    p->ops->wait(p, now + 50000);
    assert_int_equal(count, 3);
    assert_true(naps[0] == 1000 * ms + 20000 && naps[1] == 1000 * ms + 40000 && naps[2] == 1000 * ms + 50000);
    static const struct {
        int64_t since, nap;
    } row[] = {{100 * 1000000 - 1, 20000}, {100 * 1000000, 500000}, {100 * 1000000 + 1, 500000}};
    for (size_t i = 0; i < COUNT(row); i++) {
        now = 1000 * ms + row[i].since;
        count = 0;
        p->ops->wait(p, now + row[i].nap);
        assert_int_equal(count, 1);
        assert_true(now == 1000 * ms + row[i].since + row[i].nap);
        now = 1000 * ms + row[i].since;
        count = 0;
        p->ops->wait(p, now + row[i].nap + 1);
        assert_int_equal(count, 2);
        assert_true(naps[0] == 1000 * ms + row[i].since + row[i].nap && naps[1] == naps[0] + 1);
    }
    count = 0;
    p->ops->wait(p, now);
    assert_int_equal(count, 0);
}

TESTS()
