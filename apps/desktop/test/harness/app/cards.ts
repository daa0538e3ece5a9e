import { basename } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { DesktopUnderTest } from './desktop.ts';
import type { MainProcess } from './main-process.ts';

/** The card of a drop, by the name of its folder. */
export function publishingCard(page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'Drops' }).getByRole('article', { name, exact: true });
}

/** The card of a watched folder. */
export function folderCard(page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'Watched folders' }).getByRole('article', { name, exact: true });
}

/** Opens a page of the window. */
export async function goTo(page: Page, name: 'Publish' | 'Folders' | 'Sites' | 'Domains' | 'Activity' | 'Settings') {
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
}

/** Waits until a card shows a link. @returns Its address. */
export function linkOn(card: Locator): Promise<string> {
  return card.getByRole('link').first().getAttribute('href').then(String);
}

/** Watches a folder as the user does: drops it on the right half and gives it a name. */
export async function watchFolder(
  { page, drop }: Pick<DesktopUnderTest<MainProcess>, 'page' | 'drop'>,
  path: string,
  domain: string,
): Promise<Locator> {
  await drop(path, 'right');
  const name = basename(path);
  const dialog = page.getByRole('dialog', { name: `Watch ${name}` });
  await nameFolder(dialog, domain);
  await dialog.getByRole('button', { name: 'Watch and publish' }).click();
  await dialog.waitFor({ state: 'detached' });
  const card = folderCard(page, name);
  await untilSays(card, 'Up to date');
  return card;
}

/** Replaces the suggested name in the watch dialog. */
export async function nameFolder(dialog: Locator, domain: string): Promise<void> {
  const address = dialog.getByRole('textbox', { name: 'Address' });
  // `fill` takes two steps: the suggestion must not arrive between them.
  await address.and(dialog.locator('[value]:not([value=""])')).waitFor();
  await address.fill(domain);
  await dialog.getByText('Checking availability').waitFor({ state: 'detached' });
}

/** Waits until the status line of a folder's card starts with these words. */
export async function untilSays(card: Locator, words: string): Promise<void> {
  await card
    .locator('.status-line')
    .filter({ hasText: new RegExp(`^\\s*${words}`) })
    .waitFor();
}
