/* SPDX-License-Identifier: MIT */
/* The process of one isolated FMU. src/fmi/sandbox.c starts it with shared memory as its only descriptor. It gives
 * up network and descriptors and sets limits before it loads the external code, then executes orders. If it fails,
 * the run sees one failed call. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "fmi/page.h"

enum { LOOK = 50000 /* ns */, NAP = 200000000 /* ns */, SECONDS = 60, ORDERS = 256, FILES = 64 };

static void limit(__rlimit_resource_t what, rlim_t most)
{
    const struct rlimit both = {most, most};
    (void)setrlimit(what, &both);
}

/* 60 s of processor time for any 256 orders: code in an endless loop ends even if the run has ended. */
static void wind_up(void)
{
    struct rusage used;
    struct rlimit cpu;
    if (getrusage(RUSAGE_SELF, &used) != 0 || getrlimit(RLIMIT_CPU, &cpu) != 0)
        return;
    cpu.rlim_cur = (rlim_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec + SECONDS);
    (void)setrlimit(RLIMIT_CPU, &cpu);
}

/* System calls that reach other processes are refused in this process and in those that it makes: signals, limits,
 * priorities, memory and descriptors of others get EPERM. A PID namespace would need another process between run and
 * host; a filter needs no privilege, but PR_SET_NO_NEW_PRIVS. False: the kernel has no filters. */
#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#ifndef NATIVE
static bool filter_install(void)
{
    return false;
}
#else

enum { MOST = 160, X32 = 0x40000000 };

typedef struct program {
    struct sock_filter line[MOST];
    unsigned short count;
} program;

static void put(program *p, uint16_t code, uint32_t k, uint8_t yes, uint8_t no)
{
    if (p->count < MOST)
        p->line[p->count++] = (struct sock_filter){code, yes, no, k};
}

static void load(program *p, size_t offset)
{
    put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void end_with(program *p, uint32_t action)
{
    put(p, BPF_RET | BPF_K, action, 0, 0);
}

static const uint32_t REFUSE = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);

/* With the number of the call loaded: refused whatever its arguments are. */
static void refuse(program *p, long call)
{
    put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1);
    end_with(p, REFUSE);
}

/* Refused unless the argument is this process: its number, and for `zero` 0, which means the caller. */
static void refuse_others(program *p, long call, int argument, bool zero)
{
    put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 5);
    load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument); /* a number of a process has 32 bits */
    put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 2, 0);
    put(p, BPF_JMP | BPF_JEQ | BPF_K, zero ? 0 : (uint32_t)getpid(), 1, 0);
    end_with(p, REFUSE);
    end_with(p, SECCOMP_RET_ALLOW);
}

/* Refused for three values of the second argument. */
static void refuse_commands(program *p, long call, const uint32_t command[3])
{
    put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 6);
    load(p, offsetof(struct seccomp_data, args) + 8);
    put(p, BPF_JMP | BPF_JEQ | BPF_K, command[0], 2, 0);
    put(p, BPF_JMP | BPF_JEQ | BPF_K, command[1], 1, 0);
    put(p, BPF_JMP | BPF_JEQ | BPF_K, command[2], 0, 1);
    end_with(p, REFUSE);
    end_with(p, SECCOMP_RET_ALLOW);
}

static bool filter_install(void)
{
    static const long never[] = {SYS_pidfd_open,
                                 SYS_pidfd_send_signal,
                                 SYS_ptrace,
                                 SYS_process_vm_writev,
                                 SYS_process_vm_readv,
                                 SYS_setpriority,
                                 SYS_move_pages,
                                 SYS_migrate_pages,
                                 SYS_kcmp,
                                 438 /* pidfd_getfd */,
                                 440 /* process_madvise */};
    static const long signals[] = {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo};
    static const long settings[] = {SYS_prlimit64, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setaffinity,
                                    SYS_sched_setattr};
    program p = {.count = 0};
    load(&p, offsetof(struct seccomp_data, arch));
    put(&p, BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0);
    end_with(&p, REFUSE); /* calls of another architecture have other numbers */
    load(&p, offsetof(struct seccomp_data, nr));
    put(&p, BPF_JMP | BPF_JGE | BPF_K, X32, 0, 1);
    end_with(&p, REFUSE);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        refuse(&p, never[i]);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        refuse_others(&p, signals[i], 0, false);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        refuse_others(&p, settings[i], 0, true);
    refuse_commands(&p, SYS_fcntl, (const uint32_t[]){F_SETOWN, F_SETOWN_EX, F_SETSIG}); /* signals of a descriptor */
    refuse_commands(&p, SYS_ioctl, (const uint32_t[]){FIOSETOWN, SIOCSPGRP, TIOCSTI});
    end_with(&p, SECCOMP_RET_ALLOW);
    const struct sock_fprog all = {.len = p.count, .filter = p.line};
    return p.count < MOST && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0) == 0;
}

#endif

static void confine(ifd__fmu_page *page)
{
    page->network_gone = unshare(CLONE_NEWNET) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_NOFILE, FILES);
    limit(RLIMIT_AS, (rlim_t)page->memory);
    wind_up();
    (void)prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    page->filtered = filter_install();
    if (page->dies_with_thread) /* after unshare, which clears it */
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

static bool obey(ifd__fmu_calls *c, ifd__fmu_page *p)
{
#if defined(__SSE2__)
    _mm_setcsr(p->control);
#endif
    ifd__fmu_order order = (ifd__fmu_order)p->ask.order;
    if (order == IFD__FMU_LOAD)
        return ifd__fmu_load(c, &p->binary);
    if (order == IFD__FMU_END) {
        ifd__fmu_unload(c);
        return true;
    }
    bool good = ifd__fmu_obey(c, &p->ask);
    if (order == IFD__FMU_BEGIN)
        p->locked = mlockall(MCL_CURRENT) == 0; /* a step needs no more memory than initialisation */
    return good;
}

static void serve(ifd__fmu_page *page)
{
    static ifd__fmu_calls calls;
    int64_t look = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? LOOK : 0; /* polling on a single core blocks the other side */
    for (uint32_t done = 0;;) {
        if (!ifd__page_wait(&page->asked, done, &page->host_sleeps, look, NAP)) {
            if (getppid() != page->parent)
                return;
            continue;
        }
        done++;
        if (done % ORDERS == 0)
            wind_up();
        bool end = page->ask.order == IFD__FMU_END;
        page->good = obey(&calls, page);
        if (!page->good)
            memcpy(page->why, calls.why, sizeof page->why);
        ifd__page_tell(&page->answered, done, &page->run_sleeps);
        if (end)
            return;
    }
}

int main(void)
{
    ifd__fmu_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, IFD__FMU_PAGE_FILE, 0);
    if (page == MAP_FAILED || page->abi != IFD__FMU_PAGE_ABI) {
        fputs("this is the process of isolated FMUs; the library of interfield starts it\n", stderr);
        return 2;
    }
    int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nowhere >= 0; i++)
        (void)dup2(nowhere, i);
    closefrom(3);
    confine(page);
    if (getppid() == page->parent)
        serve(page);
    _exit(0); /* without the exit handlers of the external library */
}
