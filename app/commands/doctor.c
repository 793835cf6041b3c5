/* SPDX-License-Identifier: MIT */
/* interfield doctor: examination of this machine for real time. */
#include "outcome.h"
#include "working.h"

#include <stdlib.h>

#include <interfield/doctor.h>

static void show_progress(void *self, const char *part, double fraction)
{
    status_line *line = self;
    if (status_line_due(line, clock_now()))
        status_line_put(line, "[%s]  %3.0f %%   %s", status_line_bar(fraction, 24).text, 100 * fraction, part);
}

static void print_row(const app *a, const ifd_doctor_row *r)
{
    static const char *const colours[] = {"\033[32m", "\033[36m", "\033[33m", "\033[33m", "\033[1;31m"};
    app_print("  %-22s ", r->what);
    printf("%s%-8s%s", a->colour_out ? colours[r->state] : "", ifd_doctor_state_name(r->state),
           a->colour_out ? "\033[0m" : "");
    app_print("%s", r->found);
    if (r->expected && r->state > IFD_DOCTOR_NOTE)
        app_print("; expected: %s", r->expected);
    if (r->advice)
        app_print("; do: %s", r->advice);
    putchar('\n');
}

static void print_lines(const char *text)
{
    while (*text) {
        int length = 0;
        while (text[length] && text[length] != '\n')
            length++;
        app_print("    %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

static int count(const ifd_doctor *d, ifd_doctor_state state)
{
    int n = 0;
    for (int i = 0; i < d->rows; i++)
        n += d->row[i].state == state;
    return n;
}

static void print_all(const app *a, const ifd_doctor_options *o, const ifd_doctor *d)
{
    app_say(a, "machine", "kernel %s · core %d of the tick · tick %s", d->kernel, d->core,
            quantity(o->tick, "s").text);
    for (int i = 0; i < d->rows; i++)
        print_row(a, &d->row[i]);
    if (*d->boot)
        app_print("words for the kernel command line (GRUB_CMDLINE_LINUX in /etc/default/grub, then update-grub):\n");
    print_lines(d->boot);
    if (*d->limits)
        app_print("file /etc/security/limits.d/realtime.conf (then add the user to the group realtime):\n");
    print_lines(d->limits);
    int changes = count(d, IFD_DOCTOR_CHANGE) + count(d, IFD_DOCTOR_UNFIT);
    app_say(a, "verdict", "%s: %d setting%s to change for real time, %d unknown, %d ok%s", ifd_doctor_verdict(d),
            changes, plural(changes), count(d, IFD_DOCTOR_UNKNOWN), count(d, IFD_DOCTOR_FINE),
            d->measured ? "" : "; wake-ups were not measured");
}

static void put_times(ifd_json *j, const char *key, const ifd_doctor_times *t)
{
    IFD_JSON_OBJECT(j, key, IFD_JSON("count", t->count), IFD_JSON("p50", t->p50), IFD_JSON("p999", t->p999),
                    IFD_JSON("max", t->max));
}

static int put_all(app *a, const ifd_doctor_options *o, const ifd_doctor *d, int exit_status)
{
    ifd_json j = app_json(a);
    IFD_JSON_PUT(&j, IFD_JSON("verdict", ifd_doctor_verdict(d)), IFD_JSON("kernel", d->kernel),
                 IFD_JSON("preempt_rt", d->preempt_rt), IFD_JSON("core", d->core), IFD_JSON("tick", o->tick));
    ifd_json_list(&j, "checks");
    for (int i = 0; i < d->rows; i++)
        IFD_JSON_OBJECT(&j, NULL, IFD_JSON("what", d->row[i].what),
                        IFD_JSON("state", ifd_doctor_state_name(d->row[i].state)), IFD_JSON("found", d->row[i].found),
                        IFD_JSON("expected", d->row[i].expected), IFD_JSON("do", d->row[i].advice));
    ifd_json_end(&j);
    if (d->measured) {
        put_times(&j, "wake_alone", &d->wake[0]);
        put_times(&j, "wake_loaded", &d->wake[1]);
        put_times(&j, "gap_alone", &d->gap[0]);
        put_times(&j, "gap_loaded", &d->gap[1]);
    }
    IFD_JSON_PUT(&j, IFD_JSON("kernel_command_line", d->boot), IFD_JSON("limits", d->limits));
    return app_put_json(a, &j, exit_status);
}

static int run_command(app *a)
{
    ifd_doctor_options o;
    ifd_doctor *d;
    ifd_doctor_defaults(&o);
    o.interface = app_value(a, "--interface");
    o.folder = app_value(a, "--out");
    o.root = getenv("IFD_DOCTOR_ROOT"); /* for tests: the tree of another machine */
    if (!app_integer(a, "--core", 0, 4095, &o.core) || !app_number(a, "--tick", IFD_DIM_TIME, o.tick, &o.tick) ||
        !app_number(a, "--measure", IFD_DIM_TIME, 60.0, &o.measure))
        return EXIT_BAD_INPUT;
    if (!(o.tick >= 1e-5) || !(o.tick <= 0.05))
        return app_refuse(a, "--tick: found %g s, expected 10 us to 50 ms", o.tick);
    if (!(o.measure >= 0.0) || !(o.measure <= 86400.0))
        return app_refuse(a, "--measure: found %g s, expected 0 (nothing is measured) to one day", o.measure);
    status_line line = status_line_begin(a);
    o.progress = show_progress;
    o.self = &line;
    ifd_status status = ifd_doctor_examine(a->arena, &o, &d, &a->note);
    status_line_end(&line);
    APP_TRY(a, status);
    int exit_status = outcome_exit(d->verdict == IFD_DOCTOR_UNFIT    ? OUTCOME_UNFIT
                                   : d->verdict == IFD_DOCTOR_CHANGE ? OUTCOME_TO_DO
                                                                     : OUTCOME_COMPLETED);
    if (a->json)
        return put_all(a, &o, d, exit_status);
    if (app_talks(a))
        print_all(a, &o, d);
    return exit_status;
}

const command command_doctor = {
    .name = "doctor",
    .words = "",
    .summary = "examine this machine for real time, and print what to change",
    .details =
        "Reads the settings of the kernel, of the core of the tick and of the network card, and measures the "
        "lateness of wake-ups, alone and beside a load of its own. Each line contains what was found, what is "
        "expected and the command that changes it, in the order of effect. What cannot be read is unknown, which "
        "counts as something to do. The command changes nothing and needs no privileges.",
    .options =
        {{"--core", "N", "core of the tick (default: the first isolated core, otherwise the last core)"},
         {"--interface", "CARD", "network card of the rig, e.g. eth1 (default: none is examined)"},
         {"--measure", "T",
          "duration of each of the two measurements of wake-ups, in s (default 60; 0: none); gaps take a sixth"},
         {"--tick", "T", "tick of the test, in s (default 0.001)"},
         {"--out", "DIR", "folder of the records, whose disk is examined (default: current folder)"}},
    .examples = "interfield doctor --core 3 --interface eth1\n"
                "interfield doctor --measure 10s --tick 0.5ms",
    .see = "preflight test doctor.md realtime.md",
    .run = run_command,
    .outcomes = OUTCOME_BIT(TO_DO) | OUTCOME_BIT(UNFIT),
};
