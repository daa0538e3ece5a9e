import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { launchBrowser } from '@berth/testing/browser';
import { STATES } from './states.ts';
import { openGallery } from './window.ts';

const SIZES = [
  { width: 1_120, height: 760 },
  { width: 680, height: 760 },
  { width: 390, height: 800 },
] as const;
const SCHEMES = ['light', 'dark'] as const;
/** The pictures of the documents: a desktop by day, and a phone at night. */
const KEPT_LOOKS = [
  { viewport: SIZES[0], colorScheme: 'light' },
  { viewport: SIZES[2], colorScheme: 'dark' },
] as const;

/*
 * This script takes screenshots of gallery states of the console, at three sizes, in the light and the dark scheme:
 *
 *     node apps/web/test/gallery/shoot.ts <folder> [kept | <prefix> …]
 *
 * `kept` takes the screenshots that are kept with the documents; a prefix selects states by their names. Default: all.
 */
const [folder, ...wanted] = process.argv.slice(2);
if (folder === undefined) throw new Error('the folder for the screenshots is missing');
const states = STATES.filter(
  ({ name, kept }) =>
    wanted.length === 0 ||
    wanted.some((prefix) => name.startsWith(prefix)) ||
    (kept === true && wanted.includes('kept')),
);
const looks = wanted.includes('kept')
  ? KEPT_LOOKS
  : SIZES.flatMap((viewport) => SCHEMES.map((colorScheme) => ({ viewport, colorScheme })));
await mkdir(folder, { recursive: true });

const browser = await launchBrowser();
const gallery = await openGallery(browser);
try {
  for (const state of states)
    for (const { viewport, colorScheme } of looks) {
      const { page } = await gallery.open(state, { viewport, colorScheme });
      // The first text appears only after the requested data has arrived.
      await page.getByText(state.shows[0]!).first().waitFor({ state: 'attached' });
      const name = `${state.name}-${viewport.width}x${viewport.height}-${colorScheme}.png`;
      await page.screenshot({ path: join(resolve(folder), name), animations: 'disabled' });
      await page.context().close();
    }
} finally {
  await browser.close();
  await gallery.remove();
}
