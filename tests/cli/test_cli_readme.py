#!/usr/bin/env python3
"""test_cli_readme - the shell sample of the README does what it says."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("TAMIS_BUILD", ROOT / "build" / "plain"))


def sample():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^`{3}sh\n(.*?)^`{3}$", readme, re.MULTILINE | re.DOTALL)
    return next(block for block in blocks if "tamis build" in block)


class Readme(unittest.TestCase):
    def test_shell_sample(self):
        environment = dict(os.environ, PATH=f"{BUILD / 'bin'}:{os.environ['PATH']}")
        with tempfile.TemporaryDirectory() as scratch:
            run = subprocess.run(["sh", "-e", "-c", sample()], cwd=scratch, env=environment,
                                 capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        lines = [line.strip() for line in run.stdout.splitlines()]
        self.assertEqual(lines.count("1000000"), 1, run.stdout)  # every known key
        self.assertIn("maybe", lines)
        dedup = [int(line) for line in lines if line.isdigit()][-1]
        self.assertTrue(990_000 <= dedup <= 1_000_000, run.stdout)


if __name__ == "__main__":
    unittest.main()
