/* SPDX-License-Identifier: MIT */
/* Past samples and values between them. */
#include "rig/virtual/delay_line.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

double ifd__line_age(double delay, double h)
{
    double age = delay / h;
    return fabs(age - round(age)) < 1e-9 ? round(age) : age;
}

int ifd__line_length(double age)
{
    return (int)ceil(age) + 3;
}

static int within(int i, int least, int most)
{
    return i < least ? least : i > most ? most : i;
}

void ifd__lagrange(int count, int first, double x, double *weight)
{
    for (int i = 0; i < count; i++) {
        weight[i] = 1.0;
        for (int j = 0; j < count; j++)
            if (j != i)
                weight[i] *= (x - (first + j)) / (i - j);
    }
}

ifd__tap ifd__line_tap(int length, double age, int degree)
{
    double whole = floor(age), part = age - whole;
    ifd__tap tap = {.first = within((int)whole, 0, length - 1), .count = 1, .weight = {1.0}};
    if (part == 0.0)
        return tap;
    int wanted = degree >= 3 ? 4 : 2;
    tap.count = wanted < length ? wanted : length;
    tap.first = within((int)whole - (tap.count > 2 ? 1 : 0), 0, length - tap.count);
    ifd__lagrange(tap.count, tap.first, age, tap.weight);
    return tap;
}

void ifd__line_fill(double *line, int length, double value)
{
    for (int i = 0; i < length; i++)
        line[i] = value;
}

void ifd__line_push(double *line, int length, double value)
{
    memmove(line + 1, line, sizeof *line * (size_t)(length - 1));
    line[0] = value;
}

double ifd__line_read(const double *line, const ifd__tap *tap)
{
    double sum = 0.0;
    for (int i = 0; i < tap->count; i++)
        sum += tap->weight[i] * line[tap->first + i];
    return sum;
}
