/* SPDX-License-Identifier: MIT */
/* The papers and their figures: the one table. */
#include "reproduce.h"

#include <string.h>

const paper papers[] = {
    {"000", "Jia, Li, Liu, Yang, Wu (2012)"}, {"001", "Bursi, Jia, Wang (2009)"},
    {"002", "Jia, Li, Liu, Xia (2013)"},      {"003", "Abbiati, Lanese, Pavese, Bursi (2019)"},
    {"004", "Sajeeb, Roy, Manohar (2007)"},   {NULL, NULL},
};

const entry entries[] = {
    {"000-fig1", "spectral radii of LSRT2, generalized-alpha and Chang's method",
     "LSRT2 stays at or below one, damps high frequencies and leaves low ones alone; Chang's method damps nothing.",
     make_spectral_radii},
    {"000-fig3", "shear building with a pendulum: free and forced vibration",
     "Free: LSRT2 and average acceleration both agree with the reference. Earthquake of 0.2 g: LSRT2 is stable, "
     "Newton's iteration of average acceleration fails at about 7 s.",
     make_000_fig3},
    {"000-fig4", "the same building with Bouc-Wen storeys at 1 g: displacement of the first floor",
     "LSRT2 is stable; high-frequency response is gone after 1 s. Without numerical damping (gamma = 1/2) it is "
     "unstable.",
     make_000_fig4},
    {"000-fig5", "the same: force over displacement of the first storey", "A hysteretic curve of the Bouc-Wen law.",
     make_000_fig5},
    {"000-fig6", "frame of 3 bays and 10 storeys at 1 g: displacement of the top",
     "LSRT2 is stable and in high agreement with the exact solution (lsim).", make_000_fig6},
    {"000-fig8", "test of a spring pendulum below a hysteretic mass, 1.2 Hz and 20 N",
     "LSRT2 completes the nonlinear real-time test with a stable response of all three dofs.", make_000_fig8},
    {"000-fig12", "three-dof beam split in two, PLSRT2 with 10 ms: displacements",
     "The partitioned method gives favourable results; the joint does not drift off.", make_split_beam},
    {"000-fig15", "test of the two-dof split mass, PLSRT2 with 16 ms and 2 ms",
     "Both displacements fit the simulated ones; drifts between the two parts are small.", make_000_fig15},
    {"001-fig2", "spectral radii of LSRT1, LSRT2, generalized-alpha and Chang's method",
     "LSRT algorithms damp high frequencies and hardly any low ones; Chang's method is A-stable without damping.",
     make_spectral_radii},
    {"001-fig3", "test of a single-dof split mass, 10 N at 3 Hz",
     "Chang's method leads to instability, the numerical damping of LSRT2 with gamma plus lets the test be carried "
     "out.",
     make_001_fig3},
    {"001-fig5", "roots of the staggered procedure on the split mass",
     "Four nonzero roots, one of them unitary; stable in the three cases shown and for all cases examined.",
     make_001_fig5},
    {"001-fig6", "damping and frequency error of the staggered procedure, ss = 1 and 10",
     "The partitioned algorithms dissipate high frequencies as their progenitors do.", make_001_fig6},
    {"001-fig7", "global error of the staggered procedure, b1 = 0.5, ss = 10",
     "Second order with LSRT2, first order with the midpoint rule.", make_001_fig7},
    {"001-fig8", "parallel procedure, gamma plus, b1 = 0.5, ss = 10: roots and global error",
     "With gamma plus always stable, with gamma minus sometimes conditionally; second order.", make_001_fig8},
    {"002-fig3", "spectral radii of LSRT2, generalized-alpha and Chang's method",
     "At most one everywhere; to zero at high frequencies, to one at low ones.", make_spectral_radii},
    {"002-fig8", "roots of the parallel procedure, b1 = 0.1, ss = 10",
     "Of 14 roots 10 are nonzero and one is always 1; gamma plus is unconditionally stable, gamma minus "
     "conditionally.",
     make_002_fig8},
    {"002-fig9", "global error of the parallel procedure at 0.5 s", "Second order.", make_002_fig9},
    {"002-fig11", "three-dof beam split in two, 10 ms, ss = 10, gamma minus: displacement of the top",
     "Close to the exact solution, no visible decay of energy or lag of the period.", make_split_beam},
    {"003-fig5", "triple concave bearing: state-space model and its hysteretic loops",
     "The spring-slider model has the loop of the bearing.", make_003_fig5},
    {"003-fig6", "bearing at 0.1 m/s: loop and dissipated energy of the model",
     "The model reproduces loop and dissipated energy.", make_003_fig6},
    {"003-fig9", "hybrid test of the bridge: loops of the bearing at 0.35 g and 0.50 g",
     "The tests complete; the loops of the tested devices are those of sliding bearings.", make_003_fig9},
    {"004-fig3", "spectral radius over alpha, about 2.25 Hz, orders 1 to 4",
     "All four orders behave alike, and all are unstable at and around alpha = 0.", make_004_fig3},
    {"004-fig4", "spectral radius over alpha, about 30 Hz, h = 0.01 and 0.1",
     "Orders 1 and 3 are stable over almost the same range of alpha as in figure 3; order 2 is unstable for alpha > "
     "1.8; the curve of order 4 is noisy, more so with the larger step.",
     make_004_fig4},
    {"004-fig5", "spectral radius over omega^2, order 3, alpha = 0.7",
     "The stability of the third-order method is not compromised by omega^2.", make_004_fig5},
    {"004-fig7", "extrapolation of 10 sin 70t + 5 cos 10t, three steps of 0.01 s",
     "The reproducing kernel (p = 10, q = 3) is superior to Lagrange polynomials of order 4 and 9.", make_004_fig7},
    {"004-fig9", "two masses on a shaken support, m2/m1 = 1/2",
     "RTS agrees with the exact solution, errors below about 2e-4 that decrease; three iterations suffice in the "
     "start.",
     make_004_oscillator},
    {"004-fig10", "two masses on a shaken support, m2/m1 = 1/3", "RTS agrees with the exact solution.",
     make_004_oscillator},
    {"004-fig11", "two masses on a shaken support, m2/m1 = 1/10", "RTS agrees with the exact solution.",
     make_004_oscillator},
    {"004-fig12", "two masses on a shaken support, m2/m1 = 1/10, frequencies 1.25 apart",
     "RTS agrees with the exact solution.", make_004_oscillator},
    {"004-fig13", "two masses on a shaken support, m2/m1 = 1/100",
     "RTS agrees with the exact solution; the error nearly goes to zero with time.", make_004_oscillator},
    {"004-fig14", "two masses under random ground acceleration, m2/m1 = 1/2", "Satisfactory performance of RTS.",
     make_004_random},
    {"004-fig15", "two masses under random ground acceleration, m2/m1 = 1/100", "Satisfactory performance of RTS.",
     make_004_random},
    {"004-fig17", "three storeys with two light subsystems, 35 rad/s",
     "RTS performs satisfactorily; the errors shown are about 2e-4 at h = 0.01.", make_004_building},
    {"004-fig18", "three storeys with two heavy subsystems, 20 rad/s",
     "RTS performs satisfactorily; the errors shown are about 2e-4 at h = 0.01.", make_004_building},
    {"004-fig21", "pendulum on a sprung mass, kernel and Lagrange extrapolation",
     "Largest errors at q = 3: 0.0425 with the kernel, 0.0934 with Lagrange polynomials; they grow with q, not with "
     "time.",
     make_004_fig21},
    {"004-fig22", "double pendulum, kernel extrapolation",
     "RTS and the true solution agree acceptably for q = 1, 2, 3; errors do not grow with time.", make_004_fig22},
    {"004-fig23", "two masses on hardening springs, earthquake of 1.25 m/s2",
     "RTS and the true solution agree; errors grow with q and show no systematic growth in time.", make_004_fig23},
    {NULL, NULL, NULL, NULL},
};

const paper *paper_of(const entry *e)
{
    for (const paper *p = papers; p->number; p++)
        if (strncmp(p->number, e->id, 3) == 0)
            return p;
    return NULL;
}
