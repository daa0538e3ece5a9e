import { randomBytes, randomUUID } from 'node:crypto';
import { truncate, unlink, utimes, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useTestCore, deploySite, flipBit, insertPack, packFile, readSite } from '@berth/testing/core';
import { expectSound } from '@berth/testing/invariants';
import type { Core } from '../../src/core.ts';
import { deleteDeployment } from '../../src/services/deployments/deployments.ts';
import { doctor, type DoctorEvent } from '../../src/services/doctor/doctor.ts';
import { sweep } from '../../src/services/sweep/sweep.ts';

const GRACE_MS = 60 * 60 * 1000;
const SITE = { 'index.html': '<h1>Ahoy</h1>', 'empty.txt': '', 'big.bin': randomBytes(700_000) };

let site: string;
let pack: string;
const test = await useTestCore();
const { core } = test;
beforeEach(async () => {
  const { caller } = await test.account();
  site = (await deploySite(core, caller, { ...SITE, 'own.txt': randomUUID() })).body.deployment;
  [{ pack }] = (await test.database.query(
    `select c.pack_id as pack from content c join deployment_pack n using (pack_id) where deployment_id = $1 order by length limit 1`,
    [site],
  )) as [{ pack: string }];
});
afterEach(async () => {
  await test.database.query(`
    delete from domain; delete from deployment; delete from content; delete from pack; delete from plan_change;
    update account set deployment_count = 0, storage_bytes = 0, storage_exact = true`);
  for await (const id of core.packs.list()) await core.packs.remove(id);
});

type Found = Extract<DoctorEvent, { kind: 'finding' }>;

async function events({ fix = false, apiHost = 'api.example.com' } = {}, of = core): Promise<DoctorEvent[]> {
  return Array.fromAsync(doctor(of, { fix, graceMs: GRACE_MS, apiHost }));
}
/** Returns the findings without the expected advice about the isolation of the test domain. */
async function examineCore(options: { fix?: boolean } = {}, of = core): Promise<Found[]> {
  const found = (await events(options, of)).filter((event) => event.kind === 'finding');
  return found.filter(({ check }) => check !== 'isolation');
}
const fileOf = (id: string) => packFile(test, id);
const packFileExists = (id: string) => existsSync(fileOf(id));
/** Returns the hash and the location of the content at a path. */
async function placeOf(path: string) {
  const [row] = await test.database.query<{ hash: string; offset: string; length: string; pack: string }>(
    `select encode(c.hash, 'hex') as hash, "offset", length, pack_id as pack from manifest m
     cross join unnest(m.paths) with ordinality as f (path, i)
     join content c on c.hash = substring(m.hashes from (f.i::int - 1) * 32 + 1 for 32)
     where deployment_id = $1 and f.path = $2`,
    [site, path],
  );
  return { hash: row!.hash, pack: row!.pack, offset: Number(row!.offset), length: Number(row!.length) };
}
async function createOrphan(ageMs: number, name: string = randomUUID()): Promise<string> {
  await writeFile(fileOf(name), 'left over');
  const modifiedAt = new Date(Date.now() - ageMs);
  await utimes(fileOf(name), modifiedAt, modifiedAt);
  return name;
}

/** Inserts an anonymous upload and returns its hash. @param expires An SQL expression. */
async function beginAnUpload(expires: string): Promise<Buffer> {
  const [row] = await test.database.query<{ hash: Buffer }>(`
    insert into upload (hash, fingerprint, paths, hashes, sizes, asked, lengths, labels, via, created, touched, expires)
    values (gen_random_uuid()::text::bytea, '', '{}', '', '{}', '', '{}', '{}', 'api', now(), now(), ${expires}) returning hash`);
  return row!.hash;
}

describe('api §8: on a healthy service, the doctor', () => {
  it('finds no problem, and reports every check and its progress', async () => {
    const emitted = await events();
    const checks = emitted.filter(({ kind }) => kind === 'check').map(({ check }) => check);
    expect(checks.join(' ')).toBe('isolation backlog counters domains packs manifests contents forms');
    expect(await examineCore()).toEqual([]);
    const [row] = await test.database.query<{ bytes: string }>('select sum(length) as bytes from content');
    const lastProgress = emitted.findLast(({ kind }) => kind === 'progress');
    expect(lastProgress).toMatchObject({ done: Number(row!.bytes), total: Number(row!.bytes), unit: 'bytes' });
  });

  it('finds no problem while deploys, deletes and sweeps are running', async () => {
    const { caller } = await test.account('pro');
    let isRunning = true;
    const createTraffic = async () => {
      while (isRunning) {
        const { deployment } = (await deploySite(core, caller, { 'a.txt': randomUUID(), 'b.txt': randomUUID() })).body;
        await deleteDeployment({ core, caller }, deployment);
        await sweep(core, { graceMs: 0 });
      }
    };
    const traffic = Promise.all([createTraffic(), createTraffic()]);
    const found: Found[] = [];
    try {
      for (let i = 0; i < 4; i += 1) found.push(...(await examineCore()));
    } finally {
      isRunning = false;
      await traffic;
    }
    expect(found.filter(({ severity }) => severity !== 'advice')).toEqual([]);
    await expectSound(test);
  });
});

describe('api §8: while a sweep is running, the doctor', () => {
  it('does not report contents as damaged that the sweep removed while they were read', async () => {
    const read: Core['packs']['read'] = async (place) => {
      await test.database.query('delete from deployment');
      await test.database.query('update account set deployment_count = 0, storage_bytes = 0, storage_exact = true');
      await sweep(core, { graceMs: 0 });
      return core.packs.read(place);
    };
    const scan = () => ({ ...core.packs.scan(), read });
    expect(await examineCore({}, { ...core, packs: { ...core.packs, scan } })).toEqual([]);
    expect(packFileExists(pack)).toBe(false);
  });

  it('does not report pack files without a row that the sweep removed after they were listed', async () => {
    async function* list() {
      yield* core.packs.list();
      yield randomUUID();
    }
    expect(await examineCore({ fix: true }, { ...core, packs: { ...core.packs, list } })).toEqual([]);
  });
});

describe('T36: when the doctor reads the stored bytes, it', () => {
  it.each(['index.html', 'big.bin'])('finds a flipped bit in %s, and names the affected deployment', async (path) => {
    const { hash, pack, offset, length } = await placeOf(path);
    await flipBit(fileOf(pack), offset + Math.floor(length / 2));
    const damageFinding = {
      check: 'contents',
      severity: 'damage',
      content: hash,
      pack,
      deployments: [site],
      fixed: false,
    };
    expect(await examineCore()).toMatchObject([damageFinding]);
  });

  it('names every deployment that shares a damaged content, and no other deployment', async () => {
    const { caller } = await test.account();
    const sharing = (await deploySite(core, caller, { 'copy.html': SITE['index.html'] })).body.deployment;
    await deploySite(core, caller, { 'own.txt': 'has other bytes' });
    const { pack, offset } = await placeOf('index.html');
    await flipBit(fileOf(pack), offset);
    expect(await examineCore()).toMatchObject([{ deployments: [site, sharing].toSorted() }]);
  });

  it('finds a truncated pack', async () => {
    const { pack, offset, hash } = await placeOf('big.bin');
    await truncate(fileOf(pack), offset + 500_000);
    const damageFinding = { severity: 'damage', content: hash, deployments: [site] };
    expect(await examineCore()).toContainEqual(expect.objectContaining(damageFinding));
  });

  it('reports only once that the file of a pack is missing', async () => {
    await unlink(fileOf(pack));
    const damageFinding = { check: 'contents', severity: 'damage', pack, deployments: [site], fixed: false };
    expect(await examineCore({ fix: true })).toMatchObject([damageFinding]);
  });

  it('finds an empty pack whose file is missing', async () => {
    const emptyPack = await insertPack(test, 'sealed');
    expect(await examineCore()).toMatchObject([{ check: 'contents', pack: emptyPack, deployments: [] }]);
  });

  it('lists twenty damaged contents of a pack, and only counts further ones', async () => {
    const { caller } = await test.account();
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}.txt`, `text ${i} ${randomUUID()}`]));
    site = (await deploySite(core, caller, files)).body.deployment;
    const { pack } = await placeOf('0.txt');
    await writeFile(fileOf(pack), Buffer.alloc(4_096));
    const foundFaults = await examineCore();
    expect(foundFaults).toHaveLength(21);
    expect(foundFaults.at(-1)!.message).toMatch(/^10 more contents in pack/);
  });
});

describe('I2: when the doctor checks the contents of every manifest, it', () => {
  it.each([
    ['are missing in the store', 'delete from content where hash = decode($1, $2)'],
    ['have a different size', `update content set length = length - 1 where hash = decode($1, $2)`],
  ])('finds files in a manifest that %s', async (words, change) => {
    const { hash } = await placeOf('big.bin');
    await test.database.query(change, [hash, 'hex']);
    const foundFaults = (await examineCore()).filter(({ check }) => check === 'manifests');
    expect(foundFaults).toMatchObject([
      { severity: 'damage', deployments: [site], message: expect.stringContaining(words) },
    ]);
    expect(foundFaults[0]!.message).toContain('1 of its files, such as "big.bin"');
  });

  it('finds a pack that a deployment does not refer to', async () => {
    await test.database.query('delete from deployment_pack where deployment_id = $1', [site]);
    expect(await examineCore({ fix: true })).toMatchObject([{ check: 'manifests', deployments: [site], fixed: false }]);
  });

  it('finds a deployment without a manifest', async () => {
    await test.database.query('delete from manifest where deployment_id = $1', [site]);
    await test.database.query('update account set storage_bytes = 0');
    expect(await examineCore()).toMatchObject([{ check: 'manifests', severity: 'damage', deployments: [site] }]);
  });

  it('finds contents whose pack is not sealed', async () => {
    await test.database.query(`update pack set state = 'open' where id = $1`, [pack]);
    const foundFaults = await examineCore();
    expect(foundFaults.map(({ check }) => check)).toEqual(expect.arrayContaining(['packs', 'manifests']));
    expect(foundFaults.every(({ severity }) => severity === 'damage')).toBe(true);
  });

  it('checks more deployments than fit in one page', async () => {
    const { caller } = await test.account('scale');
    const { deployment } = (await deploySite(core, caller, { 'index.html': 'same' })).body;
    for (const copy of [
      `insert into deployment (id, account_id, status, files, size, labels, via, created)
       select id || i, account_id, status, files, size, labels, via, created from deployment, generate_series(1, 109) i where id = $1`,
      `insert into manifest select deployment_id || i, paths, hashes, sizes from manifest, generate_series(1, 109) i where deployment_id = $1`,
      `insert into deployment_pack select deployment_id || i, pack_id from deployment_pack, generate_series(1, 109) i where deployment_id = $1`,
    ])
      await test.database.query(copy, [deployment]);
    await test.database.query('delete from content where length = 4');
    const foundFaults = (await examineCore()).filter(({ check }) => check === 'manifests');
    expect(new Set(foundFaults.flatMap(({ deployments }) => deployments))).toHaveProperty('size', 110);
  });
});

describe('I3: when the doctor compares pack files and rows, it', () => {
  it('finds a file without a row, and with fix removes the file once it is older than the grace time', async () => {
    const [old, young] = [await createOrphan(GRACE_MS + 1_000), await createOrphan(GRACE_MS / 2)];
    const { caller } = await test.account();
    const remainingSites = [await deploySite(core, caller, { a: 'one' }), await deploySite(core, caller, { a: 'two' })];
    const foundFaults = await examineCore();
    expect(foundFaults.map(({ pack }) => pack).toSorted()).toEqual([old, young].toSorted());
    expect(foundFaults).toMatchObject(Array(2).fill({ severity: 'drift', fixed: false }));
    expect(packFileExists(old)).toBe(true);
    expect((await examineCore({ fix: true })).filter(({ fixed }) => fixed).map(({ pack }) => pack)).toEqual([old]);
    expect([old, young, pack].map(packFileExists)).toEqual([false, true, true]);
    for (const { body } of remainingSites) expect(await readSite(core, body.deployment)).not.toBeNull();
  });

  it('removes no file if most files have no row, because the database is probably the wrong one', async () => {
    const orphanPacks = await Promise.all(Array.from({ length: 5 }, () => createOrphan(10 * GRACE_MS)));
    const foundFaults = await examineCore({ fix: true });
    const keptFinding = { fixed: false, message: expect.stringMatching(/right database/) };
    expect(foundFaults).toMatchObject(Array(5).fill(keptFinding));
    expect(orphanPacks.map(packFileExists)).toEqual(Array(5).fill(true));
  });

  it('finds a pack that an open upload needs but that may be removed', async () => {
    const pack = await insertPack(test, 'open');
    const upload = await beginAnUpload(`now() + interval '1 hour'`);
    await test.database.query('insert into upload_pack values ($1, $2)', [upload, pack]);
    expect(await examineCore()).toMatchObject([{ check: 'packs', severity: 'damage', pack }]);
    await test.database.query('delete from upload');
    await test.database.query('delete from pack where id = $1', [pack]);
  });

  it('keeps a file that Berth did not create', async () => {
    await createOrphan(10 * GRACE_MS, 'a-note');
    expect(await examineCore({ fix: true })).toMatchObject([{ check: 'packs', pack: 'a-note', fixed: false }]);
    expect(packFileExists('a-note')).toBe(true);
  });
});

describe('I4: the doctor compares the counters of accounts, and', () => {
  it.each([
    ['a wrong number of deployments', 'deployment_count = 7', /counts 7 deployments and has 1\.$/],
    ['a wrong exact counter of stored bytes', 'storage_bytes = 7, storage_exact = true', /counts 7 stored bytes/],
    ['a bound of stored bytes that is too low', 'storage_bytes = 7, storage_exact = false', /counts 7 stored bytes/],
  ])('fixes %s with fix, but not without fix', async (_, change, message) => {
    const [{ account }] = (await test.database.query<{ account: string }>(
      `update account set ${change} where id = (select account_id from deployment where id = $1) returning id as account`,
      [site],
    )) as [{ account: string }];
    const driftFinding = { check: 'counters', severity: 'drift', account, message: expect.stringMatching(message) };
    for (const fix of [false, false, true])
      expect(await examineCore({ fix })).toMatchObject([{ ...driftFinding, fixed: fix }]);
    expect(await examineCore()).toEqual([]);
  });
});

describe('api §8: the doctor finds overdue work of the background jobs, and', () => {
  it('with fix removes expired deployments, expired uploads and dead packs, and applies plan changes', async () => {
    const deadPack = await insertPack(test, 'dead');
    await createOrphan(0, deadPack);
    await test.database.query(`update deployment set expires = now() - interval '1 hour' where id = $1`, [site]);
    await beginAnUpload(`now() - interval '1 hour'`);
    await test.database.query(
      `insert into plan_change select account_id, 'free', now(), now() - interval '1 hour' from deployment where id = $1`,
      [site],
    );
    const unfixedFindings = await examineCore();
    const overdueFinding = { check: 'backlog', fixed: false };
    expect(unfixedFindings).toMatchObject(
      ['drift', 'drift', 'drift', 'advice'].map((severity) => ({ ...overdueFinding, severity })),
    );
    expect(await examineCore({ fix: true })).toMatchObject(Array(4).fill({ fixed: true }));
    expect(await examineCore()).toEqual([]);
    expect(packFileExists(deadPack)).toBe(false);
  });
});

describe('api §4: when the doctor checks domains, it', () => {
  it.each([
    ['cannot be removed', `update deployment set status = 'deleting' where id = $1`],
    ['will expire', `update deployment set expires = now() + interval '1 hour' where id = $1`],
    ['belongs to another account', `update deployment set account_id = null where id = $1`],
  ])('finds a domain whose deployment %s', async (words, change) => {
    await test.database.query(
      `insert into domain (account_id, name, kind, status, deployment_id, labels, created, checks)
       select account_id, 'docs.sites.test', 'platform', 'success', id, '{}', now(), '[]' from deployment where id = $1`,
      [site],
    );
    await test.database.query(change, [site]);
    const foundFaults = (await examineCore()).filter(({ check }) => check === 'domains');
    expect(foundFaults).toMatchObject([
      { severity: 'drift', deployments: [site], message: expect.stringContaining(words) },
    ]);
  });
});

describe('T13: about the isolation of sites from the API in browsers, the doctor', () => {
  it.each([
    ['localhost:4000', 'localhost', 'finding', /trying things out/],
    ['sites.test', 'api.test', 'finding', /trying things out/],
    ['sites.example.com', 'api.example.com', 'finding', /both under example\.com/],
    ['example.com', 'api.example.com', 'finding', /both under example\.com/],
    ['sites.example.co.uk', 'api.example.co.uk', 'finding', /both under example\.co\.uk/],
    ['sites.example.net', 'api.example.com', 'note', /under example\.net, the API is not/],
    ['one.co.uk', 'two.co.uk', 'note', /under one\.co\.uk, the API is not/],
    ['github.io', 'api.example.com', 'note', /is a public suffix/],
  ] as const)('reports for sites under %s and an API at %s a %s', async (platformDomain, apiHost, kind, message) => {
    const emitted = await events({ apiHost }, { ...core, addresses: { ...core.addresses, platformDomain } });
    expect(emitted.filter((event) => event.check === 'isolation' && event.kind !== 'check')).toMatchObject([
      { kind, message: expect.stringMatching(message), ...(kind === 'finding' ? { severity: 'advice' } : {}) },
    ]);
  });
});
