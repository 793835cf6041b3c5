/* SPDX-License-Identifier: MIT */
/* Questions that no file of /proc or /sys answers, each as a text of words NAME=VALUE. */
#include "realtime/doctor/doctor.h"

#include "base/os_linux.h"

#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool adjtimex_ask(const ifd_doctor_options *o, char *text, size_t size)
{
    struct timex t = {.modes = 0};
    (void)o;
    int state = adjtimex(&t);
    if (state < 0)
        return false;
    snprintf(text, size, "synchronised=%d maxerror=%ld", !(t.status & STA_UNSYNC) && state != TIME_ERROR, t.maxerror);
    return true;
}

static void *try_fifo(void *granted)
{
    *(bool *)granted = ifd__thread_schedule(80);
    return NULL;
}

/* FIFO 80 on a thread that ends at once, and a lock of 64 MiB. */
static bool rights_ask(const ifd_doctor_options *o, char *text, size_t size)
{
    const size_t bytes = (size_t)64 << 20;
    bool fifo = false, locked = false;
    pthread_t thread;
    if (ifd__thread_start(&thread, try_fifo, &fifo) == 0)
        pthread_join(thread, NULL);
    int used = snprintf(text, size, "fifo=%d", fifo);
    if (o->brief)
        return true;
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) {
        locked = mlock(pages, bytes) == 0;
        munmap(pages, bytes);
    }
    snprintf(text + used, size - (size_t)used, " mlock=%d", locked);
    return true;
}

/* Whether deep sleep can be prevented; nothing is written. */
static bool awake_ask(const ifd_doctor_options *o, char *text, size_t size)
{
    (void)o;
    snprintf(text, size, "writable=%d", access("/dev/cpu_dma_latency", W_OK) == 0);
    return true;
}

/* Whether the kernel log, if it may be read, reports an unusable counter of the processor. */
static bool log_ask(const ifd_doctor_options *o, char *text, size_t size)
{
    enum { READ_ALL = 3, ROOM = 1 << 19 };
    (void)o;
    char *log = malloc(ROOM);
    int length = log ? klogctl(READ_ALL, log, ROOM - 1) : -1;
    if (length >= 0) {
        log[length] = '\0';
        snprintf(text, size, "unstable=%d", strstr(log, "TSC unstable") != NULL);
    }
    free(log);
    return length >= 0;
}

static const char *network_file_system(long type)
{
    static const struct {
        unsigned long type;
        const char *name;
    } known[] = {{0x6969, "nfs"}, {0xFF534D42, "cifs"}, {0xFE534D42, "smb"},
                 {0x517B, "smb"}, {0x01021997, "9p"},   {0x00C36400, "ceph"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if ((unsigned long)type == known[i].type)
            return known[i].name;
    return NULL;
}

/* s, to write 1 MiB to a file without a name and to wait for the disk; negative: not possible. */
static double sync_time(const char *folder)
{
    static const char block[1 << 16];
    int file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (file < 0)
        return -1.0;
    int64_t began = ifd__clock_now();
    bool fine = true;
    for (int i = 0; i < 16; i++)
        fine = fine && write(file, block, sizeof block) == (ssize_t)sizeof block;
    fine = fine && fdatasync(file) == 0;
    double took = 1e-9 * (double)(ifd__clock_now() - began);
    close(file);
    return fine ? took : -1.0;
}

static bool disk_ask(const ifd_doctor_options *o, char *text, size_t size)
{
    const char *folder = o->folder ? o->folder : ".";
    struct statfs facts;
    if (statfs(folder, &facts) != 0)
        return false;
    const char *network = network_file_system((long)facts.f_type);
    int used = snprintf(text, size, "network=%s", network ? network : "none");
    double took = o->brief ? -1.0 : sync_time(folder);
    if (took >= 0.0)
        snprintf(text + used, size - (size_t)used, " sync=%.4f", took);
    return true;
}

static bool card_call(int file, const char *name, void *data)
{
    struct ifreq wish;
    memset(&wish, 0, sizeof wish);
    snprintf(wish.ifr_name, sizeof wish.ifr_name, "%s", name);
    wish.ifr_data = data;
    return ioctl(file, SIOCETHTOOL, &wish) == 0;
}

static int card_flag(int file, const char *name, unsigned command)
{
    struct ethtool_value v = {.cmd = command};
    return card_call(file, name, &v) ? (int)v.data : -1;
}

/* What a card does not answer is absent. */
static bool card_ask(const ifd_doctor_options *o, char *text, size_t size)
{
    int file = o->interface ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    if (file < 0)
        return false;
    size_t used = 0;
#define ADD(condition, ...)                                                                                          \
    do {                                                                                                             \
        if ((condition) && used < size)                                                                              \
            used += (size_t)snprintf(text + used, size - used, __VA_ARGS__);                                         \
    } while (0)
    struct ethtool_drvinfo driver = {.cmd = ETHTOOL_GDRVINFO};
    ADD(card_call(file, o->interface, &driver), "driver=%s ", driver.driver);
    struct ethtool_coalesce wait = {.cmd = ETHTOOL_GCOALESCE};
    ADD(card_call(file, o->interface, &wait), "rx-usecs=%u ", wait.rx_coalesce_usecs);
    int gro = card_flag(file, o->interface, ETHTOOL_GGRO), flags = card_flag(file, o->interface, ETHTOOL_GFLAGS);
    ADD(gro >= 0, "gro=%d ", gro != 0);
    ADD(flags >= 0, "lro=%d ", (flags & ETH_FLAG_LRO) != 0);
    struct ethtool_eee eee = {.cmd = ETHTOOL_GEEE};
    ADD(card_call(file, o->interface, &eee), "eee=%u ", eee.eee_enabled);
    struct ethtool_ts_info stamps = {.cmd = ETHTOOL_GET_TS_INFO};
    ADD(card_call(file, o->interface, &stamps), "clock=%d ", stamps.phc_index);
#undef ADD
    close(file);
    return used > 0;
}

bool ifd__probe_ask(const ifd_doctor_options *o, const char *name, char *text, size_t size)
{
    static const struct {
        const char *name;
        bool (*ask)(const ifd_doctor_options *o, char *text, size_t size);
    } known[] = {{"adjtimex", adjtimex_ask}, {"rights", rights_ask}, {"awake", awake_ask},
                 {"disk", disk_ask},         {"card", card_ask},     {"log", log_ask}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].ask(o, text, size);
    return false;
}
