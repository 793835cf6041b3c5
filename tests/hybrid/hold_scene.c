/* SPDX-License-Identifier: MIT */
#include "hybrid/hold_scene.h"

#include "check.h"
#include "scratch.h"

#include <interfield/report.h>

#include "hybrid/hybrid.h"
#include "hybrid/pace/scaled.h"

const char *const hold_damper_text =
    "time: {step: 2 ms, end: 10 s}\n"
    "method: lsrt2\n"
    "model: {dofs: [x], mass: [1000], damping: [400], stiffness: [4.0e+4]}\n"
    "initial: {displacement: {x: 10 mm}}\n"
    "specimen:\n"
    "  - name: damper\n"
    "    maxwell: {between: [ground, x], branches: [[60000, 300000]]}\n"
    "    limits: {stroke: 50 mm, velocity: 2 m/s, acceleration: 2000 m/s2, force: 50 kN, tracking: 40 mm}\n"
    "test: {rig: virtual, ramp-in: 0.2 s, settle: 0.05 s, brake: 0.05 s, allow-resume: yes, frozen-for: 200 s}\n";

const ifd_case *hold_read(ifd_arena *arena, const char *text, const char *set)
{
    char folder[SCRATCH_PATH], path[SCRATCH_PATH + 16];
    ifd_note note;
    ifd_case *c = NULL;
    ifd_note_init(&note, arena);
    assert_true(scratch_make(folder));
    snprintf(path, sizeof path, "%s/case.yaml", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    if (ifd_case_read(arena, path, set ? 1 : 0, &set, &c, &note) != IFD_OK)
        ifd_note_print(&note, stderr, false);
    assert_int_equal(scratch_remove(folder), 0);
    assert_non_null(c);
    return c;
}

void hold_tick(scene *s, ifd_order order)
{
    assert_int_equal(s->t.tick(s->t.self, &(ifd_tick_in){.order = order}), IFD_RUN_GOING);
}

/* On hold at rest after 0.3 s of the test, and for `rest` more. */
void hold_of(scene *s, const char *text, const char *set, double rest)
{
    s->arena = ifd_arena_open();
    const ifd_case *c = hold_read(s->arena, text, set);
    assert_int_equal(ifd_hybrid_make(s->arena, c->test, &s->h, NULL), IFD_OK);
    s->t = ifd_hybrid_ticked(s->h);
    for (int i = 0; i < 100000 && ifd_hybrid_time(s->h) < 0.3; i++)
        hold_tick(s, IFD_ORDER_NONE);
    hold_tick(s, IFD_ORDER_HOLD);
    for (int i = 0; i < 10000 && !ifd__time_rests(s->h); i++)
        hold_tick(s, IFD_ORDER_NONE);
    assert_true(ifd__time_rests(s->h));
    s->began = ifd__interface_of(s->h, 0)->measured_f;
    for (double w = 0.0; w < rest; w += ifd_hybrid_period(s->h))
        hold_tick(s, IFD_ORDER_NONE);
    assert_int_equal(ifd_hybrid_state(s->h), IFD_MACHINE_HOLD);
}

void hold_damper(scene *s, const char *set, double rest)
{
    hold_of(s, hold_damper_text, set, rest);
}

ifd_answer hold_resume(scene *s)
{
    hold_tick(s, IFD_ORDER_RESUME);
    return (ifd_answer)s->t.trace(s->t.self)->answer;
}

void hold_end(scene *s)
{
    ifd_hybrid_close(s->h);
    ifd_arena_close(s->arena);
}

void hold_silence(scene *s)
{
    s->h->listened = true;
    s->h->news = false;
}
