// `npm run build:web` builds the console that the server serves. With `--if-changed`, it does nothing if no source has changed
// since the last build.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { buildFrom, buildIfChanged } from '@berth/packaging/built-from';
import type { Plugin } from 'vite';

const ROOT = join(import.meta.dirname, '../../..');
const WEB = join(import.meta.dirname, '..');
const DIST = join(WEB, 'dist');

/** Everything that the console is built from. */
const SOURCES = [
  'apps/web/{src,build}/**/*',
  'packages/{client,contract,ui}/src/**/*',
  'apps/web/package.json',
  'pnpm-lock.yaml',
];

/** Smaller files are not worth a compressed form. */
const MIN_COMPRESSED_BYTES = 512;

/**
 * Builds the console into a folder, and writes the compressed forms of each file beside it.
 *
 * @param dist An absolute path. Its content is replaced.
 */
export async function buildConsole(dist: string = DIST): Promise<void> {
  await buildFrom(SOURCES, dist, async () => {
    await bundleConsole(dist);
    await compressFiles(dist);
  });
}

/**
 * Bundles the console into a folder, without compressed forms.
 *
 * @param dist An absolute path. Its content is replaced.
 * @param root The folder of `index.html`. Default: the document of the console.
 */
export async function bundleConsole(dist: string, root: string = join(WEB, 'src')): Promise<void> {
  const { build } = await import('vite');
  await inProduction(() =>
    build({
      configFile: false,
      root,
      logLevel: 'warn',
      plugins: [oldBrowserCheck()],
      cacheDir: join(ROOT, 'node_modules/.cache/vite/web', basename(root)),
      build: {
        outDir: dist,
        emptyOutDir: true,
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        license: { fileName: 'licenses.md' },
        rolldownOptions: { checks: { moduleLevelDirective: false }, output: { strictExecutionOrder: true } },
      },
      worker: {
        format: 'es',
        // The server sends the files with this prefix with the policy of workers.
        rolldownOptions: {
          output: {
            strictExecutionOrder: true,
            entryFileNames: 'assets/worker-[hash].js',
            chunkFileNames: 'assets/worker-[name]-[hash].js',
          },
        },
      },
    }),
  );
}

/**
 * Emits the script that finds out whether a browser is too old, and adds it to the document. Vite bundles only modules, which the oldest
 * browsers do not load.
 */
function oldBrowserCheck(): Plugin {
  const source = readFileSync(join(WEB, 'src/old-browser.js'), 'utf8');
  const fileName = `assets/old-browser-${createHash('sha256').update(source).digest('base64url').slice(0, 8)}.js`;
  return {
    name: 'old-browser',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'body' }],
  };
}

/** Builds the console if it is missing, or if a source has changed since it was built. @returns Whether it was built. */
export function buildChangedConsole(): Promise<boolean> {
  return buildIfChanged('the console', SOURCES, DIST, buildConsole);
}

/** Writes `<file>.br` and `<file>.gz` beside each file, unless they are not smaller. */
async function compressFiles(dist: string): Promise<void> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  await Promise.all(files.map(compressFile));
}

async function compressFile(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < MIN_COMPRESSED_BYTES) return;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }),
  ]);
  for (const [extension, compressed] of Object.entries({ br, gz }))
    if (compressed.length < bytes.length) await writeFile(`${path}.${extension}`, compressed);
}

/** Sets NODE_ENV during a build. Otherwise a build in a test would contain the development version of React. */
async function inProduction(work: () => Promise<unknown>): Promise<void> {
  const { NODE_ENV } = process.env;
  process.env['NODE_ENV'] = 'production';
  try {
    await work();
  } finally {
    if (NODE_ENV === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = NODE_ENV;
  }
}

if (import.meta.main) {
  if (process.argv.includes('--if-changed')) await buildChangedConsole();
  else await buildConsole();
}
