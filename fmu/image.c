/* SPDX-License-Identifier: MIT */
/* Reads the stored model of an exported FMU. */
#include "instance.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { LARGEST = 1 << 30 };

/* Methods that need no library at run time. */
static const ifd_method *const methods[] = {
#define METHOD(x) &ifd__method_##x,
#define LIBRARY_METHOD(x)
#include "method/methods.def"
};

static int hex(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* file:///a%20b/resources, or a path. */
static char *path_of(const char *resources)
{
    static const char file[] = "/model.bin";
    size_t length = strlen(resources);
    char *path = malloc(length + sizeof file), *out = path;
    if (!path)
        return NULL;
    bool uri = strncmp(resources, "file:", 5) == 0;
    const char *p = uri ? resources + 5 : resources;
    if (uri && strncmp(p, "//", 2) == 0) {
        p += 2;
        p += strcspn(p, "/"); /* a host name, usually empty */
    }
    for (; *p; p++) {
        bool coded = uri && *p == '%' && hex(p[1]) >= 0 && hex(p[2]) >= 0;
        *out++ = coded ? (char)(16 * hex(p[1]) + hex(p[2])) : *p;
        p += coded ? 2 : 0;
    }
    while (out > path + 1 && out[-1] == '/')
        out--;
    memcpy(out, file, sizeof file);
    return path;
}

static bool read_all(fmu_image *image, const char *resources)
{
    char *path = path_of(resources);
    FILE *in = path ? fopen(path, "rb") : NULL;
    free(path);
    if (!in)
        return false;
    long size = fseek(in, 0, SEEK_END) == 0 ? ftell(in) : -1;
    bool good = size > 0 && size < LARGEST && fseek(in, 0, SEEK_SET) == 0;
    image->bytes = good ? malloc((size_t)size) : NULL;
    image->length = image->bytes ? fread(image->bytes, 1, (size_t)size, in) : 0;
    fclose(in);
    return image->bytes && image->length == (size_t)size;
}

/* Those of a row that was written without one term on the ground. */
static ifd__ends take_ends(ifd_arena *arena, ifd__taking *in, int dofs)
{
    ifd__ends out = {IFD_GROUND, IFD_GROUND, NULL};
    int terms = (int)ifd__take_int(in, 0, INT16_MAX);
    if (!terms) {
        out.from = (int)ifd__take_int(in, IFD_GROUND, dofs - 1);
        out.to = (int)ifd__take_int(in, IFD_GROUND, dofs - 1);
        return out;
    }
    ifd_coordinate *row = ifd_arena_take(arena, sizeof *row);
    int *ref = ifd_arena_array(arena, (size_t)terms, sizeof *ref);
    double *coefficient = ifd_arena_array(arena, (size_t)terms, sizeof *coefficient);
    if (!row || !ref || !coefficient) {
        in->bad = true;
        return out;
    }
    for (int i = 0; i < terms; i++) {
        ref[i] = (int)ifd__take_int(in, 0, dofs - 1);
        coefficient[i] = ifd__take_double(in);
    }
    *row = (ifd_coordinate){terms, ref, coefficient};
    out.to = ref[0];
    out.row = row;
    return out;
}

static void read_interface(fmu_image *image, ifd__taking *in)
{
    image->rows =
        (int)ifd__take_int(in, 0, image->dofs < INT16_MAX ? image->dofs : INT16_MAX); /* its square must fit an int */
    fmu_row *row = ifd_arena_array(image->arena, (size_t)image->rows, sizeof *row);
    for (int k = 0; row && k < image->rows; k++) {
        row[k].ends = take_ends(image->arena, in, image->dofs);
        row[k].devices = ifd__take_double(in);
    }
    image->grounds = (int)ifd__take_int(in, 0, 3);
    image->ground = ifd__take_ints(in, (size_t)image->grounds, 0, 2);
    image->channels = (int)ifd__take_int(in, 0, INT16_MAX);
    ifd__fmu_channel *channel = ifd_arena_array(image->arena, (size_t)image->channels, sizeof *channel);
    for (int k = 0; channel && k < image->channels; k++) {
        channel[k].kind = (ifd__fmu_channel_kind)ifd__take_int(in, IFD__FMU_DOF_U, IFD__FMU_ELEMENT_R);
        bool of_dof = channel[k].kind <= IFD__FMU_DOF_A;
        channel[k].at = (int)ifd__take_int(in, 0, (of_dof ? image->dofs : image->coordinates) - 1);
    }
    image->tunables = (int)ifd__take_int(in, 0, INT16_MAX);
    ifd__fmu_tunable *tunable = ifd_arena_array(image->arena, (size_t)image->tunables, sizeof *tunable);
    for (int k = 0; tunable && k < image->tunables; k++) {
        tunable[k].element = (int)ifd__take_int(in, 0, INT_MAX);
        tunable[k].parameter = (int)ifd__take_int(in, 0, 63);
    }
    image->row = row;
    image->channel = channel;
    image->tunable = tunable;
    in->bad = in->bad || !row || !channel || !tunable || (image->grounds && !image->ground);
}

static void read_variables(fmu_image *image, ifd__taking *in)
{
    const int most[IFD__FMU_CLASSES] = {
        1, image->rows,     image->grounds,           image->rows, image->rows, image->rows, image->channels,
        1, image->tunables, image->rows * image->rows};
    image->variables = (int)ifd__take_int(in, 0, INT16_MAX);
    fmu_variable *variable = ifd_arena_array(image->arena, (size_t)image->variables, sizeof *variable);
    for (int k = 0; variable && k < image->variables; k++) {
        variable[k].kind = (ifd__fmu_class)ifd__take_int(in, 0, IFD__FMU_CLASSES - 1);
        variable[k].index = (int)ifd__take_int(in, 0, most[variable[k].kind] - 1);
        variable[k].start = ifd__take_double(in);
        variable[k].range = (ifd_range)ifd__take_int(in, IFD_RANGE_FREE, IFD_RANGE_WITHIN);
        variable[k].min = ifd__take_double(in);
        variable[k].max = ifd__take_double(in);
    }
    image->variable = variable;
    in->bad = in->bad || !variable;
}

static bool read_head(fmu_image *image, const char *token, const char **why)
{
    ifd__taking in = {.arena = image->arena, .at = image->bytes, .end = image->bytes + image->length};
    const char *mark = ifd__take(&in, sizeof IFD__FMU_MARK - 1);
    int64_t schema = ifd__take_int(&in, 0, INT_MAX);
    const char *own = ifd__take_text(&in);
    *why = fmu_refusal_text(FMU_IMAGE_OTHER);
    if (in.bad || !mark || memcmp(mark, IFD__FMU_MARK, sizeof IFD__FMU_MARK - 1) != 0 || schema != IFD__FMU_SCHEMA ||
        !own)
        return false;
    *why = fmu_refusal_text(FMU_TOKEN);
    if (!token || strcmp(token, own) != 0)
        return false;
    image->identity = ifd__hash_bytes(IFD__HASH_START, own, strlen(own));
    image->dofs = (int)ifd__take_int(&in, 1, INT_MAX);
    image->coordinates = (int)ifd__take_int(&in, 0, INT_MAX);
    read_interface(image, &in);
    if (!in.bad)
        read_variables(image, &in);
    image->body = (size_t)(in.at - image->bytes);
    *why = fmu_refusal_text(FMU_IMAGE_DAMAGED);
    return !in.bad;
}

bool fmu_image_open(fmu_image *image, const char *resources, const char *token, const char **why)
{
    *why = fmu_refusal_text(FMU_IMAGE_ABSENT);
    if (!resources || !read_all(image, resources))
        return false;
    *why = fmu_refusal_text(FMU_MEMORY);
    image->arena = ifd_arena_open();
    return image->arena && read_head(image, token, why);
}

void fmu_image_close(fmu_image *image)
{
    ifd_arena_close(image->arena);
    free(image->bytes);
}

static bool read_method(ifd_arena *arena, ifd__taking *in, int dofs, ifd_step_options *opt)
{
    const char *name = ifd__take_text(in);
    const ifd_method *method = NULL;
    for (size_t k = 0; name && k < sizeof methods / sizeof *methods; k++)
        method = strcmp(methods[k]->name, name) == 0 ? methods[k] : method;
    if (!method)
        return false;
    ifd_step_options_defaults(method, 1.0, opt);
    const ifd_value *values = ifd__take_values(in, method->params);
    if (in->bad || !values)
        return false;
    memcpy(opt->value, values, sizeof *values * (size_t)ifd_param_count(method->params));
    opt->h = ifd__take_double(in);
    opt->estimates = (int)ifd__take_int(in, 0, INT16_MAX);
    ifd_estimate *estimate = ifd_arena_array(arena, (size_t)opt->estimates, sizeof *estimate);
    for (int k = 0; estimate && k < opt->estimates; k++) {
        const ifd__ends ends = take_ends(arena, in, dofs);
        estimate[k] = (ifd_estimate){.from = ends.from, .to = ends.to, .row = ends.row};
        estimate[k].stiffness = ifd__take_double(in);
        estimate[k].damping = ifd__take_double(in);
    }
    opt->estimate = estimate;
    return !in->bad && estimate && opt->h > 0.0 && isfinite(opt->h);
}

bool fmu_image_model(const fmu_image *image, ifd_arena *arena, ifd__change_values *change, void *who, ifd_model **m,
                     ifd_step_options *opt)
{
    ifd__taking in = {.arena = arena, .at = image->bytes + image->body, .end = image->bytes + image->length};
    return ifd__factors_take(arena, &in) && ifd__model_deserialise(arena, &in, change, who, m, NULL) == IFD_OK &&
           ifd_model_dofs(*m) == image->dofs && (*m)->nq == image->coordinates &&
           read_method(arena, &in, image->dofs, opt);
}
