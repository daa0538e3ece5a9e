import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    builds: string;
  }
}

/**
 * Builds something once in a run of the tests. Files that ask for it later share the result, and must not change it.
 *
 * @param name Names the result. Equal names must have equal builds.
 * @param build Writes the result into a folder.
 * @returns The folder of the result, which is removed after the run.
 */
export async function buildOnce(name: string, build: (folder: string) => Promise<unknown>): Promise<string> {
  const builds = inject('builds');
  const folder = join(builds, name);
  if (existsSync(folder)) return folder;
  const newFolder = await mkdtemp(join(builds, `.${name}-`));
  await build(newFolder);
  // If two files build at the same time, the second result is not needed.
  await rename(newFolder, folder).catch(() => rm(newFolder, { recursive: true }));
  return folder;
}
