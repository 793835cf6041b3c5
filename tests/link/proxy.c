/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "link/proxy.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os_linux.h"

enum { MOST = 2048 };

typedef struct datagram {
    unsigned char bytes[MOST];
    ssize_t length;
} datagram;

/* One direction: from socket `in` to socket `out`. */
typedef struct way {
    int in, out;
    struct sockaddr_in to;
    datagram kept; /* delivered after the next one; length 0: none */
} way;

static uint64_t seed = 12345;

static int dice(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int)(seed >> 40) % 100;
}

static void pass(const way *w, const datagram *d)
{
    sendto(w->out, d->bytes, (size_t)d->length, 0, (const struct sockaddr *)&w->to, sizeof w->to);
}

static void trouble(way *w, datagram *d, int percent)
{
    int roll = dice();
    if (roll < percent)
        return; /* lost */
    if (roll < 2 * percent)
        d->bytes[dice() % (int)d->length] ^= 4; /* damaged */
    if (roll >= 2 * percent && roll < 3 * percent)
        pass(w, d); /* duplicated */
    if (roll >= 3 * percent && roll < 4 * percent && w->kept.length == 0) {
        w->kept = *d;
        return;
    }
    pass(w, d);
    if (w->kept.length > 0)
        pass(w, &w->kept);
    w->kept.length = 0;
}

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void work(int front, int server, int percent)
{
    int back = socket(AF_INET, SOCK_DGRAM, 0);
    way up = {.in = front, .out = back, .to = loopback(server)}, down = {.in = back, .out = front};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ifd__thread_schedule(75); /* with this right, the network is not slower on a busy machine */
    for (;;) {
        struct pollfd both[2] = {{.fd = front, .events = POLLIN}, {.fd = back, .events = POLLIN}};
        poll(both, 2, -1);
        static datagram d;
        struct sockaddr_in from;
        socklen_t size = sizeof from;
        if (both[0].revents && (d.length = recvfrom(front, d.bytes, MOST, 0, (struct sockaddr *)&from, &size)) > 0) {
            down.to = from;
            trouble(&up, &d, percent);
        }
        if (both[1].revents && (d.length = recv(back, d.bytes, MOST, 0)) > 0)
            trouble(&down, &d, percent);
    }
}

void proxy_open(proxy *p, int server, int percent)
{
    int front = socket(AF_INET, SOCK_DGRAM, 0);
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    assert_int_equal(bind(front, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(front, (struct sockaddr *)&address, &size), 0);
    p->port = ntohs(address.sin_port);
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid == 0)
        work(front, server, percent);
    close(front);
}

void proxy_close(proxy *p)
{
    kill(p->pid, SIGKILL);
    waitpid(p->pid, NULL, 0);
}
