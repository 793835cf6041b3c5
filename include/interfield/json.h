/* SPDX-License-Identifier: MIT */
/* JSON: writer for summary.json and the output of commands with --json.
 *
 *     ifd_json j;
 *     ifd_json_init(&j, arena);
 *     ifd_json_object(&j, NULL);                       // the key is NULL at the top and inside a list
 *     ifd_json_text(&j, "title", "Bridge");
 *     ifd_json_list(&j, "frequencies");
 *     ifd_json_number(&j, NULL, 1.25);
 *     ifd_json_end(&j);
 *     ifd_json_end(&j);
 *     puts(ifd_json_done(&j));                         // NULL: out of memory
 *
 * Numbers are the shortest exact decimals; NaN and infinities become null, as JSON has none. Text is UTF-8; invalid
 * bytes are replaced. */
#ifndef INTERFIELD_JSON_H
#define INTERFIELD_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <interfield/arena.h>
#include <interfield/status.h>

IFD_BEGIN_DECLS

enum { IFD_JSON_DEPTH = 16 };

typedef struct ifd_json {
    ifd_arena *arena;
    char *text;
    size_t length, size;
    int depth;
    char closer[IFD_JSON_DEPTH]; /* '}' or ']' of each open level */
    int count[IFD_JSON_DEPTH];   /* values written in each level so far */
    bool inside;                 /* the present list contains objects or lists: one per line */
    bool failed;                 /* out of memory */
} ifd_json;

/* init starts an empty text in the arena; object and list open a level, end closes it. key: NULL in a list and at the
 * top. */
IFD_API void ifd_json_init(ifd_json *j, ifd_arena *arena);
IFD_API void ifd_json_object(ifd_json *j, const char *key);
IFD_API void ifd_json_list(ifd_json *j, const char *key);
IFD_API void ifd_json_end(ifd_json *j);
IFD_API void ifd_json_number(ifd_json *j, const char *key, double value);
IFD_API void ifd_json_integer(ifd_json *j, const char *key, long value);
IFD_API void ifd_json_text(ifd_json *j, const char *key, const char *value); /* NULL becomes null */
IFD_API void ifd_json_flag(ifd_json *j, const char *key, bool value);
IFD_API void ifd_json_numbers(ifd_json *j, const char *key, int count, const double *value);

/* Several members of the present object, or an object of them, in C: a key and a value each, which is written as its
 * type asks for: a flag, a text, a whole number or a number.
 *
 *     IFD_JSON_PUT(&j, IFD_JSON("name", kind->name), IFD_JSON("order", kind->order));
 *     IFD_JSON_OBJECT(&j, "gap", IFD_JSON("displacement", gap[0]), IFD_JSON("velocity", gap[1])); */
typedef struct ifd_json_member {
    const char *key; /* NULL: the end of the members */
    double number;
    long whole; /* of a flag 0 or 1 */
    const char *text;
    enum { IFD_JSON_AS_NUMBER, IFD_JSON_AS_WHOLE, IFD_JSON_AS_TEXT, IFD_JSON_AS_FLAG } as;
} ifd_json_member;
IFD_API ifd_json_member ifd_json_of_number(const char *key, double value);
IFD_API ifd_json_member ifd_json_of_integer(const char *key, long value);
IFD_API ifd_json_member ifd_json_of_text(const char *key, const char *value);
IFD_API ifd_json_member ifd_json_of_flag(const char *key, bool value);
IFD_API void ifd_json_put(ifd_json *j, const ifd_json_member *member);
IFD_API void ifd_json_put_object(ifd_json *j, const char *key, const ifd_json_member *member);
#define IFD_JSON(key, value)                                                                                         \
    _Generic((value), bool                                                                                           \
             : ifd_json_of_flag, double                                                                              \
             : ifd_json_of_number, char *                                                                            \
             : ifd_json_of_text, const char *                                                                        \
             : ifd_json_of_text, default                                                                             \
             : ifd_json_of_integer)(key, value)
#define IFD_JSON_PUT(j, ...) ifd_json_put(j, (const ifd_json_member[]){__VA_ARGS__, {0}})
#define IFD_JSON_OBJECT(j, key, ...) ifd_json_put_object(j, key, (const ifd_json_member[]){__VA_ARGS__, {0}})

/* The complete text, without a final line end. All levels must be closed. */
IFD_API const char *ifd_json_done(ifd_json *j);

/* JSON reader: a tree in an arena.
 *
 *     ifd_json_node *root;
 *     IFD_TRY(ifd_json_read_file(arena, "runs/demo/summary.json", &root, note));
 *     double late = ifd_json_number_at(root, "clock/late_max", 0.0); */
typedef enum ifd_json_kind {
    IFD_JSON_NULL,
    IFD_JSON_FLAG,
    IFD_JSON_NUMBER,
    IFD_JSON_TEXT,
    IFD_JSON_LIST,
    IFD_JSON_OBJECT
} ifd_json_kind;

typedef struct ifd_json_node {
    ifd_json_kind kind;
    const char *key;  /* in an object; NULL otherwise */
    const char *text; /* of a text */
    double number;    /* of a number; 0 or 1 of a flag */
    struct ifd_json_node *first, *next;
} ifd_json_node;

/* name: used in messages. Nesting deeper than IFD_JSON_DEPTH is refused. */
IFD_API ifd_status ifd_json_read(ifd_arena *arena, const char *name, const char *text, size_t length,
                                 ifd_json_node **out, ifd_note *note);
IFD_API ifd_status ifd_json_read_file(ifd_arena *arena, const char *path, ifd_json_node **out, ifd_note *note);
/* The value at a path of keys, "clock/granted/fifo"; NULL: none. */
IFD_API const ifd_json_node *ifd_json_at(const ifd_json_node *node, const char *path);
IFD_API double ifd_json_number_at(const ifd_json_node *node, const char *path, double otherwise);
IFD_API const char *ifd_json_text_at(const ifd_json_node *node, const char *path, const char *otherwise);

IFD_END_DECLS
#endif
