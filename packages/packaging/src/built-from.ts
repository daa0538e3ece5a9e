import { createHash } from 'node:crypto';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../../..');

/** The hidden file with the hash of the sources of a build. It is written last, so a build that was interrupted is repeated. */
const SOURCES_HASH = '.sources.sha256';

/**
 * Builds a folder, and records in it from which sources.
 *
 * @param sources Patterns of files, relative to the repository.
 * @param dist The folder that `build` writes, an absolute path.
 */
export async function buildFrom(
  sources: readonly string[],
  dist: string,
  build: () => Promise<unknown>,
): Promise<void> {
  const hash = await hashSources(sources);
  await build();
  await writeFile(join(dist, SOURCES_HASH), hash);
}

/**
 * Builds a folder unless {@link buildFrom} has built it and no source has changed since. Prints a line before it builds.
 *
 * @param name What is built, as the line names it, such as `the console`.
 * @param build Builds the folder with {@link buildFrom}.
 * @returns Whether it was built.
 */
export async function buildIfChanged(
  name: string,
  sources: readonly string[],
  dist: string,
  build: () => Promise<void>,
): Promise<boolean> {
  const built = await readFile(join(dist, SOURCES_HASH), 'utf8').catch(() => null);
  if (built !== null && built === (await hashSources(sources))) return false;
  process.stderr.write(`Building ${name}.\n`);
  await build();
  return true;
}

/** Returns a hash of the names and bytes of all sources. */
async function hashSources(sources: readonly string[]): Promise<string> {
  const entries = await Array.fromAsync(glob([...sources], { cwd: ROOT, withFileTypes: true }));
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  const hash = createHash('sha256');
  for (const path of paths) {
    const bytes = await readFile(path);
    hash.update(`${path.slice(ROOT.length)}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}
