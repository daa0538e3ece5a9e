import { randomBytes } from 'node:crypto';
import { DEPLOYMENT_ID } from '@berth/contract';
import { afterAll, describe, expect, it } from 'vitest';
import { beginDeploy } from '../../../src/services/deployments/deploy.ts';
import { LiveSiteCache } from '../../../src/services/sites/live-sites.ts';
import { ANONYMOUS, checksumsOf, createTestCore, deploySite, readSite } from '@berth/testing/core';
import { expectSound } from '@berth/testing/invariants';

const test = await createTestCore();
const { caller } = await test.account();
afterAll(async () => {
  await expectSound(test);
  await test.close();
});

const now = () => Math.floor(test.core.now().getTime() / 1000);

describe('api §3: a deploy with a credential', () => {
  it('returns the deployment, and its site serves every byte at once', async () => {
    const files = {
      'index.html': '<h1>hello</h1>',
      'a/b/c.bin': randomBytes(3_000_000),
      empty: '',
      'twin.html': '<h1>hello</h1>',
    };
    const before = now();
    const { body, replayed } = await deploySite(test.core, caller, files);
    expect(replayed).toBe(false);
    expect(body).toEqual({
      deployment: expect.stringMatching(DEPLOYMENT_ID),
      url: `https://${body.deployment}.sites.test`,
      files: 4,
      size: 3_000_028,
      status: 'success',
      password: false,
      via: 'api',
      labels: [],
      created: expect.any(Number),
    });
    expect(body.created).toBeGreaterThanOrEqual(before);
    expect(body.created).toBeLessThanOrEqual(now());
    const served = (await readSite(test.core, body.deployment))!;
    expect(Object.keys(served).toSorted()).toEqual(Object.keys(files).toSorted());
    for (const [path, bytes] of Object.entries(files))
      expect(served[path]!.equals(Buffer.from(bytes)), path).toBe(true);
  });

  it('keeps paths unchanged, even those with a meaning in a database', async () => {
    const names = [
      'NULL',
      'null',
      '{a}',
      'a,b',
      "it's",
      '$1',
      ' x ',
      '__proto__',
      'constructor',
      '\u{1f600}',
      '日本',
      'a;drop table account',
      '(x)',
      'true',
      '-',
      "E'x'",
      '`',
      'CON',
    ];
    const files = names.map((name) => [name, `bytes of ${name}`] as const);
    const { body } = await deploySite(test.core, caller, files);
    const served = (await readSite(test.core, body.deployment))!;
    expect(
      Object.entries(served)
        .map(([path, bytes]) => [path, String(bytes)])
        .toSorted(),
    ).toEqual(files.toSorted());
  });

  it('T2: stores names in their canonical form', async () => {
    const { body } = await deploySite(test.core, caller, {
      '/index.html': '1',
      './a/b.html': '2',
      'cafe\u0301.html': '3',
    });
    expect(Object.keys((await readSite(test.core, body.deployment))!).toSorted()).toEqual([
      'a/b.html',
      'caf\u00e9.html',
      'index.html',
    ]);
  });

  it('accepts fields before and after the files', async () => {
    const files = { 'index.html': 'late fields' };
    const deploy = await beginDeploy({ core: test.core, caller }, null);
    deploy.form.add('labels', '["early"]');
    const sink = deploy.files.begin('index.html');
    await sink.write(Buffer.from('late fields'));
    sink.end();
    deploy.form.add('via', 'CLI');
    deploy.form.add('checksums', checksumsOf(files));
    const { body } = await deploy.commit();
    await deploy.close();
    expect(body).toMatchObject({ labels: ['early'], via: 'cli', files: 1 });
  });

  it('T7: accepts checksums in any case, and requires those of junk', async () => {
    const files = {
      '.DS_Store': 'junk',
      'index.html': 'x',
      'a/Thumbs.db': 'junk',
      '__MACOSX/._index.html': 'junk',
      'desktop.ini': '',
    };
    const { body } = await deploySite(test.core, caller, files, {
      fields: { checksums: checksumsOf(files).toUpperCase() },
    });
    expect(body).toMatchObject({ files: 1, size: 1 });
    expect(Object.keys((await readSite(test.core, body.deployment))!)).toEqual(['index.html']);
    const stored = await test.database.query(`select 1 from content where hash = sha256('junk')`);
    expect(stored).toEqual([]);
  });

  it.each([
    ['removes duplicate labels and keeps their order', ['bbb', 'aaa', 'bbb'], ['bbb', 'aaa']],
    ['keeps labels that have a meaning in a database', ['null', 'true', '123', '1.5'], ['null', 'true', '123', '1.5']],
  ])('%s', async (_, sent, kept) => {
    const { body } = await deploySite(test.core, caller, { a: '1' }, { fields: { labels: JSON.stringify(sent) } });
    expect(body.labels).toEqual(kept);
    expect(await test.database.query('select labels from deployment where id = $1', [body.deployment])).toEqual([
      { labels: kept },
    ]);
  });

  it.each([['1'], ['3600'], ['31536000']])('expires after its ttl of %s s', async (ttl) => {
    const { body } = await deploySite(test.core, caller, { a: '1' }, { fields: { ttl } });
    expect(body.expires).toBe(body.created + Number(ttl));
    expect(body.claim).toBeUndefined();
  });

  it('accepts a malformed via and stores `api` instead', async () => {
    const { body } = await deploySite(test.core, caller, { a: '1' }, { fields: { via: '<script>' } });
    expect(body.via).toBe('api');
  });
});

describe('api §3: an anonymous deploy', () => {
  it('is public, lives for 3 days and returns the claim URL, of which only a hash is stored', async () => {
    const { body } = await deploySite(test.core, ANONYMOUS, { 'index.html': 'anonymous' });
    expect(body).toMatchObject({
      password: false,
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

  it('can have labels, via and a password', async () => {
    const { body } = await deploySite(
      test.core,
      ANONYMOUS,
      { a: '1' },
      { fields: { labels: '["one"]', via: 'mcp', password: 'secret' } },
    );
    expect(body).toMatchObject({ labels: ['one'], via: 'mcp', password: true });
  });
});

describe('api §3: warnings', () => {
  it('are absent if there are none', async () => {
    const { body } = await deploySite(test.core, caller, { 'index.html': '1', '.well-known/security.txt': '2' });
    expect(body).not.toHaveProperty('warnings');
  });

  it('report invalid rule files, dot files, code of other hosts and names that differ only in case', async () => {
    const names = [
      '_redirects',
      '_headers',
      'ship.json',
      '.htaccess',
      'a/.hidden/x',
      '_worker.js',
      'Page.html',
      'page.html',
      'PAGE.html',
      'index.html',
    ];
    const { body } = await deploySite(
      test.core,
      caller,
      names.map((name) => [name, name === 'ship.json' ? '{"x": 1}' : name] as const),
    );
    expect(body.files).toBe(names.length);
    expect(body.warnings!.map(({ file }) => file).toSorted()).toEqual(
      names.filter((name) => name !== 'index.html' && name !== 'Page.html').toSorted(),
    );
    for (const { message } of body.warnings!) expect(message).toMatch(/^[A-Z].+\.$/);
  });

  it('are bounded: the last one counts the rest', async () => {
    const names = Array.from({ length: 150 }, (_, i) => [`.hidden-${i}`, ''] as const);
    const { body } = await deploySite(test.core, caller, names);
    expect(body.warnings).toHaveLength(101);
    expect(body.warnings!.at(-1)!.message).toContain('50 more');
  });
});

describe('api §1: a site password', () => {
  it('is stored only as an argon2id PHC string, and as clear text in no table', async () => {
    const password = 'correct horse battery';
    const { body } = await deploySite(
      test.core,
      caller,
      { a: '1' },
      { fields: { password: `  ${password} ` }, key: 'with-password' },
    );
    expect(body).toMatchObject({ password: true });
    expect(JSON.stringify(body)).not.toContain(password);
    const [row] = await test.database.query<{ password_hash: string }>(
      'select password_hash from deployment where id = $1',
      [body.deployment],
    );
    expect(row!.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    const tables = await test.database.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    for (const { name } of tables) {
      const dump = await test.database.query<{ row: string }>(`select t::text as row from "${name}" t`);
      const text = dump.map((line) => line.row).join('\n');
      for (const form of [password, Buffer.from(password).toString('hex'), Buffer.from(password).toString('base64')])
        expect(text, name).not.toContain(form);
    }
  });

  it('locks the site', async () => {
    const { body } = await deploySite(test.core, caller, { a: '1' }, { fields: { password: 'secret' } });
    expect(await new LiveSiteCache(test.core).find({ deployment: body.deployment })).toMatchObject({
      passwordVersion: expect.any(String),
      anonymous: false,
    });
  });
});
