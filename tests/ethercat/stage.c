/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <stdlib.h>
#include <unistd.h>

#include "stage.h"

void stage_open(stage *s, const char *from, const char *to)
{
    int socket;
    *s = (stage){.arena = ifd_arena_open(), .emu = line_emulator(&socket), .rig = calloc(1, sizeof *s->rig)};
    s->plug.data = s->rig;
    ifd_note_init(&s->note, s->arena);
    if (line_read(s->arena, from, to, &s->rig->file, &s->note) != IFD_OK)
        fail_msg("%s", s->note.first->text);
    s->rig->file.line.socket = socket;
    s->rig->silent_for = 5;
    s->c.actuators = (uint32_t)s->rig->file.axes;
}

static void cycled(stage *s)
{
    line_cycled(s->emu, (long)s->rig->bus.counts.sent);
}

long stage_warm(stage *s)
{
    emulator_start(s->emu);
    if (bus_rig_open(s->rig, (int)s->c.actuators, 1e-3, &s->note) != IFD_OK)
        return -1;
    for (long k = 1; k < 5000; k++) {
        int ready = ifd_user_rig.warm(&s->plug, &s->note);
        if (ready < 0)
            return -1;
        cycled(s);
        if (ready)
            return k;
    }
    return 0;
}

long stage_enable(stage *s)
{
    long warm = stage_warm(s);
    s->c.outputs = IFD_OUTPUT_ENABLE;
    for (int k = 0; k < 200 && warm > 0; k++)
        if (stage_tick(s, 0.0, false) && s->rig->enabled)
            return warm + k;
    return warm > 0 ? 0 : warm;
}

bool stage_tick(stage *s, double position, bool commanded)
{
    bool fresh = ifd_user_rig.sense(&s->plug, &s->m, NULL);
    s->c.tick++;
    s->c.commanded = commanded;
    s->c.position[0] = position;
    s->c.position[1] = -2.0 * position;
    ifd_user_rig.command(&s->plug, &s->c, NULL);
    cycled(s);
    return fresh;
}

bool stage_sense(stage *s)
{
    bool fresh = ifd_user_rig.sense(&s->plug, &s->m, NULL);
    cycled(s);
    return fresh;
}

void stage_close(stage *s)
{
    if (s->rig->bus.socket >= 0)
        close(s->rig->bus.socket);
    emulator_close(s->emu);
    free(s->rig);
    ifd_arena_close(s->arena);
}

static void judge(const emu_cycle *log, int count, double velocity, double acceleration)
{
    bool powered_once = false;
    for (int k = 2; k < count; k++) {
        if (powered_once && log[k].control & 0x80)
            fail_msg("cycle %d: a reset during the test", k);
        if (!log[k].powered)
            continue;
        if (!powered_once && labs((long)log[k].target - log[k].position) > 2)
            fail_msg("the first target is %d, the position %d", log[k].target, log[k].position);
        powered_once = true;
        double step = (double)log[k].target - log[k - 1].target;
        if (!log[k - 1].powered)
            continue;
        if (fabs(step) > velocity)
            fail_msg("cycle %d: the set point changes by %g increments, at most %g", k, step, velocity);
        double change = step - ((double)log[k - 1].target - log[k - 2].target);
        if (log[k - 2].powered && fabs(change) > acceleration)
            fail_msg("cycle %d: the velocity changes by %g increments per cycle, at most %g", k, change,
                     acceleration);
    }
}

void stage_judge(const stage *s, double velocity, double acceleration)
{
    judge(s->emu->log, s->emu->log_count, velocity, acceleration);
    judge(s->emu->log_second, s->emu->log_count, 2.0 * velocity, 2.0 * acceleration);
}
