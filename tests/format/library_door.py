"""library_door - the few calls of the library that test_slow_reader.py needs, through
ctypes. The structures are those of include/tamis/spec.h and file.h."""
import ctypes
import os

STATUS = {0: "OK", 10: "NOMEM", 11: "LIMIT", 20: "SPEC", 21: "UNREACHABLE", 22: "MISMATCH",
          23: "SECRET", 30: "FULL", 31: "READONLY", 40: "UNSUPPORTED", 41: "UNAVAILABLE",
          50: "TRUNCATED", 51: "CORRUPT", 52: "VERSION", 60: "IO"}
PLAIN, ZSTD, GZIP = 0, 1, 2
SALVAGE = 4
ROWS = 3


class Spec(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_uint32), ("hash", ctypes.c_uint32),
                ("capacity", ctypes.c_uint64), ("fpr", ctypes.c_double),
                ("memory", ctypes.c_uint64), ("seed", ctypes.c_uint64),
                ("secret", ctypes.c_char_p), ("needs", ctypes.c_uint32),
                ("flags", ctypes.c_uint32), ("growth", ctypes.c_uint32),
                ("hashes", ctypes.c_uint32), ("lines_per_key", ctypes.c_uint32),
                ("counter_bits", ctypes.c_uint32), ("fingerprint_bits", ctypes.c_uint32),
                ("bucket_keys", ctypes.c_uint32), ("inner", ctypes.c_uint32),
                ("parts", ctypes.c_uint32), ("expansion", ctypes.c_double),
                ("tightening", ctypes.c_double), ("fold", ctypes.c_uint64),
                ("window", ctypes.c_uint64), ("alloc", ctypes.c_void_p),
                ("reserved", ctypes.c_uint64 * 4)]


class OpenOptions(ctypes.Structure):
    _fields_ = [("flags", ctypes.c_uint32), ("behaviour", ctypes.c_uint32),
                ("secret", ctypes.c_char_p), ("memory", ctypes.c_uint64),
                ("alloc", ctypes.c_void_p), ("reserved", ctypes.c_uint64 * 4)]


class SaveOptions(ctypes.Structure):
    _fields_ = [("transport", ctypes.c_uint32), ("level", ctypes.c_int32),
                ("reserved", ctypes.c_uint64 * 4)]


class Keys(ctypes.Structure):
    _fields_ = [("layout", ctypes.c_int), ("count", ctypes.c_size_t), ("data", ctypes.c_char_p),
                ("offsets", ctypes.c_void_p), ("width", ctypes.c_size_t)]


class LibraryRefused(Exception):
    def __init__(self, status, sentence):
        super().__init__(f"{status}: {sentence}")
        self.status = status


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        handle, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
        for name, result, arguments in (
                ("explain", text, []),
                ("hash_available", ctypes.c_bool, [ctypes.c_uint32]),
                ("create", ctypes.c_int, [handle, handle]),
                ("load", ctypes.c_int, [text, size, handle, handle]),
                ("save", ctypes.c_int, [handle, text, handle]),
                ("add", ctypes.c_int, [handle, text, size]),
                ("may_contain", ctypes.c_bool, [handle, text, size]),
                ("file_add_many", ctypes.c_int, [text, handle, handle, handle]),
                ("encoded_size", ctypes.c_uint64, [handle]),
                ("encode", ctypes.c_int, [handle, text, size]),
                ("free", None, [handle])):
            call = getattr(self.lib, "tamis_" + name)
            call.restype, call.argtypes = result, arguments

    def hash_available(self, hash_id):
        return self.lib.tamis_hash_available(hash_id)

    def must(self, status):
        if status:
            raise LibraryRefused(STATUS[status], self.lib.tamis_explain().decode())

    def create(self, **fields):
        return self.product(self.lib.tamis_create, ctypes.byref(Spec(**fields)))

    def load(self, data, secret=None, flags=0):
        options = OpenOptions(flags=flags, secret=secret)
        return self.product(self.lib.tamis_load, data, len(data), ctypes.byref(options))

    def file_add(self, path, keys):
        """Appends keys of one length to a file."""
        batch = Keys(layout=ROWS, count=len(keys), data=b"".join(keys), width=len(keys[0]))
        self.must(self.lib.tamis_file_add_many(os.fsencode(path), ctypes.byref(batch), None, None))

    def product(self, call, *arguments):
        handle = ctypes.c_void_p()
        self.must(call(*arguments, ctypes.byref(handle)))
        return LibraryFilter(self, handle)


class LibraryFilter:
    """A tamis_filter; freed with the object."""

    def __init__(self, library, handle):
        self.library, self.lib, self.handle = library, library.lib, handle

    def __del__(self):
        self.lib.tamis_free(self.handle)

    def add(self, key):
        self.library.must(self.lib.tamis_add(self.handle, key, len(key)))

    def may_contain(self, key):
        return self.lib.tamis_may_contain(self.handle, key, len(key))

    def encode(self):
        size = self.lib.tamis_encoded_size(self.handle)
        room = ctypes.create_string_buffer(size)
        self.library.must(self.lib.tamis_encode(self.handle, room, size))
        return room.raw

    def save(self, path, transport=PLAIN):
        options = SaveOptions(transport=transport)
        self.library.must(self.lib.tamis_save(self.handle, os.fsencode(path),
                                              ctypes.byref(options)))
