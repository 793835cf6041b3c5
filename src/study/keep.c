/* SPDX-License-Identifier: MIT */
/* `keep` and `histories`: what a member leaves in the result. */
#include <string.h>

#include "study/study.h"

#define IFD__REDUCTION_WORD(name, word, text) word,
const char *const ifd__reduction_words[IFD__REDUCTION_COUNT] = {IFD__REDUCTIONS(IFD__REDUCTION_WORD)};

bool ifd__reduces_ideal(ifd__reduction how)
{
    return how == IFD__REDUCE_ERROR || how == IFD__REDUCE_ERROR_NRMS || how == IFD__REDUCE_ERROR_PEAK;
}

bool ifd__reduces_tracking(ifd__reduction how)
{
    return how == IFD__REDUCE_TRACKING_DELAY || how == IFD__REDUCE_TRACKING_NRMS || how == IFD__REDUCE_TRACKING_PEAK;
}

#define KEEP_KEY(name, word, text) TEXT(word, false, "not kept", text),
static const ifd__key keep_keys[] = {IFD__REDUCTIONS(KEEP_KEY) END};
const ifd__section ifd__study_section_keep = {
    "keep", "keep: scalars of the result", "keep.*",
    "The name of each scalar is a column of the result. It has one reduction with the name of a recorded column "
    "(docs/results.md), such as `x displacement` or `energy dissipated`. The name may be a pattern with "
    "`*`: the result is then the largest number of all matching columns (of `minimum` the smallest; of `final` and "
    "`residual` the one with the largest magnitude). Peaks are over the recorded rows, as in summary.json. Outcome, "
    "reason and simulated "
    "time of every member are always kept. A scalar that a member does not have is NaN.",
    keep_keys};

static void read_scalar(ifd__reader *r, ifd_study *s, const ifd__node *node)
{
    ifd__fields f;
    int errors = r->note->errors, found = -1;
    ifd__fields_read(r, node, &ifd__study_section_keep, "keep", &f);
    for (int k = 0; k < IFD__REDUCTION_COUNT && r->note->errors == errors; k++) {
        const ifd_value *v = ifd__field(&f, ifd__reduction_words[k]);
        if (!v->given)
            continue;
        if (found >= 0)
            ifd_note_add(r->note, IFD_CONFLICT, &v->place, "'%s' has two reductions, %s and %s: expected one",
                         node->key, ifd__reduction_words[found], ifd__reduction_words[k]);
        found = k;
        s->scalar[s->scalars] = (ifd_study_kept){node->key, ifd__reduction_words[k], v->word, ""};
        s->reduction[s->scalars] = (ifd__reduction)k;
        s->place[s->scalars] = v->place;
    }
    if (found >= 0 && !s->test &&
        (ifd__reduces_ideal((ifd__reduction)found) || ifd__reduces_tracking((ifd__reduction)found)))
        ifd_note_add(r->note, IFD_CONFLICT, &s->place[s->scalars], "'%s' compares a test: it needs 'compute: test'",
                     ifd__reduction_words[found]);
    if (found < 0 && r->note->errors == errors)
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->place, "'%s' needs a reduction, e.g. {peak: x displacement}",
                     node->key);
    s->scalars += found >= 0;
}

void ifd__keep_read(ifd__reader *r, ifd_study *s, const ifd__node *keep, const ifd__node *histories)
{
    const char *const *name = NULL;
    int count = 0;
    if (keep && ifd__yaml_expect(keep, IFD__MAPPING, r->note) == IFD_OK) {
        if (keep->count == 0 || keep->count > IFD__STUDY_KEPT)
            ifd_note_add(r->note, IFD_SHAPE, &keep->place, "'keep' has %d scalars, expected 1 to %d", keep->count,
                         IFD__STUDY_KEPT);
        s->scalar = ifd_arena_array(r->arena, (size_t)keep->count, sizeof *s->scalar);
        s->reduction = ifd_arena_array(r->arena, (size_t)keep->count, sizeof *s->reduction);
        s->place = ifd_arena_array(r->arena, (size_t)keep->count, sizeof *s->place);
        for (const ifd__node *i = keep->first; i && ifd__in_memory(r, s->scalar && s->reduction && s->place);
             i = i->next)
            read_scalar(r, s, i);
    }
    if (!histories || ifd__yaml_names(r->arena, histories, &name, &count, r->note) != IFD_OK)
        return;
    if (count == 0 || count > IFD__STUDY_KEPT)
        ifd_note_add(r->note, IFD_SHAPE, &histories->place, "'histories' has %d columns, expected 1 to %d", count,
                     IFD__STUDY_KEPT);
    s->history = ifd_arena_array(r->arena, (size_t)count, sizeof *s->history);
    for (int i = 0; i < count && ifd__in_memory(r, s->history); i++)
        s->history[s->histories++] = (ifd_study_kept){name[i], NULL, name[i], ""};
}
