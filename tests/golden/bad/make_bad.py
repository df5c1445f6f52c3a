#!/usr/bin/env python3
"""make_bad - writes the damaged files of this folder, each named for its fault, and
the unusual but sound ones of the folder beside it, with a manifest for each.

Run by hand: python3 make_bad.py. The bytes follow from this script alone, so running
it again changes nothing; test_slow_reader.py checks that. Where a fault lies behind
a checksum, the checksum is right, so that the fault itself has to be found.

A row: file, status when read from a file or a buffer, status from a stream, status
of opening a map, status of salvage (- where the page leaves it open), bytes, why. A
fault of the body passes a map's opening and is found by tamis_verify. The statuses
are those of docs/format.md. A file with the status OK holds key_0 to key_9 under xxh3.
"""
import json
import struct
import sys
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "format"))
import slow_hashes as hashes  # noqa: E402
import slow_reader as reader  # noqa: E402
import slow_writer as writer  # noqa: E402
from slow_writer import blocked, classic, encode, node, scalable  # noqa: E402

SECRET = bytes(range(16))
NAN, INFINITY = float("nan"), float("inf")
ROWS = []


def row(name, status, data, why, stream=None, mapped=None, salvage=None):
    """One file. The columns after `read` are as `status` unless told."""
    ROWS.append({"file": f"{name}.tamis", "read": status, "stream": stream or status,
                 "map": mapped or status, "salvage": salvage or status, "bytes": len(data),
                 "why": why, "data": data})


def corrupt(name, data, why, **columns):
    row(name, "CORRUPT", data, why, **columns)


def replaced(data, at, new):
    return data[:at] + new + data[at + len(new):]


def flipped(data, at):
    return replaced(data, at, bytes([data[at] ^ 0x10]))


# ---- plain encodings ----

def magic_and_version(sound):
    row("empty", "TRUNCATED", b"", "no bytes")
    row("magic-cut", "TRUNCATED", sound[:5], "ends inside the magic")
    corrupt("magic-wrong", flipped(sound, 3), "one bit of the magic")
    corrupt("magic-eighth-bit", replaced(sound, 0, b"\x09"), "a transfer cleared the eighth bit")
    corrupt("magic-line-end", sound.replace(b"\n\x1a", b"\r\n\x1a", 1), "line ends converted")
    corrupt("text", b"key_0\nkey_1\n" * 40, "a list of keys")
    corrupt("text-short", b"key", "shorter than the magic, and other bytes")
    corrupt("version-0", encode([blocked()], version=0), "version 0")
    row("version-2", "VERSION", encode([blocked()], version=2), "the next version")
    row("version-2-unsealed", "VERSION", replaced(sound, 8, b"\x02"),
        "the version is read before the checksum, which a newer format may place elsewhere")
    row("version-most", "VERSION", replaced(sound, 8, b"\xff\xff\xff\xff"), "version 2^32 - 1")
    row("version-2-cut", "TRUNCATED", replaced(sound, 8, b"\x02")[:63], "63 bytes")


def header_sizes(sound):
    row("header-cut-at-63", "TRUNCATED", sound[:63], "63 bytes")
    row("header-cut-at-64", "TRUNCATED", sound[:64], "64 bytes")
    row("header-cut", "TRUNCATED", sound[:255], "one byte of the header is missing")
    for name, value in (("0", 0), ("192", 192), ("257", 257), ("590016", 590_016),
                        ("most", 0xFFFFFFC0)):
        corrupt(f"header-bytes-{name}", encode([blocked()], header_bytes=value),
                f"header_bytes {value}")
    corrupt("header-bytes-too-many", encode([blocked()], more_header=64),
            "64 bytes more than its contents need")
    corrupt("header-bytes-too-few", encode([blocked()], metadata=b"0123", metadata_bytes=65),
            "metadata that does not fit")
    corrupt("header-flipped", flipped(sound, 33), "one bit of the seed")
    corrupt("header-sum-flipped", flipped(sound, 250), "one bit of header_sum")
    corrupt("file-bytes-more", encode([blocked()], file_bytes=len(sound) + 8), "8 too many")
    corrupt("file-bytes-0", encode([blocked()], file_bytes=0), "0")
    corrupt("file-bytes-most", encode([blocked()], file_bytes=hashes.M64), "2^64 - 1")


def header_fields():
    def field(name, why, status="CORRUPT", **fields):
        row(name, status, encode([blocked()], **fields), why)

    field("flags-1", "a feature of the future", "VERSION", flags=1)
    field("flags-top", "the last bit of flags", "VERSION", flags=1 << 31)
    field("reserved", "reserved field of the header", reserved=1)
    field("node-count-0", "no node", node_count=0)
    field("node-count-2", "two nodes in a header for one", node_count=2)
    field("node-count-4097", "one node too many", node_count=4097)
    field("node-count-most", "2^32 - 1 nodes", node_count=0xFFFFFFFF)
    for value in (0, 11, 21, 63, 64, 0xFFFFFFFF):
        field(f"chunk-log2-{value}", f"chunks of 2^{value} bytes", chunk_log2=value)
    field("body-bytes-more", "a line more than the nodes have", body_bytes=192)
    field("body-bytes-0", "a body of nothing", body_bytes=0)
    field("body-bytes-most", "2^64 - 64 bytes", body_bytes=(1 << 64) - 64)
    field("metadata-bytes-65537", "one byte too many", metadata_bytes=65_537)
    field("metadata-bytes-most", "2^32 - 1 bytes", metadata_bytes=0xFFFFFFFF)
    corrupt("padding", encode([blocked()], metadata=b"four", padding=b"\0\0\1"),
            "padding that is not zero")


def hash_fields():
    def field(name, why, status="CORRUPT", **fields):
        row(name, status, encode([blocked()], **fields), why)

    field("hash-0", "no hash", hash=0)
    field("hash-8", "a hash that is not known", "UNAVAILABLE", hash=8, hash_name=b"xxh4")
    field("hash-1000", "a caller's hash that nobody registered", "UNAVAILABLE", hash=1000,
          hash_name=b"mine")
    field("hash-name-other", "the number of xxh3 under another name", "UNAVAILABLE",
          hash_name=b"xxh64")
    field("hash-name-empty", "no name", hash_name=b"")
    field("hash-name-space", "a space", hash_name=b"xx h3")
    field("hash-name-high", "a byte above 0x7e", hash_name=b"xxh3\x7f")
    field("hash-name-gap", "more after the first zero", hash_name=b"xxh3\0x")
    field("hash-name-full", "48 characters leave no zero", hash_name=b"x" * 48)
    field("secret-missing", "made with a secret, opened without", "SECRET", hash=7,
          hash_name=b"siphash", fingerprint=reader.fingerprint(SECRET))


def node_fields():
    def field(name, why, status="CORRUPT", **fields):
        row(name, status, encode([blocked(**fields)]), why)

    for kind in (0, 3, 63, 65, 0xFFFFFFFF):
        status = "CORRUPT" if kind in (0, 3, 65) else "VERSION"  # 3, 65: not with these parameters
        why = f"kind {kind}" + (" with the parameters of another" if kind == 65 else "")
        row(f"kind-{kind}", status, encode([node(kind=kind)]), why)
    field("behaviour-8", "a behaviour of the future", "VERSION", behaviour=8)
    field("state-2", "an unknown state", state=2)
    field("capacity-0", "made for no key", capacity=0)
    for name, rate in (("0", 0.0), ("minus-0", -0.0), ("1", 1.0), ("2", 2.0), ("minus", -0.01),
                       ("nan", NAN), ("infinite", INFINITY)):
        field(f"fpr-{name}", f"a rate of {rate}", fpr=rate)
    field("node-body-bytes-65", "no multiple of 64", body_bytes=65)
    field("node-reserved", "reserved field of a node", reserved=1)
    field("node-reserved-8", "the longer reserved field of a node", more_reserved=1 << 63)
    field("params-9", "nine parameters", param_count=9)
    field("params-most", "2^32 - 1 parameters", param_count=0xFFFFFFFF)
    field("params-2", "blocked with two parameters", param_count=2)
    field("params-4", "blocked with four parameters", param_count=4)
    field("params-after-last", "a parameter after the last", rest=(1,))


def classic_params():
    def params(name, why, *values, body=bytes(128)):
        corrupt(f"classic-{name}", encode([node(reader.CLASSIC, values, body)]), why)

    params("bits-0", "no bits", 0, 7, body=b"")
    params("bits-1025", "a body one line too short", 1025, 7)
    params("bits-512", "a body one line too long", 512, 7)
    params("bits-2-59-and-1", "one bit too many", (1 << 59) + 1, 7)
    params("bits-most", "rounding up would pass 2^64", hashes.M64, 7, body=b"")
    params("hashes-0", "no hashes", 960, 0)
    params("hashes-65", "one hash too many", 960, 65)
    params("hashes-2-32-and-7", "7 in its low half", 960, (1 << 32) + 7)
    corrupt("classic-with-child", encode([classic(children=1), classic()]), "classic with a child")


def blocked_params():
    def params(name, why, *values, body=bytes(128)):
        corrupt(f"blocked-{name}", encode([node(reader.BLOCKED, values, body)]), why)

    params("lines-0", "no lines", 0, 7, 1, body=b"")
    params("lines-3", "a body one line too short", 3, 7, 1)
    params("lines-1", "a body one line too long", 1, 7, 1)
    params("lines-2-58", "2^64 bytes, which is 0 in 64 bits", 1 << 58, 7, 1, body=b"")
    params("lines-odd", "three lines have no halves", 3, 7, 2, body=bytes(192))
    params("hashes-0", "no hashes", 2, 0, 1)
    params("hashes-9", "more than eight lanes", 2, 9, 1)
    params("hashes-2-32-and-7", "7 in its low half", 2, (1 << 32) + 7, 1)
    params("lines-per-key-0", "no lines a key", 2, 7, 0)
    params("lines-per-key-3", "three lines a key", 2, 7, 3)
    params("lines-per-key-2-32-and-1", "1 in its low half", 2, 7, (1 << 32) + 1)
    corrupt("blocked-with-child", encode([blocked(children=1), blocked()]), "blocked with a child")


def scalable_params():
    def params(name, why, layers=None, **fields):
        corrupt(f"scalable-{name}", encode(scalable(layers or [blocked(), blocked()], **fields)),
                why)

    corrupt("scalable-layers-0", encode(scalable([])), "no layer")
    params("layers-65", "one layer too many", [blocked(lines=1, filled=0)] * 65)
    params("inner-0", "layers of no kind", inner=0)
    params("inner-64", "layers that scale",
           scalable([blocked()]), inner=reader.SCALABLE, children=1)
    params("inner-other", "layers of another kind than stated", inner=reader.CLASSIC)
    params("inner-mixed", "layers of two kinds", [blocked(), classic()])
    for name, value in (("half", 0.5), ("1025", 1025.0), ("nan", NAN), ("infinite", INFINITY)):
        params(f"expansion-{name}", f"expansion {value}", expansion=value)
    for name, value in (("0", 0.0), ("1", 1.0), ("nan", NAN), ("minus", -0.5)):
        params(f"tightening-{name}", f"tightening {value}", tightening=value)
    params("lines-per-key-3", "three lines a key", lines_per_key=3)
    params("body", "a body of its own", body=bytes(64))
    params("params-3", "three parameters", param_count=3)
    params("params-6", "six parameters", param_count=6)
    params("memory-0", "a cap of no bytes", param_count=5)


def trees():
    chain = [node(reader.SCALABLE, (reader.SCALABLE, 0, 0, 0), b"", children=1)] * 8
    corrupt("tree-child-missing", encode([blocked(children=1)]), "a child that is not there")
    corrupt("tree-children-most", encode([blocked(children=0xFFFFFFFF)]), "2^32 - 1 children")
    corrupt("tree-node-left", encode([blocked(), blocked()]), "a node outside the tree")
    corrupt("tree-nine-levels", encode([*chain, blocked()]), "one level too deep")
    corrupt("tree-body-sum", encode([node(reader.SCALABLE, (2, 0, 0, 0), b"", children=2),
                                     blocked(body_bytes=1 << 63),
                                     blocked(body_bytes=(1 << 63) + 256)]),
            "bodies whose sum passes 2^64 and comes back right")


def bodies(sound):
    header, end = 256, 256 + 128
    big = encode([blocked(lines=144, filled=500)], chunk_log2=12)
    first, second = header, header + 4096
    swapped = big[:first] + big[second:second + 4096] + big[first:second] + big[second + 4096:]
    sums = header + 64 * 144
    other = encode([blocked()], seed=1)

    def short(name, size, why):
        row(name, "TRUNCATED", sound[:size], why, salvage="OK")

    def damaged(name, data, why):
        corrupt(name, data, why, mapped="OK", salvage="OK")

    short("body-missing", header, "ends after the header")
    short("body-cut", end - 1, "ends inside the body")
    short("trailer-missing", end, "ends after the body")
    short("trailer-cut", -1, "the last byte is missing")
    damaged("body-flipped", flipped(sound, 300), "one bit of the body")
    damaged("body-flipped-third", flipped(big, sums - 1), "one bit of the third chunk")
    corrupt("chunk-sum-flipped", flipped(sound, end), "one bit of chunk_sum[0]")
    corrupt("table-sum-flipped", flipped(sound, len(sound) - 1), "one bit of table_sum")
    damaged("chunks-exchanged", swapped, "two chunks in each other's place")
    damaged("chunks-and-sums-exchanged", resealed_table(swapped, sums),
            "the same, with their sums")
    corrupt("body-of-another", sound[:header] + other[header:],
            "body and trailer of the same filter under another seed")
    corrupt("trailing-byte", sound + b"\n", "one byte after the end", stream="OK", salvage="-")
    corrupt("trailing-filter", sound + sound, "a second filter after the first", stream="OK",
            salvage="-")


def claimed(lines, chunk_log2=20):
    """A header that announces this many lines, and none of them."""
    return encode([node(reader.BLOCKED, (lines, 7, 1), b"", body_bytes=64 * lines)],
                  chunk_log2=chunk_log2, body_bytes=64 * lines,
                  file_bytes=256 + 64 * lines + 8 * -(-64 * lines // (1 << chunk_log2)) + 8)


def claims():
    """Where the length of the input is not known, the library makes room for the body first."""
    row("body-claimed-1-gib", "TRUNCATED", claimed(1 << 24), "announces 1 GiB, holds nothing",
        salvage="-")
    row("body-claimed-2-56", "TRUNCATED", claimed(1 << 50), "announces 2^56 bytes, the most",
        stream="NOMEM", salvage="-")
    row("body-claimed-chunks", "TRUNCATED", claimed(1 << 50, 12), "the same in 2^44 chunks",
        stream="NOMEM", salvage="-")
    corrupt("body-claimed-more", claimed((1 << 50) + 1), "one line more than the most")


def resealed_table(data, sums):
    """Exchanges the first two chunk sums as well and makes table_sum right."""
    table = data[sums + 8:sums + 16] + data[sums:sums + 8] + data[sums + 16:-8]
    table_sum = hashes.xxh3(table, hashes.u64(data, 248))
    return data[:sums] + table + table_sum.to_bytes(8, "little")


# ---- compressed encodings ----

def compressed(name, status, data, why, stream=None):
    """Maps refuse everything compressed alike."""
    row(name, status, data, why, stream=stream, mapped="UNSUPPORTED", salvage="-")


def gzip(contents):
    """One member with a stored block: the same bytes whichever zlib made them."""
    size = struct.pack("<H", len(contents))
    block = b"\x01" + size + bytes(byte ^ 255 for byte in size) + contents
    tail = struct.pack("<II", zlib.crc32(contents), len(contents))
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + block + tail


def gzips(sound):
    good = gzip(sound)
    assert reader.read(good).may_contain(b"key_0")
    compressed("gzip-cut-at-2", "TRUNCATED", good[:2], "ends after the first bytes")
    compressed("gzip-cut-in-head", "TRUNCATED", good[:9], "ends inside gzip's own header")
    compressed("gzip-cut", "TRUNCATED", good[:200], "ends inside the contents")
    compressed("gzip-cut-at-sum", "TRUNCATED", good[:-1], "the last byte is missing")
    compressed("gzip-method", "CORRUPT", replaced(good, 2, b"\x09"), "no deflate")
    compressed("gzip-reserved-flag", "CORRUPT", replaced(good, 3, b"\x80"), "a reserved flag")
    compressed("gzip-block", "CORRUPT", replaced(good, 10, b"\x07"), "an unknown kind of block")
    compressed("gzip-sum-flipped", "CORRUPT", flipped(good, len(good) - 8), "gzip's checksum")
    compressed("gzip-size-flipped", "CORRUPT", flipped(good, len(good) - 1), "gzip's length")
    compressed("gzip-contents-flipped", "CORRUPT", gzip(flipped(sound, 300)),
               "the body was damaged before it was compressed")
    compressed("gzip-contents-empty", "TRUNCATED", gzip(b""), "nothing inside")
    compressed("gzip-contents-short", "TRUNCATED", gzip(sound[:-1]), "a whole member, too little")
    compressed("gzip-contents-long", "CORRUPT", gzip(sound + b"\0"), "one byte too many inside")
    compressed("gzip-contents-text", "CORRUPT", gzip(b"key_0\n" * 50), "a list of keys")
    compressed("gzip-contents-gzip", "CORRUPT", gzip(good), "compressed twice")
    compressed("gzip-contents-version-2", "VERSION", gzip(replaced(sound, 8, b"\x02")),
               "the next version")
    compressed("gzip-claimed-2-56", "NOMEM", gzip(claimed(1 << 50)), "announces 2^56 bytes")
    compressed("gzip-trailing", "CORRUPT", good + b"x", "a byte after the member", stream="OK")
    compressed("gzip-two-members", "TRUNCATED", gzip(sound[:300]) + gzip(sound[300:]),
               "contents in two members, of which one is read")


def zstd(contents, descriptor=0x60, more=b"", last=True):
    """One frame with a raw block: no compressor needed. 0x60: single segment, size in 2 bytes."""
    if descriptor == 0x60:
        more = struct.pack("<H", len(contents) - 256)
    block = struct.pack("<I", len(contents) << 3 | last)[:3] + contents
    return reader.ZSTD_MAGIC + bytes([descriptor]) + more + block


def zstds(sound):
    good = zstd(sound)
    compressed("zstd-cut-at-4", "TRUNCATED", good[:4], "ends after the first bytes")
    compressed("zstd-cut", "TRUNCATED", good[:200], "ends inside the contents")
    compressed("zstd-cut-before-last", "TRUNCATED", zstd(sound, last=False),
               "no last block")
    corrupt("zstd-skippable", b"\x50\x2a\x4d\x18\4\0\0\0skip" + good, "a skippable frame first")
    compressed("zstd-reserved-bit", "CORRUPT", zstd(sound, 0x08, b"\x00"), "a reserved bit is set")
    compressed("zstd-block", "CORRUPT", replaced(good, 7, b"\x07"), "an unknown kind of block")
    compressed("zstd-sum", "CORRUPT", zstd(sound, 0x04, b"\x00") + b"\1\2\3\4", "zstd's checksum")
    compressed("zstd-dictionary", "CORRUPT", zstd(sound, 0x01, b"\x00\x07"), "needs a dictionary")
    compressed("zstd-window", "LIMIT", zstd(sound, 0x00, b"\x70"), "needs a window of 16 MiB")
    compressed("zstd-contents-flipped", "CORRUPT", zstd(flipped(sound, 300)),
               "the body was damaged before it was compressed")
    compressed("zstd-contents-empty", "TRUNCATED", zstd(b"", 0x00, b"\x00"), "nothing inside")
    compressed("zstd-contents-short", "TRUNCATED", zstd(sound[:-1]), "a whole frame, too little")
    compressed("zstd-contents-long", "CORRUPT", zstd(sound + b"\0"), "one byte too many inside")
    compressed("zstd-contents-text", "CORRUPT", zstd(b"key_0\n" * 50), "a list of keys")
    compressed("zstd-trailing", "CORRUPT", good + b"x", "a byte after the frame", stream="OK")
    compressed("zstd-two-frames", "TRUNCATED", zstd(sound[:300]) + zstd(sound[-300:]),
               "contents in two frames, of which one is read")


# ---- sound, but no writer of version 1 makes them ----

def unusual():
    def sound(name, data, why):
        row(name, "OK", data, why)

    sound("chunks-of-4-kib", encode([blocked(lines=144)], chunk_log2=12), "the smallest chunks")
    sound("chunks-of-1-mib", encode([blocked()], chunk_log2=20), "the largest chunks")
    sound("behaviour-concurrent", encode([blocked(behaviour=2)]), "the concurrent bit")
    sound("behaviour-all", encode([blocked(behaviour=7)]), "every known behaviour")
    sound("added-most", encode([blocked(added=hashes.M64, state=1)]), "2^64 - 1 keys, estimated")
    sound("capacity-most", encode([blocked(capacity=hashes.M64)]), "made for 2^64 - 1 keys")
    sound("fpr-least", encode([blocked(fpr=5e-324)]), "the least rate above 0")
    sound("classic-bits-1", encode([classic(bits=1)]), "one bit, which is set")
    sound("classic-bits-odd", encode([classic(bits=777)]), "a size no planner chooses")
    sound("scalable-expansion-1", encode(scalable([blocked(), blocked()], expansion=1.0)),
          "layers that do not grow")
    sound("scalable-64-layers", encode(scalable([blocked(lines=1)] * 64)), "the most layers")
    sound("scalable-capped", encode(scalable([blocked(), blocked()], memory=4096)),
          "a cap on all layers")
    inside = encode([blocked()])
    sound("tail-of-zeros", inside + bytes(5000), "a record of which power left no byte")
    sound("tail-half-zeros", inside + b"\x89TA" + bytes(4096), "a record that lost a page")
    compressed("gzip-stored", "OK", gzip(inside), "a gzip member with a stored block")
    compressed("zstd-raw", "OK", zstd(inside), "a zstd frame with a raw block")
    compressed("zstd-window-8-mib", "OK", zstd(inside, 0x00, b"\x68"), "the largest window")


# ---- files ----

def write(folder):
    """Writes the rows so far with their manifest, and forgets them."""
    names = [entry["file"] for entry in ROWS]
    assert len(set(names)) == len(names)
    folder.mkdir(exist_ok=True)
    for entry in ROWS:
        (folder / entry["file"]).write_bytes(entry.pop("data"))
    columns = ("file", "read", "stream", "map", "salvage", "bytes", "why")
    lines = ["# " + "\t".join(columns)]
    lines += ["\t".join(str(entry[column]) for column in columns) for entry in ROWS]
    (folder / "manifest.tsv").write_text("\n".join(lines) + "\n", encoding="ascii")
    listed = ",\n".join(json.dumps(entry) for entry in ROWS)
    (folder / "manifest.json").write_text(f'{{"files": [\n{listed}\n]}}\n', encoding="ascii")
    ROWS.clear()


def make_all(target):
    """Writes both folders below `target`."""
    sound = encode([blocked()])
    magic_and_version(sound)
    header_sizes(sound)
    header_fields()
    hash_fields()
    node_fields()
    classic_params()
    blocked_params()
    scalable_params()
    trees()
    bodies(sound)
    claims()
    gzips(sound)
    zstds(sound)
    write(target / "bad")
    unusual()
    write(target / "unusual")


if __name__ == "__main__":
    make_all(HERE.parent)
