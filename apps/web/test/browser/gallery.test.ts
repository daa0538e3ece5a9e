import { describeInBrowser } from '@berth/testing/browser';
import { buildOnce } from '@berth/testing/builds';
import { expectAccessible, expectAccessibleLayout } from '@berth/ui/testing/accessibility';
import { findCutTexts } from '@berth/ui/testing/cut';
import { findIndistinct } from '@berth/ui/testing/forced-colors';
import { eventually } from '@berth/ui/testing/page';
import type { CDPSession, Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { buildGallery, type Gallery, openGallery } from '../gallery/gallery.ts';
import { STATES, stateNamed } from '../gallery/states.ts';

/** The widths of a tablet and a phone. The shared page has that of a desktop. */
const NARROW = [680, 390] as const;
const WINDOW = { width: 1_280, height: 800 };
/** What is left of the window at a zoom of 200 %. */
const ZOOMED = { width: 640, height: 400 };
/** The size of text that browsers have by default, in CSS pixels. */
const TEXT_PX = 16;

describeInBrowser('the gallery of the console (api §13)', (browser) => {
  let gallery: Gallery;
  beforeAll(async () => {
    gallery = openGallery(browser(), await buildOnce('console-gallery', buildGallery));
  });

  it.each(STATES)(
    'the state $name shows its texts, fits 1120, 680 and 390 px, a zoom of 200 % and large text, and has no accessibility or policy violations',
    async (state) => {
      const { page, faults } = await gallery.show(state);
      for (const words of state.shows) await eventually(() => page.locator('body').innerText(), words).toContain(words);
      await expectAccessible(page);
      for (const width of NARROW) {
        await page.setViewportSize({ width, height: 800 });
        await expectAccessibleLayout(page, `at a width of ${width} px`);
      }
      await page.setViewportSize(ZOOMED);
      expect(await findCutTexts(page), 'at a zoom of 200 %').toEqual([]);
      await page.setViewportSize(WINDOW);
      await withLargeText(page, async () =>
        expect(await findCutTexts(page), 'with text of twice the usual size').toEqual([]),
      );
      await page.emulateMedia({ forcedColors: 'active' });
      const indistinct = await findIndistinct(page);
      await page.emulateMedia({ forcedColors: 'none' });
      expect(indistinct, 'with forced colours').toEqual([]);
      expect(await faults()).toEqual([]);
    },
  );

  it.each(['drop-comparing', 'sites-loading'])('with reduced motion, nothing moves in the state %s', async (name) => {
    const countAnimations = async (reducedMotion: 'reduce' | 'no-preference') => {
      const { page } = await gallery.open(stateNamed(name), { reducedMotion });
      await page.getByText(stateNamed(name).shows[0]!).first().waitFor();
      const count = await page.evaluate(
        () => document.getAnimations().filter(({ effect }) => effect!.getComputedTiming().duration !== 0).length,
      );
      await page.context().close();
      return count;
    };
    expect(await countAnimations('reduce')).toBe(0);
    expect(await countAnimations('no-preference')).toBeGreaterThan(0);
  });
});

/** Doubles the size of text in the settings of the browser. */
async function withLargeText(page: Page, check: () => Promise<void>): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await setTextSize(devTools, page, 2 * TEXT_PX);
  try {
    await check();
  } finally {
    await setTextSize(devTools, page, TEXT_PX);
    await devTools.detach();
  }
}

async function setTextSize(devTools: CDPSession, page: Page, px: number): Promise<void> {
  await devTools.send('Page.setFontSizes', { fontSizes: { standard: px } });
  const size = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize);
  await expect.poll(size).toBe(`${px}px`);
}
