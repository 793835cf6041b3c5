/* SPDX-License-Identifier: MIT */
/* The page of a report: its sections in their order. */
#include "report.h"
#include "assets.h"

#include <stdlib.h>

#include <interfield/version.h>

void report_heading(const report *r, const char *title, const char *id)
{
    fprintf(r->out, "<section id=%s><h2>%s</h2>\n", id, title);
}

void report_end_section(const report *r)
{
    fputs("</section>\n", r->out);
}

/* A text file of the result's folder as it is. */
static void put_file(const report *r, const char *name, const char *title, const char *id)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    FILE *in = fopen(path, "r");
    if (!in)
        return;
    char *text = NULL;
    size_t size = 0;
    if (getdelim(&text, &size, '\0', in) > 0) {
        fprintf(r->out, "<section class=long id=%s><h2>%s</h2><pre>", id, title);
        html_put(r->out, "", text, "</pre></section>\n");
    }
    free(text);
    fclose(in);
}

static void put_versions(const report *r)
{
    const ifd_json_node *s = r->summary;
    report_heading(r, "Versions", "versions");
    fputs("<div class=facts>", r->out);
    report_fact(r, "interfield that ran", ifd_json_text_at(s, "interfield", "unknown"));
    report_fact(r, "interfield that reported", ifd_version());
    report_fact(r, "processor", ifd_json_text_at(s, "host/cpu", ""));
    report_fact(r, "system", ifd_json_text_at(s, "host/system", ""));
    report_fact(r, "kernels", ifd_json_text_at(s, "host/kernels", ""));
    report_fact(r, "folder", r->folder);
    fputs("</div>", r->out);
    report_end_section(r);
}

void report_page(const report *r)
{
    html_put(r->out,
             "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
             "content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy "
             "content=\"default-src 'none'; "
             "style-src 'unsafe-inline'\"><title>",
             *r->t.title ? r->t.title : r->folder, "</title><style>");
    fwrite(report_assets->data, 1, report_assets->size, r->out);
    fputs("</style></head><body>\n", r->out);
    report_verdict(r);
    report_scheme(r);
    report_found(r);
    report_peaks(r);
    report_limits(r);
    report_curves(r);
    report_tracking(r);
    report_spectra(r);
    report_energy(r);
    report_punctuality(r);
    report_certificate(r);
    put_file(r, "events.log", "Events", "events");
    if (r->t.case_text && *r->t.case_text) {
        html_put(r->out, "<section class=long id=case><h2>Case</h2><pre>", r->t.case_text, "</pre></section>\n");
    }
    put_versions(r);
    fputs("</body></html>\n", r->out);
}
