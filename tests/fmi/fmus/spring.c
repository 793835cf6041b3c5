/* SPDX-License-Identifier: MIT */
/* A small FMI 2 co-simulation FMU for the tests of the importer, written against the standard's text alone: a spring
 * with a dashpot, y = K u + C w, that sets its output when it steps. FAULT makes one thing wrong at a time. */
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef FAULT
#define FAULT 0
#endif
enum {
    FINE,
    NAN_OUTPUT,
    ERROR_MIDWAY,
    ALLOCATES,
    MISSING,
    CRASHES,
    HANGS,
    LOOKS_AROUND,
    SLEEPS,
    ALLOCATES_AS_TOLD,
    ATTACKS,
    ENDS
};
/* Of keeping and setting a state. */
enum { CRASHES_IN_GET = 20, CRASHES_IN_SET, HANGS_IN_SET, ALLOCATES_IN_GET, OTHER_AFTER_SET };
enum { OK, WARNING, DISCARD, ERROR };

typedef struct {
    void *logger, *(*allocate)(size_t, size_t), (*release)(void *);
} callback;
static const callback *told; /* all instances of this binary are given the same */

typedef struct {
    double u, w, y, k, c;
    int steps;
} model;

const char *fmi2GetVersion(void)
{
    return "2.0";
}
void *fmi2Instantiate(const char *name, int type, const char *guid, const char *where, const void *callbacks,
                      int visible, int logging)
{
    model *m = calloc(1, sizeof *m);
    told = callbacks;
    (void)name, (void)where, (void)visible, (void)logging;
    if (type != 1 || strcmp(guid, "{spring}") != 0)
        return NULL;
    m->k = 30.0;
    return m;
}
void fmi2FreeInstance(model *m)
{
    free(m);
}
int fmi2SetupExperiment(model *m, int a, double b, double start, int c, double d)
{
    (void)m, (void)a, (void)b, (void)start, (void)c, (void)d;
    return OK;
}
int fmi2EnterInitializationMode(model *m)
{
    (void)m;
    return OK;
}
int fmi2ExitInitializationMode(model *m)
{
    m->y = m->k * m->u + m->c * m->w;
    return OK;
}
int fmi2Terminate(model *m)
{
    const char *file = getenv("SPRING_TERMINATED"); /* where it tells that it was asked to */
    FILE *out = file ? fopen(file, "a") : NULL;
    (void)m;
    if (out)
        fclose(out);
    return OK;
}
int fmi2Reset(model *m)
{
    memset(m, 0, sizeof *m);
    m->k = 30.0;
    return OK;
}
static double *at(model *m, unsigned vr)
{
    return vr == 1 ? &m->u : vr == 2 ? &m->w : vr == 3 ? &m->y : vr == 4 ? &m->k : vr == 5 ? &m->c : NULL;
}
int fmi2GetReal(model *m, const unsigned *vr, size_t n, double *v)
{
    for (size_t i = 0; i < n; i++)
        if (!at(m, vr[i]))
            return ERROR;
        else
            v[i] = *at(m, vr[i]);
    return OK;
}
int fmi2SetReal(model *m, const unsigned *vr, size_t n, const double *v)
{
    for (size_t i = 0; i < n; i++)
        if (!at(m, vr[i]) || vr[i] == 3)
            return ERROR;
        else
            *at(m, vr[i]) = v[i];
    return OK;
}
static int open_files(void)
{
    int n = -3; /* the folder itself, . and .. */
    DIR *d = opendir("/proc/self/fd");
    for (; d && readdir(d); n++)
        ;
    closedir(d);
    return n;
}
static int networks(void)
{
    struct if_nameindex *list = if_nameindex();
    int n = 0;
    for (; list && list[n].if_name; n++)
        ;
    if_freenameindex(list);
    return n;
}
/* Ways to end the process that asked for this step; the sum of those that were granted. */
static double attack(void)
{
    int parent = getppid(), end[2], done = 0;
    long handle;
    struct rlimit none = {0, 0};
    done += kill(parent, SIGKILL) == 0;
    done += 2 * (syscall(SYS_tgkill, parent, parent, SIGKILL) == 0);
    done += 4 * (sigqueue(parent, SIGKILL, (union sigval){0}) == 0);
    handle = syscall(SYS_pidfd_open, parent, 0);
    done += 8 * (handle >= 0 && syscall(SYS_pidfd_send_signal, handle, SIGKILL, NULL, 0) == 0);
    done += 16 * (syscall(SYS_prlimit64, parent, RLIMIT_CPU, &none, NULL) == 0);
    done += 32 * (pipe(end) == 0 && fcntl(end[0], F_SETOWN, parent) == 0);
    done += 64 * (setpgid(0, getpgid(parent)) == 0 && kill(0, SIGKILL) == 0);
    done += 128 * (kill(getpid(), 0) != 0); /* its own is its own */
    return done;
}
#if FAULT != 4
int fmi2DoStep(model *m, double now, double h, int flag)
{
    (void)now, (void)h, (void)flag;
    m->steps++;
    m->y = m->k * m->u + m->c * m->w;
    if (FAULT == NAN_OUTPUT && m->steps > 50)
        m->y = NAN;
    if (FAULT == ERROR_MIDWAY && m->steps > 50)
        return ERROR;
    if (FAULT == ENDS && m->steps > 50)
        return DISCARD;
    if (FAULT == ALLOCATES) {
        void *volatile memory = malloc(100); /* volatile: or the compiler leaves both out */
        free(memory);
    }
    if (FAULT == ALLOCATES_AS_TOLD)
        told->release(told->allocate(1, 100));
    if (FAULT == CRASHES && m->steps > 50)
        *(volatile int *)0 = 1;
    while (FAULT == HANGS && m->steps > 50)
        ;
    if (FAULT == SLEEPS && m->steps == 60)
        usleep(300000);
    if (FAULT == LOOKS_AROUND) /* open descriptors, and 1000 times the network interfaces */
        m->y = open_files() + 1e3 * networks();
    if (FAULT == ATTACKS)
        m->y = attack();
    return OK;
}
#endif
int fmi2GetBooleanStatus(model *m, int kind, int *value)
{
    (void)m;
    *value = FAULT == ENDS && kind == 3; /* fmi2Terminated */
    return OK;
}
int fmi2GetFMUstate(model *m, void **s)
{
    if (FAULT == CRASHES_IN_GET)
        *(volatile int *)0 = 1;
    if (FAULT == ALLOCATES_IN_GET) /* as the Reference FMUs do */
        *s = realloc(*s, sizeof *m);
    if (!*s)
        *s = malloc(sizeof *m);
    memcpy(*s, m, sizeof *m);
    return OK;
}
int fmi2SetFMUstate(model *m, void *s)
{
    if (FAULT == CRASHES_IN_SET)
        *(volatile int *)0 = 1;
    while (FAULT == HANGS_IN_SET)
        usleep(1000);
    memcpy(m, s, sizeof *m);
    if (FAULT == OTHER_AFTER_SET)
        m->k *= 1 + 1e-12;
    return OK;
}
int fmi2FreeFMUstate(model *m, void **s)
{
    (void)m;
    free(*s);
    *s = NULL;
    return OK;
}
