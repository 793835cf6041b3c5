/* SPDX-License-Identifier: MIT */
/* A structure of FMUs as a run. A substructure that is a model of this program is exported to an FMU in a temporary
 * folder, so that all substructures are stepped, stored and restored in the same way. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <interfield/fmi.h>
#include <interfield/fmu.h>

#include "base/installed.h"
#include "base/arena.h"

enum { MOST_ROWS = 64, MOST_DOFS = 50, AT_ONCE = 64 };

typedef struct structure {
    const ifd_fmu_structure *spec;
    ifd_fmu **fmu, **trial; /* trial: second instances of those that are predicted, otherwise NULL */
    bool *remembers;
    int *scale; /* of those with a suppressed ground motion: their parameter ground_scale, otherwise -1 */
    ifd_fmu_joint *joint;
    ifd_fmu_connection *connection;
    int connections;
    ifd_fmu_joined *joined;
    int *first, *variable; /* first: parts + 1, into variable: the recorded outputs in the order of parts */
    const char *why;
} structure;

/* The row of a dof, -1: none. */
static int row_of(const ifd_fmu_row *row, int rows, int dof)
{
    for (int k = 0; k < rows; k++)
        if (row[k].to == dof)
            return k;
    return -1;
}

/* The interface of a model: its dofs in ties, in the order in which the ties name them. */
static ifd_status find_rows(const ifd_fmu_structure *s, int part, ifd_fmu_row *row, int *rows, ifd_note *note)
{
    for (int k = 0; k < s->ties; k++)
        for (int side = 0; side < 2; side++) {
            if (s->tie[k].part[side] != part)
                continue;
            const char *name = s->tie[k].end[side];
            int dof = ifd_model_find_dof(s->part[part].model, name);
            if (dof < 0)
                return ifd_note_add(note, IFD_UNKNOWN_NAME, &s->tie[k].place,
                                    "substructure '%s' has no dof '%s' with mass", s->part[part].name, name);
            if (row_of(row, *rows, dof) >= 0)
                continue;
            if (*rows == MOST_ROWS)
                return ifd_note_add(note, IFD_TOO_LARGE, &s->tie[k].place,
                                    "substructure '%s' has more than %d joints", s->part[part].name, MOST_ROWS);
            row[(*rows)++] = (ifd_fmu_row){.name = name, .from = IFD_GROUND, .to = dof};
        }
    return IFD_OK;
}

static ifd_status export_to(ifd_arena *arena, const ifd_fmu_structure *s, int part, const char *path, ifd_note *note)
{
    const ifd_fmu_part *p = &s->part[part];
    ifd_fmu_row row[MOST_ROWS];
    int dof[MOST_DOFS], n = ifd_model_dofs(p->model);
    char runtime[1024];
    if (!ifd__installed_file("fmu_runtime2.so", runtime, sizeof runtime))
        return ifd_note_add(note, IFD_PLUGIN, &p->place,
                            "substructure '%s' is a model, and fmu_runtime2.so, which its export to an FMU needs, "
                            "was not found",
                            p->name);
    ifd_fmu_options o = {.version = 2, .identifier = "part", .title = p->name, .runtime = runtime, .model = p->model};
    o.step = p->step;
    IFD_TRY(find_rows(s, part, row, &o.rows, note));
    for (int i = 0; i < n && n <= MOST_DOFS; i++)
        dof[o.dofs++] = i;
    o.row = row;
    o.dof = dof;
    return ifd_fmu_export(arena, &o, path, note);
}

static ifd_status open_model(ifd_arena *arena, const ifd_fmu_structure *s, int part, ifd_fmu **out, ifd_note *note)
{
    const char *folder = ifd_fmu_folder(arena, "part");
    if (!folder)
        return ifd_note_add(note, IFD_OUTPUT, NULL, "a folder for the FMU of a substructure cannot be made: %s",
                            strerror(errno));
    const char *path = ifd_arena_print(arena, "%s/part.fmu", folder);
    if (!path) {
        (void)rmdir(folder);
        return IFD_NO_MEMORY;
    }
    const ifd_fmu_open_options o = {.isolated = s->part[part].isolated};
    ifd_status status = export_to(arena, s, part, path, note);
    if (status == IFD_OK && chmod(path, S_IRUSR | S_IWUSR) == 0) /* independent of the umask */
        status = ifd_fmu_open_as(arena, path, &o, out, note);
    (void)unlink(path);
    (void)rmdir(folder);
    return status;
}

/* "d[1]", "y/u", "y/-u/w": names of output, input and velocity; omitted names follow from the row. Returns whether
 * the input acts along the output. */
static bool read_end(const char *text, char name[3][200])
{
    const char *at = text;
    for (int k = 0; k < 3; k++) {
        size_t n = strcspn(at, "/");
        snprintf(name[k], sizeof name[k], "%.*s", (int)(n < 190 ? n : 190), at);
        at += n + (at[n] == '/');
    }
    const char *row = name[0] + strcspn(name[0], "[");
    bool pushes = name[1][0] == '-';
    if (pushes)
        memmove(name[1], name[1] + 1, strlen(name[1]));
    if (!name[1][0])
        snprintf(name[1], sizeof name[1], "f%.190s", row);
    if (!name[2][0] && row == name[0] + 1 && name[0][0] == 'd')
        snprintf(name[2], sizeof name[2], "v%.190s", row);
    return pushes;
}

/* Output and input of one end. */
static ifd_status find_end(const structure *s, const ifd_fmu_tie *tie, int side, ifd_fmu_end *e, ifd_note *note)
{
    const ifd_fmu_part *part = &s->spec->part[tie->part[side]];
    const ifd_fmu *f = s->fmu[tie->part[side]];
    char name[3][200], of_row[40];
    const char *end = tie->end[side];
    if (!part->file) {
        ifd_fmu_row row[MOST_ROWS];
        int rows = 0;
        IFD_TRY(find_rows(s->spec, tie->part[side], row, &rows, note));
        snprintf(of_row, sizeof of_row, "d[%d]", row_of(row, rows, ifd_model_find_dof(part->model, end)) + 1);
        end = of_row;
    }
    *e = (ifd_fmu_end){.fmu = tie->part[side], .pushes = read_end(end, name)};
    e->displacement = ifd_fmu_find_as(f, name[0], IFD_FMU_OUTPUT);
    e->force = ifd_fmu_find_as(f, name[1], IFD_FMU_INPUT);
    e->velocity = ifd_fmu_find_as(f, name[2], IFD_FMU_OUTPUT);
    if (e->displacement >= 0 && e->force >= 0)
        return IFD_OK;
    const char *lacks = name[e->displacement < 0 ? 0 : 1];
    ifd_note_add(note, IFD_UNKNOWN_NAME, &tie->place,
                 "the FMU of substructure '%s' has no %s '%s' that is one real number%s", part->name,
                 e->displacement < 0 ? "output" : "input", lacks,
                 ifd_fmu_array_why(ifd_fmu_facts_of(f), lacks, strlen(lacks)));
    ifd_note_hint(note, "interfield fmu %s lists its variables; 'part.y/u' names output and input",
                  part->file ? part->file : "");
    return IFD_UNKNOWN_NAME;
}

/* The ground motion of the case for one FMU: through its inputs ground.x, ground.y, ground.z, instead of its
 * internal ground motion. */
static ifd_status find_ground(structure *s, int part, ifd_note *note)
{
    static const char *const input[] = {"ground.x", "ground.y", "ground.z"};
    const ifd_fmu_part *p = &s->spec->part[part];
    int scale = ifd_fmu_find_as(s->fmu[part], "ground_scale", IFD_FMU_PARAMETER), fed = 0;
    if (p->ground == IFD_FMU_GROUND_OWN || (p->ground == IFD_FMU_GROUND_FREE && scale >= 0))
        return IFD_OK;
    for (int d = 0; d < 3; d++) {
        int at = ifd_fmu_find_as(s->fmu[part], input[d], IFD_FMU_INPUT);
        if (!s->spec->ground[d])
            continue;
        if (at >= 0)
            s->connection[s->connections + fed++] = (ifd_fmu_connection){part, at, s->spec->ground[d]};
        else if (p->ground == IFD_FMU_GROUND_CASE)
            return ifd_note_add(note, IFD_UNKNOWN_NAME, &p->place,
                                "the ground motion of the case is set for substructure '%s', but its FMU has no "
                                "input '%s'",
                                p->name, input[d]);
        else
            ifd_note_remark(note, &p->place,
                            "the ground motion of the case does not act on substructure '%s': its FMU has no input "
                            "'%s'",
                            p->name, input[d]);
    }
    s->connections += fed;
    s->scale[part] = fed > 0 ? scale : -1;
    return IFD_OK;
}

/* "displacement.x" of substructure "mast" becomes "mast.x displacement"; d[1], v[1] and a[1] likewise, unless the
 * substructure is a model, which has all dofs by name. False: not recorded. */
static bool name_channel(ifd_arena *arena, const ifd_fmu_part *p, const ifd_fmu_variable *v, ifd_column *out)
{
    static const char *const kind[] = {"displacement", "velocity", "acceleration"};
    *out = (ifd_column){.unit = v->unit, .group = "output", .quantity = IFD_COLUMN_OUTPUT};
    for (int k = 0; k < 3; k++) {
        size_t n = strlen(kind[k]);
        bool dof = strncmp(v->name, kind[k], n) == 0 && v->name[n] == '.';
        bool row = v->name[0] == "dva"[k] && v->name[1] == '[';
        if (row && !p->file && ifd_model_dofs(p->model) <= MOST_DOFS)
            return false;
        if (dof || row) {
            out->group = kind[k];
            out->name = ifd_arena_print(arena, "%s.%s %s", p->name, dof ? v->name + n + 1 : v->name, kind[k]);
            return true;
        }
    }
    static const char *const of_element[] = {"deformation.", "force."};
    for (int k = 0; k < 2; k++) {
        size_t n = strlen(of_element[k]);
        if (strncmp(v->name, of_element[k], n) == 0) {
            out->group = "element";
            out->name = ifd_arena_print(arena, "%s.%s %.*s", p->name, v->name + n, (int)n - 1, of_element[k]);
            return true;
        }
    }
    out->name = ifd_arena_print(arena, "%s.%s", p->name, v->name);
    return true;
}

static ifd_status find_channels(ifd_arena *arena, structure *s, ifd_external *out)
{
    size_t most = (size_t)s->spec->ties;
    for (int p = 0; p < s->spec->parts; p++)
        most += (size_t)ifd_fmu_facts_of(s->fmu[p])->variables;
    ifd_column *channel;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(channel, most), IFD__ARRAY(s->first, (size_t)s->spec->parts + 1),
                      IFD__ARRAY(s->variable, most)));
    int n = 0;
    for (int p = 0; p < s->spec->parts; p++) {
        const ifd_fmu_facts *facts = ifd_fmu_facts_of(s->fmu[p]);
        s->first[p] = n;
        for (int i = 0; i < facts->variables; i++)
            if (facts->variable[i].real && facts->variable[i].role == IFD_FMU_OUTPUT &&
                name_channel(arena, &s->spec->part[p], &facts->variable[i], &channel[n]))
                s->variable[n++] = i;
    }
    s->first[s->spec->parts] = n;
    for (int k = 0; k < s->spec->ties; k++)
        IFD_TRY(ifd_column_make(arena, s->spec->tie[k].name, IFD_COLUMN_JOINT_MEAN_FORCE, 0, false, &channel[n++]));
    for (int i = 0; i < s->first[s->spec->parts]; i++) {
        if (!channel[i].name)
            return IFD_NO_MEMORY;
        channel[i].owner = channel[i].name;
    }
    out->columns = n;
    out->column = channel;
    return IFD_OK;
}

static bool step(void *self)
{
    structure *s = self;
    s->why = NULL;
    return ifd_fmu_joined_step(s->joined);
}

static bool values(void *self, double *out)
{
    structure *s = self;
    for (int p = 0; p < s->spec->parts; p++)
        for (int i = s->first[p]; i < s->first[p + 1]; i += AT_ONCE) {
            int left = s->first[p + 1] - i;
            if (!ifd_fmu_get(s->fmu[p], left < AT_ONCE ? left : AT_ONCE, s->variable + i, out + i)) {
                s->why = ifd_fmu_why(s->fmu[p]);
                return false;
            }
        }
    memcpy(out + s->first[s->spec->parts], ifd_fmu_joined_forces(s->joined), sizeof *out * (size_t)s->spec->ties);
    return true;
}

static double gap(const void *self)
{
    return ifd_fmu_joined_gap(((const structure *)self)->joined);
}

static const char *why(const void *self)
{
    const structure *s = self;
    return s->why ? s->why : ifd_fmu_joined_why(s->joined);
}

static bool diverged(const void *self)
{
    return ifd_fmu_joined_diverged(((const structure *)self)->joined);
}

/* Sets the parameters of an FMU, each time before it begins. */
static ifd_status prepare(void *self, int p, ifd_fmu *f, ifd_note *note)
{
    const structure *s = self;
    const ifd_fmu_part *part = &s->spec->part[p];
    if (part->file)
        IFD_TRY(ifd_fmu_preset_text(f, part->parameters, &part->place, note));
    return s->scale[p] >= 0 ? ifd_fmu_preset(f, s->scale[p], 0.0, note) : IFD_OK;
}

static ifd_status open_part(ifd_arena *arena, structure *s, int p, ifd_note *note)
{
    const ifd_fmu_part *part = &s->spec->part[p];
    ifd_fmu_open_options o = {.isolated = part->isolated, .file = part->open};
    s->scale[p] = -1;
    s->remembers[p] = part->remembers;
    if (part->unloaded)
        return ifd_note_add(note, IFD_UNLOADED, &part->place, "the FMU '%s' of substructure '%s' was not loaded",
                            part->file, part->name);
    if (!part->file)
        return open_model(arena, s->spec, p, &s->fmu[p], note);
    IFD_TRY(ifd_fmu_open_as(arena, part->file, &o, &s->fmu[p], note));
    IFD_TRY(ifd_fmu_join_check(s->fmu[p], part->file, part->parameters, s->spec->h, s->spec->rule.predict, note));
    const ifd_fmu_facts *facts = ifd_fmu_facts_of(s->fmu[p]);
    o.isolated = o.isolated || facts->once;
    if (!facts->rolls_back && s->spec->rule.predict)
        IFD_TRY(ifd_fmu_open_as(arena, part->file, &o, &s->trial[p], note));
    return find_ground(s, p, note);
}

ifd_status ifd_fmu_structure_open(ifd_arena *arena, const void *spec, ifd_external *out, ifd_note *note)
{
    structure *s;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s, 1)));
    s->spec = spec;
    size_t parts = (size_t)s->spec->parts;
    IFD_TRY(IFD__TAKE(arena, IFD__ARRAY(s->fmu, parts), IFD__ARRAY(s->trial, parts), IFD__ARRAY(s->remembers, parts),
                      IFD__ARRAY(s->scale, parts), IFD__ARRAY(s->joint, s->spec->ties),
                      IFD__ARRAY(s->connection, 3 * parts)));
    for (int p = 0; p < s->spec->parts; p++)
        IFD_TRY(open_part(arena, s, p, note));
    for (int k = 0; k < s->spec->ties; k++) {
        s->joint[k].name = s->spec->tie[k].name;
        for (int side = 0; side < 2; side++)
            IFD_TRY(find_end(s, &s->spec->tie[k], side, &s->joint[k].end[side], note));
    }
    const ifd_fmu_join_options o = {.fmus = s->spec->parts,
                                    .joints = s->spec->ties,
                                    .fmu = s->fmu,
                                    .joint = s->joint,
                                    .h = s->spec->h,
                                    .rule = s->spec->rule,
                                    .connections = s->connections,
                                    .connection = s->connection,
                                    .remembers = s->remembers,
                                    .trial = s->trial,
                                    .prepare = prepare,
                                    .self = s};
    IFD_TRY(ifd_fmu_join(arena, &o, &s->joined, note));
    IFD_TRY(find_channels(arena, s, out));
    out->self = s;
    out->step = step;
    out->values = values;
    out->gap = gap;
    out->why = why;
    out->diverged = diverged;
    out->caution = ifd_fmu_joined_caution(s->joined);
    return IFD_OK;
}
