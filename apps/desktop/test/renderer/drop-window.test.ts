import { eventually, isFocused } from '@berth/ui/testing/page';
import { NOW } from '@berth/ui/testing/samples';
import { expect, it } from 'vitest';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import {
  appState,
  grantOf,
  id,
  problem,
  published,
  publishing,
  SENDING,
  sendingProgress,
  workingJob,
} from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';
import { dropFolder } from '../harness/gallery/window.ts';

const FOLDER = { grant: grantOf(7), name: 'dist', kind: 'folder' };
const BUSY = stateNamed('drop-window');
const EMPTY = stateNamed('drop-window-empty');

describeWindow('the drop window at the tray icon (desktop §8.1, §8.2)', (gallery) => {
  it('the drop window publishes what is dropped anywhere on it, and says so before the drop', async () => {
    const { page, sent, answer } = await gallery.open(stateNamed('drop-window-over'), {
      answers: { grant: { value: [FOLDER] } },
    });
    await page.getByText('Drop to publish').waitFor();
    await dropFolder(page, 300);
    await eventually(() => sent('publish')).toEqual([{ grants: [FOLDER.grant] }]);
    await page.getByText('Drop a folder, get a link').waitFor();
    await answer('grant', { value: [] });
    await dropFolder(page, 300);
    await page.getByText('There is nothing to publish in this drop.').waitFor();
    expect(await sent('publish')).toHaveLength(1);
  });

  it('the drop window shows the progress of a drop, then its link first', async () => {
    const { page, emit } = await gallery.open(EMPTY);
    await emit('publishings', [workingJob(1, 'dist', SENDING)]);
    const bar = page.getByRole('progressbar', { name: 'dist: Uploading' });
    await eventually(() => bar.getAttribute('aria-valuenow')).toBe('28');
    await emit('publishings', [workingJob(1, 'dist', sendingProgress(675))]);
    await eventually(() => bar.getAttribute('aria-valuenow')).toBe('75');
    await emit('publishings', [
      publishing(2, published(2), { name: 'earlier' }),
      publishing(1, published(1, { url: 'https://newest.example', at: NOW })),
    ]);
    await bar.waitFor({ state: 'detached' });
    expect(await page.getByRole('link').first().textContent()).toBe('newest.example');
  });

  it('the drop window has the 5 newest links, without those that have expired', async () => {
    const links = Array.from({ length: 7 }, (_, number) =>
      publishing(number, published(number, { url: `https://${number}.example`, expires: number === 2 ? 1 : null })),
    );
    const { page } = await gallery.open({ ...EMPTY, state: appState({ publishings: links }) });
    const texts = await page.getByRole('link').allTextContents();
    expect(texts).toEqual(['0.example', '1.example', '3.example', '4.example', '5.example']);
  });

  it('everything in the drop window can be done with only the keyboard (desktop §8.26)', async () => {
    const { page, sent } = await gallery.open({
      ...BUSY,
      state: appState({
        publishings: [
          publishing(3, { is: 'failed', problem: problem('refused', 'The plan is full.') }, { name: 'shop' }),
          publishing(1, published(1, { url: 'https://docs.example' }), { name: 'docs' }),
        ],
      }),
    });
    const pressEnterOn = async (name: string) => {
      const button = page.getByRole('button', { name, exact: true });
      for (let tabs = 0; tabs < 20 && !(await isFocused(button)); tabs++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    };
    await pressEnterOn('Choose folder…');
    await pressEnterOn('Show shop');
    await pressEnterOn('Copy link of docs');
    await pressEnterOn('Open docs in browser');
    await pressEnterOn('Open Berth');
    expect(await sent('showWindow')).toEqual([
      { page: 'publish', choose: true },
      { page: 'publish', id: id(3) },
      { page: 'publish' },
    ]);
    expect(await sent('copy')).toEqual([{ text: 'https://docs.example' }]);
    expect(await sent('openLink')).toEqual([{ url: 'https://docs.example' }]);
  });

  it('the drop window announces the milestones of a drop to screen readers (desktop §8.26)', async () => {
    const { page, emit } = await gallery.open(EMPTY);
    await emit('publishings', [workingJob(1, 'dist', SENDING)]);
    await eventually(() => page.getByTestId('announcements').textContent()).toBe('dist: uploading files.');
  });

  it('the drop window publishes nothing before the first run is complete', async () => {
    const { page, sent } = await gallery.open(stateNamed('drop-window-setup'), {
      answers: { grant: { value: [FOLDER] } },
    });
    await page.getByRole('button', { name: 'Open Berth' }).click();
    await eventually(() => sent('showWindow')).toHaveLength(1);
    expect(await page.getByText('Drop a folder').count()).toBe(0);
    expect(await sent('publish')).toEqual([]);
  });
});
