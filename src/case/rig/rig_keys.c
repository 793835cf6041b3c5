/* SPDX-License-Identifier: MIT */
/* The keys that rig.c reads. */
#include "case/keys.h"

static const ifd__key test_keys[] = {
    FORM("rig", false,
         "virtual, {udp: {...}}, {shm: {...}}, {plugin: {file: ...}}, {opensees-adapter: {...}}, {openfresco: {...}}",
         "virtual", "rig that moves the specimens"),
    FORM("rigs", false, "list (help rigs)", "one rig",
         "several rigs, instead of 'rig', each with some of the specimens"),
    WITHIN("lambda", NONE, 1e-3, 1e6, 1, NULL,
           "wall-clock time per simulated time: 1 is real time, 50 to 200 is pseudodynamic"),
    WITHIN("ticks-per-stage", NONE, 1, 1000, 1, NULL, "exchanges with the rig between two stages of the method"),
    WITHIN("ramp-in", TIME, 1e-6, 86400, 2, NULL, "duration of the ramp to the starting position"),
    WITHIN("settle", TIME, 1e-6, 600, 0.2, NULL, "rest at the end of a ramp"),
    WITHIN("brake", TIME, 1e-6, 3600, 0.2, NULL,
           "time in which hold brings the specimens to rest; longer at a large lambda"),
    WITHIN("creep", VELOCITY, 1e-9, 1e4, (double)INFINITY, "a tenth of the velocity limit", "velocity of ramp-out"),
    WORD("leave", "stay|start|zero-force",
         "end of ramp-out: present position, starting position or zero force; a yielded specimen must not return to "
         "its start"),
    {.param = {.name = "overrun",
               .shape = IFD_SHAPE_WORD,
               .words = "hold|extrapolate|stop",
               .doc = "reaction to late ticks"},
     .preset = "hold; virtual rig: extrapolate"},
    WITHIN("late-after", TIME, 1e-7, 3600, 0, "half a tick, or what a bus with SYNC0 permits if that is less",
           "a tick that starts later than this is late"),
    WITHIN("late-for", TIME, 1e-6, 1e6, 0, "5 ms, 3 ticks or more; virtual rig: 0.4 s",
           "duration of late ticks in a row that extrapolate tolerates"),
    WITHIN("stale-for", TIME, 1e-6, 1e6, 0, "10 ms, 10 ticks or more",
           "time without a measurement or an acknowledged command before a trip"),
    WITHIN("stale-share", NONE, 1e-6, 1, 0.05, "5 %",
           "permitted fraction of ticks without a new measurement: of the last second, for arming, and of the run, "
           "above which the exit status is 3; not with elastic"),
    WITHIN("frozen-for", TIME, 1e-6, 1e6, 0, "0.2 s, 20 ticks or more",
           "time with an unchanged position or force during motion before a trip"),
    WITHIN("arm-timeout", TIME, 0.01, 1e6, 60, NULL, "time after which a test that cannot be armed ends"),
    WITHIN("arm-samples", NONE, 2, 1e6, 10, "10, or those of 0.1 s if more",
           "measured positions in a row that must agree before a test is armed"),
    WITHIN("arm-spread", NONE, 1e-6, 0.1, 0.005, NULL,
           "permitted scatter of these positions, as a fraction of the stroke"),
    WORD("force-stuck", "noise|bits|off",
         "trip at an unchanged force during motion: noise: if the force had noise before; bits: always; off: never"),
    WITHIN("error-bound", NONE, 1e-9, 1e6, 0.1, NULL, "predicted rms error above which preflight warns"),
    WITHIN("hold-relaxation", NONE, 1e-6, 1, 0, "unlimited",
           "largest relative change of a force during hold; above it, resume is refused"),
    {.param = {.name = "allow-resume",
               .shape = IFD_SHAPE_FLAG,
               .doc = "permits resume after hold with a rate-dependent specimen"},
     .preset = "no"},
    {.param = {.name = "rate-dependent",
               .shape = IFD_SHAPE_FLAG,
               .doc = "whether the force of a specimen depends on its velocity"},
     .preset = "as the elements of the specimens"},
    WORD("limits", "act|observe",
         "observe, on the virtual rig only: violations of limits are counted and have no effect"),
    TEXT("operator", false, "none", "operator of the test, for the record"),
    TEXT("specimen-id", false, "none", "identifier of the tested specimen, for the record"),
    TEXT("notes", false, "none", "notes, for the record"),
    WITHIN(
        "scale", NONE, 1e-9, 1e6, 1, NULL,
        "factor on ground and support motions, loads and initial state, for example for a shakedown; preload is not "
        "scaled"),
    FORM("preload", false, "yes, no, or a mapping (help preload)", "no",
         "starts the test in static equilibrium with the constant loads"),
    WITHIN("checkpoint-every", TIME, 1e-3, 1e7, (double)INFINITY, "on hold and on order only",
           "interval of checkpoints in wall-clock time, from which --continue resumes"),
    WITHIN("missed-deadlines", NONE, 0, 1e15, INFINITY, "any number",
           "late ticks that a completed test may have; above it the exit status is 3 (help exit)"),
    WORD("pace", "own|rig",
         "clock of the ticks: of this computer, or of a rig that has one; the test then follows its samples"),
    TEXT("start-at", false, "as soon as the rig is ready",
         "instant of t = 0 in UTC, such as 2026-11-20T10:00:00Z, or next:10s for the next multiple of 10 s"),
    WITHIN("start-tolerance", TIME, 1e-9, 10, 1e-4, NULL,
           "largest error of the clock of this computer, as its kernel estimates it, for start-at"),
    WORD("start-clock", "synchronised|realtime",
         "synchronised: start-at is refused unless the kernel reports a synchronised clock; realtime: any clock"),
    TEXT("stop-chain", false, "CASE.stop-chain.json beside the case",
         "file with the proofs of the stop chain (rig-check --stop, --kill), which several cases can share"),
    WITHIN("stop-chain-days", NONE, 1, 366, 30, NULL, "days for which a proof of the stop chain is valid"),
    {.param = {.name = "stop-keeps-power",
               .shape = IFD_SHAPE_FLAG,
               .doc = "the emergency stop brakes the rig, but leaves power or pressure on"},
     .preset = "no"},
    FORM("checklist", false, "list of lines", "none",
         "lines that the operator of a real rig answers after arm, before run: [fence closed and empty, crane away]"),
    WITHIN("second-person", NONE, 0, 1e6, INFINITY, "never",
           "scale from which on a second person confirms the run of a real rig (confirm NAME)"),
    FORM("monitor", false, "yes, no, or a mapping (help monitor)", "no",
         "observers of stability that note, slow down, hold or trip the test"),
    FORM("thresholds", false, "mapping (help thresholds)", "of the certificate",
         "numbers of preflight for `monitor`, which a test writes into its record"),
    {.param = {.name = "characterised-stiffness",
               .shape = IFD_SHAPE_LIST,
               .doc = "measured stiffness of each specimen, one device, N/m or N m/rad (0: unknown), which a test "
                      "writes into its record"},
     .preset = "of the characterisation"},
    {.param = {.name = "characterised-loss",
               .shape = IFD_SHAPE_LIST,
               .doc = "measured loss of each specimen at rest, N or N m, which a test writes into its record"},
     .preset = "of the characterisation"},
    {.param = {.name = "burst-velocity",
               .shape = IFD_SHAPE_LIST,
               .doc = "peak velocity of a burst of each specimen, m/s or rad/s (0: none), which `interfield "
                      "characterise` writes into its second record"},
     .preset = "of the characterisation"},
    {.param = {.name = "burst-frequency",
               .shape = IFD_SHAPE_LIST,
               .doc = "frequency of these bursts, Hz, which `interfield characterise` writes into its second record"},
     .preset = "of the characterisation"},
    FORM("elastic", false, "mapping (help elastic)", "simulated time has a constant rate",
         "simulated time waits for a rig far away whose answers are late"),
    FORM("characterise", false, "mapping (help characterise)", "defaults", "motions of `interfield characterise`"),
    END};
const ifd__section ifd__section_test = {
    "test",
    "test: rig, time scale and tolerances",
    "test",
    "`interfield test` moves the specimens on a rig, tick by tick, within their limits. `interfield run` computes "
    "the same case with ideal specimens. The virtual rig is part of the program; udp and shm connect to `interfield "
    "rig`.",
    test_keys,
    "test:\n"
    "  rig: virtual\n"
    "  lambda: 1\n"
    "  ticks-per-stage: 2\n"
    "  ramp-in: 3 s\n"
    "  settle: 0.5 s\n"
    "  brake: 0.3 s\n"
    "  creep: 5 mm/s\n"
    "  leave: zero-force\n"
    "  overrun: hold\n"
    "  late-after: 0.3 ms\n"
    "  late-for: 5 ms\n"
    "  stale-for: 20 ms\n"
    "  stale-share: 2 %\n"
    "  frozen-for: 0.3 s\n"
    "  arm-timeout: 30 s\n"
    "  arm-samples: 100\n"
    "  arm-spread: 0.002\n"
    "  force-stuck: noise\n"
    "  error-bound: 0.05\n"
    "  hold-relaxation: 0.1\n"
    "  allow-resume: yes\n"
    "  rate-dependent: yes\n"
    "  limits: act\n"
    "  characterised-stiffness: [1.02e6]\n"
    "  characterised-loss: [120]\n"
    "  burst-velocity: [0.27]\n"
    "  burst-frequency: [6.5]\n"
    "  operator: A. Lovelace\n"
    "  specimen-id: B-17\n"
    "  notes: second test of this bearing\n"
    "  scale: 0.25\n"
    "  checkpoint-every: 60 s\n"
    "  missed-deadlines: 3\n"
    "  pace: own\n"
    "  start-at: 2026-11-20T10:00:00Z\n"
    "  start-tolerance: 50 us\n"
    "  start-clock: synchronised\n"
    "  stop-chain: laboratory.stop-chain.json\n"
    "  stop-chain-days: 14\n"
    "  checklist: [fence closed and empty, crane away]\n"
    "  second-person: 0.5\n"
    "  stop-keeps-power: no\n"};

static const ifd__key limits_keys[] = {
    WITHIN("stroke", LENGTH, 1e-9, 1e3, 0, "low and high",
           "permitted positions are -stroke to stroke; alternative: low and high. For a rotation, lengths are angles "
           "and forces are moments"),
    WITHIN("low", LENGTH, -1e3, 1e3, 0, "-stroke", "lower limit of the position"),
    WITHIN("high", LENGTH, -1e3, 1e3, 0, "stroke", "upper limit of the position"),
    NUMBER("velocity", VELOCITY, 1e-9, 1e4, "limit of the command"),
    NUMBER("acceleration", ACCELERATION, 1e-9, 1e6, "limit of the command"),
    LIMIT("force", FORCE, 1e-9, 1e12, "none; required unless the rig is virtual",
          "limit of the measured force; trips"),
    LIMIT("force-rate", ANY, 1e-9, 1e15, "none", "limit of the rate of the measured force, in N/s; trips"),
    LIMIT("tracking", LENGTH, 1e-9, 1e3, "none; required unless the rig is virtual",
          "limit of the tracking error; trips"),
    LIMIT("energy", ENERGY, 1e-12, 1e15, "none", "limit of the energy that the tracking error adds; holds"),
    LIMIT("measured-velocity", VELOCITY, 1e-9, 1e5, "none",
          "limit of the value derived from the measured position; trips"),
    LIMIT("measured-acceleration", ACCELERATION, 1e-9, 1e7, "none",
          "limit of the value derived from the measured position; trips"),
    END};
const ifd__section ifd__section_limits = {
    "limits",
    "limits: limits of an actuator",
    "specimen.limits",
    "Each limit of a measured value may have two levels: `force: {warn: 45 kN, trip: 60 kN, action: trip}`. Beyond "
    "`warn` the fault NEAR is noted, or with `warn-action: hold` the test holds. `action` is trip or power-off "
    "(trip, and the drives lose their power at once); for energy hold, ramp-out or trip.",
    limits_keys,
    "specimen:\n"
    "  - name: bearing\n"
    "    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
    "    limits:\n"
    "      stroke: 250 mm\n"
    "      velocity: 1 m/s\n"
    "      acceleration: 20 m/s2\n"
    "      force: 1.5 MN\n"
    "      force-rate: 50e6\n"
    "      tracking: 5 mm\n"
    "      energy: 2 kJ\n"
    "      measured-velocity: 1.2 m/s\n"
    "      measured-acceleration: 40 m/s2\n"
    "\n"
    "specimen:\n"
    "  - name: bearing\n"
    "    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
    "    limits: {low: -50 mm, high: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2}\n"
    "\n"
    "specimen:\n"
    "  - name: bearing\n"
    "    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
    "    limits:\n"
    "      stroke: {warn: 240 mm, trip: 250 mm}\n"
    "      velocity: 1 m/s\n"
    "      acceleration: 20 m/s2\n"
    "      force: {warn: 1.2 MN, trip: 1.5 MN, action: power-off, warn-action: hold}\n"
    "      energy: {trip: 2 kJ, action: ramp-out}\n"};

static const ifd__key capacity_keys[] = {
    WITHIN("stroke", LENGTH, 1e-9, 1e3, (double)INFINITY, "not stated", "largest position, in both directions"),
    WITHIN("force", FORCE, 1e-9, 1e12, (double)INFINITY, "not stated", "largest force, in both directions"), END};
const ifd__section ifd__section_capacity = {
    "capacity",
    "capacity: what a specimen tolerates",
    "specimen.capacity",
    "A limit trips at its value, and the actuator then comes to rest farther on. Preflight compares position and "
    "force at rest with these numbers (docs/preflight.md, stopping).",
    capacity_keys,
    "specimen:\n"
    "  - name: bearing\n"
    "    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
    "    limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 1.5 MN}\n"
    "    capacity: {stroke: 300 mm, force: 2 MN}\n"};

const ifd__section ifd__section_actuator = {
    "actuator",
    "actuator: actuators of the virtual rig",
    "specimen.actuator",
    "",
    ifd__no_keys,
    "specimen:\n"
    "  - name: bearing\n"
    "    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
    "    actuator: {delay: {delay: 12 ms}}\n"
    "    limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 1.5 MN, tracking: 5 mm}\n"
    "test: {rig: virtual}\n"};

const ifd__section ifd__section_compensation = {
    "compensation",
    "compensation: delay compensation",
    "specimen.compensation",
    "",
    ifd__no_keys,
    "specimen:\n"
    "  - name: bearing\n"
    "    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
    "    compensation: {polynomial: {delay: 12 ms}}\n"
    "    limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 1.5 MN, tracking: 5 mm}\n"
    "test: {rig: virtual}\n"};

const ifd__section ifd__section_sensor = {
    "sensor",
    "sensor: sensors of the virtual rig",
    "specimen.force-sensor",
    "",
    ifd__no_keys,
    "specimen:\n"
    "  - name: bearing\n"
    "    spring: {between: [ground, x1], stiffness: 4 MN/m}\n"
    "    position-sensor: {noise: 2 um, seed: 3}\n"
    "    force-sensor:\n"
    "      gain: 1.01\n"
    "      bias: 20 N\n"
    "      drift: 0.1\n"
    "      noise: 50 N\n"
    "      seed: 7\n"
    "      resolution: 10 N\n"
    "      range: 1 MN\n"
    "      dropout: 0.001\n"
    "      stuck-from: 5 s\n"
    "      stuck-for: 0.1 s\n"
    "      filter: 200 Hz\n"
    "      lag: 1 ms\n"
    "    limits: {stroke: 250 mm, velocity: 1 m/s, acceleration: 20 m/s2, force: 1.5 MN, tracking: 5 mm}\n"
    "test: {rig: virtual}\n"};
