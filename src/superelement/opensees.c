/* SPDX-License-Identifier: MIT */
/* A superelement as a Tcl script of OpenSees. Every dof is a node with one dof, number 0 is the fixed ground. A
 * symmetric matrix is a network: element (i, j) of M, C and K is an inerter, dashpot and spring of the opposite sign
 * between two nodes, and the sum of a row is one to the ground. Some are negative; the matrices are those of the
 * superelement. Nodes have no mass, so that UniformExcitation of other elements does not load the superelement. */
#include "superelement/stored.h"

#include <stdio.h>
#include <string.h>

static const char COMMANDS[] =
    "if {![info exists superelement_first]} {set superelement_first 1}\n"
    "set superelement_element $superelement_first\n"
    "array unset superelement_node\n"
    "array unset superelement_row\n"
    "array unset superelement_input\n"
    "model basic -ndm 1 -ndf 1\n"
    "\n"
    "# inertance, damping and stiffness between two nodes\n"
    "proc superelement_tie {i j m c k} {\n"
    "    global superelement_first superelement_element\n"
    "    set ends [list [expr {$superelement_first + $i}] [expr {$superelement_first + $j}]]\n"
    "    if {$m != 0 || $c != 0} {\n"
    "        eval element inerter $superelement_element $ends -dir 1 -inertance $m -damp $c\n"
    "        incr superelement_element\n"
    "    }\n"
    "    if {$k != 0} {\n"
    "        uniaxialMaterial Elastic $superelement_element $k\n"
    "        eval element zeroLength $superelement_element $ends -mat $superelement_element -dir 1\n"
    "        incr superelement_element\n"
    "    }\n"
    "}\n"
    "# {node factor node factor ...} of an input or a watched row\n"
    "proc superelement_factors {what name} {\n"
    "    upvar #0 superelement_$what list\n"
    "    if {![info exists list($name)]} {\n"
    "        error \"the superelement has no $what '$name'; it has [lsort [array names list]]\"\n"
    "    }\n"
    "    return $list($name)\n"
    "}\n"
    "# load pattern of an input: 'ground x' with a time series of acceleration, a dof with one of force\n"
    "proc superelement_load {pattern series name} {\n"
    "    global superelement_first\n"
    "    set loads {}\n"
    "    foreach {i factor} [superelement_factors input $name] {\n"
    "        append loads \"load [expr {$superelement_first + $i}] $factor; \"\n"
    "    }\n"
    "    pattern Plain $pattern $series $loads\n"
    "}\n"
    "# value of an interface dof or a watched row; command: nodeDisp, nodeVel or nodeAccel\n"
    "proc superelement_value {name {command nodeDisp}} {\n"
    "    global superelement_first\n"
    "    set sum 0.0\n"
    "    foreach {i factor} [superelement_factors row $name] {\n"
    "        set sum [expr {$sum + $factor * [$command [expr {$superelement_first + $i}] 1]}]\n"
    "    }\n"
    "    return $sum\n"
    "}\n";

static const char EXAMPLE[] =
    "\n"
    "# Example. Tags of nodes, elements and materials begin with superelement_first (1 if it is not set). The nodes\n"
    "# of the superelement have one dof; equalDOF_Mixed connects a dof of another node with an interface dof.\n"
    "# Motion is relative to the ground. The command 'model' deletes materials and time series that exist before.\n"
    "#\n"
    "#     set superelement_first 100001\n"
    "#     source FILE\n"
    "#     model basic -ndm 3 -ndf 6\n"
    "#     ... nodes and elements of your own; node 5 has the interface dof as its dof 1:\n"
    "#     equalDOF_Mixed $superelement_node(NAME) 5 1 1 1\n"
    "#     timeSeries Path 1 -dt 0.01 -filePath acceleration.txt;   # m/s2\n"
    "#     superelement_load 1 1 {ground x}\n"
    "#     pattern UniformExcitation 2 1 -accel 1;                  # masses of your own elements\n"
    "#     constraints Transformation\n"
    "#     numberer RCM\n"
    "#     system UmfPack\n"
    "#     algorithm Linear;                                        # Newton with nonlinear elements\n"
    "#     integrator Newmark 0.5 0.25\n"
    "#     analysis Transient\n"
    "#     recorder Node -file interface.out -time -node $superelement_node(NAME) -dof 1 disp\n"
    "#     analyze 1000 0.01\n"
    "#     puts [superelement_value NAME]\n"
    "#     puts [eigen -fullGenLapack 10];                          # squares of circular frequencies\n";

/* Element (i, j) of the matrices of a superelement. */
typedef struct network {
    const ifd_superelement *s;
    int modal;       /* rows of modal damping, */
    const double *Z; /* order each: C has Z Z^T */
} network;

typedef struct triple {
    double m, c, k;
} triple;

static triple entry(const network *n, int i, int j)
{
    const ifd__physical *f = &n->s->element.form;
    int p = f->interfaces, low = i < j ? i : j, high = i < j ? j : i;
    triple t = {0};
    if (high < p) {
        t.m = 0.5 * (f->mass[low + high * p] + f->mass[high + low * p]);
        t.k = 0.5 * (f->stiffness[low + high * p] + f->stiffness[high + low * p]);
        t.c = n->s->damping[low + high * p];
    } else if (low < p)
        t.m = f->coupling[low + (high - p) * p];
    else if (low == high)
        t = (triple){.m = 1.0, .k = f->lambda[low - p]};
    t.c += n->s->ray_m * t.m + n->s->ray_k * t.k;
    for (size_t l = 0, r = (size_t)f->order; l < (size_t)n->modal; l++)
        t.c += n->Z[l * r + (size_t)i] * n->Z[l * r + (size_t)j];
    return t;
}

static void put_tie(FILE *file, int i, int j, triple t)
{
    if (t.m != 0.0 || t.c != 0.0 || t.k != 0.0)
        fprintf(file, "superelement_tie %d %d %.17g %.17g %.17g\n", i, j, t.m, t.c, t.k);
}

/* Row by row: the ties to later nodes, then that to the ground. */
static void put_network(FILE *file, const network *n)
{
    int r = n->s->element.form.order;
    for (int i = 0; i < r; i++) {
        triple sum = {0};
        for (int j = 0; j < r; j++) {
            triple t = entry(n, i, j);
            sum = (triple){sum.m + t.m, sum.c + t.c, sum.k + t.k};
            if (j > i)
                put_tie(file, i + 1, j + 1, (triple){0.0 - t.m, 0.0 - t.c, 0.0 - t.k});
        }
        put_tie(file, 0, i + 1, sum);
    }
}

/* A word of Tcl. */
static void put_word(FILE *file, const char *name)
{
    for (const char *c = name; *c; c++)
        if (*c == '\n')
            fputs("\\n", file);
        else
            fprintf(file, strchr(" \t\r{}[]()$\";\\", *c) ? "\\%c" : "%c", *c);
}

/* Column c of T^T W under a name; that of an interface dof is a unit vector. */
static void put_column(FILE *file, const ifd_superelement *s, const char *what, int c, const char *name)
{
    int r = s->element.form.order, p = s->element.form.interfaces;
    const double *value = s->element.form.P + (size_t)c * (size_t)r;
    fprintf(file, "set superelement_%s(", what);
    put_word(file, name);
    fputs(") {", file);
    if (c < p)
        fprintf(file, "%d 1", c + 1);
    for (int i = 0; i < r && c >= p; i++)
        if (value[i] != 0.0)
            fprintf(file, "%d %.17g ", i + 1, value[i]);
    fputs("}\n", file);
}

/* Nodes of the interface dofs, inputs and watched rows; returns how many inputs are left out. */
static int put_columns(FILE *file, const ifd_superelement *s)
{
    int p = s->element.form.interfaces, left = 0;
    for (int c = 0; c < ifd__stored_columns(s) - ifd__stored_modal(s); c++) {
        const char *name = ifd__stored_dof(s, c);
        bool row = strncmp(s->label[c], "row ", 4) == 0, ground = strncmp(s->label[c], "ground ", 7) == 0;
        if (c < p) {
            fputs("set superelement_node(", file);
            put_word(file, name);
            fprintf(file, ") [expr {$superelement_first + %d}]\n", c + 1);
        }
        if (name || ground)
            put_column(file, s, "input", c, name ? name : s->label[c]);
        if (name || row)
            put_column(file, s, "row", c, name ? name : s->label[c] + 4);
        left += strncmp(s->label[c], "support ", 8) == 0 || strncmp(s->label[c], "initial ", 8) == 0;
    }
    return left;
}

static void put_head(FILE *file, const ifd_superelement *s, const ifd_superelement_check *check)
{
    const ifd__certificate *b = &s->element.certificate;
    fprintf(file,
            "# Superelement of interfield for OpenSees (element inerter: 3.0 or later). Units: N, m, kg, s, rad.\n"
            "# full structure: %d dofs, hash of its matrices %016llx\n"
            "# superelement: %d dofs, of which %d are interface dofs\n"
            "# error of a transfer function: at most %.3g of its peak up to %g Hz (largest at %.4g Hz)%s\n",
            s->full, (unsigned long long)s->matrices, s->element.form.order, s->element.form.interfaces, b->bound,
            s->frequency, b->frequency, b->bound > 1.0 ? ": its accuracy is not proven" : "");
    if (check)
        fprintf(file, "# compared with the full model: %ld steps of %g s, largest difference %.3g of the peak\n",
                check->steps, check->step, check->difference);
}

static void put_script(FILE *file, const ifd_superelement *s, const ifd_superelement_check *check)
{
    int r = s->element.form.order, modal = ifd__stored_modal(s);
    const network n = {s, modal, s->element.form.P + (size_t)(ifd__stored_columns(s) - modal) * (size_t)r};
    put_head(file, s, check);
    fputs(EXAMPLE, file);
    fputs("\n", file);
    fputs(COMMANDS, file);
    fprintf(file,
            "\nfor {set i 0} {$i <= %d} {incr i} {node [expr {$superelement_first + $i}] 0.0}\n"
            "fix $superelement_first 1\n\n",
            r);
    put_network(file, &n);
    fputs("\n", file);
    int left = put_columns(file, s);
    if (left)
        fprintf(file, "# Not in this script: %d inputs of moving supports and of the initial state.\n", left);
}

ifd_status ifd_superelement_opensees(const ifd_superelement *s, const ifd_superelement_check *check, const char *path,
                                     ifd_note *note)
{
    FILE *file = fopen(path, "wx");
    bool good = file != NULL;
    if (file) {
        put_script(file, s, check);
        good = !ferror(file);
        good = fclose(file) == 0 && good;
    }
    if (good)
        return IFD_OK;
    return ifd_note_advise(note, IFD_FILE, NULL, "an existing file is not overwritten",
                           "the script for OpenSees could not be written to '%s'", path);
}
