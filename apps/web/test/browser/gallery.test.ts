import { describeInBrowser } from '@berth/testing/browser';
import { expectAccessible } from '@berth/ui/testing/accessibility';
import { eventually } from '@berth/ui/testing/page';
import { expect, it } from 'vitest';
import { useConsole } from './built-console.ts';
import { openDropState } from './drop-gallery.ts';
import { DROP_STATES } from './gallery-states.ts';

const WIDTHS = [1_120, 680, 390];

describeInBrowser('the gallery of the drop page', (browser) => {
  const console = useConsole();

  it.each(DROP_STATES)(
    'the state $name shows its texts, fits 1120, 680 and 390 px, and has no accessibility or policy violations',
    async (state) => {
      const { page } = await openDropState(browser(), console.origin(), state);
      for (const words of state.shows) await eventually(() => page.locator('body').innerText(), words).toContain(words);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 760 });
        await page.emulateMedia({ colorScheme: 'light' });
        await expectAccessible(page);
      }
      expect(await page.evaluate(() => window.violations)).toEqual([]);
      await page.context().close();
    },
  );
});
