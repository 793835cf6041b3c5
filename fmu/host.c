/* SPDX-License-Identifier: MIT */
/* The process of one isolated FMU. src/fmi/sandbox.c starts it with shared memory as its only descriptor. It gives
 * up network and descriptors and sets limits before it loads the external code, then executes orders. If it fails,
 * the run sees one failed call. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "filter.h"
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

static void close_all(void)
{
    int nowhere = open("/dev/null", O_RDWR);
    for (int i = 0; i < 3 && nowhere >= 0; i++)
        (void)dup2(nowhere, i);
    closefrom(3);
}

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
    close_all();
    confine(page);
    if (getppid() == page->parent)
        serve(page);
    _exit(0); /* without the exit handlers of the external library */
}
