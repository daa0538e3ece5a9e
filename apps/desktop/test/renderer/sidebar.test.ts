import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeWindow, eventually } from '../harness/gallery/describe-window.ts';
import { appState, publishing, TOO_LARGE } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';

const ELSEWHERE = stateNamed('publish-elsewhere');
const SETTINGS = { ...ELSEWHERE, state: appState() };
const FAILED = { is: 'failed', problem: TOO_LARGE } as const;
const WORKING = { is: 'working', progress: { phase: 'finishing' } } as const;

/** The names of the page buttons, as screen readers read them. */
const places = (page: Page) =>
  page
    .getByRole('navigation', { name: 'Pages' })
    .locator('li')
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.ariaLabel ?? button.textContent));

const OTHERS = ['Sites', 'Domains', 'Activity'];

describeWindow('the badges of the sidebar (desktop §8.3, §8.12)', (gallery) => {
  it('show work only while another page is shown', async () => {
    const { page, emit } = await gallery.open(ELSEWHERE);
    await eventually(() => places(page)).toEqual([
      'Publish: 2 being published',
      'Folders: 1 being published',
      ...OTHERS,
    ]);
    await page.getByRole('button', { name: 'Publish: 2 being published' }).click();
    await eventually(() => places(page)).toEqual(['Publish', 'Folders: 1 being published', ...OTHERS]);
    await emit('folders', []);
    await eventually(() => places(page)).toEqual(['Publish', 'Folders', ...OTHERS]);
  });

  it('show a failure until it is seen, and again after a retry fails', async () => {
    const { page, emit } = await gallery.open(SETTINGS);
    const publish = (state: typeof FAILED | typeof WORKING) =>
      emit('publishings', [publishing(1, state), publishing(2, FAILED)]);
    const name = async () => (await places(page))[0];
    await publish(FAILED);
    await eventually(name).toBe('Publish: 2 failed');
    await emit('navigate', { page: 'publish' });
    await eventually(name).toBe('Publish');
    await emit('navigate', { page: 'settings' });
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await name()).toBe('Publish');
    await publish(WORKING);
    await eventually(name).toBe('Publish: 1 being published');
    await publish(FAILED);
    await eventually(name).toBe('Publish: 1 failed');
  });

  it('show a question until it is answered', async () => {
    const { page, emit } = await gallery.open(stateNamed('publish-elsewhere-problems'));
    await page.getByRole('button', { name: 'Publish: 1 with a question, 1 being published' }).click();
    await page.getByRole('heading', { name: 'Publish' }).waitFor();
    expect((await places(page))[0]).toBe('Publish: 1 with a question, 1 being published');
    await emit('publishings', [publishing(2, WORKING)]);
    await eventually(() => places(page)).toEqual(['Publish', 'Folders: 2 failed', ...OTHERS]);
  });

  it.each([
    ['no-preference', 'turn'],
    ['reduce', 'none'],
  ] as const)('if prefers-reduced-motion is %s, have the animation %s', async (reducedMotion, animation) => {
    const { page } = await gallery.open(ELSEWHERE, { reducedMotion });
    const badge = page.getByRole('button', { name: 'Folders: 1 being published' }).locator('.nav-badge svg');
    expect(await badge.evaluate((it) => getComputedStyle(it).animationName)).toBe(animation);
  });
});
