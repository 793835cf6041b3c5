/* SPDX-License-Identifier: MIT */
/* Rigs outside this program: in another process or on another machine, and in a laboratory's own shared object.
 *
 *     ifd_rig rig = {.ops = &ifd_udp_rig, .channels = 1, .tick = 1e-3};
 *     ifd_value v[IFD_LINK_PARAMS];
 *     ifd_param_preset(ifd_udp_rig.params, v);
 *     v[ifd_param_find(ifd_udp_rig.params, "port")] = ifd_number(4711);
 *     IFD_TRY(rig.ops->open(&rig, v, arena, note));       // agrees with the server on version, channels and tick
 *
 * The other side is rig_server.h. Messages carry sequence numbers, time stamps and a checksum; the newest counts, and
 * what was lost, doubled, overtaken or damaged is counted. Sense and command make one or two system calls (none over
 * shared memory), never block and take no memory; only `lockstep` waits, for tests without a clock: there the rig
 * moves one tick per command, and a test gives the bits it gives with the same rig in its own process.
 *
 * With a clock the rig moves on its own: a command takes effect at the rig's next tick, so that a measurement answers
 * a command one tick later than a rig in this process does. */
#ifndef INTERFIELD_LINK_H
#define INTERFIELD_LINK_H

#include <interfield/exchange.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { IFD_LINK_PARAMS = 12 }; /* room for those of any of them */

IFD_API extern const ifd_rig_ops ifd_udp_rig; /* params: host, port, timeout, lockstep, commands, key */
IFD_API extern const ifd_rig_ops ifd_shm_rig; /* params: name, timeout, lockstep, commands */

/* A model or a laboratory behind OpenSees or OpenFresco (docs/opensees.md); one exchange takes some 50 us at best, so
 * they are for tests slower than real time, or in lockstep. */
IFD_API extern const ifd_rig_ops ifd_opensees_adapter_rig; /* host, port, transport, handshake, timeout, lockstep */
IFD_API extern const ifd_rig_ops ifd_openfresco_rig;       /* also server, version, tag */

/* What one side has heard. */
typedef struct ifd_link_counts {
    uint64_t sent, unsent;       /* unsent: the system refused */
    uint64_t heard;              /* good messages of this session */
    uint64_t lost;               /* numbers that never came */
    uint64_t doubled, overtaken; /* came twice; came after a newer one */
    uint64_t damaged, foreign;   /* no message at all; not of this session */
    double round_trip;           /* s, from a message to the first that knows of it, the last one seen */
} ifd_link_counts;

/* Of a rig opened with ifd_udp_rig or ifd_shm_rig. */
IFD_API IFD_RT ifd_link_counts ifd_link_counted(const ifd_rig *rig);

/* Makes a key file for rig: {udp: {key: FILE}} and the server's options: random, of mode 0600. Both sides have the
 * same. IFD_OUTPUT when there is such a file already. */
IFD_API ifd_status ifd_key_make(const char *path, ifd_note *note);

/* A laboratory's own rig from a shared object that exports `const ifd_rig_ops ifd_user_rig`. It stays loaded for the
 * life of the process. A path without a slash is a file of the working folder. IFD_PLUGIN, with what to do in the
 * note's hint, when it cannot be loaded, was made for another IFD_RIG_ABI, lacks a function, or takes the name of a
 * rig that is built in. */
IFD_API ifd_status ifd_rig_plugin_open(const char *path, ifd_arena *arena, const ifd_rig_ops **out, ifd_note *note,
                                       const ifd_place *place);

#ifdef __cplusplus
}
#endif
#endif
