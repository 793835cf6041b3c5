/* SPDX-License-Identifier: MIT */
/* The page of a report: its sections in their order. */
#include "report.h"

#include <stdlib.h>

#include <interfield/version.h>

static const char style[] =
    ":root{--ink:#1b2430;--soft:#5d6b7a;--paper:#fff;--line:#d9e0e7;--k0:#1f6fb4;--k1:#b84a12;--k2:#22774a;"
    "--k3:#8d4fb0;--k4:#856600;--k5:#b0335b;--good:#22774a;--near:#c98a00;--bad:#c22f2f}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e9ee;--soft:#98a5b3;--paper:#14191f;--line:#2f3a45;"
    "--k0:#62aef0;--k1:#f0915c;--k2:#5cc48d;--k3:#bd8ede;--k4:#d9b544;--k5:#e5779b;--good:#5cc48d;"
    "--near:#e0ac3a;--bad:#ef6b6b}}\n"
    "*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem;max-width:64rem;color:var(--ink);"
    "background:var(--paper);font:15px/1.5 system-ui,sans-serif}h1{font-size:1.6rem;margin:0 0 .3rem}h2{"
    "font-size:1.15rem;margin:1.8rem 0 .6rem;border-bottom:1px solid var(--line);padding-bottom:.2rem}p{"
    "margin:.4rem 0}.soft{color:var(--soft)}\n"
    ".verdict{display:inline-block;padding:.15rem .8rem;border-radius:1rem;color:var(--paper);font-weight:600;"
    "background:var(--good)}.verdict.bad{background:var(--bad)}.facts{display:grid;"
    "grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.4rem 1.2rem;margin:1rem 0}.facts b{"
    "display:block;font-size:.8rem;font-weight:400;color:var(--soft)}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(24rem,100%),1fr));gap:.6rem 1.2rem}"
    "svg{width:100%;height:auto;display:block}svg text{font:11px system-ui,sans-serif;fill:var(--soft)}"
    "svg .head{font-weight:600;font-size:12px;fill:var(--ink)}svg .small{font-size:11px}svg .power{"
    "font-size:8px}.grid line.grid,line.grid{stroke:var(--line);stroke-width:1}\n"
    ".line{fill:none;stroke-width:1.3;stroke-linejoin:round}.k0{stroke:var(--k0)}.k1{stroke:var(--k1)}.k2{"
    "stroke:var(--k2)}.k3{stroke:var(--k3)}.k4{stroke:var(--k4)}.k5{stroke:var(--k5)}svg text.key{stroke:none;"
    "font-weight:600}text.k0{fill:var(--k0)}text.k1{fill:var(--k1)}text.k2{fill:var(--k2)}text.k3{"
    "fill:var(--k3)}text.k4{fill:var(--k4)}text.k5{fill:var(--k5)}\n"
    "rect.part{fill:none;stroke:var(--k0);stroke-width:1.6}rect.specimen{fill:none;stroke:var(--k1);"
    "stroke-width:1.6}rect.actuator,.tip{fill:var(--soft)}.joint{fill:none;stroke:var(--soft);"
    "stroke-width:1.4}\n"
    "table{border-collapse:collapse;margin:.6rem 0;align-self:start}.certificate td{vertical-align:top}"
    ".certificate td:nth-child(3){white-space:nowrap}th{text-align:left;font-weight:600}td,th{"
    "padding:.15rem .9rem .15rem 0;font-variant-numeric:tabular-nums}.limits td{white-space:nowrap}td.bar{"
    "width:14rem}rect.track{fill:var(--line)}rect.fill{fill:var(--good)}rect.near{fill:var(--near)}rect.over{"
    "fill:var(--bad)}\n"
    "pre{font:12px/1.45 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;"
    "border:1px solid var(--line);border-radius:6px;padding:.7rem}\n"
    "@media(max-width:40rem){.limits td,.certificate td:nth-child(3){white-space:normal}td.bar{width:4rem}"
    "td,th{padding-right:.5rem}}\n"
    "@page{size:A4;margin:14mm}@media print{:root{--ink:#000;--soft:#444;--paper:#fff;--line:#ccc;"
    "--k0:#1f6fb4;--k1:#b84a12;--k2:#22774a;--k3:#8d4fb0;--k4:#856600;--k5:#b0335b;--good:#22774a;"
    "--near:#c98a00;--bad:#c22f2f}body{"
    "padding:0;max-width:none;font-size:10.5pt}.grid{grid-template-columns:1fr 1fr}section,svg,table{"
    "break-inside:avoid}.long{break-inside:auto}td.bar{width:9rem}.chart text:not(.key){font-size:13px}h2{"
    "break-after:avoid}.verdict,rect{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n";

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
        html_put(r->out, text);
        fputs("</pre></section>\n", r->out);
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
    fputs("<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
          "content=\"width=device-width,initial-scale=1\"><meta http-equiv=Content-Security-Policy "
          "content=\"default-src 'none'; "
          "style-src 'unsafe-inline'\"><title>",
          r->out);
    html_put(r->out, *r->t.title ? r->t.title : r->folder);
    fprintf(r->out, "</title><style>%s</style></head><body>\n", style);
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
        fputs("<section class=long id=case><h2>Case</h2><pre>", r->out);
        html_put(r->out, r->t.case_text);
        fputs("</pre></section>\n", r->out);
    }
    put_versions(r);
    fputs("</body></html>\n", r->out);
}
