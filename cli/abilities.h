/* abilities.h - what kinds can do, in words.                                */
#ifndef CLI_ABILITIES_H
#define CLI_ABILITIES_H

#include <stddef.h>
#include <stdint.h>

/* The words for all TAMIS_CAN_* in `bits`, with commas between them. */
void cli_ability_list(uint32_t bits, char *out, size_t room);

/* The same as an array of JSON. */
void cli_json_abilities(const char *key, uint32_t bits);

/* The kinds that have all of `needs`, alone or over an inner kind that has them:
 * "counting, cuckoo, dleft and bitmap". */
void cli_able_kinds(uint32_t needs, char *out, size_t room);

#endif
