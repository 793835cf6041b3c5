/* SPDX-License-Identifier: MIT */
/* Linked into each test program by tools/mutate: chooses the mutant, runs single test functions of cmocka, and records
 * which blocks of the code were executed. All processes of a test write to the same file. */
#include <dlfcn.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

int ifd_mutant; /* 0: none */
static unsigned char nowhere[BLOCKS + 1];
unsigned char *ifd_reached = nowhere;

typedef int group(const char *, const struct CMUnitTest *, size_t, CMFixtureFunction, CMFixtureFunction);
group _cmocka_run_group_tests;

/* Before all constructors of the program. */
__attribute__((constructor(101))) static void choose(void)
{
    const char *number = getenv("IFD_MUTANT"), *path = getenv("IFD_MUTANT_REACHED");
    ifd_mutant = number ? atoi(number) : 0;
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *shared = mmap(NULL, BLOCKS + 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (shared != MAP_FAILED)
        ifd_reached = shared;
}

static int list(const char *path, const struct CMUnitTest *tests, size_t count)
{
    FILE *f = fopen(path, "a");
    for (size_t i = 0; f && i < count; i++)
        fprintf(f, "%s\n", tests[i].name);
    return f ? fclose(f) : 1;
}

/* IFD_MUTANT_TESTS: positions of test functions, in the order in which they run. If there are several, each has a
 * process of its own, so that none depends on another. */
int _cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction before,
                            CMFixtureFunction after)
{
    static size_t first; /* position of this group's first function in the program */
    group *run = (group *)(intptr_t)dlsym(RTLD_NEXT, "_cmocka_run_group_tests");
    const char *names = getenv("IFD_MUTANT_NAMES"), *chosen = getenv("IFD_MUTANT_TESTS");
    size_t begin = first;
    first += count;
    if (names)
        return list(names, tests, count);
    if (!chosen || !*chosen)
        return run(name, tests, count, before, after);
    for (char *next; *chosen; chosen = *next == ',' ? next + 1 : next) {
        size_t at = (size_t)strtoul(chosen, &next, 10) - begin;
        if (next == chosen)
            abort();
        if (at >= count)
            continue;
        if (chosen == getenv("IFD_MUTANT_TESTS") && !*next)
            return run(name, tests + at, 1, before, after);
        pid_t child = fork();
        if (child == 0)
            exit(run(name, tests + at, 1, before, after));
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return 1;
    }
    return 0;
}
