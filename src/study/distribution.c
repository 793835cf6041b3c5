/* SPDX-License-Identifier: MIT */
/* Distributions of `vary`, by their quantile functions. */
#include <math.h>
#include <string.h>

#include "statistics/statistics.h"
#include "study/variable.h"

static const ifd__key normal_keys[] = {
    NUMBER("mean", ANY, -1e30, 1e30, "mean"),
    LIMIT("deviation", ANY, -1e30, 1e30, "cov times mean", "standard deviation, greater than 0"),
    LIMIT("cov", NONE, 1e-9, 1e3, "deviation divided by mean", "coefficient of variation, instead of the deviation"),
    LIMIT("low", ANY, -1e30, 1e30, "none", "smallest value: the distribution is truncated there"),
    LIMIT("high", ANY, -1e30, 1e30, "none", "largest value"),
    END};
const ifd__section ifd__study_section_normal = {
    "normal", "normal: normal distribution", "vary.*.normal",
    "Give `deviation` or `cov`. A truncated distribution has the density of the normal one between its limits.",
    normal_keys};

static const ifd__key lognormal_keys[] = {
    LIMIT("median", ANY, 0, 1e30, "from mean and cov", "median, greater than 0"),
    LIMIT("dispersion", NONE, 1e-9, 10, "from mean and cov", "standard deviation of the logarithm"),
    LIMIT("mean", ANY, 0, 1e30, "from median and dispersion", "mean, greater than 0"),
    LIMIT("cov", NONE, 1e-9, 1e3, "from median and dispersion", "coefficient of variation"),
    LIMIT("low", ANY, -1e30, 1e30, "none", "smallest value: the distribution is truncated there"),
    LIMIT("high", ANY, -1e30, 1e30, "none", "largest value"),
    END};
const ifd__section ifd__study_section_lognormal = {
    "lognormal", "lognormal: lognormal distribution", "vary.*.lognormal",
    "Give `median` and `dispersion`, or `mean` and `cov`. dispersion^2 = ln(1 + cov^2), median = mean / "
    "sqrt(1 + cov^2).",
    lognormal_keys};

static const ifd__key uniform_keys[] = {NUMBER("from", ANY, -1e30, 1e30, "smallest value"),
                                        NUMBER("to", ANY, -1e30, 1e30, "largest value"), END};
const ifd__section ifd__study_section_uniform = {"uniform", "uniform: uniform distribution", "vary.*.uniform", "",
                                                 uniform_keys};

/* p: location, scale, probabilities below low and below high. */
static void read_limits(ifd__reader *r, const ifd__fields *f, double p[4], bool logarithm)
{
    const ifd_value *low = ifd__field(f, "low"), *high = ifd__field(f, "high");
    double a = low->given ? low->number : -(double)INFINITY, b = high->given ? high->number : (double)INFINITY;
    if (!(a < b)) {
        ifd_note_add(r->note, IFD_RANGE, &high->place, "'high' is %g, expected a number above 'low', %g", b, a);
        return;
    }
    double za = logarithm ? (a > 0 ? log(a) : -(double)INFINITY) : a,
           zb = logarithm ? (b > 0 ? log(b) : -(double)INFINITY) : b;
    p[2] = ifd__normal_probability((za - p[0]) / p[1]);
    p[3] = ifd__normal_probability((zb - p[0]) / p[1]);
    if (!(p[3] - p[2] > 1e-9))
        ifd_note_add(r->note, IFD_RANGE, &f->map->place,
                     "the limits leave a probability of %.3g of the distribution, expected more than 1e-9",
                     p[3] - p[2]);
}

/* Both or none, exactly one of two pairs. */
static bool one_of(ifd__reader *r, const ifd__fields *f, const char *a, const char *b)
{
    const ifd_value *x = ifd__field(f, a), *y = ifd__field(f, b);
    if (x->given == y->given)
        ifd_note_add(r->note, x->given ? IFD_CONFLICT : IFD_MISSING_KEY, x->given ? &y->place : &f->map->place,
                     "'%s' needs either '%s' or '%s'", f->section->topic, a, b);
    return x->given != y->given;
}

static void positive(ifd__reader *r, const ifd_value *v, const char *name, double number)
{
    if (!(number > 0))
        ifd_note_add(r->note, IFD_RANGE, &v->place, "'%s' is %g, expected a number above 0", name, number);
}

static void read_normal(ifd__reader *r, const ifd__fields *f, double p[4])
{
    ifd__same_units(r, f->map, "mean|deviation|low|high");
    if (!one_of(r, f, "deviation", "cov"))
        return;
    const ifd_value *deviation = ifd__field(f, "deviation"), *cov = ifd__field(f, "cov");
    p[0] = ifd__field(f, "mean")->number;
    p[1] = deviation->given ? deviation->number : fabs(p[0]) * cov->number;
    positive(r, deviation->given ? deviation : ifd__field(f, "mean"), deviation->given ? "deviation" : "mean", p[1]);
    if (p[1] > 0)
        read_limits(r, f, p, false);
}

static void read_lognormal(ifd__reader *r, const ifd__fields *f, double p[4])
{
    ifd__same_units(r, f->map, "median|mean|low|high");
    if (!one_of(r, f, "median", "mean") || !one_of(r, f, "dispersion", "cov"))
        return;
    const ifd_value *median = ifd__field(f, "median"), *mean = ifd__field(f, "mean");
    bool by_mean = mean->given;
    if (by_mean == ifd__field(f, "dispersion")->given) {
        ifd_note_add(r->note, IFD_CONFLICT, &f->map->place,
                     "'lognormal' needs median and dispersion, or mean and cov");
        return;
    }
    double centre = by_mean ? mean->number : median->number, cov = ifd__field(f, "cov")->number;
    positive(r, by_mean ? mean : median, by_mean ? "mean" : "median", centre);
    if (!(centre > 0))
        return;
    p[0] = log(by_mean ? centre / sqrt(1 + cov * cov) : centre);
    p[1] = by_mean ? sqrt(log1p(cov * cov)) : ifd__field(f, "dispersion")->number;
    read_limits(r, f, p, true);
}

static void read_uniform(ifd__reader *r, const ifd__fields *f, double p[4])
{
    ifd__same_units(r, f->map, "from|to");
    p[0] = ifd__field(f, "from")->number;
    p[1] = ifd__field(f, "to")->number;
    if (!(p[0] < p[1]))
        ifd_note_add(r->note, IFD_RANGE, &ifd__field(f, "to")->place,
                     "'to' is %g, expected a number above 'from', %g", p[1], p[0]);
}

static double normal_quantile(const double p[4], double u)
{
    return p[0] + p[1] * ifd__normal_quantile(p[2] + u * (p[3] - p[2]));
}

static double lognormal_quantile(const double p[4], double u)
{
    return exp(normal_quantile(p, u));
}

static double uniform_quantile(const double p[4], double u)
{
    return p[0] + u * (p[1] - p[0]);
}

const ifd__distribution ifd__distributions[] = {{&ifd__study_section_normal, read_normal, normal_quantile},
                                                {&ifd__study_section_lognormal, read_lognormal, lognormal_quantile},
                                                {&ifd__study_section_uniform, read_uniform, uniform_quantile},
                                                {NULL, NULL, NULL}};
