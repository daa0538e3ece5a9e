import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';

const require = createRequire(import.meta.url);
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`));

/** The bytes of each file of a site, by path. */
export type Site = Record<string, Buffer>;

/** Reads a folder as a site. The paths are in NFC and separated by `/`. */
export async function readSite(folder: string, isWanted: (path: string) => boolean = () => true): Promise<Site> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const paths = files.map((file) => [relative(folder, file).split(sep).join('/').normalize('NFC'), file] as const);
  const read = paths
    .filter(([path]) => isWanted(path))
    .map(async ([path, file]) => [path, await readFile(file)] as const);
  return Object.fromEntries(await Promise.all(read));
}

/** Real sites from installed packages. */
export const INSTALLED: Record<string, { describe: string; read(): Promise<Site> }> = {
  reveal: {
    describe: 'the slides of reveal.js',
    // The package does not export its package.json, but its main file is in dist/.
    read: () => readSite(dirname(dirname(require.resolve('reveal.js')))),
  },
  swagger: { describe: 'swagger-ui-dist, with its source maps', read: () => readSite(folderOf('swagger-ui-dist')) },
  viewer: {
    describe: 'the apps of playwright, built by Vite with hashed names',
    read: () => readSite(join(folderOf('playwright-core'), 'lib/vite')),
  },
  docs: {
    describe: 'the docs of pino, a docsify theme',
    read: () => readSite(folderOf('pino'), (path) => /^(index\.html|favicon\.ico|README\.md|docs\/.*)$/.test(path)),
  },
};
