import { startServer } from '@berth/testing/server';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { folderCard, goTo, linkOn, publishingCard, untilSays, watchFolder } from '../harness/app/cards.ts';
import { makeSite, writeContents } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const suite = desktopSuite();
const seen = async (address: string) => (await suite.server.visit(address)).text;

/** Signs in as a user does: opens Settings and enters the key. */
async function signIn(page: Page, key: string): Promise<void> {
  await goTo(page, 'Settings');
  const form = page.getByRole('form', { name: 'Sign in' });
  await form.getByLabel('API key').fill(key);
  await form.getByRole('button', { name: 'Sign in' }).click();
}

it('an anonymous drop gets a link at once and shows when it expires; claimed after signing in, it does not expire (desktop §8.8)', async () => {
  const { key } = await suite.server.account();
  const { page, drop, main } = await suite.start();
  await drop(makeSite('stray', { 'index.html': 'found' }));
  const card = publishingCard(page, 'stray');
  await card.getByText('Link copied').waitFor();
  const link = await linkOn(card);
  expect(await seen(link)).toBe('found');
  await card.getByText(/^Expires in (3 days|2 days 23 hours)/).waitFor();
  await card.getByRole('button', { name: 'Copy claim link' }).click();
  await expect.poll(() => main.fake.machine.clipboard).toMatch(/\/claim\//);

  await card.getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, key);
  await page.getByText(/^Signed in as/).waitFor();
  await goTo(page, 'Publish');
  await card.getByRole('button', { name: 'Claim it' }).click();
  await card.getByText('Expires in').waitFor({ state: 'detached' });
  expect(await card.getByRole('button', { name: 'Claim it' }).count()).toBe(0);
  expect(await suite.deployments(key)).toEqual([new URL(link).hostname.split('.')[0]]);
  const [{ expires }] = (await suite.server.database.query('select expires from deployment where id = $1', [
    new URL(link).hostname.split('.')[0],
  ])) as [{ expires: Date | null }];
  expect(expires).toBeNull();
});

it('an anonymous deployment can still be claimed after a restart (desktop §8.8)', async () => {
  const desktop = await suite.start();
  await desktop.drop(makeSite('kept', { 'index.html': 'kept' }));
  await publishingCard(desktop.page, 'kept').getByText('Link copied').waitFor();
  await desktop.quit();
  await desktop.start();
  const card = publishingCard(desktop.page, 'kept');
  await card.getByRole('button', { name: 'Copy claim link' }).waitFor();
  expect(await seen(await linkOn(card))).toBe('kept');
});

it('an invalid key does not sign in, and the error is shown in the sign-in form (issue: signing in)', async () => {
  const { page, state } = await suite.start();
  await signIn(page, 'ship-ffffffffffffffffffffffffffffffff');
  const form = page.getByRole('form', { name: 'Sign in' });
  await form.getByRole('alert').waitFor();
  expect((await state()).session.servers[0]?.signIn.is).toBe('signed-out');
  await form.getByLabel('API key').fill('not a key at all');
  await form.getByRole('button', { name: 'Sign in' }).click();
  await form.getByRole('alert').waitFor();
  expect((await state()).session.servers[0]?.signIn.is).toBe('signed-out');
});

it('the user stays signed in after a restart, and neither the state nor the page contains the key (desktop §6)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start();
  await signIn(desktop.page, key);
  await desktop.page.getByText(/^Signed in as/).waitFor();
  await desktop.quit();
  await desktop.start();
  await vi.waitFor(async () => expect((await desktop.state()).session.servers[0]?.signIn.is).toBe('signed-in'), 10_000);
  expect(JSON.stringify(await desktop.state())).not.toContain(key.slice(5));
  expect(await desktop.page.content()).not.toContain(key.slice(5));
  const sent = desktop.main.fake.window().webContents.sent;
  expect(JSON.stringify(sent)).not.toContain(key.slice(5));
});

it('folders wait and say so after signing out, and resume after signing in again (issue: sign out)', async () => {
  const { key } = await suite.server.account();
  const desktop = await suite.start({ key });
  const { page } = desktop;
  const folder = makeSite('waiting', { 'index.html': 'one' });
  const address = await linkOn(await watchFolder(desktop, folder, 'signed-out'));
  await goTo(page, 'Settings');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await goTo(page, 'Folders');
  await untilSays(folderCard(page, 'waiting'), 'Signed out');
  writeContents(folder, { 'index.html': 'two' });
  await signIn(page, key);
  await page.getByText(/^Signed in as/).waitFor();
  await vi.waitFor(async () => expect(await seen(address)).toBe('two'), 10_000);
  await goTo(page, 'Folders');
  await untilSays(folderCard(page, 'waiting'), 'Up to date');
});

it('a revoked key is noticed at the next deploy: the folder says so, its site stays, and it resumes with another key (desktop §8.6)', async () => {
  const { key } = await suite.server.account();
  const made = await suite.server.api('/tokens', {
    method: 'POST',
    key,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ kind: 'api' }),
  });
  const { secret, token } = made.json<{ secret: string; token: string }>();
  const desktop = await suite.start({ key: secret });
  const { page } = desktop;
  const folder = makeSite('revoked', { 'index.html': 'one' });
  const card = await watchFolder(desktop, folder, 'key-revoked');
  const address = await linkOn(card);
  expect((await suite.server.api(`/tokens/${token}`, { method: 'DELETE', key })).status).toBeLessThan(300);
  writeContents(folder, { 'index.html': 'two' });
  await untilSays(card, 'Signed out');
  expect(await seen(address)).toBe('one');
  await goTo(page, 'Settings');
  await page.getByText('Your key no longer works').first().waitFor();

  await signIn(page, key);
  await page.getByText(/^Signed in as/).waitFor();
  await vi.waitFor(async () => expect(await seen(address)).toBe('two'), 10_000);
});

it('each of several servers has a separate account, and drops go to the current server (issue: several servers)', async () => {
  const other = await startServer();
  onTestFinished(() => other.close());
  const { key } = await suite.server.account();
  const { page, drop, state } = await suite.start({ key });
  await goTo(page, 'Settings');
  await page.getByLabel('Another server').fill('http://localhost:1');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('form', { name: 'Add a server' }).getByRole('alert').waitFor();
  expect((await state()).session.servers).toHaveLength(1);

  await page.getByLabel('Another server').fill(`localhost:${other.port}`);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('It is now in use').waitFor();
  const { session } = await state();
  expect(session.current).toBe(`http://localhost:${other.port}`);
  expect(session.servers.map(({ signIn }) => signIn.is)).toEqual(['signed-in', 'signed-out']);
  await goTo(page, 'Publish');
  await drop(makeSite('elsewhere', { 'index.html': 'on the other one' }));
  const card = publishingCard(page, 'elsewhere');
  await card.getByText('Link copied').waitFor();
  const link = await linkOn(card);
  expect(new URL(link).port).toBe(String(other.port));
  expect((await other.visit(link)).text).toBe('on the other one');
  expect(await suite.deployments(key)).toEqual([]);

  await goTo(page, 'Settings');
  await page.getByRole('button', { name: `Use localhost:${suite.server.port}` }).click();
  await vi.waitFor(async () => expect((await state()).session.current).toBe(suite.address), 10_000);
  await goTo(page, 'Publish');
  await drop(makeSite('here', { 'index.html': 'on the first one' }));
  await publishingCard(page, 'here').getByText('Link copied').waitFor();
  expect(await suite.deployments(key)).toHaveLength(1);
});
