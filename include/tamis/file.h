/* file.h - filters as bytes: in memory, in a caller's buffer, in files.
 *
 * One format everywhere (docs/format.md): little-endian, self-describing, a
 * checksum over the header and one over every chunk of the body. Whatever the
 * bytes, reading gives TAMIS_OK and a sound filter, or an error; it never
 * crashes and never takes memory that the input does not justify.
 *
 * Maps. tamis_open with TAMIS_OPEN_MAP shares the file's pages between all
 * processes and opens gigabytes in well under a millisecond. A file that
 * another process truncates while it is mapped makes the kernel send SIGBUS
 * to whoever touches the missing pages: no library can prevent that, so
 * replace files (tamis_save does: it writes a new file and renames it, and
 * old maps keep the old contents) and never truncate or overwrite them in
 * place.                                                                    */
#ifndef TAMIS_FILE_H
#define TAMIS_FILE_H

#include <tamis/export.h>
#include <tamis/filter.h>

TAMIS_BEGIN

/* ---- options ------------------------------------------------------------ */

enum {
    TAMIS_OPEN_MAP = 1u << 0,     /* files: map read-only instead of reading */
    TAMIS_OPEN_LAZY = 1u << 1,    /* maps and views: verify each chunk at its first touch */
    TAMIS_OPEN_SALVAGE = 1u << 2, /* take a damaged body: damage can only add "maybe" */
    TAMIS_OPEN_WARM = 1u << 3     /* maps: read every page now, so that no query waits */
};

/** How to read. NULL in its place means all zero.                           */
typedef struct tamis_open_options {
    uint32_t flags;           /* TAMIS_OPEN_* */
    uint32_t behaviour;       /* TAMIS_CONCURRENT: open for concurrent use */
    const uint8_t *secret;    /* 16 bytes, for a filter that was made with a secret */
    uint64_t memory;          /* refuse bodies above this many bytes; 0: no cap. Wanted for
                                 untrusted streams and compressed inputs, whose announced
                                 size only reading can confirm                         */
    const tamis_alloc *alloc; /* NULL: libc and huge pages */
    uint64_t reserved[4];     /* must be 0 */
} tamis_open_options;

typedef enum tamis_transport {
    TAMIS_PLAIN = 0, /* the only one that can be mapped or viewed */
    TAMIS_ZSTD = 1,  /* a zstd frame around the same bytes */
    TAMIS_GZIP = 2   /* a gzip member around the same bytes */
} tamis_transport;

/** How to write. NULL in its place means plain.                             */
typedef struct tamis_save_options {
    uint32_t transport;   /* TAMIS_PLAIN, TAMIS_ZSTD or TAMIS_GZIP; reading finds out itself */
    int32_t level;        /* of compression; 0: the library's default */
    uint64_t reserved[4]; /* must be 0 */
} tamis_save_options;

/** Gives `size` bytes away; returns TAMIS_OK or the status to stop with.    */
typedef tamis_status (*tamis_sink)(void *ctx, const void *bytes, size_t size);

/** Fetches up to `room` bytes into `bytes` and stores the number in `*size`;
 *  0 bytes is the end.                                                      */
typedef tamis_status (*tamis_source)(void *ctx, void *bytes, size_t room, size_t *size);

/* ---- files -------------------------------------------------------------- */

/** Saves atomically: a temporary file beside `path`, fsync, rename, fsync of
 *  the folder. Killed at any moment, `path` is the old file or the new one.
 *  A concurrent filter may be added to meanwhile: the file holds at least
 *  every key whose add returned before the call. Errors: TAMIS_E_IO with the
 *  system's reason, and as tamis_encode_to; `path` is untouched then and the
 *  temporary file is gone. (Only when flushing the folder fails, at the very
 *  end, is TAMIS_E_IO returned though the new file is in place: it may then not
 *  outlive a loss of power.) A process that is killed may leave a file
 *  `.tamis-*.tmp` behind, which can be deleted; one that passes its limit of
 *  file size is killed by SIGXFSZ unless it ignores that signal, and then gets
 *  TAMIS_E_IO. Memory: as tamis_encode_to.                                  */
TAMIS_API tamis_status tamis_save(const tamis_filter *f, const char *path,
                                  const tamis_save_options *options);

/** Opens a file. Without TAMIS_OPEN_MAP it is read and verified whole; with
 *  it the header is verified at once and the body by tamis_verify, or chunk by
 *  chunk with TAMIS_OPEN_LAZY. Compressed files are recognised, and cannot be
 *  mapped. The forms of redisbloom.h, a folder of chunks among them, are
 *  recognised by their content and read whole. With TAMIS_OPEN_SALVAGE a damaged
 *  or truncated body is accepted: damaged chunks answer "maybe"; of a body above
 *  16 MiB at least half must be left. A salvaged cuckoo filter cannot be changed or
 *  saved. A bitmap is never salvaged, and its maps and views are read-only copies,
 *  verified and unpacked when they are made. Errors: TAMIS_E_IO, TAMIS_E_TRUNCATED,
 *  TAMIS_E_CORRUPT (the sentence names the chunk), TAMIS_E_VERSION,
 *  TAMIS_E_SECRET, TAMIS_E_LIMIT, TAMIS_E_UNAVAILABLE, TAMIS_E_NOMEM.       */
TAMIS_API tamis_status tamis_open(const char *path, const tamis_open_options *options,
                                  tamis_filter **out);

/** What tamis_file_add_many did.                                            */
typedef struct tamis_file_added {
    uint64_t added;    /* keys that were new and are in the file now               */
    uint64_t known;    /* keys that the filter may already have held; where keys can
                           be removed they are added all the same, once more each   */
    bool rewritten;    /* the file was written anew, with its journal taken in     */
    uint64_t appended; /* keys in the journal now: read with the filter every time */
} tamis_file_added;

/** Adds keys to the filter in a file, in time that depends on the keys and not
 *  on the filter: the digests of the new ones are appended as a journal, which
 *  every way of opening reads with the filter (a view does not: it refuses).
 *  Kinds with TAMIS_CAN_REMOVE take, and append, known keys too.
 *  When the journal passes 1/512 of the body, and 1 MiB, the file is written
 *  anew. Killed at any moment, the file holds all keys or none of the call, and
 *  is sound. Processes that do this at once take turns (flock). Plain files
 *  only; a filter that works from keys themselves (a bitmap, those of
 *  redisbloom.h) is written anew instead, in its own form and in time that depends
 *  on its size. Of the options secret, memory and alloc count; flags and behaviour
 *  do not: the file is opened as this needs. `result` may be NULL. Errors: as
 *  tamis_open and tamis_add_many; the file is then as it was.               */
TAMIS_API tamis_status tamis_file_add_many(const char *path, const tamis_keys *keys,
                                           const tamis_open_options *options,
                                           tamis_file_added *result);

/** What to do to a filter; anything but TAMIS_OK leaves the file as it was.    */
typedef tamis_status (*tamis_change)(tamis_filter *f, void *ctx);

/** Changes the filter in a file in any way: reads it, calls `change` and saves
 *  it, in one turn among all who change the file (flock). Killed at any moment,
 *  the file is the old one or the new one; a compressed file stays compressed,
 *  and one in a form of redisbloom.h keeps that form.
 *  Flags of `options` are ignored. Errors: as tamis_open and tamis_save, and
 *  what `change` returns; the file is then as it was. Memory and time: those of
 *  the whole filter.                                                        */
TAMIS_API tamis_status tamis_file_change(const char *path, const tamis_open_options *options,
                                         tamis_change change, void *ctx);

/* ---- bytes -------------------------------------------------------------- */

/** Bytes that tamis_encode writes for `f`. Cost: none; for bitmaps a pass over
 *  the set, and 0 when there is no memory for it.                           */
TAMIS_API uint64_t tamis_encoded_size(const tamis_filter *f);

/** Writes the plain encoding into a caller's buffer of at least
 *  tamis_encoded_size bytes. Errors: TAMIS_E_SPEC (room too small), and as
 *  tamis_encode_to.                                                         */
TAMIS_API tamis_status tamis_encode(const tamis_filter *f, void *bytes, size_t room);

/** Streams the encoding to `sink`, in pieces of at most 1 MiB, with at most
 *  2 MiB of memory of its own (compressed at a high level: 4 MiB). Errors: the
 *  sink's own status, which stops it; TAMIS_E_SPEC, TAMIS_E_UNAVAILABLE
 *  (transport), TAMIS_E_UNSUPPORTED (a layer by itself), TAMIS_E_NOMEM, and
 *  TAMIS_E_CORRUPT: the body of a map is verified before it is written, and
 *  damage that nobody asked to tolerate is not written as if it were sound.  */
TAMIS_API tamis_status tamis_encode_to(const tamis_filter *f, const tamis_save_options *options,
                                       tamis_sink sink, void *ctx);

/** Rebuilds a filter from exactly `size` untrusted bytes, which are copied.
 *  Compressed encodings are recognised. Errors as tamis_open.               */
TAMIS_API tamis_status tamis_load(const void *bytes, size_t size, const tamis_open_options *options,
                                  tamis_filter **out);

/** Rebuilds a filter from a stream, reading no byte past its end (plain) and
 *  holding one copy. Errors: the source's own status, and as tamis_open.    */
TAMIS_API tamis_status tamis_load_from(tamis_source source, void *ctx,
                                       const tamis_open_options *options, tamis_filter **out);

/** A read-only filter that lies in the caller's `size` bytes: nothing is
 *  copied, and the bytes must stay unchanged for the life of the view. They
 *  need no alignment (64 is fastest). Header and body are verified, the body
 *  chunk by chunk at first touch with TAMIS_OPEN_LAZY. Errors as tamis_open. */
TAMIS_API tamis_status tamis_view(const void *bytes, size_t size, const tamis_open_options *options,
                                  tamis_filter **out);

/* ---- building in place -------------------------------------------------- */

/** Bytes that a filter for `spec` takes when built in a buffer. Errors: those
 *  of tamis_plan; TAMIS_E_UNSUPPORTED for kinds that grow.                  */
TAMIS_API tamis_status tamis_create_in_size(const tamis_spec *spec, uint64_t *size);

/** Builds an empty filter inside the caller's buffer (at least
 *  tamis_create_in_size bytes, 8-byte aligned for TAMIS_CONCURRENT). Add keys
 *  through the handle, then tamis_seal. tamis_free leaves the buffer alone. */
TAMIS_API tamis_status tamis_create_in(const tamis_spec *spec, void *buffer, size_t size,
                                       tamis_filter **out);

/** Completes the buffer of tamis_create_in (counts and checksums), so that it
 *  is exactly what tamis_encode would write: save it, or tamis_view it. May be
 *  called again after more adds. Errors: TAMIS_E_UNSUPPORTED elsewhere.     */
TAMIS_API tamis_status tamis_seal(tamis_filter *f);

/* ---- care --------------------------------------------------------------- */

/** What verification found.                                                 */
typedef struct tamis_damage {
    uint64_t chunks;      /* of the body */
    uint64_t chunk_bytes; /* size of a chunk */
    uint64_t damaged;     /* chunks whose checksum disagrees */
    uint64_t damaged_bytes;
    uint64_t first_offset; /* of the first damaged chunk in the body */
} tamis_damage;

/** Verifies the body of a map or view against its checksums, all chunks, also
 *  after a first damaged one. TAMIS_OK: sound. TAMIS_E_CORRUPT: the sentence
 *  and `damage` (may be NULL) say where. A filter in memory of its own is
 *  sound. Cost: one pass (about 10 GB/s).                                   */
TAMIS_API tamis_status tamis_verify(const tamis_filter *f, tamis_damage *damage);

/** Bytes of the body that are known to be damaged so far: those that were given
 *  up when a damaged file was opened, and those that queries of a lazily
 *  verified map or view, or tamis_verify, have found since. Where they are
 *  touched the answer is "maybe". Cost: a byte for each chunk, so that it can
 *  be asked after every batch. Any thread.                                  */
TAMIS_API uint64_t tamis_damaged_bytes(const tamis_filter *f);

/** Attaches up to 65,536 bytes of the user's own, saved with the filter
 *  (for example where the keys came from). Copied; replaces what was there.
 *  Errors: TAMIS_E_LIMIT, TAMIS_E_NOMEM, TAMIS_E_READONLY, TAMIS_E_UNSUPPORTED
 *  (a filter built in a buffer has no room to spare).                       */
TAMIS_API tamis_status tamis_set_metadata(tamis_filter *f, const void *bytes, size_t size);

/** The user's bytes and, in `*size`, their number. Borrowed: valid until they
 *  are replaced or `f` is freed.                                            */
TAMIS_API const void *tamis_metadata(const tamis_filter *f, size_t *size);

TAMIS_END

#endif
