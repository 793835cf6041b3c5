/* SPDX-License-Identifier: MIT */
/* interfield channels: present values of the sensors of a rig, without motion. */
#include "terminal.h"
#include "outcome.h"
#include "session/channel_watch.h"
#include "working.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Position of a value in its range; empty without a range. */
static readable bar(const ifd_channel_row *row, double value)
{
    enum { WIDTH = 20 };
    double share = (value - row->low) / (row->high - row->low);
    int at = isfinite(share) ? (int)lround(share * (WIDTH - 1)) : -1;
    readable out = {"["};
    for (int i = 0; i < WIDTH; i++)
        out.text[1 + i] = i == at ? '#' : '-';
    out.text[1 + WIDTH] = ']';
    return row->low < row->high ? out : (readable){""};
}

static void print_all(const channel_watch *l)
{
    int width = 0;
    for (int i = 0; i < l->map->rows; i++)
        width = (int)strlen(l->map->row[i].name) > width ? (int)strlen(l->map->row[i].name) : width;
    for (int i = 0; i < l->map->rows; i++) {
        const ifd_channel_row *row = &l->map->row[i];
        const channel_reading *s = &l->now[i];
        app_print("%-*s %12.6g %-6s +-%9.3g   raw %12.6g  %s%s%s\n", width, row->name, s->mean, row->unit,
                  channel_watch_deviation(s), s->raw, bar(row, s->mean).text,
                  ifd_channel_outside(row, s->mean) ? " OUTSIDE" : "",
                  row->tared ? phrase("  zero offset %.6g, %s", row->zero, row->tared).text : "");
    }
    fflush(stdout);
}

static int put_all(channel_watch *l)
{
    ifd_json j = app_json(l->a);
    IFD_JSON_PUT(&j, IFD_JSON("case", l->c->path), IFD_JSON("rig", l->o.rig->name),
                 IFD_JSON("inputs", (long)l->inputs));
    ifd_json_list(&j, "channels");
    for (int i = 0; i < l->map->rows; i++) {
        const ifd_channel_row *row = &l->map->row[i];
        const channel_reading *s = &l->now[i];
        ifd_json_object(&j, NULL);
        IFD_JSON_PUT(&j, IFD_JSON("name", row->name), IFD_JSON("unit", row->unit), IFD_JSON("value", s->mean),
                     IFD_JSON("raw", s->raw), IFD_JSON("deviation", channel_watch_deviation(s)));
        if (row->low < row->high)
            IFD_JSON_PUT(&j, IFD_JSON("low", row->low), IFD_JSON("high", row->high));
        IFD_JSON_PUT(&j, IFD_JSON("outside", ifd_channel_outside(row, s->mean)), IFD_JSON("zero", row->zero),
                     IFD_JSON("tared", row->tared), IFD_JSON("calibrated", row->calibrated));
        ifd_json_end(&j);
    }
    return app_put_json(l->a, &j, EXIT_FINE);
}

static void watch(channel_watch *l)
{
    bool redraw = terminal_draws(stdout);
    app_catch_interrupts();
    while (!app_stop_asked) {
        print_all(l);
        channel_watch_clear(l);
        channel_watch_collect(l, 0.25, &app_stop_asked);
        if (redraw && !app_stop_asked)
            printf("\033[%dA\033[J", l->map->rows);
    }
}

static int show(void *self)
{
    channel_watch *l = self;
    app *a = l->a;
    channel_watch_collect(l, 0.25, NULL);
    if (!l->heard)
        return app_give_up(a, "the rig '%s' returns no measurements", l->o.rig->name);
    if (a->json)
        return put_all(l);
    app_say(a, "rig", "%s · %d channel%s · %s · no motion%s", l->o.rig->name, l->map->rows, plural(l->map->rows),
            (l->inputs & (IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS | IFD_INPUT_RIG_STOPPED)) ==
                    (IFD_INPUT_NO_STOP | IFD_INPUT_HYDRAULICS)
                ? "emergency stop released, hydraulics on"
                : "emergency stop active, or hydraulics off",
            app_has(a, "--once") ? "" : "; end with Ctrl-C");
    if (app_has(a, "--once") || a->quiet)
        print_all(l);
    else
        watch(l);
    return EXIT_FINE;
}

static int run_command(app *a)
{
    return channel_watch_run(a, sizeof(channel_watch), show);
}

const command command_channels = {
    .name = "channels",
    .words = "CASE",
    .summary = "show the present sensor values of a rig, raw and calibrated",
    .details = "Connects to the rig as a test does; the test stays in the state idle, and no actuator moves. A "
               "case without `channels` shows position and force of every actuator. Ctrl-C ends the display.",
    .options = {{"--once", NULL, "print the values once, averaged over 0.25 s"}, OPTION_SET, OPTION_LOAD},
    .examples = "interfield channels bridge/hybrid --once",
    .see = "zero rig-check channels.md",
    .run = run_command,
    .code = CODE_ASKED,
    .outcomes = OUTCOME_BIT(HUNG),
    .failed = "the rig returns no measurements",
};
