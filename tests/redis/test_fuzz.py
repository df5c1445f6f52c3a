"""RESTORE and LOADCHUNK with bytes that nobody meant: every truncation, flipped
bytes, fields of other sizes. The server lives, and whatever it takes can be
asked, saved and loaded. The library's decoders have a libFuzzer target besides;
here the whole way through a server is walked. Prints its seed."""
import os
import random
import struct

import rdb
from resp import Error
from servers import GOLDEN, Checks, Server, binaries

FOLDER = GOLDEN / "foreign/redisbloom"
SEED = int(os.environ.get("TAMIS_SEED", "1"))
ROUNDS = int(os.environ.get("TAMIS_ROUNDS", "60"))


def sealed(body):
    """A body with a footer whose checksum is right."""
    body += struct.pack("<H", 9)
    return body + struct.pack("<Q", rdb.crc64(body))


def interesting(random_):
    return random_.choice([0, 1, 2, 7, 63, 64, 255, 256, 65535, 1 << 31, (1 << 32) - 1, 1 << 32,
                           1 << 40, 1 << 56, 1 << 63, (1 << 64) - 1])


def flipped(random_, data):
    data = bytearray(data)
    for _ in range(random_.randint(1, 3)):
        data[random_.randrange(len(data))] = random_.choice([0, 1, 0x7f, 0x80, 0xff,
                                                             random_.randrange(256)])
    return bytes(data)


def wrong_field(random_, name, fields):
    fields = list(fields)
    at = random_.randrange(len(fields))
    if isinstance(fields[at], int):
        fields[at] = interesting(random_)
    elif isinstance(fields[at], float):
        fields[at] = random_.choice([0.0, -1.0, 1e308, 5e-324, float("inf"), float("nan"), 0.5])
    else:
        fields[at] = fields[at][:random_.randrange(len(fields[at]) + 1)] * random_.randint(1, 2)
    return rdb.value(name, random_.randrange(5), fields)


def wrong_words(random_, header):
    """A header chunk with one of its words replaced."""
    at = random_.randrange(0, max(1, len(header) - 8))
    size = random_.choice([1, 2, 4, 8])
    word = (interesting(random_) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    return (header[:at] + word + header[at + size:])[:len(header)]


def use(client, key):
    """Whatever was taken answers, is dumped, restored and taken away."""
    family = "BF" if client.ok("TYPE", key) == "MBbloom--" else "CF"
    for words in ((f"{family}.INFO", key), (f"{family}.DEBUG", key), (f"{family}.EXISTS", key, "x"),
                  (f"{family}.ADD", key, "x"), (f"{family}.MEXISTS", key, *range(20)),
                  (f"{family}.SCANDUMP", key, 0), (f"{family}.SCANDUMP", key, 1),
                  ("CF.DEL", key, "x"), ("CF.COUNT", key, "x"), ("CF.COMPACT", key),
                  ("MEMORY", "USAGE", key), ("DEBUG", "DIGEST-VALUE", key)):
        client(*words)
    bytes_of_key = client("DUMP", key)
    if isinstance(bytes_of_key, bytes) and len(bytes_of_key) < 1 << 24:
        client.ok("RESTORE", "again", 0, bytes_of_key, "REPLACE")


def cut(data):
    """Every length of a short one, some of a long one."""
    step = max(1, len(data) // 120)
    return [data[:size] for size in range(0, len(data), step)]


def restore_cases(random_):
    for path in sorted(FOLDER.glob("*.dump*")):
        data = path.read_bytes()
        body = data[:-10]
        yield from ((path.name, sealed(part)) for part in cut(body))
        yield from ((path.name, sealed(flipped(random_, body))) for _ in range(ROUNDS))
        yield path.name, flipped(random_, data)
    layer = (100, 0.005, 8, 11.027753, 1152, 0, b"\x11" * 144, 3)
    for _ in range(ROUNDS * 10):
        fields = rdb.bloom_fields(4, [layer] * random_.randint(1, 3))
        yield "Bloom fields", sealed(wrong_field(random_, "MBbloom--", fields))
        fields = rdb.cuckoo_fields(4, 32, 64, [b"\1" * 64] * random_.randint(1, 3))
        yield "cuckoo fields", sealed(wrong_field(random_, "MBbloomCF", fields))


def chunk_cases(random_):
    for path in sorted(FOLDER.glob("*.chunks")):
        data = path.read_bytes()
        cuckoo = "cuckoo" in path.name or path.name.startswith("cf")
        size = 38 if cuckoo else 20 + 53 * struct.unpack_from("<I", data, 8)[0]
        header = data[:size]
        family = "CF" if cuckoo else "BF"
        yield from ((family, part) for part in cut(header))
        yield from ((family, flipped(random_, header)) for _ in range(ROUNDS))
        yield from ((family, wrong_words(random_, header)) for _ in range(ROUNDS))


def check_restore(checks, server, random_):
    client = server.client()
    taken = tried = 0
    for name, data in restore_cases(random_):
        tried += 1
        reply = client("RESTORE", "k", 0, data, "REPLACE")
        if not isinstance(reply, Error):
            taken += 1
            use(client, "k")
        client("DEL", "k")
    checks.true(f"RESTORE of {tried} payloads, {taken} of them sound", server.alive() and taken)


def check_chunks(checks, server, random_):
    client = server.client()
    taken = tried = 0
    for family, header in chunk_cases(random_):
        tried += 1
        reply = client(f"{family}.LOADCHUNK", "k", 1, header)
        if isinstance(reply, Error):
            continue
        taken += 1
        for _ in range(3):
            place = random_.choice([2, 8, 9, 65, 145, interesting(random_) >> 1])
            client(f"{family}.LOADCHUNK", "k", place, random_.randbytes(random_.randint(0, 80)))
        if client.ok("MEMORY", "USAGE", "k") < 1 << 24:
            use(client, "k")
        client("DEL", "k")
    checks.true(f"LOADCHUNK of {tried} headers, {taken} of them sound", server.alive() and taken)


def main():
    print("seed", SEED)
    checks = Checks()
    for binary in binaries():
        with Server(binary, arguments=("tamis-max-filter-bytes", "256mb")) as server:
            check_restore(checks, server, random.Random(SEED))
            check_chunks(checks, server, random.Random(SEED))
            client = server.client()
            checks.equal("it still counts", client.ok("BF.MADD", "after", 1, 2), [1, 1])
    checks.end()


main()
