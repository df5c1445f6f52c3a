"""Replicas: full and partial resynchronisation, disk and diskless, MULTI, Lua,
failover, other settings than the primary's. Equal by digest throughout."""
from resp import Error
from servers import Checks, Server, binaries, info, wait_for
from workload import Load


def data_digest(client):
    return client.ok("DEBUG", "DIGEST")


def in_step(primary, replica):
    """True when the replica has everything the primary has sent."""
    sent = info(primary, "replication")["master_repl_offset"]
    there = info(replica, "replication")
    return there.get("master_link_status") == "up" and there["slave_repl_offset"] == sent


def follow(replica, primary):
    client = replica.client()
    client.ok("REPLICAOF", "127.0.0.1", primary.port)
    wait_for("full sync", lambda: "state=online" in info(primary.client(), "replication")
             .get("slave0", "") and in_step(primary.client(), client))
    return client


def check_equal(checks, why, primary, replica):
    wait_for(why, lambda: in_step(primary, replica))
    checks.equal(f"{why}: digest", data_digest(replica), data_digest(primary))


MODES = [
    ("disk", ("--repl-diskless-sync", "no"), ()),
    ("diskless", ("--repl-diskless-sync", "yes"), ()),
    ("diskless, loaded from the socket beside the old data",
     ("--repl-diskless-sync", "yes"),
     ("--repl-diskless-load", "swapdb")),
]


def check_full(checks, binary, why, primary_options, replica_options):
    with Server(binary, *primary_options) as primary, Server(binary, *replica_options) as replica:
        client, load = primary.client(), Load(11)
        load.send(client, 300)
        other = follow(replica, primary)
        check_equal(checks, f"{why}: full sync", client, other)
        load.send(client, 300)
        check_equal(checks, f"{why}: stream", client, other)
        checks.equal(f"{why}: lost", load.lost(other), [])


def check_partial(checks, binary):
    with Server(binary, "--repl-backlog-size", "10mb") as primary, Server(binary) as replica:
        client, load = primary.client(), Load(12)
        load.send(client, 100)
        other = follow(replica, primary)
        partial = lambda: int(info(client, "stats")["sync_partial_ok"])
        before = partial()
        client.ok("CLIENT", "KILL", "TYPE", "replica")
        load.send(client, 200)
        wait_for("partial sync", lambda: partial() > before)
        check_equal(checks, "partial resync", client, other)
        checks.equal("partial resync: full ones", info(client, "stats")["sync_full"], "1")


def check_transactions(checks, binary):
    with Server(binary) as primary, Server(binary) as replica:
        client, other = primary.client(), follow(replica, primary)
        client.ok("MULTI")
        client.ok("BF.ADD", "b", "x")
        client.ok("CF.INSERT", "c", "ITEMS", "x", "y")
        client.ok("BF.EXISTS", "b", "x")
        checks.equal("MULTI", client.ok("EXEC"), [1, [1, 1], 1])
        script = """redis.call('BF.MADD', KEYS[1], 'l1', 'l2')
                    redis.call('CF.ADD', KEYS[2], 'l1')
                    return redis.call('BF.MEXISTS', KEYS[1], 'l1', 'l2', 'no')"""
        checks.equal("Lua", client.ok("EVAL", script, 2, "lb", "lc"), [1, 1, 0])
        checks.equal("an error in Lua", client("EVAL", "return redis.pcall('BF.ADD', 'c', 'x')", 0),
                     Error("WRONGTYPE Operation against a key holding the wrong kind of value"))
        check_equal(checks, "MULTI and Lua", client, other)


def check_watch(checks, binary):
    """WATCH sees a change, and only a change."""
    with Server(binary) as server:
        client, other = server.client(), server.client()
        client.ok("BF.ADD", "b", "x")
        for item, wanted in (("x", [1]), ("new", None)):
            client.ok("WATCH", "b")
            other.ok("BF.ADD", "b", item)
            client.ok("MULTI")
            client.ok("BF.EXISTS", "b", "x")
            checks.equal(f"WATCH while {item} is added", client.ok("EXEC"), wanted)


def check_settings_differ(checks, binary):
    """A replica with other defaults gets the primary's filters."""
    other_defaults = ("bf-initial-size", "7777", "bf-error-rate", "0.2", "cf-initial-size", "256",
                      "cf-bucket-size", "4", "cf-max-expansions", "1", "bf-expansion-factor", "4")
    with Server(binary) as primary, Server(binary, arguments=other_defaults) as replica:
        client, other = primary.client(), follow(replica, primary)
        client.ok("BF.ADD", "b1", "x")
        client.ok("BF.MADD", "b2", *range(500))
        client.ok("BF.INSERT", "b3", "NONSCALING", "ITEMS", "x")
        client.ok("CF.ADD", "c1", "x")
        client.ok("CF.INSERT", "c2", "ITEMS", *range(3000))
        client.ok("CF.ADD", "c2", "y")
        check_equal(checks, "other defaults", client, other)


def check_refusals(checks, binary):
    """What the primary refuses does not reach the replica, what it took does."""
    with Server(binary, arguments=("tamis-max-filter-bytes", "3mb")) as primary, \
            Server(binary) as replica:
        client, other = primary.client(), follow(replica, primary)
        client.ok("BF.RESERVE", "b", 0.2, 100000, "EXPANSION", 100)
        client.ok("CF.RESERVE", "full", 256, "EXPANSION", 0)
        replies = client.ok("CF.INSERT", "full", "ITEMS", *range(400))
        checks.true("a full cuckoo filter refuses some", -1 in replies and 1 in replies)
        refused = 0
        for start in range(0, 160000, 20000):
            replies = client.ok("BF.MADD", "b", *range(start, start + 20000))
            refused += sum(isinstance(reply, Error) for reply in replies)
        checks.true("growth over the cap is refused", refused > 0)
        checks.equal("the words", [str(r) for r in replies if isinstance(r, Error)][0],
                     "ERR problem inserting into filter")
        checks.equal("refusals are counted", info(client, "modules")["bf_refusals"] != "0", True)
        check_equal(checks, "refusals", client, other)


def check_readonly(checks, binary):
    with Server(binary) as primary, Server(binary) as replica:
        primary.client().ok("CF.INSERT", "c", "ITEMS", *range(3000))
        other = follow(replica, primary)
        for words in (("BF.ADD", "b", "x"), ("CF.DEL", "c", 1), ("CF.COMPACT", "c")):
            checks.true(f"{words[0]} on a replica", str(other(*words)).startswith("READONLY"))
        checks.equal("reading on a replica", other("CF.EXISTS", "c", 1), 1)


def check_failover(checks, binary):
    with Server(binary) as first, Server(binary) as second:
        client, load = first.client(), Load(13)
        load.send(client, 200)
        other = follow(second, first)
        client.ok("FAILOVER", "TO", "127.0.0.1", second.port, "TIMEOUT", 20000)
        wait_for("failover", lambda: info(other, "replication")["role"] == "master")
        wait_for("the old primary follows", lambda: in_step(other, client))
        load.send(other, 200)
        check_equal(checks, "after a failover", other, client)
        checks.equal("after a failover: lost", load.lost(other), [])
        second.kill()
        client.ok("REPLICAOF", "NO", "ONE")
        checks.equal("the survivor has all", load.lost(client), [])


def main():
    checks = Checks()
    for binary in binaries():
        for mode in MODES:
            check_full(checks, binary, *mode)
        check_partial(checks, binary)
        check_transactions(checks, binary)
        check_watch(checks, binary)
        check_settings_differ(checks, binary)
        check_refusals(checks, binary)
        check_readonly(checks, binary)
        check_failover(checks, binary)
    checks.end()


main()
