"""rows.py - the language of the command tables.

A row is Row(why, setup, command, reply): `setup` and `command` are command
lines in the shell's quoting, `reply` what the last one answers. YES and NO are
1 and 0 in RESP2, booleans in RESP3; Map is a flat array in RESP2; Both tells a
reply of each protocol apart.
"""
import shlex
from collections import namedtuple

from resp import Error, Simple

Row = namedtuple("Row", "why setup command reply")
Both = namedtuple("Both", "resp2 resp3")
YES, NO = Both(1, True), Both(0, False)
OK = Simple("OK")
NOT_FOUND = Error("ERR not found")
EXISTS = Error("ERR item exists")
WRONGTYPE = Error("WRONGTYPE Operation against a key holding the wrong kind of value")


class Map(dict):
    """Fields by name; the names are simple strings."""


def arity(command):
    return Error(f"ERR wrong number of arguments for '{command.upper()}' command")


def words(line):
    """Words of a command line; \\x00 and the like are bytes."""
    if not isinstance(line, str):
        return line
    return [word.encode().decode("unicode_escape").encode("latin1") for word in shlex.split(line)]


def expected(reply, protocol):
    if isinstance(reply, Both):
        return expected(reply.resp2 if protocol == 2 else reply.resp3, protocol)
    if isinstance(reply, Map):
        pairs = {Simple(name): expected(value, protocol) for name, value in reply.items()}
        return pairs if protocol == 3 else [part for pair in pairs.items() for part in pair]
    if isinstance(reply, list):
        return [expected(part, protocol) for part in reply]
    if isinstance(reply, str) and not isinstance(reply, Simple):
        return reply.encode()
    return reply


def run(checks, client, protocol, table):
    """Runs every row on an empty server."""
    for row in table:
        client.ok("FLUSHALL")
        for line in row.setup:
            client(*words(line))
        got = client(*words(row.command))
        why = f"RESP{protocol}: {row.why}: {row.command if isinstance(row.command, str) else ''}"
        checks.equal(why, got, expected(row.reply, protocol))
