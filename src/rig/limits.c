/* SPDX-License-Identifier: MIT */
/* The table of limits, their check at set-up and in a tick: limits.h. */
#include "rig/limits.h"

#include <math.h>
#include <string.h>

#define ALWAYS (~0u)
/* In IDLE there can be no previous measurement, hence no rate. */
#define ARMED (ALWAYS & ~IFD__IN(IDLE))
#define LED (IFD__IN(READY) | IFD__IN(RAMP_IN) | IFD__IN(RUN) | IFD__IN(HOLD) | IFD__IN(RAMP_OUT) | IFD__IN(RETURN))
#define SIMULATES (IFD__IN(RUN) | IFD__IN(HOLD))
#define BOTH(field) offsetof(ifd_limits, field), offsetof(ifd_limits, field)

const ifd__limit ifd__limit_rows[IFD__SEEN] = {
    [IFD__SEEN_POSITION] = {"stroke", "m", IFD_TRIP_POSITION, offsetof(ifd_limits, low), offsetof(ifd_limits, high),
                            ALWAYS},
    [IFD__SEEN_VELOCITY] = {"measured-velocity", "m/s", IFD_TRIP_VELOCITY, BOTH(measured_velocity), ALWAYS},
    [IFD__SEEN_ACCELERATION] = {"measured-acceleration", "m/s2", IFD_TRIP_ACCELERATION, BOTH(measured_acceleration),
                                ALWAYS},
    [IFD__SEEN_FORCE] = {"force", "N", IFD_TRIP_FORCE, BOTH(force), ALWAYS},
    [IFD__SEEN_FORCE_RATE] = {"force-rate", "N/s", IFD_TRIP_FORCE_RATE, BOTH(force_rate), ARMED},
    [IFD__SEEN_TRACKING] = {"tracking", "m", IFD_TRIP_TRACKING, BOTH(tracking), LED},
    [IFD__SEEN_ENERGY] = {"energy", "J", IFD_TRIP_ENERGY, BOTH(energy), SIMULATES},
};

static IFD_RT double field(const ifd_limits *l, size_t at)
{
    double value;
    memcpy(&value, (const char *)l + at, sizeof value);
    return value;
}

bool ifd__limit_broken(const ifd__limit *row, const ifd_limits *l, double value, double *edge)
{
    double high = field(l, row->high), low = row->low == row->high ? -high : field(l, row->low);
    *edge = value > high || row->low == row->high ? high : low;
    return value > high || value < low;
}

void ifd_limits_defaults(ifd_limits *l)
{
    *l = (ifd_limits){.low = -(double)INFINITY,
                      .high = (double)INFINITY,
                      .velocity = (double)INFINITY,
                      .acceleration = (double)INFINITY,
                      .force = (double)INFINITY,
                      .force_rate = (double)INFINITY,
                      .tracking = (double)INFINITY,
                      .energy = (double)INFINITY,
                      .measured_velocity = (double)INFINITY,
                      .measured_acceleration = (double)INFINITY};
}

ifd__bounds ifd__limits_bounds(const ifd_limits *l, double dt)
{
    return (ifd__bounds){l->low, l->high, l->velocity, l->acceleration, dt};
}

/* Limits required for a command. */
static ifd_status check_command(const ifd_limits *l, const char *who, ifd_note *note)
{
    ifd_status status = IFD_OK;
    if (!(l->high > l->low) || !isfinite(l->high) || !isfinite(l->low))
        status =
            ifd_note_add(note, IFD_RANGE, NULL, "%s needs a stroke limit. Without it no command is possible", who);
    if (!(l->velocity > 0.0) || !isfinite(l->velocity))
        status = ifd_note_add(note, IFD_RANGE, NULL, "%s needs a velocity limit", who);
    if (!(l->acceleration > 0.0) || !isfinite(l->acceleration))
        status = ifd_note_add(note, IFD_RANGE, NULL, "%s needs an acceleration limit", who);
    return status;
}

ifd_status ifd__limits_check(const ifd_limits *l, const char *who, unsigned kept, bool real, ifd_note *note)
{
    ifd_status status = check_command(l, who, note);
    for (int i = IFD__SEEN_VELOCITY; i < IFD__SEEN; i++) {
        const ifd__limit *row = &ifd__limit_rows[i];
        double most = field(l, row->high);
        bool needed = real && (i == IFD__SEEN_FORCE || i == IFD__SEEN_TRACKING) && (kept >> i & 1u);
        if (!(most > 0.0))
            status = ifd_note_add(note, IFD_RANGE, NULL,
                                  "%s: the limit '%s' is %g %s, expected a number above zero, or none as "
                                  "ifd_limits_defaults() sets it",
                                  who, row->key, most, row->unit);
        else if (needed && !isfinite(most))
            status = ifd_note_add(note, IFD_MISSING_KEY, NULL,
                                  "%s needs a limit '%s', which a rig that is not virtual requires", who, row->key);
        else if (isfinite(most) && !(kept >> i & 1u))
            status = ifd_note_add(note, IFD_UNSUPPORTED, NULL,
                                  "%s: the limit '%s' is not checked here. Set it for the specimen", who, row->key);
    }
    return status;
}
