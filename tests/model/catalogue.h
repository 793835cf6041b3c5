/* SPDX-License-Identifier: MIT */
/* Tables for test_catalogue.c: ordinary differential equations to a relative tolerance of 1e-9, rate-independent laws
 * in closed form; all computed by another program. */
#define NUM(which, x)                                                                                                \
    {                                                                                                                \
        .name = (which), .number = (x)                                                                               \
    }
#define WORD(which, w)                                                                                               \
    {                                                                                                                \
        .name = (which), .word = (w)                                                                                 \
    }
#define ROWS(which, array, r, c)                                                                                     \
    {                                                                                                                \
        .name = (which), .data = (array), .rows = (r), .cols = (c)                                                   \
    }
#define VALUES(array) .values = (array), .count = COUNT(array)

/* clang-format off */
static const double mr_constant[] = {
    0.02, 1168.44492, 0.000753819759, 0.00643894829, 4.66930417,
    0.1, 21.8620905, 0.00358886374, 0.000339835006, 15.6179,
    0.4, 1193.48012, -0.00012830632, 0.00643894829, 67.6064731,
    0.55, -1128.47414, 0.00219324828, -0.00643894829, 88.4463729,
    0.8, 1193.47972, -0.000128212454, 0.00643894829, 136.094013,
    1, -1336.46578, 0.000124968871, -0.00643894829, 170.337785,
};
static const double mr_jump[] = {
    0.02, 471.364602, 2.20522472,
    0.1, 65.4040211, 6.11603626,
    0.4, 473.076192, 26.7646834,
    0.55, -1454.54347, 38.5187096,
    0.8, 1558.01009, 99.8463694,
    1, -1675.81779, 144.221324,
};
static const double bingham[] = {
    0.02, 1790.43706, (double)NAN,
    0.1, 0, (double)NAN,
    0.25, -1503.04055, (double)NAN,
    0.4, 1848.09725, 95.716227,
};
static const double mr_tanh[] = {
    0.02, 852.613088, (double)NAN,
    0.1, 166.787567, (double)NAN,
    0.25, -828.413942, (double)NAN,
    0.4, 862.743331, 49.1370887,
};
static const double lrb_iso[] = {
    0.01, 42496.4211, 50969.4591, 171.189893,
    0.03, 80036.6959, 95498.1115, 1167.64625,
    0.1, 119970.593, 131919.697, 6115.28814,
    0.25, 210239.322, 118494.253, 16062.1571,
    0.8, -18721.5898, -70146.4313, 31352.7493,
    1, -69484.0761, 82679.8837, 35180.6772,
    1.5, -156454.584, -107806.949, 60572.0012,
    1.75, -6046.70927, -130744.792, 67293.2321,
    3, -69484.0761, 82679.8837, 106739.79,
    4, 69484.0761, 82679.8837, 142519.346,
};
static const double lrb_sharp[] = {
    0.01, 46801.9724, 56134.6126,
    0.03, 83424.8881, 99567.3269,
    0.1, 119971.019, 131921.688,
    0.25, 210239.322, 118494.256,
    0.8, -18721.5898, -70146.4313,
    1, -69484.0761, 82679.8837,
    1.5, -156454.584, -107806.949,
    1.75, -6046.70927, -130744.792,
    3, -69484.0761, 82679.8837,
    4, 69484.0761, 82679.8837,
};
static const double lrb_park_wen[] = {
    0.01, 42496.4211, 50969.4591, 171.189893,
    0.03, 80036.6959, 95498.1115, 1167.64625,
    0.1, 119970.593, 131919.697, 6115.28814,
    0.25, 210239.322, 118494.253, 16062.1571,
    0.8, -18286.8027, -69997.1838, 31339.0225,
    1, -69484.0681, 82679.8904, 35165.7372,
    1.5, -156454.47, -107806.956, 60551.8053,
    1.75, -6046.70896, -130744.791, 67272.7873,
    3, -69484.0681, 82679.8904, 106694.97,
    4, 69484.0681, 82679.8904, 142459.586,
};
static const double lrb_heating[] = {
    0.5, 255163.89, 3.85670138, 17565.9906,
    1, -102584.084, 7.45629414, 18620.084,
    5, -85018.7892, 34.6752096, 86682.9189,
    10, 70029.9132, 62.783876, 156969.567,
};
static const double pendulum[] = {
    0.01, 70390.8111, 84385.534, 0.640491944, 0.767821941, 449.471919,
    0.03, 80217.5075, 95188.7267, 0.644597642, 0.764521994, 1593.32762,
    0.1, 107598.78, 112945.812, 0.696940554, 0.717128903, 6221.03158,
    0.25, 99976.2741, 24452.0079, 0.998948826, 0.045839322, 12700.8034,
    0.8, -73175.9444, 12643.9141, -0.919054739, 0.394129912, 28288.4719,
    1, -65637.2673, 78755.0282, -0.640230894, 0.768182532, 34116.3248,
    1.5, -50712.5939, -102518.766, -0.0069506947, -0.999975844, 55175.3146,
    1.75, 80913.3416, -45323.6864, 0.998760209, -0.0497799591, 61540.3462,
    3, -65637.2673, 78755.0282, -0.640230894, 0.768182532, 102491.913,
    4, 65637.2673, 78755.0282, 0.640230894, 0.768182532, 136679.706,
};
static const double clough[] = {
    0, 50000, 125,
    1, 105000, 1525,
    3, 65000, 1185,
    4, 110000, 2600,
    6, -100000, 3445,
    7, -107500, 5001.25,
    9, -115000, 6670,
    10, 53589.7436, 6772.40385,
    12, 115000, 10351.25,
    13, -14270.073, 9750.64781,
    15, 120000, 15489.844,
    16, -56025.641, 15834.3311,
};
static const double takeda[] = {
    0, 50000, 125,
    1, 105000, 1525,
    3, 74685.6687, 1165.62866,
    4, 110000, 2600,
    6, -100000, 2807.61836,
    7, -107500, 4363.86836,
    9, -115000, 6032.61836,
    10, 43970.0713, 5320.51771,
    12, 115000, 8755.06878,
    13, 130.1645, 7603.76713,
    15, 120000, 12482.0534,
    16, -46502.9255, 11742.8428,
};
static const double shifted[] = {
    0, 50000, 125,
    1, 105000, 1525,
    3, 76715.7288, 1161.56854,
    4, 110000, 2600,
    6, -100000, 2599.48132,
    7, -107500, 4155.73132,
    9, -115000, 5824.48132,
    10, 44365.8537, 4879.09107,
    12, 115000, 8471.48132,
    13, 15000, 7171.48132,
    15, 120000, 12065.537,
    16, -47260.6043, 11003.0157,
};
static const double limited[] = {
    0, 135000, 8725,
    1, -1960.78431, 7815.22059,
    3, 98039.2157, 8295.61275,
    4, 135000, 8901.86034,
    6, -120000, 17996.8603,
    7, 92727.2727, 20429.5876,
    9, 137500, 27063.1103,
};
static const double pivot[] = {
    0, 50000, 125,
    1, 105000, 1525,
    3, -24358.9744, 877.921396,
    4, -50000, 1051.63934,
    6, -110000, 3526.63934,
    7, -17000, 2574.13934,
    9, 64375, 3189.11918,
    10, 110000, 5110.99418,
    12, 79000, 4638.49418,
    13, 115000, 6235.99418,
    15, -115000, 8493.37514,
};
static const double degrading[] = {
    0.25, 24956.0833, 0.00616752372, 0.261856745, 109.805198,
    0.5, 32489.1687, 0.00793988769, 0.573368952, 241.847581,
    1.7, -27448.9698, -0.00652455196, 1.49696483, 616.706376,
    2.4, 39974.2088, 0.00953814839, 3.06989177, 1262.97928,
    4.6, 36835.319, 0.00828482827, 7.06928566, 2906.51504,
    6.3, 40768.7165, 0.00921792804, 12.337496, 5025.17657,
};
static const double flag[] = {
    0, 60000, 90,
    1, 115000, 1862.5,
    3, 90000, 1711.5789,
    4, 125000, 3125.6579,
    6, 0, 2063.1579,
    7, -105000, 2825.6579,
    9, -27000, 4309.2368,
    10, -19000, 4125.2368,
    12, 0, 4463.1579,
};
static const double brb[] = {
    0.25, 460787.725, 0.00488303312, 0.00488303312, 2684.76296,
    0.5, 483525.17, 0.00927649886, 0.00927649886, 4834.85859,
    1.7, -167818.768, -0.0138480226, 0.032595148, 15644.1588,
    2.4, 559704.789, 0.0171918781, 0.0636350488, 32114.3795,
    4.6, 439225.518, 0.0284566949, 0.158877749, 84673.169,
    6.3, 618735.256, 0.0294493036, 0.282584497, 155970.474,
};
/* clang-format on */

static const double of_clough[] = {0.005, 0.02, 0.012, 0.016, 0.03, 0,     -0.01, -0.025, -0.02,
                                   -0.04, 0,    0.01,  0.04,  0.02, -0.02, 0.05,  0};
static const double of_limited[] = {0.08, 0.065, 0.07, 0.075, 0.08, 0.09, -0.05, 0.03, 0.07, 0.085};
static const double of_pivot[] = {0.005,  0.02, 0.012, 0,    -0.005, -0.02, -0.03, -0.015,
                                  0,      0.01, 0.03,  0.02, 0.025,  0.04,  0,     -0.04};
static const double of_flag[] = {0.003, 0.02,  0.015, 0.018, 0.03, 0.005, 0,
                                 -0.01, -0.03, -0.012, -0.004, 0.01, 0};
static const double jump[] = {0, 0, 0.5, 2.25};
static double swaying[2 * 80001]; /* [time, N] */

/* N = 1e6 (1 + 0.3 sin(6 pi t)), linear between points: to 3e-8. */
static void make_load(void)
{
    for (int i = 0; i <= 80000; i++) {
        swaying[2 * i] = i * 5e-5;
        swaying[2 * i + 1] = 1e6 * (1 + 0.3 * sin(6 * 3.14159265358979323846 * swaying[2 * i]));
    }
}

static const table tables[] = {
    {"mr-damper, constant voltage",
     {"mr-damper", 1, 1, 1, 1, {NUM("voltage", 1.5)}},
     SINE,
     1e-5,
     NULL,
     "r0 s0 s1 work",
     VALUES(mr_constant)},
    {"mr-damper, jump of the voltage",
     {"mr-damper", 1, 1, 1, 1, {ROWS("schedule", jump, 2, 2)}},
     SINE,
     1e-5,
     NULL,
     "r0 work",
     VALUES(mr_jump)},
    {"lead-rubber, isotropic",
     {"lead-rubber", 2, 1, 1, 1, {NUM("yield-force", 120e3), NUM("yield-displacement", 8e-3), NUM("ratio", 0.1)}},
     FIGURE,
     5e-5,
     NULL,
     "r0 r1 work",
     VALUES(lrb_iso)},
    {"lead-rubber, n = 6",
     {"lead-rubber", 2, 1, 1, 1, {NUM("yield-force", 120e3), NUM("yield-displacement", 8e-3), NUM("n", 6)}},
     FIGURE,
     5e-5,
     NULL,
     "r0 r1",
     VALUES(lrb_sharp)},
    {"lead-rubber, park-wen",
     {"lead-rubber", 2, 1, 1, 1, {NUM("yield-force", 120e3), NUM("yield-displacement", 8e-3), WORD("form", "park-wen")}},
     FIGURE,
     5e-5,
     NULL,
     "r0 r1 work",
     VALUES(lrb_park_wen)},
    {"lead-rubber, heating",
     {"lead-rubber",
      1,
      1,
      1,
      1,
      {NUM("yield-force", 120e3), NUM("yield-displacement", 8e-3), NUM("heating", 1), NUM("lead-volume", 0.002)}},
     FIGURE,
     1e-4,
     NULL,
     "r0 s1 work",
     VALUES(lrb_heating)},
    {"friction-pendulum",
     {"friction-pendulum",
      2,
      1,
      1,
      1,
      {ROWS("schedule", swaying, 80001, 2), NUM("radius", 2), NUM("friction", 0.12),
       NUM("friction-high-pressure", 0.06), NUM("friction-slow", 0.04), NUM("rate", 50), NUM("pressure-rate", 1.5e-8),
       NUM("area", 0.05), NUM("yield-displacement", 1e-3)}},
     FIGURE,
     5e-5,
     NULL,
     "r0 r1 s0 s1 work",
     VALUES(pendulum)},
    {"hinge, Clough",
     {"hinge", 1, 1, 1, 1, {NUM("stiffness", 1e7), NUM("yield-force", 1e5), NUM("hardening", 0.05)}},
     TURNS,
     0,
     of_clough,
     "r0 work",
     VALUES(clough)},
    {"hinge, Takeda",
     {"hinge", 1, 1, 1, 1, {NUM("stiffness", 1e7), NUM("yield-force", 1e5), NUM("hardening", 0.05), NUM("unloading", 0.4)}},
     TURNS,
     0,
     of_clough,
     "r0 work",
     VALUES(takeda)},
    {"hinge, shifted target",
     {"hinge", 1, 1, 1, 1, {NUM("stiffness", 1e7), NUM("yield-force", 1e5), NUM("hardening", 0.05), NUM("unloading", 0.5), NUM("reloading", 0.3)}},
     TURNS,
     0,
     of_clough,
     "r0 work",
     VALUES(shifted)},
    {"hinge, target passed",
     {"hinge", 1, 1, 1, 1, {NUM("stiffness", 1e7), NUM("yield-force", 1e5), NUM("hardening", 0.05), NUM("reloading", 0.5)}},
     TURNS,
     0,
     of_limited,
     "r0 work",
     VALUES(limited)},
    {"pivot",
     {"pivot", 1, 1, 1, 1, {NUM("stiffness", 1e7), NUM("yield-force", 1e5), NUM("hardening", 0.05), NUM("alpha", 2), NUM("beta", 0.4)}},
     TURNS,
     0,
     of_pivot,
     "r0 work",
     VALUES(pivot)},
    {"self-centring",
     {"self-centring", 1, 1, 1, 1, {NUM("stiffness", 2e7), NUM("stiffness-after", 1e6), NUM("activation-force", 1e5), NUM("dissipation", 0.8)}},
     TURNS,
     0,
     of_flag,
     "r0 work",
     VALUES(flag)},
    {"bouc-wen-degrading",
     {"bouc-wen-degrading", 1, 1, 1, 1, {NUM("stiffness", 4e6), NUM("alpha", 0.04), NUM("beta", 600), NUM("gamma", 400), NUM("n", 1.5), NUM("strength-degradation", 0.01), NUM("stiffness-degradation", 0.02), NUM("pinching", 0.9), NUM("pinching-rate", 0.8), NUM("psi0", 0.002), NUM("dpsi", 2e-5), NUM("q", 0.1), NUM("yield-force", 4e4), NUM("yield-displacement", 0.01)}},
     GROWING,
     5e-5,
     NULL,
     "r0 s0 s1 work",
     VALUES(degrading)},
    {"brb",
     {"brb", 1, 1, 1, 1, {NUM("stiffness", 1.5e8), NUM("hardening", 2.5e6), NUM("yield-force", 4.5e5), NUM("final-force", 5.5e5), NUM("final-force-compression", 6.2e5), NUM("hardening-travel", 0.05)}},
     GROWING,
     5e-5,
     NULL,
     "r0 s0 s1 work",
     VALUES(brb)},
    {"bingham",
     {"bingham", 1, 1, 1, 1, {NUM("friction-force", 670), NUM("damping", 5000)}},
     SINE,
     1e-5,
     NULL,
     "r0 work",
     VALUES(bingham)},
    {"mr-tanh",
     {"mr-tanh", 1, 1, 1, 1, {NUM("damping", 1200), NUM("stiffness", 800), NUM("amplitude", 600), NUM("slope", 40), NUM("width", 0.3), NUM("offset", -20)}},
     SINE,
     1e-5,
     NULL,
     "r0 work",
     VALUES(mr_tanh)},
};
