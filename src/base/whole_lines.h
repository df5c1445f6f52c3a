/* whole_lines.h - lines written past the caches, for what nobody reads soon: the
 * line need not be read first, nor does it drive others out. Where the processor
 * has no such stores these are ordinary ones.                               */
#ifndef TMS_BASE_WHOLE_LINES_H
#define TMS_BASE_WHOLE_LINES_H

#include <string.h>

#include "base/memory.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

/* Both are aligned to a line. */
static inline void tms_line_write(void *to, const void *from)
{
#if defined(__x86_64__)
    __m128i *out = to;
    const __m128i *in = from;
    for (unsigned i = 0; i < TMS_LINE / sizeof *out; i++)
        _mm_stream_si128(out + i, _mm_load_si128(in + i));
#else
    memcpy(to, from, TMS_LINE);
#endif
}

/* Before another thread is told of them. */
static inline void tms_lines_end(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

#endif
