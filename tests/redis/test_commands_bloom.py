"""BF.*: every row of the behaviour that clients of the peer know."""
from rows import (EXISTS, NO, NOT_FOUND, OK, WRONGTYPE, YES, Both, Map, Row, arity, run)
from resp import Error, Simple
from servers import Checks, Server, binaries

FULL = Error("ERR non scaling filter is full")
STRING = "SET s x"
RESERVED = "BF.RESERVE k 0.01 100"
TIGHT = "BF.RESERVE k 0.001 100"
ONE_FULL = ["BF.RESERVE k 0.01 1 NONSCALING", "BF.ADD k a"]


def facts(capacity, size, filters, items, expansion):
    return Map({"Capacity": capacity, "Size": size, "Number of filters": filters,
                "Number of items inserted": items, "Expansion rate": expansion})


def one_fact(name, value):
    return Both([value], Map({name: value}))


RESERVE = [
    Row("makes a filter", [], RESERVED, OK),
    Row("which is there then", [RESERVED], "BF.INFO k", facts(100, 240, 1, 0, 2)),
    Row("Size is that of the peer's structs", [TIGHT], "BF.INFO k", facts(100, 296, 1, 0, 2)),
    Row("and for 300 million", ["BF.RESERVE k 0.000001 300000000"], "BF.INFO k SIZE",
        one_fact("Size", 1132420232)),
    Row("too few words", [], "BF.RESERVE k 0.01", arity("bf.reserve")),
    Row("too many words", [], "BF.RESERVE k 0.01 100 EXPANSION 2 NONSCALING x y",
        arity("bf.reserve")),
    Row("rate is no number", [], "BF.RESERVE k x 100", Error("ERR bad error rate")),
    Row("rate is nan", [], "BF.RESERVE k nan 100", Error("ERR bad error rate")),
    Row("rate 0", [], "BF.RESERVE k 0 100",
        Error("ERR error rate must be in the range (0.000000, 1.000000)")),
    Row("rate 1", [], "BF.RESERVE k 1 100",
        Error("ERR error rate must be in the range (0.000000, 1.000000)")),
    Row("rate below 0", [], "BF.RESERVE k -0.5 100",
        Error("ERR error rate must be in the range (0.000000, 1.000000)")),
    Row("rate above a quarter is a quarter", ["BF.RESERVE k 0.9 100 NONSCALING"], "BF.DEBUG k",
        ["size:0", "bytes:40 bits:320 hashes:3 hashwidth:64 capacity:100 size:0 ratio:0.25"]),
    Row("the rate is judged before the capacity", [], "BF.RESERVE k x y",
        Error("ERR bad error rate")),
    Row("capacity is no number", [], "BF.RESERVE k 0.01 x", Error("ERR bad capacity")),
    Row("capacity is a fraction", [], "BF.RESERVE k 0.01 1.5", Error("ERR bad capacity")),
    Row("capacity 0", [], "BF.RESERVE k 0.01 0",
        Error("ERR capacity must be in the range [1, 1073741824]")),
    Row("capacity above 2^30", [], "BF.RESERVE k 0.01 1073741825",
        Error("ERR capacity must be in the range [1, 1073741824]")),
    Row("capacity far above", [], "BF.RESERVE k 0.01 9223372036854775807",
        Error("ERR capacity must be in the range [1, 1073741824]")),
    Row("capacity below 0", [], "BF.RESERVE k 0.01 -1",
        Error("ERR capacity must be in the range [1, 1073741824]")),
    Row("EXPANSION without a number", [], "BF.RESERVE k 0.01 100 EXPANSION",
        Error("ERR no expansion")),
    Row("expansion is no number", [], "BF.RESERVE k 0.01 100 EXPANSION x",
        Error("ERR bad expansion")),
    Row("expansion below 0", [], "BF.RESERVE k 0.01 100 EXPANSION -1",
        Error("ERR expansion must be in the range [0, 32768]")),
    Row("expansion above 2^15", [], "BF.RESERVE k 0.01 100 EXPANSION 32769",
        Error("ERR expansion must be in the range [0, 32768]")),
    Row("expansion is kept", ["BF.RESERVE k 0.01 100 expansion 4"], "BF.INFO k EXPANSION",
        one_fact("Expansion rate", 4)),
    Row("EXPANSION 0 does not scale", ["BF.RESERVE k 0.01 100 EXPANSION 0"],
        "BF.INFO k EXPANSION", one_fact("Expansion rate", None)),
    Row("NONSCALING does not scale", ["BF.RESERVE k 0.01 100 NonScaling"],
        "BF.INFO k EXPANSION", one_fact("Expansion rate", None)),
    Row("NONSCALING with an expansion", [], "BF.RESERVE k 0.01 100 EXPANSION 2 NONSCALING",
        Error("Nonscaling filters cannot expand")),
    Row("NONSCALING with EXPANSION 0", [], "BF.RESERVE k 0.01 100 NONSCALING EXPANSION 0", OK),
    Row("unknown words are ignored", [], "BF.RESERVE k 0.01 100 WHATEVER", OK),
    Row("a key may be named like an option", [], "BF.RESERVE expansion 0.01 100", OK),
    Row("the key exists", [RESERVED], RESERVED, EXISTS),
    Row("the key is a string", [STRING], "BF.RESERVE s 0.01 100", WRONGTYPE),
    Row("the key is a cuckoo filter", ["CF.RESERVE k 100"], RESERVED, WRONGTYPE),
    Row("arguments are judged before the key", [STRING], "BF.RESERVE s 0.01 0",
        Error("ERR capacity must be in the range [1, 1073741824]")),
    Row("more memory than the machine has", [], "BF.RESERVE k 1e-300 1073741824",
        Error("ERR Insufficient memory to create filter")),
    Row("and then there is no key", ["BF.RESERVE k 1e-300 1073741824"], "EXISTS k", 0),
]

ADD = [
    Row("a new item", [], "BF.ADD k a", YES),
    Row("makes the default filter", ["BF.ADD k a"], "BF.INFO k", facts(100, 240, 1, 1, 2)),
    Row("a known item", ["BF.ADD k a"], "BF.ADD k a", NO),
    Row("the empty item is an item", [], "BF.ADD k ''", YES),
    Row("and is known then", ["BF.ADD k ''"], "BF.EXISTS k ''", YES),
    Row("bytes with a zero inside", ["BF.ADD k 'a\\x00b'"], "BF.EXISTS k 'a\\x00c'", NO),
    Row("no item", [], "BF.ADD k", arity("bf.add")),
    Row("two items", [], "BF.ADD k a b", arity("bf.add")),
    Row("a string", [STRING], "BF.ADD s a", WRONGTYPE),
    Row("a cuckoo filter", ["CF.ADD k a"], "BF.ADD k a", WRONGTYPE),
    Row("full and may not grow", ONE_FULL, "BF.ADD k b", FULL),
    Row("full, but known", ONE_FULL, "BF.ADD k a", NO),
    Row("full and grows", ["BF.RESERVE k 0.01 1", "BF.ADD k a", "BF.ADD k b"], "BF.INFO k FILTERS",
        one_fact("Number of filters", 2)),
    Row("many", [], "BF.MADD k a b a", [YES, YES, NO]),
    Row("many with no item", [], "BF.MADD k", arity("bf.madd")),
    Row("many, one only: an array", [], "BF.MADD k a", [YES]),
    Row("many to a string", [STRING], "BF.MADD s a", WRONGTYPE),
    Row("many end with the one that finds it full", ["BF.RESERVE k 0.01 2 NONSCALING"],
        "BF.MADD k a b c d", [YES, YES, FULL]),
    Row("known ones before it count as known", [*ONE_FULL], "BF.MADD k a a b a", [NO, NO, FULL]),
    Row("renamed letters do not matter", [], "bf.mAdD k a", [YES]),
]

INSERT = [
    Row("makes what is missing", [], "BF.INSERT k ITEMS a b", [YES, YES]),
    Row("with the defaults", ["BF.INSERT k ITEMS a"], "BF.INFO k", facts(100, 240, 1, 1, 2)),
    Row("with a capacity and a rate", ["BF.INSERT k CAPACITY 1000 ERROR 0.001 ITEMS a"],
        "BF.INFO k", facts(1000, 2080, 1, 1, 2)),
    Row("with an expansion", ["BF.INSERT k EXPANSION 4 ITEMS a"], "BF.INFO k EXPANSION",
        one_fact("Expansion rate", 4)),
    Row("that does not scale", ["BF.INSERT k NONSCALING ITEMS a"], "BF.INFO k EXPANSION",
        one_fact("Expansion rate", None)),
    Row("NONSCALING wins over EXPANSION", ["BF.INSERT k EXPANSION 4 NONSCALING ITEMS a"],
        "BF.INFO k EXPANSION", one_fact("Expansion rate", None)),
    Row("EXPANSION 0 does not scale", ["BF.INSERT k EXPANSION 0 ITEMS a"], "BF.INFO k EXPANSION",
        one_fact("Expansion rate", None)),
    Row("the last of two capacities counts", ["BF.INSERT k CAPACITY 5 CAPACITY 1000 ITEMS a"],
        "BF.INFO k CAPACITY", one_fact("Capacity", 1000)),
    Row("words by their first letters", ["BF.INSERT k cap 1000 err 0.001 e 4 i a"], "BF.INFO k",
        facts(1000, 2080, 1, 1, 4)),
    Row("options do not change a filter that is there", [RESERVED],
        "BF.INSERT k CAPACITY 1000 ITEMS a", [YES]),
    Row("NOCREATE and no key", [], "BF.INSERT k NOCREATE ITEMS a", NOT_FOUND),
    Row("NOCREATE with CAPACITY", [], "BF.INSERT k NOCREATE CAPACITY 10 ITEMS a", NOT_FOUND),
    Row("NOCREATE and a key", [RESERVED], "BF.INSERT k NOCREATE ITEMS a", [YES]),
    Row("items may be named like options", [], "BF.INSERT k ITEMS NOCREATE ITEMS", [YES, YES]),
    Row("bad rate", [], "BF.INSERT k ERROR x ITEMS a", Error("Bad error rate")),
    Row("rate out of range", [], "BF.INSERT k ERROR 2 ITEMS a", Error("Bad error rate")),
    Row("rate above a quarter", ["BF.INSERT k ERROR 0.5 NONSCALING ITEMS a"], "BF.DEBUG k",
        ["size:1", "bytes:40 bits:320 hashes:3 hashwidth:64 capacity:100 size:1 ratio:0.25"]),
    Row("bad capacity", [], "BF.INSERT k CAPACITY x ITEMS a", Error("Bad capacity")),
    Row("capacity 0", [], "BF.INSERT k CAPACITY 0 ITEMS a", Error("Bad capacity")),
    Row("bad expansion", [], "BF.INSERT k EXPANSION x ITEMS a", Error("Bad expansion")),
    Row("expansion out of range", [], "BF.INSERT k EXPANSION 32769 ITEMS a",
        Error("Bad expansion")),
    Row("an unknown word", [], "BF.INSERT k WHAT ITEMS a", Error("Unknown argument received")),
    Row("no ITEMS", [], "BF.INSERT k CAPACITY 10", arity("bf.insert")),
    Row("ITEMS and none", [], "BF.INSERT k CAPACITY 10 ITEMS", arity("bf.insert")),
    Row("an option without its value", [], "BF.INSERT k NOCREATE ERROR", arity("bf.insert")),
    Row("a string", [STRING], "BF.INSERT s ITEMS a", WRONGTYPE),
    Row("full", ONE_FULL, "BF.INSERT k ITEMS a b c", [NO, FULL]),
    Row("no memory", [], "BF.INSERT k ERROR 1e-300 CAPACITY 1073741824 ITEMS a",
        Error("ERR Insufficient memory to create filter")),
]

ASK = [
    Row("there", ["BF.ADD k a"], "BF.EXISTS k a", YES),
    Row("not there", ["BF.ADD k a"], "BF.EXISTS k b", NO),
    Row("no key", [], "BF.EXISTS k a", NO),
    Row("a string answers no", [STRING], "BF.EXISTS s a", NO),
    Row("a cuckoo filter answers no", ["CF.ADD k a"], "BF.EXISTS k a", NO),
    Row("no item", [], "BF.EXISTS k", arity("bf.exists")),
    Row("many", ["BF.ADD k a"], "BF.MEXISTS k a b a", [YES, NO, YES]),
    Row("many of no key", [], "BF.MEXISTS k a b", [NO, NO]),
    Row("many of a string", [STRING], "BF.MEXISTS s a b", [NO, NO]),
    Row("many of nothing", [], "BF.MEXISTS k", arity("bf.mexists")),
    Row("card", ["BF.MADD k a b b"], "BF.CARD k", 2),
    Row("card of no key", [], "BF.CARD k", 0),
    Row("card of a string", [STRING], "BF.CARD s", WRONGTYPE),
    Row("card of a cuckoo filter", ["CF.ADD k a"], "BF.CARD k", WRONGTYPE),
    Row("card of two", [], "BF.CARD k l", arity("bf.card")),
]

INFO = [
    Row("all", [RESERVED, "BF.ADD k a"], "BF.INFO k", facts(100, 240, 1, 1, 2)),
    Row("all, not scaling", ONE_FULL, "BF.INFO k", facts(1, 104, 1, 1, None)),
    Row("capacity", [RESERVED], "BF.INFO k CAPACITY", one_fact("Capacity", 100)),
    Row("size, any case", [RESERVED], "BF.INFO k size", one_fact("Size", 240)),
    Row("filters", [RESERVED], "BF.INFO k FILTERS", one_fact("Number of filters", 1)),
    Row("items", ["BF.ADD k a"], "BF.INFO k ITEMS", one_fact("Number of items inserted", 1)),
    Row("expansion", [RESERVED], "BF.INFO k EXPANSION", one_fact("Expansion rate", 2)),
    Row("an unknown field", [RESERVED], "BF.INFO k WHAT", Error("Invalid information value")),
    Row("no key", [], "BF.INFO k", NOT_FOUND),
    Row("no key and an unknown field", [], "BF.INFO k WHAT", NOT_FOUND),
    Row("a string", [STRING], "BF.INFO s", WRONGTYPE),
    Row("two fields", [RESERVED], "BF.INFO k SIZE ITEMS", arity("bf.info")),
    Row("layers", ["BF.RESERVE k 0.01 10", "BF.MADD k a b c d e f g h i j k l"], "BF.DEBUG k",
        ["size:12", "bytes:16 bits:128 hashes:8 hashwidth:64 capacity:10 size:10 ratio:0.005",
         "bytes:32 bits:256 hashes:9 hashwidth:64 capacity:20 size:2 ratio:0.0025"]),
    Row("layers of no key", [], "BF.DEBUG k", NOT_FOUND),
    Row("layers of a string", [STRING], "BF.DEBUG s", WRONGTYPE),
]

CHUNKS = [
    Row("not a number", [RESERVED], "BF.SCANDUMP k x", Error("Second argument must be numeric")),
    Row("the key is judged first", [], "BF.SCANDUMP k x", NOT_FOUND),
    Row("a string", [STRING], "BF.SCANDUMP s 0", WRONGTYPE),
    Row("the data of an empty filter", [RESERVED], "BF.SCANDUMP k 1", [145, b"\0" * 144]),
    Row("from the middle", [RESERVED], "BF.SCANDUMP k 101", [145, b"\0" * 44]),
    Row("past the end", [RESERVED], "BF.SCANDUMP k 145", [0, b""]),
    Row("far past the end", [RESERVED], "BF.SCANDUMP k 9223372036854775807", [0, b""]),
    Row("before the start", [RESERVED], "BF.SCANDUMP k -1", [0, b""]),
    Row("one word too many", [RESERVED], "BF.SCANDUMP k 0 0", arity("bf.scandump")),
    Row("load: not a number", [], "BF.LOADCHUNK k x d",
        Error("ERR Second argument must be numeric")),
    Row("load: no header", [], "BF.LOADCHUNK k 2 d", NOT_FOUND),
    Row("load: a bad header", [], "BF.LOADCHUNK k 1 d", Error("ERR received bad data")),
    Row("load: and then there is no key", ["BF.LOADCHUNK k 1 d"], "EXISTS k", 0),
    Row("load: a string", [STRING], "BF.LOADCHUNK s 1 d", WRONGTYPE),
    Row("load: before the start", [RESERVED], "BF.LOADCHUNK k 1 d",
        Error("ERR invalid offset - no link found")),
    Row("load: past the end", [RESERVED], "BF.LOADCHUNK k 1000 d",
        Error("ERR invalid offset - no link found")),
    Row("load: over the end", [RESERVED], ["BF.LOADCHUNK", "k", 146, b"dd"],
        Error("ERR invalid chunk - Too big for current filter")),
    Row("load: inside", [RESERVED], "BF.LOADCHUNK k 145 dddd", OK),
    Row("load: too few words", [RESERVED], "BF.LOADCHUNK k 145", arity("bf.loadchunk")),
]


def main():
    checks = Checks()
    for binary in binaries():
        with Server(binary) as server:
            for protocol in (2, 3):
                client = server.client(protocol)
                for table in (RESERVE, ADD, INSERT, ASK, INFO, CHUNKS):
                    run(checks, client, protocol, table)
            checks.true("the server lives", server.alive())
    checks.end()


main()
