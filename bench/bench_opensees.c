/* SPDX-License-Identifier: MIT */
/* Round trips of a client like genericClient of OpenSees: trial (3) and request for force (10) as two messages with
 * Nagle's algorithm, then the reply, on loopback. The specimen is an ideal spring on the virtual rig, free-running:
 * socket, server thread, ten ticks of a complete hybrid test, and back. For comparison the sockets alone: the same
 * messages, answered immediately by a separate thread.
 *
 *     bench_opensees [ROUNDS]      20 000 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <interfield/case.h>
#include <interfield/executor.h>

#include "measure.h"

enum { N = 5 };

#ifndef IFD_SOURCE_DIR
#define IFD_SOURCE_DIR "."
#endif

static int reach(int port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        perror("connect");
        exit(1);
    }
    return fd;
}

static void put(int fd, const double *v)
{
    if (send(fd, v, N * sizeof *v, 0) != (ssize_t)(N * sizeof *v)) {
        perror("send");
        exit(1);
    }
}

static bool get(int fd, double *v)
{
    return recv(fd, v, N * sizeof *v, MSG_WAITALL) == (ssize_t)(N * sizeof *v);
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median in us. */
static double round_trips(int fd, int rounds, const char *what)
{
    double *took = malloc((size_t)rounds * sizeof *took), reply[N];
    for (int k = 0; k < rounds && took; k++) {
        double d = 1e-4 * (k % 200 < 100 ? k % 100 : 100 - k % 100), began = now();
        put(fd, (double[N]){3.0, d, 0.0, 0.0, 0.01 * k});
        put(fd, (double[N]){10.0, d, 0.0, 0.0, 0.01 * k});
        if (!get(fd, reply)) {
            fprintf(stderr, "no reply\n");
            exit(1);
        }
        took[k] = 1e6 * (now() - began);
    }
    if (!took)
        return 0.0;
    qsort(took, (size_t)rounds, sizeof *took, by_size);
    double median = took[rounds / 2];
    printf("%-28s median %6.1f us   99 %% %7.1f us   worst %8.1f us\n", what, median, took[rounds / 100 * 99],
           took[rounds - 1]);
    free(took);
    return median;
}

/* Answers every second message. */
static void *echo(void *listener)
{
    double v[N];
    const int one = 1;
    int fd = accept(*(int *)listener, NULL, NULL);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    while (get(fd, v)) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &one, sizeof one);
        if (v[0] == 10.0)
            put(fd, v);
    }
    close(fd);
    return NULL;
}

static double sockets_alone(int rounds)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pthread_t thread;
    if (bind(listener, (struct sockaddr *)&at, size) != 0 || listen(listener, 1) != 0 ||
        getsockname(listener, (struct sockaddr *)&at, &size) != 0 ||
        pthread_create(&thread, NULL, echo, &listener) != 0)
        exit(1);
    int fd = reach(ntohs(at.sin_port));
    double median = round_trips(fd, rounds, "sockets alone");
    close(fd);
    pthread_join(thread, NULL);
    close(listener);
    return median;
}

static double whole_test(int rounds)
{
    ifd_arena *arena = ifd_arena_open(), *other = ifd_arena_open();
    const char *sets[] = {"test.ramp-in=0.1s", "test.settle=0.01s"};
    const int32_t header[] = {1, 1, 1, 0, 1, 0, 0, 0, 1, 0, N};
    ifd_note note;
    ifd_case *c = NULL;
    ifd_opensees *server = NULL;
    ifd_opensees_report r = {0};
    ifd_hybrid *h = NULL;
    ifd_executor *e = NULL;
    ifd_executor_options o;
    ifd_note_init(&note, arena);
    ifd_status status = ifd_case_read(arena, IFD_SOURCE_DIR "/cases/opensees/sdof.yaml", 2, sets, &c, &note);
    const ifd_remote_options unpaced = {.dofs = 1, .order = 3};
    if (status == IFD_OK)
        status = ifd_remote_make(arena, &unpaced, &c->test->remote, &note);
    if (status == IFD_OK) {
        c->opensees->port = 0;
        status = ifd_opensees_open(other, c->opensees, c->test->remote, &server, &note);
    }
    if (status == IFD_OK)
        status = ifd_hybrid_make(arena, c->test, &h, &note);
    if (status != IFD_OK) {
        fprintf(stderr, "%s\n", note.first ? note.first->text : ifd_status_text(status));
        exit(1);
    }
    ifd_ticked t = ifd_hybrid_ticked(h);
    ifd_executor_defaults(&o);
    o.period = 0;
    o.lossless = false; /* no reader of the records */
    int fd = reach(ifd_opensees_port(server));
    if (send(fd, header, sizeof header, 0) != sizeof header)
        exit(1);
    put(fd, (double[N]){3.0});
    while (!r.ready)
        ifd_opensees_report_now(server, &r);
    status = ifd_executor_open(arena, &o, &t, &e, &note);
    double median = status == IFD_OK ? round_trips(fd, rounds, "a whole test") : 0.0;
    put(fd, (double[N]){99.0});
    close(fd);
    ifd_executor_close(e, NULL);
    ifd_opensees_close(server);
    ifd_hybrid_close(h);
    ifd_arena_close(other);
    ifd_arena_close(arena);
    return median;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 20000;
    if (rounds < 100)
        rounds = 100;
    double bare = sockets_alone(rounds), whole = whole_test(rounds);
    printf("a whole test takes %.1f times the time of its sockets\n", whole / bare);
    return 0;
}
