/* dleft_kernel.c - d-left in plain C, the tables of cells, and which loops this
 * processor gets.                                                           */
#include "kernel/dleft_kernel.h"

#include <string.h>

#include "base/cpu.h"
#include "kernel/dleft_place.h"

/* Vectors take a cell from the 4 bytes at which it begins. */
enum { DLEFT_VECTOR_BITS = 25 };

/* ---- where the cells lie ------------------------------------------------ */

static void dleft_init_cells(tms_dleft_table *t, uint32_t width)
{
    for (uint32_t j = 0; j < t->cells; j++) {
        uint32_t bit = j * width, byte = bit / 8;
        if (byte > TMS_DLEFT_BUCKET - 8) byte = TMS_DLEFT_BUCKET - 8; /* not past the bucket */
        t->byte[j] = (uint8_t)byte;
        t->shift[j] = (uint8_t)(bit - 8 * byte);
    }
}

/* Lanes past the last cell take nothing (0x80) and so are free for ever. */
static void dleft_init_groups(tms_dleft_table *t, uint32_t width)
{
    memset(t->groups, 0, sizeof t->groups);
    for (uint32_t g = 0; g < (t->cells + 7) / 8; g++) {
        memset(t->groups[g].shuffle, 0x80, sizeof t->groups[g].shuffle);
        for (uint32_t lane = 0; lane < 8 && 8 * g + lane < t->cells; lane++) {
            uint32_t half = lane / 4, begin = (8 * g + 4 * half) * width / 8;
            if (begin > TMS_DLEFT_BUCKET - 16) begin = TMS_DLEFT_BUCKET - 16;
            uint32_t bit = (8 * g + lane) * width - 8 * begin;
            t->groups[g].from[half] = (uint8_t)begin;
            t->groups[g].shift[lane] = bit % 8;
            for (uint32_t k = 0; k < 4 && bit / 8 + k < 16; k++)
                t->groups[g].shuffle[4 * lane + k] = (uint8_t)(bit / 8 + k);
        }
    }
}

static void dleft_init_sixteens(tms_dleft_table *t, uint32_t width)
{
    memset(t->sixteens, 0, sizeof t->sixteens);
    for (uint32_t g = 0; g < (t->cells + 15) / 16; g++) {
        memset(t->sixteens[g].bytes, 63, sizeof t->sixteens[g].bytes);
        for (uint32_t lane = 0; lane < 16 && 16 * g + lane < t->cells; lane++) {
            uint32_t bit = (16 * g + lane) * width;
            t->sixteens[g].shift[lane] = bit % 8;
            for (uint32_t k = 0; k < 4 && bit / 8 + k < TMS_DLEFT_BUCKET; k++)
                t->sixteens[g].bytes[4 * lane + k] = (uint8_t)(bit / 8 + k);
        }
    }
}

void tms_dleft_table_init(tms_dleft_table *t, uint8_t *body, uint64_t buckets,
                          uint32_t remainder_bits)
{
    const uint32_t width = remainder_bits + TMS_DLEFT_COUNTER;
    t->buckets = body;
    t->bucket_count = buckets;
    t->remainder_bits = remainder_bits;
    t->cells = tms_dleft_cells(remainder_bits);
    t->remainder_mask = (UINT64_C(1) << remainder_bits) - 1;
    t->cell_mask = (UINT64_C(1) << width) - 1;
    dleft_init_cells(t, width);
    if (width > DLEFT_VECTOR_BITS) return;
    dleft_init_groups(t, width);
    dleft_init_sixteens(t, width);
}

tms_dleft_place tms_dleft_find(const tms_dleft_table *t, uint64_t digest)
{
    return dleft_find(t, digest);
}

uint64_t tms_dleft_cell(const tms_dleft_table *t, const uint8_t *bucket, unsigned cell)
{
    return dleft_cell(t, bucket, cell);
}

void tms_dleft_fetch(const tms_dleft_table *t, uint64_t digest)
{
    dleft_fetch(t, digest);
}

/* ---- plain C ------------------------------------------------------------ */

static inline dleft_seen dleft_look_plain(const tms_dleft_table *t, const uint8_t *bucket,
                                          uint64_t remainder)
{
    dleft_seen seen = {0, 0};
    for (uint32_t j = 0; j < t->cells; j++) {
        uint64_t cell = dleft_cell(t, bucket, j);
        uint64_t used = cell > t->remainder_mask;
        seen.used |= used << j;
        bool same = (cell & t->remainder_mask) == remainder || dleft_is_lost(t, cell);
        seen.same |= (used & same) << j;
    }
    return seen;
}

static inline bool dleft_has_plain(const tms_dleft_table *t, const tms_dleft_place *p)
{
    bool has = false;
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++)
        for (uint32_t j = 0; j < t->cells; j++)
            has |= (dleft_cell(t, p->bucket[i], j) & t->remainder_mask) == p->remainder;
    return has;
}

static inline bool dleft_survey_plain(const tms_dleft_table *t, const tms_dleft_place *p,
                                      uint64_t *used)
{
    uint64_t same = 0;
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) {
        const dleft_seen seen = dleft_look_plain(t, p->bucket[i], p->remainder);
        used[i] = seen.used;
        same |= seen.same;
    }
    return same != 0;
}

#define DLEFT_SET plain
#define DLEFT_TARGET
#include "kernel/dleft_loops.inc"

const tms_dleft_kernel tms_dleft_plain = DLEFT_TABLE("plain");

#include "kernel/dleft_loops_end.inc"

/* ---- choosing ----------------------------------------------------------- */

const tms_dleft_kernel *tms_dleft_kernel_number(uint32_t remainder_bits, unsigned index)
{
    const tms_dleft_kernel *usable[3] = {&tms_dleft_plain};
    unsigned count = 1;
#if defined(__x86_64__)
    const bool narrow = remainder_bits + TMS_DLEFT_COUNTER <= DLEFT_VECTOR_BITS;
    if (narrow && tms_cpu_has_avx2()) usable[count++] = &tms_dleft_avx2;
    if (narrow && tms_cpu_has_avx512() && tms_cpu_has_vbmi()) usable[count++] = &tms_dleft_avx512;
#else
    (void)remainder_bits;
#endif
    return index < count ? usable[index] : NULL;
}

const tms_dleft_kernel *tms_dleft_kernel_for(uint32_t remainder_bits)
{
    const tms_dleft_kernel *fastest = &tms_dleft_plain, *next;
    for (unsigned i = 1; (next = tms_dleft_kernel_number(remainder_bits, i)) != NULL; i++)
        fastest = next;
    return fastest;
}
