/* SPDX-License-Identifier: MIT */
/* Manual pages in troff from the table of commands. */
#include "manual/manual.h"
#include "outcome.h"

#include <ctype.h>
#include <string.h>

#include <interfield/catalogue.h>
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
    fputs(".TP\n.B ", out);
    put_line(out, phrase("%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "").text);
    put_line(out, o->doc);
}

static void print_command(FILE *out, const command *c)
{
    put_head(out, phrase("interfield-%s", c->name).text, c->summary);
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
    for (const char *line = c->examples; *line;) {
        size_t length = strcspn(line, "\n");
        put(out, line, length);
        fputs("\n", out);
        line += length + (line[length] == '\n');
    }
    fputs(".fi\n.SH EXIT STATUS\n.nf\n", out);
    outcome_print_command(out, c);
    fputs(".fi\n", out);
    ifd_arena *arena = ifd_arena_open();
    if (arena && ifd_case_help(arena, c->name)) /* a key of the case file with the name of the command */
        fprintf(out, ".SH CASE FILE\nThe case file also has a key '%s':\n.B interfield help %s\nexplains both.\n",
                c->name, c->name);
    if (arena)
        ifd_arena_close(arena);
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

/* Completion for bash and zsh. The word in the help determines the completion of an argument: CASE, RESULT, FILE,
 * DIR, a choice "a|b", or a literal word in small letters. */

/* Completion of a word: lists of the program, or files. */
typedef struct filler {
    const char *word, *list; /* the list of `interfield list`; NULL: files */
    bool folders;            /* of files: only folders */
} filler;

static const filler fillers[] = {
    {"CASE", "cases", false}, {"METHOD", "methods", false}, {"TOPIC", "topics", false}, {"RESULT", NULL, true},
    {"DIR", NULL, true},      {"FILE", NULL, false},        {"FMU", NULL, false},       {"PLUGIN", NULL, false},
};

static const filler *filler_of(const char *word, size_t length)
{
    for (size_t k = 0; k < sizeof fillers / sizeof *fillers; k++)
        if (strlen(fillers[k].word) == length && strncmp(fillers[k].word, word, length) == 0)
            return &fillers[k];
    return NULL;
}

/* The choices of "a|b" or "rths" as words; WHAT means the available lists. */
static bool put_choices(FILE *out, const char *word, size_t length)
{
    static const char lists[] = IFD_CATALOGUE_LISTS "|" APP_LISTS;
    if (length == 4 && strncmp(word, "WHAT", 4) == 0)
        return put_choices(out, lists, strlen(lists));
    if (!memchr(word, '|', length) && !islower((unsigned char)*word))
        return false;
    for (size_t i = 0; i < length; i++)
        fputc(word[i] == '|' ? ' ' : word[i], out);
    return true;
}

/* The bash words that complete one word of the help. */
static void put_bash(FILE *out, const char *word, size_t length)
{
    const filler *f = filler_of(word, length);
    if (f && f->list)
        fprintf(out, "@%s", f->list);
    else if (f)
        fputs(f->folders ? "@-d" : "@-f", out);
    else
        put_choices(out, word, length);
}

/* The first word of a form, without the brackets of an optional one; 0 at the end and at "...". */
static size_t form_word(const char **form)
{
    *form += strspn(*form, " [");
    size_t length = strcspn(*form, " ]");
    return strncmp(*form, "...", 3) == 0 ? 0 : length;
}

static void bash_command(FILE *out, const command *c)
{
    const option *const lists[] = {c->options, common_options};
    fprintf(out, "    %s)\n        options='", c->name);
    for (int k = 0; k < 2; k++)
        for (const option *o = lists[k]; o->name; o++)
            fprintf(out, "%s%s", k || o != lists[k] ? " " : "", o->name);
    fputs("'\n        arguments=(", out);
    const char *form = c->words;
    for (size_t length; (length = form_word(&form)); form += length, form += strspn(form, "]")) {
        fputs("'", out);
        put_bash(out, form, length);
        fputs("' ", out);
    }
    fputs(")\n        case $previous in\n", out);
    for (const option *o = c->options; o->name; o++)
        if (o->value && *o->value != '[') {
            fprintf(out, "        %s) values='", o->name);
            put_bash(out, o->value, strlen(o->value));
            fputs("' valued=yes ;;\n", out);
        }
    fputs("        esac\n        ;;\n", out);
}

void completion_bash(FILE *out, const command *none)
{
    (void)none;
    fputs("# bash completion for interfield, made by `interfield help --completion bash`\n"
          "_interfield_list() { interfield list \"$1\" 2>/dev/null | cut -d' ' -f1; }\n"
          "_interfield_fill() { # <choices, or @list, @-f, @-d>\n"
          "    case $1 in\n"
          "    @-f) COMPREPLY=($(compgen -f -- \"$current\")); compopt -o filenames 2>/dev/null ;;\n"
          "    @-d) COMPREPLY=($(compgen -d -- \"$current\")); compopt -o filenames 2>/dev/null ;;\n"
          "    @cases) COMPREPLY=($(compgen -W \"$(_interfield_list cases)\" -- \"$current\")\n"
          "                       $(compgen -f -X '!*.y*ml' -- \"$current\") $(compgen -d -- \"$current\")) ;;\n"
          "    @*) COMPREPLY=($(compgen -W \"$(_interfield_list \"${1#@}\")\" -- \"$current\")) ;;\n"
          "    *) COMPREPLY=($(compgen -W \"$1\" -- \"$current\")) ;;\n"
          "    esac\n"
          "}\n"
          "_interfield() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local options= values= valued= word at=0 i\n"
          "    local -a arguments=()\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n        _interfield_fill '",
          out);
    for (const command *const *c = commands; *c; c++)
        fprintf(out, "%s ", (*c)->name);
    fputs("--help --version'\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", out);
    for (const command *const *c = commands; *c; c++)
        bash_command(out, *c);
    fputs("    esac\n"
          "    if [ \"$valued\" ]; then\n"
          "        _interfield_fill \"$values\"\n"
          "    elif [[ $current == -* ]]; then\n"
          "        _interfield_fill \"$options\"\n"
          "    else\n"
          "        for ((i = 2; i < COMP_CWORD; i++)); do\n"
          "            [[ ${COMP_WORDS[i]} == -* ]] || at=$((at + 1))\n"
          "        done\n"
          "        [ \"$at\" -lt ${#arguments[@]} ] || at=$((${#arguments[@]} - 1))\n"
          "        [ \"$at\" -lt 0 ] || _interfield_fill \"${arguments[at]}\"\n"
          "    fi\n"
          "}\n"
          "complete -F _interfield interfield\n",
          out);
}

/* Text inside a specification in single quotes. */
static void put_zsh_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fprintf(out, "%s%c", strchr("[]:\\", *text) ? "\\" : "", *text);
}

static void put_zsh(FILE *out, const char *word, size_t length)
{
    const filler *f = filler_of(word, length);
    if (f && f->list)
        fprintf(out, "_interfield_list %s", f->list);
    else if (f)
        fputs(f->folders ? "_files -/" : "_files", out);
    else {
        fputs("(", out);
        put_choices(out, word, length);
        fputs(")", out);
    }
}

static void zsh_option(FILE *out, const option *o)
{
    fprintf(out, " \\\n            '%s[", o->name);
    put_zsh_text(out, o->doc);
    fputs("]", out);
    if (o->value && *o->value != '[') {
        fputs(":", out);
        put_zsh_text(out, o->value);
        fputs(":", out);
        put_zsh(out, o->value, strlen(o->value));
    }
    fputs("'", out);
}

static void zsh_command(FILE *out, const command *c)
{
    fprintf(out, "        (%s)\n            _arguments", c->name);
    for (const option *o = c->options; o->name; o++)
        zsh_option(out, o);
    for (const option *o = common_options; o->name; o++)
        zsh_option(out, o);
    const char *form = c->words;
    for (size_t length; (length = form_word(&form)); form += length, form += strspn(form, "]")) {
        const char *rest = form + length + strspn(form + length, "]");
        bool last = !form_word(&rest);
        fprintf(out, " \\\n            '%s:%.*s:", last && *rest ? "*" : "", (int)length, form);
        put_zsh(out, form, length);
        fputs("'", out);
    }
    fputs("\n            ;;\n", out);
}

void completion_zsh(FILE *out, const command *none)
{
    (void)none;
    fputs("#compdef interfield\n# zsh completion for interfield, made by `interfield help --completion zsh`\n"
          "_interfield_list() {\n"
          "    local -a found\n"
          "    found=(${(f)\"$(interfield list $1 2>/dev/null | cut -d' ' -f1)\"})\n"
          "    compadd -a found\n"
          "    [[ $1 != cases ]] || _files -g '*.y(a|)ml'\n"
          "}\n"
          "_interfield() {\n"
          "    local context state line\n"
          "    local -a known=(\n",
          out);
    for (const command *const *c = commands; *c; c++) {
        fprintf(out, "        '%s:", (*c)->name);
        put_zsh_text(out, (*c)->summary);
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _arguments -C '(- *)--version[prints the version]' '1:command:->command' '*::argument:->argument'\n"
          "    case $state in\n"
          "    (command) _describe command known ;;\n"
          "    (argument)\n        case $line[1] in\n",
          out);
    for (const command *const *c = commands; *c; c++)
        zsh_command(out, *c);
    fputs("        esac ;;\n    esac\n}\n_interfield \"$@\"\n", out);
}
