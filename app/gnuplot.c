/* SPDX-License-Identifier: MIT */
/* Starts gnuplot, with the style and the texts of all pictures. */
#include "gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void gnuplot_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *u = (const unsigned char *)text; *u; u++) {
        bool c1 = u[0] == 0xc2 && u[1] >= 0x80 && u[1] < 0xa0; /* control characters in UTF-8 */
        u += c1;
        if (*u == '"' || *u == '\\')
            fputc('\\', out);
        fputc(c1 || *u < ' ' || *u == 0x7f ? ' ' : *u, out);
    }
    fputc('"', out);
}

void gnuplot_terminal(FILE *out, const char *terminal, double width, double height)
{
    if (strcmp(terminal, "pdfcairo") == 0)
        fprintf(out, "set terminal pdfcairo color size %.2fin,%.2fin font 'DejaVu Sans,8' background rgb 'white'\n",
                width / 128, height / 128);
    else if (strcmp(terminal, "svg") == 0)
        fprintf(out, "set terminal svg size %.0f,%.0f dynamic font 'DejaVu Sans,12' background rgb 'white'\n", width,
                height);
    else
        fprintf(out,
                "set terminal pngcairo size %.0f,%.0f fontscale 2 linewidth 2 font 'DejaVu Sans,9.5' background "
                "rgb 'white'\n",
                2 * width, 2 * height);
}

void gnuplot_style(FILE *out)
{
    fputs("set grid back lt 1 lc rgb '#dcdcdc' lw 0.7 dt solid\nset border 3 lc rgb '#606060'\nset lmargin 11\n"
          "set rmargin 3\nset key tmargin right horizontal nobox samplen 3.5\n"
          "set tics textcolor rgb '#202020'\nset xtics scale 0.6\nset ytics scale 0.6\n",
          out);
}

int gnuplot_run(void (*write)(FILE *out, const void *what), const void *what)
{
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[0]);
        close(ends[1]);
        execlp("gnuplot", "gnuplot", "/dev/stdin", (char *)NULL); /* "-" would be read byte by byte */
        _exit(errno == ENOENT ? 127 : 126);
    }
    close(ends[0]);
    FILE *out = child > 0 ? fdopen(ends[1], "w") : NULL;
    if (!out) {
        close(ends[1]);
        return 1;
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    write(out, what);
    fclose(out);
    sigaction(SIGPIPE, &before, NULL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
