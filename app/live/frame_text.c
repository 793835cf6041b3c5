/* SPDX-License-Identifier: MIT */
/* Frames as text. Written into a fixed buffer, as twenty per second during a test would fill an arena. */
#include "frame.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include <interfield/version.h>

typedef struct text {
    char *at;
    size_t used;
} text;

IFD_PRINTF(2, 3) static void put(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(t->at + t->used, FRAME_TEXT - t->used, format, args);
    va_end(args);
    if (length > 0 && t->used + (size_t)length < FRAME_TEXT)
        t->used += (size_t)length;
}

/* After another text. */
static void put_number(text *t, const char *before, double value, int digits)
{
    if (isfinite(value))
        put(t, "%s%.*g", before, digits, value);
    else
        put(t, "%snull", before);
}

static void put_list(text *t, const char *before, const double *value, int count, int digits)
{
    put(t, "%s[", before);
    for (int i = 0; i < count; i++)
        put_number(t, i ? "," : "", value[i], digits);
    put(t, "]");
}

/* Only on hold, with simulated time stopped. */
static void put_rest(text *t, const rest_watch *w, int k)
{
    if (!w->rests)
        return;
    put_number(t, ",\"rest\":{\"began\":", w->began[k], 6);
    put_number(t, ",\"now\":", w->now[k], 6);
    put_number(t, ",\"relaxation\":", rest_relaxation(w, k), 4);
    put_number(t, ",\"noise\":", rest_noise(w, k), 3);
    put(t, "}");
}

static void put_specimens(text *t, const frame *f)
{
    put(t, ",\"specimens\":[");
    for (int k = 0; k < f->plan->specimens; k++) {
        put(t, "%s{\"seen\":[", k ? "," : "");
        for (int v = 0; v < SEEN_COUNT; v++) {
            put_list(t, v ? "," : "", f->seen[k][v], f->samples, 5);
        }
        put_list(t, "],\"shares\":", f->share[k], BAR_COUNT, 3);
        put_list(t, ",\"peaks\":", f->peak[k], BAR_COUNT, 3);
        put_number(t, ",\"delay\":", f->now_delay[k], 3);
        put_number(t, ",\"amplitude\":", f->now_amplitude[k], 4);
        put_rest(t, &f->rest, k);
        put(t, "}");
    }
    put(t, "]");
}

/* An answer with numbers comes with its sentence; those of others are in the event hello. */
int frame_event_print(const frame_event *e, char *out, size_t size)
{
    const ifd_tick_trace t = {.answer = (uint32_t)e->answer, .answer_value = e->value, .answer_limit = e->limit};
    char sentence[320] = "";
    bool numbers = e->state < 0 && strchr(ifd_answer_text((ifd_answer)e->answer), '#');
    if (numbers)
        ifd_answer_print(&t, sentence, sizeof sentence);
    if (e->state < 0)
        return snprintf(out, size, "{\"wall\":%.4f,\"order\":%d,\"answer\":%d%s%s%s}", e->wall, e->order, e->answer,
                        numbers ? ",\"text\":\"" : "", sentence, numbers ? "\"" : "");
    return snprintf(out, size, "{\"wall\":%.4f,\"state\":%d,\"fault\":%d,\"why\":\"%s\"}", e->wall, e->state,
                    e->fault, e->why);
}

size_t frame_write(frame *f, uint64_t now, char *out)
{
    text t = {.at = out};
    put(&t, "data: {\"now\":%llu,\"tick\":%llu,\"wall\":%.4f", (unsigned long long)now, (unsigned long long)f->tick,
        f->now_wall);
    put_number(&t, ",\"time\":", f->now_time, 8);
    put_number(&t, ",\"rate\":", f->now_rate, 4);
    put_number(&t, ",\"age\":", f->now_age, 4);
    put(&t, ",\"state\":%d,\"fault\":%d,\"why\":\"%s\",\"late\":%llu,\"skipped\":%llu,\"dropped\":%llu", f->now_state,
        f->now_fault, f->why, (unsigned long long)f->late_ticks, (unsigned long long)f->skipped,
        (unsigned long long)f->dropped);
    put(&t, ",\"wait\":%d,\"waitOwner\":%d,\"waited\":%.1f", f->now_wait, f->wait_owner, f->waited);
    put_number(&t, ",\"waitValue\":", f->wait_value, 6);
    put(&t, ",\"latest\":%.3g,\"longest\":%.3g,\"row\":%llu", f->late_max, f->duration_max,
        (unsigned long long)f->row);
    put_list(&t, ",\"t\":", f->wall, f->samples, 8);
    put_list(&t, ",\"s\":", f->time, f->samples, 8);
    put_list(&t, ",\"l\":", f->late, f->samples, 3);
    put_list(&t, ",\"d\":", f->duration, f->samples, 3);
    put_specimens(&t, f);
    put(&t, ",\"events\":[");
    for (int i = 0; i < f->events; i++) {
        char one[FRAME_EVENT_TEXT];
        frame_event_print(&f->event[i], one, sizeof one);
        put(&t, "%s%s", i ? "," : "", one);
    }
    put(&t, "]");
    if (f->control)
        put(&t, ",\"control\":\"%s\",\"holder\":%u", f->control, f->holder);
    if (f->cleared)
        put(&t, ",\"clearance\":%s", f->cleared);
    put(&t, "}\n\n");
    f->row += (uint64_t)f->samples;
    f->samples = f->events = 0;
    f->spacing = f->plan->spacing;
    memset(f->share, 0, sizeof f->share);
    return t.used;
}

static const struct {
    const char *name, *unit;
} bars[BAR_COUNT] = {{"stroke", "m"},       {"velocity", "m/s"}, {"acceleration", "m/s²"}, {"force", "N"},
                     {"force rate", "N/s"}, {"tracking", "m"},   {"energy", "J"}};

static void put_tables(ifd_json *j)
{
    static const char *const state_texts[] = {
#define ROW(name, word, text) text,
        IFD_MACHINE_LIST(ROW)
#undef ROW
    };
    ifd_json_list(j, "states");
    for (int k = 0; k < IFD_MACHINE_COUNT; k++) {
        ifd_json_object(j, NULL);
        IFD_JSON_PUT(j, IFD_JSON("name", ifd_machine_name((ifd_machine)k)), IFD_JSON("text", state_texts[k]));
        ifd_json_list(j, "orders");
        for (int o = IFD_ORDER_NONE + 1; o < IFD_ORDER_COUNT; o++)
            if (ifd_order_permitted((ifd_machine)k, (ifd_order)o))
                ifd_json_text(j, NULL, ifd_order_name((ifd_order)o));
        ifd_json_end(j);
        ifd_json_end(j);
    }
    ifd_json_end(j);
    JSON_TEXTS(j, "orders", IFD_ORDER_COUNT, ifd_order_name((ifd_order)k));
    ifd_json_list(j, "answers");
    for (int k = 0; k < IFD_ANSWER_COUNT; k++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("refused", ifd_answer_refuses((ifd_answer)k)),
                        IFD_JSON("text", ifd_answer_text((ifd_answer)k)));
    ifd_json_end(j);
    JSON_TEXTS(j, "faults", IFD_TRIP_COUNT, ifd_trip_text((ifd_trip)k));
    JSON_TEXTS(j, "waits", IFD_WAIT_COUNT, ifd_wait_text((ifd_wait)k));
    JSON_TEXTS(j, "waitNames", IFD_WAIT_COUNT, ifd_wait_name((ifd_wait)k));
    ifd_json_list(j, "bars");
    for (int k = 0; k < BAR_COUNT; k++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("name", bars[k].name), IFD_JSON("unit", bars[k].unit));
    ifd_json_end(j);
}

const char *frame_event_text(ifd_arena *arena, const char *name, const char *json)
{
    char *event = json ? ifd_arena_print(arena, "event: %s\ndata: %s\n\n", name, json) : NULL;
    /* Line ends inside the object are layout only; each would end the data. */
    for (char *p = event ? strchr(event, '\n') + 1 : NULL; p && p[0] && p[2]; p++)
        if (*p == '\n')
            *p = ' ';
    return event;
}

const char *frame_hello(ifd_arena *arena, const frame_plan *plan)
{
    ifd_json j;
    ifd_json_init(&j, arena);
    ifd_json_object(&j, NULL);
    IFD_JSON_PUT(&j, IFD_JSON("interfield", ifd_version()), IFD_JSON("title", plan->title ? plan->title : ""),
                 IFD_JSON("about", plan->about ? plan->about : ""),
                 IFD_JSON("started", plan->started ? plan->started : ""), IFD_JSON("lambda", plan->lambda),
                 IFD_JSON("no_resume", plan->no_resume ? plan->no_resume : ""), IFD_JSON("replay", plan->replay),
                 IFD_JSON("real", plan->real), IFD_JSON("automatic", plan->automatic),
                 IFD_JSON("limited", plan->limited), IFD_JSON("end", plan->end), IFD_JSON("period", plan->period),
                 IFD_JSON("armTimeout", plan->arm_timeout), IFD_JSON("armSpread", plan->arm_spread),
                 IFD_JSON("picture", plan->picture != NULL), IFD_JSON("holdRelaxation", plan->hold_relaxation));
    JSON_TEXTS(&j, "checklist", plan->checks, plan->check[k]);
    put_tables(&j);
    ifd_json_list(&j, "columns");
    for (const ifd_column *c = plan->column; c < plan->column + plan->columns; c++)
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("name", c->name), IFD_JSON("unit", c->unit), IFD_JSON("group", c->group),
                        IFD_JSON("owner", c->owner));
    ifd_json_end(&j);
    ifd_json_list(&j, "specimens");
    for (int k = 0; k < plan->specimens; k++) {
        const ifd_limits *l = &plan->specimen[k].limits;
        const double amount[BAR_COUNT] = {fmax(l->high, -l->low), l->velocity, l->acceleration, l->force,
                                          l->force_rate,          l->tracking, l->energy};
        ifd_json_object(&j, NULL);
        IFD_JSON_PUT(&j, IFD_JSON("name", plan->specimen[k].name), IFD_JSON("turns", plan->specimen[k].turns));
        ifd_json_list(&j, "columns");
        for (int v = 0; v < SEEN_COUNT; v++)
            ifd_json_integer(&j, NULL, plan->specimen[k].column[v]);
        ifd_json_end(&j);
        IFD_JSON_PUT(&j, IFD_JSON("low", l->low), IFD_JSON("high", l->high));
        ifd_json_numbers(&j, "limits", BAR_COUNT, amount);
        ifd_json_end(&j);
    }
    ifd_json_end(&j);
    ifd_json_end(&j);
    return frame_event_text(arena, "hello", ifd_json_done(&j));
}
