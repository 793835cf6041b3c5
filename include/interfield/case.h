/* SPDX-License-Identifier: MIT */
/* Case files in YAML define a run or a test (docs/reference/case.md, `interfield help case`).
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
#include <interfield/several.h>

IFD_BEGIN_DECLS

/* A tie, in drawings: nodes that follow a master, or an equation, slave = sum of coefficient[i] * name[i]. */
typedef struct ifd_case_tie {
    bool rigid;        /* nodes that follow */
    bool own;          /* the master is a new node */
    const char *slave; /* the dof; of a rigid body its master */
    double at[3];      /* m, of the master */
    int count;
    const char *const *name; /* nodes or dofs */
    const double *coefficient;
} ifd_case_tie;

/* A component of a structure for drawings only: a frame, a shear building, a tie, a force on the dof `to`, or an
 * element or specimen between two dofs. */
typedef struct ifd_case_piece {
    struct ifd_case_piece *next;
    const char *part; /* substructure that contains it; NULL: the structure as one model */
    const ifd_frame *frame;
    const double *weight; /* N, downwards on each node of the frame; NULL: none */
    const ifd_building *building;
    const ifd_case_tie *tie;
    const char *name, *kind; /* of an element: "brace 2", "steel"; kind "specimen", "load" */
    const char *from, *to;   /* its dofs; NULL: the ground or a support */
} ifd_case_piece;

/* An element or specimen along a chord. */
typedef struct ifd_case_chord {
    struct ifd_case_chord *next;
    const char *part; /* substructure that contains it; NULL: the structure as one model */
    const char *name;
    const char *from, *to; /* nodes; NULL: a point of the ground */
    const char *row;       /* its elongation: "0.8 c.x + 0.6 c.y" */
    double length;         /* m, without loads */
    double at[2][3];       /* m, its ends */
    int terms;             /* of the row: names of dofs and supports, and their coefficients */
    const char **term;
    const double *coefficient;
    double start;    /* m, elongation in the gravity state; 0: none */
    bool loaded;     /* its elongation counts from there */
    ifd_place place; /* of that key */
} ifd_case_chord;

/* The points of a soil spring: p-y, t-z, q-z. */
typedef struct ifd_case_spring {
    struct ifd_case_spring *next;
    const char *part; /* substructure that contains it; NULL: the structure as one model */
    const char *name, *kind;
    int points;
    const double *q, *r; /* m, N */
} ifd_case_spring;

/* Data of the day of a test, independent of the structure. Texts are "" or NULL if not given. */
typedef struct ifd_day {
    const char *by, *specimen, *notes; /* operator; identification of the specimen */
    double scale;                      /* of motions, loads and initial state; 1 in the actual test */
    bool rehearsal;                    /* the rig holds its position and its twin supplies the response */
    const char *continues;             /* the result with the checkpoint from which this test continues */
    double missed_deadlines;           /* permitted late ticks of a completed test; INFINITY: no limit */
    ifd_characterise_options characterise;
    const char *start_at;   /* instant of t = 0 as written; NULL: as soon as the rig is ready */
    double start_tolerance; /* s, permitted error of the clock of this machine */
    bool start_any_clock;   /* also if it is not synchronised */
    const char *stop_chain; /* file of proofs (stop_chain.h); NULL: beside the case */
    double stop_chain_days; /* for which a proof is valid */
    bool stop_keeps_power;  /* the emergency stop brakes the rig, but cuts no power */
    int checks;             /* lines that the operator of a real rig answers after arm */
    const char **check;
    double second_person; /* scale from which on a second person confirms; INFINITY: never */
} ifd_day;

/* Preflight of a test, for its summary (certificate.h). */
typedef struct ifd_case_preflight {
    const char *certificate, *verdict; /* number, and "GO"; NULL: no valid certificate */
    bool skipped;                      /* deliberately */
} ifd_case_preflight;

/* Metadata of a result for a data repository. Texts are NULL if not given. */
typedef struct ifd_author {
    const char *name, *affiliation;
    const char *orcid; /* "0000-0002-1825-0097" */
} ifd_author;
typedef struct ifd_publication {
    const char *description;
    const char *licence; /* identifier of SPDX: "CC-BY-4.0" */
    const char *doi;     /* reserved for the data: "10.5281/zenodo.1234" */
    int authors;
    const ifd_author *author;
    int keywords;
    const char *const *keyword;
} ifd_publication;

/* A common licence of data; NULL: none of these. */
typedef struct ifd_licence {
    const char *id, *title, *url;
} ifd_licence;
IFD_API const ifd_licence *ifd_licence_find(const char *id);
/* Checks the form of licence, ORCIDs and DOI; IFD_SYNTAX with a note if one is invalid. A valid licence that is not
 * common causes a remark. */
IFD_API ifd_status ifd_publication_check(const ifd_publication *p, const ifd_place *place, ifd_note *note);

/* Native code (plug-in or FMU) named by the case and not loaded; dependent data are not examined. */
typedef struct ifd_case_unloaded {
    struct ifd_case_unloaded *next;
    const char *path;
    ifd_place place;
} ifd_case_unloaded;

typedef struct ifd_case {
    const char *path, *title;
    const char *text;           /* the case file, followed by the overrides as comments */
    ifd_run_options run;        /* model, method, step, end, recorded quantities, specimens */
    ifd_hybrid_options *test;   /* NULL: no specimens on a rig */
    const char *zero_file;      /* file with the tares, existing or not; NULL: none named */
    ifd_laboratory *laboratory; /* virtual rig with the same specimens; `interfield rig` serves it */
    ifd_laboratory *twin;       /* model of a real rig; NULL: not given */
    int specimen_models;        /* specimens that are models: a run computes them with the structure */
    double twin_delay;          /* s, of the transmission of commands and measurements */
    double error_bound;         /* permitted rms error predicted by preflight, relative (preflight.h) */
    ifd_day day;
    ifd_opensees_options *opensees; /* OpenSees computes the structure; else NULL */
    ifd_case_preflight preflight;
    bool csv;                         /* also write result.csv */
    bool stages;                      /* of a test: also record the duration of each stage of a tick */
    ifd_dof_kind direction;           /* of the ground motion; X if there is none */
    ifd_storey_drift *drift;          /* first storey drift; NULL: none */
    const struct ifd__yaml *doc;      /* parsed file, for ifd_case_quote */
    const struct ifd__bundle *bundle; /* source files, for ifd_case_bundle */
    ifd_case_unloaded *unloaded;      /* first one; NULL: none */
    int setup_notes;                  /* remarks of reading and set-up: condensed and first-order dofs, ... */
    const char *const *setup_note;
    ifd_case_piece *piece;   /* first one, unordered; NULL: none */
    ifd_case_chord *chord;   /* first one, unordered; NULL: none */
    ifd_case_spring *spring; /* first one, in the order of reading; NULL: none */
    ifd_publication publication;
    bool unstable; /* the stiffness at rest is negative in some motion, as the case wishes (`unstable: yes`) */
} ifd_case;

/* Reading a case runs native code only with permission. files: code permitted for a recorded case, loaded only if its
 * hash matches the record. A shared object or FMU must belong to the user or root, without write access for others
 * (docs/guide/security.md). */
typedef struct ifd_case_code {
    bool load;
    int files;
    const char *const *file;
} ifd_case_code;

/* sets: count overrides "key.sub=value". note contains all errors; the status is that of the first. No code is
 * loaded: FMUs and the rig in c->unloaded cannot be opened. IFD_UNLOADED, with *out set and no error in note: the
 * model cannot be built without this code. */
IFD_API ifd_status ifd_case_read(ifd_arena *arena, const char *path, int count, const char *const *sets,
                                 ifd_case **out, ifd_note *note);

/* The same for a text in memory. path is the assumed location of the text, relative to which included files, motions
 * and matrices are found; the file need not exist. */
typedef struct ifd_case_source {
    const char *path;
    const char *text; /* NULL: read the file */
    int sets;         /* overrides, as above */
    const char *const *set;
    ifd_case_code code;
    /* This process among several that make the run together (couple.h); ranks 0: alone. Substructures of the others
     * then have dofs and masses only, where the record permits it: the case is for ifd_run_make with ifd_ranks. */
    int rank, ranks;
} ifd_case_source;
IFD_API ifd_status ifd_case_read_source(ifd_arena *arena, const ifd_case_source *source, ifd_case **out,
                                        ifd_note *note);

/* All source files of the case (included files, motions, matrices and overrides) as one text of *length characters;
 * NULL: out of memory. The case can be read from it on another machine. Only files of more than 16 MB and shared
 * objects must still be in place. */
IFD_API const char *ifd_case_bundle(ifd_arena *arena, const ifd_case *c, size_t *length);
IFD_API ifd_status ifd_case_read_bundle(ifd_arena *arena, const char *bundle, size_t length, ifd_case **out,
                                        ifd_note *note);
/* As ifd_case_read_bundle, with the permitted code; code may be NULL. */
IFD_API ifd_status ifd_case_read_bundle_as(ifd_arena *arena, const char *bundle, size_t length,
                                           const ifd_case_code *code, ifd_case **out, ifd_note *note);

/* A case for the characterisation of the specimens of c (characterise.h): loading protocol instead of the structure,
 * with the same state machine, rig and limits. c has a test and must outlive the new case. */
IFD_API ifd_status ifd_case_characterise(ifd_arena *arena, const ifd_case *c, ifd_case **out, ifd_note *note);

/* Adds lines of the case file to findings after reading, such as those of ifd_run_make. */
IFD_API void ifd_case_quote(const ifd_case *c, ifd_note *note);

/* Documentation of the case file by topic ("case", "time", "method", "element", ...), from the tables of the reader.
 * NULL: unknown topic. */
IFD_API const char *ifd_case_help(ifd_arena *arena, const char *topic);

IFD_END_DECLS
#endif
