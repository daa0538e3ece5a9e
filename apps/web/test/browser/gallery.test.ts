import { describeInBrowser } from '@berth/testing/browser';
import { expectAccessible, expectAccessibleLayout } from '@berth/ui/testing/accessibility';
import { eventually } from '@berth/ui/testing/page';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gallery, openGallery } from '../gallery/gallery.ts';
import { STATES } from '../gallery/states.ts';

/** The widths of a tablet and a phone. The shared page has that of a desktop. */
const NARROW = [680, 390] as const;

describeInBrowser('the gallery of the console (api §13)', (browser) => {
  let gallery: Gallery;
  beforeAll(async () => void (gallery = await openGallery(browser())));
  afterAll(() => gallery?.remove());

  it.each(STATES)(
    'the state $name shows its texts, fits 1120, 680 and 390 px, and has no accessibility or policy violations',
    async (state) => {
      const { page, faults } = await gallery.show(state);
      for (const words of state.shows) await eventually(() => page.locator('body').innerText(), words).toContain(words);
      await expectAccessible(page);
      for (const width of NARROW) {
        await page.setViewportSize({ width, height: 800 });
        await expectAccessibleLayout(page, `at a width of ${width} px`);
      }
      expect(await faults()).toEqual([]);
    },
  );
});
