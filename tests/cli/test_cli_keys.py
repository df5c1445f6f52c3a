#!/usr/bin/env python3
"""test_cli_keys.py - keys from lines, fields, CSV and numbers, against Python.

dedup at a rate of one in a billion is exact for a few thousand keys, so what it
prints says how the input was split. The same must come out for every number of
threads, from files and from pipes.
"""
import csv
import io
import random
import unittest

from tool import THREADS, ToolTest

EXACT = ["-n", "1M", "-p", "1e-9"]
BLOCK = 1 << 18  # bytes that the tool reads at once


def first_of_each(records, key):
    seen, kept = set(), []
    for record in records:
        name = key(record)
        if name not in seen:
            seen.add(name)
            kept.append(record)
    return kept


def random_lines(rng, count, separator):
    alphabet = bytes(set(b"ab\t\r \x00\xff,\"\n") - {separator[0]})
    return [bytes(rng.choices(alphabet, k=rng.randrange(5))) for _ in range(count)]


def edge_lines(rng):
    """Lines that end at, before and behind the ends of blocks, and long ones."""
    sizes = [BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 3, BLOCK // 2, BLOCK // 2, 0, 5 * BLOCK, 0, 1]
    lines = [bytes([rng.randrange(97, 123)]) * size for size in sizes]
    return lines + lines[::-1] + [b"end"]


class Lines(ToolTest):
    def check(self, lines, separator, flags):
        """Through files, a pipe and a redirected file."""
        want = b"".join(line + separator for line in first_of_each(lines, bytes))
        text = separator.join(lines)  # the last line has no end
        half = len(lines) // 2
        self.write("all", text)
        self.write("one", b"".join(line + separator for line in lines[:half]))
        self.write("two", separator.join(lines[half:]))
        for threads in THREADS:
            words = ["dedup", "-j", threads, *flags]
            self.assertEqual(self.tamis(*words, *EXACT, "all"), want)
            self.assertEqual(self.tamis(*words, *EXACT, "one", "two"), want)
            self.assertEqual(self.tamis(*words, *EXACT, "one", "-", stdin=self.read("two")), want)
            self.assertEqual(self.tamis(*words, "-p", "1e-9", stdin=text), want)
            self.assertEqual(self.tamis(*words, "-p", "1e-9", "all"), want)

    def test_random_lines(self):
        for seed, separator in enumerate([b"\n", b"\0"] * 3):
            rng = random.Random(seed)
            lines = random_lines(rng, rng.randrange(1, 5000), separator) + [b"last"]
            with self.subTest(seed=seed):
                self.check(lines, separator, ["-0"] if separator == b"\0" else [])

    def test_lines_at_the_edges_of_blocks(self):
        self.check(edge_lines(random.Random(1)), b"\n", [])

    def test_empty_lines_are_keys(self):
        self.assertEqual(self.tamis("dedup", stdin=b"\n" * 1000000), b"\n")
        self.assertEqual(self.tamis("dedup", stdin=b""), b"")
        self.write("lines", b"\n" * 1000000)
        self.assertEqual(self.tamis("dedup", "-j", 3, "lines"), b"\n")

    def test_fields(self):
        rng = random.Random(2)
        rows = [[str(rng.randrange(300)) for _ in range(3)] for _ in range(20000)]
        for delimiter, flags in (("\t", []), (";", ["-d", ";"]), ("\t", ["-d", "\\t"])):
            lines = [delimiter.join(row) for row in rows]
            for field in (1, 2, 3):
                kept = first_of_each(lines, lambda line, at=field: line.split(delimiter)[at - 1])
                got = self.tamis("dedup", "--field", field, *flags, *EXACT,
                                 stdin="\n".join(lines).encode())
                self.assertEqual(got.decode().splitlines(), kept)


class Csv(ToolTest):
    def random_rows(self, rng, count, alphabet):
        return [["".join(rng.choices(alphabet, k=rng.randrange(4))) for _ in range(3)] + ["x"]
                for _ in range(count)]

    def written(self, rows, **dialect):
        text = io.StringIO(newline="")
        csv.writer(text, **dialect).writerows(rows)
        return text.getvalue().encode()

    def rows_of(self, text, delimiter):
        return list(csv.reader(io.StringIO(text.decode(), newline=""), delimiter=delimiter))

    def test_random_tables(self):
        header = ["id", "a,b", "said \"x\"", "end"]
        columns = {"id": [0], "\"a,b\"": [1], "\"said \"\"x\"\"\"": [2], "2": [1],
                   "id,\"a,b\"": [0, 1], "3,id,1": [2, 0, 0]}
        for seed in range(12):
            rng = random.Random(seed)
            dialect = {"delimiter": rng.choice(",;\t"),
                       "lineterminator": rng.choice(["\n", "\r\n"]),
                       "quoting": rng.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])}
            # Python reads a bare carriage return as a line end, and does not quote it.
            alphabet = "ab,\"\n;é" + "\r" * dialect["quoting"]
            rows = self.random_rows(rng, rng.choice([3, 400, 30000]), alphabet)
            words, at = rng.choice(list(columns.items()))
            with self.subTest(seed=seed, columns=words, dialect=dialect):
                self.write("t.csv", self.written([header] + rows, **dialect))
                kept = first_of_each(rows, lambda row, at=at: tuple(row[i] for i in at))
                for threads in THREADS:
                    got = self.tamis("dedup", "-j", threads, "--csv", words, "-d",
                                     dialect["delimiter"], *EXACT, "t.csv")
                    self.assertEqual(self.rows_of(got, dialect["delimiter"]), [header] + kept)

    def test_joined_columns_are_apart(self):
        """("a", "bc") and ("ab", "c") are two keys."""
        self.write("t.csv", b"x,y\na,bc\nab,c\na,bc\n")
        got = self.tamis("dedup", "--csv", "x,y", "t.csv")
        self.assertEqual(got, b"x,y\na,bc\nab,c\n")

    def test_each_file_has_its_own_header(self):
        self.write("one.csv", b"\xef\xbb\xbfid,name\r\n1,a\r\n\r\n2,b")
        self.write("two.csv", b"name,age,id\nc,3,2\nd,4,5\n")
        self.tamis("build", "-p", "1e-9", "--csv", "id", "-o", "f", "one.csv", "two.csv")
        self.assertEqual(self.tamis("has", "f", *"-e 1 -e 2 -e 5 -e a -e 3".split()), b"1\n2\n5\n")

    def test_without_header(self):
        got = self.tamis("dedup", "--csv", "2", "--csv-no-header", stdin=b"1,a\n2,\"a\"\n3,b\n")
        self.assertEqual(got, b"1,a\n3,b\n")

    def test_faults_have_their_line(self):
        good = b"id,name\n" + b"1,\"two\nlines\"\n" * 50000
        for bad, words in ((b"2,b\"\n", "a quote inside a field"), (b"2,\"b\"x\n", "text after"),
                           (b"2,\"b\n", "never closed"), (b"2\n", "no column 2")):
            self.write("t.csv", good + bad + b"3,c\n" * 100000)
            for threads in THREADS:
                said = self.refusal("build", "-j", threads, "-o", "f", "--csv", "name", "t.csv")
                self.assertIn("t.csv, line 100002: ", said)
                self.assertIn(words, said)
            self.assertFalse((self.folder / "f").exists())


class Numbers(ToolTest):
    def test_numbers_are_eight_bytes(self):
        """The file is that of the little-endian bytes, as tamis_add_u64 has it."""
        rng = random.Random(3)
        values = [0, 1, 2**64 - 1, 2**63] + [rng.randrange(2**64) for _ in range(1000)]
        little = [value.to_bytes(8, "little") for value in values]
        values = [v for v, b in zip(values, little) if b"\n" not in b]
        little = [b for b in little if b"\n" not in b]
        self.write("numbers", "\n".join(map(str, values)).encode())
        self.write("crlf", "\r\n".join(map(str, values)).encode())
        self.write("bytes", b"\n".join(little))
        self.tamis("build", "-n", 2000, "--u64", "-o", "a", "numbers")
        self.tamis("build", "-n", 2000, "--u64", "-o", "b", "crlf")
        self.tamis("build", "-n", 2000, "-o", "c", "bytes")
        self.assertEqual(self.read("a"), self.read("c"))
        self.assertEqual(self.read("b"), self.read("c"))

    def test_what_is_no_number(self):
        for text in (b"1\n2\nx\n", b"1\n2\n\n", b"1\n2\n-3", b"1\n2\n18446744073709551616\n",
                     b"1\n2\n3 \n", b"1\n2\n+3\n"):
            said = self.refusal("build", "--u64", "-o", "f", "-n", 10, stdin=text)
            self.assertIn("standard input, line 3: ", said)
            self.assertFalse((self.folder / "f").exists())


class Building(ToolTest):
    def test_same_bytes_for_all_threads(self):
        lines = b"".join(b"key %d\n" % (i * i % 70001) for i in range(200000))
        self.write("lines", lines)
        for flags in ([], ["-n", 100000], ["-p", "1e-6"], ["-k", "classic"], ["--scale"],
                      ["-m", "64K"], ["--fold", 64]):
            files = []
            for threads in THREADS:
                self.tamis("build", *flags, "-j", threads, "--force", "-o", "f", "lines")
                files.append(self.read("f"))
            self.assertEqual(len(set(files)), 1, flags)
            self.tamis("has", "-v", "f", "lines", status=1)  # no key is absent
        for threads in THREADS:
            self.tamis("build", "-j", threads, "-n", 100000, "--force", "-o", "g", stdin=lines)
            self.tamis("build", "-j", threads, "-n", 100000, "--force", "-o", "h", "lines")
            self.assertEqual(self.read("g"), self.read("h"))

    def test_has_in_order(self):
        known = [b"known %d" % i for i in range(50000)]
        rng = random.Random(4)
        asked = [rng.choice(known) if rng.random() < 0.5 else b"other %d" % i
                 for i in range(100000)]
        self.write("known", b"\n".join(known))
        self.write("asked", b"\n".join(asked))
        self.tamis("build", "-p", "1e-9", "-o", "f", "known")
        self.tamis("build", "-p", "1e-9", "-o", "g", stdin=b"\n".join(known[:100]))
        yes = [line for line in asked if line.startswith(b"known")]
        no = [line for line in asked if not line.startswith(b"known")]
        few = set(known[:100])
        routes = [name + b"\t" + line for line in yes for name in (b"f", b"g")
                  if name == b"f" or line in few]
        for threads in THREADS:
            words = ["has", "-j", threads]
            self.assertEqual(self.tamis(*words, "f", "asked").split(b"\n")[:-1], yes)
            self.assertEqual(self.tamis(*words, "-v", "f", "asked").split(b"\n")[:-1], no)
            self.assertEqual(self.tamis(*words, "-c", "f", "asked"), b"%d\n" % len(yes))
            self.assertEqual(self.tamis(*words, "-f", "f", "-f", "g", "asked").split(b"\n")[:-1],
                             routes)
            self.assertEqual(self.tamis(*words, "-v", "-f", "g", "-f", "f", "asked")
                             .split(b"\n")[:-1], no)
            self.assertEqual(self.tamis(*words, "-q", "f", "asked"), b"")


if __name__ == "__main__":
    unittest.main()
