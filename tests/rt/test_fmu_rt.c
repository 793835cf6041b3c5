/* SPDX-License-Identifier: MIT */
/* The loop of a master over an exported FMU: set, save, step, get, restore. */
#include "check.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/case.h>
#include <interfield/fmi.h>
#include <interfield/fmu.h>

#include "alloc_count.h"
#include "fmi/fmi_types.h"
#include "scratch.h"

/* The archive has stored entries: the data between two names are the file. */
static void take_out(const char *archive, const char *name, const char *path)
{
    char command[1200];
    snprintf(command, sizeof command,
             "/usr/bin/env python3 -c \"import zipfile; open('%s','wb').write(zipfile.ZipFile('%s').read('%s'))\"",
             path, archive, name);
    assert_int_equal(system(command), 0);
}

TEST(a_step_of_an_exported_model_allocates_nothing)
{
    char work[SCRATCH_PATH], fmu[200], so[200], bin[200], xml[200], uri[300];
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c;
    ifd_note_init(&note, arena);
    assert_true(scratch_make(work));
    snprintf(fmu, sizeof fmu, "%s/x.fmu", work);
    snprintf(so, sizeof so, "%s/x.so", work);
    snprintf(bin, sizeof bin, "%s/model.bin", work);
    snprintf(xml, sizeof xml, "%s/d.xml", work);
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/bridge/hybrid.yaml", 0, NULL, &c, &note), IFD_OK);
    const ifd_fmu_row row = {"bearing", c->run.specimen[0].from, c->run.specimen[0].to, NULL};
    const int dof[] = {0, 1};
    const ifd_fmu_options o = {.version = 2,
                               .identifier = "x",
                               .runtime = IFD_BUILD_DIR "/fmu_runtime2.so",
                               .model = c->run.model,
                               .step = c->run.step,
                               .rows = 1,
                               .row = &row,
                               .dofs = 2,
                               .dof = dof};
    assert_int_equal(ifd_fmu_export(arena, &o, fmu, &note), IFD_OK);
    take_out(fmu, "binaries/linux64/x.so", so);
    take_out(fmu, "resources/model.bin", bin);
    take_out(fmu, "modelDescription.xml", xml);
    char *text = NULL, token[80];
    size_t size = 0;
    FILE *in = fopen(xml, "r");
    assert_true(getdelim(&text, &size, '\0', in) > 0);
    fclose(in);
    assert_int_equal(sscanf(strstr(text, "guid=\""), "guid=\"%79[^\"]", token), 1);
    free(text);

    void *library = dlopen(so, RTLD_NOW | RTLD_LOCAL), *saved = NULL;
    assert_non_null(library);
    fmi2_instantiate *make;
    fmi2_setup *setup;
    fmi2_mode *enter, *leave;
    fmi2_set_real *set;
    fmi2_get_real *get;
    fmi2_do_step *step;
    fmi_get_state *get_state;
    fmi_set_state *set_state;
    *(void **)&make = dlsym(library, "fmi2Instantiate");
    *(void **)&setup = dlsym(library, "fmi2SetupExperiment");
    *(void **)&enter = dlsym(library, "fmi2EnterInitializationMode");
    *(void **)&leave = dlsym(library, "fmi2ExitInitializationMode");
    *(void **)&set = dlsym(library, "fmi2SetReal");
    *(void **)&get = dlsym(library, "fmi2GetReal");
    *(void **)&step = dlsym(library, "fmi2DoStep");
    *(void **)&get_state = dlsym(library, "fmi2GetFMUstate");
    *(void **)&set_state = dlsym(library, "fmi2SetFMUstate");
    const fmi2_callbacks callbacks = {0};
    snprintf(uri, sizeof uri, "file://%s", work);
    void *f = make("x", 1, token, uri, &callbacks, 0, 0);
    assert_non_null(f);
    assert_int_equal(setup(f, 0, 0, 0, 0, 0) | enter(f) | leave(f), FMI_OK);
    assert_int_equal(get_state(f, &saved), FMI_OK);
    const uint32_t force = 1, motion[] = {3, 4, 5};
    double h = c->run.step.h, push = 0, out[3] = {0};
    int wrong = 0;
    alloc_arm();
    for (int k = 0; k < 5000; k++) {
        push = 1e4 * out[0];
        wrong += set(f, &force, 1, &push) != FMI_OK;
        wrong += get_state(f, &saved) != FMI_OK || step(f, h * k, h, 0) != FMI_OK || set_state(f, saved) != FMI_OK;
        wrong += step(f, h * k, h, 1) != FMI_OK || get(f, motion, 3, out) != FMI_OK;
    }
    assert_int_equal(alloc_disarm(), 0);
    assert_int_equal(wrong, 0);
    assert_int_equal(scratch_remove(work), 0);
    ifd_arena_close(arena);
}

/* Two coupled exported FMUs with an external ground motion: saved, stepped, restored and stepped again. */
TEST(a_step_of_joined_fmus_allocates_nothing)
{
    char work[SCRATCH_PATH], path[200];
    ifd_arena *arena = ifd_arena_open();
    ifd_note note;
    ifd_case *c;
    ifd_fmu *fmu[2];
    ifd_fmu_joined *joined;
    const ifd_signal *sine;
    const char *set[] = {"method=newmark"};
    ifd_note_init(&note, arena);
    assert_true(scratch_make(work));
    assert_int_equal(ifd_case_read(arena, IFD_SOURCE_DIR "/cases/oscillator/free.yaml", 1, set, &c, &note), IFD_OK);
    const ifd_fmu_row row = {"x", IFD_GROUND, 0, NULL};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%d.fmu", work, i);
        const ifd_fmu_options o = {.version = 2 + i,
                                   .identifier = "x",
                                   .runtime = i ? IFD_BUILD_DIR "/fmu_runtime3.so" : IFD_BUILD_DIR "/fmu_runtime2.so",
                                   .model = c->run.model,
                                   .step = c->run.step,
                                   .rows = 1,
                                   .row = &row};
        assert_int_equal(ifd_fmu_export(arena, &o, path, &note), IFD_OK);
        assert_int_equal(ifd_fmu_open_as(arena, path, NULL, &fmu[i], &note), IFD_OK);
    }
    const ifd_signal_kind *kind = ifd_signal_find("sine");
    ifd_value values[IFD_SIGNAL_PARAMS];
    ifd_param_preset(kind->params, values);
    values[ifd_param_find(kind->params, "amplitude")] = ifd_number(1.0);
    values[ifd_param_find(kind->params, "frequency")] = ifd_number(2.0);
    assert_int_equal(ifd_signal_make(arena, kind, values, NULL, &sine, &note), IFD_OK);
    const int d = ifd_fmu_find(fmu[0], "d[1]"), f = ifd_fmu_find(fmu[0], "f[1]"),
              g = ifd_fmu_find(fmu[0], "ground.x");
    const ifd_fmu_joint joint = {"x", {{0, d, f, -1, false}, {1, d, f, -1, false}}};
    const ifd_fmu_connection feed[] = {{0, g, sine}, {1, g, sine}};
    const ifd_fmu_join_options o = {.fmus = 2,
                                    .joints = 1,
                                    .fmu = fmu,
                                    .joint = &joint,
                                    .h = c->run.step.h,
                                    .connections = 2,
                                    .connection = feed};
    assert_int_equal(ifd_fmu_join(arena, &o, &joined, &note), IFD_OK);
    int wrong = 0;
    alloc_arm();
    for (int k = 0; k < 2000; k++)
        wrong += !ifd_fmu_joined_step(joined);
    assert_int_equal(alloc_disarm(), 0);
    assert_int_equal(wrong, 0);
    assert_near(ifd_fmu_joined_gap(joined), 0.0, 1e-15, "equals move as one");
    ifd_arena_close(arena);
    assert_int_equal(scratch_remove(work), 0);
}

TESTS()
