/* SPDX-License-Identifier: MIT */
/* Status codes and notes: error reports of the set-up.
 *
 * Every function that can fail during set-up returns an ifd_status. Functions that read user input also fill an
 * ifd_note: a list of findings, each with file, line, column, found and expected value. All errors of a file are thus
 * reported together.
 *
 *     ifd_note note;
 *     ifd_note_init(&note, arena);
 *     if (ifd_case_read(arena, "bridge.yaml", &c, &note) != IFD_OK)
 *         for (const ifd_finding *f = note.first; f; f = f->next)
 *             fprintf(stderr, "%s:%d:%d: %s\n", f->file, f->line, f->column, f->text);
 *
 * Findings are stored in the arena of the note. Nothing here is used on the tick path. */
#ifndef INTERFIELD_STATUS_H
#define INTERFIELD_STATUS_H

/* Around the declarations of a header, for programs in C++. */
#ifdef __cplusplus
#define IFD_BEGIN_DECLS extern "C" {
#define IFD_END_DECLS }
#else
#define IFD_BEGIN_DECLS
#define IFD_END_DECLS
#endif

IFD_BEGIN_DECLS

#if defined(__GNUC__)
#define IFD_API __attribute__((visibility("default")))
#define IFD_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define IFD_API
#define IFD_PRINTF(f, a)
#endif

/* Marks a function for the tick path: it allocates nothing, locks nothing, and its operation count is fixed at
 * set-up. */
#define IFD_RT

/* Status codes: name, sentence. */
#define IFD_STATUS_LIST(X)                                                                                           \
    X(OK, "success")                                                                                                 \
    X(NO_MEMORY, "not enough memory")                                                                                \
    X(FILE, "a file cannot be opened or read")                                                                       \
    X(SYNTAX, "the text does not follow its format")                                                                 \
    X(UNKNOWN_KEY, "a key is unknown in this context")                                                               \
    X(MISSING_KEY, "a required key is missing")                                                                      \
    X(DUPLICATE, "a name or key appears twice")                                                                      \
    X(SHAPE, "a value has the wrong shape (scalar, list, mapping or size)")                                          \
    X(NUMBER, "a number is expected")                                                                                \
    X(NOT_FINITE, "a number is not finite")                                                                          \
    X(UNIT, "a unit is unknown or of the wrong dimension")                                                           \
    X(RANGE, "a value is outside its permitted range")                                                               \
    X(UNKNOWN_NAME, "a name is not defined")                                                                         \
    X(UNKNOWN_CHOICE, "a word is not one of the permitted choices")                                                  \
    X(CONFLICT, "two settings contradict each other")                                                                \
    X(INCLUDE, "an include cannot be resolved")                                                                      \
    X(RECORD, "a ground-motion record is damaged or inconsistent")                                                   \
    X(MATRIX, "a matrix file is damaged or inconsistent")                                                            \
    X(NOT_SYMMETRIC, "a matrix must be symmetric and is not")                                                        \
    X(NOT_POSITIVE, "a matrix must be positive definite and is not")                                                 \
    X(SINGULAR, "a system of equations has no unique solution")                                                      \
    X(MASSLESS, "degrees of freedom without mass cannot be used here")                                               \
    X(TOO_LARGE, "the problem exceeds a limit of the chosen algorithm")                                              \
    X(UNSUPPORTED, "the combination is not supported")                                                               \
    X(PLUGIN, "a shared object cannot be used")                                                                      \
    X(PEER, "another process or machine cannot be reached, or refuses")                                              \
    X(DIVERGED, "the run diverged")                                                                                  \
    X(INTERRUPTED, "the run was interrupted")                                                                        \
    X(OUTPUT, "a result cannot be written")                                                                          \
    X(INTERNAL, "an internal error; please report it")                                                               \
    X(DAMAGED, "a file of a result is damaged")                                                                      \
    X(UNLOADED, "the case names native code, which is not loaded here")

typedef enum ifd_status {
#define IFD_STATUS_ENUM(name, text) IFD_##name,
    IFD_STATUS_LIST(IFD_STATUS_ENUM)
#undef IFD_STATUS_ENUM
        IFD_STATUS_COUNT
} ifd_status;

/* The sentence of a code, and its name ("UNKNOWN_KEY"). */
IFD_API const char *ifd_status_text(ifd_status code);
IFD_API const char *ifd_status_name(ifd_status code);

/* A place in a text. file NULL: not from a file; line, column count from 1; width in characters. */
typedef struct ifd_place {
    const char *file;
    int line, column, width;
} ifd_place;

typedef struct ifd_finding {
    struct ifd_finding *next;
    ifd_status code;
    ifd_place place;
    const char *subject; /* key of the invalid value ("mass"), to be located by the reader of the file; else NULL */
    const char *text;    /* found and expected values */
    const char *hint;    /* recommended action, or NULL */
    const char *source;  /* the line of the file, or NULL */
} ifd_finding;

struct ifd_arena;

typedef struct ifd_note {
    struct ifd_arena *arena;
    ifd_finding *first, *last;
    int errors;
    ifd_finding *remark_first, *remark_last; /* remarks that are not errors, in order */
} ifd_note;

/* Empties it. The arena stores later findings and must outlive the note. */
IFD_API void ifd_note_init(ifd_note *note, struct ifd_arena *arena);

/* Adds an error and returns code, for `return ifd_note_add(...)`. note and place may be NULL. */
IFD_API ifd_status ifd_note_add(ifd_note *note, ifd_status code, const ifd_place *place, const char *format, ...)
    IFD_PRINTF(4, 5);

/* The same for an error without a known place: subject is its key. */
IFD_API ifd_status ifd_note_about(ifd_note *note, ifd_status code, const char *subject, const char *format, ...)
    IFD_PRINTF(4, 5);

/* The same as ifd_note_add with a hint, a constant text. */
IFD_API ifd_status ifd_note_advise(ifd_note *note, ifd_status code, const ifd_place *place, const char *hint,
                                   const char *format, ...) IFD_PRINTF(5, 6);

/* Sets the hint of the last error added. */
IFD_API void ifd_note_hint(ifd_note *note, const char *format, ...) IFD_PRINTF(2, 3);

/* Adds a remark (for example: condensed massless dofs), which is not an error. */
IFD_API void ifd_note_remark(ifd_note *note, const ifd_place *place, const char *format, ...) IFD_PRINTF(3, 4);

/* Returns from the calling function if a status is not IFD_OK. */
#define IFD_TRY(call)                                                                                                \
    do {                                                                                                             \
        ifd_status ifd_try_status_ = (call);                                                                         \
        if (ifd_try_status_ != IFD_OK)                                                                               \
            return ifd_try_status_;                                                                                  \
    } while (0)

IFD_END_DECLS
#endif
