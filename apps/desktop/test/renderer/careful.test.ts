import { expect, it } from 'vitest';
import { describeWindow, eventually, isFocused } from '../harness/gallery/describe-window.ts';
import { appState, deploymentId, folder, grant, UNREACHABLE } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';
import { useDrag } from '../harness/gallery/use-drag.ts';

const EMPTY = stateNamed('publish-empty');
const DIST = { grant: grant(7), name: 'dist', kind: 'folder' };
const OTHER_DIST = { grant: grant(8), name: 'dist', kind: 'folder' };
const FILE = { grant: grant(9), name: 'menu.pdf', kind: 'file' };
const FREE = { valid: true, normalized: 'docs.sites.example', available: true, reason: null };

describeWindow('the window, where it could do something unintended (desktop §8)', (gallery) => {
  const { drop } = useDrag();

  it('does not publish while the typed password is invalid', async () => {
    const { page, sent } = await gallery.open(EMPTY, { answers: { pickFolder: { value: DIST } } });
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
  });

  it('shows a problem and a page that the app sends before the window is drawn', async () => {
    const { page, emit, answer } = await gallery.open(
      { ...EMPTY, state: null },
      { answers: { readState: { later: true } } },
    );
    await page.getByRole('status', { name: 'Starting' }).waitFor();
    await emit('problem', { problem: UNREACHABLE });
    await emit('navigate', { page: 'folders' });
    await answer('readState', { value: appState() });
    await page.getByRole('alert').filter({ hasText: UNREACHABLE.message }).waitFor();
    await page.getByRole('main', { name: 'folders' }).waitFor();
  });

  it('does not watch while the typed password is invalid', async () => {
    const { page, sent } = await gallery.open(stateNamed('folders-watch'), {
      answers: { watch: { value: { is: 'watched', id: '0'.repeat(16) } } },
    });
    const watch = page.getByRole('button', { name: 'Watch and publish' });
    expect(await watch.isEnabled()).toBe(true);
    await page.getByLabel('Password', { exact: true }).fill('abc');
    await page.keyboard.press('Enter');
    expect(await watch.isDisabled()).toBe(true);
    expect(await sent('watch')).toEqual([]);
  });

  it('opens the watch dialog for each of two folders with the same name', async () => {
    const { page, sent } = await gallery.open(EMPTY, {
      answers: {
        grant: { value: [DIST, OTHER_DIST] },
        suggestName: { value: { name: 'docs', validation: FREE } },
        watch: { value: { is: 'watched', id: '0'.repeat(16) } },
      },
    });
    await drop(page, 900);
    const address = page.getByLabel('Address');
    await eventually(() => address.inputValue()).toBe('docs');
    await address.fill('handbook');
    await page.getByRole('button', { name: 'Watch and publish' }).click();
    await eventually(() => sent('watch')).toHaveLength(1);
    await eventually(() => address.inputValue()).toBe('docs');
    expect(await sent('suggestName')).toContainEqual({ of: { grant: OTHER_DIST.grant } });
  });

  it('keeps the dialog of the second folder open when the first one was closed before its answer', async () => {
    const { page, answer, sent } = await gallery.open(EMPTY, {
      answers: {
        grant: { value: [DIST, { ...OTHER_DIST, name: 'site' }] },
        suggestName: { value: { name: 'docs', validation: FREE } },
        watch: { later: true },
      },
    });
    await drop(page, 900);
    await page.getByText('docs.sites.example is available.').waitFor();
    await page.getByRole('button', { name: 'Watch and publish' }).click();
    await eventually(() => sent('watch')).toHaveLength(1);
    await page.keyboard.press('Escape');
    const second = page.getByRole('dialog', { name: 'Watch site' });
    await second.waitFor();
    await answer('watch', { value: { is: 'watched', id: '0'.repeat(16) } });
    await page.getByRole('heading', { name: 'Folders', includeHidden: true }).waitFor();
    expect(await second.isVisible()).toBe(true);
  });

  it('offers to publish dropped files that cannot be watched, with the options at that time', async () => {
    const { page, sent } = await gallery.open(EMPTY, {
      answers: { grant: { value: [DIST, FILE] }, suggestName: { value: { name: 'docs', validation: FREE } } },
    });
    await drop(page, 900);
    await page.getByRole('dialog', { name: 'Watch dist' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Only folders can be watched.').waitFor();
    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    await page.getByLabel('Password', { exact: true }).fill('secret harbour');
    await page.getByRole('button', { name: 'Publish once' }).click();
    await eventually(() => sent('publish')).toEqual([{ grants: [FILE.grant] }]);
    expect((await sent('setNextDrop')).at(-1)).toEqual({ password: 'secret harbour' });
  });

  it.each([
    ['folders-watch', 'Address'],
    ['domains-add', 'Domain'],
  ])('focuses the first field of %s', async (state, field) => {
    const { page } = await gallery.open(stateNamed(state));
    const input = page.getByRole('dialog').getByLabel(field, { exact: true });
    await eventually(() => isFocused(input)).toBe(true);
  });

  it('says that a name could not be checked, and allows watching without the check', async () => {
    const { page } = await gallery.open(stateNamed('folders-watch'), {
      answers: { suggestName: { problem: UNREACHABLE } },
      act: null,
    });
    await page.getByRole('button', { name: 'Watch a folder…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(UNREACHABLE.message).waitFor();
    await page.getByLabel('Address').fill('handbook');
    await dialog.getByText(UNREACHABLE.message).waitFor();
    expect(await page.getByRole('button', { name: 'Watch and publish' }).isEnabled()).toBe(true);
  });

  it('reloads an open history when the live version changes, and shows errors in its dialog', async () => {
    const { page, emit, sent } = await gallery.open(stateNamed('folders-history'), {
      answers: { makeLive: { problem: UNREACHABLE } },
    });
    const before = (await sent('listVersions')).length;
    const live = { deployment: deploymentId(40), files: 1, bytes: 1, at: 0 };
    await emit('folders', [folder(1, 'harbour-notes', { is: 'live' }, { live })]);
    await eventually(() => sent('listVersions')).toHaveLength(before + 1);
    await page.getByRole('button', { name: `Make ${deploymentId(3)} live` }).click();
    await page.getByRole('dialog').getByText(UNREACHABLE.message).waitFor();
  });
});
