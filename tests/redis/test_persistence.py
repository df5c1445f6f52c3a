"""Saving and loading: RDB, AOF with and without RDB preamble, DUMP and RESTORE,
a save under writes, kill -9 and restart. Nothing acknowledged is lost."""
import threading

from servers import Checks, Server, binaries, digest, info, wait_for
from workload import Load

ALWAYS = ("--appendonly", "yes", "--appendfsync", "always")


def digests(client):
    return {key: digest(client, key) for key in sorted(client.ok("KEYS", "*"))}


def check_same(checks, why, server, before, load):
    client = server.client()
    checks.equal(f"{why}: digests", digests(client), before)
    checks.equal(f"{why}: lost", load.lost(client), [])


def check_rdb(checks, binary):
    with Server(binary) as server:
        client, load = server.client(), Load(1)
        load.send(client, 600)
        before = digests(client)
        client.ok("DEBUG", "RELOAD")
        check_same(checks, "DEBUG RELOAD", server, before, load)
        client.ok("SAVE")
        server.restart("kill")
        check_same(checks, "SAVE, kill, restart", server, before, load)
        for key in before:
            client = server.client()
            bytes_of_key = client.ok("DUMP", key)
            client.ok("RESTORE", "again", 0, bytes_of_key, "REPLACE")
            checks.equal("RESTORE of a DUMP", digest(client, "again"), before[key])


def check_bgsave_under_writes(checks, binary):
    with Server(binary) as server:
        early, late = Load(2), Load(3, "late:")
        client = server.client()
        early.send(client, 600)
        done = threading.Event()

        def write():
            other = server.client()
            while not done.is_set():
                late.send(other, 20)
        thread = threading.Thread(target=write)
        thread.start()
        try:
            for _ in range(5):
                client.ok("BGSAVE")
                wait_for("BGSAVE", lambda: info(client, "persistence")["rdb_bgsave_in_progress"] == "0")
                checks.equal("BGSAVE", info(client, "persistence")["rdb_last_bgsave_status"], "ok")
        finally:
            done.set()
            thread.join()
        server.restart("kill")
        checks.equal("BGSAVE under writes: lost", early.lost(server.client()), [])


def check_aof(checks, binary, preamble):
    why = f"AOF, preamble {preamble}"
    with Server(binary, *ALWAYS, "--aof-use-rdb-preamble", preamble) as server:
        client, load = server.client(), Load(4)
        load.send(client, 300)
        before = digests(client)
        client.ok("DEBUG", "LOADAOF")
        check_same(checks, f"{why}, as written", server, before, load)
        client.ok("BGREWRITEAOF")
        load.send(client, 100)
        wait_for("rewrite", lambda: info(client, "persistence")["aof_rewrite_in_progress"] == "0")
        load.send(client, 100)
        before = digests(client)
        server.restart("kill")
        check_same(checks, f"{why}, rewritten, kill, restart", server, before, load)


def check_aof_says_little(checks, binary):
    """What changes nothing leaves nothing in the file."""
    with Server(binary, *ALWAYS) as server:
        client = server.client()
        client.ok("BF.MADD", "b", *range(50))
        client.ok("CF.INSERT", "c", "ITEMS", *range(50))
        size = lambda: info(client, "persistence")["aof_current_size"]
        before = size()
        for words in (["BF.ADD", "b", 1], ["BF.MADD", "b", *range(50)],
                      ["BF.INSERT", "b", "ITEMS", 1], ["CF.ADDNX", "c", 1],
                      ["CF.INSERTNX", "c", "ITEMS", 1, 2], ["CF.DEL", "c", "nothing"],
                      ["CF.COMPACT", "c"], ["BF.EXISTS", "b", 1], ["BF.RESERVE", "b", 0.1, 10]):
            client(*words)
            checks.equal(f"{words[0]} that changes nothing", size(), before)


def check_large_rewrite(checks, binary):
    """Chunks of more than 16 MiB, in the file and back."""
    with Server(binary, *ALWAYS, "--aof-use-rdb-preamble", "no") as server:
        client = server.client()
        client.ok("BF.RESERVE", "big", 0.001, 12000000)
        client.ok("BF.MADD", "big", *range(5000))
        client.ok("CF.RESERVE", "bigc", 20000000)
        client.ok("CF.INSERT", "bigc", "ITEMS", *range(5000))
        before = digests(client)
        client.ok("BGREWRITEAOF")
        wait_for("rewrite", lambda: info(client, "persistence")["aof_rewrite_in_progress"] == "0")
        server.restart("kill")
        checks.equal("large filters rewritten", digests(server.client()), before)


def main():
    checks = Checks()
    for binary in binaries():
        check_rdb(checks, binary)
        check_bgsave_under_writes(checks, binary)
        for preamble in ("yes", "no"):
            check_aof(checks, binary, preamble)
        check_aof_says_little(checks, binary)
        check_large_rewrite(checks, binary)
    checks.end()


main()
