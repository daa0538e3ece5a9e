import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { linkOn, publishingCard } from '../harness/app/cards.ts';
import { makeSite } from '../harness/app/folders.ts';
import { desktopSuite } from '../harness/app/suite.ts';

const suite = desktopSuite();
const MAX_KEYS = 60;

/** Presses Tab until the focused control has this name. @throws Error when no control has it. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let pressed = 0; pressed < MAX_KEYS; pressed += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      return activeElement?.getAttribute('aria-label') ?? activeElement?.textContent ?? '';
    });
    if (name.test(focused)) return;
  }
  throw new Error(`No control is named ${name}`);
}

it('a folder can be chosen and published, and its link copied and opened, with only the keyboard (desktop §8.26)', async () => {
  const { key } = await suite.server.account();
  const { page, main, ask } = await suite.start({ key });
  await ask('changeSettings', { copyLinks: false });
  main.fake.machine.chosen = [makeSite('typed', { 'index.html': 'by keys' })];
  await tabTo(page, /^Choose folder/);
  await page.keyboard.press('Enter');
  const card = publishingCard(page, 'typed');
  await card.getByText('Published', { exact: true }).waitFor();
  const link = await linkOn(card);
  expect(main.fake.machine.clipboard).toBe('');
  await tabTo(page, /^Copy link/);
  await page.keyboard.press('Space');
  await expect.poll(() => main.fake.machine.clipboard).toBe(link);
  expect((await suite.server.visit(link)).text).toBe('by keys');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => main.fake.recorder.of('shell.openExternal')).toEqual([[new URL(link).href]]);
});

it('a running drop can be cancelled, and an error dismissed, with only the keyboard (desktop §8.26)', async () => {
  const { key } = await suite.server.account();
  const proxy = await suite.proxy();
  const { page, main } = await suite.start({ key, server: proxy.url });
  const stalled = proxy.stallAfter(200_000);
  main.fake.machine.chosen = [makeSite('long', { 'index.html': 'x', 'film.bin': randomBytes(3_000_000) })];
  await tabTo(page, /^Choose folder/);
  await page.keyboard.press('Enter');
  await stalled;
  await tabTo(page, /^Cancel long/);
  await page.keyboard.press('Enter');
  await publishingCard(page, 'long').getByText('Nothing was published.').waitFor();
  proxy.flow();

  main.fake.machine.chosen = [makeSite('bad', { 'index.html': 'x', 'setup.exe': 'MZ' })];
  await tabTo(page, /^Choose folder/);
  await page.keyboard.press('Enter');
  await publishingCard(page, 'bad').getByText('Not published').waitFor();
  await tabTo(page, /^Dismiss( bad)?$/);
  await page.keyboard.press('Enter');
  await publishingCard(page, 'bad').waitFor({ state: 'detached' });
  expect(await suite.deployments(key)).toEqual([]);
});

it('screen readers announce the milestones and the end of a drop, not its progress numbers (desktop §8.26)', async () => {
  const { key } = await suite.server.account();
  const { page, drop } = await suite.start({ key });
  const announcements = page.getByTestId('announcements');
  await drop(makeSite('spoken', { 'index.html': 'x' }));
  await expect.poll(() => announcements.innerText()).toBe('spoken is published and its link is copied.');
  expect(await announcements.getAttribute('aria-live')).toBe('polite');
});
