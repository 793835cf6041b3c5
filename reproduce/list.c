/* SPDX-License-Identifier: MIT */
/* Table of the papers and their figures. */
#include "reproduce.h"

#include <string.h>

const paper papers[] = {
    {"000", "Jia, Li, Liu, Yang, Wu (2012)",
     "**Not computed.** The paper names a third LSRT method, which has no third order in a test ([No "
     "third order](methods.md#lsrt1-and-lsrt2)). Its recorded motions are not shipped; where no record "
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
     "does this comparison; the program also has [variable steps](extrapolation.md#variable-step)."},
    {NULL, NULL, NULL},
};

const entry entries[] = {
    {"000-fig1", "spectral radii of LSRT2, generalized-alpha and Chang's method", make_spectral_radii},
    {"000-fig3", "shear building with a pendulum: free and forced vibration", make_000_fig3},
    {"000-fig4", "shear building with a pendulum and Bouc-Wen storeys at 1 g: displacement of the first floor",
     make_000_fig4},
    {"000-fig5", "shear building with a pendulum and Bouc-Wen storeys at 1 g: hysteresis of the first storey",
     make_000_fig5},
    {"000-fig6", "frame of 3 bays and 10 storeys at 1 g: top displacement", make_000_fig6},
    {"000-fig8", "hybrid test of a spring pendulum below a hysteretic mass, 1.2 Hz and 20 N", make_000_fig8},
    {"000-fig12", "three-dof beam in two substructures, PLSRT2 with 10 ms: displacements", make_split_beam},
    {"000-fig15", "hybrid test of the two-dof split-mass system, PLSRT2 with 16 ms and 2 ms", make_000_fig15},
    {"001-fig2", "spectral radii of LSRT1, LSRT2, generalized-alpha and Chang's method", make_spectral_radii},
    {"001-fig3", "hybrid test of the single-dof split-mass system, 10 N at 3 Hz", make_001_fig3},
    {"001-fig5", "eigenvalues of the staggered procedure, split-mass system", make_001_fig5},
    {"001-fig6", "damping and frequency error of the staggered procedure, ss = 1 and 10", make_001_fig6},
    {"001-fig7", "global error of the staggered procedure, b1 = 0.5, ss = 10", make_001_fig7},
    {"001-fig8", "parallel procedure, gamma plus, b1 = 0.5, ss = 10: eigenvalues and global error", make_001_fig8},
    {"001-fig9", "hybrid test of two masses with four dofs: both configurations", make_001_fig9},
    {"002-fig3", "spectral radii of LSRT2, generalized-alpha and Chang's method", make_spectral_radii},
    {"002-fig8", "eigenvalues of the parallel procedure, b1 = 0.1, ss = 10", make_002_fig8},
    {"002-fig9", "global error of the parallel procedure at 0.5 s", make_002_fig9},
    {"002-fig11", "three-dof beam in two substructures, 10 ms, ss = 10, gamma minus: displacement of the outer mass",
     make_split_beam},
    {"003-fig5", "triple concave bearing: state-space model and its hysteretic loops", make_003_fig5},
    {"003-fig6", "triple concave bearing at 0.1 m/s: loop and dissipated energy of the model", make_003_fig6},
    {"003-fig9", "hybrid tests of the bridge with three kinds of isolators", make_003_fig9},
    {"004-fig3", "spectral radius as a function of alpha, about 2.25 Hz, orders 1 to 4", make_004_fig3},
    {"004-fig4", "spectral radius as a function of alpha, about 30 Hz, h = 0.01 and 0.1", make_004_fig4},
    {"004-fig5", "spectral radius as a function of omega^2, order 3, alpha = 0.7", make_004_fig5},
    {"004-fig7", "extrapolation of 10 sin 70t + 5 cos 10t, three steps of 0.01 s", make_004_fig7},
    {"004-fig9", "two masses on a moving support, m2/m1 = 1/2", make_004_oscillator},
    {"004-fig10", "two masses on a moving support, m2/m1 = 1/3", make_004_oscillator},
    {"004-fig11", "two masses on a moving support, m2/m1 = 1/10", make_004_oscillator},
    {"004-fig12", "two masses on a moving support, m2/m1 = 1/10, frequency ratio 1.25", make_004_oscillator},
    {"004-fig13", "two masses on a moving support, m2/m1 = 1/100", make_004_oscillator},
    {"004-fig14", "two masses under random ground acceleration, m2/m1 = 1/2", make_004_random},
    {"004-fig15", "two masses under random ground acceleration, m2/m1 = 1/100", make_004_random},
    {"004-fig16", "three storeys, subsystems tested by effective forces (g), (h)", make_004_effective},
    {"004-fig17", "three storeys with two light subsystems, 35 rad/s", make_004_building},
    {"004-fig18", "three storeys with two heavy subsystems, 20 rad/s", make_004_building},
    {"004-fig21", "pendulum on a mass with a spring, kernel and Lagrange extrapolation", make_004_fig21},
    {"004-fig22", "double pendulum, kernel extrapolation", make_004_fig22},
    {"004-fig23", "two masses on hardening springs, earthquake of 1.25 m/s2", make_004_fig23},
    {NULL, NULL, NULL},
};

const paper *paper_of(const entry *e)
{
    for (const paper *p = papers; p->number; p++)
        if (strncmp(p->number, e->id, 3) == 0)
            return p;
    return NULL;
}
