"""tool.py - the tamis program under test, as a user would call it."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("TAMIS_BUILD", ROOT / "build" / "release")).resolve()
TAMIS = str(BUILD / "bin" / "tamis")
THREADS = [1, 2, 7]


class ToolTest(unittest.TestCase):
    """A test with an empty folder of its own, in which the tool runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, content):
        (self.folder / name).write_bytes(content)
        return name

    def read(self, name):
        return (self.folder / name).read_bytes()

    def run_tool(self, *words, stdin=b""):
        return subprocess.run([TAMIS, *map(str, words)], cwd=self.folder, input=stdin,
                              capture_output=True, timeout=300, check=False)

    def tamis(self, *words, stdin=b"", status=0):
        """What a run prints; it must end with this status."""
        done = self.run_tool(*words, stdin=stdin)
        said = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, status, f"{words}: {said}")
        return done.stdout

    def refusal(self, *words, stdin=b""):
        """The sentence of a run that must fail and print nothing."""
        done = self.run_tool(*words, stdin=stdin)
        said = done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, 2, f"{words}: {said}")
        self.assertEqual(done.stdout, b"")
        self.assertTrue(said.startswith("tamis: "), said)
        return said
