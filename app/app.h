/* SPDX-License-Identifier: MIT */
/* What the commands of the program share: their table, the words of the command line, and how things are said.
 *
 * Output for people goes to stdout, errors and the progress bar to stderr. With --json stdout holds one object and
 * nothing else; with --quiet only errors are said. */
#ifndef APP_APP_H
#define APP_APP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <interfield/arena.h>
#include <interfield/case.h>
#include <interfield/json.h>
#include <interfield/param.h>
#include <interfield/status.h>

/* The exit statuses; outcome.h has the outcomes that lead to each. */
enum { EXIT_FINE = 0, EXIT_RUN_FAILED = 1, EXIT_BAD_INPUT = 2, EXIT_CAUTION = 3 };
enum { MOST_WORDS = 48, MOST_OPTIONS = 128, COMMAND_OPTIONS = 32 };

typedef struct option {
    const char *name;  /* "--out"; NULL behind the last */
    const char *value; /* what follows, "DIR"; NULL for a switch; "[N]": a whole number that may be left out */
    const char *doc;
} option;
#define OPTION_SET                                                                                                   \
    {                                                                                                                \
        "--set", "KEY=VALUE", "overrides a key of the case file, as in --set time.step=1ms; may be repeated"         \
    }

#define OPTION_OUT                                                                                                   \
    {                                                                                                                \
        "--out", "DIR", "the folder of the result; without it runs/<case>-NNN with the next free number"             \
    }

#define OPTION_LOAD                                                                                                  \
    {                                                                                                                \
        "--load", NULL, "also loads the plug-ins and FMUs that the case names: their code runs with your rights"     \
    }

typedef struct app app;

/* Whether a command loads native code that a case or the command line names. */
typedef enum code_rule {
    CODE_NEVER, /* what is read is data, whatever it names; so it is where a command says nothing */
    CODE_ASKED, /* with --load, or for a record with --allow-plugin */
    CODE_RUN,   /* the command is there to run it */
} code_rule;

/* Everything about a command: the last lines of its file, app/commands/<name>.c. */
typedef struct command {
    const char *name;
    const char *words;   /* "CASE"; in square brackets when it may be left out */
    const char *summary; /* one line */
    const char *details; /* paragraphs for `interfield help COMMAND`, or NULL */
    option options[COMMAND_OPTIONS];
    int (*run)(app *a);
    code_rule code;
    bool computes;      /* works on the structure of the case, which must be computed here */
    bool fmu_parts;     /* can do with parts that are FMUs, without their models */
    bool partial;       /* says itself what it did not examine of a case whose code was not loaded */
    bool own_key;       /* --key is the command's own, not that of the rig in the case */
    unsigned outcomes;  /* OUTCOME_BIT of what it can come to besides completed, failed and bad input */
    const char *failed; /* what failed means for it; NULL for one that judges nothing */
} command;

#define COMMAND(name) extern const command command_##name;
#include "commands.def"
#undef COMMAND
extern const command *const commands[]; /* of the program interfield; ended by NULL */
const command *command_find(const char *name);
/* "run|check|..." */
const char *command_names(ifd_arena *arena);

struct app {
    const command *command;
    char **arguments; /* after the command, as they were given; ended by NULL */
    ifd_arena *arena;
    ifd_arena *books; /* of results and their notes: the other one is sealed while a run or a test goes */
    ifd_note note;
    bool json, quiet;
    bool colour_out, colour_err; /* stdout, stderr may be coloured */
    bool put;                    /* the JSON object was written */
    int refused;                 /* the exit status where a case could not be read */
    char complaint[400];         /* the last error of the command line */
    int words, options;
    const char *word[MOST_WORDS];
    const char *option[MOST_OPTIONS], *value[MOST_OPTIONS];
    const ifd_finding *remarked; /* the last remark that was said */
};

/* Whether all that was put into a file is in it, which is closed; false of NULL, a file that could not be opened. */
bool file_close(FILE *file);

/* Monotonic time, ns. */
uint64_t clock_now(void);

/* The frame of a program: opens *a, calls dispatch, says what is left to say; the exit status. */
int app_main(int argc, char **argv, int (*dispatch)(app *a, int argc, char **argv));
/* Parses what follows the command, explains it (--help) or runs it. */
int app_execute(app *a, int argc, char **argv);
/* A text on stdout, or as JSON. */
int app_put_help(app *a, const char *topic, const char *text);
/* What `interfield help COMMAND` prints. */
void command_print(FILE *out, const command *c);
/* What print writes; NULL when memory is out. */
const char *app_capture(ifd_arena *arena, void (*print)(FILE *out, const command *c), const command *c);

/* Sorts the words after the command into words and options; says what is wrong. */
bool app_parse(app *a, int argc, char **argv);
bool app_has(const app *a, const char *name);
/* The value of an option, the last one given; NULL when it was not. */
const char *app_value(const app *a, const char *name);
/* All values of an option, in order; how many. */
int app_values(const app *a, const char *name, const char **out);
/* A number given to an option, fallback when it was not; false, with an error, when it is not a number. */
bool app_number(app *a, const char *name, ifd_dimension dim, double fallback, double *out);
bool app_integer(app *a, const char *name, int least, int most, int *value);

/* "NAME=VALUE" of an option taken apart; IFD_SYNTAX, noted, when it is none. */
ifd_status app_assignment(app *a, const char *whose, const char *text, const char **name, const char **value);

/* One error of the command line, in colour where that is wanted. */
void app_complain(app *a, const char *format, ...) IFD_PRINTF(2, 3);
/* The same for what cannot be done as asked: EXIT_BAD_INPUT; for what was tried in vain: EXIT_RUN_FAILED; and
 * false. */
int app_refuse(app *a, const char *format, ...) IFD_PRINTF(2, 3);
int app_give_up(app *a, const char *format, ...) IFD_PRINTF(2, 3);
bool app_reject(app *a, const char *format, ...) IFD_PRINTF(2, 3);
/* A word that is none of names, "a|b|c": "WHAT 'word': did you mean 'a'?", and where nothing is near "(MORE)". */
int app_refuse_unknown(app *a, const char *what, const char *word, const char *names, const char *more);
/* "a|b" and "c" as "a|b|c"; the names as they are when memory is out. */
const char *names_add(ifd_arena *arena, const char *names, const char *name);
/* The names before and those of a list of the catalogue. */
const char *names_add_list(ifd_arena *arena, const char *names, const char *list);
/* Says what a failed set-up found; the exit status that goes with it. */
int app_fail(app *a, ifd_status status);
/* Leaves a command with that exit status when a call of the library fails. */
#define APP_TRY(a, call)                                                                                             \
    do {                                                                                                             \
        ifd_status app_try_status_ = (call);                                                                         \
        if (app_try_status_ != IFD_OK)                                                                               \
            return app_fail(a, app_try_status_);                                                                     \
    } while (0)
/* Remarks of the note, for people. */
void app_remarks(app *a);
void app_remarks_after(app *a, const ifd_finding *before);
/* Says a label and a line, unless quiet or JSON is wanted. */
/* A piece of a table on stdout, tamed as all that others may have named. */
void app_print(const char *format, ...) IFD_PRINTF(1, 2);
void app_say(const app *a, const char *label, const char *format, ...) IFD_PRINTF(3, 4);
/* Whether text for people is wanted at all. */
bool app_talks(const app *a);
/* The object that a command puts on stdout with --json; open. */
ifd_json app_json(const app *a);
/* Closes whatever is open and puts the object on stdout. */
int app_put_json(app *a, ifd_json *j, int exit_status);
void app_put_text(app *a, const char *json);
/* An object with one text, or for people a line with a label: what a command made. */
int app_put_made(app *a, const char *key, const char *label, const char *text, int exit_status);
/* With --json, when nothing was put yet: an object with the last error. */
void app_put_complaint(app *a, int exit_status);

/* The file of a case given by path, or by the name of a shipped one ("shear-pendulum/free"); NULL, with an error. */
const char *case_find(app *a, const char *name);
/* The folders where shipped cases are looked for, ended by NULL. */
const char *const *case_folders(void);
/* Reads the case that word 0 names, with every --set; NULL after saying what was wrong, a->refused set. */
ifd_case *case_read(app *a);
/* Remarks that a hold of its test cannot be resumed, where that is so. */
void case_remark_resume(app *a, const ifd_case *c);
/* The same of a case with a test; without one it says which section is missing and the line to add. instead: what
 * else can be done with the case, or "". */
ifd_case *case_read_test(app *a, const char *instead);
/* Makes its run and says what there is to remark; findings get their lines of the file. */
ifd_status case_run(app *a, const ifd_case *c, ifd_run **run);

/* A number as people read it, for the expression it stands in: quantity(x, "m").text. */
typedef struct readable {
    char text[40];
} readable;
/* "84.1 mm", "12.3 deg", "1.2 us": three digits and a unit people use. */
readable quantity(double value, const char *unit);
/* 20000 as "20 000". */
readable thousands(long value);
/* The unit of what a fault of a test speaks of; "" when it is none. */
const char *trip_unit(const char *fault);
/* The same unit for a rotation: rad for m, N m for N. */
const char *unit_of_turn(const char *unit, bool turns);
/* "lsrt2 gamma minus": the method with the parameters that were given; of parts, the coupling. */
void method_print(char *out, int size, const ifd_step_options *step);
typedef struct wording {
    char text[200];
} wording;
wording case_method(const ifd_case *c);
/* Says its title, if it has one. */
void case_say_title(const app *a, const ifd_case *c);
/* "3 dofs, 1 element", of all parts together. */
wording case_model(const ifd_case *c);
/* The model of a case as one, assembled when it is cut into parts; NULL, with an error, when that cannot be. */
const ifd_model *case_whole(app *a, ifd_case *c);

#endif
