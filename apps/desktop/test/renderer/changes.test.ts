import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { eventually, focused, isFocused } from '@berth/ui/testing/page';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { deploymentId, ownSite } from '@berth/ui/testing/samples';
import {
  appState,
  folder,
  grantOf,
  id,
  published,
  publishing,
  sendingProgress,
  UNREACHABLE,
  workingJob,
} from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';
import { chooseFromMenu, drag, dropFolder } from '../harness/gallery/window.ts';

const EMPTY_STATE = stateNamed('publish-empty');
const FOLDER = { grant: grantOf(7), name: 'dist', kind: 'folder' };

/** Counts the renders of `Moment` from now on. Each card and row renders its `Moment` whenever it renders itself. */
async function countMoments(page: Page): Promise<() => Promise<number>> {
  const moments = await page.evaluateHandle(() => {
    const renderCount = { count: 0 };
    const { toISOString } = Date.prototype;
    Object.assign(Date.prototype, {
      toISOString(this: Date) {
        renderCount.count += 1;
        return toISOString.call(this);
      },
    });
    return renderCount;
  });
  return () => moments.evaluate(({ count }) => count);
}

describeWindow('the window while the app reports changes (desktop §8)', (gallery) => {
  it('the window shows a problem and a page that the app sends before the window is drawn', async () => {
    const { page, emit, answer } = await gallery.open(
      { ...EMPTY_STATE, state: null },
      { answers: { readState: { later: true } } },
    );
    await page.getByRole('status', { name: 'Starting' }).waitFor();
    await emit('problem', { problem: UNREACHABLE });
    await emit('navigate', { page: 'folders' });
    await answer('readState', { value: appState() });
    await page.getByRole('alert').filter({ hasText: UNREACHABLE.message }).waitFor();
    await page.getByRole('main', { name: 'folders' }).waitFor();
  });

  it.each([
    { where: 'the window', width: 900, at: EMPTY_STATE },
    { where: 'the drop window', width: 300, at: stateNamed('drop-window-empty') },
  ])('a folder that is dropped while $where starts is published once it has started', async ({ width, at }) => {
    const { page, sent, answer } = await gallery.open(
      { ...at, state: null },
      { answers: { readState: { later: true }, grant: { value: [FOLDER] } } },
    );
    await page.getByRole('status', { name: 'Starting' }).waitFor();
    await drag(page, 'dragEnter', width - 10);
    await page.getByText('Drop to publish').waitFor();
    await dropFolder(page, width - 10);
    await page.getByText('Drop to publish').waitFor({ state: 'detached' });
    await answer('readState', { value: appState() });
    await eventually(() => sent('publish')).toMatchObject([{ grants: [FOLDER.grant] }]);
  });

  it('a folder that is dropped while the window starts is not published before the user has chosen a server', async () => {
    const { page, sent, answer, emit } = await gallery.open(
      { ...EMPTY_STATE, state: null },
      { answers: { readState: { later: true }, grant: { value: [FOLDER] } } },
    );
    await page.getByRole('status', { name: 'Starting' }).waitFor();
    await dropFolder(page, 100);
    const { settings } = appState();
    await answer('readState', { value: appState({ settings: { ...settings, welcomed: false } }) });
    await page.getByRole('heading').first().waitFor();
    await emit('settings', settings);
    await page.getByRole('navigation').waitFor();
    await dropFolder(page, 100);
    await eventually(() => sent('publish')).toHaveLength(1);
    expect(await sent('grant')).toHaveLength(1);
  });

  it('a change in the progress of a drop does not render the cards of the ninety-nine other drops', async () => {
    const otherJobs = Array.from({ length: 99 }, (_, number) => publishing(number + 2, published(number + 2)));
    const { page, emit } = await gallery.open({
      ...EMPTY_STATE,
      state: appState({ publishings: [workingJob(1, 'dist', sendingProgress(0)), ...otherJobs] }),
    });
    const moments = await countMoments(page);
    for (const bytes of [100, 200, 300, 900])
      await emit('publishings', [workingJob(1, 'dist', sendingProgress(bytes)), ...otherJobs]);
    await eventually(() => page.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('100');
    expect(await moments()).toBe(0);
  });

  it('typing an option of the next drop does not render the cards', async () => {
    const { page } = await gallery.open(stateNamed('publish-published'));
    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    const moments = await countMoments(page);
    await page.getByLabel('Domain').pressSequentially('docs');
    await page.getByText('docs', { exact: true }).waitFor();
    expect(await moments()).toBe(0);
  });

  it('the focus moves to the card when its focused button is removed, and to the page when the card is removed', async () => {
    const { page, emit } = await gallery.open({
      ...EMPTY_STATE,
      state: appState({ publishings: [workingJob(1, 'dist', sendingProgress(1))] }),
    });
    await page.getByRole('button', { name: 'Cancel dist' }).focus();
    await emit('publishings', [publishing(1, { is: 'cancelled' })]);
    await eventually(() => focused(page)).toBe('ARTICLE dist');
    await page.getByRole('button', { name: 'Dismiss dist' }).focus();
    await emit('publishings', []);
    await eventually(() => focused(page)).toBe('DIV Publish: content');
  });

  it('the heading of a page that the user opens from the menu has the focus', async () => {
    const { page, emit } = await gallery.open(EMPTY_STATE);
    await page.getByRole('button', { name: 'Choose folder…' }).focus();
    await emit('navigate', { page: 'settings' });
    await eventually(() => focused(page)).toBe('H1 Settings');
  });

  it('the row of a site has the focus after its form is closed', async () => {
    const { page } = await gallery.open(stateNamed('sites-list'));
    const row = page.getByRole('listitem').filter({ hasText: 'Handbook' });
    await chooseFromMenu(page, 'Handbook', 'Labels…');
    await page.getByRole('dialog').getByRole('textbox').press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(() => row.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  });

  it('the focused row of a list stays in the DOM when it is scrolled out of view', async () => {
    const sites = Array.from({ length: 100 }, (_, number) => ownSite(number));
    const { page } = await gallery.open(stateNamed('sites-list'), { answers: { listSites: { value: { sites } } } });
    const link = page.getByRole('link', { name: deploymentId(0) });
    await link.focus();
    await page.locator('.page-body').evaluate((body) => body.scrollTo(0, body.scrollHeight));
    await page.getByRole('listitem').last().waitFor();
    await eventually(() => page.getByRole('listitem').last().getAttribute('aria-posinset')).not.toBe('1');
    expect(await isFocused(link)).toBe(true);
  });

  it('the window does not announce drops that existed before it opened', async () => {
    const { page, emit } = await gallery.open(stateNamed('publish-published'));
    const announcements = page.getByTestId('announcements');
    expect(await announcements.textContent()).toBe('');
    await emit('publishings', [publishing(1, { is: 'cancelled' })]);
    await eventually(() => announcements.textContent()).toBe('dist was cancelled.');
  });

  it('the card that a notification navigates to has the focus, even if the card appears after the event', async () => {
    const { page, emit } = await gallery.open(EMPTY_STATE);
    await emit('navigate', { page: 'folders', id: id(101) });
    await page.getByRole('heading', { name: 'Folders' }).waitFor();
    await emit('folders', [folder(1, 'harbour-notes', { is: 'live' })]);
    await eventually(() => focused(page)).toBe('ARTICLE harbour-notes');
  });

  it('the sidebar counts the folders with problems, and does not announce the progress of an update', async () => {
    const { page, emit } = await gallery.open(stateNamed('folders-problems'));
    await page.getByRole('button', { name: 'Folders: 1 failed, 3 with nothing to publish' }).waitFor();
    await emit('update', { is: 'downloading', version: '0.2.0', percent: 12 });
    const progress = page.locator('[aria-live]', { hasText: 'Updating… 12%' }).last();
    expect(await progress.getAttribute('aria-live')).toBe('off');
  });
});
