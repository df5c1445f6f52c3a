#!/usr/bin/env python3
"""bench_stalls.py MODULE [--seconds 20] [--gigabytes 4] [--as-is] - who waits while a filter of gigabytes comes and goes.

One process asks GET again and again, a pause of half a millisecond between, and
notes how long each answer takes. Meanwhile another client creates, fills a
little, grows, deletes, unlinks and flushes filters of that size. Before that the
same with nobody else, and with a client that adds to a small filter: that is
what this machine itself does to clients, and what the last line is held against.
The three take turns of ten seconds, so that all see the same neighbours; "usual"
is the median of the turns' own p99.9, which a turn or two that the machine
spoiled does not move.

    quiet        p50     40 us   p99     71 us   p99.9     142 us   usual     120 us
    small adds   p50     44 us   p99     90 us   p99.9     230 us   usual     190 us
    4 GiB        p50     45 us   p99     96 us   p99.9     260 us   usual     240 us

Three processes and the module's thread share the processors with whatever else
runs. Where we may (as root on Linux), the asking process and the server's main
thread are real-time tasks, so that what is measured is how long the server keeps
a client waiting, by its own work, by locks and page faults, and not who else
compiles something; its other threads, and the client that makes filters, stay
what they are. With --as-is everything stays so. "stolen" is what a
virtual machine did not get from its host: no program inside can help that.

TAMIS_REDIS_SERVER names another server than redis-server.
"""
import argparse
import multiprocessing
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests/redis"))
os.environ["TAMIS_REDIS_MODULE"] = str(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else ""
from resp import Client, encode  # noqa: E402
from servers import Server, info, wait_for  # noqa: E402

ASK = encode(["GET", "probe"])


def hurry(process, priority):
    """Before all ordinary tasks; only this thread, none that it starts. False: not allowed."""
    try:
        os.sched_setscheduler(process, os.SCHED_RR | os.SCHED_RESET_ON_FORK,
                              os.sched_param(priority))
        return True
    except (AttributeError, OSError):
        return False


def stolen():
    """Seconds that the host kept from us, of all processors together."""
    try:
        words = Path("/proc/stat").read_text().split("\n", 1)[0].split()
        return int(words[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def probe(port, seconds, out, as_is):
    if not as_is:
        hurry(0, 2)
    client = Client(port)
    took = []
    end = time.perf_counter() + seconds
    while True:
        begin = time.perf_counter()
        if begin >= end:
            break
        client.socket.sendall(ASK)
        client.read()
        took.append(time.perf_counter() - begin)
        time.sleep(0.0005)
    out.put(took)


class Phase:
    """What clients wait while work() is done again and again, in turns."""

    def __init__(self, name, work):
        self.name, self.work = name, work
        self.turns = []
        self.stolen = 0.0
        self.rounds = 0

    def turn(self, server, seconds, as_is):
        """Probes from a process of its own."""
        out = multiprocessing.Queue()
        process = multiprocessing.Process(target=probe, args=(server.port, seconds, out, as_is))
        before = stolen()
        process.start()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.work()
            self.rounds += 1
        self.turns.append(out.get())
        process.join()
        self.stolen += stolen() - before

    def show(self):
        took = [one for turn in self.turns for one in turn]
        usual = statistics.median(at(turn, 0.999) for turn in self.turns)
        print(f"{self.name:12} p50 {at(took, 0.5) * 1e6:6.0f} us   p99 {at(took, 0.99) * 1e6:6.0f} us   "
              f"p99.9 {at(took, 0.999) * 1e6:7.0f} us   usual {usual * 1e6:7.0f} us   "
              f"over 1 ms {sum(one > 0.001 for one in took):4} of {len(took)}   "
              f"worst {max(took) * 1e3:6.2f} ms   stolen {self.stolen:.2f} s")


def at(took, share):
    return sorted(took)[min(len(took) - 1, int(share * len(took)))]


MOST = 1 << 30  # items of a filter


def rate_for(gigabytes):
    """The error rate at which a layer of 2^30 items has that size."""
    return 0.6185 ** (gigabytes * 8)


def add_singly(client, key, first, count):
    """One item a command: fresh pages are touched as traffic touches them."""
    for i in range(first, first + count):
        client.ok("BF.ADD", key, i)


def given_back(client):
    return (info(client, "bf_tamis")["bf_bytes_being_freed"] == "0"
            and int(info(client, "memory")["used_memory"]) < 1 << 28)


def create_and_free(client, gigabytes, how):
    client.ok("BF.RESERVE", "big", f"{2 * rate_for(gigabytes):.12g}", MOST)
    add_singly(client, "big", 0, 10000)
    client.ok(*how)
    client.ok("SET", "probe", "x")
    wait_for("memory is given back", lambda: given_back(client))


def grow_and_free(client, gigabytes):
    """A first layer of 2^17 items, and a second one of 2^30."""
    client.ok("BF.RESERVE", "grows", f"{4 * rate_for(gigabytes):.12g}", MOST >> 13, "EXPANSION",
              1 << 13)
    for first in range(0, MOST >> 13, 16):
        client.ok("BF.MADD", "grows", *range(first, first + 16))
    add_singly(client, "grows", MOST, 10000)
    client.ok("DEL", "grows")
    wait_for("memory is given back", lambda: given_back(client))


def steps(client, gigabytes):
    """One after the other, for ever: made and freed in every way, and grown."""
    ways = (("DEL", "big"), ("UNLINK", "big"), ("FLUSHDB", "ASYNC"), ("FLUSHDB", "SYNC"))
    while True:
        for how in ways:
            yield create_and_free(client, gigabytes, how)
        yield grow_and_free(client, gigabytes)


def show_server_time(client):
    stats = info(client, "commandstats")
    print("the server's own time per call:")
    for name in ("BF.RESERVE", "BF.ADD", "BF.MADD", "del", "unlink", "flushdb"):
        time_of = stats.get(f"cmdstat_{name}", "usec_per_call=0").split("usec_per_call=")[1]
        print(f"    {name:12}{time_of.split(',')[0]:>10} us")
    print(f"{client.ok('SLOWLOG', 'LEN')} commands took more than 1 ms")


TURN = 10  # seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module")
    parser.add_argument("--seconds", type=float, default=20, help="of each of the three")
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--as-is", action="store_true", help="no real-time tasks")
    options = parser.parse_args()
    binary = os.environ.get("TAMIS_REDIS_SERVER", "redis-server")
    with Server(binary, "--slowlog-log-slower-than", "1000") as server:
        as_is = options.as_is or not hurry(server.process.pid, 1)
        client = server.client()
        client.ok("SET", "probe", "x")
        print(f"{server.name} {'.'.join(map(str, server.version))}, {os.cpu_count()} processors, "
              f"load {os.getloadavg()[0]:.1f}, {'as is' if as_is else 'real-time'}", flush=True)
        big = steps(client, options.gigabytes)
        phases = [Phase("quiet", lambda: time.sleep(0.01)),
                  Phase("small adds", lambda: add_singly(client, "small", 0, 1000)),
                  Phase(f"{options.gigabytes:g} GiB", lambda: next(big))]
        for _ in range(max(1, round(options.seconds / TURN))):
            for phase in phases:
                phase.turn(server, TURN, as_is)
            client.ok("SET", "probe", "x")
        for phase in phases:
            phase.show()
        print(f"{phases[-1].rounds} filters made and freed; ", end="")
        show_server_time(client)


main()
