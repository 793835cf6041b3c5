/* SPDX-License-Identifier: MIT */
#include "exported.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <interfield/report.h>

#include "check.h"
#include "unstore.h"

char exported_folder[SCRATCH_PATH];
ifd_arena *exported_arena;
ifd_note exported_note;

int exported_begin(void **state)
{
    (void)state;
    exported_arena = ifd_arena_open();
    ifd_note_init(&exported_note, exported_arena);
    return scratch_make(exported_folder) && exported_arena ? 0 : -1;
}

int exported_end(void **state)
{
    (void)state;
    ifd_arena_close(exported_arena);
    return scratch_remove(exported_folder);
}

/* The value reference of a name, from the description's text. */
uint32_t exported_reference(const char *name)
{
    char path[400], wanted[200], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/fmu/modelDescription.xml", exported_folder);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_true(getdelim(&text, &size, '\0', in) > 0);
    fclose(in);
    snprintf(wanted, sizeof wanted, "name=\"%s\" valueReference=\"", name);
    const char *at = strstr(text, wanted);
    if (!at)
        fail_msg("no variable '%s'", name);
    uint32_t vr = (uint32_t)strtoul(at + strlen(wanted), NULL, 10);
    free(text);
    return vr;
}

static void read_token(peer *p)
{
    char path[400], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/fmu/modelDescription.xml", exported_folder);
    FILE *in = fopen(path, "r");
    assert_true(in && getdelim(&text, &size, '\0', in) > 0);
    fclose(in);
    const char *word = p->version == 2 ? "guid=\"" : "instantiationToken=\"", *at = strstr(text, word);
    assert_non_null(at);
    snprintf(p->token, sizeof p->token, "%.*s", (int)strcspn(at + strlen(word), "\""), at + strlen(word));
    free(text);
}

ifd_case *exported_case(const char *name, int sets, const char *const *set_list)
{
    char path[400];
    ifd_case *c = NULL;
    snprintf(path, sizeof path, IFD_SOURCE_DIR "/cases/%s.yaml", name);
    if (ifd_case_read(exported_arena, path, sets, set_list, &c, &exported_note) != IFD_OK)
        ifd_note_print(&exported_note, stderr, false);
    assert_non_null(c);
    return c;
}

bool exported_runtime(void)
{
    bool there = access(IFD_BUILD_DIR "/fmu_runtime2.so", R_OK) == 0;
    if (!there)
        print_message("skipped: builds with sanitizers have no runtime to export\n");
    return there;
}

void exported_open(const ifd_case *c, int version, int rows, const ifd_fmu_row *row, peer *p)
{
    int every[50], dofs = ifd_model_dofs(c->run.model) < 50 ? ifd_model_dofs(c->run.model) : 50;
    char fmu[300], folder[300], binary[800];
    for (int i = 0; i < dofs; i++)
        every[i] = i;
    ifd_fmu_options o = {.version = version,
                         .identifier = "tested",
                         .title = c->title,
                         .runtime =
                             version == 2 ? IFD_BUILD_DIR "/fmu_runtime2.so" : IFD_BUILD_DIR "/fmu_runtime3.so",
                         .model = c->run.model,
                         .step = c->run.step,
                         .rows = rows,
                         .row = row,
                         .dofs = dofs,
                         .dof = every};
    snprintf(fmu, sizeof fmu, "%s/it.fmu", exported_folder);
    snprintf(folder, sizeof folder, "%s/fmu", exported_folder);
    remove(fmu);
    if (ifd_fmu_export(exported_arena, &o, fmu, &exported_note) != IFD_OK)
        ifd_note_print(&exported_note, stderr, false);
    assert_int_equal(exported_note.errors, 0);
    snprintf(binary, sizeof binary, "rm -rf '%s'; mkdir '%s'", folder, folder);
    assert_int_equal(system(binary), 0);
    assert_int_equal(unstore(fmu, folder), 3);
    *p = (peer){.version = version};
    snprintf(p->resources, sizeof p->resources, "%s/fmu/resources", exported_folder);
    snprintf(binary, sizeof binary, "%s/binaries/%s/tested.so", folder, version == 2 ? "linux64" : "x86_64-linux");
    p->library = dlopen(binary, RTLD_NOW | RTLD_LOCAL);
    if (!p->library)
        fail_msg("%s", dlerror());
    *(void **)&p->set2 = peer_symbol(p, version == 2 ? "SetReal" : "SetFloat64");
    *(void **)&p->get2 = peer_symbol(p, version == 2 ? "GetReal" : "GetFloat64");
    *(void **)&p->step2 = peer_symbol(p, "DoStep");
    *(void **)&p->set3 = *(void **)&p->set2;
    *(void **)&p->get3 = *(void **)&p->get2;
    *(void **)&p->step3 = *(void **)&p->step2;
    *(void **)&p->get_state = peer_symbol(p, version == 2 ? "GetFMUstate" : "GetFMUState");
    *(void **)&p->set_state = peer_symbol(p, version == 2 ? "SetFMUstate" : "SetFMUState");
    *(void **)&p->free_state = peer_symbol(p, version == 2 ? "FreeFMUstate" : "FreeFMUState");
    read_token(p);
    p->instance = peer_instantiate(p, p->token);
    if (!p->instance)
        fail_msg("%s", peer_message());
}

uint32_t exported_channel(const ifd_model *m, int dof)
{
    char name[200];
    snprintf(name, sizeof name, "displacement.%s", ifd_model_dof_name(m, dof));
    for (char *c = name + strlen("displacement."); *c; c++)
        *c = *c == '.' || *c == '-' || *c == ' ' ? '_' : *c;
    return exported_reference(name);
}
