/* SPDX-License-Identifier: MIT */
/* The emulated devices of tests/ethercat on a network interface, until SIGTERM: devices vb 1e-3
 * At the end it prints the largest change of a set point in a cycle and the largest change of that, in increments,
 * while the drive was powered. */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../ethercat/emulator.h"

static int raw_socket(const char *interface)
{
    int fd = socket(AF_PACKET, SOCK_RAW, htons(0x88a4)), on = 1;
    struct sockaddr_ll at = {
        .sll_family = AF_PACKET, .sll_protocol = htons(0x88a4), .sll_ifindex = (int)if_nametoindex(interface)};
    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof on);
    return fd >= 0 && bind(fd, (struct sockaddr *)&at, sizeof at) == 0 ? fd : -1;
}

int main(int count, char **words)
{
    sigset_t end;
    int got, fd = count == 3 ? raw_socket(words[1]) : -1;
    long step = 0, change = 0;
    if (fd < 0)
        return 1;
    sigemptyset(&end);
    sigaddset(&end, SIGTERM);
    sigprocmask(SIG_BLOCK, &end, NULL);
    emulator *e = emulator_open(fd, atof(words[2]), false);
    emulator_start(e);
    sigwait(&end, &got);
    emulator_lock(e);
    for (int k = 2; k < e->log_count; k++) {
        const emu_cycle *c = &e->log[k];
        if (!c[0].powered || !c[-1].powered || !c[-2].powered)
            continue;
        long now = labs((long)c[0].target - c[-1].target);
        long turn = labs((long)c[0].target - 2 * (long)c[-1].target + c[-2].target);
        step = now > step ? now : step;
        change = turn > change ? turn : change;
    }
    printf("%d cycles, set points change by %ld, their change by %ld\n", e->log_count, step, change);
    return 0;
}
