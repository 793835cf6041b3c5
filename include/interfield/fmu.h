/* SPDX-License-Identifier: MIT */
/* Imported FMUs: co-simulation of FMI 2.0 or 3.0, unpacked, parsed, loaded and stepped (docs/guide/fmi-import.md).
 *
 *     ifd_fmu *f;
 *     IFD_TRY(ifd_fmu_open_as(arena, "damper.fmu", NULL, &f, note)); // unpacks, parses, loads, instantiates
 *     int u = ifd_fmu_find(f, "u"), y = ifd_fmu_find(f, "y");
 *     IFD_TRY(ifd_fmu_begin(f, 0.0, note));                          // initialises
 *     for (...) {
 *         ifd_fmu_set(f, 1, &u, &value);
 *         if (!ifd_fmu_step(f, t, h) || !ifd_fmu_get(f, 1, &y, &force))
 *             ...                                                     // hold; ifd_fmu_why(f)
 *     }
 *
 * Set, step and get make one call each into the FMU, check its status and the finiteness of every number, and
 * allocate nothing. ifd_fmu_qualify measures the FMU itself. When the arena closes, the unpacked folder is removed
 * and the instance freed. An FMU is native code of others: ifd_fmu_open_as runs it in a separate process, in which a
 * crash only fails a call. */
#ifndef INTERFIELD_FMU_H
#define INTERFIELD_FMU_H

#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/element.h>
#include <interfield/rig.h>
#include <interfield/run.h>

IFD_BEGIN_DECLS

typedef enum ifd_fmu_role {
    IFD_FMU_LOCAL,
    IFD_FMU_INPUT,
    IFD_FMU_OUTPUT,
    IFD_FMU_PARAMETER,
    IFD_FMU_CALCULATED,
    IFD_FMU_INDEPENDENT
} ifd_fmu_role;

typedef struct ifd_fmu_variable {
    const char *name, *unit, *text; /* unit and text may be "" */
    uint32_t reference;
    ifd_fmu_role role;
    bool real;             /* one number of type Real, Float64 or Float32; others are listed only */
    double start;          /* if given, else 0 */
    bool single;           /* Float32 */
    int element, elements; /* of an array (FMI 3): index and size, with one reference; 0 of 1: no array */
} ifd_fmu_variable;

typedef struct ifd_fmu_facts {
    int version; /* 2 or 3 */
    const char *name, *identifier, *token, *tool;
    bool rolls_back;    /* state can be saved and restored */
    bool derivatives;   /* directional derivatives */
    bool variable_step; /* accepts steps of any size */
    bool once;          /* one instance per process */
    bool needs_tool;    /* refused: requires an execution tool */
    double step;        /* of the default experiment; 0: not given */
    int variables;
    const ifd_fmu_variable *variable;
} ifd_fmu_facts;

typedef struct ifd_fmu ifd_fmu;

/* isolated: the FMU runs in a process without network and without file descriptors of this program, with at most 4 GB
 * of memory. The process ends with the opening thread if that is the main thread, else within a second after the
 * program. All calls below are unchanged and bit-identical. If the process ends or does not answer in time, this call
 * and all later ones fail. */
typedef struct ifd_fmu_open_options {
    bool isolated;
    double patience;  /* s for one call while running; 0 = 10 s, or less by ifd_fmu_allow */
    bool clocked;     /* for a test with a clock: the note reports the granted priority */
    const char *host; /* the file fmu_host; NULL: in the folder of the library */
    /* Memory allocator of an FMU of FMI 2 that is not isolated; NULL = calloc, free. For counting. */
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    /* Descriptor of the open, examined file; path is then only its name. NULL: path is opened. */
    const int *file;
} ifd_fmu_open_options;

/* o: NULL, or optionally in a separate process. IFD_FILE for archives and descriptions that are damaged, of another
 * kind or hostile (paths outside the folder, links, more than 512 MB). IFD_PLUGIN: the binary is missing, lacks a
 * function (named) or cannot be instantiated. */
IFD_API ifd_status ifd_fmu_open_as(ifd_arena *arena, const char *path, const ifd_fmu_open_options *o, ifd_fmu **out,
                                   ifd_note *note);

/* A new temporary folder in TMPDIR; word is part of its name. NULL: it cannot be created. */
IFD_API char *ifd_fmu_folder(ifd_arena *arena, const char *word);
/* Removes it with its contents; links are not followed. */
IFD_API void ifd_fmu_folder_remove(void *folder);

typedef struct ifd_fmu_process {
    bool isolated, network_gone;
    long pid;     /* 0: not isolated */
    int priority; /* FIFO, one below the last calling thread if that is real-time and the right is granted; else 0 */
    bool aside;   /* not on the core of that thread */
    bool locked;  /* its initial memory is locked */
} ifd_fmu_process;

/* Properties of its process; its description. */
IFD_API ifd_fmu_process ifd_fmu_process_of(const ifd_fmu *f);
IFD_API const ifd_fmu_facts *ifd_fmu_facts_of(const ifd_fmu *f);
/* Index of a variable in the list; -1: unknown name. */
IFD_API int ifd_fmu_find(const ifd_fmu *f, const char *name);
/* The same for a real number in this role only. */
IFD_API int ifd_fmu_find_as(const ifd_fmu *f, const char *name, ifd_fmu_role role);
/* Addition to a message about the name of an array or array element that is not supported (FMI 3: more than 64
 * numbers, unknown size); "" otherwise. */
IFD_API const char *ifd_fmu_array_why(const ifd_fmu_facts *facts, const char *name, size_t length);

/* Before begin: sets a parameter or an initial input. */
IFD_API ifd_status ifd_fmu_preset(ifd_fmu *f, int variable, double value, ifd_note *note);
/* The same for several parameters as in a case, "k = 20, c = 1.5"; NULL: none. */
IFD_API ifd_status ifd_fmu_preset_text(ifd_fmu *f, const char *text, const ifd_place *place, ifd_note *note);
IFD_API ifd_status ifd_fmu_begin(ifd_fmu *f, double start, ifd_note *note);
/* Returns to the state before begin. */
IFD_API ifd_status ifd_fmu_again(ifd_fmu *f, ifd_note *note);

/* variable: indices in the list. step advances from now to now + h. False: failed; ifd_fmu_why has the reason. */
IFD_API IFD_RT bool ifd_fmu_set(ifd_fmu *f, int count, const int *variable, const double *value);
IFD_API IFD_RT bool ifd_fmu_get(ifd_fmu *f, int count, const int *variable, double *value);
IFD_API IFD_RT bool ifd_fmu_step(ifd_fmu *f, double now, double h);
/* If isolated: permitted total time of the calls until the next call of this function, s; 0: no bound. Valid if the
 * calling thread is real-time, the process has its priority, and no patience is given. */
IFD_API IFD_RT void ifd_fmu_allow(ifd_fmu *f, double seconds);
/* One saved state at a time; false: not supported. The first save may allocate memory. */
IFD_API IFD_RT bool ifd_fmu_save(ifd_fmu *f);
IFD_API IFD_RT bool ifd_fmu_restore(ifd_fmu *f);
/* d output / d input in the present state, computed by the FMU; false: not supported. */
IFD_API bool ifd_fmu_derivative(ifd_fmu *f, int output, int input, double *slope);
/* The same if supported. Otherwise the output after a step of h by finite differences of the held input; the present
 * state is restored. False: neither is possible. Not for a tick. */
IFD_API bool ifd_fmu_slope(ifd_fmu *f, int output, int input, double now, double h, double *slope);
/* The last failure, with the message of the FMU. */
IFD_API const char *ifd_fmu_why(const ifd_fmu *f);

/* Measured properties without a flag in FMI. A specimen or an actuator is set, stepped and read; this decides whether
 * the FMU is fit for a rig. */
typedef struct ifd_fmu_quality {
    long steps;
    double p50, p999, worst; /* s per set, step and get */
    long preempted;          /* excluded steps, in which the kernel preempted the thread */
    long allocations;        /* in set, step and get; -1: not counted */
    int inputs, outputs;     /* real ones that are driven and read; at most 32 each */
    bool finite;
    double drift; /* s between the time of the FMU and of this program at the end, if available; else 0 */
    bool fit;     /* at least one input and one output, no allocation, all finite, longest step below the period, at
                   * most 5 % of the steps preempted */
} ifd_fmu_quality;

/* Steps of h with inputs that oscillate between +-amplitude. The FMU must have begun at time 0. Its state is not
 * saved or restored. out->steps is updated during the run. count: allocations so far in this process, or NULL. */
IFD_API void ifd_fmu_qualify(ifd_fmu *f, long steps, double h, double amplitude, long (*count)(void),
                             ifd_fmu_quality *out);

/* Restoring a state, which only coupled FMUs need. */
typedef enum ifd_fmu_back {
    IFD_FMU_BACK_ABSENT, /* not offered by its description */
    IFD_FMU_BACK_EXACT,  /* a step repeated from a saved state is bit-identical */
    IFD_FMU_BACK_OTHER,  /* the repeated step differs */
    IFD_FMU_BACK_FAILS   /* saving or restoring fails, crashes or hangs */
} ifd_fmu_back;

typedef struct ifd_fmu_back_quality {
    ifd_fmu_back verdict;
    long allocations; /* in saving and restoring; -1: not counted */
    char why[400];    /* of IFD_FMU_BACK_FAILS: the call and its failure */
} ifd_fmu_back_quality;

/* Repeats steps of h from saved states. The FMU must have begun at time 0, without a step. A crash ends this process,
 * unless the FMU is isolated. */
IFD_API void ifd_fmu_qualify_back(ifd_fmu *f, double h, double amplitude, long (*count)(void),
                                  ifd_fmu_back_quality *out);
/* The same for a file, in a separate process. parameters as for ifd_fmu_preset_text; patience: s for one call, 0 = 10
 * s. The status is IFD_OK unless the FMU cannot be opened or initialised. */
IFD_API ifd_status ifd_fmu_try_back(const char *path, const char *parameters, double h, double patience,
                                    ifd_fmu_back_quality *out, ifd_note *note);
/* Before an FMU in this process is coupled: checks in a separate process whether its state can be restored. If not,
 * it is refused, or with predict treated as an FMU without this function. */
IFD_API ifd_status ifd_fmu_join_check(ifd_fmu *f, const char *path, const char *parameters, double h, bool predict,
                                      ifd_note *note);

/* An FMU as specimen: displacement (and velocity) in, force out. Parameters file, input, velocity, output. Its memory
 * is outside the state of the run, so such a run cannot be set back in time. */
IFD_API extern const ifd_element_ops ifd_fmu_element;
/* An FMU as actuator: command in, position out. Parameters file, input, output, force. */
IFD_API extern const ifd_actuator_kind ifd_fmu_actuator;

/* FMUs coupled to one structure: the inputs are forces, the outputs displacements, and a saved state can be restored.
 *
 *     ifd_fmu_rule_defaults(&options.rule);
 *     IFD_TRY(ifd_fmu_join(arena, &options, &joined, note));       // begins all at time 0 and checks them
 *     while (ifd_fmu_joined_time(joined) < end && ifd_fmu_joined_step(joined))
 *         ...
 *
 * A joint force Lam is constant over an exchange step of h. It acts on both ends with opposite signs. At the end of
 * the step the gap g (first displacement minus second) is
 *
 *     g = -S Lam,    S = softness * B,    B = d g / d Lam, measured at the start and constant; B decreases as h^2.
 *
 * If every FMU is passive under constant forces, energy + Lam.S.Lam / 2 cannot grow, for any internal steps.
 * Passivity is measured at the start (docs/guide/fmi-join.md). */
typedef struct ifd_fmu_end {
    int fmu;
    int displacement, force; /* variables: an output, and the input of the force that resists it */
    int velocity;            /* output: rate of the displacement; -1: none. Required for predicted FMUs */
    bool pushes;             /* the force input acts along the displacement instead of resisting it */
} ifd_fmu_end;

typedef struct ifd_fmu_joint {
    const char *name;
    ifd_fmu_end end[2];
} ifd_fmu_joint;

/* An input that follows a signal: constant during a step, with the value at the end of the step, like joint
 * forces. */
typedef struct ifd_fmu_connection {
    int fmu, input;
    const ifd_signal *signal;
} ifd_fmu_connection;

typedef struct ifd_fmu_rule {
    double softness; /* 0: exact joints, up to 1; negative: 0.01, or 0.5 with a predicted FMU */
    int corrections; /* largest number per step; 0 = 3. Linear FMUs need one */
    int pulses;      /* exchange steps of the check at the start; 0 = 48, 1 = no check of passivity */
    bool anyway;     /* FMUs that are not passive are coupled, with a remark */
    bool predict;    /* FMUs without restoring of states are predicted instead of refused; stability is then not
                      * ensured */
} ifd_fmu_rule;

/* Default softness, everything else zero. */
IFD_API void ifd_fmu_rule_defaults(ifd_fmu_rule *rule);

typedef struct ifd_fmu_join_options {
    int fmus, joints;
    ifd_fmu **fmu;
    const ifd_fmu_joint *joint;
    double h; /* s */
    ifd_fmu_rule rule;
    int connections;
    const ifd_fmu_connection *connection;
    /* Per FMU, or NULL: the FMU applies the mean of the last and the new force over the step h. It is then sent 2 Lam
     * - (last value sent), so that Lam acts; its accelerations alternate. */
    const bool *remembers;
    /* Per FMU, or NULL: a second instance for the check of FMUs without restoring of states. */
    ifd_fmu **trial;
    /* Sets parameters of an FMU before each begin; an FMU without restoring of states begins several times. May be
     * NULL. */
    ifd_status (*prepare)(void *self, int fmu, ifd_fmu *f, ifd_note *note);
    void *self;
} ifd_fmu_join_options;

typedef struct ifd_fmu_joined ifd_fmu_joined;

/* Begins all FMUs at time 0, measures their response to forces and restores them. IFD_CONFLICT: the ends of a joint
 * differ at the start, or the step is not a multiple of the step of an FMU. IFD_UNSUPPORTED: an FMU cannot be
 * restored, does not respond to its force, or adds energy; it is named. */
IFD_API ifd_status ifd_fmu_join(ifd_arena *arena, const ifd_fmu_join_options *o, ifd_fmu_joined **out,
                                ifd_note *note);
/* Makes a step and repeats it with corrected joint forces; false: an FMU fails or the run diverges. */
IFD_API IFD_RT bool ifd_fmu_joined_step(ifd_fmu_joined *j);
IFD_API double ifd_fmu_joined_time(const ifd_fmu_joined *j);
/* N, one per joint: the mean over the last step, which is the value at its middle to second order. */
IFD_API const double *ifd_fmu_joined_forces(const ifd_fmu_joined *j);
IFD_API double ifd_fmu_joined_gap(const ifd_fmu_joined *j);      /* m, largest gap after a step so far */
IFD_API double ifd_fmu_joined_softness(const ifd_fmu_joined *j); /* in use: the check at the start can increase it */
IFD_API bool ifd_fmu_joined_diverged(const ifd_fmu_joined *j);   /* whether a step failed by divergence */
/* Result of the checks at the start that the option passivity permits, as a sentence for the summary; NULL: none. */
IFD_API const char *ifd_fmu_joined_caution(const ifd_fmu_joined *j);
IFD_API const char *ifd_fmu_joined_why(const ifd_fmu_joined *j);

/* Ground motion of a substructure that is an FMU. */
typedef enum ifd_fmu_ground {
    IFD_FMU_GROUND_FREE, /* that of the case, unless the FMU has a parameter ground_scale: then that of the FMU */
    IFD_FMU_GROUND_CASE, /* that of the case at its inputs ground.x, ground.y, ground.z; ground_scale is set to 0 */
    IFD_FMU_GROUND_OWN   /* that of the FMU; none from the case */
} ifd_fmu_ground;

/* Coupled FMUs as a run: substructures that are FMUs or models, which are exported and imported, and ties between
 * them.
 *
 *     const ifd_external_options external = {"2 parts, FMUs", &structure, ifd_fmu_structure_open};
 *     run.external = &external; */
typedef struct ifd_fmu_part {
    const char *name;
    const char *file; /* the FMU, or NULL: */
    const ifd_model *model;
    ifd_step_options step;
    bool isolated;
    bool remembers;         /* of an FMU, as in ifd_fmu_join_options */
    const char *parameters; /* of an FMU: "k = 20, c = 1.5"; NULL: presets */
    ifd_fmu_ground ground;  /* of an FMU; a model contains that of the case */
    ifd_place place;
    bool unloaded;   /* only the name of its file is known; it is not opened (case.h) */
    const int *open; /* of an FMU, as `file` in ifd_fmu_open_options */
} ifd_fmu_part;

typedef struct ifd_fmu_tie {
    const char *name;
    int part[2];
    /* A dof of a model; "d[1]" of an FMU, which implies its input f[1] and its velocity v[1]; "y/u" or "y/u/w":
     * output, input and velocity; "y/-u": the input acts along the output instead of resisting it. */
    const char *end[2];
    ifd_place place;
} ifd_fmu_tie;

typedef struct ifd_fmu_structure {
    int parts, ties;
    const ifd_fmu_part *part;
    const ifd_fmu_tie *tie;
    double h; /* s */
    ifd_fmu_rule rule;
    const ifd_signal *ground[3]; /* acceleration along x, y, z, m/s2; NULL: none */
} ifd_fmu_structure;

/* spec: an ifd_fmu_structure, which must remain valid. For ifd_external_options.open. */
IFD_API ifd_status ifd_fmu_structure_open(ifd_arena *arena, const void *spec, ifd_external *out, ifd_note *note);

IFD_END_DECLS
#endif
