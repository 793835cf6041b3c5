/* SPDX-License-Identifier: MIT */
/* Runs a function in a confined child process. */
#include "sandbox.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <interfield/fmu.h>

static volatile sig_atomic_t below; /* the child */

/* SIGTERM and Ctrl-C end the child; this process then cleans up. */
static void end_child(int number)
{
    (void)number;
    if (below > 0)
        kill(below, SIGKILL);
}

static pid_t fork_below(void)
{
    struct sigaction action = {.sa_handler = end_child, .sa_flags = SA_RESTART};
    sigset_t ends, before;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, &before);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(EXIT_RUN_FAILED);
    } else {
        below = child;
        sigaction(SIGTERM, &action, NULL);
        sigaction(SIGINT, &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return child;
}

/* In the child: a counter that must increase between alarms, and its last value. */
static struct {
    const volatile long *count;
    long last;
    unsigned seconds;
} progress;

static void end_without_progress(int number)
{
    long now = progress.count ? *progress.count : 0;
    if (progress.count && now != progress.last) {
        progress.last = now;
        alarm(progress.seconds);
        return;
    }
    signal(number, SIG_DFL);
    raise(number);
}

void sandbox_watch(const long *count)
{
    if (progress.seconds == 0)
        return; /* not in a child */
    progress.count = count;
    progress.last = count ? *count : 0;
    alarm(progress.seconds);
}

static void confine(unsigned seconds, const int *kept)
{
    bool keeps = kept && dup2(*kept, SANDBOX_KEPT) == SANDBOX_KEPT;
    closefrom(keeps ? SANDBOX_KEPT + 1 : SANDBOX_KEPT);
    if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
        fprintf(stderr, "interfield: the network of the child process could not be disabled: %s\n", strerror(errno));
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* repeated, as unshare can clear it */
    progress.seconds = seconds;
    signal(SIGALRM, end_without_progress);
    sandbox_watch(NULL);
}

int sandbox_run(app *a, int (*what)(app *a, void *self), void *self, unsigned seconds, const int *kept)
{
    const char *base = getenv("TMPDIR");
    char *folder = ifd_fmu_folder(a->arena, "apart");
    if (!folder)
        return app_give_up(a, "no folder can be created in '%s'", base && *base ? base : "/tmp");
    fflush(stdout);
    pid_t child = fork_below();
    if (child == 0) {
        setenv("TMPDIR", folder, 1);
        confine(seconds, kept);
        int exit_status = what(a, self);
        app_put_complaint(a, exit_status);
        fflush(stdout);
        _exit(exit_status);
    }
    int status = 0;
    bool ended = child > 0 && waitpid(child, &status, 0) == child;
    below = 0;
    ifd_fmu_folder_remove(folder);
    if (!ended)
        return app_fail(a, IFD_INTERNAL);
    if (WIFEXITED(status)) {
        a->put = a->put || WEXITSTATUS(status) != EXIT_FINE; /* the child has printed the reason */
        return WEXITSTATUS(status);
    }
    if (WTERMSIG(status) == SIGALRM)
        app_complain(a, "the FMU did not respond within %u s; its child process was ended, and the program continues",
                     seconds);
    else
        app_complain(a, "the FMU crashed its child process (%s); the program continues", strsignal(WTERMSIG(status)));
    return EXIT_RUN_FAILED;
}

/* Steps the FMUs of a test in a child process and judges whether they allocate memory. */

enum { STEPS = 400, PATIENCE = 60 /* s */ };

typedef struct trial {
    const ifd_case *c;
    const ifd_value *file, *parameters;
    double tick;
    ifd_fmu_quality *found; /* shared with the process of the trial */
} trial;

static int try(app *a, void *self)
{
    const trial *t = self;
    ifd_fmu *f;
    const int fd = SANDBOX_KEPT;
    const ifd_fmu_open_options how = {
        .allocate = allocations_calloc, .release = allocations_free, .file = t->file->data ? &fd : NULL};
    ifd_status status = ifd_fmu_open_as(a->arena, t->file->word, &how, &f, &a->note);
    if (status == IFD_OK)
        status = ifd_fmu_preset_text(f, t->parameters->word, &t->parameters->place, &a->note);
    if (status == IFD_OK)
        status = ifd_fmu_begin(f, 0.0, &a->note);
    APP_TRY(a, status);
    ifd_fmu_qualify(f, STEPS, t->tick, 1e-3, allocations_watch(ALLOCATIONS_OF_FMU) ? allocations : NULL, t->found);
    return EXIT_FINE;
}

static bool judge(app *a, const trial *t, const ifd_value *allowed)
{
    const ifd_fmu_quality *q = t->found;
    app_say(a, "fmu", "%s · %ld steps, median %s, worst %s · %ld allocations", t->file->word, q->steps,
            quantity(q->p50, "s").text, quantity(q->worst, "s").text, q->allocations);
    if (q->allocations <= 0 || allowed->number > 0)
        return true;
    ifd_note_add(&a->note, IFD_UNSUPPORTED, &t->file->place,
                 "the FMU '%s' allocates memory during steps, %ld times in %ld steps", t->file->word, q->allocations,
                 q->steps);
    ifd_note_hint(&a->note, "a tick may be delayed by it; add 'allocates: yes' beside 'file' to permit it in a test "
                            "in real time");
    ifd_case_quote(t->c, &a->note);
    (void)app_fail(a, IFD_UNSUPPORTED);
    return false;
}

static bool fits(app *a, const ifd_case *c, const ifd_param *params, const ifd_value *values, double tick)
{
    ifd_fmu_quality *found = mmap(NULL, sizeof *found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (found == MAP_FAILED)
        return app_fail(a, IFD_NO_MEMORY) == EXIT_FINE;
    trial t = {.c = c,
               .file = ifd_param_get(params, values, "file"),
               .parameters = ifd_param_get(params, values, "parameters"),
               .tick = tick,
               .found = found};
    int fd = t.file->data ? (int)*t.file->data : -1;
    bool good = sandbox_run(a, try, &t, PATIENCE, t.file->data ? &fd : NULL) == EXIT_FINE &&
                judge(a, &t, ifd_param_get(params, values, "allocates"));
    (void)munmap(found, sizeof *found);
    return good;
}

bool fmus_fit(app *a, const ifd_case *c, const ifd_hybrid_options *test, double tick)
{
    bool here =
        ifd_rigs_are_virtual(test->rig, test->rig_setup); /* for another rig they only describe its specimens */
    for (int k = 0; here && c->laboratory && k < c->laboratory->actuators; k++) {
        const ifd_virtual_actuator *b = &c->laboratory->actuator[k];
        if (b->specimen == &ifd_fmu_element && !fits(a, c, ifd_fmu_element.params, b->specimen_values, tick))
            return false;
        if (b->actuator == &ifd_fmu_actuator && !fits(a, c, ifd_fmu_actuator.params, b->actuator_values, tick))
            return false;
    }
    return true;
}

/* Counts the memory allocations of a loaded FMU by redirected calls. */

static long calls; /* of one process, for one purpose */

#define COUNTED(type, name, call, ...)                                                                               \
    static type counted_##name(__VA_ARGS__)                                                                          \
    {                                                                                                                \
        calls++;                                                                                                     \
        return call;                                                                                                 \
    }
COUNTED(void *, malloc, malloc(size), size_t size)
COUNTED(void *, realloc, realloc(memory, size), void *memory, size_t size)
COUNTED(void *, aligned, aligned_alloc(alignment, size), size_t alignment, size_t size)
COUNTED(int, posix, posix_memalign(memory, alignment, size), void **memory, size_t alignment, size_t size)
COUNTED(void *, reallocarray, reallocarray(memory, count, size), void *memory, size_t count, size_t size)
COUNTED(char *, strdup, strdup(text), const char *text)
COUNTED(void *, mmap, mmap(at, size, prot, flags, file, offset), void *at, size_t size, int prot, int flags, int file,
        off_t offset)
COUNTED(int, munmap, munmap(where, size), void *where, size_t size)

void *allocations_calloc(size_t count, size_t size)
{
    calls++;
    return calloc(count, size);
}

void allocations_free(void *memory)
{
    calls++;
    free(memory);
}

/* operator new and delete of C++ count as malloc and free. */
static const struct {
    const char *name;
    void (*instead)(void);
} counted[] = {
    {"malloc", (void (*)(void))counted_malloc},         {"calloc", (void (*)(void))allocations_calloc},
    {"realloc", (void (*)(void))counted_realloc},       {"free", (void (*)(void))allocations_free},
    {"aligned_alloc", (void (*)(void))counted_aligned}, {"memalign", (void (*)(void))counted_aligned},
    {"posix_memalign", (void (*)(void))counted_posix},  {"reallocarray", (void (*)(void))counted_reallocarray},
    {"strdup", (void (*)(void))counted_strdup},         {"mmap", (void (*)(void))counted_mmap},
    {"munmap", (void (*)(void))counted_munmap},         {"_Znwm", (void (*)(void))counted_malloc},
    {"_Znam", (void (*)(void))counted_malloc},          {"_ZdlPv", (void (*)(void))allocations_free},
    {"_ZdaPv", (void (*)(void))allocations_free},       {"_ZdlPvm", (void (*)(void))allocations_free},
    {"_ZdaPvm", (void (*)(void))allocations_free}};

typedef struct search {
    const char *holds;
    bool found;
} search;

static void lead(uintptr_t slot, const char *name)
{
    long page = sysconf(_SC_PAGESIZE);
    for (size_t k = 0; k < sizeof counted / sizeof *counted; k++)
        if (strcmp(name, counted[k].name) == 0 &&
            mprotect((void *)(slot & ~(uintptr_t)(page - 1)), (size_t)page, PROT_READ | PROT_WRITE) == 0)
            memcpy((void *)slot, &counted[k].instead, sizeof counted[k].instead);
}

static void lead_all(uintptr_t base, const ElfW(Rela) * rows, size_t bytes, const ElfW(Sym) * symbols,
                     const char *names)
{
    for (size_t i = 0; rows && i < bytes / sizeof *rows; i++) {
        unsigned kind = (unsigned)ELF64_R_TYPE(rows[i].r_info);
        if (kind == R_X86_64_JUMP_SLOT || kind == R_X86_64_GLOB_DAT)
            lead(base + rows[i].r_offset, names + symbols[ELF64_R_SYM(rows[i].r_info)].st_name);
    }
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    search *s = data;
    const ElfW(Dyn) *d = NULL;
    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, s->holds))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    static const int tables[][2] = {{DT_JMPREL, DT_PLTRELSZ}, {DT_RELA, DT_RELASZ}};
    uintptr_t entry[DT_NUM] = {0};
    for (; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag > 0 && d->d_tag < DT_NUM)
            entry[d->d_tag] = d->d_un.d_ptr;
    if (!entry[DT_SYMTAB] || !entry[DT_STRTAB])
        return 0;
    for (int i = 0; i < 2; i++)
        lead_all(info->dlpi_addr, (const ElfW(Rela) *)entry[tables[i][0]], entry[tables[i][1]],
                 (const ElfW(Sym) *)entry[DT_SYMTAB], (const char *)entry[DT_STRTAB]);
    s->found = true;
    return 0;
}

bool allocations_watch(const char *path_holds)
{
    search s = {.holds = path_holds};
    dl_iterate_phdr(visit, &s);
    return s.found;
}

long allocations(void)
{
    return calls;
}
