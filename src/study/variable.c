/* SPDX-License-Identifier: MIT */
/* `vary`: lists, ranges, files and distributions. */
#include "study/study.h"

#include <glob.h>
#include <math.h>
#include <string.h>

#include "statistics/statistics.h"
#include "text/file.h"

/* Distributions of `vary`, by their quantile functions. */

const ifd__section ifd__study_section_normal = {
    "normal", "normal: normal distribution", "vary.*.normal", "Give `deviation` or `cov`.",
    KEYS(NUMBER("mean", ANY, -1e30, 1e30, "mean"),
         LIMIT("deviation", ANY, -1e30, 1e30, "cov times mean", "standard deviation, greater than 0"),
         LIMIT("cov", NONE, 1e-9, 1e3, "deviation divided by mean",
               "coefficient of variation, instead of the deviation"),
         LIMIT("low", ANY, -1e30, 1e30, "none", "smallest value: the distribution is truncated there"),
         LIMIT("high", ANY, -1e30, 1e30, "none", "largest value"))};

const ifd__section ifd__study_section_lognormal = {
    "lognormal", "lognormal: lognormal distribution", "vary.*.lognormal",
    "Give `median` and `dispersion`, or `mean` and `cov`, where dispersion^2 = ln(1 + cov^2) and median = mean / "
    "sqrt(1 + cov^2).",
    KEYS(LIMIT("median", ANY, 0, 1e30, "from mean and cov", "median, greater than 0"),
         LIMIT("dispersion", NONE, 1e-9, 10, "from mean and cov", "standard deviation of the logarithm"),
         LIMIT("mean", ANY, 0, 1e30, "from median and dispersion", "mean, greater than 0"),
         LIMIT("cov", NONE, 1e-9, 1e3, "from median and dispersion", "coefficient of variation"),
         LIMIT("low", ANY, -1e30, 1e30, "none", "smallest value: the distribution is truncated there"),
         LIMIT("high", ANY, -1e30, 1e30, "none", "largest value"))};

const ifd__section ifd__study_section_uniform = {
    "uniform", "uniform: uniform distribution", "vary.*.uniform", "",
    KEYS(NUMBER("from", ANY, -1e30, 1e30, "smallest value"), NUMBER("to", ANY, -1e30, 1e30, "largest value"))};

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

const ifd__section ifd__study_section_vary = {
    "vary", "vary: what varies", "vary.*",
    "Each variable has a column of its name in the result. A variable has one of the keys list, range, files, "
    "choice, normal, lognormal and uniform. Lists, ranges and files form a grid: every combination is a member, and "
    "the first variable changes slowest. Values of distributions and choices are drawn at random (help sample); "
    "every draw is combined with all points of the grid. A number may have any unit that its key accepts.",
    KEYS(FORM("key", true, "path, or a list of paths", NULL, "key of the case that is set, as in `--set`"),
         {.param = {.name = "as",
                    .shape = IFD_SHAPE_WORD,
                    .words = IFD__APPLIED,
                    .doc = "a factor or an offset acts on the number in the base case"}},
         FORM("list", false, "list of values", NULL, "every value in turn"),
         FORM("range", false, "mapping (help range)", NULL, "equally spaced values"),
         FORM("files", false, "list of file names, or a pattern such as `motions/*.csv`", NULL,
              "every file in turn, relative to the study file"),
         FORM("choice", false, "list of values", NULL, "one of the values, drawn at random with equal probabilities"),
         FORM("normal", false, "mapping (help normal)", NULL, "normal distribution"),
         FORM("lognormal", false, "mapping (help lognormal)", NULL, "lognormal distribution"),
         FORM("uniform", false, "mapping (help uniform)", NULL, "uniform distribution"),
         TEXT("with", false, "every combination with the other lists",
              "name of another variable, whose list advances together with this one"))};

const ifd__section ifd__study_section_range = {
    "range", "range: equally spaced values", "vary.*.range", "",
    KEYS(NUMBER("from", ANY, -1e30, 1e30, "first value"), NUMBER("to", ANY, -1e30, 1e30, "last value"),
         NUMBER("count", NONE, 2, 1e6, "number of values, both ends included"),
         WORD("spacing", "linear|logarithmic", "equal differences or equal ratios"))};

static void read_range(ifd__reader *r, const ifd__node *node, ifd__variable *v)
{
    ifd__fields f;
    int errors = r->note->errors;
    ifd__fields_read(r, node, &ifd__study_section_range, "range", &f);
    int count = ifd__field_whole(r, &f, "count", "range: ");
    double from = ifd__field(&f, "from")->number, to = ifd__field(&f, "to")->number;
    bool ratios = ifd__field_word(&f, "spacing") == 1;
    if (r->note->errors != errors)
        return;
    ifd__same_units(r, node, "from|to");
    if (from == to)
        ifd_note_add(r->note, IFD_RANGE, &ifd__field(&f, "to")->place, "'to' equals 'from': the range is empty");
    if (ratios && !(from * to > 0))
        ifd_note_add(r->note, IFD_RANGE, &ifd__field(&f, "from")->place,
                     "a logarithmic range needs two ends of the same sign, and not 0");
    double *number = ifd_arena_array(r->arena, (size_t)count, sizeof *number);
    for (int i = 0; i < count && number; i++) {
        double share = i / (count - 1.0);
        double between = (from * (count - 1 - i) + to * i) / (count - 1); /* whole numbers remain whole */
        number[i] = i == count - 1 ? to : ratios ? from * pow(to / from, share) : between;
    }
    v->items = number ? count : 0;
    v->number = number;
}

/* Numbers if all items are numbers, otherwise texts of YAML. */
static void read_list(ifd__reader *r, const ifd__node *node, ifd__variable *v)
{
    if (ifd__yaml_expect(node, IFD__SEQUENCE, r->note) != IFD_OK)
        return;
    if (node->count == 0)
        ifd_note_add(r->note, IFD_SHAPE, &node->place, "'%s' is an empty list, expected at least one value",
                     node->key);
    double *number = ifd_arena_array(r->arena, (size_t)node->count, sizeof *number);
    const char **text = ifd_arena_array(r->arena, (size_t)node->count, sizeof *text);
    if (!ifd__in_memory(r, number && text))
        return;
    bool numeric = true;
    for (const ifd__node *i = node->first; i; i = i->next) {
        numeric = numeric && ifd__quantity_of(i, &number[v->items]);
        text[v->items++] = ifd__flow_text(r->arena, i);
    }
    v->number = numeric ? number : NULL;
    v->shown.choices = v->items;
    v->shown.choice = text;
}

static void add_files(ifd__reader *r, const ifd__node *node, const char ***name, int *count)
{
    const char *full = ifd__file_relative(r->arena, &node->place, node->text);
    glob_t found = {0};
    int failed = full ? glob(full, 0, NULL, &found) : GLOB_NOSPACE;
    if (failed) {
        ifd_note_add(r->note, failed == GLOB_NOSPACE ? IFD_NO_MEMORY : IFD_FILE, &node->place,
                     "there is no file '%s'", node->text);
        globfree(&found);
        return;
    }
    const char **more = ifd_arena_array(r->arena, (size_t)*count + found.gl_pathc, sizeof *more);
    if (more && *count)
        memcpy(more, *name, (size_t)*count * sizeof *more);
    for (size_t i = 0; i < found.gl_pathc && more; i++)
        more[(*count)++] = ifd_arena_text(r->arena, found.gl_pathv[i]);
    *name = more ? more : *name;
    globfree(&found);
}

/* A pattern gives its files in alphabetical order. The names of the result are those relative to the study file. */
static void read_files(ifd__reader *r, const ifd__node *node, ifd__variable *v)
{
    const char **path = NULL;
    int count = 0;
    if (node->kind == IFD__SCALAR)
        add_files(r, node, &path, &count);
    else if (node->kind == IFD__MAPPING)
        ifd_note_add(r->note, IFD_SHAPE, &node->place, "'files' is a mapping, expected a list or a pattern");
    else if (node->count == 0)
        ifd_note_add(r->note, IFD_SHAPE, &node->place, "'files' is an empty list, expected at least one file");
    for (const ifd__node *i = node->kind == IFD__SEQUENCE ? node->first : NULL; i; i = i->next)
        if (ifd__yaml_expect(i, IFD__SCALAR, r->note) == IFD_OK)
            add_files(r, i, &path, &count);
    const char **name = ifd_arena_array(r->arena, (size_t)count, sizeof *name);
    const char *folder = strrchr(node->place.file, '/');
    size_t skip = folder ? (size_t)(folder - node->place.file) + 1 : 0;
    if (!ifd__in_memory(r, name))
        return;
    for (int i = 0; i < count; i++)
        name[i] = path[i] ? path[i] + (strncmp(path[i], node->place.file, skip) == 0 ? skip : 0) : "";
    v->items = v->shown.choices = count;
    v->shown.choice = name;
    v->file = path;
}

static void read_distribution(ifd__reader *r, const ifd__node *node, const ifd__distribution *d, ifd__variable *v)
{
    ifd__fields f;
    int errors = r->note->errors;
    ifd__fields_read(r, node, d->section, d->section->topic, &f);
    if (r->note->errors != errors)
        return;
    d->read(r, &f, v->p);
    v->distribution = d;
}

static bool random_kind(const char *key, const ifd__distribution **d)
{
    for (*d = ifd__distributions; (*d)->section; (*d)++)
        if (strcmp((*d)->section->topic, key) == 0)
            return true;
    return false;
}

/* The one key that gives the values. */
static const ifd__node *source_of(ifd__reader *r, const ifd__node *node)
{
    const char *const kinds = "list|range|files|choice|normal|lognormal|uniform";
    const ifd__node *found = NULL;
    for (const ifd__node *i = node->first; i; i = i->next) {
        if (ifd_choice_find(kinds, i->key) < 0)
            continue;
        if (found)
            ifd_note_add(r->note, IFD_CONFLICT, &i->key_place,
                         "variable '%s' has both '%s' and '%s': expected one of them", node->key, found->key, i->key);
        found = i;
    }
    if (!found)
        ifd_note_add(r->note, IFD_MISSING_KEY, &node->place,
                     "variable '%s' needs one of list, range, files, choice, normal, lognormal and uniform",
                     node->key);
    return found;
}

void ifd__variable_read(ifd__reader *r, const ifd__node *node, ifd__variable *v)
{
    ifd__fields f;
    const ifd__distribution *d;
    *v = (ifd__variable){.shown.name = node->key, .place = node->key_place, .with = -1, .dimension = -1};
    ifd__fields_read(r, node, &ifd__study_section_vary, "variable", &f);
    const ifd__node *source = node->kind == IFD__MAPPING ? source_of(r, node) : NULL;
    if (!source)
        return;
    v->source = source;
    const ifd__node *key = ifd__part(&f, "key");
    if (key && ifd__yaml_names(r->arena, key, &v->key, &v->keys, r->note) == IFD_OK && v->keys == 0)
        ifd_note_add(r->note, IFD_SHAPE, &key->place, "'key' is an empty list, expected at least one path");
    v->applied = (ifd__applied)ifd__field_word(&f, "as");
    v->drawn = strcmp(source->key, "choice") == 0;
    if (random_kind(source->key, &d))
        read_distribution(r, source, d, v);
    else if (strcmp(source->key, "range") == 0)
        read_range(r, source, v);
    else if (strcmp(source->key, "files") == 0)
        read_files(r, source, v);
    else
        read_list(r, source, v);
    v->suffix = ifd__unit_suffix(source);
    if (v->applied != IFD__AS_VALUE && v->items && !v->number)
        ifd_note_add(r->note, IFD_CONFLICT, &source->key_place, "'as: %s' needs numbers", ifd__field(&f, "as")->word);
}

double ifd__variable_draw(const ifd__variable *v, double u)
{
    if (!v->drawn)
        return v->distribution->quantile(v->p, u);
    long index = (long)(u * v->items);
    return ifd__variable_item(v, index < v->items ? index : v->items - 1);
}

double ifd__variable_item(const ifd__variable *v, long index)
{
    return v->number ? v->number[index] : (double)index;
}

/* The text of an item of a list, with its unit. */
static const char *item_text(const ifd__variable *v, double value)
{
    for (int i = 0; v->number && v->shown.choice && i < v->items; i++)
        if (v->number[i] == value)
            return v->shown.choice[i];
    return NULL;
}

const char *ifd__variable_setting(ifd_arena *arena, const ifd__variable *v, int k, double value)
{
    int index = value >= 0 && value < v->items ? (int)value : 0;
    if (v->items && !v->number)
        return v->file ? ifd_arena_print(arena, "%s=%s", v->key[k], ifd__quoted(arena, v->file[index]))
                       : ifd_arena_print(arena, "%s=%s", v->key[k], v->shown.choice[index]);
    if (v->applied == IFD__AS_FACTOR)
        return ifd_arena_print(arena, "%s=%.17g%s", v->key[k], v->base[k].number * value, v->base[k].unit);
    if (v->applied == IFD__AS_OFFSET)
        return ifd_arena_print(arena, "%s=%.17g%s", v->key[k], v->base[k].si + value, v->base[k].suffix);
    const char *text = item_text(v, value);
    return text ? ifd_arena_print(arena, "%s=%s", v->key[k], text)
                : ifd_arena_print(arena, "%s=%.17g%s", v->key[k], value, v->suffix ? v->suffix : "");
}
