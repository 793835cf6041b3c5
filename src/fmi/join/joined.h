/* SPDX-License-Identifier: MIT */
/* Joined FMUs, internal: made and stepped (join.c), tried at the start (join_start.c). */
#pragma once

#include <interfield/fmu.h>

/* A variable of an FMU on which joints act. Forces count along the displacement. */
typedef struct ifd__joined_row {
    int fmu, rank;       /* rank: among the rows of its FMU */
    double sign;         /* of the input: -1 resists, 1 pushes */
    double u, v, v_last; /* displacement and, where known, its rate after the last step; the rate before it */
    double kept_u;       /* u at the start of the step */
    double F, F_last;    /* N, in this step and in the last whole step */
    double sending, sent;
    double pulse; /* N, pulse of the trial */
} ifd__joined_row;

typedef struct ifd__joined_part {
    ifd_fmu *f, *acting; /* acting: f, or at the start the instance that is tried for it */
    int first, rows;     /* its rows are contiguous */
    bool remembers;      /* responds to the mean of the last and the new force */
    bool predicted;      /* cannot restore a state */
    bool rates;          /* all its rows have a velocity */
    int *variable;       /* rows: inputs; rows: displacements; rows: velocities */
    double *value;       /* rows */
    double work;         /* J, work of the joints on it */
} ifd__joined_part;

enum { IFD__JOINED_FIRST = 100 }; /* number of steps with which later steps are compared */

struct ifd_fmu_joined {
    ifd_fmu_join_options o;
    int fmus, joints, rows, most; /* most: rows of one FMU */
    ifd__joined_part *part;
    ifd__joined_row *row;
    int *end; /* 2 x joints: rows */
    double h;
    long step;
    double *lambda, *last, *before; /* joints: of the present trial, and of the two steps before */
    double *gap, *defect;           /* joints: g, g + S Lam */
    double *answer;                 /* rows x most: displacement of a row by a unit force on row `rank` of its FMU */
    double *B, *S, *F;              /* joints x joints; F: factors of B + S */
    int *pivot;
    double *base; /* rows: scratch */
    int corrections, slow;
    double softness;
    bool starting, predicts, diverged;
    double worst, largest, early;      /* m: gap; largest displacement of a joint, and that in the first steps */
    double early_rate;                 /* m/s: its rate in the first steps */
    double *gap_last;                  /* joints */
    double made, through;              /* J: work of the joints on all FMUs; the largest on one of them */
    double forces, kinks, early_kinks; /* J: fading sums of Lam.B.Lam, and of its second differences */
    const char *why;
    char caution[400]; /* the finding of the start that was accepted */
};

/* Steps all FMUs by h under the forces F of their rows. FMUs that cannot restore a state are predicted, except at
 * the start. Displacements and gaps follow. extra: the rank of rows with an additional pulse, -1: none. */
IFD_RT bool ifd__joined_try(ifd_fmu_joined *j, int extra);
/* Accepts the step that was tried. */
IFD_RT void ifd__joined_commit(ifd_fmu_joined *j);
/* B from the responses, and the factors of B + S; false if they cannot be computed. */
IFD_RT bool ifd__joined_factor(ifd_fmu_joined *j);
/* Sets inputs of FMU p that follow a signal; reads displacements and rates of its rows. */
IFD_RT bool ifd__joined_connection(ifd_fmu_joined *j, int p, double t);
IFD_RT bool ifd__joined_read(ifd_fmu_joined *j, int p);

/* Starts, tries and examines all FMUs, then returns them to their initial state. */
ifd_status ifd__joined_start(ifd_fmu_joined *j, ifd_note *note);

/* Whether forces at the joints can extract work from the FMUs. */
typedef struct ifd__joined_work {
    double least;      /* smallest eigenvalue of sym(W) + sym(J), over the largest of sym(W) */
    int part;          /* the FMU with the most negative work, -1: none */
    double part_least; /* its smallest eigenvalue over its largest */
} ifd__joined_work;

/* D[(k most + l) rows + i]: increment of the displacement of row i in exchange step k, by a unit pulse in step 0 on
 * the row of rank l of the same FMU. */
ifd_status ifd__joined_work_find(const ifd_fmu_joined *j, int steps, const double *D, ifd__joined_work *out);
/* S of j->softness by B. */
ifd_status ifd__joined_soften(ifd_fmu_joined *j);
