/* SPDX-License-Identifier: MIT */
/* Authors and licence of a result. */
#include "case/reader.h"

#include <ctype.h>
#include <string.h>

const ifd__section ifd__section_publication = {
    "publication", "publication: data for a repository", "publication",
    "`interfield export` writes these data into files for a data repository, with the title, the units of all "
    "columns and the calibration of the channels.",
    KEYS(FORM("authors", false, "list of names, or of {name, affiliation, orcid}", "none", "authors of the data"),
         TEXT("licence", false, "none", "licence of the data: an SPDX identifier such as CC-BY-4.0"),
         FORM("keywords", false, "list of words", "none", "keywords of the data"),
         TEXT("description", false, "none", "purpose and object of the test"),
         TEXT("doi", false, "none", "DOI of the data, if a repository has reserved one"))};

const ifd__section ifd__section_author = {
    "author", "author: one author", "publication.authors", "The short form of this mapping is the name.",
    KEYS(TEXT("name", true, NULL, "name as printed"),
         TEXT("affiliation", false, "none", "university, laboratory or company"),
         TEXT("orcid", false, "none", "16 digits, such as 0000-0002-1825-0097"))};

const ifd_licence *ifd_licence_find(const char *id)
{
    static const ifd_licence usual[] = {
        {"CC-BY-4.0", "Creative Commons Attribution 4.0", "https://creativecommons.org/licenses/by/4.0/"},
        {"CC-BY-SA-4.0", "Creative Commons Attribution-ShareAlike 4.0",
         "https://creativecommons.org/licenses/by-sa/4.0/"},
        {"CC-BY-NC-4.0", "Creative Commons Attribution-NonCommercial 4.0",
         "https://creativecommons.org/licenses/by-nc/4.0/"},
        {"CC0-1.0", "Creative Commons Zero 1.0", "https://creativecommons.org/publicdomain/zero/1.0/"},
        {"ODC-By-1.0", "Open Data Commons Attribution 1.0", "https://opendatacommons.org/licenses/by/1-0/"},
        {"ODbL-1.0", "Open Data Commons Open Database 1.0", "https://opendatacommons.org/licenses/odbl/1-0/"},
        {"PDDL-1.0", "Open Data Commons Public Domain Dedication 1.0",
         "https://opendatacommons.org/licenses/pddl/1-0/"},
        {"MIT", "MIT License", "https://opensource.org/license/mit"},
        {"BSD-3-Clause", "BSD 3-Clause License", "https://opensource.org/license/bsd-3-clause"},
        {"Apache-2.0", "Apache License 2.0", "https://www.apache.org/licenses/LICENSE-2.0"}};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(usual[i].id, id) == 0)
            return &usual[i];
    return NULL;
}

static const char USUAL[] =
    "CC-BY-4.0|CC-BY-SA-4.0|CC-BY-NC-4.0|CC0-1.0|ODC-By-1.0|ODbL-1.0|PDDL-1.0|MIT|BSD-3-Clause|Apache-2.0";

/* Letters, digits, dots, dashes and plus signs, the characters of SPDX identifiers. */
static ifd_status check_licence(const char *id, const ifd_place *place, ifd_note *note)
{
    bool form = *id != '\0';
    for (const char *p = id; *p; p++)
        form = form && (isalnum((unsigned char)*p) || strchr(".-+", *p));
    if (!form) {
        ifd_note_add(note, IFD_SYNTAX, place, "licence '%s': expected an SPDX identifier such as CC-BY-4.0", id);
        ifd_choice_hint(note, USUAL, id);
        return IFD_SYNTAX;
    }
    if (!ifd_licence_find(id))
        ifd_note_remark(note, place,
                        "licence '%s' is not among the usual data licences (%s); it is recorded unchanged", id,
                        "CC-BY-4.0, CC0-1.0, ODC-By-1.0, ...");
    return IFD_OK;
}

/* Sixteen digits in fours, the last one the check digit of ISO 7064 (mod 11, 2), where X means 10. */
static bool is_orcid(const char *text)
{
    int sum = 0;
    if (strlen(text) != 19)
        return false;
    for (int i = 0; i < 19; i++) {
        bool dash = i % 5 == 4, last = i == 18;
        if (dash ? text[i] != '-' : !isdigit((unsigned char)text[i]) && !(last && text[i] == 'X'))
            return false;
        if (!dash && !last)
            sum = (sum + text[i] - '0') * 2;
    }
    int check = (12 - sum % 11) % 11;
    return text[18] == (check == 10 ? 'X' : '0' + check);
}

static ifd_status check_orcid(const char *orcid, const ifd_place *place, ifd_note *note)
{
    if (is_orcid(orcid))
        return IFD_OK;
    return ifd_note_add(note, IFD_SYNTAX, place,
                        "orcid '%s': expected 16 digits with their check digit, such as 0000-0002-1825-0097", orcid);
}

static ifd_status check_doi(const char *doi, const ifd_place *place, ifd_note *note)
{
    if (strncmp(doi, "10.", 3) == 0 && strchr(doi, '/'))
        return IFD_OK;
    return ifd_note_add(note, IFD_SYNTAX, place, "doi '%s': expected 10.NUMBER/TEXT, such as 10.5281/zenodo.1234",
                        doi);
}

ifd_status ifd_publication_check(const ifd_publication *p, const ifd_place *place, ifd_note *note)
{
    if (p->licence)
        IFD_TRY(check_licence(p->licence, place, note));
    if (p->doi)
        IFD_TRY(check_doi(p->doi, place, note));
    for (int i = 0; i < p->authors; i++)
        if (p->author[i].orcid)
            IFD_TRY(check_orcid(p->author[i].orcid, place, note));
    return IFD_OK;
}

static const char *text_of(const ifd__fields *f, const char *name)
{
    const ifd_value *v = ifd__field(f, name);
    return v->given && v->word && *v->word ? v->word : NULL;
}

static void read_author(ifd__reader *r, const ifd__node *node, ifd_author *out)
{
    ifd__fields f;
    if (node->kind == IFD__SCALAR && !ifd__yaml_empty(node)) {
        out->name = node->text;
        return;
    }
    if (ifd__yaml_expect(node, IFD__MAPPING, r->note) != IFD_OK)
        return;
    ifd__fields_read(r, node, &ifd__section_author, "author", &f);
    *out = (ifd_author){text_of(&f, "name"), text_of(&f, "affiliation"), text_of(&f, "orcid")};
    if (out->orcid)
        check_orcid(out->orcid, &ifd__field(&f, "orcid")->place, r->note);
}

static void read_authors(ifd__reader *r, const ifd__node *list, ifd_publication *p)
{
    if (!list || ifd__yaml_expect(list, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    ifd_author *author = ifd_arena_array(r->arena, (size_t)list->count + 1, sizeof *author);
    if (!ifd__in_memory(r, author))
        return;
    for (const ifd__node *n = list->first; n; n = n->next)
        read_author(r, n, &author[p->authors++]);
    p->author = author;
}

void ifd__read_publication(ifd__reader *r, const ifd__node *node)
{
    ifd__fields f;
    ifd_publication *p = &r->c->publication;
    ifd__fields_read(r, node, &ifd__section_publication, "publication", &f);
    read_authors(r, ifd__part(&f, "authors"), p);
    ifd__yaml_names(r->arena, ifd__part(&f, "keywords"), &p->keyword, &p->keywords, r->note);
    p->description = text_of(&f, "description");
    p->licence = text_of(&f, "licence");
    p->doi = text_of(&f, "doi");
    if (p->licence)
        check_licence(p->licence, &ifd__field(&f, "licence")->place, r->note);
    if (p->doi)
        check_doi(p->doi, &ifd__field(&f, "doi")->place, r->note);
}
