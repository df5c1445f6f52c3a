#!/usr/bin/env python3
"""test_cli_streams.py - build, has, add and dedup in a rough world.

Readers that go away, disks that are full, kills at random moments, pipes that
stall, files that change, a terminal to draw progress on, and little memory.
"""
import os
import pty
import random
import select
import signal
import subprocess
import sys
import time
import unittest

from tool import TAMIS, ToolTest

PATIENCE = 60  # seconds


def lines(first, count):
    return b"".join(b"https://h.example/%08x\n" % i for i in range(first, first + count))


class Pipes(ToolTest):
    def start(self, *words, **pipes):
        return subprocess.Popen([TAMIS, *map(str, words)], cwd=self.folder, **pipes)

    def read_some(self, fd):
        ready, _, _ = select.select([fd], [], [], PATIENCE)
        self.assertTrue(ready, "nothing came")
        return os.read(fd, 1 << 16)

    def test_lines_come_at_once(self):
        """Whoever writes a line and waits for the answer gets it."""
        for threads in (1, 3):
            with self.start("dedup", "-q", "-j", threads, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, bufsize=0) as process:
                for line in (b"one\n", b"two\n", b"three\n"):
                    process.stdin.write(line)
                    self.assertEqual(self.read_some(process.stdout.fileno()), line)
                process.stdin.close()
                self.assertEqual(process.wait(PATIENCE), 0)

    def test_a_line_in_pieces(self):
        with self.start("dedup", "-q", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                        bufsize=0) as process:
            for piece in (b"o", b"ne\ntw", b"o\no"):
                process.stdin.write(piece)
                time.sleep(0.05)
            process.stdin.close()
            self.assertEqual(process.stdout.read(), b"one\ntwo\no\n")

    def test_a_reader_that_goes_away(self):
        self.write("keys", lines(0, 300000))
        self.tamis("build", "-o", "f", "keys")
        for words in (["dedup", "keys"], ["has", "f", "keys"], ["has", "-v", "f", "keys", "f"]):
            with self.start(*words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdout.read(10)
                process.stdout.close()
                self.assertEqual(process.stderr.read(), b"")
                self.assertEqual(process.wait(PATIENCE), 0, words)

    def test_an_answer_ends_the_waiting(self):
        """The first hit is the answer, though the pipe stays open and silent."""
        self.tamis("build", "-n", 10, "-o", "f", stdin=b"a\n")
        for threads in (1, 4):
            with self.start("has", "-q", "-j", threads, "f", stdin=subprocess.PIPE,
                            bufsize=0) as process:
                process.stdin.write(b"a\n")
                self.assertEqual(process.wait(PATIENCE), 0)
                process.stdin.close()

    def test_a_state_is_not_changed_by_lines_that_do_not_arrive(self):
        self.write("keys", lines(0, 300000))
        self.tamis("dedup", "--state", "s", stdin=b"old\n")
        before = self.read("s")
        with self.start("dedup", "--state", "s", "keys", stdout=subprocess.PIPE) as process:
            process.stdout.read(10)
            process.stdout.close()
            process.wait(PATIENCE)
        with open("/dev/full", "wb") as full:
            with self.start("dedup", "--state", "s", "keys", stdout=full,
                            stderr=subprocess.PIPE) as process:
                self.assertIn(b"No space left", process.stderr.read())
                self.assertEqual(process.wait(PATIENCE), 2)
        self.assertEqual(self.read("s"), before)


class Files(ToolTest):
    def test_what_cannot_be_read(self):
        self.write("keys", b"a\n")
        self.assertIn("No such file", self.refusal("build", "-o", "f", "keys", "nothing"))
        self.assertIn("is a folder", self.refusal("build", "-o", "f", "keys", "."))
        if os.geteuid() != 0:
            (self.folder / "keys").chmod(0)
            self.assertIn("Permission denied", self.refusal("build", "-o", "f", "keys"))
        self.assertFalse((self.folder / "f").exists())

    def test_input_and_output_are_one(self):
        self.write("keys", b"a\n")
        with open(self.folder / "keys", "ab") as out:
            done = subprocess.run([TAMIS, "dedup", "keys"], cwd=self.folder, stdout=out,
                                  stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.read("keys"), b"a\n")

    def test_nothing_is_replaced_without_force(self):
        self.write("f", b"old")
        self.assertIn("--force", self.refusal("build", "-o", "f", stdin=b"a\n"))
        self.assertEqual(self.read("f"), b"old")
        self.tamis("build", "--force", "-o", "f", stdin=b"a\n")
        self.tamis("has", "f", "-e", "a")

    def test_a_record_without_end(self):
        """The keys of a binary blob are refused before they fill the memory."""
        with open(self.folder / "zeros", "wb") as blob:
            blob.truncate(200 << 20)
        self.assertIn("more than 64 MiB", self.refusal("build", "-o", "f", "-n", 10, "zeros"))

    def test_a_file_that_shrinks_is_shorter(self):
        with open(self.folder / "keys", "wb") as keys:
            keys.write(lines(0, 1000000))
        with subprocess.Popen([TAMIS, "dedup", "-q", "-n", "1M", "keys"], cwd=self.folder,
                              stdout=subprocess.PIPE) as process:
            process.stdout.read(1000)
            os.truncate(self.folder / "keys", 0)
            process.stdout.read()
            self.assertEqual(process.wait(PATIENCE), 0)

    def test_kills_leave_the_old_file(self):
        rng = random.Random(5)
        self.write("keys", lines(0, 400000))
        self.tamis("build", "-o", "f", stdin=b"old\n")
        self.tamis("dedup", "--state", "s", stdin=b"old\n")
        for _ in range(30):
            for words in (["build", "--force", "-o", "f", "keys"],
                          ["dedup", "--state", "s", "keys"]):
                with subprocess.Popen([TAMIS, *words], cwd=self.folder, stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL) as process:
                    time.sleep(rng.random() * 0.08)
                    process.send_signal(signal.SIGKILL)
            self.tamis("verify", "f")
            self.tamis("verify", "s")
            self.tamis("has", "-q", "s", "-e", "old")


class Adding(ToolTest):
    """A file that is added to holds all keys of a call or none."""

    def count(self, keys):
        return int(self.tamis("has", "-c", "f", stdin=keys, status=0 if keys else 1))

    def test_two_at_once_take_turns(self):
        self.tamis("build", "-n", 400000, "-p", "1e-6", "-o", "f", stdin=b"old\n")
        parts = [lines(20000 * i, 20000) for i in range(6)]
        for i, part in enumerate(parts):
            self.write(f"part{i}", part)
        running = [subprocess.Popen([TAMIS, "add", "-q", "f", f"part{i}"], cwd=self.folder)
                   for i in range(6)]
        for process in running:
            self.assertEqual(process.wait(PATIENCE), 0)
        self.assertEqual(self.count(b"".join(parts)), 120000)
        self.tamis("verify", "f")

    def test_kills_leave_all_or_nothing(self):
        rng = random.Random(6)
        size = 5000
        self.tamis("build", "-n", 400000, "-p", "1e-9", "-o", "f", stdin=b"old\n")
        for turn in range(40):
            part = lines(size * turn, size)
            self.write("part", part)
            with subprocess.Popen([TAMIS, "add", "-q", "f", "part"], cwd=self.folder) as process:
                time.sleep(rng.random() * 0.012)
                process.send_signal(signal.SIGKILL)
            self.tamis("verify", "f")
            done = self.run_tool("has", "-c", "f", stdin=part)
            self.assertIn(int(done.stdout), (0, size))
            self.tamis("has", "-q", "f", "-e", "old")

    def test_a_file_that_must_not_change(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        self.tamis("build", "-n", 10, "-o", "f", stdin=b"old\n")
        before = self.read("f")
        (self.folder / "f").chmod(0o444)
        self.assertIn("Permission denied", self.refusal("add", "f", "-e", "a"))
        self.assertEqual(self.read("f"), before)

    def test_a_folder_that_must_not_change(self):
        """Appending needs the file, and nothing new beside it."""
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        self.tamis("build", "-n", 1000, "-o", "f", stdin=b"old\n")
        self.folder.chmod(0o555)
        self.addCleanup(self.folder.chmod, 0o755)
        self.tamis("add", "f", "-e", "a")
        self.tamis("has", "f", "-e", "a")

    def test_a_reader_that_goes_away(self):
        self.tamis("build", "-n", 10, "-o", "f", stdin=b"old\n")
        with open("/dev/full", "wb") as full:
            done = subprocess.run([TAMIS, "add", "--json", "f", "-e", "a"], cwd=self.folder,
                                  stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"No space left", done.stderr)
        self.tamis("has", "f", "-e", "a")


class SmallDisk(ToolTest):
    """A folder on a disk of 1 MiB, where we may make one."""

    def setUp(self):
        super().setUp()
        self.disk = self.folder / "disk"
        self.disk.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", self.disk],
                              capture_output=True, check=False)
        if done.returncode != 0:
            self.skipTest("no small disk: mounting is not allowed here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk], check=False)

    def test_a_full_disk_keeps_the_old_file(self):
        self.write("keys", lines(0, 2000000))
        self.tamis("build", "-o", "disk/f", stdin=b"old\n")
        before = self.read("disk/f")
        said = self.refusal("build", "--force", "-o", "disk/f", "keys")
        self.assertIn("No space left", said)
        self.assertEqual(self.read("disk/f"), before)
        self.assertEqual([path.name for path in self.disk.iterdir()], ["f"])

    def test_a_full_disk_takes_no_keys(self):
        self.tamis("build", "-n", 1000, "-o", "disk/f", stdin=b"old\n")
        subprocess.run(["dd", "if=/dev/zero", "bs=4k", f"of={self.disk}/rest"],
                       capture_output=True, check=False)
        before = self.read("disk/f")
        keys = lines(0, 3000)
        self.assertIn("No space left", self.refusal("add", "disk/f", stdin=keys))
        self.assertEqual(self.read("disk/f"), before)
        self.tamis("verify", "disk/f")


class Terminal(ToolTest):
    def drawn(self, *words):
        """What a slow job draws on a terminal that is its standard error."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([TAMIS, *words], cwd=self.folder, stdin=subprocess.PIPE,
                              stdout=subprocess.DEVNULL, stderr=theirs) as process:
            os.close(theirs)
            for i in range(8):
                process.stdin.write(lines(1000 * i, 1000))
                process.stdin.flush()
                time.sleep(0.15)
            process.stdin.close()
            text = b""
            while True:
                try:
                    text += os.read(ours, 4096)
                except OSError:
                    break
            self.assertEqual(process.wait(PATIENCE), 0)
        os.close(ours)
        return text

    def test_progress_is_for_terminals(self):
        self.assertRegex(self.drawn("build", "-o", "f"), rb"\rbuilding: \d+ lines, .* a second")
        self.assertRegex(self.drawn("dedup"), rb"\rreading: ")
        self.assertNotIn(b"reading:", self.drawn("dedup", "--no-progress"))
        self.assertNotIn(b"reading:", self.drawn("dedup", "--quiet"))
        done = self.run_tool("dedup", stdin=lines(0, 1000))
        self.assertNotIn(b"\r", done.stderr)

    def test_bench_can_be_interrupted(self):
        """It says what it measures, and what it has printed stands."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([TAMIS, "bench", "-n", "5M", "-j", "1"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=theirs) as process:
            os.close(theirs)
            text = b""
            while b"keys" not in text:
                text += os.read(ours, 4096)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(PATIENCE), -signal.SIGINT)
            self.assertTrue(process.stdout.read().startswith(b"machine "))
        os.close(ours)
        self.assertRegex(text, rb"measuring \w+, 5,000,000 keys")


class Memory(ToolTest):
    def peak(self, *words):
        """Most memory of a run, in MiB; measured by a small process, because a
        child begins with the memory of who starts it."""
        script = ("import resource, subprocess, sys\n"
                  "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL,"
                  " stderr=subprocess.DEVNULL)\n"
                  "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
        done = subprocess.run([sys.executable, "-c", script, TAMIS, *words], cwd=self.folder,
                              stdout=subprocess.PIPE, check=True)
        return int(done.stdout) / 1024

    def test_keys_are_not_held(self):
        """130 MB of keys in a filter of 6 or 9 MB: the rest is less than 64 MiB."""
        self.write("keys", lines(0, 5000000))
        for threads in ("1", "4"):
            self.assertLess(self.peak("build", "-j", threads, "--force", "-o", "f", "keys"), 6 + 64)
            self.assertLess(self.peak("has", "-j", threads, "f", "keys"), 6 + 64)
            self.assertLess(self.peak("dedup", "-j", threads, "keys"), 9 + 64)


class State(ToolTest):
    def test_it_goes_on(self):
        for threads in (1, 4):
            state = f"s{threads}"
            words = ["dedup", "-j", threads, "-p", "1e-9", "--state", state]
            self.assertEqual(self.tamis(*words, stdin=lines(0, 50000)), lines(0, 50000))
            self.assertEqual(self.tamis(*words, stdin=lines(25000, 400000)), lines(50000, 375000))
            self.assertEqual(self.tamis(*words, stdin=lines(0, 425000)), b"")
        self.assertEqual(self.read("s1"), self.read("s4"))

    def test_it_says_how_many_were_lost(self):
        """With every line new, what was dropped was lost, and that was expected."""
        self.write("keys", lines(0, 400000))
        for flags in (["-p", "1%"], ["-m", "300K"], ["-k", "classic", "-p", "5%"],
                      ["--scale", "-p", "5%"], ["-m", "200K", "-n", "400000"]):
            done = self.run_tool("dedup", *flags, "keys")
            words = done.stderr.decode().replace(",", "").split()
            lost = 400000 - done.stdout.count(b"\n")
            said = int(words[words.index("about") + 1])
            self.assertLess(abs(said - lost), 6 * lost ** 0.5 + 0.02 * lost, done.stderr)


if __name__ == "__main__":
    unittest.main()
