"""Memory: what is refused before it is asked for, what the server sees of it,
what is freed behind its back, and filters too large to be true."""
import struct

from resp import Error
from servers import Checks, Server, binaries, info, wait_for

NO_MEMORY = Error("ERR Insufficient memory to create filter")
NO_HEADER = Error("Couldn't create filter!")


def header(layers, options=5, growth=2):
    """A BF header chunk; layers are (bytes, items, error, bits per entry, hashes, capacity)."""
    out = struct.pack("<QIII", sum(layer[1] for layer in layers), len(layers), options, growth)
    for size, items, error, entry, hashes, capacity in layers:
        out += struct.pack("<QQQddIQB", size, size * 8, items, error, entry, hashes, capacity, 0)
    return out


def cuckoo_header(buckets, filters, bucket, expansion):
    return struct.pack("<QQQQHHH", 1, buckets, 0, filters, bucket, 20, expansion)


def check_cap(checks, server):
    client = server.client()
    checks.equal("a filter over the cap", client("BF.RESERVE", "k", 0.01, 10000000), NO_MEMORY)
    checks.equal("a cuckoo filter over the cap", client("CF.RESERVE", "k", 10000000), NO_MEMORY)
    checks.equal("a header over the cap",
                 client("BF.LOADCHUNK", "k", 1, header([(1 << 30, 0, 0.005, 11.027753, 8, 1 << 27)])),
                 NO_MEMORY)
    checks.equal("a cuckoo header over the cap",
                 client("CF.LOADCHUNK", "k", 1, cuckoo_header(1 << 26, 1, 2, 1)), NO_HEADER)
    checks.equal("none of them is there", client("EXISTS", "k"), 0)
    checks.true("refusals are counted", int(info(client, "bf_tamis")["bf_refusals"]) >= 4)
    client.ok("BF.RESERVE", "g", 0.01, 100000, "EXPANSION", 100)
    replies = client.ok("BF.MADD", "g", *range(110000))
    refused = [i for i, reply in enumerate(replies) if isinstance(reply, Error)]
    checks.true("growth over the cap is refused", refused and refused[0] >= 100000)
    checks.equal("the others are there", client.ok("BF.CARD", "g"), 100000)
    checks.equal("one item has the words alone", client("BF.ADD", "g", "another"),
                 Error("ERR problem inserting into filter"))
    client.ok("FLUSHALL")


def check_small_layers(checks, server):
    """Many layers that are small each come under the cap as well."""
    client = server.client()
    client.ok("BF.RESERVE", "k", 0.01, 1000, "EXPANSION", 1)
    replies = client.ok("BF.MADD", "k", *range(60000))
    checks.true("growth is refused", isinstance(replies[-1], Error))
    size = client.ok("BF.INFO", "k", "SIZE")[0]
    checks.true(f"not far below the cap: {size}", 80000 < size <= 102400)


def check_absurd(checks, server):
    """Numbers that only an attacker sends."""
    client = server.client()
    for why, words in (
            ("layers of 2^60 bytes", ("BF.LOADCHUNK", "k", 1,
                                      header([(1 << 60, 0, 0.005, 11.027753, 8, 1 << 57)]))),
            ("a layer with 2^61 bytes: bits overflow",
             ("BF.LOADCHUNK", "k", 1, header([((1 << 61) - 1, 0, 0.005, 11.027753, 8, 100)]))),
            ("2^56 buckets", ("CF.LOADCHUNK", "k", 1, cuckoo_header(1 << 56, 1, 255, 1))),
            ("65535 sub-filters that double", ("CF.LOADCHUNK", "k", 1,
                                               cuckoo_header(2, 65535, 2, 2))),
            ("expansion 32768, 60 times", ("CF.LOADCHUNK", "k", 1,
                                           cuckoo_header(1024, 60, 2, 32768))),
            ("a rate near 0", ("BF.RESERVE", "k", "1e-308", 1 << 30)),
            ("as an item's option", ("BF.INSERT", "k", "ERROR", "1e-308", "CAPACITY", 1 << 30,
                                     "ITEMS", "x")),
            ("large buckets", ("CF.RESERVE", "k", 1 << 30, "BUCKETSIZE", 255, "EXPANSION", 32768))):
        reply = client(*words)
        if not isinstance(reply, Error):
            client.ok("CF.ADD", "k", "x")
            client.ok("DEL", "k")
        checks.true(f"{why}: {reply}", server.alive())
    checks.equal("the server answers", str(client.ok("PING")), "PONG")


def check_many_sub_filters(checks, server):
    """38 bytes cannot make the server build, or search, 65535 sub-filters; its own
    append-only file can."""
    client = server.client()
    for filters, wanted in ((1024, "OK"), (1025, NO_HEADER), (65535, NO_HEADER)):
        reply = client("CF.LOADCHUNK", "k", 1, cuckoo_header(2, filters, 2, 1))
        checks.equal(f"{filters} sub-filters", str(reply), str(wanted))
        client.ok("DEL", "k")


def check_sub_filters_of_our_own(checks, server):
    """Where filters may grow beyond 1024 sub-filters, headers may name them."""
    client = server.client()
    checks.equal("as many as may grow",
                 str(client("CF.LOADCHUNK", "k", 1, cuckoo_header(2, 2000, 2, 1))), "OK")
    checks.equal("one more", client("CF.LOADCHUNK", "l", 1, cuckoo_header(2, 2001, 2, 1)), NO_HEADER)
    digest = client.ok("DEBUG", "DIGEST-VALUE", "k")
    client.ok("DEBUG", "LOADAOF")
    checks.equal("the append-only file brings it back", client.ok("DEBUG", "DIGEST-VALUE", "k"),
                 digest)
    server.arguments = ()
    server.restart("stop")
    client = server.client()
    checks.equal("also where clients may not any more", client.ok("DEBUG", "DIGEST-VALUE", "k"),
                 digest)


def check_copies(checks, server):
    """COPY makes a filter as any command does: within the cap and maxmemory."""
    client = server.client()
    no_copy = Error("ERR module key failed to copy")
    client.ok("BF.RESERVE", "k", 0.01, 3000000)
    client.ok("CF.RESERVE", "c", 100)
    checks.equal("within all limits", client("COPY", "k", "l"), 1)
    empty_key = lambda: client.ok("EXISTS", "m")
    used = int(info(client, "memory")["used_memory"])
    refusals = int(info(client, "bf_tamis")["bf_refusals"])
    client.ok("CONFIG", "SET", "maxmemory", used + (2 << 20))
    checks.equal("above maxmemory", client("COPY", "k", "m"), no_copy)
    checks.equal("a small one fits", client("COPY", "c", "d"), 1)
    client.ok("CONFIG", "SET", "maxmemory", 0)
    if server.version >= (7, 0, 0):
        name = client.ok("CONFIG", "GET", "*tamis-max-filter-bytes")[0].decode()
        client.ok("CONFIG", "SET", name, "1mb")
        checks.equal("above the cap, which was lowered", client("COPY", "k", "m"), no_copy)
        checks.equal("a small one is below it", client("COPY", "c", "e"), 1)
        client.ok("CONFIG", "SET", name, "0")
        refusals += 1
    checks.equal("nothing is left of them", empty_key(), 0)
    checks.true("refusals are counted", int(info(client, "bf_tamis")["bf_refusals"]) > refusals)
    checks.equal("without limits again", client("COPY", "k", "m"), 1)
    client.ok("FLUSHALL")


def empty(client):
    """Flushes, and waits for what is freed in the background."""
    client.ok("FLUSHALL")
    ours = lambda name: info(client, "bf_tamis")["bf_" + name]
    wait_for("memory", lambda: ours("objects") == ours("bytes_being_freed") == "0")


def check_maxmemory(checks, server):
    client = server.client()
    empty(client)
    used = int(info(client, "memory")["used_memory"])
    client.ok("CONFIG", "SET", "maxmemory", used + (20 << 20))
    checks.equal("more than maxmemory leaves", client("BF.RESERVE", "k", 0.01, 30000000), NO_MEMORY)
    checks.equal("what fits", str(client("BF.RESERVE", "k", 0.01, 5000000)), "OK")
    grown = int(info(client, "memory")["used_memory"]) - used
    size = client.ok("BF.INFO", "k", "SIZE")[0]
    checks.true(f"INFO memory sees it: {grown} of {size}", size <= grown < size * 1.1)
    checks.true("so does MEMORY USAGE", size <= client.ok("MEMORY", "USAGE", "k") < size * 1.01)
    client.ok("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    checks.equal("with eviction, more than maxmemory itself",
                 client("BF.RESERVE", "l", 0.01, 100000000), NO_MEMORY)
    for i in range(12):
        client("BF.RESERVE", f"e{i}", 0.01, 3000000)
    evicted = int(info(client, "stats")["evicted_keys"])
    checks.true(f"eviction frees large filters: {evicted}", 1 <= evicted <= 12)
    client.ok("CONFIG", "SET", "maxmemory", 0)
    client.ok("CONFIG", "SET", "maxmemory-policy", "noeviction")


def check_freeing(checks, server):
    """DEL, UNLINK and FLUSHALL of large filters give all memory back."""
    client = server.client()
    empty(client)
    used = lambda: int(info(client, "memory")["used_memory"])
    before = used()
    for how in (("DEL", "k"), ("UNLINK", "k"), ("FLUSHALL",), ("FLUSHALL", "ASYNC")):
        client.ok("BF.RESERVE", "k", 0.001, 20000000)
        client.ok("BF.MADD", "k", *range(1000))
        checks.true("it is seen", used() > before + 30000000)
        client.ok(*how)
        wait_for(f"memory after {how[0]}", lambda: used() < before + 3000000)
        wait_for("nothing waits", lambda: info(client, "bf_tamis")["bf_bytes_being_freed"] == "0")


def check_oom(checks, server):
    """deny-oom: over maxmemory a write is refused by the server, DEL is not."""
    client = server.client()
    client.ok("CF.ADD", "c", "x")
    client.ok("CONFIG", "SET", "maxmemory", 1)
    checks.true("BF.ADD", str(client("BF.ADD", "b", "x")).startswith("OOM"))
    checks.true("CF.INSERT", str(client("CF.INSERT", "c", "ITEMS", "x")).startswith("OOM"))
    checks.equal("CF.DEL", client("CF.DEL", "c", "x"), 1)
    client.ok("CONFIG", "SET", "maxmemory", 0)


def main():
    checks = Checks()
    for binary in binaries():
        with Server(binary, arguments=("tamis-max-filter-bytes", "8mb")) as server:
            check_cap(checks, server)
        with Server(binary, arguments=("tamis-max-filter-bytes", "100kb")) as server:
            check_small_layers(checks, server)
        with Server(binary) as server:
            check_absurd(checks, server)
            check_many_sub_filters(checks, server)
            check_copies(checks, server)
            check_maxmemory(checks, server)
            check_freeing(checks, server)
            check_oom(checks, server)
        with Server(binary, "--appendonly", "yes", "--aof-use-rdb-preamble", "no",
                    arguments=("cf-max-expansions", "2000")) as server:
            check_sub_filters_of_our_own(checks, server)
    checks.end()


main()
