#!/usr/bin/env python3
"""bench_stalls.py MODULE [--seconds 20] [--gigabytes 4] [--as-is] - who waits while a filter of gigabytes comes and goes.

One process asks GET again and again, a pause of half a millisecond between, and
notes how long each answer takes. Meanwhile another client creates, fills a
little, grows, deletes, unlinks and flushes filters of that size. Before that the
same with nobody else, and with a client that adds to a small filter: that is
what this machine itself does to clients, and what the last line is held against.

    quiet        p50     40 us   p99     71 us   p99.9     142 us
    small adds   p50     44 us   p99     90 us   p99.9     230 us
    4 GiB        p50     45 us   p99     96 us   p99.9     260 us

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
    out.put(sorted(took))


def show(name, took, lost):
    at = lambda share: took[min(len(took) - 1, int(share * len(took)))] * 1e6
    late = sum(one > 0.001 for one in took)
    print(f"{name:12} p50 {at(0.5):6.0f} us   p99 {at(0.99):6.0f} us   p99.9 {at(0.999):7.0f} us   "
          f"over 1 ms {late:4} of {len(took)}   worst {took[-1] * 1e3:6.2f} ms   stolen {lost:.2f} s",
          flush=True)


def measured(name, server, options, work):
    """Probes from a process of its own while work() is done again and again."""
    out = multiprocessing.Queue()
    process = multiprocessing.Process(target=probe, args=(server.port, options.seconds, out,
                                                          options.as_is))
    before = stolen()
    process.start()
    end, rounds = time.monotonic() + options.seconds, 0
    while time.monotonic() < end:
        work()
        rounds += 1
    took = out.get()
    process.join()
    show(name, took, stolen() - before)
    return rounds


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


def cycle(client, gigabytes):
    for how in (("DEL", "big"), ("UNLINK", "big"), ("FLUSHDB", "ASYNC"), ("FLUSHDB", "SYNC")):
        create_and_free(client, gigabytes, how)
    grow_and_free(client, gigabytes)


def show_server_time(client, rounds):
    stats = info(client, "commandstats")
    print(f"{rounds} rounds; the server's own time per call:")
    for name in ("BF.RESERVE", "BF.ADD", "BF.MADD", "del", "unlink", "flushdb"):
        time_of = stats.get(f"cmdstat_{name}", "usec_per_call=0").split("usec_per_call=")[1]
        print(f"    {name:12}{time_of.split(',')[0]:>10} us")
    print(f"{client.ok('SLOWLOG', 'LEN')} commands took more than 1 ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--as-is", action="store_true", help="no real-time tasks")
    options = parser.parse_args()
    binary = os.environ.get("TAMIS_REDIS_SERVER", "redis-server")
    with Server(binary, "--slowlog-log-slower-than", "1000") as server:
        options.as_is = options.as_is or not hurry(server.process.pid, 1)
        client = server.client()
        client.ok("SET", "probe", "x")
        print(f"{server.name} {'.'.join(map(str, server.version))}, {os.cpu_count()} processors, "
              f"load {os.getloadavg()[0]:.1f}, {'as is' if options.as_is else 'real-time'}")
        measured("quiet", server, options, lambda: time.sleep(0.01))
        measured("small adds", server, options, lambda: add_singly(client, "small", 0, 1000))
        client.ok("DEL", "small")
        rounds = measured(f"{options.gigabytes:g} GiB", server, options,
                          lambda: cycle(client, options.gigabytes))
        show_server_time(client, rounds)


main()
