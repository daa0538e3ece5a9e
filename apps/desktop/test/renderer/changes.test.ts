import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import type { Publishing } from '../../src/shared/publishing.ts';
import { eventually } from '../harness/gallery/eventually.ts';
import { countMoments } from '../harness/gallery/moments.ts';
import { appState, deploymentId, folder, id, published, publishing } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';

const EMPTY = stateNamed('publish-empty');

/** The focused element: its tag and its label or text. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { tagName, textContent, ariaLabel } = document.activeElement!;
    return `${tagName} ${ariaLabel ?? textContent}`;
  });

const sending = (bytes: number): Publishing =>
  publishing(1, {
    is: 'working',
    progress: { phase: 'sending', done: { files: 1, bytes }, total: { files: 9, bytes: 900 }, bytesPerSecond: null },
  });

describeWindow('the window while the app reports changes (desktop §8)', (gallery) => {
  it('renders only the card of a hundred whose progress changes', async () => {
    const others = Array.from({ length: 99 }, (_, number) => publishing(number + 2, published(number + 2)));
    const { page, emit, close } = await gallery.open({
      ...EMPTY,
      state: appState({ publishings: [sending(0), ...others] }),
    });
    const moments = await countMoments(page);
    for (const bytes of [100, 200, 300, 900]) await emit('publishings', [sending(bytes), ...others]);
    await eventually(() => page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100');
    expect(await moments()).toBe(0);
    await close();
  });

  it('moves the focus to the card when its focused button is removed, and to the page when the card is', async () => {
    const { page, emit, close } = await gallery.open({ ...EMPTY, state: appState({ publishings: [sending(1)] }) });
    await page.getByRole('button', { name: 'Cancel dist' }).focus();
    await emit('publishings', [publishing(1, { is: 'cancelled' })]);
    await eventually(() => focused(page)).toBe('ARTICLE dist');
    await page.getByRole('button', { name: 'Dismiss dist' }).focus();
    await emit('publishings', []);
    await eventually(() => focused(page)).toBe('DIV Publish: content');
    await close();
  });

  it('focuses the heading of a page that is opened from the menu', async () => {
    const { page, emit, close } = await gallery.open(EMPTY);
    await page.getByRole('button', { name: 'Choose folder…' }).focus();
    await emit('navigate', { page: 'settings' });
    await eventually(() => focused(page)).toBe('H1 Settings');
    await close();
  });

  it('returns the focus to a row when its form is closed', async () => {
    const { page, close } = await gallery.open(stateNamed('sites-list'));
    await page.getByRole('button', { name: `More about ${deploymentId(2)}` }).click();
    await page.getByRole('menuitem', { name: 'Labels…' }).click();
    await page.getByLabel(`Labels of ${deploymentId(2)}`).press('Escape');
    await page.getByRole('button', { name: `More about ${deploymentId(2)}` }).waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-posinset'))).toBe('3');
    await close();
  });

  it('keeps the focused row in the DOM when it is scrolled out of view', async () => {
    const { page, close } = await gallery.open(stateNamed('sites-list'), { viewport: { width: 680, height: 480 } });
    const link = page.getByRole('link', { name: deploymentId(0) });
    await link.focus();
    await page.locator('.page-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
    await page.getByRole('listitem').last().waitFor();
    await eventually(() => page.getByRole('listitem').last().getAttribute('aria-posinset')).not.toBe('1');
    expect(await link.evaluate((it) => it === document.activeElement)).toBe(true);
    await close();
  });

  it('does not announce drops that existed before the window opened', async () => {
    const { page, emit, close } = await gallery.open(stateNamed('publish-published'));
    const announcements = page.getByTestId('announcements');
    expect(await announcements.textContent()).toBe('');
    await emit('publishings', [publishing(1, { is: 'cancelled' })]);
    await eventually(() => announcements.textContent()).toBe('dist was cancelled.');
    await close();
  });

  it('focuses the card that a notification navigates to, even if the card appears later', async () => {
    const { page, emit, close } = await gallery.open(EMPTY);
    await emit('navigate', { page: 'folders', id: id(101) });
    await page.getByRole('heading', { name: 'Folders' }).waitFor();
    await emit('folders', [folder(1, 'harbour-notes', { is: 'live' })]);
    await eventually(() => focused(page)).toBe('ARTICLE harbour-notes');
    await close();
  });

  it('counts the folders with problems in the sidebar, and does not announce download progress', async () => {
    const { page, emit, close } = await gallery.open(stateNamed('folders-problems'));
    await page.getByRole('button', { name: 'Folders: 1 failed, 3 with nothing to publish' }).waitFor();
    await emit('update', { is: 'downloading', version: '0.2.0', percent: 12 });
    expect(await page.getByText('Updating… 12%').evaluate((it) => it.closest('[aria-live]')?.ariaLive)).toBe('off');
    await close();
  });
});
