import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** A state of a window, as its gallery describes it. */
interface PicturedState {
  name: string;
  /** The texts that the page must show. The first one appears last. */
  shows: readonly string[];
  /** Whether pictures of the state are kept with the documents. */
  kept?: boolean;
}

/** A size and a scheme of a picture. */
export interface Look {
  viewport: { width: number; height: number };
  colorScheme: 'light' | 'dark';
}

interface PictureOptions<S extends PicturedState> {
  states: readonly S[];
  /** The sizes of the pictures of a state. */
  sizes(state: S): readonly Look['viewport'][];
  /** The looks of the pictures of a state that are kept. */
  kept(state: S): readonly Look[];
  /** Opens a page in a state, in a new browser context. */
  open(state: S, options: Look & { reducedMotion: 'no-preference' }): Promise<{ page: Page }>;
}

const SCHEMES = ['light', 'dark'] as const;

/** The moment of endless animations that a picture shows, in milliseconds. */
const ANIMATION_MS = 800;

/**
 * Takes pictures of states, at each size, in the light and the dark scheme.
 *
 * @param args The folder of the pictures, then beginnings of names of states, or `kept` for those that are kept. Default: all states.
 */
export async function takePictures<S extends PicturedState>(
  [folder, ...wanted]: readonly string[],
  { states, sizes, kept, open }: PictureOptions<S>,
): Promise<void> {
  if (folder === undefined) throw new Error('the folder for the pictures is missing');
  const areKept = wanted.includes('kept');
  const isWanted = ({ name, kept = false }: S) =>
    areKept ? kept : wanted.length === 0 || wanted.some((prefix) => name.startsWith(prefix));
  const looksOf = (state: S) =>
    sizes(state).flatMap((viewport) => SCHEMES.map((colorScheme) => ({ viewport, colorScheme })));
  await mkdir(folder, { recursive: true });
  for (const state of states.filter(isWanted))
    for (const look of areKept ? kept(state) : looksOf(state)) {
      const { page } = await open(state, { ...look, reducedMotion: 'no-preference' });
      // The first text appears only after the requested data has arrived.
      await page.getByText(state.shows[0]!).first().waitFor({ state: 'attached' });
      await page.evaluate(stopAnimations, ANIMATION_MS);
      const { width, height } = look.viewport;
      const name = `${state.name}-${width}x${height}-${look.colorScheme}`;
      if (areKept) await writeFile(join(folder, `${name}.webp`), await webpOf(page));
      else await page.screenshot({ path: join(folder, `${name}.png`) });
      await page.context().close();
    }
}

/** Ends all animations, and stops endless ones at a moment. Runs in the page. @param moment In milliseconds. */
function stopAnimations(moment: number): void {
  for (const animation of document.getAnimations()) {
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
    else {
      animation.pause();
      animation.currentTime = moment;
    }
  }
}

/** Returns a picture of a page that is a third as large as a PNG. */
async function webpOf(page: Page): Promise<Buffer> {
  const devTools = await page.context().newCDPSession(page);
  const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  return Buffer.from(data, 'base64');
}
