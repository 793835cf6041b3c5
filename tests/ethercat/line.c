/* SPDX-License-Identifier: MIT */
#include "line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

const char line_text[] =
    "devices:\n"
    "  - name: drive\n"
    "    vendor: 0x1234\n"
    "    product: 0xd1\n"
    "    revision: 0x00020000\n"
    "    startup:\n"
    "      - {object: 0x2000:1, bytes: 2, value: 9}\n"
    "    inputs:\n"
    "      - {pdo: 0x1A00}\n"
    "      - {pdo: 0x1A01, entries: [0x603F:0/16]}\n"
    "  - {name: input, vendor: 0x1234, product: 161}\n"
    "axes:\n"
    "  - {device: drive, counts: 1e6, tracking: 20 mm, jump: 1 mm, stroke: [-100 mm, 100 mm], at-end: off}\n"
    "forces:\n"
    "  - {device: input, object: 0x6000:0x11, counts: 2}\n"
    "stop-input: {device: input, object: 0x6010:1}\n"
    "power-input: {device: input, object: 0x6010:2}\n"
    "aux: [late, never, {device: drive, object: 0x6064:0}, side]\n";

const char *line_file(ifd_arena *arena, const char *from, const char *to)
{
    const char *folder = getenv("TMPDIR"), *at = from ? strstr(line_text, from) : line_text;
    char *path = ifd_arena_print(arena, "%s/bus-XXXXXX", folder && *folder ? folder : "/tmp");
    if (!path || !at)
        abort();
    int fd = mkstemp(path);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!out)
        abort();
    if (from)
        fprintf(out, "%.*s%s%s", (int)(at - line_text), line_text, to, at + strlen(from));
    else
        fputs(line_text, out);
    fclose(out);
    return path;
}

ifd_status line_read(ifd_arena *arena, const char *from, const char *to, bus_file *out, ifd_note *note)
{
    const char *path = line_file(arena, from, to);
    ifd_status status = bus_file_read(arena, path, 1e-3, out, note);
    unlink(path);
    out->line.interface = "socket";
    out->line.socket = -1;
    out->line.watchdog = 0.1;
    return status;
}

emulator *line_emulator(int *socket)
{
    int fd[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
        abort();
    *socket = fd[0];
    return emulator_open(fd[1], 1e-3, true);
}

long line_cycles(emulator *e)
{
    emulator_lock(e);
    long cycles = e->cyclic;
    emulator_unlock(e);
    return cycles;
}

void line_cycled(emulator *e, long cyclic)
{
    while (line_cycles(e) < cyclic)
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}
