import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Activity, CreatedDeployment, DomainRecords } from '@berth/contract';
import { sweep } from '@berth/core/jobs';
import { OLDER_POSTGRES } from '@berth/testing/older-postgres';
import type { Files, TestClient } from '@berth/testing/requests';
import { testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, enterPassword } from '../site-host/unlocking.ts';
import { createInstallation, findProblems, type Installation, whileServing } from './installations.ts';
import { type Outcome, runBerth, spawnBerth } from './run-berth.ts';

interface ActivityPage {
  activities: Activity[];
  nextCursor?: string;
}

const MAIN = join(import.meta.dirname, '../../dist/operator.cjs');
const PASSWORD = 'correct horse';
const SITES: Files[] = [
  { 'index.html': '<h1>One</h1>', 'large.bin': randomBytes(5_000_000) },
  { 'index.html': '<h1>Two</h1>', 'a/b.txt': 'deep', 'empty.txt': '' },
];

const ADDRESSES = { APEX_ADDRESSES: '192.0.2.10' };
const server = useServer({ env: ADDRESSES });
let folder: string;
let env: Record<string, string>;
let sites: CreatedDeployment[];
let full: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-backup-'));
  env = testEnvironment(server().database, server().dataDir, { SWEEP_GRACE: '0s', ...ADDRESSES });
  sites = [];
  for (const files of SITES) sites.push(await server().publish(files));
  full = join(folder, 'full.tar');
  await succeed(env, 'backup', full);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const installations: Installation[] = [];
afterEach(async () => {
  for (const installation of installations.splice(0)) await installation.remove();
});
async function install(url?: string): Promise<Installation> {
  const installation = await createInstallation(url);
  installations.push(installation);
  return installation;
}

async function succeed(environment: Record<string, string>, ...words: string[]): Promise<string> {
  const { code, out, err } = await runBerth(environment, ...words);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

async function expectSites({ visit }: TestClient, expected: readonly CreatedDeployment[] = sites, files = SITES) {
  for (const [i, { deployment }] of expected.entries())
    for (const [path, bytes] of Object.entries(files[i]!))
      expect((await visit(deployment, `/${path.replace(/index\.html$/, '')}`)).bytes.equals(Buffer.from(bytes))).toBe(
        true,
      );
}

/** Checks that a refused restore has changed nothing: the same installation accepts the undamaged backup. */
async function expectUntouched(installation: Installation): Promise<void> {
  expect(await installation.query('select 1 from account union all select 1 from pack')).toEqual([]);
  await succeed(installation.env, 'restore', full);
  expect(await findProblems(installation)).toEqual([]);
}

describe('api §12: a restored backup', () => {
  /** Creates what depends on SECRET_KEY. @returns A check of it on another server. */
  async function createKeyed() {
    const { account, key } = await server().account('scale');
    const published = await server().publish({ 'index.html': 'protected' }, { key, fields: { password: PASSWORD } });
    const unlocked = await enterPassword(server(), published.deployment, { password: PASSWORD });
    const Cookie = cookieOf(unlocked);
    const domain = `backup-${account.slice(4, 12)}.com`;
    await server().api(`/domains/${domain}`, { method: 'PUT', key, json: { deployment: published.deployment } });
    const recordsOf = async ({ api }: Pick<TestClient, 'api'>) =>
      (await api(`/domains/${domain}/records`, { key })).json<DomainRecords>().records;
    const page = (await server().api('/activities?limit=1', { key })).json<ActivityPage>();
    const path = `/activities?limit=5&cursor=${page.nextCursor}`;
    const rest = (await server().api(path, { key })).json<ActivityPage>();
    const records = await recordsOf(server());
    expect(records.map(({ type }) => type)).toContain('TXT');
    return async (client: TestClient) => {
      expect(await recordsOf(client)).toEqual(records);
      expect((await client.api(path, { key })).json()).toEqual(rest);
      const visit = await client.visit(published.deployment, '/', { headers: { Cookie } });
      expect([visit.status, visit.text]).toEqual([200, 'protected']);
      expect((await client.visit(published.deployment, '/')).status).toBe(401);
    };
  }

  const versions = [
    { version: 18, start: () => Promise.resolve({ url: undefined, stop: () => Promise.resolve() }) },
    ...OLDER_POSTGRES,
  ];
  it.each(versions)(
    'serves every site byte for byte on PostgreSQL $version, and keeps keys, TXT records, unlock cookies and cursors',
    async ({ start }) => {
      const check = await createKeyed();
      const file = join(folder, 'keyed.tar');
      const printed = await succeed(env, 'backup', file);
      expect(printed).toMatch(/^Wrote .*keyed\.tar: \d+ deployments of \d+ accounts, .* in \d/);
      expect(printed).toContain('It contains SECRET_KEY');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const postgres = await start();
      try {
        const installation = await install(postgres.url);
        expect(await succeed(installation.env, 'restore', file)).toMatch(/^Restored the backup of .*doctor/s);
        expect(await findProblems(installation)).toEqual([]);
        await whileServing({ env: { ...installation.env, ...ADDRESSES } }, async (client) => {
          await expectSites(client);
          await check(client);
          const { deployment } = await client.publish({ 'index.html': 'after' });
          expect((await client.visit(deployment)).text).toBe('after');
        });
        const key = await readFile(join(installation.dataDir, 'secret-key'), 'utf8');
        expect(key).toBe(await readFile(join(server().dataDir, 'secret-key'), 'utf8'));
      } finally {
        await postgres.stop();
      }
    },
  );

  it('is complete with its increments, which contain only new packs', async () => {
    const files = { 'index.html': 'later', 'b.bin': randomBytes(300_000) };
    const first = await server().publish(files);
    const increments = [join(folder, 'inc1.tar'), join(folder, 'inc2.tar')];
    await succeed(env, 'backup', increments[0]!, '--since', full);
    const second = await server().publish({ ...files, 'c.txt': 'more' });
    await succeed(env, 'backup', increments[1]!, '--since', increments[0]!);
    expect((await stat(increments[0]!)).size).toBeGreaterThan(300_000);
    expect((await stat(increments[0]!)).size).toBeLessThan(400_000);
    expect((await stat(increments[1]!)).size).toBeLessThan(100_000);
    const installation = await install();
    await succeed(installation.env, 'restore', full, ...increments);
    expect(await findProblems(installation)).toEqual([]);
    await whileServing(installation, async (client) => {
      await expectSites(client);
      await expectSites(client, [first, second], [files, { ...files, 'c.txt': 'more' }]);
    });
    const other = await install();
    expect((await runBerth(other.env, 'restore', full, increments[1]!)).err).toMatch(/does not continue .*full\.tar/);
    expect((await runBerth(other.env, 'restore', increments[0]!)).err).toMatch(/is an increment of the backup/);
    await expectUntouched(other);
  });

  it('can be written to standard output and read from standard input', async () => {
    const file = join(folder, 'stream.tar');
    const installation = await install();
    const pipe = (environment: Record<string, string>, command: string) =>
      promisify(execFile)('sh', ['-c', `"$NODE" "$MAIN" ${command}`], {
        env: { PATH: process.env['PATH']!, NODE: process.execPath, MAIN, FILE: file, ...environment },
      });
    const written = await pipe(env, 'backup - > "$FILE"');
    expect(written).toEqual({ stdout: '', stderr: expect.stringMatching(/^Wrote the backup: /) });
    const restored = await pipe(installation.env, 'restore - < "$FILE"');
    expect(restored).toEqual({ stdout: expect.stringMatching(/^Restored the backup of /), stderr: '' });
    await whileServing(installation, (client) => expectSites(client));
  });
});

describe('api §12: a backup with a damaged byte', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await createInstallation();
  });
  afterAll(() => installation.remove());

  async function expectRefused(change: (file: string, bytes: Buffer) => Promise<void>, message: RegExp): Promise<void> {
    const file = join(folder, 'damaged.tar');
    const bytes = await readFile(full);
    await writeFile(file, bytes);
    await change(file, bytes);
    const { code, err } = await runBerth(installation.env, 'restore', file);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) });
    expect(err).toContain('damaged.tar is damaged');
    expect(await installation.query('select 1 from account union all select 1 from pack')).toEqual([]);
    const files = await readdir(installation.dataDir, { recursive: true, withFileTypes: true });
    expect(files.filter((entry) => entry.isFile())).toEqual([]);
  }

  const positions: [string, (bytes: Buffer) => number, RegExp][] = [
    ['the first head', () => 20, /damaged after the beginning, at byte 0/],
    ['the manifest', (bytes) => bytes.indexOf('"berth-backup"'), /damaged in manifest\.json, between byte 1536 and/],
    [
      'the rows',
      (bytes) => bytes.indexOf('path=rows/deployment/') + 1_100,
      /damaged in rows\/deployment\/00000001\.copy\.zst/,
    ],
    ['the head of a pack', (bytes) => bytes.indexOf('path=packs/') + 1_100 - 512, /damaged after .*, at byte \d+/],
    [
      'the second part of a pack',
      (bytes) => bytes.lastIndexOf('/00000002') + 2_000,
      /damaged in packs\/[\w-]+\/00000002, between byte \d+ and \d+/,
    ],
    ['the padding', (bytes) => bytes.indexOf('PaxHeader/secret-key') - 1, /damaged in manifest\.json/],
    ['the last member', (bytes) => bytes.lastIndexOf('"members"'), /damaged in end\.json/],
    ['the end of the archive', (bytes) => bytes.length - 1, /damaged after end\.json/],
  ];
  it.each(positions)('in %s is refused with its place, and changes nothing', (_, positionOf, message) =>
    expectRefused(async (file, bytes) => {
      bytes[positionOf(bytes)]! ^= 4;
      await writeFile(file, bytes);
    }, message),
  );

  it.each<[string, (file: string, bytes: Buffer) => Promise<void>, RegExp]>([
    ['truncated', (file, { length }) => truncate(file, length - 3_000_000), /it ends at byte \d+/],
    ['truncated by its last byte', (file, { length }) => truncate(file, length - 1), /it ends at byte \d+/],
    ['extended by a byte', (file) => appendFile(file, 'x'), /bytes follow the end of the archive/],
    [
      'without a member',
      (file, bytes) => writeFile(file, withoutMember(bytes)),
      /members were added, removed or exchanged/,
    ],
  ])('or %s is refused with its place, and changes nothing', (_, change, message) => expectRefused(change, message));

  it('leaves an installation into which an undamaged backup can be restored', async () => {
    await succeed(installation.env, 'restore', full);
    expect(await findProblems(installation)).toEqual([]);
  });

  /** Removes the rows of the last activities, with their head. */
  function withoutMember(bytes: Buffer): Buffer {
    const start = bytes.indexOf('PaxHeader/00000001.copy.zst', bytes.indexOf('path=rows/issued_id/') - 600);
    const next = bytes.indexOf('PaxHeader/', start + 10);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(next)]);
  }
});

describe('api §12: a restore', () => {
  const refuse = async (installation: Pick<Installation, 'env'>, message: RegExp, ...words: string[]) =>
    expect(await runBerth(installation.env, 'restore', ...words)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(message),
    } satisfies Outcome);

  it('refuses an installation that is not empty, and names what it contains', async () => {
    const before = await server().database.query('select id from deployment order by id');
    await refuse({ env }, /not empty: it contains .*\d+ rows? in "account"/, full);
    expect(await server().database.query('select id from deployment order by id')).toEqual(before);
    await whileServing({ env: { ...env, JOBS: 'off' } }, (client) => expectSites(client));
  });

  it('needs the key of the backup, unless the operator accepts another one', async () => {
    const file = join(folder, 'keyless.tar');
    expect(await succeed(env, 'backup', file, '--without-key')).toContain('does not contain SECRET_KEY');
    const secret = (await readFile(join(server().dataDir, 'secret-key'), 'utf8')).trim();
    expect((await readFile(file)).includes(secret)).toBe(false);
    const installation = await install();
    await refuse(installation, /does not contain SECRET_KEY, and no key is configured/, file);
    const wrong = { env: { ...installation.env, SECRET_KEY: 'a1'.repeat(32) } };
    await refuse(wrong, /The key of the backup is not the SECRET_KEY of the environment/, file);
    await refuse(wrong, /The key of the backup is not the SECRET_KEY of the environment/, full);
    await succeed({ ...installation.env, SECRET_KEY: secret }, 'restore', file);
    const other = await install();
    await succeed(other.env, 'restore', file, '--new-key');
    expect(await findProblems(other)).toEqual([]);
    expect(await readFile(join(other.dataDir, 'secret-key'), 'utf8')).not.toContain(secret);
  });

  it('is complete or leaves nothing, when it is killed at any step', async () => {
    for (const step of ['rows-loaded', 'pack-written', 'committing', 'committed']) {
      const installation = await install();
      const killed = await spawnBerth({ ...installation.env, FAILPOINT: `restore.${step}` }, 'restore', full);
      expect({ step, code: killed.code }).toEqual({ step, code: null });
      if (step === 'committed') await refuse(installation, /not empty/, full);
      else {
        const doctor = await runBerth(installation.env, 'doctor');
        expect(doctor).toMatchObject({ code: 1, err: expect.stringMatching(/A restore into .* was interrupted/) });
        await succeed(installation.env, 'restore', full);
      }
      expect(await findProblems(installation)).toEqual([]);
      await whileServing(installation, (client) => expectSites(client));
    }
  });
});

describe('api §12: a backup', () => {
  it('replaces an older file only when it is complete', async () => {
    const file = join(folder, 'again.tar');
    await writeFile(file, 'older');
    const killed = await spawnBerth({ ...env, FAILPOINT: 'backup.pack-written' }, 'backup', file);
    expect(killed.code).toBe(null);
    expect(await readFile(file, 'utf8')).toBe('older');
    await succeed(env, 'backup', file);
    expect((await stat(file)).size).toBeGreaterThan(5_000_000);
  });

  it('refuses an increment of another installation, or in place of the backup that it continues', async () => {
    const file = join(folder, 'other.tar');
    const other = { ...env, SECRET_KEY: 'a1'.repeat(32) };
    expect((await runBerth(other, 'backup', file, '--since', full)).err).toMatch(/is a backup of another installation/);
    expect((await runBerth(env, 'backup', full, '--since', full)).code).toBe(2);
    await expect(stat(file)).rejects.toThrow('ENOENT');
  });

  it('W6: keeps every pack of its snapshot while deployments are published, deleted and swept', async () => {
    const { core } = server().berth;
    const before: CreatedDeployment[] = [];
    for (let i = 0; i < 20; i += 1)
      before.push(await server().publish({ 'index.html': `${i}`, 'x.bin': randomBytes(9_000) }));
    let running = true;
    const file = join(folder, 'busy.tar');
    const traffic = (async () => {
      for (let i = 0; running; i += 1) {
        const { deployment } = await server().publish({ 'index.html': `during ${i}` });
        await server().api(`/deployments/${deployment}`, { method: 'DELETE' });
        const old = before[i];
        if (old) await server().api(`/deployments/${old.deployment}`, { method: 'DELETE' });
        await sweep(core, { graceMs: 0, fenceWaitMs: 2_000 });
      }
    })();
    // A pack is removed only while no backup holds it, so each backup has either read a pack or never referred to it.
    try {
      for (let round = 0; round < 2; round += 1) {
        await succeed(env, 'backup', file);
        const installation = await install();
        await succeed(installation.env, 'restore', file);
        expect(await findProblems(installation)).toEqual([]);
        await whileServing(installation, async (client) => expectSites(client));
      }
    } finally {
      running = false;
      await traffic;
    }
    const swept = await sweep(core, { graceMs: 0 });
    expect(swept.fenced).toBe(true);
    expect(await server().database.query(`select 1 from pack where state = 'dead'`)).toEqual([]);
  });
});
