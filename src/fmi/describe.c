/* SPDX-License-Identifier: MIT */
/* Writes modelDescription.xml of both versions from the table of variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <interfield/version.h>

#include "base/markup.h"
#include "fmi/table.h"

static void attribute(FILE *out, const char *name, const char *text)
{
    fprintf(out, " %s=\"", name);
    ifd__markup_print(text, "", out);
    fputc('"', out);
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

/* Unit names in the grammar of the standards; exponents of m, kg, s from the list of dimensions. rad: for
 * rotations. */
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
             {IFD_DIM_SPECTRAL_ACCELERATION, "m2/s3", 0},
             {IFD_DIM_FORCE_PER_LENGTH, "N/m", 0}};

const char *ifd__fmu_unit(ifd_dimension dim)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (units[i].dim == dim)
            return units[i].name;
    return NULL;
}

static void put_power(FILE *out, const char *base, int power)
{
    if (power != 0)
        fprintf(out, " %s=\"%d\"", base, power);
}

static void put_units(FILE *out)
{
    static const int power[][3] = {
#define POWER(name, text, m, kg, s, shown) {m, kg, s},
        IFD_DIMENSION_LIST(POWER)
#undef POWER
    };
    fprintf(out, "  <UnitDefinitions>\n");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const int *p = power[units[i].dim];
        size_t first = 0; /* two dimensions may have one unit */
        while (strcmp(units[first].name, units[i].name) != 0)
            first++;
        if (first < i)
            continue;
        fprintf(out, "    <Unit name=\"%s\"><BaseUnit", units[i].name);
        put_power(out, "kg", p[1]);
        put_power(out, "m", p[0]);
        put_power(out, "s", p[2]);
        put_power(out, "rad", units[i].rad);
        fprintf(out, "/></Unit>\n");
    }
    fprintf(out, "    <Unit name=\"m/N\"><BaseUnit kg=\"-1\" s=\"2\"/></Unit>\n");
    fprintf(out,
            "  </UnitDefinitions>\n  <LogCategories>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n");
}

static void put_roles(FILE *out, const ifd__fmu_variable *v, bool initial)
{
    if (v->kind == IFD__FMU_TIME)
        fprintf(out, " causality=\"independent\" variability=\"continuous\"");
    else if (is_input(v))
        fprintf(out, " causality=\"input\" variability=\"continuous\"");
    else if (is_output(v))
        fprintf(out, " causality=\"output\" variability=\"continuous\"%s", initial ? " initial=\"calculated\"" : "");
    else if (is_parameter(v))
        fprintf(out, " causality=\"parameter\" variability=\"fixed\"%s", initial ? " initial=\"exact\"" : "");
    else
        fprintf(out, " causality=\"calculatedParameter\" variability=\"fixed\"%s",
                initial ? " initial=\"calculated\"" : "");
}

static void put_variable(FILE *out, int version, const ifd__fmu_variable *v, int reference)
{
    bool starts = is_input(v) || is_parameter(v);
    fprintf(out, version == 2 ? "    <ScalarVariable" : "    <Float64");
    attribute(out, "name", v->name);
    fprintf(out, " valueReference=\"%d\"", reference);
    if (v->text)
        attribute(out, "description", v->text);
    put_roles(out, v, v->kind != IFD__FMU_TIME && !is_input(v));
    if (version == 2)
        fprintf(out, "><Real");
    if (v->unit)
        attribute(out, "unit", v->unit);
    if (v->range != IFD_RANGE_FREE)
        fprintf(out, " min=\"%.17g\"", v->range == IFD_RANGE_WITHIN ? v->min : 0.0);
    if (v->range == IFD_RANGE_WITHIN)
        fprintf(out, " max=\"%.17g\"", v->max);
    if (starts)
        fprintf(out, " start=\"%.17g\"", v->start);
    fprintf(out, version == 2 ? "/></ScalarVariable>\n" : "/>\n");
}

/* Only accelerations depend directly on inputs. */
static void put_dependencies(FILE *out, int version, const ifd__fmu_table *t, const ifd__fmu_variable *v)
{
    int listed = 0;
    fprintf(out, " dependencies=\"");
    for (int k = 0; k < t->count; k++)
        if (v->feels && is_input(&t->row[k]))
            fprintf(out, "%s%d", listed++ ? " " : "", version == 2 ? k + 1 : k);
    fprintf(out, "\"");
}

static void put_structure(FILE *out, int version, const ifd__fmu_table *t)
{
    fprintf(out, "  <ModelStructure>\n%s", version == 2 ? "    <Outputs>\n" : "");
    for (int i = 0; i < t->count; i++) {
        if (!is_output(&t->row[i]))
            continue;
        fprintf(out, version == 2 ? "      <Unknown index=\"%d\"" : "    <Output valueReference=\"%d\"",
                version == 2 ? i + 1 : i);
        put_dependencies(out, version, t, &t->row[i]);
        fprintf(out, "/>\n");
    }
    fprintf(out, "%s", version == 2 ? "    </Outputs>\n    <InitialUnknowns>\n" : "");
    for (int i = 0; i < t->count; i++)
        if (is_output(&t->row[i]) || t->row[i].kind == IFD__FMU_COMPLIANCE)
            fprintf(out,
                    version == 2 ? "      <Unknown index=\"%d\"/>\n"
                                 : "    <InitialUnknown valueReference=\"%d\"/>\n",
                    version == 2 ? i + 1 : i);
    fprintf(out, "%s  </ModelStructure>\n", version == 2 ? "    </InitialUnknowns>\n" : "");
}

static void put_kind(FILE *out, const ifd_fmu_options *o)
{
    fprintf(out, "  <CoSimulation");
    attribute(out, "modelIdentifier", o->identifier);
    fprintf(out, " canHandleVariableCommunicationStepSize=\"false\" maxOutputDerivativeOrder=\"2\"");
    if (o->version == 2)
        fprintf(
            out,
            " canNotUseMemoryManagementFunctions=\"true\" canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
            " providesDirectionalDerivative=\"true\"");
    else
        fprintf(out,
                " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\" providesDirectionalDerivatives=\"true\""
                " fixedInternalStepSize=\"%.17g\"",
                o->step.h);
    fprintf(out, "/>\n");
}

static void describe(const ifd_fmu_options *o, const ifd__fmu_table *t, const char *token, FILE *out)
{
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"%s\"",
            o->version == 2 ? "2.0" : "3.0");
    attribute(out, "modelName", o->title && *o->title ? o->title : o->identifier);
    attribute(out, o->version == 2 ? "guid" : "instantiationToken", token);
    attribute(out, "description",
              "f[i] is the external force that resists the deformation d[i], constant during a step; ground "
              "accelerations are those at the end of the step");
    attribute(out, "generationTool", "interfield " IFD_VERSION);
    fprintf(out, " variableNamingConvention=\"structured\"%s>\n",
            o->version == 2 ? " numberOfEventIndicators=\"0\"" : "");
    put_kind(out, o);
    put_units(out);
    fprintf(out, "  <DefaultExperiment startTime=\"0\"");
    if (o->end > 0.0)
        fprintf(out, " stopTime=\"%.17g\"", o->end);
    fprintf(out, " stepSize=\"%.17g\"/>\n  <ModelVariables>\n", o->step.h);
    for (int i = 0; i < t->count; i++)
        put_variable(out, o->version, &t->row[i], i);
    fprintf(out, "  </ModelVariables>\n");
    put_structure(out, o->version, t);
    fprintf(out, "</fmiModelDescription>\n");
}

const char *ifd__fmu_describe(ifd_arena *arena, const ifd_fmu_options *o, const ifd__fmu_table *t, const char *token)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    describe(o, t, token, out);
    const char *copy = fclose(out) == 0 ? ifd_arena_text_n(arena, text, length) : NULL;
    free(text);
    return copy;
}
