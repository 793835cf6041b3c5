/* SPDX-License-Identifier: MIT */
/* Checks of the kernel as a whole, and of the core of the tick. */
#include "realtime/doctor/doctor.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "6.1 PREEMPT_RT" from the texts of the kernel; rt: /sys/kernel/realtime. Returns the model. */
static const char *model_of(const char *version, const char *rt)
{
    static const char *const models[] = {"PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT"};
    if (rt && strcmp(rt, "1") == 0)
        return models[0];
    for (size_t i = 0; version && i < sizeof models / sizeof *models; i++)
        if (strstr(version, models[i]))
            return models[i];
    return version ? "without preemption" : "unknown";
}

static int short_release(const char *release)
{
    int length = 0, dots = 0;
    for (; release[length] && (isdigit((unsigned char)release[length]) || release[length] == '.'); length++)
        if (release[length] == '.' && ++dots == 2)
            break;
    return length;
}

/* The mode of PREEMPT_DYNAMIC, which only root can read; that of the command line otherwise. */
static const char *dynamic_mode(ifd__patient *d)
{
    const char *modes = ifd__patient_read(d, "/sys/kernel/debug/sched/preempt");
    const char *open = modes ? strchr(modes, '(') : NULL;
    if (open)
        return ifd__patient_print(d, "%.*s", (int)strcspn(open + 1, ")"), open + 1);
    const char *word = ifd__patient_word(d, d->words, "preempt");
    return word ? word : "unknown";
}

#if defined(__aarch64__)
static const char install_rt[] = "apt-get install linux-image-rt-arm64";
#else
static const char install_rt[] = "apt-get install linux-image-rt-amd64";
#endif

void ifd__check_preemption(ifd__patient *d)
{
    const char *version = ifd__patient_read(d, "/proc/sys/kernel/version"),
               *release = ifd__patient_read(d, "/proc/sys/kernel/osrelease");
    const char *model = model_of(version, ifd__patient_read(d, "/sys/kernel/realtime"));
    if (release)
        d->out->kernel = ifd__patient_print(d, "%.*s %s", short_release(release), release, model);
    d->out->preempt_rt = strcmp(model, "PREEMPT_RT") == 0;
    if (!version && !d->out->preempt_rt) {
        ifd__row_unread(d, "uname -v", "/proc/sys/kernel/version");
        return;
    }
    const char *mode = strcmp(model, "PREEMPT_DYNAMIC") == 0 ? dynamic_mode(d) : NULL;
    if (mode && strcmp(mode, "full") != 0)
        ifd__row_boot(d, "preempt=full", "");
    ifd__row(d, ifd__fine_if(d->out->preempt_rt), install_rt, "%s",
             ifd__patient_join(d, d->out->kernel, ", mode ", mode));
}

void ifd_doctor_kernel(char *out, size_t size)
{
    ifd_arena *arena = ifd_arena_open();
    ifd_doctor_options o;
    ifd_doctor found = {.kernel = "unknown", .boot = ""};
    ifd_doctor_defaults(&o);
    ifd__patient d = {.arena = arena, .o = &o, .out = &found};
    if (arena)
        ifd__check_preemption(&d);
    snprintf(out, size, "%s%s", found.kernel, found.preempt_rt ? "" : ": expect milliseconds under load");
    ifd_arena_close(arena);
}

void ifd__check_virtual_machine(ifd__patient *d)
{
    const char *cpu = ifd__patient_read(d, "/proc/cpuinfo"),
               *vendor = ifd__patient_read(d, "/sys/class/dmi/id/sys_vendor"),
               *type = ifd__patient_read(d, "/sys/hypervisor/type"),
               *container = ifd__patient_read(d, "/run/systemd/container"),
               *group = ifd__patient_read(d, "/proc/1/cgroup");
    static const char *const known[] = {"docker", "lxc", "kubepods", "containerd", "libpod"};
    for (size_t i = 0; group && !container && i < sizeof known / sizeof *known; i++)
        container = strstr(group, known[i]) ? known[i] : NULL;
    if (!cpu)
        ifd__row_unread(d, "systemd-detect-virt", "/proc/cpuinfo");
    else if (strstr(cpu, " hypervisor") || type)
        ifd__row(d, IFD_DOCTOR_CHANGE, "use a real machine for a real rig: the host can stop this one", "%s",
                 ifd__patient_join(d, "virtual machine", ", ", type ? type : vendor));
    else if (container)
        ifd__row(d, IFD_DOCTOR_CHANGE, "start the program outside the container", "container, %s", container);
    else
        ifd__row(d, IFD_DOCTOR_FINE, NULL, "none");
}

void ifd__check_steal(ifd__patient *d)
{
    double stolen = ifd__patient_number(d, d->measured, "steal", -1.0);
    if (!d->measured)
        return;
    if (stolen < 0.0)
        ifd__row_unread(d, "grep cpu /proc/stat", "/proc/stat");
    else
        ifd__row(d, ifd__fine_if(!(stolen > 0.0)), "use a real machine: the host gave the core to others", "%g ms",
                 1e3 * stolen);
}

void ifd__check_throttling(ifd__patient *d)
{
    const char *runtime = ifd__patient_read(d, "/proc/sys/kernel/sched_rt_runtime_us"),
               *period = ifd__patient_read(d, "/proc/sys/kernel/sched_rt_period_us");
    if (!runtime || !period)
        ifd__row_unread(d, "sysctl kernel.sched_rt_runtime_us", "/proc/sys/kernel/sched_rt_runtime_us");
    else if (atol(runtime) < 0)
        ifd__row(d, IFD_DOCTOR_NOTE, NULL, "off: nothing can stop a real-time program that does not sleep");
    else
        ifd__row(d, ifd__fine_if(!((double)atol(runtime) < 0.95 * (double)atol(period))),
                 "sysctl kernel.sched_rt_period_us=1000000 kernel.sched_rt_runtime_us=950000", "%s of %s us", runtime,
                 period);
}

/* A setting of the kernel that has a number or one of several words. */
typedef struct setting {
    const char *path, *name, *command;
    long least, most; /* permitted numbers */
    const char
        *words;       /* permitted words instead of numbers, in square brackets as the kernel marks the present one */
    const char *boot; /* word of the kernel command line; NULL: none */
} setting;

static bool permitted(const setting *s, const char *text)
{
    if (!s->words)
        return atol(text) >= s->least && atol(text) <= s->most;
    const char *open = strchr(text, '[');
    size_t length = open ? strcspn(open, "]") + 1 : 0;
    for (const char *w = s->words; length && (w = strchr(w, '[')); w++)
        if (strncmp(w, open, length) == 0)
            return true;
    return false;
}

static const char *present(ifd__patient *d, const char *text)
{
    const char *open = strchr(text, '[');
    return open ? ifd__patient_print(d, "%.*s", (int)strcspn(open + 1, "]"), open + 1) : text;
}

/* Settings that a kernel does not have are absent; the row is unknown if none can be read. */
static void check_settings(ifd__patient *d, int count, const setting *s)
{
    const char *found = "", *advice = "";
    for (int i = 0; i < count; i++) {
        const char *text = ifd__patient_read(d, "%s", s[i].path);
        if (!text)
            continue;
        found = ifd__patient_join(d, found, ", ", ifd__patient_print(d, "%s %s", s[i].name, present(d, text)));
        if (permitted(&s[i], text))
            continue;
        advice = ifd__patient_join(d, advice, "; ", s[i].command);
        if (s[i].boot)
            ifd__row_boot(d, s[i].boot, "");
    }
    if (!*found)
        ifd__row_unread(d, NULL, s[0].path);
    else
        ifd__row(d, ifd__fine_if(!*advice), advice, "%s", found);
}

void ifd__check_kernel_timers(ifd__patient *d)
{
    static const setting rows[] = {
        {"/proc/sys/kernel/timer_migration", "timer_migration", "sysctl kernel.timer_migration=0", 0, 0, NULL, NULL},
        {"/proc/sys/kernel/nmi_watchdog", "nmi_watchdog", "sysctl kernel.nmi_watchdog=0", 0, 0, NULL,
         "nmi_watchdog=0"},
        {"/proc/sys/vm/stat_interval", "stat_interval", "sysctl vm.stat_interval=10", 10, 1000000, NULL, NULL}};
    check_settings(d, (int)(sizeof rows / sizeof *rows), rows);
}

void ifd__check_huge_pages(ifd__patient *d)
{
    static const setting rows[] = {
        {"/sys/kernel/mm/transparent_hugepage/enabled", "huge pages",
         "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled", 0, 0, "[madvise][never]",
         "transparent_hugepage=madvise"},
        {"/sys/kernel/mm/ksm/run", "ksm", "echo 0 > /sys/kernel/mm/ksm/run", 0, 0, NULL, NULL},
        {"/proc/sys/kernel/numa_balancing", "numa_balancing", "sysctl kernel.numa_balancing=0", 0, 0, NULL, NULL}};
    check_settings(d, (int)(sizeof rows / sizeof *rows), rows);
}

void ifd__check_clock_source(ifd__patient *d)
{
#define CLOCKS "/sys/devices/system/clocksource/clocksource0"
    const char *now = ifd__patient_read(d, CLOCKS "/current_clocksource"),
               *all = ifd__patient_read(d, CLOCKS "/available_clocksource");
    if (!now) {
        ifd__row_unread(d, "cat " CLOCKS "/current_clocksource", CLOCKS);
        return;
    }
    bool good = strcmp(now, "tsc") == 0 || strcmp(now, "arch_sys_counter") == 0,
         slow = strcmp(now, "hpet") == 0 || strcmp(now, "acpi_pm") == 0,
         unstable = !good && ifd__patient_number(d, ifd__patient_probe(d, "log"), "unstable", 0.0) != 0.0;
    ifd__row(d, ifd__fine_if(good),
             all && strstr(all, "tsc") && !unstable ? "echo tsc > " CLOCKS "/current_clocksource"
                                                    : "firmware: switch off power saving that stops the tsc",
             "%s%s%s", now, slow ? ", 1 to 2 us for each reading" : "",
             unstable ? "; the kernel marked tsc as unstable" : "");
#undef CLOCKS
}

void ifd__check_synchronised(ifd__patient *d)
{
    const char *answer = ifd__patient_probe(d, "adjtimex"), *clocks = ifd__patient_folder(d, "/sys/class/ptp");
    if (!answer) {
        ifd__row(d, IFD_DOCTOR_UNKNOWN, "chronyc tracking", "adjtimex does not answer");
        return;
    }
    bool tracks = ifd__patient_number(d, answer, "synchronised", 0.0) != 0.0;
    const char *text = ifd__patient_print(d, "%s, error at most %g ms", tracks ? "yes" : "no",
                                          1e-3 * ifd__patient_number(d, answer, "maxerror", 0.0));
    for (const char *c = clocks; c && *c; c += strcspn(c, "\n"), c += *c == '\n') {
        int length = (int)strcspn(c, "\n");
        const char *name = ifd__patient_read(d, "/sys/class/ptp/%.*s/clock_name", length, c);
        text = ifd__patient_print(d, "%s, %.*s %s", text, length, c, name ? name : "");
    }
    ifd__row(d, IFD_DOCTOR_NOTE, tracks ? NULL : "apt-get install linuxptp chrony", "%s", text);
}

void ifd__check_timer_slack(ifd__patient *d)
{
    const char *slack = ifd__patient_read(d, "/proc/self/timerslack_ns");
    if (slack)
        ifd__row(d, IFD_DOCTOR_NOTE, NULL, "%g us", 1e-3 * strtod(slack, NULL));
    else
        ifd__row_unread(d, NULL, "/proc/self/timerslack_ns");
}

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
