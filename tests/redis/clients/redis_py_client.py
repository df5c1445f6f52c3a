"""redis_py_client.py PORT - every Bloom and cuckoo call of redis-py."""
import sys

import redis

client = redis.Redis(port=int(sys.argv[1]))
bf, cf = client.bf(), client.cf()

assert bf.create("b", 0.01, 1000)
assert bf.create("n", 0.01, 1000, noScale=True)
assert bf.create("e", 0.01, 1000, expansion=4)
assert bf.add("b", "x") == 1 and bf.add("b", "x") == 0
assert bf.madd("b", "y", "z") == [1, 1]
assert bf.insert("i", ["x", "y"], capacity=500, error=0.001, expansion=2) == [1, 1]
assert bf.insert("m", ["x"], noCreate=None, noScale=True) == [1]
assert bf.exists("b", "x") == 1 and bf.exists("b", "none") == 0
assert bf.mexists("b", "x", "none") == [1, 0]
facts = bf.info("b")
assert (facts.capacity, facts.filterNum, facts.insertedNum, facts.expansionRate) == (1000, 1, 3, 2)
assert bf.info("n").expansionRate is None
if hasattr(bf, "card"):
    assert bf.card("b") == 3

at, data = 0, None
while True:
    at, data = bf.scandump("b", at)
    if at == 0:
        break
    assert bf.loadchunk("copy", at, data)
assert bf.mexists("copy", "x", "y", "z") == [1, 1, 1]

assert cf.create("c", 1000)
assert cf.create("c2", 1000, bucket_size=4, expansion=2, max_iterations=50)
assert cf.add("c", "x") == 1 and cf.addnx("c", "x") == 0
assert cf.insert("c", ["y", "z"]) == [1, 1]
assert cf.insertnx("c", ["y", "w"]) == [0, 1]
assert cf.exists("c", "x") == 1 and cf.count("c", "x") == 1
assert cf.delete("c", "x") == 1
facts = cf.info("c")
assert (facts.filterNum, facts.insertedNum, facts.deletedNum, facts.bucketSize) == (1, 3, 1, 2)
at = 0
while True:
    at, data = cf.scandump("c", at)
    if at == 0:
        break
    assert cf.loadchunk("ccopy", at, data)
assert cf.exists("ccopy", "w") == 1

pipe = client.pipeline(transaction=False)
for i in range(100):
    pipe.bf().add("piped", i)
assert pipe.execute() == [1] * 100
try:
    bf.info("none")
except redis.ResponseError as error:
    assert str(error) == "not found", error
else:
    raise AssertionError("no error")
print("redis-py", redis.__version__)
