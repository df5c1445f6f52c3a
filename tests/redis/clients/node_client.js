// node_client.js PORT - the Bloom and cuckoo calls of node-redis. Exit 77: it is not installed.
let redis;
try {
    redis = require('redis');
} catch {
    process.exit(77);
}
const assert = require('assert');

async function main() {
    const client = redis.createClient({ url: `redis://127.0.0.1:${process.argv[2]}` });
    await client.connect();
    assert.ok(await client.bf.reserve('node', 0.01, 1000));
    assert.strictEqual(Boolean(await client.bf.add('node', 'x')), true);
    assert.deepStrictEqual((await client.bf.mExists('node', ['x', 'y'])).map(Boolean), [true, false]);
    assert.strictEqual((await client.bf.info('node'))['Capacity'] ?? 1000, 1000);
    assert.ok(await client.cf.reserve('nodec', 1000));
    assert.strictEqual(Boolean(await client.cf.add('nodec', 'x')), true);
    assert.strictEqual(Boolean(await client.cf.exists('nodec', 'x')), true);
    await client.quit();
}

main().catch((error) => {
    console.error(error);
    process.exit(1);
});
