/* SPDX-License-Identifier: MIT */
/* Table of the papers and their figures. */
#include "reproduce.h"

#include <string.h>

const paper papers[] = {
    {"000", "Jia, Li, Liu, Yang, Wu (2012)",
     "**Not computed.** The paper names a third LSRT method, which has no third order in a test ([No "
     "third order](../reference/methods.md#lsrt1-and-lsrt2)). Its recorded motions are not shipped; where no record "
     "is given, the motion is generated. `cases/two-components` has generated east-west and north-south "
     "components of a long earthquake with stated spectra."},
    {"001", "Bursi, Jia, Wang (2009)", NULL},
    {"002", "Jia, Li, Liu, Xia (2013)",
     "**Not computed.** Figure 4, the impact of an aircraft on a reactor building, shows the purpose of "
     "subcycling and has no data; solids and their contact are not part of this program. `cases/impact` "
     "is the nearest case: a stiff nonlinear bumper of 112 Hz and more, struck by a pulse of 4 ms, at "
     "0.05 ms on a body of 3.2 Hz at 1 ms."},
    {"003", "Abbiati, Lanese, Pavese, Bursi (2019)",
     "**Devices.** The paper describes only the triple concave bearing. `cases/bridge` has all three "
     "devices as elements and specimens (`hybrid`, `double`, `rubber`), and the vertical load of the "
     "tested bearing in force control (`vertical`)."},
    {"004", "Sajeeb, Roy, Manohar (2007)",
     "**Step.** The paper permits steps of different length and uses a uniform one in all figures. So "
     "does this comparison; the program also has [variable steps](../reference/extrapolation.md#variable-step)."},
    {NULL, NULL, NULL},
};

const entry entries[] = {
#define ENTRY(id, title, make) {id, title, make},
#include "entries.def"
#undef ENTRY
    {NULL, NULL, NULL},
};

const paper *paper_of(const entry *e)
{
    for (const paper *p = papers; p->number; p++)
        if (strncmp(p->number, e->id, 3) == 0)
            return p;
    return NULL;
}
