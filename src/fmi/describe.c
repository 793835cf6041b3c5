/* SPDX-License-Identifier: MIT */
/* modelDescription.xml of both versions, from the table of variables. */
#include <stdarg.h>
#include <stdio.h>

#include <interfield/version.h>

#include "fmi/table.h"

static void say(ifd__bytes *out, const char *format, ...) IFD_PRINTF(2, 3);
static void say(ifd__bytes *out, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ifd__put(out, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

/* Text in an attribute; control characters, which XML has no place for, become blanks. */
static void attribute(ifd__bytes *out, const char *name, const char *text)
{
    say(out, " %s=\"", name);
    for (const char *p = text; *p; p++) {
        const char *code = *p == '&'   ? "&amp;"
                           : *p == '<' ? "&lt;"
                           : *p == '>' ? "&gt;"
                           : *p == '"' ? "&quot;"
                                       : NULL;
        if (code)
            say(out, "%s", code);
        else
            ifd__put(out, (unsigned char)*p < ' ' ? " " : p, 1);
    }
    say(out, "\"");
}

static bool is_output(const ifd__fmu_variable *v)
{
    return v->kind >= IFD__FMU_DISPLACEMENT && v->kind <= IFD__FMU_CHANNEL;
}

static bool is_input(const ifd__fmu_variable *v)
{
    return v->kind == IFD__FMU_FORCE || v->kind == IFD__FMU_GROUND;
}

static bool is_parameter(const ifd__fmu_variable *v)
{
    return v->kind == IFD__FMU_SCALE || v->kind == IFD__FMU_ELEMENT;
}

/* Unit names in the grammar of the standards; exponents of m, kg, s from the list of dimensions. rad: of turning. */
static const struct {
    ifd_dimension dim;
    const char *name;
    int rad;
} units[] = {{IFD_DIM_NONE, "1", 0},
             {IFD_DIM_LENGTH, "m", 0},
             {IFD_DIM_TIME, "s", 0},
             {IFD_DIM_MASS, "kg", 0},
             {IFD_DIM_FORCE, "N", 0},
             {IFD_DIM_STIFFNESS, "N/m", 0},
             {IFD_DIM_DAMPING, "N.s/m", 0},
             {IFD_DIM_ACCELERATION, "m/s2", 0},
             {IFD_DIM_VELOCITY, "m/s", 0},
             {IFD_DIM_FREQUENCY, "Hz", 0},
             {IFD_DIM_ANGLE, "rad", 1},
             {IFD_DIM_ANGULAR_RATE, "rad/s", 1},
             {IFD_DIM_ANGULAR_ACCELERATION, "rad/s2", 1},
             {IFD_DIM_PRESSURE, "Pa", 0},
             {IFD_DIM_DENSITY, "kg/m3", 0},
             {IFD_DIM_AREA, "m2", 0},
             {IFD_DIM_INERTIA, "m4", 0},
             {IFD_DIM_ROTATIONAL_INERTIA, "kg.m2", 0},
             {IFD_DIM_ROTATIONAL_STIFFNESS, "N.m/rad", -1},
             {IFD_DIM_ROTATIONAL_DAMPING, "N.m.s/rad", -1},
             {IFD_DIM_MASS_PER_LENGTH, "kg/m", 0},
             {IFD_DIM_MOMENT, "N.m", 0},
             {IFD_DIM_ENERGY, "J", 0},
             {IFD_DIM_SPECTRAL_ACCELERATION, "m2/s3", 0}};

const char *ifd__fmu_unit(ifd_dimension dim)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].dim == dim)
            return units[i].name;
    return NULL;
}

static void put_power(ifd__bytes *out, const char *base, int power)
{
    if (power != 0)
        say(out, " %s=\"%d\"", base, power);
}

static void put_units(ifd__bytes *out)
{
    static const int power[][3] = {
#define POWER(name, text, m, kg, s, shown) {m, kg, s},
        IFD_DIMENSION_LIST(POWER)
#undef POWER
    };
    say(out, "  <UnitDefinitions>\n");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const int *p = power[units[i].dim];
        say(out, "    <Unit name=\"%s\"><BaseUnit", units[i].name);
        put_power(out, "kg", p[1]);
        put_power(out, "m", p[0]);
        put_power(out, "s", p[2]);
        put_power(out, "rad", units[i].rad);
        say(out, "/></Unit>\n");
    }
    say(out, "    <Unit name=\"m/N\"><BaseUnit kg=\"-1\" s=\"2\"/></Unit>\n");
    say(out,
        "  </UnitDefinitions>\n  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n");
}

static void put_roles(ifd__bytes *out, const ifd__fmu_variable *v, bool initial)
{
    if (v->kind == IFD__FMU_TIME)
        say(out, " causality=\"independent\" variability=\"continuous\"");
    else if (is_input(v))
        say(out, " causality=\"input\" variability=\"continuous\"");
    else if (is_output(v))
        say(out, " causality=\"output\" variability=\"continuous\"%s", initial ? " initial=\"calculated\"" : "");
    else if (is_parameter(v))
        say(out, " causality=\"parameter\" variability=\"fixed\"%s", initial ? " initial=\"exact\"" : "");
    else
        say(out, " causality=\"calculatedParameter\" variability=\"fixed\"%s",
            initial ? " initial=\"calculated\"" : "");
}

static void put_variable(ifd__bytes *out, int version, const ifd__fmu_variable *v, int reference)
{
    bool starts = is_input(v) || is_parameter(v);
    say(out, version == 2 ? "    <ScalarVariable" : "    <Float64");
    attribute(out, "name", v->name);
    say(out, " valueReference=\"%d\"", reference);
    if (v->text)
        attribute(out, "description", v->text);
    put_roles(out, v, v->kind != IFD__FMU_TIME && !is_input(v));
    if (version == 2)
        say(out, "><Real");
    if (v->unit)
        attribute(out, "unit", v->unit);
    if (v->range != IFD_RANGE_FREE)
        say(out, " min=\"%.17g\"", v->range == IFD_RANGE_WITHIN ? v->min : 0.0);
    if (v->range == IFD_RANGE_WITHIN)
        say(out, " max=\"%.17g\"", v->max);
    if (starts)
        say(out, " start=\"%.17g\"", v->start);
    say(out, version == 2 ? "/></ScalarVariable>\n" : "/>\n");
}

/* Only accelerations feel inputs at once. */
static void put_dependencies(ifd__bytes *out, int version, const ifd__fmu_table *t, const ifd__fmu_variable *v)
{
    int listed = 0;
    say(out, " dependencies=\"");
    for (int k = 0; k < t->count; k++)
        if (v->feels && is_input(&t->row[k]))
            say(out, "%s%d", listed++ ? " " : "", version == 2 ? k + 1 : k);
    say(out, "\"");
}

static void put_structure(ifd__bytes *out, int version, const ifd__fmu_table *t)
{
    say(out, "  <ModelStructure>\n%s", version == 2 ? "    <Outputs>\n" : "");
    for (int i = 0; i < t->count; i++) {
        if (!is_output(&t->row[i]))
            continue;
        say(out, version == 2 ? "      <Unknown index=\"%d\"" : "    <Output valueReference=\"%d\"",
            version == 2 ? i + 1 : i);
        put_dependencies(out, version, t, &t->row[i]);
        say(out, "/>\n");
    }
    say(out, "%s", version == 2 ? "    </Outputs>\n    <InitialUnknowns>\n" : "");
    for (int i = 0; i < t->count; i++)
        if (is_output(&t->row[i]) || t->row[i].kind == IFD__FMU_COMPLIANCE)
            say(out,
                version == 2 ? "      <Unknown index=\"%d\"/>\n" : "    <InitialUnknown valueReference=\"%d\"/>\n",
                version == 2 ? i + 1 : i);
    say(out, "%s  </ModelStructure>\n", version == 2 ? "    </InitialUnknowns>\n" : "");
}

static void put_kind(ifd__bytes *out, const ifd_fmu_options *o)
{
    say(out, "  <CoSimulation");
    attribute(out, "modelIdentifier", o->identifier);
    say(out, " canHandleVariableCommunicationStepSize=\"false\" maxOutputDerivativeOrder=\"2\"");
    if (o->version == 2)
        say(out,
            " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
            " providesDirectionalDerivative=\"true\"");
    else
        say(out,
            " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\""
            " fixedInternalStepSize=\"%.17g\"",
            o->step.h);
    say(out, "/>\n");
}

void ifd__fmu_describe(const ifd_fmu_options *o, const ifd__fmu_table *t, const char *token, ifd__bytes *out)
{
    say(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
        o->version == 2 ? "2.0" : "3.0");
    attribute(out, "modelName", o->title && *o->title ? o->title : o->identifier);
    attribute(out, o->version == 2 ? "guid" : "instantiationToken", token);
    attribute(
        out, "description",
        "f[i] is the force of what stands outside, resisting the stretch d[i], held during a step; accelerations of "
        "the ground are those at its end");
    attribute(out, "generationTool", "interfield " IFD_VERSION);
    say(out, " variableNamingConvention=\"structured\"%s>\n",
        o->version == 2 ? " numberOfEventIndicators=\"0\"" : "");
    put_kind(out, o);
    put_units(out);
    say(out, "  <DefaultExperiment startTime=\"0\"");
    if (o->end > 0.0)
        say(out, " stopTime=\"%.17g\"", o->end);
    say(out, " stepSize=\"%.17g\"/>\n  <ModelVariables>\n", o->step.h);
    for (int i = 0; i < t->count; i++)
        put_variable(out, o->version, &t->row[i], i);
    say(out, "  </ModelVariables>\n");
    put_structure(out, o->version, t);
    say(out, "</fmiModelDescription>\n");
}
