/* SPDX-License-Identifier: MIT */
/* Firmware of a rig with one actuator, for boards with the functions of Arduino: it answers each command of the driver
 * `serial` with a measurement (docs/serial.md). Adapt the part "Hardware" to your board; the rest can stay.
 *
 * The firmware has the safety functions that a program on a computer cannot have: a watchdog, limits of its own, and
 * the refusal of a first command far from the present position. After a stop it ignores commands until it is reset.
 * An emergency stop cuts the power by wire; its line here is only a copy. */

/* Hardware: converters of 10 bits around their middle, 0.1 mm and 20 N for each code. */
static const int POSITION_LINE = A0, FORCE_LINE = A1, VALVE_LINE = 9, STOP_LINE = 2, POWER_LINE = 3;
static const float MIDDLE = 512.0f, METRES = 1e-4f, NEWTONS = 20.0f;
static const float STROKE = 0.045f; /* m, limit of the firmware */
static const float JUMP = 0.005f;   /* m, permitted distance of the first command */

static void hardware_setup()
{
    analogReadResolution(10);
    analogWriteResolution(10);
    pinMode(STOP_LINE, INPUT_PULLUP);
    pinMode(POWER_LINE, INPUT_PULLUP);
    pinMode(VALVE_LINE, OUTPUT);
}

/* A code at either end is not a measurement: NAN reports it. */
static float converted(int code, float scale)
{
    return code <= 0 || code >= 1023 ? NAN : scale * ((float)code - MIDDLE);
}

static void hardware_read(float *position, float *force)
{
    *position = converted(analogRead(POSITION_LINE), METRES);
    *force = converted(analogRead(FORCE_LINE), NEWTONS);
}

static void hardware_write(float position)
{
    analogWrite(VALVE_LINE, (int)(position / METRES + MIDDLE + 0.5f));
}

/* Frames. */
enum { CHANNELS = 1, COMMAND_SIZE = 14 + 4 * CHANNELS, MEASURE_SIZE = 22 + 8 * CHANNELS };
enum { COMMANDED = 1, INQUIRY = 8 };
enum { RELEASED = 1, POWERED = 2, STOPPED = 4 };
enum { WHY_NONE, WHY_WATCHDOG, WHY_LIMIT, WHY_JUMP };

static byte frame[COMMAND_SIZE];
static int filled = 0;
static uint32_t answered = 0, sequence = 0;
static byte why = WHY_NONE, boot;
static bool stopped = false, moving = false;
static unsigned long heard_at = 0, watchdog = 100; /* ms */
static float set_point = 0.0f;

static uint16_t crc_16(const byte *bytes, int count)
{
    uint16_t crc = 0xffff;
    for (int i = 0; i < count; i++) {
        crc = (uint16_t)(crc ^ ((uint16_t)bytes[i] << 8));
        for (int k = 0; k < 8; k++)
            crc = (uint16_t)(crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1);
    }
    return crc;
}

static void stop_moving(byte reason)
{
    if (!stopped)
        why = reason;
    stopped = true;
}

static void send_measure(float position, float force)
{
    byte out[MEASURE_SIZE];
    const uint32_t now = (uint32_t)micros();
    const byte flags = (byte)((digitalRead(STOP_LINE) == HIGH ? RELEASED : 0) |
                              (digitalRead(POWER_LINE) == HIGH ? POWERED : 0) | (stopped ? STOPPED : 0));
    sequence++;
    out[0] = 0xa5;
    out[1] = 0x5a;
    out[2] = 'M';
    out[3] = CHANNELS;
    memcpy(out + 4, &sequence, 4); /* these processors are little-endian, as the frames are */
    memcpy(out + 8, &answered, 4);
    memcpy(out + 12, &now, 4);
    out[16] = flags;
    out[17] = 0; /* auxiliary inputs */
    out[18] = why;
    out[19] = boot;
    memcpy(out + 20, &position, 4);
    memcpy(out + 24, &force, 4);
    const uint16_t crc = crc_16(out + 2, MEASURE_SIZE - 4);
    memcpy(out + MEASURE_SIZE - 2, &crc, 2);
    Serial.write(out, MEASURE_SIZE);
}

static void take_command(float position)
{
    float target;
    uint16_t limit;
    memcpy(&answered, frame + 4, 4);
    memcpy(&limit, frame + 10, 2);
    memcpy(&target, frame + 12, 4);
    watchdog = limit;
    if (!(frame[8] & INQUIRY)) /* an inquiry is answered and is no sign of life of the test */
        heard_at = millis();
    if (!(frame[8] & COMMANDED) || stopped)
        return;
    if (!(fabs(target) <= STROKE))
        stop_moving(WHY_LIMIT);
    else if (!moving && !(fabs(target - position) <= JUMP))
        stop_moving(WHY_JUMP);
    else {
        moving = true;
        set_point = target;
        hardware_write(set_point);
    }
}

/* The bytes of a command, one at a time; true after the last one. A wrong checksum is not answered. */
static bool command_complete(byte next)
{
    if ((filled == 0 && next != 0xa5) || (filled == 1 && next != 0x5a) || (filled == 2 && next != 'C') ||
        (filled == 3 && next != CHANNELS))
        filled = next == 0xa5 ? 0 : -1;
    if (filled < 0) {
        filled = 0;
        return false;
    }
    frame[filled++] = next;
    if (filled < COMMAND_SIZE)
        return false;
    filled = 0;
    uint16_t crc;
    memcpy(&crc, frame + COMMAND_SIZE - 2, 2);
    return crc == crc_16(frame + 2, COMMAND_SIZE - 4);
}

void setup()
{
    Serial.begin(1000000);
    hardware_setup();
    boot = (byte)(micros() ^ (unsigned long)analogRead(FORCE_LINE)); /* another number after a restart */
}

void loop()
{
    float position, force;
    while (Serial.available() > 0)
        if (command_complete((byte)Serial.read())) {
            hardware_read(&position, &force);
            take_command(position);
            send_measure(position, force);
        }
    if (moving && millis() - heard_at > watchdog)
        stop_moving(WHY_WATCHDOG); /* the valve keeps its set point: the piston is at rest there */
}
