/* SPDX-License-Identifier: MIT */
/* The page of a report: its sections in order. */
#include "report.h"
#include "assets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <interfield/version.h>

void report_begin(const report *r, const char *title, const char *id, bool folded)
{
    fprintf(r->out, "<section id=%s>%s<h2>%s</h2>%s\n", id, folded ? "<details><summary>" : "", title,
            folded ? "</summary>" : "");
}

void report_end(const report *r, bool folded)
{
    fputs(folded ? "</details></section>\n" : "</section>\n", r->out);
}

static const char *events_verdict(const report *r)
{
    const ifd_events_checked *e = &r->events;
    const char *text = ifd_arena_print(r->a->arena, "%ld lines, as written%s.", e->lines,
                                       e->ended ? "" : "; the log is truncated there");
    return e->wrong  ? e->wrong
           : e->bare ? "The log has no hashes: a changed line cannot be detected."
           : text    ? text
                     : "";
}

/* events.log without its hashes, which only programs read. */
static void put_events(const report *r)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/events.log", r->folder);
    FILE *in = fopen(path, "r");
    if (!in)
        return;
    report_begin(r, "Events", "events", true);
    html_put(r->out, "<p>", events_verdict(r), "</p><pre>");
    char *line = NULL;
    size_t size = 0;
    for (ssize_t n; (n = getline(&line, &size, in)) > 0;) {
        size_t length = (size_t)n - (line[n - 1] == '\n'), mark = IFD_CHAIN_MARK;
        bool hashed = !r->events.bare && length >= mark && strncmp(line + length - mark, "  #", 3) == 0;
        line[hashed ? length - mark : length] = '\0';
        html_put(r->out, "", line, "\n");
    }
    fputs("</pre>", r->out);
    report_end(r, true);
    free(line);
    fclose(in);
}

static void put_versions(const report *r)
{
    const ifd_json_node *s = r->summary;
    report_begin(r, "Versions", "versions", true);
    fputs("<div class=facts>", r->out);
    report_fact(r, "interfield of the test", ifd_json_text_at(s, "interfield", "unknown"));
    report_fact(r, "interfield of the report", ifd_version());
    report_fact(r, "processor", ifd_json_text_at(s, "host/cpu", ""));
    report_fact(r, "system", ifd_json_text_at(s, "host/system", ""));
    report_fact(r, "kernels", ifd_json_text_at(s, "host/kernels", ""));
    report_fact(r, "folder", r->folder);
    fputs("</div>", r->out);
    report_end(r, true);
}

/* A file of a page. Of a script the lines that import are left out and the word export: all are one script. */
static void put_file(FILE *out, const asset *list, const char *path)
{
    while (list->path && strcmp(list->path, path) != 0)
        list++;
    const char *text = (const char *)list->data, *end = text + list->size;
    for (const char *line = text, *next; line < end; line = next) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        size_t exported = strncmp(line, "export ", 7) == 0 ? 7 : 0;
        if (strncmp(line, "import ", 7) != 0)
            fwrite(line + exported, 1, (size_t)(next - line) - exported, out);
    }
}

/* Only scripts with a number that nobody could foresee are executed: a text of a result is none. */
void page_head(FILE *out, const char *title, const char *data)
{
    unsigned char random[16];
    char nonce[2 * sizeof random + 1] = "";
    if (data && getrandom(random, sizeof random, 0) == (ssize_t)sizeof random)
        for (size_t k = 0; k < sizeof random; k++)
            snprintf(nonce + 2 * k, 3, "%02x", random[k]);
    fprintf(out,
            "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
            "content=\"width=device-width,initial-scale=1\"><meta name=color-scheme content=\"light dark\"><meta "
            "http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src 'unsafe-inline'; script-src "
            "'nonce-%s'\">",
            nonce);
    html_put(out, "<title>", title, "</title><style>");
    put_file(out, live_assets, "/plot.css");
    put_file(out, report_assets, "/style.css");
    fputs("</style>", out);
    if (data) {
        fprintf(out, "<script type=module nonce=%s>\n", nonce);
        put_file(out, live_assets, "/units.js");
        put_file(out, live_assets, "/plot.js");
        put_file(out, report_assets, "/charts.js");
        fputs("</script>", out);
    }
    fputs("</head><body>\n", out);
    if (data)
        html_put(out, "<noscript><p>The plots need JavaScript. Their numbers are in ", data,
                 ", and <code>interfield plot</code> draws them as pictures.</p></noscript>\n");
}

readable page_quantity(double value, const char *unit)
{
    static const char *const printed[][2] = {{" um", " \u00b5m"}, {" us", " \u00b5s"}, {"/s2", "/s\u00b2"}};
    readable out, plain = quantity(value, unit);
    snprintf(out.text, sizeof out.text, "%s", plain.text);
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        const char *at = strstr(plain.text, printed[i][0]);
        if (at)
            snprintf(out.text, sizeof out.text, "%.*s%s%s", (int)(at - plain.text), plain.text, printed[i][1],
                     at + strlen(printed[i][0]));
    }
    return out;
}

void page_fact(FILE *out, const char *name, const char *value)
{
    html_put(out, "<div><b>", name, "</b>");
    html_put(out, "", value, "</div>");
}

void report_page(const report *r)
{
    page_head(r->out, *r->t.title ? r->t.title : r->folder, "result.h5");
    report_verdict(r);
    report_found(r);
    report_results(r);
    report_cycles(r);
    report_holds(r);
    report_identified(r);
    report_watched(r);
    report_elastic(r);
    report_curves(r);
    report_tracking(r);
    report_spectra(r);
    report_reduced(r);
    report_energy(r);
    report_punctuality(r);
    report_certificate(r);
    put_events(r);
    if (r->t.case_text && *r->t.case_text) {
        report_begin(r, "Case", "case", true);
        html_put(r->out, "<pre>", r->t.case_text, "</pre>");
        report_end(r, true);
    }
    put_versions(r);
    fputs("</body></html>\n", r->out);
}
