/* SPDX-License-Identifier: MIT */
/* What the files that read a case share. Every function adds its errors to the reader's note and goes on, so that one
 * pass finds all of them; whether there were any is asked at the end. */
#ifndef IFD_CASE_READER_H
#define IFD_CASE_READER_H

#include <interfield/case.h>

#include "case/keys.h"
#include "text/yaml.h"

enum { IFD__FIELDS = 48 }; /* no section has more keys */

/* One model while it is read: a structure in one piece, one of its parts, a specimen. Names are looked up in it. */
typedef struct ifd__model_read {
    struct ifd__reader *r;
    ifd_arena *arena; /* the reader's */
    ifd_note *note;
    const ifd__node *node;      /* its mapping */
    const ifd__node *keep;      /* of `condense`, NULL when nothing is condensed */
    const char *part;           /* this name may stand before those of its dofs */
    int index;                  /* among the parts; -1: it is none of them */
    ifd_builder *b;             /* NULL before a whole model has been cut */
    ifd_storey_drift *drift;    /* of storeys and springs, the first */
    struct ifd__mount *mount;   /* the specimen whose model it is, or NULL */
    struct ifd__follow *follow; /* its supports that follow a dof, the last one first */
    int errors;                 /* of the note, when its reading began */
    bool nameless;              /* what brings names is wrong: nobody knows which there would be */
    bool sound;                 /* nothing is wrong with it so far */
    const ifd_model *model;     /* when it is made */
    int *number;                /* of its dofs there, by their number in the builder; -1: condensed */
} ifd__model_read;

/* A name that was reported as unknown, which is said once. */
typedef struct ifd__unknown {
    struct ifd__unknown *next;
    const ifd_builder *in;
    const char *name;
} ifd__unknown;

/* One part of a structure in parts. */
typedef struct ifd__substructure_read {
    const char *name;
    const ifd__node *node; /* the part's own mapping or list */
    ifd__model_read m;
    ifd_part_options options;
} ifd__substructure_read;

/* What every section shares. What else one of them finds is a result of its own, below, and an argument to others. */
typedef struct ifd__reader {
    ifd_arena *arena;          /* of the case: all that is made of it */
    ifd_note *note;            /* what is wrong, and remarks */
    ifd__yaml doc;             /* what is read, with the bundle of its files */
    ifd_case *c;               /* what is made */
    const ifd_case_code *code; /* what native code may be loaded */
    bool incomplete;           /* the model cannot be made: code that it needs is not loaded */
    double step;               /* s, of `time`; 0 when it could not be read */
    struct {
        bool preload;      /* constant loads act before the start */
        int late;          /* ticks that it tolerates; 0: there is no test */
    } test;                /* as far as the structure must know it */
    ifd__unknown *unknown; /* names of dofs that were refused */
} ifd__reader;

/* What moves, one of: a model, a model that is cut or parts, FMUs, the dofs of another program. */
typedef struct ifd__structure {
    const ifd_signal *ground[3]; /* its accelerations */
    ifd__model_read whole;       /* in one piece, or before it is cut; begun always */
    int parts;                   /* 0 for a structure in one piece */
    ifd__substructure_read *part;
    ifd_couple_options couple;       /* dofs of joints are those of the parts' builders until the models are made */
    ifd_joint *joint;                /* those of couple */
    ifd_rts_options *rts;            /* of coupling rts, else NULL; its links come last */
    struct ifd__master_read *master; /* another program computes, else NULL */
    struct ifd__fmus_read *fmus;     /* coupling fmu, else NULL; then parts is 0 */
    bool right;                      /* what is stepped, and how, is right but for its models */
} ifd__structure;

/* What is tested. */
typedef struct ifd__lab {
    ifd_specimen *specimen; /* those of the run; dofs are those of builders until the models are made */
    ifd_estimate *estimate;
    struct ifd__mount *mounts; /* those that are models (mounted.h) */
    bool right;                /* nothing is wrong with the specimens */
} ifd__lab;

/* Dofs that are recorded: pairs of part and dof, by the numbers of builders until the models are made. */
typedef struct ifd__recorded {
    int count, *part, *dof;
} ifd__recorded;

/* The values of one mapping of the file, by the keys of its section. */
typedef struct ifd__fields {
    const ifd__section *section;
    const ifd__node *map;
    ifd_value value[IFD__FIELDS];
} ifd__fields;

/* Reads the plain values of a mapping and checks its keys. what says in messages where this is. */
void ifd__fields_read(ifd__reader *r, const ifd__node *map, const ifd__section *section, const char *what,
                      ifd__fields *out);
/* The same for what belongs to a dof: turns when lengths are angles there, and forces moments. */
void ifd__fields_read_at(ifd__reader *r, const ifd__node *map, const ifd__section *section, bool turns,
                         ifd__fields *out);
/* A plain value, and the node of one that is not plain (NULL when absent). The key must be in the section. */
const ifd_value *ifd__field(const ifd__fields *f, const char *name);
/* One number of a mapping whose other keys are read elsewhere, with the range of its row; *out stays when it is not
 * there or refused. */
void ifd__key_number(ifd__reader *r, const ifd__node *map, const ifd__section *section, const char *name,
                     double *out);
const ifd__node *ifd__part(const ifd__fields *f, const char *name);
/* A limit: INFINITY where there is none. */
double ifd__field_limit(const ifd__fields *f, const char *name);
/* A whole number; where it is none, whose says in the message which part of the case ("preload: ", or ""). */
int ifd__field_whole(ifd__reader *r, const ifd__fields *f, const char *name, const char *whose);
/* A field by its index among words, 0 when it could not be read. */
int ifd__field_word(const ifd__fields *f, const char *name);

/* Gives the errors that came after `before` (NULL: all) and have no place of their own this one. */
void ifd__place_findings(ifd__reader *r, const ifd_finding *before, const ifd_place *place);
/* A word among choices, called what in messages; -1 after an error. */
int ifd__read_word(ifd__reader *r, const ifd__node *node, const char *choices, const char *what);

/* Notes that memory is out unless all that was asked for is there; whether it is. */
bool ifd__in_memory(ifd__reader *r, bool all);
/* Nodes that the reader writes itself: a new one in the place of `at`, put at the end of a list (NULL: nothing is
 * done), and a copy, below which all is shared. NULL when memory is out. */
ifd__node *ifd__write_node(ifd__reader *r, ifd__node_kind kind, const char *key, const char *text,
                           const ifd__node *at);
void ifd__put_node(ifd__node *parent, ifd__node *child);
ifd__node *ifd__copy_node(ifd__reader *r, const ifd__node *from);

/* "a|b|c" of names; NULL entries are left out. "" when memory is out. */
const char *ifd__join(ifd_arena *arena, int count, const char *const *names);
/* The same of a list of the catalogue: "methods", "elements", ... */
const char *ifd__names_of(ifd_arena *arena, const char *list);

enum { IFD__REF_GROUND = 1, IFD__REF_SUPPORT = 2, IFD__REF_ANY = 3 };
/* Begins a model on this ground, whose mapping is node; index: among the parts, or -1. False when memory is out. */
bool ifd__model_begin(ifd__reader *r, const ifd_signal *const ground[3], const ifd__node *node, int index,
                      ifd__model_read *m);
/* The model that part p of the structure has: of a structure in one piece the whole. */
const ifd__model_read *ifd__model_of(const ifd__structure *st, int part);
/* Model, loads and initial state; what is wrong with loads does not keep the model from being made. */
void ifd__read_moving(ifd__model_read *m, const ifd__node *loads, const ifd__node *initial);
/* Whether a name that is not known there shall be reported: not twice, and not where names are missing anyway. */
bool ifd__unknown_name(const ifd__model_read *m, const char *name);
/* The reference that a scalar names: always a dof, and what allowed says besides. False after an error. */
bool ifd__read_ref(const ifd__model_read *m, const ifd__node *node, unsigned allowed, int *ref);
/* The same for a name taken out of a node's text. */
bool ifd__find_ref(const ifd__model_read *m, const char *name, const ifd_place *place, unsigned allowed, int *ref);
/* Whether a dof is there when `condense` has removed others. */
bool ifd__kept(const ifd__model_read *m, int ref);
/* Refuses a dof that is not, and says so; what says who uses it. */
bool ifd__refuse_condensed(const ifd__model_read *m, int ref, const ifd_place *place, const char *what);
/* Adds a dof and says so when its name is taken; its index, or -1. */
int ifd__new_dof(ifd__model_read *m, const char *name, ifd_dof_kind kind, const ifd_place *place);

/* Notes a drift for the result, unless it begins at a support. */
void ifd__add_storey_drift(ifd__model_read *m, const char *name, int from, int to);

ifd_dof_kind ifd__ref_kind(const ifd_builder *b, int ref); /* X for the ground and supports */
bool ifd__rotation(ifd_dof_kind kind);

/* A signal, a number (constant), or a list (sum). any: the dimension of what it drives. smooth: samples are splined
 * unless they say otherwise. NULL after an error. */
const ifd_signal *ifd__read_signal(ifd__reader *r, const ifd__node *node, ifd_dimension any, bool smooth);

/* What is recorded; number: when the models are made. */
void ifd__read_record(ifd__reader *r, const ifd__structure *st, ifd__recorded *rec, const ifd__node *node);
void ifd__read_output(ifd__reader *r, const ifd__node *node);
void ifd__number_recorded(ifd__reader *r, const ifd__structure *st, ifd__recorded *rec);
/* A dof without mass that has a share of a first-order state is recorded under a number of its own; -1: none. */
int ifd__first_order(const ifd_model *m, const char *name);
/* Says that what uses a dof that was condensed because it has no mass, which can be found out only when the model is
 * made. */
void ifd__refuse_massless(const ifd__structure *st, const ifd__model_read *m, int dof, const char *what,
                          const ifd_place *place);

/* The parts of a case. */
void ifd__read_ground(ifd__reader *r, ifd__structure *st, const ifd__node *node);
void ifd__read_supports(ifd__model_read *m, const ifd__node *node);
void ifd__read_loads(ifd__model_read *m, const ifd__node *node);
void ifd__read_initial(ifd__model_read *m, const ifd__node *node);
void ifd__read_model(ifd__model_read *m);
void ifd__read_matrices(ifd__model_read *m, const ifd__fields *model);
/* False when its nodes are not there. */
bool ifd__read_frame(ifd__model_read *m, const ifd__node *node);
/* First the dofs that pendulums bring, then, when every name is known, the elements. */
void ifd__read_element_dofs(ifd__model_read *m, const ifd__node *list);
void ifd__read_elements(ifd__model_read *m, const ifd__node *list);
void ifd__read_specimens(ifd__reader *r, const ifd__structure *st, ifd__lab *lab, const ifd__node *list);
/* When the models are made: numbers their dofs. */
void ifd__number_specimens(ifd__reader *r, const ifd__structure *st, ifd__lab *lab);
/* The rig and its channels, after the specimens; finish puts the model in place. */
void ifd__read_test(ifd__reader *r, const ifd__structure *st, const ifd__lab *lab, const ifd__node *node,
                    const ifd__node *specimens);
void ifd__finish_test(ifd__reader *r, const ifd__structure *st);
/* The twins of all specimens, when the laboratory is complete. */
void ifd__read_twins(ifd__reader *r);
/* What of `test` must be known before the structure is read; what else belongs to the day, when
 * test and channels are there. */
void ifd__read_scale(ifd__reader *r, const ifd__fields *top);
void ifd__read_day(ifd__reader *r, const ifd__fields *test, const ifd__node *specimens, ifd_hybrid_options *o,
                   ifd_interface_options *channel);
/* The signal times the scale of the case; a load of preload as it is. */
const ifd_signal *ifd__scaled(ifd__reader *r, const ifd_signal *s);
/* A structure that another program computes: its dofs; its ticks, behind the test; then what is answered. */
void ifd__read_master(ifd__reader *r, ifd__structure *st, const ifd__fields *top);
void ifd__read_master_ticks(ifd__reader *r, const ifd__structure *st);
void ifd__finish_master(ifd__reader *r, const ifd__structure *st);
/* A model in OpenSees that takes part as a rig (adapter.c): whether the case couples one; the node that says so, NULL
 * when it may not; the node that says which rig; what that spelling presets. */
bool ifd__is_adapter(const ifd__node *coupling);
bool ifd__read_adapter(ifd__reader *r, const ifd__fields *top);
const ifd__node *ifd__adapter(const ifd__reader *r);
const ifd__node *ifd__adapter_rig(ifd__reader *r, const ifd__node *rig);
void ifd__adapter_lockstep(const ifd__reader *r, const ifd_rig_ops *rig, ifd_value *values);
/* False after an error. fallback: the method when node is NULL. */
bool ifd__read_method(ifd__reader *r, const ifd__node *node, const char *fallback, ifd_step_options *out);

/* A structure of several parts: how they are joined in time, then the parts, each with its own model or a share of
 * the whole one, then the joints. */
void ifd__read_coupling(ifd__reader *r, ifd__structure *st, const ifd__node *node);
void ifd__read_substructures(ifd__reader *r, ifd__structure *st, const ifd__fields *top);
void ifd__read_cut(ifd__reader *r, ifd__structure *st, const ifd__fields *top);
void ifd__read_joints(ifd__reader *r, ifd__structure *st, const ifd__node *list);
/* Keys that a part has, given or cut out of a whole. */
#define IFD__PART_KEYS                                                                                               \
    FORM("method", false, "as method of the case", "that of the case", "how this part moves through time"),          \
        WITHIN("subcycles", NONE, 1, 1e6, 1, NULL,                                                                   \
               "its steps in one step of the case; 1 or even in a staggered "                                        \
               "coupling"),                                                                                          \
        WITHIN("step", TIME, 1e-9, 1e3, 0, "step of the case over subcycles", "instead of subcycles"),               \
    {                                                                                                                \
        .param = {.name = "coarse",                                                                                  \
                  .shape = IFD_SHAPE_FLAG,                                                                           \
                  .doc = "belongs to the coarse side of a parallel coupling"},                                       \
        .preset = "the first part when no other says yes"                                                            \
    }
/* Method, subcycles and side of a part whose fields were read; method: the case's own, NULL when none is given. */
void ifd__read_part_options(ifd__reader *r, const ifd__structure *st, const ifd__fields *f, const ifd__node *method,
                            ifd__substructure_read *part);
/* Its steps in one step of the case, by 'subcycles' or 'step'. */
int ifd__read_subcycles(ifd__reader *r, const ifd__fields *f, const char *name);
/* The place of a name "part.dof" among the builders of the parts: a dof, or without its part that of every part from
 * *part on. False when there is none. */
bool ifd__find_in_parts(const ifd__structure *st, const char *name, int *part, int *dof);
/* "tower.floor1|tower.floor2|top.base" for hints; at most a few thousand. */
const char *ifd__names_in_parts(ifd_arena *arena, const ifd__structure *st);
/* What moves in a part that was given by a model, its loads and initial state. */
void ifd__read_part_model(ifd__reader *r, const ifd__fields *f, ifd__substructure_read *part);
/* Coupling fmu: its settings (NULL: presets), the parts and joints, then the models. */
void ifd__read_fmu_coupling(ifd__reader *r, ifd__structure *st, const ifd__node *settings);
void ifd__read_fmu_parts(ifd__reader *r, const ifd__structure *st, const ifd__fields *top);
void ifd__make_fmu_parts(ifd__reader *r, const ifd__structure *st);
/* The key 'late' of an isolated FMU in a test: a whole number of ticks; left out, those that the test tolerates. */
void ifd__fmu_ticks(ifd__reader *r, const ifd_param *params, ifd_value *values);
/* Names of the form that a part may have. */
bool ifd__part_name(ifd__reader *r, const ifd__node *node);
/* The dof that "part.dof" names, by its number in the part's builder; what ("the joint") says who asks. */
ifd_status ifd__find_part_dof(const ifd__structure *st, const ifd__node *node, const char *name, const char *what,
                              int *part, int *dof);
/* Coupling rts: its settings (NULL: presets), the supports that follow, then, when all parts are read, whom they
 * follow, and when their models are made, the numbers of the dofs. */
void ifd__read_rts(ifd__reader *r, ifd__structure *st, const ifd__node *settings);
void ifd__read_follows(ifd__model_read *m, const ifd__node *support, const ifd__node *follows,
                       const ifd__node *ghost);
void ifd__read_links(ifd__reader *r, ifd__structure *st, const ifd__fields *top);
ifd_status ifd__number_links(ifd__reader *r, const ifd__structure *st);
/* A joint row; name and terms are kept. */
void ifd__add_joint(ifd__reader *r, ifd__structure *st, const ifd_joint *joint);
/* Models of the parts; when all could be made, their dofs in the joints, and the assembled whole. */
void ifd__make_parts(ifd__reader *r, ifd__structure *st, ifd__lab *lab);
/* Makes the model, unless something is wrong with it, and numbers its dofs; findings without a place get that of the
 * key they speak of. */
bool ifd__make_model(ifd__model_read *m);
/* The number of a dof in the model; -1: it was condensed. The ground and supports stay. */
int ifd__number(const ifd__model_read *m, int dof);
/* All that can be made of what was read. */
void ifd__make_structure(ifd__reader *r, ifd__structure *st, ifd__lab *lab, ifd__recorded *rec);

#endif
