/* SPDX-License-Identifier: MIT */
/* The machine as the checks see it: texts of files and of probes. A probe is a system call whose answer is a text of
 * words NAME=VALUE; below a root of another machine it is the file probe/NAME. A check therefore needs no machine. */
#pragma once

#include <interfield/doctor.h>
#include <interfield/executor.h>

typedef struct ifd__patient {
    ifd_arena *arena;
    const ifd_doctor_options *o;
    ifd_doctor *out;
    int core;              /* -1: unknown */
    const char *online;    /* list of cores; NULL: unknown */
    const char *words;     /* /proc/cmdline; NULL: unknown */
    const char *processes; /* of ifd__patient_runs; NULL: not yet read */
    const char *measured;  /* answer of the measurement: words; NULL: not measured */
    ifd_doctor_row row;    /* of the present check */
    bool no_memory;
} ifd__patient;

typedef void ifd__check(ifd__patient *d);
#define CHECK(name, what, expected) ifd__check ifd__check_##name;
#include "realtime/doctor/checks.def"
#undef CHECK

/* The text of a file of the machine, without the last line end; NULL: it cannot be read. */
const char *ifd__patient_read(ifd__patient *d, const char *format, ...) IFD_PRINTF(2, 3);
/* Names in a folder, one per line; NULL: it cannot be read. */
const char *ifd__patient_folder(ifd__patient *d, const char *format, ...) IFD_PRINTF(2, 3);
/* The answer of a probe; NULL: none. */
const char *ifd__patient_probe(ifd__patient *d, const char *name);
/* The value of NAME in words "NAME=VALUE ..."; NULL: absent. The value ends at the next blank and is copied. */
const char *ifd__patient_word(ifd__patient *d, const char *words, const char *name);
double ifd__patient_number(ifd__patient *d, const char *words, const char *name, double otherwise);
const char *ifd__patient_print(ifd__patient *d, const char *format, ...) IFD_PRINTF(2, 3);
/* Whether a list of cores that may start with words ("managed_irq,domain,2-3") contains a core. */
bool ifd__patient_listed(const char *list, int core);
/* Whether a process of this name runs, its number in *id; known: whether foreign processes can be seen. */
bool ifd__patient_runs(ifd__patient *d, const char *name, bool *known, int *id);
/* Number of cores in use; 0: unknown. */
int ifd__patient_cores(const ifd__patient *d);
/* The cores in use without that of the tick, "0,1,2". */
const char *ifd__patient_others(ifd__patient *d);

/* The text with more, if it is not NULL; between is omitted if the text is empty. */
const char *ifd__patient_join(ifd__patient *d, const char *text, const char *between, const char *more);

/* Completes the row of the present check, which is omitted otherwise. A row that is fine has no advice. */
void ifd__row(ifd__patient *d, ifd_doctor_state state, const char *advice, const char *format, ...) IFD_PRINTF(4, 5);
/* For a file that cannot be read; advice NULL: to print it. */
void ifd__row_unread(ifd__patient *d, const char *advice, const char *path);
/* For a state that needs a word of the kernel command line. */
void ifd__row_boot(ifd__patient *d, const char *word, const char *found);

static inline ifd_doctor_state ifd__fine_if(bool good)
{
    return good ? IFD_DOCTOR_FINE : IFD_DOCTOR_CHANGE;
}

/* Answers of this machine, written to text; false: no such probe, or no answer. */
bool ifd__probe_ask(const ifd_doctor_options *o, const char *name, char *text, size_t size);
/* Measures wake-ups and gaps on a core (-1: any) and writes words: wake-alone-max=..., steal=..., timer=... */
ifd_status ifd__doctor_measure(const ifd_doctor_options *o, int core, char *text, size_t size, ifd_note *note);
/* Lateness of an idle tick at FIFO 80. poll is called every 50 ms with the completed fraction; NULL: not called. */
typedef struct ifd__wake {
    double period, duration; /* s */
    int core;
    void (*poll)(void *self, double fraction);
    void *self;
} ifd__wake;
ifd_status ifd__wake_measure(const ifd__wake *w, ifd_executor_report *report, ifd_note *note);
