import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { launchBrowser } from '@berth/testing/browser';
import { STATES } from './states.ts';
import { openGallery } from './window.ts';

const SIZES = [
  { width: 1_120, height: 760 },
  { width: 680, height: 560 },
] as const;
const SCHEMES = ['light', 'dark'] as const;

/*
 * Takes screenshots of the states of the window, at two sizes, light and dark:
 *
 *     node apps/desktop/test/harness/gallery/shoot.ts <folder> [kept | <state> …]
 *
 * `kept` takes only those that are used in documents. Default: all states.
 */
const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) throw new Error('say which folder the pictures go to');
const states = STATES.filter(
  ({ name, kept }) => wanted.length === 0 || wanted.includes(name) || (kept === true && wanted.includes('kept')),
);
await mkdir(folder, { recursive: true });

const browser = await launchBrowser();
const gallery = await openGallery(browser);
try {
  for (const state of states)
    for (const viewport of SIZES)
      for (const colorScheme of SCHEMES) {
        const { page, close } = await gallery.open(state, { viewport, colorScheme });
        // Once the first text is shown, the data that the page requested has arrived.
        await page.getByText(state.shows[0]!).first().waitFor({ state: 'attached' });
        const name = `${state.name}-${viewport.width}x${viewport.height}-${colorScheme}.png`;
        await page.screenshot({ path: join(resolve(folder), name), animations: 'disabled' });
        await close();
      }
} finally {
  await browser.close();
  await gallery.remove();
}
