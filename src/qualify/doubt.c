/* SPDX-License-Identifier: MIT */
/* Sign and size of what the sensors show, from the work in the motions of a characterisation. */
#include <interfield/characterise.h>

#include <math.h>

#include <interfield/virtual.h>

#include "analysis/variant.h"
#include "hybrid/hybrid.h"

static const double certain = 3.0;                        /* standard errors */
static const double least_gain = 0.3333, most_gain = 3.0; /* of the position */

static const char *const texts[] = {
#define ROW(name, text) text,
    IFD_SENSOR_DOUBT_LIST(ROW)
#undef ROW
};

const char *ifd_sensor_doubt_text(ifd_sensor_doubt doubt)
{
    return (unsigned)doubt < IFD_SENSOR_DOUBT_COUNT ? texts[doubt] : "";
}

/* The sign of the work on a specimen without stiffness: damping, else friction. 0: none is seen. */
static double work(const ifd_characterisation *f)
{
    if (fabs(f->damping) > certain * f->damping_error)
        return f->damping;
    return fabs(f->work) > certain * f->work_error ? f->work : 0.0;
}

ifd_sensor_doubt ifd_characterise_doubt(const ifd_characterisation *f, double expected)
{
    double size = fabs(f->slow_gain);
    if (!(size >= least_gain && size <= most_gain))
        return IFD_SENSOR_DOUBT_POSITION_SIZE;
    if (f->slow_gain < 0.0)
        return IFD_SENSOR_DOUBT_POSITION_REVERSED;
    bool stiff = fabs(f->stiffness) > certain * f->stiffness_error;
    double sign = stiff ? (expected < 0.0 ? -f->stiffness : f->stiffness) : work(f);
    return sign < 0.0 ? IFD_SENSOR_DOUBT_FORCE_REVERSED : IFD_SENSOR_DOUBT_NONE;
}

double ifd_characterise_expected(const ifd_hybrid_options *test, const ifd_laboratory *laboratory, int interface)
{
    double damping, stiffness = ifd__estimate_of(test, &test->interface[interface], &damping);
    const ifd_virtual_channel bench = ifd__bench_of(test, laboratory, interface);
    if (stiffness == 0.0 && !ifd__specimen_tangent(&bench, &stiffness, &damping))
        stiffness = 0.0;
    return stiffness;
}
