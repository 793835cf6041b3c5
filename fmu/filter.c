/* SPDX-License-Identifier: MIT */
/* A seccomp filter. A PID namespace would need another process between run and host; a filter needs no privilege. */
#include "filter.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#ifndef NATIVE
bool filter_install(void)
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

bool filter_install(void)
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
