/* SPDX-License-Identifier: MIT */
/* Manual pages in troff from the table of commands. */
#include "manual/manual.h"
#include "outcome.h"

#include <string.h>

#include <interfield/version.h>

/* Text without its line end; requests and escapes of troff are protected. */
static void put(FILE *out, const char *text, size_t length)
{
    if (length && (*text == '.' || *text == '\''))
        fputs("\\&", out);
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\\')
            fputs("\\e", out);
        else if (text[i] == '-')
            fputs("\\-", out);
        else
            fputc(text[i], out);
}

static void put_line(FILE *out, const char *text)
{
    put(out, text, strlen(text));
    fputc('\n', out);
}

/* Lines that keep their ends. */
static void put_text(FILE *out, const char *text)
{
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        put(out, line, length);
        fputs("\n", out);
        line += length + (line[length] == '\n');
    }
}

/* Manual pages of related commands; pages of the documentation are for `interfield docs`. */
static void put_related(FILE *out, const char *see)
{
    fputs(".BR interfield (1)", out);
    for (const char *word = see; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        bool page = length > 3 && strncmp(word + length - 3, ".md", 3) == 0;
        fputs(page ? ",\n.B interfield docs " : ",\n.BR interfield\\-", out);
        put(out, word, page ? length - 3 : length);
        fputs(page ? "" : " (1)", out);
        word += length;
    }
    fputs("\n", out);
}

static void put_head(FILE *out, const char *name, const char *summary)
{
    fprintf(out, ".TH %s 1 \"" IFD_RELEASED "\" \"interfield %s\" \"interfield manual\"\n", name, ifd_version());
    fprintf(out, ".SH NAME\n%s \\- ", name);
    put_line(out, summary);
}

static void put_option(FILE *out, const option *o)
{
    char usage[64];
    snprintf(usage, sizeof usage, "%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    fputs(".TP\n.B ", out);
    put_line(out, usage);
    put_line(out, o->doc);
}

/* For a key of the case file with the name of the command. */
static void put_key(FILE *out, const char *name)
{
    ifd_arena *arena = ifd_arena_open();
    if (arena && ifd_case_help(arena, name))
        fprintf(out, ".SH CASE FILE\nThe case file also has a key '%s':\n.B interfield help %s\nexplains both.\n",
                name, name);
    if (arena)
        ifd_arena_close(arena);
}

static void print_command(FILE *out, const command *c)
{
    char name[64];
    snprintf(name, sizeof name, "interfield-%s", c->name);
    put_head(out, name, c->summary);
    fprintf(out, ".SH SYNOPSIS\n.B interfield %s\n", c->name);
    put_line(out, c->words);
    fputs("[OPTION]...\n", out);
    fputs(".SH DESCRIPTION\n", out);
    put_line(out, c->details);
    fputs(".SH OPTIONS\n", out);
    for (const option *o = c->options; o->name; o++)
        put_option(out, o);
    for (const option *o = common_options; o->name; o++)
        put_option(out, o);
    fputs(".SH EXAMPLES\n.nf\n", out);
    put_text(out, c->examples);
    fputs(".fi\n.SH EXIT STATUS\n.nf\n", out);
    outcome_print_command(out, c);
    fputs(".fi\n", out);
    put_key(out, c->name);
    fputs(".SH SEE ALSO\n", out);
    put_related(out, c->see);
}

static void print_program(FILE *out)
{
    put_head(out, "interfield", "hard-real-time hybrid simulation of structures");
    fputs(".SH SYNOPSIS\n.B interfield\nCOMMAND [ARGUMENT]... [OPTION]...\n.SH DESCRIPTION\n", out);
    fputs("The program computes one part of a structure (the numerical substructure). Actuators move the other part\n"
          "(the specimen). Both exchange displacement and force in every tick. A case file describes structure,\n"
          "method, rig and limits.\n"
          ".PP\n.B interfield help case\nexplains the case file;\n.B interfield docs\nlists the pages of the "
          "documentation.\n.SH COMMANDS\n",
          out);
    for (const command *const *c = commands; *c; c++) {
        if (command_group(*c))
            fprintf(out, ".SS %s\n", command_group(*c));
        fprintf(out, ".TP\n.BR interfield\\-%s (1)\n", (*c)->name);
        put_line(out, (*c)->summary);
    }
    fputs(".SH OPTIONS\nEvery command has\n.B \\-\\-json\n(one JSON object on stdout),\n.B \\-\\-quiet\nand\n"
          ".BR \\-\\-help .\n.SH EXIT STATUS\n0 completed or GO; 1 failed, NO\\-GO, tripped, aborted or incomplete; "
          "2 bad input; 3 caution.\n.SH FILES\n.TP\n.I result.h5\nevery recorded column over time\n.TP\n"
          ".I summary.json\npeaks, energies, timing\n.TP\n.I result.journal\nevery tick of a test, for "
          "replay and recovery\n",
          out);
}

void manual_print(FILE *out, const command *c)
{
    if (c)
        print_command(out, c);
    else
        print_program(out);
}
