/* SPDX-License-Identifier: MIT */
/* Every row of the doctor on made-up machines: one tree of files where it is fine, one where it is not, and an empty
 * one, where it is unknown. */
#include "check.h"

#include "fixture.h"
#include "realtime/doctor/doctor.h"
#include "scratch.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU "/sys/devices/system/cpu"
#define RT_LIMITS                                                                                                    \
    "Max locked memory         unlimited            unlimited            bytes\n"                                    \
    "Max realtime priority     95                   95                   \n"
#define NO_LIMITS                                                                                                    \
    "Max locked memory         8388608              8388608              bytes\n"                                    \
    "Max realtime priority     0                    0                    \n"
#define IRQS                                                                                                         \
    "           CPU0 CPU1 CPU2 CPU3\n 24:  1 2 3 4  PCI-MSI 1-edge      nvme0q1\n"                                   \
    " 25:  1 2 3 4  PCI-MSI 2-edge      eth1-rx-0\n 26:  1 2 3 4  PCI-MSI 3-edge      ahci\nLOC: 1 2 3 4\n"

/* Files are "PATH=TEXT" separated by "|". found and advice: part of the row of the bad tree. */
typedef struct scene {
    const char *what, *good, *bad, *found, *advice;
} scene;

static const scene scenes[] = {
    {"wake-up, idle machine", "/probe/measured=wake-alone-max=5e-4 wake-alone-p50=2e-5",
     "/probe/measured=wake-alone-max=5.1e-4 wake-alone-p999=4.9e-4", "51 % of the tick", "overrun: extrapolate"},
    {"wake-up beside a load", "/probe/measured=wake-loaded-max=4.9e-4",
     "/probe/measured=wake-loaded-max=9e-4 wake-loaded-p999=5e-4", "90 %", "extrapolate"},
    {"preemption model",
     "/sys/kernel/realtime=1|/proc/sys/kernel/osrelease=6.1.0-9-rt-amd64|/proc/sys/kernel/version=#1 SMP",
     "/proc/sys/kernel/version=#1 SMP PREEMPT_DYNAMIC|/proc/sys/kernel/osrelease=6.18.44|"
     "/sys/kernel/debug/sched/preempt=none (voluntary) full",
     "6.18 PREEMPT_DYNAMIC, mode voluntary", "linux-image-rt"},
    {"preemption model", "/proc/sys/kernel/version=#1 SMP PREEMPT_RT Debian",
     "/proc/sys/kernel/version=#1 SMP Debian", "unknown", "linux-image-rt"},
    {"virtual machine", "/proc/cpuinfo=flags : fpu vme", "/proc/cpuinfo=flags : fpu hypervisor vme",
     "virtual machine", "real machine"},
    {"virtual machine", "/proc/cpuinfo=x|/proc/1/cgroup=0::/init.scope",
     "/proc/cpuinfo=x|/proc/1/cgroup=0::/docker/7a", "container, docker", "outside"},
    {"stolen time", "/probe/measured=steal=0", "/probe/measured=steal=0.02", "20 ms", "host"},
    {"rights", "/proc/self/limits=" RT_LIMITS "|/probe/rights=fifo=1 mlock=1",
     "/proc/self/limits=" NO_LIMITS "|/probe/rights=fifo=0 mlock=0", "FIFO 80 refused, memory cannot", "limits.d"},
    {"rights", "/proc/self/limits=" NO_LIMITS "|/probe/rights=fifo=1|/proc/self/status=CapEff:\t0000000000804000",
     "/proc/self/limits=" NO_LIMITS "|/probe/rights=fifo=1|/proc/self/status=CapEff:\t0000000000800000",
     "cannot be locked", "memlock|LimitMEMLOCK"},
    {"control group",
     "/proc/self/cgroup=0::/a/b|/sys/fs/cgroup/a/b/cpu.max=max 100000|/sys/fs/cgroup/a/cpu.max=max 100000",
     "/proc/self/cgroup=0::/a/b|/sys/fs/cgroup/a/b/cpu.max=max 100000|/sys/fs/cgroup/a/cpu.max=50000 100000",
     "50000 100000", "CPUQuota="},
    {"control group", "/proc/self/cgroup=1:cpu:/x|/sys/fs/cgroup/cpu/x/cpu.rt_runtime_us=950000",
     "/proc/self/cgroup=1:cpu:/x|/sys/fs/cgroup/cpu/x/cpu.rt_runtime_us=0", "forbids", "cpu.rt_runtime_us"},
    {"control group", "/proc/self/cgroup=0::/|/sys/fs/cgroup/cpuset.cpus.effective=0-3",
     "/proc/self/cgroup=0::/|/sys/fs/cgroup/cpuset.cpus.effective=0-2", "cores 0-2 only", "AllowedCPUs="},
    {"isolation", CPU "/isolated=2-3", CPU "/isolated=0-2", "core 3 is shared", "isolcpus=managed_irq,domain,3"},
    {"isolation", "/proc/cmdline=quiet isolcpus=managed_irq,domain,1,3",
     "/proc/cmdline=quiet isolcpus=managed_irq,domain,1", "shared", "isolcpus"},
    {"isolation",
     CPU "/isolated=|/sys/fs/cgroup/lab.slice/cpuset.cpus.partition=isolated|/sys/fs/cgroup/lab.slice/cpuset.cpus=3",
     CPU "/isolated=|/sys/fs/cgroup/lab.slice/cpuset.cpus.partition=root|/sys/fs/cgroup/lab.slice/cpuset.cpus=3",
     "shared", "isolcpus"},
    {"timer tick", CPU "/nohz_full=3", CPU "/nohz_full=(null)", "on for core 3", "nohz_full=3"},
    {"timer tick", CPU "/nohz_full=3|/probe/measured=timer=9", CPU "/nohz_full=3|/probe/measured=timer=10",
     "10 interrupts", "kernel timers"},
    {"RCU callbacks", "/proc/cmdline=rcu_nocbs=2-3", "/proc/cmdline=rcu_nocbs=2", "on core 3", "rcu_nocbs=3"},
    {"interrupts",
     "/proc/interrupts=" IRQS "|/proc/irq/24/effective_affinity_list=0|/proc/irq/25/effective_affinity_list=3|"
     "/proc/irq/26/smp_affinity_list=0-2",
     "/proc/interrupts=" IRQS "|/proc/irq/24/effective_affinity_list=0|/proc/irq/26/effective_affinity_list=2-3",
     "1 on core 3: 26 ahci", "for i in 26; do echo 0,1,2 >"},
    {"daemons", "/proc/1/comm=systemd|/proc/77/comm=sshd", "/proc/1/comm=systemd|/proc/77/comm=irqbalance",
     "irqbalance", "systemctl disable --now irqbalance"},
    {"daemons",
     "/proc/1/comm=systemd|/proc/77/comm=irqbalance|/etc/default/irqbalance=# x\nIRQBALANCE_BANNED_CPULIST=2-3",
     "/proc/1/comm=systemd|/proc/77/comm=irqbalance|/etc/default/irqbalance=# x\nIRQBALANCE_BANNED_CPULIST=2",
     "irqbalance", "systemctl"},
    {"frequency governor", CPU "/cpu3/cpufreq/scaling_governor=performance",
     CPU "/cpu3/cpufreq/scaling_governor=powersave", "powersave", "cpupower -c 3"},
    {"sleep states", "/probe/awake=writable=0|" CPU "/cpu3/cpuidle/state0/latency=9",
     "/probe/awake=writable=0|" CPU "/cpu3/cpuidle/state0/latency=2|" CPU "/cpu3/cpuidle/state1/latency=10|" CPU
     "/cpu3/cpuidle/state1/name=C1E",
     "C1E, 10 us", "cpu_dma_latency"},
    {"sleep states", "/probe/awake=writable=1|" CPU "/cpu3/cpuidle/state0/latency=99",
     "/probe/awake=writable=0|" CPU "/cpu3/cpuidle/state0/latency=99", "99 us", "udev"},
    {"hyper-threading", CPU "/cpu3/topology/thread_siblings_list=3", CPU "/cpu3/topology/thread_siblings_list=1,3",
     "shares its units with core 1", "smt/control"},
    {"hyper-threading", CPU "/cpu3/topology/thread_siblings_list=3,7", /* 7 is off */
     CPU "/cpu3/topology/thread_siblings_list=2-3", "core 2", "smt/control"},
    {"gaps (firmware, SMI)", "/probe/measured=gap-alone-max=9.9e-6", "/probe/measured=gap-alone-max=1.1e-5",
     "11.0 us", "firmware"},
    {"interrupt thread",
     "/proc/interrupts=" IRQS "|/proc/90/comm=irq/25-eth1-rx|/proc/90/stat=90 (irq/25-eth1 rx) S 2 0 0 0 -1 "
     "0 0 0 0 0 0 0 0 0 -51 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 3 51 1",
     "/proc/interrupts=" IRQS "|/proc/90/comm=irq/25-eth1-rx|/proc/90/stat=90 (irq/25-eth1 rx) S 2 0 0 0 -1 "
     "0 0 0 0 0 0 0 0 0 -51 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 3 50 1",
     "priority 50", "chrt -f -p 90 90"},
    {"network card", "/sys/class/net/eth1/carrier=1|/probe/card=driver=igb rx-usecs=10 gro=0 lro=0 eee=0",
     "/sys/class/net/eth1/carrier=1|/probe/card=driver=igb rx-usecs=11 gro=1 lro=0 eee=1", "rx-usecs 11",
     "ethtool -C eth1 rx-usecs 0; ethtool -K eth1 gro off; ethtool --set-eee eth1 eee off"},
    {"network card", "/sys/class/net/eth1/carrier=1|/probe/card=driver=e1000e",
     "/sys/class/net/eth1/carrier=0|/probe/card=x=1", "no link", "ip link set eth1 up"},
    {"users of the card", "/sys/class/net/eth1/ifindex=2|/proc/1/comm=systemd|/proc/net/route=eth0\t00000000\tx",
     "/sys/class/net/eth1/ifindex=2|/proc/1/comm=systemd|/proc/net/route=eth1\t00000000\tx", "default route",
     "ip route del"},
    {"users of the card",
     "/sys/class/net/eth1/ifindex=2|/proc/1/comm=x|/proc/5/comm=NetworkManager|/proc/net/route=|"
     "/run/NetworkManager/devices/2=[device]\nmanaged=false",
     "/sys/class/net/eth1/ifindex=2|/proc/1/comm=x|/proc/5/comm=NetworkManager|/proc/net/route=", "NetworkManager",
     "nmcli dev set eth1 managed no"},
    {"throttling", "/proc/sys/kernel/sched_rt_runtime_us=950000|/proc/sys/kernel/sched_rt_period_us=1000000",
     "/proc/sys/kernel/sched_rt_runtime_us=500000|/proc/sys/kernel/sched_rt_period_us=1000000", "500000 of",
     "sysctl"},
    {"kernel timers", "/proc/sys/kernel/timer_migration=0|/proc/sys/vm/stat_interval=10",
     "/proc/sys/kernel/timer_migration=1|/proc/sys/vm/stat_interval=9|/proc/sys/kernel/nmi_watchdog=0",
     "nmi_watchdog 0", "sysctl kernel.timer_migration=0; sysctl vm.stat_interval=10"},
    {"memory management",
     "/sys/kernel/mm/transparent_hugepage/enabled=always [madvise] never|/sys/kernel/mm/ksm/run=0",
     "/sys/kernel/mm/transparent_hugepage/enabled=[always] madvise never|/proc/sys/kernel/numa_balancing=1",
     "huge pages always, numa_balancing 1", "transparent_hugepage/enabled; sysctl kernel.numa_balancing=0"},
    {"swap", "/proc/swaps=Filename Type", "/proc/swaps=Filename Type\n/dev/sda2 partition|/proc/sys/vm/swappiness=60",
     "swappiness 60", "swapoff -a"},
    {"clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource=tsc",
     "/sys/devices/system/clocksource/clocksource0/current_clocksource=hpet", "1 to 2 us", "firmware"},
    {"load", "/proc/loadavg=1.99 1 1", "/proc/loadavg=2.00 1 1", "on 4 cores", "end other programs"},
    {"memory", "/proc/meminfo=MemAvailable:    1048577 kB", "/proc/meminfo=MemAvailable:    1048576 kB", "1.0 GiB",
     "end"},
    {"disk of the record", "/probe/disk=network=none sync=0.099", "/probe/disk=network=none sync=0.1", "100.0 ms",
     "faster"},
    {"disk of the record", "/probe/disk=network=none sync=0.01", "/probe/disk=network=nfs sync=0.01", "nfs",
     "local disk"},
};

static void put_file(const char *root, const char *path, const char *text, size_t length)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        (void)mkdir(full, 0700);
        *p = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fputc('\n', file), '\n');
    fclose(file);
}

static void put_tree(const char *root, const char *files)
{
    while (files && *files) {
        char path[256];
        size_t name = strcspn(files, "="), end = strcspn(files, "|");
        snprintf(path, sizeof path, "%.*s", (int)name, files);
        put_file(root, path, files + name + 1, end - name - 1);
        files += end + (files[end] == '|');
    }
}

/* The machine of a tree: core 3 of four, card eth1, tick 1 ms. online: "" for none. */
static ifd_doctor *examine(const char *files, const char *online)
{
    static char root[SCRATCH_PATH];
    ifd_doctor_options o;
    ifd_doctor *d;
    assert_true(scratch_make(root));
    put_tree(root, files);
    if (*online)
        put_tree(root, online);
    ifd_doctor_defaults(&o);
    o.root = root;
    o.core = 3;
    o.interface = "eth1";
    o.measure = 1.0;
    assert_int_equal(ifd_doctor_examine(arena, &o, &d, &note), IFD_OK);
    assert_int_equal(scratch_remove(root), 0);
    return d;
}

static const ifd_doctor_row *row_of(const ifd_doctor *d, const char *what)
{
    for (int i = 0; i < d->rows; i++)
        if (strcmp(d->row[i].what, what) == 0)
            return &d->row[i];
    return NULL;
}

static const char online[] = CPU "/online=0-3";

static bool has_one(const char *text, const char *parts)
{
    char part[120];
    for (; *parts; parts += strcspn(parts, "|"), parts += *parts == '|') {
        snprintf(part, sizeof part, "%.*s", (int)strcspn(parts, "|"), parts);
        if (strstr(text, part))
            return true;
    }
    return false;
}

TEST_IN_ARENA(every_row_is_fine_on_a_good_machine_and_advises_on_a_bad_one)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        const scene *s = &scenes[i];
        const ifd_doctor *good = examine(s->good, online), *bad = examine(s->bad, online);
        const ifd_doctor_row *g = row_of(good, s->what), *b = row_of(bad, s->what);
        assert_non_null(g);
        assert_non_null(b);
        print_message("%s: %s | %s | %s\n", s->what, g->found, b->found, b->advice ? b->advice : "");
        assert_int_equal(g->state, IFD_DOCTOR_FINE);
        assert_null(g->advice);
        assert_int_equal(b->state, IFD_DOCTOR_CHANGE);
        assert_non_null(strstr(b->found, s->found));
        assert_true(has_one(b->advice, s->advice));
    }
}

/* Every row of the table has a scene, except those that only inform. */
TEST_IN_ARENA(every_row_has_a_scene)
{
    static const struct {
        const char *what, *expected;
    } rows[] = {
#define CHECK(name, what, expected) {what, expected},
#include "realtime/doctor/checks.def"
#undef CHECK
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool found = !rows[i].expected;
        for (size_t k = 0; k < sizeof scenes / sizeof *scenes && !found; k++)
            found = strcmp(scenes[k].what, rows[i].what) == 0;
        if (!found)
            print_message("no scene: %s\n", rows[i].what);
        assert_true(found);
    }
}

TEST_IN_ARENA(nothing_is_fine_where_nothing_can_be_read)
{
    const ifd_doctor *d = examine("", "");
    assert_true(d->rows > 15);
    for (int i = 0; i < d->rows; i++) {
        print_message("%s: %s\n", d->row[i].what, d->row[i].found);
        assert_true(d->row[i].state == IFD_DOCTOR_UNKNOWN || strcmp(d->row[i].found, "no link") == 0 ||
                    strncmp(d->row[i].found, "no thread", 9) == 0);
    }
    assert_int_equal(d->verdict, IFD_DOCTOR_CHANGE);
    assert_string_equal(d->kernel, "unknown");
    assert_false(d->measured);
}

TEST_IN_ARENA(interrupts_without_a_core_are_unknown)
{
    const ifd_doctor *d = examine("/proc/interrupts=" IRQS "|/proc/irq/24/smp_affinity_list=0", online);
    assert_int_equal(row_of(d, "interrupts")->state, IFD_DOCTOR_UNKNOWN);
}

TEST_IN_ARENA(rows_that_inform_do_not_decide)
{
    const ifd_doctor *d = examine("/probe/adjtimex=synchronised=1 maxerror=50|" CPU "/intel_pstate/no_turbo=0|"
                                  "/proc/self/timerslack_ns=50000|/proc/sys/kernel/sched_rt_runtime_us=-1|"
                                  "/proc/sys/kernel/sched_rt_period_us=1000000",
                                  online);
    static const char *const what[] = {"clock synchronised", "turbo", "timer slack", "throttling"},
                             *const found[] = {"yes, error at most 0.05 ms", "on: computing", "50 us",
                                               "nothing can stop"};
    for (int i = 0; i < 4; i++) {
        const ifd_doctor_row *r = row_of(d, what[i]);
        assert_int_equal(r->state, IFD_DOCTOR_NOTE);
        assert_non_null(strstr(r->found, found[i]));
    }
}

TEST_IN_ARENA(wake_ups_later_than_half_of_the_tick_are_unfit)
{
    assert_int_equal(examine("/probe/measured=wake-loaded-max=9e-4 wake-loaded-p999=5e-4", online)->verdict,
                     IFD_DOCTOR_CHANGE);
    const ifd_doctor *d = examine("/probe/measured=wake-loaded-max=9e-4 wake-loaded-p999=5.01e-4 "
                                  "wake-loaded-p50=1e-5 wake-loaded-count=60000",
                                  online);
    assert_int_equal(d->verdict, IFD_DOCTOR_UNFIT);
    assert_string_equal(ifd_doctor_verdict(d), "unfit");
    assert_near(d->wake[1].p50, 1e-5, 0.0, "median");
    assert_int_equal(d->wake[1].count, 60000);
}

TEST_IN_ARENA(advice_is_united)
{
    const ifd_doctor *d = examine("/proc/cmdline=quiet|" CPU "/isolated=|" CPU
                                  "/nohz_full=|/proc/self/limits=" NO_LIMITS "|/probe/rights=fifo=0",
                                  online);
    assert_string_equal(d->boot, "isolcpus=managed_irq,domain,3 nohz_full=3 rcu_nocbs=3");
    assert_non_null(strstr(d->limits, "@realtime  -  rtprio   95\n@realtime  -  memlock  unlimited\n"));
    assert_string_equal(examine(CPU "/isolated=3|" CPU "/nohz_full=3|/proc/cmdline=x", online)->boot, "");
}

TEST_IN_ARENA(the_core_is_chosen_and_a_wrong_one_refused)
{
    char root[SCRATCH_PATH];
    ifd_doctor_options o;
    ifd_doctor *d;
    (void)state;
    assert_true(scratch_make(root));
    put_tree(root, CPU "/online=0-3|" CPU "/isolated=2-3|/sys/class/net/eth1/carrier=1");
    ifd_doctor_defaults(&o);
    o.root = root;
    assert_int_equal(ifd_doctor_examine(arena, &o, &d, &note), IFD_OK);
    assert_int_equal(d->core, 2);
    put_tree(root, CPU "/isolated=");
    assert_int_equal(ifd_doctor_examine(arena, &o, &d, &note), IFD_OK);
    assert_int_equal(d->core, 3);
    o.core = 4;
    assert_int_equal(ifd_doctor_examine(arena, &o, &d, &note), IFD_RANGE);
    o.core = 1;
    o.interface = "eth2";
    assert_int_equal(ifd_doctor_examine(arena, &o, &d, &note), IFD_UNKNOWN_NAME);
    assert_int_equal(scratch_remove(root), 0);
}

/* On this machine, whatever it is: the measurement has its numbers, and the progress ends. */
static void measured(void *self, const char *part, double fraction)
{
    double *last = self;
    assert_non_null(part);
    assert_true(fraction >= *last && fraction <= 1.0 + 1e-9);
    *last = fraction;
}

TEST_IN_ARENA(this_machine_is_measured)
{
    ifd_doctor_options o;
    ifd_doctor *d;
    double last = 0.0;
    (void)state;
    ifd_doctor_defaults(&o);
    o.measure = 0.12;
    o.progress = measured;
    o.self = &last;
    o.folder = getenv("TMPDIR");
    assert_int_equal(ifd_doctor_examine(arena, &o, &d, &note), IFD_OK);
    assert_true(d->measured && last > 0.5);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(d->wake[k].count, 120);
        assert_true(d->wake[k].max > 0.0 && d->wake[k].p50 <= d->wake[k].p999 && d->wake[k].p999 <= d->wake[k].max);
    }
    assert_non_null(row_of(d, "wake-up beside a load"));
    char line[120];
    ifd_doctor_kernel(line, sizeof line);
    assert_int_equal(strncmp(line, d->kernel, strlen(d->kernel)), 0);
    assert_int_equal(strstr(line, "expect milliseconds") == NULL, d->preempt_rt);
}

TESTS()
