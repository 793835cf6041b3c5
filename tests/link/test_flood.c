/* SPDX-License-Identifier: MIT */
/* A flood of mixed valid and invalid datagrams, of which each bound alone permits most: the work of a tick is
 * bounded, with and without a key. */
#include "check.h"

#include <string.h>

#include "link/auth.h"
#include "link/server.h"

enum { TWICE_A_BOUND = 128 }; /* messages of a tick, and one series of invalid ones at its end */

typedef struct flood {
    ifd__port base;
    long taken;
    int run; /* invalid ones before each valid one */
} flood;

static size_t receive(ifd__port *p, uint8_t bytes[IFD__WIRE_SIZE])
{
    flood *f = (flood *)p;
    ifd__message m = {.kind = IFD__WIRE_COMMAND, .session = 7, .sequence = (uint64_t)f->taken, .actuators = 1};
    if (f->taken++ % (f->run + 1) < f->run) {
        memset(bytes, 0x5a, IFD__WIRE_SIZE);
        p->stranger = true;
        return IFD__WIRE_SIZE;
    }
    ifd__wire_encode(&m, bytes);
    return IFD__WIRE_SIZE;
}

static bool send(ifd__port *p, const uint8_t bytes[IFD__WIRE_SIZE], ifd__to to)
{
    (void)p;
    (void)bytes;
    (void)to;
    return true;
}

static const ifd__port_ops ops = {.send = send, .receive = receive};

TEST(the_work_of_a_tick_is_bounded_whatever_the_mixture)
{
    static ifd_rig_server s;
    static ifd__auth seal;
    for (int keyed = 0; keyed < 2; keyed++)
        for (int run = 0; run < 70; run++) {
            flood f = {.base = {.ops = &ops, .open = true, .seal = keyed ? &seal : NULL}, .run = run};
            memset(&s, 0, sizeof s);
            s.stream.port = &f.base;
            s.rig.actuators = 1;
            s.report.state = IFD_RIG_SERVER_FREE;
            ifd__server_hear(&s);
            if (f.taken > TWICE_A_BOUND)
                fail_msg("%d bad ones before each good one: %ld datagrams in one tick", run, f.taken);
            assert_true(f.taken >= 64);
        }
}

TESTS()
