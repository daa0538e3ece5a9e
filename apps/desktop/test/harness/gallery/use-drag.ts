import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** Drags the real folder `dist` over a window or drops it there, as the system does. @param x Pixels from the left. */
export type Drag = (page: Page, type: 'dragEnter' | 'dragOver' | 'drop', x: number) => Promise<void>;

/** Creates a folder with one HTML file for the tests of a file. @returns A function that drags it. */
export function useDrag(): Drag {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'berth-drop-'));
    await mkdir(join(dir, 'dist'));
    await writeFile(join(dir, 'dist/index.html'), '<h1>Hello</h1>');
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return async (page, type, x) => {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [join(dir, 'dist')], dragOperationsMask: 1 };
    await session.send('Input.dispatchDragEvent', { type, x, y: 300, data });
  };
}
