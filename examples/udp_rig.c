/* SPDX-License-Identifier: MIT */
/* A rig behind UDP without allocation, in one thread (docs/reference/udp-wire.md has every byte). Replace `machine`
 * by your hardware, whose controller needs emergency stop, limits and watchdog of its own.
 *     cc -O2 -o udp_rig udp_rig.c -lm && ./udp_rig PORT TICK WATCHDOG        (s) */
#include <arpa/inet.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 600, ACTUATORS = 1, GREETING = 1, COMMAND, MEASURE, BYE };
enum { WELCOME = 16, BUSY, OTHER_ACTUATORS = 19, OTHER_TICK, HAS_CLOCK = 24 }; /* answers to a greeting */

typedef struct message { /* as it is sent, on a little-endian machine */
    char magic[4];
    uint16_t version, kind;
    uint64_t session, sequence, stamp, echo, tick;
    double time;
    uint32_t word, heartbeat, actuators, aux;
    double a[16], b[16], c[32];
    uint32_t outputs, commanded, zero, crc;
} message;
_Static_assert(sizeof(message) == SIZE, "no padding");
static int line;
static struct sockaddr_in peer, from;
static uint64_t session, sent, newest, echo, heard, answered; /* session 0: no test; heard: ns */
static bool watches, stopped;
static double tick, watchdog, x[ACTUATORS], target[ACTUATORS], force[ACTUATORS];

/* One tick: moves to target, or to rest when stopped, and measures. Here: a lag of 10 ms, a spring of 200 kN/m. */
static void machine(void)
{
    for (int k = 0; k < ACTUATORS; k++) {
        x[k] += stopped ? 0.0 : (target[k] - x[k]) * (1.0 - exp(-tick / 10e-3));
        force[k] = 2e5 * x[k];
    }
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint32_t checksum(const message *m)
{
    uint32_t crc = 0xffffffffu;
    for (int i = 0; i < 8 * (SIZE - 4); i++)
        crc = crc >> 1 ^ ((crc ^ ((const uint8_t *)m)[i / 8] >> i % 8) & 1 ? 0xedb88320u : 0);
    return ~crc;
}

/* heartbeat stays 0: a real rig. Never 1 with a machine behind it. */
static void say(uint16_t kind, uint64_t of, uint32_t word, const struct sockaddr_in *to)
{
    message m = {{'I', 'F', 'R', 'G'}, 3, kind, of, .stamp = now(), .word = word, .actuators = ACTUATORS};
    m.sequence = of == session ? ++sent : 1;
    m.echo = of == session ? echo : 0;
    m.time = kind == GREETING ? tick : kind == MEASURE ? 1e-9 * (double)now() : 0.0;
    m.tick = kind == MEASURE ? answered : 0;
    memcpy(m.a, x, kind == MEASURE ? sizeof x : 0);
    memcpy(m.b, force, kind == MEASURE ? sizeof force : 0);
    m.crc = checksum(&m);
    (void)sendto(line, &m, SIZE, MSG_DONTWAIT, (const struct sockaddr *)to, sizeof *to);
}

static void command(const message *m)
{
    for (int k = 0; k < ACTUATORS && m->commanded && !watches; k++)
        stopped = stopped || !(fabs(m->a[k] - x[k]) <= 1e-3); /* m: a first command far from the position */
    answered = m->tick;
    watches = watches || m->commanded; /* from the first position on */
    memcpy(target, m->a, m->commanded && !stopped ? sizeof target : 0);
}

static void take(const message *m)
{
    bool greets = m->kind == GREETING, bye = m->kind == BYE, other = m->session != session;
    bool busy = session && other && (double)(now() - heard) < 2e9 * watchdog;
    uint32_t word = busy ? BUSY : m->actuators != ACTUATORS ? OTHER_ACTUATORS : m->word & 1 ? HAS_CLOCK : WELCOME;
    word = greets && word == WELCOME && fabs(m->time / tick - 1.0) > 1e-6 ? OTHER_TICK : word;
    if (greets && word == WELCOME && other) {
        peer = from;
        session = m->session;
        sent = newest = answered = watches = stopped = 0;
    }
    if (m->session == session && m->sequence > newest) {
        newest = m->sequence, echo = m->stamp, heard = now();
        if (m->kind == COMMAND)
            command(m);
    }
    if (greets || bye)
        say(m->kind, m->session, greets ? word : 0, &from);
    session = bye && !other ? 0 : session;
}

int main(int count, char **word)
{
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(count == 4 ? word[1] : "0"))};
    socklen_t size = sizeof from;
    message m;
    tick = count == 4 ? atof(word[2]) : 0.0;
    watchdog = count == 4 ? atof(word[3]) : 0.0;
    line = socket(AF_INET, SOCK_DGRAM, 0);
    if (!(tick > 0.0 && watchdog > 0.0) || bind(line, (struct sockaddr *)&own, sizeof own) != 0)
        return 1;
    for (uint64_t due = now();; due += (uint64_t)(1e9 * tick)) {
        struct timespec until = {(time_t)(due / 1000000000), (long)(due % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        for (ssize_t got; (got = recvfrom(line, &m, SIZE, MSG_DONTWAIT, (struct sockaddr *)&from, &size)) > 0;)
            if (got == SIZE && memcmp(&m, "IFRG\3", 6) == 0 && checksum(&m) == m.crc)
                take(&m);
        stopped = stopped || (session && watches && (double)(now() - heard) > 1e9 * watchdog);
        machine();
        if (session)
            say(MEASURE, session, 3 | 4 * stopped, &peer);
    }
}
