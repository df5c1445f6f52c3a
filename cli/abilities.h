/* abilities.h - what kinds can do, in words.                                */
#ifndef CLI_ABILITIES_H
#define CLI_ABILITIES_H

#include <stddef.h>
#include <stdint.h>

/* The word for ability `index` of the list, NULL past its end; `*bit` is its
 * TAMIS_CAN_*. */
const char *cli_ability_word(size_t index, uint32_t *bit);

/* The words of all abilities in `bits`, with commas between them. */
void cli_ability_list(uint32_t bits, char *out, size_t room);

/* The kinds that have all of `needs`, alone or over an inner kind that has them:
 * "counting, cuckoo, dleft and bitmap". */
void cli_able_kinds(uint32_t needs, char *out, size_t room);

#endif
