/* SPDX-License-Identifier: MIT */
/* An FMU as a specimen or as an actuator. Its state is inside it; the state here is its last output. */
#include <ctype.h>
#include <interfield/fmu.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parameters of an FMU in a case: "k = 20, c = 1.5". */

enum { IFD__FMU_PRESETS = 32 };

typedef struct ifd__fmu_presets {
    int count;
    int variable[IFD__FMU_PRESETS];
    double value[IFD__FMU_PRESETS];
} ifd__fmu_presets;

/* Reads and sets parameters of an FMU that a case names. */

static const char *blanks(const char *p)
{
    while (isspace((unsigned char)*p))
        p++;
    return p;
}

static int find(const ifd_fmu *f, const char *name, size_t length)
{
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    for (int i = 0; i < facts->variables; i++) {
        const ifd_fmu_variable *v = &facts->variable[i];
        if (strlen(v->name) == length && strncmp(v->name, name, length) == 0)
            return v->real && v->role == IFD_FMU_PARAMETER ? i : -1;
    }
    return -1;
}

/* One "name = value" at *p; p moves past it. Names of matrix elements contain commas: k[1,2]. */
static ifd_status read_one(const ifd_fmu *f, const char **p, const ifd_place *place, ifd__fmu_presets *out,
                           ifd_note *note)
{
    const char *name = blanks(*p);
    size_t length = strcspn(name, "=");
    const char *equals = name + length;
    while (length > 0 && isspace((unsigned char)name[length - 1]))
        length--;
    char *end = NULL;
    double value = *equals == '=' ? strtod(equals + 1, &end) : 0.0;
    *p = end ? blanks(end) : equals;
    if (!end || end == equals + 1 || length == 0 || (**p && **p != ',') || !isfinite(value))
        return ifd_note_add(note, IFD_SYNTAX, place,
                            "found '%.60s' in the parameters of an FMU, expected 'name = number, ...'", name);
    int at = find(f, name, length);
    if (at < 0)
        return ifd_note_advise(note, IFD_UNKNOWN_NAME, place, "interfield fmu FILE lists its variables",
                               "the FMU '%s' has no parameter '%.*s' that is one real number%s",
                               ifd_fmu_facts_of(f)->name, (int)length, name,
                               ifd_fmu_array_why(ifd_fmu_facts_of(f), name, length));
    if (out->count == IFD__FMU_PRESETS)
        return ifd_note_add(note, IFD_TOO_LARGE, place, "there are more than %d parameters for one FMU",
                            IFD__FMU_PRESETS);
    out->variable[out->count] = at;
    out->value[out->count++] = value;
    return IFD_OK;
}

/* text may be NULL: none. The numbers have the units of the FMU. */
static ifd_status fmu_presets_read(const ifd_fmu *f, const char *text, const ifd_place *place, ifd__fmu_presets *out,
                                   ifd_note *note)
{
    out->count = 0;
    for (const char *p = text ? text : ""; *p; p += *p == ',')
        IFD_TRY(read_one(f, &p, place, out, note));
    return IFD_OK;
}

/* Call it before the FMU begins, and again after a reset. */
static bool fmu_presets_apply(ifd_fmu *f, const ifd__fmu_presets *p)
{
    return p->count == 0 || ifd_fmu_set(f, p->count, p->variable, p->value);
}

ifd_status ifd_fmu_preset_text(ifd_fmu *f, const char *text, const ifd_place *place, ifd_note *note)
{
    ifd__fmu_presets presets;
    IFD_TRY(fmu_presets_read(f, text, place, &presets, note));
    return fmu_presets_apply(f, &presets)
               ? IFD_OK
               : ifd_note_add(note, IFD_PLUGIN, place, "the FMU '%s' refuses its parameters: %s",
                              ifd_fmu_facts_of(f)->name, ifd_fmu_why(f));
}

/* Steps are counted: a sum of steps would drift from the grid of an FMU that counts them. */
typedef struct standing {
    double base, h; /* s: its time is base + steps h */
    long steps;
} standing;

typedef struct driven {
    ifd_fmu *f;
    int in[2], out[2], ins, outs;
    double late; /* permitted lateness of an exchange in ticks; 0: no separate bound */
    ifd__fmu_presets presets;
    double first[2]; /* its outputs after initialisation */
    standing *at;
} driven;

/* On failure sets NaN in out, which makes every caller trip. */
static bool show(const driven *d, bool good, double *out)
{
    for (int k = 0; k < d->outs && !good; k++)
        out[k] = (double)NAN;
    return good;
}

/* Initialises it at its present time; may allocate, as begins may. */
static bool begin_at(const driven *d, double t, const double *in, double *out)
{
    bool good = ifd_fmu_again(d->f, NULL) == IFD_OK && fmu_presets_apply(d->f, &d->presets) &&
                ifd_fmu_set(d->f, d->ins, d->in, in) && ifd_fmu_begin(d->f, t, NULL) == IFD_OK &&
                ifd_fmu_get(d->f, d->outs, d->out, out);
    *d->at = (standing){.base = t};
    return show(d, good, out);
}

/* Advances it by h with these inputs. */
static void carry_over(const driven *d, double from, double h, const double *in, double *out)
{
    standing *at = d->at;
    double now = at->base + at->h * (double)at->steps;
    ifd_fmu_allow(d->f, d->late * h);
    /* A test that starts again initialises it again: a specimen stores and sets no state, because some FMUs crash. A
     * test that resumes from a checkpoint has not stored its internal state. */
    bool good = from < now - 0.5 * h ? begin_at(d, from, in, out) : from <= now + 0.5 * h;
    if (at->steps == 0) {
        *at = (standing){.base = from, .h = h};
        now = from;
    }
    good = good && ifd_fmu_set(d->f, d->ins, d->in, in) && ifd_fmu_step(d->f, now, at->h) &&
           ifd_fmu_get(d->f, d->outs, d->out, out);
    ifd_fmu_allow(d->f, 0.0);
    at->steps++;
    (void)show(d, good, out);
}

#define COMMON                                                                                                       \
    IFD_TEXT("parameters", "values of its parameters, 'k = 20, c = 1.5', in its own units"),                         \
        IFD_FLAG("allocates", "permits a real-time test although the FMU allocates memory in steps"),                \
        IFD_FLAG("isolated", "runs in a separate process without network access"),                                   \
        IFD_OPTION("patience", TIME, 1e-6, 1e5, 0,                                                                   \
                   "if isolated: longest duration of a call; default 10 s, in real time the ticks of `late`"),       \
        IFD_OPTION("late", NONE, 1, 1e9, 0,                                                                          \
                   "if isolated, in real time: ticks until the answer is due; default: those of late-for")

static ifd_status open_fmu(ifd_arena *arena, const ifd_param *params, const ifd_value *values, driven *d,
                           ifd_note *note)
{
    static const char *const alone[] = {"patience", "late"};
    const ifd_value *isolated = ifd_param_get(params, values, "isolated"),
                    *file = ifd_param_get(params, values, "file");
    int fd = file->data ? (int)*file->data : -1;
    const ifd_fmu_open_options o = {.file = file->data ? &fd : NULL,
                                    .isolated = isolated->number > 0,
                                    .patience = ifd_param_get(params, values, "patience")->number,
                                    .clocked = ifd_param_get(params, values, "late")->number > 0};
    for (int k = 0; k < 2 && !o.isolated; k++) {
        const ifd_value *v = ifd_param_get(params, values, alone[k]);
        if (v->given)
            return ifd_note_add(note, IFD_CONFLICT, &v->place, "'%s' needs 'isolated: yes'", alone[k]);
    }
    d->late = ifd_param_get(params, values, "late")->number;
    IFD_TRY(ifd_fmu_open_as(arena, file->word, &o, &d->f, note));
    const ifd_value *set = ifd_param_get(params, values, "parameters");
    return fmu_presets_read(d->f, set->word, &set->place, &d->presets, note);
}

/* The variable that a parameter names. */
static ifd_status need(const ifd_fmu *f, const char *file, const ifd_value *v, ifd_fmu_role role, int *out,
                       ifd_note *note)
{
    *out = v->word ? ifd_fmu_find_as(f, v->word, role) : -1;
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(f);
    if (*out >= 0)
        return IFD_OK;
    const char *name = v->word ? v->word : "";
    ifd_note_add(note, IFD_UNKNOWN_NAME, &v->place, "the FMU '%s' has no %s '%s' that is one real number%s", file,
                 role == IFD_FMU_INPUT ? "input" : "output", name, ifd_fmu_array_why(facts, name, strlen(name)));
    ifd_note_hint(note, "interfield fmu %s lists its variables", file);
    return IFD_UNKNOWN_NAME;
}

/* Opens it, initialises it at time 0 with zero inputs and reads it once. second: the parameter of an optional
 * input. */
static ifd_status start(ifd_arena *arena, const ifd_param *params, const ifd_value *values, const char *second,
                        driven **out, ifd_note *note)
{
    const char *file = ifd_param_get(params, values, "file")->word;
    const ifd_value *also = ifd_param_get(params, values, second);
    driven *d = ifd_arena_take(arena, sizeof *d);
    if (!d || !(d->at = ifd_arena_take(arena, sizeof *d->at)))
        return IFD_NO_MEMORY;
    IFD_TRY(open_fmu(arena, params, values, d, note));
    const ifd_fmu *f = d->f;
    IFD_TRY(need(f, file, ifd_param_get(params, values, "input"), IFD_FMU_INPUT, &d->in[d->ins++], note));
    if (also->given)
        IFD_TRY(need(f, file, also, IFD_FMU_INPUT, &d->in[d->ins++], note));
    IFD_TRY(need(f, file, ifd_param_get(params, values, "output"), IFD_FMU_OUTPUT, &d->out[d->outs++], note));
    bool set = fmu_presets_apply(d->f, &d->presets);
    if (set)
        IFD_TRY(ifd_fmu_begin(d->f, 0.0, note));
    if (!set || !ifd_fmu_get(d->f, d->outs, d->out, d->first))
        return ifd_note_add(note, IFD_PLUGIN, NULL, "the FMU '%s' fails at its start: %s", file, ifd_fmu_why(f));
    *out = d;
    return IFD_OK;
}

static const ifd_param specimen_params[] = {
    IFD_TEXT("file", "file of the FMU", .required = true),
    IFD_TEXT("input", "name of its input for the deformation, in m", .required = true),
    IFD_TEXT("velocity", "name of its input for the deformation rate, in m/s"),
    IFD_TEXT("output", "name of its output for the resisting force, in N", .required = true),
    COMMON,
    {0},
};

static ifd_status specimen_make(ifd_element *e, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    driven *d;
    IFD_TRY(start(arena, specimen_params, values, "velocity", &d, note));
    e->ns = 1;
    e->s0 = d->first;
    e->data = d;
    return IFD_OK;
}

static void specimen_eval(const ifd_element *e, const ifd_element_in *in, const ifd_element_out *out)
{
    (void)e;
    if (out->r)
        out->r[0] = in->s[0];
    if (out->r_s)
        out->r_s[0] = 1.0;
}

static void specimen_carry(const ifd_element *e, double from, double to, double q, double v, double *s)
{
    const double in[] = {q, v};
    if (to > from)
        carry_over(e->data, from, to - from, in, s);
    else
        (void)begin_at(e->data, from, in, s);
}

const ifd_element_ops ifd_fmu_element = {
    .abi = IFD_ELEMENT_ABI,
    .name = "fmu",
    .summary = "a specimen that another program models; the test prescribes the deformation of this model and steps "
               "it through FMI",
    .equation = "input = deformation, output = force",
    .params = specimen_params,
    .attach = IFD_ATTACH_PAIR,
    .make = specimen_make,
    .eval = specimen_eval,
    .carry = specimen_carry,
};

static const ifd_param actuator_params[] = {
    IFD_TEXT("file", "file of the FMU", .required = true),
    IFD_TEXT("input", "name of its input for the command, in m", .required = true),
    IFD_TEXT("load", "name of its input for the force of the specimen, in N"),
    IFD_TEXT("output", "name of its output for the position, in m", .required = true),
    COMMON,
    {0},
};

static ifd_status actuator_make(ifd_actuator *a, const ifd_value *values, ifd_arena *arena, ifd_note *note)
{
    driven *d;
    IFD_TRY(start(arena, actuator_params, values, "load", &d, note));
    a->data = d;
    a->row[a->rows++] = (ifd_state_row){.name = "ticks", .offset = a->size, .count = 1, .kind = IFD_STATE_INTEGER};
    a->size += 1;
    return IFD_OK;
}

static void actuator_begin(const ifd_actuator *a, double x, double *s)
{
    (void)x;
    s[IFD_ACTUATOR_X] = ((const driven *)a->data)->first[0]; /* its position is its first output */
    s[a->size - 1] = 0.0;
}

static void actuator_step(const ifd_actuator *a, const ifd_actuator_in *in, double *s)
{
    const double inputs[] = {in->u, in->load};
    double was[2] = {s[IFD_ACTUATOR_X], s[IFD_ACTUATOR_V]}, *ticks = &s[a->size - 1];
    carry_over(a->data, *ticks * a->h, a->h, inputs, &s[IFD_ACTUATOR_X]);
    *ticks += 1.0;
    s[IFD_ACTUATOR_V] = (s[IFD_ACTUATOR_X] - was[0]) / a->h;
    s[IFD_ACTUATOR_A] = (s[IFD_ACTUATOR_V] - was[1]) / a->h;
    s[IFD_ACTUATOR_F] = in->load;
}

static void actuator_response(const ifd_actuator *a, double w, double out[2])
{
    (void)a;
    (void)w;
    out[0] = out[1] = (double)NAN; /* unknown */
}

const ifd_actuator_kind ifd_fmu_actuator = {
    .name = "fmu",
    .summary = "another program models the actuator; the test sends commands to this model and steps it through FMI",
    .equation = "input = command, output = position",
    .params = actuator_params,
    .kinematic = true,
    .make = actuator_make,
    .begin = actuator_begin,
    .step = actuator_step,
    .response = actuator_response,
};
