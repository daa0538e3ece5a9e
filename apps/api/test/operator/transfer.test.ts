import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Activity, Domain } from '@berth/contract';
import { insertDomain } from '@berth/testing/domains';
import type { Files } from '@berth/testing/requests';
import { type TestServer, testEnvironment } from '@berth/testing/server';
import { useServer } from '@berth/testing/use-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, enterPassword } from '../site-host/unlocking.ts';
import { findProblems } from './installations.ts';
import { runBerth } from './run-berth.ts';

const source = useServer({ env: { PLATFORM_DOMAIN: 'source.test' } });
const target = useServer({ env: { PLATFORM_DOMAIN: 'target.test', ALLOW_INSECURE: 'on' } });
const FILES: Files = {
  'index.html': '<h1>Moved</h1>',
  'large.bin': randomBytes(4_500_000),
  'empty.txt': '',
  'copy.txt': 'x',
};
const PASSWORD = 'correct horse';

let folder: string;
let file: string;
let account: string;
let key: string;
let email: string;
let sites: { open: string; protected: string };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-transfer-'));
  file = join(folder, 'account.tar');
  ({ account, key } = await source().account('scale'));
  // Another account has stored a content first, so that the pack with it belongs to that account.
  await source().publish({ 'other.txt': 'secret of another account', 'copy.txt': 'x' });
  const open = await source().publish(FILES, { key, fields: { labels: '["moved"]' } });
  const closed = await source().publish({ 'index.html': 'protected' }, { key, fields: { password: PASSWORD } });
  sites = { open: open.deployment, protected: closed.deployment };
  for (const domain of ['shop.source.test', 'taken.source.test', 'www.example.com'])
    await source().api(`/domains/${domain}`, { method: 'PUT', key, json: { deployment: open.deployment } });
  await source().database.query(
    `update domain set status = 'success', verified = now() where name = 'www.example.com'`,
  );
  await insertDomain(target(), 'taken.target.test', { kind: 'platform' });
  [{ email }] = (await source().database.query<{ email: string }>(
    `select email from account where id = '${account}'`,
  )) as [{ email: string }];
  await run(source(), 'export', email, file);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function envOf({ database, dataDir, port, berth }: TestServer): Record<string, string> {
  return testEnvironment(database, dataDir, { PORT: String(port), PLATFORM_DOMAIN: berth.config.platformDomain });
}

async function run(server: TestServer, ...words: string[]): Promise<string> {
  const { code, out, err } = await runBerth(envOf(server), ...words);
  await server.berth.core.database.changes.catchUp();
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
}

const visit = (server: TestServer, name: string, path: string) =>
  server.visit(`http://${name}.${server.berth.config.platformDomain}`, path);

describe('api §12: an exported account', () => {
  it('contains no content of another account', async () => {
    const bytes = await readFile(file);
    expect(bytes.includes('<h1>Moved</h1>')).toBe(true);
    expect(bytes.includes('secret of another account')).toBe(false);
  });

  it('is refused unchanged if a byte is damaged, or if it is not an account', async () => {
    const bytes = await readFile(file);
    bytes[bytes.indexOf('<h1>Moved</h1>')]! ^= 1;
    const damaged = join(folder, 'damaged.tar');
    await writeFile(damaged, bytes);
    const before = await target().database.query(
      'select id from account union all select id::text from pack order by 1',
    );
    const { code, err } = await runBerth(envOf(target()), 'import', damaged);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/damaged in contents\/[0-9a-f]{64}\/00000001, between/),
    });
    expect(
      await target().database.query('select id from account union all select id::text from pack order by 1'),
    ).toEqual(before);
    const backup = join(folder, 'backup.tar');
    await run(source(), 'backup', backup);
    expect((await runBerth(envOf(target()), 'import', backup)).err).toMatch(/is a backup of an installation/);
    expect((await runBerth(envOf(target()), 'restore', file)).err).toMatch(/is an exported account, not a backup/);
  });

  it('is added to another installation with every file, its keys, passwords, domains and activities', async () => {
    const out = await run(target(), 'import', file);
    expect(out).toContain(`Added account ${account} of ${email} on plan scale: 2 deployments, 2 domains.`);
    expect(out).toContain('taken.target.test was left out');
    for (const [path, bytes] of Object.entries(FILES)) {
      const name = path.replace('index.html', '');
      const expected = await visit(source(), sites.open, `/${name}`);
      const moved = await visit(target(), sites.open, `/${name}`);
      expect([moved.status, moved.bytes.equals(expected.bytes), moved.bytes.equals(Buffer.from(bytes))]).toEqual([
        200,
        true,
        true,
      ]);
    }
    expect((await visit(target(), 'shop', '/')).text).toBe('<h1>Moved</h1>');
    const site = `http://${sites.protected}.target.test`;
    expect((await target().visit(site)).status).toBe(401);
    const Cookie = cookieOf(await enterPassword(target(), site, { password: PASSWORD }));
    expect((await target().visit(site, '/', { headers: { Cookie } })).text).toBe('protected');

    const domains = (await target().api('/domains', { key })).json<{ domains: Domain[] }>().domains;
    expect(domains.map(({ domain, status, deployment }) => ({ domain, status, deployment }))).toEqual([
      { domain: 'www.example.com', status: 'pending', deployment: sites.open },
      { domain: 'shop.target.test', status: 'success', deployment: sites.open },
    ]);
    const activitiesOf = async (server: TestServer) =>
      (await server.api('/activities?limit=100', { key })).json<{ activities: Activity[] }>().activities;
    const [created, ...moved] = await activitiesOf(target());
    expect(created).toMatchObject({ event: 'account.create' });
    const eventsOf = (activities: Activity[]) => activities.map(({ event, created }) => ({ event, created }));
    expect(eventsOf(moved)).toEqual(eventsOf(await activitiesOf(source())));
    expect(await findProblems({ env: envOf(target()) })).toEqual([]);
    const { deployment } = await target().publish({ 'index.html': 'new' }, { key });
    expect((await visit(target(), deployment, '/')).text).toBe('new');
  });

  it('gets other ids where its own are in use', async () => {
    expect((await runBerth(envOf(target()), 'import', file)).err).toBe(
      `${email} already has an account here. Import with --email and another address.\n`,
    );
    const out = await run(target(), 'import', file, '--email', 'again@example.com', '--plan', 'pro', '--json');
    const adopted = JSON.parse(out) as { account: string; renamed: { from: string; to: string }[]; takenKeys: number };
    expect(adopted.account).not.toBe(account);
    expect(adopted).toMatchObject({ plan: 'pro', deployments: 2, takenKeys: 2 });
    expect(adopted.renamed.map(({ from }) => from)).toEqual([sites.open, sites.protected].toSorted());
    const renamed = adopted.renamed.find(({ from }) => from === sites.open)!.to;
    expect((await visit(target(), renamed, '/')).text).toBe('<h1>Moved</h1>');
    expect(await findProblems({ env: envOf(target()) })).toEqual([]);
  });
});
