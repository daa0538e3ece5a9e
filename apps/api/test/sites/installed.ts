import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readSite, type Site } from './published.ts';

const require = createRequire(import.meta.url);
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`));

/** Real sites from packages that are installed anyway. */
export const INSTALLED: Record<string, { describe: string; read(): Promise<Site> }> = {
  reveal: {
    describe: 'the slides of reveal.js',
    // The package does not export its package.json; its main file is in dist/.
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
