import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser } from '@berth/testing/browser';
import { takePictures } from '@berth/ui/testing/pictures';
import { buildGallery, openGallery } from './gallery.ts';
import { STATES } from './states.ts';

const DESKTOP = { width: 1_120, height: 760 };
const TABLET = { width: 680, height: 760 };
const PHONE = { width: 390, height: 800 };

/*
 * This script takes pictures of gallery states of the console:
 *
 *     node apps/web/test/gallery/shoot.ts <folder> [kept | <prefix> …]
 *
 * `kept` takes the pictures that are kept with the documents; a prefix selects states by their names. Default: all.
 */
const folder = await mkdtemp(join(tmpdir(), 'berth-console-gallery-'));
await buildGallery(folder);
const browser = await launchBrowser();
const gallery = openGallery(browser, folder);
try {
  await takePictures(process.argv.slice(2), {
    states: STATES,
    sizes: () => [DESKTOP, TABLET, PHONE],
    kept: () => [{ viewport: DESKTOP, colorScheme: 'light' }],
    open: (state, look) => gallery.open(state, look),
  });
} finally {
  await browser.close();
  await rm(folder, { recursive: true });
}
