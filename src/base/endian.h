/* endian.h - little-endian numbers in unaligned bytes.
 *
 * Bodies and files are little-endian on every machine, so a map or a view
 * needs no conversion; a big-endian machine pays with a byte swap per access. */
#ifndef TMS_BASE_ENDIAN_H
#define TMS_BASE_ENDIAN_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define TMS_BIG_ENDIAN 1
#else
#define TMS_BIG_ENDIAN 0
#endif

/* Between the machine's order and little-endian; its own inverse. */
static inline uint64_t tms_le64(uint64_t x)
{
    return TMS_BIG_ENDIAN ? __builtin_bswap64(x) : x;
}

static inline uint32_t tms_le32(uint32_t x)
{
    return TMS_BIG_ENDIAN ? __builtin_bswap32(x) : x;
}

static inline uint64_t tms_load64(const void *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return tms_le64(x);
}

static inline uint32_t tms_load32(const void *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return tms_le32(x);
}

static inline uint16_t tms_load16(const void *p)
{
    const uint8_t *b = p;
    return (uint16_t)(b[0] | (unsigned)b[1] << 8);
}

static inline void tms_store64(void *p, uint64_t x)
{
    x = tms_le64(x);
    memcpy(p, &x, sizeof x);
}

static inline void tms_store32(void *p, uint32_t x)
{
    x = tms_le32(x);
    memcpy(p, &x, sizeof x);
}

static inline void tms_store16(void *p, uint16_t x)
{
    uint8_t *b = p;
    b[0] = (uint8_t)(x & 0xff);
    b[1] = (uint8_t)(x >> 8);
}

/* A double travels as the 64 bits of its IEEE representation. */
static inline uint64_t tms_double_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double tms_bits_double(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

#endif
