import { randomBytes } from 'node:crypto';
import { ANONYMOUS, anotherProcess, deploySite } from '@berth/testing/core';
import { expectSound, expectSwept, sweepAll } from '@berth/testing/invariants';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Compressor, createCompressor } from '../../../src/compressor/compressor.ts';
import type { Core } from '../../../src/core.ts';
import { compressDeployments } from '../../../src/services/compression/compress-deployments.ts';
import { recordHeartbeat } from '../../../src/services/sweep/sweep.ts';
import { deleteDeployment } from '../../../src/services/deployments/deployments.ts';
import { createCompressionWorld, expectForms, hashOf, withHook, textOf } from './compression-world.ts';

const LEASE_SECONDS = 120;

let loggedLines: { level: string; message: string }[] = [];
const write = (level: string) => (_: object, message: string) => void loggedLines.push({ level, message });
const log = { info: write('info'), warn: write('warn'), error: write('error') };
const world = await createCompressionWorld({ log });
const { test, core, caller, compressor, deploy, recorded, due } = world;
afterAll(() => world.close());
afterEach(async () => {
  loggedLines = [];
  expect([...core.activePacks]).toEqual([]);
  await expectSound(test);
  await sweepAll(test);
  await expectSwept(test);
  await removeAll();
  await test.database.query(`update deployment set status = 'deleting' where account_id is null`);
  await sweepAll(test);
  expect(await test.database.query('select 1 from compression union all select 1 from pack')).toEqual([]);
  expect(await Array.fromAsync(core.packs.list())).toEqual([]);
});

/** Records the contents that reach the compressor process. */
function countCompressions(of = compressor): { compressor: Compressor; received: string[] } {
  const receivedHashes: string[] = [];
  return { received: receivedHashes, compressor: withHook(of, (sha256) => void receivedHashes.push(sha256)) };
}
const remove = (deployment: string) => deleteDeployment({ core, caller }, deployment);
async function removeAll(): Promise<void> {
  const own = 'select id from deployment where account_id is not null';
  for (const { id } of await test.database.query<{ id: string }>(own)) await remove(id);
}
const packs = () => test.database.query<{ id: string }>('select id from pack');

/** Opens the core of another process, with its own compressor process. */
async function anotherCompressor(): Promise<{ core: Core; compressor: Compressor } & Disposable> {
  const compressor = createCompressor();
  return { core: await anotherProcess(test), compressor, [Symbol.dispose]: () => compressor.close() };
}

describe('compression of deployments (S48)', () => {
  it('stores the br, zstd and gzip forms of all files of a deployment in one separate pack', async () => {
    const [page, style] = [textOf('page'), textOf('style')];
    const site = await deploy({ 'index.html': page, 'style.css': style });
    expect(await due(site)).toEqual(expect.any(Date));
    expect(await compressDeployments(core, compressor)).toBe(1);
    await expectForms(world, page);
    await expectForms(world, style);
    expect(await due(site)).toBeNull();
    expect(await packs()).toHaveLength(2);
    expect(await test.database.query('select pack_id from deployment_pack')).toHaveLength(1);
    expect(await test.database.query('select size::int from deployment')).toEqual([{ size: 4_000 }]);
    expect(loggedLines).toEqual([]);
  });

  it.each<[string, string, string | Buffer]>([
    ['too small', 'small.html', textOf('small', 1_023)],
    ['of a type that gains nothing', 'photo.jpg', textOf('photo')],
    ['compressed by its owner', 'bundle.js.br', textOf('bundle')],
  ])('skips a file that is %s', async (_, path, bytes) => {
    const page = textOf('page');
    const site = await deploy({ [path]: bytes, 'index.html': page });
    const { compressor, received } = countCompressions();
    expect(await compressDeployments(core, compressor)).toBe(1);
    expect(received).toEqual([hashOf(page)]);
    expect([...(await recorded()).keys()]).toEqual([hashOf(page)]);
    expect(await due(site)).toBeNull();

    const siteWithoutPage = await deploy({ [path]: bytes });
    expect(await due(siteWithoutPage)).toBeNull();
  });

  it('tries to compress a file that does not get smaller only once, even if it is published again', async () => {
    const randomContent = randomBytes(2_000);
    await deploy({ 'noise.txt': randomContent });
    expect(await compressDeployments(core, compressor)).toBe(1);
    expect([...(await recorded()).values()]).toEqual([{ sha256: hashOf(randomContent), pack: null, forms: {} }]);
    expect(await packs()).toHaveLength(1);
    await deploy({ 'again.txt': randomContent });
    const { compressor: second, received } = countCompressions();
    expect(await compressDeployments(core, second)).toBe(1);
    expect(received).toEqual([]);
  });

  it('compresses equal files once, for all paths and all deployments', async () => {
    const sharedText = textOf('shared');
    await deploy({ 'a.js': sharedText, 'b.js': sharedText, 'c.bin': sharedText });
    await deploy({ 'd.txt': sharedText, 'own.txt': textOf('own') });
    const { compressor, received } = countCompressions();
    expect(await compressDeployments(core, compressor)).toBe(2);
    expect(received).toEqual([hashOf(sharedText), hashOf(textOf('own'))]);
  });

  it('compresses the bytes of a file when they are published under a name that is worth compressing', async () => {
    const text = textOf('named');
    await deploy({ 'named.bin': text });
    await compressDeployments(core, compressor);
    await deploy({ 'named.txt': text });
    await compressDeployments(core, compressor);
    await expectForms(world, text);
  });

  it('skips deleted and expired deployments', async () => {
    await deploySite(core, ANONYMOUS, { 'expired.txt': textOf('expired') });
    await remove(await deploy({ 'deleted.txt': textOf('deleted') }));
    test.advance(30 * 24 * 3_600);
    await recordHeartbeat(core);
    expect(await compressDeployments(core, compressor)).toBe(0);
    expect(await recorded()).toEqual(new Map());
  });
});

describe('compression in turns (S48)', () => {
  it('alternates between deployments, so that a large deployment does not delay a small deployment', async () => {
    const texts = ['large 1', 'large 2', 'large 3', 'small'].map((name) => textOf(name));
    await deploy({ '1.txt': texts[0]!, '2.txt': texts[1]!, '3.txt': texts[2]! });
    await deploy({ 'small.txt': texts[3]! });
    const { compressor, received } = countCompressions();
    expect(await compressDeployments(core, compressor, { turnMs: 0 })).toBe(2);
    expect(received.indexOf(hashOf(texts[3]!))).toBe(1);
    expect(received.toSorted()).toEqual(texts.map(hashOf).toSorted());
    for (const text of texts) await expectForms(world, text);
  });

  it('stores each form once and leaves no unused pack if two processes run at once', async () => {
    using otherCompressor = await anotherCompressor();
    const names = Array.from({ length: 6 }, (_, i) => i);
    for (const i of names)
      await deploy({
        'shared.txt': textOf('shared'),
        'own.txt': textOf(`own ${i}`),
        'pair.txt': textOf(`pair ${i >> 1}`),
      });
    const done = await Promise.all([
      compressDeployments(core, compressor, { turnMs: 0 }),
      compressDeployments(otherCompressor.core, otherCompressor.compressor, { turnMs: 0 }),
    ]);
    expect(done[0] + done[1]).toBe(6);
    expect((await recorded()).size).toBe(10);
    for (const i of names) await expectForms(world, textOf(`own ${i}`));
    await expectForms(world, textOf('shared'));
  });

  it('stores the forms of a file once if the lease of the first process expires and a second process repeats the work', async () => {
    using otherCompressor = await anotherCompressor();
    const text = textOf('slow');
    const site = await deploy({ 'slow.txt': text });
    const slowCompressor = withHook(compressor, async () => {
      test.advance(LEASE_SECONDS + 1);
      expect(await compressDeployments(otherCompressor.core, otherCompressor.compressor)).toBe(1);
    });
    expect(await compressDeployments(core, slowCompressor)).toBe(1);
    await expectForms(world, text);
    expect(await packs()).toHaveLength(2);
    expect(await due(site)).toBeNull();
  });

  it('stops when the server stops: finished forms are kept, and the remaining files are compressed by the next run', async () => {
    const texts = ['first', 'second', 'third'].map((name) => textOf(name));
    const site = await deploy(Object.fromEntries(texts.map((text, i) => [`${i}.txt`, text])));
    const stopping = new AbortController();
    const { compressor: counted, received } = countCompressions();
    const stoppedCompressor = withHook(counted, () => received.length === 1 && stopping.abort());
    expect(await compressDeployments(core, stoppedCompressor, stopping)).toBe(0);
    expect((await recorded()).size).toBe(1);
    expect((await due(site))!.getTime()).toBeLessThanOrEqual(core.now().getTime());
    const nextCompressor = countCompressions();
    expect(await compressDeployments(core, nextCompressor.compressor)).toBe(1);
    expect(nextCompressor.received).toHaveLength(2);
    for (const text of texts) await expectForms(world, text);
  });
});

describe('compression of deployments with failures (S48)', () => {
  it('skips a file after the compressor process has crashed on it twice, and compresses the other files', async () => {
    const [poison, sound] = [textOf('poison'), textOf('sound')];
    await deploy({ 'poison.txt': poison, 'sound.txt': sound });
    let crashes = 0;
    const crashing: Compressor = {
      ...compressor,
      async compress(content, signal) {
        if (content.sha256 !== hashOf(poison)) return compressor.compress(content, signal);
        crashes += 1;
        // Compress another content to start the process, then pause it, so that it cannot respond before it is killed.
        await compressor.compress({ bytes: Buffer.from('warm'), sha256: hashOf('warm') }, signal);
        process.kill(compressor.pid!, 'SIGSTOP');
        const outcome = compressor.compress(content, signal);
        process.kill(compressor.pid!, 'SIGKILL');
        return outcome;
      },
    };
    expect(await compressDeployments(core, crashing)).toBe(1);
    expect(crashes).toBe(2);
    expect((await recorded()).get(hashOf(poison))).toMatchObject({ pack: null, forms: {} });
    await expectForms(world, sound);
    expect(loggedLines.filter(({ message }) => message.includes('crashed'))).toHaveLength(2);
  });

  it('retries a deployment two minutes after a temporary failure, and compresses the other deployments at once', async () => {
    const [first, second] = [await deploy({ 'a.txt': textOf('a') }), await deploy({ 'b.txt': textOf('b') })];
    const failingCompressor = withHook(compressor, (sha256) => {
      if (sha256 === hashOf(textOf('a'))) throw Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' });
    });
    expect(await compressDeployments(core, failingCompressor)).toBe(1);
    expect(loggedLines).toEqual([{ level: 'warn', message: 'A background task failed and will be retried' }]);
    expect([await due(first), await due(second)]).toEqual([expect.any(Date), null]);
    expect(await compressDeployments(core, compressor)).toBe(0);
    test.advance(LEASE_SECONDS);
    expect(await compressDeployments(core, compressor)).toBe(1);
    await expectForms(world, textOf('a'));
  });

  it.each([
    ['whose bytes are damaged', async () => Buffer.from(textOf('other')), 'error'],
    ['whose pack is missing', () => Promise.reject(Object.assign(new Error(), { code: 'ENOENT' })), 'warn'],
    ['whose pack is too short', () => Promise.reject(new Error('A pack ends')), 'warn'],
  ])('logs once that it cannot read a file %s, and compresses the other files', async (_, read, level) => {
    const [lost, sound] = [textOf('lost'), textOf('sound')];
    const site = await deploy({ 'lost.txt': lost, 'sound.txt': sound });
    const query = `select "offset"::int from content where hash = decode($1, 'hex')`;
    const [row] = await test.database.query<{ offset: number }>(query, [hashOf(lost)]);
    const readLost: Core['packs']['read'] = (place) => (place.offset === row!.offset ? read() : core.packs.read(place));
    const faultyCore = { ...core, packs: { ...core.packs, read: readLost } };
    expect(await compressDeployments(faultyCore, compressor)).toBe(1);
    expect(await due(site)).toBeNull();
    expect((await recorded()).get(hashOf(lost))).toMatchObject({ pack: null, forms: {} });
    await expectForms(world, sound);
    expect(loggedLines.map((line) => line.level)).toEqual([level]);
  });
});

describe('W2: packs of compressed forms', () => {
  it('are kept while one of their files is published, and are removed by the sweep that removes the last file', async () => {
    const [shared, own] = [textOf('shared'), textOf('own')];
    const remainingSite = await deploy({ 'shared.txt': shared });
    const deletedSite = await deploy({ 'shared.txt': shared, 'own.txt': own });
    await test.database.query('update deployment set compress_at = null where id = $1', [remainingSite]);
    await compressDeployments(core, compressor);
    expect(await packs()).toHaveLength(3);
    await remove(deletedSite);
    await sweepAll(test);
    expect([...(await recorded()).keys()]).toEqual([hashOf(shared)]);
    await expectForms(world, shared);
    expect(await packs()).toHaveLength(2);
    await remove(remainingSite);
    expect(await sweepAll(test)).toMatchObject({ packs: 2 });
    expect(await packs()).toEqual([]);
  });

  it('are not created for a file that is swept while it is compressed', async () => {
    const text = textOf('fleeting');
    const site = await deploy({ 'fleeting.txt': text });
    const lateCompressor = withHook(compressor, async () => {
      await remove(site);
      await sweepAll(test);
    });
    expect(await compressDeployments(core, lateCompressor)).toBe(1);
    expect(await recorded()).toEqual(new Map());
    expect(await packs()).toEqual([]);
    expect(loggedLines).toEqual([]);
  });

  it('are created again for a file that is published again after it was swept', async () => {
    const site = { 'again.txt': textOf('again') };
    await deploy(site);
    await compressDeployments(core, compressor);
    const firstPack = (await recorded()).get(hashOf(site['again.txt']))!.pack;
    await removeAll();
    await sweepAll(test);
    await deploy(site);
    await compressDeployments(core, compressor);
    await expectForms(world, site['again.txt']);
    expect((await recorded()).get(hashOf(site['again.txt']))!.pack).not.toBe(firstPack);
  });

  it('cannot be marked as dead while they contain forms', async () => {
    await deploy({ 'net.txt': textOf('net') });
    await compressDeployments(core, compressor);
    const { pack } = (await recorded()).get(hashOf(textOf('net')))!;
    const markDead = test.database.query(`update pack set state = 'dead' where id = $1`, [pack]);
    await expect(markDead).rejects.toThrow('still holds compressed forms');
    await expect(test.database.query('delete from pack where id = $1', [pack])).rejects.toThrow();
  });
});
