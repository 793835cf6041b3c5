/* SPDX-License-Identifier: MIT */
/* Opens a serial line and reads and writes without waiting. */
#include "line.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static const struct {
    int baud;
    speed_t speed;
} speeds[] = {{9600, B9600},       {19200, B19200},     {38400, B38400},     {57600, B57600},
              {115200, B115200},   {230400, B230400},   {460800, B460800},   {500000, B500000},
              {921600, B921600},   {1000000, B1000000}, {1500000, B1500000}, {2000000, B2000000},
              {2500000, B2500000}, {3000000, B3000000}, {4000000, B4000000}};

static bool speed_of(int baud, speed_t *out)
{
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++)
        if (speeds[i].baud == baud) {
            *out = speeds[i].speed;
            return true;
        }
    return false;
}

/* Drivers that support it pass on received bytes at once, not after some milliseconds. */
static void hasten(int file)
{
    struct serial_struct facts;
    if (ioctl(file, TIOCGSERIAL, &facts) == 0) {
        facts.flags = (int)((unsigned)facts.flags | ASYNC_LOW_LATENCY);
        (void)ioctl(file, TIOCSSERIAL, &facts);
    }
}

ifd_status line_open(const char *path, int baud, int *file, ifd_note *note)
{
    struct termios mode;
    speed_t speed;
    if (!speed_of(baud, &speed))
        return ifd_note_add(note, IFD_RANGE, NULL,
                            "baud: found %d, expected a usual rate from 9600 to 4000000, such as 115200 or 1000000",
                            baud);
    *file = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (*file < 0)
        return ifd_note_add(note, IFD_PEER, NULL, "%s: %s", path, strerror(errno));
    if (tcgetattr(*file, &mode) != 0) {
        close(*file);
        return ifd_note_add(note, IFD_PEER, NULL, "%s is not a serial line", path);
    }
    cfmakeraw(&mode);
    mode.c_cflag |= CLOCAL | CREAD;
    mode.c_cflag &= ~(tcflag_t)(CSTOPB | CRTSCTS);
    mode.c_cc[VMIN] = 0;
    mode.c_cc[VTIME] = 0;
    (void)cfsetispeed(&mode, speed);
    (void)cfsetospeed(&mode, speed);
    if (tcsetattr(*file, TCSANOW, &mode) != 0 || ioctl(*file, TIOCEXCL) != 0) {
        close(*file);
        return ifd_note_add(note, IFD_PEER, NULL, "%s: the line cannot be set to %d baud: %s", path, baud,
                            strerror(errno));
    }
    hasten(*file);
    (void)tcflush(*file, TCIOFLUSH);
    return IFD_OK;
}

int line_waiting(int file)
{
    int bytes = 0;
    return ioctl(file, FIONREAD, &bytes) == 0 ? bytes : 0;
}
