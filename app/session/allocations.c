/* SPDX-License-Identifier: MIT */
/* Counts the memory allocations of a loaded FMU by redirected calls. */
#include "allocations.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static long calls; /* of one process, for one purpose */

static void *counted_malloc(size_t size)
{
    calls++;
    return malloc(size);
}

void *allocations_calloc(size_t count, size_t size)
{
    calls++;
    return calloc(count, size);
}

static void *counted_realloc(void *memory, size_t size)
{
    calls++;
    return realloc(memory, size);
}

void allocations_free(void *memory)
{
    calls++;
    free(memory);
}

static void *counted_aligned(size_t alignment, size_t size)
{
    calls++;
    return aligned_alloc(alignment, size);
}

static int counted_posix(void **memory, size_t alignment, size_t size)
{
    calls++;
    return posix_memalign(memory, alignment, size);
}

static void *counted_reallocarray(void *memory, size_t count, size_t size)
{
    calls++;
    return reallocarray(memory, count, size);
}

static char *counted_strdup(const char *text)
{
    calls++;
    return strdup(text);
}

static void *counted_mmap(void *where, size_t size, int protection, int flags, int file, off_t offset)
{
    calls++;
    return mmap(where, size, protection, flags, file, offset);
}

static int counted_munmap(void *where, size_t size)
{
    calls++;
    return munmap(where, size);
}

/* operator new and delete of C++ count as malloc and free. */
static const struct {
    const char *name;
    void (*instead)(void);
} counted[] = {
    {"malloc", (void (*)(void))counted_malloc},         {"calloc", (void (*)(void))allocations_calloc},
    {"realloc", (void (*)(void))counted_realloc},       {"free", (void (*)(void))allocations_free},
    {"aligned_alloc", (void (*)(void))counted_aligned}, {"memalign", (void (*)(void))counted_aligned},
    {"posix_memalign", (void (*)(void))counted_posix},  {"reallocarray", (void (*)(void))counted_reallocarray},
    {"strdup", (void (*)(void))counted_strdup},         {"mmap", (void (*)(void))counted_mmap},
    {"munmap", (void (*)(void))counted_munmap},         {"_Znwm", (void (*)(void))counted_malloc},
    {"_Znam", (void (*)(void))counted_malloc},          {"_ZdlPv", (void (*)(void))allocations_free},
    {"_ZdaPv", (void (*)(void))allocations_free},       {"_ZdlPvm", (void (*)(void))allocations_free},
    {"_ZdaPvm", (void (*)(void))allocations_free}};

typedef struct search {
    const char *holds;
    bool found;
} search;

static void lead(uintptr_t slot, const char *name)
{
    long page = sysconf(_SC_PAGESIZE);
    for (size_t k = 0; k < sizeof counted / sizeof *counted; k++)
        if (strcmp(name, counted[k].name) == 0 &&
            mprotect((void *)(slot & ~(uintptr_t)(page - 1)), (size_t)page, PROT_READ | PROT_WRITE) == 0)
            memcpy((void *)slot, &counted[k].instead, sizeof counted[k].instead);
}

static void lead_all(uintptr_t base, const ElfW(Rela) * rows, size_t bytes, const ElfW(Sym) * symbols,
                     const char *names)
{
    for (size_t i = 0; rows && i < bytes / sizeof *rows; i++) {
        unsigned kind = (unsigned)ELF64_R_TYPE(rows[i].r_info);
        if (kind == R_X86_64_JUMP_SLOT || kind == R_X86_64_GLOB_DAT)
            lead(base + rows[i].r_offset, names + symbols[ELF64_R_SYM(rows[i].r_info)].st_name);
    }
}

static int visit(struct dl_phdr_info *info, size_t size, void *data)
{
    search *s = data;
    const ElfW(Dyn) *d = NULL;
    (void)size;
    if (!info->dlpi_name || !strstr(info->dlpi_name, s->holds))
        return 0;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            d = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    uintptr_t jump = 0, data_rows = 0, symbols = 0, names = 0;
    size_t jump_bytes = 0, data_bytes = 0;
    for (; d && d->d_tag != DT_NULL; d++) {
        jump = d->d_tag == DT_JMPREL ? d->d_un.d_ptr : jump;
        jump_bytes = d->d_tag == DT_PLTRELSZ ? d->d_un.d_val : jump_bytes;
        data_rows = d->d_tag == DT_RELA ? d->d_un.d_ptr : data_rows;
        data_bytes = d->d_tag == DT_RELASZ ? d->d_un.d_val : data_bytes;
        symbols = d->d_tag == DT_SYMTAB ? d->d_un.d_ptr : symbols;
        names = d->d_tag == DT_STRTAB ? d->d_un.d_ptr : names;
    }
    if (!symbols || !names)
        return 0;
    lead_all(info->dlpi_addr, (const ElfW(Rela) *)jump, jump_bytes, (const ElfW(Sym) *)symbols, (const char *)names);
    lead_all(info->dlpi_addr, (const ElfW(Rela) *)data_rows, data_bytes, (const ElfW(Sym) *)symbols,
             (const char *)names);
    s->found = true;
    return 0;
}

bool allocations_watch(const char *path_holds)
{
    search s = {.holds = path_holds};
    dl_iterate_phdr(visit, &s);
    return s.found;
}

long allocations(void)
{
    return calls;
}
