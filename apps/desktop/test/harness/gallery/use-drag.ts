import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/**
 * Creates a folder with one HTML file for the tests of a file.
 *
 * @returns Functions that drag it over a window or drop it there, as the system does. `x` is in pixels from the left.
 */
export function useDrag() {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'berth-drop-'));
    await mkdir(join(dir, 'dist'));
    await writeFile(join(dir, 'dist/index.html'), '<h1>Hello</h1>');
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));
  const drag = async (page: Page, type: 'dragEnter' | 'dragOver' | 'drop', x: number) => {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(dir, 'dist')], dragOperationsMask: 1 };
    await session.send('Input.dispatchDragEvent', { type, x, y: 300, data });
  };
  const drop = async (page: Page, x: number) => {
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await drag(page, type, x);
  };
  return { drag, drop };
}
