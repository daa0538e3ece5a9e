import { expect, it } from 'vitest';
import { eventually, focused, isFocused } from '@berth/ui/testing/page';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { deploymentId } from '@berth/ui/testing/samples';
import { appState, folder, grantOf, id, problem, UNREACHABLE } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';
import { chooseFromMenu, dropFolder } from '../harness/gallery/window.ts';

const SHOP_ID = id(101);
const HARBOUR_ID = id(101);
const AVAILABLE_NAME = { valid: true, normalized: 'docs.sites.example', available: true, reason: null };

describeWindow('the Folders page of the window (desktop §8)', (gallery) => {
  it('the card of a watched folder offers an action that fits the state of the folder', async () => {
    const { page, sent } = await gallery.open(stateNamed('folders-problems'), {
      answers: {
        pickFolder: { value: { grant: grantOf(1), name: 'blog', kind: 'folder' } },
        locateFolder: { value: { is: 'located' } },
      },
    });
    const card = (name: string) => page.getByRole('article', { name });
    await card('shop').getByRole('button', { name: 'Try again' }).click();
    await card('blog').getByRole('button', { name: 'Locate…' }).click();
    await eventually(() => sent('locateFolder')).toEqual([{ id: id(102), grant: grantOf(1) }]);
    expect(await sent('publishFolder')).toEqual([{ id: SHOP_ID }]);
    await card('status').getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
  });

  it('the card of a watched folder can cancel a publish and resume a paused folder (rules 13 and 21)', async () => {
    const { page, sent } = await gallery.open(stateNamed('folders-states'));
    await page.getByRole('article', { name: 'shop' }).getByRole('button', { name: 'Cancel and pause' }).click();
    await page.getByRole('article', { name: 'blog' }).getByRole('button', { name: 'Resume' }).click();
    expect(await sent('cancelFolder')).toEqual([{ id: id(102) }]);
    expect(await sent('resumeFolder')).toEqual([{ id: id(104) }]);
  });

  it('the arrow keys move through the menu of a folder, and the menu restores the focus when it closes', async () => {
    const { page, sent } = await gallery.open({
      ...stateNamed('folders-states'),
      state: appState({ folders: [folder(1, 'harbour-notes', { is: 'live' })] }),
    });
    const moreButton = page.getByRole('button', { name: 'More about harbour-notes' });
    await moreButton.focus();
    await page.keyboard.press('Enter');
    await eventually(() => focused(page)).toBe('BUTTON Pause');
    await page.keyboard.press('ArrowUp');
    expect(await focused(page)).toBe('BUTTON Stop watching…');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    await eventually(() => isFocused(moreButton)).toBe(true);
    await page.keyboard.press('Enter');
    await eventually(() => focused(page)).toBe('BUTTON Pause');
    await page.keyboard.press('Enter');
    await eventually(() => sent('pauseFolder')).toEqual([{ id: HARBOUR_ID }]);
  });

  it('a dialog keeps the focus inside, and restores the previous focus when Escape closes the dialog', async () => {
    const { page } = await gallery.open(stateNamed('folders-history'));
    const dialog = page.getByRole('dialog');
    for (let tabs = 0; tabs < 12; tabs++) {
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(
          () => document.activeElement === document.body || document.activeElement!.closest('dialog') !== null,
        ),
      ).toBe(true);
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const moreButton = page.getByRole('button', { name: 'More about harbour-notes' });
    await eventually(() => isFocused(moreButton)).toBe(true);
  });

  it('the history of a folder can make an earlier version live, and then reloads the versions (rule 22)', async () => {
    const { page, sent } = await gallery.open(stateNamed('folders-history'));
    await page.getByRole('button', { name: `Make ${deploymentId(3)} live…` }).click();
    await page.getByText('An earlier version pauses the folder').waitFor();
    expect(await sent('makeLive')).toEqual([]);
    await page.getByRole('button', { name: 'Make live', exact: true }).click();
    await eventually(() => sent('makeLive')).toEqual([{ id: HARBOUR_ID, deployment: deploymentId(3) }]);
    await eventually(() => sent('listVersions')).toHaveLength(2);
  });

  it('the open history of a folder reloads when the live version changes, and shows errors in its dialog', async () => {
    const { page, emit, sent } = await gallery.open(stateNamed('folders-history'), {
      answers: { makeLive: { problem: UNREACHABLE } },
    });
    const requestsBefore = (await sent('listVersions')).length;
    const liveVersion = { deployment: deploymentId(40), files: 1, bytes: 1, at: 0 };
    await emit('folders', [folder(1, 'harbour-notes', { is: 'live' }, { live: liveVersion })]);
    await eventually(() => sent('listVersions')).toHaveLength(requestsBefore + 1);
    await page.getByRole('button', { name: `Make ${deploymentId(3)} live…` }).click();
    await page.getByRole('button', { name: 'Make live', exact: true }).click();
    await page.getByRole('dialog').getByText(UNREACHABLE.message).waitFor();
  });

  it('a folder is rolled back only after a confirmation, which says that it is paused (B13)', async () => {
    const { page, sent } = await gallery.open(stateNamed('folders-roll-back'));
    await page.getByText('Watching is paused').waitFor();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    expect(await sent('undoFolder')).toEqual([]);
    await chooseFromMenu(page, 'harbour-notes', 'Roll back…');
    await page.getByRole('button', { name: 'Roll back', exact: true }).click();
    await eventually(() => sent('undoFolder')).toEqual([{ id: HARBOUR_ID }]);
    await page.getByText('Rolled back to the previous version.').waitFor();
  });

  it('the user stops watching a folder only after a confirmation, in which Cancel has the focus', async () => {
    const { page, sent } = await gallery.open(stateNamed('folders-remove'));
    await eventually(() => focused(page)).toBe('BUTTON Cancel');
    await page.keyboard.press('Escape');
    await page.getByText('Its site stays online.').waitFor({ state: 'detached' });
    expect(await sent('removeFolder')).toEqual([]);
    await chooseFromMenu(page, 'harbour-notes', 'Stop watching…');
    await page.getByRole('button', { name: 'Stop watching' }).click();
    await eventually(() => sent('removeFolder')).toEqual([{ id: HARBOUR_ID }]);
  });

  it('the user removes the password of a folder only after a confirmation, and Cancel leaves the dialog open', async () => {
    const { page, sent, answer } = await gallery.open(stateNamed('folders-password'));
    const dialog = page.getByRole('dialog', { name: 'Password of harbour-notes' });
    await eventually(() => focused(page)).toBe('BUTTON Cancel');
    await page.keyboard.press('Escape');
    await dialog.getByText('everyone with the link can see it').waitFor({ state: 'detached' });
    await dialog.getByText('Password-protected').waitFor();
    expect(await sent('changeFolder')).toEqual([]);

    await answer('changeFolder', { problem: problem('refused', 'The keychain is locked.') });
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await dialog.getByRole('button', { name: 'Remove password' }).click();
    await dialog.getByText('The keychain is locked.').waitFor();
    await answer('changeFolder', { value: undefined });
    await dialog.getByRole('button', { name: 'Remove password' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await sent('changeFolder')).toEqual([
      { id: HARBOUR_ID, password: null },
      { id: HARBOUR_ID, password: null },
    ]);
  });

  it('the password field has the focus when the user changes the password of a folder', async () => {
    const { page, sent } = await gallery.open({
      ...stateNamed('folders-states'),
      state: appState({ folders: [folder(1, 'harbour-notes', { is: 'paused', why: 'asked' }, { password: true })] }),
    });
    await chooseFromMenu(page, 'harbour-notes', 'Password…');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('From the next version on').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    const field = page.getByLabel('Password', { exact: true });
    await eventually(() => isFocused(field)).toBe(true);
    await page.keyboard.type('open-sesame');
    await page.keyboard.press('Enter');
    await eventually(() => sent('changeFolder')).toEqual([{ id: HARBOUR_ID, password: 'open-sesame' }]);
  });

  it('the watch dialog says whether the typed name is available, and does not accept a taken or invalid name', async () => {
    const { page, sent, answer } = await gallery.open(stateNamed('folders-watch'));
    const watch = page.getByRole('button', { name: 'Watch and publish' });
    await answer('suggestName', {
      value: {
        name: 'shop',
        validation: { valid: true, normalized: 'shop.sites.example', available: false, reason: 'This name is taken.' },
      },
    });
    await page.getByLabel('Address').fill('shop');
    await page.getByText('This name is taken.').waitFor();
    expect(await watch.isDisabled()).toBe(true);
    expect(await sent('suggestName')).toContainEqual({ of: { grant: grantOf(0) }, name: 'shop' });
    await page.getByLabel('Address').fill('no spaces');
    await page.getByText('A domain must consist of letters, digits').waitFor();
    expect(await watch.isDisabled()).toBe(true);
    expect(await sent('watch')).toEqual([]);
  });

  it('the watch dialog says when a name could not be checked, and lets the user watch the folder without the check', async () => {
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

  it('the watch dialog does not watch a folder while the typed password is invalid', async () => {
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

  it.each([
    ['folders-watch', 'Address'],
    ['domains-add', 'Domain'],
  ])('the first field of the dialog in the gallery state %s has the focus', async (state, field) => {
    const { page } = await gallery.open(stateNamed(state));
    const input = page.getByRole('dialog').getByLabel(field, { exact: true });
    await eventually(() => isFocused(input)).toBe(true);
  });

  it('the watch dialog stays open and shows the reason when the server refuses to watch a folder', async () => {
    const { page } = await gallery.open(stateNamed('folders-watch'), {
      answers: {
        watch: {
          problem: problem('signed-out', 'Your plan has no platform domain left.', {
            status: 403,
            details: { cap: 'platformDomains', used: 5, limit: 5 },
          }),
        },
      },
    });
    await page.getByRole('button', { name: 'Watch and publish' }).click();
    await page.getByRole('dialog').getByText('Your plan has no platform domain left.').waitFor();
    await page.getByRole('dialog').getByText('Your plan includes 5 platform domains.').waitFor();
  });

  it('the watch dialog of the second folder stays open when the answer for the first folder arrives after its dialog was closed', async () => {
    const { page, answer, sent } = await gallery.open(stateNamed('publish-empty'), {
      answers: {
        grant: { value: [{ grant: grantOf(0), name: 'dist', kind: 'folder' }] },
        suggestName: { value: { name: 'docs', validation: AVAILABLE_NAME } },
        watch: { later: true },
      },
    });
    await dropFolder(page, 900);
    await page.getByText('docs.sites.example is available.').waitFor();
    await answer('grant', { value: [{ grant: grantOf(1), name: 'site', kind: 'folder' }] });
    await dropFolder(page, 900);
    await page.getByRole('button', { name: 'Watch and publish' }).click();
    await eventually(() => sent('watch')).toHaveLength(1);
    await page.keyboard.press('Escape');
    const secondDialog = page.getByRole('dialog', { name: 'Watch site' });
    await secondDialog.waitFor();
    await answer('watch', { value: { is: 'watched', id: '0'.repeat(16) } });
    await page.getByRole('heading', { name: 'Folders', includeHidden: true }).waitFor();
    expect(await secondDialog.isVisible()).toBe(true);
  });

  it('the watch dialog asks whether the folder is the intended one before it asks for the address, and can watch a suggested folder (B1)', async () => {
    const { page, sent, answer } = await gallery.open(stateNamed('folders-watch-asking'), {
      answers: { watch: { value: { is: 'watched', id: HARBOUR_ID } } },
    });
    const dialog = page.getByRole('dialog');
    // The group makes screen readers read the question before the focused button.
    const question = dialog.getByRole('group', { name: 'This folder looks like a project’s source' });
    await question.waitFor();
    await eventually(() => focused(page)).toBe('BUTTON dist');
    expect(await page.getByRole('button', { name: 'Watch and publish' }).count()).toBe(0);
    await answer('checkFolder', { value: { question: null } });
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Watch harbour-site/dist' }).waitFor();
    await eventually(() => page.getByLabel('Address').inputValue()).toBe('harbour-site');
    expect(await isFocused(page.getByLabel('Address'))).toBe(true);
    await page.keyboard.press('Enter');
    await eventually(() => sent('watch')).toEqual([{ of: { grant: grantOf(1) }, domain: 'harbour-site', labels: [] }]);
    expect(await sent('checkFolder')).toEqual([{ of: { grant: grantOf(0) } }, { of: { grant: grantOf(1) } }]);
  });

  it('the watch dialog sends the confirmation of a warning to the app, and shows the next warning if the app sends one', async () => {
    const secondQuestion = { about: 'personal', suggestions: [], build: null, anyway: grantOf(4) };
    const { page, sent, answer } = await gallery.open(stateNamed('folders-watch-asking'), {
      answers: { watch: { value: { is: 'asking', question: secondQuestion } } },
    });
    await page.getByRole('button', { name: 'Watch anyway' }).click();
    const watch = page.getByRole('button', { name: 'Watch and publish' });
    await watch.click();
    await page.getByText('This looks like a personal folder.').waitFor();
    await answer('watch', { value: { is: 'watched', id: HARBOUR_ID } });
    await page.getByRole('button', { name: 'Watch anyway' }).click();
    await watch.click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(((await sent('watch')) as { sure?: string }[]).map(({ sure }) => sure)).toEqual([grantOf(3), grantOf(4)]);
  });

  it('the watch dialog of a project can build it after each change, with the command that it shows (desktop §8.17)', async () => {
    const { page, sent, answer } = await gallery.open(stateNamed('folders-watch-project'), {
      answers: { watch: { value: { is: 'watched', id: HARBOUR_ID } } },
    });
    await page.getByText('“npm run build” writes its site to the folder dist.').waitFor();
    await eventually(() => focused(page)).toBe('BUTTON Build after each change');
    await answer('checkFolder', { value: { question: null } });
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Watch and publish' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await sent('watch')).toEqual([
      { of: { grant: grantOf(0) }, domain: 'harbour-website', labels: [], sure: grantOf(3), build: 'npm run build' },
    ]);
  });

  it('the question about a personal folder has the focus on Cancel, and Cancel does not watch the folder', async () => {
    const { page, sent } = await gallery.open(stateNamed('folders-watch-personal'));
    await eventually(() => focused(page)).toBe('BUTTON Cancel');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await sent('watch')).toEqual([]);
  });

  it('the watch dialog can check a folder again after its drive did not respond', async () => {
    const { page, answer } = await gallery.open(stateNamed('folders-watch-silent'));
    await page.getByText('The drive with “dist” does not answer.').waitFor();
    await answer('checkFolder', { value: { question: null } });
    await answer('suggestName', { value: { name: 'dist', validation: null } });
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(() => page.getByLabel('Address').inputValue()).toBe('dist');
  });

  it('the watch dialog of a site with a password requires a password, or a confirmation to watch without a password (B2)', async () => {
    const { page, sent, answer } = await gallery.open(stateNamed('folders-watch-open'), {
      answers: { watch: { problem: problem('refused', 'Not this time.') } },
    });
    const dialog = page.getByRole('dialog');
    await eventually(() => focused(page)).toBe('BUTTON Cancel');
    await page.keyboard.press('Escape');
    expect(await sent('watch')).toEqual([]);
    await dialog.getByLabel('Password', { exact: true }).fill('open-sesame');
    await dialog.getByRole('button', { name: 'Watch and publish' }).click();
    await dialog.getByText('Not this time.').waitFor();
    await dialog.getByLabel('Password', { exact: true }).fill('');
    await dialog.getByRole('button', { name: 'Watch and publish' }).click();
    await answer('watch', { value: { is: 'watched', id: HARBOUR_ID } });
    await dialog.getByRole('button', { name: 'Watch without a password' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(((await sent('watch')) as { password?: unknown }[]).map(({ password }) => password)).toEqual([
      'open-sesame',
      null,
    ]);
  });

  it('a question must be answered before a folder is located at a project (B1)', async () => {
    const question = {
      about: 'project',
      suggestions: [{ grant: grantOf(5), name: 'dist' }],
      build: null,
      anyway: grantOf(6),
    };
    const { page, sent, answer } = await gallery.open(stateNamed('folders-problems'), {
      answers: {
        pickFolder: { value: { grant: grantOf(1), name: 'shop', kind: 'folder' } },
        locateFolder: { value: { is: 'asking', question } },
      },
    });
    const locateButton = page.getByRole('article', { name: 'blog' }).getByRole('button', { name: 'Locate…' });
    await locateButton.click();
    const dialog = page.getByRole('dialog', { name: 'Use shop?' });
    await dialog.waitFor();
    await eventually(() => focused(page)).toBe('BUTTON dist');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await locateButton.click();
    await answer('locateFolder', { value: { is: 'located' } });
    await dialog.getByRole('button', { name: 'Use it anyway' }).click();
    await dialog.waitFor({ state: 'detached' });
    const firstFolder = { id: id(102), grant: grantOf(1) };
    expect(await sent('locateFolder')).toEqual([firstFolder, firstFolder, { ...firstFolder, sure: grantOf(6) }]);
  });
});
