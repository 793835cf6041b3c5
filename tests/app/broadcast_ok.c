/* SPDX-License-Identifier: MIT */
/* The broadcast of the live page against a transcript of everything that was put: pieces of random length, readers of
 * random greed, some of whom fall behind. */
#include "../../app/live/broadcast.c"

#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 1024, MOST = 1 << 20, READERS = 8 };

static char transcript[MOST], ring[SIZE];
static broadcast f;

static unsigned random_below(unsigned end)
{
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % end;
}

static void fail(const char *what)
{
    printf("FAILED: %s\n", what);
    exit(1);
}

static void put_random(void)
{
    unsigned length = 1 + random_below(200);
    for (unsigned i = 0; i < length; i++)
        transcript[f.head + i] = (char)('a' + random_below(26));
    transcript[f.head] = '\n'; /* begins a piece */
    broadcast_put(&f, transcript + f.head, length);
}

/* True when the reader had fallen behind. */
static int read_some(uint64_t *place)
{
    char out[600];
    uint64_t from = *place;
    size_t length = broadcast_take(&f, place, out, 1 + random_below(sizeof out));
    if (length == BROADCAST_LOST) {
        if (f.head - from <= SIZE)
            fail("a place was lost that is still in the broadcast");
        *place = broadcast_newcomer(&f);
        if (transcript[*place] != '\n' || f.head - *place > SIZE)
            fail("a newcomer does not begin with a whole piece");
        return 1;
    }
    if (*place != from + length || (length == 0) != (from == f.head) || memcmp(out, transcript + from, length) != 0)
        fail("what was read is not what was put");
    return 0;
}

int main(void)
{
    uint64_t place[READERS] = {0};
    int lost = 0;
    broadcast_make(&f, ring, SIZE);
    while (f.head < MOST - 200) {
        put_random();
        for (unsigned k = 0; k < READERS; k++)
            if (random_below(1 + k) == 0)
                lost += read_some(&place[k]);
    }
    if (lost < 10)
        fail("nobody fell behind: this shows nothing");
    puts("readers of the broadcast get the messages, or a notice that messages were lost");
    return 0;
}
