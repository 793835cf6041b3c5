/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files that read a case. Every function adds its errors to the note of the reader and
 * continues, so that one pass finds all of them; the caller checks at the end whether there were any. */
#pragma once

#include <interfield/case.h>
#include <interfield/structures.h>

#include "case/keys.h"
#include "text/yaml.h"

enum { IFD__FIELDS = 48 }; /* no section has more keys */

/* One model during reading: the whole structure, a substructure or a specimen. Names are looked up in it. */
typedef struct ifd__model_read {
    struct ifd__reader *r;
    ifd_arena *arena; /* the reader's */
    ifd_note *note;
    const ifd__node *node;        /* its mapping */
    const ifd_frame *frame;       /* its frame; NULL: none */
    struct ifd__rigid *rigid;     /* its rigid floors and links (tie.h), in their order */
    struct ifd__rows *tied;       /* of its dofs over masters, when they were asked for */
    const ifd__node *keep;        /* of `condense`, NULL when nothing is condensed */
    ifd_reduction *reduce;        /* of `reduce`, NULL when the model is not reduced */
    const char *part;             /* name of the substructure, optional prefix of its dofs */
    int index;                    /* of the substructure; -1: none */
    ifd_builder *b;               /* NULL before a whole model is divided */
    ifd_storey_drift *drift;      /* first in the list of storeys and springs */
    ifd_case_piece *piece;        /* its description, last piece first */
    struct ifd__framing *framing; /* its frame, NULL: none */
    struct ifd__mount *mount;     /* the specimen whose model it is, or NULL */
    struct ifd__follow *follow;   /* its supports that follow a dof, the last one first */
    int errors;                   /* of the note, when its reading began */
    bool nameless;                /* the sources of names have errors: names are incomplete */
    bool unstable;                /* a negative stiffness is wished */
    bool sound;                   /* no error so far */
    ifd_model *model;             /* when it is made */
    int *number;                  /* of its dofs there, by their number in the builder; -1: condensed */
} ifd__model_read;

/* A name that was reported as unknown; each is reported once. */
typedef struct ifd__unknown {
    struct ifd__unknown *next;
    const ifd_builder *in;
    const char *name;
} ifd__unknown;

typedef enum ifd__refer_kind {
    IFD__REFER_PLAIN,
    IFD__REFER_JOINT,
    IFD__REFER_RECORD, /* numbered through all models */
} ifd__refer_kind;

/* A dof that a joint, a support, a specimen or the record names. Reading finds it among the dofs of the builder, and
 * keeps its number there in *dof; ifd__resolve replaces this by its number in the model. */
typedef struct ifd__reference {
    struct ifd__reference *next;
    const ifd__model_read *m;
    int *dof;
    const char *user; /* subject and verb of a message: "joint 'a.x = b.x' uses" */
    ifd_place place;
    ifd__refer_kind kind;
} ifd__reference;

/* One substructure. */
typedef struct ifd__substructure_read {
    const char *name;
    const ifd__node *node; /* its mapping or list */
    ifd__model_read m;
    ifd_part_options options;
} ifd__substructure_read;

/* Data shared by all sections. Other results of a section have their own types below. */
typedef struct ifd__reader {
    ifd_arena *arena;                 /* of the case and all its data */
    ifd_note *note;                   /* errors and remarks */
    ifd__yaml doc;                    /* the document, with the bundle of its files */
    ifd_case *c;                      /* the result */
    const ifd_case_code *code;        /* native code that may be loaded */
    bool incomplete;                  /* the model cannot be built, because its code is not loaded */
    double step;                      /* s, of `time`; 0 when it could not be read */
    int rank, ranks;                  /* of ifd_case_source */
    ifd_interface_options *interface; /* of the test, with room for IFD_RIG_ACTUATORS; changed in place */
    struct {
        bool preload;                           /* constant loads act before the start */
        int late;                               /* late ticks that it tolerates; 0: there is no test */
        double tick;                            /* s, without subcycles; 0: not known */
    } test;                                     /* settings that the structure needs */
    struct ifd__rig_list *rigs;                 /* of `rigs`, NULL: one rig */
    ifd__unknown *unknown;                      /* names of dofs that were refused */
    ifd__reference *reference, *reference_last; /* in the order of reading */
    struct ifd__load_read *loads;               /* compressions that actuators measure, the last one first */
    struct ifd__named_member *named;            /* members that `record` names, the last one first */
} ifd__reader;

/* The structure: a model, a divided model or substructures, FMUs, or the dofs of another program. */
typedef struct ifd__structure {
    const ifd_signal *ground[3]; /* its accelerations */
    ifd__model_read whole;       /* the whole model, possibly before its division; always started */
    int parts;                   /* 0: no substructures */
    ifd__substructure_read *part;
    ifd_couple_options couple;
    ifd_joint *joint;                /* those of couple */
    ifd_rts_options *rts;            /* of coupling rts, else NULL; its links come last */
    struct ifd__master_read *master; /* another program computes, else NULL */
    struct ifd__fmus_read *fmus;     /* coupling fmu, else NULL; then parts is 0 */
    bool right;                      /* no error except possibly in its models */
} ifd__structure;

/* The specimens. */
typedef struct ifd__lab {
    struct ifd__mount *mounts; /* those that are models (mounted.h) */
    bool right;                /* no error in the specimens */
} ifd__lab;

/* The values of one mapping of the file, by the keys of its section. */
typedef struct ifd__fields {
    const ifd__section *section;
    const ifd__node *map;
    ifd_value value[IFD__FIELDS];
} ifd__fields;

/* Reads the plain values of a mapping and checks its keys. what: the mapping in messages; NULL: its topic. */
void ifd__fields_read(ifd__reader *r, const ifd__node *map, const ifd__section *section, const char *what,
                      ifd__fields *out);
/* The same for a section of a dof; turns: lengths are angles and forces are moments. */
void ifd__fields_read_at(ifd__reader *r, const ifd__node *map, const ifd__section *section, bool turns,
                         ifd__fields *out);
/* A plain value, and the node of one that is not plain (NULL when absent). The key must be in the section. */
const ifd_value *ifd__field(const ifd__fields *f, const char *name);
/* One number of a mapping whose other keys are read elsewhere, with the range of its row; *out is unchanged if the
 * number is absent or refused. */
void ifd__key_number(ifd__reader *r, const ifd__node *map, const ifd__section *section, const char *name,
                     double *out);
const ifd__node *ifd__part(const ifd__fields *f, const char *name);
/* A limit; INFINITY if absent. */
double ifd__field_limit(const ifd__fields *f, const char *name);
/* A whole number; whose: the section in a message ("preload: ", or ""). */
int ifd__field_whole(ifd__reader *r, const ifd__fields *f, const char *name, const char *whose);
/* A field by its index among words, 0 when it could not be read. */
int ifd__field_word(const ifd__fields *f, const char *name);

/* Sets this place in errors after `before` (NULL: all) that have none. */
void ifd__place_findings(ifd__reader *r, const ifd_finding *before, const ifd_place *place);
/* Refuses "unknown NOUN 'NAME'"; known: "a|b|c". False. */
bool ifd__unknown_choice(ifd__reader *r, const char *noun, const char *name, const ifd_place *place,
                         const char *known);
/* The settings of a chosen row, with what = "NOUN 'NAME'"; false after an error. */
bool ifd__row_settings(ifd__reader *r, const char *noun, const char *name, ifd__settings ask, ifd_value *values);
/* A word among choices, called what in messages; -1 after an error. */
int ifd__read_word(ifd__reader *r, const ifd__node *node, const char *choices, const char *what);

/* Notes an error unless all allocations succeeded; whether they did. */
bool ifd__in_memory(ifd__reader *r, bool all);
/* Nodes that the reader writes itself: a new one at the place of `at`, append to a list (NULL: nothing is
 * done), and a copy that shares its children. NULL: no memory. */
ifd__node *ifd__write_node(ifd__reader *r, ifd__node_kind kind, const char *key, const char *text,
                           const ifd__node *at);
void ifd__put_node(ifd__node *parent, ifd__node *child);
ifd__node *ifd__copy_node(ifd__reader *r, const ifd__node *from);

/* "a|b|c" of names; NULL entries are left out. "": no memory. */
const char *ifd__join(ifd_arena *arena, int count, const char *const *names);
/* The same of a list of the catalogue: "methods", "elements", ... */
const char *ifd__names_of(ifd_arena *arena, const char *list);

enum { IFD__REF_GROUND = 1, IFD__REF_SUPPORT = 2, IFD__REF_ANY = 3 };
/* Starts a model on this ground with the mapping node; index: of its substructure, or -1. False: out of memory. */
bool ifd__model_begin(ifd__reader *r, const ifd_signal *const ground[3], const ifd__node *node, int index,
                      ifd__model_read *m);
/* The model of a substructure, or the whole model if there are none. */
const ifd__model_read *ifd__model_of(const ifd__structure *st, int part);
/* Model, loads and initial state; errors in loads do not prevent the model. */
void ifd__read_moving(ifd__model_read *m, const ifd__node *loads, const ifd__node *initial);
/* Whether an unknown name is to be reported: once, and only if the names are complete. */
bool ifd__unknown_name(const ifd__model_read *m, const char *name);
/* The reference of a scalar: a dof, or a kind that `allowed` permits. False after an error. */
bool ifd__read_ref(const ifd__model_read *m, const ifd__node *node, unsigned allowed, int *ref);
/* The same for a name in the text of a node. */
bool ifd__find_ref(const ifd__model_read *m, const char *name, const ifd_place *place, unsigned allowed, int *ref);
/* Whether `condense` keeps a dof. */
bool ifd__kept(const ifd__model_read *m, int ref);
/* Refuses a condensed dof with an error; what: its user in the message. */
bool ifd__refuse_condensed(const ifd__model_read *m, int ref, const ifd_place *place, const char *what);
/* Adds a dof; its index, or -1 and an error if its name is used already. */
int ifd__new_dof(ifd__model_read *m, const char *name, ifd_dof_kind kind, const ifd_place *place);

/* Adds a storey drift between two dofs, supports or the ground to the result. */
void ifd__add_storey_drift(ifd__model_read *m, const ifd_storey_drift *of, int from, int to);

/* Keeps a piece of the structure for drawings. */
void ifd__add_piece(ifd__model_read *m, const ifd_case_piece *piece);

ifd_dof_kind ifd__ref_kind(const ifd_builder *b, int ref); /* X for the ground and supports */
bool ifd__rotation(ifd_dof_kind kind);

/* A signal, a number (constant), or a list (sum). any: the dimension of the driven quantity. smooth: it is
 * a displacement, which stays after its samples; a record is a spline unless stated. NULL after an error. */
const ifd_signal *ifd__read_signal(ifd__reader *r, const ifd__node *node, ifd_dimension any, bool smooth);
/* The same for a specimen of a protocol; acceleration: that of cycles without one, 0: it must be given. */
const ifd_signal *ifd__read_motion(ifd__reader *r, const ifd__node *node, ifd_dimension any, double acceleration);
/* A protocol: the model with a dof for each specimen, the specimens on these dofs, and their motions. */
const ifd__node *ifd__protocol_model(ifd__reader *r, const ifd__node *protocol);
const ifd__node *ifd__protocol_specimens(ifd__reader *r, const ifd__node *list);
void ifd__read_protocol(ifd__reader *r, const ifd__structure *st, const ifd__node *node);
/* The settings of the signal `cycles`, with a preset replaced by its amplitudes; NULL: no memory. */
const ifd__node *ifd__expand_presets(ifd__reader *r, const ifd__node *map, ifd_dimension any);
/* Remarks supports that move on a polygon and accelerate a mass. */
void ifd__remark_impulses(const ifd__model_read *m);

void ifd__read_record(ifd__reader *r, const ifd__structure *st, const ifd__node *node);
/* The frames of the structure, with the members that `record` names. */
void ifd__record_frames(ifd__reader *r);
/* With several processes: true if this one records nothing but the motion of named dofs. Possible before
 * `record` is read. */
bool ifd__records_motion(const ifd__reader *r, const ifd__structure *st);
void ifd__read_output(ifd__reader *r, const ifd__node *node);
void ifd__read_publication(ifd__reader *r, const ifd__node *node);
/* The number under which a massless dof with a first-order state is recorded; -1: none. */
int ifd__first_order(const ifd_model *m, const char *name);
/* The mapping `reduce`; and, with the whole case read, the dofs that reduced models keep: those with a reference. */
void ifd__read_reduce(ifd__model_read *m, const ifd__node *node);
/* Last: frequencies of modes need the complete model. */
void ifd__read_damping(ifd__model_read *m, const ifd__fields *model);
void ifd__read_superelement(ifd__model_read *m, const ifd__node *node);
void ifd__keep_interfaces(ifd__reader *r, ifd__structure *st);
/* Adds a reference to a dof of m, to the ground or to a support; dof and user remain valid until all are resolved. */
void ifd__refer(const ifd__model_read *m, int *dof, ifd__refer_kind kind, const char *user, const ifd_place *place);
/* All references, once, when the models are made. False if some dof has no mass and is condensed, with an error. */
bool ifd__resolve(ifd__reader *r, const ifd__structure *st);

/* The sections of a case. */
void ifd__read_ground(ifd__reader *r, ifd__structure *st, const ifd__node *node);
void ifd__read_supports(ifd__model_read *m, const ifd__node *node);
void ifd__read_loads(ifd__model_read *m, const ifd__node *node);
void ifd__read_initial(ifd__model_read *m, const ifd__node *node);
void ifd__read_model(ifd__model_read *m);
void ifd__read_matrices(ifd__model_read *m, const ifd__fields *model);
/* False if its nodes are missing. Then, with the masses of the model read, its gravity state and P-Delta. */
/* Keys of a model and the method that a frame with large displacements cannot have. False after an error. */
bool ifd__permit_large(const ifd__model_read *m, const ifd__fields *model);
bool ifd__permit_large_step(const ifd__model_read *m, const ifd_step_options *step);
bool ifd__read_frame(ifd__model_read *m, const ifd__node *node);
void ifd__read_frame_gravity(ifd__model_read *m);
/* A mass of `masses` on a dof; its weight belongs to the gravity state of a frame that asks for it. */
void ifd__frame_mass_added(const ifd__model_read *m, int dof, double mass);
/* First the own dofs of pendulums, then, with all names known, the elements. */
void ifd__read_element_dofs(ifd__model_read *m, const ifd__node *list);
void ifd__read_elements(ifd__model_read *m, const ifd__node *list);
void ifd__read_specimens(ifd__reader *r, const ifd__structure *st, ifd__lab *lab, const ifd__node *list);
/* Whether an end of a specimen is a support. */
bool ifd__on_support(int from, const ifd_coordinate *row);
/* References to the ends of a specimen, from (NULL: none) and to. */
void ifd__refer_ends(ifd__reader *r, const ifd__structure *st, const ifd_specimen *s, int *from, int *to);
/* The interface of the test with this name; -1 after an error, which begins with `prefix` and expects `what`. */
int ifd__find_interface(ifd__reader *r, const char *name, const ifd_place *place, const char *prefix,
                        const char *what);
/* `monitor` and `thresholds` of the test, and the number of its specimens. */
void ifd__read_monitor(ifd__reader *r, const ifd__node *const part[2], int specimens, ifd_hybrid_options *o);
/* Specimens that are identified, and their copies in the model. */
void ifd__read_identify(ifd__reader *r, const ifd__structure *st, const ifd__node *node);
/* `load-of` an actuator: whether force-control has one of this name; notes one; resolves them after `test`. */
bool ifd__force_named(const ifd__model_read *m, const char *name);
bool ifd__load_of(ifd__model_read *m, const char *element, const char *actuator, const ifd_place *place);
void ifd__read_loads_of(ifd__reader *r);
/* The rig and its channels, after the specimens. */
void ifd__read_test(ifd__reader *r, const ifd__structure *st, const ifd__lab *lab, const ifd__node *node,
                    const ifd__node *specimens);
/* The twins of all specimens, when the laboratory is complete. */
void ifd__read_twins(ifd__reader *r);
/* limits with two levels: a copy with the value of `trip` of each; its actions go to *out. Then the lower levels. */
const ifd__node *ifd__read_levels(ifd__reader *r, const ifd__node *limits, ifd_limits *out);
void ifd__read_warnings(ifd__reader *r, const ifd__node *limits, const ifd__section *section, bool turns,
                        ifd_limits *out);
/* Settings of `test` that the structure needs; the other settings, after test and channels are read. */
void ifd__read_scale(ifd__reader *r, const ifd__fields *top);
void ifd__read_day(ifd__reader *r, const ifd__fields *test, const ifd__node *specimens, ifd_hybrid_options *o,
                   ifd_interface_options *channel);
/* The signal times the scale of the case; loads of a preload are not scaled. */
const ifd_signal *ifd__scaled(ifd__reader *r, const ifd_signal *s);
/* A structure that another program computes: its dofs; after the test, its ticks and the matrices sent to it. */
void ifd__read_master(ifd__reader *r, ifd__structure *st, const ifd__fields *top);
void ifd__read_master_test(ifd__reader *r, const ifd__structure *st);
/* A model in OpenSees as rig (master.c): whether the case couples one; its node, NULL if it is not permitted; the
 * node of the rig; the defaults of this form. */
bool ifd__is_adapter(const ifd__node *coupling);
bool ifd__read_adapter(ifd__reader *r, const ifd__fields *top);
const ifd__node *ifd__adapter(const ifd__reader *r);
const ifd__node *ifd__adapter_rig(ifd__reader *r, const ifd__node *rig);
void ifd__adapter_lockstep(const ifd__reader *r, const ifd_rig_ops *rig, ifd_value *values);
/* False after an error. fallback: the method when node is NULL. */
bool ifd__read_method(ifd__reader *r, const ifd__node *node, const char *fallback, ifd_step_options *out);

/* Substructures: the coupling, then the substructures, each with its own model or a part of the whole one, then the
 * joints. */
void ifd__read_coupling(ifd__reader *r, ifd__structure *st, const ifd__node *node);
void ifd__read_substructures(ifd__reader *r, ifd__structure *st, const ifd__fields *top);
void ifd__read_cut(ifd__reader *r, ifd__structure *st, const ifd__fields *top);
void ifd__read_joints(ifd__reader *r, ifd__structure *st, const ifd__node *list);
/* Keys of every substructure, given directly or by `cut`. */
#define IFD__PART_KEYS                                                                                               \
    FORM("method", false, "as `method` of the case", "that of the case", "integration method of this substructure"), \
        WITHIN("subcycles", NONE, 1, 1e6, 1, NULL,                                                                   \
               "steps in one step of the case; in a staggered coupling 1 or even"),                                  \
        WITHIN("step", TIME, 1e-9, 1e3, 0, "step of the case divided by subcycles",                                  \
               "step; alternative to subcycles"),                                                                    \
    {                                                                                                                \
        .param = {.name = "coarse",                                                                                  \
                  .shape = IFD_SHAPE_FLAG,                                                                           \
                  .doc = "parallel coupling: yes for a coarse substructure"},                                        \
        .preset = "yes for the first substructure if no other is coarse"                                             \
    }
/* Method, subcycles and side of a substructure from its fields; method: that of the case, or NULL. */
void ifd__read_part_options(ifd__reader *r, const ifd__structure *st, const ifd__fields *f, const ifd__node *method,
                            ifd__substructure_read *part);
/* Its steps in one step of the case, from 'subcycles' or 'step'. */
int ifd__read_subcycles(ifd__reader *r, const ifd__fields *f, const char *name);
/* The dof of a name "part.dof" in the builders of the substructures; a name without substructure is searched from
 * *part on. False when there is none. */
bool ifd__find_in_parts(const ifd__structure *st, const char *name, int *part, int *dof);
/* "tower.floor1|tower.floor2|top.base" for hints; at most a few thousand. */
const char *ifd__names_in_parts(ifd_arena *arena, const ifd__structure *st);
/* Model, loads and initial state of a substructure. */
void ifd__read_part_model(ifd__reader *r, const ifd__fields *f, ifd__substructure_read *part);
/* Coupling fmu: its settings (NULL: defaults), the substructures and joints, then the models. */
void ifd__read_fmu_coupling(ifd__reader *r, ifd__structure *st, const ifd__node *settings);
void ifd__read_fmu_parts(ifd__reader *r, const ifd__structure *st, const ifd__fields *top);
void ifd__make_fmu_parts(ifd__reader *r, const ifd__structure *st);
/* The key 'late' of an isolated FMU in a test: a whole number of ticks; if absent, those that the test tolerates. */
void ifd__fmu_ticks(ifd__reader *r, const ifd_param *params, ifd_value *values);
/* Whether a name is valid for a substructure. */
bool ifd__part_name(ifd__reader *r, const ifd__node *node);
/* The dof "part.dof" with its number in the builder; what: the user in messages ("the joint"). */
ifd_status ifd__find_part_dof(const ifd__structure *st, const ifd__node *node, const char *name, const char *what,
                              int *part, int *dof);
/* Coupling rts: its settings (NULL: defaults) and the supports that follow; then, after all substructures are read,
 * the followed dofs. */
void ifd__read_rts(ifd__reader *r, ifd__structure *st, const ifd__node *settings);
void ifd__read_follows(ifd__model_read *m, const ifd__node *support, const ifd__node *follows,
                       const ifd__node *ghost);
/* For a substructure whose coupling has none. */
void ifd__refuse_follows(ifd__reader *r, const ifd__model_read *m, const char *part);
void ifd__read_links(ifd__reader *r, ifd__structure *st, const ifd__fields *top);
/* A joint row; its name is kept, and its terms, which joint does not have. */
void ifd__add_joint(ifd__reader *r, ifd__structure *st, const ifd_joint *joint, ifd_joint_term *term);
/* Models of the substructures; if all succeed, their dofs in the joints, and the assembled model. */
void ifd__make_parts(ifd__reader *r, ifd__structure *st);
/* Builds the model, unless it has errors, and numbers its dofs; findings without a place get that of their key. */
bool ifd__make_model(ifd__model_read *m);
/* The number of a dof in the model; -1: condensed. The ground and supports are unchanged. */
int ifd__number(const ifd__model_read *m, int dof);
/* The initial state of models with a gravity state, before they are assembled; false after an error. */
bool ifd__start_gravity(ifd__reader *r, ifd__structure *st);
/* Builds everything that can be built. */
void ifd__make_structure(ifd__reader *r, ifd__structure *st, const ifd__lab *lab);

/* The case of a document that was read before and has no overrides yet; those of the bundle are applied to a copy.
 * Code of the case may be loaded. */
ifd_status ifd__case_read_again(ifd_arena *arena, const ifd__yaml *doc, struct ifd__bundle *bundle, const char *path,
                                ifd_case **out, ifd_note *note);

/* Refuses a structure with a negative stiffness, or remarks it where the case wishes it. mounted: specimens are
 * models, which are not part of the examined structure; then nothing is known. */
void ifd__refuse_unstable(ifd__reader *r, const ifd__structure *st, bool mounted);
/* The mapping `shear-building`. False: its floors do not exist, or it is unstable. */
bool ifd__read_building(ifd__model_read *m, const ifd__node *node);
