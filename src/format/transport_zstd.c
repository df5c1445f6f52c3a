/* transport_zstd.c - zstd frames, by libzstd.                               */
#include "format/transport.h"

#ifndef TMS_HAVE_ZSTD

const tms_codec *tms_codec_zstd(void)
{
    return NULL;
}

#else

#ifndef ZSTD_STATIC_LINKING_ONLY
#define ZSTD_STATIC_LINKING_ONLY /* for contexts with an allocator of ours */
#endif
#include <zstd.h>
#include <zstd_errors.h>

#include "base/fail.h"

enum {
    /* Sparse bits offer entropy, not repetition: up to 9 the higher levels are
     * slower and come out within a tenth of this one, or above it. */
    ZSTD_CODEC_LEVEL = 1,
    ZSTD_CODEC_LEVEL_MOST = 19, /* beyond, libzstd asks for an explicit wish for memory */
    /* Bits of a filter repeat nothing at a distance: the tables of a small
     * input find as much and take a third of the memory. */
    ZSTD_CODEC_INPUT_HINT = 1 << 17,
    /* What `zstd -19` may ask of a reader; a frame claims its window before
     * it has proved anything. */
    ZSTD_CODEC_WINDOW_LOG_MOST = 23
};

static void *zstd_codec_alloc(void *alloc, size_t size)
{
    return tms_sized_alloc(alloc, size);
}

static void zstd_codec_free(void *alloc, void *memory)
{
    tms_sized_free(alloc, memory);
}

static ZSTD_customMem zstd_codec_memory(const tamis_alloc *alloc)
{
    const ZSTD_customMem memory = {zstd_codec_alloc, zstd_codec_free, (void *)(uintptr_t)alloc};
    return memory;
}

static tamis_status zstd_codec_fail(size_t code)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_memory_allocation:
        return tms_fail(TAMIS_E_NOMEM, "no memory for zstd; free some, or use a plain file");
    case ZSTD_error_frameParameter_windowTooLarge:
        return tms_fail(TAMIS_E_LIMIT,
                        "the zstd frame needs a window above %d MiB; compress it again with level "
                        "%d or below",
                        1 << (ZSTD_CODEC_WINDOW_LOG_MOST - 20), (int)ZSTD_CODEC_LEVEL_MOST);
    default:
        return tms_fail(TAMIS_E_CORRUPT, "the zstd frame is damaged: %s", ZSTD_getErrorName(code));
    }
}

static tamis_status zstd_codec_pack_begin(const tamis_alloc *alloc, int32_t level, void **state)
{
    ZSTD_CCtx *z = ZSTD_createCCtx_advanced(zstd_codec_memory(alloc));
    if (!z) return tms_fail(TAMIS_E_NOMEM, "no memory for zstd; free some, or use a plain file");
    ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level ? (int)level : ZSTD_CODEC_LEVEL);
    ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(z, ZSTD_c_srcSizeHint, ZSTD_CODEC_INPUT_HINT);
    *state = z;
    return TAMIS_OK;
}

static tamis_status zstd_codec_pack(void *state, tms_flow *flow, bool finish, bool *done)
{
    ZSTD_inBuffer in = {flow->in, flow->in_size, 0};
    ZSTD_outBuffer out = {flow->out, flow->out_size, 0};
    const size_t left =
        ZSTD_compressStream2(state, &out, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left)) return zstd_codec_fail(left);
    if (in.pos > 0) flow->in += in.pos;
    flow->in_size -= in.pos;
    flow->out += out.pos;
    flow->out_size -= out.pos;
    *done = finish && left == 0;
    return TAMIS_OK;
}

static void zstd_codec_pack_end(const tamis_alloc *alloc, void *state)
{
    (void)alloc;
    ZSTD_freeCCtx(state);
}

static tamis_status zstd_codec_unpack_begin(const tamis_alloc *alloc, void **state)
{
    ZSTD_DCtx *z = ZSTD_createDCtx_advanced(zstd_codec_memory(alloc));
    if (!z) return tms_fail(TAMIS_E_NOMEM, "no memory for zstd; free some, or use a plain file");
    ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, ZSTD_CODEC_WINDOW_LOG_MOST);
    *state = z;
    return TAMIS_OK;
}

static tamis_status zstd_codec_unpack(void *state, tms_flow *flow, bool *done)
{
    ZSTD_inBuffer in = {flow->in, flow->in_size, 0};
    ZSTD_outBuffer out = {flow->out, flow->out_size, 0};
    const size_t left = ZSTD_decompressStream(state, &out, &in);
    flow->in += in.pos;
    flow->in_size -= in.pos;
    flow->out += out.pos;
    flow->out_size -= out.pos;
    if (ZSTD_isError(left)) return zstd_codec_fail(left);
    *done = left == 0;
    return TAMIS_OK;
}

static void zstd_codec_unpack_end(const tamis_alloc *alloc, void *state)
{
    (void)alloc;
    ZSTD_freeDCtx(state);
}

static const tms_codec zstd_codec = {
    .level_most = ZSTD_CODEC_LEVEL_MOST,
    .pack_begin = zstd_codec_pack_begin,
    .pack = zstd_codec_pack,
    .pack_end = zstd_codec_pack_end,
    .unpack_begin = zstd_codec_unpack_begin,
    .unpack = zstd_codec_unpack,
    .unpack_end = zstd_codec_unpack_end,
};

const tms_codec *tms_codec_zstd(void)
{
    return &zstd_codec;
}

#endif
