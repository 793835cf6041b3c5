/* SPDX-License-Identifier: MIT */
/* Writes the three files of a certificate. */
#include "record/evidence.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <interfield/json.h>
#include <interfield/report.h>
#include <interfield/version.h>

#include "record/result.h"

static const char *word_of(ifd_verdict v)
{
    return v == IFD_VERDICT_GO ? "ok" : v == IFD_VERDICT_CAUTION ? "CAUTION" : "NO-GO";
}

static void put_checks(ifd_json *j, const ifd_preflight *p)
{
    ifd_json_list(j, "checks");
    for (int i = 0; i < p->checks; i++)
        IFD_JSON_OBJECT(j, NULL, IFD_JSON("topic", p->check[i].topic),
                        IFD_JSON("verdict", ifd_verdict_name(p->check[i].verdict)),
                        IFD_JSON("found", p->check[i].found), IFD_JSON("advice", p->check[i].advice));
    ifd_json_end(j);
}

static void put_reach(ifd_json *j, const char *key, const ifd_reach *r)
{
    IFD_JSON_OBJECT(j, key, IFD_JSON("value", r->value), IFD_JSON("edge", r->found));
}

static void put_margins(ifd_json *j, const ifd_margins *m, bool undecided, double resolution)
{
    IFD_JSON_PUT(j, IFD_JSON("stable", m->stable), IFD_JSON("undecided", undecided),
                 IFD_JSON("resolution", resolution), IFD_JSON("radius", m->radius),
                 IFD_JSON("frequency", m->frequency), IFD_JSON("damping", m->damping),
                 IFD_JSON("perfect_damping", m->perfect_damping));
    if (!m->stable)
        return;
    put_reach(j, "extra_delay", &m->delay);
    put_reach(j, "gain", &m->gain);
    put_reach(j, "stiffer", &m->stiffer);
    put_reach(j, "softer", &m->softer);
    put_reach(j, "heavier", &m->heavier);
    put_reach(j, "together", &m->together);
}

/* The loop with the initial stiffness of its specimens; the loop with the secant stiffness is a member of it. */
static void put_loop(ifd_json *j, const ifd_preflight *p)
{
    ifd_json_object(j, "loop");
    IFD_JSON_PUT(j, IFD_JSON("examined", p->examined), IFD_JSON("states", p->states), IFD_JSON("linear", p->linear));
    put_margins(j, &p->initial, p->undecided, p->resolution);
    IFD_JSON_PUT(j, IFD_JSON("stable_on_a_perfect_rig", p->stable_perfect),
                 IFD_JSON("together_delay", p->together_delay));
    if (!p->initial.stable)
        IFD_JSON_PUT(j, IFD_JSON("pure_delay", p->pure_delay), IFD_JSON("stable_step", p->stable_step));
    if (p->corners) {
        ifd_json_object(j, "copies");
        IFD_JSON_PUT(j, IFD_JSON("corners", p->corners), IFD_JSON("softest", p->corner_softest),
                     IFD_JSON("stiffest", p->corner_stiffest), IFD_JSON("stable", p->corners_stable),
                     IFD_JSON("radius", p->corners_radius));
        if (p->corners_stable)
            put_reach(j, "extra_delay", &p->corners_delay);
        ifd_json_end(j);
    }
    if (!p->linear) {
        ifd_json_object(j, "secant");
        put_margins(j, &p->secant, p->undecided_secant, p->resolution_secant);
        ifd_json_end(j);
    }
    ifd_json_end(j);
}

static void put_channels(ifd_json *j, const ifd_preflight *p)
{
    ifd_json_object(j, "predicted");
    for (int k = 0; k < p->interfaces; k++) {
        const ifd_preflight_interface *c = &p->interface[k];
        IFD_JSON_OBJECT(j, c->name, IFD_JSON("assumed_delay", c->assumed), IFD_JSON("stiffness", c->stiffness),
                        IFD_JSON("secant_stiffness", c->secant), IFD_JSON("secant_damping", c->viscous),
                        IFD_JSON("linear", c->linear), IFD_JSON("low", c->low), IFD_JSON("high", c->high),
                        IFD_JSON("velocity", c->velocity), IFD_JSON("acceleration", c->acceleration),
                        IFD_JSON("force", c->force), IFD_JSON("force_rate", c->force_rate),
                        IFD_JSON("tracking", c->tracking), IFD_JSON("delay", c->delay),
                        IFD_JSON("amplitude", c->amplitude));
    }
    ifd_json_end(j);
}

static void put_run(ifd_json *j, const ifd_preflight *p)
{
    IFD_JSON_OBJECT(j, "dry_run", IFD_JSON("finished", p->finished), IFD_JSON("time", p->reached),
                    IFD_JSON("trip", p->trip.trip == IFD_TRIP_NONE ? NULL : ifd_trip_name(p->trip.trip)),
                    IFD_JSON("ticks", p->ticks), IFD_JSON("held_back", p->governed),
                    IFD_JSON("error_peak", p->error_peak), IFD_JSON("error_rms", p->error_rms),
                    IFD_JSON("error_bound", p->error_bound));
    IFD_JSON_OBJECT(j, "machine", IFD_JSON("period", p->period), IFD_JSON("tick_p99", p->tick_p99),
                    IFD_JSON("tick_max", p->tick_max), IFD_JSON("fifo", p->granted.fifo),
                    IFD_JSON("locked", p->granted.locked), IFD_JSON("isolated", p->granted.isolated),
                    IFD_JSON("late_max", p->granted.late_max), IFD_JSON("bytes_per_second", p->rate),
                    IFD_JSON("bytes", p->bytes));
}

/* The data of a page. */
typedef struct source {
    const ifd_case *c;
    const ifd_preflight *p;
    const ifd_certificate *of;
} source;

static const char *as_json(ifd_arena *arena, const source *s)
{
    const ifd_preflight *p = s->p;
    const ifd_certificate *of = s->of;
    ifd_json j;
    ifd_json_init(&j, arena);
    ifd_json_object(&j, NULL);
    IFD_JSON_PUT(&j, IFD_JSON("schema", 1), IFD_JSON("interfield", ifd_version()),
                 IFD_JSON("certificate", of->number), IFD_JSON("verdict", ifd_verdict_name(of->verdict)),
                 IFD_JSON("made", of->made), IFD_JSON("title", s->c->title), IFD_JSON("rig", s->c->test->rig->name));
    ifd_json_object(&j, "holds_for");
    for (int i = 0; i < IFD_MARK_COUNT; i++)
        ifd_json_text(&j, ifd__mark_names[i], of->mark[i]);
    ifd_json_end(&j);
    IFD_JSON_PUT(&j, IFD_JSON("rig_later_than_twin", p->delay), IFD_JSON("rig_gain_over_twin", p->gain));
    put_checks(&j, p);
    put_loop(&j, p);
    put_channels(&j, p);
    put_run(&j, p);
    ifd_json_end(&j);
    return ifd_json_done(&j);
}

static void put_json(FILE *out, const source *s)
{
    fputs(s->of->json, out);
}

static void put_text(FILE *out, const source *s)
{
    const ifd_preflight *p = s->p;
    const ifd_certificate *of = s->of;
    fprintf(out, "interfield preflight %s\n\n%s\nrig %s, %s\n\n", ifd_version(), s->c->title, s->c->test->rig->name,
            of->made);
    for (int i = 0; i < p->checks; i++) {
        const ifd_check *k = &p->check[i];
        fprintf(out, "  %-12s %-70s %s%s%s\n", k->topic, k->found, word_of(k->verdict), k->advice ? ": " : "",
                k->advice ? k->advice : "");
    }
    fprintf(out, "\n%s\n\ncertificate %s, valid for\n", ifd_verdict_name(of->verdict), of->number);
    for (int i = 0; i < IFD_MARK_COUNT; i++)
        fprintf(out, "  %-12s %s\n", ifd__mark_names[i], of->mark[i]);
}

static const char *class_of(ifd_verdict v)
{
    return v == IFD_VERDICT_GO ? "go" : v == IFD_VERDICT_CAUTION ? "caution" : "no";
}

/* A text with its units as they are printed: um and us with the sign of micro, m/s2 with a raised 2. */
static void put_sentence(FILE *out, const char *text)
{
    static const struct {
        const char *plain, *printed;
    } unit[] = {{" um", " \u00b5m"}, {" us", " \u00b5s"}, {"/s2", "/s\u00b2"}};
    while (*text) {
        const char *next = NULL;
        size_t found = 0;
        for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
            for (const char *at = strstr(text, unit[i].plain); at; at = strstr(at + 1, unit[i].plain))
                if (!isalnum((unsigned char)at[3]) && (at == text || isalnum((unsigned char)at[-1]))) {
                    found = !next || at < next ? i : found;
                    next = !next || at < next ? at : next;
                    break;
                }
        char piece[200];
        size_t length = next ? (size_t)(next - text) : strlen(text);
        length = length < sizeof piece ? length : sizeof piece - 1;
        next = next == text + length ? next : NULL;
        snprintf(piece, sizeof piece, "%.*s", (int)length, text);
        ifd_html_print(piece, out);
        ifd_html_print(next ? unit[found].printed : "", out);
        text += length + (next ? 3 : 0);
    }
}

static void put_row(FILE *out, const ifd_check *k)
{
    fputs("<tr><td>", out);
    ifd_html_print(k->topic, out);
    fputs("</td><td>", out);
    put_sentence(out, k->found);
    if (k->advice) {
        fputs("<br><span class=\"small\">", out);
        put_sentence(out, k->advice);
        fputs("</span>", out);
    }
    fprintf(out, "</td><td class=\"%s\">%s</td></tr>\n", class_of(k->verdict), word_of(k->verdict));
}

/* The verdict and its reason: the first check that led to it, and how many others did. */
static void put_headline(FILE *out, const ifd_preflight *p, ifd_verdict verdict)
{
    const ifd_check *first = NULL;
    int others = 0;
    for (int i = 0; i < p->checks; i++)
        if (p->check[i].verdict == verdict) {
            others += first != NULL;
            first = first ? first : &p->check[i];
        }
    fprintf(out, "<div class=\"word %s\">%s<div class=\"reason\">", class_of(verdict), ifd_verdict_name(verdict));
    if (verdict == IFD_VERDICT_GO || !first)
        fprintf(out, "All %d checks are ok.", p->checks);
    else {
        ifd_html_print(first->topic, out);
        fputs(": ", out);
        put_sentence(out, first->found);
        if (others > 0)
            fprintf(out, ", and %d more check%s below", others, others > 1 ? "s" : "");
    }
    fputs("</div></div>\n", out);
}

static void put_html(FILE *out, const source *s)
{
    const ifd_certificate *of = s->of;
    fprintf(out,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
            "content=\"width=device-width,initial-scale=1\"><title>Preflight %s</title>\n"
            "<style>%s</style></head><body>\n<h1>",
            of->number, ifd__certificate_style);
    ifd_html_print(s->c->title, out);
    fprintf(out, "</h1>\n<p class=\"small\">Preflight of a hybrid test · rig %s · %s · interfield %s</p>\n",
            s->c->test->rig->name, of->made, ifd_version());
    put_headline(out, s->p, of->verdict);
    fputs("<table>\n", out);
    for (int i = 0; i < s->p->checks; i++)
        put_row(out, &s->p->check[i]);
    fprintf(out, "</table>\n<p class=\"small\">Certificate <code>%s</code>. Valid for", of->number);
    for (int i = 0; i < IFD_MARK_COUNT; i++)
        fprintf(out, "%s %s <code>%s</code>", i ? "," : "", ifd__mark_names[i], of->mark[i]);
    fputs(", and for nothing else. Software alone is never an emergency stop.</p>\n</body></html>\n", out);
}

static ifd_status write_page(const char *path, void (*put)(FILE *out, const source *s), const source *s,
                             ifd_note *note)
{
    IFD__HAVE(path && s->of->json);
    FILE *file = fopen(path, "w");
    if (file)
        put(file, s);
    bool good = file && !ferror(file);
    if ((!file || fclose(file) == 0) && good)
        return IFD_OK;
    return ifd_note_add(note, IFD_OUTPUT, NULL, "'%s' cannot be written: %s", path, strerror(errno));
}

ifd_status ifd_certificate_write(ifd_arena *arena, const char *stem, const ifd_case *c, const ifd_preflight *p,
                                 ifd_certificate *out, ifd_note *note)
{
    const source s = {c, p, out};
    memset(out, 0, sizeof *out);
    IFD_TRY(ifd_certificate_marks(arena, c, out->mark, note));
    ifd__time_of_day(out->made);
    out->verdict = p->verdict;
    ifd__certificate_number(out, out->number);
    out->json = as_json(arena, &s);
    IFD_TRY(write_page(ifd_arena_print(arena, "%s.certificate.json", stem), put_json, &s, note));
    IFD_TRY(write_page(ifd_arena_print(arena, "%s.certificate.txt", stem), put_text, &s, note));
    return write_page(ifd_arena_print(arena, "%s.certificate.html", stem), put_html, &s, note);
}
