/* SPDX-License-Identifier: MIT */
/* Joined FMUs as the files of the joint see them: made (join_make.c), tried at the start (join_start.c,
 * join_work.c), stepped (join.c). */
#ifndef IFD_FMI_JOINED_H
#define IFD_FMI_JOINED_H

#include <interfield/fmu.h>

/* A place of an FMU where joints act. Forces count along the displacement. */
typedef struct ifd__joined_row {
    int fmu, rank;       /* rank: among the rows of its FMU */
    double sign;         /* of the input: -1 resists, 1 pushes */
    double u, v, v_last; /* displacement and, where it is known, its rate after the step made last; the rate before */
    double kept_u;       /* u where the step began */
    double F, F_last;    /* N, on it in this step and in the last whole one */
    double sending, sent;
    double pulse; /* N, by which it is tried */
} ifd__joined_row;

typedef struct ifd__joined_part {
    ifd_fmu *f, *acting; /* acting: f, or at the start the instance that is tried for it */
    int first, rows;     /* its rows follow each other */
    bool remembers;      /* feels the mean of the last and the new force */
    bool predicted;      /* cannot go back */
    bool rates;          /* all its rows have a velocity */
    int *variable;       /* rows: inputs; rows: displacements; rows: velocities */
    double *value;       /* rows */
    double work;         /* J, that the joints have done on it */
} ifd__joined_part;

enum { IFD__JOINED_FIRST = 100 }; /* steps by which later ones are judged */

struct ifd_fmu_joined {
    ifd_fmu_join_options o;
    int fmus, joints, rows, most; /* most: rows of one FMU */
    ifd__joined_part *part;
    ifd__joined_row *row;
    int *end; /* 2 x joints: rows */
    double h;
    long step;
    double *lambda, *last, *before; /* joints: of the step that is tried, and of the two before */
    double *gap, *defect;           /* joints: g, g + S Lam */
    double *answer;                 /* rows x most: displacement of a row by a unit force on row `rank` of its FMU */
    double *B, *S, *F;              /* joints x joints; F: factors of B + S */
    int *pivot;
    double *base; /* rows: scratch */
    int corrections, slow;
    double softness;
    bool starting, predicts, diverged;
    double worst, largest, early;      /* m: gap; displacement of a joint so far, and in the first steps */
    double early_rate;                 /* m/s: its rate in the first steps */
    double *gap_last;                  /* joints */
    double made, through;              /* J: done by the joints on all FMUs; the most that was done on one of them */
    double forces, kinks, early_kinks; /* J: fading sums of Lam.B.Lam, and of its second differences */
    const char *why;
    char caution[400]; /* what the start found and was told to pass over */
};

/* Steps all FMUs by h under the forces F of their rows; those that cannot go back are predicted, except at the start.
 * Displacements and gaps follow. extra: the rank of the rows that are pulsed in addition, -1: none. */
IFD_RT bool ifd__joined_try(ifd_fmu_joined *j, int extra);
/* F of all rows by the forces of the joints. */
IFD_RT void ifd__joined_forces_of(ifd_fmu_joined *j, const double *lambda);
/* The step that was tried is made. */
IFD_RT void ifd__joined_commit(ifd_fmu_joined *j);
/* B by the answers, and the factors of B + S; false when they cannot be had. */
IFD_RT bool ifd__joined_factor(ifd_fmu_joined *j);
/* Inputs of FMU p that follow a signal; displacements and rates of its rows. */
IFD_RT bool ifd__joined_connection(ifd_fmu_joined *j, int p, double t);
IFD_RT bool ifd__joined_read(ifd_fmu_joined *j, int p);

/* Keeps account of the step that was made, in energies; a sentence when they show that the run diverges, or NULL. */
IFD_RT const char *ifd__joined_account(ifd_fmu_joined *j, double size);

/* Begins all FMUs, tries, measures and judges them; they end where they began. */
ifd_status ifd__joined_start(ifd_fmu_joined *j, ifd_note *note);

/* Whether forces at the joints can draw work out of the FMUs. */
typedef struct ifd__joined_work {
    double least;      /* smallest eigenvalue of sym(W) + sym(J), over the largest of sym(W) */
    int part;          /* the FMU whose own work is most negative, -1: none is */
    double part_least; /* its smallest eigenvalue over its largest */
} ifd__joined_work;

/* D[(k most + l) rows + i]: increment of the displacement of row i in exchange step k, by a unit pulse in step 0 on
 * the row of rank l of the same FMU. */
ifd_status ifd__joined_work_find(const ifd_fmu_joined *j, int steps, const double *D, ifd__joined_work *out);
/* S of j->softness by B. */
ifd_status ifd__joined_soften(ifd_fmu_joined *j);

#endif
