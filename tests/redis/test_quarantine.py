"""Values that were saved and make no sense: kept apart, so that the rest loads.

RESTORE refuses them. In a file they are kept as they are: answered with an
error, saved again byte for byte, gone with DEL."""
import struct
from pathlib import Path

import rdb
from resp import Error, Simple
from servers import Checks, Server, binaries, info, wait_for

BLOOM, CUCKOO = "MBbloom--", "MBbloomCF"
ENTRY = 11.027753  # bits per entry of rate 0.005
FOOTER = 10


def layer(**other):
    row = dict(capacity=100, error=0.005, hashes=8, entry=ENTRY, bits=1152, n2=0,
               array=b"\x11" * 144, items=3)
    row.update(other)
    return tuple(row.values())


def bloom(encver=4, head=(), **other):
    fields = rdb.bloom_fields(encver, [layer(**other)])
    for place, value in head:
        fields[place] = value
    return fields


def cuckoo(encver=4, head=(), arrays=(b"\1" * 64,)):
    fields = rdb.cuckoo_fields(encver, 32, 64, list(arrays))
    for place, value in head:
        fields[place] = value
    return fields


SOUND = [
    ("Bloom", BLOOM, 4, bloom()),
    ("Bloom, encver 3", BLOOM, 3, bloom(3)),
    ("Bloom, encver 2", BLOOM, 2, bloom(2)),
    ("Bloom, encver 1", BLOOM, 1, bloom(1)),
    ("Bloom, encver 0", BLOOM, 0, bloom(0)),
    ("cuckoo", CUCKOO, 4, cuckoo()),
    *[(f"cuckoo, encver {v}", CUCKOO, v, cuckoo(v)) for v in range(4)],
]

DAMAGED = [
    ("no layer", BLOOM, [0, 0, 5, 2]),
    ("an option bit that does not exist", BLOOM, bloom(head=[(2, 64)])),
    ("a rate of 0", BLOOM, bloom(error=0.0)),
    ("a rate of 2", BLOOM, bloom(error=2.0)),
    ("a rate that is no number", BLOOM, bloom(error=float("nan"))),
    ("n2 of 64", BLOOM, bloom(n2=64)),
    ("no bits", BLOOM, bloom(bits=0)),
    ("bits that are not 8 times the bytes", BLOOM, bloom(bits=1160)),
    ("more bits than the array has", BLOOM, bloom(bits=1 << 40)),
    ("more bits than a number holds", BLOOM, bloom(bits=(1 << 64) - 1)),
    ("an empty array", BLOOM, bloom(array=b"")),
    ("too few hashes", BLOOM, bloom(hashes=1)),
    ("2^32 hashes", BLOOM, bloom(hashes=1 << 32)),
    ("endless bits per entry", BLOOM, bloom(entry=float("inf"))),
    ("no sub-filter", CUCKOO, [0, 32, 0, 0, 2, 20, 1]),
    ("no bucket", CUCKOO, cuckoo(head=[(1, 0)])),
    ("buckets that are no power of two", CUCKOO, cuckoo(head=[(1, 33), (7, 33)])),
    ("an array that is too short", CUCKOO, cuckoo(arrays=(b"\1" * 63,))),
    ("an array that is too long", CUCKOO, cuckoo(head=[(7, 32)], arrays=(b"\1" * 66,))),
    ("bucket size 0", CUCKOO, cuckoo(head=[(4, 0)])),
    ("2^40 buckets", CUCKOO, cuckoo(head=[(7, 1 << 40)])),
]

BROKEN = [  # the fields themselves are not all there
    ("more layers than follow", BLOOM, bloom(head=[(1, 2)])),
    ("2^40 layers", BLOOM, bloom(head=[(1, 1 << 40)])),
    ("more sub-filters than follow", CUCKOO, cuckoo(head=[(0, 2)])),
    ("a string for a number", BLOOM, [b"x", *bloom()[1:]]),
    ("nothing", CUCKOO, []),
]


def check_restore(checks, server):
    client = server.client()
    for why, name, encver, fields in SOUND:
        reply = client("RESTORE", "k", 0, rdb.payload(name, encver, fields), "REPLACE")
        checks.equal(f"RESTORE {why}", reply, Simple("OK"))
        bytes_of_key = client.ok("DUMP", "k")
        client.ok("RESTORE", "l", 0, bytes_of_key, "REPLACE")
        checks.equal(f"{why}, dumped twice", client.ok("DUMP", "l"), bytes_of_key)
    client.ok("DEL", "k", "l")
    newer = rdb.payload(BLOOM, 5, bloom())
    checks.true("encver 5 is refused", isinstance(client("RESTORE", "k", 0, newer), Error))
    for why, name, fields in DAMAGED + BROKEN:
        reply = client("RESTORE", "k", 0, rdb.payload(name, 4, fields))
        checks.true(f"RESTORE {why}: {reply}", isinstance(reply, Error))
    checks.equal("and there is nothing", client("EXISTS", "k"), 0)
    checks.true("the server lives", server.alive())


def data_file(values):
    """An RDB file of database 0 with these (key, value) pairs and two strings."""
    out = b"REDIS0009" + b"\xfe" + rdb.length(0)
    out += b"\x00" + rdb.field(b"first")[1:] + b"\x01a"
    for key, value in values:
        out += value[:1] + rdb.length(len(key)) + key + value[1:]
    out += b"\x00" + rdb.field(b"last")[1:] + b"\x01z"
    out += b"\xff"
    return out + struct.pack("<Q", rdb.crc64(out))


def load(server, values):
    server.stop()
    Path(server.folder, "dump.rdb").write_bytes(data_file(values))
    server.start()
    return server.client()


def commands(key):
    yield from (("BF.ADD", key, "x"), ("BF.MADD", key, "x"), ("BF.EXISTS", key, "x"),
                ("BF.MEXISTS", key, "x"), ("BF.CARD", key), ("BF.INFO", key), ("BF.DEBUG", key),
                ("BF.SCANDUMP", key, 0), ("BF.LOADCHUNK", key, 2, "x"),
                ("BF.RESERVE", key, 0.01, 100), ("CF.ADD", key, "x"), ("CF.EXISTS", key, "x"),
                ("CF.DEL", key, "x"), ("CF.COUNT", key, "x"), ("CF.COMPACT", key),
                ("CF.INFO", key), ("CF.SCANDUMP", key, 0))


def check_quarantined(checks, client, key, why, wanted):
    family = "BF" if key.startswith(b"b") else "CF"
    for words in commands(key):
        if words[0].startswith(family):
            reply = client(*words)
            checks.true(f"{why}: {words[0]}: {reply}",
                        isinstance(reply, Error) and "quarantined" in str(reply))
    checks.equal(f"{why}: DUMP", client.ok("DUMP", key)[:-FOOTER], wanted)


def check_file(checks, server):
    values = [(b"%c%d" % (b"bc"[name == CUCKOO], i), rdb.value(name, 4, fields))
              for i, (_, name, fields) in enumerate(DAMAGED)]
    client = load(server, values)
    checks.equal("the rest loads", [client("GET", "first"), client("GET", "last")], [b"a", b"z"])
    checks.equal("all keys are there", client.ok("DBSIZE"), len(values) + 2)
    checks.equal("they are counted", info(client, "bf_tamis")["bf_quarantined"], str(len(values)))
    checks.true("the log tells", server.log().count("is quarantined") >= len(values))
    for (key, value), (why, *_) in zip(values, DAMAGED):
        check_quarantined(checks, client, key, why, value)
    client.ok("DEBUG", "RELOAD")
    for (key, value), (why, *_) in zip(values, DAMAGED):
        checks.equal(f"{why}: saved and loaded", client.ok("DUMP", key)[:-FOOTER], value)
    client.ok("COPY", "b0", "copied")
    checks.equal("COPY", client.ok("DUMP", "copied")[:-FOOTER], values[0][1])
    checks.equal("DEBUG DIGEST-VALUE", client.ok("DEBUG", "DIGEST-VALUE", "copied"),
                 client.ok("DEBUG", "DIGEST-VALUE", "b0"))
    client.ok("DEL", "copied")
    return client, values


def check_rewrite(checks, server, client, values):
    """The append-only file without RDB preamble has them as well."""
    client.ok("CONFIG", "SET", "aof-use-rdb-preamble", "no")
    client.ok("CONFIG", "SET", "appendonly", "yes")
    wait_for("rewrite", lambda: info(client, "persistence")["aof_rewrite_in_progress"] == "0"
             and info(client, "persistence")["aof_rewrite_scheduled"] == "0")
    client.ok("DEBUG", "LOADAOF")
    for (key, value), (why, *_) in zip(values, DAMAGED):
        checks.equal(f"{why}: rewritten", (client.ok("DUMP", key) or b"")[:-FOOTER], value)
    checks.equal("DEL", client.ok("DEL", *[key for key, _ in values]), len(values))
    checks.equal("none is left", info(client, "bf_tamis")["bf_quarantined"], "0")


def main():
    checks = Checks()
    for binary in binaries():
        with Server(binary) as server:
            check_restore(checks, server)
            check_rewrite(checks, server, *check_file(checks, server))
    checks.end()


main()
