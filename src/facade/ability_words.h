/* ability_words.h - what a filter cannot do, for sentences.                 */
#ifndef TMS_FACADE_ABILITY_WORDS_H
#define TMS_FACADE_ABILITY_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { TMS_ABILITY_WORDS = 160 };

/* "remove or count keys", of TAMIS_CAN_* bits; it goes after "cannot". */
void tms_ability_words(uint32_t bits, char out[TMS_ABILITY_WORDS]);

#endif
