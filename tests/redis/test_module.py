"""The module as operators meet it: loading, settings, ACLs, INFO, memory, the
commands of the server on our keys, events, what leaves the library file."""
import os
import subprocess
import time
from pathlib import Path

from resp import Error, Simple
from rows import OK
from servers import MODULE, SOURCE, Checks, Server, binaries, digest, info, wait_for

WRITES = {"write", "denyoom", "module"}
LOOKS = {"readonly", "fast", "module"}

# command: (arity, flags, categories besides those of the family, class of the key, tips)
TABLE = {
    "BF.RESERVE": (-4, WRITES, {"@write", "@fast"}, "RW", []),
    "BF.ADD": (3, WRITES, {"@write"}, "RW", []),
    "BF.MADD": (-3, WRITES, {"@write"}, "RW", []),
    "BF.INSERT": (-4, WRITES, {"@write"}, "RW", []),
    "BF.EXISTS": (3, LOOKS, {"@read"}, "RO", []),
    "BF.MEXISTS": (-3, LOOKS, {"@read"}, "RO", []),
    "BF.INFO": (-2, LOOKS, {"@read", "@fast"}, "RO", [b"dont_cache"]),
    "BF.CARD": (2, LOOKS, {"@read", "@fast"}, "RO", []),
    "BF.DEBUG": (2, LOOKS, {"@read"}, "RO", [b"dont_cache"]),
    "BF.SCANDUMP": (3, LOOKS, {"@read"}, "RW", [b"dont_cache"]),
    "BF.LOADCHUNK": (4, WRITES, {"@write"}, "RW", []),
    "CF.RESERVE": (-3, WRITES, {"@write", "@fast"}, "RW", []),
    "CF.ADD": (3, WRITES, {"@write"}, "RW", []),
    "CF.ADDNX": (3, WRITES, {"@write"}, "RW", []),
    "CF.INSERT": (-4, WRITES, {"@write"}, "RW", []),
    "CF.INSERTNX": (-4, WRITES, {"@write"}, "RW", []),
    "CF.EXISTS": (3, LOOKS, {"@read"}, "RO", []),
    "CF.COUNT": (3, LOOKS, {"@read"}, "RO", []),
    "CF.MEXISTS": (-3, LOOKS, {"@read"}, "RO", []),
    "CF.DEL": (3, {"write", "fast", "module"}, {"@write"}, "RW", []),
    "CF.COMPACT": (2, LOOKS, {"@read"}, "RW", []),
    "CF.SCANDUMP": (3, LOOKS, {"@read"}, "RW", [b"dont_cache"]),
    "CF.LOADCHUNK": (4, WRITES, {"@write"}, "RW", []),
    "CF.INFO": (2, LOOKS, {"@read", "@fast"}, "RO", [b"dont_cache"]),
    "CF.DEBUG": (2, LOOKS, {"@read"}, "RO", [b"dont_cache"]),
}


def has_acl_categories(server):
    return server.version >= (7, 4, 0)


def check_commands(checks, server):
    client = server.client()
    for name, (arity, flags, categories, key, tips) in TABLE.items():
        row = client.ok("COMMAND", "INFO", name)[0]
        checks.equal(f"{name}: flags", {str(flag) for flag in row[2]}, flags)
        checks.equal(f"{name}: place of the key", row[3:6], [1, 1, 1])
        if server.version < (7, 0, 0):
            continue
        checks.equal(f"{name}: arity", row[1], arity)
        checks.equal(f"{name}: tips", row[7], tips)
        checks.true(f"{name}: key is {key}", key in [str(flag) for flag in row[8][0][1]])
        family = "@bloom" if name.startswith("BF") else "@cuckoo"
        if has_acl_categories(server):
            found = {str(category) for category in row[6]}
            checks.true(f"{name}: categories {found}", categories | {family} <= found)
        docs = client.ok("COMMAND", "DOCS", name)[1]
        told = dict(zip(docs[::2], docs[1::2]))
        checks.equal(f"{name}: since", told[b"since"], b"2.4.4" if name == "BF.CARD" else b"1.0.0")
        checks.equal(f"{name}: group", told[b"group"], b"module")
        checks.true(f"{name}: summary", len(told[b"summary"]) > 20)


def check_acl(checks, server):
    """Who may only read cannot write, by key permission and by category."""
    client = server.client()
    client.ok("BF.ADD", "k", "x")
    rules = ["%R~k", "+@all"] if server.version >= (7, 0, 0) else ["~k", "+@read"]
    client.ok("ACL", "SETUSER", "reader", "on", ">pw", *rules)
    if has_acl_categories(server):
        client.ok("ACL", "SETUSER", "bloomer", "on", ">pw", "~*", "+@bloom")
        other = server.client()
        other.ok("AUTH", "bloomer", "pw")
        checks.equal("@bloom may", other("BF.EXISTS", "k", "x"), 1)
        checks.true("@bloom may not CF", str(other("CF.EXISTS", "k", "x")).startswith("NOPERM"))
    reader = server.client()
    reader.ok("AUTH", "reader", "pw")
    checks.equal("a reader reads", reader("BF.EXISTS", "k", "x"), 1)
    checks.true("a reader does not write", str(reader("BF.ADD", "k", "y")).startswith("NOPERM"))
    client.ok("ACL", "DELUSER", "reader")


def check_info(checks, server):
    client = server.client()
    client.ok("FLUSHALL")
    modules = client.ok("MODULE", "LIST")
    checks.true("MODULE LIST has bf", b"bf" in [module[1] for module in modules])
    checks.true("INFO has the section", b"# bf_tamis" in client.ok("INFO", "modules"))
    told = lambda name: int(info(client, "bf_tamis")["bf_" + name])
    wait_for("no object", lambda: told("objects") == 0)  # some servers flush in the background
    client.ok("BF.RESERVE", "b", 0.01, 10)
    client.ok("BF.MADD", "b", *range(100))
    client.ok("CF.INSERT", "c", "ITEMS", *range(1000))
    client.ok("CF.DEL", "c", 5)
    layers = client.ok("BF.INFO", "b", "FILTERS")[0] + client.ok("CF.INFO", "c")[5]
    sizes = client.ok("BF.INFO", "b", "SIZE")[0] + client.ok("CF.INFO", "c")[1]
    items = client.ok("BF.CARD", "b") + client.ok("CF.INFO", "c")[7]
    checks.equal("objects", told("objects"), 2)
    checks.equal("layers", told("layers"), layers)
    checks.equal("bytes", told("bytes"), sizes)
    checks.equal("keys", told("keys"), items)
    client.ok("FLUSHALL")
    for name in ("objects", "layers", "bytes", "keys"):
        wait_for(f"{name} after FLUSHALL", lambda: told(name) == 0)


def check_server_commands(checks, server):
    """COPY, RENAME, OBJECT, DEBUG DIGEST, TYPE, UNLINK, EXPIRE on our keys."""
    client = server.client()
    client.ok("FLUSHALL")
    client.ok("BF.MADD", "b", *range(1000))
    client.ok("CF.INSERT", "c", "ITEMS", *range(1000))
    checks.equal("TYPE", [client("TYPE", "b"), client("TYPE", "c")],
                 [Simple("MBbloom--"), Simple("MBbloomCF")])
    for key in ("b", "c"):
        checks.equal("COPY", client("COPY", key, key + "2"), 1)
        checks.equal("the copy is equal", digest(client, key + "2"), digest(client, key))
        checks.true("MEMORY USAGE", client("MEMORY", "USAGE", key) > 1000)
    client.ok("BF.ADD", "b2", "only there")
    checks.true("the copy is another", digest(client, "b2") != digest(client, "b"))
    checks.equal("and has its own items", client("BF.EXISTS", "b", "only there"), 0)
    client.ok("RENAME", "b2", "b3")
    checks.equal("RENAME", client("BF.EXISTS", "b3", "only there"), 1)
    checks.equal("UNLINK", client("UNLINK", "b3", "c2"), 2)
    client.ok("PEXPIRE", "b", 1)
    time.sleep(0.05)
    checks.equal("EXPIRE", client("BF.EXISTS", "b", 1), 0)
    checks.equal("a save of nothing of ours", client.ok("DEBUG", "RELOAD"), OK)


def check_events(checks, server):
    client, ear = server.client(), server.client()
    client.ok("FLUSHALL")
    client.ok("CONFIG", "SET", "notify-keyspace-events", "KEA")
    ear.ok("SUBSCRIBE", "__keyspace@0__:k")
    for words, events in ((("BF.RESERVE", "k", 0.01, 10), [b"bf.reserve"]),
                          (("BF.ADD", "k", "x"), [b"bf.add"]),
                          (("BF.ADD", "k", "x"), []),
                          (("DEL", "k"), [b"del"]),
                          (("CF.ADD", "k", "x"), [b"cf.reserve", b"cf.add"]),
                          (("CF.DEL", "k", "y"), []),
                          (("CF.DEL", "k", "x"), [b"cf.del"])):
        client.ok(*words)
        heard = [ear.read()[2] for _ in events]
        checks.equal(f"events of {words[0]}", [e for e in heard if e != b"new"], events)
    client.ok("CONFIG", "SET", "notify-keyspace-events", "")


def check_settings(checks, server):
    client = server.client()
    client.ok("FLUSHALL")
    if server.version < (7, 0, 0):
        return
    dot = "" if server.name == "redis" and server.version >= (8, 0, 0) else "bf."
    ask = lambda name: client.ok("CONFIG", "GET", dot + name)[1:]
    for name, default in (("bf-error-rate", b"0.01"), ("bf-initial-size", b"100"),
                          ("bf-expansion-factor", b"2"), ("cf-bucket-size", b"2"),
                          ("cf-initial-size", b"1024"), ("cf-max-iterations", b"20"),
                          ("cf-expansion-factor", b"1"), ("cf-max-expansions", b"32"),
                          ("tamis-max-filter-bytes", b"0"), ("tamis-huge-pages-from", b"0")):
        checks.equal(f"CONFIG GET {name}", ask(name), [default])
    refusals = (("bf-error-rate", "x", "Invalid value for `bf-error-rate`"),
                ("bf-error-rate", "1", "must be in the range (0.000000, 1.000000)"),
                ("bf-initial-size", "0", "must be in the range [1, 1073741824]"),
                ("bf-expansion-factor", "32769", "must be in the range [0, 32768]"),
                ("cf-bucket-size", "256", "must be in the range [1, 255]"),
                ("cf-initial-size", "3", "must be in the range [4, 1073741824]"),
                ("cf-max-iterations", "0", "must be in the range [1, 65535]"),
                ("cf-expansion-factor", "-1", "must be in the range [0, 32768]"),
                ("cf-max-expansions", "65537", "must be in the range [1, 65536]"),
                ("tamis-max-filter-bytes", "-1", "Invalid value"))
    for name, value, words in refusals:
        reply = client("CONFIG", "SET", dot + name, value)
        checks.true(f"CONFIG SET {name} {value}: {reply}",
                    isinstance(reply, Error) and words in str(reply))
    client.ok("CONFIG", "SET", dot + "bf-initial-size", 1000, dot + "bf-error-rate", 0.9)
    checks.equal("a rate above a quarter is a quarter", ask("bf-error-rate"), [b"0.25"])
    client.ok("BF.ADD", "b", "x")
    checks.equal("the setting counts", client.ok("BF.INFO", "b", "CAPACITY"), [1000])
    client.ok("CONFIG", "SET", dot + "bf-expansion-factor", 0)
    client.ok("BF.ADD", "n", "x")
    checks.equal("expansion 0 does not scale", client.ok("BF.INFO", "n", "EXPANSION"), [None])
    client.ok("CONFIG", "SET", dot + "bf-initial-size", 100, dot + "bf-error-rate", 0.01,
              dot + "bf-expansion-factor", 2)


ARGUMENTS = [
    ("the older names", ("ERROR_RATE", "0.001", "INITIAL_SIZE", "500"), True),
    ("the newer ones, any case", ("BF-Initial-Size", "500", "bf-error-rate", "0.001"), True),
    ("all of one line", ("INITIAL_SIZE", "500", "ERROR_RATE", "0.001", "CF_MAX_EXPANSIONS", "2"),
     True),
    ("a single empty word", ("",), True),
    ("an odd number", ("INITIAL_SIZE",), False),
    ("an unknown one", ("WHAT", "1"), False),
    ("no number", ("INITIAL_SIZE", "x"), False),
    ("out of range", ("ERROR_RATE", "1"), False),
    ("out of range, integer", ("CF_MAX_EXPANSIONS", "0"), False),
]


def check_arguments(checks, binary):
    for why, words, loads in ARGUMENTS:
        try:
            with Server(binary, arguments=words) as server:
                checks.true(f"{why}: loads", loads)
                if "ERROR_RATE" in words or "bf-error-rate" in words:
                    client = server.client()
                    client.ok("BF.ADD", "b", "x")
                    checks.equal(f"{why}: the filter", client.ok("BF.INFO", "b")[1:4:2],
                                 [500, 32 + 64 + 992])
        except AssertionError as ended:
            checks.true(f"{why}: does not load: {ended}", not loads)


def check_names_are_taken(checks, server):
    """A second module of the name stays out, and the first goes on."""
    client = server.client()
    before = len(server.log())
    reply = client("MODULE", "LOAD", MODULE)
    checks.true(f"loaded twice: {reply}", isinstance(reply, Error))
    checks.equal("lines of ours in the log", server.log()[before:].count("tamis: not loaded"), 1)
    checks.equal("the first one works", client("BF.ADD", "still", "x"), 1)
    reply = client("MODULE", "UNLOAD", "bf")
    checks.true(f"does not unload: {reply}", isinstance(reply, Error))


def other_module(folder):
    """Compiles other_module.c; its path."""
    path = Path(folder, "other.so")
    subprocess.run([os.environ.get("TAMIS_CC", "cc"), "-shared", "-fPIC", "-o", str(path), "-I",
                    str(SOURCE / "redis"), str(Path(__file__).with_name("other_module.c")),
                    str(SOURCE / "redis/module_api.c")], check=True)
    return path


def check_all_or_nothing(checks, binary):
    """When a command or a type is taken, nothing of ours stays behind."""
    for taken in ("command", "type"):
        with Server(binary, "--enable-module-command", "yes", module=False) as server:
            client = server.client()
            client.ok("MODULE", "LOAD", other_module(server.folder), taken)
            checks.true(f"{taken} taken", isinstance(client("MODULE", "LOAD", MODULE), Error))
            checks.equal(f"{taken} taken: lines in the log", server.log().count("tamis: not loaded"),
                         1)
            checks.equal(f"{taken} taken: our commands", client.ok("COMMAND", "INFO", "BF.EXISTS",
                                                                   "CF.ADD"), [None, None])
            names = [module[1] for module in client.ok("MODULE", "LIST")]
            checks.true(f"{taken} taken: modules", b"other" in names and b"bf" not in names)
            if taken == "command":
                checks.equal("the other one works", str(client("BF.MADD", "k")), "other")


def check_exports(checks):
    names = subprocess.run(["nm", "-D", "--defined-only", MODULE], check=True, capture_output=True,
                           text=True).stdout.split()[2::3]
    checks.equal("names that leave the module", sorted(names),
                 ["RedisModule_OnLoad", "RedisModule_OnUnload"])
    needs = subprocess.run(["readelf", "-d", MODULE], check=True, capture_output=True,
                           text=True).stdout
    needed = {line.split("[")[1].split(".")[0] for line in needs.splitlines() if "NEEDED" in line}
    checks.true(f"libraries: {needed}", needed <= {"libc", "libm", "ld-linux-x86-64",
                                                   "ld-linux-aarch64"})


def main():
    checks = Checks()
    check_exports(checks)
    for binary in binaries():
        with Server(binary, "--enable-module-command", "yes") as server:
            check_commands(checks, server)
            check_acl(checks, server)
            check_info(checks, server)
            check_server_commands(checks, server)
            check_events(checks, server)
            check_settings(checks, server)
            check_names_are_taken(checks, server)
        check_arguments(checks, binary)
        check_all_or_nothing(checks, binary)
    checks.end()


main()
