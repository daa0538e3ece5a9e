import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';

/** Browsers give no handles of folders in `/dev`, where temporary files of other tests are. */
const TEMPORARY = '/tmp/berth-drop-';

/** The bytes of each file of a folder, by path. */
export type Contents = Readonly<Record<string, string | Uint8Array>>;

/** Returns a function that writes a folder, which is removed after the tests of the file. It returns the path of the folder. */
export function useFolders(): (name: string, files: Contents) => Promise<string> {
  let work: string;
  beforeAll(async () => void (work = await mkdtemp(TEMPORARY)));
  afterAll(() => rm(work, { recursive: true, force: true }));
  return async (name, files) => {
    const root = join(work, name);
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    }
    return root;
  };
}

/** Drags files and folders over a page and drops them, as the system does. @param paths Absolute paths. */
export async function dropOn(page: Page, ...paths: string[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
  await session.detach();
}

/** Waits until a drop is published. @returns The address of its site. */
export async function publishedUrl(page: Page, name: string): Promise<string> {
  const card = page.getByRole('article', { name, exact: true });
  await card.getByText('Published', { exact: true }).waitFor({ timeout: 90_000 });
  return (await card.getByRole('link').first().getAttribute('href'))!;
}
