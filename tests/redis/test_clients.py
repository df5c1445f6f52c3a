"""Clients that exist: redis-py and hiredis of the system, node-redis where it is
installed. Each part that cannot run here says so by name."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from servers import SKIPPED, Checks, Server, binaries

CLIENTS = Path(__file__).with_name("clients")
COMPILER = os.environ.get("TAMIS_CC", "cc")


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True)


def check(checks, name, done):
    if done.returncode == SKIPPED:
        print(f"skipped: {name} is not installed here")
    else:
        checks.true(f"{name}:\n{done.stdout}{done.stderr}", done.returncode == 0)


def check_redis_py(checks, port):
    """The system's Python has the packaged redis-py; ours may be another one."""
    for python in (sys.executable, "/usr/bin/python3"):
        if run(python, "-c", "import redis.commands.bf").returncode == 0:
            check(checks, "redis-py", run(python, "-B", CLIENTS / "redis_py_client.py", port))
            return
    print("skipped: redis-py is not installed here")


def check_hiredis(checks, server):
    source, program = CLIENTS / "hiredis_client.c", Path(server.folder, "hiredis_client")
    if run(COMPILER, "-E", source).returncode:
        print("skipped: hiredis is not installed here")
        return
    built = run(COMPILER, "-o", program, source, "-lhiredis")
    checks.true(f"hiredis: compiles:\n{built.stderr}", built.returncode == 0)
    check(checks, "hiredis", run(program, server.port))


def check_node(checks, port):
    node = shutil.which("node")
    if not node:
        print("skipped: node-redis is not installed here")
        return
    check(checks, "node-redis", run(node, CLIENTS / "node_client.js", port))


def main():
    checks = Checks()
    for binary in binaries():
        with Server(binary) as server:
            check_redis_py(checks, server.port)
            check_hiredis(checks, server)
            check_node(checks, server.port)
    checks.end()


main()
