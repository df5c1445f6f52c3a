/* bitmap_range.c - ranges of a bitmap: adding, removing, counting, reading.
 *
 * Whatever can fail comes first: the sets of a range are made before the first
 * value goes in, and those that stay empty are taken out again.             */
#include "base/fail.h"
#include "kinds/bitmap_parts.h"

/* The low words of a range under one of its high words. */
typedef struct bitmap_lows {
    uint32_t first, last;
} bitmap_lows;

static bitmap_lows bitmap_lows_of(tms_integers range, uint32_t high)
{
    return (bitmap_lows){bitmap_high(range.first) == high ? (uint32_t)range.first : 0,
                         bitmap_high(range.last) == high ? (uint32_t)range.last : UINT32_MAX};
}

/* The entry at `at` while its high word is in the range, otherwise NULL. */
static const tms_high *bitmap_within(const bitmap_filter *b, tms_high_place at, tms_integers range)
{
    const tms_high *high = tms_high_at(&b->map, at);
    return high && high->word <= bitmap_high(range.last) ? high : NULL;
}

void tms_bitmap_tidy(bitmap_filter *b, tms_integers range)
{
    tms_high_place at = tms_high_seek(&b->map, bitmap_high(range.first));
    const tms_high *high;
    while ((high = bitmap_within(b, at, range))) {
        uint32_t word = high->word;
        tms_set32 *set = high->set;
        if (tms_set32s->is_empty(set)) {
            tms_high_erase(&b->map, &b->head.alloc, at);
            tms_set32s->drop(set);
        }
        if (word == UINT32_MAX) return;
        at = tms_high_seek(&b->map, word + 1);
    }
}

tamis_status tms_bitmap_make_sets(bitmap_filter *b, tms_integers range)
{
    for (uint64_t high = bitmap_high(range.first); high <= bitmap_high(range.last); high++)
        if (!tms_bitmap_set_for(b, (uint32_t)high)) {
            tms_bitmap_tidy(b, range);
            return tms_fail_memory("a set of low words", sizeof(tms_high_leaf));
        }
    return TAMIS_OK;
}

tamis_status tms_bitmap_add_range(tamis_filter *f, tms_integers range)
{
    bitmap_filter *b = bitmap_of(f);
    uint64_t before = tms_bitmap_count(f, range);
    const tms_high *high;
    TMS_TRY(tms_bitmap_make_sets(b, range));
    for (tms_high_place at = tms_high_seek(&b->map, bitmap_high(range.first));
         (high = bitmap_within(b, at, range)); at = tms_high_after(&b->map, at)) {
        bitmap_lows lows = bitmap_lows_of(range, high->word);
        tms_set32s->add_range(high->set, lows.first, lows.last);
    }
    tms_filter_count(f, range.last - range.first + 1 - before);
    return TAMIS_OK;
}

uint64_t tms_bitmap_remove_range(tamis_filter *f, tms_integers range)
{
    bitmap_filter *b = bitmap_of(f);
    uint64_t gone = tms_bitmap_count(f, range);
    const tms_high *high;
    for (tms_high_place at = tms_high_seek(&b->map, bitmap_high(range.first));
         (high = bitmap_within(b, at, range)); at = tms_high_after(&b->map, at)) {
        bitmap_lows lows = bitmap_lows_of(range, high->word);
        tms_set32s->remove_range(high->set, lows.first, lows.last);
    }
    tms_bitmap_tidy(b, range);
    tms_filter_count(f, 0 - gone);
    return gone;
}

uint64_t tms_bitmap_count(const tamis_filter *f, tms_integers range)
{
    const bitmap_filter *b = bitmap_in(f);
    uint64_t sum = 0;
    const tms_high *high;
    for (tms_high_place at = tms_high_seek(&b->map, bitmap_high(range.first));
         (high = bitmap_within(b, at, range)); at = tms_high_after(&b->map, at)) {
        bitmap_lows lows = bitmap_lows_of(range, high->word);
        sum += tms_set32s->count_range(high->set, lows.first, lows.last);
    }
    return sum;
}

/* Values of one set, from the low word `from` on. */
static size_t bitmap_read_set(const tms_high *high, uint32_t from, uint64_t *values, size_t room)
{
    uint32_t lows[1024];
    size_t done = 0;
    while (done < room) {
        size_t piece = room - done < 1024 ? room - done : 1024;
        uint32_t got = tms_set32s->read(high->set, from, lows, (uint32_t)piece);
        for (uint32_t i = 0; i < got; i++) values[done++] = bitmap_value(high->word, lows[i]);
        if (got < piece || lows[got - 1] == UINT32_MAX) break;
        from = lows[got - 1] + 1;
    }
    return done;
}

size_t tms_bitmap_read(const tamis_filter *f, uint64_t from, uint64_t *values, size_t room)
{
    const bitmap_filter *b = bitmap_in(f);
    const tms_integers range = {from, UINT64_MAX};
    size_t done = 0;
    const tms_high *high;
    for (tms_high_place at = tms_high_seek(&b->map, bitmap_high(from));
         done < room && (high = tms_high_at(&b->map, at)); at = tms_high_after(&b->map, at))
        done += bitmap_read_set(high, bitmap_lows_of(range, high->word).first, values + done,
                                room - done);
    return done;
}

bool tms_bitmap_largest(const tamis_filter *f, uint64_t *value)
{
    const tms_high_map *map = &bitmap_in(f)->map;
    if (map->count == 0) return false;
    const tms_high_leaf *leaf = map->leaves[map->count - 1];
    const tms_high *high = &leaf->highs[leaf->count - 1];
    *value = bitmap_value(high->word, tms_set32s->largest(high->set));
    return true;
}
