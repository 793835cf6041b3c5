/* SPDX-License-Identifier: MIT */
/* The FMU of tests/fmi/fmus/spring.c, built with one fault and packed for a test. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FOREIGN_FINE, FOREIGN_CRASHES = 5, FOREIGN_HANGS, FOREIGN_LOOKS_AROUND, FOREIGN_SLEEPS, FOREIGN_ATTACKS = 10 };

/* Into folder/spring<fault>.fmu, whose path is put into out. */
static inline int foreign_fmu(const char *folder, int fault, char *out, size_t size)
{
    char command[1600];
    const char *python = access("/usr/bin/python3", X_OK) == 0 ? "/usr/bin/python3" : "python3";
    snprintf(out, size, "%s/spring%d.fmu", folder, fault);
    snprintf(command, sizeof command,
             "cd %s && ${CC:-cc} -shared -fPIC -O1 -w -DFAULT=%d -o spring.so " IFD_SOURCE_DIR
             "/tests/fmi/fmus/spring.c -lm && %s " IFD_SOURCE_DIR "/tests/fmi/pack_fmu.py fine spring.so %s",
             folder, fault, python, out);
    return system(command);
}
