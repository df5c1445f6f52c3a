/* abilities.c - see abilities.h.                                            */
#include "abilities.h"

#include <stdio.h>
#include <tamis/tamis.h>

#include "json.h"

enum { ABILITIES_KINDS = 64 };

static const struct {
    uint32_t bit;
    const char *word;
} abilities_words[] = {
    {TAMIS_CAN_ADD, "add"},
    {TAMIS_CAN_REMOVE, "remove"},
    {TAMIS_CAN_COUNT, "count"},
    {TAMIS_CAN_MERGE, "merge"},
    {TAMIS_CAN_INTERSECT, "intersect"},
    {TAMIS_CAN_FOLD, "fold"},
    {TAMIS_CAN_GROW, "grow"},
    {TAMIS_CAN_FORGET, "forget"},
    {TAMIS_CAN_CONCURRENT, "concurrent"},
    {TAMIS_CAN_PARALLEL, "parallel"},
    {TAMIS_CAN_DIGESTS, "digests"},
    {TAMIS_IS_EXACT, "exact"},
};

enum { ABILITIES_COUNT = sizeof abilities_words / sizeof abilities_words[0] };

/* Appends a word; what does not fit is left out. */
static size_t abilities_append(char *out, size_t room, size_t used, const char *joint,
                               const char *word)
{
    int more = snprintf(out + used, room - used, "%s%s", used ? joint : "", word);
    return more > 0 && (size_t)more < room - used ? used + (size_t)more : used;
}

void cli_ability_list(uint32_t bits, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < ABILITIES_COUNT; i++)
        if (bits & abilities_words[i].bit)
            used = abilities_append(out, room, used, ", ", abilities_words[i].word);
}

void cli_json_abilities(const char *key, uint32_t bits)
{
    cli_json_begin_array(key);
    for (size_t i = 0; i < ABILITIES_COUNT; i++)
        if (bits & abilities_words[i].bit) cli_json_text(NULL, abilities_words[i].word);
    cli_json_end_array();
}

void cli_able_kinds(uint32_t needs, char *out, size_t room)
{
    uint32_t kinds[ABILITIES_KINDS], able[ABILITIES_KINDS];
    size_t count = tamis_kind_list(kinds, ABILITIES_KINDS), found = 0, used = 0;
    for (size_t i = 0; i < count && i < ABILITIES_KINDS; i++)
        if (!(needs & ~tamis_kind_abilities(kinds[i]))) able[found++] = kinds[i];
    out[0] = '\0';
    for (size_t i = 0; i < found; i++)
        used = abilities_append(out, room, used, i + 1 == found ? " and " : ", ",
                                tamis_kind_name(able[i]));
}
