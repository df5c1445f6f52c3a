"""rdb.py - module values as a server writes them: enough to make payloads of
every encoding version, sound ones and others."""
import struct

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
POLYNOMIAL = 0x95ac9329ac4bc9b5  # CRC-64 of the servers, bits reflected


def _crc_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (POLYNOMIAL if byte & 1 else 0)
        table.append(byte)
    return table


TABLE = _crc_table()


def crc64(data):
    crc = 0
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc


def length(value):
    if value < 64:
        return bytes([value])
    if value < 16384:
        return bytes([0x40 | value >> 8, value & 255])
    if value < 1 << 32:
        return b"\x80" + struct.pack(">I", value)
    return b"\x81" + struct.pack(">Q", value)


def module_id(name, encver):
    number = 0
    for letter in name:
        number = number << 6 | ALPHABET.index(letter)
    return number << 10 | encver


def field(value):
    if isinstance(value, int):
        return length(2) + length(value)
    if isinstance(value, float):
        return length(4) + struct.pack("<d", value)
    return length(5) + length(len(value)) + value


def value(name, encver, fields):
    """A value without the footer that DUMP appends."""
    return b"\x07" + length(module_id(name, encver)) + b"".join(map(field, fields)) + length(0)


def payload(name, encver, fields, rdb_version=9):
    body = value(name, encver, fields) + struct.pack("<H", rdb_version)
    return body + struct.pack("<Q", crc64(body))


def bloom_fields(encver, layers, options=5, growth=2):
    """Layers are (capacity, error, hashes, bits per entry, bits, n2, array, items)."""
    head = [sum(layer[7] for layer in layers), len(layers)]
    head += [options] if encver >= 2 else []
    head += [growth] if encver >= 4 else []
    for capacity, error, hashes, entry, bits, n2, array, items in layers:
        head += [capacity, error, hashes, entry]
        head += [bits, n2] if encver >= 1 else []
        head += [array, items]
    return head


def cuckoo_fields(encver, buckets, items, arrays, deletes=0, bucket=2, iterations=20, expansion=1):
    if encver < 4:
        return [len(arrays), buckets, items, *arrays]
    head = [len(arrays), buckets, items, deletes, bucket, iterations, expansion]
    for array in arrays:
        head += [len(array) // bucket, array]
    return head
