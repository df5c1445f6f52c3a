/* high_map.c - see high_map.h.                                              */
#include "kinds/high_map.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

/* ---- finding ------------------------------------------------------------ */

/* The last leaf whose first word is at most `word`; 0 when there is none. */
static size_t high_leaf_for(const tms_high_map *map, uint32_t word)
{
    size_t low = 0, high = map->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->leaves[middle]->highs[0].word <= word)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The first index of a leaf whose word is at least `word`. */
static uint32_t high_index_for(const tms_high_leaf *leaf, uint32_t word)
{
    uint32_t low = 0, high = leaf->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (leaf->highs[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A place past the end of its leaf is the beginning of the next. */
static tms_high_place high_settle(const tms_high_map *map, tms_high_place place)
{
    if (place.leaf < map->count && place.index == map->leaves[place.leaf]->count)
        return (tms_high_place){.leaf = place.leaf + 1};
    return place;
}

tms_high_place tms_high_seek(const tms_high_map *map, uint32_t word)
{
    if (map->count == 0) return (tms_high_place){0};
    size_t leaf = high_leaf_for(map, word);
    return high_settle(map, (tms_high_place){leaf, high_index_for(map->leaves[leaf], word)});
}

tms_high *tms_high_at(const tms_high_map *map, tms_high_place place)
{
    return place.leaf < map->count ? &map->leaves[place.leaf]->highs[place.index] : NULL;
}

tms_high_place tms_high_after(const tms_high_map *map, tms_high_place place)
{
    return high_settle(map, (tms_high_place){place.leaf, place.index + 1});
}

tms_high *tms_high_find(const tms_high_map *map, uint32_t word)
{
    tms_high *high = tms_high_at(map, tms_high_seek(map, word));
    return high && high->word == word ? high : NULL;
}

/* ---- changing ----------------------------------------------------------- */

static tamis_status high_reserve(tms_high_map *map, const tamis_alloc *alloc)
{
    if (map->count < map->room) return TAMIS_OK;
    size_t room = map->room ? 2 * map->room : 8;
    tms_high_leaf **larger = tms_alloc(alloc, room * sizeof *larger);
    if (!larger) return tms_fail_memory("the table of high words", room * sizeof *larger);
    if (map->count) memcpy(larger, map->leaves, map->count * sizeof *larger);
    tms_free(alloc, map->leaves, map->room * sizeof *larger);
    map->leaves = larger;
    map->room = room;
    return TAMIS_OK;
}

/* An empty leaf at `at` of the table. */
static tamis_status high_add_leaf(tms_high_map *map, const tamis_alloc *alloc, size_t at)
{
    TMS_TRY(high_reserve(map, alloc));
    tms_high_leaf *leaf = tms_alloc(alloc, sizeof *leaf);
    if (!leaf) return tms_fail_memory("a leaf of high words", sizeof *leaf);
    memmove(map->leaves + at + 1, map->leaves + at, (map->count - at) * sizeof *map->leaves);
    map->leaves[at] = leaf;
    map->count++;
    return TAMIS_OK;
}

/* Moves the upper half of a full leaf to a new one behind it; nothing but the
 * new word when that comes last, so that ascending words fill their leaves. */
static tamis_status high_split(tms_high_map *map, const tamis_alloc *alloc, size_t leaf,
                               bool at_end)
{
    uint32_t keep = at_end ? TMS_HIGH_LEAF : TMS_HIGH_LEAF / 2;
    TMS_TRY(high_add_leaf(map, alloc, leaf + 1));
    tms_high_leaf *lower = map->leaves[leaf], *upper = map->leaves[leaf + 1];
    upper->count = TMS_HIGH_LEAF - keep;
    lower->count = keep;
    memcpy(upper->highs, lower->highs + keep, upper->count * sizeof *upper->highs);
    return TAMIS_OK;
}

tamis_status tms_high_insert(tms_high_map *map, const tamis_alloc *alloc, uint32_t word,
                             tms_set32 *set)
{
    if (map->count == 0) TMS_TRY(high_add_leaf(map, alloc, 0));
    size_t at = high_leaf_for(map, word);
    uint32_t index = high_index_for(map->leaves[at], word);
    if (map->leaves[at]->count == TMS_HIGH_LEAF) {
        TMS_TRY(high_split(map, alloc, at, index == TMS_HIGH_LEAF));
        if (index >= map->leaves[at]->count) index -= map->leaves[at++]->count;
    }
    tms_high_leaf *leaf = map->leaves[at];
    memmove(leaf->highs + index + 1, leaf->highs + index,
            (leaf->count - index) * sizeof *leaf->highs);
    leaf->highs[index] = (tms_high){word, set};
    leaf->count++;
    return TAMIS_OK;
}

void tms_high_erase(tms_high_map *map, const tamis_alloc *alloc, tms_high_place place)
{
    tms_high_leaf *leaf = map->leaves[place.leaf];
    leaf->count--;
    memmove(leaf->highs + place.index, leaf->highs + place.index + 1,
            (leaf->count - place.index) * sizeof *leaf->highs);
    if (leaf->count) return;
    tms_free(alloc, leaf, sizeof *leaf);
    map->count--;
    memmove(map->leaves + place.leaf, map->leaves + place.leaf + 1,
            (map->count - place.leaf) * sizeof *map->leaves);
}

void tms_high_free(tms_high_map *map, const tamis_alloc *alloc)
{
    for (size_t i = 0; i < map->count; i++) tms_free(alloc, map->leaves[i], sizeof *map->leaves[i]);
    tms_free(alloc, map->leaves, map->room * sizeof *map->leaves);
    *map = (tms_high_map){0};
}

uint64_t tms_high_memory(const tms_high_map *map)
{
    return map->room * sizeof *map->leaves + map->count * sizeof(tms_high_leaf);
}
