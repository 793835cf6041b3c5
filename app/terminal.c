/* SPDX-License-Identifier: MIT */
/* The terminal: width, wrapped lines, typed words. */
#include "terminal.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

int terminal_width(FILE *file)
{
    const char *set = getenv("COLUMNS");
    long columns = set ? strtol(set, NULL, 10) : 0;
    struct winsize size;
    if (columns >= 20 && columns <= 10000)
        return (int)columns;
    if (!isatty(fileno(file)))
        return 0;
    return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col : TERMINAL_DEFAULT;
}

bool terminal_draws(FILE *file)
{
    const char *kind = getenv("TERM");
    return isatty(fileno(file)) && kind && *kind && strcmp(kind, "dumb") != 0;
}

static bool continues(char c) /* a byte of a character after its first */
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

int terminal_columns(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += !continues(*text);
    return n;
}

size_t terminal_fits(const char *text, int columns)
{
    size_t n = 0;
    for (; text[n]; n++)
        if (!continues(text[n]) && columns-- <= 0)
            break;
    return n;
}

/* One line without its end. */
static void wrap_line(FILE *file, const char *line, size_t length, int at, int hang, int width)
{
    const char *end = line + length;
    while (width > hang) {
        size_t fits = terminal_fits(line, width - at), cut;
        if (fits >= (size_t)(end - line))
            break;
        for (cut = fits; cut > 0 && line[cut] != ' '; cut--)
            continue;
        size_t indent = strspn(line, " ");
        if (cut <= indent) { /* a word that is longer than the line */
            cut = fits + strcspn(line + fits, " \n");
            if (line + cut >= end)
                break;
        }
        size_t last = cut;
        while (last > 0 && line[last - 1] == ' ')
            last--;
        fprintf(file, "%.*s\n%*s", (int)last, line, hang, "");
        line += cut;
        line += line < end ? strspn(line, " ") : 0;
        at = hang;
    }
    fwrite(line, 1, line < end ? (size_t)(end - line) : 0, file);
}

void terminal_wrap(FILE *file, const char *text, int at, int hang, int width)
{
    for (;;) {
        size_t length = strcspn(text, "\n");
        wrap_line(file, text, length, at, hang, width);
        if (!text[length])
            return;
        fputc('\n', file);
        text += length + 1;
        at = 0;
    }
}

/* The column where a line continues: that of its last cell in the first two thirds of the width. */
static int hang_of(const char *line, size_t length, int width)
{
    size_t start = strspn(line, " ");
    int hang = (int)start, column = (int)start;
    for (size_t i = start + 1; i < length && column <= 2 * width / 3; i++) {
        column += !continues(line[i]);
        if (line[i] != ' ' && line[i - 1] == ' ' && line[i - 2] == ' ' && i > start + 1)
            hang = column;
    }
    return hang;
}

void terminal_wrap_table(FILE *file, const char *text, int width)
{
    if (!width)
        fputs(text, file);
    while (width) {
        size_t length = strcspn(text, "\n"), blanks = strspn(text, " "), room = (size_t)width;
        for (size_t i = blanks, word; i < length;
             i += word + 1) { /* a deep line begins farther left for a long word */
            word = strcspn(text + i, " \n");
            room = word < (size_t)width && (size_t)width - word < room ? (size_t)width - word : room;
        }
        text += blanks > room ? blanks - room : 0;
        length -= blanks > room ? blanks - room : 0;
        wrap_line(file, text, length, 0, hang_of(text, length, width), width);
        if (!text[length])
            return;
        fputc('\n', file);
        text += length + 1;
    }
}

/* Typed words. */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char typed_so_far[256];
static atomic_uint edits;
static struct termios before;
static atomic_bool changed;

/* Changing the terminal from the background would stop the program. */
static bool in_front(void)
{
    return tcgetpgrp(STDIN_FILENO) == getpgrp();
}

bool terminal_type(void)
{
    static bool once;
    if (!isatty(STDIN_FILENO) || !terminal_draws(stderr) || !in_front() || tcgetattr(STDIN_FILENO, &before) != 0)
        return false;
    struct termios own = before;
    own.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    own.c_cc[VMIN] = 1;
    own.c_cc[VTIME] = 0;
    if (!once && atexit(terminal_restore) != 0)
        return false;
    once = true;
    atomic_store(&changed, true);
    return tcsetattr(STDIN_FILENO, TCSANOW, &own) == 0;
}

void terminal_restore(void)
{
    if (atomic_exchange(&changed, false) && in_front())
        (void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void erase(char *text)
{
    size_t n = strlen(text);
    while (n > 0 && continues(text[n - 1]))
        n--;
    text[n > 0 ? n - 1 : 0] = '\0';
}

size_t terminal_typed(const char *typed, size_t length, char *out, bool *closed)
{
    enum { ERASE = 0x7f, BACKSPACE = 8, KILL = 0x15, END = 4, ESCAPE = 0x1b };
    static int key; /* of an arrow or function key: its bytes so far */
    size_t made = 0;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < length; i++) {
        char *line = typed_so_far;
        size_t n = strlen(line);
        unsigned char c = (unsigned char)typed[i];
        if (c == ESCAPE || (key == 1 && (c == '[' || c == 'O')) || (key == 2 && c >= ' ' && c < '@')) {
            key = c == ESCAPE ? 1 : 2;
            continue;
        }
        bool last = key == 2 && c >= '@' && c <= '~';
        key = 0;
        if (last)
            continue;
        if (c == '\n' || c == '\r') {
            memcpy(out + made, line, n);
            made += n;
            out[made++] = '\n';
            *line = '\0';
        } else if (c == ERASE || c == BACKSPACE)
            erase(line);
        else if (c == KILL)
            *line = '\0';
        else if (c == END)
            *closed = *closed || n == 0;
        else if (c >= ' ' && n + 1 < sizeof typed_so_far) {
            line[n] = (char)c;
            line[n + 1] = '\0';
        }
    }
    pthread_mutex_unlock(&lock);
    atomic_fetch_add(&edits, 1);
    return made;
}

unsigned terminal_edits(void)
{
    return atomic_load(&edits);
}

void terminal_line(char *out, size_t size)
{
    pthread_mutex_lock(&lock);
    snprintf(out, size, "%s", typed_so_far);
    pthread_mutex_unlock(&lock);
}
