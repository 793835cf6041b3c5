/* SPDX-License-Identifier: MIT */
/* Reads modelDescription.xml. */

#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/archive.h"
#include "fmi/arrays.h"

/* expat prescribes the arguments of its handlers. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { MOST_VARIABLES = 200000, DEEPEST = 64 };

typedef struct reading {
    ifd_arena *arena;
    ifd_fmu_facts *facts;
    ifd_fmu_variable *variable;
    ifd__fmu_shape *shape; /* of each variable */
    int room, depth;
    bool in_variables, simulates;
    bool failed; /* out of memory */
    const char *wrong;
    XML_Parser parser;
} reading;

static const char *attribute(const char **list, const char *name)
{
    for (; *list; list += 2)
        if (strcmp(list[0], name) == 0)
            return list[1];
    return NULL;
}

static bool is_true(const char **list, const char *name)
{
    const char *text = attribute(list, name);
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

static const char *keep(reading *r, const char *text)
{
    const char *copy = text ? ifd_arena_text(r->arena, text) : "";
    r->failed = r->failed || !copy;
    return copy ? copy : "";
}

static void refuse(reading *r, const char *why)
{
    if (!r->wrong)
        r->wrong = why;
    XML_StopParser(r->parser, XML_FALSE);
}

static void read_root(reading *r, const char **a)
{
    ifd_fmu_facts *f = r->facts;
    const char *version = attribute(a, "fmiVersion");
    f->version = version && strncmp(version, "2.", 2) == 0 ? 2 : version && strncmp(version, "3.", 2) == 0 ? 3 : 0;
    f->name = keep(r, attribute(a, "modelName"));
    f->token = keep(r, attribute(a, f->version == 2 ? "guid" : "instantiationToken"));
    f->tool = keep(r, attribute(a, "generationTool"));
    if (f->version == 0)
        refuse(r, "its fmiVersion is neither 2 nor 3");
}

static void read_kind(reading *r, const char **a)
{
    ifd_fmu_facts *f = r->facts;
    bool two = f->version == 2;
    r->simulates = true;
    f->identifier = keep(r, attribute(a, "modelIdentifier"));
    f->rolls_back = is_true(a, two ? "canGetAndSetFMUstate" : "canGetAndSetFMUState");
    f->derivatives = is_true(a, two ? "providesDirectionalDerivative" : "providesDirectionalDerivatives");
    f->variable_step = is_true(a, "canHandleVariableCommunicationStepSize");
    f->once = is_true(a, "canBeInstantiatedOnlyOncePerProcess");
    f->needs_tool = is_true(a, "needsExecutionTool");
    if (!*f->identifier || strspn(f->identifier, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
                               strlen(f->identifier))
        refuse(r, "its modelIdentifier is not an identifier");
}

static ifd_fmu_role role_of(const char *causality)
{
    static const struct {
        const char *word;
        ifd_fmu_role role;
    } roles[] = {{"input", IFD_FMU_INPUT},
                 {"output", IFD_FMU_OUTPUT},
                 {"parameter", IFD_FMU_PARAMETER},
                 {"calculatedParameter", IFD_FMU_CALCULATED},
                 {"independent", IFD_FMU_INDEPENDENT}};
    for (size_t i = 0; causality && i < sizeof roles / sizeof *roles; i++)
        if (strcmp(causality, roles[i].word) == 0)
            return roles[i].role;
    return IFD_FMU_LOCAL;
}

static ifd_fmu_variable *add_variable(reading *r, const char **a)
{
    ifd_fmu_facts *f = r->facts;
    if (f->variables == r->room) {
        int room = r->room ? 2 * r->room : 64;
        ifd_fmu_variable *more = ifd_arena_array(r->arena, (size_t)room, sizeof *more);
        ifd__fmu_shape *shapes = ifd_arena_array(r->arena, (size_t)room, sizeof *shapes);
        r->failed = r->failed || !more || !shapes;
        if (!more || !shapes || f->variables >= MOST_VARIABLES) {
            refuse(r, "it has too many variables");
            return NULL;
        }
        if (r->variable) {
            memcpy(more, r->variable, sizeof *more * (size_t)f->variables);
            memcpy(shapes, r->shape, sizeof *shapes * (size_t)f->variables);
        }
        r->variable = more;
        r->shape = shapes;
        r->room = room;
    }
    const char *reference = attribute(a, "valueReference");
    char *end = NULL;
    unsigned long number = reference ? strtoul(reference, &end, 10) : ULONG_MAX;
    if (!attribute(a, "name") || !end || *end || number > UINT32_MAX) {
        refuse(r, "a variable has no name or no value reference");
        return NULL;
    }
    ifd_fmu_variable *v = &r->variable[f->variables++];
    *v = (ifd_fmu_variable){.name = keep(r, attribute(a, "name")),
                            .text = keep(r, attribute(a, "description")),
                            .reference = (uint32_t)number,
                            .role = role_of(attribute(a, "causality")),
                            .unit = "",
                            .elements = 1};
    return v;
}

static void read_number(reading *r, ifd_fmu_variable *v, const char **a)
{
    const char *start = attribute(a, "start");
    v->real = true;
    v->unit = keep(r, attribute(a, "unit"));
    v->start = start ? strtod(start, NULL) : 0.0;
}

static bool read_size(const char *text, uint64_t *out)
{
    char *end = NULL;
    unsigned long long n = text && *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    *out = n;
    return end && *end == '\0';
}

/* A variable of FMI 3: the name of the XML element is its type. */
static void read_typed(reading *r, ifd_fmu_variable *v, const char *type, const char **a)
{
    ifd__fmu_shape *s = &r->shape[r->facts->variables - 1];
    const char *causality = attribute(a, "causality");
    v->single = strcmp(type, "Float32") == 0;
    if (v->single || strcmp(type, "Float64") == 0)
        read_number(r, v, a);
    s->start = keep(r, attribute(a, "start"));
    s->structural = causality && strcmp(causality, "structuralParameter") == 0 &&
                    read_size(attribute(a, "start"), &s->its_number);
}

static void read_dimension(const reading *r, const char **a)
{
    ifd__fmu_shape *s = &r->shape[r->facts->variables - 1];
    int d = s->dimensions++;
    if (d >= IFD__FMU_DIMENSIONS)
        return;
    s->of[d].fixed = attribute(a, "start") != NULL;
    if (!read_size(attribute(a, s->of[d].fixed ? "start" : "valueReference"), &s->of[d].size))
        s->dimensions = IFD__FMU_DIMENSIONS + 1;
}

static void opens(void *data, const char *name, const char **a)
{
    reading *r = data;
    if (++r->depth > DEEPEST) {
        refuse(r, "it is nested too deeply");
        return;
    }
    if (r->depth == 1) {
        if (strcmp(name, "fmiModelDescription") == 0)
            read_root(r, a);
        else
            refuse(r, "its root is not fmiModelDescription");
    } else if (r->depth == 2) {
        r->in_variables = strcmp(name, "ModelVariables") == 0;
        if (strcmp(name, "CoSimulation") == 0)
            read_kind(r, a);
        const char *step = strcmp(name, "DefaultExperiment") == 0 ? attribute(a, "stepSize") : NULL;
        r->facts->step = step ? strtod(step, NULL) : r->facts->step;
    } else if (r->depth == 3 && r->in_variables) {
        ifd_fmu_variable *v = add_variable(r, a);
        if (v && r->facts->version == 3)
            read_typed(r, v, name, a);
    } else if (r->depth == 4 && r->in_variables && r->facts->variables > 0) {
        ifd_fmu_variable *v = &r->variable[r->facts->variables - 1];
        if (r->facts->version == 2 && strcmp(name, "Real") == 0)
            read_number(r, v, a);
        if (strcmp(name, "Dimension") == 0)
            read_dimension(r, a);
    }
}

static void closes(void *data, const char *name)
{
    reading *r = data;
    r->depth--;
}

/* Entities can expand a small file to a huge one; a description needs none. */
static void entity(void *data, const char *name, int parameter, const char *value, int length, const char *base,
                   const char *system, const char *public, const char *notation)
{
    refuse(data, "it declares entities");
}

/* expat 2.9 deprecates the count with a build-dependent width. */
static int line_of(XML_Parser parser)
{
#if XML_MAJOR_VERSION > 2 || (XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION >= 9)
    return (int)XML_GetCurrentLineNumber64(parser);
#else
    return (int)XML_GetCurrentLineNumber(parser);
#endif
}

ifd_status ifd__fmu_read(ifd_arena *arena, const char *name, const char *text, size_t length, ifd_fmu_facts *out,
                         ifd_note *note)
{
    reading r = {.arena = arena, .facts = out};
    *out = (ifd_fmu_facts){.name = "", .identifier = "", .token = "", .tool = ""};
    if (length > IFD__FMU_LARGEST_XML)
        return ifd_note_add(note, IFD_FILE, NULL, "'%s' has %zu bytes; the limit is %d", name, length,
                            IFD__FMU_LARGEST_XML);
    r.parser = XML_ParserCreate("UTF-8");
    if (!r.parser)
        return IFD_NO_MEMORY;
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, opens, closes);
    XML_SetEntityDeclHandler(r.parser, entity);
    bool parsed = XML_Parse(r.parser, text, (int)length, 1) == XML_STATUS_OK;
    ifd_place place = {.file = name, .line = line_of(r.parser)};
    const char *trouble = r.wrong ? r.wrong : parsed ? NULL : XML_ErrorString(XML_GetErrorCode(r.parser));
    out->variable = r.variable;
    XML_ParserFree(r.parser);
    if (r.failed || (!trouble && ifd__fmu_arrays_expand(arena, r.shape, out) != IFD_OK))
        return IFD_NO_MEMORY;
    if (!trouble && !r.simulates)
        trouble = "it does not support co-simulation";
    if (!trouble && out->needs_tool)
        trouble = "it needs an external tool and cannot run alone";
    return trouble ? ifd_note_add(note, IFD_FILE, &place, "the description of the FMU is refused: %s", trouble)
                   : IFD_OK;
}
