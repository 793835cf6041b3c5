/* SPDX-License-Identifier: MIT */
/* stamp COMMAND...: runs a command and prints when lines arrive on its standard error, from the line "hangs" on,
 * which plugin_hang.c writes: the first word of each and the seconds; then its exit status. The clock is its own. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int words, char **word)
{
    int pipe_of[2], status;
    char line[1000];
    double since = 0;
    if (words < 2 || pipe(pipe_of) != 0)
        return 2;
    pid_t child = fork();
    if (child == 0) {
        dup2(pipe_of[1], STDERR_FILENO);
        close(pipe_of[0]);
        close(pipe_of[1]);
        execv(word[1], word + 1);
        _exit(127);
    }
    close(pipe_of[1]);
    FILE *said = fdopen(pipe_of[0], "r");
    while (said && fgets(line, sizeof line, said)) {
        double at = now();
        if (strcmp(line, "hangs\n") == 0)
            since = at;
        else if (since > 0 && line[0] != ' ')
            printf("%s %.3f\n", strtok(line, " "), at - since);
    }
    waitpid(child, &status, 0);
    printf("end %.3f %d\n", now() - since, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return 0;
}
