import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { describeWindow } from '../harness/gallery/describe-window.ts';
import { appState } from '../harness/gallery/sample.ts';
import { stateNamed } from '../harness/gallery/states.ts';

/** Returns the `-webkit-app-region` of an element: `drag` if the user can drag the window by the element. */
const regionOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => getComputedStyle(element).getPropertyValue('-webkit-app-region'));

describeWindow('the drag regions of the window', (gallery) => {
  const openWindow = (platform: 'darwin' | 'linux', width = 1_120) => {
    const emptySites = stateNamed('sites-empty');
    const { about } = emptySites.state ?? appState();
    return gallery.open(
      { ...emptySites, state: { ...(emptySites.state ?? appState()), about: { ...about, platform } } },
      { viewport: { width, height: 600 } },
    );
  };

  it('on macOS the user can drag the window by the sidebar and the page head, but not by their controls', async () => {
    const { page } = await openWindow('darwin');
    expect(await regionOf(page, '.sidebar')).toBe('drag');
    expect(await regionOf(page, '.page-head')).toBe('drag');
    for (const button of await page.locator('.sidebar button, .page-head :is(button, input, label)').all())
      expect(await button.evaluate((element) => getComputedStyle(element).getPropertyValue('-webkit-app-region'))).toBe(
        'no-drag',
      );
  });

  it('on macOS the user cannot drag the window by a dialog or a popover above a drag region', async () => {
    const { page } = await openWindow('darwin');
    await page.evaluate(() => {
      const overlay = document.createElement('dialog');
      const list = document.createElement('div');
      list.popover = 'auto';
      document.body.append(overlay, list);
    });
    expect(await regionOf(page, 'body > dialog')).toBe('no-drag');
    expect(await regionOf(page, 'body > [popover]:last-child')).toBe('no-drag');
  });

  it('on macOS the window buttons do not cover the page at any width of the window', async () => {
    for (const width of [640, 1_120]) {
      const { page } = await openWindow('darwin', width);
      const sidebar = await page.locator('.sidebar').boundingBox();
      const firstBox = await page.locator('.sidebar > *').first().boundingBox();
      // The window buttons cover 72 by 38 px in the corner.
      expect(sidebar!.width).toBeGreaterThan(72);
      expect(firstBox!.y).toBeGreaterThanOrEqual(38);
    }
  });

  it('on other systems the user cannot drag the window by the sidebar', async () => {
    const { page } = await openWindow('linux');
    expect(await regionOf(page, '.sidebar')).not.toBe('drag');
  });
});
