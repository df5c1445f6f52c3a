/* transport_gzip.c - gzip members, by zlib.                                 */
#include "format/transport.h"

#ifndef TMS_HAVE_ZLIB

const tms_codec *tms_codec_gzip(void)
{
    return NULL;
}

#else

#include <limits.h>
#include <zlib.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"

enum {
    GZIP_CODEC_LEVEL_MOST = 9,
    GZIP_CODEC_WINDOW_BITS = 15 + 16, /* the largest window, and a gzip header */
    GZIP_CODEC_MEMORY_LEVEL = 8       /* zlib's own default */
};

static void *gzip_codec_alloc(void *alloc, uInt items, uInt size)
{
    uint64_t bytes;
    if (!tms_mul_u64(items, size, &bytes) || bytes > SIZE_MAX) return Z_NULL;
    return tms_sized_alloc(alloc, (size_t)bytes);
}

static void gzip_codec_free(void *alloc, void *memory)
{
    tms_sized_free(alloc, memory);
}

static tamis_status gzip_codec_fail(const z_stream *z, int code)
{
    if (code == Z_MEM_ERROR)
        return tms_fail(TAMIS_E_NOMEM, "no memory for zlib; free some, or use a plain file");
    return tms_fail(TAMIS_E_CORRUPT, "the gzip member is damaged: %s",
                    z->msg ? z->msg : zError(code));
}

static z_stream *gzip_codec_stream(const tamis_alloc *alloc)
{
    z_stream *z = tms_alloc(alloc, sizeof *z);
    if (!z) return NULL;
    z->zalloc = gzip_codec_alloc;
    z->zfree = gzip_codec_free;
    z->opaque = (void *)(uintptr_t)alloc;
    return z;
}

/* Takes the stream over if `code` is a success, and frees it otherwise. */
static tamis_status gzip_codec_begun(const tamis_alloc *alloc, z_stream *z, int code, void **state)
{
    if (code == Z_OK) {
        *state = z;
        return TAMIS_OK;
    }
    const tamis_status status = gzip_codec_fail(z, code);
    tms_free(alloc, z, sizeof *z);
    return status;
}

/* One call of deflate or inflate, whose sizes are 32 bits wide. */
static int gzip_codec_run(z_stream *z, tms_flow *flow, int (*run)(z_stream *, int), int how)
{
    const uInt in = flow->in_size < UINT_MAX ? (uInt)flow->in_size : UINT_MAX;
    const uInt out = flow->out_size < UINT_MAX ? (uInt)flow->out_size : UINT_MAX;
    z->next_in = (Bytef *)(uintptr_t)flow->in;
    z->avail_in = in;
    z->next_out = flow->out;
    z->avail_out = out;
    const int code = run(z, how);
    if (in > z->avail_in) flow->in += in - z->avail_in;
    flow->in_size -= in - z->avail_in;
    flow->out += out - z->avail_out;
    flow->out_size -= out - z->avail_out;
    return code;
}

static tamis_status gzip_codec_pack_begin(const tamis_alloc *alloc, int32_t level, void **state)
{
    z_stream *z = gzip_codec_stream(alloc);
    if (!z) return tms_fail_memory("zlib", sizeof *z);
    const int code =
        deflateInit2(z, level ? (int)level : Z_DEFAULT_COMPRESSION, Z_DEFLATED,
                     GZIP_CODEC_WINDOW_BITS, GZIP_CODEC_MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
    return gzip_codec_begun(alloc, z, code, state);
}

static tamis_status gzip_codec_pack(void *state, tms_flow *flow, bool finish, bool *done)
{
    const int code = gzip_codec_run(state, flow, deflate, finish ? Z_FINISH : Z_NO_FLUSH);
    *done = code == Z_STREAM_END;
    if (code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END) return TAMIS_OK;
    return gzip_codec_fail(state, code);
}

static void gzip_codec_pack_end(const tamis_alloc *alloc, void *state)
{
    deflateEnd(state);
    tms_free(alloc, state, sizeof(z_stream));
}

static tamis_status gzip_codec_unpack_begin(const tamis_alloc *alloc, void **state)
{
    z_stream *z = gzip_codec_stream(alloc);
    if (!z) return tms_fail_memory("zlib", sizeof *z);
    return gzip_codec_begun(alloc, z, inflateInit2(z, GZIP_CODEC_WINDOW_BITS), state);
}

/* Z_BUF_ERROR only says that there was nothing to do. */
static tamis_status gzip_codec_unpack(void *state, tms_flow *flow, bool *done)
{
    const int code = gzip_codec_run(state, flow, inflate, Z_NO_FLUSH);
    *done = code == Z_STREAM_END;
    if (code == Z_OK || code == Z_BUF_ERROR || code == Z_STREAM_END) return TAMIS_OK;
    return gzip_codec_fail(state, code);
}

static void gzip_codec_unpack_end(const tamis_alloc *alloc, void *state)
{
    inflateEnd(state);
    tms_free(alloc, state, sizeof(z_stream));
}

static const tms_codec gzip_codec = {
    .level_most = GZIP_CODEC_LEVEL_MOST,
    .pack_begin = gzip_codec_pack_begin,
    .pack = gzip_codec_pack,
    .pack_end = gzip_codec_pack_end,
    .unpack_begin = gzip_codec_unpack_begin,
    .unpack = gzip_codec_unpack,
    .unpack_end = gzip_codec_unpack_end,
};

const tms_codec *tms_codec_gzip(void)
{
    return &gzip_codec;
}

#endif
