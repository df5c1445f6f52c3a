#!/usr/bin/env python3
"""test_slow_reader - docs/format.md, the golden files and the library must agree.

slow_reader.py was written from the page alone. Here it reads the page's own example,
every file of tests/golden, and filters that the library makes at random; and the
library reads files that slow_writer.py makes. TAMIS_LIB is the shared library
(without it the last two are skipped), TAMIS_SEED another start for what is random.
"""
import csv
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import slow_hashes as hashes  # noqa: E402
import slow_reader as reader  # noqa: E402
import slow_roaring as roaring  # noqa: E402
import slow_writer as writer  # noqa: E402
from library_door import GZIP, SALVAGE, ZSTD, Library, LibraryRefused  # noqa: E402

GOLDEN = HERE.parent / "golden"
PAGE = HERE.parent.parent / "docs" / "format.md"
SECRET = bytes(range(16))
ABSENT = [b"absent_%d" % i for i in range(10_000)]
SEED = int(os.environ.get("TAMIS_SEED", "1"))


def manifest(folder):
    with open(GOLDEN / folder / "manifest.json", encoding="utf-8") as file:
        return json.load(file)


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = [line for line in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return lines


def have_zstd():
    try:
        reader.zstd_machine()
    except reader.Refused:
        return False
    return True


def skipped(test, name, why):
    print(f"skipped {name}: {why}", file=sys.stderr)
    test.skipTest(why)


# ---- hashes ----

def self_test_bytes(count):
    """The buffer of xxHash's own self-test."""
    out, g = bytearray(), 2654435761
    for _ in range(count):
        out.append(g >> 56)
        g = g * 11400714785074694797 & hashes.M64
    return bytes(out)


def vector_input(text):
    form, value = text[0], text[2:]
    if form == "s":
        return value.encode("ascii")
    if form == "h":
        return bytes.fromhex(value)
    return {"q": lambda n: bytes((31 * j + 7) & 255 for j in range(n)),
            "x": self_test_bytes, "a": lambda n: b"a" * n}[form](int(value))


def sha256_hex(data, seed):
    """The 8 bytes that count, in order."""
    return hashes.sha256(data, seed).to_bytes(8, "little").hex()


VECTORS = {
    "xxh3_64": lambda data, seed: f"{hashes.xxh3(data, int(seed, 16)):016x}",
    "murmur3_x86_32": lambda data, seed: f"{hashes.murmur3_32(data, int(seed, 16)):08x}",
    "murmur3_x64_128": lambda data, seed: "{:016x}{:016x}".format(
        *hashes.murmur3_128(data, int(seed, 16))),
    "murmur2_64a": lambda data, seed: f"{hashes.murmur64a(data, int(seed, 16)):016x}",
    "fnv1a_64": lambda data, seed: f"{hashes.fnv1a(data, 0):016x}",
    "sha256": lambda data, seed: sha256_hex(data, 0 if seed == "-" else int(seed, 16)),
    "siphash24": lambda data, seed: f"{hashes.siphash(data, bytes.fromhex(seed)):016x}",
}


def added(node):
    """Filters that grow or forget count in their parts, others themselves."""
    counted = node.kind in (reader.SCALABLE, reader.WINDOW)
    if node.kind == reader.SHARDED and node.params[0] == reader.SCALABLE:
        counted = True
    return sum(added(child) for child in node.children) if counted else node.added


class Hashes(unittest.TestCase):
    def test_published_vectors(self):
        count = 0
        for path in sorted((GOLDEN / "hash").glob("*.tsv")):
            for function, seed, text, expected in (
                    row for row in table(path) if not row[0].startswith("#")):
                found = VECTORS[function](vector_input(text), seed)
                self.assertEqual(found, expected[:len(found)], (function, seed, text))
                count += 1
        self.assertGreater(count, 1000)


# ---- the page ----

def example_bytes():
    """The dump of section 12; a star repeats the line above it."""
    out, line, starred = bytearray(), b"", False
    for text in PAGE.read_text(encoding="utf-8").split("```")[1].split("\n")[1:-1]:
        if text == "*":
            starred = True
            continue
        at = int(text[:8], 16)
        while starred and len(out) < at:
            out += line
        starred = False
        assert at == len(out), text
        line = bytes.fromhex(text[8:])
        out += line
    return bytes(out)


class Page(unittest.TestCase):
    def test_example(self):
        data = example_bytes()
        self.assertEqual(len(data), 400)
        found = reader.read(data)
        self.assertEqual(found.header.metadata, b"made by hand")
        self.assertEqual((found.root.capacity, found.root.fpr, found.root.added), (50, 0.01, 0))
        self.assertEqual(found.root.params[:3], [1, 7, 1])
        self.assertFalse(found.may_contain(b"key_0"))

    def test_example_written(self):
        node = writer.blocked(lines=1, filled=0, behaviour=1, capacity=50, added=0)
        self.assertEqual(writer.encode([node], metadata=b"made by hand", seed=42),
                         example_bytes())

    def test_example_damaged(self):
        data = example_bytes()
        for at in range(len(data)):
            with self.subTest(at=at), self.assertRaises(reader.Refused):
                reader.read(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:])
        for size in range(len(data)):
            with self.subTest(size=size), self.assertRaises(reader.Refused) as caught:
                reader.read(data[:size])
            self.assertEqual(caught.exception.status, "TRUNCATED")


# ---- golden files ----

def crowd(i):
    """Integers in every density: tests/golden/native/README.md."""
    if i < 9000:
        return 2 * i
    if i < 10000:
        return 200000 + i
    return 1000 * i if i < 11000 else (i - 10999) << 40


def golden_key(rule, i, words):
    if rule == "text":
        return b"key_%d" % i
    if rule == "u64":
        return (i * 0x100000001 & hashes.M64).to_bytes(8, "little")
    if rule == "crowds":
        return crowd(i).to_bytes(8, "little")
    if rule == "lengths":
        return bytes(31 * j + i & 255 for j in range(i))
    return words[i]


class Native(unittest.TestCase):
    """tests/golden/native: what the library wrote."""

    def test_files(self):
        stated = manifest("native")
        words = [bytes.fromhex(word) for word in stated["words"]]
        for entry in stated["files"]:
            with self.subTest(file=entry["file"]):
                self.check_file(entry, words)

    def check_file(self, entry, words):
        if entry["transport"] == "zstd" and not have_zstd():
            skipped(self, entry["file"], "this Python has no module for zstd")
        secret = bytes.fromhex(entry["spec"].get("secret", "")) or None
        found = reader.read_file(GOLDEN / "native" / entry["file"], secret)
        self.check_facts(entry, found)
        present, rule = entry["present"], entry["keys"]["rule"]
        for i in range(present["first"], present["first"] + present["count"]):
            self.assertTrue(found.may_contain(golden_key(rule, i, words)), i)
        self.assertEqual([i for i, key in enumerate(ABSENT) if found.may_contain(key)],
                         entry["false_positives"])

    def check_facts(self, entry, found):
        spec, root, header = entry["spec"], found.root, found.header
        layers = root.children or [root]
        scaling = spec.get("growth") == "scale" and spec["kind"] != "sharded"
        named = layers if scaling else [root]
        self.assertEqual({reader.KIND_NAMES[node.kind] for node in named}, {spec["kind"]})
        self.assertEqual(root.kind == reader.SCALABLE, scaling)
        self.assertEqual(header.hash_name, entry["hash"])
        self.assertEqual(header.seed, spec.get("seed", 0))
        self.assertEqual(header.file_bytes, entry["bytes"])
        self.assertEqual(root.behaviour, entry["flags"])
        self.assertEqual(len(layers), entry["layers"])
        self.assertEqual(added(root), entry["added"])
        self.assertEqual(root.state & 1 == 1, entry["estimate"])
        self.assertEqual(len(header.metadata), entry["metadata_bytes"])
        self.assertEqual(f"{hashes.xxh3(header.metadata):016x}", entry["metadata_xxh3"])
        self.check_layers(root)

    def check_layers(self, root):
        """Section 9.3: what each layer was planned for."""
        if root.kind != reader.SCALABLE:
            return
        expansion, tightening = (reader.f64(bits) for bits in root.params[1:3])
        for i, layer in enumerate(root.children):
            capacity = root.capacity * expansion ** i
            if root.param_count == 6 and i > 0:
                capacity = root.params[5] * expansion ** (i - 1)
            rate = root.fpr * (1 - tightening) * tightening ** i
            self.assertTrue(capacity <= layer.capacity < capacity + 1, i)
            self.assertAlmostEqual(layer.fpr / rate, 1, places=12)

    def test_secrets(self):
        for entry in manifest("native")["files"]:
            keyed = "secret" in entry["spec"]
            for secret in (bytes(16), None if keyed else SECRET):
                if entry["transport"] == "zstd" and not have_zstd():
                    continue
                with self.subTest(file=entry["file"]), self.assertRaises(reader.Refused) as caught:
                    reader.read_file(GOLDEN / "native" / entry["file"], secret)
                self.assertEqual(caught.exception.status, "SECRET")

    def test_command(self):
        path = GOLDEN / "native" / "hash-siphash-seed.tamis"
        for words, expected, text in (
                (["--secret", SECRET.hex(), path, "hex:01", "hex:"], 0, "maybe b''"),
                (["--secret", SECRET.hex(), path, "hex:01", "absent_0"], 1, "no    b'absent_0'"),
                ([path, "hex:01"], 2, "SECRET")):
            done = subprocess.run([sys.executable, "-B", HERE / "slow_reader.py", *words],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, expected, done.stderr)
            self.assertIn(text, done.stdout + done.stderr)

    def test_bytes(self):
        for entry in manifest("native")["files"]:
            if entry["transport"] == "plain":
                data = (GOLDEN / "native" / entry["file"]).read_bytes()
                self.assertEqual(f"{hashes.xxh3(data):016x}", entry["xxh3"], entry["file"])

    def test_manifests_agree(self):
        columns = ("file", "hash", "layers", "flags", "added", "metadata_bytes",
                   "metadata_xxh3", "bytes", "xxh3")
        heading, *rows = table(GOLDEN / "native" / "manifest.tsv")
        heading[0] = heading[0].removeprefix("# ")
        entries = manifest("native")["files"]
        self.assertEqual(len(rows), len(entries))
        for row, entry in zip(rows, entries):
            stated = dict(zip(heading, row))
            for column in columns:
                self.assertEqual(stated[column], str(entry[column]), (entry["file"], column))
            listed = ",".join(map(str, entry["false_positives"])) or "-"
            self.assertEqual(stated["false_positives"], listed, entry["file"])


class Roaring(unittest.TestCase):
    """Portable bytes of another writer, and those in a bitmap's body: one set."""

    def test_files(self):
        crowds = sorted(map(crowd, range(11100)))
        for name in ("plain", "runs"):
            data = (GOLDEN / "foreign" / f"roaring64_{name}.bin").read_bytes()
            self.assertEqual(roaring.integers(data), crowds, name)
        found = reader.read_file(GOLDEN / "native" / "bitmap.tamis")
        self.assertEqual(sorted(found.root.integers), crowds)

    def test_the_one_form(self):
        for path in sorted((GOLDEN / "native").glob("bitmap*.tamis")):
            root = reader.read_file(path).root
            body = bytes(root.body[:root.params[0]])
            self.assertEqual(set(roaring.integers(body, canonical=True)), root.integers, path)

    def test_damage(self):
        data = (GOLDEN / "native" / "bitmap-strict.tamis").read_bytes()
        for at in range(256, len(data), 37):
            with self.subTest(at=at), self.assertRaises(reader.Refused):
                reader.read(data[:at] + bytes([data[at] ^ 1]) + data[at + 1:], salvage=True)


class Handmade(unittest.TestCase):
    """tests/golden/bad and tests/golden/unusual: what make_bad.py wrote."""

    def check_status(self, folder, entry):
        # The library makes room for an announced body before it reads one.
        expected = {"NOMEM": "TRUNCATED"}.get(entry["read"], entry["read"])
        data = (GOLDEN / folder / entry["file"]).read_bytes()
        if data[:4] == reader.ZSTD_MAGIC and not have_zstd():
            skipped(self, entry["file"], "this Python has no module for zstd")
        if expected == "OK":
            found = reader.read(data)
            self.assertTrue(all(found.may_contain(key) for key in writer.keys(10)))
            return
        with self.assertRaises(reader.Refused) as caught:
            reader.read(data)
        self.assertEqual(caught.exception.status, expected, caught.exception)

    def test_files(self):
        for folder in ("bad", "unusual"):
            for entry in manifest(folder)["files"]:
                with self.subTest(file=entry["file"]):
                    self.check_status(folder, entry)

    def test_salvage(self):
        for entry in manifest("bad")["files"]:
            if entry["salvage"] != "OK":
                continue
            with self.subTest(file=entry["file"]):
                found = reader.read_file(GOLDEN / "bad" / entry["file"], salvage=True)
                self.assertTrue(all(found.may_contain(key) for key in writer.keys(10)))

    def test_every_file_is_listed(self):
        for folder in ("bad", "unusual", "native"):
            listed = {entry["file"] for entry in manifest(folder)["files"]}
            there = {path.name for path in (GOLDEN / folder).glob("*.tamis")}
            self.assertEqual(listed, there)

    def test_made_again(self):
        source = GOLDEN / "bad" / "make_bad.py"
        spec = importlib.util.spec_from_file_location("make_bad", source)
        make_bad = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(make_bad)
        with tempfile.TemporaryDirectory() as scratch:
            make_bad.make_all(Path(scratch))
            for path in sorted(Path(scratch).rglob("*")):
                kept = GOLDEN / path.relative_to(scratch)
                if path.is_file():
                    self.assertEqual(path.read_bytes(), kept.read_bytes(), kept.name)


# ---- the library ----

def random_spec(rng, library):
    """A request the planner takes; about half of them scale."""
    usable = [number for number in reader.HASH_NAMES if library.hash_available(number)]
    kind = rng.choice((reader.CLASSIC, reader.BLOCKED, reader.COUNTING, reader.DLEFT))
    fields = {"kind": kind, "hash": rng.choice(usable), "capacity": rng.randrange(1, 400),
              "fpr": 10 ** rng.uniform(-5, -0.5), "seed": rng.choice((0, rng.getrandbits(64))),
              "flags": rng.choice((0, 4)), "growth": rng.randrange(2)}
    if fields["hash"] == reader.SIPHASH:
        fields["secret"] = SECRET
    if kind == reader.COUNTING:
        fields["counter_bits"] = rng.choice((0, 4, 8))
    if kind != reader.CLASSIC:
        fields["lines_per_key"] = rng.randrange(3)
    if fields["growth"]:
        fields.update(expansion=rng.uniform(1.2, 4), tightening=rng.uniform(0.3, 0.9))
    return fields


def random_keys(rng, count):
    return [rng.randbytes(rng.choice((0, 3, 8, 8, 16, 20, 100, 200, 300, 1100)))
            for _ in range(count)]


class Fresh(unittest.TestCase):
    """Filters made at random, one side writing and the other reading."""

    def setUp(self):
        if "TAMIS_LIB" not in os.environ:
            skipped(self, "filters of the library", "TAMIS_LIB is not set")
        self.library = Library(os.environ["TAMIS_LIB"])

    def make(self, rng):
        """A filter from a random spec, its keys and its secret."""
        while True:
            fields = random_spec(rng, self.library)
            try:
                made = self.library.create(**fields)
                break
            except LibraryRefused as refusal:
                self.assertIn(refusal.status, ("UNREACHABLE", "LIMIT", "SPEC"), fields)
        keys = random_keys(rng, rng.randrange(fields["capacity"] + 1))
        for key in keys:
            made.add(key)
        return made, keys, fields.get("secret")

    def agree(self, made, found, keys):
        for key in keys:
            self.assertTrue(found.may_contain(key), key)
        for key in ABSENT[:300]:
            self.assertEqual(made.may_contain(key), found.may_contain(key), key)

    def test_reader_reads_library(self):
        for seed in range(SEED, SEED + 150):
            with self.subTest(seed=seed):
                made, keys, secret = self.make(random.Random(seed))
                self.agree(made, reader.read(made.encode(), secret), keys)

    def test_reader_reads_compressed(self):
        transports = [GZIP, ZSTD] if have_zstd() else [GZIP]
        with tempfile.TemporaryDirectory() as scratch:
            for seed in range(SEED, SEED + 10):
                made, keys, secret = self.make(random.Random(seed))
                for transport in transports:
                    path = Path(scratch) / f"{seed}-{transport}.tamis"
                    try:
                        made.save(path, transport)
                    except LibraryRefused as refusal:
                        self.assertEqual(refusal.status, "UNAVAILABLE")
                        continue
                    with self.subTest(seed=seed, transport=transport):
                        self.agree(made, reader.read_file(path, secret), keys)

    def test_reader_reads_journals(self):
        """Keys appended to a file, and the same file cut, changed, or left unfinished."""
        with tempfile.TemporaryDirectory() as scratch:
            for kind in (reader.CLASSIC, reader.BLOCKED, reader.SCALABLE):
                path = Path(scratch) / f"{kind}.tamis"
                self.library.create(kind=kind, capacity=500, fpr=0.01).save(path)
                plain = path.read_bytes()
                first, second = writer.keys(9), [b"later_%d" % i for i in range(5)]
                self.library.file_add(path, first)
                self.library.file_add(path, second)
                data = path.read_bytes()
                self.agree(self.library.load(data), reader.read(data), first + second)
                unfinished = data[:len(plain) - 8] + plain[-8:] + data[len(plain):]
                self.agree(self.library.load(unfinished), reader.read(unfinished), [])
                for at in range(len(plain) - 8, len(data)):
                    changed = bytearray(data)
                    changed[at] ^= 1
                    for bad in (bytes(changed), data[:at]):
                        with self.subTest(kind=kind, at=at), self.assertRaises(reader.Refused):
                            reader.read(bad)
                        with self.subTest(kind=kind, at=at), self.assertRaises(LibraryRefused):
                            self.library.load(bad)

    def random_nodes(self, rng, filled):
        def flat(kind):
            if kind == reader.CLASSIC:
                return writer.classic(rng.randrange(1, 3000), rng.randrange(1, 65), filled)
            twice = rng.randrange(1, 3)
            return writer.blocked(twice * rng.randrange(1, 20), rng.randrange(1, 9), twice, filled)

        kind = rng.choice((reader.CLASSIC, reader.BLOCKED))
        if rng.randrange(2):
            return [flat(kind)]
        return writer.scalable([flat(kind) for _ in range(rng.randrange(1, 8))], kind)

    def test_library_reads_writer(self):
        for seed in range(SEED, SEED + 150):
            rng = random.Random(seed)
            filled = rng.randrange(50)
            data = writer.encode(self.random_nodes(rng, filled), rng.randbytes(rng.randrange(90)),
                                 chunk_log2=rng.randrange(12, 21))
            with self.subTest(seed=seed):
                self.agree(self.library.load(data), reader.read(data), writer.keys(filled))

    def test_both_judge_damage_alike(self):
        """One changed byte anywhere, or an early end, gives one status on both sides."""
        for seed in range(SEED, SEED + 400):
            rng = random.Random(seed)
            data = bytearray(writer.encode(self.random_nodes(rng, 3), b"notes"))
            if rng.randrange(4):
                data[rng.randrange(len(data))] ^= rng.randrange(1, 256)
            else:
                del data[rng.randrange(len(data)):]
            with self.subTest(seed=seed):
                with self.assertRaises(reader.Refused) as ours:
                    reader.read(bytes(data))
                with self.assertRaises(LibraryRefused) as theirs:
                    self.library.load(bytes(data))
                self.assertEqual(ours.exception.status, theirs.exception.status)

    def test_both_judge_fields_alike(self):
        """One changed byte of a header whose checksum is right."""
        refused = 0
        for seed in range(SEED, SEED + 600):
            rng = random.Random(seed)
            data = self.with_wrong_field(rng)
            try:
                ours = reader.read(data) and "OK"
            except reader.Refused as refusal:
                ours, refused = refusal.status, refused + 1
            try:
                theirs = self.library.load(data) and "OK"
            except LibraryRefused as refusal:
                theirs = refusal.status
            with self.subTest(seed=seed):
                self.assertEqual(ours, theirs)
        self.assertGreater(refused, 300)

    def with_wrong_field(self, rng):
        """The fingerprint is left alone: without a secret no status fits a wrong one."""
        data = writer.encode(self.random_nodes(rng, 3), b"notes")
        size = hashes.u32(data, 12)
        at = rng.choice([i for i in range(size - 8) if not 40 <= i < 48])
        header = bytearray(data[:size - 8])
        header[at] ^= rng.randrange(1, 256)
        found = reader.Header(data)
        body = data[found.header_bytes:found.body_end]
        return writer.seal(bytes(header), body, found.chunk_bytes)

    def test_salvage(self):
        for seed in range(SEED, SEED + 40):
            rng = random.Random(seed)
            data = bytearray(writer.encode([writer.blocked(200, filled=400)], chunk_log2=12))
            for _ in range(rng.randrange(1, 3)):
                data[rng.randrange(256, len(data))] ^= rng.randrange(1, 256)
            if not rng.randrange(3):
                del data[rng.randrange(256, len(data)):]
            with self.subTest(seed=seed):
                self.agree(self.library.load(bytes(data), flags=SALVAGE),
                           reader.read(bytes(data), salvage=True), writer.keys(400))


if __name__ == "__main__":
    unittest.main()
