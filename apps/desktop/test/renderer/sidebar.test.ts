import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { eventually } from '@berth/ui/testing/page';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { appState, publishing, TOO_LARGE } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';

const ELSEWHERE_STATE = stateNamed('publish-elsewhere');
const SETTINGS = { ...ELSEWHERE_STATE, state: appState() };
const FAILED_STATE = { is: 'failed', problem: TOO_LARGE } as const;
const WORKING_STATE = { is: 'working', progress: { phase: 'finishing' } } as const;

/** Returns the accessible names of the page buttons. */
const pageButtons = (page: Page) =>
  page
    .getByRole('navigation', { name: 'Pages' })
    .locator('li')
    .getByRole('button')
    .evaluateAll((buttons) => buttons.map((button) => button.ariaLabel ?? button.textContent));

const OTHER_PAGES = ['Sites', 'Domains', 'Activity'];

describeWindow('the badges of the sidebar (desktop §8.3, §8.12)', (gallery) => {
  it('the sidebar shows a badge for work only while another page is open', async () => {
    const { page, emit } = await gallery.open(ELSEWHERE_STATE);
    await eventually(() => pageButtons(page)).toEqual([
      'Publish: 2 being published',
      'Folders: 1 being published',
      ...OTHER_PAGES,
    ]);
    await page.getByRole('button', { name: 'Publish: 2 being published' }).click();
    await eventually(() => pageButtons(page)).toEqual(['Publish', 'Folders: 1 being published', ...OTHER_PAGES]);
    await emit('folders', []);
    await eventually(() => pageButtons(page)).toEqual(['Publish', 'Folders', ...OTHER_PAGES]);
  });

  it('the sidebar shows a badge for a failure until the user sees the failure, and again after a retry fails', async () => {
    const { page, emit } = await gallery.open(SETTINGS);
    const publish = (state: typeof FAILED_STATE | typeof WORKING_STATE) =>
      emit('publishings', [publishing(1, state), publishing(2, FAILED_STATE)]);
    const name = async () => (await pageButtons(page))[0];
    await publish(FAILED_STATE);
    await eventually(name).toBe('Publish: 2 failed');
    await emit('navigate', { page: 'publish' });
    await eventually(name).toBe('Publish');
    await emit('navigate', { page: 'settings' });
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(await name()).toBe('Publish');
    await publish(WORKING_STATE);
    await eventually(name).toBe('Publish: 1 being published');
    await publish(FAILED_STATE);
    await eventually(name).toBe('Publish: 1 failed');
  });

  it('the sidebar shows a badge for a question until the question is answered', async () => {
    const { page, emit } = await gallery.open(stateNamed('publish-elsewhere-problems'));
    await page.getByRole('button', { name: 'Publish: 1 with a question, 1 being published' }).click();
    await page.getByRole('heading', { name: 'Publish' }).waitFor();
    expect((await pageButtons(page))[0]).toBe('Publish: 1 with a question, 1 being published');
    await emit('publishings', [publishing(2, WORKING_STATE)]);
    await eventually(() => pageButtons(page)).toEqual(['Publish', 'Folders: 2 failed', ...OTHER_PAGES]);
  });

  it('the narrow sidebar names its pages, as the wide one does (G3)', async () => {
    const { page } = await gallery.open(SETTINGS, { viewport: { width: 640, height: 480 } });
    const labels = page.getByRole('navigation', { name: 'Pages' }).locator('.nav-label');
    const sizes = await labels.evaluateAll((elements) =>
      elements.map((element) => ({
        text: element.textContent,
        isShown:
          element.getBoundingClientRect().height > 10 && element.scrollWidth <= element.closest('button')!.clientWidth,
      })),
    );
    expect(sizes).toEqual(['Publish', 'Folders', ...OTHER_PAGES, 'Settings'].map((text) => ({ text, isShown: true })));
  });

  it('the main region has the name of the shown page, as the sidebar writes it (B19)', async () => {
    const { page, emit } = await gallery.open(SETTINGS);
    for (const [target, name] of [
      ['publish', 'Publish'],
      ['folders', 'Folders'],
      ['sites', 'Sites'],
      ['domains', 'Domains'],
      ['activity', 'Activity'],
      ['settings', 'Settings'],
    ] as const) {
      await emit('navigate', { page: target });
      await eventually(() => page.getByRole('main').getAttribute('aria-label')).toBe(name);
    }
  });

  it.each([
    ['no-preference', 'turn'],
    ['reduce', 'none'],
  ] as const)('for prefers-reduced-motion %s, the animation of the badge is %s', async (reducedMotion, animation) => {
    const { page } = await gallery.open(ELSEWHERE_STATE, { reducedMotion });
    const badge = page.getByRole('button', { name: 'Folders: 1 being published' }).locator('.nav-badge svg');
    expect(await badge.evaluate((element) => getComputedStyle(element).animationName)).toBe(animation);
  });
});
