/* SPDX-License-Identifier: MIT */
/* A figure as gnuplot commands, given to the program through a pipe. */
#include "figure.h"
#include "gnuplot.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FINE_POINTS = 6000, COARSE_POINTS = 1200 };

static void put_point(FILE *out, const ifd_table *t, const panel *p, const curve *c, long r)
{
    double x = c->x < 0 ? t->time[r] : t->value[c->x][r] * p->x_factor;
    fprintf(out, "%.9g %.9g\n", x, t->value[c->y][r] * p->y_factor);
}

/* Long curves over time are thinned to the lowest and the highest row of each stretch, so that no peak is lost; loops
 * keep every n-th row. */
static void put_curve(FILE *out, const ifd_table *t, const panel *p, const curve *c, long points)
{
    long stretch = (t->rows + points - 1) / points;
    for (long first = 0; first < t->rows; first += (stretch > 0 ? stretch : 1)) {
        long low = first, high = first;
        for (long r = first; r < first + stretch && r < t->rows && c->x < 0; r++) {
            low = t->value[c->y][r] < t->value[c->y][low] ? r : low;
            high = t->value[c->y][r] > t->value[c->y][high] ? r : high;
        }
        put_point(out, t, p, c, low < high ? low : high);
        if (low != high)
            put_point(out, t, p, c, low < high ? high : low);
    }
}

static void put_data(FILE *out, const figure *f, const ifd_table *t, long points)
{
    for (int k = 0; k < f->panels; k++)
        for (int i = 0; i < f->panel[k].curves; i++) {
            fprintf(out, "$d%d_%d << EOD\n", k, i);
            put_curve(out, t, &f->panel[k], &f->panel[k].curve[i], points);
            fputs("EOD\n", out);
        }
}

static void put_panel(FILE *out, const panel *p, int k, bool dumb)
{
    static const char *const colours[] = {"#1f5fa8", "#d1495b", "#2e933c", "#8f5fbf", "#c98a00", "#555555"};
    fputs("set xlabel ", out);
    gnuplot_text(out, p->x_label);
    if (dumb) { /* upright labels take too many columns */
        char title[300];
        snprintf(title, sizeof title, "%s%s%s", p->curves == 1 ? p->curve[0].name : "", p->curves == 1 ? ", " : "",
                 p->y_label);
        fputs(p->curves == 1 ? " noenhanced\nunset key\nset title " : " noenhanced\nset title ", out);
        gnuplot_text(out, title);
    } else {
        fputs(" noenhanced\nset ylabel ", out);
        gnuplot_text(out, p->y_label);
    }
    fputs(" noenhanced\nplot ", out);
    for (int i = 0; i < p->curves; i++) {
        fprintf(out, "%s$d%d_%d using 1:2 with lines ", i ? ", " : "", k, i);
        if (!dumb)
            fprintf(out, "lw 1.4 lc rgb '%s' ", colours[i % 6]);
        fputs("title ", out);
        gnuplot_text(out, p->curve[i].name);
        fputs(" noenhanced", out);
    }
    fputc('\n', out);
}

static void put_figure(FILE *out, const figure *f, const ifd_table *t, const canvas *c)
{
    bool dumb = strcmp(c->terminal, "dumb") == 0, svg = strcmp(c->terminal, "svg") == 0;
    int across = f->panels > 3 && !dumb ? 2 : 1, down = (f->panels + across - 1) / across;
    put_data(out, f, t, dumb ? COARSE_POINTS : FINE_POINTS);
    if (dumb)
        fprintf(out, "set terminal dumb size %d,%d %s\n", c->columns, c->lines, c->colour ? "ansi" : "mono");
    else
        fprintf(out, "set terminal %s size %d,%d font 'DejaVu Sans,%d' background rgb 'white'\n", c->terminal,
                across == 2 ? 1400 : 1100, 120 + 300 * down, svg ? 12 : 11);
    if (c->file) {
        fputs("set output ", out);
        gnuplot_text(out, c->file);
        fputc('\n', out);
    }
    fputs(dumb ? "set xzeroaxis\nset key tmargin right horizontal\n"
               : "set grid back lc rgb '#d8d8d8' lw 1 dt 1\nset border 3 lc rgb '#808080'\nset lmargin 11\n"
                 "set key tmargin right horizontal nobox samplen 2\nset tics textcolor rgb '#303030'\n",
          out);
    fputs("set tics nomirror\nset autoscale noextend\nset offsets 0, 0, graph 0.03, graph 0.03\n", out);
    if (!dumb) {
        fprintf(out, "set multiplot layout %d,%d title ", down, across);
        gnuplot_text(out, f->title);
        fputs(" noenhanced\n", out);
    }
    for (int k = 0; k < (dumb ? 1 : f->panels); k++)
        put_panel(out, &f->panel[k], k, dumb);
    if (!dumb)
        fputs("unset multiplot\n", out);
    fputs("unset output\n", out);
}

int figure_draw(const figure *f, const ifd_table *t, const canvas *c)
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
        execlp("gnuplot", "gnuplot", "-", (char *)NULL);
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
    put_figure(out, f, t, c);
    fclose(out);
    sigaction(SIGPIPE, &before, NULL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

bool figure_save(app *a, const figure *f, const ifd_table *t, const char *file)
{
    size_t n = strlen(file);
    canvas c = {.terminal = n > 4 && strcmp(file + n - 4, ".svg") == 0 ? "svg" : "pngcairo", .file = file};
    bool drawn = figure_draw(f, t, &c) == 0;
    if (drawn)
        app_say(a, "picture", "%s", file);
    else
        app_complain(a, "gnuplot could not draw '%s' (apt-get install gnuplot-nox)", file);
    return drawn;
}
