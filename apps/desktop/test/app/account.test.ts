import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import { goTo, linkOn, publishingCard } from '../harness/app/cards.ts';
import { makeSite } from '../harness/app/folders.ts';
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
