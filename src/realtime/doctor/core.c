/* SPDX-License-Identifier: MIT */
/* Checks of the core of the tick. */
#include "realtime/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPU "/sys/devices/system/cpu"

/* A partition of the control groups that keeps the core for itself, at most four folders deep. */
static bool partitioned(ifd__patient *d, const char *folder, int depth)
{
    const char *kind = ifd__patient_read(d, "%s/cpuset.cpus.partition", folder);
    if (kind && strncmp(kind, "isolated", 8) == 0 && !strstr(kind, "invalid"))
        return ifd__patient_listed(ifd__patient_read(d, "%s/cpuset.cpus", folder), d->core);
    const char *names = depth > 0 ? ifd__patient_folder(d, "%s", folder) : NULL;
    for (const char *n = names; n && *n; n += strcspn(n, "\n"), n += *n == '\n') {
        int length = (int)strcspn(n, "\n");
        if (memchr(n, '.', (size_t)length) && !strstr(n, ".slice"))
            continue; /* a file */
        if (partitioned(d, ifd__patient_print(d, "%s/%.*s", folder, length, n), depth - 1))
            return true;
    }
    return false;
}

void ifd__check_isolation(ifd__patient *d)
{
    const char *isolated = ifd__patient_read(d, CPU "/isolated"), *word = ifd__patient_word(d, d->words, "isolcpus");
    if (d->core < 0 || (!isolated && !d->words))
        ifd__row_unread(d, NULL, CPU "/isolated");
    else if (ifd__patient_listed(isolated, d->core))
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "core %d is isolated", d->core);
    else if (ifd__patient_listed(word, d->core))
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "core %d by isolcpus=%s", d->core, word);
    else if (partitioned(d, "/sys/fs/cgroup", 4))
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "core %d by a cpuset partition", d->core);
    else if (ifd__patient_cores(d) == 1)
        ifd__row(d, IFD_DOCTOR_CHANGE, "use a machine with at least two cores", "the only core does all work");
    else
        ifd__row_boot(d, ifd__patient_print(d, "isolcpus=managed_irq,domain,%d", d->core),
                      ifd__patient_print(d, "core %d is shared", d->core));
}

void ifd__check_timer_tick(ifd__patient *d)
{
    const char *quiet = ifd__patient_read(d, CPU "/nohz_full");
    double rate = ifd__patient_number(d, d->measured, "timer", -1.0);
    const char *seen = rate >= 0.0 ? ifd__patient_print(d, "; %.0f interrupts per s while it computes", rate) : "";
    if (d->core < 0 || (!quiet && !d->online))
        ifd__row_unread(d, NULL, CPU "/nohz_full");
    else if (!quiet)
        ifd__row(d, IFD_DOCTOR_CHANGE, "use a kernel with NO_HZ_FULL, such as that of Debian",
                 "this kernel cannot switch it off%s", seen);
    else if (!ifd__patient_listed(quiet, d->core))
        ifd__row_boot(d, ifd__patient_print(d, "nohz_full=%d", d->core),
                      ifd__patient_print(d, "on for core %d%s", d->core, seen));
    else
        ifd__row(d, ifd__fine_if(rate < 10.0), "see the rows interrupts, RCU callbacks and kernel timers",
                 "off for core %d%s", d->core, seen);
}

void ifd__check_rcu(ifd__patient *d)
{
    const char *word = ifd__patient_word(d, d->words, "rcu_nocbs"), *quiet = ifd__patient_read(d, CPU "/nohz_full");
    if (d->core < 0 || !d->words)
        ifd__row_unread(d, NULL, "/proc/cmdline");
    else if (word && (strcmp(word, "all") == 0 || ifd__patient_listed(word, d->core)))
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "rcu_nocbs=%s", word);
    else if (ifd__patient_listed(quiet, d->core))
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "not on core %d, by nohz_full", d->core);
    else
        ifd__row_boot(d, ifd__patient_print(d, "rcu_nocbs=%d", d->core),
                      ifd__patient_print(d, "on core %d", d->core));
}

void ifd__check_governor(ifd__patient *d)
{
    const char *path = ifd__patient_print(d, CPU "/cpu%d/cpufreq", d->core < 0 ? 0 : d->core), *found;
    const char *governor = ifd__patient_read(d, "%s/scaling_governor", path),
               *preference = ifd__patient_read(d, "%s/energy_performance_preference", path),
               *least = ifd__patient_read(d, "%s/scaling_min_freq", path),
               *most = ifd__patient_read(d, "%s/scaling_max_freq", path);
    if (d->core < 0 || !governor) {
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "cpupower frequency-info",
                 "no cpufreq: firmware or hypervisor decides the frequency");
        return;
    }
    bool fixed = least && most && strcmp(least, most) == 0, fast = strcmp(governor, "performance") == 0;
    found = ifd__patient_join(d, governor, ", ", ifd__patient_read(d, "%s/scaling_driver", path));
    found = ifd__patient_join(d, found, ", preference ", preference);
    found = ifd__patient_join(d, found, ", ", fixed ? "fixed frequency" : NULL);
    ifd__row(d, ifd__fine_if(fast || fixed),
             ifd__patient_print(d, "cpupower -c %d frequency-set -g performance", d->core), "%s", found);
}

void ifd__check_turbo(ifd__patient *d)
{
    const char *off = ifd__patient_read(d, CPU "/intel_pstate/no_turbo"),
               *boost = ifd__patient_read(d, CPU "/cpufreq/boost");
    bool on = off ? atoi(off) == 0 : boost && atoi(boost) != 0;
    if (!off && !boost)
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "cpupower frequency-info", "no file reports it");
    else
        ifd__row(d, IFD_DOCTOR_NOTE, NULL, on ? "on: computing times vary with temperature" : "off");
}

/* The longest latency of an enabled state, us, and its name; -1: no states. */
static long deepest(ifd__patient *d, const char **name)
{
    long most = -1;
    for (int k = 0; k < 16; k++) {
        const char *path = ifd__patient_print(d, CPU "/cpu%d/cpuidle/state%d", d->core, k);
        const char *latency = ifd__patient_read(d, "%s/latency", path),
                   *off = ifd__patient_read(d, "%s/disable", path), *called = ifd__patient_read(d, "%s/name", path);
        if (!latency)
            break;
        if (off && atoi(off) != 0)
            continue;
        if (atol(latency) > most) {
            most = atol(latency);
            *name = called ? called : "";
        }
    }
    return most;
}

void ifd__check_sleep_states(ifd__patient *d)
{
    static const char rule[] = "echo 'KERNEL==\"cpu_dma_latency\", GROUP=\"realtime\", MODE=\"0660\"' > "
                               "/etc/udev/rules.d/90-interfield.rules";
    const char *name = "", *idle = ifd__patient_word(d, d->words, "idle");
    bool awake = ifd__patient_number(d, ifd__patient_probe(d, "awake"), "writable", 0.0) != 0.0;
    long latency = d->core >= 0 ? deepest(d, &name) : -1;
    if (idle && strcmp(idle, "poll") == 0)
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "none, by idle=poll");
    else if (awake)
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "awake is granted during a test%s",
                 latency >= 0 ? ifd__patient_print(d, "; otherwise %s, %ld us", name, latency) : "");
    else if (latency < 0)
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "cpupower idle-info", "no cpuidle states are reported");
    else
        ifd__row(d, ifd__fine_if(latency < 10), rule, "%s, %ld us to wake up", name, latency);
}

void ifd__check_siblings(ifd__patient *d)
{
    const char *list = ifd__patient_read(d, CPU "/cpu%d/topology/thread_siblings_list", d->core),
               *isolated = ifd__patient_read(d, CPU "/isolated");
    if (d->core < 0 || !list) {
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "lscpu -e", "the topology of the core cannot be read");
        return;
    }
    for (int core = 0; core < 4096; core++) {
        bool other = core != d->core && ifd__patient_listed(list, core);
        if (!other || ifd__patient_listed(isolated, core) || (d->online && !ifd__patient_listed(d->online, core)))
            continue;
        ifd__row_boot(d, "nosmt", "");
        ifd__row(d, IFD_DOCTOR_CHANGE, "echo off > /sys/devices/system/cpu/smt/control",
                 "core %d shares its units with core %d", d->core, core);
        return;
    }
    ifd__row(d, IFD_DOCTOR_FINE, NULL, "core %d has no active sibling", d->core);
}
