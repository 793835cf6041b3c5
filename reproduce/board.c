/* SPDX-License-Identifier: MIT */
/* The scoreboard: a page with every figure, what was found, and its picture; and the same as JSON. */
#include "reproduce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <interfield/version.h>

enum { LARGEST_SVG = 60000 };

static void put_texts(ifd_json *j, const char *key, int count, const char *text, size_t size)
{
    ifd_json_list(j, key);
    for (int i = 0; i < count; i++)
        ifd_json_text(j, NULL, text + (size_t)i * size);
    ifd_json_end(j);
}

static void put_claim(ifd_json *j, const outcome *o, int i)
{
    const sentence *r = o->claim[i].row;
    double low, high;
    bounds_of(r, &low, &high);
    ifd_json_object(j, NULL);
    ifd_json_text(j, "key", r->key);
    ifd_json_text(j, "said", r->said);
    ifd_json_text(j, "where", r->where);
    ifd_json_text(j, "what", r->what);
    ifd_json_text(j, "rule", rule_name(r->rule));
    ifd_json_number(j, "low", low);
    ifd_json_number(j, "high", high);
    ifd_json_number(j, "found", o->claim[i].found);
    ifd_json_flag(j, "holds", holds(r, o->claim[i].found));
    ifd_json_list(j, "other_settings");
    for (int k = 0; k < o->trials; k++)
        if (o->trial[k].claim == i) {
            ifd_json_object(j, NULL);
            ifd_json_text(j, "setting", o->trial[k].setting);
            ifd_json_number(j, "found", o->trial[k].found);
            ifd_json_flag(j, "holds", holds(r, o->trial[k].found));
            ifd_json_end(j);
        }
    ifd_json_end(j);
    ifd_json_end(j);
}

void outcome_put(ifd_json *j, const entry *e, const outcome *o)
{
    ifd_json_text(j, "id", e->id);
    ifd_json_text(j, "title", e->title);
    ifd_json_text(j, "paper", paper_of(e)->citation);
    ifd_json_text(j, "verdict", verdict_text(verdict_of(o)));
    char said[1000];
    verdict_print(said, sizeof said, o);
    ifd_json_text(j, "verdict_line", said);
    ifd_json_number(j, "seconds", o->seconds);
    ifd_json_list(j, "claims");
    for (int i = 0; i < o->claims; i++)
        put_claim(j, o, i);
    ifd_json_end(j);
    put_texts(j, "changed", o->changes, o->change[0], sizeof o->change[0]);
    put_texts(j, "chosen", o->choices, o->choice[0], sizeof o->choice[0]);
    put_texts(j, "remarks", o->remarks, o->remark[0], sizeof o->remark[0]);
    put_texts(j, "sheets", o->sheets, o->sheet[0], sizeof o->sheet[0]);
    if (*o->error)
        ifd_json_text(j, "error", o->error);
}

/* What gnuplot repeats with every stroke and the reader of an SVG does not need. */
static const char *const wordy[][2] = {
    {" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" "
     "stroke-linejoin=\"miter\"",
     " stroke=\"#000\""},
    {" color=\"gray\" stroke=\"currentColor\" stroke-width=\"1.00\" stroke-linecap=\"butt\" "
     "stroke-linejoin=\"miter\"",
     ""},
    {" stroke-linecap=\"butt\" stroke-linejoin=\"miter\"", ""},
    {"<tspan font-family=\"DejaVu Sans\" >", "<tspan>"},
    {"<tspan font-size=\"12.0\" dy=\"6.00\"></tspan>", ""},
    {" class=\"gridline\" ", ""},
    {"stroke='rgb(128, 128, 128)'", "stroke='#808080'"},
    {"stroke='rgb(226, 226, 226)'", "stroke='#e2e2e2'"},
    {NULL, NULL},
};

static void put_slim(const char *text, FILE *out)
{
    while (*text) {
        int k = 0;
        while (wordy[k][0] && strncmp(text, wordy[k][0], strlen(wordy[k][0])) != 0)
            k++;
        if (wordy[k][0]) {
            fputs(wordy[k][1], out);
            text += strlen(wordy[k][0]);
        } else
            fputc(*text++, out);
    }
}

static long size_of(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 ? (long)facts.st_size : 0;
}

/* A copy for a page; an SVG loses what it says twice. */
static bool copy_picture(app *a, const char *from, const char *to, bool slim)
{
    const size_t room = (size_t)size_of(from) + 2;
    char *text = ifd_arena_take(a->arena, room);
    if (!text)
        return false;
    FILE *in = fopen(from, "rb");
    size_t n = in ? fread(text, 1, room - 1, in) : 0;
    text[n] = '\0';
    if (in)
        fclose(in);
    FILE *out = n > 0 && n < room - 1 ? fopen(to, "wb") : NULL;
    if (out && slim)
        put_slim(text, out);
    else if (out)
        fwrite(text, 1, n, out);
    return file_close(out);
}

/* The SVG where it is small, the PNG otherwise; its address for the page, NULL when there is no picture. */
static const char *place_picture(app *a, const char *made, const char *page, const entry *e)
{
    const char *slash = strrchr(page, '/');
    const char *folder = slash ? ifd_arena_text_n(a->arena, page, (size_t)(slash - page)) : ".";
    const char *svg = ifd_arena_print(a->arena, "%s/%s/figure.svg", made, e->id);
    const char *images = ifd_arena_print(a->arena, "%s/images", folder ? folder : ".");
    const char *place = ifd_arena_print(a->arena, "%s/reproduction", images ? images : ".");
    if (!svg || !images || !place || size_of(svg) == 0)
        return NULL;
    (void)mkdir(images, 0777); /* a folder that cannot be made shows in the copy */
    (void)mkdir(place, 0777);
    const char *small = ifd_arena_print(a->arena, "%s/%s.svg", place, e->id);
    const char *large = ifd_arena_print(a->arena, "%s/%s.png", place, e->id);
    const char *png = ifd_arena_print(a->arena, "%s/%s/figure.png", made, e->id);
    if (!small || !large || !png)
        return NULL;
    (void)remove(large); /* of an earlier page */
    if (!copy_picture(a, svg, small, true))
        return NULL;
    if (size_of(small) <= LARGEST_SVG)
        return ifd_arena_print(a->arena, "images/reproduction/%s.svg", e->id);
    (void)remove(small);
    return copy_picture(a, png, large, false) ? ifd_arena_print(a->arena, "images/reproduction/%s.png", e->id) : NULL;
}

static void put_verdicts(FILE *f, const paper *p, int count, const entry *const *list, const outcome *out)
{
    char said[1000];
    bool head = false;
    for (int k = 0; k < count; k++) {
        if (paper_of(list[k]) != p)
            continue;
        if (!head)
            fprintf(f, "\n**%s**\n\n| figure | what | verdict | sentences |\n|---|---|---|---|\n", p->citation);
        head = true;
        tally t = tally_of(&out[k]);
        verdict_print(said, sizeof said, &out[k]);
        fprintf(f, "| [%s](#%s) | %s | %s | %d of %d", list[k]->id, list[k]->id, list[k]->title, said,
                t.printed + t.otherwise, t.claims);
        if (t.otherwise)
            fprintf(f, ", %d with another setting", t.otherwise);
        fputs(" |\n", f);
    }
}

static const char *held(const sentence *r, double value)
{
    return holds(r, value) ? "holds" : "**does not hold**";
}

static void put_claims(FILE *f, const outcome *o)
{
    char bound[80];
    fputs("\n| | the paper | computed | found | bound | |\n|---|---|---|---|---|---|\n", f);
    for (int i = 0; i < o->claims; i++) {
        const sentence *r = o->claim[i].row;
        bound_print(bound, sizeof bound, r);
        fprintf(f, "| %s | \"%s\" (%s) | %s | %.4g | %s (%s) | %s |\n", r->key, r->said, r->where, r->what,
                o->claim[i].found, bound, rule_name(r->rule), held(r, o->claim[i].found));
        for (int k = 0; k < o->trials; k++)
            if (o->trial[k].claim == i)
                fprintf(f, "| | | *other setting:* %s | %.4g | | %s |\n", o->trial[k].setting, o->trial[k].found,
                        held(r, o->trial[k].found));
    }
    fputc('\n', f);
}

static void put_entry(FILE *f, const entry *e, const outcome *o, const char *picture)
{
    char said[1000];
    verdict_print(said, sizeof said, o);
    fprintf(f, "\n### %s\n\n%s, figure %s: %s.\n**%c%s.**\n", e->id, paper_of(e)->citation, strstr(e->id, "fig") + 3,
            e->title, said[0] - 'a' + 'A', said + 1);
    if (picture)
        fprintf(f, "\n![%s](%s)\n", e->title, picture);
    if (o->state != OUTCOME_DONE) {
        fprintf(f, "\nIt could not be made: %s\n", o->error);
        return;
    }
    put_claims(f, o);
    for (int i = 0; i < o->changes; i++)
        fprintf(f, "- Not as printed: %s.\n", o->change[i]);
    for (int i = 0; i < o->choices; i++)
        fprintf(f, "- Not printed, chosen here: %s\n", o->choice[i]);
    for (int i = 0; i < o->remarks; i++)
        fprintf(f, "- %s\n", o->remark[i]);
}

static void put_preface(FILE *f, const app *a, int count, const outcome *out)
{
    int n[4] = {0}, claims = 0, printed = 0, otherwise = 0;
    for (int k = 0; k < count; k++) {
        tally t = tally_of(&out[k]);
        n[verdict_of(&out[k])]++;
        claims += t.claims;
        printed += t.printed;
        otherwise += t.otherwise;
    }
    fprintf(
        f,
        "# Reproduction of published results\n\n"
        "Written by `interfield reproduce all --scoreboard docs/reproduction.md` (version %s), not by hand. Every "
        "figure that rests on\ncomputation is computed from the shipped cases; numbers, a picture and the gnuplot "
        "script are in `runs/reproduce/<figure>/`.\n\n",
        ifd_version());
    fprintf(
        f,
        "| verdict | figures | meaning |\n|---|---|---|\n"
        "| reproduced | %d | every sentence holds with the settings that the paper prints; what it does not print "
        "is chosen and named |\n"
        "| reproduced with a different setting | %d | every sentence holds, but a step, a window, a motion, a "
        "rig differs from the paper's: the verdict names it |\n"
        "| not reproduced | %d | at least one sentence holds in no setting tried: the verdict names it |\n",
        n[REPRODUCED], n[REPRODUCED_OTHERWISE], n[NOT_REPRODUCED]);
    if (n[NOT_MADE])
        fprintf(f, "| could not be made | %d | |\n", n[NOT_MADE]);
    fprintf(f,
            "\nA figure is judged by all sentences of its paragraph that can be computed: %d, of which %d hold as "
            "printed and %d with another\nsetting. A bound is a number of the paper or one of these rules, the same "
            "for all figures:\n\n| rule | bound |\n|---|---|\n",
            claims, printed, otherwise);
    for (rule r = 0; r < RULES; r++)
        fprintf(f, "| %s | %s |\n", rule_name(r), rule_text(r));
    fprintf(
        f,
        "\nLaboratory measurements cannot be computed: where a figure shows a test, the test runs on the virtual "
        "rig, which is a different\nsetting. A number that is not finite holds nothing. %s\n",
        app_has(a, "--records")
            ? "Recorded ground motions were taken from a folder (`--records`); another component than the printed "
              "one is a\ndifferent setting."
            : "No recorded ground motions were given (`--records DIR`): generated ones of the same peak were "
              "used.");
    fputs("\n## Scoreboard\n", f);
}

ifd_status board_write(app *a, const char *path, int count, const entry *const *list, const outcome *out,
                       const char *made)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return ifd_note_add(&a->note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, strerror(errno));
    put_preface(f, a, count, out);
    for (const paper *p = papers; p->number; p++)
        put_verdicts(f, p, count, list, out);
    fputs("\n## Figure by figure\n", f);
    for (int k = 0; k < count; k++)
        put_entry(f, list[k], &out[k], place_picture(a, made, path, list[k]));
    if (!file_close(f))
        return ifd_note_add(&a->note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, strerror(errno));
    return IFD_OK;
}
