#!/usr/bin/env python3
"""test_cli_colour.py - colour and width on a pseudo-terminal.

Colour is for terminals, unless NO_COLOR says otherwise; drawings are as wide as
the terminal is; and without its colours the output is that of a pipe.
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

from tool import TAMIS, ToolTest

COLOUR = re.compile(rb"\x1b\[[0-9;]*m")
PLAN = ["plan", "-n", "1M", "-p", "1%", "--plot"]


def environment(**more):
    kept = {name: value for name, value in os.environ.items()
            if name not in ("NO_COLOR", "COLUMNS", "TERM")}
    return {**kept, "TERM": "xterm", **more}


def on_terminal(words, columns=80, **more):
    """Exit status and output of the tool on a terminal of so many columns."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([TAMIS, *words], stdout=slave, env=environment(**more)) as process:
        os.close(slave)
        output = b""
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            output += piece
        os.close(master)
    return process.returncode, output.replace(b"\r\n", b"\n")


def in_pipe(words, **more):
    return subprocess.run([TAMIS, *words], env=environment(**more), check=True,
                          capture_output=True).stdout


class Colour(ToolTest):
    def test_terminals_have_it(self):
        status, output = on_terminal(PLAN)
        self.assertEqual(status, 0)
        self.assertRegex(output, COLOUR)
        self.assertEqual(COLOUR.sub(b"", output), in_pipe(PLAN))

    def test_it_ends_with_every_line(self):
        for line in on_terminal(PLAN)[1].split(b"\n"):
            codes = COLOUR.findall(line)
            self.assertTrue(not codes or codes[-1] == b"\x1b[0m", line)

    def test_it_can_be_refused(self):
        for refusal in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotRegex(on_terminal(PLAN, **refusal)[1], COLOUR)

    def test_pipes_have_none(self):
        self.assertNotRegex(in_pipe(PLAN), COLOUR)

    def test_doctor_too(self):
        self.tamis("build", "-q", "-n", "100", "-o", "f.tamis", "/dev/null")
        status, output = on_terminal(["doctor", str(self.folder / "f.tamis")])
        self.assertEqual(status, 1)
        self.assertIn(b"\x1b[33mwarning\x1b[0m", output)


class Width(unittest.TestCase):
    def widest(self, output):
        """Columns of the charts, which stand behind the table and its notes."""
        charts = COLOUR.sub(b"", output).decode().partition("Rate against")[2]
        return max(map(len, charts.splitlines()[1:]))

    def test_the_terminal_says_it(self):
        for columns in (60, 100):
            self.assertEqual(on_terminal(PLAN, columns)[1],
                             on_terminal(PLAN, 80, COLUMNS=str(columns))[1])

    def test_more_columns_are_used(self):
        widths = [self.widest(in_pipe(PLAN, COLUMNS=str(columns))) for columns in (60, 80, 100)]
        self.assertEqual(widths, sorted(set(widths)))
        for wide, columns in zip(widths, (60, 80, 100)):
            self.assertLessEqual(wide, columns)

    def test_nonsense_is_80(self):
        for columns in ("x", "0", "-5", "99999999999999999999"):
            self.assertLessEqual(self.widest(in_pipe(PLAN, COLUMNS=columns)), 100)


if __name__ == "__main__":
    unittest.main()
