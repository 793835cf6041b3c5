/* SPDX-License-Identifier: MIT */
#include "check.h"

#include "faults/injected.h"

#include <string.h>

enum { LOWER, UPPER };

int injected_dice(injected *j, int n)
{
    uint64_t z = j->dice += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (uint64_t)n);
}

double injected_between(injected *j, double low, double high)
{
    return low + (high - low) * (double)injected_dice(j, 1 << 20) * 0x1p-20;
}

/* Variations of a row without a change of the fault: factors on sizes (a position error below the stroke must remain
 * below it), both signs, and the number of ticks for detection; 0: as in the row. */
typedef struct variation {
    ifd_trip fault;
    double least, most;
    bool sides;
    int ticks;
    bool anywhere; /* detection needs no motion: any instant of the state */
} variation;

static const variation variations[] = {
    {IFD_TRIP_POSITION, 0.6, 1e4, true, 1, true},      {IFD_TRIP_VELOCITY, 0.7, 1.5, true, 0, true},
    {IFD_TRIP_ACCELERATION, 1.0, 2.0, true, 0, true},  {IFD_TRIP_FORCE, 0.2, 1e6, true, 1, true},
    {IFD_TRIP_FORCE_RATE, 1.0, 1e3, true, 1, true},    {IFD_TRIP_TRACKING, 1.0, 1.3, true, 0, false},
    {IFD_TRIP_ENERGY, 1.0, 1.2, false, 0, false},      {IFD_TRIP_NOT_FINITE, 1.0, 1.0, true, 1, true},
    {IFD_TRIP_RANGE, 1.0, 1e6, true, 1, true},         {IFD_TRIP_POSE, 1.0, 1.3, false, 0, true},
    {IFD_TRIP_FORCE_ERROR, 1.0, 5.0, true, 0, false},  {IFD_TRIP_STOP_PRESSED, 1.0, 1.0, false, 1, true},
    {IFD_TRIP_HYDRAULICS, 1.0, 1.0, false, 1, true},   {IFD_TRIP_RIG_STOPPED, 1.0, 1.0, false, 1, true},
    {IFD_TRIP_LOST, 1.0, 1.0, false, 0, true},         {IFD_TRIP_STALE, 1.0, 1.0, false, 0, true},
    {IFD_TRIP_NONE, 1.0, 1.0, false, 0, true},         {IFD_TRIP_LATE, 1.0, 4.0, false, 0, true},
    {IFD_TRIP_LATE_JOB, 1.0, 1.0, false, 0, true},     {IFD_TRIP_ORDERED, 1.0, 1.0, false, 0, true},
    {IFD_TRIP_FORCE_STUCK, 1.0, 1.0, false, 0, false}, {IFD_TRIP_FROZEN, 1.0, 1.0, false, 0, false},
    {IFD_TRIP_MASTER_LOST, 1.0, 1.0, false, 0, true},  {IFD_TRIP_MASTER_WRONG, 1.0, 1.0, false, 0, true},
    {IFD_TRIP_MASTER_EARLY, 1.0, 1.0, false, 0, true}, {IFD_TRIP_MASTER_MISMATCH, 1.0, 1.0, false, 0, true},
};

static const variation *variation_of(ifd_trip fault)
{
    static const variation none = {IFD_TRIP_NONE, 1.0, 1.0, false, 0, false};
    for (size_t i = 0; i < COUNT(variations); i++)
        if (variations[i].fault == fault)
            return &variations[i];
    return &none;
}

/* The same fault at the other specimen: its settings, its stroke (100 mm instead of 80). */
static void other_specimen(injected *j)
{
    const fault_row *r = j->row;
    bool two = r->scene == SPRINGS && r->t.who == UPPER && r->channel == UPPER;
    if (!two || injected_dice(j, 2))
        return;
    j->t.who = j->channel = LOWER;
    for (int i = 0; r->set[i]; i++) {
        snprintf(j->text[i], sizeof j->text[i], "%s", r->set[i]);
        char *at = strstr(j->text[i], "specimen.1.");
        if (at)
            at[9] = '0';
        j->set[i] = j->text[i];
    }
    if (r->fault == IFD_TRIP_POSITION || r->fault == IFD_TRIP_FROZEN || r->fault == IFD_TRIP_FORCE_STUCK)
        j->limit = r->limit * 1.25;
}

static void vary(injected *j)
{
    const variation *v = variation_of(j->row->fault);
    double size = v->least * pow(v->most / v->least, injected_between(j, 0.0, 1.0));
    double side = v->sides && injected_dice(j, 2) ? -1.0 : 1.0;
    trouble *t = &j->t;
    t->position *= side * size;
    t->force *= side * (j->row->fault == IFD_TRIP_SOLVER ? 1.0 : size);
    t->drift *= side * size;
    t->late *= size;
    if (j->row->fault == IFD_TRIP_POSITION || j->row->fault == IFD_TRIP_RANGE)
        j->limit *= side;
    if (v->ticks && injected_dice(j, 2))
        t->ticks = v->ticks + injected_dice(j, 150);
    if (j->row->fault == IFD_TRIP_STALE)
        t->ticks = 1 + injected_dice(j, 9);
}

/* Within the state: from its first tick on, and with enough time to observe that the state does not change. */
static int instant(injected *j)
{
    static const int most[FAULT_STATES] = {60, 60, 200, 250, 200, 40, 60, 120};
    const fault_row *r = j->row;
    bool stays = strchr(FAULT_LETTERS, r->ends[j->state]) - FAULT_LETTERS == (int)j->state;
    if (!variation_of(r->fault)->anywhere || r->scene == LOADED || r->scene == REHEARSED || r->scene == REMOTE)
        return -1;
    if (j->state == IFD_MACHINE_HOLD && r->scene == PARTS)
        return -1; /* a substructure computes until simulated time is stopped */
    return injected_dice(j, stays && j->state == IFD_MACHINE_RAMP_OUT ? 10 : most[j->state]);
}

static void draw_row(injected *j)
{
    do
        j->row = &fault_rows[injected_dice(j, fault_row_count)];
    while (j->row->ends[j->state] == '-');
    j->t = j->row->t;
    j->channel = j->row->channel;
    j->limit = j->row->limit;
    for (int i = 0; j->row->set[i]; i++)
        j->set[i] = j->row->set[i];
    other_specimen(j);
    vary(j);
    j->onset = instant(j);
    j->orders = injected_dice(j, 3) ? 0 : injected_dice(j, 200);
    j->second = !injected_dice(j, 4);
}

/* Before arming. Fewer than 10 wrong samples are not accepted anywhere; outside the stroke none are. */
static void draw_place(injected *j)
{
    bool lower = injected_dice(j, 2);
    double side = injected_dice(j, 2) ? -1.0 : 1.0, stroke = lower ? 0.05 : 0.04;
    j->kind = injected_dice(j, 2) ? UNFOUND : OUTSIDE;
    j->set[0] = "test.arm-samples=10";
    j->t.who = lower ? LOWER : UPPER;
    j->t.ticks = j->kind == UNFOUND && injected_dice(j, 2) ? 1 + injected_dice(j, 8) : 0;
    j->t.position = side * (j->t.ticks ? injected_between(j, 0.1, 30.0) : injected_between(j, 1.02, 30.0)) * stroke;
    if (j->kind == OUTSIDE) {
        j->t.position = 0.0;
        j->t.place = side * injected_between(j, 1.02, 1.6) * stroke;
    }
    j->onset = injected_dice(j, 300);
}

/* During the return into the stroke. */
static void draw_return(injected *j)
{
    draw_place(j);
    double stroke = j->t.who == LOWER ? 0.05 : 0.04, side = injected_dice(j, 2) ? -1.0 : 1.0;
    do
        j->row = &fault_rows[injected_dice(j, fault_row_count)];
    while (j->row->scene != SPRINGS || j->row->set[0] || strcmp(j->row->ends, "itttttst") != 0);
    j->kind = RETURNED;
    j->t = (trouble){.who = j->t.who, .place = side * injected_between(j, 1.1, 1.6) * stroke};
    j->strikes = j->row->t;
    j->strikes.who = j->t.who;
    j->strikes.place = j->t.place;
    j->channel = j->row->channel < 0 ? -1 : j->t.who;
    j->limit = j->row->limit;
    j->onset = injected_dice(j, 40);
}

void injected_draw(injected *j, uint64_t seed, long number)
{
    memset(j, 0, sizeof *j);
    j->dice = seed * 1000003u + (uint64_t)number;
    j->state = (ifd_machine)(number % (FAULT_STATES + 1));
    if (j->state == IFD_MACHINE_RETURN)
        draw_return(j);
    else if (j->state == IFD_MACHINE_IDLE && !injected_dice(j, 3))
        draw_place(j);
    else
        draw_row(j);
    const char *what = j->kind == UNFOUND   ? "first samples that are wrong"
                       : j->kind == OUTSIDE ? "a rig outside its stroke"
                                            : j->row->what;
    snprintf(j->words, sizeof j->words,
             "%s, in %s after %d ticks, actuator %d, position %+g, force %+g, drift %+g, late %g, for %ld ticks",
             what, ifd_machine_name(j->state), j->onset, j->t.who, j->t.position, j->t.force, j->t.drift, j->t.late,
             j->t.ticks);
}
