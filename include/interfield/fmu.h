/* SPDX-License-Identifier: MIT */
/* Imported FMUs: co-simulation of FMI 2.0 or 3.0, unpacked, described, loaded and stepped (docs/fmi-import.md).
 *
 *     ifd_fmu *f;
 *     IFD_TRY(ifd_fmu_open(arena, "damper.fmu", &f, note));          // unpacks, reads, loads, instantiates
 *     int u = ifd_fmu_find(f, "u"), y = ifd_fmu_find(f, "y");
 *     IFD_TRY(ifd_fmu_begin(f, 0.0, note));                          // initialises
 *     for (...) {
 *         ifd_fmu_set(f, 1, &u, &value);
 *         if (!ifd_fmu_step(f, t, h) || !ifd_fmu_get(f, 1, &y, &force))
 *             ...                                                     // hold; ifd_fmu_why(f)
 *     }
 *
 * Set, step and get make one call each into the FMU, check its status and that every number is finite, and take no
 * memory of their own; what the FMU does inside is measured by ifd_fmu_qualify. The unpacked folder is removed and
 * the instance freed when the arena closes. An FMU is foreign machine code: ifd_fmu_open_as runs one in a process of
 * its own, where what it breaks is a failed call here. */
#ifndef INTERFIELD_FMU_H
#define INTERFIELD_FMU_H

#include <stdint.h>

#include <interfield/arena.h>
#include <interfield/element.h>
#include <interfield/rig.h>
#include <interfield/run.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    bool real;    /* one number of type Real, Float64 or Float32; others are listed, not used */
    double start; /* when given, else 0 */
    bool has_start;
    bool single;           /* Float32 */
    int element, elements; /* of an array (FMI 3): which of how many, with one reference; 0 of 1: no array */
} ifd_fmu_variable;

typedef struct ifd_fmu_facts {
    int version; /* 2 or 3 */
    const char *name, *identifier, *token, *tool;
    bool rolls_back; /* state can be got and set */
    bool serialises;
    bool derivatives;   /* directional ones */
    bool variable_step; /* takes steps of any size */
    bool once;          /* one instance per process */
    bool needs_tool;    /* refused: an execution tool would have to run */
    double step;        /* of the default experiment, 0 when not given */
    int variables;
    const ifd_fmu_variable *variable;
} ifd_fmu_facts;

typedef struct ifd_fmu ifd_fmu;

/* IFD_FILE for archives and descriptions that are damaged, hostile (paths that leave the folder, links, more than 512
 * MB) or of another kind; IFD_PLUGIN when the binary is missing, lacks a function (named) or refuses to be
 * instantiated. */
IFD_API ifd_status ifd_fmu_open(ifd_arena *arena, const char *path, ifd_fmu **out, ifd_note *note);

/* isolated: the FMU lives in a process without network, without descriptors of ours, with at most 4 GB of memory, and
 * ends with the thread that opened it when that is the main one, else within a second of the program. All calls below
 * work the same and give the same bits. A process that dies or does not answer in time fails the call and all later
 * ones. */
typedef struct ifd_fmu_open_options {
    bool isolated;
    double patience;  /* s for one call while running, 0 = 10 s, or less by ifd_fmu_allow */
    bool clocked;     /* it may come into a test against the clock: the note says which priority it is granted */
    const char *host; /* the file fmu_host, NULL = beside the library */
    /* What an FMU of FMI 2 that is not isolated is given to take memory with; NULL = calloc, free. For counting. */
    void *(*allocate)(size_t count, size_t size);
    void (*release)(void *memory);
    /* The FMU, open and examined already: path is only its name then. NULL = path is opened. */
    const int *file;
} ifd_fmu_open_options;

/* As ifd_fmu_open, in a process of its own when asked for. */
IFD_API ifd_status ifd_fmu_open_as(ifd_arena *arena, const char *path, const ifd_fmu_open_options *o, ifd_fmu **out,
                                   ifd_note *note);

/* A new folder for a while, below TMPDIR; word is in its name. NULL: none can be made. */
IFD_API char *ifd_fmu_folder(ifd_arena *arena, const char *word);
/* With all that is in it; links are not followed. */
IFD_API void ifd_fmu_folder_remove(void *folder);

typedef struct ifd_fmu_process {
    bool isolated, network_gone;
    long pid;     /* 0 when not isolated */
    int priority; /* FIFO, one below the thread that asked last when that is real-time and it was granted; else 0 */
    bool aside;   /* kept off the core that thread is bound to */
    bool locked;  /* what it had when it began stays in memory */
} ifd_fmu_process;

/* Where it runs, and what its description says. */
IFD_API ifd_fmu_process ifd_fmu_process_of(const ifd_fmu *f);
IFD_API const ifd_fmu_facts *ifd_fmu_facts_of(const ifd_fmu *f);
/* The place of a variable in the list, -1 when there is none of this name. */
IFD_API int ifd_fmu_find(const ifd_fmu *f, const char *name);
/* Likewise, of a real number in this role only. */
IFD_API int ifd_fmu_find_as(const ifd_fmu *f, const char *name, ifd_fmu_role role);
/* What a message about a name adds where the name is that of an array that is not used (FMI 3: more than 64 numbers,
 * a size that is not known), or of an element of it; "" otherwise. */
IFD_API const char *ifd_fmu_array_why(const ifd_fmu_facts *facts, const char *name, size_t length);

/* Before begin: a parameter or an initial input. */
IFD_API ifd_status ifd_fmu_preset(ifd_fmu *f, int variable, double value, ifd_note *note);
/* The same for several, as a case writes them: "k = 20, c = 1.5", parameters only; NULL: none. */
IFD_API ifd_status ifd_fmu_preset_text(ifd_fmu *f, const char *text, const ifd_place *place, ifd_note *note);
IFD_API ifd_status ifd_fmu_begin(ifd_fmu *f, double start, ifd_note *note);
/* Back to before begin. */
IFD_API ifd_status ifd_fmu_again(ifd_fmu *f, ifd_note *note);

/* variable: places in the list. step goes from now to now + h. False when the FMU refuses; ifd_fmu_why says why. */
IFD_API IFD_RT bool ifd_fmu_set(ifd_fmu *f, int count, const int *variable, const double *value);
IFD_API IFD_RT bool ifd_fmu_get(ifd_fmu *f, int count, const int *variable, double *value);
IFD_API IFD_RT bool ifd_fmu_step(ifd_fmu *f, double now, double h);
/* When isolated: what the calls from here to the next of these may take together, s; 0: no such bound. Holds where
 * the calling thread is real-time and its priority was granted to the process too, and no patience was given. */
IFD_API IFD_RT void ifd_fmu_allow(ifd_fmu *f, double seconds);
/* One state at a time is kept inside; false when the FMU cannot. The first save may take memory. */
IFD_API IFD_RT bool ifd_fmu_save(ifd_fmu *f);
IFD_API IFD_RT bool ifd_fmu_restore(ifd_fmu *f);
/* d output / d input of the model as it stands, as the FMU tells it; false when it has no derivatives. */
IFD_API bool ifd_fmu_derivative(ifd_fmu *f, int output, int input, double *slope);
/* The same where it has those; otherwise how the output after a step of h answers the input held during it, by
 * differences from the present state, to which it goes back. False when it can do neither. Not for a tick. */
IFD_API bool ifd_fmu_slope(ifd_fmu *f, int output, int input, double now, double h, double *slope);
/* What went wrong last, with what the FMU itself said of it. */
IFD_API const char *ifd_fmu_why(const ifd_fmu *f);

/* What FMI has no flag for, measured. A specimen or an actuator is set, stepped and read: that alone decides whether
 * the FMU is fit for a rig. */
typedef struct ifd_fmu_quality {
    long steps;
    double p50, p999, worst; /* s per set, step and get */
    long preempted;          /* steps left out of these, because the kernel gave the core to others meanwhile */
    long allocations;        /* of memory in set, step and get; -1 when they could not be counted */
    int inputs, outputs;     /* real ones, which were driven and read; at most 32 each */
    bool finite;
    double drift; /* s between its time and ours at the end, when it tells its time; 0 otherwise */
    bool fit;     /* an input and an output, no allocation, all finite, worst step below the period, at most one step
                   * in twenty preempted */
} ifd_fmu_quality;

/* Steps of h with inputs that swing between +-amplitude. The FMU must have begun at time 0. Its state is neither kept
 * nor set. out->steps counts while it runs. count: allocations so far in this process, or NULL when nobody counts. */
IFD_API void ifd_fmu_qualify(ifd_fmu *f, long steps, double h, double amplitude, long (*count)(void),
                             ifd_fmu_quality *out);

/* Going back, which only a joined part needs. */
typedef enum ifd_fmu_back {
    IFD_FMU_BACK_ABSENT, /* not offered by its description */
    IFD_FMU_BACK_EXACT,  /* a step repeated from a kept state gives the same bits */
    IFD_FMU_BACK_OTHER,  /* it gives others */
    IFD_FMU_BACK_FAILS   /* keeping or setting a state fails, crashes or hangs */
} ifd_fmu_back;

typedef struct ifd_fmu_back_quality {
    ifd_fmu_back verdict;
    long allocations; /* in get-state and set-state; -1 when they could not be counted */
    char why[400];    /* of IFD_FMU_BACK_FAILS: which call, and what became of it */
} ifd_fmu_back_quality;

/* Repeats some steps of h from kept states. The FMU must have begun at time 0 and have made no step. A crash in it is
 * a crash of this process, unless it is isolated. */
IFD_API void ifd_fmu_qualify_back(ifd_fmu *f, double h, double amplitude, long (*count)(void),
                                  ifd_fmu_back_quality *out);
/* The same of a file, in a process of its own. parameters as for ifd_fmu_preset_text; patience: s for one call, 0 =
 * 10 s. Only when the FMU cannot be
 * opened or initialised there is the status not IFD_OK. */
IFD_API ifd_status ifd_fmu_try_back(const char *path, const char *parameters, double h, double patience,
                                    ifd_fmu_back_quality *out, ifd_note *note);
/* Before an FMU is joined that runs in this process: tries in a process of its own whether it can go back. One that
 * cannot is refused, or with predict counts from now on as one that does not offer it. */
IFD_API ifd_status ifd_fmu_join_check(ifd_fmu *f, const char *path, const char *parameters, double h, bool predict,
                                      ifd_note *note);

/* An FMU as specimen: displacement (and velocity) in, force out. Parameters file, input, velocity, output. A row for
 * case files; its memory is outside the run's: nothing that goes back in time may be asked of a run that has one. */
IFD_API extern const ifd_element_ops ifd_fmu_element;
/* An FMU as actuator: command in, position out. Parameters file, input, output, force. */
IFD_API extern const ifd_actuator_kind ifd_fmu_actuator;

/* FMUs joined to one structure: each takes forces and puts out displacements, and can go back to a kept state.
 *
 *     ifd_fmu_rule_defaults(&options.rule);
 *     IFD_TRY(ifd_fmu_join(arena, &options, &joined, note));       // begins them all at time 0, tries them
 *     while (ifd_fmu_joined_time(joined) < end && ifd_fmu_joined_step(joined))
 *         ...
 *
 * A joint force Lam is held over an exchange step of h. It pulls the first end and pushes the second, and is chosen
 * so that at the end of the step the gap g (first displacement minus second) is
 *
 *     g = -S Lam,    S = softness * B,    B = d g / d Lam, measured at the start and constant; B falls like h^2.
 *
 * When every FMU is passive under held forces, energy + Lam.S.Lam / 2 cannot grow, whatever steps they make inside:
 * the start measures whether they are (docs/fmi-join.md). */
typedef struct ifd_fmu_end {
    int fmu;
    int displacement, force; /* variables: an output, and the input of the force that resists it */
    int velocity;            /* output: rate of the displacement; -1: none. Asked for where FMUs are predicted */
    bool pushes;             /* the force input pushes along the displacement instead of resisting it */
} ifd_fmu_end;

typedef struct ifd_fmu_joint {
    const char *name;
    ifd_fmu_end end[2];
} ifd_fmu_joint;

/* An input that follows a signal: during a step it has the value of the step's end, as joint forces have. */
typedef struct ifd_fmu_connection {
    int fmu, input;
    const ifd_signal *signal;
} ifd_fmu_connection;

typedef struct ifd_fmu_rule {
    double softness; /* 0: exact joints, up to 1; negative: 0.01, or 0.5 where an FMU is predicted */
    int corrections; /* of a step, at most; 0 = 3. Linear FMUs need one */
    int pulses;      /* exchange steps of the trial at the start; 0 = 48, 1 = no test of passivity */
    bool anyway;     /* FMUs that fail the test of passivity are joined all the same, with a remark */
    bool predict;    /* FMUs that cannot go back are predicted instead of refused: no stability is promised */
} ifd_fmu_rule;

/* softness by itself, everything else zero. */
IFD_API void ifd_fmu_rule_defaults(ifd_fmu_rule *rule);

typedef struct ifd_fmu_join_options {
    int fmus, joints;
    ifd_fmu **fmu;
    const ifd_fmu_joint *joint;
    double h; /* s */
    ifd_fmu_rule rule;
    int connections;
    const ifd_fmu_connection *connection;
    /* Per FMU, or NULL: it applies the mean of the last force and the new one, and is stepped by h. It is then sent
     * 2 Lam - (what was sent last), and feels Lam; its accelerations alternate. */
    const bool *remembers;
    /* Per FMU, or NULL: a second instance to try those with that cannot go back. */
    ifd_fmu **trial;
    /* Sets parameters of an FMU before it begins; it begins several times where it cannot go back. May be NULL. */
    ifd_status (*prepare)(void *self, int fmu, ifd_fmu *f, ifd_note *note);
    void *self;
} ifd_fmu_join_options;

typedef struct ifd_fmu_joined ifd_fmu_joined;

/* Begins all FMUs at time 0, tries how they answer forces and takes them back. IFD_CONFLICT when the ends of a joint
 * are apart at the start, or when the step is no multiple of that of an FMU; IFD_UNSUPPORTED when an FMU cannot go
 * back, does not answer its force, or adds energy: it is named. */
IFD_API ifd_status ifd_fmu_join(ifd_arena *arena, const ifd_fmu_join_options *o, ifd_fmu_joined **out,
                                ifd_note *note);
/* A step is made, and made again with corrected joint forces; false when an FMU refuses or the run diverged. */
IFD_API IFD_RT bool ifd_fmu_joined_step(ifd_fmu_joined *j);
IFD_API double ifd_fmu_joined_time(const ifd_fmu_joined *j);
/* N, one per joint: the mean over the last step, which is the value in its middle to second order. */
IFD_API const double *ifd_fmu_joined_forces(const ifd_fmu_joined *j);
IFD_API double ifd_fmu_joined_gap(const ifd_fmu_joined *j);      /* m, the largest after a step so far */
IFD_API double ifd_fmu_joined_softness(const ifd_fmu_joined *j); /* as used: the start may have raised it */
IFD_API bool ifd_fmu_joined_diverged(const ifd_fmu_joined *j);   /* the reason why a step was false */
/* What the start found and the rule told it to pass over, for whoever reads the result; NULL: nothing. */
IFD_API const char *ifd_fmu_joined_caution(const ifd_fmu_joined *j);
IFD_API const char *ifd_fmu_joined_why(const ifd_fmu_joined *j);

/* Which ground motion acts on a part that is an FMU. */
typedef enum ifd_fmu_ground {
    IFD_FMU_GROUND_FREE, /* the case's, unless the FMU has a parameter ground_scale: then its own */
    IFD_FMU_GROUND_CASE, /* the case's through its inputs ground.x, ground.y, ground.z; ground_scale is set to 0 */
    IFD_FMU_GROUND_OWN   /* what is inside it, nothing from here */
} ifd_fmu_ground;

/* The same as a run: parts that are FMUs, or models, which are exported and imported again, and ties between them.
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
    const char *parameters; /* of an FMU: "k = 20, c = 1.5"; NULL: as they are */
    ifd_fmu_ground ground;  /* of an FMU; a model has that of the case inside */
    ifd_place place;
    bool unloaded;   /* its file is known by name only, and is not opened (case.h) */
    const int *open; /* of an FMU, as `file` in ifd_fmu_open_options */
} ifd_fmu_part;

typedef struct ifd_fmu_tie {
    const char *name;
    int part[2];
    /* A dof of a model; "d[1]" of an FMU, which also means its input f[1] and its velocity v[1]; "y/u" or "y/u/w":
     * output, input and velocity; "y/-u": the input pushes along the output instead of resisting it. */
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

/* spec: an ifd_fmu_structure, kept. For ifd_external_options.open. */
IFD_API ifd_status ifd_fmu_structure_open(ifd_arena *arena, const void *spec, ifd_external *out, ifd_note *note);

#ifdef __cplusplus
}
#endif
#endif
