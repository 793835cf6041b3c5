/* SPDX-License-Identifier: MIT */
/* The scoreboard: a gallery of all figures, a page for each paper with claims, results and plots; and the same as
 * JSON. */
#include "reproduce.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <interfield/version.h>

enum { LARGEST_SVG = 60000 };

static void put_claim(ifd_json *j, const outcome *o, int i)
{
    const sentence *r = o->claim[i].row;
    double low, high;
    bounds_of(r, &low, &high);
    ifd_json_object(j, NULL);
    IFD_JSON_PUT(j, IFD_JSON("key", r->key), IFD_JSON("said", r->said), IFD_JSON("where", r->where),
                 IFD_JSON("what", r->what), IFD_JSON("rule", rule_name(r->rule)), IFD_JSON("low", low),
                 IFD_JSON("high", high), IFD_JSON("found", o->claim[i].found),
                 IFD_JSON("holds", holds(r, o->claim[i].found)));
    ifd_json_list(j, "other_settings");
    for (int k = 0; k < o->trials; k++)
        if (o->trial[k].claim == i)
            IFD_JSON_OBJECT(j, NULL, IFD_JSON("setting", o->trial[k].setting), IFD_JSON("found", o->trial[k].found),
                            IFD_JSON("holds", holds(r, o->trial[k].found)));
    ifd_json_end(j);
    ifd_json_end(j);
}

void outcome_put(ifd_json *j, const entry *e, const outcome *o)
{
    IFD_JSON_PUT(j, IFD_JSON("id", e->id), IFD_JSON("title", e->title), IFD_JSON("paper", paper_of(e)->citation),
                 IFD_JSON("verdict", verdict_text(verdict_of(o))));
    char said[1000];
    verdict_print(said, sizeof said, o);
    IFD_JSON_PUT(j, IFD_JSON("verdict_line", said), IFD_JSON("seconds", o->seconds));
    ifd_json_list(j, "claims");
    for (int i = 0; i < o->claims; i++)
        put_claim(j, o, i);
    ifd_json_end(j);
    JSON_TEXTS(j, "changed", o->changes, o->change[k]);
    JSON_TEXTS(j, "chosen", o->choices, o->choice[k]);
    JSON_TEXTS(j, "remarks", o->remarks, o->remark[k]);
    JSON_TEXTS(j, "sheets", o->sheets, o->sheet[k]);
    if (*o->error)
        ifd_json_text(j, "error", o->error);
}

/* Attributes that gnuplot repeats with every stroke and that are redundant in the SVG; and its dark variant. */
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
    {"stroke='rgb(220, 220, 220)'", "stroke='#dcdcdc'"},
    {"<g id=\"gnuplot_canvas\">",
     "<style>@media (prefers-color-scheme:dark){svg{filter:invert(.92) hue-rotate(180deg)}}</style><g>"},
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

/* A copy for a page; redundant attributes of an SVG are removed. */
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

/* The SVG where it is small or smaller than the PNG, the PNG otherwise; its address for the page, NULL when there is
 * no picture. */
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
    if (size_of(small) <= LARGEST_SVG || size_of(small) <= size_of(png))
        return ifd_arena_print(a->arena, "images/reproduction/%s.svg", e->id);
    (void)remove(small);
    return copy_picture(a, png, large, false) ? ifd_arena_print(a->arena, "images/reproduction/%s.png", e->id) : NULL;
}

/* The page of a paper: docs/evidence/reproduction.md, docs/evidence/reproduction-000.md. */
static const char *page_of(app *a, const char *gallery, const paper *p)
{
    size_t n = strlen(gallery);
    if (n > 3 && strcmp(gallery + n - 3, ".md") == 0)
        n -= 3;
    return ifd_arena_print(a->arena, "%.*s-%s.md", (int)n, gallery, p->number);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *number_of(const entry *e)
{
    return strstr(e->id, "fig") + 3;
}

/* One picture and one line of the gallery. */
static void put_tile(FILE *f, const entry *e, const outcome *o, const char *page, const char *picture)
{
    tally t = tally_of(o);
    if (picture)
        fprintf(f, "\n[![Figure %s](%s)](%s#%s)\n", number_of(e), picture, page, e->id);
    fprintf(f, "\n[Figure %s](%s#%s): %s. **%s**", number_of(e), page, e->id, e->title, verdict_text(verdict_of(o)));
    if (t.printed + t.otherwise < t.claims)
        fprintf(f, ", %d of %d claims hold", t.printed + t.otherwise, t.claims);
    fputs(".\n", f);
}

static const char *held(const sentence *r, double value)
{
    return holds(r, value) ? "holds" : "**fails**";
}

/* The end of a row: the result, its deviation if there is one, and the verdict. */
static void put_result(FILE *f, const sentence *r, double found)
{
    char away[80];
    deviation_print(away, sizeof away, r, found);
    bool none = strcmp(away, "none") == 0;
    fprintf(f, "%.4g%s%s%s | %s |\n", found, none ? "" : " (", none ? "" : away, none ? "" : ")", held(r, found));
}

/* Whether the statement of claim i is that of the claim before it. */
static bool said_before(const outcome *o, int i)
{
    const sentence *r = o->claim[i].row, *before = i > 0 ? o->claim[i - 1].row : NULL;
    return before && strcmp(r->said, before->said) == 0 && strcmp(r->where, before->where) == 0;
}

static void put_claims(FILE *f, const outcome *o)
{
    char bound[80];
    fputs("\n| claim | paper | computed quantity | bound | result | |\n|---|---|---|---|---|---|\n", f);
    for (int i = 0; i < o->claims; i++) {
        const sentence *r = o->claim[i].row;
        bound_print(bound, sizeof bound, r);
        fprintf(f, "| %s | ", r->key);
        if (said_before(o, i))
            fputs("as above", f);
        else
            fprintf(f, "\"%s\" (%s)", r->said, r->where);
        fprintf(f, " | %s | %s (%s) | ", r->what, bound, rule_name(r->rule));
        put_result(f, r, o->claim[i].found);
        for (int k = 0; k < o->trials; k++)
            if (o->trial[k].claim == i) {
                fprintf(f, "| | | *with* %s | | ", o->trial[k].setting);
                put_result(f, r, o->trial[k].found);
            }
    }
    fputc('\n', f);
}

static void put_entry(FILE *f, const entry *e, const outcome *o, const char *picture)
{
    char said[1000];
    verdict_print(said, sizeof said, o);
    fprintf(f, "\n## %s\n\nFigure %s: %s.\n**%c%s.**", e->id, number_of(e), e->title, said[0] - 'a' + 'A', said + 1);
    if (o->recorded)
        fprintf(f, " Command: `interfield reproduce %s --records DIR`.", e->id);
    fputc('\n', f);
    if (picture)
        fprintf(f, "\n![Figure %s](%s)\n", number_of(e), picture);
    if (o->state != OUTCOME_DONE) {
        fprintf(f, "\nThe figure could not be computed: %s\n", o->error);
        return;
    }
    put_claims(f, o);
    for (int i = 0; i < o->changes; i++)
        fprintf(f, "- Changed: %s.\n", o->change[i]);
    for (int i = 0; i < o->choices; i++)
        fprintf(f, "- Chosen: %s\n", o->choice[i]);
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
        "# Reproduction of published results\n\nThis page compares figures and claims of five papers with "
        "results of the shipped cases. Each picture leads to the page of its paper.\nThat page shows for "
        "every figure the statements of the paper, our results and the deviations. *Changed* marks a "
        "setting that differs from the paper, and *Chosen* a setting that the paper does not give. A row *with* a "
        "setting repeats the claim above with it.\n"
        "`interfield reproduce all%s --scoreboard docs/evidence/reproduction.md` (version %s) writes these "
        "pages. `interfield reproduce 000-fig1` computes one figure, with\ndata, plot and gnuplot script "
        "in `runs/reproduce/<figure>/`.\n\n",
        app_has(a, "--records") ? " --records DIR" : "", ifd_version());
    fprintf(f,
            "| verdict | figures | meaning |\n|---|---|---|\n| reproduced | %d | Every claim holds with the "
            "settings of the paper. Settings that the paper does not give are chosen and listed |\n| reproduced "
            "with a different setting | %d | Every claim holds, but a step, a time window, a ground motion or a "
            "rig differs from that of the paper. The verdict names the difference |\n| not reproduced | %d | At "
            "least one claim holds with none of the tried settings. The verdict names the claim |\n",
            n[REPRODUCED], n[REPRODUCED_OTHERWISE], n[NOT_REPRODUCED]);
    if (n[NOT_MADE])
        fprintf(f, "| could not be computed | %d | |\n", n[NOT_MADE]);
    fprintf(
        f,
        "\nA figure is judged by all claims of its paragraph that can be computed: %d, of which %d hold with the "
        "settings of the paper and\n%d with a different setting. A bound is a number of the paper or one of these "
        "rules, the same for all figures:\n\n| rule | bound |\n|---|---|\n",
        claims, printed, otherwise);
    for (rule r = 0; r < RULES; r++)
        fprintf(f, "| %s | %s |\n", rule_name(r), rule_text(r));
    fputs("\nThe deviation is in brackets behind the result. The deviation of a number is relative to the number "
          "of the paper; the deviation of an order is a difference. For a bound the deviation is the\ndistance "
          "beyond the bound, relative to the bound.\n",
          f);
    fprintf(f,
            "\nLaboratory measurements cannot be computed. The program therefore computes the figure of a test "
            "with the virtual rig, which counts as a different\nsetting. A claim with a result that is not "
            "finite does not hold. %s\n",
            app_has(a, "--records")
                ? "The program reads recorded ground motions from a folder (`--records`). A component other "
                  "than that of the paper\ncounts as a different setting."
                : "Without recorded ground motions (`--records DIR`), generated motions of the same peak are used.");
}

/* What a gallery and its pages show: figures, their outcomes and the addresses of their pictures. */
typedef struct exhibits {
    int count;
    const entry *const *list;
    const outcome *out;
    const char **picture;
} exhibits;

static bool write_paper(const char *gallery, const char *path, const paper *p, const exhibits *x)
{
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    fprintf(f,
            "# Reproduction: %s\n\n[Reproduction of published results](%s) explains the verdicts, rules, "
            "deviations and terms, and has the commands.\n",
            p->citation, file_name(gallery));
    if (p->beside)
        fprintf(f, "\n%s\n", p->beside);
    for (int k = 0; k < x->count; k++)
        if (paper_of(x->list[k]) == p)
            put_entry(f, x->list[k], &x->out[k], x->picture[k]);
    return file_close(f);
}

/* The figures of a paper: their part of the gallery and their own page. False: the page could not be written. */
static bool put_paper(app *a, FILE *f, const char *gallery, const paper *p, const exhibits *x)
{
    const char *path = NULL;
    for (int k = 0; k < x->count; k++) {
        if (paper_of(x->list[k]) != p)
            continue;
        if (!path) {
            path = page_of(a, gallery, p);
            if (!path)
                return false;
            fprintf(f, "\n## %s\n", p->citation);
        }
        put_tile(f, x->list[k], &x->out[k], file_name(path), x->picture[k]);
    }
    return !path || write_paper(gallery, path, p, x);
}

ifd_status board_write(app *a, const char *path, int count, const entry *const *list, const outcome *out,
                       const char *made)
{
    exhibits x = {count, list, out, ifd_arena_take(a->arena, (size_t)count * sizeof *x.picture)};
    FILE *f = x.picture ? fopen(path, "w") : NULL;
    if (!f)
        return ifd_note_add(&a->note, IFD_OUTPUT, NULL, "'%s' could not be written: %s", path, strerror(errno));
    for (int k = 0; k < count; k++)
        x.picture[k] = place_picture(a, made, path, list[k]);
    put_preface(f, a, count, out);
    bool written = true;
    for (const paper *p = papers; p->number; p++)
        written = put_paper(a, f, path, p, &x) && written;
    written = file_close(f) && written;
    if (!written)
        return ifd_note_add(&a->note, IFD_OUTPUT, NULL,
                            "'%s' or a page of a paper beside it could not be written: %s", path, strerror(errno));
    return IFD_OK;
}
