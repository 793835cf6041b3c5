/* SPDX-License-Identifier: MIT */
#include "onlooker.h"

#include "check.h"

#include <hdf5.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct question {
    char path[300], set[100];
} question;

static long rows_of(const question *q)
{
    hid_t file = H5Fopen(q->path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    hid_t data = file < 0 ? -1 : H5Dopen2(file, q->set, H5P_DEFAULT);
    hid_t space = data < 0 ? -1 : H5Dget_space(data);
    hsize_t rows = 0;
    if (space < 0 || H5Sget_simple_extent_dims(space, &rows, NULL) < 0)
        return -1;
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
    return (long)rows;
}

onlooker onlooker_start(void)
{
    int ask[2], answer[2];
    assert_int_equal(pipe(ask), 0);
    assert_int_equal(pipe(answer), 0);
    pid_t pid = fork();
    if (pid == 0) {
        question q;
        close(ask[1]);
        H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        while (read(ask[0], &q, sizeof q) == sizeof q) {
            long rows = rows_of(&q);
            if (write(answer[1], &rows, sizeof rows) != sizeof rows)
                break;
        }
        _exit(0);
    }
    close(ask[0]);
    close(answer[1]);
    return (onlooker){pid, ask[1], answer[0]};
}

long onlooker_rows(const onlooker *o, const char *folder, const char *set)
{
    question q = {0};
    long rows;
    snprintf(q.path, sizeof q.path, "%s/result.h5", folder);
    snprintf(q.set, sizeof q.set, "%s", set);
    assert_int_equal(write(o->ask, &q, sizeof q), sizeof q);
    assert_int_equal(read(o->answer, &rows, sizeof rows), sizeof rows);
    return rows;
}

void onlooker_end(onlooker *o)
{
    close(o->ask);
    close(o->answer);
    assert_int_equal(waitpid(o->pid, NULL, 0), o->pid);
}
