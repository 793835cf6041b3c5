/* SPDX-License-Identifier: MIT */
/* Builds the progress line of a test from its records. */
#include "progress.h"

#include <math.h>
#include <string.h>

/* The largest change of a force on hold, from the records. */

void rest_add(rest_watch *w, ifd_machine state, double rate, int channels, const double *force)
{
    bool rests = state == IFD_MACHINE_HOLD && rate == 0;
    for (int k = 0; k < channels; k++) {
        double step = rests && w->rests ? force[k] - w->now[k] : 0;
        w->step[k] = rests ? w->step[k] + step * step : 0;
        w->steps[k] = rests ? w->steps[k] + (step != 0) : 0;
        w->now[k] = force[k];
        w->began[k] = rests && w->rests ? w->began[k] : force[k];
        w->peak[k] = state == IFD_MACHINE_IDLE ? 0 : fmax(w->peak[k], fabs(force[k]));
    }
    w->rests = rests;
}

void rest_judged(rest_watch *w, int k, double relaxation)
{
    w->judged[k] = true;
    w->relaxation[k] = relaxation;
}

/* N: the force that a change of force k is compared with: the force when the hold began, or a tenth of the largest
 * force, as `hold-relaxation` compares it. A share of a force near zero is noise. */
static double rest_compared(const rest_watch *w, int k)
{
    const double least = 0.1;
    return fmax(fabs(w->began[k]), least * w->peak[k]);
}

double rest_relaxation(const rest_watch *w, int k)
{
    double of = rest_compared(w, k);
    if (w->judged[k])
        return w->relaxation[k];
    return of > 0 ? fabs(w->now[k] - w->began[k]) / of : (double)NAN;
}

double rest_noise(const rest_watch *w, int k)
{
    return w->steps[k] > 0 ? sqrt(w->step[k] / (2.0 * (double)w->steps[k])) : 0;
}

test_columns test_columns_find(const ifd_column *column, int count)
{
    return (test_columns){.time = ifd_column_find(column, count, "", IFD_COLUMN_TEST_TIME),
                          .state = ifd_column_find(column, count, "", IFD_COLUMN_TEST_STATE),
                          .rate = ifd_column_find(column, count, "", IFD_COLUMN_TEST_RATE),
                          .age = ifd_column_find(column, count, "", IFD_COLUMN_TEST_AGE),
                          .fault = ifd_column_find(column, count, "", IFD_COLUMN_TEST_FAULT),
                          .commanded = ifd_column_find(column, count, "", IFD_COLUMN_TEST_COMMANDED),
                          .waiting = ifd_column_find(column, count, "", IFD_COLUMN_TEST_WAITING),
                          .waiting_owner = ifd_column_find(column, count, "", IFD_COLUMN_TEST_WAITING_OWNER),
                          .waiting_value = ifd_column_find(column, count, "", IFD_COLUMN_TEST_WAITING_VALUE)};
}

void progress_init(progress *l, const ifd_hybrid *h, const ifd_hybrid_options *o)
{
    int count;
    const ifd_column *channel = ifd_hybrid_columns(h, &count);
    *l = (progress){.h = h, .o = o, .end = o->end, .now_rate = 1};
    l->at = test_columns_find(channel, count);
    for (int k = 0; k < o->interfaces; k++) {
        const char *name = o->interface[k].name;
        l->measured[k] = ifd_column_find(channel, count, name, IFD_COLUMN_INTERFACE_DEFORMATION);
        l->force[k] = ifd_column_find(channel, count, name, IFD_COLUMN_INTERFACE_FORCE);
        l->commanded[k] = ifd_column_find(channel, count, name, IFD_COLUMN_INTERFACE_COMMAND);
        l->tracking[k] = ifd_column_find(channel, count, name, IFD_COLUMN_INTERFACE_TRACKING);
        l->energy[k] = ifd_column_find(channel, count, name, IFD_COLUMN_INTERFACE_ENERGY);
        l->relaxation[k] = ifd_column_find(channel, count, name, IFD_COLUMN_HOLD_RELAXATION);
        l->delay[k] = ifd_column_find(channel, count, name, IFD_COLUMN_INDICATED_DELAY);
    }
}

double record_value(const ifd_tick_record *r, int column)
{
    return column < 0 ? 0 : r->values[column];
}

static void against(progress *l, int channel, const char *what, double amount, double limit)
{
    double share = limit != 0 ? amount / limit : 0; /* an end of the stroke can be at 0 */
    if (share > l->worst_fraction) {
        l->worst_fraction = share;
        l->worst_name = l->o->interface[channel].name;
        l->worst_what = what;
    }
}

/* "   brace 96.2 kN, relaxation 3.8 % (bound 5 %)", of the force that has changed most; without a bound "-3.8 % since
 * the hold". A force near zero when the hold began has no per cent: "   brace 210 N, +208 N since the hold". */
static void show_hold(const progress *l, char *out, size_t size)
{
    int worst = -1;
    double most = -1;
    for (int k = 0; k < l->o->interfaces; k++) {
        double share = rest_relaxation(&l->rest, k);
        if (share > most) {
            most = share;
            worst = k;
        }
    }
    if (worst < 0)
        return;
    double began = l->rest.began[worst], change = l->rest.now[worst] - began;
    text_add(out, size, "   %s %s, ", l->o->interface[worst].name, quantity(l->rest.now[worst], "N").text);
    if (l->rest.judged[worst])
        text_add(out, size, "relaxation %.1f %%", 100 * most);
    else if (fabs(began) >= rest_compared(&l->rest, worst))
        text_add(out, size, "%+.1f %% since the hold", 100 * change / began);
    else
        text_add(out, size, "%s%s since the hold", change >= 0 ? "+" : "", quantity(change, "N").text);
    if (l->o->hold_relaxation > 0)
        text_add(out, size, " (bound %g %%)", 100 * l->o->hold_relaxation);
}

void progress_add(progress *l, const ifd_tick_record *r)
{
    l->now_time = record_value(r, l->at.time);
    l->now_rate = record_value(r, l->at.rate);
    l->now_age = record_value(r, l->at.age);
    ifd_machine before = l->now_state;
    l->now_state = (ifd_machine)(int)record_value(r, l->at.state);
    if (l->now_state != before)
        l->idle_since = (double)r->tick * ifd_hybrid_period(l->h);
    l->waited = (double)r->tick * ifd_hybrid_period(l->h) - l->idle_since;
    l->now_wait = (ifd_wait)(int)record_value(r, l->at.waiting);
    l->wait_owner = (int)record_value(r, l->at.waiting_owner);
    l->wait_value = record_value(r, l->at.waiting_value);
    l->now_fault = (ifd_trip)(int)record_value(r, l->at.fault);
    if (r->trace) {
        l->fault_value = r->trace->fault_value;
        l->fault_limit = r->trace->fault_limit;
    }
    double force[IFD_RIG_ACTUATORS] = {0};
    for (int k = 0; k < l->o->interfaces; k++)
        force[k] = record_value(r, l->force[k]);
    rest_add(&l->rest, l->now_state, l->now_rate, l->o->interfaces, force);
    for (int k = 0; k < l->o->interfaces; k++)
        if (l->relaxation[k] >= 0)
            rest_judged(&l->rest, k, record_value(r, l->relaxation[k]));
    l->worst_delay = 0;
    for (int k = 0; k < l->o->interfaces; k++) {
        const ifd_limits *limits = &l->o->interface[k].limits;
        double x = record_value(r, l->measured[k]), tracking = fabs(record_value(r, l->tracking[k]));
        l->x[k] = x;
        l->f[k] = record_value(r, l->force[k]);
        l->command[k] = record_value(r, l->commanded[k]);
        double delay = record_value(r, l->delay[k]);
        l->worst_tracking = fmax(l->worst_tracking, tracking);
        l->worst_delay = fabs(delay) > fabs(l->worst_delay) ? delay : l->worst_delay;
        against(l, k, "stroke", x, x > 0 ? limits->high : limits->low);
        against(l, k, "force", fabs(l->f[k]), limits->force);
        against(l, k, "tracking", tracking, limits->tracking);
        against(l, k, "energy", fabs(record_value(r, l->energy[k])), limits->energy);
    }
}

/* The most important field first: those at the right are left out where the terminal is too narrow. */
void progress_show(progress *l, const ifd_executor *e, const status_line *line)
{
    char text[800];
    ifd_executor_report r;
    ifd_executor_progress(e, &r);
    snprintf(text, sizeof text, "[%s]  %.1f / %.1f s   %s", status_line_bar(l->now_time / l->end, 16).text,
             l->now_time, l->end, ifd_machine_name(l->now_state));
    if (l->rest.rests)
        show_hold(l, text, sizeof text);
    bool runs = l->now_state == IFD_MACHINE_RUN; /* "   rate 0.25 (lambda 40)   answers 210 ms old" */
    if (runs && l->now_rate < 0.9995)
        text_add(text, sizeof text, "   rate %.3g", l->now_rate);
    if (runs && l->now_rate < 0.9995 && l->now_rate > 0)
        text_add(text, sizeof text, " (lambda %.3g)", l->o->lambda / l->now_rate);
    text_add(text, sizeof text, "   late %ld", r.late_ticks);
    if (r.dropped)
        text_add(text, sizeof text, "   dropped %ld", r.dropped);
    if (l->worst_name)
        text_add(text, sizeof text, "   %s %s %.0f %% of limit", l->worst_name, l->worst_what,
                 100 * l->worst_fraction);
    if (runs && l->at.age >= 0)
        text_add(text, sizeof text, "   answers %s old", quantity(l->now_age, "s").text);
    text_add(text, sizeof text, "   tracking %s   delay %s   p99.9 %s", quantity(l->worst_tracking, "m").text,
             quantity(l->worst_delay, "s").text, quantity(r.late_p999, "s").text);
    status_line_put(line, "%s", text);
    l->worst_tracking = l->worst_fraction = 0;
    l->worst_name = NULL;
}

static void append(char *out, int size, const char *text)
{
    text_add(out, (size_t)size, "%s%s", *out ? " · " : "", text);
}

void granted_print(char *out, int size, const ifd_executor_options *o, const ifd_executor_report *r)
{
    char text[120];
    *out = '\0';
    if (o->period == 0) {
        append(out, size, "not requested: free-running, without a clock");
        return;
    }
    snprintf(text, sizeof text,
             r->fifo ? "FIFO %d granted" : "ordinary scheduling (FIFO %d refused: expect late ticks)", o->priority);
    if (o->deadline)
        append(out, size,
               r->deadline ? "deadline scheduling granted: processor time is reserved in every period"
                           : "deadline scheduling refused");
    if (!r->deadline)
        append(out, size, o->priority ? text : "ordinary scheduling: expect late ticks under load");
    if (o->lock_memory)
        append(out, size, r->locked ? "memory locked" : "memory not locked: a page fault may delay a tick");
    if (r->pinned && o->core >= 0)
        snprintf(text, sizeof text, "core %d%s", o->core,
                 r->isolated ? ", isolated" : " (not isolated: expect rare late ticks)");
    else if (o->core >= 0)
        snprintf(text, sizeof text, "core %d refused%s", o->core,
                 r->deadline ? ": deadline scheduling uses any core" : "");
    else
        snprintf(text, sizeof text, "%s",
                 r->isolated ? "isolated cores" : "any core (not isolated: expect rare late ticks)");
    append(out, size, text);
    if (r->fifo && !r->awake)
        append(out, size, "deep processor sleep states permitted");
}
