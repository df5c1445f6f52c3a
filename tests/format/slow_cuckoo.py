"""slow_cuckoo - cuckoo filters as section 9.7 of docs/format.md describes them.

Part of slow_reader.py, in a file of its own for its length. It works on any body,
by plain integers, and adds as the page says, so that a journal can be taken in.
"""
from itertools import combinations_with_replacement

from slow_hashes import M64

MOVES = 8192


def mulhi(a, b):
    return a * b >> 64


def bucket_bits(bits, places, layout):
    return places * bits - (4 if layout else 0)


def chunk_bytes(buckets, bits, places, layout):
    last = (buckets - 1) * bucket_bits(bits, places, layout) // 8
    return (last + 16 + 63) // 64 * 64


def body_bytes(params):
    chunks, buckets, *form = params
    return chunks * chunk_bytes(buckets, *form)


# Four ascending nibbles, in the order of their numbers: by the last, then the one before.
NIBBLES = sorted(combinations_with_replacement(range(16), 4), key=lambda n: n[::-1])
NUMBERS = {nibbles: number for number, nibbles in enumerate(NIBBLES)}


class Table:
    """A body with its parameters."""

    def __init__(self, body, params):
        self.body = body
        self.chunks, self.buckets, self.bits, self.places, self.layout = params
        self.width = bucket_bits(self.bits, self.places, self.layout)
        self.chunk = chunk_bytes(self.buckets, self.bits, self.places, self.layout)

    def spot(self, h):
        product = h * self.chunks
        high = (h * 0x9E3779B97F4A7C15 & M64) >> 32
        fingerprint = 1 + (high * ((1 << self.bits) - 1) >> 32)
        return product >> 64, mulhi(product & M64, self.buckets), fingerprint

    def alternate(self, bucket, fingerprint):
        scrambled = fingerprint * 0x9E3779B1 & 0xFFFFFFFF
        return ((scrambled * self.buckets >> 32 | 1) - bucket) % self.buckets

    def read(self, chunk, bucket):
        """The places of a bucket, first to last."""
        at, shift = divmod(bucket * self.width, 8)
        at += chunk * self.chunk
        word = int.from_bytes(self.body[at:at + 17], "little") >> shift & (1 << self.width) - 1
        if not self.layout:
            return [word >> i * self.bits & (1 << self.bits) - 1 for i in range(self.places)]
        rest, number = self.bits - 4, word & 4095
        nibbles = NIBBLES[number] if number < len(NIBBLES) else (0, 0, 0, 0)
        return [nibbles[i] << rest | word >> 12 + i * rest & (1 << rest) - 1 for i in range(4)]

    def write(self, chunk, bucket, places):
        if self.layout:
            rest, places = self.bits - 4, sorted(places)
            word = NUMBERS[tuple(f >> rest for f in places)]
            for i, f in enumerate(places):
                word |= (f & (1 << rest) - 1) << 12 + i * rest
        else:
            word = sum(f << i * self.bits for i, f in enumerate(places))
        at, shift = divmod(bucket * self.width, 8)
        window = slice(chunk * self.chunk + at, chunk * self.chunk + at + 16)
        area = int.from_bytes(self.body[window], "little")
        area &= ~((1 << self.width) - 1 << shift)
        self.body[window] = (area | word << shift).to_bytes(16, "little")

    def may_contain(self, h):
        chunk, bucket, f = self.spot(h)
        return f in self.read(chunk, bucket) or f in self.read(chunk, self.alternate(bucket, f))

    def put(self, chunk, bucket, fingerprint):
        places = self.read(chunk, bucket)
        if 0 not in places:
            return False
        places[places.index(0)] = fingerprint
        self.write(chunk, bucket, places)
        return True

    def add(self, h):
        """True, or False when no place was found (and this table is then spoilt)."""
        chunk, bucket, f = self.spot(h)
        if self.put(chunk, bucket, f):
            return True
        bucket = self.alternate(bucket, f)
        if self.put(chunk, bucket, f):
            return True
        for step in range(MOVES):
            mixed = (h + step * 0x9E3779B97F4A7C15) * 0xD6E8FEB86659FD93 & M64
            places, choice = self.read(chunk, bucket), (mixed >> 32) % self.places
            for i in range(self.places):  # one that finds room at once goes first
                if 0 in self.read(chunk, self.alternate(bucket, places[i])):
                    choice = i
                    break
            places[choice], f = f, places[choice]
            self.write(chunk, bucket, places)
            bucket = self.alternate(bucket, f)
            if self.put(chunk, bucket, f):
                return True
        return False
