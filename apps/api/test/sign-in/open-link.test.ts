import { welcome } from '../../src/welcome.ts';
import { startServer, type TestServer, testEnvironment } from '@berth/testing/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBerth } from '../operator/run-berth.ts';
import { createBrowser, dataOf } from './browser.ts';

let server: TestServer;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startServer();
  env = testEnvironment(server.database, server.dataDir, { PORT: String(server.port) });
});
afterAll(() => server.close());

const secretOf = (url: string) => new URL(url).hash.slice('#first='.length);

it('api §13: the start shows a link on a terminal, else the command, until the owner has another way in', async () => {
  const { berth } = server;
  expect(await berth.openLink(false)).toBe('npm run berth -- sign-in');
  const url = (await berth.openLink(true))!;
  expect(url).toMatch(new RegExp(`^http://localhost:${server.port}/#first=[0-9a-f]{32}$`));
  expect(welcome(berth.config, { ownerKey: null, openLink: url })).toContain(`Open Berth: ${url}\n`);

  const browser = createBrowser(server.port);
  const target = dataOf(await browser.call('signIn.readLink', { secret: secretOf(url) }));
  expect(target).toEqual({ email: 'owner@localhost', expires: expect.any(Number) });
  expect((await browser.call('signIn.useLink', { secret: secretOf(url) })).status).toBe(200);
  expect((await browser.call('person.setPassword', { password: 'correct horse battery' })).status).toBe(200);
  for (const isTerminal of [true, false]) expect(await berth.openLink(isTerminal)).toBeNull();
  expect(welcome(berth.config, { ownerKey: null, openLink: null })).not.toContain('Open Berth');
});

it('T44: the link is not in the log, and reading it by GET opens nothing', async () => {
  const { out } = await runBerth(env, 'sign-in');
  const secret = secretOf(out.trim());
  await createBrowser(server.port).request(`/?first=${secret}`);
  const input = encodeURIComponent(JSON.stringify({ secret }));
  const got = await createBrowser(server.port).query(`signIn.useLink?input=${input}`);
  expect(got.status).toBe(405);
  expect((await createBrowser(server.port).call('signIn.readLink', { secret })).status).toBe(200);
  expect(JSON.stringify(server.logged)).not.toContain(secret);
});

it('api §13: the operator makes a link for any member, and for no one else', async () => {
  const { out, code } = await runBerth(env, 'sign-in', 'OWNER@localhost', '--json');
  expect(code).toBe(0);
  const link = JSON.parse(out) as { email: string; url: string; expires: number };
  expect(link).toMatchObject({ email: 'owner@localhost', expires: expect.any(Number) });
  expect((await createBrowser(server.port).call('signIn.useLink', { secret: secretOf(link.url) })).status).toBe(200);
  expect(await runBerth(env, 'sign-in', 'stranger@example.com')).toMatchObject({
    code: 1,
    err: expect.stringContaining('No account has the member stranger@example.com'),
  });
});
