/* SPDX-License-Identifier: MIT */
/* Embedding: control of a simulation by another program, with plain numbers and texts. The Python package uses it.
 *
 *     ifd_sim *s = ifd_sim_open();
 *     ifd_sim_dof(s, "roof", "x");
 *     ifd_sim_matrix(s, IFD_MASS, 1, &mass);                      // n x n by rows
 *     ifd_sim_matrix(s, IFD_STIFFNESS, 1, &stiffness);
 *     ifd_sim_ground(s, "x", count, dt, acceleration);
 *     ifd_sim_specimen(s, "damper", "ground", "roof", 2e5, 0.0);
 *     ifd_sim_answer(s, "damper", force_of, self);                // called once per exchange, in order
 *     ifd_sim_method(s, "lsrt2", 0.001, 10.0);
 *     if (ifd_sim_make(s) != IFD_OK)
 *         fputs(ifd_sim_message(s), stderr);
 *     while (ifd_sim_step(s) == IFD_RUN_GOING)
 *         look(ifd_sim_time(s), ifd_sim_values(s));
 *     ifd_sim_close(s);
 *
 * Or a case: ifd_sim_read or ifd_sim_read_text instead of dofs, matrices, ground and method. A failure returns its
 * status and sets the message; the first failure remains, and make then also fails. One thread at a time uses a
 * simulation; several simulations are independent. These functions are not real-time; for the tick of a test see
 * hybrid.h. */
#ifndef INTERFIELD_EMBED_H
#define INTERFIELD_EMBED_H

#include <interfield/analysis.h>
#include <interfield/matrices.h>
#include <interfield/run.h>

IFD_BEGIN_DECLS

typedef struct ifd_sim ifd_sim;

/* NULL: out of memory. */
IFD_API ifd_sim *ifd_sim_open(void);
IFD_API void ifd_sim_close(ifd_sim *s);
/* Errors, then remarks, in readable form; "": none. Valid until the next call. */
IFD_API const char *ifd_sim_message(ifd_sim *s);

/* Input: a case file with overrides "key.sub=value", */
IFD_API ifd_status ifd_sim_read(ifd_sim *s, const char *path, int count, const char *const *sets);
/* or its text; its files are relative to `path`, which need not exist. */
IFD_API ifd_status ifd_sim_read_text(ifd_sim *s, const char *text, const char *path, int count,
                                     const char *const *sets);

/* Or arrays. kind: "x", "y", "z", "rx", "ry", "rz", "angle", "stretch" (model.h). */
IFD_API ifd_status ifd_sim_dof(ifd_sim *s, const char *name, const char *kind);
/* Adds a matrix over the dofs so far, n x n by rows; n must be their number. */
IFD_API ifd_status ifd_sim_matrix(ifd_sim *s, ifd_matrix_kind which, int n, const double *a);
/* Adds count single entries, for large models. */
IFD_API ifd_status ifd_sim_entries(ifd_sim *s, ifd_matrix_kind which, int count, const int *row, const int *column,
                                   const double *value);
/* Samples at 0, dt, 2 dt ..., linear between them, zero after the last. direction: "x", "y", "z"; m/s2. */
IFD_API ifd_status ifd_sim_ground(ifd_sim *s, const char *direction, int count, double dt,
                                  const double *acceleration);
IFD_API ifd_status ifd_sim_force(ifd_sim *s, const char *dof, int count, double dt, const double *force);
IFD_API ifd_status ifd_sim_initial(ifd_sim *s, const char *dof, double displacement, double velocity);
/* A method of ifd_methods[], step and end in s; its parameters one by one, as numbers or (word not NULL) words. */
IFD_API ifd_status ifd_sim_method(ifd_sim *s, const char *method, double step, double end);
IFD_API ifd_status ifd_sim_parameter(ifd_sim *s, const char *name, double number, const char *word);
/* Between two dofs, or one and "ground". Implicit methods use stiffness and damping as estimates in their Jacobian.
 * Without ifd_sim_answer they are also the specimen. */
IFD_API ifd_status ifd_sim_specimen(ifd_sim *s, const char *name, const char *from, const char *to, double stiffness,
                                    double damping);

/* Resisting force (N) of a specimen at deformation `stretch` (m) and `rate` (m/s) at time t (s). Called once for
 * every exchange, in order of time; a value that is not finite ends the run with a fault. */
typedef double ifd_sim_force_of(void *self, double t, double stretch, double rate);
/* Function for a specimen of that name, of the arrays or of the case. */
IFD_API ifd_status ifd_sim_answer(ifd_sim *s, const char *specimen, ifd_sim_force_of *force_of, void *self);

/* After the structure: record every n-th step; what: IFD_RECORD_... 0: no change. */
IFD_API ifd_status ifd_sim_record(ifd_sim *s, int every, unsigned what);
IFD_API ifd_status ifd_sim_make(ifd_sim *s);

/* After make. A tick is one exchange with the specimens; a step advances to the next recorded row, or to the end. */
IFD_API ifd_run_state ifd_sim_tick(ifd_sim *s);
IFD_API ifd_run_state ifd_sim_step(ifd_sim *s);
/* The present row (unless taken before) and the next ones, up to `rows` or the end of the run: time (rows) and values
 * (rows x columns, by rows). Returns their number. */
IFD_API long ifd_sim_take(ifd_sim *s, long rows, double *time, double *values);

/* Number of columns. */
IFD_API int ifd_sim_columns(const ifd_sim *s);
/* NULL: no such column. */
IFD_API const ifd_column *ifd_sim_column(const ifd_sim *s, int column);
IFD_API const double *ifd_sim_values(const ifd_sim *s); /* of the last row */
IFD_API double ifd_sim_time(const ifd_sim *s);          /* s */
IFD_API long ifd_sim_rows(const ifd_sim *s);            /* of the complete run, including t = 0 */
/* Fault that ended the run, as a sentence with time and place; NULL: none. Valid until the next call. */
IFD_API const char *ifd_sim_fault(ifd_sim *s);
/* Findings so far that limit the worth of the run, one line each; "" if there is none. */
IFD_API const char *ifd_sim_cautions(ifd_sim *s);

/* The complete state, a number of doubles: save and load are copies, and a run continues bit-identically. A specimen
 * with a function must restore its own state. IFD_UNSUPPORTED for a method with state elsewhere (reference). */
IFD_API int ifd_sim_size(const ifd_sim *s);
IFD_API void ifd_sim_save(const ifd_sim *s, double *out);
IFD_API ifd_status ifd_sim_load(ifd_sim *s, const double *from);

/* Number of substructures, 1 for a single model; name of a substructure, "" for a single model. */
IFD_API int ifd_sim_parts(const ifd_sim *s);
IFD_API const char *ifd_sim_part(const ifd_sim *s, int part);
IFD_API int ifd_sim_dofs(const ifd_sim *s, int part);
IFD_API const char *ifd_sim_dof_name(const ifd_sim *s, int part, int dof);
/* As ifd_model_matrix, of one substructure: n x n by columns into out. */
IFD_API ifd_status ifd_sim_dense(ifd_sim *s, int part, ifd_matrix_kind which, bool tangent, double *out);

/* Stability of the configured run. Specimens with a function are replaced by their estimate (in a case: by their
 * definition). Valid until the simulation is closed. */
IFD_API ifd_status ifd_sim_stability(ifd_sim *s, ifd_stability *out);

/* The preflight verdict for a test of a case (preflight.h), and the number of checks. */
IFD_API ifd_status ifd_sim_preflight(ifd_sim *s, const char **verdict, int *checks);
enum { IFD_SIM_TOPIC, IFD_SIM_FOUND, IFD_SIM_VERDICT, IFD_SIM_ADVICE };
/* One check of the last preflight; NULL: no such check, or no advice. */
IFD_API const char *ifd_sim_check(const ifd_sim *s, int check, int what);

/* The members of a study (study.h). open returns NULL only without memory; a study that cannot be read has count
 * -1 and a message. */
typedef struct ifd_variants ifd_variants;
IFD_API ifd_variants *ifd_variants_open(const char *path, int count, const char *const *sets);
IFD_API void ifd_variants_close(ifd_variants *v);
IFD_API const char *ifd_variants_message(ifd_variants *v);
IFD_API long ifd_variants_count(const ifd_variants *v);
IFD_API const char *ifd_variants_base(const ifd_variants *v); /* path of the base case */
/* Name of a variable, and one of its texts; NULL: none. */
IFD_API const char *ifd_variants_variable(const ifd_variants *v, int variable);
IFD_API const char *ifd_variants_choice(const ifd_variants *v, int variable, int index);
/* Chooses a member: the number of its settings "key=value", or -1; then its values (a number, or the index of a text)
 * and its settings. */
IFD_API int ifd_variants_choose(ifd_variants *v, long number);
IFD_API double ifd_variants_value(const ifd_variants *v, int variable);
IFD_API const char *ifd_variants_setting(const ifd_variants *v, int index);

IFD_END_DECLS
#endif
