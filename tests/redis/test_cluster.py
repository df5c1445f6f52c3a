"""Six nodes, three primaries with a replica each: slots move while clients
write, a primary is told to hand over, another is killed. Nothing is lost."""
import threading
import time

from resp import Client, Closed, Error
from servers import Checks, Server, binaries, free_ports, info, wait_for
from workload import Load

SLOTS = 16384
NODES = 6


def key_slot(key):
    """CRC-16 (XMODEM) of the key, as the servers compute it."""
    crc = 0
    for byte in key.encode() if isinstance(key, str) else key:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xffff
    return crc % SLOTS


class Cluster:
    def __init__(self, binary):
        options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
                   "--cluster-require-full-coverage", "no", "--cluster-replica-validity-factor", "0")
        self.nodes = [Server(binary, *options, port=port) for port in free_ports(NODES)]
        self.clients = [node.client() for node in self.nodes]
        for client in self.clients[1:]:
            self.clients[0].ok("CLUSTER", "MEET", "127.0.0.1", client.port)
        self.ids = [client.ok("CLUSTER", "MYID") for client in self.clients]
        for i in range(3):
            first, last = i * SLOTS // 3, (i + 1) * SLOTS // 3
            self.clients[i].ok("CLUSTER", "ADDSLOTS", *range(first, last))
        wait_for("all nodes meet", lambda: all(
            len(client.ok("CLUSTER", "NODES").splitlines()) == NODES for client in self.clients))
        for i in range(3):
            wait_for("the primary is known", lambda: not isinstance(
                self.clients[3 + i]("CLUSTER", "REPLICATE", self.ids[i]), Error))
        wait_for("cluster_state:ok", lambda: all(
            b"cluster_state:ok" in client.ok("CLUSTER", "INFO") for client in self.clients))
        wait_for("replicas are in step", lambda: all(
            info(client, "replication").get("master_link_status") == "up"
            for client in self.clients[3:]))

    def end(self):
        for node in self.nodes:
            node.end()


class Router:
    """A client of the whole cluster: follows MOVED and ASK, tries again when a
    node is gone."""

    def __init__(self, cluster):
        self.ports = [node.port for node in cluster.nodes]
        self.open = {}

    def _client(self, port):
        if port not in self.open:
            self.open[port] = Client(port)
        return self.open[port]

    def __call__(self, *words):
        port, asking, end = self.ports[0], False, time.monotonic() + 60
        while time.monotonic() < end:
            try:
                client = self._client(port)
                if asking:
                    client.ok("ASKING")
                reply = client(*words)
            except (Closed, OSError):
                self.open.pop(port, None)
                self.ports.append(self.ports.pop(0))
                port, asking = self.ports[0], False
                time.sleep(0.05)
                continue
            text = str(reply) if isinstance(reply, Error) else ""
            asking = text.startswith("ASK ")
            if asking or text.startswith("MOVED "):
                port = int(text.rsplit(":", 1)[1])
            elif text.startswith(("CLUSTERDOWN", "TRYAGAIN", "LOADING", "MASTERDOWN")):
                time.sleep(0.05)
            else:
                return reply
        raise AssertionError(f"the cluster does not take {words[:2]}")

    def ok(self, *words):
        reply = self(*words)
        if isinstance(reply, Error):
            raise AssertionError(f"{words[:3]}: {reply}")
        return reply


def owner(cluster, slot):
    """Index of the primary that has a slot now."""
    for row in cluster.clients[0].ok("CLUSTER", "SLOTS"):
        if row[0] <= slot <= row[1]:
            return [node.port for node in cluster.nodes].index(row[2][1])
    raise AssertionError(f"nobody has slot {slot}")


def move_slot(cluster, slot, source, target):
    """Moves a slot with its keys, as redis-cli --cluster reshard does."""
    a, b = cluster.clients[source], cluster.clients[target]
    b.ok("CLUSTER", "SETSLOT", slot, "IMPORTING", cluster.ids[source])
    a.ok("CLUSTER", "SETSLOT", slot, "MIGRATING", cluster.ids[target])
    while True:
        keys = a.ok("CLUSTER", "GETKEYSINSLOT", slot, 10)
        if not keys:
            break
        a.ok("MIGRATE", "127.0.0.1", b.port, "", 0, 10000, "KEYS", *keys)
    for client in (b, a, *cluster.clients[:3]):  # the new owner first, so that nobody is without
        client.ok("CLUSTER", "SETSLOT", slot, "NODE", cluster.ids[target])


def owners(client):
    """What a node thinks who has which slots."""
    return sorted((row[0], row[1], row[2][1]) for row in client.ok("CLUSTER", "SLOTS"))


def wait_for_agreement(cluster):
    """Until all nodes think the same: gossip takes its time."""
    wait_for("agreement", lambda: len({str(owners(client)) for client in cluster.clients}) == 1)
    wait_for("cluster_state:ok", lambda: all(
        b"cluster_state:ok" in client.ok("CLUSTER", "INFO") for client in cluster.clients))


class Writer(threading.Thread):
    """Writes through the cluster until told to stop."""

    def __init__(self, cluster, seed):
        super().__init__()
        self.router, self.load = Router(cluster), Load(seed, f"w{seed}:")
        self.stopped = threading.Event()
        self.fault = None
        self.start()

    def run(self):
        try:
            while not self.stopped.is_set():
                words, done = self.load.command()
                self.router.ok(*words)
                done()
        except BaseException as fault:  # told by end()
            self.fault = fault

    def end(self):
        self.stopped.set()
        self.join()
        if self.fault:
            raise self.fault


def check_slots(checks, cluster):
    writer = Writer(cluster, 21)
    try:
        time.sleep(0.5)
        moved = 0
        for key in list(writer.load.bloom) + list(writer.load.cuckoo):
            slot = key_slot(key)
            source = owner(cluster, slot)
            move_slot(cluster, slot, source, (source + 1) % 3)
            moved += 1
    finally:
        writer.end()
    wait_for_agreement(cluster)
    checks.true(f"{moved} slots moved under writes", moved >= 4)
    checks.equal("slots moved: lost", writer.load.lost(Router(cluster)), [])
    return writer.load


def check_handover(checks, cluster, earlier):
    writer = Writer(cluster, 22)
    try:
        time.sleep(0.3)
        cluster.clients[3].ok("CLUSTER", "FAILOVER")
        wait_for("the replica leads", lambda: info(cluster.clients[3], "replication")["role"]
                 == "master")
    finally:
        writer.end()
    wait_for_agreement(cluster)
    for load in (earlier, writer.load):
        checks.equal("handed over: lost", load.lost(Router(cluster)), [])
    return writer.load


def check_kill(checks, cluster, earlier):
    """What was acknowledged and has reached the replica survives its primary."""
    router = Router(cluster)
    load = Load(23, "k:")
    load.send(router, 200)
    for i in (1, 4):
        cluster.clients[i]("WAIT", 1, 2000)
    cluster.nodes[1].kill()
    wait_for("the replica takes over", lambda: info(cluster.clients[4], "replication")["role"]
             == "master", 180)
    load.send(router, 200)
    for part in (*earlier, load):
        checks.equal("a primary was killed: lost", part.lost(router), [])


def check_digests(checks, cluster):
    """Every replica that is alive has its primary's data."""
    for i, client in enumerate(cluster.clients):
        if not cluster.nodes[i].alive() or info(client, "replication")["role"] == "master":
            continue
        port = int(info(client, "replication")["master_port"])
        primary = cluster.clients[[node.port for node in cluster.nodes].index(port)]
        wait_for("in step", lambda: info(client, "replication")["slave_repl_offset"]
                 == info(primary, "replication")["master_repl_offset"])
        checks.equal("replica and primary", client.ok("DEBUG", "DIGEST"),
                     primary.ok("DEBUG", "DIGEST"))


def main():
    checks = Checks()
    for binary in binaries():
        cluster = Cluster(binary)
        first = check_slots(checks, cluster)
        second = check_handover(checks, cluster, first)
        check_digests(checks, cluster)
        check_kill(checks, cluster, (first, second))
        check_digests(checks, cluster)
        cluster.end()
    checks.end()


main()
