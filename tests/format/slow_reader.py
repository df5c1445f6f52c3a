#!/usr/bin/env python3
"""slow_reader - a second reader of the native format, written from docs/format.md alone.

It proves that the page is enough to write a reader from, and it is the referee
when the library and a file disagree. It is slow, keeps everything in memory and
knows nothing of the C sources; section numbers below are those of the page.

    slow_reader.py [--secret HEX] FILE [KEY...]

prints what the file is, and for each KEY "maybe" or "no". A KEY that starts
with hex: is given as bytes in hex, one that starts with u64: as an integer. Exit
status 0: every key may be there; 1: one is not; 2: the file is no sound filter.
"""
import argparse
import struct
import sys
import zlib

import slow_cuckoo
import slow_hashes as hashes
import slow_roaring as roaring
from slow_hashes import M64, mix, rotl64, u32, u64

MAGIC = b"\x89TAMIS\n\x1a"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
GZIP_MAGIC = b"\x1f\x8b"
FIXED_BYTES, NODE_BYTES = 120, 128
HEADER_MIN, HEADER_MAX = 256, 589_952
CLASSIC, BLOCKED, COUNTING, CUCKOO, DLEFT, BITMAP = 1, 2, 3, 4, 5, 6
SCALABLE, TWIN, WINDOW, SHARDED = 64, 65, 66, 67


class Refused(Exception):
    """The input is not a filter this reader can answer from. `status` is one of
    the names in section 1."""

    def __init__(self, status, sentence):
        super().__init__(f"{status}: {sentence}")
        self.status = status


def need(condition, status, sentence):
    if not condition:
        raise Refused(status, sentence)


def f64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def checksum(data, seed):
    return hashes.xxh3(data, seed & M64)


# ---- section 8: from key to digest ----

HASH_NAMES = {1: "xxh3", 2: "murmur3-32", 3: "murmur3-128", 4: "murmur64a", 5: "fnv1a",
              6: "sha256", 7: "siphash"}
SIPHASH = 7


def fingerprint(secret):
    return hashes.siphash(b"tamis secret fingerprint", secret) or 1


def digest(hash_id, seed, secret, key):
    if hash_id == 1:
        return hashes.xxh3(key, seed)
    if hash_id == 2:
        return mix(hashes.murmur3_32(key, seed))
    if hash_id == 3:
        return hashes.murmur3_128(key, seed)[0]
    if hash_id == 4:
        return hashes.murmur64a(key, seed)
    if hash_id == 5:
        return mix(hashes.fnv1a(key, seed))
    if hash_id == 6:
        return hashes.sha256(key, seed)
    first = u64(secret, 0) ^ seed
    return hashes.siphash(key, first.to_bytes(8, "little") + secret[8:])


# ---- sections 7 and 9: kinds ----

def mulhi(a, b):
    return a * b >> 64


def classic_positions(h, bits, count):
    a = h
    b = rotl64(h, 32) * 0x9E3779B97F4A7C15 & M64 | 1
    for _ in range(count):
        value = (a ^ a >> 32) * 0xD6E8FEB86659FD93 & M64
        yield mulhi(value, bits)
        a = a + b & M64


def line_positions(h, lines, count):
    """Bits of the table for one line, as bit numbers from the start of the table."""
    line = mulhi(h, lines)
    pattern = h * 0x9E3779B97F4A7C15 & M64
    first = pattern >> 61
    for i in range(count):
        lane = (first + i) % 8
        yield 512 * line + 64 * lane + (pattern >> 7 * lane & 63)


def blocked_positions(h, lines, count, lines_per_key):
    if lines_per_key == 1:
        yield from line_positions(h, lines, count)
        return
    half = lines // 2
    yield from line_positions(h, half, count)
    second = (h ^ h >> 32) * 0xD6E8FEB86659FD93 & M64
    for position in line_positions(second, half, count):
        yield 512 * half + position


def counting_positions(h, counters, count, width, lines_per_key):
    """Numbers of counters: section 9.4."""
    if lines_per_key == 0:
        yield from classic_positions(h, counters, count)
        return
    for bit in blocked_positions(h, counters * width // 512, count, lines_per_key):
        yield bit // width


def dleft_places(h, buckets, bits):
    """The remainder, and the four buckets: section 9.6."""
    remainder = (h * 0x9E3779B97F4A7C15 & M64) >> 64 - bits
    remainder -= remainder == (1 << bits) - 1
    remainder += remainder == 0
    mixed = (remainder + 1) * 0xD6E8FEB86659FD93 & M64
    mixed ^= mixed >> 32
    odd = (0, 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
    first = mulhi(h, buckets)
    return remainder, [i * buckets + (first + mulhi(mixed * odd[i] & M64, buckets)) % buckets
                       for i in range(4)]


def check_dleft(node):
    need(node.param_count == 2, "CORRUPT", f"dleft has {node.param_count} parameters")
    buckets, bits = node.params[:2]
    need(1 <= buckets <= 1 << 48, "CORRUPT", f"dleft with {buckets} buckets")
    need(4 <= bits <= 40, "CORRUPT", f"remainders of {bits} bits")
    need(not node.children, "CORRUPT", "dleft with children")
    need(node.body_bytes == 128 * buckets, "CORRUPT",
         f"dleft of {buckets} buckets in {node.body_bytes} bytes")


def check_classic(node):
    need(node.param_count == 2, "CORRUPT", f"classic has {node.param_count} parameters")
    bits, count = node.params[:2]
    need(1 <= bits <= 1 << 59, "CORRUPT", f"classic with {bits} bits")
    need(1 <= count <= 64, "CORRUPT", f"classic with {count} hashes")
    need(not node.children, "CORRUPT", "classic with children")
    need(node.body_bytes == -(-bits // 512) * 64, "CORRUPT",
         f"classic of {bits} bits in {node.body_bytes} bytes")


def check_blocked(node):
    need(node.param_count == 3, "CORRUPT", f"blocked has {node.param_count} parameters")
    lines, count, lines_per_key = node.params[:3]
    need(lines_per_key in (1, 2), "CORRUPT", f"blocked with {lines_per_key} lines a key")
    need(lines >= 1, "CORRUPT", "blocked without lines")
    need(lines % lines_per_key == 0, "CORRUPT", f"{lines} lines have no two halves")
    need(1 <= count <= 8, "CORRUPT", f"blocked with {count} hashes a line")
    need(not node.children, "CORRUPT", "blocked with children")
    need(node.body_bytes == 64 * lines, "CORRUPT",
         f"blocked of {lines} lines in {node.body_bytes} bytes")


def check_counting(node):
    need(node.param_count == 4, "CORRUPT", f"counting has {node.param_count} parameters")
    counters, count, width, lines_per_key = node.params[:4]
    need(width in (4, 8), "CORRUPT", f"counters of {width} bits")
    need(lines_per_key <= 2, "CORRUPT", f"counting with {lines_per_key} lines a key")
    need(1 <= count <= (8 if lines_per_key else 64), "CORRUPT", f"counting with {count} hashes")
    need(1 <= counters <= 1 << 56, "CORRUPT", f"{counters} counters")
    if lines_per_key:
        need(counters % (512 // width * lines_per_key) == 0, "CORRUPT", "lines that are not whole")
    need(not node.children, "CORRUPT", "counting with children")
    need(node.body_bytes == -(-counters * width // 512) * 64, "CORRUPT",
         f"{counters} counters of {width} bits in {node.body_bytes} bytes")


def check_scalable(node):
    need(4 <= node.param_count <= 6, "CORRUPT", f"scalable has {node.param_count} parameters")
    need(node.param_count != 5 or node.params[4], "CORRUPT", "scalable with a cap of no bytes")
    inner, lines_per_key = node.params[0], node.params[3]
    if node.param_count == 6:
        need(node.capacity <= node.params[5] <= 1 << 56, "CORRUPT", "scalable with a second layer "
             f"of {node.params[5]} keys")
    expansion, tightening = f64(node.params[1]), f64(node.params[2])
    need(inner != SCALABLE, "CORRUPT", "scalable made of scalable")
    need(1 <= expansion <= 1024, "CORRUPT", f"scalable with expansion {expansion}")
    need(0.01 <= tightening <= 0.99, "CORRUPT", f"scalable with tightening {tightening}")
    need(lines_per_key <= 2, "CORRUPT", f"scalable with {lines_per_key} lines a key")
    need(1 <= len(node.children) <= 64, "CORRUPT", f"{len(node.children)} layers")
    need(node.body_bytes == 0, "CORRUPT", "scalable with a body of its own")
    need(all(child.kind == inner for child in node.children), "CORRUPT", "layers of another kind")


def check_bitmap(node):
    need(node.param_count == 2, "CORRUPT", f"bitmap has {node.param_count} parameters")
    size = node.params[0]
    need(8 <= size <= 1 << 56, "CORRUPT", f"bitmap of {size} bytes")
    need(not node.children, "CORRUPT", "bitmap with children")
    need(node.body_bytes == -(-size // 64) * 64, "CORRUPT",
         f"bitmap of {size} bytes in {node.body_bytes}")


def check_cuckoo(node):
    need(node.param_count == 5, "CORRUPT", f"cuckoo has {node.param_count} parameters")
    chunks, buckets, bits, places, layout = node.params[:5]
    need(4 <= bits <= 32, "CORRUPT", f"fingerprints of {bits} bits")
    need(places in (2, 4), "CORRUPT", f"buckets of {places} places")
    need(layout == 0 or layout == 1 and places == 4, "CORRUPT", f"layout {layout}")
    need(2 <= buckets <= 1 << 26 and buckets % 2 == 0, "CORRUPT", f"{buckets} buckets a chunk")
    need(1 <= chunks <= 1 << 40, "CORRUPT", f"{chunks} chunks")
    need(not node.children, "CORRUPT", "cuckoo with children")
    need(node.body_bytes == slow_cuckoo.body_bytes(node.params[:5]), "CORRUPT",
         f"cuckoo of {chunks} chunks in {node.body_bytes} bytes")


def check_parts(node, params, least, most):
    need(node.param_count == params, "CORRUPT", f"{node.param_count} parameters")
    need(least <= len(node.children) <= most, "CORRUPT", f"{len(node.children)} parts")
    need(node.body_bytes == 0, "CORRUPT", "a body beside the parts")
    need(all(child.kind == node.params[0] for child in node.children), "CORRUPT",
         "parts of another kind")


def check_twin(node):
    check_parts(node, 1, 2, 2)
    need(node.params[0] in (CLASSIC, BLOCKED), "CORRUPT", f"a twin of kind {node.params[0]}")


def check_window(node):
    inner, generations, span, now, began, started = node.params[:6]
    check_parts(node, 6, generations + 1, generations + 1)
    need(inner < SCALABLE and inner != BITMAP, "CORRUPT", f"a window of kind {inner}")
    need(1 <= generations <= 63 and span <= 1 << 62 and started <= 1, "CORRUPT", "window")
    need((span or not started) and began <= now and (started or now == 0), "CORRUPT", "time")


def check_sharded(node):
    inner, shards, first = node.params[:3]
    need(1 <= shards <= 1024 and first < shards, "CORRUPT", f"shard {first} of {shards}")
    check_parts(node, 3, 1, shards - first)
    need(inner not in (BITMAP, WINDOW, SHARDED), "CORRUPT", f"shards of kind {inner}")


CHECKS = {CLASSIC: check_classic, BLOCKED: check_blocked, COUNTING: check_counting,
          CUCKOO: check_cuckoo, DLEFT: check_dleft, BITMAP: check_bitmap,
          SCALABLE: check_scalable, TWIN: check_twin, WINDOW: check_window,
          SHARDED: check_sharded}
KIND_NAMES = {CLASSIC: "classic", BLOCKED: "blocked", COUNTING: "counting", CUCKOO: "cuckoo",
              DLEFT: "dleft", BITMAP: "bitmap", SCALABLE: "scalable", TWIN: "twin", WINDOW: "window",
              SHARDED: "sharded"}


# ---- section 2: the header ----

class Node:
    """One filter of the tree: section 2.2."""

    def __init__(self, raw):
        (self.kind, self.child_count, self.behaviour, self.state, self.capacity, self.fpr,
         self.added, self.body_bytes, self.param_count, reserved, more_reserved,
         *self.params) = struct.unpack("<4IQdQQIIQ8Q", raw)
        self.children = []
        self.body = b""
        need(self.kind != 0, "CORRUPT", "kind 0")
        need(self.behaviour < 8, "VERSION", f"behaviour {self.behaviour:#x}")
        need(self.state < 2, "CORRUPT", f"state {self.state:#x}")
        need(self.capacity >= 1, "CORRUPT", "capacity 0")
        exact = struct.pack("<d", self.fpr) == bytes(8)
        need(exact if self.kind == BITMAP else 0 < self.fpr < 1, "CORRUPT", f"rate {self.fpr}")
        need(self.body_bytes % 64 == 0, "CORRUPT", f"body of {self.body_bytes} bytes")
        need(self.param_count <= 8, "CORRUPT", f"{self.param_count} parameters")
        need(reserved == 0 and more_reserved == 0, "CORRUPT", "reserved bytes of a node")
        need(not any(self.params[self.param_count:]), "CORRUPT", "parameters after the last")

    def positions(self, h):
        if self.kind == CLASSIC:
            return classic_positions(h, *self.params[:2])
        if self.kind == COUNTING:
            return counting_positions(h, *self.params[:4])
        return blocked_positions(h, *self.params[:3])

    def shard(self, h):
        """Section 9.10: the child that has the digest, and the positions or digest it is asked."""
        shards, first = self.params[1:3]
        index = (h * shards >> 64) - first
        if not 0 <= index < len(self.children):
            return None
        child = self.children[index]
        if child.kind == BLOCKED and child.params[2] == 1:
            lines = child.params[0]
            line = (h * shards & (1 << 64) - 1) * lines >> 64
            return child, [line * 512 + at % 512 for at in blocked_positions(h, lines,
                                                                             child.params[1], 1)]
        return child, (h ^ h >> 32) * 0xD6E8FEB86659FD93 & (1 << 64) - 1

    def may_contain(self, h):
        if self.kind in (SCALABLE, WINDOW):
            return any(child.may_contain(h) for child in self.children)
        if self.kind == CUCKOO:
            return slow_cuckoo.Table(self.body, self.params[:5]).may_contain(h)
        if self.kind == TWIN:
            return self.children[0].may_contain(h) and not self.children[1].may_contain(h)
        if self.kind == SHARDED:
            found = self.shard(h)
            if not found:
                return False
            child, how = found
            if isinstance(how, int):
                return child.may_contain(how)
            return all(child.place(at)[2] for at in how)
        if self.kind == DLEFT:
            return self.has_cell(h)
        return all(self.place(at)[2] for at in self.positions(h))

    def has_cell(self, h):
        buckets, bits = self.params[:2]
        remainder, places = dleft_places(h, buckets, bits)
        ones = (1 << bits) - 1
        for place in places:
            cells = int.from_bytes(self.body[32 * place:32 * place + 32], "little")
            for j in range(256 // (bits + 2)):
                cell = cells >> j * (bits + 2) & (1 << bits + 2) - 1
                if cell > ones and cell & ones in (remainder, ones):
                    return True
        return False

    def place(self, at):
        """Byte, shift and value of a bit, or of a counter."""
        width = self.params[2] if self.kind == COUNTING else 1
        byte, shift = at * width // 8, at * width % 8
        return byte, shift, self.body[byte] >> shift & (1 << width) - 1

    def take_integers(self):
        """Section 9.5: the body of a bitmap is a set of integers."""
        size, count = self.params[:2]
        need(not any(self.body[size:]), "CORRUPT", "padding of a bitmap")
        try:
            self.integers = set(roaring.integers(bytes(self.body[:size])))
        except ValueError as error:
            raise Refused("CORRUPT", f"bitmap: {error}") from error
        need(len(self.integers) == count, "CORRUPT", f"{len(self.integers)} integers, not {count}")

    def add(self, h):
        """Adds a digest of a journal; a layer that this would overfill is not made here."""
        if self.kind == SCALABLE:
            if not self.may_contain(h):
                self.children[-1].add(h)
            return
        if self.kind == CUCKOO:
            need(slow_cuckoo.Table(self.body, self.params[:5]).add(h), "CORRUPT", "no place is left")
            return
        most = (1 << self.params[2]) - 1 if self.kind == COUNTING else 1
        for at in self.positions(h):
            byte, shift, value = self.place(at)
            self.body[byte] += (value < most) << shift


class Header:
    """Sections 2 and 5, steps 1 to 4. `data` is the plain encoding, or its start."""

    def __init__(self, data):
        need(data, "TRUNCATED", "no bytes at all")
        need(data[:8] == MAGIC[:len(data)], "CORRUPT", "no magic")
        need(len(data) >= 64, "TRUNCATED", f"{len(data)} bytes")
        self.version, self.header_bytes = u32(data, 8), u32(data, 12)
        need(self.version != 0, "CORRUPT", "version 0")
        need(self.version == 1, "VERSION", f"version {self.version}, this reader knows 1")
        need(HEADER_MIN <= self.header_bytes <= HEADER_MAX and self.header_bytes % 64 == 0,
             "CORRUPT", f"header of {self.header_bytes} bytes")
        need(len(data) >= self.header_bytes, "TRUNCATED", "ends inside the header")
        self.header_sum = u64(data, self.header_bytes - 8)
        need(checksum(data[:self.header_bytes - 8], 0) == self.header_sum, "CORRUPT",
             "header_sum disagrees")
        self.read_fixed(data)
        self.read_nodes(data)
        self.read_rest(data)

    def read_fixed(self, data):
        (self.file_bytes, self.hash_id, flags, self.seed, self.fingerprint, name,
         self.node_count, self.chunk_log2, self.body_bytes, self.metadata_bytes,
         reserved) = struct.unpack("<QIIQQ48sIIQII", data[16:FIXED_BYTES])
        need(flags == 0, "VERSION", f"flags {flags:#x}")
        need(reserved == 0, "CORRUPT", "reserved field")
        need(self.hash_id != 0, "CORRUPT", "hash 0")
        text = name.rstrip(b"\0")
        need(1 <= len(text) <= 47 and all(0x21 <= c <= 0x7e for c in text), "CORRUPT",
             f"hash_name {name}")
        self.hash_name = text.decode("ascii")
        need(1 <= self.node_count <= 4096, "CORRUPT", f"{self.node_count} nodes")
        need(12 <= self.chunk_log2 <= 20, "CORRUPT", f"chunk_log2 {self.chunk_log2}")
        need(self.body_bytes <= 1 << 56, "CORRUPT", f"body of {self.body_bytes} bytes")
        need(self.metadata_bytes <= 65_536, "CORRUPT", f"{self.metadata_bytes} of metadata")
        self.metadata_at = FIXED_BYTES + NODE_BYTES * self.node_count
        used = self.metadata_at + self.metadata_bytes + 8
        need(self.header_bytes == -(-used // 64) * 64, "CORRUPT",
             f"header of {self.header_bytes} bytes for {used}")

    def read_nodes(self, data):
        self.nodes = [Node(data[at:at + NODE_BYTES])
                      for at in range(FIXED_BYTES, self.metadata_at, NODE_BYTES)]
        waiting = iter(self.nodes)
        self.root = self.take_tree(waiting, 1)
        need(next(waiting, None) is None, "CORRUPT", "nodes outside the tree")

    def take_tree(self, waiting, level):
        node = next(waiting, None)
        need(node is not None, "CORRUPT", "the tree needs more nodes than there are")
        need(level <= 8, "CORRUPT", "the tree has more than 8 levels")
        for _ in range(node.child_count):
            node.children.append(self.take_tree(waiting, level + 1))
        return node

    def read_rest(self, data):
        need(self.body_bytes == sum(node.body_bytes for node in self.nodes), "CORRUPT",
             "body_bytes is not the sum of the nodes'")
        self.chunk_bytes = 1 << self.chunk_log2
        self.chunk_count = -(-self.body_bytes // self.chunk_bytes)
        self.body_end = self.header_bytes + self.body_bytes
        need(self.file_bytes == self.body_end + 8 * self.chunk_count + 8, "CORRUPT",
             f"file_bytes {self.file_bytes}")
        metadata_end = self.metadata_at + self.metadata_bytes
        self.metadata = data[self.metadata_at:metadata_end]
        need(not any(data[metadata_end:self.header_bytes - 8]), "CORRUPT", "padding")

    def check_meaning(self, secret):
        """Section 5, step 5: hash, secret, kinds."""
        need(HASH_NAMES.get(self.hash_id) == self.hash_name, "UNAVAILABLE",
             f"hash {self.hash_id}, {self.hash_name}")
        if self.hash_id == SIPHASH:
            need(secret is not None, "SECRET", "a secret is needed")
            need(fingerprint(secret) == self.fingerprint, "SECRET", "another secret")
        else:
            need(self.fingerprint == 0, "CORRUPT", f"{self.hash_name} has no secret")
            need(secret is None, "SECRET", "made without a secret, but one was given")
        for node in self.nodes:
            need(node.kind in CHECKS, "VERSION", f"kind {node.kind}")
        for node in self.nodes:
            CHECKS[node.kind](node)


# ---- sections 3, 4 and 5: body and trailer ----

def chunk_is_sound(header, data, i):
    begin = header.header_bytes + i * header.chunk_bytes
    end = min(begin + header.chunk_bytes, header.body_end)
    stated = u64(data, header.body_end + 8 * i)
    return checksum(data[begin:end], header.header_sum + i) == stated


def check_body(header, data):
    for i in range(header.chunk_count):
        need(chunk_is_sound(header, data, i), "CORRUPT", f"chunk {i} disagrees")
    return check_table(header, data)


def check_table(header, data):
    """The digests that were appended; raises when table_sum fits no journal."""
    table = data[header.body_end:header.file_bytes - 8]
    table_sum = u64(data, header.file_bytes - 8)
    return journal(header, data[header.file_bytes:],
                   lambda size: checksum(table, header.header_sum + size & M64) == table_sum)


# ---- section 4.1: the journal ----

RECORD = bytes.fromhex("8954414d4a4e0a1a")


def journal_record(header, tail, at):
    """The digests of the record at this offset."""
    need(tail[at:at + 8] == RECORD and len(tail) >= at + 16, "CORRUPT", "table_sum disagrees")
    count = u64(tail, at + 8)
    end = at + 16 + 8 * count
    need(1 <= count <= 1 << 40 and len(tail) >= end + 8, "CORRUPT", "a record is not whole")
    need(checksum(tail[at:end], header.header_sum + at & M64) == u64(tail, end), "CORRUPT",
         "the checksum of a record disagrees")
    return list(struct.unpack(f"<{count}Q", tail[at + 16:end]))


def journal(header, tail, counts):
    """The digests of the records that count, for which table_sum holds."""
    at, digests = 0, []
    while not counts(at):
        more = journal_record(header, tail, at)
        digests += more
        at += 24 + 8 * len(more)
    need(all(byte in (0, of_record) for byte, of_record in zip(tail[at:], RECORD)), "CORRUPT",
         "goes on after its end")
    return digests


def salvage_body(header, data):
    """The body area with every bit of a damaged chunk set, and the damaged chunks."""
    body, damaged = bytearray(), []
    whole = len(data) >= header.file_bytes
    if whole:
        check_table(header, data)
    for i in range(header.chunk_count):
        begin = header.header_bytes + i * header.chunk_bytes
        size = min(header.chunk_bytes, header.body_end - begin)
        if whole and chunk_is_sound(header, data, i):
            body += data[begin:begin + size]
        else:
            body += b"\xff" * size
            damaged.append(i)
    return bytes(body), damaged


class Filter:
    """A filter that was read, and what it answers."""

    def __init__(self, header, body, secret, damaged=()):
        self.header, self.root, self.secret, self.damaged = header, header.root, secret, damaged
        at = 0
        for node in header.nodes:
            node.body = bytearray(body[at:at + node.body_bytes])
            at += node.body_bytes
            if node.kind == BITMAP:
                need(not damaged, "CORRUPT", "a damaged bitmap cannot be salvaged")
                node.take_integers()

    def digest(self, key):
        return digest(self.header.hash_id, self.header.seed, self.secret, key)

    def may_contain(self, key):
        if self.root.kind == BITMAP:
            return len(key) == 8 and int.from_bytes(key, "little") in self.root.integers
        return self.root.may_contain(self.digest(key))


def read_plain(data, secret=None, salvage=False):
    header = Header(data)
    header.check_meaning(secret)
    if salvage:
        body, damaged = salvage_body(header, data)
        return Filter(header, body, secret, damaged)
    need(len(data) >= header.file_bytes, "TRUNCATED",
         f"{len(data)} bytes of {header.file_bytes}")
    appended = check_body(header, data)
    read = Filter(header, data[header.header_bytes:header.body_end], secret)
    for h in appended:
        read.root.add(h)
    return read


# ---- section 6: compressed transport ----

def gzip_machine():
    return zlib.decompressobj(wbits=31)


def zstd_machine():
    try:
        from compression import zstd  # Python 3.14
        return zstd.ZstdDecompressor()
    except ImportError:
        pass
    try:
        import zstandard
        return zstandard.ZstdDecompressor().decompressobj()
    except ImportError:
        raise Refused("UNAVAILABLE", "this Python has no module for zstd") from None


def read_compressed(machine, data, secret, salvage):
    """One frame or member: its contents are judged first, then its end."""
    try:
        contents = machine.decompress(data)
    except Exception as error:  # each module has its own
        raise Refused("CORRUPT", f"decompression: {error}") from error
    found = read_plain(contents, secret, salvage)
    need(len(contents) <= found.header.file_bytes, "CORRUPT", "the contents have no journal")
    need(machine.eof, "TRUNCATED", "the compressed frame ends early")
    need(not machine.unused_data, "CORRUPT", "bytes follow the compressed frame")
    return found


def read(data, secret=None, salvage=False):
    """The filter in these bytes, plain or compressed; raises Refused."""
    if data[:4] == ZSTD_MAGIC:
        return read_compressed(zstd_machine(), data, secret, salvage)
    if data[:2] == GZIP_MAGIC:
        return read_compressed(gzip_machine(), data, secret, salvage)
    return read_plain(data, secret, salvage)


def read_file(path, secret=None, salvage=False):
    with open(path, "rb") as file:
        return read(file.read(), secret, salvage)


# ---- the command ----

def describe(node, depth=0):
    words = KIND_NAMES[node.kind]
    if node.kind == CLASSIC:
        words += " of {} bits, {} a key".format(*node.params)
    elif node.kind == BLOCKED:
        words += " of {} lines, {} bits a line, {} lines a key".format(*node.params)
    elif node.kind == BITMAP:
        words += " of {} bytes and {} integers".format(*node.params)
    elif node.kind == CUCKOO:
        words += " of {} chunks, {} buckets each, {} bits, {} places, layout {}".format(*node.params)
    else:
        words += " of {} layers".format(len(node.children))
    about = "about " if node.state & 1 else ""
    print(f"{'  ' * depth}{words}; {about}{node.added} of {node.capacity} keys at {node.fpr:g}")
    for child in node.children:
        describe(child, depth + 1)


def key_bytes(word):
    if word.startswith("hex:"):
        return bytes.fromhex(word[4:])
    if word.startswith("u64:"):
        return int(word[4:], 0).to_bytes(8, "little")
    return word.encode()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--secret", type=bytes.fromhex, help="16 bytes in hex")
    parser.add_argument("file")
    parser.add_argument("key", nargs="*", type=key_bytes)
    asked = parser.parse_args()
    try:
        found = read_file(asked.file, asked.secret)
    except Refused as refusal:
        print(f"{asked.file}: {refusal}", file=sys.stderr)
        return 2
    print(f"hash {found.header.hash_name}, seed {found.header.seed}")
    describe(found.root)
    if found.header.metadata:
        print(f"metadata {found.header.metadata!r}")
    answers = [found.may_contain(key) for key in asked.key]
    for key, answer in zip(asked.key, answers):
        print(f"{'maybe' if answer else 'no   '} {key!r}")
    return 0 if all(answers) else 1


if __name__ == "__main__":
    sys.exit(main())
