/* SPDX-License-Identifier: MIT */
/* Case files: one readable YAML file says what to run (docs/case.md, `interfield help case`).
 *
 *     ifd_case *c;
 *     ifd_note note;
 *     ifd_note_init(&note, arena);
 *     if (ifd_case_read(arena, "case.yaml", 0, NULL, &c, &note) != IFD_OK)
 *         ifd_note_print(&note, stderr, true);                       // every error of the file
 *     ifd_run_make(arena, &c->run, &r, &note); */
#ifndef INTERFIELD_CASE_H
#define INTERFIELD_CASE_H

#include <interfield/characterise.h>
#include <interfield/hybrid.h>
#include <interfield/opensees.h>
#include <interfield/structures.h>
#include <interfield/virtual.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A piece of a structure as the case describes it, for those who draw it: a frame, a shear building, or an element
 * between two dofs. Nothing is computed from it. */
typedef struct ifd_case_piece {
    struct ifd_case_piece *next;
    const char *part; /* the substructure that it was given in; NULL: the whole structure, before it was cut */
    const ifd_frame *frame;
    const ifd_building *building;
    const char *name, *kind; /* of an element: "brace 2", "steel" */
    const char *from, *to;   /* its dofs; NULL: the ground or a support */
} ifd_case_piece;

/* What belongs to the day of a test rather than to the structure. Texts are "" or NULL when not given. */
typedef struct ifd_day {
    const char *by, *specimen, *notes; /* operator; which piece stands on the rig */
    double scale;                      /* of motions, loads and initial state; 1 in the test itself */
    bool rehearsal;                    /* the rig stays where it is, its twin answers */
    const char *continues;             /* the result whose checkpoint this one goes on from */
    double missed_deadlines;           /* late ticks that a completed test may have; INFINITY: any number */
    ifd_characterise_options characterise;
} ifd_day;

/* What is known of a test's preflight, for its summary (certificate.h). */
typedef struct ifd_case_preflight {
    const char *certificate, *verdict; /* number, and "GO"; NULL: none that holds */
    bool skipped;                      /* on purpose */
} ifd_case_preflight;

/* What those who find a result in a data repository need to know. Texts are NULL when not given. */
typedef struct ifd_author {
    const char *name, *affiliation;
    const char *orcid; /* "0000-0002-1825-0097" */
} ifd_author;
typedef struct ifd_publication {
    const char *description;
    const char *licence; /* identifier of SPDX: "CC-BY-4.0" */
    const char *doi;     /* of the data, where one is reserved: "10.5281/zenodo.1234" */
    int authors;
    const ifd_author *author;
    int keywords;
    const char *const *keyword;
} ifd_publication;

/* A licence that data are usually given under; NULL: none of these. */
typedef struct ifd_licence {
    const char *id, *title, *url;
} ifd_licence;
IFD_API const ifd_licence *ifd_licence_find(const char *id);
/* Whether licence, ORCIDs and DOI are written as such; IFD_SYNTAX, noted, when one is not. A licence of the right
 * form that is none of the usual ones is remarked. */
IFD_API ifd_status ifd_publication_check(const ifd_publication *p, const ifd_place *place, ifd_note *note);

/* Native code, a plug-in or an FMU, that the case names and that was not loaded: what depends on it was not
 * examined. */
typedef struct ifd_case_unloaded {
    struct ifd_case_unloaded *next;
    const char *path;
    ifd_place place;
} ifd_case_unloaded;

typedef struct ifd_case {
    const char *path, *title;
    const char *text;           /* the case file as it was read, followed by the overrides as comments */
    ifd_run_options run;        /* model, method, step, end, what to record, specimens */
    ifd_hybrid_options *test;   /* specimens stand on a rig; NULL: nothing to test */
    const char *zero_file;      /* that holds the tares, or will; NULL when the case names none */
    ifd_laboratory *laboratory; /* of the same specimens, wherever the rig is: what `interfield rig` serves */
    ifd_laboratory *twin;       /* what a real rig is like, where the case says so; NULL: it does not */
    double twin_delay;          /* s, of commands and measurements on their way */
    double error_bound;         /* rms error that preflight may predict, relative (preflight.h) */
    ifd_day day;
    ifd_opensees_options *opensees; /* who computes the structure, when it is not this program; else NULL */
    ifd_case_preflight preflight;
    bool csv;                         /* also write result.csv */
    bool stages;                      /* of a test: also keep how long each stage of a tick took */
    ifd_dof_kind direction;           /* of the ground motion, X when none */
    ifd_storey_drift *drift;          /* the first, NULL when there is none */
    const struct ifd__yaml *doc;      /* what was read, for ifd_case_quote */
    const struct ifd__bundle *bundle; /* the files it was read from, for ifd_case_bundle */
    ifd_case_unloaded *unloaded;      /* the first, NULL when there is none */
    int setup_notes; /* remarks of reading and set-up: what was condensed, which dofs are first-order, ... */
    const char *const *setup_note;
    ifd_case_piece *piece; /* the first, NULL when there is none; in no particular order */
    ifd_publication publication;
} ifd_case;

/* Reading a case runs no code of others unless it is asked for. files: what may be loaded for a recorded case, where
 * nothing but these is, and only when their hash is the recorded one. A shared object or FMU must belong to the user
 * or root and be writable by nobody else (docs/security.md). */
typedef struct ifd_case_code {
    bool load;
    int files;
    const char *const *file;
} ifd_case_code;

/* sets: count overrides "key.sub=value". Errors are all in note; the status is that of the first. No code is loaded:
 * the FMUs and the rig that c->unloaded names cannot be opened, and IFD_UNLOADED, without an error in note and with
 * *out set, says that the model could not be made for want of one. */
IFD_API ifd_status ifd_case_read(ifd_arena *arena, const char *path, int count, const char *const *sets,
                                 ifd_case **out, ifd_note *note);

/* The same of a text in memory, read as if it were the file `path`, beside which included files, motions and matrices
 * are looked for; there need not be such a file. */
typedef struct ifd_case_source {
    const char *path;
    const char *text; /* NULL: what the file holds */
    int sets;         /* overrides, as above */
    const char *const *set;
    ifd_case_code code;
} ifd_case_source;
IFD_API ifd_status ifd_case_read_source(ifd_arena *arena, const ifd_case_source *source, ifd_case **out,
                                        ifd_note *note);

/* Everything the case was read from, included files, motions, matrices and overrides, as one text of *length
 * characters; NULL when memory is out. From it the same case can be read anywhere; only files of more than 16 MB and
 * shared objects must still be where they were. */
IFD_API const char *ifd_case_bundle(ifd_arena *arena, const ifd_case *c, size_t *length);
IFD_API ifd_status ifd_case_read_bundle(ifd_arena *arena, const char *bundle, size_t length, ifd_case **out,
                                        ifd_note *note);
/* As ifd_case_read_bundle, with the code that the caller allows; code may be NULL. */
IFD_API ifd_status ifd_case_read_bundle_as(ifd_arena *arena, const char *bundle, size_t length,
                                           const ifd_case_code *code, ifd_case **out, ifd_note *note);

/* A case whose test is the characterisation of the specimens of c (characterise.h): its program in the place of the
 * structure, led by the same machine on the same rig under the same limits. c has a test, and must outlive it. */
IFD_API ifd_status ifd_case_characterise(ifd_arena *arena, const ifd_case *c, ifd_case **out, ifd_note *note);

/* Gives findings that came after reading, such as those of ifd_run_make, the lines of the file that they speak of. */
IFD_API void ifd_case_quote(const ifd_case *c, ifd_note *note);

/* The documentation of the case file, by topic ("case", "time", "method", "element", ...), generated from the same
 * tables that read it. NULL when there is no such topic. */
IFD_API const char *ifd_case_help(ifd_arena *arena, const char *topic);

#ifdef __cplusplus
}
#endif
#endif
