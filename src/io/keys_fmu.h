/* SPDX-License-Identifier: MIT */
/* Keys of parts that are FMUs, and of the coupling that joins them. */
#ifndef IFD_IO_KEYS_FMU_H
#define IFD_IO_KEYS_FMU_H

#define IFD__FMU_PART_KEYS                                                                                           \
    TEXT("fmu", false, "the part is a model", "file of an FMU that takes forces and puts out displacements"),        \
        TEXT("parameters", false, "as they are in it",                                                               \
             "numbers for parameters of the FMU, 'k = 20, c = 1.5', in its own units"),                              \
        {.param = {.name = "isolated",                                                                               \
                   .shape = IFD_SHAPE_FLAG,                                                                          \
                   .doc = "coupling fmu: in a process of its own, without network"},                                 \
         .preset = "no"},                                                                                            \
        {.param = {.name = "memory",                                                                                 \
                   .shape = IFD_SHAPE_FLAG,                                                                          \
                   .doc = "an FMU that applies the mean of the last joint force and the new one, as Newmark's "      \
                          "method does, and whose step is that of the case: it is sent what makes it feel the "      \
                          "force of the joint; its accelerations alternate"},                                        \
         .preset = "no"},                                                                                            \
    {                                                                                                                \
        .param = {.name = "ground",                                                                                  \
                  .shape = IFD_SHAPE_WORD,                                                                           \
                  .words = "case|own",                                                                               \
                  .doc =                                                                                             \
                      "of an FMU: the motion of the case through its inputs ground.x, .y, .z, or what it carries "   \
                      "inside"},                                                                                     \
        .preset = "own when it has a parameter ground_scale, else case"                                              \
    }

extern const ifd__key ifd__fmu_keys[];

#define IFD__FMU_SECTION                                                                                             \
    {                                                                                                                \
        "coupling-fmu", "coupling / fmu: parts that are FMUs",                                                       \
            "Every part is an FMU that can go back "                                                                 \
            "to a kept state, or a model of the case, which becomes one. Joint forces\n"                             \
            "are held over an exchange step (`step` "                                                                \
            "of the case); a step is made, and made again with the forces that its\n"                                \
            "gaps ask for. Parts may make shorter steps "                                                            \
            "of their own: FMUs do as they do, a model has `step`. The start tries\n"                                \
            "every part and names those that would "                                                                 \
            "add energy. A joint has one end on either side: `part.dof` of a model,\n"                               \
            "`part.d[1]` of an FMU (its input is then "                                                              \
            "f[1]), `part.y/u` for other names, `part.y/-u` where the input pushes\n"                                \
            "along the output, `part.y/u/w` with the "                                                               \
            "velocity. Ground motion and loads of the case act on its models; the\n"                                 \
            "ground motion also on an FMU with inputs "                                                              \
            "ground.x, .y, .z (key `ground` of the part), as the acceleration at the\n"                              \
            "end of each step. All outputs are recorded. "                                                           \
            "`interfield run` knows this coupling; what goes back in time, and\n"                                    \
            "tests, do "                                                                                             \
            "not (docs/fmi.md).",                                                                                    \
            ifd__fmu_keys,                                                                                           \
            "    substructures:\n"                                                                                   \
            "      frame: {model: {shear-building: {mass: [3 t, 3 t], stiffness: 4 MN/m}}}\n"                        \
            "      mast: {fmu: mast.fmu, isolated: yes}\n"                                                           \
            "    joints: ['frame.floor2 = mast.d[1]']\n"                                                             \
            "    coupling: fmu\n"                                                                                    \
    }

#endif
