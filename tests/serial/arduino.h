/* SPDX-License-Identifier: MIT */
/* The functions of Arduino that examples/serial_rig.ino uses, on a pseudo-terminal: NAME LINK makes LINK the line. On
 * SIGTERM it prints how late this machine was at most: between two passes, which take a millisecond.
 * The output is a valve whose piston moves half of the way in each measurement, the inputs are its position and its
 * force. */
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string>
#include <termios.h>
#include <time.h>
#include <unistd.h>

typedef uint8_t byte;
enum { INPUT = 0, INPUT_PULLUP = 2, OUTPUT = 1, HIGH = 1, LOW = 0, A0 = 14, A1 = 15 };

static int the_line = -1;
static double the_piston = 512.0, the_valve = 512.0; /* codes of a converter with 10 bits */

static inline unsigned long micros()
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long)((uint64_t)t.tv_sec * 1000000u + (uint64_t)t.tv_nsec / 1000u);
}
static inline unsigned long millis()
{
    return micros() / 1000;
}
static inline void pinMode(int, int)
{
}
/* Contacts to ground: the emergency stop is released and power is on; nobody presses the start button. */
static inline int digitalRead(int line)
{
    return line == 2 || line == 3 ? LOW : HIGH;
}
static inline void digitalWrite(int, int)
{
}
static inline void analogReadResolution(int)
{
}
static inline void analogWriteResolution(int)
{
}
static inline void analogWrite(int, int code)
{
    the_valve = code;
}
static inline int analogRead(int line)
{
    if (line == A0)
        the_piston += 0.5 * (the_valve - the_piston);
    return (int)std::lround(line == A0 ? the_piston : 512.0 + 0.5 * (the_piston - 512.0));
}

struct line_of_this_machine {
    byte buffer[1024];
    int count = 0, at = 0;
    void begin(long)
    {
    }
    /* Waits for at most a millisecond, as the loop of a real one would be busy. */
    int available()
    {
        struct pollfd p = {the_line, POLLIN, 0};
        if (at < count)
            return count - at;
        at = count = 0;
        if (poll(&p, 1, 1) > 0)
            count = (int)::read(the_line, buffer, sizeof buffer);
        count = count < 0 ? 0 : count;
        return count;
    }
    int read()
    {
        return available() > 0 ? buffer[at++] : -1;
    }
    size_t write(const byte *bytes, size_t size)
    {
        return ::write(the_line, bytes, size) == (ssize_t)size ? size : 0;
    }
};
static line_of_this_machine Serial;

/* firmware.cpp tests it. */
struct watchdog_of_this_machine {
    void begin(unsigned long)
    {
    }
    void refresh()
    {
    }
};
static watchdog_of_this_machine WDT;

void setup();
void loop();

static volatile sig_atomic_t the_end = 0;

static void end_it(int)
{
    the_end = 1;
}

int main(int, char **words)
{
    struct termios mode;
    the_line = posix_openpt(O_RDWR | O_NOCTTY);
    if (the_line < 0 || grantpt(the_line) != 0 || unlockpt(the_line) != 0)
        return 1;
    const char *name = ptsname(the_line);
    int other = open(name, O_RDWR | O_NOCTTY); /* stays open: the line survives a program that closes it */
    if (other < 0 || tcgetattr(other, &mode) != 0)
        return 1;
    cfmakeraw(&mode);
    tcsetattr(other, TCSANOW, &mode);
    setup();
    if (symlink(name, words[1]) != 0)
        return 1;
    struct sigaction ends;
    std::memset(&ends, 0, sizeof ends); /* a write that waits is interrupted */
    ends.sa_handler = end_it;
    sigaction(SIGTERM, &ends, NULL);
    unsigned long longest = 0, before = micros();
    while (!the_end) {
        loop();
        const unsigned long now = micros();
        longest = now - before > longest ? now - before : longest;
        before = now;
    }
    std::printf("late by %lu us\n", longest);
    return 0;
}
