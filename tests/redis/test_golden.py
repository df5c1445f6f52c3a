"""The bytes of the peer: made again, restored, dumped, taken in pieces.

peer_cases.json tells of each filter how a real RedisBloom made it and what it
answered; tests/golden/foreign/redisbloom has the bytes it gave.
"""
import hashlib
import json
from pathlib import Path

from resp import Simple
from servers import GOLDEN, Checks, Server, binaries

FOLDER = GOLDEN / "foreign/redisbloom"
CASES = json.loads(Path(__file__).with_name("peer_cases.json").read_text())
FOOTER = 10  # of a DUMP payload: the server's RDB version and a checksum


def payload(case, ending):
    path = FOLDER / f"{case['name']}.{ending}"
    return path.read_bytes() if path.exists() else None


def make(client, case, key):
    """Makes the filter as the peer was told to, one item at a time; the items
    that were not taken."""
    family = case["family"]
    client.ok(f"{family}.RESERVE", key, *case["reserve"])
    items = [case["key"] + str(i) for i in range(case["items"])]
    replies = client.pipeline([(f"{family}.ADD", key, item) for item in items])
    if case["again"]:
        client.pipeline([(f"{family}.ADD", key, item) for item in items[::case["again"]]])
    for i in case["deleted"]:
        client.ok("CF.DEL", key, items[i])
    return [i for i, reply in enumerate(replies) if reply != 1]


def told(client, case, key):
    """INFO as a dict of the peer's names."""
    reply = client.ok(f"{case['family']}.INFO", key)
    return dict(zip(map(str, reply[::2]), reply[1::2]))


def positives(client, case, key):
    items = [case["absent"] + str(i) for i in range(case["probes"])]
    replies = client.ok(f"{case['family']}.MEXISTS", key, *items)
    found = [i for i, reply in enumerate(replies) if reply]
    return len(found), hashlib.sha256(json.dumps(found).encode()).hexdigest()


def chunks(client, case, key):
    """All that SCANDUMP gives: (iterators and sizes, bytes)."""
    found, data, at = [], b"", 0
    while True:
        at, part = client.ok(f"{case['family']}.SCANDUMP", key, at)
        if at == 0:
            return found, data
        found.append([at, len(part)])
        data += part


def load_chunks(client, case, key, data):
    """Loads the pieces; the replies."""
    replies, done = [], 0
    for at, size in case["chunks"]:
        replies.append(client(f"{case['family']}.LOADCHUNK", key, at, data[done:done + size]))
        done += size
    return replies


def check_answers(checks, client, case, key, how):
    name = f"{case['name']} {how}"
    checks.equal(f"{name}: info", told(client, case, key), case["info"])
    checks.equal(f"{name}: absent items that it has", positives(client, case, key),
                 (case["positives"], case["positives_sha256"]))
    if case["debug"]:
        reply = client.ok(f"{case['family']}.DEBUG", key)
        lines = [line.decode() for line in reply] if isinstance(reply, list) else reply.decode()
        checks.equal(f"{name}: debug", lines, case["debug"])
    if case.get("counts"):
        counts = [client("CF.COUNT", key, f"i{i}") for i in range(20)]
        checks.equal(f"{name}: counts", counts, case["counts"])


def check_made(checks, client, case):
    name = case["name"]
    checks.equal(f"{name}: items not taken", make(client, case, "made"), case["not_added"])
    check_answers(checks, client, case, "made", "made here")
    wanted = payload(case, "dump")
    if wanted:
        checks.equal(f"{name}: DUMP", client.ok("DUMP", "made")[:-FOOTER], wanted[:-FOOTER])
    places, data = chunks(client, case, "made")
    checks.equal(f"{name}: SCANDUMP's places", places, case["chunks"])
    if case["chunks"] and payload(case, "chunks"):
        checks.equal(f"{name}: SCANDUMP", data, payload(case, "chunks"))


def check_restored(checks, client, case, ending):
    bytes_of_peer = payload(case, ending)
    if not bytes_of_peer:
        return
    key = "restored." + ending
    name = f"{case['name']}.{ending}"
    checks.equal(f"{name}: RESTORE", client("RESTORE", key, 0, bytes_of_peer), Simple("OK"))
    check_answers(checks, client, case, key, "restored")
    plain = payload(case, "dump")
    if plain:
        checks.equal(f"{name}: DUMP again", client.ok("DUMP", key)[:-FOOTER], plain[:-FOOTER])


def check_loaded(checks, client, case):
    data = payload(case, "chunks")
    if not data or not case["chunks"]:
        return
    replies = load_chunks(client, case, "loaded", data)
    checks.equal(f"{case['name']}: LOADCHUNK", replies, [Simple("OK")] * len(case["chunks"]))
    checks.equal(f"{case['name']}: DUMP of the loaded one", client.ok("DUMP", "loaded"),
                 client.ok("DUMP", "made"))


def check_compressed(checks, client, case):
    """With LZF strings, on the release that made the payloads."""
    wanted = payload(case, "dump_lzf")
    if wanted:
        checks.equal(f"{case['name']}: DUMP with LZF", client.ok("DUMP", "made"), wanted)


def main():
    checks = Checks()
    for binary in binaries():
        with Server(binary) as server:
            client = server.client()
            for case in CASES:
                client.ok("FLUSHALL")
                client.ok("CONFIG", "SET", "rdbcompression", "no")
                check_made(checks, client, case)
                check_restored(checks, client, case, "dump")
                check_restored(checks, client, case, "dump_lzf")
                check_loaded(checks, client, case)
                if server.name == "redis" and server.version[:2] == (7, 0):
                    client.ok("CONFIG", "SET", "rdbcompression", "yes")
                    check_compressed(checks, client, case)
            checks.true("the server lives", server.alive())
    checks.end()


main()
