/* lined_slice.c - one slice of a parallel build, and the view it works on.  */
#include "base/bits.h"
#include "base/memory.h"
#include "kernel/tuning.h"
#include "kinds/lined.h"

static void lined_unselect(uint32_t hashes, uint64_t unselect[8])
{
    for (unsigned r = 0; r < 8; r++) {
        unselect[r] = 0;
        for (unsigned i = hashes; i < 8; i++) unselect[r] |= UINT64_C(64) << 7 * ((r + i) % 8);
    }
}

tamis_blocked_view tms_lined_view(uint8_t *body, uint64_t lines, uint32_t hashes,
                                  uint32_t lines_per_key)
{
    tamis_blocked_view view = {
        .lines = body, .line_count = lines / lines_per_key, .lines_per_key = lines_per_key};
    lined_unselect(hashes, view.unselect);
    return view;
}

/* One table of lines, and the digests whose lines a slice owns. */
typedef struct lined_stretch {
    tamis_blocked_view one; /* as if it were a filter of one line a key */
    uint64_t least, span;   /* digests from `least` on, span + 1 of them */
    bool second;            /* asked with the second mix of the digest */
} lined_stretch;

/* The least digest with this line. Lines ascend with digests, so a slice is
 * known by comparing digests, without working out lines. */
static uint64_t lined_least_digest(uint64_t line, uint64_t lines)
{
    return (uint64_t)((((tms_u128)line << 64) + lines - 1) / lines);
}

/* Appends the digests of a stretch to `mine`. */
static size_t lined_gather(const lined_stretch *s, const uint64_t *digests, size_t count,
                           uint64_t *mine)
{
    const uint64_t least = s->least, span = s->span;
    const bool second = s->second;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t h = second ? tamis_blocked_second(digests[i]) : digests[i];
        mine[found] = h;
        found += h - least <= span;
    }
    return found;
}

/* Fills a run, as far as there are digests. */
static size_t lined_gather_run(const lined_stretch *s, const uint64_t *digests, size_t count,
                               size_t *from, uint64_t *mine)
{
    size_t found = 0;
    while (found < TMS_RUN && *from < count) {
        size_t some = count - *from < TMS_RUN - found ? count - *from : TMS_RUN - found;
        found += lined_gather(s, digests + *from, some, mine + found);
        *from += some;
    }
    return found;
}

static void lined_add_stretch(const tms_lined_slice *b, const lined_stretch *s,
                              const uint64_t *digests, size_t count)
{
    uint64_t ring[2][TMS_RUN + 1]; /* gathering writes one past what it finds */
    size_t from = 0, turn = 0;
    tms_run run = {0};
    do {
        uint64_t *next = ring[turn ^= 1];
        size_t found = lined_gather_run(s, digests, count, &from, next);
        run.ahead = next;
        run.ahead_count = b->fetch ? found : 0;
        b->kernel->add_many(&s->one, &run);
        run.now = next;
        run.count = found;
    } while (run.count);
}

void tms_lined_add_slice(const tms_lined_slice *b, const uint64_t *digests, size_t count)
{
    const uint64_t lines = b->view->line_count;
    const uint64_t first = (uint64_t)((tms_u128)lines * b->slice / b->slices);
    const uint64_t last = (uint64_t)((tms_u128)lines * (b->slice + 1) / b->slices);
    if (first == last) return; /* more threads than lines */
    lined_stretch s = {.one = *b->view, .least = lined_least_digest(first, lines)};
    s.span = lined_least_digest(last, lines) - 1 - s.least; /* 2^64 - 1 - least at the end */
    s.one.lines_per_key = 1;
    lined_add_stretch(b, &s, digests, count);
    if (b->view->lines_per_key == 1) return;
    s.one.lines += lines * TMS_LINE;
    s.second = true;
    lined_add_stretch(b, &s, digests, count);
}
