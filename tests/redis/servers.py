"""servers.py - real servers with the module, on loopback ports of their own.

The binaries are redis-server and valkey-server of this system, when they are
there, and those that TAMIS_REDIS_SERVERS names (paths, with ':' between).
TAMIS_REDIS_MODULE is the module. A test of a tree without any server ends with
status 77, which ctest shows as skipped.
"""
import atexit
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from resp import Client, Closed, Error

MODULE = os.environ.get("TAMIS_REDIS_MODULE", "")
SOURCE = Path(__file__).resolve().parents[2]
GOLDEN = SOURCE / "tests/golden"
SKIPPED = 77

_running = []


def binaries():
    """Every server there is to test with, the system's own first."""
    found = [path for path in map(shutil.which, ("redis-server", "valkey-server")) if path]
    found += [path for path in os.environ.get("TAMIS_REDIS_SERVERS", "").split(":") if path]
    if not found or not MODULE:
        print("skipped: no redis-server or valkey-server here, or no TAMIS_REDIS_MODULE")
        sys.exit(SKIPPED)
    return found


def version_of(binary):
    """("redis" or "valkey", (major, minor, patch))"""
    text = subprocess.run([binary, "--version"], check=True, capture_output=True, text=True).stdout
    name = "valkey" if "alkey" in text else "redis"
    return name, tuple(map(int, re.search(r"v=(\d+)\.(\d+)\.(\d+)", text).groups()))


def free_ports(count):
    """Ports that are free now, also 10000 above, where a cluster node listens."""
    ports, held = [], []
    while len(ports) < count:
        one = socket.socket()
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
        held.append(one)
        if port > 55000 or port < 10000:
            continue
        bus = socket.socket()
        try:
            bus.bind(("127.0.0.1", port + 10000))
        except OSError:
            continue
        held.append(bus)
        ports.append(port)
    for one in held:
        one.close()
    return ports


class Server:
    """One server process in a folder of its own."""

    def __init__(self, binary, *options, module=True, arguments=(), folder=None, port=None):
        self.binary = binary
        self.name, self.version = version_of(binary)
        self.folder = folder or tempfile.mkdtemp(prefix="tamis-redis-")
        self.port = port
        self.options = options
        self.module = module
        self.arguments = arguments
        self.process = None
        _running.append(self)
        self._start_somewhere()

    def _start_somewhere(self):
        """Another test may take a port between our finding and using it."""
        chosen, tries = self.port, 3
        while True:
            self.port = chosen or free_ports(1)[0]
            tries -= 1
            try:
                self.start()
                return
            except AssertionError:
                if chosen or not tries or "Address already in use" not in self.log():
                    raise

    def command(self):
        words = [self.binary, "--port", self.port, "--bind", "127.0.0.1", "--dir", self.folder,
                 "--save", "", "--logfile", "log", "--enable-debug-command", "yes",
                 "--rdbcompression", "no", "--daemonize", "no",
                 "--repl-diskless-sync-delay", "0"]
        if self.version < (7, 0, 0):
            at = words.index("--enable-debug-command")
            del words[at:at + 2]
        words += self.options
        if self.module:
            words += ["--loadmodule", MODULE, *self.arguments]
        return [str(word) for word in words]

    def start(self, wait=True):
        self.process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        if wait:
            self.wait_until_ready()
        return self

    def wait_until_ready(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise AssertionError(f"{self.binary} ended:\n{self.log()[-2000:]}")
            try:
                client = Client(self.port)
                reply = client("PING")
                client.close()
                if not isinstance(reply, Error):
                    return
            except OSError:
                pass
            time.sleep(0.02)
        raise AssertionError(f"{self.binary} does not answer:\n{self.log()[-2000:]}")

    def client(self, protocol=2):
        return Client(self.port, protocol)

    def log(self):
        path = Path(self.folder, "log")
        return path.read_text(errors="replace") if path.exists() else ""

    def kill(self):
        """As the power would: kill -9."""
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def stop(self):
        """SHUTDOWN without a save."""
        try:
            self.client()("SHUTDOWN", "NOSAVE")
        except (Closed, OSError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()

    def restart(self, how="kill"):
        self.kill() if how == "kill" else self.stop()
        return self.start()

    def alive(self):
        return self.process.poll() is None

    def end(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
        if self in _running:
            _running.remove(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()


@atexit.register
def _end_all():
    for one in list(_running):
        one.end()


def wait_for(what, question, seconds=60):
    """Waits until question() is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if question():
            return
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds} s in vain: {what}")


def info(client, section):
    """A section of INFO as a dict of strings."""
    text = client.ok("INFO", section).decode()
    return dict(line.split(":", 1) for line in text.splitlines() if ":" in line)


def digest(client, key):
    return client.ok("DEBUG", "DIGEST-VALUE", key)[0]


def same(got, wanted):
    """Equal, and of the same type: 1 is not True, a simple string no bulk string."""
    if type(got) is not type(wanted):
        return False
    if isinstance(got, list):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    if isinstance(got, dict):
        return list(got) == list(wanted) and all(same(got[key], wanted[key]) for key in got)
    return got == wanted


class Checks:
    """Counts what was checked and tells what failed; the last line of a test."""

    def __init__(self):
        self.done = 0
        self.failed = []

    def equal(self, why, got, wanted):
        self.done += 1
        if not same(got, wanted):
            self.failed.append(f"{why}\n    got    {_short(got)}\n    wanted {_short(wanted)}")

    def true(self, why, holds):
        self.done += 1
        if not holds:
            self.failed.append(why)

    def end(self):
        for line in self.failed[:40]:
            print("FAILED:", line)
        print(f"{self.done - len(self.failed)} of {self.done} checks hold")
        sys.exit(1 if self.failed else 0)


def _short(value):
    text = repr(value)
    return text if len(text) < 200 else text[:200] + "..."
