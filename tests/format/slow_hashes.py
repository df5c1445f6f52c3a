"""slow_hashes - the hashes of docs/format.md section 8, one plain function each.

Written from the published definitions, in whole Python integers and without a
thought for speed, so that they can be read beside those definitions and share
nothing with the C sources. test_slow_reader.py holds them against the published
vectors in tests/golden/hash. slow_reader.py is the only other user.
"""
import hashlib

M32 = (1 << 32) - 1
M64 = (1 << 64) - 1


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at:at + 8], "little")


def rotl32(x, by):
    return (x << by | x >> 32 - by) & M32


def rotl64(x, by):
    return (x << by | x >> 64 - by) & M64


def swap(x, size):
    return int.from_bytes(x.to_bytes(size, "little"), "big")


# ---- XXH3-64 ----

XXH32_1, XXH32_2, XXH32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
XXH64_1, XXH64_2, XXH64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
XXH64_4, XXH64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
XXH3_MX1, XXH3_MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

XXH3_SECRET = bytes.fromhex("""
    b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f
    cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c
    3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8
    a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364
    eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e
    2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e""")


def xxh64_avalanche(h):
    h = (h ^ h >> 33) * XXH64_2 & M64
    h = (h ^ h >> 29) * XXH64_3 & M64
    return h ^ h >> 32


def xxh3_avalanche(h):
    h = (h ^ h >> 37) * XXH3_MX1 & M64
    return h ^ h >> 32


def xxh3_fold(a, b):
    """The two halves of the 128-bit product, xored."""
    product = a * b
    return product >> 64 ^ product & M64


def xxh3_mix16(data, at, secret_at, seed):
    return xxh3_fold(u64(data, at) ^ u64(XXH3_SECRET, secret_at) + seed & M64,
                     u64(data, at + 8) ^ u64(XXH3_SECRET, secret_at + 8) - seed & M64)


def xxh3_0(seed):
    return xxh64_avalanche(seed ^ u64(XXH3_SECRET, 56) ^ u64(XXH3_SECRET, 64))


def xxh3_1_to_3(data, seed):
    n = len(data)
    combined = data[0] << 16 | data[n >> 1] << 24 | data[n - 1] | n << 8
    flip = (u32(XXH3_SECRET, 0) ^ u32(XXH3_SECRET, 4)) + seed & M64
    return xxh64_avalanche(combined ^ flip)


def xxh3_4_to_8(data, seed):
    n = len(data)
    seed ^= swap(seed & M32, 4) << 32
    flip = (u64(XXH3_SECRET, 8) ^ u64(XXH3_SECRET, 16)) - seed & M64
    h = u32(data, n - 4) + (u32(data, 0) << 32) ^ flip
    h ^= rotl64(h, 49) ^ rotl64(h, 24)
    h = h * XXH3_MX2 & M64
    h ^= (h >> 35) + n
    h = h * XXH3_MX2 & M64
    return h ^ h >> 28


def xxh3_9_to_16(data, seed):
    n = len(data)
    flip_low = (u64(XXH3_SECRET, 24) ^ u64(XXH3_SECRET, 32)) + seed & M64
    flip_high = (u64(XXH3_SECRET, 40) ^ u64(XXH3_SECRET, 48)) - seed & M64
    low = u64(data, 0) ^ flip_low
    high = u64(data, n - 8) ^ flip_high
    return xxh3_avalanche(n + swap(low, 8) + high + xxh3_fold(low, high) & M64)


def xxh3_17_to_128(data, seed):
    n = len(data)
    h = n * XXH64_1
    for i in range((n - 1) // 32 + 1):
        h += xxh3_mix16(data, 16 * i, 32 * i, seed)
        h += xxh3_mix16(data, n - 16 * (i + 1), 32 * i + 16, seed)
    return xxh3_avalanche(h & M64)


def xxh3_129_to_240(data, seed):
    n = len(data)
    h = n * XXH64_1
    for i in range(8):
        h += xxh3_mix16(data, 16 * i, 16 * i, seed)
    h = xxh3_avalanche(h & M64)
    for i in range(8, n // 16):
        h += xxh3_mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
    h += xxh3_mix16(data, n - 16, 136 - 17, seed)
    return xxh3_avalanche(h & M64)


def xxh3_secret(seed):
    secret = b""
    for at in range(0, len(XXH3_SECRET), 16):
        secret += (u64(XXH3_SECRET, at) + seed & M64).to_bytes(8, "little")
        secret += (u64(XXH3_SECRET, at + 8) - seed & M64).to_bytes(8, "little")
    return secret


def xxh3_stripe(acc, data, at, secret, secret_at):
    for lane in range(8):
        value = u64(data, at + 8 * lane)
        keyed = value ^ u64(secret, secret_at + 8 * lane)
        acc[lane ^ 1] = acc[lane ^ 1] + value & M64
        acc[lane] = acc[lane] + (keyed & M32) * (keyed >> 32) & M64


def xxh3_scramble(acc, secret):
    for lane in range(8):
        acc[lane] ^= acc[lane] >> 47
        acc[lane] = (acc[lane] ^ u64(secret, 128 + 8 * lane)) * XXH32_1 & M64


def xxh3_241_up(data, seed):
    """Blocks of 16 stripes of 64 bytes; the last stripe is the last 64 bytes."""
    n = len(data)
    secret = xxh3_secret(seed)
    acc = [XXH32_3, XXH64_1, XXH64_2, XXH64_3, XXH64_4, XXH32_2, XXH64_5, XXH32_1]
    for i in range((n - 1) // 64):
        xxh3_stripe(acc, data, 64 * i, secret, 8 * (i % 16))
        if i % 16 == 15:
            xxh3_scramble(acc, secret)
    xxh3_stripe(acc, data, n - 64, secret, 192 - 64 - 7)
    h = n * XXH64_1
    for i in range(4):
        h += xxh3_fold(acc[2 * i] ^ u64(secret, 11 + 16 * i),
                       acc[2 * i + 1] ^ u64(secret, 19 + 16 * i))
    return xxh3_avalanche(h & M64)


def xxh3(data, seed=0):
    n = len(data)
    if n == 0:
        return xxh3_0(seed)
    for longest, part in ((3, xxh3_1_to_3), (8, xxh3_4_to_8), (16, xxh3_9_to_16),
                          (128, xxh3_17_to_128), (240, xxh3_129_to_240)):
        if n <= longest:
            return part(data, seed)
    return xxh3_241_up(data, seed)


# ---- MurmurHash ----

def murmur3_32_scramble(k):
    return rotl32(k * 0xCC9E2D51 & M32, 15) * 0x1B873593 & M32


def murmur3_32(data, seed):
    h = seed & M32
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        h ^= murmur3_32_scramble(u32(data, at))
        h = rotl32(h, 13) * 5 + 0xE6546B64 & M32
    h ^= murmur3_32_scramble(u32(data, whole))
    h ^= len(data) & M32
    h = (h ^ h >> 16) * 0x85EBCA6B & M32
    h = (h ^ h >> 13) * 0xC2B2AE35 & M32
    return h ^ h >> 16


def mix(x):
    """The finaliser of MurmurHash3; section 8.2 uses it too."""
    x = (x ^ x >> 33) * 0xFF51AFD7ED558CCD & M64
    x = (x ^ x >> 33) * 0xC4CEB9FE1A85EC53 & M64
    return x ^ x >> 33


MURMUR3_1, MURMUR3_2 = 0x87C37B91114253D5, 0x4CF5AD432745937F


def murmur3_128(data, seed):
    """Both halves (h1, h2) of x64_128; each starts as the 64-bit seed."""
    h1 = h2 = seed
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        h1 ^= rotl64(u64(data, at) * MURMUR3_1 & M64, 31) * MURMUR3_2 & M64
        h1 = (rotl64(h1, 27) + h2) * 5 + 0x52DCE729 & M64
        h2 ^= rotl64(u64(data, at + 8) * MURMUR3_2 & M64, 33) * MURMUR3_1 & M64
        h2 = (rotl64(h2, 31) + h1) * 5 + 0x38495AB5 & M64
    h2 ^= rotl64(u64(data, whole + 8) * MURMUR3_2 & M64, 33) * MURMUR3_1 & M64
    h1 ^= rotl64(u64(data, whole) * MURMUR3_1 & M64, 31) * MURMUR3_2 & M64
    h1 ^= len(data)
    h2 ^= len(data)
    h1 = h1 + h2 & M64
    h2 = h2 + h1 & M64
    h1, h2 = mix(h1), mix(h2)
    h1 = h1 + h2 & M64
    return h1, h2 + h1 & M64


def murmur64a(data, seed):
    m = 0xC6A4A7935BD1E995
    h = seed ^ len(data) * m & M64
    whole = len(data) // 8 * 8
    for at in range(0, whole, 8):
        k = u64(data, at) * m & M64
        k = (k ^ k >> 47) * m & M64
        h = (h ^ k) * m & M64
    if len(data) > whole:
        h = (h ^ u64(data, whole)) * m & M64
    h = (h ^ h >> 47) * m & M64
    return h ^ h >> 47


# ---- FNV-1a, SHA-256, SipHash ----

def fnv1a(data, seed):
    h = 0xCBF29CE484222325 ^ seed
    for byte in data:
        h = (h ^ byte) * 0x100000001B3 & M64
    return h


def sha256(data, seed):
    before = seed.to_bytes(8, "little") if seed else b""
    return u64(hashlib.sha256(before + data).digest(), 0)


def sip_round(v0, v1, v2, v3):
    v0 = v0 + v1 & M64
    v1 = rotl64(v1, 13) ^ v0
    v0 = rotl64(v0, 32)
    v2 = v2 + v3 & M64
    v3 = rotl64(v3, 16) ^ v2
    v0 = v0 + v3 & M64
    v3 = rotl64(v3, 21) ^ v0
    v2 = v2 + v1 & M64
    v1 = rotl64(v1, 17) ^ v2
    return v0, v1, rotl64(v2, 32), v3


def siphash(data, key):
    """SipHash-2-4 with its 64-bit result under a key of 16 bytes."""
    k0, k1 = u64(key, 0), u64(key, 8)
    v = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D,
         k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)
    whole = len(data) // 8 * 8
    words = [u64(data, at) for at in range(0, whole, 8)]
    words.append(u64(data, whole) | (len(data) & 255) << 56)
    for word in words:
        v = sip_round(*sip_round(*v[:3], v[3] ^ word))
        v = (v[0] ^ word, *v[1:])
    v = (v[0], v[1], v[2] ^ 255, v[3])
    for _ in range(4):
        v = sip_round(*v)
    return v[0] ^ v[1] ^ v[2] ^ v[3]
