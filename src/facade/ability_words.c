/* ability_words.c - see ability_words.h.                                    */
#include "facade/ability_words.h"

#include <stdio.h>
#include <tamis/spec.h>

static const struct {
    uint32_t bit;
    const char *words;
} ability_words[] = {
    {TAMIS_CAN_REMOVE, "remove keys"},
    {TAMIS_CAN_COUNT, "count keys"},
    {TAMIS_CAN_FORGET, "forget old keys"},
    {TAMIS_CAN_GROW, "grow"},
    {TAMIS_CAN_MERGE, "be merged"},
    {TAMIS_CAN_INTERSECT, "be intersected"},
    {TAMIS_CAN_FOLD, "be folded"},
    {TAMIS_IS_EXACT, "be exact"},
    {TAMIS_CAN_CONCURRENT, "be shared by threads that add"},
    {TAMIS_CAN_PARALLEL, "be built by several threads"},
    {TAMIS_CAN_DIGESTS, "work from digests"},
    {TAMIS_CAN_BORROW, "live in a caller's buffer"},
    {TAMIS_CAN_ADD, "be added to"},
};

void tms_ability_words(uint32_t bits, char out[TMS_ABILITY_WORDS])
{
    size_t used = 0;
    snprintf(out, TMS_ABILITY_WORDS, "do that"); /* for bits that have no words */
    for (size_t i = 0; i < sizeof ability_words / sizeof ability_words[0]; i++) {
        if (!(bits & ability_words[i].bit) || used >= TMS_ABILITY_WORDS) continue;
        int more = snprintf(out + used, TMS_ABILITY_WORDS - used, "%s%s", used ? " or " : "",
                            ability_words[i].words);
        used += more > 0 ? (size_t)more : 0;
    }
}
