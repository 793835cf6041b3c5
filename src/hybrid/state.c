/* SPDX-License-Identifier: MIT */
/* Names of the members of the state, for checkpoint and replay: state.h. */
#include "hybrid/state.h"

#include <string.h>

static const ifd__state_member test[] = {IFD__STATE_MEMBERS(IFD__TEST_STATE)};
static const ifd__state_member interface[] = {IFD__STATE_MEMBERS(IFD__INTERFACE_STATE)};
static const ifd__state_member actuator[] = {IFD__STATE_MEMBERS(IFD__ACTUATOR_STATE)};
static const ifd__state_member rig[] = {IFD__STATE_MEMBERS(IFD__RIG_STATE)};

const ifd__state_list ifd__test_members = {test, sizeof test / sizeof *test};
const ifd__state_list ifd__interface_members = {interface, sizeof interface / sizeof *interface};
const ifd__state_list ifd__actuator_members = {actuator, sizeof actuator / sizeof *actuator};
const ifd__state_list ifd__rig_members = {rig, sizeof rig / sizeof *rig};

void ifd__state_put(const ifd__state_list *list, void *to, const void *from, ifd__state_owner owner)
{
    double *x = to;
    const double *y = from;
    for (int i = 0; i < list->members; i++) {
        const ifd__state_member *m = &list->member[i];
        if (m->owner != IFD__OF_TEST && m->owner <= owner)
            memcpy(x, y, (size_t)m->count * sizeof *x);
        x += m->count;
        y += m->count;
    }
}
