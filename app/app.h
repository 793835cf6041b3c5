/* SPDX-License-Identifier: MIT */
/* Common parts of the commands: their table, the command line, messages and JSON output.
 *
 * Text output goes to stdout, errors and the progress bar to stderr. With --json stdout receives one JSON object and
 * no other text; with --quiet only errors are printed. */
#pragma once

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <interfield/arena.h>
#include <interfield/case.h>
#include <interfield/json.h>
#include <interfield/param.h>
#include <interfield/status.h>
#include <interfield/study.h>

/* The exit statuses; outcome.h lists the outcomes of each. */
enum { EXIT_FINE = 0, EXIT_RUN_FAILED = 1, EXIT_BAD_INPUT = 2, EXIT_CAUTION = 3, EXIT_HUNG = 4 };
enum { MOST_WORDS = 48, MOST_OPTIONS = 128, COMMAND_OPTIONS = 32 };

typedef struct option {
    const char *name; /* "--out"; NULL after the last option */
    const char
        *value; /* the argument, "DIR"; NULL for a switch; "X Y": two arguments, stored as two options of this name;
                        * "[N]": an optional whole number */
    const char *doc;
} option;
/* Lists of `interfield list` beside IFD_CATALOGUE_LISTS. */
#define APP_LISTS "cases|studies|papers"
#define OPTION_SET                                                                                                   \
    {                                                                                                                \
        "--set", "KEY=VALUE",                                                                                        \
            "set a key of the case, e.g. time.step=1ms or specimen.NAME.limits.force=5kN; may be repeated"           \
    }

#define OPTION_OUT                                                                                                   \
    {                                                                                                                \
        "--out", "DIR", "folder for the result (default: runs/<case>-NNN with the next free number)"                 \
    }

#define OPTION_LOAD                                                                                                  \
    {                                                                                                                \
        "--load", NULL, "also load the plug-ins and FMUs of the case; their code runs with your rights"              \
    }

typedef struct app app;

/* Whether a command loads native code of a case or of the command line. */
typedef enum code_rule {
    CODE_NEVER, /* files are read as data only; the default */
    CODE_ASKED, /* with --load, or for a record with --allow-plugin */
    CODE_RUN,   /* the command runs the code */
} code_rule;

/* The description of a command: the last lines of its file, app/commands/<name>.c. */
typedef struct command {
    const char *name;
    const char *words;    /* "CASE"; in square brackets if optional */
    const char *summary;  /* one line, imperative, at most 64 characters */
    const char *details;  /* description for `interfield help COMMAND`, without line ends */
    const char *examples; /* one command per line */
    const char *see;      /* related commands and pages of the documentation, "plot report.md" */
    option options[COMMAND_OPTIONS];
    int (*run)(app *a);
    code_rule code;
    bool computes;      /* needs a structure that this program computes */
    bool fmu_parts;     /* accepts substructures that are FMUs, without their models */
    bool partial;       /* reports which parts of a case it did not examine because code was not loaded */
    bool own_key;       /* --key belongs to the command, not to the rig of the case */
    bool tables;        /* its lines end at column 80 also in a file or pipe */
    unsigned outcomes;  /* OUTCOME_BIT of its outcomes other than completed, failed and bad input */
    const char *failed; /* meaning of "failed" for this command; NULL: memory or file errors only */
} command;

/* Commands that other files name; commands.def lists all of them, each a file of its own. */
extern const command command_preflight, command_reduce, command_reproduce, command_run, command_serve, command_study,
    command_test;
extern const command *const commands[]; /* of the program interfield; the last is NULL */
const command *command_find(const char *name);
/* The title of the group of commands that begins with this command; NULL for the other commands of the group. */
const char *command_group(const command *c);
/* "run|check|..." */
const char *command_names(ifd_arena *arena);

/* Other processes that make the same run (interfield-mpi). */
typedef struct together {
    ifd_ranks ranks;
    /* Collective: the largest of the numbers of all processes; *who: the lowest rank that has it. */
    int (*agree)(void *self, int mine, int *who);
    /* Collective: rank 0 receives the texts of all processes, by rank; the others, and without memory: NULL. */
    const char **(*tell)(void *self, ifd_arena *arena, const char *mine);
    /* The members of a study: rank 0 deals them out, the others compute until it has ended. */
    ifd_status (*deal)(void *self, ifd_study_store *store, const ifd_study *s, const ifd_study_options *o,
                       ifd_note *note);
    ifd_status (*serve)(void *self, const ifd_study *s, const ifd_study_options *o, ifd_note *note);
} together;

struct app {
    together *together; /* NULL: this process alone */
    bool apart;         /* with together: the case is read for the substructures of this process */
    const command *command;
    char **arguments; /* the arguments after the command; the last is NULL */
    ifd_arena *arena;
    ifd_arena *books; /* for results and their notes; the other arena is sealed during a run or test */
    ifd_note note;
    bool json, quiet;
    bool colour_out, colour_err; /* stdout, stderr may be coloured */
    int width;                   /* columns of a line of stdout; 0: any number */
    bool put;                    /* the JSON object was written */
    int refused;                 /* the exit status if a case could not be read */
    char complaint[400];         /* the last error of the command line */
    int words, options;
    const char *word[MOST_WORDS];
    const char *option[MOST_OPTIONS], *value[MOST_OPTIONS];
    const ifd_finding *remarked; /* the last remark that was printed */
};

/* Closes a file; true if everything was written. NULL, a file that could not be opened: false. */
bool file_close(FILE *file);
/* The same with an error message. */
bool file_written(app *a, FILE *file, const char *path);

/* Holds a mutex to the end of the block, on every way out. */
#define HOLD(mutex)                                                                                                  \
    pthread_mutex_t *held_ __attribute__((cleanup(lock_leave), unused)) = (mutex);                                   \
    pthread_mutex_lock(held_)
static inline void lock_leave(pthread_mutex_t **mutex)
{
    pthread_mutex_unlock(*mutex);
}

/* Monotonic time, ns. */
uint64_t clock_now(void);

/* The main function of a program: opens *a, calls dispatch, prints remaining errors; returns the exit status. */
int app_main(int argc, char **argv, int (*dispatch)(app *a, int argc, char **argv));
/* Parses the arguments of the command, then prints its help (--help) or runs it. */
int app_execute(app *a, int argc, char **argv);
/* Prints a text to stdout, or as JSON. */
int app_put_help(app *a, const char *topic, const char *text);
/* Options of every command. */
extern const option common_options[];
/* The text of `interfield help COMMAND`. */
void command_print(FILE *out, const command *c);
/* The text that print writes; NULL: out of memory. */
const char *app_capture(ifd_arena *arena, void (*print)(FILE *out, const command *c), const command *c);

/* Divides the arguments into words and options; false after an error message. */
bool app_parse(app *a, int argc, char **argv);
bool app_has(const app *a, const char *name);
/* The last value of an option; NULL if the option is absent. */
const char *app_value(const app *a, const char *name);
/* All values of an option, in order; returns their number. */
int app_values(const app *a, const char *name, const char **out);
/* The number of an option, or fallback if it is absent; false after an error message if it is not a number. */
bool app_number(app *a, const char *name, ifd_dimension dim, double fallback, double *out);
bool app_integer(app *a, const char *name, int least, int most, int *value);

/* Divides "NAME=VALUE" of an option; IFD_SYNTAX, with a note, for another form. */
ifd_status app_assignment(app *a, const char *whose, const char *text, const char **name, const char **value);

/* Prints an error, in colour on a terminal. */
void app_complain(app *a, const char *format, ...) IFD_PRINTF(2, 3);
/* The same; the value is EXIT_BAD_INPUT (refuse), EXIT_RUN_FAILED (give_up) or false (reject). */
#define app_refuse(...) (app_complain(__VA_ARGS__), EXIT_BAD_INPUT)
#define app_give_up(...) (app_complain(__VA_ARGS__), EXIT_RUN_FAILED)
#define app_reject(...) (app_complain(__VA_ARGS__), false)
/* Prints "WHAT 'word': did you mean 'a'?" for a word not in names, "a|b|c"; "(MORE)" if no name is similar. */
int app_refuse_unknown(app *a, const char *what, const char *word, const char *names, const char *more);
/* "a|b" and "c" as "a|b|c"; the names without change if memory is exhausted. */
const char *names_add(ifd_arena *arena, const char *names, const char *name);
/* The names, and those of a list of the catalogue. */
const char *names_add_list(ifd_arena *arena, const char *names, const char *list);
/* Prints the findings of a failed set-up; returns the exit status. */
int app_fail(app *a, ifd_status status);
/* Returns from a command with that exit status if a call of the library fails. */
#define APP_TRY(a, call)                                                                                             \
    do {                                                                                                             \
        ifd_status app_try_status_ = (call);                                                                         \
        if (app_try_status_ != IFD_OK)                                                                               \
            return app_fail(a, app_try_status_);                                                                     \
    } while (0)
/* The value of a pointer that is needed: an open case, memory. NULL returns from the command with its exit status. */
#define APP_CASE(a, call) APP_NEED(call, (a)->refused)
#define APP_ROOM(a, call) APP_NEED(call, app_fail(a, IFD_NO_MEMORY))
#define APP_NEED(call, otherwise)                                                                                    \
    __extension__({                                                                                                  \
        __typeof__(call) app_need_ = (call);                                                                         \
        if (!app_need_)                                                                                              \
            return otherwise;                                                                                        \
        app_need_;                                                                                                   \
    })
/* A note whose findings nobody reads. */
#define QUIET(a) (&(ifd_note){.arena = (a)->arena})
/* Prints the remarks of the note, each once. */
void app_remarks(app *a);
void app_remarks_after(app *a, const ifd_finding *before);
/* Prints a label and a line, except with --quiet and --json. */
/* Prints a part of a table to stdout, without control characters of external names. */
void app_print(const char *format, ...) IFD_PRINTF(1, 2);
/* The last part of a row, which begins at column `at`: in lines that end within the width, below each other. */
void app_cell(const app *a, int at, const char *format, ...) IFD_PRINTF(3, 4);
void app_say(const app *a, const char *label, const char *format, ...) IFD_PRINTF(3, 4);
/* Whether text is printed: neither --quiet nor --json. */
bool app_talks(const app *a);
/* The open JSON object of a command with --json. */
ifd_json app_json(const app *a);
/* Closes all open members and prints the object. */
int app_put_json(app *a, ifd_json *j, int exit_status);
void app_put_text(app *a, const char *json);
/* A list of texts: the text for each k from 0. */
#define JSON_TEXTS(j, key, count, text)                                                                              \
    do {                                                                                                             \
        ifd_json_list(j, key);                                                                                       \
        for (int k = 0; k < (count); k++)                                                                            \
            ifd_json_text(j, NULL, text);                                                                            \
        ifd_json_end(j);                                                                                             \
    } while (0)
/* Prints the file or folder that a command made: as an object with one text, or as a line with a label. */
int app_put_made(app *a, const char *key, const char *label, const char *text, int exit_status);
/* With --json, if no object was printed: an object with the last error. */
void app_put_complaint(app *a, int exit_status);

/* The folder of a result: --out DIR, or runs/<case>-NNN with the next free number. A result is replaced only with
 * --force, the record of a test never. An error, with a note, if no folder is possible. */
ifd_status folder_choose(app *a, const char **out);

/* The folder of a file; a folder itself. */
const char *folder_of(app *a, const char *path);
/* The last folder of a path. */
const char *folder_name(app *a, const char *path);
/* Removes files of a folder; the last name is NULL. */
void folder_clear(app *a, const char *folder, const char *const *file);

/* The file of a case, by its path or by the name of a shipped case ("shear-pendulum/free"); NULL after an error. */
const char *case_find(app *a, const char *name);
/* Adds the newest result as a hint if a result could not be read. */
void suggest_result(app *a);
/* The folders of shipped cases; the last is NULL. */
const char *const *case_folders(void);
/* Reads the case of word 0 with every --set; NULL after an error message, with a->refused set. */
ifd_case *case_read(app *a);
/* The same for another case, with further overrides. */
ifd_case *case_read_named(app *a, const char *name, int count, const char *const *more);
/* Adds a remark if the test of the case cannot resume after a hold. */
void case_remark_resume(app *a, const ifd_case *c);
/* Stores the remarks of reading and set-up, and those of the program, in the case and thus in its result.
 * case_add_note adds one sentence. */
ifd_status case_keep_notes(app *a, ifd_case *c);
ifd_status case_add_note(app *a, ifd_case *c, const char *text);
/* The same for a case with a test; without one it prints the missing section and the line to add. instead: another
 * command for the case, or "". */
ifd_case *case_read_test(app *a, const char *instead);
/* Sets up its run and prints the remarks; findings receive their lines of the file. */
ifd_status case_run(app *a, const ifd_case *c, ifd_run **run);

/* The "s" of a plural. */
static inline const char *plural(long count)
{
    return count == 1 ? "" : "s";
}
/* Appends to a text of this size. */
IFD_PRINTF(3, 4) static inline void text_add(char *out, size_t size, const char *format, ...)
{
    va_list args;
    size_t used = strlen(out);
    va_start(args, format);
    vsnprintf(out + used, size - used, format, args);
    va_end(args);
}

/* A formatted number; valid in the expression that contains it: quantity(x, "m").text. */
typedef struct readable {
    char text[40];
} readable;
/* "84.1 mm", "12.3 deg", "1.2 us": three digits with a suitable unit. */
readable quantity(double value, const char *unit);
/* 20000 as "20 000". */
readable thousands(long value);
/* The unit of the value of a fault of a test; "" if it has none. */
const char *trip_unit(const char *fault);
/* The same unit for a rotation: rad for m, N m for N. */
const char *unit_of_turn(const char *unit, bool turns);
typedef struct wording {
    char text[240];
} wording;
wording phrase(const char *format, ...) IFD_PRINTF(1, 2);
/* "lsrt2 gamma minus": the method with its given parameters; for coupled substructures the coupling. */
wording method_text(const ifd_step_options *step);
wording case_method(const ifd_case *c);
/* Prints the title of the case, if it has one. */
void case_say_title(const app *a, const ifd_case *c);
/* "3 dofs, 1 element", the sum of all substructures. */
wording case_model(const ifd_case *c);
/* Substructures of a case, or its only model. */
int case_parts(const ifd_case *c);
const ifd_model *case_part(const ifd_case *c, int part);
const char *case_part_name(const ifd_case *c, int part);
/* The model of a case, assembled from coupled substructures if necessary; NULL after an error. */
const ifd_model *case_whole(app *a, ifd_case *c);
