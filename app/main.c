/* SPDX-License-Identifier: MIT */
/* The interfield program: one table of commands. */
#include "app.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/version.h>

#define OPTION_OUT                                                                                                   \
    {                                                                                                                \
        "--out", "DIR", "the folder of the result; without it runs/<case>-NNN with the next free number"             \
    }

/* Of everything that ticks and keeps a record. */
#define OPTIONS_OF_TESTS                                                                                             \
    {"--core", "N", "keeps the tick on one core (any)"},                                                             \
        {"--priority", "P", "of the tick's thread, 1 to 99; 0 for an ordinary one (80)"},                            \
        {"--deadline", NULL, "asks for a reserved share of every period (SCHED_DEADLINE) before anything else"},     \
        {"--live", "[PORT]", "serves a page that shows the test in browsers (8765; 0 for any free port)"},           \
        {"--live-host", "ADDRESS", "the address of that page (127.0.0.1: this machine only)"},                       \
        {"--exit-on-trip", NULL, "ends by itself after a trip, as it does without a terminal and without --live"},   \
        {"--key", "FILE", "of the key that the rig's server has; instead of rig: {udp: {key: FILE}} in the case"},   \
        {"--csv", NULL, "also writes result.csv"},                                                                   \
        {"--operator", "NAME", "who runs the test, for the record; instead of test: {operator: ...}"},               \
    {                                                                                                                \
        "--note", "TEXT", "for the record, behind the notes of the case; may be repeated"                            \
    }

static const option check_options[] = {
    OPTION_SET,
    OPTION_LOAD,
    {NULL, NULL, NULL},
};

static const option run_options[] = {
    OPTION_OUT,
    OPTION_SET,
    {"--csv", NULL, "also writes result.csv"},
    {"--force", NULL, "replaces the result that --out holds"},
    {NULL, NULL, NULL},
};

static const option test_options[] = {
    OPTION_OUT,
    OPTION_SET,
    {"--as-fast-as-possible", NULL, "a dry run: no clock, ticks follow each other at once, the numbers are the same"},
    OPTIONS_OF_TESTS,
    {"--scale", "S", "scales motions, loads and initial state, as 0.05 in an elastic shakedown; preload stays whole"},
    {"--certificate", "FILE", "of its preflight; without it the one beside the case, or here"},
    {"--without-preflight", NULL, "goes on without one; recorded"},
    {"--until", "T", "holds at this simulated time, in s, keeps a checkpoint and ends; the rig stays where it is"},
    {"--continue", "RESULT", "goes on from the checkpoint in the folder of an earlier part of the same test"},
    {"--rehearse", NULL, "everything runs, but the rig is told to stay and its twin answers"},
    {NULL, NULL, NULL},
};

static const option serve_options[] = {
    OPTION_OUT,
    {"--port", "N", "the port to serve (the case's, 8090); 0 for one that is free"},
    {"--udp", NULL, "datagrams instead of TCP, for scripts that say -udp"},
    OPTION_SET,
    {"--until-close", NULL,
     "the test is complete when the script ends, wherever that is; without it at the case's end"},
    {"--as-fast-as-possible", NULL, "no clock: every answer as soon as the virtual specimen is there"},
    OPTIONS_OF_TESTS,
    {"--certificate", "FILE", "of its preflight; without it the one beside the case, or here"},
    {"--without-preflight", NULL, "goes on without one; recorded"},
    {NULL, NULL, NULL},
};

static const option spectrum_options[] = {
    {"--gamma", "G", "the method's parameter gamma: a number or a word"},
    {"--rho", "R", "the method's parameter rho"},
    {"--param", "NAME=VALUE", "any parameter of the method; may be repeated"},
    {"--omega", "W,W,...", "values of Omega = omega h; without it 0.01 to 100"},
    {"--damping", "Z", "damping ratio of the oscillator (0)"},
    {NULL, NULL, NULL},
};

static const option modes_options[] = {
    {"--count", "N", "how many modes (10)"},
    {"--shapes", NULL, "prints the shapes of a model of any size"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

static const option static_options[] = {
    {"--time", "T", "the loads are those at this time, in s (0)"},
    OPTION_SET,
    OPTION_LOAD,
    {NULL, NULL, NULL},
};

static const option converge_options[] = {
    {"--levels", "N", "how many step sizes, each half the one before (5)"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

static const option extrapolator_options[] = {
    {"--past", "P", "how many past values (10)"},
    {"--ahead", "Q", "how many steps ahead (3)"},
    {"--degree", "N", "degree of the polynomials that are continued (3; reproducing-kernel 4)"},
    {"--dilation", "A", "reproducing-kernel: half the reach of its kernel, in steps (16)"},
    {"--errors", "WHOSE", "reproducing-kernel: nodal errors made least, of 'past' values (preset) or of 'all'"},
    {"--signal", "S", "errors on a signal: '10*sin(70),5*cos(10)' in rad/s, or a file with one sample per line"},
    {"--step", "H", "interval of the samples of sines, in s (0.01)"},
    {NULL, NULL, NULL},
};

static const option stability_options[] = {
    {"--sweep", "WHAT=FROM:TO:N", "a table over dt, omega, ss or a parameter of the method; or WHAT=VALUE,VALUE,..."},
    {"--critical", NULL, "also finds the first unstable step, and the stable steps around that of the case"},
    {"--resolution", "FACTOR", "with a uniform scan by this factor (1.003) in place of the adaptive search"},
    {"--csv", "FILE", "writes the table, or the roots"},
    OPTION_SET,
    {NULL, NULL, NULL},
};

static const option plot_options[] = {
    {"--channels", "NAME,NAME,...",
     "what to draw over time, by the names in the result; without it a choice is made"},
    {"--from", "T", "begins at this time, in s"},
    {"--to", "T", "ends at this time, in s"},
    {"--terminal", NULL, "draws in the terminal instead of a file"},
    {"--format", "png|svg", "of the file (png)"},
    {"--out", "FILE", "the file; without it plot.png in the folder of the result"},
    {NULL, NULL, NULL},
};

const command commands[] = {
    {"run", "CASE", "runs a case and keeps its result",
     "CASE is a file, or the name of a shipped case (interfield list cases). The folder of the result gets\n"
     "result.h5 (every channel over time), summary.json (peaks, energies, timings) and, on request, result.csv.\n"
     "Ctrl-C stops the run and keeps what was computed.",
     run_options, command_run, CODE_RUN},
    {"test", "CASE", "tests specimens on a rig in real time, the rest of the structure computed",
     "At its start it says which rights it was granted (docs/realtime.md). Ctrl-C holds the test and ramps out;\n"
     "once more trips it. A line on stdin is an order: hold, resume, ramp-out, trip, reset, arm, run, checkpoint,\n"
     "stop, quit. After a trip it holds the position and waits for reset or quit (--exit-on-trip: it ends). The\n"
     "folder of the result gets result.h5 (every tick) and summary.json.",
     test_options, command_test, CODE_RUN},
    {"preflight", "CASE", "a verdict before the pump starts: GO, GO WITH CAUTION or NO-GO, with reasons",
     "The test is probed, run dry on its virtual rig (of a real one: its twin) and timed; nothing moves\n"
     "(docs/preflight.md). The certificate is stored beside the case; `interfield test` demands it where the rig\n"
     "is a real one.",
     preflight_options, command_preflight, CODE_RUN},
    {"characterise", "CASE", "small motions that tell stiffness, noise, delay and plant of what stands on the rig",
     "Each specimen in turn rests, goes through a slow cycle, a step and a periodic sweep, under the limits of the\n"
     "test and shares of them (`characterise` in docs/case.md). Gives a fragment that the case can include:\n"
     "estimate and compensation.",
     characterise_options, command_characterise, CODE_RUN},
    {"serve", "opensees CASE", "tests specimens on a rig while a stock OpenSees script computes the structure",
     "Waits until the genericClient elements of the script have connected, then leads the specimens as the script\n"
     "says and answers with the measured forces (docs/opensees.md). Limits, orders, Ctrl-C, result and exit status\n"
     "are those of `interfield test`. A test that was stopped answers with NaN until the script has ended.",
     serve_options, command_serve, CODE_RUN},
    {"rig", "CASE", "serves the rig of a case to a test in another process or on another machine",
     "The test reaches it with rig: {udp: {port: N}} or rig: {shm: {name: NAME}} in its case, which may be the\n"
     "same file. The rig runs on its own clock, keeps its own limits and brakes to rest by itself when commands\n"
     "stop (docs/rigs.md).",
     rig_options, command_rig, CODE_RUN},
    {"channels", "CASE", "shows what the sensors of a rig measure now, raw and in their units; nothing moves",
     "The rig is reached as a test would reach it, which stays idle. Without `channels` in the case\n"
     "(docs/channels.md) position and force of every actuator are shown.",
     channels_options, command_channels, CODE_ASKED},
    {"zero", "CASE", "tares sensors of a rig, within their limits; nothing moves",
     "Averages over a second and writes what is to be taken away to the file that `channels: {zero: FILE}` of the\n"
     "case names, or to CASE.zero.yaml. The file before is kept under a number.",
     zero_options, command_zero, CODE_ASKED},
    {"rig-check", "PLUGIN", "checks what a laboratory's own rig does of what is asked of it",
     "PLUGIN is a shared object that exports ifd_user_rig (docs/rigs.md). Nothing moves unless --move says how\n"
     "far; then the actuators travel that far and are left alone in mid-motion to see their own watchdog work.",
     rig_check_options, command_rig_check, CODE_RUN},
    {"check", "CASE", "reads a case and says what is wrong with it",
     "Nothing is run and nothing is written. Plug-ins and FMUs that the case names are not loaded, and what depends\n"
     "on them is named as not examined; --load examines them too (docs/security.md).",
     check_options, command_check, CODE_ASKED},
    {"list", "WHAT", "lists what there is: methods, elements, couplings, rigs, faults, cases and more",
     "WHAT: methods, couplings, extrapolators, elements, signals, actuators, compensators, rigs, states (of a\n"
     "test), faults (while running), errors (of input), topics (of the case file), cases. More about most rows:\n"
     "interfield help ROW.",
     NULL, command_list, CODE_NEVER},
    {"spectrum", "METHOD", "spectral radius, damping and frequency error of a method",
     "Found by stepping a single oscillator with the real step code. Omega is the frequency (rad/s) times the\n"
     "step; damping is the algorithmic damping ratio; the frequency error is relative; spurious is the largest\n"
     "root besides the pair.",
     spectrum_options, command_spectrum, CODE_NEVER},
    {"modes", "CASE", "natural frequencies, shapes and participation",
     "Of the tangent stiffness at rest. Effective masses are for ground motion along the direction of the case.",
     modes_options, command_modes, CODE_RUN},
    {"matrices", "CASE", "writes mass, damping and stiffness as Matrix Market files, with the names of the dofs",
     "M, C and K as the run has them: massless dofs condensed, linear elements and damping assembled. A case takes\n"
     "them back by model: {include: DIR/model.yaml}.",
     matrices_options, command_matrices, CODE_ASKED},
    {"static", "CASE", "static equilibrium under the loads of a case", NULL, static_options, command_static,
     CODE_ASKED},
    {"converge", "CASE", "observed order of the method against the reference",
     "Runs the case at its step, half of it and so on, and compares with the reference solution at the instants of\n"
     "the coarsest run.",
     converge_options, command_converge, CODE_RUN},
    {"stability", "CASE", "whether a case is stable as configured, and what the scheme does to its modes",
     "The recurrence of the run, cut into parts or not, is found by stepping it from unit states, without its\n"
     "loads. Roots above one grow. omega is the lowest natural frequency (rad/s) times the largest step of a part;\n"
     "ss the subcycles of the fine parts. Nonlinear elements are linearised at rest.",
     stability_options, command_stability, CODE_RUN},
    {"extrapolator", "NAME", "the matrix of an extrapolator, its gain of noise and the added mass it stands",
     "NAME: hold, lagrange, least-squares, reproducing-kernel. The added mass is that of a specimen that answers\n"
     "with inertia, beside the inertia of the part that moves it: beyond it coupling rts feeds itself\n"
     "(docs/extrapolation.md).",
     extrapolator_options, command_extrapolator, CODE_NEVER},
    {"replay", "RESULT", "makes a recorded test or run once more and compares every bit",
     "RESULT is its folder. A test gets the measurements, orders and delays that were recorded; nothing moves and\n"
     "nothing is written.",
     replay_options, command_replay, CODE_ASKED},
    {"recover", "RESULT", "makes a result of the journal of a test that was cut",
     "RESULT is the folder of a test whose program was killed, whose disk was full or whose machine lost its\n"
     "power. A new folder gets a plain result.h5 and summary.json of all that can be read (docs/record.md);\n"
     "nothing is overwritten.",
     recover_options, command_recover, CODE_NEVER},
    {"plot", "RESULT", "draws a result", "RESULT is the folder of a run. Needs gnuplot.", plot_options, command_plot,
     CODE_NEVER},
    {"export-fmu", "CASE", "the computed part of a case as an FMU for other programs",
     "The FMU takes the force of what stands outside and puts out the motion there (docs/fmi.md). It carries\n"
     "model, method and binary, and needs nothing of this program.",
     export_fmu_options, command_export_fmu, CODE_RUN},
    {"fmu", "FILE", "what an FMU is and can, and whether it may come near a rig",
     "Lists its variables, then steps it with swinging inputs: time per step, allocations, time drift; last, exact\n"
     "return to a kept state, which only a joined part needs. All of it in processes of its own (docs/fmi.md).",
     fmu_options, command_fmu, CODE_RUN},
    {"join", "FMU FMU ...", "FMUs as parts of one structure, joined by forces",
     "Each takes forces and puts out displacements, and can go back to a kept state: every step is made, and made\n"
     "again with the joint forces that close the gaps (docs/fmi.md). The start tries each of them and names those\n"
     "that would add energy. Of what export-fmu makes, d[i] and f[i] belong together; of others name both, A.y/u,\n"
     "or A.y/-u where the input pushes along the output, and with a velocity A.y/u/w.",
     join_options, command_join, CODE_RUN},
    {"report", "RESULT", "one page about a result: verdict, curves, loops, limits, punctuality",
     "RESULT is the folder of a run or test. The page needs no other file and no network, and prints well.",
     report_options, command_report, CODE_NEVER},
    {"compare", "RESULT RESULT ...", "how far results are apart, channel by channel",
     "At the instants of the first result, the others linear between their rows. rms and peak are those of the\n"
     "difference beside those of the first result.",
     compare_options, command_compare, CODE_NEVER},
    {"export", "RESULT", "a result as plain files for other programs, with units and a README",
     "RESULT is the folder of a run or test. Nothing is written over.", export_options, command_export, CODE_NEVER},
    {"live", "RESULT [PORT]", "shows the result of a test in browsers, as it was seen live",
     "RESULT is the folder of a test (interfield test --live shows one while it runs; docs/live.md). Ctrl-C ends.",
     live_options, command_live, CODE_NEVER},
    {"benchmark", "rths", "the community's benchmark of real-time hybrid simulation: criteria J1 to J9",
     "A three-storey frame whose first storey is tested by a virtual servo-hydraulic actuator at 4096 Hz. J1 is\n"
     "the lag of the actuator, J2 and J3 its tracking error, J4 to J9 the error of the test against the exact\n"
     "response.",
     benchmark_options, command_benchmark, CODE_NEVER},
    {"reproduce", "[FIGURE] ...", "makes figures of the papers again and compares them with what the papers say",
     "FIGURE: all (without it too), a paper (000 to 004) or one figure, as in 004-fig17 (--list shows them). Every\n"
     "figure gets a folder with its numbers (CSV), its picture (SVG, PNG, gnuplot script) and check.json: each\n"
     "claim as a number with bounds, and the verdict that follows from them.",
     reproduce_options, command_reproduce, CODE_NEVER},
    {"key", "FILE", "makes a key file for a rig that is served over a network",
     "64 random hexadecimal digits in a file of mode 0600, which is never written over. The rig's server and the\n"
     "test need the same file (docs/security.md).",
     NULL, command_key, CODE_NEVER},
    {"help", "[TOPIC]", "explains a command, a key of the case file, a method, an element or a signal", NULL, NULL,
     command_help, CODE_NEVER},
    {NULL, NULL, NULL, NULL, NULL, NULL, CODE_NEVER},
};

const command *command_find(const char *name)
{
    for (const command *c = commands; c->name; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

const char *command_names(ifd_arena *arena)
{
    const char *names = "";
    for (const command *c = commands; c->name; c++) {
        const char *longer = ifd_arena_print(arena, "%s%s%s", names, *names ? "|" : "", c->name);
        names = longer ? longer : names;
    }
    return names;
}

static bool may_colour(int file)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(file) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

static int unknown_command(app *a, const char *name)
{
    char near[64];
    if (ifd_choice_nearest(command_names(a->arena), name, near, sizeof near))
        app_complain(a, "there is no command '%s': did you mean '%s'?", name, near);
    else
        app_complain(a, "there is no command '%s' (interfield help)", name);
    return EXIT_BAD_INPUT;
}

static int version(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[2], "--json") == 0)
        printf("{\"interfield\": \"%s\"}\n", ifd_version());
    else
        printf("interfield %s\n", ifd_version());
    return EXIT_FINE;
}

static int dispatch(app *a, int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return version(argc, argv);
    bool asks = !*name || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0;
    a->command = command_find(asks ? "help" : name);
    if (!a->command) {
        a->json = argc > 2 && strcmp(argv[argc - 1], "--json") == 0;
        return unknown_command(a, name);
    }
    if (!asks && !app_parse(a, argc - 2, argv + 2))
        return EXIT_BAD_INPUT;
    if (app_has(a, "--help")) {
        a->word[0] = name;
        a->words = 1;
        return command_help(a);
    }
    int exit_status = a->command->run(a);
    return asks && !*name ? EXIT_BAD_INPUT : exit_status;
}

int main(int argc, char **argv)
{
    app a = {.colour_out = may_colour(STDOUT_FILENO), .colour_err = may_colour(STDERR_FILENO)};
    a.arena = ifd_arena_open();
    if (!a.arena) {
        app_complain(&a, "%s", ifd_status_text(IFD_NO_MEMORY));
        return EXIT_RUN_FAILED;
    }
    ifd_note_init(&a.note, a.arena);
    int exit_status = dispatch(&a, argc, argv);
    app_put_complaint(&a, exit_status);
    ifd_arena_close(a.arena);
    if (fflush(stdout) != 0 && exit_status == EXIT_FINE) {
        app_complain(&a, "the output could not be written");
        exit_status = EXIT_RUN_FAILED;
    }
    return exit_status;
}
