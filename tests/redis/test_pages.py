"""Large arrays on huge pages: where that is wanted they move once they are full, and
nobody can tell but by the time. Where the system has none to give, nothing happens."""
import ctypes
import mmap
from pathlib import Path

from servers import Checks, Server, binaries, digest, info, wait_for

REGION = 2 << 20
COLLAPSE = 25  # MADV_COLLAPSE


def system_can():
    """Whether this system moves pages when a program asks; see redis/pages.h."""
    try:
        setting = Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return False
    if "[madvise]" not in setting:  # never; or always, where servers refuse
        return False
    room = mmap.mmap(-1, 2 * REGION, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    room.write(b"x" * (2 * REGION))
    here = ctypes.addressof(ctypes.c_char.from_buffer(room))
    at = ctypes.c_void_p((here + REGION - 1) // REGION * REGION)
    return ctypes.CDLL(None).madvise(at, ctypes.c_size_t(REGION), COLLAPSE) == 0


def moved(client):
    return int(info(client, "bf_tamis")["bf_bytes_on_huge_pages"])


def fill(client, key, name):
    """Few items, which touch every page all the same."""
    for first in range(0, 60000, 1000):
        client.ok("BF.MADD", key, *(f"{name}{i}" for i in range(first, first + 1000)))


def check_moves(checks, server, can):
    client = server.client()
    client.ok("BF.RESERVE", "k", 0.01, 40000000)
    client.ok("BF.RESERVE", "empty", 0.01, 40000000)
    client.ok("BF.RESERVE", "small", 0.01, 1000000)
    fill(client, "k", "a")
    fill(client, "small", "a")
    before = digest(client, "k")
    size = client.ok("BF.INFO", "k", "SIZE")[0]
    if can:
        wait_for("it moves", lambda: moved(client) > 0)
    checks.true("only what is full and large", moved(client) <= size)
    checks.equal("with the same contents", digest(client, "k"), before)
    fill(client, "k", "b")
    answers = [client.ok("BF.MEXISTS", "k", *(f"{name}{i}" for i in range(60000))) for name in "ab"]
    checks.equal("nothing is lost", sum(map(sum, answers)), 120000)


def check_saving(checks, server, can):
    """A child has the old bytes, the server the new ones, and then all move again."""
    client = server.client()
    before = digest(client, "k")
    client.ok("BGSAVE")
    fill(client, "k", "c")
    after = digest(client, "k")
    wait_for("the save", lambda: info(client, "persistence")["rdb_bgsave_in_progress"] == "0")
    checks.true("they differ", before != after)
    client.ok("DEBUG", "RELOAD")
    checks.equal("what a reload brings", digest(client, "k"), after)
    if can:
        wait_for("a loaded filter moves", lambda: moved(client) > 0)
    checks.equal("and is the same", digest(client, "k"), after)
    client.ok("FLUSHALL")
    wait_for("nothing is left", lambda: moved(client) == 0)
    checks.true("alive", server.alive())


def main():
    checks = Checks()
    can = system_can()
    print("this system", "moves pages" if can else "has no huge pages to give")
    for binary in binaries():
        with Server(binary, arguments=("tamis-huge-pages-from", "32mb")) as server:
            check_moves(checks, server, can)
            check_saving(checks, server, can)
    checks.end()


main()
