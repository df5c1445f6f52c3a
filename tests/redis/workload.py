"""workload.py - commands of all sorts, and what they must leave behind.

A Load sends a mixture that grows Bloom and cuckoo filters, deletes, compacts
and reads. It remembers what the server acknowledged: lost() asks for it again.
The mixture is a function of the seed.
"""
import random


class Load:
    def __init__(self, seed, prefix=""):
        self.random = random.Random(seed)
        self.prefix = prefix
        self.count = 0
        self.bloom = {}    # key: items that were acknowledged
        self.cuckoo = {}   # key: {item: copies}

    def _items(self, most):
        count = self.random.randint(1, most)
        items = [f"{self.prefix}item{self.count + i}" for i in range(count)]
        self.count += count
        return items

    def _key(self, family):
        return f"{self.prefix}{family}{self.random.randrange(4)}"

    def _bloom(self):
        key, items = self._key("bf"), self._items(30)
        how = self.random.randrange(3)
        if how == 0:
            items = items[:1]
            words = ("BF.ADD", key, items[0])
        elif how == 1:
            words = ("BF.MADD", key, *items)
        else:
            words = ("BF.INSERT", key, "CAPACITY", 50, "ERROR", 0.001, "ITEMS", *items)
        return words, lambda: self.bloom.setdefault(key, set()).update(items)

    def _cuckoo_add(self):
        key, items = self._key("cf"), self._items(20)
        copies = self.cuckoo.setdefault(key, {})

        def taken():
            for item in items:
                copies[item] = copies.get(item, 0) + 1
        if self.random.randrange(2):
            items = items[:1]
            return ("CF.ADD", key, items[0]), taken
        return ("CF.INSERT", key, "CAPACITY", 4000, "ITEMS", *items), taken

    def _cuckoo_del(self):
        key = self._key("cf")
        copies = self.cuckoo.get(key)
        if not copies:
            return self._cuckoo_add()
        item = self.random.choice(list(copies))

        def gone():
            copies[item] -= 1
            if not copies[item]:
                del copies[item]
        return ("CF.DEL", key, item), gone

    def _read(self):
        return ("BF.EXISTS", self._key("bf"), "nothing"), lambda: None

    def command(self):
        """The next command, and what to call once it is acknowledged."""
        choice = self.random.randrange(10)
        if choice < 5:
            return self._bloom()
        if choice < 8:
            return self._cuckoo_add()
        return self._cuckoo_del() if choice == 8 else self._read()

    def send(self, client, count):
        for _ in range(count):
            words, done = self.command()
            client.ok(*words)
            done()

    def lost(self, client):
        """Acknowledged items that the server says it does not have."""
        lost = []
        for family, keys in (("BF", self.bloom), ("CF", self.cuckoo)):
            for key, items in keys.items():
                items = sorted(items)
                if items:
                    replies = client.ok(f"{family}.MEXISTS", key, *items)
                    lost += [(key, item) for item, there in zip(items, replies) if not there]
        return lost
