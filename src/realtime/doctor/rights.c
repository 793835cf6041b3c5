/* SPDX-License-Identifier: MIT */
/* Checks of what this program may use: priority, memory, processor time, disk. */
#include "realtime/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The soft limit in /proc/self/limits: a number, or -1 for unlimited; -2: unknown. */
static double limit_of(const char *limits, const char *name)
{
    const char *line = limits ? strstr(limits, name) : NULL;
    if (!line)
        return -2.0;
    line += strlen(name);
    line += strspn(line, " ");
    return strncmp(line, "unlimited", 9) == 0 ? -1.0 : strtod(line, NULL);
}

/* An effective capability of this process, by its number. */
static bool capable(const char *status, int bit)
{
    const char *line = status ? strstr(status, "CapEff:") : NULL;
    return line && strtoull(line + 7, NULL, 16) >> bit & 1u;
}

enum { CAP_IPC_LOCK_BIT = 14, CAP_SYS_NICE_BIT = 23 };

static bool may_lock(ifd__patient *d)
{
    const char *trial = ifd__patient_word(d, ifd__patient_probe(d, "rights"), "mlock");
    if (trial && strcmp(trial, "0") == 0)
        return false;
    return limit_of(ifd__patient_read(d, "/proc/self/limits"), "Max locked memory") == -1.0 ||
           capable(ifd__patient_read(d, "/proc/self/status"), CAP_IPC_LOCK_BIT);
}

void ifd__check_rights(ifd__patient *d)
{
    const char *limits = ifd__patient_read(d, "/proc/self/limits"),
               *status = ifd__patient_read(d, "/proc/self/status");
    const char *fifo = ifd__patient_word(d, ifd__patient_probe(d, "rights"), "fifo");
    double priority = limit_of(limits, "Max realtime priority");
    if (!limits || !fifo) {
        ifd__row_unread(d, "ulimit -r -l", "/proc/self/limits");
        return;
    }
    bool tried = strcmp(fifo, "1") == 0,
         urgent = tried && (priority >= 80.0 || priority == -1.0 || capable(status, CAP_SYS_NICE_BIT));
    bool locks = may_lock(d);
    if (!urgent || !locks)
        d->out->limits = "@realtime  -  rtprio   95\n@realtime  -  memlock  unlimited\n";
    ifd__row(d, ifd__fine_if(urgent && locks),
             "put the lines below into /etc/security/limits.d/realtime.conf and log in again; "
             "of a service: LimitRTPRIO=95 LimitMEMLOCK=infinity",
             "FIFO 80 %s, memory %s",
             urgent  ? "granted"
             : tried ? "granted, limit below 80"
                     : "refused",
             locks ? "can be locked" : "cannot be locked");
}

/* The path of this process in a hierarchy, "0::" or ":cpu,cpuacct:" before it. */
static const char *group_path(ifd__patient *d, const char *groups, const char *before)
{
    const char *line = groups ? strstr(groups, before) : NULL;
    if (!line)
        return NULL;
    line += strlen(before);
    return ifd__patient_print(d, "%.*s", (int)strcspn(line, "\n"), line);
}

/* A group of version 1 without real-time budget; NULL: none. */
static const char *forbidding(ifd__patient *d, const char *groups)
{
    static const char *const names[] = {":cpu:", ":cpu,cpuacct:"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *mine = group_path(d, groups, names[i]);
        const char *runtime = mine ? ifd__patient_read(d, "/sys/fs/cgroup/cpu%s/cpu.rt_runtime_us", mine) : NULL;
        if (runtime && atol(runtime) == 0)
            return mine;
    }
    return NULL;
}

/* Whether one group of version 2 limits this program; it completes the row. */
static bool limited(ifd__patient *d, const char *group)
{
    const char *most = ifd__patient_read(d, "/sys/fs/cgroup%s/cpu.max", group),
               *cores = ifd__patient_read(d, "/sys/fs/cgroup%s/cpuset.cpus.effective", group);
    bool slow = most && strncmp(most, "max", 3) != 0,
         elsewhere = cores && *cores && d->core >= 0 && !ifd__patient_listed(cores, d->core);
    if (slow)
        ifd__row(d, IFD_DOCTOR_CHANGE, "systemd-run --user --scope -p CPUQuota= interfield ...",
                 "processor time limited to %s us in %s", most, group);
    else if (elsewhere)
        ifd__row(d, IFD_DOCTOR_CHANGE, "systemd-run --user --scope -p AllowedCPUs= interfield ...",
                 "%s may use cores %s only", *group ? group : "/", cores);
    return slow || elsewhere;
}

void ifd__check_group(ifd__patient *d)
{
    const char *groups = ifd__patient_read(d, "/proc/self/cgroup");
    const char *path = group_path(d, groups, "0::"), *old = forbidding(d, groups);
    char here[400];
    if (!groups) {
        ifd__row_unread(d, NULL, "/proc/self/cgroup");
        return;
    }
    if (old) {
        ifd__row(d, IFD_DOCTOR_CHANGE,
                 ifd__patient_print(d, "echo 950000 > /sys/fs/cgroup/cpu%s/cpu.rt_runtime_us", old),
                 "the group %s forbids real-time priority", old);
        return;
    }
    snprintf(here, sizeof here, "%s", path ? path : "");
    while (!limited(d, here)) {
        char *slash = strrchr(here, '/');
        if (!slash) {
            ifd__row(d, IFD_DOCTOR_FINE, NULL, "no limit");
            return;
        }
        *slash = '\0';
    }
}

void ifd__check_swap(ifd__patient *d)
{
    const char *swaps = ifd__patient_read(d, "/proc/swaps"), *eager = ifd__patient_read(d, "/proc/sys/vm/swappiness");
    const char *first = swaps ? strchr(swaps, '\n') : NULL;
    bool locks = may_lock(d);
    if (!swaps)
        ifd__row_unread(d, NULL, "/proc/swaps");
    else if (!first || !first[1])
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "none");
    else
        ifd__row(d, locks ? IFD_DOCTOR_NOTE : IFD_DOCTOR_CHANGE, locks ? NULL : "swapoff -a",
                 "in use, swappiness %s%s", eager ? eager : "unknown", locks ? "; a test locks its memory" : "");
}

void ifd__check_memory(ifd__patient *d)
{
    const char *facts = ifd__patient_read(d, "/proc/meminfo"), *line = facts ? strstr(facts, "MemAvailable:") : NULL;
    double gib = line ? strtod(line + strlen("MemAvailable:"), NULL) / (1 << 20) : 0.0;
    if (!line)
        ifd__row_unread(d, "free -m", "/proc/meminfo");
    else
        ifd__row(d, ifd__fine_if(gib > 1.0), "end other programs", "%.1f GiB available", gib);
}

void ifd__check_disk(ifd__patient *d)
{
    const char *answer = ifd__patient_probe(d, "disk"), *network = ifd__patient_word(d, answer, "network");
    double took = ifd__patient_number(d, answer, "sync", -1.0);
    const char *folder = d->o->folder ? d->o->folder : "the current folder";
    if (!network)
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "choose the folder of the records with --out DIR", "%s cannot be read",
                 folder);
    else if (strcmp(network, "none") != 0)
        ifd__row(d, IFD_DOCTOR_CHANGE, "record to a local disk (--out)", "%s is on a network file system, %s", folder,
                 network);
    else if (took < 0.0)
        ifd__row(d, d->o->brief ? IFD_DOCTOR_FINE : IFD_DOCTOR_UNKNOWN,
                 d->o->brief ? NULL : "choose the folder of the records with --out DIR", "local%s",
                 d->o->brief ? "" : "; a file cannot be written there");
    else
        ifd__row(d, ifd__fine_if(took < 0.1), "record to a faster disk (--out)", "local, 1 MiB in %.1f ms",
                 1e3 * took);
}

void ifd__check_load(ifd__patient *d)
{
    const char *load = ifd__patient_read(d, "/proc/loadavg"), *pressure = ifd__patient_read(d, "/proc/pressure/cpu");
    const char *waits = pressure ? ifd__patient_word(d, pressure, "avg10") : NULL;
    int cores = ifd__patient_cores(d);
    if (!load || !cores)
        ifd__row_unread(d, "uptime", "/proc/loadavg");
    else
        ifd__row(d, ifd__fine_if(strtod(load, NULL) < 0.5 * cores), "top; end other programs", "%.2f on %d core%s%s",
                 strtod(load, NULL), cores, cores == 1 ? "" : "s",
                 waits ? ifd__patient_print(d, ", programs wait %s %% of the time", waits) : "");
}
