/* SPDX-License-Identifier: MIT */
/* The sentence of the latched fault: fault_text.h. */
#include "hybrid/limits/fault_text.h"

#include <stdio.h>

/* What is lost, and the meaning of the numbers. */
enum {
    SILENT,     /* s, stale-for in s, tick of the last measurement */
    UNANSWERED, /* s, stale-for in s, tick of the last acknowledged command */
    AHEAD,      /* -, acknowledged tick, tick of the last command */
    NUMBERS = 4 /* the first one is one of these; of LATE: ticks, worst in s, late-after in s; of
                 * STIFFNESS: now and of the characterisation, N/m, and the
                 * interface */
};

static bool latched(const ifd_hybrid *h, ifd_trip trip, int who)
{
    const ifd__test_state *t = h->test;
    return t->fault == (double)trip && t->fault_tick == t->tick && t->fault_owner == (double)who;
}

static void keep(ifd_hybrid *h, const double number[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++)
        atomic_store_explicit(&h->fault_number[i], number[i], memory_order_relaxed);
}

void ifd__fault_text_late(ifd_hybrid *h)
{
    bool another = h->gate & IFD_GATE_PERIOD; /* the clock of the rig: no lateness of this program */
    if (latched(h, IFD_TRIP_LATE, -1))
        keep(h, (const double[]){h->test->late, another ? 0.0 : h->test->late_most, h->late_after, 0.0});
}

void ifd__fault_text_lost(ifd_hybrid *h, const ifd__rig_link *rig)
{
    const double now = h->test->tick, sent = (double)h->command.tick, limit = rig->limit * h->period;
    if (!latched(h, IFD_TRIP_LOST, rig->who))
        return;
    if (rig->state->leads > 0.0)
        keep(h, (const double[]){AHEAD, 0.0, sent + rig->state->leads, sent});
    else if (rig->state->stale > rig->limit)
        keep(h, (const double[]){SILENT, rig->state->stale * h->period, limit, now - rig->state->stale});
    else
        keep(h, (const double[]){UNANSWERED, rig->state->silent * h->period, limit, rig->state->acknowledged});
}

void ifd__fault_text_stiffness(ifd_hybrid *h, int k, double now, double characterised)
{
    if (latched(h, IFD_TRIP_STIFFNESS, k))
        keep(h, (const double[]){now, characterised, k, 0.0});
}

/* "3.6 ms" */
static void print_time(double s, char out[32])
{
    snprintf(out, 32,
             s < 0.9995e-3 ? "%.3g us"
             : s < 0.1     ? "%.3g ms"
                           : "%.4g s",
             s < 0.9995e-3 ? 1e6 * s
             : s < 0.1     ? 1e3 * s
                           : s);
}

static void print_late(const double n[NUMBERS], char *out, size_t size)
{
    char worst[32], after[32];
    print_time(n[1], worst);
    print_time(n[2], after);
    snprintf(out, size, "%.0f tick%s late (worst %s, late-after %s): interfield doctor", n[0], n[0] == 1.0 ? "" : "s",
             worst, after);
}

static void print_lost(const ifd_hybrid *h, const double n[NUMBERS], char *out, size_t size)
{
    const char *name = ifd_hybrid_rig_name(h, ifd_hybrid_faulty(h)), *rig = name ? name : h->opt.rig->name;
    char age[32], limit[32];
    print_time(n[1], age);
    print_time(n[2], limit);
    if (n[0] == (double)AHEAD)
        snprintf(out, size, "rig '%s' acknowledges tick %.0f; the last command was tick %.0f", rig, n[2], n[3]);
    else if (n[0] == (double)SILENT)
        snprintf(out, size, "no measurement from rig '%s' for %s (stale-for %s); the last one came at tick %.0f", rig,
                 age, limit, n[3]);
    else
        snprintf(out, size, "rig '%s' measures, but has acknowledged no command since tick %.0f (%s, stale-for %s)",
                 rig, n[3], age, limit);
}

static bool turns(const ifd_hybrid *h, const ifd_interface_options *o)
{
    const ifd_model *m = h->opt.couple ? h->opt.couple->part[o->part].model : h->opt.model;
    int dof = o->to >= 0 ? o->to : o->from;
    ifd_dof_kind kind = m && dof >= 0 ? ifd_model_dof_kind(m, dof) : IFD_DOF_X;
    return kind >= IFD_DOF_RX && kind <= IFD_DOF_RZ;
}

static void print_stiffness(const ifd_hybrid *h, const double n[NUMBERS], char *out, size_t size)
{
    const char *unit = turns(h, h->interface[(int)n[2]].o) ? "N m/rad" : "N/m";
    snprintf(out, size, "stiffness %.4g %s, but %.4g %s was characterised: check the load cell and the specimen",
             n[0], unit, n[1], unit);
}

void ifd_hybrid_fault_print(const ifd_hybrid *h, ifd_trip trip, char *out, size_t size)
{
    double n[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        n[i] = atomic_load_explicit(&h->fault_number[i], memory_order_relaxed);
    if (trip == IFD_TRIP_LATE && n[1] > 0.0)
        print_late(n, out, size);
    else if (trip == IFD_TRIP_LOST && n[2] > 0.0)
        print_lost(h, n, out, size);
    else if (trip == IFD_TRIP_STIFFNESS && n[1] != 0.0)
        print_stiffness(h, n, out, size);
    else
        snprintf(out, size, "%s", ifd_trip_text(trip));
}
