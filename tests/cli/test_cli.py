#!/usr/bin/env python3
"""test_cli.py - runs the tool as a user would, and compares what comes out.

Every folder below this one that holds a file `cmd` is a case: a shell script,
run in an empty folder with the tool first on the PATH. Beside it lie what is
expected: `exit` (a number; none: 0), `stdout` and `stderr` (none: nothing). A
file `stdout.glob` or `stderr.glob` in their place is compared line by line,
and a * in it stands for anything. Scripts find their own folder in $CASE and
the golden files in $GOLDEN. Cases named in `skip_unless` need a program.

    test_cli.py [--rewrite] [NAME...]

--rewrite writes what came out as what is expected, for the cases whose names
begin with a NAME, or all; look at the difference before you keep it. A .glob
is never rewritten. TAMIS_BUILD is the build tree; build/release without it.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = Path(os.environ.get("TAMIS_BUILD", ROOT / "build" / "release")).resolve()
STREAMS = ("stdout", "stderr")


def environment(case):
    """What a script sees: the same on every machine."""
    kept = {name: value for name, value in os.environ.items()
            if name.endswith("SAN_OPTIONS") or name in ("HOME", "TMPDIR")}
    return {
        **kept,
        "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}",
        "CASE": str(case),
        "GOLDEN": str(HERE.parent / "golden"),
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "80",
    }


def run(case):
    """Exit status, standard output and standard error of a case."""
    with tempfile.TemporaryDirectory(prefix="tamis-cli-") as folder:
        done = subprocess.run(["sh", case / "cmd"], cwd=folder, env=environment(case),
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              check=False)
    return {"exit": f"{done.returncode}\n".encode(), "stdout": done.stdout, "stderr": done.stderr}


def expected(case, name):
    """The expectation and whether it is a pattern."""
    glob = case / f"{name}.glob"
    if glob.exists():
        return glob.read_bytes(), True
    plain = case / name
    if plain.exists():
        return plain.read_bytes(), False
    return (b"0\n" if name == "exit" else b""), False


def line_matches(pattern, line):
    return re.fullmatch(b".*".join(map(re.escape, pattern.split(b"*"))), line, re.DOTALL)


def matches(got, wanted, is_glob):
    if not is_glob:
        return got == wanted
    lines, patterns = got.splitlines(), wanted.splitlines()
    return len(lines) == len(patterns) and all(map(line_matches, patterns, lines))


def difference(name, got, wanted):
    def text(value):
        return value.decode("utf-8", "backslashreplace").splitlines()
    return "\n".join(difflib.unified_diff(text(wanted), text(got), f"expected {name}",
                                          f"actual {name}", lineterm=""))


def check(case):
    """The faults of a case, as text."""
    result = run(case)
    faults = []
    for name in ("exit", *STREAMS):
        wanted, is_glob = expected(case, name)
        if not matches(result[name], wanted, is_glob):
            faults.append(difference(name, result[name], wanted))
    return faults


def rewrite(case):
    """Keeps what came out; an expectation that is the usual one has no file."""
    result = run(case)
    for name in ("exit", *STREAMS):
        wanted, is_glob = expected(case, name)
        if is_glob:
            if not matches(result[name], wanted, True):
                print(f"{case.name}: {name}.glob does not match and is yours to change")
            continue
        usual = b"0\n" if name == "exit" else b""
        if result[name] == usual:
            (case / name).unlink(missing_ok=True)
        else:
            (case / name).write_bytes(result[name])
    return []


def usable(case):
    """False when the case needs a program that is not here."""
    needs = case / "skip_unless"
    return not needs.exists() or all(map(shutil.which, needs.read_text().split()))


def cases(names):
    for script in sorted(HERE.rglob("cmd")):
        name = str(script.parent.relative_to(HERE))
        if not names or any(name.startswith(wanted) for wanted in names):
            yield name, script.parent


def main(words):
    rewriting = "--rewrite" in words
    chosen = list(cases([word for word in words if word != "--rewrite"]))
    runnable = [(name, case) for name, case in chosen if usable(case)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        results = pool.map(rewrite if rewriting else check, [case for _, case in runnable])
    failed = 0
    for (name, _), faults in zip(runnable, results):
        if faults:
            failed += 1
            print(f"FAILED {name}", *faults, "", sep="\n")
    skipped = len(chosen) - len(runnable)
    print(f"{len(runnable)} cases, {failed} failed, {skipped} skipped")
    return 1 if failed or not runnable else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
