/* SPDX-License-Identifier: MIT */
/* dio BITS: writes all digital lines of /dev/comedi0, as a button at the card would. */
#include <comedilib.h>
#include <stdlib.h>

int main(int count, char **words)
{
    comedi_t *card = comedi_open("/dev/comedi0");
    unsigned bits = count > 1 ? (unsigned)atoi(words[1]) : 0;
    if (!card || comedi_dio_config(card, 0, 0, COMEDI_OUTPUT) < 0)
        return 1;
    return comedi_dio_bitfield2(card, 0, 255, &bits, 0) < 0;
}
