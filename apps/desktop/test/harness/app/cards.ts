import { basename } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import type { DesktopUnderTest } from './desktop.ts';
import type { MainProcess } from './main-process.ts';

/** Finds the card of a drop by the name of its folder. */
export function publishingCard(page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'Drops' }).getByRole('article', { name, exact: true });
}

/** Finds the card of a watched folder by its name. */
export function folderCard(page: Page, name: string): Locator {
  return page.getByRole('list', { name: 'Watched folders' }).getByRole('article', { name, exact: true });
}

/** Opens a page with the sidebar. */
export async function goTo(page: Page, name: 'Publish' | 'Folders' | 'Sites' | 'Domains' | 'Activity' | 'Settings') {
  await page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
}

/** Waits until a card shows a link. @returns The address of the link. */
export function linkOn(card: Locator): Promise<string> {
  return card.getByRole('link').first().getAttribute('href').then(String);
}

/** Drops a folder on the right half of the window and completes the watch dialog. @returns The card, once the folder is live. */
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
  await untilStatus(card, 'Up to date');
  return card;
}

/** Types a domain into the watch dialog, in place of the suggested name. */
export async function nameFolder(dialog: Locator, domain: string): Promise<void> {
  const address = dialog.getByRole('textbox', { name: 'Address' });
  // `fill` clears the field before it types, and a suggestion that arrives between the two steps would replace the text.
  await address.and(dialog.locator('[value]:not([value=""])')).waitFor();
  await address.fill(domain);
  await dialog.getByText('Checking availability').waitFor({ state: 'detached' });
}

/** Waits until the status line of a folder's card starts with a text. */
export async function untilStatus(card: Locator, text: string): Promise<void> {
  await card
    .locator('.status-line')
    .filter({ hasText: new RegExp(`^\\s*${text}`) })
    .waitFor();
}
