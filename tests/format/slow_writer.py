"""slow_writer - makes plain encodings field by field, sound ones and wrong ones.

The counterpart of slow_reader.py, for files that the library would never write:
every field can be given, and checksums are computed over whatever results. Used
by tests/golden/bad/make_bad.py and by test_slow_reader.py.
"""
import struct

import slow_hashes as hashes
import slow_reader as reader


def f64_bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def keys(count):
    return [b"key_%d" % i for i in range(count)]


def body_of(kind, params, body_bytes, added, seed=0):
    """A body with these keys in it, under xxh3."""
    body = bytearray(body_bytes)
    for key in added:
        h = hashes.xxh3(key, seed)
        if kind == reader.CLASSIC:
            positions = reader.classic_positions(h, *params)
        else:
            positions = reader.blocked_positions(h, *params)
        for at in positions:
            body[at // 8] |= 1 << at % 8
    return bytes(body)


def node(kind=reader.BLOCKED, params=(2, 7, 1), body=bytes(128), **fields):
    """A node as 128 bytes, and its body. `fields` replaces what follows from the rest."""
    values = {"children": 0, "behaviour": 0, "state": 0, "capacity": 100, "fpr": 0.01, "added": 10,
              "body_bytes": len(body), "param_count": len(params), "reserved": 0,
              "more_reserved": 0, "rest": ()}
    unknown = fields.keys() - values.keys()
    assert not unknown, unknown
    values.update(fields)
    eight = (tuple(params) + tuple(values["rest"]) + (0,) * 8)[:8]
    raw = struct.pack("<4IQdQQIIQ8Q", kind, values["children"], values["behaviour"],
                      values["state"], values["capacity"], values["fpr"], values["added"],
                      values["body_bytes"], values["param_count"], values["reserved"],
                      values["more_reserved"], *eight)
    return raw, body


def blocked(lines=2, count=7, lines_per_key=1, filled=10, **fields):
    params = (lines, count, lines_per_key)
    body = body_of(reader.BLOCKED, params, 64 * lines, keys(filled))
    return node(reader.BLOCKED, params, body, **fields)


def classic(bits=960, count=7, filled=10, **fields):
    body = body_of(reader.CLASSIC, (bits, count), -(-bits // 512) * 64, keys(filled))
    return node(reader.CLASSIC, (bits, count), body, **fields)


def scalable(layers, inner=reader.BLOCKED, expansion=2.0, tightening=0.5, lines_per_key=0,
             memory=0, body=b"", **fields):
    """The root and its layers, ready for encode()."""
    params = (inner, f64_bits(expansion), f64_bits(tightening), lines_per_key)
    params += (memory,) if memory else ()
    values = {"children": len(layers), "added": 0, **fields}
    return [node(reader.SCALABLE, params, body, **values), *layers]


def chunk_sums(body, chunk_bytes, header_sum):
    sums = b""
    for i, at in enumerate(range(0, len(body), chunk_bytes)):
        seed = header_sum + i & hashes.M64
        sums += hashes.xxh3(body[at:at + chunk_bytes], seed).to_bytes(8, "little")
    return sums


def encode(nodes, metadata=b"", padding=None, more_header=0, **fields):
    """The plain encoding; `fields` replaces header fields, sums are right for the result."""
    body = b"".join(part for _, part in nodes)
    used = 120 + 128 * len(nodes) + len(metadata) + 8
    size = -(-used // 64) * 64 + more_header
    values = {"magic": reader.MAGIC, "version": 1, "header_bytes": size, "hash": 1, "flags": 0,
              "seed": 0, "fingerprint": 0, "hash_name": b"xxh3", "node_count": len(nodes),
              "chunk_log2": 16, "body_bytes": len(body), "metadata_bytes": len(metadata),
              "reserved": 0}
    unknown = fields.keys() - values.keys() - {"file_bytes"}
    assert not unknown, unknown
    values.update(fields)
    chunk_bytes = 1 << min(values["chunk_log2"], 20)
    file_bytes = size + len(body) + 8 * -(-len(body) // chunk_bytes) + 8
    header = struct.pack("<8sIIQIIQQ48sIIQII", values["magic"], values["version"],
                         values["header_bytes"], values.get("file_bytes", file_bytes),
                         values["hash"], values["flags"], values["seed"], values["fingerprint"],
                         values["hash_name"], values["node_count"], values["chunk_log2"],
                         values["body_bytes"], values["metadata_bytes"], values["reserved"])
    header += b"".join(raw for raw, _ in nodes) + metadata
    gap = size - 8 - len(header)
    header += bytes(gap) if padding is None else padding[:gap].ljust(gap, b"\0")
    return seal(header, body, chunk_bytes)


def seal(header, body, chunk_bytes):
    """Header (without its sum) and body with the three kinds of checksum."""
    header_sum = hashes.xxh3(header)
    sums = chunk_sums(body, chunk_bytes, header_sum)
    table_sum = hashes.xxh3(sums, header_sum)
    return (header + header_sum.to_bytes(8, "little") + body + sums
            + table_sum.to_bytes(8, "little"))
