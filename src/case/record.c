/* SPDX-License-Identifier: MIT */
/* Output of a result: dofs, groups of columns, additional files. */
#include "case/reader.h"

#include <string.h>

#include "model/build/builder.h"
#include "model/build/frame.h"
#include "model/fibre/element.h"
#include "model/model.h"
#include "substructure/response_fibres.h"

const ifd__section ifd__section_record = {
    "record", "record: recorded quantities", "record",
    "Write `all`, or a list of these words: displacement, velocity, acceleration, drift, elements, energy, ground, "
    "base-shear, joints, stages, states, sections, fibres, names of dofs, and names of members of frames.\n\n"
    "- By default, a case of up to 50 dofs records everything except the states of fibre elements; the words "
    "`states` and `all` include these states. With more dofs, a run omits velocities, accelerations and members of "
    "frames, and a test records only ground and joints.\n"
    "- `velocity` and `acceleration` are relative to the ground; if the ground moves, the absolute values are "
    "recorded too.\n"
    "- `elements` includes the members of frames. If the model is reduced, `elements` includes only members that "
    "connect interface dofs, and members that `record` names.\n"
    "- `ground` includes the prescribed motion of supports.\n"
    "- `stages` adds the duration of each stage of a tick (docs/reference/record.md).\n"
    "- `sections` records strain, curvature, axial force and moment at the points of members with fibres. `fibres` "
    "records strain and stress of every fibre, in a test at most 2,000 columns. `all` includes neither of these "
    "two.\n"
    "- A dof of a substructure is `substructure.dof`; a dof name alone selects this dof in every substructure. If "
    "`record` names dofs, only the motions of these dofs are recorded.\n"
    "- A member without a name is `node-node`; the name of a member with segments means all segments. If `record` "
    "names members, other members are recorded only if `record` also contains `elements`. Sections and fibres of "
    "these other members are never recorded.\n"
    "- A test also records its clock, its state and the signals of the rig.\n"
    "- If OpenSees computes the structure, only displacements are available.",
    NO_KEYS};

const ifd__section ifd__section_output = {"output", "output: further result files", "output", "",
                                          KEYS(FLAG("csv", 0, "no", "writes result.csv in addition"))};

/* A member that `record` names. */
typedef struct ifd__named_member {
    struct ifd__named_member *next;
    const ifd_frame *frame;
    const char *name;
} ifd__named_member;

static const char RECORDS[] =
    "all|displacement|velocity|acceleration|elements|energy|ground|joints|stages|drift|base-shear|states|"
    "sections|fibres";

/* Adds the dofs of this name to run.dof, which is `out`; whether there are any. */
static bool record_dof(ifd__reader *r, const ifd__structure *st, const char *name, const ifd__node *at, int *out)
{
    const ifd__node *list = ifd__yaml_get(r->doc.root, "record");
    int ref, part = 0, *count = &r->c->run.dofs, before = *count;
    if (st->parts == 0 && ifd_builder_find(st->whole.b, name, &ref) && ref >= 0) {
        ifd__refuse_condensed(&st->whole, ref, &at->place, "'record'");
        out[*count] = ref;
        ifd__refer(&st->whole, &out[(*count)++], IFD__REFER_RECORD, "'record' uses", &list->place);
    }
    for (; st->parts && ifd__find_in_parts(st, name, &part, &ref); part++) {
        out[*count] = ref;
        ifd__refer(&st->part[part].m, &out[(*count)++], IFD__REFER_RECORD, "'record' uses", &list->place);
    }
    return *count > before;
}

/* The deformations of a member as watched rows of a reduced model. Directions of a node without a dof are held, or
 * move with a support, which the recording adds. */
static void watch_member(ifd__reader *r, const ifd__model_read *m, const ifd_frame *f, int member)
{
    ifd__member_rows rows;
    const char *name = ifd__frame_member_name(r->arena, f, member);
    ifd__frame_member(f, member, &rows);
    for (int d = 0; d < (f->planar ? IFD__PLANAR_DEFORMATIONS : IFD__MEMBER_DEFORMATIONS); d++) {
        const double *row = rows.deformation[f->planar ? ifd__planar_deformation[d] : d];
        int count = 0, *ref = ifd_arena_array(r->arena, IFD__MEMBER_ENDS, sizeof *ref);
        double *value = ifd_arena_array(r->arena, IFD__MEMBER_ENDS, sizeof *value);
        if (!ifd__in_memory(r, ref && value))
            return;
        for (int i = 0; i < IFD__MEMBER_ENDS; i++) {
            const ifd_frame_node *node = &f->node[i < 6 ? f->member[member].from : f->member[member].to];
            const char *dof = ifd_arena_print(r->arena, "%s.%s", node->name, ifd__frame_suffix[i % 6]);
            if (row[i] == 0.0 || !dof || !ifd_builder_find(m->b, dof, &ref[count]) || ref[count] < 0)
                continue;
            value[count++] = row[i];
        }
        const ifd__watched_row watched = {ifd__member_row_name(r->arena, name, d), count, ref, value};
        if (watched.name)
            ifd__builder_watch(m->b, &watched);
    }
}

/* Whether a member has this name, or is a segment NAME.1, NAME.2, ... of the member with it. */
static bool is_named(const ifd_frame_member *member, const char *is, const char *name)
{
    size_t n = strlen(name);
    return strcmp(is, name) == 0 || (member->name && strncmp(is, name, n) == 0 && is[n] == '.' && is[n + 1] &&
                                     strspn(is + n + 1, "0123456789") == strlen(is + n + 1));
}

static void keep_named(ifd__reader *r, const ifd_frame *frame, const char *name)
{
    ifd__named_member *kept = ifd_arena_take(r->arena, sizeof *kept);
    if (!ifd__in_memory(r, kept))
        return;
    *kept = (ifd__named_member){r->named, frame, name};
    r->named = kept;
}

/* A member of a frame by its name, with the name of its substructure or without. */
static bool record_member(ifd__reader *r, const ifd__structure *st, const char *name)
{
    bool found = false;
    for (int p = 0; p < (st->parts ? st->parts : 1); p++) {
        const ifd__model_read *m = ifd__model_of(st, p);
        const char *part = st->parts ? st->part[p].name : NULL, *own = name;
        size_t length = part ? strlen(part) : 0;
        if (part && strncmp(name, part, length) == 0 && name[length] == '.')
            own = name + length + 1;
        for (const ifd_case_piece *piece = m->piece; piece; piece = piece->next)
            for (int i = 0; piece->frame && m->b && i < piece->frame->members; i++) {
                const char *is = ifd__frame_member_name(r->arena, piece->frame, i);
                if (!is || !is_named(&piece->frame->member[i], is, own))
                    continue;
                found = true;
                keep_named(r, piece->frame, is);
                if (m->reduce)
                    watch_member(r, m, piece->frame, i);
            }
    }
    r->c->run.what |= found ? IFD_RECORD_MEMBERS : 0;
    return found;
}

static void refuse_record(ifd__reader *r, const ifd__structure *st, const char *name, const ifd_place *place)
{
    for (int p = 0; p < (st->parts ? st->parts : 1); p++)
        if (ifd__model_of(st, p)->nameless)
            return;
    ifd_note_add(r->note, IFD_UNKNOWN_NAME, place,
                 "'%s' cannot be recorded: it is neither a dof, nor a member of a frame, nor a group of columns",
                 name);
    if (st->parts && strchr(name, '.'))
        ifd_choice_hint(r->note, ifd__names_in_parts(r->arena, st), name);
    else
        ifd_choice_hint(r->note, RECORDS, name);
}

static bool is_reduced(const ifd__structure *st)
{
    bool some = false;
    for (int p = 0; p < (st->parts ? st->parts : 1); p++)
        some = some || ifd__model_of(st, p)->reduce;
    return some;
}

/* Forces of members do not follow from the dofs of a reduced model. */
static void remark_reduced(ifd__reader *r, const ifd__structure *st, unsigned what, const ifd_place *place)
{
    if (what != IFD_RECORD_EVERYTHING && (what & IFD_RECORD_MEMBERS) && is_reduced(st))
        ifd_note_remark(r->note, place,
                        "the model is reduced: 'elements' records members between its interface dofs, and members "
                        "that 'record' names");
}

void ifd__read_record(ifd__reader *r, const ifd__structure *st, const ifd__node *node)
{
    static const unsigned flag[] = {IFD_RECORD_EVERYTHING,
                                    IFD_RECORD_DISPLACEMENT,
                                    IFD_RECORD_VELOCITY,
                                    IFD_RECORD_ACCELERATION,
                                    IFD_RECORD_ELEMENTS | IFD_RECORD_MEMBERS,
                                    IFD_RECORD_ENERGY,
                                    IFD_RECORD_GROUND,
                                    IFD_RECORD_JOINTS,
                                    IFD_RECORD_AUTO,
                                    IFD_RECORD_DRIFT,
                                    IFD_RECORD_BASE_SHEAR,
                                    IFD_RECORD_ELEMENTS | IFD_RECORD_MEMBERS | IFD_RECORD_STATES,
                                    IFD_RECORD_SECTIONS,
                                    IFD_RECORD_FIBRES};
    const unsigned motion = IFD_RECORD_DISPLACEMENT | IFD_RECORD_VELOCITY | IFD_RECORD_ACCELERATION;
    const char *const *name = NULL;
    int count = 0;
    if (!node || ifd__yaml_names(r->arena, node, &name, &count, r->note) != IFD_OK)
        return;
    if (count == 0)
        ifd_note_add(
            r->note, IFD_MISSING_KEY, &node->place,
            "'record': the list is empty, expected 'all' or at least one name; remove the key for the default");
    size_t most = (size_t)count * (size_t)(st->parts ? st->parts : 1);
    int *dof = ifd_arena_array(r->arena, most, sizeof *dof);
    r->c->run.dof = dof;
    for (int i = 0; i < count && dof; i++) {
        const ifd__node *at = node->kind == IFD__SEQUENCE ? ifd__yaml_item(node, i) : node;
        int which = ifd_choice_find(RECORDS, name[i]);
        r->c->stages = r->c->stages || strcmp(name[i], "stages") == 0;
        if (which > 0 && ifd__yaml_get(r->doc.root, "master") && flag[which] & ~(unsigned)IFD_RECORD_DISPLACEMENT)
            ifd_note_add(r->note, IFD_CONFLICT, &at->place,
                         "'%s' cannot be recorded: OpenSees computes the structure and sends displacements only",
                         name[i]);
        else if (which >= 0) {
            remark_reduced(r, st, flag[which], &at->place);
            r->c->run.what |= flag[which];
        } else if (!record_dof(r, st, name[i], at, dof) && !record_member(r, st, name[i]))
            refuse_record(r, st, name[i], &at->place);
    }
    if (r->c->run.dofs && !(r->c->run.what & motion))
        r->c->run.what |= motion;
}

/* Columns of strain and stress of the fibres of the recorded members of a frame. */
static long fibre_columns(ifd__reader *r, const ifd_recorded_frame *f)
{
    long count = 0;
    for (int i = 0; i < f->frame->members; i++) {
        const ifd_fibres *of = f->frame->member[i].section.fibres;
        const char *name = of ? ifd__frame_member_name(r->arena, f->frame, i) : NULL;
        if (name && ifd__frame_names(f, name))
            count += 2L * of->points * of->section.fibres;
    }
    return count;
}

static void refuse_fibres(ifd__reader *r)
{
    enum { MOST = 2000 };
    const ifd__node *record = ifd__yaml_get(r->doc.root, "record");
    long count = 0;
    for (const ifd_recorded_frame *f = r->c->run.frame; f; f = f->next)
        count += fibre_columns(r, f);
    if (count <= MOST || !(r->c->run.what & IFD_RECORD_FIBRES) || !ifd__yaml_get(r->doc.root, "test"))
        return;
    const ifd__node *word = record->kind == IFD__SEQUENCE ? record->first : record;
    while (word->next && strcmp(word->text, "fibres") != 0)
        word = word->next;
    ifd_note_add(r->note, IFD_RANGE, &word->place,
                 "'fibres' has %ld columns of strain and stress; a test records %d at most", count, (int)MOST);
    ifd_note_hint(r->note, "name the members: 'record: [fibres, MEMBER]'; a case without 'test' has no limit");
}

void ifd__record_frames(ifd__reader *r)
{
    ifd_recorded_frame *first = NULL;
    for (const ifd_case_piece *p = r->c->piece; p; p = p->next) {
        ifd_recorded_frame *f = p->frame ? ifd_arena_take(r->arena, sizeof *f) : NULL;
        if (!f)
            continue;
        *f = (ifd_recorded_frame){.next = first, .part = p->part, .frame = p->frame};
        size_t most = 1;
        for (const ifd__named_member *m = r->named; m; m = m->next)
            most += m->frame == p->frame;
        const char **name = r->named ? ifd_arena_array(r->arena, most, sizeof *name) : NULL;
        for (const ifd__named_member *m = r->named; m && name; m = m->next)
            if (m->frame == p->frame)
                name[f->names++] = m->name;
        f->name = name;
        first = f;
    }
    r->c->run.frame = first;
    refuse_fibres(r);
}

/* A name of a dof, with the name of its substructure or without; before a division in the whole model. */
static bool names_dof(const ifd__structure *st, const char *name)
{
    int part = 0, dof;
    if (ifd__find_in_parts(st, name, &part, &dof))
        return true;
    for (int p = 0; p < st->parts; p++) {
        size_t n = strlen(st->part[p].name);
        if (strncmp(name, st->part[p].name, n) == 0 && name[n] == '.' &&
            ifd_builder_find(st->whole.b, name + n + 1, &dof) && dof >= 0)
            return true;
    }
    return ifd_builder_find(st->whole.b, name, &dof) && dof >= 0;
}

bool ifd__records_motion(const ifd__reader *r, const ifd__structure *st)
{
    const ifd__node *list = ifd__yaml_get(r->doc.root, "record");
    bool motion = false, named = false;
    if (r->rank > 0)
        return true;
    for (const ifd__node *i = list && list->kind == IFD__SEQUENCE ? list->first : NULL; i; i = i->next) {
        const char *word = i->kind == IFD__SCALAR ? i->text : "all";
        bool moves = ifd_choice_find("displacement|velocity", word) >= 0, dof = !moves && names_dof(st, word);
        if (!moves && !dof && strcmp(word, "ground") != 0)
            return false;
        motion = motion || moves;
        named = named || dof;
    }
    return motion && named;
}

void ifd__read_output(ifd__reader *r, const ifd__node *node)
{
    ifd__fields f;
    ifd__fields_read(r, node, &ifd__section_output, "output", &f);
    r->c->csv = ifd__field(&f, "csv")->number > 0;
}

int ifd__first_order(const ifd_model *m, const char *name)
{
    for (int i = 0; i < m->ngone; i++)
        if (strcmp(m->gone[i], name) == 0 && ifd__model_gone_recorded(m, i))
            return IFD__RECORD_GONE + i;
    return -1;
}
