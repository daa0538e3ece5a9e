import { launchBrowser } from '@berth/testing/browser';
import { takePictures } from '@berth/ui/testing/pictures';
import { STATES } from './states.ts';
import { openGallery } from './window.ts';

const LARGE = { width: 1_120, height: 760 };
const SMALL = { width: 680, height: 560 };

/*
 * This script takes pictures of gallery states of the desktop app:
 *
 *     node apps/desktop/test/harness/gallery/shoot.ts <folder> [kept | <prefix> …]
 *
 * `kept` takes the pictures that are kept with the documents; a prefix selects states by their names. Default: all.
 */
const browser = await launchBrowser();
const gallery = await openGallery(browser);
try {
  await takePictures(process.argv.slice(2), {
    states: STATES,
    sizes: [LARGE, SMALL],
    kept: [
      { viewport: LARGE, colorScheme: 'light' },
      { viewport: SMALL, colorScheme: 'dark' },
    ],
    open: (state, look) => gallery.open(state, look),
  });
} finally {
  await browser.close();
  await gallery.remove();
}
