/* SPDX-License-Identifier: MIT */
/* The name that examples/serial_rig.ino includes; arduino.h or firmware.cpp has the content. */
