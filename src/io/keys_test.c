/* SPDX-License-Identifier: MIT */
/* The keys of a specimen and of the test that moves it. */
#include <stddef.h>

#include "io/keys_arm.h"
#include "io/keys_day.h"
#include "io/keys_mounted.h"

const ifd__key ifd__specimen_keys[] = {
    TEXT("name", false, "its kind and number", "for the result and for messages"),
    FORM("parallel", false, "a list of elements (help element)", "one element stands there",
         "several elements as one specimen: their forces add up"),
    FORM("series", false, "{between: [a, b], of: a list of elements}", "one element stands there",
         "elements one behind the other, joined without mass: one force, their deformations add up"),
    TEXT("plugin", false, "none", "beside `element`: the shared object with an element of your own"),
    FORM("estimate", false, "{stiffness, damping}", "zero",
         "what the method may assume of it in its Jacobian; never enters the force"),
    WITHIN("devices", NONE, 1e-6, 1e6, 1, NULL, "how many equal devices the tested one stands for"),
    FORM("limits", false, "a mapping (help limits)", "none; a test needs them", "what must never be exceeded"),
    FORM("actuator", false, "a name, or {name: {parameters}} (help actuator)", "ideal", "of the virtual rig"),
    FORM("compensation", false, "a name, or {name: {parameters}} (help compensation)", "none",
         "of the actuator's delay"),
    FORM("position-sensor", false, "a mapping (help sensor)", "perfect", "of the virtual rig"),
    FORM("force-sensor", false, "a mapping (help sensor)", "perfect", "of the virtual rig"),
    IFD__FORCE_OFFSET_KEY,
    IFD__MOUNTED_KEYS,
    FORM("twin", false, "a mapping (help twin)", "none",
         "of a real rig: what it is like, for `interfield preflight`"),
    END};

const ifd__key ifd__estimate_keys[] = {
    WITHIN("stiffness", STIFFNESS, 0, 1e18, 0, NULL, "between the specimen's two ends"),
    WITHIN("damping", DAMPING, 0, 1e18, 0, NULL, "between the specimen's two ends"), END};

const ifd__key ifd__test_keys[] = {
    FORM("rig", false,
         "virtual, {udp: {...}}, {shm: {...}}, {plugin: {file: ...}}, {opensees-adapter: {...}}, {openfresco: {...}}",
         "virtual", "who moves the specimens"),
    WITHIN("lambda", NONE, 1e-3, 1e6, 1, NULL, "wall clock per simulated time: 1 real time, 50 to 200 pseudodynamic"),
    WITHIN("ticks-per-stage", NONE, 1, 1000, 1, NULL, "exchanges with the rig between two stages of the method"),
    WITHIN("ramp-in", TIME, 1e-6, 86400, 2, NULL, "time to the starting position"),
    WITHIN("settle", TIME, 1e-6, 600, 0.2, NULL, "rest at the end of a ramp"),
    WITHIN("brake", TIME, 1e-6, 3600, 0.2, NULL, "in which hold comes to rest; longer after a slow run"),
    WITHIN("creep", VELOCITY, 1e-9, 1e4, (double)INFINITY, "a tenth of the velocity limit", "of ramp-out"),
    WORD("leave", "stay|start|zero-force",
         "where ramp-out leaves the specimens; a yielded one must not go to its start"),
    WORD("overrun", "hold|extrapolate|stop", "what late ticks do"),
    WITHIN("late-limit", NONE, 1, 1e9, 5, NULL, "late ticks in a row that extrapolate tolerates"),
    WITHIN("stale-limit", NONE, 1, 1e9, 10, "10, and those of 10 ms at least", "silent ticks in a row before a trip"),
    IFD__ARM_KEYS,
    WORD("force-stuck", "noise|bits|off", "a force that stays the same in motion trips: after noise; always; never"),
    WITHIN("error-bound", NONE, 1e-9, 1e6, 0.1, NULL, "rms error that preflight may predict before it warns"),
    {.param = {.name = "allow-resume", .shape = IFD_SHAPE_FLAG, .doc = "after hold, with a rate-dependent specimen"},
     .preset = "no"},
    {.param = {.name = "rate-dependent", .shape = IFD_SHAPE_FLAG, .doc = "the specimens feel velocity"},
     .preset = "no"},
    WORD(
        "limits", "act|observe",
        "observe, on the virtual rig only: what would have tripped, held or been held back is counted, nothing acts"),
    IFD__DAY_KEYS,
    END};
