import { randomBytes } from 'node:crypto';
import { DEPLOYMENT_ID, TOKEN_ID } from '@berth/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { LiveSiteCache } from '../../../src/services/sites/live-sites.ts';
import { ANONYMOUS, checksumsOf, createTestCore, deploySite, readSite, type TestFiles } from '@berth/testing/core';
import { expectSound } from '@berth/testing/invariants';

const test = await createTestCore();
const { caller } = await test.account();
afterAll(async () => {
  await expectSound(test);
  await test.close();
});

const deploy = async (files: TestFiles, fields: Record<string, string> = {}) =>
  (await deploySite(test.core, caller, files, { fields })).body;
const now = () => Math.floor(test.core.now().getTime() / 1000);

describe('api §3: a deploy with a credential', () => {
  it('T2: returns the deployment, whose files are served at once, unchanged, under their canonical names', async () => {
    const files = {
      '/index.html': '<h1>hello</h1>',
      './a/b/cafe\u0301.bin': randomBytes(3_000_000),
      empty: '',
      'twin.html': '<h1>hello</h1>',
    };
    const timeBefore = now();
    const body = await deploy(files);
    expect(body).toEqual({
      deployment: expect.stringMatching(DEPLOYMENT_ID),
      url: `https://${body.deployment}.sites.test`,
      files: 4,
      size: 3_000_028,
      status: 'success',
      password: false,
      via: 'api',
      by: 'api-key',
      token: expect.stringMatching(TOKEN_ID),
      labels: [],
      domains: [],
      created: expect.toSatisfy((created) => timeBefore <= created && created <= now()),
    });
    expect(body).not.toHaveProperty('warnings');
    const servedSite = (await readSite(test.core, body.deployment))!;
    expect(Object.keys(servedSite).toSorted()).toEqual(['a/b/caf\u00e9.bin', 'empty', 'index.html', 'twin.html']);
    for (const [name, bytes] of Object.entries(files))
      expect(servedSite[name.replace(/^\.?\//, '').normalize('NFC')]!.equals(Buffer.from(bytes)), name).toBe(true);
  });

  it('keeps paths unchanged, even if they have a meaning in SQL', async () => {
    const names = ['NULL', '{a}', 'a,b', "it's", '$1', ' x ', '__proto__', '日本', '(x)', "E'x'"];
    const files = names.map((name) => [name, `bytes of ${name}`] as const);
    const { deployment } = await deploy(files);
    const servedEntries = Object.entries((await readSite(test.core, deployment))!);
    expect(servedEntries.map(([path, bytes]) => [path, String(bytes)]).toSorted()).toEqual(files.toSorted());
  });

  it('T7: can have checksums in upper case, including the checksums of junk files, which are not published', async () => {
    const files = { '.DS_Store': 'junk', 'index.html': 'x', 'a/Thumbs.db': 'junk', '__MACOSX/._index.html': 'junk' };
    const body = await deploy(files, { checksums: checksumsOf(files).toUpperCase() });
    expect(body).toMatchObject({ files: 1, size: 1 });
    expect(Object.keys((await readSite(test.core, body.deployment))!)).toEqual(['index.html']);
    expect(await test.database.query(`select 1 from content where hash = sha256('junk')`)).toEqual([]);
  });

  it('stores each label once, in the order of the request, and `api` in place of a malformed via', async () => {
    const fields = { labels: '["true","null","true","1.5"]', via: '<script>', ttl: '3600' };
    const { deployment, created, ...body } = await deploy({ a: '1' }, fields);
    const labels = ['true', 'null', '1.5'];
    expect(body).toMatchObject({ labels, via: 'api', expires: created + 3600 });
    expect(body).not.toHaveProperty('claim');
    const stored = await test.database.query('select labels from deployment where id = $1', [deployment]);
    expect(stored).toEqual([{ labels }]);
  });

  it('S65: can have a ship.json of 256 KiB, but not of 256 KiB and one byte', async () => {
    const shipJsonOf = (bytes: number) => ({ 'ship.json': `{"a":"${'x'.repeat(bytes - 8)}"}` });
    expect(await deploy(shipJsonOf(256 * 1024))).toMatchObject({ size: 256 * 1024 });
    const shipJsonError = { code: 'validation_failed', details: { file: 'ship.json' } };
    await expect(deploy(shipJsonOf(256 * 1024 + 1))).rejects.toMatchObject(shipJsonError);
  });
});

describe('api §3: an anonymous deploy', () => {
  it('is public, expires after 3 days, and returns a claim URL, whose claim hash is stored only as a SHA-256', async () => {
    const fields = { labels: '["one"]', via: 'mcp' };
    const { body } = await deploySite(test.core, ANONYMOUS, { 'index.html': 'anonymous' }, { fields });
    expect(body).toMatchObject({
      password: false,
      labels: ['one'],
      via: 'mcp',
      expires: body.created + 3 * 86_400,
      claim: expect.stringMatching(/^https:\/\/api\.test\/claim\/[0-9a-f]{32}$/),
    });
    const secret = body.claim!.split('/').at(-1)!;
    const [row] = await test.database.query<{ kept: boolean; account_id: null }>(
      'select claim_hash = sha256($2) as kept, account_id from deployment where id = $1',
      [body.deployment, secret],
    );
    expect(row).toEqual({ kept: true, account_id: null });
    expect(await readSite(test.core, body.deployment)).not.toBeNull();
    expect(await test.database.query(`select 1 from activity where deployment = $1`, [body.deployment])).toEqual([]);
  });

  it('can have a password', async () => {
    const { body } = await deploySite(test.core, ANONYMOUS, { a: '1' }, { fields: { password: 'secret' } });
    expect(body).toMatchObject({ password: true });
  });
});

describe('api §3: the warnings of a deploy', () => {
  it('report invalid rule files, dot files, server code for other hosts, and names that differ only in case', async () => {
    const faultyFiles = ['_redirects', '_headers', 'ship.json', '.htaccess', 'a/.hidden/x', '_worker.js'];
    const caseTwins = ['page.html', 'PAGE.html'];
    const names = ['Page.html', ...caseTwins, ...faultyFiles, 'index.html', '.well-known/security.txt'];
    const body = await deploy(names.map((name) => [name, name === 'ship.json' ? '{"x": 1}' : name] as const));
    expect(body.files).toBe(names.length);
    expect(body.warnings!.map(({ file }) => file).toSorted()).toEqual([...faultyFiles, ...caseTwins].toSorted());
    for (const { file, message } of body.warnings!)
      expect(message).toMatch(caseTwins.includes(file) ? /^[A-Z].+Page\.html.+\.$/ : /^[A-Z].+\.$/);
  });

  it('name each file at the root that configures another host, and what replaces it (S23)', async () => {
    const advice = {
      'netlify.toml': '_redirects',
      'vercel.json': 'ship.json',
      'now.json': 'ship.json',
      'firebase.json': '_redirects',
      'staticwebapp.config.json': '_headers',
      'wrangler.toml': '_redirects',
      'wrangler.json': '_redirects',
      'wrangler.jsonc': '_redirects',
      CNAME: 'Link the domain',
      '_config.yml': '_site',
    };
    const { warnings } = await deploy([...Object.keys(advice), 'index.html'].map((name) => [name, name] as const));
    expect(warnings).toEqual(
      Object.entries(advice).map(([file, text]) => ({
        file,
        message: expect.stringMatching(new RegExp(`^Published like any other file, but not read: .*${text}.*\\.$`)),
      })),
    );
    expect(await deploy(Object.keys(advice).map((name) => [`docs/${name}`, name] as const))).not.toHaveProperty(
      'warnings',
    );
  });

  it('do not name the configuration of Jekyll if .nojekyll shows that the site is built', async () => {
    const { warnings } = await deploy({ 'index.html': 'x', '_config.yml': '', '.nojekyll': '' });
    expect(warnings!.map(({ file }) => file)).toEqual(['.nojekyll']);
  });

  it('are limited to 100 and a warning with the number of the remaining warnings', async () => {
    const { warnings } = await deploy(Array.from({ length: 150 }, (_, i) => [`.hidden-${i}`, ''] as const));
    expect(warnings).toHaveLength(101);
    expect(warnings!.at(-1)!.message).toContain('50 more');
  });
});

it('api §1: a site password protects the site and is stored only as an argon2id hash: no table contains its clear text', async () => {
  const password = 'correct horse battery';
  const fields = { password: `  ${password} ` };
  const { body } = await deploySite(test.core, caller, { a: '1' }, { fields, key: 'with-password' });
  expect(body).toMatchObject({ password: true });
  expect(JSON.stringify(body)).not.toContain(password);
  expect(await new LiveSiteCache(test.core).find({ deployment: body.deployment })).toMatchObject({
    passwordVersion: expect.any(String),
    anonymous: false,
  });
  const tables = await test.database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public'`,
  );
  for (const { name } of tables) {
    const tableDump = await test.database.query<{ row: string }>(`select t::text as row from "${name}" t`);
    const text = tableDump.map(({ row }) => row).join('\n');
    for (const form of [password, Buffer.from(password).toString('hex'), Buffer.from(password).toString('base64')])
      expect(text, name).not.toContain(form);
  }
  const [row] = await test.database.query<{ hash: string }>(
    'select password_hash as hash from deployment where id = $1',
    [body.deployment],
  );
  expect(row!.hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
});
