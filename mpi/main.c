/* SPDX-License-Identifier: MIT */
/* interfield-mpi: commands that several processes compute together.
 *
 *     mpirun -n 4 interfield-mpi study STUDY
 *     mpirun -n 4 interfield-mpi run CASE
 *     mpirun -n 4 interfield-mpi reduce CASE --out FILE
 *
 * study: rank 0 deals the members out and writes, every process computes. run: every process reads the case and
 * steps its own substructures. reduce: rank 0 computes, and the factors of the full structure are distributed over
 * all processes (MUMPS). Rank 0 prints and records. A process that ends alone ends all others (MPI_Abort), and no
 * result is completed. */
#include "app.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <interfield/version.h>

#include "study.h"
#ifdef IFD_WITH_MUMPS
#include "mumps.h"
#endif

/* Some of the processes that exchange among each other. */
typedef struct group {
    bool *member; /* by rank */
    MPI_Comm comm;
    int members, *counts, *first; /* by member */
} group;

enum { MOST_GROUPS = 4 };

typedef struct processes {
    MPI_Comm comm;
    int rank, ranks;
    int *first; /* by rank: offset of its numbers in one exchange */
    int groups;
    group group[MOST_GROUPS];
} processes;

static void place(processes *p, const int *counts)
{
    for (int r = 0, at = 0; r < p->ranks; at += counts[r], r++)
        p->first[r] = at;
}

static bool share(void *self, const int *counts, double *values)
{
    processes *p = self;
    place(p, counts);
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, values, counts, p->first, MPI_DOUBLE, p->comm) == MPI_SUCCESS;
}

static bool open_group(processes *p, const bool *member, group *g)
{
    size_t n = (size_t)p->ranks;
    MPI_Group everyone, some;
    *g = (group){.member = malloc(n * sizeof *g->member),
                 .counts = malloc(n * sizeof *g->counts),
                 .first = malloc(n * sizeof *g->first)};
    int *list = malloc(n * sizeof *list);
    if (!g->member || !g->counts || !g->first || !list)
        MPI_Abort(p->comm, EXIT_RUN_FAILED);
    memcpy(g->member, member, n * sizeof *member);
    int tag = 0; /* the same for all of them, whatever groups each has opened before */
    for (int r = 0; r < p->ranks; r++)
        if (member[r]) {
            list[g->members++] = r;
            tag = (31 * tag + r + 1) % 32768;
        }
    MPI_Comm_group(p->comm, &everyone);
    MPI_Group_incl(everyone, g->members, list, &some);
    bool ok = MPI_Comm_create_group(p->comm, some, tag, &g->comm) == MPI_SUCCESS;
    MPI_Group_free(&some);
    MPI_Group_free(&everyone);
    free(list);
    return ok;
}

static bool among(void *self, const bool *member, const int *counts, double *values)
{
    processes *p = self;
    int k = 0;
    while (k < p->groups && memcmp(p->group[k].member, member, (size_t)p->ranks * sizeof *member) != 0)
        k++;
    if (k == MOST_GROUPS || (k == p->groups && !open_group(p, member, &p->group[p->groups++])))
        return false;
    group *g = &p->group[k];
    place(p, counts);
    for (int r = 0, m = 0; r < p->ranks; r++)
        if (member[r]) {
            g->counts[m] = counts[r];
            g->first[m++] = p->first[r];
        }
    return MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DOUBLE, values, g->counts, g->first, MPI_DOUBLE, g->comm) ==
           MPI_SUCCESS;
}

static bool gather(void *self, const int *counts, double *values)
{
    processes *p = self;
    place(p, counts);
    bool here = p->rank == 0;
    return MPI_Gatherv(here ? MPI_IN_PLACE : values + p->first[p->rank], counts[p->rank], MPI_DOUBLE, values, counts,
                       p->first, MPI_DOUBLE, 0, p->comm) == MPI_SUCCESS;
}

static int agree(void *self, int mine, int *who)
{
    processes *p = self;
    int in[2] = {mine, p->rank}, out[2] = {mine, p->rank};
    MPI_Allreduce(in, out, 1, MPI_2INT, MPI_MAXLOC, p->comm);
    *who = out[1];
    return out[0];
}

static const char **tell(void *self, ifd_arena *arena, const char *mine)
{
    processes *p = self;
    int length = (int)strlen(mine) + 1, total = 0,
        *lengths = ifd_arena_array(arena, (size_t)p->ranks, sizeof *lengths);
    if (!lengths)
        MPI_Abort(p->comm, EXIT_RUN_FAILED);
    MPI_Gather(&length, 1, MPI_INT, lengths, 1, MPI_INT, 0, p->comm);
    place(p, lengths);
    for (int r = 0; r < p->ranks && p->rank == 0; r++)
        total += lengths[r];
    char *texts = ifd_arena_take(arena, (size_t)total + 1);
    if (!texts)
        MPI_Abort(p->comm, EXIT_RUN_FAILED);
    MPI_Gatherv(mine, length, MPI_CHAR, texts, lengths, p->first, MPI_CHAR, 0, p->comm);
    const char **out = p->rank == 0 ? ifd_arena_array(arena, (size_t)p->ranks, sizeof *out) : NULL;
    for (int r = 0; r < p->ranks && out; r++)
        out[r] = texts + p->first[r];
    return out;
}

static processes world;
static together all;
static int patience = 10; /* s, that a process may end later than another */

/* Commands of all processes, and those in which rank 0 computes and the others hold parts of its factors. */
static const command *const known[] = {
    &command_run,
    &command_study,
#ifdef IFD_WITH_MUMPS
    &command_reduce,
#endif
};

static bool serves(const char *name)
{
    return strcmp(name, "reduce") == 0;
}

static int dispatch(app *a, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0) {
        printf("interfield-mpi %s\n", ifd_version());
        return EXIT_FINE;
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i]->name, name) == 0)
            a->command = known[i];
    if (!a->command) {
        fprintf(stderr,
                "interfield-mpi: %s%s%s\nusage: mpirun -n N interfield-mpi run|study|reduce FILE [OPTION]...\n",
                *name ? "unknown command '" : "no command", name, *name ? "'" : "");
        return EXIT_BAD_INPUT;
    }
    if (!serves(name))
        a->together = &all;
#ifdef IFD_WITH_MUMPS
    else
        ifd_arena_factoriser(a->arena, &mumps_factoriser);
#endif
    return app_execute(a, argc - 2, argv + 2);
}

/* Processes wait for each other without sleep. Where they exceed the cores of a machine, they give the core away
 * between two looks: MPI must know it before it starts. */
static void yield_if_crowded(void)
{
    const char *here = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    if (here && atol(here) > sysconf(_SC_NPROCESSORS_ONLN))
        setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
}

/* MPI ends all processes when one of them dies: it sends SIGTERM to the others. */
static void tell_end(int number)
{
    static const char text[] = "interfield-mpi: another process ended; the run is not complete\n";
    (void)number;
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    _exit(EXIT_RUN_FAILED);
}

/* True if all processes arrive here in time. */
static bool all_arrive(void)
{
    MPI_Request request;
    int done = 0;
    time_t until = time(NULL) + patience;
    MPI_Ibarrier(world.comm, &request);
    while (!done && time(NULL) < until) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return done;
}

static int compute(int argc, char **argv)
{
#ifdef IFD_WITH_MUMPS
    if (argc > 1 && serves(argv[1])) {
        mumps_open(world.comm);
        if (world.rank > 0) {
            mumps_serve();
            return EXIT_FINE;
        }
        int exit_status = app_main(argc, argv, dispatch);
        mumps_close();
        return exit_status;
    }
#endif
    if (argc > 1 && strcmp(argv[1], "study") == 0) {
        study_open(world.comm);
        patience = 3600; /* rank 0 writes the files */
    }
    return app_main(argc, argv, dispatch);
}

int main(int argc, char **argv)
{
    yield_if_crowded();
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return EXIT_RUN_FAILED;
    world.comm = MPI_COMM_WORLD;
    MPI_Comm_rank(world.comm, &world.rank);
    MPI_Comm_size(world.comm, &world.ranks);
    world.first = calloc((size_t)world.ranks, sizeof *world.first);
    if (!world.first)
        MPI_Abort(world.comm, EXIT_RUN_FAILED);
    all = (together){.ranks = {.rank = world.rank,
                               .ranks = world.ranks,
                               .self = &world,
                               .share = share,
                               .gather = gather,
                               .among = among},
                     .agree = agree,
                     .tell = tell,
                     .deal = study_deal,
                     .serve = study_serve};
    if (world.rank == 0)
        signal(SIGTERM, tell_end);
    else if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        MPI_Abort(world.comm, EXIT_RUN_FAILED);
    int exit_status = compute(argc, argv);
    if (study_gone()) { /* MPI would wait for those that have ended */
        if (world.rank == 0)
            fprintf(
                stderr,
                "interfield-mpi: a process did not answer any more; if mpirun waits for it now, Ctrl-C ends it\n");
        fflush(NULL);
        _exit(exit_status);
    }
    if (!all_arrive()) {
        fprintf(stderr, "interfield-mpi: process %d ended alone\n", world.rank);
        MPI_Abort(world.comm, exit_status != EXIT_FINE ? exit_status : EXIT_RUN_FAILED);
    }
    free(world.first);
    MPI_Finalize();
    return exit_status;
}
