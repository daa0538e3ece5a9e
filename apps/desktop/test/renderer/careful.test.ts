import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { eventually } from '../harness/gallery/eventually.ts';
import { countMoments } from '../harness/gallery/moments.ts';
import { deploymentId, folder, grant, problem } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';
import { useDrag } from '../harness/gallery/use-drag.ts';

const EMPTY = stateNamed('publish-empty');
const DIST = { grant: grant(7), name: 'dist', kind: 'folder' };
const OTHER_DIST = { grant: grant(8), name: 'dist', kind: 'folder' };
const FILE = { grant: grant(9), name: 'menu.pdf', kind: 'file' };
const FREE = { valid: true, normalized: 'docs.sites.example', available: true, reason: null };

describeWindow('the window, where it could do something unintended (desktop §8)', (gallery) => {
  const drag = useDrag();

  /** Drops a folder on the right half of the window, to watch it. */
  async function dropToWatch(page: Page) {
    for (const type of ['dragEnter', 'drop'] as const) await drag(page, type, 900);
  }

  it('does not publish while the typed password is invalid', async () => {
    const { page, sent, close } = await gallery.open(EMPTY, { answers: { pickFolder: { value: DIST } } });
    const options = page.getByRole('button', { name: 'Domain, password, labels' });
    await options.click();
    await page.getByLabel('Password', { exact: true }).fill('abc');
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await page.getByRole('alert').filter({ hasText: 'Nothing was published.' }).waitFor();
    expect(await sent('publish')).toEqual([]);
    // The options keep their values after they are collapsed and opened again.
    await page.getByRole('button', { name: 'The next drop gets' }).click();
    await page.getByRole('button', { name: 'The next drop gets' }).click();
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('abc');
    await page.getByLabel('Password', { exact: true }).fill('secret harbour');
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await eventually(() => sent('publish')).toEqual([{ grants: [DIST.grant] }]);
    expect((await sent('setNextDrop')).at(-1)).toEqual({ password: 'secret harbour' });
    await close();
  });

  it('does not watch while the typed password is invalid', async () => {
    const { page, sent, close } = await gallery.open(stateNamed('folders-watch'), {
      answers: { watch: { value: { is: 'watched', id: '0'.repeat(16) } } },
    });
    const watch = page.getByRole('button', { name: 'Watch and publish' });
    expect(await watch.isEnabled()).toBe(true);
    await page.getByLabel('Password', { exact: true }).fill('abc');
    await page.keyboard.press('Enter');
    expect(await watch.isDisabled()).toBe(true);
    expect(await sent('watch')).toEqual([]);
    await close();
  });

  it('opens the watch dialog for each of two folders with the same name', async () => {
    const { page, sent, close } = await gallery.open(EMPTY, {
      answers: {
        grant: { value: [DIST, OTHER_DIST] },
        suggestName: { value: { name: 'docs', validation: FREE } },
        watch: { value: { is: 'watched', id: '0'.repeat(16) } },
      },
    });
    await dropToWatch(page);
    const address = page.getByLabel('Address');
    await eventually(() => address.inputValue()).toBe('docs');
    await address.fill('handbook');
    await page.getByRole('button', { name: 'Watch and publish' }).click();
    await eventually(() => sent('watch')).toHaveLength(1);
    await eventually(() => address.inputValue()).toBe('docs');
    expect(await sent('suggestName')).toContainEqual({ of: { grant: OTHER_DIST.grant } });
    await close();
  });

  it('keeps the dialog of the second folder open when the first one was closed before its answer', async () => {
    const { page, answer, sent, close } = await gallery.open(EMPTY, {
      answers: {
        grant: { value: [DIST, { ...OTHER_DIST, name: 'site' }] },
        suggestName: { value: { name: 'docs', validation: FREE } },
        watch: { later: true },
      },
    });
    await dropToWatch(page);
    await page.getByText('docs.sites.example is available.').waitFor();
    await page.getByRole('button', { name: 'Watch and publish' }).click();
    await eventually(() => sent('watch')).toHaveLength(1);
    await page.keyboard.press('Escape');
    const second = page.getByRole('dialog', { name: 'Watch site' });
    await second.waitFor();
    await answer('watch', { value: { is: 'watched', id: '0'.repeat(16) } });
    await page.getByRole('heading', { name: 'Folders', includeHidden: true }).waitFor();
    expect(await second.isVisible()).toBe(true);
    await close();
  });

  it('offers to publish dropped files that cannot be watched, with the options at that time', async () => {
    const { page, sent, close } = await gallery.open(EMPTY, {
      answers: { grant: { value: [DIST, FILE] }, suggestName: { value: { name: 'docs', validation: FREE } } },
    });
    await dropToWatch(page);
    await page.getByRole('dialog', { name: 'Watch dist' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Only folders can be watched.').waitFor();
    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    await page.getByLabel('Password', { exact: true }).fill('secret harbour');
    await page.getByRole('button', { name: 'Publish once' }).click();
    await eventually(() => sent('publish')).toEqual([{ grants: [FILE.grant] }]);
    expect((await sent('setNextDrop')).at(-1)).toEqual({ password: 'secret harbour' });
    await close();
  });

  it.each([
    ['folders-watch', 'Address'],
    ['domains-add', 'Domain'],
  ])('focuses the first field of %s', async (state, field) => {
    const { page, close } = await gallery.open(stateNamed(state));
    const input = page.getByRole('dialog').getByLabel(field, { exact: true });
    await eventually(() => input.evaluate((it) => it === document.activeElement)).toBe(true);
    await close();
  });

  it('says that a name could not be checked, and allows watching without the check', async () => {
    const { page, close } = await gallery.open(stateNamed('folders-watch'), {
      answers: { suggestName: { problem: problem('network', 'The server cannot be reached.') } },
      act: null,
    });
    await page.getByRole('button', { name: 'Watch a folder…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The server cannot be reached.').waitFor();
    await page.getByLabel('Address').fill('handbook');
    await dialog.getByText('The server cannot be reached.').waitFor();
    expect(await page.getByRole('button', { name: 'Watch and publish' }).isEnabled()).toBe(true);
    await close();
  });

  it('reloads an open history when the live version changes, and shows errors in its dialog', async () => {
    const { page, emit, sent, close } = await gallery.open(stateNamed('folders-history'), {
      answers: { makeLive: { problem: problem('network', 'The server cannot be reached.') } },
    });
    const before = (await sent('listVersions')).length;
    const live = { deployment: deploymentId(40), files: 1, bytes: 1, at: 0 };
    await emit('folders', [folder(1, 'harbour-notes', { is: 'live' }, { live })]);
    await eventually(() => sent('listVersions')).toHaveLength(before + 1);
    await page.getByRole('button', { name: `Make ${deploymentId(3)} live` }).click();
    await page.getByRole('dialog').getByText('The server cannot be reached.').waitFor();
    await close();
  });

  it('does not render the cards while an option is typed', async () => {
    const { page, close } = await gallery.open({ ...stateNamed('publish-published') });
    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    const moments = await countMoments(page);
    await page.getByLabel('Domain').pressSequentially('docs');
    await page.getByText('docs', { exact: true }).waitFor();
    expect(await moments()).toBe(0);
    await close();
  });
});
