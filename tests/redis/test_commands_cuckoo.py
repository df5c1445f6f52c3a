"""CF.*: every row of the behaviour that clients of the peer know."""
from rows import (EXISTS, NO, NOT_FOUND, OK, WRONGTYPE, YES, Both, Map, Row, arity, run)
from resp import Error
from servers import Checks, Server, binaries

STRING = "SET s x"
RESERVED = "CF.RESERVE k 64"
FULL = Error("Filter is full")
TINY = "CF.RESERVE k 2 BUCKETSIZE 1 EXPANSION 0"  # two slots; both buckets of a are one
TINY_FULL = [TINY, "CF.INSERT k ITEMS a zz"]
MOST = ["CF.RESERVE k 2 BUCKETSIZE 1 EXPANSION 1",
        "CF.INSERT k ITEMS " + " ".join(["a"] * 70)]
CAPACITY = Error("Capacity must be in the range [2 * BUCKETSIZE, 1073741824]")
CAPACITY_OF_INSERT = Error("Capacity must be in the range [cf-bucket-size * 2, 1073741824]")


def facts(size, buckets, filters, items, deletes=0, bucket=2, expansion=1, iterations=20):
    return Map({"Size": size, "Number of buckets": buckets, "Number of filters": filters,
                "Number of items inserted": items, "Number of items deleted": deletes,
                "Bucket size": bucket, "Expansion rate": expansion,
                "Max iterations": iterations})


def option_rows(name, least, most):
    """The refusals that the three options of CF.RESERVE share."""
    outside = Error(f"{name}: value must be in the range [{least}, {most}]")
    return [
        Row("no number", [], f"CF.RESERVE k 1000 {name} x", Error(f"Couldn't parse {name}")),
        Row("a fraction", [], f"CF.RESERVE k 1000 {name} 1.5", Error(f"Couldn't parse {name}")),
        Row("too small", [], f"CF.RESERVE k 1000 {name} {least - 1}", outside),
        Row("too large", [], f"CF.RESERVE k 1000 {name} {most + 1}", outside),
        Row("the smallest", [], f"CF.RESERVE k 100000 {name} {least}", OK),
        Row("the largest, any case", [], f"CF.RESERVE k 100000 {name.lower()} {most}", OK),
    ]


RESERVE = [
    Row("makes a filter", [], RESERVED, OK),
    Row("which is there then", [RESERVED], "CF.INFO k", facts(120, 32, 1, 0)),
    Row("all options", ["CF.RESERVE k 1000 BUCKETSIZE 4 MAXITERATIONS 7 EXPANSION 3"], "CF.INFO k",
        facts(40 + 16 + 256 * 4, 256, 1, 0, 0, 4, 4, 7)),
    Row("buckets are a power of two", ["CF.RESERVE k 100"], "CF.INFO k", facts(184, 64, 1, 0)),
    *option_rows("BUCKETSIZE", 1, 255),
    *option_rows("MAXITERATIONS", 1, 65535),
    *option_rows("EXPANSION", 0, 32768),
    Row("no capacity", [], "CF.RESERVE k", arity("cf.reserve")),
    Row("an even number of words", [], "CF.RESERVE k 100 BUCKETSIZE", arity("cf.reserve")),
    Row("capacity is no number", [], "CF.RESERVE k x", Error("Bad capacity")),
    Row("capacity below two buckets", [], "CF.RESERVE k 3", CAPACITY),
    Row("and with a bucket size", [], "CF.RESERVE k 7 BUCKETSIZE 4", CAPACITY),
    Row("capacity above 2^30", [], "CF.RESERVE k 1073741825", CAPACITY),
    Row("capacity below 0", [], "CF.RESERVE k -5", CAPACITY),
    Row("options are judged before the range of the capacity", [], "CF.RESERVE k 0 BUCKETSIZE 0",
        Error("BUCKETSIZE: value must be in the range [1, 255]")),
    Row("unknown pairs are ignored", [], "CF.RESERVE k 100 WHAT EVER", OK),
    Row("a key may be named like an option", [], "CF.RESERVE bucketsize 100", OK),
    Row("the key exists", [RESERVED], RESERVED, EXISTS),
    Row("the key is a string", [STRING], "CF.RESERVE s 100", WRONGTYPE),
    Row("the key is a Bloom filter", ["BF.ADD k a"], RESERVED, WRONGTYPE),
]

ADD = [
    Row("an item", [], "CF.ADD k a", YES),
    Row("makes the default filter", ["CF.ADD k a"], "CF.INFO k", facts(1080, 512, 1, 1)),
    Row("takes copies", ["CF.ADD k a"], "CF.ADD k a", YES),
    Row("only absent: new", [], "CF.ADDNX k a", YES),
    Row("only absent: known", ["CF.ADDNX k a"], "CF.ADDNX k a", NO),
    Row("no item", [], "CF.ADD k", arity("cf.add")),
    Row("two items", [], "CF.ADDNX k a b", arity("cf.addnx")),
    Row("a string", [STRING], "CF.ADD s a", WRONGTYPE),
    Row("a Bloom filter", ["BF.ADD k a"], "CF.ADDNX k a", WRONGTYPE),
    Row("full and may not grow", TINY_FULL, "CF.ADD k a", FULL),
    Row("full, only absent, known", TINY_FULL, "CF.ADDNX k a", NO),
    Row("the most sub-filters", MOST, "CF.ADD k b", Error("Maximum expansions reached")),
    Row("even for a known one", MOST, "CF.ADDNX k a", Error("Maximum expansions reached")),
    Row("and for many", MOST, "CF.INSERT k ITEMS b", Error("Maximum expansions reached")),
]

INSERT = [
    Row("many", [], "CF.INSERT k ITEMS a a b", [YES, YES, YES]),
    Row("only absent ones: three answers, never boolean", [], "CF.INSERTNX k ITEMS a a b",
        [1, 0, 1]),
    Row("no space", [TINY], "CF.INSERT k ITEMS a zz a",
        Both([1, 1, -1], [True, True, False])),
    Row("no space, only absent", TINY_FULL, "CF.INSERTNX k ITEMS a b zz", [0, -1, 0]),
    Row("a capacity", ["CF.INSERT k CAPACITY 100 ITEMS a"], "CF.INFO k", facts(184, 64, 1, 1)),
    Row("words by their first letter", ["CF.INSERT k c 100 i a"], "CF.INFO k",
        facts(184, 64, 1, 1)),
    Row("NOCREATE and no key", [], "CF.INSERT k NOCREATE ITEMS a", NOT_FOUND),
    Row("NOCREATE and no key, only absent", [], "CF.INSERTNX k NOCREATE ITEMS a", NOT_FOUND),
    Row("NOCREATE and a key", [RESERVED], "CF.INSERT k NOCREATE ITEMS a", [YES]),
    Row("bad capacity", [], "CF.INSERT k CAPACITY x ITEMS a", Error("Bad capacity")),
    Row("capacity too small", [], "CF.INSERT k CAPACITY 3 ITEMS a", CAPACITY_OF_INSERT),
    Row("capacity too large", [], "CF.INSERTNX k CAPACITY 1073741825 ITEMS a", CAPACITY_OF_INSERT),
    Row("an unknown word", [], "CF.INSERT k WHAT ITEMS a", Error("Unknown argument received")),
    Row("no ITEMS", [], "CF.INSERT k CAPACITY 100", arity("cf.insert")),
    Row("ITEMS and none", [], "CF.INSERTNX k NOCREATE ITEMS", arity("cf.insertnx")),
    Row("too few words", [], "CF.INSERT k ITEMS", arity("cf.insert")),
    Row("a string", [STRING], "CF.INSERT s ITEMS a", WRONGTYPE),
]

ASK = [
    Row("there", ["CF.ADD k a"], "CF.EXISTS k a", YES),
    Row("not there", ["CF.ADD k a"], "CF.EXISTS k b", NO),
    Row("no key", [], "CF.EXISTS k a", NO),
    Row("a string answers no", [STRING], "CF.EXISTS s a", NO),
    Row("a Bloom filter answers no", ["BF.ADD k a"], "CF.EXISTS k a", NO),
    Row("many", ["CF.ADD k a"], "CF.MEXISTS k a b", [YES, NO]),
    Row("many of no key", [], "CF.MEXISTS k a b", [NO, NO]),
    Row("many of a string", [STRING], "CF.MEXISTS s a", [NO]),
    Row("many of nothing", [], "CF.MEXISTS k", arity("cf.mexists")),
    Row("count", ["CF.INSERT k ITEMS a a b"], "CF.COUNT k a", 2),
    Row("count of none", ["CF.ADD k b"], "CF.COUNT k a", 0),
    Row("count of no key", [], "CF.COUNT k a", 0),
    Row("count of a string", [STRING], "CF.COUNT s a", 0),
    Row("two buckets that are one are counted twice", [TINY, "CF.ADD k a"], "CF.COUNT k a", 2),
]

DELETE = [
    Row("there", ["CF.ADD k a"], "CF.DEL k a", YES),
    Row("one copy at a time", ["CF.INSERT k ITEMS a a", "CF.DEL k a"], "CF.COUNT k a", 1),
    Row("not there", ["CF.ADD k a"], "CF.DEL k b", NO),
    Row("no key", [], "CF.DEL k a", Error("Not found")),
    Row("a string", [STRING], "CF.DEL s a", Error("Not found")),
    Row("a Bloom filter", ["BF.ADD k a"], "CF.DEL k a", Error("Not found")),
    Row("is counted", [RESERVED, "CF.INSERT k ITEMS a b", "CF.DEL k a"], "CF.INFO k",
        facts(120, 32, 1, 1, 1)),
    Row("compact", ["CF.ADD k a"], "CF.COMPACT k", OK),
    Row("compact no key", [], "CF.COMPACT k", Error("Cuckoo filter was not found")),
    Row("compact a string", [STRING], "CF.COMPACT s", Error("Cuckoo filter was not found")),
    Row("compact two", [], "CF.COMPACT k l", arity("cf.compact")),
]

INFO = [
    Row("no key", [], "CF.INFO k", NOT_FOUND),
    Row("a string", [STRING], "CF.INFO s", WRONGTYPE),
    Row("two words", [RESERVED], "CF.INFO k SIZE", arity("cf.info")),
    Row("debug", [RESERVED, "CF.ADD k a"], "CF.DEBUG k",
        "bktsize:2 buckets:32 items:1 deletes:0 filters:1 max_iterations:20 expansion:1"),
    Row("debug of no key", [], "CF.DEBUG k", NOT_FOUND),
    Row("debug of a string", [STRING], "CF.DEBUG s", WRONGTYPE),
]

CHUNKS = [
    Row("an empty filter cannot be dumped", [RESERVED], "CF.SCANDUMP k 0", [0, None]),
    Row("not a number", [RESERVED], "CF.SCANDUMP k x", Error("Invalid position")),
    Row("below 0", [RESERVED], "CF.SCANDUMP k -1", Error("Invalid position")),
    Row("no key", [], "CF.SCANDUMP k 0", NOT_FOUND),
    Row("a string", [STRING], "CF.SCANDUMP s 0", WRONGTYPE),
    Row("past the end", [RESERVED, "CF.ADD k a"], "CF.SCANDUMP k 65", [0, None]),
    Row("load: position 0", [], "CF.LOADCHUNK k 0 d", Error("Invalid position")),
    Row("load: below 0", [], "CF.LOADCHUNK k -1 d", Error("Invalid position")),
    Row("load: not a number", [], "CF.LOADCHUNK k x d", Error("Invalid position")),
    Row("load: a header of a wrong length", [], "CF.LOADCHUNK k 1 d", Error("Invalid header")),
    Row("load: a header of zeros", [], ["CF.LOADCHUNK", "k", 1, b"\0" * 38],
        Error("Couldn't create filter!")),
    Row("load: a header of ones", [], ["CF.LOADCHUNK", "k", 1, b"\xff" * 38],
        Error("Couldn't create filter!")),
    Row("load: and then there is no key", [["CF.LOADCHUNK", "k", 1, b"\xff" * 38]], "EXISTS k", 0),
    Row("load: a header again", [RESERVED], ["CF.LOADCHUNK", "k", 1, b"\0" * 38], EXISTS),
    Row("load: no header yet", [], "CF.LOADCHUNK k 2 d", NOT_FOUND),
    Row("load: a string", [STRING], "CF.LOADCHUNK s 2 d", WRONGTYPE),
    Row("load: past the end", [RESERVED], "CF.LOADCHUNK k 1000 d", Error("Couldn't load chunk!")),
    Row("load: inside", [RESERVED], "CF.LOADCHUNK k 65 dddd", OK),
]


def main():
    checks = Checks()
    for binary in binaries():
        with Server(binary) as server:
            for protocol in (2, 3):
                client = server.client(protocol)
                for table in (RESERVE, ADD, INSERT, ASK, DELETE, INFO, CHUNKS):
                    run(checks, client, protocol, table)
            checks.true("the server lives", server.alive())
    checks.end()


main()
