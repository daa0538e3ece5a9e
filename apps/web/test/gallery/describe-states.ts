import { describeInBrowser } from '@berth/testing/browser';
import { expectAccessible, overflowOf } from '@berth/ui/testing/accessibility';
import { eventually } from '@berth/ui/testing/page';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gallery, type GalleryState, openGallery } from './window.ts';

/** The widths of a desktop, a tablet and a phone. */
const WIDTHS = [1_120, 680, 390] as const;

/** Tests the texts, the layout at three widths and the accessibility of gallery states. */
export function describeStates(title: string, states: readonly GalleryState[]): void {
  describeInBrowser(title, (browser) => {
    let gallery: Gallery;
    beforeAll(async () => void (gallery = await openGallery(browser())));
    afterAll(() => gallery?.remove());

    it.each(states)(
      'the state $name shows its texts, fits a phone, and has no accessibility or policy violations',
      async (state) => {
        const { page, faults } = await gallery.open(state);
        for (const words of state.shows)
          await eventually(() => page.locator('body').innerText(), words).toContain(words);
        for (const width of WIDTHS) {
          await page.setViewportSize({ width, height: 800 });
          expect(await overflowOf(page), `at a width of ${width} px`).toBe(0);
        }
        await expectAccessible(page);
        expect(await faults()).toEqual([]);
        await page.context().close();
      },
    );
  });
}
