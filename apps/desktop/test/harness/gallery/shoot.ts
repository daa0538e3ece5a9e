import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchBrowser } from '@berth/testing/browser';
import { takePictures } from '@berth/ui/testing/pictures';
import { buildApp } from '../../../build/build.ts';
import { DROP_WINDOW_SIZE } from '../../../src/main/shell/drop-window.ts';
import { STATES } from './states.ts';
import { type GalleryState, openGallery } from './window.ts';

const LARGE = { width: 1_120, height: 760 };
const SMALL = { width: 680, height: 560 };

const sizesOf = ({ page }: GalleryState) => (page === 'drop-window' ? [DROP_WINDOW_SIZE] : [LARGE, SMALL]);

/*
 * This script takes pictures of gallery states of the desktop app:
 *
 *     node apps/desktop/test/harness/gallery/shoot.ts <folder> [kept | <prefix> …]
 *
 * `kept` takes the pictures that are kept with the documents; a prefix selects states by their names. Default: all.
 */
const dist = await mkdtemp(join(tmpdir(), 'berth-gallery-'));
await buildApp(dist, ['renderer']);
const browser = await launchBrowser();
const gallery = openGallery(browser, dist);
try {
  await takePictures(process.argv.slice(2), {
    states: STATES,
    sizes: sizesOf,
    // The largest size in the light scheme, and the smallest one in the dark scheme.
    kept: (state) => [
      { viewport: sizesOf(state).at(0)!, colorScheme: 'light' },
      { viewport: sizesOf(state).at(-1)!, colorScheme: 'dark' },
    ],
    open: (state, look) => gallery.open(state, look),
  });
} finally {
  await browser.close();
  await rm(dist, { recursive: true });
}
