import { Labels } from '@berth/contract';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { commands } from '../../src/shared/contract.ts';
import { eventually, isFocused } from '@berth/ui/testing/page';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { NOW } from '@berth/ui/testing/samples';
import {
  appState,
  grantOf,
  id,
  problem,
  published,
  publishing,
  sendingProgress,
  SIGNED_OUT,
  UNREACHABLE,
  workingJob,
} from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';
import { chooseFromMenu, drag, dropFolder } from '../harness/gallery/window.ts';

const GIVEN_FOLDER = { grant: grantOf(7), name: 'dist', kind: 'folder' };
const FILE = { grant: grantOf(8), name: 'menu.pdf', kind: 'file' };
const EMPTY = stateNamed('publish-empty');

/** Pastes a file into an element. @returns Whether the window left the paste to the element. */
function paste(page: Page, where: string): Promise<boolean> {
  return page.evaluate((where) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['x'], 'menu.pdf'));
    const event = new ClipboardEvent('paste', { clipboardData, cancelable: true, bubbles: true });
    return document.querySelector(where)!.dispatchEvent(event);
  }, where);
}

describeWindow('the Publish page of the window (desktop §8)', (gallery) => {
  it('the user can choose, cancel, retry, copy, open and dismiss drops with only the keyboard (desktop §8.26)', async () => {
    const { page, sent } = await gallery.open(
      {
        ...EMPTY,
        state: appState({
          publishings: [
            workingJob(1, 'photos', { phase: 'listing' }),
            publishing(2, published(2, { url: 'https://docs.example' })),
            publishing(3, { is: 'failed', problem: UNREACHABLE }, { name: 'shop' }),
          ],
        }),
      },
      { answers: { pickFolder: { value: GIVEN_FOLDER } } },
    );
    const pressEnterOn = async (name: string, role: 'button' | 'link' = 'button') => {
      const control = page.getByRole(role, { name });
      for (let tabs = 0; tabs < 60 && !(await isFocused(control)); tabs++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    };
    await pressEnterOn('Choose folder…');
    await eventually(() => sent('publish')).toEqual([{ grants: [GIVEN_FOLDER.grant] }]);
    await pressEnterOn('Cancel photos');
    await pressEnterOn('Copy link');
    await pressEnterOn('docs.example', 'link');
    await pressEnterOn('Try again');
    await pressEnterOn('Dismiss shop');
    expect(await sent('cancelPublishing')).toEqual([{ id: id(1) }]);
    expect(await sent('copy')).toEqual([{ text: 'https://docs.example' }]);
    expect(await sent('openLink')).toEqual([{ url: 'https://docs.example' }]);
    expect(await sent('retryPublishing')).toEqual([{ id: id(3) }]);
    expect(await sent('dismissPublishing')).toEqual([{ id: id(3) }]);
  });

  it('the Publish page publishes nothing when the user cancels the system dialog', async () => {
    const { page, sent } = await gallery.open(EMPTY, { answers: { pickFolder: { value: null } } });
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await eventually(() => sent('pickFolder')).toHaveLength(1);
    expect(await sent('publish')).toEqual([]);
  });

  it('every page shows what a drop does while the user drags files over it (rule 1)', async () => {
    const { page, sent } = await gallery.open(stateNamed('settings'), {
      answers: { grant: { value: [GIVEN_FOLDER] } },
    });
    await drag(page, 'dragEnter', 200);
    await drag(page, 'dragOver', 900);
    await page.locator('.drop-zone.is-active', { hasText: 'Publish and watch' }).waitFor();
    await drag(page, 'dragOver', 200);
    await page.locator('.drop-zone.is-active', { hasText: 'Publish once' }).waitFor();
    const preventedDrops = await page.evaluateHandle(() => {
      const preventions: boolean[] = [];
      window.addEventListener('drop', (event) => setTimeout(() => preventions.push(event.defaultPrevented)));
      return preventions;
    });
    await drag(page, 'drop', 200);
    await eventually(() => sent('publish')).toEqual([{ grants: [GIVEN_FOLDER.grant] }]);
    // Without `preventDefault` Chromium would open the folder.
    expect(await preventedDrops.jsonValue()).toEqual([true]);
    await page.getByText('Publish once').waitFor({ state: 'hidden' });
    await page.getByRole('heading', { name: 'Publish' }).waitFor();
  });

  it('the window accepts a drop over a dialog, and hides the overlay when the drag leaves the window', async () => {
    const { page, sent } = await gallery.open(stateNamed('folders-history'), {
      answers: { grant: { value: [GIVEN_FOLDER] }, listVersions: { value: { versions: [] } } },
      act: null,
    });
    await chooseFromMenu(page, 'harbour-notes', 'History…');
    await page.getByRole('dialog').waitFor();
    await drag(page, 'dragEnter', 200);
    await page.getByText('Publish once').waitFor();
    // An open popover is above the dialog.
    expect(await page.locator('.drop-overlay').evaluate((overlay) => overlay.matches(':popover-open'))).toBe(true);
    await page.evaluate(() => document.body.dispatchEvent(new DragEvent('dragleave', { bubbles: true })));
    await page.getByText('Publish once').waitFor({ state: 'hidden' });
    await dropFolder(page, 200);
    await eventually(() => sent('publish')).toHaveLength(1);
  });

  it('a drop on the right half publishes, and does not watch, while the user is signed out', async () => {
    const { page, sent } = await gallery.open(
      { ...EMPTY, state: appState({ session: SIGNED_OUT }) },
      { answers: { grant: { value: [GIVEN_FOLDER] } } },
    );
    await drag(page, 'dragEnter', 900);
    await page.getByText('Drop to publish').waitFor();
    expect(await page.getByText('Publish and watch').count()).toBe(0);
    await drag(page, 'drop', 900);
    await eventually(() => sent('publish')).toHaveLength(1);
  });

  it('the window says that an empty drop has nothing to publish, and that files cannot be watched', async () => {
    const { page, sent, answer } = await gallery.open(EMPTY, { answers: { grant: { value: [] } } });
    await dropFolder(page, 200);
    await page.getByText('There is nothing to publish in this drop.').waitFor();
    await answer('grant', { value: [FILE] });
    await dropFolder(page, 900);
    await page.getByText('Only folders can be watched.').waitFor();
    expect(await sent('publish')).toEqual([]);
    await page.getByRole('button', { name: 'Publish once' }).click();
    await eventually(() => sent('publish')).toEqual([{ grants: [FILE.grant] }]);
  });

  it('dropped files that cannot be watched can be published, with the options at the time of the publish', async () => {
    const { page, sent } = await gallery.open(EMPTY, {
      answers: { grant: { value: [GIVEN_FOLDER, FILE] }, suggestName: { value: { name: 'docs', validation: null } } },
    });
    await dropFolder(page, 900);
    await page.getByRole('dialog', { name: 'Watch dist' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Only folders can be watched.').waitFor();
    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    await page.getByLabel('Password', { exact: true }).fill('secret harbour');
    await page.getByRole('button', { name: 'Publish once' }).click();
    await eventually(() => sent('publish')).toEqual([{ grants: [FILE.grant] }]);
    expect((await sent('setNextDrop')).at(-1)).toEqual({ password: 'secret harbour' });
  });

  it('the window marks pasted files, so that the app asks before it publishes them (B10)', async () => {
    const { page, sent } = await gallery.open(EMPTY, { answers: { grant: { value: [FILE] } } });
    await paste(page, 'body');
    await eventually(() => sent('grant')).toEqual([['menu.pdf']]);
    await eventually(() => sent('publish')).toEqual([{ grants: [FILE.grant], pasted: true }]);
  });

  it('the window does not publish files that the user pastes into a field or a dialog (B10)', async () => {
    const { page, sent } = await gallery.open(stateNamed('publish-options'), {
      answers: { grant: { value: [FILE] } },
    });
    expect(await paste(page, 'input')).toBe(true);
    await page.evaluate(() => {
      const editable = document.createElement('p');
      editable.contentEditable = 'true';
      editable.append(document.createElement('b'));
      document.body.append(editable);
    });
    expect(await paste(page, '[contenteditable] b')).toBe(true);
    // The window handles a paste outside fields and dialogs.
    expect(await paste(page, 'main')).toBe(false);
    await eventually(() => sent('publish')).toHaveLength(1);
    expect(await sent('grant')).toHaveLength(1);

    const history = await gallery.open(stateNamed('folders-history'), { answers: { grant: { value: [FILE] } } });
    expect(await paste(history.page, 'dialog')).toBe(true);
    expect(await history.sent('grant')).toEqual([]);
  });

  it('the options of the next drop apply only to the next drop', async () => {
    const { page, sent, answer, emit } = await gallery.open(stateNamed('publish-options'), {
      answers: { pickFolder: { value: GIVEN_FOLDER }, publish: { problem: problem('refused', 'Not this time.') } },
    });
    const chooseButton = page.getByRole('button', { name: 'Choose folder…' });
    const options = { domain: 'harbour-notes', password: 'lantern', labels: ['review'] };
    expect((await sent('setNextDrop')).at(-1)).toEqual(options);
    await chooseButton.click();
    await page.getByText('Not this time.').waitFor();
    // The options stay set when a drop is refused.
    await page.getByText('The next drop gets').waitFor();
    await answer('publish', { value: { publishings: [id(1)] } });
    await chooseButton.click();
    await eventually(() => sent('publish')).toHaveLength(2);
    await emit('dropTaken', {});
    await page.getByText('The next drop gets').waitFor({ state: 'hidden' });
    expect(await page.getByLabel('Domain', { exact: true }).inputValue()).toBe('');
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('');
    // The app has cleared its options, so the window sends only new input.
    await page.getByLabel('Password', { exact: true }).fill('beacon');
    expect((await sent('setNextDrop')).at(-1)).toEqual({ password: 'beacon' });
    await page.getByRole('button', { name: 'Clear' }).click();
    expect((await sent('setNextDrop')).at(-1)).toEqual({});
  });

  it('the Publish page publishes nothing while the typed password is invalid', async () => {
    const { page, sent } = await gallery.open(EMPTY, { answers: { pickFolder: { value: GIVEN_FOLDER } } });
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
    await eventually(() => sent('publish')).toEqual([{ grants: [GIVEN_FOLDER.grant] }]);
    expect((await sent('setNextDrop')).at(-1)).toEqual({ password: 'secret harbour' });
  });

  it('a password that is much too long is sent in a shortened form, so that no site is published without a password', async () => {
    const { page, sent } = await gallery.open(EMPTY);
    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    await page.getByLabel('Password', { exact: true }).fill('x'.repeat(5_000));
    const [, options] = (await sent('setNextDrop')) as { password?: string }[];
    expect(options!.password).toHaveLength(1_000);
    expect(commands.setNextDrop.input.safeParse(options).success).toBe(true);
  });

  it('one dialog watches all folders of a drop, with the options of the next drop (B2, B18)', async () => {
    const { page, sent } = await gallery.open(stateNamed('publish-options'), {
      answers: {
        grant: { value: [GIVEN_FOLDER, { ...GIVEN_FOLDER, grant: grantOf(9) }] },
        suggestName: { value: { name: 'docs', validation: null } },
        watch: { value: { is: 'watched', id: id(9) } },
      },
    });
    await dropFolder(page, 900);
    const dialog = page.getByRole('dialog', { name: 'Watch 2 folders' });
    await dialog.getByRole('button', { name: 'Watch and publish 2 folders' }).click();
    // The second folder of the drop has the same name and gets the same password, but another address.
    await eventually(() => sent('watch')).toEqual([
      { of: { grant: GIVEN_FOLDER.grant }, domain: 'harbour-notes', labels: ['review'], password: 'lantern' },
      { of: { grant: grantOf(9) }, domain: 'docs', labels: ['review'], password: 'lantern' },
    ]);
    await dialog.waitFor({ state: 'detached' });
    expect(await sent('suggestName')).toEqual([{ of: { grant: grantOf(9) } }]);
    expect(await sent('publish')).toEqual([]);
  });

  it('only the link that was copied last is shown as copied, and only for a minute (B11)', async () => {
    const drops = [3, 2, 1].map((number) =>
      publishing(number, published(number, { copied: true, at: NOW - (3 - number) * 1_000 }), {
        name: `drop-${number}`,
      }),
    );
    const { page } = await gallery.open({ ...EMPTY, state: appState({ publishings: drops }) });
    const marks = page.getByText('Link copied');
    await page.getByRole('article', { name: 'drop-3' }).getByText('Link copied').waitFor();
    expect(await marks.count()).toBe(1);
    await page.clock.setFixedTime(NOW + 60_000);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await marks.waitFor({ state: 'detached' });
  });

  it('a middle click on a link opens it in the browser, as a click does (B16)', async () => {
    const { page, sent } = await gallery.open({
      ...EMPTY,
      state: appState({ publishings: [publishing(1, published(1, { url: 'https://docs.example' }))] }),
    });
    const link = page.getByRole('link', { name: 'docs.example' });
    await link.click({ button: 'middle' });
    await eventually(() => sent('openLink')).toEqual([{ url: 'https://docs.example' }]);
    await link.click({ button: 'right' });
    expect(await sent('openLink')).toHaveLength(1);
    expect(page.context().pages()).toHaveLength(1);
  });

  it('an upload that waits for its next attempt keeps its progress, and has no moving or full bar (B15)', async () => {
    const { page, emit } = await gallery.open(EMPTY);
    await emit('publishings', [workingJob(1, 'dist', sendingProgress(450))]);
    const bar = page.getByRole('progressbar');
    await eventually(() => bar.getAttribute('aria-valuenow')).toBe('50');
    const retrying = { phase: 'retrying', attempt: 1, at: NOW + 9_000, reason: 'No connection.' } as const;
    await emit('publishings', [workingJob(1, 'dist', retrying), workingJob(2, 'other', retrying)]);
    await eventually(() => bar.evaluateAll((bars) => bars.map((each) => each.ariaValueNow))).toEqual(['50', '0']);
    const widths = await bar.evaluateAll((bars) =>
      bars.map(({ firstElementChild: fill, clientWidth }) =>
        Math.round((100 * fill!.getBoundingClientRect().width) / clientWidth),
      ),
    );
    expect(widths).toEqual([50, 0]);
  });

  it('a bar of unknown progress is striped for people who want no motion, not full (B15)', async () => {
    const state = appState({ publishings: [workingJob(1, 'photos', { phase: 'listing' })] });
    const { page } = await gallery.open({ ...EMPTY, state }, { reducedMotion: 'reduce' });
    const fill = page.getByRole('progressbar').locator('div');
    const { animationName, backgroundImage } = await fill.evaluate((element) => getComputedStyle(element));
    expect(animationName).toBe('none');
    expect(backgroundImage).toContain('repeating-linear-gradient');
  });

  it('the labels field accepts the same labels as the contract', async () => {
    const { page } = await gallery.open(EMPTY);
    await page.getByRole('button', { name: 'Domain, password, labels' }).click();
    const field = page.getByLabel('Labels', { exact: true });
    const labels = ['ab', 'abc', 'a'.repeat(25), 'a'.repeat(26), 'Abc', 'a-b.c_d', 'a--b', '-abc', 'abc.', 'äöü'];
    for (const label of labels) {
      await field.fill(label);
      await field.press('Enter');
      const isTaken = (await page.getByRole('button', { name: `Remove label ${label}`, exact: true }).count()) === 1;
      expect(isTaken, label).toBe(Labels.safeParse([label]).success);
    }
  });

  it('the copy button copies the link, and says "Copied" only after the copy has succeeded (rule 2)', async () => {
    const { page, sent, answer } = await gallery.open(
      { ...EMPTY, state: appState({ publishings: [publishing(1, published(1, { url: 'https://docs.example' }))] }) },
      { answers: { copy: { problem: problem('refused', 'The clipboard is taken.') } } },
    );
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('The clipboard is taken.').waitFor();
    expect(await page.getByText('Copied', { exact: true }).count()).toBe(0);
    await answer('copy', { value: undefined });
    // “Copied” is shown for 2 s, so the clock must pause until the test has seen the text.
    await page.clock.pauseAt(NOW);
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Copied', { exact: true }).waitFor();
    await page.clock.runFor(2_000);
    await page.getByText('Copied', { exact: true }).waitFor({ state: 'detached' });
    expect(await sent('copy')).toEqual([{ text: 'https://docs.example' }, { text: 'https://docs.example' }]);
  });

  it('a card shows its link as a QR code, and opens the link only in the system browser', async () => {
    const { page, sent } = await gallery.open({
      ...EMPTY,
      state: appState({ publishings: [publishing(1, published(1, { url: 'https://docs.example' }))] }),
    });
    const urlBefore = page.url();
    await page.getByRole('button', { name: 'Show QR code' }).click();
    const code = page.getByRole('img', { name: 'QR code of https://docs.example' });
    const path = await code.locator('path').getAttribute('d');
    expect(path!.match(/M/g)!.length).toBeGreaterThan(200);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'docs.example' }).click();
    await eventually(() => sent('openLink')).toEqual([{ url: 'https://docs.example' }]);
    expect(page.url()).toBe(urlBefore);
  });

  it('the answer to a question publishes a suggested folder, or the dropped or pasted item itself (rule 17)', async () => {
    const { page, sent } = await gallery.open(stateNamed('publish-asking'));
    await page.getByRole('button', { name: 'Publish storybook-static' }).click();
    await page.getByRole('button', { name: 'Publish Documents anyway' }).click();
    await page.getByRole('button', { name: 'Publish menu.pdf', exact: true }).click();
    await eventually(() => sent('answerPublishing')).toEqual([
      { id: id(1), instead: grantOf(2) },
      { id: id(2), instead: null },
      { id: id(4), instead: null },
    ]);
  });

  it('the window announces milestones to screen readers, but no progress numbers (desktop §8.26)', async () => {
    const { page, emit } = await gallery.open(EMPTY);
    const announcements = page.getByTestId('announcements');
    expect(await announcements.getAttribute('aria-live')).toBe('polite');
    const waitingJob = publishing(2, { is: 'queued' }, { name: 'photos' });
    await announcements.evaluate((element) => {
      const changes: string[] = [];
      Object.assign(window, { changes });
      new MutationObserver(() => changes.push(element.textContent)).observe(element, {
        childList: true,
        characterData: true,
        subtree: true,
      });
    });
    for (const bytes of [10, 200, 400, 800])
      await emit('publishings', [workingJob(1, 'dist', sendingProgress(bytes)), waitingJob]);
    await emit('publishings', [publishing(1, published(1, { copied: true })), waitingJob]);
    await eventually(() => announcements.textContent()).toBe('dist is published and its link is copied.');
    expect(await page.evaluate(() => (window as unknown as { changes: string[] }).changes)).toEqual([
      'dist: uploading files. photos is queued.',
      'dist is published and its link is copied.',
    ]);
  });
});
