"""Compaction in slices: whoever touches the filter meanwhile, the bytes are those
of a compaction done at once, here, on replicas and in what is saved."""
from servers import Checks, Server, binaries, digest, info, wait_for

ITEMS = 300000
CAPACITY = 150000


def fill(client, key="c"):
    client.ok("CF.RESERVE", key, CAPACITY)
    for first in range(0, ITEMS, 10000):
        client.ok("CF.INSERT", key, "ITEMS", *range(first, first + 10000))


def deletions(count, key="c"):
    """Enough to begin a compaction, then more of everything."""
    words = [("CF.DEL", key, i) for i in range(count)]
    words += [("CF.ADD", key, f"new{i}") for i in range(500)]
    words += [("CF.DEL", key, i) for i in range(count, count + 500)]
    words += [("CF.ADDNX", key, "nx"), ("CF.INSERTNX", key, "ITEMS", "nx", "ny"), ("CF.INFO", key),
              ("CF.DEBUG", key), ("CF.SCANDUMP", key, 0), ("CF.COUNT", key, "new1")]
    return words


COUNT = ITEMS // 10  # the last of these begins one


def plainly(client):
    return client.pipeline(deletions(COUNT))


def in_transactions(client):
    wrapped = [part for words in deletions(COUNT) for part in (("MULTI",), words, ("EXEC",))]
    return [reply[0] for reply in client.pipeline(wrapped)[2::3]]


def in_scripts(client):
    script = "return redis.call(unpack(ARGV))"
    return client.pipeline([("EVAL", script, 0, *words) for words in deletions(COUNT)])


def in_step(primary, replica):
    there = info(replica, "replication")
    return (there["master_link_status"] == "up" and there["slave_repl_offset"]
            == info(primary, "replication")["master_repl_offset"])


def check_ways(checks, binary):
    """One sequence in three ways: only the first makes its client wait."""
    with Server(binary) as server, Server(binary) as replica:
        client, other = server.client(), replica.client()
        other.ok("REPLICAOF", "127.0.0.1", server.port)
        seen = {}
        for way in (plainly, in_transactions, in_scripts):
            client.ok("FLUSHALL")
            fill(client)
            seen[way.__name__] = (way(client), digest(client, "c"), client.ok("CF.DEBUG", "c"))
            wait_for("the replica", lambda: in_step(client, other))
            checks.equal(f"{way.__name__}: replica", digest(other, "c"), digest(client, "c"))
        checks.equal("replies in transactions", seen["in_transactions"][0], seen["plainly"][0])
        checks.equal("in transactions", seen["in_transactions"][1:], seen["plainly"][1:])
        checks.equal("in scripts", seen["in_scripts"][1:], seen["plainly"][1:])


def begin(server):
    """A filter with a compaction that has just begun."""
    client = server.client()
    client.ok("FLUSHALL")
    fill(client)
    client.pipeline([("CF.DEL", "c", i) for i in range(COUNT - 1)])
    client.ok("CF.COMPACT", "c")
    return client


def check_meanwhile(checks, binary):
    """Saving, copying, reading and deleting while it goes on."""
    with Server(binary) as server:
        client = begin(server)
        wanted = digest(client, "c")  # finishes it
        begin(server)
        checks.equal("no item is missing",
                     sum(client.ok("CF.MEXISTS", "c", *range(COUNT, COUNT + 20000))), 20000)
        bytes_of_key = client.ok("DUMP", "c")
        client.ok("RESTORE", "d", 0, bytes_of_key)
        checks.equal("DUMP", digest(client, "d"), wanted)
        begin(server)
        client.ok("COPY", "c", "copy")
        checks.equal("COPY", digest(client, "copy"), wanted)
        begin(server)
        client.ok("SAVE")
        server.restart("kill")
        checks.equal("SAVE", digest(server.client(), "c"), wanted)
        client = begin(server)
        client.ok("BGSAVE")
        wait_for("BGSAVE", lambda: info(client, "persistence")["rdb_bgsave_in_progress"] == "0")
        server.restart("kill")
        checks.equal("BGSAVE", digest(server.client(), "c"), wanted)


def check_waiting_clients(checks, binary):
    """Those that wait are answered in order, also when the key goes away."""
    with Server(binary) as server:
        client = begin(server)
        others = [server.client() for _ in range(5)]
        for i, other in enumerate(others):
            other.send("CF.ADD", "c", f"from{i}")
        gone = server.client()
        gone.send("CF.DEL", "c", COUNT)
        gone.close()
        checks.equal("answers", [other.read() for other in others], [1] * 5)
        checks.equal("their items", client.ok("CF.MEXISTS", "c", *[f"from{i}" for i in range(5)]),
                     [1] * 5)
        client = begin(server)
        others[0].send("CF.ADD", "c", "x")
        client.ok("DEL", "c")
        checks.equal("the key was deleted", others[0].read(), 1)
        checks.true("the server lives", server.alive())


def main():
    checks = Checks()
    for binary in binaries():
        check_ways(checks, binary)
        check_meanwhile(checks, binary)
        check_waiting_clients(checks, binary)
    checks.end()


main()
