"""slow_roaring - the portable bytes of 64-bit Roaring bitmaps, read slowly.

Written from the public specification of the format (RoaringFormatSpec and its
extension to 64 bits) and section 9.5 of docs/format.md; knows nothing of the C
sources. `integers` gives the set, or raises ValueError with what is wrong.
"""
import struct

COOKIE, COOKIE_PLAIN = 12347, 12346
ARRAY_MOST = 4096
OFFSETS_FROM = 4  # chunks, where there are run flags


class Bytes:
    """Bytes that are taken from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        if self.at + size > len(self.data):
            raise ValueError("ends early")
        self.at += size
        return self.data[self.at - size:self.at]

    def numbers(self, form, count=1):
        return struct.unpack(f"<{count}{form}", self.take(count * struct.calcsize(f"<{form}")))


def ascending(numbers, what):
    if any(a >= b for a, b in zip(numbers, numbers[1:])):
        raise ValueError(f"{what} do not ascend")
    return numbers


def runs(data):
    """Each is a first value and how many follow it."""
    out = []
    (count,) = data.numbers("H")
    for _ in range(count):
        first, more = data.numbers("H", 2)
        out += range(first, first + more + 1)
    if out and out[-1] > 65535:
        raise ValueError("a run leaves its chunk")
    return out


def bits(data):
    raw = data.take(8192)
    return [value for value in range(65536) if raw[value // 8] >> value % 8 & 1]


def chunk(data, cardinality, is_runs):
    if is_runs:
        values = runs(data)
    elif cardinality <= ARRAY_MOST:
        values = list(data.numbers("H", cardinality))
    else:
        values = bits(data)
    if len(values) != cardinality:
        raise ValueError(f"{len(values)} values, not {cardinality}")
    return ascending(values, "values")


def bitmap(data):
    """A 32-bit bitmap, and which of its chunks are runs."""
    begin = data.at
    (cookie,) = data.numbers("I")
    if cookie & 0xffff == COOKIE:
        count = (cookie >> 16) + 1
        raw = data.take((count + 7) // 8)
        flags = [bool(raw[i // 8] >> i % 8 & 1) for i in range(count)]
    elif cookie == COOKIE_PLAIN:
        (count,) = data.numbers("I")
        flags = [False] * count
    else:
        raise ValueError(f"cookie {cookie}")
    heads = [data.numbers("H", 2) for _ in range(count)]
    ascending([key for key, _ in heads], "keys")
    has_offsets = cookie == COOKIE_PLAIN or count >= OFFSETS_FROM
    offsets = data.numbers("I", count) if has_offsets else None
    values = []
    for i, (key, less) in enumerate(heads):
        if offsets and offsets[i] != data.at - begin:
            raise ValueError(f"offset of chunk {i}")
        values += [key << 16 | low for low in chunk(data, less + 1, flags[i])]
    return values, flags


def smallest(values):
    """Whether runs are the smallest form of these values of one chunk."""
    count = sum(1 for i, value in enumerate(values) if i == 0 or values[i - 1] + 1 != value)
    return 2 + 4 * count < (2 * len(values) if len(values) <= ARRAY_MOST else 8192)


def integers(raw, canonical=False):
    """The set in these bytes; `canonical` also requires the one form of section 9.5."""
    data, out, highs = Bytes(raw), [], []
    (count,) = data.numbers("Q")
    for _ in range(count):
        highs += data.numbers("I")
        values, flags = bitmap(data)
        if canonical:
            keys = sorted({value >> 16 for value in values})
            best = [smallest([value for value in values if value >> 16 == key]) for key in keys]
            if best != flags or not values:
                raise ValueError("not in its smallest form")
        out += [highs[-1] << 32 | value for value in values]
    ascending(highs, "high words")
    if data.at != len(raw):
        raise ValueError("goes on after its end")
    return out
